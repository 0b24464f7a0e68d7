//! `info`: what is in a file, at a glance.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use glam::Vec3;
use menagerie::convert::{TextureStatus, resolve_textures_within};
use menagerie::diag::loss::ErrorStats;
use menagerie::diag::{Issue, Issues, Severity, plain};
use menagerie::formats::{Format, Packing, ReadOptions, Summary, locate};
use menagerie::ops::{Measure, drawn, measure};
use menagerie::scene::{Bounds, Hidden, NodeId, Pose, Scene};
use menagerie_render::Picture;
use serde_json::{Map, Value, json};

use super::render::all_around;
use crate::exit::Exit;
use crate::inputs::{self, Input};
use crate::json::float;
use crate::manifest::hash;
use crate::opened::{self, Opened};
use crate::options::{Finding, positive};
use crate::streamed::{self, Large};
use crate::terminal::Protocol;
use crate::terminal_use::is_verbose;
use crate::{batch, json, output};

/// Show what is in files: counts, size, bounds, axes, animations, textures found and missing, what was forgiven
#[derive(Args)]
pub(crate) struct InfoArgs {
    /// Files, patterns, folders (with -r), or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Take the models in folders and below
    #[arg(short, long)]
    recursive: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Frames a second, for formats that store frames without a rate
    #[arg(long, value_name = "N", value_parser = positive)]
    fps: Option<f32>,
    /// Measure area, volume and holes of large models too
    #[arg(long)]
    measure: bool,
    /// Show a picture of each model, on a terminal that can; nothing in a pipe
    #[arg(long, conflicts_with = "json")]
    picture: bool,
    #[command(flatten)]
    finding: Finding,
}

/// So many issues of one code are shown; --verbose shows all.
const SHOWN: usize = 3;

/// Surfaces of more triangles, those of every instance counted, are measured only where that is asked for: it takes
/// longer than all the rest.
const MOST_AT_A_GLANCE: u64 = 200_000;
/// Surfaces of more triangles are never measured.
const MOST_MEASURED: u64 = 50_000_000;

/// What was found out about one file.
pub(super) struct Report {
    pub(super) name: String,
    pub(super) format: Option<&'static Format>,
    pub(super) bytes: Option<usize>,
    pub(super) summary: Option<Summary>,
    packing: Vec<Packing>,
    pub(super) bounds: Option<Bounds>,
    surface: Option<Measure>,
    /// Whether the surface is too large to be measured without being asked.
    is_large: bool,
    pub(super) animations: Vec<(String, f32, usize)>,
    /// The levels of detail of meshes that have some: their name, and the triangles of each.
    pub(super) levels: Vec<(String, Vec<usize>)>,
    pub(super) textures: Vec<TextureStatus>,
    pub(super) issues: Vec<Issue>,
    /// Pictures of it all around, if they were asked for.
    pub(super) pictures: Vec<Picture>,
    /// The hash of its bytes, if that was asked for.
    pub(super) hash: Option<String>,
    /// What reading had to give up, in words.
    pub(super) damage: Vec<String>,
    /// Whether something had to be given up, or the file has errors.
    pub(super) damaged: bool,
    /// Why there is no more to say.
    pub(super) error: Option<String>,
}

/// What is to be found out about files.
pub(super) struct Wanted<'a> {
    pub(super) finding: &'a Finding,
    pub(super) fps: Option<f32>,
    /// Pictures of this size, so many all around.
    pub(super) pictures: Option<((u32, u32), usize)>,
    pub(super) hash: bool,
    /// Surfaces of up to so many triangles.
    pub(super) surface: u64,
}

