//! Scene to BMD.
//!
//! Nodes that are joints or move become bones; everything else is baked into vertices, which are stored in the space of
//! the bone that holds them, or of a pseudo-bone where several do. What a Scene that was read from BMD keeps about its file is used again as long
//! as it still means the same, so that the numbers of the file come back.

mod animation;
mod blends;
mod geometry;
mod layout;
mod material;
mod skeleton;

use glam::Mat4;
use serde_json::Value;

use super::model::{Bone, Lod, Mesh, Model};
use super::vertex::{StReading, Vertex};
use super::{FORMAT, lift, pose};
use crate::bytes::{f8a_from_f32, f8a_to_f32};
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind, LossReport};
use crate::formats::{WriteOptions, kept_nodes, report_unheld};
use crate::scene::{CheckedScene, Extras, NodeId, Pose, Scene, parents};
use blends::Blends;
use layout::{Names, lay_out};

/// Makes a file model of a Scene, and reports what that cost.
pub fn lower(scene: CheckedScene<'_>, options: &WriteOptions, losses: &mut LossReport) -> Model {
    report_unheld(&scene, &FORMAT, losses);
    let mut lowering = Lowering::new(scene.scene(), options, losses);
    lowering.skeleton();
    lowering.meshes();
    lowering.animations();
    lowering.report_shape();
    let legacy = lowering.st == StReading::Legacy;
    let (mut model, names) = (lowering.model, lowering.names);
    lay_out(&mut model, &names);
    // What is written in the old form must be recognised as such.
    if legacy && !lift::looks_legacy(&model) {
        let mut again = Lowering::new(scene.scene(), options, losses);
        again.st = StReading::Spec;
        again.skeleton();
        again.meshes();
        again.animations();
        let names = again.names;
        model = again.model;
        lay_out(&mut model, &names);
    }
    model
}

/// A mesh on its way to the file.
struct Piece {
    mesh: Mesh,
    material: Option<Vec<u8>>,
    /// Where the file that it was read from had it.
    index: Option<usize>,
    /// Its level of detail; `None` for one that is hidden.
    level: Option<usize>,
}

struct Lowering<'a> {
    scene: &'a Scene,
    options: &'a WriteOptions,
    losses: &'a mut LossReport,
    rest: Pose,
    parents: Vec<Option<NodeId>>,
    kept: Vec<NodeId>,
    st: StReading,
    /// Whether the bones are those of a BMD file.
    as_read: bool,
    model: Model,
    names: Names,
    /// For each node, its bone.
    bone_of: Vec<Option<usize>>,
    /// For each bone, its node.
    node_of: Vec<Option<NodeId>>,
    /// From the space of each bone to the model's, at rest, in the file's axes.
    places: Vec<Mat4>,
    /// The bone on which hangs what stands still, where there is one beside bone 0.
    centre: Option<usize>,
    /// The pseudo-bones of vertices that hang on several joints.
    blends: Blends,
    /// Some of the vertices, to see where animations take them.
    watched: animation::Watched,
    pieces: Vec<Piece>,
    /// The distance of each level of detail.
    distances: Vec<Option<f32>>,
}

impl<'a> Lowering<'a> {
    fn new(scene: &'a Scene, options: &'a WriteOptions, losses: &'a mut LossReport) -> Self {
        let legacy = scene.extras.get(FORMAT.id, "st").and_then(Value::as_str) == Some("legacy");
        Self {
            scene,
            options,
            losses,
            rest: Pose::rest(scene),
            parents: parents(scene),
            kept: kept_nodes(scene),
            st: if legacy { StReading::Legacy } else { StReading::Spec },
            as_read: false,
            model: Model::default(),
            names: Names::default(),
            bone_of: vec![None; scene.nodes.len()],
            node_of: Vec::new(),
            places: Vec::new(),
            centre: None,
            blends: Blends::default(),
            watched: animation::Watched::default(),
            pieces: Vec::new(),
            distances: Vec::new(),
        }
    }

    fn push_bone(&mut self, bone: Bone, name: Vec<u8>, node: Option<NodeId>) -> usize {
        let index = self.model.bones.len();
        self.model.bones.push(bone);
        self.names.bones.push(name);
        self.node_of.push(node);
        if let Some(place) = node.and_then(|node| self.bone_of.get_mut(node.index())) {
            *place = Some(index);
        }
        index
    }

    /// A number among the options.
    fn number(&self, name: &str) -> Option<f32> {
        self.options.settings.get(name)?.parse().ok().filter(|x: &f32| x.is_finite() && *x >= 0.0)
    }

    /// The order of the meshes and the table of levels: as they were read, or level by level and hidden ones last.
    fn place_meshes(&mut self) {
        let pieces = std::mem::take(&mut self.pieces);
        let pieces = match self.in_old_order(pieces) {
            Ok(pieces) => pieces,
            Err(pieces) => {
                if self.scene.extras.get(FORMAT.id, "lods").is_some() {
                    let message = "the order of the meshes and the table of levels were made anew";
                    self.losses.approximated(Aspect::Extras, "extras", message);
                }
                self.in_new_order(pieces)
            }
        };
        for piece in pieces {
            self.model.meshes.push(piece.mesh);
            self.names.materials.push(piece.material);
        }
    }

