//! Small floats that several values are packed into one word with.

/// The value of an F8A code: a sign, three bits of exponent and four of fraction, no infinities, no denormals. The
/// codes 0x00 and 0x80 are zero; 0x70 is one; the largest value is 1.9375.
pub fn f8a_to_f32(code: u8) -> f32 {
    if code & 0x7F == 0 {
        return 0.0;
    }
    let fraction = f32::from(16 + (code & 0x0F));
    let magnitude = fraction * power_of_two(i32::from((code >> 4) & 7) - 11);
    if code & 0x80 == 0 { magnitude } else { -magnitude }
}

/// The F8A code nearest to a value; what is too large becomes the largest, what is too small zero.
pub fn f8a_from_f32(value: f32) -> u8 {
    let magnitude = if value.is_nan() { 0.0 } else { value.abs() };
    let code = if magnitude >= F8A_MAX {
        0x7F
    } else if magnitude >= F8A_SMALLEST {
        // A float has the same exponent and the same first four digits; the rest rounds, from the middle down.
        let bits = magnitude.to_bits();
        let rest = bits & 0x7_FFFF;
        let code = (bits >> 19) - F8A_BIAS + u32::from(rest > 0x4_0000);
        code.clamp(1, 0x7F) as u8
    } else {
        u8::from(magnitude > F8A_SMALLEST / 2.0)
    };
    if value < 0.0 && code != 0 { code | 0x80 } else { code }
}

/// The largest F8A value.
const F8A_MAX: f32 = 1.9375;
/// The smallest F8A value that is not zero, of the code 0x01.
const F8A_SMALLEST: f32 = 17.0 / 2048.0;
/// What a float's exponent and first four digits are above the F8A code of the same value.
const F8A_BIAS: u32 = 120 << 4;

/// Three signed 9-bit fractions under one 5-bit exponent in a word: x in bits 0 to 8, y in 9 to 17, z in 18 to 26, the
/// exponent in 27 to 31. A component is fraction · 2^(exponent − 22).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Se32(pub u32);

/// The largest magnitude that every component of an [`Se32`] can have.
pub const SE32_MAX: f32 = 130_560.0;

impl Se32 {
    /// The shared exponent, 0 to 31.
    pub fn exponent(self) -> u32 {
        self.0 >> 27
    }

    /// The fractions, −256 to 255.
    pub fn fractions(self) -> [i32; 3] {
        [0, 9, 18].map(|shift| ((self.0 >> shift << 23) as i32) >> 23)
    }

    /// The distance between neighbouring values of a component.
    pub fn step(self) -> f32 {
        power_of_two(self.exponent() as i32 - 22)
    }

    /// The three values.
    pub fn values(self) -> [f32; 3] {
        let step = self.step();
        self.fractions().map(|fraction| fraction as f32 * step)
    }

    /// The word whose values are nearest: the smallest exponent whose rounded fractions fit. What is too large becomes
    /// the largest.
    pub fn nearest(values: [f32; 3]) -> Self {
        let clean = values.map(|v| if v.is_finite() { v } else { 0.0 });
        let largest = clean.iter().fold(0.0f32, |largest, v| largest.max(v.abs()));
        if largest == 0.0 {
            return Self(0);
        }
        let fits = |exponent: &u32| {
            let step = power_of_two(*exponent as i32 - 22);
            clean.iter().all(|v| (-256.0..=255.0).contains(&(v / step).round()))
        };
        let exponent = (0..32).find(fits).unwrap_or(31);
        let step = power_of_two(exponent as i32 - 22);
        let fraction = |v: f32| ((v / step).round().clamp(-256.0, 255.0) as i32 & 0x1FF) as u32;
        let [x, y, z] = clean.map(fraction);
        Self(exponent << 27 | z << 18 | y << 9 | x)
    }

