//! Which form of the format a file has, in words.

use super::model::Model;

impl Model {
    /// The version, and how wide the floats of vertices are.
    pub fn dialect(&self) -> Option<String> {
        Some(format!("version {}, {}-bit vertex floats", self.version, self.vfloat.bits()))
    }
}
