use std::collections::BTreeMap;

use glam::{Mat4, Quat, Vec3};
use serde_json::Value;

use super::{Lowering, byte, inverse_place, raw_name, word};
use crate::bytes::Se32;
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind};
use crate::formats::bmd::FORMAT;
use crate::formats::bmd::lift::{TURN, matches_keys};
use crate::formats::bmd::model::{Animation, rotation};
use crate::formats::bmd::pose::{Keys, base, nlerp};
use crate::formats::bmd::vertex::nearest_direction;
use crate::ops::sparse_keys;
use crate::scene::{Animation as SceneAnimation, Interpolation, NodeId, Pose, Property, Scene};

/// Frames that an animation can have.
const MAX_FRAMES: usize = 255;
/// The largest rate, in quarters of a hertz.
const MAX_RATE: usize = 127;
/// How far in degrees rotations may be off where a key is left out, beside what packing costs.
const KEY_ANGLE: f32 = 0.5;

impl Lowering<'_> {
    pub(super) fn animations(&mut self) {
        if self.model.bones.is_empty() {
            if !self.scene.animations.is_empty() {
                let message = "nothing that is animated became a bone, so there is nothing to move";
                let count = self.scene.animations.len();
                self.losses.push(
                    Loss::new(Aspect::Animations, LossKind::Dropped, "animations", message).count(count),
                );
            }
            return;
        }
        for (i, animation) in self.scene.animations.iter().enumerate() {
            let path = format!("animations[{i}]");
            let lowered = self.as_read_animation(animation).unwrap_or_else(|| self.sampled(&path, animation));
            self.model.animations.push(lowered);
            self.names.animations.push(raw_name(&animation.extras, &animation.name));
            if animation.name.len() > 255 {
                self.losses.approximated(Aspect::Names, path, "the name was cut off after 255 bytes");
            }
        }
    }

    /// The keys that the file had, if all channels still say the same.
    fn as_read_animation(&self, animation: &SceneAnimation) -> Option<Animation> {
        if !self.as_read {
            return None;
        }
        let mut lowered = Animation {
            frame_count: animation.extras.get(FORMAT.id, "frames").and_then(byte)?,
            rate: animation.extras.get(FORMAT.id, "rate").and_then(byte)?,
            ..Animation::default()
        };
        let mut keys = vec![Keys::default(); self.model.animated_bones()];
        for channel in &animation.channels {
            if channel.extras.get(FORMAT.id, "made").is_some() {
                continue;
            }
            let bone = self.bone_of.get(channel.node.index()).copied().flatten()?;
            let words = keys_from_json(channel.extras.get(FORMAT.id, "keys")?)?;
            if !matches_keys(channel, &words, base(&self.model.bones, bone), &lowered) {
                return None;
            }
            let keys = keys.get_mut(bone)?;
            match channel.property {
                Property::Translation => keys.translation = words,
                Property::Rotation => keys.rotation = words,
                Property::Scale => keys.scale = words,
                Property::Weights => return None,
            }
        }
        if let Some(root) = animation.extras.get(FORMAT.id, "root_keys").and_then(Value::as_array) {
            let [translation, rotation, scale] = root.as_slice() else { return None };
            let root = Keys {
                translation: keys_from_json(translation)?,
                rotation: keys_from_json(rotation)?,
                scale: keys_from_json(scale)?,
            };
            *keys.first_mut()? = root;
        }
        lowered.tracks = keys.iter().map(Keys::track).collect();
        Some(lowered)
    }

    /// The animation sampled at whole frames, with the keys left out that others already imply.
    fn sampled(&mut self, path: &str, animation: &SceneAnimation) -> Animation {
        let (rate, frames) = self.rate(path, animation);
        let hz = rate as f32 / 4.0;
        let bones = self.model.animated_bones();
        let wanted: Vec<Vec<Mat4>> = (0..frames)
            .map(|frame| self.wanted(&Pose::at(self.scene, animation, frame as f32 / hz)))
            .collect();
        let mut lowered =
            Animation { frame_count: frames as u8, rate: rate as u8 | 0x80, ..Animation::default() };
        let mut all_keys = vec![Keys::default(); bones];
        for bone in 1..bones {
            let parent = self.model.bones.get(bone).map_or(0, |bone| usize::from(bone.parent));
            let locals = wanted.iter().map(|matrices| {
                let at = |i: usize| matrices.get(i).copied().unwrap_or_default();
                (inverse_place(&at(parent)) * at(bone)).to_scale_rotation_translation()
            });
            let locals: Vec<(Vec3, Quat, Vec3)> = locals.collect();
            if let Some(keys) = all_keys.get_mut(bone) {
                *keys = self.keys(bone, &locals);
            }
        }
        lowered.tracks = all_keys.iter().map(Keys::track).collect();
        self.model.animations.push(lowered);
        self.measure_poses(path, animation, hz, frames);
        self.model.animations.pop().unwrap_or_default()
    }

    /// The rate in quarters of a hertz, and the number of frames.
    fn rate(&mut self, path: &str, animation: &SceneAnimation) -> (usize, usize) {
        let seconds = animation.seconds().clamp(0.0, 1e6);
        let times = || animation.channels.iter().flat_map(|channel| channel.times.iter().copied());
        let whole = |rate: &usize| {
            let per = *rate as f32 / 4.0;
            times().all(|time| (time * per - (time * per).round()).abs() < 1e-3)
        };
        let frames = |rate: usize| (seconds * rate as f32 / 4.0 - 1e-3).ceil().max(0.0) as usize + 1;
        let kept =
            animation.extras.get(FORMAT.id, "rate").and_then(byte).map(|rate| usize::from(rate & 0x7F));
        let asked = self.options.fps.map(|fps| (fps * 4.0).round().clamp(1.0, MAX_RATE as f32) as usize);
        let straight =
            animation.channels.iter().all(|channel| channel.interpolation == Interpolation::Linear);
        let exact = || (4..=MAX_RATE).find(whole).filter(|_| straight);
        let rate = asked.or(kept).filter(|rate| *rate > 0).or_else(exact).unwrap_or(MAX_RATE);
        let rate = (1..=rate).rev().find(|rate| frames(*rate) <= MAX_FRAMES).unwrap_or(1);
        let count = frames(rate).min(MAX_FRAMES);
        let mut stats = ErrorStats::default();
        stats.add(f64::from(((count - 1) as f32 * 4.0 / rate as f32 - seconds).abs()));
        if stats.max > 1e-4 {
            let message =
                format!("the end was moved to a whole frame at {} frames a second", rate as f32 / 4.0);
            self.losses.measured(Aspect::Animations, path, message, stats, "seconds");
        }
        (rate, count)
    }

    /// Where bones should be at a time, so that vertices stored at rest are where the Scene has them.
    fn wanted(&self, pose: &Pose) -> Vec<Mat4> {
        let mut all: Vec<Mat4> = Vec::with_capacity(self.places.len());
        for (bone, place) in self.places.iter().enumerate() {
            let wanted = match self.node_of.get(bone).copied().flatten() {
                Some(node) => {
                    let own = TURN.inverse();
                    let now = own.matrix(pose.worlds.get(node.index()).copied().unwrap_or_default());
                    let rest = own.matrix(self.rest.worlds.get(node.index()).copied().unwrap_or_default());
                    let inverse = rest.inverse();
                    if inverse.is_finite() { now * inverse * *place } else { *place }
                }
                // A helper stays where it is in its parent.
                None => {
                    let parent = self.model.bones.get(bone).map_or(0, |bone| usize::from(bone.parent));
                    let rest = self.places.get(parent).copied().unwrap_or_default();
                    all.get(parent).map_or(*place, |now| *now * inverse_place(&rest) * *place)
                }
            };
            all.push(wanted);
        }
        all
    }

    /// The keys of one bone from its place in its parent at every frame.
    fn keys(&self, bone: usize, locals: &[(Vec3, Quat, Vec3)]) -> Keys {
        let (base_t, base_r) = base(&self.model.bones, bone);
        let tolerance = self.number("bmd-key-error");
        let translation: Vec<u32> =
            locals.iter().map(|(_, _, t)| Se32::nearest((*t - base_t).to_array()).0).collect();
        let scale: Vec<u32> = locals.iter().map(|(s, _, _)| Se32::nearest(s.to_array()).0).collect();
        let mut before = Quat::IDENTITY;
        let mut rotations = Vec::new();
        for (_, turned, _) in locals {
            let turned = if turned.is_finite() { *turned * base_r.inverse() } else { Quat::IDENTITY };
            // The file goes straight from key to key: neighbours must be in the same half.
            let turned = if turned.dot(before) < 0.0 { -turned } else { turned };
            before = turned;
            rotations.push(u32::from_le_bytes(nearest_direction(turned.normalize().to_array())));
        }
        let step = |words: &[u32]| words.iter().map(|word| Se32(*word).step()).fold(0.0f32, f32::max);
        let vector = |word: u32| Vec3::from_array(Se32(word).values());
        let moved = |a: u32, b: u32, t: f32, c: u32| vector(a).lerp(vector(b), t).distance(vector(c));
        let turned = |a: u32, b: u32, t: f32, c: u32| {
            let (mixed, meant) = (nlerp(rotation(a), rotation(b), t), rotation(c));
            2.0 * (mixed - meant).length().min((mixed + meant).length()).to_degrees()
        };
        Keys {
            translation: sparse(&translation, tolerance.unwrap_or(step(&translation)), moved, |word| {
                vector(word) == Vec3::ZERO
            }),
            rotation: sparse(&rotations, tolerance.unwrap_or(KEY_ANGLE), turned, |word| {
                rotation(word).w.abs() >= 1.0
            }),
            scale: sparse(&scale, step(&scale), moved, |word| vector(word) == Vec3::ONE),
        }
    }

    /// How far bones and vertices are from where they should be, on frames and between them.
    fn measure_poses(&mut self, path: &str, animation: &SceneAnimation, hz: f32, frames: usize) {
        let index = self.model.animations.len() - 1;
        let bones = self.model.animated_bones();
        let (mut moved, mut turned) = (ErrorStats::default(), ErrorStats::default());
        let mut vertices = ErrorStats::default();
        for time in measured_times(animation, hz, frames) {
            let pose = Pose::at(self.scene, animation, time);
            let found = self.model.bone_matrices(Some((index, time * hz)));
            for (bone, (found, wanted)) in found.iter().zip(self.wanted(&pose)).take(bones).enumerate() {
                // What counts is where the node itself is, with what packing the rest pose cost.
                let node = self.node_of.get(bone).copied().flatten();
                let node = node.and_then(|node| pose.worlds.get(node.index()));
                let wanted = node.map_or(wanted, |world| TURN.inverse().matrix(*world));
                moved.add(f64::from(found.w_axis.distance(wanted.w_axis)));
                let (_, a, _) = found.to_scale_rotation_translation();
                let (_, b, _) = wanted.to_scale_rotation_translation();
                let off = 2.0 * (a - b).length().min((a + b).length()).to_degrees();
                turned.add(if off.is_finite() { f64::from(off) } else { 0.0 });
            }
            self.watched.measure(self.scene, &pose, &found, &mut vertices);
        }
        let message = format!("sampled at {hz} frames a second and packed; bones are elsewhere");
        self.losses.measured(Aspect::Animations, path, message.clone(), moved, "scene units");
        self.losses.measured(Aspect::Animations, path, message, turned, "degrees");
        let message = "vertices are elsewhere while it plays";
        self.losses.measured(Aspect::Skins, path, message, vertices, "scene units");
    }
}

