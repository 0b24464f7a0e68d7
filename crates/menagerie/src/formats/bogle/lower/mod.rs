//! Scene to BOGLE.
//!
//! Nodes become instances with their matrices, except joints: they become the bones of animation collections, one
//! collection for each skinned mesh. An instance holds one geometry and one material, so further parts of a mesh go to
//! instances below. What a file had before (order, tree text, raw numbers) is taken from the extras where it still
//! means what the Scene says.

mod animation;
mod camera;
mod chain;
mod geometry;
mod look;
mod moving;
mod nodes;
mod pool;
mod skeleton;

use std::collections::{BTreeMap, BTreeSet};

use glam::{DMat4, Mat4};

use super::frame::Frame;
use super::geometry::{BoneEncoding, Geometry};
use super::joints::Joints;
use super::model::{Instance, Model};
use super::notes::{NodeNote, Note as _, SceneNote};
use super::tree::{Place, Tree};
use super::{ENGINE_LIGHTS, FORMAT};
use crate::bytes::Limits;
use crate::diag::{Aspect, Issue, Loss, LossKind, LossReport};
use crate::formats::{Purpose, WriteOptions, engine, picture_names, report_unheld};
use crate::scene::{CheckedScene, NodeId, Scene, Topology, check};
use chain::Chain;
use nodes::Role;
use pool::Pool;
use skeleton::Rig;

/// Makes a file model of a Scene, and reports what that cost. Fails where keys that hold all bones would take more memory
/// than the limits allow.
pub fn lower(
    scene: CheckedScene<'_>,
    options: &WriteOptions,
    losses: &mut LossReport,
) -> Result<Model, Issue> {
    report_unheld(&scene, &FORMAT, losses);
    let from_file = scene.extras.of(FORMAT.id).is_some();
    let mend = options.purpose == Purpose::Engine || (options.purpose == Purpose::Both && !from_file);
    // The engine shows mirrored objects inside out (engines.md BOGLE E12).
    let turned = if mend { engine::without_mirrors(&scene, losses) } else { None };
    let turned = turned.as_ref().and_then(|scene| check(scene).ok());
    let scene = turned.unwrap_or(scene);
    let jointed = moving::jointed(scene, losses);
    let (jointed, carried) = jointed.map(|jointed| (jointed.scene, jointed.carried)).unzip();
    let scene = jointed.as_ref().and_then(|scene| check(scene).ok()).unwrap_or(scene);
    options.limits.take(bones(&scene).saturating_mul(BONE))?;
    let mut lowering = Lowering::new(scene.scene(), options, losses);
    lowering.carried = carried.unwrap_or_default();
    lowering.report_outside();
    lowering.report_topology();
    lowering.instances();
    lowering.unused();
    lowering.report_bones();
    lowering.report_names();
    lowering.finish(options.settings.get("bogle-ascii") == Some("yes"))
}

/// What is above skeletons may be looked at so many times as often as there may be steps: they are short ones.
const WALKS: usize = 8;
/// What a bone takes in memory: here, in the Scene that is read back and in the one that the engine shows.
const BONE: u64 = 6 * 1024;

/// The bones of all skeletons: every node that is skinned has one of its own, whatever skins share.
fn bones(scene: &Scene) -> u64 {
    let skins = scene.nodes.values().filter_map(|node| scene.skins.get(node.skin?));
    skins.map(|skin| skin.joints.len() as u64).fold(0, u64::saturating_add)
}

struct Lowering<'a> {
    scene: &'a Scene,
    losses: &'a mut LossReport,
    purpose: Purpose,
    parents: Vec<Option<NodeId>>,
    /// For each node of the Scene where it is at rest.
    worlds: Vec<DMat4>,
    /// The nodes of the shown scene, parents first.
    nodes: Vec<NodeId>,
    /// For each node of the Scene, what becomes of it.
    roles: Vec<Role>,
    /// For each node of the Scene, where it went.
    spots: Vec<Option<Spot>>,
    /// The instances, before they are sorted; their indices count in the pools.
    drafts: Vec<Draft>,
    /// The numbers that instances had in a file.
    wanted: Vec<usize>,
    places: Vec<Place>,
    /// Nodes in the tree that may need further instances: with their draft, place and frame.
    split: Vec<(NodeId, usize, usize, Frame)>,
    geometries: Pool<Geometry>,
    /// The geometries that need not be moved to a skeleton's rest pose.
    plain: BTreeMap<geometry::Plain, usize>,
    rigs: Vec<Rig>,
    limits: Limits,
    /// What keys between others may still hold, in rotations.
    between_left: u64,
    /// How often nodes may still be looked at that are above a skeleton.
    steps_left: usize,
    /// All that instances hang on.
    carrying: BTreeSet<NodeId>,
    /// Nodes whose movement is that of joints, and those above them.
    carried: BTreeSet<NodeId>,
    looks: look::Looks,
    bone_index: Option<BoneEncoding>,
    model: Model,
}

