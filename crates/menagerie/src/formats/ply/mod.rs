//! PLY (`.ply`), the polygons of the Stanford laboratory: scans, point clouds, and what research makes.
//!
//! A header in words declares elements and their properties in any order and of any type; the rows of the elements
//! follow, as text or as numbers of either byte order. What is not `vertex`, `face`, `tristrips` or `edge`, and what is no
//! property that programs agree on, is kept in the file and said.
//!
//! `docs/formats/ply.md` has the layout, and every decision on what the format leaves open.

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
mod columns;
mod header;
mod lift;
mod lower;
mod model;
mod notes;
mod paint;
mod read;
mod rows;
mod write;

pub use header::{Element, Form, Header, Line, Property, PropertyKind, Scalar};
pub use lower::lower;
pub use model::Model;
pub use read::read;

/// The descriptor.
pub static FORMAT: Format = Format {
    id: "ply",
    name: "PLY",
    about: "polygons, scans and point clouds of the Stanford format, text or binary",
    extensions: &["ply"],
    mime: "model/x-ply",
    probe: |bytes| match bytes {
        [b'p', b'l', b'y', b'\n' | b'\r' | b' ', ..] => Probe::Magic,
        _ => Probe::No,
    },
    axes: Axes::Z_UP_FRONT_MINUS_Y,
    unit: "not stated",
    metres: None,
    hidden: Hidden::LeftOut,
    pictures: Usable::PNG_AND_JPEG,
    capabilities: Capabilities {
        weights_per_vertex: 0,
        vertex_limit: None,
        uv_sets: 1,
        instances: false,
        embeds_textures: false,
        ambient_light: false,
        holds: &[
            (Aspect::Hierarchy, Holds::Partly, "one mesh"),
            (Aspect::Positions, Holds::Fully, ""),
            (Aspect::Topology, Holds::Partly, "triangles with lines, or points"),
            (Aspect::Normals, Holds::Fully, ""),
            (Aspect::Uvs, Holds::Partly, "one set"),
            (Aspect::Colors, Holds::Partly, "8 bits, one set"),
            (Aspect::Textures, Holds::Partly, "one colour picture, by name"),
        ],
    },
    options: &[FormatOption {
        name: "ply-form",
        values: &["binary", "ascii"],
        help: "form of PLY when writing (default: binary, little-endian)",
        reading: false,
    }],
    codes: codes::CODES,
    read: |bytes, options, issues| Ok(Box::new(read::read(bytes, options, issues)?)),
    stream: Some(read::stream),
    mend: super::no_mend,
    lower: |scene, options, losses| Ok(Box::new(lower(scene, options, losses)?)),
};

impl FileModel for Model {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn summary(&self) -> Summary {
        self.summary()
    }

    /// Everything was found in reading the file.
    fn check(&self, _: &Limits, _: &mut Issues) {}

    fn layout(&self) -> ByteMap {
        self.byte_map()
    }

    fn write(&self) -> Result<Output, Issue> {
        Ok(self.bytes.to_vec().into())
    }

    fn into_output(self: Box<Self>) -> Result<Output, Issue> {
        Ok(self.bytes.into_vec().into())
    }

    fn lift(&self, options: &ReadOptions<'_>) -> Result<Lifted, Issue> {
        of_lifting(&self.summary(), &options.limits)?;
        let scene = lift::scene(&self.header, self.contents().clone());
        let provenance = options.provenance.then(|| self.origins(&scene)).flatten();
        Ok(Lifted { scene, provenance, ..Lifted::default() })
    }
}
