//! `cargo xtask bench`: menagerie against other programs that do the same work, in one run on one machine.
//!
//! Only ratios count: machines differ and are noisy. Each comparison is a file of its own here and a line in [`ALL`]. A
//! program that cannot be had here is named as skipped, with the reason.

mod hills;
mod measured;
mod meshes;
mod ops;
mod page;
mod peers;
mod programs;
mod python;
mod read;
mod render;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// A comparison: each row of its result is one piece of work.
type Compare = fn(&Bench) -> Result<Vec<Row>>;

/// Every comparison: its name, and what does it.
const ALL: &[(&str, Compare)] = &[
    ("meshes", meshes::compare),
    ("ops", ops::compare),
    ("programs", programs::compare),
    ("python", python::compare),
    ("read", read::compare),
    ("render", render::compare),
];

/// Runs of each program; the fastest counts, because everything else on the machine only makes it slower.
const RUNS: usize = 5;

/// Where the comparisons work.
pub(crate) struct Bench {
    /// The project's folder.
    pub(crate) root: PathBuf,
    /// The released program.
    pub(crate) menagerie: PathBuf,
    /// A folder for models, results and other programs.
    pub(crate) folder: PathBuf,
}

/// One piece of work, done by menagerie and by somebody else.
pub(crate) struct Row {
    pub(crate) work: String,
    pub(crate) ours: f64,
    pub(crate) peer: Peer,
}

/// The other program.
pub(crate) enum Peer {
    Took { name: String, seconds: f64 },
    Skipped { name: String, reason: String },
}

/// Runs the comparison called `name`, or all of them, and prints a table.
pub(crate) fn run(root: &Path, name: Option<&str>) -> Result<bool> {
    if name == Some("page") {
        return page::write(root).map(|()| true);
    }
    let chosen: Vec<_> = ALL.iter().filter(|(known, _)| name.is_none_or(|name| name == *known)).collect();
    if chosen.is_empty() {
        let known: Vec<&str> = ALL.iter().map(|(name, _)| *name).collect();
        bail!("there is no such comparison; there are {}", known.join(", "));
    }
    let bench = prepare(root)?;
    println!("| work | menagerie | other | ratio |\n|---|---|---|---|");
    let mut good = true;
    for (name, compare) in chosen {
        match compare(&bench) {
            Ok(rows) => rows.iter().for_each(Row::print),
            Err(error) => {
                eprintln!("error: {name}: {error:#}");
                good = false;
            }
        }
    }
    Ok(good)
}

/// Builds the released program, unless `MENAGERIE_PROGRAM` names one, and makes the folder.
fn prepare(root: &Path) -> Result<Bench> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let folder = target.join("bench");
    std::fs::create_dir_all(&folder)?;
    if let Some(menagerie) = std::env::var_os("MENAGERIE_PROGRAM") {
        return Ok(Bench { root: root.to_owned(), menagerie: menagerie.into(), folder });
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--release", "--package", "menagerie-cli"])
        .current_dir(root)
        .status()
        .context("cannot run cargo build")?;
    if !built.success() {
        bail!("the program cannot be built");
    }
    Ok(Bench { root: root.to_owned(), menagerie: target.join("release/menagerie"), folder })
}

impl Row {
    fn print(&self) {
        let seconds = |seconds: f64| format!("{seconds:.3} s");
        let (other, ratio) = match &self.peer {
            Peer::Took { name, seconds: took } => {
                (format!("{name} {}", seconds(*took)), format!("{:.1} times faster", took / self.ours))
            }
            Peer::Skipped { name, reason } => (format!("{name} SKIPPED: {reason}"), String::new()),
        };
        println!("| {} | {} | {other} | {ratio} |", self.work, seconds(self.ours));
    }
}

/// The seconds of the fastest of some runs of a program, from its start to its end.
pub(crate) fn fastest(make: impl Fn() -> Command) -> Result<f64> {
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let mut command = make();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let start = Instant::now();
        let output = command.output().with_context(|| format!("cannot run {:?}", command.get_program()))?;
        let seconds = start.elapsed().as_secs_f64();
        if !output.status.success() {
            bail!("{:?} failed: {}", command.get_program(), String::from_utf8_lossy(&output.stderr).trim());
        }
        best = best.min(seconds);
    }
    Ok(best)
}

/// A Python with a package in an environment of its own, or why there is none.
pub(crate) fn python_with(package: &str, folder: &Path) -> Result<PathBuf, String> {
    let home = folder.join(format!("{package}-venv"));
    let python = home.join("bin/python");
    let run = |program: &Path, arguments: &[&str]| -> Result<(), String> {
        let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
        match output {
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => {
                let text = String::from_utf8_lossy(&output.stderr).into_owned();
                Err(text.trim().lines().last().unwrap_or("it failed").to_owned())
            }
            Err(error) => Err(format!("{} cannot be run: {error}", program.display())),
        }
    };
    let import = format!("import {package}");
    if !python.exists() {
        run(Path::new("python3"), &["-m", "venv", &home.display().to_string()])?;
    }
    if run(&python, &["-c", &import]).is_err() {
        run(&python, &["-m", "pip", "install", "--quiet", package])?;
    }
    run(&python, &["-c", &import])?;
    Ok(python)
}

/// Runs the library's own benchmarks of that name, which print what they measure.
pub(crate) fn cargo_bench(root: &Path, name: &str) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(["bench", "--package", "menagerie", "--bench", name])
        .current_dir(root)
        .status()
        .context("cannot run cargo bench")?;
    if !status.success() {
        bail!("the benchmarks {name} did not run");
    }
    Ok(())
}
