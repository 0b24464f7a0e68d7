//! The checks, one after the other, and what came of them.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// What came of one step.
struct Step {
    name: String,
    outcome: Outcome,
    seconds: f32,
}

pub(crate) enum Outcome {
    Passed,
    Failed(String),
    Skipped(String),
}

/// All steps so far.
#[derive(Default)]
struct Steps {
    list: Vec<Step>,
    /// Tests that passed and failed, as the test programs count them.
    tests_passed: usize,
    tests_failed: usize,
    /// What tests left out, and why.
    skipped_in_tests: Vec<String>,
}

/// Runs all checks; true when nothing failed.
pub(crate) fn run(root: &Path) -> Result<bool> {
    let workspace = Workspace::load(root)?;
    let mut steps = Steps::default();
    steps.run("formatting", || cargo(root, &["fmt", "--all", "--check"], &[]));
    steps.run("licences and sources", || crate::licences::check(root));
    steps.run("clippy", || cargo(root, &clippy(&["--workspace", "--all-targets"]), &[]));
    steps.run("clippy, library without formats", || cargo(root, &clippy(&LIBRARY_ALONE), &[]));
    let with = |features: &str| {
        let arguments: Vec<&str> = LIBRARY_ALONE.into_iter().chain(["--features", features]).collect();
        cargo(root, &clippy(&arguments), &[])
    };
    steps.run("clippy, library with all but formats", || with(&NO_FORMATS.join(",")));
    for feature in &workspace.formats {
        steps.run(&format!("clippy, library with only {feature}"), || with(feature));
    }
    // What an earlier run wrote must not be taken for what this one writes.
    let _ = std::fs::remove_dir_all(workspace.written_glb());
    steps.tests(root, &[]);
    steps.run("instructions", || crate::instructions::check(root));
    let no_warnings = [("RUSTDOCFLAGS", "-D warnings")];
    steps.run("documentation", || cargo(root, &["doc", "--workspace", "--no-deps"], &no_warnings));
    steps.run("packages", || crate::dist::test(root));
    steps.run("Python package", || crate::python::test(root));
    steps.run("Ray on two nodes", || crate::python::test_cluster(root));
    steps.run("Blender extension", || crate::blender::test(root));
    steps.run("glTF validator", || validate_glb(root, &workspace.written_glb()));
    steps.run("Kaitai descriptions", || crate::kaitai::test(root));
    steps.run("viewer", || crate::viewer::try_build(root));
    steps.run("viewer in a browser", || crate::viewer::test(root));
    steps.run("a short run of the fuzz targets", || crate::fuzz::test(root));
    steps.summary();
    Ok(steps.good())
}

/// What does one step.
pub(crate) type Check = fn(&Path) -> Result<Outcome>;

/// One step alone; true when it did not fail.
pub(crate) fn only(root: &Path, (name, check): (&str, Check)) -> bool {
    let mut steps = Steps::default();
    steps.run(name, || check(root));
    steps.summary();
    steps.good()
}

/// The checks of every day, in a minute or two: formatting, lints, and the tests that sit in the crates themselves.
pub(crate) fn check(root: &Path) -> Result<bool> {
    let mut steps = Steps::default();
    steps.run("formatting", || cargo(root, &["fmt", "--all", "--check"], &[]));
    steps.run("clippy", || cargo(root, &clippy(&["--workspace", "--all-targets"]), &[]));
    steps.tests(root, &["--lib", "--bins"]);
    steps.summary();
    Ok(steps.good())
}

/// Features of the library that are no formats.
const NO_FORMATS: [&str; 5] = ["exact", "fs", "parallel", "pictures", "simplify"];

const LIBRARY_ALONE: [&str; 4] = ["--package", "menagerie", "--lib", "--no-default-features"];

fn clippy<'a>(what: &[&'a str]) -> Vec<&'a str> {
    ["clippy"].into_iter().chain(what.iter().copied()).chain(["--", "-D", "warnings"]).collect()
}

/// What cargo knows about the workspace.
struct Workspace {
    target: PathBuf,
    /// The features of the library that are formats.
    formats: Vec<String>,
}

impl Workspace {
    fn load(root: &Path) -> Result<Self> {
        let output = Command::new(cargo_program())
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .current_dir(root)
            .stderr(Stdio::inherit())
            .output()
            .context("cannot run cargo metadata")?;
        let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata is not JSON")?;
        let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let library = packages.iter().find(|package| package["name"] == "menagerie");
        let features = library.and_then(|library| library["features"].as_object());
        let names = features.into_iter().flat_map(|features| features.keys());
        Ok(Self {
            target: metadata["target_directory"].as_str().context("no target folder")?.into(),
            formats: names
                .filter(|name| {
                    !["default", "formats"].contains(&name.as_str()) && !NO_FORMATS.contains(&name.as_str())
                })
                .cloned()
                .collect(),
        })
    }

    /// Where tests put the glTF files that they write.
    fn written_glb(&self) -> PathBuf {
        self.target.join("tmp/glb")
    }
}

