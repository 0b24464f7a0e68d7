//! Bytes to file model: which profile and numbering a file has is found by reading it to its end.

mod body;

use std::sync::Arc;

use super::model::{Framing, Header, Kind, Model, Numbering, Profile};
use super::{MAGIC, check, codes, frame};
use crate::bytes::{Limits, ReadError, Reader, Records, SharedBytes, Span};
use crate::diag::{self, Aspect, Issue, Issues};

/// Reads a file of either profile.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Model, Issue> {
    read_source(Source { bytes, file: None }, limits)
}

/// A file, and its bytes for a model to share where that can be.
#[derive(Clone, Copy)]
pub(super) struct Source<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) file: Option<&'a SharedBytes>,
}

impl<'a> Source<'a> {
    /// A reader at a place in the file.
    fn reader(self, at: usize) -> Reader<'a> {
        match self.file {
            Some(file) => {
                let mut reader = Reader::of_shared(file);
                // Whoever asks has read up to there.
                let _ = reader.bytes("", at);
                reader
            }
            None => Reader::part(self.bytes.get(at..).unwrap_or_default(), at),
        }
    }

    /// A part of the file.
    fn part(self, at: usize, length: usize) -> Option<Records<u8>> {
        self.reader(at).records("", length).ok()
    }
}

fn read_source(source: Source<'_>, limits: &Limits) -> Result<Model, Issue> {
    let bytes = source.bytes;
    let magic: [u8; 8] = Reader::new(bytes).scope("header", |r| r.array("magic"))?;
    if magic != MAGIC {
        let reversed = magic.iter().rev().eq(&MAGIC);
        let order = if reversed { ": das2 in big-endian order, which no tool writes" } else { "" };
        let message =
            format!("expected the bytes das2 and four zeros, found {}{order}", magic.escape_ascii());
        return Err(Issue::new(&codes::MAGIC, "header.magic", message).at(Span::new(0, 8)));
    }
    let likelier = if has_hashes(bytes) { Profile::Libdas2 } else { Profile::Spec };
    let other = if likelier == Profile::Spec { Profile::Libdas2 } else { Profile::Spec };
    let first = match attempt(source, likelier, limits) {
        Ok(model) => return Ok(model),
        Err(failure) => failure,
    };
    match attempt(source, other, limits) {
        Ok(model) => Ok(model),
        // What the likelier profile has to say, unless not even the header has its shape.
        Err(second) if !first.after_header && second.after_header => Err(second.issue),
        Err(_) => Err(first.issue),
    }
}

/// Reads a file of either profile; of one that is damaged, the records before the damage. What is missing is counted.
pub(super) fn read_or_salvage(
    source: Source<'_>,
    limits: &Limits,
    issues: &mut Issues,
) -> Result<Model, Issue> {
    match read_source(source, limits) {
        Ok(model) => {
            missing(&model, issues);
            Ok(model)
        }
        Err(issue) => {
            // What costs too much is not damaged.
            let hopeless = issue.code == &diag::LIMIT || issue.code == &codes::MAGIC;
            let model = if hopeless { None } else { salvage(source.bytes, limits, issues) };
            let Some(model) = model else { return Err(issue) };
            issues.push(issue);
            missing(&model, issues);
            Ok(model)
        }
    }
}

/// What the header counts and the file does not have.
fn missing(model: &Model, issues: &mut Issues) {
    let lists = model.lists();
    let header = &model.header;
    for (aspect, what, path, stated, found) in [
        (Aspect::Topology, "meshes", "header.mesh_count", header.mesh_count, lists.meshes.len()),
        (
            Aspect::Animations,
            "animations",
            "header.animation_count",
            header.animation_count,
            lists.animations.len(),
        ),
    ] {
        let stated = stated as usize;
        // A header may count what it likes; what no file of this size could have is no count.
        if stated <= MOST_COUNTED {
            issues.give_up(aspect, what, path, (stated.saturating_sub(found), stated));
        }
    }
}

/// The most meshes or animations whose absence is counted.
const MOST_COUNTED: usize = 1 << 20;

