//! A BO3D file as it is: a list of entities, and the width of its floats.

use zerocopy::little_endian::{F32, I32, U16};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::bytes::{Layout, Record, Records, layout, record, utf8_or_windows_1252};
use crate::formats::Summary;

/// The version that the document describes.
pub const VERSION: i32 = 100;

/// A BO3D file as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// `version`, 100.
    pub version: i32,
    /// `byte length of entity list`, where it is not what it should be.
    pub stated_list_bytes: Option<i32>,
    /// `bit length of vertex floats`: what all meshes' vertices are.
    pub vfloat: VFloat,
    /// The entities; the first is the root.
    pub entities: Vec<Entity>,
    /// Bytes after the last entity; in a damaged file from the first damaged entity on.
    pub trailing: Vec<u8>,
    /// What could be had of a damaged file from the first damaged entity on; its bytes are in `trailing`.
    pub salvaged: Vec<Entity>,
    /// `number of entities`, where it is not that of `entities`: in a damaged file.
    pub stated_count: Option<i32>,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            version: VERSION,
            stated_list_bytes: None,
            vfloat: VFloat::Bits32,
            entities: Vec::new(),
            trailing: Vec::new(),
            salvaged: Vec::new(),
            stated_count: None,
        }
    }
}

/// The width of the floats of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VFloat {
    /// IEEE half precision.
    Bits16,
    /// IEEE single precision.
    Bits32,
}

impl VFloat {
    /// 16 or 32.
    pub fn bits(self) -> i32 {
        match self {
            Self::Bits16 => 16,
            Self::Bits32 => 32,
        }
    }
}

/// A pivot, or a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Entity {
    /// `index of parent definition`, -1 for none.
    pub parent: i32,
    /// `local position vector`.
    pub position: [f32; 3],
    /// `local scale vector`.
    pub scale: [f32; 3],
    /// `local rotation quaternion`: w, x, y, z.
    pub rotation: [f32; 4],
    /// `length of animation` in frames.
    pub anim_length: i32,
    /// The keyframes, as they are ordered in the file.
    pub keys: Vec<Key>,
    /// The name's bytes, in no stated encoding.
    pub name: Vec<u8>,
    /// What fills the name up to four bytes; `None` for the zeros that belong there.
    pub name_padding: Option<Vec<u8>>,
    /// What makes it a mesh.
    pub mesh: Option<MeshData>,
    /// Bytes inside the definition after its last list.
    pub surplus: Vec<u8>,
    /// Bytes from the end of a definition whose size is not a multiple of four to the next one; `None` for zeros.
    pub gap: Option<Vec<u8>>,
}

impl Default for Entity {
    fn default() -> Self {
        Self {
            parent: -1,
            position: [0.0; 3],
            scale: [1.0; 3],
            rotation: [1.0, 0.0, 0.0, 0.0],
            anim_length: 0,
            keys: Vec::new(),
            name: Vec::new(),
            name_padding: None,
            mesh: None,
            surplus: Vec::new(),
            gap: None,
        }
    }
}

impl Entity {
    /// The name as text.
    pub fn name_text(&self) -> String {
        utf8_or_windows_1252(&self.name)
    }
}

/// The part of an entity that only meshes have.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshData {
    /// The vertices; never empty, for no vertices mean a pivot.
    pub vertices: Vertices,
    /// Vertex colours: none, or one for each vertex.
    pub colours: Vec<Colour>,
    /// What fills the colours up to four bytes; `None` for zeros.
    pub colours_padding: Option<Vec<u8>>,
    /// The triangles.
    pub triangles: Records<Triangle>,
    /// What fills the triangles up to four bytes; `None` for zeros.
    pub triangles_padding: Option<Vec<u8>>,
    /// The name of the texture; empty for none.
    pub texture: Vec<u8>,
    /// What fills the texture's name up to four bytes; `None` for zeros.
    pub texture_padding: Option<Vec<u8>>,
    /// `entity colour`: blue, green, red, and a byte that alpha overrules.
    pub colour: [u8; 4],
    /// `alpha`.
    pub alpha: f32,
    /// `entity FX flags`.
    pub fx: u32,
    /// The bones.
    pub bones: Vec<Bone>,
}

impl MeshData {
    /// The texture's name as text; `None` for an untextured mesh.
    pub fn texture_text(&self) -> Option<String> {
        (!self.texture.is_empty()).then(|| utf8_or_windows_1252(&self.texture))
    }
}

/// The flags of [`MeshData::fx`].
#[derive(Clone, Copy, Debug)]
pub struct Fx;

#[expect(missing_docs, reason = "the names are the engine's")]
impl Fx {
    pub const FULL_BRIGHT: u32 = 1;
    pub const FLAT_SHADED: u32 = 2;
    pub const NO_FOG: u32 = 4;
    pub const ADDITIVE: u32 = 8;
    pub const MULTIPLY: u32 = 16;
    pub const TWO_SIDED: u32 = 32;
    pub const STENCIL_INCREMENT: u32 = 128;
    pub const STENCIL_DECREMENT: u32 = 256;
    pub const STENCIL_BOTH: u32 = 1024;
    /// All of them.
    pub const KNOWN: u32 = 1 | 2 | 4 | 8 | 16 | 32 | 128 | 256 | 1024;
}

/// The vertices of a mesh, of the width that the file says.
#[derive(Clone, Debug, PartialEq)]
pub enum Vertices {
    /// Of 16-bit floats.
    Half(Records<Vertex16>),
    /// Of 32-bit floats.
    Full(Records<Vertex32>),
}

impl Default for Vertices {
    fn default() -> Self {
        Self::Full(Records::default())
    }
}

