//! `diff`: what differs between two models, whatever their formats.

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use menagerie::convert::resolve_textures_within;
use menagerie::diff::{DiffOptions, DiffReport, diff_within};
use menagerie::scene::{Scene, check};
use menagerie_render::{Pair, Stage, compare, mean, png, side_by_side};
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::inputs::{self, Input};
use crate::opened;
use crate::options::{Finding, not_negative, positive};
use crate::output;
use crate::{batch, names};

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
    /// Draw both from the same places and say how far apart the pictures are, as the mean difference of their pixels from
    /// 0 to 255; with a file, also both beside each other and what differs
    #[arg(long, value_name = "OUT.png", num_args = 0..=1)]
    picture: Option<Option<PathBuf>>,
    /// The size of such pictures
    #[arg(long, value_name = "PIXELS", default_value_t = 384, value_parser = clap::value_parser!(u32).range(16..=2048))]
    picture_size: u32,
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
    let (checked_a, checked_b) = (checked(a, scene_a)?, checked(b, scene_b)?);
    let limits = args.finding.cost.limits();
    inputs.iter().for_each(|input| limits.reads(input.size()));
    let report = diff_within(checked_a, checked_b, &options, &limits).map_err(|over| anyhow!("{over}"))?;
    let pairs = match &args.picture {
        Some(file) => {
            let pairs = compare(&Stage::new(checked_a), &Stage::new(checked_b), args.picture_size)?;
            if let Some(file) = file {
                let labels = names::labels([a.name.as_str(), b.name.as_str()].into_iter());
                let sheet = side_by_side(&pairs, [&labels[0], &labels[1]])?;
                output::write_file(file, &png(&sheet)?)?;
            }
            Some(pairs)
        }
        None => None,
    };
    if args.json {
        let mut json = report.to_json();
        if let (Some(pairs), Some(fields)) = (&pairs, json.as_object_mut()) {
            fields.insert("picture".to_owned(), picture_json(pairs));
        }
        output::print_json(&json)?;
    } else {
        let pictures = pairs.as_deref().map(picture_text).unwrap_or_default();
        output::print(&(text(&report, a, b) + &pictures))?;
    }
    Ok(if report.is_equal() { Exit::Fine } else { Exit::Wrong })
}

fn picture_json(pairs: &[Pair]) -> Value {
    let views: Vec<Value> =
        pairs.iter().map(|pair| json!({ "view": pair.name, "difference": pair.difference })).collect();
    json!({ "difference": mean(pairs), "views": views })
}

fn picture_text(pairs: &[Pair]) -> String {
    let views: Vec<String> =
        pairs.iter().map(|pair| format!("{} {:.2}", pair.name, pair.difference)).collect();
    format!("pictures differ by {:.2} of 255 on the mean ({})\n", mean(pairs), views.join(", "))
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
    resolve_textures_within(&mut scene, options.files, &options.limits);
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
