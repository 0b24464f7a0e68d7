//! Scene to DGL2.
//!
//! Every node becomes an entity with its place in the world, for DGL2 has no tree. Each mesh becomes one TRIMESH that
//! all of its nodes share; skinned and morphed meshes are written in their shape at rest. Chunks come in the order of the
//! original writer: HEADER, meshes, entities, materials, unknown chunks, END.

mod material;
mod mesh;

use std::collections::{BTreeMap, BTreeSet};

use glam::Mat3;

use super::dml::{self, Value as _};
use super::lift::LIGHT;
use super::model::{Chunk, ChunkData, EntityData, MaterialData, Model, Properties, kind};
use super::notes::{ChunkNote, EntityNote, FileNote, HeaderNote, MaterialNote, Name, Note as _};
use super::surface::{Pairs, color, get, set};
use super::{FORMAT, VDirection};
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind, LossReport};
use crate::formats::{
    Purpose, WriteOptions, engine, kept_nodes, picture_names, report_unheld, used_materials,
};
use crate::scene::{
    AlphaMode, Blend, CheckedScene, Extras, Light, LightKind, MaterialId, MeshId, Node, NodeId, Pose, Scene,
    SceneRoot, Topology, Transform, check, transform_distance,
};

/// Makes a file model of a Scene, and reports what that cost.
pub fn lower(scene: CheckedScene<'_>, options: &WriteOptions, losses: &mut LossReport) -> Model {
    report_unheld(&scene, &FORMAT, losses);
    let noted = |extras: &Extras| extras.of(FORMAT.id).is_some();
    let from_file = noted(&scene.extras)
        || scene.nodes.values().any(|node| noted(&node.extras))
        || scene.meshes.values().any(|mesh| noted(&mesh.extras));
    let mend = options.purpose == Purpose::Engine || (options.purpose == Purpose::Both && !from_file);
    // The engine shows mirrored entities inside out (engines.md DGL2 E7).
    let turned = if mend { engine::without_mirrors(&scene, losses) } else { None };
    let turned = turned.as_ref().and_then(|scene| check(scene).ok());
    let scene = turned.unwrap_or(scene).scene();
    let nodes = kept_nodes(scene);
    report_names(scene, &nodes, losses);
    let note = FileNote::of(&scene.extras);
    let bottom = note.v.as_deref() == Some("bottom");
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
            .map(|(id, material)| (MaterialNote::of(&material.extras).id, used.contains(&id)))),
        meshes: Vec::new(),
        mesh_of: BTreeMap::new(),
        shown: shown(scene),
        used: used_materials(scene, &nodes),
    };
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
    let unknown = note.unknown_chunks.into_iter().filter(|chunk| chunk.kind > kind::ENTITY);
    model.chunks.extend(unknown.map(kept_chunk));
    model.chunks.push(end(note.end));
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
    /// The materials of what is shown: only theirs can be missed.
    used: BTreeSet<MaterialId>,
}

