//! Primitives cut into pieces that a format can hold.

use std::collections::BTreeSet;

use crate::scene::{Mesh, Primitive, Scene, Topology};

/// What one piece of a primitive may have at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceLimit {
    /// Vertices; three are always allowed.
    Vertices(usize),
    /// Joints that its vertices hang on; as many as one triangle needs are always allowed.
    Joints(usize),
}

/// What cutting into pieces did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// Primitives that were cut.
    pub cut: usize,
    /// The pieces that they became.
    pub pieces: usize,
    /// Pieces that are over the limit, because a single triangle is.
    pub over: usize,
}

/// Cuts the primitives of triangles, lines and points that are over a limit into pieces within their meshes. What is
/// drawn stays the same. Strips and loops of lines stay as they are; [`super::lines_of_strips`] makes lines of them.
pub fn split(scene: &mut Scene, limit: PieceLimit) -> Split {
    let mut report = Split::default();
    for mesh in scene.meshes.values_mut() {
        split_mesh(mesh, limit, &mut report);
    }
    report
}

fn split_mesh(mesh: &mut Mesh, limit: PieceLimit, report: &mut Split) {
    let mut pieces = Vec::with_capacity(mesh.primitives.len());
    for primitive in std::mem::take(&mut mesh.primitives) {
        let whole = matches!(primitive.topology, Topology::LineStrip | Topology::LineLoop);
        if whole || fits(&primitive, limit) {
            pieces.push(primitive);
            continue;
        }
        let parts = match limit {
            PieceLimit::Vertices(limit) => split_by_vertex_limit(&primitive, limit),
            PieceLimit::Joints(limit) => split_by_joint_limit(&primitive, limit),
        };
        // A primitive that draws nothing has no pieces, and one piece is what it was.
        if parts.len() < 2 {
            report.over += parts.iter().filter(|part| !fits(part, limit)).count();
            pieces.push(primitive);
            continue;
        }
        report.cut += 1;
        report.pieces += parts.len();
        report.over += parts.iter().filter(|part| !fits(part, limit)).count();
        pieces.extend(parts);
    }
    mesh.primitives = pieces;
}

fn fits(primitive: &Primitive, limit: PieceLimit) -> bool {
    match limit {
        PieceLimit::Vertices(limit) => primitive.vertex_count() <= limit.max(3),
        PieceLimit::Joints(limit) => {
            let mut joints = BTreeSet::new();
            (0..primitive.vertex_count()).for_each(|vertex| joints.extend(joints_of(primitive, vertex)));
            joints.len() <= limit
        }
    }
}

fn joints_of(primitive: &Primitive, vertex: usize) -> impl Iterator<Item = u16> {
    let sets = primitive.joints.iter().zip(&primitive.weights);
    let pairs = sets.filter_map(move |(joints, weights)| Some((joints.get(vertex)?, weights.get(vertex)?)));
    pairs.flat_map(|(joints, weights)| {
        joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0).map(|(joint, _)| *joint)
    })
}

/// Indices of one triangle, line or point.
fn corners_of(topology: Topology) -> usize {
    match topology {
        Topology::Triangles => 3,
        Topology::Lines => 2,
        _ => 1,
    }
}

/// A piece that grows: which vertices it has, and its indices.
struct Piece {
    vertices: Vec<u32>,
    indices: Vec<u32>,
}

/// Where vertices are in the piece that grows at the moment.
struct Places {
    /// For each vertex the number of the piece that it was last put into, and its place there.
    last: Vec<(u32, u32)>,
}

impl Places {
    fn new(vertices: usize) -> Self {
        Self { last: vec![(u32::MAX, 0); vertices] }
    }

    fn has(&self, number: u32, vertex: u32) -> bool {
        self.last.get(vertex as usize).is_some_and(|(piece, _)| *piece == number)
    }

    fn put(&mut self, number: u32, piece: &mut Piece, vertex: u32) {
        if !self.has(number, vertex)
            && let Some(place) = self.last.get_mut(vertex as usize)
        {
            *place = (number, piece.vertices.len() as u32);
            piece.vertices.push(vertex);
        }
        piece.indices.extend(self.last.get(vertex as usize).map(|(_, place)| *place));
    }
}

/// Cuts a primitive of triangles, lines or points into pieces of at most `limit` vertices. Triangles stay in order;
/// vertices that no triangle uses are left out. A limit below three is taken as three.
pub fn split_by_vertex_limit(primitive: &Primitive, limit: usize) -> Vec<Primitive> {
    let limit = limit.max(3);
    let mut pieces = Vec::new();
    let mut places = Places::new(primitive.vertex_count());
    let mut piece = Piece { vertices: Vec::new(), indices: Vec::new() };
    for corners in primitive.indices.chunks_exact(corners_of(primitive.topology)) {
        let number = pieces.len() as u32;
        let is_new = |i: usize| !places.has(number, corners[i]) && !corners[..i].contains(&corners[i]);
        let new = (0..corners.len()).filter(|i| is_new(*i)).count();
        if piece.vertices.len() + new > limit {
            pieces.push(select(primitive, &piece.vertices, std::mem::take(&mut piece.indices)));
            piece.vertices.clear();
        }
        let number = pieces.len() as u32;
        corners.iter().for_each(|vertex| places.put(number, &mut piece, *vertex));
    }
    if !piece.indices.is_empty() {
        pieces.push(select(primitive, &piece.vertices, piece.indices));
    }
    pieces
}

