//! Packs lists of numbers into buffer views: each once, without gaps beyond what the format demands.

use std::borrow::Cow;
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

/// A list of numbers as bytes: those of the Scene themselves where they are what is written.
#[derive(Clone, Debug)]
pub(super) struct Encoded<'a> {
    pub(super) component: Component,
    pub(super) shape: Shape,
    pub(super) normalized: bool,
    pub(super) count: usize,
    /// The components without padding; empty for all zeros.
    pub(super) bytes: Cow<'a, [u8]>,
    /// Smallest and largest components, where the format asks for them.
    pub(super) bounds: Option<(Vec<Number>, Vec<Number>)>,
}

impl<'a> Encoded<'a> {
    /// Floats as they are.
    pub(super) fn floats(values: impl Into<Cow<'a, [f32]>>, shape: Shape) -> Self {
        let values = values.into();
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
        let (min, max) = match values.as_chunks::<3>() {
            (points, []) if self.shape.width() == 3 => {
                let (min, max) = bounds_of_points(points);
                (min.to_vec(), max.to_vec())
            }
            _ => bounds_of(values, self.shape.width().max(1)),
        };
        let numbers = |values: Vec<f32>| values.into_iter().map(Number::Float).collect();
        self.bounds = Some((numbers(min), numbers(max)));
        self
    }
}

/// The smallest and the largest of each component.
fn bounds_of(values: &[f32], width: usize) -> (Vec<f32>, Vec<f32>) {
    let mut min = vec![f32::INFINITY; width];
    let mut max = vec![f32::NEG_INFINITY; width];
    for element in values.chunks_exact(width) {
        for ((min, max), value) in min.iter_mut().zip(&mut max).zip(element) {
            *min = min.min(*value);
            *max = max.max(*value);
        }
    }
    (min, max)
}

fn bounds_of_points(points: &[[f32; 3]]) -> ([f32; 3], [f32; 3]) {
    let mut min = [f32::INFINITY; 3];
    let mut max = [f32::NEG_INFINITY; 3];
    for point in points {
        for ((min, max), value) in min.iter_mut().zip(&mut max).zip(point) {
            *min = min.min(*value);
            *max = max.max(*value);
        }
    }
    (min, max)
}

/// Floats as little-endian bytes.
fn float_bytes(values: Cow<'_, [f32]>) -> Cow<'_, [u8]> {
    match values {
        Cow::Borrowed(values) if cfg!(target_endian = "little") => Cow::Borrowed(values.as_bytes()),
        values => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
    }
}

/// Whole numbers as little-endian bytes.
pub(super) fn number_bytes(values: Cow<'_, [u32]>) -> Cow<'_, [u8]> {
    match values {
        Cow::Borrowed(values) if cfg!(target_endian = "little") => Cow::Borrowed(values.as_bytes()),
        values => values.iter().flat_map(|value| value.to_le_bytes()).collect(),
    }
}

/// The buffer while it is planned: nothing is copied before all of it is known.
#[derive(Debug, Default)]
pub(super) struct Packer<'a> {
    groups: BTreeMap<Use, Group>,
    pieces: Vec<Piece<'a>>,
    pictures: Vec<&'a [u8]>,
    /// Pictures by a hash of their bytes.
    known_pictures: BTreeMap<u64, Vec<usize>>,
    accessors: Vec<Planned>,
    /// Accessors by a hash of what they hold.
    known: BTreeMap<u64, Vec<usize>>,
}

/// What a buffer view will hold.
#[derive(Debug, Default)]
struct Group {
    bytes: usize,
    pieces: Vec<usize>,
}

/// A list in its place.
#[derive(Debug)]
struct Piece<'a> {
    /// The first byte, in its group and in the end in the buffer.
    start: usize,
    bytes: Cow<'a, [u8]>,
    /// The bytes of an element, and from one to the next.
    size: usize,
    stride: usize,
}

/// An accessor, and what it will refer to; nothing for one of zeros.
#[derive(Debug)]
struct Planned {
    of_use: Option<Use>,
    piece: Option<usize>,
    accessor: Accessor,
}

/// The buffer: its lists and pictures, each with its place.
#[derive(Debug)]
pub(in crate::formats::gltf) struct Bin<'a> {
    pieces: Vec<Piece<'a>>,
    bytes: usize,
}

impl Bin<'_> {
    /// How many bytes it has.
    pub(in crate::formats::gltf) fn len(&self) -> usize {
        self.bytes
    }

    /// Appends its bytes: the one time that they are copied.
    pub(in crate::formats::gltf) fn append_to(&self, out: &mut Vec<u8>) {
        let first = out.len();
        out.reserve(self.bytes);
        for piece in &self.pieces {
            out.resize(first + piece.start, 0);
            if piece.stride == piece.size {
                out.extend_from_slice(&piece.bytes);
            } else {
                for element in piece.bytes.chunks_exact(piece.size) {
                    out.extend_from_slice(element);
                    out.resize(out.len() + piece.stride - piece.size, 0);
                }
            }
        }
        out.resize(first + self.bytes, 0);
    }
}

