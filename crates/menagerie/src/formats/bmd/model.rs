//! A BMD file as it is: the lists with their places in the file, and the fields of records.

use std::collections::BTreeMap;

use super::vertex::Vertex;
use crate::bytes::{Layout, Record, Span, f8a_to_f32, layout, record};
use crate::formats::Summary;

/// Bytes of the header with the magic number.
pub(super) const HEADER_BYTES: usize = 0x30;
/// Units of a model that the engine draws as a metre. Distances of levels of detail are in metres, all else is in units.
pub(super) const UNITS_PER_METRE: f32 = 40.0;
/// The parent of a pseudo-bone.
pub(super) const PSEUDO_PARENT: u8 = 0xFF;

/// A whole file. It is an image: records name other parts by their offsets, so everything remembers where it is, and
/// what nothing refers to is kept as bytes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Reserved words of the header, nominally zero.
    pub reserved: [u32; 3],
    /// Where the mesh records are.
    pub mesh_table: Table,
    /// Where the LOD records are.
    pub lod_table: Table,
    /// Where the bone records are.
    pub bone_table: Table,
    /// Where the animation records are.
    pub animation_table: Table,
    /// The meshes.
    pub meshes: Vec<Mesh>,
    /// The levels of detail.
    pub lods: Vec<Lod>,
    /// The bones and pseudo-bones.
    pub bones: Vec<Bone>,
    /// The animations.
    pub animations: Vec<Animation>,
    /// Names by their offsets, without the zero that ends them.
    pub strings: BTreeMap<u32, Vec<u8>>,
    /// Bytes that nothing refers to, by their offsets: padding, gaps and spare bytes.
    pub other: BTreeMap<u32, Vec<u8>>,
}

/// Where a table is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Its first byte.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
}

impl Table {
    /// The first byte of a record.
    pub(super) fn record<T>(self, layout: &Layout<T>, index: usize) -> usize {
        (self.offset as usize).saturating_add(layout.size() * index)
    }

    /// The bytes of a field of a record.
    pub(super) fn field<T>(self, layout: &Layout<T>, index: usize, name: &str) -> Span {
        layout.record.span(self.record(layout, index), name)
    }
}

/// A mesh: its record and its two lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// `ofs_vtx`: where the vertices are.
    pub vertices_at: u32,
    /// `ofs_tris`: where the triangles and quads are.
    pub faces_at: u32,
    /// `ofs_mat`: where the material's name is; zero for a mesh that is not drawn.
    pub material_at: u32,
    /// `n_vtx`: how many vertices.
    pub vertex_count: u16,
    /// `n_tris`: how many triangles, counted as the document says.
    pub triangle_count: u16,
    /// `sz_vtx`: bytes of the vertices.
    pub vertex_bytes: u32,
    /// `sz_tris`: bytes of the triangles and quads.
    pub face_bytes: u32,
    /// Hints for loaders: bits 1:0 the kind of vertices, bits 3:2 the kind of faces.
    pub flags: u32,
    /// Reserved, nominally zero.
    pub reserved: u32,
    /// The vertices.
    pub vertices: Vec<Vertex>,
    /// The triangles and quads.
    pub faces: Vec<Face>,
}

/// A triangle or a quad in one of its four forms, which its two lowest bits tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Face {
    /// The word; of 32-bit forms the high half is zero.
    pub word: u64,
}

/// The corners of a [`Face`]: three or four indices of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FaceCorners {
    indices: [u32; 4],
    quad: bool,
}

impl std::ops::Deref for FaceCorners {
    type Target = [u32];
    fn deref(&self) -> &[u32] {
        let [first @ .., _] = &self.indices;
        if self.quad { &self.indices } else { first }
    }
}

/// The form of a [`Face`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaceKind {
    /// Three 10-bit indices in 32 bits.
    Triangle32,
    /// Four 7-bit indices in 32 bits.
    Quad32,
    /// Three 20-bit indices in 64 bits.
    Triangle64,
    /// Four 15-bit indices in 64 bits.
    Quad64,
}

impl FaceKind {
    /// The kind of a face whose word begins with this byte.
    pub fn of_tag(byte: u8) -> Self {
        match byte & 3 {
            0 => Self::Triangle32,
            1 => Self::Quad32,
            2 => Self::Triangle64,
            _ => Self::Quad64,
        }
    }

    /// Bytes of such a face.
    pub fn bytes(self) -> usize {
        if matches!(self, Self::Triangle32 | Self::Quad32) { 4 } else { 8 }
    }

    /// Whether it has four corners.
    pub fn is_quad(self) -> bool {
        matches!(self, Self::Quad32 | Self::Quad64)
    }

