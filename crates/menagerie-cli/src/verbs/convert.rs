//! `convert`: from one format to another, with a report of every loss.

mod args;
mod beside;
mod changes;
mod report;
mod target;
mod told;
mod verify;

use args::PurposeArg;
pub(crate) use args::{ConvertArgs, SharedArgs, part};

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use menagerie::bytes::SharedBytes;
use menagerie::convert::{Conversion, ConvertOptions, Failed};
use menagerie::diag::{Aspect, Issue};
use menagerie::formats::{Files, Format, Holds, Purpose};
use menagerie::ops::Op;

use crate::exit::Exit;
use crate::inputs::{self, Input, Listed};
use crate::manifest::{self, Earlier, Entry, Manifest, Stamp};
use crate::opened;
use crate::output::{self, Writing};
use crate::terminal_use::is_quiet;
use crate::{batch, streamed};
pub(super) use beside::Beside;
use report::Report;
pub(super) use report::grouped;
pub(super) use target::Sources;
use target::{Naming, Out, Place, Target, There};
use told::Told;
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

/// Which files become what.
struct Plan {
    target: Target,
    jobs: Vec<(Listed, Result<Naming, String>)>,
    sources: Sources,
    /// Files in folders that are passed over.
    others: Vec<PathBuf>,
    manifest: Option<(Manifest, Earlier)>,
}

/// What became of one input, before its result is written.
enum Outcome {
    /// An earlier run did it.
    Before(Entry),
    /// Its result is there already.
    Skipped(Place),
    Done(Box<Done>, Duration),
    Failed(Failure, Duration),
}

/// Converts all inputs, writes the results and reports.
pub(crate) fn run_job(job: &Job<'_>) -> Result<Exit> {
    let Plan { target, jobs, sources, others, manifest } = plan(job)?;
    let (mut manifest, earlier) = manifest.unzip();
    let mut told = Told::new(job, &target, jobs.len());
    let mut trouble = None;
    batch::run_then(
        &jobs,
        |(listed, naming)| {
            let input = listed.input();
            let place = naming.clone().map(|naming| target.place(&input, naming));
            match earlier.as_ref().and_then(|earlier| earlier.done(&input.name, input.path())) {
                Some(entry) => Outcome::Before(entry),
                None => attempt(&input, &place, &target, job),
            }
        },
        |(listed, _), outcome, bar| {
            let input = listed.input();
            let report = finish(&input, outcome, &target, job, &sources);
            let mut told_all = bar.aside(|| told.tell(&report));
            if let (Some(manifest), false) = (&mut manifest, report.is_from_before()) {
                told_all = told_all.and_then(|()| manifest.add(&report.row(&input, job.args)));
            }
            trouble = trouble.take().or(told_all.err());
        },
    );
    if let Some(error) = trouble {
        return Err(error);
    }
    let exit = told.finish(&others)?;
    if let Some(page) = &job.args.batch.report {
        let files = jobs.iter().filter_map(|(listed, _)| listed.input().path().map(Path::to_owned)).collect();
        let title = job.args.paths.first().map(|first| super::report::title(std::slice::from_ref(first)));
        super::report::about(files, page, title, &job.args.finding, job.args.fps)?;
        if !job.args.json && !is_quiet() {
            output::print(&format!("about all of them: {}\n", page.display()))?;
        }
    }
    Ok(exit)
}

fn plan(job: &Job<'_>) -> Result<Plan> {
    let args = job.args;
    let (last, files) = match (&args.output, args.paths.split_last()) {
        (_, None) => bail!("nothing to convert"),
        (Some(_), Some(_)) => (None, args.paths.as_slice()),
        (None, Some((_, []))) => bail!("say where to write: menagerie convert IN OUT, or --output"),
        (None, Some((last, files))) => (Some(last), files),
    };
    let found = inputs::expand_with_others(files, args.recursive);
    let mut inputs = found.inputs;
    let count = inputs.len();
    let out = match (last, &args.output) {
        (Some(last), _) => Out::of(last, count, args.flat),
        (None, text) => Out::template(text.as_deref().unwrap_or_default(), count, args.flat)?,
    };
    let mut target = Target::new(out, args.to.as_deref(), count)?;
    let to_stdout = matches!(target.out, Out::Stdout);
    let report_to_stdout = args.loss_report.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if usize::from(to_stdout) + usize::from(report_to_stdout) + usize::from(args.json) > 1 {
        bail!("only one of the model, --json and --loss-report can go to standard output");
    }
    if job.ops.iter().any(|op| matches!(op, Op::Levels(_))) {
        warn_of_levels(target.format);
    }
    if let Some(shard) = args.batch.shard {
        inputs.retain(|listed| shard.has(&listed.input().name));
    }
    let manifest = manifest(job, &target, count)?;
    target.hashed = manifest.is_some();
    let sources = Sources::new(inputs.iter().map(|listed| target::real_path(&listed.input())));
    let namings = target.namings(&inputs, &sources);
    let jobs = inputs.into_iter().zip(namings).collect();
    Ok(Plan { target, jobs, sources, others: found.others, manifest })
}

