//! Every file of the corpus through GLB and back, whatever formats there are: nothing may be lost on the way, and the
//! GLBs go to where the Khronos validator looks at them.

use std::collections::BTreeMap;

use crate::support::promises::Beside;
use crate::support::scenes::Random;
use crate::support::{TestFile, own, real};
use menagerie::convert::{Conversion, ConvertOptions, convert};
use menagerie::diag::Severity;
use menagerie::diff::{DiffOptions, diff};
use menagerie::formats::{ALL, Format, ReadOptions};
use menagerie::open::Folders;
use menagerie::scene::{Pose, Scene, assert_scene};
use rayon::{ThreadPool, ThreadPoolBuilder};
use sha2::{Digest as _, Sha256};

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

/// Every file of the corpus to every format, its own through the Scene too, once with each number of threads. What is
/// found when a result is read back, the report has named, and what it has named is found; no result draws a warning
/// from the program's own `validate`; and all are the bytes that `tests/corpus/hashes.txt` says. `TRUTH=bmd` looks at
/// one target only, `UPDATE=1` writes the list of hashes anew.
#[test]
fn conversions_of_the_corpus_are_true_sound_and_the_same() {
    let only = std::env::var("TRUTH").ok();
    let threads =
        [1, 2, 7].map(|count| ThreadPoolBuilder::new().num_threads(count).build().expect("threads"));
    let mut found = Findings::default();
    for from in ALL {
        for (kind, file) in corpus(from) {
            let folders = Folders::new(file.path.parent(), &[], &[]);
            let mut options = ConvertOptions::default();
            options.read.files = &folders;
            options.from = Some(*from);
            options.write.stem = file.stem();
            options.rebuild = true;
            // What nobody reads draws warnings of its own.
            let own = if kind == "bad" { Vec::new() } else { warnings(from, &file.bytes, &options.read) };
            for to in ALL.iter().filter(|to| only.as_deref().is_none_or(|only| only == to.id)) {
                let run = |pool: &ThreadPool| {
                    pool.install(|| convert(&file.bytes, Some(&file.name()), to, &options).ok())
                };
                let [one, two, seven] = [0, 1, 2].map(|i| run(&threads[i]));
                let key = format!("{kind}/{} {}", file.name(), to.id);
                for other in [&two, &seven] {
                    let [a, b] =
                        [&one, other].map(|done| done.as_ref().map(|done| (&done.output, &done.losses)));
                    assert!(a == b, "{key}: other bytes or losses with another number of threads");
                }
                let Some(done) = two else { continue };
                found.hashes.insert(key.clone(), hash(&done));
                found.is_true(&done, &key);
                if kind != "bad" {
                    found.is_sound(&done, &own, &key);
                }
            }
        }
    }
    found.assert();
    if only.is_none() {
        compare_hashes(&found.hashes);
    }
}

/// Files of the corpus with one bit changed, as disks and transfers do it: what can still be converted is told of as truly
/// as a sound file. `MUTATIONS=n` changes each file in n ways.
#[test]
fn conversions_of_changed_files_are_true() {
    let ways = std::env::var("MUTATIONS").ok().and_then(|ways| ways.parse().ok()).unwrap_or(3);
    let mut random = Random::new(7);
    let mut found = Findings::default();
    for from in ALL {
        for file in own("made", from).into_iter().filter(|file| (1..16 << 10).contains(&file.bytes.len())) {
            for way in 0..ways {
                let mut bytes = file.bytes.clone();
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
                let to = ALL[random.below(ALL.len())];
                let mut options = ConvertOptions::default();
                options.from = Some(*from);
                options.rebuild = true;
                let Ok(done) = convert(&bytes, Some(&file.name()), to, &options) else { continue };
                let key = format!("{} with byte {at} changed, way {way}, to {}", file.name(), to.id);
                found.hashes.insert(key.clone(), String::new());
                found.is_true(&done, &key);
            }
        }
    }
    found.assert();
}

