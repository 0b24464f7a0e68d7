//! What the BGBTech3 engine does with a file, written from what was observed of its loader and poser (the numbers E1 to
//! E15 are those of `docs/formats/bmd.md`, "In the engine").

use glam::{Mat4, Quat, Vec3};

use super::model::{Animation, FaceKind, Mesh, Model, PSEUDO_PARENT, Track, rotation};
use super::pose::{Keys, base, posed};
use super::{codes, lift};
use crate::bytes::{Limits, Se32, f8a_to_f32};
use crate::diag::{Code, Issues};
use crate::formats::engine::pose_errors;
use crate::formats::{Lifted, ReadOptions};
use crate::scene::Scene;

/// Bones that the engine has matrices for (E4).
pub(super) const MAX_BONES: usize = 64;
/// Frames of an animation, with one to spare (E7).
pub(super) const MAX_FRAMES: usize = 254;
/// Bytes of a material's name (E8).
pub(super) const NAME_BYTES: std::ops::RangeInclusive<usize> = 4..=251;
/// Meshes, bones and animations of a file (E12).
pub(super) const MAX_RECORDS: usize = 256;
/// Levels of detail (E12).
const MAX_LODS: usize = 64;
/// The names by which the game finds its sequences (E15).
const SEQUENCES: [&str; 3] = ["walk", "run", "stand"];
/// From which part of the model's size on a pose is another one. Between keys the engine rounds to 8 bits, by about half
/// of it (E11).
const POSE_TOLERANCE: f32 = 0.02;

/// Finds what the engine does otherwise than the document says.
pub(super) fn check(model: &Model, limits: &Limits, issues: &mut Issues) {
    let mut check = Check { model, issues };
    check.tables();
    for (i, mesh) in model.meshes.iter().enumerate() {
        check.mesh(i, mesh);
    }
    check.shading();
    check.materials();
    check.bones();
    for (i, animation) in model.animations.iter().enumerate().filter(|_| model.bones.len() > 1) {
        check.animation(i, animation);
    }
    check.sequences();
    check.poses(limits);
}

struct Check<'a> {
    model: &'a Model,
    issues: &'a mut Issues,
}

