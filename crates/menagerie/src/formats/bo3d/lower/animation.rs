//! Animations as whole frames, one after the other.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use glam::{Quat, Vec3};

use super::{Lowering, wxyz};
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind};
use crate::formats::bo3d::model::Key;
use crate::formats::bo3d::notes::{ChannelNote, NodeNote, Note};
use crate::formats::bo3d::placement::{Placement, angle, nlerp, nlerp_error};
use crate::formats::kept_nodes;
use crate::scene::{Animation, Channel, Interpolation, NodeId, Property, Scene};

/// How far from a whole frame a key may be.
const FRAME_TOLERANCE: f32 = 1e-3;
/// Keys that are made for one node of one animation when it has to be resampled. Of longer ones fewer frames get a key.
pub(in crate::formats::bo3d) const MAX_KEYS: i64 = 1 << 14;

/// How far in radians the straight way between two rotations may be from the arc before keys are put between, summed up
/// down a chain of animated nodes.
const MAX_ARC_ERROR: f32 = 1e-3;

/// The channels of one node in one animation.
#[derive(Default)]
struct Track<'a> {
    translation: Option<&'a Channel>,
    rotation: Option<&'a Channel>,
    scale: Option<&'a Channel>,
}

/// The keys of one node in one animation, by frame, without the animation's place on the frame line.
type Frames = BTreeMap<i32, Placement>;

