//! Nodes, scenes and skins, with skinned meshes where glTF wants them.

use std::collections::{BTreeMap, BTreeSet};

use glam::{Mat4, Quat, Vec3};
use serde_json::{Value, json};

use super::super::accessor::Shape;
use super::super::extension;
use super::super::extras::Lowering;
use super::super::json;
use super::super::notes::in_file::{KeptTransform, NodeNote, Place, SkinNote};
use super::super::notes::in_scene::NodeKept;
use super::super::notes::{Float, Note as _, exactly};
use super::buffers::{Encoded, Use};
use super::{Lowerer, object};
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind};
use crate::scene::{Mesh, MeshId, Node, NodeId, Property, Scene, SkinId, Transform};

const MAT4: Shape = Shape { rows: 4, columns: 4 };

/// The largest shear, as a difference of matrix elements relative to their size, that is only rounding.
const SHEAR_TOLERANCE: f32 = 1e-5;

/// What happens to a node that shows a skinned mesh. In glTF such a mesh stands where its joints are, whatever its own
/// node's place; validators warn where a file looks as if its author did not know that.
#[derive(Clone, Debug, PartialEq)]
enum Skinned {
    /// It becomes a root without transform; its place is kept in extras.
    Moved,
    /// Mesh and skin go to a new root; the node stays as it is without them.
    Split,
}

/// What vertices hang on that have no weights and stay with their node.
enum Still {
    /// A joint that the skin has.
    Joint(usize),
    /// The node itself, as one more joint.
    Node(NodeId),
    /// A new node below it, as one more joint.
    Below(NodeId),
}

