//! das2: what the reader finds in both profiles, how they are told apart, where the Scene puts things, and the way back.

use std::time::{Duration, Instant};

use crate::support::scenes::Random;
use crate::support::{TestFile, own, real};
use glam::Vec3;
use menagerie::bytes::Limits;
use menagerie::convert::{ConvertOptions, convert};
use menagerie::diag::LossReport;
use menagerie::diff::{DiffOptions, diff};
use menagerie::formats::das2::{
    self, Animation, Buffer, Channel, FORMAT, Framing, Header, IDENTITY, Interpolation, Joint, Kind, Level,
    Mesh, MeshGroup, Model, MorphTarget, NONE, Node, Numbering, Pbr, Phong, Placement, Profile, Record, Ref,
    SLOTS, Scene as Das2Scene, Skeleton, Target, Text,
};
use menagerie::formats::{Files, Format, NotFound, ReadOptions, WriteOptions};
use menagerie::scene::{Pose, Scene, assert_scene};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

fn read(file: &TestFile) -> Model {
    das2::read(&file.bytes, &Limits::default()).unwrap_or_else(|issue| panic!("{}: {issue}", file.name()))
}

/// All files with their values beside them.
fn described() -> Vec<(TestFile, Value)> {
    let mut files = own("made", &FORMAT);
    files.extend(own("bad", &FORMAT));
    files.extend(real(&FORMAT));
    files.into_iter().filter_map(|file| file.expected().map(|expected| (file, expected))).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn float(x: f32) -> Value {
    match x {
        _ if x.is_nan() => json!("NaN"),
        f32::INFINITY => json!("Infinity"),
        f32::NEG_INFINITY => json!("-Infinity"),
        _ => json!(f64::from(x)),
    }
}

fn floats(list: &[f32]) -> Value {
    list.iter().copied().map(float).collect()
}

fn text(text: &Text) -> Value {
    match std::str::from_utf8(&text.bytes) {
        Ok(text) => json!(text),
        Err(_) => json!({ "hex": hex(&text.bytes) }),
    }
}

fn word<'a>(words: &[&'a str], byte: u8) -> &'a str {
    words[usize::from(byte)]
}

fn id(id: u32) -> Value {
    if id == NONE { Value::Null } else { json!(id) }
}

/// The model in the words of the JSON files beside the corpus, apart from `issues`.
struct Describer<'a> {
    model: &'a Model,
    buffers: Vec<&'a Buffer>,
}

