//! Materials, lights and cameras.

use super::{Lifter, finite};
use crate::formats::bogle::added;
use crate::formats::bogle::model::{Camera, Light, Material, Slot};
use crate::formats::bogle::notes::{
    CameraNote, Float, ImageNote, LightNote, MaterialNote, Note as _, SceneNote, StillNote, floats, read_name,
};
use crate::math;
use crate::scene::{
    self, AlphaMode, Blend, Extras, Image, LightKind, Phong, Projection, Shading, Texture, TextureRef,
};

impl Lifter<'_> {
    /// The ambient light, cameras, lights and materials, with the indices that they have in the file.
    pub(super) fn looks(&mut self) {
        let was_added = added::is_ambient(self.model.ambient);
        self.scene.ambient = (!was_added).then(|| self.model.ambient.map(finite));
        let cameras = self.model.cameras.len() - usize::from(self.added_camera.is_some());
        for camera in self.model.cameras.iter().take(cameras) {
            let id = self.scene.cameras.push(lift_camera(camera));
            self.origins.camera(id.index(), || format!("cameras[{}]", id.index()));
        }
        let note = SceneNote {
            ambient: Some(floats(&self.model.ambient)),
            added_camera: self.added_camera.is_some(),
            ..SceneNote::default()
        };
        note.keep(&mut self.scene.extras);
        for light in &self.model.lights {
            let id = self.scene.lights.push(lift_light(light));
            self.origins.light(id.index(), || format!("lights[{}]", id.index()));
        }
        for material in &self.model.materials {
            let material = self.material(material);
            let id = self.scene.materials.push(material);
            self.origins.material(id.index(), || format!("materials[{}]", id.index()));
        }
    }

    fn material(&mut self, material: &Material) -> scene::Material {
        let mut extras = Extras::default();
        let (name, name_bytes) = read_name(&material.name);
        MaterialNote::new(material, name_bytes).keep(&mut extras);
        let surface = Surface::of(material);
        if surface.unlit {
            return self.unlit(material, name, &surface, extras);
        }
        let bump = self.texture(material, Slot::Bump);
        let phong = Phong {
            ambient: surface.ambient,
            diffuse: surface.diffuse,
            specular: surface.specular,
            shininess: surface.shininess,
            ambient_texture: self.texture(material, Slot::Ambient),
            diffuse_texture: self.texture(material, Slot::Diffuse),
            specular_texture: self.texture(material, Slot::Specular),
            shininess_texture: self.texture(material, Slot::SpecularPower),
            bump_texture: bump.map(|texture| (texture, finite(material.bump_intensity))),
            opacity_texture: self.texture(material, Slot::Opacity),
        };
        scene::Material {
            name,
            shading: Shading::Phong(Box::new(phong)),
            emissive: surface.emissive,
            emissive_texture: self.texture(material, Slot::Emissive),
            normal_texture: self.texture(material, Slot::Normal).map(|texture| (texture, 1.0)),
            alpha: surface.alpha,
            extras,
            ..scene::Material::default()
        }
    }

    /// A surface that shows its colour as it is: its glow is its colour.
    fn unlit(
        &mut self,
        material: &Material,
        name: String,
        surface: &Surface,
        extras: Extras,
    ) -> scene::Material {
        let ([r, g, b], [.., opacity]) = (surface.emissive, surface.diffuse);
        let slots = [Slot::Emissive, Slot::Diffuse];
        let picture = slots.into_iter().find(|slot| !material.texture(*slot).is_empty());
        let phong = Phong {
            ambient: [0.0; 3],
            diffuse: [r, g, b, opacity],
            specular: [0.0; 3],
            shininess: surface.shininess,
            diffuse_texture: picture.and_then(|slot| self.texture(material, slot)),
            ..Phong::default()
        };
        scene::Material {
            name,
            shading: Shading::Phong(Box::new(phong)),
            normal_texture: self.texture(material, Slot::Normal).map(|texture| (texture, 1.0)),
            alpha: surface.alpha,
            unlit: true,
            extras,
            ..scene::Material::default()
        }
    }

    /// The texture of a slot. The file has names without extension; the engine looks for a PNG.
    fn texture(&mut self, material: &Material, slot: Slot) -> Option<TextureRef> {
        let stem = material.texture(slot);
        if stem.is_empty() {
            return None;
        }
        if let Some(texture) = self.textures.get(stem) {
            return Some(TextureRef::new(*texture));
        }
        let (text, stem_bytes) = read_name(stem);
        let mut image = Image { uri: Some(format!("{text}.png")), ..Image::default() };
        ImageNote { stem_bytes }.keep(&mut image.extras);
        let image = self.scene.images.push(image);
        let texture = self.scene.textures.push(Texture { image: Some(image), ..Texture::default() });
        self.textures.insert(stem.to_vec(), texture);
        Some(TextureRef::new(texture))
    }
}

