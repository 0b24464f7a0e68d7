//! Fewer triangles.

use glam::Vec3;
use meshopt::SimplifyOptions;

use super::distance::{Corners, SurfaceDistance, surface_distance};
use super::{compact, first_equal};
use crate::scene::{Bounds, Mesh, MeshId, MorphTarget, Primitive, Scene};

/// How far to simplify.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SimplifyGoal {
    /// Until this part of the triangles is left, whatever the error.
    Part(f32),
    /// As far as the error stays within so many scene units.
    Error(f32),
}

/// A mesh that was simplified.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SimplifiedMesh {
    /// Which.
    pub mesh: MeshId,
    /// Its triangles before.
    pub triangles_before: usize,
    /// Its triangles after.
    pub triangles: usize,
    /// The largest error that the simplifier reckons with, in scene units. Other streams than positions count in it.
    pub error: f32,
    /// How far the surface is from what it was, at rest.
    pub distance: SurfaceDistance,
}

/// Simplifies all meshes that have triangles, levels of detail too. Each primitive is simplified by itself.
///
/// Vertices are never moved, only left out, so whatever hangs on them stays valid: joints and their weights, morph
/// targets, every other stream.
pub fn simplify_meshes(scene: &mut Scene, goal: SimplifyGoal) -> Vec<SimplifiedMesh> {
    let ids: Vec<MeshId> = scene.meshes.ids().collect();
    let mut reports = Vec::new();
    for id in ids {
        let Some(mesh) = scene.meshes.get_mut(id).filter(|mesh| triangles(mesh) > 0) else { continue };
        let (simplified, report) = simplified_mesh(mesh, id, goal);
        *mesh = simplified;
        reports.push(report);
    }
    reports
}

pub(super) fn triangles(mesh: &Mesh) -> usize {
    mesh.primitives.iter().map(|primitive| primitive.triangles().len()).sum()
}

/// A simpler mesh. With [`SimplifyGoal::Part`] the triangles are taken from its primitives in proportion.
pub(super) fn simplified_mesh(mesh: &Mesh, id: MeshId, goal: SimplifyGoal) -> (Mesh, SimplifiedMesh) {
    let mut error = 0.0f32;
    let simpler = mesh.primitives.iter().map(|primitive| {
        let (simpler, off) = simplify(primitive, goal);
        error = error.max(off);
        simpler
    });
    let simplified = Mesh { primitives: simpler.collect(), ..mesh.clone() };
    let corners = |mesh: &Mesh| mesh.primitives.iter().flat_map(corners).collect::<Vec<Corners>>();
    let report = SimplifiedMesh {
        mesh: id,
        triangles_before: triangles(mesh),
        triangles: triangles(&simplified),
        error,
        distance: surface_distance(&corners(mesh), &corners(&simplified)),
    };
    (simplified, report)
}

/// How far from the number that was asked for a number of triangles may be to be good.
const GOOD: f32 = 0.02;
/// The most floats that the simplifier takes for a vertex.
const MAX_ATTRIBUTES: usize = 32;

/// The triangles of a primitive by their corners.
fn corners(primitive: &Primitive) -> Vec<Corners> {
    let corner =
        |index: u32| primitive.positions.get(index as usize).copied().map_or(Vec3::ZERO, Vec3::from_array);
    primitive.triangles().iter().map(|triangle| triangle.map(corner)).collect()
}

