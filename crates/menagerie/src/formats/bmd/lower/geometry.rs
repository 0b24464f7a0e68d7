//! Meshes into packed vertices: which kind each gets, and what that costs.

use std::borrow::Cow;

use glam::{Mat3, Mat4, Vec3};

use super::blends::influences;
use super::{Lowering, MAX_VERTICES, Piece, inverse_place};
use crate::bytes::f8a_from_f32;
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind};
use crate::formats::bmd::direction::nearest_direction;
use crate::formats::bmd::lift::{BONE, NORMAL_LENGTH, POSITION, SHADE, TAG, TURN};
use crate::formats::bmd::model::{Face, FaceKind, Mesh};
use crate::formats::bmd::notes::{NodeNote, Note, PrimitiveNote};
use crate::formats::bmd::vertex::{
    Form, StReading, Unpacked, Vertex, VertexKind, WHITE, nearest_shade, shade_colour,
};
use crate::formats::placed_uvs;
use crate::ops::{bake_morphs, compact, smooth_normals, split_by_vertex_limit};
use crate::parallel;
use crate::scene::{
    CustomAttribute, Node, NodeId, Primitive, Topology, linear_to_srgb_byte, srgb_byte_to_linear,
};

/// What packing a mesh cost.
#[derive(Default)]
struct Errors {
    position: ErrorStats,
    normal: ErrorStats,
    uv: ErrorStats,
    colour: ErrorStats,
    /// How much of a vertex hangs on joints that it no longer hangs on.
    weight: ErrorStats,
    /// The largest distance between neighbouring positions.
    step: f32,
    /// Vertices that are farther away than floats can say.
    broken: usize,
}

