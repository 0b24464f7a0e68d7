//! Cameras and lights with values that glTF does not allow, beside the nearest that it does.

use serde_json::{Map, Value};

use super::{exact, object};
use crate::scene::{Light, LightKind, Projection, float_from_json, float_to_json};

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

pub(in super::super) fn projection_to_json(projection: &Projection) -> Value {
    let mut members = Map::new();
    let mut put = |name: &str, value: Option<f32>| {
        if let Some(value) = value {
            members.insert(name.to_owned(), float_to_json(value));
        }
    };
    match *projection {
        Projection::Perspective { yfov, aspect, near, far } => {
            put("yfov", Some(yfov));
            put("aspect", aspect);
            put("near", Some(near));
            put("far", far);
        }
        Projection::Orthographic { xmag, ymag, near, far } => {
            put("xmag", Some(xmag));
            put("ymag", Some(ymag));
            put("near", Some(near));
            put("far", Some(far));
        }
    }
    Value::Object(members)
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

pub(in super::super) fn light_to_json(light: &Light) -> Value {
    let mut members = object([("color", exact(&light.color)), ("intensity", float_to_json(light.intensity))]);
    if let Some(range) = light.range {
        members.insert("range".to_owned(), float_to_json(range));
    }
    if let LightKind::Spot { inner, outer } = light.kind {
        members.insert("inner".to_owned(), float_to_json(inner));
        members.insert("outer".to_owned(), float_to_json(outer));
    }
    Value::Object(members)
}

/// A light with the values that glTF could not hold.
pub(in super::super) fn exact_light(value: &Value, light: &Light) -> Light {
    let number = |name: &str| value.get(name).and_then(float_from_json).filter(|x| x.is_finite());
    let color = value.get("color").and_then(Value::as_array).map(|list| {
        let list: Vec<f32> = list.iter().filter_map(float_from_json).filter(|x| x.is_finite()).collect();
        <[f32; 3]>::try_from(list).ok()
    });
    Light {
        kind: match (light.kind, number("inner"), number("outer")) {
            (LightKind::Spot { .. }, Some(inner), Some(outer)) => LightKind::Spot { inner, outer },
            (kind, ..) => kind,
        },
        color: color.flatten().unwrap_or(light.color),
        intensity: number("intensity").unwrap_or(light.intensity),
        range: number("range"),
        ..light.clone()
    }
}
