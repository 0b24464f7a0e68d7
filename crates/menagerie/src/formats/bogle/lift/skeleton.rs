//! Animation collections: bones become joints, and their keys the channels of nodes.

use glam::{DMat4, DQuat, DVec3, Mat4, Quat, Vec3};
use zerocopy::little_endian::F32;

use super::look::still;
use super::{Lifter, affine, finite, placed};
use crate::diag::Issue;
use crate::formats::bogle::codes;
use crate::formats::bogle::frame::Frame;
use crate::formats::bogle::joints::Joints;
use crate::formats::bogle::model::{Animation, Bone, Collection, Instance, Key, named};
use crate::formats::bogle::notes::{AnimationNote, NodeNote, Note as _, read_name};
use crate::scene::{
    self, Channel, Extras, Interpolation, Node, NodeId, Property, Skin, SkinId, Transform, Turn,
};

/// Bytes that a bone's node takes, about.
const NODE_BYTES: usize = 2048;
/// Bytes that the channels of one bone in an animation take beside their keys, and the note of an animation that moves nothing.
const CHANNEL_BYTES: usize = 512;
const STILL_BYTES: usize = 1024;
/// How often the name of a collection is in a copy of it: at the armature and at the skins of what it moves.
const NAMES: usize = 4;
/// Bytes that a key of one bone takes.
const KEY_BYTES: usize = 20;

/// How many seconds after a single key it is written again.
pub(in crate::formats::bogle) const REPEATED_AFTER: f32 = 1.0 / 60.0;

/// A copy of a collection in the Scene.
pub(in crate::formats::bogle) struct Skeleton {
    /// Which collection.
    pub(in crate::formats::bogle) collection: usize,
    /// The node that holds the roots.
    pub(in crate::formats::bogle) armature: NodeId,
    /// For each joint its node.
    pub(in crate::formats::bogle) joints: Vec<NodeId>,
}

