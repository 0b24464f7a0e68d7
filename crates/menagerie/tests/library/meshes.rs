//! OBJ, STL and PLY: what their files hold, whichever way they are read, and what others find in them.

use std::io::Read;

use crate::support::{Folder, TestFile, files_in, own, real, shared};
use menagerie::convert::{ConvertOptions, convert, convert_stream};
use menagerie::diff::{DiffOptions, diff};
use menagerie::formats::{ALL, Files, Format, NoFiles, ReadOptions, Reading};
use menagerie::ops::{Measure, measure};
use menagerie::scene::{Pose, Scene, Topology, assert_scene};
use serde_json::{Value, json};

fn format(id: &str) -> &'static Format {
    Format::by_id(id).expect("it is registered")
}

/// The formats of this file, with all that the project has of them.
fn made() -> Vec<(&'static Format, TestFile)> {
    let of = |id| own("made", format(id)).into_iter().map(move |file| (format(id), file));
    ["obj", "stl", "ply"].into_iter().flat_map(of).collect()
}

fn scene_of(format: &Format, bytes: &[u8]) -> Scene {
    let options = ReadOptions::default();
    let model = format.open(bytes, &options).model.expect("it can be read");
    let scene = model.lift(&options).expect("it can be lifted").scene;
    assert_scene(&scene);
    scene
}

/// Gives out a few bytes at a time, as a slow disk does.
struct Trickle<'a>(&'a [u8], usize);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n = self.1.min(buffer.len()).min(self.0.len());
        let (now, rest) = self.0.split_at(n);
        buffer[..n].copy_from_slice(now);
        self.0 = rest;
        Ok(n)
    }
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-5 * a.abs().max(b.abs()).max(1.0)
}

#[test]
fn made_files_hold_what_they_should() {
    let all = made();
    assert!(all.len() > 80, "the corpus is there");
    for (format, file) in all {
        let expected = file.expected().unwrap_or_else(|| panic!("{} has no expected values", file.name()));
        let reading = file.read(format);
        let mut codes: Vec<&str> = reading.issues.iter().map(|issue| issue.code.id).collect();
        codes.sort_unstable();
        let model = reading.model.unwrap_or_else(|| panic!("{} is not read", file.name()));
        let scene = scene_of(format, &file.bytes);
        let summary = model.summary();
        let contents: serde_json::Map<String, Value> =
            summary.contents.iter().map(|(name, count)| ((*name).to_owned(), json!(count))).collect();
        let mut found = json!({
            "profile": summary.profile,
            "contents": contents,
            "vertices": summary.vertices,
            "triangles": summary.triangles,
            "issues": codes,
        });
        let surface = measure(&scene);
        let primitives: Vec<_> = scene.meshes.values().flat_map(|mesh| &mesh.primitives).collect();
        let drawn = |topology| {
            let of = primitives.iter().filter(|primitive| primitive.topology == topology);
            of.map(|primitive| primitive.indices.len()).sum::<usize>()
        };
        let first = primitives.first();
        let optional = [
            ("watertight", json!(surface.is_watertight())),
            ("points", json!(drawn(Topology::Points))),
            ("lines", json!(drawn(Topology::Lines) / 2)),
            ("names", scene.nodes.values().map(|node| json!(node.name)).collect()),
            ("scene_vertices", json!(first.map(|primitive| primitive.positions.len()))),
            ("comments", scene.extras.get("ply", "comments").cloned().unwrap_or_default()),
            ("texture", json!(scene.images.values().next().and_then(|image| image.uri.clone()))),
        ];
        for (key, value) in optional {
            if expected.get(key).is_some() {
                found[key] = value;
            }
        }
        for (key, value) in found.as_object().expect("an object") {
            assert_eq!(value, &expected[key], "{}: {key}", file.name());
        }
        assert!(
            close(surface.area, expected["area"].as_f64().expect("area")),
            "{}: {surface:?}",
            file.name()
        );
        let turn = format.axes.turn.inverse();
        let corners = Pose::rest(&scene).bounds(&scene).map(|b| {
            let (a, b) = (turn.vec3(b.min), turn.vec3(b.max));
            (a.min(b).to_array(), a.max(b).to_array())
        });
        if let (Some((min, max)), Some(wanted)) = (corners, expected["bounds"].as_object()) {
            for (found, key) in [(min, "min"), (max, "max")] {
                let wanted: Vec<f64> =
                    wanted[key].as_array().unwrap().iter().filter_map(Value::as_f64).collect();
                assert!(
                    found.iter().zip(&wanted).all(|(a, b)| close(f64::from(*a), *b)),
                    "{}: {found:?}",
                    file.name()
                );
            }
        }
        if let Some(colors) = expected["colors"].as_array() {
            let linear = &first.expect("a primitive").colors[0];
            for (facet, color) in colors.iter().enumerate() {
                assert_eq!(
                    json!(linear[facet * 3].map(f64::from)),
                    json!(color.as_array().unwrap().iter().map(|x| x.as_f64()).collect::<Vec<_>>()),
                    "{}",
                    file.name()
                );
            }
        }
        for (key, values) in [
            ("color", first.and_then(|p| p.colors.first()).map(|list| list[0].to_vec())),
            ("uv", first.and_then(|p| p.uvs.first()).map(|list| list[0].to_vec())),
        ] {
            if let Some(wanted) = expected[key].as_array() {
                let found = values.unwrap_or_else(|| panic!("{} has no {key}", file.name()));
                let same =
                    found.iter().zip(wanted).all(|(a, b)| (f64::from(*a) - b.as_f64().unwrap()).abs() < 1e-5);
                assert!(same, "{}: {key} is {found:?}", file.name());
            }
        }
    }
}