/// A primitive with fewer triangles, chosen by quadric error, and that error in scene units. What is not made of
/// triangles stays as it is.
///
/// Normals, texture coordinates, colours, joint weights and morph targets count as well as positions. Where a part of
/// the triangles is asked for and seams between them keep too many, they count less, and in the end only positions do.
pub fn simplify(primitive: &Primitive, goal: SimplifyGoal) -> (Primitive, f32) {
    let size = extent(&primitive.positions);
    // Numbers whose difference no float holds cannot be reckoned with.
    if primitive.triangles().is_empty() || !size.is_finite() || size <= 0.0 {
        return (primitive.clone(), 0.0);
    }
    let welded = welded(primitive);
    let (indices, error) = match goal {
        _ if is_crowded(primitive.vertex_count(), &welded) => {
            let (target, allowed) = match goal {
                SimplifyGoal::Part(part) => (part_of(primitive, part), f32::MAX),
                SimplifyGoal::Error(error) => (0, error.max(0.0) / size),
            };
            sloppily(primitive, &welded, target, allowed)
        }
        SimplifyGoal::Part(part) => to_part(primitive, &welded, part),
        SimplifyGoal::Error(error) => {
            let attributes = Attributes::of(primitive);
            attributes.simplify(primitive, &welded, 0, error.max(0.0), SimplifyOptions::None)
        }
    };
    (compact(primitive, indices), if error.is_finite() { error } else { size })
}

/// The simplifier looks at all triangles of a vertex for each of them. Where thousands meet in one, as in a fan or where a
/// triangle is repeated, that would take for ever.
pub(super) fn is_crowded(vertices: usize, indices: &[u32]) -> bool {
    const USUAL: u64 = 1024;
    let mut meeting = vec![0u64; vertices];
    indices
        .iter()
        .filter_map(|index| meeting.get_mut(*index as usize).map(|count| *count += 1))
        .for_each(drop);
    let looks = meeting.iter().map(|count| count * count).fold(0, u64::saturating_add);
    looks > USUAL.saturating_mul(indices.len() as u64)
}

/// The indices of a part of the triangles.
fn part_of(primitive: &Primitive, part: f32) -> usize {
    (primitive.triangles().len() as f32 * part.clamp(0.0, 1.0)).round() as usize * 3
}

fn to_part(primitive: &Primitive, welded: &[u32], part: f32) -> (Vec<u32>, f32) {
    let target = part_of(primitive, part).min(welded.len());
    let attributes = Attributes::of(primitive);
    let none = Attributes::default();
    let by = |attributes: &Attributes, options: SimplifyOptions| {
        attributes.simplify(primitive, welded, target, f32::MAX, options)
    };
    let attempts: [&dyn Fn() -> (Vec<u32>, f32); 5] = [
        &|| by(&attributes, SimplifyOptions::None),
        &|| by(&attributes, SimplifyOptions::Permissive),
        &|| by(&attributes, SimplifyOptions::Permissive | SimplifyOptions::Prune),
        &|| by(&none, SimplifyOptions::Permissive | SimplifyOptions::Prune),
        &|| sloppily(primitive, welded, target, f32::MAX),
    ];
    let off = |indices: &[u32]| indices.len().abs_diff(target) as f32 / target.max(1) as f32;
    let mut best: Option<(Vec<u32>, f32)> = None;
    for attempt in attempts {
        let (indices, error) = attempt();
        if best.as_ref().is_none_or(|(best, _)| off(&indices) < off(best)) {
            best = Some((indices, error));
        }
        if best.as_ref().is_some_and(|(best, _)| off(best) <= GOOD) {
            break;
        }
    }
    best.unwrap_or_else(|| (welded.to_vec(), 0.0))
}

/// Without regard to how triangles hang together; the error that is allowed is a part of the extent.
fn sloppily(primitive: &Primitive, indices: &[u32], target: usize, allowed: f32) -> (Vec<u32>, f32) {
    let mut error = 0.0;
    let simpler =
        meshopt::simplify_sloppy_decoder(indices, &primitive.positions, target, allowed, Some(&mut error));
    (simpler, error * extent(&primitive.positions))
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
        allowed: f32,
        options: SimplifyOptions,
    ) -> (Vec<u32>, f32) {
        let free = vec![false; primitive.positions.len()];
        let mut error = 0.0;
        let simpler = meshopt::simplify_with_attributes_and_locks_decoder(
            indices,
            &primitive.positions,
            &self.values,
            &self.weights,
            self.weights.len() * size_of::<f32>(),
            &free,
            target,
            allowed,
            options | SimplifyOptions::ErrorAbsolute,
            Some(&mut error),
        );
        (simpler, error)
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
    Bounds::of(points).map_or(0.0, |bounds| (bounds.max - bounds.min).max_element())
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
