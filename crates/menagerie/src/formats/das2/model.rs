//! A das2 file as it is: header, lists of records, and the bytes of its buffers.

use std::sync::Arc;

use super::hash;
use crate::bytes::{Layout, Records, decode_text, layout};

/// What an id is that names nothing: -1.
pub const NONE: u32 = u32::MAX;

/// How many slots there are for texture coordinates, and for sets of joints.
pub const SLOTS: usize = 8;

/// A das2 file as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Which of the two layouts the file has.
    pub profile: Profile,
    /// Which identifier bytes the records have.
    pub numbering: Numbering,
    /// What comes before the records.
    pub header: Header,
    /// How the records are packed.
    pub framing: Framing,
    /// The records in the order of the file; an id is the place of a record among those of its kind.
    pub records: Vec<Record>,
    /// Bytes after the end of a compressed body.
    pub trailing: Vec<u8>,
    /// The body of a file that is damaged, as it is in the file: it is written again, whatever the records are, which
    /// are those that could be had. `None` for a whole file.
    pub damaged: Option<Arc<[u8]>>,
}

/// The two layouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// What the format's document describes.
    #[default]
    Spec,
    /// What the format's own library writes.
    Libdas2,
}

impl Profile {
    /// `spec` or `libdas2`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Libdas2 => "libdas2",
        }
    }

    /// The profile of that name.
    pub fn by_name(name: &str) -> Option<Self> {
        [Self::Spec, Self::Libdas2].into_iter().find(|profile| profile.name() == name)
    }
}

/// Which identifier bytes records have: the document numbers them in two ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Numbering {
    /// As in the document's headings: a mesh group is 4.
    #[default]
    Headings,
    /// As in the document's tables: a mesh group is 3.
    Tables,
}

/// How the records are packed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Framing {
    /// They follow the header as they are.
    Raw,
    /// In a zlib stream.
    Zlib {
        /// The stream in the file that was read, which is written again as long as it says the same; `None` for a model
        /// that was made.
        stored: Option<Records<u8>>,
    },
    /// In one or more zstd frames.
    Zstd {
        /// The frames in the file that was read, which are written again as long as they say the same; `None` for a
        /// model that was made.
        stored: Option<Records<u8>>,
    },
}

/// What comes before the records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Header {
    /// `szAuthorName`.
    pub author: Text,
    /// `szComment`.
    pub comment: Text,
    /// `uVerticesCount`.
    pub vertices_count: u32,
    /// `uMeshCount`.
    pub mesh_count: u32,
    /// `uAnimationCount`.
    pub animation_count: u32,
    /// `uDefaultSceneIndex`.
    pub default_scene: u32,
    /// `uZlibLevel`.
    pub level: u8,
}

/// A string: its bytes, and in the library's profile a hash of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The bytes, UTF-8 as a rule.
    pub bytes: Vec<u8>,
    /// The hash that the library's profile stores before the bytes; the document's profile has none.
    pub hash: u64,
}

impl Text {
    /// A string with its right hash.
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self { hash: hash::crc64(&bytes), bytes }
    }

    /// The text, and whether it is UTF-8.
    pub fn decoded(&self) -> (String, bool) {
        decode_text(&self.bytes)
    }

    /// Whether the hash is one that the library gives such a string.
    pub fn has_good_hash(&self) -> bool {
        self.hash == hash::crc64(&self.bytes) || (self.bytes.is_empty() && self.hash == 0)
    }
}

impl Default for Text {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

/// What kinds of records there are, in the order in which they are written, and the names of their lists.
macro_rules! kinds {
    ($($kind:ident in $list:ident),* $(,)?) => {
        /// One record.
        #[derive(Clone, Debug, PartialEq)]
        #[expect(missing_docs, reason = "the types say it")]
        pub enum Record {
            $($kind($kind)),*
        }

        /// What kinds of records there are at the top of a file.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[expect(missing_docs, reason = "they are those of `Record`")]
        pub enum Kind {
            $($kind),*
        }

        /// The records by kind: the place in a list is the id.
        #[derive(Clone, Debug, Default)]
        #[expect(missing_docs, reason = "one list for each kind of record")]
        pub struct Lists<'a> {
            $(pub $list: Vec<&'a $kind>),*
        }

        impl Record {
            /// Its kind.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Self::$kind(_) => Kind::$kind),*
                }
            }
        }

