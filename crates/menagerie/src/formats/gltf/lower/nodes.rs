use std::collections::{BTreeMap, BTreeSet};

use glam::{Mat4, Quat, Vec3};
use serde_json::{Map, Value, json};

use super::super::accessor::Shape;
use super::super::extension;
use super::super::extras::{GLTF, Lowering, OWN};
use super::super::json::{self, Object};
use super::super::lift::remove_nodes;
use super::buffers::{Encoded, Use};
use super::{Lowerer, exact, number, numbers, object};
use crate::diag::Aspect;
use crate::diag::loss::ErrorStats;
use crate::scene::{
    Camera, Light, LightKind, MeshId, Node, NodeId, Projection, Property, Scene, SkinId, Transform,
    float_from_json, float_to_json, parents,
};

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

impl Lowerer<'_> {
    pub(super) fn nodes(&mut self) {
        let scene = self.scene;
        let parents = parents(scene);
        let skinned = self.skinned(&parents);
        for (id, node) in scene.nodes.iter() {
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
    }

    /// The skinned nodes that validators would warn of, and what is done about them.
    fn skinned(&self, parents: &[Option<NodeId>]) -> BTreeMap<NodeId, Skinned> {
        let scene = self.scene;
        let mut used: BTreeSet<NodeId> = BTreeSet::new();
        for (id, skin) in scene.skins.iter() {
            used.extend(&skin.joints);
            used.extend(skin.skeleton);
            used.extend(self.still_node(id));
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
            let below = parents.get(id.index()).copied().flatten().is_some() && !standing_in.contains(&id);
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
        let mesh = node.mesh.and_then(|mesh| self.scene.meshes.get(mesh));
        let bound = mesh.is_some_and(|mesh| {
            !mesh.primitives.is_empty()
                && mesh.primitives.iter().all(|p| !p.joints.is_empty() && !p.positions.is_empty())
        });
        let shared_unskinned = !self.from_gltf
            && self.scene.nodes.values().any(|other| other.mesh == node.mesh && other.skin.is_none());
        node.skin.is_some() && bound && !shared_unskinned
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
            children: node.children.iter().map(|child| child.index() as u32).collect(),
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
                self.losses.measured(Aspect::Transforms, path, message, stats, "scene units");
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
        for (id, skin) in self.scene.skins.iter() {
            let mut lowering = Lowering::new(&skin.extras);
            let mut joints: Vec<u32> = skin.joints.iter().map(|joint| joint.index() as u32).collect();
            let mut binds = skin.inverse_binds.clone();
            if let Some(still) = self.still_node(id) {
                lowering.put("still_joint", true);
                if !binds.is_empty() || joints.is_empty() {
                    binds.push(Mat4::IDENTITY);
                }
                joints.push(still.index() as u32);
            }
            if joints.is_empty() {
                lowering.put("no_joints", true);
                joints.push(0);
            }
            let values: Vec<f32> = binds.iter().flat_map(|matrix| matrix.to_cols_array()).collect();
            let inverse_bind_matrices =
                (!binds.is_empty()).then(|| self.packer.add(Use::Binds, Encoded::floats(&values, MAT4)));
            let (extras, extensions) = lowering.finish();
            self.document.skins.push(json::Skin {
                name: skin.name.clone(),
                inverse_bind_matrices,
                skeleton: skin.skeleton.map(|node| node.index() as u32),
                joints,
                extras,
                extensions,
                ..json::Skin::default()
            });
        }
    }

    /// The node that vertices without weights stay with, as one more joint of a skin: the first that shows them.
    fn still_node(&self, skin: SkinId) -> Option<NodeId> {
        let shows = |node: &Node| {
            let mesh = node.mesh.and_then(|mesh| self.scene.meshes.get(mesh));
            node.skin == Some(skin) && mesh.is_some_and(has_still_vertices) && self.writes_skin(node)
        };
        self.scene.nodes.iter().find(|(_, node)| shows(node)).map(|(id, _)| id)
    }

    /// The number of the joint that vertices of a mesh hang on that have no weights.
    pub(super) fn still_joint(&self, mesh: MeshId) -> Option<u16> {
        let node = self.scene.nodes.values().find(|node| node.mesh == Some(mesh) && node.skin.is_some())?;
        let skin = node.skin?;
        self.still_node(skin)?;
        u16::try_from(self.scene.skins.get(skin)?.joints.len()).ok()
    }

    pub(super) fn cameras(&mut self) {
        for (id, camera) in self.scene.cameras.iter() {
            let camera = self.camera(id.index(), camera);
            self.document.cameras.push(camera);
        }
    }

    fn camera(&mut self, index: usize, camera: &Camera) -> json::Camera {
        let mut lowering = Lowering::new(&camera.extras);
        let projection = allowed_projection(&camera.projection);
        if projection != camera.projection {
            lowering.put("projection", projection_to_json(&camera.projection));
            let message = "the camera has values that glTF does not allow; they are kept in extras";
            self.losses.approximated(Aspect::Cameras, format!("cameras[{index}]"), message);
        }
        let kept = |field: &str| camera.extras.get(GLTF, field).cloned();
        let inner_extras = kept("projection_extras");
        let inner_extensions =
            kept("projection_extensions").and_then(|e| e.as_object().cloned()).unwrap_or_default();
        let mut result = json::Camera { name: camera.name.clone(), ..json::Camera::default() };
        match projection {
            Projection::Perspective { yfov, aspect, near, far } => {
                result.r#type = "perspective".to_owned();
                result.perspective = Some(json::Perspective {
                    aspect_ratio: aspect,
                    yfov,
                    zfar: far,
                    znear: near,
                    extras: inner_extras,
                    extensions: inner_extensions,
                    ..json::Perspective::default()
                });
            }
            Projection::Orthographic { xmag, ymag, near, far } => {
                result.r#type = "orthographic".to_owned();
                result.orthographic = Some(json::Orthographic {
                    xmag,
                    ymag,
                    zfar: far,
                    znear: near,
                    extras: inner_extras,
                    extensions: inner_extensions,
                    ..json::Orthographic::default()
                });
            }
        }
        (result.extras, result.extensions) = lowering.finish();
        result
    }

    pub(super) fn lights(&mut self, root: &mut Lowering) {
        let mut list = Vec::new();
        for (id, light) in self.scene.lights.iter() {
            list.push(self.light(id.index(), light));
        }
        if !list.is_empty() {
            root.extension(extension::LIGHTS, object([("lights", Value::Array(list))]));
        }
    }

    fn light(&mut self, index: usize, light: &Light) -> Value {
        let mut lowering = Lowering::new(&light.extras);
        let allowed = allowed_light(light);
        if allowed != *light {
            lowering.put("light", light_to_json(light));
            let message = "the light has values that glTF does not allow; they are kept in extras";
            self.losses.approximated(Aspect::Lights, format!("lights[{index}]"), message);
        }
        if let Some(attenuation) = light.attenuation {
            lowering.put("attenuation", exact(&attenuation));
        }
        let mut members = Map::new();
        if !light.name.is_empty() {
            members.insert("name".to_owned(), json!(light.name));
        }
        let kind = match allowed.kind {
            LightKind::Point => "point",
            LightKind::Directional => "directional",
            LightKind::Spot { inner, outer } => {
                let mut spot = Map::new();
                if inner != 0.0 {
                    spot.insert("innerConeAngle".to_owned(), number(inner));
                }
                if outer != std::f32::consts::FRAC_PI_4 {
                    spot.insert("outerConeAngle".to_owned(), number(outer));
                }
                members.insert("spot".to_owned(), Value::Object(spot));
                "spot"
            }
        };
        members.insert("type".to_owned(), json!(kind));
        if allowed.color != [1.0; 3] {
            members.insert("color".to_owned(), numbers(&allowed.color));
        }
        if allowed.intensity != 1.0 {
            members.insert("intensity".to_owned(), number(allowed.intensity));
        }
        if let Some(range) = allowed.range {
            members.insert("range".to_owned(), number(range));
        }
        let (extras, extensions) = lowering.finish();
        if !extensions.is_empty() {
            members.insert("extensions".to_owned(), Value::Object(extensions));
        }
        if let Some(extras) = extras {
            members.insert("extras".to_owned(), extras);
        }
        Value::Object(members)
    }
}

fn is_identity(transform: &Transform) -> bool {
    *transform == Transform::IDENTITY
}

/// Whether a skinned mesh has vertices without weights.
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

fn transform_from_json(value: &Value) -> Option<Transform> {
    fn list<const N: usize>(value: &Value) -> Option<[f32; N]> {
        let list: Option<Vec<f32>> =
            value.as_array()?.iter().map(|x| float_from_json(x).filter(|x| x.is_finite())).collect();
        list?.try_into().ok()
    }
    if let Some(matrix) = value.get("matrix") {
        let matrix = Mat4::from_cols_array(&list(matrix)?);
        return (matrix.row(3) == glam::Vec4::W).then_some(Transform::Matrix(matrix));
    }
    let rotation = Quat::from_array(list(value.get("rotation")?)?);
    (rotation.length_squared() - 1.0).abs().le(&1e-3).then_some(())?;
    Some(Transform::Trs {
        translation: Vec3::from_array(list(value.get("translation")?)?),
        rotation,
        scale: Vec3::from_array(list(value.get("scale")?)?),
    })
}

/// The nearest projection that glTF allows.
pub(in super::super) fn allowed_projection(projection: &Projection) -> Projection {
    /// The nearest that a camera may see.
    const NEAREST: f32 = 1e-6;
    match *projection {
        Projection::Perspective { yfov, aspect, near, far } => {
            let near = if near > 0.0 { near } else { NEAREST };
            Projection::Perspective {
                yfov: if yfov > 0.0 { yfov.min(3.14) } else { 0.8 },
                aspect: aspect.filter(|&aspect| aspect > 0.0),
                near,
                far: far.filter(|&far| far > near),
            }
        }
        Projection::Orthographic { xmag, ymag, near, far } => {
            let near = near.max(0.0);
            let size = |x: f32| {
                if x > 0.0 {
                    x
                } else if x < 0.0 {
                    -x
                } else {
                    1.0
                }
            };
            let far = if far > near { far } else { near + near.abs().max(1.0) };
            Projection::Orthographic { xmag: size(xmag), ymag: size(ymag), near, far }
        }
    }
}

fn projection_to_json(projection: &Projection) -> Value {
    let mut members = Map::new();
    let mut put = |name: &str, value: Option<f32>| {
        if let Some(value) = value {
            members.insert(name.to_owned(), float_to_json(value));
        }
    };
    match *projection {
        Projection::Perspective { yfov, aspect, near, far } => {
            put("yfov", Some(yfov));
            put("aspect", aspect);
            put("near", Some(near));
            put("far", far);
        }
        Projection::Orthographic { xmag, ymag, near, far } => {
            put("xmag", Some(xmag));
            put("ymag", Some(ymag));
            put("near", Some(near));
            put("far", Some(far));
        }
    }
    Value::Object(members)
}

/// The nearest light that glTF allows.
pub(in super::super) fn allowed_light(light: &Light) -> Light {
    use std::f32::consts::FRAC_PI_2;
    let kind = match light.kind {
        LightKind::Spot { inner, outer } => {
            let outer = if outer > 0.0 { outer.min(FRAC_PI_2) } else { 1e-3 };
            // The inner angle is less than the outer one, not equal to it.
            let inner = inner.clamp(0.0, outer);
            LightKind::Spot { inner: if inner < outer { inner } else { outer.next_down() }, outer }
        }
        kind => kind,
    };
    Light {
        kind,
        color: light.color.map(|x| x.clamp(0.0, 1.0)),
        intensity: light.intensity.max(0.0),
        range: light.range.filter(|&range| range > 0.0 && kind != LightKind::Directional),
        ..light.clone()
    }
}

fn light_to_json(light: &Light) -> Value {
    let mut members = object([("color", exact(&light.color)), ("intensity", float_to_json(light.intensity))]);
    if let Some(range) = light.range {
        members.insert("range".to_owned(), float_to_json(range));
    }
    if let LightKind::Spot { inner, outer } = light.kind {
        members.insert("inner".to_owned(), float_to_json(inner));
        members.insert("outer".to_owned(), float_to_json(outer));
    }
    Value::Object(members)
}

/// A light with the values that glTF could not hold.
pub(in super::super) fn exact_light(value: &Value, light: &Light) -> Light {
    let number = |name: &str| value.get(name).and_then(float_from_json).filter(|x| x.is_finite());
    let color = value.get("color").and_then(Value::as_array).map(|list| {
        let list: Vec<f32> = list.iter().filter_map(float_from_json).filter(|x| x.is_finite()).collect();
        <[f32; 3]>::try_from(list).ok()
    });
    Light {
        kind: match (light.kind, number("inner"), number("outer")) {
            (LightKind::Spot { .. }, Some(inner), Some(outer)) => LightKind::Spot { inner, outer },
            (kind, ..) => kind,
        },
        color: color.flatten().unwrap_or(light.color),
        intensity: number("intensity").unwrap_or(light.intensity),
        range: number("range"),
        ..light.clone()
    }
}

/// Takes back what was only done for glTF's sake: moved and split nodes, joints and primitives that stand in.
pub(in super::super) fn fold_back(scene: &mut Scene) {
    still_joints(scene);
    let mut places: Vec<(NodeId, Object)> = Vec::new();
    let mut split: BTreeMap<NodeId, Option<NodeId>> = BTreeMap::new();
    let count = scene.nodes.len();
    for id in scene.nodes.ids() {
        let Some(node) = scene.nodes.get_mut(id) else { continue };
        if node.extras.get(OWN, "shown").is_some() {
            take_own(node, "shown");
            node.visible = true;
        }
        if let Some(Value::Object(place)) = take_own(node, "place") {
            places.push((id, place));
        }
        let of = take_own(node, "skin_of").and_then(|of| usize::try_from(of.as_u64()?).ok());
        if let Some(of) = of.filter(|&of| of < count && of != id.index()) {
            split.insert(id, Some(NodeId::new(of)));
        }
    }
    places.sort_by_key(|(_, place)| place.get("at").and_then(Value::as_u64).unwrap_or(0));
    for (id, place) in places {
        put_in_place(scene, id, &place);
    }
    let names: Vec<(NodeId, NodeId)> = split.iter().filter_map(|(id, of)| Some((*id, (*of)?))).collect();
    for (id, of) in names {
        let free = scene.nodes.get(of).is_some_and(|node| node.mesh.is_none() && node.skin.is_none());
        let childless = scene.nodes.get(id).is_some_and(|node| node.children.is_empty());
        if !free || !childless || split.contains_key(&of) {
            split.remove(&id);
            continue;
        }
        let Some(from) = scene.nodes.get(id).cloned() else { continue };
        if let Some(node) = scene.nodes.get_mut(of) {
            (node.mesh, node.skin, node.weights) = (from.mesh, from.skin, from.weights);
            node.lods = from.lods;
        }
        if let Some(node) = scene.nodes.get_mut(id) {
            node.lods.clear();
        }
    }
    remove_nodes(scene, &split);
}

/// Takes a field of ours out of a node's extras.
fn take_own(node: &mut Node, field: &str) -> Option<Value> {
    node.extras.get(OWN, field)?;
    let Some(Value::Object(mut own)) = node.extras.remove(OWN) else { return None };
    let value = own.shift_remove(field);
    if !own.is_empty() {
        node.extras.set_all(OWN, Value::Object(own));
    }
    value
}

/// Hangs a moved node where it was, unless it hangs somewhere by now.
fn put_in_place(scene: &mut Scene, id: NodeId, place: &Object) {
    if let Some(transform) = place.get("transform").and_then(transform_from_json)
        && let Some(node) = scene.nodes.get_mut(id)
        && is_identity(&node.transform)
    {
        node.transform = transform;
    }
    let number = |name: &str| place.get(name).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
    let (Some(parent), Some(at)) = (number("parent"), number("at")) else { return };
    let parents = parents(scene);
    let above =
        std::iter::successors(Some(NodeId::new(parent)), |id| parents.get(id.index()).copied().flatten());
    let own_ancestor = above.take(scene.nodes.len() + 1).any(|above| above == id);
    let hangs = parents.get(id.index()).copied().flatten().is_some();
    let children_of_lod = scene.nodes.values().any(|node| node.lods.iter().any(|lod| lod.node == id));
    if parent >= scene.nodes.len() || own_ancestor || hangs || children_of_lod {
        return;
    }
    scene.scenes.iter_mut().for_each(|scene| scene.roots.retain(|root| *root != id));
    if let Some(parent) = scene.nodes.get_mut(NodeId::new(parent)) {
        let at = at.min(parent.children.len());
        parent.children.insert(at, id);
    }
}

/// Vertices on the joint that stands for no weights get none again.
fn still_joints(scene: &mut Scene) {
    let mut still: BTreeMap<SkinId, u16> = BTreeMap::new();
    for id in scene.skins.ids() {
        let Some(skin) = scene.skins.get_mut(id) else { continue };
        let mut own = skin.extras.remove(OWN);
        let mut taken =
            |field: &str| own.as_mut().and_then(|own| own.as_object_mut()?.shift_remove(field)).is_some();
        let (is_still, none) = (taken("still_joint"), taken("no_joints"));
        if let Some(left) = own.filter(|own| own.as_object().is_none_or(|own| !own.is_empty())) {
            skin.extras.set_all(OWN, left);
        }
        if (is_still || none) && skin.joints.pop().is_some() {
            skin.inverse_binds.truncate(skin.joints.len());
            if is_still {
                still.insert(id, skin.joints.len() as u16);
            }
        }
    }
    let mut done: BTreeSet<MeshId> = BTreeSet::new();
    let users: Vec<(MeshId, u16)> =
        scene.nodes.values().filter_map(|node| Some((node.mesh?, *still.get(&node.skin?)?))).collect();
    for (mesh, joint) in users {
        if !done.insert(mesh) {
            continue;
        }
        for primitive in scene.meshes.get_mut(mesh).into_iter().flat_map(|mesh| &mut mesh.primitives) {
            for (joints, weights) in primitive.joints.iter_mut().zip(&mut primitive.weights) {
                let places = joints.as_flattened_mut().iter_mut().zip(weights.as_flattened_mut());
                for (place, weight) in places.filter(|(place, _)| **place == joint) {
                    (*place, *weight) = (0, 0.0);
                }
            }
        }
    }
}
