//! One vertex for each combination of position, texture coordinate and normal that a part uses.

use std::hash::{BuildHasher, RandomState};

use super::parse::Corner;
use crate::bytes::push_tight;

/// Finds equal corners.
///
/// Many files number positions, texture coordinates and normals alike, so that the number is the vertex; then nothing
/// needs to be looked up. Only when a corner comes that breaks this, a table is made.
#[derive(Clone, Debug)]
pub(super) enum Weld {
    /// Nothing came yet.
    Empty,
    /// Every corner has the same number for all that it has; which of both it has.
    Alike { uvs: bool, normals: bool },
    /// The vertices that there are.
    Table(Table),
}

impl PartialEq for Weld {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Empty, Self::Empty) => true,
            (Self::Alike { uvs, normals }, Self::Alike { uvs: u, normals: n }) => uvs == u && normals == n,
            (Self::Table(a), Self::Table(b)) => a.vertices == b.vertices,
            _ => false,
        }
    }
}

impl Weld {
    /// The vertex of a corner. `indices` are those that were given out so far.
    #[inline]
    pub(super) fn vertex(&mut self, corner: Corner, indices: &mut [u32]) -> u32 {
        let [v, t, n] = corner;
        match self {
            Self::Alike { uvs, normals } => {
                if t == if *uvs { v } else { 0 } && n == if *normals { v } else { 0 } {
                    return v - 1;
                }
            }
            Self::Table(table) => return table.vertex(corner),
            Self::Empty => {}
        }
        self.unusual(corner, indices)
    }

    #[cold]
    fn unusual(&mut self, corner: Corner, indices: &mut [u32]) -> u32 {
        let [v, t, n] = corner;
        if matches!(self, Self::Empty) && (t == 0 || t == v) && (n == 0 || n == v) {
            *self = Self::Alike { uvs: t != 0, normals: n != 0 };
            return v - 1;
        }
        self.table(indices).vertex(corner)
    }

    /// The table; when there was none, one is made of the vertices so far.
    pub(super) fn table(&mut self, indices: &mut [u32]) -> &mut Table {
        if !matches!(self, Self::Table(_)) {
            let mut table = Table::new();
            if let Self::Alike { uvs, normals } = *self {
                for index in indices {
                    let v = *index + 1;
                    *index = table.vertex([v, if uvs { v } else { 0 }, if normals { v } else { 0 }]);
                }
            }
            *self = Self::Table(table);
        }
        match self {
            Self::Table(table) => table,
            // It was made just now.
            Self::Empty | Self::Alike { .. } => {
                *self = Self::Table(Table::new());
                self.table(&mut [])
            }
        }
    }
}

/// A hash table whose keys are the vertices themselves. What multiplies them is different every time, so that no file can
/// be made to be slow; the numbers of the vertices are those of their first use, whatever the table looks like.
#[derive(Clone, Debug)]
pub(super) struct Table {
    pub(super) vertices: Vec<Corner>,
    /// A vertex plus one, or zero.
    slots: Vec<u32>,
    factors: [u64; 3],
}

impl Table {
    fn new() -> Self {
        let random = RandomState::new();
        let factors = [1u8, 2, 3].map(|n| random.hash_one(n) | 1);
        Self { vertices: Vec::new(), slots: vec![0; 16], factors }
    }

    #[inline]
    fn slot(&self, corner: Corner) -> usize {
        let [a, b, c] = self.factors;
        let [v, t, n] = corner.map(u64::from);
        let hash = v.wrapping_mul(a).wrapping_add(t.wrapping_mul(b)).wrapping_add(n.wrapping_mul(c));
        (hash >> (64 - self.slots.len().trailing_zeros())) as usize
    }

    #[inline]
    pub(super) fn vertex(&mut self, corner: Corner) -> u32 {
        let mask = self.slots.len() - 1;
        let mut at = self.slot(corner);
        loop {
            let Some(slot) = self.slots.get_mut(at & mask) else { return 0 };
            match *slot {
                0 => {
                    let new = self.vertices.len() as u32;
                    *slot = new + 1;
                    push_tight(&mut self.vertices, corner);
                    if self.vertices.len() * 4 > self.slots.len() * 3 {
                        self.grow();
                    }
                    return new;
                }
                known if self.vertices.get(known as usize - 1) == Some(&corner) => return known - 1,
                _ => at += 1,
            }
        }
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        self.slots = Vec::new();
        self.slots = vec![0; size];
        for (i, corner) in self.vertices.iter().enumerate() {
            let mut at = self.slot(*corner);
            while let Some(slot) = self.slots.get_mut(at & (size - 1)) {
                if *slot == 0 {
                    *slot = i as u32 + 1;
                    break;
                }
                at += 1;
            }
        }
    }

    /// Forgets how to find vertices, to have the memory for what comes next.
    pub(super) fn forget(&mut self) {
        self.slots = Vec::new();
        self.vertices.shrink_to_fit();
    }
}
