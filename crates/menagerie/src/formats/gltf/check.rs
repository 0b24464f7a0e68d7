//! What is wrong in a file that could be read: references, ranges, declarations, bounds. What is wrong with single
//! vertices and keys shows when the Scene is made, and is said there.

use std::collections::BTreeSet;

use serde_json::Value;

use super::accessor::{Component, List};
use super::extras::refers;
use super::json::{Accessor, Object};
use super::model::Model;
use super::references::References;
use super::views::{COMPRESSION, Decoded, Views};
use super::{codes, extension};
use crate::bytes::Limits;
use crate::diag::{Aspect, Issue, Issues, Severity};

/// Extensions that a file may require: those that become part of the Scene, and those that only add to an element
/// what is carried along with it.
const ACCEPTED: [&str; 34] = [
    extension::LIGHTS,
    extension::UNLIT,
    extension::EMISSIVE_STRENGTH,
    extension::TEXTURE_TRANSFORM,
    extension::QUANTIZATION,
    extension::SPECULAR_GLOSSINESS,
    extension::LOD,
    extension::VISIBILITY,
    extension::POINTER,
    extension::INSTANCING,
    "EXT_meshopt_compression",
    "KHR_materials_anisotropy",
    "KHR_materials_clearcoat",
    "KHR_materials_diffuse_transmission",
    "KHR_materials_dispersion",
    "KHR_materials_ior",
    "KHR_materials_iridescence",
    "KHR_materials_sheen",
    "KHR_materials_specular",
    "KHR_materials_transmission",
    "KHR_materials_variants",
    "KHR_materials_volume",
    "KHR_node_hoverability",
    "KHR_node_selectability",
    "KHR_texture_basisu",
    "KHR_xmp_json_ld",
    "EXT_lights_image_based",
    "EXT_texture_avif",
    "EXT_texture_webp",
    "MSFT_screencoverage",
    "MSFT_texture_dds",
    "MSFT_packing_normalRoughnessMetallic",
    "MSFT_packing_occlusionRoughnessMetallic",
    "AGI_articulations",
];

/// An error for each extension that the file requires and that is not understood.
pub(super) fn required_extensions(model: &Model) -> Vec<Issue> {
    let required = model.document.extensions_required.iter().enumerate();
    let unknown = required.filter(|(_, name)| !ACCEPTED.contains(&name.as_str()));
    unknown
        .map(|(i, name)| {
            let pointer = format!("/extensionsRequired/{i}");
            let span = model.span_of(&pointer);
            let message =
                format!("the file cannot be read without the extension {name}, which is not understood");
            Issue::new(&codes::EXTENSION_REQUIRED, pointer, message).at(span)
        })
        .collect()
}

/// Finds what is wrong in a model, apart from what only shows when its Scene is made.
pub fn check(model: &Model, limits: &Limits, issues: &mut Issues) {
    // A file that needs more than is understood is no broken file: it can be written back as it is.
    let warned = required_extensions(model).into_iter();
    issues.extend(warned.map(|issue| Issue { severity: Severity::Warning, ..issue }));
    let checker = Checker { model, limits };
    checker.extensions(issues);
    checker.references(issues);
    checker.buffer_views(issues);
    checker.accessors(issues);
    checker.unknown_properties(issues);
}

struct Checker<'a> {
    model: &'a Model,
    limits: &'a Limits,
}

