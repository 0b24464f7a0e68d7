//! Scenes for what no file of the corpus has. Only operations that every machine rounds alike are used.

use std::sync::Arc;

use glam::{Mat4, Quat, Vec3};
use menagerie::scene::{
    AlphaMode, Blend, Camera, Extras, Image, Light, LightKind, Material, MaterialId, Mesh, MetallicRoughness,
    Node, NodeId, Phong, Primitive, Projection, Scene, SceneRoot, Shading, SpecularGlossiness, Texture,
    TextureId, TextureRef, Transform,
};
use menagerie_render::{Picture, png};

/// A ball: an octahedron whose sides were halved `times` times.
pub fn ball(times: usize) -> Primitive {
    let corners = [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y, Vec3::Z, Vec3::NEG_Z];
    let sides = [[0, 2, 4], [4, 2, 1], [1, 2, 5], [5, 2, 0], [4, 3, 0], [1, 3, 4], [5, 3, 1], [0, 3, 5]];
    let mut triangles: Vec<[Vec3; 3]> = sides.iter().map(|side| side.map(|i: usize| corners[i])).collect();
    for _ in 0..times {
        triangles = triangles
            .into_iter()
            .flat_map(|[a, b, c]| {
                let middle = |p: Vec3, q: Vec3| (p + q) / (p + q).length();
                let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
                [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
            })
            .collect();
    }
    let mut ball = Primitive::default();
    let mut uvs = Vec::new();
    for corner in triangles.into_iter().flatten() {
        ball.indices.push(ball.positions.len() as u32);
        ball.positions.push(corner.to_array());
        ball.normals.push(corner.to_array());
        uvs.push([corner.x * 0.5 + 0.5, 0.5 - corner.y * 0.5]);
    }
    ball.uvs = vec![uvs];
    ball
}

/// A square of two triangles that faces +Z, from −1 to 1.
pub fn square() -> Primitive {
    Primitive {
        positions: vec![[-1., -1., 0.], [1., -1., 0.], [1., 1., 0.], [-1., 1., 0.]],
        normals: vec![[0.0, 0.0, 1.0]; 4],
        uvs: vec![vec![[0., 1.], [1., 1.], [1., 0.], [0., 0.]]],
        indices: vec![0, 1, 2, 0, 2, 3],
        ..Primitive::default()
    }
}

/// A picture file made of a rule for its texels.
pub fn texture(scene: &mut Scene, side: u32, texel: impl Fn(u32, u32) -> [u8; 4]) -> TextureId {
    let mut picture = Picture::new(side, side, [0; 4]).unwrap();
    let places = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
    for (pixel, (x, y)) in picture.pixels_mut().iter_mut().zip(places) {
        *pixel = texel(x, y);
    }
    let data = Some(Arc::from(png(&picture).unwrap()));
    let image = scene.images.push(Image { data, ..Image::default() });
    scene.textures.push(Texture { image: Some(image), ..Texture::default() })
}

pub fn add(scene: &mut Scene, mut primitive: Primitive, material: Material, transform: Transform) -> NodeId {
    let material: MaterialId = scene.materials.push(material);
    primitive.material = Some(material);
    let mesh = scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
    let node = scene.nodes.push(Node { mesh: Some(mesh), transform, ..Node::default() });
    if scene.scenes.is_empty() {
        scene.scenes.push(SceneRoot::default());
    }
    scene.scenes[0].roots.push(node);
    node
}

pub fn at(x: f32, y: f32, z: f32) -> Transform {
    Transform::Trs { translation: Vec3::new(x, y, z), rotation: Quat::IDENTITY, scale: Vec3::ONE }
}

pub fn metallic(base_color: [f32; 4], metallic: f32, roughness: f32) -> Material {
    let shading = MetallicRoughness { base_color, metallic, roughness, ..MetallicRoughness::default() };
    Material { shading: Shading::MetallicRoughness(shading), ..Material::default() }
}

fn phong(diffuse: [f32; 4], specular: f32, shininess: f32) -> Material {
    let phong = Phong { diffuse, specular: [specular; 3], shininess, ..Phong::default() };
    Material { shading: Shading::Phong(Box::new(phong)), ..Material::default() }
}

/// All kinds of materials side by side.
pub fn materials() -> Scene {
    let red = [0.6, 0.05, 0.04, 1.0];
    let glossy = SpecularGlossiness {
        diffuse: red,
        specular: [0.2, 0.2, 0.25],
        glossiness: 0.8,
        ..SpecularGlossiness::default()
    };
    let list = [
        metallic(red, 0.0, 0.5),
        metallic([0.9, 0.7, 0.3, 1.0], 1.0, 0.25),
        metallic(red, 0.0, 1.0),
        phong(red, 0.5, 50.0),
        phong(red, 0.0, 1.0),
        Material { shading: Shading::SpecularGlossiness(glossy), ..Material::default() },
        Material { unlit: true, ..metallic(red, 0.0, 1.0) },
        Material { emissive: [0.1, 0.4, 0.9], ..metallic([0.02, 0.02, 0.02, 1.0], 0.0, 0.4) },
        metallic([0.02, 0.02, 0.02, 1.0], 0.0, 0.15),
    ];
    let mut scene = Scene::default();
    for (i, material) in list.into_iter().enumerate() {
        let (x, y) = ((i % 3) as f32 * 2.3, (i / 3) as f32 * 2.3);
        add(&mut scene, ball(4), material, at(x, y, 0.0));
    }
    scene
}

/// Colour, normal, roughness and glow pictures; a floor that shows the smaller versions of a texture.
pub fn textured() -> Scene {
    let mut scene = Scene::default();
    let checks = texture(&mut scene, 32, |x, y| match (x / 4 + y / 4) % 2 {
        0 => [230, 220, 200, 255],
        _ => [40, 60, 110, 255],
    });
    // Bumps in the shape of pyramids.
    let bumps = texture(&mut scene, 32, |x, y| {
        let slope = |at: u32| if at % 8 < 4 { 70 } else { 185 };
        [slope(x), 255 - slope(y), 220, 255]
    });
    let glow = texture(&mut scene, 8, |x, _| if x == 3 { [255, 160, 0, 255] } else { [0, 0, 0, 255] });
    let rough = texture(&mut scene, 8, |x, _| if x < 4 { [0, 60, 255, 255] } else { [0, 255, 0, 255] });
    let slot = |texture: TextureId| Some(TextureRef::new(texture));
    let shading = |texture: Option<TextureRef>| {
        let plain = MetallicRoughness { metallic: 0.0, roughness: 0.5, ..MetallicRoughness::default() };
        Shading::MetallicRoughness(MetallicRoughness { base_color_texture: texture, ..plain })
    };
    let coloured = Material { shading: shading(slot(checks)), ..Material::default() };
    let bumpy = Material {
        shading: shading(None),
        normal_texture: Some((TextureRef::new(bumps), 1.0)),
        ..Material::default()
    };
    let glowing = Material {
        emissive: [1.0; 3],
        emissive_texture: slot(glow),
        ..metallic([0.05, 0.05, 0.05, 1.0], 0.0, 0.6)
    };
    let mixed = MetallicRoughness {
        base_color: [0.9, 0.6, 0.5, 1.0],
        metallic_roughness_texture: slot(rough),
        ..MetallicRoughness::default()
    };
    let mixed = Material { shading: Shading::MetallicRoughness(mixed), ..Material::default() };
    add(&mut scene, ball(4), coloured.clone(), at(-1.2, 1.0, 0.0));
    add(&mut scene, ball(4), bumpy, at(1.2, 1.0, 0.0));
    add(&mut scene, ball(4), glowing, at(-1.2, 1.0, -2.4));
    add(&mut scene, ball(4), mixed, at(1.2, 1.0, -2.4));
    let mut floor = square();
    floor.uvs[0].iter_mut().for_each(|uv| *uv = uv.map(|x| x * 6.0));
    let lie = Quat::from_xyzw(-std::f32::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f32::consts::FRAC_1_SQRT_2);
    let place =
        Transform::Trs { translation: Vec3::new(0.0, 0.0, -1.2), rotation: lie, scale: Vec3::splat(3.5) };
    add(&mut scene, floor, coloured, place);
    scene
}

/// Glass, cut-outs, light that is added and ink that multiplies, before a ball, and a leaf with two sides.
pub fn transparent() -> Scene {
    let mut scene = Scene::default();
    let rings = texture(&mut scene, 32, |x, y| {
        let (x, y) = (x as i32 * 2 - 31, y as i32 * 2 - 31);
        let alpha = if (300..800).contains(&(x * x + y * y)) { 255 } else { 0 };
        [200, 120, 40, alpha]
    });
    let with = |alpha: AlphaMode, color: [f32; 4]| Material { alpha, ..metallic(color, 0.0, 0.5) };
    add(&mut scene, ball(4), metallic([0.7, 0.7, 0.7, 1.0], 0.0, 0.6), at(0.0, 0.0, -1.5));
    let glass = with(AlphaMode::Blend(Blend::Alpha), [0.1, 0.3, 0.8, 0.5]);
    add(&mut scene, square(), glass, at(-1.1, 0.6, 0.0));
    let light = with(AlphaMode::Blend(Blend::Additive), [0.3, 0.15, 0.0, 1.0]);
    add(&mut scene, square(), light, at(1.1, 0.6, 0.2));
    let ink = with(AlphaMode::Blend(Blend::Multiply), [0.5, 1.0, 0.4, 1.0]);
    add(&mut scene, square(), Material { unlit: true, ..ink }, at(0.0, -0.9, 0.4));
    let mut cut = with(AlphaMode::Mask { cutoff: 0.5 }, [1.0; 4]);
    if let Shading::MetallicRoughness(m) = &mut cut.shading {
        m.base_color_texture = Some(TextureRef::new(rings));
    }
    add(&mut scene, square(), Material { double_sided: true, ..cut.clone() }, at(0.4, 1.4, 0.8));
    // Seen from behind: only the first is drawn.
    let turned = |x: f32| {
        Transform::Matrix(Mat4::from_cols_array(&[
            -1., 0., 0., 0., 0., 1., 0., 0., 0., 0., -1., 0., x, -2.4, 0.5, 1.,
        ]))
    };
    add(&mut scene, square(), Material { double_sided: true, ..cut.clone() }, turned(-1.1));
    add(&mut scene, square(), cut, turned(1.1));
    scene
}

/// A room with a camera in its middle and lights of its own: a lamp, a spot, the sun.
pub fn room() -> Scene {
    let mut scene = Scene::default();
    let mut inside = ball(3);
    inside.indices.as_chunks_mut::<3>().0.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    inside.normals.iter_mut().for_each(|normal| *normal = normal.map(|x| -x));
    let scale = Transform::Trs { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::splat(6.0) };
    add(&mut scene, inside, metallic([0.6, 0.6, 0.55, 1.0], 0.0, 0.9), scale);
    add(&mut scene, ball(3), metallic([0.7, 0.2, 0.1, 1.0], 0.0, 0.3), at(0.8, -0.5, -3.0));
    // So near that a part of it is cut off.
    let long = Transform::Trs {
        translation: Vec3::new(0.0, -0.4, 0.0),
        rotation: Quat::IDENTITY,
        scale: Vec3::new(0.1, 0.1, 5.0),
    };
    add(&mut scene, ball(2), metallic([0.1, 0.4, 0.2, 1.0], 0.0, 0.5), long);
    let light = |kind, color, intensity, range| Light {
        name: String::new(),
        kind,
        color,
        intensity,
        range,
        attenuation: None,
        extras: Extras::default(),
    };
    let lamp = scene.lights.push(light(LightKind::Point, [1.0, 0.8, 0.5], 60.0, Some(12.0)));
    let spot =
        scene.lights.push(light(LightKind::Spot { inner: 0.2, outer: 0.4 }, [0.4, 0.6, 1.0], 120.0, None));
    let sun = scene.lights.push(light(LightKind::Directional, [1.0; 3], 0.4, None));
    let camera = scene.cameras.push(Camera {
        name: "middle".to_owned(),
        projection: Projection::Perspective { yfov: 1.2, aspect: None, near: 0.05, far: Some(100.0) },
        extras: Extras::default(),
    });
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let down = Transform::Trs {
        translation: Vec3::new(-1.5, 3.0, -2.5),
        rotation: Quat::from_xyzw(-half, 0.0, 0.0, half),
        scale: Vec3::ONE,
    };
    for node in [
        Node { light: Some(lamp), transform: at(2.0, 2.0, -1.0), ..Node::default() },
        Node { light: Some(spot), transform: down, ..Node::default() },
        Node { light: Some(sun), ..Node::default() },
        Node { name: "eye".to_owned(), camera: Some(camera), ..Node::default() },
    ] {
        let node = scene.nodes.push(node);
        scene.scenes[0].roots.push(node);
    }
    scene
}
