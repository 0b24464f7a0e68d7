use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;
use meshopt::SimplifyOptions;

use super::distance::{Corners, SurfaceDistance, surface_distance};
use super::{compact, first_equal, remove_nodes};
use crate::scene::{Arena, Lod, Mesh, MeshId, MorphTarget, Node, NodeId, Primitive, Scene, Topology};

/// A level of detail that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct MadeLevel {
    /// The mesh that it stands in for.
    pub mesh: MeshId,
    /// Which level: 1 for the first.
    pub level: usize,
    /// The part of the triangles that was asked for.
    pub ratio: f32,
    /// The triangles of the mesh.
    pub triangles_before: usize,
    /// The triangles of the level.
    pub triangles: usize,
    /// How far the level's surface is from that of the mesh, at rest.
    pub distance: SurfaceDistance,
}

/// How far from the number that was asked for a number of triangles may be to be good.
const GOOD: f32 = 0.02;
/// The most floats that the simplifier takes for a vertex.
const MAX_ATTRIBUTES: usize = 32;

/// Gives every node that shows a mesh levels of detail with parts of its triangles, in place of those that it has.
///
/// Vertices are never moved, only left out, so whatever hangs on them stays valid: joints and their weights, morph
/// targets, every other stream.
pub fn make_levels(scene: &mut Scene, ratios: &[f32]) -> Vec<MadeLevel> {
    remove_levels(scene);
    let shown: BTreeSet<MeshId> = scene.nodes.values().filter_map(|node| node.mesh).collect();
    let mut made = Vec::new();
    let mut levels: BTreeMap<MeshId, Vec<MeshId>> = BTreeMap::new();
    for id in shown {
        let Some(mesh) = scene.meshes.get(id).filter(|mesh| triangles(mesh) > 0).cloned() else { continue };
        for (i, ratio) in ratios.iter().enumerate() {
            let (level, report) = level_of(&mesh, id, i + 1, *ratio);
            made.push(report);
            levels.entry(id).or_default().push(scene.meshes.push(level));
        }
    }
    let users: Vec<NodeId> = scene.nodes.ids().collect();
    for id in users {
        let Some(node) = scene.nodes.get(id).cloned() else { continue };
        let meshes = node.mesh.and_then(|mesh| levels.get(&mesh)).cloned().unwrap_or_default();
        for mesh in meshes {
            let stand_in = Node {
                transform: node.transform,
                mesh: Some(mesh),
                skin: node.skin,
                weights: node.weights.clone(),
                visible: node.visible,
                ..Node::default()
            };
            let stand_in = scene.nodes.push(stand_in);
            move_along(scene, id, stand_in);
            if let Some(node) = scene.nodes.get_mut(id) {
                node.lods.push(Lod { node: stand_in, distance: None });
            }
        }
    }
    made
}

/// Removes the levels of detail that there are.
fn remove_levels(scene: &mut Scene) {
    let joints: BTreeSet<NodeId> =
        scene.skins.values().flat_map(|skin| skin.joints.iter().chain(&skin.skeleton).copied()).collect();
    let tops: Vec<NodeId> =
        scene.nodes.values().flat_map(|node| node.lods.iter().map(|lod| lod.node)).collect();
    let mut gone = BTreeSet::new();
    let mut open = tops;
    while let Some(id) = open.pop() {
        if let Some(node) = scene.nodes.get(id).filter(|_| gone.insert(id)) {
            open.extend(node.children.iter().copied().chain(node.lods.iter().map(|lod| lod.node)));
        }
    }
    scene.nodes.values_mut().for_each(|node| node.lods.clear());
    // A joint stays where it is, though nothing stands in for anything there any more.
    if gone.is_disjoint(&joints) {
        let meshes: BTreeSet<MeshId> =
            gone.iter().filter_map(|id| scene.nodes.get(*id)).filter_map(|node| node.mesh).collect();
        remove_nodes(scene, &gone);
        remove_unshown(scene, meshes);
    }
}

/// Removes those of some meshes that no node shows.
fn remove_unshown(scene: &mut Scene, mut meshes: BTreeSet<MeshId>) {
    for mesh in scene.nodes.values().filter_map(|node| node.mesh) {
        meshes.remove(&mesh);
    }
    let mut places: BTreeMap<MeshId, MeshId> = BTreeMap::new();
    let mut kept: Arena<Mesh> = Arena::default();
    for (index, mesh) in std::mem::take(&mut scene.meshes).into_vec().into_iter().enumerate() {
        let id = MeshId::new(index);
        if !meshes.contains(&id) {
            places.insert(id, kept.push(mesh));
        }
    }
    scene.meshes = kept;
    for node in scene.nodes.values_mut() {
        node.mesh = node.mesh.and_then(|mesh| places.get(&mesh).copied());
    }
}

