//! `cargo xtask fuzz --minutes N`: runs all fuzz targets one after the other, and says what they did.
//!
//! All targets are one program (`fuzz/src/main.rs`), built by the stable compiler: what counts coverage is a pass of LLVM, and
//! libFuzzer comes with its crate. What a target learned stays in `fuzz/corpus/<target>` and is where the next run starts;
//! what breaks a promise is in `fuzz/artifacts/<target>`. The address sanitizer comes with the same compiler, which has to be told
//! that it may use it.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};

use crate::steps::Outcome;

/// A target, how much of the time it gets, how long its inputs may be, and how often the tests run it.
struct Target {
    name: &'static str,
    share: u32,
    longest: u32,
    /// Whether it takes files: then it starts from those of the corpus.
    files: bool,
    /// Executions in the tests.
    runs: u32,
}

const fn target(name: &'static str, share: u32, longest: u32, files: bool, runs: u32) -> Target {
    Target { name, share, longest, files, runs }
}

impl Target {
    /// Whether it counts how often a branch was taken. That says much of readers; of a whole conversion almost every input
    /// has some count that no other had, and keeping book of them would take longer than converting.
    fn counts(&self) -> bool {
        matches!(self.name, "read" | "lift" | "inspect" | "paths")
    }
}

/// Those that read are quick; those that convert find more.
const TARGETS: &[Target] = &[
    target("read", 4, 2048, true, 10_000),
    target("lift", 3, 2048, true, 5_000),
    target("inspect", 2, 2048, true, 5_000),
    target("damaged", 3, 512, false, 2_000),
    target("convert", 4, 2048, true, 2_000),
    target("scene", 2, 1024, false, 500),
    target("ops", 1, 2048, true, 2_000),
    target("repair", 1, 2048, true, 2_000),
    target("render", 1, 2048, true, 1_000),
    target("paths", 1, 256, false, 10_000),
];

/// After so many finds the next target has its turn: one bug is often found again and again.
const ENOUGH: usize = 5;

/// What the compiler is told, so that libFuzzer sees which branches were taken and what was compared.
const COVERAGE: &[&str] = &[
    "--cfg=fuzzing",
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-simplifycfg-branch-fold-threshold=0",
];

const USAGE: &str = "usage: cargo xtask fuzz [--minutes N] [--target NAME] [--sanitizer address]";

/// What is asked for on the command line.
struct Options {
    minutes: f64,
    target: Option<String>,
    sanitizer: Option<String>,
}

impl Options {
    fn parse(arguments: &[String]) -> Result<Self> {
        let mut options = Self { minutes: 10.0, target: None, sanitizer: None };
        for pair in arguments.chunks(2) {
            let [flag, value] = pair else { bail!(USAGE) };
            match flag.as_str() {
                "--minutes" => options.minutes = value.parse().context("--minutes takes a number")?,
                "--target" => options.target = Some(value.clone()),
                "--sanitizer" => options.sanitizer = Some(value.clone()),
                _ => bail!(USAGE),
            }
        }
        Ok(options)
    }

    fn targets(&self) -> Result<Vec<&'static Target>> {
        let wanted = |target: &&Target| self.target.as_ref().is_none_or(|name| name == target.name);
        let targets: Vec<&Target> = TARGETS.iter().filter(wanted).collect();
        if targets.is_empty() {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            bail!("the targets are {}", names.join(", "));
        }
        Ok(targets)
    }
}

pub(crate) fn run(root: &Path, arguments: &[String]) -> Result<bool> {
    let options = Options::parse(arguments)?;
    let targets = options.targets()?;
    let fuzz = root.join("fuzz");
    let fuzzer = Fuzzer::build(&fuzz, "release", options.sanitizer.as_deref())?;
    let shares: u32 = targets.iter().map(|target| target.share).sum();
    heading();
    let mut finds = 0;
    for target in targets {
        let time = Duration::from_secs_f64(options.minutes * 60.0 / f64::from(shares)) * target.share;
        let ran = fuzzer.run_for(target, time)?;
        println!("{}", ran.row(target.name));
        finds += ran.finds;
    }
    if finds > 0 {
        println!(
            "{finds} finds are in fuzz/artifacts; each becomes a file in crates/menagerie/tests/regressions"
        );
    }
    Ok(finds == 0)
}