/// Says before the work that the target holds no levels of detail.
fn warn_of_levels(to: &Format) {
    let holds = |format: &Format| format.capabilities.holds(Aspect::Lods).0 != Holds::No;
    if !holds(to) {
        let able = menagerie::formats::ALL.iter().filter(|format| holds(format));
        let able: Vec<&str> = able.map(|format| format.name).collect();
        output::message(format_args!(
            "note: {} holds no levels of detail, so they will be lost; {} do",
            to.name,
            able.join(", ")
        ));
    }
}

/// The manifest of a batch, unless nothing is written.
fn manifest(job: &Job<'_>, target: &Target, inputs: usize) -> Result<Option<(Manifest, Earlier)>> {
    let args = &job.args.batch;
    let part = args.shard.map(|shard| shard.suffix()).unwrap_or_default();
    let path = match (&args.manifest, target.out.manifest(&part)) {
        _ if args.dry_run => None,
        (Some(path), _) => Some(path.clone()),
        (None, beside) => beside.filter(|_| inputs > 1 || args.resume),
    };
    let Some(path) = path else {
        if args.resume {
            bail!("--resume needs the manifest of an earlier run: write to a folder, or say --manifest");
        }
        return Ok(None);
    };
    let options = format!("{} {:?} {}", job.args.what_decides(), job.ops, job.rebuild);
    std::fs::create_dir_all(output::folder_of(&path))
        .with_context(|| format!("cannot make the folder of {}", path.display()))?;
    match Manifest::open(&path, &options, args.resume) {
        Ok(manifest) => Ok(Some(manifest)),
        // Nobody asked for it, and the work can be done without.
        Err(error) if args.manifest.is_none() && !args.resume => {
            output::message(format_args!("note: {error:#}; this run could not be resumed"));
            Ok(None)
        }
        Err(error) => Err(error),
    }
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
    bytes_before: usize,
    /// Whether lengths were multiplied.
    scaled: bool,
    place: Place,
    /// What was seen of the folder that it goes to.
    there: Option<There>,
    conversion: Conversion,
    verdict: Option<Verdict>,
    /// The hash of the result, where it goes into a manifest.
    hash: Option<String>,
    /// The result where it can take its place.
    ready: Option<Writing>,
    /// Whether another file was in its place.
    replaced: bool,
    /// By what the source is known again, where that goes into a manifest.
    stamp: Option<Stamp>,
}

impl Done {
    /// Puts the result where it can take its place. That is most of the work of writing, and needs no order.
    fn prepared(mut self, target: &Target, job: &Job<'_>) -> Result<Self, Failure> {
        if let Place::File(path) = &self.place
            && !job.args.batch.dry_run
        {
            let mut ready = Writing::default();
            let bytes = &self.conversion.output.bytes;
            let prepared = target.make_folder(path).and_then(|()| ready.prepare(path, bytes));
            prepared.map_err(|error| format!("{error:#}"))?;
            self.ready = Some(ready);
        }
        Ok(self)
    }
}

/// Converts an input, unless what is there already is to stay.
fn attempt(input: &Input, place: &Result<Place, String>, target: &Target, job: &Job<'_>) -> Outcome {
    let start = Instant::now();
    let batch = &job.args.batch;
    let taken = place.as_ref().ok().filter(|place| place.is_taken());
    let replaced = taken.is_some();
    // A result in the place of its source changes what that is known by.
    let stamp = (target.hashed && !replaced).then(|| input.path().and_then(Stamp::of)).flatten();
    if let Some(taken) = taken {
        if batch.skip_existing {
            return Outcome::Skipped(taken.clone());
        }
        if batch.no_clobber {
            let error = format!("{} is there already, and --no-clobber keeps it", taken.name());
            return Outcome::Failed(error.into(), start.elapsed());
        }
    }
    match convert(input, place, target, job).and_then(|done| done.prepared(target, job)) {
        Ok(done) => Outcome::Done(Box::new(Done { replaced, stamp, ..done }), start.elapsed()),
        Err(failure) => Outcome::Failed(failure, start.elapsed()),
    }
}