pub(crate) fn run(args: &InfoArgs) -> Result<Exit> {
    let inputs = inputs::expand(&args.files, args.recursive);
    let terminal = if args.picture { Protocol::detect() } else { None };
    let wanted = Wanted {
        finding: &args.finding,
        fps: args.fps,
        pictures: terminal.map(|terminal| (terminal.size(), 1)),
        hash: false,
        surface: if args.measure { MOST_MEASURED } else { MOST_AT_A_GLANCE },
    };
    let reports = batch::run(&inputs, |input| report(input, &wanted));
    if args.json {
        output::print_json(&reports.iter().map(Report::to_json).collect())?;
    } else {
        print_text(&reports, terminal)?;
    }
    for (name, error) in reports.iter().filter_map(|r| Some((&r.name, r.error.as_ref()?))) {
        output::message(format_args!("error: {name}: {error}"));
    }
    Ok(reports.iter().map(Report::exit).collect())
}

/// Finds out about one file.
pub(super) fn report(input: &Input, wanted: &Wanted<'_>) -> Report {
    let mut report = Report {
        name: input.name.clone(),
        format: None,
        bytes: None,
        summary: None,
        packing: Vec::new(),
        bounds: None,
        surface: None,
        is_large: false,
        animations: Vec::new(),
        levels: Vec::new(),
        textures: Vec::new(),
        issues: Vec::new(),
        pictures: Vec::new(),
        hash: None,
        damage: Vec::new(),
        damaged: false,
        error: None,
    };
    let folders = opened::folders(input, wanted.finding);
    let mut options = opened::read_options(&folders, wanted.finding);
    options.fps = wanted.fps;
    options.shape_only = wanted.pictures.is_none();
    if let Some(large) = streamed::open(input, wanted.finding) {
        report.fill_from_pieces(large, &options, wanted);
        return report;
    }
    match opened::open(input, wanted.finding, &options) {
        Ok(opened) => report.fill(opened, &options, wanted),
        Err(error) => report.error = Some(error),
    }
    report
}

impl Report {
    fn fill(&mut self, opened: Opened, options: &ReadOptions<'_>, wanted: &Wanted<'_>) {
        let Opened { bytes, format, model, mut issues } = opened;
        self.hash = wanted.hash.then(|| hash(&bytes));
        self.format = format;
        self.bytes = Some(bytes.len());
        // What the model needs of the file it holds itself.
        drop(bytes);
        if let Some(model) = model {
            self.summary = Some(model.summary());
            self.packing = model.packing();
            match model.lift(options) {
                Ok(mut lifted) => {
                    issues.append(lifted.issues);
                    self.fill_from_scene(&mut lifted.scene, options, wanted);
                }
                Err(issue) => issues.push(issue),
            }
            locate(model.as_ref(), &options.limits, &mut issues);
        } else {
            self.error = Some(match issues.iter().find(|issue| issue.severity == Severity::Error) {
                Some(issue) => format!("cannot be read: {issue} [{}]", issue.code),
                None => "cannot be read".to_owned(),
            });
        }
        self.keep(issues);
    }

    /// Keeps what was found, and what that says of the file.
    fn keep(&mut self, issues: Issues) {
        self.damage = issues.damage().map(ToString::to_string).collect();
        self.damaged = issues.is_damaged();
        self.issues = issues.into_sorted();
    }

    /// Of a large file, which is never in memory as a whole.
    fn fill_from_pieces(&mut self, mut large: Large, options: &ReadOptions<'_>, wanted: &Wanted<'_>) {
        self.format = Some(large.format);
        self.bytes = usize::try_from(large.length).ok();
        let Some(stream) = large.format.stream else { return };
        match stream(&mut large.file, Some(large.length), options) {
            Ok(mut streamed) => {
                self.summary = Some(streamed.summary);
                self.fill_from_scene(&mut streamed.scene, options, wanted);
                streamed.issues.extend(large.warning);
                self.keep(streamed.issues);
            }
            Err(issue) => {
                self.error = Some(format!("cannot be read: {issue} [{}]", issue.code));
                self.issues.push(issue);
            }
        }
    }

