//! Which exporter a file looks like, in words.

use super::added::MARK;
use super::model::{Mesh, Model};

/// Where the bytes behind the header begin that exporters leave zero.
const BEHIND_HEADER: u32 = 48;
/// The bytes that the last exporter leaves after every list.
const SPARE: usize = 8;

impl Model {
    /// Which of the three generations of the exporter laid the file out (`docs/formats/bmd.md`, "Dialects"). Readers need
    /// not know; archives may want to.
    pub fn dialect(&self) -> Option<String> {
        if self.other.get(&BEHIND_HEADER).is_some_and(|bytes| bytes.starts_with(&MARK)) {
            return Some("written by menagerie for the engine".to_owned());
        }
        if self.meshes.is_empty() || self.lods.is_empty() {
            return None;
        }
        let generation = if self.mesh_table.offset < self.lod_table.offset {
            "D0: the oldest exporter, meshes before levels of detail"
        } else if self.meshes.iter().all(|mesh| self.spares(mesh)) {
            "D2: the last exporter, with spare bytes after every list"
        } else {
            "D1: levels of detail before meshes, lists without spare bytes"
        };
        Some(generation.to_owned())
    }

    /// Whether at least eight bytes that nothing refers to follow both lists of a mesh.
    fn spares(&self, mesh: &Mesh) -> bool {
        let lists = [(mesh.vertices_at, mesh.vertex_bytes), (mesh.faces_at, mesh.face_bytes)];
        lists.into_iter().all(|(at, bytes)| {
            let behind = at.checked_add(bytes).and_then(|end| self.other.get(&end));
            behind.is_some_and(|spare| spare.len() >= SPARE)
        })
    }
}
