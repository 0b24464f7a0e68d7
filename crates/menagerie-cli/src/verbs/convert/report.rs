//! What became of each input.

use std::collections::BTreeMap;
use std::time::Duration;

use menagerie::convert::{Changes, Conversion, TextureStatus};
use menagerie::diag::{Issue, Loss, LossKind, LossReport, Severity, plain};
use menagerie::formats::Format;
use serde_json::{Value, json};

use super::Failure;
use super::args::{FailOn, SharedArgs};
use super::changes;
use super::target::Place;
use super::verify::Verdict;
use crate::exit::Exit;
use crate::inputs::Input;
use crate::manifest::{Entry, Stamp};
use crate::selector::{self, Weight};
use crate::{json, output};

/// Losses of one file that are shown in the table; the rest is counted.
const SHOWN: usize = 40;

/// What became of one input.
pub(super) struct Report {
    pub(super) name: String,
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
    pub(super) error: Option<String>,
    /// How it came about.
    pub(super) way: Way,
    time: Duration,
    /// The hash of what was written.
    hash: Option<String>,
    /// Vertices and triangles of the model, where it was looked into.
    geometry: Option<(u64, u64)>,
    /// What the source is known by, where that was looked up already.
    stamp: Option<Stamp>,
}

/// How a result came about.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Way {
    /// It is new.
    New,
    /// It took the place of another file.
    Replaced,
    /// It was there already and was left as it is.
    Skipped,
    /// An earlier run made it.
    Before(Entry),
}

impl Report {
    fn empty(name: String, to: &'static Format) -> Self {
        Self {
            name,
            from: None,
            to,
            output: None,
            bytes_before: 0,
            size: None,
            scaled: false,
            bytes: 0,
            beside: Vec::new(),
            losses: LossReport::new(),
            textures: Vec::new(),
            issues: Vec::new(),
            engine: Vec::new(),
            verdict: None,
            changes: None,
            error: None,
            way: Way::New,
            time: Duration::ZERO,
            hash: None,
            geometry: None,
            stamp: None,
        }
    }

    pub(super) fn failed(name: String, to: &'static Format, failure: Failure) -> Self {
        let Failure { from, issues, error } = failure;
        Self { from, issues, error: Some(error), ..Self::empty(name, to) }
    }

    /// Of an input whose result is there already.
    pub(super) fn skipped(name: String, to: &'static Format, place: &Place) -> Self {
        Self { output: Some(place.name()), way: Way::Skipped, ..Self::empty(name, to) }
    }

    /// Of an input that an earlier run did.
    pub(super) fn before(name: String, to: &'static Format, entry: Entry) -> Self {
        Self { error: entry.error.clone(), way: Way::Before(entry), ..Self::empty(name, to) }
    }

    /// The same with the time that it took.
    pub(super) fn after(self, time: Duration) -> Self {
        Self { time, ..self }
    }

    /// The same with what its source is known by, where that was looked up already.
    pub(super) fn of_source(self, stamp: Option<Stamp>) -> Self {
        Self { stamp, ..self }
    }

    /// The same, having taken the place of another file or not.
    pub(super) fn in_place_of(self, another: bool) -> Self {
        Self { way: if another { Way::Replaced } else { Way::New }, ..self }
    }

    pub(super) fn is_from_before(&self) -> bool {
        matches!(self.way, Way::Before(_))
    }

    pub(super) fn done(
        (name, bytes_before, scaled): (String, usize, bool),
        place: &Place,
        conversion: Conversion,
        beside: Vec<String>,
        verdict: Option<Verdict>,
        hash: Option<String>,
    ) -> Self {
        Self {
            from: Some(conversion.from),
            output: Some(place.name()),
            hash,
            geometry: conversion.drawn.map(|drawn| (drawn.vertices, drawn.triangles)),
            bytes_before,
            size: conversion.drawn.and_then(|drawn| drawn.diagonal),
            scaled,
            bytes: conversion.output.bytes.len(),
            beside,
            losses: conversion.losses,
            textures: conversion.textures,
            issues: conversion.issues.into_sorted(),
            engine: conversion.engine.into_sorted(),
            verdict,
            changes: conversion.changes,
            ..Self::empty(name, conversion.to)
        }
    }

