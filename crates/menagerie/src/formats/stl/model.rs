//! An STL file as it is, in words or in records.

use zerocopy::little_endian::{F32, U16};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use crate::bytes::{Record, record};
use crate::formats::Summary;

/// An STL file as it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Model {
    /// Facets of 50 bytes.
    Binary(Binary),
    /// Words.
    Ascii(Ascii),
}

/// A binary file.
#[derive(Clone, Debug, PartialEq)]
pub struct Binary {
    /// 80 bytes of anything.
    pub header: [u8; 80],
    /// The count, where it is not the number of facets.
    pub stated_count: Option<u32>,
    /// The facets.
    pub facets: Vec<Facet>,
    /// Bytes after the last facet.
    pub trailing: Vec<u8>,
}

/// A triangle of a binary file.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Facet {
    /// The outward normal.
    pub normal: [F32; 3],
    /// The corners, counter-clockwise seen from outside.
    pub corners: [[F32; 3]; 3],
    /// `attribute byte count`: zero, or a colour.
    pub attribute: U16,
}

/// A text file: its text, and what is in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ascii {
    /// The text as it is.
    pub text: Vec<u8>,
    /// The solids that were found in it.
    pub solids: Vec<Solid>,
}

/// A solid of a text file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solid {
    /// The name's bytes, in no stated encoding.
    pub name: Vec<u8>,
    /// The corners of its triangles, three each.
    pub corners: Vec<[f32; 3]>,
}

pub(super) static FACET: Record =
    record!("normal": F32 * 3, "v1": F32 * 3, "v2": F32 * 3, "v3": F32 * 3, "attribute": U16);

impl Model {
    /// What is in it.
    pub fn summary(&self) -> Summary {
        match self {
            Self::Binary(binary) => summary_binary(binary.facets.len()),
            Self::Ascii(ascii) => summary_ascii(
                ascii.solids.len(),
                ascii.solids.iter().map(|solid| solid.corners.len() / 3).sum(),
            ),
        }
    }
}

pub(super) fn summary_binary(triangles: usize) -> Summary {
    Summary {
        profile: Some("binary"),
        contents: vec![("triangles", triangles)],
        vertices: triangles.saturating_mul(3),
        triangles,
    }
}

pub(super) fn summary_ascii(solids: usize, triangles: usize) -> Summary {
    Summary {
        profile: Some("ascii"),
        contents: vec![("solids", solids), ("triangles", triangles)],
        vertices: triangles.saturating_mul(3),
        triangles,
    }
}