impl Describer<'_> {
    fn all(&self) -> Value {
        let model = self.model;
        let lists = model.lists();
        let header = &model.header;
        let order: Vec<&str> = model.records.iter().map(record_name).collect();
        json!({
            "profile": model.profile.name(),
            "numbering": if model.numbering == Numbering::Headings { "heading" } else { "table" },
            "compression": match model.framing {
                Framing::Raw => "none",
                Framing::Zlib { .. } if header.level == 0 => "zlib_level0",
                Framing::Zlib { .. } => "zlib",
                Framing::Zstd { .. } => "zstd",
            },
            "record_order": order,
            "header": {
                "author": text(&header.author),
                "comment": text(&header.comment),
                "vertices_count": header.vertices_count,
                "mesh_count": header.mesh_count,
                "animation_count": header.animation_count,
                "default_scene": header.default_scene,
                "level": header.level,
            },
            "buffers": lists.buffers.iter().map(|buffer| json!({
                "length": buffer.data.len(),
                "sha256": hex(&Sha256::digest(&buffer.data[..])),
            })).collect::<Vec<_>>(),
            "meshes": lists.meshes.iter().map(|mesh| self.mesh(&mut mesh.levels.iter())).collect::<Vec<_>>(),
            "mesh_groups": lists.mesh_groups.iter().map(|group| json!({
                "name": text(&group.name),
                "meshes": group.meshes.iter().copied().map(id).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "nodes": lists.nodes.iter().map(|node| {
                let Placement { rotation, translation, scale } = node.placement;
                json!({
                    "name": text(&node.name),
                    "children": node.children.iter().copied().map(id).collect::<Vec<_>>(),
                    "mesh_group": id(node.mesh_group),
                    "skeleton": id(node.skeleton),
                    "custom_transform": floats(&node.custom),
                    "rotation": floats(&rotation),
                    "translation": floats(&translation),
                    "scale": float(scale),
                })
            }).collect::<Vec<_>>(),
            "scenes": lists.scenes.iter().map(|scene| json!({
                "name": text(&scene.name),
                "roots": scene.roots.iter().copied().map(id).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "joints": lists.joints.iter().map(|joint| {
                let Placement { rotation, translation, scale } = joint.placement;
                json!({
                    "name": text(&joint.name),
                    "children": joint.children.iter().copied().map(id).collect::<Vec<_>>(),
                    "inverse_bind": floats(&joint.inverse_bind),
                    "rotation": floats(&rotation),
                    "translation": floats(&translation),
                    "scale": float(scale),
                })
            }).collect::<Vec<_>>(),
            "skeletons": lists.skeletons.iter().map(|skeleton| json!({
                "name": text(&skeleton.name),
                "parent": id(skeleton.parent),
                "joints": skeleton.joints.iter().copied().map(id).collect::<Vec<_>>(),
            })).collect::<Vec<_>>(),
            "animations": lists.animations.iter().map(|animation| {
                let mut value =
                    json!({ "channels": animation.channels.iter().copied().map(id).collect::<Vec<_>>() });
                if model.profile == Profile::Libdas2 {
                    value["name"] = text(&animation.name);
                }
                value
            }).collect::<Vec<_>>(),
            "channels": lists.channels.iter().map(|channel| describe_channel(channel)).collect::<Vec<_>>(),
            "phong_materials": lists.phong_materials.iter().map(|material| json!({
                "name": text(&material.name),
                "diffuse": floats(&material.diffuse),
                "specular": floats(&material.specular),
                "emission": floats(&material.emission),
                "diffuse_map": text(&material.diffuse_map),
                "specular_map": text(&material.specular_map),
                "emission_map": text(&material.emission_map),
            })).collect::<Vec<_>>(),
            "pbr_materials": lists.pbr_materials.iter().map(|material| {
                let mut value = json!({
                    "name": text(&material.name),
                    "albedo": floats(&material.albedo),
                    "emissive": floats(&material.emissive),
                    "roughness": float(material.roughness),
                    "metallic": float(material.metallic),
                    "ambient_occlusion": float(material.ambient_occlusion),
                    "albedo_map": text(&material.albedo_map),
                    "emission_map": text(&material.emission_map),
                    "metallic_map": text(&material.metallic_map),
                    "ambient_occlusion_map": text(&material.ambient_occlusion_map),
                });
                if model.profile == Profile::Spec {
                    value["roughness_map"] = text(&material.roughness_map);
                }
                value
            }).collect::<Vec<_>>(),
        })
    }

    fn place(&self, place: Ref) -> Value {
        match self.model.profile {
            Profile::Spec => json!({ "buffer": id(place.buffer), "offset": place.offset }),
            Profile::Libdas2 => json!({ "offset": place.offset }),
        }
    }

    fn places(&self, places: &[Ref; SLOTS]) -> Value {
        places.iter().map(|place| self.place(*place)).collect()
    }

    fn is_set(&self, place: Ref) -> bool {
        match self.model.profile {
            Profile::Spec => place.buffer != NONE,
            Profile::Libdas2 => place.offset != 0 && place.offset != NONE,
        }
    }

    /// A level and those nested in it.
    fn mesh(&self, levels: &mut std::slice::Iter<'_, Level>) -> Value {
        let level = levels.next().expect("as many levels as are counted");
        let lods: Vec<Value> = (0..level.lods).map(|_| self.mesh(levels)).collect();
        json!({
            "index": self.place(level.index),
            "draw_count": level.draw_count,
            "position": self.place(level.position),
            "normal": self.place(level.normal),
            "uv": self.places(&level.uv),
            "color": self.place(level.color),
            "joint_indices": self.places(&level.joint_indices),
            "joint_weights": self.places(&level.joint_weights),
            "material_type": word(&["unknown", "phong", "pbr"], level.material_type),
            "material_id": id(level.material),
            "morph_targets": level.morphs.iter().map(|morph| json!({
                "index": self.place(morph.index),
                "position": self.place(morph.position),
                "normal": self.place(morph.normal),
                "uv": self.places(&morph.uv),
                "color": self.place(morph.color),
            })).collect::<Vec<_>>(),
            "lods": lods,
            "geometry": self.geometry(level),
        })
    }

    /// The rows of an attribute; `None` when it reaches past its buffer.
    fn rows(&self, place: Ref, count: usize, size: usize) -> Option<&[u8]> {
        self.buffers.get(place.buffer as usize)?.data.get(place.offset as usize..)?.get(..count * size)
    }

    fn attribute(&self, place: Ref, count: usize, width: usize, always: bool) -> Value {
        if !always && !self.is_set(place) {
            return Value::Null;
        }
        let Some(bytes) = self.rows(place, count, width * 4) else { return json!({ "error": "range" }) };
        if count > 4096 {
            return json!({ "rows": count, "sha256": hex(&Sha256::digest(bytes)) });
        }
        let row = |row: &[u8]| -> Value {
            row.as_chunks().0.iter().map(|x| float(f32::from_le_bytes(*x))).collect()
        };
        bytes.chunks(width * 4).map(row).collect()
    }

    fn geometry(&self, level: &Level) -> Value {
        let draw = level.draw_count as usize;
        let indices: Option<Vec<u32>> = self.is_set(level.index).then(|| {
            let bytes = self.rows(level.index, draw, 4).unwrap_or_default();
            bytes.as_chunks().0.iter().map(|x| u32::from_le_bytes(*x)).collect()
        });
        let count = match &indices {
            Some(indices) => indices.iter().max().map_or(0, |max| *max as usize + 1),
            None => draw,
        };
        let always = self.model.profile == Profile::Libdas2;
        let joints = |place: &Ref| -> Value {
            if !self.is_set(*place) {
                return Value::Null;
            }
            let Some(bytes) = self.rows(*place, count, 8) else { return json!({ "error": "range" }) };
            let row = |row: &[u8]| -> Value {
                row.as_chunks().0.iter().map(|x| json!(u16::from_le_bytes(*x))).collect()
            };
            bytes.chunks(8).map(row).collect()
        };
        let uvs = |uv: &[Ref; SLOTS]| -> Value {
            uv.iter().map(|place| self.attribute(*place, count, 2, false)).collect()
        };
        json!({
            "vertex_count": count,
            "indices": indices,
            "positions": self.attribute(level.position, count, 3, always),
            "normals": self.attribute(level.normal, count, 3, false),
            "uvs": uvs(&level.uv),
            "colors": self.attribute(level.color, count, 4, false),
            "joint_indices": level.joint_indices.iter().map(joints).collect::<Vec<_>>(),
            "joint_weights": level.joint_weights.iter()
                .map(|place| self.attribute(*place, count, 4, false)).collect::<Vec<_>>(),
            "morph_targets": level.morphs.iter().map(|morph| json!({
                "positions": self.attribute(morph.position, count, 3, false),
                "normals": self.attribute(morph.normal, count, 3, false),
                "uvs": uvs(&morph.uv),
                "colors": self.attribute(morph.color, count, 4, false),
            })).collect::<Vec<_>>(),
        })
    }
}

fn record_name(record: &Record) -> &'static str {
    match record {
        Record::Buffer(_) => "buffer",
        Record::Mesh(_) => "mesh",
        Record::MeshGroup(_) => "mesh_group",
        Record::Node(_) => "node",
        Record::Scene(_) => "scene",
        Record::Joint(_) => "joint",
        Record::Skeleton(_) => "skeleton",
        Record::Animation(_) => "animation",
        Record::Channel(_) => "channel",
        Record::Phong(_) => "phong",
        Record::Pbr(_) => "pbr",
    }
}

fn describe_channel(channel: &Channel) -> Value {
    let width = channel.width();
    // An unknown target has rows without values.
    let rows = |values: &[f32], per: usize| -> Vec<Value> {
        (0..channel.times.len() * per).map(|i| floats(&values[i * width..(i + 1) * width])).collect()
    };
    let tangents: Value = match channel.interpolation {
        Interpolation::Cubic => {
            rows(&channel.tangents, 2).chunks(2).map(|pair| Value::from(pair.to_vec())).collect()
        }
        _ => Value::Null,
    };
    json!({
        "node": id(channel.node),
        "joint": id(channel.joint),
        "target": word(&["unknown", "weights", "translation", "rotation", "scale"], channel.target.byte()),
        "interpolation": word(&["unknown", "linear", "step", "cubic_spline"], channel.interpolation.byte()),
        "weight_count": channel.weight_count,
        "keyframes": floats(&channel.times),
        "tangents": tangents,
        "values": rows(&channel.values, 1),
    })
}

/// Both values are the same; `{"error": …}` may have any text.
fn same(expected: &Value, found: &Value, path: &str) {
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) if !expected.contains_key("error") => {
            for (key, value) in expected {
                let found = found.get(key).unwrap_or_else(|| panic!("{path}.{key} is not found"));
                same(value, found, &format!("{path}.{key}"));
            }
            assert_eq!(expected.len(), found.len(), "{path} has more than {expected:?}");
        }
        (Value::Object(_), _) => assert!(found.get("error").is_some(), "{path} should not be readable"),
        (Value::Array(expected), Value::Array(found)) => {
            assert_eq!(expected.len(), found.len(), "{path}");
            for (i, (expected, found)) in expected.iter().zip(found).enumerate() {
                same(expected, found, &format!("{path}[{i}]"));
            }
        }
        (Value::Number(expected), Value::Number(found)) => {
            assert_eq!(expected.as_f64(), found.as_f64(), "{path}");
        }
        _ => assert_eq!(expected, found, "{path}"),
    }
}

#[test]
fn the_reader_finds_every_expected_value() {
    let files = described();
    assert!(files.len() >= 14);
    for (file, mut expected) in files {
        let model = read(&file);
        let issues = expected.as_object_mut().unwrap().remove("issues").unwrap();
        let found = Describer { model: &model, buffers: model.lists().buffers.clone() }.all();
        same(&expected, &found, &file.name());
        let reading = file.read(&FORMAT);
        let serious = reading.issues.iter().any(|issue| issue.severity != menagerie::diag::Severity::Info);
        assert_eq!(serious, issues != json!([]), "{}: {:#?}", file.name(), reading.issues);
    }
}

#[test]
fn compressed_bodies_are_rewritten_byte_for_byte_inside() {
    let mut compressed = 0;
    for (file, _) in described() {
        let model = read(&file);
        let written = model.to_bytes().unwrap();
        let again = das2::read(&written, &Limits::default()).unwrap();
        assert_eq!(again.body(), model.body(), "{}", file.name());
        if model.framing == Framing::Raw {
            assert!(written == file.bytes, "{}", file.name());
        } else {
            compressed += 1;
            let header = model.byte_map().find("header").unwrap().range().unwrap();
            assert_eq!(written[header.clone()], file.bytes[header], "{}", file.name());
        }
    }
    assert!(compressed > 5);
}

/// What a file of one level must be to be read again.
fn raw(profile: Profile, numbering: Numbering, records: Vec<Record>) -> Model {
    let header = Header { author: Text::new("test"), ..Header::default() };
    Model { profile, numbering, header, framing: Framing::Raw, records, trailing: Vec::new(), damaged: None }
}

/// A small file of random records whose references exist.
fn random_model(r: &mut Random) -> Model {
    let profile = if r.one_in(2) { Profile::Spec } else { Profile::Libdas2 };
    let table = profile == Profile::Spec && r.one_in(2);
    let numbering = if table { Numbering::Tables } else { Numbering::Headings };
    let name = |r: &mut Random| Text::new(["", "a", "root", "Brücke", "x y", "Cube"][r.below(6)]);
    let mut records = vec![Record::Buffer(Buffer { data: vec![7; r.below(64)].into() })];
    let meshes = r.below(3);
    for _ in 0..meshes {
        let mut level = Level { lods: r.below(2) as u32, ..Level::default() };
        if profile == Profile::Libdas2 {
            let unset = Ref { buffer: 0, offset: 0 };
            level = Level {
                index: unset,
                position: unset,
                normal: unset,
                uv: [unset; SLOTS],
                color: unset,
                joint_indices: [unset; SLOTS],
                joint_weights: [unset; SLOTS],
                ..level
            };
        }
        if r.one_in(3) {
            level.morphs.push(MorphTarget {
                index: level.index,
                position: level.position,
                normal: level.normal,
                uv: level.uv,
                color: level.color,
            });
        }
        let below = Level { lods: 0, ..level.clone() };
        let levels = if level.lods == 1 { vec![level, below] } else { vec![level] };
        records.push(Record::Mesh(Mesh { levels }));
    }
    let some = |r: &mut Random, count: usize| (0..count).filter(|_| r.one_in(2)).map(|i| i as u32).collect();
    let groups = r.below(3);
    for _ in 0..groups {
        records.push(Record::MeshGroup(MeshGroup { name: name(r), meshes: some(r, meshes) }));
    }
    let nodes = r.below(4);
    for i in 0..nodes {
        let mesh_group = if groups > 0 { r.below(groups) as u32 } else { NONE };
        let children = if i + 1 < nodes && r.one_in(2) { vec![i as u32 + 1] } else { Vec::new() };
        records.push(Record::Node(Node { name: name(r), children, mesh_group, ..Node::default() }));
    }
    for _ in 0..r.below(3) {
        let roots = if nodes > 0 { vec![0] } else { Vec::new() };
        records.push(Record::Scene(Das2Scene { name: name(r), roots }));
    }
    let joints = r.below(4);
    for _ in 0..joints {
        records.push(Record::Joint(Joint { name: name(r), inverse_bind: IDENTITY, ..Joint::default() }));
    }
    for _ in 0..r.below(2) {
        records.push(Record::Skeleton(Skeleton { name: name(r), parent: NONE, joints: some(r, joints) }));
    }
    let channels = if nodes > 0 { r.below(3) } else { 0 };
    let animations = r.below(3);
    for _ in 0..animations {
        let name = if profile == Profile::Libdas2 { name(r) } else { Text::default() };
        records.push(Record::Animation(Animation { name, channels: some(r, channels) }));
    }
    for _ in 0..channels {
        records.push(Record::Channel(Channel {
            node: 0,
            joint: NONE,
            target: Target::Translation,
            interpolation: Interpolation::Linear,
            weight_count: 0,
            times: vec![0.0, 1.0],
            tangents: Vec::new(),
            values: vec![0.5; 6],
        }));
    }
    for _ in 0..r.below(2) {
        records.push(Record::Phong(Phong {
            name: name(r),
            diffuse: [1.0; 4],
            specular: [0.5; 4],
            emission: [0.0; 4],
            diffuse_map: name(r),
            specular_map: name(r),
            emission_map: name(r),
        }));
    }
    for _ in 0..r.below(2) {
        records.push(Record::Pbr(Pbr {
            name: name(r),
            albedo: [1.0; 4],
            emissive: [0.5; 4],
            roughness: 0.5,
            metallic: 0.25,
            ambient_occlusion: 1.0,
            albedo_map: name(r),
            emission_map: name(r),
            roughness_map: if profile == Profile::Spec { name(r) } else { Text::default() },
            metallic_map: name(r),
            ambient_occlusion_map: name(r),
        }));
    }
    let mut model = raw(profile, numbering, records);
    model.header = Header {
        author: name(r),
        comment: name(r),
        mesh_count: meshes as u32,
        animation_count: animations as u32,
        ..Header::default()
    };
    if r.one_in(4) && profile == Profile::Libdas2 {
        // The library leaves the hash of strings that nobody set at zero.
        if model.header.comment.bytes.is_empty() {
            model.header.comment.hash = 0;
        }
    }
    model.header.level = u8::from(r.one_in(10));
    model.framing = match (model.header.level, profile) {
        (0, _) => Framing::Raw,
        (_, Profile::Spec) => Framing::Zlib { stored: None },
        (_, Profile::Libdas2) => Framing::Zstd { stored: None },
    };
    model
}

#[test]
fn profiles_and_numberings_are_told_apart() {
    let mut r = Random::new(1);
    let mut seen = [0; 3];
    for round in 0..10_000 {
        let model = random_model(&mut r);
        let bytes = model.to_bytes().unwrap();
        let found = das2::read(&bytes, &Limits::default()).unwrap_or_else(|issue| panic!("{round}: {issue}"));
        assert_eq!(found.profile, model.profile, "{round}: {model:#?}");
        // Buffers and meshes alone say nothing about the numbering.
        let telling = model.records.iter().any(|r| !matches!(r, Record::Buffer(_) | Record::Mesh(_)));
        if telling {
            assert_eq!(found.numbering, model.numbering, "{round}: {model:#?}");
        }
        assert_eq!(found.records, model.records, "{round}");
        seen[usize::from(model.profile == Profile::Libdas2)] += 1;
        seen[2] += usize::from(model.numbering == Numbering::Tables && telling);
    }
    assert!(seen.iter().all(|count| *count > 2000), "{seen:?}");
}

#[test]
fn a_bomb_is_stopped_at_the_limit() {
    let records = vec![Record::Buffer(Buffer { data: vec![0; 40 << 20].into() })];
    for (profile, framing) in
        [(Profile::Spec, Framing::Zlib { stored: None }), (Profile::Libdas2, Framing::Zstd { stored: None })]
    {
        let mut model = raw(profile, Numbering::Headings, records.clone());
        model.header.level = 9;
        model.framing = framing;
        let bytes = model.to_bytes().unwrap();
        let mut options = ReadOptions::default();
        options.limits.inflate_ratio = 20;
        let reading = FORMAT.open(&bytes, &options);
        let issue = reading.issues.iter().next().unwrap();
        assert!(reading.model.is_none() && issue.code.id == "file/limit", "{issue}");
        assert!(issue.message.contains("inflates to more than the limit of 1048576 bytes"), "{issue}");
        options.limits.inflate_ratio = u64::MAX;
        options.limits.inflated_bytes = 1 << 20;
        let reading = FORMAT.open(&bytes, &options);
        assert_eq!(reading.issues.iter().next().unwrap().code.id, "file/limit");
        options.limits.inflated_bytes = 1 << 30;
        assert!(FORMAT.open(&bytes, &options).model.is_some());
    }
}

#[test]
fn deep_levels_of_detail_cost_no_stack() {
    for depth in [400, 200_000] {
        let level = |lods| Level { lods, ..Level::default() };
        let levels: Vec<Level> = (0..depth).map(|i| level(u32::from(i + 1 < depth))).collect();
        let scene = Record::Scene(Das2Scene::default());
        let group = Record::MeshGroup(MeshGroup { meshes: vec![0], ..MeshGroup::default() });
        let node = Record::Node(Node { mesh_group: 0, ..Node::default() });
        let mesh = Record::Mesh(Mesh { levels });
        let model = raw(Profile::Spec, Numbering::Headings, vec![mesh, group, node, scene]);
        let bytes = model.to_bytes().unwrap();
        let start = Instant::now();
        let reading = FORMAT.open(&bytes, &ReadOptions::default());
        let again = reading.model.unwrap();
        assert!(reading.issues.iter().any(|issue| issue.code.id == "das2/lod-depth"));
        assert_eq!(again.write().unwrap().bytes, bytes);
        assert!(again.lift(&ReadOptions::default()).is_ok());
        assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
    }
}

#[test]
fn several_zstd_frames_are_joined() {
    let model = raw(Profile::Libdas2, Numbering::Headings, vec![Record::Scene(Das2Scene::default())]);
    let mut model = Model { framing: Framing::Zstd { stored: None }, ..model };
    model.header.level = 9;
    let mut bytes = model.to_bytes().unwrap();
    bytes.extend([0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x00, 0x01, 0x00, 0x00]);
    let found = das2::read(&bytes, &Limits::default()).unwrap();
    assert_eq!(found.records, model.records);
    assert!(found.trailing.is_empty());
}

#[test]
fn odd_framings_of_the_library_are_read_and_kept() {
    for level in [0, 5, 200] {
        let mut model = raw(Profile::Libdas2, Numbering::Headings, vec![Record::Scene(Das2Scene::default())]);
        model.header.level = level;
        let bytes = model.to_bytes().unwrap();
        let reading = FORMAT.open(&bytes, &ReadOptions::default());
        assert_eq!(reading.model.unwrap().write().unwrap().bytes, bytes);
        let raw = reading.issues.iter().any(|issue| issue.code.id == "das2/level-raw");
        assert_eq!(raw, level != 0);
    }
}

#[test]
fn wrong_hashes_are_a_warning_and_bytes_after_the_stream_too() {
    let mut model = raw(Profile::Libdas2, Numbering::Headings, vec![Record::Scene(Das2Scene::default())]);
    let Record::Scene(scene) = &mut model.records[0] else { panic!() };
    scene.name = Text { bytes: b"hall".to_vec(), hash: 5 };
    let reading = FORMAT.open(&model.to_bytes().unwrap(), &ReadOptions::default());
    let issue = reading.issues.iter().next().unwrap();
    assert_eq!((issue.code.id, issue.path.as_str()), ("das2/string-hash", "scenes[0].name_hash"));
    assert!(issue.span.is_some());

    let mut model = raw(Profile::Spec, Numbering::Headings, vec![Record::Scene(Das2Scene::default())]);
    model.header.level = 6;
    model.framing = Framing::Zlib { stored: None };
    model.trailing = b"more".to_vec();
    let bytes = model.to_bytes().unwrap();
    let reading = FORMAT.open(&bytes, &ReadOptions::default());
    let issue = reading.issues.iter().next().unwrap();
    assert_eq!(issue.code.id, "das2/trailing-bytes");
    assert_eq!(issue.span.unwrap().range().map(|range| &bytes[range]), Some(&b"more"[..]));
    assert_eq!(reading.model.unwrap().write().unwrap().bytes, bytes);
}

fn lifted(model: &Model) -> Scene {
    let scene = das2::lift(model, &ReadOptions::default()).scene;
    assert_scene(&scene);
    scene
}

fn lowered(scene: &Scene, losses: &mut LossReport) -> Model {
    das2::lower(assert_scene(scene), &WriteOptions::default(), losses)
        .unwrap_or_else(|issue| panic!("{issue}"))
}

/// The files that are valid.
fn valid() -> Vec<TestFile> {
    let mut files = own("made", &FORMAT);
    files.extend(real(&FORMAT));
    files
}

#[test]
fn through_the_scene_and_back_changes_nothing() {
    for file in valid() {
        let model = read(&file);
        let scene = lifted(&model);
        let mut losses = LossReport::new();
        let back = lowered(&scene, &mut losses);
        let again = lifted(&back);
        for (a, b) in scene.nodes.values().zip(again.nodes.values()) {
            assert_eq!(a, b, "{}", file.name());
        }
        for (a, b) in scene.meshes.values().zip(again.meshes.values()) {
            assert_eq!(a, b, "{}", file.name());
        }
        for (a, b) in scene.materials.values().zip(again.materials.values()) {
            assert_eq!(a, b, "{}", file.name());
        }
        assert_eq!(scene.animations, again.animations, "{}", file.name());
        assert_eq!(scene.skins, again.skins, "{}", file.name());
        assert!(again == scene, "{}: the Scene changed", file.name());
        assert!(losses.is_empty(), "{}: {losses:#?}", file.name());
        assert_eq!((back.profile, back.header.level), (model.profile, model.header.level), "{}", file.name());
        // The records are the same too, but for their order and the layout of the buffers.
        for kind in [Kind::Node, Kind::Joint, Kind::Skeleton, Kind::Scene, Kind::Phong, Kind::Pbr] {
            let of = |model: &Model| -> Vec<Record> {
                model.records.iter().filter(|record| record.kind() == kind).cloned().collect()
            };
            let strip = |records: Vec<Record>| {
                format!("{records:?}").replace("hash: 0 ", "hash: 18446744073709551615 ")
            };
            assert_eq!(strip(of(&back)), strip(of(&model)), "{} {kind:?}", file.name());
        }
    }
}

#[test]
fn through_glb_and_back_is_equal() {
    let glb = Format::by_id("gltf").expect("glTF is there");
    for file in valid() {
        let convert = |bytes: &[u8], name: &str, to: &'static Format, extension: &str| {
            let mut options = ConvertOptions::default();
            options.write.extension = extension.to_owned();
            convert(bytes, Some(name), to, &options)
                .unwrap_or_else(|failed| panic!("{name}: {:?}", failed.issues))
        };
        let through = convert(&file.bytes, "a.das2", glb, "glb");
        let back = convert(&through.output.bytes, "a.glb", &FORMAT, "das2");
        let again = das2::read(&back.output.bytes, &Limits::default()).unwrap();
        let (a, b) = (lifted(&read(&file)), lifted(&again));
        let report = diff(assert_scene(&a), assert_scene(&b), &DiffOptions::default());
        assert!(report.is_equal(), "{}: {:#?}", file.name(), report.differences);
    }
}

/// What lies beside a file, for the pictures that the conversion put there.
struct Beside(Vec<(String, Vec<u8>)>);

impl Files for Beside {
    fn open(&self, name: &str) -> Result<std::sync::Arc<[u8]>, NotFound> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, bytes)| bytes.as_slice().into()).ok_or_else(NotFound::default)
    }
}

