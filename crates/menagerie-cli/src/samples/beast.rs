//! A beast on four legs: one skin over many bones, three movements, and a face that can blink and be glad.

use std::f32::consts::TAU;
use std::sync::Arc;

use glam::{Mat4, Quat, Vec3};
use menagerie::scene::{
    Animation, Channel, Extras, Image, Interpolation, Material, Mesh, MetallicRoughness, MorphTarget, Node,
    NodeId, Primitive, Property, Scene, Shading, Skin, Texture, TextureRef,
};
use menagerie_render::{Picture, png};

use super::shapes::{Ring, append, ball, moved, on_circle, plain, show, tube};

/// The bones: name, the bone that it hangs on, and where it is in the model.
const BONES: [(&str, Option<usize>, Vec3); 19] = [
    ("hips", None, Vec3::new(0.0, 0.72, -0.38)),
    ("chest", Some(0), Vec3::new(0.0, 0.76, 0.18)),
    ("neck", Some(1), Vec3::new(0.0, 0.86, 0.42)),
    ("head", Some(2), Vec3::new(0.0, 1.12, 0.58)),
    ("tail", Some(0), Vec3::new(0.0, 0.80, -0.58)),
    ("tail_middle", Some(4), Vec3::new(0.0, 0.94, -0.82)),
    ("tail_tip", Some(5), Vec3::new(0.0, 1.16, -0.98)),
    ("thigh_left", Some(0), Vec3::new(0.17, 0.66, -0.40)),
    ("shin_left", Some(7), Vec3::new(0.18, 0.38, -0.34)),
    ("paw_back_left", Some(8), Vec3::new(0.18, 0.10, -0.42)),
    ("thigh_right", Some(0), Vec3::new(-0.17, 0.66, -0.40)),
    ("shin_right", Some(10), Vec3::new(-0.18, 0.38, -0.34)),
    ("paw_back_right", Some(11), Vec3::new(-0.18, 0.10, -0.42)),
    ("arm_left", Some(1), Vec3::new(0.15, 0.64, 0.22)),
    ("wrist_left", Some(13), Vec3::new(0.16, 0.36, 0.18)),
    ("paw_front_left", Some(14), Vec3::new(0.16, 0.10, 0.22)),
    ("arm_right", Some(1), Vec3::new(-0.15, 0.64, 0.22)),
    ("wrist_right", Some(16), Vec3::new(-0.16, 0.36, 0.18)),
    ("paw_front_right", Some(17), Vec3::new(-0.16, 0.10, 0.22)),
];

const HIPS: usize = 0;
const CHEST: usize = 1;
const NECK: usize = 2;
const HEAD: usize = 3;
const TAIL: [usize; 3] = [4, 5, 6];
/// The legs from the hip down, and when in a step each is lifted.
const LEGS: [([usize; 3], f32); 4] =
    [([7, 8, 9], 0.0), ([13, 14, 15], 0.25), ([10, 11, 12], 0.5), ([16, 17, 18], 0.75)];
const SIDES: u32 = 12;

pub(super) fn beast() -> Scene {
    let mut scene = Scene::default();
    let fur = fur(&mut scene);
    let eyes = scene.materials.push(plain("eyes", [0.02, 0.02, 0.03, 1.0]));
    let nose = scene.materials.push(plain("nose", [0.05, 0.03, 0.03, 1.0]));
    let bones = skeleton(&mut scene);
    let skin = scene.skins.push(Skin {
        name: "bones".to_owned(),
        joints: bones.clone(),
        inverse_binds: BONES.iter().map(|(_, _, at)| Mat4::from_translation(-*at)).collect(),
        skeleton: bones.first().copied(),
        ..Skin::default()
    });
    let body = Primitive { material: Some(fur), ..body() };
    let body = scene.meshes.push(Mesh { name: "body".to_owned(), primitives: vec![body], ..Mesh::default() });
    let parts = [(face(), fur), (eyes_of_face(), eyes), (nose_of_face(), nose)];
    let primitives: Vec<Primitive> =
        parts.into_iter().map(|(part, material)| Primitive { material: Some(material), ..part }).collect();
    let face = scene.meshes.push(Mesh {
        name: "face".to_owned(),
        primitives,
        weights: vec![0.0; 2],
        target_names: vec!["blink".to_owned(), "glad".to_owned()],
        ..Mesh::default()
    });
    let node = |name: &str, mesh| Node {
        name: name.to_owned(),
        mesh: Some(mesh),
        skin: Some(skin),
        ..Node::default()
    };
    let body = scene.nodes.push(node("body", body));
    let face = scene.nodes.push(node("face", face));
    scene.animations.push(walk(&bones));
    scene.animations.push(idle(&bones, face));
    scene.animations.push(pounce(&bones));
    show(&mut scene, vec![bones[HIPS], body, face]);
    scene
}

