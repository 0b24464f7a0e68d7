//! glTF: real files there and back, against an independent reader, and everything that a file can have.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::support::{TestFile, real, shared};
use menagerie::convert::{ConvertOptions, convert};
use menagerie::diag::{LossReport, Severity};
use menagerie::formats::{
    Files, Format, Lifted, MissingTextures, NoFiles, NotFound, Output, ReadOptions, WriteOptions,
};
use menagerie::scene::{
    Animation, Channel, Id, Interpolation, Node, Pose, Property, Scene, Topology, assert_scene,
};
use serde_json::{Value, json};

/// The files beside a model.
struct Folder(PathBuf);

impl Files for Folder {
    fn open(&self, name: &str) -> Result<Arc<[u8]>, NotFound> {
        let bytes = std::fs::read(self.0.join(name))
            .map_err(|error| NotFound { tried: vec![name.to_owned()], reason: error.to_string() })?;
        Ok(bytes.into())
    }
}

fn format() -> &'static Format {
    Format::by_id("gltf").expect("glTF is registered")
}

/// Lifts a file with what lies beside it, and expects no error.
fn lift(bytes: &[u8], files: &dyn Files) -> Lifted {
    let mut options = ReadOptions::default();
    options.files = files;
    let mut reading = format().open(bytes, &options);
    let scene = reading.lift(&options).expect("it is read and lifted");
    let errors: Vec<_> = reading.issues.iter().filter(|issue| issue.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    assert_scene(&scene);
    Lifted { scene, issues: reading.issues, provenance: None }
}

/// Lowers a Scene to a GLB, keeps it for the Khronos validator, and says what it cost.
fn write_glb(scene: &Scene, test: &str, name: &str) -> (Vec<u8>, LossReport) {
    let mut losses = LossReport::new();
    let model =
        (format().lower)(assert_scene(scene), &WriteOptions::default(), &mut losses).expect("it is lowered");
    let Output { bytes, .. } = model.write().expect("it is written");
    keep(test, &format!("{name}.glb"), &bytes);
    (bytes, losses)
}

/// Where the validator step of `cargo xtask test` looks.
fn keep(test: &str, name: &str, bytes: &[u8]) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("glb").join(test);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    std::fs::write(folder.join(name), bytes).expect("the file can be written");
}

/// The JSON of a GLB or a `.gltf`.
fn json_of(bytes: &[u8]) -> Value {
    let text = if bytes.starts_with(b"glTF") {
        let length = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        &bytes[20..20 + length]
    } else {
        bytes
    };
    serde_json::from_slice(text).expect("it is JSON")
}

fn folder_of(file: &TestFile) -> Folder {
    Folder(file.path.parent().expect("a folder").to_owned())
}

#[test]
fn real_files_come_back_as_the_same_scene() {
    for file in real(format()) {
        let first = lift(&file.bytes, &folder_of(&file)).scene;
        let (glb, losses) = write_glb(&first, "real", &file.stem());
        assert!(losses.is_empty(), "{}: {losses:#?}", file.name());
        let second = lift(&glb, &folder_of(&file)).scene;
        assert_same(&first, &second, &file.name());
        let (again, _) = write_glb(&second, "real", &file.stem());
        assert!(glb == again, "{} gives other bytes the second time", file.name());
    }
}

/// A table of instances, and what it has to come back as.
fn instanced(attributes: Value, count: usize) -> Vec<u8> {
    let floats = |values: &[f32]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let mut bin = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    for i in 0..count {
        bin.extend(floats(&[i as f32, 0.5, -1.0]));
    }
    for i in 0..count {
        bin.extend((i as u16 * 7).to_le_bytes());
        bin.extend([0; 2]);
    }
    let json = json!({
        "asset": { "version": "2.0" },
        "extensionsUsed": ["EXT_mesh_gpu_instancing"], "extensionsRequired": ["EXT_mesh_gpu_instancing"],
        "scene": 0, "scenes": [{ "nodes": [0] }],
        "nodes": [{ "children": [1] }, {
            "name": "forest", "mesh": 0, "translation": [1, 2, 3],
            "extensions": { "EXT_mesh_gpu_instancing": { "attributes": attributes } },
        }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 } }] }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5126, "count": count, "type": "VEC3" },
            { "bufferView": 2, "componentType": 5123, "count": count, "type": "SCALAR" },
            { "componentType": 5126, "count": 900_000, "type": "VEC3" },
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 36 },
            { "buffer": 0, "byteOffset": 36, "byteLength": 12 * count },
            { "buffer": 0, "byteOffset": 36 + 12 * count, "byteLength": 4 * count, "byteStride": 4 },
        ],
        "buffers": [{ "byteLength": bin.len() }],
    });
    let mut text = serde_json::to_vec(&json).expect("it is JSON");
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + text.len() as u32 + bin.len() as u32).to_le_bytes());
    for (kind, data) in [(b"JSON", &text), (b"BIN\0", &bin)] {
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(data);
    }
    bytes
}