/// What a material's numbers mean in a Scene.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::formats::bogle) struct Surface {
    pub(in crate::formats::bogle) ambient: [f32; 3],
    pub(in crate::formats::bogle) emissive: [f32; 3],
    pub(in crate::formats::bogle) diffuse: [f32; 4],
    pub(in crate::formats::bogle) specular: [f32; 3],
    pub(in crate::formats::bogle) shininess: f32,
    pub(in crate::formats::bogle) alpha: AlphaMode,
    pub(in crate::formats::bogle) unlit: bool,
}

impl Surface {
    pub(in crate::formats::bogle) fn of(material: &Material) -> Self {
        let rgb = |[r, g, b, _]: [f32; 4]| [r, g, b].map(finite);
        let [r, g, b, a] = material.diffuse.map(finite);
        // Two numbers that are finite may be too large together.
        let opacity = finite(finite(material.opacity) * a);
        Self {
            ambient: rgb(material.ambient),
            emissive: rgb(material.emissive),
            diffuse: [r, g, b, opacity],
            specular: rgb(material.specular),
            shininess: finite(material.specular_power),
            alpha: alpha_mode(material, opacity),
            unlit: is_unlit(material),
        }
    }
}

/// Whether a material is one that light does not change: it glows and answers to no light. Numbers that no exporter
/// writes, all zero, tell it from one that just glows.
fn is_unlit(material: &Material) -> bool {
    let black = |[r, g, b, _]: [f32; 4]| [r, g, b] == [0.0; 3];
    let Material { specular_power, bump_intensity, specular_scale, .. } = *material;
    black(material.ambient)
        && black(material.diffuse)
        && black(material.specular)
        && [specular_power, bump_intensity, specular_scale] == [0.0; 3]
}

/// Blending wins. A threshold matters only where the alpha can be below it: where a picture can have holes, or where
/// the opacity itself is below. The exporter writes a threshold of 0.1 for every material.
fn alpha_mode(material: &Material, opacity: f32) -> AlphaMode {
    let cutoff = finite(material.alpha_threshold);
    let pictures = [Slot::Diffuse, Slot::Opacity];
    let has_picture = pictures.into_iter().any(|slot| !material.texture(slot).is_empty());
    match material.alpha_blend {
        0 if cutoff > 0.0 && (has_picture || opacity < cutoff) => AlphaMode::Mask { cutoff },
        0 => AlphaMode::Opaque,
        _ => AlphaMode::Blend(Blend::Alpha),
    }
}

fn lift_camera(camera: &Camera) -> scene::Camera {
    let mut extras = Extras::default();
    let (name, name_bytes) = read_name(&camera.name);
    CameraNote::new(camera, name_bytes).keep(&mut extras);
    let sized = camera.width > 0 && camera.height > 0;
    let projection = Projection::Perspective {
        yfov: vertical_fov(camera.fov, camera.width, camera.height),
        aspect: sized.then(|| (f64::from(camera.width) / f64::from(camera.height)) as f32),
        near: finite(camera.near),
        far: camera.far.is_finite().then_some(camera.far),
    };
    scene::Camera { name, projection, extras }
}

/// The vertical field of view. The file's is along the longer side of the picture, as Blender has it.
pub(in crate::formats::bogle) fn vertical_fov(fov: f32, width: u32, height: u32) -> f32 {
    if width < height || height == 0 {
        return finite(fov);
    }
    let ratio = f64::from(height) / f64::from(width);
    finite((2.0 * math::atan_64(math::tan_64(f64::from(fov) / 2.0) * ratio)) as f32)
}

fn lift_light(light: &Light) -> scene::Light {
    let mut extras = Extras::default();
    let (name, name_bytes) = read_name(&light.name);
    LightNote::new(light, name_bytes).keep(&mut extras);
    let attenuation = [light.constant, light.linear, light.quadratic];
    let kind = match light.kind {
        Light::SPOT => LightKind::Spot { inner: 0.0, outer: finite(light.angle) / 2.0 },
        Light::DIRECTIONAL => LightKind::Directional,
        _ => LightKind::Point,
    };
    let [r, g, b, _] = light.color.map(finite);
    scene::Light {
        name,
        kind,
        color: [r, g, b],
        intensity: finite(light.intensity),
        range: None,
        attenuation: Some(attenuation.map(finite)),
        extras,
    }
}

/// What an animation without anything that moves keeps.
pub(super) fn still(index: usize, animation: &crate::formats::bogle::model::Animation) -> StillNote {
    StillNote {
        index,
        name_bytes: animation.name.clone(),
        times: animation.keys.iter().map(|key| Float(key.time)).collect(),
        offsets: animation.keys.iter().flat_map(|key| key.root_offset.map(Float)).collect(),
    }
}
