//! Bytes to file model, in words or numbers of either byte order; also from a stream.

use std::io::Read;

use super::build::{Builder, Contents, Row};
use super::columns::{Column, plan};
use super::header::{self, Element, Form, Header, PropertyKind, Scalar};
use super::model::{Model, summary};
use super::rows::Rows;
use super::{check, codes, lift};
use crate::bytes::{Limits, Span, Token, read_float};
use crate::diag::{Aspect, Issue, Issues, TRUNCATED};
use crate::formats::ReadOptions;
use crate::formats::stream::{BLOCK, Blocks, Streamed};

/// Reads a file. What can be forgiven goes to `issues`; what cannot is the error.
pub fn read(bytes: &[u8], options: &ReadOptions<'_>, issues: &mut Issues) -> Result<Model, Issue> {
    let mut source = bytes;
    let (header, contents) =
        contents(&mut Blocks::new(&mut source, options), Some(bytes.len() as u64), &options.limits, issues)?;
    Ok(Model { bytes: options.keep(bytes), header, contents: contents.into() })
}

/// What the rows of a file say that is known to be good.
pub(super) fn contents_again(bytes: &[u8]) -> Contents {
    let options = ReadOptions::default();
    let (mut source, mut issues) = (bytes, Issues::default());
    let mut blocks = Blocks::new(&mut source, &options);
    let read = contents(&mut blocks, Some(bytes.len() as u64), &options.limits, &mut issues);
    read.map(|(_, contents)| contents).unwrap_or_default()
}

/// Makes a Scene of a file that is not in memory.
pub(super) fn stream(
    source: &mut dyn Read,
    length: Option<u64>,
    options: &ReadOptions<'_>,
) -> Result<Streamed, Issue> {
    let mut issues = Issues::new(options.limits.issues_per_code);
    let mut blocks = Blocks::new(source, options).counted(&options.limits);
    let (header, contents) = contents(&mut blocks, length, &options.limits, &mut issues)?;
    let bytes = blocks.offset();
    let summary = summary(&header, &contents);
    Ok(Streamed { scene: lift::scene(&header, contents), summary, issues, bytes })
}

fn contents(
    blocks: &mut Blocks<'_>,
    length: Option<u64>,
    limits: &Limits,
    issues: &mut Issues,
) -> Result<(Header, Contents), Issue> {
    let header = header::read(blocks.peek(limits.header_bytes)?, issues)?;
    blocks.next_bytes(header.bytes)?;
    check::header(&header, issues);
    let room = length.unwrap_or(0).saturating_sub(header.bytes as u64);
    let builder = Builder::new(&header, issues);
    let contents = match header.form {
        Form::Ascii => text(&header, blocks, builder, room)?,
        form => binary(&header, form, &mut Rows::new(blocks, limits), builder, room)?,
    };
    Ok((header, contents))
}

/// What is left out when something follows the last row.
const TRAILING: &str = "what follows the last row is left out";

/// Counts the rows that a file that was cut off lacks: of the element that it ends in, and of all after it.
fn give_up_rows(header: &Header, from: usize, found: u64, builder: &mut Builder<'_>) {
    for (i, element) in header.elements.iter().enumerate().skip(from) {
        let found = if i == from { found } else { 0 };
        let (aspect, what) = match element.name.as_str() {
            "vertex" => (Aspect::Positions, "vertices"),
            "face" => (Aspect::Topology, "faces"),
            "tristrips" => (Aspect::Topology, "strips"),
            "edge" => (Aspect::Topology, "lines"),
            _ => continue,
        };
        let count = |rows: u64| usize::try_from(rows).unwrap_or(usize::MAX);
        let missing = count(element.count.saturating_sub(found));
        builder.issues.give_up(aspect, what, element.name.clone(), (missing, count(element.count)));
    }
}

/// How many rows are worth making room for: those that are promised, as far as the file has bytes for them.
fn worth(element: &Element, form: Form, room: u64) -> usize {
    element.count.min(room / element.least_bytes(form) as u64) as usize
}

