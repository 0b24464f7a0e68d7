//! Malformed glTF: a code, a pointer and bytes for each, and never a panic.

use crate::support::own;
use menagerie::diag::Severity;
use menagerie::formats::{Format, ReadOptions};
use menagerie::scene::assert_scene;
use serde_json::{Value, json};

fn format() -> &'static Format {
    Format::by_id("gltf").expect("glTF is registered")
}

/// A sound triangle with a skin and an animation, to be broken.
fn sound() -> Value {
    json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
        "nodes": [{ "mesh": 0, "skin": 0, "children": [1] }, { "children": [2] }, {}],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0, "JOINTS_0": 2, "WEIGHTS_0": 3 }, "indices": 1 }] }],
        "skins": [{ "joints": [1, 2] }],
        "animations": [{
            "channels": [{ "sampler": 0, "target": { "node": 2, "path": "translation" } }],
            "samplers": [{ "input": 4, "output": 0 }],
        }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0] },
            { "bufferView": 1, "componentType": 5121, "count": 3, "type": "SCALAR" },
            { "bufferView": 2, "componentType": 5121, "count": 3, "type": "VEC4" },
            { "bufferView": 3, "componentType": 5126, "count": 3, "type": "VEC4" },
            { "bufferView": 4, "componentType": 5126, "count": 3, "type": "SCALAR", "min": [0], "max": [2] },
        ],
        "bufferViews": [
            { "buffer": 0, "byteLength": 36 },
            { "buffer": 0, "byteOffset": 36, "byteLength": 3 },
            { "buffer": 0, "byteOffset": 40, "byteLength": 12 },
            { "buffer": 0, "byteOffset": 52, "byteLength": 48 },
            { "buffer": 0, "byteOffset": 100, "byteLength": 12 },
        ],
        "buffers": [{ "byteLength": 112 }],
    })
}

fn bin() -> Vec<u8> {
    let floats = |values: &[f32]| -> Vec<u8> { values.iter().flat_map(|v| v.to_le_bytes()).collect() };
    let mut bin = floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    bin.extend([0, 1, 2, 0]);
    bin.extend([0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0]);
    bin.extend(floats(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.0]));
    bin.extend(floats(&[0.0, 1.0, 2.0]));
    bin
}

fn glb(json: &Value, bin: &[u8]) -> Vec<u8> {
    let mut text = serde_json::to_vec(json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + text.len() as u32 + bin.len() as u32).to_le_bytes());
    for (kind, data) in [(b"JSON", &text[..]), (b"BIN\0", bin)] {
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(data);
    }
    bytes
}

/// All issues of reading and lifting, as `code pointer`, each with bytes inside the file.
fn issues(bytes: &[u8], name: &str) -> Vec<(String, Severity)> {
    let options = ReadOptions::default();
    let mut reading = format().open(bytes, &options);
    if let Some(scene) = reading.lift(&options) {
        assert_scene(&scene);
    }
    let all: Vec<_> = reading.issues.iter().cloned().collect();
    if let Some(model) = reading.model {
        assert!(model.write().unwrap().bytes == bytes, "{name}: it is written back as it was");
        let _ = (model.layout(), model.summary());
    }
    for issue in &all {
        let span = issue.span.unwrap_or_else(|| panic!("{name}: {issue} has no bytes"));
        assert!(span.start <= span.end && span.end <= bytes.len() as u64, "{name}: {issue}");
    }
    all.into_iter().map(|issue| (format!("{} {}", issue.code.id, issue.path), issue.severity)).collect()
}

#[test]
fn the_sound_file_is_sound() {
    assert_eq!(issues(&glb(&sound(), &bin()), "sound"), []);
}

