//! Nodes and joints with their transforms.

use std::collections::BTreeSet;

use glam::{Mat4, Quat, Vec3};

use super::roles::Role;
use super::{Lowering, id};
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind};
use crate::formats::das2::model::{IDENTITY, NONE, Node as FileNode, Placement};
use crate::formats::das2::notes::{NodeNote, Note as _, numbers};
use crate::formats::das2::placement::{affine, is_uniform, matrix_of, rotation_of, rows_of};
use crate::scene::{Extras, Node, NodeId, Property, Transform, float_to_json, transform_distance};

/// How far apart the elements of two matrices may be that are the same but for rounding, relative to their size.
const ROUNDING: f32 = 1e-5;

impl Lowering<'_> {
    pub(super) fn nodes(&mut self) {
        let mut stretched = ErrorStats::default();
        let with_node = self.to_be_stretched();
        let mut stretches = Vec::new();
        for node in self.roles.with(Role::Node) {
            let Some(scene_node) = self.scene.nodes.get(node) else { continue };
            let (custom, mut placement) = self.place(node, scene_node);
            let index = self.records.nodes.len();
            if let Transform::Trs { scale, .. } = scene_node.transform
                && with_node.contains(&node)
            {
                placement.scale = 1.0;
                stretches.push((node, index, scale));
            } else if let Transform::Trs { scale, .. } = scene_node.transform
                && !is_uniform(&scene_node.transform)
                && custom == IDENTITY
            {
                stretched.add(f64::from(transform_distance(
                    &placement.transform().matrix(),
                    &scene_node.transform.matrix(),
                )));
                let factors = scale.to_array().map(float_to_json);
                self.note.scales.insert(index, factors.to_vec().into());
            }
            let name = self.text(&scene_node.name, NodeNote::of(&scene_node.extras).name_bytes);
            let children =
                scene_node.children.iter().filter_map(|child| self.roles.in_place(*child)).collect();
            self.records.nodes.push(FileNode { name, children, custom, placement, ..FileNode::default() });
            self.note.keep_extras(format!("nodes.{index}"), &scene_node.extras);
        }
        let message = "animated nodes that are not scaled evenly got the mean of the factors; the exact ones are in a note that only menagerie reads";
        if stretched.is_off() {
            let loss = Loss::new(Aspect::Transforms, LossKind::Approximated, "nodes", message);
            self.losses.push(Loss { noted: true, ..loss.measured(stretched, "scene units") });
            self.losses.noted(Aspect::Animations, "nodes", message);
            self.losses.noted(Aspect::Positions, "nodes", message);
        }
        stretches.into_iter().for_each(|(node, index, scale)| self.stretch(node, index, scale));
        for node in self.roles.with(Role::Node) {
            self.bind(node);
        }
        self.report_stand_ins();
    }

    /// The nodes that move and are stretched as long as they do: das2 moves a placement with one factor, so a node below
    /// has the others. Scales that are themselves animated, and those of joints, have no such way.
    fn to_be_stretched(&self) -> BTreeSet<NodeId> {
        let channels = self.scene.animations.iter().flat_map(|animation| &animation.channels);
        let scales = channels.filter(|channel| channel.property == Property::Scale);
        let scales: BTreeSet<NodeId> = scales.map(|channel| channel.node).collect();
        let twins: BTreeSet<usize> = self.note.twins.values().copied().collect();
        let uneven = |node: &NodeId| {
            let is_twin = self.roles.id(*node).is_none_or(|id| twins.contains(&(id as usize)));
            let transform = self.scene.nodes.get(*node).map(|node| node.transform);
            let is_trs = transform.is_some_and(|of| matches!(of, Transform::Trs { .. }) && !is_uniform(&of));
            is_trs && !is_twin && self.roles.outer_of(*node).is_none()
        };
        let moving = self.roles.animated.iter().filter(|node| self.roles.of(**node) == Role::Node);
        moving.copied().filter(|node| uneven(node) && !scales.contains(node)).collect()
    }

    /// Puts a node below another that stretches all that is there.
    fn stretch(&mut self, node: NodeId, index: usize, scale: Vec3) {
        let below = self.records.nodes.len();
        let Some(record) = self.records.nodes.get_mut(index) else { return };
        let children = std::mem::replace(&mut record.children, vec![id(below)]);
        let (name, custom) = (record.name.clone(), rows_of(Mat4::from_scale(scale)));
        self.records.nodes.push(FileNode { name, children, custom, ..FileNode::default() });
        self.note.stretched.insert(below, index);
        self.stretched.insert(node, below);
        let message =
            "a node was added that stretches what an animated one shows, because das2 animates one factor";
        self.losses.added(Aspect::Hierarchy, format!("nodes[{}]", node.index()), message);
    }

    /// The two parts of a node's transform.
    pub(super) fn place(&self, id: NodeId, node: &Node) -> ([f32; 16], Placement) {
        let outer = self.roles.outer_of(id).and_then(|outer| self.scene.nodes.get(outer));
        if let Some(outer) = outer {
            return (rows_of(outer.transform.matrix()), placement(node));
        }
        match node.transform {
            Transform::Trs { .. } if is_uniform(&node.transform) || self.roles.animated.contains(&id) => {
                (IDENTITY, placement(node))
            }
            Transform::Trs { .. } => (rows_of(node.transform.matrix()), Placement::default()),
            Transform::Matrix(matrix) => {
                let kept = both_parts(&node.extras).filter(|(custom, placement)| {
                    let meant = affine(affine(matrix_of(custom)) * placement.transform().matrix());
                    is_same(&meant, &matrix)
                });
                kept.unwrap_or_else(|| {
                    let rotation = kept_rotation(&node.extras, Quat::IDENTITY);
                    (rows_of(matrix), Placement { rotation, ..Placement::default() })
                })
            }
        }
    }

    /// What the transform of a node will be when the file is read.
    pub(super) fn read_back(&self, id: NodeId, node: &Node) -> Transform {
        let (custom, placement) = self.place(id, node);
        match (custom == IDENTITY, placement.is_identity()) {
            (true, _) if is_uniform(&node.transform) => placement.transform(),
            // A note restores it.
            (true, _) => node.transform,
            (false, true) => Transform::Matrix(affine(matrix_of(&custom))),
            (false, false) => {
                Transform::Matrix(affine(affine(matrix_of(&custom)) * placement.transform().matrix()))
            }
        }
    }

    /// Gives a node its mesh group and skeleton, or another node that holds them where the node itself moves and the
    /// joints do not hang below it.
    fn bind(&mut self, node: NodeId) {
        let (Some(scene_node), Some(file)) = (self.scene.nodes.get(node), self.roles.id(node)) else {
            return;
        };
        let group = self.group_of.get(node.index()).copied().flatten().unwrap_or(NONE);
        let skeleton = scene_node.skin.and_then(|skin| self.skeletons.of(skin));
        let own_place =
            scene_node.skin.is_none_or(|skin| self.skeletons.is_native(skin)) || self.is_still(node);
        let mut holder = self.stretched.get(&node).copied().unwrap_or(file as usize);
        if group != NONE && skeleton.is_some() && !own_place {
            holder = self.records.nodes.len();
            let name = self.text(&scene_node.name, NodeNote::of(&scene_node.extras).name_bytes);
            self.records.nodes.push(FileNode { name, ..FileNode::default() });
            self.note.moved.insert(holder, file as usize);
            self.moved.insert(node, holder);
            let message = "a node was added that holds the skinned mesh, because joints move below the node that shows it in das2";
            self.losses.added(Aspect::Hierarchy, format!("nodes[{}]", node.index()), message);
        }
        if let Some(record) = self.records.nodes.get_mut(holder) {
            record.mesh_group = group;
            record.skeleton = skeleton.unwrap_or(NONE);
        }
        if !scene_node.weights.is_empty() {
            let weights = scene_node.weights.iter().copied().map(float_to_json).collect();
            self.note.node_weights.insert(holder, weights);
        }
        if scene_node.lods.iter().any(|lod| lod.distance.is_some()) {
            let distances =
                scene_node.lods.iter().map(|lod| lod.distance.map_or(serde_json::Value::Null, float_to_json));
            self.note.distances.insert(holder, distances.collect());
        }
    }

    /// Whether a node is at the origin of the world and stays there.
    fn is_still(&self, node: NodeId) -> bool {
        let mut at = Some(node);
        while let Some(id) = at {
            let still =
                self.scene.nodes.get(id).is_some_and(|node| node.transform.matrix() == Mat4::IDENTITY);
            if !still || self.roles.animated.contains(&id) {
                return false;
            }
            at = self.roles.parents.get(id.index()).copied().flatten();
        }
        true
    }

    /// The id of the node of the file that shows the mesh of a node.
    pub(super) fn holder(&self, node: NodeId) -> Option<u32> {
        let other = self.moved.get(&node).or_else(|| self.stretched.get(&node));
        other.map(|holder| id(*holder)).or_else(|| self.roles.id(node))
    }

    /// A level of detail is a mesh in das2, and no node.
    fn report_stand_ins(&mut self) {
        let mut off = ErrorStats::default();
        for (id, node) in self.scene.nodes.iter() {
            for stand_in in node.lods.iter().filter_map(|lod| self.scene.nodes.get(lod.node)) {
                let path = format!("nodes[{}].lods", id.index());
                let apart = transform_distance(&stand_in.transform.matrix(), &node.transform.matrix());
                if apart > 0.0 {
                    off.add(f64::from(apart));
                }
                if !stand_in.children.is_empty() || !stand_in.lods.is_empty() {
                    let message = "nodes below a level of detail have no place in das2";
                    self.losses.dropped(Aspect::Hierarchy, path.clone(), message);
                    self.losses.dropped(Aspect::Lods, path.clone(), message);
                }
                if stand_in.skin != node.skin {
                    let message = "a level of detail is bound to the skeleton of its node in das2";
                    self.losses.approximated(Aspect::Skins, path.clone(), message);
                    self.losses.approximated(Aspect::Positions, path.clone(), message);
                }
                let mesh = stand_in.mesh.and_then(|mesh| self.scene.meshes.get(mesh));
                let named = mesh.is_some_and(|mesh| !mesh.name.is_empty() || !mesh.target_names.is_empty());
                if !stand_in.name.is_empty() || named {
                    self.losses.dropped(
                        Aspect::Names,
                        path.clone(),
                        "levels of detail have no names in das2",
                    );
                }
                let rests = |weights: &[f32]| weights.iter().all(|weight| *weight == 0.0);
                if !rests(&stand_in.weights) || mesh.is_some_and(|mesh| !rests(&mesh.weights)) {
                    let message = "the morph weights of a level of detail at rest have no place in das2";
                    self.losses.dropped(Aspect::Morphs, path, message);
                }
            }
        }
        let message = "levels of detail are where their node is in das2";
        self.losses.measured(Aspect::Transforms, "nodes", message, off, "scene units");
        if off.is_off() {
            self.losses.approximated(Aspect::Lods, "nodes", message);
        }
    }
}

