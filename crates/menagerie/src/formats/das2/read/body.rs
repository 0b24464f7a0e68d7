//! The records, one after the other to the end.

use super::{Packing, codes};
use crate::bytes::{ReadError, ReadErrorKind, Reader, Span};
use crate::diag::Issue;
use crate::formats::das2::model::{
    Animation, Buffer, Channel, Interpolation, Joint, Kind, Level, Mesh, MeshGroup, MorphTarget, Node,
    Numbering, Pbr, Phong, Placement, Profile, Record, Ref, SLOTS, Scene, Skeleton, Target, Text,
};

/// How records are laid out.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) profile: Profile,
    pub(super) numbering: Numbering,
}

/// What is wanted of the records.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Keep {
    All,
    /// Only whether they can be read; the data of buffers is left out.
    Structure,
}

/// Reads all records.
pub(super) fn read(packing: &Packing<'_>, shape: Shape, keep: Keep) -> Result<Vec<Record>, Issue> {
    let mut parser = Parser { shape, keep };
    let mut reader = Reader::part(packing.bytes, packing.base);
    let mut counts = [0usize; Kind::ALL.len()];
    let mut records = Vec::new();
    while !reader.is_at_end() {
        let record = next(&mut reader, &mut parser, &mut counts);
        records.push(record.map_err(|issue| in_file(issue, packing.inflated_from))?);
    }
    Ok(records)
}

/// The records that are whole, up to the first that is not, and what that one is.
pub(super) fn read_some(body: &[u8], shape: Shape) -> (Vec<Record>, Option<&'static str>) {
    let mut parser = Parser { shape, keep: Keep::All };
    let mut reader = Reader::new(body);
    let mut counts = [0usize; Kind::ALL.len()];
    let mut records = Vec::new();
    while let Some(identifier) = reader.rest().first() {
        match next(&mut reader, &mut parser, &mut counts) {
            Ok(record) => records.push(record),
            Err(_) => return (records, Kind::of(*identifier, shape.numbering).map(Kind::list)),
        }
    }
    (records, None)
}

fn next(
    reader: &mut Reader<'_>,
    parser: &mut Parser,
    counts: &mut [usize; Kind::ALL.len()],
) -> Result<Record, Issue> {
    let at = reader.position();
    let identifier = reader.u8("identifier")?;
    let Some(kind) = Kind::of(identifier, parser.shape.numbering) else {
        let message = format!("no record has the identifier {identifier}");
        return Err(Issue::new(&codes::IDENTIFIER, "identifier", message).at(Span::new(at, at + 1)));
    };
    let count = counts.get_mut(kind as usize);
    let index = count.map_or(0, |count| std::mem::replace(count, *count + 1));
    reader.item(kind.list(), index, |r| Ok(parser.record(r, kind)))?
}

/// An issue in inflated bytes points at the compressed ones, which are what the file has.
fn in_file(issue: Issue, inflated_from: Option<Span>) -> Issue {
    let Some(stored) = inflated_from else { return issue };
    let place = issue.span.map(|span| format!(" (byte {span} of the inflated body)")).unwrap_or_default();
    Issue { path: format!("body.{}", issue.path), message: issue.message + &place, ..issue }.at(stored)
}

struct Parser {
    shape: Shape,
    keep: Keep,
}

impl Parser {
    fn record(&mut self, r: &mut Reader<'_>, kind: Kind) -> Result<Record, Issue> {
        Ok(match kind {
            Kind::Buffer => Record::Buffer(self.buffer(r)?),
            Kind::Mesh => Record::Mesh(self.mesh(r)?),
            Kind::MeshGroup => {
                Record::MeshGroup(MeshGroup { name: self.text(r, "name")?, meshes: ids(r, "meshes")? })
            }
            Kind::Node => Record::Node(Node {
                name: self.text(r, "name")?,
                children: ids(r, "children")?,
                mesh_group: r.u32("mesh_group")?,
                skeleton: r.u32("skeleton")?,
                custom: r.floats("custom")?,
                placement: placement(r)?,
            }),
            Kind::Scene => Record::Scene(Scene { name: self.text(r, "name")?, roots: ids(r, "roots")? }),
            Kind::Joint => Record::Joint(Joint {
                name: self.text(r, "name")?,
                children: ids(r, "children")?,
                inverse_bind: r.floats("inverse_bind")?,
                placement: placement(r)?,
            }),
            Kind::Skeleton => Record::Skeleton(Skeleton {
                name: self.text(r, "name")?,
                parent: r.u32("parent")?,
                joints: ids(r, "joints")?,
            }),
            Kind::Animation => Record::Animation(Animation {
                name: match self.shape.profile {
                    Profile::Spec => Text::default(),
                    Profile::Libdas2 => self.text(r, "name")?,
                },
                channels: ids(r, "channels")?,
            }),
            Kind::Channel => Record::Channel(self.channel(r)?),
            Kind::Phong => Record::Phong(Phong {
                name: self.text(r, "name")?,
                diffuse: r.floats("diffuse")?,
                specular: r.floats("specular")?,
                emission: r.floats("emission")?,
                diffuse_map: self.text(r, "diffuse_map")?,
                specular_map: self.text(r, "specular_map")?,
                emission_map: self.text(r, "emission_map")?,
            }),
            Kind::Pbr => Record::Pbr(self.pbr(r)?),
        })
    }

