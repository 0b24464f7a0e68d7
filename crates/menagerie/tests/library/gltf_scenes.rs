//! Scenes of other formats: whatever they hold comes back from a GLB, and the GLB is valid.

use std::collections::BTreeMap;
use std::path::Path;

use glam::{Mat4, Quat, Vec3};
use menagerie::diag::LossReport;
use menagerie::formats::{Format, ReadOptions, WriteOptions};
use menagerie::scene::{
    AlphaMode, Animation, Blend, Camera, Channel, CustomAttribute, Extras, Filter, Id, Image, Interpolation,
    Light, LightKind, Lod, Material, Mesh, MetallicRoughness, MorphTarget, Node, NodeId, Phong, Primitive,
    Projection, Property, Sampler, Scene, SceneRoot, Shading, Skin, SpecularGlossiness, Texture, TextureRef,
    Topology, Transform, UvTransform, Wrap, assert_scene,
};
use serde_json::json;

/// A PNG of one white pixel.
const PNG: &[u8] = &[
    0x89, b'P', b'N', b'G', 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0x0D, b'I', b'H', b'D', b'R', 0, 0, 0, 1, 0, 0,
    0, 1, 8, 0, 0, 0, 0, 0x3A, 0x7E, 0x9B, 0x55, 0, 0, 0, 0x0A, b'I', b'D', b'A', b'T', 0x78, 0x9C, 0x63,
    0xF8, 0x0F, 0, 1, 1, 1, 0, 0x1B, 0xB6, 0xEE, 0x56, 0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xAE, 0x42, 0x60,
    0x82,
];

/// Through a GLB and back: the same Scene, and the same bytes when it is done again.
fn round_trip(name: &str, scene: &Scene) -> LossReport {
    let format = Format::by_id("gltf").unwrap();
    let mut losses = LossReport::new();
    let checked = assert_scene(scene);
    let model = (format.lower)(checked, &WriteOptions::default(), &mut losses).unwrap();
    let bytes = model.write().unwrap().bytes;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("glb/scenes");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join(format!("{name}.glb")), &bytes).unwrap();
    let options = ReadOptions::default();
    let reading = format.open(&bytes, &options);
    let issues: Vec<_> = reading.issues.iter().collect();
    assert!(issues.is_empty(), "{name}: {issues:#?}");
    let lifted = reading.model.unwrap().lift(&options).unwrap();
    let issues: Vec<_> = lifted.issues.iter().collect();
    assert!(issues.is_empty(), "{name}: {issues:#?}");
    assert_scene(&lifted.scene);
    macro_rules! parts {
        ($($part:ident)*) => {
            $(assert_eq!(format!("{:#?}", scene.$part), format!("{:#?}", lifted.scene.$part), "{name}: {}", stringify!($part));)*
        };
    }
    parts!(scenes default_scene nodes meshes materials textures images cameras lights skins animations ambient extras);
    assert!(*scene == lifted.scene, "{name}");
    losses
}

fn triangle() -> Primitive {
    Primitive {
        indices: vec![0, 1, 2],
        positions: vec![[0.0; 3], [1.0, 0.0, 0.1], [0.0, 1.0, -0.3]],
        normals: vec![[0.0, 0.0, 1.0]; 3],
        ..Primitive::default()
    }
}

fn skinned(joints: [[u16; 4]; 3], weights: [[f32; 4]; 3]) -> Primitive {
    Primitive { joints: vec![joints.to_vec()], weights: vec![weights.to_vec()], ..triangle() }
}

fn trs(x: f32) -> Transform {
    Transform::Trs {
        translation: Vec3::new(x, 0.1, -0.7),
        rotation: Quat::from_rotation_y(0.3),
        scale: Vec3::new(1.0, 2.0, 0.5),
    }
}

/// One node for each mesh, all roots.
fn shown(meshes: Vec<Mesh>) -> Scene {
    let mut scene = Scene::default();
    let mut roots = Vec::new();
    for mesh in meshes {
        let mesh = scene.meshes.push(mesh);
        roots.push(scene.nodes.push(Node { mesh: Some(mesh), ..Node::default() }));
    }
    scene.scenes.push(SceneRoot { roots, ..SceneRoot::default() });
    scene
}

