//! Vertex attributes, as they lie in the buffers.

use std::cell::Cell;

use super::model::{Level, Lists, Model, NONE, Profile, Ref};
use crate::formats::Summary;

/// How many times the bytes of the buffers may be used by meshes, and how much is allowed for small ones. Meshes can
/// share data; without a limit a small file could ask for any amount of work and memory.
const USES: u64 = 64;
const ALWAYS_ALLOWED: u64 = 64 << 20;

/// Reads the attributes of meshes from the buffers of a model.
pub(super) struct Geometry<'a> {
    profile: Profile,
    buffers: Vec<&'a [u8]>,
    /// Bytes that may still be used.
    left: Cell<u64>,
}

/// Why an attribute cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// There is no such buffer.
    Buffer(u32),
    /// It needs more bytes than the buffer has.
    Range { end: u64, length: u64 },
    /// Meshes use the same bytes over and over.
    Overused,
}

impl Problem {
    /// In a sentence.
    pub(super) fn describe(self) -> String {
        match self {
            Self::Buffer(buffer) => format!("there is no buffer {buffer}"),
            Self::Range { end, length } => format!("it needs {end} bytes of a buffer that has {length}"),
            Self::Overused => format!("the meshes use the same data more than {USES} times"),
        }
    }
}

/// An attribute: none, or its bytes, or why it cannot be read.
pub(super) type Attribute<'a> = Option<Result<&'a [u8], Problem>>;

impl<'a> Geometry<'a> {
    pub(super) fn new(profile: Profile, lists: &Lists<'a>) -> Self {
        let buffers: Vec<&[u8]> = lists.buffers.iter().map(|buffer| &buffer.data[..]).collect();
        let bytes: u64 = buffers.iter().map(|buffer| buffer.len() as u64).sum();
        Self { profile, buffers, left: Cell::new(bytes.saturating_mul(USES).max(ALWAYS_ALLOWED)) }
    }

    /// Whether an attribute is there. The library's profile has no mark for absent ones: their offset is zero.
    pub(super) fn is_set(&self, place: Ref) -> bool {
        match self.profile {
            Profile::Spec => place.buffer != NONE,
            Profile::Libdas2 => place.offset != 0 && place.offset != NONE,
        }
    }

    /// The bytes of `count` elements of `size` bytes.
    pub(super) fn attribute(&self, place: Ref, count: usize, size: usize) -> Attribute<'a> {
        self.is_set(place).then(|| self.bytes(place, count, size))
    }

    /// The positions, which in the library's profile are always there.
    pub(super) fn positions(&self, level: &Level, count: usize) -> Attribute<'a> {
        let is_set = match self.profile {
            Profile::Spec => self.is_set(level.position),
            Profile::Libdas2 => true,
        };
        is_set.then(|| self.bytes(level.position, count, 12))
    }

    fn bytes(&self, place: Ref, count: usize, size: usize) -> Result<&'a [u8], Problem> {
        let buffer = self.buffers.get(place.buffer as usize).ok_or(Problem::Buffer(place.buffer))?;
        let start = place.offset as usize;
        let length = count.checked_mul(size);
        let found = length.and_then(|length| buffer.get(start..start.checked_add(length)?));
        let found = found.ok_or_else(|| Problem::Range {
            end: (count as u64).saturating_mul(size as u64).saturating_add(u64::from(place.offset)),
            length: buffer.len() as u64,
        })?;
        let left = self.left.get().checked_sub(found.len() as u64).ok_or(Problem::Overused)?;
        self.left.set(left);
        Ok(found)
    }

    /// The indices, where there are some.
    pub(super) fn indices(&self, level: &Level) -> Attribute<'a> {
        self.attribute(level.index, level.draw_count as usize, 4)
    }

    /// How many vertices a level has: up to the highest index or, without indices, the draw count.
    pub(super) fn vertex_count(&self, level: &Level) -> Result<usize, Problem> {
        match self.indices(level) {
            None => Ok(level.draw_count as usize),
            Some(indices) => Ok(words(indices?).max().map_or(0, |highest| highest as usize + 1)),
        }
    }
}

/// The little-endian words of some bytes.
pub(super) fn words(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word))
}

/// The vectors of `N` floats in some bytes.
pub(super) fn vectors<const N: usize>(bytes: &[u8]) -> Vec<[f32; N]> {
    let floats = bytes.as_chunks::<4>().0;
    let vector = |chunk: &[[u8; 4]]| {
        let mut vector = [0.0; N];
        for (value, bytes) in vector.iter_mut().zip(chunk) {
            *value = f32::from_le_bytes(*bytes);
        }
        vector
    };
    floats.chunks_exact(N.max(1)).map(vector).collect()
}

/// The sets of four joint indices in some bytes.
pub(super) fn joints(bytes: &[u8]) -> Vec<[u16; 4]> {
    let sets = bytes.as_chunks::<8>().0;
    sets.iter()
        .map(|[a, b, c, d, e, f, g, h]| [[*a, *b], [*c, *d], [*e, *f], [*g, *h]].map(u16::from_le_bytes))
        .collect()
}

impl Model {
    /// What is in it.
    pub fn summary(&self) -> Summary {
        let lists = self.lists();
        let geometry = Geometry::new(self.profile, &lists);
        let tops = || lists.meshes.iter().filter_map(|mesh| mesh.levels.first());
        let vertices = |level: &Level| {
            let count = geometry.vertex_count(level).ok()?;
            geometry.positions(level, count)?.ok().map(|_| count)
        };
        let drawn = |level: &&Level| vertices(level).is_some();
        Summary {
            profile: Some(self.profile.name()),
            contents: super::Kind::ALL.map(|kind| (kind.list(), lists.count(kind))).to_vec(),
            vertices: tops().filter_map(vertices).sum(),
            triangles: tops().filter(drawn).map(|level| level.draw_count as usize / 3).sum(),
        }
    }
}
