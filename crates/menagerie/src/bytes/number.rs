//! Numbers in text, read exactly and fast.

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];
/// What a number is multiplied with to put so many digits behind it.
const TENS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
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
    let (negative, rest) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    let (mut mantissa, mut digits, mut rest) = digits_start(0, rest);
    let mut exponent: i32 = 0;
    if let [b'.', after @ ..] = rest {
        let fraction;
        (mantissa, fraction, rest) = digits_start(mantissa, after);
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

/// The whole number without a sign that a text begins with, and what follows it; `None` where it has no digits, or more
/// than nineteen.
#[inline]
pub fn whole_start(text: &[u8]) -> Option<(u64, &[u8])> {
    let (value, digits, rest) = digits_start(0, text);
    (1..=19).contains(&digits).then_some((value, rest))
}

/// The digits that a text begins with put behind those that came before: the number, how many were added, and what
/// follows them. More than nineteen run over.
#[inline]
fn digits_start(before: u64, text: &[u8]) -> (u64, usize, &[u8]) {
    let mut value = before;
    let mut rest = text;
    while let Some(eight) = rest.first_chunk() {
        let (number, count) = up_to_eight_digits(*eight);
        let power = TENS.get(count).copied().unwrap_or(1);
        value = value.wrapping_mul(power).wrapping_add(number);
        rest = rest.get(count..).unwrap_or_default();
        if count < 8 {
            return (value, text.len() - rest.len(), rest);
        }
    }
    while let [byte, after @ ..] = rest
        && byte.is_ascii_digit()
    {
        value = value.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
        rest = after;
    }
    (value, text.len() - rest.len(), rest)
}

/// The digits that eight bytes begin with, all at once, and how many they are.
#[inline]
fn up_to_eight_digits(text: [u8; 8]) -> (u64, usize) {
    // Digits become 0 to 9. All else is more, and adding sets its upper bit; what is carried over spoils only bytes
    // behind the first that is no digit.
    let word = u64::from_le_bytes(text) ^ 0x3030_3030_3030_3030;
    let others = (word.wrapping_add(0x7676_7676_7676_7676) | word) & 0x8080_8080_8080_8080;
    let count = others.trailing_zeros() / 8;
    // Zeros are put before them, so that there are eight.
    let word = word.checked_shl(64 - 8 * count).unwrap_or(0);
    let pairs = word.wrapping_mul(2561) >> 8;
    let fours = (pairs & 0x00FF_00FF_00FF_00FF).wrapping_mul(6_553_601) >> 16;
    ((fours & 0x0000_FFFF_0000_FFFF).wrapping_mul(42_949_672_960_001) >> 32, count as usize)
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
    fn numbers_end_where_their_digits_end() {
        for digits in 0..=20usize {
            let number = "12345678901234567890".get(..digits).unwrap();
            for after in 0..=255u8 {
                for more in ["", "7777777777"] {
                    let mut text = number.as_bytes().to_vec();
                    text.push(after);
                    text.extend_from_slice(more.as_bytes());
                    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
                    let value = std::str::from_utf8(&text[..end]).unwrap().parse::<u64>().ok();
                    let expected = value.filter(|_| end <= 19).map(|value| (value, &text[end..]));
                    assert_eq!(whole_start(&text), expected, "{}", text.escape_ascii());
                }
            }
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
