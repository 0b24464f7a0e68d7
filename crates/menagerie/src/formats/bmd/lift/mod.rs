//! BMD to Scene.
//!
//! Every ordinary bone is a node and a joint of the one skin; bone 0 is their root. The meshes of the most detailed
//! level are the primitives of one node, those of the others of nodes that stand in for it. Vertices are brought from
//! the space of their bone to that of the model. Meshes that no level draws are hidden nodes: below their bone when
//! they are its solid.

mod animation;
mod geometry;
mod st;

pub(in crate::formats) use animation::frames_per_second;
pub(super) use animation::{matches_keys, most_keys};
pub(super) use geometry::{BONE, NORMAL_LENGTH, POSITION, SHADE, TAG};
pub(super) use st::{looks_legacy, st_hint};

use std::collections::{BTreeMap, BTreeSet};

use glam::{Mat4, Quat, Vec3};

use super::added::Added;
use super::engine;
use super::model::{Bone, Model, UNITS_PER_METRE, flat_colour};
use super::notes::{EmptyMesh, MadeBone, MaterialNote, NodeNote, Note, SceneNote, SkinNote};
use super::pose::{self, BoneKind, base, bone_kinds};
use super::vertex::StReading;
use crate::bytes::decode_text;
use crate::diag::Issues;
use crate::formats::{Elements, Lifted, PrimitiveOrigin, ReadOptions, Recorder};
use crate::scene::{
    Axes, Image, Lod as SceneLod, Material, MaterialId, Mesh as SceneMesh, MeshId, MetallicRoughness, Node,
    NodeId, Scene, SceneRoot, Shading, Skin, SkinId, Texture, TextureRef, Transform, Turn,
    srgb_byte_to_linear, transform_distance,
};

/// From the file's axes to the Scene's.
pub(super) const TURN: Turn = Axes::Z_UP_FRONT_PLUS_Y.turn;

/// What the node is called that shows the first level of detail.
pub(super) const MODEL_NAME: &str = "model";

/// Bytes of a bone's name that are used; the format's own tools have room for 255.
const MAX_NAME: usize = 1024;

/// Whose reading of a file is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// That of the document, without what was added for the engine.
    Document,
    /// The engine's, with the same nodes and meshes; bones that the document's reading folds away come last.
    Engine,
    /// What the engine should show by the document: its bones and frames, posed as the document says.
    Plain,
}

/// Makes the Scene that a file means.
pub fn lift(model: &Model, options: &ReadOptions<'_>) -> Lifted {
    lift_with(model, options, Reading::Document)
}

/// Makes the Scene of one of the readings.
pub(super) fn lift_with(model: &Model, options: &ReadOptions<'_>, reading: Reading) -> Lifted {
    let added = model.added();
    let mut lifting = Lifting {
        model,
        reading,
        baked: added.blends.iter().map(|blend| (blend.bone, blend.parts.clone())).collect(),
        added,
        issues: Issues::new(options.limits.issues_per_code),
        st: st::reading(model, options.settings.get("bmd-st")),
        rest: pose::rest(&model.bones),
        kinds: bone_kinds(&model.bones),
        scene: Scene::default(),
        nodes: Vec::new(),
        skin: None,
        made: Vec::new(),
        bindings: Vec::new(),
        materials: BTreeMap::new(),
        origins: Recorder::new(options.provenance),
        shape_only: options.shape_only,
    };
    lifting.bones();
    lifting.levels();
    lifting.hidden();
    lifting.engine_nodes();
    lifting.animations();
    lifting.scene_extras();
    // How texture coordinates were read is said by the check already.
    let provenance = lifting.origins.finish(&lifting.scene);
    Lifted { scene: lifting.scene, issues: lifting.issues, provenance }
}

/// What the vertices of a bone hang on in the Scene.
#[derive(Clone, Debug)]
struct Binding {
    joints: [u16; 4],
    weights: [f32; 4],
    /// From the bone's space to that of the model at rest.
    place: Mat4,
}

