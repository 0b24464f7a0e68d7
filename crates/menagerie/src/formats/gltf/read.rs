//! Bytes to file model: GLB chunks, JSON, buffers inside and beside.

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::json::{Buffer, Document, Object};
use super::model::{BIN_CHUNK, BufferBytes, Chunk, Container, JSON_CHUNK, Model};
use super::views::COMPRESSION;
use super::{codes, locate, uri};
use crate::bytes::{Limits, OverLimit, Reader, Span};
use crate::diag::{Aspect, Code, Issue, Issues, LIMIT};
use crate::formats::ReadOptions;

/// Reads a file. What can be forgiven goes to `issues`; what cannot is the error.
pub fn read(bytes: &[u8], options: &ReadOptions<'_>, issues: &mut Issues) -> Result<Model, Issue> {
    let (container, json) = if bytes.starts_with(&super::MAGIC) {
        let chunks = chunks(bytes, issues)?;
        let first = chunks.first().filter(|chunk| chunk.kind == JSON_CHUNK).ok_or_else(|| {
            let span = Span::new(12, bytes.len().clamp(12, 20));
            Issue::new(&codes::GLB_JSON, "", "the first chunk of a GLB must be its JSON").at(span)
        })?;
        let json = first.data.clone();
        (Container::Glb { chunks }, json)
    } else {
        // A byte order mark is not JSON, but some editors write one.
        let start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        (Container::Text, start..bytes.len())
    };
    let text = bytes.get(json.clone()).unwrap_or_default();
    afford(text, &options.limits).map_err(|over| Issue::from(over).at(Span::new(json.start, json.end)))?;
    let document = parse(text, json.start, &options.limits)?;
    let mut model = Model {
        bytes: options.keep(bytes),
        json,
        container,
        document,
        buffers: Vec::new(),
        beside: Vec::new(),
    };
    version(&model)?;
    load_buffers(&mut model, options, issues);
    Ok(model)
}

/// Takes what the values of a JSON text need in memory: what is between commas and brackets is one, and lists grow to twice
/// of what they hold. Where the format says nothing of a value it is kept as it is, and copied into the Scene.
fn afford(text: &[u8], limits: &Limits) -> Result<(), OverLimit> {
    const VALUE: u64 = size_of::<Value>() as u64;
    let mut open: Vec<Nested> = Vec::new();
    let mut key: &[u8] = &[];
    let (mut cost, mut at) = (VALUE, 0);
    while let Some(byte) = text.get(at) {
        at += 1;
        match byte {
            b'[' | b'{' => {
                if open.len() == DEEPEST {
                    break;
                }
                let loose = open.last().is_some_and(|outer| outer.loose) || !TYPED.contains(&key);
                open.push(Nested { elements: u64::from(!is_closed_at_once(text, at)), loose });
                key = &[];
            }
            b']' => cost = cost.saturating_add(open.pop().map_or(0, |list| list.cost(VALUE))),
            b'}' => {
                let members = open.pop().map_or(0, |object| object.elements);
                cost = cost.saturating_add(OBJECT).saturating_add(members.saturating_mul(VALUE));
            }
            b',' => open.last_mut().into_iter().for_each(|inside| inside.elements += 1),
            b'"' => {
                let end = end_of_string(text, at);
                let after =
                    text.get(end..).unwrap_or_default().iter().find(|byte| !byte.is_ascii_whitespace());
                if after == Some(&b':') {
                    key = text.get(at..end.saturating_sub(1)).unwrap_or_default();
                } else if open.last().is_some_and(|inside| inside.loose) {
                    cost = cost.saturating_add(TEXT);
                }
                at = end;
            }
            _ => {}
        }
    }
    let unclosed = open.iter().map(|inside| inside.cost(VALUE)).fold(0, u64::saturating_add);
    limits.take(cost.saturating_add(unclosed))
}

/// A list or an object of a JSON text.
struct Nested {
    elements: u64,
    /// Whether the format does not say what is in it.
    loose: bool,
}

impl Nested {
    /// What a list takes.
    fn cost(&self, value: u64) -> u64 {
        let grown = match self.elements {
            0 => 0,
            elements => elements.max(4).next_power_of_two(),
        };
        grown.saturating_add(if self.loose { self.elements } else { 0 }).saturating_mul(value)
    }
}

/// Whether a list or object is empty whose first byte is at `at`.
fn is_closed_at_once(text: &[u8], at: usize) -> bool {
    let first = text.get(at..).unwrap_or_default().iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(first, None | Some(b']' | b'}'))
}

