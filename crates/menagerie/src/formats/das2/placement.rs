//! Transforms as the file has them.

use glam::{Mat4, Quat, Vec3, Vec4};

use super::model::Placement;
use crate::scene::Transform;

/// How far a quaternion's length may be from one to be kept as it is.
const UNIT: f32 = 1e-6;

/// The matrix that is stored row by row.
pub(super) fn matrix_of(rows: &[f32; 16]) -> Mat4 {
    Mat4::from_cols_array(rows).transpose()
}

/// A matrix row by row.
pub(super) fn rows_of(matrix: Mat4) -> [f32; 16] {
    matrix.transpose().to_cols_array()
}

/// The matrix without perspective; the identity where it is not finite.
pub(super) fn affine(matrix: Mat4) -> Mat4 {
    if !matrix.is_finite() {
        return Mat4::IDENTITY;
    }
    let column = |column: Vec4, w: f32| column.truncate().extend(w);
    Mat4::from_cols(
        column(matrix.x_axis, 0.0),
        column(matrix.y_axis, 0.0),
        column(matrix.z_axis, 0.0),
        column(matrix.w_axis, 1.0),
    )
}

/// The rotation that a quaternion means; none for one without length.
pub(super) fn rotation_of(raw: [f32; 4]) -> Quat {
    let q = Quat::from_array(raw);
    if (q.length() - 1.0).abs() <= UNIT {
        return q;
    }
    // Very long and very short ones do not become unit ones in one step of floats.
    let unit = q.normalize();
    if unit.is_finite() && (unit.length() - 1.0).abs() < 1e-3 { unit } else { Quat::IDENTITY }
}

/// Whether a rotation is stored other than as [`rotation_of`] gives it.
pub(super) fn is_changed(raw: [f32; 4]) -> bool {
    rotation_of(raw).to_array() != raw
}

impl Placement {
    /// The transform that it means.
    pub(super) fn transform(&self) -> Transform {
        let translation = Vec3::from_array(self.translation);
        Transform::Trs {
            translation: if translation.is_finite() { translation } else { Vec3::ZERO },
            rotation: rotation_of(self.rotation),
            scale: Vec3::splat(if self.scale.is_finite() { self.scale } else { 1.0 }),
        }
    }

    /// Whether it means that nothing is moved.
    pub(super) fn is_identity(&self) -> bool {
        self.transform() == Transform::IDENTITY
    }

    /// The placement that is nearest to a transform: the same, but with the mean of the scale factors.
    pub(super) fn nearest(transform: &Transform) -> Self {
        let (translation, rotation, scale, _) = transform.to_trs();
        let same = scale.x == scale.y && scale.y == scale.z;
        let scale = if same { scale.x } else { (scale.x + scale.y + scale.z) / 3.0 };
        Self { rotation: rotation.to_array(), translation: translation.to_array(), scale }
    }

    /// Whether two placements are the same but for rounding.
    pub(super) fn is_near(&self, other: &Self) -> bool {
        let (a, b) = (self.transform().matrix(), other.transform().matrix());
        let size = a.to_cols_array().into_iter().fold(1.0f32, |size, x| size.max(x.abs()));
        crate::scene::transform_distance(&a, &b) <= 1e-4 * size
    }
}

/// Whether a transform has the same scale along all axes and no shear, so that a [`Placement`] holds it exactly.
pub(super) fn is_uniform(transform: &Transform) -> bool {
    matches!(transform, Transform::Trs { scale, .. } if scale.x == scale.y && scale.y == scale.z)
}
