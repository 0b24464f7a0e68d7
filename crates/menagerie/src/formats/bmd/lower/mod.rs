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

use std::collections::BTreeMap;

use glam::Mat4;

use super::added::Added;
use super::model::{Bone, Face, FaceKind, Lod, Mesh, Model, UNITS_PER_METRE};
use super::notes::{EmptyMesh, Note, SceneNote};
use super::vertex::{StReading, Vertex};
use super::{FORMAT, lift, pose};
use crate::bytes::{f8a_from_f32, f8a_to_f32};
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind, LossReport};
use crate::diff::{DiffReport, diff_trees, length_tolerance};
use crate::formats::{Purpose, ReadOptions, WriteOptions, kept_nodes, report_unheld};
use crate::scene::{CheckedScene, Extras, Node, NodeId, Pose, Scene, check, parents};
use blends::{Baked, Blends};
use layout::{Names, lay_out};

/// Vertices and triangles that a record can count.
const MAX_VERTICES: usize = 65535;

/// Makes a file model of a Scene, and reports what that cost.
pub fn lower(scene: CheckedScene<'_>, options: &WriteOptions, losses: &mut LossReport) -> Model {
    report_unheld(&scene, &FORMAT, losses);
    lowered(scene.scene(), options, losses)
}

fn lowered(scene: &Scene, options: &WriteOptions, losses: &mut LossReport) -> Model {
    let mut lowering = Lowering::new(scene, options, losses);
    lowering.skeleton();
    lowering.meshes();
    lowering.animations();
    lowering.lay_out();
    lowering.report_shape();
    let legacy = lowering.st == StReading::Legacy;
    let model = lowering.model;
    // What is written in the old form must be recognised as such.
    if !legacy || lift::looks_legacy(&model) {
        return model;
    }
    let mut unheard = LossReport::new();
    let mut again = Lowering::new(scene, options, &mut unheard);
    again.st = StReading::Spec;
    again.skeleton();
    again.meshes();
    again.animations();
    again.lay_out();
    again.model
}

/// A mesh on its way to the file.
struct Piece {
    mesh: Mesh,
    material: Option<Vec<u8>>,
    /// Where the file that it was read from had it.
    index: Option<usize>,
    /// Its level of detail; `None` for one that is hidden.
    level: Option<usize>,
    /// How many vertices of the file that it was read from only made room for triangles.
    padding: usize,
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
    /// The bones of vertices that hang on several joints.
    blends: Blends,
    /// Those of them that stand for a blend in the engine, by their numbers.
    baked: BTreeMap<usize, Baked>,
    /// What is added for the engine.
    added: Added,
    /// Some of the vertices, to see where animations take them.
    watched: animation::Watched,
    pieces: Vec<Piece>,
    /// How many meshes levels of detail show, and how many nothing shows.
    pieces_shown: usize,
    pieces_hidden: usize,
    /// The distance of each level of detail.
    distances: Vec<Option<f32>>,
    /// How far off they are.
    level_error: ErrorStats,
    /// How far apart positions may be that nobody tells apart.
    tolerance: f32,
}

impl<'a> Lowering<'a> {
    fn new(scene: &'a Scene, options: &'a WriteOptions, losses: &'a mut LossReport) -> Self {
        let legacy = SceneNote::of(&scene.extras).st.as_deref() == Some(lift::LEGACY);
        let rest = Pose::rest(scene);
        Self {
            tolerance: length_tolerance(scene, &rest),
            level_error: ErrorStats::default(),
            scene,
            options,
            losses,
            rest,
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
            baked: BTreeMap::new(),
            added: Added::default(),
            watched: animation::Watched::default(),
            pieces: Vec::new(),
            pieces_shown: 0,
            pieces_hidden: 0,
            distances: Vec::new(),
        }
    }

    /// Whether what the engine needs is written where the file is made anew.
    fn serves_engine(&self) -> bool {
        self.options.purpose.serves_engine()
    }

