//! A geometry as it is: its lists, and how bone indices are stored.

use zerocopy::little_endian::{F32, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::bytes::{Field, FieldType, Record, Records, record};

/// A mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Geometry {
    /// `Geometry type`, 0.
    pub kind: u8,
    /// The name's bytes.
    pub name: Vec<u8>,
    /// The vertices.
    pub vertices: Records<Vertex>,
    /// Three indices a triangle.
    pub indices: Records<U32>,
}

/// How the bone indices of a geometry are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoneEncoding {
    /// As floats: what the exporter writes and the engine reads.
    Float,
    /// As integers: what the document says.
    Integer,
}

impl BoneEncoding {
    /// The name in options and extras.
    pub fn name(self) -> &'static str {
        match self {
            Self::Float => "f32",
            Self::Integer => "u32",
        }
    }

    /// The encoding called `name`.
    pub fn by_name(name: &str) -> Option<Self> {
        [Self::Float, Self::Integer].into_iter().find(|encoding| encoding.name() == name)
    }

    /// The bone that a word names; `None` when it names none.
    pub fn decode(self, word: u32) -> Option<u32> {
        match self {
            Self::Integer => Some(word),
            Self::Float => {
                let value = f32::from_bits(word);
                let whole = (0.0..16_777_216.0).contains(&value) && value.fract() == 0.0;
                whole.then_some(value as u32)
            }
        }
    }

    /// The bone that a word names, unless the word is in the other encoding.
    pub fn bone(self, word: u32) -> Option<u32> {
        let other = Self::of_word(word).is_some_and(|of_word| of_word != self);
        self.decode(word).filter(|_| !other)
    }

    /// The word for a bone.
    pub fn encode(self, bone: u32) -> u32 {
        match self {
            Self::Integer => bone,
            Self::Float => (bone as f32).to_bits(),
        }
    }

    /// The encoding that a word can only be in; `None` for zero, which is in both.
    pub fn of_word(word: u32) -> Option<Self> {
        match word {
            0 => None,
            1..0x0080_0000 => Some(Self::Integer),
            _ => Some(Self::Float),
        }
    }
}

impl Geometry {
    /// How its bone indices are stored, by the first that is not zero; `None` when all are.
    pub fn bone_encoding(&self) -> Option<BoneEncoding> {
        let words = self.vertices.iter().flat_map(|vertex| vertex.bones);
        words.map(U32::get).find_map(BoneEncoding::of_word)
    }

    /// The highest bone that a vertex hangs on with a weight, and the first such vertex; `None` when no vertex does.
    pub fn highest_bone(&self) -> Option<(u32, usize)> {
        let encoding = self.bone_encoding().unwrap_or(BoneEncoding::Float);
        let mut highest: Option<(u32, usize)> = None;
        for (i, vertex) in self.vertices.iter().enumerate() {
            for (word, weight) in vertex.bones.iter().zip(&vertex.weights) {
                let used = weight.get() > 0.0;
                if let Some(bone) = encoding.bone(word.get()).filter(|_| used)
                    && highest.is_none_or(|(most, _)| bone > most)
                {
                    highest = Some((bone, i));
                }
            }
        }
        highest
    }

    /// The triangles that are complete.
    pub fn triangles(&self) -> &[[U32; 3]] {
        self.indices.as_chunks().0
    }
}

/// A vertex, as it is in the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Vertex {
    /// `Vertex position`.
    pub position: [F32; 3],
    /// `Texture coordinates`, from the bottom left.
    pub uv: [F32; 2],
    /// `Normal`.
    pub normal: [F32; 3],
    /// `Tangent`.
    pub tangent: [F32; 3],
    /// `Binormal`.
    pub binormal: [F32; 3],
    /// `Indices of bones`: the words as they are, see [`BoneEncoding`].
    pub bones: [U32; 3],
    /// `Weight` of each bone; they need not sum to one.
    pub weights: [F32; 3],
}

/// The record of a vertex whose bone indices are of this type.
const fn vertex_fields(bones: FieldType) -> [Field; 7] {
    Field::in_order([
        Field::new("position", FieldType::F32, 3),
        Field::new("uv", FieldType::F32, 2),
        Field::new("normal", FieldType::F32, 3),
        Field::new("tangent", FieldType::F32, 3),
        Field::new("binormal", FieldType::F32, 3),
        Field::new("bones", bones, 3),
        Field::new("weights", FieldType::F32, 3),
    ])
}

static FLOAT_FIELDS: [Field; 7] = vertex_fields(FieldType::F32);
static INTEGER_FIELDS: [Field; 7] = vertex_fields(FieldType::U32);

/// A vertex with bone indices as floats.
pub(super) static VERTEX_F32: Record = Record::of(&FLOAT_FIELDS);
/// A vertex with bone indices as integers.
pub(super) static VERTEX_U32: Record = Record::of(&INTEGER_FIELDS);

pub(super) static INDEX: Record = record!("vertex": U32);
