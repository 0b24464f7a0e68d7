//! BO3D: what the reader finds, what a change costs, where the Scene puts things, and the way back.

use crate::support::{TestFile, own, real};
use glam::Vec3;
use menagerie::bytes::Limits;
use menagerie::diag::{Aspect, Issues, LossReport, Severity};
use menagerie::diff::{DiffOptions, diff};
use menagerie::formats::bo3d::{self, Entity, FORMAT, MeshData, Model, Triangle, VFloat, Vertex32, Vertices};
use menagerie::formats::engine::largest_pose_error;
use menagerie::formats::{FileModel as _, Purpose, ReadOptions, WriteOptions};
use menagerie::scene::{Pose, Scene, assert_scene};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

fn read(file: &TestFile) -> Model {
    bo3d::read(&file.bytes, &mut Issues::default()).unwrap_or_else(|issue| panic!("{}: {issue}", file.name()))
}

fn made(name: &str) -> TestFile {
    own("made", &FORMAT).into_iter().find(|file| file.stem() == name).expect(name)
}

/// The model in the words of the JSON files beside the corpus.
fn describe(model: &Model, bytes: usize) -> Value {
    json!({
        "file_bytes": bytes,
        "version": model.version,
        "vfloat_bits": model.vfloat.bits(),
        "entity_list_bytes": model.stated_list_bytes.map_or(bytes - 20 - model.trailing.len(), |n| n as usize),
        "trailing_bytes": model.trailing.len(),
        "entities": model.entities.iter().map(describe_entity).collect::<Vec<_>>(),
        "effective_parent": (0..model.entities.len())
            .map(|i| model.effective_parent(i).map_or(-1, |parent| parent as i64))
            .collect::<Vec<_>>(),
    })
}

fn describe_entity(entity: &Entity) -> Value {
    let keys: Vec<Value> = entity
        .keys
        .iter()
        .map(|key| {
            let floats = key.position.iter().chain(&key.scale).chain(&key.rotation).map(|x| json!(x.get()));
            std::iter::once(json!(key.frame.get())).chain(floats).collect()
        })
        .collect();
    let mut value = json!({
        "name_bytes": entity.name,
        "name": entity.name_text(),
        "parent": entity.parent,
        "position": entity.position,
        "scale": entity.scale,
        "rotation_wxyz": entity.rotation,
        "anim_length": entity.anim_length,
        "keys": keys,
        "kind": if entity.mesh.is_some() { "mesh" } else { "pivot" },
        "extra_bytes": entity.surplus.len(),
    });
    if let Some(mesh) = &entity.mesh {
        let mesh = describe_mesh(mesh);
        value.as_object_mut().unwrap().extend(mesh.as_object().unwrap().clone());
    }
    value
}

fn describe_mesh(mesh: &MeshData) -> Value {
    let bones = mesh.bones.iter().map(
        |bone| json!({ "entity": bone.entity.get(), "first": bone.first.get(), "last": bone.last.get() }),
    );
    json!({
        "vertices": mesh.vertices.to_floats(),
        "vertex_count": mesh.vertices.len(),
        "triangle_count": mesh.triangles.len(),
        "triangles": mesh.triangles.iter().map(|t| t.0.map(|i| i.get())).collect::<Vec<_>>(),
        "vertex_colours": mesh.colours.iter().map(|c| c.0).collect::<Vec<_>>(),
        "texture": mesh.texture_text().unwrap_or_default(),
        "texture_bytes": mesh.texture,
        "colour_bytes": mesh.colour,
        "alpha": mesh.alpha,
        "fx": mesh.fx,
        "bones": bones.collect::<Vec<_>>(),
    })
}

/// Every value in `expected` is in `found`; numbers may differ by a rounding of their decimal form.
fn contains(expected: &Value, found: &Value, path: &str) {
    match (expected, found) {
        (Value::Null, _) => {}
        (Value::Object(expected), _) => {
            for (key, value) in expected.iter().filter(|(key, _)| *key != "note") {
                let found = found.get(key).unwrap_or_else(|| panic!("{path}.{key} is not found"));
                contains(value, found, &format!("{path}.{key}"));
            }
        }
        (Value::Array(expected), Value::Array(found)) => {
            assert_eq!(expected.len(), found.len(), "{path}");
            for (i, (expected, found)) in expected.iter().zip(found).enumerate() {
                contains(expected, found, &format!("{path}[{i}]"));
            }
        }
        (Value::Number(expected), Value::Number(found)) => {
            let (expected, found) = (expected.as_f64().unwrap(), found.as_f64().unwrap());
            assert_eq!(expected as f32, found as f32, "{path}");
        }
        _ => assert_eq!(expected, found, "{path}"),
    }
}

