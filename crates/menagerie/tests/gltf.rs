//! glTF: real files there and back, against an independent reader, and everything that a file can have.

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use menagerie::convert::{ConvertOptions, convert};
use menagerie::diag::{LossReport, Severity};
use menagerie::formats::{Files, Format, Lifted, NotFound, Output, ReadOptions, WriteOptions};
use menagerie::scene::{Scene, assert_scene};
use serde_json::Value;
use support::{TestFile, real};

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
    let reading = format().open(bytes, &options);
    let errors: Vec<_> = reading.issues.iter().filter(|issue| issue.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    let lifted = reading.model.expect("it is read").lift(&options).expect("it is lifted");
    assert_scene(&lifted.scene);
    lifted
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
