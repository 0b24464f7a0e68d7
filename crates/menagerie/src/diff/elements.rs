//! Which triangle, line or point of one model is which of the other.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use glam::Vec3;

use crate::scene::{MeshId, Node, NodeId, Pose, Primitive, Scene, StreamKind, Topology};

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
    /// Which primitive of its mesh it is.
    pub(super) index: usize,
    /// Where the vertices are compared: in the world at rest, or in the node's own space.
    pub(super) positions: Vec<Vec3>,
    /// Normals in the same space; empty when there are none.
    pub(super) normals: Vec<Vec3>,
    /// The same of each set of tangents, with the signs of the bitangents.
    pub(super) tangents: Vec<Vec<(Vec3, f32)>>,
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
        for (index, primitive) in scene.meshes[mesh].primitives.iter().enumerate() {
            let positions = match in_world {
                true => pose.positions(scene, id, primitive),
                false => pose.morphed(id, primitive),
            };
            let normals = match in_world {
                true => pose.normals(scene, id, primitive),
                false => primitive.normals.iter().copied().map(Vec3::from_array).collect(),
            };
            let tangents = primitive.own_streams(StreamKind::Tangent).map(|stream| {
                let rows = stream.floats().as_chunks::<4>().0;
                let along: Vec<Vec3> = rows.iter().map(|[x, y, z, _]| Vec3::new(*x, *y, *z)).collect();
                let along = if in_world { pose.along(scene, id, primitive, &along) } else { along };
                along.into_iter().zip(rows.iter().map(|[.., sign]| *sign)).collect()
            });
            let tangents = tangents.collect();
            let part = self.parts.len();
            self.parts.push(Part {
                node: id,
                primitive,
                index,
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
    pub(super) fn by_node(&self, list: &[usize]) -> BTreeMap<NodeId, Vec<usize>> {
        let mut nodes: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
        for element in list.iter().map(|i| &self.list[*i]) {
            nodes.entry(self.parts[element.part].node).or_default().push(element.ordinal);
        }
        nodes.values_mut().for_each(|list| list.sort_unstable());
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

/// How different what hangs on the vertices may be, from zero to one, for two elements in the same place to be the same
/// at first sight.
const ALIKE: f32 = 0.02;

/// Elements of one place that are looked at for one; where hundreds of thousands are, fewer, so that all together are not more
/// than two millions or eight for each.
const LOOK_IN_PLACE: usize = 48;
const LOOK_IN_ALL: usize = 2_000_000;

/// Matches elements that are in the same place: in order first, then wherever they are in the list.
pub(super) fn match_in_place(a: &Elements<'_>, b: &Elements<'_>, tolerance: f32) -> Pairing {
    let mut pairing = match_at_once(a, b, tolerance);
    rematch(a, b, &mut pairing, tolerance, false);
    rematch(a, b, &mut pairing, tolerance, true);
    pairing
}

/// Matches elements that are in the same place and have the same place in the lists.
pub(super) fn match_at_once(a: &Elements<'_>, b: &Elements<'_>, tolerance: f32) -> Pairing {
    let mut pairing = Pairing::default();
    for i in 0..a.list.len().max(b.list.len()) {
        match (a.list.get(i), b.list.get(i)) {
            (Some(_), Some(_)) => match aligned(a, i, b, i, tolerance, false) {
                Some((same, _)) if same.turn == 0 && unlike(a, b, &same) <= ALIKE => pairing.same.push(same),
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
    pairing
}

/// Elements that are looked for before a mesh is taken for one that was only rounded.
const SAMPLES: usize = 16;

/// Matches all in order if that is one mesh whose vertices were rounded: every vertex of the second stands for one of the
/// first, none is far from it, and of some elements that are looked for none is in its old place. A large mesh that was
/// packed is matched so without a search for each of its elements.
pub(super) fn match_rounded(
    a: &Elements<'_>,
    b: &Elements<'_>,
    tolerance: f32,
    farthest: f32,
) -> Option<Pairing> {
    let is_there = |i: usize| {
        let centre = a.centre(&a.list[i]);
        let apart = tolerance * 1.01 + centre.abs().max_element() * 1e-5;
        let near = |j: &usize| b.centre(&b.list[*j]).distance_squared(centre) <= apart * apart;
        (0..b.list.len()).filter(near).any(|j| aligned(a, i, b, j, tolerance, false).is_some())
    };
    let mut samples = (0..a.list.len()).step_by((a.list.len() / SAMPLES).max(1));
    if a.list.len() != b.list.len() || samples.any(is_there) {
        return None;
    }
    let all: Vec<usize> = (0..a.list.len()).collect();
    let mut pairing = Pairing { left_b: all.clone(), left_a: all, same: Vec::new() };
    match_in_order(a, b, &mut pairing, farthest);
    pairing.left_a.is_empty().then_some(pairing)
}

/// Pairs all that is left in its order.
fn take_in_order(pairing: &mut Pairing) {
    let pairs = std::mem::take(&mut pairing.left_a).into_iter().zip(std::mem::take(&mut pairing.left_b));
    pairing.same.extend(pairs.map(|(a, b)| Same { a, b, turn: 0, flipped: false }));
}

/// Whether every vertex of the second stands for one of the first, corner by corner.
fn one_for_each(a: &Elements<'_>, b: &Elements<'_>, mut pairs: impl Iterator<Item = (usize, usize)>) -> bool {
    let mut stands_for: Vec<Vec<Option<(usize, u32)>>> =
        b.parts.iter().map(|part| vec![None; part.positions.len()]).collect();
    pairs.all(|(i, j)| {
        let (one, other) = (&a.list[i], &b.list[j]);
        let corners = one.corners.iter().zip(other.corners);
        let mut fits = |(vertex, at): (&u32, u32)| {
            let vertex = (one.part, *vertex);
            *stands_for[other.part][at as usize].get_or_insert(vertex) == vertex
        };
        one.count == other.count && corners.into_iter().all(&mut fits)
    })
}

/// Matches what is left by place, wherever it is in the lists; once the same way round, once flipped. Of several in one
/// place the most alike are the same, of equally alike ones those that have the same place in the lists.
pub(super) fn rematch(
    a: &Elements<'_>,
    b: &Elements<'_>,
    pairing: &mut Pairing,
    tolerance: f32,
    flipped: bool,
) {
    // A few rounds: what was not looked at for lack of room may be free in the next.
    for _ in 0..4 {
        if pairing.left_a.is_empty() || pairing.left_b.is_empty() {
            return;
        }
        let mut candidates = in_place(a, b, pairing, tolerance, flipped);
        candidates.sort_unstable_by(|(x, one), (y, other)| {
            let key = |same: &Same| (same.a.abs_diff(same.b), same.a, same.b);
            x.total_cmp(y).then(key(one).cmp(&key(other)))
        });
        let mut taken = (vec![false; a.list.len()], vec![false; b.list.len()]);
        let before = pairing.same.len();
        for (_, same) in candidates {
            if !taken.0[same.a] && !taken.1[same.b] {
                taken.0[same.a] = true;
                taken.1[same.b] = true;
                pairing.same.push(same);
            }
        }
        pairing.left_a.retain(|i| !taken.0[*i]);
        pairing.left_b.retain(|i| !taken.1[*i]);
        if pairing.same.len() == before {
            return;
        }
    }
}

/// Pairs of elements that are left and in the same place, and how unlike they are: where in steps of the tolerance, what
/// hangs on them in parts of one.
fn in_place(
    a: &Elements<'_>,
    b: &Elements<'_>,
    pairing: &Pairing,
    tolerance: f32,
    flipped: bool,
) -> Vec<(f32, Same)> {
    let grid = Grid::new(b, &pairing.left_b, (tolerance * 4.0).max(1e-9));
    let most = (LOOK_IN_ALL / pairing.left_a.len().max(1)).clamp(8, LOOK_IN_PLACE);
    let look = |i: usize| {
        let mut candidates = Vec::new();
        let centre = a.centre(&a.list[i]);
        // The centres of two are not farther from each other than their corners, but for what is lost in rounding.
        let apart = tolerance * 1.01 + centre.abs().max_element() * 1e-5;
        grid.around(centre, tolerance, |list| {
            let at = list.partition_point(|(j, _)| *j < i);
            let near = at.saturating_sub(most / 2)..(at + most / 2).min(list.len());
            for &(j, other) in list.get(near).unwrap_or_default() {
                if centre.distance_squared(other) > apart * apart {
                    continue;
                }
                candidates.extend(aligned(a, i, b, j, tolerance, flipped).map(|(same, off)| (off, same)));
            }
        });
        candidates
    };
    crate::parallel::flat_map(&pairing.left_a, look)
}

/// Elements by the cell of space that their centre is in.
struct Grid {
    cell: f32,
    /// The elements of one cell after those of another, in the order in which they came, with their centres.
    order: Vec<(usize, Vec3)>,
    /// Where in `order` those of a cell begin, and how many they are.
    cells: HashMap<[i64; 3], (u32, u32)>,
}

impl Grid {
    fn new(elements: &Elements<'_>, list: &[usize], cell: f32) -> Self {
        let mut grid = Self {
            cell,
            order: vec![(0, Vec3::ZERO); list.len()],
            cells: HashMap::with_capacity(list.len()),
        };
        let centre = |i: &usize| elements.centre(&elements.list[*i]);
        for i in list {
            grid.cells.entry(grid_key(centre(i), cell)).or_default().1 += 1;
        }
        let mut next = 0;
        for (start, count) in grid.cells.values_mut() {
            *start = next;
            next += std::mem::take(count);
        }
        for i in list {
            let centre = centre(i);
            if let Some((start, count)) = grid.cells.get_mut(&grid_key(centre, cell)) {
                grid.order[(*start + *count) as usize] = (*i, centre);
                *count += 1;
            }
        }
        grid
    }

    /// Hands over the elements of the cells that a centre may have fallen into.
    fn around(&self, centre: Vec3, tolerance: f32, mut visit: impl FnMut(&[(usize, Vec3)])) {
        let least = grid_key(centre + Vec3::splat(-tolerance), self.cell);
        let most = grid_key(centre + Vec3::splat(tolerance), self.cell);
        // A cell is four times as large, so that there is none between.
        let both = |axis: usize| [Some(least[axis]), Some(most[axis]).filter(|most| *most != least[axis])];
        for x in both(0).into_iter().flatten() {
            for y in both(1).into_iter().flatten() {
                for z in both(2).into_iter().flatten() {
                    if let Some((start, count)) = self.cells.get(&[x, y, z]) {
                        let start = *start as usize;
                        visit(self.order.get(start..start + *count as usize).unwrap_or_default());
                    }
                }
            }
        }
    }
}

fn grid_key(point: Vec3, cell: f32) -> [i64; 3] {
    (point / cell).floor().as_i64vec3().to_array()
}

/// Whether two elements have their corners in the same places, how they are turned, and how unlike they are then.
fn aligned(
    a: &Elements<'_>,
    i: usize,
    b: &Elements<'_>,
    j: usize,
    tolerance: f32,
    flipped: bool,
) -> Option<(Same, f32)> {
    let (one, other) = (&a.list[i], &b.list[j]);
    if one.count != other.count || (flipped && one.count != 3) {
        return None;
    }
    let turns = if one.count == 3 { 3 } else { 1 };
    let mut best: Option<(Same, f32)> = None;
    for turn in 0..turns {
        let same = Same { a: i, b: j, turn, flipped };
        let apart = |c: usize| a.corner(one, c).distance(b.corner(other, same.corner(c)));
        // Most are seen to lie elsewhere by their first corner.
        let first = apart(0);
        if first > tolerance {
            continue;
        }
        let off = (1..3).map(apart).fold(first.max(0.0), f32::max);
        if off <= tolerance {
            // Elements without area lie the same in several ways: what hangs on them tells which it is.
            let off = off / tolerance.max(f32::MIN_POSITIVE) * 0.1 + unlike(a, b, &same);
            if best.is_none_or(|(_, least)| off < least) {
                best = Some((same, off));
            }
        }
    }
    best
}

/// How different what hangs on the vertices of two elements is, from zero to one: normals, texture coordinates, colours.
fn unlike(a: &Elements<'_>, b: &Elements<'_>, same: &Same) -> f32 {
    let (one, other) = (&a.list[same.a], &b.list[same.b]);
    let (part_a, part_b) = (&a.parts[one.part], &b.parts[other.part]);
    let mut most = 0.0f32;
    for corner in 0..usize::from(one.count) {
        let (i, j) = (one.corners[corner] as usize, other.corners[same.corner(corner)] as usize);
        if let (Some(x), Some(y)) = (part_a.normals.get(i), part_b.normals.get(j)) {
            most = most.max(x.distance(*y) / 2.0);
        }
        let (x, y) = (part_a.primitive.uvs.first(), part_b.primitive.uvs.first());
        if let (Some([s, t]), Some([u, v])) = (x.and_then(|x| x.get(i)), y.and_then(|y| y.get(j))) {
            most = most.max((s - u).abs().max((t - v).abs()).min(1.0));
        }
        let (x, y) = (part_a.primitive.colors.first(), part_b.primitive.colors.first());
        if let (Some(x), Some(y)) = (x.and_then(|x| x.get(i)), y.and_then(|y| y.get(j))) {
            most = x.iter().zip(y).fold(most, |most, (x, y)| most.max((x - y).abs().min(1.0)));
        }
    }
    if most.is_finite() { most } else { 1.0 }
}

/// How the second element must be turned to lie nearest to the first, and how far apart the corners then are.
fn best_turn(a: &Elements<'_>, i: usize, b: &Elements<'_>, j: usize) -> Option<(Same, f32)> {
    let (one, other) = (&a.list[i], &b.list[j]);
    let turns = if one.count == 3 { 3 } else { 1 };
    (0..turns)
        .map(|turn| {
            let same = Same { a: i, b: j, turn, flipped: false };
            let apart = |c: usize| a.corner(one, c).distance(b.corner(other, same.corner(c)));
            (same, (0..3).map(apart).fold(0.0, f32::max))
        })
        .min_by(|(_, x), (_, y)| x.total_cmp(y))
}

/// Matches all that is left in its order, if both sides are plainly the same mesh that was packed and perhaps cut: as many
/// elements, none far from its partner, and every vertex of the second stands for one of the first.
pub(super) fn match_in_order(a: &Elements<'_>, b: &Elements<'_>, pairing: &mut Pairing, farthest: f32) {
    if pairing.left_a.is_empty() || pairing.left_a.len() != pairing.left_b.len() {
        return;
    }
    let pairs = || pairing.left_a.iter().copied().zip(pairing.left_b.iter().copied());
    let is_near = |(i, j): (usize, usize)| {
        let (one, other) = (&a.list[i], &b.list[j]);
        (0..3).all(|corner| a.corner(one, corner).distance(b.corner(other, corner)) <= farthest)
    };
    if one_for_each(a, b, pairs()) && pairs().all(is_near) {
        take_in_order(pairing);
    }
}

/// Parts of a size that are looked at for one.
const LOOK_AT_PARTS: usize = 32;

/// Matches parts that are left as a whole: as many elements in the same order, each a little elsewhere and none turned.
/// What was rounded is found so, however small it is beside the rounding.
pub(super) fn match_parts(a: &Elements<'_>, b: &Elements<'_>, pairing: &mut Pairing, farthest: f32) {
    let by_part = |elements: &Elements<'_>, left: &[usize]| {
        let mut parts: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        left.iter().for_each(|i| parts.entry(elements.list[*i].part).or_default().push(*i));
        parts
    };
    let mut by_size: BTreeMap<usize, Vec<Vec<usize>>> = BTreeMap::new();
    for (_, list) in by_part(b, &pairing.left_b) {
        by_size.entry(list.len()).or_default().push(list);
    }
    let mut taken: (BTreeSet<usize>, BTreeSet<usize>) = Default::default();
    for (_, list) in by_part(a, &pairing.left_a) {
        let Some(alike) = by_size.get_mut(&list.len()) else { continue };
        let found = alike.iter().take(LOOK_AT_PARTS).enumerate();
        let found = found.filter_map(|(at, other)| Some((at, in_order(a, &list, b, other, farthest)?)));
        let best = found.min_by(|(_, (x, _)), (_, (y, _))| x.total_cmp(y));
        if let Some((at, (_, same))) = best {
            taken.0.extend(list);
            taken.1.extend(alike.remove(at));
            pairing.same.extend(same);
        }
    }
    pairing.left_a.retain(|i| !taken.0.contains(i));
    pairing.left_b.retain(|i| !taken.1.contains(i));
}

/// The pairs of two lists in their order with the mean of how far they are apart, if all of them are near.
fn in_order(
    a: &Elements<'_>,
    one: &[usize],
    b: &Elements<'_>,
    other: &[usize],
    farthest: f32,
) -> Option<(f32, Vec<Same>)> {
    let mut sum = 0.0;
    let mut pairs = Vec::with_capacity(one.len());
    for (&i, &j) in one.iter().zip(other) {
        let (same, off) = best_turn(a, i, b, j)?;
        if a.list[i].count != b.list[j].count || same.turn != 0 || off > farthest {
            return None;
        }
        sum += off;
        pairs.push(same);
    }
    Some((sum / one.len().max(1) as f32, pairs))
}

/// Matches what is left: in order or with what is nearest, whichever moves elements less. What finds none stays.
pub(super) fn match_nearest(a: &Elements<'_>, b: &Elements<'_>, pairing: &mut Pairing) -> Vec<Same> {
    let nearest = nearest(a, b, pairing);
    let in_order: Vec<(f32, Same)> = pairing
        .left_a
        .iter()
        .zip(&pairing.left_b)
        .filter(|(i, j)| a.list[**i].count == b.list[**j].count)
        .filter_map(|(i, j)| best_turn(a, *i, b, *j).map(|(same, error)| (error, same)))
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
                && let Some((same, error)) = best_turn(a, i, b, j)
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
