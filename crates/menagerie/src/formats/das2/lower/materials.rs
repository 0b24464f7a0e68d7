//! Materials, with the slots for texture coordinates that their pictures use.

use super::{Lowering, id};
use crate::diag::Aspect;
use crate::formats::das2::lift::file_name;
use crate::formats::das2::model::{NONE, Pbr, Phong, Profile, Text, UvSlot, material_type};
use crate::formats::das2::notes::{Float, ImageNote, MaterialNote, Note as _};
use crate::formats::das2::sampler;
use crate::formats::{picture_names_of, used_materials};
use crate::ops::to_phong;
use crate::scene::{
    AlphaMode, Blend, Image, Material, MaterialId, MetallicRoughness, NodeId, Phong as PhongShading, Sampler,
    Shading, TextureRef, UvTransform,
};

impl Lowering<'_> {
    pub(super) fn materials(&mut self) {
        let shown: Vec<NodeId> = self.scene.nodes.ids().collect();
        let used = used_materials(self.scene, &shown);
        for (material_id, material) in self.scene.materials.iter() {
            let path = format!("materials[{}]", material_id.index());
            // What nobody shows nobody misses.
            let reported =
                (!used.contains(&material_id) && !material.name.is_empty()).then(|| self.losses.clone());
            self.report_settings(&path, material);
            let place = match &material.shading {
                Shading::MetallicRoughness(shading) if !material.unlit => {
                    let record = self.pbr(&path, material, shading);
                    let known = self.variant_of(material).filter(|(kind, place)| {
                        *kind == material_type::PBR && self.records.pbrs.get(*place as usize) == Some(&record)
                    });
                    known.unwrap_or_else(|| {
                        let index = id(self.records.pbrs.len());
                        self.records.pbrs.push(record);
                        self.note.keep_extras(format!("pbr_materials.{index}"), &material.extras);
                        (material_type::PBR, index)
                    })
                }
                _ => {
                    let record = self.phong(&path, material);
                    let known = self.variant_of(material).filter(|(kind, place)| {
                        *kind == material_type::PHONG
                            && self.records.phongs.get(*place as usize) == Some(&record)
                    });
                    known.unwrap_or_else(|| {
                        let index = id(self.records.phongs.len());
                        self.records.phongs.push(record);
                        self.note.keep_extras(format!("phong_materials.{index}"), &material.extras);
                        (material_type::PHONG, index)
                    })
                }
            };
            self.materials.push(place);
            if let Some(reported) = reported {
                *self.losses = reported;
            }
        }
        self.samplers();
        self.picture_names();
    }

    /// The record of the material that a material is a variant of, with other sets of coordinates.
    fn variant_of(&self, material: &Material) -> Option<(u8, u32)> {
        self.materials.get(MaterialNote::of(&material.extras).variant_of?).copied()
    }

    /// The type and id of a primitive's material.
    pub(super) fn material(&self, material: Option<MaterialId>) -> (u8, u32) {
        let place = material.and_then(|material| self.materials.get(material.index()).copied());
        place.unwrap_or((material_type::NONE, NONE))
    }

    fn pbr(&mut self, path: &str, material: &Material, shading: &MetallicRoughness) -> Pbr {
        let kept = MaterialNote::of(&material.extras);
        let [r, g, b] = material.emissive;
        let combined = self.map(path, shading.metallic_roughness_texture.as_ref());
        let mut separate =
            |name: Option<String>, bytes: Option<Vec<u8>>| match name.filter(|_| combined.bytes.is_empty()) {
                Some(name) => self.text(&name, bytes),
                None => combined.clone(),
            };
        let mut roughness_map = separate(kept.roughness_map, kept.roughness_map_bytes);
        let metallic_map = separate(kept.metallic_map, kept.metallic_map_bytes);
        if self.profile == Profile::Libdas2 && !roughness_map.bytes.is_empty() {
            let message = "the library's profile has no roughness map";
            self.losses.dropped(Aspect::Textures, path, message);
            roughness_map = Text::default();
        }
        let occlusion = material.occlusion_texture.as_ref();
        let ambient_occlusion_map = self.map(path, occlusion.map(|(texture, _)| texture));
        if ambient_occlusion_map.bytes.is_empty() && occlusion.is_some_and(|(_, strength)| *strength != 1.0) {
            let message = "the strength of an occlusion map without a name has no place in das2";
            self.losses.dropped(Aspect::Materials, path, message);
        }
        Pbr {
            name: self.text(&material.name, kept.name_bytes),
            albedo: shading.base_color,
            emissive: [r, g, b, or_one(kept.emission_alpha)],
            roughness: shading.roughness,
            metallic: shading.metallic,
            ambient_occlusion: occlusion.map_or(or_one(kept.ambient_occlusion), |(_, strength)| *strength),
            albedo_map: self.map(path, shading.base_color_texture.as_ref()),
            emission_map: self.map(path, material.emissive_texture.as_ref()),
            roughness_map,
            metallic_map,
            ambient_occlusion_map,
        }
    }

    /// A surface that light does not change: it glows and answers to no light. A specular colour whose fourth part is
    /// zero tells it from one that just glows.
    fn unlit(&mut self, path: &str, material: &Material) -> Phong {
        let [r, g, b, alpha] = material.base_color();
        let others = material.textures().count() - usize::from(material.base_color_texture().is_some());
        if material.emissive != [0.0; 3] || others > 0 {
            let message =
                "what else a surface has that light does not change is not seen, and has no place in das2";
            self.losses.dropped(Aspect::Materials, path, message);
            self.losses.dropped(Aspect::Textures, path, message);
        }
        if let Shading::Phong(shading) = &material.shading {
            let usual = PhongShading { diffuse: shading.diffuse, ..PhongShading::default() };
            let plain =
                PhongShading { diffuse_texture: None, specular: usual.specular, ..shading.as_ref().clone() };
            if plain != usual {
                let message = "ambient colour and shininess have no place in das2";
                self.losses.dropped(Aspect::Materials, path, message);
            }
        }
        Phong {
            name: self.text(&material.name, MaterialNote::of(&material.extras).name_bytes),
            diffuse: [0.0, 0.0, 0.0, alpha],
            specular: [0.0; 4],
            emission: [r, g, b, 1.0],
            diffuse_map: Text::default(),
            specular_map: Text::default(),
            emission_map: self.map(path, material.base_color_texture()),
        }
    }

    fn phong(&mut self, path: &str, material: &Material) -> Phong {
        if material.unlit {
            return self.unlit(path, material);
        }
        let shading = to_phong(&material.shading);
        let kept = MaterialNote::of(&material.extras);
        let usual = PhongShading::default();
        if matches!(material.shading, Shading::SpecularGlossiness(_)) {
            let message = "a specular-glossiness material became a Phong one";
            self.losses.approximated(Aspect::Materials, path, message);
            self.losses.approximated(Aspect::Textures, path, message);
        } else if shading.ambient != usual.ambient || shading.shininess != usual.shininess {
            let message = "ambient colour and shininess have no place in das2";
            self.losses.dropped(Aspect::Materials, path, message);
        }
        let others = [
            &shading.ambient_texture,
            &shading.shininess_texture,
            &shading.bump_texture.clone().map(|(texture, _)| texture),
            &shading.opacity_texture,
            &material.occlusion_texture.clone().map(|(texture, _)| texture),
        ];
        if others.iter().any(|texture| texture.is_some()) {
            let message = "a Phong material has maps for diffuse, specular and emission in das2";
            self.losses.dropped(Aspect::Textures, path, message);
            self.losses.dropped(Aspect::Materials, path, message);
        }
        let ([r, g, b], [x, y, z]) = (material.emissive, shading.specular);
        Phong {
            name: self.text(&material.name, kept.name_bytes),
            diffuse: shading.diffuse,
            specular: [x, y, z, or_one(kept.specular_alpha)],
            emission: [r, g, b, or_one(kept.emission_alpha)],
            diffuse_map: self.map(path, shading.diffuse_texture.as_ref()),
            specular_map: self.map(path, shading.specular_texture.as_ref()),
            emission_map: self.map(path, material.emissive_texture.as_ref()),
        }
    }

    /// What no material of das2 has.
    fn report_settings(&mut self, path: &str, material: &Material) {
        let [.., alpha] = material.base_color();
        let understood = if alpha < 1.0 { AlphaMode::Blend(Blend::Alpha) } else { AlphaMode::Opaque };
        if material.alpha != understood {
            let message =
                "a surface is see-through in das2 when its alpha is below one, and there are no other modes";
            self.losses.approximated(Aspect::Materials, path, message);
        }
        if material.unlit && !matches!(material.shading, Shading::Phong(_)) {
            let message = "a surface that light does not change is one that glows in das2";
            self.losses.approximated(Aspect::Materials, path, message);
        }
        if material.double_sided {
            let message = "double-sided surfaces have no place in das2";
            self.losses.dropped(Aspect::Materials, path, message);
        }
        if let Some((_, strength)) = &material.normal_texture {
            self.losses.dropped(Aspect::Textures, path, "normal maps have no place in das2's materials");
            if *strength != 1.0 {
                let message = "the strength of normal maps has no place in das2";
                self.losses.dropped(Aspect::Materials, path, message);
            }
        }
    }

    /// The name of the file of a picture; empty for none.
    fn map(&mut self, path: &str, texture: Option<&TextureRef>) -> Text {
        let Some(texture) = texture else { return Text::default() };
        if texture.transform.is_some_and(|transform| !transform.is_none()) {
            let message = "a texture is moved, turned or scaled by its coordinates in das2";
            self.losses.approximated(Aspect::Textures, path, message);
        }
        let stored = self.scene.textures.get(texture.texture);
        let image = stored.and_then(|stored| self.scene.images.get(stored.image?));
        match image.and_then(|image| Some((image, image.uri.as_deref()?))) {
            Some((image, uri)) if !uri.is_empty() => {
                let note = ImageNote::of(&image.extras);
                let kept = note.uri.filter(|kept| file_name(kept) == uri);
                // A percent sign that would be read as the code of another character.
                let made = || if file_name(uri) == uri { uri.to_owned() } else { uri.replace('%', "%25") };
                let text = kept.unwrap_or_else(made);
                self.text(&text, note.name_bytes)
            }
            _ => {
                self.losses.dropped(Aspect::Textures, path, "the texture has no file name to refer to");
                Text::default()
            }
        }
    }

    /// How pictures are sampled, where all uses of a picture agree.
    fn samplers(&mut self) {
        let mut disagree = false;
        let mut found: std::collections::BTreeMap<String, Option<Sampler>> = Default::default();
        let used = self.scene.materials.values().flat_map(Material::textures);
        for texture in used.filter_map(|texture| self.scene.textures.get(texture.texture)) {
            let image = texture.image.and_then(|image| self.scene.images.get(image));
            let Some(uri) = image.and_then(|image| image.uri.clone()) else { continue };
            let sampler = texture.sampler.clone();
            let first = found.entry(uri).or_insert_with(|| sampler.clone());
            disagree |= *first != sampler;
        }
        let some = found.into_iter().filter_map(|(uri, sampler)| Some((uri, sampler::to_json(&sampler?))));
        self.note.samplers = some.collect();
        if disagree {
            let message = "a picture that is sampled in several ways is sampled in one way in das2";
            self.losses.approximated(Aspect::Textures, "textures", message);
        }
    }

    fn picture_names(&mut self) {
        let shown: Vec<NodeId> = self.scene.nodes.ids().collect();
        let kept = |material: &Material| -> Vec<TextureRef> {
            let slots = textures_by_slot(material).into_iter();
            slots.filter(|(slot, _)| *slot != UvSlot::Normal).map(|(_, texture)| texture.clone()).collect()
        };
        let named = |image: &Image| image.uri.as_deref().is_some_and(|uri| !uri.is_empty());
        if picture_names_of(self.scene, &shown, kept, named) > 0 {
            let message = "pictures have no names in das2 but those of their files";
            self.losses.dropped(Aspect::Names, "images", message);
        }
    }
}

