//! What glTF keeps in `extras` and `extensions`, and where the Scene keeps it.
//!
//! In a file, `extras` has what the user put there, one key for each format that has something to say, and the key
//! `menagerie` for what glTF has no place for. In the Scene, each format's part is under its own id, the user's part
//! and unknown extensions are under `gltf`, and what was under `menagerie` has become part of the Scene itself. What else
//! is under these two keys is in `notes`.

use serde_json::{Map, Value};

use super::json::Object;
use super::notes::Note;
use crate::formats::known;
use crate::scene::Extras;

/// The key of glTF's own part of a Scene's extras.
pub(super) const GLTF: &str = "gltf";
/// The key of what glTF has no place for.
pub(super) const OWN: &str = "menagerie";
/// Whether a key in `extras` belongs to a format, one of another library's too.
fn is_of_a_format(key: &str) -> bool {
    key != GLTF && known().any(|format| format.id == key)
}

/// Fields under the key `gltf`: unknown extensions, and what the user put into `extras`.
const EXTENSIONS: &str = "extensions";
const USERS: &str = "extras";

/// Fields under the key `menagerie` for extras that are not where they belong.
const USER_VALUE: &str = "extras";
const OTHER_KEYS: &str = "other_extras";

/// Whether an extension that is not understood refers to accessors or buffer views, which a rebuilt file numbers anew:
/// it cannot be carried along.
pub(super) fn refers(name: &str, value: &Value) -> bool {
    const KNOWN: [&str; 3] =
        ["KHR_draco_mesh_compression", "EXT_mesh_gpu_instancing", "EXT_structural_metadata"];
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(object) => {
                let named = |key: &String| {
                    let key = key.to_ascii_lowercase();
                    ["bufferview", "bufferviews", "accessor", "accessors"]
                        .iter()
                        .any(|end| key.ends_with(end))
                };
                if object.keys().any(named) {
                    return true;
                }
                open.extend(object.iter().filter(|(key, _)| *key != "extras").map(|(_, value)| value));
            }
            Value::Array(list) => open.extend(list),
            _ => {}
        }
    }
    KNOWN.contains(&name)
}

/// The extras of an element while it is lifted: what goes into the Scene, and what is still to be made use of.
#[derive(Debug, Default)]
pub(super) struct Lifting {
    scene: Extras,
    own: Object,
}

impl Lifting {
    /// Sorts the extras and extensions of an element; extensions in `understood` are left to the caller.
    pub(super) fn new(extras: Option<&Value>, extensions: &Object, understood: &[&str]) -> Self {
        let mut lifting = Self::default();
        let unknown: Object = extensions
            .iter()
            .filter(|(name, value)| !understood.contains(&name.as_str()) && !refers(name, value))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        if !unknown.is_empty() {
            lifting.scene.set(GLTF, EXTENSIONS, Value::Object(unknown));
        }
        match extras {
            Some(Value::Object(object)) => lifting.sort(object),
            Some(value) => lifting.scene.set(GLTF, USERS, value.clone()),
            None => {}
        }
        lifting
    }

    fn sort(&mut self, object: &Object) {
        let mut users = Map::new();
        for (key, value) in object {
            match value {
                Value::Object(own) if key == OWN => self.own = own.clone(),
                _ if is_of_a_format(key) => self.scene.set_all(key, value.clone()),
                _ => {
                    users.insert(key.clone(), value.clone());
                }
            }
        }
        if let Some(value) = self.own.shift_remove(USER_VALUE) {
            self.scene.set(GLTF, USERS, value);
        } else if !users.is_empty() || object.is_empty() {
            self.scene.set(GLTF, USERS, Value::Object(users));
        }
        if let Some(Value::Object(others)) = self.own.shift_remove(OTHER_KEYS) {
            for (key, value) in others {
                self.scene.set_all(&key, value);
            }
        }
    }

    /// Takes the note of what glTF has no place for.
    pub(super) fn take<N: Note>(&mut self) -> N {
        let note = N::read(&self.own);
        self.own.retain(|field, _| !N::FIELDS.contains(&field.as_str()));
        note
    }

    /// Keeps a note for writing glTF again.
    pub(super) fn keep(&mut self, note: &impl Note) {
        note.keep(&mut self.scene);
    }

    /// Keeps what is left of an extension that was understood.
    pub(super) fn keep_extension(&mut self, name: &str, left: Object) {
        if left.is_empty() {
            return;
        }
        let mut all = match self.scene.get(GLTF, EXTENSIONS) {
            Some(Value::Object(all)) => all.clone(),
            _ => Map::new(),
        };
        all.insert(name.to_owned(), Value::Object(left));
        self.scene.set(GLTF, EXTENSIONS, Value::Object(all));
    }

    /// The Scene's extras. What nobody made use of stays.
    pub(super) fn finish(mut self) -> Extras {
        if !self.own.is_empty() {
            self.scene.set_all(OWN, Value::Object(self.own));
        }
        self.scene
    }
}

/// The extras of an element while it is lowered.
#[derive(Debug, Default)]
pub(super) struct Lowering {
    /// What glTF has no place for.
    own: Object,
    /// Extensions of the element.
    extensions: Object,
    users: Option<Value>,
    formats: Vec<(String, Value)>,
}

