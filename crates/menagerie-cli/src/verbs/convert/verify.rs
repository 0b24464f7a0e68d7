//! `--verify`: the result is read back and measured against the source.

use std::fmt::Write as _;
use std::sync::Arc;

use menagerie::convert::{Conversion, ConvertOptions, resolve_textures_within};
use menagerie::diag::Loss;
use menagerie::diff::{DiffOptions, DiffReport, Difference, diff_within};
use menagerie::formats::{Files, Format, NotFound, ReadOptions};
use menagerie::scene::{Scene, check};
use serde_json::{Value, json};

/// What was found when the result was read back.
pub(super) struct Verdict {
    report: DiffReport,
    /// What no loss announced, or not as large as it is.
    unannounced: Vec<Difference>,
    /// Losses that were announced and did not happen.
    unseen: Vec<Loss>,
    /// Whether the source lacks something.
    damaged: bool,
}

/// Reads the result of a conversion back, with the files that go beside it, and compares it with the source.
pub(super) fn verify(
    conversion: &Conversion,
    source: &[u8],
    how: &ConvertOptions<'_>,
) -> Result<Verdict, String> {
    let beside = BesideFiles(&conversion.output.beside);
    let mut options = how.read.clone();
    let of_source;
    let before = match &conversion.scene {
        Some(scene) => scene,
        None => {
            of_source = scene_of(conversion.from, source, &options)?;
            &of_source
        }
    };
    if conversion.scene.is_some() {
        options.files = &beside;
    }
    let after = scene_of(conversion.to, &conversion.output.bytes, &options)?;
    let checked = |scene| check(scene).map_err(|broken| format!("cannot be compared: {broken}"));
    let mut closely = DiffOptions::default();
    // What only one format knows is what that format's options change: such a difference was asked for.
    closely.extras = how.read.settings.is_empty() && how.write.settings.is_empty();
    let report = diff_within(checked(before)?, checked(&after)?, &closely, &how.read.limits)
        .map_err(|over| format!("cannot be compared: {over}"))?;
    let unannounced = report.unannounced(&conversion.losses).cloned().collect();
    let unseen = report.unseen(&conversion.losses).cloned().collect();
    Ok(Verdict { report, unannounced, unseen, damaged: conversion.issues.is_damaged() })
}

fn scene_of(format: &Format, bytes: &[u8], options: &ReadOptions<'_>) -> Result<Scene, String> {
    let reading = format.open(bytes, options);
    let Some(model) = reading.model else {
        let why = reading.issues.iter().last().map(ToString::to_string).unwrap_or_default();
        return Err(format!("the result cannot be read back: {why}"));
    };
    let mut scene =
        model.lift(options).map_err(|issue| format!("the result cannot be read back: {issue}"))?.scene;
    resolve_textures_within(&mut scene, options.files, &options.limits);
    Ok(scene)
}

impl Verdict {
    /// Whether every difference was announced by a loss.
    pub(super) fn good(&self) -> bool {
        self.unannounced.is_empty()
    }

    pub(super) fn text(&self) -> String {
        if self.report.is_equal() && self.unseen.is_empty() {
            let what = if self.damaged { "what could be read of the damaged source" } else { "the source" };
            return format!("  verified: read back, it is equal to {what}");
        }
        let all = self.report.differences.len();
        let mut text = match self.unannounced.len() {
            0 => format!("  verified: read back, it differs in {all} respects, all of them reported above"),
            n => {
                format!("  NOT verified: read back, it differs in {all} respects, and {n} were not reported:")
            }
        };
        for difference in &self.unannounced {
            let _ = write!(text, "\n    {difference} [{}]", difference.code());
        }
        for loss in &self.unseen {
            let _ = write!(text, "\n    reported and not found: {} [{}]", loss.message, loss.code());
        }
        text
    }

    /// The JSON of `diff`, and how many of the differences no loss announced.
    pub(super) fn to_json(&self) -> Value {
        let mut value = self.report.to_json();
        if let Some(fields) = value.as_object_mut() {
            fields.insert("unreported".to_owned(), json!(self.unannounced.len()));
        }
        value
    }
}

/// The files that go beside a result, before they are written.
struct BesideFiles<'a>(&'a [(String, Vec<u8>)]);

impl Files for BesideFiles<'_> {
    fn open(&self, name: &str) -> Result<Arc<[u8]>, NotFound> {
        let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
        // Some formats store names without extension.
        let stem = |file: &str| file.rsplit_once('.').is_some_and(|(stem, _)| stem == base);
        let exact = self.0.iter().find(|(file, _)| file == base || file == name);
        let found = exact.or_else(|| self.0.iter().find(|(file, _)| stem(file)));
        found.map(|(_, bytes)| Arc::from(bytes.as_slice())).ok_or_else(NotFound::default)
    }
}