    /// Whether what came from a BMD file is mended for the engine too.
    fn mends_all(&self) -> bool {
        self.options.purpose == Purpose::Engine
    }

    /// Puts everything in its place, and the note of what was added.
    fn lay_out(&mut self) {
        lay_out(&mut self.model, &self.names, &self.added);
    }

    /// What became of the tree: that of the Scene against the one that reading finds.
    fn trees(&self) -> DiffReport {
        let options = ReadOptions { shape_only: true, ..ReadOptions::default() };
        let read = lift::lift(&self.model, &options).scene;
        let checked = check(self.scene).ok().zip(check(&read).ok());
        checked.map(|(before, after)| diff_trees(before, after)).unwrap_or_default()
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
        let (mut pieces, as_read) = match self.in_old_order(pieces) {
            Ok(pieces) => (pieces, true),
            Err(pieces) => {
                if SceneNote::of(&self.scene.extras).lods.is_some() {
                    let message = "the order of the meshes and the table of levels were made anew";
                    self.losses.approximated(Aspect::Extras, "extras", message);
                }
                (self.in_new_order(pieces), false)
            }
        };
        if self.serves_engine() {
            self.make_room(&mut pieces, as_read && !self.mends_all());
            self.avoid_shading(&mut pieces, as_read);
        }
        self.pieces_shown = pieces.iter().filter(|piece| piece.level.is_some()).count();
        self.pieces_hidden = pieces.len() - self.pieces_shown;
        for piece in pieces {
            self.model.meshes.push(piece.mesh);
            self.names.materials.push(piece.material);
        }
    }

    /// E1: the engine has room for as many triangles as there are vertices, so the last vertex is repeated. What was read
    /// keeps what it had.
    fn make_room(&mut self, pieces: &mut [Piece], as_read: bool) {
        let mut made = 0;
        for (i, piece) in pieces.iter_mut().enumerate() {
            let (vertices, faces) = (piece.mesh.vertices.len(), piece.mesh.faces.len());
            let wanted = if as_read { vertices + piece.padding } else { vertices.max(faces) };
            let Some(last) = piece.mesh.vertices.last().copied().filter(|_| wanted <= MAX_VERTICES) else {
                continue;
            };
            if wanted > vertices {
                piece.mesh.vertices.resize(wanted, last);
                self.added.padding.insert(i, wanted - vertices);
                made += if as_read { 0 } else { wanted - vertices };
            }
        }
        if made > 0 {
            let message = "vertices at the end of meshes make room for triangles in the engine";
            self.losses.push(Loss::new(Aspect::Topology, LossKind::Added, "meshes", message).count(made));
        }
    }

    /// E2: without bones the engine shades all meshes with the vertex count of the last. The smallest goes last where its
    /// level allows that, else one bone keeps the engine from shading.
    fn avoid_shading(&mut self, pieces: &mut [Piece], as_read: bool) {
        if !self.model.bones.is_empty() {
            return;
        }
        let kept = SceneNote::of(&self.scene.extras).root.filter(|_| as_read);
        if as_read && !self.mends_all() {
            if let Some(name) = kept {
                self.push_bone(Bone::default(), name, None);
                self.added.root = true;
            }
            return;
        }
        let size = |piece: &Piece| piece.mesh.vertices.len();
        let Some(smallest) = pieces.iter().map(size).min() else { return };
        let group = pieces.last().map(|piece| piece.level);
        let last = pieces.len() - 1;
        let found = pieces.iter().rposition(|piece| size(piece) == smallest && Some(piece.level) == group);
        match found {
            Some(i) if i == last => {}
            // Padding is noted by the place of a mesh, so only meshes without are moved; tables as read stay.
            Some(i) if !as_read => {
                if let Some(tail) = pieces.get_mut(i..) {
                    tail.rotate_left(1);
                }
                self.renumber_padding(i, last);
            }
            _ => {
                self.push_bone(Bone::default(), b"base".to_vec(), None);
                self.added.root = true;
                let message = "one bone was added, so that the engine does not shade what it has no room for";
                self.losses.added(Aspect::Hierarchy, "nodes", message);
            }
        }
    }