impl<'a> Packer<'a> {
    /// Adds a list, or finds it when it is there already; the number of its accessor.
    pub(super) fn add(&mut self, of_use: Use, list: Encoded<'a>) -> u32 {
        let zeros = list.bytes.is_empty();
        let hash = hash(of_use, &list);
        let known = self.known.get(&hash).into_iter().flatten().copied();
        if let Some(same) = known.into_iter().find(|&i| self.holds(i, of_use, &list)) {
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
        let mut piece = None;
        if !zeros {
            let size = list.shape.bytes(list.component).max(1);
            let stride = match of_use {
                Use::Vertices(stride) => stride.max(size),
                _ => size,
            };
            let group = self.groups.entry(of_use).or_default();
            let start = group.bytes.next_multiple_of(list.component.size());
            group.bytes = start + list.bytes.len() / size * stride;
            group.pieces.push(self.pieces.len());
            accessor.byte_offset = Some(start as u64);
            piece = Some(self.pieces.len());
            self.pieces.push(Piece { start, bytes: list.bytes, size, stride });
        }
        self.accessors.push(Planned { of_use: (!zeros).then_some(of_use), piece, accessor });
        let index = self.accessors.len() - 1;
        self.known.entry(hash).or_default().push(index);
        index as u32
    }

    /// Whether accessor `index` holds exactly this list, for the same use.
    fn holds(&self, index: usize, of_use: Use, list: &Encoded<'_>) -> bool {
        let Some(Planned { of_use: its_use, piece, accessor }) = self.accessors.get(index) else {
            return false;
        };
        let bounds = list.bounds.as_ref();
        let same = accessor.component_type == list.component.to_gl()
            && accessor.r#type == list.shape.name()
            && accessor.normalized.unwrap_or(false) == list.normalized
            && accessor.count == list.count as u64
            && accessor.min.as_ref() == bounds.map(|(min, _)| min)
            && accessor.max.as_ref() == bounds.map(|(_, max)| max)
            && *its_use == (!list.bytes.is_empty()).then_some(of_use);
        let held = piece.and_then(|piece| self.pieces.get(piece));
        same && held.is_none_or(|held| held.bytes == list.bytes)
    }

    /// Adds a picture; the number of its buffer view, counted from the first picture.
    pub(super) fn picture(&mut self, bytes: &'a [u8]) -> u32 {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let alike = self.known_pictures.entry(hasher.finish()).or_default();
        let known =
            alike.iter().copied().find(|i| self.pictures.get(*i).is_some_and(|known| *known == bytes));
        known.unwrap_or_else(|| {
            alike.push(self.pictures.len());
            self.pictures.push(bytes);
            self.pictures.len() - 1
        }) as u32
    }

    /// Writes accessors, views and the buffer into the document; what the buffer will hold.
    pub(super) fn finish(mut self, document: &mut Document) -> Bin<'a> {
        let mut bytes = 0;
        let mut views: BTreeMap<Use, u32> = BTreeMap::new();
        for (of_use, group) in self.groups {
            views.insert(of_use, document.buffer_views.len() as u32);
            let (byte_stride, target) = match of_use {
                Use::Vertices(stride) => (Some(stride as u64), Some(34962)),
                Use::Indices => (None, Some(34963)),
                _ => (None, None),
            };
            let view = BufferView { byte_stride, target, ..BufferView::default() };
            let start = put(&mut bytes, group.bytes, document, view);
            for index in group.pieces {
                if let Some(piece) = self.pieces.get_mut(index) {
                    piece.start += start;
                }
            }
        }
        let first_picture = document.buffer_views.len() as u32;
        for picture in self.pictures {
            let start = put(&mut bytes, picture.len(), document, BufferView::default());
            self.pieces.push(Piece { start, bytes: Cow::Borrowed(picture), size: 1, stride: 1 });
        }
        for image in &mut document.images {
            image.buffer_view = image.buffer_view.map(|view| view + first_picture);
        }
        for Planned { of_use, mut accessor, .. } in self.accessors {
            accessor.buffer_view = of_use.and_then(|of_use| views.get(&of_use).copied());
            accessor.byte_offset = accessor.byte_offset.filter(|&offset| offset != 0);
            document.accessors.push(accessor);
        }
        if bytes > 0 {
            document.buffers.push(Buffer { byte_length: bytes as u64, ..Buffer::default() });
        }
        self.pieces.sort_by_key(|piece| piece.start);
        Bin { pieces: self.pieces, bytes }
    }
}

/// Plans a view at a multiple of four; its first byte.
fn put(bytes: &mut usize, length: usize, document: &mut Document, view: BufferView) -> usize {
    let start = bytes.next_multiple_of(4);
    let byte_offset = Some(start as u64).filter(|&offset| offset != 0);
    document.buffer_views.push(BufferView { byte_offset, byte_length: length as u64, ..view });
    *bytes = start + length;
    start
}

fn hash(of_use: Use, list: &Encoded<'_>) -> u64 {
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