/// Pieces that a triangle is tried in before a new one is begun.
const TRIED: usize = 32;

/// Cuts a primitive into pieces whose vertices hang on at most `limit` joints, for engines that move few bones at a
/// time. Each triangle goes to the first of the latest pieces that can take its joints; one that needs more than the
/// limit by itself has a piece of its own. Joints keep their numbers in the skin.
pub fn split_by_joint_limit(primitive: &Primitive, limit: usize) -> Vec<Primitive> {
    let mut pieces: Vec<(BTreeSet<u16>, Vec<u32>)> = Vec::new();
    for corners in primitive.indices.chunks_exact(corners_of(primitive.topology)) {
        let needed: BTreeSet<u16> =
            corners.iter().flat_map(|vertex| joints_of(primitive, *vertex as usize)).collect();
        let latest = pieces.len().saturating_sub(TRIED);
        let has_room = |(joints, _): &&mut (BTreeSet<u16>, Vec<u32>)| {
            let more = needed.difference(joints).count();
            more == 0 || joints.len() + more <= limit
        };
        match pieces.iter_mut().skip(latest).find(has_room) {
            Some((joints, indices)) => {
                joints.extend(&needed);
                indices.extend(corners);
            }
            None => pieces.push((needed, corners.to_vec())),
        }
    }
    pieces.into_iter().map(|(_, indices)| compact(primitive, indices)).collect()
}

/// The primitive with these indices and only the vertices that they use, in their old order.
pub fn compact(primitive: &Primitive, mut indices: Vec<u32>) -> Primitive {
    let mut places = vec![u32::MAX; primitive.vertex_count()];
    for index in &indices {
        if let Some(place) = places.get_mut(*index as usize) {
            *place = 0;
        }
    }
    let mut vertices = Vec::new();
    for (vertex, place) in places.iter_mut().enumerate().filter(|(_, place)| **place == 0) {
        *place = vertices.len() as u32;
        vertices.push(vertex as u32);
    }
    indices.iter_mut().for_each(|index| *index = places.get(*index as usize).copied().unwrap_or(0));
    select(primitive, &vertices, indices)
}

/// The primitive with only some of its vertices, in the order given, and the indices given.
pub fn select(primitive: &Primitive, vertices: &[u32], indices: Vec<u32>) -> Primitive {
    let mut selected = Primitive { indices, ..primitive.without_vertices() };
    for ((_, from), (_, mut to)) in primitive.streams().iter().zip(selected.streams_mut()) {
        to.pick(from, vertices);
    }
    selected
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_keep_the_triangles_and_the_limit() {
        let positions: Vec<[f32; 3]> = (0..100).map(|i| [i as f32, 0.0, 0.0]).collect();
        let indices: Vec<u32> = (0..98).flat_map(|i| [i, i + 1, i + 2]).collect();
        let whole = Primitive { positions, indices, ..Primitive::default() };
        let corners =
            |p: &Primitive| -> Vec<f32> { p.indices.iter().map(|i| p.positions[*i as usize][0]).collect() };
        for limit in [3, 4, 10, 99, 100] {
            let pieces = split_by_vertex_limit(&whole, limit);
            assert!(pieces.iter().all(|piece| piece.positions.len() <= limit));
            let all: Vec<f32> = pieces.iter().flat_map(&corners).collect();
            assert_eq!(all, corners(&whole), "limit {limit}");
        }
    }

    #[test]
    fn pieces_keep_the_joint_limit_where_triangles_do() {
        let positions: Vec<[f32; 3]> = (0..90).map(|i| [i as f32, 0.0, 0.0]).collect();
        // Each triangle hangs on one joint, and the joints take turns.
        let joints = (0..90u16).map(|i| [i / 3 % 10, 0, 0, 0]).collect();
        let weights = vec![vec![[1.0, 0.0, 0.0, 0.0]; 90]];
        let whole = Primitive {
            positions,
            indices: (0..90).collect(),
            joints: vec![joints],
            weights,
            ..Primitive::default()
        };
        for (limit, expected) in [(1, 10), (4, 3), (5, 2), (10, 1)] {
            let pieces = split_by_joint_limit(&whole, limit);
            assert_eq!(pieces.len(), expected, "limit {limit}");
            assert!(pieces.iter().all(|piece| fits(piece, PieceLimit::Joints(limit))));
            let triangles: usize = pieces.iter().map(|piece| piece.triangles().len()).sum();
            assert_eq!(triangles, 30);
        }
        let mut scene = Scene::default();
        scene.meshes.push(Mesh { primitives: vec![whole], ..Mesh::default() });
        assert_eq!(split(&mut scene, PieceLimit::Joints(5)), Split { cut: 1, pieces: 2, over: 0 });
        assert_eq!(split(&mut scene, PieceLimit::Joints(5)), Split::default());
        crate::scene::assert_scene(&scene);
    }
}
