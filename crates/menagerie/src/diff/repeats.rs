//! Meshes that many nodes draw, compared once.

use std::collections::{BTreeMap, BTreeSet};

use super::Comparison;
use super::geometry::{Tally, with_pieces};
use super::motion::VertexPair;
use crate::scene::{MeshId, NodeId, Pose, Primitive, Scene};

/// What looking at one vertex or element once more counts as, in bytes.
const EACH: usize = 32;

/// A mesh as a node draws it in its own space, mirrored or not.
type Drawn = (MeshId, bool);

/// What was found of two meshes all of whose elements are the same, wherever nodes draw them.
pub(super) struct Known {
    pub(super) tally: Tally,
    /// The vertices that are the same, where animations play.
    pub(super) vertices: Vec<VertexPair>,
}

/// What is known of meshes that were compared already.
pub(super) struct Repeats {
    /// Meshes of the first Scene that several nodes draw.
    shared: BTreeSet<MeshId>,
    known: BTreeMap<(Drawn, Drawn), Known>,
    /// Pairs that have the same beside their vertices.
    same: BTreeSet<(MeshId, MeshId)>,
    /// Meshes of both Scenes that were looked at.
    seen: (BTreeSet<MeshId>, BTreeSet<MeshId>),
}

impl Repeats {
    pub(super) fn new(a: &Scene) -> Self {
        let mut once = BTreeSet::new();
        let drawn = a.nodes.values().filter_map(|node| node.mesh);
        let shared = drawn.filter(|mesh| !once.insert(*mesh)).collect();
        Self { shared, known: BTreeMap::new(), same: BTreeSet::new(), seen: Default::default() }
    }

    /// What two nodes draw, if others may draw the same: a mesh of several nodes that no joint and no weight moves.
    pub(super) fn key(&self, all: &Comparison<'_>, a: NodeId, b: NodeId) -> Option<(Drawn, Drawn)> {
        let drawn = |scene: &Scene, pose: &Pose, id: NodeId| {
            let node = &scene.nodes[id];
            let weights = pose.weights.get(id.index()).map(Vec::as_slice).unwrap_or_default();
            let moved = node.skin.is_some() || weights.iter().any(|weight| *weight != 0.0);
            node.mesh.filter(|_| !moved).map(|mesh| (mesh, pose.is_mirrored(scene, id)))
        };
        let of_a = drawn(all.a, &all.rest_a, a).filter(|(mesh, _)| self.shared.contains(mesh))?;
        Some((of_a, drawn(all.b, &all.rest_b, b)?))
    }

    /// What is known of two nodes that draw nothing but their own meshes.
    pub(super) fn known(&self, all: &Comparison<'_>, a: NodeId, b: NodeId) -> Option<&Known> {
        let key = self.key(all, a, b)?;
        let known = self.known.get(&key)?;
        let alone = |scene, id, partners: &[_]| with_pieces(scene, id, partners).len() == 1;
        (alone(all.a, a, &all.matched.to_b) && alone(all.b, b, &all.matched.to_a)).then_some(known)
    }

    pub(super) fn keep(&mut self, key: (Drawn, Drawn), known: Known) {
        self.known.insert(key, known);
    }

    pub(super) fn are_same(&self, a: MeshId, b: MeshId) -> bool {
        self.same.contains(&(a, b))
    }

    pub(super) fn say_same(&mut self, a: MeshId, b: MeshId) {
        self.same.insert((a, b));
    }

    /// What looking at some nodes counts as, as far as their meshes were looked at before.
    pub(super) fn again(&mut self, all: &Comparison<'_>, a: &[NodeId], b: &[NodeId]) -> usize {
        let of = |scene: &Scene, seen: &mut BTreeSet<MeshId>, nodes: &[NodeId]| -> usize {
            nodes.iter().map(|node| again(scene, seen, *node)).fold(0, usize::saturating_add)
        };
        of(all.a, &mut self.seen.0, a).saturating_add(of(all.b, &mut self.seen.1, b))
    }
}

/// What looking at what nodes draw counts as, as far as nodes before them draw the same.
pub(super) fn repeated(scene: &Scene, nodes: impl Iterator<Item = NodeId>) -> usize {
    let mut seen = BTreeSet::new();
    nodes.map(|node| again(scene, &mut seen, node)).fold(0, usize::saturating_add).saturating_mul(POOLED)
}

/// How many times more what no partner drew takes: it is looked for in ever wider circles.
const POOLED: usize = 4;

fn again(scene: &Scene, seen: &mut BTreeSet<MeshId>, node: NodeId) -> usize {
    let node = &scene.nodes[node];
    let Some(mesh) = node.mesh.filter(|mesh| !seen.insert(*mesh)) else { return 0 };
    let joints = node.skin.and_then(|skin| scene.skins.get(skin)).map_or(0, |skin| skin.joints.len());
    let of = |primitive: &Primitive| {
        let vertices = primitive.vertex_count() * (1 + primitive.targets.len());
        (vertices + primitive.indices.len() + joints) * EACH
    };
    scene.meshes[mesh].primitives.iter().map(of).sum()
}
