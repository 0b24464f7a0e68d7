//! Animations, at the coarsest rate that is good enough, cut where they are too long.

use std::collections::BTreeMap;

use glam::{Mat4, Quat, Vec3};

use super::{Lowering, inverse_place, raw_name};
use crate::bytes::Se32;
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind};
use crate::formats::bmd::direction::nearest_direction;
use crate::formats::bmd::engine;
use crate::formats::bmd::lift::{TURN, matches_keys};
use crate::formats::bmd::model::{Animation, Track, rotation};
use crate::formats::bmd::notes::{AnimationNote, ChannelNote, Note, SceneNote};
use crate::formats::bmd::pose::{Keys, base, nlerp};
use crate::ops::sparse_keys;
use crate::scene::{Animation as SceneAnimation, Hidden, Interpolation, NodeId, Pose, Property, Scene};

/// Frames that an animation can have.
const MAX_FRAMES: usize = 255;
/// Animations that one is cut into at most, before it is sampled more coarsely.
const MAX_PARTS: usize = 16;
/// The largest rate, in quarters of a hertz.
const MAX_RATE: usize = 127;
/// How far off the engine may be on whole frames, as a part of the model's size, before every frame gets keys.
const ENGINE_TOLERANCE: f32 = 0.005;
/// How far in degrees rotations may be off where a key is left out, beside what packing costs.
const KEY_ANGLE: f32 = 0.5;

/// Which frames get keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeysOf {
    /// Those without which others would not be between their neighbours.
    NeededFrames,
    /// All of them.
    AllFrames,
}

