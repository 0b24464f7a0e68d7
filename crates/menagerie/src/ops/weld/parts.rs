//! Welding very many rows: first they are put apart by their hashes, then each part is welded with a table that stays in
//! the cache, on all cores.
//!
//! A part is welded by hashes alone, because the rows themselves lie all over the memory. Afterwards every row is compared
//! with the one that it was taken for, in their order; should two different rows ever have the same hash, all is done
//! again without parts.

use super::table::{Mixer, Table};
use crate::parallel;

/// Rows of words that can be told apart.
pub(crate) trait Keys: Sync {
    /// How many rows there are.
    fn count(&self) -> usize;

    /// Words that a hash needs secrets for.
    fn words(&self) -> usize;

    /// The hashes of the rows from `first` on.
    fn hash(&self, first: usize, hashes: &mut [u64], mixer: &Mixer);

    /// Whether two rows are the same.
    fn same(&self, a: usize, b: usize) -> bool;

    /// Whether each row from `first` on is the same as the other that stands for it.
    fn all_same(&self, first: usize, others: &[u32]) -> bool {
        (first..).zip(others).all(|(row, other)| self.same(row, *other as usize))
    }
}

/// Rows whose equal ones have the same number.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Numbered {
    /// The number of each row: 0 of the first, 1 of the next that is another one, and so on.
    pub(crate) numbers: Vec<u32>,
    /// The first row of each number.
    pub(crate) firsts: Vec<u32>,
}

/// Numbers rows. Takes time in proportion to how many there are, whatever they hold.
pub(crate) fn number(keys: &impl Keys) -> Numbered {
    let mixer = Mixer::new(keys.words());
    if keys.count() <= PIECE {
        return in_one_go(keys, &mixer);
    }
    match first_rows(keys, &mixer) {
        Some(firsts) => in_order(firsts),
        None => in_one_go(keys, &mixer),
    }
}

/// Rows whose hashes are made in one go.
const PIECE: usize = 1 << PIECE_BITS;
const PIECE_BITS: u32 = 15;
/// Rows of a part, about: their table is small enough for the cache of one core.
const PART_BITS: u32 = 14;
/// More parts than this are slow to put rows into.
const MOST_PARTS: u32 = 9;

/// With one table, row by row.
fn in_one_go(keys: &impl Keys, mixer: &Mixer) -> Numbered {
    let mut table = Table::default();
    let mut found = Numbered { numbers: Vec::with_capacity(keys.count()), firsts: Vec::new() };
    let mut hashes = Vec::new();
    for start in (0..keys.count()).step_by(PIECE) {
        hashes.resize(PIECE.min(keys.count() - start), 0);
        keys.hash(start, &mut hashes, mixer);
        for (row, hash) in (start..).zip(&hashes) {
            let next = found.firsts.len() as u32;
            let same = |number: u32| keys.same(found.firsts[number as usize] as usize, row);
            let number = table.find_or_add(*hash, next, same);
            if number == next {
                found.firsts.push(row as u32);
            }
            found.numbers.push(number);
        }
    }
    found
}

/// The rows of one piece in the order of their parts.
struct Piece {
    /// What is left of the hash, and in the lowest bits which row of the piece it is.
    entries: Vec<u64>,
    /// Where each part ends in `entries`, after a zero.
    ends: Vec<u32>,
}

const ROW: u64 = (1 << PIECE_BITS) - 1;

impl Piece {
    fn new(keys: &impl Keys, start: usize, bits: u32, mixer: &Mixer) -> Self {
        let mut hashes = vec![0u64; PIECE.min(keys.count() - start)];
        keys.hash(start, &mut hashes, mixer);
        let part = |hash: u64| hash.unbounded_shr(u64::BITS - bits) as usize;
        let mut ends = vec![0u32; (1 << bits) + 1];
        hashes.iter().for_each(|hash| ends[part(*hash) + 1] += 1);
        (1..ends.len()).for_each(|i| ends[i] += ends[i - 1]);
        let mut places = ends.clone();
        let mut entries = vec![0; hashes.len()];
        for (row, hash) in (0..).zip(&hashes) {
            let place = &mut places[part(*hash)];
            entries[*place as usize] = (hash << bits) & !ROW | row;
            *place += 1;
        }
        Self { entries, ends }
    }

    fn part(&self, part: usize) -> &[u64] {
        &self.entries[self.ends[part] as usize..self.ends[part + 1] as usize]
    }
}

