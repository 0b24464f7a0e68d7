//! How far two surfaces are apart.

use glam::{DVec3, Vec3};

use crate::parallel;

/// A triangle by its corners.
pub type Corners = [Vec3; 3];

/// How far one surface is from another, from many points on both.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SurfaceDistance {
    /// How many points were measured.
    pub points: usize,
    /// The largest distance.
    pub max: f64,
    /// The mean distance.
    pub mean: f64,
}

/// Points along each side of the grid that the largest triangles are measured at.
const FINEST: usize = 12;

/// Triangles of each surface whose points are measured; of larger surfaces every n-th one, because finding the
/// nearest triangle takes longer than making it.
const MOST_MEASURED: usize = 50_000;

/// Boxes and triangles that are looked at on the way from one surface to the other. Where everything is equally near,
/// as between the spikes of a damaged file, every point would have to look at everything.
const MOST_LOOKS: usize = 40_000_000;

/// Rounds in which the triangles are measured, each evenly over the list, so that what is left out when there were too
/// many looks is left out everywhere.
const ROUNDS: usize = 64;

/// The distance of two surfaces: of points on each from the other. Every corner is measured, and large triangles in
/// many places; of surfaces with more than 50,000 triangles about as many of them, evenly over the list, and fewer where
/// finding what is nearest takes too long.
pub fn surface_distance(a: &[Corners], b: &[Corners]) -> SurfaceDistance {
    let area = |list: &[Corners]| list.iter().map(|t| f64::from(double_area(t))).sum::<f64>();
    let all = a.len() + b.len();
    let mean_area = ((area(a) + area(b)) / all.max(1) as f64) as f32;
    let mut sum = 0.0;
    let mut distance = SurfaceDistance::default();
    let (to_a, to_b) = parallel::both(|| Tree::new(a), || Tree::new(b));
    for (from, tree) in [(a, &to_b), (b, &to_a)] {
        let mut looks = 0;
        let step = from.len().div_ceil(MOST_MEASURED).max(1);
        let measure = |triangle: &Corners| {
            let cells = (double_area(triangle) / mean_area.max(f32::MIN_POSITIVE)).sqrt().ceil() * 2.0;
            tree.distances(grid(triangle, (cells as usize).clamp(2, FINEST)))
        };
        for round in 0..ROUNDS {
            let triangles: Vec<&Corners> = from.iter().step_by(step).skip(round).step_by(ROUNDS).collect();
            // Side by side, and put together in their order: so the sum is the same on any number of cores.
            let measured = parallel::map_few(&triangles, |triangle| measure(triangle));
            for (offs, looked) in measured {
                if looks > MOST_LOOKS {
                    break;
                }
                looks += looked;
                for off in offs {
                    distance.points += 1;
                    distance.max = distance.max.max(off);
                    sum += off;
                }
            }
            if looks > MOST_LOOKS {
                break;
            }
        }
    }
    distance.mean = if distance.points == 0 { 0.0 } else { sum / distance.points as f64 };
    distance
}

/// How far each point is from a surface, in their order; not a number where the surface has no triangle, and for the points
/// that are left when looking for what is nearest takes too long.
pub fn distances_to_surface(surface: &[Corners], points: &[Vec3]) -> Vec<f32> {
    let tree = Tree::new(surface);
    let (mut looks, mut open) = (0, Vec::new());
    // Points that follow each other mostly lie near each other.
    let mut last = None;
    let mut distance = |point: &Vec3| {
        let in_time = looks <= 10 * MOST_LOOKS;
        let found = in_time.then(|| tree.nearest(point.as_dvec3(), last, &mut open, &mut looks)).flatten();
        last = found.map(|(_, nearest)| nearest).or(last);
        found.map_or(f32::NAN, |(off, _)| off as f32)
    };
    points.iter().map(&mut distance).collect()
}

fn double_area([a, b, c]: &Corners) -> f32 {
    (*b - *a).cross(*c - *a).length()
}

/// The points of a triangle on a grid of so many cells along each side, the corners included.
fn grid([a, b, c]: &Corners, cells: usize) -> impl Iterator<Item = Vec3> {
    let (origin, u, v) = (*a, (*b - *a) / cells as f32, (*c - *a) / cells as f32);
    (0..=cells).flat_map(move |i| (0..=cells - i).map(move |j| origin + u * i as f32 + v * j as f32))
}

/// Triangles in boxes in boxes, to find the nearest one quickly.
struct Tree {
    /// In the order of the boxes.
    triangles: Vec<Corners>,
    /// Each box is followed by its first half with all that is in it.
    boxes: Vec<TreeBox>,
}