/// Writes what was done, and says what became of the input.
fn finish(input: &Input, outcome: Outcome, target: &Target, job: &Job<'_>, sources: &Sources) -> Report {
    let name = input.name.clone();
    let (done, time) = match outcome {
        Outcome::Before(entry) => return Report::before(name, target.format, entry),
        Outcome::Skipped(place) => return Report::skipped(name, target.format, &place),
        Outcome::Failed(failure, time) => return Report::failed(name, target.format, failure).after(time),
        Outcome::Done(done, time) => (done, time),
    };
    let start = Instant::now();
    let as_before = done.there.as_ref().is_none_or(There::is_as_before);
    let done = match as_before {
        true => Ok(*done),
        // What came before it took names that it counted on.
        false => {
            let again = convert(input, &Ok(done.place), target, job);
            let again = again.and_then(|again| again.prepared(target, job));
            again.map(|again| Done { replaced: done.replaced, stamp: done.stamp, ..again })
        }
    };
    let written = done.and_then(|done| write(name, done, sources));
    let report = written.unwrap_or_else(|failure| Report::failed(input.name.clone(), target.format, failure));
    report.after(time + start.elapsed())
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
    let there = place.folder();
    let mut options = options(job);
    options.read = opened::read_options(&folders, &args.finding);
    options.read.fps = args.fps;
    options.write.stem = place.stem();
    options.write.extension = target.extension_for(&place);
    options.target = there.as_ref().map(|there| there as &dyn Files);
    options.forget_scene = !args.verify;
    let large = streamed::open(input, &args.finding).filter(|large| large.format != target.format);
    let (result, bytes, bytes_before) = match large {
        Some(mut large) => {
            let (from, to) = (large.format, target.format);
            options.scale = args.factor(Some(from))?;
            let mut result =
                menagerie::convert::convert_stream(&mut large.file, Some(large.length), from, to, &options);
            if let Ok(conversion) = &mut result {
                conversion.issues.extend(large.warning);
            }
            (result, SharedBytes::new([]), large.length as usize)
        }
        None => {
            let bytes = input.load()?;
            let detected = || Format::detect(&bytes, input.hint()).ok().map(|(format, _)| format);
            let from = options.from.or_else(detected);
            options.scale = args.factor(from)?;
            let length = bytes.len();
            // Only a result that was written back as it was is compared with the file and not with a Scene.
            let compared = args.verify && from == Some(target.format);
            let again = if compared { bytes.clone() } else { SharedBytes::new([]) };
            (menagerie::convert::convert_shared(bytes, input.hint(), target.format, &options), again, length)
        }
    };
    let conversion = result.map_err(refused)?;
    let verdict = match args.verify {
        true => Some(verify::verify(&conversion, &bytes, &options)?),
        false => None,
    };
    let scaled = options.scale.is_some();
    let hash = target.hashed.then(|| manifest::hash(&conversion.output.bytes));
    let (ready, replaced, stamp) = (None, false, None);
    Ok(Done { bytes_before, scaled, place, there, conversion, verdict, hash, ready, replaced, stamp })
}

/// Why a file could not be converted: the last thing that was found says it.
fn refused(failed: Failed) -> Failure {
    let error = match failed.issues.iter().last() {
        Some(issue) => format!("cannot be converted: {issue} [{}]", issue.code),
        None => "cannot be converted".to_owned(),
    };
    Failure { from: failed.from, issues: failed.issues.into_sorted(), error }
}

/// What the arguments ask for, whatever the file is.
fn options<'a>(job: &Job<'_>) -> ConvertOptions<'a> {
    let args = job.args;
    let mut options = ConvertOptions::default();
    options.flip_v = args.flip_v;
    options.strict = args.strict;
    options.hidden = args.hidden.how();
    options.from = args.finding.from;
    options.ops = job.ops.clone();
    options.rebuild = job.rebuild;
    options.write.fps = args.fps;
    options.write.purpose = args.purpose.map_or(Purpose::Both, PurposeArg::purpose);
    options.write.embed_textures = args.embed_textures;
    options.write.missing_textures = args.missing_textures.how();
    options.write.settings = args.settings.0.merged(&args.finding.settings.0);
    options
}

/// Writes a finished conversion: all of its files, or none.
fn write(name: String, done: Done, sources: &Sources) -> Result<Report, Failure> {
    let Done { bytes_before, scaled, place, there: _, mut conversion, verdict, hash, ready, replaced, stamp } =
        done;
    let beside = std::mem::take(&mut conversion.output.beside);
    let written = match &place {
        Place::Stdout => {
            beside::refuse_all(beside, &mut conversion.losses);
            output::print_bytes(&conversion.output.bytes).map(|()| Vec::new())
        }
        Place::File(path) => {
            let plan = Beside::plan(beside, path, sources, &mut conversion.losses)?;
            ready.map_or(Ok(()), |ready| finish_files(&plan, ready)).map(|()| plan.names())
        }
    };
    let beside = written.map_err(|error| format!("{error:#}"))?;
    let report = Report::done((name, bytes_before, scaled), &place, conversion, beside, verdict, hash);
    Ok(report.in_place_of(replaced).of_source(stamp))
}

/// Lets a result take its place, after what belongs beside it.
pub(super) fn finish_files(beside: &Beside, ready: Writing) -> Result<()> {
    let mut writing = Writing::default();
    beside.prepare(&mut writing)?;
    writing.append(ready);
    writing.finish()
}
