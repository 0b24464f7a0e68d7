//! `inspect`: the structure of a file as a tree, every field with its byte range and value.
//!
//! The tree is walked and printed at once, without recursion and without being kept, so that a table of millions of
//! records costs no memory.

mod select;
mod show;

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;

use crate::exit::Exit;
use crate::inputs::{self, Source};
use crate::opened;
use crate::options::Finding;
use crate::output;

/// Show the structure of a file as a tree: every field with its byte range and value
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
    let (Some(model), Some(format)) = (&opened.model, opened.format) else {
        for issue in opened.issues.into_sorted() {
            output::message(format_args!("{}[{}]: {issue}", issue.severity, issue.code));
        }
        bail!("{} cannot be read, so there is no structure to show", input.name);
    };
    let map = model.layout();
    let path = args.path.as_deref().unwrap_or_default();
    let parts = select::select(&map, &opened.bytes, path);
    if parts.is_empty() {
        bail!("{} has no part {path}; `menagerie inspect --depth 1` shows what there is", input.name);
    }
    // Whoever asks for a table or a field by its path wants to see it.
    let asked = matches!(parts.as_slice(), [part] if part.is_list());
    let style = show::Style {
        hex: args.hex,
        all: args.all || (asked && !path.is_empty()),
        depth: args.depth.unwrap_or(usize::MAX),
    };
    let mut out = output::stdout();
    if args.json {
        show::json(&mut out, &input.name, format, opened.bytes.len(), parts, &style)?;
    } else {
        writeln!(out, "{}: {}, {} bytes", input.name, format.name, opened.bytes.len())?;
        show::text(&mut out, parts, &style, opened.bytes.len())?;
    }
    out.flush()?;
    Ok(Exit::Fine)
}
