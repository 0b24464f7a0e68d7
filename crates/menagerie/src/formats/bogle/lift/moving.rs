//! Skeletons that were made for nodes that move become animated nodes again.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use glam::{Mat4, Quat, Vec3};

use super::Lifter;
use super::skeleton::{armature_place, clip_tracks};
use crate::bytes::Limits;
use crate::formats::bogle::added::MOVING_NODE;
use crate::formats::bogle::frame::Frame;
use crate::formats::bogle::joints::Joints;
use crate::formats::bogle::model::{Instance, named};
use crate::scene::{
    Channel, Extras, Interpolation, MeshId, NodeId, Property, Scene, Transform, parents, transform_distance,
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

    /// The movement of the nodes whose skeleton was left out; fails where finding it takes too long.
    pub(super) fn moving_nodes(&mut self) -> Result<(), TooLong> {
        let mut done: BTreeSet<NodeId> = BTreeSet::new();
        let parents = parents(&self.scene);
        let mut above = Above {
            parents: &parents,
            channels: BTreeMap::new(),
            known: BTreeMap::new(),
            left: self.limits.steps,
            limits: self.limits.clone(),
        };
        // Those above come first, because their movement is in that of what hangs on them.
        let mut moving = std::mem::take(&mut self.moving);
        moving.sort_by_cached_key(|moving| above.of(moving.node).count());
        for Moving { node, collection } in moving {
            let carried = above.of(node).any(|id| done.contains(&id));
            let Some(stored) = self.model.collections.get(collection) else { continue };
            for (number, animation) in stored.animations.iter().enumerate() {
                let Some(at) = self.clip(collection, number) else { continue };
                let mut channels = clip_tracks(stored, animation, node);
                if carried {
                    channels = above.taken_from(&self.scene, at, node, &channels)?;
                }
                if let Some(clip) = self.scene.animations.get_mut(at) {
                    let first = clip.channels.len();
                    clip.channels.extend(channels);
                    above.channels.insert((at, node), first..clip.channels.len());
                }
            }
            done.insert(node);
        }
        self.strip_joints(&done);
        Ok(())
    }

    /// Meshes of nodes without skeleton hang on no joint.
    fn strip_joints(&mut self, nodes: &BTreeSet<NodeId>) {
        let skinned = self.scene.nodes.values().filter(|node| node.skin.is_some());
        let skinned: BTreeSet<MeshId> = skinned.filter_map(|node| node.mesh).collect();
        for id in nodes {
            let Some(mesh) = self.scene.nodes.get(*id).and_then(|node| node.mesh) else { continue };
            let Some(stored) = self.scene.meshes.get_mut(mesh) else { continue };
            let mut plain = stored.clone();
            for primitive in &mut plain.primitives {
                primitive.joints.clear();
                primitive.weights.clear();
            }
            if skinned.contains(&mesh) {
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

/// Nodes that move hang on each other in such numbers that what they do cannot be told apart in time.
pub(super) struct TooLong;

/// What moves above nodes.
struct Above<'a> {
    parents: &'a [Option<NodeId>],
    /// The channels of each node in each clip.
    channels: BTreeMap<(usize, NodeId), Range<usize>>,
    /// Where nodes are at some times of a clip.
    known: BTreeMap<(usize, NodeId), (Vec<f32>, Vec<Mat4>)>,
    /// At how many times nodes may still be looked at.
    left: usize,
    limits: Limits,
}

impl Above<'_> {
    /// The nodes above a node, from the nearest on.
    fn of(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let parent = |id: NodeId| self.parents.get(id.index()).copied().flatten();
        std::iter::successors(parent(node), move |id| parent(*id))
    }

    /// Where a node is at some times of a clip.
    fn worlds(
        &mut self,
        scene: &Scene,
        clip: usize,
        node: NodeId,
        times: &[f32],
    ) -> Result<&[Mat4], TooLong> {
        let known = |id: &NodeId| self.known.get(&(clip, *id)).filter(|(at, _)| at == times);
        let mut worlds = vec![Mat4::IDENTITY; times.len()];
        let mut path = Vec::new();
        for id in std::iter::once(node).chain(self.of(node)) {
            if let Some((_, known)) = known(&id) {
                worlds.clone_from(known);
                break;
            }
            path.push(id);
        }
        // The first is what every node needs, and as much as its own keys.
        let more = path.len().saturating_sub(1).saturating_mul(times.len());
        self.left = self.left.checked_sub(more).ok_or(TooLong)?;
        for id in path.into_iter().rev() {
            let rest = rest_of(scene, id);
            let own = self.channels.get(&(clip, id)).cloned();
            let own = own.and_then(|own| scene.animations.get(clip)?.channels.get(own)).unwrap_or_default();
            for (world, seconds) in worlds.iter_mut().zip(times) {
                *world *= own.iter().fold(rest, |now, channel| at(&now, channel, *seconds)).matrix();
            }
        }
        let place = size_of::<f32>() + size_of::<Mat4>();
        self.limits.take_many(times.len(), place).map_err(|_| TooLong)?;
        let entry = self.known.entry((clip, node)).insert_entry((times.to_vec(), worlds));
        Ok(&entry.into_mut().1)
    }

    /// The movement of a node below nodes that move: what is left of it when theirs is taken away.
    fn taken_from(
        &mut self,
        scene: &Scene,
        clip: usize,
        node: NodeId,
        channels: &[Channel],
    ) -> Result<Vec<Channel>, TooLong> {
        let Some(times) = channels.first().map(|channel| channel.times.clone()) else {
            return Ok(Vec::new());
        };
        let rest_above = self.of(node).fold(Mat4::IDENTITY, |below, id| rest_of(scene, id).matrix() * below);
        let parent = self.of(node).next();
        let above = match parent {
            Some(parent) => self.worlds(scene, clip, parent, &times)?,
            None => &[],
        };
        let above = above.iter().copied().chain(std::iter::repeat(Mat4::IDENTITY));
        let locals = times.iter().zip(above).map(|(seconds, above)| {
            let rest = rest_of(scene, node);
            let moved = channels.iter().fold(rest, |now, channel| at(&now, channel, *seconds)).matrix();
            above.inverse() * rest_above * moved
        });
        Ok(movement(scene, node, &times, locals))
    }
}

fn rest_of(scene: &Scene, id: NodeId) -> Transform {
    scene.nodes.get(id).map(|node| node.transform).unwrap_or_default()
}

/// The channels of a node that is at such places; none where it stays at rest.
fn movement(scene: &Scene, node: NodeId, times: &[f32], locals: impl Iterator<Item = Mat4>) -> Vec<Channel> {
    let (rest_translation, rest_rotation, scale, _) = rest_of(scene, node).to_trs();
    let mut translations = Vec::new();
    let mut rotations = Vec::new();
    let mut still = true;
    let mut before = rest_rotation;
    for local in locals {
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
        times: times.to_vec(),
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
