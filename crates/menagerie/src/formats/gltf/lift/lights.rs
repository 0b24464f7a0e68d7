//! Cameras and lights.

use serde_json::Value;

use super::super::extras::Lifting;
use super::super::json;
use super::super::notes::in_file::{CameraNote, LightNote};
use super::super::notes::in_scene::CameraKept;
use super::super::notes::lights::{allowed_light, allowed_projection};
use super::super::{codes, extension};
use super::{Lifter, floats};
use crate::scene::{Camera, Light, LightKind, Projection, float_from_json};

impl Lifter<'_> {
    pub(super) fn cameras(&mut self) {
        for (index, camera) in self.model.document.cameras.iter().enumerate() {
            let mut lifting = Lifting::new(camera.extras.as_ref(), &camera.extensions, &[]);
            let projection = match (&camera.perspective, &camera.orthographic) {
                (Some(p), None) => Some(Projection::Perspective {
                    yfov: p.yfov,
                    aspect: p.aspect_ratio,
                    near: p.znear,
                    far: p.zfar,
                }),
                (None, Some(o)) => {
                    Some(Projection::Orthographic { xmag: o.xmag, ymag: o.ymag, near: o.znear, far: o.zfar })
                }
                _ => None,
            };
            let inner = match (&camera.perspective, &camera.orthographic) {
                (Some(p), _) => (p.extras.clone(), p.extensions.clone()),
                (_, Some(o)) => (o.extras.clone(), o.extensions.clone()),
                _ => Default::default(),
            };
            lifting.keep(&CameraKept {
                projection_extras: inner.0,
                projection_extensions: Some(inner.1).filter(|extensions| !extensions.is_empty()),
            });
            let usable = projection.filter(|projection| match *projection {
                Projection::Perspective { yfov, aspect, near, far } => {
                    [yfov, near].iter().chain(&aspect).chain(&far).all(|x| x.is_finite())
                }
                Projection::Orthographic { xmag, ymag, near, far } => {
                    [xmag, ymag, near, far].iter().all(|x| x.is_finite())
                }
            });
            let mut projection = usable.unwrap_or_else(|| {
                let message = "the camera is neither perspective nor orthographic, or a number is not finite";
                self.report(&codes::CAMERA, format!("/cameras/{index}"), message);
                Projection::Perspective { yfov: 0.8, aspect: None, near: 0.1, far: None }
            });
            let note: CameraNote = lifting.take();
            if let Some(exact) = note.projection.and_then(|noted| noted.projection())
                && allowed_projection(&exact) == projection
            {
                projection = exact;
            }
            self.scene.cameras.push(Camera {
                name: camera.name.clone(),
                projection,
                extras: lifting.finish(),
            });
        }
    }

    pub(super) fn lights(&mut self) {
        let lights = self.model.document.extensions.get(extension::LIGHTS).and_then(|e| e.get("lights"));
        for (index, light) in lights.and_then(Value::as_array).into_iter().flatten().enumerate() {
            let at = format!("/extensions/{}/lights/{index}", extension::LIGHTS);
            let light = self.light(light, &at);
            self.scene.lights.push(light);
        }
    }

    fn light(&mut self, light: &Value, at: &str) -> Light {
        let empty = json::Object::new();
        let extensions = light.get("extensions").and_then(Value::as_object).unwrap_or(&empty);
        let mut lifting = Lifting::new(light.get("extras"), extensions, &[]);
        let number = |value: Option<&Value>| value.and_then(float_from_json).filter(|x| x.is_finite());
        let kind = match light.get("type").and_then(Value::as_str) {
            Some("directional") => LightKind::Directional,
            Some("spot") => {
                let spot = light.get("spot");
                let angle = |name: &str| number(spot.and_then(|spot| spot.get(name)));
                LightKind::Spot {
                    inner: angle("innerConeAngle").unwrap_or(0.0),
                    outer: angle("outerConeAngle").unwrap_or(std::f32::consts::FRAC_PI_4),
                }
            }
            Some("point") => LightKind::Point,
            _ => {
                self.report(
                    &codes::CAMERA,
                    format!("{at}/type"),
                    "the light is no point, spot or directional one",
                );
                LightKind::Point
            }
        };
        let color: Option<[f32; 3]> = light.get("color").and_then(floats);
        let note: LightNote = lifting.take();
        let mut result = Light {
            name: light.get("name").and_then(Value::as_str).unwrap_or_default().to_owned(),
            kind,
            color: color.filter(|c| c.iter().all(|x| x.is_finite())).unwrap_or([1.0; 3]),
            intensity: number(light.get("intensity")).unwrap_or(1.0),
            range: number(light.get("range")),
            attenuation: note.attenuation.map(|attenuation| attenuation.map(|x| x.0)),
            extras: Default::default(),
        };
        if let Some(noted) = note.light {
            let exact = noted.light(&result);
            if allowed_light(&exact) == allowed_light(&result) {
                result = exact;
            }
        }
        result.extras = lifting.finish();
        result
    }
}
