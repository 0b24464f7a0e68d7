//! A model that is read and ready to be drawn.

use menagerie::bytes::Limits;
use menagerie::convert::{OPERATION, SCENE_RULE, resolve_textures_within};
use menagerie::diag::{Issue, Severity};
use menagerie::formats::{Format, ReadOptions, locate};
use menagerie::scene::{Scene, check};

use crate::inputs::Input;
use crate::opened;
use crate::options::Finding;

/// A Scene with its textures found, and what was wrong in reading it.
pub(super) struct Model {
    pub(super) format: &'static Format,
    pub(super) scene: Scene,
    pub(super) issues: Vec<Issue>,
    /// What may still be taken for it.
    pub(super) limits: Limits,
}

/// Why there is no model.
#[derive(Default)]
pub(super) struct Unreadable {
    pub(super) format: Option<&'static Format>,
    pub(super) issues: Vec<Issue>,
    pub(super) error: String,
}

impl From<String> for Unreadable {
    fn from(error: String) -> Self {
        Self { error, ..Self::default() }
    }
}

/// How a model is read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    pub(super) fps: Option<f32>,
    pub(super) flip_v: bool,
    /// As the format's original engine shows it, in place of what its document says.
    pub(super) as_engine: bool,
}

impl Model {
    /// Reads an input, lifts it and finds its textures.
    pub(super) fn open(input: &Input, finding: &Finding, how: Reading) -> Result<Self, Unreadable> {
        let folders = opened::folders(input, finding);
        let mut options: ReadOptions<'_> = opened::read_options(&folders, finding);
        options.fps = how.fps;
        let opened = opened::open(input, finding, &options)?;
        let (format, mut issues) = (opened.format, opened.issues);
        let lifted = opened.model.map(|model| {
            let mut lifted = match how.as_engine {
                true => model.lift_as_engine(&options)?.ok_or_else(|| no_engine(model.format()))?,
                false => model.lift(&options)?,
            };
            locate(model.as_ref(), &options.limits, &mut lifted.issues);
            Ok(lifted)
        });
        let (Some(format), Some(lifted)) = (format, lifted) else {
            let why = issues.iter().find(|issue| issue.severity == Severity::Error);
            let error =
                why.map_or("cannot be read".to_owned(), |i| format!("cannot be read: {i} [{}]", i.code));
            return Err(Unreadable { format, issues: issues.into_sorted(), error });
        };
        let mut lifted =
            lifted.map_err(|issue: Issue| format!("cannot be read: {issue} [{}]", issue.code))?;
        issues.append(lifted.issues);
        if how.flip_v {
            menagerie::ops::flip_v(&mut lifted.scene);
        }
        resolve_textures_within(&mut lifted.scene, options.files, &options.limits);
        check(&lifted.scene).map_err(|broken| format!("cannot be drawn: {broken} [{}]", SCENE_RULE.id))?;
        Ok(Self { format, scene: lifted.scene, issues: issues.into_sorted(), limits: options.limits.clone() })
    }
}

/// No engine is known for a format.
fn no_engine(format: &Format) -> Issue {
    Issue::new(&OPERATION, "", format!("{} has no engine of its own that is known", format.name))
}
