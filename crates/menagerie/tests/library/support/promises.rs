//! What holds for every file and every Scene, whatever formats there are. Tests ask for it of the corpus and of random
//! Scenes, the targets in `fuzz` of whatever a fuzzer makes up.

use std::sync::Arc;

use menagerie::bytes::{ByteMap, MapKind};
use menagerie::convert::settle;
use menagerie::diag::{LossReport, Severity};
use menagerie::diff::{DiffOptions, diff};
use menagerie::formats::{Files, Format, NotFound, Output, Purpose, ReadOptions, WriteOptions};
use menagerie::scene::{Scene, check};

/// The files that were written beside a model, for reading it back.
pub struct Beside<'a>(pub &'a Output);

impl Files for Beside<'_> {
    fn open(&self, name: &str) -> Result<Arc<[u8]>, NotFound> {
        let found = self.0.beside.iter().find(|(other, _)| other == name);
        found.map(|(_, bytes)| Arc::from(bytes.as_slice())).ok_or_else(NotFound::default)
    }
}

/// Whatever the bytes are: reading, mapping, writing and lifting come back, what can be read is written back, and what
/// is lifted keeps the rules. Gives the Scene, where there is one.
pub fn survive(format: &Format, bytes: &[u8]) -> Result<Option<Scene>, String> {
    survive_within(format, bytes, &ReadOptions::default())
}

/// The same, with limits of its own.
pub fn survive_within(
    format: &Format,
    bytes: &[u8],
    options: &ReadOptions<'_>,
) -> Result<Option<Scene>, String> {
    let reading = format.open(bytes, options);
    if let Some(issue) = reading.issues.iter().find(|i| i.span.is_some_and(|s| s.end > bytes.len() as u64)) {
        return Err(format!("an issue is past the end: {issue}"));
    }
    let Some(model) = reading.model else { return Ok(None) };
    let map = model.layout();
    let _ = model.summary();
    if let Ok(output) = model.write()
        && output.bytes != bytes
        && !same_when_inflated(format, &map, bytes, &output.bytes)
    {
        return Err("what can be read is not written back".to_owned());
    }
    let Ok(lifted) = model.lift(options) else { return Ok(None) };
    check(&lifted.scene).map_err(|broken| format!("the Scene breaks a rule: {broken}"))?;
    Ok(Some(lifted.scene))
}

/// Compressed data may be compressed anew when a file is rewritten: then all bytes outside of it are the same, and so
/// are those that it inflates to. `map` is that of `bytes`; false where nothing is compressed.
pub fn same_when_inflated(format: &Format, map: &ByteMap, bytes: &[u8], written: &[u8]) -> bool {
    type Inflated = Vec<(std::ops::Range<usize>, Vec<u8>)>;
    let inflated = |map: &ByteMap| -> Inflated {
        let mut open = vec![&map.root];
        let mut found = Vec::new();
        while let Some(node) = open.pop() {
            match &node.kind {
                MapKind::Group(parts) => open.extend(parts),
                MapKind::Encoded { bytes, .. } => {
                    found.push((node.span.range().expect("it is in memory"), bytes.clone()));
                }
                _ => {}
            }
        }
        found.sort_by_key(|(range, _)| range.start);
        found
    };
    let outside = |bytes: &[u8], inflated: &Inflated| -> Vec<u8> {
        let inside = |at: usize| inflated.iter().any(|(range, _)| range.contains(&at));
        (0..bytes.len()).filter(|at| !inside(*at)).map(|at| bytes[at]).collect()
    };
    let before = inflated(map);
    if before.is_empty() {
        return false;
    }
    let Some(model) = format.open(written, &ReadOptions::default()).model else { return false };
    let after = inflated(&model.layout());
    let data = |inflated: &Inflated| inflated.iter().map(|(_, data)| data.clone()).collect::<Vec<_>>();
    data(&before) == data(&after) && outside(bytes, &before) == outside(written, &after)
}

/// The leaves of a map follow each other from the first byte to the last, inside encoded data too.
pub fn covers(map: &ByteMap, bytes: u64) -> Result<(), String> {
    let mut at = 0;
    for (path, span, _) in map.leaves() {
        if span.start != at {
            return Err(format!("{path} begins at {} and not at {at}", span.start));
        }
        at = span.end;
    }
    if at != bytes {
        return Err(format!("the map ends at {at}"));
    }
    let mut open = vec![&map.root];
    while let Some(node) = open.pop() {
        match &node.kind {
            MapKind::Group(parts) => open.extend(parts),
            MapKind::Encoded { bytes, map } => covers(map, bytes.len() as u64)?,
            _ => {}
        }
    }
    Ok(())
}

/// Whatever a round trip of a Scene through a format changes, the loss report has named.
pub fn nothing_is_lost_silently(scene: &Scene, format: &Format) -> Result<(), String> {
    let checked = check(scene).map_err(|broken| format!("the Scene breaks a rule: {broken}"))?;
    let mut losses = LossReport::new();
    let lowered = (format.lower)(checked, &WriteOptions::default(), &mut losses)
        .map_err(|issue| format!("{}: not lowered: {issue}", format.name))?;
    settle(checked, lowered.as_ref(), Purpose::default(), &mut losses);
    let output = lowered.write().map_err(|issue| format!("{}: not written: {issue}", format.name))?;
    says_what_was_lost(scene, format, &output, &losses).map_err(|error| format!("{}: {error}", format.name))
}

/// What was written of a Scene is valid, and where it differs from the Scene the loss report says so.
pub fn says_what_was_lost(
    scene: &Scene,
    format: &Format,
    output: &Output,
    losses: &LossReport,
) -> Result<(), String> {
    let back = read_back(format, output)?;
    let checked = |scene| check(scene).map_err(|broken| format!("the Scene breaks a rule: {broken}"));
    let report = diff(checked(scene)?, checked(&back)?, &DiffOptions::default());
    if let Some(loss) = report.unseen(losses).next() {
        return Err(format!("{} {} {} did not happen", loss.code(), loss.path, loss.message));
    }
    let Some(silent) = report.unannounced(losses).next() else { return Ok(()) };
    let alike = losses.iter().filter(|loss| loss.aspect == silent.aspect);
    let named: Vec<String> =
        alike.map(|loss| format!("{} {} {:?}", loss.path, loss.message, loss.error)).collect();
    Err(format!("{} {silent} is not named; named are {named:#?}", silent.code()))
}

/// The Scene of a file that was just written; it has no errors and is written back byte for byte.
fn read_back(format: &Format, output: &Output) -> Result<Scene, String> {
    let beside = Beside(output);
    let mut options = ReadOptions::default();
    options.files = &beside;
    let mut reading = format.open(&output.bytes, &options);
    let scene = reading.lift(&options).ok_or("what was written cannot be lifted");
    let errors: Vec<String> =
        reading.issues.iter().filter(|i| i.severity == Severity::Error).map(|i| i.to_string()).collect();
    if !errors.is_empty() {
        return Err(format!("what was written is not valid: {errors:?}"));
    }
    let model = reading.model.ok_or("what was written cannot be read")?;
    let again = model.write().map_err(|issue| issue.to_string())?;
    if again.bytes != output.bytes {
        return Err("what was written is not rewritten byte for byte".to_owned());
    }
    Ok(scene?)
}