impl Lowering<'_> {
    fn material_id(&self, material: Option<MaterialId>) -> i32 {
        material.and_then(|id| self.material_ids.get(id.index())).copied().unwrap_or(-1)
    }

    fn entities(&mut self, nodes: &[NodeId]) -> Vec<Chunk> {
        self.report_flattening(nodes);
        let list: Vec<&Node> = nodes.iter().filter_map(|id| self.scene.nodes.get(*id)).collect();
        let entity_ids = ids(list.iter().map(|node| (EntityNote::of(&node.extras).id, false)));
        let mut chunks = Vec::new();
        for ((id, node), entity_id) in nodes.iter().zip(list).zip(entity_ids) {
            let data = self.entity(*id, node);
            let note = EntityNote::of(&node.extras);
            let name = self.name(Name { bytes: note.name_bytes, number: note.numbered }, &node.name);
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
        let note = EntityNote::of(&node.extras);
        let light = node.light.and_then(|light| self.scene.lights.get(light));
        let kind = match (note.kind, light) {
            (_, Some(_)) => LIGHT,
            (Some(LIGHT) | None, None) => 0,
            (Some(kind), None) => kind,
        };
        let text = self.properties(id, node, light);
        let after = note.after.0;
        ChunkData::Entity(Box::new(EntityData {
            kind,
            material: note.material_id.filter(|_| self.purpose != Purpose::Engine).unwrap_or(-1),
            mesh: self.mesh_of.get(&id).copied().or(note.mesh_id).unwrap_or(-1),
            position: position.to_array(),
            rotation: rotation.to_array(),
            scaling: scaling.to_array(),
            properties: Properties { stated_size: None, text, after },
        }))
    }

    /// The properties of an entity: those that it had, changed where the node says something else.
    fn properties(&mut self, id: NodeId, node: &Node, light: Option<&Light>) -> Vec<u8> {
        let EntityNote { properties, braced, .. } = EntityNote::of(&node.extras);
        let fresh = properties.is_none();
        let mut pairs = properties.unwrap_or_default();
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
    fn name(&mut self, kept: Name, name: &str) -> Vec<u8> {
        let bytes = kept.write(name);
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
        self.report_hidden(nodes, below > 0);
        self.report_shear(nodes);
    }

    /// What it costs that nothing hides what is below it; and what is hidden and left out.
    fn report_hidden(&mut self, nodes: &[NodeId], had_tree: bool) {
        let hidden_above = |id: &&NodeId| {
            let own = self.scene.nodes.get(**id).is_some_and(|node| node.visible);
            own && self.shown.get(id.index()) == Some(&false)
        };
        let hidden = nodes.iter().filter(hidden_above).count();
        let own = nodes.iter().filter_map(|id| self.scene.nodes.get(*id)).filter(|node| !node.visible);
        let hidden = hidden + if had_tree { own.count() } else { 0 };
        if hidden > 0 {
            let message = "without a tree nothing hides what is below: each of these is hidden itself";
            let loss = Loss::new(Aspect::Visibility, LossKind::Added, "nodes", message);
            self.losses.push(loss.count(hidden));
        }
        let there: BTreeSet<NodeId> = nodes.iter().copied().collect();
        let gone = self.scene.nodes.iter().filter(|(id, node)| !node.visible && !there.contains(id)).count();
        if gone > 0 {
            let message = "hidden nodes outside the scene that is shown were left out";
            self.losses.push(Loss::new(Aspect::Visibility, LossKind::Dropped, "nodes", message).count(gone));
        }
    }

    /// What it costs that there is no shear.
    fn report_shear(&mut self, nodes: &[NodeId]) {
        let (mut places, mut vertices) = (ErrorStats::default(), ErrorStats::default());
        let mut normals = ErrorStats::default();
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
            let drawn = mesh.iter().flat_map(|mesh| &mesh.primitives);
            for primitive in drawn.filter(|primitive| primitive.topology == Topology::Triangles) {
                let used: BTreeSet<u32> = primitive.indices.iter().copied().collect();
                // From where the vertices are in the world to where the nearest place has them.
                let moved = near * world.inverse();
                // Normals go the way of their planes: the transpose of a matrix undoes what its inverse's does.
                let (back, there) = (Mat3::from_mat4(world).transpose(), Mat3::from_mat4(near).inverse());
                let across = there.transpose() * back;
                let turned = (0u32..).zip(self.rest.normals(self.scene, *id, primitive));
                for (_, normal) in turned.filter(|(vertex, _)| used.contains(vertex)) {
                    let angle = (across * normal).angle_between(normal).to_degrees();
                    normals.add(if angle.is_finite() && angle > 0.05 { f64::from(angle) } else { 0.0 });
                }
                let positions = (0u32..).zip(self.rest.positions(self.scene, *id, primitive));
                for (_, position) in positions.filter(|(vertex, _)| used.contains(vertex)) {
                    let apart = moved.transform_point3(position).distance(position);
                    // What rounding leaves is nothing.
                    let seen = apart.is_finite() && apart > 4e-6 * position.abs().max_element().max(1.0);
                    vertices.add(if seen { f64::from(apart) } else { 0.0 });
                }
            }
        }
        let message = "DGL2 has no shear: the nearest place was taken";
        self.losses.measured(Aspect::Transforms, "nodes", message, places, "scene units");
        let message = "vertices of sheared nodes are elsewhere in the world";
        self.losses.measured(Aspect::Positions, "nodes", message, vertices, "scene units");
        let message = "normals of sheared nodes point elsewhere in the world";
        self.losses.measured(Aspect::Normals, "nodes", message, normals, "degrees");
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
fn ids(elements: impl Iterator<Item = (Option<i32>, bool)>) -> Vec<i32> {
    let kept: Vec<(Option<i32>, bool)> = elements.collect();
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

fn header(root: Option<&SceneRoot>) -> Option<Chunk> {
    let note = root.map(|root| HeaderNote::of(&root.extras)).unwrap_or_default();
    if note.no_header {
        return None;
    }
    let text = root.map(|root| root.name.as_str()).unwrap_or_default();
    let mut name = Name { bytes: note.name_bytes, number: None }.write(text);
    name.truncate(usize::from(u16::MAX));
    let data = ChunkData::Raw(note.header_data.0);
    Some(Chunk { kind: kind::HEADER, id: note.header_id.unwrap_or(-1), name, data })
}

/// A chunk that was kept as it is.
fn kept_chunk(note: ChunkNote) -> Chunk {
    let mut name = note.name.0;
    name.truncate(usize::from(u16::MAX));
    Chunk { kind: note.kind, id: note.id, name, data: ChunkData::Raw(note.data.0) }
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
fn end(kept: Option<ChunkNote>) -> Chunk {
    kept_chunk(ChunkNote { kind: kind::END, ..kept.unwrap_or(ChunkNote { id: -1, ..ChunkNote::default() }) })
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

/// Names of pictures, which DGL2 has no names for but those of their files.
fn report_names(scene: &Scene, nodes: &[NodeId], losses: &mut LossReport) {
    let count = picture_names(scene, nodes, |image| image.uri.is_some());
    if count > 0 {
        let message = "pictures have no names in DGL2 but those of their files";
        losses.push(Loss::new(Aspect::Names, LossKind::Dropped, "names", message).count(count));
    }
}
