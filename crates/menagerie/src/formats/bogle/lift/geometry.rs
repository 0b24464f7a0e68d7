//! Geometries to meshes, once for each way in which instances show them.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;
use zerocopy::little_endian::F32;

use super::{Lifter, finite};
use crate::diag::Issue;
use crate::formats::bogle::geometry::{BoneEncoding, Geometry, Vertex};
use crate::formats::bogle::joints::Joints;
use crate::formats::bogle::model::{Instance, named};
use crate::formats::bogle::notes::{MeshNote, Note as _, PrimitiveNote, read_name};
use crate::formats::bogle::{LEAST_WEIGHT, codes};
use crate::formats::{Elements, PrimitiveOrigin};
use crate::scene::{CustomAttribute, Extras, Id, Mesh, MeshId, Primitive, Turn, unit_vector};

/// The custom attribute with the binormal, where it is not the cross product of normal and tangent.
pub(in crate::formats::bogle) const BINORMAL: &str = "_BOGLE_BINORMAL";
/// The custom attribute with the sum of a vertex's weights, where it is not one.
pub(in crate::formats::bogle) const WEIGHT_SUM: &str = "_BOGLE_WEIGHT_SUM";

/// How far a length may be from one, and a binormal from the cross product.
const UNIT_TOLERANCE: f32 = 1e-3;
/// How far a sum of weights may be from one before it is worth keeping.
const SUM_TOLERANCE: f32 = 1e-6;
/// Bytes that a vertex takes in a Scene.
const VERTEX_BYTES: usize = 80;
/// The highest joint that a Scene can name.
const MAX_JOINT: u32 = u16::MAX as u32;

/// A geometry as the Scene needs it: with a material, and with as many bones as the skeleton has where the geometry
/// uses more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Variant {
    pub(super) geometry: usize,
    /// Counted from one, zero for none.
    material: u32,
    pub(super) bones: Option<u32>,
    joints: Joints,
}

impl Lifter<'_> {
    /// What an instance shows.
    pub(super) fn variant_of(&self, instance: &Instance) -> Option<Variant> {
        let geometry = (instance.geometry as usize).checked_sub(1)?;
        let highest = *self.highest_bones.get(geometry)?;
        let material = named(&self.model.materials, instance.material).map_or(0, |_| instance.material);
        let bones = named(&self.model.collections, instance.collection)
            .map_or(u32::MAX, |collection| u32::try_from(collection.bones.len()).unwrap_or(u32::MAX));
        let bones = bones.min(MAX_JOINT);
        let bones = highest.filter(|highest| *highest >= bones).map(|_| bones);
        let joints = (instance.collection as usize).checked_sub(1).map(|index| self.joints_of(index));
        Some(Variant { geometry, material, bones, joints: joints.unwrap_or(Joints::Plain) })
    }

    /// The meshes of all geometries, in their order.
    pub(super) fn geometries(&mut self) {
        let mut wanted: BTreeMap<usize, Vec<Variant>> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for instance in &self.model.instances {
            if let Some(variant) = self.variant_of(instance)
                && seen.insert(variant)
            {
                wanted.entry(variant.geometry).or_default().push(variant);
            }
        }
        for (index, geometry) in self.model.geometries.iter().enumerate() {
            let none = vec![Variant { geometry: index, material: 0, bones: None, joints: Joints::Plain }];
            let variants = wanted.remove(&index).unwrap_or(none);
            for (copy, variant) in variants.into_iter().enumerate() {
                if copy > 0 && !self.afford(geometry.vertices.len().saturating_mul(VERTEX_BYTES)) {
                    self.issues.push(Issue::new(
                        &codes::MATERIAL_COPIES,
                        format!("geometries[{index}]"),
                        format!("it is shown with more than {copy} materials or skeletons"),
                    ));
                    break;
                }
                let mesh = self.mesh(variant, geometry);
                let mesh = self.scene.meshes.push(mesh);
                self.origins.primitive(mesh.index(), 0, || PrimitiveOrigin {
                    path: format!("geometries[{index}]"),
                    vertices: Elements::list(format!("geometries[{index}].vertices")),
                    triangles: Elements::list(format!("geometries[{index}].indices"))
                        .of_records(3)
                        .ordered_by(drawn_triangles(geometry)),
                });
                self.meshes.insert(variant, mesh);
            }
        }
    }

    /// Takes `bytes` from what copies may take.
    pub(super) fn afford(&mut self, bytes: usize) -> bool {
        self.limits.take(bytes as u64).is_ok()
    }

    /// A mesh for a variant that could not be afforded: another one of the same geometry, and whether its joints fit.
    pub(super) fn substitute(&self, variant: Variant) -> (Option<MeshId>, bool) {
        let of_geometry = |wanted: &&Variant| wanted.geometry == variant.geometry;
        let found = self.meshes.iter().filter(|(key, _)| of_geometry(key));
        match found.clone().find(|(key, _)| (key.bones, key.joints) == (variant.bones, variant.joints)) {
            Some((_, mesh)) => (Some(*mesh), true),
            None => (found.map(|(_, mesh)| *mesh).next(), false),
        }
    }

    fn mesh(&mut self, variant: Variant, geometry: &Geometry) -> Mesh {
        let mut extras = Extras::default();
        let encoding = geometry.bone_encoding().filter(|encoding| *encoding == BoneEncoding::Integer);
        let (name, name_bytes) = read_name(&geometry.name);
        let bone_index = encoding.map(|encoding| encoding.name().to_owned());
        MeshNote { name_bytes, geometry: Some(variant.geometry), bone_index }.keep(&mut extras);
        let mut primitive = Primitive {
            indices: indices(geometry),
            positions: turned(&geometry.vertices, |vertex| vertex.position),
            material: (variant.material as usize).checked_sub(1).map(Id::new),
            ..Primitive::default()
        };
        if !self.shape_only {
            let uvs = geometry.vertices.iter().map(|v| v.uv.map(F32::get)).map(top_left).collect();
            primitive.uvs = vec![uvs];
        }
        let repaired = surface(geometry, &mut primitive);
        if self.shape_only {
            primitive.keep_shape();
        }
        if repaired {
            self.issues.push(Issue::new(
                &codes::NORMAL_LENGTH,
                format!("geometries[{}].vertices", variant.geometry),
                "normals or tangents that are not of unit length were normalised",
            ));
        }
        if let Some(highest) = self.highest_bones.get(variant.geometry).copied().flatten()
            && (variant.bones.is_some() || highest <= MAX_JOINT)
        {
            weights(geometry, variant, &mut primitive);
        }
        Mesh { name, primitives: vec![primitive], extras, ..Mesh::default() }
    }
}