impl Lowerer<'_> {
    pub(super) fn nodes(&mut self) {
        let scene = self.scene;
        let parents = tree_parents(scene);
        let skinned = self.skinned(&parents);
        for (id, node) in scene.nodes.iter().filter(|(id, _)| !self.tables.holds(*id)).collect::<Vec<_>>() {
            let node = self.node(id, node, &parents, skinned.get(&id));
            self.document.nodes.push(node);
        }
        self.skins();
        for root in &scene.scenes {
            let (extras, extensions) = Lowering::new(&root.extras).finish();
            let nodes = root.roots.iter().map(|root| root.index() as u32).collect();
            self.document.scenes.push(json::Scene {
                name: root.name.clone(),
                nodes,
                extras,
                extensions,
                ..Default::default()
            });
        }
        self.new_roots(&parents, &skinned);
        if !self.from_gltf {
            self.common_roots(&parents);
        }
    }

    /// The joints of a skin must have an ancestor in common: where they have none, the roots of the scene get one.
    fn common_roots(&mut self, parents: &[Option<NodeId>]) {
        let top = |id: NodeId| {
            std::iter::successors(Some(id), |id| parents.get(id.index()).copied().flatten())
                .take(parents.len())
                .last()
        };
        let mut apart: BTreeSet<u32> = BTreeSet::new();
        for skin in self.scene.skins.values() {
            let tops: BTreeSet<u32> =
                skin.joints.iter().filter_map(|&j| top(j)).map(|id| id.index() as u32).collect();
            if tops.len() > 1 {
                apart.extend(tops);
            }
        }
        if apart.is_empty() {
            return;
        }
        let mut lowering = Lowering::default();
        let roots = |scene: &json::Scene| scene.nodes.iter().map(|&node| node as usize).collect();
        let joins = self.document.scenes.iter().map(roots).collect();
        lowering.put(&NodeNote { joins: Some(joins), ..NodeNote::default() });
        let (extras, _) = lowering.finish();
        let root = self.document.nodes.len() as u32;
        let children = apart.iter().copied().collect();
        self.document.nodes.push(json::Node { children, extras, ..json::Node::default() });
        for scene in &mut self.document.scenes {
            let before = scene.nodes.len();
            scene.nodes.retain(|node| !apart.contains(node));
            if scene.nodes.len() != before {
                scene.nodes.push(root);
            }
        }
        let message = "a root was added, because the joints of a skin must have one in common";
        self.losses.added(Aspect::Hierarchy, format!("nodes[{root}]"), message);
    }

    /// The skinned nodes that validators would warn of, and what is done about them.
    fn skinned(&self, parents: &[Option<NodeId>]) -> BTreeMap<NodeId, Skinned> {
        let scene = self.scene;
        let mut used: BTreeSet<NodeId> = BTreeSet::new();
        for (id, skin) in scene.skins.iter() {
            used.extend(&skin.joints);
            used.extend(skin.skeleton);
            if let Some(Still::Node(node) | Still::Below(node)) = self.still(id) {
                used.insert(node);
            }
        }
        let standing_in: BTreeSet<NodeId> =
            scene.nodes.values().flat_map(|node| node.lods.iter().map(|lod| lod.node)).collect();
        let animated: BTreeSet<NodeId> = scene
            .animations
            .iter()
            .flat_map(|animation| &animation.channels)
            .filter(|channel| channel.property != Property::Weights)
            .map(|channel| channel.node)
            .collect();
        let mut skinned = BTreeMap::new();
        for (id, node) in scene.nodes.iter().filter(|(_, node)| self.writes_skin(node)) {
            let below = parents.get(id.index()).copied().flatten().is_some();
            let above = std::iter::successors(parents.get(id.index()).copied().flatten(), |id| {
                parents.get(id.index()).copied().flatten()
            });
            if above.take(parents.len()).any(|id| standing_in.contains(&id)) {
                // Below a level of detail it has to stay.
                continue;
            }
            let misleading = below || !is_identity(&node.transform) || animated.contains(&id);
            let alone = node.children.is_empty()
                && node.camera.is_none()
                && node.light.is_none()
                && !used.contains(&id)
                && !animated.contains(&id);
            match (misleading, alone) {
                (true, true) => skinned.insert(id, Skinned::Moved),
                (true, false) if !self.from_gltf && !standing_in.contains(&id) => {
                    skinned.insert(id, Skinned::Split)
                }
                _ => None,
            };
        }
        skinned
    }

    /// Whether the node's skin can be written: its mesh has joints.
    fn writes_skin(&self, node: &Node) -> bool {
        self.showing.writes_skin(self.scene, node)
    }

    fn node(
        &mut self,
        id: NodeId,
        node: &Node,
        parents: &[Option<NodeId>],
        skinned: Option<&Skinned>,
    ) -> json::Node {
        let mut lowering = Lowering::new(&node.extras);
        let mut note = NodeNote::default();
        let mut result = json::Node {
            name: node.name.clone(),
            children: node
                .children
                .iter()
                .filter(|child| !self.tables.holds(**child))
                .map(|child| child.index() as u32)
                .collect(),
            camera: node.camera.map(|camera| camera.index() as u32),
            ..json::Node::default()
        };
        if skinned != Some(&Skinned::Split) {
            result.mesh = node.mesh.map(|mesh| mesh.index() as u32);
            result.weights = node.weights.clone();
            match node.skin {
                Some(skin) if self.writes_skin(node) => result.skin = Some(skin.index() as u32),
                Some(skin) => note.skin = Some(skin.index()),
                None => {}
            }
        }
        if self.tables.is_parent(id)
            && let Some((mesh, weights)) = self.table(node, &mut lowering)
        {
            result.mesh = Some(mesh.index() as u32);
            result.weights = weights;
        }
        if skinned == Some(&Skinned::Moved) {
            note.place = Some(self.place(id, node, parents));
        } else {
            self.transform(id, node, &mut result, &mut note);
        }
        if let Some(light) = node.light {
            lowering.extension(extension::LIGHTS, object([("light", json!(light.index()))]));
        }
        if !node.visible {
            lowering.extension(extension::VISIBILITY, object([("visible", json!(false))]));
        } else if NodeKept::of(&node.extras).visible.is_some() {
            lowering.extension(extension::VISIBILITY, object([("visible", json!(true))]));
        }
        if skinned != Some(&Skinned::Split) {
            lods(node, &mut lowering, &mut note);
        }
        if skinned == Some(&Skinned::Moved) && self.is_below_hidden(id, parents) {
            hide(&mut lowering, &mut note);
        }
        lowering.put(&note);
        (result.extras, result.extensions) = lowering.finish();
        result
    }

    /// Where a node hangs that is made a root.
    fn place(&self, id: NodeId, node: &Node, parents: &[Option<NodeId>]) -> Place {
        let parent = parents.get(id.index()).copied().flatten();
        let children = parent.and_then(|parent| Some(&self.scene.nodes.get(parent)?.children));
        let at = children.and_then(|children| children.iter().position(|child| *child == id));
        Place {
            parent: parent.filter(|_| at.is_some()).map(|parent| parent.index()),
            at,
            transform: (!is_identity(&node.transform)).then(|| KeptTransform::of(&node.transform)),
        }
    }

    /// Whether a node is visible itself, and one that it hangs below is not.
    fn is_below_hidden(&self, id: NodeId, parents: &[Option<NodeId>]) -> bool {
        let parent = |id: &NodeId| parents.get(id.index()).copied().flatten();
        let visible = |id: NodeId| self.scene.nodes.get(id).is_some_and(|node| node.visible);
        let mut above = std::iter::successors(parent(&id), parent).take(parents.len());
        visible(id) && above.any(|id| !visible(id))
    }

    fn transform(&mut self, id: NodeId, node: &Node, result: &mut json::Node, note: &mut NodeNote) {
        let trs = |result: &mut json::Node, translation: Vec3, rotation: Quat, scale: Vec3| {
            result.translation = Some(translation.to_array()).filter(|t| *t != [0.0; 3]);
            result.rotation = Some(rotation.to_array()).filter(|r| *r != [0.0, 0.0, 0.0, 1.0]);
            result.scale = Some(scale.to_array()).filter(|s| *s != [1.0; 3]);
        };
        match node.transform {
            Transform::Trs { translation, rotation, scale } => trs(result, translation, rotation, scale),
            Transform::Matrix(matrix) => {
                let (translation, rotation, scale, off) = node.transform.to_trs();
                let size = matrix.to_cols_array().into_iter().take(12).fold(1.0f32, |m, x| m.max(x.abs()));
                let flat = scale.to_array().contains(&0.0);
                if (off <= SHEAR_TOLERANCE * size && !flat) || self.from_gltf {
                    result.matrix = Some(matrix.to_cols_array());
                    return;
                }
                note.matrix = Some(exactly(matrix.to_cols_array()));
                trs(result, translation, rotation, scale);
                let mut stats = ErrorStats::default();
                stats.add(off.into());
                let message = "the node's shear is kept in extras; other programs see it without";
                let path = format!("nodes[{}].transform", id.index());
                let loss = Loss::new(Aspect::Transforms, LossKind::Approximated, path, message);
                self.losses.push(Loss { noted: true, ..loss.measured(stats, "scene units") });
            }
        }
    }

    /// Makes moved nodes roots, and adds the roots that mesh and skin were split off to.
    fn new_roots(&mut self, parents: &[Option<NodeId>], skinned: &BTreeMap<NodeId, Skinned>) {
        for (&id, what) in skinned {
            let parent = parents.get(id.index()).copied().flatten();
            let root = match what {
                Skinned::Moved => {
                    if let Some(parent) =
                        parent.and_then(|parent| self.document.nodes.get_mut(parent.index()))
                    {
                        parent.children.retain(|&child| child as usize != id.index());
                    }
                    id.index() as u32
                }
                Skinned::Split => self.split_off(id, parents),
            };
            if parent.is_none() && *what == Skinned::Moved {
                continue;
            }
            let top = std::iter::successors(Some(id), |id| parents.get(id.index()).copied().flatten())
                .take(parents.len())
                .last();
            for scene in &mut self.document.scenes {
                if top.is_some_and(|top| scene.nodes.contains(&(top.index() as u32)))
                    && !scene.nodes.contains(&root)
                {
                    scene.nodes.push(root);
                }
            }
        }
    }

    /// A new root with the mesh and skin of a node.
    fn split_off(&mut self, id: NodeId, parents: &[Option<NodeId>]) -> u32 {
        let scene = self.scene;
        let Some(node) = scene.nodes.get(id) else { return 0 };
        let mut lowering = Lowering::default();
        let mut note = NodeNote { skin_of: Some(id.index()), ..NodeNote::default() };
        lods(node, &mut lowering, &mut note);
        if !node.visible {
            lowering.extension(extension::VISIBILITY, object([("visible", json!(false))]));
        }
        if self.is_below_hidden(id, parents) {
            hide(&mut lowering, &mut note);
        }
        lowering.put(&note);
        let (extras, extensions) = lowering.finish();
        self.document.nodes.push(json::Node {
            name: node.name.clone(),
            mesh: node.mesh.map(|mesh| mesh.index() as u32),
            skin: node.skin.map(|skin| skin.index() as u32),
            weights: node.weights.clone(),
            extras,
            extensions,
            ..json::Node::default()
        });
        let root = (self.document.nodes.len() - 1) as u32;
        self.split.insert(id, root);
        let message = "its skinned mesh is at a node of its own, as glTF wants it";
        self.losses.added(Aspect::Hierarchy, format!("nodes[{}]", id.index()), message);
        root
    }

    fn skins(&mut self) {
        // A skin has at least one joint, and joints are nodes.
        if self.scene.nodes.is_empty() {
            let count = self.scene.skins.len();
            if count > 0 {
                let message = "skins in a model without any node have no place in glTF";
                let loss = Loss::new(Aspect::Skins, LossKind::Dropped, "skins", message).count(count);
                // Nothing was bound to them, so nothing differs that could be seen.
                self.losses.push(Loss { unread: true, ..loss });
            }
            return;
        }
        let parents = crate::scene::parents(self.scene);
        for (id, skin) in self.scene.skins.iter() {
            let mut lowering = Lowering::new(&skin.extras);
            let mut note = SkinNote::default();
            let mut joints: Vec<u32> = skin.joints.iter().map(|joint| joint.index() as u32).collect();
            let mut binds = skin.inverse_binds.clone();
            if let Some(still) = self.still_node(id) {
                note.still_joint = Some(true);
                if !binds.is_empty() || joints.is_empty() {
                    binds.push(Mat4::IDENTITY);
                }
                joints.push(still);
            }
            if joints.is_empty() {
                note.no_joints = Some(true);
                joints.push(0);
            }
            // glTF wants the skeleton's root above all joints; another one is kept beside.
            let skeleton =
                skin.skeleton.filter(|root| joints.iter().all(|joint| is_below(&parents, *joint, *root)));
            note.skeleton = skin.skeleton.filter(|_| skeleton.is_none()).map(|root| root.index());
            lowering.put(&note);
            let values: Vec<f32> = binds.iter().flat_map(|matrix| matrix.to_cols_array()).collect();
            let inverse_bind_matrices =
                (!binds.is_empty()).then(|| self.packer.add(Use::Binds, Encoded::floats(values, MAT4)));
            let (extras, extensions) = lowering.finish();
            self.document.skins.push(json::Skin {
                name: skin.name.clone(),
                inverse_bind_matrices,
                skeleton: skeleton.map(|node| node.index() as u32),
                joints,
                extras,
                extensions,
                ..json::Skin::default()
            });
        }
    }

    /// Where vertices without weights hang in a skin: with the first node that shows such a mesh with it.
    fn still(&self, skin: SkinId) -> Option<Still> {
        let node = *self.showing.still.get(&skin)?;
        let skin = self.scene.skins.get(skin)?;
        Some(match skin.joints.iter().position(|joint| *joint == node) {
            None => Still::Node(node),
            Some(joint) if skin.inverse_bind(joint) == Mat4::IDENTITY || self.from_gltf => {
                Still::Joint(joint)
            }
            Some(_) => Still::Below(node),
        })
    }

    /// The number of the joint that vertices of a mesh hang on that have no weights.
    pub(super) fn still_joint(&self, mesh: MeshId) -> Option<u16> {
        let skin = *self.showing.skins.get(&mesh)?;
        let joint = match self.still(skin)? {
            Still::Joint(joint) => joint,
            _ => self.scene.skins.get(skin)?.joints.len(),
        };
        u16::try_from(joint).ok()
    }

    /// The node of one more joint for vertices without weights, where a skin needs one.
    fn still_node(&mut self, skin: SkinId) -> Option<u32> {
        match self.still(skin)? {
            Still::Joint(_) => None,
            Still::Node(node) => Some(node.index() as u32),
            Still::Below(node) => {
                let mut lowering = Lowering::default();
                lowering.put(&NodeNote { helper: Some(true), ..NodeNote::default() });
                let (extras, _) = lowering.finish();
                self.document.nodes.push(json::Node { extras, ..json::Node::default() });
                let helper = (self.document.nodes.len() - 1) as u32;
                if let Some(node) = self.document.nodes.get_mut(node.index()) {
                    node.children.push(helper);
                }
                let message = "vertices without weights got a joint of their own";
                self.losses.added(Aspect::Hierarchy, format!("nodes[{}]", node.index()), message);
                Some(helper)
            }
        }
    }
}

