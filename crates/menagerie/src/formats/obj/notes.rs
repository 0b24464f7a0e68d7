//! What OBJ keeps in the extras of a Scene, so that a file comes back as it was. `lift` writes it and `lower` reads it.

use serde::{Deserialize, Serialize};

pub(super) use crate::formats::notes::Note;
use crate::formats::notes::note;

/// What a node is called that was a group.
pub(super) const GROUP: &str = "group";

note! {
    /// Of a node.
    NodeNote {
        /// The bytes of the name, where they are not UTF-8.
        #[serde(with = "crate::formats::notes::hex::optional")]
        name_bytes: Vec<u8>,
        /// That it was a group, and no object.
        kind: String,
    }
}

note! {
    /// Of a primitive.
    PrimitiveNote {
        /// The group within its object.
        group: String,
    }
}

note! {
    /// Of a material.
    MaterialNote {
        /// Lines that a Scene has no place for.
        lines: Vec<String>,
        /// The bytes of the name, where they are not UTF-8.
        #[serde(with = "crate::formats::notes::hex::optional")]
        name_bytes: Vec<u8>,
    }
}
