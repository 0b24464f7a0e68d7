//! What a conversion cost.

use std::fmt;

use super::issue::made_plain;
use super::{Code, Issue, Issues};

/// The part of a model that a loss or a difference is about. `diff` and the loss report speak of the same aspects:
/// whatever a round trip changes in an aspect, a loss of that aspect must have announced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Aspect {
    /// Which scenes there are, and which is the default.
    Scenes,
    /// Which nodes there are and how they hang together.
    Hierarchy,
    /// Names of things.
    Names,
    /// Where nodes are.
    Transforms,
    /// Whether nodes are shown.
    Visibility,
    /// Vertex positions.
    Positions,
    /// Which triangles, lines and points there are.
    Topology,
    /// Vertex normals.
    Normals,
    /// Vertex tangents.
    Tangents,
    /// Texture coordinates.
    Uvs,
    /// Vertex colours.
    Colors,
    /// Joints, weights and inverse bind matrices.
    Skins,
    /// Morph targets and their weights.
    Morphs,
    /// Levels of detail.
    Lods,
    /// Materials.
    Materials,
    /// Pictures and how they are sampled.
    Textures,
    /// Cameras.
    Cameras,
    /// Lights, ambient light included.
    Lights,
    /// Animations.
    Animations,
    /// Vertex attributes that only one format knows.
    CustomAttributes,
    /// Everything else that only one format knows.
    Extras,
}

impl Aspect {
    /// All of them.
    pub const ALL: [Self; 21] = [
        Self::Scenes,
        Self::Hierarchy,
        Self::Names,
        Self::Transforms,
        Self::Visibility,
        Self::Positions,
        Self::Topology,
        Self::Normals,
        Self::Tangents,
        Self::Uvs,
        Self::Colors,
        Self::Skins,
        Self::Morphs,
        Self::Lods,
        Self::Materials,
        Self::Textures,
        Self::Cameras,
        Self::Lights,
        Self::Animations,
        Self::CustomAttributes,
        Self::Extras,
    ];

    /// The word for it, as in the codes `loss/…` and `diff/…`.
    pub fn name(self) -> &'static str {
        self.loss_code().id.trim_start_matches("loss/")
    }

    /// The code of a loss of this aspect.
    pub fn loss_code(self) -> &'static Code {
        match self {
            Self::Scenes => &SCENES,
            Self::Hierarchy => &HIERARCHY,
            Self::Names => &NAMES,
            Self::Transforms => &TRANSFORMS,
            Self::Visibility => &VISIBILITY,
            Self::Positions => &POSITIONS,
            Self::Topology => &TOPOLOGY,
            Self::Normals => &NORMALS,
            Self::Tangents => &TANGENTS,
            Self::Uvs => &UVS,
            Self::Colors => &COLORS,
            Self::Skins => &SKINS,
            Self::Morphs => &MORPHS,
            Self::Lods => &LODS,
            Self::Materials => &MATERIALS,
            Self::Textures => &TEXTURES,
            Self::Cameras => &CAMERAS,
            Self::Lights => &LIGHTS,
            Self::Animations => &ANIMATIONS,
            Self::CustomAttributes => &CUSTOM_ATTRIBUTES,
            Self::Extras => &EXTRAS,
        }
    }
}

