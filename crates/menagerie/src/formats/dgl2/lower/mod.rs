//! Scene to DGL2.
//!
//! Every node becomes an entity with its place in the world, for DGL2 has no tree. Each mesh becomes one TRIMESH that
//! all of its nodes share; skinned and morphed meshes are written in their shape at rest. Chunks come in the order of the
//! original writer: HEADER, meshes, entities, materials, unknown chunks, END.

mod material;
mod mesh;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::dml::{self, Value as _};
use super::lift::LIGHT;
use super::model::{Chunk, ChunkData, EntityData, MaterialData, Model, Properties, kind};
use super::surface::{Pairs, color, get, set};
use super::{FORMAT, VDirection};
use crate::bytes::utf8_or_windows_1252;
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind, LossReport};
use crate::formats::{Purpose, WriteOptions, engine, kept_nodes, report_unheld};
use crate::scene::{
    AlphaMode, Blend, CheckedScene, Extras, Light, LightKind, MaterialId, MeshId, Node, NodeId, Pose, Scene,
    SceneRoot, Transform, check, transform_distance,
};

/// Makes a file model of a Scene, and reports what that cost.
pub fn lower(scene: CheckedScene<'_>, options: &WriteOptions, losses: &mut LossReport) -> Model {
    report_unheld(&scene, &FORMAT, losses);
    let from_file = scene.extras.of(FORMAT.id).is_some()
        || scene.shown().is_some_and(|root| root.extras.of(FORMAT.id).is_some());
    let mend = options.purpose == Purpose::Engine || (options.purpose == Purpose::Both && !from_file);
    // The engine shows mirrored entities inside out (engines.md DGL2 E7).
    let turned = if mend { engine::without_mirrors(&scene, losses) } else { None };
    let turned = turned.as_ref().and_then(|scene| check(scene).ok());
    let scene = turned.unwrap_or(scene).scene();
    report_names(scene, losses);
    let bottom = scene.extras.get(FORMAT.id, "v").and_then(Value::as_str) == Some("bottom");
    let used: BTreeSet<MaterialId> = scene
        .meshes
        .values()
        .flat_map(|mesh| &mesh.primitives)
        .filter_map(|primitive| primitive.material)
        .collect();
    let mut lowering = Lowering {
        scene,
        rest: Pose::rest(scene),
        losses,
        purpose: options.purpose,
        text: options.settings.get("dgl2-text").map(|text| text == "2015"),
        v: if bottom { VDirection::Bottom } else { VDirection::Top },
        material_ids: ids(scene
            .materials
            .iter()
            .map(|(id, material)| (&material.extras, used.contains(&id)))),
        meshes: Vec::new(),
        mesh_of: BTreeMap::new(),
        shown: shown(scene),
    };
    let nodes = kept_nodes(scene);
    lowering.meshes(&nodes);
    let entities = lowering.entities(&nodes);
    let materials = lowering.materials();
    let mut model = Model::default();
    model.chunks.extend(header(scene.shown()));
    model.chunks.append(&mut lowering.meshes);
    model.chunks.extend(entities);
    model.chunks.extend(materials);
    if !from_file {
        number_names(&mut model.chunks, losses);
    }
    model.chunks.extend(unknown_chunks(scene));
    model.chunks.push(end(scene));
    model
}

struct Lowering<'a> {
    scene: &'a Scene,
    rest: Pose,
    losses: &'a mut LossReport,
    purpose: Purpose,
    /// Whether texts are to be in braces, where that was asked for.
    text: Option<bool>,
    v: VDirection,
    material_ids: Vec<i32>,
    /// The TRIMESH chunks.
    meshes: Vec<Chunk>,
    /// The id of the mesh that a node shows.
    mesh_of: BTreeMap<NodeId, i32>,
    /// For each node whether it and all above it are visible: there is no tree to hide what is below.
    shown: Vec<bool>,
}

