//! An OBJ file as it is: its text, and the libraries that it names.

use std::sync::{Arc, OnceLock};

use super::gather::Gathered;
use super::parse::mtl::Entry;
use super::read::gathered_again;
use crate::bytes::SharedBytes;
use crate::formats::Summary;

/// An OBJ file as it is: its text, what was found in it, and the libraries that it names.
#[derive(Clone, Debug)]
pub struct Model {
    /// The text as it is.
    pub(super) text: SharedBytes,
    /// Of text that was made here only once somebody asks.
    pub(super) gathered: OnceLock<Gathered>,
    /// The libraries that were found.
    pub(super) libraries: Vec<Library>,
    /// The materials of all of them.
    pub(super) entries: Vec<Entry>,
}

/// A material library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Library {
    /// The name as the model has it.
    pub name: String,
    /// The text as it is.
    pub text: Arc<[u8]>,
}

impl PartialEq for Model {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.libraries == other.libraries && self.entries == other.entries
    }
}

impl Model {
    /// What is in the text.
    pub(super) fn gathered(&self) -> &Gathered {
        self.gathered.get_or_init(|| gathered_again(&self.text))
    }

    /// The material libraries that were found.
    pub fn libraries(&self) -> &[Library] {
        &self.libraries
    }

    /// What is in it.
    pub fn summary(&self) -> Summary {
        summary(self.gathered())
    }
}

pub(super) fn summary(gathered: &Gathered) -> Summary {
    Summary {
        profile: None,
        contents: vec![
            ("vertices", gathered.positions.len()),
            ("texture_coordinates", gathered.uvs.len()),
            ("normals", gathered.normals.len()),
            ("faces", gathered.faces),
            ("lines", gathered.lines),
            ("points", gathered.points),
            ("objects", gathered.objects.len()),
            ("groups", gathered.groups.len()),
            ("materials", gathered.materials.len()),
        ],
        vertices: gathered.positions.len(),
        triangles: gathered.triangles,
    }
}
