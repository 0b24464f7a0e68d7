//! `render`: pictures of models.

mod args;
mod model;
mod report;
mod shots;
mod target;

pub(crate) use args::RenderArgs;

use anyhow::{Result, bail};
use menagerie::convert::SCENE_RULE;
use menagerie::diag::Issue;
use menagerie::formats::Format;
use menagerie::scene::{Scene, check};
use menagerie_render::{CameraChoice, Cell, Picture, Shot, Side, Stage, animated_png, contact_sheet, png};

use crate::exit::Exit;
use crate::inputs::{self, Input};
use crate::output::{self, Writing};
use crate::{batch, names};
use args::WhoseArg;
use model::{Model, Reading, Unreadable};
use report::Report;
use target::{Place, Target};

pub(crate) fn run(args: &RenderArgs) -> Result<Exit> {
    let inputs = inputs::expand(&args.files, args.recursive);
    let target = Target::new(&args.output, &inputs, args)?;
    if args.json && target.is_stdout() {
        bail!("only one of the picture and --json can go to standard output");
    }
    if args.apng && args.turntable.is_none() && args.frames.is_none() {
        bail!("--apng needs the pictures of --turntable or --frames");
    }
    let reports =
        if args.is_sheet() { sheet(&inputs, &target, args)? } else { single(&inputs, &target, args) };
    report::print(&reports, args, &target)?;
    Ok(reports.iter().map(Report::exit).collect())
}

/// Draws each input into files of its own.
fn single(inputs: &[Input], target: &Target, args: &RenderArgs) -> Vec<Report> {
    let jobs: Vec<(&Input, Place)> = inputs.iter().zip(target.places(inputs)).collect();
    let mut reports = Vec::with_capacity(jobs.len());
    batch::run_then(
        &jobs,
        |(input, place)| {
            let drawn = draw(input, args)?;
            let files = files(&drawn, place, args).map_err(|issue| drawn.failed(&issue))?;
            Ok((drawn, files))
        },
        |(input, _), result: Result<(Drawn, Files), Unreadable>, _| {
            reports.push(match result {
                Ok((drawn, files)) => match write(&files) {
                    Ok(()) => Report::done(&input.name, drawn, &files),
                    Err(error) => Report::failed(&input.name, format!("{error:#}").into()),
                },
                Err(failure) => Report::failed(&input.name, failure),
            });
        },
    );
    reports
}

/// Draws all inputs onto one sheet. One that cannot be drawn has an empty tile that says so.
fn sheet(inputs: &[Input], target: &Target, args: &RenderArgs) -> Result<Vec<Report>> {
    let drawn = batch::run(inputs, |input| draw(input, args));
    let mut cells = Vec::new();
    let mut per_model = 1;
    let names = names::labels(inputs.iter().map(|input| input.name.as_str()));
    let (width, height) = args.picture_size();
    for (name, drawn) in names.iter().zip(&drawn) {
        let Ok(drawn) = drawn else {
            let picture = Picture::new(width, height, FAILED)?;
            cells.push(Cell { picture, label: format!("{name}: failed") });
            continue;
        };
        per_model = per_model.max(drawn.pictures.len());
        cells.extend(drawn.pictures.iter().map(|(picture, which)| Cell {
            picture: picture.clone(),
            label: if which.is_empty() { name.clone() } else { format!("{name} {which}") },
        }));
    }
    let columns = match args.columns {
        Some(columns) => usize::from(columns),
        None if inputs.len() > 1 && per_model > 1 => per_model,
        None => 0,
    };
    let place = target.sheet();
    let mut files = Vec::new();
    if drawn.iter().any(Result::is_ok) {
        let background = args.background.unwrap_or(Shot::default().background);
        let sheet = contact_sheet(&cells, columns, background)?;
        files.push((place, png(&sheet)?));
        write(&files)?;
    }
    let reports = inputs.iter().zip(drawn).map(|(input, drawn)| match drawn {
        Ok(drawn) => Report::done(&input.name, drawn, &files),
        Err(failure) => Report::failed(&input.name, failure),
    });
    Ok(reports.collect())
}

/// The colour of a tile whose model could not be drawn.
const FAILED: [u8; 4] = [96, 32, 32, 255];

/// Files to write, and what goes into them.
type Files = Vec<(Place, Vec<u8>)>;

