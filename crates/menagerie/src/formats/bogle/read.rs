//! Bytes to file model; of a file that is cut off, as much as there is.

use super::geometry::Geometry;
use super::model::{
    self, Animation, CAMERA, Camera, Collection, INSTANCE, Instance, KEY, Key, LIGHT, Light, MATERIAL,
    Material, Model, Slot,
};
use super::tree::{Fault, Tree};
use super::{codes, salvage};
use crate::bytes::{ReadError, Reader, Span};
use crate::diag::{self, Issue, Issues};
use crate::formats::ReadOptions;

/// The bytes that a record has at least, its names left out.
pub(super) mod least {
    use super::model;

    /// A type and the length of a name.
    const NAMED: usize = 1 + 4;
    pub(in super::super) const CAMERA: usize = NAMED + model::CAMERA.size();
    pub(in super::super) const GEOMETRY: usize = NAMED + 4 + 4;
    pub(in super::super) const MATERIAL: usize = NAMED + 1 + model::MATERIAL.size() + 8 * 4;
    pub(in super::super) const LIGHT: usize = NAMED + model::LIGHT.size();
    pub(in super::super) const COLLECTION: usize = NAMED + 4 + 64 + 4;
    pub(in super::super) const INSTANCE: usize = 4 + model::INSTANCE.size();
    pub(in super::super) const ANIMATION: usize = 4 + 4;
    pub(in super::super) const KEY: usize = model::KEY.size();
    pub(in super::super) const ROTATION: usize = model::ROTATION.size;
}

/// Reads a file, and checks besides what an option asks for.
pub(super) fn read_as_asked(
    bytes: &[u8],
    options: &ReadOptions<'_>,
    issues: &mut Issues,
) -> Result<Model, Issue> {
    let model = read_or_salvage(options.reader(bytes), issues)?;
    if options.settings.get("bogle-ascii") == Some("yes") {
        super::check::ascii(&model, issues);
    }
    Ok(model)
}

/// Reads a file. What can be forgiven is found by [`super::check`]; what cannot is the error.
pub fn read(bytes: &[u8]) -> Result<Model, Issue> {
    let mut reader = Reader::new(bytes);
    let r = &mut reader;
    let (version, counts) = header(r)?;
    let mut model = Model { version, ambient: r.floats("ambient")?, ..Model::default() };
    records(r, counts, &mut model)?;
    Ok(model)
}

/// All that follows the ambient light. On an error the model has all whole records before it.
fn records(r: &mut Reader<'_>, counts: [usize; 6], model: &mut Model) -> Result<(), Issue> {
    let [cameras, geometries, materials, lights, collections, instances] = counts;
    list(r, "cameras", cameras, least::CAMERA, camera, &mut model.cameras)?;
    list(r, "geometries", geometries, least::GEOMETRY, geometry, &mut model.geometries)?;
    list(r, "materials", materials, least::MATERIAL, material, &mut model.materials)?;
    list(r, "lights", lights, least::LIGHT, light, &mut model.lights)?;
    let name = "animation_collections";
    list(r, name, collections, least::COLLECTION, collection, &mut model.collections)?;
    list(r, "instances", instances, least::INSTANCE, |r| Ok(instance(r)?), &mut model.instances)?;
    scene_tree(r, model)
}

/// Reads a file; of one that is cut off or broken, all whole records before that. What is missing is counted.
fn read_or_salvage(mut reader: Reader<'_>, issues: &mut Issues) -> Result<Model, Issue> {
    let bytes = reader.rest();
    let (version, counts) = header(&mut reader)?;
    let ambient = reader.floats("ambient")?;
    let mut model = Model { version, ambient, ..Model::default() };
    let Err(issue) = records(&mut reader, counts, &mut model) else { return Ok(model) };
    // Of a tree that ends too early the beginning is good; one that is broken says nothing.
    let tree = issue.code.id.starts_with("bogle/tree") && issue.code != &codes::TREE_NOT_TERMINATED;
    if tree || issue.code == &diag::LIMIT {
        return Err(issue);
    }
    let rest = bytes.get(model.tree_offset()..).unwrap_or_default();
    salvage::cut(&mut model, counts, rest, issues);
    issues.push(issue);
    Ok(model)
}

/// The version, and how many cameras, geometries, materials, lights, collections and instances there are.
fn header(reader: &mut Reader<'_>) -> Result<(u8, [usize; 6]), Issue> {
    let magic = reader.scope("header", |r| r.array("magic"))?;
    if magic != super::MAGIC {
        let message = format!("expected the bytes BOGLE, found {}", magic.escape_ascii());
        return Err(Issue::new(&codes::MAGIC, "header.magic", message).at(Span::new(0, 5)));
    }
    let version = reader.scope("header", |r| r.u8("version"))?;
    if version != super::VERSION {
        let message = format!("version {version} is not known, only version 0 is");
        return Err(Issue::new(&codes::VERSION, "header.version", message).at(Span::new(5, 6)));
    }
    let counts = reader.scope("header", |r| {
        Ok([
            r.u32("camera_count")?,
            r.u32("geometry_count")?,
            r.u32("material_count")?,
            r.u32("light_count")?,
            r.u32("animation_collection_count")?,
            r.u32("instance_count")?,
        ])
    })?;
    Ok((version, counts.map(|count| count as usize)))
}

