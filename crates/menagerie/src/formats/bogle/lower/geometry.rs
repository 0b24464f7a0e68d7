//! Meshes to geometries, with the bones that vertices hang on.

use std::collections::BTreeMap;

use glam::{DMat3, DMat4, DVec3, Vec3};

use super::Lowering;
use super::skeleton::Rig;
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind};
use crate::formats::bogle::geometry::{BoneEncoding, Geometry, Vertex};
use crate::formats::bogle::lift::{BINORMAL, WEIGHT_SUM};
use crate::formats::bogle::notes::{MeshNote, Note as _, PrimitiveNote, write_name};
use crate::formats::placed_uvs;
use crate::ops::{bake_morphs, heaviest_joints, smooth_normals, tangents};
use crate::scene::{Mesh, MeshId, NodeId, Primitive, Topology, Turn};

/// Bones that a vertex can hang on.
const BONES: usize = 3;
/// A weight that is too small to be worth a word.
const SMALL_WEIGHT: f64 = 1e-4;

/// Which geometry: a part of a mesh, on which skin, in which shape.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Plain {
    mesh: usize,
    part: usize,
    skin: Option<usize>,
    /// The bits of the morph weights.
    shape: Vec<u32>,
}

/// The vertices of a part, in the Scene's axes.
struct Corners {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    tangents: Vec<[f32; 4]>,
    binormals: Vec<[f32; 3]>,
}