    /// Bits of an index.
    pub fn index_bits(self) -> u32 {
        match self {
            Self::Triangle32 => 10,
            Self::Quad32 => 7,
            Self::Triangle64 => 20,
            Self::Quad64 => 15,
        }
    }

    /// The letter that stands for it in extras: small for 32 bits.
    pub fn letter(self) -> char {
        match self {
            Self::Triangle32 => 't',
            Self::Quad32 => 'q',
            Self::Triangle64 => 'T',
            Self::Quad64 => 'Q',
        }
    }

    /// The kind that a letter stands for.
    pub fn of_letter(letter: char) -> Option<Self> {
        [Self::Triangle32, Self::Quad32, Self::Triangle64, Self::Quad64]
            .into_iter()
            .find(|k| k.letter() == letter)
    }
}

impl Face {
    /// A face with these corners, as many as its kind has; `None` when an index is too large for it.
    pub fn new(kind: FaceKind, corners: &[u32]) -> Option<Self> {
        let bits = kind.index_bits();
        let mut word = kind as u64;
        if corners.len() != if kind.is_quad() { 4 } else { 3 } || corners.iter().any(|c| c >> bits != 0) {
            return None;
        }
        for (i, corner) in corners.iter().enumerate() {
            word |= u64::from(*corner) << (2 + i as u32 * bits);
        }
        Some(Self { word })
    }

    /// Its form.
    pub fn kind(&self) -> FaceKind {
        FaceKind::of_tag(self.word as u8)
    }

    /// Its corners: three or four indices of vertices.
    pub fn corners(&self) -> FaceCorners {
        let kind = self.kind();
        let bits = kind.index_bits();
        let mask = (1u64 << bits) - 1;
        let index = |i: u32| (self.word >> (2 + i * bits) & mask) as u32;
        FaceCorners { indices: [0, 1, 2, 3].map(index), quad: kind.is_quad() }
    }

    /// The bits that nothing uses, nominally zero.
    pub fn spare_bits(&self) -> u64 {
        match self.kind() {
            FaceKind::Triangle32 => 0,
            FaceKind::Quad32 => self.word >> 30 & 3,
            FaceKind::Triangle64 | FaceKind::Quad64 => self.word >> 62,
        }
    }

    /// Its triangles: one, or two for a quad.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> + use<> {
        let (first, second) = match *self.corners() {
            [a, b, c] => (Some([a, b, c]), None),
            [a, b, c, d] => (Some([a, b, c]), Some([a, c, d])),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }
}

impl Mesh {
    /// How many triangles there are, a quad counted as two.
    pub fn triangles(&self) -> usize {
        self.faces.iter().map(|face| if face.kind().is_quad() { 2 } else { 1 }).sum()
    }

    /// How the document counts triangles: quads as two in small meshes, as one in large ones.
    pub fn counted_triangles(&self) -> usize {
        if self.vertices.len() <= 1024 { self.triangles() } else { self.faces.len() }
    }

    /// The box around the positions as they are stored.
    pub fn size(&self) -> f32 {
        let coordinates = self.vertices.iter().flat_map(Vertex::position).filter(|x| x.is_finite());
        coordinates.fold(0.0, |size, x| size.max(x.abs()))
    }
}

/// A level of detail: a range of meshes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lod {
    /// `id_mesh`: the first mesh.
    pub first: u8,
    /// `n_mesh`: how many meshes.
    pub count: u8,
    /// `ld_sc`: the nominal scale as an F8A code.
    pub scale: u8,
    /// Reserved, nominally zero.
    pub reserved: u8,
}

impl Lod {
    /// The distance in metres that the scale stands for; `None` when it says nothing.
    pub fn distance(&self) -> Option<f32> {
        let scale = f8a_to_f32(self.scale);
        (scale != 0.0).then(|| 1.0 / scale - 1.0)
    }
}

/// A bone, or a pseudo-bone, which blends up to four bones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bone {
    /// The low word of `xform`: the translation from its parent, or four bone ids.
    pub translation: u32,
    /// The high word of `xform`: the rotation, or four weights.
    pub rotation: u32,
    /// `ofs_name`: where its name is; zero for none.
    pub name_at: u32,
    /// `id_parent`: the parent; 0xFF for a pseudo-bone.
    pub parent: u8,
    /// `id_solid`: the mesh that is its solid; zero for none.
    pub solid: u8,
    /// Reserved, nominally zero.
    pub reserved: [u8; 2],
}

impl Bone {
    /// Whether it only blends other bones.
    pub fn is_pseudo(&self) -> bool {
        self.parent == PSEUDO_PARENT
    }

