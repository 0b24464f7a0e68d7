//! `cargo xtask instructions`: how many instructions the hot paths take, counted by callgrind, against what was
//! committed. A clock on a busy machine says little; this says when one of them grows.
//!
//! The counts hold for one compiler and one kind of processor: with others the check is skipped by name.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value, json};

use crate::steps::{Outcome, built_by, built_by_tests};

/// What was committed.
const COUNTS: &str = "bench/instructions.json";

/// So much more is a regression.
const TOLERANCE: f64 = 1.05;
/// And by so many: where the compiler puts the borders between parts of a crate depends on the folder that it is built in, and
/// moved the shortest of the paths by 23,000.
const NOISE: f64 = 40_000.0;

type Counts = BTreeMap<String, u64>;

/// Counts, and compares with what was committed.
pub(crate) fn check(root: &Path) -> Result<Outcome> {
    let path = root.join(COUNTS);
    let Ok(text) = std::fs::read_to_string(&path) else {
        let reason = format!("there is no {COUNTS}; `cargo xtask instructions update` writes it");
        return Ok(Outcome::Skipped(reason));
    };
    let known: Value = serde_json::from_str(&text).with_context(|| format!("{COUNTS} is not JSON"))?;
    let (here, there) = (built_with()?, known["built_with"].as_str().unwrap_or_default());
    if here != there {
        return Ok(Outcome::Skipped(format!("the counts are of {there}; this is {here}")));
    }
    let counts: Counts = match count(root, Program::Test("instructions"))? {
        Ok(counts) => counts.into_iter().collect(),
        Err(reason) => return Ok(Outcome::Skipped(reason)),
    };
    let before = |name: &str| known["instructions"][name].as_u64();
    let mut grown = Vec::new();
    for (name, now) in &counts {
        match before(name) {
            Some(before) if *now as f64 <= before as f64 * TOLERANCE + NOISE => {}
            Some(before) => {
                let more = (*now as f64 / before as f64 - 1.0) * 100.0;
                grown.push(format!("{name}: {before} → {now} (+{more:.1} %)"));
            }
            None => grown.push(format!("{name} is not in {COUNTS}")),
        }
    }
    if grown.is_empty() {
        return Ok(Outcome::Passed);
    }
    let advice = "if that is meant, `cargo xtask instructions update` writes the counts again";
    Ok(Outcome::Failed(format!("{}\n{advice}", grown.join("\n"))))
}

/// Counts, and writes the counts that are committed.
pub(crate) fn update(root: &Path) -> Result<bool> {
    let counts: Counts = match count(root, Program::Test("instructions"))? {
        Ok(counts) => counts.into_iter().collect(),
        Err(reason) => bail!("{reason}"),
    };
    let list: Map<String, Value> = counts.into_iter().map(|(name, count)| (name, json!(count))).collect();
    let value = json!({ "built_with": built_with()?, "instructions": list });
    let path = root.join(COUNTS);
    std::fs::create_dir_all(path.parent().unwrap_or(root))?;
    std::fs::write(&path, format!("{value:#}\n"))
        .with_context(|| format!("cannot write {}", path.display()))?;
    println!("{COUNTS} is written");
    Ok(true)
}

/// The compiler and the target, on which counts depend.
fn built_with() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("cannot run rustc")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line =
        |start: &str| text.lines().find_map(|line| line.strip_prefix(start)).unwrap_or_default().to_owned();
    Ok(format!("rustc {}, {}, test build", line("release: "), line("host: ")))
}

/// A program that calls what is counted.
#[derive(Clone, Copy)]
pub(crate) enum Program {
    /// One that the tests build.
    Test(&'static str),
    /// One of `benches`, built as the tests are.
    Bench(&'static str),
}

impl Program {
    fn name(self) -> &'static str {
        match self {
            Self::Test(name) | Self::Bench(name) => name,
        }
    }

    /// Builds it, where that was not done; where it is.
    fn build(self, root: &Path) -> Result<PathBuf> {
        let built = match self {
            Self::Test(_) => built_by_tests(root)?,
            Self::Bench(name) => built_by(root, &["build", "--workspace", "--bench", name])?,
        };
        let own = built.iter().filter(|message| message["target"]["name"] == self.name());
        let program = own.filter_map(|message| message["executable"].as_str()).next();
        program.map(PathBuf::from).context("cargo does not say where the program is")
    }
}

/// The instructions of each piece of work that a program does, in its order, or why they cannot be counted here.
pub(crate) fn count(root: &Path, program: Program) -> Result<Result<Vec<(String, u64)>, String>> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return Ok(Err("there is no valgrind; Debian has it in the package of that name".to_owned()));
    }
    let name = program.name();
    let program = program.build(root)?;
    let folder = root.join("target").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder)?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--combine-dumps=no"])
        .arg(format!("--toggle-collect={name}::counted"))
        .arg(format!("--dump-after={name}::counted"))
        .arg(format!("--callgrind-out-file={}", folder.join("counts").display()))
        .arg(&program)
        .stdin(Stdio::null())
        .output()
        .context("cannot run valgrind")?;
    if !output.status.success() {
        return Ok(Err(format!("valgrind failed: {}", String::from_utf8_lossy(&output.stderr).trim())));
    }
    let names = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut counts = Vec::new();
    for (i, name) in names.lines().enumerate() {
        counts.push((name.to_owned(), total(&folder.join(format!("counts.{}", i + 1)))?));
    }
    Ok(Ok(counts))
}

/// The number at the end of a dump.
fn total(dump: &Path) -> Result<u64> {
    let text = std::fs::read_to_string(dump).with_context(|| format!("cannot read {}", dump.display()))?;
    let line = text
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("totals: ").or_else(|| line.strip_prefix("summary: ")));
    line.and_then(|number| number.trim().parse().ok())
        .with_context(|| format!("{} has no total", dump.display()))
}
