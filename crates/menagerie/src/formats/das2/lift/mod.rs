//! File model to Scene.
//!
//! Mesh groups become meshes, their meshes primitives. A node becomes a node; one whose custom matrix comes on top of an
//! animated placement becomes two. The joints of a skeleton hang below the node that binds it, because the node moves
//! what it shows; a skeleton that several nodes bind gets its joints once for each of them. Levels of detail become
//! stand-ins of the nodes that show the mesh.

mod animations;
mod geometry;
mod materials;
mod nodes;
mod skins;

use std::collections::{BTreeMap, BTreeSet};

use super::appended::Appended;
use super::codes;
use super::forest::Forest;
use super::geometry::Geometry;
use super::model::{Framing, Lists, Model, NONE, SLOTS, Target, Text, material_type};
use super::notes::{HeaderNote, NameNote, Note};
use crate::bytes::Limits;
use crate::diag::{Aspect, Issue, Issues};
use crate::formats::{Lifted, ReadOptions, Recorder};
use crate::scene::{Extras, MaterialId, MeshId, Node, NodeId, Scene, SceneRoot, TextureId};

pub(super) use materials::file_name;

/// The custom attribute with normals as the file has them, where they are no unit vectors.
pub(super) const RAW_NORMALS: &str = "_DAS2_NORMAL";
/// The beginning of the names of custom attributes with joint weights as the file has them, where they are no sound ones.
pub(super) const RAW_WEIGHTS: &str = "_DAS2_WEIGHTS_";

/// The Scene that a model means.
pub fn lift(model: &Model, options: &ReadOptions<'_>) -> Lifted {
    lift_with(model, note_of(model), options)
}

/// The Scene that readers see who do not know the note; `None` where they see the same.
pub(super) fn lift_as_others(model: &Model, options: &ReadOptions<'_>) -> Option<Lifted> {
    let note = note_of(model);
    let differs = !note.scales.is_empty() || !note.channels.is_empty();
    let seen = Appended { scales: BTreeMap::new(), channels: BTreeMap::new(), ..note };
    differs.then(|| lift_with(model, seen, options))
}

/// The note at the end of the last buffer.
fn note_of(model: &Model) -> Appended {
    let lists = model.lists();
    lists.buffers.last().and_then(|buffer| Appended::read(&buffer.data)).unwrap_or_default()
}

fn lift_with(model: &Model, note: Appended, options: &ReadOptions<'_>) -> Lifted {
    let lists = model.lists();
    let mut lifter = Lifter {
        model,
        geometry: Geometry::new(model.profile, &lists),
        nodes: Forest::new(lists.nodes.iter().map(|node| node.children.as_slice())),
        joints: Forest::new(lists.joints.iter().map(|joint| joint.children.as_slice())),
        animated: animated(&lists),
        lists,
        note,
        scene: Scene::default(),
        issues: Issues::new(options.limits.issues_per_code),
        materials: BTreeMap::new(),
        textures: BTreeMap::new(),
        groups: Vec::new(),
        node_ids: Vec::new(),
        top_ids: Vec::new(),
        joint_ids: Vec::new(),
        joint_trees: BTreeMap::new(),
        joints_below: BTreeMap::new(),
        listed: model.lists().skeletons.iter().flat_map(|skeleton| skeleton.joints.iter().copied()).collect(),
        limits: options.limits.clone(),
        origins: Recorder::new(options.provenance),
        shape_only: options.shape_only,
    };
    lifter.materials();
    lifter.meshes();
    lifter.nodes();
    lifter.skins();
    lifter.levels();
    lifter.scenes();
    lifter.animations();
    lifter.header();
    lifter.missing();
    let provenance = lifter.origins.finish(&lifter.scene);
    Lifted { scene: lifter.scene, issues: lifter.issues, provenance }
}

/// The nodes whose placement some channel animates.
fn animated(lists: &Lists<'_>) -> BTreeSet<usize> {
    let played = lists.animations.iter().flat_map(|animation| &animation.channels);
    let channels = played.filter_map(|channel| lists.channels.get(*channel as usize));
    let moves = |target| matches!(target, Target::Translation | Target::Rotation | Target::Scale);
    channels.filter(|channel| moves(channel.target)).map(|channel| channel.node as usize).collect()
}

/// A mesh group in the Scene.
struct Group {
    mesh: MeshId,
    /// The meshes of its levels of detail.
    levels: Vec<MeshId>,
}

/// A material of the file with the sets of texture coordinates that its pictures use.
type MaterialKey = (u8, u32, [u32; SLOTS]);

