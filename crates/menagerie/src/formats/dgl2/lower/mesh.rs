//! Meshes to trimeshes of loose triangles.

use std::collections::{BTreeMap, BTreeSet};

use glam::{Mat3, Vec3};

use super::super::lift::NORMAL_LENGTH;
use super::super::model::Triangle;
use super::super::notes::{MeshNote, Name, Note as _, PrimitiveNote};
use super::{Chunk, ChunkData, Lowering, MeshId, NodeId, Purpose, VDirection, ids, kind};
use crate::diag::Aspect;
use crate::formats::placed_uvs;
use crate::ops::{bake_morphs, restore_lengths, smooth_normals};
use crate::scene::{Mesh, Node, Primitive, Topology, unit_vector};

impl Lowering<'_> {
    /// The meshes that nodes share, those that the source had without a node, and one for each node whose joints or
    /// weights give it a shape of its own.
    pub(super) fn meshes(&mut self, nodes: &[NodeId]) {
        let mut shared: BTreeSet<MeshId> = self.meshes_of_dgl2();
        let mut own: Vec<(NodeId, &Node, MeshId)> = Vec::new();
        let scene = self.scene;
        for id in nodes {
            let Some((node, mesh)) = scene.nodes.get(*id).and_then(|node| Some((node, node.mesh?))) else {
                continue;
            };
            if self.has_own_shape(node) {
                own.push((*id, node, mesh));
            } else {
                shared.insert(mesh);
            }
        }
        let mesh_ids = self.mesh_ids(&shared, own.len());
        let mut written: BTreeMap<MeshId, i32> = BTreeMap::new();
        for (mesh, id) in shared.iter().zip(&mesh_ids) {
            written.insert(*mesh, *id);
            if let Some(mesh) = scene.meshes.get(*mesh).filter(|mesh| !self.is_variant(mesh)) {
                self.trimesh(*id, mesh, None);
            }
        }
        for ((node_id, _, mesh), id) in own.iter().zip(mesh_ids.iter().skip(shared.len())) {
            self.mesh_of.insert(*node_id, *id);
            if let Some(mesh) = scene.meshes.get(*mesh) {
                self.trimesh(*id, mesh, Some(*node_id));
            }
        }
        for id in nodes {
            let mesh = scene.nodes.get(*id).and_then(|node| node.mesh).and_then(|mesh| written.get(&mesh));
            if let Some(mesh) = mesh {
                self.mesh_of.entry(*id).or_insert(*mesh);
            }
        }
    }

    /// The meshes that came from a DGL2 file, whether a node shows them or not.
    fn meshes_of_dgl2(&self) -> BTreeSet<MeshId> {
        let came = |(_, mesh): &(MeshId, &Mesh)| MeshNote::of(&mesh.extras).id.is_some();
        self.scene.meshes.iter().filter(came).map(|(id, _)| id).collect()
    }

    fn has_own_shape(&self, node: &Node) -> bool {
        let mesh = node.mesh.and_then(|mesh| self.scene.meshes.get(mesh));
        let skinned = node.skin.is_some()
            && mesh.is_some_and(|mesh| mesh.primitives.iter().any(|primitive| !primitive.joints.is_empty()));
        skinned || !node.weights.is_empty()
    }

    /// Ids for the shared meshes and `more` others. A variant of a mesh with another material has that mesh's id.
    fn mesh_ids(&self, shared: &BTreeSet<MeshId>, more: usize) -> Vec<i32> {
        let shown: BTreeSet<MeshId> = self.scene.nodes.values().filter_map(|node| node.mesh).collect();
        let meshes = || shared.iter().filter_map(|id| Some((*id, self.scene.meshes.get(*id)?)));
        let whole = meshes().filter(|(_, mesh)| !self.is_variant(mesh));
        let mut whole_ids =
            ids(whole.map(|(id, mesh)| (MeshNote::of(&mesh.extras).id, shown.contains(&id)))).into_iter();
        let mut list: Vec<i32> = meshes()
            .map(|(_, mesh)| match self.is_variant(mesh) {
                true => MeshNote::of(&mesh.extras).id.unwrap_or(-1),
                false => whole_ids.next().unwrap_or(-1),
            })
            .collect();
        let next = list.iter().max().map_or(0, |id| id.saturating_add(1)).max(0);
        list.extend((0..more).map(|i| next.saturating_add(i32::try_from(i).unwrap_or(i32::MAX))));
        list
    }

    /// Writes a mesh, in the shape that a node gives it.
    fn trimesh(&mut self, id: i32, mesh: &Mesh, node: Option<NodeId>) {
        let mut triangles = Vec::new();
        for (i, primitive) in mesh.primitives.iter().enumerate() {
            let path = format!("mesh {:?}.primitives[{i}]", mesh.name);
            if primitive.topology != Topology::Triangles {
                if !primitive.indices.is_empty() {
                    self.losses.dropped(Aspect::Topology, path, "lines and points have no place in DGL2");
                }
                continue;
            }
            let primitive = self.shape(mesh, primitive, node);
            self.triangles(&path, &primitive, &mut triangles);
        }
        self.report_joined(mesh);
        let note = MeshNote::of(&mesh.extras);
        let name = self.name(Name { bytes: note.name_bytes, number: note.numbered }, &mesh.name);
        let data = ChunkData::Trimesh(triangles.into(), Vec::new());
        self.meshes.push(Chunk { kind: kind::TRIMESH, id, name, data });
    }

    /// Parts with the same material become one: those with fewer sets of texture coordinates get what they lack.
    fn report_joined(&mut self, mesh: &Mesh) {
        let mut most: BTreeMap<i32, usize> = BTreeMap::new();
        let drawn = || mesh.primitives.iter().filter(|primitive| primitive.topology == Topology::Triangles);
        for primitive in drawn() {
            let sets = most.entry(self.primitive_material(primitive)).or_default();
            *sets = primitive.uvs.len().max(*sets);
        }
        let lacking = |primitive: &&Primitive| {
            most.get(&self.primitive_material(primitive)).is_some_and(|most| primitive.uvs.len() < *most)
        };
        if drawn().filter(lacking).count() > 0 {
            let message =
                "parts with one material were joined; texture coordinates were made up where they lacked";
            self.losses.added(Aspect::Uvs, format!("mesh {:?}", mesh.name), message);
        }
    }

    /// A primitive with morphs and joints at rest put into its vertices, in the node's own space.
    fn shape(&self, mesh: &Mesh, primitive: &Primitive, node: Option<NodeId>) -> Primitive {
        let mut shaped = primitive.clone();
        let Some(id) = node else {
            if !shaped.targets.is_empty() {
                bake_morphs(&mut shaped, &mesh.weights);
            }
            return shaped;
        };
        let world = self.rest.worlds.get(id.index()).copied().unwrap_or_default();
        let back = Some(world.inverse()).filter(|matrix| matrix.is_finite()).unwrap_or_default();
        let positions = self.rest.positions(self.scene, id, primitive);
        let weights = self.rest.weights.get(id.index()).cloned().unwrap_or_default();
        bake_morphs(&mut shaped, &weights);
        shaped.positions = positions.into_iter().map(|p| back.transform_point3(p).to_array()).collect();
        if !shaped.normals.is_empty() && !shaped.joints.is_empty() {
            // Normals go the way of their planes: the transpose of a matrix undoes what its inverse's does.
            let across = Mat3::from_mat4(world).transpose();
            let normals = self.rest.normals(self.scene, id, primitive);
            let turned = |normal: Vec3| unit_vector(across * normal).unwrap_or(normal).to_array();
            shaped.normals = normals.into_iter().map(turned).collect();
        }
        shaped
    }

    fn triangles(&mut self, path: &str, primitive: &Primitive, list: &mut Vec<Triangle>) {
        let mut normals = primitive.normals.clone();
        if normals.is_empty() && !primitive.positions.is_empty() {
            self.losses.added(Aspect::Normals, path, "normals were made from the triangles");
            normals = smooth_normals(primitive);
        }
        restore_lengths(&mut normals, primitive, NORMAL_LENGTH);
        let zeros = vec![[0.0; 2]; primitive.positions.len()];
        let placed = placed_uvs(self.scene, primitive);
        if placed.moved {
            let message = "the first coordinates are those of the texture that is seen, placed as it is";
            self.losses.approximated(Aspect::Uvs, path, message);
        }
        let uv1: &[[f32; 2]] = if placed.uvs.is_empty() { &zeros } else { &placed.uvs };
        let other = usize::from(placed.set == 0);
        let uv2 = primitive.uvs.get(other).map_or(uv1, Vec::as_slice);
        let drawn_same = primitive.indices.iter().all(|i| uv1.get(*i as usize) == uv2.get(*i as usize));
        let drawn_zero = primitive.indices.iter().all(|i| uv1.get(*i as usize) == Some(&[0.0; 2]));
        let drawn = !primitive.triangles().is_empty();
        let drawn_same = drawn && drawn_same;
        let drawn_zero = drawn && drawn_zero;
        if (primitive.uvs.len() > 1 && drawn_same) || (primitive.uvs.len() == 1 && drawn_zero) {
            let message = "texture coordinates that are zero or a copy of the first set mean none";
            self.losses.dropped(Aspect::Uvs, path, message);
        }
        let material = self.primitive_material(primitive);
        let up = |uv: &[f32; 2]| match self.v {
            VDirection::Top => *uv,
            VDirection::Bottom => [uv[0], 1.0 - uv[1]],
        };
        let corner3 =
            |stream: &[[f32; 3]], i: u32| stream.get(i as usize).copied().unwrap_or_default().map(Into::into);
        let corner2 = |set: &[[f32; 2]], i: u32| up(set.get(i as usize).unwrap_or(&[0.0; 2])).map(Into::into);
        list.extend(primitive.triangles().iter().map(|&triangle| Triangle {
            material: material.into(),
            positions: triangle.map(|i| corner3(&primitive.positions, i)),
            normals: triangle.map(|i| corner3(&normals, i)),
            uv1: triangle.map(|i| corner2(uv1, i)),
            uv2: triangle.map(|i| corner2(uv2, i)),
        }));
    }

    /// Whether a mesh is only another with the material of its entity: then that other is written. The engine does not
    /// use the material of entities (engines.md DGL2 E10), so for it the triangles name it.
    fn is_variant(&self, mesh: &Mesh) -> bool {
        self.purpose != Purpose::Engine && MeshNote::of(&mesh.extras).with_material.is_some()
    }

    /// The material's id. One that the source referred to in vain is referred to again.
    fn primitive_material(&self, primitive: &Primitive) -> i32 {
        if primitive.material.is_some() {
            return self.material_id(primitive.material);
        }
        let kept = PrimitiveNote::of(&primitive.extras).material_id;
        kept.filter(|id| !self.material_ids.contains(id)).unwrap_or(-1)
    }
}
