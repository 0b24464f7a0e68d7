//! The lines that are not as nearly all lines are: odd blanks, continued lines, colours, names, negative numbers, garbage.

use crate::bytes::{Span, Token, read_float, read_integer};
use crate::diag::{Aspect, Code, Issue, NOT_FINITE};
use crate::formats::obj::codes;
use crate::formats::obj::parse::lines::{BYTE_ORDER_MARK, first_line};
use crate::formats::obj::parse::{Change, Counts, Element, Kind, LARGEST, Piece, Place, unit};
use crate::scene::srgb_to_linear;

/// Statements of the format that a Scene has no place for.
const UNSUPPORTED: &[&[u8]] = &[
    b"vp",
    b"cstype",
    b"deg",
    b"bmat",
    b"step",
    b"curv",
    b"curv2",
    b"surf",
    b"parm",
    b"trim",
    b"hole",
    b"scrv",
    b"sp",
    b"end",
    b"con",
    b"mg",
    b"bevel",
    b"c_interp",
    b"d_interp",
    b"lod",
    b"usemap",
    b"maplib",
    b"shadow_obj",
    b"trace_obj",
    b"ctech",
    b"stech",
    b"call",
    b"csh",
    b"bzp",
    b"bsp",
    b"cdc",
    b"cdp",
    b"res",
];
/// Those among them that draw something.
const DRAWN: &[&[u8]] =
    &[b"curv", b"curv2", b"surf", b"trim", b"hole", b"scrv", b"sp", b"bzp", b"bsp", b"cdc", b"cdp", b"res"];
const SUPPORTED: &[&[u8]] =
    &[b"v", b"vt", b"vn", b"f", b"fo", b"l", b"p", b"o", b"g", b"s", b"usemtl", b"mtllib"];

/// Whether a file looks like OBJ: its first lines are comments and statements, one at least.
pub(in crate::formats::obj) fn looks_like_obj(bytes: &[u8]) -> bool {
    let start = bytes.get(..bytes.len().min(64 << 10)).unwrap_or_default();
    let cut = bytes.len() > start.len();
    let start = start.strip_prefix(BYTE_ORDER_MARK).unwrap_or(start);
    let mut lines = start.split(|byte| matches!(byte, b'\n' | b'\r')).peekable();
    let mut statements = 0;
    let mut continued = false;
    while let Some(line) = lines.next() {
        if (cut && lines.peek().is_none()) || statements >= 64 {
            break;
        }
        if line.contains(&0) {
            return false;
        }
        let line = line.trim_ascii();
        let was_continued = std::mem::replace(&mut continued, line.ends_with(b"\\"));
        let word = line.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        if word.is_empty() || word.starts_with(b"#") || was_continued {
            continue;
        }
        if !SUPPORTED.contains(&word) && !UNSUPPORTED.contains(&word) {
            return false;
        }
        statements += 1;
    }
    statements > 0
}

/// Reads the line that a text begins with, and gives what follows it.
pub(in crate::formats::obj) fn line<'t>(
    piece: &mut Piece,
    text: &'t [u8],
    at: usize,
    place: Place<'_>,
) -> &'t [u8] {
    let (line, rest) = first_line(text);
    LineReader { piece, at, place }.read(&line.text);
    piece.lines += line.parts;
    rest
}

/// A word, and where in the piece it is.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a [u8],
    at: usize,
}

struct LineReader<'a> {
    piece: &'a mut Piece,
    /// Where in the piece the line begins.
    at: usize,
    place: Place<'a>,
}

