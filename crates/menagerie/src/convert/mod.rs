//! From one format to another: read, lift, change, lower, write, with a report of every loss.
//!
//! Converting to the same format does not go through the Scene unless [`ConvertOptions::rebuild`] or a change asks for
//! it: the file model writes back what it read. [`ConvertOptions::ops`] are the changes that `menagerie optimize` makes.

mod failed;
mod hidden;
mod pictures;
mod settle;

pub use failed::{Blame, Failed};
pub use hidden::HiddenParts;
pub use pictures::{TextureStatus, missing_pictures, resolve_textures, resolve_textures_within};
pub use settle::settle;
use settle::settle_within;

use crate::bytes::{Limits, SharedBytes};
use crate::diag::{Aspect, Issue, Issues, LIMIT, LossReport, Severity};
use crate::formats::{
    FileModel, Files, Format, MissingTextures, Output, ReadOptions, WriteOptions, forget_notes, has_notes,
    locate, locate_in, of_lowering,
};
use crate::ops::{Op, OpReport, SceneSize};
use crate::scene::{CheckedScene, Pose, Scene, check};

/// How to convert.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ConvertOptions<'a> {
    /// How to read the source; its files are where textures are looked up.
    pub read: ReadOptions<'a>,
    /// How to write the target.
    pub write: WriteOptions,
    /// The source's format, when its bytes are not to decide.
    pub from: Option<&'static Format>,
    /// Multiplies all lengths; `None` leaves them as they are.
    pub scale: Option<f32>,
    /// Whether texture coordinates are turned upside down.
    pub flip_v: bool,
    /// Changes to make to the Scene, in this order.
    pub ops: Vec<Op>,
    /// Whether to go through the Scene even to the same format.
    pub rebuild: bool,
    /// Whether a damaged source is refused instead of converted as far as it goes.
    pub strict: bool,
    /// What becomes of hidden parts where the target would show them.
    pub hidden: HiddenParts,
    /// The folder that the result goes to, where there is one: a picture gets no name that a file with other content has.
    pub target: Option<&'a dyn Files>,
    /// Whether the Scene is let go of as soon as the target's model is made of it, so that it takes no memory while that
    /// is written.
    pub forget_scene: bool,
}

/// A finished conversion.
#[derive(Debug)]
pub struct Conversion {
    /// The source's format.
    pub from: &'static Format,
    /// The target's format.
    pub to: &'static Format,
    /// The written file and what belongs beside it.
    pub output: Output,
    /// What is wrong with the source, and what was decided in reading it.
    pub issues: Issues,
    /// What the conversion cost.
    pub losses: LossReport,
    /// What the target's original engine does with the result that its document does not say.
    pub engine: Issues,
    /// The textures that the model names, and whether they were found.
    pub textures: Vec<TextureStatus>,
    /// The Scene that was lowered; `None` when the file was written back as it was, and when nobody wanted to keep it.
    pub scene: Option<Scene>,
    /// How large the Scene was that was lowered; `None` when the file was written back as it was.
    pub drawn: Option<Drawn>,
    /// What the operations that were asked for did; `None` when there were none.
    pub changes: Option<Changes>,
}

/// How much of a Scene is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawn {
    /// Vertices, those of every instance counted.
    pub vertices: u64,
    /// Triangles, those of every instance counted.
    pub triangles: u64,
    /// From corner to corner of the box around it; `None` where nothing is drawn.
    pub diagonal: Option<f64>,
}

impl Drawn {
    fn of(scene: &Scene) -> Self {
        let (vertices, triangles) = crate::ops::drawn(scene);
        let bounds = Pose::rest(scene).bounds(scene);
        Self { vertices, triangles, diagonal: bounds.map(|bounds| f64::from(bounds.diagonal())) }
    }
}

/// What operations did.
#[derive(Clone, Debug)]
pub struct Changes {
    /// How much there was before the first.
    pub before: SceneSize,
    /// How much there is after the last.
    pub after: SceneSize,
    /// What each did, in their order. The conversion's report lists it as what was asked for.
    pub steps: Vec<(Op, OpReport)>,
}

