//! Where the lists of a new file stand, as the original exporter has it.

use std::collections::BTreeMap;

use crate::bytes::align;
use crate::formats::bmd::added::{Added, MARK, MARK_BYTES};
use crate::formats::bmd::model::{ANIMATION, BONE, HEADER_BYTES, LOD, MESH, Model, Table};

/// Bytes that the header takes: as much as the original exporter gives it.
const HEADER_SPACE: usize = 0x40;
/// Where tables and lists begin: at multiples of this.
const ALIGNMENT: usize = 16;

/// The names of the parts of a model, in their order.
#[derive(Default)]
pub(super) struct Names {
    pub(super) materials: Vec<Option<Vec<u8>>>,
    pub(super) bones: Vec<Vec<u8>>,
    pub(super) animations: Vec<Vec<u8>>,
}

/// Gives everything its place: tables, lists, names, frames, in this order, and behind them the note of what was added.
pub(super) fn lay_out(model: &mut Model, names: &Names, added: &Added) {
    let mut end = HEADER_SPACE;
    let mut take = |bytes: usize, alignment: usize| {
        let at = align(end, alignment).unwrap_or(end);
        if bytes > 0 {
            end = at + bytes;
        }
        u32::try_from(at).unwrap_or(u32::MAX)
    };
    let mut table = |count: usize, record: usize, alignment: usize| match count * record {
        0 => Table::default(),
        size => Table { offset: take(size, alignment), size: size as u32 },
    };
    model.lod_table = table(model.lods.len(), LOD.size(), 4);
    model.mesh_table = table(model.meshes.len(), MESH.size(), ALIGNMENT);
    model.bone_table = table(model.bones.len(), BONE.size(), ALIGNMENT);
    model.animation_table = table(model.animations.len(), ANIMATION.size(), ALIGNMENT);
    for mesh in &mut model.meshes {
        mesh.vertex_bytes = mesh.stored_vertex_bytes() as u32;
        mesh.face_bytes = mesh.stored_face_bytes() as u32;
        mesh.vertex_count = u16::try_from(mesh.vertices.len()).unwrap_or(u16::MAX);
        mesh.vertices_at = take(mesh.vertex_bytes as usize, ALIGNMENT);
        mesh.faces_at = take(mesh.face_bytes as usize, ALIGNMENT);
    }
    let mut pool: BTreeMap<Vec<u8>, u32> = BTreeMap::new();
    let mut name =
        |name: &[u8]| -> u32 { *pool.entry(name.to_vec()).or_insert_with(|| take(name.len() + 1, 1)) };
    for (mesh, material) in model.meshes.iter_mut().zip(&names.materials) {
        mesh.material_at = material.as_deref().map_or(0, &mut name);
    }
    for (bone, own) in model.bones.iter_mut().zip(&names.bones) {
        bone.name_at = if own.is_empty() { 0 } else { name(own) };
    }
    for (animation, own) in model.animations.iter_mut().zip(&names.animations) {
        animation.name_at = if own.is_empty() { 0 } else { name(own) };
    }
    model.strings = pool.into_iter().map(|(name, at)| (at, name)).collect();
    for animation in &mut model.animations {
        animation.frame_bytes = animation.stored_frame_bytes() as u32;
        animation.frames_at = take(animation.frame_bytes as usize, ALIGNMENT);
    }
    model.other = BTreeMap::new();
    let mut rest = vec![0; model.length().max(HEADER_SPACE)];
    if !added.is_empty() {
        put_note(&mut rest, &added.to_bytes());
    }
    model.keep_other(&rest);
}

/// The note at the end, and behind the header where it is.
fn put_note(bytes: &mut Vec<u8>, note: &[u8]) {
    let at = align(bytes.len(), ALIGNMENT).unwrap_or(bytes.len());
    bytes.resize(at, 0);
    bytes.extend(note);
    let place = |n: usize| u32::try_from(n).unwrap_or(0).to_le_bytes();
    let mark = [&MARK[..], &place(at), &place(note.len())].concat();
    if let Some(space) = bytes.get_mut(HEADER_BYTES..HEADER_BYTES + MARK_BYTES) {
        space.copy_from_slice(&mark);
    }
}