super::code! {
    SCENES = Info "loss/scenes": "scenes were lost or merged",
        document: "Most formats hold one scene only.",
        why: "What stood in the other scenes is gone, or stands where it did not.",
        fix: "Convert to a format that holds several, or convert each scene on its own.";
    HIERARCHY = Info "loss/hierarchy": "nodes were added, dropped, split or flattened",
        document: "The formats differ in the trees that they hold; some hold none.",
        why: "Attachment points and groups are no longer where programs look for them.",
        fix: "Convert to a format that holds any tree.";
    NAMES = Info "loss/names": "names were changed or dropped",
        document: "The formats limit the length and the characters of names, or have none for some things.",
        why: "Programs that look things up by name do not find them.",
        fix: "Rename the elements in the source.";
    TRANSFORMS = Info "loss/transforms": "positions, rotations or scales of nodes were approximated",
        document: "Several formats hold no shear, and only one scale factor or reduced precision.",
        why: "Nodes are not exactly where they were; the report says how far off.",
        fix: "Apply scales in the source, or choose a format that holds matrices.";
    VISIBILITY = Info "loss/visibility": "hidden nodes are no longer hidden",
        document: "Few formats can hide nodes.",
        why: "Collision and helper meshes show up.",
        fix: "Remove hidden nodes in the source if they are not wanted.";
    POSITIONS = Info "loss/positions": "vertex positions were approximated",
        document: "Half floats and packed vertices hold fewer digits than the source.",
        why: "Vertices moved; the report says how far, in scene units.",
        fix: "Choose a wider vertex form of the target, or another scale.";
    TOPOLOGY = Info "loss/topology": "triangles, lines or points were dropped or rearranged",
        document: "Engines draw triangles, not lines or points.",
        why: "Parts of the model are missing.",
        fix: "Convert to a format that holds lines or points.";
    NORMALS = Info "loss/normals": "normals were dropped, made or approximated",
        document: "Some formats need normals, some cannot hold them in every vertex form.",
        why: "Shading changes; the report says by how many degrees.",
        fix: "Choose a vertex form that holds normals.";
    TANGENTS = Info "loss/tangents": "tangents were dropped, made or approximated",
        document: "Few formats hold tangents; programs make their own.",
        why: "Normal maps look slightly different where a program makes its own tangents.",
        fix: "Make tangents anew in the program that uses the model.";
    UVS = Info "loss/uvs": "texture coordinates were dropped, made or approximated",
        document: "The formats hold from one to eight sets of texture coordinates, some packed.",
        why: "Textures shift, or the light map is gone.",
        fix: "Choose a format with enough sets.";
    COLORS = Info "loss/colors": "vertex colours were dropped or approximated",
        document: "Some formats have no vertex colours; others store bytes.",
        why: "Painted models lose their paint, or banding shows.",
        fix: "Bake the colours into a texture.";
    SKINS = Info "loss/skins": "joints, weights or bind matrices were dropped or approximated",
        document: "The formats differ in how many joints a vertex can hang on; some have no skins.",
        why: "Bending parts of the model look stiffer, or do not bend.",
        fix: "Choose a format with as many weights as the model needs.";
    MORPHS = Info "loss/morphs": "morph targets were dropped or baked",
        document: "Few formats hold morph targets.",
        why: "Faces no longer change their expression.",
        fix: "Convert to a format that holds them.";
    LODS = Info "loss/lods": "levels of detail were dropped or changed",
        document: "Few formats hold levels of detail.",
        why: "Far models cost as much to draw as near ones.",
        fix: "Convert to a format that holds levels, or make them anew with --lod.";
    MATERIALS = Info "loss/materials": "material settings were dropped or approximated",
        document: "Each format has its own shading model: Phong, metallic-roughness, or a colour and a flag word.",
        why: "Surfaces look different.",
        fix: "Set the material up again in the program that uses the model.";
    TEXTURES = Info "loss/textures": "textures were dropped, renamed or not found",
        document: "The formats refer to pictures by name and differ in which kinds of map they know.",
        why: "Surfaces lack their pictures.",
        fix: "Put the pictures beside the model, or name their folder with --texture-dir.";
    CAMERAS = Info "loss/cameras": "cameras were dropped or changed",
        document: "Few formats hold cameras.",
        why: "The views that the author set up are gone.",
        fix: "Convert to a format that holds them.";
    LIGHTS = Info "loss/lights": "lights were dropped or changed",
        document: "Few formats hold lights, each with its own fall-off.",
        why: "The scene is lit differently.",
        fix: "Set the lights up again in the program that uses the model.";
    ANIMATIONS = Info "loss/animations": "animations were dropped, resampled or merged",
        document: "The formats differ in what can be animated, in interpolation and in how time is counted.",
        why: "Movements are missing, or differ between the keys; the report says by how much.",
        fix: "Convert to a format that holds all of it.";
    CUSTOM_ATTRIBUTES = Info "loss/custom-attributes": "vertex attributes of the application's own were dropped",
        document: "Few formats hold vertex attributes with names of their own.",
        why: "The program that made them will miss them.",
        fix: "Convert to a format that holds them.";
    EXTRAS = Info "loss/extras": "data that only the source format knows was dropped",
        document: "A format carries such data of its own, and rarely that of others.",
        why: "Converting back will not restore it.",
        fix: "Keep the source file, or convert to a format that carries it.";
    DAMAGED = Error "loss/damaged": "the source is damaged, and part of the model could not be had",
        document: "A whole file has all that its header, counts and references speak of.",
        why: "The result lacks what the source lacks. It is as good as the source allows, and no more.",
        fix: "Get the source again from where it came; menagerie validate says which bytes are to blame.";
}

/// What happened to a thing that the target could not hold as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LossKind {
    /// It is gone.
    Dropped,
    /// It is there, not exactly.
    Approximated,
    /// The source itself lacks it: the file is damaged, and reading had to give it up.
    Damaged,
    /// It was not there before. That is worth knowing and no loss.
    Added,
}

