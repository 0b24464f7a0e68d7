//! Changes of files, each chosen by five bytes: by a fuzzer, or by a test that counts up.

/// One change: bytes set, bits turned, words set, bytes taken out or put in, or a cut.
pub fn damage(file: &mut Vec<u8>, [kind, low, high, value, more]: [u8; 5]) {
    if file.is_empty() {
        return;
    }
    let at = (usize::from(low) << 8 | usize::from(high)) * file.len() / (1 << 16);
    let words = [0, 1, 0xFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, u32::MAX, u32::from(value)];
    match kind % 6 {
        0 => file[at] = value,
        1 => file[at] ^= 1 << (value % 8),
        2 => {
            let at = at & !3;
            if let Some(place) = file.get_mut(at..at + 4) {
                place.copy_from_slice(&words[usize::from(more % 8)].to_le_bytes());
            }
        }
        3 => {
            let end = (at + usize::from(value)).min(file.len());
            file.drain(at..end);
        }
        4 => {
            let again: Vec<u8> = file[at..].iter().take(usize::from(value)).copied().collect();
            file.splice(at..at, again);
        }
        _ => file.truncate(at),
    }
}
