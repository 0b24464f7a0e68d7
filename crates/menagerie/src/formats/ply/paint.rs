//! Colours of materials as colours of vertices, which are all the colours that PLY has.

use crate::bytes::Limits;
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind, LossReport};
use crate::formats::flat::FlatMesh;
use crate::scene::{
    AlphaMode, Material, Primitive, Scene, Shading, TextureRef, linear_to_srgb_byte, srgb_byte_to_linear,
};

/// Multiplies the colours of materials into those of vertices. Where the file names one picture for all, pictures stay as
/// they are; else each vertex takes the colour that its picture has at its place.
pub(super) fn paint(
    scene: &Scene,
    flat: &mut [FlatMesh],
    (one_picture, limits): (bool, &Limits),
    losses: &mut LossReport,
) {
    let mut pictures = Pictures::new(limits);
    let (mut added, mut changed) = (0, ErrorStats::default());
    for primitive in flat.iter_mut().flat_map(|flat| &mut flat.primitives) {
        let Some(material) = primitive.material.and_then(|id| scene.materials.get(id)) else { continue };
        let texture = material.base_color_texture().filter(|_| !one_picture);
        let texels = texture.and_then(|texture| pictures.colors(scene, texture, primitive));
        let factor = factor(material);
        if factor == [1.0; 4] && texels.is_none() {
            continue;
        }
        let had = !primitive.colors.is_empty();
        if !had {
            primitive.colors.push(vec![[1.0; 4]; primitive.positions.len()]);
            added += 1;
        }
        let opaque = material.alpha == AlphaMode::Opaque;
        for (vertex, color) in primitive.colors.iter_mut().take(1).flatten().enumerate() {
            let texel = texels.as_ref().and_then(|texels| texels.get(vertex)).copied().unwrap_or([1.0; 4]);
            let before = *color;
            for (channel, (color, (factor, texel))) in
                color.iter_mut().zip(factor.iter().zip(texel)).enumerate()
            {
                // The alpha of what is opaque says nothing.
                if channel < 3 || !opaque {
                    *color = (*color * factor * texel).clamp(0.0, 1.0);
                }
            }
            if had {
                // As it is read again, so that what rounding adds is part of it.
                changed.add(apart(before, of_bytes(as_bytes(*color))));
            }
        }
    }
    if added > 0 {
        let message = "colours of materials were written as colours of vertices";
        losses.push(Loss::new(Aspect::Colors, LossKind::Added, "meshes", message).count(added));
    }
    let message = "colours of materials were multiplied into those of vertices";
    losses.measured(Aspect::Colors, "meshes", message, changed, "linear colour");
}

/// A colour as PLY stores it.
pub(super) fn as_bytes(color: [f32; 4]) -> [u8; 4] {
    let [r, g, b, _] = color.map(linear_to_srgb_byte);
    [r, g, b, (color[3].clamp(0.0, 1.0) * 255.0).round() as u8]
}

/// What stored bytes are as a colour.
pub(super) fn of_bytes([r, g, b, alpha]: [u8; 4]) -> [f32; 4] {
    let [r, g, b] = [r, g, b].map(srgb_byte_to_linear);
    [r, g, b, f32::from(alpha) / 255.0]
}

/// How far two colours are from each other.
pub(super) fn apart(a: [f32; 4], b: [f32; 4]) -> f64 {
    a.into_iter().zip(b).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt()
}

/// How much darker than the metal paint is that looks like it, found by comparing pictures.
const METAL_SHADE: f32 = 0.5;

/// What a material multiplies colours by; light that it gives off counts, as far as it is brighter.
fn factor(material: &Material) -> [f32; 4] {
    let [r, g, b, a] = material.base_color();
    // Without a material nothing is metal. Metals answer to light from all sides with less than their colour: paint that
    // looks like them is darker.
    let dark = match &material.shading {
        Shading::MetallicRoughness(shading) if !material.unlit => {
            1.0 - METAL_SHADE * shading.metallic.clamp(0.0, 1.0)
        }
        _ => 1.0,
    };
    let [r, g, b] = [r, g, b].map(|channel| channel * dark);
    let own = if material.emissive_texture.is_some() { [0.0; 3] } else { material.emissive };
    let [er, eg, eb] = own;
    [r.max(er), g.max(eg), b.max(eb), a]
}

/// Pictures that were decoded already.
struct Pictures {
    #[cfg_attr(not(feature = "pictures"), allow(dead_code, reason = "nothing is decoded"))]
    limits: Limits,
    #[cfg(feature = "pictures")]
    known: std::collections::BTreeMap<usize, Option<crate::pictures::Texels>>,
}

impl Pictures {
    fn new(limits: &Limits) -> Self {
        Self {
            limits: limits.clone(),
            #[cfg(feature = "pictures")]
            known: std::collections::BTreeMap::new(),
        }
    }

    /// The colour of a picture at each vertex; `None` without the picture or coordinates.
    #[cfg(feature = "pictures")]
    fn colors(
        &mut self,
        scene: &Scene,
        texture: &TextureRef,
        primitive: &Primitive,
    ) -> Option<Vec<[f32; 4]>> {
        use crate::pictures::Texels;

        let set = texture.transform.and_then(|transform| transform.uv_set).unwrap_or(texture.uv_set);
        let uvs = primitive.uvs.get(set as usize)?;
        let id = scene.textures.get(texture.texture)?.image?;
        let texels = self.known.entry(id.index()).or_insert_with(|| {
            let image = scene.images.get(id)?;
            let name = image.uri.as_deref().unwrap_or_default();
            Texels::decode_within(image.data.as_deref()?, name, &self.limits).ok()
        });
        let texels = texels.as_ref()?;
        let place = |coordinate: f32, count: usize| {
            let inside = (coordinate - coordinate.floor()) * count as f32;
            (inside as usize).min(count.saturating_sub(1))
        };
        let color = |uv: &[f32; 2]| {
            let [u, v] = transformed(*uv, texture);
            let (x, y) = (place(u, texels.width()), place(v, texels.height()));
            of_bytes(texels.list().get(y * texels.width() + x).copied().unwrap_or([255; 4]))
        };
        Some(uvs.iter().map(color).collect())
    }

    #[cfg(not(feature = "pictures"))]
    fn colors(&mut self, _: &Scene, _: &TextureRef, _: &Primitive) -> Option<Vec<[f32; 4]>> {
        None
    }
}

/// A place in a picture, moved as the use of it says.
#[cfg(feature = "pictures")]
fn transformed([u, v]: [f32; 2], texture: &TextureRef) -> [f32; 2] {
    let Some(change) = texture.transform else { return [u, v] };
    let (u, v) = (u * change.scale[0], v * change.scale[1]);
    let glam::Vec2 { x: cos, y: sin } = glam::Vec2::from_angle(change.rotation);
    [u * cos + v * sin + change.offset[0], v * cos - u * sin + change.offset[1]]
}