struct Lifter<'a> {
    model: &'a Model,
    lists: Lists<'a>,
    geometry: Geometry<'a>,
    nodes: Forest,
    joints: Forest,
    /// The nodes whose placement some channel animates.
    animated: BTreeSet<usize>,
    note: Appended,
    scene: Scene,
    issues: Issues,
    materials: BTreeMap<MaterialKey, MaterialId>,
    textures: BTreeMap<Vec<u8>, TextureId>,
    groups: Vec<Group>,
    /// For each node, the one in the Scene that has its placement, mesh and children.
    node_ids: Vec<NodeId>,
    /// For each node, the one in the Scene that hangs in its place.
    top_ids: Vec<NodeId>,
    /// For each joint, its nodes in the Scene: one for each node that binds it, at least one.
    joint_ids: Vec<Vec<NodeId>>,
    /// The trees of joints that hang below nodes, by their root and that node.
    joint_trees: BTreeMap<(usize, usize), NodeId>,
    /// The joints of trees that skins were made of, by their root in the file and the node that it is.
    joints_below: BTreeMap<(usize, NodeId), skins::Tree>,
    /// The joints that some skeleton lists.
    listed: BTreeSet<u32>,
    limits: Limits,
    /// Where things come from, if that was asked for.
    origins: Recorder,
    shape_only: bool,
}

impl Lifter<'_> {
    /// The path of a record in the byte map: that of a compressed body is inside.
    fn place(&self, list: &str, index: usize) -> String {
        let body = if self.model.framing == Framing::Raw { "" } else { "body." };
        format!("{body}{list}[{index}]")
    }

    /// Whether there is room for one more thing of about so many bytes; says so when there is not.
    fn has_room(&mut self, bytes: usize, path: impl FnOnce() -> String) -> bool {
        let room = self.limits.take(bytes as u64).is_ok();
        if !room {
            self.issues.report(&codes::OVERUSED, || {
                let message = "so much of the file is shared that the rest was left out";
                (path(), message.to_owned())
            });
        }
        room
    }

    /// What a damaged file does not have, and what it does not show any more: nodes that no scene shows, and meshes that
    /// no node does, are shown, for what showed them is in the part that is gone.
    fn missing(&mut self) {
        let levels = self.lists.meshes.iter().flat_map(|mesh| &mesh.levels);
        let wanted: BTreeSet<(u8, u32)> = levels
            .filter(|level| level.material_type != material_type::NONE && level.material != NONE)
            .map(|level| (level.material_type, level.material))
            .collect();
        let known = |(kind, id): &&(u8, u32)| match *kind {
            material_type::PHONG => (*id as usize) < self.lists.phong_materials.len(),
            material_type::PBR => (*id as usize) < self.lists.pbr_materials.len(),
            _ => true,
        };
        let lost = wanted.len() - wanted.iter().filter(known).count();
        self.issues.give_up(Aspect::Materials, "materials", "meshes", (lost, wanted.len()));
        if self.model.damaged.is_none() {
            return;
        }
        if self.scene.scenes.is_empty() {
            let parents = crate::scene::parents(&self.scene);
            let stand_ins: BTreeSet<NodeId> =
                self.scene.nodes.values().flat_map(|node| &node.lods).map(|lod| lod.node).collect();
            let roots =
                self.scene.nodes.ids().filter(|id| {
                    parents.get(id.index()).copied().flatten().is_none() && !stand_ins.contains(id)
                });
            let roots = roots.collect();
            self.scene.scenes.push(SceneRoot { roots, ..SceneRoot::default() });
            self.scene.default_scene = Some(0);
        }
        let shown: BTreeSet<MeshId> = self.scene.nodes.values().filter_map(|node| node.mesh).collect();
        let lonely: Vec<MeshId> =
            self.groups.iter().map(|group| group.mesh).filter(|mesh| !shown.contains(mesh)).collect();
        for mesh in &lonely {
            let name = self.scene.meshes.get(*mesh).map(|mesh| mesh.name.clone()).unwrap_or_default();
            let node = self.scene.nodes.push(Node { name, mesh: Some(*mesh), ..Node::default() });
            if let Some(root) = self.scene.scenes.first_mut() {
                root.roots.push(node);
            }
        }
        if !lonely.is_empty() {
            let message =
                format!("{} meshes that no node shows any more are shown where they are", lonely.len());
            self.issues.push(Issue::new(&codes::SHOWN_MESH, "meshes[0]", message));
        }
    }

    fn header(&mut self) {
        let header = &self.model.header;
        let mut extras = std::mem::take(&mut self.scene.extras);
        let stored = matches!(self.model.framing, Framing::Zlib { .. }) && header.level == 0;
        let said = |text: &Text| (!text.bytes.is_empty()).then(|| text.decoded().0);
        let note = HeaderNote {
            profile: Some(self.model.profile.name().to_owned()),
            level: Some(header.level),
            stored_blocks: stored.then_some(true),
            author: said(&header.author),
            author_bytes: odd_bytes(&header.author),
            comment: said(&header.comment),
            comment_bytes: odd_bytes(&header.comment),
        };
        note.keep(&mut extras);
        self.note.restore_extras("scene", &mut extras);
        self.scene.extras = extras;
    }
}

/// The name of an element that has no note yet; bytes that are not UTF-8 are kept beside it.
fn name(text: &Text, extras: &mut Extras) -> String {
    NameNote { name_bytes: odd_bytes(text) }.keep(extras);
    text.decoded().0
}

/// The bytes of a text that are not UTF-8.
fn odd_bytes(text: &Text) -> Option<Vec<u8>> {
    (!text.decoded().1).then(|| text.bytes.clone())
}