#[test]
fn the_reader_finds_every_expected_value() {
    for file in own("made", &FORMAT) {
        let mut expected = file.expected().expect("every made file has its values");
        // Checked by the tests of lifting, below.
        for derived in ["bind_world", "frame20_world", "world_positions"] {
            expected.as_object_mut().unwrap().remove(derived);
        }
        contains(&expected, &describe(&read(&file), file.bytes.len()), &file.name());
    }
}

#[test]
fn the_reader_finds_every_value_of_the_ninja() {
    for file in real(&FORMAT) {
        let expected = file.expected().expect("values");
        let model = read(&file);
        let map = model.byte_map();
        let sha = |path: &str| {
            let span = map.find(path).unwrap_or_else(|| panic!("{path}"));
            let hash = Sha256::digest(&file.bytes[span.range().unwrap()]);
            hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        };
        let summary = model.summary();
        let contents: serde_json::Map<String, Value> =
            summary.contents.iter().map(|(name, count)| ((*name).to_owned(), json!(count))).collect();
        for (name, total) in expected["totals"].as_object().unwrap() {
            let found = match name.as_str() {
                "vertices" => json!(summary.vertices),
                "triangles" => json!(summary.triangles),
                _ => contents[name].clone(),
            };
            assert_eq!(*total, found, "{name}");
        }
        for (i, (entity, expected)) in
            model.entities.iter().zip(expected["entities"].as_array().unwrap()).enumerate()
        {
            let span = map.find(&format!("entities[{i}]")).unwrap();
            assert_eq!(json!(span.start), expected["offset"], "entity {i}");
            assert_eq!(json!(span.len()), expected["size"], "entity {i}");
            assert_eq!(json!(entity.name_text()), expected["name"]);
            assert_eq!(json!(entity.keys.len()), expected["keyframes"]);
            let parent = model.effective_parent(i).map_or(-1, |parent| parent as i64);
            assert_eq!(json!(parent), expected["effective_parent"]);
            contains(&expected["rotation_wxyz"], &json!(entity.rotation), "rotation");
            contains(&expected["position"], &json!(entity.position), "position");
            if let Some(hash) = expected.get("keys_sha256") {
                assert_eq!(*hash, json!(sha(&format!("entities[{i}].keys"))));
            }
            if let Some(mesh) = &entity.mesh {
                assert_eq!(expected["vertices_sha256"], json!(sha(&format!("entities[{i}].vertices"))));
                assert_eq!(expected["triangles_sha256"], json!(sha(&format!("entities[{i}].triangles"))));
                assert_eq!(expected["texture"], json!(mesh.texture_text().unwrap()));
                let found = describe_mesh(mesh);
                let bones = expected["bones"].as_array().unwrap();
                for (expected, found) in bones.iter().zip(found["bones"].as_array().unwrap()) {
                    assert_eq!(expected["entity"], found["entity"]);
                    assert_eq!(expected["first"], found["first"]);
                    assert_eq!(expected["last"], found["last"]);
                }
            }
        }
    }
}

#[test]
fn changing_one_u_changes_only_its_bytes() {
    let mut files = own("made", &FORMAT);
    files.extend(real(&FORMAT));
    let mut changed = 0;
    for file in files {
        let mut model = read(&file);
        let map = model.byte_map();
        let Some((index, mesh)) =
            model.entities.iter_mut().enumerate().find_map(|(i, e)| Some((i, e.mesh.as_mut()?)))
        else {
            continue;
        };
        let last = mesh.vertices.len() - 1;
        match &mut mesh.vertices {
            Vertices::Half(vertices) => vertices[last].0[0] = half::f16::from_f32(0.123).to_bits().into(),
            Vertices::Full(vertices) => vertices[last].0[0] = 0.123.into(),
        }
        let span = map.find(&format!("entities[{index}].vertices[{last}].u")).unwrap().range().unwrap();
        let written = model.to_bytes();
        assert_eq!(written.len(), file.bytes.len());
        let differing: Vec<usize> = (0..written.len()).filter(|&i| written[i] != file.bytes[i]).collect();
        assert!(!differing.is_empty() && differing.iter().all(|at| span.contains(at)), "{}", file.name());
        changed += 1;
    }
    assert!(changed > 5);
}

