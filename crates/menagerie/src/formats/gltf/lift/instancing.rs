//! EXT_mesh_gpu_instancing: a table of places at which a node's mesh is shown. In a Scene each is a node of its own.

use glam::{Quat, Vec3};
use serde_json::{Map, Value};

use super::super::accessor::{Component, List};
use super::super::json;
use super::super::notes::Note as _;
use super::super::notes::in_scene::{Instance, Instancing, NodeKept};
use super::super::repair;
use super::super::{codes, extension};
use super::Lifter;
use crate::diag::{Aspect, LIMIT};
use crate::formats::ELEMENT;
use crate::scene::{Id, Node, NodeId, Transform, float_to_json};

/// Any type of elements that an application's own attributes can have.
const ANY: [&str; 7] = ["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"];

/// The columns of a table of instances.
struct Table {
    count: usize,
    translations: Vec<[f32; 3]>,
    rotations: Vec<[f32; 4]>,
    scales: Vec<[f32; 3]>,
    custom: Vec<(String, usize, Vec<f32>)>,
    note: Instancing,
}

impl Lifter<'_> {
    /// Hangs the instances of all nodes below them. They come after all nodes of the file, so that those keep their
    /// numbers.
    pub(super) fn instances(&mut self) {
        for (index, node) in self.model.document.nodes.iter().enumerate() {
            if let Some(value) = node.extensions.get(extension::INSTANCING) {
                let at = format!("/nodes/{index}/extensions/{}", extension::INSTANCING);
                match self.table(node, value, &at) {
                    Ok(table) => self.hang(NodeId::new(index), table),
                    Err(why) => {
                        self.report(&codes::INSTANCING, at.clone(), why);
                        self.issues.give_up(Aspect::Hierarchy, "tables of instances", at, (1, 1));
                    }
                }
            }
        }
    }

    fn table(&mut self, node: &json::Node, value: &Value, at: &str) -> Result<Table, &'static str> {
        if node.skin.is_some() {
            return Err("a skinned mesh stands where its joints are and cannot have instances");
        }
        if node.mesh.is_none_or(|mesh| mesh as usize >= self.model.document.meshes.len()) {
            return Err("there is no mesh for the instances");
        }
        let attributes = value.get("attributes").and_then(Value::as_object);
        let attributes = attributes.filter(|attributes| !attributes.is_empty());
        let attributes = attributes.ok_or("the extension has no attributes")?;
        let mut table: Option<Table> = None;
        for (name, accessor) in attributes {
            let accessor = accessor.as_u64().and_then(|accessor| u32::try_from(accessor).ok());
            let accessor = accessor.ok_or("an attribute is no number of an accessor")?;
            let shapes: &[&str] = match name.as_str() {
                "TRANSLATION" | "SCALE" => &["VEC3"],
                "ROTATION" => &["VEC4"],
                custom if custom.starts_with('_') => &ANY,
                _ => {
                    let message = "the attribute is not known and left out";
                    self.report(&codes::UNKNOWN_PROPERTY, format!("{at}/attributes/{name}"), message);
                    continue;
                }
            };
            let list = self.list(accessor, shapes).ok_or("the data of an attribute cannot be had")?;
            let table = table.get_or_insert_with(|| Table::of(list.count));
            if list.count != table.count {
                return Err("the attributes differ in their number of instances");
            }
            self.column(table, name, accessor, &list);
        }
        let mut table = table.ok_or("the extension has no attribute that is known")?;
        if let Some(object) = value.as_object() {
            table.note.rest = super::without(object, &["attributes"]);
        }
        Ok(table)
    }

    fn column(&mut self, table: &mut Table, name: &str, accessor: u32, list: &List<'_>) {
        match name {
            "TRANSLATION" => table.translations = self.vectors(accessor, list, 0.0),
            "SCALE" => table.scales = self.vectors(accessor, list, 0.0),
            "ROTATION" => {
                table.rotations = self.vectors(accessor, list, 0.0);
                let off = table.rotations.iter_mut().map(|rotation| repair::unit_rotation(rotation));
                let off = off.filter(|off| *off).count();
                if off > 0 {
                    let message = format!("{off} rotations are not of unit length");
                    self.report(&codes::UNIT_LENGTH, format!("/accessors/{accessor}"), message);
                }
            }
            custom => {
                let mut values = list.flat();
                self.finite(accessor, &mut values, list.shape.width());
                table.custom.push((custom.to_owned(), list.shape.width(), values));
            }
        }
        table.note.attributes.push(name.to_owned());
        if list.component != Component::F32 || name.starts_with('_') {
            table.note.encodings.insert(name, list.encoding());
        }
    }

    /// Makes the nodes of a table, as far as the budget goes.
    fn hang(&mut self, parent: NodeId, table: Table) {
        let each = ELEMENT as usize;
        let affordable = usize::try_from(self.limits.memory_left()).unwrap_or(usize::MAX) / each;
        let mut allowed = affordable.min(table.count);
        if self.limits.take_many(allowed, each).is_err() {
            allowed = 0;
        }
        if allowed < table.count {
            let message = format!("{} instances are more than the limit of {allowed}", table.count);
            let at = format!("/nodes/{}/extensions/{}", parent.index(), extension::INSTANCING);
            self.report(&LIMIT, at.clone(), message);
            let missing = table.count - allowed;
            self.issues.give_up(Aspect::Hierarchy, "instances", at, (missing, table.count));
        }
        let Some(node) = self.scene.nodes.get_mut(parent) else { return };
        let (mesh, weights) = (node.mesh.take(), std::mem::take(&mut node.weights));
        let note = NodeKept { instancing: Some(table.note.clone()), ..NodeKept::default() };
        note.keep(&mut node.extras);
        let first = self.scene.nodes.len();
        for i in 0..allowed {
            let mut instance =
                Node { transform: table.transform(i), mesh, weights: weights.clone(), ..Node::default() };
            let note = NodeKept { instance: Some(table.instance(i)), ..NodeKept::default() };
            note.keep(&mut instance.extras);
            self.scene.nodes.push(instance);
        }
        if let Some(node) = self.scene.nodes.get_mut(parent) {
            node.children.extend((first..first + allowed).map(Id::new));
        }
    }
}

impl Table {
    fn of(count: usize) -> Self {
        Self {
            count,
            translations: Vec::new(),
            rotations: Vec::new(),
            scales: Vec::new(),
            custom: Vec::new(),
            note: Instancing::default(),
        }
    }

    fn transform(&self, i: usize) -> Transform {
        let translation = self.translations.get(i).copied().unwrap_or([0.0; 3]);
        let rotation = self.rotations.get(i).copied().unwrap_or([0.0, 0.0, 0.0, 1.0]);
        let scale = self.scales.get(i).copied().unwrap_or([1.0; 3]);
        Transform::Trs {
            translation: Vec3::from_array(translation),
            rotation: Quat::from_array(rotation),
            scale: Vec3::from_array(scale),
        }
    }

    fn instance(&self, i: usize) -> Instance {
        let mut custom = Map::new();
        for (name, width, values) in &self.custom {
            let own = values.get(i * width..(i + 1) * width).unwrap_or_default();
            custom.insert(name.clone(), own.iter().copied().map(float_to_json).collect());
        }
        Instance { custom }
    }
}