impl Lowering<'_> {
    pub(super) fn animations(&mut self) {
        let rate = self.rate;
        let mut line: BTreeMap<NodeId, Frames> = BTreeMap::new();
        let mut clips: Vec<(usize, BTreeMap<NodeId, Frames>, i32, i32)> = Vec::new();
        for (i, animation) in self.scene.animations.iter().enumerate() {
            let frames = self.clip(&format!("animations[{i}]"), animation, rate);
            let keys = || frames.values().flat_map(|frames| frames.keys().copied());
            let (Some(first), Some(last)) = (keys().min(), keys().max()) else {
                let message = "nothing that BO3D can move moves in it";
                self.losses.dropped(Aspect::Animations, format!("animations[{i}]"), message);
                continue;
            };
            clips.push((i, frames, first, last));
        }
        let several = clips.len() > 1;
        let animated: BTreeSet<NodeId> =
            clips.iter().flat_map(|(_, frames, _, _)| frames.keys().copied()).collect();
        let mut next: i32 = 0;
        for (clip, (i, mut frames, first, last)) in clips.into_iter().enumerate() {
            // The first keeps its frames; each further one begins one frame after the last.
            let shift = if clip == 0 { 0 } else { next.saturating_sub(first) };
            next = last.saturating_add(shift).saturating_add(1);
            if several {
                self.fill_ends(&mut frames, &animated, first, last);
                let name = self.scene.animations.get(i).map(|a| a.name.as_str()).unwrap_or_default();
                let message = format!(
                    "BO3D has one frame line: {name:?} is at frames {} to {}",
                    first.saturating_add(shift),
                    last.saturating_add(shift)
                );
                self.losses.approximated(Aspect::Animations, format!("animations[{i}]"), message);
            }
            for (node, frames) in frames {
                let shifted = frames.into_iter().map(|(frame, place)| (frame.saturating_add(shift), place));
                line.entry(node).or_default().extend(shifted);
            }
        }
        self.write_keys(line);
    }

    /// With several clips on one line, a node must not drift between them: each clip begins and ends with a key.
    fn fill_ends(
        &self,
        frames: &mut BTreeMap<NodeId, Frames>,
        animated: &BTreeSet<NodeId>,
        first: i32,
        last: i32,
    ) {
        for node in animated {
            let rest = self.rest_place(*node);
            let keys = frames.entry(*node).or_default();
            let at_first = keys.values().next().copied().unwrap_or(rest);
            let at_last = keys.values().next_back().copied().unwrap_or(rest);
            keys.entry(first).or_insert(at_first);
            keys.entry(last).or_insert(at_last);
        }
    }

    fn write_keys(&mut self, line: BTreeMap<NodeId, Frames>) {
        let mut begun = 0;
        for (node, mut frames) in line {
            let entity = self.entity_of.get(node.index()).copied().flatten();
            let Some(entity) = entity.and_then(|entity| self.model.entities.get_mut(entity)) else {
                continue;
            };
            self.last_frame = frames.keys().next_back().copied().unwrap_or(0).max(self.last_frame);
            if self.mends {
                begun += usize::from(begin_at_zero(&mut frames));
                let rest = Placement::from_fields(entity.position, entity.scale, entity.rotation);
                near_signs(&mut frames, rest.rotation);
            }
            entity.keys = frames.iter().map(|(frame, place)| key(*frame, place)).collect();
        }
        if begun > 0 {
            let message = "keys at frame 0 were added, because the engine blends in from the bind pose";
            self.losses
                .push(Loss::new(Aspect::Animations, LossKind::Added, "animations", message).count(begun));
        }
    }

    /// The length of the animation: what the file had, or up to the last key; for the engine what it needs (E4).
    pub(super) fn write_length(&mut self) {
        let last = self.last_frame;
        let stated = self.model.entities.iter().map(|entity| entity.anim_length).max().unwrap_or(0);
        let most = self.model.entities.iter().map(|entity| entity.keys.len()).max().unwrap_or(0);
        if self.mends && most > 0 {
            let end = stated.max(last);
            let room = i32::try_from(most).unwrap_or(i32::MAX).saturating_add(1);
            self.model.entities.iter_mut().for_each(|entity| entity.anim_length = 0);
            if let Some(root) = self.model.entities.first_mut() {
                root.anim_length = end.saturating_add(1).max(room);
                self.added.last_frame = Some(end);
                let frames = root.anim_length.saturating_sub(end);
                let message =
                    format!("the animation is {frames} frames longer, because the engine needs them");
                self.losses.added(Aspect::Animations, "animations", message);
            }
            return;
        }
        let kept = |node: &crate::scene::Node| NodeNote::of(&node.extras).anim_length.is_some();
        let is_stated = self.scene.nodes.values().any(kept);
        if let Some(root) = self.model.entities.first_mut().filter(|_| !is_stated) {
            root.anim_length = last;
        }
    }

    fn rest_place(&self, node: NodeId) -> Placement {
        let entity = self.entity_of.get(node.index()).copied().flatten();
        let entity = entity.and_then(|entity| self.model.entities.get(entity));
        entity.map_or(Placement::IDENTITY, |e| Placement::from_fields(e.position, e.scale, e.rotation))
    }

    /// How many animated nodes hang on each other at most.
    fn deepest(&self, tracks: &BTreeMap<NodeId, Track<'_>>) -> usize {
        let mut depths: BTreeMap<NodeId, usize> = BTreeMap::new();
        // Parents come first.
        for id in &self.nodes {
            let above = depths.get(id).copied().unwrap_or(0);
            let own = above + usize::from(tracks.contains_key(id));
            depths.insert(*id, own);
            let children = self.scene.nodes.get(*id).into_iter().flat_map(|node| &node.children);
            depths.extend(children.map(|child| (*child, own)));
        }
        depths.into_values().max().unwrap_or(0)
    }

    /// The keys of all nodes of one animation.
    fn clip(&mut self, path: &str, animation: &Animation, rate: f32) -> BTreeMap<NodeId, Frames> {
        let mut tracks: BTreeMap<NodeId, Track<'_>> = BTreeMap::new();
        let mut outside = 0;
        for channel in animation.channels.iter().filter(|channel| !channel.times.is_empty()) {
            if self.entity_of.get(channel.node.index()).copied().flatten().is_none() {
                outside += usize::from(channel.property != Property::Weights);
                continue;
            }
            let place = match channel.property {
                Property::Translation => &mut tracks.entry(channel.node).or_default().translation,
                Property::Rotation => &mut tracks.entry(channel.node).or_default().rotation,
                Property::Scale => &mut tracks.entry(channel.node).or_default().scale,
                Property::Weights => continue,
            };
            *place = Some(channel);
        }
        if outside > 0 {
            let message = "nodes outside the scene that is shown are animated; that was left out";
            self.losses.dropped(Aspect::Animations, path, message);
        }
        let mut errors = Errors::default();
        let arc = MAX_ARC_ERROR / self.deepest(&tracks).max(1) as f32;
        let frames = tracks
            .into_iter()
            .map(|(node, track)| (node, track.frames(&self.rest_place(node), (rate, arc), &mut errors)))
            .collect();
        let message =
            format!("keys were resampled to whole frames at {rate} frames a second (--fps sets the rate)");
        self.losses.measured(Aspect::Animations, path, message.clone(), errors.distance, "scene units");
        self.losses.measured(Aspect::Animations, path, message.clone(), errors.angle, "degrees");
        self.losses.measured(Aspect::Animations, path, message.clone(), errors.factor, "scale factor");
        self.losses.measured(Aspect::Animations, path, message, errors.time, "seconds");
        frames
    }
}

