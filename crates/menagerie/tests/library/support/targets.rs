//! What the fuzz targets ask for. They are here and not in `fuzz`, so that tests ask the same of every file in
//! `tests/regressions`, with a stable compiler and without a fuzzer.
//!
//! A target takes what a fuzzer made up, panics when a promise is broken, and says whether the input is worth keeping.
//! The formats are those of the registry, so that a new format is fuzzed without a line here.

use std::collections::BTreeSet;

use menagerie::bytes::Limits;
use menagerie::convert::ConvertOptions;
use menagerie::diag::{LossReport, Severity};
use menagerie::diff::{DiffOptions, diff};
use menagerie::formats::{ALL, Files as _, Format, ReadOptions, WriteOptions};
use menagerie::open::Given;
use menagerie::ops::{Moment, Op, WhichAnimation};
use menagerie::scene::{Pose, Scene, Topology, Turn, assert_scene, check};

use super::damage::damage;
use super::operations::{Amounts, every_operation};
use super::promises::{covers, nothing_is_lost_silently, same_when_inflated, says_what_was_lost};
use super::scenes::{Random, scene_of};

/// What a target does with an input; true when the input is worth keeping.
pub type Target = fn(&[u8]) -> bool;

/// All targets that need nothing but the library.
pub const TARGETS: &[(&str, Target)] = &[
    ("read", read),
    ("lift", lift),
    ("inspect", inspect),
    ("damaged", damaged),
    ("convert", convert),
    ("scene", scene),
    ("ops", ops),
    ("repair", repair),
    ("paths", paths),
];

/// How many bytes stand before the file: the number of its format, and what a target chooses by.
/// `fuzz/src/seeds.rs` writes them too.
pub const HEADER: usize = 4;

/// Tight ones: a file of some kilobytes needs no more, and what asks for more is refused at once.
pub fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.memory_bytes = 24 << 20;
    limits.output_bytes = 8 << 20;
    limits.drawn = 20_000;
    limits.keys = 5_000;
    limits.parts = 256;
    limits.issues_per_code = 4;
    limits
}

/// How files are read here.
pub fn read_options() -> ReadOptions<'static> {
    let mut options = ReadOptions::default();
    options.limits = limits();
    options
}

/// A file that a fuzzer made up, and what to do with it.
pub struct Input<'a> {
    /// The format that it is read as.
    pub format: &'static Format,
    /// Its bytes.
    pub file: &'a [u8],
    choices: [u8; HEADER - 1],
}

impl<'a> Input<'a> {
    /// `None` for too few bytes.
    pub fn new(data: &'a [u8]) -> Option<Self> {
        let ([format, choices @ ..], file) = data.split_first_chunk::<HEADER>()?;
        Some(Self { format: ALL[usize::from(*format) % ALL.len()], file, choices: *choices })
    }

    /// The choice with this number.
    pub fn choice(&self, number: usize) -> u8 {
        self.choices[number]
    }

    /// One of several things, by the choice with this number.
    pub fn one_of<T: Copy>(&self, things: &[T], number: usize) -> T {
        things[usize::from(self.choice(number)) % things.len()]
    }

    /// The Scene that the file means, where it means one.
    pub fn scene(&self) -> Option<Scene> {
        let options = read_options();
        let model = self.format.open(self.file, &options).model?;
        Some(model.lift(&options).ok()?.scene)
    }
}

/// Whether a broken promise about a Scene is one for sure. Where what is drawn lies on itself `diff` can only guess which
/// triangle was which, and what it finds about them says nothing. That a report names too much is asked of the corpus
/// alone: a fuzzer soon has meshes that nobody shows, empty ones and turns of a millionth, which `diff` does not look at.
pub fn is_sure(broken: &str, scene: &Scene) -> bool {
    !broken.contains("did not happen") && (!broken.contains("diff/") || !lies_on_itself(scene))
}

/// Whether there are triangles without area, or several in the same place; the same of lines and points.
fn lies_on_itself(scene: &Scene) -> bool {
    let rest = Pose::rest(scene);
    let mut seen = BTreeSet::new();
    scene.nodes.iter().any(|(id, node)| {
        let primitives = node.mesh.map(|mesh| scene.meshes[mesh].primitives.as_slice()).unwrap_or_default();
        primitives.iter().any(|primitive| {
            let places = rest.positions(scene, id, primitive);
            // Nearly the same place is as bad.
            let place = |i: &u32| places[*i as usize].to_array().map(|x| (x * 1e3).round() as i64);
            let size = match primitive.topology {
                Topology::Points => 1,
                Topology::Triangles => 3,
                _ => 2,
            };
            primitive.indices.chunks(size).any(|corners| {
                let mut corners: Vec<[i64; 3]> = corners.iter().map(place).collect();
                corners.sort_unstable();
                corners.windows(2).any(|pair| pair[0] == pair[1]) || !seen.insert(corners)
            })
        })
    })
}

