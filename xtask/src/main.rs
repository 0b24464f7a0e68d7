//! `cargo xtask test` runs every check of the project; `cargo xtask docs` makes the generated pages again, `pictures` the
//! pictures that tests compare with; `bench` measures against other programs; `fuzz-seeds` writes what fuzzing starts from.

mod bench;
mod docs;
mod pictures;
mod schemas;
mod seeds;
mod steps;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask test | docs | pictures | bench [NAME] | fuzz-seeds [FOLDER]...";

fn main() -> ExitCode {
    let task = std::env::args().nth(1);
    let result = match task.as_deref() {
        Some("test") => steps::run(&root()),
        Some("docs") => docs::write(&root()).map(|()| true),
        Some("pictures") => pictures::write(&root()),
        Some("bench") => bench::run(&root(), std::env::args().nth(2).as_deref()),
        Some("fuzz-seeds") => seeds::write(&root(), std::env::args().skip(2)).map(|()| true),
        _ => Err(anyhow::anyhow!(USAGE)),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}
