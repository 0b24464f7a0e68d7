//! Numbers for equal keys.

use std::hash::{BuildHasher, RandomState};

/// Gives equal keys the same number: 0 to the first, 1 to the next that is another one, and so on.
///
/// One pass over the keys, with a table that grows with the number of different ones. The numbers depend on the keys
/// and their order alone; what is drawn anew in every run is only where a key lies in the table, so that nobody can
/// make a file whose keys all lie in the same place.
///
/// ```
/// use menagerie::ops::Welder;
///
/// let mut welder = Welder::new();
/// assert_eq!([[7, 7], [1, 2], [7, 7]].map(|key| welder.add(key)), [0, 1, 0]);
/// assert_eq!(welder.into_keys(), [[7, 7], [1, 2]]);
/// ```
#[derive(Debug)]
pub struct Welder<const N: usize> {
    keys: Vec<[u32; N]>,
    table: Table,
    mixer: Mixer,
}

impl<const N: usize> Default for Welder<N> {
    fn default() -> Self {
        Self { keys: Vec::new(), table: Table::default(), mixer: Mixer::new(N) }
    }
}

impl<const N: usize> Welder<N> {
    /// No keys yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of a key.
    #[inline]
    pub fn add(&mut self, key: [u32; N]) -> u32 {
        let next = self.keys.len() as u32;
        let keys = &mut self.keys;
        let number = self.table.find_or_add(self.mixer.mix(&key), next, |i| keys[i as usize] == key);
        if number == next {
            keys.push(key);
        }
        number
    }

    /// The different keys, each at the place of its number.
    pub fn into_keys(self) -> Vec<[u32; N]> {
        self.keys
    }
}

/// Numbers by the hash of what they stand for, each in the first free slot from the one where it belongs.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// The upper half of the hash, and the number plus one; zero for a free slot. The length is a power of two.
    slots: Vec<u64>,
    used: usize,
    /// How many lower bits of a hash do not say where it belongs.
    shift: u32,
}

const UPPER: u64 = 0xFFFF_FFFF_0000_0000;
const FIRST_SIZE: usize = 64;

impl Table {
    /// The number for which `same` holds, or else `next`, which is in the table then.
    #[inline]
    pub(super) fn find_or_add(&mut self, hash: u64, next: u32, same: impl Fn(u32) -> bool) -> u32 {
        if self.used * 2 >= self.slots.len() {
            self.grow();
        }
        let last = self.slots.len() - 1;
        let mut at = (hash >> self.shift) as usize;
        loop {
            let slot = self.slots[at & last];
            if slot == 0 {
                self.slots[at & last] = (hash & UPPER) | u64::from(next.wrapping_add(1));
                self.used += 1;
                return next;
            }
            let number = (slot as u32).wrapping_sub(1);
            if slot & UPPER == hash & UPPER && same(number) {
                return number;
            }
            at += 1;
        }
    }

    #[cold]
    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(FIRST_SIZE);
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
        self.shift = u64::BITS - size.trailing_zeros();
        for slot in old.into_iter().filter(|slot| *slot != 0) {
            let mut at = ((slot & UPPER) >> self.shift) as usize;
            while self.slots[at & (size - 1)] != 0 {
                at += 1;
            }
            self.slots[at & (size - 1)] = slot;
        }
    }
}

/// Hashes rows of words with numbers that are drawn anew in every run.
///
/// Sums of products of pairs, each word with a secret number added: two rows that differ have the same sum with a
/// chance of one in 2³², whatever they are. A product with another secret number then brings the differences to the upper
/// bits, where the table looks.
#[derive(Debug)]
pub(crate) struct Mixer {
    secrets: Vec<u32>,
    factor: u64,
}

impl Mixer {
    pub(super) fn new(words: usize) -> Self {
        let chance = RandomState::new();
        // One more for an odd number of words: the last one has a pair of its own.
        let secrets = (0..=words as u64).map(|i| chance.hash_one(i) as u32).collect();
        Self { secrets, factor: chance.hash_one("factor") | 1 }
    }

    #[inline]
    pub(crate) fn mix(&self, row: &[u32]) -> u64 {
        self.finish(self.part(0, row))
    }

    /// The sum of some words of a row that begin at the word `at`, an even one; sums of parts of a row are added.
    #[inline]
    pub(super) fn part(&self, at: usize, words: &[u32]) -> u64 {
        let (pairs, single) = words.as_chunks::<2>();
        let (secrets, _) = self.secrets.get(at..).unwrap_or_default().as_chunks::<2>();
        let mut sum = 0u64;
        for ([a, b], [x, y]) in pairs.iter().zip(secrets) {
            let product = u64::from(a.wrapping_add(*x)).wrapping_mul(u64::from(b.wrapping_add(*y)));
            sum = sum.wrapping_add(product);
        }
        if let ([word], Some([x, y])) = (single, secrets.get(pairs.len())) {
            sum = sum.wrapping_add(u64::from(word.wrapping_add(*x)).wrapping_mul(u64::from(*y | 1)));
        }
        sum
    }

    /// The hash of a whole row.
    #[inline]
    pub(super) fn finish(&self, sum: u64) -> u64 {
        // The halves are folded so that the low bits count in the upper ones of the product too.
        (sum ^ (sum >> 32)).wrapping_mul(self.factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_in_the_order_of_first_sight() {
        let mut welder = Welder::new();
        let mut known = std::collections::BTreeMap::new();
        for i in 0..200_000u32 {
            let key = [i.wrapping_mul(0x9E37_79B9) % 5000, (i % 7).wrapping_shl(28), 0x3F80_0000];
            let next = known.len() as u32;
            assert_eq!(welder.add(key), *known.entry(key).or_insert(next));
        }
        assert_eq!(welder.into_keys().len(), known.len());
    }

    /// How far from its place a key lies says whether the time is linear; the clock of a shared machine does not.
    #[test]
    fn keys_lie_near_their_places_whatever_they_are() {
        type Keys = fn(u32) -> [u32; 4];
        let kinds: [(&str, Keys); 4] = [
            ("counted", |i| [i, 0, 0, 0]),
            ("upper bits", |i| [0, i << 12, 0, 0]),
            ("floats", |i| [(i as f32).to_bits(), (i as f32 * 0.5).to_bits(), 0, 0]),
            ("last word", |i| [0, 0, 0, i.reverse_bits()]),
        ];
        for (kind, key) in kinds {
            for count in [10_000u32, 80_000, 640_000] {
                let mut welder = Welder::new();
                (0..count).for_each(|i| assert_eq!(welder.add(key(i)), i));
                let table = &welder.table;
                let distance = |(at, slot): (usize, &u64)| {
                    let place = ((slot & UPPER) >> table.shift) as usize;
                    at.wrapping_sub(place) & (table.slots.len() - 1)
                };
                let filled = table.slots.iter().enumerate().filter(|(_, slot)| **slot != 0);
                let steps: usize = filled.map(distance).sum();
                assert!(steps < 2 * count as usize, "{steps} steps for {count} {kind} keys");
            }
        }
    }
}