/// Any bytes as a file of any format: read, and written back as they were.
pub fn read(data: &[u8]) -> bool {
    let Some(input) = Input::new(data) else { return false };
    let reading = input.format.open(input.file, &read_options());
    for issue in reading.issues.iter() {
        assert!(issue.span.is_none_or(|span| span.end <= input.file.len() as u64), "past the end: {issue}");
    }
    if let Some(model) = reading.model
        && let Ok(output) = model.write()
        && output.bytes != input.file
    {
        let same = same_when_inflated(input.format, &model.layout(), input.file, &output.bytes);
        assert!(same, "{}: what can be read is not written back", input.format.name);
    }
    true
}

/// The Scene of any file keeps the rules, in the engine's eyes too.
pub fn lift(data: &[u8]) -> bool {
    let Some(input) = Input::new(data) else { return false };
    let options = read_options();
    let Some(model) = input.format.open(input.file, &options).model else { return true };
    let lifted = match input.choice(0) & 3 {
        0 => model.lift_as_engine(&options).ok().flatten(),
        _ => model.lift(&options).ok(),
    };
    if let Some(lifted) = lifted
        && let Err(broken) = check(&lifted.scene)
    {
        panic!("{}: {broken}", input.format.name);
    }
    true
}

/// The byte map of any file names every byte of it, and every code that is used is explained.
pub fn inspect(data: &[u8]) -> bool {
    let Some(input) = Input::new(data) else { return false };
    let reading = input.format.open(input.file, &read_options());
    for issue in reading.issues.iter() {
        assert!(menagerie::codes().any(|code| code.id == issue.code.id), "{} is not explained", issue.code);
    }
    if let Some(model) = reading.model
        && let Err(gap) = covers(&model.layout(), input.file.len() as u64)
        && model.write().is_ok()
    {
        panic!("{}: {gap}", input.format.name);
    }
    true
}

/// Files that are right in most things: a Scene is written, a few of its bytes are changed, and it is read again. So
/// what lies behind headers, counts and checksums is reached too.
pub fn damaged(data: &[u8]) -> bool {
    // The header, how often, and for each change its kind, place and value; the rest decides about the Scene.
    let Some(input) = Input::new(data) else { return false };
    let [seed, count, rest @ ..] = input.file else { return false };
    let count = usize::from(count % 6);
    let Some((changes, choices)) = rest.split_at_checked(count * 5) else { return false };
    let scene = scene_of(&mut Random::chosen(choices, u64::from(*seed)), usize::from(input.choice(1) % 3));
    let mut options = WriteOptions::default();
    match (input.format.id, input.choice(2) % 3) {
        ("das2", 1) => options.settings.set("das2-profile", "libdas2"),
        ("das2", 2) => options.settings.set("das2-level", "0"),
        ("bmd", 1) => options.settings.set("bmd-vertex", "64"),
        ("bo3d", 1) => options.settings.set("bo3d-float", "16"),
        ("gltf", 1) => options.extension = "gltf".to_owned(),
        _ => {}
    }
    let Ok(model) = (input.format.lower)(assert_scene(&scene), &options, &mut LossReport::new()) else {
        return true;
    };
    let Ok(output) = model.write() else { return true };
    let mut file = output.bytes;
    for change in changes.as_chunks::<5>().0 {
        damage(&mut file, *change);
    }
    let format = ALL[usize::from(data[0]) % ALL.len()];
    let read = read_options();
    let Some(model) = format.open(&file, &read).model else { return true };
    if let Ok(lifted) = model.lift(&read)
        && let Err(broken) = check(&lifted.scene)
    {
        panic!("{}: {broken}", format.name);
    }
    true
}

