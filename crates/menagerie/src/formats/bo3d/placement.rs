//! Where entities are, as the engine computes it.

use glam::{Mat4, Quat, Vec3};

use super::TURN;

/// Where an entity is, as the engine sees it: scales multiply down the tree component by component, so that nothing is
/// ever sheared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Placement {
    pub(super) position: Vec3,
    pub(super) rotation: Quat,
    pub(super) scale: Vec3,
}

impl Placement {
    pub(super) const IDENTITY: Self =
        Self { position: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// From the fields of an entity or key. Numbers that are not finite become the default; a quaternion is made unit.
    pub(super) fn from_fields(position: [f32; 3], scale: [f32; 3], wxyz: [f32; 4]) -> Self {
        let [w, x, y, z] = wxyz;
        let finite = |value: f32, default: f32| if value.is_finite() { value } else { default };
        Self {
            position: Vec3::from_array(position.map(|p| finite(p, 0.0))),
            rotation: unit(Quat::from_xyzw(x, y, z, w)),
            scale: Vec3::from_array(scale.map(|s| finite(s, 1.0))),
        }
    }

    /// The same place in the other axes: the file's in the Scene's, or the Scene's in the file's.
    pub(super) fn turned(&self) -> Self {
        Self { position: TURN.vec3(self.position), rotation: TURN.quat(self.rotation), scale: self.scale }
    }

    /// The child's place in the world.
    pub(super) fn child(&self, local: &Self) -> Self {
        let place = Self {
            position: self.position + self.rotation * (local.position * self.scale),
            rotation: unit(self.rotation * local.rotation),
            scale: self.scale * local.scale,
        };
        // Farther away or larger than floats can say.
        match place.position.is_finite() && place.scale.is_finite() {
            true => place,
            false => Self { rotation: place.rotation, ..Self::IDENTITY },
        }
    }

    pub(super) fn matrix(&self) -> Mat4 {
        Mat4::from_scale_rotation_translation(self.scale, self.rotation, self.position)
    }

    /// The matrix that takes the child's space to its parent's, when it has to stand in a tree of matrices below a
    /// parent of this world scale; `None` where translation, rotation and scale say the same.
    pub(super) fn matrix_below(&self, parent_scale: Vec3) -> Option<Mat4> {
        // What floats round is no stretch.
        let spread = parent_scale.max_element() - parent_scale.min_element();
        let uniform = spread <= 1e-5 * parent_scale.abs().max_element();
        if uniform || self.rotation == Quat::IDENTITY || parent_scale.min_element().abs() < 1e-12 {
            return None;
        }
        let unscale = Mat4::from_scale(parent_scale.recip());
        let turn =
            Mat4::from_scale_rotation_translation(self.scale * parent_scale, self.rotation, Vec3::ZERO);
        let matrix = Mat4::from_translation(self.position) * unscale * turn;
        matrix.is_finite().then_some(matrix)
    }
}

/// The quaternion of unit length; none for one without length. One that is unit already keeps its bits.
fn unit(q: Quat) -> Quat {
    let length = q.length();
    if !length.is_finite() || length < 1e-20 {
        Quat::IDENTITY
    } else if (length - 1.0).abs() <= 1e-6 {
        q
    } else {
        q * (1.0 / length)
    }
}

/// Between two rotations as the engine goes: straight, and made unit again. The nearer sign of `b` is taken.
pub(super) fn nlerp(a: Quat, b: Quat, t: f32) -> Quat {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    unit(a * (1.0 - t) + b * t)
}

/// The largest angle in radians between the engine's way from one rotation to another and the arc of equal speed that
/// a Scene means.
pub(super) fn nlerp_error(a: Quat, b: Quat) -> f32 {
    // The two ways meet at the ends and in the middle; between these one sample in each half is near the largest.
    [0.2, 0.25, 0.75, 0.8].into_iter().map(|t| angle(nlerp(a, b, t), a.slerp(b, t))).fold(0.0, f32::max)
}

/// The angle between two rotations in radians; unlike an arc cosine it tells small angles from none.
pub(super) fn angle(a: Quat, b: Quat) -> f32 {
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let (difference, sum) = ((a - b).length(), (a + b).length());
    4.0 * crate::math::atan2(difference, sum)
}