/// The parent of every node, without regard to levels of detail.
fn tree_parents(scene: &Scene) -> Vec<Option<NodeId>> {
    let mut parents = vec![None; scene.nodes.len()];
    for (id, node) in scene.nodes.iter() {
        for child in &node.children {
            if let Some(parent) = parents.get_mut(child.index()) {
                *parent = Some(id);
            }
        }
    }
    parents
}

fn is_identity(transform: &Transform) -> bool {
    *transform == Transform::IDENTITY
}

/// Whether a skinned mesh has vertices without weights.
/// Which nodes show which meshes with which skins, looked up once for all.
pub(super) struct Showing {
    /// Meshes that some node shows without a skin, where that keeps others from being skinned.
    unskinned: BTreeSet<MeshId>,
    /// The skin of the first node that shows a mesh with one.
    skins: BTreeMap<MeshId, SkinId>,
    /// The first node that shows a mesh of vertices without weights with a skin.
    still: BTreeMap<SkinId, NodeId>,
}

impl Showing {
    pub(super) fn of(scene: &Scene, from_gltf: bool) -> Self {
        let mut showing = Self { unskinned: BTreeSet::new(), skins: BTreeMap::new(), still: BTreeMap::new() };
        for node in scene.nodes.values() {
            match (node.mesh, node.skin) {
                (Some(mesh), Some(skin)) => {
                    showing.skins.entry(mesh).or_insert(skin);
                }
                (Some(mesh), None) if !from_gltf => {
                    showing.unskinned.insert(mesh);
                }
                _ => {}
            }
        }
        let still = |(id, mesh): (MeshId, &Mesh)| has_still_vertices(mesh).then_some(id);
        let still: BTreeSet<MeshId> = scene.meshes.iter().filter_map(still).collect();
        for (id, node) in scene.nodes.iter() {
            let Some(skin) = node.skin.filter(|_| node.mesh.is_some_and(|mesh| still.contains(&mesh))) else {
                continue;
            };
            if showing.writes_skin(scene, node) {
                showing.still.entry(skin).or_insert(id);
            }
        }
        showing
    }

