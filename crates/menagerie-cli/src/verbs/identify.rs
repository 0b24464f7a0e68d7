//! `identify`: what files are.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use menagerie::formats::{Confidence, Identified, ReadOptions, identify};
use menagerie::open::Folders;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::inputs::{self, Input};
use crate::{batch, output};

/// Say what files are: format, dialect, how sure that is, and why
#[derive(Args)]
pub(crate) struct IdentifyArgs {
    /// Files, patterns, folders (with -r), or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Take the models in folders and below
    #[arg(short, long)]
    recursive: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What came of one file.
struct Found {
    name: String,
    identified: Result<Identified, String>,
}

pub(crate) fn run(args: &IdentifyArgs) -> Result<Exit> {
    let inputs = inputs::expand(&args.files, args.recursive);
    let found = batch::run(&inputs, look);
    if args.json {
        output::print_json(&found.iter().map(Found::to_json).collect())?;
    } else {
        output::print(&found.iter().map(Found::text).collect::<String>())?;
    }
    for (name, error) in found.iter().filter_map(|f| Some((&f.name, f.identified.as_ref().err()?))) {
        output::message(format_args!("error: {name}: {error}"));
    }
    Ok(found.iter().map(Found::exit).collect())
}

fn look(input: &Input) -> Found {
    let identified = input.load().map(|bytes| {
        let folders = Folders::new(input.folder(), &[], &[]);
        let mut options = ReadOptions::default();
        options.files = &folders;
        options.shared = Some(bytes.clone());
        identify(&bytes, input.hint(), &options)
    });
    Found { name: input.name.clone(), identified }
}

impl Found {
    fn text(&self) -> String {
        let Ok(found) = &self.identified else { return String::new() };
        let mut text = format!("{}: ", output::harmless(&self.name));
        let _ = match (found.format, &found.dialect) {
            (None, _) => write!(text, "unknown"),
            (Some(format), None) => write!(text, "{}", format.name),
            (Some(format), Some(dialect)) => write!(text, "{} ({dialect})", format.name),
        };
        let _ = writeln!(text, ", {}", sureness(found.confidence));
        for why in &found.why {
            let _ = writeln!(text, "  {}", output::harmless(why));
        }
        text
    }

    fn to_json(&self) -> Value {
        let found = self.identified.as_ref().ok();
        let format = found.and_then(|found| found.format);
        let mut value = json!({
            "file": self.name,
            "format": format.map(|format| format.id),
            "dialect": found.and_then(|found| found.dialect.as_ref()),
            "mime": format.map(|format| format.mime),
            "confidence": found.map_or(Confidence::None, |found| found.confidence).name(),
            "why": found.map_or(&[][..], |found| &found.why),
        });
        if let (Err(error), Some(fields)) = (&self.identified, value.as_object_mut()) {
            fields.insert("error".to_owned(), json!(error));
        }
        value
    }

    /// A file that is only called like a model is wrong; one that is nothing known could not be identified.
    fn exit(&self) -> Exit {
        match self.identified.as_ref().map(|found| found.confidence) {
            Ok(Confidence::Certain | Confidence::Likely) => Exit::Fine,
            Ok(Confidence::Name) => Exit::Wrong,
            Ok(Confidence::None) | Err(_) => Exit::CouldNot,
        }
    }
}

fn sureness(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Certain => "certain",
        Confidence::Likely => "likely",
        Confidence::Name => "by its name only",
        Confidence::None => "no model that is known",
    }
}