impl Checker<'_> {
    fn extensions(&self, issues: &mut Issues) {
        let document = &self.model.document;
        let mut used: Vec<(String, String)> = Vec::new();
        // The document as JSON again, so that no place where an extension can be is forgotten.
        let whole = serde_json::to_value(document).unwrap_or_default();
        find_extensions(&whole, &mut used);
        let declared: BTreeSet<&str> = document.extensions_used.iter().map(String::as_str).collect();
        for (name, pointer) in used {
            let value = whole.pointer(&pointer);
            let packs_views = COMPRESSION.contains(&name.as_str());
            let read = packs_views || name == extension::INSTANCING;
            if !read && value.is_some_and(|value| refers(&name, value)) {
                let message = format!("{name} refers to accessors or buffer views and is not carried along");
                issues.leave_out(Aspect::Extras, &message, pointer.clone(), 1);
                self.model.report(issues, &codes::EXTENSION_LOST, || pointer.clone(), || message);
            }
            if !declared.contains(name.as_str()) {
                let message = format!("{name} is not in extensionsUsed");
                self.model.report(issues, &codes::EXTENSION_UNDECLARED, || pointer, || message);
            }
        }
        for (i, name) in document.extensions_required.iter().enumerate() {
            if !declared.contains(name.as_str()) {
                let message = format!("{name} is required and not in extensionsUsed");
                let pointer = format!("/extensionsRequired/{i}");
                self.model.report(issues, &codes::EXTENSION_UNDECLARED, || pointer, || message);
            }
        }
    }

    fn references(&self, issues: &mut Issues) {
        References { model: self.model, issues }.check();
    }

    fn buffer_views(&self, issues: &mut Issues) {
        let d = &self.model.document;
        for (i, view) in d.buffer_views.iter().enumerate() {
            let Some(buffer) = d.buffers.get(view.buffer as usize) else { continue };
            let end = view.byte_offset.unwrap_or(0).checked_add(view.byte_length);
            if end.is_none_or(|end| end > buffer.byte_length) {
                let message = format!(
                    "{} bytes from {} on do not lie in the {} of buffer {}",
                    view.byte_length,
                    view.byte_offset.unwrap_or(0),
                    buffer.byte_length,
                    view.buffer
                );
                self.model.report(issues, &codes::VIEW_RANGE, || format!("/bufferViews/{i}"), || message);
            }
            if view.byte_stride.is_some_and(|stride| !(4..=252).contains(&stride) || stride % 4 != 0) {
                let message = "a stride is a multiple of four between 4 and 252";
                let pointer = || format!("/bufferViews/{i}/byteStride");
                self.model.report(issues, &codes::ACCESSOR_ALIGNMENT, pointer, || message.to_owned());
            }
        }
    }

    fn accessors(&self, issues: &mut Issues) {
        let decoded = Decoded::of(self.model, self.limits);
        for (view, reason) in decoded.failures() {
            let name = COMPRESSION[0];
            let pointer = || format!("/bufferViews/{view}/extensions/{name}");
            self.model.report(issues, &codes::MESHOPT, pointer, || reason.to_owned());
        }
        let views = Views::new(self.model, &decoded, self.limits);
        for (i, accessor) in self.model.document.accessors.iter().enumerate() {
            // Views that cannot be had are reported already, with all that is in them.
            let index = i as u32;
            if let Err(unreadable) = List::of(&views, index) {
                issues.push_with(unreadable.code, || unreadable.issue(self.model, index));
            } else {
                self.alignment(i, accessor, issues);
            }
        }
        super::data::check(self.model, &views, issues);
    }

    fn alignment(&self, index: usize, accessor: &Accessor, issues: &mut Issues) {
        let size = Component::from_gl(accessor.component_type).map_or(1, Component::size) as u64;
        let view = accessor.buffer_view.and_then(|view| self.model.document.buffer_views.get(view as usize));
        let Some(view) = view else { return };
        let offset = accessor.byte_offset.unwrap_or(0);
        let whole = view.byte_offset.unwrap_or(0).wrapping_add(offset);
        if !offset.is_multiple_of(size) || !whole.is_multiple_of(size) {
            let message = format!("it begins at byte {whole} of the buffer, which is no multiple of {size}");
            let pointer = || format!("/accessors/{index}/byteOffset");
            self.model.report(issues, &codes::ACCESSOR_ALIGNMENT, pointer, || message);
        }
    }

    fn unknown_properties(&self, issues: &mut Issues) {
        let d = &self.model.document;
        let mut found: Vec<(String, &Object)> =
            vec![(String::new(), &d.other), ("/asset".to_owned(), &d.asset.other)];
        macro_rules! list {
            ($($field:ident $name:literal),*) => {
                $(found.extend(d.$field.iter().enumerate().filter(|(_, e)| !e.other.is_empty())
                    .map(|(i, e)| (format!(concat!("/", $name, "/{}"), i), &e.other)));)*
            };
        }
        list!(scenes "scenes", nodes "nodes", meshes "meshes", materials "materials", textures "textures",
            images "images", samplers "samplers", cameras "cameras", skins "skins", animations "animations",
            accessors "accessors", buffer_views "bufferViews", buffers "buffers");
        for (i, mesh) in d.meshes.iter().enumerate() {
            for (k, p) in mesh.primitives.iter().enumerate().filter(|(_, p)| !p.other.is_empty()) {
                found.push((format!("/meshes/{i}/primitives/{k}"), &p.other));
            }
        }
        for (at, other) in found {
            for key in other.keys() {
                let pointer = || format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"));
                let left = "properties that the format does not define are left out";
                issues.leave_out(Aspect::Extras, left, at.clone(), 1);
                let message = || format!("{key:?} is not a property of the format");
                self.model.report(issues, &codes::UNKNOWN_PROPERTY, pointer, message);
            }
        }
    }
}

/// The extensions that a JSON value uses anywhere outside `extras`, each with the pointer of its first use.
pub(super) fn find_extensions(value: &Value, used: &mut Vec<(String, String)>) {
    let mut open = vec![(value, String::new())];
    while let Some((value, pointer)) = open.pop() {
        match value {
            Value::Object(object) => {
                for (key, inner) in object {
                    if key == "extras" {
                        continue;
                    }
                    if key == "extensions"
                        && let Value::Object(extensions) = inner
                    {
                        for name in extensions.keys() {
                            if !used.iter().any(|(known, _)| known == name) {
                                used.push((name.clone(), format!("{pointer}/extensions/{name}")));
                            }
                        }
                    }
                    open.push((inner, format!("{pointer}/{key}")));
                }
            }
            // Numbers have no extensions; a list begins with what it is a list of.
            Value::Array(list) if list.first().is_some_and(|first| first.is_object() || first.is_array()) => {
                open.extend(list.iter().enumerate().map(|(i, inner)| (inner, format!("{pointer}/{i}"))));
            }
            _ => {}
        }
    }
    used.sort();
}