/// The short run of the tests: always the same, from the same files.
pub(crate) fn test(root: &Path) -> Result<Outcome> {
    let fuzzer = Fuzzer::build(&root.join("fuzz"), "debug", None)?;
    let all = fuzzer.run_all_short();
    heading();
    let mut finds = Vec::new();
    for (target, ran) in TARGETS.iter().zip(all) {
        let ran = ran.with_context(|| format!("{} was not run", target.name))?;
        println!("{}", ran.row(target.name));
        if ran.finds > 0 || ran.executions == 0 {
            finds.push(target.name);
        }
    }
    Ok(match finds.is_empty() {
        true => Outcome::Passed,
        false => Outcome::Failed(format!("{} broke a promise: see fuzz/artifacts", finds.join(", "))),
    })
}

fn heading() {
    println!(
        "{:10} {:>12} {:>10} {:>9} {:>9} {:>6}",
        "target", "executions", "a CPU s", "coverage", "features", "finds"
    );
}

/// The built program, and the folders that it works in.
struct Fuzzer {
    program: PathBuf,
    fuzz: PathBuf,
    seeds: PathBuf,
}

impl Fuzzer {
    /// Builds the targets, and writes what they start from.
    fn build(fuzz: &Path, profile: &str, sanitizer: Option<&str>) -> Result<Self> {
        let host = host()?;
        let mut flags = COVERAGE.join(" ");
        let mut command = Command::new("cargo");
        let mut target = fuzz.join("target");
        if let Some(sanitizer) = sanitizer {
            // The compiler has it, for those who know that it may change.
            command.env("RUSTC_BOOTSTRAP", "1");
            flags += &format!(" -Zsanitizer={sanitizer}");
            target.push(sanitizer);
        }
        command.args(["build", "--target", &host]).arg("--target-dir").arg(&target);
        if profile == "release" {
            command.arg("--release");
        }
        // What built this program must not decide about the other.
        command.env("RUSTFLAGS", flags).env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
        let built = command.current_dir(fuzz).status().context("cargo cannot be run")?;
        if !built.success() {
            bail!("the fuzz targets cannot be built");
        }
        let program = target.join(host).join(profile).join("menagerie-fuzz");
        let seeds = fuzz.join("seeds");
        let _ = std::fs::remove_dir_all(&seeds);
        let mut write = Command::new(&program);
        write.env("FUZZ_SEEDS", &seeds).env("ASAN_OPTIONS", "detect_odr_violation=0");
        let written = write.stderr(Stdio::null()).status()?;
        if !written.success() {
            bail!("what the fuzz targets start from cannot be written to {}", seeds.display());
        }
        Ok(Self { program, fuzz: fuzz.to_owned(), seeds })
    }

    /// Runs a target for a time; after a find it goes on from what it learned.
    fn run_for(&self, target: &Target, time: Duration) -> Result<Ran> {
        let start = Instant::now();
        let corpus = self.folder("corpus", target)?;
        let mut ran = Ran::default();
        loop {
            let left = time.saturating_sub(start.elapsed()).as_secs();
            if left == 0 || ran.finds >= ENOUGH {
                return Ok(ran);
            }
            let mut command = self.command(target)?;
            command.arg(format!("-max_total_time={left}")).arg(&corpus);
            if target.files {
                command.arg(&self.seeds);
            }
            ran.add(command)?;
        }
    }

    /// The short runs of all targets, on all cores; what each did, in their order.
    fn run_all_short(&self) -> Vec<Option<Ran>> {
        let done: Vec<Mutex<Option<Ran>>> = TARGETS.iter().map(|_| Mutex::default()).collect();
        let next = AtomicUsize::new(0);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        std::thread::scope(|scope| {
            for _ in 0..cores {
                scope.spawn(|| {
                    while let Some((target, done)) = {
                        let at = next.fetch_add(1, Relaxed);
                        TARGETS.get(at).zip(done.get(at))
                    } {
                        if let (Ok(ran), Ok(mut done)) = (self.run_short(target), done.lock()) {
                            *done = Some(ran);
                        }
                    }
                });
            }
        });
        done.into_iter().map(|ran| ran.into_inner().unwrap_or_default()).collect()
    }

    /// Runs a target a number of times, from what is in the project, and keeps nothing but what it found.
    fn run_short(&self, target: &Target) -> Result<Ran> {
        let mut command = self.command(target)?;
        command.args(["-seed=16", &format!("-runs={}", target.runs)]);
        // libFuzzer writes what it learns to the first folder: what others start from must not grow meanwhile.
        let learned = self.folder("learned", target)?;
        std::fs::remove_dir_all(&learned)?;
        command.arg(self.folder("learned", target)?);
        if target.files {
            command.arg(&self.seeds);
        }
        let mut ran = Ran::default();
        ran.add(command)?;
        Ok(ran)
    }

