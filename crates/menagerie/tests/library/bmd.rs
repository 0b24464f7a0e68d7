//! BMD: what the reader finds, what a change costs, where the Scene puts things, and the way back.

use crate::support::{TestFile, own, real, through};
use glam::Vec3;
use menagerie::bytes::{Limits, Se32, f8a_to_f32};
use menagerie::diag::loss::ErrorStats;
use menagerie::diag::{Aspect, Issues, LossReport, Severity};
use menagerie::diff::{DiffOptions, diff};
use menagerie::formats::bmd::{self, FORMAT, FaceKind, Mesh, Model, StReading, VertexKind, flat_colour};
use menagerie::formats::engine::largest_pose_error;
use menagerie::formats::{FileModel as _, Purpose, ReadOptions, WriteOptions};
use menagerie::scene::{Bounds, Node, Pose, Primitive, Scene, SceneRoot, assert_scene};
use serde_json::{Value, json};

fn read(file: &TestFile) -> Model {
    bmd::read(&file.bytes, &Limits::default(), &mut Issues::default())
        .unwrap_or_else(|issue| panic!("{}: {issue}", file.name()))
}

fn made(name: &str) -> TestFile {
    own("made", &FORMAT).into_iter().find(|file| file.stem() == name).expect(name)
}

fn readable() -> Vec<TestFile> {
    let mut files = own("made", &FORMAT);
    files.extend(real(&FORMAT));
    files
}

fn lifted(model: &Model) -> Scene {
    let scene = bmd::lift(model, &ReadOptions::default()).scene;
    assert_scene(&scene);
    scene
}

fn text(model: &Model, at: u32) -> Value {
    model.text(at).map_or(Value::Null, |bytes| String::from_utf8_lossy(bytes).into_owned().into())
}

/// The model in the words of the JSON files beside the corpus.
fn describe(model: &Model, st: StReading) -> Value {
    json!({
        "meshes": model.meshes.iter().map(|mesh| describe_mesh(model, mesh, st)).collect::<Vec<_>>(),
        "lods": model.lods.iter().map(|lod| json!({
            "first": lod.first, "count": lod.count, "ld_sc": lod.scale, "scale": f8a_to_f32(lod.scale),
        })).collect::<Vec<_>>(),
        "bones": model.bones.iter().enumerate().map(|(i, bone)| {
            let mut value = json!({
                "index": i, "name": text(model, bone.name_at), "parent": bone.parent, "solid": bone.solid,
                "pseudo": bone.is_pseudo(),
            });
            let more = if bone.is_pseudo() {
                json!({
                    "pseudo_bones": bone.translation.to_le_bytes(),
                    "pseudo_weights": bone.rotation.to_le_bytes().map(f8a_to_f32),
                })
            } else {
                json!({
                    "translation": Se32(bone.translation).values(),
                    "rotation_raw": bmd::raw_rotation(bone.rotation),
                    "rotation": bmd::rotation(bone.rotation).to_array(),
                })
            };
            value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            value
        }).collect::<Vec<_>>(),
        "anims": model.animations.iter().map(|animation| json!({
            "name": text(model, animation.name_at),
            "hz": animation.hz(),
            "loop": animation.loops(),
            "n_frames": animation.frame_count,
            "tracks": animation.tracks.iter().enumerate().map(|(bone, track)| {
                let rotations = track.frames().filter_map(|(frame, entry)| Some((frame, entry.rotation?)));
                let translations = track.frames().filter_map(|(frame, entry)| Some((frame, entry.translation?)));
                let scales = track.frames().filter_map(|(frame, entry)| Some((frame, entry.scale?)));
                let vector = |(frame, word): (usize, u32)| json!({ "frame": frame, "value": Se32(word).values() });
                json!({
                    "bone": bone,
                    "rotation": rotations.map(|(frame, word)| json!({
                        "frame": frame,
                        "raw": bmd::raw_rotation(word),
                        "value": bmd::rotation(word).to_array(),
                    })).collect::<Vec<_>>(),
                    "translation": translations.map(vector).collect::<Vec<_>>(),
                    "scale": scales.map(vector).collect::<Vec<_>>(),
                })
            }).collect::<Vec<_>>(),
        })).collect::<Vec<_>>(),
    })
}

