//! `validate`: all that is wrong with files.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use menagerie::convert::{missing_pictures, resolve_textures_within};
use menagerie::diag::{EMPTY, Issue, Severity, render};
use menagerie::formats::{Format, Reading};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::inputs::{self, Input};
use crate::opened;
use crate::options::Finding;
use crate::selector::{self, Selector, Weight};
use crate::{batch, json, output, terminal_use};

/// So many issues of one code and file are shown in full; the rest is one line.
const SHOWN: usize = 3;

/// Find all problems of files; fails if one has an error
#[derive(Args)]
pub(crate) struct ValidateArgs {
    /// Files, patterns, folders (with -r), or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Take the models in folders and below
    #[arg(short, long)]
    recursive: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print a SARIF 2.1.0 log
    #[arg(long, conflicts_with = "json")]
    sarif: bool,
    /// Take what the original engine refuses, crashes on or shows otherwise than the document says as errors; they are
    /// warnings without it
    #[arg(long)]
    engine: bool,
    /// Take issues of CODE as errors; also a beginning such as 'bo3d/*', or warning or info (may be repeated)
    #[arg(long, value_name = "CODE", value_parser = Selector::parse)]
    deny: Vec<Selector>,
    /// Leave out issues of CODE; also a beginning such as 'bo3d/*', or warning or info (may be repeated)
    #[arg(long, value_name = "CODE", value_parser = Selector::parse)]
    allow: Vec<Selector>,
    #[command(flatten)]
    finding: Finding,
}

/// What was found in one file.
struct Report {
    name: String,
    format: Option<&'static Format>,
    readable: bool,
    issues: Vec<Issue>,
    /// The issues as text, made while the bytes were there.
    text: String,
    /// Why the file was not even looked at.
    error: Option<String>,
}

pub(crate) fn run(args: &ValidateArgs) -> Result<Exit> {
    let inputs = inputs::expand(&args.files, args.recursive);
    let reports = batch::run(&inputs, |input| report(input, args));
    if args.json {
        output::print_json(&reports.iter().map(Report::to_json).collect())?;
    } else if args.sarif {
        let files = reports.iter().map(|report| (report.name.as_str(), report.issues.as_slice()));
        output::print_json(&render::sarif(files))?;
    } else {
        let texts: String = reports.iter().map(|report| report.text.as_str()).collect();
        output::print_colored(&(texts + &summary(&reports)))?;
    }
    for (name, error) in reports.iter().filter_map(|r| Some((&r.name, r.error.as_ref()?))) {
        output::message(format_args!("error: {name}: {error}"));
    }
    Ok(reports.iter().map(Report::exit).collect())
}

fn report(input: &Input, args: &ValidateArgs) -> Report {
    let name = input.name.clone();
    let folders = opened::folders(input, &args.finding);
    let options = opened::read_options(&folders, &args.finding);
    match opened::open(input, &args.finding, &options) {
        Ok(opened) => {
            let mut reading = Reading { model: opened.model, issues: opened.issues };
            let scene = reading.examine(&options);
            if let (Some(mut scene), Some(model)) = (scene, reading.model.as_deref()) {
                let textures = resolve_textures_within(&mut scene, options.files, &options.limits);
                reading.issues.extend(missing_pictures(model, &opened.bytes, &textures));
            }
            let issues = weigh(reading.issues.into_sorted(), args);
            let wants_text = !args.json && !args.sarif;
            let text = if wants_text { text(&name, &issues, &opened.bytes) } else { String::new() };
            Report {
                name,
                format: opened.format,
                readable: reading.model.is_some(),
                issues,
                text,
                error: None,
            }
        }
        Err(error) => Report {
            name,
            format: None,
            readable: false,
            issues: Vec::new(),
            text: String::new(),
            error: Some(error),
        },
    }
}

/// Applies `--deny`, `--allow` and `--engine`.
fn weigh(issues: Vec<Issue>, args: &ValidateArgs) -> Vec<Issue> {
    let weighed = issues.into_iter().filter_map(|mut issue| {
        let of_engine = args.engine && issue.severity == Severity::Warning && issue.code.is_of_engine();
        match selector::weigh(issue.code, &args.deny, &args.allow) {
            Weight::Allowed => return None,
            Weight::Denied => issue.severity = Severity::Error,
            Weight::Plain if of_engine => issue.severity = Severity::Error,
            Weight::Plain => {}
        }
        Some(issue)
    });
    weighed.collect()
}

/// The issues of one file: the first few of each code with their bytes, the rest counted.
fn text(name: &str, issues: &[Issue], bytes: &[u8]) -> String {
    let color = terminal_use::color();
    let name = &*output::harmless(name);
    let mut text = String::new();
    let mut shown: Vec<(&str, usize)> = Vec::new();
    for issue in issues {
        let n = match shown.iter_mut().find(|(id, _)| *id == issue.code.id) {
            Some((_, n)) => n,
            None => {
                shown.push((issue.code.id, 0));
                let Some((_, n)) = shown.last_mut() else { continue };
                n
            }
        };
        *n += 1;
        if *n <= SHOWN {
            let mut issue = issue.clone();
            issue.message = output::harmless(&issue.message).into_owned();
            issue.path = output::harmless(&issue.path).into_owned();
            text.push_str(&render::text(&issue, name, bytes, color));
        }
    }
    for (id, n) in shown.into_iter().filter(|(_, n)| *n > SHOWN) {
        let _ = writeln!(text, "… {} more of {id} in {name}", n - SHOWN);
    }
    text
}

fn summary(reports: &[Report]) -> String {
    let count = |severity| reports.iter().map(|report| report.count(severity)).sum::<usize>();
    let valid = reports.iter().filter(|report| report.valid()).count();
    let mut text = format!(
        "{}: {valid} valid, {} not; {}, {}, {}",
        output::count(reports.len(), "file", "files"),
        reports.len() - valid,
        output::count(count(Severity::Error), "error", "errors"),
        output::count(count(Severity::Warning), "warning", "warnings"),
        output::count(count(Severity::Info), "note", "notes"),
    );
    if let Some(issue) = reports.iter().flat_map(|report| &report.issues).min_by_key(|issue| issue.severity) {
        let _ = write!(text, " (menagerie explain {})", issue.code);
    }
    text + "\n"
}

impl Report {
    fn count(&self, severity: Severity) -> usize {
        self.issues.iter().filter(|issue| issue.severity == severity).count()
    }

    fn valid(&self) -> bool {
        self.readable && self.count(Severity::Error) == 0
    }

    /// A file of an unknown format could not be validated; one of a known format is invalid, however broken it is,
    /// and so is an empty one.
    fn exit(&self) -> Exit {
        let empty = self.issues.iter().any(|issue| issue.code == &EMPTY);
        match self.valid() {
            true => Exit::Fine,
            false if self.format.is_some() || empty => Exit::Wrong,
            false => Exit::CouldNot,
        }
    }

    fn to_json(&self) -> Value {
        let mut value = json!({
            "file": self.name,
            "format": self.format.map(|format| format.id),
            "valid": self.valid(),
            "counts": {
                "error": self.count(Severity::Error),
                "warning": self.count(Severity::Warning),
                "info": self.count(Severity::Info),
            },
            "issues": json::issues(&self.issues),
        });
        if let (Some(error), Some(fields)) = (&self.error, value.as_object_mut()) {
            fields.insert("error".to_owned(), json!(error));
        }
        value
    }
}
