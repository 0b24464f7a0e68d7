//! BOGLE: the values beside the files, poses against Blender's, and round trips through the Scene.

use std::time::{Duration, Instant};

use crate::support::{TestFile, own, real, through};
use glam::{Mat4, Vec3};
use menagerie::bytes::{Limits, Span};
use menagerie::diag::{Aspect, Issues, LossReport, Severity};
use menagerie::formats::bogle::{self, BoneEncoding, FORMAT, Geometry, Instance, Model, Slot, Vertex};
use menagerie::formats::engine::largest_pose_error;
use menagerie::formats::{Purpose, ReadOptions, WriteOptions};
use menagerie::scene::{Bounds, NodeId, Pose, Scene, Turn, assert_scene};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

fn model(file: &TestFile) -> Model {
    bogle::read(&file.bytes).unwrap_or_else(|issue| panic!("{}: {issue}", file.name()))
}

fn lifted(model: &Model) -> Scene {
    let scene = bogle::lift(model, &ReadOptions::default()).scene;
    assert_scene(&scene);
    scene
}

/// Made and real files.
fn readable() -> Vec<TestFile> {
    let mut files = own("made", &FORMAT);
    files.extend(real(&FORMAT));
    files
}

fn real_model(name: &str) -> Option<Model> {
    real(&FORMAT).iter().find(|file| file.stem() == name).map(model)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the corpus has UTF-8 names")
}

fn hash(bytes: impl Iterator<Item = [u8; 4]>) -> String {
    let bytes: Vec<u8> = bytes.flatten().collect();
    Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn stream<const N: usize>(g: &Geometry, field: fn(&Vertex) -> [zerocopy::little_endian::F32; N]) -> String {
    hash(g.vertices.iter().flat_map(|v| field(v).map(|x| x.to_bytes())))
}

fn bounds<const N: usize>(points: impl Iterator<Item = [f32; N]>) -> Value {
    let (mut min, mut max) = ([f32::INFINITY; N], [f32::NEG_INFINITY; N]);
    for point in points {
        for i in 0..N {
            min[i] = min[i].min(point[i]);
            max[i] = max[i].max(point[i]);
        }
    }
    json!({ "max": max.to_vec(), "min": min.to_vec() })
}

fn geometry_json(g: &Geometry) -> Value {
    let encoding = g.bone_encoding().unwrap_or(BoneEncoding::Float);
    let bones = |v: &Vertex| v.bones.map(|word| encoding.decode(word.get()).expect("a whole number"));
    let skinned = g.vertices.iter().filter(|v| v.weights.iter().any(|w| w.get() > 0.0)).count();
    json!({
        "bone_index_encoding": if encoding == BoneEncoding::Float { "float" } else { "integer" },
        "bounds": bounds(g.vertices.iter().map(|v| v.position.map(|x| x.get()))),
        "hashes": {
            "binormals": stream(g, |v| v.binormal),
            "bone_indices": hash(g.vertices.iter().flat_map(|v| bones(v).map(u32::to_le_bytes))),
            "indices": hash(g.indices.iter().map(|index| index.to_bytes())),
            "normals": stream(g, |v| v.normal),
            "positions": stream(g, |v| v.position),
            "tangents": stream(g, |v| v.tangent),
            "uvs": stream(g, |v| v.uv),
            "weights": stream(g, |v| v.weights),
        },
        "index_count": g.indices.len(),
        "max_bone_index": g.vertices.iter().flat_map(bones).max().unwrap_or(0),
        "name": text(&g.name),
        "skinned_vertices": skinned,
        "type": g.kind,
        "uv_bounds": bounds(g.vertices.iter().map(|v| v.uv.map(|x| x.get()))),
        "vertex_count": g.vertices.len(),
    })
}

fn material_json(m: &bogle::Material) -> Value {
    let textures = Slot::ALL.into_iter().filter(|slot| !m.texture(*slot).is_empty());
    let textures: serde_json::Map<String, Value> =
        textures.map(|slot| (slot.name().to_owned(), text(m.texture(slot)).into())).collect();
    json!({
        "alpha_blending": m.alpha_blend, "alpha_threshold": m.alpha_threshold, "ambient": m.ambient,
        "bump_intensity": m.bump_intensity, "diffuse": m.diffuse, "emissive": m.emissive,
        "index_of_refraction": m.index_of_refraction, "name": text(&m.name), "opacity": m.opacity,
        "reflectance": m.reflectance, "refraction": m.refraction, "shader": m.shader,
        "specular": m.specular, "specular_power": m.specular_power, "specular_scale": m.specular_scale,
        "textures": textures, "type": m.kind,
    })
}

fn collection_json(c: &bogle::Collection) -> Value {
    let floats = |list: &[zerocopy::little_endian::F32]| list.iter().map(|x| x.get()).collect::<Vec<_>>();
    let animations = c.animations.iter().map(|a| {
        let rotations = |k: &bogle::Key| k.rotations.iter().map(|r| floats(r)).collect::<Vec<_>>();
        json!({
            "keyframe_count": a.keys.len(),
            "name": text(&a.name),
            "root_offsets": a.keys.iter().map(|k| k.root_offset).collect::<Vec<_>>(),
            "rotations": a.keys.iter().map(rotations).collect::<Vec<_>>(),
            "times": a.keys.iter().map(|k| k.time).collect::<Vec<_>>(),
        })
    });
    let bones = c.bones.iter().map(|b| {
        json!({ "parent": b.parent.get(), "position": floats(&b.position), "rotation": floats(&b.rotation) })
    });
    json!({
        "animations": animations.collect::<Vec<_>>(),
        "name": text(&c.name),
        "skeleton": { "bones": bones.collect::<Vec<_>>(), "transform": c.transform },
        "type": c.kind,
    })
}

fn light_json(l: &bogle::Light) -> Value {
    let kind = ["spot", "directional", "point"][usize::from(l.kind)];
    json!({
        "angle": l.angle, "color": l.color, "constant": l.constant, "intensity": l.intensity,
        "kind": kind, "linear": l.linear,
        "name": text(&l.name), "quadratic": l.quadratic, "type": l.kind,
    })
}

fn camera_json(c: &bogle::Camera) -> Value {
    json!({
        "far": c.far, "fov": c.fov, "height": c.height, "main": c.main, "name": text(&c.name),
        "near": c.near, "type": c.kind, "width": c.width,
    })
}

fn instance_json(i: &Instance) -> Value {
    json!({
        "animation_collection": i.collection, "camera": i.camera, "geometry": i.geometry, "light": i.light,
        "material": i.material, "matrix": i.matrix, "name": text(&i.name),
    })
}

/// The tree as nested lists of an instance and its children.
fn tree_json(tree: &bogle::Tree) -> (Value, usize) {
    fn below(tree: &bogle::Tree, parent: Option<usize>) -> Value {
        let places = tree.places.iter().enumerate().filter(|(_, place)| place.parent == parent);
        places.map(|(i, place)| json!([place.instance, below(tree, Some(i))])).collect()
    }
    (below(tree, None), tree.places.iter().map(|place| place.depth + 1).max().unwrap_or(0))
}

/// Floats written by this program and by another may differ in their digits, not in their value.
fn same(path: &str, found: &Value, expected: &Value) {
    match (found, expected) {
        (Value::Object(a), Value::Object(b)) => {
            assert_eq!(a.keys().collect::<std::collections::BTreeSet<_>>(), b.keys().collect(), "{path}");
            b.iter().for_each(|(key, value)| same(&format!("{path}.{key}"), &a[key], value));
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{path}");
            a.iter().zip(b).enumerate().for_each(|(i, (a, b))| same(&format!("{path}[{i}]"), a, b));
        }
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap() as f32, b.as_f64().unwrap() as f32);
            assert_eq!(a.to_bits(), b.to_bits(), "{path}: {a} is not {b}");
        }
        (a, b) => assert_eq!(a, b, "{path}"),
    }
}

