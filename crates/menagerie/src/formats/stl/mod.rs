//! STL (`.stl`), triangles for printers and machines.
//!
//! A binary file is a header of 80 bytes, a count, and 50 bytes a facet: a normal, three corners, and two bytes of which
//! some programs make a colour. A text file is one or more solids, each a name and facets spelt out in words. Which of
//! both a file is, its size tells; the word `solid` at its beginning does not.
//!
//! `docs/formats/stl.md` has the layout byte by byte, and every decision on what nobody ever wrote down.

use super::{
    Capabilities, FileModel, Format, FormatOption, Holds, Lifted, Output, Probe, ReadOptions, Summary,
    of_lifting,
};
use crate::bytes::{ByteMap, Limits};
use crate::diag::{Aspect, Issue, Issues};
use crate::pictures::Usable;
use crate::scene::{Axes, Hidden};

mod build;
mod check;
pub mod codes;
mod colour;
mod lift;
mod lower;
mod model;
mod notes;
mod read;
mod text;
mod write;

pub use lower::lower;
pub use model::{Ascii, Binary, Facet, Model, Solid};
pub use read::read;

/// Where the facets of a binary file begin.
const FACETS: usize = 84;
/// Bytes of a facet.
const FACET: usize = 50;

/// The descriptor.
pub static FORMAT: Format = Format {
    id: "stl",
    name: "STL",
    about: "triangles for printers and machines, binary or text",
    extensions: &["stl"],
    mime: "model/stl",
    probe: |bytes| match read::form(bytes, Some(bytes.len() as u64)) {
        Some(_) => Probe::Shape,
        None => Probe::No,
    },
    axes: Axes::Z_UP_FRONT_MINUS_Y,
    unit: "not stated; printers take millimetres",
    metres: None,
    hidden: Hidden::LeftOut,
    pictures: Usable::NONE,
    capabilities: Capabilities {
        weights_per_vertex: 0,
        vertex_limit: None,
        uv_sets: 0,
        instances: false,
        embeds_textures: false,
        ambient_light: false,
        holds: &[
            (Aspect::Hierarchy, Holds::Partly, "solids in text, one list of triangles in binary"),
            (Aspect::Names, Holds::Partly, "of solids in text"),
            (Aspect::Positions, Holds::Fully, ""),
            (Aspect::Topology, Holds::Partly, "triangles only"),
            (Aspect::Colors, Holds::Partly, "five bits a triangle, binary only"),
        ],
    },
    options: &[FormatOption {
        name: "stl-form",
        values: &["binary", "ascii"],
        help: "form of STL when writing (default: as the source had it, else binary)",
        reading: false,
    }],
    codes: codes::CODES,
    read: |bytes, options, issues| Ok(Box::new(read::read(bytes, options, issues)?)),
    stream: Some(read::stream),
    mend: super::no_mend,
    lower: |scene, options, losses| Ok(Box::new(lower(scene, options, losses))),
};

impl FileModel for Model {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn summary(&self) -> Summary {
        self.summary()
    }

    fn check(&self, _: &Limits, issues: &mut Issues) {
        check::check(self, issues);
    }

    fn layout(&self) -> ByteMap {
        self.byte_map()
    }

    fn write(&self) -> Result<Output, Issue> {
        Ok(self.to_bytes().into())
    }

    fn lift(&self, options: &ReadOptions<'_>) -> Result<Lifted, Issue> {
        of_lifting(&self.summary(), &options.limits)?;
        Ok(lift::lift(self, options))
    }
}
