//! A DGL2 file as it is: its chunks in their order.

use zerocopy::little_endian::{F32, I32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::dml::Dml;
use crate::bytes::{Layout, Record, Records, layout, record, utf8_or_windows_1252};
use crate::formats::Summary;

/// The types of chunks.
pub mod kind {
    /// Marks the start, and has the scene's name.
    pub const HEADER: u16 = 0;
    /// Marks the end.
    pub const END: u16 = 1;
    /// Triangles.
    pub const TRIMESH: u16 = 2;
    /// Properties of a surface.
    pub const MATERIAL: u16 = 3;
    /// A place, and what is there.
    pub const ENTITY: u16 = 4;
}

/// A DGL2 file as it is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// The chunks in their order, the END chunk included.
    pub chunks: Vec<Chunk>,
    /// Bytes after the END chunk, or those of a chunk that is cut off.
    pub trailing: Vec<u8>,
    /// What is whole of the chunk that is cut off: its bytes are in `trailing`, and only those are written.
    pub salvaged: Option<Box<Chunk>>,
}

/// One chunk.
#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    /// `type`.
    pub kind: u16,
    /// `id`.
    pub id: i32,
    /// `name`.
    pub name: Vec<u8>,
    /// `data`.
    pub data: ChunkData,
}

impl Chunk {
    /// The name as text.
    pub fn name_text(&self) -> String {
        utf8_or_windows_1252(&self.name)
    }
}

/// What is in a chunk.
#[derive(Clone, Debug, PartialEq)]
pub enum ChunkData {
    /// Triangles, and bytes that are too few for one more.
    Trimesh(Records<Triangle>, Vec<u8>),
    /// A surface.
    Material(MaterialData),
    /// A place.
    Entity(Box<EntityData>),
    /// Bytes: of HEADER, END and unknown chunks, and of an entity that is too short.
    Raw(Vec<u8>),
}

/// Property text with its size field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Properties {
    /// The size that the file states, where it is more than is there.
    pub stated_size: Option<u32>,
    /// The text.
    pub text: Vec<u8>,
    /// Bytes after it.
    pub after: Vec<u8>,
}

impl Properties {
    /// The text parsed.
    pub fn parse(&self) -> Dml {
        Dml::parse(&self.text)
    }
}

/// The data of a MATERIAL chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MaterialData {
    /// A size, then the text: what all real files have.
    Sized(Properties),
    /// Just the text, as the document says.
    Bare(Vec<u8>),
}

impl MaterialData {
    /// The property text.
    pub fn text(&self) -> &[u8] {
        match self {
            Self::Sized(properties) => &properties.text,
            Self::Bare(text) => text,
        }
    }
}

/// The data of an ENTITY chunk.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntityData {
    /// `type`: 0 normal, 1 light, others the game's.
    pub kind: u32,
    /// `materialID`, -1 for none.
    pub material: i32,
    /// `meshID`, -1 for none.
    pub mesh: i32,
    /// `position`.
    pub position: [f32; 3],
    /// `rotation`: x, y, z, w.
    pub rotation: [f32; 4],
    /// `scaling`.
    pub scaling: [f32; 3],
    /// The properties.
    pub properties: Properties,
}

/// One triangle with its own corners.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Triangle {
    /// `materialId`, -1 for none.
    pub material: I32,
    /// `vertices`.
    pub positions: [[F32; 3]; 3],
    /// `normals`.
    pub normals: [[F32; 3]; 3],
    /// `uv1`.
    pub uv1: [[F32; 2]; 3],
    /// `uv2`.
    pub uv2: [[F32; 2]; 3],
}

pub(super) static TRIANGLE: Record =
    record!("material": I32, "positions": F32 * 9, "normals": F32 * 9, "uv1": F32 * 6, "uv2": F32 * 6);

/// The fixed part of a chunk.
#[derive(Default)]
pub(super) struct Head {
    pub(super) kind: u16,
    pub(super) id: i32,
    pub(super) name: u16,
    pub(super) data: u32,
}

pub(super) static HEAD: Layout<Head> = layout!(head: Head {
    "type" => head.kind,
    "id" => head.id,
    "name_size" => head.name,
    "data_size" => head.data,
});

/// An entity before its properties.
pub(super) static ENTITY: Layout<EntityData> = layout!(entity: EntityData {
    "entity_type" => entity.kind,
    "material" => entity.material,
    "mesh" => entity.mesh,
    "position" => entity.position,
    "rotation" => entity.rotation,
    "scaling" => entity.scaling,
});

impl Model {
    /// The chunks of one type with their places in the file, what is whole of one that is cut off included.
    pub fn of_kind(&self, kind: u16) -> impl DoubleEndedIterator<Item = (usize, &Chunk)> {
        let cut = self.salvaged.as_deref().map(|chunk| (self.chunks.len(), chunk));
        self.chunks.iter().enumerate().chain(cut).filter(move |(_, chunk)| chunk.kind == kind)
    }

    /// The chunk at a place in the file.
    pub fn chunk(&self, index: usize) -> Option<&Chunk> {
        let cut = self.salvaged.as_deref().filter(|_| index == self.chunks.len());
        self.chunks.get(index).or(cut)
    }

    /// Whether the file goes on to its END chunk.
    pub fn is_whole(&self) -> bool {
        self.chunks.last().is_some_and(|chunk| chunk.kind == kind::END)
    }

    /// The meshes with their places in the file.
    pub fn meshes(&self) -> impl DoubleEndedIterator<Item = (usize, &Chunk, &[Triangle])> {
        self.of_kind(kind::TRIMESH).filter_map(|(i, chunk)| match &chunk.data {
            ChunkData::Trimesh(triangles, _) => Some((i, chunk, &triangles[..])),
            _ => None,
        })
    }

    /// The entities with their places in the file; those that are too short are left out.
    pub fn entities(&self) -> impl DoubleEndedIterator<Item = (usize, &Chunk, &EntityData)> {
        self.of_kind(kind::ENTITY).filter_map(|(i, chunk)| match &chunk.data {
            ChunkData::Entity(entity) => Some((i, chunk, entity.as_ref())),
            _ => None,
        })
    }

    /// The materials with their places in the file.
    pub fn materials(&self) -> impl DoubleEndedIterator<Item = (usize, &Chunk, &MaterialData)> {
        self.of_kind(kind::MATERIAL).filter_map(|(i, chunk)| match &chunk.data {
            ChunkData::Material(material) => Some((i, chunk, material)),
            _ => None,
        })
    }

    /// What is in it.
    pub fn summary(&self) -> Summary {
        let unknown = self.chunks.iter().filter(|chunk| chunk.kind > kind::ENTITY).count();
        let triangles = self.meshes().map(|(_, _, triangles)| triangles.len()).sum::<usize>();
        Summary {
            profile: None,
            contents: vec![
                ("trimeshes", self.of_kind(kind::TRIMESH).count()),
                ("materials", self.of_kind(kind::MATERIAL).count()),
                ("entities", self.of_kind(kind::ENTITY).count()),
                ("unknown_chunks", unknown),
            ],
            vertices: triangles * 3,
            triangles,
        }
    }
}
