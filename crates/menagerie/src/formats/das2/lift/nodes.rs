//! Nodes and scenes; transforms of two parts become one.

use std::collections::BTreeSet;

use glam::{Mat4, Vec3};
use serde_json::Value;

use super::{Lifter, name};
use crate::diag::Issue;
use crate::formats::ELEMENT;
use crate::formats::das2::codes;
use crate::formats::das2::model::{IDENTITY, NONE, Node as FileNode, Placement};
use crate::formats::das2::notes::{Float, NodeNote, Note as _, floats};
use crate::formats::das2::placement::{affine, is_changed, matrix_of};
use crate::scene::{Extras, Lod, Node, NodeId, SceneRoot, Transform, float_from_json};

impl Lifter<'_> {
    /// A node for each node of the file, in its order, and their tree.
    pub(super) fn nodes(&mut self) {
        self.drop_unsound_notes();
        let mut outer = Vec::new();
        for (index, file) in self.lists.nodes.clone().into_iter().enumerate() {
            let id = NodeId::new(self.scene.nodes.len());
            self.node_ids.push(id);
            self.top_ids.push(id);
            if self.is_of_another(index) {
                // Its mesh belongs to another node; the id is set when that is known.
                continue;
            }
            let (node, custom) = self.node(index, file);
            let place = self.place("nodes", index);
            self.origins.node(id.index(), || place);
            self.scene.nodes.push(node);
            if let Some(custom) = custom {
                outer.push((index, custom));
            }
        }
        for (moved, owner) in self.note.moved.clone().into_iter().chain(self.note.stretched.clone()) {
            let owner = self.node_ids.get(owner).copied();
            for ids in [&mut self.node_ids, &mut self.top_ids] {
                if let (Some(place), Some(owner)) = (ids.get_mut(moved), owner) {
                    *place = owner;
                }
            }
        }
        for (index, custom) in outer {
            self.outer(index, custom);
        }
        self.hang();
        self.show();
    }

    /// Whether a node of the file is a part of another one: it only holds its mesh, or stretches what it shows.
    fn is_of_another(&self, index: usize) -> bool {
        self.note.moved.contains_key(&index) || self.note.stretched.contains_key(&index)
    }

    /// What a node's name, transform and extras are, and its custom matrix where that needs a node of its own.
    fn node(&self, index: usize, file: &FileNode) -> (Node, Option<Mat4>) {
        let mut node = Node::default();
        node.name = name(&file.name, &mut node.extras);
        let plain = file.custom == IDENTITY;
        let custom = affine(matrix_of(&file.custom));
        let splits = !plain && self.animated.contains(&index);
        node.transform = match (plain || splits, file.placement.is_identity()) {
            (true, _) => {
                keep_rotation(&mut node.extras, &file.placement);
                file.placement.transform()
            }
            (false, true) => {
                keep_rotation(&mut node.extras, &file.placement);
                Transform::Matrix(custom)
            }
            (false, false) => {
                let Placement { rotation, translation, scale } = file.placement;
                NodeNote::change(&mut node.extras, |note| {
                    note.custom = Some(floats(&file.custom));
                    note.rotation = Some(floats(&rotation));
                    note.translation = Some(floats(&translation));
                    note.scale = Some(Float(scale));
                });
                Transform::Matrix(affine(custom * file.placement.transform().matrix()))
            }
        };
        match self.stretch_below(index) {
            Some(scale) => stretch(&mut node.transform, scale),
            None => self.exact_scale(index, &mut node.transform),
        }
        self.note.restore_extras(&format!("nodes.{index}"), &mut node.extras);
        (node, splits.then_some(custom))
    }

    /// How a node below stretches what this one shows.
    fn stretch_below(&self, index: usize) -> Option<Vec3> {
        let [below] = self.nodes.children.get(index)?.as_slice() else { return None };
        self.note.stretched.get(below).filter(|owner| **owner == index)?;
        self.lists.nodes.get(*below).and_then(|node| factors(&node.custom))
    }

    /// The scale factors that a note has, if the file still says their mean.
    fn exact_scale(&self, index: usize, transform: &mut Transform) {
        let Some(list) = self.note.scales.get(&index).and_then(Value::as_array) else { return };
        let factors: Option<Vec<f32>> = list.iter().map(float_from_json).collect();
        let Some(Ok(factors)) = factors.map(<[f32; 3]>::try_from) else { return };
        if let Transform::Trs { translation, rotation, scale } = *transform {
            let exact = Transform::Trs { translation, rotation, scale: factors.into() };
            let said = Placement { scale: scale.x, ..Placement::nearest(transform) };
            if Placement::nearest(&exact).is_near(&said) && factors.iter().all(|x| x.is_finite()) {
                *transform = exact;
            }
        }
    }

    /// A node above another that has only its custom matrix.
    fn outer(&mut self, index: usize, custom: Mat4) {
        let Some(inner) = self.node_ids.get(index).copied() else { return };
        let mut node =
            Node { transform: Transform::Matrix(custom), children: vec![inner], ..Node::default() };
        NodeNote { custom_of_child: Some(true), ..NodeNote::default() }.keep(&mut node.extras);
        let outer = self.scene.nodes.push(node);
        if let Some(place) = self.top_ids.get_mut(index) {
            *place = outer;
        }
    }

    fn hang(&mut self) {
        for index in 0..self.lists.nodes.len() {
            let children: Vec<NodeId> = self
                .nodes
                .children
                .get(index)
                .into_iter()
                .flatten()
                .filter(|child| !self.is_of_another(**child))
                .filter_map(|child| self.top_ids.get(*child).copied())
                .collect();
            let id = self.node_ids.get(index).copied();
            if let Some(node) = id.and_then(|id| self.scene.nodes.get_mut(id)) {
                node.children.extend(children);
            }
        }
    }

    /// The meshes that nodes show.
    fn show(&mut self) {
        for (index, file) in self.lists.nodes.clone().into_iter().enumerate() {
            let mesh = self.groups.get(file.mesh_group as usize).map(|group| group.mesh);
            let mesh = mesh.filter(|_| (file.mesh_group as usize) < self.lists.mesh_groups.len());
            let targets = mesh.and_then(|mesh| self.scene.meshes.get(mesh)).map_or(0, |m| m.target_count());
            let id = self.node_ids.get(index).copied();
            let Some(node) = id.and_then(|id| self.scene.nodes.get_mut(id)) else { continue };
            node.mesh = mesh.or(node.mesh);
            let weights = self.note.node_weights.get(&index).and_then(Value::as_array);
            let weights: Option<Vec<f32>> =
                weights.and_then(|list| list.iter().map(float_from_json).collect());
            if let Some(weights) = weights.filter(|weights| weights.len() == targets && targets > 0) {
                node.weights = weights;
            }
        }
    }

    /// Forgets which nodes stretch others if one of them does anything else: another tool changed the file.
    fn drop_unsound_stretches(&mut self) {
        let node = |index: usize| self.lists.nodes.get(index);
        let stretched = |(below, owner): (&usize, &usize)| {
            let (Some(file), Some(of)) = (node(*below), node(*owner)) else { return false };
            let shows = |node: &FileNode| node.mesh_group != NONE || node.skeleton != NONE;
            let plain = of.custom == IDENTITY && of.placement.scale == 1.0 && !shows(of);
            plain
                && self.nodes.children.get(*owner).is_some_and(|children| children == &[*below])
                && file.placement.is_identity()
                && factors(&file.custom).is_some()
                && !self.is_of_another(*owner)
                && !self.note.moved.contains_key(below)
        };
        if !self.note.stretched.iter().all(stretched) {
            self.note.stretched.clear();
        }
    }

    /// Forgets what a note says about nodes that are not what the note says they are: another tool changed the file.
    fn drop_unsound_notes(&mut self) {
        self.drop_unsound_stretches();
        let node = |index: usize| self.lists.nodes.get(index);
        let twin = |(joint, twin): (&usize, &usize)| {
            let (Some(joint), Some(node)) = (self.lists.joints.get(*joint), node(*twin)) else {
                return false;
            };
            let transform = self.node(*twin, node).0.transform;
            joint.name.bytes == node.name.bytes && Placement::nearest(&transform).is_near(&joint.placement)
        };
        let moved = |(moved, owner): (&usize, &usize)| {
            let (Some(file), Some(_)) = (node(*moved), node(*owner)) else { return false };
            let still = matrix_of(&file.custom) == Mat4::IDENTITY && file.placement.is_identity();
            still
                && file.children.is_empty()
                && self.nodes.parent(*moved).is_none()
                && !self.note.moved.contains_key(owner)
        };
        // A tree of joints is either made of nodes or not.
        let trees: BTreeSet<usize> = self.note.twins.keys().map(|joint| self.joints.root(*joint)).collect();
        let whole =
            |root: &usize| self.joints.walk(*root).iter().all(|joint| self.note.twins.contains_key(joint));
        let sound =
            self.note.twins.iter().all(twin) && self.note.moved.iter().all(moved) && trees.iter().all(whole);
        if !sound {
            self.note.twins.clear();
            self.note.moved.clear();
        }
    }

    /// Stand-ins for the nodes that show a mesh with levels of detail.
    pub(super) fn levels(&mut self) {
        let mut shown = vec![false; self.groups.len()];
        for (index, file) in self.lists.nodes.clone().into_iter().enumerate() {
            let group = file.mesh_group as usize;
            if group >= self.lists.mesh_groups.len() {
                continue;
            }
            if let Some(shown) = shown.get_mut(group) {
                *shown = true;
            }
            if let Some(id) = self.node_ids.get(index).copied() {
                let distances = self.note.distances.get(&index).and_then(Value::as_array).cloned();
                self.stand_ins(id, group, &distances.unwrap_or_default());
            }
        }
        // Levels of a mesh that nothing shows need a node all the same.
        for group in (0..shown.len()).filter(|group| shown.get(*group) == Some(&false)) {
            if let Some(found) = self.groups.get(group).filter(|found| !found.levels.is_empty()) {
                let mut node = Node { mesh: Some(found.mesh), ..Node::default() };
                NodeNote { holds_levels: Some(true), ..NodeNote::default() }.keep(&mut node.extras);
                let id = self.scene.nodes.push(node);
                self.stand_ins(id, group, &[]);
            }
        }
    }

    fn stand_ins(&mut self, id: NodeId, group: usize, distances: &[Value]) {
        let levels = self.groups.get(group).map(|group| group.levels.clone()).unwrap_or_default();
        let Some(node) = self.scene.nodes.get(id).cloned() else { return };
        if !self.has_room(levels.len() * ELEMENT as usize, || format!("mesh_groups[{group}]")) {
            return;
        }
        for (i, mesh) in levels.into_iter().enumerate() {
            let stand_in =
                Node { transform: node.transform, mesh: Some(mesh), skin: node.skin, ..Node::default() };
            let distance = distances.get(i).and_then(float_from_json).filter(|x| x.is_finite());
            let lod = Lod { node: self.scene.nodes.push(stand_in), distance };
            if let Some(node) = self.scene.nodes.get_mut(id) {
                node.lods.push(lod);
            }
        }
    }

    pub(super) fn scenes(&mut self) {
        for (index, file) in self.lists.scenes.clone().into_iter().enumerate() {
            let mut scene = SceneRoot::default();
            scene.name = name(&file.name, &mut scene.extras);
            for (i, root) in file.roots.iter().enumerate() {
                let root = *root as usize;
                let Some(id) = self.top_ids.get(root).copied().filter(|_| !self.is_of_another(root)) else {
                    continue;
                };
                if self.nodes.parent(root).is_some() || scene.roots.contains(&id) {
                    let message = format!("node {root} hangs below another one, or is a root already");
                    self.issues.push(Issue::new(
                        &codes::ROOT,
                        format!("scenes[{index}].roots[{i}]"),
                        message,
                    ));
                } else {
                    scene.roots.push(id);
                }
            }
            self.note.restore_extras(&format!("scenes.{index}"), &mut scene.extras);
            self.scene.scenes.push(scene);
        }
        let default = self.model.header.default_scene as usize;
        self.scene.default_scene = (default < self.scene.scenes.len()).then_some(default);
    }
}

/// Keeps a rotation that is stored with another length, or with none.
pub(super) fn keep_rotation(extras: &mut Extras, placement: &Placement) {
    if is_changed(placement.rotation) {
        NodeNote::change(extras, |note| note.rotation = Some(floats(&placement.rotation)));
    }
}

/// The factors of a custom matrix that only scales.
fn factors(custom: &[f32; 16]) -> Option<Vec3> {
    let matrix = matrix_of(custom);
    let scale = Vec3::new(matrix.x_axis.x, matrix.y_axis.y, matrix.z_axis.z);
    (scale.is_finite() && matrix == Mat4::from_scale(scale)).then_some(scale)
}

/// Gives a transform other factors.
fn stretch(transform: &mut Transform, factors: Vec3) {
    if let Transform::Trs { scale, .. } = transform {
        *scale = factors;
    }
}
