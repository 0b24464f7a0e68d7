//! Operations on Scenes: welding beside a copy and a sort, simplifying beside meshoptimizer itself.

use std::process::Command;

use anyhow::{Context, Result, bail};

use super::{Bench, Row};

/// Runs the library's own benchmarks, which print what they measure: rates of one run that are meant to be compared.
pub(super) fn compare(bench: &Bench) -> Result<Vec<Row>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["bench", "--package", "menagerie", "--bench", "ops"])
        .current_dir(&bench.root)
        .status()
        .context("cannot run cargo bench")?;
    if !status.success() {
        bail!("the benchmarks of operations did not run");
    }
    Ok(Vec::new())
}