#[test]
fn models_from_elsewhere_come_back_through_das2() {
    let Some(shared) = crate::support::shared() else { return };
    let glb = Format::by_id("gltf").expect("glTF is there");
    for profile in ["spec", "libdas2"] {
        for name in ["Fox.glb", "AnimatedMorphCube.glb", "InterpolationTest.glb"] {
            let file = TestFile::load(shared.join("corpus/real/gltf").join(name));
            let mut options = ConvertOptions::default();
            options.write.stem = "model".to_owned();
            options.write.settings.set("das2-profile", profile);
            let there = convert(&file.bytes, Some(name), &FORMAT, &options).unwrap();
            let reading = FORMAT.open(&there.output.bytes, &ReadOptions::default());
            assert!(!reading.issues.has_errors(), "{name}: {:#?}", reading.issues);
            assert_eq!(reading.model.unwrap().summary().profile, Some(profile));
            let beside = Beside(there.output.beside.clone());
            let mut options = ConvertOptions::default();
            options.read.files = &beside;
            options.write.extension = "glb".to_owned();
            let back = convert(&there.output.bytes, Some("a.das2"), glb, &options).unwrap();
            let scene = |bytes: &[u8]| {
                let model = glb.open(bytes, &ReadOptions::default()).model.unwrap();
                model.lift(&ReadOptions::default()).unwrap().scene
            };
            let (a, b) = (scene(&file.bytes), scene(&back.output.bytes));
            let report = diff(assert_scene(&a), assert_scene(&b), &DiffOptions::default());
            assert!(report.is_equal(), "{name} {profile}: {:#?}", report.differences);
        }
    }
}

