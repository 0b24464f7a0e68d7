//! Animations: frames to seconds, and keys to channels of joints.

use glam::{Quat, Vec3};

use super::{Lifting, Reading, TURN};
use crate::bytes::{Se32, decode_text};
use crate::formats::bmd::added::has_spare_frame;
use crate::formats::bmd::engine::{self, Place};
use crate::formats::bmd::model::{Animation, rotation};
use crate::formats::bmd::notes::{AnimationNote, ChannelNote, KeyWords, Note};
use crate::formats::bmd::pose::{BoneKind, Keys, around, base, nlerp, posed};
use crate::scene::{
    Animation as SceneAnimation, Arena, Channel, Extras, Interpolation, Node, NodeId, Property,
};

/// Frames a second of an animation that says none.
pub(in crate::formats::bmd) const DEFAULT_HZ: f32 = 10.0;
/// How far in radians the arc between two keys of the Scene may be from the straight way of the file.
const MAX_ARC_ERROR: f32 = 5e-4;

/// One channel of the file: frames and words.
type Words = [(usize, u32)];

impl Lifting<'_> {
    pub(super) fn animations(&mut self) {
        if self.model.bones.is_empty() || self.added.root || self.added.rest_animation {
            return;
        }
        // How long the animation lasts that others go on with, in seconds.
        let mut begun = 0.0;
        for (i, animation) in self.model.animations.iter().enumerate() {
            let framed = |places: &[Vec<Place>]| {
                let name = self.animation_name(i, animation).0;
                SceneAnimation { name, ..self.framed(animation, places) }
            };
            let lifted = match self.reading {
                Reading::Document => self.animation(i, animation),
                Reading::Engine => framed(&engine::places(self.model, animation)),
                Reading::Plain => framed(&engine::document_places(self.model, animation)),
            };
            let own = self.frames_of(i, animation) / rate(animation);
            match self.scene.animations.last_mut().filter(|_| self.added.continues.contains(&i)) {
                Some(whole) => {
                    append(whole, lifted, (begun, begun + own), &self.scene.nodes);
                    begun += own;
                }
                None => {
                    let place = self.scene.animations.len();
                    self.origins.animation(place, || format!("animations[{i}]"));
                    self.scene.animations.push(lifted);
                    begun = own;
                }
            }
        }
    }

    /// How many frames an animation lasts, without a spare one.
    fn frames_of(&self, index: usize, animation: &Animation) -> f32 {
        let spare = self.added.spare_frames.contains(&index);
        (f32::from(animation.frame_count) - 1.0 - f32::from(u8::from(spare))).max(0.0)
    }

    /// The animation from the places of the bones at whole frames; the engine knows no others (E11).
    /// A last frame without keys is the engine's alone, which is on its way back to the first there.
    fn framed(&self, animation: &Animation, places: &[Vec<Place>]) -> SceneAnimation {
        let spare = usize::from(!animation.loops() && has_spare_frame(animation));
        let places = places.get(..places.len().saturating_sub(spare)).unwrap_or_default();
        let times: Vec<f32> = (0..places.len()).map(|frame| frame as f32 / rate(animation)).collect();
        let mut lifted = SceneAnimation::default();
        for (bone, node) in self.nodes.iter().enumerate().skip(1) {
            let Some(node) = *node else { continue };
            let of_bone = || places.iter().filter_map(|frame| frame.get(bone));
            let moved = of_bone().flat_map(|place| TURN.vec3(place.translation).to_array()).collect();
            let turned = of_bone().flat_map(|place| TURN.quat(place.rotation).to_array()).collect();
            for (property, values) in [(Property::Translation, moved), (Property::Rotation, turned)] {
                lifted.channels.push(channel(node, property, times.clone(), values));
            }
        }
        lifted
    }

    /// The name of an animation, empty for one that was made up, and whether its bytes are UTF-8.
    fn animation_name(&self, index: usize, animation: &Animation) -> (String, bool) {
        let (name, utf8) = decode_text(self.model.text(animation.name_at).unwrap_or_default());
        (if self.added.unnamed.contains(&index) { String::new() } else { name }, utf8)
    }

    fn animation(&self, index: usize, animation: &Animation) -> SceneAnimation {
        let raw_name = self.model.text(animation.name_at).unwrap_or_default();
        let (name, utf8) = self.animation_name(index, animation);
        let unnamed = self.added.unnamed.contains(&index);
        let mut lifted = SceneAnimation { name, ..SceneAnimation::default() };
        let spare = self.added.spare_frames.contains(&index);
        // The spare frame and keys on it are nobody's.
        let shorter = Animation { frame_count: animation.frame_count - u8::from(spare), ..animation.clone() };
        let animation = &shorter;
        let baked = self.baked_keys(animation);
        let mut note = AnimationNote {
            frames: Some(animation.frame_count),
            rate: Some(animation.rate),
            spare: spare.then_some(true),
            made_name: unnamed.then(|| raw_name.to_vec()),
            name_bytes: (!unnamed && !utf8).then(|| raw_name.to_vec()),
            baked_keys: (!baked.is_empty()).then_some(baked),
            root_keys: None,
        };
        for (bone, track) in animation.tracks.iter().enumerate() {
            let (Some(BoneKind::Ordinary(parent)), Some(Some(node))) =
                (self.kinds.get(bone), self.nodes.get(bone))
            else {
                continue;
            };
            let keys = Keys::of(track, animation.frame_count);
            match parent {
                Some(_) => {
                    lifted.channels.extend(channels(*node, &keys, base(&self.model.bones, bone), animation))
                }
                // Keys of bone 0 have no effect, and are kept.
                None if keys != Keys::default() => {
                    note.root_keys = Some(KeyWords::of(&keys));
                }
                None => {}
            }
        }
        note.keep(&mut lifted.extras);
        self.give_length(&mut lifted, animation);
        lifted
    }

    /// The keys of bones that stand for blends, for the way back: the Scene has those of the blended joints.
    fn baked_keys(&self, animation: &Animation) -> Vec<(usize, KeyWords)> {
        let keys = |bone: &usize| {
            let keys = Keys::of(animation.tracks.get(*bone)?, animation.frame_count);
            Some((*bone, KeyWords::of(&keys)))
        };
        self.baked.keys().filter_map(keys).collect()
    }

    /// A clip lasts as long as the file says, whatever its keys: a channel gets a key at the end, and a clip that moves
    /// nothing a channel that does nothing.
    fn give_length(&self, lifted: &mut SceneAnimation, animation: &Animation) {
        let frames = f32::from(animation.frame_count);
        let end = if animation.loops() { frames } else { (frames - 1.0).max(0.0) } / rate(animation);
        if lifted.channels.is_empty()
            && let Some(root) = self.nodes.iter().flatten().next()
        {
            let mut made = channel(*root, Property::Translation, vec![0.0], vec![0.0; 3]);
            ChannelNote { made: Some(true), keys: None }.keep(&mut made.extras);
            lifted.channels.push(made);
        }
        if lifted.seconds() < end
            && let Some(channel) = lifted.channels.first_mut()
        {
            let last = channel.key(channel.times.len().saturating_sub(1)).to_vec();
            channel.times.push(end);
            channel.values.extend(last);
        }
    }
}

