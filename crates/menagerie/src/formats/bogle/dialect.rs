//! Which form of the format a file has, in words.

use super::geometry::{BoneEncoding, Geometry};
use super::model::Model;

impl Model {
    /// What tells exporters apart: how bone indices are stored, and the type of cameras, which changed late in 2021.
    pub fn dialect(&self) -> Option<String> {
        let bones = self.geometries.iter().find_map(Geometry::bone_encoding).map(|encoding| match encoding {
            BoneEncoding::Float => "bone indices as floats, as the exporter writes them",
            BoneEncoding::Integer => "bone indices as integers, as the document has them",
        });
        let cameras = self.cameras.first().map(|camera| match camera.kind {
            0 => "cameras of type 0, of exporters from November 2021 on",
            _ => "cameras of type 1, of exporters before November 2021",
        });
        let marks: Vec<&str> = bones.into_iter().chain(cameras).collect();
        (!marks.is_empty()).then(|| marks.join("; "))
    }
}
