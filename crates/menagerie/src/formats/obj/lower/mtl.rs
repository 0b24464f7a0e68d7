//! Materials of a Scene as lines of a library.

use std::fmt::Write as _;

use crate::diag::{Aspect, LossReport};
use crate::formats::obj::notes::{MaterialNote, Note as _};
use crate::ops::to_phong;
use crate::scene::{
    AlphaMode, Blend, Material, MetallicRoughness, Phong, Sampler, Scene, Shading, TextureRef, UvTransform,
    Wrap,
};

/// Writes one material.
pub(in crate::formats::obj) fn write(
    scene: &Scene,
    material: &Material,
    name: &str,
    losses: &mut LossReport,
) -> String {
    let mut entry = EntryWriter { scene, losses, name, text: format!("newmtl {name}\n"), map_d: None };
    entry.shading(material);
    entry.common(material);
    entry.kept_lines(material);
    entry.text
}

struct EntryWriter<'a> {
    scene: &'a Scene,
    losses: &'a mut LossReport,
    name: &'a str,
    text: String,
    /// The picture of the opacity, once it is written.
    map_d: Option<String>,
}

impl EntryWriter<'_> {
    fn line(&mut self, keyword: &str, values: &[f32]) {
        let words: String = values.iter().map(|value| format!(" {value}")).collect();
        // Writing into a String cannot fail.
        let _ = writeln!(self.text, "{keyword}{words}");
    }

    fn changed(&mut self, aspect: Aspect, message: &str) {
        self.losses.approximated(aspect, format!("material {:?}", self.name), message);
    }

    fn dropped(&mut self, aspect: Aspect, message: &str) {
        self.losses.dropped(aspect, format!("material {:?}", self.name), message);
    }

    fn shading(&mut self, material: &Material) {
        match &material.shading {
            Shading::MetallicRoughness(shading) => self.metallic_roughness(shading),
            Shading::Phong(phong) => self.phong(phong),
            Shading::SpecularGlossiness(shading) => {
                self.changed(
                    Aspect::Materials,
                    "OBJ has no specular and glossiness; the nearest Phong was taken",
                );
                if shading.specular_glossiness_texture.is_some() {
                    self.dropped(
                        Aspect::Textures,
                        "a picture of specular and glossiness has no place in OBJ",
                    );
                }
                self.phong(&to_phong(&material.shading));
            }
        }
    }

    fn metallic_roughness(&mut self, shading: &MetallicRoughness) {
        let [r, g, b, a] = shading.base_color;
        self.line("Kd", &[r, g, b]);
        self.line("d", &[a]);
        self.line("Pr", &[shading.roughness]);
        self.line("Pm", &[shading.metallic]);
        self.map("map_Kd", "", shading.base_color_texture.as_ref());
        self.map("map_Pr", "-imfchan g ", shading.metallic_roughness_texture.as_ref());
        self.map("map_Pm", "-imfchan b ", shading.metallic_roughness_texture.as_ref());
    }

    fn phong(&mut self, phong: &Phong) {
        let [r, g, b, a] = phong.diffuse;
        self.line("Ka", &phong.ambient);
        self.line("Kd", &[r, g, b]);
        self.line("Ks", &phong.specular);
        self.line("Ns", &[phong.shininess]);
        self.line("d", &[a]);
        self.map("map_Ka", "", phong.ambient_texture.as_ref());
        self.map("map_Kd", "", phong.diffuse_texture.as_ref());
        self.map("map_Ks", "", phong.specular_texture.as_ref());
        self.map("map_Ns", "", phong.shininess_texture.as_ref());
        self.strong_map("bump", phong.bump_texture.as_ref());
        if let Some(texture) = &phong.opacity_texture {
            let of_colour = phong.diffuse_texture.as_ref().and_then(|colour| self.file(colour));
            let own = self.file(texture);
            if own.is_some() && own == of_colour {
                self.changed(Aspect::Textures, "the opacity is that of the colour picture itself");
            }
            self.map("map_d", "", Some(texture));
            self.map_d = own;
        }
    }

    fn common(&mut self, material: &Material) {
        self.line("Ke", &material.emissive);
        self.map("map_Ke", "", material.emissive_texture.as_ref());
        self.strong_map("norm", material.normal_texture.as_ref());
        if material.occlusion_texture.is_some() {
            self.dropped(Aspect::Textures, "a picture of the occlusion has no place in OBJ");
            self.dropped(Aspect::Materials, "the strength of the occlusion has no place in OBJ");
        }
        if material.double_sided {
            self.dropped(Aspect::Materials, "that both sides are drawn has no place in OBJ");
        }
        let shines = matches!(&material.shading, Shading::Phong(phong) if phong.specular != [0.0; 3]);
        let _ = writeln!(self.text, "illum {}", if material.unlit { 0 } else { 1 + u8::from(shines) });
        self.alpha(material);
    }

    /// Readers take a material for transparent by its opacity; there is no other sign.
    fn alpha(&mut self, material: &Material) {
        let [.., opacity] = material.base_color();
        let see_through = material.alpha == AlphaMode::Blend(Blend::Alpha);
        if see_through
            && opacity >= 1.0
            && self.map_d.is_none()
            && let Some(texture) = material.base_color_texture()
            && self.file(texture).is_some()
        {
            self.map_d = self.file(texture);
            self.map("map_d", "", Some(texture));
        }
        let is_read = opacity < 1.0 || self.map_d.is_some();
        let same = match material.alpha {
            AlphaMode::Opaque => !is_read,
            AlphaMode::Blend(Blend::Alpha) => is_read,
            AlphaMode::Mask { .. } | AlphaMode::Blend(_) => false,
        };
        if !same {
            self.changed(Aspect::Materials, "what the alpha does is not what OBJ readers take it for");
        }
    }

    /// A use of a picture that has a strength.
    fn strong_map(&mut self, keyword: &str, texture: Option<&(TextureRef, f32)>) {
        let Some((texture, strength)) = texture else { return };
        if self.file(texture).is_none() {
            self.dropped(Aspect::Materials, "the strength of a picture goes with the picture");
        }
        self.map(keyword, &format!("-bm {strength} "), Some(texture));
    }

    /// A use of a picture.
    fn map(&mut self, keyword: &str, options: &str, texture: Option<&TextureRef>) {
        let Some(texture) = texture else { return };
        let Some(file) = self.file(texture) else {
            self.dropped(Aspect::Textures, "a picture without a name that a line can hold was left out");
            return;
        };
        let mut placed = String::new();
        if let Some(UvTransform { offset, rotation, scale, uv_set }) = texture.transform {
            let [su, sv] = scale;
            let _ = write!(placed, "-s {su} {sv} 1 -o {} {} 0 ", offset[0], 1.0 - sv - offset[1]);
            if rotation != 0.0 || uv_set.is_some_and(|set| set != texture.uv_set) {
                self.changed(Aspect::Textures, "OBJ does not turn pictures");
            }
        }
        if texture.uv_set != 0 {
            self.changed(Aspect::Textures, "OBJ has one set of texture coordinates");
        }
        let sampler = self.scene.textures.get(texture.texture).and_then(|texture| texture.sampler.clone());
        let sampler =
            Sampler { name: String::new(), extras: Default::default(), ..sampler.unwrap_or_default() };
        let clamped = Sampler { wrap_u: Wrap::Clamp, wrap_v: Wrap::Clamp, ..Sampler::default() };
        if sampler == clamped {
            placed.push_str("-clamp on ");
        } else if sampler != Sampler::default() {
            self.changed(Aspect::Textures, "OBJ repeats a picture or clamps it, and knows no filters");
        }
        let _ = writeln!(self.text, "{keyword} {options}{placed}{file}");
    }

    /// The name of a picture as a line can hold it, relative to the model.
    fn file(&self, texture: &TextureRef) -> Option<String> {
        let image = self.scene.images.get(self.scene.textures.get(texture.texture)?.image?)?;
        let uri = image.uri.as_ref()?.replace('\\', "/");
        let has_drive = matches!(uri.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic());
        let absolute = uri.starts_with('/') || has_drive || uri.contains("://");
        let file = if absolute { uri.rsplit(['/', ':']).next()?.to_owned() } else { uri };
        let fits = !file.is_empty()
            && file.trim() == file
            && !file.starts_with('-')
            && !file.chars().any(char::is_control);
        fits.then_some(file)
    }

    /// The lines that only OBJ knows.
    fn kept_lines(&mut self, material: &Material) {
        for line in MaterialNote::of(&material.extras).lines.into_iter().flatten() {
            let statement = line.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
            let fits = !line.chars().any(char::is_control) && !line.ends_with('\\') && statement != "newmtl";
            if fits && !statement.is_empty() {
                let _ = writeln!(self.text, "{line}");
            }
        }
    }
}
