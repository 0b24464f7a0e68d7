//! Numbers in text, read exactly and fast.

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];
/// Up to here whole numbers are exact in a double.
const EXACT: u64 = 1 << 53;
/// The bits of a double that a float has no place for.
const LOST: u64 = (1 << 29) - 1;
/// Those bits halfway between two floats.
const HALFWAY: u64 = 1 << 28;

/// What stands at the beginning of a text where a number should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Token<T> {
    /// A number that ends where the token ends.
    Number(T),
    /// Something else.
    Other,
}

/// The words of a line: what blanks and tabs keep apart.
pub fn tokens(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| is_blank(*byte)).filter(|word| !word.is_empty())
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | 0x0B | 0x0C)
}

/// The whole word as a float, rounded to the nearest as IEEE 754 wants it. Infinities and NaN are numbers here.
pub fn read_float(word: &[u8]) -> Token<f32> {
    match float_start(word) {
        Some((value, [])) => Token::Number(value),
        _ => slow_float(word).map_or(Token::Other, Token::Number),
    }
}

/// The whole word as a whole number.
pub fn read_integer(word: &[u8]) -> Token<i64> {
    let (negative, digits) = match word {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, word),
    };
    if digits.is_empty() || digits.len() > 18 {
        return Token::Other;
    }
    let mut value: i64 = 0;
    for byte in digits {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return Token::Other;
        }
        value = value * 10 + i64::from(digit);
    }
    Token::Number(if negative { -value } else { value })
}

