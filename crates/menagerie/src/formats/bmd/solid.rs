//! What the document asks of the meshes that are solids of bones: closed, each place once, no triangle through another.

use glam::DVec3;

use super::model::Mesh;

/// Vertices that are where others are.
pub(super) fn same_places(mesh: &Mesh) -> usize {
    let mut places: Vec<[u32; 3]> =
        mesh.vertices.iter().map(|vertex| vertex.position().map(|x| (x + 0.0).to_bits())).collect();
    places.sort_unstable();
    places.dedup();
    mesh.vertices.len() - places.len()
}

/// Edges that do not belong to two triangles which go along them in opposite directions.
pub(super) fn open_edges(mesh: &Mesh) -> usize {
    let mut edges: Vec<(u32, u32)> = Vec::new();
    for [a, b, c] in mesh.faces.iter().flat_map(super::Face::triangles) {
        edges.extend([(a, b), (b, c), (c, a)]);
    }
    edges.sort_unstable();
    let alone = |(a, b): &&(u32, u32)| edges.binary_search(&(*b, *a)).is_err();
    edges.iter().filter(alone).count() + edges.windows(2).filter(|w| matches!(w, [a, b] if a == b)).count()
}

/// A triangle with the box around it.
struct Boxed {
    number: usize,
    corners: [DVec3; 3],
    low: DVec3,
    high: DVec3,
}

/// The first two triangles of which one passes through the other. Touching is none: positions of nine bits make neighbours
/// touch. Looks at no more pairs than are left.
pub(super) fn crossing(mesh: &Mesh, pairs: &mut usize) -> Option<(usize, usize)> {
    let at = |corner: u32| {
        let vertex = mesh.vertices.get(corner as usize)?;
        Some(DVec3::from(vertex.position().map(f64::from))).filter(|place| place.is_finite())
    };
    let boxed = |(number, [a, b, c]): (usize, [u32; 3])| {
        let corners = [at(a)?, at(b)?, at(c)?];
        let [a, b, c] = corners;
        Some(Boxed { number, corners, low: a.min(b).min(c), high: a.max(b).max(c) })
    };
    let triangles = mesh.faces.iter().flat_map(super::Face::triangles).enumerate();
    let mut triangles: Vec<Boxed> = triangles.filter_map(boxed).collect();
    triangles.sort_by(|a, b| a.low.x.total_cmp(&b.low.x));
    for (i, one) in triangles.iter().enumerate() {
        for other in triangles.iter().skip(i + 1).take_while(|other| other.low.x <= one.high.x) {
            *pairs = pairs.checked_sub(1)?;
            let near = one.low.cmple(other.high).all() && other.low.cmple(one.high).all();
            if near && (passes(&one.corners, &other.corners) || passes(&other.corners, &one.corners)) {
                return Some((one.number.min(other.number), one.number.max(other.number)));
            }
        }
    }
    None
}

/// Whether an edge of a triangle goes through the inside of another.
fn passes(edges: &[DVec3; 3], [a, b, c]: &[DVec3; 3]) -> bool {
    let [p, q, r] = edges;
    [(p, q), (q, r), (r, p)].into_iter().any(|(from, to)| {
        let sides = side(a, b, c, from) * side(a, b, c, to);
        let around = [side(from, to, a, b), side(from, to, b, c), side(from, to, c, a)];
        sides < 0.0 && (around.iter().all(|side| *side > 0.0) || around.iter().all(|side| *side < 0.0))
    })
}

/// On which side of the plane of three points a fourth is: 1, -1, or 0 for in it, as far as rounding allows to say.
fn side(a: &DVec3, b: &DVec3, c: &DVec3, d: &DVec3) -> f64 {
    let (x, y, z) = (*b - *a, *c - *a, *d - *a);
    let volume = x.cross(y).dot(z);
    let sure = 1e-9 * x.length() * y.length() * z.length();
    if volume.abs() <= sure { 0.0 } else { volume.signum() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tetrahedron with its right angle at a place.
    fn tetrahedron(at: DVec3, size: f64) -> Vec<[DVec3; 3]> {
        let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| at + axis * size);
        vec![[at, y, x], [at, x, z], [x, y, z], [y, at, z]]
    }

    fn cross(one: &[[DVec3; 3]], other: &[[DVec3; 3]]) -> bool {
        one.iter().any(|a| other.iter().any(|b| passes(a, b) || passes(b, a)))
    }

    #[test]
    fn only_what_passes_through_crosses() {
        let still = tetrahedron(DVec3::ZERO, 64.0);
        let moved = |x, y, z| tetrahedron(DVec3::new(x, y, z), 64.0);
        assert!(!cross(&still, &still), "neighbours share edges");
        assert!(!cross(&still, &moved(64.0, 0.0, 0.0)), "a corner touches a corner");
        assert!(!cross(&still, &moved(0.0, 0.0, -64.0)), "a corner lies in a face");
        assert!(!cross(&still, &moved(200.0, 0.0, 0.0)), "they are apart");
        assert!(cross(&still, &moved(16.0, 16.0, -32.0)));
    }
}