/// Times at which poses are compared at most.
const MAX_TIMES: usize = 800;

/// The times at which poses are compared: frames, the source's keys, and the middles between them.
fn measured_times(animation: &SceneAnimation, hz: f32, frames: usize) -> Vec<f32> {
    let end = frames.saturating_sub(1) as f32 / hz;
    let keys = animation.channels.iter().flat_map(|channel| channel.times.iter().copied());
    let mut times: Vec<f32> = keys.filter(|time| (0.0..=end).contains(time)).collect();
    times.extend((0..frames).map(|frame| frame as f32 / hz));
    times.sort_by(f32::total_cmp);
    times.dedup();
    let next = times.iter().skip(1);
    let middles: Vec<f32> = times.iter().zip(next).map(|(a, b)| (a + b) / 2.0).collect();
    times.extend(middles);
    times.sort_by(f32::total_cmp);
    let step = times.len().div_ceil(MAX_TIMES).max(1);
    times.into_iter().step_by(step).collect()
}

/// Vertices that are watched at most.
const MAX_WATCHED: usize = 4096;

/// Some of the skinned vertices of the Scene, with what became of them.
#[derive(Debug, Default)]
pub(super) struct Watched {
    list: Vec<WatchedVertex>,
    /// How many there were.
    seen: usize,
    /// One of so many is kept, as a power of two.
    one_of: u32,
}

