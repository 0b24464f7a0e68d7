//! Numbers as text: what `{}` of the standard library prints, in a fraction of its time.

use std::io::Write as _;

/// Appends a float: the shortest digits that are read as the same float, without an exponent.
pub(super) fn push_float(out: &mut Vec<u8>, value: f32) {
    let mut buffer = zmij::Buffer::new();
    let text = if value.is_finite() { buffer.format_finite(value) } else { "" };
    let (digits, exponent) = text.split_once('e').unwrap_or((text, "-0"));
    let zeros = exponent.strip_prefix('-').and_then(|zeros| zeros.parse::<usize>().ok());
    let decimals = digits.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    match zeros {
        Some(zeros) if !digits.is_empty() && !is_halfway(value, decimals + zeros) => match zeros {
            0 => out.extend_from_slice(digits.strip_suffix(".0").unwrap_or(digits).as_bytes()),
            _ => push_small(out, digits, zeros),
        },
        _ => slowly(out, value),
    }
}

/// Whether a float lies halfway between two numbers of so many decimals: then the standard library takes the larger one,
/// others the even one. That is so if the last bit of the float is worth half of 1/2^`decimals`.
fn is_halfway(value: f32, decimals: usize) -> bool {
    let bits = value.to_bits();
    let exponent = (bits >> 23 & 0xFF) as i32;
    let mantissa = bits & 0x7F_FFFF | if exponent > 0 { 0x80_0000 } else { 0 };
    let last = exponent.max(1) - 150 + mantissa.trailing_zeros() as i32;
    mantissa != 0 && i32::try_from(decimals).is_ok_and(|decimals| last == -(decimals + 1))
}

/// Appends `digits` · 10^-`zeros`: a number below one.
fn push_small(out: &mut Vec<u8>, digits: &str, zeros: usize) {
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits), |digits| ("-", digits));
    out.extend_from_slice(sign.as_bytes());
    out.extend_from_slice(b"0.");
    out.resize(out.len() + zeros.saturating_sub(1), b'0');
    let digits = digits.strip_suffix(".0").unwrap_or(digits);
    out.extend(digits.bytes().filter(|digit| *digit != b'.'));
}

/// What is rare: huge numbers, and what is no number.
fn slowly(out: &mut Vec<u8>, value: f32) {
    // Writing into a Vec cannot fail.
    let _ = write!(out, "{value}");
}

/// Appends a whole number.
pub(super) fn push_whole(out: &mut Vec<u8>, number: u64) {
    let mut buffer = itoa::Buffer::new();
    out.extend_from_slice(buffer.format(number).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_printed_as_the_standard_library_does() {
        let spread = (0..=u32::MAX).step_by(65_521).map(f32::from_bits);
        let plain = (-2000..2000).map(|i| i as f32 / 64.0);
        let powers = (-45..39).flat_map(|e| [1.0f32, 1.5, -9.999_999].map(|x| x * 10f32.powi(e)));
        let odd = [0.0, -0.0, f32::MIN_POSITIVE, f32::MAX, f32::MIN, 1e-45, 16_777_216.0, f32::EPSILON];
        // Halfway between two numbers of as many digits as it takes.
        let halves = (1..4096).flat_map(|i| [9, 10, 11, 12, 13, 20].map(|e| i as f32 / (1u32 << e) as f32));
        let spread = spread.chain(halves);
        for value in spread.chain(plain).chain(powers).chain(odd) {
            let mut out = Vec::new();
            push_float(&mut out, value);
            assert_eq!(String::from_utf8_lossy(&out), value.to_string(), "{:#x}", value.to_bits());
        }
    }
}
