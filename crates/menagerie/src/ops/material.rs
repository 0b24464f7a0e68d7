//! From one kind of shading to another.

use crate::scene::{MetallicRoughness, Phong, Shading};

/// The specular colour of everything that is no metal.
const DIELECTRIC: f32 = 0.04;

/// The metallic-roughness material that looks most like a Phong material.
///
/// | metallic-roughness | from Phong |
/// |---|---|
/// | base colour and its picture | diffuse and its picture |
/// | metallic | 0: old engines paint metals |
/// | roughness | (2 / (shininess + 2))^¼, the roughness whose highlight is as wide; 1 when the specular colour is black |
///
/// Ambient and specular colours and the other pictures have no counterpart.
pub fn phong_to_metallic_roughness(phong: &Phong) -> MetallicRoughness {
    let shines = phong.specular.iter().any(|&x| x > 0.0);
    let roughness = if shines { crate::math::pow(2.0 / (phong.shininess.max(0.0) + 2.0), 0.25) } else { 1.0 };
    MetallicRoughness {
        base_color: phong.diffuse,
        base_color_texture: phong.diffuse_texture.clone(),
        metallic: 0.0,
        roughness,
        metallic_roughness_texture: None,
    }
}

/// The Phong material that looks most like a metallic-roughness material.
///
/// | Phong | from metallic-roughness |
/// |---|---|
/// | diffuse | base colour · (1 − metallic), alpha as it is; its picture |
/// | specular | 0.04 for what is no metal, the base colour for metals, mixed by metallic |
/// | shininess | 2 / roughness⁴ − 2, at most 1000 |
/// | ambient | the same as diffuse |
///
/// For a material that [`phong_to_metallic_roughness`] made of a shining one, diffuse and shininess are what they were.
pub fn metallic_roughness_to_phong(material: &MetallicRoughness) -> Phong {
    let [r, g, b, a] = material.base_color;
    let metallic = material.metallic;
    let diffuse = [r, g, b].map(|x| x * (1.0 - metallic));
    let specular = [r, g, b].map(|x| DIELECTRIC + (x - DIELECTRIC) * metallic);
    let [r, g, b] = diffuse;
    Phong {
        ambient: diffuse,
        diffuse: [r, g, b, a],
        specular,
        shininess: shininess(material.roughness),
        diffuse_texture: material.base_color_texture.clone(),
        ..Phong::default()
    }
}

/// How much of a metal's colour its paint has: about as much as rough metal mirrors of what is around it.
const METAL_PAINT: f32 = 0.45;
/// The specular colour of painted things that are no metals: old engines take a highlight for much less than all of its
/// colour.
const PAINT_HIGHLIGHT: f32 = 0.3;

/// The Phong material that looks most like a material in an engine that has nothing to mirror: [`to_phong`] would leave
/// metals black there, whatever shines on them.
///
/// | Phong | from metallic-roughness |
/// |---|---|
/// | diffuse | base colour, for metals 0.45 of it, alpha as it is; its picture |
/// | specular | 0.3 for what is no metal, the base colour for metals, mixed by metallic |
pub fn to_painted_phong(shading: &Shading) -> Phong {
    let Shading::MetallicRoughness(material) = shading else { return to_phong(shading) };
    let [r, g, b, a] = material.base_color;
    let metallic = material.metallic.clamp(0.0, 1.0);
    let [x, y, z] = [r, g, b].map(|x| x * (1.0 - metallic * (1.0 - METAL_PAINT)));
    let specular = [r, g, b].map(|x| PAINT_HIGHLIGHT + (x - PAINT_HIGHLIGHT) * metallic);
    Phong { ambient: [x, y, z], diffuse: [x, y, z, a], specular, ..metallic_roughness_to_phong(material) }
}

/// The exponent whose highlight is as wide as that of a roughness.
fn shininess(roughness: f32) -> f32 {
    (2.0 / roughness.clamp(0.0, 1.0).powi(4) - 2.0).clamp(0.0, 1000.0)
}

/// The Phong material that looks most like a material: itself, that of [`metallic_roughness_to_phong`], or for
/// specular-glossiness the same colours with glossiness as one minus roughness.
pub fn to_phong(shading: &Shading) -> Phong {
    match shading {
        Shading::Phong(phong) => phong.as_ref().clone(),
        Shading::MetallicRoughness(material) => metallic_roughness_to_phong(material),
        Shading::SpecularGlossiness(material) => {
            let [r, g, b, _] = material.diffuse;
            Phong {
                ambient: [r, g, b],
                diffuse: material.diffuse,
                specular: material.specular,
                shininess: shininess(1.0 - material.glossiness),
                diffuse_texture: material.diffuse_texture.clone(),
                ..Phong::default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diffuse_and_shininess_come_back() {
        for shininess in [0.0, 1.0, 8.0, 32.0, 200.0] {
            let phong =
                Phong { diffuse: [0.1, 0.5, 0.9, 0.7], specular: [0.5; 3], shininess, ..Phong::default() };
            let back = metallic_roughness_to_phong(&phong_to_metallic_roughness(&phong));
            assert_eq!(back.diffuse, phong.diffuse);
            assert!((back.shininess - shininess).abs() <= 1e-4 * (shininess + 2.0), "{}", back.shininess);
        }
    }
}
