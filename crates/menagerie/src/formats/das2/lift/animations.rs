//! Animations, with their channels and splines.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Lifter, name};
use crate::diag::Issue;
use crate::formats::das2::codes;
use crate::formats::das2::model::{
    Channel as FileChannel, Interpolation as FileInterpolation, NONE, Profile, Target,
};
use crate::formats::das2::notes::{AnimationNote, ChannelNote, KeptChannel, Note as _};
use crate::formats::das2::placement::rotation_of;
use crate::scene::{Animation, Channel, Extras, Interpolation, NodeId, Property, float_from_json};

impl Lifter<'_> {
    pub(super) fn animations(&mut self) {
        for (index, file) in self.lists.animations.clone().into_iter().enumerate() {
            let mut animation = Animation::default();
            animation.name = match self.model.profile {
                Profile::Spec => self.note.animations.get(&index).cloned().unwrap_or_default(),
                Profile::Libdas2 => name(&file.name, &mut animation.extras),
            };
            let mut kept = Vec::new();
            let mut last: BTreeMap<(NodeId, Property), usize> = BTreeMap::new();
            let mut seen = BTreeSet::new();
            let once =
                file.channels.iter().map(|channel| *channel as usize).filter(|channel| seen.insert(*channel));
            let parts: Vec<(usize, Vec<Channel>)> = once
                .filter(|channel| !self.is_of_a_twin(*channel))
                .collect::<Vec<_>>()
                .into_iter()
                .map(|channel| (channel, self.channel(channel)))
                .collect();
            for (i, (_, channels)) in parts.iter().enumerate() {
                last.extend(channels.iter().map(|channel| ((channel.node, channel.property), i)));
            }
            for (i, (index, channels)) in parts.into_iter().enumerate() {
                // Of two channels for the same thing the later one plays.
                let plays = channels.iter().all(|c| last.get(&(c.node, c.property)) == Some(&i));
                if !channels.is_empty() && plays {
                    animation.channels.extend(channels);
                } else if let Some(channel) = self.lists.channels.get(index).copied()
                    && self.has_room(floats_of(channel) * size_of::<Value>(), || format!("channels[{index}]"))
                {
                    kept.push(KeptChannel::of(channel));
                }
            }
            if !kept.is_empty() {
                AnimationNote::change(&mut animation.extras, |note| note.channels = Some(kept));
            }
            self.note.restore_extras(&format!("animations.{index}"), &mut animation.extras);
            let (number, place) = (self.scene.animations.len(), self.place("animations", index));
            self.origins.animation(number, || place);
            self.scene.animations.push(animation);
        }
    }

    /// The channels of the Scene that a channel of the file is: one for each node that stands for its joint, and for
    /// each level of detail of its node. None when it moves nothing.
    fn channel(&mut self, index: usize) -> Vec<Channel> {
        let Some(file) = self.lists.channels.get(index).copied() else { return Vec::new() };
        let nodes = self.targets(file);
        let property = match file.target {
            Target::Unknown => return Vec::new(),
            Target::Weights => Property::Weights,
            Target::Translation => Property::Translation,
            Target::Rotation => Property::Rotation,
            Target::Scale => Property::Scale,
        };
        let mut channels = Vec::new();
        for node in nodes {
            let stand_ins = self.scene.nodes.get(node).map(|n| n.lods.clone()).unwrap_or_default();
            for node in std::iter::once(node).chain(stand_ins.iter().map(|lod| lod.node)) {
                channels.extend(self.channel_of(index, file, node, property));
            }
        }
        channels
    }

    /// Whether a channel moves a joint that is a node too, and moves as that node.
    fn is_of_a_twin(&self, index: usize) -> bool {
        let channel = self.lists.channels.get(index);
        channel.is_some_and(|c| c.node == NONE && self.note.twins.contains_key(&(c.joint as usize)))
    }

    /// The nodes whose property a channel changes.
    fn targets(&self, file: &FileChannel) -> Vec<NodeId> {
        match file.node {
            NONE => self.joint_ids.get(file.joint as usize).cloned().unwrap_or_default(),
            node => self.node_ids.get(node as usize).copied().into_iter().collect(),
        }
    }

    fn channel_of(
        &mut self,
        index: usize,
        file: &FileChannel,
        id: NodeId,
        property: Property,
    ) -> Option<Channel> {
        let node = self.scene.nodes.get(id)?;
        let targets = node.mesh.and_then(|mesh| self.scene.meshes.get(mesh)).map_or(0, |m| m.target_count());
        let width = if property == Property::Weights { targets } else { file.width() };
        let matrix = matches!(node.transform, crate::scene::Transform::Matrix(_));
        let sound =
            file.times.iter().chain(&file.values).chain(&file.tangents).all(|value| value.is_finite());
        if file.times.is_empty() || width == 0 || !sound || (matrix && property != Property::Weights) {
            return None;
        }
        if !self.has_room(size_of::<Channel>() + 24 * floats_of(file), || format!("channels[{index}]")) {
            return None;
        }
        let keys = self.keys(index, file, property, width);
        let (times, values): (Vec<f32>, Vec<Vec<f32>>) = keys.into_iter().unzip();
        let mut extras = Extras::default();
        let other_width = property == Property::Weights && file.width() != targets;
        let note = ChannelNote {
            interpolation: (file.interpolation == FileInterpolation::Unknown).then_some(0),
            weight_count: other_width.then(|| file.width()),
        };
        note.keep(&mut extras);
        let interpolation = match file.interpolation {
            FileInterpolation::Unknown | FileInterpolation::Linear => Interpolation::Linear,
            FileInterpolation::Step => Interpolation::Step,
            FileInterpolation::Cubic => Interpolation::Cubic,
        };
        let values = self.exact_values(index, values.concat());
        Some(Channel { node: id, property, interpolation, times, values, extras })
    }

    /// The keys in the order of their times, each with its tangents.
    fn keys(
        &mut self,
        index: usize,
        file: &FileChannel,
        property: Property,
        width: usize,
    ) -> Vec<(f32, Vec<f32>)> {
        let stored = file.width();
        let cubic = file.interpolation == FileInterpolation::Cubic;
        let value = |list: &[f32], at: usize| -> Vec<f32> {
            let start = at.saturating_mul(stored);
            let raw = list.get(start..start.saturating_add(stored)).unwrap_or_default();
            match property {
                Property::Scale => raw.iter().flat_map(|scale| [*scale; 3]).collect(),
                Property::Weights => raw.iter().copied().chain(std::iter::repeat(0.0)).take(width).collect(),
                _ => raw.to_vec(),
            }
        };
        let key = |(i, time): (usize, &f32)| {
            let mut own = value(&file.values, i);
            if !cubic {
                if let (Property::Rotation, [x, y, z, w]) = (property, own.as_slice()) {
                    own = rotation_of([*x, *y, *z, *w]).to_array().to_vec();
                }
                return (*time, own);
            }
            (*time, [value(&file.tangents, 2 * i), own, value(&file.tangents, 2 * i + 1)].concat())
        };
        let mut keys: Vec<(f32, Vec<f32>)> = file.times.iter().enumerate().map(key).collect();
        if keys.windows(2).any(|pair| matches!(pair, [a, b] if a.0 >= b.0)) {
            // The last of equal ones wins.
            keys.reverse();
            keys.sort_by(|a, b| a.0.total_cmp(&b.0));
            keys.dedup_by(|a, b| a.0 == b.0);
            let message = "the keys were sorted";
            self.issues.push(Issue::new(&codes::KEY_ORDER, format!("channels[{index}].times"), message));
        }
        keys
    }

    /// The values that a note has for scales that are not uniform.
    fn exact_values(&self, index: usize, values: Vec<f32>) -> Vec<f32> {
        let list = self.note.channels.get(&index).and_then(Value::as_array);
        let exact: Option<Vec<f32>> = list.and_then(|list| list.iter().map(float_from_json).collect());
        let near = |exact: &Vec<f32>| {
            let mean = |v: &[f32]| v.iter().sum::<f32>() / 3.0;
            exact.len() == values.len()
                && exact.iter().all(|x| x.is_finite())
                && exact
                    .chunks(3)
                    .zip(values.chunks(3))
                    .all(|(a, b)| (mean(a) - mean(b)).abs() <= 1e-4 * mean(b).abs().max(1.0))
        };
        exact.filter(near).unwrap_or(values)
    }
}

/// How many floats a channel has.
fn floats_of(channel: &FileChannel) -> usize {
    channel.times.len() + channel.tangents.len() + channel.values.len()
}
