//! Numbers as text: what `{}` of the standard library prints, in a fraction of its time.

use std::io::Write as _;

/// Appends a float: the shortest digits that are read as the same float, without an exponent.
pub(super) fn push_float(out: &mut Vec<u8>, value: f32) {
    let mut buffer = zmij::Buffer::new();
    let text = if value.is_finite() { buffer.format_finite(value).as_bytes() } else { b"" };
    let place = |of: u8| text.iter().position(|byte| *byte == of);
    let (digits, zeros) = match place(b'e').and_then(|at| text.split_at_checked(at)) {
        Some((digits, exponent)) => (digits, below_one(exponent)),
        None => (text, Some(0)),
    };
    let decimals = place(b'.').map_or(0, |at| digits.len().saturating_sub(at + 1));
    match zeros {
        Some(zeros) if !digits.is_empty() && !is_halfway(value, decimals + zeros) => match zeros {
            0 => out.extend_from_slice(without_point(digits)),
            _ => push_small(out, digits, zeros),
        },
        _ => slowly(out, value),
    }
}

/// How many places an exponent such as `e-7` moves the point to the left; `None` for one that moves it to the right.
fn below_one(exponent: &[u8]) -> Option<usize> {
    let digits = exponent.strip_prefix(b"e-")?;
    Some(digits.iter().fold(0, |number, digit| number * 10 + usize::from(digit.wrapping_sub(b'0'))))
}

/// Digits without the `.0` of a whole number.
fn without_point(digits: &[u8]) -> &[u8] {
    match digits {
        [whole @ .., b'.', b'0'] => whole,
        _ => digits,
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
fn push_small(out: &mut Vec<u8>, digits: &[u8], zeros: usize) {
    let (sign, digits) = match digits {
        [b'-', digits @ ..] => (&b"-"[..], digits),
        _ => (&b""[..], digits),
    };
    out.extend_from_slice(sign);
    out.extend_from_slice(b"0.");
    out.resize(out.len() + zeros.saturating_sub(1), b'0');
    out.extend(without_point(digits).iter().filter(|digit| **digit != b'.'));
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
