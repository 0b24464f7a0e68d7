//! Names of files as glTF writes them: relative URIs with percent signs for what is not allowed in one.

use std::fmt::Write as _;

/// Whether it carries its data itself.
pub(super) fn is_data(uri: &str) -> bool {
    uri.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("data:"))
}

/// The name that a URI stands for.
pub(super) fn decode(uri: &str) -> String {
    match String::from_utf8(decode_bytes(uri)) {
        Ok(name) => name,
        Err(_) => uri.to_owned(),
    }
}

/// The bytes that a URI stands for.
pub(super) fn decode_bytes(uri: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(uri.len());
    let mut rest = uri.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escaped = match after.first_chunk::<2>() {
            Some(digits) if first == b'%' => {
                std::str::from_utf8(digits).ok().and_then(|digits| u8::from_str_radix(digits, 16).ok())
            }
            _ => None,
        };
        match escaped {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    bytes
}

/// A name as a relative URI.
pub(super) fn encode(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for &byte in name.as_bytes() {
        match byte {
            b'A'..=b'Z'
            | b'a'..=b'z'
            | b'0'..=b'9'
            | b'-'
            | b'.'
            | b'_'
            | b'~'
            | b'/'
            | b'!'
            | b'$'
            | b'('
            | b')'
            | b'+'
            | b','
            | b'='
            | b'@' => out.push(char::from(byte)),
            // Writing into a String cannot fail.
            _ => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// Whether a name is one of a file beside the model or below it, so that a relative URI can say it.
pub(super) fn stays_beside(name: &str) -> bool {
    !name.is_empty()
        && !name.contains(['\\', ':', '\0'])
        && name.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

/// What follows the last slash of either kind.
pub(super) fn base_name(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for name in ["a b.png", "ü/100%.png", "x#y?.jpg", "plain.png", "tab\t\"'<>"] {
            let uri = encode(name);
            assert!(uri.bytes().all(|b| b.is_ascii_graphic()), "{uri}");
            assert_eq!(decode(&uri), name);
        }
        assert_eq!(decode("50%zz%"), "50%zz%");
        assert!(stays_beside("maps/a.png"));
        for outside in ["../a", "/a", "C:/a", "a\\b", "", "a//b"] {
            assert!(!stays_beside(outside), "{outside}");
        }
    }
}
