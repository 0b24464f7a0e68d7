//! The formats, and how to tell them apart.
//!
//! Each format is a folder of the same shape and one line in [`ALL`]:
//!
//! | file | holds |
//! |---|---|
//! | `mod.rs` | what the format is, and its [`Format`] descriptor |
//! | `codes.rs` | its issue codes |
//! | `model.rs` | the file as it is: the file model |
//! | `read.rs` | bytes to file model |
//! | `write.rs` | file model to bytes; the same code draws the byte map behind `inspect` |
//! | `check.rs` | what is wrong in a model that could be read |
//! | `lift.rs` | file model to Scene |
//! | `lower.rs` | Scene to file model |
//!
//! A format never knows another format. What the command line, the documentation and the tests need to know about one
//! is data in its descriptor.

#![deny(clippy::indexing_slicing)]

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use crate::bytes::{ByteMap, Limits, OverLimit, Patch, Reader, SharedBytes};
use crate::diag::loss::ErrorStats;
use crate::diag::{self, Aspect, Code, Issue, Issues, LossReport};
use crate::pictures::Usable;
use crate::scene::{Axes, CheckedScene, Hidden, Scene};

#[cfg(feature = "bmd")]
pub mod bmd;
#[cfg(feature = "bo3d")]
pub mod bo3d;
#[cfg(feature = "bogle")]
pub mod bogle;
mod costs;
#[cfg(feature = "das2")]
pub mod das2;
#[cfg(feature = "dgl2")]
pub mod dgl2;
pub mod engine;
#[cfg(any(feature = "obj", feature = "ply", feature = "stl"))]
#[cfg_attr(
    not(all(feature = "obj", feature = "ply", feature = "stl")),
    allow(dead_code, reason = "each of these formats uses its part")
)]
mod flat;
mod foreign;
#[cfg(feature = "gltf")]
pub mod gltf;
mod holding;
mod identify;
#[cfg_attr(
    not(all(feature = "bmd", feature = "das2")),
    allow(dead_code, unused_imports, unused_macros, reason = "each format uses its part")
)]
mod notes;
#[cfg(feature = "obj")]
pub mod obj;
mod placed;
#[cfg(feature = "ply")]
pub mod ply;
mod provenance;
mod registry;
#[cfg(feature = "stl")]
pub mod stl;
#[cfg_attr(
    not(all(feature = "obj", feature = "ply", feature = "stl")),
    allow(dead_code, reason = "each of these formats uses its part")
)]
pub mod stream;
mod unheld;

#[cfg_attr(
    not(feature = "formats"),
    allow(unused_imports, reason = "a build without formats makes nothing")
)]
pub(crate) use costs::{ELEMENT, of_lifting, of_lowering, of_own_corners, of_resampling};
pub use foreign::foreign_kind;
pub use holding::document;
pub use identify::{Confidence, Identified, identify};
pub use placed::{Placed, is_placed_otherwise, picture_names, picture_names_of, placed_uvs, used_materials};
#[cfg_attr(
    not(feature = "formats"),
    allow(unused_imports, reason = "a build without formats records nothing")
)]
pub(crate) use provenance::Recorder;
pub use provenance::{Elements, PrimitiveOrigin, Provenance, Strided};
pub use registry::{known, register};
pub use unheld::{forget_notes, has_notes, kept_nodes, report_unheld};

/// All formats, in the order in which they are tried and listed.
pub static ALL: &[&Format] = &[
    #[cfg(feature = "bogle")]
    &bogle::FORMAT,
    #[cfg(feature = "bmd")]
    &bmd::FORMAT,
    #[cfg(feature = "dgl2")]
    &dgl2::FORMAT,
    #[cfg(feature = "bo3d")]
    &bo3d::FORMAT,
    #[cfg(feature = "das2")]
    &das2::FORMAT,
    #[cfg(feature = "gltf")]
    &gltf::FORMAT,
    #[cfg(feature = "ply")]
    &ply::FORMAT,
    #[cfg(feature = "stl")]
    &stl::FORMAT,
    #[cfg(feature = "obj")]
    &obj::FORMAT,
];

