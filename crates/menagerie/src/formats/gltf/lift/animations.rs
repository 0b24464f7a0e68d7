//! Animations; channels that move no node are carried along.

use std::collections::{BTreeMap, BTreeSet};

use super::super::codes;
use super::super::extras::Lifting;
use super::super::json::{self, AnimationSampler};
use super::super::notes::in_file::{AnimationNote, CUBIC, ChannelNote, EmptyAnimation, EmptyChannel};
use super::super::notes::in_scene::{AnimationKept, CarriedChannel, ChannelKept, TargetKept};
use super::super::notes::{Float, exact, finite};
use super::super::repair;
use super::{Lifter, plain_extras};
use crate::diag::Aspect;
use crate::scene::{Animation, Channel, Interpolation, NodeId, Property, Transform};

/// Any type of elements.
const ANY: [&str; 7] = ["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"];

impl<'a> Lifter<'a> {
    pub(super) fn animations(&mut self) {
        for (index, animation) in self.model.document.animations.iter().enumerate() {
            let animation = self.animation(animation, &format!("/animations/{index}"));
            self.scene.animations.push(animation);
        }
    }

    fn animation(&mut self, animation: &json::Animation, at: &str) -> Animation {
        let mut lifting = Lifting::new(animation.extras.as_ref(), &animation.extensions, &[]);
        let note: AnimationNote = lifting.take();
        let mut channels = Vec::new();
        let mut carried = Vec::new();
        let ranks = sampler_ranks(animation);
        for (i, channel) in animation.channels.iter().enumerate() {
            let at = format!("{at}/channels/{i}");
            let Some(sampler) = animation.samplers.get(channel.sampler as usize) else { continue };
            // Samplers that nothing uses are not written again, so only the order of the others counts.
            let rank = ranks.get(&channel.sampler).copied().filter(|&rank| rank != i);
            let property = match channel.target.path.as_str() {
                "translation" => Some(Property::Translation),
                "rotation" => Some(Property::Rotation),
                "scale" => Some(Property::Scale),
                "weights" => Some(Property::Weights),
                _ => None,
            };
            let node = channel.target.node.filter(|&node| (node as usize) < self.scene.nodes.len());
            match (node, property) {
                (Some(node), Some(property)) => {
                    let moved = (NodeId::new(node as usize), property);
                    let read = self.channel(channel, sampler, rank, moved, &at);
                    channels.extend(read.map(|(channel, noted)| match note.time_shift {
                        Some(shift) => unshift(channel, shift.0, noted.times.as_deref()),
                        None => channel,
                    }));
                }
                // A node that does not exist is reported by the check of references.
                _ if channel.target.node.is_some() && node.is_none() => {}
                _ => carried.extend(self.carried_channel(channel, sampler, (i, rank), &at)),
            }
        }
        lifting.keep(&AnimationKept { channels: Some(carried).filter(|carried| !carried.is_empty()) });
        restore_channels(&mut channels, note.empty_channels, self.scene.nodes.len());
        Animation { name: animation.name.clone(), channels, extras: lifting.finish() }
    }

    fn channel(
        &mut self,
        channel: &json::Channel,
        sampler: &AnimationSampler,
        rank: Option<usize>,
        (node, property): (NodeId, Property),
        at: &str,
    ) -> Option<(Channel, ChannelNote)> {
        if property != Property::Weights {
            self.without_matrix(node, at)?;
        }
        let interpolation = self.interpolation(sampler, at);
        let (times, values) = self.keys(sampler, node, property, interpolation, at)?;
        let mut lifting = Lifting::new(channel.extras.as_ref(), &channel.extensions, &[]);
        lifting.keep(&ChannelKept {
            sampler: rank,
            sampler_extras: sampler.extras.clone(),
            sampler_extensions: Some(sampler.extensions.clone()).filter(|e| !e.is_empty()),
            target: target_kept(&channel.target),
        });
        let note: ChannelNote = lifting.take();
        let mut channel =
            Channel { node, property, interpolation, times, values, extras: Default::default() };
        restore_values(&mut channel, &note);
        channel.extras = lifting.finish();
        Some((channel, note))
    }

    /// A node that moves has no matrix: one that has gets the nearest translation, rotation and scale.
    fn without_matrix(&mut self, node: NodeId, at: &str) -> Option<()> {
        let transform = self.scene.nodes.get(node)?.transform;
        if matches!(transform, Transform::Matrix(_)) {
            let message = format!("node {} has a matrix and cannot be animated", node.index());
            self.report(&codes::ANIMATION, at, message);
            let (translation, rotation, scale, _) = transform.to_trs();
            self.scene.nodes.get_mut(node)?.transform = Transform::Trs { translation, rotation, scale };
        }
        Some(())
    }

