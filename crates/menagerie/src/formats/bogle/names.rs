use serde_json::Value;

use super::FORMAT;
use crate::bytes::{decode_text, utf8_or_windows_1252};
use crate::scene::Extras;

/// The text of a name. Bytes that are not UTF-8 are kept in the extras.
pub(super) fn lift(bytes: &[u8], extras: &mut Extras) -> String {
    let (text, utf8) = decode_text(bytes);
    if !utf8 {
        extras.set(FORMAT.id, "name_bytes", bytes.to_vec());
    }
    text
}

/// The bytes of a name: those that the file had, if they still mean the same.
pub(super) fn lower(name: &str, extras: &Extras) -> Vec<u8> {
    let kept = extras.get(FORMAT.id, "name_bytes").and_then(Value::as_array);
    let kept: Option<Vec<u8>> =
        kept.and_then(|bytes| bytes.iter().map(|byte| u8::try_from(byte.as_u64()?).ok()).collect());
    kept.filter(|bytes| utf8_or_windows_1252(bytes) == name).unwrap_or_else(|| name.as_bytes().to_vec())
}
