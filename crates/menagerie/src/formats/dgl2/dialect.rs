//! Which form of the format a file has, in words.

use super::model::{ChunkData, MaterialData, Model};

impl Model {
    /// Which exporter wrote the property texts: that of 2015 put them in braces, that of 2016 did not; and whether
    /// materials have the bare text that the document describes, which no exporter wrote.
    pub fn dialect(&self) -> Option<String> {
        let texts = self.chunks.iter().filter_map(|chunk| match &chunk.data {
            ChunkData::Material(material) => Some(material.text()),
            ChunkData::Entity(entity) => Some(entity.properties.text.as_slice()),
            _ => None,
        });
        let (mut braced, mut plain) = (false, false);
        for text in texts.filter(|text| !text.is_empty()) {
            match text.trim_ascii_start().starts_with(b"{") {
                true => braced = true,
                false => plain = true,
            }
        }
        let year = match (braced, plain) {
            (true, false) => Some("texts in braces, of exporters of 2015"),
            (false, true) => Some("texts without braces, of exporters from December 2015 on"),
            (true, true) => Some("texts with and without braces"),
            (false, false) => None,
        };
        let bare =
            self.materials().any(|(_, _, data)| matches!(data, MaterialData::Bare(text) if !text.is_empty()));
        let bare = bare.then_some("materials as the document has them, without a size");
        let marks: Vec<&str> = year.into_iter().chain(bare).collect();
        (!marks.is_empty()).then(|| marks.join("; "))
    }
}
