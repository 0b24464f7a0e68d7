//! The library for the browser: what the viewer's page calls, from a worker.
//!
//! A [`Document`] is one model that somebody opened: its file model, its Scene, its byte map. Everything crosses as JSON
//! text or as plain lists of numbers, large things in slices. Nothing here fails by a panic: a file that cannot be read
//! is a document with issues and without a Scene.

mod convert;
mod document;
mod origin;
mod scene;
mod streams;
mod structure;

use menagerie::diag::Code;
use menagerie::formats::{Format, Holds};
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

pub use convert::{Converted, distances};
pub use document::{Beside, Document};

/// A code with its texts, as JSON; null for one that is not known.
#[wasm_bindgen]
pub fn explain(id: &str) -> String {
    let mut codes = menagerie::codes().chain(menagerie_render::CODES.iter().copied());
    codes.find(|code| code.id == id).map_or(Value::Null, code_json).to_string()
}

fn code_json(code: &Code) -> Value {
    json!({
        "code": code.id, "severity": code.severity.name(), "title": code.title,
        "document": menagerie::formats::document(code), "why": code.why, "fix": code.fix,
    })
}

/// All formats with what they hold and their options, as JSON.
#[wasm_bindgen]
pub fn formats() -> String {
    let formats: Vec<Value> = menagerie::formats::known().map(format_json).collect();
    Value::from(formats).to_string()
}

fn format_json(format: &Format) -> Value {
    let holds: Vec<Value> = format
        .capabilities
        .holds
        .iter()
        .map(|(aspect, holds, remark)| {
            let how = match holds {
                Holds::Fully => "fully",
                Holds::Partly => "partly",
                Holds::No => "no",
            };
            json!({ "aspect": aspect.name(), "how": how, "remark": remark })
        })
        .collect();
    let options: Vec<Value> = format.options.iter().map(|option| {
        json!({ "name": option.name, "values": option.values, "help": option.help, "reading": option.reading })
    }).collect();
    json!({
        "id": format.id, "name": format.name, "about": format.about, "extensions": format.extensions,
        "mime": format.mime, "unit": format.unit, "metres": format.metres, "holds": holds, "options": options,
    })
}
