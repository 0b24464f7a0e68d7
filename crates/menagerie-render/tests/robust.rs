//! What cannot be drawn is named, the rest is drawn, and nothing panics.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by a panic")]

mod support;

use std::sync::Arc;

use glam::{Mat4, Quat, Vec3};
use menagerie::scene::{
    Camera, Extras, Id, Image, Node, Primitive, Projection, Scene, SceneRoot, Texture, TextureRef, Topology,
    Transform, assert_scene,
};
use menagerie_render::{CameraChoice, MAX_SIDE, Shot, Side, Stage, Wireframe};
use support::scenes::{add, at, ball, metallic, square};

fn small() -> Shot {
    Shot { width: 48, height: 32, ..Shot::default() }
}

/// The codes of what a picture of the Scene has to say, and whether something was drawn on the background.
fn draw(scene: &Scene, shot: &Shot) -> (Vec<&'static str>, bool) {
    let stage = Stage::new(assert_scene(scene));
    let taken = stage.take(shot).unwrap();
    let codes = stage.issues().iter().chain(taken.issues.iter()).map(|issue| issue.code.id).collect();
    let drawn = taken.picture.pixels().iter().any(|pixel| *pixel != shot.background);
    (codes, drawn)
}

fn one(primitive: Primitive, transform: Transform) -> Scene {
    let mut scene = Scene::default();
    add(&mut scene, primitive, metallic([0.5; 4], 0.0, 0.5), transform);
    scene
}

fn scaled(scale: f32) -> Transform {
    Transform::Trs { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::splat(scale) }
}

#[test]
fn models_without_a_size_or_a_place() {
    let point = Primitive { positions: vec![[3.0; 3]; 3], indices: vec![0, 1, 2], ..Primitive::default() };
    let dots = Primitive { topology: Topology::Points, ..point.clone() };
    let nothing = Primitive { indices: Vec::new(), ..point.clone() };
    let mut half_lost = ball(1);
    half_lost.positions[0] = [f32::MAX; 3];
    let flat = Primitive { positions: vec![[0.; 3], [1., 0., 0.], [2., 0., 0.]], ..point.clone() };
    let mut empty = Scene::default();
    empty.scenes.push(SceneRoot::default());
    let none: [&str; 0] = [];
    let lost = ["render/not-finite"];
    let blank = ["render/nothing-to-draw"];
    let cases: [(&str, Scene, &[&str], bool); 10] = [
        ("no scene", Scene::default(), &blank, false),
        ("an empty scene", empty, &blank, false),
        ("no triangle", one(nothing, at(0., 0., 0.)), &blank, false),
        ("a triangle without size", one(point, at(0., 0., 0.)), &none, false),
        ("points in one place", one(dots, at(1e6, 0., 0.)), &none, true),
        ("triangles without area", one(flat, at(0., 0., 0.)), &none, false),
        ("a vertex beyond all numbers", one(half_lost, scaled(1e10)), &lost, true),
        (
            "all beyond all numbers",
            one(ball(1), scaled(1e30)),
            &["render/not-finite", "render/nothing-to-draw"],
            false,
        ),
        ("tiny", one(ball(2), scaled(1e-20)), &none, true),
        ("large", one(ball(2), scaled(1e12)), &none, true),
    ];
    for (name, scene, codes, drawn) in cases {
        for shot in [
            small(),
            Shot { parallel: true, ..small() },
            Shot { bones: true, bounds: true, wireframe: Wireframe::Over, shadow: false, ..small() },
        ] {
            let (found, something) = draw(&scene, &shot);
            assert_eq!(found, codes, "{name}");
            assert!(something || !drawn, "{name}: nothing was drawn");
        }
    }
}

