//! The F8A codes whose direction is nearest: for normals and rotations.

use crate::bytes::{f8a_from_f32, f8a_to_f32};

/// The values of the F8A codes without a sign.
#[expect(clippy::indexing_slicing, reason = "the compiler evaluates it")]
static VALUES: [f64; 128] = {
    let mut values = [0.0; 128];
    let mut code = 1usize;
    while code < 128 {
        let fraction = (16 + (code & 15)) as f64;
        values[code] = fraction * (1u64 << (code >> 4)) as f64 / 2048.0;
        code += 1;
    }
    values
};

fn value(code: u8) -> f64 {
    VALUES.get(usize::from(code)).copied().unwrap_or_default()
}

/// How much nearer a direction must be to be taken: below, differences are those of rounding.
const NEARER: f64 = 1e-12;

/// The codes of the F8A vector or quaternion whose direction is nearest: all lengths that matter are tried, and the
/// neighbours of each code.
pub fn nearest_direction<const N: usize>(values: [f32; N]) -> [u8; N] {
    let sizes = values.map(f32::abs);
    let largest = sizes.iter().fold(0.0f32, |largest, size| largest.max(*size));
    if largest.is_nan() || largest <= 0.0 {
        return [0; N];
    }
    let wanted = Wanted::new(&values);
    let mut best = Nearness::NONE;
    let mut nearest = [0; N];
    // The codes of the largest component from one to just below two give every ratio that there is.
    for code in 0x70..=0x7Fu8 {
        let scale = f8a_to_f32(code) / largest;
        let (codes, nearness) = wanted.climb(sizes.map(|size| f8a_from_f32(size * scale)));
        // Ties go to the smaller codes, so that (0, 0, 1) stays what it is.
        if nearness.cosine > best.cosine + NEARER {
            (nearest, best) = (codes, nearness);
        }
    }
    for (code, negative) in nearest.iter_mut().zip(wanted.negative) {
        *code |= if negative && *code != 0 { 0x80 } else { 0 };
    }
    nearest
}

/// The direction that codes are to have. No code of the other sign is ever nearer, so the search is among those without.
struct Wanted<const N: usize> {
    sizes: [f64; N],
    negative: [bool; N],
    length: f64,
}

/// How near the direction of some codes is.
#[derive(Clone, Copy)]
struct Nearness {
    /// The cosine of the angle between them.
    cosine: f64,
    /// What the square of a dot product must be above, for codes of length one, to be nearer.
    bar: f64,
}

impl Nearness {
    const NONE: Self = Self { cosine: f64::NEG_INFINITY, bar: -1.0 };
}

/// Codes on their way, with their values, and the products that change with them.
struct Climb<const N: usize> {
    codes: [u8; N],
    decoded: [f64; N],
    /// The dot product with what is wanted, and the square of the length.
    dot: f64,
    square: f64,
    best: Nearness,
}

impl<const N: usize> Wanted<N> {
    fn new(values: &[f32; N]) -> Self {
        let sizes = values.map(|value| f64::from(value.abs()));
        let length = sizes.iter().map(|x| x * x).sum::<f64>().sqrt();
        Self { sizes, negative: values.map(|value| value < 0.0), length }
    }

    /// The codes, changed to a neighbour one by one as long as that brings the direction nearer.
    fn climb(&self, codes: [u8; N]) -> ([u8; N], Nearness) {
        let decoded = codes.map(value);
        let (dot, square) = self.products(&decoded);
        let best = self.nearer(dot, square, Nearness::NONE).unwrap_or(Nearness::NONE);
        let mut climb = Climb { codes, decoded, dot, square, best };
        loop {
            let mut moved = false;
            for i in 0..N {
                for down in [true, false] {
                    moved |= self.step(&mut climb, i, down);
                }
            }
            if !moved {
                return (climb.codes, climb.best);
            }
        }
    }

    /// Takes the next smaller or larger code of a component if that is nearer.
    #[inline(always)]
    fn step(&self, climb: &mut Climb<N>, i: usize, down: bool) -> bool {
        let (Some(code), Some(old)) = (climb.codes.get(i), climb.decoded.get(i)) else { return false };
        let (Some(wanted), Some(negative)) = (self.sizes.get(i), self.negative.get(i)) else { return false };
        // Below zero the values grow the other way, as far as there is a sign.
        let next = match (*code, down) {
            (0, _) if down == *negative => 1,
            (0, _) | (0x7F, false) => return false,
            (code, true) => code - 1,
            (code, false) => code + 1,
        };
        let new = value(next);
        let step = new - old;
        let (dot, square) = (climb.dot + step * wanted, climb.square + step * (new + old));
        // Nearly all are farther; that is seen without a root and a division.
        if dot * dot <= climb.best.bar * square {
            return false;
        }
        let mut decoded = climb.decoded;
        if let Some(value) = decoded.get_mut(i) {
            *value = new;
        }
        let (dot, square) = self.products(&decoded);
        let Some(nearer) = self.nearer(dot, square, climb.best) else { return false };
        if let Some(code) = climb.codes.get_mut(i) {
            *code = next;
        }
        *climb = Climb { codes: climb.codes, decoded, dot, square, best: nearer };
        true
    }

