//! A Scene of what was gathered, with as little memory as can be: the lists of the file become those of the Scene where
//! that is possible, and are let go as soon as nothing needs them any more.

use std::collections::BTreeMap;

use glam::Vec3;

use super::FORMAT;
use super::gather::{Gathered, Key, Part, SMOOTHED, is_past};
use super::parse::{Corner, Counts};
use super::weld::Weld;
use crate::bytes::{decode_text, utf8_or_windows_1252};
use crate::formats::flat::show_all;
use crate::ops::{face_normal, smooth_normals};
use crate::scene::{MaterialId, Mesh, Node, Primitive, Scene, Topology};

/// Adds nodes and meshes to a Scene that has the materials already.
pub(super) fn add(mut gathered: Gathered, materials: &[MaterialId], scene: &mut Scene) {
    let mut parts = std::mem::take(&mut gathered.parts);
    if parts.is_empty() && !gathered.positions.is_empty() {
        parts.push(only_points(gathered.positions.len()));
    }
    let only = parts.len() == 1;
    // For each part, the largest numbers of those before it.
    let mut before = Vec::with_capacity(parts.len());
    let mut largest = [0u32; 3];
    for part in &parts {
        before.push(largest);
        largest = std::array::from_fn(|i| {
            largest.get(i).copied().unwrap_or(0).max(part.largest.get(i).copied().unwrap_or(0))
        });
    }
    let mut built: Vec<(Key, Primitive)> = Vec::with_capacity(parts.len());
    while let (Some(part), Some(needed)) = (parts.pop(), before.pop()) {
        let key = part.key;
        let last = parts.is_empty();
        let mut primitive = primitive(part, &mut gathered, last, only);
        primitive.topology = key.topology;
        primitive.material = key.material.and_then(|material| materials.get(material)).copied();
        if !primitive.indices.is_empty() {
            built.push((key, primitive));
        }
        let_go(&mut gathered, needed);
    }
    built.reverse();
    nodes(&gathered, built, scene);
}

fn only_points(count: usize) -> Part {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    Part {
        key: Key { object: None, group: None, material: None, topology: Topology::Points },
        weld: Weld::Alike { uvs: false, normals: false },
        indices: (0..count).collect(),
        largest: [count, 0, 0],
    }
}

/// Shortens the lists to what the parts that are left need.
fn let_go(gathered: &mut Gathered, needed: Corner) {
    fn cut<T>(list: &mut Vec<T>, needed: u32) {
        list.truncate(needed as usize);
        if list.capacity() - list.len() > list.capacity() / 8 {
            list.shrink_to_fit();
        }
    }
    let [v, t, n] = needed;
    cut(&mut gathered.positions, v);
    cut(&mut gathered.colors, v);
    cut(&mut gathered.uvs, t);
    cut(&mut gathered.normals, n);
}

fn primitive(mut part: Part, gathered: &mut Gathered, last: bool, only: bool) -> Primitive {
    let known = Counts {
        positions: gathered.positions.len(),
        uvs: gathered.uvs.len(),
        normals: gathered.normals.len(),
    };
    if is_past(part.largest, known) {
        repair(&mut part, known);
    }
    let whole = last && (only || gathered.positions.len() <= part.indices.len());
    if let (Weld::Alike { uvs, normals }, true) = (&part.weld, whole) {
        return take_all(part.indices, gathered, *uvs, *normals);
    }
    if let Weld::Alike { .. } = part.weld
        && is_dense(&part.indices)
    {
        renumber(&mut part);
    }
    let vertices = std::mem::take(&mut part.weld.table(&mut part.indices).vertices);
    drop(part.weld);
    from_table(vertices, part.indices, gathered, last)
}

/// Leaves out what does not exist.
fn repair(part: &mut Part, known: Counts) {
    let table = part.weld.table(&mut part.indices);
    let lost: Vec<bool> = table.vertices.iter().map(|corner| corner[0] as usize > known.positions).collect();
    for corner in &mut table.vertices {
        let [v, t, n] = *corner;
        let t = if t as usize > known.uvs { 0 } else { t };
        let n = if n & SMOOTHED == 0 && n as usize > known.normals { 0 } else { n };
        *corner = [v, t, n];
    }
    let per = match part.key.topology {
        Topology::Triangles => 3,
        Topology::Points => 1,
        _ => 2,
    };
    let is_whole = |element: &[u32]| !element.iter().any(|i| lost.get(*i as usize).copied().unwrap_or(true));
    part.indices = part.indices.chunks(per).filter(|element| is_whole(element)).flatten().copied().collect();
}

/// The lists of the file are those of the part.
fn take_all(indices: Vec<u32>, gathered: &mut Gathered, uvs: bool, normals: bool) -> Primitive {
    let mut primitive =
        Primitive { indices, positions: std::mem::take(&mut gathered.positions), ..Primitive::default() };
    let count = primitive.positions.len();
    if uvs {
        let mut list = std::mem::take(&mut gathered.uvs);
        list.resize(count, [0.0; 2]);
        primitive.uvs.push(list);
    }
    if normals {
        let mut list = std::mem::take(&mut gathered.normals);
        list.resize(count, [0.0, 1.0, 0.0]);
        primitive.normals = list;
    }
    if !gathered.colors.is_empty() {
        primitive.colors.push(std::mem::take(&mut gathered.colors));
    }
    primitive
}

/// Whether the vertices of a part are so close together in the file that a list of all between them is not too long.
fn is_dense(indices: &[u32]) -> bool {
    let (low, high) = range(indices);
    (high.saturating_sub(low) as usize) < indices.len().saturating_mul(8).saturating_add(64)
}