    /// The bones that a pseudo-bone blends, with their weights as they are stored; slots without weight are left out.
    pub fn blended(&self) -> impl Iterator<Item = (u8, f32)> + use<> {
        let ids = self.translation.to_le_bytes().into_iter();
        let weights = self.rotation.to_le_bytes().into_iter().map(f8a_to_f32);
        ids.zip(weights).filter(|(_, weight)| *weight != 0.0)
    }
}

/// The quaternion of a rotation word, as stored; zero and all ones mean none.
pub fn raw_rotation(word: u32) -> [f32; 4] {
    match word {
        0 | u32::MAX => [0.0, 0.0, 0.0, 1.0],
        _ => word.to_le_bytes().map(f8a_to_f32),
    }
}

/// The unit quaternion of a rotation word.
pub fn rotation(word: u32) -> glam::Quat {
    let [x, y, z, w] = raw_rotation(word).map(f64::from);
    let length = (x * x + y * y + z * z + w * w).sqrt();
    if length > 0.0 {
        let [x, y, z, w] = [x, y, z, w].map(|part| (part / length) as f32);
        glam::Quat::from_xyzw(x, y, z, w)
    } else {
        glam::Quat::IDENTITY
    }
}

/// An animation: its record and its frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Animation {
    /// `ofs_name`: where its name is; zero for none.
    pub name_at: u32,
    /// `n_framees`: how many frames.
    pub frame_count: u8,
    /// `fl_hz`: bit 7 for no loop, bits 6:0 the rate in quarters of a hertz.
    pub rate: u8,
    /// Reserved, nominally zero.
    pub reserved: [u8; 2],
    /// `ofs_frames`: where the frames are.
    pub frames_at: u32,
    /// `sz_frames`: bytes of the frames.
    pub frame_bytes: u32,
    /// For each bone from the first on, its entries.
    pub tracks: Vec<Track>,
}

impl Animation {
    /// Frames a second, as stored.
    pub fn hz(&self) -> f32 {
        f32::from(self.rate & 0x7F) / 4.0
    }

    /// Whether it begins again after its end.
    pub fn loops(&self) -> bool {
        self.rate & 0x80 == 0
    }
}

/// What moves a bone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Track {
    /// The entries in the order of their frames.
    pub entries: Vec<Entry>,
    /// Whether the zero that ends it is there.
    pub closed: bool,
}

/// A step along the frames of a bone, with the values at the frame that it stops at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// How many frames are passed over before its own.
    pub skipped: u8,
    /// The rotation word.
    pub rotation: Option<u32>,
    /// The translation word.
    pub translation: Option<u32>,
    /// The scale word.
    pub scale: Option<u32>,
}

impl Entry {
    /// The tag byte: what is there, and how many frames are passed over.
    pub fn tag(&self) -> u8 {
        let flag = |word: Option<u32>, bit: u8| if word.is_some() { bit } else { 0 };
        flag(self.rotation, 0x80)
            | flag(self.translation, 0x40)
            | flag(self.scale, 0x20)
            | self.skipped & 0x1F
    }

    /// The words in the order of the file.
    pub fn words(&self) -> impl Iterator<Item = u32> + use<> {
        [self.rotation, self.translation, self.scale].into_iter().flatten()
    }

    /// Bytes in the file.
    pub fn bytes(&self) -> usize {
        1 + 4 * self.words().count()
    }
}

impl Track {
    /// Bytes in the file.
    pub fn bytes(&self) -> usize {
        self.entries.iter().map(Entry::bytes).sum::<usize>() + usize::from(self.closed)
    }

    /// The entries with their frames.
    pub fn frames(&self) -> impl Iterator<Item = (usize, &Entry)> {
        let mut next = 0usize;
        self.entries.iter().map(move |entry| {
            let frame = next + usize::from(entry.skipped);
            next = frame + 1;
            (frame, entry)
        })
    }
}

impl Model {
    /// The bytes of the string at an offset; `None` for offset zero and for none that could be read.
    pub fn text(&self, at: u32) -> Option<&[u8]> {
        if at == 0 { None } else { self.strings.get(&at).map(Vec::as_slice) }
    }

    /// The name of a mesh's material; `None` for a mesh that is not drawn.
    pub fn material(&self, mesh: &Mesh) -> Option<&[u8]> {
        self.text(mesh.material_at)
    }

    /// Whether a mesh's material is a flat colour, which decides how its 64-bit vertices are read.
    pub fn is_flat(&self, mesh: &Mesh) -> bool {
        self.material(mesh).is_some_and(|name| name.first() == Some(&b'#'))
    }