/// What a format is: everything that the rest of the program needs to know about it.
pub struct Format {
    /// The name in paths, options, extras and JSON: `bo3d`.
    pub id: &'static str,
    /// The name for people: `BO3D`.
    pub name: &'static str,
    /// One line about it.
    pub about: &'static str,
    /// Its file extensions, without the dot; the first is used for writing.
    pub extensions: &'static [&'static str],
    /// Its media type.
    pub mime: &'static str,
    /// How sure the bytes make it that a file is in this format.
    pub probe: fn(&[u8]) -> Probe,
    /// Its own directions.
    pub axes: Axes,
    /// What one unit is, as far as anybody knows.
    pub unit: &'static str,
    /// Metres in a unit, where the format or its engine says so.
    pub metres: Option<f32>,
    /// Whether hidden nodes count to the size of a model: they do where a flag hides what could be drawn, and not where
    /// they are no more than helpers.
    pub hidden: Hidden,
    /// Which pictures its files and its engine can use.
    pub pictures: Usable,
    /// What it can hold.
    pub capabilities: Capabilities,
    /// Its own options for reading and writing.
    pub options: &'static [FormatOption],
    /// Its issue codes.
    pub codes: &'static [&'static Code],
    /// Reads a file.
    pub read: ReadFn,
    /// Reads a Scene from a file that is not in memory, where the format can.
    pub stream: Option<stream::StreamFn>,
    /// Proposes what bytes that an issue is about should have been, for mending a file field by field.
    pub mend: fn(&[u8], &Issue) -> Vec<Patch>,
    /// Makes a file model of a Scene.
    pub lower: LowerFn,
}

/// Reads a file. What can be forgiven goes to the issues; what cannot is the error.
pub type ReadFn = fn(&[u8], &ReadOptions<'_>, &mut Issues) -> Result<Box<dyn FileModel>, Issue>;

/// Makes a file model of a Scene and reports what that cost; fails where the format cannot hold the Scene at all.
pub type LowerFn = fn(CheckedScene<'_>, &WriteOptions, &mut LossReport) -> Result<Box<dyn FileModel>, Issue>;

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Format({})", self.id)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// How sure a look at the bytes makes it that a file is in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Probe {
    /// It is not.
    No,
    /// It has the shape of one.
    Shape,
    /// It begins with the format's magic bytes.
    Magic,
}

/// What a format can hold.
#[derive(Clone, Copy, Debug)]
pub struct Capabilities {
    /// Joints that a vertex can hang on; zero for no skins.
    pub weights_per_vertex: usize,
    /// Vertices that one mesh can have.
    pub vertex_limit: Option<usize>,
    /// Sets of texture coordinates.
    pub uv_sets: usize,
    /// Whether several nodes can show one mesh.
    pub instances: bool,
    /// Whether pictures can be inside the file.
    pub embeds_textures: bool,
    /// Whether there is light that comes from everywhere.
    pub ambient_light: bool,
    /// For each aspect of a model that it holds, how well; aspects that are not listed are lost.
    pub holds: &'static [(Aspect, Holds, &'static str)],
}

/// How well a format holds an aspect of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// All of it, exactly.
    Fully,
    /// Some of it, or not exactly.
    Partly,
    /// Nothing of it.
    No,
}

impl Capabilities {
    /// How well it holds an aspect, with a remark.
    pub fn holds(&self, aspect: Aspect) -> (Holds, &'static str) {
        let entry = self.holds.iter().find(|(a, _, _)| *a == aspect);
        entry.map_or((Holds::No, ""), |(_, holds, remark)| (*holds, *remark))
    }
}

/// An option that only one format has: `--bo3d-float 16`.
#[derive(Clone, Copy, Debug)]
pub struct FormatOption {
    /// The name without the dashes: `bo3d-float`.
    pub name: &'static str,
    /// The values that it takes; empty for any text.
    pub values: &'static [&'static str],
    /// What it does.
    pub help: &'static str,
    /// Whether it changes what reading a file gives, and not only what is written.
    pub reading: bool,
}

/// The values of format options, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(BTreeMap<String, String>);

