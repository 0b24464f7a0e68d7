//! Polygons to triangles.

use glam::{DVec2, DVec3};

/// Cuts a polygon into triangles; the result holds positions in the list of corners. A convex polygon becomes a fan from
/// its first corner; a concave one is cut ear by ear, in the plane that it lies in. What is no simple polygon (it crosses
/// itself, or has no area) becomes some triangles that use its corners, always two fewer than it has corners.
///
/// The time grows with the square of the number of corners of a concave polygon; one of more than 2048
/// becomes a fan, and so does what is left of one that was made to take longer.
pub fn triangulate(corners: &[[f32; 3]]) -> Vec<[u32; 3]> {
    match corners.len() {
        0..3 => Vec::new(),
        3 => vec![[0, 1, 2]],
        4 => match corners.first_chunk() {
            Some(quad) => cut_quad(*quad).to_vec(),
            None => Vec::new(),
        },
        n => {
            let flat = flatten(corners);
            if n > MOST_CORNERS || is_convex(&flat) { fan(n) } else { cut_ears(&flat) }
        }
    }
}

/// Cuts a quad into two triangles, along the diagonal that lies inside of it.
pub fn cut_quad(corners: [[f32; 3]; 4]) -> [[u32; 3]; 2] {
    let [a, b, c, d] = corners.map(|p| DVec3::from_array(p.map(f64::from)));
    let along_first = (b - a).cross(c - a).dot((c - a).cross(d - a));
    let along_second = (c - b).cross(d - b).dot((d - b).cross(a - b));
    // Both are good for a convex quad; the first is what everybody takes.
    if along_first < 0.0 && along_second > 0.0 { [[1, 2, 3], [1, 3, 0]] } else { [[0, 1, 2], [0, 2, 3]] }
}

/// Concave polygons with more corners than this are not cut by ears.
const MOST_CORNERS: usize = 2048;

fn fan(n: usize) -> Vec<[u32; 3]> {
    (2..n as u32).map(|i| [0, i - 1, i]).collect()
}

/// The polygon in its plane, counter-clockwise: the axis along which it is flattest is left out.
fn flatten(corners: &[[f32; 3]]) -> Vec<DVec2> {
    let points: Vec<DVec3> = corners.iter().map(|p| DVec3::from_array(p.map(f64::from))).collect();
    let origin = points.first().copied().unwrap_or_default();
    let next = points.iter().cycle().skip(1);
    let normal: DVec3 = points.iter().zip(next).map(|(a, b)| (*a - origin).cross(*b - origin)).sum();
    let size = normal.abs();
    let along = |p: &DVec3| {
        if size.z >= size.x && size.z >= size.y {
            DVec2::new(p.x, p.y * normal.z.signum())
        } else if size.x >= size.y {
            DVec2::new(p.y, p.z * normal.x.signum())
        } else {
            DVec2::new(p.z, p.x * normal.y.signum())
        }
    };
    points.iter().map(along).collect()
}

/// Twice the area to the left of the way a, b, c.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Whether no corner turns right, and the way goes round once only.
fn is_convex(points: &[DVec2]) -> bool {
    let n = points.len();
    let at = |i: usize| points.get(i % n).copied().unwrap_or_default();
    let left = (0..n).all(|i| turn(at(i), at(i + 1), at(i + 2)) >= 0.0);
    // A star turns left everywhere, but its fan does not.
    left && (2..n).all(|i| turn(at(0), at(i - 1), at(i)) >= 0.0)
}

/// Points that are looked at to cut a polygon, for each of its corners: more than twice what a simple one takes.
const MOST_LOOKS: usize = 2048;

