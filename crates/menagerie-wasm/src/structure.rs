//! The byte map in slices: the parts of one part, the fields of a window of bytes.
//!
//! A part is named by the way to it: the numbers of the parts from the root on. Records of tables and their fields are
//! parts like others, though the map does not spell them out.

use std::borrow::Cow;
use std::rc::Rc;

use menagerie::bytes::{ByteMap, Field, FieldType, MapKind, MapList, MapNode, Record, Span, Value};
use serde_json::{Value as Json, json};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::document::Document;

/// A part of a file.
#[derive(Clone)]
pub(crate) struct Part<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) span: Span,
    /// Whether the span is in what was decoded, and not in the file.
    pub(crate) inside: bool,
    kind: Kind<'a>,
}

#[derive(Clone)]
enum Kind<'a> {
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
    pub(crate) fn root(map: &'a ByteMap) -> Self {
        Self::node(&map.root, false)
    }

    fn node(node: &'a MapNode, inside: bool) -> Self {
        let kind = match &node.kind {
            MapKind::Group(parts) => Kind::Group(parts),
            MapKind::Table { record, count } => Kind::Table(record, *count),
            MapKind::Encoded { bytes, map } => Kind::Encoded(bytes, map),
            MapKind::Leaf(kind) => Kind::Leaf(*kind),
            MapKind::List(list) => Kind::List(list.clone()),
            _ => Kind::Leaf(FieldType::Bytes),
        };
        Self { name: Cow::Borrowed(node.name.as_ref()), span: node.span, inside, kind }
    }

    /// Whether its parts are in what was decoded.
    pub(crate) fn holds_inside(&self) -> bool {
        self.inside || matches!(self.kind, Kind::Encoded(..))
    }

    /// How many parts it has.
    pub(crate) fn count(&self) -> usize {
        match &self.kind {
            Kind::Group(parts) => parts.len(),
            Kind::Fields(parts) => parts.len(),
            Kind::List(list) => list.len(),
            Kind::Table(_, count) => *count,
            Kind::Record(record) => record.fields.len(),
            Kind::Leaf(_) => 0,
            Kind::Encoded(_, map) => Self::node(&map.root, true).count(),
        }
    }

    /// One of its parts.
    pub(crate) fn part(&self, index: usize) -> Option<Self> {
        match self.kind.clone() {
            Kind::Group(parts) => parts.get(index).map(|node| Self::node(node, self.inside)),
            Kind::Fields(parts) => parts.get(index).map(|node| self.made(node.clone())),
            Kind::List(list) => list.part(index).map(|node| self.made(node)),
            Kind::Table(record, count) => {
                let start = self.span.start.checked_add((index as u64).checked_mul(record.size as u64)?)?;
                let span = Span { start, end: start.checked_add(record.size as u64)? };
                let part = Self {
                    name: Cow::Owned(format!("[{index}]")),
                    span,
                    inside: self.inside,
                    kind: Kind::Record(record),
                };
                (index < count).then_some(part)
            }
            Kind::Record(record) => record.fields.get(index).map(|field| self.field(field)),
            Kind::Encoded(_, map) => Self::node(&map.root, true).part(index),
            Kind::Leaf(_) => None,
        }
    }

    /// A part of a list, or a part of that.
    fn made(&self, node: MapNode) -> Self {
        let kind = match node.kind {
            MapKind::Group(parts) => Kind::Fields(parts.into()),
            MapKind::Table { record, count } => Kind::Table(record, count),
            MapKind::List(list) => Kind::List(list),
            MapKind::Leaf(kind) => Kind::Leaf(kind),
            _ => Kind::Leaf(FieldType::Bytes),
        };
        Self { name: Cow::Owned(node.name.into_owned()), span: node.span, inside: self.inside, kind }
    }

    fn field(&self, field: &'a Field) -> Self {
        let start = self.span.start.saturating_add(field.offset as u64);
        let size = field.kind.size().unwrap_or(1).saturating_mul(field.count);
        let span = Span { start, end: start.saturating_add(size as u64) };
        Self { name: Cow::Borrowed(field.name), span, inside: self.inside, kind: Kind::Leaf(field.kind) }
    }

    /// The number of the part that has a byte; those of a group may lie in any order.
    pub(crate) fn part_at(&self, byte: u64, inside: bool) -> Option<usize> {
        let has = |span: Span| (span.start..span.end).contains(&byte);
        match self.kind.clone() {
            Kind::Encoded(_, map) if inside => Self::node(&map.root, true).part_at(byte, true),
            Kind::Group(parts) if inside && !self.inside => {
                parts.iter().position(|node| matches!(node.kind, MapKind::Encoded { .. }))
            }
            _ if inside != self.inside => None,
            Kind::Group(parts) => {
                // Nearly always they are in the order of their bytes.
                let near = parts.partition_point(|node| node.span.end <= byte);
                let found = parts.get(near).filter(|node| has(node.span)).map(|_| near);
                found.or_else(|| parts.iter().position(|node| has(node.span)))
            }
            Kind::Table(record, count) => {
                let index = byte.checked_sub(self.span.start)? / (record.size as u64).max(1);
                usize::try_from(index).ok().filter(|index| *index < count)
            }
            Kind::Record(record) => record.fields.iter().position(|field| has(self.field(field).span)),
            Kind::List(list) => list.at(byte),
            Kind::Fields(parts) => parts.iter().position(|node| has(node.span)),
            Kind::Leaf(_) | Kind::Encoded(..) => None,
        }
    }

    /// The path of a part of this one, which has the path `above`.
    pub(crate) fn join(above: &str, name: &str) -> String {
        match (above, name) {
            ("", name) => name.to_owned(),
            (above, "") => above.to_owned(),
            (above, name) if name.starts_with('[') => format!("{above}{name}"),
            (above, name) => format!("{above}.{name}"),
        }
    }

    fn json(&self, document: &Document) -> Json {
        let mut value = json!({
            "name": self.name, "start": self.span.start, "end": self.span.end, "parts": self.count(), "inside": self.inside,
        });
        let Some(fields) = value.as_object_mut() else { return value };
        match self.kind.clone() {
            Kind::Leaf(kind) => {
                fields.insert("type".to_owned(), kind.name().into());
                fields.insert("value".to_owned(), document.value(self.span, self.inside, kind).into());
            }
            Kind::Table(record, count) => {
                fields.insert("value".to_owned(), format!("{count} × {} bytes", record.size).into());
                fields.insert("table".to_owned(), true.into());
            }
            Kind::Record(record) => {
                fields.insert("value".to_owned(), document.record_text(self, record).into());
                fields.insert("record".to_owned(), true.into());
            }
            Kind::Encoded(bytes, _) => {
                fields.insert("value".to_owned(), format!("{} bytes inside", bytes.len()).into());
            }
            Kind::List(list) => {
                fields.insert("value".to_owned(), format!("{} of them", list.len()).into());
                fields.insert("table".to_owned(), true.into());
            }
            Kind::Group(_) | Kind::Fields(_) => {}
        }
        value
    }
}

