//! OBJ (`.obj`) with its material libraries (`.mtl`), the format that every tool speaks.
//!
//! Lines of text: positions, texture coordinates and normals, each counted from one over the whole file; faces, lines and
//! points that name them; and lines that say which object, group, smoothing group and material the next faces belong to.
//! Materials are in another file, which the line `mtllib` names.
//!
//! `docs/formats/obj.md` has the statements that are read, and every decision on what nobody ever wrote down.

use super::{
    Capabilities, FileModel, Format, Holds, Lifted, Output, Probe, ReadOptions, Summary, of_lifting,
    text_lines,
};
use crate::bytes::{ByteMap, Limits};
use crate::diag::{Aspect, Issue, Issues};
use crate::pictures::Usable;
use crate::scene::{Axes, Hidden};

pub mod codes;
mod gather;
mod lift;
mod lower;
mod model;
mod notes;
mod origins;
mod parse;
mod read;
mod write;

pub use lower::lower;
pub use model::{Library, Model};
pub use read::read;

/// The descriptor.
pub static FORMAT: Format = Format {
    id: "obj",
    name: "OBJ",
    about: "text of vertices and faces that every tool speaks, with materials in an MTL file beside it",
    extensions: &["obj"],
    mime: "model/obj",
    probe: |bytes| if parse::slow::looks_like_obj(bytes) { Probe::Shape } else { Probe::No },
    axes: Axes::Y_UP_FRONT_PLUS_Z,
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
            (Aspect::Hierarchy, Holds::Partly, "a list of objects"),
            (Aspect::Names, Holds::Partly, "of objects and materials"),
            (Aspect::Positions, Holds::Fully, ""),
            (Aspect::Topology, Holds::Fully, ""),
            (Aspect::Normals, Holds::Fully, ""),
            (Aspect::Uvs, Holds::Partly, "one set"),
            (Aspect::Colors, Holds::Partly, "one set, no alpha"),
            (Aspect::Materials, Holds::Partly, "Phong, metal and roughness"),
            (Aspect::Textures, Holds::Partly, "by name, no filters"),
        ],
    },
    options: &[],
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
        text_lines(&self.text)
    }

    /// The text, with the libraries that were found; those in other folders stay where they are.
    fn write(&self) -> Result<Output, Issue> {
        Ok(Output { bytes: self.text.to_vec(), beside: self.beside() })
    }

    fn into_output(self: Box<Self>) -> Result<Output, Issue> {
        let beside = self.beside();
        Ok(Output { bytes: self.text.into_vec(), beside })
    }

    fn lift(&self, options: &ReadOptions<'_>) -> Result<Lifted, Issue> {
        of_lifting(&self.summary(), &options.limits)?;
        let mut issues = Issues::default();
        let scene = read::scene(self.gathered().clone(), &self.entries, &mut issues);
        let provenance = options.provenance.then(|| origins::find(&self.text, &scene)).flatten();
        Ok(Lifted { scene, issues, provenance })
    }
}
