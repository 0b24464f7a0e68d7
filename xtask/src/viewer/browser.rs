//! The page in Debian's chromium.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::is_there;
use crate::steps::{Outcome, program_of_tests, run_command as run};

/// Names under which a browser may be installed.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// What is said where there is none.
pub(super) const MISSING: &str =
    "no chromium is installed, and apt-get cannot install one; CHROMIUM may say where it is";

/// The browser, installed if it is not there.
pub(super) fn ready() -> Option<PathBuf> {
    find().or_else(install)
}

/// Opens the page in a browser and tries everything.
pub(super) fn test(root: &Path) -> Result<Outcome> {
    let Some(browser) = ready() else { return Ok(Outcome::Skipped(MISSING.to_owned())) };
    // What the page makes is compared with what the program makes.
    let program = program_of_tests(root)?;
    let mut command = Command::new("node");
    command
        .arg("test/run.mjs")
        .current_dir(root.join("viewer"))
        .env("CHROMIUM", browser)
        .env("MENAGERIE", program)
        .env("PAGE", super::page(root))
        .env("SHOTS", super::folder(root).join("shots"));
    run(&mut command)
}

fn find() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM").map(PathBuf::from).filter(|path| path.is_file()) {
        return Some(named);
    }
    BROWSERS.iter().find(|name| is_there(name)).map(PathBuf::from).map(|name| which(&name).unwrap_or(name))
}

/// Where in the search path a program is.
fn which(name: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|place| place.is_file())
}

/// Debian's browser, where this may be installed.
fn install() -> Option<PathBuf> {
    super::apt_install(&["chromium"]).then(find).flatten()
}