// Binary

fn binary(
    header: &Header,
    form: Form,
    rows: &mut Rows<'_, '_>,
    mut builder: Builder<'_>,
    room: u64,
) -> Result<Contents, Issue> {
    for element in &header.elements {
        let reserve = worth(element, form, room);
        let found = match (element.name.as_str(), element.row_bytes()) {
            ("vertex", Some(stride)) => vertices(element, form, stride, reserve, rows, &mut builder)?,
            _ => other_rows(element, form, reserve, rows, &mut builder)?,
        };
        builder.contents.rows.push(found as usize);
        if found < element.count {
            let issue = rows.truncated(element, found);
            builder.issues.push(issue);
            give_up_rows(header, builder.contents.rows.len() - 1, found, &mut builder);
            let missing = header.elements.len() - builder.contents.rows.len();
            builder.contents.rows.extend(std::iter::repeat_n(0, missing));
            return Ok(builder.finish(rows.position()));
        }
    }
    let start = rows.position();
    let mut end = start;
    while rows.fill(1)? {
        end += rows.left().len() as u64;
        rows.skip(usize::MAX / 2);
    }
    if end > start {
        let message = format!("{} bytes follow the last row", end - start);
        let span = Span { start, end };
        builder.issues.leave_out(Aspect::Extras, TRAILING, "trailing", 1);
        builder.issues.push(Issue::new(&codes::TRAILING_BYTES, "trailing", message).at(span));
    }
    Ok(builder.finish(end))
}

/// Vertices of fixed length, many at once.
fn vertices(
    element: &Element,
    form: Form,
    stride: usize,
    reserve: usize,
    rows: &mut Rows<'_, '_>,
    builder: &mut Builder<'_>,
) -> Result<u64, Issue> {
    let (columns, custom) = plan(element);
    builder.contents.vertices.custom = custom.into_iter().map(|name| (name, Vec::new())).collect();
    let mut found: u64 = 0;
    let stride = stride.max(1);
    while found < element.count {
        let wanted = (element.count - found).min((BLOCK / stride).max(1) as u64) as usize;
        rows.fill(stride)?;
        let there = (rows.left().len() / stride).min(wanted);
        if there == 0 {
            break;
        }
        let first = found as usize;
        builder.contents.vertices.grow(&columns, there, reserve);
        let start = rows.position();
        let records = rows.left().get(..there * stride).unwrap_or_default();
        let mut offset = 0;
        for (property, column) in element.properties.iter().zip(&columns) {
            if let PropertyKind::Scalar(scalar) = property.kind {
                builder.contents.vertices.set_column(first, *column, scalar, records, (stride, offset), form);
                offset += scalar.size();
            }
        }
        builder.check_vertices(first, |row| {
            let at = start + ((row - first) * stride) as u64;
            Span { start: at, end: at + stride as u64 }
        });
        rows.skip(there * stride);
        found += there as u64;
    }
    Ok(found)
}

/// Rows with lists, one by one.
fn other_rows(
    element: &Element,
    form: Form,
    reserve: usize,
    rows: &mut Rows<'_, '_>,
    builder: &mut Builder<'_>,
) -> Result<u64, Issue> {
    if element.name == "face" {
        builder.contents.triangles.reserve_exact(reserve.saturating_mul(3));
        if let [only] = &element.properties[..]
            && let PropertyKind::List { count: Scalar::U8, item: Scalar::I32 | Scalar::U32 } = only.kind
            && is_corners(&only.name)
        {
            return plain_faces(element, form, rows, builder);
        }
    }
    let mut row = AnyRow::new(element, builder);
    let mut found: u64 = 0;
    if element.properties.is_empty() {
        return Ok(element.count);
    }
    while found < element.count {
        let start = rows.position();
        let bytes = match rows.row(element, form) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => break,
            Err(issue) => {
                builder.issues.push(issue);
                break;
            }
        };
        let span = Span { start, end: start + bytes as u64 };
        row.begin(Row { index: found as usize, span }, builder);
        fill(&mut row, element, form, rows.left().get(..bytes).unwrap_or_default(), builder);
        row.end(builder);
        rows.skip(bytes);
        found += 1;
    }
    Ok(found)
}