impl Lifter<'_> {
    /// The skeleton of an instance, as nodes below it. The first copy of a collection is always made, further ones as
    /// long as they are in proportion.
    pub(super) fn skeleton_of(&mut self, id: NodeId, frame: Frame, instance: &Instance) -> Option<usize> {
        let collection = named(&self.model.collections, instance.collection)?;
        let index = instance.collection as usize - 1;
        let cost = cost(collection);
        let first = self.copies.get(index).is_none_or(Vec::is_empty);
        let affordable = self.afford(cost);
        if !first && !affordable {
            self.issues.push(Issue::new(
                &codes::SKELETON_COPIES,
                format!("animation_collections[{index}]"),
                "too many instances use it; some of them stay at rest",
            ));
            return None;
        }
        let skeleton = self.skeleton(index, collection, frame);
        if let Some(node) = self.scene.nodes.get_mut(id) {
            node.children.push(skeleton.armature);
        }
        Some(self.add(index, skeleton))
    }

    fn add(&mut self, collection: usize, skeleton: Skeleton) -> usize {
        let copy = self.skeletons.len();
        self.skeletons.push(skeleton);
        if let Some(copies) = self.copies.get_mut(collection) {
            copies.push(copy);
        }
        copy
    }

    /// Collections that no instance uses hang nowhere.
    pub(super) fn unused_collections(&mut self) {
        for (index, collection) in self.model.collections.iter().enumerate() {
            let moves_a_node = self.moving.iter().any(|moving| moving.collection == index);
            if self.copies.get(index).is_none_or(Vec::is_empty) && !moves_a_node {
                let skeleton = self.skeleton(index, collection, Frame::Turned);
                self.add(index, skeleton);
            }
        }
    }

    fn skeleton(&mut self, index: usize, collection: &Collection, parent: Frame) -> Skeleton {
        let (name, name_bytes) = read_name(&collection.name);
        let stills = collection.animations.iter().enumerate().filter(|(_, a)| !moves(collection, a));
        let stills: Vec<_> = stills.map(|(i, animation)| still(i, animation)).collect();
        let kind = self.joints_of(index);
        let mut extras = Extras::default();
        let note = NodeNote {
            name_bytes,
            collection: Some(index),
            doubled: kind == Joints::Doubled,
            still_animations: stills,
            ..NodeNote::default()
        };
        note.keep(&mut extras);
        let transform = Frame::Turned.to_scene(parent, affine(&collection.transform));
        let armature =
            self.scene.nodes.push(Node { name, transform: placed(transform), extras, ..Node::default() });
        self.origins.node(armature.index(), || format!("animation_collections[{index}]"));
        let rests = rests(collection, kind);
        let joints: Vec<NodeId> = rests
            .iter()
            .enumerate()
            .map(|(i, rest)| {
                let mut node = Node { name: format!("bone {i}"), ..Node::default() };
                node.transform = rest_transform(rest);
                NodeNote { bone: Some(i), ..NodeNote::default() }.keep(&mut node.extras);
                let id = self.scene.nodes.push(node);
                // A doubled skeleton has two joints for each bone.
                let bone = if kind == Joints::Doubled { i / 2 } else { i };
                self.origins.node(id.index(), || format!("animation_collections[{index}].bones[{bone}]"));
                id
            })
            .collect();
        for (joint, rest) in joints.iter().zip(&rests) {
            let parent = rest.parent.and_then(|parent| joints.get(parent).copied()).unwrap_or(armature);
            if let Some(parent) = self.scene.nodes.get_mut(parent) {
                parent.children.push(*joint);
            }
        }
        Skeleton { collection: index, armature, joints }
    }

    /// Which bones the joints of a collection are.
    pub(super) fn joints_of(&self, collection: usize) -> Joints {
        self.joints.get(collection).copied().unwrap_or(Joints::Plain)
    }

    /// The skin of a node that a skeleton moves. With `missing` there is one joint more, for bones that do not exist.
    pub(super) fn skin(&mut self, id: NodeId, skeleton: usize, missing: Option<u32>) -> Option<SkinId> {
        let Skeleton { collection: index, armature, joints } = self.skeletons.get(skeleton)?;
        let (index, armature) = (*index, *armature);
        let mut joints = joints.clone();
        let collection = self.model.collections.get(index)?;
        let Some(mut inverse_binds) = inverse_binds(collection, self.joints_of(index)) else {
            self.issues.push(Issue::new(
                &codes::SKELETON_TRANSFORM,
                format!("animation_collections[{index}].transform"),
                "the transform cannot be inverted; the mesh is not skinned",
            ));
            return None;
        };
        if let Some(limit) = missing {
            let limit = self.joints_of(index).count(limit as usize);
            joints.truncate(limit);
            inverse_binds.truncate(limit);
            let mut node = Node { name: "missing bone".to_owned(), ..Node::default() };
            NodeNote { missing_bone: true, ..NodeNote::default() }.keep(&mut node.extras);
            let node = self.scene.nodes.push(node);
            self.scene.nodes.get_mut(id)?.children.push(node);
            joints.push(node);
            inverse_binds.push(Mat4::IDENTITY);
        }
        let name = self.scene.nodes.get(armature)?.name.clone();
        let skeleton = Some(armature);
        Some(self.scene.skins.push(Skin { name, joints, inverse_binds, skeleton, extras: Extras::default() }))
    }

    /// One animation of the Scene for each of a collection, which moves all copies of its skeleton.
    pub(super) fn animations(&mut self) {
        for (index, collection) in self.model.collections.iter().enumerate() {
            for (number, animation) in collection.animations.iter().enumerate() {
                if !moves(collection, animation) {
                    continue;
                }
                let mut extras = Extras::default();
                let (name, name_bytes) = read_name(&animation.name);
                let repeated_key = is_repeated(animation);
                let (collection_number, number) = (Some(index), Some(number));
                AnimationNote { name_bytes, collection: collection_number, animation: number, repeated_key }
                    .keep(&mut extras);
                let single;
                let animation = if repeated_key {
                    single = Animation {
                        keys: animation.keys.iter().take(1).cloned().collect(),
                        ..animation.clone()
                    };
                    &single
                } else {
                    animation
                };
                let tracks = tracks(collection, animation, self.joints_of(index));
                let copies = self.copies.get(index).into_iter().flatten();
                let copies = copies.filter_map(|copy| self.skeletons.get(*copy));
                let channels: Vec<Channel> =
                    copies.flat_map(|skeleton| channels(&tracks, &skeleton.joints)).collect();
                let clip = (index, number.unwrap_or_default());
                let at = self.goes_with(index, collection, clip.1);
                let whole =
                    at.and_then(|at| Some((self.scene.animations.get_mut(at)?, self.clips.get_mut(at)?)));
                match whole {
                    Some((whole, clips)) => {
                        whole.channels.extend(channels);
                        clips.push(clip);
                    }
                    None => {
                        let place = self.scene.animations.len();
                        self.origins.animation(place, || {
                            format!("animation_collections[{index}].animations[{}]", clip.1)
                        });
                        self.scene.animations.push(scene::Animation { name, channels, extras });
                        self.clips.push(vec![clip]);
                    }
                }
            }
        }
    }

    /// The animation of the Scene that one of a collection is.
    pub(super) fn clip(&self, collection: usize, animation: usize) -> Option<usize> {
        self.clips.iter().position(|clip| clip.contains(&(collection, animation)))
    }

    /// An animation moves one skeleton in BOGLE. What menagerie wrote, which its joints of two bones tell, may be one of
    /// several skeletons: those of the same name, in their order, and where they have none of the same length.
    fn goes_with(&self, index: usize, collection: &Collection, number: usize) -> Option<usize> {
        if self.joints_of(index) != Joints::Doubled {
            return None;
        }
        let end = |animation: &Animation| animation.keys.last().map(|key| key.time);
        let key = |collection: &Collection, number: usize| {
            let animation = collection.animations.get(number)?;
            let before =
                collection.animations.iter().take(number).filter(|a| a.name == animation.name).count();
            let length = if animation.name.is_empty() { end(animation) } else { None };
            Some((animation.name.clone(), before, length.map(f32::to_bits)))
        };
        let own = key(collection, number);
        self.clips.iter().position(|clip| {
            let others = clip.iter().filter(|(other, _)| self.joints_of(*other) == Joints::Doubled);
            let mut others =
                others.filter_map(|(other, number)| Some((self.model.collections.get(*other)?, *number)));
            let own_collection = clip.iter().any(|(other, _)| *other == index);
            !own_collection && others.any(|(other, number)| key(other, number) == own)
        })
    }
}

