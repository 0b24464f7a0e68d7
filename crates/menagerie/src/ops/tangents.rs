use glam::Vec3;

use crate::scene::Primitive;

/// A unit tangent for every vertex, along which u of the texture coordinates `uv_set` grows, with the sign of the
/// bitangent, which points where v becomes less: up in the picture. Vertices keep their number; where the mapping is
/// mirrored or has no direction, the larger part decides, or any direction at right angles to the normal is taken.
pub fn tangents(primitive: &Primitive, uv_set: usize) -> Vec<[f32; 4]> {
    let count = primitive.positions.len();
    let mut along_u = vec![Vec3::ZERO; count];
    let mut along_v = vec![Vec3::ZERO; count];
    let uvs = primitive.uvs.get(uv_set);
    for triangle in primitive.triangles() {
        let corner = |i: u32| {
            let position = primitive.positions.get(i as usize).copied().unwrap_or_default();
            let uv = uvs.and_then(|uvs| uvs.get(i as usize)).copied().unwrap_or_default();
            (Vec3::from_array(position), uv)
        };
        let [(a, [au, av]), (b, [bu, bv]), (c, [cu, cv])] = triangle.map(corner);
        let (e1, e2) = (b - a, c - a);
        let (u1, v1, u2, v2) = (bu - au, bv - av, cu - au, cv - av);
        // Twice the area in the picture, with its sign; the length of the sums weighs triangles by their size.
        let side = (u1 * v2 - u2 * v1).signum();
        let (u, v) = ((e1 * v2 - e2 * v1) * side, (e2 * u1 - e1 * u2) * side);
        for &i in triangle {
            if let (Some(to_u), Some(to_v)) = (along_u.get_mut(i as usize), along_v.get_mut(i as usize)) {
                *to_u += u;
                *to_v += v;
            }
        }
    }
    let normals = primitive.normals.iter().copied().map(Vec3::from_array).chain(std::iter::repeat(Vec3::Y));
    let directions = along_u.into_iter().zip(along_v).zip(normals);
    directions
        .map(|((u, v), normal)| {
            let flat = u - normal * normal.dot(u);
            let tangent = flat.try_normalize().unwrap_or_else(|| normal.any_orthonormal_vector());
            let sign = if normal.cross(tangent).dot(v) > 0.0 { -1.0 } else { 1.0 };
            tangent.extend(sign).to_array()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_that_lies_straight_has_tangents_to_the_right() {
        // u to the right, v down, seen from +Z: the bitangent is up, which is normal × tangent.
        let mut primitive = Primitive {
            indices: vec![0, 1, 2],
            positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            normals: vec![[0.0, 0.0, 1.0]; 3],
            uvs: vec![vec![[0.0, 1.0], [1.0, 1.0], [0.0, 0.0]]],
            ..Primitive::default()
        };
        assert_eq!(tangents(&primitive, 0), vec![[1.0, 0.0, 0.0, 1.0]; 3]);
        for uv in &mut primitive.uvs[0] {
            uv[0] = -uv[0];
        }
        assert_eq!(tangents(&primitive, 0), vec![[-1.0, 0.0, 0.0, -1.0]; 3]);
        for tangent in tangents(&primitive, 7) {
            assert_eq!(tangent[2], 0.0);
        }
    }
}
