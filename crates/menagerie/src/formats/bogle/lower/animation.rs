//! Animations, resampled where channels do not go together.

use std::collections::{BTreeMap, BTreeSet};

use glam::{DQuat, DVec3, Quat, Vec3};

use super::Lowering;
use super::chain::Chain;
use super::pool::Pool;
use super::skeleton::{Rig, Stance};
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Issue, LIMIT, Loss, LossKind};
use crate::formats::bogle::joints::Joints;
use crate::formats::bogle::lift::REPEATED_AFTER;
use crate::formats::bogle::model::{Animation, Collection, Key};
use crate::formats::bogle::notes::{AnimationNote, Note as _, write_name};
use crate::scene::{self, Channel, Interpolation, NodeId, Property, Transform, Turn};

/// Keys a second where a channel has to be resampled.
const RATE: f32 = 60.0;
/// Keys that one animation may have when it is resampled.
const MAX_KEYS: usize = 1 << 16;
/// Which part of the keys that a job may resample to may be rotations in keys between those that there were.
pub(super) const BETWEEN: u64 = 8;
/// What a rotation of a key takes in memory, and a key beside its rotations: that of one.
const ROTATION: u64 = 520;
const KEY_AS_ROTATIONS: u64 = 1;
/// How often a skeleton is posed for a key: to find out whether it is wanted, to write it, and to measure beside it.
const POSES: usize = 3;
/// How far off bones may be between keys before there is a key more: as a part of how far out they go, and in degrees.
const NEAR: f64 = 2e-4;
const NEAR_ANGLE: f64 = 0.1;
/// Errors below this are rounding: of positions by the size of the skeleton, of rotations in degrees.
const SMALL: f64 = 2e-5;
const SMALL_ANGLE: f64 = 0.02;
/// The key of a bone that does not turn.
const NO_TURN: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// What happens to one skeleton in one animation.
struct Motion<'a> {
    /// The channels of the bones and of all that is above them.
    channels: BTreeMap<NodeId, Vec<&'a Channel>>,
    /// The bones and all that is above them.
    chain: Chain,
    /// Whether the bones' own transforms tell everything.
    direct: bool,
}

