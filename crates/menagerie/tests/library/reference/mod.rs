//! The formats as others can check them: the files of `vectors`, the tables of `docs/coverage`, the readers of
//! `docs/examples`.

mod codes;
mod coverage;
mod examples;
mod scalars;

use std::path::{Path, PathBuf};

use menagerie::formats::Format;

/// A path from the project's root on.
fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The formats that menagerie is the reference of.
fn five() -> impl Iterator<Item = &'static Format> {
    ["bogle", "bmd", "dgl2", "bo3d", "das2"].into_iter().filter_map(Format::by_id)
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The names of all tests of this program, and of those that sit in the library's sources.
fn test_names() -> std::collections::BTreeSet<String> {
    let mut names = std::collections::BTreeSet::new();
    let mut open = vec![
        root("crates/menagerie/tests/library"),
        root("crates/menagerie/src"),
        root("crates/menagerie-cli/tests"),
    ];
    while let Some(folder) = open.pop() {
        for entry in
            std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let source = std::fs::read_to_string(&path).unwrap();
                let tests = source.split("#[test]").skip(1);
                let name = |after: &str| {
                    let name = after.split_once("fn ")?.1;
                    Some(name.split_once('(')?.0.to_owned())
                };
                names.extend(tests.filter_map(name));
            }
        }
    }
    names
}
