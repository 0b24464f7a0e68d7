//! What the vertices of a triangle say about a place inside it.

use glam::{DVec2, Vec3};

use crate::drawable::Drawable;
use crate::math::unit_or;
use crate::project::{Corner, GRID};
use crate::shade::{Place, Uv};

/// The most sets of texture coordinates that a surface uses.
const SETS: usize = 8;

/// A triangle or a part of one, with what its corners say, to be asked about places inside it.
pub(crate) struct Attributes {
    corners: [Corner; 3],
    /// For each corner, its share of the corners of the whole triangle.
    weights: Option<[Vec3; 3]>,
    one_over_area: f64,
    positions: [Vec3; 3],
    /// Those of a flat triangle are all the same.
    normals: [Vec3; 3],
    tangents: Option<[Vec3; 3]>,
    bitangent_sign: f32,
    colors: Option<[[f32; 4]; 3]>,
    uvs: [[[f32; 2]; 3]; SETS],
    sets: usize,
    /// Whether the side that is seen is the back.
    from_behind: bool,
}

impl Attributes {
    pub(crate) fn new(
        drawable: &Drawable<'_>,
        triangle: [u32; 3],
        corners: [Corner; 3],
        weights: Option<[Vec3; 3]>,
    ) -> Self {
        let at = triangle.map(|i| i as usize);
        let positions = at.map(|i| drawable.positions[i]);
        let area = crate::project::area(&corners);
        let flat = || {
            let normal = (positions[1] - positions[0]).cross(positions[2] - positions[0]);
            [unit_or(if drawable.mirrored { -normal } else { normal }, Vec3::Y); 3]
        };
        let normals = match drawable.normals.is_empty() {
            true => flat(),
            false => at.map(|i| drawable.normals[i]),
        };
        let tangents = (!drawable.tangents.is_empty()).then(|| at.map(|i| drawable.tangents[i].truncate()));
        let mut uvs = [[[0.0; 2]; 3]; SETS];
        for (set, stream) in uvs.iter_mut().zip(&drawable.uvs) {
            *set = at.map(|i| stream.get(i).copied().unwrap_or_default());
        }
        Self {
            corners,
            weights,
            one_over_area: 1.0 / area as f64,
            positions,
            normals,
            tangents,
            bitangent_sign: drawable.tangents.get(at[0]).map_or(1.0, |tangent| tangent.w),
            colors: drawable.colors.as_ref().map(|colors| at.map(|i| colors[i])),
            uvs,
            sets: drawable.uvs.len().min(SETS),
            from_behind: (area > 0) != drawable.mirrored,
        }
    }

    /// The shares of the three corners of the whole triangle at a place on the grid.
    fn shares(&self, x: f64, y: f64) -> Vec3 {
        let [a, b, c] = &self.corners;
        let from = |corner: &Corner| DVec2::new(x - f64::from(corner.x), y - f64::from(corner.y));
        let side = |p: &Corner, q: &Corner| DVec2::new(f64::from(q.x - p.x), f64::from(q.y - p.y));
        let share_b = from(a).perp_dot(side(a, c)) * self.one_over_area;
        let share_c = side(a, b).perp_dot(from(a)) * self.one_over_area;
        let even = [1.0 - share_b - share_c, share_b, share_c];
        // Evenly over the picture is not evenly over the triangle: the nearer corner weighs more.
        let near = [even[0] * f64::from(a.inv_w), even[1] * f64::from(b.inv_w), even[2] * f64::from(c.inv_w)];
        let sum = near[0] + near[1] + near[2];
        let shares = near.map(|share| if sum.abs() > 1e-300 { (share / sum) as f32 } else { 1.0 / 3.0 });
        match &self.weights {
            None => Vec3::from_array(shares),
            Some([a, b, c]) => *a * shares[0] + *b * shares[1] + *c * shares[2],
        }
    }

    /// The texture coordinates at a place, by the surface's list of sets.
    pub(crate) fn uvs(&self, x: f32, y: f32) -> ([Uv; SETS], Vec3) {
        let (x, y, next) = (f64::from(x), f64::from(y), f64::from(GRID));
        let here = self.shares(x, y);
        let mut uvs = [Uv::default(); SETS];
        if self.sets > 0 {
            let (right, below) = (self.shares(x + next, y), self.shares(x, y + next));
            for (uv, corners) in uvs.iter_mut().zip(&self.uvs).take(self.sets) {
                let at = blend(corners, here);
                let (to_right, down) = (blend(corners, right), blend(corners, below));
                uv.at = at;
                uv.dx = [to_right[0] - at[0], to_right[1] - at[1]];
                uv.dy = [down[0] - at[0], down[1] - at[1]];
            }
        }
        (uvs, here)
    }

    /// The opacity that the vertices give a place.
    pub(crate) fn alpha(&self, shares: Vec3) -> f32 {
        self.colors.as_ref().map_or(1.0, |colors| blend(colors, shares)[3])
    }

    /// All about a place whose shares and texture coordinates are known.
    pub(crate) fn place<'u>(
        &self,
        shares: Vec3,
        uvs: &'u [Uv; SETS],
        towards: impl Fn(Vec3) -> Vec3,
    ) -> Place<'u> {
        let position = mean(&self.positions, shares);
        let normal = unit_or(mean(&self.normals, shares), self.normals[0]);
        Place {
            position,
            normal: if self.from_behind { -normal } else { normal },
            tangent: self.tangents.as_ref().map_or(Vec3::ZERO, |tangents| mean(tangents, shares)),
            bitangent_sign: if self.from_behind { -self.bitangent_sign } else { self.bitangent_sign },
            color: self.colors.as_ref().map_or([1.0; 4], |colors| blend(colors, shares)),
            uvs: &uvs[..self.sets],
            towards: towards(position),
        }
    }
}

fn mean(values: &[Vec3; 3], shares: Vec3) -> Vec3 {
    values[0] * shares.x + values[1] * shares.y + values[2] * shares.z
}

fn blend<const N: usize>(values: &[[f32; N]; 3], shares: Vec3) -> [f32; N] {
    std::array::from_fn(|i| values[0][i] * shares.x + values[1][i] * shares.y + values[2][i] * shares.z)
}