    fn text(&self, r: &mut Reader<'_>, name: &'static str) -> Result<Text, ReadError> {
        super::text(r, name, self.shape.profile)
    }

    fn buffer(&self, r: &mut Reader<'_>) -> Result<Buffer, ReadError> {
        let length = r.u32("length")?;
        let data = r.bytes("data", length as usize)?;
        Ok(Buffer { data: if self.keep == Keep::All { data.to_vec() } else { Vec::new() } })
    }

    /// A mesh with all levels below it. They are counted instead of nested, so the depth does not matter.
    fn mesh(&self, r: &mut Reader<'_>) -> Result<Mesh, Issue> {
        let first = self.level(r)?;
        let mut open = u64::from(first.lods);
        let mut levels = vec![first];
        while open > 0 {
            let level = r.item("lods", levels.len() - 1, |r| Ok(self.nested(r)))??;
            open += u64::from(level.lods);
            open -= 1;
            levels.push(level);
        }
        Ok(Mesh { levels })
    }

    fn nested(&self, r: &mut Reader<'_>) -> Result<Level, Issue> {
        nested_identifier(r, Kind::Mesh.identifier(self.shape.numbering), "a level of detail")?;
        self.level(r)
    }

    /// A level without its identifier.
    fn level(&self, r: &mut Reader<'_>) -> Result<Level, Issue> {
        let mut level = Level {
            index: self.place(r, "index")?,
            draw_count: r.u32("draw_count")?,
            position: self.place(r, "position")?,
            normal: self.place(r, "normal")?,
            uv: self.places(r, "uv")?,
            color: self.place(r, "color")?,
            joint_indices: self.places(r, "joint_indices")?,
            joint_weights: self.places(r, "joint_weights")?,
            material_type: r.u8("material_type")?,
            material: r.u32("material")?,
            ..Level::default()
        };
        let (morph_bytes, level_bytes) = match self.shape.profile {
            Profile::Spec => (97, 242),
            Profile::Libdas2 => (49, 130),
        };
        let morphs = r.u32("morph_count")? as usize;
        r.check_count("morph_count", morphs, morph_bytes)?;
        for index in 0..morphs {
            level.morphs.push(r.item("morphs", index, |r| Ok(self.morph(r)))??);
        }
        level.lods = r.u32("lod_count")?;
        r.check_count("lod_count", level.lods as usize, level_bytes)?;
        Ok(level)
    }

    fn morph(&self, r: &mut Reader<'_>) -> Result<MorphTarget, Issue> {
        nested_identifier(r, super::super::MORPH_TARGET, "a morph target")?;
        Ok(MorphTarget {
            index: self.place(r, "index")?,
            position: self.place(r, "position")?,
            normal: self.place(r, "normal")?,
            uv: self.places(r, "uv")?,
            color: self.place(r, "color")?,
        })
    }

    fn place(&self, r: &mut Reader<'_>, name: &'static str) -> Result<Ref, ReadError> {
        let buffer = match self.shape.profile {
            Profile::Spec => r.u32(name)?,
            Profile::Libdas2 => 0,
        };
        Ok(Ref { buffer, offset: r.u32(name)? })
    }

    /// All ids come before all offsets.
    fn places(&self, r: &mut Reader<'_>, name: &'static str) -> Result<[Ref; SLOTS], ReadError> {
        let mut places = [Ref { buffer: 0, offset: 0 }; SLOTS];
        if self.shape.profile == Profile::Spec {
            for place in &mut places {
                place.buffer = r.u32(name)?;
            }
        }
        for place in &mut places {
            place.offset = r.u32(name)?;
        }
        Ok(places)
    }

