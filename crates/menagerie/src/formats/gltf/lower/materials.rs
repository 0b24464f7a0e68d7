//! Materials, as near as glTF has them.

use serde_json::{Map, json};

use super::super::extension;
use super::super::extras::Lowering;
use super::super::json::{self, Object, PbrMetallicRoughness, TextureInfo};
use super::super::notes::in_file::{MaterialNote, blend_word};
use super::super::notes::in_scene::MaterialKept;
use super::super::notes::materials::{KeptPhong, KeptSpecularGlossiness, allowed, without_light};
use super::super::notes::{Float, Note as _, exact, exactly};
use super::{Lowerer, number, numbers, object};
use crate::diag::Aspect;
use crate::math;
use crate::ops::phong_to_metallic_roughness;
use crate::scene::{
    AlphaMode, Blend, Material, MetallicRoughness, Shading, SpecularGlossiness, TextureRef, UvTransform,
};

impl Lowerer<'_> {
    pub(super) fn materials(&mut self) {
        for (id, material) in self.scene.materials.iter() {
            let material = self.material(id.index(), material);
            self.document.materials.push(material);
        }
    }

    fn material(&mut self, index: usize, material: &Material) -> json::Material {
        let mut lowering = Lowering::new(&material.extras);
        let mut note = MaterialNote::default();
        let kept = MaterialKept::of(&material.extras);
        let mut unsaid = Vec::new();
        let mut result = json::Material {
            name: material.name.clone(),
            double_sided: material.double_sided.then_some(true),
            ..json::Material::default()
        };
        let emissive_strength = kept.emissive_strength;
        result.pbr_metallic_roughness = self.shading(material, kept, &mut lowering, &mut note, &mut unsaid);
        let strength = emission(material, emissive_strength, &mut result, &mut note, &mut unsaid);
        if let Some(strength) = strength {
            let members = object([("emissiveStrength", number(strength))]);
            lowering.extension(extension::EMISSIVE_STRENGTH, members);
        }
        result.normal_texture = material.normal_texture.as_ref().map(|(texture, scale)| TextureInfo {
            scale: Some(*scale).filter(|&scale| scale != 1.0),
            ..texture_info(texture)
        });
        result.occlusion_texture = material.occlusion_texture.as_ref().map(|(texture, strength)| {
            let strength = clamped(&mut note.occlusion_strength, &[*strength], &mut unsaid);
            TextureInfo {
                strength: strength.first().copied().filter(|&strength| strength != 1.0),
                ..texture_info(texture)
            }
        });
        alpha(material.alpha, &mut result, &mut note, &mut unsaid);
        if material.unlit {
            lowering.extension(extension::UNLIT, Map::new());
        }
        if !unsaid.is_empty() {
            let message = format!(
                "{} is kept in extras; other programs see the nearest that glTF has",
                unsaid.join(", ")
            );
            self.losses.noted(Aspect::Materials, format!("materials[{index}]"), message);
        }
        lowering.put(&note);
        (result.extras, result.extensions) = lowering.finish();
        result
    }

    /// What programs see of a material that know metallic-roughness alone; other shadings are extensions or noted.
    fn shading(
        &self,
        material: &Material,
        kept: MaterialKept,
        lowering: &mut Lowering,
        note: &mut MaterialNote,
        unsaid: &mut Vec<&'static str>,
    ) -> Option<PbrMetallicRoughness> {
        // Of what is noted whole no clamped factor needs a second record.
        let plain = |shading| metallic_roughness(&shading, &mut MaterialNote::default(), &mut Vec::new());
        let mut pbr = match &material.shading {
            Shading::MetallicRoughness(shading) => metallic_roughness(shading, note, unsaid),
            Shading::Phong(phong) => {
                note.phong = Some(KeptPhong::of(phong));
                unsaid.push("Phong shading");
                plain(allowed(&phong_to_metallic_roughness(phong)))
            }
            Shading::SpecularGlossiness(shading) if material.unlit && !self.from_gltf => {
                // Such a material may not have both extensions.
                note.specular_glossiness = Some(KeptSpecularGlossiness::of(shading));
                unsaid.push("specular-glossiness shading without light");
                return plain(without_light(shading));
            }
            Shading::SpecularGlossiness(shading) => {
                let extension = specular_glossiness(shading, note, unsaid);
                lowering.extension(extension::SPECULAR_GLOSSINESS, extension);
                return kept.fallback;
            }
        };
        if kept.pbr_extras.is_some() || kept.pbr_extensions.is_some() {
            let pbr = pbr.get_or_insert_default();
            pbr.extras = kept.pbr_extras;
            pbr.extensions = kept.pbr_extensions.unwrap_or_default();
        }
        pbr
    }
}

/// Writes a material's emission; gives the strength that is written as an extension.
fn emission(
    material: &Material,
    kept: Option<Float>,
    result: &mut json::Material,
    note: &mut MaterialNote,
    unsaid: &mut Vec<&'static str>,
) -> Option<f32> {
    result.emissive_texture = material.emissive_texture.as_ref().map(texture_info);
    let emissive = material.emissive.map(|x| x.max(0.0));
    if emissive != material.emissive {
        note.emissive = Some(exactly(material.emissive));
        unsaid.push("negative emission");
    }
    let kept = kept.map(|strength| strength.0);
    let (factor, strength) = if material.unlit && kept.is_none() {
        // Such a material does not glow anyway, and may not have both extensions.
        if emissive.iter().any(|&x| x > 1.0) {
            note.emissive = Some(exactly(material.emissive));
        }
        (emissive.map(|x| x.min(1.0)), None)
    } else {
        emissive_factor(emissive, kept)
    };
    result.emissive_factor = Some(factor).filter(|factor| *factor != [0.0; 3]);
    if strength.is_some() && kept != strength {
        // Reading finds a strength, which the Scene did not have as such.
        note.no_emissive_strength = Some(true);
    }
    strength
}

