//! From the world to the picture: vertices on a fine grid, triangles cut off where they leave what can be computed, and
//! sorted into tiles.

use glam::Vec3;
use rayon::prelude::*;

use crate::camera::{Lens, View};
use crate::drawable::{Drawable, is_drawable};

/// Pixels along the side of a tile.
pub(crate) const TILE: i32 = 64;

/// Places along the side of a pixel. Vertices and samples are on these places, so that coverage is computed in whole
/// numbers, without gaps or overlaps between neighbours.
pub(crate) const GRID: i32 = 16;

/// So far outside the picture, in pixels, vertices may be: products of their places fit in 32 bits within a tile.
const GUARD: f32 = 4096.0;

/// Triangles that are projected together.
const CHUNK: usize = 1 << 14;

/// So many layers of triangles over the whole picture are drawn beside two tiles for every triangle.
const LAYERS: usize = 1024;

/// A vertex in the picture.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Corner {
    /// On the grid, from the left.
    pub(crate) x: i32,
    /// On the grid, from the top.
    pub(crate) y: i32,
    /// One over the distance; one where far things are not smaller.
    pub(crate) inv_w: f32,
    /// The larger, the nearer; it changes evenly over the picture.
    pub(crate) depth: f32,
}

/// The mark of a vertex that has no place in the picture.
const NOWHERE: i32 = i32::MIN;

/// The size of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Size {
    pub(crate) fn aspect(self) -> f32 {
        self.width as f32 / self.height as f32
    }

    /// Tiles in a row and rows of tiles.
    pub(crate) fn tiles(self) -> (usize, usize) {
        let tiles = |pixels: u32| pixels.div_ceil(TILE as u32) as usize;
        (tiles(self.width), tiles(self.height))
    }
}

/// How places that a camera sees become places in the picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Projector {
    pub(crate) view: View,
    pub(crate) size: Size,
    /// Half the picture in pixels over half of what is shown.
    scale: (f32, f32),
    /// The guard in the camera's units at a distance of one.
    guard: (f32, f32),
}

/// A vertex as the camera sees it, with its share of the corners of the triangle that it was cut from.
#[derive(Clone, Copy, Debug)]
struct Seen {
    place: Vec3,
    weights: Vec3,
}

/// A part of a triangle that was cut off.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) corners: [Corner; 3],
    /// The triangle that it is a part of.
    pub(crate) of: u32,
    /// For each corner, its share of the triangle's corners.
    pub(crate) weights: [Vec3; 3],
}

impl Projector {
    pub(crate) fn new(view: View, size: Size) -> Self {
        let (Lens::Perspective { half_width, half_height } | Lens::Parallel { half_width, half_height }) =
            view.lens;
        let half = (size.width as f32 * 0.5, size.height as f32 * 0.5);
        let scale = (half.0 / half_width, half.1 / half_height);
        let guard = ((half.0 + GUARD) / scale.0, (half.1 + GUARD) / scale.1);
        Self { view, size, scale, guard }
    }

    fn perspective(&self) -> bool {
        matches!(self.view.lens, Lens::Perspective { .. })
    }

    /// What sideways distances are divided by.
    fn w(&self, seen: Vec3) -> f32 {
        if self.perspective() { seen.z } else { 1.0 }
    }

    /// How far inside each of the planes a place is; outside it is below zero.
    fn planes(&self, seen: Vec3) -> [f32; 6] {
        let (x, y) = (self.guard.0 * self.w(seen), self.guard.1 * self.w(seen));
        let far = if self.view.far.is_finite() { self.view.far - seen.z } else { 1.0 };
        [seen.z - self.view.near, far, x - seen.x, x + seen.x, y - seen.y, y + seen.y]
    }

