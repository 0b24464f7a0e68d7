//! Meshes in parts that indices can tell apart, with vertices in the order of their bones.

use std::borrow::Cow;
use std::collections::BTreeMap;

use glam::{Mat4, Vec3};
use half::f16;

use super::Lowering;
use super::material::Surface;
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind};
use crate::formats::bo3d::TURN;
use crate::formats::bo3d::lift::NORMAL_LENGTH;
use crate::formats::bo3d::model::{
    Bone, Colour, Entity, MeshData, Triangle, VFloat, Vertex16, Vertex32, Vertices, nearest_half,
};
use crate::formats::placed_uvs;
use crate::ops::{bake_morphs, heaviest_joints, restore_lengths, smooth_normals, split_by_vertex_limit};
use crate::scene::{
    NodeId, Primitive, Skin, Topology, linear_to_srgb_byte, srgb_byte_to_linear, transform_distance,
    unit_vector,
};

/// How many vertices an index can tell apart.
const MAX_VERTICES: usize = 65536;

/// What the joints of a skin are for one mesh.
struct Binding {
    /// For each joint of the skin: its entity, and the matrix from the primitive's space to the mesh entity's at rest.
    /// `None` for a joint that is no entity.
    joints: Vec<Option<(usize, Mat4)>>,
    /// The entity of the mesh itself: what hangs on it needs no bone.
    own: usize,
}

