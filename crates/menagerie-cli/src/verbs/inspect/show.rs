//! Parts of a file as text and as JSON.

use std::fmt::Write as _;
use std::io::Write;

use anyhow::Result;
use menagerie::bytes::{FieldType, Value};
use menagerie::diag::Issue;
use menagerie::formats::Format;
use serde_json::{Map, json};

use super::select::{Kind, Part};
use crate::output::{self, harmless_json};

/// Records of a table that are shown unless all are wanted.
const RECORDS: usize = 8;
/// Numbers of a long list that are shown unless all are wanted.
const NUMBERS: usize = 16;
/// Bytes that `--hex` shows of a field unless all are wanted.
const HEX_BYTES: usize = 64;
/// Letters of a text that are shown unless all are wanted.
const LETTERS: usize = 200;

/// How much to show.
pub(super) struct Style<'a> {
    pub(super) hex: bool,
    pub(super) all: bool,
    pub(super) depth: usize,
    /// What is wrong, to be shown at the parts that it is wrong with.
    pub(super) broken: &'a [Issue],
}

impl Style<'_> {
    /// What is wrong with a part and not with one of its parts that are shown.
    fn marks(&self, part: &Part<'_>, open: bool) -> String {
        let inside = |issue: &&Issue| {
            let Some(span) = issue.span else { return false };
            span.start >= part.span.start && span.start < part.span.end && issue.path.starts_with(&part.path)
        };
        let own = |issue: &&Issue| !open || issue.path == part.path;
        let marks = self.broken.iter().filter(inside).filter(own).take(SHOWN_MARKS);
        let marks = marks.map(|issue| format!("  ✗ {} [{}]", issue.message, issue.code));
        output::harmless(&marks.collect::<String>()).into_owned()
    }
}

/// So many problems of one part are shown at it.
const SHOWN_MARKS: usize = 2;

/// What is still to be printed, the next at the end.
enum Step<'a> {
    Part(Part<'a>, usize),
    /// The records of a table from the given one on.
    Records(Part<'a>, usize, usize),
    /// The end of the parts of a part, and how many records were left out.
    Close(usize),
}

/// Walks the tree in order. `visit` prints one part and says whether its parts are wanted.
fn walk<'a>(
    parts: Vec<Part<'a>>,
    style: &Style<'_>,
    mut visit: impl FnMut(Event<'_, 'a>) -> Result<()>,
) -> Result<()> {
    let mut open: Vec<Step<'a>> = parts.into_iter().rev().map(|part| Step::Part(part, 0)).collect();
    while let Some(step) = open.pop() {
        match step {
            Step::Part(part, level) => {
                let deeper = level + 1 < style.depth && !matches!(part.kind, Kind::Leaf(_));
                visit(Event::Part { part: &part, level, open: deeper })?;
                if !deeper {
                    continue;
                }
                if part.records().is_some() {
                    open.push(Step::Records(part, 0, level + 1));
                } else {
                    open.push(Step::Close(0));
                    open.extend(part.parts().into_iter().rev().map(|part| Step::Part(part, level + 1)));
                }
            }
            Step::Records(table, index, level) => {
                let Some(count) = table.records() else { continue };
                let shown = if style.all { count } else { RECORDS.min(count) };
                match table.record(index).filter(|_| index < shown) {
                    Some(record) => {
                        open.push(Step::Records(table, index + 1, level));
                        open.push(Step::Part(record, level));
                    }
                    None => {
                        visit(Event::More { of: &table, left: count - shown, level })?;
                        open.push(Step::Close(count - shown));
                    }
                }
            }
            Step::Close(left) => visit(Event::Close { left })?,
        }
    }
    Ok(())
}

enum Event<'e, 'a> {
    /// A part; its own parts follow if it is open.
    Part { part: &'e Part<'a>, level: usize, open: bool },
    /// Records that are not shown.
    More { of: &'e Part<'a>, left: usize, level: usize },
    /// The end of an open part.
    Close { left: usize },
}

/// Prints parts as lines: byte range, indented name, type, value.
pub(super) fn text(
    out: &mut impl Write,
    parts: Vec<Part<'_>>,
    style: &Style<'_>,
    bytes: usize,
) -> Result<()> {
    let digits = bytes.to_string().len();
    let gutter = " ".repeat(2 * digits + 2);
    walk(parts, style, |event| match event {
        Event::Part { part, level, open } => {
            let indent = "  ".repeat(level);
            let name = if level == 0 { part.path.as_str() } else { part.name.as_ref() };
            let range = format!("{:>digits$}..{:<digits$}", part.span.start, part.span.end);
            let marks = style.marks(part, open);
            let line = format!("{range}  {indent}{name}  {}{marks}", described(part, style));
            writeln!(out, "{}", line.trim_end())?;
            if let (Kind::Leaf(_), true) = (&part.kind, style.hex) {
                for line in hex_lines(part, style) {
                    writeln!(out, "{gutter}  {indent}  {line}")?;
                }
            }
            Ok(())
        }
        Event::More { of, left, level } if left > 0 => {
            let indent = "  ".repeat(level);
            Ok(writeln!(out, "{gutter}  {indent}… {left} more; --all, or --path '{}[N]'", of.path)?)
        }
        Event::More { .. } | Event::Close { .. } => Ok(()),
    })
}