fn mesh(primitive: Primitive) -> Mesh {
    Mesh { primitives: vec![primitive], ..Mesh::default() }
}

#[test]
fn geometry_of_all_kinds() {
    let strip = |topology, count: u32| Primitive {
        topology,
        indices: (0..count).rev().collect(),
        positions: (0..count.max(3)).map(|i| [i as f32, 0.0, 0.0]).collect(),
        ..Primitive::default()
    };
    let mut custom = BTreeMap::new();
    for width in [1usize, 2, 3, 4, 9, 16] {
        let values = (0..width * 3).map(|i| i as f32 * 0.37 - 1.0).collect();
        custom.insert(format!("_TEST_{width}"), CustomAttribute { width, values });
    }
    let many = (0..70_000u32).map(|i| [(i % 100) as f32, (i / 100) as f32, 0.0]).collect::<Vec<_>>();
    let meshes = vec![
        mesh(triangle()),
        mesh(strip(Topology::Points, 4)),
        mesh(strip(Topology::Lines, 4)),
        mesh(strip(Topology::LineStrip, 3)),
        mesh(strip(Topology::LineLoop, 3)),
        mesh(strip(Topology::LineStrip, 1)),
        mesh(strip(Topology::LineLoop, 1)),
        mesh(strip(Topology::Points, 0)),
        mesh(strip(Topology::Triangles, 0)),
        mesh(Primitive::default()),
        mesh(Primitive { topology: Topology::Lines, ..Primitive::default() }),
        Mesh { name: "nothing".to_owned(), ..Mesh::default() },
        mesh(Primitive { custom, ..triangle() }),
        mesh(Primitive {
            tangents: vec![[1.0, 0.0, 0.0, -1.0]; 3],
            uvs: vec![vec![[0.25, 0.5]; 3], vec![[-1.5, 7.0]; 3]],
            colors: vec![vec![[0.1, 0.2, 0.3, 0.4]; 3], vec![[1.0; 4]; 3]],
            ..triangle()
        }),
        mesh(Primitive { tangents: vec![[0.0, 1.0, 0.0, 1.0]; 3], normals: Vec::new(), ..triangle() }),
        mesh(Primitive {
            indices: vec![0, 69_999, 1, 254, 255, 65_534],
            positions: many.clone(),
            ..Primitive::default()
        }),
        mesh(Primitive { indices: vec![0, 1, 65_534], positions: many.clone(), ..Primitive::default() }),
        mesh(Primitive { indices: vec![0, 1, 254], positions: many, ..Primitive::default() }),
    ];
    round_trip("geometry", &shown(meshes));
}

#[test]
fn morph_targets() {
    let target = |x: f32| MorphTarget {
        positions: vec![[x, 0.5, 0.0]; 3],
        normals: vec![[0.0, 0.1, 0.0]; 3],
        tangents: vec![[0.2, 0.0, 0.0]; 3],
        uvs: vec![vec![[0.1, 0.2]; 3]],
        colors: vec![vec![[0.1, 0.0, 0.0, -0.1]; 3]],
        extras: Extras::default(),
    };
    let mut with_extras = target(2.0);
    with_extras.extras.set("das2", "slot", 3);
    let primitive = Primitive {
        tangents: vec![[1.0, 0.0, 0.0, 1.0]; 3],
        uvs: vec![vec![[0.0; 2]; 3]],
        colors: vec![vec![[0.5; 4]; 3]],
        targets: vec![target(1.0), MorphTarget::default(), with_extras],
        ..triangle()
    };
    let mesh = Mesh {
        primitives: vec![primitive.clone(), primitive],
        weights: vec![0.1, 0.2, 0.3],
        target_names: ["smile", "", "blink"].map(str::to_owned).to_vec(),
        ..Mesh::default()
    };
    let mut scene = shown(vec![mesh.clone(), Mesh { target_names: Vec::new(), weights: Vec::new(), ..mesh }]);
    scene.nodes[Id::new(1)].weights = vec![1.0, 0.0, 0.5];
    round_trip("morphs", &scene);
}

fn material(shading: Shading) -> Material {
    Material { shading, ..Material::default() }
}