impl Check<'_> {
    fn report(&mut self, code: &'static Code, path: String, message: String) {
        self.issues.report(code, || (path, message));
    }

    /// E12: fixed tables.
    fn tables(&mut self) {
        let model = self.model;
        let lists = [
            ("meshes", model.meshes.len(), MAX_RECORDS),
            ("bones", model.bones.len(), MAX_RECORDS),
            ("animations", model.animations.len(), MAX_RECORDS),
            ("lods", model.lods.len(), MAX_LODS),
        ];
        for (name, count, room) in lists {
            if count > room {
                let message = format!("there are {count} {name}, and the engine has room for {room}");
                self.report(&codes::ENGINE_TABLES, format!("header.sz_{}", short(name)), message);
            }
        }
    }

    fn mesh(&mut self, i: usize, mesh: &Mesh) {
        // E1: index and plane arrays have room for as many triangles as there are vertices.
        if mesh.triangle_count > mesh.vertex_count {
            let message = format!(
                "{} triangles are written into room for {}: one for each vertex",
                mesh.triangle_count, mesh.vertex_count
            );
            self.report(&codes::ENGINE_TRIANGLE_ROOM, format!("meshes[{i}].record.n_tris"), message);
        }
        // E9: elements are counted, a quad is one, and 64-bit quads are mixed up.
        if usize::from(mesh.triangle_count) > mesh.faces.len() {
            let message =
                format!("{} elements are read from a list of {}", mesh.triangle_count, mesh.faces.len());
            self.report(&codes::ENGINE_QUAD_COUNT, format!("meshes[{i}].record.n_tris"), message);
        }
        if let Some(f) = mesh.faces.iter().position(|face| face.kind() == FaceKind::Quad64) {
            let message = "the corners of a 64-bit quad are mixed up".to_owned();
            self.report(&codes::ENGINE_QUAD_64, format!("meshes[{i}].faces[{f}]"), message);
        }
    }

    /// E2: without bones, all meshes are shaded with the vertex count of the last.
    fn shading(&mut self) {
        let Some(last) = self.model.meshes.last().filter(|_| self.model.bone_table.offset == 0) else {
            return;
        };
        let smaller = self.model.meshes.iter().position(|mesh| mesh.vertex_count < last.vertex_count);
        if let Some(i) = smaller {
            let own = self.model.meshes.get(i).map_or(0, |mesh| mesh.vertex_count);
            let message = format!(
                "{} vertices are shaded, as many as the last mesh has, and this one has {own}",
                last.vertex_count
            );
            self.report(&codes::ENGINE_STATIC_SHADING, format!("meshes[{i}].record.n_vtx"), message);
        }
    }

    /// E8: names of what the first level draws.
    fn materials(&mut self) {
        for i in drawn(self.model) {
            let Some(mesh) = self.model.meshes.get(i) else { continue };
            let path = format!("meshes[{i}].record.ofs_mat");
            match self.model.material(mesh) {
                None => {
                    let message = "a mesh of the first level of detail has no material".to_owned();
                    self.report(&codes::ENGINE_MATERIAL, path, message);
                }
                Some(name) => {
                    let left = name.strip_prefix(b"resource/").unwrap_or(name);
                    let stripped = left.len() != name.len();
                    if name.len() > *NAME_BYTES.end() || (left.len() < *NAME_BYTES.start() && !stripped) {
                        let message = format!(
                            "the name {} has {} bytes, not 4 to 251",
                            name.escape_ascii(),
                            name.len()
                        );
                        self.report(&codes::ENGINE_MATERIAL, path, message);
                    }
                }
            }
        }
    }

    fn bones(&mut self) {
        let bones = &self.model.bones;
        if bones.len() > MAX_BONES {
            let message = format!("there are {} bones, and the engine has matrices for 64", bones.len());
            self.report(&codes::ENGINE_BONES, format!("bones[{MAX_BONES}]"), message);
        }
        if let Some(i) = bones.iter().skip(1).position(|bone| bone.parent >= 0xF0) {
            let parent = bones.get(i + 1).map_or(PSEUDO_PARENT, |bone| bone.parent);
            let message = format!("its matrix is made from number {parent} of 64; no blend is computed");
            self.report(&codes::ENGINE_PSEUDO_BONE, format!("bones[{}].id_parent", i + 1), message);
        }
        if bones.len() > 1 && self.model.animations.is_empty() {
            let message = format!("there are {} bones and no animation", bones.len());
            self.report(&codes::ENGINE_NO_ANIMATION, "header.sz_anims".to_owned(), message);
        }
    }

    fn animation(&mut self, i: usize, animation: &Animation) {
        let record = |field: &str| format!("animations[{i}].record.{field}");
        if animation.frame_count == 0 {
            self.report(&codes::ENGINE_NO_FRAMES, record("n_frames"), "it has no frames".to_owned());
        }
        if animation.name_at == 0 {
            self.report(&codes::ENGINE_ANIMATION_NAME, record("ofs_name"), "it has no name".to_owned());
        }
        let last = usize::from(animation.frame_count).saturating_sub(1);
        let bones = animation.tracks.len();
        let mut scaled = None;
        for (b, track) in animation.tracks.iter().enumerate() {
            for (e, (frame, entry)) in track.frames().enumerate() {
                // E7: the closing zero is left to the next bone.
                if frame >= last && b + 1 < bones {
                    let message = format!("a key is on frame {frame} of {}", animation.frame_count);
                    let path = format!("animations[{i}].frames.bones[{b}].entries[{e}]");
                    self.report(&codes::ENGINE_LAST_FRAME, path, message);
                }
                if entry.scale.is_some_and(|word| word != u32::MAX && Se32(word).values() != [1.0; 3]) {
                    scaled = scaled.or(Some((b, e)));
                }
            }
        }
        if let Some((b, e)) = scaled {
            let path = format!("animations[{i}].frames.bones[{b}].entries[{e}]");
            self.report(&codes::ENGINE_SCALE_KEYS, path, "scale keys are read and not used".to_owned());
        }
    }

    /// E15: what the game looks for.
    fn sequences(&mut self) {
        if self.model.bones.len() < 2 {
            return;
        }
        let named = |name: &&&str| {
            !self.model.animations.iter().any(|a| self.model.text(a.name_at) == Some(name.as_bytes()))
        };
        let missing: Vec<&str> = SEQUENCES.iter().filter(named).copied().collect();
        if !missing.is_empty() {
            let message = format!("no animation is called {}", missing.join(", nor "));
            self.report(&codes::ENGINE_SEQUENCES, "header.ofs_anims".to_owned(), message);
        }
    }

    /// E7, E11: the poses themselves.
    fn poses(&mut self, limits: &Limits) {
        if self.model.animations.is_empty() || self.model.bones.len() < 2 {
            return;
        }
        // What there is no room for is not compared; both are there at the same time.
        if limits.affords(super::costs::of_frames(self.model).saturating_mul(2)).is_err() {
            return;
        }
        let options = ReadOptions { limits: limits.clone(), ..ReadOptions::default() };
        let document = lift::lift_with(self.model, &options, lift::Reading::Plain).scene;
        let engine = lift::lift_with(self.model, &options, lift::Reading::Engine).scene;
        for found in pose_errors(&document, &engine) {
            if found.error <= POSE_TOLERANCE {
                continue;
            }
            let percent = found.error * 100.0;
            let seconds = found.seconds;
            let (path, message) = match found.animation {
                Some(i) => (
                    format!("animations[{i}].frames"),
                    format!("vertices are off by {percent:.1} % of the model's size at {seconds:.2} s"),
                ),
                None => ("bones".to_owned(), format!("vertices are off by {percent:.1} % at rest")),
            };
            self.report(&codes::ENGINE_POSE, path, message);
        }
    }
}

