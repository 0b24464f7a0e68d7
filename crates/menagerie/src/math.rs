//! Functions whose last bit differs from machine to machine.
//!
//! With the feature `exact` they, and those of glam, are computed in software, so that every machine and the browser write
//! the same bytes. Without it they are the system's own, and programs that share our glam keep its fast paths.

macro_rules! functions {
    ($($name:ident, $double:ident, $libm:ident, $libm_double:ident, $std:ident ( $($argument:ident),* );)*) => {
        $(
            #[cfg(feature = "exact")]
            #[allow(dead_code, reason = "not every format needs every function")]
            pub(crate) fn $name($($argument: f32),*) -> f32 {
                libm::$libm($($argument),*)
            }

            #[cfg(feature = "exact")]
            #[allow(dead_code, reason = "not every format needs every function")]
            pub(crate) fn $double($($argument: f64),*) -> f64 {
                libm::$libm_double($($argument),*)
            }

            #[cfg(not(feature = "exact"))]
            #[allow(dead_code, reason = "not every format needs every function")]
            pub(crate) fn $name($($argument: f32),*) -> f32 {
                f32::$std($($argument),*)
            }

            #[cfg(not(feature = "exact"))]
            #[allow(dead_code, reason = "not every format needs every function")]
            pub(crate) fn $double($($argument: f64),*) -> f64 {
                f64::$std($($argument),*)
            }
        )*
    };
}

functions! {
    sin, sin_64, sinf, sin, sin(x);
    cos, cos_64, cosf, cos, cos(x);
    acos, acos_64, acosf, acos, acos(x);
    atan2, atan2_64, atan2f, atan2, atan2(y, x);
    pow, pow_64, powf, pow, powf(x, exponent);
}

/// The angle between two directions; unlike an arc cosine it tells small angles from none.
pub(crate) fn degrees_between(a: glam::Vec3, b: glam::Vec3) -> f32 {
    atan2(a.cross(b).length(), a.dot(b)).to_degrees()
}
