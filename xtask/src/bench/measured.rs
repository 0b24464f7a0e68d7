//! Runs of programs with their time, processor time and memory.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// One run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Run {
    /// Seconds from start to end.
    pub(crate) wall: f64,
    /// Seconds that processors worked for it, where that is known.
    pub(crate) cpu: Option<f64>,
    /// The most memory that it had, in bytes.
    pub(crate) peak: Option<u64>,
}

/// The runs of one program.
#[derive(Clone, Debug)]
pub(crate) struct Measured {
    pub(crate) runs: Vec<Run>,
}

impl Measured {
    /// The least of each: everything else on the machine only adds.
    pub(crate) fn best(&self) -> Run {
        let least = |value: fn(&Run) -> Option<f64>| self.runs.iter().filter_map(value).reduce(f64::min);
        Run {
            wall: least(|run| Some(run.wall)).unwrap_or(f64::NAN),
            cpu: least(|run| run.cpu),
            peak: least(|run| run.peak.map(|peak| peak as f64)).map(|peak| peak as u64),
        }
    }

    pub(crate) fn to_json(&self) -> Value {
        let run = |run: &Run| json!({ "wall": run.wall, "cpu": run.cpu, "peak_bytes": run.peak });
        self.runs.iter().map(run).collect()
    }
}

/// GNU time, which knows what a program used.
const TIME: &str = "/usr/bin/time";

/// Runs a program some times. Exit code 1 is a result too where it says that something was lost.
pub(crate) fn measure(program: &Path, arguments: &[String], runs: usize, folder: &Path) -> Result<Measured> {
    let used = folder.join("used.txt");
    let timed = Path::new(TIME).exists();
    let mut all = Vec::with_capacity(runs);
    for _ in 0..runs {
        let mut command = match timed {
            true => {
                let mut command = Command::new(TIME);
                command.args(["--quiet", "-f", "%U %S %M", "-o"]).arg(&used).arg(program);
                command
            }
            false => Command::new(program),
        };
        command
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let start = Instant::now();
        let output = command.output().with_context(|| format!("cannot run {}", program.display()))?;
        let wall = start.elapsed().as_secs_f64();
        if !matches!(output.status.code(), Some(0 | 1)) {
            bail!("{} failed: {}", program.display(), String::from_utf8_lossy(&output.stderr).trim());
        }
        let text = if timed { std::fs::read_to_string(&used).unwrap_or_default() } else { String::new() };
        let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
        let (cpu, peak) = match numbers.as_slice() {
            [user, system, kilobytes] => (Some(user + system), Some(*kilobytes as u64 * 1024)),
            _ => (None, None),
        };
        all.push(Run { wall, cpu, peak });
    }
    Ok(Measured { runs: all })
}