#[test]
fn materials_of_all_kinds() {
    let mut scene = Scene::default();
    let image = |uri: Option<&str>, data: Option<&[u8]>, mime: Option<&str>| Image {
        uri: uri.map(str::to_owned),
        data: data.map(Into::into),
        mime: mime.map(str::to_owned),
        ..Image::default()
    };
    for picture in [
        image(Some("C:/work/x.jpg"), None, None),
        image(Some("C:\\work\\ü b%.jpg"), None, Some("image/jpeg")),
        image(Some("maps/a b#?.png"), Some(PNG), Some("image/png")),
        image(None, Some(PNG), None),
        image(Some("/root/y.png"), None, Some("image/x-targa")),
        image(Some(""), None, None),
        image(None, None, None),
        image(Some("../../secret.png"), None, None),
        image(Some("http://example.org/a.png"), None, None),
    ] {
        let image = scene.images.push(picture);
        scene.textures.push(Texture { image: Some(image), ..Texture::default() });
    }
    let sampler = Sampler {
        name: "s".to_owned(),
        magnify: Some(Filter::Nearest),
        minify: Some(Filter::LinearMipmapNearest),
        wrap_u: Wrap::Mirror,
        wrap_v: Wrap::Clamp,
        extras: Extras::default(),
    };
    scene.textures.push(Texture {
        name: "t".to_owned(),
        sampler: Some(sampler.clone()),
        ..Texture::default()
    });
    scene.textures.push(Texture { sampler: Some(Sampler::default()), ..Texture::default() });
    scene.textures.push(Texture { image: Some(Id::new(2)), sampler: Some(sampler), ..Texture::default() });
    let texture = |index: usize| TextureRef::new(Id::new(index));
    let moved = |index: usize| {
        let mut extras = Extras::default();
        extras.set("bogle", "slot", 4);
        let transform = UvTransform { offset: [0.1, 0.0], rotation: 0.5, scale: [2.0, 1.0], uv_set: Some(1) };
        TextureRef { texture: Id::new(index), uv_set: 1, transform: Some(transform), extras }
    };
    let phong = Phong {
        ambient: [0.1, 0.2, 0.3],
        diffuse: [0.8, 0.7, 0.6, 0.5],
        specular: [0.9, 1.5, 0.0],
        shininess: 17.3,
        ambient_texture: Some(moved(0)),
        diffuse_texture: Some(moved(2)),
        specular_texture: Some(texture(3)),
        shininess_texture: Some(texture(4)),
        bump_texture: Some((texture(5), 0.3)),
        opacity_texture: Some(texture(6)),
    };
    let materials = [
        Material { name: "Ä/~ \"quoted\"".to_owned(), ..Material::default() },
        material(Shading::Phong(Box::new(phong.clone()))),
        material(Shading::Phong(Box::new(Phong { diffuse: [2.0, -1.0, 0.5, 1.0], ..Phong::default() }))),
        Material {
            emissive: [5.0, 2.5, 0.3],
            emissive_texture: Some(texture(1)),
            normal_texture: Some((moved(2), -0.5)),
            occlusion_texture: Some((texture(3), 0.3)),
            double_sided: true,
            unlit: true,
            alpha: AlphaMode::Mask { cutoff: 0.25 },
            ..Material::default()
        },
        Material {
            emissive: [0.1, -2.0, 0.3],
            occlusion_texture: Some((texture(3), 1.3)),
            alpha: AlphaMode::Mask { cutoff: -1.0 },
            ..Material::default()
        },
        Material { alpha: AlphaMode::Blend(Blend::Additive), ..Material::default() },
        Material { alpha: AlphaMode::Blend(Blend::Multiply), ..Material::default() },
        Material { alpha: AlphaMode::Blend(Blend::Alpha), ..Material::default() },
        material(Shading::SpecularGlossiness(SpecularGlossiness {
            diffuse: [0.1, 0.2, 3.0, 0.4],
            diffuse_texture: Some(texture(2)),
            specular: [0.3, 0.2, 0.1],
            glossiness: 0.7,
            specular_glossiness_texture: Some(moved(3)),
        })),
        Material { unlit: true, ..material(Shading::SpecularGlossiness(SpecularGlossiness::default())) },
        material(Shading::MetallicRoughness(MetallicRoughness {
            base_color: [1.2, 0.5, 0.1, 1.0],
            base_color_texture: Some(texture(2)),
            metallic: -0.5,
            roughness: 1.5,
            metallic_roughness_texture: Some(texture(3)),
        })),
    ];
    let mut parts = Vec::new();
    for material in materials {
        let material = scene.materials.push(material);
        parts.push(Primitive { material: Some(material), ..triangle() });
        parts.push(Primitive { material: Some(material), uvs: vec![vec![[0.5; 2]; 3]; 2], ..triangle() });
        parts.push(Primitive { material: Some(material), ..Primitive::default() });
        parts.push(Primitive { material: Some(material), normals: Vec::new(), ..triangle() });
        let lines = Primitive { topology: Topology::Points, uvs: vec![vec![[0.5; 2]; 3]; 2], ..triangle() };
        parts.push(Primitive { material: Some(material), ..lines });
    }
    let mesh = scene.meshes.push(Mesh { primitives: parts, ..Mesh::default() });
    let root = scene.nodes.push(Node { mesh: Some(mesh), ..Node::default() });
    scene.scenes.push(SceneRoot { roots: vec![root], ..SceneRoot::default() });
    let losses = round_trip("materials", &scene);
    assert!(losses.iter().any(|loss| loss.message.contains("Phong")));
}

