//! What das2 keeps in the extras of a Scene: all that only a das2 file knows, so that a file comes back as it was.
//!
//! `lift` writes these notes and `lower` reads them; nobody else does. Extras travel in glTF files and can be edited there,
//! so nothing in them is believed: a note that is not exactly of its shape is none, and `lower` uses what a note says only
//! where it still means what the Scene says and gives a valid file.

use serde::{Deserialize, Serialize};

use super::SLOTS;
use super::model::{Channel, Interpolation, NONE, Target};
use crate::formats::notes::note;
pub(super) use crate::formats::notes::{Float, Note};

note! {
    /// Of the Scene: the header.
    HeaderNote {
        /// The profile that the file has.
        profile: String,
        /// The level of compression that it states.
        level: u8,
        /// That a body of level 0 is a stream of stored blocks all the same.
        stored_blocks: bool,
        /// Who made it, and what they say of it.
        author: String,
        #[serde(with = "crate::formats::notes::hex::optional")]
        author_bytes: Vec<u8>,
        comment: String,
        #[serde(with = "crate::formats::notes::hex::optional")]
        comment_bytes: Vec<u8>,
    }
}

note! {
    /// Of a scene, a mesh group, a skeleton or an animation of the library's profile that has nothing else to keep yet.
    NameNote {
        /// The bytes of the name, where they are not UTF-8.
        #[serde(with = "crate::formats::notes::hex::optional")]
        name_bytes: Vec<u8>,
    }
}

note! {
    /// Of a mesh.
    MeshNote {
        #[serde(with = "crate::formats::notes::hex::optional")]
        name_bytes: Vec<u8>,
        /// That it is in no mesh group.
        ungrouped: bool,
    }
}

note! {
    /// Of a primitive.
    PrimitiveNote {
        /// A material's type and id that mean no material.
        material: (u8, u32),
        /// For each slot of coordinates the set that is in it.
        uv_slots: [Option<usize>; SLOTS],
        /// The slots of joints that are used, where they are not the first ones.
        joint_slots: Vec<usize>,
        /// That its vertices were repeated for the format's own library.
        expanded: bool,
        /// That it stands for a level that the mesh does not have.
        repeated: bool,
        /// How many levels are directly below this one.
        levels_below: u32,
        /// How many morph targets it had before it got ones that do nothing.
        morph_targets: usize,
    }
}

note! {
    /// Of a morph target.
    TargetNote {
        /// That it moves normals of a mesh that has none.
        normals_alone: bool,
        /// Its indices, which nothing uses.
        indices: Vec<u32>,
    }
}

note! {
    /// Of a material.
    MaterialNote {
        #[serde(with = "crate::formats::notes::hex::optional")]
        name_bytes: Vec<u8>,
        /// The fourth parts of colours, and an occlusion without a picture, where they are not one.
        specular_alpha: Float,
        ambient_occlusion: Float,
        emission_alpha: Float,
        /// Pictures of roughness and metalness that are not one.
        roughness_map: String,
        #[serde(with = "crate::formats::notes::hex::optional")]
        roughness_map_bytes: Vec<u8>,
        metallic_map: String,
        #[serde(with = "crate::formats::notes::hex::optional")]
        metallic_map_bytes: Vec<u8>,
        /// The material that this one is with other sets of coordinates.
        variant_of: usize,
    }
}

note! {
    /// Of an image.
    ImageNote {
        #[serde(with = "crate::formats::notes::hex::optional")]
        name_bytes: Vec<u8>,
        /// The URI, where it is not the name of the file.
        uri: String,
    }
}

note! {
    /// Of a node or joint.
    NodeNote {
        #[serde(with = "crate::formats::notes::hex::optional")]
        name_bytes: Vec<u8>,
        /// The id of the joint that the node is.
        joint: u64,
        /// The parts of a transform that the Scene has as one matrix; the rotation also where its length is not one.
        custom: [Float; 16],
        rotation: [Float; 4],
        translation: [Float; 3],
        scale: Float,
        /// The inverse bind matrix of a joint that no skin has.
        inverse_bind: [Float; 16],
        /// That the joint is one of another skin again.
        copy: bool,
        /// That the node is only the custom matrix of its child.
        custom_of_child: bool,
        /// That the node is only there for the levels of a mesh that nothing shows.
        holds_levels: bool,
    }
}

note! {
    /// Of a skin.
    SkinNote {
        #[serde(with = "crate::formats::notes::hex::optional")]
        name_bytes: Vec<u8>,
        /// The skeleton that it is again, below another node.
        copy_of: usize,
    }
}

note! {
    /// Of an animation.
    AnimationNote {
        #[serde(with = "crate::formats::notes::hex::optional")]
        name_bytes: Vec<u8>,
        /// Channels that the Scene has no place for.
        channels: Vec<KeptChannel>,
    }
}

note! {
    /// Of a channel.
    ChannelNote {
        /// The interpolation, where it is the one without a meaning.
        interpolation: u8,
        /// How many weights a key has, where the mesh has another number of targets.
        weight_count: usize,
    }
}

/// A channel as the file has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KeptChannel {
    node: Option<u32>,
    joint: Option<u32>,
    target: u8,
    interpolation: u8,
    weight_count: u32,
    times: Vec<Float>,
    tangents: Vec<Float>,
    values: Vec<Float>,
}

impl KeptChannel {
    pub(super) fn of(channel: &Channel) -> Self {
        let id = |id: u32| (id != NONE).then_some(id);
        let floats = |list: &[f32]| list.iter().copied().map(Float).collect();
        Self {
            node: id(channel.node),
            joint: id(channel.joint),
            target: channel.target.byte(),
            interpolation: channel.interpolation.byte(),
            weight_count: channel.weight_count,
            times: floats(&channel.times),
            tangents: floats(&channel.tangents),
            values: floats(&channel.values),
        }
    }

    /// The channel; `None` where its lists do not go together.
    pub(super) fn channel(&self) -> Option<Channel> {
        let floats = |list: &[Float]| list.iter().map(|x| x.0).collect();
        let channel = Channel {
            node: self.node.unwrap_or(NONE),
            joint: self.joint.unwrap_or(NONE),
            target: Target::of(self.target)?,
            interpolation: Interpolation::of(self.interpolation)?,
            weight_count: self.weight_count,
            times: floats(&self.times),
            tangents: floats(&self.tangents),
            values: floats(&self.values),
        };
        let values = channel.times.len().checked_mul(channel.width())?;
        let cubic = channel.interpolation == Interpolation::Cubic;
        let tangents = if cubic { values.checked_mul(2)? } else { 0 };
        (channel.values.len() == values && channel.tangents.len() == tangents).then_some(channel)
    }
}

/// Numbers, bit by bit.
pub(super) fn floats<const N: usize>(values: &[f32; N]) -> [Float; N] {
    values.map(Float)
}

/// What [`floats`] kept.
pub(super) fn numbers<const N: usize>(values: [Float; N]) -> [f32; N] {
    values.map(|value| value.0)
}
