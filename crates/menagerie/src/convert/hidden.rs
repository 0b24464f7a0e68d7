//! Hidden parts on their way to a format that hides nothing.

use std::collections::BTreeSet;

use crate::diag::{Aspect, Loss, LossKind, LossReport};
use crate::formats::{Format, Holds};
use crate::scene::{Channel, Mesh, MeshId, NodeId, Property, Scene};

/// What becomes of hidden parts in a format that hides nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HiddenParts {
    /// They are left out, so that the result looks as the source does.
    #[default]
    Drop,
    /// They are written, and seen.
    Show,
}

/// Leaves out what is hidden, or shows it, where the target hides nothing.
pub(super) fn treat(scene: &mut Scene, to: &Format, how: HiddenParts, losses: &mut LossReport) {
    let hidden: Vec<NodeId> =
        scene.nodes.iter().filter(|(_, node)| !node.visible).map(|(id, _)| id).collect();
    if hidden.is_empty() || to.capabilities.holds(Aspect::Visibility).0 != Holds::No {
        return;
    }
    let hidden = scene.walk(&hidden);
    let draws = |id: &&NodeId| scene.nodes.get(**id).is_some_and(|node| node.mesh.is_some());
    let count = hidden.iter().filter(draws).count();
    let message = match how {
        HiddenParts::Drop => format!("hidden parts are left out, for {} would show them", to.name),
        HiddenParts::Show => format!("hidden parts are seen, for {} hides nothing", to.name),
    };
    if count > 0 {
        let loss = Loss::new(Aspect::Visibility, LossKind::Dropped, "nodes", message).count(count);
        losses.push(Loss { unread: true, ..loss });
    }
    match how {
        HiddenParts::Drop => empty(scene, &hidden),
        HiddenParts::Show => scene.nodes.values_mut().for_each(|node| node.visible = true),
    }
}

/// Takes away what nodes show, and the shapes that nothing shows then.
fn empty(scene: &mut Scene, hidden: &[NodeId]) {
    let mut meshes: BTreeSet<MeshId> = BTreeSet::new();
    for id in hidden {
        if let Some(node) = scene.nodes.get_mut(*id) {
            meshes.extend(node.mesh);
            (node.mesh, node.skin, node.light) = (None, None, None);
            node.weights.clear();
        }
    }
    let shown: BTreeSet<MeshId> = scene.nodes.values().filter_map(|node| node.mesh).collect();
    for id in meshes.difference(&shown) {
        if let Some(mesh) = scene.meshes.get_mut(*id) {
            *mesh = Mesh { name: std::mem::take(&mut mesh.name), ..Mesh::default() };
        }
    }
    // What shows nothing has no shapes to morph between.
    let hidden: BTreeSet<NodeId> = hidden.iter().copied().collect();
    let morphs = |channel: &Channel| channel.property == Property::Weights && hidden.contains(&channel.node);
    for animation in &mut scene.animations {
        animation.channels.retain(|channel| !morphs(channel));
    }
}
