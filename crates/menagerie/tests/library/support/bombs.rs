//! Small files that ask for much: each a way in which a file can claim, share, repeat or inflate more than it holds.
//! `scale` says how large they are: what a run of the tests can afford, or more.

use std::io::Write as _;

use menagerie::convert::lower;
use menagerie::formats::{Format, WriteOptions};
use menagerie::scene::{
    Animation, Channel, Extras, Interpolation, Mesh, Node, NodeId, Primitive, Property, Scene, SceneRoot,
};
use serde_json::{Value, json};

/// A file that asks for much.
pub struct Bomb {
    pub name: String,
    pub format: &'static Format,
    pub bytes: Vec<u8>,
}

/// All of them.
pub fn bombs(scale: usize) -> Vec<Bomb> {
    let mut bombs = Vec::new();
    let mut add = |name: &str, id: &str, bytes: Vec<u8>| {
        let format = Format::by_id(id).expect("it is known");
        bombs.push(Bomb { name: name.to_owned(), format, bytes });
    };
    add("zlib", "das2", das2(scale * 2_000_000, "spec"));
    add("zstd", "das2", das2(scale * 2_000_000, "libdas2"));
    for (name, record, count) in packed_records() {
        add(name, "das2", das2_records(&record, count * scale));
    }
    for (name, kind) in [("trimeshes", 2), ("materials", 3), ("entities", 4), ("unknown", 9)] {
        add(name, "dgl2", dgl2(kind, scale * 80_000));
    }
    add("entities-of-one-mesh", "dgl2", dgl2_instances(scale * 2_000));
    add("geometries", "bogle", bogle_geometries(scale * 80_000));
    add("instances", "bogle", bogle_instances(scale * 12_000));
    for (name, bones, length) in [("name", 60_000, 1 << 20), ("short-name", 5_000, 80_000)] {
        add(name, "bmd", bmd_names(bones, length));
    }
    add("meshes-of-one-list", "bmd", bmd_meshes(scale * 20_000));
    add("levels-of-all-meshes", "bmd", bmd_levels(scale * 2_000));
    add("animations-of-one-list", "bmd", bmd_animations(scale * 200));
    add("entities", "bo3d", bo3d(scale * 20_000));
    add("entities-and-one-moves", "bo3d", bo3d_moving(scale * 3_000));
    for list in ["nodes", "meshes", "materials", "textures", "images", "samplers", "cameras", "skins"] {
        add(list, "gltf", gltf_list(list, "{}", scale * 300_000));
    }
    add("animations", "gltf", gltf_list("animations", r#"{"channels":[],"samplers":[]}"#, scale * 30_000));
    add("scenes", "gltf", gltf_list("scenes", "{}", scale * 300_000));
    add(
        "accessors",
        "gltf",
        gltf_list("accessors", r#"{"count":1,"type":"SCALAR","componentType":5126}"#, scale * 20_000),
    );
    add("extras", "gltf", gltf_extras(scale * 1_000_000));
    add("objects-in-extras", "gltf", gltf_objects(scale * 200_000));
    add("zeros", "gltf", glb(&zeros(scale * 20_000_000), &[]));
    add("primitives-of-one-accessor", "gltf", primitives(scale * 2_000, 10_000));
    add("targets-of-one-accessor", "gltf", targets(scale * 2_000, 10_000));
    add("images-of-one-view", "gltf", images(scale * 1_000, &vec![0; 1 << 20]));
    add("skins-of-all-nodes", "gltf", skins(scale * 500));
    add("meshopt", "gltf", meshopt(scale * 20_000_000));
    add("png-claims", "gltf", images(1, &png(16_384, 4_096, false)));
    add("png-is", "gltf", images(1, &png(8_192, 8_192, true)));
    add("many-png", "gltf", images(scale * 10, &png(4_096, 4_096, true)));
    add("far-keys", "gltf", far_keys(scale * 50, 1e6));
    add("farther-keys", "gltf", far_keys(scale * 500, 1e30));
    add("far-turns-of-joints", "gltf", joint_keys(scale * 20, 1, &[0.0, 5e5, 1e6], 0.0));
    let every_second: Vec<f32> = (0..130u8).map(f32::from).collect();
    add("keys-of-joints-at-different-times", "gltf", joint_keys(scale * 500, 1, &every_second, 0.0019));
    add("skins-of-the-same-joints", "gltf", joint_keys(scale * 100, scale * 100, &[0.0, 1.0], 0.0));
    add("moving-nodes-in-a-chain", "gltf", moving_chain(scale.saturating_mul(300).min(900), &every_second));
    add("instances", "gltf", instances(scale * 1_000, 30_000));
    add("mesh-gpu-instancing", "gltf", gpu_instances(scale * 3_000_000));
    add("name-of-all-nodes", "gltf", long_names(scale * 800, 0));
    add("uri-of-all-materials", "gltf", long_names(0, scale * 500));
    add("scenes-of-one-root", "gltf", same_scenes(scale * 3_000));
    add("clips-of-one-chain", "gltf", clips(scale * 300));
    add("groups", "obj", obj_groups("g", scale * 5_000));
    add("objects", "obj", obj_groups("o", scale * 5_000));
    add("materials", "obj", obj_groups("usemtl", scale * 5_000));
    add("libraries", "obj", repeated("mtllib m", scale * 20_000, "f 1 2 3\n"));
    add("polygon", "obj", polygon(scale * 500_000));
    add("vertices", "ply", ply(scale * 150_000));
    add("elements", "ply", ply_elements(scale * 500));
    add("solids", "stl", stl_solids(scale * 20_000));
    bombs
}

/// Files of so many parts of each kind, all of them honest.
pub fn series(parts: usize) -> Vec<Bomb> {
    let mut list = Vec::new();
    let mut add = |name: &str, id: &str, bytes: Vec<u8>| {
        let format = Format::by_id(id).expect("it is known");
        list.push(Bomb { name: name.to_owned(), format, bytes });
    };
    add("groups", "obj", obj_groups("g", parts));
    add("materials", "obj", obj_groups("usemtl", parts));
    add("polygon", "obj", polygon(parts));
    add("vertices", "ply", ply(parts));
    add("solids", "stl", stl_solids(parts));
    add("entities", "dgl2", dgl2_instances(parts));
    add("materials", "dgl2", dgl2(3, parts));
    add("instances", "bogle", bogle_instances(parts));
    add("entities", "bo3d", bo3d(parts));
    add("nodes", "gltf", instances(parts, 3));
    add("pictures", "gltf", images(parts, &png(2, 2, true)));
    add("moving nodes", "gltf", far_keys(parts, 1.0));
    add("scenes of one root", "gltf", same_scenes(parts));
    add("materials of one name", "gltf", same_materials(parts));
    list
}

const TRIANGLE: [[f32; 3]; 3] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

/// A document about one triangle: accessor 0, of a mesh that comes with it.
fn about_a_triangle(mut document: Value) -> Vec<u8> {
    let bin: Vec<u8> = TRIANGLE.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
    document["asset"] = json!({"version": "2.0"});
    document["buffers"] = json!([{"byteLength": 36}]);
    document["bufferViews"] = json!([{"buffer": 0, "byteLength": 36}]);
    let bounds = (json!([0, 0, 0]), json!([1, 1, 0]));
    document["accessors"] = json!([{"bufferView": 0, "count": 3, "type": "VEC3", "componentType": 5126, "min": bounds.0, "max": bounds.1}]);
    glb(&document, &bin)
}

/// Nodes that show a mesh with a long name, and materials that use a picture with a long URI.
fn long_names(nodes: usize, materials: usize) -> Vec<u8> {
    let long = "n".repeat(400_000);
    let list: Vec<Value> = (0..nodes.max(1)).map(|_| json!({"mesh": 0})).collect();
    let roots: Vec<usize> = (0..nodes.max(1)).collect();
    let parts = (0..materials.max(1)).map(|i| match materials {
        0 => json!({"attributes": {"POSITION": 0}}),
        _ => json!({"attributes": {"POSITION": 0}, "material": i}),
    });
    let parts: Vec<Value> = parts.collect();
    let name = if nodes > 0 { long.as_str() } else { "mesh" };
    let mut document =
        json!({"nodes": list, "scenes": [{"nodes": roots}], "meshes": [{"name": name, "primitives": parts}]});
    if materials > 0 {
        let plain = json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}});
        document["materials"] = vec![plain; materials].into();
        document["textures"] = json!([{"source": 0}]);
        document["images"] = json!([{"uri": long}]);
    }
    about_a_triangle(document)
}

