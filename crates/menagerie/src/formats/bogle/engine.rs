//! What the original engine does with a file, from what was found by running it (engines.md, BOGLE E1 to E17).
//!
//! The engine's own formulas are here, in our words: its order of bones, its pose, its culling and its light. They serve
//! [`check_engine`], which warns of what the engine does otherwise than the document says, and [`lift_as_engine`], the
//! Scene that players see.

use glam::{DMat3, DMat4, DQuat, DVec3, Mat4};
use zerocopy::little_endian::F32;

use super::codes;
use super::geometry::BoneEncoding;
use super::joints::{self, Joints};
use super::lift::{Skeleton, Skeletons, lift_with_skeletons, rising};
use super::model::{Collection, Key, Model, is_affine, named};
use super::notes::{AnimationNote, Note as _};
use crate::bytes::Limits;
use crate::diag::Issues;
use crate::formats::engine::{pose_errors, turn_mirrored_faces};
use crate::formats::{Lifted, ReadOptions};
use crate::scene::{Channel, Extras, Interpolation, NodeId, Property, Scene, Shading, Transform, Turn};

/// How far off a pose may be, as a part of the model's diagonal. What is right is off by 3e-5, what is wrong by 0.005
/// and more.
const POSE_TOLERANCE: f32 = 2e-3;
/// Moments between two keys at which a pose is computed: the engine's joints do not move along straight lines.
const BETWEEN: usize = 256;
/// Moments of one animation at most.
const MOMENTS: usize = 4096;

/// Bones whose order is worked out; far more than the engine has room for.
const MOST_BONES: usize = 1 << 16;

/// Finds what the engine does with a file that the document does not say.
pub fn check_engine(model: &Model, limits: &Limits, issues: &mut Issues) {
    bone_order(model, issues);
    bone_indices(model, issues);
    key_times(model, issues);
    poses(model, limits, issues);
    instances(model, issues);
}

/// The engine's order of bones (E4): it goes over the table again and again and takes every bone whose parent was taken,
/// also those that it has, until there are as many entries as bones. `None` where it never ends.
fn order(collection: &Collection) -> Option<Vec<usize>> {
    let count = collection.bones.len();
    if count > MOST_BONES {
        return Some((0..count).collect());
    }
    let mut taken = vec![false; count];
    let mut order = Vec::with_capacity(count);
    while order.len() < count {
        let before = order.len();
        for (bone, stored) in collection.bones.iter().enumerate() {
            let parent = (stored.parent.get() as usize).checked_sub(1);
            let ready = parent.is_none_or(|parent| taken.get(parent) == Some(&true));
            if ready && order.len() < count {
                order.push(bone);
                if let Some(taken) = taken.get_mut(bone) {
                    *taken = true;
                }
            }
        }
        if order.len() == before {
            return None;
        }
    }
    Some(order)
}

fn bone_order(model: &Model, issues: &mut Issues) {
    for (i, collection) in model.collections.iter().enumerate() {
        let bones = collection.bones.len();
        let path = format!("animation_collections[{i}].bones");
        match order(collection) {
            None => issues.report(&codes::ENGINE_BONE_ORDER, || {
                (path, "no bone is a root: the engine never finishes to order them".to_owned())
            }),
            Some(order) => {
                let mut taken = vec![false; bones];
                order.iter().filter_map(|bone| taken.get_mut(*bone).map(|taken| *taken = true)).count();
                let lost: Vec<usize> = (0..bones).filter(|bone| taken.get(*bone) == Some(&false)).collect();
                if let Some(first) = lost.first() {
                    issues.report(&codes::ENGINE_BONE_ORDER, || {
                        let message = format!(
                            "children come before their parents: the engine never computes {} of {bones} bones, this one first",
                            lost.len()
                        );
                        (format!("{path}[{first}].parent"), message)
                    });
                }
            }
        }
    }
}

/// Bone indices that are not floats (E11).
fn bone_indices(model: &Model, issues: &mut Issues) {
    for (i, geometry) in model.geometries.iter().enumerate() {
        if geometry.bone_encoding() != Some(BoneEncoding::Integer) {
            continue;
        }
        let vertex =
            geometry.vertices.iter().position(|vertex| vertex.bones.iter().any(|bone| bone.get() != 0));
        issues.report(&codes::ENGINE_BONE_INDEX, || {
            let path = format!("geometries[{i}].vertices[{}].bones", vertex.unwrap_or(0));
            (
                path,
                "bones are named by whole numbers, which the engine reads as floats: all are bone 0"
                    .to_owned(),
            )
        });
    }
}

