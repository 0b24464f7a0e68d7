//! DGL2 (`.dgl2`), the models and levels of the DGL engine.
//!
//! A list of chunks, each a 12-byte header, a name and data: HEADER, TRIMESH (triangles, each with its own material,
//! corners, normals and two sets of texture coordinates), MATERIAL and ENTITY (a place, a mesh, properties), END. There
//! is no magic number. Properties are text in [`dml`], `name="value";`.
//!
//! `docs/formats/dgl2.md` has the layout byte by byte, DML's grammar, and every decision on what the format's document
//! leaves open.

use super::{
    Capabilities, FileModel, Format, FormatOption, Holds, Lifted, Output, Probe, ReadOptions, Summary,
    of_lifting,
};
use crate::bytes::{ByteMap, Limits};
use crate::diag::{Aspect, Issue, Issues};
use crate::pictures::Usable;
use crate::scene::{Axes, Hidden};

mod check;
pub mod codes;
mod dialect;
pub mod dml;
mod engine;
mod lift;
mod lower;
mod model;
mod notes;
mod read;
mod surface;
mod write;

pub use check::check;
pub use engine::{check_engine, lift_as_engine};
pub use lift::{VDirection, lift};
pub use lower::lower;
pub use model::{Chunk, ChunkData, EntityData, MaterialData, Model, Properties, Triangle, kind};
pub use read::read;

/// The descriptor.
pub static FORMAT: Format = Format {
    id: "dgl2",
    name: "DGL2",
    about: "models and levels of the DGL engine: triangles with materials, entities with properties",
    extensions: &["dgl2"],
    mime: "model/x-dgl2",
    probe: |bytes| if read::has_shape(bytes) { Probe::Shape } else { Probe::No },
    axes: Axes::Y_UP_FRONT_PLUS_Z,
    unit: "Blender units",
    metres: None,
    hidden: Hidden::Counts,
    // engines.md DGL2 E6: the engine reads PNG alone.
    pictures: Usable::PNG,
    capabilities: Capabilities {
        weights_per_vertex: 0,
        vertex_limit: None,
        uv_sets: 2,
        instances: true,
        embeds_textures: false,
        ambient_light: false,
        holds: &[
            (Aspect::Hierarchy, Holds::Partly, "no tree"),
            (Aspect::Names, Holds::Partly, "of meshes, materials and entities"),
            (Aspect::Transforms, Holds::Partly, "no shear"),
            (Aspect::Visibility, Holds::Fully, ""),
            (Aspect::Positions, Holds::Fully, ""),
            (Aspect::Topology, Holds::Partly, "triangles only"),
            (Aspect::Normals, Holds::Fully, ""),
            (Aspect::Uvs, Holds::Partly, "two sets"),
            (Aspect::Materials, Holds::Partly, "colours, shininess, emission, flags"),
            (Aspect::Textures, Holds::Partly, "colour, normal and glow picture, by name"),
            (Aspect::Lights, Holds::Partly, "points with a colour"),
        ],
    },
    options: &[
        FormatOption {
            name: "dgl2-v",
            values: &["auto", "top", "bottom"],
            help: "where v = 0 is in the pictures of a DGL2 file (default: auto, by what its writer left)",
            reading: true,
        },
        FormatOption {
            name: "dgl2-text",
            values: &["2015", "2016"],
            help: "the form of DGL2's property texts: in braces, which only engines of 2015 read, or without, which \
                   only later ones do (default: as the source had it, else 2016)",
            reading: false,
        },
    ],
    codes: codes::CODES,
    read: |bytes, options, issues| Ok(Box::new(read::read_from(options.reader(bytes), issues)?)),
    stream: None,
    mend: super::no_mend,
    lower: |scene, options, losses| {
        super::of_own_corners(&scene, &options.limits)?;
        Ok(Box::new(lower(scene, options, losses)))
    },
};

impl FileModel for Model {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn summary(&self) -> Summary {
        Model::summary(self)
    }

    fn dialect(&self) -> Option<String> {
        Model::dialect(self)
    }

    fn check(&self, _: &Limits, issues: &mut Issues) {
        check(self, issues);
    }

    fn check_engine(&self, _: &Limits, issues: &mut Issues) {
        check_engine(self, issues);
    }

    fn layout(&self) -> ByteMap {
        self.byte_map()
    }

    fn write(&self) -> Result<Output, Issue> {
        Ok(self.to_bytes().into())
    }

    fn lift(&self, options: &ReadOptions<'_>) -> Result<Lifted, Issue> {
        of_lifting(&self.summary(), &options.limits)?;
        Ok(lift(self, options))
    }

    fn lift_as_engine(&self, options: &ReadOptions<'_>) -> Result<Option<Lifted>, Issue> {
        Ok(Some(lift_as_engine(self, options)))
    }
}
