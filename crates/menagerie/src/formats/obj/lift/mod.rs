//! A Scene of what was gathered, with as little memory as can be: the lists of the file become those of the Scene where
//! that is possible, and are let go as soon as nothing needs them any more. So one kind of list is made for all parts,
//! before the next: texture coordinates, normals, positions, and indices at last.

pub(super) mod made_normals;
pub(super) mod materials;

use std::collections::BTreeMap;

use crate::bytes::{decode_text, push_tight, utf8_or_windows_1252};
use crate::diag::{Aspect, Issues};
use crate::formats::flat::show_all;
use crate::formats::obj::gather::indices::Indices;
use crate::formats::obj::gather::weld::{Numbers, Vertices};
use crate::formats::obj::gather::{Gathered, Key, Part, is_past};
use crate::formats::obj::notes::{GROUP, NodeNote, Note as _, PrimitiveNote};
use crate::formats::obj::parse::Counts;
use crate::scene::{MaterialId, Mesh, Node, Primitive, Scene, Topology};

/// Adds nodes and meshes to a Scene that has the materials already.
pub(super) fn add(mut gathered: Gathered, materials: &[MaterialId], scene: &mut Scene, issues: &mut Issues) {
    let mut parts = std::mem::take(&mut gathered.parts);
    if parts.is_empty() && !gathered.positions.is_empty() {
        parts.push(only_points(gathered.positions.len()));
    }
    let known = Counts {
        positions: gathered.positions.len(),
        uvs: gathered.uvs.len(),
        normals: gathered.normals.len(),
    };
    let past = is_past(gathered.largest, known);
    if past {
        for part in &mut parts {
            leave_out_lost(part, &gathered.vertices, known.positions, issues);
        }
    }
    parts.retain(|part| !part.indices.is_empty());
    let keys: Vec<Key> = parts.iter().map(|part| part.key).collect();
    let primitives = match parts.len() {
        1 if gathered.vertices.positions.is_none() && !past => {
            parts.into_iter().map(|part| take_all(part, &mut gathered)).collect()
        }
        1 if !past => pick_all(parts.into_iter().map(Chosen::all(&gathered)).collect(), &mut gathered),
        _ => pick_all(choose(parts, &gathered), &mut gathered),
    };
    let mut built = Vec::with_capacity(keys.len());
    for (key, mut primitive) in keys.into_iter().zip(primitives) {
        primitive.topology = key.topology;
        primitive.material = key.material.and_then(|material| materials.get(material)).copied();
        built.push((key, primitive));
    }
    nodes(&gathered, built, scene);
}

fn only_points(count: usize) -> Part {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    Part {
        key: Key { object: None, group: None, material: None, topology: Topology::Points },
        indices: (0..count).collect(),
    }
}

/// Leaves out the elements with a vertex whose position does not exist.
fn leave_out_lost(part: &mut Part, vertices: &Vertices, positions: usize, issues: &mut Issues) {
    let (per, what) = match part.key.topology {
        Topology::Triangles => (3, "triangles"),
        Topology::Points => (1, "points"),
        _ => (2, "lines"),
    };
    let all = part.indices.len() / per;
    let exists = |vertex: &u32| (1..=positions).contains(&(vertices.position(*vertex as usize) as usize));
    let mut kept = Indices::default();
    let mut element = Vec::with_capacity(per);
    std::mem::take(&mut part.indices).for_each(|index| {
        element.push(index);
        if element.len() == per {
            if element.iter().all(exists) {
                element.iter().for_each(|index| kept.push(*index));
            }
            element.clear();
        }
    });
    part.indices = kept;
    issues.give_up(Aspect::Topology, what, "lines", (all - part.indices.len() / per, all));
}