impl Settings {
    /// Sets an option.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.insert(name.into(), value.into());
    }

    /// The value of an option, if it was set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// These and the others together.
    #[must_use]
    pub fn merged(&self, others: &Self) -> Self {
        let all = self.0.iter().chain(&others.0);
        Self(all.map(|(name, value)| (name.clone(), value.clone())).collect())
    }

    /// Whether no option was set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Files that belong to a model: the buffers of a `.gltf`, pictures. The library itself opens no file.
pub trait Files: Sync {
    /// The bytes of the file that the model calls `name`.
    fn open(&self, name: &str) -> Result<Arc<[u8]>, NotFound>;
}

/// Why a file that belongs to a model is not there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NotFound {
    /// The places that were tried.
    pub tried: Vec<String>,
    /// Why none of them was good, in a sentence.
    pub reason: String,
}

/// No files at all.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn open(&self, _: &str) -> Result<Arc<[u8]>, NotFound> {
        Err(NotFound { tried: Vec::new(), reason: "no files beside the model were given".to_owned() })
    }
}

/// How to read a file.
#[derive(Clone)]
#[non_exhaustive]
pub struct ReadOptions<'a> {
    /// What reading may cost.
    pub limits: Limits,
    /// Frames a second, for formats that store frames without a rate.
    pub fps: Option<f32>,
    /// Options of single formats.
    pub settings: Settings,
    /// Where the files are that belong to the model.
    pub files: &'a dyn Files,
    /// The bytes that are read, where they can be shared: a model that keeps the whole file then needs no copy.
    pub shared: Option<SharedBytes>,
    /// Whether lifting takes down where in the file each part of the Scene came from.
    pub provenance: bool,
    /// Whether lifting gives no more of meshes than their shape: where vertices are, what is drawn with them and what moves
    /// them. All else is still looked at, and what is wrong with it reported, but takes no memory. A vertex may be there
    /// once for each triangle.
    pub shape_only: bool,
}

impl ReadOptions<'_> {
    /// The shared bytes, where they are those that are read.
    pub fn shared_file(&self, bytes: &[u8]) -> Option<&SharedBytes> {
        self.shared.as_ref().filter(|shared| std::ptr::eq::<[u8]>(&***shared, bytes))
    }

    /// The bytes of the file for a model to keep: without a copy where they are the shared ones.
    pub fn keep(&self, bytes: &[u8]) -> SharedBytes {
        self.shared_file(bytes).cloned().unwrap_or_else(|| bytes.to_vec().into())
    }

    /// A reader at the start of a file; where its bytes are the shared ones, long lists need no copy.
    pub fn reader<'b>(&'b self, bytes: &'b [u8]) -> Reader<'b> {
        match self.shared_file(bytes) {
            Some(file) => Reader::of_shared(file),
            None => Reader::new(bytes),
        }
    }
}

impl Default for ReadOptions<'_> {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            fps: None,
            settings: Settings::default(),
            files: &NoFiles,
            shared: None,
            provenance: false,
            shape_only: false,
        }
    }
}

/// Whom a file is written for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// Right by the document and in the format's original engine, wherever a file can be both. What came from the format
    /// itself and still fits goes back as it was, faults of the engine included.
    #[default]
    Both,
    /// The original engine: what came from the format itself is mended for it too.
    Engine,
    /// The plain form that the document describes, whatever engines make of it.
    Document,
}

impl Purpose {
    /// Whether what the original engine needs is written.
    pub fn serves_engine(self) -> bool {
        self != Self::Document
    }
}

/// What becomes of pictures that a model names and that are not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MissingTextures {
    /// A file that holds its pictures keeps the name in its extras and refers to nothing; others refer to the name.
    #[default]
    Name,
    /// A grey picture stands in.
    Placeholder,
    /// The name is referred to, although nothing is there.
    Reference,
}