/// An instance that is not numbered yet.
struct Draft {
    instance: Instance,
    /// The number that it had in a file.
    wanted: Option<usize>,
    /// Its skeleton.
    rig: Option<usize>,
    /// Its geometry in the pool.
    geometry: Option<usize>,
}

/// Where a node went.
#[derive(Clone, Copy)]
struct Spot {
    place: usize,
    frame: Frame,
    /// From the node to the instance that its place hangs below, in the file's axes.
    matrix: Mat4,
}

impl<'a> Lowering<'a> {
    fn new(scene: &'a Scene, options: &WriteOptions, losses: &'a mut LossReport) -> Self {
        let parents = crate::scene::parents(scene);
        let nodes = scene.shown().map(|root| scene.walk(&root.roots)).unwrap_or_default();
        let roles = nodes::roles(scene, &nodes, &parents);
        let bone_index = options.settings.get("bogle-bone-index").and_then(BoneEncoding::by_name);
        let mut lowering = Self {
            scene,
            losses,
            purpose: options.purpose,
            parents,
            worlds: Vec::new(),
            nodes,
            roles,
            spots: vec![None; scene.nodes.len()],
            drafts: Vec::new(),
            wanted: Vec::new(),
            places: Vec::new(),
            split: Vec::new(),
            geometries: Pool::default(),
            plain: BTreeMap::new(),
            rigs: Vec::new(),
            limits: options.limits.clone(),
            between_left: options.limits.keys / animation::BETWEEN,
            steps_left: options.limits.steps.saturating_mul(WALKS),
            carrying: BTreeSet::new(),
            carried: BTreeSet::new(),
            looks: look::Looks::default(),
            bone_index,
            model: Model::default(),
        };
        let all: Vec<NodeId> = scene.nodes.iter().map(|(id, _)| id).collect();
        lowering.worlds = Chain::new(&all, &lowering.parents).worlds(|id| lowering.local(id));
        let instances = lowering.nodes.iter().copied().filter(|id| lowering.role(*id) == Role::Instance);
        lowering.carrying = lowering.with_all_above(instances.filter_map(|id| lowering.ancestors(id).next()));
        lowering.model.ambient = lowering.ambient();
        lowering
    }

    /// Everything in its order and numbered.
    fn finish(mut self, ascii: bool) -> Result<Model, Issue> {
        let (collections, collection_of) = self.collections()?;
        self.model.collections = collections;
        let (geometries, geometry_of) = std::mem::take(&mut self.geometries).finish();
        self.model.geometries = geometries;
        let mut instances = Pool::default();
        self.wanted = self.drafts.iter().filter_map(|draft| draft.wanted).collect();
        let drafts = std::mem::take(&mut self.drafts);
        let one_based = |list: &[usize], index: Option<usize>| {
            index.and_then(|index| list.get(index)).map_or(0, |index| number(index + 1))
        };
        let numbers: Vec<usize> = drafts
            .into_iter()
            .map(|draft| {
                let mut instance = draft.instance;
                instance.geometry = one_based(&geometry_of, draft.geometry);
                instance.collection = one_based(&collection_of, draft.rig);
                instances.add(draft.wanted, None, instance)
            })
            .collect();
        self.report_repeated();
        let (instances, instance_of) = instances.finish();
        self.model.instances = instances;
        for place in &mut self.places {
            let number = numbers.get(place.instance).and_then(|number| instance_of.get(*number));
            place.instance = number.copied().unwrap_or_default();
        }
        self.places = depth_first(&self.places);
        self.looks_into_model();
        self.camera_for_engine();
        self.model.tree = self.tree_text();
        self.report_lights();
        if ascii {
            self.make_ascii();
        }
        Ok(self.model)
    }

