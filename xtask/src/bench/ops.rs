//! Operations on Scenes: welding beside a copy and a sort, simplifying beside meshoptimizer itself.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

/// Runs them on one thread and prints what they measure; true when they ran.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["bench", "--package", "menagerie", "--bench", "ops"])
        .current_dir(root)
        .status()
        .context("cannot run cargo bench")?;
    Ok(status.success())
}
