use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use crate::scene::{MeshId, Node, NodeId, Pose, Primitive, Scene, Topology};

/// What is drawn at a time: a triangle, a line or a point of one node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    /// Which part of [`Elements::parts`].
    pub(super) part: usize,
    /// The vertices: three for a triangle, the last two or one repeated for a line or point.
    pub(super) corners: [u32; 3],
    /// 3, 2 or 1.
    pub(super) count: u8,
    /// Which of the node's elements it is.
    pub(super) ordinal: usize,
}

/// One primitive where one node shows it.
pub(super) struct Part<'a> {
    pub(super) node: NodeId,
    pub(super) primitive: &'a Primitive,
    /// Where the vertices are compared: in the world at rest, or in the node's own space.
    pub(super) positions: Vec<Vec3>,
    /// Normals and tangents in the same space; empty when there are none.
    pub(super) normals: Vec<Vec3>,
    pub(super) tangents: Vec<Vec3>,
    /// Whether the node shows it mirrored.
    pub(super) mirrored: bool,
}

/// All elements of some nodes.
#[derive(Default)]
pub(super) struct Elements<'a> {
    pub(super) parts: Vec<Part<'a>>,
    pub(super) list: Vec<Element>,
}

impl<'a> Elements<'a> {
    /// Adds what a node draws, placed in the world or in the node's own space.
    pub(super) fn add(&mut self, scene: &'a Scene, pose: &Pose, id: NodeId, in_world: bool) {
        let node: &Node = &scene.nodes[id];
        let Some(mesh): Option<MeshId> = node.mesh else { return };
        let start = self.list.len();
        // What is mirrored shows the other side of its triangles, so they go round the other way.
        let mirrored = pose.is_mirrored(scene, id);
        for primitive in &scene.meshes[mesh].primitives {
            let positions = match in_world {
                true => pose.positions(scene, id, primitive),
                false => pose.morphed(id, primitive),
            };
            let tangents: Vec<Vec3> =
                primitive.tangents.iter().map(|[x, y, z, _]| Vec3::new(*x, *y, *z)).collect();
            let (normals, tangents) = match in_world {
                true => (pose.normals(scene, id, primitive), pose.along(scene, id, primitive, &tangents)),
                false => (primitive.normals.iter().copied().map(Vec3::from_array).collect(), tangents),
            };
            let part = self.parts.len();
            self.parts.push(Part {
                node: id,
                primitive,
                positions,
                normals,
                tangents,
                mirrored: mirrored && in_world,
            });
            for (corners, count) in elements(primitive) {
                let ordinal = self.list.len() - start;
                let corners = match (corners, mirrored) {
                    ([a, b, c], true) if count == 3 => [a, c, b],
                    _ => corners,
                };
                self.list.push(Element { part, corners, count, ordinal });
            }
        }
    }

    /// Some elements by the nodes that draw them.
    pub(super) fn by_node(&self, list: &[usize]) -> BTreeMap<NodeId, BTreeSet<usize>> {
        let mut nodes: BTreeMap<NodeId, BTreeSet<usize>> = BTreeMap::new();
        for element in list.iter().map(|i| &self.list[*i]) {
            nodes.entry(self.parts[element.part].node).or_default().insert(element.ordinal);
        }
        nodes
    }

    pub(super) fn corner(&self, element: &Element, corner: usize) -> Vec3 {
        self.parts[element.part].positions[element.corners[corner] as usize]
    }

    fn centre(&self, element: &Element) -> Vec3 {
        (self.corner(element, 0) + self.corner(element, 1) + self.corner(element, 2)) / 3.0
    }
}

/// The elements that the indices of a primitive draw.
fn elements(primitive: &Primitive) -> Box<dyn Iterator<Item = ([u32; 3], u8)> + '_> {
    let indices = &primitive.indices;
    let line = |a: u32, b: u32| ([a, b, b], 2);
    match primitive.topology {
        Topology::Triangles => Box::new(primitive.triangles().iter().map(|triangle| (*triangle, 3))),
        Topology::Points => Box::new(indices.iter().map(|i| ([*i; 3], 1))),
        Topology::Lines => Box::new(indices.chunks_exact(2).map(move |pair| line(pair[0], pair[1]))),
        Topology::LineStrip => Box::new(indices.windows(2).map(move |pair| line(pair[0], pair[1]))),
        Topology::LineLoop => {
            let next = indices.iter().cycle().skip(1);
            Box::new(indices.iter().zip(next).map(move |(a, b)| line(*a, *b)))
        }
    }
}