/// All files of a format in the corpus, each with its folder.
fn corpus(format: &Format) -> Vec<(&'static str, TestFile)> {
    let of = |kind: &'static str, files: Vec<TestFile>| files.into_iter().map(move |file| (kind, file));
    of("made", own("made", format))
        .chain(of("real", real(format)))
        .chain(of("bad", own("bad", format)))
        .collect()
}

/// What was found over all conversions.
#[derive(Default)]
struct Findings {
    /// By target, what is wrong and code: where.
    untrue: BTreeMap<(&'static str, &'static str, &'static str), Vec<String>>,
    hashes: BTreeMap<String, String>,
}

impl Findings {
    /// The report says what happened, and nothing else.
    fn is_true(&mut self, done: &Conversion, name: &str) {
        let Some(before) = &done.scene else { return };
        let after = read_back(done, name);
        let report = diff(assert_scene(before), assert_scene(&after), &DiffOptions::default());
        for difference in report.unannounced(&done.losses) {
            let key = (done.to.id, "silent", difference.code().id);
            self.untrue.entry(key).or_default().push(format!("{name}: {difference}"));
        }
        for loss in report.unseen(&done.losses) {
            let key = (done.to.id, "did not happen", loss.code().id);
            self.untrue.entry(key).or_default().push(format!("{name}: {}: {}", loss.path, loss.message));
        }
    }

    /// The result draws no warning but for what the source drew already (`own`) and what [`WARNED`] says. Those of the
    /// engine are in the loss report.
    fn is_sound(&mut self, done: &Conversion, own: &[(&'static str, String)], name: &str) {
        let beside = Beside(&done.output);
        let mut read = ReadOptions::default();
        read.files = &beside;
        for (code, message) in warnings(done.to, &done.output.bytes, &read) {
            let known = done.from == done.to && own.iter().any(|(other, _)| *other == code);
            let said = code.contains("/engine-") && done.losses.losses().any(|loss| loss.error.is_some());
            let unavoidable = WARNED.iter().any(|(other, _)| *other == code);
            if !known && !(unavoidable && (said || !code.contains("/engine-"))) {
                let key = (done.to.id, "draws a warning", code);
                self.untrue.entry(key).or_default().push(format!("{name}: {message}"));
            }
        }
    }

    fn assert(&self) {
        println!("{} conversions", self.hashes.len());
        let rows = self.untrue.iter().map(|((to, what, code), list)| {
            let shown: Vec<&str> = list.iter().map(String::as_str).take(40).collect();
            format!("{to}: {what}: {code} × {}\n    {}", list.len(), shown.join("\n    "))
        });
        let rows: Vec<String> = rows.collect();
        assert!(rows.is_empty(), "{} kinds of untruth:\n{}", rows.len(), rows.join("\n"));
    }
}

/// The hash of a result and of all that lies beside it.
fn hash(done: &Conversion) -> String {
    let mut hasher = Sha256::new();
    hasher.update(&done.output.bytes);
    for (name, bytes) in &done.output.beside {
        hasher.update(name);
        hasher.update(bytes);
    }
    hasher.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Compares with the list that is kept; what it does not know yet is let pass, for files may be new.
fn compare_hashes(now: &BTreeMap<String, String>) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus/hashes.txt");
    if std::env::var_os("UPDATE").is_some() {
        let lines: String = now.iter().map(|(key, hash)| format!("{hash} {key}\n")).collect();
        std::fs::write(&path, lines).expect("written");
        return;
    }
    let kept = std::fs::read_to_string(&path).expect("tests/corpus/hashes.txt");
    let kept = kept.lines().filter_map(|line| line.split_once(' '));
    let kept: BTreeMap<&str, &str> = kept.map(|(hash, key)| (key, hash)).collect();
    let other = now.iter().filter(|(key, hash)| kept.get(key.as_str()).is_some_and(|kept| kept != hash));
    let other: Vec<&str> = other.map(|(key, _)| key.as_str()).collect();
    let new = now.keys().filter(|key| !kept.contains_key(key.as_str())).count();
    println!("{new} conversions are not in tests/corpus/hashes.txt; UPDATE=1 puts them there");
    assert!(
        other.is_empty(),
        "{} results have other bytes (UPDATE=1 if that is meant):\n{}",
        other.len(),
        other.join("\n")
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
