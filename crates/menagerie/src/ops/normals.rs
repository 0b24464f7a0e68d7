use glam::Vec3;

use crate::scene::Primitive;

/// The normal of a triangle, as long as twice its area.
pub fn face_normal(positions: &[[f32; 3]], triangle: [u32; 3]) -> Vec3 {
    let corner = |i: u32| positions.get(i as usize).copied().map_or(Vec3::ZERO, Vec3::from_array);
    let [a, b, c] = triangle.map(corner);
    (b - a).cross(c - a)
}

/// A unit normal for every vertex: the mean of its triangles by area, +Y where there is none.
pub fn smooth_normals(primitive: &Primitive) -> Vec<[f32; 3]> {
    let mut normals = vec![Vec3::ZERO; primitive.positions.len()];
    for &triangle in primitive.triangles() {
        let normal = face_normal(&primitive.positions, triangle);
        for corner in triangle {
            if let Some(sum) = normals.get_mut(corner as usize) {
                *sum += normal;
            }
        }
    }
    normals.into_iter().map(|sum| sum.try_normalize().unwrap_or(Vec3::Y).to_array()).collect()
}
