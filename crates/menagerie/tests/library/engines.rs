//! What is written is right in the original engines too: every model of the corpus in each of the five formats, checked
//! by the engines' own rules, and posed by their formulas.

use std::collections::BTreeMap;

use crate::support::{TestFile, own, real};
use glam::Vec3;
use menagerie::convert::{Conversion, ConvertOptions, convert};
use menagerie::formats::engine::pose_errors;
use menagerie::formats::{ALL, Format, Purpose, ReadOptions};
use menagerie::open::Folders;
use menagerie::scene::{Hidden, Pose, Scene, drawn_nodes};

const ENGINES: [&str; 5] = ["bogle", "bmd", "dgl2", "bo3d", "das2"];

/// Rules that some models cannot keep in a format, and why.
const UNAVOIDABLE: &[(&str, &str)] = &[
    (
        "bmd/engine-scale-keys",
        "BMD's engine reads scale keys and does not use them; there is no other way to move so (E10)",
    ),
    ("bmd/engine-pose", "what scale keys move is elsewhere in the engine (E10)"),
];

fn models() -> Vec<(&'static Format, TestFile)> {
    let files = |format: &&'static Format| {
        let format = *format;
        real(format)
            .into_iter()
            .chain(own("made", format))
            .map(move |file| (format, file))
            .collect::<Vec<_>>()
    };
    ALL.iter().flat_map(files).collect()
}

fn written(
    file: &TestFile,
    from: &'static Format,
    to: &'static Format,
    purpose: Purpose,
) -> Option<Conversion> {
    let folders = Folders::new(file.path.parent(), &[], &[]);
    let mut options = ConvertOptions::default();
    options.read.files = &folders;
    options.from = Some(from);
    options.write.purpose = purpose;
    options.write.stem = file.stem();
    if to.id == "das2" {
        options.write.settings.set("das2-profile", "libdas2");
    }
    convert(&file.bytes, Some(&file.name()), to, &options).ok()
}

/// Files of other formats break no rule of an engine, or one that cannot be kept.
#[test]
fn no_rule_of_an_engine_is_broken() {
    let mut broken: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    let mut kept: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for to in ENGINES.map(|id| Format::by_id(id).expect("a format")) {
        for (from, file) in models().into_iter().filter(|(from, _)| *from != to) {
            let Some(done) = written(&file, from, to, Purpose::Both) else { continue };
            let issues: Vec<_> = done
                .engine
                .iter()
                .filter(|issue| issue.severity != menagerie::diag::Severity::Info)
                .collect();
            let count = kept.entry(to.id).or_default();
            count.1 += 1;
            count.0 += usize::from(issues.is_empty());
            for issue in issues {
                let avoidable = UNAVOIDABLE.iter().all(|(code, _)| *code != issue.code.id);
                if avoidable {
                    let what = format!("{}: {issue}", file.name());
                    broken.entry((to.id, issue.code.id)).or_default().push(what);
                }
            }
        }
    }
    for (format, (good, all)) in &kept {
        println!("{format}: {good} of {all} files break no rule of the engine");
    }
    let rows = broken.iter().map(|((_, code), list)| {
        let shown: Vec<&str> = list.iter().map(String::as_str).take(8).collect();
        format!("{code} × {}\n    {}", list.len(), shown.join("\n    "))
    });
    let rows: Vec<String> = rows.collect();
    assert!(rows.is_empty(), "{}", rows.join("\n"));
}

/// The Scene that the engine shows of a result.
fn in_engine(done: &Conversion) -> Option<Scene> {
    let options = ReadOptions::default();
    let model = done.to.open(&done.output.bytes, &options).model?;
    Some(model.lift_as_engine(&options).ok()??.scene)
}

/// The Scene that the document describes.
fn by_document(done: &Conversion) -> Option<Scene> {
    let options = ReadOptions::default();
    Some(done.to.open(&done.output.bytes, &options).model?.lift(&options).ok()?.scene)
}

/// Where all that is drawn has its vertices at a moment of an animation.
fn places(scene: &Scene, animation: Option<usize>, seconds: f32) -> Vec<Vec3> {
    let animation = animation.and_then(|index| scene.animations.get(index));
    let pose = animation.map_or_else(|| Pose::rest(scene), |a| Pose::at(scene, a, seconds));
    let mut places = Vec::new();
    for id in drawn_nodes(scene, Hidden::LeftOut) {
        let mesh = scene.nodes[id].mesh.map(|mesh| &scene.meshes[mesh]);
        for primitive in mesh.into_iter().flat_map(|mesh| &mesh.primitives) {
            let all = pose.positions(scene, id, primitive);
            places.extend(primitive.indices.iter().map(|i| all[*i as usize]));
        }
    }
    places.sort_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)).then(a.z.total_cmp(&b.z)));
    places.dedup();
    places
}

