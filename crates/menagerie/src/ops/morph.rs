use glam::Vec3;

use crate::scene::{Primitive, unit_vector};

/// Puts the shape that some morph weights give into a primitive's own vertices; the targets are gone then.
pub fn bake_morphs(primitive: &mut Primitive, weights: &[f32]) {
    let targets = std::mem::take(&mut primitive.targets);
    for (target, &weight) in targets.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
        for (position, delta) in primitive.positions.iter_mut().zip(&target.positions) {
            *position = (Vec3::from_array(*position) + Vec3::from_array(*delta) * weight).to_array();
        }
        for (normal, delta) in primitive.normals.iter_mut().zip(&target.normals) {
            *normal = (Vec3::from_array(*normal) + Vec3::from_array(*delta) * weight).to_array();
        }
        for ([x, y, z, _], delta) in primitive.tangents.iter_mut().zip(&target.tangents) {
            [*x, *y, *z] = (Vec3::new(*x, *y, *z) + Vec3::from_array(*delta) * weight).to_array();
        }
        for (set, deltas) in primitive.uvs.iter_mut().zip(&target.uvs) {
            for (uv, delta) in set.iter_mut().zip(deltas) {
                *uv = [uv[0] + delta[0] * weight, uv[1] + delta[1] * weight];
            }
        }
        for (set, deltas) in primitive.colors.iter_mut().zip(&target.colors) {
            for (color, delta) in set.iter_mut().zip(deltas) {
                color.iter_mut().zip(delta).for_each(|(c, d)| *c += d * weight);
            }
        }
    }
    let unit = |v: Vec3, default: Vec3| unit_vector(v).unwrap_or(default).to_array();
    primitive.normals.iter_mut().for_each(|n| *n = unit(Vec3::from_array(*n), Vec3::Y));
    for [x, y, z, _] in &mut primitive.tangents {
        [*x, *y, *z] = unit(Vec3::new(*x, *y, *z), Vec3::X);
    }
}