/// The rest of the first joint of a collection, in the Scene's axes.
pub(super) fn first_rest(collection: &Collection) -> Option<(Quat, Vec3)> {
    let rest = rests(collection, Joints::Doubled).into_iter().next()?;
    Some((turned_rotation(rest.turn), turned(rest.at)))
}

/// Where a collection is in the space of the node that it moves.
pub(super) fn armature_place(collection: &Collection, frame: Frame) -> Mat4 {
    Frame::Turned.to_scene(frame, affine(&collection.transform))
}

/// The movement of the only joint of a collection as that of a node.
pub(super) fn clip_tracks(collection: &Collection, animation: &Animation, node: NodeId) -> Vec<Channel> {
    let single;
    let animation = if is_repeated(animation) {
        single = Animation { keys: animation.keys.iter().take(1).cloned().collect(), ..animation.clone() };
        &single
    } else {
        animation
    };
    channels(&tracks(collection, animation, Joints::Doubled), &[node])
}

/// Whether an animation has keys and bones to move.
fn moves(collection: &Collection, animation: &Animation) -> bool {
    !collection.bones.is_empty() && !animation.keys.is_empty()
}

/// Whether an animation is a single pose that was written twice for the engine.
fn is_repeated(animation: &Animation) -> bool {
    matches!(animation.keys.as_slice(), [a, b] if a.time == 0.0
        && b.time == REPEATED_AFTER
        && (&a.rotations, a.root_offset) == (&b.rotations, b.root_offset))
}