#[test]
fn lights_cameras_lods_and_scenes() {
    let mut scene = Scene { ambient: Some([0.1, 0.2, 0.3, 1.0]), default_scene: Some(1), ..Scene::default() };
    let light = |kind| Light {
        name: "l".to_owned(),
        kind,
        color: [1.0, 0.5, 0.25],
        intensity: 3.0,
        range: Some(7.5),
        attenuation: Some([1.0, 0.1, 0.01]),
        extras: Extras::default(),
    };
    let lights = [
        light(LightKind::Point),
        light(LightKind::Directional),
        light(LightKind::Spot { inner: 0.1, outer: 0.6 }),
        light(LightKind::Spot { inner: 2.0, outer: 1.0 }),
        light(LightKind::Spot { inner: 0.5, outer: 0.5 }),
        light(LightKind::Spot { inner: -1.0, outer: 4.0 }),
        Light { color: [3.0, -1.0, 0.0], intensity: -2.0, range: Some(-1.0), ..light(LightKind::Point) },
        Light { range: None, attenuation: None, intensity: 1.0, color: [1.0; 3], ..light(LightKind::Point) },
    ];
    let projections = [
        Projection::Perspective { yfov: 0.7, aspect: Some(1.5), near: 0.1, far: Some(100.0) },
        Projection::Perspective { yfov: 0.7, aspect: None, near: 0.1, far: None },
        Projection::Perspective { yfov: 4.0, aspect: Some(-1.0), near: 0.0, far: Some(-3.0) },
        Projection::Perspective { yfov: -1.0, aspect: None, near: -2.0, far: Some(0.0) },
        Projection::Orthographic { xmag: 1.0, ymag: 2.0, near: 0.0, far: 5.0 },
        Projection::Orthographic { xmag: 0.0, ymag: -2.0, near: -1.0, far: -5.0 },
    ];
    let mut children = Vec::new();
    for light in lights {
        let light = scene.lights.push(light);
        children.push(scene.nodes.push(Node { light: Some(light), transform: trs(1.0), ..Node::default() }));
    }
    for projection in projections {
        let camera = Camera { name: "c".to_owned(), projection, extras: Extras::default() };
        let camera = scene.cameras.push(camera);
        children.push(scene.nodes.push(Node { camera: Some(camera), ..Node::default() }));
    }
    let mesh = scene.meshes.push(mesh(triangle()));
    let level = |scene: &mut Scene, x| {
        scene.nodes.push(Node { mesh: Some(mesh), transform: trs(x), ..Node::default() })
    };
    let (near, far, child) = (level(&mut scene, 1.0), level(&mut scene, 2.0), level(&mut scene, 3.0));
    scene.nodes[far].children.push(child);
    let lods = vec![Lod { node: near, distance: Some(10.0) }, Lod { node: far, distance: None }];
    children.push(scene.nodes.push(Node { mesh: Some(mesh), lods, visible: false, ..Node::default() }));
    let shear = Mat4::from_cols_array(&[1., 0., 0., 0., 0.5, 1., 0., 0., 0., 0., 1., 0., 3., 2., 1., 1.]);
    children.push(scene.nodes.push(Node { transform: Transform::Matrix(shear), ..Node::default() }));
    let turned = Mat4::from_rotation_x(0.4) * Mat4::from_translation(Vec3::new(1.0, 2.0, 3.0));
    children.push(scene.nodes.push(Node { transform: Transform::Matrix(turned), ..Node::default() }));
    children.push(scene.nodes.push(Node {
        transform: Transform::Matrix(Mat4::from_scale(Vec3::new(1.0, 0.0, 1.0))),
        ..Node::default()
    }));
    let root = scene.nodes.push(Node { children, ..Node::default() });
    let other = scene.nodes.push(Node { name: "in no scene".to_owned(), ..Node::default() });
    let _ = other;
    scene.scenes.push(SceneRoot { name: "empty".to_owned(), ..SceneRoot::default() });
    scene.scenes.push(SceneRoot { roots: vec![root], ..SceneRoot::default() });
    round_trip("lights", &scene);
}

