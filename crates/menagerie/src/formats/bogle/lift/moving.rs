//! Skeletons that were made for nodes that move become animated nodes again.

use std::collections::BTreeSet;

use glam::{Mat4, Quat, Vec3};

use super::Lifter;
use super::skeleton::{armature_place, clip_tracks};
use crate::formats::bogle::added::MOVING_NODE;
use crate::formats::bogle::frame::Frame;
use crate::formats::bogle::joints::Joints;
use crate::formats::bogle::model::{Instance, named};
use crate::scene::{
    Animation, Channel, Extras, Interpolation, Node, NodeId, Property, Scene, Transform, parents,
    transform_distance,
};

/// A node whose skeleton only says how it moves.
pub(super) struct Moving {
    pub(super) node: NodeId,
    pub(super) collection: usize,
}

/// How far a node may be from where its skeleton has it.
const SAME: f32 = 1e-4;

impl Lifter<'_> {
    /// Whether the skeleton of an instance was made for a node that moves. Then the node's transform is such that it can
    /// be animated, and the skeleton is left out.
    pub(super) fn moves_alone(&mut self, id: NodeId, frame: Frame, instance: &Instance) -> bool {
        let Some(collection) = named(&self.model.collections, instance.collection).filter(|_| self.folds)
        else {
            return false;
        };
        let index = instance.collection as usize - 1;
        let made = collection.name == MOVING_NODE.as_bytes() && collection.bones.len() == 2;
        if !made || self.joints_of(index) != Joints::Doubled {
            return false;
        }
        let Some(node) = self.scene.nodes.get_mut(id) else { return false };
        let Some(rest) = super::skeleton::first_rest(collection) else { return false };
        let (local, (rotation, translation)) = (node.transform.matrix(), rest);
        let rigid = Mat4::from_rotation_translation(rotation, translation);
        let (_, turned, scale, _) = Transform::Matrix(rigid.inverse() * local).to_trs();
        let meant = Transform::Trs { translation, rotation, scale };
        let size = local.to_cols_array().into_iter().fold(1.0f32, |most, x| most.max(x.abs()));
        let in_place = transform_distance(&meant.matrix(), &local) <= SAME * size;
        let skeleton = local * armature_place(collection, frame);
        let fits = transform_distance(&skeleton, &Mat4::IDENTITY) <= SAME * size;
        if !in_place || !fits || !turned.is_finite() || !scale.is_finite() {
            return false;
        }
        node.transform = meant;
        self.moving.push(Moving { node: id, collection: index });
        true
    }

    /// The movement of the nodes whose skeleton was left out.
    pub(super) fn moving_nodes(&mut self) {
        let mut done: BTreeSet<NodeId> = BTreeSet::new();
        let parents = parents(&self.scene);
        // Those above come first, because their movement is in that of what hangs on them.
        let mut moving = std::mem::take(&mut self.moving);
        moving.sort_by_key(|moving| above(&parents, moving.node).count());
        for Moving { node, collection } in moving {
            let chain: Vec<NodeId> = above(&parents, node).collect();
            let carried = chain.iter().any(|id| done.contains(id));
            let Some(stored) = self.model.collections.get(collection) else { continue };
            for (number, animation) in stored.animations.iter().enumerate() {
                let Some(at) = self.clip(collection, number) else { continue };
                let Some(clip) = self.scene.animations.get(at) else { continue };
                let mut channels = clip_tracks(stored, animation, node);
                if carried {
                    channels = without_what_is_above(&self.scene, clip, &chain, node, &channels);
                }
                if let Some(clip) = self.scene.animations.get_mut(at) {
                    clip.channels.extend(channels);
                }
            }
            done.insert(node);
        }
        self.strip_joints(&done);
    }

    /// Meshes of nodes without skeleton hang on no joint.
    fn strip_joints(&mut self, nodes: &BTreeSet<NodeId>) {
        for id in nodes {
            let Some(mesh) = self.scene.nodes.get(*id).and_then(|node| node.mesh) else { continue };
            let uses = |node: &Node| node.mesh == Some(mesh) && node.skin.is_some();
            let shared = self.scene.nodes.values().any(uses);
            let Some(stored) = self.scene.meshes.get_mut(mesh) else { continue };
            let mut plain = stored.clone();
            for primitive in &mut plain.primitives {
                primitive.joints.clear();
                primitive.weights.clear();
            }
            if shared {
                let plain = self.scene.meshes.push(plain);
                if let Some(node) = self.scene.nodes.get_mut(*id) {
                    node.mesh = Some(plain);
                }
            } else {
                *stored = plain;
            }
        }
    }
}

