//! Which samples of a tile a triangle covers. In whole numbers: a sample on the edge of two triangles belongs to one.

use crate::project::{Corner, GRID, TILE, area};

/// Samples of a pixel.
pub(crate) const SAMPLES: usize = 4;

/// Where the samples of a pixel are, on the grid: no two in one row or column.
pub(crate) const SAMPLE_PLACES: [(i32, i32); SAMPLES] = [(6, 2), (14, 6), (2, 10), (10, 14)];

/// Pixels of a tile.
pub(crate) const PIXELS: usize = (TILE * TILE) as usize;

/// Pixels along the side of a block, which is passed over as a whole where the triangle is not.
const BLOCK: i32 = 8;

const BLOCKS_IN_ROW: i32 = TILE / BLOCK;

/// Blocks of a tile.
pub(crate) const BLOCKS: usize = (BLOCKS_IN_ROW * BLOCKS_IN_ROW) as usize;

/// Some blocks of a tile, a bit for each.
pub(crate) type Blocks = u64;

pub(crate) const ALL_BLOCKS: Blocks = Blocks::MAX;

/// The block of a pixel of a tile.
pub(crate) fn block_of(pixel: usize) -> usize {
    let (column, row) = (pixel as i32 % TILE, pixel as i32 / TILE);
    (row / BLOCK * BLOCKS_IN_ROW + column / BLOCK) as usize
}

/// A tile of the picture: its first pixel and how many there are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tile {
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) width: i32,
    pub(crate) height: i32,
}

impl Tile {
    /// Its pixels that are in the picture.
    pub(crate) fn pixels(&self) -> impl Iterator<Item = usize> {
        let columns = self.width;
        (0..self.height).flat_map(move |row| (0..columns).map(move |column| (row * TILE + column) as usize))
    }
}

/// One side of a triangle: how far inside a place is, as a function of the place.
#[derive(Clone, Copy, Debug, Default)]
struct Side {
    /// At the tile's first place.
    start: i32,
    per_x: i32,
    per_y: i32,
}

/// What the side from `p` to `q` says about a tile.
enum Says {
    Outside,
    Depends(Side),
}

impl Side {
    fn of(p: &Corner, q: &Corner, tile: &Tile) -> Says {
        let (dx, dy) = (q.x - p.x, q.y - p.y);
        let x = i64::from(tile.left * GRID - p.x);
        let y = i64::from(tile.top * GRID - p.y);
        // A place on an upper or left side belongs to the triangle, one on the others does not.
        let upper_left = dy < 0 || (dy == 0 && dx > 0);
        let start = i64::from(dx) * y - i64::from(dy) * x - i64::from(!upper_left);
        let (per_x, per_y) = (-dy, dx);
        let span = i64::from(TILE * GRID);
        let rise = |per: i32| i64::from(per.max(0)) * span;
        let fall = |per: i32| i64::from(per.min(0)) * span;
        if start + rise(per_x) + rise(per_y) < 0 {
            return Says::Outside;
        }
        if start + fall(per_x) + fall(per_y) >= 0 {
            return Says::Depends(Self::default());
        }
        // The value is zero somewhere in the tile, and so nowhere in it farther from zero than 32 bits hold.
        Says::Depends(Self { start: start as i32, per_x, per_y })
    }

    fn at(&self, x: i32, y: i32) -> i32 {
        self.start + self.per_x * x + self.per_y * y
    }

    /// The largest value in the block whose first place is given.
    fn most(&self, x: i32, y: i32) -> i32 {
        let span = BLOCK * GRID;
        self.at(x, y) + (self.per_x.max(0) + self.per_y.max(0)) * span
    }
}

/// A triangle as a tile needs it.
pub(crate) struct Triangle {
    sides: [Side; 3],
    /// Its box in the tile, in pixels: first and last column, first and last row.
    columns: (i32, i32),
    rows: (i32, i32),
    /// Depth at the tile's first place, and how it changes for each place.
    depth: (f32, f32, f32),
    pub(crate) nearest: f32,
    farthest: f32,
}

/// Which samples of a pixel are covered, and how deep the triangle is there.
pub(crate) struct Covered {
    /// The pixel in the tile.
    pub(crate) pixel: usize,
    /// Not below zero where the sample is covered.
    pub(crate) inside: [i32; SAMPLES],
    pub(crate) depth: [f32; SAMPLES],
}

