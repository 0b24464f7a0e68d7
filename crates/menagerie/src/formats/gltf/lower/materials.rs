use serde_json::{Map, Value, json};

use super::super::extension;
use super::super::extras::{GLTF, Lifting, Lowering};
use super::super::json::{self, Object, PbrMetallicRoughness, TextureInfo};
use super::{Lowerer, exact, number, numbers, object};
use crate::diag::Aspect;
use crate::ops::phong_to_metallic_roughness;
use crate::scene::{
    AlphaMode, Blend, Extras, Id, Material, MetallicRoughness, Phong, Shading, SpecularGlossiness,
    TextureRef, UvTransform, float_from_json, float_to_json,
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

/// The same material with all factors between zero and one.
fn allowed(shading: &MetallicRoughness) -> MetallicRoughness {
    MetallicRoughness {
        base_color: shading.base_color.map(|x| x.clamp(0.0, 1.0)),
        metallic: shading.metallic.clamp(0.0, 1.0),
        roughness: shading.roughness.clamp(0.0, 1.0),
        ..shading.clone()
    }
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

fn phong_to_json(phong: &Phong) -> Value {
    let mut members = object([
        ("ambient", exact(&phong.ambient)),
        ("diffuse", exact(&phong.diffuse)),
        ("specular", exact(&phong.specular)),
        ("shininess", float_to_json(phong.shininess)),
    ]);
    for (name, texture) in [
        ("ambient_texture", &phong.ambient_texture),
        ("diffuse_texture", &phong.diffuse_texture),
        ("specular_texture", &phong.specular_texture),
        ("shininess_texture", &phong.shininess_texture),
        ("opacity_texture", &phong.opacity_texture),
        ("bump_texture", &phong.bump_texture.as_ref().map(|(texture, _)| texture.clone())),
    ] {
        if let Some(texture) = texture {
            members.insert(name.to_owned(), texture_to_json(texture));
        }
    }
    if let Some((_, strength)) = phong.bump_texture {
        members.insert("bump_strength".to_owned(), float_to_json(strength));
    }
    Value::Object(members)
}

fn texture_to_json(texture: &TextureRef) -> Value {
    let mut members = object([("index", json!(texture.texture.index())), ("uv_set", json!(texture.uv_set))]);
    if let Some(transform) = &texture.transform {
        let mut inner = object([
            ("offset", exact(&transform.offset)),
            ("rotation", float_to_json(transform.rotation)),
            ("scale", exact(&transform.scale)),
        ]);
        if let Some(set) = transform.uv_set {
            inner.insert("uv_set".to_owned(), json!(set));
        }
        members.insert("transform".to_owned(), Value::Object(inner));
    }
    if !texture.extras.is_empty() {
        let extras: Object = texture.extras.iter().map(|(k, v)| (k.to_owned(), v.clone())).collect();
        members.insert("extras".to_owned(), Value::Object(extras));
    }
    Value::Object(members)
}

fn texture_from_json(value: &Value, textures: usize) -> Option<TextureRef> {
    let index = usize::try_from(value.get("index")?.as_u64()?).ok().filter(|&index| index < textures)?;
    let set = |value: &Value| u32::try_from(value.as_u64()?).ok();
    let transform = value.get("transform").and_then(|t| {
        Some(UvTransform {
            offset: floats(t.get("offset")?)?,
            rotation: float_from_json(t.get("rotation")?)?,
            scale: floats(t.get("scale")?)?,
            uv_set: t.get("uv_set").and_then(set),
        })
    });
    let mut extras = Extras::default();
    for (key, value) in value.get("extras").and_then(Value::as_object).into_iter().flatten() {
        extras.set_all(key, value.clone());
    }
    Some(TextureRef {
        texture: Id::new(index),
        uv_set: value.get("uv_set").and_then(set).unwrap_or(0),
        transform,
        extras,
    })
}

fn phong_from_json(value: &Value, textures: usize) -> Option<Phong> {
    let texture = |name: &str| value.get(name).and_then(|value| texture_from_json(value, textures));
    let strength = value.get("bump_strength").and_then(float_from_json).unwrap_or(1.0);
    Some(Phong {
        ambient: floats(value.get("ambient")?)?,
        diffuse: floats(value.get("diffuse")?)?,
        specular: floats(value.get("specular")?)?,
        shininess: float_from_json(value.get("shininess")?).filter(|x| x.is_finite())?,
        ambient_texture: texture("ambient_texture"),
        diffuse_texture: texture("diffuse_texture"),
        specular_texture: texture("specular_texture"),
        shininess_texture: texture("shininess_texture"),
        bump_texture: texture("bump_texture").map(|texture| (texture, strength)),
        opacity_texture: texture("opacity_texture"),
    })
}

/// What is seen of a specular-glossiness material without light.
fn without_light(shading: &SpecularGlossiness) -> MetallicRoughness {
    allowed(&MetallicRoughness {
        base_color: shading.diffuse,
        base_color_texture: shading.diffuse_texture.clone(),
        ..MetallicRoughness::default()
    })
}

fn specular_glossiness_to_json(shading: &SpecularGlossiness) -> Value {
    let mut members = object([
        ("diffuse", exact(&shading.diffuse)),
        ("specular", exact(&shading.specular)),
        ("glossiness", float_to_json(shading.glossiness)),
    ]);
    for (name, texture) in [
        ("diffuse_texture", &shading.diffuse_texture),
        ("specular_glossiness_texture", &shading.specular_glossiness_texture),
    ] {
        if let Some(texture) = texture {
            members.insert(name.to_owned(), texture_to_json(texture));
        }
    }
    Value::Object(members)
}

fn specular_glossiness_from_json(value: &Value, textures: usize) -> Option<SpecularGlossiness> {
    let texture = |name: &str| value.get(name).and_then(|value| texture_from_json(value, textures));
    Some(SpecularGlossiness {
        diffuse: floats(value.get("diffuse")?)?,
        diffuse_texture: texture("diffuse_texture"),
        specular: floats(value.get("specular")?)?,
        glossiness: float_from_json(value.get("glossiness")?).filter(|x| x.is_finite())?,
        specular_glossiness_texture: texture("specular_glossiness_texture"),
    })
}

/// Exactly `N` finite floats.
fn floats<const N: usize>(value: &Value) -> Option<[f32; N]> {
    let list: Option<Vec<f32>> =
        value.as_array()?.iter().map(|x| float_from_json(x).filter(|x| x.is_finite())).collect();
    list?.try_into().ok()
}

/// Puts back what glTF has no place for, unless the material was edited since: then the edit wins.
pub(in super::super) fn restore_material(material: &mut Material, lifting: &mut Lifting, textures: usize) {
    let phong = lifting.take("phong").and_then(|phong| phong_from_json(&phong, textures));
    if let (Some(phong), Shading::MetallicRoughness(shading)) = (phong, &material.shading)
        && allowed(&phong_to_metallic_roughness(&phong)) == *shading
    {
        material.shading = Shading::Phong(Box::new(phong));
    }
    let gloss = lifting.take("specular_glossiness");
    let gloss = gloss.and_then(|gloss| specular_glossiness_from_json(&gloss, textures));
    if let (Some(gloss), Shading::MetallicRoughness(shading)) = (gloss, &material.shading)
        && without_light(&gloss) == *shading
    {
        material.shading = Shading::SpecularGlossiness(gloss);
    }
    let mut put_back = |field: &str, values: &mut [f32]| {
        let Some(exact) = lifting.take(field) else { return };
        let exact: Vec<f32> = exact.as_array().into_iter().flatten().filter_map(float_from_json).collect();
        let fits = exact.len() == values.len()
            && exact
                .iter()
                .zip(&*values)
                .all(|(exact, value)| exact.is_finite() && exact.clamp(0.0, 1.0) == *value);
        if fits {
            values.copy_from_slice(&exact);
        }
    };
    match &mut material.shading {
        Shading::MetallicRoughness(shading) => {
            put_back("base_color", &mut shading.base_color);
            put_back("metallic", std::slice::from_mut(&mut shading.metallic));
            put_back("roughness", std::slice::from_mut(&mut shading.roughness));
        }
        Shading::SpecularGlossiness(shading) => {
            put_back("diffuse", &mut shading.diffuse);
            put_back("specular", &mut shading.specular);
            put_back("glossiness", std::slice::from_mut(&mut shading.glossiness));
        }
        Shading::Phong(_) => {}
    }
    if let Some((_, strength)) = &mut material.occlusion_texture {
        put_back("occlusion_strength", std::slice::from_mut(strength));
    }
    if let Some(exact) = lifting.take("emissive").as_ref().and_then(floats::<3>)
        && (exact.map(|x| x.max(0.0)) == material.emissive
            || exact.map(|x| x.clamp(0.0, 1.0)) == material.emissive)
    {
        material.emissive = exact;
    }
    let cutoff = lifting.take("alpha_cutoff").as_ref().and_then(float_from_json);
    if let (Some(exact), AlphaMode::Mask { cutoff }) = (cutoff, &mut material.alpha)
        && exact < 0.0
        && *cutoff == 0.0
    {
        *cutoff = exact;
    }
    if lifting.take("no_emissive_strength").is_some() {
        lifting.forget("emissive_strength");
    }
}
