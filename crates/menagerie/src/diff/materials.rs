//! Materials and pictures, compared.

use super::Comparison;
use super::geometry::Tally;
use crate::diag::Aspect;
use crate::scene::{
    AlphaMode, Blend, Extras, Image, Material, MaterialId, Sampler, Scene, Shading, Texture, TextureRef,
    UvTransform,
};

impl Comparison<'_> {
    /// Compares two materials, once for each pair.
    pub(super) fn materials(&mut self, a: Option<MaterialId>, b: Option<MaterialId>, tally: &mut Tally) {
        if !tally.materials.insert((a.map(|id| id.index()), b.map(|id| id.index()))) {
            return;
        }
        let path =
            a.map_or_else(|| "the default material".to_owned(), |id| format!("materials[{}]", id.index()));
        let default = Material::default();
        let material_a = a.map_or(&default, |id| &self.a.materials[id]);
        let material_b = b.map_or(&default, |id| &self.b.materials[id]);
        self.name(&path, &material_a.name, &material_b.name);
        self.extras(&path, &material_a.extras, &material_b.extras);
        let (settings_a, settings_b) = (settings(material_a), settings(material_b));
        for ((what, x), (_, y)) in settings_a.iter().zip(&settings_b) {
            if !self.tolerance.all_same(x, y) {
                let message = format!("{what} is {x:?} and {y:?}");
                self.report.push(Aspect::Materials, path.clone(), message);
            }
        }
        let (kind_a, kind_b) = (shading(material_a), shading(material_b));
        if kind_a != kind_b {
            let message = format!("is shaded by {kind_a} and by {kind_b}");
            self.report.push(Aspect::Materials, path.clone(), message);
        }
        let (slots_a, slots_b) = (slots(material_a), slots(material_b));
        // With another shading only what both have can be compared.
        let slots = slots_a.iter().filter_map(|(name, x)| {
            let y = slots_b.iter().find(|(other, _)| other == name);
            (kind_a == kind_b || y.is_some()).then(|| (*name, *x, y.and_then(|(_, y)| *y)))
        });
        for (slot, x, y) in slots.collect::<Vec<_>>() {
            self.texture(&format!("{path}.{slot}"), x, y);
        }
    }

    fn texture(&mut self, path: &str, a: Option<&TextureRef>, b: Option<&TextureRef>) {
        let (a, b) = match (a, b) {
            (None, None) => return,
            (Some(a), Some(b)) => (a, b),
            (a, _) => {
                let which = if a.is_some() { "first" } else { "second" };
                return self.report.push(Aspect::Textures, path, format!("is only in the {which} model"));
            }
        };
        let (image_a, image_b) = (image(self.a, a), image(self.b, b));
        if !self.same_image(image_a, image_b) {
            let name = |image: Option<&Image>| {
                image.and_then(|i| i.uri.clone()).unwrap_or_else(|| "embedded".to_owned())
            };
            let message = format!("is another picture: {} and {}", name(image_a), name(image_b));
            self.report.push(Aspect::Textures, path, message);
        }
        if let (Some(a), Some(b)) = (image_a, image_b) {
            self.name(path, &a.name, &b.name);
            self.extras(path, &a.extras, &b.extras);
        }
        self.extras(path, &a.extras, &b.extras);
        let (texture_a, texture_b) = (&self.a.textures[a.texture], &self.b.textures[b.texture]);
        self.extras(path, &texture_a.extras, &texture_b.extras);
        let none = Extras::default();
        let (one, other) = (sampler_extras(texture_a), sampler_extras(texture_b));
        self.extras(path, one.unwrap_or(&none), other.unwrap_or(&none));
        let transform = |texture: &TextureRef| {
            let none = UvTransform { offset: [0.0; 2], rotation: 0.0, scale: [1.0; 2], uv_set: None };
            let t = texture.transform.unwrap_or(none);
            let set = t.uv_set.unwrap_or(texture.uv_set) as f32;
            [set, t.offset[0], t.offset[1], t.rotation, t.scale[0], t.scale[1]]
        };
        if !self.tolerance.all_same(&transform(a), &transform(b)) {
            self.report.push(Aspect::Textures, path, "is placed differently");
        }
        let sampler = |scene: &Scene, texture: &TextureRef| {
            let sampler = scene.textures[texture.texture].sampler.clone().unwrap_or_default();
            Sampler { name: String::new(), extras: Default::default(), ..sampler }
        };
        if sampler(self.a, a) != sampler(self.b, b) {
            self.report.push(Aspect::Textures, path, "is tiled or filtered differently");
        }
    }

    /// Whether two pictures are the same one: by their bytes where both have them, else by their file names.
    fn same_image(&mut self, a: Option<&Image>, b: Option<&Image>) -> bool {
        let (a, b) = match (a, b) {
            (Some(a), Some(b)) => (a, b),
            (a, b) => return a.is_none() && b.is_none(),
        };
        let base = |uri: &str| uri.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        match (&a.data, &b.data, &a.uri, &b.uri) {
            // A large picture may be on thousands of materials.
            (Some(x), Some(y), _, _) if x.len() == y.len() => {
                let both = (x.as_ptr().addr(), y.as_ptr().addr());
                *self.known_pictures.entry(both).or_insert_with(|| x == y)
            }
            (Some(_), Some(_), _, _) => false,
            (_, _, Some(x), Some(y)) => base(x) == base(y),
            // A damaged file may speak of pictures that are nowhere.
            (None, None, None, None) => true,
            _ => false,
        }
    }
}

