//! The Blender extension: one zip with the wheel inside, and its tests in a real Blender without a window.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::python::{Environment, Interpreter, Profile};
use crate::steps::{Outcome, run_command};

/// Blender itself, for the Python that it was built with, and what tests need.
pub(crate) const TEST: [&str; 2] = ["bpy==5.0.1", "pytest>=8,<10"];
pub(crate) const PYTHON: Interpreter = Interpreter::Exactly(3, 11);

/// `cargo xtask blender`: the zip for use, below `target/blender`.
pub(crate) fn build(root: &Path) -> Result<bool> {
    let environment = crate::python::build_environment(root)?;
    let wheel = environment.wheel(root, Profile::Release)?;
    let package = package(root, &environment, &wheel, "menagerie")?;
    println!("{}", package.display());
    Ok(true)
}

/// Installs the zip as a user does, and runs the tests in that Blender.
pub(crate) fn test(root: &Path) -> Result<Outcome> {
    let environment = match Environment::ready(root, "blender", PYTHON, &TEST)? {
        Ok(environment) => environment,
        Err(reason) => return Ok(Outcome::Skipped(reason)),
    };
    let package = package(root, &environment, &Profile::Dev.built(root)?, "test")?;
    // Blender keeps what it installs here, and not among the user's own things.
    let home = root.join("target/python/blender-home");
    let _ = std::fs::remove_dir_all(&home);
    std::fs::create_dir_all(&home).with_context(|| format!("cannot make {}", home.display()))?;
    let mut test = environment.python();
    test.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "."]);
    test.current_dir(root.join("blender/tests")).env("PYTHONDONTWRITEBYTECODE", "1");
    test.env("BLENDER_USER_RESOURCES", &home).env("MENAGERIE_EXTENSION", &package);
    run_command(&mut test)
}

/// The same after the wheel was built.
pub(crate) fn test_alone(root: &Path) -> Result<Outcome> {
    crate::python::build_for_tests(root)?;
    test(root)
}

/// Puts the extension and the wheel into one zip.
fn package(root: &Path, environment: &Environment, wheel: &Path, name: &str) -> Result<PathBuf> {
    let package = root.join("target/blender").join(format!("{name}.zip"));
    let mut pack = environment.python();
    pack.arg(root.join("blender/package.py")).arg(wheel).arg(&package);
    match run_command(&mut pack)? {
        Outcome::Passed => Ok(package),
        _ => bail!("the extension cannot be packed"),
    }
}
