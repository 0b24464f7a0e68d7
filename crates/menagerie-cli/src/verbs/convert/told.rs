//! What a run says: a line for each file as it is done, and at the end what all came to.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use menagerie::formats::foreign_kind;
use serde_json::Value;

use super::report::{Report, Way, times};
use super::target::{Out, Target};
use super::{Job, args::SharedArgs};
use crate::exit::Exit;
use crate::output::{self, JsonArray};
use crate::terminal_use::{is_quiet, is_verbose};

/// So many failures are told again at the end, so many kinds of remarks, and so many kinds of other files.
const FAILURES: usize = 50;
const REMARKS: usize = 8;
const KINDS: usize = 12;
/// Files that are no models are looked into up to this number.
const LOOKED_INTO: usize = 10_000;

/// Tells what happens, and keeps count.
pub(super) struct Told<'a> {
    job: &'a Job<'a>,
    /// Whether standard output is taken by something else.
    aside: bool,
    several: bool,
    json: Option<JsonArray>,
    losses: Vec<Value>,
    exit: Exit,
    start: Instant,
    counts: Counts,
    failures: Vec<(String, String)>,
    /// For each code that is worth a remark: how often it came up, in how many files.
    remarks: BTreeMap<&'static str, (usize, usize)>,
}

#[derive(Default)]
struct Counts {
    files: usize,
    converted: usize,
    lossy: usize,
    damaged: usize,
    replaced: usize,
    skipped: usize,
    before: usize,
    failed: usize,
}

impl<'a> Told<'a> {
    pub(super) fn new(job: &'a Job<'a>, target: &Target, inputs: usize) -> Self {
        let to_stdout = |args: &SharedArgs| args.loss_report.as_deref() == Some(Path::new("-"));
        Self {
            job,
            aside: matches!(target.out, Out::Stdout) || to_stdout(job.args),
            several: inputs > 1,
            json: job.args.json.then(JsonArray::default),
            losses: Vec::new(),
            exit: Exit::Fine,
            start: Instant::now(),
            counts: Counts::default(),
            failures: Vec::new(),
            remarks: BTreeMap::new(),
        }
    }

    /// Tells what became of one input.
    pub(super) fn tell(&mut self, report: &Report) -> Result<()> {
        let (args, dry_run) = (self.job.args, self.job.args.batch.dry_run);
        self.count(report);
        if args.loss_report.is_some() {
            self.losses.extend(report.losses_json(self.several));
        }
        if let Some(json) = &mut self.json {
            json.push(&report.to_json(self.job.shows_changes))?;
        } else if !is_quiet() {
            let short = self.several && !is_verbose();
            let known = report.is_from_before() && short;
            match short {
                _ if known => {}
                // Failures are told on standard error.
                true if report.error.is_none() => self.say(&report.lines(dry_run))?,
                true => {}
                false => self.say(&report.text(self.job.shows_changes, dry_run))?,
            }
        }
        if let Some(error) = &report.error {
            output::message(format_args!("error: {}: {error}", report.name));
        }
        Ok(())
    }

    fn say(&self, text: &str) -> Result<()> {
        match self.aside {
            true if text.is_empty() => {}
            true => output::message(format_args!("{}", text.trim_end())),
            false => output::print(text)?,
        }
        Ok(())
    }

    fn count(&mut self, report: &Report) {
        self.exit = self.exit.max(report.exit(self.job.args));
        let counts = &mut self.counts;
        counts.files += 1;
        if let Some(error) = &report.error {
            counts.failed += 1;
            if self.failures.len() < FAILURES {
                self.failures.push((report.name.clone(), error.clone()));
            }
            return;
        }
        match report.way {
            Way::Skipped => {
                counts.skipped += 1;
                return;
            }
            Way::Replaced => counts.replaced += 1,
            Way::Before(_) => counts.before += 1,
            Way::New => {}
        }
        counts.converted += 1;
        counts.lossy += usize::from(report.is_lossy());
        counts.damaged += usize::from(report.is_damaged());
        for (code, count) in report.remarks() {
            let entry = self.remarks.entry(code).or_default();
            *entry = (entry.0 + count, entry.1 + 1);
        }
    }

