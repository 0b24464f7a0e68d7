//! Pseudo-bones for vertices that hang on several joints.
//!
//! A pseudo-bone moves its vertices by the blend of its bones' own matrices, so it does what a skin does only where all
//! of them are in one place at rest. Each joint of a blend but the heaviest therefore gets a helper: a bone below its
//! own, which rests where the heaviest one is and moves with its parent.
//!
//! The engine computes no blends (E3). For it, a blend becomes an ordinary bone in the middle of its vertices, which moves
//! as the blend does as nearly as a rigid thing can.

use std::collections::{BTreeMap, BTreeSet};

use glam::{Mat3, Mat4, Quat, Vec3};

use super::{Lowering, inverse_place};
use crate::bytes::{Se32, f8a_from_f32};
use crate::diag::{Aspect, Loss, LossKind};
use crate::formats::bmd::added::BakedBlend;
use crate::formats::bmd::direction::nearest_direction;
use crate::formats::bmd::lift::TURN;
use crate::formats::bmd::model::{Bone, PSEUDO_PARENT};
use crate::formats::bmd::{engine, pose};
use crate::ops::vertex_weights;
use crate::scene::{NodeId, Primitive, SkinId};

/// Bones that a byte can tell apart.
const MAX_IDS: usize = 256;
/// Into how many equal shares weights are divided, the finest first. All shares are exact 8-bit floats.
const RESOLUTIONS: [u8; 4] = [16, 8, 4, 2];

/// The joints of a skin that a vertex hangs on, and how many shares each has, the heaviest first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Blend {
    skin: SkinId,
    shares: Vec<(u16, u8)>,
}

/// The pseudo-bones that were made.
#[derive(Debug, Default)]
pub(super) struct Blends {
    resolution: u8,
    bones: BTreeMap<Blend, usize>,
}

impl Blends {
    /// The pseudo-bone of a vertex with these joints, and how far a weight is from what it should be at most.
    pub(super) fn find(&self, skin: SkinId, joints: &[(u16, f32)]) -> Option<(usize, f32)> {
        let blend = Blend { skin, shares: shares(joints, self.resolution) };
        let bone = *self.bones.get(&blend)?;
        let share = |joint: u16| {
            let parts = blend.shares.iter().find(|(other, _)| *other == joint).map_or(0, |(_, parts)| *parts);
            f32::from(parts) / f32::from(self.resolution)
        };
        let off = joints.iter().map(|(joint, weight)| (weight - share(*joint)).abs());
        Some((bone, off.fold(0.0, f32::max)))
    }
}

/// A bone that stands for a blend in the engine.
#[derive(Debug)]
pub(super) struct Baked {
    /// A node whose skin it is.
    pub(super) node: NodeId,
    /// The joints of the skin, and their weights.
    pub(super) parts: Vec<(u16, f32)>,
    /// The blend at rest, in the file's axes.
    rest: Mat4,
    /// The middle of the vertices at rest.
    middle: Vec3,
}

impl Baked {
    /// Where the bone should be when the joints of the skin move vertices like this: the rigid motion that is nearest to
    /// the blend, and right in the middle of the vertices.
    pub(super) fn wanted(&self, palette: &[Mat4], place: &Mat4) -> Mat4 {
        let now = blend(&self.parts, palette);
        let motion = now * inverse_place(&self.rest);
        let heaviest = || self.parts.first().and_then(|(joint, _)| palette.get(usize::from(*joint)));
        let turn = nearest_rotation(Mat3::from_mat4(motion)).or_else(|| {
            let heaviest = TURN.inverse().matrix(*heaviest()?);
            nearest_rotation(Mat3::from_mat4(heaviest))
        });
        let turn = turn.unwrap_or_default();
        let from_middle = place.w_axis.truncate() - self.middle;
        Mat4::from_rotation_translation(turn, motion.transform_point3(self.middle) + turn * from_middle)
    }
}

/// The blend of joints, in the file's axes.
fn blend(parts: &[(u16, f32)], palette: &[Mat4]) -> Mat4 {
    let part = |(joint, weight): &(u16, f32)| {
        palette.get(usize::from(*joint)).copied().unwrap_or_default() * *weight
    };
    TURN.inverse().matrix(parts.iter().map(part).fold(Mat4::ZERO, |sum, part| sum + part))
}

