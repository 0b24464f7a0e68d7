//! `repair`: mends what can be mended.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use menagerie::convert::ConvertOptions;
use menagerie::formats::Format;
use menagerie::repair::{Change, Piece, Repaired, repair};
use serde_json::{Value, json};

use super::convert::{Beside, Sources, finish_files};
use crate::exit::Exit;
use crate::inputs::{self, Source};
use crate::options::Finding;
use crate::output::Writing;
use crate::terminal_use::{is_quiet, is_verbose};
use crate::{opened, output};

/// Mend a broken file as far as it can be mended, and list every change
///
/// Fields that are wrong are put right where the rest of the file says what they should have been. Where that is not
/// enough, all that can be read is written anew by the rules of the format. The result is valid, or there is none. Exit
/// code 1 says that something is gone for good.
#[derive(Args)]
pub(crate) struct RepairArgs {
    /// The broken file
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; never the broken one itself
    #[arg(value_name = "OUT", required_unless_present = "dry_run")]
    output: Option<PathBuf>,
    /// Say what would be changed, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    finding: Finding,
}

/// So many changes are shown; --verbose and --json show all.
const SHOWN: usize = 40;

pub(crate) fn run(args: &RepairArgs) -> Result<Exit> {
    let inputs = inputs::expand(std::slice::from_ref(&args.input), false);
    let [input] = inputs.as_slice() else { bail!("repair mends one file; {} were given", inputs.len()) };
    if let Source::Missing(reason) = &input.source {
        bail!("{}: {reason}", input.name);
    }
    let source = input.path().and_then(|path| std::fs::canonicalize(path).ok());
    if let Some(out) = &args.output
        && source.is_some()
        && std::fs::canonicalize(out).ok() == source
    {
        bail!("{} is the broken file itself; give the mended one another name", out.display());
    }
    let bytes = input.load().map_err(|error| anyhow::anyhow!("{}: {error}", input.name))?;
    let folders = opened::folders(input, &args.finding);
    let mut options = ConvertOptions::default();
    options.read = opened::read_options(&folders, &args.finding);
    options.from = args.finding.from;
    options.write.settings = args.finding.settings.0.clone();
    let name = args.output.as_ref().map(|out| out.to_string_lossy().into_owned());
    options.write.stem = stem(args.output.as_ref().unwrap_or(&args.input));
    options.write.extension = extension(&args.input).unwrap_or_default();
    let repaired = match repair(&bytes, input.hint(), &options) {
        Ok(repaired) => repaired,
        Err(failed) => {
            let why = failed.issues.iter().last().map(|issue| format!("{issue} [{}]", issue.code));
            bail!(
                "{} cannot be mended: {}",
                input.name,
                why.unwrap_or_else(|| "nothing of it can be read".to_owned())
            );
        }
    };
    if let Some(out) = args.output.as_ref().filter(|_| !args.dry_run) {
        let mut losses = repaired.losses.clone();
        let sources = Sources::new(std::iter::once(source));
        let beside = Beside::plan(repaired.output.beside.clone(), out, &sources, &mut losses);
        let beside = beside.map_err(|error| anyhow::anyhow!(error))?;
        let mut ready = Writing::default();
        ready.prepare(out, &repaired.output.bytes)?;
        finish_files(&beside, ready)?;
    }
    if args.json {
        output::print_json(&to_json(&input.name, name.as_deref(), &repaired))?;
    } else if !is_quiet() {
        output::print(&text(&input.name, name.as_deref(), &repaired, args.dry_run))?;
    }
    let gone = !repaired.missing.is_empty() || !repaired.losses.is_lossless();
    Ok(if gone { Exit::Wrong } else { Exit::Fine })
}

fn stem(path: &std::path::Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The extension of a file, where it is one of a format's.
fn extension(path: &std::path::Path) -> Option<String> {
    let extension = path.extension()?.to_string_lossy().to_ascii_lowercase();
    Format::by_extension(&extension).map(|_| extension)
}

fn text(name: &str, out: Option<&str>, repaired: &Repaired, dry_run: bool) -> String {
    let mut text = String::new();
    let format = repaired.format.name;
    let target = match out.filter(|_| !dry_run) {
        Some(out) => format!(" → {out}"),
        None => String::new(),
    };
    let how = match (repaired.was_sound(), repaired.rebuilt) {
        (true, _) => "nothing to mend".to_owned(),
        (false, false) => format!("mended in {}", output::count(repaired.changes.len(), "place", "places")),
        (false, true) => format!(
            "what could be read was written anew, with {}",
            output::count(repaired.changes.len(), "change", "changes")
        ),
    };
    let dry = if dry_run { ", not written" } else { "" };
    let _ = writeln!(text, "{name}{target}: {format}, {how}{dry}");
    let shown = if is_verbose() { usize::MAX } else { SHOWN };
    // Offsets that moved and the like are worth a number.
    let direct = repaired.changes.iter().filter(|change| is_verbose() || change.code.is_some());
    let told = direct.clone().take(shown).map(|change| writeln!(text, "  {}", line(change))).count();
    let others = repaired.changes.len() - told;
    if others > 0 {
        let others = output::count(others, "other change", "other changes");
        let _ = writeln!(text, "  … and {others} that follow; --verbose and --json show all");
    }
    for missing in &repaired.missing {
        let _ = writeln!(text, "  gone for good: {}: {missing}", missing.path);
    }
    for loss in repaired.losses.losses() {
        let _ = writeln!(text, "  {}: {} [{}]", loss.kind, loss.message, loss.code());
    }
    text
}

/// A change in a line: what, where, the bytes before and after, and why.
fn line(change: &Change) -> String {
    let path = if change.path.is_empty() { "bytes" } else { &change.path };
    let piece = |piece: &Piece| {
        let packed = if piece.packed { " (packed)" } else { "" };
        let more =
            if (piece.bytes.len() as u64) < piece.span.len() || piece.bytes.len() > 16 { " …" } else { "" };
        let hex: Vec<String> = piece.bytes.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        format!("{}{packed} {}{more}", piece.span, hex.join(" "))
    };
    let bytes = match (&change.before, &change.after) {
        (Some(before), Some(after)) => format!("{} → {}", piece(before), piece(after)),
        (Some(only), None) | (None, Some(only)) => piece(only),
        (None, None) => String::new(),
    };
    let code = change.code.map(|code| format!(" [{code}]")).unwrap_or_default();
    format!("{} {path}: {bytes}{code}", change.kind.name())
}

fn to_json(name: &str, out: Option<&str>, repaired: &Repaired) -> Value {
    let piece = |piece: &Option<Piece>| {
        piece.as_ref().map(|piece| {
            let hex: String = piece.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "offset": piece.span.start, "length": piece.span.len(), "packed": piece.packed, "hex": hex })
        })
    };
    let change = |change: &Change| {
        json!({
            "kind": change.kind.name(),
            "path": change.path,
            "code": change.code.map(|code| code.id),
            "before": piece(&change.before),
            "after": piece(&change.after),
        })
    };
    let missing = |missing: &menagerie::diag::Damage| json!({ "path": missing.path, "what": missing.what, "count": missing.count, "of": missing.of });
    json!({
        "file": name,
        "output": out,
        "format": repaired.format.id,
        "rebuilt": repaired.rebuilt,
        "changes": repaired.changes.iter().map(change).collect::<Value>(),
        "missing": repaired.missing.iter().map(missing).collect::<Value>(),
        "losses": repaired.losses.to_json(repaired.format.id, repaired.format.id)["losses"],
        "issues": crate::json::issues(&repaired.issues),
    })
}
