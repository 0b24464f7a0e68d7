//! What vertices have, compared where two models draw the same.

use std::collections::{BTreeMap, BTreeSet};

use glam::Vec3;

use super::elements::{
    Elements, Pairing, Part, Same, match_at_once, match_in_order, match_in_place, match_nearest, match_parts,
    match_rounded, rematch,
};
use super::motion::VertexPair;
use super::repeats::{Known, Repeats, repeated};
use super::{Comparison, Difference};
use crate::diag::Aspect;
use crate::diag::loss::ErrorStats;
use crate::math::degrees_between;
use crate::scene::{NodeId, Pose, Primitive, Scene, Transform};

/// How far a triangle may have moved, as a part of the model's size, and still be found by its place alone.
const STILL_THE_SAME: f32 = 0.02;

impl Comparison<'_> {
    pub(super) fn geometry(&mut self) {
        let mut tally = Tally::default();
        // What a node draws that its partner does not; a shown node without partner, all of it.
        let mut left_a = drawn_alone(self.a, &self.matched.to_b);
        let mut left_b = drawn_alone(self.b, &self.matched.to_a);
        let mut repeats = Repeats::new(self.a);
        for (a, b) in self.matched.pairs.clone() {
            if self.is_stopped() {
                return;
            }
            match repeats.known(self, a, b) {
                Some(known) => {
                    tally.merge(&known.tally, a);
                    self.watched.add_all(a, b, &known.vertices);
                }
                None => self.two_nodes(a, b, (&mut left_a, &mut left_b), &mut tally, &mut repeats),
            }
            self.their_meshes(a, b, &mut repeats);
        }
        for (scene, left) in [(self.a, &left_a), (self.b, &left_b)] {
            self.take(repeated(scene, left.keys().copied()));
        }
        if self.is_stopped() {
            return;
        }
        let pool_a = pool(self.a, &self.rest_a, left_a);
        let pool_b = pool(self.b, &self.rest_b, left_b);
        self.pools(&pool_a, &pool_b, &mut tally);
        tally.report(self);
    }

    /// Compares what two nodes draw, and keeps what came of it where others may draw the same.
    fn two_nodes(
        &mut self,
        a: NodeId,
        b: NodeId,
        (left_a, left_b): (&mut Left, &mut Left),
        tally: &mut Tally,
        repeats: &mut Repeats,
    ) {
        let (node_a, node_b) = (&self.a.nodes[a], &self.b.nodes[b]);
        let pieces_a = with_pieces(self.a, a, &self.matched.to_b);
        let pieces_b = with_pieces(self.b, b, &self.matched.to_a);
        let again = repeats.again(self, &pieces_a, &pieces_b);
        self.take(again);
        if self.is_stopped() {
            return;
        }
        let drawn = |in_world: bool| {
            let (mut elements_a, mut elements_b) = (Elements::default(), Elements::default());
            pieces_a.iter().for_each(|node| elements_a.add(self.a, &self.rest_a, *node, in_world));
            pieces_b.iter().for_each(|node| elements_b.add(self.b, &self.rest_b, *node, in_world));
            (elements_a, elements_b)
        };
        // Skinned vertices are where their joints are, whatever space they are stored in.
        let skinned = node_a.skin.is_some() || node_b.skin.is_some();
        let elsewhere = self.rest_a.worlds[a.index()] != self.rest_b.worlds[b.index()];
        let (elements_a, elements_b, pairing) = self.matched(drawn, skinned, elsewhere);
        pieces_a.iter().for_each(|node| drop(left_a.remove(node)));
        pieces_b.iter().for_each(|node| drop(left_b.remove(node)));
        let all = pairing.left_a.is_empty() && pairing.left_b.is_empty();
        match repeats.key(self, a, b).filter(|_| all && pieces_a.len() + pieces_b.len() == 2) {
            Some(key) => {
                let known = self.compare_once(&elements_a, &elements_b, &pairing.same, tally);
                tally.merge(&known.tally, a);
                repeats.keep(key, known);
            }
            None => self.compare(&elements_a, &elements_b, &pairing.same, tally),
        }
        left_a.extend(elements_a.by_node(&pairing.left_a).into_iter().map(|(node, list)| (node, Some(list))));
        left_b.extend(elements_b.by_node(&pairing.left_b).into_iter().map(|(node, list)| (node, Some(list))));
    }

    /// Compares what two nodes draw that others may draw too. The materials that were met are told to `tally`.
    fn compare_once(
        &mut self,
        a: &Elements<'_>,
        b: &Elements<'_>,
        same: &[Same],
        tally: &mut Tally,
    ) -> Known {
        let mut own = Tally { materials: std::mem::take(&mut tally.materials), ..Tally::default() };
        self.compare(a, b, same, &mut own);
        tally.materials = std::mem::take(&mut own.materials);
        let mut vertices = Vec::new();
        if self.is_animated() {
            self.each_vertex(a, b, same, |_, one, i, other, j| {
                vertices.push((one.index as u32, i as u32, other.index as u32, j as u32));
            });
            self.take(vertices.len() * size_of::<VertexPair>());
        }
        Known { tally: own, vertices }
    }

    /// Whether both have animations, so that vertices are watched while they play.
    fn is_animated(&self) -> bool {
        !self.a.animations.is_empty() && !self.b.animations.is_empty()
    }

    /// Compares what two nodes' meshes have beside their vertices: for each pair of nodes, unless nothing differs.
    fn their_meshes(&mut self, a: NodeId, b: NodeId, repeats: &mut Repeats) {
        let (Some(id_a), Some(id_b)) = (self.a.nodes[a].mesh, self.b.nodes[b].mesh) else { return };
        if repeats.are_same(id_a, id_b) {
            return;
        }
        let before = self.report.differences.len();
        let (scene_a, scene_b) = (self.a, self.b);
        self.meshes(a, &scene_a.meshes[id_a], &scene_b.meshes[id_b]);
        match self.report.differences.len() - before {
            0 => repeats.say_same(id_a, id_b),
            found => self.take(found * size_of::<Difference>() * 2),
        }
    }

    /// Matches what two nodes draw, in the world or in their own space.
    fn matched<'a>(
        &self,
        drawn: impl Fn(bool) -> (Elements<'a>, Elements<'a>),
        skinned: bool,
        elsewhere: bool,
    ) -> (Elements<'a>, Elements<'a>, Pairing) {
        let tolerance = self.tolerance.length;
        let (a, b) = drawn(skinned);
        let mut pairing = match_at_once(&a, &b, tolerance);
        // Where most moved, all of it may have been rounded.
        if pairing.left_a.len() > pairing.same.len() {
            let (a, b) = drawn(true);
            if let Some(pairing) = match_rounded(&a, &b, tolerance, self.size * STILL_THE_SAME) {
                return (a, b, pairing);
            }
        }
        rematch(&a, &b, &mut pairing, tolerance, false);
        rematch(&a, &b, &mut pairing, tolerance, true);
        let left = |pairing: &Pairing| pairing.left_a.len() + pairing.left_b.len();
        if !skinned && elsewhere && left(&pairing) > 0 {
            // A node that is elsewhere may show the same in the world: then its transform went into its vertices.
            let (in_world_a, in_world_b) = drawn(true);
            let in_world = match_in_place(&in_world_a, &in_world_b, tolerance);
            if left(&in_world) < left(&pairing) {
                return (in_world_a, in_world_b, in_world);
            }
        }
        (a, b, pairing)
    }

    /// What no partner drew: cut off and put elsewhere, moved, or missing.
    fn pools(&mut self, a: &Elements<'_>, b: &Elements<'_>, tally: &mut Tally) {
        let mut pairing = match_in_place(a, b, self.tolerance.length);
        // What moved a little is nearer to where it was than anything else: the smallest step that finds it decides.
        let farthest = self.size * STILL_THE_SAME;
        match_in_order(a, b, &mut pairing, farthest);
        match_parts(a, b, &mut pairing, farthest);
        let steps = std::iter::successors(Some(self.tolerance.length * 4.0), |step| Some(step * 4.0));
        for step in steps.take_while(|step| *step <= farthest).take(12) {
            rematch(a, b, &mut pairing, step, false);
            rematch(a, b, &mut pairing, step, true);
        }
        self.compare(a, b, &pairing.same, tally);
        // What moved farther than it is large may be another element altogether: then only that it moved is known, and
        // where some are missing not even that.
        let some_missing = pairing.left_a.len() != pairing.left_b.len();
        let moved = match_nearest(a, b, &mut pairing);
        let (near, mut far): (Vec<Same>, Vec<Same>) = moved.into_iter().partition(|same| is_near(a, b, same));
        self.compare(a, b, &near, tally);
        if some_missing {
            pairing.left_a.extend(far.iter().map(|same| same.a));
            pairing.left_b.extend(far.drain(..).map(|same| same.b));
        }
        self.report.unpaired += far.len() + pairing.left_a.len() + pairing.left_b.len();
        self.each_vertex(a, b, &far, |comparison, one, i, other, j| {
            let apart = one.positions[i].distance(other.positions[j]);
            tally.add(Aspect::Positions, one.node, apart, comparison.tolerance.length);
        });
        if let Some(first) = pairing.left_a.first() {
            let path = self.node_path(a.parts[a.list[*first].part].node);
            let count = pairing.left_a.len();
            let message = format!("{count} triangles, lines or points are only in the first model");
            self.report.counted(Aspect::Topology, path, message, count);
        }
        if let Some(first) = pairing.left_b.first() {
            let node = b.parts[b.list[*first].part].node;
            let path = format!("nodes[{}] {:?} of the second", node.index(), self.b.nodes[node].name);
            let count = pairing.left_b.len();
            let message = format!("{count} triangles, lines or points are only in the second model");
            self.report.counted(Aspect::Topology, path, message, count);
        }
    }

    fn meshes(&mut self, node: NodeId, a: &crate::scene::Mesh, b: &crate::scene::Mesh) {
        let path = format!("{}.mesh", self.node_path(node));
        self.name(&path, &a.name, &b.name);
        self.extras(&path, &a.extras, &b.extras);
        if a.target_count() != b.target_count() {
            let message = format!("{} morph targets and {}", a.target_count(), b.target_count());
            let count = a.target_count().abs_diff(b.target_count());
            self.report.counted(Aspect::Morphs, path.clone(), message, count);
        } else if a.target_names != b.target_names && self.options.names {
            self.report.push(Aspect::Names, path.clone(), "the morph targets have other names");
        }
        if a.primitives.len() == b.primitives.len() {
            for (i, (a, b)) in a.primitives.iter().zip(&b.primitives).enumerate() {
                self.extras(&format!("{path}.primitives[{i}]"), &a.extras, &b.extras);
            }
        }
    }

    /// Compares elements that are the same, and all that hangs on their vertices.
    fn compare(&mut self, a: &Elements<'_>, b: &Elements<'_>, same: &[Same], tally: &mut Tally) {
        for pair in same {
            let part = |elements: &Elements<'_>, i: usize| elements.list[i].part;
            let (part_a, part_b) = (&a.parts[part(a, pair.a)], &b.parts[part(b, pair.b)]);
            self.materials(part_a.primitive.material, part_b.primitive.material, tally);
            if pair.flipped {
                tally.flipped += 1;
                tally.flipped_node.get_or_insert(part_a.node);
            }
        }
        let animated = self.is_animated();
        let mut watched = std::mem::take(&mut self.watched);
        self.each_vertex(a, b, same, |comparison, one, i, other, j| {
            comparison.vertex(one, i, other, j, tally);
            if animated {
                watched.add(((one.node, one.index), (other.node, other.index)), i, j);
            }
        });
        self.watched = watched;
    }

    /// Calls `visit` for each pair of vertices of elements that are the same and the same way round, once.
    fn each_vertex<'e>(
        &self,
        a: &'e Elements<'_>,
        b: &'e Elements<'_>,
        same: &[Same],
        mut visit: impl FnMut(&Self, &'e Part<'e>, usize, &'e Part<'e>, usize),
    ) {
        // The partner that a vertex was last visited with, so that shared vertices count once.
        let mut seen: Vec<Vec<(usize, u32)>> =
            a.parts.iter().map(|part| vec![(usize::MAX, 0); part.positions.len()]).collect();
        for pair in same.iter().filter(|pair| !pair.flipped) {
            let (one, other) = (&a.list[pair.a], &b.list[pair.b]);
            for corner in 0..usize::from(one.count) {
                let (i, j) = (one.corners[corner], other.corners[pair.corner(corner)]);
                let place = &mut seen[one.part][i as usize];
                if *place != (other.part, j) {
                    *place = (other.part, j);
                    visit(self, &a.parts[one.part], i as usize, &b.parts[other.part], j as usize);
                }
            }
        }
    }

    fn vertex(&self, a: &Part<'_>, i: usize, b: &Part<'_>, j: usize, tally: &mut Tally) {
        let tolerance = &self.tolerance;
        let apart = a.positions[i].distance(b.positions[j]);
        tally.add(Aspect::Positions, a.node, apart, tolerance.length);
        self.normals(a, i, b, j, tally);
        let (one, other) = (a.primitive, b.primitive);
        sets(&one.uvs, &other.uvs, |x, y| {
            let off = x.zip(y).map(|(x, y)| distance(&x[i], &y[j]));
            tally.optional(Aspect::Uvs, a.node, off, tolerance.uv * uv_size(x.map(|x| &x[i])));
        });
        sets(&one.colors, &other.colors, |x, y| {
            let off = x.zip(y).map(|(x, y)| distance(&x[i], &y[j]));
            tally.optional(Aspect::Colors, a.node, off, tolerance.factor);
        });
        let off = self.weights_apart(a, i, b, j);
        tally.add(Aspect::Skins, a.node, off, 1e-3);
        for (x, y) in one.targets.iter().zip(&other.targets) {
            let delta =
                |list: &[[f32; 3]], at: usize| list.get(at).copied().map_or(Vec3::ZERO, Vec3::from_array);
            let moved = delta(&x.positions, i).distance(delta(&y.positions, j));
            tally.add(Aspect::Morphs, a.node, moved, tolerance.length);
            let turned = delta(&x.normals, i).distance(delta(&y.normals, j));
            tally.add(Aspect::Morphs, a.node, turned, tolerance.factor);
            let turned = delta(&x.tangents, i).distance(delta(&y.tangents, j));
            tally.add(Aspect::Morphs, a.node, turned, tolerance.factor);
        }
        self.custom(a, i, b, j, tally);
    }

    fn normals(&self, a: &Part<'_>, i: usize, b: &Part<'_>, j: usize, tally: &mut Tally) {
        match (a.normals.get(i), b.normals.get(j)) {
            (None, None) => {}
            (Some(x), Some(y)) => {
                tally.add(Aspect::Normals, a.node, degrees_between(*x, *y), self.tolerance.angle)
            }
            _ => tally.optional(Aspect::Normals, a.node, None, 0.0),
        }
        for (one, other) in a.tangents.iter().zip(&b.tangents) {
            match (one.get(i), other.get(j)) {
                (None, None) => {}
                (Some((x, s)), Some((y, t))) => {
                    // A mirror turns the bitangent round, and so does its sign when the mirror is in the vertices.
                    let same = (s == t) != (a.mirrored != b.mirrored);
                    let off = if same { degrees_between(*x, *y) } else { 180.0 };
                    tally.add(Aspect::Tangents, a.node, off, self.tolerance.angle);
                }
                _ => tally.optional(Aspect::Tangents, a.node, None, 0.0),
            }
        }
    }

    fn custom(&self, a: &Part<'_>, i: usize, b: &Part<'_>, j: usize, tally: &mut Tally) {
        let row = |primitive: &Primitive, name: &str, at: usize| -> Option<Vec<f32>> {
            let attribute = primitive.custom.get(name)?;
            Some(attribute.values[at * attribute.width..(at + 1) * attribute.width].to_vec())
        };
        // As with extras, what only the second model has is nobody's loss.
        for name in a.primitive.custom.keys() {
            let off = match (row(a.primitive, name, i), row(b.primitive, name, j)) {
                (Some(x), Some(y)) if x.len() == y.len() => Some(distance(&x, &y)),
                _ => None,
            };
            tally.optional(Aspect::CustomAttributes, a.node, off, self.tolerance.factor);
        }
    }

    /// Half the sum of the differences of weights: the part of the vertex that hangs elsewhere.
    fn weights_apart(&self, a: &Part<'_>, i: usize, b: &Part<'_>, j: usize) -> f32 {
        if a.primitive.joints.is_empty() && b.primitive.joints.is_empty() {
            return 0.0;
        }
        let (one, other) = (influences(self.a, a, i), influences(self.b, b, j));
        // Weights of zero hold nothing, whatever node draws the vertex now.
        if one.is_empty() && other.is_empty() {
            return 0.0;
        }
        let or_its_node =
            |list: Vec<(NodeId, f32)>, node| if list.is_empty() { vec![(node, 1.0)] } else { list };
        let mut weights: BTreeMap<Result<NodeId, NodeId>, f32> = BTreeMap::new();
        for (joint, weight) in or_its_node(one, a.node) {
            // A joint without a partner is `Err` and equals nothing of the other side.
            let joint = self.matched.to_b[joint.index()].ok_or(joint);
            *weights.entry(joint).or_default() += weight;
        }
        for (joint, weight) in or_its_node(other, b.node) {
            *weights.entry(Ok(joint)).or_default() -= weight;
        }
        weights.values().map(|weight| weight.abs()).sum::<f32>() / 2.0
    }
}