/// Two elements that are the same one, and by how many corners the second is turned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Same {
    pub(super) a: usize,
    pub(super) b: usize,
    pub(super) turn: usize,
    /// Whether the second goes round the other way.
    pub(super) flipped: bool,
}

impl Same {
    /// The corner of the second element that is the first's `corner`.
    pub(super) fn corner(&self, corner: usize) -> usize {
        if self.flipped { (self.turn + 3 - corner) % 3 } else { (self.turn + corner) % 3 }
    }
}

/// The pairs that were found, and what is left on both sides.
#[derive(Default)]
pub(super) struct Pairing {
    pub(super) same: Vec<Same>,
    pub(super) left_a: Vec<usize>,
    pub(super) left_b: Vec<usize>,
}

/// Matches elements that are in the same place: in order first, then wherever they are in the list.
pub(super) fn match_in_place(a: &Elements<'_>, b: &Elements<'_>, tolerance: f32) -> Pairing {
    let mut pairing = Pairing::default();
    for i in 0..a.list.len().max(b.list.len()) {
        match (a.list.get(i), b.list.get(i)) {
            (Some(_), Some(_)) => match aligned(a, i, b, i, tolerance, false) {
                Some(same) if !same.flipped && same.turn == 0 => pairing.same.push(same),
                _ => {
                    pairing.left_a.push(i);
                    pairing.left_b.push(i);
                }
            },
            (Some(_), None) => pairing.left_a.push(i),
            (None, Some(_)) => pairing.left_b.push(i),
            (None, None) => {}
        }
    }
    rematch(a, b, &mut pairing, tolerance, false);
    rematch(a, b, &mut pairing, tolerance, true);
    pairing
}

/// Matches what is left by place, wherever it is in the lists; once the same way round, once flipped.
pub(super) fn rematch(
    a: &Elements<'_>,
    b: &Elements<'_>,
    pairing: &mut Pairing,
    tolerance: f32,
    flipped: bool,
) {
    if pairing.left_a.is_empty() || pairing.left_b.is_empty() {
        return;
    }
    let cell = (tolerance * 4.0).max(1e-9);
    let key = |p: Vec3| (p / cell).floor().as_i64vec3().to_array();
    let mut grid: BTreeMap<[i64; 3], Vec<usize>> = BTreeMap::new();
    for &i in &pairing.left_b {
        grid.entry(key(b.centre(&b.list[i]))).or_default().push(i);
    }
    let mut left = Vec::new();
    for &i in &pairing.left_a {
        let centre = a.centre(&a.list[i]);
        // The centre of the same element may have fallen into a neighbouring cell.
        let mut found = None;
        'cells: for dx in [-1.0, 1.0] {
            for dy in [-1.0, 1.0] {
                for dz in [-1.0, 1.0] {
                    let near = key(centre + Vec3::new(dx, dy, dz) * tolerance);
                    let Some(list) = grid.get_mut(&near) else { continue };
                    let hit = list.iter().enumerate().find_map(|(at, &j)| {
                        let same = aligned(a, i, b, j, tolerance, flipped)?;
                        (same.flipped == flipped).then_some((at, same))
                    });
                    if let Some((at, same)) = hit {
                        list.remove(at);
                        found = Some(same);
                        break 'cells;
                    }
                }
            }
        }
        match found {
            Some(same) => pairing.same.push(same),
            None => left.push(i),
        }
    }
    pairing.left_a = left;
    let mut left_b: Vec<usize> = grid.into_values().flatten().collect();
    left_b.sort_unstable();
    pairing.left_b = left_b;
}