/// A picture of fur: stripes across the back, lighter at the belly.
fn fur(scene: &mut Scene) -> menagerie::scene::MaterialId {
    const SIZE: u32 = 64;
    let mut picture = Picture::new(SIZE, SIZE, [0, 0, 0, 255]).ok();
    if let Some(picture) = &mut picture {
        for (i, pixel) in (0..).zip(picture.pixels_mut()) {
            let (x, y) = (i % SIZE, i / SIZE);
            // Round the body the picture begins at its left side; a quarter further is the back.
            let from_back = ((x as f32 / SIZE as f32 - 0.25).abs()).min(1.25 - x as f32 / SIZE as f32);
            let stripe = (y / 5) % 2 == 0 && from_back < 0.17 + 0.03 * ((y % 7) as f32 / 7.0);
            let speckle = ((x * 7 + y * 13) % 11) as u8;
            let [r, g, b] = if stripe {
                [112, 58, 26]
            } else if from_back > 0.36 {
                [238, 220, 190]
            } else {
                [206, 128, 58]
            };
            *pixel = [r - speckle, g - speckle, b - speckle.min(20), 255];
        }
    }
    let data = picture.and_then(|picture| png(&picture).ok()).map(Arc::from);
    let image = scene.images.push(Image {
        name: "fur".to_owned(),
        uri: Some("fur.png".to_owned()),
        data,
        mime: Some("image/png".to_owned()),
        ..Image::default()
    });
    let texture = scene.textures.push(Texture { image: Some(image), ..Texture::default() });
    let shading = MetallicRoughness {
        base_color_texture: Some(TextureRef::new(texture)),
        metallic: 0.0,
        ..MetallicRoughness::default()
    };
    let shading = Shading::MetallicRoughness(shading);
    scene.materials.push(Material { name: "fur".to_owned(), shading, ..Material::default() })
}

fn skeleton(scene: &mut Scene) -> Vec<NodeId> {
    let bones: Vec<NodeId> = BONES
        .iter()
        .map(|(name, parent, at)| {
            let from = parent.map_or(Vec3::ZERO, |parent| BONES[parent].2);
            scene.nodes.push(Node {
                name: (*name).to_owned(),
                transform: moved(*at - from),
                ..Node::default()
            })
        })
        .collect();
    for (bone, (_, parent, _)) in bones.iter().zip(BONES) {
        if let Some(parent) = parent {
            scene.nodes[bones[parent]].children.push(*bone);
        }
    }
    bones
}

/// A ring of a limb: where, how wide and high, and the two bones that it hangs on with the part of the second.
struct Hung {
    middle: Vec3,
    half: [f32; 2],
    bones: [usize; 2],
    second: f32,
}

/// A limb: a tube whose rings hang on bones. The rings stand across `along`.
fn limb(rings: &[Hung], along: Vec3) -> Primitive {
    let across = if along.x.abs() > 0.9 { Vec3::Z } else { Vec3::X };
    let up = along.cross(across).normalize();
    let count = rings.len() as f32 - 1.0;
    let shape: Vec<Ring> = (0..)
        .zip(rings)
        .map(|(i, ring)| Ring {
            middle: ring.middle,
            across: across * ring.half[0],
            up: up * ring.half[1],
            along: i as f32 / count,
        })
        .collect();
    let mut primitive = tube(&shape, SIDES);
    let of_ring = |ring: &Hung| {
        let bones = ring.bones.map(|bone| bone as u16);
        std::iter::repeat_n((bones, ring.second), SIDES as usize + 1)
    };
    let hung: Vec<([u16; 2], f32)> = rings.iter().flat_map(of_ring).collect();
    primitive.joints = vec![hung.iter().map(|([a, b], _)| [*a, *b, 0, 0]).collect()];
    primitive.weights = vec![hung.iter().map(|(_, second)| [1.0 - second, *second, 0.0, 0.0]).collect()];
    for (joints, weights) in primitive.joints[0].iter_mut().zip(&primitive.weights[0]) {
        // A bone without a part is none.
        if weights[1] == 0.0 {
            joints[1] = 0;
        }
        if weights[0] == 0.0 {
            joints[0] = 0;
        }
    }
    primitive
}

