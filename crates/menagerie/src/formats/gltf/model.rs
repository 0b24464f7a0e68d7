//! A glTF file as it is: its bytes, and what its JSON says.

use std::ops::Range;
use std::sync::Arc;

use super::json::Document;
use super::locate;
use crate::bytes::{SharedBytes, Span};
use crate::diag::{Code, Issue, Issues};
use crate::formats::Summary;

/// A glTF file: its bytes as they are, and what its JSON says.
///
/// The bytes are kept whole, so that an unchanged file is written back as it was; the document beside them is what
/// they mean. A model made from a Scene has the bytes that were made for it.
#[derive(Clone, Debug)]
pub struct Model {
    /// The whole file.
    pub(super) bytes: SharedBytes,
    /// The JSON text in it.
    pub(super) json: Range<usize>,
    /// How it is packed.
    pub(super) container: Container,
    /// The parsed JSON.
    pub(super) document: Document,
    /// The bytes of each of the document's buffers.
    pub(super) buffers: Vec<BufferBytes>,
    /// Files that belong to it and are written beside it.
    pub(super) beside: Vec<(String, Arc<[u8]>)>,
}

/// How a file is packed.
#[derive(Clone, Debug, PartialEq)]
pub enum Container {
    /// JSON alone, in a `.gltf`.
    Text,
    /// JSON and bytes together, in a `.glb`.
    Glb {
        /// The chunks in their order.
        chunks: Vec<Chunk>,
    },
}

/// A chunk of a GLB.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// What it is: [`JSON_CHUNK`], [`BIN_CHUNK`] or something unknown.
    pub kind: u32,
    /// Where its data is in the file, as far as the file goes.
    pub data: Range<usize>,
}

/// The kind of the chunk with the JSON.
pub const JSON_CHUNK: u32 = 0x4E4F_534A;
/// The kind of the chunk with the bytes.
pub const BIN_CHUNK: u32 = 0x004E_4942;

/// Where the bytes of a buffer are.
#[derive(Clone, Debug)]
pub(super) enum BufferBytes {
    /// In the file itself.
    Inside(Range<usize>),
    /// In another file, or decoded from the JSON.
    Own(Arc<[u8]>),
    /// Not to be had; an issue says why.
    Missing,
}

impl Model {
    /// What the JSON says.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// How the file is packed.
    pub fn container(&self) -> &Container {
        &self.container
    }

    /// The bytes of a buffer, as many as it is said to have and has.
    pub fn buffer(&self, index: u32) -> Option<&[u8]> {
        let stated = self.document.buffers.get(index as usize)?.byte_length;
        let bytes = match self.buffers.get(index as usize)? {
            BufferBytes::Inside(range) => self.bytes.get(range.clone())?,
            BufferBytes::Own(bytes) => bytes,
            BufferBytes::Missing => return None,
        };
        let length = usize::try_from(stated).unwrap_or(usize::MAX).min(bytes.len());
        bytes.get(..length)
    }

    /// The bytes of a buffer view, unless it reaches past its buffer.
    pub fn view(&self, index: u32) -> Option<&[u8]> {
        let view = self.document.buffer_views.get(index as usize)?;
        self.view_start(index).filter(|bytes| bytes.len() as u64 == view.byte_length)
    }

    /// The bytes of a buffer view as far as they are there: a file that was cut off has the beginning of one.
    pub(super) fn view_start(&self, index: u32) -> Option<&[u8]> {
        let view = self.document.buffer_views.get(index as usize)?;
        let start = usize::try_from(view.byte_offset.unwrap_or(0)).ok()?;
        let end = start.checked_add(usize::try_from(view.byte_length).ok()?)?;
        let buffer = self.buffer(view.buffer)?;
        buffer.get(start..end.min(buffer.len()))
    }

    /// Where in the file a part of a buffer view is; `None` when the buffer is not in the file itself.
    pub(super) fn span_of_view(&self, index: u32, offset: usize, length: usize) -> Option<Span> {
        let view = self.document.buffer_views.get(index as usize)?;
        let BufferBytes::Inside(range) = self.buffers.get(view.buffer as usize)? else { return None };
        let start = usize::try_from(view.byte_offset.unwrap_or(0)).ok()?;
        let start = range.start.checked_add(start)?.checked_add(offset)?;
        Some(Span::new(start.min(range.end), start.checked_add(length)?.min(range.end)))
    }

    /// The bytes of the JSON element at a pointer.
    pub(super) fn span_of(&self, pointer: &str) -> Span {
        let text = self.bytes.get(self.json.clone()).unwrap_or_default();
        let found = locate::find(text, pointer).unwrap_or(0..text.len());
        Span::new(self.json.start + found.start, self.json.start + found.end)
    }

    /// Reports a problem of the JSON element at a pointer.
    pub(super) fn report(
        &self,
        issues: &mut Issues,
        code: &'static Code,
        pointer: impl FnOnce() -> String,
        message: impl FnOnce() -> String,
    ) {
        issues.push_with(code, || {
            let pointer = pointer();
            let span = self.span_of(&pointer);
            Issue::new(code, pointer, message()).at(span)
        });
    }

    /// What is in it.
    pub fn summary(&self) -> Summary {
        let d = &self.document;
        let primitives = || d.meshes.iter().flat_map(|mesh| &mesh.primitives);
        let count = |accessor: u32| {
            d.accessors.get(accessor as usize).map_or(0, |a| usize::try_from(a.count).unwrap_or(usize::MAX))
        };
        let mut positions: Vec<u32> = primitives().filter_map(|p| p.attributes.get("POSITION")).collect();
        positions.sort_unstable();
        positions.dedup();
        let triangles = primitives().map(|p| {
            let drawn = p.indices.or_else(|| p.attributes.get("POSITION")).map_or(0, count);
            match p.mode.unwrap_or(4) {
                4 => drawn / 3,
                5 | 6 => drawn.saturating_sub(2),
                _ => 0,
            }
        });
        let lights = d.extensions.get("KHR_lights_punctual").and_then(|e| e.get("lights"));
        Summary {
            profile: None,
            contents: vec![
                ("scenes", d.scenes.len()),
                ("nodes", d.nodes.len()),
                ("meshes", d.meshes.len()),
                ("primitives", primitives().count()),
                ("materials", d.materials.len()),
                ("textures", d.textures.len()),
                ("images", d.images.len()),
                ("cameras", d.cameras.len()),
                ("lights", lights.and_then(|l| l.as_array()).map_or(0, Vec::len)),
                ("skins", d.skins.len()),
                ("animations", d.animations.len()),
            ],
            vertices: positions.into_iter().map(count).fold(0, usize::saturating_add),
            triangles: triangles.fold(0, usize::saturating_add),
        }
    }
}
