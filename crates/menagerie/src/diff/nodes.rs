//! Which node of one Scene is which of the other.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use glam::Mat4;

use super::Comparison;
use crate::diag::Aspect;
use crate::diag::loss::ErrorStats;
use crate::scene::{Node, NodeId, Pose, Scene, Topology, parents, transform_distance};

/// Which node of the first Scene is which of the second.
pub(super) struct Matched {
    /// Pairs in tree order of the first Scene.
    pub(super) pairs: Vec<(NodeId, NodeId)>,
    /// For each node of the first Scene, its partner.
    pub(super) to_b: Vec<Option<NodeId>>,
    /// For each node of the second Scene, its partner.
    pub(super) to_a: Vec<Option<NodeId>>,
    /// Pairs that hang below nodes that are no pair.
    moved: Vec<(NodeId, NodeId)>,
}

/// Matches the nodes of two Scenes: from the roots down by name, then by order, then whatever is left by name alone, and
/// what is below it.
pub(super) fn match_nodes(
    (a, rest_a): (&Scene, &Pose),
    (b, rest_b): (&Scene, &Pose),
    tolerance: f32,
) -> Matched {
    let mut matcher = Matcher {
        a,
        b,
        rest_a,
        rest_b,
        names_a: names(a),
        names_b: names(b),
        tolerance,
        matched: Matched {
            pairs: Vec::new(),
            to_b: vec![None; a.nodes.len()],
            to_a: vec![None; b.nodes.len()],
            moved: Vec::new(),
        },
    };
    for (i, root) in a.scenes.iter().enumerate() {
        // A format of one scene keeps the one that is shown.
        let partner = if b.scenes.len() == a.scenes.len() { b.scenes.get(i) } else { b.shown() };
        let is_shown = a.shown().is_some_and(|shown| std::ptr::eq(shown, root));
        let alone = b.scenes.len() != a.scenes.len() && !is_shown;
        if let Some(partner) = partner.filter(|_| !alone) {
            let (a, b) = matcher.without_added_root(&root.roots, &partner.roots);
            matcher.below(a, b);
        }
    }
    matcher.loose();
    matcher.by_name();
    matcher.matched
}

struct Matcher<'a> {
    a: &'a Scene,
    b: &'a Scene,
    rest_a: &'a Pose,
    rest_b: &'a Pose,
    /// The names that nodes have: who has a namesake was not renamed.
    names_a: BTreeSet<&'a str>,
    names_b: BTreeSet<&'a str>,
    /// How far apart two places may be that are the same.
    tolerance: f32,
    matched: Matched,
}

fn names(scene: &Scene) -> BTreeSet<&str> {
    scene.nodes.values().map(|node| node.name.as_str()).filter(|name| !name.is_empty()).collect()
}

