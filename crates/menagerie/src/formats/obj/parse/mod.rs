//! The lines of one piece of a file, fast. Lines that are as nearly all lines are, are read here; all others by
//! [`crate::formats::obj::parse::slow`].

pub(super) mod lines;
pub(super) mod mtl;
pub(super) mod slow;

use crate::bytes::{float_start, whole_start};
use crate::diag::Issues;
use crate::formats::obj::parse::lines::BYTE_ORDER_MARK;
use crate::formats::stream::Block;

/// A corner of a face: the numbers of its position, texture coordinate and normal, from one; zero where there is none.
pub(super) type Corner = [u32; 3];

/// What an element of a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Face,
    Line,
    Point,
    /// What comes next belongs elsewhere; the count is the place in [`Piece::changes`].
    Change,
}

/// A face, line or point, or a change of what they belong to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub(super) kind: Kind,
    /// How many of [`Piece::corners`] it has.
    pub(super) count: u32,
    /// Where in the piece its line begins.
    pub(super) at: u32,
}

/// What the next faces belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Object(Vec<u8>),
    Group(Vec<u8>),
    Material(Vec<u8>),
    Library(Vec<u8>),
    Smoothing(u32),
}

/// How many of each are known already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) positions: usize,
    pub(super) uvs: usize,
    pub(super) normals: usize,
}

/// What a piece of a file holds.
#[derive(Debug, Default)]
pub(super) struct Piece {
    pub(super) positions: Vec<[f32; 3]>,
    /// Empty, or one for each position.
    pub(super) colors: Vec<[f32; 4]>,
    pub(super) uvs: Vec<[f32; 2]>,
    pub(super) normals: Vec<[f32; 3]>,
    pub(super) corners: Vec<Corner>,
    /// The largest numbers of `corners`.
    pub(super) largest: Corner,
    pub(super) elements: Vec<Element>,
    pub(super) changes: Vec<Change>,
    pub(super) issues: Issues,
    pub(super) lines: usize,
    /// Lines of the file before the piece, once something asked for them.
    pub(super) lines_before: Option<usize>,
    /// Lines that mean something.
    pub(super) statements: usize,
    /// Faces, lines and points that had to be given up.
    pub(super) lost: usize,
    /// A number counts backwards, from where only the pieces before tell: it has to be read again, when they are known.
    pub(super) needs_counts: bool,
}

/// Where a piece is, and what comes before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'b> {
    pub(super) offset: u64,
    /// Lines before `earlier`.
    pub(super) lines: usize,
    /// The blocks just before it, whose lines nobody counted yet.
    pub(super) earlier: &'b [Block],
    pub(super) counts: Option<Counts>,
    pub(super) issues_per_code: usize,
}

/// The largest number that a corner can have. The bit above says what a normal is made of.
pub(super) const LARGEST: u32 = u32::MAX >> 1;

impl Piece {
    /// The number of the line that comes next, from one.
    pub(super) fn line(&mut self, place: Place<'_>) -> usize {
        let count = |block: &Block| block.bytes.iter().filter(|byte| **byte == b'\n').count();
        let before = || place.lines + place.earlier.iter().map(count).sum::<usize>();
        *self.lines_before.get_or_insert_with(before) + self.lines + 1
    }

    /// Adds an element that begins at `at`, with the corners from `first` on.
    #[inline]
    pub(super) fn add(&mut self, kind: Kind, first: usize, at: usize) {
        let corners = self.corners.get(first..).unwrap_or_default();
        for corner in corners {
            for (largest, number) in self.largest.iter_mut().zip(corner) {
                *largest = (*number).max(*largest);
            }
        }
        self.elements.push(Element { kind, count: corners.len() as u32, at: at as u32 });
    }
}

/// Reads a piece.
pub(super) fn parse(text: &[u8], place: Place<'_>) -> Piece {
    let mut piece = Piece { issues: Issues::new(place.issues_per_code), ..Piece::default() };
    let mut rest = match place.offset {
        0 => text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text),
        _ => text,
    };
    while !rest.is_empty() && !piece.needs_counts {
        let at = text.len() - rest.len();
        rest = match fast_line(&mut piece, rest, at) {
            Some(after) => {
                piece.lines += 1;
                piece.statements += 1;
                after
            }
            None => slow::line(&mut piece, rest, at, place),
        };
    }
    if !piece.colors.is_empty() {
        piece.colors.resize(piece.positions.len(), [1.0; 4]);
    }
    piece
}