fn body() -> Primitive {
    let ring = |y: f32, z: f32, half: [f32; 2], bones: [usize; 2], second: f32| Hung {
        middle: Vec3::new(0.0, y, z),
        half,
        bones,
        second,
    };
    let mut body = limb(
        &[
            ring(0.74, -0.66, [0.0, 0.0], [HIPS, CHEST], 0.0),
            ring(0.74, -0.64, [0.10, 0.11], [HIPS, CHEST], 0.0),
            ring(0.72, -0.54, [0.19, 0.20], [HIPS, CHEST], 0.0),
            ring(0.71, -0.36, [0.23, 0.23], [HIPS, CHEST], 0.0),
            ring(0.71, -0.16, [0.22, 0.23], [HIPS, CHEST], 0.35),
            ring(0.72, 0.04, [0.23, 0.25], [HIPS, CHEST], 0.75),
            ring(0.74, 0.22, [0.22, 0.25], [CHEST, NECK], 0.0),
            ring(0.80, 0.36, [0.17, 0.20], [CHEST, NECK], 0.35),
            ring(0.90, 0.46, [0.125, 0.15], [CHEST, NECK], 0.75),
            ring(1.00, 0.52, [0.11, 0.13], [NECK, HEAD], 0.2),
            ring(1.08, 0.55, [0.10, 0.11], [NECK, HEAD], 0.7),
            ring(1.10, 0.56, [0.0, 0.0], [NECK, HEAD], 1.0),
        ],
        Vec3::Z,
    );
    append(&mut body, tail());
    for (bones, _) in LEGS {
        append(&mut body, leg(bones));
    }
    body
}

fn tail() -> Primitive {
    let [root, middle, tip] = TAIL;
    let at = |y: f32, z: f32, half: f32, bones: [usize; 2], second: f32| Hung {
        middle: Vec3::new(0.0, y, z),
        half: [half, half],
        bones,
        second,
    };
    limb(
        &[
            at(1.34, -1.02, 0.0, [middle, tip], 1.0),
            at(1.31, -1.01, 0.035, [middle, tip], 1.0),
            at(1.20, -0.99, 0.055, [middle, tip], 0.8),
            at(1.06, -0.93, 0.06, [middle, tip], 0.3),
            at(0.94, -0.83, 0.06, [root, middle], 0.6),
            at(0.84, -0.70, 0.065, [root, middle], 0.1),
            at(0.78, -0.56, 0.07, [HIPS, root], 0.4),
            at(0.76, -0.50, 0.0, [HIPS, root], 0.0),
        ],
        Vec3::new(0.0, -0.6, 0.8).normalize(),
    )
}

fn leg([upper, lower, paw]: [usize; 3]) -> Primitive {
    let (hip, knee, ankle) = (BONES[upper].2, BONES[lower].2, BONES[paw].2);
    let on = |from: Vec3, to: Vec3, part: f32| from + (to - from) * part;
    let foot = ankle + Vec3::new(0.0, -0.05, 0.05);
    let ring =
        |middle: Vec3, half: [f32; 2], bones: [usize; 2], second: f32| Hung { middle, half, bones, second };
    limb(
        &[
            ring(hip + Vec3::Y * 0.10, [0.0, 0.0], [BONES[upper].1.unwrap_or(HIPS), upper], 0.3),
            ring(hip + Vec3::Y * 0.07, [0.07, 0.10], [BONES[upper].1.unwrap_or(HIPS), upper], 0.5),
            ring(hip, [0.10, 0.14], [upper, lower], 0.0),
            ring(on(hip, knee, 0.5), [0.085, 0.115], [upper, lower], 0.05),
            ring(knee, [0.065, 0.075], [upper, lower], 0.5),
            ring(on(knee, ankle, 0.5), [0.052, 0.058], [lower, paw], 0.0),
            ring(ankle, [0.052, 0.058], [lower, paw], 0.5),
            ring(foot, [0.07, 0.10], [lower, paw], 1.0),
            ring(foot - Vec3::Y * 0.04, [0.07, 0.11], [lower, paw], 1.0),
            ring(foot - Vec3::Y * 0.05, [0.0, 0.0], [lower, paw], 1.0),
        ],
        -Vec3::Y,
    )
}