    /// Mesh `from` became the last.
    fn renumber_padding(&mut self, from: usize, last: usize) {
        let moved = |(i, count): (usize, usize)| match i {
            i if i == from => (last, count),
            i if i > from => (i - 1, count),
            i => (i, count),
        };
        self.added.padding = std::mem::take(&mut self.added.padding).into_iter().map(moved).collect();
    }

    /// The meshes where the file had them, with its LOD table, if all are there and nothing else.
    fn in_old_order(&mut self, mut pieces: Vec<Piece>) -> Result<Vec<Piece>, Vec<Piece>> {
        let note = SceneNote::of(&self.scene.extras);
        let (Some(count), Some(lods)) = (note.meshes, note.lods) else { return Err(pieces) };
        let lods: Vec<Lod> =
            lods.into_iter().map(|[first, count, scale]| Lod { first, count, scale, reserved: 0 }).collect();
        // A damaged file may have had levels of meshes that it did not have.
        let fits = |lod: &Lod| usize::from(lod.first) + usize::from(lod.count) <= count;
        if !lods.iter().all(fits) {
            return Err(pieces);
        }
        let indexed = pieces.iter().all(|piece| piece.index.is_some());
        pieces.extend(note.empty.into_iter().flatten().map(empty_piece));
        pieces.sort_by_key(|piece| piece.index);
        // A mesh of several levels, or the solid of several bones, was read several times.
        pieces.dedup_by(|b, a| a.index == b.index && a.mesh == b.mesh && a.material == b.material);
        let in_place = pieces.iter().enumerate().all(|(i, piece)| piece.index == Some(i));
        if !indexed || !in_place || pieces.len() != count {
            return Err(pieces);
        }
        self.model.lods = lods;
        Ok(pieces)
    }