/// Reads `count` records of at least `least` bytes.
fn list<T>(
    reader: &mut Reader<'_>,
    name: &'static str,
    count: usize,
    least: usize,
    read: impl Fn(&mut Reader<'_>) -> Result<T, Issue>,
    records: &mut Vec<T>,
) -> Result<(), Issue> {
    // A list that cannot fit is read as far as it goes: what is whole is worth having.
    let too_many = reader.check_count(name, count, least).err();
    for index in 0..count {
        match reader.item(name, index, |r| Ok(read(r)))? {
            Ok(record) => records.push(record),
            Err(issue) => return Err(too_many.map_or(issue, Issue::from)),
        }
    }
    Ok(())
}

/// A length and as many bytes.
pub(super) fn text(
    r: &mut Reader<'_>,
    length_name: &'static str,
    name: &'static str,
) -> Result<Vec<u8>, ReadError> {
    let length = r.u32(length_name)? as usize;
    r.bytes(name, length).map(<[u8]>::to_vec)
}

/// A type byte. What follows a type that nobody knows cannot be read.
fn kind(r: &mut Reader<'_>, what: &str, last: u8) -> Result<u8, Issue> {
    let value = r.u8("type")?;
    if value <= last {
        return Ok(value);
    }
    let known = if last == 0 { "only 0 is".to_owned() } else { format!("only 0 to {last} are") };
    let at = r.position();
    Err(Issue::new(
        &codes::UNKNOWN_TYPE,
        r.path("type"),
        format!("type {value} of a {what} is not known, {known}"),
    )
    .at(Span::new(at.saturating_sub(1), at)))
}

fn camera(r: &mut Reader<'_>) -> Result<Camera, Issue> {
    let kind = kind(r, "camera", 1)?;
    let mut camera = Camera { kind, name: text(r, "name_length", "name")?, ..Camera::default() };
    CAMERA.read_into(&mut camera, r)?;
    Ok(camera)
}

fn geometry(r: &mut Reader<'_>) -> Result<Geometry, Issue> {
    let kind = kind(r, "geometry", 0)?;
    let name = text(r, "name_length", "name")?;
    let vertices = r.u32("vertex_count")? as usize;
    let indices = r.u32("index_count")? as usize;
    Ok(Geometry {
        kind,
        name,
        vertices: r.records("vertices", vertices)?,
        indices: r.records("indices", indices)?,
    })
}

fn material(r: &mut Reader<'_>) -> Result<Material, Issue> {
    let (kind, shader) = (kind(r, "material", 0)?, r.u8("shader")?);
    let name = text(r, "name_length", "name")?;
    let mut material = Material { kind, shader, name, ..Material::default() };
    MATERIAL.read_into(&mut material, r)?;
    for (texture, slot) in material.textures.iter_mut().zip(Slot::ALL) {
        *texture = r.scope("textures", |r| text(r, slot.length_name(), slot.name()))?;
    }
    Ok(material)
}

fn light(r: &mut Reader<'_>) -> Result<Light, Issue> {
    let kind = kind(r, "light", Light::POINT)?;
    let mut light = Light { kind, name: text(r, "name_length", "name")?, ..Light::default() };
    LIGHT.read_into(&mut light, r)?;
    Ok(light)
}

fn collection(r: &mut Reader<'_>) -> Result<Collection, Issue> {
    let kind = kind(r, "animation collection", 0)?;
    let name = text(r, "name_length", "name")?;
    let count = r.u32("animation_count")? as usize;
    let transform = r.floats("transform")?;
    let bone_count = r.u32("bone_count")? as usize;
    let bones = r.table("bones", bone_count)?;
    let mut animations = Vec::new();
    list(r, "animations", count, least::ANIMATION, |r| Ok(animation(r, bone_count)?), &mut animations)?;
    Ok(Collection { kind, name, transform, bones, animations })
}

pub(super) fn animation(r: &mut Reader<'_>, bones: usize) -> Result<Animation, ReadError> {
    let name = text(r, "name_length", "name")?;
    let count = r.u32("key_count")? as usize;
    r.check_count("keys", count, bones.saturating_mul(least::ROTATION).saturating_add(least::KEY))?;
    let mut keys = Vec::with_capacity(count);
    for index in 0..count {
        keys.push(r.item("keys", index, |r| key(r, bones))?);
    }
    Ok(Animation { name, keys })
}

pub(super) fn key(r: &mut Reader<'_>, bones: usize) -> Result<Key, ReadError> {
    let mut key = KEY.read(r)?;
    key.rotations = r.table("rotations", bones)?;
    Ok(key)
}

fn instance(r: &mut Reader<'_>) -> Result<Instance, ReadError> {
    let mut instance = Instance { name: text(r, "name_length", "name")?, ..Instance::default() };
    INSTANCE.read_into(&mut instance, r)?;
    Ok(instance)
}

/// The scene tree and what follows it. The text is looked at while its end is searched, so that a text that cannot be
/// a tree is refused before it is read to its end.
fn scene_tree(r: &mut Reader<'_>, model: &mut Model) -> Result<(), Issue> {
    let (start, rest) = (r.position(), r.rest());
    let tree = Tree::parse(rest, model.instances.len()).map_err(|fault| tree_issue(&fault, start))?;
    if !tree.terminated {
        let end = start + tree.length;
        let message = "the file ends before the zero byte that ends the scene tree";
        let span = Span::new(end.saturating_sub(1).max(start), end);
        return Err(Issue::new(&codes::TREE_NOT_TERMINATED, "tree", message).at(span));
    }
    model.tree = r.bytes("tree", tree.length)?.to_vec();
    r.u8("terminator")?;
    model.trailing = r.rest().to_vec();
    Ok(())
}

/// The issue of a fault of the tree whose text begins at byte `start`.
pub(super) fn tree_issue(fault: &Fault, start: usize) -> Issue {
    let span = Span::new(start.saturating_add(fault.at.start), start.saturating_add(fault.at.end));
    Issue::new(fault.code, format!("tree[{}]", fault.at.start), fault.message.clone()).at(span)
}