/// Reads the properties of a row from its bytes.
fn fill(row: &mut AnyRow, element: &Element, form: Form, mut left: &[u8], builder: &mut Builder<'_>) {
    for (at, property) in element.properties.iter().enumerate() {
        let mut take = |scalar: Scalar| {
            let value = scalar.read(left, form).unwrap_or(0.0);
            left = left.get(scalar.size()..).unwrap_or_default();
            value
        };
        match property.kind {
            PropertyKind::Scalar(scalar) => {
                let value = take(scalar);
                row.scalar(at, scalar, value, builder);
            }
            PropertyKind::List { count, item } => {
                let length = take(count).max(0.0) as usize;
                row.list(at, length);
                for _ in 0..length {
                    let value = take(item);
                    row.item(at, value);
                }
            }
        }
    }
}

/// Faces that are nothing but a list of 32-bit corners, as nearly all are.
fn plain_faces(
    element: &Element,
    form: Form,
    rows: &mut Rows<'_, '_>,
    builder: &mut Builder<'_>,
) -> Result<u64, Issue> {
    let mut found: u64 = 0;
    let mut polygon = Vec::new();
    let number = |bytes: &[u8; 4]| match form {
        Form::BigEndian => u32::from_be_bytes(*bytes),
        _ => u32::from_le_bytes(*bytes),
    };
    'blocks: while found < element.count && rows.fill(1)? {
        let mut start = rows.position();
        let left = rows.left();
        let mut rest = left;
        while found < element.count {
            let index = found as usize;
            let Some((&count, after)) = rest.split_first() else { break };
            let size = usize::from(count) * 4;
            let Some((corners, after)) = after.split_at_checked(size) else { break };
            let corners = corners.as_chunks::<4>().0;
            let row = Row { index, span: Span { start, end: start + 1 + size as u64 } };
            if let [a, b, c] = corners {
                builder.triangle([number(a), number(b), number(c)], row);
            } else {
                polygon.clear();
                polygon.extend(corners.iter().map(number));
                builder.face(&polygon, row);
            }
            rest = after;
            start += 1 + size as u64;
            found += 1;
        }
        let used = left.len() - rest.len();
        rows.skip(used);
        if found < element.count {
            let row = usize::from(rows.left().first().copied().unwrap_or(0)) * 4 + 1;
            if !rows.fill(row)? {
                break 'blocks;
            }
        }
    }
    Ok(found)
}

fn is_corners(name: &str) -> bool {
    matches!(name, "vertex_indices" | "vertex_index")
}

/// A row of any element, gathered value by value.
struct AnyRow {
    kind: Kind,
    row: Row,
    columns: Vec<Column>,
    corners_at: Option<usize>,
    uvs_at: Option<usize>,
    ends_at: [Option<usize>; 2],
    corners: Vec<u32>,
    uvs: Vec<f32>,
    ends: [u32; 2],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Vertex,
    Face,
    Strip,
    Edge,
    Other,
}

impl AnyRow {
    fn new(element: &Element, builder: &mut Builder<'_>) -> Self {
        let find = |wanted: &dyn Fn(&str) -> bool, list: bool| {
            element.properties.iter().position(|property| {
                wanted(&property.name) && list == matches!(property.kind, PropertyKind::List { .. })
            })
        };
        let kind = match element.name.as_str() {
            "vertex" => Kind::Vertex,
            "face" => Kind::Face,
            "tristrips" => Kind::Strip,
            "edge" => Kind::Edge,
            _ => Kind::Other,
        };
        let mut columns = Vec::new();
        if kind == Kind::Vertex {
            let (found, custom) = plan(element);
            columns = found;
            builder.contents.vertices.custom = custom.into_iter().map(|name| (name, Vec::new())).collect();
        }
        Self {
            kind,
            row: Row { index: 0, span: Span::new(0, 0) },
            columns,
            corners_at: find(&is_corners, true),
            uvs_at: find(&|name| name == "texcoord", true),
            ends_at: [find(&|name| name == "vertex1", false), find(&|name| name == "vertex2", false)],
            corners: Vec::new(),
            uvs: Vec::new(),
            ends: [0; 2],
        }
    }

