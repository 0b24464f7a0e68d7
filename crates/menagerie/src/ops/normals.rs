//! Normals by area, and raw ones that a format kept.

use glam::Vec3;

use crate::scene::{CustomAttribute, Primitive, unit_vector};

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
    normals.into_iter().map(|sum| unit_vector(sum).unwrap_or(Vec3::Y).to_array()).collect()
}

/// Gives a primitive normals of any length, as files have them: they are made unit, and lengths other than one are kept
/// as the custom attribute `lengths`. Normals without a length are made from the triangles.
pub fn set_raw_normals(primitive: &mut Primitive, raw: &[[f32; 3]], lengths: &str) {
    let length = |normal: &[f32; 3]| {
        let length = Vec3::from_array(*normal).length();
        // The square of a shorter one has too few digits to divide by.
        if length.is_finite() && length > 1e-18 { length } else { 0.0 }
    };
    let list: Vec<f32> = raw.iter().map(length).collect();
    let made = if list.contains(&0.0) { smooth_normals(primitive) } else { Vec::new() };
    let unit = |(i, (normal, length)): (usize, (&[f32; 3], &f32))| match *length {
        0.0 => made.get(i).copied().unwrap_or([0.0, 1.0, 0.0]),
        length => (Vec3::from_array(*normal) / length).to_array(),
    };
    primitive.normals = raw.iter().zip(&list).enumerate().map(unit).collect();
    if list.iter().any(|length| (length - 1.0).abs() > 1e-6) {
        primitive.custom.insert(lengths.to_owned(), CustomAttribute { width: 1, values: list });
    }
}

/// Multiplies normals by the lengths that [`set_raw_normals`] kept.
pub fn restore_lengths(normals: &mut [[f32; 3]], primitive: &Primitive, lengths: &str) {
    if let Some(lengths) = primitive.custom.get(lengths) {
        for (normal, length) in normals.iter_mut().zip(&lengths.values) {
            *normal = normal.map(|x| x * length);
        }
    }
}

/// Forgets what formats kept about directions that are made anew: custom attributes whose name has `word` in it, such as
/// the lengths of raw normals and raw binormals. How many there were.
pub(super) fn forget_custom(primitive: &mut Primitive, word: &str) -> usize {
    let before = primitive.custom.len();
    primitive.custom.retain(|name, _| !name.contains(word));
    before - primitive.custom.len()
}