impl LossKind {
    /// The word for it: `dropped`, `approximated`, `damaged` or `added`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dropped => "dropped",
            Self::Approximated => "approximated",
            Self::Damaged => "damaged",
            Self::Added => "added",
        }
    }

    /// Whether something of the model is gone or not as it was.
    pub fn is_loss(self) -> bool {
        self != Self::Added
    }
}

impl fmt::Display for LossKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The sizes of several errors: how many, the largest, and the mean.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ErrorStats {
    /// How many were measured.
    pub count: usize,
    /// The largest.
    pub max: f64,
    sum: f64,
}

impl ErrorStats {
    /// Errors that were measured elsewhere.
    pub fn new(count: usize, max: f64, mean: f64) -> Self {
        Self { count, max, sum: mean * count as f64 }
    }

    /// Adds one measured error.
    pub fn add(&mut self, error: f64) {
        self.count += 1;
        self.max = self.max.max(error);
        self.sum += error;
    }

    /// Adds all errors of another measurement.
    pub fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.max = self.max.max(other.max);
        self.sum += other.sum;
    }

    /// The same errors in a unit of which so many are one of theirs.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { max: self.max * factor, sum: self.sum * factor, ..self }
    }

    /// The mean, zero when nothing was measured.
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    /// Whether anything is off at all.
    pub fn is_off(&self) -> bool {
        self.max > 0.0
    }
}

/// One thing that a conversion dropped, approximated or added.
#[derive(Clone, Debug, PartialEq)]
pub struct Loss {
    /// What it is about.
    pub aspect: Aspect,
    /// What happened.
    pub kind: LossKind,
    /// Where in the Scene: `meshes[2].primitives[0]`.
    pub path: String,
    /// What happened, in a sentence.
    pub message: String,
    /// How many things it happened to.
    pub count: usize,
    /// The largest and mean error with their unit, where it was measured.
    pub error: Option<(ErrorStats, &'static str)>,
    /// Whether no comparison of Scenes sees it: reading left it out already, or nothing that is shown uses it.
    pub unread: bool,
    /// Whether menagerie finds it again in a note inside the result, which no other program reads.
    pub noted: bool,
}

impl Loss {
    /// Something that happened to one thing and has no size.
    pub fn new(aspect: Aspect, kind: LossKind, path: impl Into<String>, message: impl Into<String>) -> Self {
        let (path, message) = (made_plain(path.into()), made_plain(message.into()));
        Self { aspect, kind, path, message, count: 1, error: None, unread: false, noted: false }
    }

    /// The same for `count` things.
    #[must_use]
    pub fn count(self, count: usize) -> Self {
        Self { count, ..self }
    }

    /// The same with a measured error.
    #[must_use]
    pub fn measured(self, stats: ErrorStats, unit: &'static str) -> Self {
        Self { count: stats.count.max(1), error: Some((stats, unit)), ..self }
    }

    /// The code: `loss/` and the aspect, or `loss/damaged` for what the source itself lacks.
    pub fn code(&self) -> &'static Code {
        if self.kind == LossKind::Damaged { &DAMAGED } else { self.aspect.loss_code() }
    }

    /// As the JSON object that `convert --loss-report` prints.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({
            "code": self.code().id,
            "kind": self.kind.name(),
            "path": self.path,
            "message": self.message,
            "count": self.count,
            "max_error": self.error.map(|(stats, _)| stats.max),
            "mean_error": self.error.map(|(stats, _)| stats.mean()),
            "unit": self.error.map(|(_, unit)| unit),
        })
    }
}

/// All that a conversion cost, and apart from that what it added and what was asked for.
///
/// Only what is dropped, approximated or damaged is a loss ([`LossKind::is_loss`]). What operations did that the user
/// asked for (levels of detail, simplification, axes) is in [`LossReport::requested`] and is no loss either.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LossReport {
    losses: Vec<Loss>,
    requested: Vec<Loss>,
}

impl LossReport {
    /// An empty report.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a loss.
    pub fn push(&mut self, loss: Loss) {
        self.losses.push(loss);
    }

    /// Something is gone.
    pub fn dropped(&mut self, aspect: Aspect, path: impl Into<String>, message: impl Into<String>) {
        self.push(Loss::new(aspect, LossKind::Dropped, path, message));
    }

    /// Something is there, not exactly.
    pub fn approximated(&mut self, aspect: Aspect, path: impl Into<String>, message: impl Into<String>) {
        self.push(Loss::new(aspect, LossKind::Approximated, path, message));
    }

    /// Something is approximated for every program but menagerie, which finds it again in a note inside the result.
    pub fn noted(&mut self, aspect: Aspect, path: impl Into<String>, message: impl Into<String>) {
        self.push(Loss { noted: true, ..Loss::new(aspect, LossKind::Approximated, path, message) });
    }

