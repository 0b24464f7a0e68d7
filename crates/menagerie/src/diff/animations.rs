//! How nodes move, compared at many times.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use glam::{Mat4, Quat};

use super::Comparison;
use super::motion::MOMENTS;
use crate::diag::Aspect;
use crate::diag::loss::ErrorStats;
use crate::scene::{Animation, Channel, Extras, NodeId, Pose, Property};

/// Times at which two animations are compared at most.
const MAX_TIMES: usize = 400;

impl Comparison<'_> {
    pub(super) fn animations(&mut self) {
        let mut by_name: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
        for (j, animation) in self.b.animations.iter().enumerate() {
            by_name.entry(&animation.name).or_default().push_back(j);
        }
        let mut pairs = Vec::new();
        let mut left = Vec::new();
        for (i, animation) in self.a.animations.iter().enumerate() {
            match by_name.get_mut(animation.name.as_str()).and_then(VecDeque::pop_front) {
                Some(namesake) => pairs.push((i, namesake)),
                None => left.push(i),
            }
        }
        let free: BTreeSet<usize> = by_name.into_values().flatten().collect();
        let mut free = free.into_iter();
        // Those without a namesake by order.
        for i in left {
            if let Some(other) = free.next() {
                pairs.push((i, other));
            } else {
                let name = &self.a.animations[i].name;
                let message = format!("the animation {name:?} is only in the first model");
                self.report.push(Aspect::Animations, format!("animations[{i}]"), message);
            }
        }
        for j in free {
            let message =
                format!("the animation {:?} is only in the second model", self.b.animations[j].name);
            self.report.push(Aspect::Animations, "animations", message);
        }
        let (scene_a, scene_b) = (self.a, self.b);
        for (i, j) in pairs {
            if self.is_stopped() {
                return;
            }
            self.animation(&format!("animations[{i}]"), &scene_a.animations[i], &scene_b.animations[j]);
        }
    }

    fn animation(&mut self, path: &str, a: &Animation, b: &Animation) {
        self.name(path, &a.name, &b.name);
        self.extras(path, &a.extras, &b.extras);
        let (end_a, end_b) = (a.seconds(), b.seconds());
        if (end_a - end_b).abs() > 1e-4 * end_a.abs().max(1.0) {
            let message = format!("lasts {end_a} and {end_b} seconds");
            self.report.push(Aspect::Animations, path, message);
        }
        self.channel_extras(path, a, b);
        let mut shown = Motions::default();
        let mut unseen = Motions::default();
        let mut morphed = ErrorStats::default();
        let times = times(a, b);
        self.take(self.poses_cost(a, b, times.len()));
        for time in times.iter().copied() {
            if self.is_stopped() {
                return;
            }
            let (pose_a, pose_b) = (Pose::at(self.a, a, time), Pose::at(self.b, b, time));
            for &(node_a, node_b) in &self.matched.pairs {
                let (one, other) = (pose_a.worlds[node_a.index()], pose_b.worlds[node_b.index()]);
                // A node that is elsewhere at rest already is a matter of transforms, not of the animation.
                let rest = (self.rest_a.worlds[node_a.index()], self.rest_b.worlds[node_b.index()]);
                let motions = if self.shows(node_a) { &mut shown } else { &mut unseen };
                if (one, other) != rest {
                    self.matrices(one, other, rest, motions);
                }
                let (one, other) = (&pose_a.weights[node_a.index()], &pose_b.weights[node_b.index()]);
                // A weight that only one model has is zero in the other.
                let weight = |list: &[f32], i: usize| list.get(i).copied().unwrap_or(0.0);
                let all = 0..one.len().max(other.len());
                let off = all.map(|i| (weight(one, i) - weight(other, i)).abs()).fold(0.0, f32::max);
                if off > self.tolerance.factor {
                    morphed.add(f64::from(off));
                }
            }
        }
        let Motions { moved, turned, stretched } = shown;
        self.report.measured(Aspect::Animations, path, "nodes move elsewhere", moved, "scene units");
        self.report.measured(Aspect::Animations, path, "nodes turn elsewhere", turned, "degrees");
        let message = "nodes are stretched differently";
        self.report.measured(Aspect::Animations, path, message, stretched, "scale factor");
        self.report.measured(Aspect::Animations, path, "morph weights differ", morphed, "weight");
        if let Some(message) = unseen.of_nothing_shown() {
            let count = unseen.moved.count.max(unseen.turned.count).max(unseen.stretched.count);
            self.report.counted(Aspect::Animations, path, message, count);
        }
        self.moving_vertices(path, a, b, &times);
    }

    /// What posing all nodes of both Scenes so often counts as in bytes, as far as the keys of the animations are not as many.
    fn poses_cost(&self, a: &Animation, b: &Animation, times: usize) -> usize {
        let keys = |animation: &Animation| -> usize {
            animation.channels.iter().map(|channel| channel.values.len()).sum()
        };
        let nodes = self.a.nodes.len() + self.b.nodes.len() + a.channels.len() + b.channels.len();
        let poses = nodes.saturating_mul(times).saturating_sub(4 * (keys(a) + keys(b)));
        let joints = self.watched_joints();
        poses.saturating_mul(4).saturating_add(joints.saturating_mul(times.min(MOMENTS)).saturating_mul(4))
    }

    /// What formats keep about channels: of the same property of nodes that are a pair.
    fn channel_extras(&mut self, path: &str, a: &Animation, b: &Animation) {
        let of_b: BTreeMap<(NodeId, Property), &Channel> =
            b.channels.iter().map(|channel| ((channel.node, channel.property), channel)).collect();
        let none = Extras::default();
        for (i, channel) in a.channels.iter().enumerate() {
            let partner = self.matched.to_b[channel.node.index()];
            let partner = partner.and_then(|node| of_b.get(&(node, channel.property)));
            let extras = partner.map_or(&none, |channel| &channel.extras);
            self.extras(&format!("{path}.channels[{i}]"), &channel.extras, extras);
        }
    }

    fn matrices(&self, a: Mat4, b: Mat4, rest: (Mat4, Mat4), motions: &mut Motions) {
        let Motions { moved, turned, stretched } = motions;
        let apart = |a: Mat4, b: Mat4| a.w_axis.truncate().distance(b.w_axis.truncate());
        let off = apart(a, b);
        // Errors of rounding grow down a chain of joints.
        let size = a.w_axis.truncate().length().max(1.0);
        let rest_off = apart(rest.0, rest.1);
        if off > (self.tolerance.length * 4.0).max(1e-5 * size) + rest_off * 1.01 {
            moved.add(f64::from(off));
        }
        let off = angle(a, b);
        if off > self.tolerance.angle + angle(rest.0, rest.1) * 1.01 {
            turned.add(f64::from(off));
        }
        let scale = |m: Mat4| [m.x_axis, m.y_axis, m.z_axis].map(|axis| axis.truncate().length());
        let off = |a: Mat4, b: Mat4| {
            scale(a).iter().zip(scale(b)).map(|(x, y)| (x - y).abs() / x.max(1.0)).fold(0.0f32, f32::max)
        };
        if off(a, b) > self.tolerance.factor + off(rest.0, rest.1) * 1.01 {
            stretched.add(f64::from(off(a, b)));
        }
    }
}