    fn in_new_order(&mut self, mut pieces: Vec<Piece>) -> Vec<Piece> {
        pieces.sort_by_key(|piece| (piece.level.is_none(), piece.level));
        // E12: the engine has room for 256 meshes, and bytes count those of levels.
        if pieces.len() > usize::from(u8::MAX) {
            pieces = joined(pieces);
        }
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
                let distance = distance.map(|distance| distance / UNITS_PER_METRE);
                let scale = match (level, distance) {
                    (0, _) => 0x70,
                    (_, None) => 0,
                    (_, Some(distance)) => f8a_from_f32(1.0 / (distance.max(0.0) + 1.0)).max(1),
                };
                if let Some(distance) = distance.filter(|_| level > 0) {
                    let off = (1.0 / f8a_to_f32(scale) - 1.0 - distance).abs() * UNITS_PER_METRE;
                    stats.add(if off > 1e-4 * distance.max(1.0) { f64::from(off) } else { 0.0 });
                }
                self.model.lods.push(Lod { first: first as u8, count: count as u8, scale, reserved: 0 });
            }
        }
        self.level_error = stats;
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

    /// Names and nodes that have no place, unless the Scene has the shape of a BMD file.
    fn report_shape(&mut self) {
        let own = |extras: &Extras| extras.of(FORMAT.id).is_some();
        let is_bone = |id: &NodeId| self.bone_of.get(id.index()).copied().flatten().is_some();
        let kept = || self.kept.iter().filter_map(|id| Some((*id, self.scene.nodes.get(*id)?)));
        // Nodes that draw something and are no bones are one when they are read; others are nowhere.
        let loose: Vec<(NodeId, &Node)> =
            kept().filter(|(id, node)| !is_bone(id) && !own(&node.extras)).collect();
        let (drawn, empty): (Vec<_>, Vec<_>) =
            loose.into_iter().partition(|(_, node)| node.mesh.is_some() && node.visible);
        let trees = self.trees();
        self.report_tree(&trees, &drawn, &empty);
        self.report_places(&trees);
        self.report_names(&trees, &drawn);
        // Hidden ones are drawn too, where somebody shows them.
        let hidden = empty.into_iter().filter(|(_, node)| node.mesh.is_some());
        let drawn: Vec<(NodeId, &Node)> = drawn.into_iter().chain(hidden).collect();
        self.report_hanging(&trees, &drawn);
        self.report_levels(&trees);
    }

    /// Nodes that are there no more, or something else.
    fn report_tree(&mut self, trees: &DiffReport, drawn: &[(NodeId, &Node)], empty: &[(NodeId, &Node)]) {
        let levels: usize = self.scene.nodes.values().map(|node| node.lods.len()).sum();
        let before = self.scene.nodes.len().saturating_sub(levels);
        let bones = if self.added.root { 0 } else { self.model.bones.len() - self.added.blends.len() };
        let shows = usize::from(self.pieces_shown > 0);
        let after = bones + shows + self.pieces_hidden;
        let named = |(_, node): &&(NodeId, &Node)| !node.name.is_empty();
        let gone = empty.iter().filter(|(_, node)| node.mesh.is_none()).filter(named).count();
        let merged = drawn.iter().filter(named).count();
        if trees.first(Aspect::Hierarchy).is_some() {
            let message = format!(
                "BMD has no tree of its own: {before} nodes are {bones} bones and {} others when it is read",
                after - bones
            );
            let loss = Loss::new(Aspect::Hierarchy, LossKind::Approximated, "nodes", message);
            self.losses.push(loss.count((gone + merged).max(1)));
        }
        if let Some(hidden) = trees.first(Aspect::Visibility) {
            let message = "what is hidden is a node of another name when it is read, or gone";
            let loss = Loss::new(Aspect::Visibility, LossKind::Approximated, "nodes", message);
            self.losses.push(loss.count(hidden.count));
        }
        if let Some(unused) = trees.first(Aspect::Materials) {
            let message = "materials that nothing uses have no place in BMD";
            let loss = Loss::new(Aspect::Materials, LossKind::Dropped, "materials", message);
            self.losses.push(loss.count(unused.count));
        }
    }

    /// How far nodes are from where they were: bones by packing, what is no bone by having no place at all.
    fn report_places(&mut self, trees: &DiffReport) {
        let Some((off, unit)) = trees.first(Aspect::Transforms).and_then(|moved| moved.error) else { return };
        let message = "bones have rotations of 8 bits a part, places of 9 bits, and no scale; what is no bone has no \
                       place of its own";
        self.losses.measured(Aspect::Transforms, "nodes", message, off, unit);
    }

    /// Whether only one node has a name.
    fn is_unique(&self, name: &str) -> bool {
        !name.is_empty() && self.scene.nodes.values().filter(|node| node.name == name).count() == 1
    }

    /// What vertices hang on, where that is another node than before.
    fn report_hanging(&mut self, trees: &DiffReport, drawn: &[(NodeId, &Node)]) {
        let rigid = |node: &Node| {
            let mesh = node.mesh.and_then(|mesh| self.scene.meshes.get(mesh));
            node.skin.is_none() || mesh.is_some_and(|m| m.primitives.iter().any(|p| p.joints.is_empty()))
        };
        let moved = drawn.iter().filter(|(_, node)| rigid(node)).count();
        let bones = self.node_of.iter().flatten().filter_map(|id| self.scene.nodes.get(*id));
        let unnamed = bones.filter(|node| !self.as_read && node.mesh.is_some() && rigid(node));
        let moved = moved + unnamed.filter(|node| !self.is_unique(&node.name)).count();
        let joints = self.scene.skins.values().flat_map(|skin| &skin.joints);
        let alike =
            joints.filter_map(|id| self.scene.nodes.get(*id)).filter(|n| !self.is_unique(&n.name)).count();
        if alike > 0 && !self.as_read {
            let message = "joints without names of their own are told apart by their places only";
            self.losses.push(Loss::new(Aspect::Skins, LossKind::Added, "skins", message).count(alike));
        }
        if moved > 0 && !self.model.bones.is_empty() && !self.added.root {
            let message = "what stands still hangs on a bone now";
            self.losses.push(Loss::new(Aspect::Skins, LossKind::Added, "nodes", message).count(moved));
        }
        if let Some(skins) = trees.first(Aspect::Skins) {
            let skins = skins.count;
            let message = "no vertex hangs on a joint that is a bone";
            self.losses.push(Loss::new(Aspect::Skins, LossKind::Dropped, "skins", message).count(skins));
        }
    }

    fn report_levels(&mut self, trees: &DiffReport) {
        let with_levels = self.scene.nodes.values().filter(|node| !node.lods.is_empty()).count();
        let levels = self.scene.nodes.values().flat_map(|node| &node.lods);
        let mut levels = levels.filter_map(|lod| self.scene.nodes.get(lod.node));
        let foreign = levels.any(|level| level.extras.of(FORMAT.id).is_none());
        if foreign {
            let message = "levels of detail are called by their number when they are read";
            self.losses.approximated(Aspect::Names, "nodes", message);
        }
        let drawn = self.kept.iter().filter_map(|id| self.scene.nodes.get(*id)?.mesh).count();
        if foreign && (with_levels > 1 || drawn > 1) {
            let message = "levels of detail of single nodes became levels of the whole model";
            self.losses.added(Aspect::Lods, "nodes", message);
            let message = "each level of the whole model holds the triangles of all nodes at that level";
            self.losses.added(Aspect::Topology, "nodes", message);
            return;
        }
        if trees.first(Aspect::Lods).is_none() {
            return;
        }
        if self.level_error.is_off() {
            let message = "distances of levels of detail were rounded to 8 bits";
            self.losses.measured(Aspect::Lods, "nodes", message, self.level_error, "scene units");
        } else {
            let message = "levels of detail that draw nothing have no place in BMD";
            self.losses.dropped(Aspect::Lods, "nodes", message);
        }
    }

    /// Names that have no place.
    fn report_names(&mut self, trees: &DiffReport, drawn: &[(NodeId, &Node)]) {
        let own = |extras: &Extras| extras.of(FORMAT.id).is_some();
        let names = self.scene.scenes.iter().map(|x| &x.name);
        let names = names.chain(self.scene.meshes.values().map(|x| &x.name));
        let names = names.chain(self.scene.textures.values().map(|x| &x.name));
        let names = names.chain(self.scene.images.values().map(|x| &x.name));
        let names = names.chain(self.scene.skins.values().map(|x| &x.name));
        let mut count = names.filter(|name| !name.is_empty()).count();
        let shown: Vec<NodeId> = drawn.iter().map(|(id, _)| *id).collect();
        let lost = |(id, node): &(NodeId, &Node)| {
            let bone = self.bone_of.get(id.index()).copied().flatten();
            bone.is_none() && !node.name.is_empty() && !own(&node.extras) && !shown.contains(id)
        };
        count += self.scene.nodes.iter().filter(lost).count();
        if count > 0 {
            let message = "only bones and animations have names in BMD";
            self.losses.push(Loss::new(Aspect::Names, LossKind::Dropped, "names", message).count(count));
        }
        let renamed = drawn.iter().filter(|(_, node)| node.name != lift::MODEL_NAME).count();
        if renamed > 0 {
            let message = "what is not a bone gets another name when it is read";
            self.losses
                .push(Loss::new(Aspect::Names, LossKind::Approximated, "nodes", message).count(renamed));
        }
        if let Some(others) = trees.first(Aspect::Names).filter(|_| count + renamed == 0) {
            let message = "nodes have other names when they are read";
            let loss = Loss::new(Aspect::Names, LossKind::Approximated, others.path.clone(), message);
            self.losses.push(loss);
        }
    }
}