/// What a copy of a collection takes, about.
fn cost(collection: &Collection) -> usize {
    let keys: usize = collection.animations.iter().map(|animation| animation.keys.len()).sum();
    let moving = collection.animations.iter().filter(|animation| moves(collection, animation)).count();
    let still = collection.animations.len() - moving;
    let per_bone = keys
        .saturating_mul(KEY_BYTES)
        .saturating_add(moving.saturating_mul(CHANNEL_BYTES))
        .saturating_add(NODE_BYTES);
    collection
        .bones
        .len()
        .saturating_mul(per_bone)
        .saturating_add(still.saturating_mul(STILL_BYTES))
        .saturating_add(collection.name.len().saturating_mul(NAMES))
        .saturating_add(NODE_BYTES)
}

/// A rotation of the file, normalised; none for what has no length.
fn rotation(values: [F32; 4]) -> DQuat {
    let [x, y, z, w] = values.map(|x| f64::from(finite(x.get())));
    let q = DQuat::from_xyzw(x, y, z, w);
    if q.length_squared() > 0.0 { q.normalize() } else { DQuat::IDENTITY }
}

fn position(values: [F32; 3]) -> DVec3 {
    DVec3::from_array(values.map(|x| f64::from(finite(x.get()))))
}

/// A joint at rest in its parent.
struct Rest {
    turn: DQuat,
    at: DVec3,
    /// The joint above it.
    parent: Option<usize>,
    /// The frame that a root is moved in.
    moved_in: DQuat,
}

/// All joints of a collection at rest.
fn rests(collection: &Collection, kind: Joints) -> Vec<Rest> {
    let parents = collection.parents();
    let count = kind.count(collection.bones.len());
    let joint = |joint: usize| {
        let (place, turn) = (kind.place(joint), kind.turn(joint));
        let (turn, at) = (collection.bones.get(turn)?, collection.bones.get(place)?);
        let parent = parents.get(place).copied().flatten();
        let of_turn = rotation(turn.rotation);
        // What a place bone turns by is nothing.
        let of_place = if kind == Joints::Doubled { DQuat::IDENTITY } else { of_turn };
        let at = rest_place(at, of_place, parent.is_none());
        Some(Rest { turn: of_turn, at, parent: parent.map(|bone| kind.of_bone(bone)), moved_in: of_place })
    };
    (0..count).filter_map(joint).collect()
}

/// Where a bone is in its parent. A child is moved in its own turned frame (R·T), a root is not (T·R): that is how the
/// exporter stores what Blender has.
fn rest_place(bone: &Bone, turn: DQuat, root: bool) -> DVec3 {
    let p = position(bone.position);
    if root { p } else { turn * p }
}

fn rest_transform(rest: &Rest) -> Transform {
    Transform::Trs { translation: turned(rest.at), rotation: turned_rotation(rest.turn), scale: Vec3::ONE }
}

fn turned(v: DVec3) -> Vec3 {
    Turn::ZUpToYUp.vec3(v.as_vec3())
}

fn turned_rotation(q: DQuat) -> Quat {
    Turn::ZUpToYUp.quat(q.as_quat())
}

