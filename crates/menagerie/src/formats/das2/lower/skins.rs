//! Skeletons of the skins; a node that is a joint of several gets twins.

use std::collections::{BTreeMap, BTreeSet};

use glam::Mat4;

use super::nodes::placement;
use super::roles::Role;
use super::{Lowering, id};
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind};
use crate::formats::das2::model::{IDENTITY, Joint, NONE, Placement, Skeleton};
use crate::formats::das2::notes::{NodeNote, Note as _, SkinNote, numbers};
use crate::formats::das2::placement::{affine, matrix_of, rows_of};
use crate::scene::{Node, NodeId, Primitive, Skin, SkinId, transform_distance};

/// What became of the skins.
#[derive(Default)]
pub(super) struct Skeletons {
    /// For each skin, its skeleton.
    ids: BTreeMap<SkinId, u32>,
    /// The skins whose joints are below the node that binds them.
    native: BTreeSet<SkinId>,
    /// For each node, its joints: one for each set of inverse bind matrices that it has.
    pub(super) twins: BTreeMap<NodeId, Vec<u32>>,
}

impl Skeletons {
    /// The skeleton of a skin.
    pub(super) fn of(&self, skin: SkinId) -> Option<u32> {
        self.ids.get(&skin).copied()
    }

    /// Whether the joints of a skin are below the node that binds it.
    pub(super) fn is_native(&self, skin: SkinId) -> bool {
        self.native.contains(&skin)
    }
}

/// Nodes that are joints too, with one inverse bind matrix each.
#[derive(Default)]
struct Twins {
    /// For each node, its place in the list of joints, and its matrix once some skin has said it.
    joints: BTreeMap<NodeId, (u32, Option<Mat4>)>,
}

/// A skin joins one of the first sets, if it fits: a file may have thousands that fit none of thousands.
const SETS_TRIED: usize = 64;

impl Twins {
    /// Whether a skin's matrices go together with those that are known.
    fn fits(&self, skin: &Skin) -> bool {
        let mut own: BTreeMap<NodeId, Mat4> = BTreeMap::new();
        skin.joints.iter().enumerate().all(|(i, joint)| {
            let bind = skin.inverse_bind(i);
            let known = self.joints.get(joint).and_then(|(_, bind)| *bind);
            known.is_none_or(|known| known == bind) && *own.entry(*joint).or_insert(bind) == bind
        })
    }
}