#[test]
fn instances_are_nodes_and_go_back_into_their_table() {
    let bytes = instanced(json!({ "TRANSLATION": 1, "_KIND": 2 }), 5);
    let first = lift(&bytes, &NoFiles).scene;
    let shown = first.nodes.values().filter(|node| node.mesh.is_some()).count();
    assert_eq!((first.nodes.len(), shown), (7, 5));
    let (glb, losses) = write_glb(&first, "instances", "table");
    assert!(losses.is_empty(), "{losses:#?}");
    let json = json_of(&glb);
    assert_eq!(json["nodes"].as_array().map(Vec::len), Some(2), "{json:#}");
    assert_eq!(json["extensionsRequired"], json!(["EXT_mesh_gpu_instancing"]));
    assert!(json["nodes"][1]["extensions"]["EXT_mesh_gpu_instancing"]["attributes"]["_KIND"].is_number());
    assert_same(&first, &lift(&glb, &NoFiles).scene, "table");
    // One that became more than a row makes all of them nodes.
    let mut changed = first.clone();
    if let Some(node) = changed.nodes.values_mut().last() {
        node.name = "oak".to_owned();
    }
    let (glb, losses) = write_glb(&changed, "instances", "nodes");
    assert!(losses.is_empty(), "{losses:#?}");
    assert_eq!(json_of(&glb)["nodes"].as_array().map(Vec::len), Some(7));
    let places =
        |scene: &Scene| scene.nodes.values().map(|node| (node.mesh, node.transform)).collect::<Vec<_>>();
    assert_eq!(places(&changed), places(&lift(&glb, &NoFiles).scene));
}

#[test]
fn instances_that_cost_too_much_are_counted_and_left_out() {
    let bytes = instanced(json!({ "TRANSLATION": 3 }), 1);
    let mut options = ReadOptions::default();
    options.limits.memory_bytes = 16 << 20;
    options.limits.memory_ratio = 2;
    let mut reading = format().open(&bytes, &options);
    let scene = reading.lift(&options).expect("it is lifted");
    assert!(scene.nodes.len() < 100_000, "{}", scene.nodes.len());
    assert!(reading.issues.iter().any(|issue| issue.code.id == "file/limit"));
    let missing = reading.issues.damage().find(|damage| damage.what == "instances").expect("it is counted");
    assert_eq!(missing.count + scene.nodes.len() - 2, 900_000);
}

#[test]
fn the_sample_of_khronos_keeps_all_its_cubes() {
    let Some(shared) = shared() else { return };
    let file = TestFile::load(shared.join("corpus/attack/SimpleInstancing.glb"));
    let first = lift(&file.bytes, &NoFiles).scene;
    assert_eq!(first.nodes.values().filter(|node| node.mesh.is_some()).count(), 125);
    let (glb, losses) = write_glb(&first, "instances", "SimpleInstancing");
    assert!(losses.is_empty(), "{losses:#?}");
    assert_eq!(json_of(&glb)["nodes"].as_array().map(Vec::len), Some(1));
    assert_same(&first, &lift(&glb, &NoFiles).scene, "SimpleInstancing");
}

#[test]
fn a_file_that_is_not_understood_is_still_written_back() {
    let mut json = json_of(&instanced(json!({ "TRANSLATION": 1 }), 2));
    json["extensionsRequired"] = json!(["ACME_unheard_of"]);
    json["extensionsUsed"] = json!(["ACME_unheard_of", "EXT_mesh_gpu_instancing"]);
    json["accessors"][0]["max"] = json!([0, 0, 0]);
    json["buffers"][0]["uri"] = json!(format!("data:;base64,{}", "A".repeat(200)));
    let bytes = serde_json::to_vec(&json).expect("it is JSON");
    let mut options = ConvertOptions::default();
    options.write.extension = "gltf".to_owned();
    let back = convert(&bytes, Some("a.gltf"), format(), &options).expect("it is written back");
    assert!(back.output.bytes == bytes && back.losses.is_lossless(), "{:#?}", back.losses);
    for to in ["obj", "bmd", "das2"] {
        let to = Format::by_id(to).expect("it is registered");
        let failed = convert(&bytes, Some("a.gltf"), to, &options).expect_err("it is not understood");
        let last = failed.issues.iter().last().expect("it says why");
        assert_eq!((last.code.id, last.severity), ("gltf/extension-required", Severity::Error));
    }
    options.rebuild = true;
    assert!(convert(&bytes, Some("a.gltf"), format(), &options).is_err());
}