#[test]
fn errors_name_entity_field_and_byte() {
    let mut model = read(&made("skinned16"));
    model.entities[0].mesh.as_mut().unwrap().bones[2].last = 900.into();
    let reading = FORMAT.open(&model.to_bytes(), &ReadOptions::default());
    let issue = reading.issues.iter().find(|issue| issue.code.id == "bo3d/bone-vertex-range").unwrap();
    let expected = "entities[0].bones[2].last: 900 is past the last vertex (11), at byte ";
    assert!(issue.to_string().starts_with(expected), "{issue}");
    let span = issue.span.unwrap();
    let bytes = model.to_bytes();
    assert_eq!(bytes[span.range().unwrap()], 900i32.to_le_bytes());
}

fn lifted(model: &Model) -> Scene {
    let scene = bo3d::lift(model, &ReadOptions::default()).scene;
    assert_scene(&scene);
    scene
}

/// The positions of all vertices of the first mesh.
fn first_mesh(scene: &Scene, pose: &Pose) -> Vec<Vec3> {
    let (id, node) = scene.nodes.iter().find(|(_, node)| node.mesh.is_some()).expect("a mesh");
    own_axes(pose.positions(scene, id, &scene.meshes[node.mesh.unwrap()].primitives[0]))
}

/// In the file's axes, as the values beside the files are.
fn own_axes(points: Vec<Vec3>) -> Vec<Vec3> {
    points.into_iter().map(|point| FORMAT.axes.turn.inverse().vec3(point)).collect()
}

fn near(found: &[Vec3], expected: &Value, tolerance: f32, what: &str) {
    let expected: Vec<[f32; 3]> = serde_json::from_value(expected.clone()).unwrap();
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!(
            found.distance(Vec3::from_array(expected)) < tolerance,
            "{what}[{i}]: {found} is not {expected:?}"
        );
    }
}

#[test]
fn skinned_vertices_are_where_they_belong() {
    let file = made("skinned16");
    let expected = file.expected().unwrap();
    let scene = lifted(&read(&file));
    near(&first_mesh(&scene, &Pose::rest(&scene)), &expected["bind_world"], 1e-5, "bind_world");
    let pose = Pose::at(&scene, &scene.animations[0], 20.0 / 12.0);
    near(&first_mesh(&scene, &pose), &expected["frame20_world"], 1e-5, "frame20_world");
}

#[test]
fn entities_are_where_they_belong() {
    let file = made("scene");
    let scene = lifted(&read(&file));
    let worlds: Vec<Vec3> =
        Pose::rest(&scene).worlds.iter().map(|world| world.transform_point3(Vec3::ZERO)).collect();
    near(&own_axes(worlds), &file.expected().unwrap()["world_positions"], 1e-5, "world_positions");
}

#[test]
fn stretched_parents_do_not_shear() {
    // A child that is turned below a stretched parent: the engine multiplies scales and never shears.
    let mut model = Model::default();
    model.entities.push(Entity { scale: [4.0, 1.0, 1.0], ..Entity::default() });
    let turned = [std::f32::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f32::consts::FRAC_1_SQRT_2];
    model.entities.push(Entity {
        parent: 0,
        rotation: turned,
        position: [1.0, 0.0, 0.0],
        ..Entity::default()
    });
    let scene = lifted(&model);
    let world = Pose::rest(&scene).worlds[1];
    // A quarter turn about z takes x to y; the factor of 4 stays with the child's own x axis.
    let world = FORMAT.axes.turn.inverse().matrix(world);
    assert!((world.transform_vector3(Vec3::X) - Vec3::new(0.0, 4.0, 0.0)).length() < 1e-5);
    assert!((world.transform_point3(Vec3::ZERO) - Vec3::new(4.0, 0.0, 0.0)).length() < 1e-5);
    let mut losses = LossReport::new();
    let back = bo3d::lower(assert_scene(&scene), &WriteOptions::default(), &mut losses);
    assert_eq!(back.entities, model.entities);
    assert!(losses.is_empty(), "{losses:?}");
}

