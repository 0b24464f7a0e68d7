//! The lines of one piece of a file, fast. Lines that are as nearly all lines are, are read here; all others by
//! [`super::slow`].

use super::slow;
use crate::bytes::float_start;
use crate::diag::Issues;

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
    pub(super) elements: Vec<Element>,
    pub(super) changes: Vec<Change>,
    pub(super) issues: Issues,
    pub(super) lines: usize,
    /// Lines that mean something.
    pub(super) statements: usize,
    /// A number counts backwards, from where only the pieces before tell: it has to be read again, when they are known.
    pub(super) needs_counts: bool,
}

/// Where a piece is, and what comes before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) offset: u64,
    /// Lines before it; `None` when nobody knows yet.
    pub(super) lines: usize,
    pub(super) counts: Option<Counts>,
    pub(super) issues_per_code: usize,
}

/// Reads a piece.
pub(super) fn parse(text: &[u8], place: Place) -> Piece {
    let mut piece = Piece { issues: Issues::new(place.issues_per_code), ..Piece::default() };
    let mut rest = text;
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
            piece.elements.push(Element { kind: Kind::Face, count: count as u32, at: at as u32 });
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
    let mut value: u64 = 0;
    let mut rest = text;
    while let [byte, after @ ..] = rest
        && byte.is_ascii_digit()
    {
        value = value.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
        rest = after;
    }
    let digits = text.len() - rest.len();
    if digits == 0 || digits > 10 || value == 0 {
        return None;
    }
    Some((u32::try_from(value).ok()?, rest))
}
