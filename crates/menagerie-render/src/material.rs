//! The Scene's materials as what shading needs: numbers, and the pictures that change them.

use std::collections::BTreeMap;

use menagerie::bytes::Limits;
use menagerie::diag::{Issue, Issues};
use menagerie::pictures::Texels;
use menagerie::scene::{
    AlphaMode, Filter, Image, Material, MaterialId, Scene, Shading, TextureRef, UvTransform,
};
use rayon::prelude::*;

use crate::codes;
use crate::math::sin_cos;
use crate::texture::{Meaning, Mips, Sampling, Unusable};

/// All materials of a Scene with their pictures.
#[derive(Debug)]
pub(crate) struct Materials {
    surfaces: Vec<Surface>,
    mips: Vec<Mips>,
}

/// What a surface looks like.
#[derive(Clone, Debug)]
pub(crate) struct Surface {
    pub(crate) base: [f32; 4],
    pub(crate) base_map: Option<Slot>,
    pub(crate) opacity_map: Option<Slot>,
    pub(crate) reflection: Reflection,
    pub(crate) emissive: [f32; 3],
    pub(crate) emissive_map: Option<Slot>,
    pub(crate) normal_map: Option<(Slot, f32)>,
    pub(crate) bump_map: Option<(Slot, f32)>,
    pub(crate) occlusion_map: Option<(Slot, f32)>,
    pub(crate) alpha: AlphaMode,
    pub(crate) double_sided: bool,
    pub(crate) unlit: bool,
    /// The sets of texture coordinates that the slots use; a slot names its place in this list.
    pub(crate) uv_sets: Vec<usize>,
}

/// How a surface mirrors light.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reflection {
    /// As glTF has it; the picture multiplies roughness by green and metallic by blue.
    Metallic { metallic: f32, roughness: f32, map: Option<Slot> },
    /// Phong: the colour of the highlight and its exponent, each with a picture.
    Phong { specular: [f32; 3], shininess: f32, specular_map: Option<Slot>, shininess_map: Option<Slot> },
    /// Specular-glossiness; the picture multiplies the colour, and glossiness by alpha.
    Glossy { specular: [f32; 3], glossiness: f32, map: Option<Slot> },
}

/// A use of a picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    pub(crate) mips: usize,
    pub(crate) uv: usize,
    pub(crate) sampling: Sampling,
    /// From the coordinates to those of the picture: the two rows of a matrix.
    pub(crate) transform: Option<[[f32; 3]; 2]>,
}

impl Surface {
    /// What a primitive without a material looks like: light grey, neither shiny nor dull.
    fn plain() -> Self {
        Self {
            base: [0.8, 0.8, 0.8, 1.0],
            base_map: None,
            opacity_map: None,
            reflection: Reflection::Metallic { metallic: 0.0, roughness: 0.6, map: None },
            emissive: [0.0; 3],
            emissive_map: None,
            normal_map: None,
            bump_map: None,
            occlusion_map: None,
            alpha: AlphaMode::Opaque,
            double_sided: false,
            unlit: false,
            uv_sets: Vec::new(),
        }
    }

    /// Whether tangents are needed, and for which set of texture coordinates.
    pub(crate) fn tangent_set(&self) -> Option<usize> {
        let slot = self.normal_map.as_ref().or(self.bump_map.as_ref())?.0;
        self.uv_sets.get(slot.uv).copied()
    }
}

impl Materials {
    /// Takes over the materials that primitives use, and decodes their pictures.
    pub(crate) fn new(scene: &Scene, limits: &Limits, issues: &mut Issues) -> Self {
        let mut used = vec![false; scene.materials.len()];
        for primitive in scene.meshes.values().flat_map(|mesh| &mesh.primitives) {
            if let Some(used) = primitive.material.and_then(|id| used.get_mut(id.index())) {
                *used = true;
            }
        }
        let mut wanted = Wanted { scene, places: BTreeMap::new() };
        let mut surfaces: Vec<Surface> = scene
            .materials
            .values()
            .zip(used)
            .map(|(material, used)| if used { wanted.surface(material) } else { Surface::plain() })
            .collect();
        surfaces.push(Surface::plain());
        let mips = wanted.decode(&mut surfaces, limits, issues);
        let mut materials = Self { surfaces, mips };
        materials.see_through();
        materials
    }

    /// The surface of a material, or of none.
    pub(crate) fn surface(&self, id: Option<MaterialId>) -> (usize, &Surface) {
        let last = self.surfaces.len() - 1;
        let index = id.map_or(last, |id| id.index().min(last));
        (index, &self.surfaces[index])
    }