        impl Kind {
            /// All kinds, in the order in which they are written.
            pub const ALL: [Self; 11] = [$(Self::$kind),*];

            /// The name of the list of all records of this kind, as in paths and in `info`.
            pub fn list(self) -> &'static str {
                match self {
                    $(Self::$kind => stringify!($list)),*
                }
            }
        }

        impl Lists<'_> {
            /// How many records of a kind there are.
            pub fn count(&self, kind: Kind) -> usize {
                match kind {
                    $(Kind::$kind => self.$list.len()),*
                }
            }
        }

        impl Model {
            /// The records by kind.
            pub fn lists(&self) -> Lists<'_> {
                let mut lists = Lists::default();
                for record in &self.records {
                    match record {
                        $(Record::$kind(record) => lists.$list.push(record)),*
                    }
                }
                lists
            }
        }
    };
}

kinds! {
    Buffer in buffers,
    Mesh in meshes,
    MeshGroup in mesh_groups,
    Node in nodes,
    Scene in scenes,
    Joint in joints,
    Skeleton in skeletons,
    Animation in animations,
    Channel in channels,
    Phong in phong_materials,
    Pbr in pbr_materials,
}

impl Kind {
    /// The identifier byte.
    pub fn identifier(self, numbering: Numbering) -> u8 {
        let place = self as u8;
        match (self, numbering) {
            (Self::Buffer | Self::Mesh, _) | (_, Numbering::Tables) => place + 1,
            (_, Numbering::Headings) => place + 2,
        }
    }

    /// The kind that has an identifier byte.
    pub fn of(identifier: u8, numbering: Numbering) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.identifier(numbering) == identifier)
    }
}

/// Bytes that meshes refer to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Buffer {
    /// `pData`.
    pub data: Records<u8>,
}

/// A place in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ref {
    /// Which buffer; [`NONE`] for none. The library's profile has one buffer only, and does not store this.
    pub buffer: u32,
    /// The first byte.
    pub offset: u32,
}

impl Ref {
    /// No place.
    pub const NONE: Self = Self { buffer: NONE, offset: 0 };
}

impl Default for Ref {
    fn default() -> Self {
        Self::NONE
    }
}

/// A mesh and its levels of detail.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The mesh itself, then the levels below it in the order of the file: each is followed by the levels that are
    /// nested in it. A flat list, so that deep nesting costs no stack.
    pub levels: Vec<Level>,
}

/// One level of detail of a mesh; the first is the mesh itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// `uIndexBufferId`, `uIndexBufferOffset`.
    pub index: Ref,
    /// `uDrawCount`: how many indices or, without an index buffer, how many vertices.
    pub draw_count: u32,
    /// `uPositionVertexBufferId`, `uPositionVertexBufferOffset`.
    pub position: Ref,
    /// `uSurfaceNormalBufferId`, `uSurfaceNormalBufferOffset`.
    pub normal: Ref,
    /// `uUVBufferIds`, `uUVBufferOffsets`, by [`UvSlot`].
    pub uv: [Ref; SLOTS],
    /// `uColorMultiplierId`, `uColorMultiplierOffset`.
    pub color: Ref,
    /// `uSkeletalJointIndexBufferIds`, `uSkeletalJointIndexBufferOffsets`.
    pub joint_indices: [Ref; SLOTS],
    /// `uSkeletalJointWeightBufferIds`, `uSkeletalJointWeightBufferOffsets`.
    pub joint_weights: [Ref; SLOTS],
    /// `bMaterialType`: 0 none, 1 Phong, 2 PBR.
    pub material_type: u8,
    /// `uMaterialId`: which material of that type.
    pub material: u32,
    /// `pMorphTargets`.
    pub morphs: Vec<MorphTarget>,
    /// `uMultipleLodCount`: how many levels are directly below this one.
    pub lods: u32,
}

