//! BMD (`.bmd`), the models of the BGBTech3 engine.
//!
//! An image: a header with the offsets of four tables (meshes, levels of detail, bones, animations), whose records
//! hold offsets of lists and names that may lie anywhere and share bytes. Vertices are packed into 64, 96 or 128 bits,
//! with 9-bit fractions under a shared exponent and 8-bit floats; each vertex and each triangle or quad tells its own
//! size. Vertices are in the space of the one bone that they hang on; pseudo-bones blend up to four bones. Animations
//! are runs of tagged keys, bone by bone.
//!
//! `docs/formats/bmd.md` has the layout byte by byte, and every decision on what the format's document leaves open.

use super::{
    Capabilities, FileModel, Format, FormatOption, Holds, Lifted, Output, Packing, Probe, ReadOptions,
    Summary,
};
use crate::bytes::{ByteMap, Limits};
use crate::diag::{Aspect, Issue, Issues};
use crate::pictures::Usable;
use crate::scene::{Axes, Hidden};

mod added;
mod check;
pub mod codes;
mod costs;
mod dialect;
mod direction;
mod engine;
mod lift;
mod lower;
mod mend;
mod model;
mod notes;
mod packing;
mod pose;
mod read;
mod solid;
mod vertex;
mod write;

pub use check::check;
pub use direction::nearest_direction;
pub(super) use lift::frames_per_second;
pub use lift::lift;
pub use lower::lower;
pub use model::{
    Animation, Bone, Entry, Face, FaceCorners, FaceKind, Lod, Mesh, Model, Table, Track, flat_colour,
    raw_rotation, rotation,
};
pub use read::read;
pub use vertex::{Form, StReading, Unpacked, Vertex, VertexKind, nearest_shade, shade_colour};

/// The first four bytes of every file.
pub const MAGIC: [u8; 4] = *b"BMD1";

/// The descriptor.
pub static FORMAT: Format = Format {
    id: "bmd",
    name: "BMD",
    about: "models of the BGBTech3 engine: packed vertices, bones, pseudo-bones, levels of detail, keyframes",
    extensions: &["bmd"],
    mime: "model/x-bmd",
    probe: |bytes| if bytes.starts_with(&MAGIC) { Probe::Magic } else { Probe::No },
    axes: Axes::Z_UP_FRONT_PLUS_Y,
    unit: "not stated; the engine draws 40 units a metre",
    metres: Some(1.0 / 40.0),
    hidden: Hidden::LeftOut,
    // The document leaves the kind open; engines.md BMD E13: the engine wants DDS, which nothing here writes.
    pictures: Usable::ANY,
    capabilities: Capabilities {
        weights_per_vertex: 4,
        vertex_limit: Some(65535),
        uv_sets: 1,
        instances: false,
        embeds_textures: false,
        ambient_light: false,
        holds: &[
            (Aspect::Hierarchy, Holds::Partly, "bones only"),
            (Aspect::Names, Holds::Partly, "of bones and animations"),
            (Aspect::Transforms, Holds::Partly, "of bones, packed into 64 bits"),
            (Aspect::Visibility, Holds::Partly, "meshes outside the levels of detail"),
            (Aspect::Positions, Holds::Partly, "9 bits with an exponent, or half floats"),
            (Aspect::Topology, Holds::Partly, "triangles and quads"),
            (Aspect::Normals, Holds::Partly, "8 bits a component"),
            (Aspect::Uvs, Holds::Partly, "one set, 11 to 14 bits"),
            (Aspect::Colors, Holds::Partly, "256 shades"),
            (Aspect::Skins, Holds::Partly, "256 bones and blends of bones"),
            (Aspect::Lods, Holds::Partly, "of the whole model"),
            (Aspect::Materials, Holds::Partly, "a colour"),
            (Aspect::Textures, Holds::Partly, "one colour picture, by name"),
            (Aspect::Animations, Holds::Partly, "255 frames of up to 31.75 Hz, packed"),
        ],
    },
    options: &[
        FormatOption {
            name: "bmd-st",
            values: &["auto", "spec", "legacy"],
            help: "how texture coordinates of 128-bit vertices are read from BMD (default: auto)",
            reading: true,
        },
        FormatOption {
            name: "bmd-vertex",
            values: &["auto", "64", "96", "128"],
            help: "bits of vertices when writing BMD (default: as the source had it, else the smallest that holds them)",
            reading: false,
        },
        FormatOption {
            name: "bmd-position-error",
            values: &[],
            help: "how far in scene units packing may move vertices before 128-bit vertices are taken (default: any)",
            reading: false,
        },
        FormatOption {
            name: "bmd-key-error",
            values: &[],
            help: "how far off keys may be left out, in scene units and degrees (default: what packing costs anyway)",
            reading: false,
        },
        FormatOption {
            name: "bmd-blend",
            values: &["on", "off"],
            help: "whether vertices of several joints get pseudo-bones when writing BMD, or the heaviest joint (default: on)",
            reading: false,
        },
        FormatOption {
            name: "bmd-centre",
            values: &["off", "on"],
            help: "whether to hang what stands still on a bone in its middle when writing BMD, for finer steps (default: off)",
            reading: false,
        },
        FormatOption {
            name: "bmd-split",
            values: &["1024", "65535"],
            help: "vertices of a mesh at most when writing BMD (default: 65535)",
            reading: false,
        },
    ],
    codes: codes::CODES,
    read: |bytes, options, issues| Ok(Box::new(read::read(bytes, &options.limits, issues)?)),
    stream: None,
    mend: mend::mend,
    lower: |scene, options, losses| Ok(Box::new(lower(scene, options, losses))),
};

impl FileModel for Model {
    fn format(&self) -> &'static Format {
        &FORMAT
    }

    fn summary(&self) -> Summary {
        Model::summary(self)
    }

    fn packing(&self) -> Vec<Packing> {
        Model::packing(self)
    }

    fn dialect(&self) -> Option<String> {
        Model::dialect(self)
    }

    fn check(&self, limits: &Limits, issues: &mut Issues) {
        check(self, limits, issues);
    }

    fn check_engine(&self, limits: &Limits, issues: &mut Issues) {
        engine::check(self, limits, issues);
    }

    fn layout(&self) -> ByteMap {
        self.byte_map()
    }

    fn write(&self) -> Result<Output, Issue> {
        Ok(self.to_bytes().into())
    }

    fn lift(&self, options: &ReadOptions<'_>) -> Result<Lifted, Issue> {
        costs::of_document(self, &options.limits)?;
        Ok(lift(self, options))
    }

    fn lift_as_engine(&self, options: &ReadOptions<'_>) -> Result<Option<Lifted>, Issue> {
        options.limits.take(costs::of_frames(self))?;
        Ok(Some(engine::lifted(self, options)))
    }
}
