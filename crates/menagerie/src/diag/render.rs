//! Issues as text for a terminal, as JSON, and as SARIF 2.1.0.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::{Issue, Severity};
use crate::bytes::Span;

/// Bytes in one line of a hex dump.
const LINE: usize = 16;
/// Lines of a hex dump shown for an issue at most.
const MAX_LINES: usize = 3;

/// Whether text has colours: only for a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// With ANSI escapes.
    Ansi,
    /// Plain.
    None,
}

impl Color {
    fn paint(self, style: &str, text: &str) -> String {
        match self {
            Self::Ansi => format!("\x1b[{style}m{text}\x1b[0m"),
            Self::None => text.to_owned(),
        }
    }

    fn severity(self, severity: Severity) -> String {
        let style = match severity {
            Severity::Error => "1;31",
            Severity::Warning => "1;33",
            Severity::Info => "1;36",
        };
        self.paint(style, severity.name())
    }
}

/// One issue as text: what, where, and the bytes around the place with a marker under the ones to blame.
///
/// ```text
/// error[bo3d/bone-vertex-range]: 900 is past the last vertex (839)
///   --> ninja.bo3d, byte 17234..17238, entities[3].bones[2].first
///   00004350  00 00 84 03 00 00 20 04  00 00 00 00 00 00 00 00  ...... .........
///                   ^^ ^^ ^^ ^^
/// ```
pub fn text(issue: &Issue, file: &str, bytes: &[u8], color: Color) -> String {
    let mut out = String::new();
    let code = color.paint("1", &format!("[{}]", issue.code.id));
    // Writing into a String cannot fail.
    let _ = writeln!(out, "{}{code}: {}", color.severity(issue.severity), issue.message);
    let _ = write!(out, "  {} {file}", color.paint("34", "-->"));
    if let Some(span) = issue.span {
        let _ = write!(out, ", byte {span}");
    }
    if !issue.path.is_empty() {
        let _ = write!(out, ", {}", issue.path);
    }
    out.push('\n');
    if let Some(span) = issue.span {
        out.push_str(&hex_around(bytes, span, color));
    }
    out
}

/// The lines of a hex dump that hold `span`, with markers; empty when the bytes are not there.
fn hex_around(bytes: &[u8], span: Span, color: Color) -> String {
    let Some(range) = span.range().filter(|range| range.start < bytes.len()) else { return String::new() };
    let first = range.start / LINE;
    let last = range.end.max(range.start + 1).saturating_sub(1) / LINE;
    let mut out = String::new();
    for line in (first..=last).take(MAX_LINES) {
        out.push_str(&hex_line(bytes, line * LINE));
        let mut marker = String::from("            ");
        for at in line * LINE..(line + 1) * LINE {
            if at % LINE == LINE / 2 {
                marker.push(' ');
            }
            let marked = range.contains(&at) || (range.is_empty() && at == range.start);
            marker.push_str(if marked { "^^ " } else { "   " });
        }
        out.push_str(&color.paint("1;31", marker.trim_end()));
        out.push('\n');
    }
    if last.saturating_sub(first) >= MAX_LINES {
        let _ = writeln!(out, "  … {} more bytes", (last + 1 - first - MAX_LINES) * LINE);
    }
    out
}

/// One line of a hex dump: offset, sixteen bytes, and the same as characters.
pub fn hex_line(bytes: &[u8], start: usize) -> String {
    let mut line = format!("  {start:08x}  ");
    let mut characters = String::new();
    for at in start..start.saturating_add(LINE) {
        if at % LINE == LINE / 2 {
            line.push(' ');
        }
        match bytes.get(at) {
            Some(&byte) => {
                let _ = write!(line, "{byte:02x} ");
                let shown = byte.is_ascii_graphic() || byte == b' ';
                characters.push(if shown { char::from(byte) } else { '.' });
            }
            None => line.push_str("   "),
        }
    }
    let _ = writeln!(line, " {characters}");
    line
}

/// One issue as the JSON object of the command line's contract.
pub fn json(issue: &Issue) -> Value {
    json!({
        "code": issue.code.id,
        "severity": issue.severity.name(),
        "message": issue.message,
        "offset": issue.span.map(|span| span.start),
        "length": issue.span.map(Span::len),
        "path": issue.path,
    })
}

/// A SARIF 2.1.0 log, file by file.
#[derive(Debug, Default)]
pub struct Sarif {
    rules: Vec<&'static super::Code>,
    results: Vec<Value>,
    /// Files that could not be looked at.
    failures: Vec<Value>,
}

impl Sarif {
    /// Adds the issues of a file. Its bytes say in which line an issue of a text is; what is binary is one line, for code
    /// hosts show nothing that has none.
    pub fn push(&mut self, file: &str, issues: &[Issue], bytes: &[u8]) {
        let lines = Lines::of(bytes);
        for issue in issues {
            let index = self.rule(issue.code);
            self.results.push(sarif_result(file, issue, index, &lines));
        }
    }

    /// Adds a file that could not be read at all.
    pub fn push_failure(&mut self, file: &str, why: &str) {
        self.failures.push(json!({
            "level": "error",
            "message": { "text": why },
            "locations": [{ "physicalLocation": { "artifactLocation": { "uri": uri(file) } } }],
        }));
    }

    /// Adds all that another log has.
    pub fn append(&mut self, other: Self) {
        for mut result in other.results {
            let code = result.get("ruleIndex").and_then(Value::as_u64).and_then(|i| usize::try_from(i).ok());
            let Some(code) = code.and_then(|index| other.rules.get(index).copied()) else { continue };
            if let Some(fields) = result.as_object_mut() {
                fields.insert("ruleIndex".to_owned(), json!(self.rule(code)));
            }
            self.results.push(result);
        }
        self.failures.extend(other.failures);
    }

