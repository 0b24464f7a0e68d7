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
use crate::samples;

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
    let written = write_all(&args.dir)?;
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
    Ok(Exit::Fine)
}

/// Writes every sample in every format to a folder.
pub(super) fn write_all(dir: &Path) -> Result<Vec<Written>> {
    fs::create_dir_all(dir).with_context(|| format!("cannot make the folder {}", dir.display()))?;
    let mut written = Vec::new();
    for format in formats::ALL.iter().copied() {
        for sample in samples::all() {
            let (output, losses) = samples::write(&sample, format).with_context(|| {
                format!("the sample {} cannot be written as {}", sample.name, format.name)
            })?;
            let extension = format.extensions.first().copied().unwrap_or_default();
            let path = dir.join(format!("{}.{extension}", sample.name));
            let mut writing = Writing::default();
            for (name, bytes) in &output.beside {
                writing.prepare(&dir.join(name), bytes)?;
            }
            writing.prepare(&path, &output.bytes)?;
            writing.finish()?;
            written.push(Written { format, name: sample.name, path, bytes: output.bytes.len(), losses });
        }
    }
    Ok(written)
}
