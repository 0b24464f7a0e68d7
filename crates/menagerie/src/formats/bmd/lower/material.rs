//! Materials as names, colours and shades.

use super::{Lowering, raw_name};
use crate::diag::Aspect;
use crate::diag::loss::ErrorStats;
use crate::formats::bmd::model::flat_colour;
use crate::formats::bmd::notes::{MaterialNote, Note};
use crate::formats::bmd::{FORMAT, engine};
use crate::formats::is_placed_otherwise;
use crate::ops::to_painted_phong;
use crate::scene::{AlphaMode, Material, MaterialId, Shading, linear_to_srgb_byte, srgb_byte_to_linear};

/// What stands for a material.
pub(super) struct Surface {
    /// The name of its picture, or its colour.
    pub(super) name: Vec<u8>,
    /// What vertices are multiplied by where the name cannot say it: linear RGB.
    pub(super) tint: Option<[f32; 3]>,
}

/// How far a colour may be from white before vertices are tinted.
const TINT: f32 = 0.02;

/// The colour that a surface is painted in: a metal as old engines have it, and with the light that it gives off.
fn painted(material: &Material) -> [f32; 3] {
    let base = material.base_color();
    let [r, g, b, _] = match &material.shading {
        Shading::MetallicRoughness(m) if m.metallic_roughness_texture.is_none() && !material.unlit => {
            to_painted_phong(&material.shading).diffuse
        }
        _ => base,
    };
    // What a picture gives off is not the same everywhere.
    let plain = material.emissive_texture.is_none();
    let [x, y, z] = if plain { material.emissive } else { [0.0; 3] };
    [r + x, g + y, b + z].map(|part| part.clamp(0.0, 1.0))
}