impl Vertices {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Half(vertices) => vertices.len(),
            Self::Full(vertices) => vertices.len(),
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Their width.
    pub fn vfloat(&self) -> VFloat {
        match self {
            Self::Half(_) => VFloat::Bits16,
            Self::Full(_) => VFloat::Bits32,
        }
    }

    /// All vertices as eight floats: u, v, normal, position.
    pub fn to_floats(&self) -> Vec<[f32; 8]> {
        match self {
            Self::Half(vertices) => {
                vertices.iter().map(|v| v.0.map(|bits| half::f16::from_bits(bits.get()).to_f32())).collect()
            }
            Self::Full(vertices) => vertices.iter().map(|v| v.0.map(F32::get)).collect(),
        }
    }
}

/// A vertex of half floats: u, v, normal, position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(transparent)]
pub struct Vertex16(pub [U16; 8]);

/// A vertex of floats: u, v, normal, position.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(transparent)]
pub struct Vertex32(pub [F32; 8]);

/// The whole local transform of an entity at one frame.
#[derive(Clone, Copy, Debug, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Key {
    /// `frame number`.
    pub frame: I32,
    /// `local position vector`.
    pub position: [F32; 3],
    /// `local scale vector`.
    pub scale: [F32; 3],
    /// `local rotation quaternion`: w, x, y, z.
    pub rotation: [F32; 4],
}

/// A vertex colour: red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(transparent)]
pub struct Colour(pub [u8; 3]);

/// Three vertices, counter-clockwise seen from the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(transparent)]
pub struct Triangle(pub [U16; 3]);

/// An entity and the vertices that hang on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Bone {
    /// `entity index`.
    pub entity: I32,
    /// `first vertex affected by bone`.
    pub first: I32,
    /// `last vertex affected by bone`, itself included; one below `first` for a bone that holds none.
    pub last: I32,
}

impl Key {
    /// Its place.
    pub fn position(&self) -> [f32; 3] {
        self.position.map(F32::get)
    }

    /// Its scale.
    pub fn scale(&self) -> [f32; 3] {
        self.scale.map(F32::get)
    }
}

/// The nearest half float; what is too large becomes the largest.
pub(super) fn nearest_half(value: f32) -> half::f16 {
    let half = half::f16::from_f32(value);
    match half.is_infinite() {
        true if value > 0.0 => half::f16::MAX,
        true => half::f16::MIN,
        false => half,
    }
}

impl Bone {
    /// The range of vertices, cut to the `vertices` that there are.
    pub fn range(&self, vertices: usize) -> std::ops::Range<usize> {
        let first = usize::try_from(self.first.get()).unwrap_or(0);
        let end = usize::try_from(i64::from(self.last.get()) + 1).unwrap_or(0).min(vertices);
        first..end.max(first)
    }
}

/// The header of an entity between its size and the counts of its lists.
pub(super) static ENTITY: Layout<Entity> = layout!(entity: Entity {
    "parent" => entity.parent,
    "position" => entity.position,
    "scale" => entity.scale,
    "rotation" => entity.rotation,
    "anim_length" => entity.anim_length,
});

/// What is between the counts of a mesh.
pub(super) static MESH: Layout<MeshData> = layout!(mesh: MeshData {
    "colour" => mesh.colour,
    "alpha" => mesh.alpha,
    "fx" => mesh.fx,
});

pub(super) static KEY: Record =
    record!("frame": I32, "position": F32 * 3, "scale": F32 * 3, "rotation": F32 * 4);

pub(super) static VERTEX16: Record = record!("u": F16, "v": F16, "normal": F16 * 3, "position": F16 * 3);

pub(super) static VERTEX32: Record = record!("u": F32, "v": F32, "normal": F32 * 3, "position": F32 * 3);

pub(super) static COLOUR: Record = record!("rgb": U8 * 3);

pub(super) static TRIANGLE: Record = record!("vertices": U16 * 3);

pub(super) static BONE: Record = record!("entity": I32, "first": I32, "last": I32);

impl Model {
    /// All entities, those of a damaged part too.
    pub fn all_entities(&self) -> impl Iterator<Item = &Entity> + Clone {
        self.entities.iter().chain(&self.salvaged)
    }

    /// The model with what was salvaged among its entities; `None` for one that is whole.
    pub(super) fn with_salvaged(&self) -> Option<Self> {
        if self.salvaged.is_empty() {
            return None;
        }
        Some(Self { entities: self.all_entities().cloned().collect(), salvaged: Vec::new(), ..self.clone() })
    }

    /// The entities that are meshes, with their indices.
    pub fn meshes(&self) -> impl Iterator<Item = (usize, &MeshData)> {
        self.all_entities().enumerate().filter_map(|(i, entity)| Some((i, entity.mesh.as_ref()?)))
    }

    /// The parent of an entity as the engine sees it: what does not name an earlier entity hangs on the first.
    pub fn effective_parent(&self, index: usize) -> Option<usize> {
        if index == 0 {
            return None;
        }
        let parent = self.entities.get(index).and_then(|entity| usize::try_from(entity.parent).ok());
        Some(parent.filter(|parent| *parent < index).unwrap_or(0))
    }

    /// What is in it.
    pub fn summary(&self) -> Summary {
        let meshes = self.meshes().count();
        let sum = |count: fn(&MeshData) -> usize| self.meshes().map(|(_, mesh)| count(mesh)).sum();
        Summary {
            profile: None,
            contents: vec![
                ("entities", self.all_entities().count()),
                ("meshes", meshes),
                ("pivots", self.all_entities().count() - meshes),
                ("bones", sum(|mesh| mesh.bones.len())),
                ("keyframes", self.all_entities().map(|entity| entity.keys.len()).sum()),
            ],
            vertices: sum(|mesh| mesh.vertices.len()),
            triangles: sum(|mesh| mesh.triangles.len()),
        }
    }
}
