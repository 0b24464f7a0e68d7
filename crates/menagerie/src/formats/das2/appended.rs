//! What a das2 file has no place for, kept where other readers do not look.
//!
//! Bytes of a buffer that no mesh refers to mean nothing, so at the end of the last buffer there is room for a note:
//! a JSON object, its length as a `u32`, and sixteen bytes that say what it is. With it a model that went through das2
//! comes back with the names of its animations, its samplers, its tangents, joints that are nodes too, and what other
//! formats keep in extras. Whatever is in a note is reported as a loss all the same, for other readers do not see it.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::model::Ref;
use crate::scene::Extras;

/// The last bytes of a buffer that ends with a note.
const MARK: [u8; 16] = *b"\0menagerie note\x01";

/// What is kept beyond what das2 has a place for. Elements are called by their ids in the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Appended {
    /// The names of animations, in the profile that has none.
    pub(super) animations: BTreeMap<usize, String>,
    /// How pictures are sampled, by the name of their file.
    pub(super) samplers: BTreeMap<String, Value>,
    /// Where the tangents of a mesh and its levels are.
    pub(super) tangents: BTreeMap<(usize, usize), Ref>,
    /// Joints that are nodes too.
    pub(super) twins: BTreeMap<usize, usize>,
    /// Nodes that only hold the skinned mesh of another node.
    pub(super) moved: BTreeMap<usize, usize>,
    /// Nodes that only stretch what is below another node.
    pub(super) stretched: BTreeMap<usize, usize>,
    /// The scale factors of nodes that have no uniform one.
    pub(super) scales: BTreeMap<usize, Value>,
    /// The values of channels whose scales are not uniform.
    pub(super) channels: BTreeMap<usize, Value>,
    /// The names of the morph targets of mesh groups.
    pub(super) target_names: BTreeMap<usize, Value>,
    /// The weights at rest of the morph targets of mesh groups.
    pub(super) group_weights: BTreeMap<usize, Value>,
    /// The weights at rest of the morph targets of nodes.
    pub(super) node_weights: BTreeMap<usize, Value>,
    /// The distances of the levels of detail of nodes.
    pub(super) distances: BTreeMap<usize, Value>,
    /// Meshes whose vertices were repeated instead of indexed, for the format's own library.
    pub(super) expanded: BTreeMap<usize, bool>,
    /// What other formats keep in extras, by list and id.
    pub(super) extras: BTreeMap<String, Value>,
}

impl Appended {
    /// The note at the end of a buffer.
    pub(super) fn read(buffer: &[u8]) -> Option<Self> {
        let rest = buffer.strip_suffix(&MARK)?;
        let (rest, length) = rest.split_last_chunk::<4>()?;
        let start = rest.len().checked_sub(u32::from_le_bytes(*length) as usize)?;
        let text = rest.get(start..)?;
        let value: Map<String, Value> = serde_json::from_slice(text).ok()?;
        Some(Self::from_json(&value))
    }