    /// The place in the picture of what is inside all planes.
    fn corner(&self, seen: Vec3) -> Corner {
        let inv_w = 1.0 / self.w(seen);
        let x = seen.x * inv_w * self.scale.0 + self.size.width as f32 * 0.5;
        let y = self.size.height as f32 * 0.5 - seen.y * inv_w * self.scale.1;
        // Numbers so large that cutting at the planes is not exact are still not outside the guard.
        let on_grid =
            |pixels: f32, side: u32| (pixels.clamp(-GUARD, side as f32 + GUARD) * GRID as f32).round() as i32;
        let depth = if self.perspective() { inv_w } else { -seen.z };
        Corner { x: on_grid(x, self.size.width), y: on_grid(y, self.size.height), inv_w, depth }
    }

    fn project(&self, position: Vec3) -> Corner {
        let seen = self.view.seen(position);
        match is_drawable(position) && self.planes(seen).iter().all(|inside| *inside >= 0.0) {
            true => self.corner(seen),
            false => Corner { x: NOWHERE, ..Corner::default() },
        }
    }

    /// All vertices of a drawable.
    pub(crate) fn corners(&self, positions: &[Vec3]) -> Vec<Corner> {
        positions.par_iter().with_min_len(4096).map(|position| self.project(*position)).collect()
    }

    /// A line cut off at the planes, in the picture; `None` when nothing of it is inside.
    pub(crate) fn line(&self, a: Vec3, b: Vec3) -> Option<[Corner; 2]> {
        if !is_drawable(a) || !is_drawable(b) {
            return None;
        }
        let (a, b) = (self.view.seen(a), self.view.seen(b));
        let (mut from, mut to) = (0.0f32, 1.0f32);
        for (start, end) in self.planes(a).into_iter().zip(self.planes(b)) {
            if start < 0.0 && end < 0.0 {
                return None;
            }
            let crossing = start / (start - end);
            if start < 0.0 {
                from = from.max(crossing);
            } else if end < 0.0 {
                to = to.min(crossing);
            }
        }
        (from < to).then(|| [a + (b - a) * from, a + (b - a) * to].map(|place| self.corner(place)))
    }

    /// The parts of a triangle that are inside all planes.
    fn parts(&self, positions: [Vec3; 3], of: u32, parts: &mut Vec<Part>) {
        if !positions.iter().all(|position| is_drawable(*position)) {
            return;
        }
        let [a, b, c] = positions.map(|position| self.view.seen(position));
        let mut polygon = vec![
            Seen { place: a, weights: Vec3::X },
            Seen { place: b, weights: Vec3::Y },
            Seen { place: c, weights: Vec3::Z },
        ];
        for plane in 0..6 {
            polygon = self.cut(&polygon, plane);
        }
        let corners: Vec<(Corner, Vec3)> =
            polygon.iter().map(|s| (self.corner(s.place), s.weights)).collect();
        let Some((first, rest)) = corners.split_first() else { return };
        for pair in rest.windows(2) {
            let three = [*first, pair[0], pair[1]];
            parts.push(Part { corners: three.map(|(corner, _)| corner), of, weights: three.map(|(_, w)| w) });
        }
    }

    /// A polygon without what is outside one plane.
    fn cut(&self, polygon: &[Seen], plane: usize) -> Vec<Seen> {
        let inside = |seen: &Seen| self.planes(seen.place)[plane];
        let mut kept = Vec::with_capacity(polygon.len() + 1);
        for (i, here) in polygon.iter().enumerate() {
            let next = &polygon[(i + 1) % polygon.len()];
            let (from, to) = (inside(here), inside(next));
            if from >= 0.0 {
                kept.push(*here);
            }
            if (from >= 0.0) != (to >= 0.0) {
                let part = from / (from - to);
                kept.push(Seen {
                    place: here.place + (next.place - here.place) * part,
                    weights: here.weights + (next.weights - here.weights) * part,
                });
            }
        }
        kept
    }
}

/// Twice the area of a triangle on the grid; above zero when it is clockwise in the picture.
pub(crate) fn area(corners: &[Corner; 3]) -> i64 {
    let [a, b, c] = corners;
    let side = |p: &Corner, q: &Corner| (i64::from(q.x) - i64::from(p.x), i64::from(q.y) - i64::from(p.y));
    let (ab, ac) = (side(a, b), side(a, c));
    ab.0 * ac.1 - ac.0 * ab.1
}