#[derive(Clone, Copy)]
struct TreeBox {
    min: Vec3,
    max: Vec3,
    /// The first of the triangles in it.
    first: u32,
    /// How many there are.
    count: u32,
    /// Its second half; 0 for the smallest boxes.
    second: u32,
}

/// A triangle on its way to its box: three times its middle, and its number.
type Middle = ([f32; 3], u32);

/// Triangles in the smallest boxes.
const LEAF: usize = 4;

impl Tree {
    fn new(triangles: &[Corners]) -> Self {
        let middle = |[a, b, c]: &Corners| (*a + *b + *c).to_array();
        let mut middles: Vec<Middle> = triangles.iter().map(middle).zip(0..).collect();
        let mut tree = Self { triangles: Vec::new(), boxes: Vec::new() };
        if !triangles.is_empty() {
            tree.boxes.reserve(4 * triangles.len() / LEAF);
            tree.split(&mut middles);
            tree.triangles = middles.iter().map(|(_, number)| triangles[*number as usize]).collect();
            tree.bound();
        }
        tree
    }

    /// Puts triangles into boxes, half of them into each, across the longest side.
    fn split(&mut self, all: &mut [Middle]) {
        // What is still to be split: its first triangle, how many, and the box whose second half it is.
        let mut open: Vec<(usize, usize, Option<u32>)> = vec![(0, all.len(), None)];
        while let Some((first, count, of)) = open.pop() {
            let index = self.boxes.len() as u32;
            if let Some(of) = of {
                self.boxes[of as usize].second = index;
            }
            let (min, max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
            self.boxes.push(TreeBox { min, max, first: first as u32, count: count as u32, second: 0 });
            if count > LEAF {
                let part = &mut all[first..first + count];
                let axis = longest_side(part);
                let half = count / 2;
                part.select_nth_unstable_by(half, |a, b| a.0[axis].total_cmp(&b.0[axis]).then(a.1.cmp(&b.1)));
                open.push((first + half, count - half, Some(index)));
                open.push((first, half, None));
            }
        }
    }

    /// Makes the boxes as large as what is in them.
    fn bound(&mut self) {
        for index in (0..self.boxes.len()).rev() {
            let TreeBox { first, count, second, .. } = self.boxes[index];
            let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
            if second == 0 {
                for corner in self.triangles[first as usize..(first + count) as usize].as_flattened() {
                    min = min.min(*corner);
                    max = max.max(*corner);
                }
            } else {
                for half in [index + 1, second as usize] {
                    min = min.min(self.boxes[half].min);
                    max = max.max(self.boxes[half].max);
                }
            }
            self.boxes[index].min = min;
            self.boxes[index].max = max;
        }
    }

    /// How far points that lie near each other are from the nearest triangle, where there is one, and how much was
    /// looked at for that.
    fn distances(&self, points: impl Iterator<Item = Vec3>) -> (Vec<f64>, usize) {
        let mut looks = 0;
        let mut open = Vec::new();
        // What was nearest to the last point is probably near to this one.
        let mut last = None;
        let mut found = Vec::new();
        for point in points.map(|point| point.as_dvec3()) {
            last = self.nearest(point, last.map(|(_, nearest)| nearest), &mut open, &mut looks);
            found.extend(last.map(|(off, _)| off));
        }
        (found, looks)
    }

    /// How far a point is from the nearest triangle, and which that is, counting what was looked at. The guess is one that
    /// is probably near.
    fn nearest(
        &self,
        point: DVec3,
        guess: Option<usize>,
        open: &mut Vec<(f64, usize)>,
        looks: &mut usize,
    ) -> Option<(f64, usize)> {
        let to_box = |index: usize| {
            let bounds = &self.boxes[index];
            let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
            (min - point).max(point - max).max(DVec3::ZERO).length_squared()
        };
        let to_triangle = |index: usize| nearest_point(&self.triangles[index], point).distance_squared(point);
        let mut best = guess.map_or((f64::INFINITY, 0), |guess| (to_triangle(guess), guess));
        open.clear();
        if !self.boxes.is_empty() {
            open.push((to_box(0), 0));
        }
        while let Some((near, index)) = open.pop() {
            if near >= best.0 {
                continue;
            }
            *looks += 1;
            let TreeBox { first, count, second, .. } = self.boxes[index];
            if second == 0 {
                *looks += count as usize;
                for index in first as usize..(first + count) as usize {
                    let off = to_triangle(index);
                    if off < best.0 {
                        best = (off, index);
                    }
                }
            } else {
                let [one, other] = [index + 1, second as usize].map(|half| (to_box(half), half));
                // The nearer one is looked at first.
                let (nearer, farther) = if one.0 < other.0 { (one, other) } else { (other, one) };
                open.extend([farther, nearer].into_iter().filter(|half| half.0 < best.0));
            }
        }
        best.0.is_finite().then(|| (best.0.sqrt(), best.1))
    }
}

/// The axis along which middles are spread the most.
fn longest_side(middles: &[Middle]) -> usize {
    let (mut min, mut max) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for (middle, _) in middles {
        for axis in 0..3 {
            min[axis] = min[axis].min(middle[axis]);
            max[axis] = max[axis].max(middle[axis]);
        }
    }
    let [x, y, z] = [0, 1, 2].map(|axis| max[axis] - min[axis]);
    if x >= y && x >= z { 0 } else { usize::from(z > y) + 1 }
}

/// The point of a triangle that is nearest to a point: inside, on a side, or a corner.
fn nearest_point(triangle: &Corners, point: DVec3) -> DVec3 {
    let [a, b, c] = triangle.map(|corner| corner.as_dvec3());
    let (ab, ac, ap) = (b - a, c - a, point - a);
    let normal = ab.cross(ac);
    let squared = normal.length_squared();
    if squared > 0.0 {
        let v = ap.cross(ac).dot(normal) / squared;
        let w = ab.cross(ap).dot(normal) / squared;
        if v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
            return a + ab * v + ac * w;
        }
    }
    let on_side = |from: DVec3, to: DVec3| {
        let along = to - from;
        let t = (point - from).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
        from + along * t.clamp(0.0, 1.0)
    };
    let sides = [on_side(a, b), on_side(b, c), on_side(c, a)];
    let nearer =
        |x: DVec3, y: DVec3| if x.distance_squared(point) <= y.distance_squared(point) { x } else { y };
    nearer(nearer(sides[0], sides[1]), sides[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plate_above_another_is_as_far_as_it_is_high() {
        let plate = |y: f32| -> Vec<Corners> {
            let corner = |x: i32, z: i32| Vec3::new(x as f32, y, z as f32);
            (0..20)
                .flat_map(|x| (0..20).map(move |z| (x, z)))
                .flat_map(|(x, z)| {
                    let [a, b, c, d] =
                        [corner(x, z), corner(x, z + 1), corner(x + 1, z + 1), corner(x + 1, z)];
                    [[a, b, c], [a, c, d]]
                })
                .collect()
        };
        let found = surface_distance(&plate(0.0), &plate(0.25));
        assert!((found.max - 0.25).abs() < 1e-6 && (found.mean - 0.25).abs() < 1e-6, "{found:?}");
        assert_eq!(surface_distance(&plate(1.0), &plate(1.0)).max, 0.0);
        // A part that is missing counts too.
        let half = &plate(0.0)[..400];
        assert!((surface_distance(&plate(0.0), half).max - 10.0).abs() < 1e-5);
        assert_eq!(surface_distance(&[], &plate(0.0)).points, 0);
        // Of very many triangles some are enough.
        let many: Vec<Corners> = plate(0.0).into_iter().cycle().take(120_000).collect();
        let found = surface_distance(&many, &plate(0.25));
        assert!(found.points < 500_000 && (found.max - 0.25).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn points_over_a_triangle_are_as_far_as_they_are_high() {
        let floor = [[Vec3::ZERO, Vec3::X * 9.0, Vec3::Z * 9.0]];
        // Over the middle, where no corner is near; beyond a corner; in it.
        let points = [Vec3::new(3.0, 0.5, 3.0), Vec3::new(-3.0, 4.0, 0.0), Vec3::new(1.0, 0.0, 1.0)];
        assert_eq!(distances_to_surface(&floor, &points), [0.5, 5.0, 0.0]);
        assert!(distances_to_surface(&[], &points).iter().all(|off| off.is_nan()));
    }

    #[test]
    fn where_everything_is_near_looking_ends() {
        // Spikes that all go through one point: no box leaves any of them out.
        let spike = |i: u32| {
            let end = Vec3::from_array([i, i * 7 % 1000, i * 31 % 1000].map(|x| (x as f32 - 500.0) * 1e35));
            [-end, end, end + Vec3::splat(1e34)]
        };
        let spikes: Vec<Corners> = (0..20_000).map(|i| spike(i % 1000)).collect();
        let tree = Tree::new(&spikes);
        let mut looks = 0;
        let nearest = tree.nearest(DVec3::ZERO, None, &mut Vec::new(), &mut looks);
        assert!(nearest.is_some_and(|(off, _)| off < 1e33));
        let moved: Vec<Corners> = spikes.iter().map(|spike| spike.map(|p| p + Vec3::splat(1e36))).collect();
        let found = surface_distance(&spikes, &moved);
        assert!(found.points > 0 && found.max.is_finite(), "{found:?}");
    }
}