/// Animations that do not begin at time zero, or have one key only (E8).
fn key_times(model: &Model, issues: &mut Issues) {
    for (i, collection) in model.collections.iter().enumerate() {
        for (j, animation) in collection.animations.iter().enumerate() {
            let path = format!("animation_collections[{i}].animations[{j}].keys[0].time");
            match animation.keys.as_slice() {
                [] => {}
                [_] => issues.report(&codes::ENGINE_KEY_TIME, || {
                    (path, "this is the only key: the engine shows the bind pose".to_owned())
                }),
                [first, ..] if first.time > 0.0 => issues.report(&codes::ENGINE_KEY_TIME, || {
                    let message = format!(
                        "the first key is at {} s: until then the engine shows whatever was drawn before",
                        first.time
                    );
                    (path, message)
                }),
                _ => {}
            }
        }
    }
}

/// Poses that are off (E5 to E7), measured.
fn poses(model: &Model, limits: &Limits, issues: &mut Issues) {
    let moves = |collection: &Collection| collection.animations.iter().any(|a| a.keys.len() > 1);
    if !model.collections.iter().any(moves) {
        return;
    }
    let options = ReadOptions { limits: limits.clone(), ..ReadOptions::default() };
    let document = lift_with_skeletons(model, &options).scene.scene;
    let engine = lift_as_engine(model, &options).scene;
    for error in pose_errors(&document, &engine) {
        let Some(animation) = error.animation.and_then(|index| document.animations.get(index)) else {
            continue;
        };
        if error.error <= POSE_TOLERANCE {
            continue;
        }
        let note = AnimationNote::of(&animation.extras);
        issues.report(&codes::ENGINE_POSE, || {
            let path =
                format!("animation_collections[{}].animations[{}]", note.collection.unwrap_or(0), note.animation.unwrap_or(0));
            let message = format!(
                "at {:.3} s the engine has a vertex {:.1} % of the model's size away from where the document has it",
                error.seconds,
                error.error * 100.0
            );
            (path, message)
        });
    }
}

/// Mirrored objects (E12), no camera (E14), no light (E15).
fn instances(model: &Model, issues: &mut Issues) {
    let Ok(tree) = model.parsed_tree() else { return };
    let mut worlds: Vec<DMat4> = Vec::with_capacity(tree.places.len());
    let mut lit = false;
    let mut draws = false;
    for place in &tree.places {
        let Some(instance) = model.instances.get(place.instance) else { continue };
        let own = if is_affine(&instance.matrix) {
            Mat4::from_cols_array(&instance.matrix).as_dmat4()
        } else {
            DMat4::IDENTITY
        };
        let above = place.parent.and_then(|parent| worlds.get(parent).copied()).unwrap_or(DMat4::IDENTITY);
        let world = above * own;
        worlds.push(world);
        lit |= instance.light != 0;
        let shown = named(&model.geometries, instance.geometry).is_some_and(|g| !g.indices.is_empty());
        draws |= shown;
        if shown && DMat3::from_mat4(world).determinant() < 0.0 {
            issues.report(&codes::ENGINE_MIRRORED, || {
                let message = "the object is mirrored: the engine draws the inside of its faces";
                (format!("instances[{}].matrix", place.instance), message.to_owned())
            });
        }
    }
    if draws && model.main_camera().is_none() {
        issues.report(&codes::ENGINE_CAMERA, || {
            ("header.camera_count".to_owned(), "no object of the tree has a main camera".to_owned())
        });
    }
    let [r, g, b, _] = model.ambient;
    let glows = model.materials.iter().any(|material| {
        let [r, g, b, _] = material.emissive;
        r > 0.0 || g > 0.0 || b > 0.0
    });
    if draws && !lit && !glows && r <= 0.0 && g <= 0.0 && b <= 0.0 {
        issues.report(&codes::ENGINE_DARK, || {
            ("ambient".to_owned(), "there is no light, and the ambient colour is black".to_owned())
        });
    }
}

