//! A PLY file as it is: its bytes, and where things are in them.

use std::sync::OnceLock;

use super::build::Contents;
use super::header::Header;
use super::read::contents_again;
use crate::bytes::SharedBytes;
use crate::formats::Summary;

/// A PLY file as it is: its bytes, and what was found in them.
#[derive(Clone, Debug)]
pub struct Model {
    /// The file.
    pub(super) bytes: SharedBytes,
    /// What the header says.
    pub(super) header: Header,
    /// What the rows say; of a file that was made here only once somebody asks.
    pub(super) contents: OnceLock<Contents>,
}

impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Model {
    /// What the header says.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// What the rows say.
    pub(super) fn contents(&self) -> &Contents {
        self.contents.get_or_init(|| contents_again(&self.bytes))
    }

    /// What is in it.
    pub fn summary(&self) -> Summary {
        summary(&self.header, self.contents())
    }
}

/// The names of elements that `info` knows; the others are counted together.
const KNOWN: [&str; 4] = ["vertex", "face", "tristrips", "edge"];

pub(super) fn summary(header: &Header, contents: &Contents) -> Summary {
    let rows = |name: &str| {
        let of_name = header.elements.iter().zip(&contents.rows).filter(|(element, _)| element.name == name);
        of_name.map(|(_, rows)| *rows).sum::<usize>()
    };
    let is_there = |name: &str| header.elements.iter().any(|element| element.name == name);
    let mut list: Vec<(&'static str, usize)> =
        KNOWN.iter().filter(|name| is_there(name)).map(|name| (*name, rows(name))).collect();
    let others = header.elements.iter().filter(|element| !KNOWN.contains(&element.name.as_str())).count();
    if others > 0 {
        list.push(("other_elements", others));
    }
    Summary {
        profile: Some(header.form.name()),
        contents: list,
        vertices: rows("vertex"),
        triangles: contents.stated_triangles,
    }
}