impl Default for Level {
    fn default() -> Self {
        Self {
            index: Ref::NONE,
            draw_count: 0,
            position: Ref::NONE,
            normal: Ref::NONE,
            uv: [Ref::NONE; SLOTS],
            color: Ref::NONE,
            joint_indices: [Ref::NONE; SLOTS],
            joint_weights: [Ref::NONE; SLOTS],
            material_type: 0,
            material: NONE,
            morphs: Vec::new(),
            lods: 0,
        }
    }
}

/// The material types of [`Level::material_type`].
pub mod material_type {
    /// No material.
    pub const NONE: u8 = 0;
    /// A [`Phong`](super::Phong) material.
    pub const PHONG: u8 = 1;
    /// A [`Pbr`](super::Pbr) material.
    pub const PBR: u8 = 2;
}

/// What the slots of [`Level::uv`] are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the document's")]
pub enum UvSlot {
    Normal,
    Occlusion,
    Emission,
    Albedo,
    Metalness,
    Roughness,
    PhongDiffuse,
    PhongSpecular,
}

/// Displacements of the vertices of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// `uIndexBufferId`, `uIndexBufferOffset`; nothing uses them.
    pub index: Ref,
    /// `uPositionVertexBufferId`, `uPositionVertexBufferOffset`.
    pub position: Ref,
    /// `uSurfaceNormalBufferId`, `uSurfaceNormalBufferOffset`.
    pub normal: Ref,
    /// `uUVBufferIds`, `uUVBufferOffsets`.
    pub uv: [Ref; SLOTS],
    /// `uColorMultiplierId`, `uColorMultiplierOffset`.
    pub color: Ref,
}

/// Meshes that are drawn together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshGroup {
    /// `szName`.
    pub name: Text,
    /// `pMeshes`.
    pub meshes: Vec<u32>,
}

/// Translation, rotation and a uniform scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// `qRotation`: x, y, z, w.
    pub rotation: [f32; 4],
    /// `vTranslation`.
    pub translation: [f32; 3],
    /// `fScale`.
    pub scale: f32,
}

impl Default for Placement {
    fn default() -> Self {
        Self { rotation: [0.0, 0.0, 0.0, 1.0], translation: [0.0; 3], scale: 1.0 }
    }
}

/// The identity matrix, row by row.
pub const IDENTITY: [f32; 16] = [1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1., 0., 0., 0., 0., 1.];

/// A place in the tree of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// `szName`.
    pub name: Text,
    /// `pChildren`.
    pub children: Vec<u32>,
    /// `uMeshGroupId`.
    pub mesh_group: u32,
    /// `uSkeletonId`.
    pub skeleton: u32,
    /// `mCustomTransform`, row by row: applied after `placement`.
    pub custom: [f32; 16],
    /// `qRotation`, `vTranslation`, `fScale`.
    pub placement: Placement,
}

impl Default for Node {
    fn default() -> Self {
        Self {
            name: Text::default(),
            children: Vec::new(),
            mesh_group: NONE,
            skeleton: NONE,
            custom: IDENTITY,
            placement: Placement::default(),
        }
    }
}

/// The roots that are shown together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// `szName`.
    pub name: Text,
    /// `pRootNodes`.
    pub roots: Vec<u32>,
}

/// A place in the tree of a skeleton.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// `szName`.
    pub name: Text,
    /// The joints below it.
    pub children: Vec<u32>,
    /// The inverse bind matrix, row by row.
    pub inverse_bind: [f32; 16],
    /// Rotation, translation and scale.
    pub placement: Placement,
}

impl Default for Joint {
    fn default() -> Self {
        Self {
            name: Text::default(),
            children: Vec::new(),
            inverse_bind: IDENTITY,
            placement: Placement::default(),
        }
    }
}

