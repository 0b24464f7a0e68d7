//! Materials, textures and images.

use std::sync::{Arc, LazyLock};

use super::{Extras, ImageId, TextureId};
use crate::math;

/// What a surface looks like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Material {
    /// Its name; may be empty.
    pub name: String,
    /// How it answers to light.
    pub shading: Shading,
    /// Light that it gives off, linear RGB.
    pub emissive: [f32; 3],
    /// A picture that multiplies `emissive`.
    pub emissive_texture: Option<TextureRef>,
    /// A normal map in tangent space, and how strong it is.
    pub normal_texture: Option<(TextureRef, f32)>,
    /// Where ambient light does not reach, and how strongly.
    pub occlusion_texture: Option<(TextureRef, f32)>,
    /// What its alpha does.
    pub alpha: AlphaMode,
    /// Whether the back of its triangles is drawn.
    pub double_sided: bool,
    /// Whether it shows its base colour as it is, without light.
    pub unlit: bool,
    /// What only one format knows.
    pub extras: Extras,
}

impl Material {
    /// All uses of textures, in a fixed order.
    pub fn textures(&self) -> impl Iterator<Item = &TextureRef> {
        let common = [
            self.emissive_texture.as_ref(),
            self.normal_texture.as_ref().map(|(t, _)| t),
            self.occlusion_texture.as_ref().map(|(t, _)| t),
        ];
        let own = match &self.shading {
            Shading::MetallicRoughness(m) => {
                [m.base_color_texture.as_ref(), m.metallic_roughness_texture.as_ref(), None, None, None, None]
            }
            Shading::Phong(p) => [
                p.ambient_texture.as_ref(),
                p.diffuse_texture.as_ref(),
                p.specular_texture.as_ref(),
                p.shininess_texture.as_ref(),
                p.bump_texture.as_ref().map(|(t, _)| t),
                p.opacity_texture.as_ref(),
            ],
            Shading::SpecularGlossiness(s) => {
                [s.diffuse_texture.as_ref(), s.specular_glossiness_texture.as_ref(), None, None, None, None]
            }
        };
        common.into_iter().chain(own).flatten()
    }

    /// The colour that the base colour texture multiplies, linear RGBA, whatever the shading.
    pub fn base_color(&self) -> [f32; 4] {
        match &self.shading {
            Shading::MetallicRoughness(m) => m.base_color,
            Shading::Phong(p) => p.diffuse,
            Shading::SpecularGlossiness(s) => s.diffuse,
        }
    }

    /// The picture of the surface's own colour, whatever the shading.
    pub fn base_color_texture(&self) -> Option<&TextureRef> {
        match &self.shading {
            Shading::MetallicRoughness(m) => m.base_color_texture.as_ref(),
            Shading::Phong(p) => p.diffuse_texture.as_ref(),
            Shading::SpecularGlossiness(s) => s.diffuse_texture.as_ref(),
        }
    }
}

/// How a surface answers to light.
#[derive(Clone, Debug, PartialEq)]
pub enum Shading {
    /// As glTF has it.
    MetallicRoughness(MetallicRoughness),
    /// As old engines have it.
    Phong(Box<Phong>),
    /// As KHR_materials_pbrSpecularGlossiness has it.
    SpecularGlossiness(SpecularGlossiness),
}

impl Default for Shading {
    fn default() -> Self {
        Self::MetallicRoughness(MetallicRoughness::default())
    }
}

/// Metallic-roughness shading.
#[derive(Clone, Debug, PartialEq)]
pub struct MetallicRoughness {
    /// Linear RGBA.
    pub base_color: [f32; 4],
    /// A picture that multiplies `base_color`.
    pub base_color_texture: Option<TextureRef>,
    /// 0 for a dielectric, 1 for a metal.
    pub metallic: f32,
    /// 0 for a mirror, 1 for chalk.
    pub roughness: f32,
    /// Multiplies roughness by its green and metallic by its blue channel.
    pub metallic_roughness_texture: Option<TextureRef>,
}