#[test]
fn bad_files_are_reported_with_code_place_and_path() {
    for id in ["obj", "stl", "ply"] {
        let files = own("bad", format(id));
        assert!(files.len() >= 12, "{id} has bad files");
        for file in files {
            let expected = file.expected().unwrap_or_else(|| panic!("{}", file.name()));
            let issues = file.read(format(id)).issues;
            let found = issues.iter().any(|issue| {
                issue.code.id == expected["code"]
                    && issue.path == expected["path"].as_str().unwrap_or_default()
                    && issue.span.is_some_and(|span| {
                        json!(span.start) == expected["offset"] && json!(span.len()) == expected["length"]
                    })
            });
            assert!(found, "{} lacks {expected}: {:#?}", file.name(), issues.iter().collect::<Vec<_>>());
        }
    }
}

#[test]
fn pieces_give_the_same_scene_as_the_whole() {
    let mut files = made();
    for id in ["obj", "stl", "ply"] {
        files.extend(own("bad", format(id)).into_iter().map(|file| (format(id), file)));
    }
    for (format, file) in files {
        let folder = Folder(file.path.parent().expect("a folder").to_owned());
        let mut options = ReadOptions::default();
        options.files = &folder;
        let reading = format.open(&file.bytes, &options);
        let stream = format.stream.expect("it reads pieces");
        for size in [1, 7, 1 << 20] {
            let mut source = Trickle(&file.bytes, size);
            let streamed = stream(&mut source, Some(file.bytes.len() as u64), &options);
            let Some(model) = &reading.model else {
                assert!(streamed.is_err(), "{}", file.name());
                continue;
            };
            let streamed = streamed.unwrap_or_else(|issue| panic!("{}: {issue}", file.name()));
            let lifted = model.lift(&options).expect("it can be lifted");
            assert!(streamed.scene == lifted.scene, "{} in pieces of {size}", file.name());
            assert_eq!(streamed.summary, model.summary(), "{}", file.name());
            assert_eq!(streamed.bytes, file.bytes.len() as u64, "{}", file.name());
            let list = |issues: &menagerie::diag::Issues| {
                issues.iter().map(|i| (i.code.id, i.span)).collect::<Vec<_>>()
            };
            let (mut pieces, mut whole) = (list(&streamed.issues), list(&reading.issues));
            pieces.sort_unstable();
            whole.sort_unstable();
            assert_eq!(pieces, whole, "{}", file.name());
        }
    }
}

#[test]
fn converting_pieces_gives_the_same_bytes() {
    for (from, file) in made() {
        let to = format("gltf");
        let options = ConvertOptions::default();
        let whole = convert(&file.bytes, Some(&file.name()), to, &options).expect("it converts");
        let mut source = &file.bytes[..];
        let pieces =
            convert_stream(&mut source, Some(file.bytes.len() as u64), from, to, &options).expect("too");
        assert!(whole.output == pieces.output, "{}", file.name());
    }
}