    /// The text that the file had, if it still says the same.
    fn tree_text(&mut self) -> Vec<u8> {
        let kept = SceneNote::of(&self.scene.extras).tree;
        let kept = kept.as_deref();
        let says_the_same = |text: &&str| {
            let tree = Tree::parse(text.as_bytes(), self.model.instances.len());
            tree.is_ok_and(|tree| tree.is_well_formed() && !tree.terminated && tree.places == self.places)
        };
        match kept.filter(says_the_same) {
            Some(text) => text.as_bytes().to_vec(),
            None => {
                if kept.is_some() {
                    let message = "the text of the tree was written anew";
                    self.losses.approximated(Aspect::Extras, "extras", message);
                }
                Tree::to_text(&self.places)
            }
        }
    }

    /// Objects that a file's tree had in several places: each place has an object of its own now, and those after it
    /// other numbers.
    fn report_repeated(&mut self) {
        let different: BTreeSet<usize> = self.wanted.iter().copied().collect();
        let repeated = self.wanted.len() - different.len();
        if repeated > 0 {
            let message =
                "objects that the tree had in several places became several, for each may be there once";
            let loss = Loss::new(Aspect::Extras, LossKind::Approximated, "nodes", message);
            self.losses.push(loss.count(repeated));
        }
    }

    fn report_lights(&mut self) {
        if self.looks.too_many_lights > 0 {
            let message =
                format!("the engine stops at more than {ENGINE_LIGHTS} lights; the others were left out");
            let loss = Loss::new(Aspect::Lights, LossKind::Dropped, "lights", message);
            self.losses.push(loss.count(self.looks.too_many_lights));
        }
    }

    /// The second bones of joints.
    fn report_bones(&mut self) {
        let skinned = self.scene.nodes.values().filter(|node| node.skin.is_some()).count();
        if skinned > 0 && self.rigs.is_empty() {
            let message = "skins that move nothing that is shown were left out";
            let loss = Loss::new(Aspect::Skins, LossKind::Dropped, "skins", message).count(skinned);
            // Where no vertex hangs on a joint nobody misses them.
            let bound = self.scene.nodes.values().any(|node| self.scene.is_bound(node));
            self.losses.push(Loss { unread: !bound, ..loss });
        }
        let doubled = self.rigs.iter().filter(|rig| rig.joints == Joints::Doubled && !rig.was_doubled);
        let added: usize = doubled.map(|rig| rig.bones.len()).sum();
        if added > 0 {
            let message = "every joint became two bones, one to place and one to turn: the engine turns bones about their parents";
            self.losses.push(Loss::new(Aspect::Skins, LossKind::Added, "skins", message).count(added));
        }
    }

    /// Replaces what is not ASCII in all names.
    fn make_ascii(&mut self) {
        let model = &mut self.model;
        let mut changed = 0;
        let mut fix = |name: &mut Vec<u8>| {
            if !name.is_ascii() {
                let text = crate::bytes::utf8_or_windows_1252(name);
                *name =
                    text.chars().map(|c| u8::try_from(c).ok().filter(u8::is_ascii).unwrap_or(b'_')).collect();
                changed += 1;
            }
        };
        model.cameras.iter_mut().for_each(|x| fix(&mut x.name));
        model.geometries.iter_mut().for_each(|x| fix(&mut x.name));
        for material in &mut model.materials {
            fix(&mut material.name);
            material.textures.iter_mut().for_each(&mut fix);
        }
        model.lights.iter_mut().for_each(|x| fix(&mut x.name));
        for collection in &mut model.collections {
            fix(&mut collection.name);
            collection.animations.iter_mut().for_each(|x| fix(&mut x.name));
        }
        model.instances.iter_mut().for_each(|x| fix(&mut x.name));
        if changed > 0 {
            let message = "characters that are not ASCII were replaced, as --bogle-ascii asks";
            self.losses
                .push(Loss::new(Aspect::Names, LossKind::Approximated, "names", message).count(changed));
        }
    }

