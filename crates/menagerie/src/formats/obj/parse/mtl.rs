//! Material libraries: what their lines say.

use std::collections::BTreeMap;

use crate::bytes::{Span, Token, read_float, tokens, utf8_or_windows_1252};
use crate::diag::{Aspect, Code, Issue, Issues, NOT_FINITE};
use crate::formats::obj::codes;
use crate::formats::obj::parse::lines::{BYTE_ORDER_MARK, first_line};

/// A material as its library describes it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::formats::obj) struct Entry {
    pub(in crate::formats::obj) name: String,
    /// The numbers, by the keyword in small letters.
    pub(in crate::formats::obj) values: BTreeMap<&'static str, Vec<f32>>,
    /// The pictures, by the keyword in small letters.
    pub(in crate::formats::obj) maps: BTreeMap<&'static str, Map>,
    /// Lines that a Scene has no place for.
    pub(in crate::formats::obj) other: Vec<String>,
}

/// A use of a picture.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::formats::obj) struct Map {
    pub(in crate::formats::obj) file: String,
    /// `-s`
    pub(in crate::formats::obj) scale: [f32; 2],
    /// `-o`
    pub(in crate::formats::obj) offset: [f32; 2],
    /// `-bm`
    pub(in crate::formats::obj) strength: Option<f32>,
    /// `-clamp`
    pub(in crate::formats::obj) clamp: bool,
    /// `-imfchan`
    pub(in crate::formats::obj) channel: Option<String>,
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

/// A library that is read.
#[derive(Clone, Copy)]
pub(in crate::formats::obj) struct Source<'a> {
    pub(in crate::formats::obj) name: &'a str,
    /// Its place among those that the model names.
    pub(in crate::formats::obj) number: usize,
    /// The line of the model that names it: an issue is at bytes of the model, and its message tells those of the library.
    pub(in crate::formats::obj) named_at: Span,
}

/// Adds the materials of a library.
pub(in crate::formats::obj) fn read(
    text: &[u8],
    source: Source<'_>,
    entries: &mut Vec<Entry>,
    issues: &mut Issues,
) {
    let mut rest = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let mut lines = 0;
    while !rest.is_empty() {
        let at = text.len() - rest.len();
        let line;
        (line, rest) = first_line(rest);
        let blanks = line.text.len() - line.text.trim_ascii_start().len();
        let trimmed = line.text.trim_ascii();
        let mut reader =
            LineReader { source, line: lines, start: at + blanks, end: at + blanks + trimmed.len(), issues };
        reader.read(trimmed, entries);
        lines += line.parts;
    }
}

struct LineReader<'a> {
    source: Source<'a>,
    /// The lines before it.
    line: usize,
    /// Its bytes in the library, without the blanks around it.
    start: usize,
    end: usize,
    issues: &'a mut Issues,
}

impl LineReader<'_> {
    fn read(&mut self, line: &[u8], entries: &mut Vec<Entry>) {
        let Some(word) = tokens(line).next().filter(|word| !word.starts_with(b"#")) else { return };
        let keyword = String::from_utf8_lossy(word).to_ascii_lowercase();
        let rest = line.get(word.len()..).unwrap_or_default().trim_ascii();
        if keyword == "newmtl" {
            entries.push(Entry { name: utf8_or_windows_1252(rest), ..Entry::default() });
            return;
        }
        let Some(entry) = entries.last_mut() else {
            self.report(&codes::MTL, "it comes before the first newmtl");
            return;
        };
        if let Some(known) = VALUES.iter().find(|known| **known == keyword) {
            match values(rest) {
                Some(values) if values.iter().all(|value| value.is_finite()) => {
                    entry.values.insert(known, values);
                }
                Some(_) => self.report(&NOT_FINITE, "a value is not finite"),
                None => {
                    let shown = rest.get(..rest.len().min(40)).unwrap_or_default().escape_ascii();
                    self.report(&codes::MTL, &format!("{shown} are no numbers"));
                    entry.other.push(utf8_or_windows_1252(line));
                }
            }
        } else if let Some((_, known)) = MAPS.iter().find(|(name, _)| *name == keyword) {
            match map(rest) {
                Some(map) => {
                    entry.maps.insert(known, map);
                }
                None => self.report(&codes::MTL, "no picture is named"),
            }
        } else {
            entry.other.push(utf8_or_windows_1252(line));
        }
    }

    fn report(&mut self, code: &'static Code, message: &str) {
        let left = "lines of material libraries that are not understood are left out";
        self.issues.leave_out(Aspect::Materials, left, "mtllib", 1);
        let Self { source, line, start, end, .. } = *self;
        self.issues.push_with(code, || {
            let message = format!("{}, line {}, bytes {start}..{end}: {message}", source.name, line + 1);
            Issue::new(code, format!("mtllib[{}].lines[{line}]", source.number), message).at(source.named_at)
        });
    }
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