/// The budget of a job grows with its input, read in pieces or not.
#[test]
fn pieces_count_as_input() {
    for (from, file) in made() {
        let mut options = ConvertOptions::default();
        options.read.limits.memory_bytes = 0;
        options.read.limits.output_bytes = 0;
        let mut source = &file.bytes[..];
        let length = Some(file.bytes.len() as u64);
        let pieces = convert_stream(&mut source, length, from, format("gltf"), &options);
        assert!(pieces.is_ok(), "{}: {:?}", file.name(), pieces.err());
    }
}

#[test]
fn large_files_of_many_blocks_are_read_in_order() {
    // Larger than several blocks, with numbers that count backwards, groups, and errors far into the file.
    let mut text = String::new();
    for i in 0..60_000 {
        if i % 10_000 == 0 {
            text.push_str(&format!("g part{}\n", i / 10_000));
        }
        text.push_str(&format!("v {i} {} 0.125\nv {i}.5 1 0\nv {i} 1 1.0625\n", i % 7));
        text.push_str(if i % 3 == 0 { "f -3 -2 -1\n" } else { "f -3// -2// -1//\n" });
        if i == 50_000 {
            text.push_str("v 1,5 0 0\n");
        }
    }
    let obj = format("obj");
    let reading = obj.open(text.as_bytes(), &ReadOptions::default());
    let issue = reading.issues.iter().find(|issue| issue.code.id == "obj/number").expect("the comma");
    let at = text.find("1,5").expect("it is there");
    assert_eq!(issue.span.map(|span| span.start), Some(at as u64));
    let line = text[..at].lines().count();
    assert!(issue.message.starts_with(&format!("line {line}:")), "{} at {line}", issue.message);
    let scene = scene_of(obj, text.as_bytes());
    assert_eq!(scene.nodes.len(), 6);
    let surface = measure(&scene);
    assert_eq!(surface.triangles, 60_000);
}

#[test]
fn ten_million_empty_groups_are_counted() {
    let groups = if cfg!(debug_assertions) { 300_000 } else { 10_000_000 };
    let mut text = String::new();
    for i in 0..groups {
        text.push_str(&format!("g {i}\n"));
    }
    text.push_str("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let reading = format("obj").open(text.as_bytes(), &ReadOptions::default());
    let issue = reading.issues.iter().find(|issue| issue.code.id == "obj/empty-groups").expect("said");
    assert!(issue.message.starts_with(&format!("{} ", groups - 1)), "{}", issue.message);
    assert_eq!(scene_of(format("obj"), text.as_bytes()).nodes.len(), 1);
}

#[test]
fn groups_beyond_all_measure_are_put_together() {
    let mut text = String::from("v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    for i in 0..70_000 {
        text.push_str(&format!("g {i}\nf 1 2 3\n"));
    }
    let reading = format("obj").open(text.as_bytes(), &ReadOptions::default());
    assert!(reading.issues.iter().any(|issue| issue.code.id == "obj/many-groups"));
    let scene = scene_of(format("obj"), text.as_bytes());
    assert_eq!(scene.nodes.len(), 65_536);
    assert_eq!(
        scene.meshes.values().flat_map(|m| &m.primitives).map(|p| p.indices.len()).sum::<usize>(),
        210_000
    );
}

#[test]
fn materials_come_from_the_library() {
    let file =
        made().into_iter().map(|(_, file)| file).find(|file| file.name() == "materials.obj").expect("it");
    let folder = Folder(file.path.parent().expect("a folder").to_owned());
    let mut options = ReadOptions::default();
    options.files = &folder;
    let reading = format("obj").open(&file.bytes, &options);
    assert!(reading.issues.is_empty(), "{:?}", reading.issues);
    let scene = reading.model.expect("read").lift(&options).expect("lifted").scene;
    assert_scene(&scene);
    let by_name = |name: &str| scene.materials.values().find(|m| m.name == name).expect("a material");
    use menagerie::scene::{AlphaMode, Blend, Shading, Wrap};
    let red = by_name("shiny red");
    let Shading::Phong(phong) = &red.shading else { panic!("{red:?}") };
    assert_eq!((phong.diffuse, phong.shininess), ([0.8, 0.1, 0.1, 0.5], 96.5));
    assert_eq!(red.alpha, AlphaMode::Blend(Blend::Alpha));
    let texture = phong.diffuse_texture.as_ref().expect("a picture");
    let transform = texture.transform.expect("placed");
    assert_eq!((transform.scale, transform.offset), ([2.0, 3.0], [0.25, 1.0 - 3.0 - 0.5]));
    let of = &scene.textures[texture.texture];
    assert_eq!(of.sampler.as_ref().map(|s| (s.wrap_u, s.wrap_v)), Some((Wrap::Clamp, Wrap::Clamp)));
    assert_eq!(scene.images[of.image.expect("an image")].uri.as_deref(), Some("wood planks.png"));
    assert_eq!(phong.bump_texture.as_ref().map(|(_, strength)| *strength), Some(0.5));
    let steel = by_name("steel");
    let Shading::MetallicRoughness(shading) = &steel.shading else { panic!("{steel:?}") };
    assert_eq!((shading.metallic, shading.roughness), (1.0, 0.25));
    assert_eq!(shading.base_color, [0.5, 0.5, 0.6, 1.0]);
    assert_eq!(steel.normal_texture.as_ref().map(|(_, strength)| *strength), Some(0.75));
    assert_eq!(steel.extras.get("obj", "lines"), Some(&json!(["Ps 0.1"])));
}

#[test]
fn smoothing_groups_make_normals() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\ns 1\nf 1 2 3\nf 1 4 2\ns 2\nf 1 3 4\n";
    let scene = scene_of(format("obj"), text.as_bytes());
    let primitive = &scene.meshes.values().next().expect("a mesh").primitives[0];
    assert_eq!(primitive.positions.len(), 7, "group 2 shares no vertex with group 1");
    let normal = |i: usize| glam::Vec3::from_array(primitive.normals[i]);
    let half = glam::Vec3::new(0.0, 1.0, 1.0).normalize();
    assert!((normal(0) - half).length() < 1e-6, "{:?}", normal(0));
}

