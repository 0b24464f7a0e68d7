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
            vertex_weights(vertex, joints, weights, &mut repair);
        }
        return repair;
    }
    let vertices = weights.first().map_or(0, Vec::len);
    for vertex in 0..vertices {
        let mut all: (Vec<u16>, Vec<f32>) = (
            joints.iter().filter_map(|set| set.get(vertex)).flatten().copied().collect(),
            weights.iter().filter_map(|set| set.get(vertex)).flatten().copied().collect(),
        );
        vertex_weights(vertex, &mut all.0, &mut all.1, &mut repair);
        let places = joints.iter_mut().filter_map(|set| set.get_mut(vertex)).flatten();
        places.zip(all.0).for_each(|(place, joint)| *place = joint);
        let places = weights.iter_mut().filter_map(|set| set.get_mut(vertex)).flatten();
        places.zip(all.1).for_each(|(place, weight)| *place = weight);
    }
    repair
}

fn vertex_weights(vertex: usize, joints: &mut [u16], weights: &mut [f32], repair: &mut WeightRepair) {
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
}