/// Whether two elements are much nearer to each other than their corners are, so that they must be the same one.
fn is_near(a: &Elements<'_>, b: &Elements<'_>, same: &Same) -> bool {
    let (one, other) = (&a.list[same.a], &b.list[same.b]);
    let apart = |corner: usize| a.corner(one, corner).distance(b.corner(other, same.corner(corner)));
    let side = |corner: usize| a.corner(one, corner).distance(a.corner(one, (corner + 1) % 3));
    let farthest = (0..3).map(apart).fold(0.0, f32::max);
    let shortest = (0..3).map(side).filter(|side| *side > 0.0).fold(f32::INFINITY, f32::min);
    farthest < shortest / 10.0
}

/// The joints that a vertex hangs on; none when nothing but its own node holds it.
fn influences(scene: &Scene, part: &Part<'_>, vertex: usize) -> Vec<(NodeId, f32)> {
    let skin = scene.nodes[part.node].skin.map(|skin| &scene.skins[skin]);
    let mut list = Vec::new();
    if let Some(skin) = skin {
        for (joints, weights) in part.primitive.joints.iter().zip(&part.primitive.weights) {
            for (joint, weight) in
                joints[vertex].iter().zip(weights[vertex]).filter(|(_, weight)| *weight > 0.0)
            {
                list.push((skin.joints[usize::from(*joint)], weight));
            }
        }
    }
    list
}