/// The corners of all triangles of a mesh.
fn corners(scene: &Scene, mesh: menagerie::scene::MeshId) -> Vec<[Vec3; 3]> {
    let of = |primitive: &menagerie::scene::Primitive| -> Vec<[Vec3; 3]> {
        let corner = |index: u32| Vec3::from_array(primitive.positions[index as usize]);
        primitive.triangles().iter().map(|triangle| triangle.map(corner)).collect()
    };
    scene.meshes[mesh].primitives.iter().flat_map(of).collect()
}

/// How far a point is from a triangle, by trying many points of it and closing in on the nearest.
fn distance_to([a, b, c]: &[Vec3; 3], point: Vec3) -> f32 {
    let (mut u, mut v, mut step) = (1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0);
    let at = |u: f32, v: f32| (*a + (*b - *a) * u + (*c - *a) * v).distance(point);
    let mut best = at(u, v);
    while step > 1e-5 {
        let mut moved = false;
        for (du, dv) in [(1., 0.), (-1., 0.), (0., 1.), (0., -1.), (1., -1.), (-1., 1.)] {
            let (nu, nv) = (u + du * step, v + dv * step);
            let inside = nu >= 0.0 && nv >= 0.0 && nu + nv <= 1.0;
            if inside && at(nu, nv) < best {
                (u, v, best, moved) = (nu, nv, at(nu, nv), true);
            }
        }
        if !moved {
            step /= 2.0;
        }
    }
    best
}