// What others find

#[test]
fn tobj_finds_the_same() {
    for (_, file) in made().into_iter().filter(|(format, _)| format.id == "obj") {
        // What tobj does not read: comments behind values, odd letters, or nothing but points; concave faces it fans.
        let skip = [
            "comments.obj",
            "latin1.obj",
            "only_vertices.obj",
            "concave.obj",
            "concave_quad.obj",
            "exponents.obj",
            "lines_and_points.obj",
            "objects_and_groups.obj",
            "not_finite_unused.obj",
            "continued.obj",
            "weights.obj",
            "faces_first.obj",
        ];
        if skip.contains(&file.name().as_str()) {
            continue;
        }
        let mut reader = &file.bytes[..];
        let load = tobj::LoadOptions { triangulate: true, single_index: true, ..Default::default() };
        let (models, _) = tobj::load_obj_buf(&mut reader, &load, |_| Ok(Default::default()))
            .unwrap_or_else(|error| panic!("{}: {error}", file.name()));
        let mut theirs: Vec<[u32; 9]> = Vec::new();
        for model in &models {
            for triangle in model.mesh.indices.chunks_exact(3) {
                let mut corners = [0; 9];
                for (i, index) in triangle.iter().enumerate() {
                    let at = *index as usize * 3;
                    for k in 0..3 {
                        corners[i * 3 + k] = (model.mesh.positions[at + k] + 0.0).to_bits();
                    }
                }
                theirs.push(corners);
            }
        }
        let mut ours = triangles(&scene_of(format("obj"), &file.bytes), format("obj"));
        ours.sort_unstable();
        theirs.sort_unstable();
        assert!(ours == theirs, "{}: {} and {}", file.name(), ours.len(), theirs.len());
    }
}

#[test]
fn stl_io_finds_the_same() {
    for (_, file) in made().into_iter().filter(|(format, _)| format.id == "stl") {
        let skip = [
            "ascii_upper.stl",
            "ascii_two_solids.stl",
            "ascii_one_line.stl",
            "ascii_latin1.stl",
            "ascii_blank_lines.stl",
            "ascii_empty.stl",
            "binary_solid_header.stl",
            "binary_solid_nl.stl",
            "trailing.stl",
            "not_finite.stl",
            "ascii_no_name.stl",
        ];
        if skip.contains(&file.name().as_str()) {
            continue;
        }
        let theirs = stl_io::read_stl(&mut std::io::Cursor::new(&file.bytes))
            .unwrap_or_else(|error| panic!("{}: {error}", file.name()));
        let mut theirs: Vec<[u32; 9]> = theirs
            .faces
            .iter()
            .map(|face| {
                let mut corners = [0; 9];
                for (i, vertex) in face.vertices.iter().enumerate() {
                    for k in 0..3 {
                        corners[i * 3 + k] = (theirs.vertices[*vertex][k] + 0.0).to_bits();
                    }
                }
                corners
            })
            .collect();
        let mut ours = triangles(&scene_of(format("stl"), &file.bytes), format("stl"));
        ours.sort_unstable();
        theirs.sort_unstable();
        assert!(ours == theirs, "{}", file.name());
    }
}

