//! Writes fields, and draws the byte map of what it writes.

use std::borrow::Cow;
use std::sync::Arc;

use zerocopy::{Immutable, IntoBytes};

use super::{ByteMap, FieldType, MapKind, MapList, MapNode, Record, Span, Stored};

/// Writes little-endian fields, and draws the [`ByteMap`] of what it writes when asked to.
///
/// ```
/// use menagerie::bytes::{Span, Writer};
///
/// let mut writer = Writer::with_map();
/// writer.group("header", |w| {
///     w.u16("version", 2);
///     w.text("name", b"crate");
/// });
/// let (bytes, map) = writer.finish();
/// assert_eq!(bytes, b"\x02\x00crate");
/// assert_eq!(map.unwrap().find("header.name"), Some(Span::new(2, 7)));
/// ```
#[derive(Debug, Default)]
pub struct Writer {
    bytes: Vec<u8>,
    /// Bytes that were counted and not kept, where only a map is wanted.
    passed: Option<usize>,
    /// The groups that are open, the outermost first; `None` when no map is wanted.
    open: Option<Vec<OpenGroup>>,
}

#[derive(Debug)]
struct OpenGroup {
    name: Cow<'static, str>,
    start: usize,
    parts: Vec<MapNode>,
}

/// A number as a field: `writer.u32("count", 3)`.
macro_rules! number {
    ($($name:ident: $type:ty, $kind:ident);* $(;)?) => {
        $(
            #[doc = concat!("Writes one little-endian `", stringify!($type), "`.")]
            pub fn $name(&mut self, name: &'static str, value: $type) {
                self.field(name, FieldType::$kind, &value.to_le_bytes());
            }
        )*
    };
}

impl Writer {
    /// A writer of bytes only.
    pub fn new() -> Self {
        Self::default()
    }

    /// A writer that draws a map too.
    pub fn with_map() -> Self {
        let root = OpenGroup { name: Cow::Borrowed(""), start: 0, parts: Vec::new() };
        Self { open: Some(vec![root]), ..Self::default() }
    }

    /// A writer that draws a map and keeps no bytes.
    fn of_map() -> Self {
        Self { passed: Some(0), ..Self::with_map() }
    }

    /// A writer of bytes only that will hold about `n` of them.
    pub fn with_capacity(n: usize) -> Self {
        Self { bytes: Vec::with_capacity(n), ..Self::default() }
    }

    number! {
        u8: u8, U8; u16: u16, U16; u32: u32, U32; u64: u64, U64;
        i8: i8, I8; i16: i16, I16; i32: i32, I32; f32: f32, F32;
    }

    /// The position: how many bytes were written.
    pub fn position(&self) -> usize {
        self.passed.unwrap_or_default() + self.bytes.len()
    }

    fn put(&mut self, bytes: &[u8]) {
        match &mut self.passed {
            Some(passed) => *passed += bytes.len(),
            None => self.bytes.extend_from_slice(bytes),
        }
    }

    /// Writes a field of any type.
    pub fn field(&mut self, name: impl Into<Cow<'static, str>>, kind: FieldType, bytes: &[u8]) {
        let start = self.position();
        self.put(bytes);
        self.mark(start, |span| MapNode::leaf(name, span, kind));
    }

    /// Writes a field of a [`Layout`](super::Layout).
    #[doc(hidden)]
    pub fn stored(&mut self, name: &'static str, kind: FieldType, value: &impl Stored) {
        let start = self.position();
        match &mut self.passed {
            Some(passed) => *passed += size_of_val(value),
            None => value.put(&mut self.bytes),
        }
        self.mark(start, |span| MapNode::leaf(name, span, kind));
    }

    /// Writes several floats as one field.
    pub fn floats(&mut self, name: &'static str, values: &[f32]) {
        let start = self.position();
        match &mut self.passed {
            Some(passed) => *passed += size_of_val(values),
            None => self.bytes.extend(values.iter().flat_map(|v| v.to_le_bytes())),
        }
        self.mark(start, |span| MapNode::leaf(name, span, FieldType::F32));
    }

    /// Writes text.
    pub fn text(&mut self, name: &'static str, bytes: &[u8]) {
        self.optional(name, FieldType::Text, bytes);
    }

    /// Writes bytes that mean something.
    pub fn raw(&mut self, name: &'static str, bytes: &[u8]) {
        self.optional(name, FieldType::Bytes, bytes);
    }

    /// Writes bytes that only fill up.
    pub fn padding(&mut self, name: &'static str, bytes: &[u8]) {
        self.optional(name, FieldType::Padding, bytes);
    }

    /// Writes bytes that nothing refers to.
    pub fn unused(&mut self, name: &'static str, bytes: &[u8]) {
        self.optional(name, FieldType::Unused, bytes);
    }

    /// Writes a field that does not appear in the map when it is empty.
    fn optional(&mut self, name: &'static str, kind: FieldType, bytes: &[u8]) {
        if !bytes.is_empty() {
            self.field(name, kind, bytes);
        }
    }