/// How differently nodes move in two models.
#[derive(Default)]
struct Motions {
    moved: ErrorStats,
    turned: ErrorStats,
    stretched: ErrorStats,
}

impl Motions {
    /// What is said of joints and other nodes that show nothing. How far they are away is said, but is no measure of
    /// how far off the model is: vertices that hang on them are measured where they are.
    fn of_nothing_shown(&self) -> Option<String> {
        let part = |stats: &ErrorStats, what: &str, unit: &str| {
            (stats.count > 0).then(|| format!("{what} by up to {:.4}{unit}", stats.max))
        };
        let parts = [
            part(&self.moved, "move elsewhere", " scene units"),
            part(&self.turned, "turn elsewhere", " degrees"),
            part(&self.stretched, "are stretched differently", ""),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| format!("nodes that show nothing {}", parts.join(", ")))
    }
}

/// The angle between the rotations of two transforms in degrees; zero where one has none.
fn angle(a: Mat4, b: Mat4) -> f32 {
    let turn = |m: Mat4| {
        let (scale, rotation, _) = m.to_scale_rotation_translation();
        let sound = scale.abs().min_element() > 1e-6 && rotation.is_finite() && rotation.length() > 0.5;
        sound.then(|| rotation.normalize())
    };
    let (Some(a), Some(b)): (Option<Quat>, Option<Quat>) = (turn(a), turn(b)) else { return 0.0 };
    let b = if a.dot(b) < 0.0 { -b } else { b };
    (4.0 * crate::math::atan2((a - b).length(), (a + b).length())).to_degrees()
}

/// The times at which two animations are compared: the keys of both and the middles between them.
fn times(a: &Animation, b: &Animation) -> Vec<f32> {
    let keys = a.channels.iter().chain(&b.channels).flat_map(|channel| channel.times.iter().copied());
    let mut keys: Vec<f32> = keys.collect();
    keys.sort_by(f32::total_cmp);
    keys.dedup();
    let middles = keys.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0);
    let mut all: Vec<f32> = keys.iter().copied().chain(middles).collect();
    all.sort_by(f32::total_cmp);
    let step = all.len().div_ceil(MAX_TIMES).max(1);
    all.into_iter().step_by(step).collect()
}