    fn fill_from_scene(&mut self, scene: &mut Scene, options: &ReadOptions<'_>, wanted: &Wanted<'_>) {
        let hidden = self.format.map_or(Hidden::LeftOut, |format| format.hidden);
        let bounds = Pose::rest(scene).bounds_with(scene, hidden);
        self.bounds = bounds.zip(self.format).map(|(bounds, format)| in_own_axes(bounds, format));
        let (_, triangles) = drawn(scene);
        self.is_large = triangles > wanted.surface;
        if (1..=wanted.surface).contains(&triangles) {
            // Triangles of the file that the Scene does not draw have no surface.
            self.surface = Some(measure(scene)).filter(|surface| surface.triangles > 0);
        }
        let animations = scene.animations.iter();
        self.animations = animations.map(|a| (a.name.clone(), a.seconds(), a.channels.len())).collect();
        self.levels = levels(scene);
        self.textures = resolve_textures_within(scene, options.files, &options.limits);
        self.textures.extend(embedded(scene));
        self.textures.sort_by_key(|texture| texture.image);
        if let Some((size, count)) = wanted.pictures {
            self.pictures = all_around(scene, size, count).unwrap_or_default();
        }
    }

    pub(super) fn exit(&self) -> Exit {
        match (&self.error, self.damaged) {
            (Some(_), _) => Exit::CouldNot,
            (None, true) => Exit::Wrong,
            (None, false) => Exit::Fine,
        }
    }

    pub(super) fn to_json(&self) -> Value {
        let contents: Map<String, Value> = match &self.summary {
            Some(summary) => {
                summary.contents.iter().map(|(name, n)| ((*name).to_owned(), json!(n))).collect()
            }
            None => Map::new(),
        };
        let corner = |v: [f32; 3]| -> Value { v.into_iter().map(float).collect() };
        let mut value = json!({
            "file": self.name,
            "format": self.format.map(|format| format.id),
            "profile": self.summary.as_ref().and_then(|summary| summary.profile),
            "bytes": self.bytes,
            "contents": contents,
            "geometry": self.summary.as_ref().map(|summary| {
                json!({ "vertices": summary.vertices, "triangles": summary.triangles })
            }),
            "bounds": self.bounds.map(|bounds| {
                json!({ "min": corner(bounds.min.to_array()), "max": corner(bounds.max.to_array()) })
            }),
            "surface": self.surface.map(|surface| json!({
                "welded_vertices": surface.welded_vertices,
                "watertight": surface.is_watertight(),
                "open_edges": surface.open_edges,
                "area": surface.area,
                "volume": surface.volume,
            })),
            "axes": self.format.map(axes),
            "animations": self.animations.iter().map(|(name, seconds, channels)| {
                json!({ "name": name, "seconds": float(*seconds), "channels": channels })
            }).collect::<Value>(),
            "textures": json::textures(&self.textures),
            "issues": json::issues(&self.issues),
        });
        if let (false, Some(fields)) = (self.packing.is_empty(), value.as_object_mut()) {
            fields.insert("packing".to_owned(), self.packing.iter().map(packing).collect());
        }
        if let (Some(error), Some(fields)) = (&self.error, value.as_object_mut()) {
            fields.insert("error".to_owned(), json!(error));
        }
        value
    }
}

/// How finely a mesh is packed, as JSON.
fn packing(packing: &Packing) -> Value {
    let error = |stats: &ErrorStats| match stats.count {
        0 => Value::Null,
        _ => json!({ "max": stats.max, "mean": stats.mean() }),
    };
    json!({
        "path": packing.path,
        "bits": packing.bits,
        "step": float(packing.step),
        "position_error": error(&packing.position),
        "normal_error": error(&packing.normal),
        "uv_error": error(&packing.uv),
    })
}

