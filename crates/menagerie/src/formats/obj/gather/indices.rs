//! Lists of indices in little memory.
//!
//! While a file is read, its own lists and those of the Scene cannot both be there. Neighbours in a list of indices are
//! mostly neighbours in the mesh, so each index is kept as what it differs by from the third before it, which is the same
//! corner of the triangle before: one or two bytes in place of four.

/// How many indices a block holds.
const BLOCK: usize = 3 << 14;
/// What stands for a difference that needs all 32 bits, which follow it.
const WIDE: u32 = (1 << 30) - 1;
/// The lower bits of a code say how many bytes it has: these are the bits that belong to each.
const MASKS: [u32; 4] = [(1 << 6) - 1, (1 << 14) - 1, (1 << 22) - 1, WIDE];

/// A list of indices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::formats::obj) struct Indices {
    full: Vec<Box<[u8]>>,
    open: Vec<u8>,
    /// How many indices are in `open`.
    open_count: usize,
    /// The last three, the oldest first.
    last: [u32; 3],
}

impl Indices {
    /// How many there are.
    pub(in crate::formats::obj) fn len(&self) -> usize {
        self.full.len() * BLOCK + self.open_count
    }

    pub(in crate::formats::obj) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    #[inline]
    pub(in crate::formats::obj) fn push(&mut self, index: u32) {
        let [before, b, c] = self.last;
        self.last = [b, c, index];
        let difference = index.wrapping_sub(before).cast_signed();
        let code = ((difference << 1) ^ (difference >> 31)).cast_unsigned();
        let (word, bytes) = match code {
            0..0x40 => (u64::from(code) << 2, 1),
            0x40..0x4000 => (u64::from(code) << 2 | 1, 2),
            0x4000..0x40_0000 => (u64::from(code) << 2 | 2, 3),
            0x40_0000..WIDE => (u64::from(code) << 2 | 3, 4),
            WIDE.. => (u64::from(code) << 32 | u64::from(WIDE) << 2 | 3, 8),
        };
        // All eight bytes at once are written faster than those that are needed.
        let length = self.open.len() + bytes;
        self.open.extend_from_slice(&word.to_le_bytes());
        self.open.truncate(length);
        self.open_count += 1;
        if self.open_count == BLOCK {
            self.close();
        }
    }

    #[cold]
    fn close(&mut self) {
        // A reader takes eight bytes at once.
        self.open.extend_from_slice(&[0; 8]);
        self.full.push(std::mem::take(&mut self.open).into_boxed_slice());
        self.open_count = 0;
        self.last = [0; 3];
    }

    /// Puts other indices in their place, one by one in their order.
    pub(in crate::formats::obj) fn map(&mut self, mut new: impl FnMut(u32) -> u32) {
        let old = std::mem::take(self);
        old.for_each(|index| self.push(new(index)));
    }

    /// Goes through all of them, and lets go what was gone through.
    pub(in crate::formats::obj) fn for_each(mut self, mut each: impl FnMut(u32)) {
        let open_count = self.open_count;
        self.open.extend_from_slice(&[0; 8]);
        for block in self.full {
            decode(&block, BLOCK, &mut each);
        }
        decode(&self.open, open_count, &mut each);
    }

    /// Goes through all of them.
    pub(in crate::formats::obj) fn for_each_ref(&self, mut each: impl FnMut(u32)) {
        for block in &self.full {
            decode(block, BLOCK, &mut each);
        }
        let mut open = self.open.clone();
        open.extend_from_slice(&[0; 8]);
        decode(&open, self.open_count, &mut each);
    }

    /// The plain list; what it is made of is let go on the way.
    pub(in crate::formats::obj) fn into_vec(mut self) -> Vec<u32> {
        let mut list = vec![0; self.len()];
        self.close();
        fill(&mut list, self.full);
        list
    }
}

impl FromIterator<u32> for Indices {
    fn from_iter<I: IntoIterator<Item = u32>>(indices: I) -> Self {
        let mut list = Self::default();
        indices.into_iter().for_each(|index| list.push(index));
        list
    }
}

#[cfg(feature = "parallel")]
fn fill(list: &mut [u32], blocks: Vec<Box<[u8]>>) {
    use rayon::prelude::*;
    list.par_chunks_mut(BLOCK).zip(blocks).for_each(|(part, block)| fill_one(part, &block));
}

#[cfg(not(feature = "parallel"))]
fn fill(list: &mut [u32], blocks: Vec<Box<[u8]>>) {
    list.chunks_mut(BLOCK).zip(blocks).for_each(|(part, block)| fill_one(part, &block));
}

fn fill_one(part: &mut [u32], block: &[u8]) {
    let count = part.len();
    let mut places = part.iter_mut();
    decode(block, count, &mut |index| {
        if let Some(place) = places.next() {
            *place = index;
        }
    });
}

/// So many indices of a block, which has eight bytes behind its last.
#[inline]
fn decode(block: &[u8], count: usize, each: &mut impl FnMut(u32)) {
    let mut rest = block;
    let mut last = [0u32; 3];
    for _ in 0..count {
        let Some(eight) = rest.first_chunk() else { return };
        let word = u64::from_le_bytes(*eight);
        let kind = (word & 3) as usize;
        let mut code = (word as u32 >> 2) & MASKS.get(kind).copied().unwrap_or(WIDE);
        let mut bytes = kind + 1;
        if kind == 3 && code == WIDE {
            (code, bytes) = ((word >> 32) as u32, 8);
        }
        let difference = (code >> 1) ^ (code & 1).wrapping_neg();
        let [before, b, c] = last;
        let index = before.wrapping_add(difference);
        last = [b, c, index];
        each(index);
        rest = rest.get(bytes..).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_goes_in_comes_out() {
        let mut state = 7u64;
        let mut random = move || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 32) as u32
        };
        let edges = [0, 1, 31, 32, 33, 8191, 8192, 8193, 1 << 21, (1 << 29) - 1, 1 << 29, 1 << 31, u32::MAX];
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(), vec![5], (0..BLOCK as u32).collect()];
        lists.push(edges.iter().flat_map(|a| edges.iter().flat_map(|b| [*a, *b, 0, *b, *a])).collect());
        for bits in [1, 8, 16, 24, 32] {
            lists.push((0..BLOCK * 2 + 17).map(|_| random() >> (32 - bits)).collect());
        }
        for list in lists {
            let indices: Indices = list.iter().copied().collect();
            assert_eq!(indices.len(), list.len());
            let mut seen = Vec::new();
            indices.for_each_ref(|index| seen.push(index));
            assert!(seen == list);
            let mut mapped = indices.clone();
            mapped.map(|index| index ^ 1);
            assert!(mapped.into_vec() == list.iter().map(|index| index ^ 1).collect::<Vec<u32>>());
            assert!(indices.into_vec() == list);
        }
    }

    #[test]
    fn a_sheet_takes_less_than_two_bytes_an_index() {
        let side = 3000u32;
        let squares = (0..side * 20).map(|i| i / side * (side + 1) + i % side);
        let corners = squares.flat_map(|at| {
            let [a, b, c, d] = [at, at + side + 1, at + side + 2, at + 1];
            [a, b, c, a, c, d]
        });
        let indices: Indices = corners.collect();
        let bytes = indices.full.iter().map(|block| block.len()).sum::<usize>() + indices.open.len();
        assert!(bytes < indices.len() * 3 / 2, "{bytes} bytes for {}", indices.len());
    }
}
