//! Every file of the corpus through GLB and back, whatever formats there are: nothing may be lost on the way, and the
//! GLBs go to where the Khronos validator looks at them.

mod support;

use std::collections::BTreeMap;

use menagerie::convert::{Conversion, ConvertOptions, convert};
use menagerie::diag::Severity;
use menagerie::diff::{DiffOptions, diff};
use menagerie::formats::{ALL, Format, ReadOptions};
use menagerie::open::Folders;
use menagerie::scene::{Pose, Scene, assert_scene};
use support::promises::Beside;
use support::{TestFile, own, real};

/// Files that are valid or nearly so: ours and the original tools'.
fn readable(format: &Format) -> Vec<TestFile> {
    let mut files = own("made", format);
    files.extend(real(format));
    files
}

fn scene_of(format: &Format, bytes: &[u8], what: &str) -> Scene {
    let options = ReadOptions::default();
    let model = format.open(bytes, &options).model.unwrap_or_else(|| panic!("{what} cannot be read"));
    let scene = model.lift(&options).unwrap_or_else(|issue| panic!("{what}: {issue}")).scene;
    assert_scene(&scene);
    scene
}

/// Whatever file becomes whatever format, its own through the Scene too: what is found when the result is read back, the
/// report has named, and what it has named is found. `TRUTH=bmd` looks at one target only.
#[test]
fn announced_is_what_is_seen() {
    let only = std::env::var("TRUTH").ok();
    let mut untrue: BTreeMap<(&str, &str, &str), Vec<String>> = BTreeMap::new();
    let mut conversions = 0;
    for from in ALL {
        for file in readable(from).into_iter().chain(own("bad", from)) {
            for to in ALL.iter().filter(|to| only.as_deref().is_none_or(|only| only == to.id)) {
                let name = format!("{} to {}", file.name(), to.name);
                let folders = Folders::new(file.path.parent(), &[], &[]);
                let mut options = ConvertOptions::default();
                options.read.files = &folders;
                options.from = Some(*from);
                options.write.stem = file.stem();
                options.rebuild = true;
                let Ok(done) = convert(&file.bytes, Some(&file.name()), to, &options) else { continue };
                let Some(before) = &done.scene else { continue };
                conversions += 1;
                let after = read_back(&done, &name);
                let report = diff(assert_scene(before), assert_scene(&after), &DiffOptions::default());
                for difference in report.unannounced(&done.losses) {
                    let key = (to.id, "silent", difference.code().id);
                    untrue.entry(key).or_default().push(format!("{name}: {difference}"));
                }
                for loss in report.unseen(&done.losses) {
                    let key = (to.id, "did not happen", loss.code().id);
                    untrue.entry(key).or_default().push(format!("{name}: {}: {}", loss.path, loss.message));
                }
            }
        }
    }
    println!("{conversions} conversions");
    let rows = untrue.iter().map(|((to, what, code), list)| {
        let shown: Vec<&str> = list.iter().map(String::as_str).take(40).collect();
        format!("{to}: {what}: {code} × {}\n    {}", list.len(), shown.join("\n    "))
    });
    let rows: Vec<String> = rows.collect();
    assert!(
        rows.is_empty(),
        "{} kinds of untruth in {conversions} conversions:\n{}",
        rows.len(),
        rows.join("\n")
    );
}

/// The Scene of what a conversion wrote, with the files beside it.
fn read_back(done: &Conversion, what: &str) -> Scene {
    let beside = Beside(&done.output);
    let mut options = ReadOptions::default();
    options.files = &beside;
    let reading = done.to.open(&done.output.bytes, &options);
    // What is wrong with a file may be wrong with what is made of it: a tree that names an instance twice stays so.
    let known = |code: &str| done.issues.iter().any(|issue| issue.code.id == code);
    let errors = reading.issues.iter().filter(|issue| issue.severity == Severity::Error);
    let errors: Vec<_> = errors.filter(|issue| !known(issue.code.id)).collect();
    assert!(errors.is_empty(), "{what}: {errors:?}");
    let model = reading.model.unwrap_or_else(|| panic!("{what} cannot be read back"));
    model.lift(&options).unwrap_or_else(|issue| panic!("{what}: {issue}")).scene
}