fn range(indices: &[u32]) -> (u32, u32) {
    indices.iter().fold((u32::MAX, 0), |(low, high), i| (low.min(*i), high.max(*i)))
}

/// Makes a table of the vertices that are used, in the order of the file.
fn renumber(part: &mut Part) {
    let Weld::Alike { uvs, normals } = part.weld else { return };
    let (low, high) = range(&part.indices);
    let mut used = vec![false; (high.saturating_sub(low) as usize).saturating_add(1)];
    for index in &part.indices {
        if let Some(used) = used.get_mut((index - low) as usize) {
            *used = true;
        }
    }
    let mut ordered: Vec<u32> =
        used.iter().enumerate().filter(|(_, used)| **used).map(|(i, _)| low + i as u32).collect();
    part.weld = Weld::Alike { uvs, normals };
    // The table numbers its vertices by their first use.
    part.weld.table(&mut ordered);
    let Weld::Table(table) = &mut part.weld else { return };
    for index in &mut part.indices {
        let v = *index + 1;
        *index = table.vertex([v, if uvs { v } else { 0 }, if normals { v } else { 0 }]);
    }
}

/// The lists of a part from those of the file.
fn from_table(vertices: Vec<Corner>, indices: Vec<u32>, gathered: &mut Gathered, last: bool) -> Primitive {
    fn pick<T: Copy>(vertices: &[Corner], of: usize, list: &[T], default: T) -> Vec<T> {
        let mut picked = Vec::with_capacity(vertices.len());
        picked.extend(vertices.iter().map(|corner| {
            let number = corner.get(of).copied().unwrap_or(0) as usize;
            number.checked_sub(1).and_then(|i| list.get(i)).copied().unwrap_or(default)
        }));
        picked
    }
    let mut primitive = Primitive { indices, ..Primitive::default() };
    primitive.positions = pick(&vertices, 0, &gathered.positions, [0.0; 3]);
    if !gathered.colors.is_empty() {
        primitive.colors.push(pick(&vertices, 0, &gathered.colors, [1.0; 4]));
    }
    if last {
        gathered.positions = Vec::new();
        gathered.colors = Vec::new();
    }
    if vertices.iter().any(|corner| corner[1] != 0) {
        primitive.uvs.push(pick(&vertices, 1, &gathered.uvs, [0.0; 2]));
    }
    if last {
        gathered.uvs = Vec::new();
    }
    if vertices.iter().any(|corner| corner[2] != 0) {
        primitive.normals = pick(&vertices, 2, &gathered.normals, [0.0; 3]);
        make_normals(&mut primitive, &vertices);
    }
    primitive
}

/// Normals for the vertices that have none: those of a smoothing group share theirs wherever they are in one place.
fn make_normals(primitive: &mut Primitive, vertices: &[Corner]) {
    let is_made = |corner: &Corner| corner[2] == 0 || corner[2] & SMOOTHED != 0;
    if !vertices.iter().any(is_made) {
        return;
    }
    let mut sums = vec![Vec3::ZERO; vertices.len()];
    for triangle in primitive.triangles() {
        let normal = face_normal(&primitive.positions, *triangle);
        for corner in triangle {
            if let Some(sum) = sums.get_mut(*corner as usize) {
                *sum += normal;
            }
        }
    }
    let mut smoothed: BTreeMap<(u32, u32), Vec3> = BTreeMap::new();
    for (corner, sum) in vertices.iter().zip(&sums).filter(|(corner, _)| corner[2] & SMOOTHED != 0) {
        *smoothed.entry((corner[0], corner[2])).or_default() += *sum;
    }
    let made = smooth_normals(primitive);
    for ((normal, corner), own) in primitive.normals.iter_mut().zip(vertices).zip(made) {
        if is_made(corner) {
            let shared =
                smoothed.get(&(corner[0], corner[2])).and_then(|sum| crate::scene::unit_vector(*sum));
            *normal = shared.map_or(own, |unit| unit.to_array());
        }
    }
}

/// A node for each object, or for each group where there are no objects.
fn nodes(gathered: &Gathered, built: Vec<(Key, Primitive)>, scene: &mut Scene) {
    let by_group = gathered.objects.is_empty();
    let mut places: BTreeMap<Option<usize>, usize> = BTreeMap::new();
    let mut meshes: Vec<(Option<usize>, Vec<Primitive>)> = Vec::new();
    for (key, mut primitive) in built {
        let owner = if by_group { key.group } else { key.object };
        if let (false, Some(group)) = (by_group, key.group.and_then(|group| gathered.groups.get(group))) {
            primitive.extras.set(FORMAT.id, "group", utf8_or_windows_1252(group));
        }
        let place = *places.entry(owner).or_insert_with(|| {
            meshes.push((owner, Vec::new()));
            meshes.len() - 1
        });
        if let Some((_, primitives)) = meshes.get_mut(place) {
            primitives.push(primitive);
        }
    }
    for (owner, primitives) in meshes {
        let names = if by_group { &gathered.groups } else { &gathered.objects };
        let raw = owner.and_then(|owner| names.get(owner)).map(Vec::as_slice).unwrap_or_default();
        let (name, utf8) = decode_text(raw);
        let mesh = scene.meshes.push(Mesh { primitives, ..Mesh::default() });
        let mut node = Node { name, mesh: Some(mesh), ..Node::default() };
        if !utf8 {
            node.extras.set(FORMAT.id, "name_bytes", raw.to_vec());
        }
        if by_group && owner.is_some() {
            node.extras.set(FORMAT.id, "kind", "group");
        }
        scene.nodes.push(node);
    }
    show_all(scene);
}