/// Equal Scenes; a difference is shown by its part, since whole Scenes are too long to read.
fn assert_same(a: &Scene, b: &Scene, name: &str) {
    if a == b {
        return;
    }
    macro_rules! parts {
        ($($part:ident)*) => { $(assert_eq!(a.$part, b.$part, "{name}: {}", stringify!($part));)* };
    }
    parts!(scenes default_scene nodes materials textures cameras lights skins animations ambient extras);
    for (a, b) in a.meshes.values().zip(b.meshes.values()) {
        for (a, b) in a.primitives.iter().zip(&b.primitives) {
            assert_eq!(a.extras, b.extras, "{name}");
            assert_eq!(a.normals, b.normals, "{name}");
            assert_eq!((&a.joints, &a.weights), (&b.joints, &b.weights), "{name}");
            assert_eq!(a, b, "{name}");
        }
        assert_eq!(a, b, "{name}");
    }
    panic!("{name}: the Scenes differ");
}

/// What must not change in number, counted in the JSON itself.
fn counts(json: &Value) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let mut add = |what: String, n: usize| *counts.entry(what).or_insert(0) += n;
    let list = |value: &Value, name: &str| value[name].as_array().cloned().unwrap_or_default();
    for name in
        ["scenes", "nodes", "meshes", "skins", "animations", "cameras", "materials", "images", "textures"]
    {
        add(name.to_owned(), list(json, name).len());
    }
    add("lights".to_owned(), list(&json["extensions"]["KHR_lights_punctual"], "lights").len());
    for name in list(json, "extensionsUsed") {
        add(format!("extension {name}"), 1);
    }
    for skin in list(json, "skins") {
        add("joints".to_owned(), list(&skin, "joints").len());
    }
    for animation in list(json, "animations") {
        for channel in list(&animation, "channels") {
            let sampler = channel["sampler"].as_u64().unwrap() as usize;
            let interpolation =
                animation["samplers"][sampler]["interpolation"].as_str().unwrap_or("LINEAR").to_owned();
            add(format!("channel {} {interpolation}", channel["target"]["path"]), 1);
        }
        add("samplers".to_owned(), list(&animation, "samplers").len());
    }
    for primitive in list(json, "meshes").iter().flat_map(|mesh| list(mesh, "primitives")) {
        add(format!("mode {}", primitive["mode"].as_u64().unwrap_or(4)), 1);
        add("targets".to_owned(), list(&primitive, "targets").len());
        for name in primitive["attributes"].as_object().unwrap().keys() {
            add(format!("attribute {name}"), 1);
        }
    }
    counts
}

#[test]
fn rebuilding_keeps_all_counts() {
    for file in real(format()) {
        let folder = folder_of(&file);
        let mut options = ConvertOptions::default();
        options.read.files = &folder;
        options.rebuild = true;
        let done = convert(&file.bytes, Some(&file.name()), format(), &options)
            .unwrap_or_else(|failed| panic!("{}: {:#?}", file.name(), failed.issues));
        keep("rebuilt", &format!("{}.glb", file.stem()), &done.output.bytes);
        assert_eq!(counts(&json_of(&file.bytes)), counts(&json_of(&done.output.bytes)), "{}", file.name());
    }
}

/// A pose by the `gltf` crate: for each node its matrix to the world, and the morph weights of its mesh.
struct Oracle {
    document: gltf::Document,
    bin: Vec<u8>,
}

impl Oracle {
    fn open(bytes: &[u8]) -> Self {
        let gltf::Gltf { document, blob } = gltf::Gltf::from_slice(bytes).expect("the oracle reads it");
        Self { document, bin: blob.expect("a GLB") }
    }

