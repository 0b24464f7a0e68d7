//! Animations with their samplers.

use std::collections::BTreeMap;

use super::super::accessor::Shape;
use super::super::extras::Lowering;
use super::super::json::{self, AnimationSampler};
use super::super::notes::in_file::{AnimationNote, CUBIC, ChannelNote, EmptyAnimation, EmptyChannel};
use super::super::notes::in_scene::{AnimationKept, CarriedChannel, ChannelKept};
use super::super::notes::{Float, Note as _, exact};
use super::super::repair::unit_spline;
use super::Lowerer;
use super::buffers::{Encoded, Use};
use crate::diag::Aspect;
use crate::scene::{Animation, Channel, Interpolation, NodeId, Property};

const SCALAR: Shape = Shape { rows: 1, columns: 1 };

/// A channel with the sampler that belongs to it, and the number that the sampler should have.
struct Planned {
    channel: json::Channel,
    sampler: AnimationSampler,
    number: usize,
}

impl Lowerer<'_> {
    pub(super) fn animations(&mut self) {
        for (index, animation) in self.scene.animations.iter().enumerate() {
            if let Some(animation) = self.animation(index, animation) {
                self.document.animations.push(animation);
            }
        }
    }

    /// `None` when glTF can hold none of its channels; then it is kept in the extras of the file.
    fn animation(&mut self, index: usize, animation: &Animation) -> Option<json::Animation> {
        let path = format!("animations[{index}]");
        let mut lowering = Lowering::new(&animation.extras);
        let first = animation.channels.iter().filter_map(|channel| channel.times.first().copied());
        let first = first.fold(0.0f32, f32::min);
        if first < 0.0 {
            let message =
                format!("times before zero are not allowed; the animation begins {} seconds later", -first);
            self.losses.noted(Aspect::Animations, path.clone(), message);
        }
        let mut planned: Vec<Planned> = Vec::new();
        let mut empty = Vec::new();
        let last_of = last_channels(animation);
        for (i, channel) in animation.channels.iter().enumerate() {
            if channel.values.is_empty() {
                empty.push(empty_channel(i, channel));
            } else if last_of.get(&(channel.node, channel.property)) != Some(&i) {
                let message =
                    "a later channel moves the same property of the same node; this one has no effect";
                self.losses.dropped(Aspect::Animations, format!("{path}.channels[{i}]"), message);
            } else {
                let channel = self.channel(channel, -first);
                planned.push(channel);
            }
        }
        lowering.put(&AnimationNote {
            time_shift: (first < 0.0).then_some(Float(-first)),
            empty_channels: Some(empty).filter(|empty| !empty.is_empty()),
        });
        self.carried(animation, &mut planned);
        for (i, planned) in planned.iter_mut().enumerate().filter(|(_, planned)| planned.number == usize::MAX)
        {
            planned.number = i;
        }
        if planned.is_empty() {
            return None;
        }
        let (channels, samplers) = share_samplers(planned);
        let (extras, extensions) = lowering.finish();
        Some(json::Animation {
            name: animation.name.clone(),
            channels,
            samplers,
            extras,
            extensions,
            ..json::Animation::default()
        })
    }

    fn channel(&mut self, channel: &Channel, shift: f32) -> Planned {
        let mut lowering = Lowering::new(&channel.extras);
        let mut note = ChannelNote::default();
        let times: Vec<f32> = channel.times.iter().map(|time| time + shift).collect();
        let comes_back = times.iter().zip(&channel.times).all(|(moved, time)| moved - shift == *time);
        let rises = times.windows(2).all(|pair| matches!(pair, [a, b] if a < b));
        let times = if rises { times } else { spread(times) };
        if shift != 0.0 && !(comes_back && rises) {
            note.times = Some(exact(&channel.times));
        }
        let mut interpolation = match channel.interpolation {
            Interpolation::Step => Some("STEP"),
            Interpolation::Linear => None,
            Interpolation::Cubic => Some("CUBICSPLINE"),
        };
        let mut values = channel.values.as_slice();
        if channel.interpolation == Interpolation::Cubic && channel.times.len() == 1 {
            // A spline has two keys at least.
            let (arrive, leave) = channel.tangents(0);
            let tangents: Vec<f32> = arrive.iter().chain(leave).copied().collect();
            note.interpolation = Some(CUBIC.to_owned());
            note.tangents = Some(exact(&tangents));
            (interpolation, values) = (None, channel.key(0));
        }
        let unit = unit_spline(channel);
        if let Some(unit) = &unit {
            note.values = Some(exact(&channel.values));
            values = if values.len() == unit.len() { unit } else { unit.get(4..8).unwrap_or(values) };
        }
        let shape = match channel.property {
            Property::Weights => SCALAR,
            Property::Rotation => Shape { rows: 4, columns: 1 },
            _ => Shape { rows: 3, columns: 1 },
        };
        lowering.put(&note);
        let kept = ChannelKept::of(&channel.extras);
        let sampler = AnimationSampler {
            input: self.packer.add(Use::Keys, Encoded::floats(times.clone(), SCALAR).bounded(&times)),
            interpolation: interpolation.map(str::to_owned),
            output: self.packer.add(Use::Keys, Encoded::floats(values.to_vec(), shape)),
            extras: kept.sampler_extras,
            extensions: kept.sampler_extensions.unwrap_or_default(),
            ..AnimationSampler::default()
        };
        let node = match self.split.get(&channel.node) {
            Some(&split) if channel.property == Property::Weights => split,
            _ => channel.node.index() as u32,
        };
        let target = kept.target.unwrap_or_default();
        let target = json::Target {
            node: Some(node),
            path: channel.property.name().to_owned(),
            extras: target.extras,
            extensions: target.extensions.unwrap_or_default(),
            ..json::Target::default()
        };
        let (extras, extensions) = lowering.finish();
        let channel = json::Channel { target, extras, extensions, ..json::Channel::default() };
        Planned { channel, sampler, number: kept.sampler.unwrap_or(usize::MAX) }
    }

    /// Puts the channels back that move something else than nodes.
    fn carried(&mut self, animation: &Animation, planned: &mut Vec<Planned>) {
        for carried in AnimationKept::of(&animation.extras).channels.into_iter().flatten() {
            let at = carried.at;
            if let Some(channel) = self.carried_channel(carried) {
                planned.insert(at.min(planned.len()), channel);
            }
        }
    }

    fn carried_channel(&mut self, carried: CarriedChannel) -> Option<Planned> {
        let floats = |list: &[Float]| -> Vec<f32> { list.iter().map(|x| x.0).collect() };
        let (times, values) = (floats(&carried.times), floats(&carried.values));
        // Somebody else may have written the note.
        let finite = |list: &[f32]| !list.is_empty() && list.iter().all(|x| x.is_finite());
        if !finite(&times) || !finite(&values) {
            return None;
        }
        let shape = carried.encoding.shape;
        let output = carried
            .encoding
            .encode("", &values, shape.width())
            .unwrap_or_else(|| Encoded::floats(values.clone(), shape));
        let sampler = AnimationSampler {
            input: self.packer.add(Use::Keys, Encoded::floats(times.clone(), SCALAR).bounded(&times)),
            interpolation: carried.interpolation,
            output: self.packer.add(Use::Keys, output),
            ..AnimationSampler::default()
        };
        Some(Planned { channel: carried.channel, sampler, number: carried.sampler.unwrap_or(usize::MAX) })
    }

    /// Animations without a channel that glTF can hold.
    pub(super) fn empty_animations(&self) -> Option<Vec<EmptyAnimation>> {
        let mut list = Vec::new();
        for (at, animation) in self.scene.animations.iter().enumerate() {
            let carries = AnimationKept::of(&animation.extras).channels.is_some();
            if carries || animation.channels.iter().any(|channel| !channel.values.is_empty()) {
                continue;
            }
            let mut lowering = Lowering::new(&animation.extras);
            let channels = animation.channels.iter().enumerate();
            let channels: Vec<_> = channels.map(|(i, channel)| empty_channel(i, channel)).collect();
            lowering.put(&AnimationNote {
                empty_channels: Some(channels).filter(|channels| !channels.is_empty()),
                ..AnimationNote::default()
            });
            list.push(EmptyAnimation { at, name: animation.name.clone(), extras: lowering.finish().0 });
        }
        Some(list).filter(|list| !list.is_empty())
    }
}