/// A mesh that draws nothing.
fn empty_piece(note: EmptyMesh) -> Piece {
    let mut rest = note.vertices.as_slice();
    let mut mesh = Mesh { flags: note.flags, ..Mesh::default() };
    while let Some(vertex) = Vertex::read(rest).filter(|_| mesh.vertices.len() < MAX_VERTICES) {
        mesh.vertices.push(vertex);
        rest = rest.get(vertex.kind().bytes()..).unwrap_or_default();
    }
    Piece { mesh, material: note.material.map(usable_name), index: Some(note.mesh), level: None, padding: 0 }
}

/// Meshes of one level with one material as one, as far as vertices can be counted.
fn joined(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut groups: Vec<Group> = Vec::new();
    let mut open: BTreeMap<(Option<usize>, Option<Vec<u8>>), usize> = BTreeMap::new();
    for piece in pieces {
        let key = (piece.level, piece.material.clone());
        let (vertices, triangles) = (piece.mesh.vertices.len(), piece.mesh.triangles());
        let into = open.get(&key).and_then(|i| groups.get_mut(*i));
        let fits = |group: &&mut Group| {
            group.vertices + vertices <= MAX_VERTICES && group.triangles + triangles <= MAX_VERTICES
        };
        match into.filter(fits) {
            Some(group) => {
                group.vertices += vertices;
                group.triangles += triangles;
                group.others.push(piece.mesh);
            }
            None => {
                open.insert(key, groups.len());
                groups.push(Group { first: piece, others: Vec::new(), vertices, triangles });
            }
        }
    }
    groups.into_iter().map(Group::finish).collect()
}