impl Lowering<'_> {
    pub(super) fn meshes(&mut self) {
        for node in self.nodes.clone() {
            let Some(mesh) = self.scene.nodes.get(node).and_then(|n| self.scene.meshes.get(n.mesh?)) else {
                continue;
            };
            let Some(own) = self.entity_of.get(node.index()).copied().flatten() else { continue };
            let mut free = Some(own);
            for (i, primitive) in mesh.primitives.iter().enumerate() {
                let path = format!("nodes[{}].mesh.primitives[{i}]", node.index());
                if primitive.topology != Topology::Triangles {
                    // Of none there is nothing to miss.
                    if !primitive.indices.is_empty() {
                        self.losses.dropped(Aspect::Topology, path, "lines and points have no place in BO3D");
                    }
                    continue;
                }
                // A mesh without vertices would be a pivot; it draws nothing anyway.
                if primitive.positions.is_empty() {
                    continue;
                }
                for part in self.parts(&path, node, primitive) {
                    let entity = free.take().unwrap_or_else(|| self.part_entity(own, &path));
                    let heard = std::mem::take(self.losses);
                    let data = self.mesh_data(&path, node, entity, &part);
                    // What nothing draws nobody misses.
                    let own = std::mem::replace(self.losses, heard);
                    if !part.triangles().is_empty() {
                        self.losses.append(own);
                    }
                    if let Some(entity) = self.model.entities.get_mut(entity) {
                        entity.mesh = Some(data);
                    }
                }
            }
        }
    }

    /// An entity for a further part of the mesh of another.
    fn part_entity(&mut self, own: usize, path: &str) -> usize {
        let message = "a further part of the mesh became an entity of its own";
        self.losses.added(Aspect::Hierarchy, path, message);
        let name = self.model.entities.get(own).map(|entity| entity.name.clone()).unwrap_or_default();
        self.push(Entity { name, ..Entity::default() }, Some(own))
    }

    /// The primitive in its shape at rest, cut into pieces that have few enough vertices.
    fn parts(&mut self, path: &str, node: NodeId, primitive: &Primitive) -> Vec<Primitive> {
        let mut whole = Cow::Borrowed(primitive);
        if let Some(weights) = self.rest.weights.get(node.index()).filter(|_| !whole.targets.is_empty()) {
            bake_morphs(whole.to_mut(), weights);
        }
        let placed = placed_uvs(self.scene, primitive);
        if placed.moved {
            let message = "the coordinates are those of the texture that is seen, placed as it is";
            self.losses.approximated(Aspect::Uvs, path, message);
            whole.to_mut().uvs = vec![placed.uvs.into_owned()];
        }
        if whole.positions.len() <= MAX_VERTICES {
            return vec![whole.into_owned()];
        }
        let parts = split_by_vertex_limit(&whole, MAX_VERTICES);
        let message =
            format!("the mesh was cut into {} pieces of at most {MAX_VERTICES} vertices", parts.len());
        self.losses.added(Aspect::Topology, path, message);
        parts
    }

    fn mesh_data(&mut self, path: &str, node: NodeId, entity: usize, primitive: &Primitive) -> MeshData {
        let mut surface = self.surface(primitive.material);
        let binding = self.binding(path, node, entity, primitive);
        let holder = self.heaviest(path, primitive, binding.as_ref());
        let order = contiguous_order(&holder);
        let mut place = vec![0u32; order.len()];
        for (new, old) in order.iter().enumerate() {
            if let Some(place) = place.get_mut(*old) {
                *place = new as u32;
            }
        }
        let (positions, normals) = self.bound(path, primitive, &holder, binding.as_ref());
        if binding.is_some() {
            self.report_stiffness(path, node, entity, primitive, &positions, &normals);
        }
        let uvs = self.uvs(path, primitive);
        let rows: Vec<[f32; 8]> = order
            .iter()
            .filter_map(|&i| {
                let [u, v] = *uvs.get(i)?;
                let [nx, ny, nz] = TURN.vector(*normals.get(i)?);
                let [x, y, z] = TURN.vector(*positions.get(i)?);
                Some([u, v, nx, ny, nz, x, y, z])
            })
            .collect();
        let mut colours = self.colours(path, primitive, &order, surface.colour);
        if self.mends {
            self.colour_vertices(path, entity, &mut surface, &mut colours, rows.len());
        }
        let index = |i: u32| place.get(i as usize).and_then(|i| u16::try_from(*i).ok()).unwrap_or(0);
        MeshData {
            vertices: self.packed(path, &rows),
            colours,
            triangles: primitive.triangles().iter().map(|t| Triangle(t.map(|i| index(i).into()))).collect(),
            texture: surface.texture,
            colour: surface.colour,
            alpha: surface.alpha,
            fx: surface.fx,
            bones: binding.map(|binding| bones(&binding, &holder, &order)).unwrap_or_default(),
            ..MeshData::default()
        }
    }

    /// What the joints of the node's skin mean for the mesh of an entity.
    fn binding(&mut self, path: &str, node: NodeId, own: usize, primitive: &Primitive) -> Option<Binding> {
        let skin = self.scene.nodes.get(node).and_then(|n| self.scene.skins.get(n.skin?))?;
        if primitive.joints.is_empty() {
            return None;
        }
        let to_mesh = self.worlds.get(own).map(|world| world.matrix().inverse()).filter(|m| m.is_finite());
        let Some(to_mesh) = to_mesh else {
            self.losses.dropped(Aspect::Skins, path, "the mesh has a scale of zero and cannot be bound");
            return None;
        };
        let joints: Vec<_> = (0..skin.joints.len()).map(|i| self.joint(skin, i, to_mesh)).collect();
        if joints.contains(&None) {
            let message = "joints outside the scene that is shown were left out";
            self.losses.dropped(Aspect::Skins, path, message);
        }
        Some(Binding { joints, own })
    }

    /// The entity of a joint, and where the bind pose puts what hangs on it. What hangs on the node whose mesh it is
    /// (the part's parent has the same place) needs no bone.
    fn joint(&self, skin: &Skin, index: usize, to_mesh: Mat4) -> Option<(usize, Mat4)> {
        let joint = skin.joints.get(index)?;
        let entity = self.entity_of.get(joint.index()).copied().flatten()?;
        let world = self.rest.worlds.get(joint.index())?;
        Some((entity, to_mesh * *world * skin.inverse_bind(index)))
    }

    /// For each vertex, the joint that it hangs on most; `None` when it stays with the mesh.
    fn heaviest(
        &mut self,
        path: &str,
        primitive: &Primitive,
        binding: Option<&Binding>,
    ) -> Vec<Option<usize>> {
        let mut stats = ErrorStats::default();
        let Some(binding) = binding else { return vec![None; primitive.positions.len()] };
        let mut holders = Vec::with_capacity(primitive.positions.len());
        let drawn = primitive.drawn();
        for vertex in 0..primitive.positions.len() {
            let (kept, _) = heaviest_joints(primitive, vertex, 1);
            let heaviest = kept.first();
            let off = heaviest.map_or(0.0, |(_, weight)| f64::from(1.0 - weight).max(0.0));
            let seen = off > 1e-3 && drawn.get(vertex).copied().unwrap_or(false);
            stats.add(if seen { off } else { 0.0 });
            let holder = heaviest.map(|(joint, _)| usize::from(*joint));
            holders.push(holder.filter(|joint| binding.joints.get(*joint).is_some_and(Option::is_some)));
        }
        let message =
            "a vertex hangs on one bone in BO3D: the heaviest was kept; the error is the weight lost";
        self.losses.measured(Aspect::Skins, path, message, stats, "weight");
        holders
    }

    /// Positions and stored normals in the mesh entity's space at bind pose.
    fn bound(
        &mut self,
        path: &str,
        primitive: &Primitive,
        holders: &[Option<usize>],
        binding: Option<&Binding>,
    ) -> (Vec<[f32; 3]>, Vec<[f32; 3]>) {
        let made = primitive.normals.is_empty();
        if made {
            self.losses.added(Aspect::Normals, path, "normals were made from the triangles");
        }
        let mut positions = primitive.positions.clone();
        let mut normals = if made { smooth_normals(primitive) } else { primitive.normals.clone() };
        // Where the bind pose is where the mesh already is, the bits are kept.
        let moved: Vec<Option<(Mat4, glam::Mat3)>> = binding
            .iter()
            .flat_map(|binding| &binding.joints)
            .map(|joint| {
                let matrix = joint.map(|(_, matrix)| matrix)?;
                let size = matrix.w_axis.truncate().length().max(1.0);
                let turn = glam::Mat3::from_mat4(matrix).inverse().transpose();
                (transform_distance(&matrix, &Mat4::IDENTITY) > 2e-6 * size).then_some((matrix, turn))
            })
            .collect();
        for (vertex, holder) in holders.iter().enumerate() {
            let Some((matrix, turn)) = holder.and_then(|joint| moved.get(joint).copied().flatten()) else {
                continue;
            };
            if let Some(position) = positions.get_mut(vertex) {
                *position = matrix.transform_point3(Vec3::from_array(*position)).to_array();
            }
            if let Some(normal) = normals.get_mut(vertex) {
                let turned = unit_vector(turn * Vec3::from_array(*normal));
                *normal = turned.map_or(*normal, |turned| turned.to_array());
            }
        }
        restore_lengths(&mut normals, primitive, NORMAL_LENGTH);
        (positions, normals)
    }

    /// How far vertices are at rest from where all of their joints together would have them.
    fn report_stiffness(
        &mut self,
        path: &str,
        node: NodeId,
        entity: usize,
        primitive: &Primitive,
        positions: &[[f32; 3]],
        normals: &[[f32; 3]],
    ) {
        let world = self.worlds.get(entity).map_or(Mat4::IDENTITY, |world| world.matrix());
        let mut stats = ErrorStats::default();
        let drawn = primitive.drawn();
        let meant = self.rest.positions(self.scene, node, primitive);
        for ((meant, found), _) in meant.into_iter().zip(positions).zip(&drawn).filter(|(_, drawn)| **drawn) {
            let distance = world.transform_point3(Vec3::from_array(*found)).distance(meant);
            stats.add(if distance > self.tolerance { f64::from(distance) } else { 0.0 });
        }
        let message = "with one bone a vertex the shape at rest differs";
        self.losses.measured(Aspect::Positions, path, message, stats, "scene units");
        let mut stats = ErrorStats::default();
        let across = glam::Mat3::from_mat4(world).inverse().transpose();
        let meant = self.rest.normals(self.scene, node, primitive);
        for ((meant, found), _) in meant.into_iter().zip(normals).zip(&drawn).filter(|(_, drawn)| **drawn) {
            let found = across * Vec3::from_array(*found);
            let angle = crate::math::degrees_between(meant, found);
            stats.add(if angle > 0.05 { f64::from(angle) } else { 0.0 });
        }
        self.losses.measured(Aspect::Normals, path, message, stats, "degrees");
    }

    fn uvs(&mut self, path: &str, primitive: &Primitive) -> Vec<[f32; 2]> {
        let set = primitive.uvs.first();
        if set.is_some_and(|set| set.iter().all(|uv| *uv == [0.0; 2])) {
            let message = "texture coordinates that are all zero mean that there are none";
            self.losses.dropped(Aspect::Uvs, path, message);
        }
        set.cloned().unwrap_or_else(|| vec![[0.0; 2]; primitive.positions.len()])
    }

    /// E8: the engine does not read the flat colour, so it goes into the vertices. They have no alpha, so what shows
    /// through keeps its colour where the document has it.
    fn colour_vertices(
        &mut self,
        path: &str,
        entity: usize,
        surface: &mut Surface,
        colours: &mut Vec<Colour>,
        vertices: usize,
    ) {
        let [blue, green, red, kept] = surface.colour;
        if [blue, green, red] == [255; 3] || surface.alpha < 1.0 {
            return;
        }
        if colours.is_empty() {
            *colours = vec![Colour([red, green, blue]); vertices];
            self.added.colours.insert(entity);
            let message = "the colour is written as vertex colours, because the engine does not read it";
            self.losses.push(Loss::new(Aspect::Colors, LossKind::Added, path, message).count(vertices));
        } else {
            let message =
                "the base colour was multiplied into the vertex colours, because the engine does not read it";
            self.losses.approximated(Aspect::Materials, path, message);
            let factor = [red, green, blue].map(srgb_byte_to_linear);
            for Colour(colour) in colours.iter_mut() {
                for (part, factor) in colour.iter_mut().zip(factor) {
                    *part = linear_to_srgb_byte(srgb_byte_to_linear(*part) * factor);
                }
            }
        }
        surface.colour = [255, 255, 255, kept];
    }

    fn colours(&mut self, path: &str, primitive: &Primitive, order: &[usize], flat: [u8; 4]) -> Vec<Colour> {
        let [blue, green, red, _] = flat;
        // What goes into vertices for the engine changes their colours.
        let multiplied = self.mends && [blue, green, red] != [255; 3];
        let factor = if multiplied { [red, green, blue].map(srgb_byte_to_linear) } else { [1.0; 3] };
        let Some(set) = primitive.colors.first() else { return Vec::new() };
        if primitive.colors.len() > 1 {
            let message = "BO3D holds one set of vertex colours";
            let more = primitive.colors.len() - 1;
            self.losses.push(Loss::new(Aspect::Colors, LossKind::Dropped, path, message).count(more));
        }
        let mut stats = ErrorStats::default();
        let colours = order
            .iter()
            .filter_map(|&i| set.get(i))
            .map(|[r, g, b, a]| {
                let bytes = [*r, *g, *b].map(linear_to_srgb_byte);
                let [x, y, z] = bytes.map(srgb_byte_to_linear);
                let [fx, fy, fz] = factor;
                let off = [x * fx - r, y * fy - g, z * fz - b, 1.0 - a];
                let off = off.into_iter().map(|off| f64::from(off).powi(2)).sum::<f64>().sqrt();
                stats.add(if off > 1e-4 { off } else { 0.0 });
                Colour(bytes)
            })
            .collect();
        let message = "vertex colours were rounded to 8 bits without alpha";
        self.losses.measured(Aspect::Colors, path, message, stats, "linear colour");
        colours
    }

    /// The vertices in the width of the file.
    fn packed(&mut self, path: &str, rows: &[[f32; 8]]) -> Vertices {
        if self.vfloat == VFloat::Bits32 {
            return Vertices::Full(rows.iter().map(|row| Vertex32(row.map(Into::into))).collect());
        }
        let mut uv = ErrorStats::default();
        let mut normal = ErrorStats::default();
        let mut position = ErrorStats::default();
        let mut vertices = Vec::with_capacity(rows.len());
        for row in rows {
            let halves = row.map(nearest_half);
            let back = halves.map(f16::to_f32);
            let off = |range: std::ops::Range<usize>| {
                let (meant, got) =
                    (row.get(range.clone()).unwrap_or_default(), back.get(range).unwrap_or_default());
                let square = meant.iter().zip(got).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>();
                square.sqrt()
            };
            uv.add(off(0..2));
            normal.add(angle(row, &back));
            position.add(off(5..8));
            vertices.push(Vertex16(halves.map(|h| h.to_bits().into())));
        }
        let message = "rounded to 16-bit floats";
        self.losses.measured(Aspect::Positions, path, message, position, "scene units");
        self.losses.measured(Aspect::Uvs, path, message, uv, "uv");
        self.losses.measured(Aspect::Normals, path, message, normal, "degrees");
        Vertices::Half(vertices.into())
    }
}