    pub(super) fn exit(&self, args: &SharedArgs) -> Exit {
        if let Way::Before(entry) = &self.way {
            return match entry.exit {
                0 => Exit::Fine,
                1 => Exit::Wrong,
                _ => Exit::CouldNot,
            };
        }
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
    pub(super) fn is_damaged(&self) -> bool {
        if let Way::Before(entry) = &self.way {
            return entry.damaged;
        }
        self.losses.losses().any(|loss| loss.kind == LossKind::Damaged)
    }

    /// Whether the result lacks something that the source has, or has it otherwise.
    pub(super) fn is_lossy(&self) -> bool {
        match &self.way {
            Way::Before(entry) => entry.lossy,
            _ => !self.losses.is_lossless(),
        }
    }

    /// What became of the model, in a few words.
    fn headline(&self) -> String {
        let damage = self.losses.losses().filter(|loss| loss.kind == LossKind::Damaged);
        let damage: Vec<&str> = damage.map(|loss| loss.message.as_str()).collect();
        let lost = grouped(self.losses.losses().filter(|loss| loss.kind != LossKind::Damaged)).len();
        let lost = (lost > 0).then(|| output::count(lost, "loss", "losses"));
        let damaged = (!damage.is_empty()).then(|| format!("damaged: {}", damage.join(", ")));
        let words: Vec<String> = damaged.into_iter().chain(lost).collect();
        if words.is_empty() { "nothing lost".to_owned() } else { words.join("; ") }
    }

    pub(super) fn to_json(&self, shows_changes: bool) -> Value {
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
            "replaced": self.way == Way::Replaced,
            "skipped": self.way == Way::Skipped,
        });
        if let (true, Some(fields)) = (shows_changes, value.as_object_mut()) {
            let size = (self.bytes_before, self.bytes);
            fields.extend(changes::to_json(self.changes.as_ref(), size));
        }
        value
    }

    /// Its line in the manifest.
    pub(super) fn row(&self, input: &Input, args: &SharedArgs) -> Value {
        let written = self.output.iter().filter(|_| self.way != Way::Skipped);
        let own = written.map(|file| json!({ "file": file, "bytes": self.bytes, "sha256": self.hash }));
        let size = |file: &String| std::fs::metadata(file).map(|file| file.len()).unwrap_or_default();
        let beside = self.beside.iter().map(|file| json!({ "file": file, "bytes": size(file) }));
        json!({
            "file": self.name,
            "source": self.stamp.or_else(|| input.path().and_then(Stamp::of)).map(Stamp::to_json),
            "from": self.from.map(|format| format.id),
            "to": self.to.id,
            "outputs": own.chain(beside).collect::<Value>(),
            "vertices": self.geometry.map(|(vertices, _)| vertices),
            "triangles": self.geometry.map(|(_, triangles)| triangles),
            "issues": tally(self.issues.iter().map(|issue| (issue.code.id, 1))),
            "losses": tally(self.losses.losses().map(|loss| (loss.code().id, loss.count))),
            "missing_textures": self.missing_textures().count(),
            "damaged": self.is_damaged(),
            "exit": self.exit(args) as u8,
            "error": self.error,
            "seconds": self.time.as_secs_f64(),
        })
    }

    fn missing_textures(&self) -> impl Iterator<Item = &TextureStatus> {
        self.textures.iter().filter(|texture| !texture.found)
    }

    /// How often each code came up that is worth a remark: warnings, errors, missing pictures.
    pub(super) fn remarks(&self) -> BTreeMap<&'static str, usize> {
        let mut remarks = BTreeMap::new();
        for issue in self.issues.iter().filter(|issue| issue.severity != Severity::Info) {
            *remarks.entry(issue.code.id).or_default() += 1;
        }
        for issue in &self.engine {
            *remarks.entry(issue.code.id).or_default() += 1;
        }
        let missing = self.missing_textures().count();
        if missing > 0 {
            remarks.insert(menagerie::convert::PICTURE_MISSING.id, missing);
        }
        remarks
    }

    /// One line on what became of it, and one on what is remarkable, where several files are reported.
    pub(super) fn lines(&self, dry_run: bool) -> String {
        let name = plain(&self.name);
        let out = self.output.as_deref().map(plain).unwrap_or_default();
        let seconds = self.time.as_secs_f32();
        let mut text = match (&self.error, &self.way) {
            (Some(error), _) => return format!("failed     {name}: {error}\n"),
            (None, Way::Skipped) => return format!("skipped    {name}: {out} is there already\n"),
            (None, Way::Before(_)) => return format!("done       {name}: by an earlier run\n"),
            (None, way) => {
                let verb = match way {
                    _ if self.is_damaged() => "damaged  ",
                    Way::Replaced if dry_run => "would be ",
                    Way::Replaced => "replaced ",
                    _ if dry_run => "would be ",
                    _ => "converted",
                };
                let lost = self.headline();
                let unlike = self.verdict.as_ref().is_some_and(|verdict| !verdict.good());
                let unlike = if unlike { ", not as announced" } else { "" };
                format!("{verb}  {name} → {out}: {lost}{unlike} ({seconds:.2} s)\n")
            }
        };
        let remarks = self.remarks();
        if !remarks.is_empty() {
            let words: Vec<String> = remarks.iter().map(|(code, n)| times(code, *n)).collect();
            text += &format!("           {}\n", words.join(", "));
        }
        text
    }

    /// All about it, as of a single file.
    pub(super) fn text(&self, shows_changes: bool, dry_run: bool) -> String {
        let mut lines = Vec::new();
        let (Some(from), Some(out)) = (self.from, &self.output) else {
            return match &self.way {
                Way::New | Way::Replaced => String::new(),
                _ => self.lines(dry_run),
            };
        };
        let (name, bytes, lost) = (&self.name, self.bytes, self.headline());
        let how = match (dry_run, &self.way) {
            (true, Way::Replaced) => ", not written; it would replace a file",
            (true, _) => ", not written",
            (false, Way::Replaced) => ", replaced",
            _ => "",
        };
        lines.push(format!("{name} → {out}: {} to {}, {bytes} bytes{how}, {lost}", from.name, self.to.name));
        if let Some(done) = self.changes.as_ref().filter(|_| shows_changes) {
            lines.push(changes::text(done, (self.bytes_before, bytes)));
        }
        lines.extend(self.unit_hint());
        lines.extend(table("lost", self.losses.losses()));
        lines.extend(table("added", self.losses.additions()));
        lines.extend(table("asked for", self.losses.requested()));
        lines.extend(self.verdict.as_ref().map(Verdict::text));
        for texture in self.missing_textures() {
            lines.push(format!("  texture {} is missing: {}", texture.name, texture.reason));
        }
        lines.extend(grouped_issues(
            self.issues.iter().filter(|issue| issue.severity != Severity::Info),
            |issue| issue.severity.name(),
        ));
        lines.extend(grouped_issues(self.engine.iter(), |_| "in the engine"));
        lines.into_iter().map(|line| line + "\n").collect()
    }

    /// What was lost, for `--loss-report`; of one of several inputs with its name.
    pub(super) fn losses_json(&self, several: bool) -> Option<Value> {
        self.output.as_ref().filter(|_| self.way != Way::Skipped)?;
        let mut value = self.losses.to_json(self.from?.id, self.to.id);
        if several {
            value.as_object_mut()?.insert("file".to_owned(), json!(self.name));
        }
        Some(value)
    }
}

