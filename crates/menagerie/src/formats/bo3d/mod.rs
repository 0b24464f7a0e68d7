//! BO3D (`.bo3d`), the models of the bOGL engine.
//!
//! A 20-byte header, then a flat list of entities, each a pivot or a mesh, with the index of its parent. An entity is
//! a fixed header followed by lists, each padded to four bytes: keyframes, name, and for meshes vertices, colours,
//! triangles, texture name and bones. Vertices are eight floats of 16 or 32 bits, as the file header says. A bone is
//! an entity and the range of vertices that hang on it.
//!
//! `docs/formats/bo3d.md` has the layout byte by byte, and every decision on what the format's document leaves open.

use super::{
    Capabilities, FileModel, Format, FormatOption, Holds, Lifted, Output, Probe, ReadOptions, Summary,
    of_lifting,
};
use crate::bytes::{ByteMap, Limits};
use crate::diag::{Aspect, Issue, Issues};
use crate::pictures::Usable;
use crate::scene::{Axes, Hidden, Turn};

mod added;
mod check;
pub mod codes;
mod dialect;
mod engine;
mod lift;
mod lower;
mod mend;
mod model;
mod moving;
mod notes;
mod placement;
mod read;
mod write;

pub use check::check;
pub(super) use lift::frames_per_second;
pub use lift::lift;
pub use lower::lower;
pub use model::{
    Bone, Colour, Entity, Fx, Key, MeshData, Model, Triangle, VERSION, VFloat, Vertex16, Vertex32, Vertices,
};
pub use read::read;

/// The first four bytes of every file.
pub const MAGIC: [u8; 4] = *b"BO3D";

/// Frames a second when nobody says otherwise: the speed of the engine's own demo.
pub const DEFAULT_FPS: f32 = 12.0;

/// From the file's axes to the Scene's, and back: half a turn about the upward axis.
const TURN: Turn = Axes::Y_UP_FRONT_MINUS_Z.turn;

/// The descriptor.
pub static FORMAT: Format = Format {
    id: "bo3d",
    name: "BO3D",
    about: "models of the bOGL engine: meshes, pivots, rigid bones, keyframes",
    extensions: &["bo3d"],
    mime: "model/x-bo3d",
    probe: |bytes| if bytes.starts_with(&MAGIC) { Probe::Magic } else { Probe::No },
    axes: Axes::Y_UP_FRONT_MINUS_Z,
    unit: "not stated",
    metres: None,
    hidden: Hidden::Counts,
    // engines.md BO3D E13: any kind that the runtime loads.
    pictures: Usable::ANY,
    capabilities: Capabilities {
        weights_per_vertex: 1,
        vertex_limit: Some(65536),
        uv_sets: 1,
        instances: false,
        embeds_textures: false,
        ambient_light: false,
        holds: &[
            (Aspect::Hierarchy, Holds::Partly, "one root; one material per entity"),
            (Aspect::Names, Holds::Partly, "of entities only"),
            (Aspect::Transforms, Holds::Partly, "no shear"),
            (Aspect::Positions, Holds::Fully, "16-bit floats on request"),
            (Aspect::Topology, Holds::Partly, "triangles only"),
            (Aspect::Normals, Holds::Fully, "16-bit floats on request"),
            (Aspect::Uvs, Holds::Partly, "one set"),
            (Aspect::Colors, Holds::Partly, "8 bits, no alpha"),
            (Aspect::Skins, Holds::Partly, "one joint a vertex"),
            (Aspect::Materials, Holds::Partly, "colour, alpha, FX flags"),
            (Aspect::Textures, Holds::Partly, "one colour picture, by name"),
            (Aspect::Animations, Holds::Partly, "one clip, linear, whole frames"),
        ],
    },
    options: &[FormatOption {
        name: "bo3d-float",
        values: &["16", "32"],
        help: "bits of vertex floats when writing BO3D (default: as the source had it, else 32)",
        reading: false,
    }],
    codes: codes::CODES,
    read: |bytes, options, issues| Ok(Box::new(read::read_from(options.reader(bytes), issues)?)),
    stream: None,
    mend: mend::mend,
    lower: |scene, options, losses| {
        lower::afford(&scene, options)?;
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
        of_lifting(&self.summary(), &options.limits)?;
        Ok(lift(self, options))
    }

    fn lift_as_engine(&self, options: &ReadOptions<'_>) -> Result<Option<Lifted>, Issue> {
        of_lifting(&self.summary(), &options.limits)?;
        engine::afford(self, &options.limits)?;
        Ok(Some(engine::lifted(self, options)))
    }
}
