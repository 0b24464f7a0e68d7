use std::collections::{BTreeMap, BTreeSet};

use glam::{Mat4, Quat, Vec3};
use serde_json::{Map, Value, json};

use super::super::accessor::Shape;
use super::super::extension;
use super::super::extras::{GLTF, Lowering, OWN};
use super::super::json;
use super::buffers::{Encoded, Use};
use super::{Lowerer, exact, object};
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind};
use crate::scene::{Mesh, MeshId, Node, NodeId, Property, Scene, SkinId, Transform, float_to_json};

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
        let scenes: Vec<Value> = self.document.scenes.iter().map(|scene| json!(scene.nodes)).collect();
        lowering.put("joins", Value::Array(scenes));
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
                Some(skin) => lowering.put("skin", skin.index()),
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
            let mut place = Map::new();
            if let Some(parent) = parents.get(id.index()).copied().flatten() {
                let children = self.scene.nodes.get(parent).map(|parent| parent.children.as_slice());
                let at = children.and_then(|children| children.iter().position(|child| *child == id));
                if let Some(at) = at {
                    place.insert("parent".to_owned(), json!(parent.index()));
                    place.insert("at".to_owned(), json!(at));
                }
            }
            if !is_identity(&node.transform) {
                place.insert("transform".to_owned(), transform_to_json(&node.transform));
            }
            lowering.put("place", Value::Object(place));
        } else {
            self.transform(id, node, &mut result, &mut lowering);
        }
        if let Some(light) = node.light {
            lowering.extension(extension::LIGHTS, object([("light", json!(light.index()))]));
        }
        if !node.visible {
            lowering.extension(extension::VISIBILITY, object([("visible", json!(false))]));
        } else if node.extras.get(GLTF, "visible").is_some() {
            lowering.extension(extension::VISIBILITY, object([("visible", json!(true))]));
        }
        if skinned != Some(&Skinned::Split) {
            lods(node, &mut lowering);
        }
        (result.extras, result.extensions) = lowering.finish();
        result
    }

    fn transform(&mut self, id: NodeId, node: &Node, result: &mut json::Node, lowering: &mut Lowering) {
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
                lowering.put("matrix", exact(&matrix.to_cols_array()));
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
                Skinned::Split => self.split_off(id),
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
            let hidden = std::iter::successors(parent, |id| parents.get(id.index()).copied().flatten())
                .take(parents.len())
                .any(|id| self.scene.nodes.get(id).is_some_and(|node| !node.visible));
            if hidden && self.scene.nodes.get(id).is_some_and(|node| node.visible) {
                self.hide(root);
            }
        }
    }

    /// A new root with the mesh and skin of a node.
    fn split_off(&mut self, id: NodeId) -> u32 {
        let scene = self.scene;
        let Some(node) = scene.nodes.get(id) else { return 0 };
        let mut lowering = Lowering::default();
        lowering.put("skin_of", id.index());
        lods(node, &mut lowering);
        if !node.visible {
            lowering.extension(extension::VISIBILITY, object([("visible", json!(false))]));
        }
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

    /// Hides a node because one that it was below is hidden.
    fn hide(&mut self, node: u32) {
        let Some(node) = self.document.nodes.get_mut(node as usize) else { return };
        node.extensions
            .insert(extension::VISIBILITY.to_owned(), Value::Object(object([("visible", json!(false))])));
        let extras = node.extras.get_or_insert_with(|| json!({ OWN: {} }));
        if let Some(own) = extras.get_mut(OWN).and_then(Value::as_object_mut) {
            own.insert("shown".to_owned(), json!(true));
        }
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
            let mut joints: Vec<u32> = skin.joints.iter().map(|joint| joint.index() as u32).collect();
            let mut binds = skin.inverse_binds.clone();
            if let Some(still) = self.still_node(id) {
                lowering.put("still_joint", true);
                if !binds.is_empty() || joints.is_empty() {
                    binds.push(Mat4::IDENTITY);
                }
                joints.push(still);
            }
            if joints.is_empty() {
                lowering.put("no_joints", true);
                joints.push(0);
            }
            // glTF wants the skeleton's root above all joints; another one is kept beside.
            let skeleton =
                skin.skeleton.filter(|root| joints.iter().all(|joint| is_below(&parents, *joint, *root)));
            if let Some(root) = skin.skeleton.filter(|_| skeleton.is_none()) {
                lowering.put("skeleton", root.index());
            }
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
                lowering.put("helper", true);
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

fn lods(node: &Node, lowering: &mut Lowering) {
    if node.lods.is_empty() {
        return;
    }
    let ids: Value = node.lods.iter().map(|lod| lod.node.index()).collect();
    lowering.extension(extension::LOD, object([("ids", ids)]));
    if node.lods.iter().any(|lod| lod.distance.is_some()) {
        let distances = node.lods.iter().map(|lod| lod.distance.map_or(Value::Null, float_to_json));
        lowering.put("lod_distances", distances.collect::<Value>());
    }
}

fn transform_to_json(transform: &Transform) -> Value {
    match transform {
        Transform::Trs { translation, rotation, scale } => json!({
            "translation": exact(&translation.to_array()),
            "rotation": exact(&rotation.to_array()),
            "scale": exact(&scale.to_array()),
        }),
        Transform::Matrix(matrix) => json!({ "matrix": exact(&matrix.to_cols_array()) }),
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
