//! Random Scenes that keep all the rules and use every feature that a Scene has.

use glam::{Mat4, Quat, Vec3};
use menagerie::scene::{
    AlphaMode, Animation, Blend, Camera, Channel, CustomAttribute, Extras, Filter, Id, Image, Interpolation,
    Light, LightKind, Lod, Material, Mesh, MetallicRoughness, MorphTarget, Node, NodeId, Phong, Primitive,
    Projection, Property, Sampler, Scene, SceneRoot, Shading, Skin, SpecularGlossiness, Texture, TextureRef,
    Topology, Transform, UvTransform, Wrap,
};

/// Numbers that look random and are the same for the same seed.
pub struct Random {
    state: u64,
    /// What decides before the seed does.
    chosen: std::vec::IntoIter<u8>,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self::chosen(&[], seed)
    }

    /// Numbers that bytes decide, one each, as long as there are any: how a fuzzer changes one thing of a Scene.
    pub fn chosen(bytes: &[u8], seed: u64) -> Self {
        Self { state: seed, chosen: Vec::from(bytes).into_iter() }
    }

    fn next(&mut self) -> u64 {
        if let Some(byte) = self.chosen.next() {
            return u64::from(byte) * 0x0101_0101_0101_0101;
        }
        // SplitMix64.
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 to `n - 1`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Between two numbers.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    fn vector(&mut self, size: f32) -> [f32; 3] {
        [0; 3].map(|_| self.between(-size, size))
    }

    fn unit(&mut self) -> [f32; 3] {
        Vec3::from_array(self.vector(1.0)).try_normalize().unwrap_or(Vec3::Y).to_array()
    }

    fn rotation(&mut self) -> Quat {
        let q = Quat::from_xyzw(
            self.between(-1., 1.),
            self.between(-1., 1.),
            self.between(-1., 1.),
            self.between(-1., 1.),
        );
        if q.length() > 0.1 { q.normalize() } else { Quat::IDENTITY }
    }

    fn color(&mut self) -> [f32; 4] {
        [0; 4].map(|_| self.between(0.0, 1.0))
    }

    fn name(&mut self) -> String {
        let names =
            ["", "crate", "Brücke", "a/b", "名前", " spaced out ", "quote\"d", "Joint.001", "x=1;{}", "ÿ"];
        names[self.below(names.len())].to_owned()
    }
}

/// A Scene for a seed; larger sizes have more of everything.
pub fn random_scene(seed: u64, size: usize) -> Scene {
    scene_of(&mut Random::new(seed), size)
}

/// A Scene of numbers; larger sizes have more of everything.
pub fn scene_of(r: &mut Random, size: usize) -> Scene {
    let mut scene = Scene::default();
    textures(r, &mut scene);
    materials(r, &mut scene, size);
    for _ in 0..r.below(size + 1) {
        let mesh = mesh(r, &scene);
        scene.meshes.push(mesh);
    }
    cameras_and_lights(r, &mut scene);
    nodes(r, &mut scene, size);
    skins(r, &mut scene);
    levels(r, &mut scene);
    animations(r, &mut scene, size);
    if r.one_in(5) {
        scene.ambient = Some(r.color());
    }
    if r.one_in(6) {
        scene.extras.set("gltf", "extras", serde_json::json!({ "made_by": "a test" }));
    }
    scene
}

fn textures(r: &mut Random, scene: &mut Scene) {
    for i in 0..r.below(4) {
        let embedded = r.one_in(4);
        let image = scene.images.push(Image {
            name: if r.one_in(2) { r.name() } else { String::new() },
            uri: (!embedded).then(|| format!("picture {i}.png")),
            data: embedded.then(|| b"\x89PNG\r\n\x1a\nnot really".to_vec().into()),
            mime: embedded.then(|| "image/png".to_owned()),
            extras: Extras::default(),
        });
        let sampler = r.one_in(2).then(|| Sampler {
            magnify: r.one_in(2).then_some(Filter::Nearest),
            minify: r.one_in(2).then_some(Filter::LinearMipmapLinear),
            wrap_u: if r.one_in(2) { Wrap::Clamp } else { Wrap::Repeat },
            wrap_v: if r.one_in(2) { Wrap::Mirror } else { Wrap::Repeat },
            ..Sampler::default()
        });
        scene.textures.push(Texture {
            name: String::new(),
            image: Some(image),
            sampler,
            ..Texture::default()
        });
    }
}

