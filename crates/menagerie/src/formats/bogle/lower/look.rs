//! Materials, pictures, lights and cameras, with what the format cannot say of them.

use std::collections::{BTreeMap, BTreeSet};

use super::nodes::Role;
use super::{Lowering, number};
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind};
use crate::formats::bogle::lift::{Surface, vertical_fov};
use crate::formats::bogle::model::{Camera, Light, Material, Slot};
use crate::formats::bogle::notes::{
    self, CameraNote, ImageNote, LightNote, MaterialNote, Note as _, SceneNote, numbers, write_name,
};
use crate::formats::bogle::{ENGINE_LIGHTS, FORMAT, added};
use crate::formats::{Purpose, is_placed_otherwise};
use crate::math;
use crate::ops::to_painted_phong;
use crate::scene::{
    self, AlphaMode, Blend, CameraId, Extras, LightId, LightKind, MaterialId, Phong, Projection, Shading,
    TextureRef,
};

/// How far two numbers may be apart that mean the same.
const SAME: f32 = 1e-5;
/// The height of the picture of a camera that does not say it.
const PICTURE_HEIGHT: u32 = 1080;
/// The far end of a camera that has none.
const FAR: f32 = 1000.0;

/// Which cameras, lights and materials are used; they are numbered in the order of the Scene.
#[derive(Default)]
pub(super) struct Looks {
    cameras: BTreeSet<CameraId>,
    lights: BTreeSet<LightId>,
    materials: BTreeSet<MaterialId>,
    default_material: bool,
    /// Instances with a light in the tree so far.
    lit: usize,
    /// Lights that the engine has no room for.
    pub(super) too_many_lights: usize,
}

/// The place in a list that stands for the default material until all are numbered.
const DEFAULT: u32 = u32::MAX;

