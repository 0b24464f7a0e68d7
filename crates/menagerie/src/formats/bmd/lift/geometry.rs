//! Meshes to primitives: triangles and quads, shades, and what only this format knows of vertices.

use glam::{Mat3, Mat4, Vec3};

use super::{Lifting, TURN};
use crate::bytes::Se32;
use crate::formats::bmd::model::{FaceKind, Mesh};
use crate::formats::bmd::notes::{Note, PrimitiveNote};
use crate::formats::bmd::pose;
use crate::formats::bmd::vertex::{Vertex, VertexKind, WHITE, shade_colour};
use crate::ops::set_raw_normals;
use crate::scene::{CustomAttribute, Primitive, srgb_byte_to_linear, unit_vector};

/// Lengths of normals that are not one.
pub(in crate::formats::bmd) const NORMAL_LENGTH: &str = "_BMD_NORMAL_LENGTH";
/// Positions in the space of the bone, where the model's space has too few digits for the way back.
pub(in crate::formats::bmd) const POSITION: &str = "_BMD_POSITION";
/// Shade bytes.
pub(in crate::formats::bmd) const SHADE: &str = "_BMD_SHADE";
/// The kinds of vertices of a mixed list, see [`tag_of`].
pub(in crate::formats::bmd) const TAG: &str = "_BMD_TAG";
/// Bone ids of a mesh that uses pseudo-bones.
pub(in crate::formats::bmd) const BONE: &str = "_BMD_BONE";

/// The number that stands for the kind of a vertex: 64 for the short one, else its tag.
fn tag_of(vertex: &Vertex) -> u8 {
    match vertex.kind() {
        VertexKind::Bits64 => 64,
        VertexKind::Bits96 => 0xF8 | vertex.tag() & 3,
        VertexKind::Bits128 => 0xFD,
    }
}

/// Whether a mesh has a face that can be drawn.
pub(super) fn draws(mesh: &Mesh) -> bool {
    mesh.faces.iter().any(|face| face.corners().iter().all(|corner| (*corner as usize) < mesh.vertices.len()))
}

/// For each triangle that is drawn, the number of its face.
pub(super) fn faces_of_triangles(mesh: &Mesh) -> Vec<u32> {
    let exists = |corner: &u32| (*corner as usize) < mesh.vertices.len();
    let faces = (0..).zip(&mesh.faces).filter(|(_, face)| face.corners().iter().all(exists));
    faces.flat_map(|(number, face)| face.triangles().map(move |_| number)).collect()
}

