//! `inspect`: the structure of a file as a tree, every field with its byte range and value.
//!
//! The tree is walked and printed at once, without recursion and without being kept, so that a table of millions of
//! records costs no memory.

mod search;
mod select;
mod show;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use menagerie::bytes::Span;
use menagerie::diag::{Issue, Severity};
use menagerie::formats::{Format, layout_within};

use crate::exit::Exit;
use crate::inputs::{self, Source};
use crate::opened;
use crate::options::Finding;
use crate::output;
use search::Needle;
use select::Part;

/// Show the structure of a file as a tree: every field with its byte range and value
///
/// Of a broken file what could be read is shown, and where it broke. Bytes that mean nothing to any format are shown as
/// what they look like: text, floats that could be coordinates, numbers, zeros.
#[derive(Args)]
pub(crate) struct InspectArgs {
    /// The file, or - for standard input
    file: PathBuf,
    /// Show the bytes of each field
    #[arg(long)]
    hex: bool,
    /// Show only this part, such as 'entities[0].vertices[17]'
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// Show what is at a byte such as 200 or 0xc8, or at those of a range such as 0xc8..0xe0
    #[arg(long, value_name = "BYTE", value_parser = search::range, conflicts_with = "path")]
    at: Option<Span>,
    /// Show the parts whose name or bytes have this text, or these bytes: 'hex:42 4d 44 31'
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["path", "at"])]
    find: Option<String>,
    /// Show the bytes alone, as what they look like, whatever the format is
    #[arg(long, conflicts_with = "path")]
    raw: bool,
    /// Show only so many levels
    #[arg(long, value_name = "N")]
    depth: Option<usize>,
    /// Show all records of tables and all bytes, not only the first ones
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    finding: Finding,
}

/// So many parts are shown of what was found, unless all are wanted.
const FOUND: usize = 200;

pub(crate) fn run(args: &InspectArgs) -> Result<Exit> {
    let inputs = inputs::expand(std::slice::from_ref(&args.file), false);
    let [input] = inputs.as_slice() else { bail!("inspect shows one file; {} were given", inputs.len()) };
    if let Source::Missing(reason) = &input.source {
        bail!("{}: {reason}", input.name);
    }
    let folders = opened::folders(input, &args.finding);
    let options = opened::read_options(&folders, &args.finding);
    let opened = match opened::open(input, &args.finding, &options) {
        Ok(opened) => opened,
        Err(error) => bail!("{}: {error}", input.name),
    };
    let damaged = opened.issues.is_damaged();
    let mut broken = opened.issues.into_sorted();
    broken.retain(|issue| issue.severity == Severity::Error);
    let mapped = opened.model.as_ref().filter(|_| !args.raw);
    let map = match mapped.map(|model| layout_within(model.as_ref(), &options.limits)).transpose() {
        Ok(map) => map,
        Err(over) => bail!("{}: {over}; `--raw` shows the bytes alone", input.name),
    };
    let path = args.path.as_deref().unwrap_or_default();
    let all = match &map {
        Some(map) => select::select(map, &opened.bytes, path),
        None => search::guess(&opened.bytes),
    };
    if all.is_empty() && !opened.bytes.is_empty() {
        bail!("{} has no part {path}; `menagerie inspect --depth 1` shows what there is", input.name);
    }
    let parts = wanted(args, all, &opened.bytes)?;
    // Whoever asks for a table or a field by its path wants to see it.
    let asked = matches!(parts.as_slice(), [part] if part.is_list());
    let style = show::Style {
        hex: args.hex || map.is_none(),
        all: args.all || (asked && !path.is_empty()),
        depth: args.depth.unwrap_or(usize::MAX),
        broken: &broken,
    };
    let is_read = opened.model.is_some();
    let (format, length) = (opened.format, opened.bytes.len());
    if args.json {
        let mut out = output::stdout();
        show::json(&mut out, &input.name, format, length, parts, &style)?;
        out.flush()?;
    } else {
        print_text(&input.name, format, is_read, parts, &style, length)?;
    }
    if !is_read {
        for issue in first_of_each(&broken) {
            output::message(format_args!("error: {}: cannot be read: {issue} [{}]", input.name, issue.code));
        }
    }
    Ok(match is_read {
        _ if args.raw => Exit::Fine,
        true if !damaged => Exit::Fine,
        true => Exit::Wrong,
        false => Exit::CouldNot,
    })
}

fn print_text(
    name: &str,
    format: Option<&Format>,
    is_read: bool,
    parts: Vec<Part<'_>>,
    style: &show::Style<'_>,
    length: usize,
) -> Result<()> {
    let mut out = output::stdout();
    let format = format.map_or("no format that is known", |format| format.name);
    writeln!(out, "{name}: {format}, {length} bytes")?;
    for issue in first_of_each(style.broken).filter(|_| is_read) {
        writeln!(out, "{}", output::harmless(&format!("broken: {issue} [{}]", issue.code)))?;
    }
    show::text(&mut out, parts, style, length)?;
    Ok(out.flush()?)
}

/// The parts that the options ask for.
fn wanted<'a>(args: &InspectArgs, all: Vec<Part<'a>>, bytes: &'a [u8]) -> Result<Vec<Part<'a>>> {
    let most = if args.all { usize::MAX } else { FOUND };
    if let Some(span) = args.at {
        if span.start >= bytes.len() as u64 {
            bail!("the file has {} bytes, so there is no byte {}", bytes.len(), span.start);
        }
        let parts = search::at(all, span, most);
        if parts.is_empty() {
            bail!("bytes {span} belong to no part; --raw shows what they look like");
        }
        return Ok(parts);
    }
    let Some(text) = &args.find else { return Ok(all) };
    let needle = Needle::parse(text).map_err(|error| anyhow::anyhow!(error))?;
    let parts = search::find(all, bytes, &needle, most);
    if parts.is_empty() {
        bail!("{text} is nowhere in it");
    }
    if parts.len() == most {
        output::message(format_args!("note: only the first {most} are shown; --all shows the rest"));
    }
    Ok(parts)
}

/// The first issue of each code.
fn first_of_each(issues: &[Issue]) -> impl Iterator<Item = &Issue> {
    issues.iter().enumerate().filter_map(|(i, issue)| {
        let known = issues.iter().take(i).any(|before| before.code == issue.code);
        (!known).then_some(issue)
    })
}
