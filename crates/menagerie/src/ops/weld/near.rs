//! Welding of vertices that are nearly the same.

use std::collections::{BTreeMap, HashMap};

use super::parts::{Numbered, number};
use super::rows::Rows;
use super::{Welded, each_primitive, keep};
use crate::diag::Aspect;
use crate::scene::{Primitive, Scene, Slot, Stream, StreamKind};

/// How far apart vertices may be that become one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeldTolerance {
    /// The distance of their positions, and of what morph targets add to them, in scene units.
    pub position: f32,
    /// The difference of any other number: components of normals and tangents, texture coordinates, colours, weights.
    pub other: f32,
}

impl WeldTolerance {
    /// The difference of normals, texture coordinates and so on that nobody sees.
    pub const UNSEEN: f32 = 1e-3;

    /// A distance for positions, and [`WeldTolerance::UNSEEN`] for all else.
    pub fn of_positions(position: f32) -> Self {
        Self { position, other: Self::UNSEEN }
    }
}

/// Makes one vertex of vertices that are nearly the same. Joints, signs of tangents and custom attributes must be the
/// same exactly; for the rest the tolerance says.
///
/// Each vertex becomes the first one in the list that stays and is near enough, so nothing moves farther than the
/// tolerance, and welding twice does the same as once. Where very many different vertices share a place (see
/// [`weld_near`]'s limit of 64 for each), not all of them are compared.
pub fn weld_near(scene: &mut Scene, tolerance: WeldTolerance) -> Welded {
    each_primitive(scene, |primitive| weld_primitive_near(primitive, tolerance))
}

fn weld_primitive_near(primitive: &mut Primitive, tolerance: WeldTolerance) -> Welded {
    let before = primitive.vertex_count();
    let Numbered { numbers, firsts } = number(&Rows::of(primitive));
    keep(primitive, &numbers, &firsts);
    let mut report = Welded { before, after: primitive.vertex_count(), ..Welded::default() };
    if tolerance.position > 0.0 || tolerance.other > 0.0 {
        let streams = primitive.streams();
        let mut grid = Grid::new(tolerance.position);
        let mut kept: Vec<u32> = Vec::new();
        let mut places: Vec<u32> = Vec::with_capacity(primitive.vertex_count());
        for vertex in 0..primitive.vertex_count() {
            let position = primitive.positions.get(vertex).copied().unwrap_or_default();
            let near = grid.near(position).find_map(|place| {
                let other = kept.get(place as usize).copied()?;
                Some((place, Apart::of(&streams, vertex, other as usize, tolerance)?))
            });
            let place = match near {
                Some((place, apart)) => {
                    apart.report(&mut report);
                    place
                }
                None => {
                    let place = kept.len() as u32;
                    kept.push(vertex as u32);
                    grid.add(position, place);
                    place
                }
            };
            places.push(place);
        }
        keep(primitive, &places, &kept);
        report.after = primitive.vertex_count();
    }
    report
}

/// Vertices in one cell of the grid that are compared with a new one. More are different in all but their place, and
/// comparing each with all others would take for ever.
const COMPARED: usize = 64;

/// Where the vertices are that stay: cells twice as wide as the tolerance, so that all that is near enough to a point
/// lies in eight of them.
struct Grid {
    size: f64,
    /// Keys come from files, so the hash must be one that nobody can foresee. Only look-ups: its order shows nowhere.
    cells: HashMap<[i64; 3], Vec<u32>>,
}

impl Grid {
    fn new(tolerance: f32) -> Self {
        Self { size: 2.0 * f64::from(tolerance.max(f32::MIN_POSITIVE)), cells: HashMap::new() }
    }

    fn cell(&self, x: f32) -> (i64, i64) {
        let at = f64::from(x) / self.size;
        let cell = at.floor();
        let next = if at - cell < 0.5 { -1 } else { 1 };
        let cell = cell as i64;
        (cell, cell.saturating_add(next))
    }

    fn add(&mut self, position: [f32; 3], place: u32) {
        let cell = position.map(|x| self.cell(x).0);
        let list = self.cells.entry(cell).or_default();
        if list.len() < COMPARED {
            list.push(place);
        }
    }

    /// Those that may be near, the first added ones of each cell first.
    fn near(&self, position: [f32; 3]) -> impl Iterator<Item = u32> {
        let [(x, nx), (y, ny), (z, nz)] = position.map(|x| self.cell(x));
        let cells = [
            [x, y, z],
            [nx, y, z],
            [x, ny, z],
            [x, y, nz],
            [nx, ny, z],
            [nx, y, nz],
            [x, ny, nz],
            [nx, ny, nz],
        ];
        cells.into_iter().filter_map(|cell| self.cells.get(&cell)).flatten().copied()
    }
}

/// How far apart two vertices are that are near enough.
struct Apart {
    errors: BTreeMap<Aspect, f32>,
}

