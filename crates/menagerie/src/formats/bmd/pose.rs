//! Where bones are, at rest and in an animation.

use glam::{Mat3, Mat4, Quat, Vec3};

use super::model::{Bone, Entry, Model, Track, rotation};
use crate::bytes::Se32;

/// What a bone of the table is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum BoneKind {
    /// An ordinary bone with its parent; bone 0 has none.
    Ordinary(Option<usize>),
    /// A pseudo-bone with the ordinary bones that it blends; the weights sum to one.
    Blend(Vec<(usize, f32)>),
}

impl BoneKind {
    /// The bone above.
    pub(super) fn parent(&self) -> Option<usize> {
        match self {
            Self::Ordinary(parent) => *parent,
            Self::Blend(_) => None,
        }
    }
}

/// What each bone is. Broken parents are bone 0; of pseudo-bones only the parts with sense are left.
pub(super) fn bone_kinds(bones: &[Bone]) -> Vec<BoneKind> {
    let pseudo = |i: usize| i > 0 && bones.get(i).is_some_and(Bone::is_pseudo);
    let kind = |(i, bone): (usize, &Bone)| {
        if !pseudo(i) {
            let parent = usize::from(bone.parent);
            let parent = if parent < i && !pseudo(parent) { parent } else { 0 };
            return BoneKind::Ordinary((i > 0).then_some(parent));
        }
        let mut parts: Vec<(usize, f32)> = Vec::new();
        for (id, weight) in bone.blended() {
            let id = usize::from(id);
            if weight <= 0.0 || id >= bones.len() || pseudo(id) {
                continue;
            }
            match parts.iter_mut().find(|(other, _)| *other == id) {
                Some((_, sum)) => *sum += weight,
                None => parts.push((id, weight)),
            }
        }
        let sum: f32 = parts.iter().map(|(_, weight)| weight).sum();
        parts.iter_mut().for_each(|(_, weight)| *weight /= sum);
        if parts.is_empty() { BoneKind::Blend(vec![(0, 1.0)]) } else { BoneKind::Blend(parts) }
    };
    bones.iter().enumerate().map(kind).collect()
}

/// The translation and rotation of an ordinary bone from its parent; bone 0 has none.
pub(super) fn base(bones: &[Bone], index: usize) -> (Vec3, Quat) {
    match bones.get(index).filter(|_| index > 0) {
        Some(bone) => (Vec3::from_array(Se32(bone.translation).values()), rotation(bone.rotation)),
        None => (Vec3::ZERO, Quat::IDENTITY),
    }
}

/// From the space of each bone to that of the model, at rest.
pub(super) fn rest(bones: &[Bone]) -> Vec<Mat4> {
    let kinds = bone_kinds(bones);
    let mut matrices: Vec<Mat4> = Vec::with_capacity(bones.len());
    for (i, kind) in kinds.iter().enumerate() {
        let matrix = match kind {
            BoneKind::Ordinary(parent) => {
                let (translation, rotation) = base(bones, i);
                let local = Mat4::from_rotation_translation(rotation, translation);
                parent.and_then(|p| matrices.get(p)).map_or(local, |above| *above * local)
            }
            BoneKind::Blend(_) => Mat4::IDENTITY,
        };
        matrices.push(matrix);
    }
    for (i, kind) in kinds.iter().enumerate() {
        if let BoneKind::Blend(parts) = kind {
            let blend = blend(parts, &matrices);
            if let Some(place) = matrices.get_mut(i) {
                *place = blend;
            }
        }
    }
    matrices
}

fn blend(parts: &[(usize, f32)], matrices: &[Mat4]) -> Mat4 {
    let weighted = |(bone, weight): &(usize, f32)| matrices.get(*bone).copied().unwrap_or_default() * *weight;
    parts.iter().map(weighted).fold(Mat4::ZERO, |sum, matrix| sum + matrix)
}

/// The inverse of the matrix of a bone, unless it has none to speak of.
pub(super) fn inverse(matrix: &Mat4) -> Option<Mat4> {
    let sound = Mat3::from_mat4(*matrix).determinant().abs() > 1e-4;
    let inverse = matrix.inverse();
    (sound && inverse.is_finite()).then_some(inverse)
}

/// The keys of one bone, by channel, as words with their frames.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Keys {
    pub(super) rotation: Vec<(usize, u32)>,
    pub(super) translation: Vec<(usize, u32)>,
    pub(super) scale: Vec<(usize, u32)>,
}

impl Keys {
    /// The keys of a track that lie on frames of the animation. The word FFFFFFFF is none.
    pub(super) fn of(track: &Track, frames: u8) -> Self {
        let mut keys = Self::default();
        for (frame, entry) in track.frames().take_while(|(frame, _)| *frame < usize::from(frames)) {
            let add = |list: &mut Vec<(usize, u32)>, word: Option<u32>| {
                list.extend(word.filter(|word| *word != u32::MAX).map(|word| (frame, word)));
            };
            add(&mut keys.rotation, entry.rotation);
            add(&mut keys.translation, entry.translation);
            add(&mut keys.scale, entry.scale);
        }
        keys
    }

