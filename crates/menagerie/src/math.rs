//! Functions whose last bit differs from machine to machine.
//!
//! With the feature `exact` they, and those of glam, are computed in software, so that every machine and the browser write
//! the same bytes. Without it they are the system's own, and programs that share our glam keep its fast paths.

macro_rules! functions {
    ($($name:ident: $float:ident, $libm:ident, $std:ident ( $($argument:ident),* );)*) => {
        $(
            #[cfg_attr(not(feature = "formats"), allow(dead_code, reason = "not every format needs every function"))]
            pub(crate) fn $name($($argument: $float),*) -> $float {
                #[cfg(feature = "exact")]
                return libm::$libm($($argument),*);
                #[cfg(not(feature = "exact"))]
                return $float::$std($($argument),*);
            }
        )*
    };
}

functions! {
    sin: f32, sinf, sin(x);
    cos: f32, cosf, cos(x);
    asin: f32, asinf, asin(x);
    log2: f32, log2f, log2(x);
    cos_64: f64, cos, cos(x);
    tan_64: f64, tan, tan(x);
    asin_64: f64, asin, asin(x);
    acos_64: f64, acos, acos(x);
    atan_64: f64, atan, atan(x);
    atan2: f32, atan2f, atan2(y, x);
    atan2_64: f64, atan2, atan2(y, x);
    pow: f32, powf, powf(x, exponent);
    pow_64: f64, pow, powf(x, exponent);
}

/// The angle between two directions; unlike an arc cosine it tells small angles from none.
pub(crate) fn degrees_between(a: glam::Vec3, b: glam::Vec3) -> f32 {
    atan2(a.cross(b).length(), a.dot(b)).to_degrees()
}
