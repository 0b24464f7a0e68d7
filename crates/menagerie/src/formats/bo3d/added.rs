//! What menagerie itself writes into a file: what it added for the engine, so that reading takes it away again.
//!
//! The size of an entity may be larger than its lists, and readers skip the rest. There, in the first entity, are the
//! bytes of [`MARK`] and a JSON object, [`Added`]. A file to which nothing was added has no such note, and nothing in a
//! note is believed that the rest of the file does not bear out.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::model::{Entity, MeshData, Model, Vertices};
use super::moving::Before;
use crate::bytes::align;

/// What a note begins with.
const MARK: &[u8] = b"MENAGRIE";

/// What was added to a file for the engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Added {
    /// The first entity is only there because the engine does not animate it (E3), or because there were several roots.
    #[serde(skip_serializing_if = "is_false")]
    pub(super) root: bool,
    /// By entity, the name that it had before it got one of its own (E2).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) names: BTreeMap<usize, String>,
    /// By entity, the scale that was put into its vertices and children (E6).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) scales: BTreeMap<usize, [f32; 3]>,
    /// By entity, what it was before scales that move were taken out of it or its parent (E6).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) moving: BTreeMap<usize, Before>,
    /// Entities whose vertex colours are their flat colour (E8).
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) colours: BTreeSet<usize>,
    /// Where the animation ends; its length is what the engine needs (E4).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) last_frame: Option<i32>,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Added {
    /// The bytes of the note, up to a whole word; none when there is nothing to note.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        if *self == Self::default() {
            return Vec::new();
        }
        let mut bytes = [MARK, &serde_json::to_vec(self).unwrap_or_default()].concat();
        bytes.resize(align(bytes.len(), 4).unwrap_or(bytes.len()), b' ');
        bytes
    }
}

impl Entity {
    /// Whether the bytes after its lists are a note.
    pub(super) fn has_note(&self) -> bool {
        self.surplus.starts_with(MARK)
    }
}

impl Model {
    /// What the file notes, as far as it is borne out.
    pub(super) fn added(&self) -> Option<Added> {
        let first = self.entities.first()?;
        let mut added: Added = serde_json::from_slice(first.surplus.strip_prefix(MARK)?).ok()?;
        added.root &= is_added_root(first) && self.entities.len() > 1;
        added.names.retain(|i, _| *i < self.entities.len());
        added.scales.retain(|i, scale| self.can_take_back(*i, *scale));
        added.colours.retain(|i| self.entities.get(*i).and_then(|e| e.mesh.as_ref()).is_some_and(is_flat));
        added.last_frame = added.last_frame.filter(|last| (0..=self.length()).contains(last));
        Some(added)
    }

    /// The length of the animation.
    pub(super) fn length(&self) -> i32 {
        self.entities.iter().map(|entity| entity.anim_length).max().unwrap_or(0)
    }

    fn can_take_back(&self, index: usize, scale: [f32; 3]) -> bool {
        let one = |entity: &Entity| {
            entity.scale == [1.0; 3] && entity.keys.iter().all(|key| key.scale() == [1.0; 3])
        };
        let sound = scale.iter().all(|s| s.is_normal() && (1e-6..1e6).contains(&s.abs()));
        sound && self.entities.get(index).is_some_and(one)
    }

