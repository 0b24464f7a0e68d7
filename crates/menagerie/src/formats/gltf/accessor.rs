//! The numbers behind accessors: every component type, normalised or not, strided, sparse.

use zerocopy::FromBytes;
use zerocopy::little_endian::F32;

use super::codes;
use super::json::{Accessor, Sparse};
use super::model::Model;
use super::notes::Encoding;
use super::views::Views;
use crate::bytes::Span;
use crate::diag::{self, Code, Issue};

/// The type of one component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Component {
    I8,
    U8,
    I16,
    U16,
    U32,
    F32,
}

impl Component {
    /// The type that OpenGL's number means.
    pub(super) fn from_gl(number: u32) -> Option<Self> {
        Some(match number {
            5120 => Self::I8,
            5121 => Self::U8,
            5122 => Self::I16,
            5123 => Self::U16,
            5125 => Self::U32,
            5126 => Self::F32,
            _ => return None,
        })
    }

    /// OpenGL's number.
    pub(super) fn to_gl(self) -> u32 {
        match self {
            Self::I8 => 5120,
            Self::U8 => 5121,
            Self::I16 => 5122,
            Self::U16 => 5123,
            Self::U32 => 5125,
            Self::F32 => 5126,
        }
    }

    /// Its bytes.
    pub(super) fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }

    /// The value of the component at the start of `bytes`; zero when they are too few.
    fn value(self, bytes: &[u8], normalized: bool) -> f32 {
        fn word<const N: usize>(bytes: &[u8]) -> [u8; N] {
            bytes.first_chunk().copied().unwrap_or([0; N])
        }
        match self {
            Self::F32 => f32::from_le_bytes(word(bytes)),
            Self::U32 => u32::from_le_bytes(word(bytes)) as f32,
            Self::I8 => decode_int(i8::from_le_bytes(word(bytes)).into(), 127.0, normalized),
            Self::U8 => decode_int(word::<1>(bytes).map(f32::from)[0], 255.0, normalized),
            Self::I16 => decode_int(i16::from_le_bytes(word(bytes)).into(), 32767.0, normalized),
            Self::U16 => decode_int(u16::from_le_bytes(word(bytes)).into(), 65535.0, normalized),
        }
    }

    /// The same as a whole number.
    fn integer(self, bytes: &[u8]) -> u32 {
        match self {
            Self::U8 | Self::I8 => bytes.first().copied().unwrap_or(0).into(),
            Self::U16 | Self::I16 => bytes.first_chunk().map_or(0, |b| u16::from_le_bytes(*b).into()),
            Self::U32 | Self::F32 => bytes.first_chunk().map_or(0, |b| u32::from_le_bytes(*b)),
        }
    }
}

/// An integer, or the fraction that a normalised one stands for.
fn decode_int(value: f32, largest: f32, normalized: bool) -> f32 {
    if normalized { (value / largest).max(-1.0) } else { value }
}

/// How many components an element has, in how many columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Shape {
    pub(super) fn named(name: &str) -> Option<Self> {
        let (rows, columns) = match name {
            "SCALAR" => (1, 1),
            "VEC2" => (2, 1),
            "VEC3" => (3, 1),
            "VEC4" => (4, 1),
            "MAT2" => (2, 2),
            "MAT3" => (3, 3),
            "MAT4" => (4, 4),
            _ => return None,
        };
        Some(Self { rows, columns })
    }

    /// What glTF calls it.
    pub(super) fn name(self) -> &'static str {
        match (self.rows, self.columns) {
            (1, 1) => "SCALAR",
            (2, 1) => "VEC2",
            (3, 1) => "VEC3",
            (4, 1) => "VEC4",
            (2, _) => "MAT2",
            (3, _) => "MAT3",
            _ => "MAT4",
        }
    }

    pub(super) fn width(self) -> usize {
        self.rows * self.columns
    }

    /// Bytes from one column to the next: columns of matrices begin at multiples of four.
    fn column_bytes(self, component: Component) -> usize {
        let bytes = self.rows * component.size();
        if self.columns > 1 { bytes.next_multiple_of(4) } else { bytes }
    }

    /// Bytes of an element.
    pub(super) fn bytes(self, component: Component) -> usize {
        self.column_bytes(component) * self.columns
    }
}

