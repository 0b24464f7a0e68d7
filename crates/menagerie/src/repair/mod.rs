//! Mending broken files.
//!
//! First single bytes: a format proposes what a field should have been ([`Format::mend`]), and what makes the file read
//! better is kept. Where that is not enough, what can be read is written anew by the rules of its format. The result is
//! checked, and every change is found by comparing both files field by field, so the list is what really changed.

mod compare;

pub use compare::{Change, ChangeKind, Piece};

use crate::bytes::SharedBytes;
use crate::convert::{ConvertOptions, Failed, convert};
use crate::diag::{Damage, Issue, LossReport, Severity};
use crate::formats::{Format, Output, Reading};

/// A file that was mended.
#[derive(Debug)]
pub struct Repaired {
    /// Its format.
    pub format: &'static Format,
    /// The mended file and what belongs beside it.
    pub output: Output,
    /// What was changed, in the order of the file.
    pub changes: Vec<Change>,
    /// What was wrong with the file.
    pub issues: Vec<Issue>,
    /// What is gone for good: the file speaks of it and does not have it.
    pub missing: Vec<Damage>,
    /// What writing it anew cost beyond what is missing.
    pub losses: LossReport,
    /// Whether it had to be written anew, and not only in single fields.
    pub rebuilt: bool,
}

impl Repaired {
    /// Whether nothing had to be changed.
    pub fn was_sound(&self) -> bool {
        self.changes.is_empty()
    }
}

/// Fields that are mended one by one at most, and errors that are looked at each time.
const PATCHES: usize = 64;
const LOOKED_AT: usize = 8;

/// Mends the bytes of the file called `name`. Fails where nothing of it can be read, or what can be is no valid file.
pub fn repair(bytes: &[u8], name: Option<&str>, options: &ConvertOptions<'_>) -> Result<Repaired, Failed> {
    let format = match options.from {
        Some(format) => format,
        None => Format::detect(bytes, name).map_err(|issue| Failed::of(None, issue))?.0,
    };
    let before = Look::at(bytes, format, options);
    let patched = patch(bytes, format, options, &before);
    let (current, now) = match &patched {
        Some((bytes, look)) => (bytes.as_slice(), look),
        None => (bytes, &before),
    };
    if now.reading.model.is_none() {
        return Err(Failed { from: Some(format), issues: before.reading.issues });
    }
    let plain = || Repaired {
        format,
        output: Output::from(current.to_vec()),
        changes: Vec::new(),
        issues: before.issues(),
        missing: Vec::new(),
        losses: LossReport::new(),
        rebuilt: false,
    };
    let mut repaired = if now.is_sound() {
        plain()
    } else {
        let anew = anew(current, name, format, options)?;
        let better = Look::at(&anew.output.bytes, format, options);
        let only_remarks = now.errors == 0;
        let helps = better.reading.model.is_some() && better.errors == 0 && better.remarks < now.remarks;
        if only_remarks && !(helps && anew.losses.is_lossless()) {
            plain()
        } else {
            let missing = now.reading.issues.damage().cloned().collect();
            Repaired { output: anew.output, losses: anew.losses, rebuilt: true, missing, ..plain() }
        }
    };
    repaired.changes = changes(bytes, &before, &repaired, options);
    Ok(repaired)
}

/// What writing a file anew gave.
struct Anew {
    output: Output,
    losses: LossReport,
}

/// Writes what can be read by the rules of its format. What is missing is told apart from what that costs.
fn anew(
    bytes: &[u8],
    name: Option<&str>,
    format: &'static Format,
    options: &ConvertOptions<'_>,
) -> Result<Anew, Failed> {
    let mut options = options.clone();
    options.from = Some(format);
    options.rebuild = true;
    options.read.shared = Some(SharedBytes::from(bytes.to_vec()));
    let conversion = convert(bytes, name, format, &options)?;
    let look = Look::at(&conversion.output.bytes, format, &options);
    match look.reading.issues.iter().find(|issue| issue.severity == Severity::Error) {
        Some(issue) => Err(Failed::of(Some(format), issue.clone())),
        None => Ok(Anew { output: conversion.output, losses: conversion.losses.without_damage() }),
    }
}

/// A file and how bad it is.
struct Look {
    reading: Reading,
    errors: usize,
    /// Warnings of the format's own rules: neither its engine's nor those of missing pictures.
    remarks: usize,
}

impl Look {
    fn at(bytes: &[u8], format: &'static Format, options: &ConvertOptions<'_>) -> Self {
        let mut read = options.read.clone();
        read.shared = None;
        let mut reading = format.open(bytes, &read);
        reading.lift(&read);
        let count = |severity: Severity| {
            let own = |issue: &&Issue| issue.severity == severity && !issue.code.is_of_engine();
            reading.issues.iter().filter(own).count()
        };
        let (errors, remarks) = (count(Severity::Error), count(Severity::Warning));
        Self { errors, remarks, reading }
    }

    fn is_sound(&self) -> bool {
        self.errors == 0 && self.remarks == 0 && !self.reading.issues.is_damaged()
    }

    /// What counts first is that it can be read at all.
    fn badness(&self) -> (bool, usize, bool) {
        (self.reading.model.is_none(), self.errors, self.reading.issues.is_damaged())
    }

    fn issues(&self) -> Vec<Issue> {
        self.reading.issues.clone().into_sorted()
    }
}

/// Mends field by field, as long as each makes the file better. `None` when none does.
fn patch(
    bytes: &[u8],
    format: &'static Format,
    options: &ConvertOptions<'_>,
    before: &Look,
) -> Option<(Vec<u8>, Look)> {
    let mut best: Option<(Vec<u8>, Look)> = None;
    for _ in 0..PATCHES {
        let (current, look) = match &best {
            Some((bytes, look)) => (bytes.as_slice(), look),
            None => (bytes, before),
        };
        let errors = look.reading.issues.iter().filter(|issue| issue.severity == Severity::Error);
        let proposals = errors.take(LOOKED_AT).flat_map(|issue| (format.mend)(current, issue));
        let better = proposals.filter_map(|patch| {
            let mended = patch.apply(current)?;
            let after = Look::at(&mended, format, options);
            (after.badness() < look.badness()).then_some((mended, after))
        });
        let Some(better) = better.into_iter().next() else { break };
        best = Some(better);
    }
    best
}

/// What differs between the file and what became of it.
fn changes(bytes: &[u8], before: &Look, repaired: &Repaired, options: &ConvertOptions<'_>) -> Vec<Change> {
    let after = Look::at(&repaired.output.bytes, repaired.format, options);
    // A model that had to be forgiven something may not be the file byte for byte; then its map is not the file's.
    let map = |look: &Look, bytes: &[u8]| {
        let model = look.reading.model.as_ref()?;
        let same = model.write().is_ok_and(|written| written.bytes == bytes);
        same.then(|| model.layout())
    };
    let (old, new) = (map(before, bytes), map(&after, &repaired.output.bytes));
    let by_field =
        old.zip(new).map(|(old, new)| compare::fields((&old, bytes), (&new, &repaired.output.bytes)));
    // What could not be read has no fields; and no file is changed without a word.
    let told = by_field.filter(|changes| !changes.is_empty() || repaired.output.bytes == bytes);
    let mut changes = told.unwrap_or_else(|| compare::runs(bytes, &repaired.output.bytes));
    for change in &mut changes {
        change.explain(&repaired.issues);
    }
    changes
}
