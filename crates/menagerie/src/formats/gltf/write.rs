//! File model to bytes, with the byte map of chunks and JSON.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use super::json::Document;
use super::locate;
use super::lower::Bin;
use super::model::{BIN_CHUNK, BufferBytes, Chunk, Container, JSON_CHUNK, Model};
use crate::bytes::{ByteMap, FieldType, MapNode, Span};

impl Model {
    /// A GLB of a document and the bytes of its first buffer.
    pub(super) fn glb(document: Document, bin: &Bin<'_>) -> Result<Self, serde_json::Error> {
        let mut json = serde_json::to_vec(&document)?;
        json.resize(json.len().next_multiple_of(4), b' ');
        let padded = bin.len().next_multiple_of(4);
        let binary = if bin.len() == 0 { 0 } else { 8 + padded };
        let mut bytes = Vec::with_capacity(20 + json.len() + binary);
        let header = [2, 20 + json.len() + binary, json.len(), JSON_CHUNK as usize];
        bytes.extend_from_slice(&super::MAGIC);
        bytes.extend(header.iter().flat_map(|word| (*word as u32).to_le_bytes()));
        let text = bytes.len()..bytes.len() + json.len();
        bytes.extend_from_slice(&json);
        let mut chunks = vec![Chunk { kind: JSON_CHUNK, data: text.clone() }];
        if bin.len() > 0 {
            bytes.extend([padded as u32, BIN_CHUNK].iter().flat_map(|word| word.to_le_bytes()));
            let start = bytes.len();
            bin.append_to(&mut bytes);
            bytes.resize(start + padded, 0);
            chunks.push(Chunk { kind: BIN_CHUNK, data: start..bytes.len() });
        }
        let buffers =
            chunks.get(1).map(|chunk| BufferBytes::Inside(chunk.data.clone())).into_iter().collect();
        let container = Container::Glb { chunks };
        Ok(Self { bytes: bytes.into(), json: text, container, document, buffers, beside: Vec::new() })
    }

    /// A `.gltf` of a document whose first buffer is a file beside it.
    pub(super) fn text(
        document: Document,
        bin: &Bin<'_>,
        mut beside: Vec<(String, Arc<[u8]>)>,
        bin_name: String,
    ) -> Result<Self, serde_json::Error> {
        let mut json = serde_json::to_vec_pretty(&document)?;
        json.push(b'\n');
        let mut buffers = Vec::new();
        if bin.len() > 0 {
            let mut bytes = Vec::with_capacity(bin.len());
            bin.append_to(&mut bytes);
            let bin: Arc<[u8]> = bytes.into();
            buffers.push(BufferBytes::Own(bin.clone()));
            beside.insert(0, (bin_name, bin));
        }
        let range = 0..json.len();
        Ok(Self { bytes: json.into(), json: range, container: Container::Text, document, buffers, beside })
    }

    /// What each byte is.
    pub(super) fn byte_map(&self) -> ByteMap {
        let end = self.bytes.len();
        let parts = match &self.container {
            Container::Text => {
                let mut parts = Vec::new();
                push(&mut parts, "mark", 0..self.json.start, FieldType::Bytes);
                parts.extend(self.json_parts());
                parts
            }
            Container::Glb { chunks } => {
                let header = vec![
                    MapNode::leaf("magic", Span::new(0, 4), FieldType::Text),
                    MapNode::leaf("version", Span::new(4, 8), FieldType::U32),
                    MapNode::leaf("length", Span::new(8, 12), FieldType::U32),
                ];
                let mut parts = vec![MapNode::group("header", Span::new(0, 12), header)];
                parts.extend(chunks.iter().enumerate().map(|(i, chunk)| self.chunk_map(i, chunk)));
                let after = chunks.last().map_or(12, |chunk| chunk.data.end);
                push(&mut parts, "trailing", after..end, FieldType::Unused);
                parts
            }
        };
        ByteMap { root: MapNode::group("", Span::new(0, end), parts) }
    }

