//! The text form: words, whatever the lines.

use super::codes;
use super::model::Solid;
use crate::bytes::{Span, Token, push_tight, read_float};
use crate::diag::{Aspect, Code, Issue, Issues, NOT_FINITE};
use crate::formats::stream::{Block, Blocks};
use crate::ops::triangulate;

/// Reads the solids of a text file.
pub(super) fn read(blocks: &mut Blocks<'_>, issues: &mut Issues) -> Result<Vec<Solid>, Issue> {
    let mut reader = TextReader {
        issues,
        solids: Vec::new(),
        state: State::Outside,
        line: 0,
        facet: Facet::default(),
        facets: 0,
        lost: 0,
    };
    let mut end = 0;
    while let Some(block) = blocks.next_lines()? {
        reader.block(&block);
        end = block.offset + block.bytes.len() as u64;
    }
    reader.finish(end);
    let mut solids = reader.solids;
    solids.iter_mut().for_each(|solid| solid.corners.shrink_to_fit());
    Ok(solids)
}

/// Which words may come next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Outside,
    Solid,
    Facet,
    Loop,
}

/// The facet that is being read.
#[derive(Default)]
struct Facet {
    start: u64,
    corners: Vec<[f32; 3]>,
    /// A coordinate is not finite, or no number at all.
    broken: bool,
}

struct TextReader<'a> {
    issues: &'a mut Issues,
    solids: Vec<Solid>,
    state: State,
    line: usize,
    facet: Facet,
    /// Facets so far, and those among them that had to be given up.
    facets: usize,
    lost: usize,
}

/// A word, and where in the file it is.
#[derive(Clone, Copy)]
struct Word<'a> {
    text: &'a [u8],
    start: u64,
}

impl Word<'_> {
    fn span(&self) -> Span {
        Span { start: self.start, end: self.start + self.text.len() as u64 }
    }

    fn is(&self, keyword: &[u8]) -> bool {
        self.text.eq_ignore_ascii_case(keyword)
    }
}