/// Converts the bytes of the file called `name` to the format `to`.
pub fn convert(
    bytes: &[u8],
    name: Option<&str>,
    to: &'static Format,
    options: &ConvertOptions<'_>,
) -> Result<Conversion, Failed> {
    let opened = open(bytes, name, options, &options.read)?;
    convert_opened(opened, name, to, options)
}

/// The same with bytes that are let go of as soon as they are read, unless somebody else holds them too.
pub fn convert_shared(
    bytes: SharedBytes,
    name: Option<&str>,
    to: &'static Format,
    options: &ConvertOptions<'_>,
) -> Result<Conversion, Failed> {
    let read = ReadOptions { shared: Some(bytes.clone()), ..options.read.clone() };
    let opened = open(&bytes, name, options, &read)?;
    drop((bytes, read));
    convert_opened(opened, name, to, options)
}

/// A source that was read.
struct Opened {
    from: &'static Format,
    model: Box<dyn FileModel>,
    issues: Issues,
}

fn open(
    bytes: &[u8],
    name: Option<&str>,
    options: &ConvertOptions<'_>,
    read: &ReadOptions<'_>,
) -> Result<Opened, Failed> {
    let (from, warning) = match options.from {
        Some(format) => (format, None),
        None => Format::detect(bytes, name).map_err(|issue| Failed::of(None, issue))?,
    };
    let mut reading = from.open(bytes, read);
    reading.issues.extend(warning);
    match reading.model {
        Some(model) => Ok(Opened { from, model, issues: reading.issues }),
        None => Err(Failed { from: Some(from), issues: reading.issues }),
    }
}

fn convert_opened(
    Opened { from, model, mut issues }: Opened,
    name: Option<&str>,
    to: &'static Format,
    options: &ConvertOptions<'_>,
) -> Result<Conversion, Failed> {
    let result = if from == to && !options.changes_the_model(name) {
        write_back(model.as_ref(), options, &mut issues)
    } else {
        through_scene(model, to, options, &mut issues)
    };
    finished(from, to, result, issues)
}

/// Refuses a damaged source where only whole ones are wanted.
fn insist(options: &ConvertOptions<'_>, issues: &Issues) -> Result<(), Issue> {
    if options.strict && issues.is_damaged() { Err(refused(issues)) } else { Ok(()) }
}

/// Why a damaged source is not converted.
fn refused(issues: &Issues) -> Issue {
    let damage: Vec<String> = issues.damage().map(ToString::to_string).collect();
    let what = if damage.is_empty() { "it has errors".to_owned() } else { damage.join(", ") };
    Issue::new(&DAMAGED_SOURCE, "", format!("the source is damaged: {what}"))
}

/// The conversion with what was found on the way, or why there is none. What the source lacks is a loss like others.
fn finished(
    from: &'static Format,
    to: &'static Format,
    result: Result<Done, Issue>,
    mut issues: Issues,
) -> Result<Conversion, Failed> {
    match result {
        Ok(Done { output, losses: of_target, engine, textures, scene, drawn, changes }) => {
            let mut losses = LossReport::new();
            losses.damaged(&issues);
            losses.put_into_scene(&issues);
            if drawn.is_some() {
                losses.left_out(&issues);
            }
            losses.append(of_target);
            Ok(Conversion { from, to, output, issues, losses, engine, textures, scene, drawn, changes })
        }
        Err(issue) => {
            issues.push(issue);
            Err(Failed { from: Some(from), issues })
        }
    }
}

/// Converts a file that is read piece by piece and never in memory as a whole: for formats that can ([`Format::stream`]),
/// to another format. The length is that of the file, where it is known.
pub fn convert_stream(
    source: &mut dyn std::io::Read,
    length: Option<u64>,
    from: &'static Format,
    to: &'static Format,
    options: &ConvertOptions<'_>,
) -> Result<Conversion, Failed> {
    let mut issues = Issues::default();
    let result = match from.stream {
        Some(stream) => stream(source, length, &options.read),
        None => Err(Issue::new(&NO_STREAM, "", format!("{} is read as a whole only", from.name))),
    };
    let done = result.and_then(|streamed| {
        issues.append(streamed.issues);
        insist(options, &issues)?;
        from_scene(streamed.scene, Some(from), to, options)
    });
    finished(from, to, done, issues)
}