/// A Scene like BO3D's: the mesh is the root, the joints are below it.
fn rig() -> Scene {
    let mut scene = Scene::default();
    let joint = scene.nodes.push(Node { name: "joint".to_owned(), transform: trs(0.5), ..Node::default() });
    let half = [0.5, 0.5, 0.0, 0.0];
    let one = [1.0, 0.0, 0.0, 0.0];
    let mesh = scene.meshes.push(mesh(skinned([[0, 1, 0, 0], [1, 0, 0, 0], [0; 4]], [half, one, [0.0; 4]])));
    let root = scene.nodes.push(Node {
        name: "root".to_owned(),
        mesh: Some(mesh),
        transform: trs(2.0),
        children: vec![joint],
        ..Node::default()
    });
    let binds = vec![Mat4::from_translation(Vec3::X), Mat4::IDENTITY];
    let skin = scene.skins.push(Skin { joints: vec![joint, root], inverse_binds: binds, ..Skin::default() });
    scene.nodes[root].skin = Some(skin);
    scene.scenes.push(SceneRoot { roots: vec![root], ..SceneRoot::default() });
    scene
}

fn channel(
    node: NodeId,
    property: Property,
    interpolation: Interpolation,
    times: &[f32],
    width: usize,
) -> Channel {
    let parts = if interpolation == Interpolation::Cubic { 3 } else { 1 };
    let values = match (property, interpolation) {
        (Property::Rotation, Interpolation::Step | Interpolation::Linear) => {
            times.iter().flat_map(|t| Quat::from_rotation_x(*t).to_array()).collect()
        }
        _ => (0..times.len() * width * parts).map(|i| i as f32 * 0.13 - 0.4).collect(),
    };
    Channel { node, property, interpolation, times: times.to_vec(), values, extras: Extras::default() }
}

#[test]
fn skins() {
    round_trip("skin_at_root", &rig());
    // Below another node, hidden there, with levels, moved, and shown twice.
    let mut scene = rig();
    let root = NodeId::new(1);
    let above = scene.nodes.push(Node {
        children: vec![root],
        visible: false,
        transform: trs(9.0),
        ..Node::default()
    });
    scene.scenes[0].roots = vec![above];
    let (mesh, skin) = (scene.nodes[root].mesh, scene.nodes[root].skin);
    let again = scene.nodes.push(Node { mesh, skin, transform: trs(1.0), ..Node::default() });
    scene.nodes[above].children.insert(0, again);
    let level = scene.nodes.push(Node { mesh, skin, transform: trs(4.0), ..Node::default() });
    scene.nodes[root].lods.push(Lod { node: level, distance: Some(3.0) });
    scene.animations.push(Animation {
        channels: vec![channel(root, Property::Translation, Interpolation::Linear, &[0.0, 1.0], 3)],
        ..Animation::default()
    });
    round_trip("skin_below", &scene);
    // Joints of two roots, without inverse binds, with a skeleton; a mesh with joints at a node without skin.
    let mut scene = rig();
    let other = scene.nodes.push(Node { transform: trs(3.0), ..Node::default() });
    scene.scenes[0].roots.push(other);
    scene.skins[Id::new(0)].joints.push(other);
    scene.skins[Id::new(0)].inverse_binds.clear();
    round_trip("skin_of_two_roots", &scene);
    let mut scene = rig();
    let mesh = scene.nodes[NodeId::new(1)].mesh;
    let plain = scene.nodes.push(Node { mesh, ..Node::default() });
    scene.scenes[0].roots.push(plain);
    round_trip("skin_and_none", &scene);
    // A skin at a mesh without joints, a skin without joints, and one that nothing uses.
    let mut scene = rig();
    let mesh = scene.meshes.push(self::mesh(triangle()));
    let skin = scene.nodes[NodeId::new(1)].skin;
    let stiff = scene.nodes.push(Node { mesh: Some(mesh), skin, ..Node::default() });
    scene.scenes[0].roots.push(stiff);
    scene.skins.push(Skin { name: "empty".to_owned(), ..Skin::default() });
    scene.skins.push(Skin { joints: vec![stiff], skeleton: Some(stiff), ..Skin::default() });
    round_trip("skin_oddities", &scene);
}