fn short(name: &str) -> &str {
    if name == "animations" { "anims" } else { name }
}

/// The meshes that the engine draws: those of the first level; all where the only level is zero.
fn drawn(model: &Model) -> std::ops::Range<usize> {
    match model.lods.as_slice() {
        [first, ..] if model.lods.len() > 1 || (first.first, first.count) != (0, 0) => {
            usize::from(first.first)..usize::from(first.first) + usize::from(first.count)
        }
        _ => 0..model.meshes.len(),
    }
}

/// The tracks as the engine reads them: a key on the last frame leaves its closing zero to the next bone (E7).
fn tracks(animation: &Animation, bones: usize) -> Vec<Keys> {
    let last = usize::from(animation.frame_count).saturating_sub(1);
    let mut found = Vec::with_capacity(bones);
    for track in &animation.tracks {
        found.push(Keys::of(track, animation.frame_count));
        if track.frames().any(|(frame, _)| frame >= last) {
            found.push(Keys::default());
        }
    }
    found.resize(bones, Keys::default());
    found
}

/// The place of every bone in its parent at a whole frame, as the engine has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub(super) translation: Vec3,
    pub(super) rotation: Quat,
}

/// For each frame of an animation, the place of every bone in its parent (E11). Bone 0 has none.
pub(super) fn places(model: &Model, animation: &Animation) -> Vec<Vec<Place>> {
    let keys = tracks(animation, model.bones.len());
    let frames = usize::from(animation.frame_count.max(1));
    let at = |frame: usize| {
        let of_bone = |(bone, keys): (usize, &Keys)| {
            let (translation, turned) = base(&model.bones, bone);
            if bone == 0 {
                return Place { translation, rotation: turned };
            }
            let moved = around(&keys.translation, frame, frames).map_or(Vec3::ZERO, moved);
            let turn = around(&keys.rotation, frame, frames).map_or(Quat::IDENTITY, turn);
            Place { translation: translation + moved, rotation: turn * turned }
        };
        keys.iter().enumerate().map(of_bone).collect()
    };
    (0..frames).map(at).collect()
}

/// The same places by the document's rules.
pub(super) fn document_places(model: &Model, animation: &Animation) -> Vec<Vec<Place>> {
    let of_tracks = |track: &Track| Keys::of(track, animation.frame_count);
    let mut keys: Vec<Keys> = animation.tracks.iter().map(of_tracks).collect();
    keys.resize(model.bones.len(), Keys::default());
    let at = |frame: u8| {
        let of_bone = |(bone, keys): (usize, &Keys)| {
            let rest = base(&model.bones, bone);
            let frame = f32::from(frame);
            let (translation, rotation, _) =
                posed(keys, rest, frame, animation.frame_count, animation.loops());
            match bone {
                0 => Place { translation: rest.0, rotation: rest.1 },
                _ => Place { translation, rotation },
            }
        };
        keys.iter().enumerate().map(of_bone).collect()
    };
    (0..animation.frame_count.max(1)).map(at).collect()
}

