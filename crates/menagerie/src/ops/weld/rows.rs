use super::table::{Mixer, Table};
use crate::scene::{Primitive, Stream};

/// All that each vertex of a primitive has, as the bits of one row of words.
pub(super) struct Rows {
    width: usize,
    words: Vec<u32>,
    vertices: usize,
}

impl Rows {
    pub(super) fn of(primitive: &Primitive) -> Self {
        let vertices = primitive.positions.len();
        let streams: Vec<Stream<'_>> = primitive.streams().into_iter().map(|(_, stream)| stream).collect();
        let width = streams.iter().map(words).sum();
        let mut rows = Self { width, words: vec![0; width * vertices], vertices };
        let mut at = 0;
        for stream in &streams {
            match stream {
                Stream::Floats(2, list) => rows.floats::<2>(at, list),
                Stream::Floats(3, list) => rows.floats::<3>(at, list),
                Stream::Floats(4, list) => rows.floats::<4>(at, list),
                Stream::Floats(..) => rows.wide(at, stream),
                // Two joints in a word.
                Stream::Joints(list) => {
                    rows.put(at, list.iter().map(|[a, b, c, d]| [word(*a, *b), word(*c, *d)]))
                }
            }
            at += words(stream);
        }
        rows
    }

    fn floats<const N: usize>(&mut self, at: usize, list: &[f32]) {
        self.put(at, list.as_chunks::<N>().0.iter().map(|value| value.map(f32::to_bits)));
    }

    fn put<const N: usize>(&mut self, at: usize, values: impl Iterator<Item = [u32; N]>) {
        for (row, value) in self.words.chunks_exact_mut(self.width.max(1)).zip(values) {
            if let Some(place) = row.get_mut(at..at + N) {
                place.copy_from_slice(&value);
            }
        }
    }

    fn wide(&mut self, at: usize, stream: &Stream<'_>) {
        for (vertex, row) in self.words.chunks_exact_mut(self.width.max(1)).enumerate() {
            let places = row.iter_mut().skip(at);
            places.zip(stream.row(vertex)).for_each(|(place, value)| *place = value.to_bits());
        }
    }

    fn row(&self, vertex: usize) -> &[u32] {
        self.words.get(vertex * self.width..(vertex + 1) * self.width).unwrap_or_default()
    }

    /// For each vertex the number of its row among the different ones, and for each of these its first vertex.
    pub(super) fn numbered(&self) -> (Vec<u32>, Vec<u32>) {
        let mixer = Mixer::new(self.width);
        let mut table = Table::default();
        let mut firsts: Vec<u32> = Vec::new();
        let mut numbers = Vec::with_capacity(self.vertices);
        for vertex in 0..self.vertices {
            let row = self.row(vertex);
            let next = firsts.len() as u32;
            let same = |number: u32| {
                let first = firsts.get(number as usize).copied().unwrap_or_default();
                self.row(first as usize) == row
            };
            let number = table.find_or_add(mixer.mix(row), next, same);
            if number == next {
                firsts.push(vertex as u32);
            }
            numbers.push(number);
        }
        (numbers, firsts)
    }
}

/// Words that a stream takes of each vertex.
fn words(stream: &Stream<'_>) -> usize {
    match stream {
        _ if stream.is_empty() => 0,
        Stream::Floats(width, _) => *width,
        Stream::Joints(_) => 2,
    }
}

fn word(low: u16, high: u16) -> u32 {
    u32::from(low) | u32::from(high) << 16
}
