//! Whether what elements refer to by number exists.

use serde_json::Value;

use super::json::{Animation, Material, Node, Primitive, Skin, TextureInfo};
use super::model::Model;
use super::{codes, extension};
use crate::diag::{Aspect, Issues};

/// Looks at all references of a model.
pub(super) struct References<'a> {
    pub(super) model: &'a Model,
    pub(super) issues: &'a mut Issues,
}

impl References<'_> {
    pub(super) fn check(mut self) {
        let d = &self.model.document;
        self.some("scene", d.scene, d.scenes.len(), || "/scene".to_owned());
        for (i, scene) in d.scenes.iter().enumerate() {
            self.each("node", &scene.nodes, d.nodes.len(), &format!("/scenes/{i}/nodes"));
        }
        for (i, node) in d.nodes.iter().enumerate() {
            self.node(node, &format!("/nodes/{i}"));
        }
        for (i, mesh) in d.meshes.iter().enumerate() {
            for (k, primitive) in mesh.primitives.iter().enumerate() {
                self.primitive(primitive, &format!("/meshes/{i}/primitives/{k}"));
            }
        }
        for (i, material) in d.materials.iter().enumerate() {
            self.material(material, &format!("/materials/{i}"));
        }
        self.textures();
        for (i, skin) in d.skins.iter().enumerate() {
            self.skin(skin, &format!("/skins/{i}"));
        }
        for (i, animation) in d.animations.iter().enumerate() {
            self.animation(animation, &format!("/animations/{i}"));
        }
        self.data();
    }

    /// Says that something does not exist, and counts it as given up.
    fn one(&mut self, what: &str, index: u32, count: usize, pointer: impl FnOnce() -> String) {
        if (index as usize) < count {
            return;
        }
        let aspect = match what {
            "scene" => Aspect::Scenes,
            "node" => Aspect::Hierarchy,
            "mesh" => Aspect::Topology,
            "skin" => Aspect::Skins,
            "camera" => Aspect::Cameras,
            "light" => Aspect::Lights,
            "material" => Aspect::Materials,
            "texture" | "image" | "sampler" => Aspect::Textures,
            _ => Aspect::Extras,
        };
        let pointer = pointer();
        self.issues.give_up(aspect, "references", pointer.clone(), (1, 1));
        let message = || format!("{what} {index} of {count} does not exist");
        self.model.report(self.issues, &codes::REFERENCE, || pointer, message);
    }

    fn some(&mut self, what: &str, index: Option<u32>, count: usize, pointer: impl FnOnce() -> String) {
        if let Some(index) = index {
            self.one(what, index, count, pointer);
        }
    }

    fn each(&mut self, what: &str, list: &[u32], count: usize, at: &str) {
        for (k, &index) in list.iter().enumerate() {
            self.one(what, index, count, || format!("{at}/{k}"));
        }
    }

    fn node(&mut self, node: &Node, at: &str) {
        let d = &self.model.document;
        self.each("node", &node.children, d.nodes.len(), &format!("{at}/children"));
        self.some("mesh", node.mesh, d.meshes.len(), || format!("{at}/mesh"));
        self.some("skin", node.skin, d.skins.len(), || format!("{at}/skin"));
        self.some("camera", node.camera, d.cameras.len(), || format!("{at}/camera"));
        let light = node.extensions.get(extension::LIGHTS).and_then(|e| e.get("light"));
        if let Some(light) = light.and_then(Value::as_u64) {
            let lights = d.extensions.get(extension::LIGHTS).and_then(|e| e.get("lights"));
            let count = lights.and_then(Value::as_array).map_or(0, Vec::len);
            let light = u32::try_from(light).unwrap_or(u32::MAX);
            self.one("light", light, count, || format!("{at}/extensions/{}/light", extension::LIGHTS));
        }
    }

    fn primitive(&mut self, primitive: &Primitive, at: &str) {
        let d = &self.model.document;
        for (name, accessor) in &primitive.attributes.0 {
            self.one("accessor", *accessor, d.accessors.len(), || format!("{at}/attributes/{name}"));
        }
        for (t, target) in primitive.targets.iter().enumerate() {
            for (name, accessor) in &target.0 {
                self.one("accessor", *accessor, d.accessors.len(), || format!("{at}/targets/{t}/{name}"));
            }
        }
        self.some("accessor", primitive.indices, d.accessors.len(), || format!("{at}/indices"));
        self.some("material", primitive.material, d.materials.len(), || format!("{at}/material"));
    }

    fn material(&mut self, material: &Material, at: &str) {
        let pbr = material.pbr_metallic_roughness.as_ref();
        let infos: [(&str, Option<&TextureInfo>); 5] = [
            ("emissiveTexture", material.emissive_texture.as_ref()),
            ("normalTexture", material.normal_texture.as_ref()),
            ("occlusionTexture", material.occlusion_texture.as_ref()),
            ("pbrMetallicRoughness/baseColorTexture", pbr.and_then(|p| p.base_color_texture.as_ref())),
            (
                "pbrMetallicRoughness/metallicRoughnessTexture",
                pbr.and_then(|p| p.metallic_roughness_texture.as_ref()),
            ),
        ];
        let count = self.model.document.textures.len();
        for (name, info) in infos {
            self.some("texture", info.map(|info| info.index), count, || format!("{at}/{name}/index"));
        }
    }

    fn textures(&mut self) {
        let d = &self.model.document;
        for (i, texture) in d.textures.iter().enumerate() {
            self.some("image", texture.source, d.images.len(), || format!("/textures/{i}/source"));
            self.some("sampler", texture.sampler, d.samplers.len(), || format!("/textures/{i}/sampler"));
        }
        for (i, image) in d.images.iter().enumerate() {
            let pointer = || format!("/images/{i}/bufferView");
            self.some("buffer view", image.buffer_view, d.buffer_views.len(), pointer);
        }
    }

    fn skin(&mut self, skin: &Skin, at: &str) {
        let d = &self.model.document;
        self.each("node", &skin.joints, d.nodes.len(), &format!("{at}/joints"));
        self.some("node", skin.skeleton, d.nodes.len(), || format!("{at}/skeleton"));
        let pointer = || format!("{at}/inverseBindMatrices");
        self.some("accessor", skin.inverse_bind_matrices, d.accessors.len(), pointer);
    }

    fn animation(&mut self, animation: &Animation, at: &str) {
        let d = &self.model.document;
        for (k, channel) in animation.channels.iter().enumerate() {
            let at = format!("{at}/channels/{k}");
            self.one("sampler", channel.sampler, animation.samplers.len(), || format!("{at}/sampler"));
            self.some("node", channel.target.node, d.nodes.len(), || format!("{at}/target/node"));
        }
        for (k, sampler) in animation.samplers.iter().enumerate() {
            let at = format!("{at}/samplers/{k}");
            self.one("accessor", sampler.input, d.accessors.len(), || format!("{at}/input"));
            self.one("accessor", sampler.output, d.accessors.len(), || format!("{at}/output"));
        }
    }

    fn data(&mut self) {
        let d = &self.model.document;
        for (i, view) in d.buffer_views.iter().enumerate() {
            self.one("buffer", view.buffer, d.buffers.len(), || format!("/bufferViews/{i}/buffer"));
        }
        for (i, accessor) in d.accessors.iter().enumerate() {
            let pointer = || format!("/accessors/{i}/bufferView");
            self.some("buffer view", accessor.buffer_view, d.buffer_views.len(), pointer);
        }
    }
}
