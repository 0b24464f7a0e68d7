//! What glTF has to note so that a file and a Scene come back as they were: one struct for each kind of element, with all
//! that is noted of it, and nothing is noted elsewhere.
//!
//! There are two directions. [`in_file`] is what a Scene has and glTF has no place for: `lower` writes it into `extras`
//! under the key `menagerie` and `lift` makes it part of the Scene again. [`in_scene`] is what a glTF file has and a Scene
//! has no place for: `lift` keeps it in the Scene's extras under `gltf`, and `lower` writes it where it was. Data of
//! vertices is noted as attributes whose names begin with [`ATTRIBUTES`].
//!
//! Extras can come from anybody, so nothing in them is believed: notes of which one field is not of its shape are none,
//! indices are looked up and not trusted, and what stands in the file wins where somebody changed it. Fields that no
//! struct names are not ours, and stay.

pub(super) mod in_file;
pub(super) mod in_scene;
pub(super) mod lights;
pub(super) mod materials;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::accessor::{Component, Shape};
use super::extras::{GLTF, OWN};
use super::json::{Object, present};
use super::model::Model;
pub(super) use crate::formats::notes::Float;
use crate::scene::Extras;

/// How the names of vertex attributes begin that glTF has no place for.
const ATTRIBUTES: &str = "_MENAGERIE_";
/// Tangents without normals, or of points.
pub(super) const TANGENTS: &str = "_MENAGERIE_TANGENT";
/// Joints and weights of a mesh that no skin moves; a number follows.
pub(super) const JOINTS: &str = "_MENAGERIE_JOINTS_";
pub(super) const WEIGHTS: &str = "_MENAGERIE_WEIGHTS_";

/// What is noted of one kind of element.
pub(super) trait Note: Serialize + DeserializeOwned + Default {
    /// The names of its fields.
    const FIELDS: &'static [&'static str];

    /// The fields of an object that belong to the note; none of them where one is not of its shape.
    fn read(object: &Object) -> Self {
        if object.is_empty() { Self::default() } else { Self::deserialize(object).unwrap_or_default() }
    }

    /// What a Scene's element has of the note.
    fn of(extras: &Extras) -> Self {
        extras.of(GLTF).and_then(Value::as_object).map(Self::read).unwrap_or_default()
    }

    /// Keeps the note with a Scene's element.
    fn keep(&self, extras: &mut Extras) {
        for (field, value) in self.fields() {
            extras.set(GLTF, &field, value);
        }
    }

    /// The fields that are there.
    fn fields(&self) -> Object {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            _ => Map::new(),
        }
    }
}

/// Makes a struct of optional fields a note.
macro_rules! note {
    ($(#[$about:meta])* $name:ident { $($(#[$field_about:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub(in crate::formats::gltf) struct $name {
            $(
                $(#[$field_about])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub(in crate::formats::gltf) $field: Option<$type>,
            )*
        }

        impl $crate::formats::gltf::notes::Note for $name {
            const FIELDS: &'static [&'static str] = &[$(stringify!($field)),*];
        }
    };
}
use note;

/// How numbers are stored: component type, normalised, type.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "(u32, bool, String)", into = "(u32, bool, String)")]
pub(super) struct Encoding {
    pub(super) component: Component,
    pub(super) normalized: bool,
    pub(super) shape: Shape,
}

impl TryFrom<(u32, bool, String)> for Encoding {
    type Error = &'static str;

    fn try_from((component, normalized, shape): (u32, bool, String)) -> Result<Self, Self::Error> {
        let component = Component::from_gl(component).ok_or("no component type")?;
        Ok(Self { component, normalized, shape: Shape::named(&shape).ok_or("no type of elements")? })
    }
}

impl From<Encoding> for (u32, bool, String) {
    fn from(encoding: Encoding) -> Self {
        (encoding.component.to_gl(), encoding.normalized, encoding.shape.name().to_owned())
    }
}

/// How attributes are stored, by name and in their order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Encodings(Object);

impl Encodings {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn get(&self, attribute: &str) -> Option<Encoding> {
        Encoding::deserialize(self.0.get(attribute)?).ok()
    }

    pub(super) fn insert(&mut self, attribute: &str, encoding: Encoding) {
        if let Ok(encoding) = serde_json::to_value(encoding) {
            self.0.insert(attribute.to_owned(), encoding);
        }
    }
}

/// Numbers, bit by bit.
pub(super) fn exact(values: &[f32]) -> Vec<Float> {
    values.iter().copied().map(Float).collect()
}

/// Just so many numbers, bit by bit.
pub(super) fn exactly<const N: usize>(values: [f32; N]) -> [Float; N] {
    values.map(Float)
}

/// Of noted numbers those that a Scene may have.
pub(super) fn finite(values: &[Float]) -> Vec<f32> {
    values.iter().map(|x| x.0).filter(|x| x.is_finite()).collect()
}

/// The noted numbers, if a Scene may have all of them.
pub(super) fn all_finite<const N: usize>(values: [Float; N]) -> Option<[f32; N]> {
    let values = values.map(|x| x.0);
    values.iter().all(|x| x.is_finite()).then_some(values)
}

/// Whether a file may have notes of menagerie's.
pub(super) fn are_in(model: &Model) -> bool {
    let text = model.bytes.get(model.json.clone()).unwrap_or_default();
    let mut words = text.split(|byte| *byte == b'"');
    // An escape may hide a letter of the word.
    words.any(|word| {
        word == OWN.as_bytes() || word.starts_with(ATTRIBUTES.as_bytes()) || word.contains(&b'\\')
    })
}

/// The same model without its notes.
pub(super) fn without(model: &Model) -> Model {
    let mut document = serde_json::to_value(&model.document).unwrap_or_default();
    let mut open = vec![&mut document];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(object) => {
                if let Some(Value::Object(extras)) = object.get_mut("extras") {
                    extras.shift_remove(OWN);
                }
                object.retain(|name, _| !name.starts_with(ATTRIBUTES));
                open.extend(object.iter_mut().filter(|(name, _)| *name != "extras").map(|(_, value)| value));
            }
            Value::Array(list) => open.extend(list),
            _ => {}
        }
    }
    let document = serde_json::from_value(document).unwrap_or_default();
    Model { document, ..model.clone() }
}

#[cfg(test)]
mod tests {
    use super::in_file::NodeNote;
    use super::*;
    use serde_json::json;

    #[test]
    fn notes_come_back_and_others_are_none() {
        let note = NodeNote {
            skin: Some(3),
            matrix: Some(exactly([-0.0; 16])),
            lod_distances: Some(vec![None, Some(Float(f32::INFINITY))]),
            ..NodeNote::default()
        };
        assert_eq!(NodeNote::read(&note.fields()), note);
        for wrong in [json!({"skin": 3, "matrix": [1]}), json!({"skin": -1}), json!({"skin": 3, "place": 7})]
        {
            assert_eq!(NodeNote::read(wrong.as_object().unwrap()), NodeNote::default(), "{wrong}");
        }
        let with_others = json!({"skin": 3, "of a later release": {}});
        assert_eq!(NodeNote::read(with_others.as_object().unwrap()).skin, Some(3));
    }
}
