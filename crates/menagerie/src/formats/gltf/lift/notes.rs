//! What menagerie noted in a file because glTF has no place for it: under a key of its own in `extras`, and as vertex
//! attributes.

use serde_json::Value;

use super::super::extras::OWN;
use super::super::model::Model;

/// How the names of such attributes begin.
const ATTRIBUTES: &str = "_MENAGERIE_";

/// Whether a file may have such notes.
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
