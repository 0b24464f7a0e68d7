//! What glTF keeps in a Scene's extras so that a file comes back as it was: one struct for each note, written and read
//! here and nowhere else. Extras can come from anybody, so a note that is not exactly of its shape is no note.

pub(super) mod lights;
pub(super) mod materials;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::extras::GLTF;
use super::json::Object;
use crate::scene::{Extras, float_to_json};

/// A note under the key `gltf` of an element's extras.
pub(super) trait Note: Serialize + for<'de> Deserialize<'de> {
    /// Its field.
    const FIELD: &'static str;

    /// The note in an element's extras, if there is one and it is of the right shape.
    fn of(extras: &Extras) -> Option<Self> {
        Self::deserialize(extras.get(GLTF, Self::FIELD)?).ok()
    }

    /// Keeps the note in an element's extras.
    fn keep_in(&self, extras: &mut Extras) {
        if let Ok(value) = serde_json::to_value(self) {
            extras.set(GLTF, Self::FIELD, value);
        }
    }
}

/// On a node: its last children stood in one table of instances (EXT_mesh_gpu_instancing).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Instancing {
    /// The attributes of the table in their order.
    pub(super) attributes: Vec<String>,
    /// How those were stored that are not floats: component type, normalised, type.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) encodings: Map<String, Value>,
    /// What else the extension's object has.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) rest: Map<String, Value>,
}

impl Note for Instancing {
    const FIELD: &'static str = "instancing";
}

/// On a child of such a node: it is an instance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Instance {
    /// Its attributes of an application's own, by name.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(super) custom: Map<String, Value>,
}

impl Note for Instance {
    const FIELD: &'static str = "instance";
}

/// Floats as JSON that gives exactly the same floats again.
pub(super) fn exact(values: &[f32]) -> Value {
    values.iter().copied().map(float_to_json).collect()
}

/// An object out of pairs.
pub(super) fn object<const N: usize>(pairs: [(&str, Value); N]) -> Object {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