/// Puts what an animation goes on with behind it, from one time to another. What moves in one of them only rests in the
/// other.
fn append(whole: &mut SceneAnimation, more: SceneAnimation, (from, to): (f32, f32), nodes: &Arena<Node>) {
    // It is no animation of the file any more, so its numbers are not kept.
    let note = AnimationNote::of(&whole.extras);
    AnimationNote { frames: None, baked_keys: None, ..note }.keep(&mut whole.extras);
    let rest = |node: NodeId, property: Property| {
        let transform = nodes.get(node).map(|node| node.transform).unwrap_or_default();
        let (translation, rotation, scale, _) = transform.to_trs();
        match property {
            Property::Translation => translation.to_array().to_vec(),
            Property::Rotation => rotation.to_array().to_vec(),
            _ => scale.to_array().to_vec(),
        }
    };
    let of = |channel: &Channel| (channel.node, channel.property);
    let known: Vec<(NodeId, Property)> = whole.channels.iter().map(of).collect();
    for channel in more.channels.iter().filter(|channel| !known.contains(&of(channel))) {
        let value = rest(channel.node, channel.property);
        let still = [value.clone(), value].concat();
        whole.channels.push(self::channel(channel.node, channel.property, vec![0.0, from], still));
    }
    for channel in &mut whole.channels {
        channel.extras = Extras::default();
        let last = channel.key(channel.times.len().saturating_sub(1)).to_vec();
        if channel.times.last().is_some_and(|last| *last < from) {
            channel.times.push(from);
            channel.values.extend(last);
        }
        match more.channels.iter().find(|other| of(other) == of(channel)) {
            Some(other) => {
                for (key, time) in other.times.iter().enumerate() {
                    let time = from + time;
                    if channel.times.last().is_some_and(|last| time > *last) {
                        channel.times.push(time);
                        channel.values.extend_from_slice(other.key(key));
                    }
                }
            }
            None => {
                let value = rest(channel.node, channel.property);
                channel.times.extend([from.next_up(), to]);
                channel.values.extend([value.clone(), value].concat());
            }
        }
    }
}