    fn chunk_map(&self, index: usize, chunk: &Chunk) -> MapNode {
        let Range { start, end } = chunk.data.clone();
        let mut parts = vec![
            MapNode::leaf("length", Span::new(start - 8, start - 4), FieldType::U32),
            MapNode::leaf("type", Span::new(start - 4, start), FieldType::U32),
        ];
        if chunk.data == self.json {
            parts.push(MapNode::group("json", Span::new(start, end), self.json_parts()));
        } else if matches!(self.buffers.first(), Some(BufferBytes::Inside(range)) if *range == chunk.data) {
            parts.push(MapNode::group("bin", Span::new(start, end), self.view_parts(&chunk.data)));
        } else {
            push(&mut parts, "data", start..end, FieldType::Bytes);
        }
        MapNode::group(format!("chunks[{index}]"), Span::new(start - 8, end), parts)
    }

    /// The properties of the JSON, and the elements of its lists.
    fn json_parts(&self) -> Vec<MapNode> {
        let text = self.bytes.get(self.json.clone()).unwrap_or_default();
        let base = self.json.start;
        let root = locate::find(text, "").unwrap_or(0..text.len());
        let members = locate::parts(text, root.clone());
        let mut parts = Vec::new();
        let first = members.first().map_or(text.len(), |member| member.key.start);
        push(&mut parts, "open", base..base + first, FieldType::Text);
        let ends = members.iter().skip(1).map(|member| member.key.start).chain([root.end.saturating_sub(1)]);
        for (member, end) in members.iter().zip(ends) {
            let key = text.get(member.key.start + 1..member.key.end - 1).unwrap_or_default();
            let key = String::from_utf8_lossy(key).into_owned();
            let elements = locate::parts(text, member.value.clone());
            let is_list = text.get(member.value.start) == Some(&b'[') && !elements.is_empty();
            if is_list {
                let list = list_parts(base, member.key.start, end, &elements);
                parts.push(MapNode::group(key, Span::new(base + member.key.start, base + end), list));
            } else {
                push(&mut parts, key, base + member.key.start..base + end, FieldType::Text);
            }
        }
        if !members.is_empty() {
            push(&mut parts, "close", base + root.end - 1..base + text.len(), FieldType::Text);
        }
        parts
    }

    /// The buffer views in a chunk, as far as they do not overlap, and what is between them.
    fn view_parts(&self, data: &Range<usize>) -> Vec<MapNode> {
        let mut views: Vec<(usize, usize, usize)> = Vec::new();
        for (index, view) in self.document.buffer_views.iter().enumerate().filter(|(_, v)| v.buffer == 0) {
            let start = usize::try_from(view.byte_offset.unwrap_or(0)).unwrap_or(usize::MAX);
            let length = usize::try_from(view.byte_length).unwrap_or(usize::MAX);
            let start = data.start.saturating_add(start).min(data.end);
            views.push((start, start.saturating_add(length).min(data.end), index));
        }
        views.sort_unstable();
        let mut parts = Vec::new();
        let (mut at, mut gaps) = (data.start, 0);
        for (start, end, index) in views {
            if start > at {
                push(&mut parts, format!("gap[{gaps}]"), at..start, FieldType::Padding);
                gaps += 1;
                at = start;
            }
            if end > at {
                push(&mut parts, format!("bufferViews[{index}]"), at..end, FieldType::Bytes);
                at = end;
            }
        }
        push(&mut parts, format!("gap[{gaps}]"), at..data.end, FieldType::Padding);
        parts
    }
}

/// The elements of a list: each with the comma and the blanks after it.
fn list_parts(base: usize, start: usize, end: usize, elements: &[locate::Part]) -> Vec<MapNode> {
    let mut parts = Vec::with_capacity(elements.len() + 2);
    let first = elements.first().map_or(end, |element| element.value.start);
    push(&mut parts, "open", base + start..base + first, FieldType::Text);
    let last = elements.last().map_or(end, |element| element.value.end);
    let ends = elements.iter().skip(1).map(|element| element.value.start).chain([last]);
    for (i, (element, end)) in elements.iter().zip(ends).enumerate() {
        push(&mut parts, format!("[{i}]"), base + element.value.start..base + end, FieldType::Text);
    }
    push(&mut parts, "close", base + last..base + end, FieldType::Text);
    parts
}

/// Adds a field, unless it has no bytes.
fn push(parts: &mut Vec<MapNode>, name: impl Into<Cow<'static, str>>, range: Range<usize>, kind: FieldType) {
    if !range.is_empty() {
        parts.push(MapNode::leaf(name, Span::new(range.start, range.end), kind));
    }
}
