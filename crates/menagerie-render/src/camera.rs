//! Where a picture is taken from: one of the model's cameras, or one that frames the model from a side.

use glam::{Mat4, Vec3};
use menagerie::scene::{CameraId, Projection, Scene};

use crate::math::{sin_cos, tan, unit_or};

/// Which camera takes the picture.
#[derive(Clone, Debug, PartialEq)]
pub enum CameraChoice {
    /// One that shows the whole model from a side.
    Framing(Side),
    /// A camera of the model.
    Model(CameraId),
    /// This one.
    View(View),
}

impl Default for CameraChoice {
    fn default() -> Self {
        Self::Framing(Side::THREE_QUARTER)
    }
}

/// A side of the model, by angles in degrees. Left and right are the model's own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// How far around the model, from its front to its left.
    pub azimuth: f32,
    /// How far above the horizon.
    pub elevation: f32,
}

impl Side {
    /// From the front and a little from the left and above.
    pub const THREE_QUARTER: Self = Self { azimuth: 35.0, elevation: 22.0 };

    /// The sides that have a name.
    pub const NAMED: [(&'static str, Self); 7] = [
        ("three-quarter", Self::THREE_QUARTER),
        ("front", Self { azimuth: 0.0, elevation: 0.0 }),
        ("back", Self { azimuth: 180.0, elevation: 0.0 }),
        ("left", Self { azimuth: 90.0, elevation: 0.0 }),
        ("right", Self { azimuth: -90.0, elevation: 0.0 }),
        ("top", Self { azimuth: 0.0, elevation: 90.0 }),
        ("bottom", Self { azimuth: 0.0, elevation: -90.0 }),
    ];

    /// The directions of a camera on this side of a model that looks to `front`.
    pub(crate) fn orientation(self, front: Vec3) -> Orientation {
        let front = unit_or(Vec3::new(front.x, 0.0, front.z), Vec3::Z);
        let left = Vec3::Y.cross(front);
        let (sin_a, cos_a) = sin_cos(self.azimuth.to_radians());
        let (sin_e, cos_e) = sin_cos(self.elevation.to_radians());
        let right = left * cos_a - front * sin_a;
        let back = (front * cos_a + left * sin_a) * cos_e + Vec3::Y * sin_e;
        Orientation { right, up: back.cross(right), back }
    }
}

/// The directions of a camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Orientation {
    pub(crate) right: Vec3,
    pub(crate) up: Vec3,
    /// From what it looks at to the camera.
    pub(crate) back: Vec3,
}

impl Orientation {
    /// A place in the camera's directions.
    pub(crate) fn of(&self, point: Vec3) -> Vec3 {
        Vec3::new(self.right.dot(point), self.up.dot(point), self.back.dot(point))
    }

    /// The place that [`Self::of`] gave.
    pub(crate) fn to_world(self, place: Vec3) -> Vec3 {
        self.right * place.x + self.up * place.y + self.back * place.z
    }
}

/// How a camera shows the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lens {
    /// Far things are smaller. Half the width and height of what is shown at a distance of one.
    Perspective {
        /// Half the width.
        half_width: f32,
        /// Half the height.
        half_height: f32,
    },
    /// Far things are as large as near ones.
    Parallel {
        /// Half the width of what is shown.
        half_width: f32,
        /// Half the height.
        half_height: f32,
    },
}

/// A camera in its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Where it is.
    pub eye: Vec3,
    /// To the right of the picture.
    pub right: Vec3,
    /// To the top of the picture.
    pub up: Vec3,
    /// From what it looks at to the camera.
    pub back: Vec3,
    /// How it shows the world.
    pub lens: Lens,
    /// Nothing nearer is shown.
    pub near: f32,
    /// Nothing farther is shown.
    pub far: f32,
}

impl View {
    /// A place as the camera sees it: to the right, up, and away from it.
    pub(crate) fn seen(&self, point: Vec3) -> Vec3 {
        let offset = point - self.eye;
        Vec3::new(self.right.dot(offset), self.up.dot(offset), -self.back.dot(offset))
    }

    /// The ray through a place of the picture, both from −1 to 1, right and up: where it starts and where it goes.
    pub(crate) fn ray(&self, x: f32, y: f32) -> (Vec3, Vec3) {
        match self.lens {
            Lens::Perspective { half_width, half_height } => {
                (self.eye, self.right * (x * half_width) + self.up * (y * half_height) - self.back)
            }
            Lens::Parallel { half_width, half_height } => {
                (self.eye + self.right * (x * half_width) + self.up * (y * half_height), -self.back)
            }
        }
    }

    /// The direction from a place to the camera.
    pub(crate) fn towards(&self, point: Vec3) -> Vec3 {
        match self.lens {
            Lens::Perspective { .. } => unit_or(self.eye - point, self.back),
            Lens::Parallel { .. } => self.back,
        }
    }

    /// One of the model's cameras where its node puts it; `None` when it could show nothing. The height that it asks
    /// for is kept, and the width follows the picture.
    pub(crate) fn of_camera(projection: &Projection, world: Mat4, aspect: f32) -> Option<Self> {
        let back = unit_or(world.z_axis.truncate(), Vec3::ZERO);
        let up = world.y_axis.truncate();
        let up = unit_or(up - back * back.dot(up), Vec3::ZERO);
        let eye = world.w_axis.truncate();
        let (lens, near, far) = match *projection {
            Projection::Perspective { yfov, near, far, .. } => {
                let half_height = if yfov > 0.0 && yfov < 3.1 { tan(yfov * 0.5) } else { 0.0 };
                let lens = Lens::Perspective { half_width: half_height * aspect, half_height };
                (lens, near, far.unwrap_or(f32::INFINITY))
            }
            Projection::Orthographic { ymag, near, far, .. } => {
                let half_height = ymag.abs();
                (Lens::Parallel { half_width: half_height * aspect, half_height }, near, far)
            }
        };
        let (Lens::Perspective { half_height, .. } | Lens::Parallel { half_height, .. }) = lens;
        // A file without such planes has zeros there.
        let far = if far > near { far } else { f32::INFINITY };
        let near = if matches!(lens, Lens::Perspective { .. }) { near.max(1e-6) } else { near };
        let usable = half_height > 1e-6 && half_height.is_finite() && eye.is_finite() && near.is_finite();
        let directed = back != Vec3::ZERO && up != Vec3::ZERO;
        (usable && directed).then(|| Self { eye, right: up.cross(back), up, back, lens, near, far })
    }
}

/// The cameras of the shown scene with the names of what they hang on, in tree order.
pub fn cameras(scene: &Scene) -> Vec<(CameraId, String)> {
    let nodes = scene.shown().map(|root| scene.walk(&root.roots)).unwrap_or_default();
    let mut cameras = Vec::new();
    for node in nodes.into_iter().filter_map(|id| scene.nodes.get(id)) {
        let Some(id) = node.camera else { continue };
        let own = scene.cameras.get(id).map(|camera| camera.name.clone()).unwrap_or_default();
        cameras.push((id, if own.is_empty() { node.name.clone() } else { own }));
    }
    cameras
}
