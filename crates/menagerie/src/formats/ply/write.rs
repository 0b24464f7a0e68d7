//! The file back as it was, with its byte map.

use std::borrow::Cow;

use super::header::{Element, Form, PropertyKind, Scalar};
use super::model::Model;
use crate::bytes::{ByteMap, FieldType, MapKind, MapList, MapNode, Span};
use crate::formats::{Elements, PrimitiveOrigin, Provenance, Recorder, list_of_lines};
use crate::scene::Scene;

fn lines(text: &[u8], from: usize) -> Vec<MapNode> {
    let mut start = from;
    let line = |(i, line): (usize, &[u8])| {
        let span = Span::new(start, start + line.len());
        start += line.len();
        MapNode::leaf(format!("lines[{i}]"), span, FieldType::Text)
    };
    text.split_inclusive(|byte| *byte == b'\n').enumerate().map(line).collect()
}

impl Model {
    /// What each byte of the file is.
    pub(super) fn byte_map(&self) -> ByteMap {
        let body = self.header.bytes.min(self.bytes.len());
        let header = lines(self.bytes.get(..body).unwrap_or_default(), 0);
        let mut parts = vec![MapNode::group("header", Span::new(0, body), header)];
        let rest = self.bytes.get(body..).unwrap_or_default();
        match self.header.form {
            Form::Ascii if rest.is_empty() => {}
            Form::Ascii => parts.push(list_of_lines(rest, body)),
            form => self.rows(form, body, &mut parts),
        }
        ByteMap { root: MapNode::group("", Span::new(0, self.bytes.len()), parts) }
    }

    /// Where vertices and faces are. Faces of more than three corners became several triangles, and lie nowhere alone.
    pub(super) fn origins(&self, scene: &Scene) -> Option<Provenance> {
        let mut origins = Recorder::new(true);
        let rows = |name: &str| {
            let element = self.header.elements.iter().position(|element| element.name == name)?;
            let before: usize = self.contents().rows.iter().take(element).sum();
            Some((before, self.contents().rows.get(element).copied()?))
        };
        let list = |name: &str, count: usize| {
            let Some((before, rows)) = rows(name).filter(|(_, rows)| *rows >= count) else {
                return Elements::default();
            };
            match self.header.form {
                Form::Ascii => {
                    Elements::list("lines").ordered((before..before + rows).map(|row| row as u32).collect())
                }
                _ => Elements::list(name),
            }
        };
        let Some(primitive) = scene.meshes.values().next().and_then(|mesh| mesh.primitives.first()) else {
            return origins.finish(scene);
        };
        let triangles = primitive.triangles().len();
        let all = rows("face").is_some_and(|(_, rows)| rows == triangles);
        origins.primitive(0, 0, || PrimitiveOrigin {
            path: String::new(),
            vertices: list("vertex", 0),
            triangles: if all { list("face", triangles) } else { Elements::default() },
        });
        origins.finish(scene)
    }

    /// The rows of a binary file, and what follows them.
    fn rows(&self, form: Form, from: usize, parts: &mut Vec<MapNode>) {
        let mut at = from;
        for (element, rows) in self.header.elements.iter().zip(&self.contents().rows) {
            if element.properties.is_empty() || *rows == 0 {
                continue;
            }
            let start = at;
            let mut ends = Vec::with_capacity(*rows);
            for _ in 0..*rows {
                fields(&self.bytes, element, form, &mut at, |_, _, _| {});
                ends.push(at as u64);
            }
            let (bytes, of_row) = (self.bytes.clone(), element.clone());
            let list = MapList::new(start as u64, ends, move |_, row| {
                let mut parts = Vec::new();
                let mut at = row.range().map_or(0, |range| range.start);
                fields(&bytes, &of_row, form, &mut at, |name, span, kind| {
                    parts.push(MapNode::leaf(name.into_owned(), span, kind));
                });
                MapKind::Group(parts)
            });
            let name = element.name.clone().into();
            parts.push(MapNode { name, span: list.span(), kind: MapKind::List(list) });
        }
        if at < self.bytes.len() {
            parts.push(MapNode::leaf("trailing", Span::new(at, self.bytes.len()), FieldType::Unused));
        }
    }
}

/// Hands over the fields of the row at a byte, and goes to its end.
fn fields<'n>(
    bytes: &[u8],
    element: &'n Element,
    form: Form,
    at: &mut usize,
    mut visit: impl FnMut(Cow<'n, str>, Span, FieldType),
) {
    for property in &element.properties {
        let mut field = |name: Cow<'n, str>, scalar: Scalar, count: usize| {
            let start = *at;
            *at = start.saturating_add(scalar.size().saturating_mul(count)).min(bytes.len());
            if *at > start {
                visit(name, Span::new(start, *at), field_type(scalar, form));
            }
            bytes.get(start..*at).and_then(|bytes| scalar.read(bytes, form))
        };
        match property.kind {
            PropertyKind::Scalar(scalar) => {
                field(property.name.as_str().into(), scalar, 1);
            }
            PropertyKind::List { count, item } => {
                let name = || format!("{}_count", property.name).into();
                let length = field(name(), count, 1).unwrap_or(0.0);
                field(property.name.as_str().into(), item, length.max(0.0) as usize);
            }
        }
    }
}

/// How `inspect` shows a number; it knows only one byte order.
fn field_type(scalar: Scalar, form: Form) -> FieldType {
    match (scalar, form) {
        (Scalar::I8, _) => FieldType::I8,
        (Scalar::U8, _) => FieldType::U8,
        (Scalar::F64, _) | (_, Form::BigEndian) => FieldType::Bytes,
        (Scalar::I16, _) => FieldType::I16,
        (Scalar::U16, _) => FieldType::U16,
        (Scalar::I32, _) => FieldType::I32,
        (Scalar::U32, _) => FieldType::U32,
        (Scalar::F32, _) => FieldType::F32,
    }
}
