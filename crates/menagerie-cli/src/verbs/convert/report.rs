//! What became of each input.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Result;
use menagerie::convert::{Changes, Conversion, TextureStatus};
use menagerie::diag::{Issue, Loss, LossKind, LossReport, Severity};
use menagerie::formats::Format;
use menagerie::scene::{Pose, Scene};
use serde_json::{Value, json};

use super::args::{FailOn, SharedArgs};
use super::changes;
use super::target::{Out, Place, Target};
use super::verify::Verdict;
use super::{Failure, Job};
use crate::exit::Exit;
use crate::selector::{self, Weight};
use crate::{json, output};

/// Losses of one file that are shown in the table; the rest is counted.
const SHOWN: usize = 40;

/// What became of one input.
pub(super) struct Report {
    name: String,
    from: Option<&'static Format>,
    to: &'static Format,
    output: Option<String>,
    bytes_before: usize,
    /// The diagonal of the model, where it has one.
    size: Option<f64>,
    /// Whether lengths were multiplied.
    scaled: bool,
    bytes: usize,
    beside: Vec<String>,
    losses: LossReport,
    textures: Vec<TextureStatus>,
    issues: Vec<Issue>,
    /// What the target's engine does with the result.
    engine: Vec<Issue>,
    verdict: Option<Verdict>,
    changes: Option<Changes>,
    error: Option<String>,
}

impl Report {
    pub(super) fn failed(name: String, to: &'static Format, failure: Failure) -> Self {
        Self {
            name,
            from: failure.from,
            to,
            output: None,
            bytes_before: 0,
            size: None,
            scaled: false,
            bytes: 0,
            beside: Vec::new(),
            losses: LossReport::new(),
            textures: Vec::new(),
            issues: failure.issues,
            engine: Vec::new(),
            verdict: None,
            changes: None,
            error: Some(failure.error),
        }
    }

    pub(super) fn done(
        (name, bytes_before, scaled): (String, usize, bool),
        place: &Place,
        conversion: Conversion,
        beside: Vec<String>,
        verdict: Option<Verdict>,
    ) -> Self {
        let output = match place {
            Place::Stdout => "-".to_owned(),
            Place::File(path) => path.display().to_string(),
        };
        Self {
            name,
            from: Some(conversion.from),
            to: conversion.to,
            output: Some(output),
            bytes_before,
            size: conversion.scene.as_ref().and_then(size),
            scaled,
            bytes: conversion.output.bytes.len(),
            beside,
            losses: conversion.losses,
            textures: conversion.textures,
            issues: conversion.issues.into_sorted(),
            engine: conversion.engine.into_sorted(),
            verdict,
            changes: conversion.changes,
            error: None,
        }
    }

    pub(super) fn exit(&self, args: &SharedArgs) -> Exit {
        match &self.error {
            Some(_) => Exit::CouldNot,
            None if self.losses.losses().any(|loss| self.fails(loss, args)) => Exit::Wrong,
            None if self.verdict.as_ref().is_some_and(|verdict| !verdict.good()) => Exit::Wrong,
            None => Exit::Fine,
        }
    }

    /// What is known about the source's unit, when the target means metres and the model does not look as if it did.
    fn unit_hint(&self) -> Option<String> {
        let (from, size) = (self.from?, self.size?);
        let metres = f64::from(from.metres.filter(|metres| *metres != 1.0)?);
        (self.to.metres == Some(1.0) && !self.scaled).then(|| {
            format!(
                "  {size:.3} units from corner to corner; the engine of {} draws {:.0} a metre: --unit engine makes metres of it",
                from.name,
                1.0 / metres
            )
        })
    }

    /// Whether a loss is one that the options do not let pass.
    fn fails(&self, loss: &Loss, args: &SharedArgs) -> bool {
        let too_far = |max_error: f32| {
            loss.error.is_some_and(|(stats, unit)| {
                let size = if unit == "scene units" { self.size.unwrap_or(1.0) } else { 1.0 };
                stats.max > f64::from(max_error) * size
            })
        };
        match selector::weigh(loss.code(), &args.deny, &args.allow) {
            Weight::Allowed => false,
            Weight::Denied => true,
            Weight::Plain => {
                loss.kind == LossKind::Damaged
                    || match args.fail_on_loss {
                        Some(FailOn::Any) => true,
                        Some(FailOn::Dropped) => loss.kind == LossKind::Dropped,
                        None => false,
                    }
                    || args.max_error.is_some_and(too_far)
            }
        }
    }

    /// Whether the source lacks something.
    fn is_damaged(&self) -> bool {
        self.losses.losses().any(|loss| loss.kind == LossKind::Damaged)
    }

    /// What became of the model, in a few words.
    fn headline(&self) -> String {
        let damage = self.losses.losses().filter(|loss| loss.kind == LossKind::Damaged);
        let damage: Vec<&str> = damage.map(|loss| loss.message.as_str()).collect();
        let lost = self.losses.len() - damage.len();
        let lost = (lost > 0).then(|| output::count(lost, "loss", "losses"));
        let damaged = (!damage.is_empty()).then(|| format!("damaged: {}", damage.join(", ")));
        let words: Vec<String> = damaged.into_iter().chain(lost).collect();
        if words.is_empty() { "nothing lost".to_owned() } else { words.join("; ") }
    }

