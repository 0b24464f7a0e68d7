//! What the bytes of a file are: a tree of named ranges.

use std::borrow::Cow;

use super::{MapList, Span, Stored, utf8_or_windows_1252};

/// What the bytes of a file are: a tree of named ranges whose leaves are fields.
///
/// Large lists are not spelt out: a [`MapKind::Table`] describes its elements by one [`Record`].
#[derive(Clone, Debug, PartialEq)]
pub struct ByteMap {
    /// The whole file.
    pub root: MapNode,
}

/// One named range of bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct MapNode {
    /// The field's name, or `list[3]` for an element of a list.
    pub name: Cow<'static, str>,
    /// Where it is.
    pub span: Span,
    /// What it is.
    pub kind: MapKind,
}

/// What a range of bytes is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MapKind {
    /// A structure of named parts, in the order of their bytes.
    Group(Vec<MapNode>),
    /// One field.
    Leaf(FieldType),
    /// `count` records that follow each other.
    Table {
        /// What one record is.
        record: &'static Record,
        /// How many there are.
        count: usize,
    },
    /// Parts that follow each other and are made when somebody looks at them.
    List(MapList),
    /// Compressed or encoded bytes, with the map of what they hold; its spans are positions in the decoded bytes.
    Encoded {
        /// The decoded bytes.
        bytes: Vec<u8>,
        /// What the decoded bytes are.
        map: Box<ByteMap>,
    },
}

/// How the bytes of a field are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldType {
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// Signed, 8 bits.
    I8,
    /// Signed, 16 bits.
    I16,
    /// Signed, 32 bits.
    I32,
    /// IEEE half precision.
    F16,
    /// IEEE single precision.
    F32,
    /// Text without a terminator.
    Text,
    /// Bytes that mean something.
    Bytes,
    /// Bytes that only fill up.
    Padding,
    /// Bytes that nothing refers to.
    Unused,
}

impl FieldType {
    /// The bytes of one element; `None` where the span says it.
    pub const fn size(self) -> Option<usize> {
        Some(match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 | Self::F16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 => 8,
            Self::Text | Self::Bytes | Self::Padding | Self::Unused => return None,
        })
    }

    /// The name that `inspect` shows.
    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::F16 => "f16",
            Self::F32 => "f32",
            Self::Text => "text",
            Self::Bytes => "bytes",
            Self::Padding => "padding",
            Self::Unused => "unused",
        }
    }
}

/// One field of a [`Record`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The field's name.
    pub name: &'static str,
    /// Its first byte in the record.
    pub offset: usize,
    /// What one element is.
    pub kind: FieldType,
    /// How many elements follow each other: 3 for a vector.
    pub count: usize,
}

impl Field {
    /// A field of `count` elements of a kind, at the beginning of its record.
    pub const fn new(name: &'static str, kind: FieldType, count: usize) -> Self {
        Self { name, offset: 0, kind, count }
    }

    /// A field that is kept at `_place` of a model; as the only one of `kinds`, if there is one.
    #[doc(hidden)]
    pub const fn stored<T, S: Stored>(name: &'static str, _place: fn(&T) -> &S, kinds: &[FieldType]) -> Self {
        match kinds.first() {
            Some(kind) => Self::new(name, *kind, size_of::<S>() / unit(*kind)),
            None => Self::new(name, S::KIND, S::COUNT),
        }
    }

    /// The same fields, each behind the one before it.
    pub const fn in_order<const N: usize>(mut fields: [Self; N]) -> [Self; N] {
        let mut rest: &mut [Self] = &mut fields;
        let mut at = 0;
        while let Some((field, after)) = rest.split_first_mut() {
            field.offset = at;
            at += field.bytes();
            rest = after;
        }
        fields
    }

    /// Its bytes.
    pub const fn bytes(&self) -> usize {
        self.count * unit(self.kind)
    }
}

/// The bytes of one element of a field.
const fn unit(kind: FieldType) -> usize {
    match kind.size() {
        Some(size) => size,
        None => 1,
    }
}