#[test]
fn the_ninja_moves_as_it_should() {
    for file in real(&FORMAT) {
        let scene = lifted(&read(&file));
        let close = |a: Vec3, b: [f32; 3]| (a - Vec3::from_array(b)).abs().max_element() < 0.001;
        let rest = Pose::rest(&scene).bounds(&scene).unwrap();
        assert!(
            close(rest.min, [-1.526, 0.007, -0.718]) && close(rest.max, [1.526, 9.586, 4.152]),
            "{rest:?}"
        );
        for (frame, min, max) in [
            (1.0, [-2.020, 0.012, -2.350], [1.460, 9.276, 3.188]),
            (150.0, [-3.041, 6.195, -2.743], [1.524, 15.609, 4.462]),
            (300.0, [-2.942, -0.012, -2.489], [1.176, 8.736, 3.624]),
        ] {
            let bounds = Pose::at(&scene, &scene.animations[0], frame / 12.0).bounds(&scene).unwrap();
            assert!(close(bounds.min, min) && close(bounds.max, max), "frame {frame}: {bounds:?}");
        }
        assert_eq!(scene.animations[0].seconds(), 25.0);
    }
}

#[test]
fn a_longer_clip_holds_its_last_key() {
    let mut model = read(&made("key_order"));
    model.entities[0].anim_length = 24;
    let scene = lifted(&model);
    assert_eq!(scene.animations[0].seconds(), 2.0);
    let back = bo3d::lower(assert_scene(&scene), &WriteOptions::default(), &mut LossReport::new());
    let frames = |model: &Model| {
        let mut frames: Vec<i32> = model.entities[0].keys.iter().map(|key| key.frame.get()).collect();
        frames.sort_unstable();
        frames.dedup();
        frames
    };
    assert_eq!(frames(&back), frames(&model), "the made-up last key is gone");
    assert_eq!(back.entities[0].anim_length, 24);
}

#[test]
fn through_the_scene_and_back_changes_nothing() {
    let mut files = own("made", &FORMAT);
    files.extend(real(&FORMAT));
    for file in files {
        let model = read(&file);
        let scene = lifted(&model);
        let mut losses = LossReport::new();
        let back = bo3d::lower(assert_scene(&scene), &WriteOptions::default(), &mut losses);
        let again = lifted(&back);
        for (a, b) in scene.nodes.values().zip(again.nodes.values()) {
            assert_eq!(a, b, "{}", file.name());
        }
        for (a, b) in scene.meshes.values().zip(again.meshes.values()) {
            assert_eq!(a, b, "{}", file.name());
        }
        for (a, b) in scene.animations.iter().zip(&again.animations) {
            for (a, b) in a.channels.iter().zip(&b.channels) {
                assert_eq!(a, b, "{}", file.name());
            }
        }
        assert!(again == scene, "{}: the Scene changed", file.name());
        assert!(losses.is_empty(), "{}: {losses:#?}", file.name());
        assert_eq!(back.vfloat, model.vfloat);
    }
}

#[test]
fn half_floats_are_rounded_to_the_nearest_and_measured() {
    let mut model = Model { vfloat: VFloat::Bits32, ..Model::default() };
    let row = [0.1, 0.2, 0.0, 0.0, 1.0, 1000.3, -70000.0, 1e-7].map(Into::into);
    model.entities.push(Entity {
        mesh: Some(MeshData {
            vertices: Vertices::Full(vec![Vertex32(row); 3].into()),
            colours: Vec::new(),
            colours_padding: None,
            triangles: vec![Triangle([0.into(), 1.into(), 2.into()])].into(),
            triangles_padding: None,
            texture: Vec::new(),
            texture_padding: None,
            colour: [255; 4],
            alpha: 1.0,
            fx: 0,
            bones: Vec::new(),
        }),
        ..Entity::default()
    });
    let scene = lifted(&model);
    let mut options = WriteOptions::default();
    options.settings.set("bo3d-float", "16");
    let mut losses = LossReport::new();
    let back = bo3d::lower(assert_scene(&scene), &options, &mut losses);
    let found = back.entities[0].mesh.as_ref().unwrap().vertices.to_floats()[0];
    assert_eq!(found[5], 1000.5);
    assert_eq!(found[6], -65504.0, "what is too large becomes the largest");
    let position = losses.iter().find(|loss| loss.code().id == "loss/positions").expect("a loss");
    let (stats, unit) = position.error.expect("measured");
    assert!((stats.max - 4496.0).abs() < 1.0 && unit == "scene units", "{stats:?}");
}