impl Triangle {
    /// `None` when it does not touch the tile.
    pub(crate) fn new(corners: &[Corner; 3], tile: &Tile) -> Option<Self> {
        let [a, mut b, mut c] = *corners;
        let mut area = area(corners);
        if area < 0 {
            (b, c, area) = (c, b, -area);
        }
        let range = |places: [i32; 3], first: i32, count: i32| {
            let low = places.into_iter().fold(i32::MAX, i32::min).div_euclid(GRID) - first;
            let high = places.into_iter().fold(i32::MIN, i32::max).div_euclid(GRID) - first;
            (low.max(0), high.min(count - 1))
        };
        let columns = range([a.x, b.x, c.x], tile.left, tile.width);
        let rows = range([a.y, b.y, c.y], tile.top, tile.height);
        if columns.0 > columns.1 || rows.0 > rows.1 || area == 0 {
            return None;
        }
        let mut sides = [Side::default(); 3];
        for (side, (p, q)) in sides.iter_mut().zip([(&a, &b), (&b, &c), (&c, &a)]) {
            match Side::of(p, q, tile) {
                Says::Outside => return None,
                Says::Depends(found) => *side = found,
            }
        }
        let float = |value: i32| value as f32;
        let (ab, ac) = ((float(b.x - a.x), float(b.y - a.y)), (float(c.x - a.x), float(c.y - a.y)));
        let (db, dc) = (b.depth - a.depth, c.depth - a.depth);
        let inv = 1.0 / area as f32;
        let per_x = (db * ac.1 - dc * ab.1) * inv;
        let per_y = (dc * ab.0 - db * ac.0) * inv;
        let start = a.depth + per_x * float(tile.left * GRID - a.x) + per_y * float(tile.top * GRID - a.y);
        let nearest = a.depth.max(b.depth).max(c.depth);
        let farthest = a.depth.min(b.depth).min(c.depth);
        Some(Self { sides, columns, rows, depth: (start, per_x, per_y), nearest, farthest })
    }

    /// Calls `each` for every pixel of which some sample is covered.
    #[inline]
    pub(crate) fn cover(&self, each: impl FnMut(Covered)) {
        self.cover_in(ALL_BLOCKS, each);
    }

    /// The same in some blocks only.
    #[inline]
    pub(crate) fn cover_in(&self, blocks: Blocks, mut each: impl FnMut(Covered)) {
        let first_block = |pixel: i32| pixel / BLOCK * BLOCK;
        for block_y in (first_block(self.rows.0)..=self.rows.1).step_by(BLOCK as usize) {
            for block_x in (first_block(self.columns.0)..=self.columns.1).step_by(BLOCK as usize) {
                let wanted = blocks >> block_of((block_y * TILE + block_x) as usize) & 1 == 1;
                let outside = || self.sides.iter().any(|side| side.most(block_x * GRID, block_y * GRID) < 0);
                if wanted && !outside() {
                    self.cover_block(block_x, block_y, &mut each);
                }
            }
        }
    }

    #[inline]
    fn cover_block(&self, block_x: i32, block_y: i32, each: &mut impl FnMut(Covered)) {
        let (first, last) = (block_x.max(self.columns.0), (block_x + BLOCK - 1).min(self.columns.1));
        let (top, bottom) = (block_y.max(self.rows.0), (block_y + BLOCK - 1).min(self.rows.1));
        let offsets: [[i32; SAMPLES]; 3] = std::array::from_fn(|i| {
            let side = &self.sides[i];
            SAMPLE_PLACES.map(|(x, y)| side.per_x * x + side.per_y * y)
        });
        let (start, per_x, per_y) = self.depth;
        let depth_offsets = SAMPLE_PLACES.map(|(x, y)| per_x * x as f32 + per_y * y as f32);
        let steps: [i32; 3] = std::array::from_fn(|i| self.sides[i].per_x * GRID);
        for y in top..=bottom {
            let mut values: [i32; 3] = std::array::from_fn(|i| self.sides[i].at(first * GRID, y * GRID));
            let row_depth = start + per_y * (y * GRID) as f32;
            for x in first..=last {
                let inside: [i32; SAMPLES] = std::array::from_fn(|s| {
                    (values[0] + offsets[0][s]) | (values[1] + offsets[1][s]) | (values[2] + offsets[2][s])
                });
                if inside[0] & inside[1] & inside[2] & inside[3] >= 0 {
                    let here = row_depth + per_x * (x * GRID) as f32;
                    let depth = std::array::from_fn(|s| {
                        let depth = here + depth_offsets[s];
                        // Not clamp: it may panic on what is not a number, and this is faster.
                        depth.max(self.farthest).min(self.nearest)
                    });
                    each(Covered { pixel: (y * TILE + x) as usize, inside, depth });
                }
                for (value, step) in values.iter_mut().zip(steps) {
                    *value = value.wrapping_add(step);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corner(x: i32, y: i32) -> Corner {
        Corner { x, y, inv_w: 1.0, depth: 1.0 }
    }

    #[test]
    fn neighbours_share_every_sample_and_none_twice() {
        let tile = Tile { left: 0, top: 0, width: TILE, height: TILE };
        // A fan of triangles around a place inside the tile, out to a ring that is partly far outside of it.
        let centre = corner(37 * 7, 501);
        let ring = [(-90, -80), (2000, -5000), (9000, 300), (1100, 1100), (-20, 1100), (-60_000, 40_000)];
        let ring: Vec<Corner> = ring.iter().map(|(x, y)| corner(*x, *y)).collect();
        let mut covered = vec![[0; SAMPLES]; PIXELS];
        for (i, from) in ring.iter().enumerate() {
            let triangle = [centre, *from, ring[(i + 1) % ring.len()]];
            let Some(triangle) = Triangle::new(&triangle, &tile) else { continue };
            triangle.cover(|found| {
                for (times, inside) in covered[found.pixel].iter_mut().zip(found.inside) {
                    *times += i32::from(inside >= 0);
                }
            });
        }
        assert!(covered.iter().flatten().all(|times| *times == 1));
    }
}