/// What a part is coloured by: its list, without numbers, so that all vertices look alike. Fields have the colour of what
/// they are in.
fn region(part: &Part<'_>, path: &str) -> String {
    let own = without_numbers(path);
    match own.rfind('.').filter(|_| matches!(part.kind, Kind::Leaf(_)) && !path.ends_with(']')) {
        Some(at) => own.get(..at).unwrap_or(&own).to_owned(),
        None => own,
    }
}

fn without_numbers(path: &str) -> String {
    let mut region = String::with_capacity(path.len());
    let mut skip = false;
    for c in path.chars() {
        match c {
            '[' => skip = true,
            ']' => skip = false,
            c if !skip => region.push(c),
            _ => {}
        }
    }
    region
}

/// The most that one answer holds.
const MOST: usize = 4096;
/// Letters of a text and numbers of a list that are shown.
const LONGEST: usize = 120;

impl Document {
    /// The bytes that spans are in.
    pub(crate) fn space(&self, inside: bool) -> &[u8] {
        if !inside {
            return &self.bytes;
        }
        self.byte_map().and_then(|map| decoded(&map.root)).unwrap_or_default()
    }

    fn value(&self, span: Span, inside: bool, kind: FieldType) -> String {
        let bytes = span.range().and_then(|range| self.space(inside).get(range)).unwrap_or_default();
        let longest = kind.size().map_or(LONGEST, |size| size * 16);
        let shown = bytes.get(..longest).unwrap_or(bytes);
        let mut text = Value::decode(shown, kind).to_string();
        if matches!(kind, FieldType::Bytes | FieldType::Padding | FieldType::Unused) {
            return format!("{} bytes", bytes.len());
        }
        if shown.len() < bytes.len() {
            text.push('…');
        }
        text
    }

