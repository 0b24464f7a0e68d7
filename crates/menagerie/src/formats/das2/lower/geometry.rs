//! Meshes into buffers and mesh groups; what is the same is written once.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use zerocopy::{Immutable, IntoBytes};

use super::materials::{placed_slots, uv_slots};
use super::roles::Role;
use super::{Lowering, id};
use crate::bytes::extend_tight;
use crate::diag::{Aspect, Loss, LossKind};
use crate::formats::das2::lift::{RAW_NORMALS, RAW_WEIGHTS};
use crate::formats::das2::model::{
    Buffer, Level, Mesh as FileMesh, MeshGroup, MorphTarget as FileTarget, NONE, Profile, Ref, SLOTS,
    material_type,
};
use crate::formats::das2::notes::{MeshNote, Note as _, PrimitiveNote, TargetNote};
use crate::ops::select;
use crate::scene::{
    Mesh, MeshId, MorphTarget, NodeId, Primitive, Topology, UvTransform, float_to_json, unit_vector,
};

/// A mesh with its levels of detail: what becomes a mesh group.
type GroupKey = (Option<MeshId>, Vec<Option<MeshId>>);

/// From this size on a new buffer is begun.
const BUFFER_SIZE: usize = 1 << 30;

impl Lowering<'_> {
    /// A mesh group for each mesh, or for each list of levels of detail that it is shown with.
    pub(super) fn meshes(&mut self) {
        let shows = |node: &NodeId| matches!(self.roles.of(*node), Role::Node | Role::Holder);
        let users: Vec<NodeId> = self.scene.nodes.ids().filter(shows).collect();
        let keys: BTreeMap<NodeId, GroupKey> =
            users.iter().filter_map(|node| Some((*node, self.group_key(*node)?))).collect();
        let levels: BTreeSet<MeshId> =
            keys.values().flat_map(|(_, levels)| levels.iter().flatten().copied()).collect();
        let in_sight: BTreeSet<MeshId> = self.scene.nodes.values().filter_map(|node| node.mesh).collect();
        let mut groups: BTreeMap<GroupKey, u32> = BTreeMap::new();
        let mut seen: BTreeSet<&GroupKey> = BTreeSet::new();
        let mut by_base: BTreeMap<Option<MeshId>, Vec<GroupKey>> = BTreeMap::new();
        for key in keys.values().filter(|key| seen.insert(key)) {
            by_base.entry(key.0).or_default().push(key.clone());
        }
        let bases = self.scene.meshes.ids().map(Some).chain([None]);
        for base in bases {
            let mut wanted: Vec<GroupKey> = by_base.remove(&base).unwrap_or_default();
            if let Some(mesh) = base.filter(|mesh| wanted.is_empty() && !levels.contains(mesh)) {
                wanted.push((Some(mesh), Vec::new()));
            }
            self.in_sight = base.is_none_or(|mesh| in_sight.contains(&mesh));
            for key in wanted {
                let group = self.group(&key);
                groups.extend(group.map(|group| (key, group)));
            }
        }
        for (node, key) in keys {
            if let Some(place) =
                self.group_of.get_mut(node.index()).filter(|_| self.roles.of(node) == Role::Node)
            {
                *place = groups.get(&key).copied();
            }
        }
        // The library's profile has one buffer, even when nothing is in it.
        if self.profile == Profile::Libdas2 && self.records.buffers.is_empty() {
            self.records.buffers.push(Buffer::default());
        }
    }

    fn group_key(&self, node: NodeId) -> Option<GroupKey> {
        let node = self.scene.nodes.get(node)?;
        let level = |lod: &crate::scene::Lod| self.scene.nodes.get(lod.node).and_then(|node| node.mesh);
        let levels: Vec<Option<MeshId>> = node.lods.iter().map(level).collect();
        (node.mesh.is_some() || !levels.is_empty()).then_some((node.mesh, levels))
    }

    /// Makes the meshes of a group, and the group unless the mesh was in none.
    fn group(&mut self, (base, levels): &GroupKey) -> Option<u32> {
        let scene = self.scene;
        let mesh = base.and_then(|mesh| scene.meshes.get(mesh));
        let path = base.map_or_else(|| "nodes".to_owned(), |mesh| format!("meshes[{}]", mesh.index()));
        let levels: Vec<Option<&Mesh>> = levels.iter().map(|level| scene.meshes.get((*level)?)).collect();
        let count = |mesh: Option<&Mesh>| mesh.map_or(0, |mesh| mesh.primitives.len());
        let parts = levels.iter().map(|level| count(*level)).chain([count(mesh)]).max().unwrap_or(0);
        let index = self.records.groups.len();
        let grouped = mesh.is_none_or(|mesh| MeshNote::of(&mesh.extras).ungrouped != Some(true));
        if self.profile == Profile::Spec || self.records.buffers.is_empty() {
            self.records.buffers.push(Buffer::default());
        }
        let mut meshes = Vec::new();
        for part in 0..parts {
            let base = mesh.and_then(|mesh| mesh.primitives.get(part));
            let levels: Vec<Option<&Primitive>> =
                levels.iter().map(|level| level.and_then(|mesh| mesh.primitives.get(part))).collect();
            // What draws nothing is still there when it has morph targets, for the weights count them.
            let wanted =
                base.is_none_or(|base| base.topology == Topology::Triangles || !base.targets.is_empty());
            if let Some(base) = base.filter(|_| !wanted && levels.is_empty()) {
                self.not_triangles(&path, base);
                continue;
            }
            if let Some(base) = base.filter(|_| grouped) {
                self.note.keep_extras(format!("mesh_groups.{index}.{}", meshes.len()), &base.extras);
            }
            meshes.push(id(self.records.meshes.len()));
            self.part(&path, base, levels);
        }
        // An empty buffer says nothing.
        if self.profile == Profile::Spec && self.records.buffers.last().is_some_and(|b| b.data.is_empty()) {
            self.records.buffers.pop();
        }
        if !grouped {
            return None;
        }
        let (name, extras) = mesh.map(|mesh| (mesh.name.as_str(), mesh.extras.clone())).unwrap_or_default();
        let name = self.text(name, MeshNote::of(&extras).name_bytes);
        self.note.keep_extras(format!("mesh_groups.{index}"), &extras);
        if let Some(mesh) = mesh {
            if mesh.weights.iter().any(|weight| *weight != 0.0) {
                let weights = mesh.weights.iter().copied().map(float_to_json).collect();
                self.note.group_weights.insert(index, weights);
            }
            if !mesh.target_names.is_empty() {
                self.note.target_names.insert(index, mesh.target_names.clone().into());
            }
        }
        self.records.groups.push(MeshGroup { name, meshes });
        Some(id(index))
    }

    /// A primitive with its levels of detail.
    fn part(&mut self, path: &str, base: Option<&Primitive>, mut levels: Vec<Option<&Primitive>>) {
        let repeats = |level: &Option<&Primitive>| {
            level.is_some_and(|p| PrimitiveNote::of(&p.extras).repeated == Some(true))
        };
        while levels.last().is_some_and(repeats) {
            levels.pop();
        }
        let mesh = self.records.meshes.len();
        let below = levels.clone();
        let mut list = Vec::new();
        for (index, primitive) in std::iter::once(base).chain(levels).enumerate() {
            list.push(match primitive {
                Some(primitive) => self.level(path, primitive, (mesh, index)),
                None => self.nothing(),
            });
        }
        let nested = lod_tree(&below).unwrap_or_else(|| vec![0; below.len()]);
        let direct = id(below.len()).saturating_sub(nested.iter().sum());
        for (level, lods) in list.iter_mut().zip(std::iter::once(direct).chain(nested)) {
            level.lods = lods;
        }
        self.records.meshes.push(FileMesh { levels: list });
    }

    /// Lines and points; those that no node shows, nobody misses.
    fn not_triangles(&mut self, path: &str, primitive: &Primitive) {
        let message = "lines and points have no place in das2";
        let loss = Loss::new(Aspect::Topology, LossKind::Dropped, path, message);
        self.losses.push(Loss { unread: !self.in_sight || primitive.indices.is_empty(), ..loss });
    }

    /// A level that draws nothing.
    fn nothing(&self) -> Level {
        let unset = self.unset();
        Level {
            index: unset,
            position: unset,
            normal: unset,
            uv: [unset; SLOTS],
            color: unset,
            joint_indices: [unset; SLOTS],
            joint_weights: [unset; SLOTS],
            ..Level::default()
        }
    }

    /// The place of an attribute that is not there.
    fn unset(&self) -> Ref {
        match self.profile {
            Profile::Spec => Ref::NONE,
            Profile::Libdas2 => Ref { buffer: 0, offset: 0 },
        }
    }

    fn level(&mut self, path: &str, primitive: &Primitive, place: (usize, usize)) -> Level {
        let was = PrimitiveNote::of(&primitive.extras).expanded == Some(true)
            && self.profile == Profile::Libdas2
            && self.serves_library;
        let expand = self.for_library || was;
        let expanded = if expand { self.expanded(path, primitive, place) } else { None };
        let primitive = expanded.as_ref().unwrap_or(primitive);
        let mut level = self.nothing();
        (level.material_type, level.material) = self.material(primitive.material);
        if let Some((kind, material)) = odd_material(primitive) {
            (level.material_type, level.material) = (kind, material);
        }
        let targets = target_count(primitive);
        level.morphs = vec![self.no_target(); targets];
        if primitive.topology != Topology::Triangles {
            self.not_triangles(path, primitive);
            return level;
        }
        self.report_unheld_streams(path, primitive);
        let used = primitive.indices.iter().max().map_or(0, |highest| *highest as usize + 1);
        // Vertices that no triangle uses have no place in das2, and nobody sees them.
        if used == 0 {
            return level;
        }
        level.draw_count = id(primitive.indices.len());
        level.position = self.stream(&primitive.positions, used);
        level.normal = self.stream(&raw_normals(primitive), used);
        let sets: Vec<Ref> = primitive.uvs.iter().map(|set| self.stream(set, used)).collect();
        let slots = self.slots(path, primitive);
        let in_slots = |sets: &[Ref], unset: Ref| {
            slots.map(|set| set.and_then(|set| sets.get(set).copied()).unwrap_or(unset))
        };
        level.uv = in_slots(&sets, self.unset());
        self.placed_textures(path, primitive, &mut level.uv, used);
        level.color = primitive.colors.first().map_or(self.unset(), |colors| self.stream(colors, used));
        self.joint_sets(path, primitive, &mut level, used);
        for (target, morph) in primitive.targets.iter().zip(&mut level.morphs) {
            morph.position = self.stream(&target.positions, used);
            morph.normal = self.stream(&target.normals, used);
            let sets: Vec<Ref> = target.uvs.iter().map(|set| self.stream(set, used)).collect();
            morph.uv = in_slots(&sets, self.unset());
            morph.color = target.colors.first().map_or(self.unset(), |colors| self.stream(colors, used));
            morph.index = self.target_indices(target, level.draw_count);
        }
        let in_order = used == primitive.indices.len() && primitive.indices.iter().copied().eq(0..id(used));
        if !in_order {
            level.index = self.push_data(&little_endian(&primitive.indices, u32::to_le_bytes));
        }
        if !primitive.tangents.is_empty() {
            let tangents = self.stream(&primitive.tangents, used);
            self.note.tangents.insert(place, tangents);
        }
        level
    }

    /// The library loses indices and colours (engines.md das2 E4): every corner gets a vertex of its own, and colours are
    /// left out. `None` where there is nothing to change.
    fn expanded(
        &mut self,
        path: &str,
        primitive: &Primitive,
        (mesh, _): (usize, usize),
    ) -> Option<Primitive> {
        if primitive.topology != Topology::Triangles {
            return None;
        }
        let in_order = primitive.indices.len() == primitive.positions.len()
            && primitive.indices.iter().copied().eq(0..id(primitive.indices.len()));
        let colors = !primitive.colors.is_empty() || primitive.targets.iter().any(|t| !t.colors.is_empty());
        if in_order && !colors {
            return None;
        }
        let mut expanded = if in_order {
            primitive.clone()
        } else {
            let corners = 0..id(primitive.indices.len());
            let added = primitive.indices.len().saturating_sub(primitive.positions.len());
            let message = "vertices were repeated, for the library loses the indices of meshes";
            self.losses.push(Loss::new(Aspect::Topology, LossKind::Added, path, message).count(added.max(1)));
            self.note.expanded.insert(mesh, true);
            select(primitive, &primitive.indices, corners.collect())
        };
        if colors {
            let message = "the library never knows the colours of vertices";
            self.losses.dropped(Aspect::Colors, path, message);
            expanded.colors.clear();
            expanded.targets.iter_mut().for_each(|target| target.colors.clear());
        }
        Some(expanded)
    }

    /// Textures that are moved, turned or scaled: every slot has coordinates of its own, so these are written as the
    /// texture is placed.
    fn placed_textures(&mut self, path: &str, primitive: &Primitive, slots: &mut [Ref; SLOTS], used: usize) {
        let material = primitive.material.and_then(|material| self.scene.materials.get(material));
        let mut written: Vec<(u32, UvTransform, Ref)> = Vec::new();
        for (slot, set, transform) in material.map(placed_slots).unwrap_or_default() {
            let Some(uvs) = primitive.uvs.get(set as usize) else { continue };
            let known = written.iter().find(|(of, by, _)| (*of, *by) == (set, transform));
            let place = match known {
                Some((_, _, place)) => *place,
                None => {
                    let moved: Vec<[f32; 2]> = uvs.iter().map(|uv| transform.apply(*uv)).collect();
                    let place = self.stream(&moved, used);
                    written.push((set, transform, place));
                    place
                }
            };
            if let Some(slot) = slots.get_mut(slot as usize) {
                *slot = place;
            }
        }
        if !written.is_empty() {
            let message = "coordinates for textures that are moved, turned or scaled";
            let loss = Loss::new(Aspect::Uvs, LossKind::Added, path, message);
            self.losses.push(loss.count(written.len()));
        }
    }

    fn no_target(&self) -> FileTarget {
        let unset = self.unset();
        FileTarget { index: unset, position: unset, normal: unset, uv: [unset; SLOTS], color: unset }
    }

    /// Writes the first `count` vectors of a stream; an empty one is not there.
    fn stream<const N: usize>(&mut self, vectors: &[[f32; N]], count: usize) -> Ref {
        let Some(vectors) = vectors.get(..count).filter(|vectors| !vectors.is_empty()) else {
            return self.unset();
        };
        self.push_data(&little_endian(vectors.as_flattened(), f32::to_le_bytes))
    }

    fn push_data(&mut self, bytes: &[u8]) -> Ref {
        let full = self.records.buffers.last().is_none_or(|buffer| buffer.data.len() > BUFFER_SIZE);
        if full && (self.profile == Profile::Spec || self.records.buffers.is_empty()) {
            self.records.buffers.push(Buffer::default());
        }
        let index = self.records.buffers.len().saturating_sub(1);
        let Some(buffer) = self.records.buffers.last_mut() else { return Ref::NONE };
        let offset = u32::try_from(buffer.data.len());
        self.too_large |= offset.is_err();
        extend_tight(buffer.data.make_mut(), bytes);
        Ref { buffer: id(index), offset: offset.unwrap_or(NONE) }
    }

    /// Which set of texture coordinates each slot uses: what the file had and the pictures of the material say, and
    /// slots that are free for the sets that are left.
    fn slots(&mut self, path: &str, primitive: &Primitive) -> [Option<usize>; SLOTS] {
        let sets = primitive.uvs.len();
        let kept = kept_slots(primitive);
        let mut slots = kept.unwrap_or([None; SLOTS]);
        let material = primitive.material.and_then(|material| self.scene.materials.get(material));
        for (slot, set) in material.map(uv_slots).unwrap_or_default() {
            // A slot that the file left empty reads as the first set.
            let has = kept.and_then(|kept| kept.get(slot as usize).map(|has| has.unwrap_or(0)));
            if has == Some(set as usize) {
                continue;
            }
            let set = Some(set as usize).filter(|set| *set < sets);
            if let Some(place) = slots.get_mut(slot as usize) {
                *place = set;
            }
            if set.is_none() && sets > 0 {
                let message = "a texture uses a set of coordinates that the mesh does not have";
                self.losses.approximated(Aspect::Textures, path, message);
            }
        }
        // A texture without coordinates reads the first set when it comes back.
        let misplaced =
            material.map(uv_slots).unwrap_or_default().iter().any(|(_, set)| *set > 0 && sets == 0);
        if misplaced {
            let message = "a texture uses a set of coordinates that the mesh does not have";
            self.losses.approximated(Aspect::Textures, path, message);
        }
        for set in 0..sets {
            if slots.contains(&Some(set)) {
                continue;
            }
            match slots.iter_mut().find(|slot| slot.is_none()) {
                Some(slot) => *slot = Some(set),
                None => {
                    self.losses.dropped(Aspect::Uvs, path, "no slot is left for a set of texture coordinates")
                }
            }
        }
        slots
    }

    fn joint_sets(&mut self, path: &str, primitive: &Primitive, level: &mut Level, used: usize) {
        if primitive.joints.len() > SLOTS {
            let message = "das2 has eight sets of joints";
            self.losses.dropped(Aspect::Skins, path, message);
            self.losses.approximated(Aspect::Positions, path, message);
        }
        let slots = kept_joint_slots(primitive);
        for (set, (joints, weights)) in
            primitive.joints.iter().zip(&primitive.weights).enumerate().take(SLOTS)
        {
            let slot = slots.as_ref().and_then(|slots| slots.get(set).copied()).unwrap_or(set);
            let bytes: Vec<u8> =
                joints.iter().take(used).flatten().flat_map(|joint| joint.to_le_bytes()).collect();
            let indices = self.push_data(&bytes);
            let raw = primitive.custom.get(&format!("{RAW_WEIGHTS}{set}"));
            let raw = raw.map(|raw| raw.values.as_chunks::<4>().0).filter(|raw| raw.len() == weights.len());
            let weights = self.stream(raw.unwrap_or(weights), used);
            if let (Some(i), Some(w)) = (level.joint_indices.get_mut(slot), level.joint_weights.get_mut(slot))
            {
                (*i, *w) = (indices, weights);
            }
        }
    }

    /// The indices that a morph target had; nothing uses them.
    fn target_indices(&mut self, target: &MorphTarget, draw_count: u32) -> Ref {
        let kept = TargetNote::of(&target.extras).indices;
        match kept.filter(|list| list.len() == draw_count as usize && !list.is_empty()) {
            Some(list) => {
                self.push_data(&list.iter().flat_map(|index| index.to_le_bytes()).collect::<Vec<u8>>())
            }
            None => self.unset(),
        }
    }

    fn report_unheld_streams(&mut self, path: &str, primitive: &Primitive) {
        if primitive.colors.len() > 1 {
            self.losses.dropped(Aspect::Colors, path, "das2 has one set of vertex colours");
        }
        if primitive
            .targets
            .iter()
            .any(|target| target.tangents.iter().any(|delta| *delta != [0.0; 3]) || target.colors.len() > 1)
        {
            let message = "morph targets move no tangents in das2, and one set of colours";
            self.losses.dropped(Aspect::Morphs, path, message);
        }
    }
}