impl Default for MetallicRoughness {
    fn default() -> Self {
        Self {
            base_color: [1.0; 4],
            base_color_texture: None,
            metallic: 1.0,
            roughness: 1.0,
            metallic_roughness_texture: None,
        }
    }
}

/// Blinn-Phong shading.
#[derive(Clone, Debug, PartialEq)]
pub struct Phong {
    /// Answers to ambient light, linear RGB.
    pub ambient: [f32; 3],
    /// Answers to light from all sides, linear RGB, and the opacity.
    pub diffuse: [f32; 4],
    /// Mirrors light, linear RGB.
    pub specular: [f32; 3],
    /// The exponent of the highlight.
    pub shininess: f32,
    /// A picture that multiplies `ambient`.
    pub ambient_texture: Option<TextureRef>,
    /// A picture that multiplies `diffuse`.
    pub diffuse_texture: Option<TextureRef>,
    /// A picture that multiplies `specular`.
    pub specular_texture: Option<TextureRef>,
    /// A picture that multiplies `shininess`.
    pub shininess_texture: Option<TextureRef>,
    /// Heights, and how strong they are.
    pub bump_texture: Option<(TextureRef, f32)>,
    /// A picture that multiplies the opacity.
    pub opacity_texture: Option<TextureRef>,
}

impl Default for Phong {
    fn default() -> Self {
        Self {
            ambient: [0.0; 3],
            diffuse: [1.0; 4],
            specular: [0.0; 3],
            shininess: 32.0,
            ambient_texture: None,
            diffuse_texture: None,
            specular_texture: None,
            shininess_texture: None,
            bump_texture: None,
            opacity_texture: None,
        }
    }
}

/// Specular-glossiness shading.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecularGlossiness {
    /// Linear RGBA.
    pub diffuse: [f32; 4],
    /// A picture that multiplies `diffuse`.
    pub diffuse_texture: Option<TextureRef>,
    /// Linear RGB.
    pub specular: [f32; 3],
    /// 1 for a mirror, 0 for chalk.
    pub glossiness: f32,
    /// Multiplies `specular` by its colour and `glossiness` by its alpha.
    pub specular_glossiness_texture: Option<TextureRef>,
}

impl Default for SpecularGlossiness {
    fn default() -> Self {
        Self {
            diffuse: [1.0; 4],
            diffuse_texture: None,
            specular: [1.0; 3],
            glossiness: 1.0,
            specular_glossiness_texture: None,
        }
    }
}

/// What the alpha of a material does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum AlphaMode {
    /// Nothing.
    #[default]
    Opaque,
    /// Below the cutoff nothing is drawn, above it everything.
    Mask {
        /// The smallest alpha that is drawn.
        cutoff: f32,
    },
    /// What is behind shows through.
    Blend(Blend),
}

/// How a transparent surface mixes with what is behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Blend {
    /// By its alpha.
    #[default]
    Alpha,
    /// Its colour is added.
    Additive,
    /// Its colour multiplies.
    Multiply,
}

/// A use of a texture by a material.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureRef {
    /// Which texture.
    pub texture: TextureId,
    /// Which set of texture coordinates.
    pub uv_set: u32,
    /// How the coordinates are changed first.
    pub transform: Option<UvTransform>,
    /// What only one format knows.
    pub extras: Extras,
}

impl TextureRef {
    /// A use with the first set of coordinates as they are.
    pub fn new(texture: TextureId) -> Self {
        Self { texture, uv_set: 0, transform: None, extras: Extras::default() }
    }
}

/// A change of texture coordinates: scale, then rotate counter-clockwise, then offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UvTransform {
    /// Added last.
    pub offset: [f32; 2],
    /// In radians.
    pub rotation: f32,
    /// Multiplies first.
    pub scale: [f32; 2],
    /// Replaces [`TextureRef::uv_set`] where it is known.
    pub uv_set: Option<u32>,
}