impl Lowering<'_> {
    /// The animation collections, and for each skeleton its number.
    pub(super) fn collections(&mut self) -> Result<(Vec<Collection>, Vec<usize>), Issue> {
        self.report_lost_channels();
        let rigs = std::mem::take(&mut self.rigs);
        let mut pool = Pool::default();
        let mut numbers = Vec::with_capacity(rigs.len());
        for rig in &rigs {
            let mut ranked: Vec<(usize, Animation)> = rig.stills.clone();
            for (i, animation) in self.scene.animations.iter().enumerate() {
                let rank = AnimationNote::of(&animation.extras).animation.unwrap_or(usize::MAX);
                if let Some(animation) = self.animation(i, animation, rig)? {
                    ranked.push((rank, animation));
                }
            }
            ranked.sort_by_key(|(rank, _)| *rank);
            let animations = ranked.into_iter().map(|(_, animation)| animation).collect();
            let collection = Collection { animations, ..rig.collection.clone() };
            numbers.push(pool.add(rig.wanted, rig.group, collection));
        }
        let (collections, place_of) = pool.finish();
        self.rigs = rigs;
        Ok((collections, numbers.into_iter().filter_map(|number| place_of.get(number).copied()).collect()))
    }

    /// Movements that are not those of bones, and scales.
    fn report_lost_channels(&mut self) {
        let bones: BTreeSet<NodeId> = self.rigs.iter().flat_map(|rig| rig.bones.iter().copied()).collect();
        let move_bones = self.with_all_above(bones.iter().copied());
        for (i, animation) in self.scene.animations.iter().enumerate() {
            let path = format!("animations[{i}]");
            let moving = animation.channels.iter().filter(|channel| channel.property != Property::Weights);
            if animation.channels.is_empty() {
                let message = "an animation that moves nothing was left out";
                self.losses.dropped(Aspect::Animations, path.clone(), message);
            }
            let kept = moving.clone().any(|c| !c.times.is_empty() && move_bones.contains(&c.node));
            let others = moving.clone().filter(|channel| !bones.contains(&channel.node));
            // Where something of the animation is left, what stays where it rests is no loss.
            let others = others.filter(|channel| !kept || self.changes(channel));
            let (carried, others): (Vec<&Channel>, Vec<&Channel>) =
                others.partition(|channel| self.carried.contains(&channel.node));
            if !others.is_empty() {
                let message = "BOGLE moves bones only; the movement of other nodes was left out";
                let loss = Loss::new(Aspect::Animations, LossKind::Dropped, path.clone(), message);
                self.losses.push(loss.count(others.len()));
            }
            // Scales of what bones stand for are left out; of what shows nothing, all but what it carries.
            let shows = |id: NodeId| self.scene.nodes.get(id).is_some_and(|node| node.mesh.is_some());
            let empty = |c: &&Channel| !shows(c.node) || c.property == Property::Scale;
            let still = carried.into_iter().filter(empty).count();
            if still > 0 {
                let message = "nodes that show nothing stay where they rest, and nothing changes its size; what hangs on them \
                               moves";
                let loss = Loss::new(Aspect::Animations, LossKind::Approximated, path.clone(), message);
                self.losses.push(loss.count(still));
            }
            let mut stats = ErrorStats::default();
            let scales = moving.filter(|c| c.property == Property::Scale && bones.contains(&c.node));
            for channel in scales {
                let (_, _, rest, _) = self.local(channel.node).to_trs();
                for key in 0..channel.times.len() {
                    let value =
                        channel.key(key).iter().zip(rest.to_array()).map(|(a, b)| f64::from((a - b).abs()));
                    let off = value.fold(0.0, f64::max);
                    stats.add(if off > 1e-4 { off } else { 0.0 });
                }
            }
            if stats.is_off() {
                let message = "BOGLE's bones do not scale";
                let loss = Loss::new(Aspect::Animations, LossKind::Dropped, path, message);
                self.losses.push(loss.measured(stats, "scale factor"));
            }
        }
    }

    /// An animation of a skeleton; `None` when it does not move it.
    fn animation(
        &mut self,
        i: usize,
        animation: &scene::Animation,
        rig: &Rig,
    ) -> Result<Option<Animation>, Issue> {
        let Some(motion) = self.motion(animation, rig)? else { return Ok(None) };
        let mut times = key_times(motion.channels.values().flatten().copied());
        self.times_for_engine(i, animation, rig, &mut times);
        // A key holds all bones, however few of them have one at its time.
        let rotations = |keys: usize| (keys as u64).saturating_mul(rig.rest.len() as u64 + KEY_AS_ROTATIONS);
        self.limits.take(rotations(times.len()).saturating_mul(ROTATION))?;
        if !motion.direct {
            let before = times.len();
            self.walk_up(&motion.chain, POSES.saturating_mul(before))?;
            times = self.keys_between(rig, &motion, &times);
            self.walk_up(&motion.chain, POSES.saturating_mul(times.len() - before))?;
            self.limits.take(rotations(times.len() - before).saturating_mul(ROTATION))?;
        }
        let poses: Vec<Vec<Stance>> = times.iter().map(|time| self.pose(rig, &motion, *time)).collect();
        let keys = keys(rig, &times, &poses);
        if !rig.from_file && self.carries(rig) {
            let message = "joints move as bones; what else hangs on them stays where it rests";
            self.losses.approximated(Aspect::Animations, format!("animations[{i}]"), message);
        }
        self.measure(i, rig, &motion, &times, &poses);
        self.report_resampling(i, &motion, times.len());
        let name = write_name(&animation.name, AnimationNote::of(&animation.extras).name_bytes);
        Ok(Some(Animation { name, keys }))
    }

    /// The engine shows nothing before the first key, and the rest pose where there is one key only (engines.md BOGLE
    /// E8): the first pose comes at time zero, and a single one twice.
    fn times_for_engine(&mut self, i: usize, animation: &scene::Animation, rig: &Rig, times: &mut Vec<f32>) {
        let repeated = AnimationNote::of(&animation.extras).repeated_key && self.purpose.serves_engine();
        let mend = self.for_engine(rig.from_file);
        let mut added = 0;
        if mend && times.first().is_some_and(|first| *first > 0.0) {
            times.insert(0, 0.0);
            added += 1;
        }
        if (mend || repeated)
            && let [only] = *times.as_slice()
        {
            times.push(only + REPEATED_AFTER);
            added += 1;
        }
        if added > 0 && mend {
            let message =
                "the first pose was repeated, for the engine begins at time zero and needs two keys";
            let loss = Loss::new(Aspect::Animations, LossKind::Added, format!("animations[{i}]"), message);
            self.losses.push(loss.count(added));
        }
    }

    /// Whether a channel ever leaves the rest of its node.
    fn changes(&self, channel: &Channel) -> bool {
        let (translation, rotation, scale, _) = self.local(channel.node).to_trs();
        let rest: Vec<f32> = match channel.property {
            Property::Translation => translation.to_array().to_vec(),
            Property::Rotation => rotation.to_array().to_vec(),
            Property::Scale => scale.to_array().to_vec(),
            Property::Weights => return false,
        };
        let off = |key: &[f32], sign: f32| {
            key.iter().zip(&rest).any(|(a, b)| (a - b * sign).abs() > 1e-5 * b.abs().max(1.0))
        };
        (0..channel.times.len()).any(|key| {
            let key = channel.key(key);
            off(key, 1.0) && (channel.property != Property::Rotation || off(key, -1.0))
        })
    }

    /// Whether something that is no bone hangs on a bone.
    fn carries(&self, rig: &Rig) -> bool {
        rig.bones.iter().any(|bone| self.carrying.contains(bone))
    }

    /// Some nodes and all that is above them.
    pub(super) fn with_all_above(&self, nodes: impl Iterator<Item = NodeId>) -> BTreeSet<NodeId> {
        let mut all = BTreeSet::new();
        for id in nodes {
            for node in std::iter::once(id).chain(self.ancestors(id)) {
                if !all.insert(node) {
                    break;
                }
            }
        }
        all
    }

    /// Counts that a skeleton was looked at so many times with all that is above it, which many skeletons share.
    fn walk_up(&mut self, chain: &Chain, times: usize) -> Result<(), Issue> {
        self.steps_left =
            self.steps_left.checked_sub(chain.above().saturating_mul(times)).ok_or_else(|| {
                let most = self.limits.steps;
                let message =
                    format!("so much hangs on what moves that it takes more than {most} steps (steps)");
                Issue::new(&LIMIT, "animations", message)
            })?;
        Ok(())
    }

    /// The channels of an animation that move a skeleton.
    fn motion<'a>(
        &mut self,
        animation: &'a scene::Animation,
        rig: &Rig,
    ) -> Result<Option<Motion<'a>>, Issue> {
        let chain = Chain::new(&rig.bones, &self.parents);
        self.walk_up(&chain, 1)?;
        let mut channels: BTreeMap<NodeId, Vec<&Channel>> = BTreeMap::new();
        let mut direct = rig.direct;
        for channel in &animation.channels {
            let moves = channel.property != Property::Weights && !channel.times.is_empty();
            if moves && let Some(of_bone) = chain.is_bone(channel.node) {
                direct &= of_bone && channel.property != Property::Scale;
                channels.entry(channel.node).or_default().push(channel);
            }
        }
        Ok((!channels.is_empty()).then_some(Motion { channels, chain, direct }))
    }

    fn pose(&self, rig: &Rig, motion: &Motion<'_>, time: f32) -> Vec<Stance> {
        let local = |id: NodeId| {
            let rest = self.local(id);
            motion.channels.get(&id).map_or(rest, |channels| sampled(&rest, channels, time))
        };
        self.relative(rig, &motion.chain, motion.direct, &local)
    }

    /// The times of keys, and of more between them where bones would be elsewhere: the turns of several nodes above each
    /// other do not add up to a straight way. At most as many as the engine draws pictures.
    fn keys_between(&mut self, rig: &Rig, motion: &Motion<'_>, times: &[f32]) -> Vec<f32> {
        let at = |time: f32| (time, held(rig, &self.pose(rig, motion, time)));
        let each = rig.rest.len() as u64 + KEY_AS_ROTATIONS;
        let mut left = (self.between_left / each).min(MAX_KEYS.saturating_sub(times.len()) as u64);
        let mut open: Vec<(f32, Vec<Stance>)> = times.iter().rev().map(|time| at(*time)).collect();
        let mut all = Vec::with_capacity(times.len());
        while let Some((from, pose)) = open.pop() {
            all.push(from);
            while let Some((to, next)) = open.last() {
                let middle = from + (to - from) / 2.0;
                let apart = || {
                    let mut off = Apart::default();
                    off.add(rig, &at(middle).1, &between(&pose, next));
                    off.distance.max > NEAR * off.size.max(1e-9) || off.angle.max > NEAR_ANGLE
                };
                if left == 0 || to - from <= 1.0 / RATE || !apart() {
                    break;
                }
                left -= 1;
                let found = at(middle);
                open.push(found);
            }
        }
        self.between_left -= (all.len() - times.len()) as u64 * each;
        all
    }

    /// Compares where the bones are with where they will be, at the keys and between them.
    fn measure(&mut self, i: usize, rig: &Rig, motion: &Motion<'_>, times: &[f32], poses: &[Vec<Stance>]) {
        let mut off = Apart::default();
        for (index, pose) in poses.iter().enumerate() {
            off.add(rig, pose, &held(rig, pose));
            let (Some(next), Some(from), Some(to)) =
                (poses.get(index + 1), times.get(index), times.get(index + 1))
            else {
                continue;
            };
            let middle = held(rig, &between(pose, next));
            off.add(rig, &self.pose(rig, motion, from + (to - from) / 2.0), &middle);
        }
        let Apart { mut distance, angle, size } = off;
        distance = distance.times(rig.base_scale());
        let size = size * rig.base_scale();
        let path = format!("animations[{i}]");
        if distance.max > SMALL * size.max(1e-9) {
            let message = "only the first root is moved in BOGLE, other bones just turn; the error is that of their places";
            self.losses.measured(Aspect::Animations, path.clone(), message, distance, "scene units");
        }
        if angle.max > SMALL_ANGLE {
            let message = "between the keys bones turn along another way";
            self.losses.measured(Aspect::Animations, path, message, angle, "degrees");
        }
    }

    fn report_resampling(&mut self, i: usize, motion: &Motion<'_>, keys: usize) {
        let all = || motion.channels.values().flatten();
        let bent = all().filter(|channel| channel.interpolation != Interpolation::Linear).count();
        let path = format!("animations[{i}]");
        if bent > 0 {
            let message = format!("steps and curves became {keys} keys with straight lines between them");
            self.losses
                .push(Loss::new(Aspect::Animations, LossKind::Approximated, path, message).count(bent));
        } else if all().any(|channel| channel.times.len() != keys) {
            let message = format!("a key holds all bones in BOGLE: all channels got the same {keys} keys");
            self.losses.approximated(Aspect::Animations, path, message);
        }
    }
}

