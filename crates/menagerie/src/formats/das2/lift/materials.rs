//! Phong and PBR materials, and the pictures that their URIs name.

use super::{Lifter, MaterialKey, name, odd_bytes};
use crate::diag::Issue;
use crate::formats::das2::codes;
use crate::formats::das2::model::{Level, NONE, Pbr, Phong, SLOTS, Text, UvSlot, material_type};
use crate::formats::das2::notes::{Float, ImageNote, MaterialNote, Note as _};
use crate::scene::{
    AlphaMode, Blend, Image, Material, MaterialId, MetallicRoughness, Phong as PhongShading, Shading,
    Texture, TextureId, TextureRef,
};

impl Lifter<'_> {
    /// All materials in the order of the file, Phong first. Which set of coordinates a picture uses is said by the
    /// meshes, so the first mesh with a material decides; others that differ get one of their own.
    pub(super) fn materials(&mut self) {
        let levels = self.lists.meshes.iter().flat_map(|mesh| &mesh.levels);
        let keys: Vec<MaterialKey> = levels.map(|level| self.material_key(level)).collect();
        let phong = (0..self.lists.phong_materials.len()).map(|id| (material_type::PHONG, id));
        let pbr = (0..self.lists.pbr_materials.len()).map(|id| (material_type::PBR, id));
        for (kind, id) in phong.chain(pbr) {
            let id = u32::try_from(id).unwrap_or(NONE);
            let first = keys.iter().find(|key| (key.0, key.1) == (kind, id)).copied();
            self.material_for(first.unwrap_or((kind, id, [0; SLOTS])), None);
        }
    }

    /// The material of a level; `None` for none.
    pub(super) fn material(&mut self, level: &Level) -> Option<MaterialId> {
        let key = self.material_key(level);
        if let Some(material) = self.materials.get(&key) {
            return Some(*material);
        }
        let (kind, id, _) = key;
        let first = self.materials.iter().find(|(key, _)| (key.0, key.1) == (kind, id));
        let first = first.map(|(_, material)| *material);
        self.material_for(key, first)
    }

    /// What makes the material of a level differ from that of another.
    fn material_key(&self, level: &Level) -> MaterialKey {
        let sets = super::geometry::uv_sets(&self.geometry, level);
        let used: &[UvSlot] = match level.material_type {
            material_type::PHONG => &[UvSlot::Emission, UvSlot::PhongDiffuse, UvSlot::PhongSpecular],
            material_type::PBR => {
                &[UvSlot::Occlusion, UvSlot::Emission, UvSlot::Albedo, UvSlot::Metalness, UvSlot::Roughness]
            }
            _ => &[],
        };
        let mut slots = [0; SLOTS];
        for slot in used {
            let set = sets.slots.get(*slot as usize).copied().flatten();
            if let Some(place) = slots.get_mut(*slot as usize) {
                *place = set.unwrap_or(0);
            }
        }
        (level.material_type, level.material, slots)
    }

    fn material_for(&mut self, key: MaterialKey, variant_of: Option<MaterialId>) -> Option<MaterialId> {
        let (kind, id, slots) = key;
        let mut material = match kind {
            material_type::PHONG => {
                let phong = *self.lists.phong_materials.get(id as usize)?;
                let mut material = self.phong(phong, &slots);
                self.note.restore_extras(&format!("phong_materials.{id}"), &mut material.extras);
                material
            }
            material_type::PBR => {
                let pbr = *self.lists.pbr_materials.get(id as usize)?;
                let mut material = self.pbr(pbr, &slots, id);
                self.note.restore_extras(&format!("pbr_materials.{id}"), &mut material.extras);
                material
            }
            _ => return None,
        };
        if let Some(first) = variant_of {
            MaterialNote::change(&mut material.extras, |note| note.variant_of = Some(first.index()));
        }
        let material = self.scene.materials.push(material);
        let list = if kind == material_type::PHONG { "phong_materials" } else { "pbr_materials" };
        let place = self.place(list, id as usize);
        self.origins.material(material.index(), || place);
        self.materials.insert(key, material);
        Some(material)
    }

    fn phong(&mut self, phong: &Phong, slots: &[u32; SLOTS]) -> Material {
        let mut material = Material::default();
        material.name = name(&phong.name, &mut material.extras);
        let ([diffuse @ .., alpha], [specular @ .., specular_alpha]) =
            (finite(phong.diffuse), finite(phong.specular));
        let [emission @ .., emission_alpha] = finite(phong.emission);
        material.alpha = alpha_mode(alpha);
        // What glows and answers to no light is written so for surfaces that light does not change.
        if diffuse == [0.0; 3] && phong.specular == [0.0; 4] && emission_alpha == 1.0 {
            let [r, g, b] = emission;
            material.unlit = true;
            material.shading = Shading::Phong(Box::new(PhongShading {
                diffuse: [r, g, b, alpha],
                diffuse_texture: self.texture_ref(&phong.emission_map, slots, UvSlot::Emission),
                ..PhongShading::default()
            }));
            return material;
        }
        material.emissive = emission;
        material.emissive_texture = self.texture_ref(&phong.emission_map, slots, UvSlot::Emission);
        let [r, g, b] = diffuse;
        material.shading = Shading::Phong(Box::new(PhongShading {
            diffuse: [r, g, b, alpha],
            specular,
            diffuse_texture: self.texture_ref(&phong.diffuse_map, slots, UvSlot::PhongDiffuse),
            specular_texture: self.texture_ref(&phong.specular_map, slots, UvSlot::PhongSpecular),
            ..PhongShading::default()
        }));
        MaterialNote::change(&mut material.extras, |note| {
            note.specular_alpha = unless_one(specular_alpha);
            note.emission_alpha = unless_one(emission_alpha);
        });
        material
    }

    fn pbr(&mut self, pbr: &Pbr, slots: &[u32; SLOTS], id: u32) -> Material {
        let mut material = Material::default();
        material.name = name(&pbr.name, &mut material.extras);
        let base_color = finite(pbr.albedo);
        let [.., alpha] = base_color;
        let [emissive @ .., emission_alpha] = finite(pbr.emissive);
        let [roughness, metallic, occlusion] = finite([pbr.roughness, pbr.metallic, pbr.ambient_occlusion]);
        material.alpha = alpha_mode(alpha);
        material.emissive = emissive;
        material.emissive_texture = self.texture_ref(&pbr.emission_map, slots, UvSlot::Emission);
        material.occlusion_texture = self
            .texture_ref(&pbr.ambient_occlusion_map, slots, UvSlot::Occlusion)
            .map(|texture| (texture, occlusion));
        let no_picture = material.occlusion_texture.is_none();
        MaterialNote::change(&mut material.extras, |note| {
            note.ambient_occlusion = unless_one(occlusion).filter(|_| no_picture);
            note.emission_alpha = unless_one(emission_alpha);
        });
        // One picture for both is what glTF has.
        let combined = pbr.roughness_map.bytes == pbr.metallic_map.bytes;
        let metallic_roughness_texture =
            if combined { self.texture_ref(&pbr.metallic_map, slots, UvSlot::Metalness) } else { None };
        if !combined {
            let (roughness_map, roughness_map_bytes) = self.separate_map(&pbr.roughness_map);
            let (metallic_map, metallic_map_bytes) = self.separate_map(&pbr.metallic_map);
            MaterialNote::change(&mut material.extras, |note| {
                (note.roughness_map, note.roughness_map_bytes) = (roughness_map, roughness_map_bytes);
                (note.metallic_map, note.metallic_map_bytes) = (metallic_map, metallic_map_bytes);
            });
            self.issues.push(Issue::new(
                &codes::SEPARATE_MAPS,
                format!("pbr_materials[{id}].metallic_map"),
                "the roughness and the metallic map are different pictures",
            ));
        }
        material.shading = Shading::MetallicRoughness(MetallicRoughness {
            base_color,
            base_color_texture: self.texture_ref(&pbr.albedo_map, slots, UvSlot::Albedo),
            metallic,
            roughness,
            metallic_roughness_texture,
        });
        material
    }

    /// The name of a picture that no slot of a material is for, and its bytes if they are odd. The picture itself is in the
    /// Scene.
    fn separate_map(&mut self, map: &Text) -> (Option<String>, Option<Vec<u8>>) {
        if map.bytes.is_empty() {
            return (None, None);
        }
        self.texture(map);
        (Some(map.decoded().0), odd_bytes(map))
    }

    fn texture_ref(&mut self, map: &Text, slots: &[u32; SLOTS], slot: UvSlot) -> Option<TextureRef> {
        if map.bytes.is_empty() {
            return None;
        }
        let uv_set = slots.get(slot as usize).copied().unwrap_or(0);
        Some(TextureRef { uv_set, ..TextureRef::new(self.texture(map)) })
    }

    fn texture(&mut self, map: &Text) -> TextureId {
        if let Some(texture) = self.textures.get(&map.bytes) {
            return *texture;
        }
        let uri = map.decoded().0;
        let mut image = Image { uri: Some(file_name(&uri)), ..Image::default() };
        let is_name = image.uri.as_ref() == Some(&uri);
        ImageNote { name_bytes: odd_bytes(map), uri: (!is_name).then_some(uri) }.keep(&mut image.extras);
        let sampler = image.uri.as_ref().and_then(|uri| self.note.samplers.get(uri));
        let sampler = sampler.map(crate::formats::das2::sampler::from_json);
        let image = Some(self.scene.images.push(image));
        let texture = self.scene.textures.push(Texture { image, sampler, ..Texture::default() });
        self.textures.insert(map.bytes.clone(), texture);
        texture
    }

    /// What a level says about its material that the Scene has no place for.
    pub(super) fn odd_material(&self, level: &Level) -> Option<(u8, u32)> {
        let plain = level.material_type == material_type::NONE && level.material == NONE;
        let nothing = level.material_type == material_type::NONE || level.material == NONE;
        (nothing && !plain).then_some((level.material_type, level.material))
    }
}

