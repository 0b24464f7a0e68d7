//! Animations with their channels.

use super::roles::Role;
use super::{Lowering, id};
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind};
use crate::formats::das2::model::{
    Animation as FileAnimation, Channel as FileChannel, Interpolation as FileInterpolation, NONE, Profile,
    Target,
};
use crate::formats::das2::notes::{AnimationNote, ChannelNote, KeptChannel, Note as _};
use crate::scene::{Animation, Channel, Interpolation, Lod, NodeId, Property, float_to_json};

impl Lowering<'_> {
    pub(super) fn animations(&mut self) {
        let mut uneven = ErrorStats::default();
        let mut lost = 0;
        for (index, animation) in self.scene.animations.iter().enumerate() {
            let mut channels = self.kept_channels(animation);
            for channel in &animation.channels {
                lost += usize::from(!self.channel(animation, channel, &mut channels, &mut uneven));
            }
            let name = match self.profile {
                Profile::Spec => {
                    if !animation.name.is_empty() {
                        self.note.animations.insert(index, animation.name.clone());
                    }
                    Default::default()
                }
                Profile::Libdas2 => {
                    self.text(&animation.name, AnimationNote::of(&animation.extras).name_bytes)
                }
            };
            self.records.animations.push(FileAnimation { name, channels });
            self.note.keep_extras(format!("animations.{index}"), &animation.extras);
        }
        let message = "animated scales are the same along all axes in das2; the mean was taken, and menagerie alone knows better";
        if uneven.is_off() {
            let loss = Loss::new(Aspect::Animations, LossKind::Approximated, "animations", message);
            self.losses.push(Loss { noted: true, ..loss.measured(uneven, "scale factor") });
        }
        if lost > 0 {
            let message = "levels of detail move with their node in das2, and not by themselves";
            self.losses.dropped(Aspect::Animations, "animations", message);
        }
        self.report_still_levels();
    }

    /// Levels of detail that do not move although their node does.
    fn report_still_levels(&mut self) {
        let still = |animation: &Animation, channel: &Channel| {
            let lods =
                self.scene.nodes.get(channel.node).map(|node| node.lods.as_slice()).unwrap_or_default();
            let can_move = |lod: &&Lod| {
                let mesh = self.scene.nodes.get(lod.node).and_then(|node| self.scene.meshes.get(node.mesh?));
                // A level without the morph targets cannot follow their weights.
                channel.property != Property::Weights
                    || mesh.is_some_and(|m| m.target_count() == channel.width())
            };
            lods.iter().filter(can_move).any(|lod| {
                !animation.channels.iter().any(|other| other.node == lod.node && is_same(other, channel))
            })
        };
        let animations = self.scene.animations.iter();
        let any =
            animations.into_iter().any(|animation| animation.channels.iter().any(|c| still(animation, c)));
        if any {
            let message = "levels of detail that stood still move with their node in das2";
            self.losses.added(Aspect::Animations, "animations", message);
        }
    }

    /// Channels of the file that the Scene had no place for.
    fn kept_channels(&mut self, animation: &Animation) -> Vec<u32> {
        let kept = AnimationNote::of(&animation.extras).channels.unwrap_or_default();
        let kept: Vec<FileChannel> = kept.iter().filter_map(KeptChannel::channel).collect();
        let (nodes, joints) = (self.records.nodes.len(), self.records.joints.len());
        let is = |id: u32, count: usize| (id as usize) < count;
        // Notes may say anything: what they move must be there, and be one thing.
        let owned = |channel: &FileChannel| match (channel.node, channel.joint) {
            (node, NONE) => is(node, nodes),
            (NONE, joint) => is(joint, joints),
            _ => false,
        };
        let (owned, stray): (Vec<_>, Vec<_>) = kept.into_iter().partition(owned);
        if !stray.is_empty() {
            let message = "channels that were kept move nothing that is there, and are left out";
            self.losses.dropped(Aspect::Extras, "animations", message);
        }
        owned.into_iter().map(|channel| self.push_channel(channel)).collect()
    }

    fn push_channel(&mut self, channel: FileChannel) -> u32 {
        self.records.channels.push(channel);
        id(self.records.channels.len() - 1)
    }

    /// The channels of the file for a channel of the Scene: one for the node, and one for each joint that moves with
    /// it. False when das2 has no place for it.
    fn channel(
        &mut self,
        animation: &Animation,
        channel: &Channel,
        channels: &mut Vec<u32>,
        uneven: &mut ErrorStats,
    ) -> bool {
        let node = channel.node;
        let weights = channel.property == Property::Weights;
        match self.roles.of(node) {
            Role::Node => {
                let target = if weights { self.holder(node) } else { self.roles.id(node) };
                let mut record = converted(channel, uneven);
                record.node = target.unwrap_or(NONE);
                let index = self.push_channel(record.clone());
                self.exact_values(channel, index);
                channels.push(index);
                let twins = self.skeletons.twins.get(&node).cloned().unwrap_or_default();
                for joint in twins.into_iter().filter(|_| !weights) {
                    channels.push(self.push_channel(FileChannel { node: NONE, joint, ..record.clone() }));
                }
                true
            }
            Role::Joint => {
                let mut record = converted(channel, uneven);
                record.joint = self.roles.id(node).unwrap_or(NONE);
                let index = self.push_channel(record);
                self.exact_values(channel, index);
                channels.push(index);
                true
            }
            Role::Copy => true,
            Role::StandIn => self.moves_with_its_node(animation, channel),
            Role::Outer | Role::Holder => weights || self.scene.nodes.get(node).is_none(),
        }
    }

    /// Whether the node that a node stands in for moves in the same way.
    fn moves_with_its_node(&self, animation: &Animation, channel: &Channel) -> bool {
        let stands_in = |id: &NodeId| {
            self.scene.nodes.get(*id).is_some_and(|node| node.lods.iter().any(|lod| lod.node == channel.node))
        };
        let owner = self.scene.nodes.ids().find(stands_in);
        owner.is_some_and(|owner| {
            animation.channels.iter().any(|other| other.node == owner && is_same(other, channel))
        })
    }

    /// Keeps scales that are not the same along all axes.
    fn exact_values(&mut self, channel: &Channel, index: u32) {
        if channel.property == Property::Scale && !is_even(&channel.values) {
            let values = channel.values.iter().copied().map(float_to_json).collect();
            self.note.channels.insert(index as usize, values);
        }
    }
}