#[test]
fn each_fault_is_named_with_its_place() {
    type Break = fn(&mut Value);
    let faults: [(&str, Break); 40] = [
        ("gltf/reference /scene", |j| j["scene"] = json!(7)),
        ("gltf/reference /scenes/0/nodes/0", |j| j["scenes"][0]["nodes"][0] = json!(9)),
        ("gltf/reference /nodes/0/mesh", |j| j["nodes"][0]["mesh"] = json!(4)),
        ("gltf/reference /nodes/0/children/0", |j| j["nodes"][0]["children"][0] = json!(99)),
        ("gltf/reference /skins/0/joints/1", |j| j["skins"][0]["joints"][1] = json!(33)),
        ("gltf/reference /animations/0/channels/0/sampler", |j| {
            j["animations"][0]["channels"][0]["sampler"] = json!(1)
        }),
        ("gltf/reference /animations/0/samplers/0/input", |j| {
            j["animations"][0]["samplers"][0]["input"] = json!(50)
        }),
        ("gltf/reference /meshes/0/primitives/0/attributes/POSITION", |j| {
            j["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = json!(77);
        }),
        ("gltf/reference /bufferViews/1/buffer", |j| j["bufferViews"][1]["buffer"] = json!(5)),
        ("gltf/node-tree /nodes/2/children/0", |j| j["nodes"][2]["children"] = json!([1])),
        ("gltf/node-tree /nodes/2/children", |j| {
            j["nodes"][0]["children"] = json!([]);
            j["nodes"][2]["children"] = json!([1]);
        }),
        ("gltf/node-tree /nodes/1/children/0", |j| j["nodes"][1]["children"] = json!([1])),
        ("gltf/node-tree /scenes/0/nodes/1", |j| j["scenes"][0]["nodes"] = json!([0, 1])),
        ("gltf/accessor-range /accessors/0/count", |j| j["accessors"][0]["count"] = json!(4)),
        ("gltf/accessor-range /accessors/0/count", |j| j["accessors"][0]["count"] = json!(u64::MAX)),
        ("gltf/accessor-range /accessors/0/count", |j| j["accessors"][0]["byteOffset"] = json!(u64::MAX - 3)),
        ("file/limit /accessors/0/count", |j| {
            j["accessors"][0] = json!({ "componentType": 5126, "count": 1u64 << 40, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 0] });
        }),
        ("gltf/accessor-type /accessors/0/componentType", |j| {
            j["accessors"][0]["componentType"] = json!(5124)
        }),
        ("gltf/accessor-type /accessors/0/type", |j| j["accessors"][0]["type"] = json!("VEC5")),
        ("gltf/accessor-type /accessors/0/type", |j| {
            j["accessors"][0]["type"] = json!("VEC2");
            j["accessors"][0]["min"] = json!([0, 0]);
        }),
        ("gltf/accessor-bounds /accessors/0/max", |j| j["accessors"][0]["max"] = json!([1, 1, 1])),
        ("gltf/view-range /bufferViews/3", |j| j["bufferViews"][3]["byteOffset"] = json!(90)),
        ("gltf/view-range /bufferViews/3", |j| j["bufferViews"][3]["byteLength"] = json!(u64::MAX)),
        ("gltf/buffer-short /buffers/0/byteLength", |j| j["buffers"][0]["byteLength"] = json!(1 << 30)),
        ("gltf/buffer-missing /buffers/0", |j| j["buffers"][0]["uri"] = json!("not there.bin")),
        ("gltf/buffer-missing /buffers/0", |j| j["buffers"][0]["uri"] = json!("data:;base64,@@@@")),
        ("gltf/json-shape /accessors/1/count", |j| j["accessors"][1]["count"] = json!("three")),
        ("gltf/json-shape /accessors/1", |j| j["accessors"][1] = json!({})),
        ("gltf/json-shape /nodes/1/children", |j| j["nodes"][1]["children"] = json!([-1])),
        ("gltf/json-shape /meshes", |j| j["meshes"] = json!({})),
        ("gltf/version /asset/version", |j| j["asset"]["version"] = json!("1.0")),
        ("gltf/version /asset/minVersion", |j| j["asset"]["minVersion"] = json!("2.1")),
        ("gltf/extension-required /extensionsRequired/0", |j| {
            j["extensionsUsed"] = json!(["KHR_draco_mesh_compression"]);
            j["extensionsRequired"] = json!(["KHR_draco_mesh_compression"]);
        }),
        ("gltf/extension-undeclared /nodes/1/extensions/EXT_x", |j| {
            j["nodes"][1]["extensions"] = json!({ "EXT_x": {} })
        }),
        ("gltf/unknown-property /nodes/1/colour", |j| j["nodes"][1]["colour"] = json!(1)),
        ("gltf/sparse /accessors/0/sparse/count", |j| {
            j["accessors"][0]["sparse"] = json!({ "count": 4, "indices": { "bufferView": 1, "componentType": 5121 }, "values": { "bufferView": 0 } });
        }),
        ("gltf/morph /nodes/0/weights", |j| j["nodes"][0]["weights"] = json!([1, 2])),
        ("gltf/node-transform /nodes/1", |j| j["nodes"][1]["rotation"] = json!([0, 0, 0, 5])),
        ("gltf/meshopt /bufferViews/0/extensions/EXT_meshopt_compression", |j| {
            j["extensionsUsed"] = json!(["EXT_meshopt_compression"]);
            j["bufferViews"][0]["extensions"] = json!({ "EXT_meshopt_compression":
                { "buffer": 0, "byteLength": 40, "byteStride": 12, "count": 3, "mode": "ATTRIBUTES" } });
        }),
        ("gltf/joint-range /nodes/0/skin", |j| j["skins"][0]["joints"] = json!([1])),
    ];
    for (expected, apply) in faults {
        let mut json = sound();
        apply(&mut json);
        let found = issues(&glb(&json, &bin()), expected);
        assert!(found.iter().any(|(issue, _)| issue == expected), "{expected} is not among {found:#?}");
    }
}