fn describe_mesh(model: &Model, mesh: &Mesh, st: StReading) -> Value {
    let flat = model.is_flat(mesh);
    let kind = |vertex: &bmd::Vertex| match vertex.kind() {
        VertexKind::Bits64 if flat => "64c",
        VertexKind::Bits64 => "64t",
        VertexKind::Bits96 => "96",
        VertexKind::Bits128 => "128",
    };
    let face_kind = |kind: FaceKind| match kind {
        FaceKind::Triangle32 => "t32",
        FaceKind::Quad32 => "q32",
        FaceKind::Triangle64 => "t64",
        FaceKind::Quad64 => "q64",
    };
    let faces =
        mesh.faces.iter().map(|face| json!({ "kind": face_kind(face.kind()), "v": face.corners().to_vec() }));
    let each = |f: &dyn Fn(&bmd::Vertex) -> Value| mesh.vertices.iter().map(f).collect::<Value>();
    json!({
        "material": text(model, mesh.material_at),
        "flat_color": model.material(mesh).and_then(flat_colour),
        "flags": mesh.flags, "n_tris": mesh.triangle_count, "n_vtx": mesh.vertex_count,
        "positions": each(&|v| json!(v.position())),
        "normals": each(&|v| json!(v.normal(flat))),
        "uvs": each(&|v| json!(v.st(flat, st).unwrap_or_default())),
        "bones": each(&|v| json!(v.bone())),
        "shades": each(&|v| json!(v.shade())),
        "vertex_kinds": each(&|v| json!(kind(v))),
        "vertex_tags": each(&|v| if v.kind() == VertexKind::Bits64 { Value::Null } else { json!(v.tag()) }),
        "primitives": faces.collect::<Vec<_>>(),
    })
}

/// Every value in `expected` is in `found`, exactly, rotations but for the last digits of a double.
fn same(expected: &Value, found: &Value, path: &str) {
    match (expected, found) {
        (Value::Object(expected), _) => {
            for (key, value) in expected.iter().filter(|(key, _)| *key != "note" && *key != "pose_checks") {
                let found = found.get(key).unwrap_or_else(|| panic!("{path}.{key} is not found"));
                same(value, found, &format!("{path}.{key}"));
            }
        }
        (Value::Array(expected), Value::Array(found)) => {
            assert_eq!(expected.len(), found.len(), "{path}");
            for (i, (expected, found)) in expected.iter().zip(found).enumerate() {
                same(expected, found, &format!("{path}[{i}]"));
            }
        }
        (Value::Number(expected), Value::Number(found)) => {
            let (expected, found) = (expected.as_f64().unwrap(), found.as_f64().unwrap());
            let tolerance = if path.contains("rotation") { 1e-6 } else { 0.0 };
            assert!((expected - found).abs() <= tolerance, "{path}: {found} is not {expected}");
        }
        _ => assert_eq!(expected, found, "{path}"),
    }
}

#[test]
fn the_values_beside_the_files_are_found() {
    for file in own("made", &FORMAT) {
        let st = if file.stem().contains("legacy") { StReading::Legacy } else { StReading::Spec };
        same(&file.expected().unwrap(), &describe(&read(&file), st), &file.stem());
    }
}

/// Positions of the file's mesh `mesh` in its own axes, at a frame of an animation.
fn posed(scene: &Scene, animation: Option<(&str, f32)>, mesh: usize) -> Vec<Vec3> {
    let pose = match animation {
        Some((name, seconds)) => {
            Pose::at(scene, scene.animations.iter().find(|a| a.name == name).unwrap(), seconds)
        }
        None => Pose::rest(scene),
    };
    let index = |p: &menagerie::scene::Primitive| p.extras.get("bmd", "mesh").and_then(Value::as_u64);
    for (id, node) in scene.nodes.iter() {
        for primitive in node.mesh.iter().flat_map(|mesh| &scene.meshes[*mesh].primitives) {
            if index(primitive) == Some(mesh as u64) {
                let points = pose.positions(scene, id, primitive);
                return points.into_iter().map(|p| FORMAT.axes.turn.inverse().vec3(p)).collect();
            }
        }
    }
    panic!("mesh {mesh} is not in the Scene");
}

#[test]
fn poses_are_those_beside_the_files() {
    let mut checked = 0;
    for file in own("made", &FORMAT) {
        let expected = file.expected().unwrap();
        let model = read(&file);
        let scene = lifted(&model);
        for check in expected["pose_checks"].as_array().into_iter().flatten() {
            let number = |key: &str| check[key].as_u64().unwrap() as usize;
            let name = check["anim"].as_str();
            let index = name.and_then(|name| {
                model.animations.iter().position(|a| model.text(a.name_at) == Some(name.as_bytes()))
            });
            let seconds = index.map_or(0.0, |i| number("frame") as f32 / model.animations[i].hz());
            let points = posed(&scene, name.map(|name| (name, seconds)), number("mesh"));
            let meant: Vec<f32> =
                check["position"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap() as f32).collect();
            let off = points[number("vertex")].distance(Vec3::from_slice(&meant));
            assert!(off < 1e-5, "{}: {check} is off by {off}", file.name());
            // The file model says the same.
            let mesh = &model.meshes[number("mesh")];
            let vertex = &mesh.vertices[number("vertex")];
            let matrices = model.bone_matrices(index.map(|i| (i, number("frame") as f32)));
            let place = matrices[usize::from(vertex.bone())].transform_point3(vertex.position().into());
            assert!(place.distance(Vec3::from_slice(&meant)) < 1e-5, "{}: {check}: {place}", file.name());
            checked += 1;
        }
    }
    assert!(checked >= 11);
}