impl Lowering<'_> {
    pub(super) fn animations(&mut self) {
        if self.model.bones.is_empty() || self.added.root {
            if !self.scene.animations.is_empty() {
                let message = "nothing that is animated became a bone, so there is nothing to move";
                let count = self.scene.animations.len();
                self.losses.push(
                    Loss::new(Aspect::Animations, LossKind::Dropped, "animations", message).count(count),
                );
            }
            return;
        }
        let mut spare_frames = 0;
        for (i, animation) in self.scene.animations.iter().enumerate() {
            let path = format!("animations[{i}]");
            let kept = self.as_read_animation(animation);
            let as_read = kept.is_some() && !self.mends_all();
            let parts = match kept {
                Some(kept) => vec![kept],
                None => self.sampled(&path, animation),
            };
            let spare = AnimationNote::of(&animation.extras).spare == Some(true);
            let name = self.animation_name(i, animation, as_read);
            for (part, mut lowered) in parts.into_iter().enumerate() {
                let index = self.model.animations.len();
                if self.serves_engine() && (spare || !as_read) && self.spare_frame(index, &mut lowered) {
                    spare_frames += usize::from(!spare);
                }
                self.model.animations.push(lowered);
                self.names.animations.push(part_name(&name, part));
                if part > 0 {
                    self.added.continues.insert(index);
                }
            }
            if animation.name.len() > 255 {
                self.losses.approximated(Aspect::Names, path, "the name was cut off after 255 bytes");
            }
        }
        if spare_frames > 0 {
            let message = "a frame was added at the end, because the engine needs one without keys";
            let loss = Loss::new(Aspect::Animations, LossKind::Added, "animations", message);
            self.losses.push(loss.count(spare_frames));
        }
        self.rest_animation();
    }

    /// E7: no key lies on the last frame, or the engine takes the end of one bone for that of the next.
    fn spare_frame(&mut self, index: usize, animation: &mut Animation) -> bool {
        let last = usize::from(animation.frame_count).saturating_sub(1);
        let on_last = |track: &Track| track.frames().any(|(frame, _)| frame >= last);
        let needed = animation.frame_count < u8::MAX && animation.tracks.iter().any(on_last);
        if needed {
            animation.frame_count += 1;
            self.added.spare_frames.insert(index);
        }
        needed
    }

    /// E15: the engine's search for sequences needs every animation to have a name.
    fn animation_name(&mut self, index: usize, animation: &SceneAnimation, as_read: bool) -> Vec<u8> {
        let note = AnimationNote::of(&animation.extras);
        let name = raw_name(note.name_bytes, &animation.name);
        let made = note.made_name;
        if !name.is_empty() || !self.serves_engine() || (as_read && made.is_none()) {
            return name;
        }
        self.added.unnamed.insert(self.model.animations.len());
        if made.is_none() {
            let message = "the animation was named, because the engine needs a name";
            self.losses.added(Aspect::Names, format!("animations[{index}]"), message);
        }
        let usable = |name: &Vec<u8>| (1..=255).contains(&name.len()) && !name.contains(&0);
        made.filter(usable).unwrap_or_else(|| format!("animation{index}").into_bytes())
    }

    /// E5: bones without an animation crash the engine.
    fn rest_animation(&mut self) {
        let kept = SceneNote::of(&self.scene.extras).rest_animation;
        let as_read = self.as_read && !self.mends_all();
        let needed = self.model.bones.len() > 1 && self.model.animations.is_empty() && self.serves_engine();
        if !needed || (as_read && kept.is_none()) {
            return;
        }
        let tracks = vec![Track { entries: Vec::new(), closed: true }; self.model.animated_bones()];
        self.model.animations.push(Animation { frame_count: 1, rate: 40, tracks, ..Animation::default() });
        let usable = |name: &Vec<u8>| (1..=255).contains(&name.len()) && !name.contains(&0);
        self.names.animations.push(kept.clone().filter(usable).unwrap_or_else(|| b"stand".to_vec()));
        self.added.rest_animation = true;
        if kept.is_none() {
            let message = "an animation of one frame was added, because the engine needs one for bones";
            self.losses.added(Aspect::Animations, "animations", message);
        }
    }

    /// The keys that the file had, if all channels still say the same.
    fn as_read_animation(&self, animation: &SceneAnimation) -> Option<Animation> {
        if !self.as_read {
            return None;
        }
        let note = AnimationNote::of(&animation.extras);
        let mut lowered = Animation { frame_count: note.frames?, rate: note.rate?, ..Animation::default() };
        let mut keys = vec![Keys::default(); self.model.animated_bones()];
        for channel in &animation.channels {
            let of_channel = ChannelNote::of(&channel.extras);
            if of_channel.made == Some(true) {
                continue;
            }
            let bone = self.bone_of.get(channel.node.index()).copied().flatten()?;
            let words = of_channel.keys?;
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
        if let Some(root) = note.root_keys {
            *keys.first_mut()? = root.keys();
        }
        for (bone, words) in note.baked_keys.into_iter().flatten() {
            self.added.blends.iter().find(|blend| blend.bone == bone)?;
            *keys.get_mut(bone)? = words.keys();
        }
        // Frames rise, and lie in the animation: the notes may come from anywhere.
        let sound = |list: &Vec<(usize, u32)>| {
            list.is_sorted_by(|a, b| a.0 < b.0)
                && list.iter().all(|key| key.0 < usize::from(lowered.frame_count))
        };
        if !keys.iter().all(|keys| [&keys.rotation, &keys.translation, &keys.scale].into_iter().all(sound)) {
            return None;
        }
        lowered.tracks = keys.iter().map(Keys::track).collect();
        Some(lowered)
    }

    /// The animation sampled at whole frames, with the keys left out that others already imply; in parts where it has
    /// more frames than one can have.
    fn sampled(&mut self, path: &str, animation: &SceneAnimation) -> Vec<Animation> {
        let (rate, frames) = self.rate(path, animation);
        let most = self.most_frames();
        let starts = (0..frames.saturating_sub(1).max(1)).step_by(most - 1);
        let parts = starts.map(|start| (start, most.min(frames - start)));
        let parts: Vec<(usize, usize)> = parts.collect();
        if parts.len() > 1 {
            let message = format!(
                "an animation has at most {most} frames: this one goes on in {} more",
                parts.len() - 1
            );
            self.losses.added(Aspect::Animations, path, message);
        }
        parts.into_iter().map(|part| self.sampled_part(path, animation, rate, part)).collect()
    }

    /// Frames that an animation can have. E7: the engine needs one to spare.
    fn most_frames(&self) -> usize {
        if self.serves_engine() { engine::MAX_FRAMES } else { MAX_FRAMES }
    }

    fn sampled_part(
        &mut self,
        path: &str,
        animation: &SceneAnimation,
        rate: usize,
        (start, frames): (usize, usize),
    ) -> Animation {
        let hz = rate as f32 / 4.0;
        let bones = self.model.animated_bones();
        let wanted: Vec<Vec<Mat4>> = (start..start + frames)
            .map(|frame| self.wanted(&Pose::at(self.scene, animation, frame as f32 / hz)))
            .collect();
        let mut lowered =
            Animation { frame_count: frames as u8, rate: rate as u8 | 0x80, ..Animation::default() };
        lowered.tracks = self.tracks(&wanted, bones, KeysOf::NeededFrames);
        // E11: between keys the engine rounds to 8 bits. Where that shows, every frame gets a key.
        if self.serves_engine() && self.engine_is_off(&lowered) {
            lowered.tracks = self.tracks(&wanted, bones, KeysOf::AllFrames);
        }
        self.model.animations.push(lowered);
        self.measure_poses(path, animation, hz, (start, frames));
        self.model.animations.pop().unwrap_or_default()
    }

    /// The tracks of all bones from where they should be at every frame.
    fn tracks(&self, wanted: &[Vec<Mat4>], bones: usize, which: KeysOf) -> Vec<Track> {
        let mut tracks = vec![Keys::default().track(); bones];
        for (bone, track) in tracks.iter_mut().enumerate().skip(1) {
            let parent = self.model.bones.get(bone).map_or(0, |bone| usize::from(bone.parent));
            let locals = wanted.iter().map(|matrices| {
                let at = |i: usize| matrices.get(i).copied().unwrap_or_default();
                (inverse_place(&at(parent)) * at(bone)).to_scale_rotation_translation()
            });
            let locals: Vec<(Vec3, Quat, Vec3)> = locals.collect();
            let which = if self.baked.contains_key(&bone) { KeysOf::AllFrames } else { which };
            *track = self.keys(bone, &locals, which).track();
        }
        tracks
    }

    /// Whether the engine has bones elsewhere on whole frames than the document: by their places in the model, against
    /// its size.
    fn engine_is_off(&mut self, animation: &Animation) -> bool {
        let size = self.rest.bounds_with(self.scene, Hidden::Counts).map_or(0.0, |bounds| bounds.diagonal());
        let spare = Animation { frame_count: animation.frame_count.saturating_add(1), ..animation.clone() };
        let engine = engine::places(&self.model, &spare);
        self.model.animations.push(animation.clone());
        let index = self.model.animations.len() - 1;
        let off = (0..usize::from(animation.frame_count)).any(|frame| {
            let document = self.model.bone_matrices(Some((index, frame as f32)));
            let places = engine.get(frame).map(Vec::as_slice).unwrap_or_default();
            let mut found: Vec<Mat4> = Vec::new();
            for (bone, place) in places.iter().enumerate() {
                let local = Mat4::from_rotation_translation(place.rotation, place.translation);
                let parent = self.model.bones.get(bone).map_or(0, |bone| usize::from(bone.parent));
                found.push(found.get(parent).map_or(local, |above| *above * local));
            }
            // As far out as what hangs on a bone may be.
            let reach = size;
            document.iter().zip(&found).any(|(a, b)| {
                let moved = a.w_axis.truncate().distance(b.w_axis.truncate());
                let axes = [(a.x_axis, b.x_axis), (a.y_axis, b.y_axis), (a.z_axis, b.z_axis)];
                let turned = axes.iter().map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
                moved + turned * reach > size * ENGINE_TOLERANCE
            })
        });
        self.model.animations.pop();
        off
    }

    /// The rate in quarters of a hertz, and the number of frames.
    fn rate(&mut self, path: &str, animation: &SceneAnimation) -> (usize, usize) {
        let seconds = animation.seconds().clamp(0.0, 1e6);
        let frames = |rate: usize| (seconds * rate as f32 / 4.0 - 1e-3).ceil().max(0.0) as usize + 1;
        let kept = AnimationNote::of(&animation.extras).rate.map(|rate| usize::from(rate & 0x7F));
        let asked = self.options.fps.map(|fps| (fps * 4.0).round().clamp(1.0, MAX_RATE as f32) as usize);
        let most = self.most_frames();
        // E11: the engine shows whole frames only, so there are as many as go between the keys.
        let finest = |rate: usize| match self.serves_engine() {
            true => (1..=MAX_RATE / rate).rev().map(|n| n * rate).find(|rate| frames(*rate) <= most),
            false => Some(rate),
        };
        let exact = || rate_of_keys(animation).map(|rate| finest(rate).unwrap_or(rate));
        let meant = asked.or(kept).filter(|rate| *rate > 0).or_else(exact);
        // Keys that lie on frames stay there, in several animations if need be.
        let in_parts = meant.filter(|rate| frames(*rate) <= (most - 1) * MAX_PARTS);
        let rate = meant.unwrap_or(MAX_RATE);
        let coarser = || (1..=rate).rev().find(|rate| frames(*rate) <= most).unwrap_or(1);
        let rate = in_parts.unwrap_or_else(coarser);
        let count = if in_parts.is_some() { frames(rate) } else { frames(rate).min(most) };
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
        let mut palettes: BTreeMap<NodeId, Vec<Mat4>> = BTreeMap::new();
        for (bone, place) in self.places.iter().enumerate() {
            if let Some(baked) = self.baked.get(&bone) {
                let palette = palettes
                    .entry(baked.node)
                    .or_insert_with(|| pose.palette(self.scene, baked.node).unwrap_or_default());
                all.push(baked.wanted(palette, place));
                continue;
            }
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
    fn keys(&self, bone: usize, locals: &[(Vec3, Quat, Vec3)], which: KeysOf) -> Keys {
        let (base_t, base_r) = base(&self.model.bones, bone);
        let tolerance = match which {
            KeysOf::NeededFrames => self.number("bmd-key-error"),
            KeysOf::AllFrames => Some(-1.0),
        };
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
        // Even between equal rotations the engine rounds.
        let rotation_keys = match which {
            KeysOf::AllFrames if rotations.iter().any(|word| rotation(*word).w.abs() < 1.0) => {
                rotations.iter().copied().enumerate().collect()
            }
            _ => sparse(&rotations, tolerance.unwrap_or(KEY_ANGLE), turned, |word| {
                rotation(word).w.abs() >= 1.0
            }),
        };
        Keys {
            translation: sparse(&translation, tolerance.unwrap_or(step(&translation)), moved, |word| {
                vector(word) == Vec3::ZERO
            }),
            rotation: rotation_keys,
            scale: sparse(&scale, step(&scale), moved, |word| vector(word) == Vec3::ONE),
        }
    }

    /// How far bones and vertices are from where they should be, on frames and between them.
    fn measure_poses(
        &mut self,
        path: &str,
        animation: &SceneAnimation,
        hz: f32,
        (start, frames): (usize, usize),
    ) {
        let index = self.model.animations.len() - 1;
        let bones = self.model.animated_bones();
        let (mut moved, mut turned) = (ErrorStats::default(), ErrorStats::default());
        let mut vertices = ErrorStats::default();
        for time in measured_times(animation, hz, (start, frames)) {
            let pose = Pose::at(self.scene, animation, time);
            let found = self.model.bone_matrices(Some((index, time * hz - start as f32)));
            for (bone, (found, wanted)) in found.iter().zip(self.wanted(&pose)).take(bones).enumerate() {
                // What counts is where the node itself is, with what packing the rest pose cost.
                let node = self.node_of.get(bone).copied().flatten();
                let node = node.and_then(|node| pose.worlds.get(node.index()));
                let wanted = node.map_or(wanted, |world| TURN.inverse().matrix(*world));
                if self.baked.contains_key(&bone) {
                    continue;
                }
                moved.add(f64::from(found.w_axis.distance(wanted.w_axis)));
                let (_, a, _) = found.to_scale_rotation_translation();
                let (_, b, _) = wanted.to_scale_rotation_translation();
                let off = 2.0 * (a - b).length().min((a + b).length()).to_degrees();
                turned.add(if off.is_finite() { f64::from(off) } else { 0.0 });
            }
            self.watched.measure(self.scene, &pose, &found, &mut vertices);
        }
        let message = format!(
            "sampled at {hz} frames a second and packed; bones are off by up to {:.4} scene units and {:.2} degrees",
            moved.max, turned.max
        );
        // What counts is what is seen; of a skeleton alone, the bones.
        let seen = if vertices.count > 0 { vertices } else { moved };
        self.losses.measured(Aspect::Animations, path, message.clone(), seen, "scene units");
        if vertices.count == 0 {
            self.losses.measured(Aspect::Animations, path, message, turned, "degrees");
        }
        if vertices.is_off() && !self.baked.is_empty() {
            let message = "blends of joints are rigid bones in the engine";
            self.losses.noted(Aspect::Skins, path, message);
        }
    }
}

/// The slowest rate, in quarters of a hertz, at which the most keys lie on whole frames; `None` where hardly any do, or not
/// all go straight from key to key.
fn rate_of_keys(animation: &SceneAnimation) -> Option<usize> {
    let mut times: Vec<f32> =
        animation.channels.iter().flat_map(|channel| channel.times.iter().copied()).collect();
    times.sort_by(f32::total_cmp);
    times.dedup();
    let whole = |rate: usize| {
        let per = rate as f32 / 4.0;
        times.iter().filter(|time| (**time * per - (**time * per).round()).abs() < 1e-3).count()
    };
    let rates = (4..=MAX_RATE).map(|rate| (whole(rate), rate));
    let (count, rate) = rates.max_by_key(|(count, rate)| (*count, std::cmp::Reverse(*rate)))?;
    let straight = animation.channels.iter().all(|channel| channel.interpolation == Interpolation::Linear);
    (straight && count * 4 >= times.len()).then_some(rate)
}

/// The name of a part of an animation: that of the whole for the first, numbered for the others.
fn part_name(name: &[u8], part: usize) -> Vec<u8> {
    if part == 0 || name.is_empty() {
        return name.to_vec();
    }
    let number = format!(" {}", part + 1).into_bytes();
    let cut = name.get(..name.len().min(255 - number.len())).unwrap_or_default();
    [cut, &number].concat()
}

/// Times at which poses are compared at most.
const MAX_TIMES: usize = 800;

/// The times at which poses are compared: frames, the source's keys, and the middles between them.
fn measured_times(animation: &SceneAnimation, hz: f32, (start, frames): (usize, usize)) -> Vec<f32> {
    let (begin, end) = (start as f32 / hz, (start + frames).saturating_sub(1) as f32 / hz);
    let keys = animation.channels.iter().flat_map(|channel| channel.times.iter().copied());
    let mut times: Vec<f32> = keys.filter(|time| (begin..=end).contains(time)).collect();
    times.extend((start..start + frames).map(|frame| frame as f32 / hz));
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
