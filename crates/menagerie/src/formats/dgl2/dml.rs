//! DML, the text in which DGL2 keeps properties: `name="value";`.
//!
//! Two dialects are in use: that of 2015 wraps the pairs in braces, that of 2016 does not. The original parsers forgive
//! different things; this one accepts what either accepts:
//!
//! ```text
//! text  = ws [ "{" ] { pair } [ "}" ] ws
//! pair  = name ws "=" ws '"' value '"' ws [ ";" ] ws
//! name  = one or more characters other than white space and = " ; { } #
//! value = any characters but '"'
//! ws    = white space, or "#" to the end of the line
//! ```
//!
//! ```
//! use menagerie::formats::dgl2::dml::{Dml, Value as _};
//!
//! let dml = Dml::parse(br#"{visible="1";texture0="[box.png, 0]";}"#);
//! assert!(dml.braced && dml.faults.is_empty());
//! assert_eq!(dml.get("visible").unwrap().as_bool(), Some(true));
//! assert_eq!(dml.get("texture0").unwrap().as_texture(), ("box.png".to_owned(), Some(0)));
//! ```

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::codes;
use crate::bytes::utf8_or_windows_1252;
use crate::diag::Code;

/// Parsed property text: pairs in their order, with where they are.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dml {
    /// Whether the pairs are in braces.
    pub braced: bool,
    /// The pairs, duplicates included.
    pub pairs: Vec<Pair>,
    /// What is wrong with the text.
    pub faults: Vec<Fault>,
}

/// One property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// Where the value is in the text, without its quotes.
    pub span: Range<usize>,
}

/// A problem of a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// What kind.
    pub code: &'static Code,
    /// Where in the text.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
}

/// A pair that DML cannot say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsayable(pub String);

impl std::fmt::Display for Unsayable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DML cannot say {}", self.0)
    }
}

impl std::error::Error for Unsayable {}

impl Dml {
    /// Parses a text. It never fails: what cannot be read is a fault, and what came before it is kept.
    pub fn parse(text: &[u8]) -> Self {
        let mut parser = Parser { text, at: 0, dml: Self::default(), names: BTreeSet::new() };
        parser.text();
        parser.dml
    }

    /// The value of a property; of several the last.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.pairs.iter().rev().find(|pair| pair.name == name).map(|pair| pair.value.as_str())
    }

    /// The pairs without their places.
    pub fn to_pairs(&self) -> Vec<(String, String)> {
        self.pairs.iter().map(|pair| (pair.name.clone(), pair.value.clone())).collect()
    }
}

/// Writes pairs as text, in braces or not; refuses what could not be read back.
pub fn write(pairs: &[(String, String)], braced: bool) -> Result<Vec<u8>, Unsayable> {
    let mut text = String::new();
    if braced {
        text.push('{');
    }
    for (name, value) in pairs {
        check_pair(name, value)?;
        text.extend([name.as_str(), "=\"", value.as_str(), "\";"]);
    }
    if braced {
        text.push('}');
    }
    Ok(text.into_bytes())
}

/// Changes one property in a text and leaves every other byte as it is; adds it at the end when it is not there.
pub fn set(text: &[u8], name: &str, value: &str) -> Result<Vec<u8>, Unsayable> {
    check_pair(name, value)?;
    let dml = Dml::parse(text);
    let (range, new): (Range<usize>, Cow<'_, str>) =
        match dml.pairs.iter().rev().find(|pair| pair.name == name) {
            Some(pair) => (pair.span.clone(), value.into()),
            None => {
                let brace = text.iter().rposition(|byte| *byte == b'}').filter(|_| dml.braced);
                let at = brace.unwrap_or(text.len());
                (at..at, format!("{name}=\"{value}\";").into())
            }
        };
    let mut edited = text.get(..range.start).unwrap_or_default().to_vec();
    edited.extend(new.bytes());
    edited.extend(text.get(range.end..).unwrap_or_default());
    Ok(edited)
}

fn check_pair(name: &str, value: &str) -> Result<(), Unsayable> {
    if name.is_empty() || name.bytes().any(|byte| !is_name(byte)) {
        return Err(Unsayable(format!("the name {name:?}")));
    }
    if value.contains('"') {
        return Err(Unsayable(format!("the value {value:?}, for it has a quote")));
    }
    Ok(())
}

fn is_name(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !b"=\";{}#\x0B".contains(&byte)
}

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    dml: Dml,
    /// The names that were read.
    names: BTreeSet<String>,
}