impl Lowering<'_> {
    pub(super) fn skeletons(&mut self) {
        self.own_joints();
        let mut sets: Vec<Twins> = Vec::new();
        for (skin_id, skin) in self.scene.skins.iter() {
            if let Some(original) = self.roles.copies.get(&skin_id) {
                let skeleton = self.skeletons.of(*original);
                self.skeletons.ids.extend(skeleton.map(|skeleton| (skin_id, skeleton)));
                self.skeletons.native.insert(skin_id);
                continue;
            }
            let native = skin.joints.iter().all(|joint| self.roles.of(*joint) == Role::Joint);
            let (place, joints) = if native {
                self.skeletons.native.insert(skin_id);
                (None, skin.joints.iter().map(|joint| self.roles.id(*joint).unwrap_or(NONE)).collect())
            } else {
                let (place, joints) = self.twins_of(skin, &mut sets);
                (Some(place), joints)
            };
            let joint = |node: NodeId| match native {
                true => self.roles.id(node).filter(|_| self.roles.of(node) == Role::Joint),
                false => place.and_then(|place| sets.get(place)?.joints.get(&node)).map(|(id, _)| *id),
            };
            let parent = skin.skeleton.and_then(joint).unwrap_or(NONE);
            let name = self.text(&skin.name, SkinNote::of(&skin.extras).name_bytes);
            let index = self.records.skeletons.len();
            self.skeletons.ids.insert(skin_id, id(index));
            self.records.skeletons.push(Skeleton { name, parent, joints });
            self.note.keep_extras(format!("skeletons.{index}"), &skin.extras);
        }
        self.hang_twins(&sets);
        self.report_stretched(&sets);
        self.report_unbound();
    }

    /// Joints that are no nodes.
    fn own_joints(&mut self) {
        let mut off = ErrorStats::default();
        let mut binds_of: BTreeMap<NodeId, Vec<Mat4>> = BTreeMap::new();
        for skin in self.scene.skins.values() {
            for (i, joint) in skin.joints.iter().enumerate() {
                binds_of.entry(*joint).or_default().push(skin.inverse_bind(i));
            }
        }
        for node in self.roles.with(Role::Joint) {
            let Some(scene_node) = self.scene.nodes.get(node) else { continue };
            let kept = NodeNote::of(&scene_node.extras).inverse_bind.map(numbers);
            let mut binds = binds_of.remove(&node).unwrap_or_default().into_iter();
            let first = binds.next();
            for other in binds {
                off.add(f64::from(transform_distance(&first.unwrap_or_default(), &other)));
            }
            let same = |raw: &[f32; 16]| first.is_none_or(|bind| affine(matrix_of(raw)) == affine(bind));
            let inverse_bind = kept.filter(same).or(first.map(rows_of)).unwrap_or(IDENTITY);
            let joint =
                |child: &NodeId| self.roles.id(*child).filter(|_| self.roles.of(*child) == Role::Joint);
            let children = scene_node.children.iter().filter_map(joint).collect();
            let name = self.text(&scene_node.name, NodeNote::of(&scene_node.extras).name_bytes);
            let index = self.records.joints.len();
            self.note.keep_extras(format!("joints.{index}"), &scene_node.extras);
            self.records.joints.push(Joint {
                name,
                children,
                inverse_bind,
                placement: placement(scene_node),
            });
        }
        let message = "a joint has one inverse bind matrix in das2, whatever skin uses it";
        if off.is_off() {
            let loss = Loss::new(Aspect::Skins, LossKind::Approximated, "skins", message);
            self.losses.push(Loss { noted: true, ..loss.measured(off, "scene units") });
        }
        if off.is_off() {
            self.losses.approximated(Aspect::Positions, "skins", message);
        }
    }

    /// The joints of a skin whose joints are nodes: they and all nodes above them get joints beside them.
    /// Gives the number of their set too.
    fn twins_of(&mut self, skin: &Skin, sets: &mut Vec<Twins>) -> (usize, Vec<u32>) {
        let place = sets.iter().take(SETS_TRIED).position(|set| set.fits(skin)).unwrap_or_else(|| {
            sets.push(Twins::default());
            sets.len() - 1
        });
        let Some(set) = sets.get_mut(place) else { return (place, Vec::new()) };
        let mut joints = Vec::new();
        for (i, joint) in skin.joints.iter().enumerate() {
            let mut at = Some(*joint);
            while let Some(node) = at.filter(|node| !set.joints.contains_key(node)) {
                set.joints.insert(node, (id(self.records.joints.len()), None));
                self.twin(node);
                at = self.roles.parents.get(node.index()).copied().flatten();
            }
            let Some((index, bind)) = set.joints.get_mut(joint) else { continue };
            *bind = Some(skin.inverse_bind(i));
            joints.push(*index);
            if let Some(record) = self.records.joints.get_mut(*index as usize) {
                record.inverse_bind = rows_of(skin.inverse_bind(i));
            }
        }
        (place, joints)
    }

    /// A joint that does what a node does.
    fn twin(&mut self, node: NodeId) {
        let Some(scene_node) = self.scene.nodes.get(node) else { return };
        let name = self.text(&scene_node.name, NodeNote::of(&scene_node.extras).name_bytes);
        let placement = Placement::nearest(&self.read_back(node, scene_node));
        let index = self.records.joints.len();
        self.skeletons.twins.entry(node).or_default().push(id(index));
        if let Some(file) = self.roles.id(node).filter(|_| self.roles.of(node) == Role::Node) {
            self.note.twins.insert(index, file as usize);
        }
        self.records.joints.push(Joint { name, placement, ..Joint::default() });
    }

    fn hang_twins(&mut self, sets: &[Twins]) {
        for set in sets {
            for (node, (index, _)) in &set.joints {
                let children =
                    self.scene.nodes.get(*node).map(|node| node.children.as_slice()).unwrap_or_default();
                let children = children.iter().filter_map(|child| Some(set.joints.get(child)?.0)).collect();
                if let Some(record) = self.records.joints.get_mut(*index as usize) {
                    record.children = children;
                }
            }
            // Joints that are no nodes cannot come back as the nodes that they were.
            let no_node = set.joints.keys().filter(|node| self.roles.of(**node) != Role::Node).count();
            if no_node > 0 {
                for (index, _) in set.joints.values() {
                    self.note.twins.remove(&(*index as usize));
                }
                let message = "joints of a skin are levels of detail; they got joints of their own";
                for aspect in
                    [Aspect::Hierarchy, Aspect::Skins, Aspect::Positions, Aspect::Animations, Aspect::Names]
                {
                    self.losses.approximated(aspect, "skins", message);
                }
            }
        }
    }

    /// Joints have a uniform scale and no matrix.
    fn report_stretched(&mut self, sets: &[Twins]) {
        let mut off = ErrorStats::default();
        for node in sets.iter().flat_map(|set| set.joints.keys()) {
            let Some(scene_node) = self.scene.nodes.get(*node) else { continue };
            let meant = scene_node.transform.matrix();
            let size = meant.to_cols_array().into_iter().fold(1.0f32, |size, x| size.max(x.abs()));
            let apart =
                transform_distance(&Placement::nearest(&scene_node.transform).transform().matrix(), &meant);
            if apart > 1e-5 * size {
                off.add(f64::from(apart));
            }
        }
        let message = "joints are scaled evenly in das2; those that are stretched or sheared got the mean, and menagerie alone knows better";
        if off.is_off() {
            let loss = Loss::new(Aspect::Skins, LossKind::Approximated, "skins", message);
            self.losses.push(Loss { noted: true, ..loss.measured(off, "scene units") });
        }
    }

    /// What draws nothing has no vertices in das2, and so none that hang on joints.
    fn report_unbound(&mut self) {
        let bound = || self.scene.nodes.values().filter(|node| self.scene.is_bound(node));
        let draws = |node: &&Node| {
            let mesh = node.mesh.and_then(|mesh| self.scene.meshes.get(mesh));
            let hangs = |p: &Primitive| !p.weights.is_empty() && !p.triangles().is_empty();
            mesh.is_some_and(|mesh| mesh.primitives.iter().any(hangs))
        };
        let (all, kept) = (bound().count(), bound().filter(draws).count());
        if all > kept {
            let message = "skins of meshes without triangles have no place in das2";
            let loss = Loss::new(Aspect::Skins, LossKind::Dropped, "skins", message).count(all - kept);
            // Beside others nobody misses them.
            self.losses.push(Loss { unread: kept > 0, ..loss });
        }
    }
}