struct Lifting<'a> {
    model: &'a Model,
    reading: Reading,
    /// What was added for the engine and is taken away again.
    added: Added,
    /// The bones that stand for blends of others, with what they blend.
    baked: BTreeMap<usize, Vec<(usize, f32)>>,
    issues: Issues,
    st: StReading,
    rest: Vec<Mat4>,
    kinds: Vec<BoneKind>,
    scene: Scene,
    /// The node of each ordinary bone.
    nodes: Vec<Option<NodeId>>,
    skin: Option<SkinId>,
    /// Bones that only the engine's reading has: their places, and which joints they are.
    made: Vec<(usize, Transform, usize)>,
    /// For each bone, what its vertices hang on.
    bindings: Vec<Binding>,
    materials: BTreeMap<Vec<u8>, MaterialId>,
    /// Where things come from, if that was asked for.
    origins: Recorder,
    shape_only: bool,
}

impl Lifting<'_> {
    fn bones(&mut self) {
        self.scene.scenes.push(SceneRoot::default());
        self.scene.default_scene = Some(0);
        if self.model.bones.is_empty() || self.added.root {
            return;
        }
        let mut skin = Skin::default();
        let mut joint_of = vec![0u16; self.kinds.len()];
        for (i, kind) in self.kinds.clone().iter().enumerate() {
            let folded = self.baked.contains_key(&i);
            let (BoneKind::Ordinary(parent), Some(bone), false) = (kind, self.model.bones.get(i), folded)
            else {
                self.nodes.push(None);
                continue;
            };
            let node = self.bone_node(i, bone);
            let node = self.scene.nodes.push(node);
            self.origins.node(node.index(), || format!("bones[{i}]"));
            self.nodes.push(Some(node));
            match parent.and_then(|parent| self.nodes.get(parent).copied().flatten()) {
                Some(parent) => self.hang(parent, node),
                None => self.root(node),
            }
            if let Some(place) = joint_of.get_mut(i) {
                *place = u16::try_from(skin.joints.len()).unwrap_or(u16::MAX);
            }
            let inverse = self.rest.get(i).and_then(pose::inverse).unwrap_or_default();
            skin.joints.push(node);
            skin.inverse_binds.push(TURN.matrix(inverse));
        }
        self.bind(&mut skin, &joint_of);
        let (pseudo, baked) = (self.pseudo_table(), self.baked_table());
        let some = |list: Vec<MadeBone>| (!list.is_empty()).then_some(list);
        SkinNote { pseudo: some(pseudo), baked: some(baked) }.keep(&mut skin.extras);
        self.skin = Some(self.scene.skins.push(skin));
    }

    fn bone_node(&self, i: usize, bone: &Bone) -> Node {
        // Thousands of bones may share one name of a megabyte.
        let raw = self.model.text(bone.name_at).unwrap_or_default();
        let raw = raw.get(..MAX_NAME).unwrap_or(raw);
        let (name, utf8) = decode_text(raw);
        let (translation, rotation) = base(&self.model.bones, i);
        let mut node = Node {
            name,
            transform: Transform::Trs {
                translation: TURN.vec3(translation),
                rotation: TURN.quat(rotation),
                scale: Vec3::ONE,
            },
            ..Node::default()
        };
        let note = NodeNote {
            bone: Some(i),
            xform: ((bone.translation, bone.rotation) != (0, 0)).then_some([bone.translation, bone.rotation]),
            solid: (bone.solid != 0).then_some(bone.solid),
            name_bytes: (!utf8).then(|| raw.to_vec()),
            ..NodeNote::default()
        };
        note.keep(&mut node.extras);
        node
    }

    /// What the vertices of each bone hang on. A pseudo-bone whose bones have different places at rest moves its
    /// vertices by the blend of these bones' own matrices: that takes joints of its own, one below each bone.
    fn bind(&mut self, skin: &mut Skin, joint_of: &[u16]) {
        for (i, kind) in self.kinds.clone().iter().enumerate() {
            let place = self.rest.get(i).copied().unwrap_or_default();
            let binding = match kind {
                _ if self.reading != Reading::Document && self.is_made(i) => self.engine_binding(i, skin),
                BoneKind::Ordinary(_) if self.baked.contains_key(&i) => {
                    self.baked_binding(i, joint_of, place)
                }
                BoneKind::Ordinary(_) => {
                    let joint = joint_of.get(i).copied().unwrap_or(0);
                    Binding { joints: [joint, 0, 0, 0], weights: [1.0, 0.0, 0.0, 0.0], place }
                }
                BoneKind::Blend(parts) => {
                    let same = |(bone, _): &(usize, f32)| {
                        self.rest.get(*bone).is_some_and(|other| transform_distance(other, &place) < 1e-6)
                    };
                    let shared = parts.iter().all(same);
                    let inverse = pose::inverse(&place);
                    let mut binding = Binding {
                        joints: [0; 4],
                        weights: [0.0; 4],
                        place: inverse.map_or(Mat4::IDENTITY, |_| place),
                    };
                    let slots = binding.joints.iter_mut().zip(&mut binding.weights);
                    for ((bone, weight), (joint, slot)) in parts.iter().zip(slots) {
                        *slot = *weight;
                        *joint = if shared {
                            joint_of.get(*bone).copied().unwrap_or(0)
                        } else {
                            let mut helper = Node::default();
                            NodeNote { pseudo: Some(i), ..NodeNote::default() }.keep(&mut helper.extras);
                            let helper = self.scene.nodes.push(helper);
                            if let Some(parent) = self.nodes.get(*bone).copied().flatten() {
                                self.hang(parent, helper);
                            }
                            skin.joints.push(helper);
                            skin.inverse_binds.push(TURN.matrix(inverse.unwrap_or_default()));
                            u16::try_from(skin.joints.len() - 1).unwrap_or(u16::MAX)
                        };
                    }
                    binding
                }
            };
            self.bindings.push(binding);
        }
    }

    /// Whether a bone blends others, as the document has it or as it was written for the engine.
    fn is_made(&self, bone: usize) -> bool {
        self.baked.contains_key(&bone) || matches!(self.kinds.get(bone), Some(BoneKind::Blend(_)))
    }

    /// What the vertices of a baked blend hang on: the joints that it was made of. At rest all of them leave vertices
    /// where the bone has them.
    fn baked_binding(&self, bone: usize, joint_of: &[u16], place: Mat4) -> Binding {
        let mut binding = Binding { joints: [0; 4], weights: [0.0; 4], place };
        let slots = binding.joints.iter_mut().zip(&mut binding.weights);
        for ((joint, slot), (part, weight)) in slots.zip(self.baked.get(&bone).into_iter().flatten()) {
            (*joint, *slot) = (joint_of.get(*part).copied().unwrap_or(0), *weight);
        }
        binding
    }

    /// In the engine a blend is a bone like others: a node of its own, behind all others.
    fn engine_binding(&mut self, bone: usize, skin: &mut Skin) -> Binding {
        let place = engine::rest(self.model).get(bone).copied().unwrap_or_default();
        let (_, rotation, translation) = place.to_scale_rotation_translation();
        let transform = Transform::Trs {
            translation: TURN.vec3(translation),
            rotation: TURN.quat(rotation).normalize(),
            scale: Vec3::ONE,
        };
        let inverse = pose::inverse(&place).unwrap_or_default();
        self.made.push((bone, transform, skin.joints.len()));
        // The node itself comes when all others are there.
        skin.joints.push(self.nodes.iter().flatten().next().copied().unwrap_or(NodeId::new(0)));
        skin.inverse_binds.push(TURN.matrix(inverse));
        let joint = u16::try_from(skin.joints.len() - 1).unwrap_or(u16::MAX);
        Binding { joints: [joint, 0, 0, 0], weights: [1.0, 0.0, 0.0, 0.0], place }
    }

    /// The nodes of bones that only the engine has.
    fn engine_nodes(&mut self) {
        for (bone, transform, joint) in std::mem::take(&mut self.made) {
            let node = self.scene.nodes.push(Node { transform, ..Node::default() });
            self.root(node);
            if let Some(place) = self.nodes.get_mut(bone) {
                *place = Some(node);
            }
            let skin = self.skin.and_then(|skin| self.scene.skins.get_mut(skin));
            if let Some(place) = skin.and_then(|skin| skin.joints.get_mut(joint)) {
                *place = node;
            }
        }
    }

    /// Bones that stand for blends, for the way back.
    fn baked_table(&self) -> Vec<MadeBone> {
        let parts = |(i, parts): (&usize, &Vec<(usize, f32)>)| {
            self.made_bone(*i).map(|bone| MadeBone { parts: parts.clone(), ..bone })
        };
        self.baked.iter().filter_map(parts).collect()
    }

    fn pseudo_table(&self) -> Vec<MadeBone> {
        let pseudo = self.kinds.iter().enumerate();
        let pseudo = pseudo.filter(|(_, kind)| matches!(kind, BoneKind::Blend(_)));
        pseudo.filter_map(|(i, _)| self.made_bone(i)).collect()
    }

    /// The record of a bone that is no node.
    fn made_bone(&self, bone: usize) -> Option<MadeBone> {
        let record = self.model.bones.get(bone)?;
        let raw = self.model.text(record.name_at);
        let name = raw.map(|raw| raw.get(..MAX_NAME).unwrap_or(raw).to_vec());
        let xform = [record.translation, record.rotation];
        Some(MadeBone { bone, xform, name, solid: record.solid, parts: Vec::new() })
    }

    fn hang(&mut self, parent: NodeId, child: NodeId) {
        if let Some(parent) = self.scene.nodes.get_mut(parent) {
            parent.children.push(child);
        }
    }

    fn root(&mut self, node: NodeId) {
        if let Some(scene) = self.scene.scenes.first_mut() {
            scene.roots.push(node);
        }
    }

    /// The meshes of each level of detail: those of its range that have a material.
    fn level_ranges(&self) -> Vec<Vec<usize>> {
        let drawn = |i: &usize| self.model.meshes.get(*i).is_some_and(|mesh| mesh.material_at != 0);
        let lods = &self.model.lods;
        // A single entry of zeros stands for all meshes, as the oldest exporters wrote it.
        if lods.len() < 2 && lods.iter().all(|lod| lod.first == 0 && lod.count == 0) {
            return vec![(0..self.model.meshes.len()).filter(drawn).collect()];
        }
        let range = |first: u8, count: u8| usize::from(first)..usize::from(first) + usize::from(count);
        lods.iter().map(|lod| range(lod.first, lod.count).filter(drawn).collect()).collect()
    }

    fn levels(&mut self) {
        let mut top: Option<NodeId> = None;
        for (level, meshes) in self.level_ranges().into_iter().enumerate() {
            let name = if level == 0 { MODEL_NAME.to_owned() } else { format!("{MODEL_NAME}.lod{level}") };
            let Some(mesh) = self.mesh(&meshes, true) else { continue };
            let mut node = Node { name, mesh: Some(mesh), skin: self.skin, ..Node::default() };
            NodeNote { level: Some(level), ..NodeNote::default() }.keep(&mut node.extras);
            let node = self.scene.nodes.push(node);
            match top {
                None => {
                    top = Some(node);
                    self.root(node);
                }
                Some(top) => {
                    let distance = self.model.lods.get(level).and_then(super::Lod::distance);
                    let distance = distance.map(|metres| metres * UNITS_PER_METRE);
                    if let Some(top) = self.scene.nodes.get_mut(top) {
                        top.lods.push(SceneLod { node, distance });
                    }
                }
            }
        }
    }

    /// Meshes that no level draws.
    fn hidden(&mut self) {
        let drawn: BTreeSet<usize> = self.level_ranges().into_iter().flatten().collect();
        for i in (0..self.model.meshes.len()).filter(|i| !drawn.contains(i)) {
            let solid_of = |bone: &Bone| i != 0 && usize::from(bone.solid) == i;
            let bones = self.model.bones.iter().zip(&self.nodes);
            let users: Vec<NodeId> =
                bones.filter(|(bone, _)| solid_of(bone)).filter_map(|(_, node)| *node).collect();
            let Some(mesh) = self.mesh(&[i], users.is_empty()) else { continue };
            if users.is_empty() {
                let name = format!("mesh {i}");
                let skin = self.skin;
                let node = Node { name, mesh: Some(mesh), skin, visible: false, ..Node::default() };
                let node = self.scene.nodes.push(node);
                self.root(node);
            }
            for user in users {
                let name = self.scene.nodes.get(user).map(|node| format!("{} solid", node.name));
                let name = name.unwrap_or_default();
                let mut node = Node { name, mesh: Some(mesh), visible: false, ..Node::default() };
                NodeNote { solid_mesh: Some(i), ..NodeNote::default() }.keep(&mut node.extras);
                let node = self.scene.nodes.push(node);
                self.hang(user, node);
            }
        }
    }

    /// A mesh of the Scene with one primitive for each of the file's that draws something.
    fn mesh(&mut self, meshes: &[usize], skinned: bool) -> Option<MeshId> {
        let mut primitives = Vec::new();
        let id = self.scene.meshes.len();
        for &i in meshes {
            let Some(mesh) = self.model.meshes.get(i) else { continue };
            if let Some(mut primitive) = self.primitive(i, mesh, skinned && self.skin.is_some()) {
                primitive.material = self.model.material(mesh).map(|name| self.material(name));
                if self.shape_only {
                    primitive.keep_shape();
                }
                self.origins.primitive(id, primitives.len(), || PrimitiveOrigin {
                    path: format!("meshes[{i}]"),
                    vertices: Elements::list(format!("meshes[{i}].vertices")),
                    triangles: Elements::list(format!("meshes[{i}].faces"))
                        .ordered(geometry::faces_of_triangles(mesh)),
                });
                primitives.push(primitive);
            }
        }
        (!primitives.is_empty())
            .then(|| self.scene.meshes.push(SceneMesh { primitives, ..SceneMesh::default() }))
    }

    fn material(&mut self, raw: &[u8]) -> MaterialId {
        if let Some(material) = self.materials.get(raw) {
            return *material;
        }
        let (name, utf8) = decode_text(raw);
        let flat = raw.first() == Some(&b'#');
        let [r, g, b] = flat_colour(raw).unwrap_or([255; 3]).map(srgb_byte_to_linear);
        let texture = (!flat && !raw.is_empty()).then(|| {
            let uri = match self.added.extensions.get(&name) {
                Some(extension) => format!("{name}{extension}"),
                None => name.clone(),
            };
            let image = self.scene.images.push(Image { uri: Some(uri), ..Image::default() });
            TextureRef::new(self.scene.textures.push(Texture { image: Some(image), ..Texture::default() }))
        });
        let mut material = Material {
            name,
            shading: Shading::MetallicRoughness(MetallicRoughness {
                base_color: [r, g, b, 1.0],
                base_color_texture: texture,
                metallic: 0.0,
                roughness: 1.0,
                metallic_roughness_texture: None,
            }),
            ..Material::default()
        };
        MaterialNote { name_bytes: (!utf8).then(|| raw.to_vec()) }.keep(&mut material.extras);
        let material = self.scene.materials.push(material);
        self.materials.insert(raw.to_vec(), material);
        material
    }

    /// What no element of the Scene can say: the LOD table as it is, meshes that draw nothing, the reading of S/T.
    fn scene_extras(&mut self) {
        let name_of = |at: Option<u32>| at.and_then(|at| self.model.text(at)).unwrap_or_default().to_vec();
        let empty = self.model.meshes.iter().enumerate().filter(|(_, mesh)| !geometry::draws(mesh));
        let empty: Vec<EmptyMesh> = empty
            .map(|(i, mesh)| EmptyMesh {
                mesh: i,
                material: self.model.material(mesh).map(<[u8]>::to_vec),
                flags: mesh.flags,
                vertices: mesh.vertices.iter().flat_map(|vertex| vertex.bytes()).collect(),
            })
            .collect();
        let root = self.added.root.then(|| name_of(self.model.bones.first().map(|bone| bone.name_at)));
        let rest_animation =
            self.added.rest_animation.then(|| name_of(self.model.animations.first().map(|a| a.name_at)));
        let note = SceneNote {
            lods: Some(self.model.lods.iter().map(|lod| [lod.first, lod.count, lod.scale]).collect()),
            meshes: Some(self.model.meshes.len()),
            root,
            rest_animation,
            st: (self.st == StReading::Legacy).then(|| LEGACY.to_owned()),
            empty: (!empty.is_empty()).then_some(empty),
        };
        note.keep(&mut self.scene.extras);
    }
}

/// What the Scene's note calls the old form of texture coordinates.
pub(super) const LEGACY: &str = "legacy";

/// The rotation in the file's axes.
pub(super) fn own_rotation(rotation: Quat) -> Quat {
    TURN.inverse().quat(rotation)
}