/// How far the farthest vertex of the source is from the nearest that the engine shows, at rest and at ten times of
/// every animation that the engine has, as a part of the model's size.
fn against_source(source: &Scene, engine: &Scene) -> f32 {
    let size = Pose::rest(source).bounds(source).map_or(1.0, |bounds| bounds.diagonal());
    let at = |animation: Option<usize>, seconds: f32| {
        let (was, is) = (places(source, animation, seconds), places(engine, animation, seconds));
        let nearest = |p: &Vec3| is.iter().map(|q| p.distance_squared(*q)).fold(f32::INFINITY, f32::min);
        was.iter().map(nearest).fold(0.0, f32::max).sqrt()
    };
    let both = source.animations.iter().zip(&engine.animations).enumerate();
    let moments = both.flat_map(|(i, (animation, _))| {
        let last = animation.seconds();
        (0..10).map(move |moment| (Some(i), last * moment as f32 / 9.0))
    });
    let moments = moments.chain([(None, 0.0)]);
    moments.map(|(animation, seconds)| at(animation, seconds)).fold(0.0, f32::max) / size
}

/// How far the engine's poses are from those of our own reading: vertex by vertex where both have the same nodes, else by
/// the nearest.
fn against_document(document: &Scene, engine: &Scene) -> f32 {
    if document.nodes.len() != engine.nodes.len() {
        return against_source(document, engine);
    }
    pose_errors(document, engine).iter().map(|error| error.error).fold(0.0, f32::max)
}

/// The report names an error as large as this part of the model's size.
fn is_named(done: &Conversion, far: f32, what: &str) {
    let Some(source) = &done.scene else { return };
    let size = Pose::rest(source).bounds(source).map_or(1.0, |bounds| bounds.diagonal());
    let in_units = |(stats, unit): (menagerie::diag::loss::ErrorStats, &str)| {
        if unit == "scene units" { stats.max } else { 0.0 }
    };
    let named = done.losses.losses().filter_map(|loss| loss.error).map(in_units).fold(0.0, f64::max);
    let found = f64::from(far * size);
    assert!(named >= found * 0.95 - 1e-3 * f64::from(size), "{what}: {found} units off, {named} named");
}

/// Models whose poses are in the table of `docs/engines.md`.
const POSED: [&str; 13] = [
    "creature.glb",
    "lantern.glb",
    "Fox.glb",
    "RiggedSimple.glb",
    "SimpleSkin.gltf",
    "BoxAnimated.glb",
    "ninja.bo3d",
    "chicken1.bmd",
    "suzanne_rig.bgl",
    "skinned.bgl",
    "blender_poses.bgl",
    "InterpolationTest.glb",
    "tube_lod_skin_l0.das2",
];

/// The engine's pose of what was written against what our own reading of it gives, at rest and at ten times of every
/// animation: the largest error as a part of the model's size, as `docs/engines.md` has it. libdas2 reads no channel as
/// it was written, so it is not in the table.
#[test]
fn the_engines_pose_as_the_table_says() {
    if crate::support::shared().is_none() {
        return;
    }
    let formats = ["bogle", "bmd", "bo3d"].map(|id| Format::by_id(id).expect("a format"));
    let mut table = String::from("| model | BOGLE | BMD | BO3D |\n|---|---|---|---|\n");
    for (from, file) in models().into_iter().filter(|(_, file)| POSED.contains(&file.name().as_str())) {
        let errors = formats.map(|to| {
            if to == from {
                return "its own".to_owned();
            }
            let done = written(&file, from, to, Purpose::Both);
            let source = done.as_ref().and_then(|done| done.scene.as_ref().zip(in_engine(done)));
            let far = source.map_or(0.0, |(source, engine)| against_source(source, &engine));
            if let Some(done) = &done {
                is_named(done, far, &format!("{} to {}", file.name(), to.name));
            }
            let scenes = done.and_then(|done| by_document(&done).zip(in_engine(&done)));
            let worst = scenes.map_or(0.0, |(document, engine)| against_document(&document, &engine));
            let number = |x: f32| if x < 1e-4 { "below 0.0001".to_owned() } else { format!("{x:.4}") };
            format!("{}; {}", number(worst), number(far))
        });
        table += &format!("| {} | {} |\n", file.name(), errors.join(" | "));
    }
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/engines.md");
    let page = std::fs::read_to_string(page).expect("docs/engines.md");
    assert!(page.contains(&table), "docs/engines.md is stale; the table is now\n{table}");
}