    /// Names of things that have none in BOGLE.
    fn report_names(&mut self) {
        let scene = self.scene;
        let made = |node: &crate::scene::Node| NodeNote::of(&node.extras).bone.is_some();
        let bones = self.rigs.iter().flat_map(|rig| &rig.bones).filter_map(|id| scene.nodes.get(*id));
        let bones = bones.filter(|node| !made(node)).map(|node| &node.name);
        let pictures =
            picture_names(scene, &self.nodes, |image| image.data.is_some() || !self.purpose.serves_engine());
        let shown = scene.shown().map(|root| &root.name);
        let count = bones.chain(shown).filter(|name| !name.is_empty()).count() + pictures;
        if count > 0 {
            let message = "bones, pictures and scenes have no names in BOGLE";
            self.losses.push(Loss::new(Aspect::Names, LossKind::Dropped, "names", message).count(count));
        }
    }

    /// Other scenes, and nodes that are in none.
    fn report_outside(&mut self) {
        let others = self.scene.scenes.len().saturating_sub(1);
        if others > 0 {
            let message = "only the scene that is shown has a place in BOGLE";
            self.losses.push(Loss::new(Aspect::Scenes, LossKind::Dropped, "scenes", message).count(others));
        }
        if self.scene.scenes.is_empty() {
            let message = "a scene was added, for every BOGLE file is one";
            self.losses.added(Aspect::Scenes, "scenes", message);
        }
        let outside = self.roles.iter().filter(|role| **role == Role::Outside).count();
        let stand_ins: usize = self.scene.nodes.values().map(|node| node.lods.len()).sum();
        if outside > stand_ins {
            let message = "nodes outside the scene that is shown have no place in BOGLE";
            let loss = Loss::new(Aspect::Hierarchy, LossKind::Dropped, "nodes", message);
            self.losses.push(loss.count(outside - stand_ins));
        }
    }

    /// Lines and points of what is shown.
    fn report_topology(&mut self) {
        let meshes = self.nodes.iter().filter_map(|id| self.scene.nodes.get(*id)?.mesh);
        let meshes: BTreeSet<_> = meshes.collect();
        let parts = meshes.iter().filter_map(|mesh| self.scene.meshes.get(*mesh)).flat_map(|m| &m.primitives);
        let others = parts.filter(|part| part.topology != Topology::Triangles);
        let count = others.filter(|part| !part.indices.is_empty()).count();
        if count > 0 {
            let message = "BOGLE draws triangles only; lines and points were left out";
            self.losses.push(Loss::new(Aspect::Topology, LossKind::Dropped, "meshes", message).count(count));
        }
    }

    /// Whether something is written as the engine needs it. What came from a BOGLE file stays as it was, unless the
    /// file is for the engine in so many words.
    fn for_engine(&self, from_file: bool) -> bool {
        match self.purpose {
            Purpose::Both => !from_file,
            Purpose::Engine => true,
            Purpose::Document => false,
        }
    }

    /// Whether the whole Scene was a BOGLE file.
    fn scene_from_file(&self) -> bool {
        self.scene.extras.of(FORMAT.id).is_some()
    }

    fn role(&self, id: NodeId) -> Role {
        self.roles.get(id.index()).copied().unwrap_or(Role::Outside)
    }
}

/// The places in the order of a text: each is followed by all that is below it.
fn depth_first(places: &[Place]) -> Vec<Place> {
    let mut below = vec![Vec::new(); places.len()];
    let mut open = Vec::new();
    for (index, place) in places.iter().enumerate().rev() {
        match place.parent.and_then(|parent| below.get_mut(parent)) {
            Some(list) => list.push((index, 0)),
            None => open.push((index, 0)),
        }
    }
    let mut sorted: Vec<Place> = Vec::with_capacity(places.len());
    while let Some((index, parent)) = open.pop() {
        let Some(place) = places.get(index) else { continue };
        let at = sorted.len();
        sorted.push(Place { parent: place.parent.map(|_| parent), ..*place });
        let children = below.get_mut(index).map(std::mem::take).unwrap_or_default();
        open.extend(children.into_iter().map(|(child, _)| (child, at)));
    }
    sorted
}

/// An index as the number that the format has for it.
fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}