    /// The meshes where the file had them, with its LOD table, if all are there and nothing else.
    fn in_old_order(&mut self, mut pieces: Vec<Piece>) -> Result<Vec<Piece>, Vec<Piece>> {
        let extras = |name| self.scene.extras.get(FORMAT.id, name);
        let Some(count) = extras("meshes").and_then(Value::as_u64) else { return Err(pieces) };
        let lods: Option<Vec<Lod>> = extras("lods")
            .and_then(Value::as_array)
            .and_then(|list| list.iter().map(lod_from_json).collect());
        // A damaged file may have had levels of meshes that it did not have.
        let fits = |lod: &Lod| u64::from(lod.first) + u64::from(lod.count) <= count;
        let Some(lods) = lods.filter(|lods| lods.iter().all(fits)) else { return Err(pieces) };
        let indexed = pieces.iter().all(|piece| piece.index.is_some());
        pieces
            .extend(extras("empty").and_then(Value::as_array).into_iter().flatten().filter_map(empty_piece));
        pieces.sort_by_key(|piece| piece.index);
        // A mesh of several levels, or the solid of several bones, was read several times.
        pieces.dedup_by(|b, a| a.index == b.index && a.mesh == b.mesh && a.material == b.material);
        let in_place = pieces.iter().enumerate().all(|(i, piece)| piece.index == Some(i));
        if !indexed || !in_place || pieces.len() as u64 != count {
            return Err(pieces);
        }
        self.model.lods = lods;
        Ok(pieces)
    }

    fn in_new_order(&mut self, mut pieces: Vec<Piece>) -> Vec<Piece> {
        pieces.sort_by_key(|piece| (piece.level.is_none(), piece.level));
        let levels = pieces.iter().filter_map(|piece| piece.level).max().map_or(0, |last| last + 1);
        let shown = pieces.iter().filter(|piece| piece.level.is_some()).count();
        let mut stats = ErrorStats::default();
        if shown > 255 {
            if levels > 1 {
                self.losses.dropped(
                    Aspect::Lods,
                    "nodes",
                    "levels of more than 255 meshes in all have no place",
                );
                pieces.retain(|piece| piece.level.is_none_or(|level| level == 0));
            }
            self.model.lods = vec![Lod::default()];
        } else if shown > 0 {
            for level in 0..levels {
                let first = pieces.iter().take_while(|p| p.level.is_some_and(|l| l < level)).count();
                let count = pieces.iter().filter(|p| p.level == Some(level)).count();
                let distance = self.distances.get(level).copied().flatten();
                let scale = match (level, distance) {
                    (0, _) => 0x70,
                    (_, None) => 0,
                    (_, Some(distance)) => f8a_from_f32(1.0 / (distance.max(0.0) + 1.0)).max(1),
                };
                if let Some(distance) = distance.filter(|_| level > 0) {
                    stats.add(f64::from((1.0 / f8a_to_f32(scale) - 1.0 - distance).abs()));
                }
                self.model.lods.push(Lod { first: first as u8, count: count as u8, scale, reserved: 0 });
            }
        }
        let message = "distances of levels of detail were rounded to 8 bits";
        self.losses.measured(Aspect::Lods, "nodes", message, stats, "scene units");
        // Without a level that draws something, or without a table, only a missing material hides a mesh.
        let hidden = pieces.iter_mut().filter(|piece| piece.level.is_none() && (shown == 0 || shown > 255));
        let mut lost = 0;
        for piece in hidden.filter(|piece| piece.material.is_some()) {
            piece.material = None;
            lost += 1;
        }
        if lost > 0 {
            let message = "hidden meshes have no material where there is no table that leaves them out";
            self.losses.push(Loss::new(Aspect::Materials, LossKind::Dropped, "nodes", message).count(lost));
        }
        pieces
    }

    /// Whether some mesh is drawn in another space than the model's.
    fn turns_normals(&self) -> bool {
        self.scene.nodes.iter().any(|(id, node)| {
            let mesh = node.mesh.and_then(|mesh| self.scene.meshes.get(mesh));
            let normals = mesh.is_some_and(|mesh| mesh.primitives.iter().any(|p| !p.normals.is_empty()));
            let world = self.rest.worlds.get(id.index()).copied().unwrap_or_default();
            let turned = glam::Mat3::from_mat4(world) - glam::Mat3::IDENTITY;
            normals && (node.skin.is_some() || turned.to_cols_array().iter().any(|x| x.abs() > 1e-6))
        })
    }

