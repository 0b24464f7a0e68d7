//! Packs lists of numbers into buffer views: each once, without gaps beyond what the format demands.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher};

use zerocopy::IntoBytes;

use super::super::accessor::{Component, Shape};
use super::super::json::{Accessor, Buffer, BufferView, Document, Number};

/// What a buffer view is for; views of different use are kept apart, as the format demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Use {
    /// Vertex attributes whose elements are so many bytes apart.
    Vertices(usize),
    /// Indices.
    Indices,
    /// Inverse bind matrices.
    Binds,
    /// Keys of animations.
    Keys,
}

/// A list of numbers as bytes.
#[derive(Clone, Debug)]
pub(super) struct Encoded {
    pub(super) component: Component,
    pub(super) shape: Shape,
    pub(super) normalized: bool,
    pub(super) count: usize,
    /// The components without padding; empty for all zeros.
    pub(super) bytes: Vec<u8>,
    /// Smallest and largest components, where the format asks for them.
    pub(super) bounds: Option<(Vec<Number>, Vec<Number>)>,
}

impl Encoded {
    /// Floats as they are.
    pub(super) fn floats(values: &[f32], shape: Shape) -> Self {
        Self {
            component: Component::F32,
            shape,
            normalized: false,
            count: values.len() / shape.width().max(1),
            bytes: float_bytes(values),
            bounds: None,
        }
    }

    /// The same with bounds.
    pub(super) fn bounded(mut self, values: &[f32]) -> Self {
        let width = self.shape.width().max(1);
        let mut min = vec![f32::INFINITY; width];
        let mut max = vec![f32::NEG_INFINITY; width];
        for element in values.chunks_exact(width) {
            for ((min, max), value) in min.iter_mut().zip(&mut max).zip(element) {
                *min = min.min(*value);
                *max = max.max(*value);
            }
        }
        let numbers = |values: Vec<f32>| values.into_iter().map(Number::Float).collect();
        self.bounds = Some((numbers(min), numbers(max)));
        self
    }
}

/// Floats as little-endian bytes.
fn float_bytes(values: &[f32]) -> Vec<u8> {
    if cfg!(target_endian = "little") {
        values.as_bytes().to_vec()
    } else {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }
}

/// The buffer while it is filled.
#[derive(Debug, Default)]
pub(super) struct Packer {
    groups: BTreeMap<Use, Vec<u8>>,
    pictures: Vec<Vec<u8>>,
    /// Pictures by a hash of their bytes.
    known_pictures: BTreeMap<u64, Vec<usize>>,
    accessors: Vec<(Option<Use>, Accessor)>,
    /// Accessors by a hash of what they hold.
    known: BTreeMap<u64, Vec<usize>>,
}

impl Packer {
    /// Adds a list, or finds it when it is there already; the number of its accessor.
    pub(super) fn add(&mut self, of_use: Use, list: Encoded) -> u32 {
        let stride = match of_use {
            Use::Vertices(stride) => stride,
            _ => list.shape.bytes(list.component),
        };
        let zeros = list.bytes.is_empty();
        let hash = hash(of_use, &list);
        let known = self.known.get(&hash).into_iter().flatten().copied();
        if let Some(same) = known.into_iter().find(|&i| self.holds(i, of_use, stride, &list)) {
            return same as u32;
        }
        let mut accessor = Accessor {
            component_type: list.component.to_gl(),
            normalized: list.normalized.then_some(true),
            count: list.count as u64,
            r#type: list.shape.name().to_owned(),
            ..Accessor::default()
        };
        if let Some((min, max)) = list.bounds {
            (accessor.min, accessor.max) = (Some(min), Some(max));
        }
        if !zeros {
            let group = self.groups.entry(of_use).or_default();
            group.resize(group.len().next_multiple_of(list.component.size()), 0);
            accessor.byte_offset = Some(group.len() as u64);
            let size = list.shape.bytes(list.component);
            if stride == size {
                group.extend_from_slice(&list.bytes);
            } else {
                for element in list.bytes.chunks_exact(size.max(1)) {
                    group.extend_from_slice(element);
                    group.resize(group.len() + stride - size, 0);
                }
            }
        }
        self.accessors.push(((!zeros).then_some(of_use), accessor));
        let index = self.accessors.len() - 1;
        self.known.entry(hash).or_default().push(index);
        index as u32
    }

