//! Scene to file model.
//!
//! Nodes, meshes, skins, materials and animations become records of the same kinds, in the order of the Scene. What
//! das2 separates has to be found out: joints are no nodes there. A node that came from a joint goes back to being one;
//! any other node that a skin uses stays a node and gets a joint beside it, its twin, and so do the nodes above it. What
//! has no place goes into a [`Note`], and is reported as a loss, for only menagerie reads it.

mod animations;
mod geometry;
mod materials;
mod nodes;
mod roles;
mod skins;

use std::collections::BTreeMap;

use super::appended::Appended;
use super::model::{
    Animation, Buffer, Channel, Framing, Header, Joint, Mesh, MeshGroup, Model, Node, Numbering, Pbr, Phong,
    Profile, Record, Scene as FileScene, Skeleton, Text,
};
use super::notes::{HeaderNote, NameNote, Note};
use super::{DEFAULT_LEVEL, DEFAULT_LIBRARY_LEVEL, FORMAT, codes};
use crate::bytes::decode_text;
use crate::diag::{Aspect, Issue, Loss, LossKind, LossReport};
use crate::formats::{Purpose, WriteOptions, report_unheld};
use crate::scene::{CheckedScene, Extras, NodeId, Scene, Topology};

/// Makes a file model of a Scene, and reports what that cost.
pub fn lower(
    scene: CheckedScene<'_>,
    options: &WriteOptions,
    losses: &mut LossReport,
) -> Result<Model, Issue> {
    report_unheld(&scene, &FORMAT, losses);
    let mut lowering = Lowering::new(scene.scene(), options, losses);
    lowering.materials();
    lowering.meshes();
    lowering.skeletons();
    lowering.nodes();
    lowering.scenes();
    lowering.animations();
    lowering.extras();
    lowering.report_note();
    lowering.finish(options)
}

/// The records that are made, by kind.
#[derive(Default)]
struct Records {
    buffers: Vec<Buffer>,
    meshes: Vec<Mesh>,
    groups: Vec<MeshGroup>,
    nodes: Vec<Node>,
    scenes: Vec<FileScene>,
    joints: Vec<Joint>,
    skeletons: Vec<Skeleton>,
    animations: Vec<Animation>,
    channels: Vec<Channel>,
    phongs: Vec<Phong>,
    pbrs: Vec<Pbr>,
}

struct Lowering<'a> {
    scene: &'a Scene,
    losses: &'a mut LossReport,
    profile: Profile,
    /// Whether the file is written so that the format's own library reads what it can.
    for_library: bool,
    /// Whether what was written so before is written so again.
    serves_library: bool,
    roles: roles::Roles,
    records: Records,
    note: Appended,
    /// For each material, its type and id.
    materials: Vec<(u8, u32)>,
    /// For each node, the group of the mesh that it shows.
    group_of: Vec<Option<u32>>,
    skeletons: skins::Skeletons,
    /// For each node whose mesh another node of the file holds, that one.
    moved: BTreeMap<NodeId, usize>,
    /// For each node that another node of the file stretches, that one.
    stretched: BTreeMap<NodeId, usize>,
    /// Whether a node shows the mesh that is being written.
    in_sight: bool,
    /// Whether something has more than 32 bits of size.
    too_large: bool,
}

impl<'a> Lowering<'a> {
    fn new(scene: &'a Scene, options: &WriteOptions, losses: &'a mut LossReport) -> Self {
        let kept = HeaderNote::of(&scene.extras).profile;
        let kept = kept.as_deref();
        let asked = options.settings.get("das2-profile");
        let profile = asked.or(kept).and_then(Profile::by_name).unwrap_or_default();
        let from_library = kept == Some(Profile::Libdas2.name());
        let for_library = profile == Profile::Libdas2
            && match options.purpose {
                Purpose::Both => !from_library,
                Purpose::Engine => true,
                Purpose::Document => false,
            };
        Self {
            scene,
            losses,
            profile,
            for_library,
            serves_library: options.purpose.serves_engine(),
            roles: roles::Roles::new(scene),
            records: Records::default(),
            note: Appended::default(),
            materials: Vec::new(),
            group_of: vec![None; scene.nodes.len()],
            skeletons: skins::Skeletons::default(),
            moved: BTreeMap::new(),
            stretched: BTreeMap::new(),
            in_sight: false,
            too_large: false,
        }
    }

