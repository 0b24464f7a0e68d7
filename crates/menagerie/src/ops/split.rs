use std::collections::BTreeMap;

use crate::scene::{CustomAttribute, MorphTarget, Primitive, Topology};

/// Cuts a primitive of triangles into pieces of at most `limit` vertices. Triangles stay in order; vertices that no
/// triangle uses are left out. A limit below three is taken as three.
pub fn split_by_vertex_limit(primitive: &Primitive, limit: usize) -> Vec<Primitive> {
    let limit = limit.max(3);
    let mut pieces = Vec::new();
    let mut vertices: Vec<u32> = Vec::new();
    let mut place: BTreeMap<u32, u32> = BTreeMap::new();
    let mut indices = Vec::new();
    for triangle in primitive.triangles() {
        let mut new: Vec<u32> = triangle.iter().copied().filter(|v| !place.contains_key(v)).collect();
        new.sort_unstable();
        new.dedup();
        if vertices.len() + new.len() > limit {
            pieces.push(select(primitive, &vertices, std::mem::take(&mut indices)));
            vertices.clear();
            place.clear();
        }
        for vertex in triangle {
            let index = *place.entry(*vertex).or_insert_with(|| {
                vertices.push(*vertex);
                vertices.len() as u32 - 1
            });
            indices.push(index);
        }
    }
    if !indices.is_empty() {
        pieces.push(select(primitive, &vertices, indices));
    }
    pieces
}

/// The primitive with only some of its vertices, in the order given, and the indices given.
pub fn select(primitive: &Primitive, vertices: &[u32], indices: Vec<u32>) -> Primitive {
    fn pick<T: Copy>(stream: &[T], vertices: &[u32]) -> Vec<T> {
        vertices.iter().filter_map(|v| stream.get(*v as usize)).copied().collect()
    }
    fn sets<T: Copy>(sets: &[Vec<T>], vertices: &[u32]) -> Vec<Vec<T>> {
        sets.iter().map(|set| pick(set, vertices)).collect()
    }
    let targets = primitive.targets.iter().map(|target| MorphTarget {
        positions: pick(&target.positions, vertices),
        normals: pick(&target.normals, vertices),
        tangents: pick(&target.tangents, vertices),
        uvs: sets(&target.uvs, vertices),
        colors: sets(&target.colors, vertices),
        extras: target.extras.clone(),
    });
    let custom = primitive.custom.iter().map(|(name, attribute)| {
        let rows = vertices.iter().map(|v| *v as usize * attribute.width);
        let row = |start: usize| attribute.values.get(start..start + attribute.width).unwrap_or_default();
        let values = rows.flat_map(row).copied().collect();
        (name.clone(), CustomAttribute { width: attribute.width, values })
    });
    Primitive {
        topology: Topology::Triangles,
        indices,
        positions: pick(&primitive.positions, vertices),
        normals: pick(&primitive.normals, vertices),
        tangents: pick(&primitive.tangents, vertices),
        uvs: sets(&primitive.uvs, vertices),
        colors: sets(&primitive.colors, vertices),
        joints: sets(&primitive.joints, vertices),
        weights: sets(&primitive.weights, vertices),
        targets: targets.collect(),
        custom: custom.collect(),
        material: primitive.material,
        extras: primitive.extras.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_keep_the_triangles_and_the_limit() {
        let positions: Vec<[f32; 3]> = (0..100).map(|i| [i as f32, 0.0, 0.0]).collect();
        let indices: Vec<u32> = (0..98).flat_map(|i| [i, i + 1, i + 2]).collect();
        let whole = Primitive { positions, indices, ..Primitive::default() };
        let corners =
            |p: &Primitive| -> Vec<f32> { p.indices.iter().map(|i| p.positions[*i as usize][0]).collect() };
        for limit in [3, 4, 10, 99, 100] {
            let pieces = split_by_vertex_limit(&whole, limit);
            assert!(pieces.iter().all(|piece| piece.positions.len() <= limit));
            let all: Vec<f32> = pieces.iter().flat_map(&corners).collect();
            assert_eq!(all, corners(&whole), "limit {limit}");
        }
    }
}