impl Lowering<'_> {
    /// The geometry of a part of a node's mesh, as its place in the pool.
    pub(super) fn geometry(&mut self, id: NodeId, part: usize, rig: Option<usize>) -> Option<usize> {
        let node = self.scene.nodes.get(id)?;
        let mesh = node.mesh?;
        let moved = rig.and_then(|rig| self.rigs.get(rig)).is_some_and(|rig| rig.moved.is_some());
        let own = self.scene.meshes.get(mesh).map(|mesh| mesh.weights.as_slice()).unwrap_or_default();
        let weights = if node.weights.is_empty() { own } else { node.weights.as_slice() };
        if !moved {
            let skin = node.skin.map(|skin| skin.index());
            return self.plain_geometry(mesh, part, rig.zip(skin), weights);
        }
        let geometry = self.build(mesh, part, rig, weights)?;
        Some(self.geometries.add(Some(mesh.index()), None, geometry))
    }

    /// A geometry that is where the mesh is. With a skeleton, the skin says which.
    pub(super) fn plain_geometry(
        &mut self,
        mesh: MeshId,
        part: usize,
        rig: Option<(usize, usize)>,
        weights: &[f32],
    ) -> Option<usize> {
        let shape = weights.iter().map(|weight| weight.to_bits()).collect();
        let key = Plain { mesh: mesh.index(), part, skin: rig.map(|(_, skin)| skin), shape };
        if let Some(known) = self.plain.get(&key) {
            return Some(*known);
        }
        let geometry = self.build(mesh, part, rig.map(|(rig, _)| rig), weights)?;
        let group = self.scene.meshes.get(mesh).and_then(|mesh| MeshNote::of(&mesh.extras).geometry);
        let index = self.geometries.add(Some(mesh.index()), group, geometry);
        self.plain.insert(key, index);
        Some(index)
    }

    fn build(&mut self, id: MeshId, part: usize, rig: Option<usize>, weights: &[f32]) -> Option<Geometry> {
        let mesh = self.scene.meshes.get(id)?;
        let primitive = mesh.primitives.get(part).filter(|p| p.topology == Topology::Triangles)?;
        let morphed;
        let primitive = if primitive.targets.is_empty() || weights.iter().all(|weight| *weight == 0.0) {
            primitive
        } else {
            let mut baked = primitive.clone();
            bake_morphs(&mut baked, weights);
            morphed = baked;
            &morphed
        };
        let path = format!("meshes[{}].primitives[{part}]", id.index());
        let mut corners = self.corners(&path, primitive);
        if let Some(moved) = rig.and_then(|rig| self.rigs.get(rig)?.moved.clone()) {
            self.move_to_rest(&path, primitive, &moved, &mut corners);
        }
        if primitive.uvs.is_empty() && !primitive.positions.is_empty() {
            self.losses.added(Aspect::Uvs, path.clone(), "texture coordinates of zero were added");
        }
        let bones = self.bones(&path, primitive, rig, self.encoding(mesh));
        let placed = placed_uvs(self.scene, primitive);
        if placed.moved {
            let message = "the coordinates are those of the texture that is seen, placed as it is";
            self.losses.approximated(Aspect::Uvs, path.clone(), message);
        }
        let uvs = placed.uvs;
        let vertices = (0..primitive.positions.len())
            .zip(bones)
            .map(|(i, (bones, weights))| {
                let turned = |list: &[[f32; 3]]| {
                    Turn::YUpToZUp.vector(list.get(i).copied().unwrap_or_default()).map(Into::into)
                };
                let [x, y, z, _] = corners.tangents.get(i).copied().unwrap_or_default();
                let uv = uvs.get(i).map_or([0.0, 0.0], |[u, v]| [*u, 1.0 - v]);
                Vertex {
                    position: turned(&corners.positions),
                    uv: uv.map(Into::into),
                    normal: turned(&corners.normals),
                    tangent: Turn::YUpToZUp.vector([x, y, z]).map(Into::into),
                    binormal: turned(&corners.binormals),
                    bones: bones.map(Into::into),
                    weights: weights.map(Into::into),
                }
            })
            .collect();
        Some(Geometry {
            kind: 0,
            name: write_name(&mesh.name, MeshNote::of(&mesh.extras).name_bytes),
            vertices,
            indices: primitive.indices.iter().map(|index| (*index).into()).collect(),
        })
    }

    fn encoding(&self, mesh: &Mesh) -> BoneEncoding {
        let kept = MeshNote::of(&mesh.extras).bone_index;
        self.bone_index.or(kept.as_deref().and_then(BoneEncoding::by_name)).unwrap_or(BoneEncoding::Float)
    }

    /// Positions, normals, tangents and binormals; what is missing is made.
    fn corners(&mut self, path: &str, primitive: &Primitive) -> Corners {
        let count = primitive.positions.len();
        let note = PrimitiveNote::of(&primitive.extras);
        let make_normals = primitive.normals.is_empty() && count > 0;
        let without_normals = make_normals && note.no_normals;
        if make_normals && !without_normals {
            self.losses.added(Aspect::Normals, path, "normals were made from the triangles");
        }
        let normals = if make_normals { smooth_normals(primitive) } else { primitive.normals.clone() };
        let make_tangents = primitive.tangents.is_empty() && count > 0;
        let without_tangents = make_tangents && note.no_tangents;
        if make_tangents && !without_tangents {
            let message = "tangents and binormals were made from the texture coordinates";
            self.losses.added(Aspect::Tangents, path, message);
        }
        let tangents = match (make_tangents, without_tangents) {
            (_, true) => vec![[0.0; 4]; count],
            (true, _) => tangents(primitive, &normals, 0),
            (false, _) => primitive.tangents.clone(),
        };
        let kept = primitive.custom.get(BINORMAL).filter(|custom| custom.width == 3);
        let binormals = match kept {
            Some(custom) => custom.values.as_chunks().0.to_vec(),
            None => binormals(&normals, &tangents),
        };
        let normals = if without_normals { vec![[0.0; 3]; count] } else { normals };
        Corners { positions: primitive.positions.clone(), normals, tangents, binormals }
    }

    /// Moves vertices to where the rest pose of the skeleton has them: in BOGLE that is where they are bound.
    fn move_to_rest(&mut self, path: &str, primitive: &Primitive, moved: &[DMat4], corners: &mut Corners) {
        let mut distance = ErrorStats::default();
        let mut spread = ErrorStats::default();
        for vertex in 0..primitive.positions.len() {
            let weights = weights_of(primitive, vertex);
            let matrix = |joint: u16| moved.get(usize::from(joint)).copied().unwrap_or(DMat4::IDENTITY);
            let mut blended = DMat4::ZERO;
            for (joint, weight) in &weights {
                blended += matrix(*joint) * *weight;
            }
            if weights.is_empty() {
                continue;
            }
            let Some(position) = corners.positions.get_mut(vertex) else { continue };
            let from = DVec3::from_array(position.map(f64::from));
            let to = blended.transform_point3(from);
            let apart = weights.keys().map(|joint| matrix(*joint).transform_point3(from).distance(to));
            spread.add(apart.fold(0.0, f64::max));
            distance.add(from.distance(to));
            *position = to.as_vec3().to_array();
            let linear = DMat3::from_mat4(blended);
            let turn = linear.inverse().transpose();
            turn_by(turn, corners.normals.get_mut(vertex));
            turn_by(linear, corners.binormals.get_mut(vertex));
            if let Some([x, y, z, _]) = corners.tangents.get_mut(vertex) {
                let mut tangent = [*x, *y, *z];
                turn_by(linear, Some(&mut tangent));
                [*x, *y, *z] = tangent;
            }
        }
        // Where nothing moves they are where they were, so nothing is lost.
        let message = "BOGLE binds vertices in the rest pose: they were moved from the bind pose to it";
        if distance.is_off() {
            let moved = Loss::new(Aspect::Positions, LossKind::Added, path, message);
            self.losses.push(moved.measured(distance, "scene units"));
            for aspect in [Aspect::Normals, Aspect::Tangents, Aspect::Skins] {
                self.losses.added(aspect, path, message);
            }
        }
        if spread.max > 1e-5 * distance.max.max(1e-3) {
            let message = "vertices between joints that are bound differently move only nearly as before";
            self.losses.measured(Aspect::Skins, path, message, spread, "scene units");
        }
    }

    /// The three heaviest bones of each vertex, and their weights.
    fn bones(
        &mut self,
        path: &str,
        primitive: &Primitive,
        rig: Option<usize>,
        encoding: BoneEncoding,
    ) -> Vec<([u32; BONES], [f32; BONES])> {
        let rig: Option<&Rig> = rig.and_then(|rig| self.rigs.get(rig));
        let bone = |joint: u16| match rig {
            Some(rig) => {
                rig.bone_of_joint.get(usize::from(joint)).copied().unwrap_or(rig.collection.bones.len())
            }
            None => usize::from(joint),
        };
        let sums = primitive.custom.get(WEIGHT_SUM).filter(|custom| custom.width == 1);
        let mut lost = ErrorStats::default();
        let mut lists = Vec::with_capacity(primitive.positions.len());
        for vertex in 0..primitive.positions.len() {
            let (heaviest, rest) = heaviest_joints(primitive, vertex, BONES);
            lost.add(if rest > SMALL_WEIGHT { rest } else { 0.0 });
            let kept: f32 = heaviest.iter().map(|(_, weight)| weight).sum();
            let sum = sums.and_then(|sums| sums.values.get(vertex)).copied().unwrap_or(1.0);
            // As they are where nothing was lost, so that the bits are kept.
            let factor = if rest > 0.0 && kept > 0.0 { sum / kept } else { sum };
            let mut bones = [0; BONES];
            let mut weights = [0.0; BONES];
            let slots = bones.iter_mut().zip(&mut weights);
            for ((slot, weight), (joint, value)) in slots.zip(heaviest) {
                *slot = encoding.encode(super::number(bone(joint)));
                *weight = value * factor;
            }
            lists.push((bones, weights));
        }
        if lost.is_off() {
            let message = "a vertex hangs on three bones in BOGLE: the heaviest were kept; the error is the weight lost";
            self.losses.push(
                Loss::new(Aspect::Skins, LossKind::Approximated, path, message).measured(lost, "weight"),
            );
        }
        lists
    }
}