/// A material's type and id that mean no material, as the file had them.
fn odd_material(primitive: &Primitive) -> Option<(u8, u32)> {
    let kept = PrimitiveNote::of(&primitive.extras).material.filter(|_| primitive.material.is_none());
    let (kind, material) = kept?;
    let known = [material_type::NONE, material_type::PHONG, material_type::PBR].contains(&kind);
    (known && (kind == material_type::NONE || material == NONE)).then_some((kind, material))
}

/// How many morph targets a primitive had before it got ones that do nothing.
fn target_count(primitive: &Primitive) -> usize {
    let kept = PrimitiveNote::of(&primitive.extras).morph_targets;
    let kept = kept.filter(|count| *count < primitive.targets.len());
    let empty = |target: &MorphTarget| {
        target.positions.is_empty() && target.normals.is_empty() && target.uvs.is_empty()
    };
    let real = kept.filter(|count| primitive.targets.iter().skip(*count).all(empty));
    real.unwrap_or(primitive.targets.len())
}

/// The slots that the file had, if they are still good for the sets that there are.
fn kept_slots(primitive: &Primitive) -> Option<[Option<usize>; SLOTS]> {
    let slots = PrimitiveNote::of(&primitive.extras).uv_slots?;
    slots.iter().flatten().all(|set| *set < primitive.uvs.len()).then_some(slots)
}

