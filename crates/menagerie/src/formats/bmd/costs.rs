//! What the Scenes of a file take. Lists may be shared: levels of detail may draw the same meshes, animations may have the
//! same frames, and a Scene has all of them once for each.

use super::lift::most_keys;
use super::model::{Animation, Model};
use super::pose::Keys;
use crate::bytes::{Limits, OverLimit};
use crate::formats::{ELEMENT, of_lifting};

/// A vertex with all that a Scene may keep of it, and a triangle with the letter of its face.
const VERTEX: u64 = 128;
const TRIANGLE: u64 = 20;
/// A key as the file has it, which is kept beside the channel for the way back, as JSON.
const KEY: u64 = 512;
/// A key of a channel: its time and a rotation.
const SCENE_KEY: u64 = 20;
/// A channel without its keys.
const CHANNEL: u64 = 256;
/// A bone at a whole frame, in a list and in the channels.
const PLACE: u64 = 96;

/// Takes what the Scene needs that the document means.
pub(super) fn of_document(model: &Model, limits: &Limits) -> Result<(), OverLimit> {
    of_lifting(&model.summary(), limits)?;
    limits.take(levels(model))?;
    if model.bones.is_empty() {
        return Ok(());
    }
    // One after the other, so that what is too much is not looked at to its end.
    model.animations.iter().try_for_each(|animation| limits.take(keys(animation)))
}

/// What the Scene needs that the engine shows, or the same by the document's rules at whole frames.
pub(super) fn of_frames(model: &Model) -> u64 {
    let bones = model.bones.len() as u64;
    let one = |animation: &Animation| {
        let frames = u64::from(animation.frame_count);
        bones.saturating_mul(frames.saturating_mul(PLACE).saturating_add(2 * CHANNEL))
    };
    model.animations.iter().map(one).fold(levels(model), u64::saturating_add)
}

/// What all levels of detail need together, each with meshes of its own.
fn levels(model: &Model) -> u64 {
    // What the first meshes need together, for each number of them.
    let mut sums = vec![0u64];
    for mesh in &model.meshes {
        let vertices = (mesh.vertices.len() as u64).saturating_mul(VERTEX);
        let triangles = (mesh.triangles() as u64).saturating_mul(TRIANGLE);
        let before = sums.last().copied().unwrap_or(0);
        sums.push(before.saturating_add(ELEMENT).saturating_add(vertices).saturating_add(triangles));
    }
    let upto = |number: usize| sums.get(number).or(sums.last()).copied().unwrap_or(0);
    let one = |first: u8, count: u8| {
        let (first, count) = (usize::from(first), usize::from(count));
        upto(first + count).saturating_sub(upto(first))
    };
    model.lods.iter().map(|lod| one(lod.first, lod.count)).fold(upto(usize::MAX), u64::saturating_add)
}

/// What the channels of an animation need.
fn keys(animation: &Animation) -> u64 {
    let one = |track| {
        let keys = Keys::of(track, animation.frame_count);
        let own = [&keys.translation, &keys.rotation, &keys.scale].map(|list| list.len() as u64);
        let made = most_keys(&keys.rotation);
        let stored = own.iter().sum::<u64>();
        let channels = own.iter().filter(|keys| **keys > 0).count() as u64;
        channels * CHANNEL + stored * (KEY + SCENE_KEY) + made * SCENE_KEY
    };
    animation.tracks.iter().map(one).fold(0, u64::saturating_add)
}
