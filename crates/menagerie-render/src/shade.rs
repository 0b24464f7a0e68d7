//! The colour of a place on a surface.
//!
//! All kinds of materials are brought to one model, so that they look right side by side: light that is scattered to
//! all sides, and light that is mirrored at small facets (GGX). A Phong material's specular colour is taken for the
//! strength of a highlight on something that is no metal, and its exponent for a roughness with a highlight as wide.

use glam::{Vec2, Vec3};

use crate::color;
use crate::lights::Rig;
use crate::material::{Materials, Reflection, Slot, Surface};
use crate::math::{exp2, mix, rough_log2, unit_or};

/// The mirrored part of light that falls straight on what is no metal.
const DIELECTRIC: f32 = 0.04;

/// How much of a Phong material's specular colour is mirrored straight on.
const PHONG_MIRRORED: f32 = 0.08;

/// No surface is smoother than this: its highlights would be smaller than a pixel.
const SMOOTHEST: f32 = 0.09;

/// Sizes of textures are chosen a little sharper than the pixel asks for, because four samples smooth it.
const SHARPER: f32 = 0.5;

/// Texture coordinates at a place, and how they change to the next pixel to the right and down.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Uv {
    pub(crate) at: [f32; 2],
    pub(crate) dx: [f32; 2],
    pub(crate) dy: [f32; 2],
}

/// A place on a surface.
pub(crate) struct Place<'a> {
    pub(crate) position: Vec3,
    /// On the side that is seen.
    pub(crate) normal: Vec3,
    /// The direction in which u grows, and the sign of the bitangent; no direction where there are no tangents.
    pub(crate) tangent: Vec3,
    pub(crate) bitangent_sign: f32,
    pub(crate) color: [f32; 4],
    /// By the surface's own list of sets.
    pub(crate) uvs: &'a [Uv],
    /// The direction to the camera.
    pub(crate) towards: Vec3,
}

/// What shading needs to know beside the place.
#[derive(Clone, Copy)]
pub(crate) struct Shader<'a> {
    pub(crate) materials: &'a Materials,
    pub(crate) rig: &'a Rig,
}

/// What a surface is at a place, whatever kind its material is.
struct Answer {
    diffuse: Vec3,
    /// The mirrored part straight on.
    mirrored: Vec3,
    roughness: f32,
}