impl Lowering<'_> {
    fn material_id(&self, material: Option<MaterialId>) -> i32 {
        material.and_then(|id| self.material_ids.get(id.index())).copied().unwrap_or(-1)
    }

    fn entities(&mut self, nodes: &[NodeId]) -> Vec<Chunk> {
        self.report_flattening(nodes);
        let list: Vec<&Node> = nodes.iter().filter_map(|id| self.scene.nodes.get(*id)).collect();
        let entity_ids = ids(list.iter().map(|node| (&node.extras, false)));
        let mut chunks = Vec::new();
        for ((id, node), entity_id) in nodes.iter().zip(list).zip(entity_ids) {
            let data = self.entity(*id, node);
            let name = self.name(&node.extras, &node.name);
            chunks.push(Chunk { kind: kind::ENTITY, id: entity_id, name, data });
        }
        chunks
    }

    fn entity(&mut self, id: NodeId, node: &Node) -> ChunkData {
        let world = self.rest.worlds.get(id.index()).copied().unwrap_or_default();
        // A node without a parent keeps the bits of its place.
        let transform = match node.transform {
            Transform::Trs { .. } if node.transform.matrix() == world => node.transform,
            _ => Transform::Matrix(world),
        };
        let (position, rotation, scaling, _) = transform.to_trs();
        let number = |name: &str| node.extras.get(FORMAT.id, name).and_then(Value::as_i64);
        let kept = |name: &str| number(name).and_then(|n| i32::try_from(n).ok());
        let light = node.light.and_then(|light| self.scene.lights.get(light));
        let kind = match (number("type").and_then(|kind| u32::try_from(kind).ok()), light) {
            (_, Some(_)) => LIGHT,
            (Some(LIGHT) | None, None) => 0,
            (Some(kind), None) => kind,
        };
        let text = self.properties(id, node, light);
        let after = unhex(node.extras.get(FORMAT.id, "after"));
        ChunkData::Entity(Box::new(EntityData {
            kind,
            material: kept("material_id").filter(|_| self.purpose != Purpose::Engine).unwrap_or(-1),
            mesh: self.mesh_of.get(&id).copied().or_else(|| kept("mesh_id")).unwrap_or(-1),
            position: position.to_array(),
            rotation: rotation.to_array(),
            scaling: scaling.to_array(),
            properties: Properties { stated_size: None, text, after },
        }))
    }

    /// The properties of an entity: those that it had, changed where the node says something else.
    fn properties(&mut self, id: NodeId, node: &Node, light: Option<&Light>) -> Vec<u8> {
        let (mut pairs, braced) = kept_properties(&node.extras);
        let fresh = node.extras.get(FORMAT.id, "properties").is_none();
        if let Some(light) = light {
            self.report_light(id, light);
            let [r, g, b] = light.color;
            let old = get(&pairs, "color").and_then(color).map_or([1.0; 3], |[r, g, b, _]| [r, g, b]);
            if fresh || old != light.color {
                set(&mut pairs, "color", dml::vector(&[r, g, b, 1.0]));
            }
        }
        let flag = |on: bool| if on { "1" } else { "0" }.to_owned();
        let visible = get(&pairs, "visible").and_then(|value| value.as_bool()).unwrap_or(true);
        let shown = self.shown.get(id.index()).copied().unwrap_or(node.visible);
        if visible != shown || (fresh && light.is_none()) {
            set(&mut pairs, "visible", flag(shown));
        }
        if fresh && self.is_see_through(node) {
            set(&mut pairs, "transparent", flag(true));
        }
        if self.purpose == Purpose::Engine {
            mend_entity(&mut pairs);
        }
        self.text(&format!("nodes[{}]", id.index()), pairs, braced)
    }

    fn is_see_through(&self, node: &Node) -> bool {
        let mesh = node.mesh.and_then(|mesh| self.scene.meshes.get(mesh));
        let materials =
            mesh.iter().flat_map(|mesh| &mesh.primitives).filter_map(|primitive| primitive.material);
        let alphas = materials.filter_map(|id| self.scene.materials.get(id)).map(|material| material.alpha);
        alphas.into_iter().any(|alpha| alpha == AlphaMode::Blend(Blend::Alpha))
    }

    /// Properties as text; what DML cannot say is left out and reported.
    fn text(&mut self, path: &str, mut pairs: Pairs, braced: bool) -> Vec<u8> {
        let before = pairs.len();
        pairs.retain(|pair| dml::write(std::slice::from_ref(pair), false).is_ok());
        if pairs.len() < before {
            let message = "properties with quotes, or with names that DML cannot say, were left out";
            self.losses.push(
                Loss::new(Aspect::Extras, LossKind::Dropped, path, message).count(before - pairs.len()),
            );
        }
        dml::write(&pairs, self.braced(braced)).unwrap_or_default()
    }

    /// Whether a text is written in braces (engines.md DGL2 E1): as asked for, or as the file had it, but never for the
    /// engine, which knows none since 2016.
    fn braced(&self, kept: bool) -> bool {
        self.text.unwrap_or(kept && self.purpose != Purpose::Engine)
    }

    /// A name as bytes; DGL2 counts them with 16 bits.
    fn name(&mut self, extras: &Extras, name: &str) -> Vec<u8> {
        let mut bytes = raw_name(extras, name);
        if let Some(number) = extras.get(FORMAT.id, "numbered").and_then(Value::as_i64) {
            bytes.extend(format!("#{number}").into_bytes());
        }
        if bytes.len() <= usize::from(u16::MAX) {
            return bytes;
        }
        self.losses.approximated(Aspect::Names, "names", "a name was cut to 65,535 bytes");
        let mut end = usize::from(u16::MAX);
        while !name.is_char_boundary(end) {
            end -= 1;
        }
        bytes.get(..end).unwrap_or_default().to_vec()
    }

    fn report_light(&mut self, id: NodeId, light: &Light) {
        let plain = light.kind == LightKind::Point
            && light.intensity == 1.0
            && light.range.is_none()
            && light.attenuation.is_none();
        if !plain {
            let message =
                "DGL2 has lights of one kind, with a colour: strength, direction and reach were left out";
            self.losses.approximated(Aspect::Lights, format!("nodes[{}]", id.index()), message);
        }
        if !light.name.is_empty() {
            let message = "a light has the name of its entity";
            self.losses.dropped(Aspect::Names, format!("nodes[{}]", id.index()), message);
        }
    }

    /// What it costs that there is no tree, and no shear.
    fn report_flattening(&mut self, nodes: &[NodeId]) {
        let roots: BTreeSet<NodeId> =
            self.scene.shown().iter().flat_map(|root| &root.roots).copied().collect();
        let below = nodes.iter().filter(|id| !roots.contains(id)).count();
        if below > 0 {
            let message = "DGL2 has no tree: nodes below others were put where they are in the world";
            self.losses.push(Loss::new(Aspect::Hierarchy, LossKind::Dropped, "nodes", message).count(below));
        }
        let hidden_above = |id: &&NodeId| {
            let own = self.scene.nodes.get(**id).is_some_and(|node| node.visible);
            own && self.shown.get(id.index()) == Some(&false)
        };
        let hidden = nodes.iter().filter(hidden_above).count();
        if hidden > 0 {
            let message = "without a tree nothing hides what is below: each of these is hidden itself";
            let loss = Loss::new(Aspect::Visibility, LossKind::Approximated, "nodes", message);
            self.losses.push(loss.count(hidden));
        }
        let (mut places, mut vertices) = (ErrorStats::default(), ErrorStats::default());
        for id in nodes {
            let world = self.rest.worlds.get(id.index()).copied().unwrap_or_default();
            let (translation, rotation, scale, _) = Transform::Matrix(world).to_trs();
            let near = Transform::Trs { translation, rotation, scale }.matrix();
            let off = transform_distance(&near, &world);
            let size = world.to_cols_array().into_iter().fold(1.0f32, |m, x| m.max(x.abs()));
            if off <= 4e-6 * size {
                continue;
            }
            places.add(f64::from(off));
            let mesh = self.scene.nodes.get(*id).and_then(|node| self.scene.meshes.get(node.mesh?));
            for primitive in mesh.iter().flat_map(|mesh| &mesh.primitives) {
                // From where the vertices are in the world to where the nearest place has them.
                let moved = near * world.inverse();
                for position in self.rest.positions(self.scene, *id, primitive) {
                    let apart = moved.transform_point3(position).distance(position);
                    vertices.add(if apart.is_finite() { f64::from(apart) } else { 0.0 });
                }
            }
        }
        let message = "DGL2 has no shear: the nearest place was taken";
        self.losses.measured(Aspect::Transforms, "nodes", message, places, "scene units");
        let message = "vertices of sheared nodes are elsewhere in the world";
        self.losses.measured(Aspect::Positions, "nodes", message, vertices, "scene units");
    }
}