    /// Something was not there before.
    pub fn added(&mut self, aspect: Aspect, path: impl Into<String>, message: impl Into<String>) {
        self.push(Loss::new(aspect, LossKind::Added, path, message));
    }

    /// Measured errors, if there are any.
    pub fn measured(
        &mut self,
        aspect: Aspect,
        path: impl Into<String>,
        message: impl Into<String>,
        stats: ErrorStats,
        unit: &'static str,
    ) {
        if stats.is_off() {
            self.push(Loss::new(aspect, LossKind::Approximated, path, message).measured(stats, unit));
        }
    }

    /// What reading the source had to give up: what was counted, and every error that nothing was counted for.
    pub fn damaged(&mut self, issues: &Issues) {
        for damage in issues.damage() {
            let loss = Loss::new(damage.aspect, LossKind::Damaged, damage.path.clone(), damage.to_string());
            self.push(loss.count(damage.count));
        }
        if issues.damage().next().is_none() {
            for (issue, count) in issues.errors_by_code() {
                let message = format!("{} [{}]", issue.message, issue.code);
                let loss = Loss::new(Aspect::Extras, LossKind::Damaged, issue.path.clone(), message);
                self.push(loss.count(count));
            }
        }
    }

    /// What reading put into the scene, because the part of a damaged file that showed it is gone.
    pub fn put_into_scene(&mut self, issues: &Issues) {
        let shown = |issue: &&Issue| {
            issue.code.id.ends_with("/shown-mesh") || issue.code.id.ends_with("/shown-geometry")
        };
        for issue in issues.iter().filter(shown) {
            self.added(Aspect::Hierarchy, issue.path.clone(), issue.message.clone());
        }
    }

    /// What reading the source left out because a Scene has no place for it.
    pub fn left_out(&mut self, issues: &Issues) {
        for left in issues.left_out() {
            let loss = Loss::new(left.aspect, LossKind::Dropped, left.path.clone(), left.message.clone());
            self.push(Loss { unread: true, ..loss.count(left.count) });
        }
    }

    /// Adds all losses of another report.
    pub fn append(&mut self, mut other: Self) {
        self.losses.append(&mut other.losses);
        self.requested.append(&mut other.requested);
    }

    /// Adds all of another report as what was asked for.
    pub fn append_requested(&mut self, other: Self) {
        self.requested.extend(other.losses);
        self.requested.extend(other.requested);
    }

    /// What was dropped, approximated, damaged and added, in the order in which it was found.
    pub fn iter(&self) -> impl Iterator<Item = &Loss> {
        self.losses.iter()
    }

    /// The same, to change them.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Loss> {
        self.losses.iter_mut()
    }

    /// Leaves out what did not happen.
    pub(crate) fn retain(&mut self, keep: impl FnMut(&Loss) -> bool) {
        self.losses.retain(keep);
    }

    /// What is gone or not as it was: all but what was added.
    pub fn losses(&self) -> impl Iterator<Item = &Loss> {
        self.losses.iter().filter(|loss| loss.kind.is_loss())
    }

    /// What was not there before.
    pub fn additions(&self) -> impl Iterator<Item = &Loss> {
        self.losses.iter().filter(|loss| !loss.kind.is_loss())
    }

    /// What the user asked for, and what it changed.
    pub fn requested(&self) -> impl Iterator<Item = &Loss> {
        self.requested.iter()
    }

    /// Everything that a comparison of source and result may find: losses, additions, and what was asked for.
    pub fn announced(&self) -> impl Iterator<Item = &Loss> {
        self.losses.iter().chain(&self.requested)
    }

    /// The same without what the source itself lacks.
    #[must_use]
    pub fn without_damage(mut self) -> Self {
        self.losses.retain(|loss| loss.kind != LossKind::Damaged);
        self
    }

    /// Whether nothing was lost; things may have been added or changed because they were asked to be.
    pub fn is_lossless(&self) -> bool {
        self.losses().next().is_none()
    }

    /// Whether there is nothing to say at all.
    pub fn is_empty(&self) -> bool {
        self.losses.is_empty() && self.requested.is_empty()
    }

    /// How many losses there are; what was added or asked for does not count.
    pub fn len(&self) -> usize {
        self.losses().count()
    }

    /// As the JSON object of the command line's contract; `requested` is beside `losses`.
    pub fn to_json(&self, from: &str, to: &str) -> serde_json::Value {
        let list = |losses: &[Loss]| losses.iter().map(Loss::to_json).collect::<Vec<_>>();
        serde_json::json!({
            "from": from,
            "to": to,
            "losses": list(&self.losses),
            "requested": list(&self.requested),
        })
    }
}
