//! `cargo xtask test` runs every check of the project, `check` those of every day; `cargo xtask docs` makes the generated pages again, `pictures` the
//! pictures that tests compare with; `python` builds the wheel, `blender` the extension, `viewer` the page, `dist` packages for others; `kaitai` runs
//! the descriptions of docs/kaitai; `bench` measures against other programs;
//! `linear` counts what twice as much takes; `fuzz` runs all fuzz targets.

mod bench;
mod blender;
mod dist;
#[cfg(feature = "library")]
mod docs;
mod fuzz;
mod instructions;
mod kaitai;
mod licences;
mod linear;
#[cfg(feature = "library")]
mod looks;
#[cfg(feature = "library")]
mod pictures;
mod python;
#[cfg(feature = "library")]
mod schemas;
mod steps;
mod viewer;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "usage: cargo xtask test | check | docs | pictures | pictures-table | python [test | cluster] | blender [test] | kaitai | viewer [test] | dist [test] | bench [NAME] | instructions [update] | linear | fuzz [test] [--minutes N] [--target NAME] [--sanitizer address]";

fn main() -> ExitCode {
    let result = match std::env::args().nth(1).as_deref() {
        Some("test") => steps::run(&root()),
        Some("step") => steps::run_one(&root(), &std::env::args().nth(2).unwrap_or_default()),
        Some("check") => steps::check(&root()),
        Some("fuzz") => {
            let arguments: Vec<String> = std::env::args().skip(2).collect();
            match arguments.as_slice() {
                [test] if test == "test" => Ok(steps::only(&root(), ("fuzzing", fuzz::test))),
                _ => fuzz::run(&root(), &arguments),
            }
        }
        Some("viewer") => build_or_test(viewer::build, ("viewer in a browser", viewer::test)),
        Some("kaitai") => Ok(steps::only(&root(), ("Kaitai descriptions", kaitai::test))),
        Some("dist") => build_or_test(dist::build, ("packages", dist::test)),
        Some("glue") => viewer::glue(&root()).map(|()| true),
        Some("python") if std::env::args().nth(2).as_deref() == Some("cluster") => {
            Ok(steps::only(&root(), ("Ray on two nodes", python::test_cluster_alone)))
        }
        Some("python") => build_or_test(python::build, ("Python package", python::test_alone)),
        Some("bench") => bench::run(&root(), std::env::args().nth(2).as_deref()),
        Some("instructions") => match std::env::args().nth(2).as_deref() {
            None => Ok(steps::only(&root(), ("instructions", instructions::check))),
            Some("update") => instructions::update(&root()),
            Some(_) => Err(anyhow::anyhow!(USAGE)),
        },
        Some("linear") => linear::write(&root()),
        Some("blender") => build_or_test(blender::build, ("Blender extension", blender::test_alone)),
        Some(task) => with_library(task),
        None => Err(anyhow::anyhow!(USAGE)),
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

/// Builds a package, or runs only its step of the tests.
fn build_or_test(build: fn(&Path) -> Result<bool>, step: (&'static str, steps::Check)) -> Result<bool> {
    match std::env::args().nth(2).as_deref() {
        None => build(&root()),
        Some("test") => Ok(steps::only(&root(), step)),
        Some(_) => Err(anyhow::anyhow!(USAGE)),
    }
}

/// Tasks that use the library.
#[cfg(feature = "library")]
fn with_library(task: &str) -> Result<bool> {
    match task {
        "docs" => docs::write(&root()).map(|()| true),
        "pictures" => pictures::write(&root()),
        "pictures-table" => looks::write(&root()).map(|()| true),
        _ => bail!(USAGE),
    }
}

/// Tasks that use the library are done by this program built with it.
#[cfg(not(feature = "library"))]
fn with_library(task: &str) -> Result<bool> {
    if !["docs", "pictures", "pictures-table"].contains(&task) {
        bail!(USAGE);
    }
    let mut command = std::process::Command::new(steps::cargo_program());
    command.args(["run", "--quiet", "--package", "xtask", "--features", "library", "--"]);
    Ok(command.args(std::env::args_os().skip(1)).status()?.success())
}

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}