/// Lets a node move as another does.
fn move_along(scene: &mut Scene, node: NodeId, other: NodeId) {
    for animation in &mut scene.animations {
        let own = animation.channels.iter().filter(|channel| channel.node == node);
        let copies: Vec<_> =
            own.cloned().map(|channel| crate::scene::Channel { node: other, ..channel }).collect();
        animation.channels.extend(copies);
    }
}

fn triangles(mesh: &Mesh) -> usize {
    mesh.primitives.iter().map(|primitive| primitive.triangles().len()).sum()
}

/// A level of a mesh. The triangles are taken from its primitives in proportion.
fn level_of(mesh: &Mesh, id: MeshId, level: usize, ratio: f32) -> (Mesh, MadeLevel) {
    let primitives: Vec<Primitive> =
        mesh.primitives.iter().map(|primitive| simplify(primitive, ratio)).collect();
    let simplified = Mesh { primitives, weights: mesh.weights.clone(), ..Mesh::default() };
    let corners = |mesh: &Mesh| mesh.primitives.iter().flat_map(corners).collect::<Vec<Corners>>();
    let report = MadeLevel {
        mesh: id,
        level,
        ratio,
        triangles_before: triangles(mesh),
        triangles: triangles(&simplified),
        distance: surface_distance(&corners(mesh), &corners(&simplified)),
    };
    (simplified, report)
}

/// The triangles of a primitive by their corners.
fn corners(primitive: &Primitive) -> Vec<Corners> {
    let corner =
        |index: u32| primitive.positions.get(index as usize).copied().map_or(Vec3::ZERO, Vec3::from_array);
    primitive.triangles().iter().map(|triangle| triangle.map(corner)).collect()
}

/// A primitive with a part of its triangles, chosen by quadric error. What is not made of triangles stays as it is.
///
/// Normals, texture coordinates, colours, joint weights and morph targets count as well as positions. Where seams
/// between them keep too many triangles, they count less, and in the end only positions do.
pub fn simplify(primitive: &Primitive, ratio: f32) -> Primitive {
    if primitive.topology != Topology::Triangles {
        return primitive.clone();
    }
    let welded = welded(primitive);
    let wanted = (primitive.triangles().len() as f32 * ratio.clamp(0.0, 1.0)).round() as usize;
    let target = wanted * 3;
    let attributes = Attributes::of(primitive);
    let none = Attributes::default();
    let by = |attributes: &Attributes, options: SimplifyOptions| {
        attributes.simplify(primitive, &welded, target, options)
    };
    let attempts: [&dyn Fn() -> Vec<u32>; 5] = [
        &|| by(&attributes, SimplifyOptions::None),
        &|| by(&attributes, SimplifyOptions::Permissive),
        &|| by(&attributes, SimplifyOptions::Permissive | SimplifyOptions::Prune),
        &|| by(&none, SimplifyOptions::Permissive | SimplifyOptions::Prune),
        &|| meshopt::simplify_sloppy_decoder(&welded, &primitive.positions, target, f32::MAX, None),
    ];
    let off = |indices: &[u32]| indices.len().abs_diff(target) as f32 / target.max(1) as f32;
    let mut best: Option<Vec<u32>> = None;
    for attempt in attempts {
        let indices = attempt();
        if best.as_ref().is_none_or(|best| off(&indices) < off(best)) {
            best = Some(indices);
        }
        if best.as_ref().is_some_and(|best| off(best) <= GOOD) {
            break;
        }
    }
    compact(primitive, best.unwrap_or(welded))
}

/// The indices, with one vertex for all that are the same in every respect.
fn welded(primitive: &Primitive) -> Vec<u32> {
    let places = first_equal(primitive);
    primitive.indices.iter().map(|index| places.get(*index as usize).copied().unwrap_or(*index)).collect()
}

/// What counts besides positions: some floats for each vertex, and how much each weighs.
#[derive(Default)]
struct Attributes {
    weights: Vec<f32>,
    values: Vec<f32>,
}

