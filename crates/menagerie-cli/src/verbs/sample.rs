//! `sample`: the built-in models in every format.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use menagerie::diag::LossReport;
use menagerie::formats::{self, Format};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::output::{self, Writing};
use crate::samples::{self, Sample};

/// Write the built-in sample models in every format
#[derive(Args)]
pub(crate) struct SampleArgs {
    /// The folder to write to; made if it is not there
    #[arg(default_value = "menagerie-samples")]
    dir: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A sample that was written.
pub(super) struct Written {
    pub(super) format: &'static Format,
    pub(super) name: &'static str,
    pub(super) path: PathBuf,
    pub(super) bytes: usize,
    pub(super) losses: LossReport,
}

pub(crate) fn run(args: &SampleArgs) -> Result<Exit> {
    let (written, exit) = write_all(&args.dir)?;
    if args.json {
        let value = |w: &Written| {
            json!({ "file": w.path.display().to_string(), "format": w.format.id, "bytes": w.bytes,
                "losses": w.losses.to_json("sample", w.format.id)["losses"] })
        };
        output::print_json(&written.iter().map(value).collect::<Value>())?;
    } else {
        let lines = written.iter().map(|w| format!("{} ({} bytes)\n", w.path.display(), w.bytes));
        output::print(&lines.collect::<String>())?;
    }
    Ok(exit)
}

/// Writes every sample in every format to a folder. One that cannot be written is reported and does not stop the rest.
pub(super) fn write_all(dir: &Path) -> Result<(Vec<Written>, Exit)> {
    fs::create_dir_all(dir).with_context(|| format!("cannot make the folder {}", dir.display()))?;
    let mut written = Vec::new();
    let mut exit = Exit::Fine;
    for format in formats::ALL.iter().copied() {
        for sample in samples::all() {
            match write_one(&sample, format, dir) {
                Ok(one) => written.push(one),
                Err(error) => {
                    output::message(format_args!("error: {} as {}: {error:#}", sample.name, format.name));
                    exit = Exit::CouldNot;
                }
            }
        }
    }
    Ok((written, exit))
}

fn write_one(sample: &Sample, format: &'static Format, dir: &Path) -> Result<Written> {
    let (output, losses) = samples::write(sample, format)?;
    let extension = format.extensions.first().copied().unwrap_or_default();
    let path = dir.join(format!("{}.{extension}", sample.name));
    let mut writing = Writing::default();
    for (name, bytes) in &output.beside {
        writing.prepare(&dir.join(name), bytes)?;
    }
    writing.prepare(&path, &output.bytes)?;
    writing.finish()?;
    Ok(Written { format, name: sample.name, path, bytes: output.bytes.len(), losses })
}
