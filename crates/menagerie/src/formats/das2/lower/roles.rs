//! What every node of a Scene becomes: a node, a joint, or the custom matrix of its child.

use std::collections::{BTreeMap, BTreeSet};

use super::id;
use crate::formats::das2::notes::{NodeNote, Note as _, SkinNote};
use crate::formats::das2::placement::is_uniform;
use crate::scene::{Node, NodeId, Property, Scene, Skin, SkinId, Transform, parents};

/// What a node of the Scene is in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A node.
    Node,
    /// The custom matrix of the node below it.
    Outer,
    /// A joint that is no node.
    Joint,
    /// Another instance of a joint, below another node that binds the same skeleton.
    Copy,
    /// It stands in for another node at a distance, or is below such a node.
    StandIn,
    /// It only holds the levels of detail of a mesh that nothing shows.
    Holder,
}

/// What every node of the Scene is in the file.
pub(super) struct Roles {
    pub(super) roles: Vec<Role>,
    pub(super) parents: Vec<Option<NodeId>>,
    /// The nodes whose transform some channel animates.
    pub(super) animated: BTreeSet<NodeId>,
    /// For each node of the Scene that is a node or joint in the file, its id there.
    ids: Vec<Option<u32>>,
    /// For a node with [`Role::Outer`], the node whose matrix it is.
    inner: BTreeMap<NodeId, NodeId>,
    /// For skins that are copies of another, that one.
    pub(super) copies: BTreeMap<SkinId, SkinId>,
}

impl Roles {
    pub(super) fn new(scene: &Scene) -> Self {
        let channels = scene.animations.iter().flat_map(|animation| &animation.channels);
        let moving = channels.filter(|channel| channel.property != Property::Weights);
        let mut roles = Self {
            roles: vec![Role::Node; scene.nodes.len()],
            parents: parents(scene),
            animated: moving.map(|channel| channel.node).collect(),
            ids: vec![None; scene.nodes.len()],
            inner: BTreeMap::new(),
            copies: BTreeMap::new(),
        };
        roles.stand_ins(scene);
        roles.holders(scene);
        roles.joints(scene);
        roles.copies(scene);
        roles.outers(scene);
        roles.number(scene);
        roles
    }

    pub(super) fn of(&self, node: NodeId) -> Role {
        self.roles.get(node.index()).copied().unwrap_or(Role::StandIn)
    }

    fn set(&mut self, node: NodeId, role: Role) {
        if let Some(place) = self.roles.get_mut(node.index()) {
            *place = role;
        }
    }

    /// The id of a node or joint in the file.
    pub(super) fn id(&self, node: NodeId) -> Option<u32> {
        self.ids.get(node.index()).copied().flatten()
    }

    /// The id of the node of the file that hangs where a node hangs; `None` for what is no node there.
    pub(super) fn in_place(&self, node: NodeId) -> Option<u32> {
        match self.of(node) {
            Role::Node => self.id(node),
            Role::Outer => self.inner.get(&node).and_then(|inner| self.id(*inner)),
            _ => None,
        }
    }

    /// The node of the Scene that has the custom matrix of a node.
    pub(super) fn outer_of(&self, node: NodeId) -> Option<NodeId> {
        let parent = self.parents.get(node.index()).copied().flatten()?;
        (self.of(parent) == Role::Outer).then_some(parent)
    }

