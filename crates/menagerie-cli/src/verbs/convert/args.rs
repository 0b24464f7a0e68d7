//! The options of `convert`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use menagerie::convert::HiddenParts;
use menagerie::formats::{Format, MissingTextures, Purpose};

use crate::manifest::Shard;
use crate::options::{Finding, FormatSettings, not_negative, positive};
use crate::selector::Selector;

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
    /// Files, patterns, folders (with -r) or - to read, and last the file, folder or - to write (not with --output). A
    /// folder gets the tree of the folders that are read
    #[arg(required = true, num_args = 1.., value_names = ["IN", "OUT"])]
    pub(super) paths: Vec<PathBuf>,
    /// Where to write, in place of OUT; {dir} stands for the folder below the one that was given, {stem}, {name} and {ext}
    /// for the name without and with its extension, and for the new extension: 'out/{dir}/{stem}.{ext}'
    #[arg(short, long, value_name = "OUT")]
    pub(super) output: Option<String>,
    /// Put all results into OUT itself, whatever folders the inputs are in
    #[arg(long)]
    pub(super) flat: bool,
    #[command(flatten)]
    pub(super) batch: BatchArgs,
    /// Take the models in folders and below
    #[arg(short, long)]
    pub(super) recursive: bool,
    /// The format to write, by its name or extension; needed when OUT is a folder or -
    #[arg(long, value_name = "FORMAT")]
    pub(super) to: Option<String>,
    /// Give exit code 1 when something was lost, or only when something was dropped (what was added or asked for is no
    /// loss; a damaged input gives it always)
    #[arg(long, value_enum, value_name = "WHAT", num_args = 0..=1, require_equals = true, default_missing_value = "any")]
    pub(super) fail_on_loss: Option<FailOn>,
    /// Give exit code 1 when something is off by more than this part of the model's size, or degrees, texture
    /// coordinates or colour by more than this number
    #[arg(long, value_name = "ERROR", value_parser = not_negative)]
    pub(super) max_error: Option<f32>,
    /// Give exit code 1 for a loss of CODE such as loss/skins; also a beginning such as 'loss/*' (may be repeated)
    #[arg(long, value_name = "CODE", value_parser = Selector::parse)]
    pub(super) deny: Vec<Selector>,
    /// Let losses of CODE pass whatever other options say (may be repeated)
    #[arg(long, value_name = "CODE", value_parser = Selector::parse)]
    pub(super) allow: Vec<Selector>,
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
    /// What becomes of hidden parts in a format that hides nothing
    #[arg(long, value_enum, value_name = "HOW", default_value = "drop")]
    pub(super) hidden: HiddenArg,
    /// What becomes of pictures that are not there: a GLB keeps their names, or a grey picture stands in, or the file
    /// refers to them all the same
    #[arg(long, value_enum, value_name = "HOW", default_value = "name")]
    pub(super) missing_textures: MissingArg,
    /// Print JSON: an array with one object per input
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) finding: Finding,
    #[command(flatten)]
    pub(super) settings: FormatSettings<false>,
}

/// How a batch treats what is there already, and where it says what it did.
#[derive(Args)]
pub(crate) struct BatchArgs {
    /// Pass over inputs whose result is there already
    #[arg(long, conflicts_with = "no_clobber", help_heading = "Options for many files")]
    pub(super) skip_existing: bool,
    /// Never replace a file: a result that is there already is an error
    #[arg(long, help_heading = "Options for many files")]
    pub(super) no_clobber: bool,
    /// Do all but write: say what would become of each file
    #[arg(long, help_heading = "Options for many files")]
    pub(super) dry_run: bool,
    /// Go on where an earlier run of the same command was stopped, by its manifest
    #[arg(long, conflicts_with = "dry_run", help_heading = "Options for many files")]
    pub(super) resume: bool,
    /// Write a line of JSON for each file as soon as it is done; beside the folder of the results without it
    #[arg(long, value_name = "FILE.jsonl", help_heading = "Options for many files")]
    pub(super) manifest: Option<PathBuf>,
    /// Also make a page about the files that were converted, as `menagerie report` does
    #[arg(long, value_name = "HTML", conflicts_with = "dry_run", help_heading = "Options for many files")]
    pub(super) report: Option<PathBuf>,
    /// Do only the Ith of N parts of the files; each file belongs to one part, by its name
    #[arg(long, value_name = "I/N", value_parser = Shard::parse, help_heading = "Options for many files")]
    pub(super) shard: Option<Shard>,
}

/// A part of a whole: above zero, below one.
pub(crate) fn part(text: &str) -> Result<f32, String> {
    let part: f32 = text.parse().map_err(|_| format!("{text} is no number"))?;
    if part > 0.0 && part < 1.0 { Ok(part) } else { Err(format!("{text} is not between 0 and 1")) }
}

/// Which losses fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    /// All of them
    Any,
    /// What is gone; what is only approximated passes
    Dropped,
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

/// What becomes of hidden parts in a format that hides nothing.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum HiddenArg {
    /// They are left out
    Drop,
    /// They are written, and seen
    Show,
}

impl HiddenArg {
    pub(super) fn how(self) -> HiddenParts {
        match self {
            Self::Drop => HiddenParts::Drop,
            Self::Show => HiddenParts::Show,
        }
    }
}

/// What becomes of pictures that are not there.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum MissingArg {
    /// Their names are kept; a GLB, which is whole by itself, refers to nothing
    Name,
    /// A grey picture stands in
    Placeholder,
    /// They are referred to
    Reference,
}

impl MissingArg {
    pub(super) fn how(self) -> MissingTextures {
        match self {
            Self::Name => MissingTextures::Name,
            Self::Placeholder => MissingTextures::Placeholder,
            Self::Reference => MissingTextures::Reference,
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
    /// What the engine of the input's format takes for a unit
    Engine,
}

impl Unit {
    /// Metres in this unit, for files of a format.
    fn metres(self, format: Option<&Format>) -> Result<f32, String> {
        Ok(match self {
            Self::Mm => 0.001,
            Self::Cm => 0.01,
            Self::M => 1.0,
            Self::In => 0.0254,
            Self::Ft => 0.3048,
            Self::Engine => {
                let known = format.and_then(|format| format.metres);
                known.ok_or_else(|| match format {
                    Some(format) => {
                        format!("nobody knows what one unit of {} is; give --unit or --scale", format.name)
                    }
                    None => "--unit engine needs a file whose format is known".to_owned(),
                })?
            }
        })
    }
}

impl SharedArgs {
    /// All that decides what the results are, for telling whether two runs do the same.
    pub(super) fn what_decides(&self) -> String {
        let SharedArgs { to, scale, unit, flip_v, purpose, strict, fps, .. } = self;
        let SharedArgs { embed_textures, hidden, missing_textures, finding, settings, output, flat, .. } =
            self;
        let of_model = (to, scale, unit, flip_v, purpose, strict, fps);
        format!(
            "{of_model:?} {:?}",
            (embed_textures, hidden, missing_textures, finding, settings, output, flat)
        )
    }

    /// What all lengths of a file of a format are multiplied by; `None` when they stay as they are.
    pub(super) fn factor(&self, format: Option<&Format>) -> Result<Option<f32>, String> {
        let unit = self.unit.map_or(Ok(1.0), |unit| unit.metres(format))?;
        let factor = self.scale.unwrap_or(1.0) * unit;
        Ok((factor != 1.0).then_some(factor))
    }
}
