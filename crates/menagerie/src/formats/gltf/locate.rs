//! Finds the bytes of an element of a JSON text by its pointer, without building anything and without recursion.

use std::ops::Range;

/// The range of the value at `pointer` (`/accessors/3/count`) in `text`, or of the deepest part of it that exists.
/// `None` when the text is no JSON.
pub(super) fn find(text: &[u8], pointer: &str) -> Option<Range<usize>> {
    let mut scanner = Scanner { text, at: 0 };
    scanner.blank();
    let mut found = scanner.value()?;
    for token in pointer.split('/').skip(1) {
        let token = token.replace("~1", "/").replace("~0", "~");
        match child(text, found.clone(), &token) {
            Some(inner) => found = inner,
            None => break,
        }
    }
    Some(found)
}

/// One member of an object, or element of an array.
pub(super) struct Part {
    /// The key; empty in an array.
    pub(super) key: Range<usize>,
    /// The value.
    pub(super) value: Range<usize>,
}

/// The parts of the object or array in `range`; none for other values.
pub(super) fn parts(text: &[u8], range: Range<usize>) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut scanner = Scanner { text: text.get(..range.end).unwrap_or(text), at: range.start };
    let object = match scanner.peek() {
        Some(b'{') => true,
        Some(b'[') => false,
        _ => return parts,
    };
    scanner.at += 1;
    while let Some(part) = scanner.part(object) {
        parts.push(part);
    }
    parts
}

fn child(text: &[u8], range: Range<usize>, token: &str) -> Option<Range<usize>> {
    let mut scanner = Scanner { text: text.get(..range.end)?, at: range.start };
    let object = match scanner.peek()? {
        b'{' => true,
        b'[' => false,
        _ => return None,
    };
    scanner.at += 1;
    let wanted: Option<usize> = token.parse().ok();
    let mut index = 0;
    while let Some(part) = scanner.part(object) {
        let fits = if object { key_is(text.get(part.key)?, token) } else { Some(index) == wanted };
        if fits {
            return Some(part.value);
        }
        index += 1;
    }
    None
}

/// Whether the quoted `key` is `token`; escapes are decoded only where there are any.
fn key_is(key: &[u8], token: &str) -> bool {
    match key.strip_prefix(b"\"").and_then(|key| key.strip_suffix(b"\"")) {
        Some(inner) if !inner.contains(&b'\\') => inner == token.as_bytes(),
        _ => serde_json::from_slice::<String>(key).is_ok_and(|key| key == token),
    }
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn blank(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    /// The next member or element, if there is one.
    fn part(&mut self, object: bool) -> Option<Part> {
        self.blank();
        if self.peek()? == b',' {
            self.at += 1;
            self.blank();
        }
        let mut key = self.at..self.at;
        if object {
            key = self.string()?;
            self.blank();
            if self.peek()? != b':' {
                return None;
            }
            self.at += 1;
            self.blank();
        }
        let value = self.value()?;
        Some(Part { key, value })
    }

    fn string(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        if self.peek()? != b'"' {
            return None;
        }
        self.at += 1;
        loop {
            match self.peek()? {
                b'"' => break,
                b'\\' => self.at += 2,
                _ => self.at += 1,
            }
        }
        self.at += 1;
        Some(start..self.at)
    }

    /// Any value; nesting is counted, not recursed into.
    fn value(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let mut depth = 0usize;
        loop {
            match self.peek()? {
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b'"' => {
                    self.string()?;
                }
                b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' if depth > 0 => self.at += 1,
                _ => self.scalar()?,
            }
            if depth == 0 {
                return Some(start..self.at);
            }
        }
    }

    /// A number or a word.
    fn scalar(&mut self) -> Option<()> {
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_find_their_bytes() {
        let text = br#"{ "a": [1, {"b~": "x\"}]", "c/d": -2.5e3}], "e\u0066" : null }"#;
        for (pointer, found) in [
            ("/a/0", "1"),
            ("/a/1/b~0", r#""x\"}]""#),
            ("/a/1/c~1d", "-2.5e3"),
            ("/ef", "null"),
            ("/a/7/x", r#"[1, {"b~": "x\"}]", "c/d": -2.5e3}]"#),
            ("/nothing", std::str::from_utf8(text).unwrap()),
        ] {
            let range = find(text, pointer).unwrap();
            assert_eq!(std::str::from_utf8(&text[range]).unwrap(), found, "{pointer}");
        }
        assert_eq!(find(b"{\"a\": [1,", "/a"), None);
        assert_eq!(parts(b"[]", 0..2).len(), 0);
    }
}
