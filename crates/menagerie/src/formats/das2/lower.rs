use super::model::Model;
use crate::diag::{Issue, LossReport};
use crate::formats::{FileModel, WriteOptions};
use crate::scene::CheckedScene;
/// Makes a file model for the registry.
pub(super) fn open(s: CheckedScene<'_>, o: &WriteOptions, l: &mut LossReport) -> Result<Box<dyn FileModel>, Issue> {
    Ok(Box::new(lower(s, o, l)?))
}
/// x
pub fn lower(_: CheckedScene<'_>, _: &WriteOptions, _: &mut LossReport) -> Result<Model, Issue> {
    Err(Issue::new(&super::codes::PACK, "", ""))
}
