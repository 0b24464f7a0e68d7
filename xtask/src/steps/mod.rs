//! The checks, what each needs, and what came of them.

mod lanes;
mod rust_tests;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::Value;

pub(crate) use lanes::run_one;

/// One check.
struct Step {
    name: &'static str,
    /// The steps that must be over.
    needs: &'static [&'static str],
    /// Whether it builds into `target/debug`: two such steps would wait for each other.
    builds: bool,
    run: Check,
}

/// What does one step.
pub(crate) type Check = fn(&Path) -> Result<Outcome>;

const fn step(name: &'static str, needs: &'static [&'static str], run: Check) -> Step {
    Step { name, needs, builds: false, run }
}

const fn building(name: &'static str, needs: &'static [&'static str], run: Check) -> Step {
    Step { name, needs, builds: true, run }
}

/// All checks. What comes first is begun first. The page is built before the tests are, so that the program has it inside and is built
/// once; `built` stands for the step after which all that tests need is there.
const STEPS: &[Step] = &[
    step("formatting", &[], formatting),
    step("licences and sources", &[], crate::licences::check),
    building("clippy", &[], clippy),
    step("a browser", &[], crate::viewer::try_browser),
    step("viewer", &["a browser"], crate::viewer::try_build),
    building("clippy of the library in parts", &["clippy"], clippy_in_parts),
    step("packages of Python", &[], crate::python::environments),
    building("building the tests", &["viewer"], build_tests),
    step("tests of memory", BUILT, rust_tests::memory),
    step("tests", BUILT, rust_tests::all_others),
    step("fuzzing, a short run", &[], crate::fuzz::test),
    building("wheel", &["building the tests", "packages of Python"], crate::python::build_for_tests),
    building("documentation", BUILT, documentation),
    step("examples in the documentation", &["documentation", "wheel"], rust_tests::documentation),
    step("viewer in a browser", BUILT, crate::viewer::test),
    step("Python package", &["wheel"], crate::python::test),
    step("Blender extension", &["wheel"], crate::blender::test),
    step("Ray on two nodes", &["wheel"], crate::python::test_cluster),
    step("Kaitai descriptions", BUILT, crate::kaitai::test),
    step("packages", BUILT, crate::dist::test),
    step("instructions", BUILT, crate::instructions::check),
    step("glTF validator", &["tests"], validate_glb),
];

const BUILT: &[&str] = &["building the tests"];

/// What came of one step.
struct Done {
    name: &'static str,
    outcome: Outcome,
    seconds: f32,
    /// What all programs that ran for it took of the processor.
    processor: f32,
    /// What it printed, where that was kept.
    said: String,
}

pub(crate) enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
}

/// Runs all checks; true when nothing failed.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let start = Instant::now();
    let summary = Summary::new(lanes::run_all(root)?);
    summary.print();
    let minutes = start.elapsed().as_secs_f32() / 60.0;
    println!("{:.1} minutes, {:.1} of the processor", minutes, summary.processor() / 60.0);
    summary.print_counts();
    Ok(summary.good() && summary.tests.passed > 0)
}

/// The checks of every day, in a minute or two: formatting, lints, and the tests that sit in the crates themselves.
pub(crate) fn check(root: &Path) -> Result<bool> {
    Ok(in_turn(root, &[("formatting", formatting), ("clippy", clippy), ("tests", rust_tests::in_the_crates)]))
}