/// The nodes above a node, from the nearest on.
fn above(parents: &[Option<NodeId>], node: NodeId) -> impl Iterator<Item = NodeId> {
    let parent = |id: NodeId| parents.get(id.index()).copied().flatten();
    std::iter::successors(parent(node), move |id| parent(*id))
}

/// The movement of a node below nodes that move: what is left of it when theirs is taken away.
fn without_what_is_above(
    scene: &Scene,
    clip: &Animation,
    chain: &[NodeId],
    node: NodeId,
    channels: &[Channel],
) -> Vec<Channel> {
    let Some(times) = channels.first().map(|channel| channel.times.clone()) else { return Vec::new() };
    let rest_of = |id: NodeId| scene.nodes.get(id).map(|node| node.transform).unwrap_or_default();
    let world = |seconds: Option<f32>| {
        chain.iter().fold(Mat4::IDENTITY, |below, id| {
            let rest = rest_of(*id);
            let own = clip.channels.iter().filter(|channel| channel.node == *id);
            let local =
                seconds.map_or(rest, |seconds| own.fold(rest, |now, channel| at(&now, channel, seconds)));
            local.matrix() * below
        })
    };
    let rest_above = world(None);
    let rest = rest_of(node);
    let (rest_translation, rest_rotation, scale, _) = rest.to_trs();
    let mut translations = Vec::new();
    let mut rotations = Vec::new();
    let mut still = true;
    let mut before = rest_rotation;
    for seconds in &times {
        let moved = channels.iter().fold(rest, |now, channel| at(&now, channel, *seconds)).matrix();
        let local = world(Some(*seconds)).inverse() * rest_above * moved;
        let (translation, rotation, _, _) = Transform::Matrix(local).to_trs();
        let sound = local.is_finite() && rotation.is_finite() && rotation.length() > 0.5;
        // What a scale of zero left of it is where it rests.
        let (translation, rotation) =
            if sound { (translation, rotation.normalize()) } else { (rest_translation, rest_rotation) };
        let rotation = if rotation.dot(before) < 0.0 { -rotation } else { rotation };
        before = rotation;
        let size = rest_translation.length().max(scale.abs().max_element()).max(1e-6);
        still &=
            translation.distance(rest_translation) <= SAME * size && rotation.dot(rest_rotation) > 1.0 - 1e-6;
        translations.extend(translation.to_array());
        rotations.extend(rotation.to_array());
    }
    if still {
        return Vec::new();
    }
    let channel = |property, values| Channel {
        node,
        property,
        interpolation: Interpolation::Linear,
        times: times.clone(),
        values,
        extras: Extras::default(),
    };
    vec![channel(Property::Rotation, rotations), channel(Property::Translation, translations)]
}

/// A transform with what a channel says at a time.
fn at(rest: &Transform, channel: &Channel, seconds: f32) -> Transform {
    let (mut translation, mut rotation, scale, _) = rest.to_trs();
    match (channel.property, channel.sample(seconds).as_deref()) {
        (Property::Translation, Some(&[x, y, z])) => translation = Vec3::new(x, y, z),
        (Property::Rotation, Some(&[x, y, z, w])) => rotation = Quat::from_xyzw(x, y, z, w),
        _ => {}
    }
    Transform::Trs { translation, rotation, scale }
}