/// For each node whether it and all above it are visible.
fn shown(scene: &Scene) -> Vec<bool> {
    let mut shown: Vec<bool> = scene.nodes.values().map(|node| node.visible).collect();
    let roots: Vec<NodeId> = scene.scenes.iter().flat_map(|root| root.roots.iter().copied()).collect();
    // Parents come first.
    for id in scene.walk(&roots) {
        let Some(node) = scene.nodes.get(id).filter(|_| shown.get(id.index()) == Some(&false)) else {
            continue;
        };
        for child in &node.children {
            if let Some(shown) = shown.get_mut(child.index()) {
                *shown = false;
            }
        }
    }
    shown
}

/// Ids for a list of elements, of which some are referred to: those that they had, if all had one and every reference
/// still finds its element, for of equal ids the last counts; else from zero.
fn ids<'a>(elements: impl Iterator<Item = (&'a Extras, bool)>) -> Vec<i32> {
    let kept_id = |extras: &Extras| {
        extras.get(FORMAT.id, "id").and_then(Value::as_i64).and_then(|id| i32::try_from(id).ok())
    };
    let kept: Vec<(Option<i32>, bool)> = elements.map(|(extras, used)| (kept_id(extras), used)).collect();
    let last: BTreeMap<i32, usize> =
        kept.iter().enumerate().filter_map(|(i, (id, _))| Some(((*id)?, i))).collect();
    let found = |(i, (id, used)): (usize, &(Option<i32>, bool))| {
        id.is_some_and(|id| !used || last.get(&id) == Some(&i))
    };
    if kept.iter().enumerate().all(found) {
        return kept.into_iter().filter_map(|(id, _)| id).collect();
    }
    (0..kept.len()).map(|id| i32::try_from(id).unwrap_or(i32::MAX)).collect()
}