    /// The bytes that end a buffer; none for a note that says nothing.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        if *self == Self::default() {
            return Vec::new();
        }
        let mut bytes = Value::Object(self.to_json()).to_string().into_bytes();
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        bytes.extend(length.to_le_bytes());
        bytes.extend(MARK);
        bytes
    }

    fn from_json(json: &Map<String, Value>) -> Self {
        let list = |name: &str| {
            let fields = json.get(name).and_then(Value::as_object).into_iter().flatten();
            fields.map(|(key, value)| (key.clone(), value.clone()))
        };
        let by_id = |name: &str| -> BTreeMap<usize, Value> {
            list(name).filter_map(|(key, value)| Some((key.parse().ok()?, value))).collect()
        };
        let ids = |name: &str| -> BTreeMap<usize, usize> {
            by_id(name).into_iter().filter_map(|(id, value)| Some((id, index(&value)?))).collect()
        };
        let tangents = list("tangents").filter_map(|(key, value)| {
            let (mesh, level) = key.split_once('.')?;
            let number = |i: usize| u32::try_from(value.get(i)?.as_u64()?).ok();
            Some(((mesh.parse().ok()?, level.parse().ok()?), Ref { buffer: number(0)?, offset: number(1)? }))
        });
        let name = |(id, value): (usize, Value)| Some((id, value.as_str()?.to_owned()));
        Self {
            animations: by_id("animations").into_iter().filter_map(name).collect(),
            samplers: list("samplers").collect(),
            tangents: tangents.collect(),
            twins: ids("twins"),
            moved: ids("moved"),
            stretched: ids("stretched"),
            scales: by_id("scales"),
            channels: by_id("channels"),
            target_names: by_id("target_names"),
            group_weights: by_id("group_weights"),
            node_weights: by_id("node_weights"),
            distances: by_id("distances"),
            expanded: by_id("expanded").into_iter().map(|(id, value)| (id, value == true)).collect(),
            extras: list("extras").collect(),
        }
    }

    fn to_json(&self) -> Map<String, Value> {
        fn by_id<'a, K: ToString + 'a, V: Clone + Into<Value> + 'a>(
            map: impl IntoIterator<Item = (&'a K, &'a V)>,
        ) -> Value {
            Value::Object(
                map.into_iter().map(|(key, value)| (key.to_string(), value.clone().into())).collect(),
            )
        }
        let tangents = self.tangents.iter().map(|((mesh, level), place)| {
            (format!("{mesh}.{level}"), Value::from(vec![place.buffer, place.offset]))
        });
        let lists = [
            ("animations", by_id(&self.animations)),
            ("samplers", by_id(&self.samplers)),
            ("tangents", Value::Object(tangents.collect())),
            ("twins", by_id(&self.twins)),
            ("moved", by_id(&self.moved)),
            ("stretched", by_id(&self.stretched)),
            ("scales", by_id(&self.scales)),
            ("channels", by_id(&self.channels)),
            ("target_names", by_id(&self.target_names)),
            ("group_weights", by_id(&self.group_weights)),
            ("node_weights", by_id(&self.node_weights)),
            ("distances", by_id(&self.distances)),
            ("expanded", by_id(&self.expanded)),
            ("extras", by_id(&self.extras)),
        ];
        let some = |value: &Value| value.as_object().is_some_and(|object| !object.is_empty());
        lists
            .into_iter()
            .filter(|(_, value)| some(value))
            .map(|(name, value)| (name.to_owned(), value))
            .collect()
    }

    /// Keeps what formats other than das2 have in the extras of an element.
    pub(super) fn keep_extras(&mut self, element: String, extras: &Extras) {
        let others = extras.iter().filter(|(format, _)| *format != super::FORMAT.id);
        let others: Map<String, Value> =
            others.map(|(format, value)| (format.to_owned(), value.clone())).collect();
        if !others.is_empty() {
            self.extras.insert(element, Value::Object(others));
        }
    }

    /// Puts what was kept of an element's extras back.
    pub(super) fn restore_extras(&self, element: &str, extras: &mut Extras) {
        let kept = self.extras.get(element).and_then(Value::as_object);
        for (format, value) in kept.into_iter().flatten() {
            extras.set_all(format, value.clone());
        }
    }
}

fn index(value: &Value) -> Option<usize> {
    usize::try_from(value.as_u64()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_come_back() {
        let mut note = Appended::default();
        assert!(note.to_bytes().is_empty());
        note.animations.insert(2, "walk".to_owned());
        note.tangents.insert((1, 0), Ref { buffer: 3, offset: 40 });
        note.twins.insert(5, 6);
        note.extras.insert("nodes.1".to_owned(), serde_json::json!({ "gltf": { "extras": [1, 2] } }));
        let mut buffer = vec![1, 2, 3];
        buffer.extend(note.to_bytes());
        assert_eq!(Appended::read(&buffer), Some(note));
        assert_eq!(Appended::read(&buffer[..buffer.len() - 1]), None);
        assert_eq!(Appended::read(&MARK), None);
    }
}
