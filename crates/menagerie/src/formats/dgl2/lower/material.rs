//! Materials to properties that the engine reads.

use super::super::dml::Value as _;
use super::super::notes::{MaterialNote, Name, Note as _};
use super::super::surface::{Pairs, Surface, given_off, set};
use super::{
    Chunk, ChunkData, FORMAT, Lowering, MaterialData, Properties, Purpose, kind, mend_colors, mend_flags,
};
use crate::diag::Aspect;
use crate::formats::is_placed_otherwise;
use crate::ops::to_painted_phong;
use crate::scene::{AlphaMode, Blend, Extras, Material, Phong, Sampler, Shading, TextureRef};

impl Lowering<'_> {
    pub(super) fn materials(&mut self) -> Vec<Chunk> {
        let mut chunks = Vec::new();
        for (id, material) in self.scene.materials.iter() {
            let path = format!("materials[{}]", id.index());
            let note = MaterialNote::of(&material.extras);
            let (pairs, braced) = (note.properties.unwrap_or_default(), note.braced);
            let before = Surface::read(&pairs, |_, _| {});
            let reported =
                (!self.used.contains(&id) && !material.name.is_empty()).then(|| self.losses.clone());
            let surface = self.surface(&path, material, &before);
            if let Some(reported) = reported {
                *self.losses = reported;
            }
            let mut pairs = surface.write(pairs);
            if self.purpose == Purpose::Engine {
                mend_material(&mut pairs, &surface);
            }
            let text = self.text(&path, pairs, braced);
            let data = match note.bare {
                true => MaterialData::Bare(text),
                false => {
                    let after = note.after.0;
                    MaterialData::Sized(Properties { stated_size: None, text, after })
                }
            };
            let name = self.name(Name { bytes: note.name_bytes, number: note.numbered }, &material.name);
            chunks.push(Chunk {
                kind: kind::MATERIAL,
                id: self.material_id(Some(id)),
                name,
                data: ChunkData::Material(data),
            });
        }
        chunks
    }

    /// What a material is in DGL2. `before` is what its properties meant when it came from there.
    fn surface(&mut self, path: &str, material: &Material, before: &Surface) -> Surface {
        for message in unheld(material) {
            self.losses.approximated(Aspect::Materials, path, message);
        }
        let from_file = material.extras.of(FORMAT.id).is_some();
        let mut phong = to_painted_phong(&material.shading);
        if material.unlit {
            // It shows its colour as it is, metal or not.
            phong.diffuse = material.base_color();
        }
        let [r, g, b] = phong.specular;
        let [_, _, _, specular_alpha] = before.specular;
        let mut textures = before.textures.clone();
        let normal = material.normal_texture.as_ref();
        let slots = [
            phong.diffuse_texture.as_ref(),
            normal.map(|(texture, _)| texture),
            material.emissive_texture.as_ref().filter(|_| !gives_off_its_colour(material, &phong)),
        ];
        for (slot, texture) in textures.iter_mut().zip(slots) {
            *slot = texture.and_then(|texture| self.file_name(path, texture, from_file));
        }
        self.report_textures(path, material, &phong);
        Surface {
            diffuse: phong.diffuse,
            specular: [r, g, b, specular_alpha],
            shininess: phong.shininess,
            emission: self.emission(path, material, &phong, before),
            shadeless: material.unlit,
            additive: material.alpha == AlphaMode::Blend(Blend::Additive),
            double_sided: material.double_sided,
            textures,
        }
    }

    /// The factor of the diffuse colour that a material gives off.
    fn emission(&mut self, path: &str, material: &Material, phong: &Phong, before: &Surface) -> f32 {
        let [r, g, b, _] = phong.diffuse;
        let given_off = |factor: f32| given_off(phong.diffuse, factor);
        let through_picture = material.emissive_texture.is_none() && phong.diffuse_texture.is_some();
        if through_picture && material.emissive != [0.0; 3] {
            let message = "DGL2 gives off the surface's colour with its picture, not a colour alone";
            self.losses.approximated(Aspect::Materials, path, message);
            self.losses.approximated(Aspect::Textures, path, message);
        }
        let glows = material.emissive_texture.is_some() && material.emissive == [1.0; 3];
        if glows && before.emission == 0.0 {
            return 0.0;
        }
        if given_off(before.emission) == material.emissive
            && (before.emission != 0.0 || material.emissive_texture.is_none())
        {
            return before.emission;
        }
        let ratios = material.emissive.iter().zip([r, g, b]).filter(|(_, x)| *x > 0.0).map(|(e, x)| e / x);
        let factor = ratios.fold(0.0, f32::max);
        let meant = given_off(factor);
        let off = meant.iter().zip(&material.emissive).any(|(a, b)| (a - b).abs() > 1e-6);
        if off || (factor == 0.0 && material.emissive_texture.is_some()) {
            let message = "DGL2 gives off a factor of the diffuse colour; the nearest factor was taken";
            self.losses.approximated(Aspect::Materials, path, message);
        }
        factor
    }

    /// The name of a picture. The engine looks it up as it is and takes a comma for its end (engines.md DGL2 E5, E6).
    fn file_name(&mut self, path: &str, texture: &TextureRef, from_file: bool) -> Option<String> {
        let for_engine = self.purpose == Purpose::Engine || (self.purpose == Purpose::Both && !from_file);
        let image = self.scene.textures.get(texture.texture).and_then(|t| self.scene.images.get(t.image?));
        let base = |uri: &str| uri.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        let name = image.and_then(|image| image.uri.clone());
        let name = name.map(|uri| if for_engine { base(&uri) } else { uri });
        let sayable =
            |name: &String| !(name.is_empty() || name.contains('"') || for_engine && name.contains(','));
        let name = name.filter(sayable);
        if name.is_none() {
            let message = "a texture without a file name, or with quotes or commas in it, was left out";
            self.losses.dropped(Aspect::Textures, path, message);
        }
        name
    }

    fn report_textures(&mut self, path: &str, material: &Material, phong: &Phong) {
        let held = [
            phong.diffuse_texture.is_some(),
            material.normal_texture.is_some(),
            material.emissive_texture.is_some(),
        ];
        let others = material.textures().count() - held.iter().filter(|held| **held).count();
        if others > 0 {
            let message = "DGL2 has colour, normal and glow pictures; other maps were left out";
            self.losses.dropped(Aspect::Textures, path, message);
        }
        let main = material.base_color_texture().or_else(|| material.textures().next());
        let stored = |texture: &TextureRef| self.scene.textures.get(texture.texture);
        let special = |texture: &TextureRef| {
            is_placed_otherwise(texture, main)
                || stored(texture).and_then(|t| t.sampler.as_ref()).is_some_and(|sampler| {
                    Sampler { name: String::new(), extras: Extras::default(), ..sampler.clone() }
                        != Sampler::default()
                })
        };
        if material.textures().any(special) {
            let message = "how textures are placed, tiled and filtered has no place in DGL2";
            self.losses.dropped(Aspect::Textures, path, message);
        } else if material.textures().any(|texture| is_placed_otherwise(texture, None)) {
            let message = "textures are placed by their coordinates in DGL2";
            self.losses.approximated(Aspect::Textures, path, message);
        }
    }
}

