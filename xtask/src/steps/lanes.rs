//! Steps side by side: each is a process of its own, begun as soon as what it needs is done and a lane is free.
//!
//! What a step prints goes to a file below `target/steps` and is shown whole when the step is over, so that two steps never mix
//! their lines. How it ended is the last line of that file.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::{Done, Outcome, STEPS, Step};

/// Before the last line of what a step prints.
const ENDED: &str = "step ended: ";

/// How often it is looked whether a step is over.
const PAUSE: Duration = Duration::from_millis(200);

/// Steps that are being done, by their number in the list.
type Running = BTreeMap<usize, (Child, Instant)>;

/// Does all steps, in as many lanes as there are cores; what came of each, in the order of the list.
pub(super) fn run_all(root: &Path) -> Result<Vec<Done>> {
    let place = Place::new(root)?;
    let lanes = std::thread::available_parallelism().map_or(1, usize::from).min(4);
    let mut running = Running::new();
    let mut done: BTreeMap<usize, Done> = BTreeMap::new();
    while done.len() < STEPS.len() {
        while running.len() < lanes
            && let Some(next) = next(&running, &done)
        {
            eprintln!("── {}", STEPS[next].name);
            running.insert(next, (place.begin(&STEPS[next])?, Instant::now()));
        }
        std::thread::sleep(PAUSE);
        let mut over = Vec::new();
        for (number, (child, start)) in &mut running {
            if child.try_wait()?.is_some() {
                over.push((*number, start.elapsed().as_secs_f32()));
            }
        }
        for (number, seconds) in over {
            running.remove(&number);
            done.insert(number, place.end(&STEPS[number], seconds)?);
        }
    }
    Ok(done.into_values().collect())
}

/// The first step that nobody does yet, of which all that it needs is done, and which would not wait for another's build.
fn next(running: &Running, done: &BTreeMap<usize, Done>) -> Option<usize> {
    let is_done = |name: &&str| done.keys().any(|number| STEPS[*number].name == *name);
    let building = running.keys().any(|number| STEPS[*number].builds);
    STEPS.iter().enumerate().position(|(number, step)| {
        let is_open = !running.contains_key(&number) && !done.contains_key(&number);
        let would_wait = step.builds && building;
        is_open && !would_wait && step.needs.iter().all(is_done)
    })
}

/// Where steps leave what they print, and the program that does them.
struct Place {
    folder: PathBuf,
    program: PathBuf,
}

impl Place {
    /// The program is a copy of this one, which a step may build anew.
    fn new(root: &Path) -> Result<Self> {
        let folder = root.join("target/steps");
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let program = folder.join("xtask").with_extension(std::env::consts::EXE_EXTENSION);
        let _ = std::fs::remove_file(&program);
        std::fs::copy(std::env::current_exe()?, &program)?;
        Ok(Self { folder, program })
    }

    fn log(&self, step: &Step) -> PathBuf {
        self.folder.join(step.name.replace([' ', ','], "-")).with_extension("log")
    }

    fn begin(&self, step: &Step) -> Result<Child> {
        let log = File::create(self.log(step))?;
        let mut command = Command::new(&self.program);
        command.args(["step", step.name]).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        // Nothing is built to be changed a little and built again.
        command.env("CARGO_INCREMENTAL", "0");
        command.spawn().with_context(|| format!("cannot begin {}", step.name))
    }

    /// Shows what a step printed, and takes from it how it ended.
    fn end(&self, step: &'static Step, seconds: f32) -> Result<Done> {
        let text = String::from_utf8_lossy(&std::fs::read(self.log(step))?).into_owned();
        let (said, ended) = text.rsplit_once(ENDED).unwrap_or((&text, ""));
        println!("── {}, {seconds:.0} s\n{said}", step.name);
        let ended: Value = serde_json::from_str(ended.trim()).unwrap_or_default();
        let reason = ended["reason"].as_str().unwrap_or("it broke off").to_owned();
        let outcome = match ended["outcome"].as_str() {
            Some("passed") => Outcome::Passed,
            Some("skipped") => Outcome::Skipped(reason),
            _ => Outcome::Failed(reason),
        };
        let processor = ended["processor"].as_f64().unwrap_or_default() as f32;
        Ok(Done { name: step.name, outcome, seconds, processor, said: said.to_owned() })
    }
}

/// Does one step in this process, and says at the end how it ended.
pub(crate) fn run_one(root: &Path, name: &str) -> Result<bool> {
    let Some(step) = STEPS.iter().find(|step| step.name == name) else { bail!("there is no step {name:?}") };
    let outcome = (step.run)(root).unwrap_or_else(|error| Outcome::Failed(format!("{error:#}")));
    let (word, reason) = match &outcome {
        Outcome::Passed => ("passed", ""),
        Outcome::Failed(reason) => ("failed", reason.as_str()),
        Outcome::Skipped(reason) => ("skipped", reason.as_str()),
    };
    let ended = json!({ "outcome": word, "reason": reason, "processor": super::processor_of_children() });
    println!("\n{ENDED}{ended}");
    Ok(!matches!(outcome, Outcome::Failed(_)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_can_be_begun() {
        for (number, step) in STEPS.iter().enumerate() {
            for need in step.needs {
                let earlier = STEPS[..number].iter().any(|other| other.name == *need);
                assert!(earlier, "{} needs {need}, which is not above it", step.name);
            }
        }
    }
}
