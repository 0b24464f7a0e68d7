//! Lines and points of a fixed width in pixels, in one colour, as triangles in the picture.

use glam::Vec3;

use crate::camera::Lens;
use crate::project::{Corner, GRID, Projector, TILE};

/// A line in the world; a point where both ends are the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) from: Vec3,
    pub(crate) to: Vec3,
    /// Linear, with the opacity as fourth.
    pub(crate) color: [f32; 4],
    /// In pixels.
    pub(crate) width: f32,
    pub(crate) over: Over,
}

/// What a line hides and what hides it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// It is a part of the model.
    Nothing,
    /// It lies on surfaces: what is hidden a little by them is still seen.
    Surfaces,
    /// Nothing hides it.
    Everything,
}

/// Two triangles of one colour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Strip {
    pub(crate) corners: [Corner; 4],
    pub(crate) color: [f32; 4],
    pub(crate) on_top: bool,
}

impl Strip {
    pub(crate) fn triangles(&self) -> [[Corner; 3]; 2] {
        let [a, b, c, d] = self.corners;
        [[a, b, c], [a, c, d]]
    }
}

/// All strips, and for each tile those that touch it.
#[derive(Default)]
pub(crate) struct Strips {
    strips: Vec<Strip>,
    tiles: Vec<Vec<u32>>,
}

impl Strips {
    pub(crate) fn new(lines: &[Line], projector: &Projector, reach: f32) -> Self {
        if lines.is_empty() {
            return Self::default();
        }
        let (columns, rows) = projector.size.tiles();
        let strips: Vec<Strip> = lines.iter().filter_map(|line| strip(line, projector, reach)).collect();
        let mut tiles = vec![Vec::new(); columns * rows];
        for (index, strip) in strips.iter().enumerate() {
            let tile =
                |place: i32, tiles: usize| (place.max(0) / (TILE * GRID)).min(tiles as i32 - 1) as usize;
            let x = strip.corners.map(|corner| corner.x);
            let y = strip.corners.map(|corner| corner.y);
            let least = |places: [i32; 4]| places.into_iter().fold(i32::MAX, i32::min);
            let most = |places: [i32; 4]| places.into_iter().fold(i32::MIN, i32::max);
            let (width, height) = (projector.size.width as i32 * GRID, projector.size.height as i32 * GRID);
            if most(x) < 0 || most(y) < 0 || least(x) >= width || least(y) >= height {
                continue;
            }
            for row in tile(least(y), rows)..=tile(most(y), rows) {
                for column in tile(least(x), columns)..=tile(most(x), columns) {
                    tiles[row * columns + column].push(index as u32);
                }
            }
        }
        Self { strips, tiles }
    }

    pub(crate) fn in_tile(&self, tile: usize) -> impl Iterator<Item = &Strip> {
        let indices = self.tiles.get(tile).map(Vec::as_slice).unwrap_or_default();
        indices.iter().map(|index| &self.strips[*index as usize])
    }
}

fn strip(line: &Line, projector: &Projector, reach: f32) -> Option<Strip> {
    let view = &projector.view;
    let nearer = |place: Vec3| match (line.over, view.lens) {
        (Over::Surfaces, Lens::Perspective { .. }) => place + (view.eye - place) * 2e-3,
        (Over::Surfaces, Lens::Parallel { .. }) => place + view.back * (reach * 2e-3),
        _ => place,
    };
    let (from, to) = (nearer(line.from), nearer(line.to));
    // A point is a line that is as long as it is wide.
    let is_point = line.from == line.to;
    let [a, b] = match is_point {
        false => projector.line(from, to)?,
        true => projector
            .line(from, from + view.back * (reach * 1e-6).max(f32::MIN_POSITIVE))
            .map(|[a, _]| [a, a])?,
    };
    let half = line.width * 0.5 * GRID as f32;
    let (dx, dy) = ((b.x - a.x) as f32, (b.y - a.y) as f32);
    let length = (dx * dx + dy * dy).sqrt();
    let (ux, uy) = if length > 0.0 { (dx / length, dy / length) } else { (1.0, 0.0) };
    let end = if is_point { half } else { 0.0 };
    let corner = |base: Corner, along: f32, across: f32| Corner {
        x: base.x + (ux * along - uy * across).round() as i32,
        y: base.y + (uy * along + ux * across).round() as i32,
        ..base
    };
    Some(Strip {
        corners: [corner(a, -end, half), corner(b, end, half), corner(b, end, -half), corner(a, -end, -half)],
        color: line.color,
        on_top: line.over == Over::Everything,
    })
}