impl Lowering<'_> {
    /// What stands for a material: the name of its picture, or its colour.
    pub(super) fn surface(&mut self, id: Option<MaterialId>) -> Surface {
        let Some((id, material)) = id.and_then(|id| Some((id, self.scene.materials.get(id)?))) else {
            let message = "the default material became a plain white one";
            self.losses.approximated(Aspect::Materials, "materials", message);
            return Surface { name: b"#FFFFFF".to_vec(), tint: None };
        };
        let path = format!("materials[{}]", id.index());
        self.unheld_settings(&path, material);
        let picture = self.picture_name(&path, material);
        let painted = painted(material);
        let bytes = painted.map(linear_to_srgb_byte);
        let named = material.name.as_bytes();
        let (name, written) = match picture {
            Some(picture) => (picture, [1.0; 3]),
            // A name that already means this colour, as it was written.
            None if named.first() == Some(&b'#') && flat_colour(named).unwrap_or([255; 3]) == bytes => (
                raw_name(MaterialNote::of(&material.extras).name_bytes, &material.name),
                bytes.map(srgb_byte_to_linear),
            ),
            None => {
                let [r, g, b] = bytes;
                (format!("#{r:02X}{g:02X}{b:02X}").into_bytes(), bytes.map(srgb_byte_to_linear))
            }
        };
        let textured = name.first() != Some(&b'#');
        let tint = (textured && painted.iter().any(|x| (1.0 - x).abs() > TINT)).then_some(painted);
        let [r, g, b, a] = material.base_color();
        let mut stats = ErrorStats::default();
        for (written, meant) in written.iter().zip([r, g, b]) {
            let off = f64::from((written - meant).abs());
            stats.add(if off > 1e-4 { off } else { 0.0 });
        }
        stats.add(f64::from((1.0 - a).abs()));
        let message = "the base colour is one of 8 bits, painted where it is a metal's, and without alpha";
        self.losses.measured(Aspect::Materials, path.clone(), message, stats, "linear colour");
        if name != raw_name(MaterialNote::of(&material.extras).name_bytes, &material.name) {
            let message = "a material is called by its picture or its colour in BMD";
            self.losses.dropped(Aspect::Names, path, message);
        }
        Surface { name, tint }
    }

    fn unheld_settings(&mut self, path: &str, material: &Material) {
        let matt = matches!(&material.shading, Shading::MetallicRoughness(m) if m.metallic == 0.0 && m.roughness == 1.0);
        if !matt {
            let message = "metal, roughness and highlights have no place in BMD";
            self.losses.dropped(Aspect::Materials, path, message);
        }
        if material.emissive != [0.0; 3] {
            let message = "light that a surface gives off has no place in BMD";
            self.losses.dropped(Aspect::Materials, path, message);
        }
        if material.alpha != AlphaMode::Opaque || material.unlit || material.double_sided {
            let message = "transparency, double sides and surfaces without shading have no place in BMD";
            self.losses.dropped(Aspect::Materials, path, message);
        }
        let others = material.textures().count() - usize::from(material.base_color_texture().is_some());
        if others > 0 {
            let message = "BMD has one texture, the base colour; other maps were left out";
            self.losses.dropped(Aspect::Textures, path, message);
            self.losses.dropped(Aspect::Materials, path, "so were the strengths of other maps");
        }
    }

    /// The name of the base colour picture.
    fn picture_name(&mut self, path: &str, material: &Material) -> Option<Vec<u8>> {
        let texture = material.base_color_texture()?;
        let stored = self.scene.textures.get(texture.texture)?;
        let image = stored.image.and_then(|image| self.scene.images.get(image));
        if stored.sampler.is_some() {
            let message = "how the texture is tiled and filtered has no place in BMD";
            self.losses.dropped(Aspect::Textures, path, message);
        }
        if is_placed_otherwise(texture, None) {
            let message = "the texture is placed by its coordinates";
            self.losses.approximated(Aspect::Textures, path, message);
        }
        let uri = image.and_then(|image| image.uri.as_deref()).unwrap_or_default();
        // What a BMD file called it, it keeps, with its extension or without.
        let of_bmd = self.scene.extras.of(FORMAT.id).is_some();
        let bare = if of_bmd && uri == material.name { uri } else { self.bare_name(uri) };
        let kept = of_bmd && bare == material.name;
        let mut name = if kept {
            raw_name(MaterialNote::of(&material.extras).name_bytes, &material.name)
        } else {
            bare.as_bytes().to_vec()
        };
        name.retain(|byte| *byte != 0);
        if name.is_empty() {
            self.losses.dropped(Aspect::Textures, path, "the texture has no file name to refer to");
            return None;
        }
        if name.first() == Some(&b'#') {
            name.splice(..0, *b"./");
        }
        // E8: the engine needs 4 to 251 bytes.
        let (least, most) = match self.serves_engine() {
            true if !kept || self.mends_all() => (*engine::NAME_BYTES.start(), *engine::NAME_BYTES.end()),
            _ => (0, 255),
        };
        while name.len() < least {
            name.splice(..0, *b"./");
        }
        if name.len() > most {
            let message = format!("the name of the texture was cut off after {most} bytes");
            self.losses.approximated(Aspect::Textures, path, message);
            name.truncate(most);
        }
        let extension = uri.strip_prefix(bare).filter(|extension| !extension.is_empty());
        if let (Some(extension), Ok(name)) = (extension, std::str::from_utf8(&name)) {
            match self.serves_engine() {
                true => {
                    self.added.extensions.insert(name.to_owned(), extension.to_owned());
                }
                false => {
                    let message = "the picture is called without its extension";
                    self.losses.approximated(Aspect::Textures, path, message);
                }
            }
        }
        Some(name)
    }

    /// The name of a picture without its extension, as the document wants it; names that would be too short for the
    /// engine keep it.
    fn bare_name<'n>(&self, uri: &'n str) -> &'n str {
        let file = uri.rfind(['/', '\\']).map_or(0, |at| at + 1);
        let known = |extension: &&str| {
            [".png", ".jpg", ".jpeg", ".tga", ".dds", ".bmp", ".gif", ".webp", ".ktx2", ".tif"]
                .iter()
                .any(|known| known.eq_ignore_ascii_case(extension))
        };
        let name = uri.get(file..).unwrap_or_default();
        let dot =
            name.rfind('.').filter(|dot| name.get(*dot..).is_some_and(|e| known(&e))).map(|dot| dot + file);
        let bare = dot.and_then(|dot| uri.get(..dot)).unwrap_or(uri);
        let enough = bare.len() >= *engine::NAME_BYTES.start() || !self.serves_engine();
        if enough && bare.len() > file { bare } else { uri }
    }
}
