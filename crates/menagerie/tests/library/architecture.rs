//! Who may know whom: `bytes ← diag ← scene ← ops ← diff ← formats ← convert`, and what the library keeps away from.

use std::fs;
use std::path::{Path, PathBuf};

/// For each folder of the library, the other folders that it may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("bytes", &[]),
    ("math", &[]),
    ("parallel", &[]),
    ("diag", &["bytes"]),
    ("scene", &["bytes", "diag", "math"]),
    ("ops", &["bytes", "diag", "scene", "math", "parallel"]),
    ("pictures", &["bytes"]),
    // BMD and BO3D compare the tree with what their own reading gives back, to report what became of it.
    ("formats", &["bytes", "diag", "scene", "ops", "pictures", "diff", "math", "parallel"]),
    ("diff", &["bytes", "diag", "scene", "ops", "math", "parallel"]),
    // What a conversion cost is measured by comparing its result with its source.
    ("convert", &["bytes", "diag", "scene", "ops", "pictures", "formats", "diff"]),
    ("repair", &["bytes", "diag", "formats", "convert"]),
    ("open", &["bytes", "diag", "scene", "ops", "pictures", "formats", "convert", "diff"]),
];

/// What the library leaves to its callers: files, the terminal, the clock, the environment, other programs.
const FORBIDDEN: &[&str] = &[
    "std::fs",
    "std::net",
    "std::time",
    "std::env",
    "std::process",
    "println!",
    "eprintln!",
    "print!",
    "eprint!",
    "stdout()",
    "stderr()",
    "stdin()",
];

/// The lines of a source file that are code of the library itself: without comments, and without the tests at its end.
struct Source {
    path: PathBuf,
    lines: Vec<(usize, String)>,
}

