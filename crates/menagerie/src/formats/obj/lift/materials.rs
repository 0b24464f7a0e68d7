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

impl Entry {
    fn number(&self, key: &str) -> Option<f32> {
        self.values.get(key).and_then(|values| values.first()).copied()
    }

    fn color(&self, key: &str) -> Option<[f32; 3]> {
        match self.values.get(key).map(Vec::as_slice) {
            Some([grey]) => Some([*grey; 3]),
            Some([r, g, b, ..]) => Some([*r, *g, *b]),
            _ => None,
        }
    }

    fn strength(&self, key: &str) -> f32 {
        self.maps.get(key).and_then(|map| map.strength).unwrap_or(1.0)
    }

    fn file(&self, key: &str) -> Option<&str> {
        self.maps.get(key).map(|map| map.file.as_str())
    }

    fn opacity(&self) -> f32 {
        let transparency = || self.number("tr").map(|transparency| 1.0 - transparency);
        self.number("d").or_else(transparency).unwrap_or(1.0)
    }

    fn base(&self) -> [f32; 4] {
        let [r, g, b] = self.color("kd").unwrap_or([1.0; 3]);
        [r, g, b, self.opacity()]
    }

    /// Whether one picture has both metal and roughness.
    fn is_combined(&self) -> bool {
        self.file("map_pr").is_some() && self.file("map_pr") == self.file("map_pm")
    }
}

/// The texture of a key of an entry, as a reference of the Scene.
type Take<'a> = dyn FnMut(&str) -> Option<TextureRef> + 'a;

fn metallic_roughness(entry: &Entry, texture: &mut Take<'_>) -> MetallicRoughness {
    let combined = entry.is_combined();
    MetallicRoughness {
        base_color: entry.base(),
        base_color_texture: texture("map_kd"),
        metallic: entry.number("pm").unwrap_or(if combined { 1.0 } else { 0.0 }),
        roughness: entry.number("pr").unwrap_or(1.0),
        metallic_roughness_texture: if combined { texture("map_pr") } else { None },
    }
}

fn phong(entry: &Entry, texture: &mut Take<'_>) -> Phong {
    // A picture's own alpha needs no picture of the opacity.
    let own_alpha = entry.file("map_d").is_some() && entry.file("map_d") == entry.file("map_kd");
    let diffuse_texture = texture("map_kd");
    Phong {
        ambient: entry.color("ka").unwrap_or([0.0; 3]),
        diffuse: entry.base(),
        specular: entry.color("ks").unwrap_or([0.0; 3]),
        shininess: entry.number("ns").unwrap_or(32.0),
        ambient_texture: texture("map_ka"),
        diffuse_texture,
        specular_texture: texture("map_ks"),
        shininess_texture: texture("map_ns"),
        bump_texture: texture("bump").map(|bump| (bump, entry.strength("bump"))),
        opacity_texture: if own_alpha { None } else { texture("map_d") },
    }
}

fn material(entry: &Entry, textures: &mut Textures, scene: &mut Scene) -> Material {
    let mut texture = |key: &str| entry.maps.get(key).map(|map| textures.reference(map, scene));
    let mut other = entry.other.clone();
    let mut material = Material {
        emissive: entry.color("ke").unwrap_or([0.0; 3]),
        emissive_texture: texture("map_ke"),
        normal_texture: texture("norm").map(|normal| (normal, entry.strength("norm"))),
        unlit: entry.number("illum") == Some(0.0),
        alpha: if entry.opacity() < 1.0 || entry.file("map_d").is_some() {
            AlphaMode::Blend(Blend::Alpha)
        } else {
            AlphaMode::Opaque
        },
        ..Material::default()
    };
    if material.emissive_texture.is_some() && entry.color("ke").is_none() {
        material.emissive = [1.0; 3];
    }
    if is_pbr(entry) {
        material.shading = Shading::MetallicRoughness(metallic_roughness(entry, &mut texture));
        // What many programs call a bump map is a normal map, above all beside metal and roughness.
        if material.normal_texture.is_none() {
            material.normal_texture = texture("bump").map(|normal| (normal, entry.strength("bump")));
        }
        keep(entry, &["ka", "ks", "ns"], &mut other);
        if !entry.is_combined() {
            keep_maps(entry, &["map_pr", "map_pm"], &mut other);
        }
        keep_maps(entry, &["map_ka", "map_ks", "map_ns"], &mut other);
    } else {
        material.shading = Shading::Phong(Box::new(phong(entry, &mut texture)));
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
