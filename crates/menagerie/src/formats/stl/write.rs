//! File model to bytes, with the byte map.

use super::model::{Ascii, Binary, FACET, Model};
use crate::bytes::{ByteMap, Writer};
use crate::formats::text_lines;

impl Binary {
    fn write_to(&self, w: &mut Writer) {
        w.text("header", &self.header);
        w.u32(
            "count",
            self.stated_count.unwrap_or_else(|| u32::try_from(self.facets.len()).unwrap_or(u32::MAX)),
        );
        w.table("facets", &FACET, &self.facets);
        w.unused("trailing", &self.trailing);
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer =
            Writer::with_capacity(super::FACETS + self.facets.len() * super::FACET + self.trailing.len());
        self.write_to(&mut writer);
        writer.finish().0
    }
}

impl Ascii {
    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.text.clone()
    }
}

impl Model {
    /// What each byte of the file is.
    pub(super) fn byte_map(&self) -> ByteMap {
        match self {
            Self::Ascii(ascii) => text_lines(&ascii.text),
            Self::Binary(binary) => Writer::map_of(|w| binary.write_to(w)),
        }
    }

    /// The bytes of the file.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Binary(binary) => binary.to_bytes(),
            Self::Ascii(ascii) => ascii.to_bytes(),
        }
    }
}
