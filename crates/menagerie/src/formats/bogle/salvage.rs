//! What can be had of a file that is cut off or broken, and what is missing in it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::codes;
use super::geometry::{Geometry, Vertex};
use super::model::{Animation, Bone, Collection, Cut, Instance, Model};
use super::read;
use super::tree::{Place, Tree};
use crate::bytes::Reader;
use crate::diag::{Aspect, Issue, Issues};

/// The most whole things that a damaged list is believed to have had.
const MOST_COUNTED: usize = 1 << 24;

/// Keeps what is whole of the record that `rest` begins with, and counts what the header speaks of and is not there.
pub(super) fn cut(model: &mut Model, counts: [usize; 6], rest: &[u8], issues: &mut Issues) {
    let there = [
        model.cameras.len(),
        model.geometries.len(),
        model.materials.len(),
        model.lights.len(),
        model.collections.len(),
        model.instances.len(),
    ];
    let mut cut = Cut {
        counts: counts.map(|count| u32::try_from(count).unwrap_or(u32::MAX)),
        rest: rest.to_vec(),
        ..Cut::default()
    };
    let first = there.iter().zip(counts).position(|(there, count)| *there < count);
    match first {
        Some(1) => cut.geometry = geometry(rest, model.geometries.len(), issues),
        Some(4) => cut.collection = collection(rest, model.collections.len(), issues),
        Some(_) => {}
        None => {
            model.tree = tree_text(rest, model.instances.len());
            issues.give_up(Aspect::Hierarchy, "ends of the scene tree", "tree", (1, 1));
        }
    }
    for ((there, count), (aspect, what)) in there.into_iter().zip(counts).zip([
        (Aspect::Cameras, "cameras"),
        (Aspect::Topology, "geometries"),
        (Aspect::Materials, "materials"),
        (Aspect::Lights, "lights"),
        (Aspect::Skins, "animation collections"),
        (Aspect::Hierarchy, "instances"),
    ]) {
        if count <= MOST_COUNTED {
            issues.give_up(aspect, what, "header", (count - there.min(count), count));
        }
    }
    model.cut = Some(Box::new(cut));
    let placed = model.parsed_tree().map(|tree| tree.placed(model.instances.len())).unwrap_or_default();
    let unplaced = model.instances.len() - placed.iter().filter(|placed| **placed).count();
    let of = model.instances.len();
    issues.give_up(Aspect::Hierarchy, "places of instances in the tree", "tree", (unplaced, of));
}

/// The whole vertices and triangles of a geometry that is cut off.
fn geometry(rest: &[u8], index: usize, issues: &mut Issues) -> Option<Geometry> {
    let mut r = Reader::new(rest);
    let kind = r.u8("type").ok().filter(|kind| *kind == 0)?;
    let name = read::text(&mut r, "name_length", "name").ok()?;
    let (vertex_count, index_count) =
        (r.u32("vertex_count").ok()? as usize, r.u32("index_count").ok()? as usize);
    let vertices = r.records("vertices", vertex_count.min(r.left() / size_of::<Vertex>())).ok()?;
    let whole = if vertices.len() == vertex_count { r.left() / 4 } else { 0 };
    let indices = r.records("indices", index_count.min(whole) / 3 * 3).ok()?;
    let path = format!("geometries[{index}]");
    for (aspect, what, there, of) in [
        (Aspect::Positions, "vertices", vertices.len(), vertex_count),
        (Aspect::Topology, "triangles", indices.len() / 3, index_count / 3),
    ] {
        if of <= MOST_COUNTED {
            issues.give_up(aspect, what, path.clone(), (of - there.min(of), of));
        }
    }
    Some(Geometry { kind, name, vertices, indices })
}