fn texture_ref(r: &mut Random, scene: &Scene) -> Option<TextureRef> {
    if scene.textures.is_empty() || r.one_in(2) {
        return None;
    }
    let mut texture = TextureRef::new(Id::new(r.below(scene.textures.len())));
    texture.uv_set = if r.one_in(4) { 1 } else { 0 };
    if r.one_in(5) {
        texture.transform =
            Some(UvTransform { offset: [0.25, 0.5], rotation: 0.5, scale: [2.0, 3.0], uv_set: None });
    }
    Some(texture)
}

fn materials(r: &mut Random, scene: &mut Scene, size: usize) {
    for _ in 0..r.below(size + 2) {
        let shading = match r.below(4) {
            0 => Shading::Phong(Box::new(Phong {
                ambient: [0.1, 0.2, 0.3],
                diffuse: r.color(),
                specular: [r.between(0., 1.), r.between(0., 1.), r.between(0., 1.)],
                shininess: r.between(1.0, 100.0),
                ambient_texture: texture_ref(r, scene),
                diffuse_texture: texture_ref(r, scene),
                specular_texture: texture_ref(r, scene),
                shininess_texture: texture_ref(r, scene),
                bump_texture: texture_ref(r, scene).map(|texture| (texture, 0.5)),
                opacity_texture: texture_ref(r, scene),
            })),
            1 => Shading::SpecularGlossiness(SpecularGlossiness {
                diffuse: r.color(),
                diffuse_texture: texture_ref(r, scene),
                specular: [0.5, 0.25, 0.125],
                glossiness: r.between(0.0, 1.0),
                specular_glossiness_texture: texture_ref(r, scene),
            }),
            _ => Shading::MetallicRoughness(MetallicRoughness {
                base_color: r.color(),
                base_color_texture: texture_ref(r, scene),
                metallic: r.between(0.0, 1.0),
                roughness: r.between(0.0, 1.0),
                metallic_roughness_texture: texture_ref(r, scene),
            }),
        };
        let alpha = match r.below(5) {
            0 => AlphaMode::Mask { cutoff: 0.25 },
            1 => AlphaMode::Blend(Blend::Alpha),
            2 => AlphaMode::Blend(Blend::Additive),
            3 => AlphaMode::Blend(Blend::Multiply),
            _ => AlphaMode::Opaque,
        };
        let material = Material {
            name: r.name(),
            shading,
            emissive: if r.one_in(3) { [0.5, 0.0, 0.25] } else { [0.0; 3] },
            emissive_texture: texture_ref(r, scene),
            normal_texture: texture_ref(r, scene).map(|texture| (texture, 0.75)),
            occlusion_texture: texture_ref(r, scene).map(|texture| (texture, 0.5)),
            alpha,
            double_sided: r.one_in(3),
            unlit: r.one_in(4),
            extras: Extras::default(),
        };
        scene.materials.push(material);
    }
}

fn mesh(r: &mut Random, scene: &Scene) -> Mesh {
    let targets = if r.one_in(3) { 1 + r.below(2) } else { 0 };
    let primitives: Vec<Primitive> = (0..1 + r.below(2)).map(|_| primitive(r, scene, targets)).collect();
    Mesh {
        name: r.name(),
        primitives,
        weights: if r.one_in(2) { vec![0.5; targets] } else { Vec::new() },
        target_names: if r.one_in(2) {
            (0..targets).map(|i| format!("shape {i}")).collect()
        } else {
            Vec::new()
        },
        extras: Extras::default(),
    }
}

fn primitive(r: &mut Random, scene: &Scene, targets: usize) -> Primitive {
    let vertices = 3 + r.below(12);
    let topology = match r.below(8) {
        0 => Topology::Lines,
        1 => Topology::Points,
        2 => Topology::LineStrip,
        _ => Topology::Triangles,
    };
    let indices: Vec<u32> = match topology {
        Topology::Triangles => (0..1 + r.below(8))
            .flat_map(|_| {
                let a = r.below(vertices);
                [a, (a + 1) % vertices, (a + 2) % vertices]
            })
            .map(|i| i as u32)
            .collect(),
        Topology::Lines => (0..2 * (1 + r.below(4))).map(|i| (i % vertices) as u32).collect(),
        _ => (0..vertices as u32).collect(),
    };
    let mut list = |n: usize| (0..n).map(|_| r.vector(10.0)).collect::<Vec<_>>();
    let positions = list(vertices);
    let deltas: Vec<Vec<[f32; 3]>> = (0..targets).map(|_| list(vertices)).collect();
    let mut custom = std::collections::BTreeMap::new();
    if r.one_in(5) {
        custom.insert("_HEAT".to_owned(), CustomAttribute { width: 1, values: vec![0.5; vertices] });
    }
    let uv_sets = r.below(3);
    let normals: Vec<[f32; 3]> =
        if r.one_in(3) { Vec::new() } else { (0..vertices).map(|_| r.unit()).collect() };
    let tangents = match normals.is_empty() || r.one_in(2) {
        true => Vec::new(),
        false => (0..vertices)
            .map(|_| {
                let [x, y, z] = r.unit();
                [x, y, z, if r.one_in(2) { 1.0 } else { -1.0 }]
            })
            .collect(),
    };
    Primitive {
        topology,
        indices,
        normals,
        tangents,
        uvs: (0..uv_sets)
            .map(|_| (0..vertices).map(|_| [r.between(-2.0, 2.0), r.between(-2.0, 2.0)]).collect())
            .collect(),
        colors: (0..usize::from(r.one_in(3))).map(|_| (0..vertices).map(|_| r.color()).collect()).collect(),
        joints: Vec::new(),
        weights: Vec::new(),
        targets: deltas
            .into_iter()
            .map(|positions| MorphTarget { positions, ..MorphTarget::default() })
            .collect(),
        custom,
        material: (!scene.materials.is_empty() && !r.one_in(4))
            .then(|| Id::new(r.below(scene.materials.len()))),
        positions,
        extras: Extras::default(),
    }
}

