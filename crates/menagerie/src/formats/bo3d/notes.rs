//! What BO3D keeps in the extras of a Scene: all that only a BO3D file knows, so that a file comes back as it was.
//!
//! `lift` writes these notes and `lower` reads them; nobody else does. Extras travel in glTF files and can be edited there,
//! so nothing in them is believed: a note that is not exactly of its shape is none, and `lower` uses what a note says only
//! where it still means what the Scene says and gives a valid file.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::placement::Placement;
use crate::bytes::utf8_or_windows_1252;
pub(super) use crate::formats::notes::Note;
use crate::formats::notes::note;
use crate::scene::{float_from_json, float_to_json};

note! {
    /// Of the Scene.
    SceneNote {
        /// The width of vertex floats.
        vfloat_bits: i32,
        /// The version, where it is not the document's.
        version: i32,
        /// That the file was written for the engine, with what that needs.
        for_engine: bool,
    }
}

note! {
    /// Of a node.
    NodeNote {
        /// The length of animation that the entity states.
        anim_length: i32,
        /// The bytes of its name, where they are not UTF-8.
        #[serde(with = "crate::formats::notes::hex::optional")]
        name_bytes: Vec<u8>,
        /// Its place, where the Scene has a matrix, in the file's axes.
        local: LocalNote,
    }
}

note! {
    /// Of a material.
    MaterialNote {
        /// The entity colour: blue, green, red and a byte that means nothing.
        colour: [u8; 4],
        /// The FX flags.
        fx: u32,
    }
}

note! {
    /// Of an image.
    ImageNote {
        /// The bytes of its name, where they are not UTF-8.
        #[serde(with = "crate::formats::notes::hex::optional")]
        name_bytes: Vec<u8>,
    }
}

note! {
    /// Of an animation.
    AnimationNote {
        /// Frames a second that were assumed.
        fps: Value,
    }
}

note! {
    /// Of a channel.
    ChannelNote {
        /// The frames of the file's own keys, where others were put between.
        frames: Vec<i32>,
        /// That the last key only holds the pose until the end.
        clip_end: bool,
    }
}

/// A place, bit by bit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LocalNote {
    position: [Value; 3],
    rotation: [Value; 4],
    scale: [Value; 3],
}

impl LocalNote {
    pub(super) fn of(place: &Placement) -> Self {
        Self {
            position: place.position.to_array().map(float_to_json),
            rotation: place.rotation.to_array().map(float_to_json),
            scale: place.scale.to_array().map(float_to_json),
        }
    }

    /// The place; `None` for one that is no place.
    pub(super) fn place(&self) -> Option<Placement> {
        fn floats<const N: usize>(list: &[Value; N]) -> Option<[f32; N]> {
            let floats: Option<Vec<f32>> = list.iter().map(float_from_json).collect();
            floats?.try_into().ok()
        }
        Some(Placement {
            position: glam::Vec3::from_array(floats(&self.position)?),
            rotation: glam::Quat::from_array(floats(&self.rotation)?),
            scale: glam::Vec3::from_array(floats(&self.scale)?),
        })
    }
}

/// The bytes of a name: those that the file had, if they still mean the same.
pub(super) fn name_bytes(kept: Option<Vec<u8>>, name: &str) -> Vec<u8> {
    kept.filter(|bytes| utf8_or_windows_1252(bytes) == name).unwrap_or_else(|| name.as_bytes().to_vec())
}