/// `bo3d/duplicate-name × 104`.
pub(super) fn times(code: &str, count: usize) -> String {
    if count == 1 { code.to_owned() } else { format!("{code} × {count}") }
}

/// Issues of one code are worth a line for the first few.
const SHOWN_OF_A_CODE: usize = 3;

/// Issues as lines; of many with the same code the first ones, and how many more there are.
fn grouped_issues<'a>(
    issues: impl Iterator<Item = &'a Issue>,
    label: impl Fn(&Issue) -> &'static str,
) -> Vec<String> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut lines = Vec::new();
    for issue in issues {
        let count = seen.entry(issue.code.id).or_default();
        *count += 1;
        if *count <= SHOWN_OF_A_CODE {
            lines.push(format!("  {}: {issue} [{}]", label(issue), issue.code));
        }
    }
    for (code, count) in seen.into_iter().filter(|(_, count)| *count > SHOWN_OF_A_CODE) {
        lines.push(format!("  … {} more of {code}", count - SHOWN_OF_A_CODE));
    }
    lines
}

/// How much there is of each code, as JSON.
fn tally<'a>(codes: impl Iterator<Item = (&'a str, usize)>) -> Value {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (code, count) in codes {
        *counts.entry(code).or_default() += count;
    }
    json!(counts)
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
pub(in crate::verbs) fn grouped<'a>(losses: impl Iterator<Item = &'a Loss>) -> Vec<Loss> {
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