    /// The ids of the nodes without parent.
    pub(super) fn roots(&self) -> impl Iterator<Item = u32> + '_ {
        let alone = (0..self.parents.len()).filter(|index| self.parents.get(*index) == Some(&None));
        alone.filter_map(|index| self.in_place(NodeId::new(index)))
    }

    /// The nodes with a role, in order.
    pub(super) fn with(&self, role: Role) -> Vec<NodeId> {
        (0..self.roles.len()).map(NodeId::new).filter(|node| self.of(*node) == role).collect()
    }

    fn stand_ins(&mut self, scene: &Scene) {
        let mut open: Vec<NodeId> =
            scene.nodes.values().flat_map(|node| node.lods.iter().map(|lod| lod.node)).collect();
        while let Some(id) = open.pop() {
            self.set(id, Role::StandIn);
            if let Some(node) = scene.nodes.get(id) {
                open.extend(&node.children);
            }
        }
    }

    fn holders(&mut self, scene: &Scene) {
        let rooted: BTreeSet<NodeId> =
            scene.scenes.iter().flat_map(|root| root.roots.iter().copied()).collect();
        for (id, node) in scene.nodes.iter() {
            let alone = node.children.is_empty() && self.parent(id).is_none() && !rooted.contains(&id);
            if alone
                && node.mesh.is_some()
                && NodeNote::of(&node.extras).holds_levels == Some(true)
                && self.of(id) == Role::Node
            {
                self.set(id, Role::Holder);
            }
        }
    }

    fn parent(&self, node: NodeId) -> Option<NodeId> {
        self.parents.get(node.index()).copied().flatten()
    }

    /// Trees of nodes that were joints and can be joints again: they hang below the one node that binds them, or are
    /// in no scene.
    fn joints(&mut self, scene: &Scene) {
        let rooted: BTreeSet<NodeId> =
            scene.scenes.iter().flat_map(|root| root.roots.iter().copied()).collect();
        let is_joint = |id: NodeId| scene.nodes.get(id).is_some_and(was_joint) && self.of(id) == Role::Node;
        let roots = scene.nodes.ids().filter(|id| is_joint(*id) && !self.parent(*id).is_some_and(is_joint));
        let mut joints = Vec::new();
        let binding = Binding::of(scene, |id| self.of(id) != Role::StandIn);
        for root in roots {
            let tree = tree_below(scene, root);
            let in_place = match self.parent(root) {
                Some(parent) => binding.binders(&tree) == [parent],
                None => binding.binders(&tree).is_empty() && !rooted.contains(&root),
            };
            if in_place && tree.iter().all(|node| is_joint(*node)) {
                joints.extend(tree);
            }
        }
        for joint in joints {
            self.set(joint, Role::Joint);
        }
    }

    /// Skins whose joints are the same as those of an earlier skin, below another node.
    fn copies(&mut self, scene: &Scene) {
        let numbers = |skin: &Skin| -> Option<Vec<u64>> {
            skin.joints.iter().map(|joint| joint_number(scene.nodes.get(*joint)?)).collect()
        };
        let is_joint = |skin: &Skin| skin.joints.iter().all(|joint| self.of(*joint) == Role::Joint);
        let mut found = Vec::new();
        // Those that are no copies, by what copies have in common with them.
        let mut originals: BTreeMap<_, Vec<(SkinId, &Skin)>> = BTreeMap::new();
        for (id, skin) in scene.skins.iter().filter(|(_, skin)| is_joint(skin)) {
            let alike = originals.entry((skin.name.as_str(), numbers(skin))).or_default();
            if SkinNote::of(&skin.extras).copy_of.is_none() {
                alike.push((id, skin));
                continue;
            }
            let original = alike.iter().find(|(_, other)| {
                other.inverse_binds == skin.inverse_binds && same_pose(scene, other, skin)
            });
            found.extend(original.map(|(original, _)| (id, *original)));
        }
        for (copy, original) in found {
            let joints = scene.skins.get(copy).map(|skin| skin.joints.clone()).unwrap_or_default();
            // The trees that the joints of the copy are in.
            for joint in joints {
                let mut top = joint;
                while let Some(parent) = self.parent(top).filter(|parent| self.of(*parent) == Role::Joint) {
                    top = parent;
                }
                let marked =
                    scene.nodes.get(top).is_some_and(|node| NodeNote::of(&node.extras).copy == Some(true));
                if marked && self.of(top) == Role::Joint {
                    for node in tree_below(scene, top) {
                        self.set(node, Role::Copy);
                    }
                }
            }
            self.copies.insert(copy, original);
        }
    }

    /// Nodes that are the custom matrix of their only child.
    fn outers(&mut self, scene: &Scene) {
        let own_joints =
            |skin: &Skin| skin.joints.iter().all(|joint| matches!(self.of(*joint), Role::Joint | Role::Copy));
        if !scene.skins.values().all(own_joints) {
            // Joints beside nodes need a node for every part of the tree.
            return;
        }
        let mut found = Vec::new();
        for (id, node) in scene.nodes.iter() {
            let ([child], Transform::Matrix(_)) = (node.children.as_slice(), node.transform) else {
                continue;
            };
            let below = scene.nodes.get(*child).is_some_and(|child| is_uniform(&child.transform));
            let plain = is_plain(node) && NodeNote::of(&node.extras).custom_of_child == Some(true);
            if plain && below && self.of(id) == Role::Node && self.of(*child) == Role::Node {
                found.push((id, *child));
            }
        }
        for (outer, inner) in found {
            if self.of(inner) == Role::Node && self.of(outer) == Role::Node {
                self.set(outer, Role::Outer);
                self.inner.insert(outer, inner);
            }
        }
    }

    fn number(&mut self, scene: &Scene) {
        let (mut nodes, mut joints) = (0, 0);
        for node in scene.nodes.ids() {
            let count = match self.of(node) {
                Role::Node => &mut nodes,
                Role::Joint => &mut joints,
                _ => continue,
            };
            if let Some(place) = self.ids.get_mut(node.index()) {
                *place = Some(id(*count));
            }
            *count += 1;
        }
    }
}