/// How far resampled tracks are from what they were.
#[derive(Default)]
struct Errors {
    distance: ErrorStats,
    angle: ErrorStats,
    factor: ErrorStats,
    /// How much sooner or later the ends are.
    time: ErrorStats,
}

impl Track<'_> {
    fn channels(&self) -> impl Iterator<Item = &Channel> {
        [self.translation, self.rotation, self.scale].into_iter().flatten()
    }

    /// The place at a time; properties without a channel rest.
    fn at(&self, seconds: f32, rest: &Placement) -> Placement {
        let vector = |channel: Option<&Channel>, rest: Vec3| {
            let value = channel.and_then(|channel| channel.sample(seconds));
            value.and_then(|v| Some(Vec3::from_array(v.try_into().ok()?))).unwrap_or(rest)
        };
        let rotation = self.rotation.and_then(|channel| channel.sample(seconds));
        let rotation = rotation.and_then(|q| Some(Quat::from_array(q.try_into().ok()?)));
        Placement {
            position: vector(self.translation, rest.position),
            rotation: rotation.unwrap_or(rest.rotation),
            scale: vector(self.scale, rest.scale),
        }
    }

    /// The keys by frame: those of the channels when all lie on whole frames and are joined by straight lines,
    /// else one for every frame.
    fn frames(&self, rest: &Placement, (rate, arc): (f32, f32), errors: &mut Errors) -> Frames {
        let straight = self.channels().all(|channel| channel.interpolation == Interpolation::Linear);
        // Time by frame, so that a key is sampled where it is and not beside it.
        let keys: Vec<f32> = self.channels().flat_map(|channel| kept_times(channel, rate)).collect();
        let frames: Option<BTreeMap<i32, f32>> =
            keys.iter().map(|time| Some((whole_frame(*time, rate)?, *time))).collect();
        // Keys of one channel that are nearer than a frame to each other cannot all stay.
        let apart = || self.channels().all(|channel| has_own_frames(&kept_times(channel, rate), rate));
        if let Some(frames) = frames.filter(|_| straight && apart()) {
            let keys = frames.into_iter().map(|(frame, time)| (frame, self.at(time, rest))).collect();
            return if self.rotation.is_some_and(is_as_read) {
                keys
            } else {
                self.follow_arcs(keys, rest, (rate, arc), errors)
            };
        }
        let start = keys.iter().copied().fold(f32::INFINITY, f32::min);
        let end = keys.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let frame_of = |time: f32| (time * rate).clamp(-1e9, 1e9);
        let (first, last) = (frame_of(start).floor() as i32, frame_of(end).ceil() as i32);
        let sampled: Frames = spread(first, last)
            .chain([last])
            .map(|frame| (frame, self.at(frame as f32 / rate, rest)))
            .collect();
        for (frame, time) in [(first, start), (last, end)] {
            let off = f64::from((frame as f32 / rate - time).abs());
            errors.time.add(if off > 1e-4 { off } else { 0.0 });
        }
        self.measure(&sampled, rest, rate, &keys, errors);
        sampled
    }

    /// Keys for the frames between two where the engine's straight way between rotations would show.
    fn follow_arcs(
        &self,
        keys: Frames,
        rest: &Placement,
        (rate, arc): (f32, f32),
        errors: &mut Errors,
    ) -> Frames {
        let mut followed = keys.clone();
        for ((from, a), (to, b)) in keys.iter().zip(keys.iter().skip(1)) {
            if nlerp_error(a.rotation, b.rotation) > arc {
                let between = spread(from + 1, to - 1);
                followed.extend(between.map(|frame| (frame, self.at(frame as f32 / rate, rest))));
            }
        }
        for (a, b) in followed.values().zip(followed.values().skip(1)) {
            let off = nlerp_error(a.rotation, b.rotation);
            // Below this nobody sees it.
            let off = off.to_degrees();
            errors.angle.add(if off > 0.05 { f64::from(off) } else { 0.0 });
        }
        followed
    }

    /// Compares at the old keys, and four times in every frame.
    fn measure(&self, sampled: &Frames, rest: &Placement, rate: f32, keys: &[f32], errors: &mut Errors) {
        let between =
            sampled.keys().flat_map(|frame| (0..4).map(move |n| (*frame as f32 + n as f32 / 4.0) / rate));
        for time in keys.iter().copied().chain(between) {
            let meant = self.at(time, rest);
            let frame = time * rate;
            // Times may be far past the last frame that can be counted.
            let whole = frame.floor() as i32;
            let before = sampled.range(..=whole).next_back().or(sampled.iter().next());
            let after = sampled.range((Bound::Excluded(whole), Bound::Unbounded)).next().or(before);
            let (Some((from, a)), Some((to, b))) = (before, after) else { continue };
            let frames = (i64::from(*to) - i64::from(*from)) as f32;
            let t = if to > from { ((frame - *from as f32) / frames).clamp(0.0, 1.0) } else { 0.0 };
            let got = Placement {
                position: a.position.lerp(b.position, t),
                rotation: nlerp(a.rotation, b.rotation, t),
                scale: a.scale.lerp(b.scale, t),
            };
            // What is smaller than this nobody sees.
            let seen = |off: f32, least: f32| if off > least { f64::from(off) } else { 0.0 };
            let moved = got.position.distance(meant.position);
            errors.distance.add(seen(moved, 1e-5 * meant.position.length().max(1.0)));
            errors.angle.add(seen(angle(got.rotation, meant.rotation).to_degrees(), 0.05));
            errors.factor.add(seen((got.scale - meant.scale).abs().max_element(), 1e-4));
        }
    }
}