#[test]
fn the_summary_counts_what_is_there() {
    let model = read(&made("scene"));
    assert_eq!(
        model.summary().contents,
        [("entities", 6), ("meshes", 3), ("pivots", 3), ("bones", 0), ("keyframes", 0)]
    );
    assert_eq!(model.format().id, "bo3d");
}

/// Models of other formats: what Khronos publishes, and what the tools of the other engines wrote.
fn foreign() -> Vec<(String, Scene)> {
    let mut scenes = Vec::new();
    for format in menagerie::formats::ALL.iter().filter(|format| format.id != "bo3d") {
        let mut files = own("made", format);
        files.extend(real(format));
        for file in files {
            let Some(model) = file.read(format).model else { continue };
            let Ok(lifted) = model.lift(&ReadOptions::default()) else { continue };
            scenes.push((file.name(), lifted.scene));
        }
    }
    scenes
}

/// Where the comparison does not meet what was lost: on vertices that moved farther than their triangles are large, and
/// on what nothing shows.
const GUESSED: &[(&str, Aspect)] = &[
    ("m09_skeleton_anims.bmd", Aspect::Skins),
    ("05_skinned_two_joint_sets.das2", Aspect::Skins),
    ("05_skinned_two_joint_sets.das2", Aspect::Materials),
    ("15_everything_level9.das2", Aspect::Skins),
    ("15_everything_level9.das2", Aspect::Morphs),
    ("api_anim_l9.das2", Aspect::Animations),
    ("BoxTextured.gltf", Aspect::Names),
];