/// The whole records at the beginning of a file that cannot be read to its end.
fn salvage(bytes: &[u8], limits: &Limits, issues: &mut Issues) -> Option<Model> {
    let likelier = if has_hashes(bytes) { Profile::Libdas2 } else { Profile::Spec };
    let other = if likelier == Profile::Spec { Profile::Libdas2 } else { Profile::Spec };
    [likelier, other].into_iter().find_map(|profile| salvage_as(bytes, profile, limits, issues))
}

fn salvage_as(bytes: &[u8], profile: Profile, limits: &Limits, issues: &mut Issues) -> Option<Model> {
    let (header, at) = header(bytes, profile).ok()?;
    let packed = bytes.get(at..)?;
    let is_zlib = profile == Profile::Spec && header.level <= 9 && frame::is_zlib(packed);
    let is_zstd = profile == Profile::Libdas2 && frame::is_zstd(packed);
    let (framing, inflated) = match (is_zlib, is_zstd) {
        (true, _) => (Framing::Zlib { stored: None }, Some(frame::inflate_some_zlib(packed, limits)?)),
        (_, true) => (Framing::Zstd { stored: None }, Some(frame::inflate_some_zstd(packed, limits)?)),
        _ if profile == Profile::Spec && header.level > 0 => return None,
        _ => (Framing::Raw, None),
    };
    let body = inflated.as_deref().unwrap_or(packed);
    let numbering = Numbering::Headings;
    let (records, cut) = body::read_some(body, body::Shape { profile, numbering }, limits);
    if records.is_empty() {
        return None;
    }
    // Where the stream itself broke between two records, nobody knows what came next.
    let kind = cut.unwrap_or("records");
    let found = records.iter().filter(|record| record.kind().list() == kind).count();
    issues.give_up(Aspect::Extras, kind, "body", (1, found + 1));
    let damaged = Some(Arc::from(packed));
    Some(Model { profile, numbering, header, framing, records, trailing: Vec::new(), damaged })
}

/// Whether the strings of the header have the hashes of the library's profile. Two empty strings with the hash zero
/// could be anything.
fn has_hashes(bytes: &[u8]) -> bool {
    let Ok((header, _)) = header(bytes, Profile::Libdas2) else { return false };
    let texts = [&header.author, &header.comment];
    texts.iter().all(|text| text.has_good_hash())
        && texts.iter().any(|text| !text.bytes.is_empty() || text.hash == u64::MAX)
}

/// Why a file cannot be read as one of the profiles.
struct Failure {
    issue: Issue,
    /// Whether the header was sound.
    after_header: bool,
}

fn attempt(source: Source<'_>, profile: Profile, limits: &Limits) -> Result<Model, Failure> {
    let (header, at) = header(source.bytes, profile)
        .map_err(|error| Failure { issue: error.into(), after_header: false })?;
    let late = |issue| Failure { issue, after_header: true };
    let body = unpack(source, at, &header, profile, limits).map_err(late)?;
    let packing = body.packing(source, at);
    let (numbering, records) = numbered(&packing, profile, &header, limits).map_err(late)?;
    Ok(Model {
        profile,
        numbering,
        header,
        framing: body.framing,
        records,
        trailing: body.trailing,
        damaged: None,
    })
}

fn header(bytes: &[u8], profile: Profile) -> Result<(Header, usize), ReadError> {
    let mut reader = Reader::new(bytes);
    let header = reader.scope("header", |r| {
        r.bytes("magic", 8)?;
        body::fields(r, profile)
    })?;
    Ok((header, reader.position()))
}

/// A body whose packing was undone.
struct Unpacked {
    framing: Framing,
    /// The inflated bytes; `None` when the body was not packed.
    inflated: Option<SharedBytes>,
    trailing: Vec<u8>,
}

impl Unpacked {
    fn raw() -> Self {
        Self { framing: Framing::Raw, inflated: None, trailing: Vec::new() }
    }

    fn packing<'a>(&'a self, source: Source<'a>, at: usize) -> Packing<'a> {
        let stored = Span::new(at, source.bytes.len().saturating_sub(self.trailing.len()).max(at));
        match &self.inflated {
            None => Packing { source, at, inflated_from: None },
            Some(inflated) => {
                let source = Source { bytes: inflated, file: Some(inflated) };
                Packing { source, at: 0, inflated_from: Some(stored) }
            }
        }
    }
}

