//! das2 (`.das2`), the runtime assets of the DENG engine.
//!
//! A small header (author, comment, counts, default scene, compression level), then a list of records to the end of
//! the file, compressed as a whole or not: buffers, meshes that refer to places in them, mesh groups, nodes, scenes,
//! joints, skeletons, animations and their channels, Phong and PBR materials. Each begins with an identifier byte; an
//! id is the place of a record among those of its kind.
//!
//! There are two layouts: what the document describes (`spec`), and what the format's own library writes (`libdas2`).
//! Both are read and written. `docs/formats/das2.md` has them byte by byte, and every decision on what the document
//! leaves open.

use super::{
    Capabilities, FileModel, Format, FormatOption, Hidden, Holds, Lifted, Output, Probe, ReadOptions,
    Summary, of_lifting,
};
use crate::bytes::{ByteMap, Limits};
use crate::diag::{Aspect, Issue, Issues};
use crate::pictures::Usable;
use crate::scene::Axes;

mod appended;
mod check;
pub mod codes;
mod dialect;
mod engine;
mod fields;
mod forest;
mod frame;
mod geometry;
mod hash;
mod lift;
mod lower;
mod mend;
mod model;
mod notes;
mod placement;
mod read;
mod sampler;
mod write;

pub use check::check;
pub use engine::{check_engine, lift_as_engine};
pub use lift::lift;
pub use lower::lower;
pub use model::{
    Animation, Buffer, Channel, Framing, Header, IDENTITY, Interpolation, Joint, Kind, Level, Lists, Mesh,
    MeshGroup, Model, MorphTarget, NONE, Node, Numbering, Pbr, Phong, Placement, Profile, Record, Ref, SLOTS,
    Scene, Skeleton, Target, Text, UvSlot, material_type,
};
pub use read::read;

/// The first eight bytes of every file.
pub const MAGIC: [u8; 8] = *b"das2\0\0\0\0";

/// The identifier of a morph target, in both numberings.
const MORPH_TARGET: u8 = 3;

/// The level of new files of the document's profile.
pub const DEFAULT_LEVEL: u8 = 6;

/// The level of new files of the library's profile: what its own code calls the default.
pub const DEFAULT_LIBRARY_LEVEL: u8 = 1;

/// The descriptor.
pub static FORMAT: Format = Format {
    id: "das2",
    name: "das2",
    about: "assets of the DENG engine: scenes, skeletons, morph targets, levels of detail, splines",
    extensions: &["das2"],
    mime: "model/x-das2",
    probe: |bytes| if bytes.starts_with(&MAGIC) { Probe::Magic } else { Probe::No },
    axes: Axes::Y_UP_FRONT_PLUS_Z,
    unit: "not stated",
    metres: None,
    hidden: Hidden::Counts,
    pictures: Usable::PNG_AND_JPEG,
    capabilities: Capabilities {
        weights_per_vertex: 32,
        vertex_limit: None,
        uv_sets: 8,
        instances: true,
        embeds_textures: false,
        ambient_light: false,
        holds: &[
            (Aspect::Scenes, Holds::Fully, ""),
            (Aspect::Hierarchy, Holds::Fully, "joints have a tree of their own"),
            (Aspect::Names, Holds::Partly, "not of animations in the spec profile, nor of pictures"),
            (Aspect::Transforms, Holds::Fully, ""),
            (Aspect::Positions, Holds::Fully, ""),
            (Aspect::Topology, Holds::Partly, "triangles only"),
            (Aspect::Normals, Holds::Fully, ""),
            (Aspect::Tangents, Holds::Partly, "in a note that only menagerie reads"),
            (Aspect::Uvs, Holds::Fully, ""),
            (Aspect::Colors, Holds::Partly, "one set"),
            (Aspect::Skins, Holds::Partly, "joints without stretching"),
            (Aspect::Morphs, Holds::Partly, "no weights at rest"),
            (Aspect::Lods, Holds::Partly, "no distances"),
            (Aspect::Materials, Holds::Partly, "Phong and PBR; no alpha modes"),
            (Aspect::Textures, Holds::Partly, "by name; no normal maps"),
            (Aspect::Animations, Holds::Partly, "scales are uniform"),
            (Aspect::Extras, Holds::Fully, "in a note that only menagerie reads"),
        ],
    },
    options: &[
        FormatOption {
            name: "das2-profile",
            values: &["spec", "libdas2"],
            reading: false,
            help: "layout when writing das2: the document's or the original library's (default: as the source had it, else spec)",
        },
        FormatOption {
            name: "das2-level",
            values: &["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"],
            reading: false,
            help: "compression when writing das2 (default: as the source had it, else 6; libdas2 compresses at 1 and 9 only)",
        },
    ],
    codes: codes::CODES,
    read: |bytes, options, issues| {
        let source = read::Source { bytes, file: options.shared_file(bytes) };
        Ok(Box::new(read::read_or_salvage(source, &options.limits, issues)?))
    },
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

    fn check_engine(&self, _: &Limits, issues: &mut Issues) {
        check_engine(self, issues);
    }

    fn layout(&self) -> ByteMap {
        self.byte_map()
    }

    fn layout_of(&self, written: &Output) -> ByteMap {
        self.map_of(Some(written.bytes.len()))
    }

    fn write(&self) -> Result<Output, Issue> {
        Ok(self.to_bytes()?.into())
    }

    fn into_output(self: Box<Self>) -> Result<Output, Issue> {
        Ok(self.into_bytes()?.into())
    }

    fn lift(&self, options: &ReadOptions<'_>) -> Result<Lifted, Issue> {
        of_lifting(&self.summary(), &options.limits)?;
        Ok(lift(self, options))
    }

    fn lift_as_engine(&self, options: &ReadOptions<'_>) -> Result<Option<Lifted>, Issue> {
        Ok(lift_as_engine(self, options))
    }

    fn lift_as_others(&self, options: &ReadOptions<'_>) -> Option<Lifted> {
        lift::lift_as_others(self, options)
    }
}
