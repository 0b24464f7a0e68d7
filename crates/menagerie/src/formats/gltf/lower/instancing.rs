//! Instances of a node's mesh that came from a table (EXT_mesh_gpu_instancing) and can be one again.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::super::accessor::Shape;
use super::super::extension;
use super::super::extras::Lowering;
use super::super::notes::Note as _;
use super::super::notes::in_scene::{Instancing, NodeKept};
use super::buffers::{Encoded, Use};
use super::{Lowerer, object};
use crate::scene::{MeshId, Node, NodeId, Scene, Transform, float_from_json};

const VEC3: Shape = Shape { rows: 3, columns: 1 };
const VEC4: Shape = Shape { rows: 4, columns: 1 };

/// The nodes that are written as rows of tables. They are the last of the Scene, so that all others keep their numbers.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// The first node that is not written as a node.
    first: Option<NodeId>,
    /// The nodes that have a table in place of their last children.
    parents: BTreeSet<NodeId>,
}

impl Tables {
    /// Whether a node is a row of a table.
    pub(super) fn holds(&self, id: NodeId) -> bool {
        self.first.is_some_and(|first| id >= first)
    }

    /// Whether a node has a table.
    pub(super) fn is_parent(&self, id: NodeId) -> bool {
        self.parents.contains(&id)
    }

    /// The tables that a Scene can be written with: all whose rows are still no more than that, as far as these are the
    /// last nodes.
    pub(super) fn of(scene: &Scene) -> Self {
        let used = used(scene);
        let is_row =
            |id: &NodeId| scene.nodes.get(*id).is_some_and(|node| is_row(node) && !used.contains(id));
        let mut tables: Vec<(NodeId, Vec<NodeId>)> = Vec::new();
        for (id, node) in scene.nodes.iter() {
            if node.mesh.is_some() || node.skin.is_some() {
                continue;
            }
            let Some(note) = NodeKept::of(&node.extras).instancing else { continue };
            let count = node.children.iter().rev().take_while(|child| is_row(child)).count();
            let rows = node.children.get(node.children.len() - count..).unwrap_or_default();
            if !rows.is_empty() && fit_together(scene, rows, &note) {
                tables.push((id, rows.to_vec()));
            }
        }
        // From the last table on, as long as the rows reach to the end without a gap.
        tables.sort_by_key(|(_, rows)| rows.last().copied());
        let mut found = Self::default();
        let mut end = scene.nodes.len();
        while let Some((parent, rows)) = tables.pop() {
            let first = rows.first().map_or(end, |row| row.index());
            let adjoins = rows.iter().map(|row| row.index()).eq(first..end);
            // A parent that was itself a row would be gone.
            if !adjoins || parent.index() >= first {
                break;
            }
            found.parents.insert(parent);
            found.first = Some(NodeId::new(first));
            end = first;
        }
        found
    }
}

/// The nodes that something else names.
fn used(scene: &Scene) -> BTreeSet<NodeId> {
    let joints = scene.skins.values().flat_map(|skin| skin.joints.iter().copied().chain(skin.skeleton));
    let channels = scene.animations.iter().flat_map(|animation| &animation.channels);
    let lods = scene.nodes.values().flat_map(|node| &node.lods);
    joints
        .chain(channels.map(|channel| channel.node))
        .chain(lods.map(|lod| lod.node))
        .chain(scene.scenes.iter().flat_map(|root| root.roots.iter().copied()))
        .collect()
}

/// Whether a node is nothing but an instance.
fn is_row(node: &Node) -> bool {
    let plain = node.name.is_empty()
        && node.children.is_empty()
        && node.skin.is_none()
        && node.camera.is_none()
        && node.light.is_none()
        && node.visible
        && node.lods.is_empty();
    let instance = NodeKept::of(&node.extras).instance;
    let only_note = instance.is_some_and(|instance| {
        let mut alone = crate::scene::Extras::default();
        NodeKept { instance: Some(instance), ..NodeKept::default() }.keep(&mut alone);
        alone == node.extras
    });
    plain && node.mesh.is_some() && matches!(node.transform, Transform::Trs { .. }) && only_note
}

