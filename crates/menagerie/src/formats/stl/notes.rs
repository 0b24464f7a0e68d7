//! What STL keeps in the extras of a Scene, so that a file comes back as it was. `lift` writes it and `lower` reads it.

use serde::{Deserialize, Serialize};

pub(super) use crate::formats::notes::Note;
use crate::formats::notes::note;

/// The words for the two forms.
pub(super) const ASCII: &str = "ascii";
pub(super) const BINARY: &str = "binary";

note! {
    /// Of the Scene.
    FileNote {
        /// Which form the file had.
        form: String,
        /// The 80 bytes that a binary file begins with.
        #[serde(with = "crate::formats::notes::hex::optional")]
        header: Vec<u8>,
    }
}

note! {
    /// Of a node.
    NodeNote {
        /// The bytes of the name, where they are not UTF-8.
        #[serde(with = "crate::formats::notes::hex::optional")]
        name_bytes: Vec<u8>,
    }
}
