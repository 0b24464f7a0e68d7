//! What the targets share. The promises are those that the tests ask for, and the formats are those of the registry, so
//! that a new format is fuzzed without a line here.

#![allow(dead_code, reason = "each target uses its part")]

#[path = "../../crates/menagerie/tests/library/support/damage.rs"]
pub mod damage;
#[path = "../../crates/menagerie/tests/library/support/promises.rs"]
pub mod promises;
#[path = "../../crates/menagerie/tests/library/support/scenes.rs"]
pub mod scenes;

use std::collections::BTreeSet;

use menagerie::bytes::Limits;
use menagerie::formats::{ALL, Format, ReadOptions};
use menagerie::scene::{Pose, Scene};

/// How many bytes stand before the file: the number of its format, and what a target chooses by.
/// `cargo xtask fuzz-seeds` writes them too.
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
    /// `None` for too few bytes. One thread is quickest for small files.
    pub fn new(data: &'a [u8]) -> Option<Self> {
        static ONE_THREAD: std::sync::Once = std::sync::Once::new();
        ONE_THREAD.call_once(|| {
            let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
        });
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
/// triangle was which, and what it finds about them says nothing.
pub fn is_sure(broken: &str, scene: &Scene) -> bool {
    !broken.contains("diff/") || !lies_on_itself(scene)
}

/// Whether there are triangles without area, or several in the same place.
fn lies_on_itself(scene: &Scene) -> bool {
    let rest = Pose::rest(scene);
    let mut seen = BTreeSet::new();
    scene.nodes.iter().any(|(id, node)| {
        let primitives = node.mesh.map(|mesh| scene.meshes[mesh].primitives.as_slice()).unwrap_or_default();
        primitives.iter().any(|primitive| {
            let places = rest.positions(scene, id, primitive);
            // Nearly the same place is as bad.
            let place = |i: &u32| places[*i as usize].to_array().map(|x| (x * 1e3).round() as i64);
            primitive.indices.chunks(3).any(|corners| {
                let mut corners: Vec<[i64; 3]> = corners.iter().map(place).collect();
                corners.sort_unstable();
                corners.windows(2).any(|pair| pair[0] == pair[1]) || !seen.insert(corners)
            })
        })
    })
}