#[test]
fn each_wrong_number_is_named_with_its_bytes() {
    let json = sound();
    let at = |offset: usize, value: &[u8]| {
        let mut bin = bin();
        bin[offset..offset + value.len()].copy_from_slice(value);
        glb(&json, &bin)
    };
    for (expected, bytes) in [
        ("gltf/not-finite /accessors/0", at(12, &f32::NAN.to_le_bytes())),
        ("gltf/index-range /accessors/1", at(37, &[200])),
        ("gltf/weights /accessors/3", at(56, &9.0f32.to_le_bytes())),
        ("gltf/joint-range /nodes/0/skin", at(40, &[77])),
        ("gltf/animation /accessors/4", at(104, &(-1.0f32).to_le_bytes())),
    ] {
        let found = issues(&bytes, expected);
        assert!(found.iter().any(|(issue, _)| issue == expected), "{expected} is not among {found:#?}");
    }
}

#[test]
fn broken_containers_are_named() {
    let whole = glb(&sound(), &bin());
    let patched = |at: usize, value: u32| {
        let mut bytes = whole.clone();
        bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
        bytes
    };
    let mut trailing = whole.clone();
    trailing.extend([0; 5]);
    for (expected, bytes) in [
        ("gltf/glb-version header.version", patched(4, 1)),
        ("gltf/glb-length header.length", patched(8, 7)),
        ("gltf/glb-length header.length", patched(8, u32::MAX)),
        ("gltf/glb-length header.length", whole[..whole.len() - 9].to_vec()),
        ("gltf/glb-chunk chunks[0].length", patched(12, u32::MAX)),
        ("gltf/glb-chunk chunks[1].length", whole[..whole.len() - 9].to_vec()),
        ("gltf/glb-json ", patched(16, 0x1234)),
        ("gltf/glb-json ", whole[..14].to_vec()),
        ("file/truncated header.length", whole[..10].to_vec()),
        ("gltf/trailing-bytes trailing", trailing),
        ("gltf/json-syntax ", b"{ \"asset\": { \"version\": \"2.0\" }, \n  oops }".to_vec()),
        ("gltf/json-syntax ", b"{\"asset\"".to_vec()),
        ("gltf/json-shape ", b"[ \"asset\" ]".to_vec()),
        ("gltf/json-depth ", [b"{\"asset\":".to_vec(), vec![b'['; 100_000]].concat()),
    ] {
        let found = issues(&bytes, expected);
        assert!(found.iter().any(|(issue, _)| issue == expected), "{expected} is not among {found:#?}");
    }
}

#[test]
fn a_mistake_in_the_text_is_pointed_at() {
    let text = b"{ \"asset\": { \"version\": \"2.0\" },\n  oops }";
    let reading = format().open(text, &ReadOptions::default());
    let issue = reading.issues.iter().next().expect("it is not JSON");
    let at = issue.span.expect("a place").start as usize;
    assert_eq!(&text[at..=at], b"o");
}

#[test]
fn sharing_does_not_multiply_memory() {
    // A hundred thousand primitives of the same thousand vertices would take gigabytes; the limit stops it.
    let mut json = sound();
    let primitive = json!({ "attributes": { "POSITION": 0 } });
    json["accessors"] = json!([{ "componentType": 5126, "count": 1_000_000, "type": "VEC3", "min": [0, 0, 0], "max": [0, 0, 0] }]);
    json["meshes"] = json!([{ "primitives": vec![primitive; 10_000] }]);
    json["nodes"] = json!([{}]);
    json["skins"] = json!([]);
    json["animations"] = json!([]);
    let start = std::time::Instant::now();
    let found = issues(&glb(&json, &bin()), "shared");
    assert!(found.iter().any(|(issue, _)| issue.starts_with("file/limit")), "{found:?}");
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}

