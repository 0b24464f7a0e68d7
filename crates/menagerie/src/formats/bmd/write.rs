//! Where everything is. The same list of regions gives the bytes of a file, the map of them, and what is left over.

use std::collections::BTreeMap;

use super::model::{
    ANIMATION, Animation, BONE, Bone, FACE_32, FACE_64, FLAT_64, HEADER, HEADER_BYTES, LOD, Lod, MESH, Mesh,
    Model, PSEUDO_BONE, TEXTURED_64, Table, VERTEX_96, VERTEX_128,
};
use super::vertex::VertexKind;
use crate::bytes::{ByteMap, FieldType, Layout, MapNode, Record, Span, Writer};

/// A part of the file that something refers to.
enum Region<'a> {
    Header,
    MeshRecord(usize, &'a Mesh),
    Lod(usize, &'a Lod),
    Bone(usize, &'a Bone),
    AnimationRecord(usize, &'a Animation),
    Vertices(usize, &'a Mesh),
    Faces(usize, &'a Mesh),
    Frames(usize, &'a Animation),
    Text(u32, &'a [u8]),
}

impl Model {
    /// The regions with their first bytes and lengths. Where they overlap the earlier ones count.
    fn regions(&self) -> Vec<(usize, usize, Region<'_>)> {
        let mut regions = vec![(0, HEADER_BYTES, Region::Header)];
        regions.extend(records(self.mesh_table, &MESH, &self.meshes, Region::MeshRecord));
        regions.extend(records(self.lod_table, &LOD, &self.lods, Region::Lod));
        regions.extend(records(self.bone_table, &BONE, &self.bones, Region::Bone));
        regions.extend(records(self.animation_table, &ANIMATION, &self.animations, Region::AnimationRecord));
        for (i, mesh) in self.meshes.iter().enumerate() {
            regions.push((mesh.vertices_at as usize, mesh.stored_vertex_bytes(), Region::Vertices(i, mesh)));
            regions.push((mesh.faces_at as usize, mesh.stored_face_bytes(), Region::Faces(i, mesh)));
        }
        for (i, animation) in self.animations.iter().enumerate() {
            let at = animation.frames_at as usize;
            regions.push((at, animation.stored_frame_bytes(), Region::Frames(i, animation)));
        }
        regions.extend(
            self.strings.iter().map(|(at, text)| (*at as usize, text.len() + 1, Region::Text(*at, text))),
        );
        regions
    }

    /// How many bytes the file has.
    pub fn length(&self) -> usize {
        let regions = self.regions().into_iter().filter(|(_, length, _)| *length > 0);
        let ends = regions.map(|(at, length, _)| at.saturating_add(length));
        let others = self.other.iter().map(|(at, bytes)| (*at as usize).saturating_add(bytes.len()));
        ends.chain(others).max().unwrap_or(HEADER_BYTES)
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![0; self.length()];
        let mut put = |at: usize, part: &[u8]| {
            if let Some(place) = bytes.get_mut(at..at.saturating_add(part.len())) {
                place.copy_from_slice(part);
            }
        };
        for (at, part) in &self.other {
            put(*at as usize, part);
        }
        for (at, length, region) in self.regions().iter().rev() {
            let mut writer = Writer::with_capacity(*length);
            region.write(self, &mut writer);
            put(*at, &writer.finish().0);
        }
        bytes
    }

    /// What each byte of the file is.
    pub fn byte_map(&self) -> ByteMap {
        let mut taken = Taken::default();
        let mut nodes = Vec::new();
        for (at, length, region) in self.regions() {
            let free = taken.take(at, at.saturating_add(length));
            if free == [(at, at.saturating_add(length))] {
                nodes.extend(Writer::parts_from(at, |w| region.write(self, w)));
            } else {
                // What another part of the file uses as well is shown there.
                let name = region.name();
                nodes.extend(free.into_iter().map(|(start, end)| {
                    MapNode::leaf(format!("{name}.from[{start}]"), Span::new(start, end), FieldType::Bytes)
                }));
            }
        }
        for (start, end) in taken.free(self.length()) {
            let bytes = self.other_bytes(start, end);
            let padding = bytes.len() < 16 && bytes.iter().all(|byte| *byte == 0);
            let kind = if padding { FieldType::Padding } else { FieldType::Unused };
            nodes.push(MapNode::leaf(format!("gap[{start}]"), Span::new(start, end), kind));
        }
        nodes.sort_by_key(|node| node.span);
        ByteMap { root: MapNode::group("", Span::new(0, self.length()), nodes) }
    }

    fn other_bytes(&self, start: usize, end: usize) -> &[u8] {
        let found = u32::try_from(start).ok().and_then(|start| self.other.get(&start));
        found.and_then(|bytes| bytes.get(..end.saturating_sub(start))).unwrap_or_default()
    }

    /// Keeps the bytes of a file that no region covers.
    pub(super) fn keep_other(&mut self, bytes: &[u8]) {
        let mut taken = Taken::default();
        for (at, length, _) in self.regions() {
            taken.take(at, at.saturating_add(length));
        }
        let free = taken.free(bytes.len());
        let kept = |(start, end): (usize, usize)| {
            Some((u32::try_from(start).ok()?, bytes.get(start..end)?.to_vec()))
        };
        self.other = free.into_iter().filter_map(kept).collect();
    }
}

/// The regions of the records of a table.
fn records<'a, T>(
    table: Table,
    layout: &Layout<T>,
    records: &'a [T],
    region: fn(usize, &'a T) -> Region<'a>,
) -> impl Iterator<Item = (usize, usize, Region<'a>)> {
    let of = move |(i, record)| (table.record(layout, i), layout.size(), region(i, record));
    records.iter().enumerate().map(of)
}

/// Which bytes are used: ranges that do not touch, ends by starts.
#[derive(Default)]
struct Taken(BTreeMap<usize, usize>);

impl Taken {
    /// Takes a range, and says which parts of it were free.
    fn take(&mut self, start: usize, end: usize) -> Vec<(usize, usize)> {
        if start >= end {
            return Vec::new();
        }
        let mut free = Vec::new();
        let (mut from, mut at, mut to) = (start, start, end);
        if let Some((&before, &reach)) = self.0.range(..=start).next_back()
            && reach >= start
        {
            from = before;
            at = at.max(reach);
            to = to.max(reach);
        }
        let inside: Vec<(usize, usize)> = self.0.range(start..=end).map(|(s, e)| (*s, *e)).collect();
        for (s, e) in inside {
            if s > at {
                free.push((at, s.min(end)));
            }
            at = at.max(e);
            to = to.max(e);
            self.0.remove(&s);
        }
        if at < end {
            free.push((at, end));
        }
        self.0.insert(from, to);
        free
    }

    /// What is free up to the end of the file.
    fn free(&self, length: usize) -> Vec<(usize, usize)> {
        let mut at = 0;
        let mut free = Vec::new();
        for (&start, &end) in &self.0 {
            if start > at {
                free.push((at, start.min(length)));
            }
            at = at.max(end);
        }
        if at < length {
            free.push((at, length));
        }
        free
    }
}

impl Mesh {
    /// Bytes of the vertices that there are.
    pub fn stored_vertex_bytes(&self) -> usize {
        self.vertices.iter().map(|vertex| vertex.kind().bytes()).sum()
    }

    /// Bytes of the faces that there are.
    pub fn stored_face_bytes(&self) -> usize {
        self.faces.iter().map(|face| face.kind().bytes()).sum()
    }
}

impl Animation {
    /// Bytes of the entries that there are.
    pub fn stored_frame_bytes(&self) -> usize {
        self.tracks.iter().map(super::model::Track::bytes).sum()
    }
}

impl Region<'_> {
    /// The name in the map.
    fn name(&self) -> String {
        match self {
            Self::Header => "header".to_owned(),
            Self::MeshRecord(i, _) => format!("meshes[{i}].record"),
            Self::Lod(i, _) => format!("lods[{i}]"),
            Self::Bone(i, _) => format!("bones[{i}]"),
            Self::AnimationRecord(i, _) => format!("animations[{i}].record"),
            Self::Vertices(i, _) => format!("meshes[{i}].vertices"),
            Self::Faces(i, _) => format!("meshes[{i}].faces"),
            Self::Frames(i, _) => format!("animations[{i}].frames"),
            Self::Text(at, _) => format!("strings[{at}]"),
        }
    }

    fn write(&self, model: &Model, w: &mut Writer) {
        match self {
            Self::Vertices(_, mesh) => vertices(self.name(), mesh, model.is_flat(mesh), w),
            Self::Faces(_, mesh) => faces(self.name(), mesh, w),
            _ => w.group(self.name(), |w| match self {
                Self::Header => {
                    w.text("magic", &super::MAGIC);
                    HEADER.write(model, w);
                }
                Self::MeshRecord(_, mesh) => MESH.write(mesh, w),
                Self::Lod(_, lod) => LOD.write(lod, w),
                Self::Bone(_, bone) if bone.is_pseudo() => PSEUDO_BONE.write(bone, w),
                Self::Bone(_, bone) => BONE.write(bone, w),
                Self::AnimationRecord(_, animation) => ANIMATION.write(animation, w),
                Self::Frames(_, animation) => frames(animation, w),
                Self::Text(_, text) => {
                    w.text("text", text);
                    w.u8("end", 0);
                }
                Self::Vertices(..) | Self::Faces(..) => {}
            }),
        }
    }
}

fn frames(animation: &Animation, w: &mut Writer) {
    w.list("bones", &animation.tracks, |track, w| {
        w.list("entries", &track.entries, |entry, w| {
            w.u8("tag", entry.tag());
            if let Some(rotation) = entry.rotation {
                w.raw("rotation", &rotation.to_le_bytes());
            }
            if let Some(translation) = entry.translation {
                w.u32("translation", translation);
            }
            if let Some(scale) = entry.scale {
                w.u32("scale", scale);
            }
        });
        if track.closed {
            w.u8("end", 0);
        }
    });
}

/// Vertices of one kind are a table; a mixed list has a group for each.
fn vertices(name: String, mesh: &Mesh, flat: bool, w: &mut Writer) {
    let record = |kind: VertexKind| match kind {
        VertexKind::Bits64 if flat => &FLAT_64,
        VertexKind::Bits64 => &TEXTURED_64,
        VertexKind::Bits96 => &VERTEX_96,
        VertexKind::Bits128 => &VERTEX_128,
    };
    let mut kinds = mesh.vertices.iter().map(|vertex| vertex.kind());
    let Some(first) = kinds.next() else { return };
    if kinds.all(|kind| kind == first) {
        let bytes: Vec<u8> = mesh.vertices.iter().flat_map(|vertex| vertex.bytes()).collect();
        return table(name, record(first), &bytes, w);
    }
    for (i, vertex) in mesh.vertices.iter().enumerate() {
        let bytes: Vec<u8> = vertex.bytes().collect();
        w.group(format!("{name}[{i}]"), |w| record_fields(record(vertex.kind()), &bytes, w));
    }
}

fn faces(name: String, mesh: &Mesh, w: &mut Writer) {
    let Some(first) = mesh.faces.first().map(|face| face.kind().bytes()) else { return };
    let bytes_of = |face: &super::model::Face| face.word.to_le_bytes().into_iter().take(face.kind().bytes());
    if mesh.faces.iter().all(|face| face.kind().bytes() == first) {
        let bytes: Vec<u8> = mesh.faces.iter().flat_map(bytes_of).collect();
        return table(name, if first == 4 { &FACE_32 } else { &FACE_64 }, &bytes, w);
    }
    for (i, face) in mesh.faces.iter().enumerate() {
        let bytes: Vec<u8> = bytes_of(face).collect();
        let record = if bytes.len() == 4 { &FACE_32 } else { &FACE_64 };
        w.group(format!("{name}[{i}]"), |w| record_fields(record, &bytes, w));
    }
}

/// Records of a size that is known only now.
fn table(name: String, record: &'static Record, bytes: &[u8], w: &mut Writer) {
    match record.size {
        4 => w.table(name, record, bytes.as_chunks::<4>().0),
        8 => w.table(name, record, bytes.as_chunks::<8>().0),
        12 => w.table(name, record, bytes.as_chunks::<12>().0),
        _ => w.table(name, record, bytes.as_chunks::<16>().0),
    }
}

fn record_fields(record: &'static Record, bytes: &[u8], w: &mut Writer) {
    for field in record.fields {
        let end = field.offset + field.bytes();
        w.field(field.name, field.kind, bytes.get(field.offset..end).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_taken_once() {
        let mut taken = Taken::default();
        assert_eq!(taken.take(10, 20), [(10, 20)]);
        assert_eq!(taken.take(30, 40), [(30, 40)]);
        assert_eq!(taken.take(5, 35), [(5, 10), (20, 30)]);
        assert_eq!(taken.take(12, 13), []);
        assert_eq!(taken.take(40, 45), [(40, 45)]);
        assert_eq!(taken.take(7, 7), []);
        assert_eq!(taken.free(50), [(0, 5), (45, 50)]);
    }
}