/// The levels of detail of each node that has some, by their triangles, from the most detailed on.
fn levels(scene: &Scene) -> Vec<(String, Vec<usize>)> {
    let of_node = |id: NodeId| {
        let primitives = scene.nodes[id].mesh.into_iter().flat_map(|mesh| &scene.meshes[mesh].primitives);
        primitives.map(|primitive| primitive.triangles().len()).sum::<usize>()
    };
    let of_tree = |root: NodeId| {
        let (mut open, mut sum) = (vec![root], 0);
        while let Some(id) = open.pop() {
            sum += of_node(id);
            open.extend(&scene.nodes[id].children);
        }
        sum
    };
    let with_levels = scene.nodes.iter().filter(|(_, node)| !node.lods.is_empty());
    let listed = with_levels.map(|(id, node)| {
        let name = if node.name.is_empty() { format!("nodes[{}]", id.index()) } else { node.name.clone() };
        let coarser = node.lods.iter().map(|lod| of_tree(lod.node));
        (name, std::iter::once(of_tree(id)).chain(coarser).collect())
    });
    listed.collect()
}

/// The pictures that are inside the file and have no file name.
fn embedded(scene: &Scene) -> impl Iterator<Item = TextureStatus> {
    scene.images.iter().filter(|(_, image)| image.uri.is_none() && image.data.is_some()).map(|(id, image)| {
        let name = match image.name.as_str() {
            "" => format!("images[{}]", id.index()),
            name => name.to_owned(),
        };
        TextureStatus { image: id.index(), name, found: true, tried: Vec::new(), reason: String::new() }
    })
}

/// The directions of a format as JSON.
pub(super) fn axes(format: &Format) -> Value {
    let axes = &format.axes;
    json!({ "up": axes.up, "front": axes.front, "handedness": axes.handedness })
}

/// Bounds of the Scene as the file itself would give them.
fn in_own_axes(bounds: Bounds, format: &Format) -> Bounds {
    let back = format.axes.turn.inverse();
    // A zero that was turned round is a zero.
    let (a, b) = (back.vec3(bounds.min) + Vec3::ZERO, back.vec3(bounds.max) + Vec3::ZERO);
    Bounds { min: a.min(b), max: a.max(b) }
}

fn print_text(reports: &[Report], terminal: Option<Protocol>) -> Result<()> {
    for report in reports.iter().filter(|report| report.error.is_none()) {
        let mut text = String::new();
        report.write(&mut text);
        output::print(&text)?;
        if let (Some(picture), Some(terminal)) = (report.pictures.first(), terminal) {
            output::print_colored(&terminal.show(picture)?)?;
        }
        output::print("\n")?;
    }
    output::print(&summary(reports))
}

fn summary(reports: &[Report]) -> String {
    let mut text = String::new();
    if reports.len() > 1 {
        let unread = reports.iter().filter(|report| report.error.is_some()).count();
        let bytes: usize = reports.iter().filter_map(|report| report.bytes).sum();
        let _ = write!(text, "{}, {bytes} bytes", output::count(reports.len(), "file", "files"));
        let _ = if unread > 0 { writeln!(text, ", {unread} could not be read") } else { writeln!(text) };
    }
    text
}

/// The lines about a file: each has a label and what there is to say.
struct Lines<'a>(&'a mut String);

impl Lines<'_> {
    fn add(&mut self, label: &str, value: &str) {
        let _ = writeln!(self.0, "  {label:10}  {}", plain(value));
    }
}

impl Report {
    fn write(&self, text: &mut String) {
        let (Some(format), Some(summary)) = (self.format, &self.summary) else { return };
        let _ = writeln!(text, "{}", self.name);
        let lines = &mut Lines(text);
        let profile = summary.profile.map(|profile| format!(" ({profile})")).unwrap_or_default();
        let bytes = self.bytes.unwrap_or_default();
        lines.add("format", &format!("{}{profile}, {bytes} bytes", format.name));
        self.write_contents(summary, lines);
        self.packing.iter().for_each(|mesh| lines.add("packing", &packing_words(mesh)));
        if let Some(surface) = &self.surface {
            lines.add("surface", &surface_words(surface));
        } else if self.is_large {
            lines.add("surface", "not measured; --measure does");
        }
        let axes = &format.axes;
        let (up, front, handedness) = (axes.up, axes.front, axes.handedness);
        lines.add("axes", &format!("{up} up, front {front}, {handedness}-handed; unit {}", format.unit));
        self.write_parts(lines);
        self.write_textures(lines);
        self.write_issues(lines);
    }

