//! Bytes to file model. Lists may stand anywhere and share bytes.

use std::collections::BTreeMap;

use super::model::{
    ANIMATION, Animation, BONE, Entry, Face, FaceKind, HEADER, LOD, MESH, Mesh, Model, Table, Track,
};
use super::vertex::{Vertex, VertexKind};
use super::{MAGIC, codes};
use crate::bytes::{Layout, Limits, Reader, Span};
use crate::diag::{Aspect, Issue, Issues};

/// Reads a file. Only a file without a whole header cannot be read; what else is broken is left out and found by the
/// check, and its bytes are kept. Lists may share bytes: a file whose records all name the same megabytes costs no more than
/// [`Limits::sharing`] says.
pub fn read(bytes: &[u8], limits: &Limits, issues: &mut Issues) -> Result<Model, Issue> {
    let mut model = header(bytes)?;
    let left = bytes.len().saturating_mul(limits.sharing).saturating_add(4096);
    let mut reading = ListReader { bytes, left, issues };
    model.meshes = records(bytes, model.mesh_table, &MESH);
    model.lods = records(bytes, model.lod_table, &LOD);
    model.bones = records(bytes, model.bone_table, &BONE);
    model.animations = records(bytes, model.animation_table, &ANIMATION);
    for (i, mesh) in model.meshes.iter_mut().enumerate() {
        reading.vertices(i, mesh);
        reading.faces(i, mesh);
    }
    let bones = model.animated_bones();
    for (i, animation) in model.animations.iter_mut().enumerate() {
        reading.tracks(i, animation, bones);
    }
    // In rising order: when one does not end in the file, none behind it does.
    let names = model.names_at();
    model.strings = names.into_iter().map_while(|at| Some((at, reading.text(at)?))).collect();
    leave_out_shared_names(&mut model, bytes.len().saturating_mul(limits.sharing), issues);
    model.keep_other(bytes);
    count_missing(&model, issues);
    Ok(model)
}

/// Counts what the tables, records and lists speak of and the file does not have.
fn count_missing(model: &Model, issues: &mut Issues) {
    let tables = [
        (Aspect::Topology, "meshes", model.mesh_table, MESH.size(), model.meshes.len()),
        (Aspect::Lods, "levels of detail", model.lod_table, LOD.size(), model.lods.len()),
        (Aspect::Skins, "bones", model.bone_table, BONE.size(), model.bones.len()),
        (Aspect::Animations, "animations", model.animation_table, ANIMATION.size(), model.animations.len()),
    ];
    for (aspect, what, table, record, had) in tables {
        let stated = table.size as usize / record;
        issues.give_up(aspect, what, what, (stated.saturating_sub(had), stated));
    }
    for (i, mesh) in model.meshes.iter().enumerate() {
        let stated = usize::from(mesh.vertex_count);
        let placed = |vertex: &&Vertex| vertex.position().iter().all(|x| x.is_finite());
        let had = mesh.vertices.iter().filter(placed).count();
        let path = || format!("meshes[{i}]");
        issues.give_up(Aspect::Positions, "vertices", path(), (stated.saturating_sub(had), stated));
        let triangles = mesh.triangles();
        let whole = mesh.stored_face_bytes() == mesh.face_bytes as usize;
        let stated = if whole { triangles } else { triangles.max(usize::from(mesh.triangle_count)) };
        let known = |face: &&Face| face.corners().iter().all(|c| (*c as usize) < mesh.vertices.len());
        let drawn: usize = mesh.faces.iter().filter(known).map(|face| face.triangles().count()).sum();
        issues.give_up(Aspect::Topology, "triangles", path(), (stated.saturating_sub(drawn), stated));
    }
    let bones = model.animated_bones();
    for (i, animation) in model.animations.iter().enumerate() {
        let closed = animation.tracks.iter().filter(|track| track.closed).count();
        let path = format!("animations[{i}]");
        issues.give_up(Aspect::Animations, "tracks of bones", path, (bones.saturating_sub(closed), bones));
    }
    let names = model.names_at();
    let missing = names.iter().filter(|at| !model.strings.contains_key(at)).count();
    issues.give_up(Aspect::Names, "names", "strings", (missing, names.len()));
}

/// Leaves out the names that cost most where all uses of all names together have more bytes than the file may
/// use: each use becomes a name of its own in a Scene.
fn leave_out_shared_names(model: &mut Model, most: usize, issues: &mut Issues) {
    let mut costs: BTreeMap<u32, usize> = BTreeMap::new();
    for at in model.names_used() {
        let length = model.strings.get(&at).map_or(0, Vec::len);
        *costs.entry(at).or_default() += length;
    }
    let most = most.saturating_add(1 << 16);
    let mut total: usize = costs.values().sum();
    let mut costs: Vec<(usize, u32)> = costs.into_iter().map(|(at, cost)| (cost, at)).collect();
    costs.sort_unstable();
    while total > most
        && let Some((cost, at)) = costs.pop()
    {
        total -= cost;
        let length = model.strings.remove(&at).map_or(0, |text| text.len());
        let message = "so many things share this name that it was left out";
        issues.push_with(&codes::TOO_MUCH_SHARED, || {
            let span = Span::new(at as usize, at as usize + length);
            Issue::new(&codes::TOO_MUCH_SHARED, format!("strings[{at}]"), message).at(span)
        });
    }
}

impl Model {
    /// Where names should be, for each that has one.
    fn names_used(&self) -> impl Iterator<Item = u32> {
        let names = self.meshes.iter().map(|mesh| mesh.material_at);
        let names = names.chain(self.bones.iter().map(|bone| bone.name_at));
        names.chain(self.animations.iter().map(|a| a.name_at)).filter(|at| *at != 0)
    }

