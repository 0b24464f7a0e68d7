//! Images, textures and materials.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::super::extras::Lifting;
use super::super::json::{self, Object, PbrMetallicRoughness, TextureInfo};
use super::super::notes::Float;
use super::super::notes::in_file::{ImageNote, MaterialNote, blend};
use super::super::notes::in_scene::{ImageKept, MaterialKept};
use super::super::notes::materials::restore;
use super::super::read::decode_data_uri;
use super::super::sampling::{MAG_FILTERS, MIN_FILTERS, WRAPS};
use super::super::{codes, extension, uri};
use super::{Lifter, plain_extras, without};
use crate::diag::Aspect;
use crate::scene::{
    AlphaMode, Id, Image, Material, MetallicRoughness, Sampler, Shading, SpecularGlossiness, Texture,
    TextureRef, UvTransform,
};

/// The members of KHR_materials_pbrSpecularGlossiness.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct SpecGloss {
    diffuse_factor: Option<[f32; 4]>,
    diffuse_texture: Option<TextureInfo>,
    specular_factor: Option<[f32; 3]>,
    glossiness_factor: Option<f32>,
    specular_glossiness_texture: Option<TextureInfo>,
    #[serde(flatten)]
    other: Object,
}

/// The members of KHR_texture_transform.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Transform {
    offset: Option<[f32; 2]>,
    rotation: Option<f32>,
    scale: Option<[f32; 2]>,
    tex_coord: Option<u32>,
    #[serde(flatten)]
    other: Object,
}

