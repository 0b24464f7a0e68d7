//! Numbers that break a rule, made to keep it.

use glam::{Vec3, Vec4};

use crate::scene::{Channel, Interpolation, Property, unit_vector};

/// The squared length of a rotation may be this far from one.
const UNIT_TOLERANCE: f32 = 5e-4;
/// Lengths of directions may be this far from one, as in the Scene: what other formats store comes back as it was.
const LENGTH_TOLERANCE: f32 = 1e-3;
/// How far quantised vectors may be from unit length before it is worth a word.
const QUANTISED_TOLERANCE: f32 = 0.02;

/// What a repair found.
#[derive(Debug, Default)]
pub(super) struct Repaired {
    /// How many elements were wrong.
    pub(super) count: usize,
    /// The first of them.
    pub(super) first: usize,
}

impl Repaired {
    pub(super) fn note(&mut self, index: usize) {
        if self.count == 0 {
            self.first = index;
        }
        self.count += 1;
    }
}

/// Replaces what is not finite by zero.
pub(super) fn finite(values: &mut [f32]) -> Repaired {
    let mut repaired = Repaired::default();
    // The common case is one quick look without a branch: an exponent of ones is infinite or not a number.
    const ONES: u32 = 0x7F80_0000;
    if !values.iter().fold(false, |found, value| found | (value.to_bits() & ONES == ONES)) {
        return repaired;
    }
    for (i, value) in values.iter_mut().enumerate().filter(|(_, value)| !value.is_finite()) {
        repaired.note(i);
        *value = 0.0;
    }
    repaired
}

/// Makes vectors unit length. Those without a direction are left at zero and returned.
pub(super) fn unit_vectors(vectors: &mut [[f32; 3]], quantised: bool) -> (Repaired, Vec<usize>) {
    let (mut repaired, mut zeros) = (Repaired::default(), Vec::new());
    for (i, vector) in vectors.iter_mut().enumerate() {
        let v = Vec3::from_array(*vector);
        let off = (v.length_squared().sqrt() - 1.0).abs();
        if off <= LENGTH_TOLERANCE {
            continue;
        }
        if !quantised || off > QUANTISED_TOLERANCE {
            repaired.note(i);
        }
        match unit_vector(v) {
            Some(unit) => *vector = unit.to_array(),
            None => zeros.push(i),
        }
    }
    (repaired, zeros)
}

/// Makes tangents unit length with a sign of 1 or -1; those without a direction become +X.
pub(super) fn unit_tangents(tangents: &mut [[f32; 4]], quantised: bool) -> Repaired {
    let mut repaired = Repaired::default();
    for (i, tangent) in tangents.iter_mut().enumerate() {
        let t = Vec4::from_array(*tangent);
        let v = t.truncate();
        let off_length = (v.length_squared().sqrt() - 1.0).abs() > LENGTH_TOLERANCE;
        let off_sign = t.w.abs() != 1.0;
        if off_length || off_sign {
            if !quantised || (v.length() - 1.0).abs() > QUANTISED_TOLERANCE || (t.w.abs() - 1.0).abs() > 0.01
            {
                repaired.note(i);
            }
            let unit = if off_length { unit_vector(v).unwrap_or(Vec3::X) } else { v };
            *tangent = unit.extend(if t.w < 0.0 { -1.0 } else { 1.0 }).to_array();
        }
    }
    repaired
}

/// Makes a rotation unit length; one without a direction becomes none.
pub(super) fn unit_rotation(rotation: &mut [f32]) -> bool {
    let squared: f32 = rotation.iter().map(|x| x * x).sum();
    if (squared - 1.0).abs() <= UNIT_TOLERANCE {
        return false;
    }
    let length = squared.sqrt();
    if length > 1e-6 && length.is_finite() {
        rotation.iter_mut().for_each(|x| *x /= length);
    } else {
        rotation.iter_mut().zip([0.0, 0.0, 0.0, 1.0]).for_each(|(x, one)| *x = one);
    }
    (length - 1.0).abs() > 0.005
}

/// The values of a spline of rotations whose keys are not of unit length, with keys that are.
pub(super) fn unit_spline(channel: &Channel) -> Option<Vec<f32>> {
    if channel.property != Property::Rotation || channel.interpolation != Interpolation::Cubic {
        return None;
    }
    let mut values = channel.values.clone();
    let mut changed = false;
    for key in values.as_chunks_mut::<12>().0 {
        if let Some(value) = key.get_mut(4..8) {
            let before =
                [value.first().copied(), value.get(1).copied(), value.get(2).copied(), value.get(3).copied()];
            unit_rotation(value);
            changed |= before.iter().flatten().zip(&*value).any(|(before, after)| before != after);
        }
    }
    changed.then_some(values)
}