impl Shader<'_> {
    /// Linear light and opacity; the light is not multiplied by the opacity.
    pub(crate) fn shade(&self, surface: &Surface, place: &Place<'_>) -> [f32; 4] {
        let [r, g, b, a] = self.base(surface, place);
        let base = Vec3::new(r, g, b);
        let emitted = self.emitted(surface, place);
        if surface.unlit {
            let [r, g, b] = (base + emitted).to_array();
            return [r, g, b, a];
        }
        let normal = self.normal(surface, place);
        let answer = self.answer(surface, place, base);
        let light = self.reflected(surface, place, normal, &answer) + emitted;
        let [r, g, b] = light.to_array().map(shoulder);
        [r, g, b, a]
    }

    /// The opacity alone, for cutting out.
    pub(crate) fn opacity(&self, surface: &Surface, place_alpha: f32, uvs: &[Uv]) -> f32 {
        let mut alpha = surface.base[3] * place_alpha;
        if let Some(slot) = &surface.base_map {
            alpha *= self.sample(slot, uvs, false)[3];
        }
        if let Some(slot) = &surface.opacity_map {
            alpha *= self.sample(slot, uvs, false)[0];
        }
        alpha
    }

    fn base(&self, surface: &Surface, place: &Place<'_>) -> [f32; 4] {
        let mut base: [f32; 4] = std::array::from_fn(|i| surface.base[i] * place.color[i]);
        if let Some(slot) = &surface.base_map {
            let texel = self.sample(slot, place.uvs, true);
            base = std::array::from_fn(|i| base[i] * texel[i]);
        }
        if let Some(slot) = &surface.opacity_map {
            base[3] *= self.sample(slot, place.uvs, false)[0];
        }
        base
    }

    fn emitted(&self, surface: &Surface, place: &Place<'_>) -> Vec3 {
        let emissive = Vec3::from_array(surface.emissive);
        match &surface.emissive_map {
            Some(slot) if emissive != Vec3::ZERO => {
                let [r, g, b, _] = self.sample(slot, place.uvs, true);
                emissive * Vec3::new(r, g, b)
            }
            _ => emissive,
        }
    }

    fn answer(&self, surface: &Surface, place: &Place<'_>, base: Vec3) -> Answer {
        match &surface.reflection {
            Reflection::Metallic { metallic, roughness, map } => {
                let (mut metallic, mut roughness) = (*metallic, *roughness);
                if let Some(slot) = map {
                    let [_, g, b, _] = self.sample(slot, place.uvs, false);
                    (roughness, metallic) = (roughness * g, metallic * b);
                }
                let dielectric = Vec3::splat(DIELECTRIC);
                Answer {
                    diffuse: base * (1.0 - metallic),
                    mirrored: dielectric + (base - dielectric) * metallic,
                    roughness,
                }
            }
            Reflection::Phong { specular, shininess, specular_map, shininess_map } => {
                let mut specular = Vec3::from_array(*specular);
                if let Some(slot) = specular_map {
                    let [r, g, b, _] = self.sample(slot, place.uvs, true);
                    specular *= Vec3::new(r, g, b);
                }
                let shininess = shininess
                    * shininess_map.as_ref().map_or(1.0, |slot| self.sample(slot, place.uvs, false)[0]);
                let roughness = (2.0 / (shininess + 2.0)).sqrt().sqrt();
                let mirrored = specular.clamp(Vec3::ZERO, Vec3::ONE) * PHONG_MIRRORED;
                Answer { diffuse: base, mirrored, roughness }
            }
            Reflection::Glossy { specular, glossiness, map } => {
                let (mut specular, mut glossiness) = (Vec3::from_array(*specular), *glossiness);
                if let Some(slot) = map {
                    let [r, g, b, a] = self.sample(slot, place.uvs, true);
                    specular *= Vec3::new(r, g, b);
                    glossiness *= a;
                }
                let mirrored = specular.clamp(Vec3::ZERO, Vec3::ONE);
                Answer {
                    diffuse: base * (1.0 - mirrored.max_element()),
                    mirrored,
                    roughness: 1.0 - glossiness,
                }
            }
        }
    }

    /// The normal with the normal map or the heights of a bump map.
    fn normal(&self, surface: &Surface, place: &Place<'_>) -> Vec3 {
        let normal = place.normal;
        let tangent = place.tangent - normal * normal.dot(place.tangent);
        let length = tangent.length();
        if length < 1e-6 {
            return normal;
        }
        let tangent = tangent / length;
        let bitangent = normal.cross(tangent) * place.bitangent_sign;
        if let Some((slot, strength)) = &surface.normal_map {
            let [x, y, z, _] = self.sample(slot, place.uvs, false);
            let (x, y, z) = ((x * 2.0 - 1.0) * strength, (y * 2.0 - 1.0) * strength, z * 2.0 - 1.0);
            return unit_or(tangent * x + bitangent * y + normal * z.max(0.0), normal);
        }
        if let Some((slot, strength)) = &surface.bump_map {
            let slope = self.slope(slot, place.uvs) * (*strength * 4.0);
            return unit_or(normal - tangent * slope.x + bitangent * slope.y, normal);
        }
        normal
    }

    /// How a map of heights rises to the right and down, from one texel to the next.
    fn slope(&self, slot: &Slot, uvs: &[Uv]) -> Vec2 {
        let (width, height) = self.materials.mips(slot).size();
        let height_at = |du: f32, dv: f32| {
            let mut moved = [Uv::default(); 8];
            for (moved, uv) in moved.iter_mut().zip(uvs) {
                *moved = Uv { at: [uv.at[0] + du, uv.at[1] + dv], ..*uv };
            }
            self.sample(slot, &moved, false)[0]
        };
        let here = height_at(0.0, 0.0);
        Vec2::new(height_at(1.0 / width, 0.0) - here, height_at(0.0, 1.0 / height) - here)
    }

    fn reflected(&self, surface: &Surface, place: &Place<'_>, normal: Vec3, answer: &Answer) -> Vec3 {
        let towards = place.towards;
        let roughness = answer.roughness.clamp(SMOOTHEST, 1.0);
        let facing = normal.dot(towards).clamp(1e-3, 1.0);
        let occlusion = surface.occlusion_map.as_ref().map_or(1.0, |(slot, strength)| {
            mix(1.0, self.sample(slot, place.uvs, false)[0], strength.clamp(0.0, 1.0))
        });
        let mirrored_direction = normal * (2.0 * normal.dot(towards)) - towards;
        let around = self.rig.mirrored(mirrored_direction, normal, roughness);
        let mut light = answer.diffuse * self.rig.ambient(normal);
        light += around * mirrored_from_all_sides(answer.mirrored, roughness, facing);
        light *= occlusion;
        for source in &self.rig.sources {
            let (to, color) = source.arriving(place.position);
            let falling = normal.dot(to);
            if falling <= 0.0 {
                continue;
            }
            let half = unit_or(to + towards, normal);
            let highlight = highlight(normal, half, falling, facing, roughness);
            let grazing = 1.0 - half.dot(towards).clamp(0.0, 1.0);
            let grazing = grazing * grazing * grazing * grazing * grazing;
            let mirrored =
                answer.mirrored + (Vec3::ONE - answer.mirrored) * grazing * strength(answer.mirrored);
            light += color * falling * (answer.diffuse + mirrored * highlight);
        }
        light
    }

    fn sample(&self, slot: &Slot, uvs: &[Uv], is_color: bool) -> [f32; 4] {
        let uv = uvs.get(slot.uv).copied().unwrap_or_default();
        let Uv { at, dx, dy } = match slot.transform {
            None => uv,
            Some([row_u, row_v]) => {
                let turned = |[u, v]: [f32; 2]| [row_u[0] * u + row_u[1] * v, row_v[0] * u + row_v[1] * v];
                let [u, v] = turned(uv.at);
                Uv { at: [u + row_u[2], v + row_v[2]], dx: turned(uv.dx), dy: turned(uv.dy) }
            }
        };
        let mips = self.materials.mips(slot);
        let (width, height) = mips.size();
        let square = |[u, v]: [f32; 2]| (u * width) * (u * width) + (v * height) * (v * height);
        let texels = square(dx).max(square(dy));
        let size =
            if texels > 1e-12 && texels.is_finite() { rough_log2(texels) * 0.5 - SHARPER } else { 0.0 };
        mips.sample(at, size, slot.sampling, if is_color { color::srgb_table() } else { color::data_table() })
    }
}