fn cameras_and_lights(r: &mut Random, scene: &mut Scene) {
    if r.one_in(3) {
        let projection = if r.one_in(2) {
            Projection::Perspective { yfov: 0.8, aspect: Some(1.5), near: 0.1, far: Some(100.0) }
        } else {
            Projection::Orthographic { xmag: 2.0, ymag: 1.0, near: 0.1, far: 10.0 }
        };
        scene.cameras.push(Camera { name: r.name(), projection, extras: Extras::default() });
    }
    if r.one_in(3) {
        let kind = match r.below(3) {
            0 => LightKind::Point,
            1 => LightKind::Spot { inner: 0.25, outer: 0.5 },
            _ => LightKind::Directional,
        };
        let range = (kind != LightKind::Directional && r.one_in(2)).then_some(25.0);
        scene.lights.push(Light {
            name: r.name(),
            kind,
            color: [1.0, 0.5, 0.25],
            intensity: 3.0,
            range,
            attenuation: r.one_in(3).then_some([1.0, 0.5, 0.25]),
            extras: Extras::default(),
        });
    }
}

fn transform(r: &mut Random) -> Transform {
    let translation = Vec3::from_array(r.vector(5.0));
    let rotation = if r.one_in(3) { Quat::IDENTITY } else { r.rotation() };
    let scale = match r.below(5) {
        0 => Vec3::splat(r.between(0.5, 2.0)),
        1 => Vec3::new(r.between(0.5, 2.0), r.between(0.5, 2.0), r.between(0.5, 2.0)),
        _ => Vec3::ONE,
    };
    if r.one_in(8) {
        let shear = Mat4::from_cols_array(&[1., 0., 0., 0., 0.3, 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.]);
        return Transform::Matrix(
            Mat4::from_scale_rotation_translation(scale, rotation, translation) * shear,
        );
    }
    Transform::Trs { translation, rotation, scale }
}

fn nodes(r: &mut Random, scene: &mut Scene, size: usize) {
    let count = 1 + r.below(3 * size + 1);
    let mut roots: Vec<NodeId> = Vec::new();
    for i in 0..count {
        let mesh = (!scene.meshes.is_empty() && r.one_in(2)).then(|| Id::new(r.below(scene.meshes.len())));
        let targets = mesh.map_or(0, |mesh| scene.meshes[mesh].target_count());
        let node = Node {
            name: r.name(),
            transform: transform(r),
            mesh,
            camera: (!scene.cameras.is_empty() && r.one_in(4)).then(|| Id::new(0)),
            light: (!scene.lights.is_empty() && r.one_in(4)).then(|| Id::new(0)),
            weights: if targets > 0 && r.one_in(2) { vec![0.25; targets] } else { Vec::new() },
            visible: !r.one_in(6),
            ..Node::default()
        };
        let id = scene.nodes.push(node);
        if i == 0 || r.one_in(3) {
            roots.push(id);
        } else {
            let parent = Id::new(r.below(i));
            scene.nodes[parent].children.push(id);
        }
    }
    scene.scenes.push(SceneRoot { name: r.name(), roots: roots.clone(), extras: Extras::default() });
    scene.default_scene = Some(0);
    if r.one_in(5) {
        scene.scenes.push(SceneRoot { name: "second".to_owned(), roots, extras: Extras::default() });
        scene.default_scene = Some(r.below(2));
    }
}