/// The Scene that the engine shows: the nodes and meshes of `lift` in the same order, joints flat below their armature
/// where the engine's formula has them, mirrored objects with their faces turned over, and its light where that is none.
pub fn lift_as_engine(model: &Model, options: &ReadOptions<'_>) -> Lifted {
    let Skeletons { scene: mut lifted, skeletons, clips } = lift_with_skeletons(model, options);
    let kinds = joints::of_collections(model);
    let scene = &mut lifted.scene;
    // Joints times moments.
    let mut budget = options.limits.steps;
    let mut tracks: Vec<Vec<Channel>> = vec![Vec::new(); scene.animations.len()];
    for skeleton in &skeletons {
        let Some(collection) = model.collections.get(skeleton.collection) else { continue };
        let kind = kinds.get(skeleton.collection).copied().unwrap_or(Joints::Plain);
        let posed = Posed::new(collection, kind);
        posed.rest_in(scene, skeleton);
        for (clip, tracks) in clips.iter().zip(&mut tracks) {
            let own = clip.iter().filter(|(index, _)| *index == skeleton.collection);
            let stored = own.filter_map(|(_, number)| collection.animations.get(*number));
            for stored in stored.filter(|stored| stored.keys.len() > 1) {
                tracks.extend(posed.channels(&rising(stored), skeleton, &mut budget));
            }
        }
    }
    for (animation, tracks) in scene.animations.iter_mut().zip(tracks) {
        animation.channels = tracks;
    }
    // Back faces are culled and nobody looks whether a matrix mirrors (E12).
    turn_mirrored_faces(scene);
    light(model, scene);
    lifted
}

/// A collection as the engine poses it, in the space of the skeleton.
struct Posed<'a> {
    collection: &'a Collection,
    kind: Joints,
    order: Vec<usize>,
    /// The first root in the engine's order: the one that offsets move.
    first_root: Option<usize>,
}

impl<'a> Posed<'a> {
    fn new(collection: &'a Collection, kind: Joints) -> Self {
        let order = order(collection).unwrap_or_default();
        let is_root = |bone: &&usize| collection.bones.get(**bone).is_some_and(|bone| bone.parent.get() == 0);
        let first_root = order.iter().find(is_root).copied();
        Self { collection, kind, order, first_root }
    }

    /// Where the bones are: `W(parent) · R(rest · key) · T(place)` (E5), with the offset added to the place of the first
    /// root (E6). Bones that the engine never computes are nowhere.
    fn worlds(&self, key: &dyn Fn(usize) -> DQuat, offset: DVec3) -> Vec<Option<DMat4>> {
        let mut worlds: Vec<Option<DMat4>> = vec![None; self.collection.bones.len()];
        for bone in &self.order {
            let Some(stored) = self.collection.bones.get(*bone) else { continue };
            let parent = (stored.parent.get() as usize).checked_sub(1);
            let above = parent.and_then(|parent| worlds.get(parent).copied().flatten());
            let moved = if self.first_root == Some(*bone) { offset } else { DVec3::ZERO };
            let place = DVec3::from_array(stored.position.map(number)) + moved;
            let turn = rotation_matrix(quaternion(stored.rotation) * key(*bone));
            let own = DMat4::from_mat3(turn) * DMat4::from_translation(place);
            if let Some(world) = worlds.get_mut(*bone) {
                *world = Some(above.unwrap_or(DMat4::IDENTITY) * own);
            }
        }
        worlds
    }

    fn joint(&self, worlds: &[Option<DMat4>], joint: usize) -> Option<DMat4> {
        worlds.get(self.kind.turn(joint)).copied().flatten()
    }