    fn pose(&self, animation: usize, seconds: f32) -> (Vec<glam::Mat4>, Vec<Vec<f32>>) {
        let nodes: Vec<_> = self.document.nodes().collect();
        let mut locals: Vec<_> = nodes.iter().map(|node| node.transform().decomposed()).collect();
        let mut weights: Vec<Vec<f32>> = nodes
            .iter()
            .map(|node| {
                let targets =
                    node.mesh().and_then(|m| m.primitives().next()).map_or(0, |p| p.morph_targets().count());
                let own = node.weights().or_else(|| node.mesh().and_then(|mesh| mesh.weights()));
                own.map_or(vec![0.0; targets], <[f32]>::to_vec)
            })
            .collect();
        for channel in self.document.animations().nth(animation).expect("it is there").channels() {
            use gltf::animation::util::ReadOutputs;
            let reader = channel.reader(|_| Some(&self.bin));
            let times: Vec<f32> = reader.read_inputs().expect("times").collect();
            let interpolation = channel.sampler().interpolation();
            let index = channel.target().node().index();
            match reader.read_outputs().expect("values") {
                ReadOutputs::Translations(values) => {
                    let values: Vec<Vec<f32>> = values.map(|v| v.to_vec()).collect();
                    locals[index].0 =
                        sample(&times, &values, interpolation, seconds, false).try_into().unwrap();
                }
                ReadOutputs::Rotations(values) => {
                    let values: Vec<Vec<f32>> = values.into_f32().map(|v| v.to_vec()).collect();
                    locals[index].1 =
                        sample(&times, &values, interpolation, seconds, true).try_into().unwrap();
                }
                ReadOutputs::Scales(values) => {
                    let values: Vec<Vec<f32>> = values.map(|v| v.to_vec()).collect();
                    locals[index].2 =
                        sample(&times, &values, interpolation, seconds, false).try_into().unwrap();
                }
                ReadOutputs::MorphTargetWeights(values) => {
                    let values: Vec<f32> = values.into_f32().collect();
                    let width = weights[index].len();
                    let values: Vec<Vec<f32>> = values.chunks(width).map(<[f32]>::to_vec).collect();
                    weights[index] = sample(&times, &values, interpolation, seconds, false);
                }
            }
        }
        let mut worlds = vec![glam::Mat4::IDENTITY; nodes.len()];
        let mut open: Vec<(gltf::Node<'_>, glam::Mat4)> = self
            .document
            .scenes()
            .flat_map(|scene| scene.nodes().map(|node| (node, glam::Mat4::IDENTITY)).collect::<Vec<_>>())
            .collect();
        while let Some((node, above)) = open.pop() {
            let (t, r, s) = locals[node.index()];
            let local =
                glam::Mat4::from_scale_rotation_translation(s.into(), glam::Quat::from_array(r), t.into());
            worlds[node.index()] = above * local;
            open.extend(node.children().map(|child| (child, above * local)));
        }
        (worlds, weights)
    }
}

/// The value of a sampler at a time, from glTF's own formulas.
fn sample(
    times: &[f32],
    values: &[Vec<f32>],
    interpolation: gltf::animation::Interpolation,
    seconds: f32,
    rotation: bool,
) -> Vec<f32> {
    use gltf::animation::Interpolation::{CubicSpline, Linear, Step};
    let cubic = interpolation == CubicSpline;
    let value = |key: usize| if cubic { &values[key * 3 + 1] } else { &values[key] };
    let last = times.len() - 1;
    if seconds <= times[0] {
        return value(0).clone();
    }
    if seconds >= times[last] {
        return value(last).clone();
    }
    let after = times.iter().position(|&t| t > seconds).unwrap();
    let before = after - 1;
    let span = times[after] - times[before];
    let t = (seconds - times[before]) / span;
    match interpolation {
        Step => value(before).clone(),
        Linear if rotation => {
            let quat = |v: &[f32]| glam::Quat::from_slice(v);
            quat(value(before)).slerp(quat(value(after)), t).to_array().to_vec()
        }
        Linear => value(before).iter().zip(value(after)).map(|(a, b)| a * (1.0 - t) + b * t).collect(),
        CubicSpline => {
            let (t2, t3) = (t * t, t * t * t);
            let (leave, arrive) = (&values[before * 3 + 2], &values[after * 3]);
            let mut result: Vec<f32> = (0..leave.len())
                .map(|i| {
                    (2.0 * t3 - 3.0 * t2 + 1.0) * value(before)[i]
                        + span * (t3 - 2.0 * t2 + t) * leave[i]
                        + (-2.0 * t3 + 3.0 * t2) * value(after)[i]
                        + span * (t3 - t2) * arrive[i]
                })
                .collect();
            if rotation {
                let length = result.iter().map(|x| x * x).sum::<f32>().sqrt();
                result.iter_mut().for_each(|x| *x /= length);
            }
            result
        }
    }
}

#[test]
fn poses_agree_with_an_independent_reader() {
    let wanted = ["Fox.glb", "RiggedSimple.glb", "AnimatedMorphCube.glb", "InterpolationTest.glb"];
    for file in real(format()).into_iter().filter(|file| wanted.contains(&file.name().as_str())) {
        let oracle = Oracle::open(&file.bytes);
        let scene = lift(&file.bytes, &folder_of(&file)).scene;
        assert!(!scene.animations.is_empty());
        let size = Pose::rest(&scene).bounds(&scene).map_or(1.0, |bounds| bounds.diagonal().max(1.0));
        for (index, animation) in scene.animations.iter().enumerate() {
            for step in 0..10 {
                let seconds = animation.seconds() * (step as f32 + 0.37) / 10.0;
                let pose = Pose::at(&scene, animation, seconds);
                let (worlds, weights) = oracle.pose(index, seconds);
                for node in 0..worlds.len() {
                    let off = (pose.worlds[node] - worlds[node]).to_cols_array();
                    let off = off.into_iter().fold(0.0f32, |m, x| m.max(x.abs()));
                    assert!(off < 1e-5 * size, "{}: node {node} is off by {off} at {seconds}", file.name());
                    for (a, b) in pose.weights[node].iter().zip(&weights[node]) {
                        assert!((a - b).abs() < 1e-5, "{}: a weight is {a} and not {b}", file.name());
                    }
                    assert_eq!(pose.weights[node].len(), weights[node].len());
                }
            }
        }
    }
}

/// A `.gltf` of one document, whose buffer is a data URI.
fn text_with(mut json: Value, bin: &[u8]) -> Vec<u8> {
    use base64::Engine as _;
    let data = base64::engine::general_purpose::STANDARD.encode(bin);
    json["asset"] = json!({ "version": "2.0" });
    if json.get("buffers").is_none() {
        json["buffers"] = json!([{ "byteLength": bin.len(), "uri": format!("data:application/octet-stream;base64,{data}") }]);
    }
    serde_json::to_vec(&json).unwrap()
}

#[test]
fn every_way_to_store_numbers_is_read() {
    // Three vertices, each way of storing 16 bits of colour; the numbers that must come out are beside them.
    let bytes = |values: &[i64], size: usize| -> Vec<u8> {
        values.iter().flat_map(|v| v.to_le_bytes().into_iter().take(size)).collect()
    };
    let floats = |values: &[f32]| -> Vec<u8> { values.iter().flat_map(|v| v.to_le_bytes()).collect() };
    let cases: [(u32, bool, Vec<u8>, [f32; 3]); 9] = [
        (5120, false, bytes(&[-128, 0, 127], 1), [-128.0, 0.0, 127.0]),
        (5120, true, bytes(&[-128, 0, 127], 1), [-1.0, 0.0, 1.0]),
        (5121, false, bytes(&[0, 51, 255], 1), [0.0, 51.0, 255.0]),
        (5121, true, bytes(&[0, 51, 255], 1), [0.0, 0.2, 1.0]),
        (5122, false, bytes(&[-32768, 0, 5], 2), [-32768.0, 0.0, 5.0]),
        (5122, true, bytes(&[-32768, 0, 32767], 2), [-1.0, 0.0, 1.0]),
        (5123, true, bytes(&[0, 13107, 65535], 2), [0.0, 0.2, 1.0]),
        (5125, false, bytes(&[0, 7, 1 << 20], 4), [0.0, 7.0, 1048576.0]),
        (5126, false, floats(&[0.5, -1.5, 3.25]), [0.5, -1.5, 3.25]),
    ];
    for stride in [None, Some(4u64), Some(12)] {
        for (component, normalized, data, expected) in &cases {
            let size = data.len() / 3;
            let step = stride.map_or(size, |stride| stride as usize);
            let mut bin = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
            for element in data.chunks(size) {
                bin.extend(element);
                bin.resize(bin.len() + step - size, 0xEE);
            }
            let length = bin.len() - 36;
            let mut view = json!({ "buffer": 0, "byteOffset": 36, "byteLength": length });
            if let Some(stride) = stride {
                view["byteStride"] = json!(stride);
            }
            let file = text_with(
                json!({
                    "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "_VALUE": 1 } }] }],
                    "nodes": [{ "mesh": 0 }],
                    "accessors": [
                        { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] },
                        { "bufferView": 1, "componentType": component, "normalized": normalized, "count": 3, "type": "SCALAR" },
                    ],
                    "bufferViews": [{ "buffer": 0, "byteLength": 36 }, view],
                }),
                &bin,
            );
            let scene = lift(&file, &menagerie::formats::NoFiles).scene;
            let primitive = &scene.meshes[Id::new(0)].primitives[0];
            assert_eq!(primitive.custom["_VALUE"].values, expected, "{component} {normalized} {stride:?}");
            assert_eq!(primitive.indices, [0, 1, 2], "without indices all vertices are drawn");
            // Stored again as it was, and so the same when read again.
            let (glb, losses) = write_glb(&scene, "numbers", &format!("{component}_{normalized}_{}", step));
            assert!(losses.is_empty());
            assert_same(&scene, &lift(&glb, &menagerie::formats::NoFiles).scene, "numbers");
            let stored = &json_of(&glb)["accessors"][1];
            // Vertex attributes may not be whole numbers of 32 bits.
            assert_eq!(stored["componentType"], json!(if *component == 5125 { 5126 } else { *component }));
        }
    }
}

