//! What menagerie itself writes into a file: what it added for the engine, so that reading takes it away again.
//!
//! The document describes an image in which everything is found by offsets, so bytes that nothing refers to are nobody's.
//! The 16 bytes behind the header, which the original exporter leaves zero, hold [`MARK`], an offset and a size; there is
//! a JSON object, [`Added`]. The engine and other readers never look there. A file to which nothing was added has no such
//! note, and nothing in a note is believed that the rest of the file does not bear out.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::model::{Animation, HEADER_BYTES, Mesh, Model};
use super::pose::{BoneKind, Keys, bone_kinds};

/// What the 16 bytes behind the header begin with.
pub(super) const MARK: [u8; 8] = *b"MENAGRIE";
/// Bytes of the mark, the offset and the size.
pub(super) const MARK_BYTES: usize = 16;

/// What was added to a file for the engine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Added {
    /// The only bone is there so that the engine does not shade what it has no room for (E2).
    #[serde(skip_serializing_if = "is_false")]
    pub(super) root: bool,
    /// By mesh, how many of its last vertices only make room for triangles (E1).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) padding: BTreeMap<usize, usize>,
    /// Bones that stand for blends of others (E3).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) blends: Vec<BakedBlend>,
    /// Animations whose last frame is spare (E7).
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) spare_frames: BTreeSet<usize>,
    /// Animations that go on where the one before them ends, because an animation has at most 255 frames.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) continues: BTreeSet<usize>,
    /// Animations that had no name (E15).
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) unnamed: BTreeSet<usize>,
    /// The only animation is there because bones need one (E5).
    #[serde(skip_serializing_if = "is_false")]
    pub(super) rest_animation: bool,
    /// By material name, what followed it in the name of the picture: names go without extension.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) extensions: BTreeMap<String, String>,
}

/// A bone that moves as a blend of others does, as nearly as a rigid one can.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BakedBlend {
    /// Which bone.
    pub(super) bone: usize,
    /// The bones that it blends, and their weights.
    pub(super) parts: Vec<(usize, f32)>,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl Added {
    /// Whether there is nothing to note.
    pub(super) fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The bytes of the note.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// What of a note the rest of the file bears out.
    fn borne_out(mut self, model: &Model) -> Self {
        self.root &= model.bones.len() == 1 && model.animations.is_empty();
        self.padding.retain(|i, count| model.meshes.get(*i).is_some_and(|mesh| is_padded(mesh, *count)));
        self.spare_frames.retain(|i| model.animations.get(*i).is_some_and(has_spare_frame));
        let rate = |i: usize| model.animations.get(i).map(|animation| animation.rate);
        self.continues.retain(|i| {
            i.checked_sub(1).is_some_and(|before| rate(*i).is_some() && rate(*i) == rate(before))
        });
        self.unnamed.retain(|i| *i < model.animations.len());
        self.rest_animation &= matches!(model.animations.as_slice(), [only] if moves_nothing(only));
        self.keep_blends(model);
        self
    }

    /// Blends of ordinary bones by bones on which no others hang.
    fn keep_blends(&mut self, model: &Model) {
        let kinds = bone_kinds(&model.bones);
        let baked: BTreeSet<usize> = self.blends.iter().map(|blend| blend.bone).collect();
        let parents: BTreeSet<usize> = kinds.iter().filter_map(|kind| kind.parent()).collect();
        let ordinary = |bone: usize| matches!(kinds.get(bone), Some(BoneKind::Ordinary(_)));
        let mut seen = BTreeSet::new();
        self.blends.retain(|blend| {
            let sum: f32 = blend.parts.iter().map(|(_, weight)| weight).sum();
            let parts = blend.parts.iter().all(|(bone, weight)| {
                ordinary(*bone) && !baked.contains(bone) && weight.is_finite() && *weight > 0.0
            });
            let few = (1..=4).contains(&blend.parts.len()) && (sum - 1.0).abs() < 1e-3;
            let own = blend.bone > 0 && ordinary(blend.bone) && !parents.contains(&blend.bone);
            parts && few && own && seen.insert(blend.bone)
        });
    }
}

/// Whether the last `count` vertices of a mesh repeat the one before them and no face uses them.
fn is_padded(mesh: &Mesh, count: usize) -> bool {
    let Some(left) = mesh.vertices.len().checked_sub(count).filter(|left| *left > 0) else { return false };
    let same = mesh.vertices.get(left - 1..).is_some_and(|last| last.iter().all(|v| Some(v) == last.first()));
    same && mesh.faces.iter().all(|face| face.corners().iter().all(|corner| (*corner as usize) < left))
}

/// Whether an animation has a last frame without keys.
pub(super) fn has_spare_frame(animation: &Animation) -> bool {
    let last = usize::from(animation.frame_count).saturating_sub(1);
    let keyed = |keys: &Keys| keys.frames().any(|frame| frame >= last);
    last > 0 && !animation.tracks.iter().any(|track| keyed(&Keys::of(track, animation.frame_count)))
}

fn moves_nothing(animation: &Animation) -> bool {
    animation.tracks.iter().all(|track| track.entries.is_empty())
}

impl Model {
    /// What menagerie added to the file for the engine.
    pub(super) fn added(&self) -> Added {
        self.note().map(|note| note.borne_out(self)).unwrap_or_default()
    }

    fn note(&self) -> Option<Added> {
        let mark = self.unused(HEADER_BYTES, MARK_BYTES)?;
        let (&place, _) = mark.strip_prefix(&MARK)?.split_first_chunk::<8>()?;
        let [a, b, c, d, e, f, g, h] = place;
        let (at, size) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h]));
        serde_json::from_slice(self.unused(at as usize, size as usize)?).ok()
    }

    /// Bytes that nothing refers to.
    fn unused(&self, at: usize, length: usize) -> Option<&[u8]> {
        let from = u32::try_from(at).ok()?;
        let (start, bytes) = self.other.range(..=from).next_back()?;
        let skip = at.checked_sub(*start as usize)?;
        bytes.get(skip..skip.checked_add(length)?)
    }
}