    /// Hangs the joints flat below their armature at the engine's rest, and binds the skins there.
    fn rest_in(&self, scene: &mut Scene, skeleton: &Skeleton) {
        let worlds = self.worlds(&|_| DQuat::IDENTITY, DVec3::ZERO);
        let joints: std::collections::BTreeSet<NodeId> = skeleton.joints.iter().copied().collect();
        let is_joint = |id: &NodeId| joints.contains(id);
        for id in skeleton.joints.iter().chain([&skeleton.armature]) {
            if let Some(node) = scene.nodes.get_mut(*id) {
                node.children.retain(|child| !is_joint(child));
            }
        }
        if let Some(armature) = scene.nodes.get_mut(skeleton.armature) {
            armature.children.extend(&skeleton.joints);
        }
        let rests: Vec<Transform> = (0..skeleton.joints.len())
            .map(|joint| self.joint(&worlds, joint).map_or(Transform::IDENTITY, |world| transform(&world)))
            .collect();
        for (id, rest) in skeleton.joints.iter().zip(&rests) {
            if let Some(node) = scene.nodes.get_mut(*id) {
                node.transform = *rest;
            }
        }
        let mesh_from_skeleton = Turn::ZUpToYUp.matrix(Mat4::from_cols_array(&self.collection.transform));
        for skin in scene.skins.values_mut().filter(|skin| skin.skeleton == Some(skeleton.armature)) {
            for (inverse, rest) in skin.inverse_binds.iter_mut().zip(&rests) {
                let bound = (mesh_from_skeleton.as_dmat4() * rest.matrix().as_dmat4()).inverse().as_mat4();
                let affine = Mat4::from_cols(
                    bound.x_axis.truncate().extend(0.0),
                    bound.y_axis.truncate().extend(0.0),
                    bound.z_axis.truncate().extend(0.0),
                    bound.w_axis.truncate().extend(1.0),
                );
                if affine.is_finite() {
                    *inverse = affine;
                }
            }
        }
    }

    /// The movement of all joints, sampled.
    fn channels(
        &self,
        keys: &(Vec<f32>, Vec<&Key>),
        skeleton: &Skeleton,
        budget: &mut usize,
    ) -> Vec<Channel> {
        let (times, keys) = keys;
        let joints = skeleton.joints.len().max(1);
        let between = (MOMENTS / keys.len().max(1)).clamp(1, BETWEEN);
        let moments = keys.len().saturating_mul(between);
        let Some(left) = budget.checked_sub(moments.saturating_mul(joints)) else { return Vec::new() };
        *budget = left;
        let mut at = Vec::with_capacity(moments);
        let mut poses: Vec<Vec<Option<DMat4>>> = Vec::with_capacity(moments);
        let pairs = times.iter().zip(keys.iter()).zip(times.iter().zip(keys.iter()).skip(1));
        for ((from, a), (to, b)) in pairs {
            for step in 0..between {
                let part = step as f32 / between as f32;
                let time = from + (to - from) * part;
                // Between keys that are next to each other there is no time.
                if step > 0 && time >= *to {
                    break;
                }
                at.push(time);
                poses.push(self.between(a, b, f64::from(part)));
            }
        }
        if let (Some(time), Some(last)) = (times.last(), keys.last()) {
            at.push(*time);
            poses.push(self.between(last, last, 0.0));
        }
        rise(&mut at, &mut poses);
        let mut channels = Vec::new();
        for (joint, node) in skeleton.joints.iter().enumerate() {
            let transforms: Option<Vec<Transform>> =
                poses.iter().map(|pose| self.joint(pose, joint).map(|world| transform(&world))).collect();
            // Bones that the engine never computes stay where they are.
            let Some(transforms) = transforms else { continue };
            channels.extend(channels_of(*node, &at, &transforms));
        }
        channels
    }

    /// Between two keys: rotations by the shorter arc, their lengths as they are, offsets straight (E7, E8).
    fn between(&self, a: &Key, b: &Key, part: f64) -> Vec<Option<DMat4>> {
        let key = |bone: usize| {
            let value = |key: &Key| key.rotations.get(bone).map_or(DQuat::IDENTITY, |turn| quaternion(*turn));
            slerp(value(a), value(b), part)
        };
        let offset = |key: &Key| DVec3::from_array(key.root_offset.map(|x| number(x.into())));
        self.worlds(&key, offset(a).lerp(offset(b), part))
    }
}

/// Times that do not rise, because keys are closer than floats can say, are left out.
fn rise(times: &mut Vec<f32>, poses: &mut Vec<Vec<Option<DMat4>>>) {
    let mut before = f32::NEG_INFINITY;
    let rises: Vec<bool> = times
        .iter()
        .map(|time| {
            let rises = *time > before;
            before = before.max(*time);
            rises
        })
        .collect();
    let mut keep = rises.iter();
    times.retain(|_| keep.next() == Some(&true));
    let mut keep = rises.iter();
    poses.retain(|_| keep.next() == Some(&true));
}

