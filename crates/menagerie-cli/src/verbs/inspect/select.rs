//! The parts of a byte map.

use std::borrow::Cow;
use std::rc::Rc;

use menagerie::bytes::{ByteMap, FieldType, MapKind, MapList, MapNode, Record, Span};

/// A part of a file: a node of its map, a record of a table, or a field of a record.
#[derive(Clone)]
pub(super) struct Part<'a> {
    pub(super) name: Cow<'a, str>,
    /// The path from the top of the file.
    pub(super) path: String,
    pub(super) span: Span,
    pub(super) kind: Kind<'a>,
    /// The bytes in which `span` is a range: the file, or what was decoded of it.
    pub(super) bytes: &'a [u8],
}

#[derive(Clone)]
pub(super) enum Kind<'a> {
    Group(&'a [MapNode]),
    Leaf(FieldType),
    Table(&'a Record, usize),
    Record(&'a Record),
    List(MapList),
    /// The fields of a part of a list.
    Fields(Rc<[MapNode]>),
    Encoded(&'a [u8], &'a ByteMap),
}

impl<'a> Part<'a> {
    fn node(node: &'a MapNode, above: &str, bytes: &'a [u8]) -> Self {
        let kind = match &node.kind {
            MapKind::Group(parts) => Kind::Group(parts),
            MapKind::Table { record, count } => Kind::Table(record, *count),
            MapKind::Encoded { bytes, map } => Kind::Encoded(bytes, map),
            MapKind::Leaf(kind) => Kind::Leaf(*kind),
            MapKind::List(list) => Kind::List(list.clone()),
            _ => Kind::Leaf(FieldType::Bytes),
        };
        let name = Cow::Borrowed(node.name.as_ref());
        Self { path: join(above, &name), name, span: node.span, kind, bytes }
    }

    /// Whether it is a table or a field, and not made of other parts.
    pub(super) fn is_list(&self) -> bool {
        self.records().is_some() || matches!(self.kind, Kind::Leaf(_))
    }

    /// How many records it has, of a table or a list.
    pub(super) fn records(&self) -> Option<usize> {
        match &self.kind {
            Kind::Table(_, count) => Some(*count),
            Kind::List(list) => Some(list.len()),
            _ => None,
        }
    }

    /// The number of the record that has a byte.
    pub(super) fn record_at(&self, byte: u64) -> Option<usize> {
        match &self.kind {
            Kind::Table(record, count) => {
                let index = byte.saturating_sub(self.span.start) / record.size.max(1) as u64;
                Some(usize::try_from(index).unwrap_or(*count))
            }
            Kind::List(list) => {
                Some(list.at(byte).unwrap_or(if byte < self.span.start { 0 } else { list.len() }))
            }
            _ => None,
        }
    }

    /// The `index`th record, of a table or a list.
    pub(super) fn record(&self, index: usize) -> Option<Self> {
        if let Kind::List(list) = &self.kind {
            let node = list.part(index)?;
            let path = format!("{}{}", self.path, node.name);
            let name = Cow::Owned(format!("{}{}", self.name, node.name));
            return Some(Self { name, path, span: node.span, kind: made(node.kind), bytes: self.bytes });
        }
        let Kind::Table(record, count) = self.kind else { return None };
        let start = self.span.start.checked_add((index as u64).checked_mul(record.size as u64)?)?;
        let span = Span { start, end: start.checked_add(record.size as u64)? };
        let path = format!("{}[{index}]", self.path);
        let name = Cow::Owned(format!("{}[{index}]", self.name));
        (index < count).then_some(Self { name, path, span, kind: Kind::Record(record), bytes: self.bytes })
    }

    /// The parts of this one, those of a table excepted.
    pub(super) fn parts(&self) -> Vec<Self> {
        match &self.kind {
            Kind::Fields(nodes) => nodes.iter().map(|node| self.part_of_record(node)).collect(),
            Kind::Group(nodes) => nodes.iter().map(|node| Self::node(node, &self.path, self.bytes)).collect(),
            Kind::Record(record) => record.fields.iter().map(|field| self.field(field)).collect(),
            // The root of what is inside has no name of its own.
            Kind::Encoded(inside, map) => match &map.root.kind {
                MapKind::Group(nodes) => {
                    nodes.iter().map(|node| Self::node(node, &self.path, inside)).collect()
                }
                _ => vec![Self::node(&map.root, &self.path, inside)],
            },
            Kind::Leaf(_) | Kind::Table(..) | Kind::List(_) => Vec::new(),
        }
    }

    /// A part of a part of a list.
    fn part_of_record(&self, node: &MapNode) -> Self {
        Self {
            name: Cow::Owned(node.name.clone().into_owned()),
            path: join(&self.path, &node.name),
            span: node.span,
            kind: made(node.kind.clone()),
            bytes: self.bytes,
        }
    }

    fn field(&self, field: &'a menagerie::bytes::Field) -> Self {
        let start = self.span.start + field.offset as u64;
        let size = field.kind.size().unwrap_or(1) * field.count;
        Self {
            name: Cow::Borrowed(field.name),
            path: join(&self.path, field.name),
            span: Span { start, end: start + size as u64 },
            kind: Kind::Leaf(field.kind),
            bytes: self.bytes,
        }
    }
}

/// What was made of a part of a list when it was looked at.
fn made<'a>(kind: MapKind) -> Kind<'a> {
    match kind {
        MapKind::Group(parts) => Kind::Fields(parts.into()),
        MapKind::Table { record, count } => Kind::Table(record, count),
        MapKind::List(list) => Kind::List(list),
        MapKind::Leaf(kind) => Kind::Leaf(kind),
        _ => Kind::Leaf(FieldType::Bytes),
    }
}

fn join(above: &str, name: &str) -> String {
    match (above, name) {
        ("", name) => name.to_owned(),
        (above, "") => above.to_owned(),
        (above, name) => format!("{above}.{name}"),
    }
}

/// The parts of a file that a path means: one, or all elements of a list when the path has no index at its end.
pub(super) fn select<'a>(map: &'a ByteMap, bytes: &'a [u8], path: &str) -> Vec<Part<'a>> {
    let mut part = Part::node(&map.root, "", bytes);
    part.path.clear();
    if path.is_empty() {
        return if matches!(part.kind, Kind::Group(_)) { part.parts() } else { vec![part] };
    }
    let mut rest = path;
    loop {
        if part.records().is_some() {
            let Some((index, after)) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) else {
                return Vec::new();
            };
            let Some(record) = index.parse().ok().and_then(|index| part.record(index)) else {
                return Vec::new();
            };
            part = record;
            rest = after.strip_prefix('.').unwrap_or(after);
        } else {
            let parts = part.parts();
            let of_list: Vec<Part<'_>> = parts
                .iter()
                .filter(|p| p.name.strip_prefix(rest).is_some_and(|after| after.starts_with('[')))
                .cloned()
                .collect();
            let step = parts.into_iter().find_map(|p| {
                let after = rest.strip_prefix(p.name.as_ref())?;
                let whole = after.is_empty() || after.starts_with(['.', '[']);
                whole.then(|| (after.strip_prefix('.').unwrap_or(after), p))
            });
            match step {
                Some((after, next)) => (rest, part) = (after, next),
                None => return of_list,
            }
        }
        if rest.is_empty() {
            return vec![part];
        }
    }
}