/// A problem of an accessor: it cannot be read.
#[derive(Debug)]
pub(super) struct Unreadable {
    pub(super) code: &'static Code,
    /// What follows `/accessors/3` in the pointer.
    pub(super) field: &'static str,
    pub(super) message: String,
}

impl Unreadable {
    fn new(code: &'static Code, field: &'static str, message: impl Into<String>) -> Self {
        Self { code, field, message: message.into() }
    }

    /// As an issue of the accessor `index`.
    pub(super) fn issue(&self, model: &Model, index: u32) -> Issue {
        let pointer = format!("/accessors/{index}{}", self.field);
        let span = model.span_of(&pointer);
        Issue::new(self.code, pointer, self.message.clone()).at(span)
    }
}

/// A list of numbers in the file, checked to be there.
#[derive(Clone, Debug)]
pub(super) struct List<'a> {
    /// The bytes from the first element to the end of the last; empty when all are zeros.
    bytes: &'a [u8],
    pub(super) stride: usize,
    pub(super) count: usize,
    pub(super) component: Component,
    pub(super) shape: Shape,
    pub(super) normalized: bool,
    sparse: Option<SparseList<'a>>,
}

#[derive(Clone, Debug)]
struct SparseList<'a> {
    count: usize,
    indices: &'a [u8],
    index_component: Component,
    values: &'a [u8],
}

impl<'a> List<'a> {
    /// The list that the accessor `index` describes.
    pub(super) fn of(views: &Views<'a>, index: u32) -> Result<Self, Unreadable> {
        let model = views.model;
        let Some(accessor) = model.document.accessors.get(index as usize) else {
            let message = format!("there is no accessor {index}");
            return Err(Unreadable::new(&codes::REFERENCE, "", message));
        };
        let component = Component::from_gl(accessor.component_type).ok_or_else(|| {
            let message = format!("{} is no component type", accessor.component_type);
            Unreadable::new(&codes::ACCESSOR_TYPE, "/componentType", message)
        })?;
        let shape = Shape::named(&accessor.r#type).ok_or_else(|| {
            let message = format!("{:?} is no type of elements", accessor.r#type);
            Unreadable::new(&codes::ACCESSOR_TYPE, "/type", message)
        })?;
        let count = usize::try_from(accessor.count).unwrap_or(usize::MAX);
        let size = shape.bytes(component);
        let (bytes, stride) = match accessor.buffer_view {
            Some(view) => elements(views, accessor, view, count, size)?,
            None => {
                // Zeros need no bytes in the file, so only the limit bounds them.
                let allowed = views.zeros_allowed / size.max(1);
                if count > allowed {
                    let message = format!("{count} elements of zeros are more than the limit of {allowed}");
                    return Err(Unreadable::new(&diag::LIMIT, "/count", message));
                }
                (&[][..], size)
            }
        };
        let sparse = accessor.sparse.as_ref().map(|s| sparse_list(views, s, count, size)).transpose()?;
        let normalized = accessor.normalized.unwrap_or(false);
        Ok(Self { bytes, stride, count, component, shape, normalized, sparse })
    }