/// How to write a file.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct WriteOptions {
    /// The file's name without folder and extension, for formats of several files that refer to each other.
    pub stem: String,
    /// The extension that is wanted, without the dot; empty for the format's first.
    pub extension: String,
    /// Whom the file is for.
    pub purpose: Purpose,
    /// What writing may cost; a conversion takes those of reading.
    pub limits: Limits,
    /// Frames a second, for formats that store frames without a rate.
    pub fps: Option<f32>,
    /// Whether pictures go into the file, where the format can hold them; `None` for the format's own custom.
    pub embed_textures: Option<bool>,
    /// What becomes of pictures that are not there.
    pub missing_textures: MissingTextures,
    /// Options of single formats.
    pub settings: Settings,
}

impl WriteOptions {
    /// Whether pictures go into files beside a `.gltf`, as is its custom.
    pub(crate) fn keeps_pictures_beside(&self) -> bool {
        self.extension.eq_ignore_ascii_case("gltf") && self.embed_textures.is_none()
    }
}

/// What reading gave: a model, unless the file is too broken, and all that was found on the way.
#[derive(Debug, Default)]
pub struct Reading {
    /// The file model; `None` when the file cannot be read.
    pub model: Option<Box<dyn FileModel>>,
    /// What is wrong with the file. A file with errors may still have a model: it was forgiven.
    pub issues: Issues,
}

impl Reading {
    /// A file that cannot be read.
    pub fn failed(issue: impl Into<Issue>) -> Self {
        let mut issues = Issues::default();
        issues.push(issue.into());
        Self { model: None, issues }
    }

    /// Makes the Scene, and adds what only that shows to the issues: then they are all that is wrong with the file.
    pub fn lift(&mut self, options: &ReadOptions<'_>) -> Option<Scene> {
        let model = self.model.as_deref()?;
        lift_into(model, options, &mut self.issues)
    }
}

/// A file as it is.
pub trait FileModel: fmt::Debug + Send + Sync + Any {
    /// Its format.
    fn format(&self) -> &'static Format;

    /// What is in it, for `info`.
    fn summary(&self) -> Summary;

    /// Which of the forms that files of the format have, in words, for `identify`; nothing where all are alike.
    fn dialect(&self) -> Option<String> {
        self.summary().profile.map(str::to_owned)
    }

    /// How finely its meshes are packed, for `info`; nothing where numbers are stored as they are.
    fn packing(&self) -> Vec<Packing> {
        Vec::new()
    }

    /// Finds what is wrong in it, at the cost that the limits allow. Issues name paths; their bytes are looked up in the
    /// byte map.
    fn check(&self, limits: &Limits, issues: &mut Issues);

    /// Finds what the format's original engine does with it that its document does not say: refuses it, crashes, poses
    /// or bends it otherwise. Codes are called `<format>/engine-…`. Nothing where no engine is known.
    fn check_engine(&self, _limits: &Limits, _issues: &mut Issues) {}

    /// The names of pictures that it keeps without referring to them.
    fn noted_pictures(&self) -> BTreeSet<String> {
        BTreeSet::new()
    }

    /// What each byte of the file is.
    fn layout(&self) -> ByteMap;

    /// The same of a model that was written so: where packing it again is all that it takes to know.
    fn layout_of(&self, _written: &Output) -> ByteMap {
        self.layout()
    }

    /// The bytes: those that it was read from, unless it was changed.
    fn write(&self) -> Result<Output, Issue>;

    /// The bytes of a model that is not needed any more; where it holds them already, they are not copied.
    fn into_output(self: Box<Self>) -> Result<Output, Issue> {
        self.write()
    }