    /// The bytes of a name: those that the file had, if they still mean the same.
    fn text(&mut self, text: &str, kept: Option<Vec<u8>>) -> Text {
        let bytes =
            kept.filter(|bytes| decode_text(bytes).0 == text).unwrap_or_else(|| text.as_bytes().to_vec());
        if bytes.len() <= usize::from(u16::MAX) {
            return Text::new(bytes);
        }
        self.losses.approximated(Aspect::Names, "names", "a string of more than 65535 bytes was cut");
        let end = (0..=usize::from(u16::MAX)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        Text::new(text.get(..end).unwrap_or_default())
    }

    fn scenes(&mut self) {
        for (index, scene) in self.scene.scenes.iter().enumerate() {
            let name = self.text(&scene.name, NameNote::of(&scene.extras).name_bytes);
            let mut roots: Vec<u32> =
                scene.roots.iter().filter_map(|root| self.roles.in_place(*root)).collect();
            // A node that only holds the skinned mesh of another is shown wherever that one is.
            let shown = self.scene.walk(&scene.roots);
            roots.extend(shown.iter().filter_map(|node| self.moved.get(node)).map(|node| id(*node)));
            self.records.scenes.push(FileScene { name, roots });
            self.note.keep_extras(format!("scenes.{index}"), &scene.extras);
        }
        if self.scene.scenes.is_empty() {
            let roots = self.roles.roots().chain(self.moved.values().map(|node| id(*node))).collect();
            self.records.scenes.push(FileScene { roots, ..FileScene::default() });
            self.losses.added(Aspect::Scenes, "scenes", "a scene was added, for das2 must have one");
        }
    }

    /// What other formats keep in extras goes into the note where there is an element for it.
    fn extras(&mut self) {
        self.note.keep_extras("scene".to_owned(), &self.scene.extras);
        let foreign = |extras: &&Extras| extras.iter().any(|(format, _)| format != FORMAT.id);
        let count = self.scene.all_extras().filter(foreign).count();
        // What goes as a whole takes its data along.
        let primitives = self.scene.meshes.values().flat_map(|mesh| &mesh.primitives);
        let not_drawn = primitives.filter(|p| p.topology != Topology::Triangles).map(|x| &x.extras);
        let gone = (self.scene.cameras.values().map(|x| &x.extras))
            .chain(self.scene.lights.values().map(|x| &x.extras))
            .chain(not_drawn);
        let lost = count.saturating_sub(self.note.extras.len() + gone.filter(foreign).count());
        if lost > 0 {
            let message = "data that only other formats know has no place in das2";
            self.losses.push(Loss::new(Aspect::Extras, LossKind::Dropped, "extras", message).count(lost));
        }
    }

    /// Other readers do not see what is in a note.
    fn report_note(&mut self) {
        let note = &self.note;
        for (aspect, path, what, count) in [
            (Aspect::Names, "animations", "the names of animations are", note.animations.len()),
            (Aspect::Textures, "textures", "how pictures are tiled and filtered is", note.samplers.len()),
            (Aspect::Tangents, "meshes", "tangents are", note.tangents.len()),
            (Aspect::Names, "meshes", "the names of morph targets are", note.target_names.len()),
            (
                Aspect::Morphs,
                "meshes",
                "the weights of morph targets at rest are",
                note.group_weights.len() + note.node_weights.len(),
            ),
            (Aspect::Lods, "nodes", "the distances of levels of detail are", note.distances.len()),
            (Aspect::Hierarchy, "nodes", "that joints are nodes too is", note.twins.len()),
        ] {
            if count > 0 {
                let message = format!("{what} kept in a note that only menagerie reads");
                let loss = Loss::new(aspect, LossKind::Approximated, path, message).count(count);
                self.losses.push(Loss { noted: true, ..loss });
            }
        }
    }

    fn finish(mut self, options: &WriteOptions) -> Result<Model, Issue> {
        let note = self.note.to_bytes();
        match (self.profile, self.records.buffers.last_mut()) {
            // The library's profile has one buffer.
            (Profile::Libdas2, Some(buffer)) => buffer.data.make_mut().extend(note),
            (Profile::Spec, _) if note.is_empty() => {}
            _ => self.records.buffers.push(Buffer { data: note.into() }),
        }
        self.too_large |= self.records.buffers.iter().any(|buffer| u32::try_from(buffer.data.len()).is_err());
        if self.too_large {
            let message = "a buffer of das2 can have 4 GB, and the model has more";
            return Err(Issue::new(&codes::TOO_LARGE, "meshes", message));
        }
        let (level, framing) = self.packing(options);
        let kept = HeaderNote::of(&self.scene.extras);
        let mut header = Header {
            author: self.text(&kept.author.unwrap_or_default(), kept.author_bytes),
            comment: self.text(&kept.comment.unwrap_or_default(), kept.comment_bytes),
            vertices_count: 0,
            mesh_count: id(self.records.meshes.len()),
            animation_count: id(self.records.animations.len()),
            default_scene: id(self.scene.default_scene.unwrap_or(0)),
            level,
        };
        let profile = self.profile;
        let records = self.records.into_list(self.for_library);
        let mut model = Model {
            profile,
            numbering: Numbering::Headings,
            header: header.clone(),
            framing,
            records,
            trailing: Vec::new(),
            damaged: None,
        };
        header.vertices_count = id(model.summary().vertices);
        model.header = header;
        Ok(model)
    }

    /// The compression: what was asked for, what the source had, or the usual one.
    fn packing(&self, options: &WriteOptions) -> (u8, Framing) {
        let asked: Option<u8> = options.settings.get("das2-level").and_then(|level| level.parse().ok());
        let kept = HeaderNote::of(&self.scene.extras);
        let source = kept.level;
        let same_profile = kept.profile.as_deref() == Some(self.profile.name());
        let source_as_is = source.filter(|_| same_profile && asked.is_none());
        match self.profile {
            Profile::Spec => {
                let level = asked.or(source).unwrap_or(DEFAULT_LEVEL);
                let level = if level > 9 { 1 } else { level };
                let stored = asked.is_none() && kept.stored_blocks == Some(true);
                let packed = level > 0 || stored;
                (level, if packed { Framing::Zlib { stored: None } } else { Framing::Raw })
            }
            Profile::Libdas2 => {
                let usual = |level| match level {
                    0 | 9 | 255 => level,
                    _ => DEFAULT_LIBRARY_LEVEL,
                };
                let level =
                    source_as_is.unwrap_or_else(|| usual(asked.or(source).unwrap_or(DEFAULT_LIBRARY_LEVEL)));
                let packed = matches!(level, 1 | 9 | 255);
                (level, if packed { Framing::Zstd { stored: None } } else { Framing::Raw })
            }
        }
    }
}

impl Records {
    /// All records in the order in which the format's own library writes them. For it to read them, channels come last:
    /// they eat whatever follows (engines.md das2 E5).
    fn into_list(self, channels_last: bool) -> Vec<Record> {
        let mut records = Vec::new();
        records.extend(self.buffers.into_iter().map(Record::Buffer));
        records.extend(self.meshes.into_iter().map(Record::Mesh));
        records.extend(self.groups.into_iter().map(Record::MeshGroup));
        records.extend(self.nodes.into_iter().map(Record::Node));
        records.extend(self.scenes.into_iter().map(Record::Scene));
        records.extend(self.joints.into_iter().map(Record::Joint));
        records.extend(self.skeletons.into_iter().map(Record::Skeleton));
        records.extend(self.animations.into_iter().map(Record::Animation));
        let channels = self.channels.into_iter().map(Record::Channel);
        let materials =
            self.phongs.into_iter().map(Record::Phong).chain(self.pbrs.into_iter().map(Record::Pbr));
        if channels_last {
            records.extend(materials.chain(channels));
        } else {
            records.extend(channels.chain(materials));
        }
        records
    }
}

/// A place in a list as an id.
fn id(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
