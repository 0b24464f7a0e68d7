//! A soft shadow where the model stands: the darker, the nearer the model is to the ground.

use glam::Vec3;
use menagerie::scene::{AlphaMode, Bounds};

use crate::drawable::{Drawable, is_drawable};
use crate::material::Materials;

/// Cells along the side of the grid.
const CELLS: usize = 160;
/// Cells around the model that are left for the soft edge.
const EDGE: usize = 24;
/// How dark the darkest place is.
const DARKEST: f32 = 0.62;

/// How dark the ground is, on a grid.
pub(crate) struct GroundShadow {
    ground: f32,
    origin: (f32, f32),
    cells_per_unit: f32,
    dark: Vec<f32>,
}

impl GroundShadow {
    /// `None` when the model has no size.
    pub(crate) fn new(drawables: &[Drawable<'_>], materials: &Materials, bounds: Bounds) -> Option<Self> {
        let size = bounds.max - bounds.min;
        let wide = size.x.max(size.z);
        let cell = wide / (CELLS - 2 * EDGE) as f32;
        let reach = (size.y * 0.45).min(wide * 0.6);
        if !(cell > 0.0 && reach > 0.0 && (1.0 / cell).is_finite() && is_drawable(size)) {
            return None;
        }
        let middle = (bounds.min + bounds.max) * 0.5;
        let half = cell * CELLS as f32 * 0.5;
        let mut heights = Heights {
            ground: bounds.min.y,
            reach,
            origin: (middle.x - half, middle.z - half),
            cells_per_unit: 1.0 / cell,
            lowest: vec![f32::INFINITY; CELLS * CELLS],
        };
        for drawable in drawables {
            if !matches!(materials.at(drawable.surface).alpha, AlphaMode::Blend(_)) {
                heights.add(drawable);
            }
        }
        let near: Vec<f32> = heights.lowest.iter().map(|height| closeness(*height, reach)).collect();
        let (close, far) = (blurred(&near, 2), blurred(&near, 8));
        let dark = close.iter().zip(&far).map(|(close, far)| (close * 0.45 + far * 0.55) * DARKEST).collect();
        Some(Self { ground: bounds.min.y, origin: heights.origin, cells_per_unit: 1.0 / cell, dark })
    }

    /// How dark the ground is where a ray meets it; zero when it does not.
    pub(crate) fn seen_along(&self, from: Vec3, along: Vec3) -> f32 {
        let t = (self.ground - from.y) / along.y;
        if !(along.y < 0.0 && t > 0.0 && t.is_finite()) {
            return 0.0;
        }
        let place = from + along * t;
        let x = (place.x - self.origin.0) * self.cells_per_unit - 0.5;
        let z = (place.z - self.origin.1) * self.cells_per_unit - 0.5;
        let inside = |cell: f32| cell >= 0.0 && cell < (CELLS - 1) as f32;
        if !(inside(x) && inside(z)) {
            return 0.0;
        }
        let (column, row) = (x as usize, z as usize);
        let (part_x, part_z) = (x - column as f32, z - row as f32);
        let at = |column: usize, row: usize| self.dark[row * CELLS + column];
        let mix = |a: f32, b: f32, part: f32| a + (b - a) * part;
        let upper = mix(at(column, row), at(column + 1, row), part_x);
        let lower = mix(at(column, row + 1), at(column + 1, row + 1), part_x);
        mix(upper, lower, part_z)
    }
}

/// One on the ground, zero where the model is as far above it as it reaches.
fn closeness(height: f32, reach: f32) -> f32 {
    let near = (1.0 - height / reach).clamp(0.0, 1.0);
    near * near
}

/// How far above the ground the model is, in each cell.
struct Heights {
    ground: f32,
    reach: f32,
    origin: (f32, f32),
    cells_per_unit: f32,
    lowest: Vec<f32>,
}

impl Heights {
    fn add(&mut self, drawable: &Drawable<'_>) {
        for triangle in drawable.triangles {
            let corners = triangle.map(|i| drawable.positions[i as usize]);
            let lowest = corners[0].y.min(corners[1].y).min(corners[2].y) - self.ground;
            if lowest < self.reach && corners.iter().all(|corner| is_drawable(*corner)) {
                self.triangle(corners.map(|corner| self.on_grid(corner)));
            }
        }
    }

    /// The place on the grid, and the height as second.
    fn on_grid(&self, p: Vec3) -> Vec3 {
        let x = (p.x - self.origin.0) * self.cells_per_unit;
        let z = (p.z - self.origin.1) * self.cells_per_unit;
        Vec3::new(x, p.y - self.ground, z)
    }

    /// Lowers the cells whose middle a triangle covers, and those of its corners.
    fn triangle(&mut self, [a, b, c]: [Vec3; 3]) {
        for corner in [a, b, c] {
            self.lower(corner.x as usize, corner.z as usize, corner.y);
        }
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let area = (b.x - a.x) * (c.z - a.z) - (c.x - a.x) * (b.z - a.z);
        if area == 0.0 {
            return;
        }
        let cell = |place: f32| (place.max(0.0) as usize).min(CELLS - 1);
        for row in cell(low.z)..=cell(high.z) {
            for column in cell(low.x)..=cell(high.x) {
                let (x, z) = (column as f32 + 0.5 - a.x, row as f32 + 0.5 - a.z);
                let share_b = (x * (c.z - a.z) - (c.x - a.x) * z) / area;
                let share_c = ((b.x - a.x) * z - x * (b.z - a.z)) / area;
                if share_b >= 0.0 && share_c >= 0.0 && share_b + share_c <= 1.0 {
                    self.lower(column, row, a.y + (b.y - a.y) * share_b + (c.y - a.y) * share_c);
                }
            }
        }
    }

    fn lower(&mut self, column: usize, row: usize, height: f32) {
        if column < CELLS
            && let Some(cell) = self.lowest.get_mut(row * CELLS + column)
        {
            *cell = cell.min(height.max(0.0));
        }
    }
}

/// The mean over squares around each cell, three times, which is close to a bell.
fn blurred(cells: &[f32], radius: usize) -> Vec<f32> {
    let mut cells = cells.to_vec();
    for _ in 0..3 {
        cells = turned(&blurred_rows(&cells, radius));
        cells = turned(&blurred_rows(&cells, radius));
    }
    cells
}

fn blurred_rows(cells: &[f32], radius: usize) -> Vec<f32> {
    let width = (2 * radius + 1) as f32;
    let mut result = Vec::with_capacity(cells.len());
    for row in cells.chunks(CELLS) {
        for column in 0..CELLS {
            let from = column.saturating_sub(radius);
            let to = (column + radius).min(CELLS - 1);
            let sum = row.get(from..=to).unwrap_or_default().iter().fold(0.0, |sum, cell| sum + cell);
            result.push(sum / width);
        }
    }
    result
}

/// Rows become columns.
fn turned(cells: &[f32]) -> Vec<f32> {
    (0..CELLS * CELLS).map(|i| cells[i % CELLS * CELLS + i / CELLS]).collect()
}