/// The lists of the file are those of the part.
fn take_all(part: Part, gathered: &mut Gathered) -> Primitive {
    let mut primitive =
        Primitive { positions: std::mem::take(&mut gathered.positions), ..Primitive::default() };
    let count = primitive.positions.len();
    if gathered.vertices.uvs == Numbers::AsPosition {
        let mut list = std::mem::take(&mut gathered.uvs);
        list.reserve_exact(count.saturating_sub(list.len()));
        list.resize(count, [0.0; 2]);
        list.shrink_to_fit();
        primitive.uvs.push(list);
    }
    if gathered.vertices.normals == Numbers::AsPosition {
        let mut list = std::mem::take(&mut gathered.normals);
        list.reserve_exact(count.saturating_sub(list.len()));
        list.resize(count, [0.0, 1.0, 0.0]);
        list.shrink_to_fit();
        primitive.normals = list;
    }
    if !gathered.colors.is_empty() {
        primitive.colors.push(std::mem::take(&mut gathered.colors));
    }
    gathered.uvs = Vec::new();
    gathered.normals = Vec::new();
    primitive.indices = part.indices.into_vec();
    primitive
}

/// A part and the vertices that it has.
struct Chosen {
    topology: Topology,
    indices: Indices,
    /// Which vertices of the file they are; `None` for all in their order.
    own: Option<Vec<u32>>,
    count: usize,
}

impl Chosen {
    fn all(gathered: &Gathered) -> impl Fn(Part) -> Self {
        let count = gathered.vertices.positions.as_ref().map_or(gathered.positions.len(), Vec::len);
        move |part| Self { topology: part.key.topology, indices: part.indices, own: None, count }
    }

    /// The vertex of the file that one of its own is.
    #[inline]
    fn vertex(&self, own: usize) -> usize {
        match &self.own {
            None => own,
            Some(list) => list.get(own).copied().unwrap_or(0) as usize,
        }
    }

    /// A list for its vertices, by the number that each has of what is in `list`.
    fn pick<T: Copy + Send + Sync>(
        &self,
        number: impl Fn(usize) -> u32 + Sync,
        list: &[T],
        default: T,
    ) -> Vec<T> {
        let pick = |own: usize| {
            let number = number(self.vertex(own)) as usize;
            number.checked_sub(1).and_then(|i| list.get(i)).copied().unwrap_or(default)
        };
        collect(self.count, pick)
    }

    fn any(&self, is: impl Fn(usize) -> bool) -> bool {
        (0..self.count).any(|own| is(self.vertex(own)))
    }
}

#[cfg(feature = "parallel")]
fn collect<T: Send>(count: usize, make: impl Fn(usize) -> T + Sync) -> Vec<T> {
    use rayon::prelude::*;
    (0..count).into_par_iter().with_min_len(1 << 14).map(&make).collect()
}

#[cfg(not(feature = "parallel"))]
fn collect<T: Send>(count: usize, make: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut list = Vec::with_capacity(count);
    list.extend((0..count).map(make));
    list
}

/// Gives each part vertices of its own, numbered as it uses them first, or as in the file where the vertices are its
/// positions.
fn choose(parts: Vec<Part>, gathered: &Gathered) -> Vec<Chosen> {
    let vertices = &gathered.vertices;
    let in_order = vertices.positions.is_none();
    let count = vertices.positions.as_ref().map_or(gathered.positions.len(), Vec::len);
    // For each vertex of the file that of the part, plus one.
    let mut places = vec![0u32; count];
    let mut chosen = Vec::with_capacity(parts.len());
    for part in parts {
        let mut indices = part.indices;
        let mut own: Vec<u32> = Vec::new();
        indices.for_each_ref(|index| {
            if let Some(place @ 0) = places.get_mut(index as usize) {
                push_tight(&mut own, index);
                *place = own.len() as u32;
            }
        });
        own.shrink_to_fit();
        if in_order {
            own.sort_unstable();
            for (place, index) in (1..).zip(&own) {
                if let Some(slot) = places.get_mut(*index as usize) {
                    *slot = place;
                }
            }
        }
        let place = |index: u32| places.get(index as usize).copied().unwrap_or(1).saturating_sub(1);
        indices.map(place);
        for index in &own {
            if let Some(place) = places.get_mut(*index as usize) {
                *place = 0;
            }
        }
        let count = own.len();
        chosen.push(Chosen { topology: part.key.topology, indices, own: Some(own), count });
    }
    chosen
}

