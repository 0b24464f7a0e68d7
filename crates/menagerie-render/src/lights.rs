//! What lights a picture: a studio that every model looks well in, or the lights of the model itself.
//!
//! Strengths are such that a white surface that faces a light of strength one is white in the picture.

use std::f32::consts::PI;

use glam::{Mat4, Vec3};
use menagerie::scene::{Bounds, Light, LightKind, NodeId, Pose, Scene};

use crate::camera::View;
use crate::math::{mix, sin_cos, unit_or};

/// Which lights shine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lights {
    /// The model's own in pictures of its own cameras, the studio's in all others.
    #[default]
    Auto,
    /// A studio that moves with the camera.
    Studio,
    /// The model's own; the studio's where it has none.
    Model,
    /// Only light from all sides.
    Ambient,
}

/// The lights of a picture.
#[derive(Clone, Debug)]
pub(crate) struct Rig {
    pub(crate) sources: Vec<Source>,
    /// Diffuse light from above and from below.
    pub(crate) sky: Vec3,
    pub(crate) ground: Vec3,
    /// What a mirror sees: above, at the horizon, below.
    pub(crate) mirrored: [Vec3; 3],
}

/// A light.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source {
    /// From far away.
    Distant {
        /// The direction to it.
        to: Vec3,
        color: Vec3,
    },
    /// From a place.
    Near { at: Vec3, color: Vec3, fading: Fading, cone: Option<Cone> },
}

/// How a light weakens with the distance.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fading {
    /// By the square, down to nothing at the range.
    Square { range: Option<f32> },
    /// By three factors: constant, linear, quadratic.
    Factors([f32; 3]),
}

/// Where a spot light shines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cone {
    axis: Vec3,
    cos_inner: f32,
    cos_outer: f32,
}

impl Source {
    /// The direction to the light and what of it arrives at a place.
    pub(crate) fn arriving(&self, place: Vec3) -> (Vec3, Vec3) {
        match *self {
            Self::Distant { to, color } => (to, color),
            Self::Near { at, color, fading, cone } => {
                let offset = at - place;
                let distance = offset.length();
                let to = unit_or(offset, Vec3::Y);
                let mut strength = fading.at(distance);
                if let Some(cone) = cone {
                    let cos = -cone.axis.dot(to);
                    let span = (cone.cos_inner - cone.cos_outer).max(1e-4);
                    let inside = ((cos - cone.cos_outer) / span).clamp(0.0, 1.0);
                    strength *= inside * inside;
                }
                (to, color * strength)
            }
        }
    }
}

impl Fading {
    fn at(self, distance: f32) -> f32 {
        match self {
            Self::Square { range } => {
                let square = 1.0 / (distance * distance).max(1e-8);
                let Some(range) = range.filter(|range| *range > 0.0) else { return square };
                let part = distance / range;
                let window = (1.0 - part * part * part * part).clamp(0.0, 1.0);
                square * window
            }
            Self::Factors([constant, linear, quadratic]) => {
                1.0 / (constant + linear * distance + quadratic * distance * distance).max(1e-4)
            }
        }
    }
}

impl Rig {
    /// The lights for a picture.
    pub(crate) fn new(lights: Lights, of_camera: bool, model: Model<'_>, view: &View) -> Self {
        let own = match lights {
            Lights::Model => true,
            Lights::Auto => of_camera,
            Lights::Studio | Lights::Ambient => false,
        };
        if own && let Some(rig) = Self::of_model(model) {
            return rig;
        }
        if lights == Lights::Ambient {
            return Self::surrounding(Vec3::splat(0.75), 1.0);
        }
        Self::studio(view)
    }

    /// A large light from the upper left of the camera, a weak one from the right, one from behind for the outline.
    fn studio(view: &View) -> Self {
        let light = |right: f32, up: f32, back: f32, strength: f32| {
            let to = unit_or(view.right * right + view.up * up + view.back * back, view.back);
            Source::Distant { to, color: Vec3::splat(strength) }
        };
        Self {
            sources: vec![
                light(-0.55, 0.75, 0.75, 0.78),
                light(0.9, 0.1, 0.55, 0.22),
                light(0.35, 0.55, -0.8, 0.3),
            ],
            sky: Vec3::splat(0.36),
            ground: Vec3::new(0.20, 0.19, 0.18),
            mirrored: [Vec3::splat(0.95), Vec3::splat(0.5), Vec3::splat(0.16)],
        }
    }