/// What serde-ply is asked for.
#[derive(serde::Deserialize)]
struct PlyMesh {
    vertex: Vec<PlyVertex>,
    #[serde(default)]
    face: Vec<PlyFace>,
}

#[derive(serde::Deserialize)]
struct PlyVertex {
    x: f32,
    y: f32,
    z: f32,
}

#[derive(serde::Deserialize)]
struct PlyFace {
    #[serde(alias = "vertex_index")]
    vertex_indices: Vec<u32>,
}

#[test]
fn serde_ply_finds_the_same() {
    let mut compared = 0;
    for (_, file) in made().into_iter().filter(|(format, _)| format.id == "ply") {
        // Strips and edges are no faces, and elements of other names it cannot skip; faces that are left out or cut by another diagonal are tested by their values.
        let kinds = ["cube", "faces_first", "face_colours", "odd_order", "wedge_uvs", "quads", "crlf"];
        if !kinds.iter().any(|kind| file.stem().starts_with(kind)) {
            continue;
        }
        let theirs: PlyMesh = serde_ply::from_reader(&file.bytes[..])
            .unwrap_or_else(|error| panic!("{}: {error}", file.name()));
        let mut ours = triangles(&scene_of(format("ply"), &file.bytes), format("ply"));
        let count: usize = theirs.face.iter().map(|face| face.vertex_indices.len() - 2).sum();
        assert_eq!(ours.len(), count, "{}", file.name());
        if theirs.face.iter().all(|face| face.vertex_indices.len() == 3) {
            let corner = |index: &u32| {
                let vertex = &theirs.vertex[*index as usize];
                [vertex.x, vertex.y, vertex.z].map(|x| (x + 0.0).to_bits())
            };
            let mut theirs: Vec<[u32; 9]> = theirs
                .face
                .iter()
                .map(|face| {
                    face.vertex_indices.iter().flat_map(corner).collect::<Vec<u32>>().try_into().unwrap()
                })
                .collect();
            ours.sort_unstable();
            theirs.sort_unstable();
            assert!(ours == theirs, "{}", file.name());
            compared += 1;
        }
    }
    assert!(compared >= 6, "only {compared} files were compared corner by corner");
}

/// The corners of all triangles in the format's own axes, as bits.
fn triangles(scene: &Scene, format: &Format) -> Vec<[u32; 9]> {
    let turn = format.axes.turn.inverse();
    let mut list = Vec::new();
    for primitive in scene.meshes.values().flat_map(|mesh| &mesh.primitives) {
        for triangle in primitive.triangles() {
            let mut corners = [0; 9];
            for (i, index) in triangle.iter().enumerate() {
                let place = turn.vector(primitive.positions[*index as usize]);
                for k in 0..3 {
                    corners[i * 3 + k] = (place[k] + 0.0).to_bits();
                }
            }
            list.push(corners);
        }
    }
    list
}

// Real files

