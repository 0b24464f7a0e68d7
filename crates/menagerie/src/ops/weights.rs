//! How many joints a vertex hangs on, and weights that sum to one.

use crate::diag::loss::ErrorStats;
use crate::scene::{Primitive, Scene};

/// What [`limit_weights`] changed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LimitedWeights {
    /// The vertices that hang on anything.
    pub vertices: usize,
    /// Those that hung on more joints than now.
    pub changed: usize,
    /// The weight of the joints that vertices lost, zero for most.
    pub lost: ErrorStats,
}

/// What a vertex hangs on, each joint once with its whole weight, in the order in which they are first named.
pub fn vertex_weights(primitive: &Primitive, vertex: usize) -> Vec<(u16, f32)> {
    let mut list: Vec<(u16, f32)> = Vec::new();
    for (joints, weights) in primitive.joints.iter().zip(&primitive.weights) {
        let (Some(joints), Some(weights)) = (joints.get(vertex), weights.get(vertex)) else { continue };
        for (joint, weight) in joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            match list.iter_mut().find(|(known, _)| known == joint) {
                Some((_, sum)) => *sum += weight,
                None => list.push((*joint, *weight)),
            }
        }
    }
    list
}

/// The `count` heaviest joints of a vertex in the order that they have, as heavy as they are, and the weight of all
/// others. Of equally heavy ones the first stay.
pub fn heaviest_joints(primitive: &Primitive, vertex: usize, count: usize) -> (Vec<(u16, f32)>, f64) {
    let mut list = vertex_weights(primitive, vertex);
    let mut lost = 0.0;
    while list.len() > count {
        let lightest = list.iter().enumerate().rev().min_by(|(_, a), (_, b)| a.1.total_cmp(&b.1));
        let Some((index, _)) = lightest else { break };
        lost += f64::from(list.remove(index).1);
    }
    (list, lost)
}

/// Lets every vertex hang on at most `count` joints: the heaviest stay, and their weights are raised to sum to one. With
/// one joint the binding is rigid: every vertex moves with the joint that held it most.
pub fn limit_weights(scene: &mut Scene, count: usize) -> LimitedWeights {
    let mut report = LimitedWeights::default();
    for primitive in scene.meshes.values_mut().flat_map(|mesh| &mut mesh.primitives) {
        let sets = count.div_ceil(4).min(primitive.joints.len());
        let mut joints = vec![vec![[0u16; 4]; primitive.vertex_count()]; sets];
        let mut weights = vec![vec![[0f32; 4]; primitive.vertex_count()]; sets];
        for vertex in 0..if sets == 0 { 0 } else { primitive.vertex_count() } {
            let (kept, lost) = heaviest_joints(primitive, vertex, count);
            report.vertices += usize::from(!kept.is_empty());
            report.changed += usize::from(lost > 0.0);
            report.lost.add(lost);
            for (i, (joint, weight)) in kept.into_iter().enumerate() {
                if let (Some(joints), Some(weights)) = (joints.get_mut(i / 4), weights.get_mut(i / 4)) {
                    (joints[vertex][i % 4], weights[vertex][i % 4]) = (joint, weight);
                }
            }
        }
        normalize_weights(&mut joints, &mut weights);
        (primitive.joints, primitive.weights) = (joints, weights);
    }
    report
}

/// What [`normalize_weights`] found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeightRepair {
    /// How many vertices had weights that were really wrong: not only rounded.
    pub wrong: usize,
    /// The first of them.
    pub first_wrong: Option<usize>,
    /// How far the sum of a vertex's weights was from one, at most.
    pub largest: f32,
}

/// How far a sum may be from one, for each weight, before it is mended: what rounding to floats explains.
const ROUNDING: f64 = 1e-7;
/// From here on it is more than the rounding of 16-bit weights.
const WRONG: f64 = 1e-3;

/// Makes the weights of every vertex sum to one, as nearly as floats can, unless all are zero. Negative ones become
/// zero, joints without weight become joint 0, and a joint that a vertex names twice is named once with the sum.
pub fn normalize_weights(joints: &mut [Vec<[u16; 4]>], weights: &mut [Vec<[f32; 4]>]) -> WeightRepair {
    let mut repair = WeightRepair::default();
    if let ([joints], [weights]) = (&mut *joints, &mut *weights) {
        for (vertex, (joints, weights)) in joints.iter_mut().zip(weights).enumerate() {
            mend(vertex, joints, weights, &mut repair);
        }
        return repair;
    }
    let vertices = weights.first().map_or(0, Vec::len);
    for vertex in 0..vertices {
        let mut all: (Vec<u16>, Vec<f32>) = (
            joints.iter().filter_map(|set| set.get(vertex)).flatten().copied().collect(),
            weights.iter().filter_map(|set| set.get(vertex)).flatten().copied().collect(),
        );
        mend(vertex, &mut all.0, &mut all.1, &mut repair);
        let places = joints.iter_mut().filter_map(|set| set.get_mut(vertex)).flatten();
        places.zip(all.0).for_each(|(place, joint)| *place = joint);
        let places = weights.iter_mut().filter_map(|set| set.get_mut(vertex)).flatten();
        places.zip(all.1).for_each(|(place, weight)| *place = weight);
    }
    repair
}

