//! The readers of `docs/examples`, written from the pages alone, find the values that lie beside the files.

use std::process::Command;

use super::root;
use crate::support::{own, real};
use menagerie::formats::Format;

/// Whether Python is there; with `CI` set it must be.
fn has_python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        assert!(
            std::env::var_os("CI").is_none(),
            "with CI set nothing may be skipped, and python3 is missing"
        );
        println!("SKIPPED the readers of docs/examples: python3 is not there");
    }
    found
}

#[test]
fn readers_written_from_the_pages_find_the_same_values() {
    if !has_python() {
        return;
    }
    for (script, id) in [("docs/examples/read_bmd.py", "bmd"), ("docs/examples/read_das2.py", "das2")] {
        let source = std::fs::read_to_string(root(script)).unwrap();
        assert!(source.lines().count() < 300, "{script} is too long to be an example");
        let format = Format::by_id(id).unwrap();
        let files: Vec<_> = own("made", format)
            .into_iter()
            .chain(real(format))
            .filter(|file| file.path.with_extension("json").is_file())
            .collect();
        assert!(files.len() >= 12, "{id}: {} files", files.len());
        let output = Command::new("python3")
            .arg(root(script))
            .arg("--check")
            .args(files.iter().map(|file| &file.path))
            .output()
            .unwrap();
        let said =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        // zstd, which only the library's profile of das2 uses, is the C library's.
        let may_lack = std::env::var_os("CI").is_none();
        let fine = |line: &&str| line.ends_with(": as expected") || may_lack && line.contains("libzstd");
        let good = said.lines().filter(fine).count();
        assert_eq!(good, files.len(), "{script}: {said}");
    }
}
