//! What formats keep in the extras of a Scene, as typed notes.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use super::Format;
use crate::scene::{Extras, float_from_json, float_to_json};

/// What a format keeps of one kind of element.
pub(super) trait Note: Serialize + DeserializeOwned + Default {
    /// Whose note it is.
    const FORMAT: &'static Format;

    /// The note of an element; an empty one where there is none, or one that is not of this shape.
    fn of(extras: &Extras) -> Self {
        extras.of(Self::FORMAT.id).and_then(|value| Self::deserialize(value).ok()).unwrap_or_default()
    }

    /// Keeps the note with an element.
    fn keep(&self, extras: &mut Extras) {
        if let Ok(value) = serde_json::to_value(self)
            && value.as_object().is_some_and(|fields| !fields.is_empty())
        {
            extras.set_all(Self::FORMAT.id, value);
        }
    }

    /// Changes the note of an element.
    #[cfg(any(feature = "das2", feature = "obj"))]
    fn change(extras: &mut Extras, with: impl FnOnce(&mut Self)) {
        let mut note = Self::of(extras);
        with(&mut note);
        note.keep(extras);
    }
}

/// A float, bit by bit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Float(pub(super) f32);

impl Serialize for Float {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        float_to_json(self.0).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Float {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        float_from_json(&value).map(Self).ok_or_else(|| serde::de::Error::custom("not a float"))
    }
}

/// Makes a struct of optional fields a note of the format in whose folder it stands.
macro_rules! note {
    ($(#[$about:meta])* $name:ident { $($(#[$field_about:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$about])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(default, deny_unknown_fields)]
        pub(super) struct $name {
            $(
                $(#[$field_about])*
                #[serde(skip_serializing_if = "Option::is_none")]
                pub(super) $field: Option<$type>,
            )*
        }

        impl $crate::formats::notes::Note for $name {
            const FORMAT: &'static $crate::formats::Format = &super::FORMAT;
        }
    };
}
pub(super) use note;
