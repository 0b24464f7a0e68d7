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
    /// Print JSON, one object a line, each file as soon as it is done
    #[arg(long, conflicts_with = "json")]
    json_lines: bool,
    /// Print a SARIF 2.1.0 log
    #[arg(long, conflicts_with_all = ["json", "json_lines"])]
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
    /// The same as results of SARIF.
    sarif: render::Sarif,
    /// Why the file was not even looked at.
    error: Option<String>,
}

pub(crate) fn run(args: &ValidateArgs) -> Result<Exit> {
    let inputs = inputs::expand(&args.files, args.recursive);
    let mut array = output::JsonArray::default();
    let mut log = render::Sarif::default();
    let mut sum = Sum::default();
    let mut printed = Ok(());
    batch::run_then(
        &inputs,
        |input| report(input, args),
        |_, mut report, bar| {
            sum.add(&report);
            log.append(std::mem::take(&mut report.sarif));
            if printed.is_ok() {
                printed = bar.aside(|| report.print(args, &mut array));
            }
        },
    );
    printed?;
    match () {
        () if args.json => array.finish()?,
        () if args.sarif => output::print_json(&log.finish())?,
        () if args.json_lines => {}
        () => output::print_colored(&sum.text())?,
    }
    Ok(sum.exit)
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
                let missing = missing_pictures(model, &opened.bytes, &textures, &options.limits);
                reading.issues.extend(missing);
            }
            let issues = weigh(reading.issues.into_sorted(), args);
            let wants_text = !args.json && !args.json_lines && !args.sarif;
            let text = if wants_text { text(&name, &issues, &opened.bytes) } else { String::new() };
            let mut sarif = render::Sarif::default();
            if args.sarif {
                sarif.push(&name, &issues, &opened.bytes);
            }
            Report {
                sarif,
                name,
                format: opened.format,
                readable: reading.model.is_some(),
                issues,
                text,
                error: None,
            }
        }
        Err(error) => {
            let mut sarif = render::Sarif::default();
            sarif.push_failure(&name, &error);
            let (issues, text) = (Vec::new(), String::new());
            Report { name, format: None, readable: false, issues, text, sarif, error: Some(error) }
        }
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

/// What was found in all files.
#[derive(Default)]
struct Sum {
    files: usize,
    valid: usize,
    /// Errors, warnings and notes.
    counts: [usize; 3],
    /// The worst issue, for an example.
    worst: Option<(Severity, &'static str)>,
    exit: Exit,
}

impl Sum {
    fn add(&mut self, report: &Report) {
        self.files += 1;
        self.valid += usize::from(report.valid());
        let found =
            [Severity::Error, Severity::Warning, Severity::Info].map(|severity| report.count(severity));
        self.counts.iter_mut().zip(found).for_each(|(sum, count)| *sum += count);
        for issue in &report.issues {
            if self.worst.is_none_or(|(severity, _)| issue.severity < severity) {
                self.worst = Some((issue.severity, issue.code.id));
            }
        }
        self.exit = self.exit.max(report.exit());
    }

    fn text(&self) -> String {
        let [errors, warnings, notes] = self.counts;
        let mut text = format!(
            "{}: {} valid, {} not; {}, {}, {}",
            output::count(self.files, "file", "files"),
            self.valid,
            self.files - self.valid,
            output::count(errors, "error", "errors"),
            output::count(warnings, "warning", "warnings"),
            output::count(notes, "note", "notes"),
        );
        if let Some((_, code)) = self.worst {
            let _ = write!(text, " (menagerie explain {code})");
        }
        text + "\n"
    }
}

impl Report {
    /// Prints what is printed of each file as it is done.
    fn print(&self, args: &ValidateArgs, array: &mut output::JsonArray) -> Result<()> {
        if args.json {
            array.push(&self.to_json())?;
        } else if args.json_lines {
            output::print_bytes(format!("{}\n", self.to_json()).as_bytes())?;
        } else {
            output::print_colored(&self.text)?;
        }
        if let Some(error) = &self.error {
            output::message(format_args!("error: {}: {error}", self.name));
        }
        Ok(())
    }

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
