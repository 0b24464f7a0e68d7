//! A room in the evening: furniture that stands on furniture, two cameras, three lights.

use std::sync::Arc;

use glam::{Quat, Vec3};
use menagerie::scene::{
    Camera, Extras, Light, LightKind, Material, MaterialId, Node, NodeId, Primitive, Projection, Scene,
    Transform,
};
use menagerie_render::{Picture, png};

use super::PLANKS;
use super::chair::chair_node;
use super::shapes::{append, ball, cuboid, mesh_node, moved, painted, plain, show};

pub(super) fn room() -> Scene {
    let mut scene = Scene::default();
    let wood = painted(&mut scene, "planks", "planks", Arc::from(PLANKS));
    let tiles = tiles().unwrap_or_default();
    let tiles = painted(&mut scene, "tiles", "tiles", Arc::from(tiles));
    let plaster = scene.materials.push(plain("plaster", [0.78, 0.70, 0.58, 1.0]));
    let clay = scene.materials.push(plain("clay", [0.55, 0.2, 0.1, 1.0]));
    let leaves = scene.materials.push(plain("leaves", [0.1, 0.35, 0.08, 1.0]));
    let glow =
        scene.materials.push(Material { emissive: [1.0, 0.75, 0.35], ..plain("glow", [1.0, 0.9, 0.7, 1.0]) });
    let room = scene.nodes.push(Node { name: "room".to_owned(), ..Node::default() });
    let floor = floor(tiles);
    let floor = mesh_node(&mut scene, "floor", floor);
    let walls = walls(plaster);
    let walls = mesh_node(&mut scene, "walls", walls);
    let table = table(&mut scene, wood);
    let lamp = lamp(&mut scene, clay, glow);
    let plant = plant(&mut scene, clay, leaves);
    scene.nodes[lamp].transform = moved(Vec3::new(-0.35, 0.76, 0.1));
    scene.nodes[plant].transform = moved(Vec3::new(0.4, 0.76, -0.1));
    scene.nodes[table].children = vec![lamp, plant];
    scene.nodes[table].transform = moved(Vec3::new(0.0, 0.0, -0.5));
    let chairs: Vec<NodeId> = [(0.0, 0.35, std::f32::consts::PI), (-1.15, -0.6, 1.3)]
        .iter()
        .zip(["chair_front", "chair_side"])
        .map(|((x, z, turn), name)| {
            let chair = chair_node(&mut scene, name, wood, false);
            let rotation = Quat::from_rotation_y(*turn);
            scene.nodes[chair].transform =
                Transform::Trs { translation: Vec3::new(*x, 0.0, *z), rotation, scale: Vec3::ONE };
            chair
        })
        .collect();
    let sun = light_node(&mut scene, "evening", LightKind::Directional, [1.0, 0.6, 0.4], 0.8);
    scene.nodes[sun].transform = Transform::Trs {
        translation: Vec3::new(2.5, 3.0, 3.0),
        rotation: Quat::from_rotation_y(0.6) * Quat::from_rotation_x(-0.7),
        scale: Vec3::ONE,
    };
    let cameras = [
        camera(&mut scene, "door", Vec3::new(1.6, 1.5, 2.9), Vec3::new(0.0, 0.75, -0.4)),
        camera(&mut scene, "table", Vec3::new(-0.9, 1.35, 0.9), Vec3::new(0.1, 0.85, -0.5)),
    ];
    scene.nodes[room].children = [floor, walls, table].into_iter().chain(chairs).collect();
    let roots = [room, sun].into_iter().chain(cameras).collect();
    show(&mut scene, roots);
    scene
}

/// A picture of tiles in two colours with joints between them.
fn tiles() -> Option<Vec<u8>> {
    const SIZE: u32 = 32;
    let mut picture = Picture::new(SIZE, SIZE, [0, 0, 0, 255]).ok()?;
    for (i, pixel) in (0..).zip(picture.pixels_mut()) {
        let (x, y) = (i % SIZE, i / SIZE);
        let joint = x % 16 == 0 || y % 16 == 0;
        let dark = (x / 16 + y / 16) % 2 == 0;
        let shade = ((x * 5 + y * 3) % 7) as u8 * 2;
        *pixel = match (joint, dark) {
            (true, _) => [70, 62, 56, 255],
            (false, true) => [96 + shade, 60 + shade, 48 + shade, 255],
            (false, false) => [176 + shade, 148 + shade, 120 + shade, 255],
        };
    }
    png(&picture).ok()
}