/// What is kept of a number that is one nearly always.
fn unless_one(value: f32) -> Option<Float> {
    (value != 1.0).then_some(Float(value))
}

/// The name of the file that a URI means: `my%20tex.png` is `my tex.png`. What is no URI is a name as it is.
pub(in crate::formats::das2) fn file_name(uri: &str) -> String {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = after.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.filter(|hex| hex.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match byte.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|byte| *byte != 0) {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| uri.to_owned())
}

/// A surface is see-through when its alpha is below one: the format has no other word for it.
fn alpha_mode(alpha: f32) -> AlphaMode {
    if alpha < 1.0 { AlphaMode::Blend(Blend::Alpha) } else { AlphaMode::Opaque }
}

/// The values, with zero for those that are infinite or none.
fn finite<const N: usize>(values: [f32; N]) -> [f32; N] {
    values.map(|value| if value.is_finite() { value } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn uris_are_file_names() {
        for (uri, name) in [
            ("my%20tex.png", "my tex.png"),
            ("plain.png", "plain.png"),
            ("50%.png", "50%.png"),
            ("%C3%A4.png", "ä.png"),
            ("%FF.png", "%FF.png"),
            ("a%00b", "a%00b"),
            ("100%25.png", "100%.png"),
        ] {
            assert_eq!(file_name(uri), name);
        }
    }
}