    fn begin(&mut self, row: Row, builder: &mut Builder<'_>) {
        self.row = row;
        self.corners.clear();
        self.uvs.clear();
        if self.kind == Kind::Vertex {
            builder.contents.vertices.grow(&self.columns, 1, 0);
        }
    }

    fn scalar(&mut self, at: usize, scalar: Scalar, value: f64, builder: &mut Builder<'_>) {
        match self.kind {
            Kind::Vertex => {
                let column = self.columns.get(at).copied().unwrap_or(Column::Nowhere);
                builder.vertex_value(self.row.index, column, scalar, value);
            }
            Kind::Edge => {
                for (end, _) in self.ends.iter_mut().zip(self.ends_at).filter(|(_, place)| *place == Some(at))
                {
                    *end = index(value);
                }
            }
            _ => {}
        }
    }

    fn list(&mut self, at: usize, length: usize) {
        if self.corners_at == Some(at) {
            self.corners.reserve(length.min(1024));
        }
    }

    fn item(&mut self, at: usize, value: f64) {
        if self.corners_at == Some(at) {
            self.corners.push(index(value));
        } else if self.uvs_at == Some(at) {
            self.uvs.push(value as f32);
        }
    }

    fn end(&mut self, builder: &mut Builder<'_>) {
        match self.kind {
            Kind::Vertex => {
                let span = self.row.span;
                builder.check_vertices(self.row.index, |_| span);
            }
            Kind::Face if self.corners_at.is_some() && !self.uvs.is_empty() => {
                builder.face_with_uvs(&self.corners, &self.uvs, self.row);
            }
            Kind::Face if self.corners_at.is_some() => builder.face(&self.corners, self.row),
            Kind::Strip => builder.strip(&self.corners, self.row),
            Kind::Edge if self.ends_at.iter().all(Option::is_some) => builder.edge(self.ends, self.row),
            _ => {}
        }
    }
}

/// A vertex number; what is none is one that no file has.
fn index(value: f64) -> u32 {
    if value >= 0.0 && value < f64::from(u32::MAX) { value as u32 } else { u32::MAX }
}

// Text

fn text(
    header: &Header,
    blocks: &mut Blocks<'_>,
    mut builder: Builder<'_>,
    room: u64,
) -> Result<Contents, Issue> {
    let mut reader =
        TextRows { header, element: 0, row: None, found: 0, property: 0, list: None, trailing: None };
    reader.skip_empty(&mut builder, room);
    let mut line = header.lines;
    let mut end = header.bytes as u64;
    while let Some(block) = blocks.next_lines()? {
        let mut start = block.offset;
        for text in block.bytes.split_inclusive(|byte| *byte == b'\n') {
            line += 1;
            reader.line(text, start, line, &mut builder, room);
            start += text.len() as u64;
        }
        end = start;
    }
    if let Some(element) = header.elements.get(reader.element) {
        let message =
            format!("the file ends after {} of {} rows of {}", reader.found, element.count, element.name);
        let path = format!("{}[{}]", element.name, reader.found);
        builder.issues.push(Issue::new(&TRUNCATED, path, message).at(Span { start: end, end }));
        give_up_rows(header, reader.element, reader.found, &mut builder);
        if element.name == "vertex" {
            // What the file ends within is no vertex.
            builder.contents.vertices.truncate(reader.found as usize);
        }
        builder.contents.rows.push(reader.found as usize);
        let missing = header.elements.len().saturating_sub(builder.contents.rows.len());
        builder.contents.rows.extend(std::iter::repeat_n(0, missing));
    }
    if let Some(start) = reader.trailing {
        let message = "more values follow than the header declares";
        builder.issues.leave_out(Aspect::Extras, TRAILING, "trailing", 1);
        builder.issues.push(Issue::new(&codes::TRAILING_BYTES, "trailing", message).at(Span { start, end }));
    }
    Ok(builder.finish(end))
}