/// Calls `compare` for each set that either side has.
fn sets<T>(a: &[Vec<T>], b: &[Vec<T>], mut compare: impl FnMut(Option<&Vec<T>>, Option<&Vec<T>>)) {
    for i in 0..a.len().max(b.len()) {
        compare(a.get(i), b.get(i));
    }
}

fn distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f32>().sqrt()
}

/// Texture coordinates far from the picture have fewer digits left.
fn uv_size(uv: Option<&[f32; 2]>) -> f32 {
    uv.map_or(1.0, |[u, v]| u.abs().max(v.abs()).max(1.0))
}

/// Some of what nodes draw, by the number of the element; `None` for all of it.
type Left = BTreeMap<NodeId, Option<Vec<usize>>>;

/// The shown nodes that have a mesh and no partner.
fn drawn_alone(scene: &Scene, partners: &[Option<NodeId>]) -> Left {
    let shown = scene.shown().map(|root| scene.walk(&root.roots)).unwrap_or_default();
    let alone = |id: &NodeId| partners[id.index()].is_none() && scene.nodes[*id].mesh.is_some();
    shown.into_iter().filter(alone).map(|id| (id, None)).collect()
}

/// A node, and the nodes that are only further pieces of its mesh: without partner, at the same place below it.
pub(super) fn with_pieces(scene: &Scene, node: NodeId, partners: &[Option<NodeId>]) -> Vec<NodeId> {
    let piece = |id: &NodeId| {
        let child = &scene.nodes[*id];
        partners[id.index()].is_none() && child.mesh.is_some() && child.transform == Transform::IDENTITY
    };
    let children = scene.nodes[node].children.iter().copied().filter(piece);
    std::iter::once(node).chain(children).collect()
}