/// Frames from one to another, all of them or evenly spread ones.
fn spread(first: i32, last: i32) -> impl Iterator<Item = i32> {
    let count = i64::from(last) - i64::from(first) + 1;
    let step = usize::try_from(count.div_euclid(MAX_KEYS) + 1).unwrap_or(1);
    (first..=last).step_by(step)
}

/// The most keys that a Scene gets: for each node that moves one a frame from its first key to its last.
pub(super) fn most_keys(scene: &Scene, rate: f32) -> u64 {
    let mut most: u64 = 0;
    let mut animated: BTreeSet<NodeId> = BTreeSet::new();
    for animation in &scene.animations {
        let mut nodes: BTreeMap<NodeId, (f32, f32, u64)> = BTreeMap::new();
        for channel in animation.channels.iter().filter(|channel| channel.property != Property::Weights) {
            let (Some(first), Some(last)) = (channel.times.first(), channel.times.last()) else { continue };
            let (start, end, keys) = nodes.entry(channel.node).or_insert((*first, *last, 0));
            (*start, *end) = (start.min(*first), end.max(*last));
            *keys += channel.times.len() as u64;
        }
        inherit_scales(scene, animation, &mut nodes);
        let frames = |(start, end, keys): (f32, f32, u64)| {
            // A number that is too large becomes the largest there is.
            keys + (((end - start) * rate).max(0.0) as u64).min(MAX_KEYS as u64)
        };
        animated.extend(nodes.keys().copied());
        most = nodes.into_values().map(frames).fold(most, u64::saturating_add);
    }
    // Each of several clips has a key at its beginning and its end for all that any of them moves.
    let ends = match scene.animations.len() {
        0 | 1 => 0,
        clips => (clips as u64).saturating_mul(2 * animated.len() as u64),
    };
    most.saturating_add(ends)
}

