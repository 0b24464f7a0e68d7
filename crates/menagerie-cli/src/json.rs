//! JSON values that several verbs print.

use menagerie::convert::TextureStatus;
use menagerie::diag::{Issue, render};
use serde_json::{Value, json};

/// A 32-bit float with the fewest digits that give it back: `-1.526`, not `-1.5260000228881836`.
pub(crate) fn float(value: f32) -> Value {
    let shortest: Option<f64> = value.to_string().parse().ok();
    shortest.and_then(serde_json::Number::from_f64).map_or(Value::Null, Value::Number)
}

/// A list of issues.
pub(crate) fn issues(issues: &[Issue]) -> Value {
    issues.iter().map(render::json).collect()
}

/// A list of textures and whether they were found.
pub(crate) fn textures(textures: &[TextureStatus]) -> Value {
    textures.iter().map(texture).collect()
}

fn texture(texture: &TextureStatus) -> Value {
    let mut value = json!({ "name": texture.name, "found": texture.found });
    if let (false, Some(fields)) = (texture.found, value.as_object_mut()) {
        fields.insert("tried".to_owned(), json!(texture.tried));
        fields.insert("reason".to_owned(), json!(texture.reason));
    }
    value
}