    /// Names and nodes that have no place, unless the Scene has the shape of a BMD file.
    fn report_shape(&mut self) {
        let own = |extras: &Extras| extras.of(FORMAT.id).is_some();
        let foreign = self.kept.iter().filter_map(|id| self.scene.nodes.get(*id)).any(|node| {
            let made = node.mesh.is_some() && !node.visible;
            !own(&node.extras) && !made
        });
        let levels = self.scene.nodes.values().flat_map(|node| &node.lods);
        let mut levels = levels.filter_map(|lod| self.scene.nodes.get(lod.node));
        if levels.any(|level| !own(&level.extras)) {
            let message = "levels of detail are called by their number when they are read";
            self.losses.approximated(Aspect::Names, "nodes", message);
        }
        if foreign || !own(&self.scene.extras) {
            self.losses.approximated(
                Aspect::Names,
                "nodes",
                "what is not a bone gets another name when it is read",
            );
            let message = "nodes became bones or were baked into vertices; BMD has no tree of its own";
            self.losses.approximated(Aspect::Hierarchy, "nodes", message);
            if self.scene.nodes.values().any(|node| !node.lods.is_empty()) {
                let message = "levels of detail of single nodes became levels of the whole model";
                self.losses.approximated(Aspect::Lods, "nodes", message);
                let message = "each level of the whole model holds the triangles of all nodes at that level";
                self.losses.approximated(Aspect::Topology, "nodes", message);
            }
            let drawn = self.kept.iter().filter_map(|id| self.scene.nodes.get(*id)?.mesh).count();
            if drawn > 1 {
                let message = "the triangles of all nodes are in one model";
                self.losses.approximated(Aspect::Topology, "nodes", message);
            }
            if !self.model.animations.is_empty() {
                let message = "what moved nodes moves bones now";
                self.losses.approximated(Aspect::Animations, "animations", message);
            }
            if !self.model.bones.is_empty() {
                let message =
                    "every vertex hangs on one bone or blend of bones now, those of rigid nodes too";
                self.losses.approximated(Aspect::Skins, "nodes", message);
            }
            if !self.scene.meshes.is_empty() {
                let message = "texture coordinates go with textures in BMD: they were left out or made up";
                self.losses.approximated(Aspect::Uvs, "nodes", message);
            }
            if self.turns_normals() {
                let message = "normals were turned into the space of the model with what they hang on";
                self.losses.approximated(Aspect::Normals, "nodes", message);
            }
            let message = "only bones have transforms, which are packed into 64 bits";
            self.losses.approximated(Aspect::Transforms, "nodes", message);
        }
        let names = self.scene.scenes.iter().map(|x| &x.name);
        let names = names.chain(self.scene.meshes.values().map(|x| &x.name));
        let names = names.chain(self.scene.textures.values().map(|x| &x.name));
        let names = names.chain(self.scene.images.values().map(|x| &x.name));
        let names = names.chain(self.scene.skins.values().map(|x| &x.name));
        let mut count = names.filter(|name| !name.is_empty()).count();
        count += self
            .scene
            .nodes
            .iter()
            .filter(|(id, node)| {
                let bone = self.bone_of.get(id.index()).copied().flatten();
                bone.is_none() && !node.name.is_empty() && !own(&node.extras)
            })
            .count();
        if count > 0 {
            let message = "only bones and animations have names in BMD";
            self.losses.push(Loss::new(Aspect::Names, LossKind::Dropped, "names", message).count(count));
        }
    }
}

fn byte(value: &Value) -> Option<u8> {
    u8::try_from(value.as_u64()?).ok()
}

fn word(value: &Value) -> Option<u32> {
    u32::try_from(value.as_u64()?).ok()
}

fn bytes(value: &Value) -> Option<Vec<u8>> {
    value.as_array()?.iter().map(byte).collect()
}

fn lod_from_json(value: &Value) -> Option<Lod> {
    let [first, count, scale] = value.as_array()?.as_slice() else { return None };
    Some(Lod { first: byte(first)?, count: byte(count)?, scale: byte(scale)?, reserved: 0 })
}

/// A mesh that draws nothing.
fn empty_piece(value: &Value) -> Option<Piece> {
    let raw = bytes(value.get("vertices")?)?;
    let mut rest = raw.as_slice();
    let mut mesh = Mesh { flags: value.get("flags").and_then(word)?, ..Mesh::default() };
    while let Some(vertex) = Vertex::read(rest) {
        mesh.vertices.push(vertex);
        rest = rest.get(vertex.kind().bytes()..).unwrap_or_default();
    }
    let index = usize::try_from(value.get("mesh")?.as_u64()?).ok();
    Some(Piece { mesh, material: value.get("material").and_then(bytes), index, level: None })
}

/// The bytes of a name: those that the file had, if they still mean the same; at most 255.
fn raw_name(extras: &Extras, name: &str) -> Vec<u8> {
    let kept = extras.get(FORMAT.id, "name_bytes").and_then(bytes);
    let mut name = kept
        .filter(|bytes| crate::bytes::utf8_or_windows_1252(bytes) == name)
        .unwrap_or_else(|| name.as_bytes().iter().copied().filter(|byte| *byte != 0).collect());
    name.truncate(255);
    name
}

/// The inverse of a bone's place; what has none is taken as it is, as reading does.
fn inverse_place(place: &Mat4) -> Mat4 {
    pose::inverse(place).unwrap_or_default()
}