/// Faults that are kept of one text; a text that is wrong all over says so often enough.
const MAX_FAULTS: usize = 100;

impl Parser<'_> {
    fn text(&mut self) {
        if let Err(error) = std::str::from_utf8(self.text) {
            let at = error.valid_up_to();
            self.fault(&codes::DML_NOT_UTF8, at..at + error.error_len().unwrap_or(1), "it is not UTF-8");
        }
        self.space();
        if self.peek() == Some(b'{') {
            self.dml.braced = true;
            self.at += 1;
        }
        loop {
            self.space();
            match self.peek() {
                None => break,
                Some(b'}') => {
                    self.at += 1;
                    self.space();
                    if self.at < self.text.len() {
                        self.fault(
                            &codes::DML_SYNTAX,
                            self.at..self.text.len(),
                            "text follows the closing brace",
                        );
                    }
                    return;
                }
                Some(_) => {
                    if self.pair().is_none() {
                        return;
                    }
                }
            }
        }
        if self.dml.braced {
            let end = self.text.len();
            self.fault(&codes::DML_SYNTAX, end.saturating_sub(1)..end, "the closing brace is missing");
        }
    }

    /// One pair; `None` when the text cannot be read any further.
    fn pair(&mut self) -> Option<()> {
        let start = self.at;
        self.skip(is_name);
        let name = utf8_or_windows_1252(self.text.get(start..self.at)?);
        if name.is_empty() {
            self.fault(&codes::DML_SYNTAX, start..start + 1, "a name was expected");
            return None;
        }
        self.space();
        if self.peek() != Some(b'=') {
            let end = (self.at + 1).min(self.text.len());
            self.fault(&codes::DML_SYNTAX, start..end, format!("an = was expected after {name:?}"));
            return None;
        }
        self.at += 1;
        self.space();
        let span = if self.peek() == Some(b'"') { self.quoted()? } else { self.unquoted(&name) };
        let value = utf8_or_windows_1252(self.text.get(span.clone())?);
        if !self.names.insert(name.clone()) {
            self.fault(&codes::DML_DUPLICATE, start..span.end, format!("{name:?} is there already"));
        }
        self.dml.pairs.push(Pair { name, value, span });
        self.space();
        match self.peek() {
            Some(b';') => self.at += 1,
            _ => {
                let at = self.at.min(self.text.len());
                let span = at.saturating_sub(1)..at;
                self.fault(&codes::DML_SEMICOLON, span, "a semicolon is missing");
            }
        }
        Some(())
    }

    fn quoted(&mut self) -> Option<Range<usize>> {
        let start = self.at + 1;
        let length = self.text.get(start..)?.iter().position(|byte| *byte == b'"');
        let Some(length) = length else {
            self.fault(&codes::DML_SYNTAX, self.at..self.text.len(), "the value's closing quote is missing");
            return None;
        };
        self.at = start + length + 1;
        Some(start..start + length)
    }

    /// A value without quotes: up to the semicolon.
    fn unquoted(&mut self, name: &str) -> Range<usize> {
        let start = self.at;
        self.skip(|byte| byte != b';' && byte != b'}');
        let taken = self.text.get(start..self.at).unwrap_or_default();
        let end = start + taken.trim_ascii_end().len();
        self.fault(
            &codes::DML_UNQUOTED,
            start..end.max(start),
            format!("the value of {name:?} has no quotes"),
        );
        start..end
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip(&mut self, takes: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&takes) {
            self.at += 1;
        }
    }

    /// White space and comments.
    fn space(&mut self) {
        loop {
            self.skip(|byte| byte.is_ascii_whitespace() || byte == 0x0B);
            if self.peek() != Some(b'#') {
                return;
            }
            self.skip(|byte| byte != b'\n');
        }
    }

    fn fault(&mut self, code: &'static Code, span: Range<usize>, message: impl Into<String>) {
        if self.dml.faults.len() < MAX_FAULTS {
            self.dml.faults.push(Fault { code, span, message: message.into() });
        }
    }
}

/// What a value means; the original readers convert on demand as well.
pub trait Value {
    /// A whole number.
    fn as_integer(&self) -> Option<i64>;
    /// A number.
    fn as_float(&self) -> Option<f32>;
    /// A flag: a number whose whole part is not zero, so that `1`, `1.0` and `2` are true and `0.5` is not. The parser
    /// of 2015 reads integers only, that of 2016 truncates; on what files hold they agree.
    fn as_bool(&self) -> Option<bool>;
    /// Numbers in square brackets.
    fn as_vector(&self) -> Option<Vec<f32>>;
    /// A texture: `[name, blend]`, or just a name.
    fn as_texture(&self) -> (String, Option<i64>);
}