/// What an object takes with its members, besides the record that it becomes.
const OBJECT: u64 = 320;
/// The least that a text takes, and its copy.
const TEXT: u64 = 64;
/// The parser refuses what is nested deeper.
const DEEPEST: usize = 128;
/// The members whose lists and objects become records or numbers; an element of a list has no name.
const TYPED: [&[u8]; 48] = [
    b"",
    b"accessors",
    b"animations",
    b"asset",
    b"attributes",
    b"baseColorFactor",
    b"baseColorTexture",
    b"bufferViews",
    b"buffers",
    b"cameras",
    b"channels",
    b"children",
    b"emissiveFactor",
    b"emissiveTexture",
    b"extensionsRequired",
    b"extensionsUsed",
    b"images",
    b"indices",
    b"joints",
    b"materials",
    b"matrix",
    b"max",
    b"meshes",
    b"metallicRoughnessTexture",
    b"min",
    b"nodes",
    b"normalTexture",
    b"occlusionTexture",
    b"orthographic",
    b"pbrMetallicRoughness",
    b"perspective",
    b"primitives",
    b"rotation",
    b"samplers",
    b"scale",
    b"scenes",
    b"skins",
    b"sparse",
    b"target",
    b"targets",
    b"textures",
    b"translation",
    b"values",
    b"weights",
    b"input",
    b"output",
    b"sampler",
    b"interpolation",
];

/// Where a string ends that begins before `at`.
fn end_of_string(text: &[u8], mut at: usize) -> usize {
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}

/// The chunks of a GLB. A chunk that reaches past the end of the file is cut there.
fn chunks(bytes: &[u8], issues: &mut Issues) -> Result<Vec<Chunk>, Issue> {
    let mut reader = Reader::new(bytes);
    let (version, length) = reader.scope("header", |r| -> Result<_, crate::bytes::ReadError> {
        r.u32("magic")?;
        Ok((r.u32("version")?, r.u32("length")?))
    })?;
    if version != 2 {
        let message = format!("the container has version {version}; only 2 is known");
        return Err(Issue::new(&codes::GLB_VERSION, "header.version", message).at(Span::new(4, 8)));
    }
    let stated = length as usize;
    if stated != bytes.len() {
        let message = format!("the header says {stated} bytes, the file has {}", bytes.len());
        issues.push(Issue::new(&codes::GLB_LENGTH, "header.length", message).at(Span::new(8, 12)));
    }
    let end = if stated > 12 { stated.min(bytes.len()) } else { bytes.len() };
    let mut chunks = Vec::new();
    let mut at = 12usize;
    while end.saturating_sub(at) >= 8 {
        let mut header = Reader::part(bytes.get(at..at + 8).unwrap_or_default(), at);
        let length = header.u32("length")? as usize;
        let kind = header.u32("type")?;
        let start = at + 8;
        let stop = start.saturating_add(length);
        if stop > end {
            let message = format!("the chunk says {length} bytes, {} are left", end - start);
            let path = format!("chunks[{}].length", chunks.len());
            issues.push(Issue::new(&codes::GLB_CHUNK, path, message).at(Span::new(at, at + 4)));
        } else if !length.is_multiple_of(4) {
            let message = format!("a length of {length} bytes is no multiple of four");
            let path = format!("chunks[{}].length", chunks.len());
            issues.push(Issue::new(&codes::GLB_PADDING, path, message).at(Span::new(at, at + 4)));
        }
        let chunk = Chunk { kind, data: start..stop.min(end) };
        unexpected_chunk(&chunks, &chunk, at, issues);
        chunks.push(chunk);
        at = stop.min(end);
    }
    if at < bytes.len() {
        let message = format!("{} bytes follow the last chunk", bytes.len() - at);
        issues.leave_out(Aspect::Extras, "bytes after the last chunk are left out", "trailing", 1);
        issues.push(Issue::new(&codes::TRAILING, "trailing", message).at(Span::new(at, bytes.len())));
    }
    Ok(chunks)
}

fn unexpected_chunk(before: &[Chunk], chunk: &Chunk, at: usize, issues: &mut Issues) {
    let expected = match before.len() {
        0 => chunk.kind == JSON_CHUNK,
        1 => chunk.kind != JSON_CHUNK,
        _ => chunk.kind != JSON_CHUNK && chunk.kind != BIN_CHUNK,
    };
    let (code, message) = match chunk.kind {
        JSON_CHUNK | BIN_CHUNK if expected => return,
        JSON_CHUNK | BIN_CHUNK => {
            (&codes::GLB_CHUNK_ORDER, "the chunk is not where it belongs and is ignored".to_owned())
        }
        kind => (&codes::GLB_UNKNOWN_CHUNK, format!("chunks of the type 0x{kind:08x} are not known")),
    };
    let path = format!("chunks[{}].type", before.len());
    let left = "chunks that are not known or not where they belong are left out";
    issues.leave_out(Aspect::Extras, left, path.clone(), 1);
    issues.push(Issue::new(code, path, message).at(Span::new(at + 4, at + 8)));
}

