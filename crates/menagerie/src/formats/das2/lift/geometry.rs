//! Meshes, mesh groups and their levels, from slots in buffers to streams of vertices.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Group, Lifter, RAW_NORMALS, RAW_WEIGHTS, name};
use crate::diag::Aspect;
use crate::formats::das2::geometry::{Geometry, joints, vectors, words};
use crate::formats::das2::model::{Level, MorphTarget as FileTarget, NONE, Profile, Ref, SLOTS};
use crate::formats::das2::notes::{MeshNote, Note as _, PrimitiveNote, TargetNote};
use crate::formats::{Elements, PrimitiveOrigin, Strided};
use crate::ops::{normalize_weights, smooth_normals, weld_primitive};
use crate::scene::{CustomAttribute, Mesh, MeshId, MorphTarget, Primitive, float_from_json, unit_vector};

/// The most triangles of one mesh whose absence is counted: a damaged file may claim any number.
const MOST_COUNTED: usize = 1 << 24;

/// How far a normal's length may be from one to be kept as it is.
const UNIT: f32 = 1e-5;

/// The sets of texture coordinates of a level: slots with the same data share one.
pub(super) struct UvSets {
    /// For each slot, its set.
    pub(super) slots: [Option<u32>; SLOTS],
    /// For each set, the first slot that uses it.
    pub(super) first: Vec<usize>,
}

/// Which slots of a level share a set of texture coordinates. Sets are in the order of their data, so that a writer
/// can choose it. Slots that a morph target moves differently have different sets.
pub(super) fn uv_sets(geometry: &Geometry<'_>, level: &Level) -> UvSets {
    let key = |slot: usize| -> Vec<Ref> {
        let of = |uv: &[Ref; SLOTS]| {
            let place = uv.get(slot).copied().unwrap_or_default();
            if geometry.is_set(place) { place } else { Ref::NONE }
        };
        std::iter::once(of(&level.uv)).chain(level.morphs.iter().map(|morph| of(&morph.uv))).collect()
    };
    let mut keys: BTreeMap<Vec<Ref>, Vec<usize>> = BTreeMap::new();
    for slot in (0..SLOTS).filter(|slot| level.uv.get(*slot).is_some_and(|place| geometry.is_set(*place))) {
        keys.entry(key(slot)).or_default().push(slot);
    }
    let mut sets = UvSets { slots: [None; SLOTS], first: Vec::new() };
    for (set, slots) in (0u32..).zip(keys.into_values()) {
        sets.first.extend(slots.first());
        for slot in slots {
            if let Some(place) = sets.slots.get_mut(slot) {
                *place = Some(set);
            }
        }
    }
    sets
}