#[test]
fn levels_of_detail_are_made_of_skinned_models() {
    let Some(shared) = crate::support::shared() else { return };
    let file = TestFile::load(shared.join("corpus/real/gltf/Fox.glb"));
    let mut options = ConvertOptions::default();
    options.ops = vec![menagerie::ops::Op::Levels(vec![0.5, 0.25])];
    let done = convert(&file.bytes, Some("Fox.glb"), &FORMAT, &options).unwrap();
    let scene = lifted(&das2::read(&done.output.bytes, &Limits::default()).unwrap());
    let fox = scene.nodes.values().find(|node| !node.lods.is_empty()).expect("levels");
    let mesh = fox.mesh.unwrap();
    let before = corners(&scene, mesh);
    let losses: Vec<_> = done.losses.requested().filter(|loss| loss.code().id == "loss/lods").collect();
    assert_eq!((fox.lods.len(), losses.len()), (2, 2));
    for ((lod, loss), ratio) in fox.lods.iter().zip(&losses).zip([0.5, 0.25]) {
        let stand_in = &scene.nodes[lod.node];
        assert!(stand_in.skin.is_some() && stand_in.skin == fox.skin);
        let level = stand_in.mesh.unwrap();
        let after = corners(&scene, level);
        let part = after.len() as f32 / before.len() as f32;
        assert!((part / ratio - 1.0).abs() < 0.02, "{} of {} triangles", after.len(), before.len());
        for primitive in &scene.meshes[level].primitives {
            for vertex in 0..primitive.positions.len() {
                let sum: f32 = primitive.weights.iter().flat_map(|set| set[vertex]).sum();
                assert!((sum - 1.0).abs() < 1e-5, "vertex {vertex}: {sum}");
            }
        }
        // Another measure: points by chance on both surfaces, and the nearest triangle by trying all of them.
        let mut r = Random::new(7);
        let mut worst = 0.0f32;
        for (from, to) in [(&before, &after), (&after, &before)] {
            for _ in 0..1500 {
                let [a, b, c] = from[r.below(from.len())];
                let (u, v) = (r.between(0.0, 1.0), r.between(0.0, 1.0));
                let (u, v) = if u + v > 1.0 { (1.0 - u, 1.0 - v) } else { (u, v) };
                let corner = r.below(4);
                let point = [a, b, c].get(corner).copied().unwrap_or(a + (b - a) * u + (c - a) * v);
                // A sphere around the triangle tells most of them off.
                let near = |t: &&[Vec3; 3]| {
                    let centre = (t[0] + t[1] + t[2]) / 3.0;
                    let radius = t.iter().map(|corner| corner.distance(centre)).fold(0.0, f32::max);
                    centre.distance(point) - radius
                };
                let mut order: Vec<(f32, &[Vec3; 3])> = to.iter().map(|t| (near(&t), t)).collect();
                order.sort_by(|a, b| a.0.total_cmp(&b.0));
                let mut nearest = f32::INFINITY;
                for (least, triangle) in order {
                    if least >= nearest {
                        break;
                    }
                    nearest = nearest.min(distance_to(triangle, point));
                }
                worst = worst.max(nearest);
            }
        }
        let (stats, unit) = loss.error.expect("measured");
        println!("{ratio}: {} triangles, reported {:.4} {unit}, found {worst:.4}", after.len(), stats.max);
        let (reported, found) = (stats.max as f32, worst);
        assert!(found <= reported * 1.02 && found >= reported * 0.85, "reported {reported}, found {found}");
    }
}

