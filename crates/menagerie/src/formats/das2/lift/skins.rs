//! Skeletons and joints: each joint is a node, and each skeleton that a node shows a skin.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::nodes::keep_rotation;
use super::{Lifter, name};
use crate::formats::ELEMENT;
use crate::formats::das2::model::{IDENTITY, Skeleton};
use crate::formats::das2::notes::{NodeNote, Note as _, SkinNote, floats};
use crate::formats::das2::placement::{affine, matrix_of};
use crate::scene::{Node, NodeId, Skin};

/// The node of each joint of a tree.
pub(super) type Tree = Rc<BTreeMap<usize, NodeId>>;

impl Lifter<'_> {
    /// A node for each joint, below each node that binds it, and a skin for each skeleton and each such node.
    pub(super) fn skins(&mut self) {
        self.joint_ids = vec![Vec::new(); self.lists.joints.len()];
        for (joint, node) in self.note.twins.clone() {
            let node = self.node_ids.get(node).copied();
            if let (Some(ids), Some(node)) = (self.joint_ids.get_mut(joint), node) {
                ids.push(node);
            }
        }
        // First the trees that come first, whoever binds them, so that joints keep their order.
        let bindings = self.bindings();
        let roots: Vec<BTreeSet<usize>> = (0..self.lists.skeletons.len()).map(|i| self.roots(i)).collect();
        let mut owner: BTreeMap<usize, Option<NodeId>> = BTreeMap::new();
        for (skeleton, node) in &bindings {
            for root in roots.get(*skeleton).into_iter().flatten() {
                owner.entry(*root).or_insert(Some(*node));
            }
        }
        self.first_joints(&owner);
        let mut binders: Vec<Vec<NodeId>> = vec![Vec::new(); roots.len()];
        for (skeleton, node) in bindings {
            binders.get_mut(skeleton).into_iter().for_each(|nodes| nodes.push(node));
        }
        for (skeleton, (roots, nodes)) in roots.iter().zip(binders).enumerate() {
            if nodes.is_empty() {
                self.skin(skeleton, roots, (None, 0));
            }
            for (number, node) in nodes.into_iter().enumerate() {
                self.skin(skeleton, roots, (Some(node), number));
            }
        }
    }

    /// Which node binds which skeleton.
    fn bindings(&self) -> Vec<(usize, NodeId)> {
        let nodes = self.lists.nodes.iter().zip(&self.node_ids);
        let bound = nodes.map(|(file, id)| (file.skeleton as usize, *id));
        bound.filter(|(skeleton, _)| *skeleton < self.lists.skeletons.len()).collect()
    }

    /// The roots of the trees that the joints of a skeleton are in.
    fn roots(&self, skeleton: usize) -> BTreeSet<usize> {
        let Some(skeleton) = self.lists.skeletons.get(skeleton) else { return BTreeSet::new() };
        let joints = skeleton.joints.iter().chain([&skeleton.parent]).map(|joint| *joint as usize);
        joints.filter(|joint| *joint < self.lists.joints.len()).map(|joint| self.joints.root(joint)).collect()
    }

    /// The first node of each joint, in the order of the file.
    fn first_joints(&mut self, owner: &BTreeMap<usize, Option<NodeId>>) {
        let plain: Vec<usize> =
            (0..self.lists.joints.len()).filter(|joint| !self.note.twins.contains_key(joint)).collect();
        for joint in &plain {
            let node = self.joint(*joint);
            let id = self.scene.nodes.push(node);
            let place = self.place("joints", *joint);
            self.origins.node(id.index(), || place);
            if let Some(ids) = self.joint_ids.get_mut(*joint) {
                ids.push(id);
            }
        }
        for joint in plain {
            let children = self.joints.children.get(joint).cloned().unwrap_or_default();
            let children: Vec<NodeId> = children.into_iter().filter_map(|child| self.first(child)).collect();
            let Some(id) = self.first(joint) else { continue };
            if let Some(node) = self.scene.nodes.get_mut(id) {
                node.children = children;
            }
            let binder = owner.get(&joint).copied().flatten().filter(|_| self.joints.parent(joint).is_none());
            if let Some(binder) = binder {
                self.hang_tree(joint, id, binder);
            }
        }
    }

    /// Hangs a tree of joints below the node that binds it.
    fn hang_tree(&mut self, root: usize, top: NodeId, binder: NodeId) {
        if let Some(node) = self.scene.nodes.get_mut(binder) {
            node.children.push(top);
            self.joint_trees.insert((root, binder.index()), top);
        }
    }

    /// The first node of a joint.
    fn first(&self, joint: usize) -> Option<NodeId> {
        self.joint_ids.get(joint)?.first().copied()
    }

    fn joint(&self, index: usize) -> Node {
        let mut node = Node::default();
        let Some(file) = self.lists.joints.get(index) else { return node };
        node.name = name(&file.name, &mut node.extras);
        node.transform = file.placement.transform();
        NodeNote::change(&mut node.extras, |note| note.joint = Some(index as u64));
        keep_rotation(&mut node.extras, &file.placement);
        // Skins have the matrices of their joints; others have no place for it.
        let listed = self.listed.contains(&(index as u32));
        let exact = affine(matrix_of(&file.inverse_bind)) == matrix_of(&file.inverse_bind);
        if (!listed && file.inverse_bind != IDENTITY) || !exact {
            NodeNote::change(&mut node.extras, |note| note.inverse_bind = Some(floats(&file.inverse_bind)));
        }
        self.note.restore_extras(&format!("joints.{index}"), &mut node.extras);
        node
    }

    /// The skin of a skeleton where a node binds it; the number says how many did before.
    fn skin(&mut self, index: usize, roots: &BTreeSet<usize>, (node, number): (Option<NodeId>, usize)) {
        let Some(file) = self.lists.skeletons.get(index).copied() else { return };
        let is_copy = number > 0;
        let bytes = file.joints.len() * (size_of::<NodeId>() + size_of::<glam::Mat4>());
        if is_copy && !self.has_room(bytes, || format!("skeletons[{index}]")) {
            return;
        }
        let trees: BTreeMap<usize, NodeId> =
            roots.iter().filter_map(|root| Some((*root, self.tree_below(*root, node)?))).collect();
        let joints = self.joints_of_trees(&trees);
        let mut skin = Skin::default();
        skin.name = name(&file.name, &mut skin.extras);
        self.fill(&mut skin, file, &joints);
        if is_copy {
            SkinNote::change(&mut skin.extras, |note| note.copy_of = Some(index));
        }
        self.note.restore_extras(&format!("skeletons.{index}"), &mut skin.extras);
        let has_joints = !skin.joints.is_empty();
        let id = self.scene.skins.push(skin);
        if let Some(node) = node.filter(|_| has_joints).and_then(|id| self.scene.nodes.get_mut(id)) {
            node.skin = Some(id);
        }
    }

    fn fill(&self, skin: &mut Skin, file: &Skeleton, trees: &BTreeMap<usize, Tree>) {
        let node_of = |joint: u32| {
            let tree = trees.get(&self.joints.root(joint as usize))?;
            tree.get(&(joint as usize)).copied()
        };
        let known: Vec<Option<NodeId>> = file.joints.iter().map(|joint| node_of(*joint)).collect();
        // A joint that does not exist keeps its place, so that the vertices find the others.
        let Some(stand_in) = known.iter().flatten().next().copied() else { return };
        skin.joints = known.into_iter().map(|joint| joint.unwrap_or(stand_in)).collect();
        let bind = |joint: &u32| {
            let file = self.lists.joints.get(*joint as usize);
            file.map(|file| affine(matrix_of(&file.inverse_bind))).unwrap_or_default()
        };
        skin.inverse_binds = file.joints.iter().map(bind).collect();
        skin.skeleton = node_of(file.parent);
    }

    /// The tree of joints below a node: the first one, if it hangs there or nowhere, else a copy.
    fn tree_below(&mut self, root: usize, node: Option<NodeId>) -> Option<NodeId> {
        let id = self.first(root)?;
        if self.note.twins.contains_key(&root) {
            return Some(id);
        }
        let Some(binder) = node else { return Some(id) };
        if let Some(found) = self.joint_trees.get(&(root, binder.index())) {
            return Some(*found);
        }
        let copy = self.copy(root)?;
        self.hang_tree(root, copy, binder);
        Some(copy)
    }

    fn copy(&mut self, root: usize) -> Option<NodeId> {
        let tree = self.joints.walk(root);
        if !self.has_room(tree.len() * ELEMENT as usize, || format!("joints[{root}]")) {
            return None;
        }
        let mut ids: BTreeMap<usize, NodeId> = BTreeMap::new();
        for joint in &tree {
            let mut node = self.joint(*joint);
            NodeNote::change(&mut node.extras, |note| note.copy = Some(true));
            let id = self.scene.nodes.push(node);
            let place = self.place("joints", *joint);
            self.origins.node(id.index(), || place);
            ids.insert(*joint, id);
            if let Some(list) = self.joint_ids.get_mut(*joint) {
                list.push(id);
            }
        }
        for joint in &tree {
            let children = self.joints.children.get(*joint).into_iter().flatten();
            let children: Vec<NodeId> = children.filter_map(|child| ids.get(child).copied()).collect();
            if let Some(node) = ids.get(joint).and_then(|id| self.scene.nodes.get_mut(*id)) {
                node.children = children;
            }
        }
        ids.get(&root).copied()
    }

    /// For each of some trees, the node of each joint there.
    fn joints_of_trees(&mut self, trees: &BTreeMap<usize, NodeId>) -> BTreeMap<usize, Tree> {
        let mut found = BTreeMap::new();
        for (root, top) in trees {
            let known = self.joints_below.get(&(*root, *top)).cloned();
            let tree = known.unwrap_or_else(|| Rc::new(self.joints_below(*root, *top)));
            self.joints_below.insert((*root, *top), Rc::clone(&tree));
            found.insert(*root, tree);
        }
        found
    }

    /// For each joint of a tree, its node below `top`.
    fn joints_below(&self, root: usize, top: NodeId) -> BTreeMap<usize, NodeId> {
        if self.note.twins.contains_key(&root) {
            let tree = self.joints.walk(root).into_iter();
            return tree.filter_map(|joint| Some((joint, self.first(joint)?))).collect();
        }
        let mut found = BTreeMap::new();
        // The tree in the Scene has the shape of the one in the file.
        let mut open = vec![(root, top)];
        while let Some((joint, id)) = open.pop() {
            found.insert(joint, id);
            let below = self.scene.nodes.get(id).map(|node| node.children.clone()).unwrap_or_default();
            open.extend(self.joints.children.get(joint).into_iter().flatten().copied().zip(below));
        }
        found
    }
}
