//! Bytes to file model.

use super::codes;
use super::model::{ENTITY, Entity, MESH, MeshData, Model, VERSION, VFloat, Vertices};
use crate::bytes::{ReadError, Reader, Span, align};
use crate::diag::{Code, Issue, Issues};

mod salvage;

/// The bytes of a pivot's header.
const PIVOT_HEADER: usize = 64;
/// The bytes of a mesh's header.
const MESH_HEADER: usize = 92;
/// Lists and definitions begin at multiples of this.
const WORD: usize = 4;

/// Reads a file. What can be forgiven goes to `issues`; what cannot is the error.
pub fn read(bytes: &[u8], issues: &mut Issues) -> Result<Model, Issue> {
    read_from(Reader::new(bytes), issues)
}

/// The same from a reader at the start of a file.
pub(super) fn read_from(mut reader: Reader<'_>, issues: &mut Issues) -> Result<Model, Issue> {
    let bytes = reader.rest();
    let (mut model, count, stated) = header(&mut reader)?;
    let too_many = reader.scope("header", |r| r.check_count("entity_count", count, PIVOT_HEADER)).err();
    issues.extend(too_many.map(Issue::from));
    for index in 0..count {
        let start = reader.position();
        match entity(&mut reader, index, model.vfloat) {
            Ok(entity) => model.entities.push(entity),
            Err(issue) => {
                model.stated_list_bytes = Some(stated);
                return salvage::salvage(model, bytes, start, count, issue, issues);
            }
        }
    }
    let list_bytes = reader.position().saturating_sub(20);
    model.trailing = reader.rest().to_vec();
    // The writer states the length up to the end of the file, the document that of the list: both are right.
    let stated_fits = |length: usize| i32::try_from(length) == Ok(stated);
    if !stated_fits(list_bytes) {
        model.stated_list_bytes = Some(stated);
        if !stated_fits(bytes.len().saturating_sub(20)) {
            issues.push(
                Issue::new(
                    &codes::ENTITY_LIST_LENGTH,
                    "header.entity_list_bytes",
                    format!("the entity list has {list_bytes} bytes, not {stated}"),
                )
                .at(Span::new(12, 16)),
            );
        }
    }
    Ok(model)
}

/// The model without entities, how many there should be, and the length that their list should have.
fn header(reader: &mut Reader<'_>) -> Result<(Model, usize, i32), Issue> {
    let magic = reader.scope("header", |r| r.array("magic"))?;
    if magic != super::MAGIC {
        let message = format!("expected the bytes BO3D, found {}", magic.escape_ascii());
        return Err(Issue::new(&codes::MAGIC, "header.magic", message).at(Span::new(0, 4)));
    }
    let (version, count, stated, bits) = reader.scope("header", |r| {
        Ok((
            r.i32("version")?,
            r.count_i32("entity_count")?,
            r.i32("entity_list_bytes")?,
            r.i32("vfloat_bits")?,
        ))
    })?;
    if version > VERSION {
        let message = format!("version {version} is newer than {VERSION}");
        return Err(Issue::new(&codes::VERSION_NEWER, "header.version", message).at(Span::new(4, 8)));
    }
    let vfloat = match bits {
        16 => VFloat::Bits16,
        32 => VFloat::Bits32,
        _ => {
            let message = format!("vertex floats of {bits} bits are not defined, only of 16 and 32");
            return Err(Issue::new(&codes::VFLOAT_WIDTH, "header.vfloat_bits", message).at(Span::new(16, 20)));
        }
    };
    Ok((Model { version, vfloat, ..Model::default() }, count, stated))
}

fn entity(reader: &mut Reader<'_>, index: usize, vfloat: VFloat) -> Result<Entity, Issue> {
    let start = reader.position();
    let size = reader.item("entities", index, |r| r.count_i32("size"))?;
    let refuse = |code: &'static Code, message: String| {
        let path = format!("entities[{index}].size");
        Err(Issue::new(code, path, message).at(Span::new(start, start.saturating_add(4))))
    };
    if size < PIVOT_HEADER {
        return refuse(
            &codes::SIZE_TOO_SMALL,
            format!("a size of {size} is below the {PIVOT_HEADER} bytes of a header"),
        );
    }
    let left = reader.left();
    if size - 4 > left {
        return refuse(
            &codes::SIZE_PAST_END,
            format!("a size of {size} reaches past the end of the file, {} bytes from here", left + 4),
        );
    }
    let mut entity = reader.item("entities", index, |r| {
        let mut definition = r.slice("definition", size - 4)?;
        Ok(definition_body(&mut definition, vfloat, size))
    })??;
    // The next definition begins at a multiple of four; the bytes up to there belong to nothing.
    let gap = align(size, WORD).unwrap_or(size) - size;
    let found = reader.rest().get(..gap).unwrap_or(reader.rest());
    entity.gap = unless_zeros(found, gap);
    reader.item("entities", index, |r| r.bytes("gap", found.len()))?;
    Ok(entity)
}

