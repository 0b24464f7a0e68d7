//! The header in words: elements, properties and their types.

use super::codes;
use crate::bytes::{Span, Token, read_integer, tokens, utf8_or_windows_1252};
use crate::diag::{Aspect, Code, Issue, Issues};

/// How the rows are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// In words.
    #[default]
    Ascii,
    /// Numbers with their lowest byte first.
    LittleEndian,
    /// Numbers with their highest byte first.
    BigEndian,
}

impl Form {
    /// The name for `info`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ascii => "ascii",
            Self::LittleEndian => "binary_little_endian",
            Self::BigEndian => "binary_big_endian",
        }
    }
}

/// The type of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    /// The type with this name, old or new.
    pub fn named(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    /// Bytes of one number.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The number that bytes begin with.
    pub fn read(self, bytes: &[u8], form: Form) -> Option<f64> {
        macro_rules! number {
            ($type:ty) => {{
                let bytes = *bytes.first_chunk::<{ size_of::<$type>() }>()?;
                let value = match form {
                    Form::BigEndian => <$type>::from_be_bytes(bytes),
                    _ => <$type>::from_le_bytes(bytes),
                };
                value as f64
            }};
        }
        Some(match self {
            Self::I8 => number!(i8),
            Self::U8 => number!(u8),
            Self::I16 => number!(i16),
            Self::U16 => number!(u16),
            Self::I32 => number!(i32),
            Self::U32 => number!(u32),
            Self::F32 => number!(f32),
            Self::F64 => number!(f64),
        })
    }
}

/// What a property is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// One number.
    Scalar(Scalar),
    /// A length, and as many numbers.
    List {
        /// The type of the length.
        count: Scalar,
        /// The type of the numbers.
        item: Scalar,
    },
}

/// A property of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: PropertyKind,
    /// The line that declares it.
    pub line: Line,
}

/// A line of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number, from zero.
    pub number: usize,
    /// Its bytes.
    pub span: Span,
}

impl Line {
    /// Its path, for issues.
    pub(super) fn path(self) -> String {
        format!("header.lines[{}]", self.number)
    }
}

/// A kind of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// Its name.
    pub name: String,
    /// How many rows there should be.
    pub count: u64,
    /// What a row has.
    pub properties: Vec<Property>,
    /// The line that declares it.
    pub line: Line,
}

impl Element {
    /// Bytes of a row; `None` where a list makes them differ.
    pub fn row_bytes(&self) -> Option<usize> {
        let sizes = self.properties.iter().map(|property| match property.kind {
            PropertyKind::Scalar(scalar) => Some(scalar.size()),
            PropertyKind::List { .. } => None,
        });
        sizes.sum()
    }

    /// The fewest bytes that a row can have.
    pub fn least_bytes(&self, form: Form) -> usize {
        let sizes = self.properties.iter().map(|property| match (property.kind, form) {
            (_, Form::Ascii) => 2,
            (PropertyKind::Scalar(scalar), _) => scalar.size(),
            (PropertyKind::List { count, .. }, _) => count.size(),
        });
        sizes.sum::<usize>().max(1)
    }
}

/// What the header says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// How the rows are written.
    pub form: Form,
    /// The comments, without that word.
    pub comments: Vec<String>,
    /// The lines of `obj_info`, without that word.
    pub obj_info: Vec<String>,
    /// The elements.
    pub elements: Vec<Element>,
    /// Its bytes.
    pub bytes: usize,
    /// Its lines.
    pub lines: usize,
}

/// Reads the header at the beginning of a file.
pub(super) fn read(start: &[u8], issues: &mut Issues) -> Result<Header, Issue> {
    if !start.starts_with(b"ply") || start.get(3).is_some_and(|byte| !byte.is_ascii_whitespace()) {
        let found = start.get(..start.len().min(3)).unwrap_or_default().escape_ascii();
        let message = format!("expected the line ply, found {found}");
        return Err(Issue::new(&codes::MAGIC, "", message).at(Span::new(0, start.len().min(3))));
    }
    let mut reading = Reading { header: Header::default(), has_form: false, issues };
    let mut at = 0;
    // Old Macintosh programs end lines with a carriage return alone.
    let only_returns = start.get(3) == Some(&b'\r') && start.get(4) != Some(&b'\n');
    let line_end = if only_returns { b'\r' } else { b'\n' };
    for (number, line) in start.split_inclusive(|byte| *byte == line_end).enumerate() {
        let here = Line { number, span: Span::new(at, at + line.trim_ascii_end().len()) };
        at += line.len();
        let ends = reading.line(line, here).map_err(|(code, message)| {
            Issue::new(code, here.path(), format!("line {}: {message}", number + 1)).at(here.span)
        })?;
        if ends {
            reading.header.bytes = at;
            reading.header.lines = number + 1;
            return Ok(reading.header);
        }
    }
    let message = format!("there is no line end_header in the first {} bytes", start.len());
    Err(Issue::new(&codes::NO_END, "", message).at(Span::new(0, start.len())))
}

