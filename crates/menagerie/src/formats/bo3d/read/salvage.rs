//! What can be had of a damaged file: every entity that is whole, and of the others what is there of their lists.

use super::{MESH_HEADER, PIVOT_HEADER, WORD, entity};
use crate::bytes::{Reader, align};
use crate::diag::{Aspect, Issue, Issues};
use crate::formats::bo3d::model::{ENTITY, Entity, MESH, MeshData, Model, VFloat, Vertices};
use zerocopy::{FromBytes, Immutable};

/// Reads on from the first damaged entity, which begins at `start`. Its bytes and all that follow are kept as they are.
/// Only a file without any entity that could be had is refused.
pub(super) fn salvage(
    mut model: Model,
    bytes: &[u8],
    start: usize,
    count: usize,
    first: Issue,
    issues: &mut Issues,
) -> Result<Model, Issue> {
    let mut at = start;
    let mut index = model.entities.len();
    while index < count && at < bytes.len() {
        let rest = bytes.get(at..).unwrap_or_default();
        let mut reader = Reader::part(rest, at);
        let next = match entity(&mut reader, index, model.vfloat) {
            Ok(entity) => {
                model.salvaged.push(entity);
                Some(reader.position())
            }
            Err(issue) => {
                let torn = torn(rest, index, model.vfloat, issues);
                issues.push(issue);
                torn.and_then(|(entity, size)| {
                    model.salvaged.push(entity);
                    align(size, WORD)
                        .and_then(|size| at.checked_add(size))
                        .filter(|next| *next <= bytes.len())
                })
            }
        };
        index += 1;
        let Some(next) = next.filter(|next| *next > at) else { break };
        at = next;
    }
    let had = model.entities.len() + model.salvaged.len();
    if had == 0 {
        return Err(first);
    }
    if model.salvaged.is_empty() || at >= bytes.len() {
        // The file ends where an entity should begin.
        issues.push(first);
    }
    issues.give_up(Aspect::Hierarchy, "entities", "entities", (count - had, count));
    model.trailing = bytes.get(start..).unwrap_or_default().to_vec();
    model.stated_count = Some(i32::try_from(count).unwrap_or(i32::MAX));
    Ok(model)
}

/// A part of a file, as far as it goes.
struct Torn<'a>(Reader<'a>);

impl<'a> Torn<'a> {
    fn take(&mut self, length: usize) -> &'a [u8] {
        self.0.bytes("", length.min(self.0.left())).unwrap_or_default()
    }

    fn count(&mut self) -> Option<usize> {
        self.0.i32("").ok().map(|count| usize::try_from(count).unwrap_or(0))
    }

    /// The elements of a list that are whole, of a padded list.
    fn list<T: FromBytes + Immutable>(&mut self, count: usize) -> Vec<T> {
        let each = size_of::<T>().max(1);
        let bytes = self.take(count.saturating_mul(each));
        let list: Vec<T> =
            bytes.chunks_exact(each).filter_map(|bytes| T::read_from_bytes(bytes).ok()).collect();
        self.skip_padding(count.saturating_mul(each));
        list
    }

    fn skip_padding(&mut self, length: usize) {
        self.take(align(length, WORD).unwrap_or(length) - length);
    }
}

/// The entity at the beginning of some bytes, with as much of its lists as there is, and its size; `None` where not even
/// its header is whole.
fn torn(rest: &[u8], index: usize, vfloat: VFloat, issues: &mut Issues) -> Option<(Entity, usize)> {
    let size = Reader::new(rest).count_i32("size").ok().filter(|size| *size >= PIVOT_HEADER)?;
    let mut part = Torn(Reader::new(rest.get(4..size).or(rest.get(4..))?));
    let mut entity = ENTITY.read(&mut part.0).ok()?;
    let (keys, name, vertices) = (part.count()?, part.count()?, part.count()?);
    let head = if vertices > 0 && size >= MESH_HEADER { mesh_header(&mut part) } else { None };
    entity.keys = part.list(keys);
    entity.name = part.take(name).to_vec();
    part.skip_padding(name);
    let mut missing = Missing { issues, path: format!("entities[{index}]") };
    missing.count(Aspect::Animations, "keys", entity.keys.len(), keys);
    missing.count(Aspect::Names, "bytes of names", entity.name.len(), name);
    let Some((counts, mut mesh)) = head else {
        missing.count(Aspect::Positions, "vertices", 0, vertices);
        return Some((entity, size));
    };
    mesh.vertices = match vfloat {
        VFloat::Bits16 => Vertices::Half(part.list(vertices).into()),
        VFloat::Bits32 => Vertices::Full(part.list(vertices).into()),
    };
    let [colours, triangles, texture, bones] = counts;
    mesh.colours = part.list(colours);
    mesh.triangles = part.list(triangles).into();
    mesh.texture = part.take(texture).to_vec();
    part.skip_padding(texture);
    mesh.bones = part.list(bones);
    missing.count(Aspect::Positions, "vertices", mesh.vertices.len(), vertices);
    missing.count(Aspect::Colors, "colours", mesh.colours.len(), colours);
    missing.count(Aspect::Skins, "bones", mesh.bones.len(), bones);
    missing.count(Aspect::Textures, "bytes of names of textures", mesh.texture.len(), texture);
    let known = mesh.vertices.len();
    let drawn = mesh.triangles.iter().filter(|t| t.0.iter().all(|i| usize::from(i.get()) < known)).count();
    missing.count(Aspect::Topology, "triangles", drawn, triangles);
    // A name that was cut off would name another picture.
    if mesh.texture.len() < texture {
        mesh.texture.clear();
    }
    entity.mesh = (known > 0).then_some(mesh);
    Some((entity, size))
}

/// What follows the common header of a mesh: the counts of colours, triangles, bytes of the texture's name and bones.
fn mesh_header(part: &mut Torn<'_>) -> Option<([usize; 4], MeshData)> {
    let (colours, triangles, texture) = (part.count()?, part.count()?, part.count()?);
    let mesh = MESH.read(&mut part.0).ok()?;
    Some(([colours, triangles, texture, part.count()?], mesh))
}

struct Missing<'a> {
    issues: &'a mut Issues,
    path: String,
}

impl Missing<'_> {
    fn count(&mut self, aspect: Aspect, what: &'static str, had: usize, of: usize) {
        self.issues.give_up(aspect, what, self.path.clone(), (of.saturating_sub(had), of));
    }
}