fn channels_of(node: NodeId, times: &[f32], transforms: &[Transform]) -> [Channel; 2] {
    let (mut places, mut turns) = (Vec::new(), Vec::new());
    let mut before: Option<glam::Quat> = None;
    for transform in transforms {
        let (place, turn, _, _) = transform.to_trs();
        let turn = if before.is_some_and(|before| before.dot(turn) < 0.0) { -turn } else { turn };
        before = Some(turn);
        places.extend(place.to_array());
        turns.extend(turn.to_array());
    }
    [(Property::Translation, places), (Property::Rotation, turns)].map(|(property, values)| Channel {
        node,
        property,
        interpolation: Interpolation::Linear,
        times: times.to_vec(),
        values,
        extras: Extras::default(),
    })
}

fn number(value: F32) -> f64 {
    let value = value.get();
    if value.is_finite() { f64::from(value) } else { 0.0 }
}

fn quaternion(values: [F32; 4]) -> DQuat {
    DQuat::from_array(values.map(number))
}

/// The engine's matrix of a rotation: with 2/|q| where 2/|q|² would be right (E7).
fn rotation_matrix(q: DQuat) -> DMat3 {
    let length = q.length();
    if length == 0.0 {
        return DMat3::IDENTITY;
    }
    DMat3::IDENTITY * (1.0 - length) + DMat3::from_quat(q / length) * length
}

/// The shorter arc between two rotations that need not be of unit length.
fn slerp(a: DQuat, b: DQuat, part: f64) -> DQuat {
    let (long_a, long_b) = (a.length(), b.length());
    if long_a == 0.0 || long_b == 0.0 {
        return a.lerp(b, part);
    }
    let (unit_a, unit_b) = (a / long_a, b / long_b);
    let unit_b = if unit_a.dot(unit_b) < 0.0 { -unit_b } else { unit_b };
    unit_a.slerp(unit_b, part) * (long_a + (long_b - long_a) * part)
}

/// A place of the file's skeleton space as a transform of the Scene.
fn transform(world: &DMat4) -> Transform {
    let matrix = Turn::ZUpToYUp.matrix(world.as_mat4());
    if !matrix.is_finite() {
        return Transform::IDENTITY;
    }
    let (translation, rotation, _, _) = Transform::Matrix(matrix).to_trs();
    Transform::Trs { translation, rotation, scale: glam::Vec3::ONE }
}

/// The engine's light (E15): `emissive + diffuse · (lights + ambient of the material · ambient of the scene)`. Where no
/// light shines only the ambient is left; specular counts above an exponent of one (E16).
fn light(model: &Model, scene: &mut Scene) {
    let shines = scene.nodes.values().any(|node| node.light.is_some());
    let [r, g, b, _] = model.ambient.map(|x| if x.is_finite() { x } else { 0.0 });
    for material in scene.materials.values_mut() {
        material.double_sided = false;
        let Shading::Phong(phong) = &mut material.shading else { continue };
        if phong.shininess <= 1.0 {
            phong.specular = [0.0; 3];
        }
        if !shines && !material.unlit {
            let ([x, y, z, alpha], [ar, ag, ab]) = (phong.diffuse, phong.ambient);
            phong.diffuse = [x * ar * r, y * ag * g, z * ab * b, alpha];
            material.unlit = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::bogle::model::Bone;

    fn collection(parents: &[u32]) -> Collection {
        let bone = |parent: &u32| Bone { parent: (*parent).into(), ..Bone::default() };
        Collection { bones: parents.iter().map(bone).collect(), ..Collection::default() }
    }

    #[test]
    fn bones_are_ordered_as_the_engine_does() {
        for (parents, expected) in [
            (&[0, 1, 2][..], Some(vec![0, 1, 2])),
            // The seven bones of bogle.md A29: two are lost.
            (&[3, 1, 6, 5, 6, 0, 6], Some(vec![5, 6, 2, 4, 5, 6, 0])),
            (&[2, 1], None),
            (&[], Some(vec![])),
        ] {
            assert_eq!(order(&collection(parents)), expected, "{parents:?}");
        }
    }

    #[test]
    fn the_matrix_of_a_short_rotation_is_the_engines() {
        // x = sin 45° · l, w = cos 45° · l with l = 0.9: the element for z of y is 2/l · x · w = l.
        let q = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2) * 0.9;
        let m = rotation_matrix(q);
        assert!((m.y_axis.z - 0.9).abs() < 1e-12 && (m.y_axis.y - 0.1).abs() < 1e-12);
        assert!((rotation_matrix(DQuat::from_rotation_x(1.0)).y_axis.y - 1.0f64.cos()).abs() < 1e-12);
    }
}