/// For each property of each node, the last channel that moves it.
fn last_channels(animation: &Animation) -> BTreeMap<(NodeId, Property), usize> {
    let with_keys = animation.channels.iter().enumerate().filter(|(_, channel)| !channel.values.is_empty());
    with_keys.map(|(i, channel)| ((channel.node, channel.property), i)).collect()
}

/// A channel without keys or values.
fn empty_channel(at: usize, channel: &Channel) -> EmptyChannel {
    EmptyChannel::of(at, channel, Lowering::new(&channel.extras).finish().0)
}

/// Times that a shift made equal, pushed apart by the least that floats can say.
fn spread(mut times: Vec<f32>) -> Vec<f32> {
    let mut last = f32::NEG_INFINITY;
    for time in &mut times {
        if *time <= last {
            *time = last.next_up();
        }
        last = *time;
    }
    times
}

/// Each sampler once; in the order of the numbers that they should have.
fn share_samplers(planned: Vec<Planned>) -> (Vec<json::Channel>, Vec<AnimationSampler>) {
    let mut samplers: Vec<(usize, AnimationSampler)> = Vec::new();
    let mut channels = Vec::with_capacity(planned.len());
    let mut known: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for Planned { channel, sampler, number } in planned {
        let candidates = known.entry(number).or_default();
        let same = candidates.iter().copied().find(|&i| samplers.get(i).is_some_and(|(_, s)| *s == sampler));
        let index = same.unwrap_or_else(|| {
            samplers.push((number, sampler));
            candidates.push(samplers.len() - 1);
            samplers.len() - 1
        });
        channels.push((channel, index));
    }
    let mut order: Vec<usize> = (0..samplers.len()).collect();
    order.sort_by_key(|&i| samplers.get(i).map(|(number, _)| *number));
    let mut place = vec![0u32; samplers.len()];
    for (rank, &i) in order.iter().enumerate() {
        if let Some(place) = place.get_mut(i) {
            *place = rank as u32;
        }
    }
    let channels = channels
        .into_iter()
        .map(|(channel, index)| json::Channel { sampler: place.get(index).copied().unwrap_or(0), ..channel })
        .collect();
    let samplers =
        order.iter().filter_map(|&i| samplers.get(i)).map(|(_, sampler)| sampler.clone()).collect();
    (channels, samplers)
}