impl Record {
    /// The record of fields that follow each other.
    pub const fn of(fields: &'static [Field]) -> Self {
        let size = match fields.last() {
            Some(last) => last.offset + last.bytes(),
            None => 0,
        };
        Self { size, fields }
    }

    /// The bytes of a field of the record that begins at byte `start`; those of the whole record for an unknown name.
    pub fn span(&self, start: usize, name: &str) -> Span {
        self.spans(start, name, name)
    }

    /// The bytes from one field to another, both included.
    pub fn spans(&self, start: usize, first: &str, last: &str) -> Span {
        let field = |name: &str| self.fields.iter().find(|field| field.name == name);
        let from = field(first).map_or(0, |field| field.offset);
        let to = field(last).map_or(self.size, |field| field.offset.saturating_add(field.bytes()));
        Span::new(start.saturating_add(from), start.saturating_add(to))
    }
}

/// The fixed layout of the elements of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record {
    /// Bytes of one record.
    pub size: usize,
    /// Its fields, without gap.
    pub fields: &'static [Field],
}

/// The value of a field, decoded for a person or for JSON.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(i128),
    /// A float.
    Float(f32),
    /// Several numbers.
    List(Vec<Value>),
    /// Text.
    Text(String),
    /// Raw bytes: how many.
    Bytes(usize),
}

impl ByteMap {
    /// The range of the field at `path`, such as `entities[3].bones[2].first`. When the path goes deeper than the
    /// map, the range of the deepest part that the map knows; `None` for an unknown path.
    pub fn find(&self, path: &str) -> Option<Span> {
        find_below(&self.root, self.root.span, path)
    }

    /// All leaves in order, tables spelt out, as `(path, span, type, elements)`. Encoded data counts as one leaf.
    pub fn leaves(&self) -> Vec<(String, Span, FieldType)> {
        let mut leaves = Vec::new();
        let mut open = vec![(String::new(), &self.root)];
        while let Some((path, node)) = open.pop() {
            match &node.kind {
                MapKind::Group(children) => {
                    open.extend(children.iter().rev().map(|child| (join(&path, &child.name), child)));
                }
                MapKind::Leaf(kind) => leaves.push((path, node.span, *kind)),
                MapKind::List(list) => {
                    for part in (0..list.len()).filter_map(|index| list.part(index)) {
                        let own = format!("{path}{}", part.name);
                        let inner = ByteMap { root: part }.leaves();
                        leaves.extend(inner.into_iter().map(|(path, span, kind)| {
                            (if path.is_empty() { own.clone() } else { join(&own, &path) }, span, kind)
                        }));
                    }
                }
                MapKind::Encoded { .. } => leaves.push((path, node.span, FieldType::Bytes)),
                MapKind::Table { record, count } => {
                    for index in 0..*count {
                        for field in record.fields {
                            if let Some(span) = field_span(node.span, record, index, field) {
                                leaves.push((format!("{path}[{index}].{}", field.name), span, field.kind));
                            }
                        }
                    }
                }
            }
        }
        leaves
    }
}

/// The range of the part at a path below a part of a file, whose root has the range `root`.
fn find_below(node: &MapNode, root: Span, path: &str) -> Option<Span> {
    let (mut node, mut rest) = (node, path);
    'steps: while !rest.is_empty() {
        match &node.kind {
            MapKind::Group(children) => {
                for child in children {
                    if let Some(after) = rest.strip_prefix(child.name.as_ref())
                        && (after.is_empty() || after.starts_with(['.', '[']))
                    {
                        rest = after.strip_prefix('.').unwrap_or(after);
                        node = child;
                        continue 'steps;
                    }
                }
                return (node.span != root).then_some(node.span);
            }
            MapKind::Table { record, .. } => return find_in_table(node.span, record, rest),
            MapKind::List(list) => return find_in_list(list, root, rest),
            MapKind::Encoded { map, .. } => return map.find(rest),
            MapKind::Leaf(_) => return Some(node.span),
        }
    }
    Some(node.span)
}

