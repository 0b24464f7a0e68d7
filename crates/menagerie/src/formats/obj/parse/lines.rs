//! Lines that go on in the next when they end with a backslash, in models and in libraries.

use std::borrow::Cow;

/// What UTF-8 text may begin with.
pub(in crate::formats::obj) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A line with all that it goes on in.
pub(in crate::formats::obj) struct Line<'t> {
    /// Its bytes; backslashes and line ends between its parts are blanks, so that every byte stays where it is.
    pub(in crate::formats::obj) text: Cow<'t, [u8]>,
    /// How many lines it is in the file.
    pub(in crate::formats::obj) parts: usize,
}

/// The line that a text begins with, and what follows it.
pub(in crate::formats::obj) fn first_line(text: &[u8]) -> (Line<'_>, &[u8]) {
    let (length, parts) = extent(text);
    let (raw, rest) = text.split_at_checked(length).unwrap_or((text, &[]));
    let text = if parts > 1 { Cow::Owned(join(raw)) } else { Cow::Borrowed(raw) };
    (Line { text, parts }, rest)
}

/// The bytes of the first line with all that it goes on in, and how many lines that are.
fn extent(text: &[u8]) -> (usize, usize) {
    let mut length = 0;
    let mut parts = 0;
    for part in text.split_inclusive(|byte| *byte == b'\n') {
        length += part.len();
        parts += 1;
        if !part.trim_ascii_end().ends_with(b"\\")
            || !part.ends_with(b"\n")
            || part.trim_ascii_start().starts_with(b"#")
        {
            break;
        }
    }
    (length, parts)
}

fn join(raw: &[u8]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(raw.len());
    for part in raw.split_inclusive(|byte| *byte == b'\n') {
        let kept =
            part.trim_ascii_end().strip_suffix(b"\\").filter(|_| part.ends_with(b"\n")).unwrap_or(part);
        joined.extend_from_slice(kept);
        joined.resize(joined.len() + part.len() - kept.len(), b' ');
    }
    joined
}
