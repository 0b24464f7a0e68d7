//! Materials as a texture, a colour and flags.

use super::Lowering;
use crate::diag::Aspect;
use crate::diag::loss::ErrorStats;
use crate::formats::bo3d::model::Fx;
use crate::formats::bo3d::notes::{ImageNote, MaterialNote, Note, name_bytes};
use crate::formats::is_placed_otherwise;
use crate::ops::to_painted_phong;
use crate::scene::{
    AlphaMode, Blend, Material, MaterialId, MetallicRoughness, Scene, Shading, TextureRef,
    linear_to_srgb_byte, srgb_byte_to_linear,
};

/// What a mesh entity says about its surface.
pub(super) struct Surface {
    pub(super) texture: Vec<u8>,
    pub(super) colour: [u8; 4],
    pub(super) alpha: f32,
    pub(super) fx: u32,
}

impl Lowering<'_> {
    pub(super) fn surface(&mut self, id: Option<MaterialId>) -> Surface {
        let Some((id, material)) = id.and_then(|id| Some((id, self.scene.materials.get(id)?))) else {
            let message = "the default material became a plain white one";
            self.losses.approximated(Aspect::Materials, "materials", message);
            return Surface { texture: Vec::new(), colour: [255; 4], alpha: 1.0, fx: 0 };
        };
        let path = format!("materials[{}]", id.index());
        for message in unheld_settings(material) {
            self.losses.dropped(Aspect::Materials, path.clone(), message);
        }
        let texture = self.texture_name(&path, material);
        let [red, green, blue, alpha] = material.base_color();
        let (painted, glows) = painted(material);
        let [r, g, b] = painted;
        let bytes = [b, g, r].map(linear_to_srgb_byte);
        let mut stats = ErrorStats::default();
        for (byte, meant) in bytes.iter().zip([blue, green, red]) {
            let off = f64::from((srgb_byte_to_linear(*byte) - meant).abs());
            stats.add(if off > 1e-4 { off } else { 0.0 });
        }
        let message = "the base colour is one of 8 bits, painted where it is a metal's";
        self.losses.measured(Aspect::Materials, path.clone(), message, stats, "linear colour");
        let kept_alpha_byte = MaterialNote::of(&material.extras).colour.map_or(255, |[_, _, _, byte]| byte);
        let [blue, green, red] = bytes;
        Surface {
            texture,
            colour: [blue, green, red, kept_alpha_byte],
            alpha: self.alpha(&path, material, alpha),
            fx: fx_flags(material, glows),
        }
    }

    /// The alpha to store, which decides in BO3D whether a mesh is transparent.
    fn alpha(&mut self, path: &str, material: &Material, alpha: f32) -> f32 {
        let problem = match material.alpha {
            AlphaMode::Opaque if alpha != 1.0 => "an alpha that an opaque material ignores was left out",
            AlphaMode::Mask { .. } => "an alpha threshold has no place in BO3D",
            AlphaMode::Blend(Blend::Alpha) if alpha >= 1.0 => {
                "a transparent material with an alpha of one is opaque in BO3D"
            }
            AlphaMode::Opaque | AlphaMode::Blend(_) => return alpha,
        };
        self.losses.approximated(Aspect::Materials, path, problem);
        if material.alpha == AlphaMode::Opaque { 1.0 } else { alpha }
    }

    /// The name of the base colour picture.
    fn texture_name(&mut self, path: &str, material: &Material) -> Vec<u8> {
        let others = material.textures().count() - usize::from(material.base_color_texture().is_some());
        if others > 0 {
            let message = "BO3D has one texture, the base colour; other maps were left out";
            self.losses.dropped(Aspect::Textures, path, message);
        }
        let Some(texture) = material.base_color_texture() else { return Vec::new() };
        let name = texture_file_name(self.scene, texture);
        let stored = self.scene.textures.get(texture.texture);
        if stored.is_some_and(|t| t.sampler.is_some()) {
            let message = "how the texture is tiled and filtered has no place in BO3D";
            self.losses.dropped(Aspect::Textures, path, message);
        }
        if is_placed_otherwise(texture, None) {
            let message = "the texture is placed by its coordinates";
            self.losses.approximated(Aspect::Textures, path, message);
        }
        if name.is_empty() {
            self.losses.dropped(Aspect::Textures, path, "the texture has no file name to refer to");
        }
        name
    }
}

fn texture_file_name(scene: &Scene, texture: &TextureRef) -> Vec<u8> {
    let image = scene.textures.get(texture.texture).and_then(|t| scene.images.get(t.image?));
    let name = image.and_then(|image| Some((image, image.uri.as_deref()?)));
    name.map(|(image, uri)| name_bytes(ImageNote::of(&image.extras).name_bytes, uri)).unwrap_or_default()
}

/// The colour that a surface is painted in, a metal as old engines have it, and whether it is its own light more than
/// anything else.
fn painted(material: &Material) -> ([f32; 3], bool) {
    let [r, g, b, _] = match &material.shading {
        Shading::MetallicRoughness(m) if m.metallic_roughness_texture.is_none() && !material.unlit => {
            to_painted_phong(&material.shading).diffuse
        }
        _ => material.base_color(),
    };
    // What a picture gives off is not the same everywhere.
    let plain = material.emissive_texture.is_none();
    let [x, y, z] = if plain { material.emissive } else { [0.0; 3] };
    let glows = x + y + z > r + g + b && material.base_color_texture().is_none();
    let colour = if glows { [r + x, g + y, b + z] } else { [r, g, b] };
    (colour.map(|part| part.clamp(0.0, 1.0)), glows)
}

/// What a material has that BO3D has no place for.
fn unheld_settings(material: &Material) -> Vec<&'static str> {
    let plain = MetallicRoughness { metallic: 0.0, roughness: 1.0, ..MetallicRoughness::default() };
    let matt = matches!(&material.shading, Shading::MetallicRoughness(m)
        if m.metallic == plain.metallic && m.roughness == plain.roughness);
    let mut unheld = Vec::new();
    if !matt {
        unheld.push("metal, roughness and highlights have no place in BO3D");
    }
    if material.emissive != [0.0; 3] {
        unheld.push("light that a surface gives off has no place in BO3D");
    }
    unheld
}

/// The FX flags: those that the file had, with what the material says now.
fn fx_flags(material: &Material, glows: bool) -> u32 {
    let mut fx = MaterialNote::of(&material.extras).fx.unwrap_or(0);
    let mut set = |flag: u32, on: bool| fx = if on { fx | flag } else { fx & !flag };
    set(Fx::FULL_BRIGHT, material.unlit || glows);
    set(Fx::TWO_SIDED, material.double_sided);
    match material.alpha {
        AlphaMode::Blend(Blend::Additive) => set(Fx::ADDITIVE, true),
        AlphaMode::Blend(Blend::Multiply) => {
            set(Fx::MULTIPLY, true);
            set(Fx::ADDITIVE, false);
        }
        _ => set(Fx::ADDITIVE | Fx::MULTIPLY, false),
    }
    fx
}