fn unpack(
    source: Source<'_>,
    at: usize,
    header: &Header,
    profile: Profile,
    limits: &Limits,
) -> Result<Unpacked, Issue> {
    let packed = source.bytes.get(at..).unwrap_or_default();
    match profile {
        Profile::Spec if header.level > 9 => {
            let message = format!("the level is {}, and 9 is the highest", header.level);
            Err(Issue::new(&codes::LEVEL, "header.level", message).at(Span::new(at.saturating_sub(1), at)))
        }
        // A stream of stored blocks begins with 0x78, which no record does, so level 0 may have one too.
        Profile::Spec if header.level > 0 || packed.first() == Some(&0x78) => {
            if !frame::is_zlib(packed) {
                let message = format!("the level is {}, but no zlib stream follows the header", header.level);
                let end = at.saturating_add(packed.len().min(2));
                return Err(Issue::new(&codes::ZLIB, "body", message).at(Span::new(at, end)));
            }
            let (inflated, used) = frame::inflate_zlib(packed, at, limits)?;
            let trailing = packed.get(used..).unwrap_or_default().to_vec();
            let framing = Framing::Zlib { stored: source.part(at, used) };
            Ok(Unpacked { framing, inflated: Some(inflated.into()), trailing })
        }
        Profile::Libdas2 if frame::is_zstd(packed) => {
            let inflated = frame::inflate_zstd(packed, at, limits)?;
            let framing = Framing::Zstd { stored: source.part(at, packed.len()) };
            Ok(Unpacked { framing, inflated: Some(inflated.into()), trailing: Vec::new() })
        }
        Profile::Spec | Profile::Libdas2 => Ok(Unpacked::raw()),
    }
}

/// The bytes of the records, and where they are.
struct Packing<'a> {
    /// The file, or what was inflated.
    source: Source<'a>,
    /// Where the first of them is in the file; zero for inflated bytes.
    at: usize,
    /// The compressed bytes in the file.
    inflated_from: Option<Span>,
}

impl<'a> Packing<'a> {
    fn reader(&self) -> Reader<'a> {
        self.source.reader(self.at)
    }
}

/// Reads the records with the numbering that fits. Where both do, with the one that leaves less wrong.
fn numbered(
    packing: &Packing<'_>,
    profile: Profile,
    header: &Header,
    limits: &Limits,
) -> Result<(Numbering, Vec<super::Record>), Issue> {
    let read = |numbering, keep| body::read(packing, body::Shape { profile, numbering }, keep, limits);
    let headings = read(Numbering::Headings, body::Keep::All);
    // Buffers and meshes are the same in both, so a file without other records says nothing.
    let shared = |record: &super::Record| matches!(record.kind(), Kind::Buffer | Kind::Mesh);
    let settled = match &headings {
        Ok(records) => records.iter().all(shared),
        // With another numbering it costs as much.
        Err(issue) => issue.code == &diag::LIMIT,
    };
    if profile == Profile::Libdas2 || settled {
        return headings.map(|records| (Numbering::Headings, records));
    }
    let tables = read(Numbering::Tables, body::Keep::Structure);
    match (headings, tables) {
        (Ok(headings), Err(_)) => Ok((Numbering::Headings, headings)),
        (Err(_), Ok(_)) => Ok((Numbering::Tables, read(Numbering::Tables, body::Keep::All)?)),
        (Err(headings), Err(_)) => Err(headings),
        (Ok(headings), Ok(_)) => {
            let tables = read(Numbering::Tables, body::Keep::All)?;
            // With the records, which are too many for a copy.
            let wrong = |numbering, records: Vec<super::Record>| {
                let model = Model {
                    profile,
                    numbering,
                    header: header.clone(),
                    framing: Framing::Raw,
                    records,
                    trailing: Vec::new(),
                    damaged: None,
                };
                (check::broken_references(&model), model.records)
            };
            let (by_headings, headings) = wrong(Numbering::Headings, headings);
            let (by_tables, tables) = wrong(Numbering::Tables, tables);
            match by_tables < by_headings {
                true => Ok((Numbering::Tables, tables)),
                false => Ok((Numbering::Headings, headings)),
            }
        }
    }
}
