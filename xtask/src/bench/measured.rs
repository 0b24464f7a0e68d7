//! Runs of programs with their time, processor time and memory.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::programs::on_path;

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

/// GNU time, which knows how much memory a program had.
const TIME: &str = "/usr/bin/time";

/// Bash knows seconds to the thousandth, where GNU time knows hundredths. Its first word is the file for them, all others
/// are the program and what it is told.
const TIMED: &str = r#"TIMEFORMAT="%3R %3U %3S"; { time "$@" 2>&3 3>&-; } 3>&2 2>"$0""#;

/// Runs a program some times. Exit code 1 is a result too where it says that something was lost.
pub(crate) fn measure(program: &Path, arguments: &[String], runs: usize, folder: &Path) -> Result<Measured> {
    measure_on(None, program, arguments, runs, folder)
}

/// The same on so many threads, for a program that can be told.
pub(crate) fn measure_on(
    threads: Option<usize>,
    program: &Path,
    arguments: &[String],
    runs: usize,
    folder: &Path,
) -> Result<Measured> {
    let (seconds, memory) = (folder.join("seconds.txt"), folder.join("memory.txt"));
    let timed = Path::new(TIME).exists() && on_path("bash").is_some();
    let mut all = Vec::with_capacity(runs);
    for _ in 0..runs {
        let mut command = Command::new(if timed { Path::new(TIME) } else { program });
        if timed {
            command.args(["--quiet", "-f", "%M", "-o"]).arg(&memory).args(["bash", "-c", TIMED]);
            command.arg(&seconds).arg(program);
        }
        if let Some(threads) = threads {
            command.env("RAYON_NUM_THREADS", threads.to_string());
        }
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
        let run = Run { wall, cpu: None, peak: None };
        all.push(match (timed, numbers(&seconds).as_slice(), numbers(&memory).as_slice()) {
            (true, [wall, user, system], [kilobytes]) => {
                Run { wall: *wall, cpu: Some(user + system), peak: Some(*kilobytes as u64 * 1024) }
            }
            _ => run,
        });
    }
    Ok(Measured { runs: all })
}

/// The numbers in a file.
fn numbers(file: &Path) -> Vec<f64> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.split_whitespace().filter_map(|word| word.parse().ok()).collect()
}

/// Seconds from the start to the end of a program that has nothing to do: the middle one of many runs.
pub(crate) fn start_up(program: &Path, arguments: &[&str], runs: usize) -> Result<f64> {
    let once = || -> Result<f64> {
        let start = Instant::now();
        let status = Command::new(program).args(arguments).stdout(Stdio::null()).status()?;
        let seconds = start.elapsed().as_secs_f64();
        if !status.success() {
            bail!("{} failed", program.display());
        }
        Ok(seconds)
    };
    let mut all = (0..runs.max(1)).map(|_| once()).collect::<Result<Vec<f64>>>()?;
    all.sort_by(f64::total_cmp);
    Ok(all[all.len() / 2])
}
