//! OBJ: what odd, damaged and hostile files become, and what is said about them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::Vec3;
use menagerie::diag::Issue;
use menagerie::formats::{Files, Format, NotFound, ReadOptions};
use menagerie::ops::measure;
use menagerie::scene::{Primitive, Scene, assert_scene};

fn obj() -> &'static Format {
    Format::by_id("obj").expect("it is registered")
}

/// The Scene, and what is said about the file.
fn read(bytes: &[u8]) -> (Option<Scene>, Vec<Issue>) {
    let options = ReadOptions::default();
    let reading = obj().open(bytes, &options);
    let scene = reading.model.map(|model| model.lift(&options).expect("it can be lifted").scene);
    if let Some(scene) = &scene {
        assert_scene(scene);
    }
    (scene, reading.issues.iter().cloned().collect())
}

fn primitives(scene: &Scene) -> Vec<&Primitive> {
    scene.meshes.values().flat_map(|mesh| &mesh.primitives).collect()
}

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";

/// A file, how many triangles it has, and what is said: the code, the bytes that are to blame and the line.
type Case<'a> = (&'a [u8], usize, &'a [(&'a str, &'a [u8], usize)]);

#[test]
fn odd_lines_are_understood_or_reported_with_their_place() {
    let number = "obj/number";
    let cases: &[Case<'_>] = &[
        // What is odd, but not wrong.
        (b"f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n", 1, &[]),
        (b"v 0 0 0\nv 1. .0 0\nv 0 +1 0e+05\nf 1 2 3\n", 1, &[]),
        (b"v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r", 1, &[]),
        (b"v 0 0 0\rv 1 0 0\rv 0 1 x\rf 1 2 3", 1, &[(number, b"x", 3)]),
        (b"\xEF\xBB\xBFv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 1, &[]),
        (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 \\\r\n2 \\\n3\n", 1, &[]),
        (b"v 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\nv 0 1 0 1 1 0 0\nf 1 2 3\n", 1, &[]),
        (b"o\nv 0 0 0\nv 1 0 0\nv 0 1 0\ng  two words \nusemtl\nf 1 2 3\n", 1, &[]),
        // What is wrong.
        (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 \\", 0, &[("obj/face", b"\\", 4)]),
        (b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3 \\\n", 0, &[("obj/face", b"\\", 4)]),
        (b"v 0 0 0\nv 1,5 0 0\nv 0 1 0\nf 1 2 3\n", 1, &[(number, b"1,5", 2)]),
        (b"v 0 0 0\nv 1 0 0\nv 0 1 \0\nf 1 2 3\n", 1, &[(number, b"\0", 3)]),
        (b"v 0 0 0\nv 1 0 nan\nv 0 1 0\nf 1 2 3\n", 1, &[("file/not-finite", b"nan", 2)]),
        (b"v 0 0 0\nv 1 0 -inf\nv 0 1 0\nf 1 2 3\n", 1, &[("file/not-finite", b"-inf", 2)]),
        (b"v 0 0 0\nv 1 0 1e999\nv 0 1 0\nf 1 2 3\n", 1, &[("file/not-finite", b"1e999", 2)]),
        (b"v 0 0 0\nv 1 0\nv 0 1 0\nf 1 2 3\n", 1, &[("obj/too-few-values", b"v", 2)]),
        (b"v 0 0 0\nf -1 -1 -2\n", 0, &[("obj/index-out-of-range", b"-2", 2)]),
        (b"v 0 0 0\nf 1 1 4294967295\n", 0, &[("obj/index-out-of-range", b"4294967295", 2)]),
        (b"v 0 0 0\nf 1 1 99999999999999999999\n", 0, &[("obj/face", b"99999999999999999999", 2)]),
        (b"v 0 0 0\nf 1 1 2147483647\n", 0, &[("obj/index-out-of-range", b"f 1 1 2147483647", 2)]),
        (b"v 0 0 0\nf 1 1 0\n", 0, &[("obj/index-out-of-range", b"0", 2)]),
        (b"v 0 0 0\nf 1//3000000000 1 1\n", 0, &[("obj/index-out-of-range", b"1//3000000000", 2)]),
    ];
    for (text, triangles, expected) in cases {
        let shown = text.escape_ascii();
        let (scene, issues) = read(text);
        let scene = scene.unwrap_or_else(|| panic!("{shown} is not read"));
        assert_eq!(measure(&scene).triangles, *triangles, "{shown}");
        let wrong: Vec<&Issue> = issues
            .iter()
            .filter(|i| !["obj/degenerate-face", "obj/last-line"].contains(&i.code.id))
            .collect();
        assert_eq!(wrong.len(), expected.len(), "{shown}: {wrong:?}");
        for (issue, (code, blamed, line)) in wrong.iter().zip(*expected) {
            let span = issue.span.unwrap_or_else(|| panic!("{shown}: {issue:?} is nowhere"));
            let bytes = &text[span.start as usize..span.end as usize];
            assert_eq!((issue.code.id, bytes), (*code, *blamed), "{shown}");
            assert_eq!(issue.path, format!("lines[{}]", line - 1), "{shown}");
            assert!(issue.message.starts_with(&format!("line {line}: ")), "{shown}: {}", issue.message);
        }
    }
}

#[test]
fn colours_follow_three_or_four_values() {
    let (scene, _) = read(b"v 0 0 0 1\nv 1 0 0 1 0 0\nv 0 1 0 1 0 1 0\nf 1 2 3\n");
    let scene = scene.expect("read");
    let white = [1.0; 4];
    assert_eq!(primitives(&scene)[0].colors[0], [white, [1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 1.0]]);
}

#[test]
fn text_in_utf16_is_named_as_such() {
    let utf16: Vec<u8> =
        [0xFEFF].into_iter().chain(TRIANGLE.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let (scene, issues) = read(&utf16);
    assert!(scene.is_none());
    let issue = issues.iter().find(|issue| issue.code.id == "obj/not-a-model").expect("said");
    assert!(issue.message.contains("UTF-16"), "{}", issue.message);
}

#[test]
fn hostile_files_take_no_longer_than_large_ones() {
    let star = |i: usize| i as f32 * 3.1;
    let ring: String = (0..2000).map(|i| format!("v {} {} 0\n", star(i).cos(), star(i).sin())).collect();
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("a face of a million corners", {
            let corners = " 1 2 3".repeat(333_333);
            format!("{ring}f{corners}\n").into_bytes()
        }),
        ("faces that are stars", {
            let corners: String = (1..=2000).map(|i| format!(" {i}")).collect();
            format!("{ring}{}", format!("f{corners}\n").repeat(10)).into_bytes()
        }),
        ("one position with many texture coordinates", {
            let faces: String = (1..200_000).map(|i| format!("f 1/{i} 2/{i} 3/{}\n", i + 1)).collect();
            format!("{TRIANGLE}{}{faces}", "vt 0 0\n".repeat(200_000)).into_bytes()
        }),
        ("faces that come before all they name", {
            let faces: String = (1..100_000).map(|i| format!("f {i} {} {}\n", i + 1, 200_000 - i)).collect();
            format!("{faces}{}", "v 0 1 2\n".repeat(200_000)).into_bytes()
        }),
        ("parts from both ends of the file", {
            let parts: String = (0..30_000).map(|i| format!("g {i}\nf 1 2 100000\n")).collect();
            format!("{}{parts}", "v 0 1 2\n".repeat(100_000)).into_bytes()
        }),
        ("a library named again and again", "mtllib nothing.mtl\n".repeat(300_000).into_bytes()),
        ("a line without end", vec![b'1'; 40 << 20]),
        ("lines that all go on in the next", "v 1 \\\n".repeat(2_000_000).into_bytes()),
    ];
    for (what, bytes) in cases {
        let start = Instant::now();
        let (_, issues) = read(&bytes);
        assert!(issues.iter().all(|issue| issue.span.is_some()), "{what}: {issues:?}");
        assert!(start.elapsed() < Duration::from_secs(60), "{what} takes {:?}", start.elapsed());
    }
}

/// A library that is in memory.
struct InMemory(&'static str);

impl Files for InMemory {
    fn open(&self, name: &str) -> Result<Arc<[u8]>, NotFound> {
        match name {
            "ours.mtl" => Ok(Arc::from(self.0.as_bytes())),
            _ => Err(NotFound::default()),
        }
    }
}

#[test]
fn issues_of_a_library_name_its_line_and_bytes() {
    let library = "# ours\nnewmtl red\nKd 1 \\\n 0 0\n  Ks one two three\r\nmap_Kd\nNs 1e999\n";
    let text = format!("# a model\nmtllib theirs.mtl\nmtllib ours.mtl\n{TRIANGLE}");
    let mut options = ReadOptions::default();
    let files = InMemory(library);
    options.files = &files;
    let reading = obj().open(text.as_bytes(), &options);
    let found: Vec<(&str, &str, &str)> = reading
        .issues
        .iter()
        .map(|issue| {
            let span = issue.span.expect("a place in the model");
            (issue.path.as_str(), issue.message.as_str(), &text[span.start as usize..span.end as usize])
        })
        .collect();
    let bytes = |line: &str| {
        let start = library.find(line).expect("it is there");
        format!("{start}..{}", start + line.len())
    };
    let expected = [
        ("mtllib", "theirs.mtl was not found: it is not there".to_owned(), "mtllib theirs.mtl"),
        (
            "mtllib[1].lines[4]",
            format!("ours.mtl, line 5, bytes {}: one two three are no numbers", bytes("Ks one two three")),
            "mtllib ours.mtl",
        ),
        (
            "mtllib[1].lines[5]",
            format!("ours.mtl, line 6, bytes {}: no picture is named", bytes("map_Kd")),
            "mtllib ours.mtl",
        ),
        (
            "mtllib[1].lines[6]",
            format!("ours.mtl, line 7, bytes {}: a value is not finite", bytes("Ns 1e999")),
            "mtllib ours.mtl",
        ),
    ];
    let expected: Vec<(&str, &str, &str)> =
        expected.iter().map(|(path, message, line)| (*path, message.as_str(), *line)).collect();
    assert_eq!(found, expected);
}

/// The first face is smoothed with the second; of the others two lie in one plane, and none is smoothed.
const SMOOTH_AND_FLAT: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 1 1\nvt 0.5 0.5\n\
     s 1\nf 1 2 3\nf 1 4 2\ns off\nf 1 3 5\nf 1 5 4\ns 0\nf 2/1 4/1 3/1\n";

#[test]
fn faces_without_smoothing_group_are_flat_beside_smoothed_ones() {
    let (scene, issues) = read(SMOOTH_AND_FLAT.as_bytes());
    let told = issues.iter().find(|issue| issue.code.id == "obj/smoothing-groups").expect("told");
    let line = &SMOOTH_AND_FLAT[told.span.expect("a place").range().expect("in memory")];
    assert!(line.starts_with("s ") && line.trim_end().len() < 6, "{line:?}");
    let scene = scene.expect("read");
    let primitive = primitives(&scene)[0];
    let normal = |i: u32| Vec3::from_array(primitive.normals[i as usize]);
    let place = |i: u32| Vec3::from_array(primitive.positions[i as usize]);
    let triangles = primitive.triangles();
    let shared = Vec3::new(0.0, 1.0, 1.0).normalize();
    for triangle in &triangles[..2] {
        for corner in triangle.iter().filter(|corner| place(**corner) == Vec3::ZERO) {
            assert!((normal(*corner) - shared).length() < 1e-6, "{:?}", normal(*corner));
        }
    }
    for triangle in &triangles[2..] {
        let [a, b, c] = triangle.map(place);
        let flat = (b - a).cross(c - a).normalize();
        for corner in triangle {
            assert!((normal(*corner) - flat).length() < 1e-6, "{triangle:?}: {:?}", normal(*corner));
        }
    }
    // Four vertices are smoothed, the two faces in one plane have four, the last has three.
    assert_eq!(primitive.positions.len(), 4 + 4 + 3);
    assert_eq!(primitive.uvs[0].len(), primitive.positions.len());
}

#[test]
fn faces_of_a_file_without_smoothing_groups_share_the_normals_of_their_vertices() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvn 1 0 0\nf 2//1 3//1 4//1\nf 1 2 3\nf 1 4 2\n";
    let (scene, _) = read(text.as_bytes());
    let scene = scene.expect("read");
    let primitive = primitives(&scene)[0];
    let middle = primitive.positions.iter().position(|place| *place == [0.0; 3]).expect("it");
    let shared = Vec3::new(0.0, 1.0, 1.0).normalize();
    assert!((Vec3::from_array(primitive.normals[middle]) - shared).length() < 1e-6);
    assert_eq!(primitive.positions.len(), 7);
}

/// The surface of a file is the same however its vertices are numbered, and into however many parts it is cut.
#[test]
fn numbering_does_not_matter() {
    let side = 40usize;
    let count = (side + 1) * (side + 1);
    let file = |number: &dyn Fn(usize, usize) -> usize, parts: usize| {
        let mut text = String::new();
        let order = |of: usize| {
            let mut order: Vec<usize> = (0..count).collect();
            order.sort_by_key(|vertex| number(*vertex, of));
            order
        };
        for v in order(0) {
            text.push_str(&format!("v {} {} {}\n", v % (side + 1), v / (side + 1), v % 7));
        }
        for v in order(1) {
            text.push_str(&format!("vt {} {}\n", v % (side + 1), v / (side + 1)));
        }
        for v in order(2) {
            text.push_str(&format!("vn {} {} 1\n", v % 5, v % 3));
        }
        for square in 0..side * side {
            if parts > 1 {
                text.push_str(&format!("usemtl m{}\n", square % parts));
            }
            let at = square / side * (side + 1) + square % side;
            let corner =
                |v: usize| format!(" {}/{}/{}", number(v, 0) + 1, number(v, 1) + 1, number(v, 2) + 1);
            let [a, b, c, d] = [at, at + 1, at + side + 2, at + side + 1].map(corner);
            text.push_str(&format!("f{a}{b}{c}\nf{a}{c}{d}\n"));
        }
        text
    };
    // The corners of all triangles with all that they have, sorted.
    let corners = |text: &str| {
        let (scene, issues) = read(text.as_bytes());
        assert!(issues.is_empty(), "{issues:?}");
        let scene = scene.expect("read");
        let mut vertices = 0;
        let mut triangles: Vec<[[u32; 8]; 3]> = Vec::new();
        for primitive in primitives(&scene) {
            vertices += primitive.positions.len();
            triangles.extend(primitive.triangles().iter().map(|triangle| {
                triangle.map(|i| {
                    let i = i as usize;
                    let ([x, y, z], [u, v]) = (primitive.positions[i], primitive.uvs[0][i]);
                    let [a, b, c] = primitive.normals[i];
                    [x, y, z, u, v, a, b, c].map(f32::to_bits)
                })
            }));
        }
        triangles.sort_unstable();
        (triangles, vertices)
    };
    let same = |v: usize, _: usize| v;
    let (expected, vertices) = corners(&file(&same, 1));
    assert_eq!((expected.len(), vertices), (side * side * 2, count));
    let shuffled = |v: usize, of: usize| (v * [1, 600, 1000][of] + of) % count;
    let all = |v: usize, of: usize| (v * [77, 600, 1000][of] + of) % count;
    let alike = |v: usize, _: usize| v * 600 % count;
    let numberings: [&dyn Fn(usize, usize) -> usize; 4] = [&same, &shuffled, &all, &alike];
    for number in numberings {
        for parts in [1, 3] {
            let (found, used) = corners(&file(number, parts));
            assert!(found == expected);
            assert!(if parts == 1 { used == count } else { used > count }, "{used} vertices");
        }
    }
}
