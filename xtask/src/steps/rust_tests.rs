//! The tests of Rust, and how many there were.

use std::path::Path;

use anyhow::Result;

use super::{Outcome, cargo, packages};

/// The test program that counts what is allocated. It takes as long as all others together, and works on one core.
const MEMORY: &str = "budget";

pub(super) fn memory(root: &Path) -> Result<Outcome> {
    test(root, &["--test", MEMORY])
}

/// The tests in the crates, and all their test programs but that of memory.
pub(super) fn all_others(root: &Path) -> Result<Outcome> {
    let packages = packages(root)?;
    let targets = packages.iter().filter_map(|package| package["targets"].as_array()).flatten();
    let programs = targets.filter(|target| target["kind"][0] == "test");
    let names = programs.filter_map(|target| target["name"].as_str()).filter(|name| *name != MEMORY);
    let arguments: Vec<&str> =
        ["--lib", "--bins"].into_iter().chain(names.flat_map(|name| ["--test", name])).collect();
    test(root, &arguments)
}

pub(super) fn in_the_crates(root: &Path) -> Result<Outcome> {
    test(root, &["--lib", "--bins"])
}

/// What documentation shows is run.
pub(super) fn documentation(root: &Path) -> Result<Outcome> {
    cargo(root, &["test", "--workspace", "--doc"], &[])
}

fn test(root: &Path, which: &[&str]) -> Result<Outcome> {
    let arguments = [&["test", "--workspace", "--no-fail-fast"], which, &["--", "--nocapture"]].concat();
    cargo(root, &arguments, &[])
}

/// What test programs say at their ends, added up.
#[derive(Default)]
pub(super) struct Counts {
    pub(super) passed: usize,
    pub(super) failed: usize,
    /// What tests left out, and why.
    pub(super) skipped: Vec<String>,
}

impl Counts {
    /// Of what steps printed.
    pub(super) fn of<'a>(said: impl Iterator<Item = &'a str>) -> Self {
        let mut counts = Self::default();
        for line in said.flat_map(str::lines) {
            if let Some((passed, failed, ignored)) = test_result(line) {
                counts.passed += passed;
                counts.failed += failed;
                if ignored > 0 {
                    counts.skip(format!("{ignored} tests that are marked as ignored"));
                }
            } else if let Some((_, what)) = line.split_once("SKIPPED ") {
                counts.skip(what.to_owned());
            }
        }
        counts
    }

    fn skip(&mut self, what: String) {
        if !self.skipped.contains(&what) {
            self.skipped.push(what);
        }
    }
}

/// Passed, failed and ignored, of a line such as `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
fn test_result(line: &str) -> Option<(usize, usize, usize)> {
    let counts = line.split_once("test result: ")?.1;
    let count = |what: &str| {
        let before = counts.split_once(what)?.0.trim_end();
        before.rsplit(' ').next()?.parse().ok()
    };
    Some((count(" passed")?, count(" failed")?, count(" ignored")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_results_are_counted() {
        let line = "test result: FAILED. 12 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out";
        assert_eq!(test_result(line), Some((12, 1, 2)));
        assert_eq!(test_result("test a ... ok"), None);
    }
}