/// The joints that the vertices of meshes hang on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skeleton {
    /// `szName`.
    pub name: Text,
    /// `uParent`: the root joint.
    pub parent: u32,
    /// `uJoints`: what the joint indices of vertices count.
    pub joints: Vec<u32>,
}

/// Channels that play together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Animation {
    /// The name; only the library's profile has one.
    pub name: Text,
    /// `pAnimationChannels`.
    pub channels: Vec<u32>,
}

/// How one property of one node or joint changes over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Channel {
    /// `uNodePropertyId`.
    pub node: u32,
    /// `uJointPropertyId`.
    pub joint: u32,
    /// `bAnimationTarget`.
    pub target: Target,
    /// `bInterpolationType`.
    pub interpolation: Interpolation,
    /// `uWeightCount`: floats of one value when the target is the weights.
    pub weight_count: u32,
    /// `pKeyframes` in seconds.
    pub times: Vec<f32>,
    /// `pTangents`: for each key the in-tangent and the out-tangent; none unless the interpolation is cubic.
    pub tangents: Vec<f32>,
    /// `pTargetValues`.
    pub values: Vec<f32>,
}

impl Channel {
    /// Floats of one value.
    pub fn width(&self) -> usize {
        self.target.width(self.weight_count)
    }
}

/// What a channel animates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Target {
    Unknown,
    Weights,
    Translation,
    Rotation,
    Scale,
}

impl Target {
    const ALL: [Self; 5] = [Self::Unknown, Self::Weights, Self::Translation, Self::Rotation, Self::Scale];

    /// The byte in the file.
    pub fn byte(self) -> u8 {
        self as u8
    }

    /// The target of a byte; `None` for one that has no meaning.
    pub fn of(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte)).copied()
    }

    /// Floats of one value.
    pub fn width(self, weight_count: u32) -> usize {
        match self {
            Self::Unknown => 0,
            Self::Weights => weight_count as usize,
            Self::Translation => 3,
            Self::Rotation => 4,
            Self::Scale => 1,
        }
    }
}

/// What happens between two keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Interpolation {
    Unknown,
    Linear,
    Step,
    Cubic,
}

impl Interpolation {
    const ALL: [Self; 4] = [Self::Unknown, Self::Linear, Self::Step, Self::Cubic];

    /// The byte in the file.
    pub fn byte(self) -> u8 {
        self as u8
    }

    /// The interpolation of a byte; `None` for one that has no meaning.
    pub fn of(byte: u8) -> Option<Self> {
        Self::ALL.get(usize::from(byte)).copied()
    }
}

/// A material for Blinn-Phong shading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phong {
    /// `szName`.
    pub name: Text,
    /// `vDiffuse`.
    pub diffuse: [f32; 4],
    /// `vSpecular`.
    pub specular: [f32; 4],
    /// `vEmission`.
    pub emission: [f32; 4],
    /// `szDiffuseMapUri`.
    pub diffuse_map: Text,
    /// `szSpecularMapUri`.
    pub specular_map: Text,
    /// `szEmissionMapUri`.
    pub emission_map: Text,
}

/// A material for physically based rendering.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pbr {
    /// `szName`.
    pub name: Text,
    /// `vAlbedoFactor`.
    pub albedo: [f32; 4],
    /// `vEmissiveFactor`.
    pub emissive: [f32; 4],
    /// `fRoughness`.
    pub roughness: f32,
    /// `fMetallic`.
    pub metallic: f32,
    /// `fAmbientOcclusion`.
    pub ambient_occlusion: f32,
    /// `szAlbedoMapUri`.
    pub albedo_map: Text,
    /// `szEmissionMapUri`.
    pub emission_map: Text,
    /// `szRoughnessMap`; the library's profile does not have it.
    pub roughness_map: Text,
    /// `szMetallicMap`.
    pub metallic_map: Text,
    /// `szAmbientOcclusionMapUri`.
    pub ambient_occlusion_map: Text,
}

pub(super) static PLACEMENT: Layout<Placement> = layout!(placement: Placement {
    "rotation" => placement.rotation,
    "translation" => placement.translation,
    "scale" => placement.scale,
});