impl ConvertOptions<'_> {
    /// Whether the file cannot simply be written back.
    fn changes_the_model(&self, name: Option<&str>) -> bool {
        let extension =
            |name: &str| name.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
        let other_container = !self.write.extension.is_empty()
            && name.and_then(extension).is_some_and(|from| from != self.write.extension.to_ascii_lowercase());
        self.rebuild
            || self.scale.is_some()
            || !self.ops.is_empty()
            || self.flip_v
            || self.read.fps.is_some()
            || self.write.embed_textures.is_some()
            || self.write.missing_textures == MissingTextures::Placeholder
            || !self.read.settings.is_empty()
            || !self.write.settings.is_empty()
            || other_container
    }
}

struct Done {
    output: Output,
    losses: LossReport,
    engine: Issues,
    textures: Vec<TextureStatus>,
    scene: Option<Scene>,
    drawn: Option<Drawn>,
    changes: Option<Changes>,
}

fn write_back(
    model: &dyn FileModel,
    options: &ConvertOptions<'_>,
    issues: &mut Issues,
) -> Result<Done, Issue> {
    let output = model.write()?;
    // Which textures there are and what is damaged is worth saying even though nothing is done with it. A file need not
    // be understood to be written back.
    let mut textures = Vec::new();
    if let Ok(mut lifted) = model.lift(&options.read) {
        locate(model, &options.read.limits, &mut lifted.issues);
        issues.append(lifted.issues);
        textures = resolve_textures_within(&mut lifted.scene, options.read.files, &options.read.limits);
    }
    insist(options, issues)?;
    let mut engine = in_engine(model, options);
    locate_in(model, &output, &options.read.limits, &mut engine);
    let losses = LossReport::new();
    Ok(Done { output, losses, engine, textures, scene: None, drawn: None, changes: None })
}

/// What the original engine does with a result; nothing where it was written for the document alone.
fn in_engine(model: &dyn FileModel, options: &ConvertOptions<'_>) -> Issues {
    let mut issues = Issues::new(options.read.limits.issues_per_code);
    if options.write.purpose.serves_engine() {
        model.check_engine(&options.read.limits, &mut issues);
    }
    issues
}

/// The bytes of a result, with what the engine does with it found in them.
fn written(
    model: Box<dyn FileModel>,
    options: &ConvertOptions<'_>,
    engine: &mut Issues,
) -> Result<Output, Issue> {
    if !engine.needs_locating() {
        return model.into_output();
    }
    let output = model.write()?;
    locate_in(model.as_ref(), &output, &options.read.limits, engine);
    Ok(output)
}

/// A format without instances needs every mesh as often as it is shown; a small file may ask for gigabytes so.
fn can_be_written_out(scene: &Scene, to: &Format, limits: &Limits) -> Result<(), Issue> {
    let (vertices, triangles) = crate::ops::drawn(scene);
    let most = vertices.max(triangles);
    if most <= limits.drawn {
        return Ok(());
    }
    let message = format!(
        "{} has no instances: written out, the model would have {vertices} vertices and {triangles} triangles, more than \
         the limit of {} (drawn)",
        to.name, limits.drawn
    );
    Err(Issue::new(&LIMIT, "nodes", message))
}

/// The file model of a Scene, which is valid. What a Scene keeps of a format's files may come from anywhere: it is written
/// only if that gives a valid file.
fn lowered(
    scene: CheckedScene<'_>,
    to: &'static Format,
    options: &WriteOptions,
    losses: &mut LossReport,
) -> Result<Box<dyn FileModel>, Issue> {
    let mut own = LossReport::new();
    let model = (to.lower)(scene, options, &mut own)?;
    let Err(invalid) = valid(model.as_ref(), &options.limits) else {
        losses.append(own);
        return Ok(model);
    };
    if !has_notes(&scene, to) {
        return Err(invalid);
    }
    drop(model);
    of_lowering(scene.scene(), to, &options.limits)?;
    let mut plain = scene.scene().clone();
    forget_notes(&mut plain, to);
    let plain = check(&plain).map_err(|broken| Issue::new(&SCENE_RULE, broken.path, broken.message))?;
    let message = format!("what is kept about a {} file does not fit together and was not used", to.name);
    losses.approximated(Aspect::Extras, "extras", message);
    let model = (to.lower)(plain, options, losses)?;
    valid(model.as_ref(), &options.limits)?;
    Ok(model)
}