    /// How many bones an animation has entries for: all up to the last that is no pseudo-bone.
    pub fn animated_bones(&self) -> usize {
        self.bones.iter().rposition(|bone| !bone.is_pseudo()).map_or(0, |last| last + 1)
    }

    /// What is in it.
    pub fn summary(&self) -> Summary {
        Summary {
            profile: None,
            contents: vec![
                ("meshes", self.meshes.len()),
                ("lods", self.lods.len()),
                ("bones", self.bones.len()),
                ("animations", self.animations.len()),
            ],
            vertices: self.meshes.iter().map(|mesh| mesh.vertices.len()).sum(),
            triangles: self.meshes.iter().map(Mesh::triangles).sum(),
        }
    }
}

/// The colour of a material called `#RRGGBB`; `None` for any other name.
pub fn flat_colour(name: &[u8]) -> Option<[u8; 3]> {
    let digits = name.strip_prefix(b"#")?;
    if digits.len() != 6 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let value = u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()?;
    Some([(value >> 16) as u8, (value >> 8) as u8, value as u8])
}

/// The header after its magic number.
pub(super) static HEADER: Layout<Model> = layout!(model: Model {
    "reserved1" => model.reserved[0],
    "reserved2" => model.reserved[1],
    "reserved3" => model.reserved[2],
    "ofs_meshes" => model.mesh_table.offset,
    "sz_meshes" => model.mesh_table.size,
    "ofs_lods" => model.lod_table.offset,
    "sz_lods" => model.lod_table.size,
    "ofs_bones" => model.bone_table.offset,
    "sz_bones" => model.bone_table.size,
    "ofs_anims" => model.animation_table.offset,
    "sz_anims" => model.animation_table.size,
});
/// The record of a mesh.
pub(super) static MESH: Layout<Mesh> = layout!(mesh: Mesh {
    "ofs_vtx" => mesh.vertices_at,
    "ofs_tris" => mesh.faces_at,
    "ofs_mat" => mesh.material_at,
    "n_vtx" => mesh.vertex_count,
    "n_tris" => mesh.triangle_count,
    "sz_vtx" => mesh.vertex_bytes,
    "sz_tris" => mesh.face_bytes,
    "flags" => mesh.flags,
    "reserved" => mesh.reserved,
});
/// The record of a level of detail.
pub(super) static LOD: Layout<Lod> = layout!(lod: Lod {
    "id_mesh" => lod.first,
    "n_mesh" => lod.count,
    "ld_sc" => lod.scale,
    "reserved" => lod.reserved,
});
/// The record of a bone.
pub(super) static BONE: Layout<Bone> = layout!(bone: Bone {
    "translation" => bone.translation,
    "rotation": Bytes => bone.rotation,
    "ofs_name" => bone.name_at,
    "id_parent" => bone.parent,
    "id_solid" => bone.solid,
    "reserved" => bone.reserved,
});
/// The same bytes of a pseudo-bone.
pub(super) static PSEUDO_BONE: Layout<Bone> = layout!(bone: Bone {
    "bones": Bytes => bone.translation,
    "weights": Bytes => bone.rotation,
    "ofs_name" => bone.name_at,
    "id_parent" => bone.parent,
    "id_solid" => bone.solid,
    "reserved" => bone.reserved,
});
/// The record of an animation.
pub(super) static ANIMATION: Layout<Animation> = layout!(animation: Animation {
    "ofs_name" => animation.name_at,
    "n_frames" => animation.frame_count,
    "fl_hz" => animation.rate,
    "reserved" => animation.reserved,
    "ofs_frames" => animation.frames_at,
    "sz_frames" => animation.frame_bytes,
});

/// A 64-bit vertex with texture coordinates.
pub(super) static TEXTURED_64: Record = record!("position": U32, "st": U8 * 3, "bone": U8);
/// A 64-bit vertex of a flat colour.
pub(super) static FLAT_64: Record = record!("position": U32, "normal": U8 * 3, "bone": U8);
/// A 96-bit vertex.
pub(super) static VERTEX_96: Record = record!(
    "position": U32,
    "st": U8 * 3,
    "tag": U8,
    "normal": U8 * 3,
    "shade_or_bone": U8,
);
/// A 128-bit vertex.
pub(super) static VERTEX_128: Record = record!(
    "position": F16 * 3,
    "shade": U8,
    "tag": U8,
    "st": U32,
    "normal": U8 * 3,
    "bone": U8,
);
/// A 32-bit triangle or quad.
pub(super) static FACE_32: Record = record!("word": U32);
/// A 64-bit triangle or quad.
pub(super) static FACE_64: Record = record!("word": U64);