#[test]
fn the_values_beside_the_files_are_found() {
    for file in readable() {
        let Some(mut expected) = file.expected() else { panic!("{} has no values", file.name()) };
        let m = model(&file);
        let (tree, depth) = tree_json(&m.parsed_tree().unwrap());
        let list = |found: Vec<Value>| Value::Array(found);
        let found = json!({
            "animation_collections": list(m.collections.iter().map(collection_json).collect()),
            "cameras": list(m.cameras.iter().map(camera_json).collect()),
            "counts": {
                "animation_collections": m.collections.len(), "cameras": m.cameras.len(),
                "geometries": m.geometries.len(), "instances": m.instances.len(),
                "lights": m.lights.len(), "materials": m.materials.len(),
            },
            "file_size": file.bytes.len(),
            "format": FORMAT.name,
            "geometries": list(m.geometries.iter().map(geometry_json).collect()),
            "global_ambient": m.ambient,
            "instances": list(m.instances.iter().map(instance_json).collect()),
            "lights": list(m.lights.iter().map(light_json).collect()),
            "materials": list(m.materials.iter().map(material_json).collect()),
            "tree": tree,
            "tree_depth": depth,
            "version": m.version,
        });
        let warnings = expected.as_object_mut().unwrap().remove("warnings").unwrap();
        same(&file.name(), &found, &expected);
        let errors = file.read(&FORMAT).issues.has_errors();
        assert_eq!(errors, !warnings.as_array().unwrap().is_empty(), "{}: {warnings}", file.name());
    }
}

#[test]
fn blender_has_the_same_poses() {
    let Some(shared) = crate::support::shared() else { return };
    let poses = shared.join("corpus/real/bogle/blender_poses.poses.json");
    let poses: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(poses).unwrap()).unwrap();
    let scene = lifted(&real_model("blender_poses").unwrap());
    for pose in poses {
        let name = pose["animation"].as_str().unwrap();
        let time = pose["time"].as_f64().unwrap() as f32;
        let animation = scene.animations.iter().find(|animation| animation.name == name).unwrap();
        let found = own_axes(Pose::at(&scene, animation, time).bounds(&scene).unwrap());
        let vector = |name: &str| {
            let list = pose[name].as_array().unwrap();
            Vec3::from_array(std::array::from_fn(|i| list[i].as_f64().unwrap() as f32))
        };
        let off = (found.min - vector("min")).abs().max((found.max - vector("max")).abs()).max_element();
        assert!(off < 1e-4, "{name} at {time} s is off by {off}");
    }
}

/// Bounds of the Scene in the file's own axes.
fn own_axes(bounds: Bounds) -> Bounds {
    let back = Turn::YUpToZUp;
    let (a, b) = (back.vec3(bounds.min), back.vec3(bounds.max));
    Bounds { min: a.min(b), max: a.max(b) }
}

#[test]
fn the_hierarchy_multiplies_down_the_tree() {
    let Some(model) = real_model("hierarchy") else { return };
    let scene = lifted(&model);
    let pose = Pose::rest(&scene);
    let found = own_axes(pose.bounds(&scene).unwrap());
    let expected = (Vec3::new(-6.0, -1.0, -1.0), Vec3::new(5.380, 10.078, 5.927));
    let off = (found.min - expected.0).abs().max((found.max - expected.1).abs()).max_element();
    assert!(off < 1e-3, "{found:?}");
    // Every node is where the product of the file's matrices puts its instance.
    let tree = model.parsed_tree().unwrap();
    let mut worlds: Vec<Mat4> = Vec::new();
    for (i, place) in tree.places.iter().enumerate() {
        let above = place.parent.map_or(Mat4::IDENTITY, |parent| worlds[parent]);
        let instance = &model.instances[place.instance];
        worlds.push(above * Mat4::from_cols_array(&instance.matrix));
        let looks = instance.camera + instance.light > 0;
        let meant = match looks {
            true => Turn::ZUpToYUp.to_matrix() * worlds[i],
            false => Turn::ZUpToYUp.matrix(worlds[i]),
        };
        let node = node_of(&scene, place.instance);
        assert!(pose.worlds[node.index()].abs_diff_eq(meant, 1e-5), "instance {}", place.instance);
    }
}

fn node_of(scene: &Scene, instance: usize) -> NodeId {
    let has = |node: &menagerie::scene::Node| {
        node.extras.get("bogle", "instance").and_then(Value::as_u64) == Some(instance as u64)
    };
    scene.nodes.iter().find(|(_, node)| has(node)).unwrap().0
}

#[test]
fn bones_rest_where_blender_has_them() {
    let Some(model) = real_model("skinned") else { return };
    let scene = lifted(&model);
    let pose = Pose::rest(&scene);
    let skin = scene.skins.values().next().unwrap();
    let armature = pose.worlds[skin.skeleton.unwrap().index()];
    // The bones are sorted by name: Arm.L, Arm.R, Chest, Hand.L, Head, Hips, Spine.
    let heads = [
        (2, "Chest", Vec3::new(0.1, 0.3, 2.0), 1e-6),
        (4, "Head", Vec3::new(0.1, 0.2, 2.5), 1e-6),
        (5, "Hips", Vec3::new(0.1, 0.2, 1.0), 1e-6),
        (6, "Spine", Vec3::new(0.1, 0.2, 1.5), 1e-6),
        // Bones that do not begin where their parent ends are off by what no reading removes (A30).
        (0, "Arm.L", Vec3::new(0.4, 0.2, 2.4), 0.0393),
        (1, "Arm.R", Vec3::new(-0.2, 0.2, 2.4), 0.0393),
        (3, "Hand.L", Vec3::new(1.1, 0.2, 2.3), 0.0393),
    ];
    for (bone, name, expected, tolerance) in heads {
        let joint = pose.worlds[skin.joints[bone].index()];
        let head = Turn::YUpToZUp.vec3((armature.inverse() * joint).w_axis.truncate());
        assert!((head - expected).length() < tolerance, "{name} is at {head}");
    }
    let animations: Vec<_> =
        scene.animations.iter().map(|a| (a.name.as_str(), a.channels[0].times.len())).collect();
    assert_eq!(animations, [("Walk", 4), ("Wave", 4), ("Single", 1)]);
    // At rest skinning changes nothing.
    let (node, of) = scene.nodes.iter().find(|(_, node)| node.skin.is_some()).unwrap();
    let primitive = &scene.meshes[of.mesh.unwrap()].primitives[0];
    let world = pose.worlds[node.index()];
    for (skinned, plain) in pose.positions(&scene, node, primitive).iter().zip(&primitive.positions) {
        let plain = world.transform_point3(Vec3::from_array(*plain));
        assert!((*skinned - plain).length() < 1e-5, "{skinned} is not {plain}");
    }
}