    fn record_text(&self, part: &Part<'_>, record: &Record) -> String {
        let fields = record.fields.iter().map(|field| {
            let part = part.field(field);
            format!("{} {}", field.name, self.value(part.span, part.inside, field.kind))
        });
        let text = fields.collect::<Vec<_>>().join("  ");
        if text.chars().count() > LONGEST {
            format!("{}…", text.chars().take(LONGEST).collect::<String>())
        } else {
            text
        }
    }

    /// The part at the end of a way, and its path.
    pub(crate) fn walk(&self, way: &[u32]) -> Option<(Part<'_>, String)> {
        let mut part = Part::root(self.byte_map()?);
        let mut path = String::new();
        for step in way {
            part = part.part(*step as usize)?;
            path = Part::join(&path, &part.name);
        }
        Some((part, path))
    }

    /// The way to the deepest part that has a byte, with its path.
    pub(crate) fn way_to(&self, byte: u64, inside: bool) -> Option<(Vec<u32>, Part<'_>, String)> {
        let mut part = Part::root(self.byte_map()?);
        let (mut way, mut path) = (Vec::new(), String::new());
        while let Some(index) = part.part_at(byte, inside) {
            part = part.part(index)?;
            way.push(u32::try_from(index).ok()?);
            path = Part::join(&path, &part.name);
        }
        (!way.is_empty()).then_some((way, part, path))
    }
}

/// What was decoded of a file, where a part of it is encoded.
fn decoded(node: &MapNode) -> Option<&[u8]> {
    match &node.kind {
        MapKind::Encoded { bytes, .. } => Some(bytes),
        MapKind::Group(parts) => parts.iter().find_map(|part| match &part.kind {
            MapKind::Encoded { bytes, .. } => Some(bytes.as_slice()),
            _ => None,
        }),
        _ => None,
    }
}

#[wasm_bindgen]
impl Document {
    /// Some of the parts of the part at the end of a way, from one on, as a JSON list.
    #[must_use]
    pub fn parts(&self, way: &[u32], from: usize, count: usize) -> String {
        let Some((part, above)) = self.walk(way) else { return "[]".to_owned() };
        let parts = (from..from.saturating_add(count.min(MOST))).map_while(|index| {
            let part = part.part(index)?;
            let mut value = part.json(self);
            let region = region(&part, &Part::join(&above, &part.name));
            value.as_object_mut()?.insert("region".to_owned(), region.into());
            Some(value)
        });
        Json::from(parts.collect::<Vec<_>>()).to_string()
    }

    /// How many parts the file has at its top.
    #[must_use]
    pub fn top_count(&self) -> usize {
        self.byte_map().map_or(0, |map| Part::root(map).count())
    }

    /// The deepest part that has a byte: its way, path, span, type and value, as JSON; null where there is none.
    #[must_use]
    pub fn part_at(&self, byte: f64, inside: bool) -> String {
        self.way_to(byte as u64, inside)
            .map_or(Json::Null, |(way, part, path)| {
                let mut value = part.json(self);
                if let Some(fields) = value.as_object_mut() {
                    fields.insert("region".to_owned(), region(&part, &path).into());
                    fields.insert("way".to_owned(), way.into());
                    fields.insert("path".to_owned(), path.into());
                }
                value
            })
            .to_string()
    }

    /// The part that a path means, as `part_at` gives it.
    #[must_use]
    pub fn part_of(&self, path: &str) -> String {
        let found = self.byte_map().and_then(|map| {
            let mut part = Part::root(map);
            let (mut way, mut walked, mut rest) = (Vec::<u32>::new(), String::new(), path);
            while !rest.is_empty() {
                let (index, next, after) = step(&part, rest)?;
                walked = Part::join(&walked, &next.name);
                part = next;
                way.push(u32::try_from(index).ok()?);
                rest = after.strip_prefix('.').unwrap_or(after);
            }
            let mut value = part.json(self);
            let fields = value.as_object_mut()?;
            fields.insert("region".to_owned(), region(&part, &walked).into());
            fields.insert("way".to_owned(), way.into());
            fields.insert("path".to_owned(), walked.into());
            Some(value)
        });
        found.unwrap_or(Json::Null).to_string()
    }

    /// The fields that a window of bytes shows, as a JSON list of start, end, region, path, type.
    #[must_use]
    pub fn fields(&self, start: f64, end: f64, inside: bool) -> String {
        let (mut at, end) = (start as u64, end as u64);
        let mut list = Vec::new();
        while at < end && list.len() < MOST {
            match self.way_to(at, inside) {
                Some((_, part, path)) if part.span.end > at => {
                    let kind = match part.kind {
                        Kind::Leaf(kind) => kind.name(),
                        _ => "",
                    };
                    list.push(json!([part.span.start, part.span.end, region(&part, &path), path, kind]));
                    at = part.span.end;
                }
                _ => at += 1,
            }
        }
        Json::from(list).to_string()
    }