    /// Tells what all came to.
    pub(super) fn finish(mut self, others: &[PathBuf]) -> Result<Exit> {
        if let Some(json) = &mut self.json {
            json.finish()?;
        } else if self.several && !is_quiet() {
            self.say(&self.summary(others))?;
        }
        if let Some(path) = &self.job.args.loss_report {
            let losses = match (self.several, self.losses.as_slice()) {
                (false, [only]) => Some(only.clone()),
                (false, _) => None,
                (true, several) => Some(several.to_vec().into()),
            };
            match losses {
                None => {}
                Some(losses) if path == Path::new("-") => output::print_json(&losses)?,
                Some(losses) => output::write_file(path, format!("{losses:#}\n").as_bytes())?,
            }
        }
        Ok(self.exit)
    }

    /// A few sentences that can be read aloud.
    fn summary(&self, others: &[PathBuf]) -> String {
        let c = &self.counts;
        let mut of_converted = vec![format!("{} with losses", c.lossy), format!("{} damaged", c.damaged)];
        of_converted.extend((c.replaced > 0).then(|| format!("{} replaced", c.replaced)));
        of_converted.extend((c.before > 0).then(|| format!("{} by an earlier run", c.before)));
        let converted = if self.job.args.batch.dry_run { "would be converted" } else { "converted" };
        let mut text = format!(
            "{} {converted} ({}), {} failed",
            output::count(c.converted, "file", "files"),
            of_converted.join(", "),
            c.failed
        );
        if c.skipped > 0 {
            text += &format!(", {} skipped because the result is there", c.skipped);
        }
        text += &format!(", in {:.1} s\n", self.start.elapsed().as_secs_f32());
        if !self.remarks.is_empty() {
            let mut remarks: Vec<_> = self.remarks.iter().collect();
            remarks.sort_by_key(|(code, (count, _))| (std::cmp::Reverse(*count), **code));
            let shown = remarks.iter().take(REMARKS);
            let shown: Vec<String> = shown
                .map(|(code, (count, files))| {
                    format!("{} in {}", times(code, *count), output::count(*files, "file", "files"))
                })
                .collect();
            text += &format!("remarks: {} (menagerie explain CODE)\n", shown.join(", "));
        }
        if !self.failures.is_empty() {
            text += "failed:\n";
            text.extend(self.failures.iter().map(|(name, error)| format!("  {name}: {error}\n")));
            let more = c.failed - self.failures.len();
            text += &if more > 0 { format!("  … and {more} more\n") } else { String::new() };
        }
        text + &passed_over(others)
    }
}

/// What the files that were passed over probably are.
fn passed_over(others: &[PathBuf]) -> String {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for path in others.iter().take(LOOKED_INTO) {
        *kinds.entry(kind_of(path)).or_default() += 1;
    }
    if others.len() > LOOKED_INTO {
        kinds.insert("not looked into".to_owned(), others.len() - LOOKED_INTO);
    }
    let mut kinds: Vec<(String, usize)> = kinds.into_iter().collect();
    kinds.sort_by_key(|(kind, count)| (std::cmp::Reverse(*count), kind.clone()));
    let (rest, all) = (kinds.len().saturating_sub(KINDS), others.len());
    let mut words: Vec<String> =
        kinds.into_iter().take(KINDS).map(|(kind, n)| format!("{kind} × {n}")).collect();
    words.extend((rest > 0).then(|| format!("{rest} other kinds")));
    match all {
        0 => String::new(),
        _ => {
            format!("passed over {}: {}\n", output::count(all, "other file", "other files"), words.join(", "))
        }
    }
}

fn kind_of(path: &Path) -> String {
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(4096).read_to_end(&mut start));
    match read {
        Ok(_) => foreign_kind(&start, &path.to_string_lossy()).into_owned(),
        Err(_) => "unreadable".to_owned(),
    }
}