#[test]
fn lines_that_end_far_outside_the_picture() {
    let mut state = 5u64;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1u64 << 24) as f32 * 2.0 - 1.0
    };
    for round in 0..400 {
        let topology = [Topology::Lines, Topology::LineStrip, Topology::Triangles][round % 3];
        // Lengths of all sizes beside each other.
        let positions = (0..12).map(|_| [0; 3].map(|_| random() * 10f32.powf(random() * 18.0))).collect();
        let rays = Primitive { topology, positions, indices: (0..12).collect(), ..Primitive::default() };
        let mut scene = one(rays, at(0., 0., 0.));
        let projection = Projection::Perspective { yfov: 0.8, aspect: None, near: 1e-6, far: None };
        let camera = Camera { name: "eye".to_owned(), projection, extras: Extras::default() };
        let id = scene.cameras.push(camera);
        let place = at(random(), random(), random() * 10f32.powf(random() * 6.0));
        let node = scene.nodes.push(Node { camera: Some(id), transform: place, ..Node::default() });
        scene.scenes[0].roots.push(node);
        for camera in [CameraChoice::Model(id), Shot::default().camera] {
            draw(&scene, &Shot { camera, bounds: true, wireframe: Wireframe::Over, ..small() });
        }
    }
}

#[test]
fn textures_that_are_missing_broken_or_huge() {
    // The head of a PNG that says that it is 100 000 wide.
    let mut wide = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    wide.extend(100_000u32.to_be_bytes());
    wide.extend(100_000u32.to_be_bytes());
    wide.extend([8, 6, 0, 0, 0, 0xAE, 0x42, 0x60, 0x82]);
    let crc = !wide[12..29].iter().fold(!0u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |c, _| if c & 1 == 1 { (c >> 1) ^ 0xEDB8_8320 } else { c >> 1 })
    });
    wide[29..33].copy_from_slice(&crc.to_be_bytes());
    wide.extend(b"\0\0\0\0IDAT\x35\xAF\x06\x1E");
    for (data, code) in [
        (None, "render/texture-missing"),
        (Some(&b"this is no picture"[..]), "render/texture-broken"),
        (Some(&b"\xFF\xD8\xFF\xE0 and then nothing"[..]), "render/texture-broken"),
        (Some(&wide), "render/texture-too-large"),
    ] {
        let mut scene = Scene::default();
        let data = data.map(Arc::from);
        let image = scene.images.push(Image { data, uri: Some("a.png".to_owned()), ..Image::default() });
        let texture = scene.textures.push(Texture { image: Some(image), ..Texture::default() });
        let mut material = metallic([1.0; 4], 0.0, 0.5);
        material.normal_texture = Some((TextureRef::new(texture), 1.0));
        material.emissive_texture = Some(TextureRef::new(texture));
        add(&mut scene, ball(2), material, at(0., 0., 0.));
        assert_eq!(draw(&scene, &small()), (vec![code], true));
    }
}

#[test]
fn cameras_inside_beside_and_without_a_view() {
    let camera = |projection| Camera { name: "eye".to_owned(), projection, extras: Extras::default() };
    let perspective = |yfov, near, far| camera(Projection::Perspective { yfov, aspect: None, near, far });
    let flat = |ymag, near, far| camera(Projection::Orthographic { xmag: ymag, ymag, near, far });
    let inside = at(0.0, 0.0, 0.0);
    let outside = at(0.0, 0.0, 5.0);
    let squashed = Transform::Matrix(Mat4::from_scale(Vec3::new(1.0, 0.0, 0.0)));
    let unusable = ["render/camera-unusable"];
    let cases: [(Camera, Transform, &[&str]); 10] = [
        (perspective(0.8, 0.1, Some(100.0)), outside, &[]),
        (perspective(0.8, 0.0, None), inside, &["render/camera-inside"]),
        (perspective(0.0, 0.1, None), outside, &unusable),
        (perspective(-1.0, 0.1, None), outside, &unusable),
        (perspective(9.0, 0.1, None), outside, &unusable),
        (perspective(0.8, 10.0, Some(1.0)), outside, &[]),
        (perspective(0.8, 0.1, None), squashed, &unusable),
        (flat(2.0, 0.0, 100.0), outside, &[]),
        (flat(0.0, 0.0, 100.0), outside, &unusable),
        (flat(2.0, -10.0, 100.0), inside, &["render/camera-inside"]),
    ];
    for (camera, transform, codes) in cases {
        let told = format!("{camera:?} {transform:?}");
        let mut scene = one(ball(2), at(0., 0., 0.));
        let id = scene.cameras.push(camera);
        let node = scene.nodes.push(Node { camera: Some(id), transform, ..Node::default() });
        scene.scenes[0].roots.push(node);
        let (found, _) = draw(&scene, &Shot { camera: CameraChoice::Model(id), ..small() });
        assert_eq!(found, codes, "{told}");
    }
    let scene = one(ball(1), at(0., 0., 0.));
    let stage = Stage::new(assert_scene(&scene));
    let missing = Shot { camera: CameraChoice::Model(Id::new(3)), ..small() };
    assert_eq!(stage.take(&missing).unwrap_err().code.id, "render/no-such-camera");
    let still = Shot { moment: Some((0, 1.0)), ..small() };
    assert_eq!(stage.take(&still).unwrap_err().code.id, "render/no-such-animation");
}