/// Numbers that many values are mixed into, for skins and morph targets that have more than a vertex may have floats.
const MIXED: usize = 6;

impl Attributes {
    fn of(primitive: &Primitive) -> Self {
        let vertices = primitive.positions.len();
        let size = extent(&primitive.positions);
        let mut columns: Vec<(f32, Vec<f32>)> = Vec::new();
        add_columns(&mut columns, &primitive.normals, 0.5);
        for set in primitive.uvs.iter().take(2) {
            add_columns(&mut columns, set, 1.0);
        }
        for set in primitive.colors.iter().take(1) {
            add_columns(&mut columns, set, 0.5);
        }
        if !primitive.joints.is_empty() {
            let mixed: Vec<[f32; MIXED]> =
                (0..vertices).map(|vertex| mixed_joints(primitive, vertex)).collect();
            add_columns(&mut columns, &mixed, 0.5);
        }
        if !primitive.targets.is_empty() {
            let mixed: Vec<[f32; MIXED]> =
                (0..vertices).map(|vertex| mixed_targets(&primitive.targets, vertex, size)).collect();
            add_columns(&mut columns, &mixed, 1.0);
        }
        columns.truncate(MAX_ATTRIBUTES);
        let values = (0..vertices).flat_map(|vertex| {
            columns.iter().map(move |(_, column)| column.get(vertex).copied().unwrap_or(0.0))
        });
        Self { values: values.collect(), weights: columns.iter().map(|(weight, _)| *weight).collect() }
    }

    fn simplify(
        &self,
        primitive: &Primitive,
        indices: &[u32],
        target: usize,
        options: SimplifyOptions,
    ) -> Vec<u32> {
        let free = vec![false; primitive.positions.len()];
        meshopt::simplify_with_attributes_and_locks_decoder(
            indices,
            &primitive.positions,
            &self.values,
            &self.weights,
            self.weights.len() * size_of::<f32>(),
            &free,
            target,
            f32::MAX,
            options,
            None,
        )
    }
}

fn add_columns<const N: usize>(columns: &mut Vec<(f32, Vec<f32>)>, stream: &[[f32; N]], weight: f32) {
    if !stream.is_empty() {
        columns.extend((0..N).map(|i| (weight, stream.iter().map(|vector| vector[i]).collect())));
    }
}

/// The longest side of the box around some points.
fn extent(positions: &[[f32; 3]]) -> f32 {
    let points = positions.iter().copied().map(Vec3::from_array);
    let bounds = crate::scene::Bounds::of(points);
    bounds.map_or(1.0, |bounds| (bounds.max - bounds.min).max_element()).max(f32::MIN_POSITIVE)
}

/// The weights of a vertex's joints in a few numbers. Each joint adds to each number or takes from it, by chance but
/// always the same, so that vertices with other weights have other numbers.
fn mixed_joints(primitive: &Primitive, vertex: usize) -> [f32; MIXED] {
    let mut mixed = [0.0; MIXED];
    for (joints, weights) in primitive.joints.iter().zip(&primitive.weights) {
        let (Some(joints), Some(weights)) = (joints.get(vertex), weights.get(vertex)) else { continue };
        for (joint, weight) in joints.iter().zip(weights) {
            for (i, number) in mixed.iter_mut().enumerate() {
                *number += sign(usize::from(*joint), i) * weight;
            }
        }
    }
    mixed
}

/// The displacements of a vertex, relative to the size of the mesh, in a few numbers.
fn mixed_targets(targets: &[MorphTarget], vertex: usize, size: f32) -> [f32; MIXED] {
    let mut mixed = [0.0; MIXED];
    for (t, target) in targets.iter().enumerate() {
        let delta = target.positions.get(vertex).copied().unwrap_or_default();
        for (axis, x) in delta.into_iter().enumerate() {
            // The first two targets have numbers of their own, further ones share them.
            mixed[(t % 2) * 3 + axis] += sign(t / 2, axis) * x / size;
        }
    }
    mixed
}

/// One or minus one, by chance but always the same for the same numbers.
fn sign(a: usize, b: usize) -> f32 {
    let mut hash = (a as u32).wrapping_mul(0x9E37_79B9) ^ (b as u32 + 1).wrapping_mul(0x85EB_CA6B);
    hash ^= hash >> 15;
    hash = hash.wrapping_mul(0x2C1B_3C6D);
    hash ^= hash >> 12;
    if hash & 1 == 0 { 1.0 } else { -1.0 }
}