    /// The Scene that it means, with what had to be forgiven or decided.
    fn lift(&self, options: &ReadOptions<'_>) -> Result<Lifted, Issue>;

    /// The Scene that the format's original engine shows: posed by its formula, with what it draws and lights. `None`
    /// where no engine is known.
    fn lift_as_engine(&self, _options: &ReadOptions<'_>) -> Result<Option<Lifted>, Issue> {
        Ok(None)
    }

    /// The Scene that readers arrive at who do not know what menagerie notes in the file. `None` where that is what
    /// [`FileModel::lift`] gives, as far as it is seen.
    fn lift_as_others(&self, _options: &ReadOptions<'_>) -> Option<Lifted> {
        None
    }
}

/// The names and places of all fields of a model, as a step of a job.
///
/// # Errors
/// When that is more memory than the limits have left.
pub fn layout_within(model: &dyn FileModel, limits: &Limits) -> Result<ByteMap, OverLimit> {
    limits.take(costs::of_mapping(&model.summary()))?;
    Ok(model.layout())
}

/// Finds the bytes of issues that know only their paths. Where that would take too much they stay without, and one more
/// says so.
pub fn locate(model: &dyn FileModel, limits: &Limits, issues: &mut Issues) {
    if !issues.needs_locating() {
        return;
    }
    match limits.affords(costs::of_mapping(&model.summary())) {
        Ok(()) => issues.locate(&model.layout()),
        Err(over) => issues.push(over.into()),
    }
}

/// The same in a file that was written.
pub(crate) fn locate_in(model: &dyn FileModel, written: &Output, limits: &Limits, issues: &mut Issues) {
    if !issues.needs_locating() {
        return;
    }
    match limits.affords(costs::of_mapping(&model.summary())) {
        Ok(()) => issues.locate(&model.layout_of(written)),
        Err(over) => issues.push(over.into()),
    }
}

/// The Scene of a model, with all that was found in making it among the issues, and the bytes of each. None where the
/// model cannot be lifted: then an issue says why.
pub fn lift_into(model: &dyn FileModel, options: &ReadOptions<'_>, issues: &mut Issues) -> Option<Scene> {
    let scene = match model.lift(options) {
        Ok(lifted) => {
            issues.append_new(lifted.issues);
            Some(lifted.scene)
        }
        Err(issue) => {
            let same = |known: &Issue| known.code == issue.code && known.path == issue.path;
            if !issues.iter().any(same) {
                issues.push(issue);
            }
            None
        }
    };
    locate(model, &options.limits, issues);
    scene
}

/// A Scene and what was found in making it.
#[derive(Debug, Default)]
pub struct Lifted {
    /// The Scene; it keeps the rules of [`crate::scene`].
    pub scene: Scene,
    /// What was forgiven or decided.
    pub issues: Issues,
    /// Where in the file each part came from, if that was asked for.
    pub provenance: Option<Provenance>,
}

/// What is in a file, at a glance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Which of several dialects, where a format has them.
    pub profile: Option<&'static str>,
    /// The file's own lists and how long they are.
    pub contents: Vec<(&'static str, usize)>,
    /// Vertices as stored, over all meshes.
    pub vertices: usize,
    /// Triangles as stored, over all meshes.
    pub triangles: usize,
}

/// How finely a mesh is packed: what rounding to the nearest cost at most, and what it costs evenly spread values on
/// average.
#[derive(Clone, Debug, Default)]
pub struct Packing {
    /// The mesh.
    pub path: String,
    /// The sizes of its vertices in bits.
    pub bits: Vec<usize>,
    /// The largest distance between neighbouring values of a coordinate, in the file's units.
    pub step: f32,
    /// How far positions are off, in the file's units.
    pub position: ErrorStats,
    /// How far normals are off, in degrees.
    pub normal: ErrorStats,
    /// How far texture coordinates are off.
    pub uv: ErrorStats,
}

/// A written file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The file itself.
    pub bytes: Vec<u8>,
    /// Files that belong to it, by name, to be put beside it.
    pub beside: Vec<(String, Vec<u8>)>,
}

impl From<Vec<u8>> for Output {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, beside: Vec::new() }
    }
}

/// The formats of this library by name.
impl Format {
    /// BMD, of the BGBTech3 engine.
    #[cfg(feature = "bmd")]
    pub const BMD: &'static Self = &bmd::FORMAT;
    /// BO3D, of the bOGL engine.
    #[cfg(feature = "bo3d")]
    pub const BO3D: &'static Self = &bo3d::FORMAT;
    /// BOGLE, exported from Blender.
    #[cfg(feature = "bogle")]
    pub const BOGLE: &'static Self = &bogle::FORMAT;
    /// das2, of the DENG engine.
    #[cfg(feature = "das2")]
    pub const DAS2: &'static Self = &das2::FORMAT;
    /// DGL2, of the DGL engine.
    #[cfg(feature = "dgl2")]
    pub const DGL2: &'static Self = &dgl2::FORMAT;
    /// glTF, binary or as text.
    #[cfg(feature = "gltf")]
    pub const GLTF: &'static Self = &gltf::FORMAT;
    /// OBJ.
    #[cfg(feature = "obj")]
    pub const OBJ: &'static Self = &obj::FORMAT;
    /// PLY.
    #[cfg(feature = "ply")]
    pub const PLY: &'static Self = &ply::FORMAT;
    /// STL.
    #[cfg(feature = "stl")]
    pub const STL: &'static Self = &stl::FORMAT;
}