/// Why a line cannot be understood.
type Wrong = (&'static Code, String);

/// A header while it is read.
struct Reading<'a> {
    header: Header,
    has_form: bool,
    issues: &'a mut Issues,
}

impl Reading<'_> {
    /// Reads a line; true for the last of the header.
    fn line(&mut self, line: &[u8], here: Line) -> Result<bool, Wrong> {
        let words: Vec<&[u8]> = tokens(line).collect();
        match words[..] {
            [] => {}
            [b"ply"] if here.number == 0 => {}
            [b"format", form, ..] => self.form(form)?,
            [b"comment", ..] => self.header.comments.push(text(line, here, self.issues)),
            [b"obj_info", ..] => self.header.obj_info.push(text(line, here, self.issues)),
            [b"element", name, count] => self.element(name, count, here)?,
            [b"property", b"list", count, item, name] => {
                let kinds = Scalar::named(count).zip(Scalar::named(item));
                let kind = kinds.map(|(count, item)| PropertyKind::List { count, item });
                self.property(kind, name, here, || {
                    "a list has two types, and belongs to an element".to_owned()
                })?;
            }
            [b"property", scalar, name] => {
                let kind = Scalar::named(scalar).map(PropertyKind::Scalar);
                let wrong = || format!("{} is no type, or no element comes before it", scalar.escape_ascii());
                self.property(kind, name, here, wrong)?;
            }
            [b"element" | b"property", ..] => {
                return Err((&codes::DECLARATION, "it has too many or too few words".to_owned()));
            }
            [b"end_header"] if self.has_form => return Ok(true),
            [b"end_header"] => return Err((&codes::FORM, "the header has no format line".to_owned())),
            _ => left_out(self.issues).push_with(&codes::HEADER_LINE, || {
                let message = format!("line {}: this line has no meaning", here.number + 1);
                Issue::new(&codes::HEADER_LINE, here.path(), message).at(here.span)
            }),
        }
        Ok(false)
    }

    fn form(&mut self, form: &[u8]) -> Result<(), Wrong> {
        self.has_form = true;
        self.header.form = match form {
            b"ascii" => Form::Ascii,
            b"binary_little_endian" => Form::LittleEndian,
            b"binary_big_endian" => Form::BigEndian,
            _ => return Err((&codes::FORM, format!("the format {} is not known", form.escape_ascii()))),
        };
        Ok(())
    }

    fn element(&mut self, name: &[u8], count: &[u8], here: Line) -> Result<(), Wrong> {
        let elements = &mut self.header.elements;
        if name == b"vertex" && elements.iter().any(|element| element.name == "vertex") {
            return Err((&codes::DECLARATION, "the element vertex is declared twice".to_owned()));
        }
        match read_integer(count) {
            Token::Number(count) if count >= 0 => elements.push(Element {
                name: utf8_or_windows_1252(name),
                count: count.unsigned_abs(),
                properties: Vec::new(),
                line: here,
            }),
            _ => return Err((&codes::DECLARATION, format!("{} is no count", count.escape_ascii()))),
        }
        Ok(())
    }

    /// Adds a property to the last element, if it has a kind and there is one.
    fn property(
        &mut self,
        kind: Option<PropertyKind>,
        name: &[u8],
        here: Line,
        wrong: impl FnOnce() -> String,
    ) -> Result<(), Wrong> {
        match (kind, self.header.elements.last_mut()) {
            (Some(kind), Some(element)) => {
                element.properties.push(Property { name: utf8_or_windows_1252(name), kind, line: here });
                Ok(())
            }
            _ => Err((&codes::DECLARATION, wrong())),
        }
    }
}

/// Counts a line of the header that is left out.
fn left_out(issues: &mut Issues) -> &mut Issues {
    issues.leave_out(Aspect::Extras, "lines of the header that have no meaning are left out", "header", 1);
    issues
}

/// What follows the first word of a line and one blank.
fn text(line: &[u8], here: Line, issues: &mut Issues) -> String {
    let line = line.trim_ascii_end().trim_ascii_start();
    let rest =
        line.iter().position(u8::is_ascii_whitespace).and_then(|end| line.get(end + 1..)).unwrap_or_default();
    if std::str::from_utf8(rest).is_err() {
        let message = format!("line {}: the text is not UTF-8", here.number + 1);
        issues.push(Issue::new(&codes::NOT_UTF8, here.path(), message).at(here.span));
    }
    utf8_or_windows_1252(rest)
}