/// What the program itself writes draws no warning from its own `validate`, its own formats through the Scene included,
/// but for what the source drew already and what [`WARNED`] says. Those of the engine are in the loss report.
#[test]
fn what_is_written_draws_no_warning() {
    let mut warned: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for from in ALL {
        for file in readable(from) {
            let folders = Folders::new(file.path.parent(), &[], &[]);
            let mut options = ConvertOptions::default();
            options.read.files = &folders;
            options.from = Some(*from);
            options.write.stem = file.stem();
            options.rebuild = true;
            let own = warnings(from, &file.bytes, &options.read);
            for to in ALL {
                let Ok(done) = convert(&file.bytes, Some(&file.name()), to, &options) else { continue };
                let beside = Beside(&done.output);
                let mut read = ReadOptions::default();
                read.files = &beside;
                for (code, message) in warnings(to, &done.output.bytes, &read) {
                    let known = from == to && own.iter().any(|(other, _)| *other == code);
                    let said =
                        code.contains("/engine-") && done.losses.losses().any(|loss| loss.error.is_some());
                    let unavoidable = WARNED.iter().any(|(other, _)| *other == code);
                    if !known && !(unavoidable && (said || !code.contains("/engine-"))) {
                        let what = format!("{} to {}: {message}", file.name(), to.name);
                        warned.entry((to.id, code)).or_default().push(what);
                    }
                }
            }
        }
    }
    let rows = warned.iter().map(|((_, code), list)| {
        let shown: Vec<&str> = list.iter().map(String::as_str).take(6).collect();
        format!("{code} × {}\n    {}", list.len(), shown.join("\n    "))
    });
    let rows: Vec<String> = rows.collect();
    assert!(rows.is_empty(), "{}", rows.join("\n"));
}

/// The codes and sentences of all warnings about a file.
fn warnings(format: &'static Format, bytes: &[u8], options: &ReadOptions<'_>) -> Vec<(&'static str, String)> {
    let mut reading = format.open(bytes, options);
    reading.examine(options);
    let warned = reading.issues.iter().filter(|issue| issue.severity == Severity::Warning);
    warned.map(|issue| (issue.code.id, issue.to_string())).collect()
}

/// Warnings that some results cannot do without, and why.
const WARNED: &[(&str, &str)] = &[
    (
        "bmd/engine-scale-keys",
        "there is no other way to animate scales in BMD, and its engine does not use them",
    ),
    ("bmd/engine-pose", "what scale keys move is elsewhere in the engine"),
    (
        "bo3d/shear",
        "an entity that turns at the origin of a stretched one is sheared; the report says what that costs",
    ),
    ("das2/no-positions", "a mesh without vertices stays one"),
    ("file/picture-missing", "the pictures are not given to this test"),
];

/// The GLB that a file becomes; it is left where the validator finds it.
fn to_glb(file: &TestFile, format: &Format) -> Vec<u8> {
    let glb = Format::by_id("gltf").expect("glTF");
    let done = convert(&file.bytes, Some(&file.name()), glb, &ConvertOptions::default())
        .unwrap_or_else(|failed| panic!("{}: {:?}", file.name(), failed.issues));
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("glb/conversions").join(format.id);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join(format!("{}.glb", file.stem())), &done.output.bytes).expect("written");
    done.output.bytes
}

#[test]
fn every_file_comes_back_from_glb() {
    for format in ALL.iter().copied().filter(|format| format.id != "gltf") {
        for file in readable(format) {
            // What breaks the rules is not written again as it was.
            if file.read(format).issues.has_errors() {
                continue;
            }
            let glb = to_glb(&file, format);
            // What breaks the format's own rules comes back mended.
            if file.read(format).issues.has_errors() {
                continue;
            }
            let back = convert(&glb, Some("model.glb"), format, &ConvertOptions::default())
                .unwrap_or_else(|failed| panic!("{}: {:?}", file.name(), failed.issues));
            let before = scene_of(format, &file.bytes, &file.name());
            let after = scene_of(format, &back.output.bytes, &file.name());
            let report = diff(assert_scene(&before), assert_scene(&after), &DiffOptions::default());
            assert!(report.is_equal(), "{}: {:#?}", file.name(), report.differences);
        }
    }
}

#[test]
fn the_ninja_moves_in_glb_as_in_bo3d() {
    let bo3d = Format::by_id("bo3d").expect("BO3D");
    for file in real(bo3d) {
        let scene = scene_of(Format::by_id("gltf").expect("glTF"), &to_glb(&file, bo3d), "ninja.glb");
        for (frame, min, max) in [
            (1.0, [-2.020, 0.012, -2.350], [1.460, 9.276, 3.188]),
            (150.0, [-3.041, 6.195, -2.743], [1.524, 15.609, 4.462]),
            (300.0, [-2.942, -0.012, -2.489], [1.176, 8.736, 3.624]),
        ] {
            let bounds = Pose::at(&scene, &scene.animations[0], frame / 12.0).bounds(&scene).expect("bounds");
            let close =
                |a: glam::Vec3, b: [f32; 3]| (a - glam::Vec3::from_array(b)).abs().max_element() < 0.001;
            assert!(close(bounds.min, min) && close(bounds.max, max), "frame {frame}: {bounds:?}");
        }
    }
}

#[test]
fn the_same_conversion_gives_the_same_bytes() {
    for from in ALL {
        for file in readable(from).into_iter().filter(|file| file.bytes.len() < 100_000) {
            for to in ALL {
                let once = convert(&file.bytes, Some(&file.name()), to, &ConvertOptions::default());
                let again = convert(&file.bytes, Some(&file.name()), to, &ConvertOptions::default());
                if let (Ok(once), Ok(again)) = (once, again) {
                    assert!(once.output == again.output, "{} to {}", file.name(), to.id);
                    assert_eq!(once.losses, again.losses);
                }
            }
        }
    }
}
