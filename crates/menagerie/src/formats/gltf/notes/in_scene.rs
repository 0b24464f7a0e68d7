//! What a glTF file has and a Scene has no place for, as it stands in the Scene's extras under `gltf`, beside the user's
//! own `extras` and unknown `extensions`.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::super::json::{self, Object, PbrMetallicRoughness};
use super::{Encoding, Encodings, Float, note, present};

note! {
    /// Of the file.
    FileKept {
        /// What it says of itself, apart from what wrote it.
        asset: AssetKept,
        /// The extensions that it names, in their order.
        #[serde(rename = "extensionsUsed")]
        extensions_used: Vec<String>,
        #[serde(rename = "extensionsRequired")]
        extensions_required: Vec<String>,
    }
}

note! {
    /// Of the file's `asset`.
    AssetKept {
        copyright: String,
        #[serde(rename = "minVersion")]
        min_version: String,
        #[serde(deserialize_with = "present")]
        extras: Value,
        extensions: Object,
    }
}

note! {
    /// Of a primitive.
    PrimitiveKept {
        /// How those attributes are stored that are not floats.
        encodings: Encodings,
        /// The mode of strips and fans.
        mode: u32,
    }
}

note! {
    /// Of a material.
    MaterialKept {
        /// The strength of its emission.
        emissive_strength: Float,
        /// What it is for programs that do not know specular-glossiness.
        fallback: PbrMetallicRoughness,
        #[serde(deserialize_with = "present")]
        pbr_extras: Value,
        pbr_extensions: Object,
    }
}

note! {
    /// Of an image.
    ImageKept {
        /// The URI, where it is not the usual one for the name.
        uri: String,
    }
}

note! {
    /// Of a camera.
    CameraKept {
        #[serde(deserialize_with = "present")]
        projection_extras: Value,
        projection_extensions: Object,
    }
}

note! {
    /// Of a node.
    NodeKept {
        /// That it says that it is visible.
        visible: bool,
        /// That its last children stood in one table of instances (EXT_mesh_gpu_instancing).
        instancing: Instancing,
        /// That it is such an instance.
        instance: Instance,
    }
}

note! {
    /// Of an animation.
    AnimationKept {
        /// Channels that move something else than a node: KHR_animation_pointer, for example.
        channels: Vec<CarriedChannel>,
    }
}

note! {
    /// Of a channel.
    ChannelKept {
        /// The number of its sampler, where it is not the channel's own.
        sampler: usize,
        #[serde(deserialize_with = "present")]
        sampler_extras: Value,
        sampler_extensions: Object,
        target: TargetKept,
    }
}

note! {
    /// Of a channel's target.
    TargetKept {
        #[serde(deserialize_with = "present")]
        extras: Value,
        extensions: Object,
    }
}

/// A table of instances.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct Instancing {
    /// The attributes of the table in their order.
    pub(in super::super) attributes: Vec<String>,
    /// How those were stored that are not floats.
    #[serde(default, skip_serializing_if = "Encodings::is_empty")]
    pub(in super::super) encodings: Encodings,
    /// What else the extension's object has.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(in super::super) rest: Object,
}

/// A row of such a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct Instance {
    /// Its attributes of an application's own, by name.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(in super::super) custom: Object,
}

/// A channel that moves something else than a node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in super::super) struct CarriedChannel {
    /// Its place in the list of channels.
    pub(in super::super) at: usize,
    pub(in super::super) channel: json::Channel,
    /// The number of its sampler, where it is not the channel's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in super::super) sampler: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(in super::super) interpolation: Option<String>,
    pub(in super::super) times: Vec<Float>,
    pub(in super::super) values: Vec<Float>,
    /// How the values are stored.
    pub(in super::super) encoding: Encoding,
}