    fn to_json(&self, shows_changes: bool) -> Value {
        let losses: Vec<Value> = self.losses.iter().map(Loss::to_json).collect();
        let requested: Vec<Value> = self.losses.requested().map(Loss::to_json).collect();
        let mut value = json!({
            "file": self.name,
            "output": self.output,
            "from": self.from.map(|format| format.id),
            "to": self.to.id,
            "bytes": self.bytes,
            "beside": self.beside,
            "losses": losses,
            "requested": requested,
            "textures": json::textures(&self.textures),
            "issues": json::issues(&self.issues),
            "engine": json::issues(&self.engine),
            "verify": self.verdict.as_ref().map(Verdict::to_json),
            "error": self.error,
        });
        if let (true, Some(fields)) = (shows_changes, value.as_object_mut()) {
            let size = (self.bytes_before, self.bytes);
            fields.extend(changes::to_json(self.changes.as_ref(), size));
        }
        value
    }
}

/// The diagonal of a model.
fn size(scene: &Scene) -> Option<f64> {
    Pose::rest(scene).bounds(scene).map(|bounds| f64::from(bounds.diagonal()))
}

/// Says what happened: on standard output, or on standard error where that is taken.
pub(super) fn print(reports: &[Report], job: &Job<'_>, target: &Target) -> Result<()> {
    let args = job.args;
    if args.json {
        output::print_json(&reports.iter().map(|report| report.to_json(job.shows_changes)).collect())?;
    } else {
        let text = text(reports, job.shows_changes);
        let taken = matches!(target.out, Out::Stdout) || args.loss_report.as_deref() == Some(Path::new("-"));
        if taken { output::message(format_args!("{}", text.trim_end())) } else { output::print(&text)? }
    }
    for (name, error) in reports.iter().filter_map(|r| Some((&r.name, r.error.as_ref()?))) {
        output::message(format_args!("error: {name}: {error}"));
    }
    Ok(())
}

fn text(reports: &[Report], shows_changes: bool) -> String {
    let mut lines = Vec::new();
    for report in reports {
        let (Some(from), Some(out)) = (report.from, &report.output) else { continue };
        let lost = report.headline();
        let (name, bytes) = (&report.name, report.bytes);
        lines.push(format!("{name} → {out}: {} to {}, {bytes} bytes, {lost}", from.name, report.to.name));
        if let Some(done) = report.changes.as_ref().filter(|_| shows_changes) {
            lines.push(changes::text(done, (report.bytes_before, bytes)));
        }
        lines.extend(report.unit_hint());
        lines.extend(table("lost", report.losses.losses()));
        lines.extend(table("added", report.losses.additions()));
        lines.extend(table("asked for", report.losses.requested()));
        lines.extend(report.verdict.as_ref().map(Verdict::text));
        for texture in report.textures.iter().filter(|texture| !texture.found) {
            lines.push(format!("  texture {} is missing: {}", texture.name, texture.reason));
        }
        for issue in report.issues.iter().filter(|issue| issue.severity != Severity::Info) {
            lines.push(format!("  {}: {issue} [{}]", issue.severity, issue.code));
        }
        for issue in &report.engine {
            lines.push(format!("  in the engine: {issue} [{}]", issue.code));
        }
    }
    if reports.len() > 1 {
        let failed = reports.iter().filter(|report| report.error.is_some()).count();
        let damaged = reports.iter().filter(|report| report.is_damaged()).count();
        let lossy = reports.iter().filter(|report| !report.losses.is_lossless()).count();
        let files = output::count(reports.len() - failed, "file", "files");
        lines.push(format!("{files} converted, {lossy} with losses, {damaged} damaged, {failed} failed"));
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

/// A table with a row for what happened, however many parts of the model it happened to; nothing when nothing did.
fn table<'a>(title: &str, losses: impl Iterator<Item = &'a Loss>) -> Option<String> {
    let rows = grouped(losses);
    let mut table = output::table(["code", title, "count", "largest error"]);
    for loss in rows.iter().take(SHOWN) {
        let error = loss.error.map(|(stats, unit)| format!("{:.3e} {unit}", stats.max)).unwrap_or_default();
        let what = format!("{}: {}", loss.kind, loss.message);
        table.add_row([loss.code().id.to_owned(), what, loss.count.to_string(), error]);
    }
    let mut text = table.to_string();
    if rows.len() > SHOWN {
        text += &format!("\n  … {} more; --loss-report has them all", rows.len() - SHOWN);
    }
    (!rows.is_empty()).then_some(text)
}

/// The losses, with one for all that differ in nothing but their place and size.
fn grouped<'a>(losses: impl Iterator<Item = &'a Loss>) -> Vec<Loss> {
    let mut rows: Vec<Loss> = Vec::new();
    let mut row_of = BTreeMap::new();
    for loss in losses {
        let unit = loss.error.map(|(_, unit)| unit);
        let key = (loss.code().id, loss.kind.to_string(), loss.message.as_str(), unit);
        match row_of.get(&key).and_then(|row: &usize| rows.get_mut(*row)) {
            None => {
                row_of.insert(key, rows.len());
                rows.push(loss.clone());
            }
            Some(row) => {
                row.count += loss.count;
                if let (Some((stats, _)), Some((more, _))) = (&mut row.error, loss.error) {
                    stats.merge(more);
                }
            }
        }
    }
    rows
}

/// Writes the loss report: of one input its object, of several an array of those that were converted.
pub(super) fn write_losses(reports: &[Report], path: &Path) -> Result<()> {
    let value = |report: &Report| {
        report.output.as_ref()?;
        let mut value = report.losses.to_json(report.from?.id, report.to.id);
        if reports.len() > 1 {
            value.as_object_mut()?.insert("file".to_owned(), json!(report.name));
        }
        Some(value)
    };
    let value = match reports {
        [only] => value(only),
        several => Some(several.iter().filter_map(value).collect()),
    };
    let Some(value) = value else { return Ok(()) };
    if path == Path::new("-") {
        return output::print_json(&value);
    }
    output::write_file(path, format!("{value:#}\n").as_bytes())
}