/// The definition after its size.
fn definition_body(r: &mut Reader<'_>, vfloat: VFloat, size: usize) -> Result<Entity, Issue> {
    let mut entity = ENTITY.read(r)?;
    let keys = r.count_i32("keyframe_count")?;
    let name = r.count_i32("name_length")?;
    let vertices = r.count_i32("vertex_count")?;
    let counts = match vertices {
        0 => None,
        _ if size < MESH_HEADER => {
            let message = format!("a size of {size} is below the {MESH_HEADER} bytes of a mesh's header");
            return Err(Issue::new(&codes::SIZE_TOO_SMALL, r.path("size"), message)
                .at(Span::new(r.position() - PIVOT_HEADER, r.position() - PIVOT_HEADER + 4)));
        }
        _ => Some(MeshCounts::read(r, vertices)?),
    };
    entity.keys = r.table("keys", keys).map_err(outside)?;
    entity.name = r.bytes("name", name).map_err(outside)?.to_vec();
    entity.name_padding = padding(r, name)?;
    entity.mesh = match counts {
        Some((counts, mesh)) => Some(mesh_lists(r, vfloat, &counts, mesh)?),
        None => None,
    };
    entity.surplus = r.rest().to_vec();
    Ok(entity)
}

struct MeshCounts {
    vertices: usize,
    colours: usize,
    triangles: usize,
    texture: usize,
    bones: usize,
}

impl MeshCounts {
    /// The mesh's part of the header: the counts, and a mesh whose lists are still empty.
    fn read(r: &mut Reader<'_>, vertices: usize) -> Result<(Self, MeshData), ReadError> {
        let colours = r.count_i32("colour_count")?;
        let triangles = r.count_i32("triangle_count")?;
        let texture = r.count_i32("texture_length")?;
        let mesh = MESH.read(r)?;
        let bones = r.count_i32("bone_count")?;
        Ok((Self { vertices, colours, triangles, texture, bones }, mesh))
    }
}

fn mesh_lists(
    r: &mut Reader<'_>,
    vfloat: VFloat,
    counts: &MeshCounts,
    mut mesh: MeshData,
) -> Result<MeshData, Issue> {
    mesh.vertices = match vfloat {
        VFloat::Bits16 => Vertices::Half(r.records("vertices", counts.vertices).map_err(outside)?),
        VFloat::Bits32 => Vertices::Full(r.records("vertices", counts.vertices).map_err(outside)?),
    };
    mesh.colours = r.table("colours", counts.colours).map_err(outside)?;
    mesh.colours_padding = padding(r, counts.colours.saturating_mul(3))?;
    mesh.triangles = r.records("triangles", counts.triangles).map_err(outside)?;
    mesh.triangles_padding = padding(r, counts.triangles.saturating_mul(6))?;
    mesh.texture = r.bytes("texture", counts.texture).map_err(outside)?.to_vec();
    mesh.texture_padding = padding(r, counts.texture)?;
    mesh.bones = r.table("bones", counts.bones).map_err(outside)?;
    Ok(mesh)
}

/// The padding after a list of `length` bytes. It may be cut short by the end of the definition.
fn padding(r: &mut Reader<'_>, length: usize) -> Result<Option<Vec<u8>>, ReadError> {
    let expected = align(length, WORD).unwrap_or(length) - length;
    let found = r.bytes("padding", expected.min(r.left()))?;
    Ok(unless_zeros(found, expected))
}

/// `None` when `found` is just the `expected` number of zeros.
fn unless_zeros(found: &[u8], expected: usize) -> Option<Vec<u8>> {
    let as_usual = found.len() == expected && found.iter().all(|byte| *byte == 0);
    (!as_usual).then(|| found.to_vec())
}

/// A list that does not fit into its definition.
fn outside(error: ReadError) -> Issue {
    let message = format!("the list does not fit into the entity's size: {}", error.kind);
    Issue::new(&codes::LIST_PAST_DEFINITION, error.path, message).at(error.span)
}