/// What is written is valid: a result that breaks its own format's rules is a fault of the writer, and is not written.
fn valid(model: &dyn FileModel, limits: &Limits) -> Result<(), Issue> {
    let mut issues = Issues::new(limits.issues_per_code);
    model.check(limits, &mut issues);
    match issues.iter().find(|issue| issue.severity == Severity::Error) {
        Some(issue) => Err(Issue::new(
            &INVALID_RESULT,
            issue.path.clone(),
            format!("the result would not be valid: {} [{}]", issue.message, issue.code),
        )),
        None => Ok(()),
    }
}

fn through_scene(
    model: Box<dyn FileModel>,
    to: &'static Format,
    options: &ConvertOptions<'_>,
    issues: &mut Issues,
) -> Result<Done, Issue> {
    let mut lifted = model.lift(&options.read)?;
    locate(model.as_ref(), &options.read.limits, &mut lifted.issues);
    issues.append(lifted.issues);
    insist(options, issues)?;
    let from = model.format();
    // The Scene has all that is needed of it.
    drop(model);
    from_scene(lifted.scene, Some(from), to, options)
}

/// Writes a Scene in a format: the file with what belongs beside it, and what that cost.
pub fn lower(
    scene: Scene,
    to: &'static Format,
    options: &WriteOptions,
) -> Result<(Output, LossReport), Issue> {
    let read = ReadOptions { limits: options.limits.clone(), ..ReadOptions::default() };
    let options = ConvertOptions { write: options.clone(), read, ..ConvertOptions::default() };
    let done = from_scene(scene, None, to, &options)?;
    Ok((done.output, done.losses))
}

/// Changes a Scene as the options ask, and writes it.
fn from_scene(
    mut scene: Scene,
    from: Option<&'static Format>,
    to: &'static Format,
    options: &ConvertOptions<'_>,
) -> Result<Done, Issue> {
    if let Some(factor) = options.scale {
        crate::ops::scale(&mut scene, factor);
    }
    if options.flip_v {
        crate::ops::flip_v(&mut scene);
    }
    let textures = resolve_textures_within(&mut scene, options.read.files, &options.read.limits);
    let mut losses = LossReport::new();
    let changes = apply(&options.ops, &mut scene, &options.read.limits, &mut losses)?;
    if from == Some(to) && losses.requested().next().is_some() {
        // Forms of faces, raw keys and the like are used again only as far as they still fit.
        let message = format!("what {} keeps about what was changed is made anew", to.name);
        let mut anew = LossReport::new();
        anew.approximated(Aspect::Extras, "", message.clone());
        anew.approximated(Aspect::CustomAttributes, "", message);
        losses.append_requested(anew);
    }
    let embed = to.capabilities.embeds_textures && options.write.embed_textures.unwrap_or(true);
    hidden::treat(&mut scene, to, options.hidden, &mut losses);
    pictures::suit(&mut scene, from, to, options, &mut losses);
    let missing = options.write.missing_textures;
    pictures::stand_in(&mut scene, &textures, (to, embed), missing, &mut losses);
    let beside = match embed && !options.write.keeps_pictures_beside() {
        true => Vec::new(),
        false => {
            let bytes = scene.images.values().filter_map(|image| image.data.as_deref()).map(<[u8]>::len);
            options.read.limits.take(bytes.sum::<usize>() as u64)?;
            pictures::put_beside(&mut scene, to, options, &mut losses)
        }
    };
    if !to.capabilities.instances {
        can_be_written_out(&scene, to, &options.read.limits)?;
    }
    let checked = check(&scene).map_err(|broken| Issue::new(&SCENE_RULE, broken.path, broken.message))?;
    of_lowering(&scene, to, &options.read.limits)?;
    let write = WriteOptions { limits: options.read.limits.clone(), ..options.write.clone() };
    let lowered = lowered(checked, to, &write, &mut losses)?;
    let settling = (options.write.purpose, &options.read.limits);
    settle_within(checked, lowered.as_ref(), settling, &mut losses);
    let drawn = Some(Drawn::of(&scene));
    let scene = (!options.forget_scene).then_some(scene);
    let mut engine = in_engine(lowered.as_ref(), options);
    let referred = pictures::only_referred(beside, lowered.as_ref(), options);
    let mut output = written(lowered, options, &mut engine)?;
    for (name, bytes) in referred {
        if !output.beside.iter().any(|(known, _)| pictures::base_name(known) == name) {
            output.beside.push((name, bytes));
        }
    }
    let beside = output.beside.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
    options.read.limits.writes(beside.saturating_add(output.bytes.len() as u64))?;
    Ok(Done { output, losses, engine, textures, scene, drawn, changes })
}