    /// Whether accessor `index` holds exactly this list, for the same use.
    fn holds(&self, index: usize, of_use: Use, stride: usize, list: &Encoded) -> bool {
        let Some((its_use, accessor)) = self.accessors.get(index) else { return false };
        let bounds = list.bounds.as_ref();
        let same = accessor.component_type == list.component.to_gl()
            && accessor.r#type == list.shape.name()
            && accessor.normalized.unwrap_or(false) == list.normalized
            && accessor.count == list.count as u64
            && accessor.min.as_ref() == bounds.map(|(min, _)| min)
            && accessor.max.as_ref() == bounds.map(|(_, max)| max)
            && *its_use == (!list.bytes.is_empty()).then_some(of_use);
        let size = list.shape.bytes(list.component).max(1);
        let start = accessor.byte_offset.unwrap_or(0) as usize;
        let held = self.groups.get(&of_use).and_then(|group| group.get(start..));
        same && match held {
            _ if list.bytes.is_empty() => true,
            Some(held) => {
                held.chunks(stride.max(1)).zip(list.bytes.chunks_exact(size)).all(|(a, b)| a.starts_with(b))
            }
            None => false,
        }
    }

    /// Adds a picture; the number of its buffer view, counted from the first picture.
    pub(super) fn picture(&mut self, bytes: &[u8]) -> u32 {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let alike = self.known_pictures.entry(hasher.finish()).or_default();
        let known = alike.iter().copied().find(|i| self.pictures.get(*i).is_some_and(|known| known == bytes));
        known.unwrap_or_else(|| {
            alike.push(self.pictures.len());
            self.pictures.push(bytes.to_vec());
            self.pictures.len() - 1
        }) as u32
    }

    /// Writes accessors, views and the buffer into the document; the bytes of the buffer.
    pub(super) fn finish(self, document: &mut Document) -> Vec<u8> {
        let total: usize = self.groups.values().chain(&self.pictures).map(|bytes| bytes.len() + 4).sum();
        let mut bin: Vec<u8> = Vec::with_capacity(total);
        let mut views: BTreeMap<Use, u32> = BTreeMap::new();
        for (of_use, bytes) in self.groups {
            views.insert(of_use, document.buffer_views.len() as u32);
            let (byte_stride, target) = match of_use {
                Use::Vertices(stride) => (Some(stride as u64), Some(34962)),
                Use::Indices => (None, Some(34963)),
                _ => (None, None),
            };
            put(&mut bin, &bytes, document, BufferView { byte_stride, target, ..BufferView::default() });
        }
        let first_picture = document.buffer_views.len() as u32;
        for bytes in self.pictures {
            put(&mut bin, &bytes, document, BufferView::default());
        }
        for image in &mut document.images {
            image.buffer_view = image.buffer_view.map(|view| view + first_picture);
        }
        for (of_use, mut accessor) in self.accessors {
            accessor.buffer_view = of_use.and_then(|of_use| views.get(&of_use).copied());
            accessor.byte_offset = accessor.byte_offset.filter(|&offset| offset != 0);
            document.accessors.push(accessor);
        }
        if !bin.is_empty() {
            document.buffers.push(Buffer { byte_length: bin.len() as u64, ..Buffer::default() });
        }
        bin
    }
}

/// Appends a view at a multiple of four.
fn put(bin: &mut Vec<u8>, bytes: &[u8], document: &mut Document, view: BufferView) {
    bin.resize(bin.len().next_multiple_of(4), 0);
    let byte_offset = Some(bin.len() as u64).filter(|&offset| offset != 0);
    bin.extend_from_slice(bytes);
    document.buffer_views.push(BufferView { byte_offset, byte_length: bytes.len() as u64, ..view });
}

fn hash(of_use: Use, list: &Encoded) -> u64 {
    let mut hasher = DefaultHasher::new();
    let stride = if let Use::Vertices(stride) = of_use { stride } else { 0 };
    hasher.write_usize(stride);
    hasher.write_u32(list.component.to_gl());
    hasher.write_usize(list.shape.width());
    hasher.write_usize(list.count);
    // The beginning and the end tell most lists apart; equal hashes are compared in full.
    let ends = 4096;
    hasher.write(list.bytes.get(..list.bytes.len().min(ends)).unwrap_or_default());
    hasher.write(list.bytes.get(list.bytes.len().saturating_sub(ends)..).unwrap_or_default());
    hasher.finish()
}
