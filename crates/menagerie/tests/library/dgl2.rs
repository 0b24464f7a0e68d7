//! DGL2: what the reader finds, what a change costs, where the Scene puts things, and the way back.

use crate::support::{TestFile, own, real};
use glam::Vec3;
use menagerie::convert::{ConvertOptions, convert};
use menagerie::diag::{Issues, LossReport, Severity};
use menagerie::diff::{DiffOptions, diff};
use menagerie::formats::dgl2::{self, ChunkData, FORMAT, MaterialData, Model, VDirection, dml, kind};
use menagerie::formats::{Format, ReadOptions, WriteOptions};
use menagerie::scene::{Pose, Scene, assert_scene};
use serde_json::{Value, json};

fn read(file: &TestFile) -> Model {
    dgl2::read(&file.bytes, &mut Issues::default()).unwrap_or_else(|issue| panic!("{}: {issue}", file.name()))
}

fn all_files() -> Vec<TestFile> {
    let mut files = own("made", &FORMAT);
    files.extend(real(&FORMAT));
    files
}

fn lifted(model: &Model) -> Scene {
    let scene = dgl2::lift(model, &ReadOptions::default()).scene;
    assert_scene(&scene);
    scene
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The model in the words of the JSON files beside the corpus.
fn describe(model: &Model, bytes: usize) -> Value {
    let raw = |data: &ChunkData| match data {
        ChunkData::Raw(bytes) => hex(bytes),
        _ => String::new(),
    };
    let pairs = |text: &[u8]| -> Value {
        dml::Dml::parse(text).to_pairs().into_iter().map(|(name, value)| json!([name, value])).collect()
    };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let floats = |list: &[[zerocopy::little_endian::F32; 3]]| -> Value {
        list.iter().map(|v| json!(v.map(|x| x.get()))).collect()
    };
    let pairs2 = |list: &[[zerocopy::little_endian::F32; 2]]| -> Value {
        list.iter().map(|v| json!(v.map(|x| x.get()))).collect()
    };
    let meshes = model.meshes().map(|(_, chunk, triangles)| {
        let triangles: Vec<Value> = triangles
            .iter()
            .map(|t| {
                json!({
                    "mat": t.material.get(), "v": floats(&t.positions), "n": floats(&t.normals),
                    "uv1": pairs2(&t.uv1), "uv2": pairs2(&t.uv2),
                })
            })
            .collect();
        json!({ "id": chunk.id, "name": chunk.name_text(), "triangles": triangles })
    });
    let materials = model.materials().map(|(_, chunk, material)| {
        let (layout, extra) = match material {
            MaterialData::Sized(properties) => ("sized", properties.after.len()),
            MaterialData::Bare(_) => ("bare", 0),
        };
        json!({
            "id": chunk.id, "name": chunk.name_text(), "layout": layout, "extra_bytes": extra,
            "dml": text(material.text()), "properties": pairs(material.text()),
        })
    });
    let entities = model.entities().map(|(_, chunk, e)| {
        let parsed = e.properties.parse();
        let flag =
            |name: &str, default: bool| parsed.get(name).and_then(dml::Value::as_bool).unwrap_or(default);
        json!({
            "id": chunk.id, "name": chunk.name_text(), "type": e.kind, "material_id": e.material,
            "mesh_id": e.mesh, "position": e.position, "rotation_xyzw": e.rotation, "scaling": e.scaling,
            "dml": text(&e.properties.text), "properties": pairs(&e.properties.text),
            "extra_bytes": e.properties.after.len(),
            "visible": flag("visible", true), "transparent": flag("transparent", false),
        })
    });
    let headers = model
        .of_kind(kind::HEADER)
        .map(|(_, chunk)| json!({ "id": chunk.id, "name": chunk.name_text(), "data_hex": raw(&chunk.data) }));
    let unknown = model.chunks.iter().filter(|chunk| chunk.kind > kind::ENTITY).map(|chunk| {
        json!({ "type": chunk.kind, "id": chunk.id, "name": chunk.name_text(), "data_hex": raw(&chunk.data) })
    });
    json!({
        "headers": headers.collect::<Vec<_>>(),
        "meshes": meshes.collect::<Vec<_>>(),
        "materials": materials.collect::<Vec<_>>(),
        "entities": entities.collect::<Vec<_>>(),
        "unknown": unknown.collect::<Vec<_>>(),
        "has_end": model.of_kind(kind::END).next().is_some(),
        "trailing_bytes": model.trailing.len(),
        "file_bytes": bytes,
    })
}

/// Every value in `expected` is in `found`.
fn contains(expected: &Value, found: &Value, path: &str) {
    match (expected, found) {
        (Value::Object(expected), _) => {
            for (key, value) in
                expected.iter().filter(|(key, _)| !["note", "dml_is_canonical"].contains(&key.as_str()))
            {
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
            assert_eq!(expected.as_f64().map(|x| x as f32), found.as_f64().map(|x| x as f32), "{path}");
        }
        _ => assert_eq!(expected, found, "{path}"),
    }
}

#[test]
fn the_reader_finds_every_expected_value() {
    for file in own("made", &FORMAT) {
        let expected = file.expected().expect("every made file has its values");
        contains(&expected, &describe(&read(&file), file.bytes.len()), &file.name());
    }
}

#[test]
fn the_level_is_as_large_as_it_should_be() {
    for file in real(&FORMAT).into_iter().filter(|file| file.name() == "level.dgl2") {
        let model = read(&file);
        let summary = model.summary();
        assert_eq!(
            summary.contents,
            [("trimeshes", 160), ("materials", 15), ("entities", 185), ("unknown_chunks", 0)]
        );
        assert_eq!(summary.triangles, 2896);
        let scene = lifted(&model);
        let bounds = Pose::rest(&scene).bounds_with(&scene, FORMAT.hidden).expect("bounds");
        let near = |a: Vec3, b: [f32; 3]| (a - Vec3::from_array(b)).abs().max_element() < 0.001;
        assert!(
            near(bounds.min, [-20.0, -2.0, -23.0]) && near(bounds.max, [52.0, 25.919, 9.0]),
            "{bounds:?}"
        );
        assert_eq!(scene.nodes.values().filter(|node| node.light.is_some()).count(), 14);
        the_level_as_glb(&file, &model);
    }
}

/// The level as GLB: lights, hidden entities, textures by their roles, and no mesh that needs more than one draw for a
/// TRIMESH and a material.
fn the_level_as_glb(file: &TestFile, model: &Model) {
    let gltf = Format::by_id("gltf").expect("glTF is there");
    let mut options = ConvertOptions::default();
    options.write.extension = "glb".to_owned();
    let done = convert(&file.bytes, Some("level.dgl2"), gltf, &options).unwrap();
    let scene = gltf.open(&done.output.bytes, &ReadOptions::default()).model.unwrap();
    let scene = scene.lift(&ReadOptions::default()).unwrap().scene;
    assert_scene(&scene);
    let text = String::from_utf8_lossy(&done.output.bytes);
    assert!(text.contains("KHR_lights_punctual") && text.contains("KHR_node_visibility"));
    assert_eq!(scene.lights.len(), 14);
    let hidden = |scene: &Scene| scene.nodes.values().filter(|node| !node.visible).count();
    assert_eq!(hidden(&scene), hidden(&lifted(model)));
    assert!(hidden(&scene) > 0);
    assert!(scene.meshes.len() <= 160, "{} meshes", scene.meshes.len());
    for mesh in scene.meshes.values() {
        let mut materials: Vec<_> = mesh.primitives.iter().map(|primitive| primitive.material).collect();
        materials.sort_unstable();
        let count = materials.len();
        materials.dedup();
        assert_eq!(materials.len(), count, "{}: a material is drawn twice", mesh.name);
    }
    let normal_maps = scene.materials.values().filter(|material| material.normal_texture.is_some()).count();
    assert!(scene.materials.len() == 15 && normal_maps > 0 && scene.images.len() > 10, "{normal_maps}");
}

#[test]
fn which_way_up_v_is_can_be_told() {
    for file in real(&FORMAT) {
        let folder = file.path.parent().and_then(|folder| folder.file_name()).unwrap_or_default().to_owned();
        let expected = match folder.to_str() {
            Some("models" | "level_001") => Some(VDirection::Top),
            Some("gravity-gun") => Some(VDirection::Bottom),
            _ => continue,
        };
        assert_eq!(VDirection::infer(&read(&file)), expected, "{}", file.name());
    }
    assert_eq!(VDirection::infer(&Model::default()), None);
}

#[test]
fn changing_one_property_changes_only_its_text() {
    let file = own("made", &FORMAT).into_iter().find(|file| file.stem() == "braced").expect("braced");
    let mut model = read(&file);
    let map = model.byte_map();
    let (index, _, _) = model.materials().next().expect("a material");
    let span = map.find(&format!("chunks[{index}].dml")).unwrap().range().unwrap();
    let ChunkData::Material(MaterialData::Sized(properties)) = &mut model.chunks[index].data else {
        panic!("sized")
    };
    properties.text = dml::set(&properties.text, "shadeless", "0").unwrap();
    let written = model.to_bytes();
    assert_eq!(written.len(), file.bytes.len());
    let differing: Vec<usize> = (0..written.len()).filter(|&i| written[i] != file.bytes[i]).collect();
    assert!(differing.len() == 1 && span.contains(&differing[0]), "{differing:?}");
}

#[test]
fn through_the_scene_and_back_changes_nothing() {
    for file in all_files() {
        let scene = lifted(&read(&file));
        let mut losses = LossReport::new();
        let back = dgl2::lower(assert_scene(&scene), &WriteOptions::default(), &mut losses);
        let again = lifted(&back);
        let report = diff(assert_scene(&scene), assert_scene(&again), &DiffOptions::default());
        assert!(report.is_equal(), "{}: {:#?}", file.name(), report.differences);
    }
}

#[test]
fn through_glb_and_back_is_equal() {
    let glb = Format::by_id("gltf").expect("glTF");
    for file in all_files() {
        let options = ConvertOptions::default();
        let there = convert(&file.bytes, Some(&file.name()), glb, &options)
            .unwrap_or_else(|failed| panic!("{}: {:?}", file.name(), failed.issues));
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("glb/dgl2");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{}.glb", file.stem())), &there.output.bytes).unwrap();
        let back = convert(&there.output.bytes, Some("x.glb"), &FORMAT, &options)
            .unwrap_or_else(|failed| panic!("{}: {:?}", file.name(), failed.issues));
        let again = dgl2::read(&back.output.bytes, &mut Issues::default()).expect("readable");
        let (before, after) = (lifted(&read(&file)), lifted(&again));
        let report = diff(assert_scene(&before), assert_scene(&after), &DiffOptions::default());
        assert!(report.is_equal(), "{}: {:#?}", file.name(), report.differences);
        let texts = |model: &Model| -> Vec<Vec<u8>> {
            model.entities().map(|(_, _, entity)| entity.properties.text.clone()).collect()
        };
        let faulty =
            |model: &Model| model.entities().any(|(_, _, e)| !e.properties.parse().faults.is_empty());
        if !faulty(&read(&file)) {
            assert_eq!(texts(&again), texts(&read(&file)), "{}: the properties and their order", file.name());
        }
    }
}

#[test]
fn faults_of_property_texts_are_warnings_with_a_place_in_the_text() {
    for (name, code) in [("dml_unterminated", "dgl2/dml-syntax"), ("dml_not_utf8", "dgl2/dml-not-utf8")] {
        let file = own("bad", &FORMAT).into_iter().find(|file| file.stem() == name).expect(name);
        let reading = file.read(&FORMAT);
        assert!(reading.model.is_some(), "{name} can be read");
        let issue = reading.issues.iter().find(|issue| issue.code.id == code).expect(code);
        assert_eq!(issue.severity, Severity::Warning);
        assert!(issue.span.is_some_and(|span| span.end <= file.bytes.len() as u64 && !span.is_empty()));
    }
}

#[test]
fn a_text_of_many_pairs_is_read_in_linear_time() {
    let text: Vec<u8> = (0..200_000).flat_map(|i| format!("p{i}=\"1\";p{i}=\"2\";").into_bytes()).collect();
    let start = std::time::Instant::now();
    assert_eq!(dml::Dml::parse(&text).pairs.len(), 400_000);
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[test]
fn beginnings_of_files_say_what_is_missing() {
    let mut files = own("made", &FORMAT);
    files.extend(real(&FORMAT));
    for file in files {
        // How many chunks a file has is not stated, so what is gone as a whole is not counted, but that the end is.
        crate::support::prefixes::counted(&FORMAT, &file, |_| Vec::new());
    }
}

/// A file of one entity, which shows a triangle, and one material with these texts.
fn with_texts(entity: &str, material: &str) -> Vec<u8> {
    let sized = |text: &str| [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat();
    let chunk = |kind: u16, id: i32, name: &str, data: &[u8]| {
        let mut bytes = kind.to_le_bytes().to_vec();
        bytes.extend(id.to_le_bytes());
        bytes.extend((name.len() as u16).to_le_bytes());
        bytes.extend((data.len() as u32).to_le_bytes());
        bytes.extend(name.as_bytes());
        bytes.extend(data);
        bytes
    };
    let corners =
        [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0];
    let triangle: Vec<u8> = corners.into_iter().chain([0.0; 12]).flat_map(f32::to_le_bytes).collect();
    let mesh = chunk(2, 0, "mesh", &[&[0; 4], &triangle[..]].concat());
    let mut place = vec![0; 4];
    place.extend([255; 4]);
    place.extend([0; 4]);
    place
        .extend([0.0f32, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0].into_iter().flat_map(f32::to_le_bytes));
    place.extend(sized(entity));
    let (entity, material) = (chunk(4, 0, "e", &place), chunk(3, 0, "m", &sized(material)));
    [chunk(0, -1, "Scene", &[]), mesh, entity, material, chunk(1, -1, "", &[])].concat()
}

#[test]
fn hidden_and_transparent_entities_are_so_in_the_scene() {
    use menagerie::scene::AlphaMode;
    for (text, visible, blends) in [
        ("", true, false),
        ("visible=\"0\";", false, false),
        ("transparent=\"1\";", true, true),
        ("visible=\"1\";transparent=\"0\";", true, false),
    ] {
        let scene = lifted(&dgl2::read(&with_texts(text, ""), &mut Issues::default()).unwrap());
        let node = scene.nodes.values().find(|node| node.mesh.is_some()).expect("a node with a mesh");
        let material = scene.materials.values().next().expect("a material");
        assert_eq!(node.visible, visible, "{text}");
        assert_eq!(matches!(material.alpha, AlphaMode::Blend(_)), blends, "{text}");
    }
}

#[test]
fn values_outside_of_what_the_document_lists_are_warnings() {
    for (entity, material, odd) in [
        ("visible=\"1\";", "texturesNum=\"8\";", false),
        ("visible=\"perhaps\";", "texturesNum=\"0\";", true),
        ("transparent=\"0\";", "shadeless=\"1\";", false),
        ("transparent=\"perhaps\";", "shadeless=\"1\";", true),
        ("transparent=\"1\";", "texturesNum=\"9\";", true),
        ("transparent=\"1\";", "texturesNum=\"-1\";", true),
    ] {
        let reading = FORMAT.open(&with_texts(entity, material), &ReadOptions::default());
        let found =
            reading.issues.iter().any(|issue| issue.code.id == "dgl2/dml-value" && issue.span.is_some());
        assert_eq!(found, odd, "{entity} {material}: {:?}", reading.issues.iter().collect::<Vec<_>>());
    }
}
