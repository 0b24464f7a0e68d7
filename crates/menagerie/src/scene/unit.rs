//! Vectors of unit length.

use glam::Vec3;

/// A vector at unit length, however short or long it is; `None` when it has no direction.
///
/// ```
/// use glam::Vec3;
/// use menagerie::scene::unit_vector;
///
/// assert_eq!(unit_vector(Vec3::new(0.0, 1e-25, 0.0)), Some(Vec3::Y));
/// assert_eq!(unit_vector(Vec3::new(-2e30, 0.0, 0.0)), Some(Vec3::NEG_X));
/// assert_eq!(unit_vector(Vec3::ZERO), None);
/// ```
pub fn unit_vector(vector: Vec3) -> Option<Vec3> {
    // Squares beyond these have few digits left, or none.
    const SOUND: std::ops::Range<f32> = 1e-30..1e30;
    if SOUND.contains(&vector.length_squared()) {
        return vector.try_normalize();
    }
    let largest = vector.abs().max_element();
    if largest > 0.0 && vector.is_finite() { (vector / largest).try_normalize() } else { None }
}