    fn write_contents(&self, summary: &Summary, lines: &mut Lines<'_>) {
        let contents = summary.contents.iter().filter(|(_, n)| *n > 0);
        let contents: Vec<String> =
            contents.map(|(name, n)| output::count_of(*n, &name.replace('_', " "))).collect();
        lines.add(
            "contents",
            if contents.is_empty() { "nothing".to_owned() } else { contents.join(", ") }.as_str(),
        );
        if !self.damage.is_empty() {
            lines.add("damaged", &self.damage.join(", "));
        }
        let vertices = output::count(summary.vertices, "vertex", "vertices");
        let triangles = output::count(summary.triangles, "triangle", "triangles");
        lines.add("geometry", &format!("{vertices}, {triangles}"));
        if let Some(Bounds { min, max }) = self.bounds {
            let size = max - min;
            lines.add("bounds", &format!("{min:.3} to {max:.3}, size {size:.3}"));
        }
    }

    /// The animations and the levels of detail.
    fn write_parts(&self, lines: &mut Lines<'_>) {
        for (name, seconds, channels) in &self.animations {
            let name = if name.is_empty() { "(no name)" } else { name };
            let channels = output::count(*channels, "channel", "channels");
            lines.add("animation", &format!("{name}: {seconds:.3} s, {channels}"));
        }
        for (name, triangles) in &self.levels {
            let triangles: Vec<String> = triangles.iter().map(usize::to_string).collect();
            lines.add("levels", &format!("{name}: {} triangles", triangles.join(", ")));
        }
    }

    fn write_textures(&self, lines: &mut Lines<'_>) {
        for texture in &self.textures {
            if texture.found {
                lines.add("texture", &format!("{}: found", texture.name));
                continue;
            }
            lines.add("texture", &format!("{}: missing, {}", texture.name, texture.reason));
            for place in &texture.tried {
                lines.add("", &format!("  tried {place}"));
            }
        }
    }

    fn write_issues(&self, lines: &mut Lines<'_>) {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for issue in &self.issues {
            let count = seen.entry(issue.code.id).or_default();
            *count += 1;
            if *count <= SHOWN || is_verbose() {
                lines.add(issue.severity.name(), &format!("{issue} [{}]", issue.code));
            }
        }
        for (code, count) in seen.into_iter().filter(|(_, count)| *count > SHOWN && !is_verbose()) {
            lines.add("", &format!("… {} more of {code}", count - SHOWN));
        }
    }
}

fn packing_words(mesh: &Packing) -> String {
    let bits: Vec<String> = mesh.bits.iter().map(usize::to_string).collect();
    let mut words = format!("{}: {}-bit vertices, steps of {}", mesh.path, bits.join("/"), mesh.step);
    for (what, stats, unit) in [
        ("positions", &mesh.position, ""),
        ("normals", &mesh.normal, "°"),
        ("texture coordinates", &mesh.uv, ""),
    ] {
        if stats.count > 0 {
            let _ = write!(words, "; {what} ±{:.4}{unit} (mean {:.4}{unit})", stats.max, stats.mean());
        }
    }
    words
}

fn surface_words(surface: &Measure) -> String {
    let holes = match surface.open_edges {
        0 if surface.is_watertight() => "watertight".to_owned(),
        0 => format!("not watertight: {} edges have more than two triangles", surface.crowded_edges),
        open => format!("not watertight: {open} open edges"),
    };
    let (welded, area, volume) = (surface.welded_vertices, surface.area, surface.volume);
    format!("{welded} welded vertices, area {area:.3}, volume {volume:.3}, {holes}")
}