/// A floor whose picture repeats.
fn floor(material: MaterialId) -> Primitive {
    let mut floor = cuboid(Vec3::new(0.0, -0.05, 0.0), Vec3::new(2.5, 0.05, 2.0));
    for uv in floor.uvs.iter_mut().flatten() {
        *uv = uv.map(|part| part * 4.0);
    }
    floor.material = Some(material);
    floor
}

/// Two walls, so that one can look into the room.
fn walls(material: MaterialId) -> Primitive {
    let mut walls = cuboid(Vec3::new(0.0, 1.2, -2.05), Vec3::new(2.6, 1.3, 0.05));
    append(&mut walls, cuboid(Vec3::new(-2.55, 1.2, 0.0), Vec3::new(0.05, 1.3, 2.0)));
    walls.material = Some(material);
    walls
}

fn table(scene: &mut Scene, wood: MaterialId) -> NodeId {
    let mut table = cuboid(Vec3::new(0.0, 0.73, 0.0), Vec3::new(0.7, 0.03, 0.4));
    for (x, z) in [(-0.62, -0.32), (0.62, -0.32), (-0.62, 0.32), (0.62, 0.32)] {
        append(&mut table, cuboid(Vec3::new(x, 0.35, z), Vec3::new(0.035, 0.35, 0.035)));
    }
    table.material = Some(wood);
    mesh_node(scene, "table", table)
}

fn lamp(scene: &mut Scene, clay: MaterialId, glow: MaterialId) -> NodeId {
    let mut foot = cuboid(Vec3::new(0.0, 0.02, 0.0), Vec3::new(0.07, 0.02, 0.07));
    append(&mut foot, cuboid(Vec3::new(0.0, 0.16, 0.0), Vec3::new(0.012, 0.14, 0.012)));
    foot.material = Some(clay);
    let lamp = mesh_node(scene, "lamp", foot);
    let bulb = Primitive { material: Some(glow), ..ball(Vec3::ZERO, Vec3::splat(0.07), 12) };
    let bulb = mesh_node(scene, "bulb", bulb);
    scene.nodes[bulb].transform = moved(Vec3::Y * 0.36);
    let light = light_node(scene, "lamplight", LightKind::Point, [1.0, 0.72, 0.4], 12.0);
    scene.nodes[bulb].children = vec![light];
    scene.nodes[lamp].children = vec![bulb];
    lamp
}

fn plant(scene: &mut Scene, clay: MaterialId, leaves: MaterialId) -> NodeId {
    let pot = Primitive { material: Some(clay), ..cuboid(Vec3::Y * 0.07, Vec3::new(0.07, 0.07, 0.07)) };
    let pot = mesh_node(scene, "pot", pot);
    let mut green = ball(Vec3::new(0.0, 0.24, 0.0), Vec3::new(0.11, 0.12, 0.11), 10);
    append(&mut green, ball(Vec3::new(0.07, 0.34, 0.03), Vec3::splat(0.07), 8));
    append(&mut green, ball(Vec3::new(-0.06, 0.35, -0.02), Vec3::splat(0.06), 8));
    green.material = Some(leaves);
    let green = mesh_node(scene, "leaves", green);
    scene.nodes[pot].children = vec![green];
    pot
}

fn light_node(scene: &mut Scene, name: &str, kind: LightKind, color: [f32; 3], intensity: f32) -> NodeId {
    let light = scene.lights.push(Light {
        name: name.to_owned(),
        kind,
        color,
        intensity,
        range: None,
        attenuation: None,
        extras: Extras::default(),
    });
    scene.nodes.push(Node { name: name.to_owned(), light: Some(light), ..Node::default() })
}

/// A camera at a place that looks at another.
fn camera(scene: &mut Scene, name: &str, from: Vec3, to: Vec3) -> NodeId {
    let camera = scene.cameras.push(Camera {
        name: name.to_owned(),
        projection: Projection::Perspective { yfov: 0.75, aspect: Some(1.5), near: 0.05, far: Some(50.0) },
        extras: Extras::default(),
    });
    let back = (from - to).normalize();
    let right = Vec3::Y.cross(back).normalize();
    let rotation = Quat::from_mat3(&glam::Mat3::from_cols(right, back.cross(right), back)).normalize();
    let transform = Transform::Trs { translation: from, rotation, scale: Vec3::ONE };
    scene.nodes.push(Node { name: name.to_owned(), camera: Some(camera), transform, ..Node::default() })
}