#[test]
fn animations() {
    use Interpolation::{Cubic, Linear, Step};
    let mut scene = shown(vec![Mesh {
        primitives: vec![Primitive {
            targets: vec![MorphTarget { positions: vec![[0.1; 3]; 3], ..MorphTarget::default() }; 2],
            ..triangle()
        }],
        ..Mesh::default()
    }]);
    let node = NodeId::new(0);
    let plain = scene.nodes.push(Node::default());
    scene.scenes[0].roots.push(plain);
    let times = [-0.333, 0.1, 1.7];
    for interpolation in [Step, Linear, Cubic] {
        let channels = vec![
            channel(node, Property::Translation, interpolation, &times, 3),
            channel(node, Property::Rotation, interpolation, &times, 4),
            channel(node, Property::Scale, interpolation, &[0.7], 3),
            channel(node, Property::Weights, interpolation, &[0.0, 0.5], 2),
            channel(plain, Property::Scale, interpolation, &times, 3),
        ];
        scene.animations.push(Animation { name: "clip".to_owned(), channels, extras: Extras::default() });
    }
    scene.animations.insert(1, Animation { name: "nothing".to_owned(), ..Animation::default() });
    let no_keys = vec![
        channel(plain, Property::Translation, Cubic, &[], 3),
        channel(plain, Property::Weights, Step, &[0.0, 2.0], 0),
    ];
    scene.animations.push(Animation {
        name: "no keys".to_owned(),
        channels: no_keys.clone(),
        extras: Extras::default(),
    });
    scene.animations[0].channels.insert(1, no_keys[0].clone());
    round_trip("animations", &scene);
}

#[test]
fn extras_and_names() {
    let mut scene = shown(vec![mesh(triangle())]);
    scene.skins.push(Skin { joints: vec![NodeId::new(0)], ..Skin::default() });
    let fill = |extras: &mut Extras| {
        extras.set("bo3d", "raw", json!([1, 2.5, "x", null]));
        extras.set_all("das2", json!("text"));
        extras.set("gltf", "extras", json!({"mine": [1]}));
        extras.set("some_other", "field", 1);
    };
    fill(&mut scene.extras);
    fill(&mut scene.scenes[0].extras);
    scene.nodes.values_mut().for_each(|node| fill(&mut node.extras));
    scene.meshes.values_mut().for_each(|mesh| fill(&mut mesh.extras));
    scene.skins.values_mut().for_each(|skin| fill(&mut skin.extras));
    fill(&mut scene.meshes[Id::new(0)].primitives[0].extras);
    let mut material = Material { name: "\u{0}\n\u{1F600}".to_owned(), ..Material::default() };
    fill(&mut material.extras);
    scene.materials.push(material);
    let mut channel = channel(NodeId::new(0), Property::Scale, Interpolation::Linear, &[-1.0, 0.1], 3);
    fill(&mut channel.extras);
    let mut animation = Animation { channels: vec![channel], ..Animation::default() };
    fill(&mut animation.extras);
    scene.animations.push(animation);
    round_trip("extras_of_formats", &{
        let mut scene = scene.clone();
        scene.extras = Extras::default();
        scene
    });
    // A Scene with glTF's own extras came from glTF, and says what the file said about itself.
    scene.extras.set("gltf", "asset", json!({"copyright": "me"}));
    round_trip("extras", &scene);
}