fn cut_ears(points: &[DVec2]) -> Vec<[u32; 3]> {
    let mut looks_left = points.len().saturating_mul(MOST_LOOKS);
    let mut left: Vec<u32> = (0..points.len() as u32).collect();
    let at = |i: u32| points.get(i as usize).copied().unwrap_or_default();
    let mut triangles = Vec::with_capacity(points.len().saturating_sub(2));
    let mut start = 0;
    while left.len() > 3 && looks_left > 0 {
        let n = left.len();
        let corner = |i: usize| left.get(i % n).copied().unwrap_or_default();
        let mut is_ear = |i: usize| {
            let [a, b, c] = [corner(i + n - 1), corner(i), corner(i + 1)];
            let [pa, pb, pc] = [a, b, c].map(at);
            turn(pa, pb, pc) > 0.0
                && left.iter().all(|&other| {
                    looks_left = looks_left.saturating_sub(1);
                    let p = at(other);
                    other == a
                        || other == b
                        || other == c
                        || p == pa
                        || p == pb
                        || p == pc
                        || !is_inside(p, pa, pb, pc)
                })
        };
        // Without an ear it is no simple polygon; any corner is as good as another.
        let ear = (0..n).map(|i| (start + i) % n).find(|i| is_ear(*i)).unwrap_or(start % n);
        triangles.push([corner(ear + n - 1), corner(ear), corner(ear + 1)]);
        left.remove(ear);
        start = ear;
    }
    if let [first, others @ ..] = &left[..] {
        triangles.extend(others.windows(2).filter_map(|pair| Some([*first, *pair.first()?, *pair.last()?])));
    }
    triangles
}

fn is_inside(p: DVec2, a: DVec2, b: DVec2, c: DVec2) -> bool {
    turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> f32 {
        let area = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| glam::Vec3::from_array(points[i as usize]));
            (b - a).cross(c - a).length() / 2.0
        };
        triangles.iter().map(area).sum()
    }

    #[test]
    fn polygons_keep_their_area_and_direction() {
        let l_shape = [[0., 0.], [2., 0.], [2., 1.], [1., 1.], [1., 2.], [0., 2.]];
        let arrow = [[0., 0.], [2., -1.], [0.5, 0.], [2., 1.]];
        let square = [[0., 0.], [1., 0.], [1., 1.], [0., 1.]];
        let comb = [
            [0., 0.],
            [5., 0.],
            [5., 2.],
            [4., 2.],
            [4., 1.],
            [3., 1.],
            [3., 2.],
            [2., 2.],
            [2., 1.],
            [0., 1.],
        ];
        let cases: [(&[[f32; 2]], f32); 4] = [(&l_shape, 3.0), (&arrow, 0.5), (&square, 1.0), (&comb, 7.0)];
        for (polygon, expected) in cases {
            for turned in 0..polygon.len() {
                for plane in 0..6 {
                    let mut points: Vec<[f32; 3]> = polygon
                        .iter()
                        .map(|[x, y]| match plane {
                            0 => [*x, *y, 3.0],
                            1 => [7.0, *x, *y],
                            2 => [*y, -1.0, *x],
                            3 => [*y, *x, 3.0],
                            4 => [7.0, *y, *x],
                            _ => [*x, *y, *x + *y],
                        })
                        .collect();
                    points.rotate_left(turned);
                    let triangles = triangulate(&points);
                    assert_eq!(triangles.len(), polygon.len() - 2);
                    let factor = if plane == 5 { 3f32.sqrt() } else { 1.0 };
                    let found = area(&points, &triangles);
                    assert!(
                        (found - expected * factor).abs() < 1e-4,
                        "{points:?}: {triangles:?} has {found}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_star_made_to_have_no_ears_is_cut_in_time() {
        // Every corner of the star but the last has the middle, which is the last, in its ear.
        let n = 2047;
        let angle = |i: usize| i as f32 * std::f32::consts::TAU * (n / 2 - 3) as f32 / n as f32;
        let mut star: Vec<[f32; 3]> = (0..n).map(|i| [angle(i).cos(), angle(i).sin(), 0.0]).collect();
        star.push([0.0; 3]);
        let start = std::time::Instant::now();
        assert_eq!(triangulate(&star).len(), n - 1);
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    }

    #[test]
    fn degenerate_polygons_still_give_triangles() {
        for n in [4, 5, 100, 5000] {
            assert_eq!(triangulate(&vec![[1.0; 3]; n]).len(), n - 2);
            let line: Vec<[f32; 3]> = (0..n).map(|i| [i as f32, 0.0, 0.0]).collect();
            assert_eq!(triangulate(&line).len(), n - 2);
        }
        assert!(triangulate(&[[0.0; 3]; 2]).is_empty());
    }
}
