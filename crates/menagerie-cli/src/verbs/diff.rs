//! `diff`: what differs between two models, whatever their formats.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use menagerie::convert::resolve_textures;
use menagerie::diff::{DiffOptions, DiffReport, diff};
use menagerie::scene::{Scene, check};

use crate::batch;
use crate::exit::Exit;
use crate::inputs::{self, Input};
use crate::opened;
use crate::options::{Finding, not_negative, positive};
use crate::output;

/// Compare two models by meaning, across formats, and measure how far apart they are
#[derive(Args)]
pub(crate) struct DiffArgs {
    /// The first file, or - for standard input
    a: PathBuf,
    /// The second file, or - for standard input
    b: PathBuf,
    /// How far apart positions may be, in scene units (default: two millionths of the model's size)
    #[arg(long, value_name = "LENGTH", value_parser = not_negative)]
    tolerance: Option<f32>,
    /// Frames a second, for formats that store frames without a rate
    #[arg(long, value_name = "N", value_parser = positive)]
    fps: Option<f32>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    finding: Finding,
}

pub(crate) fn run(args: &DiffArgs) -> Result<Exit> {
    let inputs = inputs::expand(&[args.a.clone(), args.b.clone()], false);
    let [a, b] = inputs.as_slice() else { bail!("diff compares two files; {} were given", inputs.len()) };
    let scenes: Result<Vec<Scene>> = batch::run(&inputs, |input| scene(input, args)).into_iter().collect();
    let scenes = scenes?;
    let [scene_a, scene_b] = scenes.as_slice() else { bail!("diff compares two files") };
    let mut options = DiffOptions::default();
    options.tolerance = args.tolerance;
    let checked = |input: &Input, scene| {
        check(scene).map_err(|broken| anyhow!("{broken}")).with_context(|| input.name.clone())
    };
    let report = diff(checked(a, scene_a)?, checked(b, scene_b)?, &options);
    if args.json {
        output::print_json(&report.to_json())?;
    } else {
        output::print(&text(&report, a, b))?;
    }
    Ok(if report.is_equal() { Exit::Fine } else { Exit::Wrong })
}

/// The Scene of an input, with its textures.
fn scene(input: &Input, args: &DiffArgs) -> Result<Scene> {
    let folders = opened::folders(input, &args.finding);
    let mut options = opened::read_options(&folders, &args.finding);
    options.fps = args.fps;
    let opened = opened::open(input, &args.finding, &options)
        .map_err(|error| anyhow!(error))
        .with_context(|| input.name.clone())?;
    let Some(model) = opened.model else {
        let why = opened.issues.iter().last().map(|issue| format!("{issue} [{}]", issue.code));
        bail!("{}: cannot be read: {}", input.name, why.unwrap_or_default());
    };
    let mut scene = model.lift(&options).with_context(|| input.name.clone())?.scene;
    resolve_textures(&mut scene, options.files);
    Ok(scene)
}

fn text(report: &DiffReport, a: &Input, b: &Input) -> String {
    let (a, b) = (&a.name, &b.name);
    if report.is_equal() {
        return format!("{a} and {b} are equal\n");
    }
    let mut table = output::table(["code", "where", "what", "count", "largest error", "mean error"]);
    for difference in &report.differences {
        let measured = |value: fn(&menagerie::diag::loss::ErrorStats) -> f64| {
            difference.error.map(|(stats, unit)| format!("{:.3e} {unit}", value(&stats))).unwrap_or_default()
        };
        table.add_row([
            difference.code().id.to_owned(),
            difference.path.clone(),
            difference.message.clone(),
            difference.count.to_string(),
            measured(|stats| stats.max),
            measured(menagerie::diag::loss::ErrorStats::mean),
        ]);
    }
    let n = output::count(report.differences.len(), "difference", "differences");
    format!("{table}\n{a} and {b} are different: {n}\n")
}