/// The angle between the normals of two vertices in degrees.
fn angle(a: &[f32; 8], b: &[f32; 8]) -> f64 {
    let [_, _, ax, ay, az, ..] = a.map(f64::from);
    let [_, _, bx, by, bz, ..] = b.map(f64::from);
    let (a, b) = (glam::DVec3::new(ax, ay, az), glam::DVec3::new(bx, by, bz));
    crate::math::atan2_64(a.cross(b).length(), a.dot(b)).to_degrees()
}

/// The order of vertices in which those of one holder follow each other: the order they have if it already is one,
/// else by holder, those of none last.
fn contiguous_order(holders: &[Option<usize>]) -> Vec<usize> {
    let mut runs: Vec<Option<usize>> = holders.to_vec();
    runs.dedup();
    let mut distinct = runs.iter().flatten().copied().collect::<Vec<_>>();
    distinct.sort_unstable();
    let repeated = distinct.windows(2).any(|pair| matches!(pair, [a, b] if a == b));
    let mut order: Vec<usize> = (0..holders.len()).collect();
    if repeated {
        order.sort_by_key(|i| holders.get(*i).copied().flatten().unwrap_or(usize::MAX));
    }
    order
}

/// One bone for each joint: the range of vertices that hang on it, or none.
fn bones(binding: &Binding, holders: &[Option<usize>], order: &[usize]) -> Vec<Bone> {
    let mut ranges: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for (new, old) in order.iter().enumerate() {
        if let Some(joint) = holders.get(*old).copied().flatten() {
            ranges.entry(joint).and_modify(|range| range.1 = new).or_insert((new, new));
        }
    }
    let mut next = 0i64;
    let mut bones = Vec::new();
    for (joint, entity) in binding.joints.iter().enumerate() {
        let Some((entity, _)) = entity else { continue };
        // Vertices on the mesh's own node stay with the mesh; that needs no bone.
        if *entity == binding.own {
            continue;
        }
        let (first, last) = match ranges.get(&joint) {
            Some(&(first, last)) => (first as i64, last as i64),
            None => (next, next - 1),
        };
        next = last + 1;
        let number = |n: i64| i32::try_from(n).unwrap_or(i32::MAX).into();
        bones.push(Bone { entity: number(*entity as i64), first: number(first), last: number(last) });
    }
    bones
}
