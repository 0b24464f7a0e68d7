use std::collections::BTreeMap;

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
}

/// One primitive where one node shows it.
pub(super) struct Part<'a> {
    pub(super) node: NodeId,
    pub(super) primitive: &'a Primitive,
    /// Where the vertices are compared: in the world at rest, or in the node's own space.
    pub(super) positions: Vec<Vec3>,
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
        for primitive in &scene.meshes[mesh].primitives {
            let positions = match in_world {
                true => pose.positions(scene, id, primitive),
                false => pose.morphed(id, primitive),
            };
            let part = self.parts.len();
            self.parts.push(Part { node: id, primitive, positions });
            self.list.extend(elements(primitive).map(|(corners, count)| Element { part, corners, count }));
        }
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
fn rematch(a: &Elements<'_>, b: &Elements<'_>, pairing: &mut Pairing, tolerance: f32, flipped: bool) {
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

/// Matches what is left with what is nearest to it, the nearest pairs first; what finds none stays.
pub(super) fn match_nearest(a: &Elements<'_>, b: &Elements<'_>, pairing: &mut Pairing) -> Vec<Same> {
    /// Elements looked at for one: enough to find the right one among neighbours.
    const LOOK: usize = 24;
    let mut by_x: Vec<(f32, usize)> = pairing.left_b.iter().map(|&i| (b.centre(&b.list[i]).x, i)).collect();
    by_x.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut candidates = Vec::new();
    for (order, &i) in pairing.left_a.iter().enumerate() {
        let x = a.centre(&a.list[i]).x;
        let at = by_x.partition_point(|(other, _)| *other < x);
        let around = by_x[at.saturating_sub(LOOK)..(at + LOOK).min(by_x.len())].iter().map(|(_, j)| *j);
        // The one at the same place of the list is likely the same.
        let in_order = pairing.left_b.get(order).copied();
        for j in around.chain(in_order) {
            if a.list[i].count == b.list[j].count
                && let Some((same, error)) = best_turn(a, i, b, j, false)
            {
                candidates.push((error, same));
            }
        }
    }
    candidates.sort_by(|(x, one), (y, other)| x.total_cmp(y).then((one.a, one.b).cmp(&(other.a, other.b))));
    let mut taken_a = vec![false; a.list.len()];
    let mut taken_b = vec![false; b.list.len()];
    let mut found = Vec::new();
    for (_, same) in candidates {
        if !taken_a[same.a] && !taken_b[same.b] {
            taken_a[same.a] = true;
            taken_b[same.b] = true;
            found.push(same);
        }
    }
    pairing.left_a.retain(|i| !taken_a[*i]);
    pairing.left_b.retain(|i| !taken_b[*i]);
    found.sort_by_key(|same| same.a);
    found
}