    /// The dot product of decoded codes with what is wanted, and the square of their length.
    fn products(&self, decoded: &[f64; N]) -> (f64, f64) {
        let dot = decoded.iter().zip(&self.sizes).map(|(a, b)| a * b).sum();
        (dot, decoded.iter().map(|x| x * x).sum())
    }

    /// How near codes with these products are, if that is nearer than the best.
    fn nearer(&self, dot: f64, square: f64, best: Nearness) -> Option<Nearness> {
        if dot * dot <= best.bar * square || square <= 0.0 {
            return None;
        }
        let cosine = dot / (square.sqrt() * self.length);
        let across = cosine * self.length;
        (cosine > best.cosine + NEARER).then_some(Nearness { cosine, bar: across * across })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cosine of the angle between decoded codes and what they should be.
    fn closeness<const N: usize>(codes: &[u8; N], values: &[f32; N]) -> f64 {
        let decoded = codes.map(|code| f64::from(f8a_to_f32(code)));
        let dot: f64 = decoded.iter().zip(values).map(|(a, b)| a * f64::from(*b)).sum();
        let length = |list: &mut dyn Iterator<Item = f64>| list.map(|x| x * x).sum::<f64>().sqrt();
        let lengths = length(&mut decoded.into_iter()) * length(&mut values.iter().map(|x| f64::from(*x)));
        if lengths > 0.0 { dot / lengths } else { f64::NEG_INFINITY }
    }

    #[test]
    fn codes_have_their_values() {
        for code in 0..128u8 {
            assert_eq!(value(code), f64::from(f8a_to_f32(code)), "{code}");
        }
    }

    /// The code of the next larger or smaller value of the same sign; those of zero have both signs.
    fn neighbour(code: u8, step: i8) -> u8 {
        if code & 0x7F == 0 {
            return if step < 0 { 0x81 } else { 0x01 };
        }
        let magnitude = (code & 0x7F).saturating_add_signed(step).min(0x7F);
        if magnitude == 0 { 0 } else { code & 0x80 | magnitude }
    }

    /// The search as it is described, without a thought of speed.
    fn by_trial<const N: usize>(values: [f32; N]) -> [u8; N] {
        let largest = values.iter().fold(0.0f32, |largest, v| largest.max(v.abs()));
        let mut best = ([0; N], f64::NEG_INFINITY);
        for code in 0x70..=0x7Fu8 {
            let scale = f8a_to_f32(code) / largest;
            let mut codes = values.map(|v| f8a_from_f32(v * scale));
            let mut nearness = closeness(&codes, &values);
            loop {
                let before = nearness;
                for (i, step) in (0..N).flat_map(|i| [(i, -1), (i, 1)]) {
                    let mut other = codes;
                    other[i] = neighbour(other[i], step);
                    let nearer = closeness(&other, &values);
                    if nearer > nearness + 1e-12 {
                        (codes, nearness) = (other, nearer);
                    }
                }
                if nearness <= before {
                    break;
                }
            }
            if nearness > best.1 + 1e-12 {
                best = (codes, nearness);
            }
        }
        best.0
    }

    #[test]
    fn directions_are_searched() {
        assert_eq!(nearest_direction([0.0, 0.0, 1.0]), [0, 0, 0x70]);
        let mut worst = 0.0f64;
        for i in 0..20_000 {
            let a = f64::from(i) * 2.399;
            let z = 1.0 - f64::from(i) / 10_000.0;
            let r = (1.0 - z * z).max(0.0).sqrt();
            let n = [(r * a.cos()) as f32, (r * a.sin()) as f32, z as f32];
            let codes = nearest_direction(n);
            assert_eq!(codes, by_trial(n), "{n:?}");
            let quaternion = [n[0], n[1], n[2], (a * 1.7).sin() as f32];
            assert_eq!(nearest_direction(quaternion), by_trial(quaternion), "{quaternion:?}");
            worst = worst.max(closeness(&codes, &n).min(1.0).acos().to_degrees());
        }
        assert!(worst < 0.5, "{worst} degrees");
        for odd in [[1e-30, 2e-30, 0.0], [1e30, -1.0, 1e-30], [0.0, -0.0, -5.0], [f32::MIN_POSITIVE; 3]] {
            assert_eq!(nearest_direction(odd), by_trial(odd), "{odd:?}");
        }
        assert_eq!(nearest_direction([0.0; 4]), [0; 4]);
    }
}
