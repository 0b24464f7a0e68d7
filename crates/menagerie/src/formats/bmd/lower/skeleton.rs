//! Joints to bones, with their order and ids.

use std::collections::{BTreeMap, BTreeSet};

use glam::{Mat4, Quat, Vec3};

use super::{Lowering, inverse_place, raw_name, usable_name};
use crate::bytes::Se32;
use crate::diag::{Aspect, Loss, LossKind};
use crate::formats::bmd::added::BakedBlend;
use crate::formats::bmd::direction::nearest_direction;
use crate::formats::bmd::lift::{TURN, own_rotation};
use crate::formats::bmd::model::{Bone, PSEUDO_PARENT, rotation};
use crate::formats::bmd::notes::{MadeBone, NodeNote, Note, SkinNote};
use crate::formats::bmd::{engine, pose};
use crate::scene::{Hidden, NodeId, Property};

/// Bones that ids can tell apart, without the 16 that 64-bit vertices have no id for.
const MAX_BONES: usize = 240;

impl Lowering<'_> {
    /// The bones: those of the file that the Scene was read from, or one for each node that moves something.
    pub(super) fn skeleton(&mut self) {
        self.as_read = !self.must_be_remade() && self.read_bones().is_some();
        if !self.as_read {
            self.added.blends.clear();
            self.model.bones.clear();
            self.names.bones.clear();
            self.node_of.clear();
            self.bone_of.iter_mut().for_each(|bone| *bone = None);
            self.new_bones();
            self.make_blends();
        }
        self.places = pose::rest(&self.model.bones);
    }

    /// Whether bones that were read are not what is wanted: blends for the engine or for the document.
    fn must_be_remade(&self) -> bool {
        let notes: Vec<SkinNote> = self.scene.skins.values().map(|skin| SkinNote::of(&skin.extras)).collect();
        let bones = self.scene.nodes.values().filter(|n| NodeNote::of(&n.extras).bone.is_some()).count();
        let pseudo = notes.iter().any(|note| note.pseudo.is_some());
        let too_much = pseudo || bones > engine::MAX_BONES;
        let baked = notes.iter().any(|note| note.baked.is_some());
        (self.mends_all() && too_much) || (!self.serves_engine() && baked)
    }

    /// The bones as they were read; `None` unless all are there.
    fn read_bones(&mut self) -> Option<()> {
        let mut by_index: BTreeMap<usize, NodeId> = BTreeMap::new();
        for id in &self.kept {
            let note = NodeNote::of(&self.scene.nodes.get(*id)?.extras);
            by_index.extend(note.bone.map(|index| (index, *id)));
        }
        let mut made: BTreeMap<usize, (MadeBone, bool)> = BTreeMap::new();
        for skin in self.scene.skins.values() {
            let note = SkinNote::of(&skin.extras);
            made.extend(note.pseudo.into_iter().flatten().map(|bone| (bone.bone, (bone, true))));
            made.extend(note.baked.into_iter().flatten().map(|bone| (bone.bone, (bone, false))));
        }
        let count = by_index.len() + made.len();
        if by_index.is_empty() || count > 256 {
            return None;
        }
        for index in 0..count {
            match by_index.get(&index) {
                Some(node) => self.read_bone(index, *node)?,
                None => {
                    let (bone, pseudo) = made.remove(&index)?;
                    self.read_made(bone, pseudo);
                }
            }
        }
        self.moving_nodes().iter().all(|node| self.is_own(*node)).then_some(())
    }

    /// A pseudo-bone, or a bone that stands for a blend, as it was read.
    fn read_made(&mut self, note: MadeBone, pseudo: bool) {
        let [translation, rotation] = note.xform;
        if !pseudo {
            self.added.blends.push(BakedBlend { bone: note.bone, parts: note.parts });
        }
        let parent = if pseudo { PSEUDO_PARENT } else { 0 };
        let bone = Bone { translation, rotation, parent, solid: note.solid, ..Bone::default() };
        self.push_bone(bone, usable_name(note.name.unwrap_or_default()), None);
    }

    /// Whether a node is a bone or stands for a part of a pseudo-bone.
    fn is_own(&self, node: NodeId) -> bool {
        let pseudo = self.scene.nodes.get(node).is_some_and(|n| NodeNote::of(&n.extras).pseudo.is_some());
        pseudo || self.bone_of.get(node.index()).copied().flatten().is_some()
    }

    fn read_bone(&mut self, index: usize, id: NodeId) -> Option<()> {
        let node = self.scene.nodes.get(id)?;
        let parent = self.parents.get(id.index()).copied().flatten();
        let parent = parent.and_then(|parent| self.bone_of.get(parent.index()).copied().flatten());
        if (index == 0) != parent.is_none() {
            return None;
        }
        let (translation, turned, scale, shear) = node.transform.to_trs();
        let (translation, turned) = (TURN.inverse().vec3(translation), own_rotation(turned));
        if scale.distance(Vec3::ONE) > 1e-5 || shear > 1e-5 {
            return None;
        }
        let note = NodeNote::of(&node.extras);
        let kept = note.xform.map_or((0, 0), |[translation, rotation]| (translation, rotation));
        let same = |(t, r): (u32, u32)| {
            let moved = Vec3::from_array(Se32(t).values()).distance(translation);
            moved <= 1e-5 * translation.length().max(1.0) && rotation(r).dot(turned).abs() > 1.0 - 1e-6
        };
        let packed = || {
            let t = Se32::nearest(translation.to_array()).0;
            (t, u32::from_le_bytes(nearest_direction(turned.to_array())))
        };
        // Bone 0 is the model itself, whatever its record says.
        let (translation, rotation) = if index == 0 || same(kept) { kept } else { packed() };
        let solid = note.solid.unwrap_or(0);
        let parent = u8::try_from(parent.unwrap_or(0)).ok()?;
        let bone = Bone { translation, rotation, parent, solid, ..Bone::default() };
        self.push_bone(bone, raw_name(NodeNote::of(&node.extras).name_bytes, &node.name), Some(id));
        Some(())
    }

    /// The nodes that vertices hang on, and those that are animated.
    fn moving_nodes(&self) -> Vec<NodeId> {
        let skins = self.kept.iter().filter_map(|id| self.scene.nodes.get(*id)?.skin);
        let joints =
            skins.filter_map(|skin| self.scene.skins.get(skin)).flat_map(|skin| skin.joints.iter().copied());
        let channels = self.scene.animations.iter().flat_map(|animation| &animation.channels);
        let animated = channels.filter(|c| c.property != Property::Weights).map(|channel| channel.node);
        let moving: BTreeSet<NodeId> = joints.chain(animated).collect();
        self.kept.iter().copied().filter(|id| moving.contains(id)).collect()
    }

    fn new_bones(&mut self) {
        let moving = self.moving_nodes();
        let centred = self.options.settings.get("bmd-centre") == Some("on");
        if moving.is_empty() && !centred {
            return;
        }
        let used = |name: &&str| self.scene.nodes.values().any(|node| node.name == **name);
        let name = ["base", "origin", "bone 0"].into_iter().find(|name| !used(name)).unwrap_or_default();
        self.push_bone(Bone::default(), name.into(), None);
        self.losses.added(Aspect::Hierarchy, "nodes", "a bone for the model itself was put above the others");
        self.places = vec![Mat4::IDENTITY];
        // E4: the engine has matrices for 64 bones.
        let room = if self.serves_engine() { engine::MAX_BONES } else { MAX_BONES };
        let beyond = moving.len().saturating_sub(room - 1);
        if beyond > 0 {
            let why = if self.serves_engine() { "the engine has room for" } else { "ids tell apart" };
            let message = format!("{why} {room} bones; what hung on the others is rigid");
            let dropped =
                |aspect| Loss::new(aspect, LossKind::Dropped, "nodes", message.clone()).count(beyond);
            self.losses.push(dropped(Aspect::Hierarchy));
            if !self.scene.skins.is_empty() {
                self.losses.push(dropped(Aspect::Skins));
            }
            if !self.scene.animations.is_empty() {
                self.losses.push(dropped(Aspect::Animations));
            }
        }
        for id in self.most_needed(moving, room - 1) {
            let parent = self.bone_above(id);
            let above = self.places.get(parent).copied().unwrap_or_default();
            let world = TURN.inverse().matrix(self.rest.worlds.get(id.index()).copied().unwrap_or_default());
            let (_, turned, _) = world.to_scale_rotation_translation();
            let turned = if turned.is_finite() { turned } else { Quat::IDENTITY };
            let local_turn = Quat::from_mat4(&above).inverse() * turned;
            let local = inverse_place(&above).transform_point3(world.w_axis.truncate());
            let bone = Bone {
                translation: Se32::nearest(local.to_array()).0,
                rotation: u32::from_le_bytes(nearest_direction(local_turn.normalize().to_array())),
                parent: parent as u8,
                ..Bone::default()
            };
            let name = self
                .scene
                .nodes
                .get(id)
                .map(|node| raw_name(NodeNote::of(&node.extras).name_bytes, &node.name));
            self.push_bone(bone, name.unwrap_or_default(), Some(id));
            self.places = pose::rest(&self.model.bones);
        }
        if centred {
            self.push_centre();
        }
    }

    /// As many nodes as there is room for: those first on which vertices or other nodes hang, parents before children.
    fn most_needed(&self, moving: Vec<NodeId>, room: usize) -> Vec<NodeId> {
        if moving.len() <= room {
            return moving;
        }
        let holds = |id: &NodeId| {
            self.scene.nodes.get(*id).is_some_and(|node| node.mesh.is_some() || !node.children.is_empty())
        };
        let (needed, ends): (Vec<NodeId>, Vec<NodeId>) = moving.iter().copied().partition(holds);
        let kept: BTreeSet<NodeId> = needed.into_iter().chain(ends).take(room).collect();
        moving.into_iter().filter(|id| kept.contains(id)).collect()
    }

    /// A bone in the middle of the model, so that what hangs on it has smaller coordinates, which are packed finer.
    fn push_centre(&mut self) {
        let Some(bounds) = self.rest.bounds_with(self.scene, Hidden::Counts) else { return };
        let middle = TURN.inverse().vec3((bounds.min + bounds.max) / 2.0);
        let bone = Bone { translation: Se32::nearest(middle.to_array()).0, ..Bone::default() };
        self.centre = Some(self.push_bone(bone, b"centre".to_vec(), None));
        let message = "a bone in the middle of the model was added, on which hangs what stands still";
        self.losses.added(Aspect::Skins, "nodes", message);
        self.places = pose::rest(&self.model.bones);
    }

    /// The bone of the nearest node above that has one; bone 0 when none has.
    pub(super) fn bone_above(&self, id: NodeId) -> usize {
        let mut at = self.parents.get(id.index()).copied().flatten();
        while let Some(node) = at {
            if let Some(bone) = self.bone_of.get(node.index()).copied().flatten() {
                return bone;
            }
            at = self.parents.get(node.index()).copied().flatten();
        }
        0
    }

    /// The bone that a node moves with.
    pub(super) fn bone_at(&self, id: NodeId) -> usize {
        let bone = self.bone_of.get(id.index()).copied().flatten().unwrap_or_else(|| self.bone_above(id));
        if bone == 0 { self.centre.unwrap_or(0) } else { bone }
    }
}