/// Makes the properties of a material such as the engine can read them (engines.md DGL2 E2, E4, E5).
fn mend_material(pairs: &mut Pairs, surface: &Surface) {
    mend_flags(pairs, &["shadeless", "doubleSided", "emission", "shininess"]);
    mend_colors(pairs, &["diffuseColor", "specularColor"]);
    pairs.retain(|(name, value)| name != "blendMode" || value.as_float().is_some());
    for (_, value) in pairs.iter_mut().filter(|(name, _)| name == "blendMode") {
        *value = format!("{}", value.as_float().unwrap_or_default() as i32);
    }
    let slot = |name: &str| name.strip_prefix("texture").and_then(|slot| slot.parse::<usize>().ok());
    let shown = |slot: usize| surface.textures.get(slot).cloned().flatten();
    pairs.retain(|(name, _)| {
        slot(name).is_none_or(|slot| shown(slot).is_some_and(|name| !name.contains(',')))
    });
    for (name, value) in pairs.iter_mut() {
        if let Some(file) = slot(name).and_then(shown) {
            *value = format!("[{file}, {}]", value.as_texture().1.unwrap_or(0));
        }
    }
    // The engine looks at the slots below this number.
    let last = pairs.iter().filter_map(|(name, _)| slot(name)).max();
    set(pairs, "texturesNum", last.map_or(0, |last| last + 1).to_string());
}

/// Whether the light that a material gives off is a part of its own colour, picture included: what DGL2 means by a
/// factor without a glow picture.
fn gives_off_its_colour(material: &Material, phong: &Phong) -> bool {
    let picture = |texture: &TextureRef| (texture.texture, texture.uv_set, texture.transform);
    let own = phong.diffuse_texture.as_ref().map(picture);
    material.emissive != [0.0; 3] && own.is_some() && material.emissive_texture.as_ref().map(picture) == own
}

/// What a material has that DGL2 has no place for.
fn unheld(material: &Material) -> Vec<&'static str> {
    let mut list = Vec::new();
    match &material.shading {
        Shading::Phong(phong) => {
            if phong.ambient != [0.0; 3] {
                list.push("an ambient colour has no place in DGL2");
            }
            if phong.bump_texture.is_some() {
                list.push("bump maps have no place in DGL2");
            }
        }
        _ => list.push("DGL2 shades by Phong; colours and shininess were chosen to look alike"),
    }
    match material.alpha {
        AlphaMode::Mask { .. } => list.push("an alpha threshold has no place in DGL2"),
        AlphaMode::Blend(Blend::Multiply) => list.push("multiplying has no place in DGL2"),
        AlphaMode::Blend(Blend::Alpha) => list.push("entities are transparent in DGL2, not materials"),
        AlphaMode::Opaque | AlphaMode::Blend(Blend::Additive) => {}
    }
    if material.normal_texture.as_ref().is_some_and(|(_, strength)| *strength != 1.0) {
        list.push("the strength of normal maps has no place in DGL2");
    }
    if material.occlusion_texture.is_some() {
        list.push("occlusion maps have no place in DGL2");
    }
    list
}