    fn writes_skin(&self, scene: &Scene, node: &Node) -> bool {
        let Some((mesh, id)) = node.mesh.and_then(|id| Some((scene.meshes.get(id)?, id))) else {
            return false;
        };
        node.skin.is_some()
            && !self.unskinned.contains(&id)
            && !mesh.primitives.is_empty()
            && mesh.primitives.iter().all(|p| !p.joints.is_empty() && !p.positions.is_empty())
    }
}

fn has_still_vertices(mesh: &crate::scene::Mesh) -> bool {
    mesh.primitives.iter().filter(|p| !p.weights.is_empty()).any(|p| {
        (0..p.positions.len()).any(|vertex| {
            p.weights.iter().filter_map(|set| set.get(vertex)).flatten().all(|&weight| weight == 0.0)
        })
    })
}

/// Hides a node because one that it was below is hidden.
fn hide(lowering: &mut Lowering, note: &mut NodeNote) {
    lowering.extension(extension::VISIBILITY, object([("visible", json!(false))]));
    note.shown = Some(true);
}

fn lods(node: &Node, lowering: &mut Lowering, note: &mut NodeNote) {
    if node.lods.is_empty() {
        return;
    }
    let ids: Value = node.lods.iter().map(|lod| lod.node.index()).collect();
    lowering.extension(extension::LOD, object([("ids", ids)]));
    if node.lods.iter().any(|lod| lod.distance.is_some()) {
        note.lod_distances = Some(node.lods.iter().map(|lod| lod.distance.map(Float)).collect());
    }
}

/// Whether a node is another one or below it.
fn is_below(parents: &[Option<NodeId>], node: u32, root: NodeId) -> bool {
    let mut at = Some(NodeId::new(node as usize));
    while let Some(id) = at {
        if id == root {
            return true;
        }
        at = parents.get(id.index()).copied().flatten();
    }
    false
}