/// Hangs a part of the face on the head alone.
fn on_head(mut part: Primitive) -> Primitive {
    let count = part.positions.len();
    part.joints = vec![vec![[HEAD as u16, 0, 0, 0]; count]];
    part.weights = vec![vec![[1.0, 0.0, 0.0, 0.0]; count]];
    part
}

const SKULL: Vec3 = Vec3::new(0.0, 1.16, 0.62);
const EYE: Vec3 = Vec3::new(0.088, 1.215, 0.755);

fn face() -> Primitive {
    let mut face = ball(SKULL, Vec3::new(0.155, 0.145, 0.17), 16);
    append(&mut face, ball(Vec3::new(0.0, 1.10, 0.80), Vec3::new(0.075, 0.065, 0.11), 12));
    for side in [1.0, -1.0] {
        append(&mut face, ear(side));
    }
    let mut face = on_head(face);
    let glad = |at: Vec3| {
        // The corners of the mouth and the ears go up, the cheeks out.
        let mouth = if at.z > 0.76 && at.y < 1.10 {
            Vec3::new(at.x * 0.25, at.x.abs() * 0.45, 0.0)
        } else {
            Vec3::ZERO
        };
        let ears = if at.y > 1.30 { Vec3::new(at.x * 0.12, 0.035, 0.015) } else { Vec3::ZERO };
        mouth + ears
    };
    face.targets = vec![target(&face, |_| Vec3::ZERO), target(&face, glad)];
    face
}

fn ear(side: f32) -> Primitive {
    let root = SKULL + Vec3::new(0.095 * side, 0.10, -0.02);
    let tip = root + Vec3::new(0.045 * side, 0.16, -0.01);
    let rings: Vec<Ring> = [(0.0, 0.0), (0.04, 1.0), (0.45, 0.72), (0.85, 0.26), (1.0, 0.0)]
        .iter()
        .map(|(along, width)| Ring {
            middle: root + (tip - root) * *along,
            across: Vec3::X * 0.062 * *width,
            up: Vec3::NEG_Z * 0.03 * *width,
            along: *along,
        })
        .collect();
    tube(&rings, 10)
}

fn eyes_of_face() -> Primitive {
    let mut eyes = ball(EYE, Vec3::new(0.026, 0.032, 0.024), 10);
    append(&mut eyes, ball(EYE * Vec3::new(-1.0, 1.0, 1.0), Vec3::new(0.026, 0.032, 0.024), 10));
    let mut eyes = on_head(eyes);
    // A closed eye is flat.
    let blink = |at: Vec3| Vec3::Y * (EYE.y - 0.006 - at.y) * 0.92;
    let glad = |at: Vec3| Vec3::Y * (EYE.y + 0.01 - at.y) * 0.35;
    eyes.targets = vec![target(&eyes, blink), target(&eyes, glad)];
    eyes
}

fn nose_of_face() -> Primitive {
    let mut nose = on_head(ball(Vec3::new(0.0, 1.125, 0.905), Vec3::new(0.03, 0.022, 0.02), 8));
    nose.targets = vec![target(&nose, |_| Vec3::ZERO), target(&nose, |_| Vec3::Y * 0.008)];
    nose
}

fn target(part: &Primitive, moves: impl Fn(Vec3) -> Vec3) -> MorphTarget {
    let positions = part.positions.iter().map(|at| moves(Vec3::from_array(*at)).to_array()).collect();
    MorphTarget { positions, ..MorphTarget::default() }
}

/// Keys of a movement that repeats: so many over its time, the last like the first.
fn keys(seconds: f32, count: usize) -> Vec<f32> {
    (0..=count).map(|key| seconds * key as f32 / count as f32).collect()
}

fn turns(node: NodeId, times: &[f32], turn: impl Fn(f32) -> Quat) -> Channel {
    let last = times.last().copied().unwrap_or(1.0);
    Channel {
        node,
        property: Property::Rotation,
        interpolation: Interpolation::Linear,
        times: times.to_vec(),
        values: times.iter().flat_map(|time| turn(time / last).to_array()).collect(),
        extras: Extras::default(),
    }
}

fn moves(node: NodeId, at: Vec3, times: &[f32], offset: impl Fn(f32) -> Vec3) -> Channel {
    let last = times.last().copied().unwrap_or(1.0);
    let values = times.iter().flat_map(|time| (at + offset(time / last)).to_array()).collect();
    Channel { property: Property::Translation, values, ..turns(node, times, |_| Quat::IDENTITY) }
}

/// A sine over a part of a round, the same on every machine.
fn wave(part: f32) -> f32 {
    on_circle(part * TAU).y
}