#[test]
fn sparse_quantised_strips_and_fans() {
    // A strip of five, a fan, indices of one and two bytes; positions of 16 bits, one of them replaced.
    let positions: Vec<u8> = [0i16, 0, 0, 0, 10, 0, 0, 0, 0, 10, 0, 0, 10, 10, 0, 0, 0, 20, 0, 0]
        .into_iter()
        .flat_map(i16::to_le_bytes)
        .collect();
    let mut bin = positions;
    bin.extend([0, 1, 2, 3, 4, 0, 0, 0]);
    bin.extend([4u16, 0, 1, 3].into_iter().flat_map(u16::to_le_bytes));
    bin.extend([3, 0, 0, 0]);
    bin.extend([7i16, 8, 9, 0].into_iter().flat_map(i16::to_le_bytes));
    let file = text_with(
        json!({
            "extensionsUsed": ["KHR_mesh_quantization"], "extensionsRequired": ["KHR_mesh_quantization"],
            "nodes": [{ "mesh": 0 }],
            "scenes": [{ "nodes": [0] }],
            "meshes": [{ "primitives": [
                { "attributes": { "POSITION": 0 }, "indices": 1, "mode": 5 },
                { "attributes": { "POSITION": 0 }, "indices": 2, "mode": 6 },
            ] }],
            "accessors": [
                { "bufferView": 0, "componentType": 5122, "count": 5, "type": "VEC3", "min": [0, 0, 0], "max": [10, 20, 9],
                  "sparse": { "count": 1, "indices": { "bufferView": 3, "componentType": 5121 }, "values": { "bufferView": 4 } } },
                { "bufferView": 1, "componentType": 5121, "count": 5, "type": "SCALAR" },
                { "bufferView": 2, "componentType": 5123, "count": 4, "type": "SCALAR" },
            ],
            "bufferViews": [
                { "buffer": 0, "byteLength": 40, "byteStride": 8 },
                { "buffer": 0, "byteOffset": 40, "byteLength": 5 },
                { "buffer": 0, "byteOffset": 48, "byteLength": 8 },
                { "buffer": 0, "byteOffset": 56, "byteLength": 1 },
                { "buffer": 0, "byteOffset": 60, "byteLength": 6 },
            ],
        }),
        &bin,
    );
    let scene = lift(&file, &menagerie::formats::NoFiles).scene;
    let [strip, fan] = scene.meshes[Id::new(0)].primitives.as_slice() else { panic!("two primitives") };
    assert_eq!(strip.positions[3], [7.0, 8.0, 9.0], "the sparse value replaces the other");
    assert_eq!(strip.indices, [0, 1, 2, 1, 3, 2, 2, 3, 4]);
    assert_eq!(fan.indices, [0, 1, 4, 1, 3, 4]);
    assert_eq!(fan.topology, Topology::Triangles);
    let (glb, losses) = write_glb(&scene, "made", "strips");
    assert!(losses.is_empty());
    let json = json_of(&glb);
    assert_eq!(json["meshes"][0]["primitives"][0]["mode"], 5);
    assert_eq!(json["meshes"][0]["primitives"][1]["mode"], 6);
    assert_eq!(json["accessors"][0]["componentType"], 5122, "still quantised: {json}");
    assert_eq!(json["extensionsRequired"], json!(["KHR_mesh_quantization"]));
    assert_same(&scene, &lift(&glb, &menagerie::formats::NoFiles).scene, "strips");
    // Once a triangle is turned it is no strip any more.
    let mut changed = scene.clone();
    changed.meshes[Id::new(0)].primitives[0].indices.swap(0, 1);
    let (glb, _) = write_glb(&changed, "made", "no_strip");
    assert!(json_of(&glb)["meshes"][0]["primitives"][0].get("mode").is_none());
    // The triangles still are what they were.
    let back = lift(&glb, &menagerie::formats::NoFiles).scene;
    assert_eq!(
        back.meshes[Id::new(0)].primitives[0].indices,
        changed.meshes[Id::new(0)].primitives[0].indices
    );
}