/// Parses the JSON, each element for itself, so that a wrong one is named by its pointer.
fn parse(text: &[u8], base: usize, limits: &Limits) -> Result<Document, Issue> {
    let value: Value = serde_json::from_slice(text).map_err(|error| syntax(text, base, &error))?;
    let Value::Object(mut root) = value else {
        let message = "the JSON of a glTF file is an object";
        return Err(Issue::new(&codes::JSON_SHAPE, "", message).at(Span::new(base, base + text.len())));
    };
    let place = Place { text, base, limits };
    let mut document = Document {
        scenes: place.list(&mut root, "scenes")?,
        nodes: place.list(&mut root, "nodes")?,
        meshes: place.list(&mut root, "meshes")?,
        materials: place.list(&mut root, "materials")?,
        textures: place.list(&mut root, "textures")?,
        images: place.list(&mut root, "images")?,
        samplers: place.list(&mut root, "samplers")?,
        cameras: place.list(&mut root, "cameras")?,
        skins: place.list(&mut root, "skins")?,
        animations: place.list(&mut root, "animations")?,
        accessors: place.list(&mut root, "accessors")?,
        buffer_views: place.list(&mut root, "bufferViews")?,
        buffers: place.list(&mut root, "buffers")?,
        ..Document::default()
    };
    let rest: Document = place.element(Value::Object(root), "")?;
    document.asset = rest.asset;
    document.extensions_used = rest.extensions_used;
    document.extensions_required = rest.extensions_required;
    document.scene = rest.scene;
    document.extensions = rest.extensions;
    document.extras = rest.extras;
    document.other = rest.other;
    Ok(document)
}

fn syntax(text: &[u8], base: usize, error: &serde_json::Error) -> Issue {
    let line = error.line().max(1) - 1;
    let start = match line {
        0 => 0,
        _ => text
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .nth(line - 1)
            .map_or(0, |(i, _)| i + 1),
    };
    let at = (start + error.column().saturating_sub(1)).min(text.len());
    let end = (at + 1).min(text.len());
    let deep = error.to_string().starts_with("recursion limit");
    let (code, message) = if deep {
        (&codes::JSON_DEPTH, "the JSON is nested more than 128 levels deep".to_owned())
    } else {
        (&codes::JSON_SYNTAX, error.to_string())
    };
    Issue::new(code, "", message).at(Span::new(base + at.min(end), base + end))
}

/// Where the JSON is, for the pointers of what is wrong in it.
struct Place<'a> {
    text: &'a [u8],
    base: usize,
    limits: &'a Limits,
}

impl Place<'_> {
    fn list<T: DeserializeOwned>(&self, root: &mut Object, name: &str) -> Result<Vec<T>, Issue> {
        match root.shift_remove(name) {
            None => Ok(Vec::new()),
            Some(Value::Array(elements)) => {
                // A record may be a hundred times as large as the text of an empty one.
                let records = self.limits.take_many(elements.len(), size_of::<T>());
                records.map_err(|over| self.about(&LIMIT, &format!("/{name}"), &over.to_string()))?;
                let elements = elements.into_iter().enumerate();
                elements.map(|(i, element)| self.element(element, &format!("/{name}/{i}"))).collect()
            }
            Some(_) => Err(self.wrong(&format!("/{name}"), "an array was expected")),
        }
    }

    fn element<T: DeserializeOwned>(&self, value: Value, pointer: &str) -> Result<T, Issue> {
        // The common case moves the value; only a wrong one is looked at again.
        match serde_json::from_value::<T>(value) {
            Ok(element) => Ok(element),
            Err(error) => {
                let text = self.text;
                let range = locate::find(text, pointer);
                let value = range.and_then(|r| serde_json::from_slice(text.get(r)?).ok());
                let key = value.and_then(|value| wrong_member::<T>(&value));
                let pointer = key.map_or(pointer.to_owned(), |key| format!("{pointer}/{key}"));
                Err(self.wrong(&pointer, &error.to_string()))
            }
        }
    }

    fn wrong(&self, pointer: &str, message: &str) -> Issue {
        self.about(&codes::JSON_SHAPE, pointer, message)
    }

    fn about(&self, code: &'static Code, pointer: &str, message: &str) -> Issue {
        let found = locate::find(self.text, pointer).unwrap_or(0..self.text.len());
        let span = Span::new(self.base + found.start, self.base + found.end);
        Issue::new(code, pointer, message).at(span)
    }
}

