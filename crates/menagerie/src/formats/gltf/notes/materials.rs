//! What materials are that glTF has no place for, beside the nearest that it has: written by `lower`, and put back by `lift`
//! as long as nobody changed what stands in the file.

use serde_json::{Value, json};

use super::super::extras::Lifting;
use super::super::json::Object;
use super::{exact, object};
use crate::ops::phong_to_metallic_roughness;
use crate::scene::{
    AlphaMode, Extras, Id, Material, MetallicRoughness, Phong, Shading, SpecularGlossiness, TextureRef,
    UvTransform, float_from_json, float_to_json,
};

/// The same material with all factors between zero and one.
pub(in super::super) fn allowed(shading: &MetallicRoughness) -> MetallicRoughness {
    MetallicRoughness {
        base_color: shading.base_color.map(|x| x.clamp(0.0, 1.0)),
        metallic: shading.metallic.clamp(0.0, 1.0),
        roughness: shading.roughness.clamp(0.0, 1.0),
        ..shading.clone()
    }
}

pub(in super::super) fn phong_to_json(phong: &Phong) -> Value {
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
pub(in super::super) fn without_light(shading: &SpecularGlossiness) -> MetallicRoughness {
    allowed(&MetallicRoughness {
        base_color: shading.diffuse,
        base_color_texture: shading.diffuse_texture.clone(),
        ..MetallicRoughness::default()
    })
}

pub(in super::super) fn specular_glossiness_to_json(shading: &SpecularGlossiness) -> Value {
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
pub(in super::super) fn restore(material: &mut Material, lifting: &mut Lifting, textures: usize) {
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