#[test]
fn levels_of_detail_keep_morph_targets_and_replace_what_was_there() {
    for name in ["06_morph_targets_weights", "07_multiple_lods", "15_everything_level9"] {
        let file = own("made", &FORMAT).into_iter().find(|file| file.stem() == name).unwrap();
        let mut scene = lifted(&read(&file));
        let made = menagerie::ops::make_levels(&mut scene, &[0.5]);
        assert_scene(&scene);
        assert!(!made.is_empty());
        for (_, node) in scene.nodes.iter().filter(|(_, node)| !node.lods.is_empty()) {
            assert_eq!(node.lods.len(), 1, "{name}");
            let targets =
                |id: menagerie::scene::NodeId| scene.meshes[scene.nodes[id].mesh.unwrap()].target_count();
            assert_eq!(targets(node.lods[0].node), scene.meshes[node.mesh.unwrap()].target_count(), "{name}");
        }
        let again = lifted(&lowered(&scene, &mut LossReport::new()));
        let report = diff(assert_scene(&scene), assert_scene(&again), &DiffOptions::default());
        assert!(report.is_equal(), "{name}: {:#?}", report.differences);
    }
}

fn text_node(name: &str) -> Node {
    Node { name: Text::new(name), ..Node::default() }
}

/// A file of records, read again from its bytes.
fn file_of(records: Vec<Record>) -> Model {
    let model = raw(Profile::Spec, Numbering::Headings, records);
    let reading = FORMAT.open(&model.to_bytes().unwrap(), &ReadOptions::default());
    assert!(!reading.issues.has_errors(), "{:#?}", reading.issues);
    model
}