/// Which slots for texture coordinates the pictures of a material use, and with which set.
pub(super) fn uv_slots(material: &Material) -> Vec<(UvSlot, u32)> {
    textures_by_slot(material).into_iter().map(|(slot, texture)| (slot, texture.shown_set())).collect()
}

/// The slots whose pictures are moved, turned or scaled, with the set that is.
pub(super) fn placed_slots(material: &Material) -> Vec<(UvSlot, u32, UvTransform)> {
    let placed = |(slot, texture): (UvSlot, &TextureRef)| {
        let transform = texture.transform.filter(|transform| !transform.is_none())?;
        Some((slot, texture.shown_set(), transform))
    };
    textures_by_slot(material).into_iter().filter_map(placed).collect()
}

/// A number that is one where nothing else is kept.
fn or_one(kept: Option<Float>) -> f32 {
    kept.map_or(1.0, |kept| kept.0)
}

fn textures_by_slot<'a>(material: &'a Material) -> Vec<(UvSlot, &'a TextureRef)> {
    let mut slots: Vec<(UvSlot, &'a TextureRef)> = Vec::new();
    let mut uses = |slot: UvSlot, texture: Option<&'a TextureRef>| slots.extend(texture.map(|t| (slot, t)));
    if material.unlit {
        uses(UvSlot::Emission, material.base_color_texture());
        return slots;
    }
    match &material.shading {
        Shading::MetallicRoughness(shading) => {
            uses(UvSlot::Albedo, shading.base_color_texture.as_ref());
            uses(UvSlot::Metalness, shading.metallic_roughness_texture.as_ref());
            uses(UvSlot::Roughness, shading.metallic_roughness_texture.as_ref());
            uses(UvSlot::Occlusion, material.occlusion_texture.as_ref().map(|(texture, _)| texture));
        }
        Shading::Phong(shading) => {
            uses(UvSlot::PhongDiffuse, shading.diffuse_texture.as_ref());
            uses(UvSlot::PhongSpecular, shading.specular_texture.as_ref());
        }
        Shading::SpecularGlossiness(shading) => uses(UvSlot::PhongDiffuse, shading.diffuse_texture.as_ref()),
    }
    uses(UvSlot::Emission, material.emissive_texture.as_ref());
    uses(UvSlot::Normal, material.normal_texture.as_ref().map(|(texture, _)| texture));
    slots
}