    /// Writes a list of records as it is in memory.
    pub fn table<T: IntoBytes + Immutable>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        record: &'static Record,
        records: &[T],
    ) {
        debug_assert_eq!(record.size, size_of::<T>(), "the record describes the type");
        let start = self.position();
        self.put(records.as_bytes());
        if !records.is_empty() {
            let kind = MapKind::Table { record, count: records.len() };
            self.mark(start, |span| MapNode { name: name.into(), span, kind });
        }
    }

    /// Adds a range of `stored` bytes to the map that holds the compressed form of what `write` writes.
    /// For maps only: the bytes that stand in for the compressed ones are zeros.
    pub fn encoded(&mut self, name: &'static str, stored: usize, write: impl FnOnce(&mut Self)) {
        let start = self.position();
        match &mut self.passed {
            Some(passed) => *passed = passed.saturating_add(stored),
            None => self.bytes.resize(start.saturating_add(stored), 0),
        }
        let mut decoded = Self::with_map();
        write(&mut decoded);
        if let (bytes, Some(map)) = decoded.finish() {
            let kind = MapKind::Encoded { bytes, map: Box::new(map) };
            self.mark(start, |span| MapNode { name: name.into(), span, kind });
        }
    }

    /// Runs `write`; what it writes becomes the group `name` of the map.
    pub fn group<T>(&mut self, name: impl Into<Cow<'static, str>>, write: impl FnOnce(&mut Self) -> T) -> T {
        let start = self.position();
        if let Some(open) = &mut self.open {
            open.push(OpenGroup { name: name.into(), start, parts: Vec::new() });
        }
        let result = write(self);
        if let Some(group) = self.open.as_mut().and_then(Vec::pop) {
            self.mark(group.start, |span| MapNode::group(group.name, span, group.parts));
        }
        result
    }

    /// Like [`Writer::group`] with the name `list[index]`.
    pub fn item<T>(&mut self, list: &'static str, index: usize, write: impl FnOnce(&mut Self) -> T) -> T {
        if self.open.is_some() { self.group(format!("{list}[{index}]"), write) } else { write(self) }
    }

    /// Writes the items of a list with `write`. In the map they are parts that are made when somebody looks at them, so
    /// that as many as there are bytes cost little.
    pub fn list<T: Clone + Send + Sync + 'static>(
        &mut self,
        name: &'static str,
        items: &[T],
        write: fn(&T, &mut Self),
    ) {
        if self.open.is_none() || items.is_empty() {
            return items.iter().for_each(|item| write(item, self));
        }
        let open = self.open.take();
        let start = self.position();
        let mut ends = Vec::with_capacity(items.len());
        for item in items {
            write(item, self);
            ends.push(self.position() as u64);
        }
        self.open = open;
        let items: Arc<[T]> = items.into();
        let list = MapList::new(start as u64, ends, move |index, span| {
            let start = span.range().map_or(0, |range| range.start);
            MapKind::Group(Self::parts_from(start, |w| {
                items.get(index).into_iter().for_each(|i| write(i, w))
            }))
        });
        self.mark(start, |span| MapNode { name: name.into(), span, kind: MapKind::List(list) });
    }

    /// Overwrites four bytes that were written before: a size that is known only now.
    pub fn patch_u32(&mut self, at: usize, value: u32) {
        let end = at.saturating_add(4);
        if let Some(place) = self.bytes.get_mut(at..end) {
            place.copy_from_slice(&value.to_le_bytes());
        }
    }

    /// The bytes, and the map if one was drawn.
    pub fn finish(mut self) -> (Vec<u8>, Option<ByteMap>) {
        let span = Span::new(0, self.position());
        let bytes = std::mem::take(&mut self.bytes);
        let map = self.open.is_some().then(|| ByteMap { root: MapNode::group("", span, self.parts()) });
        (bytes, map)
    }

    /// What was drawn of the map.
    fn parts(self) -> Vec<MapNode> {
        let root = self.open.and_then(|open| open.into_iter().next());
        root.map(|root| root.parts).unwrap_or_default()
    }

    /// The map of what `write` writes.
    pub fn map_of(write: impl FnOnce(&mut Self)) -> ByteMap {
        let mut writer = Self::of_map();
        write(&mut writer);
        let nothing = || ByteMap { root: MapNode::group("", Span::new(0, 0), Vec::new()) };
        writer.finish().1.unwrap_or_else(nothing)
    }

    /// The parts of the map of what `write` writes, in a file where that begins at a byte.
    pub fn parts_from(start: usize, write: impl FnOnce(&mut Self)) -> Vec<MapNode> {
        let mut writer = Self { passed: Some(start), ..Self::of_map() };
        write(&mut writer);
        writer.parts()
    }

    /// Adds the node of what was written since `start` to the innermost open group.
    fn mark(&mut self, start: usize, node: impl FnOnce(Span) -> MapNode) {
        let span = Span::new(start, self.position());
        if let Some(group) = self.open.as_mut().and_then(|open| open.last_mut()) {
            group.parts.push(node(span));
        }
    }
}