/// The elements that no partner drew, in the world.
fn pool<'a>(scene: &'a Scene, rest: &Pose, left: Left) -> Elements<'a> {
    let mut pool = Elements::default();
    for (node, keep) in left {
        let start = pool.list.len();
        pool.add(scene, rest, node, true);
        if let Some(keep) = keep {
            let added = pool.list.split_off(start);
            pool.list
                .extend(added.into_iter().filter(|element| keep.binary_search(&element.ordinal).is_ok()));
        }
    }
    pool
}

/// Errors by aspect, gathered over all vertices.
#[derive(Default)]
pub(super) struct Tally {
    errors: BTreeMap<Aspect, (ErrorStats, FirstNode)>,
    /// Vertices that have something in one model only.
    missing: BTreeMap<Aspect, (usize, FirstNode)>,
    flipped: usize,
    flipped_node: Option<NodeId>,
    /// Pairs of materials that were compared already.
    pub(super) materials: BTreeSet<(Option<usize>, Option<usize>)>,
}

/// The first node where it was found.
type FirstNode = Option<NodeId>;

impl Tally {
    /// Counts an error if it is larger than the tolerance.
    fn add(&mut self, aspect: Aspect, node: NodeId, error: f32, tolerance: f32) {
        if error > tolerance {
            let (stats, first) = self.errors.entry(aspect).or_default();
            stats.add(f64::from(error));
            first.get_or_insert(node);
        }
    }

