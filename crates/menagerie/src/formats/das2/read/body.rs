//! The records, one after the other to the end.

use super::{Packing, codes};
use crate::bytes::{Limits, OverLimit, ReadError, ReadErrorKind, Reader, Records, Span, push_tight};
use crate::diag::Issue;
use crate::formats::das2::fields::Fields;
use crate::formats::das2::model::{
    Buffer, Channel, Interpolation, Kind, Level, Mesh, MorphTarget, Numbering, Profile, Record, Target,
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
pub(super) fn read(
    packing: &Packing<'_>,
    shape: Shape,
    keep: Keep,
    limits: &Limits,
) -> Result<Vec<Record>, Issue> {
    let mut parser = Parser { shape, keep, limits };
    let mut reader = packing.reader();
    let mut counts = [0usize; Kind::ALL.len()];
    let mut records = Vec::new();
    while !reader.is_at_end() {
        let at = reader.position();
        let record = next(&mut reader, &mut parser, &mut counts);
        let record = record.map_err(|issue| in_file(issue, packing.inflated_from))?;
        take(&record, reader.position().saturating_sub(at), limits)?;
        push_tight(&mut records, record);
    }
    Ok(records)
}

/// The records that are whole, up to the first that is not, and what that one is.
pub(super) fn read_some(body: &[u8], shape: Shape, limits: &Limits) -> (Vec<Record>, Option<&'static str>) {
    let mut parser = Parser { shape, keep: Keep::All, limits };
    let mut reader = Reader::new(body);
    let mut counts = [0usize; Kind::ALL.len()];
    let mut records = Vec::new();
    while let Some(identifier) = reader.rest().first() {
        let at = reader.position();
        let record = next(&mut reader, &mut parser, &mut counts).ok();
        let room = |record: &Record| take(record, reader.position().saturating_sub(at), limits).is_ok();
        match record.filter(room) {
            Some(record) => push_tight(&mut records, record),
            None => return (records, Kind::of(*identifier, shape.numbering).map(Kind::list)),
        }
    }
    (records, None)
}

/// Takes what a record needs beside the bytes that it was read from: a packed body of millions of small ones is a small
/// file, and what a record has in memory is far more than its bytes.
fn take(record: &Record, bytes: usize, limits: &Limits) -> Result<(), OverLimit> {
    let own = match record {
        Record::Buffer(_) => 0,
        // Its lists are small, and each is a little more than its bytes.
        _ => bytes.saturating_mul(2),
    };
    // The list grows by an eighth, and what it is read from is there too.
    let in_list = size_of::<Record>() + size_of::<Record>().div_ceil(4);
    limits.take((in_list as u64).saturating_add(own as u64))
}

fn next(
    reader: &mut Reader<'_>,
    parser: &mut Parser<'_>,
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
    let path = if issue.path.is_empty() { "body".to_owned() } else { format!("body.{}", issue.path) };
    Issue { path, message: issue.message + &place, ..issue }.at(stored)
}

struct Parser<'a> {
    shape: Shape,
    keep: Keep,
    limits: &'a Limits,
}

impl Parser<'_> {
    fn record(&mut self, r: &mut Reader<'_>, kind: Kind) -> Result<Record, Issue> {
        Ok(match kind {
            Kind::Buffer => Record::Buffer(self.buffer(r)?),
            Kind::Mesh => Record::Mesh(self.mesh(r)?),
            Kind::MeshGroup => Record::MeshGroup(self.fields(r)?),
            Kind::Node => Record::Node(self.fields(r)?),
            Kind::Scene => Record::Scene(self.fields(r)?),
            Kind::Joint => Record::Joint(self.fields(r)?),
            Kind::Skeleton => Record::Skeleton(self.fields(r)?),
            Kind::Animation => Record::Animation(self.fields(r)?),
            Kind::Channel => Record::Channel(self.channel(r)?),
            Kind::Phong => Record::Phong(self.fields(r)?),
            Kind::Pbr => Record::Pbr(self.fields(r)?),
        })
    }

    fn fields<T: Fields + Default>(&self, r: &mut Reader<'_>) -> Result<T, ReadError> {
        fields(r, self.shape.profile)
    }

    fn buffer(&self, r: &mut Reader<'_>) -> Result<Buffer, Issue> {
        let length = r.u32("length")? as usize;
        let mut data = r.slice("data", length)?;
        if self.keep == Keep::Structure {
            return Ok(Buffer { data: Records::default() });
        }
        // It may be all of the file, so it is taken before and not with the record.
        self.limits.take(length as u64)?;
        Ok(Buffer { data: data.records("data", length)? })
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
        let mut level: Level = self.fields(r)?;
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
        Ok(self.fields(r)?)
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
}

/// A record of which all fields are read.
pub(super) fn fields<T: Fields + Default>(r: &mut Reader<'_>, profile: Profile) -> Result<T, ReadError> {
    let mut record = T::default();
    record.read(r, profile)?;
    Ok(record)
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

fn floats(r: &mut Reader<'_>, name: &'static str, count: usize) -> Result<Vec<f32>, ReadError> {
    let Some(bytes) = count.checked_mul(4) else {
        let left = r.left();
        let kind = ReadErrorKind::Count { count: count as u64, each: 4, left: left as u64 };
        return Err(r.error(name, kind, left));
    };
    let bytes = r.bytes(name, bytes)?;
    Ok(bytes.as_chunks().0.iter().map(|float| f32::from_le_bytes(*float)).collect())
}