fn bounds(points: impl IntoIterator<Item = Vec3>) -> Bounds {
    Bounds::of(points).unwrap()
}

#[test]
fn the_chicken_walks() {
    let Some(file) = real(&FORMAT).into_iter().find(|file| file.stem() == "chicken1") else { return };
    let model = read(&file);
    let summary = model.summary();
    assert_eq!(summary.contents, [("meshes", 17), ("lods", 1), ("bones", 15), ("animations", 2)]);
    let described = |i: usize| {
        let a = &model.animations[i];
        (text(&model, a.name_at), a.frame_count, a.hz())
    };
    assert_eq!(described(0), (json!("walk"), 4, 10.0));
    assert_eq!((described(1).0, described(1).1), (json!("stand"), 8));
    let scene = lifted(&model);
    let near = |found: Bounds, min: [f32; 3], max: [f32; 3]| {
        let off = (found.min - Vec3::from_array(min)).abs().max((found.max - Vec3::from_array(max)).abs());
        assert!(off.max_element() < 1e-3, "{found:?}");
    };
    let all =
        |animation: Option<(&str, f32)>| bounds((0..17).flat_map(|mesh| posed(&scene, animation, mesh)));
    near(all(None), [-34.0, -1.0, 0.0], [34.0, 8.0, 68.0]);
    near(all(Some(("walk", 0.2))), [-21.559, -1.0, 0.0], [21.589, 13.156, 68.0]);
}

#[test]
fn the_old_texture_coordinates_are_recognised() {
    for file in real(&FORMAT) {
        let model = read(&file);
        let reading = file.read(&FORMAT);
        let issue = reading.issues.iter().find(|issue| issue.code.id == "bmd/st-reading");
        let wide = model.meshes.iter().flat_map(|m| &m.vertices).any(|v| v.kind() == VertexKind::Bits128);
        assert_eq!(issue.is_some(), wide, "{}", file.name());
        assert!(issue.is_none_or(|issue| issue.message.contains("legacy") && issue.span.is_some()));
        let largest = |option: &str| {
            let mut options = ReadOptions::default();
            options.settings.set("bmd-st", option);
            let scene = bmd::lift(&model, &options).scene;
            let uvs = scene.meshes.values().flat_map(|m| &m.primitives).flat_map(|p| &p.uvs);
            uvs.flatten().flatten().fold(0.0f32, |m, x| m.max(x.abs()))
        };
        if wide {
            assert!(largest("auto") <= 8.0 && largest("legacy") <= 8.0, "{}", file.name());
            assert!(largest("spec") > 1000.0, "{}", file.name());
        }
    }
}

#[test]
fn changes_change_only_their_bytes() {
    for file in readable() {
        let mut model = read(&file);
        let mut expected = file.bytes.clone();
        if let Some(mesh) = model.meshes.iter_mut().find(|mesh| mesh.vertices.len() > 1) {
            let at = mesh.vertices_at as usize + mesh.vertices[0].kind().bytes();
            mesh.vertices[1].words[0] ^= 0x0102_0304;
            for (byte, change) in expected[at..].iter_mut().zip([4, 3, 2, 1]) {
                *byte ^= change;
            }
        }
        if let Some((at, name)) = model.strings.iter_mut().find(|(_, name)| !name.is_empty()) {
            name[0] = b'~';
            expected[*at as usize] = b'~';
        }
        let written = model.to_bytes();
        let wrong = (0..expected.len()).find(|i| written.get(*i) != expected.get(*i));
        assert_eq!((wrong, written.len()), (None, expected.len()), "{}", file.name());
    }
}