    /// The times and values of a sampler as a Scene may have them; what had to be given up is counted.
    fn keys(
        &mut self,
        sampler: &AnimationSampler,
        node: NodeId,
        property: Property,
        interpolation: Interpolation,
        at: &str,
    ) -> Option<(Vec<f32>, Vec<f32>)> {
        let times = self.list(sampler.input, &["SCALAR"]);
        let values = match property {
            Property::Rotation => self.list(sampler.output, &["VEC4"]),
            Property::Weights => self.list(sampler.output, &["SCALAR"]),
            _ => self.list(sampler.output, &["VEC3"]),
        };
        let stated = self.stated(sampler.input);
        let (Some(times), Some(values)) = (times, values) else {
            self.issues.give_up(Aspect::Animations, "keys", at, (stated.max(1), stated.max(1)));
            return None;
        };
        let (mut times, mut values) = (times.flat(), values.flat());
        self.finite(sampler.input, &mut times, 1);
        self.finite(sampler.output, &mut values, property.width().unwrap_or(1));
        let mesh = self.scene.nodes.get(node).and_then(|node| node.mesh);
        let targets = mesh.and_then(|mesh| self.scene.meshes.get(mesh)).map_or(0, |mesh| mesh.target_count());
        let parts = if interpolation == Interpolation::Cubic { 3 } else { 1 };
        let width = property.width().unwrap_or(targets) * parts;
        if width == 0 || values.len() != times.len() * width {
            let message = format!("{} values for {} times of {width} each", values.len(), times.len());
            self.report(&codes::ANIMATION, at, message);
            let keys = values.len().checked_div(width).unwrap_or(0).min(times.len());
            self.issues.give_up(Aspect::Animations, "keys", at, (stated.saturating_sub(keys), stated));
            if keys == 0 {
                return None;
            }
            times.truncate(keys);
            values.truncate(keys * width);
        }
        (times, values) = self.rising(sampler.input, times, values, width);
        if property == Property::Rotation && parts == 1 {
            self.unit_rotations(sampler.output, &mut values);
        }
        Some((times, values))
    }

    /// Keys whose times rise.
    fn rising(
        &mut self,
        input: u32,
        times: Vec<f32>,
        values: Vec<f32>,
        width: usize,
    ) -> (Vec<f32>, Vec<f32>) {
        let pointer = format!("/accessors/{input}");
        if times.iter().any(|&time| time < 0.0) {
            self.report(&codes::ANIMATION, pointer.clone(), "times are not below zero; they are kept");
        }
        if times.windows(2).all(|pair| matches!(pair, [a, b] if a < b)) {
            return (times, values);
        }
        self.report(&codes::ANIMATION, pointer, "the times do not rise; they are sorted");
        in_order(times, values, width)
    }

    fn unit_rotations(&mut self, output: u32, values: &mut [f32]) {
        let off = values
            .as_chunks_mut::<4>()
            .0
            .iter_mut()
            .filter_map(|key| repair::unit_rotation(key).then_some(()));
        let off = off.count();
        if off > 0 {
            let message = format!("{off} rotations are not of unit length");
            self.report(&codes::UNIT_LENGTH, format!("/accessors/{output}"), message);
        }
    }

    fn interpolation(&mut self, sampler: &AnimationSampler, at: &str) -> Interpolation {
        match sampler.interpolation.as_deref() {
            None | Some("LINEAR") => Interpolation::Linear,
            Some("STEP") => Interpolation::Step,
            Some("CUBICSPLINE") => Interpolation::Cubic,
            Some(other) => {
                let message = format!("{other:?} is no interpolation; LINEAR is used");
                self.report(&codes::ANIMATION, at, message);
                Interpolation::Linear
            }
        }
    }

    /// A channel that moves something else than a node: KHR_animation_pointer, for example.
    fn carried_channel(
        &mut self,
        channel: &json::Channel,
        sampler: &AnimationSampler,
        (index, rank): (usize, Option<usize>),
        at: &str,
    ) -> Option<CarriedChannel> {
        let times = self.list(sampler.input, &["SCALAR"]);
        let values = self.list(sampler.output, &ANY);
        let (Some(times), Some(values)) = (times, values) else {
            self.report(&codes::EXTENSION_LOST, at, "the channel's keys cannot be read; it is left out");
            self.issues.give_up(Aspect::Animations, "channels", at, (1, 1));
            return None;
        };
        let encoding = values.encoding();
        let (mut times, mut values) = (times.flat(), values.flat());
        self.finite(sampler.input, &mut times, 1);
        self.finite(sampler.output, &mut values, encoding.shape.width());
        let width = values.len() / times.len().max(1);
        if width * times.len() == values.len() && sampler.interpolation.as_deref() != Some("CUBICSPLINE") {
            (times, values) = self.rising(sampler.input, times, values, width);
        }
        Some(CarriedChannel {
            at: index,
            channel: json::Channel { sampler: 0, ..channel.clone() },
            sampler: rank,
            interpolation: sampler.interpolation.clone(),
            times: exact(&times),
            values: exact(&values),
            encoding,
        })
    }

