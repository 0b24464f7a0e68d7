//! Tangents for vertices that have normals and texture coordinates.

use glam::{Vec2, Vec3};

use crate::scene::{Primitive, unit_vector};

/// A unit tangent for every vertex, with the sign of the bitangent, for normals of unit length and one set of texture
/// coordinates.
///
/// The tangent is the direction in which u grows, meant over the triangles of the vertex, and made orthogonal to the
/// normal; the bitangent is on the side where the picture's up is. It is a plain mean by area, not MikkTSpace: close to
/// what a baker uses, and not the same bits. Where the texture coordinates have no direction, any orthogonal one.
pub fn tangents(primitive: &Primitive, normals: &[[f32; 3]], uv_set: usize) -> Vec<[f32; 4]> {
    let count = primitive.positions.len();
    let mut along_u = vec![Vec3::ZERO; count];
    let mut upwards = vec![Vec3::ZERO; count];
    if let Some(uvs) = primitive.uvs.get(uv_set) {
        for triangle in primitive.triangles() {
            let Some((u, up)) = directions(primitive, uvs, *triangle) else { continue };
            for corner in triangle {
                let corner = *corner as usize;
                if let (Some(sum_u), Some(sum_up)) = (along_u.get_mut(corner), upwards.get_mut(corner)) {
                    *sum_u += u;
                    *sum_up += up;
                }
            }
        }
    }
    normals
        .iter()
        .zip(along_u.iter().zip(&upwards))
        .map(|(normal, (u, up))| {
            let normal = Vec3::from_array(*normal);
            let tangent = unit_vector(*u - normal * normal.dot(*u));
            let tangent = tangent.unwrap_or_else(|| normal.any_orthonormal_vector());
            let sign = if normal.cross(tangent).dot(*up) < 0.0 { -1.0 } else { 1.0 };
            tangent.extend(sign).to_array()
        })
        .collect()
}

/// Where u grows and where the picture's up is on a triangle, as long as its area; `None` without direction.
fn directions(primitive: &Primitive, uvs: &[[f32; 2]], triangle: [u32; 3]) -> Option<(Vec3, Vec3)> {
    let position = |i: u32| primitive.positions.get(i as usize).copied().map(Vec3::from_array);
    // v grows downwards.
    let uv = |i: u32| uvs.get(i as usize).map(|[u, v]| Vec2::new(*u, -*v));
    let [a, b, c] = triangle;
    let (ab, ac) = (position(b)? - position(a)?, position(c)? - position(a)?);
    let (uv_ab, uv_ac) = (uv(b)? - uv(a)?, uv(c)? - uv(a)?);
    let determinant = uv_ab.perp_dot(uv_ac);
    if determinant == 0.0 || !determinant.is_finite() {
        return None;
    }
    let area = ab.cross(ac).length() * determinant.signum();
    let u = unit_vector(ab * uv_ac.y - ac * uv_ab.y)? * area;
    let up = unit_vector(ac * uv_ab.x - ab * uv_ac.x)? * area;
    Some((u, up))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tangents_follow_u_and_the_sign_tells_mirrored_pictures() {
        let mut quad = Primitive {
            positions: vec![[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]],
            uvs: vec![vec![[0., 1.], [1., 1.], [1., 0.], [0., 0.]]],
            indices: vec![0, 1, 2, 0, 2, 3],
            ..Primitive::default()
        };
        let normals = [[0.0, 0.0, 1.0]; 4];
        assert_eq!(tangents(&quad, &normals, 0), [[1.0, 0.0, 0.0, 1.0]; 4]);
        quad.uvs[0].iter_mut().for_each(|uv| uv[0] = -uv[0]);
        assert_eq!(tangents(&quad, &normals, 0), [[-1.0, 0.0, 0.0, -1.0]; 4]);
        quad.uvs.clear();
        assert!(tangents(&quad, &normals, 0).iter().all(|t| t[2] == 0.0 && t[3] == 1.0));
    }
}