/// Whether two channels do the same to their nodes, whose morph targets may differ in number.
fn is_same(a: &Channel, b: &Channel) -> bool {
    a.property == b.property
        && a.times == b.times
        && a.interpolation == b.interpolation
        && (a.values == b.values || a.property == Property::Weights)
}

fn is_even(scales: &[f32]) -> bool {
    scales.as_chunks::<3>().0.iter().all(|[x, y, z]| x == y && y == z)
}

/// A channel as the file has it, without what it moves.
fn converted(channel: &Channel, uneven: &mut ErrorStats) -> FileChannel {
    let kept = ChannelNote::of(&channel.extras);
    let interpolation = match channel.interpolation {
        Interpolation::Linear if kept.interpolation == Some(0) => FileInterpolation::Unknown,
        Interpolation::Linear => FileInterpolation::Linear,
        Interpolation::Step => FileInterpolation::Step,
        Interpolation::Cubic => FileInterpolation::Cubic,
    };
    let target = match channel.property {
        Property::Weights => Target::Weights,
        Property::Translation => Target::Translation,
        Property::Rotation => Target::Rotation,
        Property::Scale => Target::Scale,
    };
    let width = channel.width();
    let stored = kept.weight_count;
    let stored = stored.filter(|count| *count < width && target == Target::Weights).unwrap_or(width);
    let mut one = |value: &[f32]| -> Vec<f32> {
        match (target, value) {
            (Target::Scale, &[x, y, z]) if x == y && y == z => vec![x],
            (Target::Scale, &[x, y, z]) => {
                let mean = (x + y + z) / 3.0;
                [x, y, z].into_iter().for_each(|factor| uneven.add(f64::from((factor - mean).abs())));
                vec![mean]
            }
            _ => value.iter().copied().take(stored).collect(),
        }
    };
    let values = (0..channel.times.len()).flat_map(|key| one(channel.key(key))).collect();
    let tangents = match interpolation {
        FileInterpolation::Cubic => (0..channel.times.len())
            .flat_map(|key| {
                let (arriving, leaving) = channel.tangents(key);
                [one(arriving), one(leaving)].concat()
            })
            .collect(),
        _ => Vec::new(),
    };
    FileChannel {
        node: NONE,
        joint: NONE,
        target,
        interpolation,
        weight_count: if target == Target::Weights { id(stored) } else { 0 },
        times: channel.times.clone(),
        tangents,
        values,
    }
}
