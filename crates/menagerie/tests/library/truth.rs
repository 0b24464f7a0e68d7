//! What a new user tried, and what the report must say of it.

use crate::support::promises::Beside;
use crate::support::{TestFile, shared};
use menagerie::convert::{Conversion, ConvertOptions, convert};
use menagerie::diag::{Aspect, LossKind};
use menagerie::diff::{DiffOptions, DiffReport, diff};
use menagerie::formats::{Format, ReadOptions};
use menagerie::ops::Op;
use menagerie::scene::{Pose, Scene, assert_scene};

fn format(id: &str) -> &'static Format {
    Format::by_id(id).expect("a format")
}

/// A file of the shared corpus; `None` where that is not there.
fn file(path: &str) -> Option<TestFile> {
    let path = shared()?.join("corpus").join(path);
    Some(TestFile::load(path))
}

fn converted(bytes: &[u8], name: &str, to: &str, options: &ConvertOptions<'_>) -> Conversion {
    convert(bytes, Some(name), format(to), options)
        .unwrap_or_else(|failed| panic!("{name}: {:?}", failed.issues))
}

fn read_back(done: &Conversion) -> Scene {
    let beside = Beside(&done.output);
    let mut options = ReadOptions::default();
    options.files = &beside;
    done.to.open(&done.output.bytes, &options).model.expect("a model").lift(&options).expect("a Scene").scene
}

fn against_source(done: &Conversion) -> DiffReport {
    let source = done.scene.as_ref().expect("the Scene that was lowered");
    diff(assert_scene(source), assert_scene(&read_back(done)), &DiffOptions::default())
}

#[test]
fn a_box_man_that_was_cut_off_is_damaged_and_nothing_else() {
    let Some(file) = file("real/bmd/boxman0.bmd") else { return };
    let done = converted(&file.bytes[..9000], "t.bmd", "gltf", &ConvertOptions::default());
    let damage: Vec<_> = done.losses.losses().filter(|loss| loss.kind == LossKind::Damaged).collect();
    assert!(damage.iter().any(|loss| loss.message.contains("570 of 570 triangles")), "{damage:?}");
    let mut strict = ConvertOptions::default();
    strict.strict = true;
    assert!(convert(&file.bytes[..9000], Some("t.bmd"), format("gltf"), &strict).is_err());
}

#[test]
fn meshes_whose_entities_are_gone_are_shown_and_that_is_added() {
    let Some(file) = file("real/dgl2/level_001/level.dgl2") else { return };
    let half = &file.bytes[..file.bytes.len() * 9 / 10];
    let done = converted(half, "level.dgl2", "gltf", &ConvertOptions::default());
    assert!(done.losses.losses().any(|loss| loss.kind == LossKind::Damaged), "{:?}", done.losses);
    let shown = done.losses.additions().filter(|loss| loss.aspect == Aspect::Hierarchy).count();
    assert!(shown > 0, "{:?}", done.losses);
    let back = read_back(&done);
    let held: std::collections::BTreeSet<_> = back.nodes.values().filter_map(|node| node.mesh).collect();
    assert_eq!(held.len(), back.meshes.len(), "every mesh hangs on a node");
}

#[test]
fn levels_that_were_asked_for_are_no_loss() {
    let Some(file) = file("attack/Duck.glb") else { return };
    let plain = converted(&file.bytes, "Duck.glb", "bmd", &ConvertOptions::default());
    let mut options = ConvertOptions::default();
    options.ops = vec![Op::Levels(vec![0.5])];
    let with_levels = converted(&file.bytes, "Duck.glb", "bmd", &options);
    let kinds = |done: &Conversion| -> std::collections::BTreeSet<Aspect> {
        done.losses.losses().map(|loss| loss.aspect).collect()
    };
    assert!(kinds(&with_levels).is_subset(&kinds(&plain)), "{:?}", with_levels.losses);
    assert!(with_levels.losses.requested().next().is_some());
}

#[test]
fn unnamed_siblings_that_changed_their_order_did_not_move() {
    let Some(file) = file("attack/Duck.glb") else { return };
    let done = converted(&file.bytes, "Duck.glb", "bo3d", &ConvertOptions::default());
    let report = against_source(&done);
    assert!(report.first(Aspect::Transforms).is_none(), "{report:?}");
}

#[test]
fn mirrored_nodes_keep_their_faces_outward() {
    let Some(file) = file("real/gltf/NegativeScaleTest.glb") else { return };
    let mut options = ConvertOptions::default();
    options.rebuild = true;
    for to in ["bmd", "bogle", "dgl2", "bo3d", "das2", "obj", "stl", "ply", "gltf"] {
        let done = converted(&file.bytes, "NegativeScaleTest.glb", to, &options);
        let report = against_source(&done);
        let turned =
            report.differences.iter().find(|difference| difference.message.contains("face the other way"));
        assert!(turned.is_none(), "{to}: {turned:?}");
    }
}