impl UvTransform {
    /// Whether it leaves coordinates where they are.
    pub fn is_none(&self) -> bool {
        self.offset == [0.0; 2] && self.rotation == 0.0 && self.scale == [1.0; 2]
    }

    /// The coordinates that it makes of others.
    pub fn apply(&self, [u, v]: [f32; 2]) -> [f32; 2] {
        let ([su, sv], [ou, ov]) = (self.scale, self.offset);
        let (u, v) = (u * su, v * sv);
        let (sin, cos) = (math::sin(self.rotation), math::cos(self.rotation));
        [cos * u + sin * v + ou, -sin * u + cos * v + ov]
    }
}

impl TextureRef {
    /// The set of texture coordinates that it uses.
    pub fn shown_set(&self) -> u32 {
        self.transform.and_then(|transform| transform.uv_set).unwrap_or(self.uv_set)
    }
}

/// A picture and how it is sampled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Texture {
    /// Its name; may be empty.
    pub name: String,
    /// The picture; `None` where only an unknown extension says which.
    pub image: Option<ImageId>,
    /// How it is sampled; `None` when the file does not say: then repeating and smooth.
    pub sampler: Option<Sampler>,
    /// What only one format knows.
    pub extras: Extras,
}

/// How a picture is sampled.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sampler {
    /// Its name; may be empty.
    pub name: String,
    /// When it is shown larger than it is.
    pub magnify: Option<Filter>,
    /// When it is shown smaller than it is.
    pub minify: Option<Filter>,
    /// Beyond its left and right edge.
    pub wrap_u: Wrap,
    /// Beyond its upper and lower edge.
    pub wrap_v: Wrap,
    /// What only one format knows.
    pub extras: Extras,
}

/// How texels are mixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names are those of OpenGL and say it")]
pub enum Filter {
    Nearest,
    Linear,
    NearestMipmapNearest,
    LinearMipmapNearest,
    NearestMipmapLinear,
    LinearMipmapLinear,
}

/// What is beyond the edge of a picture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Wrap {
    /// The picture again.
    #[default]
    Repeat,
    /// The picture mirrored.
    Mirror,
    /// Its last texel.
    Clamp,
}

/// A picture: where it is, or its bytes, or both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Image {
    /// Its name; may be empty.
    pub name: String,
    /// The file's name as the model has it; `None` for a picture that is only inside the model.
    pub uri: Option<String>,
    /// The encoded bytes (PNG, JPEG…), where they are known.
    pub data: Option<Arc<[u8]>>,
    /// The media type, where it is known.
    pub mime: Option<String>,
    /// What only one format knows.
    pub extras: Extras,
}

static SRGB_TO_LINEAR: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| srgb_to_linear(byte as f32 / 255.0)));

/// An sRGB value from 0 to 1 made linear.
pub fn srgb_to_linear(value: f32) -> f32 {
    let x = f64::from(value);
    (if x <= 0.04045 { x / 12.92 } else { math::pow_64((x + 0.055) / 1.055, 2.4) }) as f32
}

/// A linear value made sRGB.
pub fn linear_to_srgb(value: f32) -> f32 {
    let x = f64::from(value);
    (if x <= 0.003_130_8 { x * 12.92 } else { 1.055 * math::pow_64(x, 1.0 / 2.4) - 0.055 }) as f32
}

/// An sRGB byte made linear.
pub fn srgb_byte_to_linear(byte: u8) -> f32 {
    SRGB_TO_LINEAR[usize::from(byte)]
}

/// The sRGB byte whose linear value is nearest; exact for values that came from a byte.
pub fn linear_to_srgb_byte(value: f32) -> u8 {
    (linear_to_srgb(value.clamp(0.0, 1.0)) * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_srgb_byte_comes_back() {
        for byte in 0..=255 {
            assert_eq!(linear_to_srgb_byte(srgb_byte_to_linear(byte)), byte);
        }
    }
}