impl Steps {
    fn run(&mut self, name: &str, step: impl FnOnce() -> Result<Outcome>) {
        eprintln!("── {name}");
        let start = Instant::now();
        let mut outcome = step().unwrap_or_else(|error| Outcome::Failed(format!("{error:#}")));
        if let Outcome::Skipped(reason) = &outcome
            && must_not_skip()
        {
            outcome = Outcome::Failed(format!("with CI=true nothing may be skipped: {reason}"));
        }
        self.list.push(Step { name: name.to_owned(), outcome, seconds: start.elapsed().as_secs_f32() });
    }

    /// Runs all tests and doc tests, showing what they print and counting as they go.
    fn tests(&mut self, root: &Path, which: &[&str]) {
        let (mut passed, mut failed, mut skipped) = (0, 0, Vec::new());
        self.run("tests", || {
            let mut child = Command::new(cargo_program())
                .args(["test", "--workspace", "--no-fail-fast"])
                .args(which)
                .args(["--", "--nocapture"])
                .current_dir(root)
                .stdout(Stdio::piped())
                .spawn()
                .context("cannot run cargo test")?;
            let lines = child.stdout.take().map(|out| BufReader::new(out).split(b'\n'));
            for line in lines.into_iter().flatten() {
                let line = String::from_utf8_lossy(&line?).into_owned();
                println!("{line}");
                if let Some((p, f, ignored)) = test_result(&line) {
                    passed += p;
                    failed += f;
                    if ignored > 0 {
                        skipped.push(format!("{ignored} tests that are marked as ignored"));
                    }
                } else if let Some((_, what)) = line.split_once("SKIPPED ")
                    && !skipped.iter().any(|known| known == what)
                {
                    skipped.push(what.to_owned());
                }
            }
            Ok(match child.wait()?.success() {
                true if passed == 0 => Outcome::Failed("no test ran".to_owned()),
                true => Outcome::Passed,
                false => Outcome::Failed(format!("{failed} tests failed, or a test did not build")),
            })
        });
        self.tests_passed = passed;
        self.tests_failed = failed;
        self.skipped_in_tests = skipped;
    }

    fn good(&self) -> bool {
        self.failed() == 0 && (self.skipped_in_tests.is_empty() || !must_not_skip())
    }

    fn failed(&self) -> usize {
        let steps = self.list.iter().filter(|step| matches!(step.outcome, Outcome::Failed(_))).count();
        // A step that failed because tests did is counted by its tests.
        let by_tests = usize::from(self.tests_failed > 0);
        steps - by_tests.min(steps) + self.tests_failed
    }

    fn summary(&self) {
        println!();
        for Step { name, outcome, seconds } in &self.list {
            let (word, reason) = match outcome {
                Outcome::Passed => ("passed", ""),
                Outcome::Failed(reason) => ("FAILED", reason.as_str()),
                Outcome::Skipped(reason) => ("SKIPPED", reason.as_str()),
            };
            let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            println!("{word:8} {seconds:6.1} s  {name}{reason}");
        }
        println!("         {} tests passed, {} failed", self.tests_passed, self.tests_failed);
        for what in &self.skipped_in_tests {
            let word = if must_not_skip() { "FAILED" } else { "SKIPPED" };
            println!("{word}  in the tests: {what}");
        }
        let is = |wanted: fn(&Outcome) -> bool| self.list.iter().filter(|step| wanted(&step.outcome)).count();
        // The step of the tests is not counted beside the tests themselves.
        let steps = is(|outcome| matches!(outcome, Outcome::Passed)) - usize::from(self.tests_ran());
        let skipped = is(|outcome| matches!(outcome, Outcome::Skipped(_))) + self.skipped_in_tests.len();
        println!("{} passed, {} failed, {skipped} skipped", steps + self.tests_passed, self.failed());
    }

    fn tests_ran(&self) -> bool {
        self.list.iter().any(|step| step.name == "tests" && matches!(step.outcome, Outcome::Passed))
    }
}

/// With `CI` set nothing may be skipped.
fn must_not_skip() -> bool {
    std::env::var("CI").is_ok_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}

/// Passed, failed and ignored, of a line such as `test result: ok. 3 passed; 0 failed; 1 ignored; …`.
fn test_result(line: &str) -> Option<(usize, usize, usize)> {
    let counts = line.split_once("test result: ")?.1;
    let count = |what: &str| {
        let before = counts.split_once(what)?.0.trim_end();
        before.rsplit(' ').next()?.parse().ok()
    };
    Some((count(" passed")?, count(" failed")?, count(" ignored")?))
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
fn validate_glb(root: &Path, written: &Path) -> Result<Outcome> {
    let folder = root.join("xtask/gltf-validator");
    let script = folder.join("validate.js");
    if !script.is_file() {
        return Ok(Outcome::Skipped("xtask/gltf-validator/validate.js is not there".to_owned()));
    }
    if let Some(missing) = without_node() {
        return Ok(missing);
    }
    let files = gltf_files(written)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_results_are_counted() {
        let line = "test result: FAILED. 12 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out";
        assert_eq!(test_result(line), Some((12, 1, 2)));
        assert_eq!(test_result("test a ... ok"), None);
    }
}
