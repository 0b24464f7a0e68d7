use super::model::Model;
use crate::formats::{Lifted, ReadOptions};
/// The Scene that a model means.
pub fn lift(_model: &Model, _options: &ReadOptions<'_>) -> Lifted {
    Lifted::default()
}