    pub(crate) fn at(&self, index: usize) -> &Surface {
        &self.surfaces[index]
    }

    pub(crate) fn mips(&self, slot: &Slot) -> &Mips {
        &self.mips[slot.mips]
    }

    /// What says that it is transparent and has no transparent texel needs no sorting.
    fn see_through(&mut self) {
        for surface in &mut self.surfaces {
            let opaque = |slot: &Slot| !self.mips[slot.mips].has_alpha;
            let solid = surface.base[3] >= 1.0
                && surface.opacity_map.is_none()
                && surface.base_map.as_ref().is_none_or(opaque);
            if solid && surface.alpha == AlphaMode::Blend(menagerie::scene::Blend::Alpha) {
                surface.alpha = AlphaMode::Mask { cutoff: 1.0 / 255.0 };
            }
        }
    }
}

/// The pictures that are wanted so far, and where they will be.
struct Wanted<'a> {
    scene: &'a Scene,
    places: BTreeMap<(usize, Meaning), usize>,
}

impl Wanted<'_> {
    fn surface(&mut self, material: &Material) -> Surface {
        let mut surface = Surface { base: material.base_color(), ..Surface::plain() };
        let sets = &mut surface.uv_sets;
        surface.base_map = self.slot(material.base_color_texture(), Meaning::Color, sets);
        surface.reflection = match &material.shading {
            Shading::MetallicRoughness(m) => Reflection::Metallic {
                metallic: m.metallic.clamp(0.0, 1.0),
                roughness: m.roughness.clamp(0.0, 1.0),
                map: self.slot(m.metallic_roughness_texture.as_ref(), Meaning::Data, sets),
            },
            Shading::Phong(p) => {
                surface.opacity_map = self.slot(p.opacity_texture.as_ref(), Meaning::Data, sets);
                surface.bump_map = self.scaled(p.bump_texture.as_ref(), sets);
                Reflection::Phong {
                    specular: p.specular,
                    shininess: p.shininess.max(0.0),
                    specular_map: self.slot(p.specular_texture.as_ref(), Meaning::Color, sets),
                    shininess_map: self.slot(p.shininess_texture.as_ref(), Meaning::Data, sets),
                }
            }
            Shading::SpecularGlossiness(s) => Reflection::Glossy {
                specular: s.specular,
                glossiness: s.glossiness.clamp(0.0, 1.0),
                map: self.slot(s.specular_glossiness_texture.as_ref(), Meaning::Color, sets),
            },
        };
        surface.emissive = material.emissive;
        surface.emissive_map = self.slot(material.emissive_texture.as_ref(), Meaning::Color, sets);
        surface.normal_map = self.scaled(material.normal_texture.as_ref(), sets);
        surface.occlusion_map = self.scaled(material.occlusion_texture.as_ref(), sets);
        surface.alpha = material.alpha;
        surface.double_sided = material.double_sided;
        surface.unlit = material.unlit;
        surface
    }

    fn scaled(&mut self, texture: Option<&(TextureRef, f32)>, sets: &mut Vec<usize>) -> Option<(Slot, f32)> {
        let (texture, strength) = texture?;
        Some((self.slot(Some(texture), Meaning::Data, sets)?, *strength))
    }

    fn slot(
        &mut self,
        texture: Option<&TextureRef>,
        meaning: Meaning,
        sets: &mut Vec<usize>,
    ) -> Option<Slot> {
        let reference = texture?;
        let texture = self.scene.textures.get(reference.texture)?;
        let next = self.places.len();
        let mips = *self.places.entry((texture.image?.index(), meaning)).or_insert(next);
        let set =
            reference.transform.and_then(|transform| transform.uv_set).unwrap_or(reference.uv_set) as usize;
        let uv = sets.iter().position(|known| *known == set).unwrap_or_else(|| {
            sets.push(set);
            sets.len() - 1
        });
        let sampling = texture.sampler.as_ref().map_or(Sampling::default(), |sampler| Sampling {
            wrap: [sampler.wrap_u, sampler.wrap_v],
            nearest: sampler.magnify == Some(Filter::Nearest),
        });
        Some(Slot { mips, uv, sampling, transform: reference.transform.as_ref().map(matrix) })
    }

    /// Decodes all pictures on all cores. Slots whose picture cannot be used are taken out of the surfaces.
    fn decode(self, surfaces: &mut [Surface], limits: &Limits, issues: &mut Issues) -> Vec<Mips> {
        let mut wanted: Vec<((usize, Meaning), usize)> = self.places.into_iter().collect();
        wanted.sort_by_key(|(_, place)| *place);
        let images: Vec<(usize, &Image)> = self.scene.images.values().enumerate().collect();
        // One after the other, so that it does not depend on the number of cores which are refused.
        let afforded: Vec<Result<(), Issue>> =
            wanted.iter().map(|((index, _), _)| afford(images.get(*index).copied(), limits)).collect();
        let decoded: Vec<Result<Mips, Issue>> = wanted
            .par_iter()
            .zip(afforded)
            .map(|(((index, meaning), _), afforded)| match images.get(*index) {
                Some((_, image)) => afforded.and_then(|()| decode(*index, image, *meaning)),
                None => Err(Issue::new(&codes::TEXTURE_MISSING, "", "there is no such picture")),
            })
            .collect();
        let mut told = Vec::new();
        let mut mips = Vec::new();
        let mut places = Vec::new();
        for (result, ((index, _), _)) in decoded.into_iter().zip(&wanted) {
            match result {
                Ok(decoded) => {
                    places.push(Some(mips.len()));
                    mips.push(decoded);
                }
                Err(issue) => {
                    places.push(None);
                    if !told.contains(index) {
                        told.push(*index);
                        issues.push(issue);
                    }
                }
            }
        }
        surfaces.iter_mut().for_each(|surface| surface.move_slots(&places));
        mips
    }
}