/// For each joint, from the mesh's space to the joint's at rest; `None` when the skeleton's transform is singular.
fn inverse_binds(collection: &Collection, kind: Joints) -> Option<Vec<Mat4>> {
    let transform = affine(&collection.transform).as_dmat4();
    let rests = rests(collection, kind);
    let mut to_mesh = vec![transform; rests.len()];
    let order = collection.parents_first();
    for index in order.into_iter().filter(|bone| kind.place(kind.of_bone(*bone)) == *bone) {
        let index = kind.of_bone(index);
        let rest = rests.get(index)?;
        let above = rest.parent.and_then(|parent| to_mesh.get(parent).copied()).unwrap_or(transform);
        *to_mesh.get_mut(index)? = above * DMat4::from_rotation_translation(rest.turn, rest.at);
    }
    let scale = transform.to_cols_array().iter().fold(0.0f64, |most, x| most.max(x.abs()));
    if transform.determinant().abs() <= 1e-12 * scale.powi(3) {
        return None;
    }
    let inverses = to_mesh.into_iter().map(|matrix| {
        let mut inverse = matrix.inverse().as_mat4();
        // An affine matrix has an affine inverse; rounding must not spoil that.
        inverse.x_axis.w = 0.0;
        inverse.y_axis.w = 0.0;
        inverse.z_axis.w = 0.0;
        inverse.w_axis.w = 1.0;
        Turn::ZUpToYUp.matrix(inverse)
    });
    let inverses: Vec<Mat4> = inverses.collect();
    inverses.iter().all(|matrix| matrix.is_finite()).then_some(inverses)
}

/// The movement of one bone.
struct Track {
    bone: usize,
    property: Property,
    times: Vec<f32>,
    values: Vec<f32>,
}

/// The keys of an animation in the order of time, with times that rise: the exporter's do already.
pub(in crate::formats::bogle) fn rising(animation: &Animation) -> (Vec<f32>, Vec<&Key>) {
    let mut keys: Vec<&Key> = animation.keys.iter().filter(|key| key.time.is_finite()).collect();
    if keys.windows(2).any(|pair| matches!(pair, [a, b] if a.time > b.time)) {
        keys.sort_by(|a, b| a.time.total_cmp(&b.time));
    }
    let mut times = Vec::with_capacity(keys.len());
    let mut before = f32::NEG_INFINITY;
    keys.retain(|key| {
        let time = if key.time > before { key.time } else { before.next_up() };
        if time.is_finite() {
            times.push(time);
            before = time;
        }
        time.is_finite()
    });
    (times, keys)
}

/// The movement of every bone: a key turns it from its rest in its own frame, and the root is moved in that frame
/// before. Only the first root is: the engine knows no other.
fn tracks(collection: &Collection, animation: &Animation, kind: Joints) -> Vec<Track> {
    let (times, keys) = rising(animation);
    let rests = rests(collection, kind);
    let first_root = rests.iter().position(|rest| rest.parent.is_none());
    let mut tracks = Vec::new();
    for (index, Rest { turn: q, at: p, moved_in, .. }) in rests.into_iter().enumerate() {
        let mut before = None;
        let turn = |key: &&Key| {
            let key = key.rotations.get(kind.turn(index)).copied().map_or(DQuat::IDENTITY, rotation);
            // The same rotation has two signs; the nearer one makes readers turn the short way.
            let now = (q * key).normalize();
            let now = if before.is_some_and(|before: DQuat| before.dot(now) < 0.0) { -now } else { now };
            before = Some(now);
            turned_rotation(now).to_array()
        };
        let values = keys.iter().flat_map(turn).collect();
        tracks.push(Track { bone: index, property: Property::Rotation, times: times.clone(), values });
        let moved = keys.iter().any(|key| key.root_offset != [0.0; 3]);
        if first_root == Some(index) && moved {
            let offset = |key: &&Key| {
                let offset = DVec3::from_array(key.root_offset.map(|x| f64::from(finite(x))));
                turned(p + moved_in * offset).to_array()
            };
            let values = keys.iter().flat_map(offset).collect();
            tracks.push(Track { bone: index, property: Property::Translation, times: times.clone(), values });
        }
    }
    tracks
}

fn channels(tracks: &[Track], bones: &[NodeId]) -> Vec<Channel> {
    let channel = |track: &Track| {
        Some(Channel {
            node: bones.get(track.bone).copied()?,
            property: track.property,
            interpolation: Interpolation::Linear,
            times: track.times.clone(),
            values: track.values.clone(),
            extras: Extras::default(),
        })
    };
    tracks.iter().filter_map(channel).collect()
}