/// A factor up to one and a strength whose product is exactly the emission.
fn emissive_factor(emissive: [f32; 3], kept: Option<f32>) -> ([f32; 3], Option<f32>) {
    if let Some(strength) = kept.filter(|&strength| strength > 0.0) {
        let factor = emissive.map(|x| x / strength);
        if factor.iter().all(|&x| x <= 1.0) && factor.map(|x| x * strength) == emissive {
            return (factor, Some(strength));
        }
    }
    let largest = emissive.into_iter().fold(0.0, f32::max);
    if largest <= 1.0 {
        return (emissive, None);
    }
    // A power of two divides and multiplies without rounding.
    let strength = math::log2(largest).ceil().exp2();
    let strength = if strength < largest { strength * 2.0 } else { strength };
    (emissive.map(|x| x / strength), Some(strength))
}

fn alpha(
    alpha: AlphaMode,
    result: &mut json::Material,
    note: &mut MaterialNote,
    unsaid: &mut Vec<&'static str>,
) {
    let mode = match alpha {
        AlphaMode::Opaque => return,
        AlphaMode::Mask { cutoff } => {
            if cutoff < 0.0 {
                note.alpha_cutoff = Some(Float(cutoff));
                unsaid.push("a negative alpha cutoff");
            }
            result.alpha_cutoff = Some(cutoff.max(0.0)).filter(|&cutoff| cutoff != 0.5);
            "MASK"
        }
        AlphaMode::Blend(blend) => {
            note.blend = blend_word(blend);
            match blend {
                Blend::Alpha => {}
                Blend::Additive => unsaid.push("additive blending"),
                Blend::Multiply => unsaid.push("multiplying blending"),
            }
            "BLEND"
        }
    };
    result.alpha_mode = Some(mode.to_owned());
}

/// Values between zero and one; where they are not, the exact ones are noted.
fn clamped(note: &mut Option<Vec<Float>>, values: &[f32], unsaid: &mut Vec<&'static str>) -> Vec<f32> {
    let clamped: Vec<f32> = values.iter().map(|x| x.clamp(0.0, 1.0)).collect();
    if clamped != values {
        *note = Some(exact(values));
        unsaid.push("a factor outside 0 to 1");
    }
    clamped
}

fn metallic_roughness(
    shading: &MetallicRoughness,
    note: &mut MaterialNote,
    unsaid: &mut Vec<&'static str>,
) -> Option<PbrMetallicRoughness> {
    let base = clamped(&mut note.base_color, &shading.base_color, unsaid);
    let metallic = clamped(&mut note.metallic, &[shading.metallic], unsaid);
    let roughness = clamped(&mut note.roughness, &[shading.roughness], unsaid);
    let unless_one = |values: &[f32]| values.first().copied().filter(|&x| x != 1.0);
    let pbr = PbrMetallicRoughness {
        base_color_factor: <[f32; 4]>::try_from(base).ok().filter(|base| *base != [1.0; 4]),
        base_color_texture: shading.base_color_texture.as_ref().map(texture_info),
        metallic_factor: unless_one(&metallic),
        roughness_factor: unless_one(&roughness),
        metallic_roughness_texture: shading.metallic_roughness_texture.as_ref().map(texture_info),
        ..PbrMetallicRoughness::default()
    };
    (pbr != PbrMetallicRoughness::default()).then_some(pbr)
}

fn specular_glossiness(
    shading: &SpecularGlossiness,
    note: &mut MaterialNote,
    unsaid: &mut Vec<&'static str>,
) -> Object {
    let mut members = Map::new();
    let diffuse = clamped(&mut note.diffuse, &shading.diffuse, unsaid);
    if diffuse != [1.0; 4] {
        members.insert("diffuseFactor".to_owned(), numbers(&diffuse));
    }
    if let Some(texture) = &shading.diffuse_texture {
        members.insert("diffuseTexture".to_owned(), json!(texture_info(texture)));
    }
    let specular = clamped(&mut note.specular, &shading.specular, unsaid);
    if specular != [1.0; 3] {
        members.insert("specularFactor".to_owned(), numbers(&specular));
    }
    let glossiness = clamped(&mut note.glossiness, &[shading.glossiness], unsaid);
    if glossiness != [1.0] {
        members.insert("glossinessFactor".to_owned(), number(glossiness.first().copied().unwrap_or(1.0)));
    }
    if let Some(texture) = &shading.specular_glossiness_texture {
        members.insert("specularGlossinessTexture".to_owned(), json!(texture_info(texture)));
    }
    members
}

fn texture_info(texture: &TextureRef) -> TextureInfo {
    let mut lowering = Lowering::new(&texture.extras);
    if let Some(transform) = &texture.transform {
        lowering.extension(extension::TEXTURE_TRANSFORM, transform_members(transform));
    }
    let (extras, extensions) = lowering.finish();
    TextureInfo {
        index: texture.texture.index() as u32,
        tex_coord: Some(texture.uv_set).filter(|&set| set != 0),
        extras,
        extensions,
        ..TextureInfo::default()
    }
}

fn transform_members(transform: &UvTransform) -> Object {
    let mut members = Map::new();
    if transform.offset != [0.0; 2] {
        members.insert("offset".to_owned(), numbers(&transform.offset));
    }
    if transform.rotation != 0.0 {
        members.insert("rotation".to_owned(), number(transform.rotation));
    }
    if transform.scale != [1.0; 2] {
        members.insert("scale".to_owned(), numbers(&transform.scale));
    }
    if let Some(set) = transform.uv_set {
        members.insert("texCoord".to_owned(), json!(set));
    }
    members
}
