//! What goes to standard output and standard error, and how files are written.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use comfy_table::{ContentArrangement, LineStyle, presets};
use menagerie::diag::plain;
use serde_json::Value;

use crate::captured::Stream;
use crate::unfinished::Unfinished;

/// Standard output. A reader that went away is an error here, not a panic as with `println!`.
pub(crate) fn stdout() -> BufWriter<Stream> {
    BufWriter::with_capacity(1 << 16, Stream::Out)
}

/// Says what is wrong with a command line, or the help that was asked for, and gives the exit code.
pub(crate) fn usage(usage: &clap::Error) -> u8 {
    let (mut stream, color) = match usage.use_stderr() {
        true => (Stream::Error, io::stderr().is_terminal()),
        false => (Stream::Out, io::stdout().is_terminal()),
    };
    let text = usage.render();
    let text = if color { text.ansi().to_string() } else { text.to_string() };
    let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
    u8::try_from(usage.exit_code()).unwrap_or(2)
}

/// Prints text on standard output. Names in files are not to be trusted: see [`harmless`].
pub(crate) fn print(text: &str) -> Result<()> {
    print_colored(&harmless(text))
}

/// Prints text that has colours, and whose names were made harmless before.
pub(crate) fn print_colored(text: &str) -> Result<()> {
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    Ok(out.flush()?)
}

/// Writes bytes as they are to standard output.
pub(crate) fn print_bytes(bytes: &[u8]) -> Result<()> {
    let mut out = stdout();
    out.write_all(bytes)?;
    Ok(out.flush()?)
}

/// Text of several lines without control characters: a name in a model could otherwise give orders to the terminal. Names
/// themselves are made [`plain`] where they become part of a line.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    let kept = |c: char| c == '\n' || c == '\t';
    let parts: Vec<Cow<'_, str>> = text
        .split_inclusive(kept)
        .map(|part| {
            let (words, end) = part.split_at(part.trim_end_matches(kept).len());
            match plain(words) {
                Cow::Borrowed(_) => Cow::Borrowed(part),
                Cow::Owned(words) => Cow::Owned(words + end),
            }
        })
        .collect();
    match parts.iter().all(|part| matches!(part, Cow::Borrowed(_))) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(parts.concat()),
    }
}

/// JSON that says the same and forges nothing where it is shown: what [`plain`] would write out is escaped in strings.
pub(crate) fn harmless_json(json: String) -> String {
    // Line breaks are those between values: in strings they are escaped already.
    if json.split('\n').all(|line| matches!(plain(line), Cow::Borrowed(_))) {
        return json;
    }
    let mut harmless = String::with_capacity(json.len() + 16);
    for c in json.chars() {
        match plain(c.encode_utf8(&mut [0; 4])) {
            Cow::Owned(_) if c != '\n' => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    harmless += &format!("\\u{unit:04x}");
                }
            }
            _ => harmless.push(c),
        }
    }
    harmless
}

/// Prints the one JSON value that `--json` promises.
pub(crate) fn print_json(value: &Value) -> Result<()> {
    print_bytes(format!("{}\n", harmless_json(format!("{value:#}"))).as_bytes())
}

/// A JSON array on standard output whose elements are printed as they come, so that none has to be kept.
#[derive(Default)]
pub(crate) struct JsonArray {
    begun: bool,
}

impl JsonArray {
    pub(crate) fn push(&mut self, element: &Value) -> Result<()> {
        let text = harmless_json(format!("{element:#}")).replace('\n', "\n  ");
        let before = if std::mem::replace(&mut self.begun, true) { ",\n  " } else { "[\n  " };
        print_bytes(format!("{before}{text}").as_bytes())
    }

    pub(crate) fn finish(&mut self) -> Result<()> {
        print_bytes(if self.begun { b"\n]\n" } else { b"[]\n" })
    }
}

/// Says something on standard error. If nobody listens there, there is nobody to tell.
pub(crate) fn message(text: fmt::Arguments<'_>) {
    let _ = writeln!(Stream::Error, "{}", harmless(&text.to_string()));
}

/// A table without frills.
pub(crate) struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// Terminals with fewer columns get a paragraph for each row: columns of a few letters cannot be read.
const NARROW: usize = 72;

/// A table with these names of columns.
pub(crate) fn table<S: Into<String>>(header: impl IntoIterator<Item = S>) -> Table {
    Table { header: header.into_iter().map(Into::into).collect(), rows: Vec::new() }
}

impl Table {
    pub(crate) fn add_row<S: Into<String>>(&mut self, row: impl IntoIterator<Item = S>) {
        self.rows.push(row.into_iter().map(Into::into).collect());
    }

    /// The rows as paragraphs: the first cell, then what the others are and say.
    fn paragraphs(&self, width: usize) -> String {
        let paragraph = |row: &Vec<String>| {
            let cells = self.header.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
            let words: Vec<String> = cells.skip(1).map(|(name, cell)| format!("{name}: {cell}")).collect();
            let title = row.first().map(String::as_str).unwrap_or_default();
            format!("{title}\n{}", wrapped(&words.join("; "), "  ", width))
        };
        self.rows.iter().map(paragraph).collect::<Vec<_>>().join("\n")
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = comfy_table::Table::new();
        let width = columns().or_else(|| table.width().map(usize::from));
        if let Some(width) = width.filter(|width| *width < NARROW) {
            return f.write_str(&self.paragraphs(width));
        }
        table.load_style(presets::UTF8_HORIZONTAL_ONLY.row_separator(LineStyle::none()));
        table.set_content_arrangement(ContentArrangement::Dynamic).set_header(&self.header);
        table.add_rows(&self.rows);
        table.fmt(f)
    }
}