    /// The elements of the accessor `index` that are there, when not all are: the first ones.
    pub(super) fn beginning(views: &Views<'a>, index: u32) -> Option<Self> {
        let accessor = views.model.document.accessors.get(index as usize)?;
        let component = Component::from_gl(accessor.component_type)?;
        let shape = Shape::named(&accessor.r#type)?;
        let size = shape.bytes(component);
        let view = accessor.buffer_view.filter(|_| accessor.sparse.is_none())?;
        let stride = views.stride(view).unwrap_or(size);
        let offset = usize::try_from(accessor.byte_offset.unwrap_or(0)).ok()?;
        let bytes = views.get_start(view)?.get(offset..)?;
        let room = bytes.len().checked_sub(size)?.checked_div(stride)?.checked_add(1)?;
        let count = room.min(usize::try_from(accessor.count).unwrap_or(usize::MAX));
        let bytes = bytes.get(..count.checked_sub(1)?.checked_mul(stride)?.checked_add(size)?)?;
        let normalized = accessor.normalized.unwrap_or(false);
        (stride >= size).then_some(Self { bytes, stride, count, component, shape, normalized, sparse: None })
    }

    /// How the elements are stored.
    pub(super) fn encoding(&self) -> Encoding {
        Encoding { component: self.component, normalized: self.normalized, shape: self.shape }
    }

    /// Whether the elements follow each other as plain floats.
    fn plain_floats(&self) -> bool {
        self.component == Component::F32
            && self.sparse.is_none()
            && self.stride == self.shape.bytes(self.component)
            && !self.bytes.is_empty()
    }

    /// The bytes of element `i`, its sparse value if it has one.
    fn element(&self, i: usize) -> &'a [u8] {
        let start = i.saturating_mul(self.stride);
        self.bytes.get(start..).unwrap_or_default()
    }

    /// Calls `put` with every element's index and bytes, those of the sparse list last.
    fn each(&self, mut put: impl FnMut(usize, &[u8])) {
        let size = self.shape.bytes(self.component);
        if !self.bytes.is_empty() {
            for i in 0..self.count {
                put(i, self.element(i));
            }
        }
        if let Some(sparse) = &self.sparse {
            let indices = sparse.indices.chunks_exact(sparse.index_component.size());
            for (index, value) in indices.zip(sparse.values.chunks_exact(size)).take(sparse.count) {
                put(sparse.index_component.integer(index) as usize, value);
            }
        }
    }

    /// All components of all elements, one after the other.
    pub(super) fn flat(&self) -> Vec<f32> {
        if self.plain_floats()
            && let Ok(floats) = <[F32]>::ref_from_bytes(self.bytes)
        {
            return floats.iter().map(|f| f.get()).collect();
        }
        let width = self.shape.width();
        let mut values = vec![0.0; self.count.saturating_mul(width)];
        let (column_bytes, size) = (self.shape.column_bytes(self.component), self.component.size());
        self.each(|i, bytes| {
            let Some(element) = values.get_mut(i * width..(i + 1) * width) else { return };
            for (column, numbers) in element.chunks_exact_mut(self.shape.rows).enumerate() {
                for (row, number) in numbers.iter_mut().enumerate() {
                    let at = column * column_bytes + row * size;
                    *number = self.component.value(bytes.get(at..).unwrap_or_default(), self.normalized);
                }
            }
        });
        values
    }

    /// All elements as vectors of `N` floats; components that are missing are `fill`, further ones are left out.
    pub(super) fn vectors<const N: usize>(&self, fill: f32) -> Vec<[f32; N]> {
        let width = self.shape.width();
        if self.plain_floats()
            && width == N
            && let Ok(vectors) = <[[F32; N]]>::ref_from_bytes(self.bytes)
        {
            return vectors.iter().map(|v| v.map(|f| f.get())).collect();
        }
        if width == 0 {
            return Vec::new();
        }
        let zero_list = self.bytes.is_empty() && self.sparse.is_none();
        if zero_list && width >= N {
            return vec![[0.0; N]; self.count];
        }
        let flat = self.flat();
        let vector = |element: &[f32]| {
            let mut vector = [fill; N];
            vector.iter_mut().zip(element).for_each(|(to, from)| *to = *from);
            vector
        };
        flat.chunks_exact(width).map(vector).collect()
    }

