//! Conversions, with the options that the program has, and differences.

use glam::Vec3;
use menagerie::convert::{Conversion, ConvertOptions, HiddenParts, convert};
use menagerie::diag::Issues;
use menagerie::diff::{DiffOptions, diff};
use menagerie::formats::{Format, MissingTextures, Output, Purpose};
use menagerie::ops::distances_to_surface;
use menagerie::scene::check;
use serde_json::{Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::document::{Document, issue_json};

/// A conversion: the files, and what it cost.
#[wasm_bindgen]
pub struct Converted {
    report: Value,
    files: Vec<(String, Vec<u8>)>,
}

#[wasm_bindgen]
impl Converted {
    /// What it cost, as JSON: the losses as `convert --loss-report` has them, issues, what the engine does with it, and the
    /// names and sizes of the files; `error` where nothing could be written.
    #[must_use]
    pub fn report(&self) -> String {
        self.report.to_string()
    }

    /// The bytes of a file of the result.
    #[must_use]
    pub fn file(&self, index: usize) -> Vec<u8> {
        self.files.get(index).map(|(_, bytes)| bytes.clone()).unwrap_or_default()
    }
}

/// A text option.
fn text<'a>(options: &'a Value, name: &str) -> Option<&'a str> {
    options.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn positive(options: &Value, name: &str) -> Option<f32> {
    let number = options.get(name).and_then(Value::as_f64).map(|number| number as f32);
    number.filter(|number| number.is_finite() && *number > 0.0)
}

fn flag(options: &Value, name: &str) -> Option<bool> {
    options.get(name).and_then(Value::as_bool)
}

#[wasm_bindgen]
impl Document {
    /// Converts the model to the format of an extension. The options are those of `menagerie convert`, as a JSON object.
    #[must_use]
    pub fn convert(&self, extension: &str, options: &str) -> Converted {
        let asked: Value = serde_json::from_str(options).unwrap_or_default();
        let Some(to) = Format::by_extension(extension) else {
            return failed(format!("there is no format with the extension .{extension}"), &Issues::default());
        };
        let base = self.name.rsplit(['/', '\\']).next().unwrap_or(&self.name);
        let stem = base.rsplit_once('.').map_or(base, |(stem, _)| stem);
        let name = format!("{stem}.{extension}");
        let mut options = ConvertOptions::default();
        options.read.files = &self.given;
        options.read.fps = positive(&asked, "fps");
        options.write.fps = options.read.fps;
        options.read.shared = Some(self.bytes.clone());
        options.write.stem = stem.to_owned();
        options.write.extension = extension.to_owned();
        options.scale = positive(&asked, "scale").filter(|factor| *factor != 1.0);
        options.flip_v = flag(&asked, "flip-v").unwrap_or(false);
        options.rebuild = flag(&asked, "rebuild").unwrap_or(false);
        options.strict = flag(&asked, "strict").unwrap_or(false);
        options.write.embed_textures = flag(&asked, "embed-textures");
        options.write.purpose = match text(&asked, "for") {
            Some("engine") => Purpose::Engine,
            Some("document") => Purpose::Document,
            _ => Purpose::Both,
        };
        options.hidden = match text(&asked, "hidden") {
            Some("show") => HiddenParts::Show,
            _ => HiddenParts::Drop,
        };
        options.write.missing_textures = match text(&asked, "missing-textures") {
            Some("placeholder") => MissingTextures::Placeholder,
            Some("reference") => MissingTextures::Reference,
            _ => MissingTextures::Name,
        };
        for format in menagerie::formats::known() {
            for option in format.options {
                let Some(value) = text(&asked, option.name) else { continue };
                if option.reading {
                    options.read.settings.set(option.name, value);
                }
                options.write.settings.set(option.name, value);
            }
        }
        match convert(&self.bytes, Some(&self.name), to, &options) {
            Ok(conversion) => done(conversion, name),
            Err(failure) => {
                let why = failure.issues.iter().last().map(|issue| format!("{issue} [{}]", issue.code));
                failed(why.unwrap_or_else(|| "cannot be converted".to_owned()), &failure.issues)
            }
        }
    }

    /// What differs from another model, as the JSON that `diff --json` prints; `error` where one of them has no Scene.
    #[must_use]
    pub fn diff(&self, other: &Document) -> String {
        let scenes = self.scene.as_ref().zip(other.scene.as_ref());
        let checked = scenes.and_then(|(a, b)| Some((check(a).ok()?, check(b).ok()?)));
        match checked {
            Some((a, b)) => diff(a, b, &DiffOptions::default()).to_json(),
            None => json!({ "error": "one of the files has nothing that can be compared" }),
        }
        .to_string()
    }
}

/// How far points are from a surface. Three numbers a point; nine a triangle. Not a number where that cannot be said.
#[wasm_bindgen]
#[must_use]
pub fn distances(corners: &[f32], points: &[f32]) -> Vec<f32> {
    let points_of =
        |list: &[f32]| -> Vec<Vec3> { list.as_chunks().0.iter().copied().map(Vec3::from_array).collect() };
    let (corners, points) = (points_of(corners), points_of(points));
    distances_to_surface(corners.as_chunks().0, &points)
}

fn failed(why: String, issues: &Issues) -> Converted {
    let issues: Vec<Value> = issues.iter().map(issue_json).collect();
    Converted { report: json!({ "error": why, "issues": issues, "files": [] }), files: Vec::new() }
}

fn done(conversion: Conversion, name: String) -> Converted {
    let losses: Vec<Value> = conversion.losses.iter().map(|loss| loss.to_json()).collect();
    let issues: Vec<Value> = conversion.issues.iter().map(issue_json).collect();
    let engine: Vec<Value> = conversion.engine.iter().map(issue_json).collect();
    let lossless = conversion.losses.is_lossless();
    let Output { bytes, beside } = conversion.output;
    let mut files = vec![(name, bytes)];
    files.extend(beside);
    let list: Vec<Value> =
        files.iter().map(|(name, bytes)| json!({ "name": name, "bytes": bytes.len() })).collect();
    let report = json!({
        "from": conversion.from.id, "to": conversion.to.id, "lossless": lossless, "losses": losses, "issues": issues,
        "engine": engine, "files": list,
    });
    Converted { report, files }
}