/// Whether rows show the same mesh in the same way, and have what their table needs.
fn fit_together(scene: &Scene, rows: &[NodeId], note: &Instancing) -> bool {
    let rows: Vec<&Node> = rows.iter().filter_map(|row| scene.nodes.get(*row)).collect();
    let Some(first) = rows.first() else { return false };
    rows.iter().all(|row| row.mesh == first.mesh && row.weights == first.weights)
        && names(note, &rows).iter().all(|name| column(name, &rows, note).is_some())
}

impl Lowerer<'_> {
    /// Writes the table of a node; gives its mesh and the weights of that.
    pub(super) fn table(&mut self, node: &Node, lowering: &mut Lowering) -> Option<(MeshId, Vec<f32>)> {
        let note = NodeKept::of(&node.extras).instancing?;
        let rows: Vec<&Node> = node
            .children
            .iter()
            .filter(|child| self.tables.holds(**child))
            .filter_map(|child| self.scene.nodes.get(*child))
            .collect();
        let first = *rows.first()?;
        let mut attributes = Map::new();
        for name in names(&note, &rows) {
            let (values, shape) = column(&name, &rows, &note)?;
            let encoding = note.encodings.get(&name);
            let list = encoding
                .and_then(|encoding| encoding.encode(&name, &values, shape.width()))
                .unwrap_or_else(|| Encoded::floats(values.clone(), shape));
            let accessor = self.packer.add(Use::Keys, list);
            attributes.insert(name, accessor.into());
        }
        let mut value = note.rest.clone();
        value.extend(object([("attributes", Value::Object(attributes))]));
        lowering.extension(extension::INSTANCING, value);
        Some((first.mesh?, first.weights.clone()))
    }
}

/// The attributes that a table needs: those that it had, and those that its rows have by now.
fn names(note: &Instancing, rows: &[&Node]) -> Vec<String> {
    let mut names = note.attributes.clone();
    let [moved, turned, scaled] = [0, 1, 2].map(|part| rows.iter().any(|row| differs(&row.transform, part)));
    for (name, needed) in [("TRANSLATION", moved), ("ROTATION", turned), ("SCALE", scaled)] {
        if needed && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// Whether a part of a transform does something: translation, rotation, scale.
fn differs(transform: &Transform, part: usize) -> bool {
    let (translation, rotation, scale, _) = transform.to_trs();
    match part {
        0 => translation.to_array() != [0.0; 3],
        1 => rotation.to_array() != [0.0, 0.0, 0.0, 1.0],
        _ => scale.to_array() != [1.0; 3],
    }
}

/// One attribute of all rows; `None` when it does not fit.
fn column(name: &str, rows: &[&Node], note: &Instancing) -> Option<(Vec<f32>, Shape)> {
    let of = |row: &&Node| row.transform.to_trs();
    match name {
        "TRANSLATION" => Some((rows.iter().flat_map(|row| of(row).0.to_array()).collect(), VEC3)),
        "ROTATION" => Some((rows.iter().flat_map(|row| of(row).1.to_array()).collect(), VEC4)),
        "SCALE" => Some((rows.iter().flat_map(|row| of(row).2.to_array()).collect(), VEC3)),
        custom => {
            let shape = note.encodings.get(custom)?.shape;
            let mut values = Vec::new();
            for row in rows {
                let instance = NodeKept::of(&row.extras).instance?;
                let own: Option<Vec<f32>> =
                    instance.custom.get(custom)?.as_array()?.iter().map(float_from_json).collect();
                values.extend(own.filter(|own| own.len() == shape.width())?);
            }
            values.iter().all(|value| value.is_finite()).then_some((values, shape))
        }
    }
}