/// One step alone; true when it did not fail.
pub(crate) fn only(root: &Path, check: (&'static str, Check)) -> bool {
    in_turn(root, &[check])
}

/// Steps one after the other, in this process; true when none failed.
fn in_turn(root: &Path, checks: &[(&'static str, Check)]) -> bool {
    let mut done = Vec::new();
    for (name, check) in checks {
        eprintln!("── {name}");
        let (start, before) = (Instant::now(), processor_of_children());
        let outcome = check(root).unwrap_or_else(|error| Outcome::Failed(format!("{error:#}")));
        let (seconds, processor) = (start.elapsed().as_secs_f32(), processor_of_children() - before);
        done.push(Done { name, outcome, seconds, processor, said: String::new() });
    }
    let summary = Summary::new(done);
    summary.print();
    summary.print_counts();
    summary.good()
}

fn formatting(root: &Path) -> Result<Outcome> {
    cargo(root, &["fmt", "--all", "--check"], &[])
}

fn clippy(root: &Path) -> Result<Outcome> {
    cargo(root, &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"], &[])
}

/// Features of the library that are no formats.
const NO_FORMATS: [&str; 5] = ["exact", "fs", "parallel", "pictures", "simplify"];

/// The library without formats, with all but formats, and with each format alone.
fn clippy_in_parts(root: &Path) -> Result<Outcome> {
    let mut parts = vec![String::new(), NO_FORMATS.join(",")];
    parts.extend(formats(root)?);
    for part in parts {
        println!("only {part}");
        let library = ["clippy", "--package", "menagerie", "--lib", "--no-default-features", "--features"];
        let arguments: Vec<&str> = library.into_iter().chain([&*part, "--", "-D", "warnings"]).collect();
        if let Outcome::Failed(status) = cargo(root, &arguments, &[])? {
            return Ok(Outcome::Failed(format!("with the features {part:?} alone: {status}")));
        }
    }
    Ok(Outcome::Passed)
}

/// The features of the library that are formats.
fn formats(root: &Path) -> Result<Vec<String>> {
    let packages = packages(root)?;
    let library = packages.iter().find(|package| package["name"] == "menagerie");
    let features = library.and_then(|library| library["features"].as_object());
    let names = features.into_iter().flat_map(|features| features.keys()).cloned();
    let others = NO_FORMATS.into_iter().chain(["default", "formats"]);
    let others: Vec<&str> = others.collect();
    Ok(names.filter(|name| !others.contains(&name.as_str())).collect())
}

/// The packages of the workspace, as cargo tells of them.
fn packages(root: &Path) -> Result<Vec<Value>> {
    let output = Command::new(cargo_program())
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo metadata")?;
    let mut metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata is not JSON")?;
    match metadata["packages"].take() {
        Value::Array(packages) => Ok(packages),
        _ => bail!("cargo metadata names no packages"),
    }
}

fn build_tests(root: &Path) -> Result<Outcome> {
    // What an earlier run wrote must not be taken for what this one writes.
    let _ = std::fs::remove_dir_all(written_glb(root));
    cargo(root, &["test", "--workspace", "--no-run"], &[])
}

fn documentation(root: &Path) -> Result<Outcome> {
    cargo(root, &["doc", "--workspace", "--no-deps"], &[("RUSTDOCFLAGS", "-D warnings")])
}

/// Where tests put the glTF files that they write.
fn written_glb(root: &Path) -> PathBuf {
    root.join("target/tmp/glb")
}

/// What came of all steps.
struct Summary {
    list: Vec<Done>,
    tests: rust_tests::Counts,
}

impl Summary {
    /// With `CI` set what was skipped has failed.
    fn new(mut list: Vec<Done>) -> Self {
        for done in &mut list {
            if let Outcome::Skipped(reason) = &done.outcome
                && must_not_skip()
            {
                done.outcome = Outcome::Failed(format!("with CI=true nothing may be skipped: {reason}"));
            }
        }
        let tests = rust_tests::Counts::of(list.iter().map(|done| done.said.as_str()));
        Self { list, tests }
    }

    fn good(&self) -> bool {
        self.failed() == 0 && (self.tests.skipped.is_empty() || !must_not_skip())
    }

    fn failed(&self) -> usize {
        self.list.iter().filter(|done| matches!(done.outcome, Outcome::Failed(_))).count()
    }

    fn processor(&self) -> f32 {
        self.list.iter().map(|done| done.processor).sum()
    }

    /// A line for each step: how it ended, its seconds, and those of the processor.
    fn print(&self) {
        println!();
        for Done { name, outcome, seconds, processor, .. } in &self.list {
            let (word, reason) = match outcome {
                Outcome::Passed => ("passed", ""),
                Outcome::Failed(reason) => ("FAILED", reason.as_str()),
                Outcome::Skipped(reason) => ("SKIPPED", reason.as_str()),
            };
            let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            println!("{word:8} {seconds:6.1} s {processor:6.1} s  {name}{reason}");
        }
        println!("         {} tests passed, {} failed", self.tests.passed, self.tests.failed);
        for what in &self.tests.skipped {
            let word = if must_not_skip() { "FAILED" } else { "SKIPPED" };
            println!("{word}  in the tests: {what}");
        }
    }

    /// The last line: tests, and steps that are no tests of Rust.
    fn print_counts(&self) {
        let is = |wanted: fn(&Outcome) -> bool| self.list.iter().filter(|done| wanted(&done.outcome)).count();
        let passed = is(|outcome| matches!(outcome, Outcome::Passed)) + self.tests.passed;
        let skipped = is(|outcome| matches!(outcome, Outcome::Skipped(_))) + self.tests.skipped.len();
        println!("{passed} passed, {} failed, {skipped} skipped", self.failed() + self.tests.failed);
    }
}

/// The seconds of the processor that all programs took which ended so far, where the system tells.
fn processor_of_children() -> f32 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name, which may hold anything, the times are the fourteenth and fifteenth field, in hundredths.
    let fields = text.rsplit_once(')').map(|(_, fields)| fields).unwrap_or_default();
    fields.split_whitespace().skip(13).take(2).filter_map(|field| field.parse::<f32>().ok()).sum::<f32>()
        / 100.0
}

/// With `CI` set nothing may be skipped.
fn must_not_skip() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}

pub(crate) fn cargo_program() -> std::ffi::OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// What `cargo test` builds, as cargo tells of it: an object for each crate. After the tests all of it is there already.
pub(crate) fn built_by_tests(root: &Path) -> Result<Vec<Value>> {
    built_by(root, &["test", "--workspace", "--no-run"])
}

/// The program, as the tests build it.
pub(crate) fn program_of_tests(root: &Path) -> Result<PathBuf> {
    let built = built_by_tests(root)?;
    // Beside the program there is the one that tests it.
    let is_it = |message: &&Value| {
        message["target"]["name"] == "menagerie"
            && message["target"]["kind"][0] == "bin"
            && message["profile"]["test"] == false
    };
    let program = built.iter().find(is_it).and_then(|message| message["executable"].as_str());
    program.map(PathBuf::from).context("cargo does not say where the program is")
}

/// What a command of cargo builds, as cargo tells of it.
pub(crate) fn built_by(root: &Path, arguments: &[&str]) -> Result<Vec<Value>> {
    let mut build = Command::new(cargo_program());
    build.args(arguments).arg("--message-format=json").current_dir(root).stderr(Stdio::inherit());
    let output = build.output().context("cannot run cargo")?;
    if !output.status.success() {
        bail!("cargo {} failed", arguments.join(" "));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

fn cargo(root: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Result<Outcome> {
    let mut command = Command::new(cargo_program());
    command.args(arguments).envs(environment.iter().copied()).current_dir(root);
    run_command(&mut command)
}

pub(crate) fn run_command(command: &mut Command) -> Result<Outcome> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("cannot run {program}"))?;
    Ok(if status.success() { Outcome::Passed } else { Outcome::Failed(status.to_string()) })
}

/// What is to be said where Node.js is missing.
pub(crate) fn without_node() -> Option<Outcome> {
    ["node", "npm"].into_iter().find_map(|program| {
        let found = Command::new(program).arg("--version").stdout(Stdio::null()).status();
        let missing = !found.is_ok_and(|status| status.success());
        missing.then(|| Outcome::Skipped(format!("{program} is missing; install Node.js with npm")))
    })
}

/// Runs the Khronos validator over every glTF file that a test wrote; an error or a warning fails.
fn validate_glb(root: &Path) -> Result<Outcome> {
    let written = written_glb(root);
    let folder = root.join("xtask/gltf-validator");
    let script = folder.join("validate.js");
    if !script.is_file() {
        return Ok(Outcome::Skipped("xtask/gltf-validator/validate.js is not there".to_owned()));
    }
    if let Some(missing) = without_node() {
        return Ok(missing);
    }
    let files = gltf_files(&written)?;
    if files.is_empty() {
        bail!("no test wrote a .glb or .gltf below {}", written.display());
    }
    if !folder.join("node_modules").is_dir() {
        let mut install = Command::new("npm");
        install.args(["install", "--no-audit", "--no-fund"]).current_dir(&folder);
        if let Outcome::Failed(status) = run_command(&mut install)? {
            return Ok(Outcome::Failed(format!("npm install in xtask/gltf-validator: {status}")));
        }
    }
    eprintln!("{} files", files.len());
    // Command lines have an end.
    for files in files.chunks(200) {
        let outcome = run_command(Command::new("node").arg(&script).args(files).current_dir(root))?;
        if !matches!(outcome, Outcome::Passed) {
            return Ok(outcome);
        }
    }
    Ok(Outcome::Passed)
}

fn gltf_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "glb" || extension == "gltf") {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}