impl Matcher<'_> {
    fn pair(&mut self, a: NodeId, b: NodeId) -> bool {
        let (Some(to_b), Some(to_a)) =
            (self.matched.to_b.get_mut(a.index()), self.matched.to_a.get_mut(b.index()))
        else {
            return false;
        };
        if to_b.is_some() || to_a.is_some() {
            return false;
        }
        *to_b = Some(b);
        *to_a = Some(a);
        self.matched.pairs.push((a, b));
        true
    }

    /// Matches two lists of siblings and everything below them.
    fn below(&mut self, a: Vec<NodeId>, b: Vec<NodeId>) {
        let mut open = vec![(a, b)];
        while let Some((list_a, list_b)) = open.pop() {
            for (a, b) in self.siblings(&list_a, &list_b) {
                if self.pair(a, b) {
                    let (node_a, node_b) = (&self.a.nodes[a], &self.b.nodes[b]);
                    let lods = |lods: &[crate::scene::Lod]| lods.iter().map(|lod| lod.node).collect();
                    open.push((node_a.children.clone(), node_b.children.clone()));
                    open.push((lods(&node_a.lods), lods(&node_b.lods)));
                }
            }
        }
    }

    /// The roots of two scenes; when one scene has a single root that only gathers what the other has as roots, what is
    /// below it.
    fn without_added_root(&self, a: &[NodeId], b: &[NodeId]) -> (Vec<NodeId>, Vec<NodeId>) {
        let gathers = |scene: &Scene, roots: &[NodeId], others: usize| match roots {
            [only] => {
                let node = &scene.nodes[*only];
                (node.mesh.is_none() && others > 1 && node.children.len() == others)
                    .then(|| node.children.clone())
            }
            _ => None,
        };
        let below_a = gathers(self.a, a, b.len()).unwrap_or_else(|| a.to_vec());
        let below_b = gathers(self.b, b, a.len()).unwrap_or_else(|| b.to_vec());
        (below_a, below_b)
    }

    /// Pairs of siblings: those of one name that are alike and where they were, in order; then the nearest of one name;
    /// then those that were renamed by what they are, in order.
    fn siblings(&self, a: &[NodeId], b: &[NodeId]) -> Vec<(NodeId, NodeId)> {
        let mut by_name: BTreeMap<&str, VecDeque<NodeId>> = BTreeMap::new();
        for id in b.iter().filter(|id| self.matched.to_a[id.index()].is_none()) {
            by_name.entry(self.b.nodes[*id].name.as_str()).or_default().push_back(*id);
        }
        let name = |id: &NodeId| self.a.nodes[*id].name.as_str();
        let mut pairs = Vec::new();
        let mut moved = Vec::new();
        for id in a {
            let list = by_name.get_mut(name(id));
            // Where order was kept, which is nearly always, the first of the list is it.
            match list.filter(|list| list.front().is_some_and(|other| self.is_same_place(*id, *other))) {
                Some(list) => pairs.extend(list.pop_front().map(|partner| (*id, partner))),
                None => moved.push(*id),
            }
        }
        let mut left = Vec::new();
        for id in moved {
            match by_name.get_mut(name(&id)).and_then(|list| self.take_nearest(id, list)) {
                Some(partner) => pairs.push((id, partner)),
                None => left.push(id),
            }
        }
        let taken: BTreeSet<NodeId> = pairs.iter().map(|(_, b)| *b).collect();
        let mut free: Vec<NodeId> = b.iter().filter(|id| !taken.contains(id)).copied().collect();
        left.retain(|id| !self.names_b.contains(name(id)));
        free.retain(|id| !self.names_a.contains(self.b.nodes[*id].name.as_str()));
        // As many on both sides were renamed; other numbers say that something is new or gone.
        if left.len() != free.len() {
            return pairs;
        }
        // Where none is alike in everything, one may have lost a camera or a light.
        let mut free = Free::new(self.b, &free);
        left.retain(|id| match free.take_alike(self.a, *id, true) {
            Some(partner) => {
                pairs.push((*id, partner));
                false
            }
            None => true,
        });
        for id in left {
            pairs.extend(free.take_alike(self.a, id, false).map(|partner| (id, partner)));
        }
        pairs
    }

    /// Whether two nodes show the same kinds of things.
    fn alike(&self, a: NodeId, b: NodeId) -> bool {
        let (node_a, node_b) = (&self.a.nodes[a], &self.b.nodes[b]);
        let (drawn_a, drawn_b) = (drawn_kinds(self.a, node_a), drawn_kinds(self.b, node_b));
        let draw_alike = drawn_a & drawn_b != 0 || drawn_a == 0 || drawn_b == 0;
        kinds(node_a) == kinds(node_b) && draw_alike
    }

    fn is_same_place(&self, a: NodeId, b: NodeId) -> bool {
        let (place, other) = (&self.rest_a.worlds[a.index()], &self.rest_b.worlds[b.index()]);
        self.alike(a, b) && transform_distance(place, other) <= self.tolerance
    }

    /// Takes the node that is nearest to where the first Scene's is, of several with the same name; of equally near ones
    /// the first that is alike.
    fn take_nearest(&self, id: NodeId, list: &mut VecDeque<NodeId>) -> Option<NodeId> {
        let place = &self.rest_a.worlds[id.index()];
        // By distance, roughly, so that rounding does not decide; then what draws something is what draws something.
        let key = |other: &NodeId| {
            let apart = transform_distance(place, &self.rest_b.worlds[other.index()]);
            ((apart * 1e4).min(1e9) as u64, !self.alike(id, *other))
        };
        // So many of one name are in order, or nobody could tell them apart anyway.
        let near = list.iter().take(256);
        let nearest = near.enumerate().min_by_key(|(_, other)| key(other));
        let at = nearest.map(|(at, _)| at)?;
        list.remove(at)
    }

    /// Nodes in no scene, in order.
    fn loose(&mut self) {
        let roots = |scene: &Scene, taken: &[Option<NodeId>]| {
            let parents = parents(scene);
            let free = |id: &NodeId| taken[id.index()].is_none() && parents[id.index()].is_none();
            let rooted: BTreeSet<NodeId> = scene.scenes.iter().flat_map(|root| root.roots.clone()).collect();
            let in_scene = |id: &NodeId| rooted.contains(id);
            scene.nodes.ids().filter(|id| free(id) && !in_scene(id)).collect::<Vec<_>>()
        };
        let (a, b) = (roots(self.a, &self.matched.to_b), roots(self.b, &self.matched.to_a));
        self.below(a, b);
    }

    /// What hangs elsewhere but has the same name, and what hangs below it.
    fn by_name(&mut self) {
        let mut free: BTreeMap<&str, VecDeque<NodeId>> = BTreeMap::new();
        for (id, node) in self.b.nodes.iter() {
            if self.matched.to_a[id.index()].is_none() && !node.name.is_empty() {
                free.entry(&node.name).or_default().push_back(id);
            }
        }
        let left: Vec<NodeId> =
            self.a.nodes.ids().filter(|id| self.matched.to_b[id.index()].is_none()).collect();
        let mut namesakes = Vec::new();
        for a in left {
            let partner =
                free.get_mut(self.a.nodes[a].name.as_str()).and_then(|list| self.take_nearest(a, list));
            if let Some(b) = partner
                && self.pair(a, b)
            {
                namesakes.push((a, b));
            }
        }
        for (a, b) in &namesakes {
            self.below(self.a.nodes[*a].children.clone(), self.b.nodes[*b].children.clone());
        }
        let (parents_a, parents_b) = (parents(self.a), parents(self.b));
        let partner_of_parent =
            |a: NodeId| parents_a[a.index()].and_then(|parent| self.matched.to_b[parent.index()]);
        namesakes
            .retain(|(a, b)| partner_of_parent(*a).is_none_or(|parent| parents_b[b.index()] != Some(parent)));
        self.matched.moved = namesakes;
    }
}