#[test]
fn no_mutation_panics() {
    // A small generator with a fixed seed, so that a failure can be repeated.
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut seeds = vec![glb(&sound(), &bin())];
    seeds.extend(own("bad", format()).into_iter().map(|file| file.bytes));
    seeds.extend(
        crate::support::real(format()).into_iter().map(|file| file.bytes).filter(|bytes| bytes.len() < 8_000),
    );
    let words: [&[u8]; 12] = [
        b"0",
        b"-1",
        b"1e99",
        b"4294967295",
        b"18446744073709551615",
        b"null",
        b"[]",
        b"{}",
        b"\"\"",
        b"5121",
        b",",
        b"]",
    ];
    for seed in &seeds {
        for _ in 0..400 {
            let mut bytes = seed.clone();
            for _ in 0..1 + random(4) {
                let at = random(bytes.len());
                match random(4) {
                    0 => bytes[at] = random(256) as u8,
                    1 => bytes[at] = bytes[at].wrapping_add(1),
                    2 => {
                        let word = words[random(words.len())];
                        let end = (at + word.len()).min(bytes.len());
                        bytes[at..end].copy_from_slice(&word[..end - at]);
                    }
                    _ => bytes.truncate(at.max(1)),
                }
            }
            issues(&bytes, "mutated");
        }
    }
}

#[test]
fn notes_that_do_not_fit_are_not_believed() {
    let own = |note: Value| json!({ "menagerie": note });
    for (pointer, note) in [
        ("/meshes/0/primitives/0", json!({ "index_count": 1 })),
        ("/meshes/0", json!({ "no_primitives": true })),
        ("", json!({ "ambient": ["0x7fc00000", 0, 0, 1] })),
        ("/skins/0", json!({ "still_joint": true })),
        ("/nodes/2", json!({ "helper": true })),
        (
            "/animations/0",
            json!({ "empty_channels": [{ "node": 0, "property": "weights", "times": [2, 1] }] }),
        ),
    ] {
        let mut json = sound();
        // Weights for no primitive at all.
        json["meshes"][0]["weights"] = json!([]);
        let place = json.pointer_mut(pointer).expect("it is there");
        place["extras"] = own(note);
        if pointer == "/meshes/0" {
            json["meshes"][0]["primitives"][0]["targets"] = json!([{ "POSITION": 0 }]);
            json["meshes"][0]["weights"] = json!([0.5]);
        }
        let found = issues(&glb(&json, &bin()), pointer);
        assert!(found.iter().any(|(issue, _)| issue == "gltf/notes "), "{pointer}: {found:?}");
    }
}

#[test]
fn normals_of_any_length_get_unit_length() {
    for length in [1e-38f32, 1e-25, 1e-20, 1e-3, 1e18, 1e30] {
        let mut json = sound();
        json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = json!(5);
        let accessor = json!({ "bufferView": 5, "componentType": 5126, "count": 3, "type": "VEC3" });
        json["accessors"].as_array_mut().unwrap().push(accessor);
        let view = json!({ "buffer": 0, "byteOffset": 112, "byteLength": 36 });
        json["bufferViews"].as_array_mut().unwrap().push(view);
        json["buffers"][0]["byteLength"] = json!(148);
        let mut bin = bin();
        let normal = [0.6f32, 0.0, -0.8].map(|x| x * length);
        bin.extend([normal; 3].as_flattened().iter().flat_map(|x| x.to_le_bytes()));
        let name = format!("length {length:e}");
        let found = issues(&glb(&json, &bin), &name);
        assert_eq!(found, [("gltf/unit-length /accessors/5".to_owned(), Severity::Error)], "{name}");
    }
}

#[test]
fn many_cycles_and_levels_take_no_longer_than_their_number() {
    let start = std::time::Instant::now();
    let count = 50_000;
    let cycles: Vec<Value> = (0..count).map(|i| json!({ "children": [i] })).collect();
    let levels = (1..count).map(|i| match i {
        1 => json!({ "children": (2..count).collect::<Vec<_>>() }),
        _ => json!({ "extensions": { "MSFT_lod": { "ids": [1] } } }),
    });
    for nodes in [cycles, std::iter::once(json!({})).chain(levels).collect()] {
        let json = json!({
            "asset": { "version": "2.0" },
            "extensionsUsed": ["MSFT_lod"],
            "nodes": nodes,
        });
        let found = issues(&serde_json::to_vec(&json).unwrap(), "many");
        assert!(!found.is_empty());
    }
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
}