/// Frames a second of an animation that this format kept.
pub(in crate::formats) fn frames_per_second(animation: &SceneAnimation) -> Option<f32> {
    let code = AnimationNote::of(&animation.extras).rate?;
    Some(rate(&Animation { rate: code, ..Animation::default() }))
}

/// Frames a second.
fn rate(animation: &Animation) -> f32 {
    if animation.hz() > 0.0 { animation.hz() } else { DEFAULT_HZ }
}

fn channel(node: NodeId, property: Property, times: Vec<f32>, values: Vec<f32>) -> Channel {
    Channel { node, property, interpolation: Interpolation::Linear, times, values, extras: Extras::default() }
}

/// The channels of one bone. Their keys are the file's, and those where a loop begins and ends.
fn channels(node: NodeId, keys: &Keys, base: (Vec3, Quat), animation: &Animation) -> Vec<Channel> {
    let lists = [
        (Property::Translation, &keys.translation),
        (Property::Rotation, &keys.rotation),
        (Property::Scale, &keys.scale),
    ];
    let mut channels = Vec::new();
    for (property, list) in lists.into_iter().filter(|(_, list)| !list.is_empty()) {
        let frames = scene_frames(property, list, animation);
        let times = frames.iter().map(|frame| frame / rate(animation)).collect();
        let values =
            frames.iter().flat_map(|frame| value_at(property, keys, base, *frame, animation)).collect();
        let mut channel = channel(node, property, times, values);
        ChannelNote { keys: Some(list.clone()), made: None }.keep(&mut channel.extras);
        channels.push(channel);
    }
    channels
}

/// The value of a channel at a frame, in the Scene's axes.
fn value_at(
    property: Property,
    keys: &Keys,
    base: (Vec3, Quat),
    frame: f32,
    animation: &Animation,
) -> Vec<f32> {
    let (translation, rotation, scale) = posed(keys, base, frame, animation.frame_count, animation.loops());
    match property {
        Property::Translation => TURN.vec3(translation).to_array().to_vec(),
        Property::Rotation => TURN.quat(rotation).to_array().to_vec(),
        _ => TURN.scale(scale).to_array().to_vec(),
    }
}

/// The frames that a channel has keys at. A single key holds everywhere.
fn scene_frames(property: Property, list: &Words, animation: &Animation) -> Vec<f32> {
    if list.len() < 2 {
        return vec![0.0];
    }
    let mut own: Vec<f32> = list.iter().map(|(frame, _)| *frame as f32).collect();
    if animation.loops() {
        if own.first().is_some_and(|first| *first > 0.0) {
            own.insert(0, 0.0);
        }
        own.push(f32::from(animation.frame_count));
    }
    if property != Property::Rotation {
        return own;
    }
    let mut all = Vec::new();
    for (from, to) in own.iter().zip(own.iter().skip(1)) {
        let pieces = pieces(list, *from, *to, animation);
        all.extend((0..pieces).map(|piece| from + (to - from) * piece as f32 / pieces as f32));
    }
    all.extend(own.last());
    all
}