/// Where in the rows of a text file the next word belongs.
struct TextRows<'a> {
    header: &'a Header,
    element: usize,
    row: Option<AnyRow>,
    found: u64,
    property: usize,
    /// How many items of a list are still to come.
    list: Option<u64>,
    /// Where words begin that belong to no row.
    trailing: Option<u64>,
}

impl TextRows<'_> {
    fn line(&mut self, text: &[u8], start: u64, line: usize, builder: &mut Builder<'_>, room: u64) {
        let mut rest = text;
        let mut at = start;
        loop {
            let trimmed = rest.trim_ascii_start();
            at += (rest.len() - trimmed.len()) as u64;
            let length = trimmed.iter().position(u8::is_ascii_whitespace).unwrap_or(trimmed.len());
            let Some((word, after)) = trimmed.split_at_checked(length).filter(|(word, _)| !word.is_empty())
            else {
                return;
            };
            self.word(word, Span { start: at, end: at + length as u64 }, line, builder, room);
            rest = after;
            at += length as u64;
        }
    }

    fn word(&mut self, word: &[u8], span: Span, line: usize, builder: &mut Builder<'_>, room: u64) {
        let header = self.header;
        let Some(element) = header.elements.get(self.element) else {
            self.trailing.get_or_insert(span.start);
            return;
        };
        let mut row = match self.row.take() {
            Some(row) => row,
            None => AnyRow::new(element, builder),
        };
        if self.property == 0 && self.list.is_none() {
            row.begin(Row { index: self.found as usize, span }, builder);
        }
        row.row.span.end = span.end;
        let value = match word_value(word) {
            Some(value) => value,
            None => {
                builder.issues.push_with(&codes::NUMBER, || {
                    let path = format!("{}[{}]", element.name, self.found);
                    let message = format!("line {line}: {} is no number; zero is taken", word.escape_ascii());
                    Issue::new(&codes::NUMBER, path, message).at(span)
                });
                0.0
            }
        };
        let property = element.properties.get(self.property);
        match (property.map(|property| property.kind), self.list) {
            (Some(PropertyKind::List { .. }), Some(left)) => {
                row.item(self.property, value);
                self.list = Some(left - 1);
            }
            (Some(PropertyKind::List { .. }), None) => {
                let length = value.clamp(0.0, 4e9) as u64;
                row.list(self.property, length as usize);
                self.list = Some(length);
            }
            (Some(PropertyKind::Scalar(scalar)), _) => row.scalar(self.property, scalar, value, builder),
            (None, _) => {}
        }
        if self.list.is_none_or(|left| left == 0) {
            self.list = None;
            self.property += 1;
        }
        if self.property >= element.properties.len() {
            row.end(builder);
            self.property = 0;
            self.found += 1;
        }
        self.row = Some(row);
        self.skip_empty(builder, room);
    }

    /// Goes on to the next element that has rows and properties, when the current one is complete.
    fn skip_empty(&mut self, builder: &mut Builder<'_>, room: u64) {
        while let Some(element) = self.header.elements.get(self.element) {
            if self.found < element.count && !element.properties.is_empty() {
                if self.found == 0 && self.property == 0 && self.list.is_none() && element.name == "face" {
                    let reserve = worth(element, Form::Ascii, room / 4).saturating_mul(3);
                    builder.contents.triangles.reserve_exact(reserve);
                }
                return;
            }
            builder.contents.rows.push(element.count as usize);
            self.element += 1;
            self.found = 0;
            self.row = None;
        }
    }
}

fn word_value(word: &[u8]) -> Option<f64> {
    match crate::bytes::read_integer(word) {
        Token::Number(value) => Some(value as f64),
        Token::Other => match read_float(word) {
            Token::Number(value) => Some(f64::from(value)),
            Token::Other => None,
        },
    }
}
