//! Nodes removed, with all that refers to them.

use std::collections::{BTreeMap, BTreeSet};

use crate::scene::{Arena, Mesh, MeshId, Node, NodeId, Scene};

/// Removes nodes and all that refers to them: children, roots, levels of detail, joints and channels.
///
/// A skin that loses a joint would have vertices without hold, so the joints of skins must not be among the nodes.
pub fn remove_nodes(scene: &mut Scene, gone: &BTreeSet<NodeId>) {
    let mut next = 0;
    let places: Vec<Option<NodeId>> = scene
        .nodes
        .ids()
        .map(|id| {
            let kept = !gone.contains(&id);
            next += usize::from(kept);
            kept.then(|| NodeId::new(next - 1))
        })
        .collect();
    let place = |id: NodeId| places.get(id.index()).copied().flatten();
    let nodes = std::mem::take(&mut scene.nodes).into_vec();
    let mut kept: Vec<Node> = Vec::with_capacity(next);
    for (index, mut node) in nodes.into_iter().enumerate() {
        if gone.contains(&NodeId::new(index)) {
            continue;
        }
        node.children = node.children.into_iter().filter_map(place).collect();
        node.lods.retain_mut(|lod| place(lod.node).map(|id| lod.node = id).is_some());
        kept.push(node);
    }
    scene.nodes = Arena::from(kept);
    for root in &mut scene.scenes {
        root.roots = std::mem::take(&mut root.roots).into_iter().filter_map(place).collect();
    }
    for skin in scene.skins.values_mut() {
        skin.joints.iter_mut().for_each(|joint| *joint = place(*joint).unwrap_or(*joint));
        skin.skeleton = skin.skeleton.and_then(place);
    }
    for animation in &mut scene.animations {
        animation.channels.retain_mut(|channel| place(channel.node).map(|id| channel.node = id).is_some());
    }
}

/// Removes those of some meshes that no node shows.
pub(super) fn remove_unshown(scene: &mut Scene, mut meshes: BTreeSet<MeshId>) {
    for mesh in scene.nodes.values().filter_map(|node| node.mesh) {
        meshes.remove(&mesh);
    }
    let mut places: BTreeMap<MeshId, MeshId> = BTreeMap::new();
    let mut kept: Arena<Mesh> = Arena::default();
    for (index, mesh) in std::mem::take(&mut scene.meshes).into_vec().into_iter().enumerate() {
        let id = MeshId::new(index);
        if !meshes.contains(&id) {
            places.insert(id, kept.push(mesh));
        }
    }
    scene.meshes = kept;
    for node in scene.nodes.values_mut() {
        node.mesh = node.mesh.and_then(|mesh| places.get(&mesh).copied());
    }
}
