//! `cargo xtask fuzz --minutes N`: runs all fuzz targets one after the other, and says what they did.
//!
//! It needs a nightly compiler and cargo-fuzz. What a target learned stays in `fuzz/corpus/<target>` and is where the next
//! run starts; what breaks a promise is in `fuzz/artifacts/<target>`.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// The targets, and how much of the time each gets. Those that read are quick; those that convert find more.
const TARGETS: &[(&str, u64)] = &[
    ("read", 4),
    ("lift", 3),
    ("inspect", 2),
    ("damaged", 3),
    ("convert", 4),
    ("scene", 2),
    ("ops", 1),
    ("repair", 1),
    ("render", 1),
    ("paths", 1),
];

/// What a run of a target did.
#[derive(Default)]
struct Ran {
    executions: u64,
    coverage: u64,
    features: u64,
    finds: usize,
}

pub fn run(root: &Path, arguments: &[String]) -> Result<bool> {
    let minutes: f64 = match arguments {
        [] => 10.0,
        [flag, minutes] if flag == "--minutes" => minutes.parse().context("--minutes takes a number")?,
        _ => bail!("usage: cargo xtask fuzz [--minutes N]"),
    };
    let fuzz = root.join("fuzz");
    let build =
        Command::new("cargo").args(["+nightly", "fuzz", "build", "-s", "none"]).current_dir(&fuzz).status();
    if !build.context("cargo cannot be run")?.success() {
        bail!("the targets cannot be built; they need a nightly compiler and cargo-fuzz");
    }
    let shares: u64 = TARGETS.iter().map(|(_, share)| share).sum();
    println!(
        "{:10} {:>12} {:>10} {:>9} {:>9} {:>6}",
        "target", "executions", "a second", "coverage", "features", "finds"
    );
    let mut finds = 0;
    for (target, share) in TARGETS {
        let seconds = (minutes * 60.0 * *share as f64 / shares as f64).max(1.0);
        let ran = run_target(&fuzz, target, seconds as u64)?;
        let rate = ran.executions as f64 / seconds;
        let Ran { executions, coverage, features, .. } = ran;
        println!("{target:10} {executions:12} {rate:10.0} {coverage:9} {features:9} {:6}", ran.finds);
        finds += ran.finds;
    }
    if finds > 0 {
        println!(
            "{finds} finds are in fuzz/artifacts; each becomes a file in crates/menagerie/tests/corpus/bad"
        );
    }
    Ok(finds == 0)
}

fn run_target(fuzz: &Path, target: &str, seconds: u64) -> Result<Ran> {
    let corpus = fuzz.join("corpus").join(target);
    let artifacts = fuzz.join("artifacts").join(target);
    std::fs::create_dir_all(&corpus)?;
    std::fs::create_dir_all(&artifacts)?;
    let mut command = Command::new("cargo");
    command.args(["+nightly", "fuzz", "run", "-s", "none", target, &format!("corpus/{target}")]);
    if fuzz.join("seeds").is_dir() && !["scene", "damaged", "paths"].contains(&target) {
        command.arg("seeds");
    }
    let max_len = if target == "read" { 16384 } else { 4096 };
    command.args(["--", "-dict=words.dict", "-timeout=10", "-rss_limit_mb=1500", "-print_final_stats=1"]);
    command.args(["-fork=1", "-ignore_crashes=1", "-ignore_timeouts=1", "-ignore_ooms=1"]);
    command.arg(format!("-max_len={max_len}")).arg(format!("-max_total_time={seconds}"));
    let mut child = command.current_dir(fuzz).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let mut ran = Ran::default();
    if let Some(said) = child.stderr.take() {
        for line in BufReader::new(said).lines() {
            ran.hear(&line?);
        }
    }
    child.wait()?;
    ran.finds = std::fs::read_dir(&artifacts)?.count();
    Ok(ran)
}

impl Ran {
    /// Takes what a line of libFuzzer says: `#123456: cov: 900 ft: 1200 corp: …`.
    fn hear(&mut self, line: &str) {
        let number_after = |word: &str| -> Option<u64> {
            let rest = line.split_once(word)?.1.trim_start();
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
        };
        if line.starts_with('#') {
            self.executions = number_after("#").unwrap_or(0).max(self.executions);
        }
        self.coverage = number_after("cov:").unwrap_or(0).max(self.coverage);
        self.features = number_after(" ft:").unwrap_or(0).max(self.features);
    }
}