/// The signed volume and the area by another formula: the flux of (x, 0, 0) through the triangles, and Heron.
fn independent(scene: &Scene) -> (f64, f64) {
    let (mut volume, mut area) = (0.0, 0.0);
    for primitive in scene.meshes.values().flat_map(|mesh| &mesh.primitives) {
        for triangle in primitive.triangles() {
            let [a, b, c] = triangle.map(|i| primitive.positions[i as usize].map(f64::from));
            let length = |p: [f64; 3], q: [f64; 3]| (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt();
            let (x, y, z) = (length(a, b), length(b, c), length(c, a));
            let s = (x + y + z) / 2.0;
            area += (s * (s - x) * (s - y) * (s - z)).max(0.0).sqrt();
            let normal_x = (b[1] - a[1]) * (c[2] - a[2]) - (b[2] - a[2]) * (c[1] - a[1]);
            volume += normal_x / 2.0 * (a[0] + b[0] + c[0]) / 3.0;
        }
    }
    (volume, area)
}

#[test]
fn real_stl_files_measure_what_they_measure() {
    let Some(shared) = shared() else { return };
    for name in ["boxman0.stl", "driverbit0.stl"] {
        let file = TestFile::load(shared.join("corpus/real/bmd").join(name));
        let stl = format("stl");
        let reading = file.read(stl);
        let model = reading.model.expect("it is read");
        assert_eq!(model.write().expect("written").bytes, file.bytes, "{name}");
        let scene = scene_of(stl, &file.bytes);
        let surface: Measure = measure(&scene);
        let (volume, area) = independent(&scene);
        println!(
            "{name}: {surface:?}, {}",
            if surface.is_watertight() { "watertight" } else { "not watertight" }
        );
        assert!((surface.area - area).abs() <= 1e-4 * area, "{name}: {} and {area}", surface.area);
        if surface.is_watertight() {
            assert!(
                (surface.volume - volume).abs() <= 1e-4 * volume.abs(),
                "{name}: {} and {volume}",
                surface.volume
            );
        }
        assert!(
            surface.welded_vertices < scene.meshes.values().map(|m| m.primitives[0].positions.len()).sum()
        );
    }
}

#[test]
fn engine_models_go_to_the_mesh_formats_and_keep_their_surface() {
    for from in ALL.iter().filter(|format| !["obj", "stl", "ply", "gltf"].contains(&format.id)) {
        for file in real(from).into_iter().take(3) {
            let before = measure(&scene_of(from, &file.bytes));
            for id in ["obj", "stl", "ply"] {
                let done = convert(&file.bytes, Some(&file.name()), format(id), &ConvertOptions::default())
                    .unwrap_or_else(|failed| panic!("{} to {id}: {:?}", file.name(), failed.issues));
                let after_scene = scene_of(format(id), &done.output.bytes);
                let after = measure(&after_scene);
                assert!(
                    (before.area - after.area).abs() <= 1e-4 * before.area.max(1e-9),
                    "{} to {id}",
                    file.name()
                );
                assert_eq!(before.triangles, after.triangles, "{} to {id}", file.name());
                assert!(!done.losses.is_empty(), "{} to {id} costs something", file.name());
                // And back, as far as there is a way.
                let back =
                    convert(&done.output.bytes, Some(&format!("x.{id}")), from, &ConvertOptions::default());
                if let Ok(back) = back {
                    scene_of(from, &back.output.bytes);
                }
            }
        }
    }
}

#[test]
fn forms_are_chosen_by_options() {
    for (id, option, value, start) in [
        ("stl", "stl-form", "ascii", &b"solid"[..]),
        ("stl", "stl-form", "binary", b"binary STL"),
        ("ply", "ply-form", "ascii", b"ply\nformat ascii"),
        ("ply", "ply-form", "binary", b"ply\nformat binary_little_endian"),
    ] {
        let file =
            own("made", format("obj")).into_iter().find(|file| file.name() == "quads.obj").expect("it");
        let mut options = ConvertOptions::default();
        options.write.settings.set(option, value);
        let done = convert(&file.bytes, Some("quads.obj"), format(id), &options).expect("it converts");
        assert!(done.output.bytes.starts_with(start), "{id} {value}");
        let options = DiffOptions::default();
        let (before, after) =
            (scene_of(format("obj"), &file.bytes), scene_of(format(id), &done.output.bytes));
        let report = diff(assert_scene(&before), assert_scene(&after), &options);
        let shape = report.differences.iter().find(|d| {
            matches!(d.aspect, menagerie::diag::Aspect::Positions | menagerie::diag::Aspect::Topology)
        });
        assert!(shape.is_none(), "{shape:?}");
    }
}

#[test]
fn issues_of_a_ply_header_point_at_their_line() {
    let text = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
                property list uchar int friends\nelement face 1\nproperty list uchar int vertex_indices\n\
                property uchar red\nelement odd 0\nend_header\n0 0 0 0\n1 0 0 0\n1 1 0 0\n0 1 0 0\n4 0 1 2 3 255\n";
    let reading = format("ply").open(text.as_bytes(), &ReadOptions::default());
    let found: Vec<(&str, &str, &str)> = reading
        .issues
        .iter()
        .map(|issue| {
            let span = issue.span.expect("a place");
            (issue.code.id, issue.path.as_str(), &text[span.start as usize..span.end as usize])
        })
        .collect();
    for expected in [
        ("ply/ignored", "header.lines[6]", "property list uchar int friends"),
        ("ply/face-colours", "header.lines[9]", "property uchar red"),
        ("ply/ignored", "header.lines[10]", "element odd 0"),
        ("ply/polygons", "face[0]", "4 0 1 2 3 255"),
    ] {
        assert!(found.contains(&expected), "{expected:?} is not in {found:#?}");
    }
}

/// What reading and lifting a file gave up and left out, and its issues.
fn found_in(format: &Format, bytes: &[u8], files: &dyn Files) -> (Reading, Option<Scene>) {
    let mut options = ReadOptions::default();
    options.files = files;
    let mut reading = format.open(bytes, &options);
    let scene = reading.lift(&options);
    if let Some(scene) = &scene {
        assert_scene(scene);
    }
    (reading, scene)
}

#[test]
fn a_file_that_was_cut_off_says_so() {
    let (mut files, mut known) = (0, 0);
    for id in ["gltf", "obj", "stl", "ply"] {
        let format = format(id);
        let mut all = own("made", format);
        all.extend(real(format));
        if let Some(shared) = shared() {
            all.extend(files_in(&shared.join("corpus/real/bmd"), format));
        }
        for file in all {
            let folder = Folder(file.path.parent().expect("a folder").to_owned());
            let (whole, scene) = found_in(format, &file.bytes, &folder);
            if whole.model.is_none() || whole.issues.is_damaged() {
                continue;
            }
            files += 1;
            for i in 0..64 {
                let length = file.bytes.len() * i / 64;
                let cut = &file.bytes[..length];
                let (reading, left) = found_in(format, cut, &folder);
                // Of words that end with a line nobody can know whether more came.
                let last = cut.rsplit(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
                let before = cut.trim_ascii_end();
                let before = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii();
                let words = match id {
                    "obj" => last.is_empty() || last.starts_with(b"#"),
                    "stl" => before.starts_with(b"endsolid"),
                    _ => false,
                };
                let damaged = reading.model.is_none() || reading.issues.is_damaged() || left == scene;
                let said = id == "obj" && reading.issues.iter().any(|i| i.code.id == "obj/last-line");
                assert!(damaged || words || said, "{} cut at {length}", file.name());
                known += usize::from(reading.issues.damage().next().is_some());
            }
        }
    }
    println!("{files} files; the missing was counted for {known} beginnings");
}

#[test]
fn what_is_missing_is_counted() {
    let facet = [0u8; 50];
    let mut stl = [vec![b' '; 80], 3u32.to_le_bytes().to_vec(), facet.to_vec(), facet.to_vec()].concat();
    stl.extend(&facet[..20]);
    let ply =
        b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
        element face 2\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n";
    for (id, bytes, expected) in [
        ("stl", &stl[..], vec!["1 of 3 triangles missing"]),
        ("stl", b"solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\n", vec!["1 of 1 triangles missing"]),
        ("ply", &ply[..], vec!["1 of 4 vertices missing", "2 of 2 faces missing"]),
        ("obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 2 9\n", vec!["1 of 2 triangles missing"]),
        (
            "obj",
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 x 3\n",
            vec!["1 of 2 faces, lines and points missing"],
        ),
    ] {
        let (reading, _) = found_in(format(id), bytes, &NoFiles);
        let damage: Vec<String> = reading.issues.damage().map(ToString::to_string).collect();
        assert_eq!(damage, expected, "{id}");
    }
}

#[test]
fn what_a_scene_has_no_place_for_is_a_loss_of_conversions_only() {
    let obj =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nvp 1 2\nf 1 2 3\nfrobnicate 3\nf 1 2\ng nothing\ng something\nf 1 2 3\n";
    let ply = "ply\nformat ascii 1.0\nsense none\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\nproperty uchar red\nelement tree 1\nproperty int age\n\
        end_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2 9\n7\n";
    let glb = Format::by_id("gltf").expect("glTF is registered");
    for (id, text, expected) in [("obj", obj, 4), ("ply", ply, 3)] {
        let mut options = ConvertOptions::default();
        let losses = |to, options: &ConvertOptions<'_>| {
            let done =
                convert(text.as_bytes(), Some(&format!("a.{id}")), to, options).expect("it is converted");
            done.losses.losses().filter(|loss| loss.unread).cloned().collect::<Vec<_>>()
        };
        let there = losses(glb, &options);
        assert_eq!(there.len(), expected, "{id}: {there:#?}");
        assert_eq!(losses(format(id), &options), [], "{id}");
        options.rebuild = true;
        assert_eq!(losses(format(id), &options), there, "{id}");
    }
}

#[test]
fn no_reader_makes_what_breaks_a_rule() {
    let twice = "ply\nformat ascii 1.0\nelement vertex 8\nproperty double z\nelement vertex 8\nproperty float nx\n\
        property float ny\nproperty float nz\nend_header\n255 4 0 0 1 128 0 0 0 0.5 0.25 0.75 255\n";
    for (id, text, code) in [
        ("obj", "v 0 0 0 1e17 0 0\nv 1 0 0 1 1 1\nv 0 1 0 1 1 1\nf 1 2 3\n", "file/not-finite"),
        ("ply", twice, "ply/declaration"),
    ] {
        let (reading, _) = found_in(format(id), text.as_bytes(), &NoFiles);
        let issue = reading.issues.iter().find(|issue| issue.code.id == code).expect(code);
        assert!(issue.span.is_some_and(|span| span.end > span.start), "{issue}");
    }
}

/// The one rule, for all files that there are: what differs after a conversion to one of the bridge formats was said, and
/// what was said differs.
#[test]
fn what_conversions_say_is_what_they_do() {
    let mut wrong: std::collections::BTreeMap<String, (usize, String)> = std::collections::BTreeMap::new();
    let mut conversions = 0;
    for from in ALL {
        let mut files = own("made", from);
        files.extend(real(from));
        for file in files {
            let folder = Folder(file.path.parent().expect("a folder").to_owned());
            for id in ["gltf", "obj", "stl", "ply"] {
                let mut options = ConvertOptions::default();
                options.read.files = &folder;
                options.rebuild = true;
                options.write.stem = "out".to_owned();
                let Ok(done) = convert(&file.bytes, Some(&file.name()), format(id), &options) else {
                    continue;
                };
                let mut read = ReadOptions::default();
                let beside = crate::support::promises::Beside(&done.output);
                read.files = &beside;
                let model = format(id).open(&done.output.bytes, &read).model.expect("it can be read");
                let mut back = model.lift(&read).expect("it can be lifted").scene;
                menagerie::convert::resolve_textures(&mut back, &beside);
                let source = done.scene.as_ref().expect("it went through the Scene");
                let report = diff(assert_scene(source), assert_scene(&back), &DiffOptions::default());
                conversions += 1;
                let silent =
                    report.unannounced(&done.losses).map(|d| format!("{id} silent {:?}: {d}", d.aspect));
                let false_ =
                    report.unseen(&done.losses).map(|l| format!("{id} false {:?}: {}", l.aspect, l.message));
                // The comparison counts morph targets that no node shows, and takes the corners of a loop of lines for
                // those of single lines.
                let known = |what: &String| {
                    (file.name().starts_with("15_everything") && what.contains("silent Morphs"))
                        || (file.name().starts_with("MeshPrimitiveModes")
                            && what.contains("silent Positions"))
                };
                for what in silent.chain(false_).filter(|what| !known(what)) {
                    let key = what.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
                    let entry = wrong.entry(key).or_insert_with(|| (0, format!("{}: {what}", file.name())));
                    entry.0 += 1;
                }
            }
        }
    }
    let list: Vec<String> = wrong.values().map(|(count, example)| format!("{count} × {example}")).collect();
    assert!(list.is_empty(), "of {conversions} conversions:\n{}", list.join("\n"));
}

/// The same for random Scenes.
#[test]
fn what_is_said_of_random_scenes_is_what_happens() {
    let mut wrong: std::collections::BTreeMap<String, (usize, String)> = std::collections::BTreeMap::new();
    for seed in 0..600u64 {
        let scene = crate::support::scenes::random_scene(seed, (seed % 5) as usize);
        for id in ["gltf", "obj", "stl", "ply"] {
            if let Err(error) = crate::support::promises::nothing_is_lost_silently(&scene, format(id)) {
                let key = error.chars().filter(|c| !c.is_ascii_digit()).take(60).collect::<String>();
                let entry = wrong.entry(key).or_insert_with(|| (0, format!("seed {seed}: {error}")));
                entry.0 += 1;
            }
        }
    }
    let list: Vec<String> = wrong.values().map(|(count, example)| format!("{count} × {example}")).collect();
    assert!(list.is_empty(), "{}", list.join("\n"));
}
