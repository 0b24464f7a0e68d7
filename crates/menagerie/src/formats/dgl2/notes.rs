//! What DGL2 keeps in the extras of a Scene: all that only a DGL2 file knows, so that a file comes back as it was.
//!
//! `lift` writes these notes and `lower` reads them; nobody else does. Extras travel in glTF files and can be edited there,
//! so nothing in them is believed: a note that is not exactly of its shape is none, and `lower` uses what a note says only
//! where it still means what the Scene says.

use serde::{Deserialize, Serialize};

use super::FORMAT;
use super::surface::Pairs;
use crate::bytes::{decode_text, utf8_or_windows_1252};
use crate::formats::Format;
pub(super) use crate::formats::notes::{Hex, Note};

/// The name of an element.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Name {
    /// Its bytes, where they are not UTF-8.
    pub(super) bytes: Option<Vec<u8>>,
    /// The number that it was given because another element has the name too.
    pub(super) number: Option<i32>,
}

impl Name {
    /// The name of some bytes.
    pub(super) fn read(bytes: &[u8]) -> (String, Self) {
        let (text, utf8) = decode_text(bytes);
        (text, Self { bytes: (!utf8).then(|| bytes.to_vec()), number: None })
    }

    /// The bytes of a name: those that the file had, if they still mean the same.
    pub(super) fn write(self, name: &str) -> Vec<u8> {
        let kept = self.bytes.filter(|bytes| utf8_or_windows_1252(bytes) == name);
        let mut bytes = kept.unwrap_or_else(|| name.as_bytes().to_vec());
        if let Some(number) = self.number {
            bytes.extend(format!("#{number}").into_bytes());
        }
        bytes
    }
}

/// A chunk that means nothing to a Scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ChunkNote {
    #[serde(rename = "type")]
    pub(super) kind: u16,
    pub(super) id: i32,
    pub(super) name: Hex,
    pub(super) data: Hex,
}

/// Of the whole Scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct FileNote {
    /// Where v = 0 is in pictures, where that is not the top: `bottom`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) v: Option<String>,
    /// Chunks of reserved types.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) unknown_chunks: Vec<ChunkNote>,
    /// The END chunk, where it has what the document does not give it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end: Option<ChunkNote>,
}

/// Of the shown scene: the HEADER chunk.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct HeaderNote {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(with = "crate::formats::notes::hex::optional")]
    pub(super) name_bytes: Option<Vec<u8>>,
    #[serde(skip_serializing_if = "Hex::is_empty")]
    pub(super) header_data: Hex,
    /// Its id, where that is not -1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) header_id: Option<i32>,
    /// Whether there is none.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) no_header: bool,
}

/// Of a node: an entity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct EntityNote {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(with = "crate::formats::notes::hex::optional")]
    pub(super) name_bytes: Option<Vec<u8>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) numbered: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<i32>,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub(super) kind: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) material_id: Option<i32>,
    /// The id of a mesh that does not exist.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mesh_id: Option<i32>,
    /// Bytes after the text.
    #[serde(skip_serializing_if = "Hex::is_empty")]
    pub(super) after: Hex,
    /// The properties in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) properties: Option<Pairs>,
    /// Whether they are in braces.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) braced: bool,
}

/// Of a mesh: a TRIMESH.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct MeshNote {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(with = "crate::formats::notes::hex::optional")]
    pub(super) name_bytes: Option<Vec<u8>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) numbered: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<i32>,
    /// The material of the entity, for a mesh that is only another with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) with_material: Option<i32>,
}

/// Of a primitive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PrimitiveNote {
    /// The id of the material of its triangles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) material_id: Option<i32>,
}

/// Of a material.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct MaterialNote {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(with = "crate::formats::notes::hex::optional")]
    pub(super) name_bytes: Option<Vec<u8>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) numbered: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<i32>,
    /// The properties in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) properties: Option<Pairs>,
    /// Whether they are in braces.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) braced: bool,
    /// Bytes after the text.
    #[serde(skip_serializing_if = "Hex::is_empty")]
    pub(super) after: Hex,
    /// Whether the text has no size before it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) bare: bool,
}

impl Note for FileNote {
    const FORMAT: &'static Format = &FORMAT;
}
impl Note for HeaderNote {
    const FORMAT: &'static Format = &FORMAT;
}
impl Note for EntityNote {
    const FORMAT: &'static Format = &FORMAT;
}
impl Note for MeshNote {
    const FORMAT: &'static Format = &FORMAT;
}
impl Note for PrimitiveNote {
    const FORMAT: &'static Format = &FORMAT;
}
impl Note for MaterialNote {
    const FORMAT: &'static Format = &FORMAT;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Extras;

    #[test]
    fn notes_come_back_and_others_are_none() {
        let properties = Some(vec![("visible".to_owned(), "1".to_owned())]);
        let note = EntityNote { id: Some(-4), after: Hex(vec![0, 255]), properties, ..EntityNote::default() };
        let mut extras = Extras::default();
        note.keep(&mut extras);
        assert_eq!(EntityNote::of(&extras), note);
        for wrong in ["{\"id\":1e20}", "{\"after\":\"0g\"}", "{\"else\":1}", "[]"] {
            extras.set_all(FORMAT.id, serde_json::from_str(wrong).unwrap());
            assert_eq!(EntityNote::of(&extras), EntityNote::default(), "{wrong}");
        }
    }
}