/// What mirrors nothing straight on mirrors nothing at the edge either: chalk stays chalk.
fn strength(mirrored: Vec3) -> f32 {
    (mirrored.max_element() * (1.0 / DIELECTRIC)).min(1.0)
}

/// The strength of a highlight: how many facets mirror the light to the camera and are seen by both.
fn highlight(normal: Vec3, half: Vec3, falling: f32, facing: f32, roughness: f32) -> f32 {
    let a = roughness * roughness;
    let a2 = a * a;
    let along = normal.dot(half).clamp(0.0, 1.0);
    let d = along * along * (a2 - 1.0) + 1.0;
    let facets = a2 / (d * d).max(1e-9);
    let seen_by_camera = falling * (facing * facing * (1.0 - a2) + a2).sqrt();
    let seen_by_light = facing * (falling * falling * (1.0 - a2) + a2).sqrt();
    facets * 0.5 / (seen_by_camera + seen_by_light).max(1e-5)
}

/// How much of even surroundings is mirrored: a fit to the integral over all directions.
fn mirrored_from_all_sides(mirrored: Vec3, roughness: f32, facing: f32) -> Vec3 {
    let r =
        [1.0 - roughness, 0.0425 - 0.0275 * roughness, 1.04 - 0.572 * roughness, 0.022 * roughness - 0.04];
    let a = (r[0] * r[0]).min(exp2(-9.28 * facing)) * r[0] + r[1];
    let (scale, offset) = (r[2] - 1.04 * a, 1.04 * a + r[3]);
    mirrored * scale + Vec3::splat(offset * strength(mirrored))
}

/// Bright light is compressed instead of cut off.
fn shoulder(light: f32) -> f32 {
    const FROM: f32 = 0.8;
    if light <= FROM {
        return light.max(0.0);
    }
    let over = (light - FROM) / (1.0 - FROM);
    FROM + (1.0 - FROM) * (over / (1.0 + over))
}
