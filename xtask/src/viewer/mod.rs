//! The viewer's page: the library for the browser, the page around it, and its tests in a browser.
//!
//! Everything that is made or fetched lies below `target/viewer`: `toolchain` (where rustup has no wasm target), `cargo`,
//! `glue`, `npm`, and the page itself, `menagerie.html`.

mod browser;
mod toolchain;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Result, bail};

use crate::steps::{Outcome, cargo_program, run_command as run};

/// The page may be this large.
const MOST_BYTES: u64 = 3 << 20;

/// The folder of all that is made.
fn folder(root: &Path) -> PathBuf {
    root.join("target/viewer")
}

/// The page.
pub(crate) fn page(root: &Path) -> PathBuf {
    folder(root).join("menagerie.html")
}

/// Builds the page and says where it is.
pub(crate) fn build(root: &Path) -> Result<bool> {
    match try_build(root)? {
        Outcome::Passed => {
            let bytes = std::fs::metadata(page(root))?.len();
            println!("{} ({:.2} MB)", page(root).display(), bytes as f64 / 1e6);
            Ok(true)
        }
        Outcome::Failed(reason) | Outcome::Skipped(reason) => bail!(reason),
    }
}

/// Builds the page, as a step of the tests.
pub(crate) fn try_build(root: &Path) -> Result<Outcome> {
    for program in ["node", "npm"] {
        if !is_there(program) {
            return Ok(Outcome::Skipped(format!("{program} is missing; install Node.js with npm")));
        }
    }
    let toolchain = match toolchain::find(&folder(root))? {
        Ok(toolchain) => toolchain,
        Err(reason) => return Ok(Outcome::Skipped(reason)),
    };
    println!("the library for the browser is built {}", toolchain.way);
    let start = Instant::now();
    if let Outcome::Failed(status) = run(&mut toolchain.command(root, &folder(root).join("cargo")))? {
        return Ok(Outcome::Failed(format!("the library for the browser: {status}")));
    }
    println!("built in {:.0} s", start.elapsed().as_secs_f32());
    let mut glue = Command::new(cargo_program());
    // In a folder of its own: it does not wait for other builds, and leaves this program as it is.
    glue.args([
        "run",
        "--quiet",
        "--package",
        "xtask",
        "--no-default-features",
        "--features",
        "glue",
        "--target-dir",
    ]);
    glue.arg(folder(root).join("glue-cargo")).args(["--", "glue"]);
    if let Outcome::Failed(status) = run(glue.current_dir(root))? {
        return Ok(Outcome::Failed(format!("the glue of the library for the browser: {status}")));
    }
    install(root)?;
    for step in [&["npm", "run", "--silent", "check"][..], &["node", "build.mjs"]] {
        let [program, arguments @ ..] = step else { continue };
        if let Outcome::Failed(status) =
            run(Command::new(program).args(arguments).current_dir(root.join("viewer")))?
        {
            return Ok(Outcome::Failed(format!("{}: {status}", step.join(" "))));
        }
    }
    // The next build of the program has the page inside.
    let script = std::fs::File::options().append(true).open(root.join("crates/menagerie-cli/build.rs"))?;
    script.set_modified(std::time::SystemTime::now())?;
    let bytes = std::fs::metadata(page(root))?.len();
    Ok(match bytes <= MOST_BYTES {
        true => Outcome::Passed,
        false => Outcome::Failed(format!("the page has {bytes} bytes, more than {MOST_BYTES}")),
    })
}

/// A browser for the tests, installed where that can be done.
pub(crate) fn try_browser(_: &Path) -> Result<Outcome> {
    Ok(match browser::ready() {
        Some(browser) => {
            println!("{}", browser.display());
            Outcome::Passed
        }
        None => Outcome::Skipped(browser::MISSING.to_owned()),
    })
}

/// Tests the page in a browser.
pub(crate) fn test(root: &Path) -> Result<Outcome> {
    if !page(root).is_file() {
        return Ok(Outcome::Skipped("the page was not built".to_owned()));
    }
    browser::test(root)
}

/// Whether a program can be run.
fn is_there(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    found.is_ok_and(|status| status.success())
}

/// Installs packages of Debian, where that is allowed.
fn apt_install(packages: &[&str]) -> bool {
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command
            .args(arguments)
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    let install = ["-qq", "install", "--yes", "--no-install-recommends"];
    apt(&["-qq", "update"]) && apt(&[&install[..], packages].concat())
}

/// Installs what the page is built with below `target`, unless it is there; `viewer/node_modules` leads to it.
fn install(root: &Path) -> Result<()> {
    let (viewer, npm) = (root.join("viewer"), folder(root).join("npm"));
    std::fs::create_dir_all(&npm)?;
    let lock = std::fs::read(viewer.join("package-lock.json"))?;
    let installed = npm.join("node_modules/.package-lock.json").is_file();
    if !installed || std::fs::read(npm.join("package-lock.json")).ok().as_ref() != Some(&lock) {
        std::fs::copy(viewer.join("package.json"), npm.join("package.json"))?;
        std::fs::write(npm.join("package-lock.json"), lock)?;
        let mut command = Command::new("npm");
        command.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(&npm);
        if let Outcome::Failed(status) = run(&mut command)? {
            bail!("npm ci: {status}");
        }
    }
    let link = viewer.join("node_modules");
    if !link.exists() {
        let _ = std::fs::remove_file(&link);
        #[cfg(unix)]
        std::os::unix::fs::symlink(npm.join("node_modules"), &link)?;
        #[cfg(windows)]
        std::os::windows::fs::symlink_dir(npm.join("node_modules"), &link)?;
    }
    Ok(())
}

/// Makes the glue between the page and the library. Done by this program built with the feature `glue`.
#[cfg(feature = "glue")]
pub(crate) fn glue(root: &Path) -> Result<()> {
    let wasm = folder(root).join("cargo/wasm32-unknown-unknown/viewer/menagerie_wasm.wasm");
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen.web(true)?.typescript(false).omit_default_module_path(true).input_path(wasm);
    bindgen.generate(folder(root).join("glue"))
}

#[cfg(not(feature = "glue"))]
pub(crate) fn glue(_: &Path) -> Result<()> {
    bail!("build xtask with the feature glue")
}