    fn surrounding(light: Vec3, strength: f32) -> Self {
        let light = light * strength;
        Self { sources: Vec::new(), sky: light, ground: light * 0.8, mirrored: [light; 3] }
    }

    /// The model's lights, made so strong together that the middle of the model is neither black nor white: what
    /// their numbers mean is not the same in any two engines. `None` when nothing of them arrives.
    fn of_model(model: Model<'_>) -> Option<Self> {
        let sources: Vec<Source> = model.lights().collect();
        let middle = model.bounds.map_or(Vec3::ZERO, |bounds| (bounds.min + bounds.max) * 0.5);
        let arriving: f32 =
            sources.iter().fold(0.0, |sum, source| sum + source.arriving(middle).1.max_element());
        let ambient =
            model.scene.ambient.map_or(Vec3::ZERO, |[r, g, b, _]| Vec3::new(r, g, b).max(Vec3::ZERO));
        let total = arriving + ambient.max_element();
        if sources.is_empty() || !(total > 1e-9 && total.is_finite()) {
            return None;
        }
        let exposure = total.clamp(0.8, 1.6) / total;
        let ambient = ambient * exposure + Vec3::splat(0.06);
        let mut rig = Self::surrounding(ambient, 1.0);
        rig.mirrored = [ambient * 2.0 + 0.1, ambient + 0.05, ambient * 0.5];
        rig.sources = sources.into_iter().map(|source| source.stronger(exposure)).collect();
        Some(rig)
    }

    /// Diffuse light from all sides on a surface.
    pub(crate) fn ambient(&self, normal: Vec3) -> Vec3 {
        self.ground + (self.sky - self.ground) * (normal.y * 0.5 + 0.5)
    }

    /// What a surface mirrors of the surroundings; the rougher, the more of all directions.
    pub(crate) fn mirrored(&self, direction: Vec3, normal: Vec3, roughness: f32) -> Vec3 {
        let [above, horizon, below] = self.mirrored;
        let y = direction.y;
        // A smooth step from the horizon to both sides, like a wall that meets the ceiling in a curve.
        let t = y.abs();
        let t = t * t * (3.0 - 2.0 * t);
        let sharp = horizon + (if y > 0.0 { above } else { below } - horizon) * t;
        let dull = self.ambient(normal);
        Vec3::new(
            mix(sharp.x, dull.x, roughness),
            mix(sharp.y, dull.y, roughness),
            mix(sharp.z, dull.z, roughness),
        )
    }
}

impl Source {
    fn stronger(self, factor: f32) -> Self {
        match self {
            Self::Distant { to, color } => Self::Distant { to, color: color * factor },
            Self::Near { at, color, fading, cone } => Self::Near { at, color: color * factor, fading, cone },
        }
    }
}

/// The model as its lights need it.
#[derive(Clone, Copy)]
pub(crate) struct Model<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) pose: &'a Pose,
    /// The nodes that are shown.
    pub(crate) nodes: &'a [NodeId],
    pub(crate) bounds: Option<Bounds>,
}

impl<'a> Model<'a> {
    fn lights(self) -> impl Iterator<Item = Source> + 'a {
        self.nodes.iter().filter_map(move |id| {
            let light = self.scene.lights.get(self.scene.nodes.get(*id)?.light?)?;
            source(light, self.pose.worlds.get(id.index()).copied()?)
        })
    }
}

fn source(light: &Light, world: Mat4) -> Option<Source> {
    let at = world.w_axis.truncate();
    let axis = unit_or(-world.z_axis.truncate(), Vec3::NEG_Y);
    // Files with three factors mean the strength on the surface; the others mean candela and lux, of which a white
    // surface gives back one in π.
    let unit = if light.attenuation.is_some() { 1.0 } else { 1.0 / PI };
    let color = Vec3::from_array(light.color).max(Vec3::ZERO) * light.intensity.max(0.0) * unit;
    if !(at.is_finite() && color.is_finite()) {
        return None;
    }
    let fading = match light.attenuation {
        Some(factors) if factors.iter().any(|factor| *factor > 0.0) => Fading::Factors(factors),
        _ => Fading::Square { range: light.range },
    };
    Some(match light.kind {
        LightKind::Directional => Source::Distant { to: -axis, color },
        LightKind::Point => Source::Near { at, color, fading, cone: None },
        LightKind::Spot { inner, outer } => {
            let cone = Cone { axis, cos_inner: sin_cos(inner).1, cos_outer: sin_cos(outer).1 };
            Source::Near { at, color, fading, cone: Some(cone) }
        }
    })
}