/// Reads a line if it is a plain one, and gives what follows it.
#[inline]
fn fast_line<'t>(piece: &mut Piece, text: &'t [u8], at: usize) -> Option<&'t [u8]> {
    match text {
        [b'v', b' ', rest @ ..] => {
            let ([x, y, z], rest) = floats::<3>(rest)?;
            piece.positions.push([x, y, z]);
            Some(rest)
        }
        [b'v', b'n', b' ', rest @ ..] => {
            let (normal, rest) = floats::<3>(rest)?;
            piece.normals.push(unit(normal)?);
            Some(rest)
        }
        [b'v', b't', b' ', rest @ ..] => {
            let ([u, v], rest) = floats::<2>(rest)?;
            piece.uvs.push([u, 1.0 - v]);
            Some(rest)
        }
        [b'f', b' ', rest @ ..] => fast_face(piece, rest, at),
        _ => None,
    }
}

/// A normal made unit, unless it is so nearly; `None` when it has no length.
pub(super) fn unit(normal: [f32; 3]) -> Option<[f32; 3]> {
    let [x, y, z] = normal;
    let square = x * x + y * y + z * z;
    if (square - 1.0).abs() <= 1e-4 {
        return Some(normal);
    }
    crate::scene::unit_vector(glam::Vec3::from_array(normal)).map(|unit| unit.to_array())
}

/// Some numbers and the end of the line.
#[inline]
fn floats<const N: usize>(text: &[u8]) -> Option<([f32; N], &[u8])> {
    let mut values = [0.0; N];
    let mut rest = text;
    for value in &mut values {
        while let [b' ', after @ ..] = rest {
            rest = after;
        }
        (*value, rest) = float_start(rest)?;
        if !matches!(rest, [b' ' | b'\n' | b'\r', ..]) {
            return None;
        }
    }
    Some((values, line_end(rest)?))
}

/// What follows the end of a line of which only blanks are left.
#[inline]
fn line_end(mut text: &[u8]) -> Option<&[u8]> {
    loop {
        match text {
            [b'\n', rest @ ..] | [b'\r', b'\n', rest @ ..] => return Some(rest),
            [b' ', rest @ ..] => text = rest,
            _ => return None,
        }
    }
}

#[inline]
fn fast_face<'t>(piece: &mut Piece, text: &'t [u8], at: usize) -> Option<&'t [u8]> {
    let first = piece.corners.len();
    let end = corners(&mut piece.corners, text);
    let count = piece.corners.len() - first;
    match end {
        Some(rest) if count >= 3 => {
            piece.add(Kind::Face, first, at);
            Some(rest)
        }
        _ => {
            piece.corners.truncate(first);
            None
        }
    }
}

/// The corners up to the end of the line; `None` when something else is there.
#[inline]
fn corners<'t>(list: &mut Vec<Corner>, text: &'t [u8]) -> Option<&'t [u8]> {
    let mut rest = text;
    loop {
        while let [b' ', after @ ..] = rest {
            rest = after;
        }
        if let [b'\n' | b'\r', ..] = rest {
            return line_end(rest);
        }
        let mut corner = [0; 3];
        (corner[0], rest) = number(rest)?;
        if let [b'/', after @ ..] = rest {
            rest = after;
            if let [b'/', after @ ..] = rest {
                (corner[2], rest) = number(after)?;
            } else {
                (corner[1], rest) = number(rest)?;
                if let [b'/', after @ ..] = rest {
                    (corner[2], rest) = number(after)?;
                }
            }
        }
        if !matches!(rest, [b' ' | b'\n' | b'\r', ..]) {
            return None;
        }
        list.push(corner);
    }
}

/// A number from one on.
#[inline]
fn number(text: &[u8]) -> Option<(u32, &[u8])> {
    let (value, rest) = whole_start(text)?;
    let number = u32::try_from(value).ok()?;
    (1..=LARGEST).contains(&number).then_some((number, rest))
}