/// The member without which an object would be understood, or would at least fail for another reason.
fn wrong_member<T: DeserializeOwned>(value: &Value) -> Option<String> {
    let object = value.as_object()?;
    let failure = |object: &Object| {
        serde_json::from_value::<T>(Value::Object(object.clone())).err().map(|error| error.to_string())
    };
    let whole = failure(object)?;
    if whole.starts_with("missing field") {
        return None;
    }
    object
        .keys()
        .find(|key| {
            let mut less = object.clone();
            less.shift_remove(*key);
            failure(&less).is_none_or(|other| other != whole)
        })
        .cloned()
}

fn version(model: &Model) -> Result<(), Issue> {
    let asset = &model.document.asset;
    let refuse = |field: &str, version: &str| {
        let pointer = format!("/asset/{field}");
        let span = model.span_of(&pointer);
        Issue::new(&codes::VERSION, pointer, format!("version {version} is not glTF 2.0")).at(span)
    };
    if asset.version.split('.').next() != Some("2") {
        return Err(refuse("version", &asset.version));
    }
    match asset.min_version.as_deref() {
        Some(least) if !matches!(least, "2.0" | "2") => Err(refuse("minVersion", least)),
        _ => Ok(()),
    }
}

fn load_buffers(model: &mut Model, options: &ReadOptions<'_>, issues: &mut Issues) {
    let mut buffers = Vec::with_capacity(model.document.buffers.len());
    for (index, buffer) in model.document.buffers.iter().enumerate() {
        let pointer = || format!("/buffers/{index}");
        let loaded = match &buffer.uri {
            // The buffer that compressed views would unpack to need not be there.
            None if is_fallback(buffer) => Ok(BufferBytes::Missing),
            None => inside(model, index),
            Some(text) if uri::is_data(text) => {
                decode_data_uri(text).map(|(_, bytes)| BufferBytes::Own(bytes.into()))
            }
            Some(text) => match options.files.open(&uri::decode(text)) {
                Ok(bytes) => {
                    options.limits.reads_more(bytes.len());
                    Ok(BufferBytes::Own(bytes))
                }
                Err(missing) => Err(format!("{} was not found: {}", uri::decode(text), missing.reason)),
            },
        };
        let loaded = loaded.unwrap_or_else(|reason| {
            model.report(issues, &codes::BUFFER_MISSING, pointer, || reason);
            BufferBytes::Missing
        });
        let length = match &loaded {
            BufferBytes::Inside(range) => Some(range.len()),
            BufferBytes::Own(bytes) => Some(bytes.len()),
            BufferBytes::Missing => None,
        };
        if let Some(found) = length.filter(|&found| (found as u64) < buffer.byte_length) {
            model.report(
                issues,
                &codes::BUFFER_SHORT,
                || format!("/buffers/{index}/byteLength"),
                || format!("{} bytes are stated and {found} are there", buffer.byte_length),
            );
        }
        buffers.push(loaded);
    }
    let beside = model.document.buffers.iter().zip(&buffers).filter_map(|(buffer, loaded)| {
        let name = buffer.uri.as_deref().filter(|text| !uri::is_data(text)).map(uri::decode)?;
        match loaded {
            BufferBytes::Own(bytes) if uri::stays_beside(&name) => Some((name, bytes.clone())),
            _ => None,
        }
    });
    model.beside = beside.collect();
    model.buffers = buffers;
}

fn is_fallback(buffer: &Buffer) -> bool {
    COMPRESSION.iter().any(|name| buffer.extensions.contains_key(*name))
}

/// A buffer without address is the GLB's own, and only the first can be.
fn inside(model: &Model, index: usize) -> Result<BufferBytes, String> {
    let Container::Glb { chunks } = &model.container else {
        return Err("a buffer without uri must be in a GLB".to_owned());
    };
    match chunks.get(1).filter(|chunk| chunk.kind == BIN_CHUNK && index == 0) {
        Some(chunk) => Ok(BufferBytes::Inside(chunk.data.clone())),
        None => Err("the buffer has no uri, and the GLB has no bytes for it".to_owned()),
    }
}

/// Forgives missing padding and bits that are not zero, which some exporters write.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The media type and the bytes of a data URI.
pub(super) fn decode_data_uri(text: &str) -> Result<(String, Vec<u8>), String> {
    let rest = text.get(5..).unwrap_or_default();
    let (head, data) = rest.split_once(',').ok_or_else(|| "the data URI has no comma".to_owned())?;
    let mime = head.split(';').next().unwrap_or_default().to_owned();
    if !head.ends_with(";base64") {
        return Ok((mime, uri::decode_bytes(data)));
    }
    LENIENT
        .decode(data)
        .map(|bytes| (mime, bytes))
        .map_err(|error| format!("the data URI is not base64: {error}"))
}