#[test]
fn text_with_files_beside_it() {
    for file in real(format()) {
        let folder = folder_of(&file);
        let mut options = ConvertOptions::default();
        options.read.files = &folder;
        options.write.extension = "gltf".to_owned();
        options.write.stem = "a model".to_owned();
        options.rebuild = true;
        let done = convert(&file.bytes, Some(&file.name()), format(), &options).expect("it is converted");
        let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("glb/text").join(file.stem());
        std::fs::create_dir_all(&place).unwrap();
        std::fs::write(place.join("a model.gltf"), &done.output.bytes).unwrap();
        for (name, bytes) in &done.output.beside {
            std::fs::write(place.join(name), bytes).unwrap();
        }
        let back = lift(&done.output.bytes, &Folder(place)).scene;
        let first = lift(&file.bytes, &folder).scene;
        assert_eq!(first.meshes, back.meshes, "{}", file.name());
        assert_eq!(first.nodes, back.nodes, "{}", file.name());
        assert_eq!(first.animations, back.animations, "{}", file.name());
        assert_eq!(first.images.len(), back.images.len(), "{}", file.name());
    }
}

#[test]
fn phong_comes_back_unless_it_was_edited() {
    use menagerie::scene::{Material, Phong, Shading};
    let mut scene = Scene::default();
    let phong =
        Phong { specular: [0.5; 3], shininess: 20.0, diffuse: [0.2, 0.4, 0.6, 1.0], ..Phong::default() };
    scene.materials.push(Material { shading: Shading::Phong(Box::new(phong)), ..Material::default() });
    let (glb, _) = write_glb(&scene, "made", "phong");
    let mut json = json_of(&glb);
    assert_same(
        &scene,
        &lift(&serde_json::to_vec(&json).unwrap(), &menagerie::formats::NoFiles).scene,
        "phong",
    );
    json["materials"][0]["pbrMetallicRoughness"]["roughnessFactor"] = json!(0.125);
    let edited = lift(&serde_json::to_vec(&json).unwrap(), &menagerie::formats::NoFiles).scene;
    let Shading::MetallicRoughness(shading) = &edited.materials[Id::new(0)].shading else {
        panic!("the edit wins")
    };
    assert_eq!(shading.roughness, 0.125);
}