fn top_left([u, v]: [f32; 2]) -> [f32; 2] {
    [finite(u), 1.0 - finite(v)]
}

fn turned(vertices: &[Vertex], field: impl Fn(&Vertex) -> [F32; 3]) -> Vec<[f32; 3]> {
    vertices.iter().map(|vertex| turned_vector(field(vertex))).collect()
}

fn turned_vector(vector: [F32; 3]) -> [f32; 3] {
    Turn::ZUpToYUp.vector(vector.map(|x| finite(x.get())))
}

/// The indices of all complete triangles whose vertices exist.
fn indices(geometry: &Geometry) -> Vec<u32> {
    let count = geometry.vertices.len();
    let triangles = geometry.triangles().iter().map(|triangle| triangle.map(|index| index.get()));
    let exists = |triangle: &[u32; 3]| triangle.iter().all(|index| (*index as usize) < count);
    if geometry.indices.iter().all(|index| (index.get() as usize) < count) {
        return triangles.flatten().collect();
    }
    triangles.filter(exists).flatten().collect()
}

/// The numbers of the triangles whose vertices exist; `None` for all.
fn drawn_triangles(geometry: &Geometry) -> Option<Vec<u32>> {
    let count = geometry.vertices.len();
    let exists = |triangle: &[zerocopy::little_endian::U32; 3]| {
        triangle.iter().all(|index| (index.get() as usize) < count)
    };
    if geometry.triangles().iter().all(exists) {
        return None;
    }
    Some(
        (0..)
            .zip(geometry.triangles())
            .filter(|(_, triangle)| exists(triangle))
            .map(|(number, _)| number)
            .collect(),
    )
}