impl Lowering<'_> {
    pub(super) fn meshes(&mut self) {
        let hidden = self.hidden_nodes();
        let shown: Vec<NodeId> = self.kept.iter().copied().filter(|id| !hidden.contains(id)).collect();
        let levels = |id: &NodeId| self.scene.nodes.get(*id).map_or(0, |node| node.lods.len());
        let with_mesh = |id: &NodeId| self.scene.nodes.get(*id).is_some_and(|node| node.mesh.is_some());
        let last = shown.iter().filter(|id| with_mesh(id)).map(levels).max().unwrap_or(0);
        self.distances = vec![None; last + 1];
        for level in 0..=last {
            for id in &shown {
                let Some(node) = self.scene.nodes.get(*id).filter(|node| node.mesh.is_some()) else {
                    continue;
                };
                // What has fewer levels is there in all: its last one.
                let stand_in = level.min(node.lods.len()).checked_sub(1).and_then(|i| node.lods.get(i));
                let drawn = stand_in.map_or(*id, |lod| lod.node);
                if let (Some(lod), Some(place)) = (stand_in, self.distances.get_mut(level)) {
                    *place = place.or(lod.distance);
                }
                self.node_mesh(drawn, Some(level));
            }
        }
        for id in self.kept.clone().into_iter().filter(|id| hidden.contains(id)) {
            self.node_mesh(id, None);
        }
        self.place_meshes();
    }

    /// The nodes that are hidden or below one that is.
    fn hidden_nodes(&self) -> std::collections::BTreeSet<NodeId> {
        let roots: Vec<NodeId> = self
            .kept
            .iter()
            .copied()
            .filter(|id| self.scene.nodes.get(*id).is_some_and(|n| !n.visible))
            .collect();
        self.scene.walk(&roots).into_iter().collect()
    }

    fn node_mesh(&mut self, id: NodeId, level: Option<usize>) {
        let Some(node) = self.scene.nodes.get(id) else { return };
        let Some(mesh) = node.mesh.and_then(|mesh| self.scene.meshes.get(mesh)) else { return };
        for (i, primitive) in mesh.primitives.iter().enumerate() {
            let path = format!("nodes[{}].mesh.primitives[{i}]", id.index());
            if primitive.topology != Topology::Triangles {
                if !primitive.indices.is_empty() {
                    self.losses.dropped(Aspect::Topology, path, "lines and points have no place in BMD");
                }
                continue;
            }
            let heard = std::mem::take(self.losses);
            let unnamed_hidden = primitive.material.is_none() && level.is_none();
            let surface = (!unnamed_hidden).then(|| self.surface(primitive.material));
            let (material, tint) = surface.map_or((None, None), |surface| (Some(surface.name), surface.tint));
            for mut part in self.parts(&path, id, primitive) {
                if let Some(tint) = tint {
                    self.tint(&path, &mut part, tint);
                }
                self.piece(&path, id, node, &part, material.clone(), level);
            }
            // What nothing draws nobody misses.
            let own = std::mem::replace(self.losses, heard);
            if !primitive.triangles().is_empty() {
                self.losses.append(own);
            }
        }
    }

    /// The primitive in its shape at rest, cut into pieces that have few enough vertices.
    fn parts(&mut self, path: &str, id: NodeId, primitive: &Primitive) -> Vec<Primitive> {
        let mut whole = Cow::Borrowed(primitive);
        if let Some(weights) = self.rest.weights.get(id.index()).filter(|_| !whole.targets.is_empty()) {
            bake_morphs(whole.to_mut(), weights);
        }
        let placed = placed_uvs(self.scene, primitive);
        if placed.moved {
            let message = "the coordinates are those of the texture that is seen, placed as it is";
            self.losses.approximated(Aspect::Uvs, path, message);
            whole.to_mut().uvs = vec![placed.uvs.into_owned()];
        }
        let limit = self.number("bmd-split").map_or(MAX_VERTICES, |n| (n as usize).clamp(3, MAX_VERTICES));
        // E1: in the engine a mesh needs as many vertices as triangles.
        let triangles = if self.serves_engine() { limit } else { MAX_VERTICES };
        if whole.positions.len() <= limit && whole.triangles().len() <= triangles {
            return vec![whole.into_owned()];
        }
        let few = |part: Primitive| -> Vec<Primitive> {
            if part.triangles().len() <= triangles {
                return vec![part];
            }
            part.indices.chunks(triangles * 3).map(|indices| compact(&part, indices.to_vec())).collect()
        };
        let parts: Vec<Primitive> = split_by_vertex_limit(&whole, limit).into_iter().flat_map(few).collect();
        let message = format!("the mesh was cut into {} pieces of at most {limit} vertices", parts.len());
        self.losses.added(Aspect::Topology, path, message);
        parts
    }

    /// The colour of a textured material, which has no other place, goes into the vertices.
    fn tint(&mut self, path: &str, primitive: &mut Primitive, tint: [f32; 3]) {
        if primitive.colors.is_empty() {
            primitive.colors.push(vec![[1.0; 4]; primitive.positions.len()]);
        }
        for [r, g, b, _] in primitive.colors.iter_mut().take(1).flatten() {
            let [x, y, z] = tint;
            (*r, *g, *b) = (*r * x, *g * y, *b * z);
        }
        let message = "the colour of a textured material is multiplied into shades of vertices";
        self.losses.added(Aspect::Colors, path, message);
    }

    fn piece(
        &mut self,
        path: &str,
        id: NodeId,
        node: &Node,
        primitive: &Primitive,
        material: Option<Vec<u8>>,
        level: Option<usize>,
    ) {
        let flat = material.as_ref().is_some_and(|name| name.first() == Some(&b'#'));
        let mut errors = Errors::default();
        let note = PrimitiveNote::of(&primitive.extras);
        let placed = self.placed(id, node, primitive, &mut errors);
        let made_normals = if primitive.normals.is_empty() { smooth_normals(primitive) } else { Vec::new() };
        let mut mesh = Mesh::default();
        let mut without_shade = 0usize;
        let drawn = primitive.drawn();
        let mut with = (false, false);
        // The search for the nearest codes is what takes long.
        let normal_and_shade = |v: usize| {
            let normal = primitive.normals.get(v).or(made_normals.get(v)).copied().unwrap_or([0.0, 1.0, 0.0]);
            let codes = placed.get(v).map(|placed| normal_codes(primitive, v, placed, normal));
            (codes.unwrap_or_default(), shade(primitive, v))
        };
        let searched = parallel::map(placed.len(), normal_and_shade);
        for (v, (placed, (normal, shade))) in placed.iter().zip(searched).enumerate() {
            let unpacked = Unpacked {
                position: placed.local.to_array(),
                st: primitive.uvs.first().and_then(|set| set.get(v)).copied().unwrap_or_default(),
                normal,
                shade,
                bone: u8::try_from(placed.bone).unwrap_or(0),
            };
            let form = self.form(primitive, &note, v, flat, &unpacked);
            let vertex = form.pack(&unpacked);
            without_shade += usize::from(vertex.shade().is_none() && unpacked.shade != WHITE);
            with.0 |= vertex.st(flat, self.st).is_some();
            with.1 |= vertex.normal_codes(flat).is_none();
            if drawn.get(v).copied().unwrap_or(false) {
                self.measure(primitive, v, placed, &vertex, flat, &mut errors);
            }
            if node.skin.is_some() {
                let (stored, local) =
                    (primitive.positions.get(v).copied().unwrap_or_default(), vertex.position());
                self.watched.add(id, stored.into(), influences(primitive, v), placed.bone, local.into());
            }
            mesh.vertices.push(vertex);
        }
        self.face(&mut mesh, primitive, &placed, &note);
        self.report(path, primitive, &mesh, errors, without_shade, with);
        let (index, padding) = (note.mesh, note.padding.unwrap_or(0));
        self.pieces.push(Piece { mesh, material, index, level, padding });
    }

    /// Gives a mesh that has its vertices its faces, and what follows from them.
    fn face(&self, mesh: &mut Mesh, primitive: &Primitive, placed: &[Placed], note: &PrimitiveNote) {
        let count = match self.serves_engine() {
            true => primitive.positions.len().max(primitive.triangles().len()),
            false => primitive.positions.len(),
        };
        mesh.faces = faces(&facing(primitive, placed), count, self.mends_all());
        let counted = match note.quads_count_once {
            Some(true) => mesh.faces.len(),
            _ => mesh.counted_triangles(),
        };
        mesh.triangle_count = counted.min(usize::from(u16::MAX)) as u16;
        mesh.flags = flags(mesh, note.flags);
    }

    /// Where each vertex is at rest, which bone holds it, and where it is in that bone's space.
    fn placed(&self, id: NodeId, node: &Node, primitive: &Primitive, errors: &mut Errors) -> Vec<Placed> {
        let solid = self.as_read && NodeNote::of(&node.extras).solid_mesh.is_some();
        let palette = self.rest.palette(self.scene, id).filter(|_| !primitive.joints.is_empty());
        let own = self.rest.worlds.get(id.index()).copied().unwrap_or_default();
        let drawn = primitive.drawn();
        let mut list = Vec::with_capacity(primitive.positions.len());
        for (v, position) in primitive.positions.iter().enumerate() {
            let stored = Vec3::from_array(*position);
            let bound = palette.as_ref().and_then(|palette| blended(palette, primitive, v));
            let (mut matrix, mut bone) = (bound.unwrap_or(own), self.bone_at(id));
            if let Some(skin) = node.skin.filter(|_| bound.is_some()) {
                let joints = influences(primitive, v);
                let rigid =
                    || joints.first().map(|(joint, weight)| (self.bone_of_joint(skin, *joint), 1.0 - weight));
                if let Some((held, off)) = self.blends.find(skin, &joints).or_else(rigid) {
                    let seen = off > 1e-3 && drawn.get(v).copied().unwrap_or(false);
                    errors.weight.add(if seen { f64::from(off) } else { 0.0 });
                    bone = held;
                }
            }
            if bound.is_some() && changes_nothing(&matrix, stored) {
                matrix = Mat4::IDENTITY;
            }
            let kept_bone = row(primitive, BONE, v).and_then(|row| row.first().copied());
            if let Some(kept) = kept_bone.filter(|_| self.as_read) {
                bone = (kept as usize).min(255);
                errors.weight = ErrorStats::default();
            }
            if solid {
                (matrix, bone) = (Mat4::IDENTITY, kept_bone.map_or(0, |bone| bone as usize));
            }
            let place =
                if solid { Mat4::IDENTITY } else { self.places.get(bone).copied().unwrap_or_default() };
            let kept = row(primitive, POSITION, v);
            list.push(Placed::new(stored, &matrix, kept, (bone, place), errors));
        }
        list
    }

    /// The form of a vertex: what the option says, what the file had, or the smallest that holds what is there.
    fn form(
        &self,
        primitive: &Primitive,
        note: &PrimitiveNote,
        v: usize,
        flat: bool,
        unpacked: &Unpacked,
    ) -> Form {
        let setting = self.options.settings.get("bmd-vertex").filter(|setting| *setting != "auto");
        let kept = row(primitive, TAG, v).and_then(|row| row.first()).map(|tag| *tag as u64);
        let kept = kept.and_then(|tag| u8::try_from(tag).ok()).or(note.vertex);
        let kept = kept.filter(|_| setting.is_none());
        if let Some(tag) = kept {
            let short = tag == 64;
            let form = Form::of(if short { 0 } else { tag }, flat, self.st);
            let holds_bone = match form {
                Form::Textured64 | Form::Flat64 => unpacked.bone < 0xF0,
                Form::Bits96(tag) => tag & 2 != 0 || unpacked.bone == 0,
                _ => true,
            };
            if holds_bone {
                return form;
            }
        }
        let inside = unpacked.st.iter().all(|x| (-0.5..=1.4998).contains(x));
        let wide = |shade: bool| Form::Bits96(0xF8 | u8::from(!inside) | if shade { 0 } else { 2 });
        let long = if self.st == StReading::Legacy { Form::Legacy128 } else { Form::Bits128 };
        let coloured = !primitive.colors.is_empty();
        let has_uvs = !primitive.uvs.is_empty();
        let short = if flat { Form::Flat64 } else { Form::Textured64 };
        let form = match setting {
            Some("64") => short,
            Some("96") => wide(coloured && unpacked.bone == 0),
            Some("128") => long,
            _ if coloured && unpacked.bone == 0 => wide(true),
            _ if coloured => long,
            _ if flat && !has_uvs => short,
            _ if flat || !primitive.normals.is_empty() => wide(false),
            _ => short,
        };
        let form = if matches!(form, Form::Textured64 | Form::Flat64) && unpacked.bone >= 0xF0 {
            wide(false)
        } else {
            form
        };
        let meant = Vec3::from_array(unpacked.position);
        let off = |form: Form| Vec3::from_array(form.pack(unpacked).position()).distance(meant);
        match self.number("bmd-position-error").filter(|_| setting.is_none()) {
            Some(limit) if off(form) > limit && off(long) < off(form) => long,
            _ => form,
        }
    }

    fn measure(
        &self,
        primitive: &Primitive,
        v: usize,
        placed: &Placed,
        vertex: &Vertex,
        flat: bool,
        errors: &mut Errors,
    ) {
        let found = placed.place.transform_point3(vertex.position().into());
        let off = found.distance(placed.world);
        // What nobody tells apart is nobody's loss.
        errors.position.add(if off > self.tolerance { f64::from(off) } else { 0.0 });
        if let Some(packed) = vertex.packed_position() {
            errors.step = errors.step.max(packed.step());
        }
        if let Some(normal) = primitive.normals.get(v) {
            let meant = (placed.turn * Vec3::from_array(*normal)).normalize_or_zero();
            let stored = vertex.normal(flat).unwrap_or(vertex.position());
            let stored = Vec3::from_array(stored);
            let angle = crate::math::degrees_between(meant, stored);
            let zero = stored == Vec3::ZERO;
            errors.normal.add(if zero || angle < 0.05 { 0.0 } else { f64::from(angle) });
        }
        if let (Some(uv), Some(st)) =
            (primitive.uvs.first().and_then(|set| set.get(v)), vertex.st(flat, self.st))
        {
            let off = uv.iter().zip(st).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt();
            let size = uv.iter().fold(1.0f32, |size, x| size.max(x.abs()));
            errors.uv.add(if off > 1e-5 * f64::from(size) { off } else { 0.0 });
        }
        if let Some([r, g, b, a]) = primitive.colors.first().and_then(|set| set.get(v)) {
            let colour = shade_colour(vertex.shade().unwrap_or(WHITE)).map(srgb_byte_to_linear);
            let off = colour.iter().zip([r, g, b]).map(|(x, y)| f64::from(x - y).powi(2)).sum::<f64>();
            let off = (off + f64::from(1.0 - a).powi(2)).sqrt();
            errors.colour.add(if off > 1e-4 { off } else { 0.0 });
        }
    }

    fn report(
        &mut self,
        path: &str,
        primitive: &Primitive,
        mesh: &Mesh,
        errors: Errors,
        without_shade: usize,
        (with_st, without_normals): (bool, bool),
    ) {
        let kind = mesh.vertices.first().map_or(VertexKind::Bits64, Vertex::kind).bytes() * 8;
        let message = format!("packed into {kind}-bit vertices, steps of up to {} units", errors.step);
        self.losses.measured(Aspect::Positions, path, message, errors.position, "scene units");
        let message = if without_normals {
            "64-bit vertices with textures have no normals; the direction from the bone stands for them"
        } else {
            "packed into 8 bits a component"
        };
        self.losses.measured(Aspect::Normals, path, message, errors.normal, "degrees");
        self.losses.measured(Aspect::Uvs, path, "packed into 11 to 14 bits", errors.uv, "uv");
        let message = "vertex colours became the nearest of 256 shades";
        self.losses.measured(Aspect::Colors, path, message, errors.colour, "linear colour");
        if errors.broken > 0 {
            let message = "vertices farther away than numbers go were put at zero";
            let loss = Loss::new(Aspect::Positions, LossKind::Approximated, path, message);
            self.losses.push(loss.count(errors.broken));
        }
        let message = "weights were rounded to what a bone or a blend of up to four can have";
        self.losses.measured(Aspect::Skins, path, message, errors.weight, "weight");
        if primitive.normals.is_empty() && !mesh.vertices.is_empty() {
            self.losses.added(Aspect::Normals, path, "normals were made from the triangles");
        }
        if primitive.uvs.is_empty() && with_st {
            self.losses.added(Aspect::Uvs, path, "texture coordinates of zero were added");
        }
        if !primitive.uvs.is_empty() && !with_st {
            self.losses.dropped(
                Aspect::Uvs,
                path,
                "64-bit vertices of a flat colour have no texture coordinates",
            );
        }
        let white = mesh.vertices.iter().all(|vertex| vertex.shade().unwrap_or(WHITE) == WHITE);
        if !primitive.colors.is_empty() && (without_shade > 0 || white) {
            self.losses.dropped(Aspect::Colors, path, "some vertices have no shade or are plain white");
        }
        if primitive.colors.len() > 1 {
            let more = primitive.colors.len() - 1;
            let message = "BMD holds one set of vertex colours";
            self.losses.push(Loss::new(Aspect::Colors, LossKind::Dropped, path, message).count(more));
        }
    }
}

