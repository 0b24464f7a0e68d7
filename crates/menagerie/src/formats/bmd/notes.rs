//! What BMD keeps in the extras of a Scene: all that only a BMD file knows, so that a file comes back as it was.
//!
//! `lift` writes these notes and `lower` reads them; nobody else does. Extras travel in glTF files and can be edited there,
//! so nothing in them is believed: a note that is not exactly of its shape is none, and `lower` uses what a note says only
//! where it still means what the Scene says and gives a valid file.

use serde::{Deserialize, Serialize};

use super::pose::Keys;
pub(super) use crate::formats::notes::Note;
use crate::formats::notes::note;

note! {
    /// Of the Scene.
    SceneNote {
        /// The LOD table: first mesh, number of meshes, code of the scale.
        lods: Vec<[u8; 3]>,
        /// How many meshes there are.
        meshes: usize,
        /// The name of the bone that was added for the engine, where there is no other.
        #[serde(with = "crate::formats::notes::hex::optional")]
        root: Vec<u8>,
        /// The name of the animation that was added for the engine, where there is no other.
        #[serde(with = "crate::formats::notes::hex::optional")]
        rest_animation: Vec<u8>,
        /// `legacy` where texture coordinates of 128-bit vertices have the old form.
        st: String,
        /// Meshes that draw nothing.
        empty: Vec<EmptyMesh>,
    }
}

note! {
    /// Of a node.
    NodeNote {
        /// Which bone it is.
        bone: usize,
        /// The words of the bone's transform.
        xform: [u32; 2],
        /// The mesh that is the bone's solid.
        solid: u8,
        /// The bytes of its name, where they are not UTF-8.
        #[serde(with = "crate::formats::notes::hex::optional")]
        name_bytes: Vec<u8>,
        /// The pseudo-bone of which it is a part.
        pseudo: usize,
        /// The level of detail that it shows.
        level: usize,
        /// The mesh that it shows as a solid.
        solid_mesh: usize,
    }
}

note! {
    /// Of the skin.
    SkinNote {
        /// The pseudo-bones.
        pseudo: Vec<MadeBone>,
        /// Bones that stand for blends in the engine.
        baked: Vec<MadeBone>,
    }
}

note! {
    /// Of a primitive.
    PrimitiveNote {
        /// Which mesh it was.
        mesh: usize,
        /// The mesh's flags.
        flags: u32,
        /// How many vertices only made room for triangles.
        padding: usize,
        /// The kinds of its faces, a letter each, unless all are the usual triangles.
        faces: String,
        /// That a quad counts as one triangle although the mesh is small.
        quads_count_once: bool,
        /// The kind of all vertices: 64, or the tag.
        vertex: u8,
    }
}

note! {
    /// Of a material.
    MaterialNote {
        /// The bytes of its name, where they are not UTF-8.
        #[serde(with = "crate::formats::notes::hex::optional")]
        name_bytes: Vec<u8>,
    }
}

note! {
    /// Of an animation.
    AnimationNote {
        /// How many frames.
        frames: u8,
        /// The rate byte.
        rate: u8,
        /// That a spare frame followed.
        spare: bool,
        /// The name that it was given for the engine.
        #[serde(with = "crate::formats::notes::hex::optional")]
        made_name: Vec<u8>,
        /// The bytes of its name, where they are not UTF-8.
        #[serde(with = "crate::formats::notes::hex::optional")]
        name_bytes: Vec<u8>,
        /// The keys of bone 0, which move nothing.
        root_keys: KeyWords,
        /// The keys of bones that stand for blends.
        baked_keys: Vec<(usize, KeyWords)>,
    }
}

note! {
    /// Of a channel.
    ChannelNote {
        /// The file's keys: frames and words.
        keys: Vec<(usize, u32)>,
        /// That the channel only gives the animation its length.
        made: bool,
    }
}

/// A mesh that draws nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EmptyMesh {
    /// Which mesh.
    pub(super) mesh: usize,
    /// The name of its material.
    #[serde(with = "crate::formats::notes::hex::optional")]
    pub(super) material: Option<Vec<u8>>,
    /// Its flags.
    pub(super) flags: u32,
    /// The bytes of its vertices.
    #[serde(with = "crate::formats::notes::hex")]
    pub(super) vertices: Vec<u8>,
}

/// A bone that is no node: a pseudo-bone, or one that stands for a blend.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MadeBone {
    /// Which bone.
    pub(super) bone: usize,
    /// The words of its transform: of a pseudo-bone ids and weights.
    pub(super) xform: [u32; 2],
    /// Its name.
    #[serde(with = "crate::formats::notes::hex::optional")]
    pub(super) name: Option<Vec<u8>>,
    /// Its solid.
    #[serde(default)]
    pub(super) solid: u8,
    /// The bones and weights that one for the engine stands for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<(usize, f32)>,
}

/// The keys of a bone: translation, rotation, scale.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct KeyWords(Vec<(usize, u32)>, Vec<(usize, u32)>, Vec<(usize, u32)>);

impl KeyWords {
    pub(super) fn of(keys: &Keys) -> Self {
        Self(keys.translation.clone(), keys.rotation.clone(), keys.scale.clone())
    }

    pub(super) fn keys(self) -> Keys {
        Keys { translation: self.0, rotation: self.1, scale: self.2 }
    }
}
