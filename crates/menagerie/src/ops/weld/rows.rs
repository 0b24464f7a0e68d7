//! All that a vertex has, to be compared bit by bit.

use super::parts::Keys;
use super::table::Mixer;
use crate::scene::{Primitive, Stream};

/// All that each vertex of a primitive has, stream by stream.
pub(super) struct Rows<'a> {
    /// Each stream that is not empty, with the word of the hash at which it begins: an even one, because words are mixed in
    /// pairs.
    streams: Vec<(usize, Stream<'a>)>,
    words: usize,
    vertices: usize,
}

impl<'a> Rows<'a> {
    pub(super) fn of(primitive: &'a Primitive) -> Self {
        let streams = primitive.streams().into_iter().map(|(_, stream)| stream);
        let mut rows = Self { streams: Vec::new(), words: 0, vertices: primitive.positions.len() };
        for stream in streams.filter(|stream| !stream.is_empty()) {
            let width = match stream {
                Stream::Floats(width, _) => width,
                Stream::Joints(_) => 2,
            };
            rows.streams.push((rows.words, stream));
            rows.words += width.next_multiple_of(2);
        }
        rows
    }
}

/// The bits of floats; two joints in a word.
fn bits<const N: usize>(row: &[f32; N]) -> [u32; N] {
    row.map(f32::to_bits)
}

fn joint_words([a, b, c, d]: [u16; 4]) -> [u32; 2] {
    [u32::from(a) | u32::from(b) << 16, u32::from(c) | u32::from(d) << 16]
}

fn add_floats<const N: usize>((at, list): (usize, &[f32]), first: usize, sums: &mut [u64], mixer: &Mixer) {
    let rows = list.as_chunks::<N>().0.get(first..).unwrap_or_default();
    sums.iter_mut().zip(rows).for_each(|(sum, row)| *sum = sum.wrapping_add(mixer.part(at, &bits(row))));
}

fn same_floats<const N: usize>(list: &[f32], first: usize, others: &[u32]) -> bool {
    let rows = list.as_chunks::<N>().0;
    let same = |(row, other): (&[f32; N], &u32)| {
        rows.get(*other as usize).is_some_and(|other| bits(row) == bits(other))
    };
    rows.get(first..).unwrap_or_default().iter().zip(others).all(same)
}

fn same_in(stream: &Stream<'_>, a: usize, b: usize) -> bool {
    match stream {
        Stream::Joints(list) => list.get(a) == list.get(b),
        Stream::Floats(..) => {
            stream.row(a).iter().map(|x| x.to_bits()).eq(stream.row(b).iter().map(|x| x.to_bits()))
        }
    }
}

impl Keys for Rows<'_> {
    fn count(&self) -> usize {
        self.vertices
    }

    fn words(&self) -> usize {
        self.words
    }

    fn hash(&self, first: usize, hashes: &mut [u64], mixer: &Mixer) {
        hashes.fill(0);
        for (at, stream) in &self.streams {
            match stream {
                Stream::Floats(2, list) => add_floats::<2>((*at, list), first, hashes, mixer),
                Stream::Floats(3, list) => add_floats::<3>((*at, list), first, hashes, mixer),
                Stream::Floats(4, list) => add_floats::<4>((*at, list), first, hashes, mixer),
                Stream::Floats(..) => {
                    for (vertex, sum) in (first..).zip(&mut *hashes) {
                        let row: Vec<u32> = stream.row(vertex).iter().map(|x| x.to_bits()).collect();
                        *sum = sum.wrapping_add(mixer.part(*at, &row));
                    }
                }
                Stream::Joints(list) => {
                    let rows = list.get(first..).unwrap_or_default();
                    for (sum, joints) in hashes.iter_mut().zip(rows) {
                        *sum = sum.wrapping_add(mixer.part(*at, &joint_words(*joints)));
                    }
                }
            }
        }
        hashes.iter_mut().for_each(|sum| *sum = mixer.finish(*sum));
    }

    fn same(&self, a: usize, b: usize) -> bool {
        self.streams.iter().all(|(_, stream)| same_in(stream, a, b))
    }

    fn all_same(&self, first: usize, others: &[u32]) -> bool {
        self.streams.iter().all(|(_, stream)| match stream {
            Stream::Floats(2, list) => same_floats::<2>(list, first, others),
            Stream::Floats(3, list) => same_floats::<3>(list, first, others),
            Stream::Floats(4, list) => same_floats::<4>(list, first, others),
            _ => (first..).zip(others).all(|(row, other)| same_in(stream, row, *other as usize)),
        })
    }
}