#[test]
fn bad_files_have_an_error_with_a_place() {
    for (name, code) in [
        ("d01_magic", "bmd/magic"),
        ("d03_mesh_table_outside", "bmd/table-outside"),
        ("d05_sz_vtx_too_small", "bmd/vertex-list-short"),
        ("d07_index_out_of_range", "bmd/index-out-of-range"),
        ("d09_parent_cycle", "bmd/parent"),
        ("d11_anim_outside", "bmd/list-outside"),
        ("d13_lod_outside", "bmd/lod-range"),
        ("d15_64bit_tri_cut", "bmd/face-cut"),
    ] {
        let file = own("bad", &FORMAT).into_iter().find(|file| file.stem() == name).expect(name);
        let reading = file.read(&FORMAT);
        let issue = reading.issues.iter().find(|issue| issue.code.id == code);
        let issue = issue.unwrap_or_else(|| panic!("{name}: {:#?}", reading.issues));
        assert_eq!(issue.severity, Severity::Error, "{name}");
        assert!(issue.span.is_some() && !issue.path.is_empty(), "{name}: {issue:?}");
    }
    assert_eq!(made("m11_minimal_header_only").read(&FORMAT).issues.iter().count(), 0);
}

fn lowered(scene: &Scene, settings: &[(&str, &str)]) -> (Model, LossReport) {
    let mut options = WriteOptions::default();
    for (name, value) in settings {
        options.settings.set(*name, *value);
    }
    let mut losses = LossReport::new();
    let model = bmd::lower(assert_scene(scene), &options, &mut losses);
    // What is written is what is read.
    let again = bmd::read(&model.to_bytes(), &Limits::default(), &mut Issues::default()).unwrap();
    assert_eq!(again.to_bytes(), model.to_bytes());
    let reading = FORMAT.open(&model.to_bytes(), &ReadOptions::default());
    assert!(!reading.issues.has_errors(), "{:#?}", reading.issues);
    (again, losses)
}

/// All numbers of a model, whatever its layout and the codes that stand for them. Unusual counts are part of it.
fn numbers(model: &Model) -> Value {
    let st = if menagerie_st(model) { StReading::Legacy } else { StReading::Spec };
    describe(model, st)
}

fn menagerie_st(model: &Model) -> bool {
    let bytes = model.to_bytes();
    let reading = FORMAT.open(&bytes, &ReadOptions::default());
    reading.issues.iter().any(|issue| issue.code.id == "bmd/st-reading" && issue.message.contains("(legacy)"))
}

#[test]
fn a_file_comes_back_from_the_scene_with_the_same_numbers() {
    for file in readable() {
        let before = read(&file);
        let (after, losses) = lowered(&lifted(&before), &[]);
        same(&numbers(&before), &numbers(&after), &file.stem());
        assert!(losses.is_empty(), "{}: {losses:#?}", file.name());
    }
}

#[test]
fn a_file_comes_back_from_gltf() {
    for file in readable() {
        let before = read(&file);
        let scene = lifted(&before);
        let (from_glb, _) = through("gltf", &scene);
        let (after, losses) = lowered(&from_glb, &[]);
        let report = diff(assert_scene(&scene), assert_scene(&lifted(&after)), &DiffOptions::default());
        assert!(report.is_equal(), "{}: {report:#?} {losses:#?}", file.name());
        same(&numbers(&before), &numbers(&after), &file.stem());
    }
}