impl Lowering {
    /// The extras of a Scene's element.
    pub(super) fn new(extras: &Extras) -> Self {
        let mut lowering = Self::default();
        let mut others = Map::new();
        for (key, value) in extras.iter() {
            match (key, value) {
                (GLTF, value) => {
                    lowering.users = value.get(USERS).cloned();
                    if let Some(Value::Object(extensions)) = value.get(EXTENSIONS) {
                        lowering.extensions = extensions.clone();
                    }
                }
                (OWN, Value::Object(own)) => lowering.own.extend(own.clone()),
                (key, value) if is_of_a_format(key) => {
                    lowering.formats.push((key.to_owned(), value.clone()));
                }
                (key, value) => {
                    others.insert(key.to_owned(), value.clone());
                }
            }
        }
        if !others.is_empty() {
            lowering.own.insert(OTHER_KEYS.to_owned(), Value::Object(others));
        }
        lowering
    }

    /// Puts down a note of what glTF has no place for.
    pub(super) fn put(&mut self, note: &impl Note) {
        self.own.extend(note.fields());
    }

    /// Puts a field among the user's own, where that is an object.
    pub(super) fn user(&mut self, field: &str, value: impl Into<Value>) -> bool {
        match self.users.get_or_insert_with(|| Value::Object(Map::new())) {
            Value::Object(users) => {
                users.insert(field.to_owned(), value.into());
                true
            }
            _ => false,
        }
    }

    /// Adds an extension, to what is left of it in the Scene's extras.
    pub(super) fn extension(&mut self, name: &str, value: Object) {
        let entry = self.extensions.entry(name).or_insert_with(|| Value::Object(Map::new()));
        match entry {
            Value::Object(object) => object.extend(value),
            other => *other = Value::Object(value),
        }
    }

    /// The element's `extras` and `extensions`.
    pub(super) fn finish(mut self) -> (Option<Value>, Object) {
        let nothing_of_ours = self.own.is_empty() && self.formats.is_empty();
        let users_are_plain = match &self.users {
            Some(Value::Object(users)) => !users.contains_key(OWN),
            other => other.is_none(),
        };
        if nothing_of_ours && (users_are_plain || !matches!(self.users, Some(Value::Object(_)))) {
            return (self.users, self.extensions);
        }
        let mut extras = match self.users {
            Some(Value::Object(users)) if users_are_plain => {
                // An empty object of the user's would vanish among ours.
                if users.is_empty() {
                    self.own.insert(USER_VALUE.to_owned(), Value::Object(Map::new()));
                }
                users
            }
            Some(value) => {
                self.own.insert(USER_VALUE.to_owned(), value);
                Map::new()
            }
            None => Map::new(),
        };
        extras.extend(self.formats);
        if !self.own.is_empty() {
            extras.insert(OWN.to_owned(), Value::Object(self.own));
        }
        (Some(Value::Object(extras)), self.extensions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn extras_come_back() {
        for (of_scene, in_file) in [
            (json!({"gltf": {"extras": {"a": 1}}}), json!({"a": 1})),
            (json!({"gltf": {"extras": 7}}), json!(7)),
            (json!({"gltf": {"extras": {}}}), json!({})),
            (
                json!({"gltf": {"extras": {}}, "bmd": {"x": 1}}),
                json!({"bmd": {"x": 1}, "menagerie": {"extras": {}}}),
            ),
            (json!({"gltf": {"extras": "t"}, "bmd": 1}), json!({"bmd": 1, "menagerie": {"extras": "t"}})),
            (json!({"gltf": {"extras": {"a": 2}}, "das2": []}), json!({"a": 2, "das2": []})),
            (json!({"weird": {"y": 2}}), json!({"menagerie": {"other_extras": {"weird": {"y": 2}}}})),
            (
                json!({"gltf": {"extras": {"menagerie": 5}}}),
                json!({"menagerie": {"extras": {"menagerie": 5}}}),
            ),
            (json!({"gltf": {"extras": null}}), json!(null)),
        ] {
            let mut extras = Extras::default();
            for (key, value) in of_scene.as_object().unwrap() {
                extras.set_all(key, value.clone());
            }
            let (written, extensions) = Lowering::new(&extras).finish();
            assert!(extensions.is_empty());
            assert_eq!(written.as_ref(), Some(&in_file));
            assert_eq!(Lifting::new(written.as_ref(), &Map::new(), &[]).finish(), extras);
        }
    }

    #[test]
    fn extensions_that_refer_to_data_are_not_carried() {
        for (name, value, lost) in [
            ("EXT_a", json!({"deep": [{"bufferView": 3}]}), true),
            ("EXT_b", json!({"source": 3}), false),
            ("EXT_mesh_gpu_instancing", json!({"attributes": {"TRANSLATION": 2}}), true),
        ] {
            assert_eq!(refers(name, &value), lost, "{name}");
        }
    }

    #[test]
    fn unknown_extensions_are_carried() {
        let extensions = json!({"EXT_a": {"x": 1}, "KHR_known": {}});
        let lifted = Lifting::new(None, extensions.as_object().unwrap(), &["KHR_known"]).finish();
        let (extras, back) = Lowering::new(&lifted).finish();
        assert_eq!((extras, Value::Object(back)), (None, json!({"EXT_a": {"x": 1}})));
    }
}