/// A vertex in its place.
struct Placed {
    /// Where it is in the model at rest, in the file's axes.
    world: Vec3,
    /// Where it is in the space of its bone.
    local: Vec3,
    bone: usize,
    /// From the bone's space to the model's.
    place: Mat4,
    /// From the primitive's normals to those of the bone.
    turn: Mat3,
    /// Whether its way into the model is a mirror.
    mirrored: bool,
}

impl Placed {
    /// A vertex in the space of the bone that holds it, at the place that the file had if that is still the same one.
    fn new(
        stored: Vec3,
        matrix: &Mat4,
        kept: Option<&[f32]>,
        (bone, place): (usize, Mat4),
        errors: &mut Errors,
    ) -> Self {
        let inverse = inverse_place(&place);
        let place = if inverse == Mat4::IDENTITY { Mat4::IDENTITY } else { place };
        let world = TURN.inverse().vec3(matrix.transform_point3(stored));
        let mut local = inverse.transform_point3(world);
        if let Some(&[x, y, z]) = kept {
            let kept = TURN.inverse().vec3(Vec3::new(x, y, z));
            if place.transform_point3(kept).distance(world) <= 1e-4 * world.length().max(1.0) {
                local = kept;
            }
        }
        let is_finite = world.is_finite() && local.is_finite();
        let (world, local) = if is_finite { (world, local) } else { (Vec3::ZERO, Vec3::ZERO) };
        errors.broken += usize::from(!is_finite);
        let linear = Mat3::from_mat4(*matrix);
        let across = linear.inverse().transpose();
        let across = if across.is_finite() { across } else { linear };
        let turn = Mat3::from_mat4(inverse * TURN.inverse().to_matrix()) * across;
        let mirrored = linear.determinant() < 0.0;
        Self { world, local, bone, place, turn, mirrored }
    }
}