/// Whether two elements have their corners in the same places, and how they are turned.
fn aligned(
    a: &Elements<'_>,
    i: usize,
    b: &Elements<'_>,
    j: usize,
    tolerance: f32,
    flip: bool,
) -> Option<Same> {
    let (one, other) = (&a.list[i], &b.list[j]);
    if one.count != other.count {
        return None;
    }
    best_turn(a, i, b, j, flip).filter(|(_, error)| *error <= tolerance).map(|(same, _)| same)
}

/// How the second element must be turned to lie nearest to the first, and how far apart the corners then are.
pub(super) fn best_turn(
    a: &Elements<'_>,
    i: usize,
    b: &Elements<'_>,
    j: usize,
    flip: bool,
) -> Option<(Same, f32)> {
    let (one, other) = (&a.list[i], &b.list[j]);
    let turns = if one.count == 3 { 3 } else { 1 };
    let ways = if flip && one.count == 3 { &[false, true][..] } else { &[false][..] };
    let candidates = ways.iter().flat_map(|flipped| (0..turns).map(move |turn| (turn, *flipped)));
    candidates
        .map(|(turn, flipped)| {
            let same = Same { a: i, b: j, turn, flipped };
            let apart = |c: usize| a.corner(one, c).distance(b.corner(other, same.corner(c)));
            (same, (0..3).map(apart).fold(0.0, f32::max))
        })
        .min_by(|(_, x), (_, y)| x.total_cmp(y))
}

/// Matches what is left: in order or with what is nearest, whichever moves elements less. What finds none stays.
pub(super) fn match_nearest(a: &Elements<'_>, b: &Elements<'_>, pairing: &mut Pairing) -> Vec<Same> {
    let nearest = nearest(a, b, pairing);
    let in_order: Vec<(f32, Same)> = pairing
        .left_a
        .iter()
        .zip(&pairing.left_b)
        .filter(|(i, j)| a.list[**i].count == b.list[**j].count)
        .filter_map(|(i, j)| best_turn(a, *i, b, *j, false).map(|(same, error)| (error, same)))
        .collect();
    let worst = |list: &[(f32, Same)]| list.iter().map(|(error, _)| *error).fold(0.0, f32::max);
    let better = in_order.len() >= nearest.len() && worst(&in_order) <= worst(&nearest);
    let chosen = if better { in_order } else { nearest };
    let mut found: Vec<Same> = chosen.into_iter().map(|(_, same)| same).collect();
    found.sort_by_key(|same| same.a);
    let taken_a: BTreeSet<usize> = found.iter().map(|same| same.a).collect();
    let taken_b: BTreeSet<usize> = found.iter().map(|same| same.b).collect();
    pairing.left_a.retain(|i| !taken_a.contains(i));
    pairing.left_b.retain(|i| !taken_b.contains(i));
    found
}

/// Pairs of elements near each other, the nearest pairs first.
fn nearest(a: &Elements<'_>, b: &Elements<'_>, pairing: &Pairing) -> Vec<(f32, Same)> {
    /// Elements looked at for one: enough to find the right one among neighbours.
    const LOOK: usize = 24;
    let mut by_x: Vec<(f32, usize)> = pairing.left_b.iter().map(|&i| (b.centre(&b.list[i]).x, i)).collect();
    by_x.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut candidates = Vec::new();
    for &i in &pairing.left_a {
        let x = a.centre(&a.list[i]).x;
        let at = by_x.partition_point(|(other, _)| *other < x);
        for &(_, j) in &by_x[at.saturating_sub(LOOK)..(at + LOOK).min(by_x.len())] {
            if a.list[i].count == b.list[j].count
                && let Some((same, error)) = best_turn(a, i, b, j, false)
            {
                candidates.push((error, same));
            }
        }
    }
    candidates.sort_by(|(x, one), (y, other)| x.total_cmp(y).then((one.a, one.b).cmp(&(other.a, other.b))));
    let mut taken = (vec![false; a.list.len()], vec![false; b.list.len()]);
    candidates.retain(|(_, same)| {
        let free = !taken.0[same.a] && !taken.1[same.b];
        if free {
            taken.0[same.a] = true;
            taken.1[same.b] = true;
        }
        free
    });
    candidates
}
