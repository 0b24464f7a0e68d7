//! Cameras and lights with values that glTF does not allow, beside the nearest that it does.

use serde::{Deserialize, Serialize};

use super::{Float, all_finite, exactly, note};
use crate::scene::{Light, LightKind, Projection};

note! {
    /// A projection: the fields that its kind has.
    KeptProjection {
        yfov: Float,
        aspect: Float,
        xmag: Float,
        ymag: Float,
        near: Float,
        far: Float,
    }
}

note! {
    /// The numbers of a light.
    KeptLight {
        color: [Float; 3],
        intensity: Float,
        range: Float,
        inner: Float,
        outer: Float,
    }
}

/// A noted number that a Scene may have.
fn number(value: Option<Float>) -> Option<f32> {
    value.map(|x| x.0).filter(|x| x.is_finite())
}

/// The nearest projection that glTF allows.
pub(in super::super) fn allowed_projection(projection: &Projection) -> Projection {
    /// The nearest that a camera may see.
    const NEAREST: f32 = 1e-6;
    /// Just below half a turn.
    const WIDEST: f32 = std::f32::consts::PI - 1e-3;
    match *projection {
        Projection::Perspective { yfov, aspect, near, far } => {
            let near = if near > 0.0 { near } else { NEAREST };
            Projection::Perspective {
                yfov: if yfov > 0.0 { yfov.min(WIDEST) } else { 0.8 },
                aspect: aspect.filter(|&aspect| aspect > 0.0),
                near,
                far: far.filter(|&far| far > near),
            }
        }
        Projection::Orthographic { xmag, ymag, near, far } => {
            let near = near.max(0.0);
            let size = |x: f32| {
                if x > 0.0 {
                    x
                } else if x < 0.0 {
                    -x
                } else {
                    1.0
                }
            };
            let far = if far > near { far } else { near + near.abs().max(1.0) };
            Projection::Orthographic { xmag: size(xmag), ymag: size(ymag), near, far }
        }
    }
}

impl KeptProjection {
    pub(in super::super) fn of(projection: &Projection) -> Self {
        match *projection {
            Projection::Perspective { yfov, aspect, near, far } => Self {
                yfov: Some(Float(yfov)),
                aspect: aspect.map(Float),
                near: Some(Float(near)),
                far: far.map(Float),
                ..Self::default()
            },
            Projection::Orthographic { xmag, ymag, near, far } => Self {
                xmag: Some(Float(xmag)),
                ymag: Some(Float(ymag)),
                near: Some(Float(near)),
                far: Some(Float(far)),
                ..Self::default()
            },
        }
    }

    /// The projection; `None` where a number is missing.
    pub(in super::super) fn projection(&self) -> Option<Projection> {
        let near = number(self.near)?;
        if self.yfov.is_some() {
            let (aspect, far) = (number(self.aspect), number(self.far));
            return Some(Projection::Perspective { yfov: number(self.yfov)?, aspect, near, far });
        }
        Some(Projection::Orthographic {
            xmag: number(self.xmag)?,
            ymag: number(self.ymag)?,
            near,
            far: number(self.far)?,
        })
    }
}

/// The nearest light that glTF allows.
pub(in super::super) fn allowed_light(light: &Light) -> Light {
    use std::f32::consts::FRAC_PI_2;
    let kind = match light.kind {
        LightKind::Spot { inner, outer } => {
            // As a float, a quarter turn is a little more than a quarter turn.
            let outer = if outer > 0.0 { outer.min(FRAC_PI_2.next_down()) } else { 1e-3 };
            // The inner angle is less than the outer one, not equal to it.
            let inner = inner.clamp(0.0, outer);
            LightKind::Spot { inner: if inner < outer { inner } else { outer.next_down() }, outer }
        }
        kind => kind,
    };
    Light {
        kind,
        color: light.color.map(|x| x.clamp(0.0, 1.0)),
        intensity: light.intensity.max(0.0),
        range: light.range.filter(|&range| range > 0.0 && kind != LightKind::Directional),
        ..light.clone()
    }
}

impl KeptLight {
    pub(in super::super) fn of(light: &Light) -> Self {
        let (inner, outer) = match light.kind {
            LightKind::Spot { inner, outer } => (Some(Float(inner)), Some(Float(outer))),
            _ => (None, None),
        };
        Self {
            color: Some(exactly(light.color)),
            intensity: Some(Float(light.intensity)),
            range: light.range.map(Float),
            inner,
            outer,
        }
    }

    /// A light with the values that glTF could not hold.
    pub(in super::super) fn light(&self, light: &Light) -> Light {
        Light {
            kind: match (light.kind, number(self.inner), number(self.outer)) {
                (LightKind::Spot { .. }, Some(inner), Some(outer)) => LightKind::Spot { inner, outer },
                (kind, ..) => kind,
            },
            color: self.color.and_then(all_finite).unwrap_or(light.color),
            intensity: number(self.intensity).unwrap_or(light.intensity),
            range: number(self.range),
            ..light.clone()
        }
    }
}