/// The bones, whole animations and whole keys of a collection that is cut off.
fn collection(rest: &[u8], index: usize, issues: &mut Issues) -> Option<Collection> {
    let mut r = Reader::new(rest);
    let kind = r.u8("type").ok().filter(|kind| *kind == 0)?;
    let name = read::text(&mut r, "name_length", "name").ok()?;
    let count = r.u32("animation_count").ok()? as usize;
    let transform = r.floats("transform").ok()?;
    let bone_count = r.u32("bone_count").ok()? as usize;
    let bones = r.table("bones", bone_count.min(r.left() / size_of::<Bone>())).ok()?;
    let path = format!("animation_collections[{index}]");
    let mut collection = Collection { kind, name, transform, bones, animations: Vec::new() };
    if collection.bones.len() < bone_count {
        let lost = (bone_count - collection.bones.len(), bone_count);
        if bone_count <= MOST_COUNTED {
            issues.give_up(Aspect::Skins, "bones", path, lost);
        }
        return Some(collection);
    }
    while collection.animations.len() < count {
        let before = r.rest();
        match read::animation(&mut r, bone_count) {
            Ok(animation) => collection.animations.push(animation),
            Err(_) => {
                collection.animations.extend(keys(before, bone_count, &path, issues));
                break;
            }
        }
    }
    let there = collection.animations.len();
    if count <= MOST_COUNTED {
        issues.give_up(Aspect::Animations, "animations", path, (count - there.min(count), count));
    }
    Some(collection)
}

/// The whole keys of an animation that is cut off; `None` where there is none.
fn keys(rest: &[u8], bones: usize, path: &str, issues: &mut Issues) -> Option<Animation> {
    let mut r = Reader::new(rest);
    let name = read::text(&mut r, "name_length", "name").ok()?;
    let count = r.u32("key_count").ok()? as usize;
    let mut keys = Vec::new();
    while keys.len() < count {
        match read::key(&mut r, bones) {
            Ok(key) => keys.push(key),
            Err(_) => break,
        }
    }
    if count <= MOST_COUNTED {
        issues.give_up(Aspect::Animations, "keys", path, (count - keys.len(), count));
    }
    (!keys.is_empty()).then_some(Animation { name, keys })
}

/// The text of a tree as far as it can be read: a number at its end may be half of another.
fn tree_text(rest: &[u8], instances: usize) -> Vec<u8> {
    let text = rest.split(|byte| *byte == 0).next().unwrap_or_default();
    let digits = text.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let mut text = text.get(..text.len() - digits).unwrap_or_default();
    // Up to what cannot be read at all.
    while let Err(fault) = Tree::parse(text, instances) {
        text = text.get(..fault.at.start.min(text.len().saturating_sub(1))).unwrap_or_default();
        if text.is_empty() {
            break;
        }
    }
    text.to_vec()
}

/// The model with what is whole of a cut record, and a place for everything that has none any more.
pub(super) fn shown<'a>(model: &'a Model, issues: &mut Issues) -> Cow<'a, Model> {
    let Some(cut) = model.cut.as_deref() else { return Cow::Borrowed(model) };
    let mut whole = model.clone();
    whole.cut = None;
    whole.geometries.extend(cut.geometry.clone());
    whole.collections.extend(cut.collection.clone());
    let mut places = model.parsed_tree().map(|tree| tree.places).unwrap_or_default();
    let placed: BTreeSet<usize> = places.iter().map(|place| place.instance).collect();
    let mut added = 0usize;
    for instance in (0..whole.instances.len()).filter(|instance| !placed.contains(instance)) {
        places.push(Place { instance, parent: None, depth: 0 });
        added += 1;
    }
    let used: BTreeSet<u32> = whole.instances.iter().map(|instance| instance.geometry).collect();
    let material = u32::from(!whole.materials.is_empty());
    for (geometry, index) in (1u32..).zip(0..whole.geometries.len()) {
        let Some(record) = whole.geometries.get(index).filter(|_| !used.contains(&geometry)) else {
            continue;
        };
        if record.indices.is_empty() {
            continue;
        }
        let name = record.name.clone();
        places.push(Place { instance: whole.instances.len(), parent: None, depth: 0 });
        whole.instances.push(Instance { name, geometry, material, ..Instance::default() });
        added += 1;
    }
    if added > 0 {
        let message = format!("{added} objects whose places in the scene are gone are shown where they are");
        issues.push(Issue::new(&codes::SHOWN_GEOMETRY, "header", message));
    }
    whole.tree = Tree::to_text(&places);
    Cow::Owned(whole)
}
