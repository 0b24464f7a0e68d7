//! A model that is read and ready to be drawn.

use glam::Vec3;
use menagerie::convert::{SCENE_RULE, resolve_textures};
use menagerie::diag::{Issue, Severity};
use menagerie::formats::{Format, ReadOptions};
use menagerie::scene::{Scene, check};

use crate::inputs::Input;
use crate::opened;
use crate::options::Finding;

/// A Scene with its textures found, and what was wrong in reading it.
pub(super) struct Model {
    pub(super) format: &'static Format,
    pub(super) scene: Scene,
    pub(super) issues: Vec<Issue>,
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

impl Model {
    /// Reads an input, lifts it and finds its textures.
    pub(super) fn open(
        input: &Input,
        finding: &Finding,
        fps: Option<f32>,
        flip_v: bool,
    ) -> Result<Self, Unreadable> {
        let folders = opened::folders(input, finding);
        let mut options: ReadOptions<'_> = opened::read_options(&folders, finding);
        options.fps = fps;
        let opened = opened::open(input, finding, &options)?;
        let (format, mut issues) = (opened.format, opened.issues);
        let lifted = opened.model.map(|model| {
            let mut lifted = model.lift(&options)?;
            if lifted.issues.needs_locating() {
                lifted.issues.locate(&model.layout());
            }
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
        if flip_v {
            menagerie::ops::flip_v(&mut lifted.scene);
        }
        resolve_textures(&mut lifted.scene, options.files);
        check(&lifted.scene).map_err(|broken| format!("cannot be drawn: {broken} [{}]", SCENE_RULE.id))?;
        Ok(Self { format, scene: lifted.scene, issues: issues.into_sorted() })
    }
}

/// Where the front of a format's models looks, in the Scene.
pub(super) fn front(format: &Format) -> Vec3 {
    let axes = &format.axes;
    let sign = if axes.front.starts_with('-') { -1.0 } else { 1.0 };
    let axis = match axes.front.chars().last() {
        Some('X') => Vec3::X,
        Some('Y') => Vec3::Y,
        _ => Vec3::Z,
    };
    axes.turn.vec3(axis * sign)
}
