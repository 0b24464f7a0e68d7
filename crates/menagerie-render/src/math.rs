//! Functions whose results are the same bits on every machine, unlike those of the system's library.

use glam::Vec3;

/// Sine and cosine of an angle in radians.
pub(crate) fn sin_cos(angle: f32) -> (f32, f32) {
    (libm::sinf(angle), libm::cosf(angle))
}

/// The tangent of an angle in radians.
pub(crate) fn tan(angle: f32) -> f32 {
    libm::tanf(angle)
}

/// 2 to the power of x.
pub(crate) fn exp2(x: f32) -> f32 {
    libm::exp2f(x)
}

/// The logarithm to base 2, to three digits: enough to choose a mip level. For values above zero.
pub(crate) fn rough_log2(x: f32) -> f32 {
    let bits = x.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    let mantissa = f32::from_bits((bits & 0x007F_FFFF) | 0x3F80_0000);
    // A parabola through the logarithm at 1, √2 and 2.
    exponent as f32 + (mantissa - 1.0) * (4.828_427 - mantissa) * 0.353_553_4
}

/// A vector of unit length in its direction, or another one where it has none.
pub(crate) fn unit_or(v: Vec3, other: Vec3) -> Vec3 {
    // The processor's square root: every one rounds it alike, and it is faster than glam's own.
    let length = v.length_squared().sqrt();
    if length > 1e-20 && length.is_finite() { v / length } else { other }
}

/// From a to b.
pub(crate) fn mix(a: f32, b: f32, t: f32) -> f32 {
    a + (b - a) * t
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_rough_logarithm_is_near() {
        for step in 1..4000 {
            let x = step as f32 * 0.01;
            assert!((super::rough_log2(x) - x.log2()).abs() < 0.02, "{x}");
        }
    }
}