fn image<'a>(scene: &'a Scene, texture: &TextureRef) -> Option<&'a Image> {
    scene.images.get(scene.textures.get(texture.texture)?.image?)
}

fn sampler_extras(texture: &Texture) -> Option<&Extras> {
    texture.sampler.as_ref().map(|sampler| &sampler.extras)
}

fn shading(material: &Material) -> &'static str {
    match material.shading {
        Shading::MetallicRoughness(_) => "metal and roughness",
        Shading::Phong(_) => "Phong",
        Shading::SpecularGlossiness(_) => "specular and glossiness",
    }
}

/// The numbers of a material by name, the same names for the same shading.
fn settings(material: &Material) -> Vec<(&'static str, Vec<f32>)> {
    let strength =
        |texture: &Option<(TextureRef, f32)>| texture.as_ref().map_or(1.0, |(_, strength)| *strength);
    let alpha = match material.alpha {
        AlphaMode::Opaque => vec![0.0, 0.0],
        AlphaMode::Mask { cutoff } => vec![1.0, cutoff],
        AlphaMode::Blend(Blend::Alpha) => vec![2.0, 0.0],
        AlphaMode::Blend(Blend::Additive) => vec![2.0, 1.0],
        AlphaMode::Blend(Blend::Multiply) => vec![2.0, 2.0],
    };
    let flag = |on: bool| vec![f32::from(u8::from(on))];
    let mut list = vec![
        ("the base colour", material.base_color().to_vec()),
        ("the light it gives off", material.emissive.to_vec()),
        ("the alpha mode", alpha),
        ("double-sided", flag(material.double_sided)),
        ("unlit", flag(material.unlit)),
        ("the strength of the normal map", vec![strength(&material.normal_texture)]),
        ("the strength of the occlusion map", vec![strength(&material.occlusion_texture)]),
    ];
    match &material.shading {
        Shading::MetallicRoughness(m) => {
            list.push(("metallic", vec![m.metallic]));
            list.push(("roughness", vec![m.roughness]));
        }
        Shading::Phong(p) => {
            list.push(("the ambient colour", p.ambient.to_vec()));
            list.push(("the specular colour", p.specular.to_vec()));
            list.push(("the shininess", vec![p.shininess]));
            list.push(("the strength of the bump map", vec![strength(&p.bump_texture)]));
        }
        Shading::SpecularGlossiness(s) => {
            list.push(("the specular colour", s.specular.to_vec()));
            list.push(("the glossiness", vec![s.glossiness]));
        }
    }
    list
}

/// The texture slots of a material by name.
fn slots(material: &Material) -> Vec<(&'static str, Option<&TextureRef>)> {
    let mut list = vec![
        ("base_color_texture", material.base_color_texture()),
        ("emissive_texture", material.emissive_texture.as_ref()),
        ("normal_texture", material.normal_texture.as_ref().map(|(t, _)| t)),
        ("occlusion_texture", material.occlusion_texture.as_ref().map(|(t, _)| t)),
    ];
    match &material.shading {
        Shading::MetallicRoughness(m) => {
            list.push(("metallic_roughness_texture", m.metallic_roughness_texture.as_ref()));
        }
        Shading::Phong(p) => {
            list.push(("ambient_texture", p.ambient_texture.as_ref()));
            list.push(("specular_texture", p.specular_texture.as_ref()));
            list.push(("shininess_texture", p.shininess_texture.as_ref()));
            list.push(("bump_texture", p.bump_texture.as_ref().map(|(t, _)| t)));
            list.push(("opacity_texture", p.opacity_texture.as_ref()));
        }
        Shading::SpecularGlossiness(s) => {
            list.push(("specular_glossiness_texture", s.specular_glossiness_texture.as_ref()));
        }
    }
    list
}