/// Type and value of a part, as text.
fn described(part: &Part<'_>, style: &Style<'_>) -> String {
    match &part.kind {
        Kind::Group(_) | Kind::Record(_) | Kind::Fields(_) => String::new(),
        Kind::List(list) => format!("{} of them", list.len()),
        Kind::Table(record, count) => format!("{count} records of {} bytes", record.size),
        Kind::Encoded(inside, _) => format!("encoded, {} bytes inside", inside.len()),
        Kind::Leaf(kind) => {
            let kind = *kind;
            let (value, left) = value(part, kind, if style.all { usize::MAX } else { NUMBERS });
            let mut text = value.to_string();
            if !style.all
                && let Some((cut, _)) = text.char_indices().nth(LETTERS)
                && kind == FieldType::Text
            {
                text.truncate(cut);
                text.push('…');
            }
            if left > 0 {
                let _ = write!(text, " … {left} more");
            }
            if matches!(value, Value::Bytes(1..=8)) {
                text = hex_lines(part, style).join(" ");
            }
            format!("{} {text}", kind.name())
        }
    }
}

/// The value of a field, and how many further numbers it has.
fn value(part: &Part<'_>, kind: FieldType, numbers: usize) -> (Value, usize) {
    let bytes = bytes_of(part);
    match kind.size() {
        Some(size) if bytes.len() / size > numbers => {
            let shown = bytes.get(..numbers * size).unwrap_or_default();
            (Value::decode(shown, kind), bytes.len() / size - numbers)
        }
        _ => (Value::decode(bytes, kind), 0),
    }
}

fn bytes_of<'a>(part: &Part<'a>) -> &'a [u8] {
    part.span.range().and_then(|range| part.bytes.get(range)).unwrap_or_default()
}

fn hex_lines(part: &Part<'_>, style: &Style<'_>) -> Vec<String> {
    let bytes = bytes_of(part);
    let shown = if style.all { bytes.len() } else { bytes.len().min(HEX_BYTES) };
    let mut lines: Vec<String> = bytes.iter().take(shown).collect::<Vec<_>>().chunks(16).map(hex).collect();
    if shown < bytes.len() {
        lines.push(format!("… {} more bytes", bytes.len() - shown));
    }
    lines
}

fn hex(bytes: &[&u8]) -> String {
    let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    bytes.join(" ")
}

/// Prints parts as one JSON object, piece by piece.
pub(super) fn json(
    out: &mut impl Write,
    name: &str,
    format: Option<&Format>,
    bytes: usize,
    parts: Vec<Part<'_>>,
    style: &Style<'_>,
) -> Result<()> {
    let (file, format) = (json!(name), json!(format.map(|format| format.id)));
    let issues = crate::json::issues(style.broken);
    let head =
        format!("{{\"file\":{file},\"format\":{format},\"bytes\":{bytes},\"issues\":{issues},\"parts\":[");
    write!(out, "{}", harmless_json(head))?;
    // Whether the next part of the list that is being printed is its first.
    let mut first = true;
    walk(parts, style, |event| {
        match event {
            Event::Part { part, open, .. } => {
                let object = object(part, style);
                let text = harmless_json(serde_json::to_string(&object)?);
                let comma = if first { "\n" } else { ",\n" };
                match text.strip_suffix('}').filter(|_| open) {
                    Some(head) => write!(out, "{comma}{head},\"parts\":[")?,
                    None => write!(out, "{comma}{text}")?,
                }
                first = open;
            }
            Event::More { .. } => {}
            Event::Close { left } => {
                if left > 0 {
                    write!(out, "],\"not_shown\":{left}}}")?;
                } else {
                    write!(out, "]}}")?;
                }
                first = false;
            }
        }
        Ok(())
    })?;
    Ok(writeln!(out, "\n]}}")?)
}

/// A part without its parts.
fn object(part: &Part<'_>, style: &Style<'_>) -> Map<String, serde_json::Value> {
    let mut object = Map::new();
    let mut set = |key: &str, value: serde_json::Value| object.insert(key.to_owned(), value);
    set("name", json!(part.name));
    set("path", json!(part.path));
    set("offset", json!(part.span.start));
    set("length", json!(part.span.len()));
    match &part.kind {
        Kind::Group(_) => set("type", json!("group")),
        Kind::Record(_) | Kind::Fields(_) => set("type", json!("record")),
        Kind::List(list) => {
            set("type", json!("list"));
            set("count", json!(list.len()))
        }
        Kind::Encoded(inside, _) => {
            set("type", json!("encoded"));
            set("decoded_bytes", json!(inside.len()))
        }
        Kind::Table(record, count) => {
            set("type", json!("table"));
            set("count", json!(count));
            set("record_bytes", json!(record.size))
        }
        Kind::Leaf(kind) => {
            let (value, left) = value(part, *kind, if style.all { usize::MAX } else { NUMBERS });
            set("type", json!(kind.name()));
            set("value", value.to_json());
            if left > 0 {
                set("not_shown", json!(left));
            }
            if style.hex || matches!(value, Value::Bytes(1..=8)) {
                set("hex", json!(hex_lines(part, style).join(" ")));
            }
            None
        }
    };
    object
}