impl Format {
    /// The format called `id`.
    pub fn by_id(id: &str) -> Option<&'static Self> {
        known().find(|format| format.id.eq_ignore_ascii_case(id))
    }

    /// The format that an extension belongs to: `bmd`, or the last part of `robot.bmd`.
    pub fn by_extension(name: &str) -> Option<&'static Self> {
        let extension = extension(name).unwrap_or(name);
        known().find(|f| f.extensions.iter().any(|e| e.eq_ignore_ascii_case(extension)))
    }

    /// The format of a file: by its magic bytes, by its shape, then by its name's extension. A name that says
    /// something else than the bytes is worth a warning.
    ///
    /// ```
    /// use menagerie::formats::Format;
    ///
    /// let (format, warning) = Format::detect(b"BO3Dd\0\0\0", Some("robot.bgl")).unwrap();
    /// assert_eq!(format.id, "bo3d");
    /// # #[cfg(feature = "bogle")]
    /// assert_eq!(warning.unwrap().code.id, "file/wrong-extension");
    /// ```
    pub fn detect(bytes: &[u8], name: Option<&str>) -> Result<(&'static Self, Option<Issue>), Issue> {
        let by_name = name.and_then(extension).and_then(Self::by_extension);
        let formats: Vec<&'static Self> = known().collect();
        let surest = formats.into_iter().map(|format| ((format.probe)(bytes), format));
        // The first of equally sure ones, so that the order of the registry decides.
        let by_bytes = surest
            .filter(|(probe, _)| *probe != Probe::No)
            .rev()
            .max_by_key(|(probe, _)| *probe)
            .map(|(_, format)| format);
        match (by_bytes, by_name) {
            (Some(found), Some(named)) if found != named && name.is_some() => {
                let message = format!(
                    "the bytes are {}, but the extension .{} is that of {}",
                    found.name,
                    name.and_then(extension).unwrap_or_default(),
                    named.name
                );
                let warning = Issue::new(&diag::WRONG_EXTENSION, "", message)
                    .at(crate::bytes::Span::new(0, bytes.len().min(8)));
                Ok((found, Some(warning)))
            }
            (Some(found), _) => Ok((found, None)),
            (None, Some(named)) => Ok((named, None)),
            (None, None) if bytes.is_empty() => Err(Issue::new(&diag::EMPTY, "", "the file has no bytes")),
            (None, None) => {
                let message = "neither its first bytes nor its name belong to a format that is known";
                let span = crate::bytes::Span::new(0, bytes.len().min(16));
                Err(Issue::new(&diag::UNKNOWN_FORMAT, "", message).at(span))
            }
        }
    }

    /// Reads a file as [`Format::open`] does; the model shares its bytes where it keeps them all.
    pub fn open_shared(&self, bytes: &SharedBytes, options: &ReadOptions<'_>) -> Reading {
        self.open(bytes, &ReadOptions { shared: Some(bytes.clone()), ..options.clone() })
    }

    /// Reads a file and finds all that is wrong with it.
    pub fn open(&self, bytes: &[u8], options: &ReadOptions<'_>) -> Reading {
        if bytes.is_empty() {
            return Reading::failed(Issue::new(&diag::EMPTY, "", "the file has no bytes"));
        }
        if bytes.len() as u64 > options.limits.file_bytes {
            let message =
                format!("{} bytes are more than the limit of {}", bytes.len(), options.limits.file_bytes);
            return Reading::failed(
                Issue::new(&diag::LIMIT, "", message).at(crate::bytes::Span::new(0, bytes.len())),
            );
        }
        options.limits.reads(bytes.len());
        let whole = crate::bytes::Span::new(0, bytes.len());
        if let Err(over) = options.limits.take(bytes.len() as u64) {
            return Reading::failed(Issue::from(over).at(whole));
        }
        let mut issues = Issues::new(options.limits.issues_per_code);
        let model = (self.read)(bytes, options, &mut issues);
        let model = model.inspect_err(|issue| issues.push(issue.clone())).ok();
        if let Some(model) = &model {
            model.check(&options.limits, &mut issues);
            locate(model.as_ref(), &options.limits, &mut issues);
        }
        Reading { model, issues }
    }
}