/// Some triangles of one drawable, sorted into tiles.
///
/// A slot is a triangle or a part of one: first the chunk's triangles, then the parts.
pub(crate) struct Chunk {
    pub(crate) drawable: usize,
    /// The first triangle of the drawable that is in it.
    pub(crate) first: usize,
    pub(crate) count: usize,
    pub(crate) parts: Vec<Part>,
    /// The number of its first slot among those of all chunks.
    pub(crate) first_slot: u32,
    /// Where the slots of each tile begin, and last where they end; empty where there are fewer slots than tiles.
    starts: Vec<u32>,
    /// The tile of each slot, rising; empty where there are more slots than tiles.
    tiles: Vec<u32>,
    slots: Vec<u32>,
    /// How many triangles were left out because there were too many layers.
    pub(crate) left_out: usize,
}

impl Chunk {
    /// The slots that touch a tile, counted within the chunk.
    pub(crate) fn in_tile(&self, tile: usize) -> &[u32] {
        if self.starts.is_empty() {
            let start = self.tiles.partition_point(|of| (*of as usize) < tile);
            let count = self.tiles.iter().skip(start).take_while(|of| **of as usize == tile).count();
            return self.slots.get(start..start + count).unwrap_or_default();
        }
        match (self.starts.get(tile), self.starts.get(tile + 1)) {
            (Some(start), Some(end)) => self.slots.get(*start as usize..*end as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Draws none of its triangles.
    fn leave_out(&mut self) {
        (self.starts, self.tiles, self.slots) = Default::default();
        self.left_out = self.count;
    }

    pub(crate) fn slot_count(&self) -> usize {
        self.count + self.parts.len()
    }
}

/// A drawable in the picture.
pub(crate) struct Projected {
    pub(crate) corners: Vec<Corner>,
}

impl Projected {
    /// The corners of a triangle; `None` when one has no place in the picture.
    pub(crate) fn triangle(&self, triangle: [u32; 3]) -> Option<[Corner; 3]> {
        let [a, b, c] = triangle.map(|i| self.corners[i as usize]);
        (a.x != NOWHERE && b.x != NOWHERE && c.x != NOWHERE).then_some([a, b, c])
    }
}

/// Projects all drawables and sorts their triangles into tiles. The chunks depend on the model alone, not on the number
/// of threads. The number of slots must fit in 32 bits, which the caller checks.
pub(crate) fn chunks(
    projector: &Projector,
    drawables: &[Drawable<'_>],
    projected: &[Projected],
) -> Vec<Chunk> {
    let total: usize = drawables.iter().map(|drawable| drawable.triangles.len()).sum();
    let length = CHUNK.max(total / 256);
    let mut work = Vec::new();
    for (index, drawable) in drawables.iter().enumerate() {
        let starts = (0..drawable.triangles.len()).step_by(length);
        work.extend(starts.map(|first| (index, first, length.min(drawable.triangles.len() - first))));
    }
    let (columns, rows) = projector.size.tiles();
    let extra = LAYERS * columns * rows / work.len().max(1);
    let mut chunks: Vec<Chunk> = work
        .par_iter()
        .map(|&(index, first, count)| {
            let sorting = Sorting { projector, drawable: &drawables[index], projected: &projected[index] };
            sorting.chunk(index, first, count, extra)
        })
        .collect();
    let mut slot = 0u32;
    for chunk in &mut chunks {
        chunk.first_slot = slot;
        slot = slot.saturating_add(u32::try_from(chunk.slot_count()).unwrap_or(u32::MAX));
    }
    // Each chunk has drawn a triangle at least, and there may be thousands of them.
    let mut left = total.saturating_mul(2).saturating_add(LAYERS * columns * rows);
    for chunk in &mut chunks {
        match left.checked_sub(chunk.slots.len()) {
            Some(rest) => left = rest,
            None => chunk.leave_out(),
        }
    }
    chunks
}

struct Sorting<'a> {
    projector: &'a Projector,
    drawable: &'a Drawable<'a>,
    projected: &'a Projected,
}

impl Sorting<'_> {
    fn chunk(&self, index: usize, first: usize, count: usize, extra: usize) -> Chunk {
        let (columns, rows) = self.projector.size.tiles();
        let mut pairs: Vec<(u32, u32)> = Vec::with_capacity(count);
        let mut parts = Vec::new();
        let mut left_out = 0;
        let most = count * 2 + extra;
        let mut add = |slot: usize, corners: &[Corner; 3]| {
            if !self.is_seen(corners) {
                return;
            }
            let Some((left, top, right, bottom)) = self.tiles(corners) else { return };
            if pairs.len() >= most {
                left_out += 1;
                return;
            }
            for row in top..=bottom {
                pairs.extend((left..=right).map(|column| ((row * columns + column) as u32, slot as u32)));
            }
        };
        let triangles = self.drawable.triangles.get(first..first + count).unwrap_or_default();
        for (slot, triangle) in triangles.iter().enumerate() {
            if let Some(corners) = self.projected.triangle(*triangle) {
                add(slot, &corners);
                continue;
            }
            let start = parts.len();
            let positions = triangle.map(|i| self.drawable.positions[i as usize]);
            self.projector.parts(positions, (first + slot) as u32, &mut parts);
            for (i, part) in parts[start..].iter().enumerate() {
                add(count + start + i, &part.corners);
            }
        }
        let (mut starts, mut tiles) = (Vec::new(), Vec::new());
        let slots;
        // Thousands of small drawables must not have a table of all tiles each.
        if pairs.len() < columns * rows {
            pairs.sort_by_key(|(tile, _)| *tile);
            (tiles, slots) = pairs.into_iter().unzip();
        } else {
            (starts, slots) = by_tile(&pairs, columns * rows);
        }
        Chunk { drawable: index, first, count, parts, first_slot: 0, starts, tiles, slots, left_out }
    }

    /// Whether the triangle has an area and shows a side that is drawn.
    fn is_seen(&self, corners: &[Corner; 3]) -> bool {
        match area(corners) {
            0 => false,
            area => self.drawable.double_sided || (area < 0) != self.drawable.mirrored,
        }
    }

    /// The tiles that the box around a triangle touches: left, top, right, bottom.
    fn tiles(&self, corners: &[Corner; 3]) -> Option<(usize, usize, usize, usize)> {
        let (columns, rows) = self.projector.size.tiles();
        let range = |places: [i32; 3], pixels: u32, tiles: usize| {
            let first = places.into_iter().fold(i32::MAX, i32::min);
            let last = places.into_iter().fold(i32::MIN, i32::max);
            if last < 0 || first >= pixels as i32 * GRID {
                return None;
            }
            let tile = |place: i32| (place.max(0) / (TILE * GRID)) as usize;
            Some((tile(first), tile(last).min(tiles - 1)))
        };
        let [a, b, c] = corners;
        let (left, right) = range([a.x, b.x, c.x], self.projector.size.width, columns)?;
        let (top, bottom) = range([a.y, b.y, c.y], self.projector.size.height, rows)?;
        Some((left, top, right, bottom))
    }
}

/// Slots sorted by tile, in their order, and where each tile's begin.
fn by_tile(pairs: &[(u32, u32)], tiles: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; tiles + 1];
    for (tile, _) in pairs {
        starts[*tile as usize + 1] += 1;
    }
    for tile in 0..tiles {
        starts[tile + 1] += starts[tile];
    }
    let mut next = starts.clone();
    let mut slots = vec![0u32; pairs.len()];
    for (tile, slot) in pairs {
        let at = &mut next[*tile as usize];
        slots[*at as usize] = *slot;
        *at += 1;
    }
    (starts, slots)
}