impl Lowering<'_> {
    /// Notes that a camera is used. The number counts the Scene's cameras from one until all are numbered.
    pub(super) fn camera(&mut self, id: CameraId) -> u32 {
        self.looks.cameras.insert(id);
        number(id.index() + 1)
    }

    pub(super) fn light(&mut self, id: LightId) -> u32 {
        let from_file = self.scene.lights.get(id).is_some_and(|light| light.extras.of(FORMAT.id).is_some());
        self.looks.lit += 1;
        // The engine stops at the twenty-first light of the tree (engines.md BOGLE E10).
        if self.looks.lit > ENGINE_LIGHTS && self.for_engine(from_file) {
            self.looks.too_many_lights += 1;
            return 0;
        }
        self.looks.lights.insert(id);
        number(id.index() + 1)
    }

    pub(super) fn material_of(&mut self, node: &scene::Node, part: usize) -> u32 {
        let mesh = node.mesh.and_then(|mesh| self.scene.meshes.get(mesh));
        match mesh.and_then(|mesh| mesh.primitives.get(part)?.material) {
            Some(id) => {
                self.looks.materials.insert(id);
                number(id.index() + 1)
            }
            None => {
                self.looks.default_material = true;
                DEFAULT
            }
        }
    }

    /// Lowers what is used or comes from a BOGLE file, and numbers it.
    pub(super) fn looks_into_model(&mut self) {
        let scene = self.scene;
        let looks = std::mem::take(&mut self.looks);
        self.looks.too_many_lights = looks.too_many_lights;
        let mut cameras = BTreeMap::new();
        for (id, camera) in scene.cameras.iter() {
            if looks.cameras.contains(&id) || camera.extras.of(FORMAT.id).is_some() {
                let main = cameras.is_empty();
                let camera = self.lower_camera(id, camera, main);
                self.model.cameras.push(camera);
                cameras.insert(number(id.index() + 1), number(self.model.cameras.len()));
            }
        }
        let mut lights = BTreeMap::new();
        for (id, light) in scene.lights.iter() {
            if looks.lights.contains(&id) || light.extras.of(FORMAT.id).is_some() {
                let light = self.lower_light(id, light);
                self.model.lights.push(light);
                lights.insert(number(id.index() + 1), number(self.model.lights.len()));
            }
        }
        let mut materials = BTreeMap::new();
        for (id, material) in scene.materials.iter() {
            if looks.materials.contains(&id) || material.extras.of(FORMAT.id).is_some() {
                let material = self.lower_material(id, material);
                self.model.materials.push(material);
                materials.insert(number(id.index() + 1), number(self.model.materials.len()));
            }
        }
        if looks.default_material {
            self.model.materials.push(plain_material());
            materials.insert(DEFAULT, number(self.model.materials.len()));
            let message = "parts without a material got a light grey one: BOGLE needs one";
            self.losses.added(Aspect::Materials, "materials", message);
        }
        self.report_left_out(&materials);
        let find = |map: &BTreeMap<u32, u32>, index: u32| map.get(&index).copied().unwrap_or(0);
        for instance in &mut self.model.instances {
            instance.camera = find(&cameras, instance.camera);
            instance.light = find(&lights, instance.light);
            instance.material = find(&materials, instance.material);
        }
    }

    /// Reports looks that are not in the model, by the numbers of the materials that are.
    fn report_left_out(&mut self, materials: &BTreeMap<u32, u32>) {
        let scene = self.scene;
        // Cameras and lights that no node carries are nowhere in the Scene, so nobody misses them.
        let lost = |carries: fn(&scene::Node) -> bool| {
            let kept = |id| matches!(self.role(id), Role::Instance | Role::Part);
            scene.nodes.iter().filter(|(id, node)| carries(node) && !kept(*id)).count()
        };
        for (aspect, path, left) in [
            (Aspect::Cameras, "cameras", lost(|node| node.camera.is_some())),
            (Aspect::Lights, "lights", lost(|node| node.light.is_some())),
        ] {
            if left > 0 {
                let message = "what nodes carry that are not shown was left out";
                self.losses.push(Loss::new(aspect, LossKind::Dropped, path, message).count(left));
            }
        }
        let lowered = |id: scene::MaterialId| materials.contains_key(&number(id.index() + 1));
        let kept = scene.materials.iter().filter(|(id, _)| lowered(*id)).map(|(_, m)| m.name.as_str());
        let kept: BTreeSet<&str> = kept.filter(|name| !name.is_empty()).collect();
        let left = scene.materials.iter().filter(|(id, m)| !lowered(*id) && !kept.contains(m.name.as_str()));
        let left = left.count();
        if left > 0 {
            let message = "materials that nothing shown uses were left out";
            self.losses
                .push(Loss::new(Aspect::Materials, LossKind::Dropped, "materials", message).count(left));
        }
    }

    pub(super) fn ambient(&mut self) -> [f32; 4] {
        let kept = SceneNote::of(&self.scene.extras).ambient.map(numbers);
        let kept = kept.filter(|kept: &[f32; 4]| {
            match self.scene.ambient {
                Some(ambient) => near(&ambient, &kept.map(or_zero)),
                // What was added is no light of the Scene's.
                None => added::is_ambient(*kept),
            }
        });
        let shines = self.nodes.iter().filter_map(|id| self.scene.nodes.get(*id)).any(|n| n.light.is_some());
        let known = kept.or(self.scene.ambient);
        let dark = known.is_none_or(|[r, g, b, _]| r <= 0.0 && g <= 0.0 && b <= 0.0);
        // Without any light the engine draws everything black (engines.md BOGLE E15).
        let mend = dark && !shines && !self.nodes.is_empty() && self.for_engine(known.is_some());
        if mend {
            let message = "ambient light: without any the engine shows everything black";
            self.losses.added(Aspect::Lights, "ambient", message);
        }
        match known {
            Some(color) if !mend => color,
            _ => added::ambient(!mend),
        }
    }

    fn lower_camera(&mut self, id: CameraId, camera: &scene::Camera, first: bool) -> Camera {
        let path = format!("cameras[{}]", id.index());
        let note: Option<CameraNote> = notes::some(&camera.extras);
        let name = write_name(&camera.name, note.as_ref().and_then(|note| note.name_bytes.clone()));
        let main = note.as_ref().map_or(u8::from(first), |note| note.main);
        let kind = note.as_ref().map(|note| note.kind).filter(|kind| *kind <= 1).unwrap_or(0);
        let base = Camera { kind, name, main, ..Camera::default() };
        let (yfov, aspect, near_clip, far) = match camera.projection {
            Projection::Perspective { yfov, aspect, near, far } => (yfov, aspect, near, far),
            Projection::Orthographic { xmag, ymag, near, far } => {
                let message = "BOGLE has perspective cameras only; this one was orthographic";
                self.losses.approximated(Aspect::Cameras, path.clone(), message);
                let distance = (far / 2.0).max(1e-3);
                let yfov = 2.0 * math::atan_64(f64::from(ymag.abs() / distance)) as f32;
                (yfov, Some(xmag / ymag).filter(|a| a.is_finite() && *a > 0.0), near.max(1e-3), Some(far))
            }
        };
        let engine = self.purpose == Purpose::Engine;
        if let Some(mut camera) =
            note.and_then(|note| kept_camera(&note, &base, yfov, aspect, near_clip, far))
        {
            if engine && camera.width > camera.height {
                self.report_fov(&path);
                camera.fov = yfov;
            }
            return camera;
        }
        let far = far.unwrap_or_else(|| {
            let message = format!("BOGLE's cameras see only so far: {FAR}");
            self.losses.approximated(Aspect::Cameras, path.clone(), message);
            FAR.max(near_clip * 2.0)
        });
        let aspect = aspect.filter(|aspect| *aspect > 0.0).unwrap_or_else(|| {
            let message = "the camera takes the window's shape, BOGLE's have their own: 16 by 9";
            self.losses.approximated(Aspect::Cameras, path.clone(), message);
            16.0 / 9.0
        });
        let (width, height) = picture(aspect);
        let mut off = ErrorStats::default();
        off.add(f64::from((width as f32 / height as f32 - aspect).abs()));
        if off.max > 1e-6 {
            let message = "the shape of the picture was rounded to whole pixels";
            self.losses.measured(Aspect::Cameras, path, message, off, "aspect ratio");
        }
        // The file has the angle along the longer side.
        let ratio = f64::from(width) / f64::from(height);
        let half = math::tan_64(f64::from(yfov) / 2.0);
        let mut fov = if width >= height { (2.0 * math::atan_64(half * ratio)) as f32 } else { yfov };
        if engine && width > height {
            self.report_fov(&format!("cameras[{}]", id.index()));
            fov = yfov;
        }
        Camera { width, height, near: near_clip, far, fov, ..base }
    }

    fn report_fov(&mut self, path: &str) {
        let message =
            "the field of view is the vertical one, as the engine takes it, and not that of the longer side";
        self.losses.approximated(Aspect::Cameras, path, message);
    }

    fn lower_light(&mut self, id: LightId, light: &scene::Light) -> Light {
        let path = format!("lights[{}]", id.index());
        let [r, g, b] = light.color;
        let note: Option<LightNote> = notes::some(&light.extras);
        let kept_color = note.as_ref().map(|note| numbers(note.color));
        let alpha = kept_color.map_or(1.0, |[.., alpha]| alpha);
        let (kind, angle) = match light.kind {
            LightKind::Point => (Light::POINT, 0.0),
            LightKind::Directional => (Light::DIRECTIONAL, 0.0),
            LightKind::Spot { inner, outer } => {
                if inner != 0.0 {
                    let message = "the bright middle of a spot light has no place in BOGLE";
                    self.losses.dropped(Aspect::Lights, path.clone(), message);
                }
                (Light::SPOT, outer * 2.0)
            }
        };
        let kept_angle = note.as_ref().map(|note| note.angle.0);
        let mut angle =
            kept_angle.filter(|kept| kind != Light::SPOT || close(or_zero(*kept), angle)).unwrap_or(angle);
        // The engine takes it for half the cone (engines.md BOGLE E17); nothing is right in both.
        if kind == Light::SPOT && self.purpose == Purpose::Engine {
            angle /= 2.0;
            let message = "the angle is half the cone, as the engine takes it, and not the whole";
            self.losses.approximated(Aspect::Lights, path.clone(), message);
        }
        if light.range.is_some() {
            let message = "how far a light reaches has no place in BOGLE";
            self.losses.dropped(Aspect::Lights, path.clone(), message);
        }
        let kept = note.as_ref().map(|note| numbers(note.attenuation));
        let attenuation = kept.filter(|kept: &[f32; 3]| {
            light.attenuation.is_none_or(|attenuation| near(&attenuation, &kept.map(or_zero)))
        });
        let [constant, linear, quadratic] = attenuation.or(light.attenuation).unwrap_or_else(|| {
            let message =
                "the light got the attenuation of its kind: with the square of the distance, or none";
            self.losses.added(Aspect::Lights, path, message);
            if kind == Light::DIRECTIONAL { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] }
        });
        // A format without negative lights may have made a zero of the exporter's −0.5.
        let kept_intensity = note
            .as_ref()
            .map(|note| note.intensity.0)
            .filter(|kept| close(or_zero(*kept), light.intensity) || (*kept < 0.0 && light.intensity == 0.0));
        Light {
            kind,
            name: write_name(&light.name, note.and_then(|note| note.name_bytes)),
            color: [r, g, b, alpha],
            constant,
            linear,
            quadratic,
            intensity: kept_intensity.unwrap_or(light.intensity),
            angle,
        }
    }

    fn lower_material(&mut self, id: MaterialId, material: &scene::Material) -> Material {
        let path = format!("materials[{}]", id.index());
        let from_file = material.extras.of(FORMAT.id).is_some();
        let mut phong = to_painted_phong(&material.shading);
        if material.unlit {
            // It shows its colour as it is, metal or not.
            phong.diffuse = material.base_color();
        }
        if !matches!(material.shading, Shading::Phong(_)) {
            // The engine multiplies it by the diffuse colour (engines.md BOGLE E15).
            phong.ambient = [1.0; 3];
            let message =
                "the shading became Phong; how rough and metallic the surface is was turned into a highlight";
            self.losses.approximated(Aspect::Materials, path.clone(), message);
        }
        let note = MaterialNote::of(&material.extras);
        let mut made = note.material();
        made.name = write_name(&material.name, note.name_bytes);
        self.textures(&path, material, &phong, &mut made, from_file);
        match material.unlit {
            true => self.unlit(&path, material, &phong, &mut made),
            false => set_colours(material, &phong, &mut made),
        }
        for (is, message) in [
            (material.double_sided, "that both sides are drawn has no place in BOGLE"),
            (
                material.occlusion_texture.is_some(),
                "where ambient light does not reach has no place in BOGLE",
            ),
            (
                material.normal_texture.as_ref().is_some_and(|(_, strength)| *strength != 1.0),
                "the strength of a normal map has no place in BOGLE",
            ),
            (
                phong.bump_texture.as_ref().is_some_and(|(_, strength)| *strength != 1.0)
                    && made.texture(Slot::Bump).is_empty(),
                "the strength of a bump map that is not there has no place in BOGLE",
            ),
        ] {
            if is {
                self.losses.dropped(Aspect::Materials, path.clone(), message);
            }
        }
        let surface = Surface::of(&made);
        if let (Shading::Phong(meant), true) = (&material.shading, material.unlit)
            && !(near(&surface.specular, &meant.specular)
                && near(&surface.ambient, &meant.ambient)
                && close(surface.shininess, meant.shininess))
        {
            let message =
                "highlights of a surface that light does not change are not seen, and have no place";
            self.losses.dropped(Aspect::Materials, path.clone(), message);
        }
        if !same_alpha(&surface.alpha, &material.alpha) {
            let message = "what the alpha does is only nearly the same in BOGLE";
            self.losses.approximated(Aspect::Materials, path, message);
        }
        made
    }

    /// A material that light does not change: its colour is its glow, and nothing else answers to light.
    fn unlit(&mut self, path: &str, material: &scene::Material, phong: &Phong, made: &mut Material) {
        if material.emissive != [0.0; 3] || material.emissive_texture.is_some() {
            let message =
                "the glow of a surface that light does not change is not seen; its place holds the colour";
            self.losses.dropped(Aspect::Materials, path, message);
        }
        let [r, g, b, opacity] = phong.diffuse;
        let was = Surface::of(made);
        let [.., was_opacity] = was.diffuse;
        if !was.unlit || !near(&was.emissive, &[r, g, b]) || !close(was_opacity, opacity) {
            let black = [0.0, 0.0, 0.0, 1.0];
            (made.ambient, made.diffuse, made.specular) = (black, black, black);
            (made.emissive, made.opacity) = ([r, g, b, 1.0], opacity);
            (made.specular_power, made.bump_intensity, made.specular_scale) = (0.0, 0.0, 0.0);
        }
        let name = made.texture(Slot::Diffuse).to_vec();
        let holes = material.alpha != AlphaMode::Opaque;
        for (stored, slot) in made.textures.iter_mut().zip(Slot::ALL) {
            match slot {
                Slot::Emissive => stored.clone_from(&name),
                // Only its alpha is seen: the colour is black.
                Slot::Diffuse if !holes => stored.clear(),
                _ => {}
            }
        }
        set_alpha(material, made);
    }

    /// The names of the textures.
    fn textures(
        &mut self,
        path: &str,
        material: &scene::Material,
        phong: &Phong,
        made: &mut Material,
        from_file: bool,
    ) {
        let normal = material.normal_texture.as_ref().map(|(texture, _)| texture);
        let mut bump = phong.bump_texture.as_ref();
        if normal.is_some() && bump.is_some() {
            bump = None;
            let message = "BOGLE has a normal or a bump texture; the bump texture was left out";
            self.losses.dropped(Aspect::Textures, path, message);
        }
        if let Some((_, strength)) = bump {
            made.bump_intensity = *strength;
        }
        let main = material.base_color_texture().or_else(|| material.textures().next());
        let slots = [
            (Slot::Ambient, phong.ambient_texture.as_ref()),
            (Slot::Emissive, material.emissive_texture.as_ref()),
            (Slot::Diffuse, phong.diffuse_texture.as_ref()),
            (Slot::Specular, phong.specular_texture.as_ref()),
            (Slot::SpecularPower, phong.shininess_texture.as_ref()),
            (Slot::Normal, normal),
            (Slot::Bump, bump.map(|(texture, _)| texture)),
            (Slot::Opacity, phong.opacity_texture.as_ref()),
        ];
        for (name, (_, texture)) in made.textures.iter_mut().zip(slots) {
            *name = texture.map(|texture| self.stem(path, texture, main, from_file)).unwrap_or_default();
        }
        let others = match &material.shading {
            Shading::MetallicRoughness(m) => m.metallic_roughness_texture.is_some(),
            Shading::SpecularGlossiness(s) => s.specular_glossiness_texture.is_some(),
            Shading::Phong(_) => false,
        };
        if others || material.occlusion_texture.is_some() {
            let message = "roughness, metal and occlusion maps have no place in BOGLE";
            self.losses.dropped(Aspect::Textures, path, message);
        }
    }

    /// The name of a texture's picture without `.png`.
    fn stem(
        &mut self,
        path: &str,
        texture: &TextureRef,
        main: Option<&TextureRef>,
        from_file: bool,
    ) -> Vec<u8> {
        let Some(stored) = self.scene.textures.get(texture.texture) else { return Vec::new() };
        let sampled = stored.sampler.as_ref().is_some_and(|sampler| {
            scene::Sampler { name: String::new(), extras: Extras::default(), ..sampler.clone() }
                != scene::Sampler::default()
        });
        if is_placed_otherwise(texture, main) || sampled {
            let message = "how a texture is placed, tiled and filtered has no place in BOGLE";
            self.losses.dropped(Aspect::Textures, path, message);
        } else if is_placed_otherwise(texture, None) {
            let message = "a texture is placed by its coordinates in BOGLE";
            self.losses.approximated(Aspect::Textures, path, message);
        }
        let image = stored.image.and_then(|image| self.scene.images.get(image));
        let uri = image.and_then(|image| image.uri.as_deref().or(Some(image.name.as_str())));
        let Some((image, uri)) = image.zip(uri.filter(|uri| !uri.is_empty())) else {
            let message = "a texture has no file name to refer to";
            self.losses.dropped(Aspect::Textures, path, message);
            return Vec::new();
        };
        let for_engine = self.for_engine(from_file);
        // The engine ends where a picture is missing (engines.md BOGLE E3).
        if for_engine && image.data.is_none() {
            let message =
                format!("the picture {uri} is not there, and the engine stops at names of missing pictures");
            self.losses.dropped(Aspect::Textures, path, message);
            return Vec::new();
        }
        let is_png = uri.len() >= 4 && uri.as_bytes().last_chunk().is_some_and(|end| end == b".png");
        let folder = uri.rfind(['/', '\\']).map_or(0, |slash| slash + 1);
        let dot = uri.rfind('.').filter(|dot| *dot > folder);
        let start = if for_engine { folder } else { 0 };
        let stem = uri.get(start..dot.unwrap_or(uri.len())).unwrap_or(uri);
        if !is_png {
            let message = format!("the engine looks for PNG files only: {uri} has to be converted");
            self.losses.approximated(Aspect::Textures, path, message);
        }
        write_name(stem, ImageNote::of(&image.extras).stem_bytes)
    }
}