/// A triangle whose corners hang on the joints 0, 1 and 1, with a Phong material; the buffer comes first.
fn skinned_triangle() -> Vec<Record> {
    let positions: [f32; 9] = [0., 0., 0., 1., 0., 0., 0., 1., 0.];
    let mut data: Vec<u8> = positions.iter().flat_map(|x| x.to_le_bytes()).collect();
    let at = |data: &Vec<u8>| Ref { buffer: 0, offset: data.len() as u32 };
    let joints = at(&data);
    data.extend([0u16, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0].iter().flat_map(|x| x.to_le_bytes()));
    let weights = at(&data);
    data.extend([1f32, 0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0.].iter().flat_map(|x| x.to_le_bytes()));
    let mut level = Level { draw_count: 3, position: Ref { buffer: 0, offset: 0 }, ..Level::default() };
    level.joint_indices[0] = joints;
    level.joint_weights[0] = weights;
    vec![
        Record::Buffer(Buffer { data: data.into() }),
        Record::Mesh(Mesh { levels: vec![level] }),
        Record::MeshGroup(MeshGroup { name: Text::new("triangle"), meshes: vec![0] }),
    ]
}

fn joint(name: &str, children: Vec<u32>, y: f32) -> Record {
    let placement = Placement { translation: [0.0, y, 0.0], ..Placement::default() };
    Record::Joint(Joint { name: Text::new(name), children, placement, ..Joint::default() })
}

/// Lifts, lowers and lifts again; nothing may change or be lost.
fn comes_back(model: &Model) -> Scene {
    let scene = lifted(model);
    let mut losses = LossReport::new();
    let back = lowered(&scene, &mut losses);
    assert_eq!(lifted(&back), scene);
    assert!(losses.is_empty(), "{losses:#?}");
    // How data is spread over buffers is nobody's business.
    let count = |model: &Model| Kind::ALL.map(|kind| model.lists().count(kind))[1..].to_vec();
    assert_eq!(count(&back), count(model));
    scene
}

#[test]
fn a_skeleton_that_several_nodes_bind_moves_with_each_of_them() {
    let mut records = skinned_triangle();
    for x in [10.0, 20.0] {
        let placement = Placement { translation: [x, 0.0, 0.0], ..Placement::default() };
        let node = Node { mesh_group: 0, skeleton: 0, placement, ..text_node("body") };
        records.push(Record::Node(node));
    }
    records.push(Record::Scene(Das2Scene { name: Text::default(), roots: vec![0, 1] }));
    records.push(joint("hip", vec![1], 1.0));
    records.push(joint("knee", vec![], 2.0));
    // A joint that no skeleton has.
    records.push(joint("spare", vec![], 5.0));
    records.push(Record::Skeleton(Skeleton { name: Text::new("rig"), parent: 0, joints: vec![0, 1] }));
    records.push(Record::Animation(Animation { name: Text::default(), channels: vec![0] }));
    records.push(Record::Channel(Channel {
        node: NONE,
        joint: 1,
        target: Target::Translation,
        interpolation: Interpolation::Linear,
        weight_count: 0,
        times: vec![0.0, 1.0],
        tangents: Vec::new(),
        values: vec![0.0, 2.0, 0.0, 0.0, 7.0, 0.0],
    }));
    let mut model = file_of(records);
    model.header.animation_count = 1;
    let scene = comes_back(&model);
    let pose = Pose::at(&scene, &scene.animations[0], 1.0);
    for (index, x) in [(0, 10.0), (1, 20.0)] {
        let id = menagerie::scene::NodeId::new(index);
        let primitive = &scene.meshes[scene.nodes[id].mesh.unwrap()].primitives[0];
        let found = pose.positions(&scene, id, primitive);
        // Node · joint: the hip is at height 1, the knee 7 above it.
        let expected = [Vec3::new(x, 1., 0.), Vec3::new(x + 1., 8., 0.), Vec3::new(x, 9., 0.)];
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.distance(expected) < 1e-5, "{found} is not {expected}");
        }
    }
}