/// Whether a matrix leaves a place where it is: at rest a bind matrix undoes its joint, but for the last digits.
fn changes_nothing(matrix: &Mat4, place: Vec3) -> bool {
    let linear = Mat3::from_mat4(*matrix);
    let near = |matrix: Mat3| (matrix - Mat3::IDENTITY).to_cols_array().iter().all(|x| x.abs() < 1e-4);
    let moved = matrix.transform_point3(place);
    moved.distance(place) <= 2e-5 * place.length().max(1.0)
        && near(linear.transpose() * linear)
        && near(linear)
}

/// The primitive with triangles that a mirror would turn over going round the other way.
fn facing<'a>(primitive: &'a Primitive, placed: &[Placed]) -> Cow<'a, Primitive> {
    if placed.iter().all(|vertex| !vertex.mirrored) {
        return Cow::Borrowed(primitive);
    }
    let mut turned = primitive.clone();
    for [a, b, c] in turned.indices.as_chunks_mut::<3>().0 {
        if placed.get(*a as usize).is_some_and(|vertex| vertex.mirrored) {
            std::mem::swap(b, c);
        }
    }
    Cow::Owned(turned)
}

/// The values of a custom attribute for one vertex.
fn row<'a>(primitive: &'a Primitive, name: &str, v: usize) -> Option<&'a [f32]> {
    let CustomAttribute { width, values } = primitive.custom.get(name)?;
    values.get(v * width..(v + 1) * width)
}