/// What stands for no material: light grey, neither shiny nor dull.
fn plain_material() -> Material {
    let gray = |x: f32| [x, x, x, 1.0];
    Material {
        ambient: gray(1.0),
        diffuse: gray(0.8),
        specular: gray(0.5),
        specular_power: 13.0,
        ..Material::default()
    }
}

/// The camera that a file had, if it still is the same.
fn kept_camera(
    note: &CameraNote,
    base: &Camera,
    yfov: f32,
    aspect: Option<f32>,
    near_clip: f32,
    far: Option<f32>,
) -> Option<Camera> {
    let (width, height) = (note.width, note.height);
    let (kept_near, kept_far, fov) = (note.near.0, note.far.0, note.fov.0);
    let same = close(vertical_fov(fov, width, height), yfov)
        && aspect.is_none_or(|aspect| close(width as f32 / height as f32, aspect))
        && close(or_zero(kept_near), near_clip)
        && far.is_none_or(|far| close(kept_far, far));
    same.then(|| Camera { width, height, near: kept_near, far: kept_far, fov, ..base.clone() })
}

/// A picture of whole pixels with a shape: the usual height where that gives the shape, else the nearest.
fn picture(aspect: f32) -> (u32, u32) {
    let wide = |height: u32| (aspect * height as f32).round().clamp(1.0, 1e6);
    let off = |height: &u32| (wide(*height) / *height as f32 - aspect).abs();
    let heights = [PICTURE_HEIGHT, 720, 1000, 1024, 900, 600];
    let best = heights.into_iter().min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(PICTURE_HEIGHT);
    (wide(best) as u32, best)
}