    /// The frames that have keys, those of several channels several times.
    pub(super) fn frames(&self) -> impl Iterator<Item = usize> {
        [&self.rotation, &self.translation, &self.scale].into_iter().flatten().map(|key| key.0)
    }

    /// The entries that hold these keys; gaps of more than 31 frames are bridged.
    pub(super) fn track(&self) -> Track {
        let mut frames: Vec<usize> =
            [&self.rotation, &self.translation, &self.scale].into_iter().flatten().map(|key| key.0).collect();
        frames.sort_unstable();
        frames.dedup();
        let at = |list: &[(usize, u32)], frame| list.iter().find(|key| key.0 == frame).map(|key| key.1);
        let mut entries = Vec::new();
        let mut next = 0;
        for frame in frames {
            while frame - next > 31 {
                entries.push(Entry { skipped: 31, ..Entry::default() });
                next += 32;
            }
            entries.push(Entry {
                skipped: (frame - next) as u8,
                rotation: at(&self.rotation, frame),
                translation: at(&self.translation, frame),
                scale: at(&self.scale, frame),
            });
            next = frame + 1;
        }
        Track { entries, closed: true }
    }
}

/// The two keys around a frame, and how far it is from the first to the second. `loops` joins the last key to the first.
pub(super) fn around<T: Copy>(
    keys: &[(usize, T)],
    frame: f32,
    frames: u8,
    loops: bool,
) -> Option<(T, T, f32)> {
    let (first, last) = (*keys.first()?, *keys.last()?);
    let after = keys.partition_point(|(at, _)| *at as f32 <= frame);
    let before = after.checked_sub(1).and_then(|i| keys.get(i).copied());
    let between = |(a, from): (f32, T), (b, to): (f32, T)| {
        let t = if b > a { (frame - a) / (b - a) } else { 0.0 };
        (from, to, t.clamp(0.0, 1.0))
    };
    let at = |(frame, value): (usize, T)| (frame as f32, value);
    let period = f32::from(frames);
    Some(match (before, keys.get(after).copied()) {
        (Some(before), Some(after)) => between(at(before), at(after)),
        (Some(_), None) if loops => between(at(last), (first.0 as f32 + period, first.1)),
        (None, Some(_)) if loops => between((last.0 as f32 - period, last.1), at(first)),
        (Some(_), None) => (last.1, last.1, 0.0),
        (None, _) => (first.1, first.1, 0.0),
    })
}

/// The straight way between two rotations, without a look at which way is shorter.
pub(super) fn nlerp(a: Quat, b: Quat, t: f32) -> Quat {
    let mixed = a * (1.0 - t) + b * t;
    if mixed.length_squared() > 1e-12 { mixed.normalize() } else { a }
}

/// What an animation makes of a bone: its translation, rotation and scale in its parent.
pub(super) fn posed(
    keys: &Keys,
    base: (Vec3, Quat),
    frame: f32,
    frames: u8,
    loops: bool,
) -> (Vec3, Quat, Vec3) {
    let vector = |list: &[(usize, u32)], none: Vec3| {
        around(list, frame, frames, loops).map_or(none, |(a, b, t)| {
            let (a, b) = (Vec3::from_array(Se32(a).values()), Vec3::from_array(Se32(b).values()));
            a.lerp(b, t)
        })
    };
    let turn = around(&keys.rotation, frame, frames, loops)
        .map_or(Quat::IDENTITY, |(a, b, t)| nlerp(rotation(a), rotation(b), t));
    let rotation = if keys.rotation.is_empty() { base.1 } else { turn * base.1 };
    (base.0 + vector(&keys.translation, Vec3::ZERO), rotation, vector(&keys.scale, Vec3::ONE))
}

impl Model {
    /// From the space of each bone to that of the model, at a frame of an animation, or at rest.
    pub fn bone_matrices(&self, animation: Option<(usize, f32)>) -> Vec<Mat4> {
        let posed_in = animation.and_then(|(index, frame)| Some((self.animations.get(index)?, frame)));
        let Some((animation, frame)) = posed_in else { return rest(&self.bones) };
        let kinds = bone_kinds(&self.bones);
        let mut matrices: Vec<Mat4> = Vec::new();
        for (i, kind) in kinds.iter().enumerate() {
            let matrix = match kind {
                BoneKind::Ordinary(Some(parent)) => {
                    let keys = animation.tracks.get(i).map(|track| Keys::of(track, animation.frame_count));
                    let (translation, rotation, scale) = posed(
                        &keys.unwrap_or_default(),
                        base(&self.bones, i),
                        frame,
                        animation.frame_count,
                        animation.loops(),
                    );
                    let local = Mat4::from_scale_rotation_translation(scale, rotation, translation);
                    matrices.get(*parent).copied().unwrap_or_default() * local
                }
                _ => Mat4::IDENTITY,
            };
            matrices.push(matrix);
        }
        for (i, kind) in kinds.iter().enumerate() {
            if let BoneKind::Blend(parts) = kind {
                let blend = blend(parts, &matrices);
                if let Some(place) = matrices.get_mut(i) {
                    *place = blend;
                }
            }
        }
        matrices
    }
}