impl Surface {
    /// Gives every slot the new place of its picture, or takes it away.
    fn move_slots(&mut self, places: &[Option<usize>]) {
        let moved = |slot: &mut Option<Slot>| {
            *slot =
                slot.and_then(|slot| Some(Slot { mips: places.get(slot.mips).copied().flatten()?, ..slot }));
        };
        let moved_scaled = |scaled: &mut Option<(Slot, f32)>| {
            let mut slot = scaled.map(|(slot, _)| slot);
            moved(&mut slot);
            *scaled = slot.zip(*scaled).map(|(slot, (_, strength))| (slot, strength));
        };
        [&mut self.base_map, &mut self.opacity_map, &mut self.emissive_map].into_iter().for_each(moved);
        [&mut self.normal_map, &mut self.bump_map, &mut self.occlusion_map]
            .into_iter()
            .for_each(moved_scaled);
        match &mut self.reflection {
            Reflection::Metallic { map, .. } | Reflection::Glossy { map, .. } => moved(map),
            Reflection::Phong { specular_map, shininess_map, .. } => {
                moved(specular_map);
                moved(shininess_map);
            }
        }
    }
}

/// What a texel takes in all its sizes, and while it is decoded, in bytes.
const TEXEL: usize = 12;

/// Takes what a picture needs; one that is no picture needs nothing and is refused later.
fn afford(image: Option<(usize, &Image)>, limits: &Limits) -> Result<(), Issue> {
    let Some((index, image)) = image else { return Ok(()) };
    let name = image.uri.as_deref().unwrap_or(&image.name);
    let size = image.data.as_ref().and_then(|data| Texels::size_of(data, name));
    let Some((width, height)) = size else { return Ok(()) };
    limits.take_many(width.saturating_mul(height), TEXEL).map_err(|over| {
        let message = format!("the picture {name} has {width} by {height} texels: {over}");
        Issue::new(&codes::TEXTURE_TOO_LARGE, format!("images[{index}]"), message)
    })
}

fn decode(index: usize, image: &Image, meaning: Meaning) -> Result<Mips, Issue> {
    let path = format!("images[{index}]");
    let name = image.uri.as_deref().unwrap_or(&image.name);
    let Some(data) = &image.data else {
        return Err(Issue::new(&codes::TEXTURE_MISSING, path, format!("the picture {name} was not found")));
    };
    Mips::decode(data, name, meaning).map_err(|unusable| match unusable {
        Unusable::TooLarge(width, height) => {
            let message = format!("the picture {name} has {width} by {height} texels");
            Issue::new(&codes::TEXTURE_TOO_LARGE, path, message)
        }
        Unusable::OverLimit(over) => {
            Issue::new(&codes::TEXTURE_TOO_LARGE, path, format!("the picture {name} is too large: {over}"))
        }
        Unusable::Broken(reason) => Issue::new(
            &codes::TEXTURE_BROKEN,
            path,
            format!("the picture {name} cannot be decoded: {reason}"),
        ),
    })
}

/// Scale, then rotation, then offset, as the two rows of a matrix.
fn matrix(transform: &UvTransform) -> [[f32; 3]; 2] {
    let (sin, cos) = sin_cos(transform.rotation);
    let [sx, sy] = transform.scale;
    let [x, y] = transform.offset;
    [[cos * sx, sin * sy, x], [-sin * sx, cos * sy, y]]
}