/// The pictures of one model.
pub(super) struct Drawn {
    format: &'static Format,
    pictures: Vec<(Picture, String)>,
    /// Pictures a second, when they are played.
    fps: f32,
    issues: Vec<Issue>,
}

impl Drawn {
    /// The same without pictures, for a reason.
    fn failed(&self, issue: &Issue) -> Unreadable {
        let error = format!("cannot be drawn: {issue} [{}]", issue.code);
        Unreadable { format: Some(self.format), issues: self.issues.clone(), error }
    }
}

fn draw(input: &Input, args: &RenderArgs) -> Result<Drawn, Unreadable> {
    let as_engine = args.whose == WhoseArg::Engine;
    let how = Reading { fps: args.fps, flip_v: args.flip_v, as_engine };
    let model = Model::open(input, &args.finding, how)?;
    let fail = |issue: Issue| Unreadable {
        format: Some(model.format),
        issues: model.issues.clone(),
        error: format!("cannot be drawn: {issue} [{}]", issue.code),
    };
    let scene = check(&model.scene).map_err(|broken| format!("cannot be drawn: {broken}"))?;
    let stage = Stage::within(scene, &model.limits);
    let plan = shots::plan(&stage, &model, args).map_err(fail)?;
    let mut issues = model.issues.clone();
    issues.extend(stage.issues().iter().cloned());
    let mut pictures = Vec::new();
    for (shot, label) in plan.shots {
        let taken = stage.take(&shot).map_err(fail)?;
        // Many pictures of one model have the same to say.
        for issue in taken.issues.into_sorted() {
            if !issues.contains(&issue) {
                issues.push(issue);
            }
        }
        pictures.push((taken.picture, label));
    }
    Ok(Drawn { format: model.format, pictures, fps: plan.fps, issues })
}

/// Small pictures of a Scene from so many sides all around it, without a background; the first is the usual one.
pub(super) fn all_around(scene: &Scene, size: (u32, u32), count: usize) -> Result<Vec<Picture>, Issue> {
    let checked = check(scene).map_err(|broken| Issue::new(&SCENE_RULE, broken.path, broken.message))?;
    let stage = Stage::new(checked);
    let sides = (0..count.max(1)).map(|i| {
        let usual = Shot::default();
        let turned = match usual.camera {
            CameraChoice::Framing(side) if i > 0 => CameraChoice::Framing(Side {
                azimuth: side.azimuth + 360.0 * i as f32 / count as f32,
                ..side
            }),
            usual => usual,
        };
        Shot { width: size.0, height: size.1, background: [0; 4], camera: turned, ..usual }
    });
    sides.map(|shot| Ok(stage.take(&shot)?.picture)).collect()
}

/// A small picture of a Scene, as the options' defaults have it, without a background.
pub(super) fn thumbnail(scene: &Scene, (width, height): (u32, u32)) -> Result<Picture, Issue> {
    let checked = check(scene).map_err(|broken| Issue::new(&SCENE_RULE, broken.path, broken.message))?;
    let shot = Shot { width, height, background: [0; 4], ..Shot::default() };
    Ok(Stage::new(checked).take(&shot)?.picture)
}

/// The files that hold the pictures of one model.
fn files(drawn: &Drawn, place: &Place, args: &RenderArgs) -> Result<Vec<(Place, Vec<u8>)>, Issue> {
    if args.apng {
        let pictures: Vec<Picture> = drawn.pictures.iter().map(|(picture, _)| picture.clone()).collect();
        let milliseconds = (1000.0 / drawn.fps).round().clamp(10.0, 60_000.0) as u16;
        return Ok(vec![(place.clone(), animated_png(&pictures, milliseconds, 1000)?)]);
    }
    let numbered = args.turntable.is_some() || args.frames.is_some();
    let pictures = drawn.pictures.iter().enumerate();
    pictures
        .map(|(i, (picture, _))| {
            let place = if numbered { place.numbered(i + 1, drawn.pictures.len()) } else { place.clone() };
            Ok((place, png(picture)?))
        })
        .collect()
}

/// Writes all files of one model, or none.
fn write(files: &[(Place, Vec<u8>)]) -> Result<()> {
    let mut writing = Writing::default();
    for (place, bytes) in files {
        match place {
            Place::Stdout => output::print_bytes(bytes)?,
            Place::File(path) => {
                target::make_folder(path)?;
                writing.prepare(path, bytes)?;
            }
        }
    }
    writing.finish()
}
