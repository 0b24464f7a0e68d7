//! What the project is made of: every crate has a licence that goes with ours and comes from the registry.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::steps::{Outcome, cargo_program};

/// Licences that binaries with our own may carry.
const ALLOWED: &[&str] = &[
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
    "0BSD",
];

/// Looks at every crate that any feature of the workspace may bring.
pub(crate) fn check(root: &Path) -> Result<Outcome> {
    let mut ask = Command::new(cargo_program());
    ask.args(["metadata", "--locked", "--format-version", "1", "--all-features"]).current_dir(root);
    let output = ask.output().context("cannot run cargo metadata")?;
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata is not JSON")?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let wrong: Vec<String> = packages.iter().filter_map(wrong_with).collect();
    Ok(match wrong.is_empty() {
        true => Outcome::Passed,
        false => Outcome::Failed(wrong.join("; ")),
    })
}

/// What is wrong with a package, if something is.
fn wrong_with(package: &Value) -> Option<String> {
    let name = package["name"].as_str().unwrap_or_default();
    let licence = package["license"].as_str().unwrap_or_default();
    if !is_allowed(licence) {
        return Some(format!("{name} has the licence {licence:?}"));
    }
    let source = package["source"].as_str();
    let known = source.is_none_or(|source| source.starts_with("registry+") || source.starts_with("sparse+"));
    (!known).then(|| format!("{name} comes from {source:?}"))
}

/// Whether an expression such as `(MIT OR GPL-3.0) AND Zlib` can be met with what is allowed.
fn is_allowed(expression: &str) -> bool {
    let expression = expression.trim();
    if let Some(parts) = split(expression, &[" OR ", "/"]) {
        return parts.into_iter().any(is_allowed);
    }
    if let Some(parts) = split(expression, &[" AND "]) {
        return parts.into_iter().all(is_allowed);
    }
    match expression.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => is_allowed(inner),
        None => ALLOWED.contains(&expression),
    }
}

/// The parts between words that stand outside of parentheses; `None` when there is only one.
fn split<'a>(text: &'a str, words: &[&str]) -> Option<Vec<&'a str>> {
    let (mut depth, mut start, mut at) = (0, 0, 0);
    let mut parts = Vec::new();
    while let Some(letter) = text[at..].chars().next() {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        match words.iter().find(|word| depth == 0 && text[at..].starts_with(**word)) {
            Some(word) => {
                parts.push(&text[start..at]);
                at += word.len();
                start = at;
            }
            None => at += letter.len_utf8(),
        }
    }
    parts.push(&text[start..]);
    (parts.len() > 1).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::is_allowed;

    #[test]
    fn expressions_are_met_or_not() {
        for (expression, expected) in [
            ("MIT", true),
            ("GPL-3.0-only", false),
            ("", false),
            ("MIT OR GPL-3.0-only", true),
            ("MIT/Apache-2.0", true),
            ("MIT AND GPL-3.0-only", false),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", true),
            ("(MIT AND GPL-2.0-only) OR GPL-3.0-only", false),
            ("Apache-2.0 WITH LLVM-exception OR MIT", true),
        ] {
            assert_eq!(is_allowed(expression), expected, "{expression}");
        }
    }
}
