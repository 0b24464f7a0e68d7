use super::table::{Mixer, Table};
use crate::scene::Primitive;

/// All that each vertex of a primitive has, as the bits of one row of words.
pub(super) struct Rows {
    width: usize,
    words: Vec<u32>,
    vertices: usize,
}

impl Rows {
    pub(super) fn of(primitive: &Primitive) -> Self {
        let vertices = primitive.positions.len();
        let mut rows = Self { width: width(primitive), words: Vec::new(), vertices };
        rows.words = vec![0; rows.width * vertices];
        let mut at = 0;
        rows.floats(&mut at, &primitive.positions);
        rows.floats(&mut at, &primitive.normals);
        rows.floats(&mut at, &primitive.tangents);
        primitive.uvs.iter().for_each(|set| rows.floats(&mut at, set));
        primitive.colors.iter().for_each(|set| rows.floats(&mut at, set));
        primitive.weights.iter().for_each(|set| rows.floats(&mut at, set));
        for set in &primitive.joints {
            // Two joints in a word.
            let word = |a: u16, b: u16| u32::from(a) | u32::from(b) << 16;
            rows.put(&mut at, set.iter().map(|[a, b, c, d]| [word(*a, *b), word(*c, *d)]));
        }
        for target in &primitive.targets {
            rows.floats(&mut at, &target.positions);
            rows.floats(&mut at, &target.normals);
            rows.floats(&mut at, &target.tangents);
            target.uvs.iter().for_each(|set| rows.floats(&mut at, set));
            target.colors.iter().for_each(|set| rows.floats(&mut at, set));
        }
        for custom in primitive.custom.values() {
            let values = custom.values.chunks_exact(custom.width.max(1));
            for (row, values) in rows.words.chunks_exact_mut(rows.width.max(1)).zip(values) {
                let places = row.iter_mut().skip(at);
                places.zip(values).for_each(|(place, value)| *place = value.to_bits());
            }
            at += custom.width;
        }
        rows
    }

    fn floats<const N: usize>(&mut self, at: &mut usize, stream: &[[f32; N]]) {
        if !stream.is_empty() {
            self.put(at, stream.iter().map(|value| value.map(f32::to_bits)));
        }
    }

    fn put<const N: usize>(&mut self, at: &mut usize, values: impl Iterator<Item = [u32; N]>) {
        for (row, value) in self.words.chunks_exact_mut(self.width.max(1)).zip(values) {
            if let Some(place) = row.get_mut(*at..*at + N) {
                place.copy_from_slice(&value);
            }
        }
        *at += N;
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

/// Words of one vertex.
fn width(primitive: &Primitive) -> usize {
    let there = |len: usize, words: usize| if len == 0 { 0 } else { words };
    let targets = primitive.targets.iter().map(|target| {
        there(target.positions.len(), 3)
            + there(target.normals.len(), 3)
            + there(target.tangents.len(), 3)
            + target.uvs.iter().map(|set| there(set.len(), 2)).sum::<usize>()
            + target.colors.iter().map(|set| there(set.len(), 4)).sum::<usize>()
    });
    let sets = 2 * primitive.uvs.len()
        + 4 * (primitive.colors.len() + primitive.weights.len())
        + 2 * primitive.joints.len();
    there(primitive.positions.len(), 3)
        + there(primitive.normals.len(), 3)
        + there(primitive.tangents.len(), 4)
        + sets
        + targets.sum::<usize>()
        + primitive.custom.values().map(|custom| custom.width).sum::<usize>()
}