impl Apart {
    /// `None` when they are too far apart in any stream.
    fn of(streams: &[(Slot, Stream<'_>)], a: usize, b: usize, tolerance: WeldTolerance) -> Option<Self> {
        let mut apart = Self { errors: BTreeMap::new() };
        for (slot, stream) in streams {
            let error = match slot.kind {
                StreamKind::Place => within(distance(stream.row(a), stream.row(b)), tolerance.position)?,
                // What has no nearness is the same, or they are different: joints, signs, custom attributes.
                StreamKind::Joints | StreamKind::Custom | StreamKind::CustomDirection => {
                    is_same(stream, a, b).then_some(0.0)?
                }
                StreamKind::Tangent if stream.row(a).get(3) != stream.row(b).get(3) => return None,
                _ => within(largest(stream.row(a), stream.row(b)), tolerance.other)?,
            };
            if error > 0.0 {
                let largest = apart.errors.entry(slot.aspect()).or_default();
                *largest = largest.max(error);
            }
        }
        Some(apart)
    }

    fn report(&self, report: &mut Welded) {
        for (aspect, error) in &self.errors {
            report.errors.entry(*aspect).or_default().add(f64::from(*error));
        }
    }
}

fn is_same(stream: &Stream<'_>, a: usize, b: usize) -> bool {
    match stream {
        Stream::Joints(list) => list.get(a) == list.get(b),
        Stream::Floats(..) => {
            stream.row(a).iter().map(|x| x.to_bits()).eq(stream.row(b).iter().map(|x| x.to_bits()))
        }
    }
}

fn within(error: f32, tolerance: f32) -> Option<f32> {
    (error <= tolerance).then_some(error)
}

fn distance(a: &[f32], b: &[f32]) -> f32 {
    let squared: f64 = a.iter().zip(b).map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2)).sum();
    squared.sqrt() as f32
}

fn largest(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(list: &[[f32; 3]]) -> Primitive {
        let indices = (0..list.len() as u32).collect();
        let topology = crate::scene::Topology::Points;
        Primitive { topology, positions: list.to_vec(), indices, ..Primitive::default() }
    }

    #[test]
    fn what_is_near_becomes_the_first() {
        let huge = f32::MAX;
        for (list, position, expected, moved) in [
            (vec![[0.0; 3], [0.009, 0.0, 0.0], [0.018, 0.0, 0.0]], 0.01, vec![0, 0, 1], 0.009),
            (vec![[0.0; 3], [0.0, 0.0, -0.009]], 0.01, vec![0, 0], 0.009),
            (vec![[0.0; 3], [0.0, 0.0, -0.011]], 0.01, vec![0, 1], 0.0),
            (vec![[5.0; 3], [5.0; 3]], 0.0, vec![0, 0], 0.0),
            (vec![[huge; 3], [-huge; 3], [huge; 3]], 1e-3, vec![0, 1, 0], 0.0),
            (vec![[1e30, 0.0, 0.0], [1.0000001e30, 0.0, 0.0]], 1e24, vec![0, 0], 1e23),
            (vec![], 1.0, vec![], 0.0),
        ] {
            let mut primitive = points(&list);
            let tolerance = WeldTolerance::of_positions(position);
            let report = weld_primitive_near(&mut primitive, tolerance);
            assert_eq!(primitive.indices, expected, "{list:?} within {position}");
            let largest = report.errors.get(&Aspect::Positions).map_or(0.0, |stats| stats.max) as f32;
            assert!(largest <= position && largest >= moved * 0.5, "{report:?}");
            let once = primitive.clone();
            weld_primitive_near(&mut primitive, tolerance);
            assert_eq!(primitive, once, "twice is as good as once");
        }
    }

    #[test]
    fn seams_stay() {
        let mut primitive = points(&[[0.0; 3], [0.0, 0.0, 1e-4], [0.0, 0.0, 2e-4]]);
        primitive.uvs = vec![vec![[0.0, 0.5], [1.0, 0.5], [1.0005, 0.5]]];
        let report = weld_primitive_near(&mut primitive, WeldTolerance::of_positions(1e-3));
        assert_eq!(primitive.indices, [0, 1, 1]);
        let uvs = report.errors[&Aspect::Uvs].max;
        assert!(uvs > 4e-4 && uvs <= 1e-3, "{report:?}");
    }

    /// A million vertices at one place, all with other texture coordinates, must not take for ever.
    #[test]
    fn crowds_in_one_place_are_no_trap() {
        let count = 100_000;
        let mut primitive = points(&vec![[1.0; 3]; count]);
        primitive.uvs = vec![(0..count).map(|i| [i as f32, 0.0]).collect()];
        weld_primitive_near(&mut primitive, WeldTolerance::of_positions(0.1));
        assert_eq!(primitive.vertex_count(), count);
    }
}