/// Models of other formats: what Khronos publishes, and what the tools of the other engines wrote.
fn foreign() -> Vec<(String, Scene)> {
    let mut scenes = Vec::new();
    for format in menagerie::formats::ALL.iter().filter(|format| format.id != "bmd") {
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

/// Where the comparison takes one thing for another: triangles smaller than a step of packed positions for their
/// neighbours, nodes of a tree that became another for each other, morphs of what nothing shows.
const GUESSED: &[(&str, Aspect)] = &[
    ("corridor.dgl2", Aspect::Positions),
    ("suzanne_rig.bgl", Aspect::Positions),
    ("suzanne_rig.bgl", Aspect::Uvs),
    ("level.dgl2", Aspect::Positions),
    ("NegativeScaleTest.glb", Aspect::Positions),
    ("tube_lod_skin_l0.das2", Aspect::Transforms),
    ("15_everything_level9.das2", Aspect::Morphs),
];

#[test]
fn what_bmd_changes_of_other_models_is_named_and_nothing_else() {
    let mut wrong = Vec::new();
    for (name, scene) in foreign() {
        let (back, losses) = through("bmd", &scene);
        let report = diff(assert_scene(&scene), assert_scene(&back), &DiffOptions::default());
        // Normals of turned and skinned nodes are compared in other spaces.
        let silent = report.unannounced(&losses).filter(|found| found.aspect != Aspect::Normals);
        let silent = silent.filter(|found| !GUESSED.contains(&(name.as_str(), found.aspect)));
        wrong.extend(silent.map(|found| format!("{name}: not named: {found}")));
        let unseen = report.unseen(&losses).filter(|loss| loss.aspect != Aspect::Normals);
        wrong.extend(unseen.map(|loss| format!("{name}: not seen: {} {}", loss.code().id, loss.message)));
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_is_written_is_right_in_the_engine() {
    let mut wrong = Vec::new();
    for (name, scene) in foreign() {
        let (model, _) = lowered(&scene, &[]);
        let reading = FORMAT.open(&model.to_bytes(), &ReadOptions::default());
        let of_document = reading.issues.iter().filter(|issue| issue.severity == Severity::Warning);
        wrong.extend(of_document.map(|issue| format!("{name}: {} {issue}", issue.code.id)));
        let mut issues = Issues::default();
        model.check_engine(&Limits::default(), &mut issues);
        let found = issues.iter().filter(|issue| issue.severity <= Severity::Warning);
        // Scale keys are right by the document, and nothing can stand for them in the engine (E10).
        let found = found.filter(|issue| issue.code.id != "bmd/engine-scale-keys");
        wrong.extend(found.map(|issue| format!("{name}: {} {issue}", issue.code.id)));
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_was_written_for_the_engine_comes_back_from_gltf() {
    for (name, scene) in foreign() {
        let (model, _) = lowered(&scene, &[]);
        let (from_glb, _) = through("gltf", &lifted(&model));
        let (again, _) = lowered(&from_glb, &[]);
        let mut expected = numbers(&model);
        // An animation in several parts is one on the way, and is packed anew.
        if !scene.animations.is_empty() && model.animations.len() > scene.animations.len() {
            expected.as_object_mut().expect("an object").remove("anims");
        }
        same(&expected, &numbers(&again), &name);
        let report =
            diff(assert_scene(&lifted(&model)), assert_scene(&lifted(&again)), &DiffOptions::default());
        assert!(report.is_equal(), "{name}: {report:#?}");
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
    for file in readable() {
        let before = read(&file);
        let mut options = WriteOptions::default();
        options.purpose = Purpose::Engine;
        let model = bmd::lower(assert_scene(&lifted(&before)), &options, &mut LossReport::new());
        let left = engine_codes(&model);
        println!("{}: {:?} {left:?}", file.name(), engine_codes(&before));
        let left: Vec<_> = left.into_iter().filter(|code| *code != "bmd/engine-scale-keys").collect();
        assert!(left.is_empty(), "{}: {left:?}", file.name());
    }
}

#[test]
fn the_duck_with_a_drill_is_what_its_maker_says() {
    let Some(file) = real(&FORMAT).into_iter().find(|file| file.stem() == "drill_duck") else { return };
    let mut model = read(&file);
    let summary = model.summary();
    assert_eq!((summary.vertices, summary.triangles), (7492, 4488));
    let points = model.meshes.iter().flat_map(|mesh| &mesh.vertices).map(|v| Vec3::from_array(v.position()));
    let found = bounds(points);
    let close = |a: Vec3, b: [f32; 3]| a.distance(Vec3::from_array(b)) < 1e-3;
    assert!(
        close(found.min, [-13.8125, -10.75, 0.0]) && close(found.max, [19.25, 12.3125, 33.0]),
        "{found:?}"
    );
    // The smaller mesh last is right in the engine, first it is not.
    let shading = "bmd/engine-static-shading";
    assert!(!engine_codes(&model).contains(&shading), "{:?}", engine_codes(&model));
    model.meshes.reverse();
    assert!(engine_codes(&model).contains(&shading));
}

/// What glTF extras and damaged files say is never believed so far that an invalid file is written.
#[test]
fn hostile_notes_give_valid_files() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/attack");
    for name in ["extras_bmd.glb", "rebuild_bad.bmd"] {
        let file = TestFile::load(folder.join(name));
        let (format, _) = menagerie::formats::Format::detect(&file.bytes, Some(name)).unwrap();
        let scene = file.read(format).model.unwrap().lift(&ReadOptions::default()).unwrap().scene;
        let (output, losses) = menagerie::convert::lower(scene, &FORMAT, &WriteOptions::default()).unwrap();
        let reading = FORMAT.open(&output.bytes, &ReadOptions::default());
        assert!(!reading.issues.has_errors(), "{name}: {:#?}", reading.issues);
        assert!(losses.iter().any(|loss| loss.aspect == Aspect::Extras), "{name}");
    }
}

/// `render --as engine --animation NAME` finds what the document's Scene calls so.
#[test]
fn animations_have_their_names_in_the_engine_too() {
    for file in own("made", &bmd::FORMAT).into_iter().chain(real(&bmd::FORMAT)) {
        let Some(model) = file.read(&bmd::FORMAT).model else { continue };
        let names = |scene: &Scene| -> Vec<String> {
            scene.animations.iter().map(|animation| animation.name.clone()).collect()
        };
        let options = ReadOptions::default();
        let Ok(Some(engine)) = model.lift_as_engine(&options) else { continue };
        assert_eq!(names(&engine.scene), names(&model.lift(&options).unwrap().scene), "{}", file.name());
    }
}

#[test]
fn the_fox_moves_as_the_report_says() {
    let Some(shared) = crate::support::shared() else { return };
    let gltf = menagerie::formats::Format::by_id("gltf").unwrap();
    let file = TestFile::load(shared.join("corpus/real/gltf/Fox.glb"));
    let scene = file.read(gltf).model.unwrap().lift(&ReadOptions::default()).unwrap().scene;
    let (back, losses) = through("bmd", &scene);
    assert_eq!(back.animations.len(), scene.animations.len());
    assert!(back.skins.len() == 1 && back.skins.values().next().unwrap().joints.len() > 20);
    let stated = |aspect: Aspect, path: &str, unit: &str| {
        let of = losses.iter().filter(|loss| loss.aspect == aspect && loss.path == path);
        of.filter_map(|l| l.error).filter(|(_, u)| *u == unit).map(|(s, _)| s.max).fold(0.0, f64::max)
    };
    // What `diff` measures on the poses is what the report says, but for the times between frames.
    let report = diff(assert_scene(&scene), assert_scene(&back), &DiffOptions::default());
    let mut measured = 0;
    for difference in report.differences.iter().filter(|d| d.aspect == Aspect::Animations) {
        let Some((stats, unit)) = difference.error else { continue };
        let said = stated(Aspect::Animations, &difference.path, unit);
        assert!(stats.max <= said * 1.05 + 1e-3, "{difference}: the report says {said} {unit}");
        measured += 1;
    }
    assert!(measured >= scene.animations.len(), "{report:#?}");
    // Vertices follow: blends of joints are blends of bones. The fox is 155 units long.
    for (i, animation) in scene.animations.iter().enumerate() {
        let path = format!("animations[{i}]");
        let vertices = stated(Aspect::Animations, &path, "scene units");
        println!("{}: vertices {vertices} units", animation.name);
        assert!(vertices > 0.0 && vertices < 12.0, "{vertices}");
        let other = &back.animations[i];
        for step in 0..=10 {
            let time = animation.seconds().min(other.seconds()) * step as f32 / 10.0;
            let bounds = |scene: &Scene, animation| Pose::at(scene, animation, time).bounds(scene).unwrap();
            let (a, b) = (bounds(&scene, animation), bounds(&back, other));
            let off = (a.min - b.min).abs().max((a.max - b.max).abs()).max_element();
            assert!(f64::from(off) <= vertices * 1.05, "{}: bounds are off by {off}", animation.name);
        }
    }
}

/// The triangles of a text STL as a Scene.
fn stl(bytes: &[u8], scale: f32) -> Scene {
    let text = String::from_utf8_lossy(bytes);
    let mut primitive = Primitive::default();
    for line in text.lines().filter_map(|line| line.trim().strip_prefix("vertex")) {
        let position: Vec<f32> = line.split_whitespace().map(|x| x.parse::<f32>().unwrap() * scale).collect();
        primitive.indices.push(primitive.positions.len() as u32);
        primitive.positions.push(FORMAT.axes.turn.vector(position.try_into().unwrap()));
    }
    assert!(primitive.positions.len() > 1000 && primitive.positions.len() % 3 == 0);
    primitive.normals = menagerie::ops::smooth_normals(&primitive);
    primitive.uvs = vec![vec![[0.0; 2]; primitive.positions.len()]];
    let mut scene = Scene::default();
    let mesh =
        scene.meshes.push(menagerie::scene::Mesh { primitives: vec![primitive], ..Default::default() });
    let node = scene.nodes.push(Node { mesh: Some(mesh), ..Node::default() });
    scene.scenes.push(SceneRoot { roots: vec![node], ..SceneRoot::default() });
    assert_scene(&scene);
    scene
}

/// What the original exporter makes of a position: halved until it fits, rounded up each time.
fn original_position(position: [f32; 3]) -> Vec3 {
    let mut fractions = position.map(|x| (f64::from(x) * f64::from(1 << 22)).trunc() as i64);
    let mut exponent = 0;
    while fractions.iter().any(|f| (if *f < 0 { -f - 1 } else { *f }) >= 254) && exponent < 30 {
        fractions = fractions.map(|f| (f + 1) >> 1);
        exponent += 1;
    }
    Vec3::from_array(fractions.map(|f| (f as f64 * 2f64.powi(exponent - 22)) as f32))
}

#[test]
fn the_box_man_is_packed_better_than_by_the_original() {
    let Some(shared) = crate::support::shared() else { return };
    let bytes = std::fs::read(shared.join("corpus/real/bmd/boxman0.stl")).unwrap();
    let scene = stl(&bytes, 0.5);
    // The part of the original's mean error that is left. Rounding to the nearest can do no better than 0.557 with
    // this model, whose coordinates are not evenly spread; with a bone in its middle the steps are finer.
    for (bits, centre, part) in [
        ("64", "off", 0.557),
        ("96", "off", 0.557),
        ("128", "off", 0.05),
        ("64", "on", 0.5),
        ("96", "on", 0.5),
    ] {
        let (model, losses) = lowered(&scene, &[("bmd-vertex", bits), ("bmd-centre", centre)]);
        let error =
            |aspect| losses.iter().filter(|l| l.aspect == aspect).find_map(|l| l.error).map(|(s, _)| s);
        let said = error(Aspect::Positions).unwrap();
        let places = model.bone_matrices(None);
        // Nowhere more than half a step in each direction.
        let (mut own, mut original) = (ErrorStats::default(), ErrorStats::default());
        let meant = &scene.meshes.values().next().unwrap().primitives[0].positions;
        for (vertex, meant) in model.meshes.iter().flat_map(|mesh| &mesh.vertices).zip(meant) {
            let meant = Vec3::from_array(FORMAT.axes.turn.inverse().vector(*meant));
            let place = places.get(usize::from(vertex.bone())).copied().unwrap_or_default();
            let off = place.transform_point3(vertex.position().into()) - meant;
            let step = vertex.packed_position().map_or(0.0625, Se32::step);
            assert!(off.abs().max_element() <= step * 0.5001, "{off} of {meant}, step {step}");
            own.add(f64::from(off.length()));
            original.add(f64::from(original_position(meant.to_array()).distance(meant)));
        }
        println!(
            "{bits} centre {centre}: {} bytes, position {:.3} {:.3}, {:.3} of the original's, normal {:?}",
            model.to_bytes().len(),
            own.max,
            own.mean(),
            own.mean() / original.mean(),
            error(Aspect::Normals).map(|s| (s.max, s.mean())),
        );
        assert!(own.mean() <= original.mean() * part, "{bits}: {} {}", own.mean(), original.mean());
        assert!((said.max - own.max).abs() < 1e-4 && (said.mean() - own.mean()).abs() < 1e-4, "{said:?}");
        // What `info` says without the source is in the right order.
        let packing = &model.packing()[0];
        assert!(
            own.max <= packing.position.max && own.mean() <= packing.position.mean() * 2.0,
            "{packing:?}"
        );
    }
}

/// What reading gave up of a kind.
fn given_up(issues: &Issues, what: &str) -> (usize, usize) {
    issues.damage().find(|damage| damage.what == what).map_or((0, 0), |damage| (damage.count, damage.of))
}

fn triangles(scene: &Scene) -> usize {
    scene.meshes.values().flat_map(|mesh| &mesh.primitives).map(|p| p.triangles().len()).sum()
}

#[test]
fn every_prefix_says_what_is_missing() {
    let mut cut_triangles = 0;
    for file in readable() {
        let whole = read(&file);
        for part in 1..64 {
            let end = file.bytes.len() * part / 64;
            let name = format!("{} cut at {end}", file.name());
            let reading = FORMAT.open(&file.bytes[..end], &ReadOptions::default());
            let Some(model) = reading.model else { continue };
            let scene = model.lift(&ReadOptions::default()).unwrap().scene;
            assert_scene(&scene);
            let (meshes, of) = given_up(&reading.issues, "meshes");
            assert!(of == 0 || of == whole.meshes.len(), "{name}");
            let had = whole.meshes.len() - meshes;
            let stated: usize = whole.meshes[..had].iter().map(Mesh::triangles).sum();
            let (missing, _) = given_up(&reading.issues, "triangles");
            // Where a quad counts as one triangle, nobody knows how many triangles a list had.
            let counted = whole.meshes.iter().all(|m| usize::from(m.triangle_count) == m.triangles());
            assert!(triangles(&scene) + missing == stated || !counted, "{name}: {missing} of {stated}");
            let vertices: usize = whole.meshes[..had].iter().map(|mesh| mesh.vertices.len()).sum();
            let read: usize = model.summary().vertices;
            assert_eq!(read + given_up(&reading.issues, "vertices").0, vertices, "{name}: vertices");
            // What follows the last list is spare.
            let mut part = bmd::read(&file.bytes[..end], &Limits::default(), &mut Issues::default()).unwrap();
            part.other = whole.other.clone();
            assert!(reading.issues.is_damaged() || part == whole, "{name}: nothing is said");
            cut_triangles += missing;
        }
    }
    assert!(cut_triangles > 1000);
}

#[test]
fn the_box_man_without_his_end_is_damaged() {
    let Some(file) = real(&FORMAT).into_iter().find(|file| file.stem() == "boxman0") else { return };
    let gltf = menagerie::formats::Format::by_id("gltf").unwrap();
    let done = menagerie::convert::convert(&file.bytes[..9000], None, gltf, &Default::default()).unwrap();
    let damage: Vec<String> = done.issues.damage().map(ToString::to_string).collect();
    assert!(damage.iter().any(|text| text == "570 of 570 triangles missing"), "{damage:?}");
    assert!(done.losses.losses().any(|loss| loss.code().id == "loss/damaged"));
}

/// How far the engine has vertices from where the Scene has them, for what was written of models that move.
#[test]
fn poses_in_the_engine_are_those_of_the_scene() {
    for (name, scene) in foreign().into_iter().filter(|(_, scene)| !scene.animations.is_empty()) {
        let model = bmd::lower(assert_scene(&scene), &WriteOptions::default(), &mut LossReport::new());
        let engine = model.lift_as_engine(&ReadOptions::default()).unwrap().unwrap().scene;
        assert_scene(&engine);
        let Some(found) = largest_pose_error(&lifted(&model), &engine) else { continue };
        println!("{name}: {:.4} at {:.2} s of {:?}", found.error, found.seconds, found.animation);
        let scaled = engine_codes(&model).contains(&"bmd/engine-scale-keys");
        assert!(found.error < 0.2 || scaled, "{name}: {found:?}");
    }
}

/// Every use of a name is a string of its own in a Scene, so a long one that thousands of bones share is left out.
#[test]
fn a_name_that_too_many_share_is_left_out() {
    const BONES: u32 = 5000;
    let name_at = 64 + BONES * 16;
    let mut bytes = b"BMD1".to_vec();
    bytes.extend([0; 28]);
    for word in [64, BONES * 16, 0, 0, 0, 0, 0, 0] {
        bytes.extend(u32::to_le_bytes(word));
    }
    for _ in 0..BONES {
        bytes.extend([0; 8]);
        bytes.extend(name_at.to_le_bytes());
        bytes.extend([0xFF, 0xFF, 0, 0]);
    }
    bytes.extend([b'n'; 100_000]);
    bytes.push(0);
    let mut issues = Issues::default();
    let model = bmd::read(&bytes, &Limits::default(), &mut issues).expect("the rest can be read");
    assert_eq!(model.bones.len(), BONES as usize);
    assert!(issues.iter().any(|issue| issue.code.id == "bmd/too-much-shared"), "{issues:?}");
    let names: usize = lifted(&model).nodes.values().map(|node| node.name.len()).sum();
    assert!(names < 1 << 20, "{names} bytes of names");
    assert!(model.to_bytes() == bytes, "the file is kept as it is");
}

#[test]
fn places_of_bones_and_animations_must_be_zero_in_static_models() {
    for at in [0x20, 0x28] {
        let mut file = made("m15_flat_colour_wide");
        file.bytes[at] = 64;
        let reading = file.read(&FORMAT);
        let found = reading.issues.iter().find(|issue| issue.code.id == "bmd/reserved").and_then(|i| i.span);
        assert_eq!(found.map(|span| (span.start, span.end)), Some((at as u64, at as u64 + 4)));
    }
}

/// scale = 1 / (distance + 1) in metres, and the engine draws 40 units as one.
#[test]
fn levels_switch_at_metres_from_the_viewer() {
    let mut model = read(&made("m13_empty_mesh"));
    let lod = |first, scale| bmd::Lod { first, count: 1, scale, ..bmd::Lod::default() };
    let drawn = model.meshes.iter().position(|mesh| !mesh.vertices.is_empty()).unwrap() as u8;
    // F8A: 0x70 is 1, 0x60 a half, 0x50 a quarter, and 0 says nothing.
    model.lods = vec![lod(drawn, 0x70), lod(drawn, 0x60), lod(drawn, 0x50), lod(drawn, 0)];
    let scene = lifted(&model);
    let levels = scene.nodes.values().find(|node| !node.lods.is_empty()).expect("levels");
    let distances: Vec<Option<f32>> = levels.lods.iter().map(|lod| lod.distance).collect();
    assert_eq!(distances, [Some(40.0), Some(120.0), None]);
}