/// The rotation of a matrix's polar form; `None` for one that mirrors or flattens.
fn nearest_rotation(matrix: Mat3) -> Option<Quat> {
    let mut turn = matrix;
    for _ in 0..24 {
        if turn.determinant() < 1e-6 || !turn.is_finite() {
            return None;
        }
        let next = (turn + turn.inverse().transpose()) * 0.5;
        let change = (next - turn).to_cols_array().into_iter().fold(0.0f32, |m, x| m.max(x.abs()));
        turn = next;
        if change < 1e-6 {
            break;
        }
    }
    let turn = Quat::from_mat3(&turn);
    turn.is_finite().then(|| turn.normalize())
}

impl Lowering<'_> {
    /// Makes bones for all blends of weights, as finely as there are ids for.
    pub(super) fn make_blends(&mut self) {
        let off = self.options.settings.get("bmd-blend") == Some("off");
        let users = self.skinned_nodes();
        if off || users.is_empty() {
            return;
        }
        if self.serves_engine() {
            return self.bake_blends(&users);
        }
        for resolution in RESOLUTIONS {
            let blends = self.blends_of(&users, resolution);
            let helpers: BTreeSet<(SkinId, u16, u16)> = blends.iter().flat_map(Blend::helpers).collect();
            if self.model.bones.len() + helpers.len() + blends.len() <= MAX_IDS {
                self.push_blends(&users, resolution, blends, &helpers);
                return;
            }
        }
        let message =
            "there are more blends of joints than ids for pseudo-bones; vertices hang on one bone each";
        self.losses.push(Loss::new(Aspect::Skins, LossKind::Approximated, "skins", message));
    }

    /// E3, E4: a bone for each blend, of 64 bones in all. Where there are more, those that most vertices hang on.
    fn bake_blends(&mut self, users: &BTreeMap<SkinId, Vec<NodeId>>) {
        let room = engine::MAX_BONES.saturating_sub(self.model.bones.len());
        let of = |resolution: u8| (resolution, self.middles(users, resolution));
        let fits = |(_, blends): &(u8, BTreeMap<Blend, (Vec3, usize)>)| blends.len() <= room;
        let (resolution, blends) = RESOLUTIONS.into_iter().map(of).find(fits).unwrap_or_else(|| of(4));
        let mut most: Vec<(Blend, (Vec3, usize))> = blends.into_iter().collect();
        most.sort_by_key(|(_, (_, count))| std::cmp::Reverse(*count));
        most.truncate(room);
        let mut bones = BTreeMap::new();
        for (made, (blend, (sum, count))) in most.into_iter().enumerate() {
            let Some(node) = users.get(&blend.skin).and_then(|nodes| nodes.first()).copied() else {
                continue;
            };
            let share = |(joint, parts): &(u16, u8)| (*joint, f32::from(*parts) / f32::from(resolution));
            let parts: Vec<(u16, f32)> = blend.shares.iter().map(share).collect();
            let palette = self.rest.palette(self.scene, node).unwrap_or_default();
            let middle = sum / count.max(1) as f32;
            let translation = Se32::nearest(middle.to_array()).0;
            let bone =
                self.push_bone(Bone { translation, ..Bone::default() }, format!("blend{made}").into(), None);
            let of_bones =
                parts.iter().map(|(joint, w)| (self.bone_of_joint(blend.skin, *joint), *w)).collect();
            self.added.blends.push(BakedBlend { bone, parts: of_bones });
            let rest = self::blend(&parts, &palette);
            self.baked.insert(bone, Baked { node, parts, rest, middle });
            bones.insert(blend, bone);
        }
        if !bones.is_empty() {
            let message =
                "bones were added that move as blends of joints do, because the engine computes none";
            self.losses
                .push(Loss::new(Aspect::Hierarchy, LossKind::Added, "skins", message).count(bones.len()));
        }
        self.blends = Blends { resolution, bones };
        self.places = pose::rest(&self.model.bones);
    }

    /// The blends, with the sum of where their vertices are at rest in the file's axes, and how many there are.
    fn middles(
        &self,
        users: &BTreeMap<SkinId, Vec<NodeId>>,
        resolution: u8,
    ) -> BTreeMap<Blend, (Vec3, usize)> {
        let mut blends: BTreeMap<Blend, (Vec3, usize)> = BTreeMap::new();
        for (skin, nodes) in users {
            for id in nodes {
                let mesh = self.scene.nodes.get(*id).and_then(|node| self.scene.meshes.get(node.mesh?));
                for primitive in mesh.into_iter().flat_map(|mesh| &mesh.primitives) {
                    let places = self.rest.positions(self.scene, *id, primitive);
                    for (v, place) in places.into_iter().enumerate() {
                        let shares = shares(&influences(primitive, v), resolution);
                        if shares.len() > 1 {
                            let (sum, count) = blends.entry(Blend { skin: *skin, shares }).or_default();
                            *sum += TURN.inverse().vec3(place);
                            *count += 1;
                        }
                    }
                }
            }
        }
        blends
    }

    /// One node for every skin that is used, and all nodes that use it.
    fn skinned_nodes(&self) -> BTreeMap<SkinId, Vec<NodeId>> {
        let mut users: BTreeMap<SkinId, Vec<NodeId>> = BTreeMap::new();
        let lods = |id: &NodeId| self.scene.nodes.get(*id).into_iter().flat_map(|node| &node.lods);
        let stand_ins = self.kept.iter().flat_map(|id| lods(id).map(|lod| lod.node));
        let all: BTreeSet<NodeId> = self.kept.iter().copied().chain(stand_ins).collect();
        for id in all {
            let node = self.scene.nodes.get(id).filter(|node| node.mesh.is_some());
            if let Some(skin) = node.and_then(|node| node.skin) {
                users.entry(skin).or_default().push(id);
            }
        }
        users
    }

    fn blends_of(&self, users: &BTreeMap<SkinId, Vec<NodeId>>, resolution: u8) -> BTreeSet<Blend> {
        let mut blends = BTreeSet::new();
        for (skin, nodes) in users {
            let meshes: BTreeSet<_> = nodes.iter().filter_map(|id| self.scene.nodes.get(*id)?.mesh).collect();
            let primitives =
                meshes.iter().filter_map(|mesh| self.scene.meshes.get(*mesh)).flat_map(|m| &m.primitives);
            for primitive in primitives {
                for v in 0..primitive.positions.len() {
                    let shares = shares(&influences(primitive, v), resolution);
                    if shares.len() > 1 {
                        blends.insert(Blend { skin: *skin, shares });
                    }
                }
            }
        }
        blends
    }

    fn push_blends(
        &mut self,
        users: &BTreeMap<SkinId, Vec<NodeId>>,
        resolution: u8,
        blends: BTreeSet<Blend>,
        helpers: &BTreeSet<(SkinId, u16, u16)>,
    ) {
        let palettes: BTreeMap<SkinId, Vec<Mat4>> = users
            .iter()
            .filter_map(|(skin, nodes)| Some((*skin, self.rest.palette(self.scene, *nodes.first()?)?)))
            .collect();
        let mut helper_of: BTreeMap<(SkinId, u16, u16), usize> = BTreeMap::new();
        for &(skin, joint, heaviest) in helpers {
            let bone = self.helper(palettes.get(&skin), skin, joint, heaviest);
            helper_of.insert((skin, joint, heaviest), self.push_bone(bone, Vec::new(), None));
        }
        let mut bones = BTreeMap::new();
        for blend in blends {
            let heaviest = blend.shares.first().map_or(0, |(joint, _)| *joint);
            let (mut ids, mut weights) = ([0u8; 4], [0u8; 4]);
            let slots = ids.iter_mut().zip(&mut weights);
            for ((id, weight), (joint, parts)) in slots.zip(&blend.shares) {
                let bone = helper_of.get(&(blend.skin, *joint, heaviest)).copied();
                let bone = bone.unwrap_or_else(|| self.bone_of_joint(blend.skin, *joint));
                *id = u8::try_from(bone).unwrap_or(0);
                *weight = f8a_from_f32(f32::from(*parts) / f32::from(resolution));
            }
            let bone = Bone {
                translation: u32::from_le_bytes(ids),
                rotation: u32::from_le_bytes(weights),
                parent: PSEUDO_PARENT,
                ..Bone::default()
            };
            bones.insert(blend, self.push_bone(bone, Vec::new(), None));
        }
        if !helpers.is_empty() {
            let message = "helper bones were added, on which pseudo-bones blend";
            self.losses
                .push(Loss::new(Aspect::Hierarchy, LossKind::Added, "skins", message).count(helpers.len()));
        }
        self.blends = Blends { resolution, bones };
        self.places = pose::rest(&self.model.bones);
    }

    /// A bone that moves with one joint and brings vertices from where the heaviest one has them.
    fn helper(&self, palette: Option<&Vec<Mat4>>, skin: SkinId, joint: u16, heaviest: u16) -> Bone {
        let bound = |joint: u16| {
            let matrix = palette.and_then(|palette| palette.get(usize::from(joint))).copied();
            TURN.inverse().matrix(matrix.unwrap_or_default())
        };
        let parent = self.bone_of_joint(skin, joint);
        let place = |bone: usize| self.places.get(bone).copied().unwrap_or_default();
        let from_heaviest = inverse_place(&bound(heaviest)) * place(self.bone_of_joint(skin, heaviest));
        let local = inverse_place(&place(parent)) * bound(joint) * from_heaviest;
        let (_, turned, moved) = local.to_scale_rotation_translation();
        let turned = if turned.is_finite() { turned.normalize() } else { Quat::IDENTITY };
        Bone {
            translation: Se32::nearest(moved.to_array()).0,
            rotation: u32::from_le_bytes(nearest_direction(turned.to_array())),
            parent: u8::try_from(parent).unwrap_or(0),
            ..Bone::default()
        }
    }

    /// The bone of a joint of a skin.
    pub(super) fn bone_of_joint(&self, skin: SkinId, joint: u16) -> usize {
        let joint = self.scene.skins.get(skin).and_then(|skin| skin.joints.get(usize::from(joint)));
        joint.map_or(0, |joint| self.bone_at(*joint))
    }
}

