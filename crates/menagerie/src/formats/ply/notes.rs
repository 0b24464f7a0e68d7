//! What PLY keeps in the extras of a Scene, so that a file comes back as it was. `lift` writes it and `lower` reads it.

use serde::{Deserialize, Serialize};

pub(super) use crate::formats::notes::Note;
use crate::formats::notes::note;

note! {
    /// Of the Scene: lines of the header that mean nothing for the model.
    HeaderNote {
        comments: Vec<String>,
        obj_info: Vec<String>,
    }
}