impl Lifting<'_> {
    /// The primitive of a mesh; `None` when it draws nothing.
    pub(super) fn primitive(&self, index: usize, mesh: &Mesh, skinned: bool) -> Option<Primitive> {
        if !draws(mesh) {
            return None;
        }
        let padding = self.added.padding.get(&index).copied().unwrap_or(0);
        let large = mesh.vertices.len() > 1024;
        let trimmed = self.trimmed(mesh, padding);
        let mesh = trimmed.as_ref().unwrap_or(mesh);
        let flat = self.model.is_flat(mesh);
        let mut primitive = Primitive::default();
        let mut letters = String::with_capacity(mesh.faces.len());
        primitive.indices.reserve_exact(3 * mesh.triangles());
        for face in &mesh.faces {
            if face.corners().iter().all(|corner| (*corner as usize) < mesh.vertices.len()) {
                primitive.indices.extend(face.triangles().flatten());
                letters.push(face.kind().letter());
            }
        }
        self.positions(mesh, skinned, &mut primitive);
        if !self.shape_only {
            self.normals(mesh, flat, skinned, &mut primitive);
            let uvs: Vec<Option<[f32; 2]>> = mesh.vertices.iter().map(|v| v.st(flat, self.st)).collect();
            if uvs.iter().any(Option::is_some) {
                primitive.uvs.push(uvs.into_iter().map(Option::unwrap_or_default).collect());
            }
            shades(mesh, &mut primitive);
        }
        if skinned {
            self.joints(mesh, &mut primitive);
        } else if mesh.vertices.iter().any(|vertex| vertex.bone() != 0) {
            // A solid is in the space of its bone, whatever bones its vertices name.
            custom(&mut primitive, BONE, 1, mesh.vertices.iter().map(|v| f32::from(v.bone())).collect());
        }
        let plain = if large { FaceKind::Triangle64 } else { FaceKind::Triangle32 };
        let counted_once = usize::from(mesh.triangle_count) == mesh.faces.len()
            && mesh.counted_triangles() != mesh.faces.len();
        let tags: Vec<u8> = mesh.vertices.iter().map(tag_of).collect();
        let one_kind = tags.first().copied().filter(|first| tags.iter().all(|tag| tag == first));
        let note = PrimitiveNote {
            mesh: Some(index),
            flags: Some(mesh.flags),
            padding: (padding > 0).then_some(padding),
            faces: letters.chars().any(|letter| letter != plain.letter()).then_some(letters),
            quads_count_once: counted_once.then_some(true),
            vertex: one_kind,
        };
        note.keep(&mut primitive.extras);
        if one_kind.is_none() {
            custom(&mut primitive, TAG, 1, tags.into_iter().map(f32::from).collect());
        }
        Some(primitive)
    }

    /// The mesh without vertices that only make room; `None` where there are none.
    fn trimmed(&self, mesh: &Mesh, padding: usize) -> Option<Mesh> {
        let kept = mesh.vertices.len().checked_sub(padding).filter(|_| padding > 0)?;
        let vertices = mesh.vertices.get(..kept)?.to_vec();
        Some(Mesh { vertices, ..mesh.clone() })
    }

    /// From the space of a vertex's bone to that of the model.
    fn place(&self, vertex: &Vertex, skinned: bool) -> Mat4 {
        let binding = self.bindings.get(usize::from(vertex.bone())).or(self.bindings.first());
        binding.filter(|_| skinned).map_or(Mat4::IDENTITY, |binding| binding.place)
    }

    fn positions(&self, mesh: &Mesh, skinned: bool, primitive: &mut Primitive) {
        let mut exact = true;
        let inverses: Vec<Mat4> =
            self.bindings.iter().map(|b| pose::inverse(&b.place).unwrap_or_default()).collect();
        primitive.positions.reserve_exact(mesh.vertices.len());
        for vertex in &mesh.vertices {
            let own = vertex.position().map(|x| if x.is_finite() { x } else { 0.0 });
            let position = self.place(vertex, skinned).transform_point3(Vec3::from_array(own));
            if skinned {
                let bone = usize::from(vertex.bone());
                let inverse = inverses.get(bone).or(inverses.first()).copied().unwrap_or_default();
                let back = inverse.transform_point3(position).to_array();
                exact &= match vertex.kind() {
                    VertexKind::Bits128 => back.map(half) == own.map(half),
                    _ => Se32::nearest(back).values() == own,
                };
            }
            primitive.positions.push(TURN.vec3(position).to_array());
        }
        if !exact {
            let own =
                |vertex: &Vertex| TURN.vector(vertex.position().map(|x| if x.is_finite() { x } else { 0.0 }));
            custom(primitive, POSITION, 3, mesh.vertices.iter().flat_map(own).collect());
        }
    }

    /// Normals as stored; where there are none, the document's rule: the direction from the bone to the vertex.
    fn normals(&self, mesh: &Mesh, flat: bool, skinned: bool, primitive: &mut Primitive) {
        let raw = |vertex: &Vertex| {
            let stored = vertex.normal(flat).map(Vec3::from_array);
            let own =
                stored.or_else(|| unit_vector(Vec3::from_array(vertex.position()))).unwrap_or(Vec3::ZERO);
            let turned = Mat3::from_mat4(self.place(vertex, skinned)) * own;
            let turned = unit_vector(turned).map_or(Vec3::ZERO, |direction| direction * own.length());
            TURN.vec3(if turned.is_finite() { turned } else { Vec3::ZERO }).to_array()
        };
        let raw: Vec<[f32; 3]> = mesh.vertices.iter().map(raw).collect();
        set_raw_normals(primitive, &raw, NORMAL_LENGTH);
    }

    fn joints(&self, mesh: &Mesh, primitive: &mut Primitive) {
        let bindings = || {
            let of =
                |vertex: &Vertex| self.bindings.get(usize::from(vertex.bone())).or(self.bindings.first());
            mesh.vertices.iter().map(of)
        };
        primitive.joints = vec![bindings().map(|b| b.map_or([0; 4], |b| b.joints)).collect()];
        primitive.weights = vec![bindings().map(|b| b.map_or([1.0, 0.0, 0.0, 0.0], |b| b.weights)).collect()];
        if mesh.vertices.iter().any(|vertex| self.is_made(usize::from(vertex.bone()))) {
            custom(primitive, BONE, 1, mesh.vertices.iter().map(|v| f32::from(v.bone())).collect());
        }
    }
}

fn half(x: f32) -> u16 {
    half::f16::from_f32(x + 0.0).to_bits()
}

/// Shades other than white are colours.
fn shades(mesh: &Mesh, primitive: &mut Primitive) {
    let shades: Vec<u8> = mesh.vertices.iter().map(|vertex| vertex.shade().unwrap_or(WHITE)).collect();
    if shades.iter().all(|shade| *shade == WHITE) {
        return;
    }
    let colour = |shade: &u8| {
        let [r, g, b] = shade_colour(*shade).map(srgb_byte_to_linear);
        [r, g, b, 1.0]
    };
    primitive.colors.push(shades.iter().map(colour).collect());
    custom(primitive, SHADE, 1, shades.into_iter().map(f32::from).collect());
}

fn custom(primitive: &mut Primitive, name: &str, width: usize, values: Vec<f32>) {
    primitive.custom.insert(name.to_owned(), CustomAttribute { width, values });
}