/// Which nodes bind which joints.
struct Binding {
    /// For each node that is a joint, the skins that it is one of.
    skins: BTreeMap<NodeId, Vec<SkinId>>,
    /// For each skin, the first nodes that bind it: whether there is more than one is all that counts.
    binders: BTreeMap<SkinId, Vec<NodeId>>,
}

impl Binding {
    fn of(scene: &Scene, counts: impl Fn(NodeId) -> bool) -> Self {
        let mut binding = Self { skins: BTreeMap::new(), binders: BTreeMap::new() };
        for (id, skin) in scene.skins.iter() {
            for joint in skin.joints.iter().chain(&skin.skeleton) {
                binding.skins.entry(*joint).or_default().push(id);
            }
        }
        for (id, node) in scene.nodes.iter().filter(|(id, _)| counts(*id)) {
            let binders = node.skin.map(|skin| binding.binders.entry(skin).or_default());
            binders.into_iter().filter(|binders| binders.len() < 2).for_each(|binders| binders.push(id));
        }
        binding
    }

    /// The first nodes that bind one of these joints.
    fn binders(&self, joints: &[NodeId]) -> Vec<NodeId> {
        let skins: BTreeSet<SkinId> =
            joints.iter().filter_map(|joint| self.skins.get(joint)).flatten().copied().collect();
        skins.iter().filter_map(|skin| self.binders.get(skin)).flatten().copied().collect()
    }
}

/// A node and all below it; in a Scene that was checked nothing is there twice.
fn tree_below(scene: &Scene, root: NodeId) -> Vec<NodeId> {
    let mut tree = vec![root];
    let mut at = 0;
    while let Some(node) = tree.get(at).and_then(|id| scene.nodes.get(*id)) {
        tree.extend(&node.children);
        at += 1;
    }
    tree
}

fn joint_number(node: &Node) -> Option<u64> {
    NodeNote::of(&node.extras).joint
}

/// Whether a node has nothing but a transform.
fn is_plain(node: &Node) -> bool {
    node.mesh.is_none()
        && node.skin.is_none()
        && node.camera.is_none()
        && node.light.is_none()
        && node.lods.is_empty()
        && node.visible
}

/// Whether a node was a joint, and has nothing that a joint cannot have.
fn was_joint(node: &Node) -> bool {
    joint_number(node).is_some() && is_plain(node) && is_uniform(&node.transform)
}

fn same_pose(scene: &Scene, a: &Skin, b: &Skin) -> bool {
    let transform = |joint: &NodeId| scene.nodes.get(*joint).map(|node| node.transform);
    a.joints.iter().zip(&b.joints).all(|(a, b)| transform(a) == transform(b))
}