/// Meshes that become one.
struct Group {
    first: Piece,
    others: Vec<Mesh>,
    vertices: usize,
    triangles: usize,
}

impl Group {
    fn finish(self) -> Piece {
        let mut piece = self.first;
        let Some(last) = self.others.last() else { return piece };
        // Quads are triangles once they are joined with others.
        let before = match self.others.len() {
            1 => piece.mesh.faces.len(),
            _ => self.triangles - last.triangles(),
        };
        let count = self.vertices.max(before + last.faces.len());
        let kind = if count > 1024 { FaceKind::Triangle64 } else { FaceKind::Triangle32 };
        let (mut vertices, mut faces) =
            (Vec::with_capacity(self.vertices), Vec::with_capacity(self.triangles));
        for mesh in std::iter::once(&piece.mesh).chain(&self.others) {
            let before = vertices.len() as u32;
            let triangles = mesh.faces.iter().flat_map(Face::triangles);
            // No index is too large: there are fewer than 65,536 vertices, and fewer than 1024 for the short form.
            faces.extend(triangles.filter_map(|corners| Face::new(kind, &corners.map(|i| i + before))));
            vertices.extend_from_slice(&mesh.vertices);
        }
        let triangle_count = u16::try_from(faces.len()).unwrap_or(u16::MAX);
        let mut mesh = Mesh { vertices, faces, triangle_count, ..Mesh::default() };
        mesh.flags = geometry::flags(&mesh, None);
        piece.mesh = mesh;
        piece
    }
}

/// The bytes of a name: those that the file had, if they still mean the same; at most 255.
fn raw_name(kept: Option<Vec<u8>>, name: &str) -> Vec<u8> {
    let kept = kept.filter(|bytes| crate::bytes::utf8_or_windows_1252(bytes) == name);
    usable_name(kept.unwrap_or_else(|| name.as_bytes().to_vec()))
}

/// A name without zeros, which would end it; at most 255 bytes.
fn usable_name(mut name: Vec<u8>) -> Vec<u8> {
    name.retain(|byte| *byte != 0);
    name.truncate(255);
    name
}

/// The inverse of a bone's place; what has none is taken as it is, as reading does.
fn inverse_place(place: &Mat4) -> Mat4 {
    pose::inverse(place).unwrap_or_default()
}