impl Lifter<'_> {
    /// A mesh for each mesh group, and one for each mesh that is in none.
    pub(super) fn meshes(&mut self) {
        let limits = self.joint_limits();
        for (index, group) in self.lists.mesh_groups.clone().into_iter().enumerate() {
            let meshes: Vec<usize> = group.meshes.iter().map(|mesh| *mesh as usize).collect();
            let limit = limits.get(&index).copied();
            let mut mesh = self.mesh(&meshes, 0, limit);
            mesh.name = name(&group.name, &mut mesh.extras);
            self.note.restore_extras(&format!("mesh_groups.{index}"), &mut mesh.extras);
            for (i, primitive) in mesh.primitives.iter_mut().enumerate() {
                self.note.restore_extras(&format!("mesh_groups.{index}.{i}"), &mut primitive.extras);
            }
            self.rest_weights(index, &mut mesh);
            let group = self.group(mesh, &meshes, limit);
            self.groups.push(group);
        }
        let grouped: std::collections::BTreeSet<u32> =
            self.lists.mesh_groups.iter().flat_map(|group| group.meshes.iter().copied()).collect();
        for index in (0..self.lists.meshes.len()).filter(|i| !grouped.contains(&(*i as u32))) {
            let mut mesh = self.mesh(&[index], 0, None);
            MeshNote { ungrouped: Some(true), ..MeshNote::default() }.keep(&mut mesh.extras);
            let group = self.group(mesh, &[index], None);
            self.groups.push(group);
        }
    }

    fn group(&mut self, mesh: Mesh, meshes: &[usize], limit: Option<usize>) -> Group {
        let mesh = self.scene.meshes.push(mesh);
        let levels = meshes.iter().filter_map(|mesh| self.lists.meshes.get(*mesh));
        let levels = levels.map(|mesh| mesh.levels.len().saturating_sub(1)).max().unwrap_or(0);
        let levels: Vec<MeshId> = (1..=levels)
            .map(|level| {
                let mesh = self.mesh(meshes, level, limit);
                self.scene.meshes.push(mesh)
            })
            .collect();
        Group { mesh, levels }
    }

    /// For each mesh group that is bound to skeletons, the number of joints that all of them have.
    fn joint_limits(&self) -> BTreeMap<usize, usize> {
        let mut limits = BTreeMap::new();
        for node in &self.lists.nodes {
            if let Some(skeleton) = self.lists.skeletons.get(node.skeleton as usize) {
                let limit = limits.entry(node.mesh_group as usize).or_insert(usize::MAX);
                *limit = skeleton.joints.len().min(*limit);
            }
        }
        limits
    }

    /// The weights and names of morph targets that only a note has.
    fn rest_weights(&self, group: usize, mesh: &mut Mesh) {
        let targets = mesh.target_count();
        let weights = self.note.group_weights.get(&group).and_then(Value::as_array);
        let weights: Option<Vec<f32>> = weights.and_then(|list| list.iter().map(float_from_json).collect());
        mesh.weights = weights.filter(|weights| weights.len() == targets).unwrap_or_default();
        let names = self.note.target_names.get(&group).and_then(Value::as_array);
        let names: Option<Vec<String>> =
            names.and_then(|list| list.iter().map(|name| Some(name.as_str()?.to_owned())).collect());
        mesh.target_names = names.filter(|names| names.len() == targets).unwrap_or_default();
    }

    /// One level of some meshes that are drawn together. A mesh that has fewer levels shows its last one again.
    fn mesh(&mut self, meshes: &[usize], level: usize, limit: Option<usize>) -> Mesh {
        let mut primitives = Vec::new();
        for index in meshes {
            let Some(mesh) = self.lists.meshes.get(*index).copied() else { continue };
            let shown = level.min(mesh.levels.len().saturating_sub(1));
            let Some(data) = mesh.levels.get(shown) else { continue };
            let mut primitive = self.primitive(data, *index, shown, limit);
            self.record(primitives.len(), data, *index, &primitive);
            if shown < level {
                PrimitiveNote::change(&mut primitive.extras, |note| note.repeated = Some(true));
            }
            if level > 0 && data.lods > 0 {
                PrimitiveNote::change(&mut primitive.extras, |note| note.levels_below = Some(data.lods));
            }
            primitives.push(primitive);
        }
        // The primitives of a mesh have the same number of targets: those that lack some get ones that do nothing.
        let targets = primitives.iter().map(|primitive| primitive.targets.len()).max().unwrap_or(0);
        for primitive in primitives.iter_mut().filter(|primitive| primitive.targets.len() < targets) {
            let count = primitive.targets.len();
            PrimitiveNote::change(&mut primitive.extras, |note| note.morph_targets = Some(count));
            primitive.targets.resize(targets, MorphTarget::default());
        }
        Mesh { primitives, ..Mesh::default() }
    }

    /// Takes down where a primitive of the mesh that comes next lies. One whose vertices were welded is no longer there.
    fn record(&mut self, number: usize, level: &Level, mesh: usize, primitive: &Primitive) {
        if !self.origins.is_on() {
            return;
        }
        let path = self.place("meshes", mesh);
        let welded = self.note.expanded.get(&mesh) == Some(&true);
        let elements = |place: Ref, size: usize, count: usize| {
            if welded || (place.buffer == NONE && self.model.profile == Profile::Spec) {
                return Elements::default();
            }
            let bytes = Strided {
                start: place.offset.into(),
                stride: size as u64,
                size: size as u64,
                count: count as u64,
            };
            Elements::list(format!("{}.data", self.place("buffers", place.buffer as usize))).at(bytes)
        };
        let vertices = elements(level.position, 12, primitive.positions.len());
        let triangles = match self.geometry.is_set(level.index) {
            true => elements(level.index, 12, primitive.indices.len() / 3),
            false => elements(level.position, 36, primitive.indices.len() / 3),
        };
        let mesh = self.scene.meshes.len();
        self.origins.primitive(mesh, number, || PrimitiveOrigin { path, vertices, triangles });
    }

    /// The geometry of a level; empty when its positions cannot be read.
    fn primitive(&mut self, level: &Level, mesh: usize, index: usize, limit: Option<usize>) -> Primitive {
        let mut primitive = Primitive { material: self.material(level), ..Primitive::default() };
        if let Some(odd) = self.odd_material(level) {
            PrimitiveNote::change(&mut primitive.extras, |note| note.material = Some(odd));
        }
        let vertices = self.geometry.vertex_count(level).ok();
        let positions = vertices.and_then(|count| self.geometry.positions(level, count)?.ok());
        let (Some(vertices), Some(positions)) = (vertices, positions) else {
            primitive.targets = level.morphs.iter().map(|_| MorphTarget::default()).collect();
            let lost = level.draw_count as usize / 3;
            if index == 0 && self.geometry.is_set(level.position) && lost <= MOST_COUNTED {
                self.issues.give_up(Aspect::Topology, "triangles", format!("meshes[{mesh}]"), (lost, lost));
            }
            return primitive;
        };
        primitive.positions = finite(vectors(positions));
        let whole = level.draw_count / 3 * 3;
        primitive.indices = match self.geometry.indices(level) {
            Some(Ok(indices)) => words(indices).take(whole as usize).collect(),
            _ => (0..whole).collect(),
        };
        if let Some(normals) = self.stream::<3>(level.normal, vertices) {
            set_normals(&mut primitive, normals);
        }
        self.uvs(&mut primitive, level, vertices);
        if self.shape_only {
            primitive.keep_shape();
        }
        primitive.colors.extend(self.stream::<4>(level.color, vertices));
        self.joint_sets(&mut primitive, level, vertices, limit);
        let place = self.note.tangents.get(&(mesh, index)).copied();
        if let Some(tangents) = place.and_then(|place| self.stream::<4>(place, vertices)) {
            let unit = |[x, y, z, sign]: &[f32; 4]| {
                ((x * x + y * y + z * z).sqrt() - 1.0).abs() < 1e-3 && sign.abs() == 1.0
            };
            if tangents.iter().all(unit) {
                primitive.tangents = tangents;
            }
        }
        if self.note.expanded.get(&mesh) == Some(&true) {
            weld_primitive(&mut primitive);
            PrimitiveNote::change(&mut primitive.extras, |note| note.expanded = Some(true));
        }
        if self.shape_only {
            primitive.keep_shape();
        }
        primitive
    }

    /// Vectors of `N` finite floats; `None` where there are none that can be read.
    fn stream<const N: usize>(&self, place: Ref, vertices: usize) -> Option<Vec<[f32; N]>> {
        Some(finite(vectors(self.geometry.attribute(place, vertices, N * 4)?.ok()?)))
    }

    fn uvs(&self, primitive: &mut Primitive, level: &Level, vertices: usize) {
        let sets = uv_sets(&self.geometry, level);
        let slot = |uv: &[Ref; SLOTS], slot: usize| uv.get(slot).copied().unwrap_or_default();
        // A set that cannot be read is left out, and those after it move up.
        let streams: Vec<Option<Vec<[f32; 2]>>> =
            sets.first.iter().map(|first| self.stream::<2>(slot(&level.uv, *first), vertices)).collect();
        let mut read = 0u32..;
        let places: Vec<Option<u32>> =
            streams.iter().map(|stream| stream.as_ref().and_then(|_| read.next())).collect();
        let slots = sets.slots.map(|set| set.and_then(|set| places.get(set as usize).copied().flatten()));
        if slots.iter().any(Option::is_some) {
            let slots = slots.map(|set| set.map(|set| set as usize));
            PrimitiveNote::change(&mut primitive.extras, |note| note.uv_slots = Some(slots));
        }
        let read: Vec<usize> = sets
            .first
            .iter()
            .zip(&streams)
            .filter(|(_, stream)| stream.is_some())
            .map(|(first, _)| *first)
            .collect();
        primitive.uvs = streams.into_iter().flatten().collect();
        primitive.targets = level
            .morphs
            .iter()
            .map(|morph| self.target(morph, level, vertices, &read, !primitive.normals.is_empty()))
            .collect();
    }

    fn target(
        &self,
        morph: &FileTarget,
        level: &Level,
        vertices: usize,
        sets: &[usize],
        has_normals: bool,
    ) -> MorphTarget {
        let mut target = MorphTarget {
            positions: self.stream::<3>(morph.position, vertices).unwrap_or_default(),
            normals: self.stream::<3>(morph.normal, vertices).unwrap_or_default(),
            colors: self.stream::<4>(morph.color, vertices).into_iter().collect(),
            ..MorphTarget::default()
        };
        // Displacements of nothing cannot be shown, but are kept.
        if !has_normals && !target.normals.is_empty() {
            TargetNote::change(&mut target.extras, |note| note.normals_alone = Some(true));
        }
        let uv = |slot: &usize| {
            let place = morph.uv.get(*slot).copied().unwrap_or_default();
            self.stream::<2>(place, vertices).unwrap_or_default()
        };
        let uvs: Vec<Vec<[f32; 2]>> = sets.iter().map(uv).collect();
        if uvs.iter().any(|set| !set.is_empty()) {
            target.uvs = uvs;
        }
        // Nothing uses the indices of a morph target.
        if let Some(Ok(indices)) = self.geometry.attribute(morph.index, level.draw_count as usize, 4) {
            TargetNote::change(&mut target.extras, |note| note.indices = Some(words(indices).collect()));
        }
        target
    }

    /// The sets of joints that have both indices and weights.
    fn joint_sets(&self, primitive: &mut Primitive, level: &Level, vertices: usize, limit: Option<usize>) {
        let mut slots = Vec::new();
        let places = level.joint_indices.iter().zip(&level.joint_weights).enumerate();
        for (slot, (indices, weights)) in places {
            let indices = self.geometry.attribute(*indices, vertices, 8).and_then(Result::ok);
            let weights = self.stream::<4>(*weights, vertices);
            let (Some(indices), Some(weights)) = (indices, weights) else { continue };
            primitive.joints.push(joints(indices));
            primitive.weights.push(weights);
            slots.push(slot);
        }
        if slots.iter().enumerate().any(|(set, slot)| set != *slot) {
            PrimitiveNote::change(&mut primitive.extras, |note| note.joint_slots = Some(slots));
        }
        let raw = primitive.weights.clone();
        // A joint that the skeleton does not have cannot pull.
        let limit = limit.unwrap_or(usize::MAX);
        let sets = primitive.joints.iter_mut().zip(&mut primitive.weights);
        for (joint, weight) in
            sets.flat_map(|(joints, weights)| joints.iter_mut().flatten().zip(weights.iter_mut().flatten()))
        {
            if usize::from(*joint) >= limit {
                (*joint, *weight) = (0, 0.0);
            }
        }
        if limit == 0 {
            primitive.joints.clear();
            primitive.weights.clear();
            return;
        }
        let sound = |vertex: usize| {
            let weights = || raw.iter().filter_map(move |set| set.get(vertex)).flatten();
            let sum: f32 = weights().sum();
            weights().all(|weight| *weight >= 0.0) && (sum == 0.0 || (sum - 1.0).abs() < 1e-4)
        };
        if primitive.weights != raw || !(0..vertices).all(sound) {
            normalize_weights(&mut primitive.joints, &mut primitive.weights);
            for (set, weights) in raw.into_iter().enumerate() {
                let custom = CustomAttribute { width: 4, values: weights.into_flattened() };
                primitive.custom.insert(format!("{RAW_WEIGHTS}{set}"), custom);
            }
        }
    }
}

/// Unit normals; the stored ones are kept beside where they are something else.
fn set_normals(primitive: &mut Primitive, normals: Vec<[f32; 3]>) {
    let length = |n: &[f32; 3]| n.iter().map(|x| x * x).sum::<f32>().sqrt();
    if normals.iter().all(|normal| (length(normal) - 1.0).abs() <= UNIT) {
        primitive.normals = normals;
        return;
    }
    let made_up = smooth_normals(primitive);
    let unit = |(normal, made_up): (&[f32; 3], [f32; 3])| {
        unit_vector(glam::Vec3::from_array(*normal)).map_or(made_up, |unit| unit.to_array())
    };
    primitive.normals = normals.iter().zip(made_up).map(unit).collect();
    let values = normals.into_flattened();
    primitive.custom.insert(RAW_NORMALS.to_owned(), CustomAttribute { width: 3, values });
}

/// The vectors, with zero for values that are infinite or none.
fn finite<const N: usize>(mut vectors: Vec<[f32; N]>) -> Vec<[f32; N]> {
    for value in vectors.iter_mut().flatten().filter(|value| !value.is_finite()) {
        *value = 0.0;
    }
    vectors
}
