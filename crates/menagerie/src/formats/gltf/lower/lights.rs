//! Cameras and lights, as near as glTF allows them.

use serde_json::{Map, Value, json};

use super::super::extension;
use super::super::extras::Lowering;
use super::super::json;
use super::super::notes::in_file::{CameraNote, LightNote};
use super::super::notes::in_scene::CameraKept;
use super::super::notes::lights::{KeptLight, KeptProjection, allowed_light, allowed_projection};
use super::super::notes::{Note as _, exactly};
use super::{Lowerer, number, numbers, object};
use crate::diag::Aspect;
use crate::scene::{Camera, Light, LightKind, Projection};

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
            lowering.put(&CameraNote { projection: Some(KeptProjection::of(&camera.projection)) });
            let message = "the camera has values that glTF does not allow; they are kept in extras";
            self.losses.noted(Aspect::Cameras, format!("cameras[{index}]"), message);
        }
        let CameraKept { projection_extras: inner_extras, projection_extensions } =
            CameraKept::of(&camera.extras);
        let inner_extensions = projection_extensions.unwrap_or_default();
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
        lowering.put(&LightNote {
            light: (allowed != *light).then(|| KeptLight::of(light)),
            attenuation: light.attenuation.map(exactly),
        });
        if !nearly(&allowed, light) {
            let message = "the light has values that glTF does not allow; they are kept in extras";
            self.losses.noted(Aspect::Lights, format!("lights[{index}]"), message);
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