/// The most pieces between two keys.
const MOST_PIECES: usize = 64;
/// Below this angle between two rotations, as the product of the quaternions, one or two pieces are enough.
const NEAR: f32 = 0.995;

/// The most keys that a channel of rotations gets beside those of the file.
pub(in crate::formats::bmd) fn most_keys(list: &Words) -> u64 {
    let far =
        |(a, b): &(&(usize, u32), &(usize, u32))| a.1 != b.1 && rotation(a.1).dot(rotation(b.1)).abs() < NEAR;
    // A loop goes from the last to the first.
    let next = list.iter().skip(1).chain(list.first());
    let far = list.iter().zip(next).filter(far).count();
    far.saturating_mul(MOST_PIECES).saturating_add(list.len().saturating_mul(2)) as u64
}

/// Into how many pieces the way between two frames is cut, so that arcs between them are as good as the file's straight
/// way between quaternions.
fn pieces(list: &Words, from: f32, to: f32, animation: &Animation) -> usize {
    let at = |t: f32| {
        let frame = from + (to - from) * t;
        around(list, frame, animation.frame_count, animation.loops())
            .map_or(Quat::IDENTITY, |(a, b, t)| nlerp(rotation(a), rotation(b), t))
    };
    let good = |pieces: &usize| {
        let n = *pieces as f32;
        (0..*pieces).all(|piece| {
            let (a, b) = (at(piece as f32 / n), at((piece + 1) as f32 / n));
            [0.25f32, 0.5, 0.75].iter().all(|t| {
                let arc = a.slerp(b, *t);
                let straight = at((piece as f32 + t) / n);
                2.0 * (arc - straight).length().min((arc + straight).length()) <= MAX_ARC_ERROR
            })
        })
    };
    [1, 2, 4, 8, 16, 32].into_iter().find(good).unwrap_or(MOST_PIECES)
}

/// Whether a channel of the Scene still says what the words that it was made of say.
pub(in crate::formats::bmd) fn matches_keys(
    channel: &Channel,
    list: &Words,
    base: (Vec3, Quat),
    animation: &Animation,
) -> bool {
    let mut keys = Keys::default();
    match channel.property {
        Property::Translation => keys.translation = list.to_vec(),
        Property::Rotation => keys.rotation = list.to_vec(),
        Property::Scale => keys.scale = list.to_vec(),
        Property::Weights => return false,
    }
    let size =
        list.iter().flat_map(|(_, word)| Se32(*word).values()).fold(1.0f32, |size, x| size.max(x.abs()));
    let same_frames = {
        let mut frames = scene_frames(channel.property, list, animation);
        frames.truncate(channel.times.len());
        let expected = frames.iter().map(|frame| frame / rate(animation));
        expected.zip(&channel.times).all(|(a, b)| (a - b).abs() <= 1e-5 * a.abs().max(1.0))
            && frames.len() + 1 >= channel.times.len()
    };
    let same_value = |i: usize| {
        let Some(time) = channel.times.get(i) else { return false };
        let expected = value_at(channel.property, &keys, base, time * rate(animation), animation);
        let off = |sign: f32| {
            let pairs = expected.iter().zip(channel.key(i));
            pairs.map(|(a, b)| (a - sign * b).abs()).fold(0.0, f32::max)
        };
        match channel.property {
            Property::Rotation => off(1.0).min(off(-1.0)) <= 1e-4,
            _ => off(1.0) <= 1e-4 * size.max(base.0.abs().max_element()),
        }
    };
    channel.interpolation == Interpolation::Linear && same_frames && (0..channel.times.len()).all(same_value)
}
