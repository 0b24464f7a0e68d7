//! One vertex for each combination of position, texture coordinate and normal that a file uses.

use std::collections::HashMap;

use crate::bytes::{push_tight, resize_tight};
use crate::formats::obj::parse::Corner;

/// So many vertices of one position are looked through one by one.
const LONGEST_CHAIN: usize = 32;

/// Finds equal corners.
///
/// Many files number positions, texture coordinates and normals alike, so that the number is the vertex; then nothing
/// needs to be looked up. Only when a corner comes that breaks this, a table is made.
#[derive(Debug, Default)]
pub(in crate::formats::obj) enum Weld {
    /// Nothing came yet.
    #[default]
    Empty,
    /// Every corner has the same number for all that it has; which of both it has.
    Alike { uvs: bool, normals: bool },
    /// The vertices that there are.
    Table(Table),
}

impl Weld {
    /// The vertex of a corner, when so many positions are known; `None` when a table is needed to tell.
    #[inline]
    pub(in crate::formats::obj) fn vertex(&mut self, corner: Corner, known: usize) -> Option<u32> {
        let [v, t, n] = corner;
        match self {
            Self::Table(table) => Some(table.vertex(corner, known)),
            Self::Alike { uvs, normals } => {
                let alike = t == if *uvs { v } else { 0 } && n == if *normals { v } else { 0 };
                (alike && v as usize <= known).then(|| v - 1)
            }
            Self::Empty => {
                let alike = (t == 0 || t == v) && (n == 0 || n == v);
                (alike && v as usize <= known).then(|| {
                    *self = Self::Alike { uvs: t != 0, normals: n != 0 };
                    v - 1
                })
            }
        }
    }

    /// What the vertices are made of.
    pub(in crate::formats::obj) fn finish(self) -> Vertices {
        let numbers = |has| if has { Numbers::AsPosition } else { Numbers::None };
        match self {
            Self::Empty => Vertices::default(),
            Self::Alike { uvs, normals } => {
                Vertices { positions: None, uvs: numbers(uvs), normals: numbers(normals) }
            }
            Self::Table(table) => table.finish(),
        }
    }
}

/// The numbers that the vertices have of texture coordinates, or of normals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::formats::obj) enum Numbers {
    /// Zero for all: there are none.
    #[default]
    None,
    /// Those of their positions.
    AsPosition,
    /// One for each vertex.
    List(Vec<u32>),
}

impl Numbers {
    /// The number of a vertex at a position.
    #[inline]
    pub(in crate::formats::obj) fn of(&self, vertex: usize, position: u32) -> u32 {
        match self {
            Self::None => 0,
            Self::AsPosition => position,
            Self::List(list) => list.get(vertex).copied().unwrap_or(0),
        }
    }

    /// Whether it says already what a further vertex has.
    fn says(&self, position: u32, number: u32) -> bool {
        match self {
            Self::None => number == 0,
            Self::AsPosition => number == position,
            Self::List(_) => false,
        }
    }
}

/// What each vertex is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::formats::obj) struct Vertices {
    /// The number of the position of each; `None` when the vertices are the positions, in their order.
    pub(in crate::formats::obj) positions: Option<Vec<u32>>,
    pub(in crate::formats::obj) uvs: Numbers,
    pub(in crate::formats::obj) normals: Numbers,
}

impl Vertices {
    /// The number of a vertex's position.
    #[inline]
    pub(in crate::formats::obj) fn position(&self, vertex: usize) -> u32 {
        match &self.positions {
            None => vertex as u32 + 1,
            Some(list) => list.get(vertex).copied().unwrap_or(0),
        }
    }

    #[inline]
    pub(in crate::formats::obj) fn uv(&self, vertex: usize) -> u32 {
        self.uvs.of(vertex, self.position(vertex))
    }

    #[inline]
    pub(in crate::formats::obj) fn normal(&self, vertex: usize) -> u32 {
        self.normals.of(vertex, self.position(vertex))
    }
}

/// The vertices of each position in a chain, from the newest to the oldest. That takes less memory than a hash table, and
/// in most files chains are short.
#[derive(Debug, Default)]
pub(in crate::formats::obj) struct Table {
    /// For each position its newest vertex plus one, or zero.
    newest: Vec<u32>,
    /// For each vertex the one before it in its chain plus one, or zero.
    before: Vec<u32>,
    uvs: Numbers,
    normals: Numbers,
    /// Vertices that are in no chain, for it would be too long, or their positions are not known yet. What is hashed
    /// comes from the file, so it is the standard library's slow hash, which no file can be made against.
    others: HashMap<Corner, u32>,
}

impl Table {
    /// The vertex of a corner, when so many positions are known. They are numbered as they come.
    #[inline]
    pub(in crate::formats::obj) fn vertex(&mut self, corner: Corner, known: usize) -> u32 {
        let [v, t, n] = corner;
        let Some(newest) = self.newest.get(v as usize - 1) else { return self.far(corner, known) };
        let mut link = *newest;
        let mut left = LONGEST_CHAIN;
        while let Some(vertex) = (link as usize).checked_sub(1) {
            if self.uvs.of(vertex, v) == t && self.normals.of(vertex, v) == n {
                return vertex as u32;
            }
            left -= 1;
            if left == 0 {
                return self.other(corner);
            }
            link = self.before.get(vertex).copied().unwrap_or(0);
        }
        // A position that was not known once may have its first vertices elsewhere.
        if let Some(vertex) = self.others.get(&corner) {
            return *vertex;
        }
        self.add(corner)
    }

