//! Material libraries: what their lines say.

use std::collections::BTreeMap;

use super::codes;
use crate::bytes::{Span, Token, read_float, tokens, utf8_or_windows_1252};
use crate::diag::{Issue, Issues, NOT_FINITE};

/// A material as its library describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Entry {
    pub(super) name: String,
    /// The numbers, by the keyword in small letters.
    pub(super) values: BTreeMap<&'static str, Vec<f32>>,
    /// The pictures, by the keyword in small letters.
    pub(super) maps: BTreeMap<&'static str, Map>,
    /// Lines that a Scene has no place for.
    pub(super) other: Vec<String>,
}

/// A use of a picture.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Map {
    pub(super) file: String,
    /// `-s`
    pub(super) scale: [f32; 2],
    /// `-o`
    pub(super) offset: [f32; 2],
    /// `-bm`
    pub(super) strength: Option<f32>,
    /// `-clamp`
    pub(super) clamp: bool,
    /// `-imfchan`
    pub(super) channel: Option<String>,
}

const VALUES: &[&str] = &["ka", "kd", "ks", "ke", "ns", "d", "tr", "illum", "pr", "pm"];
const MAPS: &[(&str, &str)] = &[
    ("map_ka", "map_ka"),
    ("map_kd", "map_kd"),
    ("map_ks", "map_ks"),
    ("map_ke", "map_ke"),
    ("map_ns", "map_ns"),
    ("map_d", "map_d"),
    ("map_pr", "map_pr"),
    ("map_pm", "map_pm"),
    ("map_bump", "bump"),
    ("bump", "bump"),
    ("norm", "norm"),
    ("map_norm", "norm"),
];

/// Reads a library; `span` is the line of the model that names it.
pub(super) fn read(text: &[u8], library: &str, span: Span, entries: &mut Vec<Entry>, issues: &mut Issues) {
    let text: Vec<u8> = join_lines(text);
    for (i, line) in text.split(|byte| *byte == b'\n').enumerate() {
        let mut report = |message: String| {
            issues.push_with(&codes::MTL, || {
                let message = format!("{library}, line {}: {message}", i + 1);
                Issue::new(&codes::MTL, format!("{library}.lines[{i}]"), message).at(span)
            });
        };
        let line = line.trim_ascii();
        let Some(word) = tokens(line).next().filter(|word| !word.starts_with(b"#")) else { continue };
        let keyword = String::from_utf8_lossy(word).to_ascii_lowercase();
        let rest = line.get(word.len()..).unwrap_or_default().trim_ascii();
        if keyword == "newmtl" {
            entries.push(Entry { name: utf8_or_windows_1252(rest), ..Entry::default() });
            continue;
        }
        let Some(entry) = entries.last_mut() else {
            report("it comes before the first newmtl".to_owned());
            continue;
        };
        if let Some(known) = VALUES.iter().find(|known| **known == keyword) {
            match values(rest) {
                Some(values) if values.iter().all(|value| value.is_finite()) => {
                    entry.values.insert(known, values);
                }
                Some(_) => issues.push_with(&NOT_FINITE, || {
                    let message = format!("{library}, line {}: a value is not finite", i + 1);
                    Issue::new(&NOT_FINITE, format!("{library}.lines[{i}]"), message).at(span)
                }),
                None => {
                    report(format!("{} are no numbers", rest.escape_ascii()));
                    entry.other.push(utf8_or_windows_1252(line));
                }
            }
        } else if let Some((_, known)) = MAPS.iter().find(|(name, _)| *name == keyword) {
            match map(rest) {
                Some(map) => {
                    entry.maps.insert(known, map);
                }
                None => report("no picture is named".to_owned()),
            }
        } else {
            entry.other.push(utf8_or_windows_1252(line));
        }
    }
}

/// Lines that go on in the next made one, with empty ones for those that are gone.
fn join_lines(text: &[u8]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(text.len());
    let mut gone = 0;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        match line.trim_ascii_end().strip_suffix(b"\\") {
            Some(kept) if line.ends_with(b"\n") => {
                joined.extend_from_slice(kept);
                joined.push(b' ');
                gone += 1;
            }
            _ => {
                joined.extend_from_slice(line);
                joined.resize(joined.len() + std::mem::take(&mut gone), b'\n');
            }
        }
    }
    joined
}

/// One to three numbers; `None` where there is something else.
fn values(text: &[u8]) -> Option<Vec<f32>> {
    let values: Option<Vec<f32>> = tokens(text)
        .take_while(|word| !word.starts_with(b"#"))
        .map(|word| match read_float(word) {
            Token::Number(value) => Some(value),
            Token::Other => None,
        })
        .collect();
    values.filter(|values| !values.is_empty())
}

/// Options, then the name of a file, which may have blanks.
fn map(text: &[u8]) -> Option<Map> {
    let mut map = Map {
        file: String::new(),
        scale: [1.0; 2],
        offset: [0.0; 2],
        strength: None,
        clamp: false,
        channel: None,
    };
    let mut rest = text.trim_ascii();
    loop {
        let (word, after) = next_word(rest);
        if !word.starts_with(b"-") || after.is_empty() {
            break;
        }
        rest = after;
        match word.to_ascii_lowercase().as_slice() {
            b"-s" => map.scale = pair(&mut rest, 1.0),
            b"-o" => map.offset = pair(&mut rest, 0.0),
            b"-t" => _ = pair(&mut rest, 0.0),
            b"-mm" => _ = pair(&mut rest, 0.0),
            b"-bm" => map.strength = number(&mut rest),
            b"-clamp" => map.clamp = take_word(&mut rest).eq_ignore_ascii_case(b"on"),
            b"-imfchan" => map.channel = Some(utf8_or_windows_1252(take_word(&mut rest))),
            b"-boost" | b"-texres" => _ = number(&mut rest),
            _ => _ = take_word(&mut rest),
        }
    }
    map.file = utf8_or_windows_1252(rest.trim_ascii());
    (!map.file.is_empty()).then_some(map)
}

fn next_word(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    let (word, rest) = text.split_at_checked(end).unwrap_or((text, &[]));
    (word, rest.trim_ascii_start())
}

fn take_word<'t>(rest: &mut &'t [u8]) -> &'t [u8] {
    let (word, after) = next_word(rest);
    *rest = after;
    word
}

fn number(rest: &mut &[u8]) -> Option<f32> {
    let (word, after) = next_word(rest);
    match read_float(word) {
        Token::Number(value) if value.is_finite() => {
            *rest = after;
            Some(value)
        }
        _ => None,
    }
}

/// One to three numbers, of which two count.
fn pair(rest: &mut &[u8], default: f32) -> [f32; 2] {
    let first = number(rest).unwrap_or(default);
    let second = number(rest).unwrap_or(default);
    number(rest);
    [first, second]
}
