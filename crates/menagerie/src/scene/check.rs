//! The rules of a Scene, and the proof that it keeps them.

use std::fmt;
use std::ops::Deref;

use super::{
    Arena, Channel, Id, Interpolation, Material, Mesh, NodeId, Primitive, Projection, Property, Scene,
    Shading, StreamKind, Topology, Transform,
};

/// How far a length may be from one, and a sum of weights too.
const UNIT_TOLERANCE: f32 = 1e-3;
/// How many sets of texture coordinates a primitive may have.
const MAX_UV_SETS: usize = 8;

/// A rule that a Scene breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Where: `meshes[2].primitives[0].indices`.
    pub path: String,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

impl std::error::Error for Broken {}

/// A Scene that keeps all the rules of its [module](super): the proof that writers and renderers ask for.
#[derive(Clone, Copy, Debug)]
pub struct CheckedScene<'a>(&'a Scene);

impl Deref for CheckedScene<'_> {
    type Target = Scene;
    fn deref(&self) -> &Scene {
        self.0
    }
}

impl<'a> CheckedScene<'a> {
    /// The Scene, for as long as it is borrowed.
    pub fn scene(self) -> &'a Scene {
        self.0
    }
}

/// Checks a Scene. The proof can be had no other way.
pub fn check(scene: &Scene) -> Result<CheckedScene<'_>, Broken> {
    let checker = Checker { scene };
    checker.tree()?;
    for (id, node) in scene.nodes.iter() {
        checker.node(id, node).map_err(|message| broken(format!("nodes[{}]", id.index()), message))?;
    }
    each("meshes", scene.meshes.values(), |mesh| checker.mesh(mesh))?;
    each("materials", scene.materials.values(), |material| checker.material(material))?;
    each("textures", scene.textures.values(), |texture| known(&scene.images, texture.image, "image"))?;
    each("skins", scene.skins.values(), |skin| checker.skin(skin))?;
    each("cameras", scene.cameras.values(), |camera| checker.projection(&camera.projection))?;
    each("lights", scene.lights.values(), |light| {
        let attenuation = light.attenuation.unwrap_or_default();
        finite("light", light.color.iter().chain(&attenuation).chain([&light.intensity]).chain(&light.range))
    })?;
    for (i, animation) in scene.animations.iter().enumerate() {
        let path = format!("animations[{i}].channels");
        each(&path, animation.channels.iter(), |channel| checker.channel(channel))?;
    }
    if let Some(default) = scene.default_scene
        && default >= scene.scenes.len()
    {
        return Err(broken("default_scene", format!("there is no scene {default}")));
    }
    finite("ambient", scene.ambient.iter().flatten()).map_err(|message| broken("ambient", message))?;
    Ok(CheckedScene(scene))
}

/// Panics with the broken rule unless the Scene keeps all of them. Every test calls it on every Scene that it makes.
#[expect(clippy::panic, reason = "it is for tests")]
pub fn assert_scene(scene: &Scene) -> CheckedScene<'_> {
    match check(scene) {
        Ok(checked) => checked,
        Err(broken) => panic!("the Scene breaks a rule: {broken}"),
    }
}

fn broken(path: impl Into<String>, message: impl Into<String>) -> Broken {
    Broken { path: path.into(), message: message.into() }
}

/// Checks each element of a list; the path of a failure is `list[index]`.
fn each<'a, T: 'a>(
    list: &str,
    elements: impl Iterator<Item = &'a T>,
    rule: impl Fn(&T) -> Result<(), String>,
) -> Result<(), Broken> {
    for (i, element) in elements.enumerate() {
        rule(element).map_err(|message| broken(format!("{list}[{i}]"), message))?;
    }
    Ok(())
}

fn known<T>(arena: &Arena<T>, id: Option<Id<T>>, what: &str) -> Result<(), String> {
    match id {
        Some(id) if id.index() >= arena.len() => {
            Err(format!("{what} {} of {} does not exist", id.index(), arena.len()))
        }
        _ => Ok(()),
    }
}

fn finite<'a>(what: &str, values: impl IntoIterator<Item = &'a f32>) -> Result<(), String> {
    match values.into_iter().find(|value| !value.is_finite()) {
        Some(value) => Err(format!("{what} holds {value}")),
        None => Ok(()),
    }
}

fn unit(what: &str, vector: &[f32]) -> Result<(), String> {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt();
    if (length - 1.0).abs() <= UNIT_TOLERANCE {
        Ok(())
    } else {
        Err(format!("{what} {vector:?} has the length {length}"))
    }
}

struct Checker<'a> {
    scene: &'a Scene,
}