    /// Where names should be, each once, rising.
    fn names_at(&self) -> Vec<u32> {
        let mut names: Vec<u32> = self.names_used().collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

fn header(bytes: &[u8]) -> Result<Model, Issue> {
    let mut reader = Reader::new(bytes);
    let magic: [u8; 4] = reader.scope("header", |r| r.array("magic"))?;
    if magic != MAGIC {
        let message = format!("expected the bytes BMD1, found {}", magic.escape_ascii());
        return Err(Issue::new(&codes::MAGIC, "header.magic", message).at(Span::new(0, 4)));
    }
    Ok(reader.scope("header", |r| HEADER.read(r))?)
}

/// The records of a table that are whole and in the file.
fn records<T: Default>(bytes: &[u8], table: Table, layout: &Layout<T>) -> Vec<T> {
    let records = part(bytes, table.offset, table.size as usize).chunks_exact(layout.size());
    records.map(|record| layout.read(&mut Reader::new(record)).unwrap_or_default()).collect()
}

/// Up to `length` bytes from an offset on, as far as the file goes.
fn part(bytes: &[u8], at: u32, length: usize) -> &[u8] {
    let rest = bytes.get(at as usize..).unwrap_or_default();
    rest.get(..length).unwrap_or(rest)
}

fn word(record: &[u8], at: usize) -> u32 {
    record.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

struct ListReader<'a, 'i> {
    bytes: &'a [u8],
    /// Bytes that may still be read, shared ones counted each time.
    left: usize,
    issues: &'i mut Issues,
}

impl<'a> ListReader<'a, '_> {
    /// The bytes of a list as far as the file goes; none once too much is shared.
    fn list(&mut self, path: impl FnOnce() -> String, at: u32, length: usize) -> &'a [u8] {
        let bytes = part(self.bytes, at, length);
        match self.left.checked_sub(bytes.len()) {
            Some(left) => {
                self.left = left;
                bytes
            }
            None => {
                let span = Span::new(at as usize, at as usize + bytes.len());
                let message = "the lists of this file share too many bytes; this one was left out";
                self.issues.push_with(&codes::TOO_MUCH_SHARED, || {
                    Issue::new(&codes::TOO_MUCH_SHARED, path(), message).at(span)
                });
                &[]
            }
        }
    }

    /// As many vertices as the record says, as long as they lie whole in the list.
    fn vertices(&mut self, index: usize, mesh: &mut Mesh) {
        let count = usize::from(mesh.vertex_count);
        let length = (mesh.vertex_bytes as usize).min(count * VertexKind::Bits128.bytes());
        let mut rest = self.list(|| format!("meshes[{index}].vertices"), mesh.vertices_at, length);
        mesh.vertices.reserve_exact(count.min(rest.len() / 8));
        while mesh.vertices.len() < count
            && let Some(vertex) = Vertex::read(rest)
        {
            mesh.vertices.push(vertex);
            rest = rest.get(vertex.kind().bytes()..).unwrap_or_default();
        }
    }

    /// As many faces as fit into the list.
    fn faces(&mut self, index: usize, mesh: &mut Mesh) {
        let path = || format!("meshes[{index}].faces");
        let mut rest = self.list(path, mesh.faces_at, mesh.face_bytes as usize);
        mesh.faces.reserve_exact(rest.len() / 8);
        while let Some(first) = rest.first() {
            let size = FaceKind::of_tag(*first).bytes();
            let Some((own, after)) = rest.split_at_checked(size) else { break };
            let high = if size == 8 { word(own, 4) } else { 0 };
            mesh.faces.push(Face { word: u64::from(high) << 32 | u64::from(word(own, 0)) });
            rest = after;
        }
    }

    /// The entries of `bones` bones, as far as the list goes.
    fn tracks(&mut self, index: usize, animation: &mut Animation, bones: usize) {
        let path = || format!("animations[{index}].frames");
        let mut rest = self.list(path, animation.frames_at, animation.frame_bytes as usize);
        for _ in 0..bones {
            let mut track = Track::default();
            while let Some(entry) = entry(rest) {
                rest = rest.get(entry.bytes()..).unwrap_or_default();
                track.entries.push(entry);
            }
            if let Some((0, after)) = rest.split_first() {
                track.closed = true;
                rest = after;
            }
            let closed = track.closed;
            if closed || !track.entries.is_empty() {
                animation.tracks.push(track);
            }
            if !closed {
                break;
            }
        }
    }

    /// The string at an offset, if it ends in the file.
    fn text(&mut self, at: u32) -> Option<Vec<u8>> {
        let rest = part(self.bytes, at, self.left);
        let length = rest.iter().position(|byte| *byte == 0)?;
        let bytes = self.list(|| "strings".to_owned(), at, length);
        Some(bytes.to_vec())
    }
}

/// The entry at the beginning of some bytes, if it is whole; none at a zero.
fn entry(bytes: &[u8]) -> Option<Entry> {
    let (tag, mut rest) = bytes.split_first()?;
    if *tag == 0 {
        return None;
    }
    let mut entry = Entry { skipped: tag & 0x1F, ..Entry::default() };
    for (flag, place) in
        [(0x80, &mut entry.rotation), (0x40, &mut entry.translation), (0x20, &mut entry.scale)]
    {
        if tag & flag != 0 {
            let (word, after) = rest.split_first_chunk()?;
            *place = Some(u32::from_le_bytes(*word));
            rest = after;
        }
    }
    Some(entry)
}
