//! Materials of libraries as those of a Scene.

use std::collections::BTreeMap;

use crate::bytes::decode_text;
use crate::formats::obj::notes::{MaterialNote, Note as _};
use crate::formats::obj::parse::mtl::{Entry, Map};
use crate::scene::{
    AlphaMode, Blend, Image, ImageId, Material, MaterialId, MetallicRoughness, Phong, Sampler, Scene,
    Shading, Texture, TextureId, TextureRef, UvTransform, Wrap,
};

/// Adds the materials with these names; of several entries with one name the last counts.
pub(in crate::formats::obj) fn add(
    names: &[Vec<u8>],
    entries: &[Entry],
    scene: &mut Scene,
) -> Vec<MaterialId> {
    let by_name: BTreeMap<&str, &Entry> = entries.iter().map(|entry| (entry.name.as_str(), entry)).collect();
    let mut textures = Textures::default();
    let mut ids = Vec::with_capacity(names.len());
    for raw in names {
        let (name, utf8) = decode_text(raw);
        let plain = Entry::default();
        let entry = by_name.get(name.as_str()).copied().unwrap_or(&plain);
        let mut material = material(entry, &mut textures, scene);
        material.name = name;
        if !utf8 {
            MaterialNote::change(&mut material.extras, |note| note.name_bytes = Some(raw.clone()));
        }
        ids.push(scene.materials.push(material));
    }
    ids
}

/// The textures that are in the Scene already.
#[derive(Default)]
struct Textures {
    images: BTreeMap<String, ImageId>,
    textures: BTreeMap<(String, bool), TextureId>,
}

impl Textures {
    fn reference(&mut self, map: &Map, scene: &mut Scene) -> TextureRef {
        let image = *self
            .images
            .entry(map.file.clone())
            .or_insert_with(|| scene.images.push(Image { uri: Some(map.file.clone()), ..Image::default() }));
        let texture = *self.textures.entry((map.file.clone(), map.clamp)).or_insert_with(|| {
            let clamped = || Sampler { wrap_u: Wrap::Clamp, wrap_v: Wrap::Clamp, ..Sampler::default() };
            let sampler = map.clamp.then(clamped);
            scene.textures.push(Texture { image: Some(image), sampler, ..Texture::default() })
        });
        let mut reference = TextureRef::new(texture);
        let [su, sv] = map.scale;
        let [ou, ov] = map.offset;
        if map.scale != [1.0; 2] || map.offset != [0.0; 2] {
            // The file counts v upward from the bottom of the picture.
            let offset = [ou, 1.0 - sv - ov].map(|x| if x.is_finite() { x } else { 0.0 });
            reference.transform = Some(UvTransform { offset, rotation: 0.0, scale: [su, sv], uv_set: None });
        }
        reference
    }
}

/// Whether an entry describes metal and roughness.
fn is_pbr(entry: &Entry) -> bool {
    ["pr", "pm"].iter().any(|key| entry.values.contains_key(key))
        || ["map_pr", "map_pm"].iter().any(|key| entry.maps.contains_key(key))
}

fn material(entry: &Entry, textures: &mut Textures, scene: &mut Scene) -> Material {
    let mut texture = |key: &str| entry.maps.get(key).map(|map| textures.reference(map, scene));
    let number = |key: &str| entry.values.get(key).and_then(|values| values.first()).copied();
    let color = |key: &str| match entry.values.get(key).map(Vec::as_slice) {
        Some([grey]) => Some([*grey; 3]),
        Some([r, g, b, ..]) => Some([*r, *g, *b]),
        _ => None,
    };
    let mut other = entry.other.clone();
    let opacity = number("d").or_else(|| number("tr").map(|transparency| 1.0 - transparency)).unwrap_or(1.0);
    let [r, g, b] = color("kd").unwrap_or([1.0; 3]);
    let base = [r, g, b, opacity];
    let strength = |key: &str| entry.maps.get(key).and_then(|map| map.strength).unwrap_or(1.0);
    let file = |key: &str| entry.maps.get(key).map(|map| map.file.as_str());
    // A picture's own alpha needs no picture of the opacity.
    let own_alpha = file("map_d").is_some() && file("map_d") == file("map_kd");
    let mut material = Material {
        emissive: color("ke").unwrap_or([0.0; 3]),
        emissive_texture: texture("map_ke"),
        normal_texture: texture("norm").map(|normal| (normal, strength("norm"))),
        unlit: number("illum") == Some(0.0),
        alpha: if opacity < 1.0 || file("map_d").is_some() {
            AlphaMode::Blend(Blend::Alpha)
        } else {
            AlphaMode::Opaque
        },
        ..Material::default()
    };
    if material.emissive_texture.is_some() && color("ke").is_none() {
        material.emissive = [1.0; 3];
    }
    let base_texture = texture("map_kd");
    if is_pbr(entry) {
        let combined = file("map_pr").is_some() && file("map_pr") == file("map_pm");
        let metallic_roughness_texture = if combined { texture("map_pr") } else { None };
        material.shading = Shading::MetallicRoughness(MetallicRoughness {
            base_color: base,
            base_color_texture: base_texture,
            metallic: number("pm").unwrap_or(if combined { 1.0 } else { 0.0 }),
            roughness: number("pr").unwrap_or(1.0),
            metallic_roughness_texture,
        });
        // What many programs call a bump map is a normal map, above all beside metal and roughness.
        if material.normal_texture.is_none() {
            material.normal_texture = texture("bump").map(|normal| (normal, strength("bump")));
        }
        keep(entry, &["ka", "ks", "ns"], &mut other);
        if !combined {
            keep_maps(entry, &["map_pr", "map_pm"], &mut other);
        }
        keep_maps(entry, &["map_ka", "map_ks", "map_ns"], &mut other);
    } else {
        material.shading = Shading::Phong(Box::new(Phong {
            ambient: color("ka").unwrap_or([0.0; 3]),
            diffuse: base,
            specular: color("ks").unwrap_or([0.0; 3]),
            shininess: number("ns").unwrap_or(32.0),
            ambient_texture: texture("map_ka"),
            diffuse_texture: base_texture,
            specular_texture: texture("map_ks"),
            shininess_texture: texture("map_ns"),
            bump_texture: texture("bump").map(|bump| (bump, strength("bump"))),
            opacity_texture: if own_alpha { None } else { texture("map_d") },
        }));
    }
    if !other.is_empty() {
        MaterialNote { lines: Some(other), name_bytes: None }.keep(&mut material.extras);
    }
    material
}

/// Keeps numbers that this shading has no place for as lines.
fn keep(entry: &Entry, keys: &[&'static str], other: &mut Vec<String>) {
    for key in keys {
        if let Some(values) = entry.values.get(key) {
            let words: Vec<String> = values.iter().map(ToString::to_string).collect();
            let mut name = (*key).to_owned();
            name.get_mut(..1).into_iter().for_each(str::make_ascii_uppercase);
            other.push(format!("{name} {}", words.join(" ")));
        }
    }
}

fn keep_maps(entry: &Entry, keys: &[&'static str], other: &mut Vec<String>) {
    for key in keys {
        if let Some(map) = entry.maps.get(key) {
            other.push(format!("{key} {}", map.file));
        }
    }
}