/// Binds a mesh that one node shows to some nodes.
fn skins(r: &mut Random, scene: &mut Scene) {
    let users = |scene: &Scene, mesh| scene.nodes.values().filter(|node| node.mesh == Some(mesh)).count();
    let meshes: Vec<_> = scene.meshes.ids().filter(|mesh| users(scene, *mesh) == 1).collect();
    for mesh in meshes {
        if r.one_in(2) {
            continue;
        }
        let joints: Vec<NodeId> = scene.nodes.ids().filter(|_| r.one_in(2)).collect();
        if joints.is_empty() {
            continue;
        }
        let inverse_binds = joints
            .iter()
            .map(|_| Mat4::from_rotation_translation(r.rotation(), Vec3::from_array(r.vector(3.0))))
            .collect();
        let count = joints.len();
        for primitive in &mut scene.meshes[mesh].primitives {
            let vertices = primitive.positions.len();
            let several = r.one_in(2);
            let joint = |r: &mut Random| r.below(count) as u16;
            primitive.joints =
                vec![(0..vertices).map(|_| [joint(r), if several { joint(r) } else { 0 }, 0, 0]).collect()];
            let weights = if several { [0.75, 0.25, 0.0, 0.0] } else { [1.0, 0.0, 0.0, 0.0] };
            primitive.weights = vec![vec![weights; vertices]];
        }
        let skin = scene.skins.push(Skin { name: r.name(), joints, inverse_binds, ..Skin::default() });
        let node = scene.nodes.ids().find(|id| scene.nodes[*id].mesh == Some(mesh));
        if let Some(node) = node {
            scene.nodes[node].skin = Some(skin);
        }
    }
}

/// Gives a node with a mesh a simpler stand-in.
fn levels(r: &mut Random, scene: &mut Scene) {
    let with_mesh: Vec<NodeId> = scene
        .nodes
        .ids()
        .filter(|id| scene.nodes[*id].mesh.is_some() && scene.nodes[*id].skin.is_none())
        .collect();
    for id in with_mesh {
        if r.one_in(5) {
            let primitive = Primitive {
                indices: vec![0, 1, 2],
                positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
                ..Primitive::default()
            };
            let mesh = scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
            let transform = scene.nodes[id].transform;
            let node = scene.nodes.push(Node { mesh: Some(mesh), transform, ..Node::default() });
            scene.nodes[id].lods.push(Lod { node, distance: r.one_in(2).then_some(20.0) });
        }
    }
}

fn animations(r: &mut Random, scene: &mut Scene, size: usize) {
    for _ in 0..r.below(size.min(2) + 1) {
        let mut animation = Animation { name: r.name(), ..Animation::default() };
        for node in scene.nodes.ids() {
            if r.one_in(2) {
                continue;
            }
            let movable = matches!(scene.nodes[node].transform, Transform::Trs { .. });
            let targets = scene.nodes[node].mesh.map_or(0, |mesh| scene.meshes[mesh].target_count());
            for property in [Property::Translation, Property::Rotation, Property::Scale, Property::Weights] {
                let width = property.width().unwrap_or(targets);
                let fits = if property == Property::Weights { targets > 0 } else { movable };
                if fits && r.one_in(2) {
                    animation.channels.push(channel(r, node, property, width));
                }
            }
        }
        if !animation.channels.is_empty() {
            scene.animations.push(animation);
        }
    }
}

fn channel(r: &mut Random, node: NodeId, property: Property, width: usize) -> Channel {
    let interpolation = [Interpolation::Linear, Interpolation::Step, Interpolation::Cubic][r.below(3)];
    let keys = 1 + r.below(4);
    let frames = r.one_in(2);
    let mut time = 0.0;
    let times: Vec<f32> = (0..keys)
        .map(|_| {
            time += if frames { (1 + r.below(4)) as f32 / 12.0 } else { r.between(0.05, 0.5) };
            time
        })
        .collect();
    let parts = if interpolation == Interpolation::Cubic { 3 } else { 1 };
    let mut values = Vec::new();
    for part in (0..keys).flat_map(|_| 0..parts) {
        let tangent = parts == 3 && part != 1;
        match property {
            _ if tangent => values.extend((0..width).map(|_| r.between(-0.5, 0.5))),
            Property::Rotation => values.extend(r.rotation().to_array()),
            Property::Scale => values.extend((0..width).map(|_| r.between(0.5, 2.0))),
            _ => values.extend((0..width).map(|_| r.between(-1.0, 1.0))),
        }
    }
    Channel { node, property, interpolation, times, values, extras: Extras::default() }
}
