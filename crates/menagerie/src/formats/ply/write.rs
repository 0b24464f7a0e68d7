use super::header::{Element, Form, PropertyKind, Scalar};
use super::lift;
use super::model::Model;
use crate::bytes::{ByteMap, FieldType, Limits, MapNode, Span};
use crate::diag::{Issue, Issues};
use crate::formats::{
    Elements, FileModel, Format, Lifted, Output, PrimitiveOrigin, Provenance, ReadOptions, Recorder, Summary,
};
use crate::scene::Scene;

impl FileModel for Model {
    fn format(&self) -> &'static Format {
        &super::FORMAT
    }

    fn summary(&self) -> Summary {
        self.summary()
    }

    /// Everything was found in reading the file.
    fn check(&self, _: &Limits, _: &mut Issues) {}

    fn layout(&self) -> ByteMap {
        let body = self.header.bytes.min(self.bytes.len());
        let header = lines(self.bytes.get(..body).unwrap_or_default(), 0);
        let mut parts = vec![MapNode::group("header", Span::new(0, body), header)];
        let rest = self.bytes.get(body..).unwrap_or_default();
        match self.header.form {
            Form::Ascii => parts.extend(lines(rest, body)),
            form => self.rows(form, body, &mut parts),
        }
        ByteMap { root: MapNode::group("", Span::new(0, self.bytes.len()), parts) }
    }

    fn write(&self) -> Result<Output, Issue> {
        Ok(self.bytes.clone().into())
    }

    fn lift(&self, options: &ReadOptions<'_>) -> Result<Lifted, Issue> {
        crate::formats::of_lifting(&self.summary(), &options.limits)?;
        let scene = lift::scene(&self.header, self.contents.clone());
        let provenance = options.provenance.then(|| self.origins(&scene)).flatten();
        Ok(Lifted { scene, provenance, ..Lifted::default() })
    }
}

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
    /// Where vertices and faces are. Faces of more than three corners became several triangles, and lie nowhere alone.
    fn origins(&self, scene: &Scene) -> Option<Provenance> {
        let mut origins = Recorder::new(true);
        let rows = |name: &str| {
            let element = self.header.elements.iter().position(|element| element.name == name)?;
            let before: usize = self.contents.rows.iter().take(element).sum();
            Some((before, self.contents.rows.get(element).copied()?))
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
        for (element, rows) in self.header.elements.iter().zip(&self.contents.rows) {
            if element.properties.is_empty() {
                continue;
            }
            for index in 0..*rows {
                let start = at;
                let fields = self.fields(element, form, &mut at);
                parts.push(MapNode::group(
                    format!("{}[{index}]", element.name),
                    Span::new(start, at),
                    fields,
                ));
            }
        }
        if at < self.bytes.len() {
            parts.push(MapNode::leaf("trailing", Span::new(at, self.bytes.len()), FieldType::Unused));
        }
    }

    fn fields(&self, element: &Element, form: Form, at: &mut usize) -> Vec<MapNode> {
        let mut fields = Vec::new();
        for property in &element.properties {
            let mut field = |name: String, scalar: Scalar, count: usize| {
                let start = *at;
                *at = start.saturating_add(scalar.size().saturating_mul(count)).min(self.bytes.len());
                if *at > start {
                    fields.push(MapNode::leaf(name, Span::new(start, *at), field_type(scalar, form)));
                }
                self.bytes.get(start..*at).and_then(|bytes| scalar.read(bytes, form))
            };
            match property.kind {
                PropertyKind::Scalar(scalar) => {
                    field(property.name.clone(), scalar, 1);
                }
                PropertyKind::List { count, item } => {
                    let length = field(format!("{}_count", property.name), count, 1).unwrap_or(0.0);
                    field(property.name.clone(), item, length.max(0.0) as usize);
                }
            }
        }
        fields
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
