//! Undoes, in a Scene that was just read, what was only done for glTF's sake.

use std::collections::{BTreeMap, BTreeSet};

use glam::{Mat4, Quat, Vec3};
use serde_json::Value;

use super::super::extras::OWN;
use super::super::json::Object;
use crate::scene::{Arena, Lod, Node, NodeId, Scene, Transform, float_from_json, parents};

/// Takes back what was only done for glTF's sake: moved and split nodes, joints and primitives that stand in.
pub(super) fn fold_back(scene: &mut Scene) {
    extra_joints(scene);
    join_roots_back(scene);
    let mut places: Vec<(NodeId, Object)> = Vec::new();
    let mut split: BTreeMap<NodeId, Option<NodeId>> = BTreeMap::new();
    let count = scene.nodes.len();
    for id in scene.nodes.ids() {
        let Some(node) = scene.nodes.get_mut(id) else { continue };
        if node.extras.get(OWN, "shown").is_some() {
            take_own(node, "shown");
            node.visible = true;
        }
        if let Some(Value::Object(place)) = take_own(node, "place") {
            places.push((id, place));
        }
        if take_own(node, "helper").is_some() && node.children.is_empty() {
            split.insert(id, None);
        }
        let of = take_own(node, "skin_of").and_then(|of| usize::try_from(of.as_u64()?).ok());
        if let Some(of) = of.filter(|&of| of < count && of != id.index()) {
            split.insert(id, Some(NodeId::new(of)));
        }
    }
    places.sort_by_key(|(_, place)| place.get("at").and_then(Value::as_u64).unwrap_or(0));
    for (id, place) in places {
        put_in_place(scene, id, &place);
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
fn join_roots_back(scene: &mut Scene) {
    for id in scene.nodes.ids() {
        let Some(node) = scene.nodes.get_mut(id) else { continue };
        let Some(Value::Array(roots)) = take_own(node, "joins") else { continue };
        let joined = std::mem::take(&mut node.children);
        for (root, names) in scene.scenes.iter_mut().zip(&roots) {
            if !root.roots.contains(&id) {
                continue;
            }
            root.roots.retain(|root| *root != id);
            let names = names.as_array().into_iter().flatten().filter_map(Value::as_u64);
            let names: Vec<NodeId> = names.filter_map(|n| usize::try_from(n).ok()).map(NodeId::new).collect();
            let named = |id: &NodeId| joined.contains(id) || root.roots.contains(id);
            let mut all: Vec<NodeId> = names.into_iter().filter(named).collect();
            all.extend(root.roots.iter().filter(|id| !all.contains(id)).copied().collect::<Vec<_>>());
            let mut seen = BTreeSet::new();
            all.retain(|id| seen.insert(*id));
            root.roots = all;
        }
        remove_nodes(scene, &BTreeMap::from([(id, None)]));
        return;
    }
}

/// Takes a field of ours out of a node's extras.
fn take_own(node: &mut Node, field: &str) -> Option<Value> {
    node.extras.get(OWN, field)?;
    let Some(Value::Object(mut own)) = node.extras.remove(OWN) else { return None };
    let value = own.shift_remove(field);
    if !own.is_empty() {
        node.extras.set_all(OWN, Value::Object(own));
    }
    value
}

/// Hangs a moved node where it was, unless it hangs somewhere by now.
fn put_in_place(scene: &mut Scene, id: NodeId, place: &Object) {
    if let Some(transform) = place.get("transform").and_then(transform_from_json)
        && let Some(node) = scene.nodes.get_mut(id)
        && node.transform == Transform::IDENTITY
    {
        node.transform = transform;
    }
    let number = |name: &str| place.get(name).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    let (Some(parent), Some(at)) = (number("parent"), number("at")) else { return };
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

/// Takes back the joints that skins have only because glTF asks for one.
fn extra_joints(scene: &mut Scene) {
    for skin in scene.skins.values_mut() {
        let mut own = skin.extras.remove(OWN);
        let mut taken =
            |field: &str| own.as_mut().and_then(|own| own.as_object_mut()?.shift_remove(field)).is_some();
        let extra = taken("still_joint") | taken("no_joints");
        if let Some(left) = own.filter(|own| own.as_object().is_none_or(|own| !own.is_empty())) {
            skin.extras.set_all(OWN, left);
        }
        if extra && skin.joints.pop().is_some() {
            skin.inverse_binds.truncate(skin.joints.len());
        }
    }
}

fn transform_from_json(value: &Value) -> Option<Transform> {
    fn list<const N: usize>(value: &Value) -> Option<[f32; N]> {
        let list: Option<Vec<f32>> =
            value.as_array()?.iter().map(|x| float_from_json(x).filter(|x| x.is_finite())).collect();
        list?.try_into().ok()
    }
    if let Some(matrix) = value.get("matrix") {
        let matrix = Mat4::from_cols_array(&list(matrix)?);
        return (matrix.row(3) == glam::Vec4::W).then_some(Transform::Matrix(matrix));
    }
    let rotation = Quat::from_array(list(value.get("rotation")?)?);
    (rotation.length_squared() - 1.0).abs().le(&1e-3).then_some(())?;
    Some(Transform::Trs {
        translation: Vec3::from_array(list(value.get("translation")?)?),
        rotation,
        scale: Vec3::from_array(list(value.get("scale")?)?),
    })
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