/// The keys of poses at their times.
fn keys(rig: &Rig, times: &[f32], poses: &[Vec<Stance>]) -> Vec<Key> {
    let first_root = rig.parents.iter().position(Option::is_none);
    let mut keys: Vec<Key> = Vec::with_capacity(times.len());
    let mut before: Vec<DQuat> = Vec::new();
    for (time, pose) in times.iter().zip(poses) {
        let turns = pose.iter().zip(&rig.rest).map(|((now, _), (rest, _))| rest.inverse() * *now);
        // The same rotation has two signs; the nearer one makes readers turn the short way.
        let nearer = |(bone, turn): (usize, DQuat)| {
            if before.get(bone).is_some_and(|before| before.dot(turn) < 0.0) { -turn } else { turn }
        };
        before = turns.enumerate().map(nearer).collect();
        let offset = first_root.and_then(|root| {
            let ((_, now), (turn, rest)) = (pose.get(root)?, rig.rest.get(root)?);
            // A bone is moved in its own frame; that of a place bone is not turned (engines.md BOGLE E6).
            let offset = match rig.joints {
                Joints::Plain => turn.inverse() * (*now - *rest),
                Joints::Doubled => *now - *rest,
            };
            let small = SMALL * 0.01 * rest.abs().max_element().max(now.abs().max_element());
            Some(if offset.abs().max_element() <= small { DVec3::ZERO } else { offset })
        });
        let rotation = |turn: &DQuat| Turn::YUpToZUp.quat(turn.as_quat()).to_array().map(Into::into);
        keys.push(Key {
            time: *time,
            root_offset: Turn::YUpToZUp.vec3(offset.unwrap_or_default().as_vec3()).to_array(),
            rotations: match rig.joints {
                Joints::Plain => before.iter().map(rotation).collect(),
                Joints::Doubled => {
                    before.iter().flat_map(|turn| [NO_TURN.map(Into::into), rotation(turn)]).collect()
                }
            },
        });
    }
    keys
}

