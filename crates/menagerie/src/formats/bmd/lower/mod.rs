//! Scene to BMD.
use super::model::Model;
use crate::diag::{Issue, LossReport};
use crate::formats::{FileModel, WriteOptions};
use crate::scene::CheckedScene;

/// Makes a file model for the registry.
pub(super) fn open(
    scene: CheckedScene<'_>,
    options: &WriteOptions,
    losses: &mut LossReport,
) -> Result<Box<dyn FileModel>, Issue> {
    Ok(Box::new(lower(scene, options, losses)))
}

/// Makes a file model of a Scene, and reports what that cost.
pub fn lower(_scene: CheckedScene<'_>, _options: &WriteOptions, _losses: &mut LossReport) -> Model {
    Model::default()
}