impl TextReader<'_> {
    fn block(&mut self, block: &Block) {
        let mut start = block.offset;
        for line in block.bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line += 1;
            self.line(line, start);
            start += line.len() as u64;
        }
    }

    fn line(&mut self, line: &[u8], start: u64) {
        let mut rest = Words { line, start };
        while let Some(word) = rest.next() {
            match self.state {
                _ if word.is(b"solid") && matches!(self.state, State::Outside | State::Solid) => {
                    self.solid(rest.remainder());
                    return;
                }
                _ if word.is(b"endsolid") => {
                    self.end_of_solid(word);
                    return;
                }
                State::Outside | State::Solid if word.is(b"facet") => self.facet(word, &mut rest),
                State::Facet if word.is(b"outer") => {
                    self.expect(&mut rest, b"loop");
                    self.state = State::Loop;
                }
                State::Loop if word.is(b"vertex") => self.vertex(word, &mut rest),
                State::Loop if word.is(b"endloop") => self.state = State::Facet,
                State::Facet | State::Loop if word.is(b"endfacet") => self.end_of_facet(word),
                _ => self.unexpected(word),
            }
        }
    }

    fn solid(&mut self, name: Word<'_>) {
        let trimmed = name.text.trim_ascii();
        if std::str::from_utf8(trimmed).is_err() {
            self.report(&codes::NAME_NOT_UTF8, name.span(), "the name is not UTF-8");
        }
        self.solids.push(Solid { name: trimmed.to_vec(), corners: Vec::new() });
        self.state = State::Solid;
    }

    fn end_of_solid(&mut self, word: Word<'_>) {
        match self.state {
            State::Solid => {}
            State::Outside => self.report(&codes::SYNTAX, word.span(), "a solid ends that did not begin"),
            State::Facet | State::Loop => {
                self.report(&codes::SYNTAX, word.span(), "a solid ends inside of a facet");
                self.end_of_facet(word);
            }
        }
        self.state = State::Outside;
    }

    fn facet(&mut self, word: Word<'_>, rest: &mut Words<'_>) {
        if self.state == State::Outside {
            let code = if self.solids.is_empty() { &codes::NO_SOLID } else { &codes::SYNTAX };
            self.report(code, word.span(), "a facet stands outside of a solid");
            self.solids.push(Solid::default());
        }
        self.facet = Facet { start: word.start, ..Facet::default() };
        self.state = State::Facet;
        self.expect(rest, b"normal");
        // A normal says nothing that the corners do not, so that even a broken one breaks nothing.
        for word in [(); 3].into_iter().filter_map(|()| rest.next()) {
            match read_float(word.text) {
                Token::Number(x) if x.is_finite() => {}
                Token::Number(_) => self.report(&NOT_FINITE, word.span(), "the normal is not finite"),
                Token::Other => self.report(&codes::NUMBER, word.span(), "a normal has to be three numbers"),
            }
        }
    }

    fn vertex(&mut self, vertex: Word<'_>, rest: &mut Words<'_>) {
        let mut corner = [0.0; 3];
        for value in &mut corner {
            match rest.next().map(|word| (word, read_float(word.text))) {
                Some((_, Token::Number(x))) if x.is_finite() => *value = x,
                Some((word, Token::Number(_))) => {
                    self.facet.broken = true;
                    self.report(
                        &NOT_FINITE,
                        word.span(),
                        "a corner is not a finite place; its facet is left out",
                    );
                }
                Some((word, Token::Other)) => {
                    self.facet.broken = true;
                    let found = word.text.escape_ascii();
                    self.report(
                        &codes::NUMBER,
                        word.span(),
                        &format!("{found} is no number; the facet is left out"),
                    );
                }
                None => {
                    self.facet.broken = true;
                    self.report(&codes::NUMBER, vertex.span(), "a vertex has to have three numbers");
                }
            }
        }
        self.facet.corners.push(corner);
    }

    fn end_of_facet(&mut self, word: Word<'_>) {
        self.state = State::Solid;
        let Facet { start, corners, broken } = std::mem::take(&mut self.facet);
        let span = Span { start, end: word.span().end };
        self.facets += 1;
        if corners.len() != 3 {
            self.report(&codes::CORNER_COUNT, span, &format!("the facet has {} corners", corners.len()));
        }
        self.lost += usize::from(broken || corners.len() < 3);
        let Some(solid) = self.solids.last_mut().filter(|_| !broken) else { return };
        let mut degenerate = false;
        for triangle in triangulate(&corners) {
            let places = triangle.map(|i| corners.get(i as usize).copied().unwrap_or_default());
            places.into_iter().for_each(|place| push_tight(&mut solid.corners, place));
            let [a, b, c] = places.map(glam::Vec3::from_array);
            degenerate |= (b - a).cross(c - a) == glam::Vec3::ZERO;
        }
        if degenerate {
            self.report(&codes::DEGENERATE, span, "its corners lie on a line, or in one place");
        }
    }

    fn expect(&mut self, rest: &mut Words<'_>, keyword: &[u8]) {
        match rest.next() {
            Some(word) if word.is(keyword) => {}
            Some(word) => self.unexpected(word),
            None => {}
        }
    }

    fn unexpected(&mut self, word: Word<'_>) {
        let wanted = match self.state {
            State::Outside => "solid",
            State::Solid => "facet or endsolid",
            State::Facet => "outer loop or endfacet",
            State::Loop => "vertex or endloop",
        };
        let found = word.text.get(..word.text.len().min(40)).unwrap_or_default().escape_ascii();
        self.report(&codes::SYNTAX, word.span(), &format!("expected {wanted}, found {found}"));
    }

    fn finish(&mut self, end: u64) {
        if matches!(self.state, State::Facet | State::Loop) {
            self.facets += 1;
            self.lost += 1;
        }
        self.issues.give_up(Aspect::Topology, "triangles", "facets", (self.lost, self.facets));
        if self.state != State::Outside {
            let span = Span { start: end, end };
            self.report(&codes::UNFINISHED, span, "the text ends before endsolid");
        }
    }

    fn report(&mut self, code: &'static Code, span: Span, message: &str) {
        let line = self.line;
        self.issues.push_with(code, || {
            let path = format!("lines[{}]", line.saturating_sub(1));
            Issue::new(code, path, format!("line {line}: {message}")).at(span)
        });
    }
}

/// The words of a line, one after the other.
struct Words<'a> {
    line: &'a [u8],
    start: u64,
}

impl<'a> Words<'a> {
    fn next(&mut self) -> Option<Word<'a>> {
        let trimmed = self.line.trim_ascii_start();
        let start = self.start + (self.line.len() - trimmed.len()) as u64;
        let end = trimmed.iter().position(u8::is_ascii_whitespace).unwrap_or(trimmed.len());
        let (text, rest) = trimmed.split_at_checked(end)?;
        self.line = rest;
        self.start = start + end as u64;
        (!text.is_empty()).then_some(Word { text, start })
    }

    fn remainder(&self) -> Word<'a> {
        Word { text: self.line, start: self.start }
    }
}
