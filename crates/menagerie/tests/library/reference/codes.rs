//! Every issue code of the five formats has a small file that shows it, at its bytes.
//!
//! `vectors/codes/<format>/<code>.<ext>` are made by `vectors/make/run.py`; `vectors/codes/<format>.txt` says for each file
//! where its code is and what else is found. `UPDATE=1` writes those tables again.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::{five, root, test_names, text};
use crate::support::{TestFile, files_in};
use menagerie::diag::Issue;
use menagerie::formats::{Format, ReadOptions};

/// What a code needs that no small file shows as it is.
enum Elsewhere {
    Option(String, String),
    Test(String),
    Never,
}

fn elsewhere() -> BTreeMap<String, Elsewhere> {
    let list = text("vectors/codes/elsewhere.txt");
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entry = |line: &str| {
        let (code, rest) = line.split_once(' ')?;
        let (kind, what) = rest.trim_start().split_once(' ')?;
        let needs = match kind {
            "option" => {
                let (name, value) = what.split_once('=')?;
                Elsewhere::Option(name.to_owned(), value.to_owned())
            }
            "test" => Elsewhere::Test(what.to_owned()),
            "never" => Elsewhere::Never,
            _ => return None,
        };
        Some((code.to_owned(), needs))
    };
    lines.map(|line| entry(line).unwrap_or_else(|| panic!("not an entry: {line}"))).collect()
}

/// All that is said about a file.
fn issues(format: &Format, file: &TestFile, needs: Option<&Elsewhere>) -> Vec<Issue> {
    let mut options = ReadOptions::default();
    if let Some(Elsewhere::Option(name, value)) = needs {
        options.settings.set(name.clone(), value.clone());
    }
    let mut reading = format.open(&file.bytes, &options);
    let _ = reading.examine(&options);
    reading.issues.into_sorted()
}

/// One line of a table: the code, its bytes, its path, and the other codes of the file.
fn line(format: &Format, file: &TestFile, needs: Option<&Elsewhere>) -> String {
    let id = format!("{}/{}", format.id, file.stem());
    let issues = issues(format, file, needs);
    let own = issues.iter().find(|issue| issue.code.id == id);
    let own = own.unwrap_or_else(|| panic!("{} does not show its code: {issues:#?}", file.path.display()));
    let span = own.span.unwrap_or_else(|| panic!("{}: {id} points at no byte", file.path.display()));
    assert!(span.start < span.end && span.end <= file.bytes.len() as u64, "{id}: {span:?}");
    let mut line = format!("{id:32} {:>5}..{:<5} {}", span.start, span.end, own.path);
    let mut others: Vec<&str> =
        issues.iter().map(|issue| issue.code.id).filter(|other| *other != id).collect();
    others.sort_unstable();
    others.dedup();
    if !others.is_empty() {
        let _ = write!(line, "  and {}", others.join(", "));
    }
    line
}

#[test]
fn every_code_has_a_file_that_shows_it() {
    let (elsewhere, tests) = (elsewhere(), test_names());
    for format in five() {
        let files = files_in(&root("vectors/codes").join(format.id), format);
        for code in format.codes.iter().filter(|code| code.id.starts_with(format.id)) {
            let short = code.id.split_once('/').unwrap().1;
            let has_file = files.iter().any(|file| file.stem() == short);
            match elsewhere.get(code.id) {
                Some(Elsewhere::Test(name)) => {
                    assert!(tests.contains(name), "{}: there is no test {name}", code.id)
                }
                Some(Elsewhere::Never) => {}
                Some(Elsewhere::Option(..)) | None => {
                    assert!(has_file, "{} has no file in vectors/codes/{}", code.id, format.id);
                }
            }
        }
        let mut table = String::new();
        for file in &files {
            let id = format!("{}/{}", format.id, file.stem());
            let _ = writeln!(table, "{}", line(format, file, elsewhere.get(&id)));
        }
        let kept = format!("vectors/codes/{}.txt", format.id);
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(root(&kept), &table).unwrap();
        }
        let expected = std::fs::read_to_string(root(&kept)).unwrap_or_default();
        for (found, expected) in table.lines().zip(expected.lines()) {
            assert_eq!(found, expected, "{kept} is stale: UPDATE=1 writes it again");
        }
        assert_eq!(table.lines().count(), expected.lines().count(), "{kept} is stale");
    }
}