    /// Animations without a channel that glTF can hold.
    pub(super) fn empty_animations(&mut self, empty: Vec<EmptyAnimation>) {
        for EmptyAnimation { at, name, extras } in empty {
            let mut lifting = Lifting::new(extras.as_ref(), &json::Object::new(), &[]);
            let note: AnimationNote = lifting.take();
            let mut channels = Vec::new();
            restore_channels(&mut channels, note.empty_channels, self.scene.nodes.len());
            let animation = Animation { name, channels, extras: lifting.finish() };
            self.scene.animations.insert(at.min(self.scene.animations.len()), animation);
        }
    }
}

/// The samplers that channels use, numbered without gap.
fn sampler_ranks(animation: &json::Animation) -> BTreeMap<u32, usize> {
    let used: BTreeSet<u32> = animation.channels.iter().map(|channel| channel.sampler).collect();
    used.into_iter().enumerate().map(|(rank, sampler)| (sampler, rank)).collect()
}

/// What else a channel's target has.
fn target_kept(target: &json::Target) -> Option<TargetKept> {
    let extensions = Some(target.extensions.clone()).filter(|extensions| !extensions.is_empty());
    let kept = TargetKept { extras: target.extras.clone(), extensions };
    Some(kept).filter(|kept| *kept != TargetKept::default())
}

/// The values of a spline that glTF does not allow: of one key, or of rotations that are not unit.
fn restore_values(channel: &mut Channel, note: &ChannelNote) {
    if note.interpolation.as_deref() == Some(CUBIC) && channel.interpolation == Interpolation::Linear {
        let tangents = note.tangents.as_deref().map(finite).unwrap_or_default();
        let count = channel.values.len();
        let (arrive, leave) = tangents.split_at_checked(count).unwrap_or((&[], &[]));
        if arrive.len() == count && leave.len() == count {
            channel.values = arrive.iter().chain(&channel.values).chain(leave).copied().collect();
            channel.interpolation = Interpolation::Cubic;
        }
    }
    let exact = note.values.as_deref().map(finite);
    if let Some(exact) = exact.filter(|exact| exact.len() == channel.values.len()) {
        // Unless somebody changed them since.
        let written = std::mem::replace(&mut channel.values, exact);
        if repair::unit_spline(channel).as_ref() != Some(&written) {
            channel.values = written;
        }
    }
}

/// Channels that glTF cannot hold, because they have no keys or no values, back in their places.
fn restore_channels(channels: &mut Vec<Channel>, empty: Option<Vec<EmptyChannel>>, nodes: usize) {
    for noted in empty.into_iter().flatten() {
        let Some(channel) = noted.channel(nodes) else { continue };
        let extras = plain_extras(noted.extras.as_ref(), &json::Object::new());
        channels.insert(noted.at.min(channels.len()), Channel { extras, ..channel });
    }
}

/// Takes back the shift of times that glTF demands not to be negative.
fn unshift(channel: Channel, shift: f32, exact: Option<&[Float]>) -> Channel {
    let rise = |times: &[f32]| times.windows(2).all(|pair| matches!(pair, [a, b] if a < b));
    let exact = exact.map(finite).filter(|times| times.len() == channel.times.len() && rise(times));
    let times = exact.unwrap_or_else(|| channel.times.iter().map(|time| time - shift).collect());
    // Times that the shift would make equal stay where they are.
    if rise(&times) { Channel { times, ..channel } } else { channel }
}

/// Keys in the order of their times; the last of equal ones wins.
fn in_order(times: Vec<f32>, values: Vec<f32>, width: usize) -> (Vec<f32>, Vec<f32>) {
    let mut order: Vec<usize> = (0..times.len()).collect();
    let time = |i: &usize| times.get(*i).copied().unwrap_or_default();
    order.sort_by(|a, b| time(a).total_cmp(&time(b)));
    let (mut new_times, mut new_values): (Vec<f32>, Vec<f32>) = (Vec::new(), Vec::new());
    for i in &order {
        let value = values.get(i * width..(i + 1) * width).unwrap_or_default();
        // -0 and 0 are the same time.
        if new_times.last().is_some_and(|last| *last >= time(i)) {
            new_values.truncate(new_values.len() - width);
        } else {
            new_times.push(time(i));
        }
        new_values.extend(value);
    }
    (new_times, new_values)
}