#[test]
fn what_bo3d_changes_of_other_models_is_named_and_nothing_else() {
    let mut wrong = Vec::new();
    for (name, scene) in foreign() {
        let (back, losses) = crate::support::through("bo3d", &scene);
        let report = diff(assert_scene(&scene), assert_scene(&back), &DiffOptions::default());
        // Normals of turned and skinned nodes are compared in other spaces.
        let silent = report.unannounced(&losses).filter(|found| found.aspect != Aspect::Normals);
        let silent = silent.filter(|found| !GUESSED.contains(&(name.as_str(), found.aspect)));
        wrong.extend(silent.map(|found| format!("{name}: not named: {found}")));
        let unseen = report.unseen(&losses).filter(|loss| loss.aspect != Aspect::Normals);
        let unseen = unseen.filter(|loss| !GUESSED.contains(&(name.as_str(), loss.aspect)));
        wrong.extend(unseen.map(|loss| format!("{name}: not seen: {} {}", loss.code().id, loss.message)));
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_is_written_is_right_in_the_engine() {
    let mut wrong = Vec::new();
    for (name, scene) in foreign() {
        let model = bo3d::lower(assert_scene(&scene), &WriteOptions::default(), &mut LossReport::new());
        let reading = FORMAT.open(&model.to_bytes(), &ReadOptions::default());
        let of_document = reading.issues.iter().filter(|issue| issue.severity <= Severity::Warning);
        wrong.extend(of_document.map(|issue| format!("{name}: {} {issue}", issue.code.id)));
        let mut issues = Issues::default();
        model.check_engine(&Limits::default(), &mut issues);
        let found = issues.iter().filter(|issue| issue.severity <= Severity::Warning);
        wrong.extend(found.map(|issue| format!("{name}: {} {issue}", issue.code.id)));
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// What reading gave up of a kind.
fn given_up(issues: &Issues, what: &str) -> (usize, usize) {
    issues.damage().find(|damage| damage.what == what).map_or((0, 0), |damage| (damage.count, damage.of))
}

#[test]
fn every_prefix_says_what_is_missing() {
    let mut files = own("made", &FORMAT);
    files.extend(real(&FORMAT));
    let mut cut = 0;
    for file in files {
        let whole = read(&file);
        for part in 1..64 {
            let end = file.bytes.len() * part / 64;
            let name = format!("{} cut at {end}", file.name());
            let reading = FORMAT.open(&file.bytes[..end], &ReadOptions::default());
            let Some(model) = reading.model else { continue };
            assert_eq!(model.write().unwrap().bytes, &file.bytes[..end], "{name}");
            let scene = model.lift(&ReadOptions::default()).unwrap().scene;
            assert_scene(&scene);
            let entities = scene.nodes.len();
            let in_trailing = file.bytes.len() - whole.trailing.len() <= end;
            assert!(in_trailing || reading.issues.is_damaged(), "{name}: nothing is said");
            assert_eq!(entities + given_up(&reading.issues, "entities").0, whole.entities.len(), "{name}");
            let count = |list: &[Entity]| -> [usize; 3] {
                let meshes = || list.iter().filter_map(|entity| entity.mesh.as_ref());
                let keys = list.iter().map(|entity| entity.keys.len()).sum();
                [meshes().map(|m| m.triangles.len()).sum(), meshes().map(|m| m.vertices.len()).sum(), keys]
            };
            let drawn: usize =
                scene.meshes.values().flat_map(|m| &m.primitives).map(|p| p.triangles().len()).sum();
            let [triangles, vertices, keys] = count(&whole.entities[..entities]);
            let summary = model.summary();
            let keyframes = summary.contents.iter().find(|(name, _)| *name == "keyframes").unwrap().1;
            assert_eq!(summary.vertices + given_up(&reading.issues, "vertices").0, vertices, "{name}");
            assert_eq!(keyframes + given_up(&reading.issues, "keys").0, keys, "{name}");
            let missing = given_up(&reading.issues, "triangles").0;
            // Of a mesh whose header is cut nobody knows the triangles.
            let known = whole.entities[..entities].last().is_some_and(|e| e.mesh.is_some())
                && scene.meshes.len()
                    < whole.entities[..entities].iter().filter(|e| e.mesh.is_some()).count();
            assert!(drawn + missing == triangles || known, "{name}: {drawn} + {missing} of {triangles}");
            cut += missing;
        }
    }
    assert!(cut > 1000);
}

#[test]
fn what_is_whole_behind_a_damaged_entity_is_read() {
    let mut model = read(&made("scene"));
    model.entities[1].mesh.as_mut().unwrap().triangles.make_mut().truncate(1);
    let mut bytes = model.to_bytes();
    let map = model.byte_map();
    let count = map.find("entities[1].triangle_count").unwrap().range().unwrap();
    bytes[count].copy_from_slice(&9999i32.to_le_bytes());
    let reading = FORMAT.open(&bytes, &ReadOptions::default());
    let damaged = reading.model.expect("what is whole");
    assert!(reading.issues.iter().any(|issue| issue.code.id == "bo3d/list-past-definition"));
    assert_eq!(damaged.summary().contents[0].1, model.entities.len());
    let (missing, of) = given_up(&reading.issues, "triangles");
    assert!(of == 9999 && missing < of && missing > 9990, "{missing} of {of}");
    assert_eq!(damaged.write().unwrap().bytes, bytes);
}

#[test]
fn what_was_written_for_the_engine_comes_back_from_gltf() {
    for (name, scene) in foreign() {
        let model = bo3d::lower(assert_scene(&scene), &WriteOptions::default(), &mut LossReport::new());
        let before = lifted(&model);
        let (from_glb, _) = crate::support::through("gltf", &before);
        let again = bo3d::lower(assert_scene(&from_glb), &WriteOptions::default(), &mut LossReport::new());
        let report = diff(assert_scene(&before), assert_scene(&lifted(&again)), &DiffOptions::default());
        assert!(report.is_equal(), "{name}: {report:#?}");
        assert_eq!(again.entities.len(), model.entities.len(), "{name}");
    }
}

/// The codes that the engine's rules give for a file.
fn engine_codes(model: &Model) -> Vec<&'static str> {
    let mut issues = Issues::default();
    model.check_engine(&Limits::default(), &mut issues);
    let mut codes: Vec<&str> =
        issues.iter().filter(|i| i.severity <= Severity::Warning).map(|i| i.code.id).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

#[test]
fn files_of_the_original_tools_are_mended_when_that_is_asked_for() {
    let mut files = own("made", &FORMAT);
    files.extend(real(&FORMAT));
    for file in files {
        let before = read(&file);
        let mut options = WriteOptions::default();
        options.purpose = Purpose::Engine;
        let model = bo3d::lower(assert_scene(&lifted(&before)), &options, &mut LossReport::new());
        println!("{}: {:?} {:?}", file.name(), engine_codes(&before), engine_codes(&model));
        assert_eq!(engine_codes(&model), [] as [&str; 0], "{}", file.name());
        if file.stem() == "ninja" {
            assert_eq!(
                engine_codes(&before),
                ["bo3d/engine-first-key", "bo3d/engine-length", "bo3d/engine-pose", "bo3d/engine-signs"]
            );
        }
    }
}

/// Keys that are a million seconds apart on many nodes are not resampled frame by frame.
#[test]
fn far_keys_cost_little() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/attack");
    let file = TestFile::load(folder.join("anim_bo3d_20.glb"));
    let gltf = menagerie::formats::Format::by_id("gltf").unwrap();
    let scene = file.read(gltf).model.unwrap().lift(&ReadOptions::default()).unwrap().scene;
    let model = bo3d::lower(assert_scene(&scene), &WriteOptions::default(), &mut LossReport::new());
    let keys: usize = model.entities.iter().map(|entity| entity.keys.len()).sum();
    assert!(keys < 1_500_000, "{keys} keys");
}

/// How far the engine has vertices from where the Scene has them, for what was written of models that move.
#[test]
fn poses_in_the_engine_are_those_of_the_scene() {
    for (name, scene) in foreign().into_iter().filter(|(_, scene)| !scene.animations.is_empty()) {
        let model = bo3d::lower(assert_scene(&scene), &WriteOptions::default(), &mut LossReport::new());
        let engine = model.lift_as_engine(&ReadOptions::default()).unwrap().unwrap().scene;
        assert_scene(&engine);
        let Some(found) = largest_pose_error(&lifted(&model), &engine) else { continue };
        println!("{name}: {:.4} at {:.2} s of {:?}", found.error, found.seconds, found.animation);
        assert!(found.error < 0.005, "{name}: {found:?}");
    }
}

/// Sizes that change while a model moves, of parents and joints: what the engine needs for that is folded on reading, unless
/// somebody changed the keys since.
#[test]
fn sizes_that_move_are_right_in_the_engine_and_come_back() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/made/gltf");
    let gltf = menagerie::formats::Format::by_id("gltf").unwrap();
    let file = TestFile::load(folder.join("growing.glb"));
    let scene = file.read(gltf).model.unwrap().lift(&ReadOptions::default()).unwrap().scene;
    let mut losses = LossReport::new();
    let mut model = bo3d::lower(assert_scene(&scene), &WriteOptions::default(), &mut losses);
    assert_eq!(engine_codes(&model), [] as [&str; 0]);
    // The scaled entities have children and scale 1; three of them had a mesh or were a bone.
    let parents: Vec<usize> = (0..model.entities.len()).filter_map(|i| model.effective_parent(i)).collect();
    let is_one = |i: &usize| model.entities[*i].keys.iter().all(|key| key.scale() == [1.0; 3]);
    assert!(parents.iter().all(is_one));
    assert_eq!(model.entities.len(), scene.nodes.len() + 1 + 3, "a root, and three that hold");
    let back = lifted(&model);
    let report = diff(assert_scene(&scene), assert_scene(&back), &DiffOptions::default());
    let moved =
        report.differences.iter().filter(|d| d.aspect == Aspect::Animations || d.aspect == Aspect::Hierarchy);
    assert_eq!(moved.count(), 0, "{report:#?}");
    assert_eq!(back.nodes.len(), scene.nodes.len());
    // With other keys than the note tells of, the file is read as it stands.
    let child = model.entities.iter_mut().find(|entity| entity.name == b"b").unwrap();
    child.keys[1].position[0] = 7.0.into();
    assert_eq!(lifted(&model).nodes.len(), scene.nodes.len() + 3);
}