#[derive(Debug)]
struct WatchedVertex {
    node: NodeId,
    stored: Vec3,
    joints: Vec<(u16, f32)>,
    bone: usize,
    local: Vec3,
}

impl Watched {
    /// Takes note of a vertex, unless enough like it are watched already.
    pub(super) fn add(
        &mut self,
        node: NodeId,
        stored: Vec3,
        joints: Vec<(u16, f32)>,
        bone: usize,
        local: Vec3,
    ) {
        if self.seen.is_multiple_of(1 << self.one_of) {
            self.list.push(WatchedVertex { node, stored, joints, bone, local });
        }
        self.seen += 1;
        if self.list.len() > MAX_WATCHED {
            let mut odd = true;
            self.list.retain(|_| {
                odd = !odd;
                !odd
            });
            self.one_of += 1;
        }
    }

    /// How far the vertices are from where a pose of the Scene has them, when bones are in these places.
    fn measure(&self, scene: &Scene, pose: &Pose, places: &[Mat4], stats: &mut ErrorStats) {
        let mut palettes: BTreeMap<NodeId, Vec<Mat4>> = BTreeMap::new();
        for vertex in &self.list {
            let palette = palettes
                .entry(vertex.node)
                .or_insert_with(|| pose.palette(scene, vertex.node).unwrap_or_default());
            let moved = |(joint, weight): &(u16, f32)| {
                palette.get(usize::from(*joint)).copied().unwrap_or_default().transform_point3(vertex.stored)
                    * *weight
            };
            let meant = vertex.joints.iter().map(moved).fold(Vec3::ZERO, |sum, part| sum + part);
            let place = places.get(vertex.bone).copied().unwrap_or_default();
            let found = TURN.vec3(place.transform_point3(vertex.local));
            stats.add(f64::from(found.distance(meant)));
        }
    }
}

/// The keys that are needed so that the others are on the straight way between them; none when all say nothing.
fn sparse(
    words: &[u32],
    tolerance: f32,
    off: impl Fn(u32, u32, f32, u32) -> f32,
    says_nothing: impl Fn(u32) -> bool,
) -> Vec<(usize, u32)> {
    let at = |i: usize| words.get(i).copied().unwrap_or(0);
    if words.iter().all(|word| says_nothing(*word)) {
        return Vec::new();
    }
    if words.iter().all(|word| *word == at(0)) {
        return vec![(0, at(0))];
    }
    let straight = |from: usize, to: usize| {
        let span = (to - from) as f32;
        (from + 1..to).all(|i| off(at(from), at(to), (i - from) as f32 / span, at(i)) <= tolerance)
    };
    sparse_keys(words.len(), straight).into_iter().map(|i| (i, at(i))).collect()
}

fn keys_from_json(value: &Value) -> Option<Vec<(usize, u32)>> {
    let key = |key: &Value| {
        let [frame, value] = key.as_array()?.as_slice() else { return None };
        Some((usize::from(byte(frame)?), word(value)?))
    };
    value.as_array()?.iter().map(key).collect()
}
