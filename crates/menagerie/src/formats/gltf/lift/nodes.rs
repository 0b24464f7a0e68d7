//! Nodes, scenes and skins; cycles are cut.

use std::collections::BTreeMap;

use glam::{Mat4, Quat, Vec3, Vec4};
use serde_json::Value;

use super::super::extras::Lifting;
use super::super::json;
use super::super::notes::in_file::{NodeNote, SkinNote};
use super::super::notes::in_scene::NodeKept;
use super::super::repair;
use super::super::{codes, extension};
use super::{Lifter, plain_extras, without};
use crate::diag::Aspect;
use crate::scene::{Id, Lod, Node, NodeId, SceneRoot, Skin, Transform};

/// Extensions of nodes that become part of the Scene.
const UNDERSTOOD: [&str; 4] =
    [extension::LIGHTS, extension::INSTANCING, extension::VISIBILITY, extension::LOD];

impl Lifter<'_> {
    pub(super) fn nodes(&mut self) {
        let document = &self.model.document;
        let children = self.tree();
        let mut lods = self.lods(&children);
        for (index, node) in document.nodes.iter().enumerate() {
            let below = children.get(index).cloned().unwrap_or_default();
            let lods = lods.remove(&index).unwrap_or_default();
            let node = self.node(index, node, below, lods);
            self.scene.nodes.push(node);
        }
        let mut has_parent = vec![false; document.nodes.len()];
        for node in self.scene.nodes.values() {
            let below =
                node.children.iter().map(|c| c.index()).chain(node.lods.iter().map(|l| l.node.index()));
            below.for_each(|child| {
                if let Some(flag) = has_parent.get_mut(child) {
                    *flag = true
                }
            });
        }
        for (i, scene) in document.scenes.iter().enumerate() {
            let mut roots: Vec<NodeId> = Vec::new();
            for (k, &root) in scene.nodes.iter().enumerate() {
                let id = NodeId::new(root as usize);
                match has_parent.get(root as usize) {
                    Some(false) if !roots.contains(&id) => roots.push(id),
                    Some(_) => {
                        let message = format!("node {root} hangs below another node, or is named twice");
                        self.report(&codes::NODE_TREE, format!("/scenes/{i}/nodes/{k}"), message);
                    }
                    // Reported by the check of references.
                    None => {}
                }
            }
            let extras = plain_extras(scene.extras.as_ref(), &scene.extensions);
            self.scene.scenes.push(SceneRoot { name: scene.name.clone(), roots, extras });
        }
    }

    /// The children of every node: each has one parent at most, and nothing is its own ancestor.
    fn tree(&mut self) -> Vec<Vec<NodeId>> {
        let nodes = &self.model.document.nodes;
        let mut parents: Vec<Option<usize>> = vec![None; nodes.len()];
        let mut children: Vec<Vec<NodeId>> = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            let mut kept = Vec::with_capacity(node.children.len());
            for (k, &child) in node.children.iter().enumerate() {
                // Indices out of range are reported by the check of references.
                let Some(parent) = parents.get_mut(child as usize) else { continue };
                if parent.is_none() {
                    *parent = Some(index);
                    kept.push(NodeId::new(child as usize));
                } else {
                    let message = format!("node {child} hangs below two nodes");
                    let path = format!("/nodes/{index}/children/{k}");
                    self.issues.give_up(Aspect::Hierarchy, "links to nodes", path, (1, 1));
                    self.report(&codes::NODE_TREE, format!("/nodes/{index}/children/{k}"), message);
                }
            }
            children.push(kept);
        }
        self.cut_cycles(&parents, &mut children);
        children
    }

    /// With one parent at most, what no root reaches is in a cycle or below one: the link to the first node is cut.
    fn cut_cycles(&mut self, parents: &[Option<usize>], children: &mut [Vec<NodeId>]) {
        let mut reached = vec![false; parents.len()];
        let mut open: Vec<usize> = (0..parents.len()).filter(|&i| parents.get(i) == Some(&None)).collect();
        let mut next = 0;
        let mut passed = vec![false; parents.len()];
        loop {
            while let Some(index) = open.pop() {
                if let Some(flag) = reached.get_mut(index) {
                    *flag = true;
                }
                open.extend(children.get(index).into_iter().flatten().map(|child| child.index()));
            }
            let Some(left) = (next..parents.len()).find(|&i| reached.get(i) == Some(&false)) else { break };
            next = left;
            // Up to a node for the second time: that one is in the cycle. Whatever is passed is reached then, so no
            // node is passed for two cycles.
            let mut inside = left;
            while passed.get_mut(inside).is_some_and(|passed| !std::mem::replace(passed, true)) {
                inside = parents.get(inside).copied().flatten().unwrap_or(inside);
            }
            if let Some(above) = parents.get(inside).copied().flatten()
                && let Some(list) = children.get_mut(above)
            {
                list.retain(|child| child.index() != inside);
                let message = format!("node {inside} is its own ancestor");
                let path = format!("/nodes/{above}/children");
                self.issues.give_up(Aspect::Hierarchy, "links to nodes", path, (1, 1));
                self.report(&codes::NODE_TREE, format!("/nodes/{above}/children"), message);
            }
            open.push(inside);
        }
    }

    /// The stand-ins of nodes, where they hang nowhere else.
    fn lods(&mut self, children: &[Vec<NodeId>]) -> BTreeMap<usize, Vec<NodeId>> {
        let document = &self.model.document;
        let mut lods = BTreeMap::new();
        let with_lods =
            document.nodes.iter().enumerate().filter(|(_, n)| n.extensions.contains_key(extension::LOD));
        let with_lods: Vec<usize> = with_lods.map(|(index, _)| index).collect();
        if with_lods.is_empty() {
            return lods;
        }
        let above_lods = self.above_lods(&with_lods, children);
        let mut taken = vec![false; document.nodes.len()];
        let hanging = children.iter().flatten().map(|child| child.index());
        let roots = document.scenes.iter().flat_map(|scene| &scene.nodes).map(|&root| root as usize);
        hanging.chain(roots).for_each(|i| {
            if let Some(flag) = taken.get_mut(i) {
                *flag = true
            }
        });
        for index in with_lods {
            let value = document.nodes.get(index).and_then(|n| n.extensions.get(extension::LOD));
            let ids = value.and_then(|value| value.get("ids")).and_then(Value::as_array);
            let ids: Option<Vec<usize>> =
                ids.and_then(|ids| ids.iter().map(|id| usize::try_from(id.as_u64()?).ok()).collect());
            let free = |&id: &usize| taken.get(id) == Some(&false) && above_lods.get(id) == Some(&false);
            let distinct = |ids: &Vec<usize>| {
                let mut sorted = ids.clone();
                sorted.sort_unstable();
                sorted.windows(2).all(|pair| pair.first() != pair.last())
            };
            match ids.filter(|ids| ids.iter().all(free) && distinct(ids)) {
                Some(ids) => {
                    for &id in &ids {
                        if let Some(flag) = taken.get_mut(id) {
                            *flag = true;
                        }
                    }
                    lods.insert(index, ids.into_iter().map(NodeId::new).collect());
                }
                None => {
                    let message = "a level does not exist, or hangs in a scene or below another node";
                    self.report(
                        &codes::LOD,
                        format!("/nodes/{index}/extensions/{}", extension::LOD),
                        message,
                    );
                }
            }
        }
        lods
    }

    /// The nodes that have stand-ins, or have such a node below them. As stand-ins these could lead back, so they are
    /// not taken up as such.
    fn above_lods(&self, with_lods: &[usize], children: &[Vec<NodeId>]) -> Vec<bool> {
        let mut parents = vec![None; children.len()];
        for (above, below) in children.iter().enumerate() {
            for child in below {
                if let Some(parent) = parents.get_mut(child.index()) {
                    *parent = Some(above);
                }
            }
        }
        let mut above = vec![false; children.len()];
        for &index in with_lods {
            let mut at = Some(index);
            while let Some(node) = at {
                // From here on up it is known.
                let known = above.get_mut(node).is_none_or(|above| std::mem::replace(above, true));
                at = if known { None } else { parents.get(node).copied().flatten() };
            }
        }
        above
    }

    fn node(&mut self, index: usize, node: &json::Node, children: Vec<NodeId>, lods: Vec<NodeId>) -> Node {
        let document = &self.model.document;
        let understood: &[&str] = if lods.is_empty() {
            UNDERSTOOD.split_last().map_or(&[], |(_, others)| others)
        } else {
            &UNDERSTOOD
        };
        let mut lifting = Lifting::new(node.extras.as_ref(), &node.extensions, understood);
        let note: NodeNote = lifting.take();
        let transform = with_shear(self.transform(index, node), &note);
        let mesh = node.mesh.filter(|&mesh| (mesh as usize) < document.meshes.len());
        let mesh = mesh.map(|mesh| Id::new(mesh as usize));
        let targets = mesh.and_then(|mesh| self.scene.meshes.get(mesh)).map_or(0, |mesh| mesh.target_count());
        let weights = self.morph_weights(&node.weights, targets, &format!("/nodes/{index}"));
        let of_extension = |name: &str| node.extensions.get(name).and_then(Value::as_object);
        let light = of_extension(extension::LIGHTS).and_then(|e| e.get("light")).and_then(Value::as_u64);
        let light =
            light.and_then(|light| usize::try_from(light).ok()).filter(|&l| l < self.scene.lights.len());
        let visible =
            of_extension(extension::VISIBILITY).map(|e| e.get("visible") != Some(&Value::Bool(false)));
        if visible == Some(true) {
            // Says nothing, but is there: the extension's object is written again.
            lifting.keep(&NodeKept { visible: Some(true), ..NodeKept::default() });
        }
        for (name, fields) in
            [(extension::LIGHTS, "light"), (extension::VISIBILITY, "visible"), (extension::LOD, "ids")]
        {
            if let Some(object) = of_extension(name).filter(|_| understood.contains(&name)) {
                lifting.keep_extension(name, without(object, &[fields]));
            }
        }
        let distance = |i: usize| note.lod_distances.as_ref()?.get(i)?.map(|distance| distance.0);
        let lods: Vec<Lod> =
            lods.into_iter().enumerate().map(|(i, node)| Lod { node, distance: distance(i) }).collect();
        let skin = node.skin.map(|skin| skin as usize).or(note.skin);
        self.notes.push(note);
        Node {
            name: node.name.clone(),
            children,
            transform,
            mesh,
            skin: skin.filter(|&skin| skin < document.skins.len()).map(Id::new),
            camera: node
                .camera
                .filter(|&camera| (camera as usize) < document.cameras.len())
                .map(|camera| Id::new(camera as usize)),
            light: light.map(Id::new),
            weights,
            visible: visible.unwrap_or(true),
            lods,
            extras: lifting.finish(),
        }
    }

    fn transform(&mut self, index: usize, node: &json::Node) -> Transform {
        let finite = |values: &[f32]| values.iter().all(|value| value.is_finite());
        if let Some(matrix) = node.matrix {
            let matrix = Mat4::from_cols_array(&matrix);
            if !finite(&matrix.to_cols_array()) || matrix.row(3) != Vec4::W {
                let message = "the matrix is not affine or not finite; the node stays where its parent is";
                self.report(&codes::NODE_TRANSFORM, format!("/nodes/{index}/matrix"), message);
                return Transform::IDENTITY;
            }
            if node.translation.is_none() && node.rotation.is_none() && node.scale.is_none() {
                return Transform::Matrix(matrix);
            }
            let message = "there is a matrix and a translation, rotation or scale; the matrix is used";
            self.report(&codes::NODE_TRANSFORM, format!("/nodes/{index}"), message);
            return Transform::Matrix(matrix);
        }
        let mut wrong = None;
        let mut translation = node.translation.unwrap_or([0.0; 3]);
        let mut scale = node.scale.unwrap_or([1.0; 3]);
        let mut rotation = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
        if repair::finite(&mut translation).count + repair::finite(&mut scale).count > 0 {
            wrong = Some("a number is not finite");
        }
        // What is left of one that was not finite is made unit too.
        if (repair::finite(&mut rotation).count > 0) | repair::unit_rotation(&mut rotation) {
            wrong = Some("the rotation is not of unit length");
        }
        if let Some(message) = wrong {
            self.report(&codes::NODE_TRANSFORM, format!("/nodes/{index}"), message);
        }
        Transform::Trs {
            translation: Vec3::from_array(translation),
            rotation: Quat::from_array(rotation),
            scale: Vec3::from_array(scale),
        }
    }

    pub(super) fn skins(&mut self) {
        let nodes = self.model.document.nodes.len();
        for (index, skin) in self.model.document.skins.iter().enumerate() {
            let at = format!("/skins/{index}");
            let first = skin.joints.iter().copied().find(|&joint| (joint as usize) < nodes);
            // A joint that does not exist keeps its place in the list, so that the numbers of the others stay.
            let joints = skin.joints.iter().filter_map(|&joint| {
                Some(joint)
                    .filter(|&joint| (joint as usize) < nodes)
                    .or(first)
                    .map(|j| NodeId::new(j as usize))
            });
            let joints: Vec<NodeId> = joints.collect();
            let mut lifting = Lifting::new(skin.extras.as_ref(), &skin.extensions, &[]);
            let note: SkinNote = lifting.take();
            let mut inverse_binds = Vec::new();
            let listed =
                skin.inverse_bind_matrices.map(|accessor| (accessor, self.list(accessor, &["MAT4"])));
            if let Some((_, None)) = listed {
                let path = format!("{at}/inverseBindMatrices");
                self.issues.give_up(Aspect::Skins, "bind matrices", path, (joints.len(), joints.len()));
            }
            if let Some((accessor, Some(list))) = listed {
                let mut values = list.flat();
                self.finite(accessor, &mut values, 16);
                let matrices = values.as_chunks::<16>().0.iter().map(Mat4::from_cols_array);
                inverse_binds = matrices.take(joints.len()).collect();
                let missing = joints.len().saturating_sub(list.count);
                let path = format!("{at}/inverseBindMatrices");
                self.issues.give_up(Aspect::Skins, "bind matrices", path, (missing, joints.len()));
                if list.count < joints.len() {
                    let message = format!("{} inverse bind matrices for {} joints", list.count, joints.len());
                    self.report(&codes::SKIN, format!("{at}/inverseBindMatrices"), message);
                    inverse_binds.resize(joints.len(), Mat4::IDENTITY);
                }
            }
            let skeleton = skin.skeleton.map(|node| node as usize).filter(|&node| node < nodes);
            let skeleton = skeleton.or(note.skeleton.filter(|&node| node < nodes));
            self.stands_in.push(note.still_joint.is_some() || note.no_joints.is_some());
            self.scene.skins.push(Skin {
                name: skin.name.clone(),
                joints,
                inverse_binds,
                skeleton: skeleton.map(NodeId::new),
                extras: lifting.finish(),
            });
        }
    }

    /// A mesh whose vertices hang on joints that a skin does not have cannot be shown with that skin.
    pub(super) fn fit_skins(&mut self) {
        let largest = |mesh: &crate::scene::Mesh| {
            let sets = mesh.primitives.iter().flat_map(|primitive| &primitive.joints);
            sets.flat_map(|set| set.as_flattened()).copied().max()
        };
        let needed: Vec<Option<u16>> = self.scene.meshes.values().map(largest).collect();
        let mut wrong = Vec::new();
        for (id, node) in self.scene.nodes.iter() {
            let joints = node.skin.and_then(|skin| self.scene.skins.get(skin)).map(|skin| skin.joints.len());
            let needed = node.mesh.and_then(|mesh| needed.get(mesh.index()).copied().flatten());
            if let (Some(joints), Some(needed)) = (joints, needed)
                && usize::from(needed) >= joints
            {
                wrong.push((id, needed, joints));
            }
        }
        for (id, needed, joints) in wrong {
            let message = format!("a vertex of its mesh hangs on joint {needed}, the skin has {joints}");
            let path = format!("/nodes/{}/skin", id.index());
            self.issues.give_up(Aspect::Skins, "skins of nodes", path.clone(), (1, 1));
            self.report(&codes::JOINT_RANGE, path, message);
            if let Some(node) = self.scene.nodes.get_mut(id) {
                node.skin = None;
            }
        }
    }

    /// Takes back what was only written because glTF demands it: see `lower/nodes.rs`.
    pub(super) fn fold_back(&mut self) {
        super::fold::fold_back(&mut self.scene, std::mem::take(&mut self.notes), &self.stands_in);
    }
}

/// A transform with the shear that glTF cannot have, unless somebody moved the node since.
fn with_shear(transform: Transform, note: &NodeNote) -> Transform {
    let exact = note.matrix.map(|matrix| Transform::Matrix(Mat4::from_cols_array(&matrix.map(|x| x.0))));
    let fits = |exact: &Transform| {
        let (translation, rotation, scale, _) = exact.to_trs();
        transform == (Transform::Trs { translation, rotation, scale })
    };
    exact.filter(fits).unwrap_or(transform)
}