    /// All elements as whole numbers: indices.
    pub(super) fn integers(&self) -> Vec<u32> {
        let tight = self.sparse.is_none() && self.stride == self.component.size() && !self.bytes.is_empty();
        match self.component {
            Component::U8 if tight => self.bytes.iter().map(|&b| b.into()).collect(),
            Component::U16 if tight => {
                self.bytes.as_chunks().0.iter().map(|b| u16::from_le_bytes(*b).into()).collect()
            }
            Component::U32 if tight => {
                self.bytes.as_chunks().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
            }
            component => {
                let mut values = vec![0; self.count];
                self.each(|i, bytes| {
                    if let Some(value) = values.get_mut(i) {
                        *value = component.integer(bytes);
                    }
                });
                values
            }
        }
    }

    /// All elements as four whole numbers: joints.
    pub(super) fn joints(&self) -> Vec<[u16; 4]> {
        let mut joints = vec![[0u16; 4]; self.count];
        let size = self.component.size();
        self.each(|i, bytes| {
            if let Some(joints) = joints.get_mut(i) {
                for (joint, bytes) in joints.iter_mut().zip(bytes.chunks_exact(size)) {
                    *joint = u16::try_from(self.component.integer(bytes)).unwrap_or(u16::MAX);
                }
            }
        });
        joints
    }

    /// The smallest and largest of each component, of the numbers as they are stored.
    pub(super) fn bounds(&self) -> (Vec<f64>, Vec<f64>) {
        if self.component == Component::U32 {
            // More than a float can say.
            let integers = self.integers();
            let bound = |value: Option<&u32>| vec![value.copied().map_or(f64::NAN, f64::from)];
            return (bound(integers.iter().min()), bound(integers.iter().max()));
        }
        let width = self.shape.width();
        let (min, max) = match <[F32]>::ref_from_bytes(self.bytes) {
            Ok(floats) if self.plain_floats() => bounds(floats, width, |f| f.get()),
            _ => bounds(&Self { normalized: false, ..self.clone() }.flat(), width, |f| f),
        };
        let wide = |values: Vec<f32>| values.into_iter().map(f64::from).collect();
        (wide(min), wide(max))
    }

    /// The first elements, so many of them.
    pub(super) fn first(self, count: usize) -> Self {
        if count >= self.count || self.sparse.is_some() {
            return self;
        }
        let size = self.shape.bytes(self.component);
        let bytes = count.checked_sub(1).map_or(0, |last| last.saturating_mul(self.stride) + size);
        Self { bytes: self.bytes.get(..bytes.min(self.bytes.len())).unwrap_or_default(), count, ..self }
    }

    /// The bytes that the elements take in memory as floats.
    pub(super) fn cost(&self) -> usize {
        self.count.saturating_mul(self.shape.width()).saturating_mul(4)
    }
}

/// The smallest and largest of each of `width` columns; what is no number does not count.
fn bounds<T: Copy>(values: &[T], width: usize, number: impl Fn(T) -> f32) -> (Vec<f32>, Vec<f32>) {
    /// So many at a time, which is whole elements of nearly every width, and whole registers.
    const LANES: usize = 48;
    let mut bounds = [[f32::INFINITY; LANES], [f32::NEG_INFINITY; LANES]];
    let [min, max] = &mut bounds;
    let mut widen = |values: &[T]| {
        for ((min, max), value) in min.iter_mut().zip(max.iter_mut()).zip(values) {
            let value = number(*value);
            *min = if value < *min { value } else { *min };
            *max = if value > *max { value } else { *max };
        }
    };
    if LANES.is_multiple_of(width.max(1)) {
        let (whole, rest) = values.as_chunks::<LANES>();
        whole.iter().for_each(|values| widen(values));
        widen(rest);
    } else {
        values.chunks_exact(width).for_each(widen);
    }
    let column = |lanes: &[f32; LANES], better: fn(f32, f32) -> f32| -> Vec<f32> {
        let of_column = |i| lanes.iter().skip(i).step_by(width.max(1)).copied().reduce(better);
        (0..width).filter_map(of_column).collect()
    };
    let [min, max] = &bounds;
    (column(min, f32::min), column(max, f32::max))
}

