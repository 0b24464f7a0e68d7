//! The long lists of a Scene, as plain numbers.

use menagerie::pictures::Texels;
use menagerie::scene::{Id, Pose, Primitive, Scene, Slot, StreamKind};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::document::Document;

#[wasm_bindgen]
impl Document {
    /// A stream of a primitive by its kind (`positions`, `normals`, `tangents`, `uvs`, `colors`, `weights`) and the number of
    /// the set, or of a morph target (`target positions`, `target normals`) and its number. Empty where there is none.
    #[must_use]
    pub fn floats(&self, mesh: usize, primitive: usize, list: &str, number: usize) -> Vec<f32> {
        let Some(primitive) = self.primitive(mesh, primitive) else { return Vec::new() };
        let (kind, of_target) = match list.strip_prefix("target ") {
            Some(kind) => (kind, true),
            None => (list, false),
        };
        let kind = match kind {
            "positions" => StreamKind::Place,
            "normals" => StreamKind::Normal,
            "tangents" => StreamKind::Tangent,
            "uvs" => StreamKind::Uv,
            "colors" => StreamKind::Color,
            "weights" => StreamKind::Weights,
            _ => return Vec::new(),
        };
        let (target, set) = if of_target { (Some(number), 0) } else { (None, number) };
        let wanted = Slot { target, kind, set };
        let found = primitive.streams().into_iter().find(|(slot, _)| *slot == wanted);
        found.map(|(_, stream)| stream.floats().to_vec()).unwrap_or_default()
    }

    /// The indices of a primitive.
    #[must_use]
    pub fn indices(&self, mesh: usize, primitive: usize) -> Vec<u32> {
        self.primitive(mesh, primitive).map(|primitive| primitive.indices.clone()).unwrap_or_default()
    }

    /// A set of joints of a primitive.
    #[must_use]
    pub fn joints(&self, mesh: usize, primitive: usize, set: usize) -> Vec<u16> {
        let joints = self.primitive(mesh, primitive).and_then(|primitive| primitive.joints.get(set));
        joints.map(|joints| joints.as_flattened().to_vec()).unwrap_or_default()
    }

    /// The inverse bind matrices of a skin, column by column.
    #[must_use]
    pub fn inverse_binds(&self, skin: usize) -> Vec<f32> {
        let Some(skin) = self.scene.as_ref().and_then(|scene| scene.skins.get(Id::new(skin))) else {
            return Vec::new();
        };
        (0..skin.joints.len()).flat_map(|joint| skin.inverse_bind(joint).to_cols_array()).collect()
    }

    /// The times of the keys of a channel.
    #[must_use]
    pub fn channel_times(&self, animation: usize, channel: usize) -> Vec<f32> {
        let channel = self.scene.as_ref().and_then(|s| s.animations.get(animation)?.channels.get(channel));
        channel.map(|channel| channel.times.clone()).unwrap_or_default()
    }

    /// The values of the keys of a channel.
    #[must_use]
    pub fn channel_values(&self, animation: usize, channel: usize) -> Vec<f32> {
        let channel = self.scene.as_ref().and_then(|s| s.animations.get(animation)?.channels.get(channel));
        channel.map(|channel| channel.values.clone()).unwrap_or_default()
    }

    /// The file of a picture; empty where it was not found.
    #[must_use]
    pub fn image(&self, image: usize) -> Vec<u8> {
        let image = self.scene.as_ref().and_then(|scene| scene.images.get(Id::new(image)));
        image.and_then(|image| image.data.as_ref()).map(|data| data.to_vec()).unwrap_or_default()
    }

    /// The texels of a picture that a browser does not know (TGA, DDS): width and height, four bytes each, then red, green,
    /// blue and alpha of each. Empty where it cannot be decoded.
    #[must_use]
    pub fn texels(&self, image: usize) -> Vec<u8> {
        let Some(image) = self.scene.as_ref().and_then(|scene| scene.images.get(Id::new(image))) else {
            return Vec::new();
        };
        let name = image.uri.as_deref().unwrap_or(&image.name);
        let texels = image.data.as_ref().and_then(|data| Texels::decode(data, name).ok());
        let Some(texels) = texels else { return Vec::new() };
        let mut bytes = Vec::with_capacity(8 + texels.list().len() * 4);
        bytes.extend((texels.width() as u32).to_le_bytes());
        bytes.extend((texels.height() as u32).to_le_bytes());
        bytes.extend(texels.list().as_flattened());
        bytes
    }

    /// Where the vertices of a primitive are in the world at a time of an animation (none below zero), as the library poses
    /// them: what the page's own picture is checked against.
    #[must_use]
    pub fn posed(&self, node: usize, primitive: usize, animation: i32, seconds: f32) -> Vec<f32> {
        let posed = |scene: &Scene| {
            let animation = usize::try_from(animation).ok().and_then(|index| scene.animations.get(index));
            let pose =
                animation.map_or_else(|| Pose::rest(scene), |animation| Pose::at(scene, animation, seconds));
            let mesh = scene.meshes.get(scene.nodes.get(Id::new(node))?.mesh?)?;
            let positions = pose.positions(scene, Id::new(node), mesh.primitives.get(primitive)?);
            Some(positions.into_iter().flat_map(|position| position.to_array()).collect())
        };
        self.scene.as_ref().and_then(posed).unwrap_or_default()
    }
}

impl Document {
    pub(crate) fn primitive(&self, mesh: usize, primitive: usize) -> Option<&Primitive> {
        self.scene.as_ref()?.meshes.get(Id::new(mesh))?.primitives.get(primitive)
    }
}