/// The placement of a node, with the rotation that the file had if it still means the same.
pub(super) fn placement(node: &Node) -> Placement {
    let nearest = Placement::nearest(&node.transform);
    let rotation = kept_rotation(&node.extras, Quat::from_array(nearest.rotation));
    Placement { rotation, ..nearest }
}

fn kept_rotation(extras: &Extras, rotation: Quat) -> [f32; 4] {
    let kept = NodeNote::of(extras).rotation.map(numbers);
    let same = |raw: &[f32; 4]| rotation_of(*raw).dot(rotation).abs() > 1.0 - 1e-6;
    kept.filter(same).unwrap_or_else(|| rotation.to_array())
}

/// The custom matrix and the placement of a node that uses both.
fn both_parts(extras: &Extras) -> Option<([f32; 16], Placement)> {
    let note = NodeNote::of(extras);
    let placement = Placement {
        rotation: numbers(note.rotation?),
        translation: numbers(note.translation?),
        scale: note.scale?.0,
    };
    Some((numbers(note.custom?), placement))
}

/// Whether two matrices are the same but for rounding.
fn is_same(a: &Mat4, b: &Mat4) -> bool {
    let size = b.to_cols_array().into_iter().fold(1.0f32, |size, x| size.max(x.abs()));
    transform_distance(a, b) <= ROUNDING * size
}
