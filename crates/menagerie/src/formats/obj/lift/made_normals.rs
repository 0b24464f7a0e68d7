//! Normals for vertices that a file gives none, in a part where others have some: by smoothing groups.

use std::collections::BTreeMap;

use glam::Vec3;

use crate::formats::obj::gather::SMOOTHED;
use crate::ops::face_normal;
use crate::scene::{Primitive, Topology, unit_vector};

/// How a vertex comes to its normal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The file has it.
    Given,
    /// It is that of its triangle alone.
    Flat,
    /// It is the mean of its triangles.
    Own,
    /// It is the mean of the triangles of all vertices at one position in one smoothing group.
    Smoothed,
}

/// Whether the number of a normal stands for a smoothing group.
pub(in crate::formats::obj) fn is_smoothed(number: u32) -> bool {
    number & SMOOTHED != 0
}

/// Makes the normals that are missing, which have no length yet. `of` tells the numbers of a vertex's position and
/// normal, of which the file has `given`; in a file that `smooths`, what is in no group is flat.
pub(in crate::formats::obj) fn add(
    primitive: &mut Primitive,
    of: impl Fn(usize) -> [u32; 2],
    given: usize,
    smooths: bool,
) {
    let count = primitive.positions.len();
    let kind = |vertex: usize| match of(vertex) {
        // A copy, made here.
        _ if vertex >= count => Kind::Given,
        [_, number] if is_smoothed(number) => Kind::Smoothed,
        [_, 0] if smooths => Kind::Flat,
        [_, number] if number == 0 || number as usize > given => Kind::Own,
        _ => Kind::Given,
    };
    add_flat(primitive, |vertex| kind(vertex) == Kind::Flat);
    add_sums(primitive, |vertex| matches!(kind(vertex), Kind::Own | Kind::Smoothed));
    let group = |vertex: usize| (kind(vertex) == Kind::Smoothed).then(|| of(vertex));
    share(&mut primitive.normals, group);
    for (vertex, normal) in primitive.normals.iter_mut().enumerate() {
        match kind(vertex) {
            Kind::Given => {}
            Kind::Flat if *normal != [0.0; 3] => {}
            _ => *normal = unit_vector(Vec3::from_array(*normal)).unwrap_or(Vec3::Y).to_array(),
        }
    }
}

/// Gives flat corners the normals of their triangles. A vertex of several triangles that do not lie in one plane is
/// copied for each.
fn add_flat(primitive: &mut Primitive, is_flat: impl Fn(usize) -> bool) {
    let mut copies: BTreeMap<(u32, [u32; 3]), u32> = BTreeMap::new();
    let mut indices = std::mem::take(&mut primitive.indices);
    for triangle in primitive_triangles(primitive, &mut indices) {
        if !triangle.iter().any(|corner| is_flat(*corner as usize)) {
            continue;
        }
        let Some(normal) = unit_vector(face_normal(&primitive.positions, *triangle)) else { continue };
        // Minus zero is no other direction.
        let normal = normal.to_array().map(|x| x + 0.0);
        for corner in triangle.iter_mut().filter(|corner| is_flat(**corner as usize)) {
            match primitive.normals.get_mut(*corner as usize) {
                Some(free) if *free == [0.0; 3] => *free = normal,
                Some(same) if *same == normal => {}
                _ => {
                    let key = (*corner, normal.map(f32::to_bits));
                    *corner = *copies.entry(key).or_insert_with(|| copy(primitive, *corner, normal));
                }
            }
        }
    }
    primitive.indices = indices;
}

/// The triangles among indices that were taken out of a primitive.
fn primitive_triangles<'i>(primitive: &Primitive, indices: &'i mut [u32]) -> &'i mut [[u32; 3]] {
    match primitive.topology {
        Topology::Triangles => indices.as_chunks_mut().0,
        _ => &mut [],
    }
}

/// Adds a vertex like another, with another normal.
fn copy(primitive: &mut Primitive, vertex: u32, normal: [f32; 3]) -> u32 {
    fn again<T: Copy>(list: &mut Vec<T>, vertex: u32) {
        if let Some(value) = list.get(vertex as usize).copied() {
            list.push(value);
        }
    }
    let new = primitive.positions.len() as u32;
    again(&mut primitive.positions, vertex);
    primitive.uvs.iter_mut().for_each(|set| again(set, vertex));
    primitive.colors.iter_mut().for_each(|set| again(set, vertex));
    primitive.normals.push(normal);
    new
}

/// Adds up the normals of the triangles of each vertex, by their areas.
fn add_sums(primitive: &mut Primitive, is_made: impl Fn(usize) -> bool) {
    let mut normals = std::mem::take(&mut primitive.normals);
    for triangle in primitive.triangles() {
        let normal = face_normal(&primitive.positions, *triangle);
        for corner in triangle.iter().map(|corner| *corner as usize).filter(|corner| is_made(*corner)) {
            if let Some(sum) = normals.get_mut(corner) {
                *sum = (Vec3::from_array(*sum) + normal).to_array();
            }
        }
    }
    primitive.normals = normals;
}

/// Gives the vertices of one group, which is a position and a smoothing group, the sum of all their normals.
fn share(normals: &mut [[f32; 3]], group: impl Fn(usize) -> Option<[u32; 2]>) {
    let positions = || (0..normals.len()).filter_map(&group).map(|[position, _]| position as usize);
    // Most positions have one vertex, which has nobody to share with.
    let mut seen = vec![false; positions().max().map_or(0, |most| most + 1)];
    let mut again = seen.clone();
    for position in positions() {
        if let (Some(seen), Some(again)) = (seen.get_mut(position), again.get_mut(position)) {
            *again |= std::mem::replace(seen, true);
        }
    }
    drop(seen);
    let mut sharing: Vec<([u32; 2], u32)> = Vec::new();
    for vertex in 0..normals.len() {
        if let Some(group) =
            group(vertex).filter(|[position, _]| again.get(*position as usize) == Some(&true))
        {
            sharing.push((group, vertex as u32));
        }
    }
    sharing.sort_unstable();
    for vertices in sharing.chunk_by(|(a, _), (b, _)| a == b) {
        let of = |vertex: u32| normals.get(vertex as usize).copied().map_or(Vec3::ZERO, Vec3::from_array);
        let sum: Vec3 = vertices.iter().map(|(_, vertex)| of(*vertex)).sum();
        for (_, vertex) in vertices {
            if let Some(normal) = normals.get_mut(*vertex as usize) {
                *normal = sum.to_array();
            }
        }
    }
}
