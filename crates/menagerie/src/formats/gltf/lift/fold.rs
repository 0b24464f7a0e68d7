//! Undoes, in a Scene that was just read, what was only done for glTF's sake.

use std::collections::{BTreeMap, BTreeSet};

use super::super::notes::in_file::{NodeNote, Place};
use crate::scene::{Arena, Lod, NodeId, Scene, Transform, parents};

/// Takes back what was only done for glTF's sake: moved and split nodes, joints and primitives that stand in. `notes` are
/// those of the nodes, `stands_in` says of each skin whether its last joint does.
pub(super) fn fold_back(scene: &mut Scene, mut notes: Vec<NodeNote>, stands_in: &[bool]) {
    for (skin, _) in scene.skins.values_mut().zip(stands_in).filter(|(_, stands_in)| **stands_in) {
        if skin.joints.pop().is_some() {
            skin.inverse_binds.truncate(skin.joints.len());
        }
    }
    join_roots_back(scene, &mut notes);
    let mut places: Vec<(NodeId, &Place)> = Vec::new();
    let mut split: BTreeMap<NodeId, Option<NodeId>> = BTreeMap::new();
    let count = scene.nodes.len();
    for (id, note) in (0..).map(NodeId::new).zip(&notes) {
        let Some(node) = scene.nodes.get_mut(id) else { continue };
        node.visible |= note.shown.is_some();
        places.extend(note.place.as_ref().map(|place| (id, place)));
        if note.helper.is_some() && node.children.is_empty() {
            split.insert(id, None);
        }
        if let Some(of) = note.skin_of.filter(|&of| of < count && of != id.index()) {
            split.insert(id, Some(NodeId::new(of)));
        }
    }
    places.sort_by_key(|(_, place)| place.at.unwrap_or(0));
    for (id, place) in places {
        put_in_place(scene, id, place);
    }
    let names: Vec<(NodeId, NodeId)> = split.iter().filter_map(|(id, of)| Some((*id, (*of)?))).collect();
    for (id, of) in names {
        let free = scene.nodes.get(of).is_some_and(|node| node.mesh.is_none() && node.skin.is_none());
        let childless = scene.nodes.get(id).is_some_and(|node| node.children.is_empty());
        if !free || !childless || split.contains_key(&of) {
            split.remove(&id);
            continue;
        }
        let Some(from) = scene.nodes.get(id).cloned() else { continue };
        if let Some(node) = scene.nodes.get_mut(of) {
            (node.mesh, node.skin, node.weights) = (from.mesh, from.skin, from.weights);
            node.lods = from.lods;
        }
        if let Some(node) = scene.nodes.get_mut(id) {
            node.lods.clear();
        }
    }
    remove_nodes(scene, &split);
}

/// Takes a root away that only joins others, and gives scenes the roots that they had.
fn join_roots_back(scene: &mut Scene, notes: &mut Vec<NodeNote>) {
    let joining = notes.iter_mut().enumerate().find_map(|(i, note)| Some((i, note.joins.take()?)));
    let Some((index, roots)) = joining else { return };
    let id = NodeId::new(index);
    let joined = scene.nodes.get_mut(id).map(|node| std::mem::take(&mut node.children)).unwrap_or_default();
    for (root, names) in scene.scenes.iter_mut().zip(roots) {
        if !root.roots.contains(&id) {
            continue;
        }
        root.roots.retain(|root| *root != id);
        let named = |id: &NodeId| joined.contains(id) || root.roots.contains(id);
        let mut all: Vec<NodeId> = names.into_iter().map(NodeId::new).filter(named).collect();
        all.extend(root.roots.iter().filter(|id| !all.contains(id)).copied().collect::<Vec<_>>());
        let mut seen = BTreeSet::new();
        all.retain(|id| seen.insert(*id));
        root.roots = all;
    }
    remove_nodes(scene, &BTreeMap::from([(id, None)]));
    notes.remove(index);
}

/// Hangs a moved node where it was, unless it hangs somewhere by now.
fn put_in_place(scene: &mut Scene, id: NodeId, place: &Place) {
    if let Some(transform) = place.transform.as_ref().and_then(|transform| transform.transform())
        && let Some(node) = scene.nodes.get_mut(id)
        && node.transform == Transform::IDENTITY
    {
        node.transform = transform;
    }
    let (Some(parent), Some(at)) = (place.parent, place.at) else { return };
    let parents = parents(scene);
    let above =
        std::iter::successors(Some(NodeId::new(parent)), |id| parents.get(id.index()).copied().flatten());
    let own_ancestor = above.take(scene.nodes.len() + 1).any(|above| above == id);
    let hangs = parents.get(id.index()).copied().flatten().is_some();
    let children_of_lod = scene.nodes.values().any(|node| node.lods.iter().any(|lod| lod.node == id));
    if parent >= scene.nodes.len() || own_ancestor || hangs || children_of_lod {
        return;
    }
    scene.scenes.iter_mut().for_each(|scene| scene.roots.retain(|root| *root != id));
    if let Some(parent) = scene.nodes.get_mut(NodeId::new(parent)) {
        let at = at.min(parent.children.len());
        parent.children.insert(at, id);
    }
}

/// Removes nodes and numbers the others anew; a removed one may be replaced by another wherever it is named.
fn remove_nodes(scene: &mut Scene, replaced: &BTreeMap<NodeId, Option<NodeId>>) {
    if replaced.is_empty() {
        return;
    }
    let mut numbers: Vec<Option<NodeId>> = Vec::with_capacity(scene.nodes.len());
    let mut next = 0;
    for id in scene.nodes.ids() {
        if replaced.contains_key(&id) {
            numbers.push(None);
        } else {
            numbers.push(Some(NodeId::new(next)));
            next += 1;
        }
    }
    let kept = |id: &NodeId| numbers.get(id.index()).copied().flatten();
    let named = |id: &NodeId| match replaced.get(id) {
        Some(other) => other.as_ref().and_then(kept),
        None => kept(id),
    };
    for node in scene.nodes.values_mut() {
        node.children = node.children.iter().filter_map(kept).collect();
        node.lods = node
            .lods
            .iter()
            .filter_map(|lod| Some(Lod { node: kept(&lod.node)?, distance: lod.distance }))
            .collect();
    }
    for root in &mut scene.scenes {
        root.roots = root.roots.iter().filter_map(kept).collect();
    }
    for skin in scene.skins.values_mut() {
        skin.joints.iter_mut().for_each(|joint| *joint = named(joint).unwrap_or(*joint));
        skin.skeleton = skin.skeleton.as_ref().and_then(named);
    }
    for animation in &mut scene.animations {
        animation.channels.retain_mut(|channel| match named(&channel.node) {
            Some(node) => {
                channel.node = node;
                true
            }
            None => false,
        });
    }
    let nodes = std::mem::take(&mut scene.nodes).into_vec();
    let left = nodes.into_iter().zip(&numbers).filter(|(_, number)| number.is_some());
    scene.nodes = Arena::from(left.map(|(node, _)| node).collect::<Vec<_>>());
}