fn turn_by(matrix: DMat3, vector: Option<&mut [f32; 3]>) {
    if let Some(vector) = vector {
        let turned = matrix * DVec3::from_array(vector.map(f64::from));
        *vector = turned.try_normalize().map_or(*vector, |turned| turned.as_vec3().to_array());
    }
}

fn binormals(normals: &[[f32; 3]], tangents: &[[f32; 4]]) -> Vec<[f32; 3]> {
    let binormal = |(normal, [x, y, z, sign]): (&[f32; 3], &[f32; 4])| {
        (Vec3::from_array(*normal).cross(Vec3::new(*x, *y, *z)) * *sign).to_array()
    };
    normals.iter().zip(tangents).map(binormal).collect()
}

/// All weights of a vertex by joint.
fn weights_of(primitive: &Primitive, vertex: usize) -> BTreeMap<u16, f64> {
    let mut weights = BTreeMap::new();
    for (joints, values) in primitive.joints.iter().zip(&primitive.weights) {
        let (Some(joints), Some(values)) = (joints.get(vertex), values.get(vertex)) else { continue };
        for (joint, weight) in joints.iter().zip(values).filter(|(_, weight)| **weight > 0.0) {
            *weights.entry(*joint).or_default() += f64::from(*weight);
        }
    }
    weights
}
