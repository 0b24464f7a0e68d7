//! The hash of strings.

/// The polynomial 0x42F0E1EBA9EA3693 with its bits in reverse.
const POLYNOMIAL: u64 = 0xC96C_5795_D787_0F42;

/// The hash that the format's own library stores with a string: a reflected CRC-64 that begins with zero and is
/// inverted at the end, over the bytes before the first NUL.
pub(super) fn crc64(bytes: &[u8]) -> u64 {
    let text = bytes.iter().take_while(|byte| **byte != 0);
    !text.fold(0u64, |crc, byte| {
        (0..8).fold(crc ^ u64::from(*byte), |crc, _| (crc >> 1) ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hashes_of_known_strings() {
        for (text, hash) in [
            (&b"123456789"[..], 0xd463_811b_1d87_f375),
            (b"Cube", 0x1b81_899b_31b6_0b95),
            (b"root", 0x58a3_d113_0e79_5c0a),
            (b"root\0more", 0x58a3_d113_0e79_5c0a),
            (b"", u64::MAX),
        ] {
            assert_eq!(crc64(text), hash, "{}", text.escape_ascii());
        }
    }
}
