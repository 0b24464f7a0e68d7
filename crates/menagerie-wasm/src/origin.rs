//! From the picture to the bytes, and back.

use menagerie::bytes::{ByteMap, Span};
use menagerie::formats::Elements;
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::document::Document;

#[wasm_bindgen]
impl Document {
    /// Where a triangle or a vertex of a primitive is in the file, as JSON: its path and bytes; null where nobody knows.
    #[must_use]
    pub fn origin(&self, mesh: usize, primitive: usize, what: &str, element: usize) -> String {
        self.find_origin(mesh, primitive, what, element).unwrap_or(Value::Null).to_string()
    }

    fn find_origin(&self, mesh: usize, primitive: usize, what: &str, element: usize) -> Option<Value> {
        let origin = self.provenance.meshes.get(mesh)?.get(primitive)?;
        let elements = if what == "vertex" { &origin.vertices } else { &origin.triangles };
        let Span { start, end } = elements.span_of(element, self.byte_map()?)?;
        Some(
            json!({ "path": elements.path_of(element), "start": start, "end": end, "inside": self.is_inside(&elements.path) }),
        )
    }

    /// What of the picture a byte belongs to, as JSON: vertices, triangles, a node, a material, an animation.
    #[must_use]
    pub fn shown_by(&self, byte: f64, inside: bool) -> String {
        let byte = byte as u64;
        let path = self.way_to(byte, inside).map(|(_, _, path)| path).unwrap_or_default();
        let mut found = json!({});
        if let Some(fields) = found.as_object_mut() {
            for (name, list) in [
                ("node", &self.provenance.nodes),
                ("material", &self.provenance.materials),
                ("camera", &self.provenance.cameras),
                ("light", &self.provenance.lights),
                ("animation", &self.provenance.animations),
            ] {
                if let Some(index) = deepest(list, &path) {
                    fields.insert(name.to_owned(), index.into());
                }
            }
            fields.insert("elements".to_owned(), self.elements_at(&path, byte, inside).into());
            fields.insert("primitives".to_owned(), self.primitives_at(&path).into());
        }
        found.to_string()
    }
}

/// The most elements that are named for one byte.
const MOST: usize = 64;

impl Document {
    /// Whether a path leads into what was decoded.
    fn is_inside(&self, path: &str) -> bool {
        let Some(map) = self.byte_map() else { return false };
        let root = crate::structure::Part::root(map);
        crate::structure::step(&root, path).is_some_and(|(_, part, _)| part.holds_inside())
    }

    /// The vertices and triangles that have a byte.
    fn elements_at(&self, path: &str, byte: u64, inside: bool) -> Vec<Value> {
        let mut list = Vec::new();
        let Some(map) = self.byte_map() else { return list };
        for (mesh, origins) in self.provenance.meshes.iter().enumerate() {
            for (index, origin) in origins.iter().enumerate() {
                let Some(primitive) = self.primitive(mesh, index) else { continue };
                let triangles = primitive.indices.len() / 3;
                for (what, elements, length) in [
                    ("vertex", &origin.vertices, primitive.positions.len()),
                    ("triangle", &origin.triangles, triangles),
                ] {
                    let elements_inside = self.is_inside(&elements.path);
                    let Some(number) = number_at(map, elements, path, byte, inside, elements_inside) else {
                        continue;
                    };
                    for element in elements.with_number(number, length).into_iter().take(MOST) {
                        list.push(
                            json!({ "mesh": mesh, "primitive": index, "what": what, "element": element }),
                        );
                    }
                }
            }
        }
        list.truncate(MOST);
        list
    }

    /// The primitives whose part of the file a path leads into.
    fn primitives_at(&self, path: &str) -> Vec<Value> {
        let origins = self.provenance.meshes.iter().enumerate();
        let all = origins.flat_map(|(mesh, list)| {
            list.iter().enumerate().map(move |(index, origin)| (mesh, index, origin))
        });
        let within = |origin: &&str| !origin.is_empty() && is_below(path, origin);
        all.filter(|(_, _, origin)| within(&origin.path.as_str()))
            .take(MOST)
            .map(|(mesh, primitive, _)| json!({ "mesh": mesh, "primitive": primitive }))
            .collect()
    }
}

/// Whether a path is that of a part or leads into it.
fn is_below(path: &str, part: &str) -> bool {
    path.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

/// The element whose part of the file a path leads into; of several, that with the longest path.
fn deepest(list: &[String], path: &str) -> Option<usize> {
    let fits = list.iter().enumerate().filter(|(_, part)| !part.is_empty() && is_below(path, part));
    fits.rev().max_by_key(|(_, part)| part.len()).map(|(index, _)| index)
}

/// The number in the file's list of the element that has a byte.
fn number_at(
    map: &ByteMap,
    elements: &Elements,
    path: &str,
    byte: u64,
    inside: bool,
    elements_inside: bool,
) -> Option<usize> {
    if let Some(bytes) = elements.bytes {
        // The path may lead to other bytes than those that were decoded, with the same numbers.
        let list = map.find(&elements.path).filter(|_| elements_inside == inside && bytes.stride > 0)?;
        let offset = byte.checked_sub(list.start.checked_add(bytes.start)?)?;
        let number = offset / bytes.stride;
        let within = offset % bytes.stride < bytes.size && number < bytes.count;
        return usize::try_from(number).ok().filter(|_| within);
    }
    if elements.path.is_empty() {
        return None;
    }
    let (number, _) = path.strip_prefix(elements.path.as_str())?.strip_prefix('[')?.split_once(']')?;
    let number: usize = number.parse().ok()?;
    Some(number / elements.records.max(1))
}