/// The width that the environment asks for.
fn columns() -> Option<usize> {
    std::env::var("COLUMNS").ok()?.parse().ok().filter(|columns| *columns >= 20)
}

/// Text in lines of at most so many letters, cut between words where that is possible.
fn wrapped(text: &str, indent: &str, width: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(format!("{indent}{word}")),
        }
    }
    lines.join("\n")
}

/// Whether an error only says that the reader of a pipe went away.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// Several files that appear together: all are written to temporary files first, so that a full disk leaves
/// everything as it was, and then each takes its place at once.
#[derive(Default)]
pub(crate) struct Writing {
    ready: Vec<(Unfinished, PathBuf)>,
    devices: Vec<(PathBuf, Vec<u8>)>,
}

impl Writing {
    /// Puts `bytes` where they can take the place of `target` later.
    pub(crate) fn prepare(&mut self, target: &Path, bytes: &[u8]) -> Result<()> {
        let cannot = || format!("cannot write {}", target.display());
        // A link is written through, as every other program does.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let old = fs::metadata(&target).ok();
        if old.as_ref().is_some_and(|old| !old.is_file() && !old.is_dir()) {
            // A device or a pipe has nothing to be kept whole and cannot be replaced.
            self.devices.push((target, bytes.to_vec()));
            return Ok(());
        }
        let mut file = Unfinished::new(folder_of(&target)).with_context(cannot)?;
        file.write_all(bytes).with_context(cannot)?;
        if let Some(old) = old {
            let keeps = |file: &fs::File| file.set_permissions(old.permissions());
            file.as_file().and_then(keeps).with_context(cannot)?;
        }
        self.ready.push((file, target));
        Ok(())
    }

    /// Lets other files take their places after these.
    pub(crate) fn append(&mut self, mut others: Self) {
        self.ready.append(&mut others.ready);
        self.devices.append(&mut others.devices);
    }

    /// Lets all files take their places, in the order in which they were prepared.
    pub(crate) fn finish(self) -> Result<()> {
        for (device, bytes) in self.devices {
            let write = || fs::OpenOptions::new().write(true).open(&device)?.write_all(&bytes);
            write().with_context(|| format!("cannot write {}", device.display()))?;
        }
        for (file, target) in self.ready {
            file.persist(&target).with_context(|| format!("cannot write {}", target.display()))?;
        }
        Ok(())
    }
}

/// Writes one file in one step: the old one is there until the new one is whole.
pub(crate) fn write_file(target: &Path, bytes: &[u8]) -> Result<()> {
    let mut writing = Writing::default();
    writing.prepare(target, bytes)?;
    writing.finish()
}

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != OsStr::new("") => parent,
        _ => Path::new("."),
    }
}

/// A number of things by the name of their list: `1 mesh`, `3 meshes`.
pub(crate) fn count_of(n: usize, list: &str) -> String {
    let endings = [("vertices", "vertex"), ("ies", "y"), ("shes", "sh"), ("s", "")];
    let one = endings.iter().find_map(|(many, one)| Some(list.strip_suffix(many)?.to_owned() + one));
    count(n, one.as_deref().unwrap_or(list), list)
}

/// A number of things: `1 loss`, `3 losses`.
pub(crate) fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn narrow_tables_are_paragraphs() {
        let mut losses = table(["code", "lost", "count", "largest error"]);
        losses.add_row([
            "loss/positions",
            "approximated: rounded to 16-bit floats",
            "1311",
            "5.274e-4 scene units",
        ]);
        losses.add_row(["loss/names", "dropped: scenes have no names", "1", ""]);
        let text = losses.paragraphs(50);
        assert!(text.lines().all(|line| line.chars().count() <= 50), "{text}");
        assert!(text.contains("loss/names\n  lost: dropped: scenes have no names; count: 1"), "{text}");
    }

    #[test]
    fn one_thing_is_not_many() {
        let lists = ["meshes", "entities", "vertices", "bones", "texture coordinates", "vertex"];
        let one = ["1 mesh", "1 entity", "1 vertex", "1 bone", "1 texture coordinate", "1 vertex"];
        assert_eq!(lists.map(|list| count_of(1, list)), one);
        assert_eq!(count_of(2, "meshes"), "2 meshes");
    }

    #[test]
    fn json_forges_nothing_and_says_the_same() {
        let value = json!({ "name": "a\u{202e}b\u{9b}2J\u{feff}\n\u{7f}ü", "list": [1, "\u{2028}"] });
        let text = harmless_json(format!("{value:#}"));
        assert!(text.split('\n').all(|line| plain(line) == line), "{text}");
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        let harmless = format!("{:#}", json!({ "name": "über" }));
        assert_eq!(harmless_json(harmless.clone()), harmless);
    }
}
