//! Text of bytes that do not say their encoding.

/// Windows code page 1252 for the bytes 0x80 to 0x9F; the others are the same as in Unicode.
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8d}', 'Ž', '\u{8f}', '\u{90}',
    '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9d}', 'ž', 'Ÿ',
];

/// The text of bytes that are UTF-8 or, if they are not, Windows-1252, in which every byte means something.
pub fn utf8_or_windows_1252(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(_) => bytes
            .iter()
            .map(|&byte| match byte {
                0x80..=0x9F => WINDOWS_1252.get(usize::from(byte - 0x80)).copied().unwrap_or('\u{FFFD}'),
                _ => char::from(byte),
            })
            .collect(),
    }
}

/// Like [`utf8_or_windows_1252`], and says whether it was UTF-8.
pub fn decode_text(bytes: &[u8]) -> (String, bool) {
    (utf8_or_windows_1252(bytes), std::str::from_utf8(bytes).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf8_is_kept_and_other_bytes_are_windows_1252() {
        for (bytes, text, utf8) in [
            (&b"Joint1"[..], "Joint1", true),
            ("Brücke".as_bytes(), "Brücke", true),
            (b"Br\xFCcke", "Brücke", false),
            (b"\x80\x99", "€™", false),
            (b"", "", true),
        ] {
            assert_eq!(decode_text(bytes), (text.to_owned(), utf8), "{bytes:?}");
        }
    }
}
