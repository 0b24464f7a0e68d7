//! Cameras that show the whole model and fill the picture with it.

use glam::Vec3;

use crate::camera::{Lens, Orientation, View};
use crate::math::tan;

/// Half the field of view along the shorter side of the picture, in radians.
const HALF_FIELD: f32 = 0.26;

/// How much of the picture the model may fill.
const FILLED: f32 = 0.92;

/// How the picture is shaped and how the camera shows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) aspect: f32,
    pub(crate) parallel: bool,
}

/// What a picture shows at a distance of one, half its width and height.
fn tangents(aspect: f32) -> (f32, f32) {
    let half = tan(HALF_FIELD);
    if aspect >= 1.0 { (half * aspect, half) } else { (half, half / aspect) }
}

/// How far a set of points reaches in a camera's directions, which is all that framing needs to know about them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    min: Vec3,
    max: Vec3,
    /// The largest right + t·back, left + t·back, up + t·back, down + t·back.
    planes: [f32; 4],
    tangents: (f32, f32),
    orientation: Orientation,
}

impl Reach {
    /// `None` when there is no point.
    pub(crate) fn of(
        points: impl Iterator<Item = Vec3>,
        orientation: Orientation,
        aspect: f32,
    ) -> Option<Self> {
        let (tx, ty) = tangents(aspect);
        let (tx, ty) = (tx * FILLED, ty * FILLED);
        let mut reach = Self {
            min: Vec3::INFINITY,
            max: Vec3::NEG_INFINITY,
            planes: [f32::NEG_INFINITY; 4],
            tangents: (tx, ty),
            orientation,
        };
        for point in points {
            let p = orientation.of(point);
            reach.min = reach.min.min(p);
            reach.max = reach.max.max(p);
            let signed = [p.x + tx * p.z, tx * p.z - p.x, p.y + ty * p.z, ty * p.z - p.y];
            for (plane, signed) in reach.planes.iter_mut().zip(signed) {
                *plane = plane.max(signed);
            }
        }
        reach.min.is_finite().then_some(reach).filter(|reach| reach.max.is_finite())
    }

    /// The camera nearest to the points that shows all of them.
    pub(crate) fn view(&self, frame: Frame) -> View {
        let size = self.size();
        if frame.parallel {
            return self.parallel(frame.aspect, size);
        }
        let [right, left, up, down] = self.planes;
        let (tx, ty) = self.tangents;
        // At this place the frustum's planes touch the points on both sides.
        let z = ((right + left) / (2.0 * tx)).max((up + down) / (2.0 * ty));
        let eye = Vec3::new((right - left) * 0.5, (up - down) * 0.5, z.max(self.max.z + size * 1e-3));
        self.perspective(frame.aspect, eye, size)
    }

    /// How far from `target` a camera that looks straight at it must be to show all points.
    pub(crate) fn distance(&self, target: Vec3) -> f32 {
        let target = self.orientation.of(target);
        let [right, left, up, down] = self.planes;
        let (tx, ty) = self.tangents;
        let x = (right - target.x).max(left + target.x) / tx;
        let y = (up - target.y).max(down + target.y) / ty;
        (x.max(y) - target.z).max(self.max.z - target.z + self.size() * 1e-3)
    }

    /// A camera that looks straight at `target` from a distance.
    pub(crate) fn at(&self, target: Vec3, distance: f32, frame: Frame) -> View {
        let size = self.size();
        if frame.parallel {
            return self.parallel(frame.aspect, size.max(distance));
        }
        let eye = self.orientation.of(target) + Vec3::new(0.0, 0.0, distance);
        self.perspective(frame.aspect, eye, size)
    }

    /// The length of the box's diagonal; one for a single point, which has to be looked at from somewhere.
    fn size(&self) -> f32 {
        let size = (self.max - self.min).length();
        let tiny = self.max.abs().max(self.min.abs()).max_element() * 1e-6;
        if size > tiny && size > f32::MIN_POSITIVE { size } else { (tiny * 1e3).max(1.0) }
    }

    fn perspective(&self, aspect: f32, eye: Vec3, size: f32) -> View {
        let (half_width, half_height) = tangents(aspect);
        // Half way to the nearest point, so that numbers are spent on the model.
        let near = ((eye.z - self.max.z) * 0.5).max(size * 1e-4);
        self.place(eye, Lens::Perspective { half_width, half_height }, near)
    }

    fn parallel(&self, aspect: f32, size: f32) -> View {
        let half = (self.max - self.min) * (0.5 / FILLED);
        let half_height = half.y.max(half.x / aspect).max(size * 1e-3);
        let lens = Lens::Parallel { half_width: half_height * aspect, half_height };
        let centre = (self.min + self.max) * 0.5;
        let eye = Vec3::new(centre.x, centre.y, self.max.z + size);
        self.place(eye, lens, 0.0)
    }

    fn place(&self, eye: Vec3, lens: Lens, near: f32) -> View {
        let Orientation { right, up, back } = self.orientation;
        View { eye: self.orientation.to_world(eye), right, up, back, lens, near, far: f32::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::camera::Side;

    #[test]
    fn all_points_are_in_the_picture_and_some_are_near_its_border() {
        let points: Vec<Vec3> = (0..200)
            .map(|i| Vec3::new((i * 7 % 31) as f32, (i * 13 % 17) as f32, (i * 5 % 23) as f32))
            .collect();
        for (_, side) in Side::NAMED {
            for (aspect, parallel) in [(1.0, false), (2.0, false), (0.5, false), (1.5, true)] {
                let orientation = side.orientation(Vec3::Z);
                let reach = Reach::of(points.iter().copied(), orientation, aspect).unwrap();
                let view = reach.view(Frame { aspect, parallel });
                let mut widest = 0.0f32;
                for point in &points {
                    let p = view.seen(*point);
                    assert!(p.z > view.near);
                    let (x, y) = match view.lens {
                        Lens::Perspective { half_width, half_height } => {
                            (p.x / p.z / half_width, p.y / p.z / half_height)
                        }
                        Lens::Parallel { half_width, half_height } => (p.x / half_width, p.y / half_height),
                    };
                    widest = widest.max(x.abs()).max(y.abs());
                }
                assert!((0.9..0.93).contains(&widest), "{side:?} {aspect} {parallel}: {widest}");
            }
        }
    }

    #[test]
    fn a_single_point_has_a_camera_too() {
        for point in [Vec3::ZERO, Vec3::splat(1e6), Vec3::splat(-1e-30)] {
            let orientation = Side::THREE_QUARTER.orientation(Vec3::NEG_Z);
            let reach = Reach::of([point].into_iter(), orientation, 1.0).unwrap();
            let view = reach.view(Frame { aspect: 1.0, parallel: false });
            assert!(view.seen(point).z > view.near && view.near > 0.0, "{view:?}");
        }
    }
}
