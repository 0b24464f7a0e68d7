//! A chair of turned wood, with coarser ones that stand in for it from far away.

use std::sync::Arc;

use glam::Vec3;
use menagerie::scene::{Lod, MaterialId, NodeId, Primitive, Scene};

use super::PLANKS;
use super::shapes::{Ring, append, cuboid, mesh_node, painted, show, tube};

/// Sides of the round parts of each level, and from which distance it is shown.
const LEVELS: [(u32, Option<f32>); 3] = [(16, None), (8, Some(6.0)), (4, Some(15.0))];

pub(super) fn chair() -> Scene {
    let mut scene = Scene::default();
    let wood = painted(&mut scene, "wood", "planks", Arc::from(PLANKS));
    let chair = chair_node(&mut scene, "chair", wood, true);
    show(&mut scene, vec![chair]);
    scene
}

/// A chair that looks along +Z, with its levels of detail or without.
pub(super) fn chair_node(scene: &mut Scene, name: &str, wood: MaterialId, levels: bool) -> NodeId {
    let [finest, coarser @ ..] = LEVELS;
    let node = mesh_node(scene, name, shape(finest.0, wood));
    for (number, (sides, distance)) in (1..).zip(coarser).filter(|_| levels) {
        let stand_in = mesh_node(scene, &format!("{name}_{number}"), shape(sides, wood));
        scene.nodes[node].lods.push(Lod { node: stand_in, distance });
    }
    node
}

fn shape(sides: u32, wood: MaterialId) -> Primitive {
    let mut chair = cuboid(Vec3::new(0.0, 0.45, 0.0), Vec3::new(0.22, 0.02, 0.22));
    append(&mut chair, cuboid(Vec3::new(0.0, 0.88, -0.2), Vec3::new(0.2, 0.06, 0.012)));
    append(&mut chair, cuboid(Vec3::new(0.0, 0.68, -0.2), Vec3::new(0.2, 0.03, 0.012)));
    for x in [-0.19, 0.19] {
        append(&mut chair, post(Vec3::new(x, 0.0, 0.18), 0.43, sides));
        append(&mut chair, post(Vec3::new(x, 0.0, -0.2), 0.98, sides));
    }
    chair.material = Some(wood);
    chair
}

/// A leg that is turned: thin at its ends, thick where it meets the seat.
fn post(foot: Vec3, height: f32, sides: u32) -> Primitive {
    let profile = [
        (0.0, 0.0),
        (0.0, 0.6),
        (0.06, 1.0),
        (0.12, 0.75),
        (0.42, 1.1),
        (0.5, 0.8),
        (0.58, 1.1),
        (0.94, 0.8),
        (1.0, 0.6),
        (1.0, 0.0),
    ];
    let rings: Vec<Ring> = profile
        .iter()
        .map(|(along, width)| Ring {
            middle: foot + Vec3::Y * height * *along,
            across: Vec3::X * 0.022 * *width,
            up: Vec3::NEG_Z * 0.022 * *width,
            along: *along,
        })
        .collect();
    tube(&rings, sides)
}