fn blended(palette: &[Mat4], primitive: &Primitive, v: usize) -> Option<Mat4> {
    let mut sum = Mat4::ZERO;
    let mut weight_sum = 0.0;
    for (joints, weights) in primitive.joints.iter().zip(&primitive.weights) {
        for (joint, weight) in joints.get(v)?.iter().zip(weights.get(v)?) {
            sum += palette.get(usize::from(*joint)).copied().unwrap_or_default() * *weight;
            weight_sum += weight;
        }
    }
    (weight_sum > 0.0).then_some(sum)
}

/// The codes of a normal: those that the file had, or the nearest direction.
fn normal_codes(primitive: &Primitive, v: usize, placed: &Placed, normal: [f32; 3]) -> [u8; 3] {
    let direction = (placed.turn * Vec3::from_array(normal)).normalize_or_zero();
    match row(primitive, NORMAL_LENGTH, v).and_then(|row| row.first()) {
        Some(length) => (direction * *length).to_array().map(f8a_from_f32),
        None => nearest_direction(direction.to_array()),
    }
}

/// The shade byte of a vertex: the one that the file had if it is still that colour, or the nearest.
fn shade(primitive: &Primitive, v: usize) -> u8 {
    let Some([r, g, b, _]) = primitive.colors.first().and_then(|set| set.get(v)) else { return WHITE };
    let colour = [*r, *g, *b].map(linear_to_srgb_byte);
    let kept = row(primitive, SHADE, v).and_then(|row| row.first()).map(|shade| *shade as u8);
    kept.filter(|shade| shade_colour(*shade) == colour).unwrap_or_else(|| nearest_shade(colour))
}

