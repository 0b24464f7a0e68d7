//! Where vertices are while animations play.

use std::collections::BTreeMap;

use glam::Vec3;

use super::Comparison;
use crate::diag::Aspect;
use crate::diag::loss::ErrorStats;
use crate::scene::{Animation, MorphTarget, NodeId, Pose, Primitive, Scene};

/// Vertices that are watched at most.
const MAX_WATCHED: usize = 4096;

/// Moments of one animation at which vertices are compared at most.
pub(super) const MOMENTS: usize = 48;

/// What rounding adds down a chain of joints, as a part of the model's size.
const ROUNDING: f32 = 5e-5;

/// What is said of vertices that are elsewhere while an animation plays.
pub(crate) const MOVE_ELSEWHERE: &str = "vertices move elsewhere";

/// A primitive of a node.
pub(super) type Place = (NodeId, usize);

/// A vertex of a primitive of one mesh, and that of another which is the same.
pub(super) type VertexPair = (u32, u32, u32, u32);

/// Pairs of vertices that are the same, by the primitives that they are of; of many, evenly spread ones.
#[derive(Default)]
pub(super) struct Watched {
    pairs: BTreeMap<(Place, Place), Vec<(usize, usize)>>,
    count: usize,
    /// How many there were.
    seen: usize,
    /// One of so many is kept, as a power of two.
    one_of: u32,
}

impl Watched {
    /// Takes note of a pair, unless enough are watched already.
    pub(super) fn add(&mut self, places: (Place, Place), i: usize, j: usize) {
        if self.seen.is_multiple_of(1 << self.one_of) {
            self.pairs.entry(places).or_default().push((i, j));
            self.count += 1;
        }
        self.seen += 1;
        if self.count > MAX_WATCHED {
            let mut odd = true;
            for list in self.pairs.values_mut() {
                list.retain(|_| {
                    odd = !odd;
                    !odd
                });
            }
            self.count = self.pairs.values().map(Vec::len).sum();
            self.one_of += 1;
        }
    }

    /// Takes note of many pairs of two nodes, and looks only at those that are kept.
    pub(super) fn add_all(&mut self, a: NodeId, b: NodeId, pairs: &[VertexPair]) {
        let mut at = 0;
        while at < pairs.len() {
            let every = 1usize << self.one_of;
            let skipped = (self.seen.next_multiple_of(every) - self.seen).min(pairs.len() - at);
            (self.seen, at) = (self.seen + skipped, at + skipped);
            if let Some(pair) = pairs.get(at) {
                let (of_a, i, of_b, j) = *pair;
                self.add(((a, of_a as usize), (b, of_b as usize)), i as usize, j as usize);
                at += 1;
            }
        }
    }
}

/// Some vertices of a primitive that a node shows, with all that decides where they are.
struct Few {
    node: NodeId,
    primitive: Primitive,
}

impl Few {
    fn of(
        scene: &Scene,
        (node, index): Place,
        vertices: impl Iterator<Item = usize> + Clone,
    ) -> Option<Self> {
        fn each<T: Copy>(list: &[T], vertices: impl Iterator<Item = usize>) -> Vec<T> {
            vertices.filter_map(|i| list.get(i).copied()).collect()
        }
        let whole = scene.meshes.get(scene.nodes.get(node)?.mesh?)?.primitives.get(index)?;
        let target = |target: &MorphTarget| MorphTarget {
            positions: each(&target.positions, vertices.clone()),
            ..MorphTarget::default()
        };
        let primitive = Primitive {
            positions: each(&whole.positions, vertices.clone()),
            joints: whole.joints.iter().map(|set| each(set, vertices.clone())).collect(),
            weights: whole.weights.iter().map(|set| each(set, vertices.clone())).collect(),
            targets: whole.targets.iter().map(target).collect(),
            ..Primitive::default()
        };
        Some(Self { node, primitive })
    }

    fn places(&self, scene: &Scene, pose: &Pose) -> Vec<Vec3> {
        pose.positions(scene, self.node, &self.primitive)
    }
}

impl Comparison<'_> {
    /// The vertices that are watched, and the joints of the skins that move them, each time that they are asked for.
    pub(super) fn watched_joints(&self) -> usize {
        let joints = |scene: &Scene, node: NodeId| {
            let skin = scene.nodes.get(node).and_then(|node| scene.skins.get(node.skin?));
            skin.map_or(0, |skin| skin.joints.len())
        };
        let of = |((a, _), (b, _)): &(Place, Place)| joints(self.a, *a) + joints(self.b, *b);
        self.watched.pairs.iter().map(|(places, list)| of(places) + 2 * list.len()).sum()
    }

    /// How far the watched vertices are apart at moments of two animations. What is elsewhere at rest already is a matter
    /// of positions and transforms.
    pub(super) fn moving_vertices(&mut self, path: &str, a: &Animation, b: &Animation, times: &[f32]) {
        let few = |scene, place, list: &[(usize, usize)], of: fn(&(usize, usize)) -> usize| {
            Few::of(scene, place, list.iter().map(of).collect::<Vec<_>>().into_iter())
        };
        let pairs = self.watched.pairs.iter().filter_map(|((in_a, in_b), list)| {
            Some((few(self.a, *in_a, list, |pair| pair.0)?, few(self.b, *in_b, list, |pair| pair.1)?))
        });
        let pairs: Vec<(Few, Few)> = pairs.collect();
        let apart = |poses: (&Pose, &Pose), pair: &(Few, Few)| -> Vec<f32> {
            let (one, other) = (pair.0.places(self.a, poses.0), pair.1.places(self.b, poses.1));
            one.iter().zip(&other).map(|(x, y)| x.distance(*y)).collect()
        };
        let rest: Vec<Vec<f32>> =
            pairs.iter().map(|pair| apart((&self.rest_a, &self.rest_b), pair)).collect();
        let mut off = ErrorStats::default();
        // What comes after the end of the first is nobody's loss.
        let end = a.seconds();
        let times: Vec<f32> = times.iter().copied().filter(|time| *time <= end).collect();
        let step = times.len().div_ceil(MOMENTS).max(1);
        for time in times.iter().step_by(step).chain(times.last()) {
            let (pose_a, pose_b) = (Pose::at(self.a, a, *time), Pose::at(self.b, b, *time));
            for (pair, rest) in pairs.iter().zip(&rest) {
                for (apart, rest) in apart((&pose_a, &pose_b), pair).into_iter().zip(rest) {
                    let allowed = (self.tolerance.length * 4.0).max(ROUNDING * self.size) + rest * 1.05;
                    if apart > allowed && apart.is_finite() {
                        off.add(f64::from(apart));
                    }
                }
            }
        }
        self.report.measured(Aspect::Animations, path, MOVE_ELSEWHERE, off, "scene units");
    }
}