/// How far bones are apart in two poses.
#[derive(Default)]
struct Apart {
    distance: ErrorStats,
    angle: ErrorStats,
    /// How far out they go.
    size: f64,
}

impl Apart {
    fn add(&mut self, rig: &Rig, meant: &[Stance], got: &[Stance]) {
        let order = &rig.parents;
        for ((a, a_at), (b, b_at)) in placed(meant, order).into_iter().zip(placed(got, order)) {
            self.size = self.size.max(a_at.abs().max_element());
            self.distance.add(a_at.distance(b_at));
            let between = a.inverse() * b;
            let sine = DVec3::new(between.x, between.y, between.z).length();
            self.angle.add((2.0 * crate::math::atan2_64(sine, between.w.abs())).to_degrees());
        }
    }
}

/// Halfway from one pose to the next, as players go.
fn between(pose: &[Stance], next: &[Stance]) -> Vec<Stance> {
    let halfway = |((a, a_at), (b, b_at)): (&Stance, &Stance)| {
        let b = if a.dot(*b) < 0.0 { -*b } else { *b };
        (a.slerp(b, 0.5).normalize(), a_at.lerp(*b_at, 0.5))
    };
    pose.iter().zip(next).map(halfway).collect()
}

/// A pose as BOGLE can hold it: bones other than the first root stay where they rest in their parents.
fn held(rig: &Rig, pose: &[Stance]) -> Vec<Stance> {
    let first_root = rig.parents.iter().position(Option::is_none);
    let of_bone = |(bone, ((turn, at), (_, rest))): (usize, (&Stance, &Stance))| {
        (*turn, if first_root == Some(bone) { *at } else { *rest })
    };
    pose.iter().zip(&rig.rest).enumerate().map(of_bone).collect()
}