/// Applies operations one after the other; what they changed was asked for and is reported as such.
fn apply(
    ops: &[Op],
    scene: &mut Scene,
    limits: &Limits,
    losses: &mut LossReport,
) -> Result<Option<Changes>, Issue> {
    if ops.is_empty() {
        return Ok(None);
    }
    let before = SceneSize::of(scene);
    let mut steps = Vec::with_capacity(ops.len());
    for op in ops {
        if let Some(problem) = op.problem(scene) {
            return Err(Issue::new(&OPERATION, "", format!("{}: {problem}", op.name())));
        }
        let report = op.apply_within(scene, limits)?;
        losses.append_requested(report.losses.clone());
        steps.push((op.clone(), report));
    }
    Ok(Some(Changes { before, after: SceneSize::of(scene), steps }))
}

crate::diag::code! {
    OPERATION = Error "convert/operation": "an operation that was asked for cannot be done to this model",
        document: "What operations need is menagerie's own rule: the animation whose pose is baked must be there.",
        why: "The result would not be what was asked for, so nothing is written.",
        fix: "See with menagerie info what the model has, and ask for that.";
    INVALID_RESULT = Error "convert/invalid-result": "the result would break the rules of its own format",
        document: "The rules are those of the target's document, as validate checks them.",
        why: "A file that its own format does not allow is worse than none, so nothing is written.",
        fix: "Please report it with the file: the writer should have kept the rules.";
    DAMAGED_SOURCE = Error "convert/damaged": "the source is damaged, and only whole files were asked for",
        document: "What a damaged file has lost is listed with codes and bytes before this message.",
        why: "A conversion would lack what the source lacks.",
        fix: "Get the source again from where it came, or convert without --strict what can still be had.";
    PICTURE_MISSING = Warning "file/picture-missing": "a picture that the model names was not found",
        document: "The formats refer to pictures by name; where they lie is for the program that shows the model.",
        why: "Surfaces with it are plain, or the model is refused by programs that insist on their pictures.",
        fix: "Put the picture beside the model, name its folder with --texture-dir, or say which file it is with --texture.";
    PICTURE_NOTED = Info "file/picture-noted": "a picture that was not found when the file was written is kept by name",
        document: "The formats are silent; menagerie keeps such names in the extras, so that they come back where they can be used.",
        why: "Nothing in the file refers to the picture, so every program opens it; surfaces with it are plain.",
        fix: "Put the picture beside the model that this file was made from, and convert it again.";
    NO_STREAM = Error "convert/no-stream": "a file of this format has to be read as a whole",
        document: "Only formats of large meshes are read piece by piece.",
        why: "The conversion that was asked for cannot be done in this way.",
        fix: "Read the file into memory first.";
    SCENE_RULE = Error "convert/scene-rule": "the model breaks a rule that every writer relies on",
        document: "The rule is menagerie's own: indices in range, finite numbers, unit normals, a tree without cycles.",
        why: "Writing it would give a broken file, so nothing is written.",
        fix: "Please report it with the file: reading should have repaired or refused this.";
}