#[test]
fn an_animated_placement_below_a_custom_matrix_keeps_both() {
    let turn = [0., -1., 0., 3., 1., 0., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];
    let node = Node { custom: turn, children: vec![1], ..text_node("turned") };
    let records = vec![
        Record::Node(node),
        Record::Node(text_node("child")),
        Record::Scene(Das2Scene { name: Text::default(), roots: vec![0] }),
        Record::Animation(Animation { name: Text::default(), channels: vec![0] }),
        Record::Channel(Channel {
            node: 0,
            joint: NONE,
            target: Target::Translation,
            interpolation: Interpolation::Step,
            weight_count: 0,
            times: vec![0.0],
            tangents: Vec::new(),
            values: vec![5.0, 0.0, 0.0],
        }),
    ];
    let scene = comes_back(&file_of(records));
    let pose = Pose::at(&scene, &scene.animations[0], 0.0);
    let child = scene.nodes.iter().find(|(_, node)| node.name == "child").unwrap().0;
    // Five along x, then a quarter turn, then three along x.
    let found = pose.worlds[child.index()].transform_point3(Vec3::ZERO);
    assert!(found.distance(Vec3::new(3., 5., 0.)) < 1e-5, "{found}");
}

#[test]
fn levels_and_meshes_that_nothing_shows_come_back() {
    let mut records = skinned_triangle();
    let Record::Mesh(mesh) = &mut records[1] else { panic!() };
    let below = Level { lods: 0, ..mesh.levels[0].clone() };
    // Two levels, the first with one of its own.
    let with = |lods| Level { lods, ..below.clone() };
    mesh.levels = vec![with(2), with(1), with(0), with(0)];
    records.push(Record::Mesh(Mesh { levels: vec![with(1), with(0)] }));
    records.push(Record::Scene(Das2Scene::default()));
    let mut model = file_of(records);
    model.header.mesh_count = 2;
    let scene = comes_back(&model);
    assert_eq!(scene.nodes.values().map(|node| node.lods.len()).collect::<Vec<_>>()[..2], [3, 0]);
}

#[test]
fn shared_data_cannot_blow_up() {
    // A thousand meshes over the same megabyte, listed by a group a thousand times: a terabyte if one believed it.
    let level = Level { draw_count: 87_381, position: Ref { buffer: 0, offset: 0 }, ..Level::default() };
    let mut records = vec![Record::Buffer(Buffer { data: vec![0; 1 << 20].into() })];
    records.extend((0..1000).map(|_| Record::Mesh(Mesh { levels: vec![level.clone()] })));
    let meshes: Vec<u32> = (0..1_000_000).map(|i| i % 1000).collect();
    records.push(Record::MeshGroup(MeshGroup { meshes, ..MeshGroup::default() }));
    records.push(Record::Scene(Das2Scene::default()));
    let model = raw(Profile::Spec, Numbering::Headings, records);
    let start = Instant::now();
    let reading = FORMAT.open(&model.to_bytes().unwrap(), &ReadOptions::default());
    assert!(reading.issues.iter().any(|issue| issue.code.id == "das2/overused"));
    let scene = lifted(&model);
    let vertices: usize = scene.meshes.values().flat_map(|m| &m.primitives).map(|p| p.positions.len()).sum();
    assert!(vertices < 10_000_000, "{vertices}");
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
}

#[test]
fn profile_and_level_are_what_was_asked_for() {
    let file = own("made", &FORMAT).into_iter().find(|file| file.stem() == "15_everything_level9").unwrap();
    let scene = lifted(&read(&file));
    for (profile, level, framing) in [
        ("spec", "0", Framing::Raw),
        ("spec", "3", Framing::Zlib { stored: None }),
        ("libdas2", "0", Framing::Raw),
        ("libdas2", "9", Framing::Zstd { stored: None }),
    ] {
        let mut options = WriteOptions::default();
        options.settings.set("das2-profile", profile);
        options.settings.set("das2-level", level);
        let mut losses = LossReport::new();
        let model = das2::lower(assert_scene(&scene), &options, &mut losses).unwrap();
        assert_eq!((model.profile.name(), model.header.level.to_string().as_str()), (profile, level));
        assert_eq!(model.framing, framing);
        let again = das2::read(&model.to_bytes().unwrap(), &Limits::default()).unwrap();
        assert_eq!(again.records, model.records);
        // The library loses indices, so vertices are repeated for it.
        assert_eq!(again.header.vertices_count, if profile == "libdas2" { 24 } else { 16 });
        let named = |code: &str| losses.iter().any(|loss| loss.code().id == code);
        // The library's profile has no roughness map.
        assert_eq!(named("loss/textures"), profile == "libdas2");
    }
}

#[test]
fn beginnings_of_files_say_what_is_missing() {
    let mut files = own("made", &FORMAT);
    files.extend(real(&FORMAT));
    for file in files {
        crate::support::prefixes::counted(&FORMAT, &file, |_| Vec::new());
    }
}

#[test]
fn a_text_longer_than_its_length_field_is_refused() {
    let mut model = raw(Profile::Spec, Numbering::Headings, Vec::new());
    model.header.author = Text::new(vec![b'a'; 65_535]);
    model.to_bytes().expect("as long as the field can say");
    model.header.author = Text::new(vec![b'a'; 65_536]);
    assert_eq!(model.to_bytes().expect_err("too long").code.id, "das2/too-large");
}
