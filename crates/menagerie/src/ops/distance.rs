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
    let mut distance = |point: &Vec3| {
        let near = looks <= 10 * MOST_LOOKS;
        let off = near.then(|| tree.distance(point.as_dvec3(), f64::INFINITY, &mut open, &mut looks));
        off.flatten().map_or(f32::NAN, |off| off as f32)
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
struct Tree<'a> {
    triangles: &'a [Corners],
    order: Vec<u32>,
    boxes: Vec<TreeBox>,
}

struct TreeBox {
    min: Vec3,
    max: Vec3,
    /// The range of `order` that is inside.
    range: std::ops::Range<usize>,
    /// The two boxes inside; `None` for the smallest ones.
    halves: Option<[usize; 2]>,
}

/// Triangles in the smallest boxes.
const LEAF: usize = 8;

impl<'a> Tree<'a> {
    fn new(triangles: &'a [Corners]) -> Self {
        let sum = |triangle: &Corners, axis: usize| triangle.iter().map(|corner| corner[axis]).sum::<f32>();
        let centres: Vec<[f32; 3]> =
            triangles.iter().map(|triangle| [0, 1, 2].map(|axis| sum(triangle, axis))).collect();
        let mut tree = Self { triangles, order: (0..triangles.len() as u32).collect(), boxes: Vec::new() };
        if !triangles.is_empty() {
            let first = tree.bounds(0..triangles.len());
            tree.boxes.push(first);
        }
        let mut at = 0;
        while at < tree.boxes.len() {
            let range = tree.boxes[at].range.clone();
            if range.len() > LEAF {
                let size = tree.boxes[at].max - tree.boxes[at].min;
                let axis =
                    if size.x >= size.y && size.x >= size.z { 0 } else { usize::from(size.z > size.y) + 1 };
                let middle = range.start + range.len() / 2;
                let centre = |i: &u32| centres[*i as usize][axis];
                tree.order[range.clone()].select_nth_unstable_by(range.len() / 2, |a, b| {
                    centre(a).total_cmp(&centre(b)).then(a.cmp(b))
                });
                let halves = [tree.bounds(range.start..middle), tree.bounds(middle..range.end)];
                let first = tree.boxes.len();
                tree.boxes.extend(halves);
                tree.boxes[at].halves = Some([first, first + 1]);
            }
            at += 1;
        }
        tree
    }

    fn bounds(&self, range: std::ops::Range<usize>) -> TreeBox {
        let corners = self.order[range.clone()].iter().flat_map(|i| self.triangles[*i as usize]);
        let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for corner in corners {
            min = min.min(corner);
            max = max.max(corner);
        }
        TreeBox { min, max, range, halves: None }
    }

    /// How far points that lie near each other are from the nearest triangle, where there is one, and how much was
    /// looked at for that.
    fn distances(&self, points: impl Iterator<Item = Vec3>) -> (Vec<f64>, usize) {
        let mut looks = 0;
        let mut open = Vec::new();
        let mut last: Option<(DVec3, f64)> = None;
        let mut found = Vec::new();
        for point in points.map(|point| point.as_dvec3()) {
            // What was nearest to the last point is not farther from this one than that and the way between them.
            let bound = last.map(|(before, off)| (off + before.distance(point)) * (1.0 + 1e-6));
            let bound = bound.map_or(f64::INFINITY, |bound| bound * bound + f64::MIN_POSITIVE);
            if let Some(off) = self.distance(point, bound, &mut open, &mut looks) {
                last = Some((point, off));
                found.push(off);
            }
        }
        (found, looks)
    }

    /// How far a point is from the nearest triangle, counting what was looked at; `None` when there is none whose square
    /// of the distance is below `bound`.
    fn distance(
        &self,
        point: DVec3,
        bound: f64,
        open: &mut Vec<(f64, usize)>,
        looks: &mut usize,
    ) -> Option<f64> {
        let to_box = |index: usize| {
            let bounds = &self.boxes[index];
            let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
            (min - point).max(point - max).max(DVec3::ZERO).length_squared()
        };
        let mut best = f64::INFINITY;
        open.clear();
        if !self.boxes.is_empty() {
            open.push((to_box(0), 0));
        }
        while let Some((near, index)) = open.pop() {
            *looks += 1;
            if near >= best.min(bound) {
                continue;
            }
            match self.boxes[index].halves {
                Some(halves) => {
                    let [one, other] = halves.map(|half| (to_box(half), half));
                    // The nearer one is looked at first.
                    open.extend(if one.0 < other.0 { [other, one] } else { [one, other] });
                }
                None => {
                    let range = self.boxes[index].range.clone();
                    *looks += range.len();
                    for i in &self.order[range] {
                        let nearest = nearest_point(&self.triangles[*i as usize], point);
                        best = best.min(nearest.distance_squared(point));
                    }
                }
            }
        }
        best.is_finite().then(|| best.sqrt())
    }
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
        let nearest = tree.distance(DVec3::ZERO, f64::INFINITY, &mut Vec::new(), &mut looks);
        assert!(nearest.is_some_and(|off| off < 1e33));
        let moved: Vec<Corners> = spikes.iter().map(|spike| spike.map(|p| p + Vec3::splat(1e36))).collect();
        let found = surface_distance(&spikes, &moved);
        assert!(found.points > 0 && found.max.is_finite(), "{found:?}");
    }
}