impl Blend {
    /// The helpers that it needs: the skin, the joint, and the joint where it rests.
    fn helpers(&self) -> Vec<(SkinId, u16, u16)> {
        let Some(((heaviest, _), others)) = self.shares.split_first() else { return Vec::new() };
        others.iter().map(|(joint, _)| (self.skin, *joint, *heaviest)).collect()
    }
}

/// The joints that a vertex hangs on with their weights, the heaviest first; weights sum to one.
pub(super) fn influences(primitive: &Primitive, v: usize) -> Vec<(u16, f32)> {
    let mut joints = vertex_weights(primitive, v);
    // The first of equal ones stays first.
    joints.sort_by(|a, b| b.1.total_cmp(&a.1));
    let sum: f32 = joints.iter().map(|(_, weight)| weight).sum();
    if sum > 0.0 {
        joints.iter_mut().for_each(|(_, weight)| *weight /= sum);
    }
    joints
}

/// Weights in equal shares that sum to the resolution, of four joints at most; those that get none are left out.
fn shares(joints: &[(u16, f32)], resolution: u8) -> Vec<(u16, u8)> {
    let joints = joints.get(..joints.len().min(4)).unwrap_or_default();
    let sum: f32 = joints.iter().map(|(_, weight)| weight).sum();
    let exact = |weight: f32| weight / sum * f32::from(resolution);
    let mut shares: Vec<(u16, u8)> =
        joints.iter().map(|(joint, weight)| (*joint, exact(*weight).floor() as u8)).collect();
    let given: u8 = shares.iter().map(|(_, parts)| parts).sum();
    // What is left goes to those that lost most by rounding down.
    let mut order: Vec<usize> = (0..shares.len()).collect();
    let rest = |i: &usize| joints.get(*i).map_or(0.0, |(_, weight)| exact(*weight).fract());
    order.sort_by(|a, b| rest(b).total_cmp(&rest(a)));
    for i in order.into_iter().cycle().take(usize::from(resolution.saturating_sub(given))) {
        if let Some((_, parts)) = shares.get_mut(i) {
            *parts += 1;
        }
    }
    shares.retain(|(_, parts)| *parts > 0);
    shares.sort_by_key(|(joint, parts)| (u8::MAX - parts, *joint));
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_become_shares_that_sum_to_the_whole() {
        for (joints, resolution, expected) in [
            (&[(3, 1.0)][..], 16, &[(3, 16)][..]),
            (&[(3, 0.5), (1, 0.5)], 2, &[(1, 1), (3, 1)]),
            (&[(3, 0.7), (1, 0.3)], 2, &[(3, 1), (1, 1)][..]),
            (&[(3, 0.9), (1, 0.1)], 4, &[(3, 4)]),
            (&[(0, 0.4), (1, 0.3), (2, 0.2), (3, 0.1)], 16, &[(0, 6), (1, 5), (2, 3), (3, 2)]),
            (&[(0, 0.3), (1, 0.25), (2, 0.2), (3, 0.15), (4, 0.1)], 16, &[(0, 5), (1, 4), (2, 4), (3, 3)]),
            (&[], 16, &[]),
        ] {
            let mut expected = expected.to_vec();
            expected.sort_by_key(|(joint, parts)| (u8::MAX - parts, *joint));
            assert_eq!(shares(joints, resolution), expected, "{joints:?} in {resolution}");
        }
    }
}
