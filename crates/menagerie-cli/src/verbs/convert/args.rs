use std::path::PathBuf;

use clap::{Args, ValueEnum};
use menagerie::formats::Purpose;

use crate::options::{Finding, FormatSettings, positive};

/// Convert files to another format, and name everything that is lost
///
/// A result is written even when something was lost; --fail-on-loss then gives exit code 1. The result takes its place
/// at once when it is whole: a conversion that fails leaves the old file as it was.
#[derive(Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    pub(super) shared: SharedArgs,
    /// Make levels of detail with these parts of the triangles, in place of those that there are
    #[arg(long, value_name = "PARTS", value_delimiter = ',', value_parser = part)]
    pub(super) lod: Vec<f32>,
    /// Go through the common model even to the same format
    #[arg(long)]
    pub(super) rebuild: bool,
}

/// What everything that reads models and writes them has in common.
#[derive(Args)]
pub(crate) struct SharedArgs {
    /// Files, patterns, folders (with -r) or - to read, and last the file, folder or - to write
    #[arg(required = true, num_args = 2.., value_names = ["IN", "OUT"])]
    pub(super) paths: Vec<PathBuf>,
    /// Take the models in folders and below
    #[arg(short, long)]
    pub(super) recursive: bool,
    /// The format to write, by its name or extension; needed when OUT is a folder or -
    #[arg(long, value_name = "FORMAT")]
    pub(super) to: Option<String>,
    /// Give exit code 1 when something was lost
    #[arg(long)]
    pub(super) fail_on_loss: bool,
    /// Write what was lost to this file, or - for standard output (an array when there are several inputs)
    #[arg(long, value_name = "FILE.json")]
    pub(super) loss_report: Option<PathBuf>,
    /// Read each result back and measure it against the source; exit code 1 for a difference that no loss announced
    #[arg(long)]
    pub(super) verify: bool,
    /// Multiply all lengths
    #[arg(long, value_name = "FACTOR", value_parser = positive)]
    pub(super) scale: Option<f32>,
    /// Lengths in the input are in this unit; the output is in metres
    #[arg(long, value_enum)]
    pub(super) unit: Option<Unit>,
    /// Turn texture coordinates upside down
    #[arg(long)]
    pub(super) flip_v: bool,
    /// Write for the format's original engine, or the plain form of its document; without it a file that is right in
    /// both, and what came from the format itself as it was
    #[arg(long = "for", value_enum, value_name = "WHOM")]
    pub(super) purpose: Option<PurposeArg>,
    /// Refuse damaged files in place of converting what can still be had
    #[arg(long)]
    pub(super) strict: bool,
    /// Frames a second, for formats that store frames without a rate
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(super) fps: Option<f32>,
    /// Put pictures into the file, or with =false beside it, where the format leaves the choice
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    pub(super) embed_textures: Option<bool>,
    /// Print JSON: an array with one object per input
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) finding: Finding,
    #[command(flatten)]
    pub(super) settings: FormatSettings<false>,
}

/// A part of a whole: above zero, below one.
pub(crate) fn part(text: &str) -> Result<f32, String> {
    let part: f32 = text.parse().map_err(|_| format!("{text} is no number"))?;
    if part > 0.0 && part < 1.0 { Ok(part) } else { Err(format!("{text} is not between 0 and 1")) }
}

/// Whom a file is written for.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum PurposeArg {
    /// The original engine
    Engine,
    /// Readers that go by the format's document
    Document,
}

impl PurposeArg {
    pub(super) fn purpose(self) -> Purpose {
        match self {
            Self::Engine => Purpose::Engine,
            Self::Document => Purpose::Document,
        }
    }
}

/// A unit of length.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Unit {
    /// Millimetres
    Mm,
    /// Centimetres
    Cm,
    /// Metres
    M,
    /// Inches
    In,
    /// Feet
    Ft,
}

impl Unit {
    fn metres(self) -> f32 {
        match self {
            Self::Mm => 0.001,
            Self::Cm => 0.01,
            Self::M => 1.0,
            Self::In => 0.0254,
            Self::Ft => 0.3048,
        }
    }
}

impl SharedArgs {
    /// What all lengths are multiplied by; `None` when they stay as they are.
    pub(super) fn factor(&self) -> Option<f32> {
        let factor = self.scale.unwrap_or(1.0) * self.unit.map_or(1.0, Unit::metres);
        (factor != 1.0).then_some(factor)
    }
}