/// Below a scale that moves everything gets keys, and so does what holds its mesh.
fn inherit_scales(scene: &Scene, animation: &Animation, nodes: &mut BTreeMap<NodeId, (f32, f32, u64)>) {
    let scales = animation.channels.iter().filter(|channel| channel.property == Property::Scale);
    let mut scaled: BTreeSet<NodeId> = scales.map(|channel| channel.node).collect();
    if scaled.is_empty() {
        return;
    }
    // Parents come first.
    for id in kept_nodes(scene) {
        let Some((node, above)) = scene.nodes.get(id).zip(nodes.get(&id).copied()) else { continue };
        if !scaled.contains(&id) {
            continue;
        }
        for child in &node.children {
            let (start, end, keys) = nodes.entry(*child).or_insert((above.0, above.1, 0));
            (*start, *end) = (start.min(above.0), end.max(above.1));
            *keys = keys.saturating_add(above.2);
            scaled.insert(*child);
        }
        if let Some((_, _, keys)) = nodes.get_mut(&id) {
            *keys = keys.saturating_mul(2);
        }
    }
}

/// Whether the keys are those of a BO3D file with others put between, see `lift`.
fn is_as_read(channel: &Channel) -> bool {
    ChannelNote::of(&channel.extras).frames.is_some()
}

/// The times of a channel's keys, without those that reading put between or at the end of the clip.
fn kept_times(channel: &Channel, rate: f32) -> Vec<f32> {
    let note = ChannelNote::of(&channel.extras);
    let marked = note.clip_end == Some(true);
    let end = channel.times.len() - usize::from(marked && channel.times.len() > 1);
    let times = channel.times.get(..end).unwrap_or_default();
    let frames: Option<BTreeSet<i32>> = note.frames.map(|frames| frames.into_iter().collect());
    let own = |time: &&f32| match &frames {
        Some(frames) => whole_frame(**time, rate).is_some_and(|frame| frames.contains(&frame)),
        None => true,
    };
    times.iter().filter(own).copied().collect()
}

/// Whether no two neighbouring times lie on the same frame.
fn has_own_frames(times: &[f32], rate: f32) -> bool {
    times.is_sorted_by(|a, b| whole_frame(*a, rate) != whole_frame(*b, rate))
}

/// The frame of a time, if it lies on one.
fn whole_frame(time: f32, rate: f32) -> Option<i32> {
    let frame = time * rate;
    let whole = frame.round();
    let tolerance = FRAME_TOLERANCE.max(frame.abs() * 1e-6);
    ((frame - whole).abs() <= tolerance && whole.abs() < 1e9).then_some(whole as i32)
}

/// E7: the engine blends in from the bind pose up to the first key.
fn begin_at_zero(frames: &mut Frames) -> bool {
    let Some((first, place)) = frames.iter().next().map(|(frame, place)| (*frame, *place)) else {
        return false;
    };
    if first > 0 {
        frames.insert(0, place);
    }
    first > 0
}

/// E5: the engine does not look at signs, so each rotation is on the side of the one before, the first on that of the
/// bind pose.
fn near_signs(frames: &mut Frames, rest: Quat) {
    let mut before = rest;
    for place in frames.values_mut() {
        if place.rotation.dot(before) < 0.0 {
            place.rotation = -place.rotation;
        }
        before = place.rotation;
    }
}

/// A key in the file's axes.
fn key(frame: i32, place: &Placement) -> Key {
    let place = place.turned();
    Key {
        frame: frame.into(),
        position: place.position.to_array().map(Into::into),
        scale: place.scale.to_array().map(Into::into),
        rotation: wxyz(place.rotation).map(Into::into),
    }
}
