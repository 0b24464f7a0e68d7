//! Pictures that are not there. A GLB is whole by itself, and programs differ in what they do with a picture that it
//! names and that they cannot find: some show magenta, some refuse the file. So nothing refers to such a picture; what
//! would have is noted in the extras and put back when the file is read.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::extras::OWN;
use super::json::{Document, Image, Material};
use super::model::Model;
use super::notes::Note as _;
use super::notes::in_file::FileNote;
use super::uri;

/// What would refer to pictures that are not there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Missing {
    /// The pictures, each with its place in the list.
    images: Vec<(u32, Image)>,
    /// Textures, and the pictures that they show.
    sources: Vec<(u32, u32)>,
    /// Uses of such textures by materials.
    slots: Vec<Slot>,
}

/// A use of a texture by a material.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Slot {
    material: u32,
    /// The keys that lead to it in the material's JSON.
    path: Vec<String>,
    /// What stands there.
    info: Value,
}

/// Takes pictures out of a document that only their names say where they are, with all that refers to them.
pub(super) fn take_out(document: &mut Document) -> Option<Missing> {
    let is_gone = |image: &Image| {
        image.buffer_view.is_none() && image.uri.as_deref().is_none_or(|uri| !uri::is_data(uri))
    };
    let by_extension = document.textures.iter().any(|texture| !texture.extensions.is_empty());
    if by_extension || !document.images.iter().any(is_gone) {
        return None;
    }
    let mut missing = Missing::default();
    let mut numbers: Vec<Option<u32>> = Vec::with_capacity(document.images.len());
    let mut kept = Vec::new();
    for (at, image) in (0..).zip(std::mem::take(&mut document.images)) {
        if is_gone(&image) {
            numbers.push(None);
            missing.images.push((at, image));
        } else {
            numbers.push(Some(kept.len() as u32));
            kept.push(image);
        }
    }
    document.images = kept;
    let mut gone = BTreeSet::new();
    for (index, texture) in (0u32..).zip(&mut document.textures) {
        let Some(source) = texture.source else { continue };
        texture.source = numbers.get(source as usize).copied().flatten();
        if texture.source.is_none() {
            missing.sources.push((index, source));
            gone.insert(u64::from(index));
        }
    }
    for (index, material) in (0u32..).zip(&mut document.materials) {
        take_slots(index, material, &gone, &mut missing.slots);
    }
    Some(missing)
}

fn take_slots(index: u32, material: &mut Material, gone: &BTreeSet<u64>, slots: &mut Vec<Slot>) {
    let Ok(mut json) = serde_json::to_value(&*material) else { return };
    let first = slots.len();
    let mut open = vec![(&json, Vec::new())];
    while let Some((value, path)) = open.pop() {
        for (key, inner) in value.as_object().into_iter().flatten().filter(|(key, _)| *key != "extras") {
            let path: Vec<String> = path.iter().chain([key]).cloned().collect();
            let texture = inner.get("index").and_then(Value::as_u64);
            if key.ends_with("exture") && texture.is_some_and(|texture| gone.contains(&texture)) {
                slots.push(Slot { material: index, path, info: inner.clone() });
            } else {
                open.push((inner, path));
            }
        }
    }
    let taken = slots.get(first..).unwrap_or_default();
    for slot in taken {
        if let Some((last, parents)) = slot.path.split_last()
            && let Some(object) = inside(&mut json, parents).and_then(Value::as_object_mut)
        {
            object.shift_remove(last);
        }
    }
    match serde_json::from_value(json) {
        Ok(without) if !taken.is_empty() => *material = without,
        _ => {}
    }
}

/// The value that keys lead to.
fn inside<'a>(value: &'a mut Value, keys: &[String]) -> Option<&'a mut Value> {
    keys.iter().try_fold(value, |value, key| value.as_object_mut()?.get_mut(key))
}

/// What was taken out of a document, by its note.
fn noted(document: &Document) -> Option<Missing> {
    let notes = document.extras.as_ref()?.get(OWN)?.as_object()?;
    FileNote::read(notes).missing_pictures
}

/// The names of the pictures that only the note has.
pub(super) fn only_noted(document: &Document) -> BTreeSet<String> {
    let name = |image: &Image| image.uri.as_deref().map(uri::decode);
    let shown: BTreeSet<String> = document.images.iter().filter_map(name).collect();
    let missing = noted(document).unwrap_or_default();
    let names = missing.images.iter().filter_map(|(_, image)| name(image));
    names.filter(|name| !shown.contains(name)).collect()
}

/// The model with the pictures that were taken out; `None` when none were, or the note does not fit.
pub(super) fn put_back(model: &Model) -> Option<Model> {
    let missing = noted(&model.document)?;
    let mut document = model.document.clone();
    let mut kept = std::mem::take(&mut document.images).into_iter();
    let mut gone = missing.images.into_iter().peekable();
    let mut numbers = Vec::new();
    loop {
        let next = document.images.len() as u32;
        if let Some((_, image)) = gone.next_if(|(at, _)| *at <= next) {
            document.images.push(image);
        } else if let Some(image) = kept.next() {
            numbers.push(next);
            document.images.push(image);
        } else {
            break;
        }
    }
    // A picture whose place is past the end of the list has none.
    for texture in &mut document.textures {
        texture.source =
            texture.source.map(|source| numbers.get(source as usize).copied().unwrap_or(u32::MAX));
    }
    for (texture, image) in missing.sources {
        if let Some(texture) = document.textures.get_mut(texture as usize)
            && texture.source.is_none()
            && (image as usize) < document.images.len()
        {
            texture.source = Some(image);
        }
    }
    for slot in missing.slots {
        put_slot(&mut document, slot);
    }
    Some(Model { document, ..model.clone() })
}

fn put_slot(document: &mut Document, slot: Slot) {
    let textures = document.textures.len() as u64;
    let exists = slot.info.get("index").and_then(Value::as_u64).is_some_and(|index| index < textures);
    let Some(material) = document.materials.get_mut(slot.material as usize).filter(|_| exists) else {
        return;
    };
    let Some(((last, parents), mut json)) = slot.path.split_last().zip(serde_json::to_value(&*material).ok())
    else {
        return;
    };
    let Some(object) = inside(&mut json, parents).and_then(Value::as_object_mut) else { return };
    if !object.contains_key(last) {
        object.insert(last.clone(), slot.info);
        if let Ok(with) = serde_json::from_value(json) {
            *material = with;
        }
    }
}