#[test]
fn what_the_one_rule_finds_of_a_crate_is_what_the_report_says() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/made/gltf/crate.glb");
    let file = TestFile::load(path);
    for to in ["bmd", "bogle", "dgl2", "bo3d", "das2"] {
        let done = converted(&file.bytes, "crate.glb", to, &ConvertOptions::default());
        let report = against_source(&done);
        assert_eq!(report.unannounced(&done.losses).count(), 0, "{to}");
        let unseen: Vec<_> = report.unseen(&done.losses).collect();
        assert!(unseen.is_empty(), "{to}: {unseen:?}");
    }
}

#[test]
fn texture_coordinates_are_turned_for_every_source() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/made/gltf/crate.glb");
    let file = TestFile::load(path);
    let plain = read_back(&converted(&file.bytes, "crate.glb", "das2", &ConvertOptions::default()));
    let mut options = ConvertOptions::default();
    options.flip_v = true;
    let turned = read_back(&converted(&file.bytes, "crate.glb", "das2", &options));
    let uvs = |scene: &Scene| scene.meshes.values().next().expect("a mesh").primitives[0].uvs[0].clone();
    for ([u, v], [s, t]) in uvs(&plain).into_iter().zip(uvs(&turned)) {
        assert!((u - s).abs() < 1e-6 && (1.0 - v - t).abs() < 1e-6, "{u} {v} and {s} {t}");
    }
}

/// A model looks the same way in whatever format it goes through: the middle of its vertices, measured from the middle
/// of its box, stays on the side where the Scene has it.
#[test]
fn fronts_turn_with_ups() {
    let lopsided = |scene: &Scene| {
        let pose = Pose::rest(scene);
        let bounds = pose.bounds(scene).expect("bounds");
        let mut sum = glam::DVec3::ZERO;
        let mut count = 0.0;
        for id in menagerie::scene::drawn_nodes(scene, menagerie::scene::Hidden::LeftOut) {
            let mesh = scene.nodes[id].mesh.map(|mesh| &scene.meshes[mesh]);
            for primitive in mesh.into_iter().flat_map(|mesh| &mesh.primitives) {
                let places = pose.positions(scene, id, primitive);
                for corner in &primitive.indices {
                    sum += places[*corner as usize].as_dvec3();
                    count += 1.0;
                }
            }
        }
        (sum / count).as_vec3() - (bounds.min + bounds.max) / 2.0
    };
    for path in ["real/gltf/Fox.glb", "real/bo3d/ninja.bo3d", "real/bmd/chicken1.bmd"] {
        let Some(file) = file(path) else { return };
        for to in ["bmd", "bogle", "dgl2", "bo3d", "das2", "obj", "stl", "ply", "gltf"] {
            let mut options = ConvertOptions::default();
            options.rebuild = true;
            let done = converted(&file.bytes, &file.name(), to, &options);
            let (before, after) =
                (lopsided(done.scene.as_ref().expect("a Scene")), lopsided(&read_back(&done)));
            let size = before.length().max(1e-3);
            assert!((before - after).length() < 0.05 * size, "{path} to {to}: {before} and {after}");
        }
    }
}

#[test]
fn the_ninja_keeps_its_three_hundred_frames_in_bmd() {
    let Some(file) = file("real/bo3d/ninja.bo3d") else { return };
    let done = converted(&file.bytes, "ninja.bo3d", "bmd", &ConvertOptions::default());
    let back = read_back(&done);
    assert_eq!(back.animations.len(), 1, "the parts are one again");
    let parts = done.to.open(&done.output.bytes, &ReadOptions::default()).model.expect("a model").summary();
    assert!(format!("{parts:?}").contains("animations"), "{parts:?}");
    let report = against_source(&done);
    let moved = report.differences.iter().find(|difference| difference.message == "vertices move elsewhere");
    // Nine units tall: what is left is packing.
    let farthest = moved.and_then(|moved| moved.error).map_or(0.0, |(stats, _)| stats.max);
    assert!(farthest < 0.3, "{farthest}");
}

/// Nodes that move, one below another, in the format that moves only bones.
#[test]
fn nodes_below_nodes_move_in_bogle() {
    let Some(file) = file("real/gltf/BoxAnimated.glb") else { return };
    let mut source = converted(&file.bytes, "BoxAnimated.glb", "gltf", &ConvertOptions::default());
    let mut options = ConvertOptions::default();
    options.rebuild = true;
    source = converted(&source.output.bytes, "a.glb", "gltf", &options);
    let mut scene = source.scene.expect("a Scene");
    // The moving box carries the one that stood still.
    let carrier = scene.animations[0].channels[0].node;
    let root = scene.scenes[0].roots.clone();
    let still = root.into_iter().find(|id| scene.nodes[*id].mesh.is_some()).expect("the outer box");
    scene.scenes[0].roots.retain(|id| *id != still);
    scene.nodes[carrier].children.push(still);
    let (back, _) = crate::support::through("bogle", &scene);
    let report = diff(assert_scene(&scene), assert_scene(&back), &DiffOptions::default());
    let moved = report.differences.iter().find(|difference| difference.message == "vertices move elsewhere");
    assert!(moved.is_none(), "{moved:?}");
    assert!(back.skins.is_empty(), "bones that were added are folded");
}
