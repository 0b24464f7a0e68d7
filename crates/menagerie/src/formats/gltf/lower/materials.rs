use serde_json::{Map, Value, json};

use super::super::extension;
use super::super::extras::{GLTF, Lowering};
use super::super::json::{self, Object, PbrMetallicRoughness, TextureInfo};
use super::super::notes::materials::{allowed, phong_to_json, specular_glossiness_to_json, without_light};
use super::{Lowerer, exact, number, numbers, object};
use crate::diag::Aspect;
use crate::ops::phong_to_metallic_roughness;
use crate::scene::{
    AlphaMode, Blend, Material, MetallicRoughness, Shading, SpecularGlossiness, TextureRef, UvTransform,
    float_from_json, float_to_json,
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
        let mut unsaid = Vec::new();
        let mut result = json::Material {
            name: material.name.clone(),
            double_sided: material.double_sided.then_some(true),
            ..json::Material::default()
        };
        let kept = |field: &str| material.extras.get(GLTF, field);
        match &material.shading {
            Shading::MetallicRoughness(shading) => {
                result.pbr_metallic_roughness = metallic_roughness(shading, &mut lowering, &mut unsaid);
            }
            Shading::Phong(phong) => {
                lowering.put("phong", phong_to_json(phong));
                unsaid.push("Phong shading");
                // Clamping needs no second record: the Phong values are exact.
                let shading = allowed(&phong_to_metallic_roughness(phong));
                result.pbr_metallic_roughness =
                    metallic_roughness(&shading, &mut Lowering::default(), &mut Vec::new());
            }
            Shading::SpecularGlossiness(shading) if material.unlit && !self.from_gltf => {
                // Such a material may not have both extensions.
                lowering.put("specular_glossiness", specular_glossiness_to_json(shading));
                unsaid.push("specular-glossiness shading without light");
                result.pbr_metallic_roughness =
                    metallic_roughness(&without_light(shading), &mut Lowering::default(), &mut Vec::new());
            }
            Shading::SpecularGlossiness(shading) => {
                let extension = specular_glossiness(shading, &mut lowering, &mut unsaid);
                lowering.extension(extension::SPECULAR_GLOSSINESS, extension);
                result.pbr_metallic_roughness =
                    kept("fallback").and_then(|fallback| serde_json::from_value(fallback.clone()).ok());
            }
        }
        if !matches!(material.shading, Shading::SpecularGlossiness(_))
            && (kept("pbr_extras").is_some() || kept("pbr_extensions").is_some())
        {
            let pbr = result.pbr_metallic_roughness.get_or_insert_default();
            pbr.extras = kept("pbr_extras").cloned();
            if let Some(Value::Object(extensions)) = kept("pbr_extensions") {
                pbr.extensions = extensions.clone();
            }
        }
        self.emission(material, &mut result, &mut lowering, &mut unsaid);
        result.normal_texture = material.normal_texture.as_ref().map(|(texture, scale)| TextureInfo {
            scale: Some(*scale).filter(|&scale| scale != 1.0),
            ..texture_info(texture)
        });
        result.occlusion_texture = material.occlusion_texture.as_ref().map(|(texture, strength)| {
            let strength = clamped("occlusion_strength", &[*strength], &mut lowering, &mut unsaid);
            TextureInfo {
                strength: strength.first().copied().filter(|&strength| strength != 1.0),
                ..texture_info(texture)
            }
        });
        alpha(material.alpha, &mut result, &mut lowering, &mut unsaid);
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
        (result.extras, result.extensions) = lowering.finish();
        result
    }

    fn emission(
        &mut self,
        material: &Material,
        result: &mut json::Material,
        lowering: &mut Lowering,
        unsaid: &mut Vec<&'static str>,
    ) {
        result.emissive_texture = material.emissive_texture.as_ref().map(texture_info);
        let emissive = material.emissive.map(|x| x.max(0.0));
        if emissive != material.emissive {
            lowering.put("emissive", exact(&material.emissive));
            unsaid.push("negative emission");
        }
        let kept = material.extras.get(GLTF, "emissive_strength").and_then(float_from_json);
        let (factor, strength) = if material.unlit && kept.is_none() {
            // Such a material does not glow anyway, and may not have both extensions.
            if emissive.iter().any(|&x| x > 1.0) {
                lowering.put("emissive", exact(&material.emissive));
            }
            (emissive.map(|x| x.min(1.0)), None)
        } else {
            emissive_factor(emissive, kept)
        };
        result.emissive_factor = Some(factor).filter(|factor| *factor != [0.0; 3]);
        if let Some(strength) = strength {
            let members = object([("emissiveStrength", number(strength))]);
            lowering.extension(extension::EMISSIVE_STRENGTH, members);
            if kept != Some(strength) {
                // Reading finds a strength, which the Scene did not have as such.
                lowering.put("no_emissive_strength", true);
            }
        }
    }
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
    let strength = largest.log2().ceil().exp2();
    let strength = if strength < largest { strength * 2.0 } else { strength };
    (emissive.map(|x| x / strength), Some(strength))
}