fn kept_joint_slots(primitive: &Primitive) -> Option<Vec<usize>> {
    let slots = PrimitiveNote::of(&primitive.extras).joint_slots;
    let slots = slots.filter(|slots| slots.len() == primitive.joints.len())?;
    let mut once = BTreeSet::new();
    slots.iter().all(|slot| *slot < SLOTS && once.insert(*slot)).then_some(slots)
}

/// Normals as the file had them, where they still point the same way.
fn raw_normals(primitive: &Primitive) -> Vec<[f32; 3]> {
    let Some(raw) = primitive.custom.get(RAW_NORMALS).filter(|raw| raw.width == 3) else {
        return primitive.normals.clone();
    };
    let one = |(normal, raw): (&[f32; 3], &[f32; 3])| {
        let unit = unit_vector(glam::Vec3::from_array(*raw));
        let same = unit.is_none_or(|unit| unit.distance(glam::Vec3::from_array(*normal)) < 1e-3);
        if same { *raw } else { *normal }
    };
    primitive.normals.iter().zip(raw.values.as_chunks::<3>().0).map(one).collect()
}

/// How many levels were directly below each level of a mesh; `None` where the numbers make no tree.
fn lod_tree(levels: &[Option<&Primitive>]) -> Option<Vec<u32>> {
    let below = |level: &Option<&Primitive>| {
        level.and_then(|level| PrimitiveNote::of(&level.extras).levels_below).unwrap_or(0)
    };
    let tree: Vec<u32> = levels.iter().map(below).collect();
    // What is not below another level is directly below the mesh.
    let nested: u64 = tree.iter().map(|count| u64::from(*count)).sum();
    let mut open = (tree.len() as u64).checked_sub(nested)?;
    for count in &tree {
        open = open.checked_sub(1)?.checked_add(u64::from(*count))?;
    }
    (open == 0).then_some(tree)
}

/// The bytes of numbers, as they are in memory where that is their order.
fn little_endian<T: IntoBytes + Immutable + Copy>(numbers: &[T], bytes: fn(T) -> [u8; 4]) -> Cow<'_, [u8]> {
    match cfg!(target_endian = "little") {
        true => numbers.as_bytes().into(),
        false => numbers.iter().flat_map(|number| bytes(*number)).collect::<Vec<u8>>().into(),
    }
}
