//! BOGLE (`.bgl`), the scenes that a Blender add-on exports for its author's OpenGL engine.
//!
//! A 30-byte header with six counts, the ambient light, then six lists whose records follow each other without
//! padding: cameras, geometries, materials, lights, animation collections (a skeleton and its animations) and
//! instances. An instance is a matrix and at most one of each of the others, by index. The file ends with the scene
//! tree, a text such as `0{1{}2{}}3{}` and a zero byte. Z is up, texture coordinates begin at the bottom left.
//!
//! `docs/formats/bogle.md` has the layout byte by byte, and every decision on what the format's document leaves open
//! or where its exporter and its engine do something else.

use super::{
    Capabilities, FileModel, Format, FormatOption, Holds, Lifted, Output, Probe, ReadOptions, Summary,
    of_lifting,
};
use crate::bytes::{ByteMap, Limits};
use crate::diag::{Aspect, Issue, Issues};
use crate::pictures::Usable;
use crate::scene::{Axes, Hidden};

mod added;
mod check;
pub mod codes;
mod dialect;
mod engine;
mod frame;
mod geometry;
mod joints;
mod lift;
mod lower;
mod mend;
mod model;
mod notes;
mod read;
mod salvage;
mod tree;
mod write;

pub use check::check;
pub use engine::{check_engine, lift_as_engine};
pub use geometry::{BoneEncoding, Geometry, Vertex};
pub use lift::lift;
pub use lower::lower;
pub use model::{Animation, Bone, Camera, Collection, Cut, Instance, Key, Light, Material, Model, Slot};
pub use read::read;
pub use tree::{Fault, Place, Tree};

/// The first five bytes of every file.
pub const MAGIC: [u8; 5] = *b"BOGLE";
/// The only version.
pub const VERSION: u8 = 0;
/// How deep the braces of the scene tree may be nested.
pub const MAX_DEPTH: usize = 256;
/// How many lights the engine draws.
pub const ENGINE_LIGHTS: usize = 20;
/// How many bones the engine's shader has room for.
pub const ENGINE_BONES: usize = 256;
/// Below this sum of weights the engine's shader does not skin a vertex.
pub const LEAST_WEIGHT: f32 = 0.001;

/// The descriptor.
pub static FORMAT: Format = Format {
    id: "bogle",
    name: "BOGLE",
    about: "scenes exported from Blender for an OpenGL engine: instances, Phong materials, lights, skins",
    extensions: &["bgl"],
    mime: "model/x-bogle",
    probe: |bytes| if bytes.starts_with(&MAGIC) { Probe::Magic } else { Probe::No },
    axes: Axes::Z_UP_FRONT_MINUS_Y,
    unit: "Blender units",
    metres: None,
    hidden: Hidden::Counts,
    // engines.md BOGLE E3: the engine reads PNG alone, and ends with grey and alpha.
    pictures: Usable::PNG_WITHOUT_GREY_ALPHA,
    capabilities: Capabilities {
        weights_per_vertex: 3,
        vertex_limit: None,
        uv_sets: 1,
        instances: true,
        embeds_textures: false,
        ambient_light: true,
        holds: &[
            (Aspect::Scenes, Holds::Partly, "the one that is shown"),
            (Aspect::Hierarchy, Holds::Partly, "one material per instance; 256 levels"),
            (Aspect::Names, Holds::Partly, "not of bones and pictures"),
            (Aspect::Transforms, Holds::Fully, "as matrices"),
            (Aspect::Positions, Holds::Fully, ""),
            (Aspect::Topology, Holds::Partly, "triangles only"),
            (Aspect::Normals, Holds::Fully, "made when missing"),
            (Aspect::Tangents, Holds::Fully, "made when missing"),
            (Aspect::Uvs, Holds::Partly, "one set"),
            (Aspect::Skins, Holds::Partly, "three joints a vertex; bones do not scale"),
            (Aspect::Materials, Holds::Partly, "Phong"),
            (Aspect::Textures, Holds::Partly, "PNG, by name"),
            (Aspect::Cameras, Holds::Partly, "perspective"),
            (Aspect::Lights, Holds::Fully, "with attenuation and ambient light"),
            (Aspect::Animations, Holds::Partly, "rotations of bones, offset of the first root"),
        ],
    },
    options: &[
        FormatOption {
            name: "bogle-bone-index",
            values: &["f32", "u32"],
            help: "how BOGLE's bone indices are written: as floats, which the engine reads, or as the integers of \
                   the document (default: as the source had it, else f32)",
            reading: false,
        },
        FormatOption {
            name: "bogle-ascii",
            values: &["no", "yes"],
            help: "whether BOGLE's names must be ASCII, as its exporter has them (default: no)",
            reading: true,
        },
    ],
    codes: codes::CODES,
    read: |bytes, options, issues| Ok(Box::new(read::read_as_asked(bytes, options, issues)?)),
    stream: None,
    mend: mend::mend,
    lower: |scene, options, losses| Ok(Box::new(lower(scene, options, losses)?)),
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

    fn check_engine(&self, limits: &Limits, issues: &mut Issues) {
        check_engine(self, limits, issues);
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