#[test]
fn times_before_zero_come_back() {
    let node = Id::new(0);
    let mut scene = Scene::default();
    scene.nodes.push(Node::default());
    let channel = |property, values: &[f32]| Channel {
        node,
        property,
        interpolation: Interpolation::Linear,
        times: vec![-1.5, 0.25],
        values: values.to_vec(),
        extras: Default::default(),
    };
    // The second has no values, because there is no morph target, and no place in glTF.
    let moving = channel(Property::Translation, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
    let channels = vec![moving, channel(Property::Weights, &[])];
    scene.animations.push(Animation { channels, ..Animation::default() });
    let (bytes, _) = write_glb(&scene, "gltf", "times_before_zero");
    assert_eq!(lift(&bytes, &NoFiles).scene.animations, scene.animations);
}

#[test]
fn compressed_views_are_unpacked_as_the_reference_does() {
    // `meshopt.glb` was packed with all modes and filters by the extension's own encoder; `meshopt_unpacked.glb` has
    // what its own decoder makes of that.
    let read = |stem: &str| {
        let file = crate::support::own("made", format())
            .into_iter()
            .find(|file| file.stem() == stem)
            .expect("it is there");
        lift(&file.bytes, &menagerie::formats::NoFiles).scene
    };
    let (packed, plain) = (read("meshopt"), read("meshopt_unpacked"));
    assert_eq!(packed.meshes, plain.meshes);
    assert_eq!(packed.animations, plain.animations);
    write_glb(&packed, "made", "meshopt");
}

/// Files by their names.
struct Named(Vec<(&'static str, Vec<u8>)>);

impl Files for Named {
    fn open(&self, name: &str) -> Result<Arc<[u8]>, NotFound> {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.map(|(_, bytes)| Arc::from(bytes.as_slice())).ok_or_else(NotFound::default)
    }
}

const QUAD: &str =
    "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl wood\nf 1/1 2/2 3/3\n";

fn picture() -> menagerie::pictures::Texels {
    let grey = |i: usize| [i as u8, 7, 255 - i as u8, 255];
    menagerie::pictures::Texels::new(4, 4, (0..16).map(grey).collect()).expect("its size is right")
}

#[test]
fn a_picture_that_is_not_there_is_kept_by_name_and_comes_back() {
    let mtl = b"newmtl wood\nmap_Kd planks.png\nnorm bumps.png\n".to_vec();
    let files = Named(vec![("a.mtl", mtl), ("bumps.png", picture().to_png().expect("PNG"))]);
    let obj = Format::by_id("obj").expect("OBJ is registered");
    for (how, images, referred) in [
        (MissingTextures::Name, 1, false),
        (MissingTextures::Placeholder, 2, true),
        (MissingTextures::Reference, 2, true),
    ] {
        let mut options = ConvertOptions::default();
        options.read.files = &files;
        options.write.missing_textures = how;
        let done = convert(QUAD.as_bytes(), Some("a.obj"), format(), &options).expect("it is converted");
        keep("missing", &format!("{how:?}.glb"), &done.output.bytes);
        let json = json_of(&done.output.bytes);
        assert_eq!(json["images"].as_array().map_or(0, Vec::len), images, "{how:?}: {json:#}");
        let material = &json["materials"][0]["pbrMetallicRoughness"]["baseColorTexture"];
        assert_eq!(material.is_object(), referred, "{how:?}: {json:#}");
        assert!(json["materials"][0]["normalTexture"].is_object());
        let back = convert(&done.output.bytes, Some("a.glb"), obj, &ConvertOptions::default());
        let back = back.expect("it is converted back");
        let (_, mtl) = back.output.beside.iter().find(|(name, _)| name == "model.mtl").expect("a library");
        let mtl = String::from_utf8_lossy(mtl);
        assert!(mtl.contains("map_Kd planks.png") && mtl.contains("norm -bm 1 bumps.png"), "{how:?}: {mtl}");
        let written: Vec<&str> = back.output.beside.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(written, ["model.mtl", "bumps.png"], "{how:?}");
    }
}

#[test]
fn pictures_become_what_the_target_can_use() {
    // Blue, green, red from the bottom up.
    let mut tga = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 24, 0];
    tga.extend([1, 2, 3, 4, 5, 6]);
    let mtl = b"newmtl wood\nmap_Kd art/planks.tga\n".to_vec();
    let files = Named(vec![("a.mtl", mtl), ("art/planks.tga", tga.clone())]);
    for (id, name) in
        [("bogle", "planks.png"), ("dgl2", "planks.png"), ("das2", "planks.png"), ("bo3d", "planks.tga")]
    {
        let to = Format::by_id(id).expect("it is registered");
        let mut options = ConvertOptions::default();
        options.read.files = &files;
        let done = convert(QUAD.as_bytes(), Some("a.obj"), to, &options).expect("it is converted");
        let (written, bytes) = done.output.beside.first().expect("a picture");
        assert_eq!(written, name, "{id}");
        let texels = menagerie::pictures::Texels::decode(bytes, written).expect("it can be decoded");
        assert_eq!(texels.list(), [[6, 5, 4, 255], [3, 2, 1, 255]], "{id}");
        let said = done.losses.additions().any(|added| added.message.contains("was made into PNG"));
        assert_eq!(said, name.ends_with("png"), "{id}: {:#?}", done.losses);
    }
    let stl = Format::by_id("stl").expect("it is registered");
    let mut options = ConvertOptions::default();
    options.read.files = &files;
    let done = convert(QUAD.as_bytes(), Some("a.obj"), stl, &options).expect("it is converted");
    assert!(done.output.beside.is_empty(), "STL refers to no picture");
}

#[test]
fn a_picture_takes_no_name_of_another() {
    let mtl = b"newmtl wood\nmap_Kd a/x.png\nmap_Ks b/x.png\n".to_vec();
    let mut other = picture();
    other.list_mut()[0] = [9, 9, 9, 255];
    let files = Named(vec![
        ("a.mtl", mtl),
        ("a/x.png", picture().to_png().expect("PNG")),
        ("b/x.png", other.to_png().expect("PNG")),
    ]);
    let there = Named(vec![("x_2.png", b"somebody's".to_vec())]);
    let mut options = ConvertOptions::default();
    options.read.files = &files;
    options.rebuild = true;
    options.target = Some(&there);
    let obj = Format::by_id("obj").expect("OBJ is registered");
    let done = convert(QUAD.as_bytes(), Some("a.obj"), obj, &options).expect("it is converted");
    let names: Vec<&str> = done.output.beside.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["model.mtl", "x.png", "x_3.png"]);
}