impl Reading {
    /// Adds to the issues what only lifting notices, and what the format's original engine does with such a file: then
    /// they are all that can be said about it. Gives the Scene.
    pub fn examine(&mut self, options: &ReadOptions<'_>) -> Option<Scene> {
        let scene = self.lift(options);
        let model = self.model.as_ref()?;
        model.check_engine(&options.limits, &mut self.issues);
        locate(model.as_ref(), &options.limits, &mut self.issues);
        scene
    }
}

/// For formats in which nothing is mended field by field.
pub fn no_mend(_: &[u8], _: &Issue) -> Vec<Patch> {
    Vec::new()
}

/// The map of a text file: its lines.
#[cfg(any(feature = "obj", feature = "stl"))]
fn text_lines(text: &[u8]) -> ByteMap {
    use crate::bytes::{MapNode, Span};

    let lines = list_of_lines(text, 0);
    ByteMap { root: MapNode::group("", Span::new(0, text.len()), vec![lines]) }
}

/// The lines of text that begins at a byte of a file.
#[cfg(any(feature = "obj", feature = "ply", feature = "stl"))]
fn list_of_lines(text: &[u8], from: usize) -> crate::bytes::MapNode {
    use crate::bytes::{FieldType, MapKind, MapList, MapNode};

    let mut end = from as u64;
    let ends = text.split_inclusive(|byte| *byte == b'\n').map(|line| {
        end += line.len() as u64;
        end
    });
    let list = MapList::new(from as u64, ends.collect(), |_, _| MapKind::Leaf(FieldType::Text));
    MapNode { name: "lines".into(), span: list.span(), kind: MapKind::List(list) }
}

/// What follows the last dot of a file's name.
fn extension(name: &str) -> Option<&str> {
    let base = name.rsplit(['/', '\\']).next()?;
    Some(base.rsplit_once('.')?.1)
}

/// Frames a second of an animation that came from a format with frames; `None` for formats with times.
pub fn frames_per_second(animation: &crate::scene::Animation) -> Option<f32> {
    let of_formats: &[fn(&crate::scene::Animation) -> Option<f32>] = &[
        #[cfg(feature = "bmd")]
        bmd::frames_per_second,
        #[cfg(feature = "bo3d")]
        bo3d::frames_per_second,
    ];
    of_formats.iter().find_map(|of_format| of_format(animation)).filter(|rate| *rate > 0.0)
}

/// Every issue code that there is: the general ones, those of losses, and those of each format.
pub fn codes() -> impl Iterator<Item = &'static Code> {
    let of_formats = ALL.iter().flat_map(|format| format.codes);
    diag::CODES.iter().chain(diag::loss::CODES).chain(of_formats).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_well_formed() {
        let mut seen = std::collections::BTreeSet::new();
        for code in codes() {
            assert!(seen.insert(code.id), "{} is there twice", code.id);
            let (area, what) = code.id.split_once('/').expect("a code has an area");
            let words =
                |text: &str| text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
            assert!(words(area) && words(what), "{}", code.id);
            for text in [code.title, code.document, code.why, code.fix] {
                assert!(!text.is_empty(), "{} lacks a text", code.id);
            }
        }
    }

    #[test]
    fn ids_and_extensions_belong_to_one_format() {
        let mut seen = std::collections::BTreeSet::new();
        for format in ALL {
            assert!(format.extensions.iter().all(|e| seen.insert(*e)), "{}", format.id);
            assert_eq!(Format::by_id(format.id), Some(*format));
        }
    }
}