impl LineReader<'_> {
    fn read(&mut self, line: &[u8]) {
        let mut words = words(line, self.at);
        let Some(keyword) = words.next() else { return };
        if keyword.text.starts_with(b"#") {
            return;
        }
        self.piece.statements += usize::from(SUPPORTED.contains(&keyword.text));
        match keyword.text {
            b"v" => self.position(keyword, words),
            b"vt" => {
                let ([u, v, _], _) = self.values::<3>(keyword, words, 1);
                self.piece.uvs.push([u, 1.0 - v]);
            }
            b"vn" => {
                let (normal, _) = self.values::<3>(keyword, words, 3);
                if unit(normal).is_none() {
                    self.report(&codes::NORMAL_LENGTH, keyword, "the normal has no length");
                }
                self.piece.normals.push(unit(normal).unwrap_or([0.0, 1.0, 0.0]));
            }
            b"f" | b"fo" => self.element(Kind::Face, keyword, words),
            b"l" => self.element(Kind::Line, keyword, words),
            b"p" => self.element(Kind::Point, keyword, words),
            b"s" => self.smoothing(words.next()),
            b"o" => self.change(Change::Object, keyword, line),
            b"g" => self.change(Change::Group, keyword, line),
            b"usemtl" => self.change(Change::Material, keyword, line),
            b"mtllib" => self.change(Change::Library, keyword, line),
            text if UNSUPPORTED.contains(&text) => {
                let message = format!("{} has no place in a Scene", text.escape_ascii());
                let aspect = if DRAWN.contains(&text) { Aspect::Topology } else { Aspect::Extras };
                self.leave_out(aspect, "statements that a Scene has no place for are left out");
                self.report(&codes::UNSUPPORTED, keyword, &message);
            }
            text => {
                let shown = text.get(..text.len().min(40)).unwrap_or_default().escape_ascii();
                self.leave_out(Aspect::Extras, "lines that begin with an unknown word are left out");
                self.report(&codes::UNKNOWN, keyword, &format!("no statement is called {shown}"));
            }
        }
    }

    fn leave_out(&mut self, aspect: Aspect, message: &str) {
        self.piece.issues.leave_out(aspect, message, "lines", 1);
    }

    fn report(&mut self, code: &'static Code, word: Word<'_>, message: &str) {
        let (line, offset) = (self.piece.line(self.place), self.place.offset);
        self.piece.issues.push_with(code, || {
            let start = offset + word.at as u64;
            let span = Span { start, end: start + word.text.len() as u64 };
            Issue::new(code, format!("lines[{}]", line - 1), format!("line {line}: {message}")).at(span)
        });
    }

    /// A position, and its colour if it has one.
    fn position<'w>(&mut self, keyword: Word<'w>, words: impl Iterator<Item = Word<'w>>) {
        let (values, count) = self.values::<7>(keyword, words, 3);
        let [x, y, z, a, b, c, d] = values;
        self.piece.positions.push([x, y, z]);
        // Four values are x, y, z and a weight; six a colour; seven both.
        let color = match count {
            6 => [a, b, c],
            7 => [b, c, d],
            _ => return,
        };
        let mut linear = color.map(srgb_to_linear);
        if linear.iter().any(|channel| !channel.is_finite()) {
            self.piece.issues.give_up(Aspect::Colors, "vertex colours", "lines", (1, 1));
            self.report(&NOT_FINITE, keyword, "the colour is past all numbers; one is taken in its place");
            linear.iter_mut().filter(|channel| !channel.is_finite()).for_each(|channel| *channel = 1.0);
        }
        let [r, g, b] = linear;
        self.piece.colors.resize(self.piece.positions.len() - 1, [1.0; 4]);
        self.piece.colors.push([r, g, b, 1.0]);
    }

    /// Up to `N` numbers, of which `needed` must be there; and how many are.
    fn values<'w, const N: usize>(
        &mut self,
        keyword: Word<'w>,
        words: impl Iterator<Item = Word<'w>>,
        needed: usize,
    ) -> ([f32; N], usize) {
        let mut values = [0.0; N];
        let mut count = 0;
        for (value, word) in values.iter_mut().zip(words.take_while(|word| !word.text.starts_with(b"#"))) {
            count += 1;
            *value = self.value(word);
        }
        if count < needed {
            self.report(&codes::TOO_FEW, keyword, &format!("{needed} values are needed, {count} are there"));
        }
        (values, count)
    }

    fn value(&mut self, word: Word<'_>) -> f32 {
        match read_float(word.text) {
            Token::Number(value) if value.is_finite() => value,
            Token::Number(_) => {
                self.piece.issues.give_up(Aspect::Positions, "numbers", "lines", (1, 1));
                self.report(&NOT_FINITE, word, "the value is not finite; zero is taken in its place");
                0.0
            }
            Token::Other => {
                let shown = word.text.get(..word.text.len().min(40)).unwrap_or_default().escape_ascii();
                let with_point: Vec<u8> =
                    word.text.iter().map(|byte| if *byte == b',' { b'.' } else { *byte }).collect();
                match read_float(&with_point) {
                    Token::Number(value) if value.is_finite() => {
                        self.report(
                            &codes::NUMBER,
                            word,
                            &format!("{shown} has a decimal comma; it is read as {value}"),
                        );
                        value
                    }
                    _ => {
                        self.report(
                            &codes::NUMBER,
                            word,
                            &format!("{shown} is no number; zero is taken in its place"),
                        );
                        0.0
                    }
                }
            }
        }
    }

    fn element<'w>(&mut self, kind: Kind, keyword: Word<'w>, words: impl Iterator<Item = Word<'w>>) {
        let first = self.piece.corners.len();
        for word in words.take_while(|word| !word.text.starts_with(b"#")) {
            match self.corner(word.text) {
                Ok(corner) => self.piece.corners.push(corner),
                Err(Wrong::NeedsCounts) => {
                    self.piece.needs_counts = true;
                    return;
                }
                Err(Wrong::Index) => {
                    let shown = word.text.get(..word.text.len().min(40)).unwrap_or_default().escape_ascii();
                    let message = format!("{shown} names what cannot exist; it is left out");
                    self.report(&codes::INDEX, word, &message);
                    self.piece.lost += 1;
                    self.piece.corners.truncate(first);
                    return;
                }
                Err(Wrong::Syntax) => {
                    let shown = word.text.get(..word.text.len().min(40)).unwrap_or_default().escape_ascii();
                    self.report(&codes::FACE, word, &format!("{shown} is no corner; it is left out"));
                    self.piece.lost += 1;
                    self.piece.corners.truncate(first);
                    return;
                }
            }
        }
        let count = self.piece.corners.len() - first;
        let needed = match kind {
            Kind::Face => 3,
            Kind::Line => 2,
            _ => 1,
        };
        if count < needed {
            self.leave_out(Aspect::Topology, "faces, lines and points with too few corners are left out");
            self.report(&codes::CORNER_COUNT, keyword, &format!("{count} corners are too few"));
            self.piece.corners.truncate(first);
            return;
        }
        self.piece.add(kind, first, keyword.at);
    }

    fn corner(&self, text: &[u8]) -> Result<[u32; 3], Wrong> {
        let here = Counts {
            positions: self.piece.positions.len(),
            uvs: self.piece.uvs.len(),
            normals: self.piece.normals.len(),
        };
        let before = self.place.counts;
        let mut parts = text.split(|byte| *byte == b'/');
        let mut number = |here: usize, before: Option<usize>| -> Result<u32, Wrong> {
            let part = parts.next().unwrap_or_default();
            if part.is_empty() {
                return Ok(0);
            }
            match read_integer(part) {
                Token::Number(value) if value > 0 => {
                    u32::try_from(value).ok().filter(|number| *number <= LARGEST).ok_or(Wrong::Index)
                }
                Token::Number(value) if value < 0 => {
                    let known = (before.ok_or(Wrong::NeedsCounts)? + here) as i64;
                    u32::try_from(known + 1 + value)
                        .ok()
                        .filter(|number| (1..=LARGEST).contains(number))
                        .ok_or(Wrong::Index)
                }
                Token::Number(_) => Err(Wrong::Index),
                Token::Other => Err(Wrong::Syntax),
            }
        };
        let v = number(here.positions, before.map(|counts| counts.positions))?;
        let t = number(here.uvs, before.map(|counts| counts.uvs))?;
        let n = number(here.normals, before.map(|counts| counts.normals))?;
        if v == 0 || parts.next().is_some() { Err(Wrong::Syntax) } else { Ok([v, t, n]) }
    }

    fn smoothing(&mut self, word: Option<Word<'_>>) {
        let group = match word.map(|word| read_integer(word.text)) {
            Some(Token::Number(group)) => u32::try_from(group).unwrap_or(0),
            _ => 0,
        };
        self.push(Change::Smoothing(group));
    }

    /// A name is all that follows the keyword.
    fn change(&mut self, change: fn(Vec<u8>) -> Change, keyword: Word<'_>, line: &[u8]) {
        let start = keyword.at - self.at + keyword.text.len();
        let name = line.get(start..).unwrap_or_default().trim_ascii();
        if std::str::from_utf8(name).is_err() {
            let at = self.at + start + 1;
            self.report(&codes::NOT_UTF8, Word { text: name, at }, "the name is not UTF-8");
        }
        self.push(change(name.to_vec()));
    }

    fn push(&mut self, change: Change) {
        let count = self.piece.changes.len() as u32;
        self.piece.changes.push(change);
        self.piece.elements.push(Element { kind: Kind::Change, count, at: self.at as u32 });
    }
}

enum Wrong {
    Syntax,
    Index,
    NeedsCounts,
}

/// The words of a line with their places.
fn words(line: &[u8], at: usize) -> impl Iterator<Item = Word<'_>> {
    let mut rest = line;
    let mut start = at;
    std::iter::from_fn(move || {
        let trimmed = rest.trim_ascii_start();
        start += rest.len() - trimmed.len();
        let length = trimmed.iter().position(u8::is_ascii_whitespace).unwrap_or(trimmed.len());
        let (text, after) = trimmed.split_at_checked(length)?;
        let word = Word { text, at: start };
        rest = after;
        start += length;
        (!text.is_empty()).then_some(word)
    })
}