/// Any file to any format: what is written is valid, and what it lost was said.
pub fn convert(data: &[u8]) -> bool {
    let Some(input) = Input::new(data) else { return false };
    let to = input.one_of(ALL, 0);
    let way = format!("{} to {}", input.format.name, to.name);
    let mut options = ConvertOptions::default();
    options.from = Some(input.format);
    options.rebuild = true;
    options.read.limits = limits();
    let done = match menagerie::convert::convert(input.file, None, to, &options) {
        Ok(done) => done,
        Err(failed) => {
            let broken = failed
                .issues
                .iter()
                .find(|issue| matches!(issue.code.id, "convert/scene-rule" | "convert/invalid-result"));
            assert!(broken.is_none(), "{way}: {broken:?}");
            return true;
        }
    };
    let scene = done.scene.as_ref().expect("it was made anew");
    // Sometimes, because it takes as long as a conversion.
    if input.choice(1) & 7 == 0 {
        let same = diff(assert_scene(scene), assert_scene(scene), &DiffOptions::default());
        assert!(same.is_equal(), "{way}: a Scene differs from itself: {:#?}", same.differences);
    }
    match says_what_was_lost(scene, to, &done.output, &done.losses) {
        Err(error) if is_sure(&error, scene) => panic!("{way}: {error}"),
        _ => {}
    }
    true
}

/// Scenes that use every feature, made of the fuzzer's bytes: none differs from itself, and no format loses anything
/// of it silently.
pub fn scene(data: &[u8]) -> bool {
    let [format, size, seed, choices @ ..] = data else { return false };
    let scene = scene_of(&mut Random::chosen(choices, u64::from(*seed)), usize::from(size % 5));
    let checked = assert_scene(&scene);
    let same = diff(checked, checked, &DiffOptions::default());
    assert!(same.is_equal(), "a Scene differs from itself: {:#?}", same.differences);
    let format = ALL[usize::from(*format) % ALL.len()];
    match nothing_is_lost_silently(&scene, format) {
        Err(error) if is_sure(&error, &scene) => panic!("{error}"),
        _ => {}
    }
    true
}

/// Each operation on the Scene of any file: it keeps the rules.
pub fn ops(data: &[u8]) -> bool {
    let Some(input) = Input::new(data) else { return false };
    let Some(mut scene) = input.scene() else { return false };
    assert_scene(&scene);
    let op = op(&input);
    if op.problem(&scene).is_some() {
        return false;
    }
    let Ok(report) = op.apply_within(&mut scene, &limits()) else { return true };
    assert!(!report.summary.is_empty(), "{} says nothing", op.name());
    if let Err(broken) = check(&scene) {
        panic!("{}: {broken}", op.name());
    }
    true
}

/// The operation that the first choice names, with what the others say.
fn op(input: &Input<'_>) -> Op {
    let some = usize::from(input.choice(1));
    let number = input.one_of(&[0.0, 1e-6, 0.01, 0.25, 0.5, 0.9, 1.0, 3.0, 30.0, 90.0, 180.0, 1e6], 1);
    let small = input.one_of(&[0.0, 1e-6, 1e-3, 0.1, 1.0, 100.0], 2);
    let animation =
        if input.choice(2) == 0 { WhichAnimation::Rest } else { WhichAnimation::Number(some % 4) };
    let ops = every_operation(Amounts {
        factor: number,
        turn: input.one_of(&[Turn::None, Turn::ZUpToYUp, Turn::YUpToZUp], 1),
        moment: Moment { animation, seconds: number },
        near: (number, small),
        degrees: number,
        most: (some, some, some),
        fps: number,
        part: number,
        levels: vec![number, small],
    });
    ops[usize::from(input.choice(0)) % ops.len()].clone()
}

/// Any file mended: what comes out has no errors, and every change is said.
pub fn repair(data: &[u8]) -> bool {
    let Some(input) = Input::new(data) else { return false };
    let mut options = ConvertOptions::default();
    options.read.limits = limits();
    options.from = Some(input.format);
    let Ok(repaired) = menagerie::repair::repair(input.file, None, &options) else { return true };
    let again = input.format.open(&repaired.output.bytes, &read_options());
    let wrong = again.issues.iter().find(|issue| issue.severity == Severity::Error);
    assert!(wrong.is_none(), "{}: mended, and still {wrong:?}", input.format.name);
    let changed = repaired.output.bytes != input.file;
    assert!(!changed || !repaired.changes.is_empty(), "{}: changed without a word", input.format.name);
    true
}

/// Names of pictures as hostile models have them: nothing outside of the given files is ever found.
pub fn paths(data: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(data) else { return false };
    let (model, name) = text.split_once('\n').unwrap_or(("models/robot.bmd", text));
    let mut given = Given::beside(model);
    for (path, byte) in
        [("models/skin.png", 1u8), ("models/textures/Skin.TGA", 2), ("secret/key.png", 3), ("../up.png", 4)]
    {
        given.add(path, vec![byte]);
    }
    if let Some(found) = given.find(name) {
        assert!(given.paths().any(|path| path == found), "{found} was not given");
    }
    if let Ok(bytes) = given.open(name) {
        assert_eq!(bytes.len(), 1);
    }
    true
}