fn lowered(scene: &Scene) -> (Model, LossReport) {
    let mut losses = LossReport::new();
    let model = bogle::lower(assert_scene(scene), &WriteOptions::default(), &mut losses).unwrap();
    // What is written can be read, and is the same.
    let read = bogle::read(&model.to_bytes()).unwrap_or_else(|issue| panic!("{issue}"));
    assert_eq!(read, model);
    (model, losses)
}

/// The words and numbers of what a Scene holds, in the order of its fields.
fn tokens(scene: &Scene) -> Vec<String> {
    let text = format!("{scene:?}");
    text.split(|c: char| " ,()[]{}:".contains(c)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn assert_same_scene(name: &str, a: &Scene, b: &Scene) {
    let (a, b) = (tokens(a), tokens(b));
    for (i, (x, y)) in a.iter().zip(&b).enumerate() {
        let same = match (x.parse::<f64>(), y.parse::<f64>()) {
            (Ok(x), Ok(y)) => (x - y).abs() <= 1e-6 * x.abs().max(y.abs()).max(1.0),
            _ => x == y,
        };
        assert!(same, "{name}: {x} became {y} after {:?}", &a[i.saturating_sub(60)..i]);
    }
    assert_eq!(a.len(), b.len(), "{name}");
}

/// Whether a model breaks no rule of the format.
fn is_valid(model: &Model) -> bool {
    let mut issues = Issues::default();
    bogle::check(model, &mut issues);
    !issues.has_errors()
}

#[test]
fn what_the_rules_forbid_is_not_written() {
    // Instances that the tree does not have, and instances that it has twice.
    let mut trees = vec![];
    for tree in ["", "0{}", "0{}1{}0{}", "1{0{}}0{}"] {
        let instance = Instance { name: b"x".to_vec(), ..Instance::default() };
        let instances = vec![instance.clone(), instance];
        trees.push((tree.to_owned(), Model { instances, tree: tree.into(), ..Model::default() }));
    }
    trees.extend(readable().into_iter().map(|file| (file.name(), model(&file))));
    for (name, before) in trees {
        let scene = lifted(&before);
        let (after, losses) = lowered(&scene);
        assert!(is_valid(&after), "{name}");
        let back = lifted(&after);
        let report = menagerie::diff::diff(assert_scene(&scene), assert_scene(&back), &Default::default());
        let silent: Vec<_> = report.unannounced(&losses).collect();
        assert!(silent.is_empty(), "{name}: {silent:#?}");
    }
}

#[test]
fn a_file_comes_back_from_the_scene() {
    for file in readable() {
        let before = model(&file);
        if !is_valid(&before) {
            continue;
        }
        let scene = lifted(&before);
        let (after, losses) = lowered(&scene);
        assert!(losses.is_empty(), "{}: {losses:#?}", file.name());
        assert_eq!(after.tree, before.tree, "{}", file.name());
        assert_eq!(after.instances.len(), before.instances.len());
        assert_eq!(after.materials, before.materials, "{}", file.name());
        assert_eq!(after.cameras, before.cameras, "{}", file.name());
        assert_eq!(after.lights, before.lights, "{}", file.name());
        assert_eq!(after.summary(), before.summary(), "{}", file.name());
        for (a, b) in after.instances.iter().zip(&before.instances) {
            assert_eq!(a, b, "{}", file.name());
        }
        assert_same_scene(&file.name(), &scene, &lifted(&after));
    }
}

#[test]
fn bad_files_say_where() {
    for (name, code, path, span) in [
        ("deep_chain_257", "bogle/tree-depth", "tree[917]", (24497, 24498)),
        ("tree_badchar", "bogle/tree-character", "tree[2]", (140, 141)),
        ("tree_cycle", "bogle/tree-cycle", "tree[4]", (234, 235)),
        ("tree_noterm", "bogle/tree-not-terminated", "tree", (140, 141)),
        ("tree_oob", "bogle/tree-number", "tree[0]", (138, 139)),
        ("tree_unclosed", "bogle/tree-unclosed", "tree[3]", (233, 234)),
    ] {
        let file = own("bad", &FORMAT).into_iter().find(|file| file.stem() == name).expect(name);
        let reading = file.read(&FORMAT);
        let errors: Vec<_> = reading.issues.iter().filter(|i| i.severity == Severity::Error).collect();
        let [error] = errors[..] else { panic!("{name}: {errors:#?}") };
        let found = (error.code.id, error.path.as_str(), error.span);
        assert_eq!(found, (code, path, Some(Span::new(span.0, span.1))), "{name}");
    }
    assert_eq!(own("bad", &FORMAT).len(), 6);
}

#[test]
fn a_hundred_megabytes_of_braces_are_refused_at_once() {
    let mut bytes = Model::default().to_bytes();
    bytes.pop();
    bytes.resize(100_000_000, b'{');
    let start = Instant::now();
    let reading = FORMAT.open(&bytes, &ReadOptions::default());
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert!(reading.model.is_none());
    assert_eq!(reading.issues.iter().next().map(|issue| issue.code.id), Some("bogle/tree-depth"));
    bytes.fill(b'{');
    assert!(FORMAT.open(&bytes, &ReadOptions::default()).model.is_none());
}

fn word(value: f32) -> zerocopy::little_endian::U32 {
    value.to_bits().into()
}

/// A triangle whose corners hang on bones.
fn triangle(bones: [[u32; 3]; 3], weights: [[f32; 3]; 3], encoding: BoneEncoding) -> Geometry {
    let corner = |i: usize, position: [f32; 3], uv: [f32; 2]| Vertex {
        position: position.map(Into::into),
        uv: uv.map(Into::into),
        normal: [0.0, 0.0, 1.0].map(Into::into),
        tangent: [1.0, 0.0, 0.0].map(Into::into),
        binormal: [0.0, -1.0, 0.0].map(Into::into),
        bones: bones[i].map(|bone| encoding.encode(bone).into()),
        weights: weights[i].map(Into::into),
    };
    Geometry {
        name: b"triangle".to_vec(),
        vertices: vec![
            corner(0, [0.0, 0.0, 0.0], [0.0, 0.0]),
            corner(1, [1.0, 0.0, 0.5], [1.0, 0.25]),
            corner(2, [0.0, 2.0, 0.0], [-3.5, 1.0]),
        ]
        .into(),
        indices: [0, 1, 2].map(Into::into).to_vec().into(),
        ..Geometry::default()
    }
}

fn bone(parent: u32, position: [f32; 3], rotation: [f32; 4]) -> bogle::Bone {
    bogle::Bone {
        parent: parent.into(),
        position: position.map(Into::into),
        rotation: rotation.map(Into::into),
    }
}

fn key(time: f32, root_offset: [f32; 3], rotations: &[[f32; 4]]) -> bogle::Key {
    let rotations = rotations.iter().map(|rotation| rotation.map(Into::into)).collect();
    bogle::Key { time, root_offset, rotations }
}

/// Moved, turned, stretched and sheared.
fn odd_matrix(seed: f32) -> [f32; 16] {
    let mut matrix = Mat4::from_rotation_z(seed) * Mat4::from_scale(Vec3::new(1.0, 2.0, 0.5));
    matrix *= Mat4::from_rotation_x(seed * 2.0);
    matrix.w_axis = Vec3::new(seed, -2.0, 3.0).extend(1.0);
    matrix.to_cols_array()
}

/// A valid file with everything that the real ones lack.
fn everything() -> Model {
    let turn = [0.6, 0.0, 0.0, 0.8];
    let none = [0.0, 0.0, 0.0, 1.0];
    let weights = [[0.5, 0.25, 0.0], [1.0, 1.0, 1.0], [0.0, 0.0, 0.0]];
    let mut plain = triangle([[0; 3]; 3], [[0.0; 3]; 3], BoneEncoding::Float);
    for vertex in plain.vertices.iter_mut() {
        vertex.tangent = [0.0; 3].map(Into::into);
        vertex.binormal = [0.0; 3].map(Into::into);
    }
    let odd_binormal = {
        let mut geometry = triangle([[0, 1, 2]; 3], weights, BoneEncoding::Float);
        geometry.vertices[1].binormal = [0.6, 0.8, 0.0].map(Into::into);
        geometry
    };
    let rig = bogle::Collection {
        name: b"rig".to_vec(),
        transform: odd_matrix(0.3),
        bones: vec![
            bone(3, [0.0, 1.0, 0.0], turn),
            bone(0, [5.0, 0.0, 0.0], none),
            bone(0, [1.0, 2.0, 3.0], turn),
        ],
        animations: vec![
            bogle::Animation { name: b"empty".to_vec(), keys: vec![] },
            bogle::Animation {
                name: b"walk".to_vec(),
                keys: vec![
                    key(-0.5, [0.0; 3], &[none, turn, none]),
                    key(0.25, [1.0, 2.0, 3.0], &[turn, none, [0.0, 0.6, 0.0, -0.8]]),
                    key(2.0, [0.5, 0.0, 0.0], &[none, none, turn]),
                ],
            },
        ],
        ..bogle::Collection::default()
    };
    let boneless = bogle::Collection {
        name: b"nothing".to_vec(),
        animations: vec![bogle::Animation {
            name: b"x".to_vec(),
            keys: vec![key(1.0, [1.0, 0.0, 0.0], &[])],
        }],
        ..bogle::Collection::default()
    };
    let textures: [Vec<u8>; 8] =
        ["a", "b/c", "d.e", "", "f", "", "g", "h"].map(|name| name.as_bytes().to_vec());
    let instance = |name: &str, camera, geometry, material, light, collection, seed| Instance {
        name: name.as_bytes().to_vec(),
        camera,
        geometry,
        material,
        light,
        collection,
        matrix: odd_matrix(seed),
    };
    Model {
        ambient: [0.1, 0.2, 0.3, 0.4],
        cameras: vec![
            bogle::Camera {
                kind: 1,
                name: b"tall".to_vec(),
                width: 600,
                height: 800,
                near: 0.5,
                far: 20.0,
                fov: 1.2,
                main: 7,
            },
            bogle::Camera {
                name: b"wide".to_vec(),
                width: 1920,
                height: 1080,
                near: 0.1,
                far: 9.0,
                fov: 0.7,
                ..Default::default()
            },
        ],
        geometries: vec![
            triangle([[0, 1, 2]; 3], weights, BoneEncoding::Integer),
            plain,
            odd_binormal,
            triangle([[0, 1, 2]; 3], weights, BoneEncoding::Float),
        ],
        materials: vec![
            bogle::Material {
                name: b"glass".to_vec(),
                opacity: 0.5,
                alpha_blend: 3,
                alpha_threshold: 0.25,
                reflectance: 0.5,
                diffuse: [0.1, 0.2, 0.3, 0.9],
                specular: [1.0, 0.5, 0.25, 0.125],
                textures,
                ..Default::default()
            },
            bogle::Material {
                name: b"plain".to_vec(),
                alpha_threshold: 0.1,
                shader: 2,
                ..Default::default()
            },
            bogle::Material { name: b"Br\xFCcke".to_vec(), alpha_threshold: 2.0, ..Default::default() },
        ],
        lights: vec![
            bogle::Light {
                kind: 0,
                name: b"spot".to_vec(),
                color: [1.0, 2.0, 3.0, 0.5],
                constant: 0.0,
                linear: -15.0,
                quadratic: 1.0,
                intensity: -0.5,
                angle: 1.0,
            },
            bogle::Light {
                kind: 2,
                name: b"point".to_vec(),
                color: [1.0; 4],
                quadratic: 1.0,
                intensity: 197.5,
                angle: 0.25,
                ..Default::default()
            },
        ],
        collections: vec![rig.clone(), boneless, bogle::Collection { name: b"unused".to_vec(), ..rig }],
        instances: vec![
            instance("both", 1, 1, 1, 1, 1, 0.1),
            instance("again", 0, 1, 2, 0, 1, 0.2),
            instance("camera with child", 2, 0, 0, 0, 0, 0.3),
            instance("child of camera", 0, 2, 1, 0, 2, 0.4),
            instance("light in child", 0, 0, 0, 2, 0, 0.5),
            instance("camera and light and bones", 1, 0, 0, 2, 1, 0.6),
            instance("odd", 0, 3, 3, 0, 1, 0.7),
            instance("same geometry, no bones", 0, 3, 3, 0, 0, 0.8),
        ],
        tree: b"1 2{}{ 03{4}{5}\n} 0 6{7}".to_vec(),
        ..Model::default()
    }
}

#[test]
fn everything_comes_back_from_the_scene() {
    let mut before = everything();
    // The tree reopens a node that has a child; without that the file is valid.
    let mut issues = Issues::default();
    bogle::check(&before, &mut issues);
    assert!(issues.iter().any(|issue| issue.code.id == "bogle/tree-reopened"), "{issues:#?}");
    before.tree = b"1 2{}{ 03{4}5\n} 0 6{7}".to_vec();
    let mut issues = Issues::default();
    bogle::check(&before, &mut issues);
    assert!(!issues.has_errors(), "{issues:#?}");
    let scene = lifted(&before);
    let (after, losses) = lowered(&scene);
    assert!(losses.is_empty(), "{losses:#?}");
    assert_same_scene("everything", &scene, &lifted(&after));
    // What does not go through arithmetic is the same.
    assert_eq!((after.ambient, &after.cameras), (before.ambient, &before.cameras));
    assert_eq!((&after.materials, &after.lights), (&before.materials, &before.lights));
    assert_eq!((&after.instances, &after.tree), (&before.instances, &before.tree));
    assert_eq!(after.summary(), before.summary());
    assert_eq!(after.geometries[0].bone_encoding(), Some(BoneEncoding::Integer));
    for (a, b) in after.collections.iter().zip(&before.collections) {
        let names = |c: &bogle::Collection| c.animations.iter().map(|a| a.name.clone()).collect::<Vec<_>>();
        assert_eq!((&a.name, names(a)), (&b.name, names(b)));
    }
}

#[test]
fn changing_one_field_changes_only_its_bytes() {
    type Change = fn(&mut Model);
    let changes: [(&str, Change); 9] = [
        ("ambient", |m| m.ambient[2] += 1.0),
        ("cameras[1].fov", |m| m.cameras[1].fov += 1.0),
        ("geometries[2].vertices[1].uv", |m| m.geometries[2].vertices[1].uv[1] = 5.0.into()),
        ("geometries[0].indices[2].vertex", |m| m.geometries[0].indices[2] = 1.into()),
        ("materials[1].alpha_threshold", |m| m.materials[1].alpha_threshold = 0.75),
        ("materials[0].textures.diffuse", |m| m.materials[0].textures[2][1] = b'x'),
        ("lights[0].intensity", |m| m.lights[0].intensity = 9.0),
        ("animation_collections[0].animations[1].keys[2].rotations[1].xyzw", |m| {
            m.collections[0].animations[1].keys[2].rotations[1] = [0.0, 1.0, 0.0, 0.0].map(Into::into);
        }),
        ("instances[3].matrix", |m| m.instances[3].matrix[13] = 42.0),
    ];
    for (path, change) in changes {
        let before = everything();
        let mut after = before.clone();
        change(&mut after);
        let (old, new) = (before.to_bytes(), after.to_bytes());
        let span = before.byte_map().find(path).unwrap_or_else(|| panic!("{path} is not in the map"));
        let changed: Vec<usize> = (0..old.len()).filter(|i| old[*i] != new[*i]).collect();
        assert_eq!(old.len(), new.len(), "{path}");
        assert!(!changed.is_empty(), "{path}");
        let inside = |i: &usize| (span.start..span.end).contains(&(*i as u64));
        assert!(changed.iter().all(inside), "{path} at {span} changed {changed:?}");
    }
}

#[test]
fn problems_are_found_where_they_are() {
    type Break = fn(&mut Model);
    let cases: [(&str, &str, Break); 20] = [
        ("bogle/trailing-bytes", "trailing", |m| m.trailing = b"rest".to_vec()),
        ("bogle/index-count", "geometries[1].index_count", |m| {
            m.geometries[1].indices.make_mut().truncate(2)
        }),
        ("bogle/index-range", "geometries[1].indices[1].vertex", |m| m.geometries[1].indices[1] = 3.into()),
        ("bogle/bone-encoding", "geometries[2].vertices[2].bones", |m| {
            m.geometries[2].vertices[2].bones[1] = 1.into();
        }),
        ("bogle/bone-index", "geometries[2].vertices[2].bones", |m| {
            m.geometries[2].vertices[2].bones[1] = word(1.5);
        }),
        ("bogle/bone-range", "geometries[2].vertices[0].bones", |m| {
            m.geometries[2].vertices[0].bones[0] = word(3.0);
        }),
        ("bogle/negative-weight", "geometries[2].vertices[0].weights", |m| {
            m.geometries[2].vertices[0].weights[2] = (-1.0).into();
        }),
        ("bogle/bone-parent", "animation_collections[0].bones[1].parent", |m| {
            m.collections[0].bones[1].parent = 4.into();
        }),
        ("bogle/bone-cycle", "animation_collections[0].bones[0].parent", |m| {
            m.collections[0].bones[2].parent = 1.into();
        }),
        ("bogle/key-order", "animation_collections[0].animations[1].keys[2].time", |m| {
            m.collections[0].animations[1].keys[2].time = 0.0;
        }),
        ("bogle/key-equal", "animation_collections[0].animations[1].keys[2].time", |m| {
            m.collections[0].animations[1].keys[2].time = 0.25;
        }),
        ("bogle/rotation", "animation_collections[0].bones[1].rotation", |m| {
            m.collections[0].bones[1].rotation = [0.0; 4].map(Into::into);
        }),
        ("bogle/matrix", "instances[4].matrix", |m| m.instances[4].matrix[3] = 1.0),
        ("bogle/normal-and-bump", "materials[0].textures.bump", |m| {
            m.materials[0].textures[5] = b"n".to_vec()
        }),
        ("bogle/component", "instances[0].light", |m| m.instances[0].light = 3),
        ("bogle/no-material", "instances[1].material", |m| m.instances[1].material = 0),
        ("bogle/main-camera", "cameras[1].main", |m| m.cameras[1].main = 1),
        ("bogle/name-nul", "lights[1].name", |m| m.lights[1].name = b"a\0b".to_vec()),
        ("bogle/tree-missing", "instances[7]", |m| m.tree = b"1 2{3{4}5} 0 6".to_vec()),
        ("file/not-finite", "geometries[0].vertices[1].normal", |m| {
            m.geometries[0].vertices[1].normal[0] = f32::NAN.into();
        }),
    ];
    let valid = || Model { tree: b"1 2{3{4}5} 0 6{7}".to_vec(), ..everything() };
    let found = |model: &Model| -> Vec<(&'static str, String)> {
        let issues = FORMAT.open(&model.to_bytes(), &ReadOptions::default()).issues;
        assert!(issues.iter().all(|issue| issue.span.is_some()), "{issues:#?}");
        issues.iter().map(|issue| (issue.code.id, issue.path.clone())).collect()
    };
    let usual = found(&valid());
    for (code, path, spoil) in cases {
        let mut model = valid();
        spoil(&mut model);
        let new: Vec<_> = found(&model).into_iter().filter(|issue| !usual.contains(issue)).collect();
        assert!(new.contains(&(code, path.to_owned())), "{code} {path}: {new:?}");
        // Whatever it is, the Scene keeps the rules, and it can be lowered again.
        lowered(&lifted(&model));
    }
}

#[test]
fn options_choose_bone_indices_and_ascii_names() {
    let mut scene = lifted(&everything());
    scene.nodes.values_mut().next().unwrap().name = "Brücke".to_owned();
    let mut options = WriteOptions::default();
    options.settings.set("bogle-bone-index", "u32");
    options.settings.set("bogle-ascii", "yes");
    let mut losses = LossReport::new();
    let model = bogle::lower(assert_scene(&scene), &options, &mut losses).unwrap();
    let encodings: Vec<_> = model.geometries.iter().filter_map(Geometry::bone_encoding).collect();
    assert_eq!(encodings, [BoneEncoding::Integer; 3]);
    assert!(losses.iter().any(|loss| loss.code().id == "loss/names"));
    assert!(model.materials.iter().all(|material| material.name.is_ascii()));
    let mut options = ReadOptions::default();
    options.settings.set("bogle-ascii", "yes");
    let issues = FORMAT.open(&everything().to_bytes(), &options).issues;
    assert!(issues.iter().any(|i| i.code.id == "bogle/name-not-ascii" && i.path == "materials[2].name"));
}

#[test]
fn a_tree_that_is_too_deep_is_made_shallower() {
    let mut scene = Scene::default();
    let mut child = None;
    for i in 0..300 {
        child = Some(scene.nodes.push(menagerie::scene::Node {
            name: format!("level {}", 299 - i),
            children: child.into_iter().collect(),
            transform: menagerie::scene::Transform::Matrix(Mat4::from_translation(Vec3::X)),
            ..Default::default()
        }));
    }
    scene
        .scenes
        .push(menagerie::scene::SceneRoot { roots: child.into_iter().collect(), ..Default::default() });
    let (model, losses) = lowered(&scene);
    let mut issues = Issues::default();
    bogle::check(&model, &mut issues);
    assert!(!issues.has_errors(), "{issues:#?}");
    assert!(losses.iter().any(|loss| loss.code().id == "loss/hierarchy" && loss.count == 44), "{losses:#?}");
    let back = lifted(&model);
    let deepest = back.nodes.iter().find(|(_, node)| node.name == "level 299").unwrap().0;
    let world = Pose::rest(&back).worlds[deepest.index()];
    assert_eq!(world.w_axis.truncate(), Vec3::new(300.0, 0.0, 0.0));
}

/// Small files that ask for large Scenes: instances that share much must not be copied without end.
#[test]
fn copies_stay_in_proportion() {
    let mut shared = triangle([[0; 3]; 3], [[1.0, 0.0, 0.0]; 3], BoneEncoding::Float);
    let corner = shared.vertices[0];
    shared.vertices.make_mut().resize(20_000, corner);
    let rig = bogle::Collection {
        bones: vec![bone(0, [0.0; 3], [0.0, 0.0, 0.0, 1.0]); 5000],
        ..Default::default()
    };
    let count = 2000;
    let model = Model {
        geometries: vec![shared],
        materials: vec![bogle::Material::default(); count],
        collections: vec![rig],
        instances: (1..=count as u32)
            .map(|material| Instance { geometry: 1, material, collection: 1, ..Instance::default() })
            .collect(),
        tree: (0..count).map(|i| format!("{i} ")).collect::<String>().into_bytes(),
        ..Model::default()
    };
    let mut options = ReadOptions::default();
    options.limits.memory_bytes = 64 << 20;
    let lift = bogle::lift(&model, &options);
    assert_scene(&lift.scene);
    let codes: Vec<_> = lift.issues.iter().map(|issue| issue.code.id).collect();
    assert!(codes.contains(&"bogle/material-copies") && codes.contains(&"bogle/skeleton-copies"));
    let vertices: usize = lift.scene.meshes.values().map(|mesh| mesh.primitives[0].positions.len()).sum();
    assert!(vertices < 2_000_000 && lift.scene.nodes.len() < 300_000);
}

/// A model of another format: three weights of four, several parts, a bind pose that is not the rest pose.
#[test]
fn the_ninja_survives() {
    let Some(shared) = crate::support::shared() else { return };
    let bytes = std::fs::read(shared.join("corpus/real/bo3d/ninja.bo3d")).unwrap();
    let format = menagerie::formats::Format::by_id("bo3d").unwrap();
    let ninja = format.open(&bytes, &ReadOptions::default()).model.unwrap();
    let scene = ninja.lift(&ReadOptions::default()).unwrap().scene;
    let (model, losses) = lowered(&scene);
    let mut issues = Issues::default();
    bogle::check(&model, &mut issues);
    assert!(!issues.has_errors(), "{issues:#?}");
    let back = lifted(&model);
    let report = menagerie::diff::diff(assert_scene(&scene), assert_scene(&back), &Default::default());
    for difference in &report.differences {
        let named = losses.iter().any(|loss| loss.aspect == difference.aspect);
        assert!(named, "{difference} is not named in {losses:#?}");
    }
    // At rest everything is where it was. Joints of the ninja move in their parents, which BOGLE cannot hold; that is
    // measured.
    let at_rest = |scene: &Scene| Pose::rest(scene).bounds(scene).unwrap();
    let (a, b) = (at_rest(&scene), at_rest(&back));
    assert!((a.min - b.min).abs().max((a.max - b.max).abs()).max_element() < 1e-5, "{a:?} {b:?}");
    let moved = losses.iter().find(|loss| loss.code().id == "loss/animations" && loss.error.is_some());
    let (stats, unit) = moved.and_then(|loss| loss.error).unwrap();
    assert!(unit == "scene units" && stats.max > 10.0 && stats.mean() < 0.5, "{stats:?}");
}

/// Joints below a stretched armature with a node between them, bound in another pose than that of rest, each vertex to
/// one joint: all of that BOGLE can hold exactly.
#[test]
fn a_skin_from_elsewhere_moves_as_before() {
    use menagerie::scene::{
        Animation, Channel, Extras, Interpolation, Mesh, Node, Primitive, Property, SceneRoot, Skin,
        Transform,
    };
    let place = |x: f32, turn: f32, scale: f32| Transform::Trs {
        translation: Vec3::new(x, 0.5, -x),
        rotation: glam::Quat::from_rotation_z(turn),
        scale: Vec3::splat(scale),
    };
    let mut scene = Scene::default();
    let node =
        |name: &str, transform, children| Node { name: name.into(), transform, children, ..Node::default() };
    let lower = scene.nodes.push(node("lower", place(0.5, 0.4, 1.0), vec![]));
    let between = scene.nodes.push(node("between", place(0.25, -0.3, 1.0), vec![lower]));
    let upper = scene.nodes.push(node("upper", place(1.0, 0.2, 1.0), vec![between]));
    let armature = scene.nodes.push(node("armature", place(-2.0, 1.0, 0.5), vec![upper]));
    let primitive = Primitive {
        indices: vec![0, 1, 2],
        positions: vec![[0.0, 1.0, 2.0], [1.0, 0.0, 0.0], [3.0, 2.0, 1.0]],
        normals: vec![[0.0, 1.0, 0.0]; 3],
        tangents: vec![[1.0, 0.0, 0.0, -1.0]; 3],
        uvs: vec![vec![[0.0, 0.25]; 3]],
        joints: vec![vec![[0, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]],
        weights: vec![vec![[1.0, 0.0, 0.0, 0.0]; 3]],
        ..Primitive::default()
    };
    let mesh = scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
    let inverse_binds = vec![Mat4::from_rotation_y(0.3), Mat4::from_translation(Vec3::new(1.0, -2.0, 0.25))];
    // The child comes first in the list.
    let skin = scene.skins.push(Skin { joints: vec![lower, upper], inverse_binds, ..Skin::default() });
    let body = Node { mesh: Some(mesh), skin: Some(skin), ..node("body", place(3.0, 0.7, 2.0), vec![]) };
    let body = scene.nodes.push(body);
    scene.scenes.push(SceneRoot { roots: vec![armature, body], ..SceneRoot::default() });
    let turns = |node, times: &[f32], angles: &[f32]| Channel {
        node,
        property: Property::Rotation,
        interpolation: Interpolation::Linear,
        times: times.to_vec(),
        values: angles.iter().flat_map(|a| glam::Quat::from_rotation_x(*a).to_array()).collect(),
        extras: Extras::default(),
    };
    let moves = Channel {
        property: Property::Translation,
        values: vec![1.0, 0.5, -1.0, 4.0, 5.0, 6.0],
        ..turns(upper, &[0.0, 2.0], &[])
    };
    scene.animations.push(Animation {
        name: "wave".into(),
        channels: vec![
            turns(lower, &[0.0, 0.5, 2.0], &[0.0, 1.0, -1.0]),
            turns(upper, &[0.0, 1.0], &[0.3, 1.2]),
            moves,
        ],
        extras: Extras::default(),
    });
    let (model, losses) = lowered(&scene);
    assert_eq!(
        model.collections[0].parents(),
        [None, Some(0), Some(1), Some(2)],
        "parents come first, two bones a joint"
    );
    assert_eq!(model.collections[0].animations[0].keys.len(), 4, "0, 0.5, 1 and 2 seconds");
    assert!(losses.iter().any(|loss| loss.code().id == "loss/positions"), "{losses:#?}");
    assert!(
        losses.iter().all(|loss| loss.aspect != Aspect::Animations || loss.error.is_none()),
        "{losses:#?}"
    );
    let back = lifted(&model);
    for step in 0..=20 {
        let time = step as f32 / 10.0;
        let points = |scene: &Scene| {
            let (node, of) = scene.nodes.iter().find(|(_, node)| node.skin.is_some()).unwrap();
            let pose = Pose::at(scene, &scene.animations[0], time);
            pose.positions(scene, node, &scene.meshes[of.mesh.unwrap()].primitives[0])
        };
        for (a, b) in points(&scene).iter().zip(points(&back)) {
            assert!((*a - b).length() < 1e-4, "{a} is not {b} at {time} s");
        }
    }
}

#[test]
fn a_file_comes_back_from_gltf() {
    let files = readable().into_iter().map(|file| (file.name(), model(&file)));
    let files = files.filter(|(_, model)| is_valid(model));
    let everything = Model { tree: b"1 2{3{4}5} 0 6{7}".to_vec(), ..everything() };
    for (name, before) in files.chain([("everything".to_owned(), everything)]) {
        let scene = lifted(&before);
        let (from_glb, _) = through("gltf", &scene);
        let (after, losses) = lowered(&from_glb);
        assert!(losses.is_empty(), "{name}: {losses:#?}");
        let report =
            menagerie::diff::diff(assert_scene(&scene), assert_scene(&lifted(&after)), &Default::default());
        assert!(report.is_equal(), "{name}: {report:#?}");
        assert_eq!(after.materials, before.materials, "{name}");
        assert_eq!(after.cameras, before.cameras, "{name}");
        assert_eq!(after.lights, before.lights, "{name}");
        assert_eq!(after.tree, before.tree, "{name}");
    }
}

#[test]
fn what_bogle_changes_of_other_models_is_named() {
    let Some(shared) = crate::support::shared() else { return };
    let gltf = menagerie::formats::Format::by_id("gltf").unwrap();
    for file in crate::support::files_in(&shared.join("corpus/real/gltf"), gltf) {
        let Some(read) = file.read(gltf).model else { continue };
        let scene = read.lift(&ReadOptions::default()).unwrap().scene;
        let (back, losses) = through("bogle", &scene);
        let report = menagerie::diff::diff(assert_scene(&scene), assert_scene(&back), &Default::default());
        for difference in &report.differences {
            let named = losses.iter().any(|loss| loss.aspect == difference.aspect);
            assert!(named, "{}: {difference} is not named in {losses:#?}", file.name());
        }
    }
}

#[test]
fn beginnings_of_files_say_what_is_missing() {
    for file in readable() {
        crate::support::prefixes::counted(&FORMAT, &file, |model| {
            let contents = model.summary().contents;
            let count = |name: &str| contents.iter().find(|(other, _)| *other == name).map_or(0, |(_, n)| *n);
            vec![
                ("cameras", count("cameras")),
                ("geometries", count("geometries")),
                ("materials", count("materials")),
                ("lights", count("lights")),
                ("animation collections", count("animation_collections")),
                ("instances", count("instances")),
            ]
        });
    }
}

#[test]
fn a_cut_file_shows_what_is_left() {
    let Some(file) = real(&FORMAT).into_iter().find(|file| file.stem() == "hierarchy") else { return };
    let whole = model(&file);
    // Without its tree: all instances are there, and each is shown.
    let reading =
        FORMAT.open(&file.bytes[..file.bytes.len() - whole.tree.len() - 1], &ReadOptions::default());
    let lifted = reading.model.unwrap().lift(&ReadOptions::default()).unwrap();
    let scene = &lifted.scene;
    assert_eq!(scene.shown().unwrap().roots.len(), whole.instances.len());
    let damage: Vec<String> = reading.issues.damage().map(ToString::to_string).collect();
    let count = whole.instances.len();
    let places = format!("{count} of {count} places of instances in the tree missing");
    assert_eq!(damage, ["1 of 1 ends of the scene tree missing".to_owned(), places]);
    assert!(lifted.issues.iter().any(|issue| issue.code.id == "bogle/shown-geometry"));
}

fn engine_codes(model: &Model) -> Vec<&'static str> {
    let mut issues = Issues::default();
    bogle::check_engine(model, &Limits::default(), &mut issues);
    let mut codes: Vec<&str> = issues.iter().map(|issue| issue.code.id).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

#[test]
fn what_the_engine_does_otherwise_is_found() {
    for (name, expected) in [
        ("skinned", &["bogle/engine-bone-order", "bogle/engine-key-time", "bogle/engine-pose"][..]),
        (
            "suzanne_rig",
            &[
                "bogle/engine-bone-order",
                "bogle/engine-key-time",
                "bogle/engine-mirrored",
                "bogle/engine-pose",
            ],
        ),
    ] {
        let Some(model) = real_model(name) else { return };
        assert_eq!(engine_codes(&model), expected, "{name}");
    }
}

/// The largest error of the engine's poses, as a part of the model's size.
fn pose_error(model: &Model) -> f32 {
    let options = ReadOptions::default();
    let (document, engine) =
        (bogle::lift(model, &options).scene, bogle::lift_as_engine(model, &options).scene);
    assert_scene(&engine);
    largest_pose_error(&document, &engine).map_or(0.0, |error| error.error)
}

#[test]
fn rebuilt_for_the_engine_a_file_is_right_in_both_readings() {
    for file in readable() {
        let before = lifted(&model(&file));
        let mut options = WriteOptions::default();
        options.purpose = Purpose::Engine;
        let mut losses = LossReport::new();
        let made = bogle::lower(assert_scene(&before), &options, &mut losses).unwrap();
        let codes = engine_codes(&made);
        assert!(codes.iter().all(|code| *code == "bogle/engine-dark"), "{}: {codes:?}", file.name());
        assert!(pose_error(&made) < 1e-4, "{}: {}", file.name(), pose_error(&made));
        // By the document it still moves as before.
        let after = lifted(&made);
        for (a, b) in before.animations.iter().zip(&after.animations) {
            for step in 0..=10 {
                let time = a.seconds() * step as f32 / 10.0;
                let bounds = |scene: &Scene, animation| Pose::at(scene, animation, time).bounds(scene);
                let (Some(x), Some(y)) = (bounds(&before, a), bounds(&after, b)) else { continue };
                let off = (x.min - y.min).abs().max((x.max - y.max).abs()).max_element();
                assert!(
                    off < 1e-4 * x.diagonal().max(1.0),
                    "{}: {} is off by {off} at {time}",
                    file.name(),
                    a.name
                );
            }
        }
    }
}

#[test]
fn blender_has_the_same_vertices() {
    let Some(shared) = crate::support::shared() else { return };
    let poses = shared.join("corpus/real/bogle/suzanne_rig.poses.json");
    let poses: Value = serde_json::from_str(&std::fs::read_to_string(poses).unwrap()).unwrap();
    let model = real_model("suzanne_rig").unwrap();
    let scene = lifted(&model);
    assert_eq!((model.summary().vertices, model.summary().triangles), (5742, 1936));
    let (id, node) = scene.nodes.iter().find(|(_, node)| node.skin.is_some()).unwrap();
    let mesh = &scene.meshes[node.mesh.unwrap()];
    for (pose, truth) in poses["truth"].as_object().unwrap() {
        let (name, frame) = pose.split_once('@').unwrap();
        let time = frame.parse::<f32>().unwrap() / poses["fps"].as_f64().unwrap() as f32;
        let animation = scene.animations.iter().find(|animation| animation.name == name).unwrap();
        let found = Pose::at(&scene, animation, time).positions(&scene, id, &mesh.primitives[0]);
        let found: Vec<Vec3> = found.into_iter().map(|p| Turn::YUpToZUp.vec3(p)).collect();
        // The exporter mixes frames for unconnected bones, which only the second animation moves.
        let size = Vec3::new(2.61, 2.37, 3.85).length();
        let tolerance = size * if name == "Nod" { 1e-6 } else { 0.03 };
        for point in truth.as_array().unwrap() {
            let point = Vec3::from_array(std::array::from_fn(|i| point[i].as_f64().unwrap() as f32));
            let off = found.iter().map(|p| p.distance(point)).fold(f32::INFINITY, f32::min);
            assert!(off < tolerance, "{pose}: {point} is {off} from the nearest vertex");
        }
    }
}

#[test]
fn what_is_added_for_the_engine_comes_back_as_it_was() {
    use menagerie::scene::{
        Animation, Channel, Extras, Interpolation, Mesh, Node, Primitive, Property, SceneRoot, Skin,
        Transform,
    };
    let mut scene = Scene::default();
    let mut turn =
        |name: &str, children| scene.nodes.push(Node { name: name.into(), children, ..Node::default() });
    let tip = turn("tip", vec![]);
    let root = turn("root", vec![tip]);
    scene.nodes[tip].transform = Transform::Trs {
        translation: Vec3::new(0.0, 1.0, 0.0),
        rotation: glam::Quat::from_rotation_x(0.4),
        scale: Vec3::ONE,
    };
    let primitive = Primitive {
        indices: vec![0, 1, 2],
        positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        normals: vec![[0.0, 0.0, 1.0]; 3],
        joints: vec![vec![[0, 1, 0, 0]; 3]],
        weights: vec![vec![[0.5, 0.5, 0.0, 0.0]; 3]],
        ..Primitive::default()
    };
    let mesh = scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
    let inverse = scene.nodes[tip].transform.matrix().inverse();
    let skin =
        Skin { joints: vec![root, tip], inverse_binds: vec![Mat4::IDENTITY, inverse], ..Skin::default() };
    let skin = scene.skins.push(skin);
    let body = scene.nodes.push(Node { mesh: Some(mesh), skin: Some(skin), ..Node::default() });
    scene.scenes.push(SceneRoot { roots: vec![body, root], ..SceneRoot::default() });
    scene.animations.push(Animation {
        name: "pose".into(),
        channels: vec![Channel {
            node: tip,
            property: Property::Rotation,
            interpolation: Interpolation::Linear,
            times: vec![0.0],
            values: glam::Quat::from_rotation_z(1.0).to_array().to_vec(),
            extras: Extras::default(),
        }],
        extras: Extras::default(),
    });
    let (model, losses) = lowered(&scene);
    assert_eq!(model.collections[0].bones.len(), 4, "two bones a joint");
    assert_eq!(model.collections[0].animations[0].keys.len(), 2, "a single pose twice");
    assert_eq!(model.cameras.len(), 1, "a camera to draw through");
    assert!(model.ambient[0] > 0.0, "light from everywhere");
    assert_eq!(engine_codes(&model), Vec::<&str>::new());
    assert_eq!(losses.additions().filter(|loss| loss.aspect == Aspect::Cameras).count(), 1);
    let back = lifted(&model);
    let skin = back.skins.values().next().unwrap();
    assert_eq!((skin.joints.len(), back.cameras.len(), back.ambient), (2, 0, None));
    assert_eq!(back.animations[0].channels[0].times, [0.0]);
    assert_eq!(lowered(&back).0.to_bytes(), model.to_bytes(), "written again as it was");
}
