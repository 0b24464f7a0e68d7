//! Text of files that may be printed.

use std::borrow::Cow;

/// Text that stays on its line and says what it seems to say: control characters, line breaks and the controls of
/// bidirectional text, which a name in a file may hold to forge what is printed around it, are written out as `\\u{…}`.
///
/// ```
/// use menagerie::diag::plain;
///
/// assert_eq!(plain("crate"), "crate");
/// assert_eq!(plain("a\nerror: b"), "a\\u{a}error: b");
/// ```
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_harmful(c) { plain.extend(c.escape_unicode()) } else { plain.push(c) }
    }
    Cow::Owned(plain)
}

fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{61C}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}
