//! Materials, textures and pictures.

use menagerie::scene::{
    AlphaMode, Blend, Filter, Id, Image, Material, MetallicRoughness, Phong, Sampler, Shading,
    SpecularGlossiness, Texture, TextureRef, UvTransform, Wrap,
};
use serde::{Deserialize, Serialize};

use super::{In, Notes, Out, Stream, Wrong, extras, index, notes};

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireTextureRef {
    texture: usize,
    uv_set: u32,
    transform: Option<WireUvTransform>,
    extras: Notes,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireUvTransform {
    offset: [f32; 2],
    rotation: f32,
    scale: [f32; 2],
    uv_set: Option<u32>,
}

fn texture_ref(texture: TextureRef) -> WireTextureRef {
    let transform = texture.transform.map(|t| WireUvTransform {
        offset: t.offset,
        rotation: t.rotation,
        scale: t.scale,
        uv_set: t.uv_set,
    });
    WireTextureRef {
        texture: index(texture.texture),
        uv_set: texture.uv_set,
        transform,
        extras: notes(&texture.extras),
    }
}

fn make_ref(texture: WireTextureRef) -> TextureRef {
    let transform = texture.transform.map(|t| UvTransform {
        offset: t.offset,
        rotation: t.rotation,
        scale: t.scale,
        uv_set: t.uv_set,
    });
    TextureRef {
        texture: Id::new(texture.texture),
        uv_set: texture.uv_set,
        transform,
        extras: extras(texture.extras),
    }
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[expect(clippy::large_enum_variant, reason = "there are few, and each lives for a moment")]
enum WireShading {
    MetallicRoughness {
        base_color: [f32; 4],
        base_color_texture: Option<WireTextureRef>,
        metallic: f32,
        roughness: f32,
        metallic_roughness_texture: Option<WireTextureRef>,
    },
    Phong {
        ambient: [f32; 3],
        diffuse: [f32; 4],
        specular: [f32; 3],
        shininess: f32,
        ambient_texture: Option<WireTextureRef>,
        diffuse_texture: Option<WireTextureRef>,
        specular_texture: Option<WireTextureRef>,
        shininess_texture: Option<WireTextureRef>,
        bump_texture: Option<WireTextureRef>,
        bump_scale: f32,
        opacity_texture: Option<WireTextureRef>,
    },
    SpecularGlossiness {
        diffuse: [f32; 4],
        diffuse_texture: Option<WireTextureRef>,
        specular: [f32; 3],
        glossiness: f32,
        specular_glossiness_texture: Option<WireTextureRef>,
    },
}

impl WireShading {
    fn of(shading: Shading) -> Self {
        let wire = |texture: Option<TextureRef>| texture.map(texture_ref);
        match shading {
            Shading::MetallicRoughness(m) => Self::MetallicRoughness {
                base_color: m.base_color,
                base_color_texture: wire(m.base_color_texture),
                metallic: m.metallic,
                roughness: m.roughness,
                metallic_roughness_texture: wire(m.metallic_roughness_texture),
            },
            Shading::Phong(p) => {
                let (bump_texture, bump_scale) = strong(p.bump_texture);
                Self::Phong {
                    ambient: p.ambient,
                    diffuse: p.diffuse,
                    specular: p.specular,
                    shininess: p.shininess,
                    ambient_texture: wire(p.ambient_texture),
                    diffuse_texture: wire(p.diffuse_texture),
                    specular_texture: wire(p.specular_texture),
                    shininess_texture: wire(p.shininess_texture),
                    bump_texture,
                    bump_scale,
                    opacity_texture: wire(p.opacity_texture),
                }
            }
            Shading::SpecularGlossiness(s) => Self::SpecularGlossiness {
                diffuse: s.diffuse,
                diffuse_texture: wire(s.diffuse_texture),
                specular: s.specular,
                glossiness: s.glossiness,
                specular_glossiness_texture: wire(s.specular_glossiness_texture),
            },
        }
    }

    fn make(self) -> Shading {
        let made = |texture: Option<WireTextureRef>| texture.map(make_ref);
        match self {
            Self::MetallicRoughness {
                base_color,
                base_color_texture,
                metallic,
                roughness,
                metallic_roughness_texture,
            } => Shading::MetallicRoughness(MetallicRoughness {
                base_color,
                base_color_texture: made(base_color_texture),
                metallic,
                roughness,
                metallic_roughness_texture: made(metallic_roughness_texture),
            }),
            Self::Phong {
                ambient,
                diffuse,
                specular,
                shininess,
                ambient_texture,
                diffuse_texture,
                specular_texture,
                shininess_texture,
                bump_texture,
                bump_scale,
                opacity_texture,
            } => Shading::Phong(Box::new(Phong {
                ambient,
                diffuse,
                specular,
                shininess,
                ambient_texture: made(ambient_texture),
                diffuse_texture: made(diffuse_texture),
                specular_texture: made(specular_texture),
                shininess_texture: made(shininess_texture),
                bump_texture: made(bump_texture).map(|texture| (texture, bump_scale)),
                opacity_texture: made(opacity_texture),
            })),
            Self::SpecularGlossiness {
                diffuse,
                diffuse_texture,
                specular,
                glossiness,
                specular_glossiness_texture,
            } => Shading::SpecularGlossiness(SpecularGlossiness {
                diffuse,
                diffuse_texture: made(diffuse_texture),
                specular,
                glossiness,
                specular_glossiness_texture: made(specular_glossiness_texture),
            }),
        }
    }
}

/// A texture with its strength; one that is not there has full strength.
fn strong(texture: Option<(TextureRef, f32)>) -> (Option<WireTextureRef>, f32) {
    match texture {
        Some((texture, strength)) => (Some(texture_ref(texture)), strength),
        None => (None, 1.0),
    }
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum WireAlpha {
    Opaque,
    Mask,
    Blend,
    Additive,
    Multiply,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireMaterial {
    name: String,
    shading: WireShading,
    emissive: [f32; 3],
    emissive_texture: Option<WireTextureRef>,
    normal_texture: Option<WireTextureRef>,
    normal_scale: f32,
    occlusion_texture: Option<WireTextureRef>,
    occlusion_strength: f32,
    alpha: WireAlpha,
    alpha_cutoff: f32,
    double_sided: bool,
    unlit: bool,
    extras: Notes,
}

impl WireMaterial {
    pub(super) fn of(material: Material) -> Self {
        let (normal_texture, normal_scale) = strong(material.normal_texture);
        let (occlusion_texture, occlusion_strength) = strong(material.occlusion_texture);
        let (alpha, alpha_cutoff) = match material.alpha {
            AlphaMode::Opaque => (WireAlpha::Opaque, 0.5),
            AlphaMode::Mask { cutoff } => (WireAlpha::Mask, cutoff),
            AlphaMode::Blend(Blend::Alpha) => (WireAlpha::Blend, 0.5),
            AlphaMode::Blend(Blend::Additive) => (WireAlpha::Additive, 0.5),
            AlphaMode::Blend(Blend::Multiply) => (WireAlpha::Multiply, 0.5),
        };
        Self {
            name: material.name,
            shading: WireShading::of(material.shading),
            emissive: material.emissive,
            emissive_texture: material.emissive_texture.map(texture_ref),
            normal_texture,
            normal_scale,
            occlusion_texture,
            occlusion_strength,
            alpha,
            alpha_cutoff,
            double_sided: material.double_sided,
            unlit: material.unlit,
            extras: notes(&material.extras),
        }
    }

    pub(super) fn make(self) -> Material {
        let alpha = match self.alpha {
            WireAlpha::Opaque => AlphaMode::Opaque,
            WireAlpha::Mask => AlphaMode::Mask { cutoff: self.alpha_cutoff },
            WireAlpha::Blend => AlphaMode::Blend(Blend::Alpha),
            WireAlpha::Additive => AlphaMode::Blend(Blend::Additive),
            WireAlpha::Multiply => AlphaMode::Blend(Blend::Multiply),
        };
        Material {
            name: self.name,
            shading: self.shading.make(),
            emissive: self.emissive,
            emissive_texture: self.emissive_texture.map(make_ref),
            normal_texture: self.normal_texture.map(|texture| (make_ref(texture), self.normal_scale)),
            occlusion_texture: self
                .occlusion_texture
                .map(|texture| (make_ref(texture), self.occlusion_strength)),
            alpha,
            double_sided: self.double_sided,
            unlit: self.unlit,
            extras: extras(self.extras),
        }
    }
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum WireFilter {
    Nearest,
    Linear,
    NearestMipmapNearest,
    LinearMipmapNearest,
    NearestMipmapLinear,
    LinearMipmapLinear,
}

const FILTERS: [(WireFilter, Filter); 6] = [
    (WireFilter::Nearest, Filter::Nearest),
    (WireFilter::Linear, Filter::Linear),
    (WireFilter::NearestMipmapNearest, Filter::NearestMipmapNearest),
    (WireFilter::LinearMipmapNearest, Filter::LinearMipmapNearest),
    (WireFilter::NearestMipmapLinear, Filter::NearestMipmapLinear),
    (WireFilter::LinearMipmapLinear, Filter::LinearMipmapLinear),
];

fn filter(filter: Filter) -> Option<WireFilter> {
    FILTERS.iter().find(|(_, known)| *known == filter).map(|(wire, _)| *wire)
}

fn make_filter(filter: WireFilter) -> Option<Filter> {
    FILTERS.get(filter as usize).map(|(_, filter)| *filter)
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum WireWrap {
    Repeat,
    Mirror,
    Clamp,
}

fn wrap(wrap: Wrap) -> WireWrap {
    match wrap {
        Wrap::Repeat => WireWrap::Repeat,
        Wrap::Mirror => WireWrap::Mirror,
        Wrap::Clamp => WireWrap::Clamp,
    }
}

fn make_wrap(wrap: WireWrap) -> Wrap {
    match wrap {
        WireWrap::Repeat => Wrap::Repeat,
        WireWrap::Mirror => Wrap::Mirror,
        WireWrap::Clamp => Wrap::Clamp,
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireSampler {
    name: String,
    magnify: Option<WireFilter>,
    minify: Option<WireFilter>,
    wrap_u: WireWrap,
    wrap_v: WireWrap,
    extras: Notes,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireTexture {
    name: String,
    image: Option<usize>,
    sampler: Option<WireSampler>,
    extras: Notes,
}

impl WireTexture {
    pub(super) fn of(texture: Texture) -> Self {
        let sampler = texture.sampler.map(|sampler| WireSampler {
            name: sampler.name,
            magnify: sampler.magnify.and_then(filter),
            minify: sampler.minify.and_then(filter),
            wrap_u: wrap(sampler.wrap_u),
            wrap_v: wrap(sampler.wrap_v),
            extras: notes(&sampler.extras),
        });
        Self { name: texture.name, image: texture.image.map(index), sampler, extras: notes(&texture.extras) }
    }

    pub(super) fn make(self) -> Texture {
        let sampler = self.sampler.map(|sampler| Sampler {
            name: sampler.name,
            magnify: sampler.magnify.and_then(make_filter),
            minify: sampler.minify.and_then(make_filter),
            wrap_u: make_wrap(sampler.wrap_u),
            wrap_v: make_wrap(sampler.wrap_v),
            extras: extras(sampler.extras),
        });
        let image = self.image.map(Id::new);
        Texture { name: self.name, image, sampler, extras: extras(self.extras) }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireImage {
    name: String,
    uri: Option<String>,
    data: Option<Stream>,
    mime: Option<String>,
    extras: Notes,
}

impl WireImage {
    pub(super) fn of(image: Image, out: &mut Out) -> Self {
        Self {
            name: image.name,
            uri: image.uri,
            data: image.data.map(|data| out.bytes(data)),
            mime: image.mime,
            extras: notes(&image.extras),
        }
    }

    pub(super) fn make(self, lists: &In) -> Result<Image, Wrong> {
        let data = self.data.map(|data| lists.bytes(data)).transpose()?;
        Ok(Image {
            name: self.name,
            uri: self.uri,
            data: data.map(std::sync::Arc::from),
            mime: self.mime,
            extras: extras(self.extras),
        })
    }
}
