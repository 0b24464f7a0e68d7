//! What draws nothing, removed.

use std::collections::HashSet;

use glam::DVec3;

use super::{compact, first_equal};
use crate::scene::{Primitive, Scene, Topology};

/// What cleaning removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    /// Triangles without area and lines without length.
    pub degenerate: usize,
    /// Triangles and lines that were there already.
    pub duplicates: usize,
    /// Vertices that nothing uses any more, or never did.
    pub unused_vertices: usize,
}

/// Removes triangles without area, lines without length, triangles and lines that repeat an earlier one of the same
/// primitive, and vertices that nothing uses. Nothing that can be seen changes, but where a duplicate was seen through.
///
/// Where vertices can move (on joints or by morph targets) a triangle without area may open, so there only those go
/// that use a vertex twice. A triangle that faces the other way is no duplicate.
pub fn clean(scene: &mut Scene) -> Cleaned {
    let mut report = Cleaned::default();
    for primitive in scene.meshes.values_mut().flat_map(|mesh| &mut mesh.primitives) {
        clean_primitive(primitive, &mut report);
    }
    report
}

fn clean_primitive(primitive: &mut Primitive, report: &mut Cleaned) {
    // Equal vertices count as one, so that triangles of a soup are known again.
    let first = first_equal(primitive);
    let moves = !primitive.joints.is_empty() || !primitive.targets.is_empty();
    let same = |i: &u32| first.get(*i as usize).copied().unwrap_or(*i);
    let point = |i: u32| {
        let position = primitive.positions.get(i as usize).copied().unwrap_or_default();
        DVec3::from_array(position.map(f64::from))
    };
    let is_degenerate = |corners: &[u32]| match *corners {
        [a, b, c] => {
            let flat = || (point(b) - point(a)).cross(point(c) - point(a)) == DVec3::ZERO;
            a == b || b == c || c == a || (!moves && flat())
        }
        [a, b] => a == b || (!moves && point(a) == point(b)),
        _ => false,
    };
    let per = match primitive.topology {
        Topology::Triangles => 3,
        Topology::Lines => 2,
        // What belongs together to a strip or loop stays together, and a point more is a point more.
        _ => 0,
    };
    let mut indices = primitive.indices.clone();
    if per > 0 {
        // Keys come from files, so the hash must be one that nobody can foresee. Only look-ups: its order shows nowhere.
        let mut seen: HashSet<[u32; 3]> = HashSet::new();
        indices.clear();
        for element in primitive.indices.chunks_exact(per) {
            let corners: Vec<u32> = element.iter().map(same).collect();
            if is_degenerate(&corners) {
                report.degenerate += 1;
            } else if !seen.insert(turned(&corners)) {
                report.duplicates += 1;
            } else {
                indices.extend(element);
            }
        }
    }
    let before = primitive.vertex_count();
    let cleaned = compact(primitive, indices);
    report.unused_vertices += before - cleaned.vertex_count();
    if cleaned.vertex_count() < before || cleaned.indices.len() < primitive.indices.len() {
        *primitive = cleaned;
    }
}

/// The corners from the smallest on, so that it does not matter with which one a triangle begins. A line may begin at
/// either end.
fn turned(corners: &[u32]) -> [u32; 3] {
    match *corners {
        [a, b, c] if a <= b && a <= c => [a, b, c],
        [a, b, c] if b <= a && b <= c => [b, c, a],
        [a, b, c] => [c, a, b],
        [a, b] => [a.min(b), a.max(b), u32::MAX],
        _ => [u32::MAX; 3],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Mesh, MorphTarget, assert_scene};

    fn primitive(topology: Topology, indices: &[u32]) -> Primitive {
        // 4 is where 0 is, and 5 is between 1 and 2.
        let positions = vec![
            [0.0; 3],
            [2.0, 0.0, 0.0],
            [0.0, 2.0, 0.0],
            [0.0, 0.0, 2.0],
            [0.0; 3],
            [1.0, 1.0, 0.0],
            [9.0; 3],
        ];
        Primitive { topology, indices: indices.to_vec(), positions, ..Primitive::default() }
    }

    #[test]
    fn what_draws_nothing_new_goes() {
        use Topology::{Lines, Points, Triangles};
        for (topology, indices, degenerate, duplicates, unused) in [
            (Triangles, &[0, 1, 2][..], 0, 0, 4),
            (Triangles, &[0, 1, 1, 0, 1, 2], 1, 0, 4),
            (Triangles, &[0, 4, 1, 0, 1, 2], 1, 0, 4),
            (Triangles, &[1, 5, 2, 0, 1, 2], 1, 0, 4),
            (Triangles, &[0, 1, 2, 1, 2, 4, 2, 1, 0], 0, 1, 4),
            (Lines, &[0, 1, 1, 0, 0, 4, 2, 3], 1, 1, 3),
            (Points, &[0, 0, 4], 0, 0, 5),
            (Triangles, &[], 0, 0, 7),
        ] {
            let mut scene = Scene::default();
            scene.meshes.push(Mesh { primitives: vec![primitive(topology, indices)], ..Mesh::default() });
            let report = clean(&mut scene);
            let expected = Cleaned { degenerate, duplicates, unused_vertices: unused };
            assert_eq!(report, expected, "{topology:?} {indices:?}");
            assert_scene(&scene);
            assert_eq!(clean(&mut scene), Cleaned::default(), "twice is as good as once");
        }
    }

    #[test]
    fn what_may_open_stays() {
        let mut scene = Scene::default();
        let mut primitive = primitive(Topology::Triangles, &[1, 5, 2, 1, 1, 2]);
        primitive.targets = vec![MorphTarget::default()];
        scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
        assert_eq!(clean(&mut scene).degenerate, 1);
    }
}