impl Value for str {
    fn as_integer(&self) -> Option<i64> {
        self.trim().parse().ok()
    }

    fn as_float(&self) -> Option<f32> {
        self.trim().parse().ok().filter(|value: &f32| value.is_finite())
    }

    fn as_bool(&self) -> Option<bool> {
        Some(self.as_float()?.trunc() != 0.0)
    }

    fn as_vector(&self) -> Option<Vec<f32>> {
        let inside = self.trim().strip_prefix('[')?.strip_suffix(']')?;
        inside.split(',').map(Value::as_float).collect()
    }

    fn as_texture(&self) -> (String, Option<i64>) {
        let inside = self.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        match inside.and_then(|inside| inside.rsplit_once(',')) {
            Some((name, blend)) => (name.trim().to_owned(), blend.as_integer()),
            None => (self.to_owned(), None),
        }
    }
}

/// A number as DML has it: the shortest text that gives it back, always with a point or an exponent.
pub fn float(value: f32) -> String {
    format!("{value:?}")
}

/// A vector as DML has it.
pub fn vector(values: &[f32]) -> String {
    let numbers: Vec<String> = values.iter().copied().map(float).collect();
    format!("[{}]", numbers.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(text: &str) -> Vec<(String, String)> {
        Dml::parse(text.as_bytes()).to_pairs()
    }

    #[test]
    fn both_dialects_and_what_they_forgive() {
        let one = vec![("a".to_owned(), "1".to_owned())];
        for (text, faults) in [
            (r#"a="1";"#, 0),
            (r#"{a="1";}"#, 0),
            (" { a = \"1\" ; } \n", 0),
            ("# note\na=\"1\"; # more", 0),
            (r#"a="1""#, 1),
            ("a=1;", 1),
            (r#"{a="1";"#, 1),
            (r#"a="1";b"#, 1),
            (r#"a="1";b="2"#, 1),
            (r#"a="1";="2";"#, 1),
            (r#"{a="1";}x"#, 1),
        ] {
            let dml = Dml::parse(text.as_bytes());
            assert_eq!(dml.to_pairs(), one, "{text}");
            assert_eq!(dml.faults.len(), faults, "{text}: {:?}", dml.faults);
        }
        assert_eq!(pairs(""), []);
        assert_eq!(pairs("{}"), []);
    }

    #[test]
    fn values_keep_everything_but_quotes() {
        let text = "a=\"x = ; { } # \\ \n y\";a=\"2\";";
        let dml = Dml::parse(text.as_bytes());
        assert_eq!(dml.pairs[0].value, "x = ; { } # \\ \n y");
        assert_eq!(dml.get("a"), Some("2"), "the last counts");
        assert_eq!(dml.faults[0].code.id, "dgl2/dml-duplicate");
    }

    #[test]
    fn values_mean_what_the_readers_take_them_for() {
        for (value, flag) in [("1", true), ("0", false), ("1.0", true), ("0.5", false), ("2", true)] {
            assert_eq!(value.as_bool(), Some(flag), "{value}");
        }
        assert_eq!("[0.5, 1,2e-1]".as_vector(), Some(vec![0.5, 1.0, 0.2]));
        assert_eq!("[1, x]".as_vector(), None);
        assert_eq!("[a, b.png, 1]".as_texture(), ("a, b.png".to_owned(), Some(1)));
        assert_eq!("dir\\b.png".as_texture(), ("dir\\b.png".to_owned(), None));
        assert_eq!(vector(&[0.8, 1.0, 1e-8]), "[0.8, 1.0, 1e-8]");
    }

    #[test]
    fn editing_changes_only_the_value() {
        let text = b"{ visible = \"1\" ;\n# note\nbbox=\"[1, 2, 3]\";}";
        assert_eq!(set(text, "visible", "0").unwrap(), b"{ visible = \"0\" ;\n# note\nbbox=\"[1, 2, 3]\";}");
        assert_eq!(set(b"{a=\"1\";}", "b", "2").unwrap(), b"{a=\"1\";b=\"2\";}");
        assert_eq!(set(b"", "b", "2").unwrap(), b"b=\"2\";");
        assert!(set(b"", "b", "\"").is_err() && set(b"", "a b", "1").is_err());
        assert!(write(&[("".to_owned(), "1".to_owned())], false).is_err());
    }
}