/// Where the bones are in the space of the roots. Bones whose parents come later are placed by going up.
fn placed(pose: &[Stance], parents: &[Option<usize>]) -> Vec<Stance> {
    let mut done: Vec<Option<Stance>> = vec![None; pose.len()];
    let mut chain = Vec::new();
    for start in 0..pose.len() {
        let mut at = Some(start);
        while let Some(bone) = at.filter(|bone| done.get(*bone).is_some_and(Option::is_none)) {
            chain.push(bone);
            at = parents.get(bone).copied().flatten();
        }
        let mut above = at.and_then(|bone| done.get(bone).copied().flatten());
        while let Some(bone) = chain.pop() {
            let (turn, moved) = pose.get(bone).copied().unwrap_or_default();
            let here = above.map_or((turn, moved), |(q, p)| (q * turn, p + q * moved));
            if let Some(slot) = done.get_mut(bone) {
                *slot = Some(here);
            }
            above = Some(here);
        }
    }
    done.into_iter().map(Option::unwrap_or_default).collect()
}

/// A transform with what its channels say at a time.
fn sampled(rest: &Transform, channels: &[&Channel], time: f32) -> Transform {
    let (mut translation, mut rotation, mut scale, _) = rest.to_trs();
    for channel in channels {
        let Some(value) = channel.sample(time) else { continue };
        match (channel.property, value.as_slice()) {
            (Property::Translation, &[x, y, z]) => translation = Vec3::new(x, y, z),
            (Property::Scale, &[x, y, z]) => scale = Vec3::new(x, y, z),
            (Property::Rotation, &[x, y, z, w]) => rotation = Quat::from_xyzw(x, y, z, w),
            _ => {}
        }
    }
    Transform::Trs { translation, rotation, scale }
}

/// The times of all keys of several channels. A step is held until just before the next key; a curve gets keys in
/// between.
fn key_times<'a>(channels: impl Iterator<Item = &'a Channel>) -> Vec<f32> {
    let mut times: Vec<f32> = Vec::new();
    for channel in channels {
        times.extend_from_slice(&channel.times);
        for pair in channel.times.windows(2) {
            let &[from, to] = pair else { continue };
            match channel.interpolation {
                Interpolation::Linear => {}
                Interpolation::Step => times.push(to.next_down().max(from)),
                Interpolation::Cubic => {
                    let parts = ((to - from) * RATE).ceil().clamp(1.0, MAX_KEYS as f32) as usize;
                    times.extend((1..parts).map(|part| from + (to - from) * part as f32 / parts as f32));
                }
            }
        }
    }
    times.sort_by(f32::total_cmp);
    times.dedup();
    if times.len() > MAX_KEYS {
        let step = times.len().div_ceil(MAX_KEYS);
        let last = times.last().copied();
        times = times.into_iter().step_by(step).collect();
        if times.last().copied() != last {
            times.extend(last);
        }
    }
    times
}
