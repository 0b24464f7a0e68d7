//! `cargo xtask bench` runs the benchmarks, one file for each part of the project.

mod ops;

use std::path::Path;

use anyhow::Result;

/// Runs all benchmarks; true when all ran.
pub(crate) fn run(root: &Path) -> Result<bool> {
    ops::run(root)
}
