//! Joints and their bones. Usually a joint is a bone. For the engine a joint is written as two.
//!
//! The engine turns a bone about its parent's place (engines.md BOGLE E5): `W(parent) · R(rest · key) · T(place)`, where
//! the document means `W(parent) · R(rest) · T(place) · R(key)`. Two bones a joint are right in both: a **place** bone
//! that only moves, and below it a **turn** bone that only turns, on which the vertices hang.

use super::geometry::{BoneEncoding, Geometry};
use super::model::{Bone, Collection, Model, named};

/// The rotation that turns nothing.
const NO_TURN: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// Which bones the joints of a skeleton are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Joints {
    /// A joint is a bone.
    Plain,
    /// Joint *j* is the place bone 2 *j* and the turn bone 2 *j* + 1.
    Doubled,
}

impl Joints {
    /// How many joints so many bones are.
    pub(super) fn count(self, bones: usize) -> usize {
        match self {
            Self::Plain => bones,
            Self::Doubled => bones / 2,
        }
    }

    /// The joint that a bone belongs to.
    pub(super) fn of_bone(self, bone: usize) -> usize {
        match self {
            Self::Plain => bone,
            Self::Doubled => bone / 2,
        }
    }

    /// The bone of a joint that turns, and on which its vertices hang.
    pub(super) fn turn(self, joint: usize) -> usize {
        match self {
            Self::Plain => joint,
            Self::Doubled => 2 * joint + 1,
        }
    }

    /// The bone of a joint that says where it is.
    pub(super) fn place(self, joint: usize) -> usize {
        match self {
            Self::Plain => joint,
            Self::Doubled => 2 * joint,
        }
    }
}

/// For each collection of a file which bones its joints are. Bones are taken for pairs only where all are, so that
/// nothing that means something else is folded: every place bone comes right before its turn bone, has no rotation in
/// any key, and no vertex hangs on it; every turn bone is where its place bone is.
pub(super) fn of_collections(model: &Model) -> Vec<Joints> {
    let mut joints: Vec<Joints> = model
        .collections
        .iter()
        .map(|collection| if is_doubled(collection) { Joints::Doubled } else { Joints::Plain })
        .collect();
    if joints.iter().all(|joints| *joints == Joints::Plain) {
        return joints;
    }
    let hangs: Vec<bool> = model.geometries.iter().map(hangs_on_place_bones).collect();
    for instance in &model.instances {
        let hangs = named(&hangs, instance.geometry).copied().unwrap_or(false);
        let index = (instance.collection as usize).checked_sub(1);
        if let Some(joints) = index.and_then(|index| joints.get_mut(index)).filter(|_| hangs) {
            *joints = Joints::Plain;
        }
    }
    joints
}

fn is_doubled(collection: &Collection) -> bool {
    let (pairs, rest) = collection.bones.as_chunks::<2>();
    let still = |values: [zerocopy::little_endian::F32; 4]| values.map(|x| x.get()) == NO_TURN;
    let is_pair = |(joint, [place, turn]): (usize, &[Bone; 2])| {
        let above = place.parent.get() as usize;
        still(place.rotation)
            && (above == 0 || (above.is_multiple_of(2) && above <= 2 * joint))
            && turn.parent.get() as usize == 2 * joint + 1
            && turn.position.iter().all(|x| x.get() == 0.0)
    };
    let keys = collection.animations.iter().flat_map(|animation| &animation.keys);
    !pairs.is_empty()
        && rest.is_empty()
        && pairs.iter().enumerate().all(is_pair)
        && keys.flat_map(|key| key.rotations.iter().step_by(2)).all(|turn| still(*turn))
}

/// Whether a vertex hangs on a bone of an even number.
fn hangs_on_place_bones(geometry: &Geometry) -> bool {
    let encoding = geometry.bone_encoding().unwrap_or(BoneEncoding::Float);
    geometry.vertices.iter().any(|vertex| {
        let pairs = vertex.bones.iter().zip(&vertex.weights);
        pairs
            .filter(|(_, weight)| weight.get() > 0.0)
            .any(|(word, _)| encoding.bone(word.get()).is_some_and(|bone| bone.is_multiple_of(2)))
    })
}