fn alpha(
    alpha: AlphaMode,
    result: &mut json::Material,
    lowering: &mut Lowering,
    unsaid: &mut Vec<&'static str>,
) {
    let mode = match alpha {
        AlphaMode::Opaque => return,
        AlphaMode::Mask { cutoff } => {
            if cutoff < 0.0 {
                lowering.put("alpha_cutoff", float_to_json(cutoff));
                unsaid.push("a negative alpha cutoff");
            }
            result.alpha_cutoff = Some(cutoff.max(0.0)).filter(|&cutoff| cutoff != 0.5);
            "MASK"
        }
        AlphaMode::Blend(blend) => {
            match blend {
                Blend::Alpha => {}
                Blend::Additive => {
                    lowering.put("blend", "additive");
                    unsaid.push("additive blending");
                }
                Blend::Multiply => {
                    lowering.put("blend", "multiply");
                    unsaid.push("multiplying blending");
                }
            }
            "BLEND"
        }
    };
    result.alpha_mode = Some(mode.to_owned());
}

/// Values between zero and one; where they are not, the exact ones are kept as `field`.
fn clamped(
    field: &'static str,
    values: &[f32],
    lowering: &mut Lowering,
    unsaid: &mut Vec<&'static str>,
) -> Vec<f32> {
    let clamped: Vec<f32> = values.iter().map(|x| x.clamp(0.0, 1.0)).collect();
    if clamped != values {
        lowering.put(field, exact(values));
        unsaid.push("a factor outside 0 to 1");
    }
    clamped
}

fn metallic_roughness(
    shading: &MetallicRoughness,
    lowering: &mut Lowering,
    unsaid: &mut Vec<&'static str>,
) -> Option<PbrMetallicRoughness> {
    let base = clamped("base_color", &shading.base_color, lowering, unsaid);
    let metallic = clamped("metallic", &[shading.metallic], lowering, unsaid);
    let roughness = clamped("roughness", &[shading.roughness], lowering, unsaid);
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
    lowering: &mut Lowering,
    unsaid: &mut Vec<&'static str>,
) -> Object {
    let mut members = Map::new();
    let diffuse = clamped("diffuse", &shading.diffuse, lowering, unsaid);
    if diffuse != [1.0; 4] {
        members.insert("diffuseFactor".to_owned(), numbers(&diffuse));
    }
    if let Some(texture) = &shading.diffuse_texture {
        members.insert("diffuseTexture".to_owned(), json!(texture_info(texture)));
    }
    let specular = clamped("specular", &shading.specular, lowering, unsaid);
    if specular != [1.0; 3] {
        members.insert("specularFactor".to_owned(), numbers(&specular));
    }
    let glossiness = clamped("glossiness", &[shading.glossiness], lowering, unsaid);
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
