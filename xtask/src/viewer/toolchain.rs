//! A compiler for the browser: rustup's, or Debian's where rustup cannot get the target.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use crate::steps::cargo_program;

const TARGET: &str = "wasm32-unknown-unknown";

/// Debian's compiler for its browsers: the compiler, its parts and the source of the standard library.
const PACKAGES: [&str; 3] = ["rustc-web", "rust-web-src", "libstd-rust-web-dev"];

/// How the library is built for the browser.
pub(super) struct Toolchain {
    /// In words: `with rustup's target`.
    pub(super) way: String,
    /// Where Debian's packages were unpacked, if that is the way.
    debian: Option<PathBuf>,
}

/// The compiler to use, or why there is none.
pub(super) fn find(folder: &Path) -> Result<Result<Toolchain, String>> {
    // Debian's way can be asked for, to try it where rustup's is there.
    let debian = std::env::var_os("MENAGERIE_VIEWER_TOOLCHAIN").is_some_and(|way| way == "debian");
    if !debian && (has_target() || add_target()) {
        let way = "with rustup's target".to_owned();
        return Ok(Ok(Toolchain { way, debian: None }));
    }
    let root = folder.join("toolchain");
    if !root.join("whole").is_file() {
        for program in ["apt-get", "apt-cache", "dpkg-deb"] {
            if !super::is_there(program) {
                let reason = format!(
                    "rustup cannot add the target {TARGET}, and {program} is not there to get Debian's compiler"
                );
                return Ok(Err(reason));
            }
        }
        if let Err(error) = unpack(&root) {
            return Ok(Err(format!(
                "rustup cannot add the target {TARGET}, and Debian's compiler cannot be had: {error:#}"
            )));
        }
    }
    let way = "with Debian's rustc-web and a standard library built for it".to_owned();
    Ok(Ok(Toolchain { way, debian: Some(root) }))
}

/// Whether the target's standard library is installed.
fn has_target() -> bool {
    let output = Command::new("rustc").args(["--print", "target-libdir", "--target", TARGET]).output();
    let path = output.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    path.is_some_and(|path| Path::new(path.trim()).is_dir())
}

fn add_target() -> bool {
    let added = Command::new("rustup")
        .args(["target", "add", TARGET])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    added.is_ok_and(|status| status.success()) && has_target()
}

/// Downloads Debian's packages and unpacks them; they are not installed, for they would take the place of rustup.
fn unpack(root: &Path) -> Result<()> {
    let _ = std::fs::remove_dir_all(root);
    let packages = root.join("packages");
    std::fs::create_dir_all(&packages)?;
    // A package list that is too old names files that are gone; without the right to renew it, it is taken as it is.
    let _ = Command::new("apt-get").args(["-qq", "update"]).stderr(Stdio::null()).status();
    let mut names: Vec<String> = PACKAGES.iter().map(|name| (*name).to_owned()).collect();
    names.extend(parts_of("libstd-rust-web-dev", "libstd-rust-web-")?);
    names.extend(parts_of(names.last().cloned().unwrap_or_default().as_str(), "libllvm")?);
    let mut download = Command::new("apt-get");
    download.args(["-qq", "download"]).args(&names).current_dir(&packages).stderr(Stdio::null());
    if !download.status().context("apt-get")?.success() {
        bail!("apt-get download {}", names.join(" "));
    }
    for package in std::fs::read_dir(&packages)? {
        let package = package?.path();
        if !Command::new("dpkg-deb").arg("-x").arg(&package).arg(root).status()?.success() {
            bail!("dpkg-deb cannot unpack {}", package.display());
        }
    }
    std::fs::remove_dir_all(&packages)?;
    std::fs::write(root.join("whole"), "")?;
    Ok(())
}

/// The packages whose names begin so that a package depends on.
fn parts_of(package: &str, beginning: &str) -> Result<Vec<String>> {
    let output = Command::new("apt-cache").args(["depends", package]).output().context("apt-cache")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let names = text.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    let names: Vec<String> = names.filter(|name| name.starts_with(beginning)).map(str::to_owned).collect();
    if names.is_empty() {
        bail!("{package} is not a package, or needs no {beginning}");
    }
    Ok(names)
}

impl Toolchain {
    /// Builds the library for the browser.
    pub(super) fn command(&self, root: &Path, target: &Path) -> Command {
        let mut command = Command::new(cargo_program());
        command.args(["build", "--package", "menagerie-wasm", "--profile", "viewer", "--target", TARGET]);
        command.arg("--target-dir").arg(target).current_dir(root);
        if let Some(debian) = &self.debian {
            let lib = debian.join("usr/lib/x86_64-linux-gnu");
            command
                .arg("-Zbuild-std=std,panic_abort")
                .env("RUSTC_BOOTSTRAP", "1")
                .env("RUSTC", debian.join("usr/bin/rustc"))
                .env("LD_LIBRARY_PATH", lib);
            if let Some(linker) = linker() {
                command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
            }
        }
        command
    }
}

/// The linker that comes with rustup's compiler; Debian's has none of its own.
fn linker() -> Option<PathBuf> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let sysroot = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    let host = Command::new("rustc").arg("-vV").output().ok()?;
    let host = String::from_utf8(host.stdout).ok()?;
    let host = host.lines().find_map(|line| line.strip_prefix("host: "))?;
    let linker = sysroot.join("lib/rustlib").join(host).join("bin/rust-lld");
    linker.is_file().then_some(linker)
}