/// What a node carries beside what it draws.
type Kinds = (bool, bool, bool, usize);

fn kinds(node: &Node) -> Kinds {
    (node.mesh.is_some(), node.camera.is_some(), node.light.is_some(), node.children.len())
}

/// Nodes that have no partner yet, by what they are; in each list the first is the next.
struct Free {
    nodes: BTreeMap<Kinds, [VecDeque<(usize, NodeId)>; 8]>,
}

impl Free {
    fn new(scene: &Scene, list: &[NodeId]) -> Self {
        let mut nodes: BTreeMap<Kinds, [VecDeque<(usize, NodeId)>; 8]> = BTreeMap::new();
        for (at, id) in list.iter().enumerate() {
            let node = &scene.nodes[*id];
            let alike = nodes.entry(kinds(node)).or_default();
            alike[usize::from(drawn_kinds(scene, node))].push_back((at, *id));
        }
        Self { nodes }
    }

    /// Takes the first that carries and draws the same kinds of things as a node of the other Scene; or, if not in
    /// everything, that draws something of the same kind and has as many below it.
    fn take_alike(&mut self, scene: &Scene, id: NodeId, in_everything: bool) -> Option<NodeId> {
        let node = &scene.nodes[id];
        let (wanted, drawn) = (kinds(node), usize::from(drawn_kinds(scene, node)));
        let carry = |kinds: &Kinds| *kinds == wanted || (!in_everything && kinds.3 == wanted.3);
        let draw = |kind: usize| kind & drawn != 0 || (in_everything && (kind == 0 || drawn == 0));
        let lists = match in_everything {
            true => self.nodes.range_mut(wanted..=wanted),
            false => self.nodes.range_mut(..),
        };
        let alike =
            lists.filter(|(kinds, _)| carry(kinds)).flat_map(|(_, lists)| lists.iter_mut().enumerate());
        let fitting = alike.filter(|(kind, list)| draw(*kind) && !list.is_empty());
        let first = fitting.min_by_key(|(_, list)| list.front().map(|(at, _)| *at));
        first.and_then(|(_, list)| list.pop_front()).map(|(_, id)| id)
    }
}

