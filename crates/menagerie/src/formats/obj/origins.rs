//! Where in the text things come from.
//!
//! Reading an OBJ file mixes, welds and sorts so much that remembering the lines on the way would cost everybody. They are
//! found again instead: a vertex by its place, a triangle by the face that has its three places.

use std::collections::HashMap;

use crate::bytes::tokens;
use crate::formats::{Elements, PrimitiveOrigin, Provenance, Recorder};
use crate::scene::{Primitive, Scene};

/// Faces of more corners are not looked up: they have too many triangles.
const MOST_CORNERS: usize = 8;

/// A place by the bits of its coordinates; both zeros are one.
type Place = [u32; 3];

#[derive(Default)]
struct Lines {
    /// The places of the vertices, in their order.
    places: Vec<Place>,
    /// The first line that has a place.
    vertices: HashMap<Place, u32>,
    /// The first face that has three places, in rising order.
    faces: HashMap<[Place; 3], u32>,
}

/// The lines of all vertices and triangles.
pub(super) fn find(text: &[u8], scene: &Scene) -> Option<Provenance> {
    let mut lines = Lines::default();
    for (number, line) in (0..).zip(text.split_inclusive(|byte| *byte == b'\n')) {
        lines.add(number, line);
    }
    let mut origins = Recorder::new(true);
    for (mesh, shown) in scene.meshes.values().enumerate() {
        for (index, primitive) in shown.primitives.iter().enumerate() {
            origins.primitive(mesh, index, || lines.origin(primitive));
        }
    }
    origins.finish(scene)
}

fn place(position: [f32; 3]) -> Place {
    position.map(|x| (x + 0.0).to_bits())
}

impl Lines {
    fn add(&mut self, number: u32, line: &[u8]) {
        let mut words = tokens(line);
        match words.next() {
            Some(b"v") => {
                let float = |word: &[u8]| std::str::from_utf8(word).ok()?.parse::<f32>().ok();
                let mut next = || words.next().and_then(float).unwrap_or(0.0);
                let place = place([next(), next(), next()]);
                self.vertices.entry(place).or_insert(number);
                self.places.push(place);
            }
            Some(b"f" | b"fo") => {
                let corners: Vec<Place> = words.filter_map(|word| self.corner(word)).collect();
                if (3..=MOST_CORNERS).contains(&corners.len()) {
                    self.face(number, &corners);
                }
            }
            _ => {}
        }
    }

    /// The place of a corner such as `3/1/2` or `-1`.
    fn corner(&self, word: &[u8]) -> Option<Place> {
        let number = word.split(|byte| *byte == b'/').next()?;
        let number: i64 = std::str::from_utf8(number).ok()?.parse().ok()?;
        let index = if number < 0 { self.places.len() as i64 + number } else { number - 1 };
        self.places.get(usize::try_from(index).ok()?).copied()
    }

    fn face(&mut self, number: u32, corners: &[Place]) {
        for (i, a) in corners.iter().enumerate() {
            for (j, b) in corners.iter().enumerate().skip(i + 1) {
                for c in corners.iter().skip(j + 1) {
                    let mut key = [*a, *b, *c];
                    key.sort_unstable();
                    self.faces.entry(key).or_insert(number);
                }
            }
        }
    }

    /// Where a primitive comes from; nothing of it where a line was not found again.
    fn origin(&self, primitive: &Primitive) -> PrimitiveOrigin {
        let vertices: Option<Vec<u32>> = primitive
            .positions
            .iter()
            .map(|position| self.vertices.get(&place(*position)).copied())
            .collect();
        let of_triangle = |triangle: &[u32; 3]| {
            let mut key = [Place::default(); 3];
            for (place_of, corner) in key.iter_mut().zip(triangle) {
                *place_of = place(*primitive.positions.get(*corner as usize)?);
            }
            key.sort_unstable();
            self.faces.get(&key).copied()
        };
        let triangles: Option<Vec<u32>> = primitive.triangles().iter().map(of_triangle).collect();
        let lines = |order: Option<Vec<u32>>| match order {
            Some(order) => Elements::list("lines").ordered(order),
            None => Elements::default(),
        };
        PrimitiveOrigin { path: String::new(), vertices: lines(vertices), triangles: lines(triangles) }
    }
}