/// Normals, tangents and binormals. Says whether some had to be repaired.
fn surface(geometry: &Geometry, primitive: &mut Primitive) -> bool {
    let vertices = &geometry.vertices;
    let given = |field: fn(&Vertex) -> [F32; 3]| {
        vertices.iter().any(|vertex| field(vertex).iter().any(|x| finite(x.get()) != 0.0))
    };
    let mut repaired = false;
    let mut note = PrimitiveNote::default();
    if given(|vertex| vertex.normal) {
        let normal = |vertex: &Vertex| unit(turned_vector(vertex.normal), Vec3::Y, &mut repaired);
        primitive.normals = vertices.iter().map(normal).collect();
    } else if !vertices.is_empty() {
        note.no_normals = true;
    }
    let mut keep_binormals = false;
    if given(|vertex| vertex.tangent) && !primitive.normals.is_empty() {
        let tangent = |(vertex, normal): (&Vertex, &[f32; 3])| {
            let normal = Vec3::from_array(*normal);
            let along = turned_vector(vertex.tangent);
            let [x, y, z] = unit(along, normal.any_orthonormal_vector(), &mut repaired);
            let cross = normal.cross(Vec3::new(x, y, z));
            let binormal = Vec3::from_array(turned_vector(vertex.binormal));
            let sign = if cross.dot(binormal) < 0.0 { -1.0 } else { 1.0 };
            keep_binormals |= (binormal - cross * sign).abs().max_element() > UNIT_TOLERANCE;
            [x, y, z, sign]
        };
        primitive.tangents = vertices.iter().zip(&primitive.normals).map(tangent).collect();
    } else if !vertices.is_empty() {
        note.no_tangents = true;
        keep_binormals = given(|vertex| vertex.binormal);
    }
    note.keep(&mut primitive.extras);
    if keep_binormals {
        keep(primitive, BINORMAL, turned(vertices, |vertex| vertex.binormal));
    }
    repaired
}

fn keep(primitive: &mut Primitive, name: &str, values: Vec<[f32; 3]>) {
    let values = values.into_iter().flatten().collect();
    primitive.custom.insert(name.to_owned(), CustomAttribute { width: 3, values });
}

/// A vector of unit length; as it is when it already has that.
fn unit(v: [f32; 3], otherwise: Vec3, repaired: &mut bool) -> [f32; 3] {
    let vector = Vec3::from_array(v);
    if (vector.length() - 1.0).abs() <= UNIT_TOLERANCE * 0.9 {
        return v;
    }
    *repaired = true;
    unit_vector(vector).unwrap_or(otherwise).to_array()
}

/// Joints and weights, by the rule of the engine's shader: divided by their sum, and none below a thousandth. Bones
/// from `limit` on do not exist; what hangs on them hangs on the joint after the last bone, which never moves.
fn weights(geometry: &Geometry, variant: Variant, primitive: &mut Primitive) {
    let encoding = geometry.bone_encoding().unwrap_or(BoneEncoding::Float);
    let last = variant.bones.unwrap_or(MAX_JOINT);
    let count = geometry.vertices.len();
    let mut joints = Vec::with_capacity(count);
    let mut weights = Vec::with_capacity(count);
    let mut sums = Vec::with_capacity(count);
    for vertex in &geometry.vertices {
        let (joint, weight, sum) = vertex_weights(vertex, encoding, last, variant.joints);
        joints.push(joint);
        weights.push(weight);
        sums.push(sum);
    }
    if sums.iter().all(|sum| *sum == 0.0) {
        return;
    }
    if sums.iter().any(|sum| *sum != 0.0 && (sum - 1.0).abs() > SUM_TOLERANCE) {
        primitive.custom.insert(WEIGHT_SUM.to_owned(), CustomAttribute { width: 1, values: sums });
    }
    primitive.joints = vec![joints];
    primitive.weights = vec![weights];
}

fn vertex_weights(
    vertex: &Vertex,
    encoding: BoneEncoding,
    last: u32,
    kind: Joints,
) -> ([u16; 4], [f32; 4], f32) {
    let mut joints = [0u16; 4];
    let mut weights = [0.0f32; 4];
    let mut used = 0;
    for (word, weight) in vertex.bones.iter().zip(&vertex.weights) {
        let weight = finite(weight.get());
        let Some(bone) = encoding.bone(word.get()).filter(|_| weight > 0.0) else { continue };
        let joint = u16::try_from(kind.of_bone(bone.min(last) as usize)).unwrap_or(u16::MAX);
        // A bone that is named twice counts once.
        let slot = joints.iter().take(used).position(|j| *j == joint).unwrap_or(used);
        if let (Some(j), Some(w)) = (joints.get_mut(slot), weights.get_mut(slot)) {
            *j = joint;
            *w += weight;
            used = used.max(slot + 1);
        }
    }
    let sum: f32 = weights.iter().sum();
    if !(LEAST_WEIGHT..f32::INFINITY).contains(&sum) {
        return ([0; 4], [0.0; 4], 0.0);
    }
    if (sum - 1.0).abs() <= SUM_TOLERANCE {
        return (joints, weights, 1.0);
    }
    (joints, weights.map(|weight| weight / sum), sum)
}