/// For each row the first one that is the same; `None` where hashes did not tell rows apart.
fn first_rows(keys: &impl Keys, mixer: &Mixer) -> Option<Vec<u32>> {
    let count = keys.count();
    let bits = (count >> PART_BITS).max(1).ilog2().clamp(1, MOST_PARTS);
    let starts: Vec<usize> = (0..count).step_by(PIECE).collect();
    let pieces = parallel::map_few(&starts, |start| Piece::new(keys, *start, bits, mixer));
    let parts: Vec<usize> = (0..1 << bits).collect();
    let firsts = parallel::map_few(&parts, |part| firsts_of_part(&pieces, *part));
    let mut all = vec![0u32; count];
    // Where what a piece has of each part begins.
    let mut begins = vec![vec![0usize; parts.len()]];
    for piece in &pieces {
        let before = begins.last().map(Vec::as_slice).unwrap_or_default();
        begins.push(parts.iter().zip(before).map(|(part, begin)| begin + piece.part(*part).len()).collect());
    }
    let good = parallel::map_chunks(&mut all, PIECE, |i, rows| {
        for (part, begin) in parts.iter().zip(&begins[i]) {
            let entries = pieces[i].part(*part);
            for (entry, first) in entries.iter().zip(&firsts[*part][*begin..]) {
                rows[(entry & ROW) as usize] = *first;
            }
        }
        keys.all_same(i * PIECE, rows)
    });
    good.into_iter().all(|good| good).then_some(all)
}

/// For each row of a part the first one with the same hash.
fn firsts_of_part(pieces: &[Piece], part: usize) -> Vec<u32> {
    let rows = pieces.iter().map(|piece| piece.part(part).len()).sum();
    let mut firsts = Vec::with_capacity(rows);
    let mut table = Firsts::default();
    for (i, piece) in pieces.iter().enumerate() {
        let start = (i * PIECE) as u32;
        firsts.extend(piece.part(part).iter().map(|entry| {
            let row = start | (entry & ROW) as u32;
            table.find_or_add(entry & !ROW, row)
        }));
    }
    firsts
}

/// The numbers in the order of first sight.
fn in_order(mut rows: Vec<u32>) -> Numbered {
    let mut firsts = Vec::new();
    for row in 0..rows.len() {
        let first = rows[row] as usize;
        if first == row {
            rows[row] = firsts.len() as u32;
            firsts.push(row as u32);
        } else {
            rows[row] = rows[first];
        }
    }
    Numbered { numbers: rows, firsts }
}

/// The first row of each hash, in the first free slot from the one where it belongs.
#[derive(Default)]
struct Firsts {
    /// A hash and the row plus one; zero for a free slot. The length is a power of two.
    slots: Vec<(u64, u32)>,
    used: usize,
    shift: u32,
}

impl Firsts {
    #[inline]
    fn find_or_add(&mut self, hash: u64, row: u32) -> u32 {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        let last = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        loop {
            let slot = &mut self.slots[at & last];
            if slot.1 == 0 {
                *slot = (hash, row.wrapping_add(1));
                self.used += 1;
                return row;
            }
            if slot.0 == hash {
                return slot.1.wrapping_sub(1);
            }
            at += 1;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(1 << 10);
        let old = std::mem::replace(&mut self.slots, vec![(0, 0); size]);
        self.shift = u64::BITS - size.trailing_zeros();
        for (hash, row) in old.into_iter().filter(|(_, row)| *row != 0) {
            let mut at = (hash >> self.shift) as usize;
            while self.slots[at & (size - 1)].1 != 0 {
                at += 1;
            }
            self.slots[at & (size - 1)] = (hash, row);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of one word; hashes that are too short take some for others.
    struct Words {
        words: Vec<u32>,
        shift: u32,
    }

    impl Keys for Words {
        fn count(&self) -> usize {
            self.words.len()
        }

        fn words(&self) -> usize {
            1
        }

        fn hash(&self, first: usize, hashes: &mut [u64], mixer: &Mixer) {
            for (hash, word) in hashes.iter_mut().zip(&self.words[first..]) {
                *hash = mixer.mix(&[*word]) >> self.shift << self.shift;
            }
        }

        fn same(&self, a: usize, b: usize) -> bool {
            self.words[a] == self.words[b]
        }
    }

    #[test]
    fn parts_number_as_one_table_does() {
        for (count, kinds, shift) in
            [(0, 1, 0), (PIECE, 9000, 0), (PIECE + 1, 5, 0), (400_000, 70_000, 0), (400_000, 70_000, 52)]
        {
            let words = (0..count as u32).map(|i| i.wrapping_mul(0x9E37_79B9) % kinds).collect();
            let words = Words { words, shift };
            let mut known = std::collections::BTreeMap::new();
            let mut expected = Numbered::default();
            for (row, word) in words.words.iter().enumerate() {
                let next = known.len() as u32;
                let number = *known.entry(*word).or_insert(next);
                if number == next {
                    expected.firsts.push(row as u32);
                }
                expected.numbers.push(number);
            }
            assert!(number(&words) == expected, "{count} rows of {kinds} kinds, hashes cut by {shift}");
            if count > PIECE {
                let parts = first_rows(&words, &Mixer::new(1));
                assert_eq!(parts.is_some(), shift == 0, "short hashes are found out");
            }
        }
    }
}