    /// The model without what was added to it for the engine.
    pub(super) fn folded(&self, added: Added) -> Self {
        let mut model = self.clone();
        for (index, scale) in added.scales.iter().rev() {
            model.scale_into(*index, scale.map(f32::recip));
            if let Some(entity) = model.entities.get_mut(*index) {
                entity.scale = *scale;
                entity.keys.iter_mut().for_each(|key| key.scale = scale.map(Into::into));
            }
        }
        if let Some(moving) = model.with_moving_scales(&added.moving).filter(|_| !added.moving.is_empty()) {
            model = moving;
        }
        for (index, name) in added.names {
            if let Some(entity) = model.entities.get_mut(index) {
                entity.name = name.into_bytes();
            }
        }
        for index in added.colours {
            if let Some(mesh) = model.entities.get_mut(index).and_then(|entity| entity.mesh.as_mut())
                && let Some(colour) = mesh.colours.first()
            {
                let ([red, green, blue], [_, _, _, kept]) = (colour.0, mesh.colour);
                mesh.colour = [blue, green, red, kept];
                mesh.colours.clear();
            }
        }
        if let Some(last) = added.last_frame {
            model.entities.iter_mut().for_each(|entity| entity.anim_length = 0);
            let first = model.entities.get_mut(usize::from(added.root));
            first.into_iter().for_each(|entity| entity.anim_length = last);
        }
        if added.root { model.without_root() } else { model }
    }

    /// The model without its first entity; what hung on that has no parent.
    pub(super) fn without_root(mut self) -> Self {
        self.entities.remove(0);
        for entity in &mut self.entities {
            entity.parent = entity.parent.saturating_sub(1).max(-1);
            for bone in entity.mesh.iter_mut().flat_map(|mesh| &mut mesh.bones) {
                bone.entity = bone.entity.get().saturating_sub(1).into();
            }
        }
        self
    }

    /// Multiplies the vertices of an entity, and the places, scales and keys of its children.
    pub(super) fn scale_into(&mut self, index: usize, scale: [f32; 3]) {
        if let Some(mesh) = self.entities.get_mut(index).and_then(|entity| entity.mesh.as_mut()) {
            mesh.scale_by(scale);
        }
        let own = i32::try_from(index).ok();
        for child in self.entities.iter_mut().filter(|child| Some(child.parent) == own) {
            child.position = times(child.position, scale);
            child.scale = times(child.scale, scale);
            for key in &mut child.keys {
                key.position = times(key.position(), scale).map(Into::into);
                key.scale = times(key.scale(), scale).map(Into::into);
            }
        }
    }
}

/// Whether an entity does nothing but hold others.
fn is_added_root(entity: &Entity) -> bool {
    let still =
        entity.position == [0.0; 3] && entity.scale == [1.0; 3] && entity.rotation == [1.0, 0.0, 0.0, 0.0];
    still && entity.keys.is_empty() && entity.mesh.is_none()
}

/// Whether all vertices have one colour.
fn is_flat(mesh: &MeshData) -> bool {
    mesh.colours.len() == mesh.vertices.len() && mesh.colours.iter().all(|c| Some(c) == mesh.colours.first())
}

pub(super) fn times(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    let ([x, y, z], [u, v, w]) = (a, b);
    [x * u, y * v, z * w]
}

impl MeshData {
    /// Multiplies the vertices; normals stay across the surface and as long as they are.
    fn scale_by(&mut self, scale: [f32; 3]) {
        let scaled = |[u, v, nx, ny, nz, x, y, z]: [f32; 8]| {
            let [x, y, z] = times([x, y, z], scale);
            let normal = glam::Vec3::new(nx, ny, nz);
            let turned = glam::Vec3::from_array(times([nx, ny, nz], scale.map(f32::recip)));
            let [nx, ny, nz] = (turned.normalize_or(normal) * normal.length()).to_array();
            [u, v, nx, ny, nz, x, y, z]
        };
        match &mut self.vertices {
            Vertices::Full(list) => {
                list.iter_mut().for_each(|v| v.0 = scaled(v.0.map(|x| x.get())).map(Into::into));
            }
            Vertices::Half(list) => list.iter_mut().for_each(|v| {
                let floats = v.0.map(|bits| half::f16::from_bits(bits.get()).to_f32());
                v.0 = scaled(floats).map(|x| super::model::nearest_half(x).to_bits().into());
            }),
        }
        if scale.iter().product::<f32>() < 0.0 {
            self.triangles.iter_mut().for_each(|triangle| triangle.0.swap(1, 2));
        }
    }
}