/// `rest` is what follows a list's name in a path: `[17].x`, or `[17]`.
fn find_in_list(list: &MapList, root: Span, rest: &str) -> Option<Span> {
    let (index, after) = rest.strip_prefix('[')?.split_once(']')?;
    let part = list.part(index.parse().ok()?)?;
    find_below(&part, root, after.strip_prefix('.').unwrap_or(after))
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The range of a field of the `index`th record of a table.
fn field_span(table: Span, record: &Record, index: usize, field: &Field) -> Option<Span> {
    let start = (index as u64)
        .checked_mul(record.size as u64)?
        .checked_add(table.start)?
        .checked_add(field.offset as u64)?;
    Some(Span { start, end: start.checked_add(field.bytes() as u64)? })
}

/// `rest` is what follows a table's name in a path: `[17].u`, or `[17]`.
fn find_in_table(table: Span, record: &Record, rest: &str) -> Option<Span> {
    let (index, field) = rest.strip_prefix('[')?.split_once(']')?;
    let index: usize = index.parse().ok()?;
    let field = field.trim_start_matches('.');
    if let Some(field) = record.fields.iter().find(|f| f.name == field) {
        return field_span(table, record, index, field);
    }
    let start = (index as u64).checked_mul(record.size as u64)?.checked_add(table.start)?;
    Some(Span { start, end: start.checked_add(record.size as u64)? })
}

impl MapNode {
    /// A group.
    pub fn group(name: impl Into<Cow<'static, str>>, span: Span, parts: Vec<MapNode>) -> Self {
        Self { name: name.into(), span, kind: MapKind::Group(parts) }
    }

    /// A field.
    pub fn leaf(name: impl Into<Cow<'static, str>>, span: Span, kind: FieldType) -> Self {
        Self { name: name.into(), span, kind: MapKind::Leaf(kind) }
    }
}

impl Value {
    /// Decodes `bytes` as elements of type `kind`; several make a list.
    pub fn decode(bytes: &[u8], kind: FieldType) -> Self {
        let Some(size) = kind.size() else {
            return match kind {
                FieldType::Text => Self::Text(utf8_or_windows_1252(bytes)),
                _ => Self::Bytes(bytes.len()),
            };
        };
        let mut values: Vec<Value> =
            bytes.chunks_exact(size).map(|element| Self::element(element, kind)).collect();
        match values.pop() {
            Some(only) if values.is_empty() => only,
            Some(last) => {
                values.push(last);
                Self::List(values)
            }
            None => Self::Bytes(bytes.len()),
        }
    }

    fn element(bytes: &[u8], kind: FieldType) -> Self {
        let mut word = [0u8; 8];
        for (to, from) in word.iter_mut().zip(bytes) {
            *to = *from;
        }
        let bits = u64::from_le_bytes(word);
        match kind {
            FieldType::I8 => Self::Integer((bits as u8 as i8).into()),
            FieldType::I16 => Self::Integer((bits as u16 as i16).into()),
            FieldType::I32 => Self::Integer((bits as u32 as i32).into()),
            FieldType::F16 => Self::Float(half::f16::from_bits(bits as u16).to_f32()),
            FieldType::F32 => Self::Float(f32::from_bits(bits as u32)),
            _ => Self::Integer(bits.into()),
        }
    }

    /// As JSON. A float that is not finite becomes a string.
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Self::Integer(n) => serde_json::Number::from_i128(*n).map_or(serde_json::Value::Null, Into::into),
            Self::Float(f) => match serde_json::Number::from_f64(f64::from(*f)) {
                Some(number) => number.into(),
                None => f.to_string().into(),
            },
            Self::List(values) => values.iter().map(Self::to_json).collect(),
            Self::Text(text) => text.as_str().into(),
            Self::Bytes(n) => serde_json::json!({ "bytes": n }),
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Integer(n) => write!(f, "{n}"),
            Self::Float(x) => write!(f, "{x:?}"),
            Self::List(values) => {
                f.write_str("(")?;
                for (i, value) in values.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{value}")?;
                }
                f.write_str(")")
            }
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Bytes(1) => f.write_str("1 byte"),
            Self::Bytes(n) => write!(f, "{n} bytes"),
        }
    }
}