    /// Counts an error, or that only one model has the thing.
    fn optional(&mut self, aspect: Aspect, node: NodeId, error: Option<f32>, tolerance: f32) {
        match error {
            Some(error) => self.add(aspect, node, error, tolerance),
            None => {
                let (count, first) = self.missing.entry(aspect).or_default();
                *count += 1;
                first.get_or_insert(node);
            }
        }
    }

    /// Adds what was found of a mesh that another node draws too.
    fn merge(&mut self, other: &Self, node: NodeId) {
        for (aspect, (stats, _)) in &other.errors {
            let (sum, first) = self.errors.entry(*aspect).or_default();
            sum.merge(*stats);
            first.get_or_insert(node);
        }
        for (aspect, (count, _)) in &other.missing {
            let (sum, first) = self.missing.entry(*aspect).or_default();
            *sum += count;
            first.get_or_insert(node);
        }
        if other.flipped > 0 {
            self.flipped += other.flipped;
            self.flipped_node.get_or_insert(node);
        }
    }

    fn report(self, comparison: &mut Comparison<'_>) {
        let path = |comparison: &Comparison<'_>, node: FirstNode| {
            node.map(|node| comparison.node_path(node)).unwrap_or_default()
        };
        for (aspect, (stats, node)) in self.errors {
            let (message, unit) = match aspect {
                Aspect::Positions => ("vertices are somewhere else", "scene units"),
                Aspect::Normals => ("normals point elsewhere", "degrees"),
                Aspect::Tangents => ("tangents point elsewhere", "degrees"),
                Aspect::Uvs => ("texture coordinates differ", "uv"),
                Aspect::Colors => ("vertex colours differ", "linear colour"),
                Aspect::Skins => ("vertices hang on other joints or with other weights", "weight"),
                Aspect::Morphs => ("morph targets move vertices elsewhere", "scene units"),
                _ => ("vertex attributes differ", ""),
            };
            let path = path(comparison, node);
            comparison.report.measured(aspect, path, message, stats, unit);
        }
        for (aspect, (count, node)) in self.missing {
            let path = path(comparison, node);
            let message = format!("{count} vertices have {} in one model only", aspect.name());
            comparison.report.counted(aspect, path, message, count);
        }
        let path = path(comparison, self.flipped_node);
        comparison.report.counted(Aspect::Topology, path, "triangles face the other way", self.flipped);
    }
}