    /// What the file is made of, for a strip of `count` pieces: the region of each, as a JSON list.
    #[must_use]
    pub fn strip(&self, count: usize, inside: bool) -> String {
        let length = self.space(inside).len() as u64;
        let piece = |index: usize| {
            let byte = length.saturating_mul(2 * index as u64 + 1) / (2 * count.max(1) as u64);
            self.way_to(byte, inside).map_or(String::new(), |(_, part, path)| region(&part, &path))
        };
        Json::from((0..count.min(MOST)).map(piece).collect::<Vec<_>>()).to_string()
    }

    /// What was decoded of the file; empty where nothing is encoded.
    #[must_use]
    pub fn decoded(&self) -> Vec<u8> {
        self.byte_map().and_then(|map| decoded(&map.root)).unwrap_or_default().to_vec()
    }

    /// Parts whose path or text has some words, in the order of the file, from the one after `after` on: their ways and
    /// paths, as a JSON list of at most `count`.
    #[must_use]
    pub fn search(&self, words: &str, count: usize) -> String {
        let Some(map) = self.byte_map() else { return "[]".to_owned() };
        let words = words.to_lowercase();
        let mut hits: Vec<Json> = Vec::new();
        let mut open = vec![(Part::root(map), Vec::<u32>::new(), String::new())];
        let mut looked = 0usize;
        while let Some((part, way, path)) = open.pop() {
            looked += 1;
            if looked > MOST_LOOKED_AT || hits.len() >= count.min(MOST) {
                break;
            }
            if !way.is_empty() && self.matches(&part, &path, &words) {
                let mut value = part.json(self);
                if let Some(fields) = value.as_object_mut() {
                    fields.insert("way".to_owned(), way.clone().into());
                    fields.insert("path".to_owned(), path.clone().into());
                }
                hits.push(value);
            }
            let inner = match part.kind {
                // Records are all alike; the table stands for them.
                Kind::Table(..) => 0,
                _ => part.count(),
            };
            for index in (0..inner).rev() {
                if let Some(next) = part.part(index) {
                    let path = Part::join(&path, &next.name);
                    let mut way = way.clone();
                    way.push(index as u32);
                    open.push((next, way, path));
                }
            }
        }
        Json::from(hits).to_string()
    }
}

/// How many parts a search looks at.
const MOST_LOOKED_AT: usize = 400_000;

impl Document {
    fn matches(&self, part: &Part<'_>, path: &str, words: &str) -> bool {
        let named = match path.rfind('.') {
            Some(at) => path.get(at + 1..).unwrap_or(path),
            None => path,
        };
        let by_path = words.contains(['.', '[']) && path.to_lowercase().contains(words);
        let by_text = || match part.kind {
            Kind::Leaf(FieldType::Text) => {
                self.value(part.span, part.inside, FieldType::Text).to_lowercase().contains(words)
            }
            Kind::Leaf(kind) if kind.size().is_some() => self.value(part.span, part.inside, kind) == words,
            _ => false,
        };
        by_path || named.to_lowercase().contains(words) || by_text()
    }
}

/// The part with which a path begins, and the rest of the path.
pub(crate) fn step<'a, 'p>(part: &Part<'a>, path: &'p str) -> Option<(usize, Part<'a>, &'p str)> {
    if matches!(part.kind, Kind::Table(..) | Kind::List(_)) {
        let (index, after) = path.strip_prefix('[')?.split_once(']')?;
        let index: usize = index.parse().ok()?;
        return Some((index, part.part(index)?, after));
    }
    let exact = (0..part.count()).find_map(|index| {
        let next = part.part(index)?;
        let after = path.strip_prefix(next.name.as_ref())?;
        let whole = after.is_empty() || after.starts_with(['.', '[']);
        whole.then_some((index, next, after))
    });
    // Parts that lie apart have no common one: `meshes[0]` is `meshes[0].record`, `meshes[0].vertices`, …
    let first = || {
        (0..part.count()).find_map(|index| {
            let next = part.part(index)?;
            let parts = next.name.strip_prefix(path).is_some_and(|rest| rest.starts_with('.'));
            parts.then_some((index, next, ""))
        })
    };
    exact.or_else(first)
}
