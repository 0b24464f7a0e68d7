//! Triangles and vertices in an order that is drawn fast.

use super::simplify::is_crowded;
use super::{cache_misses, select};
use crate::scene::{Primitive, Scene};

/// What ordering did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ordered {
    /// The triangles that were looked at.
    pub triangles: usize,
    /// Vertices that a graphics card computes for a triangle, before: from 0.5 for the best order to 3.
    pub misses_before: f64,
    /// The same after.
    pub misses_after: f64,
}

/// Puts triangles into an order in which graphics cards compute few vertices twice, and vertices into the order in which
/// the triangles first use them. What is drawn stays the same; a primitive whose order is better already keeps it.
pub fn order(scene: &mut Scene) -> Ordered {
    let mut report = Ordered::default();
    let (mut before, mut after) = (0, 0);
    for primitive in scene.meshes.values_mut().flat_map(|mesh| &mut mesh.primitives) {
        if primitive.triangles().is_empty() {
            continue;
        }
        report.triangles += primitive.triangles().len();
        before += cache_misses(primitive);
        order_triangles(primitive);
        order_vertices(primitive);
        after += cache_misses(primitive);
    }
    let mean = |misses: usize| misses as f64 / report.triangles.max(1) as f64;
    (report.misses_before, report.misses_after) = (mean(before), mean(after));
    report
}

fn order_triangles(primitive: &mut Primitive) {
    // Where thousands of triangles meet in a vertex, each step would look at all of them.
    if is_crowded(primitive.vertex_count(), &primitive.indices) {
        return;
    }
    let ordered = meshopt::optimize_vertex_cache(&primitive.indices, primitive.vertex_count());
    let before = cache_misses(primitive);
    let old = std::mem::replace(&mut primitive.indices, ordered);
    if cache_misses(primitive) >= before {
        primitive.indices = old;
    }
}

/// Vertices in the order of their first use; those that nothing uses come last, as they were.
fn order_vertices(primitive: &mut Primitive) {
    let mut places = vec![u32::MAX; primitive.vertex_count()];
    let mut vertices: Vec<u32> = Vec::with_capacity(primitive.vertex_count());
    let all = primitive.indices.iter().copied().chain(0..primitive.vertex_count() as u32);
    for vertex in all {
        if let Some(place) = places.get_mut(vertex as usize).filter(|place| **place == u32::MAX) {
            *place = vertices.len() as u32;
            vertices.push(vertex);
        }
    }
    let indices =
        primitive.indices.iter().map(|index| places.get(*index as usize).copied().unwrap_or(0)).collect();
    *primitive = select(primitive, &vertices, indices);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Mesh, assert_scene};

    #[test]
    fn a_shuffled_sheet_gets_a_good_order() {
        let side = 60u32;
        let corner = |x: u32, y: u32| y * (side + 1) + x;
        let mut triangles: Vec<[u32; 3]> = (0..side * side)
            .flat_map(|i| {
                let (x, y) = (i % side, i / side);
                let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1)];
                [[a, b, c], [a, c, d]]
            })
            .collect();
        let count = triangles.len();
        for i in 0..count {
            triangles.swap(i, (i * 7919 + 13) % count);
        }
        let positions = (0..(side + 1) * (side + 1)).map(|i| [i as f32, 0.0, 0.0]).collect();
        let indices = triangles.concat();
        let primitive = Primitive { positions, indices, ..Primitive::default() };
        let statistics =
            meshopt::analyze_vertex_cache(&primitive.indices, primitive.vertex_count(), 16, 0, 0);
        let mut scene = Scene::default();
        let mesh = scene.meshes.push(Mesh { primitives: vec![primitive.clone()], ..Mesh::default() });
        let report = order(&mut scene);
        assert!((report.misses_before - f64::from(statistics.acmr)).abs() < 1e-3, "{report:?}");
        assert!(report.misses_before > 2.0 && report.misses_after < 0.8, "{report:?}");
        let ordered = &assert_scene(&scene).meshes[mesh].primitives[0];
        let mut next = 0;
        for index in &ordered.indices {
            assert!(*index <= next, "{index} is used before {next}");
            next = next.max(index + 1);
        }
        let drawn = |p: &Primitive| {
            let mut list: Vec<[u32; 3]> = p
                .triangles()
                .iter()
                .map(|t| {
                    let mut t = t.map(|i| p.positions[i as usize][0] as u32);
                    let smallest = (0..3).min_by_key(|i| t[*i]).unwrap();
                    t.rotate_left(smallest);
                    t
                })
                .collect();
            list.sort_unstable();
            list
        };
        assert_eq!(drawn(ordered), drawn(&primitive));
    }
}