fn mend(vertex: usize, joints: &mut [u16], weights: &mut [f32], repair: &mut WeightRepair) {
    let mut wrong = false;
    let mut used = 0u32;
    let mut sum = 0.0f64;
    for i in 0..weights.len().min(joints.len()) {
        if weights[i] <= 0.0 || weights[i].is_nan() {
            wrong |= weights[i] != 0.0;
            // Also turns a negative zero into zero.
            weights[i] = 0.0;
            joints[i] = 0;
            continue;
        }
        let earlier = (0..i).find(|&j| joints[j] == joints[i] && weights[j] > 0.0);
        if let Some(earlier) = earlier {
            weights[earlier] += weights[i];
            sum += f64::from(weights[i]);
            (weights[i], joints[i]) = (0.0, 0);
            wrong = true;
        } else {
            sum += f64::from(weights[i]);
            used += 1;
        }
    }
    let off = (sum - 1.0).abs();
    if sum > 0.0 && off > ROUNDING * f64::from(used) {
        weights.iter_mut().for_each(|weight| *weight = (f64::from(*weight) / sum) as f32);
        repair.largest = repair.largest.max(off as f32);
        wrong |= off > WRONG;
    }
    if wrong {
        repair.wrong += 1;
        repair.first_wrong.get_or_insert(vertex);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_mended() {
        for (joints, weights, expected_joints, expected, wrong) in [
            ([1, 2, 3, 4], [0.5, 0.5, 0.0, 0.0], [1, 2, 0, 0], [0.5, 0.5, 0.0, 0.0], 0),
            ([1, 2, 3, 4], [2.0, 2.0, -1.0, 0.0], [1, 2, 0, 0], [0.5, 0.5, 0.0, 0.0], 1),
            ([7, 7, 0, 0], [0.25, 0.75, 0.0, 0.0], [7, 0, 0, 0], [1.0, 0.0, 0.0, 0.0], 1),
            ([7, 7, 0, 0], [0.0; 4], [0; 4], [0.0; 4], 0),
        ] {
            let (mut j, mut w) = (vec![vec![joints]], vec![vec![weights]]);
            let repair = normalize_weights(&mut j, &mut w);
            assert_eq!((j[0][0], w[0][0], repair.wrong), (expected_joints, expected, wrong));
        }
        let mut joints = vec![vec![[1, 0, 0, 0]], vec![[2, 0, 0, 0]]];
        let mut weights = vec![vec![[1.0, 0.0, 0.0, 0.0]], vec![[3.0, 0.0, 0.0, 0.0]]];
        normalize_weights(&mut joints, &mut weights);
        assert_eq!((weights[0][0][0], weights[1][0][0]), (0.25, 0.75));
    }

    #[test]
    fn the_heaviest_stay_and_sum_to_one() {
        let joints = vec![vec![[1, 2, 3, 4], [5, 5, 6, 0]], vec![[7, 8, 0, 0], [0; 4]]];
        let weights =
            vec![vec![[0.3, 0.1, 0.1, 0.1], [0.2, 0.2, 0.6, 0.0]], vec![[0.1, 0.3, 0.0, 0.0], [0.0; 4]]];
        let whole = Primitive { positions: vec![[0.0; 3]; 2], joints, weights, ..Primitive::default() };
        for (count, first, sets, lost) in [
            (1, &[(1, 1.0)][..], 1, 0.7),
            (2, &[(1, 0.5), (8, 0.5)], 1, 0.4),
            (3, &[(1, 0.3 / 0.7), (2, 0.1 / 0.7), (8, 0.3 / 0.7)], 1, 0.3),
            (6, &[(1, 0.3), (2, 0.1), (3, 0.1), (4, 0.1), (7, 0.1), (8, 0.3)], 2, 0.0),
        ] {
            let mut scene = Scene::default();
            let primitives = vec![whole.clone()];
            let mesh = scene.meshes.push(crate::scene::Mesh { primitives, ..Default::default() });
            let report = limit_weights(&mut scene, count);
            let limited = &crate::scene::assert_scene(&scene).meshes[mesh].primitives[0];
            let found = vertex_weights(limited, 0);
            assert_eq!(found.len(), first.len(), "{found:?}");
            for ((joint, weight), (expected, exact)) in found.iter().zip(first) {
                assert!(joint == expected && (weight - exact).abs() < 1e-6, "{found:?} is not {first:?}");
            }
            assert_eq!(limited.joints.len(), sets);
            assert!((report.lost.max - lost).abs() < 1e-6, "{report:?}");
            let once = scene.clone();
            assert_eq!(limit_weights(&mut scene, count).changed, 0);
            assert_eq!(scene, once, "twice is as good as once");
        }
    }
}
