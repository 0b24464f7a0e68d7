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
use crate::scene::{Animation as SceneAnimation, Interpolation, Pose, Property};

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
        let wanted: Vec<Vec<Mat4>> =
            (0..frames).map(|frame| self.wanted(animation, frame as f32 / hz)).collect();
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
    fn wanted(&self, animation: &SceneAnimation, seconds: f32) -> Vec<Mat4> {
        let pose = Pose::at(self.scene, animation, seconds);
        let of = |(bone, place): (usize, &Mat4)| {
            let Some(node) = self.node_of.get(bone).copied().flatten() else { return *place };
            let own = TURN.inverse();
            let now = own.matrix(pose.worlds.get(node.index()).copied().unwrap_or_default());
            let rest = own.matrix(self.rest.worlds.get(node.index()).copied().unwrap_or_default());
            let inverse = rest.inverse();
            if inverse.is_finite() { now * inverse * *place } else { *place }
        };
        self.places.iter().enumerate().map(of).collect()
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

    /// How far bones are from where they should be, on frames and between them.
    fn measure_poses(&mut self, path: &str, animation: &SceneAnimation, hz: f32, frames: usize) {
        let index = self.model.animations.len() - 1;
        let (mut moved, mut turned) = (ErrorStats::default(), ErrorStats::default());
        for half in 0..frames.saturating_mul(2).saturating_sub(1) {
            let frame = half as f32 / 2.0;
            let found = self.model.bone_matrices(Some((index, frame)));
            for (found, wanted) in found.iter().zip(self.wanted(animation, frame / hz)) {
                moved.add(f64::from(found.w_axis.distance(wanted.w_axis)));
                let (_, a, _) = found.to_scale_rotation_translation();
                let (_, b, _) = wanted.to_scale_rotation_translation();
                let off = 2.0 * (a - b).length().min((a + b).length()).to_degrees();
                turned.add(if off.is_finite() { f64::from(off) } else { 0.0 });
            }
        }
        let message = format!("sampled at {hz} frames a second and packed; bones are elsewhere");
        self.losses.measured(Aspect::Animations, path, message.clone(), moved, "scene units");
        self.losses.measured(Aspect::Animations, path, message, turned, "degrees");
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