    fn command(&self, target: &Target) -> Result<Command> {
        let mut command = Command::new(&self.program);
        command.env("FUZZ_TARGET", target.name).current_dir(&self.fuzz);
        // A table in the simplifier's C++ is in the program twice, which the address sanitizer would take for a find.
        command.env("ASAN_OPTIONS", "detect_odr_violation=0");
        command.args([
            "-dict=words.dict",
            "-entropic=0",
            "-timeout=20",
            "-rss_limit_mb=2000",
            "-print_final_stats=1",
        ]);
        command.arg(format!("-use_counters={}", u8::from(target.counts())));
        command.arg(format!("-max_len={}", target.longest));
        command.arg(format!("-artifact_prefix={}/", self.folder("artifacts", target)?.display()));
        Ok(command)
    }

    fn folder(&self, kind: &str, target: &Target) -> Result<PathBuf> {
        let folder = self.fuzz.join(kind).join(target.name);
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(folder)
    }
}

/// What the compiler calls this machine. Naming it keeps what runs while building from being counted.
fn host() -> Result<String> {
    let output = Command::new("rustc").arg("-vV").output().context("rustc cannot be run")?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc does not say its host")?.to_owned())
}

/// What the runs of a target did.
#[derive(Default)]
struct Ran {
    executions: u64,
    seconds: f64,
    coverage: u64,
    features: u64,
    finds: usize,
}

impl Ran {
    /// Runs once, until the time is over or something is found, and shows what was found.
    fn add(&mut self, mut command: Command) -> Result<()> {
        let start = Instant::now();
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let mut executions = 0;
        if let Some(said) = child.stderr.take() {
            for line in BufReader::new(said).split(b'\n') {
                let line = String::from_utf8_lossy(&line?).into_owned();
                executions = self.hear(&line).unwrap_or(executions);
            }
        }
        self.executions += executions;
        // Others may use the machine too, so what counts is the processor's time.
        let used = seconds_of(child.id()).unwrap_or_else(|| start.elapsed().as_secs_f64());
        self.finds += usize::from(!child.wait()?.success());
        self.seconds += used;
        Ok(())
    }

    /// Takes what a line of libFuzzer says, `#123456 NEW cov: 900 ft: 1200 corp: …`, and gives the executions. What it says
    /// beside that is about a find.
    fn hear(&mut self, line: &str) -> Option<u64> {
        let number_after = |word: &str| -> Option<u64> {
            let rest = line.split_once(word)?.1.trim_start();
            rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
        };
        self.coverage = number_after(" cov:").unwrap_or(0).max(self.coverage);
        self.features = number_after(" ft:").unwrap_or(0).max(self.features);
        if line.contains("panicked at") || line.contains("ERROR:") || line.contains("Test unit written") {
            eprintln!("{line}");
        }
        if line.starts_with('#') { number_after("#") } else { number_after("number_of_executed_units:") }
    }

    fn row(&self, name: &str) -> String {
        let Self { executions, coverage, features, finds, .. } = self;
        let rate = *executions as f64 / self.seconds.max(0.001);
        format!("{name:10} {executions:12} {rate:10.0} {coverage:9} {features:9} {finds:6}")
    }
}

/// The seconds of processor time that a program used that nobody waited for yet, where the system tells.
fn seconds_of(process: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // After the name, which may hold anything, the times are the twelfth and thirteenth field, in hundredths.
    let mut fields = text.rsplit_once(')')?.1.split_whitespace().skip(11);
    let (user, system): (f64, f64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    Some((user + system) / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_libfuzzer_are_understood() {
        let mut ran = Ran::default();
        let line = "#4096\tpulse  cov: 5210 ft: 13777 corp: 801/300Kb lim: 4096 exec/s: 2048 rss: 90Mb";
        assert_eq!(ran.hear(line), Some(4096));
        assert_eq!((ran.coverage, ran.features), (5210, 13777));
        assert_eq!(ran.hear("stat::number_of_executed_units: 9000"), Some(9000));
        assert_eq!(ran.hear("INFO: seed corpus: files: 12"), None);
    }
}