#[test]
fn sizes_have_limits() {
    let scene = one(square(), at(0., 0., 0.));
    let stage = Stage::new(assert_scene(&scene));
    for (width, height) in [(0, 10), (10, 0), (MAX_SIDE + 1, 1), (u32::MAX, u32::MAX)] {
        let error = stage.take(&Shot { width, height, ..small() }).unwrap_err();
        assert_eq!(error.code.id, "render/too-large");
    }
    for (width, height) in [(1, 1), (MAX_SIDE, 1), (1, MAX_SIDE), (65, 63)] {
        let taken = stage.take(&Shot { width, height, ..small() }).unwrap();
        assert_eq!((taken.picture.width(), taken.picture.height()), (width, height));
    }
}

/// Triangles that reach far beyond the picture are cut, and not one pixel of a floor that fills it is missing.
#[test]
fn a_floor_without_end_has_no_gaps() {
    let mut scene = Scene::default();
    let mut floor = square();
    floor.positions = [[-1., 0., 1.], [1., 0., 1.], [1., 0., -1.], [-1., 0., -1.]].to_vec();
    floor.normals = vec![[0.0, 1.0, 0.0]; 4];
    add(&mut scene, floor, metallic([1.0, 0.0, 0.0, 1.0], 0.0, 1.0), scaled(1e6));
    let camera = scene.cameras.push(Camera {
        name: String::new(),
        projection: Projection::Perspective { yfov: 1.0, aspect: None, near: 0.01, far: None },
        extras: Extras::default(),
    });
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let down = Transform::Trs {
        translation: Vec3::Y,
        rotation: Quat::from_xyzw(-half, 0.0, 0.0, half),
        scale: Vec3::ONE,
    };
    let node = scene.nodes.push(Node { camera: Some(camera), transform: down, ..Node::default() });
    scene.scenes[0].roots.push(node);
    let stage = Stage::new(assert_scene(&scene));
    let shot = Shot { width: 200, height: 150, camera: CameraChoice::Model(camera), ..small() };
    let picture = stage.take(&shot).unwrap().picture;
    assert!(picture.pixels().iter().all(|[r, g, b, a]| *r > 60 && *g < *r && *b < *r && *a == 255));
}

/// Thousands of layers over the whole picture are more than anybody means.
#[test]
fn too_many_layers_are_left_out_and_named() {
    let mut many = Primitive::default();
    let layers = 40_000u32;
    many.positions = square().positions;
    many.indices = (0..layers).flat_map(|_| [0, 1, 2]).collect();
    let scene = one(many, at(0., 0., 0.));
    has_too_many_layers(&scene);
}

/// The same where each layer is a drawable of its own.
#[test]
fn layers_of_many_nodes_are_as_many_layers() {
    let mut scene = one(square(), at(0., 0., 0.));
    let shown = scene.nodes.values().find(|node| node.mesh.is_some()).cloned().unwrap();
    for _ in 0..3_000 {
        let node = scene.nodes.push(shown.clone());
        scene.scenes[0].roots.push(node);
    }
    has_too_many_layers(&scene);
}

/// From the front, where the layers fill the picture, some are left out, which is said, and the others are drawn.
fn has_too_many_layers(scene: &Scene) {
    let shot = Shot {
        width: 256,
        height: 256,
        camera: CameraChoice::Framing(Side { azimuth: 0., elevation: 0. }),
        ..small()
    };
    let (codes, drawn) = draw(scene, &shot);
    assert_eq!(codes, ["render/overdraw"]);
    assert!(drawn);
}