    fn channel(&self, r: &mut Reader<'_>) -> Result<Channel, Issue> {
        let node = r.u32("node")?;
        let joint = r.u32("joint")?;
        let target = kind(r, "target", Target::of)?;
        let interpolation = kind(r, "interpolation", Interpolation::of)?;
        let (keys, weight_count) = match self.shape.profile {
            Profile::Spec => (r.u32("keyframe_count")?, r.u32("weight_count")?),
            Profile::Libdas2 => {
                let weights = r.u32("weight_count")?;
                (r.u32("keyframe_count")?, weights)
            }
        };
        let keys = keys as usize;
        let width = target.width(weight_count);
        let parts = if interpolation == Interpolation::Cubic { 3 } else { 1 };
        let each = width.checked_mul(parts * 4).and_then(|bytes| bytes.checked_add(4)).unwrap_or(usize::MAX);
        r.check_count("keyframe_count", keys, each)?;
        let times = floats(r, "times", keys)?;
        let tangents = match interpolation {
            Interpolation::Cubic => floats(r, "tangents", keys.saturating_mul(width).saturating_mul(2))?,
            _ => Vec::new(),
        };
        let values = floats(r, "values", keys.saturating_mul(width))?;
        Ok(Channel { node, joint, target, interpolation, weight_count, times, tangents, values })
    }

    fn pbr(&self, r: &mut Reader<'_>) -> Result<Pbr, ReadError> {
        Ok(Pbr {
            name: self.text(r, "name")?,
            albedo: r.floats("albedo")?,
            emissive: r.floats("emissive")?,
            roughness: r.f32("roughness")?,
            metallic: r.f32("metallic")?,
            ambient_occlusion: r.f32("ambient_occlusion")?,
            albedo_map: self.text(r, "albedo_map")?,
            emission_map: self.text(r, "emission_map")?,
            roughness_map: match self.shape.profile {
                Profile::Spec => self.text(r, "roughness_map")?,
                Profile::Libdas2 => Text::default(),
            },
            metallic_map: self.text(r, "metallic_map")?,
            ambient_occlusion_map: self.text(r, "ambient_occlusion_map")?,
        })
    }
}

fn placement(r: &mut Reader<'_>) -> Result<Placement, ReadError> {
    Ok(Placement {
        rotation: r.floats("rotation")?,
        translation: r.floats("translation")?,
        scale: r.f32("scale")?,
    })
}

/// The identifier of a record inside a mesh.
fn nested_identifier(r: &mut Reader<'_>, expected: u8, what: &str) -> Result<(), Issue> {
    let at = r.position();
    let path = r.path("identifier");
    let found = r.u8("identifier")?;
    if found == expected {
        return Ok(());
    }
    let message = format!("{what} begins with {expected}, and here is {found}");
    Err(Issue::new(&codes::NESTED_IDENTIFIER, path, message).at(Span::new(at, at + 1)))
}

/// A byte that stands for one of a few things.
fn kind<T>(r: &mut Reader<'_>, name: &'static str, of: fn(u8) -> Option<T>) -> Result<T, Issue> {
    let at = r.position();
    let byte = r.u8(name)?;
    of(byte).ok_or_else(|| {
        let message = format!("the {name} {byte} does not exist");
        Issue::new(&codes::CHANNEL_KIND, r.path(name), message).at(Span::new(at, at + 1))
    })
}

/// A list of ids after its length.
fn ids(r: &mut Reader<'_>, name: &'static str) -> Result<Vec<u32>, ReadError> {
    let count = r.u32(name)? as usize;
    r.check_count(name, count, 4)?;
    let bytes = r.bytes(name, count.saturating_mul(4))?;
    Ok(bytes.as_chunks().0.iter().map(|id| u32::from_le_bytes(*id)).collect())
}

fn floats(r: &mut Reader<'_>, name: &'static str, count: usize) -> Result<Vec<f32>, ReadError> {
    let Some(bytes) = count.checked_mul(4) else {
        let left = r.left();
        let kind = ReadErrorKind::Count { count: count as u64, each: 4, left: left as u64 };
        return Err(r.error(name, kind, left));
    };
    let bytes = r.bytes(name, bytes)?;
    Ok(bytes.as_chunks().0.iter().map(|float| f32::from_le_bytes(*float)).collect())
}