/// The keys before and after a frame, around the end always, and how far it is between them.
fn around(keys: &[(usize, u32)], frame: usize, frames: usize) -> Option<(u32, u32, f32)> {
    let (first, last) = (*keys.first()?, *keys.last()?);
    let after = keys.iter().find(|key| key.0 >= frame).copied();
    let before = keys.iter().rev().find(|key| key.0 <= frame).copied();
    let (from, a) = before.map_or((last.0 as f32 - frames as f32, last.1), |key| (key.0 as f32, key.1));
    let (to, b) = after.map_or((first.0 as f32 + frames as f32, first.1), |key| (key.0 as f32, key.1));
    let t = if to > from { (frame as f32 - from) / (to - from) } else { 0.0 };
    Some((a, b, t))
}

/// A translation between two keys, packed again by cutting off; on a key its own value.
fn moved((a, b, t): (u32, u32, f32)) -> Vec3 {
    let values = |word: u32| Vec3::from_array(Se32(word).values());
    if t <= 0.0 {
        return values(a);
    }
    let mixed = values(a) + (values(b) - values(a)) * t;
    let step = Se32::nearest(mixed.to_array()).step();
    Vec3::from_array(mixed.to_array().map(|x| (x / step).trunc() * step))
}

/// A rotation between two keys: straight, with no look at signs, and packed again by cutting off.
fn turn((a, b, t): (u32, u32, f32)) -> Quat {
    if t <= 0.0 {
        return rotation(a);
    }
    let mixed = rotation(a) * (1.0 - t) + rotation(b) * t;
    let mixed = if mixed.length_squared() > 1e-12 { mixed.normalize() } else { rotation(a) };
    rotation(u32::from_le_bytes(mixed.to_array().map(cut)))
}

/// The code of an 8-bit float, what does not fit cut off.
fn cut(value: f32) -> u8 {
    let sign = if value < 0.0 { 0x80 } else { 0 };
    let below = (1..=0x7Fu8).rev().find(|code| f8a_to_f32(*code) <= value.abs());
    below.map_or(0, |code| sign | code)
}

/// Where the engine has each bone in the model at rest. A bone that claims a parent of 240 or more reads memory that is
/// not its own; it is drawn as if that held nothing.
pub(super) fn rest(model: &Model) -> Vec<Mat4> {
    let mut all: Vec<Mat4> = Vec::with_capacity(model.bones.len());
    for (i, bone) in model.bones.iter().enumerate() {
        let (translation, turned) = base(&model.bones, i);
        let local = Mat4::from_rotation_translation(turned, translation);
        all.push(all.get(usize::from(bone.parent)).filter(|_| i > 0).map_or(local, |above| *above * local));
    }
    all
}

/// The light of the engine (E14): brighter above than below, the same from all sides, and no face is culled.
pub(super) fn light(scene: &mut Scene) {
    for material in scene.materials.values_mut() {
        material.unlit = true;
        material.double_sided = true;
    }
    for primitive in scene.meshes.values_mut().flat_map(|mesh| &mut mesh.primitives) {
        // Up is the Scene's y.
        let shades: Vec<f32> = primitive.normals.iter().map(|[_, up, _]| 0.8 + 0.4 * up).collect();
        if primitive.colors.is_empty() && !shades.is_empty() {
            primitive.colors.push(vec![[1.0; 4]; shades.len()]);
        }
        for ([r, g, b, _], shade) in primitive.colors.iter_mut().flatten().zip(shades) {
            [*r, *g, *b] = [*r, *g, *b].map(|part| (part * shade).clamp(0.0, 1.0));
        }
    }
}

/// The Scene that the engine shows.
pub(super) fn lifted(model: &Model, options: &ReadOptions<'_>) -> Lifted {
    let mut lifted = lift::lift_with(model, options, lift::Reading::Engine);
    light(&mut lifted.scene);
    lifted
}