/// The properties that an element had, and whether they were in braces.
fn kept_properties(extras: &Extras) -> (Pairs, bool) {
    let list = extras.get(FORMAT.id, "properties").and_then(Value::as_array);
    let pair = |value: &Value| Some((value.get(0)?.as_str()?.to_owned(), value.get(1)?.as_str()?.to_owned()));
    let pairs = list.map(|list| list.iter().filter_map(pair).collect()).unwrap_or_default();
    (pairs, extras.get(FORMAT.id, "braced").and_then(Value::as_bool) == Some(true))
}

fn header(root: Option<&SceneRoot>) -> Option<Chunk> {
    let extras = root.map(|root| &root.extras);
    if extras.is_some_and(|extras| extras.get(FORMAT.id, "no_header").is_some()) {
        return None;
    }
    let name = root.map(|root| raw_name(&root.extras, &root.name)).unwrap_or_default();
    let name = name.get(..name.len().min(usize::from(u16::MAX))).unwrap_or_default().to_vec();
    let data = unhex(extras.and_then(|extras| extras.get(FORMAT.id, "header_data")));
    let id = extras.and_then(|extras| extras.get(FORMAT.id, "header_id")?.as_i64());
    let id = id.and_then(|id| i32::try_from(id).ok()).unwrap_or(-1);
    Some(Chunk { kind: kind::HEADER, id, name, data: ChunkData::Raw(data) })
}

fn unknown_chunks(scene: &Scene) -> Vec<Chunk> {
    let list = scene.extras.get(FORMAT.id, "unknown_chunks").and_then(Value::as_array);
    let chunk = |value: &Value| {
        let kind = u16::try_from(value.get("type")?.as_u64()?).ok()?;
        let id = i32::try_from(value.get("id")?.as_i64()?).ok()?;
        let mut name = unhex(value.get("name"));
        name.truncate(usize::from(u16::MAX));
        (kind > kind::ENTITY).then(|| Chunk {
            kind,
            id,
            name,
            data: ChunkData::Raw(unhex(value.get("data"))),
        })
    };
    list.map(|list| list.iter().filter_map(chunk).collect()).unwrap_or_default()
}