#[test]
fn folders_use_only_what_is_below_them() {
    let mut broken = Vec::new();
    for source in sources() {
        let Some(folder) = folder_of(&source.path) else { continue };
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == folder) else {
            panic!("the folder {folder} is not in the table of this test");
        };
        for (number, line) in &source.lines {
            for used in modules_after(line, "crate::") {
                let known = MAY_USE.iter().any(|(name, _)| *name == used);
                if known && used != folder && !allowed.contains(&used.as_str()) {
                    broken.push(format!("{}:{number}: {folder} uses {used}", source.path.display()));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn formats_do_not_know_each_other() {
    let folder = src().join("formats");
    let formats: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert!(!formats.is_empty());
    for source in sources().into_iter().filter(|source| source.path.starts_with(&folder)) {
        let own = source.path.strip_prefix(&folder).unwrap().iter().next().unwrap().to_string_lossy();
        if own == "mod.rs" {
            continue;
        }
        for (number, line) in &source.lines {
            for used in
                modules_after(line, "formats::").into_iter().chain(modules_after(line, "super::super::"))
            {
                let foreign = used != own && formats.contains(&used);
                assert!(!foreign, "{}:{number}: {own} uses {used}", source.path.display());
            }
        }
    }
}

/// A format is its folder, its lines in the registry and a feature: nobody else asks which one it is.
#[test]
fn only_the_registry_knows_formats_by_name() {
    let registry = src().join("formats/mod.rs");
    let folders = fs::read_dir(src().join("formats")).unwrap().map(|entry| entry.unwrap().path());
    let folders: Vec<PathBuf> = folders.filter(|path| path.is_dir()).collect();
    // The demonstration ends with a file that every viewer shows.
    let demonstrates = |path: &Path| path.to_string_lossy().contains("verbs/demo");
    let mut broken = Vec::new();
    for source in all_sources().into_iter().filter(|s| s.path != registry && !demonstrates(&s.path)) {
        for folder in folders.iter().filter(|folder| !source.path.starts_with(folder)) {
            let id = folder.file_name().unwrap().to_string_lossy();
            let names =
                [format!("formats::{id}::"), format!("Format::{}", id.to_uppercase()), format!("\"{id}\"")];
            // A feature decides only whether something is compiled that nobody else uses.
            let lines = source.lines.iter().filter(|(_, line)| !line.contains("feature = "));
            let found = lines.filter(|(_, line)| names.iter().any(|name| line.contains(name)));
            broken.extend(found.map(|(number, line)| format!("{}:{number}: {line}", source.path.display())));
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_file_says_what_it_is() {
    let files = sources().into_iter().map(|source| source.path);
    let silent: Vec<PathBuf> =
        files.filter(|path| !fs::read_to_string(path).unwrap().starts_with("//!")).collect();
    assert!(silent.is_empty(), "begin with `//!` and a sentence: {silent:#?}");
}

/// What a format keeps in extras is a struct of its `notes`, where both directions find it.
#[test]
fn formats_keep_nothing_in_extras_but_notes() {
    let of_a_format = |source: &Source| {
        let path = source.path.strip_prefix(src().join("formats")).ok();
        path.is_some_and(|path| path.components().count() > 1 && !path.to_string_lossy().contains("notes"))
    };
    let mut broken = Vec::new();
    for source in sources().into_iter().filter(of_a_format) {
        let by_name = |line: &str| {
            ["extras.set(", "extras.get(FORMAT", "extras.get(GLTF", "extras.get(\""]
                .iter()
                .any(|call| line.contains(call))
        };
        let lines = source.lines.iter().filter(|(_, line)| by_name(line));
        broken.extend(lines.map(|(number, line)| format!("{}:{number}: {line}", source.path.display())));
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn the_library_opens_no_file_prints_nothing_and_asks_no_clock() {
    // The feature `fs` is what opens files, in these two.
    let on_disk = ["open/disk.rs", "open/folders.rs"].map(|file| src().join(file));
    for source in sources().into_iter().filter(|source| !on_disk.contains(&source.path)) {
        for (number, line) in &source.lines {
            for word in FORBIDDEN {
                assert!(!has_word(line, word), "{}:{number} has {word}: {line}", source.path.display());
            }
        }
    }
}

/// Functions whose last bit differs from machine to machine are called in one place, which the feature `exact` decides about.
#[test]
fn only_math_calls_functions_of_the_system() {
    const NAMES: [&str; 14] = [
        "sin", "cos", "tan", "sin_cos", "asin", "acos", "atan", "atan2", "exp", "ln", "log2", "log10",
        "powf", "cbrt",
    ];
    let mut broken = Vec::new();
    for source in sources().into_iter().filter(|source| source.path != src().join("math.rs")) {
        let calls = |line: &str| NAMES.iter().any(|name| line.contains(&format!(".{name}(")));
        let lines = source.lines.iter().filter(|(_, line)| calls(line));
        broken.extend(lines.map(|(number, line)| format!("{}:{number}: {line}", source.path.display())));
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// A longer function does more than one step: look for the missing concept.
#[test]
fn no_function_is_longer_than_sixty_lines() {
    let mut long = Vec::new();
    for source in all_sources() {
        let lines: Vec<&str> = source.lines.iter().map(|(_, line)| line.as_str()).collect();
        let functions = functions(&lines).filter(|(_, length)| *length > 60);
        long.extend(
            functions.map(|(line, length)| format!("{}: {length} lines: {line}", source.path.display())),
        );
    }
    assert!(long.is_empty(), "{long:#?}");
}

/// The first line of each function with the number of its lines. Formatted code ends one where it began it.
fn functions<'a>(lines: &'a [&'a str]) -> impl Iterator<Item = (&'a str, usize)> {
    let begins = |line: &str| {
        let words = line.split_once("fn ").map(|(before, _)| before.trim());
        words.is_some_and(|words| {
            words.split(' ').all(|word| {
                ["", "const", "async", "unsafe", "extern", "\"C\""].contains(&word) || word.starts_with("pub")
            })
        })
    };
    lines.iter().enumerate().filter(move |(_, line)| begins(line)).filter_map(|(at, line)| {
        if line.ends_with('}') {
            return Some((*line, 1));
        }
        let indent = &line[..line.len() - line.trim_start().len()];
        let end = format!("{indent}}}");
        let has_body =
            lines[at..].iter().find(|line| line.contains('{') || line.ends_with(';'))?.contains('{');
        let length = lines[at..].iter().position(|line| line.starts_with(&end)).filter(|_| has_body)? + 1;
        Some((*line, length))
    })
}

#[test]
fn the_search_finds_what_it_looks_for() {
    let code = ["impl A {", "    fn a(", "    ) {", "        let b = 1;", "    }", "    fn c();", "}"];
    assert_eq!(functions(&code).collect::<Vec<_>>(), [("    fn a(", 4)]);
    assert_eq!(
        modules_after("use crate::{bytes::Span, scene::{Node, Mesh}};", "crate::"),
        ["bytes", "scene"]
    );
    assert_eq!(modules_after("let a = crate::ops::scale(crate::diag::X);", "crate::"), ["ops", "diag"]);
    assert!(has_word("    println!(\"x\")", "println!") && !has_word("eprintln!(1)", "println!"));
}

/// The folder of the library that a file is in; `None` for `lib.rs`, which sees all.
fn folder_of(path: &Path) -> Option<String> {
    let below = path.strip_prefix(src()).unwrap();
    let first = below.iter().next()?.to_string_lossy().into_owned();
    (first != "lib.rs").then(|| first.trim_end_matches(".rs").to_owned())
}

/// The first names that follow `prefix` in a line, also inside braces.
fn modules_after(line: &str, prefix: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in line.match_indices(prefix) {
        let rest = &line[at + prefix.len()..];
        let name = |text: &str| -> String {
            text.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
        };
        match rest.strip_prefix('{') {
            None => found.push(name(rest)),
            Some(inside) => {
                let mut depth = 0;
                let mut start = 0;
                for (at, c) in inside.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => {
                            found.push(name(&inside[start..at]));
                            break;
                        }
                        '}' => depth -= 1,
                        ',' if depth == 0 => {
                            found.push(name(&inside[start..at]));
                            start = at + 1;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    found.retain(|name| !name.is_empty());
    found
}

/// Whether `word` is in the line and does not end a longer word.
fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    })
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn sources() -> Vec<Source> {
    let sources = sources_below(&src());
    assert!(sources.len() > 20, "the sources were not found");
    sources
}

/// The sources of all crates.
fn all_sources() -> Vec<Source> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let folders = fs::read_dir(crates).unwrap().map(|entry| entry.unwrap().path().join("src"));
    folders.filter(|folder| folder.is_dir()).flat_map(|folder| sources_below(&folder)).collect()
}

fn sources_below(folder: &Path) -> Vec<Source> {
    let mut open = vec![folder.to_owned()];
    let mut sources = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                sources.push(Source { lines: code_lines(&fs::read_to_string(&path).unwrap()), path });
            }
        }
    }
    sources
}

/// Statements that `use` several modules over several lines are joined to one line.
fn code_lines(text: &str) -> Vec<(usize, String)> {
    let library = text.lines().take_while(|line| line.trim() != "#[cfg(test)]").enumerate();
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut in_use = false;
    for (index, line) in library {
        let line = line.split("//").next().unwrap_or_default();
        match lines.last_mut().filter(|_| in_use) {
            Some((_, statement)) => statement.push_str(line.trim()),
            None => lines.push((index + 1, line.to_owned())),
        }
        let begins = line.trim_start().starts_with("use ") || line.trim_start().starts_with("pub use ");
        in_use = (in_use || begins) && !line.contains(';');
    }
    lines
}
