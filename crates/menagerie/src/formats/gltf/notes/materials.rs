//! What materials are that glTF has no place for, beside the nearest that it has: written by `lower`, and put back by `lift`
//! as long as nobody changed what stands in the file.

use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::super::json::Object;
use super::in_file::MaterialNote;
use super::in_scene::MaterialKept;
use super::{Float, all_finite, exactly, finite};
use crate::ops::phong_to_metallic_roughness;
use crate::scene::{
    AlphaMode, Extras, Id, Material, MetallicRoughness, Phong, Shading, SpecularGlossiness, TextureRef,
    UvTransform,
};

/// A Phong shading.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct KeptPhong {
    ambient: [Float; 3],
    diffuse: [Float; 4],
    specular: [Float; 3],
    shininess: Float,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ambient_texture: Option<KeptTexture>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    diffuse_texture: Option<KeptTexture>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    specular_texture: Option<KeptTexture>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shininess_texture: Option<KeptTexture>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    opacity_texture: Option<KeptTexture>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bump_texture: Option<KeptTexture>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bump_strength: Option<Float>,
}

/// A specular-glossiness shading of a material without light.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(in super::super) struct KeptSpecularGlossiness {
    diffuse: [Float; 4],
    specular: [Float; 3],
    glossiness: Float,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    diffuse_texture: Option<KeptTexture>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    specular_glossiness_texture: Option<KeptTexture>,
}

/// A use of a texture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct KeptTexture {
    index: usize,
    uv_set: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    transform: Option<KeptUvTransform>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    extras: Object,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct KeptUvTransform {
    offset: [Float; 2],
    rotation: Float,
    scale: [Float; 2],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    uv_set: Option<u32>,
}

/// The same material with all factors between zero and one.
pub(in super::super) fn allowed(shading: &MetallicRoughness) -> MetallicRoughness {
    MetallicRoughness {
        base_color: shading.base_color.map(|x| x.clamp(0.0, 1.0)),
        metallic: shading.metallic.clamp(0.0, 1.0),
        roughness: shading.roughness.clamp(0.0, 1.0),
        ..shading.clone()
    }
}

impl KeptTexture {
    fn of(texture: &TextureRef) -> Self {
        Self {
            index: texture.texture.index(),
            uv_set: texture.uv_set,
            transform: texture.transform.map(|transform| KeptUvTransform {
                offset: exactly(transform.offset),
                rotation: Float(transform.rotation),
                scale: exactly(transform.scale),
                uv_set: transform.uv_set,
            }),
            extras: texture.extras.iter().map(|(key, value)| (key.to_owned(), value.clone())).collect(),
        }
    }

    /// The use; `None` where there are only so many textures that there is no such one.
    fn texture(&self, textures: usize) -> Option<TextureRef> {
        let transform = self.transform.as_ref().and_then(|transform| {
            Some(UvTransform {
                offset: all_finite(transform.offset)?,
                rotation: transform.rotation.0,
                scale: all_finite(transform.scale)?,
                uv_set: transform.uv_set,
            })
        });
        let mut extras = Extras::default();
        self.extras.iter().for_each(|(key, value)| extras.set_all(key, value.clone()));
        let texture = Id::new(Some(self.index).filter(|&index| index < textures)?);
        Some(TextureRef { texture, uv_set: self.uv_set, transform, extras })
    }
}

impl KeptPhong {
    pub(in super::super) fn of(phong: &Phong) -> Self {
        let kept = |texture: &Option<TextureRef>| texture.as_ref().map(KeptTexture::of);
        Self {
            ambient: exactly(phong.ambient),
            diffuse: exactly(phong.diffuse),
            specular: exactly(phong.specular),
            shininess: Float(phong.shininess),
            ambient_texture: kept(&phong.ambient_texture),
            diffuse_texture: kept(&phong.diffuse_texture),
            specular_texture: kept(&phong.specular_texture),
            shininess_texture: kept(&phong.shininess_texture),
            opacity_texture: kept(&phong.opacity_texture),
            bump_texture: phong.bump_texture.as_ref().map(|(texture, _)| KeptTexture::of(texture)),
            bump_strength: phong.bump_texture.as_ref().map(|(_, strength)| Float(*strength)),
        }
    }

    fn phong(&self, textures: usize) -> Option<Phong> {
        let texture = |kept: &Option<KeptTexture>| kept.as_ref().and_then(|kept| kept.texture(textures));
        let strength = self.bump_strength.map_or(1.0, |strength| strength.0);
        Some(Phong {
            ambient: all_finite(self.ambient)?,
            diffuse: all_finite(self.diffuse)?,
            specular: all_finite(self.specular)?,
            shininess: Some(self.shininess.0).filter(|x| x.is_finite())?,
            ambient_texture: texture(&self.ambient_texture),
            diffuse_texture: texture(&self.diffuse_texture),
            specular_texture: texture(&self.specular_texture),
            shininess_texture: texture(&self.shininess_texture),
            bump_texture: texture(&self.bump_texture).map(|texture| (texture, strength)),
            opacity_texture: texture(&self.opacity_texture),
        })
    }
}

