//! Bytes to file model; of a broken file, the chunks that can be found.

use super::codes;
use super::model::{
    Chunk, ChunkData, ENTITY, EntityData, HEAD, Head, MaterialData, Model, Properties, Triangle, kind,
};
use crate::bytes::{ReadError, Reader, Span};
use crate::diag::{Aspect, Issue, Issues};

/// The bytes of an entity before its property text.
const ENTITY_HEADER: usize = ENTITY.size() + 4;
/// The bytes of a triangle.
const TRIANGLE: usize = size_of::<Triangle>();

/// Whether a file is a series of chunks: it begins with a HEADER or walks to an END, and every type on the way is known
/// or at least small. There is no magic number to look for.
pub(super) fn has_shape(bytes: &[u8]) -> bool {
    let mut reader = Reader::new(bytes);
    let mut first = true;
    while let Ok(head) = Head::read(&mut reader) {
        let marker = head.id == -1 && head.kind <= kind::END;
        let whole = reader.bytes("", usize::from(head.name).saturating_add(head.data as usize)).is_ok();
        if first && head.kind == kind::HEADER && marker {
            // Its name is text, and what follows is another chunk or the end.
            let next = reader.rest().first_chunk().map(|bytes| u16::from_le_bytes(*bytes));
            return whole && (reader.is_at_end() || next.is_some_and(|next| next <= 64));
        }
        if head.kind == kind::END && marker && !first {
            return true;
        }
        if !whole || head.kind > kind::ENTITY {
            return false;
        }
        first = false;
    }
    false
}

/// Reads a file. What can be forgiven goes to `issues`; what cannot is the error.
pub fn read(bytes: &[u8], issues: &mut Issues) -> Result<Model, Issue> {
    read_from(Reader::new(bytes), issues)
}

/// The same from a reader at the start of a file.
pub(super) fn read_from(mut reader: Reader<'_>, issues: &mut Issues) -> Result<Model, Issue> {
    let mut model = Model::default();
    while !reader.is_at_end() {
        let rest = reader.rest();
        let index = model.chunks.len();
        match reader.item("chunks", index, chunk) {
            Ok(chunk) => {
                let ends = chunk.kind == kind::END;
                model.chunks.push(chunk);
                if ends {
                    break;
                }
            }
            Err(error) => {
                let message = format!("the chunk reaches past the end of the file: {}", error.kind);
                if index == 0 {
                    let message = format!("there is no chunk: {}", error.kind);
                    return Err(Issue::new(&codes::NOT_CHUNKS, error.path, message).at(error.span));
                }
                let path = error.path.clone();
                issues.push(Issue::new(&codes::CHUNK_CUT, error.path, message).at(error.span));
                model.trailing = rest.to_vec();
                model.salvaged = salvage(rest, &path, issues).map(Box::new);
                give_up_end(&path, issues);
                return Ok(model);
            }
        }
    }
    if !model.is_whole() {
        give_up_end(&format!("chunks[{}]", model.chunks.len()), issues);
    }
    model.trailing = reader.rest().to_vec();
    Ok(model)
}

/// Where the END chunk is missing, the file was cut: nobody knows how many chunks are gone, but this one is.
fn give_up_end(path: &str, issues: &mut Issues) {
    issues.give_up(Aspect::Extras, "END chunks", path, (1, 1));
}

/// What is whole of a chunk that is cut off: the first triangles of a mesh; an entity or a material as far as its text
/// goes. What is missing is counted.
fn salvage(rest: &[u8], path: &str, issues: &mut Issues) -> Option<Chunk> {
    let mut r = Reader::new(rest);
    let Ok(Head { kind, id, name, data: stated }) = Head::read(&mut r) else {
        issues.give_up(Aspect::Extras, "chunks", path, (1, 1));
        return None;
    };
    let name = r.bytes("name", usize::from(name).min(r.left())).ok()?.to_vec();
    let (there, lost) = (r.left(), |what, aspect, issues: &mut Issues| {
        issues.give_up(aspect, what, path, (1, 1));
    });
    let data = match kind {
        kind::TRIMESH => {
            let data = trimesh(&mut r).ok()?;
            let of = stated as usize / TRIANGLE;
            issues.give_up(Aspect::Topology, "triangles", path, (of.saturating_sub(there / TRIANGLE), of));
            data
        }
        kind::ENTITY if there >= ENTITY_HEADER => {
            lost("texts of entities", Aspect::Extras, issues);
            ChunkData::Entity(Box::new(entity(&mut r).ok()?))
        }
        kind::ENTITY => {
            lost("entities", Aspect::Hierarchy, issues);
            return None;
        }
        kind::MATERIAL if there > 4 => {
            lost("texts of materials", Aspect::Materials, issues);
            ChunkData::Material(MaterialData::Sized(properties(&mut r).ok()?))
        }
        kind::MATERIAL => {
            lost("materials", Aspect::Materials, issues);
            return None;
        }
        _ => {
            lost("chunks", Aspect::Extras, issues);
            return None;
        }
    };
    Some(Chunk { kind, id, name, data })
}

impl Head {
    fn read(r: &mut Reader<'_>) -> Result<Self, ReadError> {
        // All of it or nothing, so that the error is about the header and not about one of its fields.
        r.check_count("header", 1, HEAD.size())?;
        HEAD.read(r)
    }
}

fn chunk(r: &mut Reader<'_>) -> Result<Chunk, ReadError> {
    let Head { kind, id, name, data } = Head::read(r)?;
    let name = r.bytes("name", name.into())?.to_vec();
    let mut data = r.slice("data", data as usize)?;
    let data = match kind {
        kind::TRIMESH => trimesh(&mut data)?,
        kind::MATERIAL => ChunkData::Material(material(&mut data)?),
        kind::ENTITY if data.left() >= ENTITY_HEADER => ChunkData::Entity(Box::new(entity(&mut data)?)),
        _ => ChunkData::Raw(data.rest().to_vec()),
    };
    Ok(Chunk { kind, id, name, data })
}

fn trimesh(r: &mut Reader<'_>) -> Result<ChunkData, ReadError> {
    let triangles = r.records("triangles", r.left() / TRIANGLE)?;
    Ok(ChunkData::Trimesh(triangles, r.rest().to_vec()))
}

/// The sized form when the first four bytes can be a size: as a number, text is always larger than the data.
fn material(r: &mut Reader<'_>) -> Result<MaterialData, ReadError> {
    let stated = r.rest().first_chunk().map(|bytes| u32::from_le_bytes(*bytes) as usize);
    match stated {
        Some(size) if size <= r.left() - 4 => Ok(MaterialData::Sized(properties(r)?)),
        _ => Ok(MaterialData::Bare(r.rest().to_vec())),
    }
}

fn entity(r: &mut Reader<'_>) -> Result<EntityData, ReadError> {
    let mut entity = ENTITY.read(r)?;
    entity.properties = properties(r)?;
    Ok(entity)
}

/// A size and as much text, as far as it is there, then whatever follows.
fn properties(r: &mut Reader<'_>) -> Result<Properties, ReadError> {
    let stated = r.u32("dml_size")?;
    let there = (stated as usize).min(r.left());
    let text = r.bytes("dml", there)?.to_vec();
    let stated_size = (there != stated as usize).then_some(stated);
    Ok(Properties { stated_size, text, after: r.rest().to_vec() })
}

/// The range of a part of the text of a chunk, for issues of DML.
pub(super) fn within(text: Span, part: &std::ops::Range<usize>) -> Span {
    let end = text.start.saturating_add(part.end as u64).min(text.end);
    Span { start: text.start.saturating_add(part.start as u64).min(end), end }
}