fn walk(bones: &[NodeId]) -> Animation {
    let times = keys(1.0, 16);
    let mut channels = vec![
        moves(bones[HIPS], BONES[HIPS].2, &times, |part| Vec3::Y * 0.018 * wave(2.0 * part)),
        turns(bones[CHEST], &times, |part| Quat::from_rotation_y(0.05 * wave(part))),
        turns(bones[HEAD], &times, |part| Quat::from_rotation_x(0.06 * wave(2.0 * part + 0.2))),
    ];
    for (i, bone) in TAIL.iter().enumerate() {
        channels.push(turns(bones[*bone], &times, move |part| {
            Quat::from_rotation_y(0.16 * wave(part - 0.12 * i as f32))
        }));
    }
    for ([upper, lower, paw], start) in LEGS {
        // Forward fast in the air, back slowly on the ground.
        let swing = move |part: f32| wave(part + start);
        let lift = move |part: f32| wave(part + start + 0.25).max(0.0);
        channels.push(turns(bones[upper], &times, move |part| Quat::from_rotation_x(-0.42 * swing(part))));
        channels.push(turns(bones[lower], &times, move |part| Quat::from_rotation_x(0.75 * lift(part))));
        channels.push(turns(bones[paw], &times, move |part| {
            Quat::from_rotation_x(-0.35 * lift(part) + 0.25 * swing(part))
        }));
    }
    Animation { name: "walk".to_owned(), channels, ..Animation::default() }
}

fn idle(bones: &[NodeId], face: NodeId) -> Animation {
    let times = keys(4.0, 32);
    let mut channels = vec![
        turns(bones[CHEST], &times, |part| Quat::from_rotation_x(0.025 * wave(2.0 * part))),
        turns(bones[NECK], &times, |part| Quat::from_rotation_y(0.3 * wave(part))),
        turns(bones[HEAD], &times, |part| Quat::from_rotation_z(0.14 * wave(part + 0.1))),
    ];
    for (i, bone) in TAIL.iter().enumerate() {
        channels.push(turns(bones[*bone], &times, move |part| {
            Quat::from_rotation_y(0.3 * wave(2.0 * part - 0.1 * i as f32))
        }));
    }
    let times = [0.0, 1.0, 1.1, 1.2, 1.3, 2.6, 3.2, 3.8, 4.0];
    let weights = [
        [0.0, 0.0],
        [0.0, 0.0],
        [1.0, 0.0],
        [1.0, 0.0],
        [0.0, 0.0],
        [0.0, 0.0],
        [0.0, 1.0],
        [0.0, 0.2],
        [0.0, 0.0],
    ];
    channels.push(Channel {
        property: Property::Weights,
        values: weights.concat(),
        ..turns(face, &times, |_| Quat::IDENTITY)
    });
    Animation { name: "idle".to_owned(), channels, ..Animation::default() }
}

fn pounce(bones: &[NodeId]) -> Animation {
    let times = keys(1.5, 18);
    // Down, up and forward, and back again.
    let down = |part: f32| if part < 0.35 { wave(part / 0.7).max(0.0) } else { 0.0 };
    let flight =
        |part: f32| if (0.35..0.85).contains(&part) { wave((part - 0.35) / 1.0).max(0.0) } else { 0.0 };
    let mut channels = vec![
        moves(bones[HIPS], BONES[HIPS].2, &times, move |part| {
            Vec3::Y * (0.5 * flight(part) - 0.16 * down(part))
        }),
        turns(bones[HIPS], &times, move |part| Quat::from_rotation_x(0.16 * down(part) - 0.3 * flight(part))),
        turns(bones[HEAD], &times, move |part| {
            Quat::from_rotation_x(-0.3 * down(part) + 0.25 * flight(part))
        }),
    ];
    for ([upper, lower, paw], _) in LEGS {
        let back = if upper < 13 { 1.0 } else { -1.0 };
        channels.push(turns(bones[upper], &times, move |part| {
            Quat::from_rotation_x(-0.55 * down(part) + 0.7 * back * flight(part))
        }));
        channels.push(turns(bones[lower], &times, move |part| {
            Quat::from_rotation_x(1.05 * down(part) + 0.3 * flight(part))
        }));
        channels.push(turns(bones[paw], &times, move |part| Quat::from_rotation_x(-0.6 * down(part))));
    }
    Animation { name: "pounce".to_owned(), channels, ..Animation::default() }
}