impl KeptSpecularGlossiness {
    pub(in super::super) fn of(shading: &SpecularGlossiness) -> Self {
        Self {
            diffuse: exactly(shading.diffuse),
            specular: exactly(shading.specular),
            glossiness: Float(shading.glossiness),
            diffuse_texture: shading.diffuse_texture.as_ref().map(KeptTexture::of),
            specular_glossiness_texture: shading.specular_glossiness_texture.as_ref().map(KeptTexture::of),
        }
    }

    fn shading(&self, textures: usize) -> Option<SpecularGlossiness> {
        let texture = |kept: &Option<KeptTexture>| kept.as_ref().and_then(|kept| kept.texture(textures));
        Some(SpecularGlossiness {
            diffuse: all_finite(self.diffuse)?,
            diffuse_texture: texture(&self.diffuse_texture),
            specular: all_finite(self.specular)?,
            glossiness: Some(self.glossiness.0).filter(|x| x.is_finite())?,
            specular_glossiness_texture: texture(&self.specular_glossiness_texture),
        })
    }
}

/// What is seen of a specular-glossiness material without light.
pub(in super::super) fn without_light(shading: &SpecularGlossiness) -> MetallicRoughness {
    allowed(&MetallicRoughness {
        base_color: shading.diffuse,
        base_color_texture: shading.diffuse_texture.clone(),
        ..MetallicRoughness::default()
    })
}

/// Puts factors back that are not between zero and one, if what stands in the file is what they became.
fn put_back(exact: Option<&Vec<Float>>, values: &mut [f32]) {
    let exact = exact.map(|exact| finite(exact)).unwrap_or_default();
    let fits = exact.len() == values.len()
        && exact.iter().zip(&*values).all(|(exact, x)| exact.clamp(0.0, 1.0) == *x);
    if fits {
        values.copy_from_slice(&exact);
    }
}

/// Puts back what glTF has no place for, unless the material was edited since: then the edit wins.
pub(in super::super) fn restore(
    material: &mut Material,
    note: &MaterialNote,
    kept: &mut MaterialKept,
    textures: usize,
) {
    restore_shading(material, note, textures);
    if let Some((_, strength)) = &mut material.occlusion_texture {
        put_back(note.occlusion_strength.as_ref(), std::slice::from_mut(strength));
    }
    if let Some(exact) = note.emissive.and_then(all_finite)
        && (exact.map(|x| x.max(0.0)) == material.emissive
            || exact.map(|x| x.clamp(0.0, 1.0)) == material.emissive)
    {
        material.emissive = exact;
    }
    if let (Some(Float(exact)), AlphaMode::Mask { cutoff }) = (note.alpha_cutoff, &mut material.alpha)
        && exact < 0.0
        && *cutoff == 0.0
    {
        *cutoff = exact;
    }
    if note.no_emissive_strength.is_some() {
        kept.emissive_strength = None;
    }
}

fn restore_shading(material: &mut Material, note: &MaterialNote, textures: usize) {
    let phong = note.phong.as_ref().and_then(|phong| phong.phong(textures));
    if let (Some(phong), Shading::MetallicRoughness(shading)) = (phong, &material.shading)
        && allowed(&phong_to_metallic_roughness(&phong)) == *shading
    {
        material.shading = Shading::Phong(Box::new(phong));
    }
    let gloss = note.specular_glossiness.as_ref().and_then(|gloss| gloss.shading(textures));
    if let (Some(gloss), Shading::MetallicRoughness(shading)) = (gloss, &material.shading)
        && without_light(&gloss) == *shading
    {
        material.shading = Shading::SpecularGlossiness(gloss);
    }
    match &mut material.shading {
        Shading::MetallicRoughness(shading) => {
            put_back(note.base_color.as_ref(), &mut shading.base_color);
            put_back(note.metallic.as_ref(), std::slice::from_mut(&mut shading.metallic));
            put_back(note.roughness.as_ref(), std::slice::from_mut(&mut shading.roughness));
        }
        Shading::SpecularGlossiness(shading) => {
            put_back(note.diffuse.as_ref(), &mut shading.diffuse);
            put_back(note.specular.as_ref(), &mut shading.specular);
            put_back(note.glossiness.as_ref(), std::slice::from_mut(&mut shading.glossiness));
        }
        Shading::Phong(_) => {}
    }
}