/// The faces: in the forms that the file had if they still fit, else triangles, of the size that goes with the number of
/// vertices. Without quads where the engine mixes them up (E9).
fn faces(primitive: &Primitive, vertices: usize, no_quads: bool) -> Vec<Face> {
    let letters = PrimitiveNote::of(&primitive.extras).faces;
    let letters = letters.filter(|letters| !(no_quads && letters.contains(['q', 'Q'])));
    if let Some(faces) = letters.and_then(|letters| faces_as_read(primitive.triangles(), &letters)) {
        return faces;
    }
    let kind = if vertices > 1024 { FaceKind::Triangle64 } else { FaceKind::Triangle32 };
    primitive.triangles().iter().filter_map(|triangle| Face::new(kind, triangle)).collect()
}

fn faces_as_read(mut triangles: &[[u32; 3]], letters: &str) -> Option<Vec<Face>> {
    let mut faces = Vec::new();
    for letter in letters.chars() {
        let kind = FaceKind::of_letter(letter)?;
        let ([a, b, c], mut rest) = triangles.split_first()?;
        let face = if kind.is_quad() {
            let ([a2, c2, d], after) = rest.split_first()?;
            rest = after;
            if (a2, c2) != (a, c) {
                return None;
            }
            Face::new(kind, &[*a, *b, *c, *d])
        } else {
            Face::new(kind, &[*a, *b, *c])
        };
        faces.push(face?);
        triangles = rest;
    }
    triangles.is_empty().then_some(faces)
}

/// The flags: those that the file had unless they exclude something, else what describes the mesh best.
pub(super) fn flags(mesh: &Mesh, kept: Option<u32>) -> u32 {
    let all = |kind| mesh.vertices.iter().all(|vertex| vertex.kind() == kind);
    let letters = |allowed: &str| mesh.faces.iter().all(|face| allowed.contains(face.kind().letter()));
    let fits = |flags: &u32| {
        let vertices = match flags & 3 {
            0 => all(VertexKind::Bits64),
            2 => all(VertexKind::Bits128),
            3 => all(VertexKind::Bits96),
            _ => true,
        };
        vertices
            && letters(["t", "tqTQ", "T", "TQ"].get((flags >> 2 & 3) as usize).copied().unwrap_or("tqTQ"))
    };
    let best = || {
        let vertices = [0, 2, 3].into_iter().find(|flags| fits(&(flags | 4))).unwrap_or(1);
        [0u32, 2, 3, 1].into_iter().map(|faces| faces << 2 | vertices).find(fits).unwrap_or(5)
    };
    kept.filter(fits).unwrap_or_else(best)
}