/// Which of triangles, lines and points a node draws, one bit for each.
fn drawn_kinds(scene: &Scene, node: &Node) -> u8 {
    let primitives = node.mesh.iter().flat_map(|mesh| &scene.meshes[*mesh].primitives);
    let drawn = primitives.filter(|primitive| !primitive.indices.is_empty());
    drawn.fold(0, |kinds, primitive| {
        kinds
            | match primitive.topology {
                Topology::Triangles => 1,
                Topology::Lines | Topology::LineStrip | Topology::LineLoop => 2,
                Topology::Points => 4,
            }
    })
}

/// The nodes without a partner. Stand-ins do not count: a missing level of detail is said where it is missing.
fn alone(scene: &Scene, partners: &[Option<NodeId>]) -> Vec<NodeId> {
    let stand_ins: BTreeSet<NodeId> =
        scene.nodes.values().flat_map(|node| &node.lods).map(|lod| lod.node).collect();
    let is_alone = |id: &NodeId| partners[id.index()].is_none() && !stand_ins.contains(id);
    scene.nodes.ids().filter(is_alone).collect()
}

impl Comparison<'_> {
    pub(super) fn nodes(&mut self) {
        self.hierarchy();
        let (parents_a, parents_b) = (parents(self.a), parents(self.b));
        let mut off = ErrorStats::default();
        let mut first_off = None;
        for (a, b) in self.matched.pairs.clone() {
            let path = self.node_path(a);
            let (parent_a, parent_b) = (parents_a[a.index()], parents_b[b.index()]);
            let same_parent = match (parent_a, parent_b) {
                (Some(parent), Some(other)) => self.matched.to_b[parent.index()] == Some(other),
                (None, None) => true,
                _ => false,
            };
            let world = |pose: &Pose, id: NodeId| self.placed(a, pose.worlds[id.index()]);
            let distance = self.transform_error(world(&self.rest_a, a), world(&self.rest_b, b));
            let local = |scene: &Scene, id: NodeId| self.placed(a, scene.nodes[id].transform.matrix());
            // What is carried along by a parent that is elsewhere is where it was.
            let carried = same_parent && self.transform_error(local(self.a, a), local(self.b, b)) == 0.0;
            let distance = if carried { 0.0 } else { distance };
            if distance > 0.0 {
                off.add(distance);
                first_off.get_or_insert(path.clone());
            }
            self.node(&path, a, b);
        }
        let path = first_off.unwrap_or_default();
        self.report.measured(Aspect::Transforms, path, "nodes are somewhere else", off, "scene units");
        self.cameras();
        self.lights();
    }

    /// Whether something is seen of a node of the first Scene itself. Where a Scene draws nothing at all, its nodes are
    /// all there is to it.
    pub(super) fn shows(&self, id: NodeId) -> bool {
        let node = &self.a.nodes[id];
        self.draws_nothing || node.mesh.is_some() || node.camera.is_some() || node.light.is_some()
    }

    /// A transform of a node of the first Scene, or of its partner: of joints and other nodes that show nothing only where
    /// they are and how they are turned counts, for what hangs on them is compared where it is.
    fn placed(&self, id: NodeId, mut matrix: Mat4) -> Mat4 {
        if !self.shows(id) {
            for axis in [&mut matrix.x_axis, &mut matrix.y_axis, &mut matrix.z_axis] {
                *axis = axis.normalize_or_zero();
            }
        }
        matrix
    }

    /// How far points of a unit box move between two transforms; zero within the tolerance.
    fn transform_error(&self, a: Mat4, b: Mat4) -> f64 {
        let largest = transform_distance(&a, &b);
        let size = a.to_cols_array().into_iter().fold(1.0f32, |m, x| m.max(x.abs()));
        if largest > self.tolerance.length.max(4e-6 * size) { f64::from(largest) } else { 0.0 }
    }

    fn hierarchy(&mut self) {
        let missing = alone(self.a, &self.matched.to_b);
        let added = alone(self.b, &self.matched.to_a);
        if let Some(first) = missing.first() {
            let message = format!("{} nodes are only in the first model", missing.len());
            self.report.counted(Aspect::Hierarchy, self.node_path(*first), message, missing.len());
        }
        if let Some(first) = added.first() {
            let message = format!("{} nodes are only in the second model", added.len());
            let name = &self.b.nodes[*first].name;
            let path = format!("nodes[{}] {name:?} of the second", first.index());
            self.report.counted(Aspect::Hierarchy, path, message, added.len());
        }
        if let Some((first, _)) = self.matched.moved.first() {
            let message = "nodes hang in another place of the tree";
            self.report.counted(Aspect::Hierarchy, self.node_path(*first), message, self.matched.moved.len());
        }
    }

    pub(super) fn node_path(&self, id: NodeId) -> String {
        match self.a.nodes[id].name.as_str() {
            "" => format!("nodes[{}]", id.index()),
            name => format!("nodes[{}] {name:?}", id.index()),
        }
    }

    fn node(&mut self, path: &str, id_a: NodeId, id_b: NodeId) {
        let (a, b) = (&self.a.nodes[id_a], &self.b.nodes[id_b]);
        self.name(path, &a.name, &b.name);
        self.extras(path, &a.extras, &b.extras);
        if a.visible != b.visible {
            let which = |visible| if visible { "shown" } else { "hidden" };
            let message =
                format!("is {} in the first model and {} in the second", which(a.visible), which(b.visible));
            self.report.push(Aspect::Visibility, path, message);
        }
        if a.lods.len() != b.lods.len() {
            let message = format!("has {} levels of detail and {}", a.lods.len(), b.lods.len());
            self.report.counted(Aspect::Lods, path, message, a.lods.len().abs_diff(b.lods.len()));
        }
        for (a, b) in a.lods.iter().zip(&b.lods) {
            let same = match (a.distance, b.distance) {
                (Some(a), Some(b)) => self.tolerance.same(a, b),
                (a, b) => a == b,
            };
            if !same {
                let message = format!("switches at the distance {:?} and {:?}", a.distance, b.distance);
                self.report.push(Aspect::Lods, path, message);
            }
        }
        let (rest_a, rest_b) = (&self.rest_a.weights[id_a.index()], &self.rest_b.weights[id_b.index()]);
        let still = |weights: &[f32]| weights.iter().all(|weight| *weight == 0.0);
        let both_still = still(rest_a) && still(rest_b);
        if !both_still && !self.tolerance.all_same(rest_a, rest_b) {
            self.report.push(Aspect::Morphs, path, "the morph weights at rest differ");
        }
        if let (Some(skin_a), Some(skin_b)) =
            (a.skin.and_then(|id| self.a.skins.get(id)), b.skin.and_then(|id| self.b.skins.get(id)))
        {
            self.name(&format!("{path}.skin"), &skin_a.name, &skin_b.name);
            self.extras(&format!("{path}.skin"), &skin_a.extras, &skin_b.extras);
        }
    }
}