impl Lifter<'_> {
    pub(super) fn images(&mut self) {
        for (index, image) in self.model.document.images.iter().enumerate() {
            let image = self.image(index, image);
            self.scene.images.push(image);
        }
    }

    fn image(&mut self, index: usize, image: &json::Image) -> Image {
        let mut lifting = Lifting::new(image.extras.as_ref(), &image.extensions, &[]);
        let mut result =
            Image { name: image.name.clone(), mime: image.mime_type.clone(), ..Image::default() };
        match (&image.uri, image.buffer_view) {
            (Some(text), None) if uri::is_data(text) => match decode_data_uri(text) {
                Ok((mime, bytes)) => {
                    result.data = Some(bytes.into());
                    result.mime = result.mime.or(Some(mime).filter(|mime| !mime.is_empty()));
                }
                Err(message) => self.no_picture(format!("/images/{index}/uri"), message),
            },
            (Some(text), None) => {
                let name = uri::decode(text);
                if uri::encode(&name) != *text {
                    lifting.keep(&ImageKept { uri: Some(text.clone()) });
                }
                result.uri = Some(name);
            }
            (None, Some(view)) => match self.views.get(view) {
                Ok(_) if self.shared_pictures.contains_key(&view) => {
                    result.data = self.shared_pictures.get(&view).cloned();
                }
                Ok(bytes) if self.affords(bytes.len(), || format!("/images/{index}/bufferView")) => {
                    let data: Arc<[u8]> = Arc::from(bytes);
                    self.shared_pictures.insert(view, data.clone());
                    result.data = Some(data);
                }
                Ok(_) => {}
                Err(message) => self.no_picture(format!("/images/{index}/bufferView"), message),
            },
            _ => {
                let message = "a picture has either a uri or a buffer view";
                self.no_picture(format!("/images/{index}"), message.to_owned());
            }
        }
        // The name that the picture had before it was put into the file, or that no URI can say.
        let note: ImageNote = lifting.take();
        result.uri = note.uri.unwrap_or(result.uri);
        result.mime = note.mime.unwrap_or(result.mime);
        result.extras = lifting.finish();
        result
    }

    fn no_picture(&mut self, pointer: String, message: String) {
        self.issues.give_up(Aspect::Textures, "pictures", pointer.clone(), (1, 1));
        self.report(&codes::IMAGE, pointer, message);
    }

    pub(super) fn textures(&mut self) {
        let document = &self.model.document;
        for texture in &document.textures {
            let sampler = texture.sampler.and_then(|sampler| document.samplers.get(sampler as usize));
            let sampler = sampler.map(|sampler| self.sampler(texture.sampler.unwrap_or(0), sampler));
            let image = texture.source.filter(|&image| (image as usize) < document.images.len());
            self.scene.textures.push(Texture {
                name: texture.name.clone(),
                image: image.map(|image| Id::new(image as usize)),
                sampler,
                extras: plain_extras(texture.extras.as_ref(), &texture.extensions),
            });
        }
    }

    fn sampler(&mut self, index: u32, sampler: &json::Sampler) -> Sampler {
        let lifting = Lifting::new(sampler.extras.as_ref(), &sampler.extensions, &[]);
        let at = format!("/samplers/{index}");
        let mut known = true;
        let magnify = number_in(&MAG_FILTERS, sampler.mag_filter, &mut known);
        let minify = number_in(&MIN_FILTERS, sampler.min_filter, &mut known);
        let wrap_u = number_in(&WRAPS, sampler.wrap_s, &mut known);
        let wrap_v = number_in(&WRAPS, sampler.wrap_t, &mut known);
        if !known {
            let message = "filters and wraps that are not among OpenGL's numbers are left out";
            self.issues.leave_out(Aspect::Textures, message, at.clone(), 1);
            self.report(&codes::MATERIAL, at, "a filter or wrap is not among OpenGL's numbers");
        }
        Sampler {
            name: sampler.name.clone(),
            magnify,
            minify,
            wrap_u: wrap_u.unwrap_or_default(),
            wrap_v: wrap_v.unwrap_or_default(),
            extras: lifting.finish(),
        }
    }

    pub(super) fn materials(&mut self) {
        for (index, material) in self.model.document.materials.iter().enumerate() {
            let material = self.material(material, &format!("/materials/{index}"));
            self.scene.materials.push(material);
        }
    }

    fn material(&mut self, material: &json::Material, at: &str) -> Material {
        let understood = [extension::UNLIT, extension::EMISSIVE_STRENGTH, extension::SPECULAR_GLOSSINESS];
        let mut lifting = Lifting::new(material.extras.as_ref(), &material.extensions, &understood);
        let mut factor = material.emissive_factor.unwrap_or([0.0; 3]);
        super::super::repair::finite(&mut factor);
        let strength = material.extensions.get(extension::EMISSIVE_STRENGTH).map(|extension| {
            let value = extension.get("emissiveStrength").and_then(crate::scene::float_from_json);
            value.filter(|x| x.is_finite()).unwrap_or(1.0)
        });
        let note: MaterialNote = lifting.take();
        let mut kept = MaterialKept { emissive_strength: strength.map(Float), ..MaterialKept::default() };
        if let Some(Value::Object(unlit)) = material.extensions.get(extension::UNLIT) {
            lifting.keep_extension(extension::UNLIT, unlit.clone());
        }
        if let Some(Value::Object(object)) = material.extensions.get(extension::EMISSIVE_STRENGTH) {
            lifting.keep_extension(extension::EMISSIVE_STRENGTH, without(object, &["emissiveStrength"]));
        }
        let normal = material.normal_texture.as_ref();
        let occlusion = material.occlusion_texture.as_ref();
        let strength_of = |value: Option<f32>| value.filter(|x| x.is_finite()).unwrap_or(1.0);
        let mut result = Material {
            name: material.name.clone(),
            shading: self.shading(material, at, &mut lifting, &mut kept),
            emissive: factor.map(|x| x * strength.unwrap_or(1.0)),
            emissive_texture: self
                .texture_ref(material.emissive_texture.as_ref(), &format!("{at}/emissiveTexture")),
            normal_texture: self
                .texture_ref(normal, &format!("{at}/normalTexture"))
                .map(|t| (t, strength_of(normal.and_then(|n| n.scale)))),
            occlusion_texture: self
                .texture_ref(occlusion, &format!("{at}/occlusionTexture"))
                .map(|t| (t, strength_of(occlusion.and_then(|o| o.strength)))),
            alpha: self.alpha(material, at, &note),
            double_sided: material.double_sided.unwrap_or(false),
            unlit: material.extensions.contains_key(extension::UNLIT),
            extras: Default::default(),
        };
        restore(&mut result, &note, &mut kept, self.scene.textures.len());
        lifting.keep(&kept);
        result.extras = lifting.finish();
        super::super::repair::finite(&mut result.emissive);
        result
    }

    fn shading(
        &mut self,
        material: &json::Material,
        at: &str,
        lifting: &mut Lifting,
        kept: &mut MaterialKept,
    ) -> Shading {
        let pbr = material.pbr_metallic_roughness.as_ref();
        if let Some(extension) = material.extensions.get(extension::SPECULAR_GLOSSINESS) {
            match SpecGloss::deserialize(extension) {
                Ok(gloss) => {
                    kept.fallback = pbr.cloned();
                    let at = format!("{at}/extensions/{}", extension::SPECULAR_GLOSSINESS);
                    return self.specular_glossiness(gloss, &at, lifting);
                }
                Err(error) => {
                    let at = format!("{at}/extensions/{}", extension::SPECULAR_GLOSSINESS);
                    self.report(&codes::EXTENSION_SHAPE, at, error.to_string());
                    if let Value::Object(object) = extension {
                        lifting.keep_extension(extension::SPECULAR_GLOSSINESS, object.clone());
                    }
                }
            }
        }
        let default = PbrMetallicRoughness::default();
        let pbr = pbr.unwrap_or(&default);
        kept.pbr_extras = pbr.extras.clone();
        kept.pbr_extensions = Some(pbr.extensions.clone()).filter(|extensions| !extensions.is_empty());
        let at = format!("{at}/pbrMetallicRoughness");
        let mut base_color = pbr.base_color_factor.unwrap_or([1.0; 4]);
        super::super::repair::finite(&mut base_color);
        let finite = |x: f32| if x.is_finite() { x } else { 1.0 };
        Shading::MetallicRoughness(MetallicRoughness {
            base_color,
            base_color_texture: self
                .texture_ref(pbr.base_color_texture.as_ref(), &format!("{at}/baseColorTexture")),
            metallic: finite(pbr.metallic_factor.unwrap_or(1.0)),
            roughness: finite(pbr.roughness_factor.unwrap_or(1.0)),
            metallic_roughness_texture: self.texture_ref(
                pbr.metallic_roughness_texture.as_ref(),
                &format!("{at}/metallicRoughnessTexture"),
            ),
        })
    }

    fn specular_glossiness(&mut self, gloss: SpecGloss, at: &str, lifting: &mut Lifting) -> Shading {
        let mut diffuse = gloss.diffuse_factor.unwrap_or([1.0; 4]);
        let mut specular = gloss.specular_factor.unwrap_or([1.0; 3]);
        super::super::repair::finite(&mut diffuse);
        super::super::repair::finite(&mut specular);
        lifting.keep_extension(extension::SPECULAR_GLOSSINESS, gloss.other);
        Shading::SpecularGlossiness(SpecularGlossiness {
            diffuse,
            diffuse_texture: self
                .texture_ref(gloss.diffuse_texture.as_ref(), &format!("{at}/diffuseTexture")),
            specular,
            glossiness: gloss.glossiness_factor.filter(|x| x.is_finite()).unwrap_or(1.0),
            specular_glossiness_texture: self.texture_ref(
                gloss.specular_glossiness_texture.as_ref(),
                &format!("{at}/specularGlossinessTexture"),
            ),
        })
    }

    fn alpha(&mut self, material: &json::Material, at: &str, note: &MaterialNote) -> AlphaMode {
        let cutoff = material.alpha_cutoff.filter(|x| x.is_finite());
        match material.alpha_mode.as_deref() {
            None | Some("OPAQUE") => AlphaMode::Opaque,
            Some("MASK") => AlphaMode::Mask { cutoff: cutoff.unwrap_or(0.5) },
            Some("BLEND") => AlphaMode::Blend(blend(note.blend.as_deref())),
            Some(other) => {
                let message = format!("{other:?} is no alpha mode; OPAQUE is used");
                self.report(&codes::MATERIAL, format!("{at}/alphaMode"), message);
                AlphaMode::Opaque
            }
        }
    }

    fn texture_ref(&mut self, info: Option<&TextureInfo>, at: &str) -> Option<TextureRef> {
        let info = info?;
        // A texture that does not exist is reported by the check of references.
        if info.index as usize >= self.scene.textures.len() {
            return None;
        }
        let mut lifting =
            Lifting::new(info.extras.as_ref(), &info.extensions, &[extension::TEXTURE_TRANSFORM]);
        let transform =
            info.extensions.get(extension::TEXTURE_TRANSFORM).and_then(|value| match Transform::deserialize(
                value,
            ) {
                Ok(transform) => {
                    lifting.keep_extension(extension::TEXTURE_TRANSFORM, transform.other);
                    let mut offset = transform.offset.unwrap_or([0.0; 2]);
                    let mut scale = transform.scale.unwrap_or([1.0; 2]);
                    super::super::repair::finite(&mut offset);
                    super::super::repair::finite(&mut scale);
                    let rotation = transform.rotation.filter(|x| x.is_finite()).unwrap_or(0.0);
                    Some(UvTransform { offset, rotation, scale, uv_set: transform.tex_coord })
                }
                Err(error) => {
                    self.report(&codes::EXTENSION_SHAPE, format!("{at}/extensions"), error.to_string());
                    None
                }
            });
        Some(TextureRef {
            texture: Id::new(info.index as usize),
            uv_set: info.tex_coord.unwrap_or(0),
            transform,
            extras: lifting.finish(),
        })
    }
}

/// The value that a number means; an unknown one means none.
fn number_in<T: Copy>(table: &[(u32, T)], number: Option<u32>, known: &mut bool) -> Option<T> {
    let number = number?;
    let found = table.iter().find(|(n, _)| *n == number).map(|(_, value)| *value);
    *known &= found.is_some();
    found
}
