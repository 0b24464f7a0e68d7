//! The pictures that the tests of `menagerie-render` compare with.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

/// Writes them anew. Look at every one that changed before it is kept.
pub(crate) fn write(root: &Path) -> Result<bool> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["test", "--package", "menagerie-render", "--test", "pictures"])
        .env("MENAGERIE_WRITE_PICTURES", "1")
        .current_dir(root)
        .status()
        .context("cannot run cargo test")?;
    Ok(status.success())
}