    /// A corner whose position is past those that have chains.
    #[cold]
    fn far(&mut self, corner: Corner, known: usize) -> u32 {
        if corner[0] as usize > known {
            return self.other(corner);
        }
        resize_tight(&mut self.newest, known, 0);
        self.vertex(corner, known)
    }

    #[cold]
    fn other(&mut self, corner: Corner) -> u32 {
        if let Some(vertex) = self.others.get(&corner) {
            return *vertex;
        }
        let vertex = self.number(corner);
        push_tight(&mut self.before, 0);
        self.others.insert(corner, vertex);
        vertex
    }

    #[inline]
    fn add(&mut self, corner: Corner) -> u32 {
        let vertex = self.number(corner);
        if let Some(newest) = self.newest.get_mut(corner[0] as usize - 1) {
            let before = std::mem::replace(newest, vertex + 1);
            push_tight(&mut self.before, before);
        }
        vertex
    }

    /// Remembers the numbers of the next vertex.
    #[inline]
    fn number(&mut self, corner: Corner) -> u32 {
        let [v, t, n] = corner;
        match &mut self.uvs {
            Numbers::List(list) => push_tight(list, t),
            said if said.says(v, t) => {}
            _ => self.uvs = self.list(&self.uvs, v, t),
        }
        match &mut self.normals {
            Numbers::List(list) => push_tight(list, n),
            said if said.says(v, n) => {}
            _ => self.normals = self.list(&self.normals, v, n),
        }
        self.before.len() as u32
    }

    /// The numbers so far as a list, with another that does not fit to them.
    #[cold]
    fn list(&self, so_far: &Numbers, position: u32, number: u32) -> Numbers {
        if self.before.is_empty() && number == position {
            return Numbers::AsPosition;
        }
        let mut list = match so_far {
            Numbers::AsPosition => self.positions(self.before.clone()),
            _ => vec![0; self.before.len()],
        };
        push_tight(&mut list, number);
        Numbers::List(list)
    }

    /// Puts the number of its position in the place of each vertex's link.
    fn positions(&self, mut links: Vec<u32>) -> Vec<u32> {
        for (position, newest) in (1..).zip(&self.newest) {
            let mut link = *newest;
            while let Some(place) = (link as usize).checked_sub(1).and_then(|vertex| links.get_mut(vertex)) {
                link = std::mem::replace(place, position);
            }
        }
        for (corner, vertex) in &self.others {
            if let Some(place) = links.get_mut(*vertex as usize) {
                *place = corner[0];
            }
        }
        links
    }

    fn finish(mut self) -> Vertices {
        let links = std::mem::take(&mut self.before);
        let positions = Some(self.positions(links));
        Vertices { positions, uvs: self.uvs, normals: self.normals }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Corners get the vertices that a plain map gives them, and the numbers come back.
    fn check(corners: &[Corner], known: impl Fn(usize) -> usize) {
        let mut weld = Weld::Table(Table::default());
        let mut expected: HashMap<Corner, u32> = HashMap::new();
        for (i, corner) in corners.iter().enumerate() {
            let next = expected.len() as u32;
            let vertex = weld.vertex(*corner, known(i));
            assert_eq!(vertex, Some(*expected.entry(*corner).or_insert(next)), "corner {i}: {corner:?}");
        }
        let vertices = weld.finish();
        for (corner, vertex) in expected {
            let vertex = vertex as usize;
            let found = [vertices.position(vertex), vertices.uv(vertex), vertices.normal(vertex)];
            assert_eq!(found, corner);
        }
    }

    #[test]
    fn equal_corners_are_one_vertex() {
        let mut state = 3u64;
        let mut random = move |below: u32| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as u32 % below
        };
        for (positions, uvs, normals) in [(1, 3000, 1), (1000, 2, 2), (50, 50, 50), (300, 1, 300), (9, 9, 1)]
        {
            let corners: Vec<Corner> =
                (0..20_000).map(|_| [random(positions) + 1, random(uvs), random(normals)]).collect();
            check(&corners, |_| positions as usize);
            // Positions that become known later.
            check(&corners, |i| i * positions as usize / 10_000);
        }
        let alike_at_first: Vec<Corner> =
            (1..100).map(|i| [i, i, i]).chain((1..100).map(|i| [i, 100 - i, 0])).collect();
        check(&alike_at_first, |_| 100);
    }

    /// A hundred thousand vertices at one position would be five billion steps one by one.
    #[test]
    fn many_vertices_of_one_position_are_found_fast() {
        let corners: Vec<Corner> = (0..200_000).map(|i| [1, i % 100_000 + 1, 0]).collect();
        check(&corners, |_| 1);
    }
}