/// The bytes of the elements in a buffer view, and from one element to the next.
fn elements<'a>(
    views: &Views<'a>,
    accessor: &Accessor,
    view: u32,
    count: usize,
    size: usize,
) -> Result<(&'a [u8], usize), Unreadable> {
    let bytes =
        views.get(view).map_err(|message| Unreadable::new(&codes::VIEW_RANGE, "/bufferView", message))?;
    let stride = views.stride(view).unwrap_or(size);
    if stride < size {
        let message = format!("the view's stride of {stride} bytes is less than the {size} of an element");
        return Err(Unreadable::new(&codes::ACCESSOR_RANGE, "/bufferView", message));
    }
    let offset = usize::try_from(accessor.byte_offset.unwrap_or(0)).unwrap_or(usize::MAX);
    let needed = match count {
        0 => Some(0),
        _ => (count - 1).checked_mul(stride).and_then(|bytes| bytes.checked_add(size)),
    };
    let found = needed.and_then(|needed| bytes.get(offset..offset.checked_add(needed)?));
    match found {
        Some(found) => Ok((found, stride)),
        None => {
            let left = bytes.len().saturating_sub(offset);
            let message = format!(
                "{count} elements of {size} bytes, {stride} apart, do not fit into the {left} bytes of view {view}"
            );
            Err(Unreadable::new(&codes::ACCESSOR_RANGE, "/count", message))
        }
    }
}

fn sparse_list<'a>(
    views: &Views<'a>,
    sparse: &Sparse,
    count: usize,
    size: usize,
) -> Result<SparseList<'a>, Unreadable> {
    let wrong = |field, message: String| Unreadable::new(&codes::SPARSE, field, message);
    let number = usize::try_from(sparse.count).unwrap_or(usize::MAX);
    if number > count {
        return Err(wrong("/sparse/count", format!("{number} of {count} elements cannot be different")));
    }
    let component = match Component::from_gl(sparse.indices.component_type) {
        Some(component @ (Component::U8 | Component::U16 | Component::U32)) => component,
        _ => {
            let message = format!("{} is no type of indices", sparse.indices.component_type);
            return Err(wrong("/sparse/indices/componentType", message));
        }
    };
    let part = |view: u32, offset: Option<u64>, each: usize, field| {
        let bytes = views.get(view).map_err(|message| wrong(field, message))?;
        let start = usize::try_from(offset.unwrap_or(0)).unwrap_or(usize::MAX);
        let end = number.checked_mul(each).and_then(|bytes| bytes.checked_add(start));
        end.and_then(|end| bytes.get(start..end)).ok_or_else(|| {
            wrong(field, format!("{number} elements of {each} bytes do not fit into view {view}"))
        })
    };
    let (i, v) = (&sparse.indices, &sparse.values);
    let indices = part(i.buffer_view, i.byte_offset, component.size(), "/sparse/indices")?;
    let values = part(v.buffer_view, v.byte_offset, size, "/sparse/values")?;
    let past =
        indices.chunks_exact(component.size()).map(|b| component.integer(b)).find(|&i| i as usize >= count);
    if let Some(index) = past {
        return Err(wrong("/sparse/indices", format!("element {index} of {count} does not exist")));
    }
    Ok(SparseList { count: number, indices, index_component: component, values })
}

/// The bytes of element `i` of an accessor in the file, or else its JSON.
pub(super) fn element_span(model: &Model, index: u32, i: usize) -> Span {
    let bytes = || {
        let accessor = model.document.accessors.get(index as usize)?;
        let size = Shape::named(&accessor.r#type)?.bytes(Component::from_gl(accessor.component_type)?);
        let view = accessor.buffer_view?;
        let stride = model.document.buffer_views.get(view as usize)?.byte_stride;
        let stride = stride.map_or(Some(size), |stride| usize::try_from(stride).ok())?;
        let offset = usize::try_from(accessor.byte_offset.unwrap_or(0)).ok()?;
        model.span_of_view(view, offset.checked_add(i.checked_mul(stride)?)?, size)
    };
    bytes().unwrap_or_else(|| model.span_of(&format!("/accessors/{index}")))
}
