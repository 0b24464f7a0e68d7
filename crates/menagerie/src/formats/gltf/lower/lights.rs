//! Cameras and lights, as near as glTF allows them.

use serde_json::{Map, Value, json};

use super::super::extension;
use super::super::extras::{GLTF, Lowering};
use super::super::json;
use super::{Lowerer, exact, number, numbers, object};
use crate::diag::Aspect;
use crate::scene::{Camera, Light, LightKind, Projection, float_from_json, float_to_json};

impl Lowerer<'_> {
    pub(super) fn cameras(&mut self) {
        for (id, camera) in self.scene.cameras.iter() {
            let camera = self.camera(id.index(), camera);
            self.document.cameras.push(camera);
        }
    }

    fn camera(&mut self, index: usize, camera: &Camera) -> json::Camera {
        let mut lowering = Lowering::new(&camera.extras);
        let projection = allowed_projection(&camera.projection);
        if projection != camera.projection {
            lowering.put("projection", projection_to_json(&camera.projection));
            let message = "the camera has values that glTF does not allow; they are kept in extras";
            self.losses.noted(Aspect::Cameras, format!("cameras[{index}]"), message);
        }
        let kept = |field: &str| camera.extras.get(GLTF, field).cloned();
        let inner_extras = kept("projection_extras");
        let inner_extensions =
            kept("projection_extensions").and_then(|e| e.as_object().cloned()).unwrap_or_default();
        let mut result = json::Camera { name: camera.name.clone(), ..json::Camera::default() };
        match projection {
            Projection::Perspective { yfov, aspect, near, far } => {
                result.r#type = "perspective".to_owned();
                result.perspective = Some(json::Perspective {
                    aspect_ratio: aspect,
                    yfov,
                    zfar: far,
                    znear: near,
                    extras: inner_extras,
                    extensions: inner_extensions,
                    ..json::Perspective::default()
                });
            }
            Projection::Orthographic { xmag, ymag, near, far } => {
                result.r#type = "orthographic".to_owned();
                result.orthographic = Some(json::Orthographic {
                    xmag,
                    ymag,
                    zfar: far,
                    znear: near,
                    extras: inner_extras,
                    extensions: inner_extensions,
                    ..json::Orthographic::default()
                });
            }
        }
        (result.extras, result.extensions) = lowering.finish();
        result
    }

    pub(super) fn lights(&mut self, root: &mut Lowering) {
        let mut list = Vec::new();
        for (id, light) in self.scene.lights.iter() {
            list.push(self.light(id.index(), light));
        }
        if !list.is_empty() {
            root.extension(extension::LIGHTS, object([("lights", Value::Array(list))]));
        }
    }

    fn light(&mut self, index: usize, light: &Light) -> Value {
        let mut lowering = Lowering::new(&light.extras);
        let allowed = allowed_light(light);
        if allowed != *light {
            lowering.put("light", light_to_json(light));
        }
        if !nearly(&allowed, light) {
            let message = "the light has values that glTF does not allow; they are kept in extras";
            self.losses.noted(Aspect::Lights, format!("lights[{index}]"), message);
        }
        if let Some(attenuation) = light.attenuation {
            lowering.put("attenuation", exact(&attenuation));
        }
        let mut members = Map::new();
        if !light.name.is_empty() {
            members.insert("name".to_owned(), json!(light.name));
        }
        let kind = match allowed.kind {
            LightKind::Point => "point",
            LightKind::Directional => "directional",
            LightKind::Spot { inner, outer } => {
                let mut spot = Map::new();
                if inner != 0.0 {
                    spot.insert("innerConeAngle".to_owned(), number(inner));
                }
                if outer != std::f32::consts::FRAC_PI_4 {
                    spot.insert("outerConeAngle".to_owned(), number(outer));
                }
                members.insert("spot".to_owned(), Value::Object(spot));
                "spot"
            }
        };
        members.insert("type".to_owned(), json!(kind));
        if allowed.color != [1.0; 3] {
            members.insert("color".to_owned(), numbers(&allowed.color));
        }
        if allowed.intensity != 1.0 {
            members.insert("intensity".to_owned(), number(allowed.intensity));
        }
        if let Some(range) = allowed.range {
            members.insert("range".to_owned(), number(range));
        }
        let (extras, extensions) = lowering.finish();
        if !extensions.is_empty() {
            members.insert("extensions".to_owned(), Value::Object(extensions));
        }
        if let Some(extras) = extras {
            members.insert("extras".to_owned(), extras);
        }
        Value::Object(members)
    }
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

fn projection_to_json(projection: &Projection) -> Value {
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

/// Whether two lights differ by no more than rounding.
fn nearly(a: &Light, b: &Light) -> bool {
    let kinds = match (a.kind, b.kind) {
        (LightKind::Spot { inner, outer }, LightKind::Spot { inner: other_inner, outer: other_outer }) => {
            (inner - other_inner).abs() < 1e-6 && (outer - other_outer).abs() < 1e-6
        }
        (a, b) => a == b,
    };
    kinds && (a.color, a.intensity, a.range) == (b.color, b.intensity, b.range)
}

fn light_to_json(light: &Light) -> Value {
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