/// The float that a text begins with, and what follows it; `None` where it is no plain decimal number, or one that needs
/// more care than this has.
#[inline]
pub fn float_start(text: &[u8]) -> Option<(f32, &[u8])> {
    let (negative, mut rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let mut mantissa: u64 = 0;
    let mut digits = 0usize;
    let before = rest.len();
    while let [byte, after @ ..] = rest
        && byte.is_ascii_digit()
    {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
        rest = after;
    }
    digits += before - rest.len();
    let mut exponent: i32 = 0;
    if let [b'.', after @ ..] = rest {
        rest = after;
        let before = rest.len();
        while let Some((eight, after)) = rest.split_first_chunk::<8>() {
            let Some(number) = eight_digits(*eight) else { break };
            mantissa = mantissa.wrapping_mul(100_000_000).wrapping_add(number);
            rest = after;
        }
        while let [byte, after @ ..] = rest
            && byte.is_ascii_digit()
        {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
            rest = after;
        }
        let fraction = before - rest.len();
        digits += fraction;
        exponent = -(fraction.min(1000) as i32);
    }
    // More digits may have run over; how many of them are zeros does not matter for that to be rare.
    if digits == 0 || digits > 19 {
        return None;
    }
    if let [b'e' | b'E', after @ ..] = rest {
        let (power, after) = exponent_start(after)?;
        exponent += power;
        rest = after;
    }
    let value = scale(mantissa, exponent)?;
    Some((if negative { -value } else { value }, rest))
}

/// Eight digits at once; `None` when they are not all digits.
#[inline]
fn eight_digits(text: [u8; 8]) -> Option<u64> {
    let word = u64::from_le_bytes(text);
    // Every byte is 0x30 to 0x39 when its upper half is 3, also after adding 6.
    let upper = word & 0xF0F0_F0F0_F0F0_F0F0;
    let carried = word.wrapping_add(0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0;
    if upper != 0x3030_3030_3030_3030 || carried != 0x3030_3030_3030_3030 {
        return None;
    }
    let pairs = (word & 0x0F0F_0F0F_0F0F_0F0F).wrapping_mul(2561) >> 8;
    let fours = (pairs & 0x00FF_00FF_00FF_00FF).wrapping_mul(6_553_601) >> 16;
    Some((fours & 0x0000_FFFF_0000_FFFF).wrapping_mul(42_949_672_960_001) >> 32)
}

fn exponent_start(text: &[u8]) -> Option<(i32, &[u8])> {
    let (negative, mut rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let before = rest.len();
    let mut power: i32 = 0;
    while let [byte, after @ ..] = rest
        && byte.is_ascii_digit()
    {
        power = power.saturating_mul(10).saturating_add(i32::from(byte - b'0'));
        rest = after;
    }
    if rest.len() == before || power > 1000 {
        return None;
    }
    Some((if negative { -power } else { power }, rest))
}

/// mantissa · 10^exponent, where one operation of doubles gives it exactly enough to know the nearest float.
#[inline]
fn scale(mantissa: u64, exponent: i32) -> Option<f32> {
    if mantissa == 0 {
        return Some(0.0);
    }
    if mantissa > EXACT {
        return None;
    }
    let power = *POWERS.get(exponent.unsigned_abs() as usize)?;
    let double = if exponent < 0 { mantissa as f64 / power } else { mantissa as f64 * power };
    // A double halfway between two floats may stand for a number on either side of it.
    if double.to_bits() & LOST == HALFWAY || double >= f64::from(f32::MAX) {
        return None;
    }
    Some(double as f32)
}

/// All that the fast way leaves over, as the standard library reads it; and the ways in which C libraries write what is
/// not finite.
fn slow_float(word: &[u8]) -> Option<f32> {
    let text = std::str::from_utf8(word).ok()?;
    if let Ok(value) = text.parse::<f32>() {
        return Some(value);
    }
    let lower = text.to_ascii_lowercase();
    let bare = lower.trim_start_matches(['-', '+']);
    if bare.starts_with("nan")
        || bare.starts_with("1.#qnan")
        || bare.starts_with("1.#snan")
        || bare.starts_with("1.#ind")
    {
        return Some(f32::NAN);
    }
    bare.starts_with("1.#inf").then_some(f32::INFINITY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_those_of_the_standard_library() {
        let mut texts: Vec<String> = [
            "0",
            "-0",
            "1",
            "-1.5",
            ".5",
            "5.",
            "+2",
            "1e5",
            "1E-5",
            "1.0000000000000000000001",
            "16777217",
            "16777219",
            "3.4028235e38",
            "3.4028236e38",
            "1e39",
            "1e-46",
            "1.17549435e-38",
            "123456789012345678901234567890",
            "0.1",
            "0.30000001192092896",
            "8388609.5",
            "8388610.5",
            "inf",
            "-inf",
            "nan",
            "1e400",
            "1e-400",
            "00012.5000",
        ]
        .map(str::to_owned)
        .to_vec();
        let mut state = 1u64;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let float = f32::from_bits((state >> 32) as u32);
            texts.push(format!("{float}"));
            texts.push(format!("{float:e}"));
            texts.push(format!("{:.6}", (state >> 40) as f64 / 1000.0 - 8000.0));
            texts.push(format!("{:.9}", (state >> 11) as f64 / 9e15));
        }
        for text in texts {
            let expected = text.parse::<f32>().unwrap();
            let Token::Number(found) = read_float(text.as_bytes()) else { panic!("{text}") };
            assert!(
                found.to_bits() == expected.to_bits() || (found.is_nan() && expected.is_nan()),
                "{text}: {found} and {expected}"
            );
        }
    }

    #[test]
    fn what_is_no_number_is_said_to_be_none() {
        for text in ["", "-", ".", "1,5", "1.2.3", "abc", "1e", "--1", "0x10", "1/2", "٣", "1 "] {
            assert_eq!(read_float(text.as_bytes()), Token::Other, "{text:?}");
        }
        assert!(matches!(read_float(b"-1.#IND"), Token::Number(x) if x.is_nan()));
        assert!(matches!(read_float(b"1.#INF"), Token::Number(x) if x.is_infinite()));
        for (text, value) in
            [("12", Some(12)), ("-3", Some(-3)), ("1.0", None), ("", None), ("9999999999999999999", None)]
        {
            let expected = value.map_or(Token::Other, Token::Number);
            assert_eq!(read_integer(text.as_bytes()), expected, "{text:?}");
        }
    }
}