/// Changes the numbers that do not mean any more what the Scene says.
fn set_colours(material: &scene::Material, phong: &Phong, made: &mut Material) {
    let was = Surface::of(made);
    let replace = |raw: &mut [f32; 4], was: [f32; 3], now: [f32; 3]| {
        if !near(&was, &now) {
            let ([r, g, b], [.., alpha]) = (now, *raw);
            *raw = [r, g, b, alpha];
        }
    };
    let [r, g, b, opacity] = phong.diffuse;
    let [was_r, was_g, was_b, was_opacity] = was.diffuse;
    replace(&mut made.ambient, was.ambient, phong.ambient);
    replace(&mut made.emissive, was.emissive, material.emissive);
    replace(&mut made.diffuse, [was_r, was_g, was_b], [r, g, b]);
    replace(&mut made.specular, was.specular, phong.specular);
    if !close(was_opacity, opacity) {
        let [r, g, b, _] = made.diffuse;
        made.diffuse = [r, g, b, 1.0];
        made.opacity = opacity;
    }
    if !close(was.shininess, phong.shininess) {
        made.specular_power = phong.shininess;
    }
    set_alpha(material, made);
}

fn set_alpha(material: &scene::Material, made: &mut Material) {
    if !same_alpha(&Surface::of(made).alpha, &material.alpha) {
        (made.alpha_blend, made.alpha_threshold) = match material.alpha {
            AlphaMode::Opaque => (0, 0.0),
            AlphaMode::Mask { cutoff } => (0, cutoff),
            AlphaMode::Blend(_) => (1, 0.0),
        };
    }
}

fn same_alpha(a: &AlphaMode, b: &AlphaMode) -> bool {
    match (a, b) {
        (AlphaMode::Mask { cutoff: a }, AlphaMode::Mask { cutoff: b }) => close(*a, *b),
        (AlphaMode::Blend(Blend::Alpha), AlphaMode::Blend(b)) => *b == Blend::Alpha,
        (a, b) => a == b,
    }
}

fn or_zero(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}

fn close(a: f32, b: f32) -> bool {
    a == b || (a - b).abs() <= SAME * a.abs().max(b.abs())
}

fn near<const N: usize>(a: &[f32; N], b: &[f32; N]) -> bool {
    a.iter().zip(b).all(|(a, b)| close(*a, *b))
}
