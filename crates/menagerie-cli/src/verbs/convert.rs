//! `convert`: from one format to another, with a report of every loss.

mod args;
mod beside;
mod changes;
mod report;
mod target;
mod verify;

use args::PurposeArg;
pub(crate) use args::{ConvertArgs, SharedArgs, part};

use std::path::PathBuf;

use anyhow::{Result, bail};
use menagerie::bytes::SharedBytes;
use menagerie::convert::{Conversion, ConvertOptions};
use menagerie::diag::Issue;
use menagerie::formats::{Files, Format, Purpose};
use menagerie::ops::Op;

use crate::exit::Exit;
use crate::inputs::{self, Input};
use crate::opened;
use crate::output::{self, Writing};
use crate::{batch, streamed};
use beside::Beside;
use report::Report;
use target::{Place, Target};
use verify::Verdict;

pub(crate) fn run(args: &ConvertArgs) -> Result<Exit> {
    let ops = if args.lod.is_empty() { Vec::new() } else { vec![Op::Levels(args.lod.clone())] };
    run_job(&Job { args: &args.shared, ops, rebuild: args.rebuild, shows_changes: false })
}

/// What to do with the inputs: `convert` and `optimize` differ in nothing else.
pub(crate) struct Job<'a> {
    pub(crate) args: &'a SharedArgs,
    /// What is changed on the way.
    pub(crate) ops: Vec<Op>,
    /// Whether to go through the Scene even to the same format.
    pub(crate) rebuild: bool,
    /// Whether the report says what the changes did.
    pub(crate) shows_changes: bool,
}

/// Converts all inputs, writes the results and reports.
pub(crate) fn run_job(job: &Job<'_>) -> Result<Exit> {
    let args = job.args;
    let (inputs, target) = plan(args)?;
    let jobs: Vec<(Input, Result<Place, String>)> = inputs.into_iter().zip(target.places()).collect();
    let sources: Vec<PathBuf> = jobs.iter().filter_map(|(input, _)| target::real_path(input)).collect();
    let reports = batch::run_then(
        &jobs,
        |(input, place)| convert(input, place, &target, job),
        |(input, _), result| match result.and_then(|done| write(done, &sources)) {
            Ok(report) => report,
            Err(failure) => Report::failed(input.name.clone(), target.format, failure),
        },
    );
    report::print(&reports, job, &target)?;
    if let Some(path) = &args.loss_report {
        report::write_losses(&reports, path)?;
    }
    Ok(reports.iter().map(|report| report.exit(args)).collect())
}

/// Which files become what.
fn plan(args: &SharedArgs) -> Result<(Vec<Input>, Target)> {
    let Some((out, files)) = args.paths.split_last() else { bail!("nothing to convert") };
    let inputs = inputs::expand(files, args.recursive);
    let target = Target::new(out, args.to.as_deref(), &inputs)?;
    let to_stdout = matches!(target.out, target::Out::Stdout);
    let report_to_stdout = args.loss_report.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if usize::from(to_stdout) + usize::from(report_to_stdout) + usize::from(args.json) > 1 {
        bail!("only one of the model, --json and --loss-report can go to standard output");
    }
    Ok((inputs, target))
}

/// Why there is no result.
#[derive(Default)]
struct Failure {
    from: Option<&'static Format>,
    issues: Vec<Issue>,
    error: String,
}

impl From<String> for Failure {
    fn from(error: String) -> Self {
        Self { error, ..Self::default() }
    }
}

/// A conversion that is still to be written.
struct Done {
    name: String,
    bytes_before: usize,
    /// Whether lengths were multiplied.
    scaled: bool,
    place: Place,
    conversion: Conversion,
    verdict: Option<Verdict>,
}

fn convert(
    input: &Input,
    place: &Result<Place, String>,
    target: &Target,
    job: &Job<'_>,
) -> Result<Done, Failure> {
    let args = job.args;
    let place = place.clone()?;
    let folders = opened::folders(input, &args.finding);
    let mut options = ConvertOptions::default();
    options.read = opened::read_options(&folders, &args.finding);
    options.read.fps = args.fps;
    options.flip_v = args.flip_v;
    options.strict = args.strict;
    options.write.stem = place.stem();
    options.write.extension = target.extension_for(&place);
    options.write.fps = args.fps;
    options.write.purpose = args.purpose.map_or(Purpose::Both, PurposeArg::purpose);
    options.write.embed_textures = args.embed_textures;
    options.hidden = args.hidden.how();
    options.write.missing_textures = args.missing_textures.how();
    let there = place.folder();
    options.target = there.as_ref().map(|there| there as &dyn Files);
    options.write.settings = args.settings.0.merged(&args.finding.settings.0);
    options.from = args.finding.from;
    options.ops = job.ops.clone();
    options.rebuild = job.rebuild;
    let large = streamed::open(input, &args.finding).filter(|large| large.format != target.format);
    let (result, bytes) = match large {
        Some(mut large) => {
            let (from, to) = (large.format, target.format);
            options.scale = args.factor(Some(from))?;
            let mut result =
                menagerie::convert::convert_stream(&mut large.file, Some(large.length), from, to, &options);
            if let Ok(conversion) = &mut result {
                conversion.issues.extend(large.warning);
            }
            (result, SharedBytes::new([]))
        }
        None => {
            let bytes = input.load()?;
            options.read.shared = Some(bytes.clone());
            let detected = || Format::detect(&bytes, input.hint()).ok().map(|(format, _)| format);
            options.scale = args.factor(options.from.or_else(detected))?;
            (menagerie::convert::convert(&bytes, input.hint(), target.format, &options), bytes)
        }
    };
    match result {
        Ok(conversion) => {
            let verdict = match args.verify {
                true => Some(verify::verify(&conversion, &bytes, &options)?),
                false => None,
            };
            let (bytes_before, scaled) = (bytes.len(), options.scale.is_some());
            Ok(Done { name: input.name.clone(), bytes_before, scaled, place, conversion, verdict })
        }
        Err(failed) => {
            // The last one that was found says why.
            let error = match failed.issues.iter().last() {
                Some(issue) => format!("cannot be converted: {issue} [{}]", issue.code),
                None => "cannot be converted".to_owned(),
            };
            Err(Failure { from: failed.from, issues: failed.issues.into_sorted(), error })
        }
    }
}

/// Writes a finished conversion: all of its files, or none.
fn write(done: Done, sources: &[PathBuf]) -> Result<Report, Failure> {
    let Done { name, bytes_before, scaled, place, mut conversion, verdict } = done;
    let beside = std::mem::take(&mut conversion.output.beside);
    let written = match &place {
        Place::Stdout => {
            beside::refuse_all(beside, &mut conversion.losses);
            output::print_bytes(&conversion.output.bytes).map(|()| Vec::new())
        }
        Place::File(path) => {
            let plan = Beside::plan(beside, path, sources, &mut conversion.losses)?;
            write_files(path, &conversion.output.bytes, &plan).map(|()| plan.names())
        }
    };
    let beside = written.map_err(|error| format!("{error:#}"))?;
    Ok(Report::done((name, bytes_before, scaled), &place, conversion, beside, verdict))
}

fn write_files(path: &std::path::Path, bytes: &[u8], beside: &Beside) -> Result<()> {
    let mut writing = Writing::default();
    beside.prepare(&mut writing)?;
    writing.prepare(path, bytes)?;
    writing.finish()
}