impl Checker<'_> {
    /// Every node has one parent at most, roots have none, nothing is its own ancestor.
    fn tree(&self) -> Result<(), Broken> {
        let nodes = &self.scene.nodes;
        let mut uses = vec![0u32; nodes.len()];
        let mut hang = |path: String, id: NodeId| match uses.get_mut(id.index()) {
            None => Err(broken(path, format!("node {} of {} does not exist", id.index(), nodes.len()))),
            Some(uses) => {
                *uses += 1;
                if *uses == 1 {
                    return Ok(());
                }
                Err(broken(path, format!("node {} hangs in two places", id.index())))
            }
        };
        for (id, node) in nodes.iter() {
            let below = node.children.iter().copied().chain(node.lods.iter().map(|lod| lod.node));
            for child in below {
                hang(format!("nodes[{}]", id.index()), child)?;
            }
        }
        for (i, scene) in self.scene.scenes.iter().enumerate() {
            for root in &scene.roots {
                match uses.get(root.index()) {
                    Some(0) => {}
                    Some(_) => {
                        let message = format!("root {} hangs below another node", root.index());
                        return Err(broken(format!("scenes[{i}]"), message));
                    }
                    None => {
                        let message = format!("root {} does not exist", root.index());
                        return Err(broken(format!("scenes[{i}]"), message));
                    }
                }
            }
            let mut roots: Vec<_> = scene.roots.clone();
            roots.sort_unstable();
            if roots.windows(2).any(|pair| pair[0] == pair[1]) {
                return Err(broken(format!("scenes[{i}]"), "names a root twice"));
            }
        }
        // With one parent at most, what no root reaches is a cycle or below one.
        let mut reached = vec![false; nodes.len()];
        let mut open: Vec<usize> = (0..nodes.len()).filter(|&i| uses[i] == 0).collect();
        while let Some(index) = open.pop() {
            reached[index] = true;
            let node = &nodes[NodeId::new(index)];
            open.extend(node.children.iter().map(|child| child.index()));
            open.extend(node.lods.iter().map(|lod| lod.node.index()));
        }
        match reached.iter().position(|reached| !reached) {
            Some(index) => Err(broken(format!("nodes[{index}]"), "is its own ancestor")),
            None => Ok(()),
        }
    }

    fn node(&self, _: NodeId, node: &super::Node) -> Result<(), String> {
        known(&self.scene.meshes, node.mesh, "mesh")?;
        known(&self.scene.skins, node.skin, "skin")?;
        known(&self.scene.cameras, node.camera, "camera")?;
        known(&self.scene.lights, node.light, "light")?;
        match &node.transform {
            Transform::Trs { translation, rotation, scale } => {
                finite("translation", &translation.to_array())?;
                finite("scale", &scale.to_array())?;
                unit("rotation", &rotation.to_array())?;
            }
            Transform::Matrix(matrix) => {
                finite("matrix", &matrix.to_cols_array())?;
                if matrix.row(3) != glam::Vec4::W {
                    return Err("the matrix is not affine".to_owned());
                }
            }
        }
        finite("weights", &node.weights)?;
        finite("lods", node.lods.iter().filter_map(|lod| lod.distance.as_ref()))?;
        let mesh = node.mesh.and_then(|mesh| self.scene.meshes.get(mesh));
        if !node.weights.is_empty() && mesh.is_none_or(|mesh| mesh.target_count() != node.weights.len()) {
            return Err(format!("{} morph weights for another number of targets", node.weights.len()));
        }
        if let (Some(mesh), Some(skin)) = (mesh, node.skin.and_then(|skin| self.scene.skins.get(skin))) {
            let joints = skin.joints.len();
            let sets = mesh.primitives.iter().flat_map(|primitive| &primitive.joints);
            if let Some(joint) = sets.flatten().flatten().find(|joint| usize::from(**joint) >= joints) {
                return Err(format!("a vertex hangs on joint {joint} of {joints}"));
            }
        }
        Ok(())
    }

    fn mesh(&self, mesh: &Mesh) -> Result<(), String> {
        let targets = mesh.target_count();
        for (i, primitive) in mesh.primitives.iter().enumerate() {
            self.primitive(primitive).map_err(|message| format!("primitives[{i}]: {message}"))?;
            if primitive.targets.len() != targets {
                return Err(format!("primitives[{i}] has another number of morph targets than the first"));
            }
        }
        finite("weights", &mesh.weights)?;
        for (what, len) in
            [("morph weights", mesh.weights.len()), ("morph target names", mesh.target_names.len())]
        {
            if len != 0 && len != targets {
                return Err(format!("{len} {what} for {targets} targets"));
            }
        }
        Ok(())
    }

    fn primitive(&self, primitive: &Primitive) -> Result<(), String> {
        let vertices = primitive.positions.len();
        let per = match primitive.topology {
            Topology::Triangles => 3,
            Topology::Lines => 2,
            _ => 1,
        };
        if !primitive.indices.len().is_multiple_of(per) {
            return Err(format!("{} indices are no multiple of {per}", primitive.indices.len()));
        }
        if let Some(index) = primitive.indices.iter().find(|index| **index as usize >= vertices) {
            return Err(format!("index {index} is past the last of {vertices} vertices"));
        }
        if primitive.uvs.len() > MAX_UV_SETS {
            return Err(format!("{} sets of texture coordinates", primitive.uvs.len()));
        }
        if primitive.joints.len() != primitive.weights.len() {
            return Err("sets of joints and of weights differ in number".to_owned());
        }
        for (name, custom) in &primitive.custom {
            if !name.starts_with('_') || ![1, 2, 3, 4, 9, 16].contains(&custom.width) {
                return Err(format!("the custom attribute {name} has the width {}", custom.width));
            }
        }
        if let Some((slot, rows)) = primitive.uneven_stream() {
            let what = if slot.is_delta() { "a morph target" } else { "an attribute" };
            return Err(format!("{what} of {rows} elements for {vertices} vertices"));
        }
        for (slot, stream) in primitive.streams() {
            finite(if slot.is_delta() { "morph target" } else { slot.aspect().name() }, stream.floats())?;
        }
        primitive.normals.iter().try_for_each(|normal| unit("normal", normal))?;
        let tangents = primitive.own_streams(StreamKind::Tangent);
        for [x, y, z, sign] in tangents.flat_map(|stream| stream.floats().as_chunks::<4>().0) {
            unit("tangent", &[*x, *y, *z])?;
            if sign.abs() != 1.0 {
                return Err(format!("a tangent's sign is {sign}"));
            }
        }
        self.weights(primitive)?;
        known(&self.scene.materials, primitive.material, "material")
    }

    fn weights(&self, primitive: &Primitive) -> Result<(), String> {
        if primitive.weights.is_empty() {
            return Ok(());
        }
        for vertex in 0..primitive.positions.len() {
            let all = primitive.weights.iter().flat_map(|set| &set[vertex]);
            let mut sum = 0.0;
            for &weight in all {
                if weight < 0.0 {
                    return Err(format!("vertex {vertex} has the weight {weight}"));
                }
                sum += weight;
            }
            if sum != 0.0 && (sum - 1.0f32).abs() > UNIT_TOLERANCE {
                return Err(format!("the weights of vertex {vertex} sum to {sum}"));
            }
        }
        Ok(())
    }

    fn skin(&self, skin: &super::Skin) -> Result<(), String> {
        skin.joints.iter().try_for_each(|joint| known(&self.scene.nodes, Some(*joint), "joint node"))?;
        known(&self.scene.nodes, skin.skeleton, "skeleton node")?;
        if !skin.inverse_binds.is_empty() && skin.inverse_binds.len() != skin.joints.len() {
            return Err(format!(
                "{} inverse binds for {} joints",
                skin.inverse_binds.len(),
                skin.joints.len()
            ));
        }
        skin.inverse_binds.iter().try_for_each(|m| finite("inverse bind", &m.to_cols_array()))
    }

    fn material(&self, material: &Material) -> Result<(), String> {
        for texture in material.textures() {
            known(&self.scene.textures, Some(texture.texture), "texture")?;
            if let Some(t) = &texture.transform {
                finite("texture transform", t.offset.iter().chain(&t.scale).chain([&t.rotation]))?;
            }
        }
        finite("emissive", &material.emissive)?;
        let strengths = [&material.normal_texture, &material.occlusion_texture];
        finite("texture strength", strengths.into_iter().flatten().map(|(_, strength)| strength))?;
        match &material.shading {
            Shading::MetallicRoughness(m) => {
                finite("shading", m.base_color.iter().chain([&m.metallic, &m.roughness]))
            }
            Shading::Phong(p) => {
                finite("shading", p.ambient.iter().chain(&p.diffuse).chain(&p.specular).chain([&p.shininess]))
            }
            Shading::SpecularGlossiness(s) => {
                finite("shading", s.diffuse.iter().chain(&s.specular).chain([&s.glossiness]))
            }
        }
    }

    fn projection(&self, projection: &Projection) -> Result<(), String> {
        match *projection {
            Projection::Perspective { yfov, aspect, near, far } => {
                finite("camera", [yfov, near].iter().chain(&aspect).chain(&far))
            }
            Projection::Orthographic { xmag, ymag, near, far } => finite("camera", &[xmag, ymag, near, far]),
        }
    }

    fn channel(&self, channel: &Channel) -> Result<(), String> {
        let Some(node) = self.scene.nodes.get(channel.node) else {
            return Err(format!("node {} does not exist", channel.node.index()));
        };
        finite("times", &channel.times)?;
        finite("values", &channel.values)?;
        if channel.times.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err("the times do not rise".to_owned());
        }
        let targets = || node.mesh.and_then(|mesh| self.scene.meshes.get(mesh)).map_or(0, Mesh::target_count);
        let width = channel.property.width().unwrap_or_else(targets);
        let parts = if channel.interpolation == Interpolation::Cubic { 3 } else { 1 };
        if channel.values.len() != channel.times.len() * width * parts {
            return Err(format!("{} values for {} keys", channel.values.len(), channel.times.len()));
        }
        if channel.property == Property::Rotation && channel.interpolation != Interpolation::Cubic {
            (0..channel.times.len()).try_for_each(|key| unit("rotation key", channel.key(key)))?;
        }
        if channel.property != Property::Weights && matches!(node.transform, Transform::Matrix(_)) {
            return Err("animates a node whose transform is a matrix".to_owned());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Animation, Extras, Node, SceneRoot, Skin};

    fn valid() -> Scene {
        let mut scene = Scene::default();
        let primitive = Primitive {
            indices: vec![0, 1, 2],
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            normals: vec![[0.0, 0.0, 1.0]; 3],
            joints: vec![vec![[0; 4]; 3]],
            weights: vec![vec![[1.0, 0.0, 0.0, 0.0]; 3]],
            ..Primitive::default()
        };
        let mesh = scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
        let child = scene.nodes.push(Node::default());
        let skin = scene.skins.push(Skin { joints: vec![child], ..Skin::default() });
        let root = scene.nodes.push(Node {
            mesh: Some(mesh),
            skin: Some(skin),
            children: vec![child],
            ..Node::default()
        });
        scene.scenes.push(SceneRoot { roots: vec![root], ..SceneRoot::default() });
        scene.animations.push(Animation {
            channels: vec![Channel {
                node: root,
                property: Property::Translation,
                interpolation: Interpolation::Linear,
                times: vec![0.0, 1.0],
                values: vec![0.0; 6],
                extras: Extras::default(),
            }],
            ..Animation::default()
        });
        scene
    }

    #[test]
    fn each_rule_is_enforced() {
        assert_scene(&valid());
        type Break = fn(&mut Scene);
        let rules: [(&str, Break); 14] = [
            ("index 3 is past", |s| s.meshes[Id::new(0)].primitives[0].indices[1] = 3),
            ("no multiple of 3", |s| s.meshes[Id::new(0)].primitives[0].indices.push(0)),
            ("positions holds NaN", |s| s.meshes[Id::new(0)].primitives[0].positions[1][1] = f32::NAN),
            ("has the length", |s| s.meshes[Id::new(0)].primitives[0].normals[1] = [0.5, 0.0, 0.0]),
            ("attribute of 2 elements", |s| {
                s.meshes[Id::new(0)].primitives[0].normals.pop();
            }),
            ("sum to", |s| s.meshes[Id::new(0)].primitives[0].weights[0][2][1] = 0.5),
            ("has the weight -", |s| s.meshes[Id::new(0)].primitives[0].weights[0][2][1] = -0.5),
            ("hangs on joint 1 of 1", |s| s.meshes[Id::new(0)].primitives[0].joints[0][0][0] = 1),
            ("does not exist", |s| s.nodes[Id::new(1)].children[0] = Id::new(7)),
            ("is its own ancestor", |s| {
                s.nodes[Id::new(0)].children.push(Id::new(0));
                s.nodes[Id::new(1)].children.clear();
            }),
            ("hangs below another", |s| s.scenes[0].roots.push(Id::new(0))),
            ("hangs in two places", |s| {
                s.nodes.push(Node { children: vec![Id::new(0)], ..Node::default() });
            }),
            ("do not rise", |s| s.animations[0].channels[0].times[1] = 0.0),
            ("values for 2 keys", |s| s.animations[0].channels[0].values.truncate(5)),
        ];
        for (expected, apply) in rules {
            let mut scene = valid();
            apply(&mut scene);
            let message = check(&scene).expect_err(expected).to_string();
            assert!(message.contains(expected), "{message:?} does not say {expected:?}");
        }
    }
}