/// The lists of all parts from those of the file.
fn pick_all(chosen: Vec<Chosen>, gathered: &mut Gathered) -> Vec<Primitive> {
    let mut primitives: Vec<Primitive> = chosen.iter().map(|_| Primitive::default()).collect();
    let vertices = &mut gathered.vertices;
    let uvs = std::mem::take(&mut gathered.uvs);
    for (primitive, part) in primitives.iter_mut().zip(&chosen) {
        if part.any(|vertex| (1..=uvs.len()).contains(&(vertices.uv(vertex) as usize))) {
            primitive.uvs.push(part.pick(|vertex| vertices.uv(vertex), &uvs, [0.0; 2]));
        }
    }
    drop(uvs);
    vertices.uvs = Numbers::None;
    let normals = std::mem::take(&mut gathered.normals);
    let exists = |number: u32| (1..=normals.len()).contains(&(number as usize));
    let mut makes = vec![false; chosen.len()];
    for ((primitive, part), makes) in primitives.iter_mut().zip(&chosen).zip(&mut makes) {
        let has = |number: u32| exists(number) || made_normals::is_smoothed(number);
        if part.any(|vertex| has(vertices.normal(vertex))) {
            // Those that are not there yet have no length.
            primitive.normals = part.pick(|vertex| vertices.normal(vertex), &normals, [0.0; 3]);
            *makes = part.any(|vertex| !exists(vertices.normal(vertex)));
        }
    }
    let given = normals.len();
    drop(normals);
    if !makes.contains(&true) {
        vertices.normals = Numbers::None;
    }
    let positions = std::mem::take(&mut gathered.positions);
    for (primitive, part) in primitives.iter_mut().zip(&chosen) {
        primitive.positions = part.pick(|vertex| vertices.position(vertex), &positions, [0.0; 3]);
    }
    drop(positions);
    let colors = std::mem::take(&mut gathered.colors);
    for (primitive, part) in primitives.iter_mut().zip(&chosen).filter(|_| !colors.is_empty()) {
        primitive.colors.push(part.pick(|vertex| vertices.position(vertex), &colors, [1.0; 4]));
    }
    drop(colors);
    if !makes.contains(&true) {
        gathered.vertices = Vertices::default();
    }
    for ((primitive, mut part), makes) in primitives.iter_mut().zip(chosen).zip(makes) {
        primitive.topology = part.topology;
        primitive.indices = std::mem::take(&mut part.indices).into_vec();
        if makes {
            let of = |own: usize| {
                let vertex = part.vertex(own);
                [gathered.vertices.position(vertex), gathered.vertices.normal(vertex)]
            };
            made_normals::add(primitive, of, given, gathered.smooths);
        }
    }
    primitives
}

/// A node for each object, or for each group where there are no objects.
fn nodes(gathered: &Gathered, built: Vec<(Key, Primitive)>, scene: &mut Scene) {
    let by_group = gathered.objects.is_empty();
    let mut places: BTreeMap<Option<usize>, usize> = BTreeMap::new();
    let mut meshes: Vec<(Option<usize>, Vec<Primitive>)> = Vec::new();
    for (key, mut primitive) in built {
        let owner = if by_group { key.group } else { key.object };
        if let (false, Some(group)) = (by_group, key.group.and_then(|group| gathered.groups.get(group))) {
            let group = utf8_or_windows_1252(group);
            PrimitiveNote { group: Some(group) }.keep(&mut primitive.extras);
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
        let note = NodeNote {
            name_bytes: (!utf8).then(|| raw.to_vec()),
            kind: (by_group && owner.is_some()).then(|| GROUP.to_owned()),
        };
        note.keep(&mut node.extras);
        scene.nodes.push(node);
    }
    show_all(scene);
}