    /// Whether a smaller exponent could hold the same values, and so finer ones.
    pub fn wastes_range(self) -> bool {
        let fractions = self.fractions();
        let small = fractions.iter().all(|fraction| (-127..=127).contains(fraction));
        small && self.exponent() > 0 && fractions != [0; 3]
    }

    /// Whether a component is as large as it can be.
    pub fn is_saturated(self) -> bool {
        self.exponent() >= 30 && self.fractions().iter().any(|fraction| *fraction == 255 || *fraction <= -255)
    }
}

/// 2 to a power that a normal float can hold.
fn power_of_two(power: i32) -> f32 {
    f32::from_bits(((power + 127).clamp(1, 254) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nearest code by looking at all of them; of two that are as near the smaller.
    fn f8a_by_search(value: f32) -> u8 {
        let off = |code: &u8| (f64::from(f8a_to_f32(*code)) - f64::from(value).abs()).abs();
        let code = (0..=0x7F).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0);
        if value < 0.0 && code != 0 { code | 0x80 } else { code }
    }

    #[test]
    fn f8a_codes_are_the_nearest() {
        let halfway = |code: u8| (f8a_to_f32(code) + f8a_to_f32(code + 1)) / 2.0;
        let middles = (0..0x7F).map(halfway);
        let near = |x: f32| [x.to_bits() - 1, x.to_bits(), x.to_bits() + 1].map(f32::from_bits);
        let edges = middles.chain((1..0x80).map(f8a_to_f32)).flat_map(near);
        let steps = (0..0x4200_0000u32).step_by(54_321).map(f32::from_bits);
        for value in edges.chain(steps).chain([0.0, f32::MIN_POSITIVE, f32::MAX]) {
            assert_eq!(f8a_from_f32(value), f8a_by_search(value), "{value}");
            assert_eq!(f8a_from_f32(-value), f8a_by_search(-value), "-{value}");
        }
        assert_eq!([f32::NAN, f32::INFINITY, f32::NEG_INFINITY].map(f8a_from_f32), [0, 0x7F, 0xFF]);
    }

    #[test]
    fn all_f8a_codes() {
        for code in 0..=255u8 {
            let (e, f) = (i32::from(code >> 4 & 7), f64::from(code & 15));
            let magnitude = if code & 0x7F == 0 { 0.0 } else { (1.0 + f / 16.0) * 2f64.powi(e - 7) };
            let expected = if code & 0x80 == 0 { magnitude } else { -magnitude };
            let value = f8a_to_f32(code);
            assert_eq!(f64::from(value), expected, "{code:#04x}");
            let again = if code == 0x80 { 0 } else { code };
            assert_eq!(f8a_from_f32(value), again, "{code:#04x}");
        }
        assert_eq!(f8a_to_f32(0x70), 1.0);
        for (value, code) in
            [(5.0, 0x7F), (-5.0, 0xFF), (0.004, 0), (0.0042, 1), (f32::NAN, 0), (0.9999, 0x70)]
        {
            assert_eq!(f8a_from_f32(value), code, "{value}");
        }
    }

    #[test]
    fn se32_values_come_back_and_the_nearest_is_found() {
        for exponent in 0..32u32 {
            for fractions in [[0, 1, -1], [255, -256, 7], [128, 129, -130], [3, -200, 100]] {
                let [x, y, z] = fractions.map(|f: i32| (f & 0x1FF) as u32);
                let word = Se32(exponent << 27 | z << 18 | y << 9 | x);
                assert_eq!(word.fractions(), fractions);
                assert_eq!(Se32::nearest(word.values()).values(), word.values());
            }
        }
        assert_eq!(Se32::nearest([1.0, 0.0, 0.0]).values(), [1.0, 0.0, 0.0]);
        assert_eq!(Se32::nearest([57.15, -57.15, 0.0]).values(), [57.25, -57.25, 0.0]);
        assert_eq!(Se32::nearest([1e9, -1e9, f32::NAN]).values(), [SE32_MAX, -131_072.0, 0.0]);
    }
}
