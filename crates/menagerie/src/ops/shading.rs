use crate::scene::{Phong, Shading};

/// How much light a surface that is no metal mirrors.
const DIELECTRIC: f32 = 0.04;

/// The Phong shading that looks most like a shading.
///
/// The base colour stays the diffuse colour, of metals too: Phong engines mirror no surroundings, so a metal without
/// diffuse light would be black. What a surface mirrors is its specular colour, and roughness becomes an exponent in
/// the usual way, 2 / roughness⁴ − 2, of at most 1000.
pub fn to_phong(shading: &Shading) -> Phong {
    match shading {
        Shading::Phong(phong) => phong.as_ref().clone(),
        Shading::MetallicRoughness(m) => {
            let [r, g, b, _] = m.base_color;
            let mirrored = |color: f32| DIELECTRIC + (color - DIELECTRIC) * m.metallic;
            Phong {
                ambient: [r, g, b],
                diffuse: m.base_color,
                specular: [r, g, b].map(mirrored),
                shininess: exponent(m.roughness),
                diffuse_texture: m.base_color_texture.clone(),
                ..Phong::default()
            }
        }
        Shading::SpecularGlossiness(s) => {
            let [r, g, b, _] = s.diffuse;
            Phong {
                ambient: [r, g, b],
                diffuse: s.diffuse,
                specular: s.specular,
                shininess: exponent(1.0 - s.glossiness),
                diffuse_texture: s.diffuse_texture.clone(),
                ..Phong::default()
            }
        }
    }
}

fn exponent(roughness: f32) -> f32 {
    let alpha = (roughness * roughness).clamp(0.0, 1.0);
    (2.0 / (alpha * alpha).max(1e-6) - 2.0).clamp(1.0, 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::MetallicRoughness;

    #[test]
    fn rough_surfaces_have_wide_highlights() {
        let of = |roughness: f32| {
            to_phong(&Shading::MetallicRoughness(MetallicRoughness { roughness, ..Default::default() }))
        };
        assert_eq!(of(1.0).shininess, 1.0);
        assert_eq!(of(0.0).shininess, 1000.0);
        assert!((of(0.5).shininess - 30.0).abs() < 1e-3);
        assert_eq!(of(0.5).specular, [1.0; 3], "a white metal mirrors everything");
    }
}
