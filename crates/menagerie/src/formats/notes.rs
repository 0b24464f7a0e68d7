//! What formats keep in the extras of a Scene, as typed notes.

use std::fmt;

use serde::de::{DeserializeOwned, SeqAccess, Visitor};
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

/// Bytes, as text of two digits each: a list of numbers would take seventy times as much memory as they do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Hex(pub(super) Vec<u8>);

#[cfg(feature = "dgl2")]
impl Hex {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl Serialize for Hex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        hex::serialize(&self.0, serializer)
    }
}

impl<'de> Deserialize<'de> for Hex {
    /// From text, or from a list of numbers, as files that were written before have it.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Digits;
        impl<'de> Visitor<'de> for Digits {
            type Value = Hex;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes in hexadecimal digits")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Hex, E> {
                let digit = |digit: u8| char::from(digit).to_digit(16).map(|digit| digit as u8);
                let byte = |pair: &[u8]| match *pair {
                    [high, low] => Some(digit(high)? << 4 | digit(low)?),
                    _ => None,
                };
                let bytes: Option<Vec<u8>> = text.as_bytes().chunks(2).map(byte).collect();
                bytes.map(Hex).ok_or_else(|| E::invalid_value(serde::de::Unexpected::Str(text), &self))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Hex, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = list.next_element()? {
                    bytes.push(byte);
                }
                Ok(Hex(bytes))
            }
        }
        deserializer.deserialize_any(Digits)
    }
}

/// A field of bytes as [`Hex`], for serde's `with`.
pub(super) mod hex {
    use super::{Deserialize, Deserializer, Hex, Serializer};

    pub(in crate::formats) fn serialize<S: Serializer>(
        bytes: &[u8],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        let digits = b"0123456789abcdef";
        let digit = |value: u8| digits.get(usize::from(value)).copied().map_or('0', char::from);
        let text: String = bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect();
        serializer.serialize_str(&text)
    }

    pub(in crate::formats) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        Hex::deserialize(from).map(|hex| hex.0)
    }

    /// The same for a field that may not be there.
    pub(in crate::formats) mod optional {
        use super::{Deserialize, Deserializer, Hex, Serializer};

        pub(in crate::formats) fn serialize<S: Serializer>(
            bytes: &Option<Vec<u8>>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            match bytes {
                Some(bytes) => super::serialize(bytes, serializer),
                None => serializer.serialize_none(),
            }
        }

        pub(in crate::formats) fn deserialize<'de, D: Deserializer<'de>>(
            from: D,
        ) -> Result<Option<Vec<u8>>, D::Error> {
            Ok(Option::<Hex>::deserialize(from)?.map(|hex| hex.0))
        }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Hex;

    #[test]
    fn bytes_are_digits_and_lists_of_numbers_are_still_read() {
        let bytes = Hex(vec![0, 9, 0xAF, 0xFF]);
        let digits = json!("0009afff");
        assert_eq!(serde_json::to_value(&bytes).ok(), Some(digits.clone()));
        for kept in [digits, json!([0, 9, 175, 255]), json!("0009AFFF")] {
            assert_eq!(serde_json::from_value::<Hex>(kept).ok(), Some(bytes.clone()));
        }
        for hostile in [json!("0"), json!("0g"), json!("+1"), json!("é"), json!([256]), json!([-1]), json!(3)]
        {
            assert!(serde_json::from_value::<Hex>(hostile.clone()).is_err(), "{hostile}");
        }
    }
}