/// Scenes that all show the same tree of nodes.
fn same_scenes(count: usize) -> Vec<u8> {
    let mut nodes: Vec<Value> = vec![json!({"mesh": 0}); count];
    nodes.push(json!({"children": (0..count).collect::<Vec<_>>()}));
    let scenes: Vec<Value> = vec![json!({"nodes": [count]}); count];
    let mesh = json!([{"primitives": [{"attributes": {"POSITION": 0}}]}]);
    about_a_triangle(json!({"nodes": nodes, "scenes": scenes, "meshes": mesh}))
}

/// Materials that all have the same name, each with its triangle.
fn same_materials(count: usize) -> Vec<u8> {
    let parts = (0..count).map(|i| json!({"attributes": {"POSITION": 0}, "material": i}));
    let parts: Vec<Value> = parts.collect();
    let materials = (0..count)
        .map(|i| json!({"name": "m", "pbrMetallicRoughness": {"roughnessFactor": i as f32 / count as f32}}));
    let materials: Vec<Value> = materials.collect();
    about_a_triangle(json!({
        "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}],
        "meshes": [{"primitives": parts}], "materials": materials,
    }))
}

/// A chain of nodes, each moved by an animation of its own.
fn clips(count: usize) -> Vec<u8> {
    let nodes =
        (0..count).map(|i| if i + 1 < count { json!({"children": [i + 1]}) } else { json!({"mesh": 0}) });
    let clip = |i: usize| json!({"channels": [{"sampler": 0, "target": {"node": i, "path": "translation"}}], "samplers": [{"input": 1, "output": 0}]});
    let mut document = json!({
        "nodes": nodes.collect::<Vec<_>>(), "scenes": [{"nodes": [0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "animations": (0..count).map(clip).collect::<Vec<_>>(),
    });
    let bin: Vec<u8> =
        TRIANGLE.iter().flatten().chain(&[0.0, 0.5, 1.0]).flat_map(|x: &f32| x.to_le_bytes()).collect();
    document["asset"] = json!({"version": "2.0"});
    document["buffers"] = json!([{"byteLength": 48}]);
    document["bufferViews"] =
        json!([{"buffer": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 12}]);
    document["accessors"] = json!([
        {"bufferView": 0, "count": 3, "type": "VEC3", "componentType": 5126, "min": [0, 0, 0], "max": [1, 1, 0]},
        {"bufferView": 1, "count": 3, "type": "SCALAR", "componentType": 5126, "min": [0], "max": [1]},
    ]);
    glb(&document, &bin)
}

fn repeated(line: &str, count: usize, last: &str) -> Vec<u8> {
    let mut text = String::from("v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    for i in 0..count {
        text.push_str(&format!("{line}{i}\n"));
    }
    text.push_str(last);
    text.into_bytes()
}

fn obj_groups(keyword: &str, count: usize) -> Vec<u8> {
    let mut text = String::from("v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    for i in 0..count {
        text.push_str(&format!("{keyword} a{i}\nf 1 2 3\n"));
    }
    text.into_bytes()
}

fn polygon(corners: usize) -> Vec<u8> {
    let mut text = String::from("v 0 0 0\nv 1 0 0\nv 0 1 0\nf");
    for i in 0..corners {
        text.push_str([" 1", " 2", " 3"][i % 3]);
    }
    text.push('\n');
    text.into_bytes()
}

fn ply(vertices: usize) -> Vec<u8> {
    let mut bytes = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\n\
         property float z\nelement face {vertices}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    .into_bytes();
    bytes.resize(bytes.len() + vertices * 12, 0);
    for _ in 0..vertices {
        bytes.extend([3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    }
    bytes
}

fn ply_elements(count: usize) -> Vec<u8> {
    let mut text = String::from("ply\nformat ascii 1.0\n");
    for i in 0..count {
        text.push_str(&format!("element e{i} 1000000000\nproperty float x\n"));
    }
    text.push_str("end_header\n");
    text.into_bytes()
}

fn stl_solids(count: usize) -> Vec<u8> {
    "solid\nendsolid\n".repeat(count).into_bytes()
}

/// A mesh of one triangle over and over, packed as well as can be.
fn das2(triangles: usize, profile: &str) -> Vec<u8> {
    let mut scene = Scene::default();
    let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let primitive = Primitive { positions, indices: [0, 1, 2].repeat(triangles), ..Primitive::default() };
    let mesh = scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
    let node = scene.nodes.push(Node { mesh: Some(mesh), ..Node::default() });
    scene.scenes.push(SceneRoot { roots: vec![node], ..SceneRoot::default() });
    let mut options = WriteOptions::default();
    (options.limits.memory_bytes, options.limits.output_bytes) = (u64::MAX, u64::MAX);
    options.settings.set("das2-level", "9");
    options.settings.set("das2-profile", profile);
    let (output, _) =
        lower(scene, Format::by_id("das2").expect("it is known"), &options).expect("it is written");
    output.bytes
}

/// Records of das2 that are short in the file: empty buffers, empty channels, materials, and materials with a long name.
fn packed_records() -> [(&'static str, Vec<u8>, usize); 4] {
    let material = |name: usize| {
        let mut record = vec![0x0B];
        record.extend((name as u16).to_le_bytes());
        record.resize(record.len() + name, b'm');
        record.resize(record.len() + 12 * 4 + 3 * 2, 0);
        record
    };
    let channel = [0x0A, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    [
        ("buffers", vec![1, 0, 0, 0, 0], 400_000),
        ("channels", channel.to_vec(), 200_000),
        ("materials", material(1), 100_000),
        ("names", material(60_000), 300),
    ]
}

/// The same record over and over, packed as well as can be.
fn das2_records(record: &[u8], count: usize) -> Vec<u8> {
    let mut bytes = b"das2\0\0\0\0".to_vec();
    // No author, no comment, no counts, and the level.
    bytes.resize(bytes.len() + 2 * 2 + 4 * 4, 0);
    bytes.push(9);
    let mut packed = flate2::write::ZlibEncoder::new(bytes, flate2::Compression::new(9));
    for _ in 0..count {
        packed.write_all(record).expect("into memory");
    }
    packed.finish().expect("into memory")
}

fn dgl2_chunk(bytes: &mut Vec<u8>, kind: u16, id: i32, name: &[u8], data: &[u8]) {
    bytes.extend(kind.to_le_bytes());
    bytes.extend(id.to_le_bytes());
    bytes.extend((name.len() as u16).to_le_bytes());
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(name);
    bytes.extend(data);
}

fn dgl2(kind: u16, count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    dgl2_chunk(&mut bytes, 0, -1, b"", b"");
    for i in 0..count {
        dgl2_chunk(&mut bytes, kind, i as i32, b"", b"");
    }
    dgl2_chunk(&mut bytes, 1, -1, b"", b"");
    bytes
}

fn dgl2_instances(count: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    dgl2_chunk(&mut bytes, 0, -1, b"", b"");
    let triangle = [0u8; 124];
    dgl2_chunk(&mut bytes, 2, 0, b"m", &triangle.repeat(2000));
    for i in 0..count {
        let mut data = Vec::new();
        for word in [0i32, -1, 0] {
            data.extend(word.to_le_bytes());
        }
        for float in [0.0f32, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0] {
            data.extend(float.to_le_bytes());
        }
        data.extend(0u32.to_le_bytes());
        dgl2_chunk(&mut bytes, 4, i as i32, b"", &data);
    }
    dgl2_chunk(&mut bytes, 1, -1, b"", b"");
    bytes
}

fn bogle_header(counts: [u32; 6]) -> Vec<u8> {
    let mut bytes = b"BOGLE\0".to_vec();
    bytes.extend(counts.iter().flat_map(|count| count.to_le_bytes()));
    bytes.extend([0.0f32; 4].iter().flat_map(|float| float.to_le_bytes()));
    bytes
}

fn bogle_geometries(count: usize) -> Vec<u8> {
    let mut bytes = bogle_header([0, count as u32, 0, 0, 0, 0]);
    bytes.resize(bytes.len() + count * 13 + 1, 0);
    bytes
}

fn bogle_instances(count: usize) -> Vec<u8> {
    let mut bytes = bogle_header([0, 1, 0, 0, 0, count as u32]);
    bytes.resize(bytes.len() + 13, 0);
    for _ in 0..count {
        bytes.extend([0; 4]);
        bytes.extend([u32::MAX, 0, u32::MAX, u32::MAX, u32::MAX].iter().flat_map(|id| id.to_le_bytes()));
        bytes.extend((0..16).flat_map(|i| (if i % 5 == 0 { 1.0f32 } else { 0.0 }).to_le_bytes()));
    }
    for i in 0..count {
        bytes.extend(format!("{i} ").as_bytes());
    }
    bytes.push(0);
    bytes
}

fn bmd_header(tables: [u32; 8]) -> Vec<u8> {
    let mut bytes = b"BMD1".to_vec();
    bytes.extend([0; 12]);
    bytes.extend(tables.iter().flat_map(|word| word.to_le_bytes()));
    bytes
}

fn bmd_names(bones: u32, length: usize) -> Vec<u8> {
    let name_at = 48 + bones * 16;
    let mut bytes = bmd_header([0, 0, 0, 0, 48, bones * 16, 0, 0]);
    for _ in 0..bones {
        bytes.extend([0; 8]);
        bytes.extend(name_at.to_le_bytes());
        bytes.extend([0xFF, 0xFF, 0, 0]);
    }
    bytes.resize(bytes.len() + length, b'n');
    bytes.push(0);
    bytes
}

fn bmd_meshes(count: usize) -> Vec<u8> {
    let lists = 48 + count as u32 * 32;
    let mut bytes = bmd_header([48, count as u32 * 32, 0, 0, 0, 0, 0, 0]);
    for _ in 0..count {
        for word in [lists, lists + 64_000, lists + 96_000] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(4000u16.to_le_bytes());
        bytes.extend(8000u16.to_le_bytes());
        bytes.extend([64_000u32, 32_000, 0, 0].iter().flat_map(|word| word.to_le_bytes()));
    }
    bytes.resize(bytes.len() + 96_000, 0);
    bytes.extend(b"m\0");
    bytes
}

/// A few meshes, all of which each of many levels of detail draws.
fn bmd_levels(count: usize) -> Vec<u8> {
    let meshes = 200;
    let lists = 48 + meshes * 32 + count as u32 * 4;
    let mut bytes = bmd_header([48, meshes * 32, 48 + meshes * 32, count as u32 * 4, 0, 0, 0, 0]);
    for _ in 0..meshes {
        for word in [lists, lists + 800, lists + 4_800] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(100u16.to_le_bytes());
        bytes.extend(1_000u16.to_le_bytes());
        bytes.extend([800u32, 4_000, 0, 0].iter().flat_map(|word| word.to_le_bytes()));
    }
    for _ in 0..count {
        bytes.extend([0, meshes as u8, 0x30, 0]);
    }
    bytes.resize(bytes.len() + 4_800, 0);
    bytes.extend(b"m\0");
    bytes
}

/// Bones whose many animations all have the same frames; rotations that are far from each other become many keys.
fn bmd_animations(count: usize) -> Vec<u8> {
    let bones = 200;
    let table = 48 + bones * 16;
    let name = table + count as u32 * 16;
    let mut frames = Vec::new();
    for _ in 0..bones {
        for frame in 0..200u8 {
            frames.push(0xE0);
            frames.extend([frame, 0x30, 0x70, 0x38, 0x11, 0x22, 0x33, 0x44, 0x11, 0x22, 0x33, 0x44]);
        }
        frames.push(0);
    }
    let mut bytes = bmd_header([0, 0, 0, 0, 48, bones * 16, table, count as u32 * 16]);
    for bone in 0..bones {
        bytes.extend([0; 12]);
        bytes.extend([bone.saturating_sub(1) as u8, 0, 0, 0]);
    }
    for _ in 0..count {
        bytes.extend(name.to_le_bytes());
        bytes.extend([250, 4, 0, 0]);
        bytes.extend([name + 8, frames.len() as u32].iter().flat_map(|word| word.to_le_bytes()));
    }
    bytes.extend(b"a\0\0\0\0\0\0\0");
    bytes.extend(frames);
    bytes
}

fn bo3d(entities: usize) -> Vec<u8> {
    bo3d_of(nodes(entities))
}

/// One entity moves for so long that the engine has thousands of frames, in each of which all others are somewhere.
fn bo3d_moving(entities: usize) -> Vec<u8> {
    let mut scene = nodes(entities);
    let channel = Channel {
        node: NodeId::new(0),
        property: Property::Translation,
        interpolation: Interpolation::Linear,
        times: vec![0.0, 200.0],
        values: vec![0.0, 0.0, 0.0, 1.0, 2.0, 3.0],
        extras: Extras::default(),
    };
    scene.animations.push(Animation { channels: vec![channel], ..Animation::default() });
    bo3d_of(scene)
}

fn nodes(count: usize) -> Scene {
    let mut scene = Scene::default();
    let roots = (0..count).map(|_| scene.nodes.push(Node::default())).collect();
    scene.scenes.push(SceneRoot { roots, ..SceneRoot::default() });
    scene
}

fn bo3d_of(scene: Scene) -> Vec<u8> {
    let mut options = WriteOptions::default();
    options.limits.memory_bytes = u64::MAX;
    let (output, _) =
        lower(scene, Format::by_id("bo3d").expect("it is known"), &options).expect("it is written");
    output.bytes
}

fn gltf_list(list: &str, element: &str, count: usize) -> Vec<u8> {
    let elements = vec![element; count].join(",");
    format!(r#"{{"asset":{{"version":"2.0"}},"{list}":[{elements}]}}"#).into_bytes()
}

fn gltf_extras(count: usize) -> Vec<u8> {
    let zeros = vec!["0"; count].join(",");
    format!(r#"{{"asset":{{"version":"2.0"}},"extras":[{zeros}]}}"#).into_bytes()
}

fn gltf_objects(count: usize) -> Vec<u8> {
    let objects = vec![r#"{"a":{}}"#; count].join(",");
    format!(r#"{{"asset":{{"version":"2.0"}},"nodes":[{{"extras":[{objects}]}}]}}"#).into_bytes()
}

/// A GLB of a document and its bytes.
pub fn glb(document: &Value, bin: &[u8]) -> Vec<u8> {
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bin = bin.to_vec();
    bin.resize(bin.len().next_multiple_of(4), 0);
    let length = 12 + 8 + json.len() + if bin.is_empty() { 0 } else { 8 + bin.len() };
    let mut bytes = b"glTF".to_vec();
    bytes.extend([2, length as u32, json.len() as u32].iter().flat_map(|word| word.to_le_bytes()));
    bytes.extend(b"JSON");
    bytes.extend(json);
    if !bin.is_empty() {
        bytes.extend((bin.len() as u32).to_le_bytes());
        bytes.extend(b"BIN\0");
        bytes.extend(bin);
    }
    bytes
}

fn zeros(count: usize) -> Value {
    json!({
        "asset": {"version": "2.0"},
        "accessors": [{"count": count, "type": "VEC3", "componentType": 5126, "min": [0, 0, 0], "max": [0, 0, 0]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}], "scene": 0,
    })
}

fn one_list(vertices: usize) -> Value {
    json!([{"bufferView": 0, "count": vertices, "type": "VEC3", "componentType": 5126, "min": [0, 0, 0], "max": [0, 0, 0]}])
}

fn primitives(count: usize, vertices: usize) -> Vec<u8> {
    let primitives: Vec<Value> = (0..count).map(|_| json!({"attributes": {"POSITION": 0}})).collect();
    let document = json!({
        "asset": {"version": "2.0"}, "buffers": [{"byteLength": vertices * 12}],
        "bufferViews": [{"buffer": 0, "byteLength": vertices * 12}],
        "accessors": one_list(vertices),
        "meshes": [{"primitives": primitives}], "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}],
    });
    glb(&document, &vec![0; vertices * 12])
}

fn targets(count: usize, vertices: usize) -> Vec<u8> {
    let targets: Vec<Value> = (0..count).map(|_| json!({"POSITION": 0})).collect();
    let document = json!({
        "asset": {"version": "2.0"}, "buffers": [{"byteLength": vertices * 12}],
        "bufferViews": [{"buffer": 0, "byteLength": vertices * 12}],
        "accessors": one_list(vertices),
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "targets": targets}]}],
        "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}],
    });
    glb(&document, &vec![0; vertices * 12])
}

/// A mesh shown by many nodes.
pub fn instances(nodes: usize, vertices: usize) -> Vec<u8> {
    let list: Vec<Value> = (0..nodes).map(|i| json!({"mesh": 0, "translation": [i, 0, 0]})).collect();
    let roots: Vec<usize> = (0..nodes).collect();
    let document = json!({
        "asset": {"version": "2.0"}, "buffers": [{"byteLength": vertices * 12}],
        "bufferViews": [{"buffer": 0, "byteLength": vertices * 12}],
        "accessors": one_list(vertices),
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": list, "scenes": [{"nodes": roots}],
    });
    glb(&document, &vec![0; vertices * 12])
}

fn gpu_instances(count: usize) -> Vec<u8> {
    let document = json!({
        "asset": {"version": "2.0"}, "extensionsUsed": ["EXT_mesh_gpu_instancing"],
        "accessors": [
            {"count": 3, "type": "VEC3", "componentType": 5126, "min": [0, 0, 0], "max": [0, 0, 0]},
            {"count": count, "type": "VEC3", "componentType": 5126},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
        "nodes": [{"mesh": 0, "extensions": {"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 1}}}}],
        "scenes": [{"nodes": [0]}],
    });
    glb(&document, &[])
}

/// A model with pictures that are all the same bytes of the file, on a triangle.
fn images(count: usize, picture: &[u8]) -> Vec<u8> {
    let images: Vec<Value> = (0..count).map(|_| json!({"bufferView": 0, "mimeType": "image/png"})).collect();
    let textures: Vec<Value> = (0..count).map(|i| json!({"source": i})).collect();
    let materials: Vec<Value> =
        (0..count).map(|i| json!({"pbrMetallicRoughness": {"baseColorTexture": {"index": i}}})).collect();
    let primitives: Vec<Value> =
        (0..count).map(|i| json!({"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": i})).collect();
    let at = picture.len().next_multiple_of(4);
    let document = json!({
        "asset": {"version": "2.0"}, "buffers": [{"byteLength": at + 60}],
        "bufferViews": [{"buffer": 0, "byteLength": picture.len()}, {"buffer": 0, "byteOffset": at, "byteLength": 60}],
        "accessors": [
            {"bufferView": 1, "count": 3, "type": "VEC3", "componentType": 5126, "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "byteOffset": 36, "count": 3, "type": "VEC2", "componentType": 5126},
        ],
        "images": images, "textures": textures, "materials": materials,
        "meshes": [{"primitives": primitives}], "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}],
    });
    let mut bin = picture.to_vec();
    bin.resize(at, 0);
    let floats = [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0];
    bin.extend(floats.iter().flat_map(|float| float.to_le_bytes()));
    glb(&document, &bin)
}

fn skins(count: usize) -> Vec<u8> {
    let joints: Vec<usize> = (0..count).collect();
    let skins: Vec<Value> = (0..count).map(|_| json!({"joints": joints})).collect();
    let nodes: Vec<Value> = (0..count).map(|_| json!({})).collect();
    let document = json!({
        "asset": {"version": "2.0"}, "nodes": nodes, "skins": skins, "scenes": [{"nodes": joints}],
    });
    glb(&document, &[])
}

/// Bytes that are all zero, in the way of EXT_meshopt_compression.
fn meshopt(count: usize) -> Vec<u8> {
    let stride = 12;
    let mut packed = vec![0xA0];
    for block in 0..count.div_ceil(256) {
        let groups = (count - block * 256).min(256).div_ceil(16);
        packed.resize(packed.len() + stride * groups.div_ceil(4), 0);
    }
    packed.resize(packed.len() + 32, 0);
    let document = json!({
        "asset": {"version": "2.0"}, "extensionsUsed": ["EXT_meshopt_compression"],
        "extensionsRequired": ["EXT_meshopt_compression"],
        "buffers": [
            {"byteLength": packed.len()},
            {"byteLength": count * stride, "extensions": {"EXT_meshopt_compression": {"fallback": true}}},
        ],
        "bufferViews": [{
            "buffer": 1, "byteLength": count * stride, "byteStride": stride,
            "extensions": {"EXT_meshopt_compression": {
                "buffer": 0, "byteLength": packed.len(), "byteStride": stride, "count": count, "mode": "ATTRIBUTES",
            }},
        }],
        "accessors": one_list(count),
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "nodes": [{"mesh": 0}], "scenes": [{"nodes": [0]}],
    });
    glb(&document, &packed)
}

/// A PNG of one colour that says so many texels, and perhaps has them.
pub fn png(width: u32, height: u32, has_them: bool) -> Vec<u8> {
    fn chunk(bytes: &mut Vec<u8>, kind: &[u8], data: &[u8]) {
        bytes.extend((data.len() as u32).to_be_bytes());
        let start = bytes.len();
        bytes.extend(kind);
        bytes.extend(data);
        let mut sum = flate2::Crc::new();
        sum.update(&bytes[start..]);
        bytes.extend(sum.sum().to_be_bytes());
    }
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut header = Vec::new();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([8, 6, 0, 0, 0]);
    chunk(&mut bytes, b"IHDR", &header);
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::new(6));
    let row = vec![0; width as usize * 4 + 1];
    for _ in 0..if has_them { height } else { 1 } {
        packed.write_all(&row).expect("into memory");
    }
    chunk(&mut bytes, b"IDAT", &packed.finish().expect("into memory"));
    chunk(&mut bytes, b"IEND", &[]);
    bytes
}

/// Three keys each, far apart, on many nodes.
pub fn far_keys(nodes: usize, end: f32) -> Vec<u8> {
    let mut bin = Vec::new();
    bin.extend([0.0, end / 2.0, end].iter().flat_map(|time: &f32| time.to_le_bytes()));
    bin.extend([0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0].iter().flat_map(|x| x.to_le_bytes()));
    let list: Vec<Value> = (0..nodes).map(|i| json!({"name": format!("n{i}"), "mesh": 0})).collect();
    let roots: Vec<usize> = (0..nodes).collect();
    let channels: Vec<Value> =
        (0..nodes).map(|i| json!({"sampler": 0, "target": {"node": i, "path": "translation"}})).collect();
    let document = json!({
        "asset": {"version": "2.0"}, "buffers": [{"byteLength": 48}],
        "bufferViews": [{"buffer": 0, "byteLength": 12}, {"buffer": 0, "byteOffset": 12, "byteLength": 36}],
        "accessors": [
            {"bufferView": 0, "count": 3, "type": "SCALAR", "componentType": 5126, "min": [0], "max": [end]},
            {"bufferView": 1, "count": 3, "type": "VEC3", "componentType": 5126, "min": [0, 0, 0], "max": [1, 1, 0]},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 1}}]}],
        "nodes": list, "scenes": [{"nodes": roots}],
        "animations": [{"channels": channels, "samplers": [{"input": 0, "output": 1}]}],
    });
    glb(&document, &bin)
}

/// Nodes that hang on each other, each with a mesh and turning: where they become joints each has all above it.
fn moving_chain(length: usize, times: &[f32]) -> Vec<u8> {
    let (turns, count) = (turning(times.len()), times.len());
    let corners = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let bin: Vec<u8> = [&corners, times, &turns].iter().flat_map(|list| floats(list)).collect();
    let view = |from: usize, length: usize| json!({"buffer": 0, "byteOffset": from, "byteLength": length});
    let nodes: Vec<Value> = (0..length)
        .map(|i| match i + 1 < length {
            true => json!({"mesh": 0, "translation": [0, 0, 1], "children": [i + 1]}),
            false => json!({"mesh": 0}),
        })
        .collect();
    let channels: Vec<Value> =
        (0..length).map(|i| json!({"sampler": 0, "target": {"node": i, "path": "rotation"}})).collect();
    let document = json!({
        "asset": {"version": "2.0"}, "buffers": [{"byteLength": bin.len()}],
        "bufferViews": [view(0, 36), view(36, count * 4), view(36 + count * 4, count * 16)],
        "accessors": [
            {"bufferView": 0, "count": 3, "type": "VEC3", "componentType": 5126, "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "count": count, "type": "SCALAR", "componentType": 5126,
             "min": [times.first()], "max": [times.last()]},
            {"bufferView": 2, "count": count, "type": "VEC4", "componentType": 5126},
        ],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}], "nodes": nodes, "scenes": [{"nodes": [0]}],
        "animations": [{"channels": channels, "samplers": [{"input": 1, "output": 2}]}],
    });
    glb(&document, &bin)
}

fn floats(list: &[f32]) -> Vec<u8> {
    list.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// Rotations from one side to the other and back.
fn turning(count: usize) -> Vec<f32> {
    (0..count).flat_map(|i| [(i % 2) as f32, 0.0, 0.0, ((i + 1) % 2) as f32]).collect()
}

/// Skins whose joints turn, each so much later than the one before: where a key holds all joints there are as many as all
/// have together.
fn joint_keys(joints: usize, skins: usize, times: &[f32], later: f32) -> Vec<u8> {
    let (mut bin, mut views, mut accessors) = (Vec::new(), Vec::new(), Vec::new());
    let mut add = |bytes: Vec<u8>, mut accessor: Value| {
        accessor["bufferView"] = json!(views.len());
        views.push(json!({"buffer": 0, "byteOffset": bin.len(), "byteLength": bytes.len()}));
        bin.extend(bytes);
        accessors.push(accessor);
        accessors.len() - 1
    };
    let list = |kind: &str, count: usize| json!({"count": count, "type": kind, "componentType": 5126});
    let corner =
        json!({"count": 3, "type": "VEC3", "componentType": 5126, "min": [0, 0, 0], "max": [1, 1, 0]});
    let position = add(floats(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]), corner);
    let bound = add(vec![0; 12], json!({"count": 3, "type": "VEC4", "componentType": 5121}));
    let weights = add(floats(&[1.0, 0.0, 0.0, 0.0].repeat(3)), list("VEC4", 3));
    let turns = add(floats(&turning(times.len())), list("VEC4", times.len()));
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    for joint in 0..joints {
        let times: Vec<f32> = times.iter().map(|time| time + later * joint as f32).collect();
        let mut accessor = list("SCALAR", times.len());
        (accessor["min"], accessor["max"]) = (json!([times.first()]), json!([times.last()]));
        samplers.push(json!({"input": add(floats(&times), accessor), "output": turns}));
        channels.push(json!({"sampler": joint, "target": {"node": joint, "path": "rotation"}}));
    }
    let mut nodes: Vec<Value> = (0..joints).map(|i| json!({"translation": [i, 0, 0]})).collect();
    nodes.extend((0..skins).map(|skin| json!({"mesh": 0, "skin": skin})));
    let attributes = json!({"POSITION": position, "JOINTS_0": bound, "WEIGHTS_0": weights});
    let document = json!({
        "asset": {"version": "2.0"}, "buffers": [{"byteLength": bin.len()}], "bufferViews": views,
        "accessors": accessors, "meshes": [{"primitives": [{"attributes": attributes}]}], "nodes": nodes,
        "skins": vec![json!({"joints": (0..joints).collect::<Vec<_>>()}); skins],
        "scenes": [{"nodes": (0..joints + skins).collect::<Vec<_>>()}],
        "animations": [{"channels": channels, "samplers": samplers}],
    });
    glb(&document, &bin)
}
