//! The camera that a file must have, where a Scene has none.

use glam::{Mat4, Vec3};

use super::Lowering;
use crate::diag::Aspect;
use crate::formats::bogle::added::{CAMERA, SIDE};
use crate::formats::bogle::model::{Camera, Instance, named};
use crate::formats::bogle::notes::{Note as _, SceneNote};
use crate::formats::bogle::tree::Place;
use crate::scene::{Hidden, Pose, Turn};

/// The field of view of an added camera.
const FOV: f32 = 0.7;
/// How much larger than the model the picture is.
const MARGIN: f32 = 1.15;

impl Lowering<'_> {
    /// The engine cannot draw without a main camera (engines.md BOGLE E14): the first in the tree becomes it, or one is
    /// added that sees the whole model from its front.
    pub(super) fn camera_for_engine(&mut self) {
        let was_added = SceneNote::of(&self.scene.extras).added_camera;
        let add = self.for_engine(self.scene_from_file()) || (was_added && self.purpose.serves_engine());
        if !add {
            return;
        }
        let mut eyes = self.places.iter().filter_map(|place| {
            let index = self.model.instances.get(place.instance)?.camera;
            named(&self.model.cameras, index).map(|camera| (index, camera.main != 0))
        });
        if eyes.clone().any(|(_, main)| main) {
            return;
        }
        if let Some((index, _)) = eyes.next() {
            if let Some(camera) = (index as usize).checked_sub(1).and_then(|i| self.model.cameras.get_mut(i))
            {
                camera.main = 1;
            }
            return;
        }
        self.add_camera();
    }

    fn add_camera(&mut self) {
        let Some(bounds) = Pose::rest(self.scene).bounds_with(self.scene, Hidden::Counts) else { return };
        let (min, max) = (bounds.min, bounds.max);
        let radius = ((max - min).length() / 2.0).max(1e-6);
        let distance = radius * MARGIN / crate::math::sin(FOV / 2.0);
        let centre = Turn::YUpToZUp.vec3((min + max) / 2.0);
        if !(centre.is_finite() && distance.is_finite()) {
            return;
        }
        // The front of a model looks along −Y; a camera that is turned by 90 degrees about X looks along +Y.
        let turn = Mat4::from_cols_array(&[
            1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0,
        ]);
        let place = Mat4::from_translation(centre - Vec3::Y * distance) * turn;
        self.model.cameras.push(Camera {
            kind: 0,
            name: CAMERA.as_bytes().to_vec(),
            width: SIDE,
            height: SIDE,
            near: distance / 100.0,
            far: distance + radius * 4.0,
            fov: FOV,
            main: 1,
        });
        let camera = super::number(self.model.cameras.len());
        let name = CAMERA.as_bytes().to_vec();
        self.model.instances.push(Instance {
            name,
            camera,
            matrix: place.to_cols_array(),
            ..Instance::default()
        });
        let instance = self.model.instances.len() - 1;
        self.places.push(Place { instance, parent: None, depth: 0 });
        let message = "a camera that sees the whole model: the engine cannot draw without one";
        self.losses.added(Aspect::Cameras, "cameras", message);
    }
}
