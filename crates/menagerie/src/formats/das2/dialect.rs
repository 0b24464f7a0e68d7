//! Which form of the format a file has, in words.

use super::model::{Framing, Model, Numbering, Profile};

impl Model {
    /// The profile, and within it what is left open: the numbering of records and how they are packed.
    pub fn dialect(&self) -> Option<String> {
        let profile = match self.profile {
            Profile::Spec => "spec: the document's layout",
            Profile::Libdas2 => "libdas2: the layout of the format's own library",
        };
        let numbering = match self.numbering {
            Numbering::Headings => "",
            Numbering::Tables => ", records numbered as in its tables",
        };
        let packed = match self.framing {
            Framing::Raw => "not compressed",
            Framing::Zlib { .. } => "zlib",
            Framing::Zstd { .. } => "zstd",
        };
        Some(format!("{profile}{numbering}, {packed}"))
    }
}
