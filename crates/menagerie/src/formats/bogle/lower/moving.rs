//! Nodes that move and are no joints.
//!
//! BOGLE moves bones only. A node that shows a mesh and is animated, itself or by what is above it, gets a skeleton of
//! one joint beside it, which moves as the node does, and its vertices hang on that joint. Reading knows such a skeleton
//! by its name and makes an animated node of it again.

use std::collections::{BTreeMap, BTreeSet};

use glam::Mat4;

use super::nodes::skin_in_use;
use crate::diag::{Aspect, Loss, LossKind, LossReport};
use crate::formats::bogle::added::MOVING_NODE;
use crate::scene::{
    CheckedScene, MeshId, Node, NodeId, Property, Scene, SceneRoot, Skin, Topology, Transform, check, parents,
};

/// A Scene in which joints move what nodes moved.
pub(super) struct Jointed {
    pub(super) scene: Scene,
    /// The nodes whose movement is that of a joint now, and those above them.
    pub(super) carried: BTreeSet<NodeId>,
}

/// Gives all nodes that move and show something a joint; `None` where there are none.
pub(super) fn jointed(scene: CheckedScene<'_>, losses: &mut LossReport) -> Option<Jointed> {
    let parents = parents(&scene);
    let above = |id: NodeId| std::iter::successors(Some(id), |id| parents.get(id.index()).copied().flatten());
    let channels = || scene.animations.iter().flat_map(|animation| &animation.channels);
    let animated: BTreeSet<NodeId> = channels()
        .filter(|channel| channel.property != Property::Weights)
        .map(|channel| channel.node)
        .collect();
    let shown = scene.shown().map(|root| scene.walk(&root.roots)).unwrap_or_default();
    let draws = |node: &Node| {
        let mesh = node.mesh.and_then(|mesh| scene.meshes.get(mesh));
        mesh.is_some_and(|mesh| mesh.primitives.iter().any(|p| p.topology == Topology::Triangles))
    };
    let moves = |id: &NodeId| {
        let node = scene.nodes.get(*id);
        node.is_some_and(|node| draws(node) && skin_in_use(&scene, node).is_none())
            && above(*id).any(|id| animated.contains(&id))
    };
    let moving: Vec<NodeId> = shown.into_iter().filter(moves).collect();
    if moving.is_empty() {
        return None;
    }
    let carried = moving.iter().flat_map(|id| above(*id)).collect();
    let mut scene = scene.scene().clone();
    let mut skinned: BTreeMap<MeshId, MeshId> = BTreeMap::new();
    for id in &moving {
        give_joint(&mut scene, *id, parents.get(id.index()).copied().flatten(), &mut skinned);
    }
    check(&scene).ok()?;
    let message =
        "nodes that move became bones, because BOGLE moves nothing else; reading makes nodes of them again";
    losses.push(Loss::new(Aspect::Skins, LossKind::Added, "nodes", message).count(moving.len()));
    Some(Jointed { scene, carried })
}

/// A joint beside a node, at its place and with its movement but for scales, on which its vertices hang.
fn give_joint(
    scene: &mut Scene,
    id: NodeId,
    parent: Option<NodeId>,
    skinned: &mut BTreeMap<MeshId, MeshId>,
) -> Option<()> {
    let node = scene.nodes.get(id)?;
    let mesh = node.mesh?;
    let local = node.transform.matrix();
    let (translation, rotation, _, _) = node.transform.to_trs();
    let rigid = Mat4::from_rotation_translation(rotation, translation);
    let inverse_bind = rigid.inverse() * local;
    let name = MOVING_NODE.to_owned();
    let transform = Transform::Trs { translation, rotation, scale: glam::Vec3::ONE };
    let joint = scene.nodes.push(Node { name: name.clone(), transform, ..Node::default() });
    match parent.and_then(|parent| scene.nodes.get_mut(parent)) {
        Some(parent) => parent.children.push(joint),
        None => {
            let holds = |root: &&mut SceneRoot| root.roots.contains(&id);
            scene.scenes.iter_mut().filter(holds).for_each(|root| root.roots.push(joint));
        }
    }
    for animation in &mut scene.animations {
        let own = animation.channels.iter().filter(|channel| channel.node == id);
        let own = own.filter(|c| matches!(c.property, Property::Translation | Property::Rotation));
        let copies: Vec<_> =
            own.map(|channel| crate::scene::Channel { node: joint, ..channel.clone() }).collect();
        animation.channels.extend(copies);
    }
    let bound = match skinned.get(&mesh) {
        Some(bound) => *bound,
        None => {
            let mut bound = scene.meshes.get(mesh)?.clone();
            for primitive in &mut bound.primitives {
                primitive.joints = vec![vec![[0; 4]; primitive.positions.len()]];
                primitive.weights = vec![vec![[1.0, 0.0, 0.0, 0.0]; primitive.positions.len()]];
            }
            let bound = scene.meshes.push(bound);
            skinned.insert(mesh, bound);
            bound
        }
    };
    let skin = Skin { name, joints: vec![joint], inverse_binds: vec![inverse_bind], ..Skin::default() };
    let skin = scene.skins.push(skin);
    let node = scene.nodes.get_mut(id)?;
    (node.mesh, node.skin) = (Some(bound), Some(skin));
    Some(())
}