    /// The place of a code in the list of rules.
    fn rule(&mut self, code: &'static super::Code) -> usize {
        let known = self.rules.iter().position(|rule| rule.id == code.id);
        known.unwrap_or_else(|| {
            self.rules.push(code);
            self.rules.len() - 1
        })
    }

    /// The log.
    #[must_use]
    pub fn finish(self) -> Value {
        let rule = |code: &super::Code| {
            json!({
                "id": code.id,
                "shortDescription": { "text": code.title },
                "fullDescription": { "text": code.document },
                "help": { "text": format!("{} {}", code.why, code.fix) },
                "defaultConfiguration": { "level": sarif_level(code.severity) },
            })
        };
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "menagerie",
                    "version": env!("CARGO_PKG_VERSION"),
                    "rules": self.rules.into_iter().map(rule).collect::<Vec<_>>(),
                }},
                "invocations": [{
                    "executionSuccessful": self.failures.is_empty(),
                    "toolExecutionNotifications": self.failures,
                }],
                "results": self.results,
            }],
        })
    }
}

/// Where the lines of a text begin; binary files have one.
struct Lines(Vec<usize>);

impl Lines {
    fn of(bytes: &[u8]) -> Self {
        let is_text = !bytes.iter().take(8 << 10).any(|byte| *byte == 0);
        let ends =
            bytes.iter().enumerate().filter(|(_, byte)| is_text && **byte == b'\n').map(|(at, _)| at + 1);
        Self(std::iter::once(0).chain(ends).collect())
    }

    /// The line and column of a byte, from one on.
    fn place(&self, offset: u64) -> (usize, usize) {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let line = self.0.partition_point(|start| *start <= offset).max(1);
        let start = self.0.get(line - 1).copied().unwrap_or_default();
        (line, if self.0.len() > 1 { offset - start + 1 } else { 1 })
    }
}

fn sarif_result(file: &str, issue: &Issue, rule: usize, lines: &Lines) -> Value {
    let mut region = json!({ "startLine": 1 });
    if let Some(span) = issue.span {
        let (line, column) = lines.place(span.start);
        region = json!({
            "startLine": line, "startColumn": column, "byteOffset": span.start, "byteLength": span.len(),
        });
    }
    let mut place = json!({
        "physicalLocation": { "artifactLocation": { "uri": uri(file) }, "region": region },
    });
    if !issue.path.is_empty()
        && let Some(place) = place.as_object_mut()
    {
        place.insert("logicalLocations".to_owned(), json!([{ "fullyQualifiedName": issue.path }]));
    }
    json!({
        "ruleId": issue.code.id,
        "ruleIndex": rule,
        "level": sarif_level(issue.severity),
        "message": { "text": issue.message },
        "locations": [place],
    })
}

fn sarif_level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// A path as a URI reference: what is not allowed in one is percent-encoded.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for &byte in path.as_bytes() {
        match byte {
            b'\\' => out.push('/'),
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diag::code::{EMPTY, TRUNCATED};

    #[test]
    fn text_marks_the_bytes() {
        let bytes: Vec<u8> = (0x30..0x60).collect();
        let issue = Issue::new(&TRUNCATED, "entities[0].size", "is wrong").at(Span::new(22, 26));
        let expected = "\
error[file/truncated]: is wrong
  --> a.bo3d, byte 22..26, entities[0].size
  00000010  40 41 42 43 44 45 46 47  48 49 4a 4b 4c 4d 4e 4f  @ABCDEFGHIJKLMNO
                              ^^ ^^  ^^ ^^
";
        assert_eq!(text(&issue, "a.bo3d", &bytes, Color::None), expected);
        assert!(text(&issue, "a.bo3d", &bytes, Color::Ansi).contains("\x1b[1;31merror"));
    }

    #[test]
    fn a_place_past_the_end_shows_no_bytes() {
        let issue = Issue::new(&TRUNCATED, "", "ends").at(Span::new(10, 10));
        assert_eq!(text(&issue, "a", &[0; 4], Color::None).lines().count(), 2);
    }

    #[test]
    fn sarif_has_one_rule_per_code() {
        let issues = [Issue::new(&TRUNCATED, "a", "x").at(Span::new(1, 3)), Issue::new(&TRUNCATED, "b", "y")];
        let mut one = Sarif::default();
        one.push("my file.bgl", &issues, b"\0ab\n");
        let mut log = Sarif::default();
        log.push("a.obj", &[Issue::new(&EMPTY, "", "z").at(Span::new(6, 7))], b"v 1\nv x\n");
        log.push_failure("gone.bmd", "no such file");
        one.append(log);
        let log = one.finish();
        let run = &log["runs"][0];
        let text = &run["results"][2];
        assert_eq!((&text["ruleId"], &text["ruleIndex"]), (&json!("file/empty"), &json!(1)));
        let region = &text["locations"][0]["physicalLocation"]["region"];
        assert_eq!((&region["startLine"], &region["startColumn"]), (&json!(2), &json!(3)));
        let invocation = &run["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], false);
        assert_eq!(invocation["toolExecutionNotifications"][0]["message"]["text"], "no such file");
        assert_eq!(run["tool"]["driver"]["rules"].as_array().map(Vec::len), Some(2));
        let place = &run["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "my%20file.bgl");
        assert_eq!(place["region"]["byteLength"], 2);
        assert_eq!(place["region"]["startLine"], 1, "what is binary is one line");
        assert_eq!(
            run["results"][1]["locations"][0]["physicalLocation"]["region"],
            json!({ "startLine": 1 })
        );
    }
}