/// Names of meshes, entities and materials are unique, says the document: of equal ones the later get `#` and their id,
/// which reading takes off again. Chunks without a name stay so.
fn number_names(chunks: &mut [Chunk], losses: &mut LossReport) {
    let all: BTreeSet<(u16, Vec<u8>)> = chunks.iter().map(|chunk| (chunk.kind, chunk.name.clone())).collect();
    let mut taken: BTreeSet<(u16, Vec<u8>)> = BTreeSet::new();
    let (mut numbered, mut mistaken) = (0, 0);
    for chunk in chunks {
        let end = format!("#{}", chunk.id).into_bytes();
        let base = chunk.name.strip_suffix(end.as_slice()).filter(|base| !base.is_empty());
        mistaken += usize::from(base.is_some_and(|base| all.contains(&(chunk.kind, base.to_vec()))));
        if chunk.name.is_empty() || taken.insert((chunk.kind, chunk.name.clone())) {
            continue;
        }
        if chunk.name.len() + end.len() <= usize::from(u16::MAX) {
            chunk.name.extend(end);
            numbered += 1;
        }
        taken.insert((chunk.kind, chunk.name.clone()));
    }
    if mistaken > 0 {
        let message = "names that end like a number of menagerie's own lose it on reading";
        losses.push(Loss::new(Aspect::Names, LossKind::Approximated, "names", message).count(mistaken));
    }
    if numbered > 0 {
        let message = "names that were there already got a number, for DGL2's are unique";
        losses.push(Loss::new(Aspect::Names, LossKind::Added, "names", message).count(numbered));
    }
}

/// The END chunk, with what a file had in it against the document.
fn end(scene: &Scene) -> Chunk {
    let kept = scene.extras.get(FORMAT.id, "end");
    let id = kept.and_then(|end| i32::try_from(end.get("id")?.as_i64()?).ok()).unwrap_or(-1);
    let mut name = unhex(kept.and_then(|end| end.get("name")));
    name.truncate(usize::from(u16::MAX));
    let data = ChunkData::Raw(unhex(kept.and_then(|end| end.get("data"))));
    Chunk { kind: kind::END, id, name, data }
}

/// Makes the properties of an entity such as the engine can read them: at least one (engines.md DGL2 E2), flags that are
/// numbers and a colour of four (E4).
fn mend_entity(pairs: &mut Pairs) {
    mend_flags(pairs, &["visible", "transparent"]);
    mend_colors(pairs, &["color"]);
    if pairs.is_empty() {
        set(pairs, "visible", "1".to_owned());
    }
}

/// Flags that are no numbers are left out: the engine then takes its default, as reading does.
fn mend_flags(pairs: &mut Pairs, names: &[&str]) {
    pairs.retain(|(name, value)| !names.contains(&name.as_str()) || value.as_float().is_some());
}

/// Colours of three numbers get a fourth; what is no colour is left out.
fn mend_colors(pairs: &mut Pairs, names: &[&str]) {
    pairs.retain(|(name, value)| !names.contains(&name.as_str()) || color(value).is_some());
    for (_, value) in pairs.iter_mut().filter(|(name, _)| names.contains(&name.as_str())) {
        if let Some(numbers) = color(value) {
            *value = dml::vector(&numbers);
        }
    }
}

/// Names of things that DGL2 has no names for.
fn report_names(scene: &Scene, losses: &mut LossReport) {
    let others = scene.scenes.iter().enumerate().filter(|(i, _)| *i != scene.default_scene.unwrap_or(0));
    let count = others
        .map(|(_, x)| &x.name)
        .chain(scene.textures.values().map(|x| &x.name))
        .chain(scene.textures.values().filter_map(|x| x.sampler.as_ref()).map(|x| &x.name))
        .chain(scene.images.values().map(|x| &x.name))
        .filter(|name| !name.is_empty())
        .count();
    if count > 0 {
        let message = "only meshes, materials, entities and the scene have names in DGL2";
        losses.push(Loss::new(Aspect::Names, LossKind::Dropped, "names", message).count(count));
    }
}

/// The bytes of a name: those that the file had, if they still mean the same.
fn raw_name(extras: &Extras, name: &str) -> Vec<u8> {
    let kept = extras.get(FORMAT.id, "name_bytes").and_then(Value::as_array);
    let kept: Option<Vec<u8>> =
        kept.and_then(|bytes| bytes.iter().map(|byte| u8::try_from(byte.as_u64()?).ok()).collect());
    kept.filter(|bytes| utf8_or_windows_1252(bytes) == name).unwrap_or_else(|| name.as_bytes().to_vec())
}

/// The bytes that extras kept as text.
fn unhex(value: Option<&Value>) -> Vec<u8> {
    let text = value.and_then(Value::as_str).unwrap_or_default();
    let pair = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    text.as_bytes().chunks_exact(2).filter_map(pair).collect()
}
