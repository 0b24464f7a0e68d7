//! Bytes to file model, and whether they are words or records; also from a stream.

use std::io::Read;

use zerocopy::{FromBytes, IntoBytes};

use super::build::Builder;
use super::model::{Ascii, Binary, Facet, Model, summary_ascii, summary_binary};
use super::{FACET, FACETS, check, codes, text};
use crate::bytes::Span;
use crate::diag::{Aspect, Issue, Issues};
use crate::formats::ReadOptions;
use crate::formats::stream::{Block, Blocks, Streamed};

/// Facets that are read at once.
const FACETS_AT_ONCE: usize = 16 << 10;

/// Whether a file is words or records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Binary,
    Ascii,
}

/// The form of a file, from its first bytes and its length; `None` when it is no STL file at all.
///
/// Many programs begin the header of binary files with the word `solid`, so that it proves nothing: first the size is
/// compared with the count, then the beginning is looked at for bytes that no text has.
pub(super) fn form(start: &[u8], length: Option<u64>) -> Option<Form> {
    let count =
        start.get(80..FACETS).and_then(|bytes| <[u8; 4]>::try_from(bytes).ok()).map(u32::from_le_bytes);
    let expected = count.map(|count| FACETS as u64 + u64::from(count) * FACET as u64);
    if expected.is_some() && expected == length {
        return Some(Form::Binary);
    }
    let start = start.get(..start.len().min(1024)).unwrap_or_default();
    let is_text = !start.iter().any(|byte| *byte < 9 || (14..32).contains(byte) || *byte == 127);
    let word: Vec<u8> = start.trim_ascii_start().iter().take(6).map(u8::to_ascii_lowercase).collect();
    let begins = word.starts_with(b"solid") && word.get(5).is_none_or(u8::is_ascii_whitespace);
    if is_text && (begins || word == b"facet ") {
        return Some(Form::Ascii);
    }
    // Text in the header of a file that is cut off, or has too much.
    (begins && !is_text && start.len() >= FACETS).then_some(Form::Binary)
}

/// Reads a file. What can be forgiven goes to `issues`; what cannot is the error.
pub fn read(bytes: &[u8], options: &ReadOptions<'_>, issues: &mut Issues) -> Result<Model, Issue> {
    if assumed_form(bytes, Some(bytes.len() as u64)) == Form::Ascii {
        let mut source = bytes;
        let solids = text::read(&mut Blocks::new(&mut source, options), issues)?;
        return Ok(Model::Ascii(Ascii { text: bytes.to_vec(), solids }));
    }
    let (header, count) = header(bytes)?;
    let body = bytes.get(FACETS..).unwrap_or_default();
    let wanted = usize::try_from(count).unwrap_or(usize::MAX).min(body.len() / FACET);
    let (records, trailing) = body.split_at_checked(wanted.saturating_mul(FACET)).unwrap_or((body, &[]));
    let mut facets = vec![Facet::default(); wanted];
    facets.as_mut_slice().as_mut_bytes().copy_from_slice(records);
    let stated_count = (u32::try_from(wanted) != Ok(count)).then_some(count);
    report_count(wanted as u64, count, trailing.len() as u64, issues);
    Ok(Model::Binary(Binary { header, stated_count, facets, trailing: trailing.to_vec() }))
}

/// What is no STL file by its looks is read as a binary one: somebody says that it is STL.
fn assumed_form(start: &[u8], length: Option<u64>) -> Form {
    form(start, length).unwrap_or(Form::Binary)
}

fn header(bytes: &[u8]) -> Result<([u8; 80], u32), Issue> {
    let header = bytes.first_chunk::<80>();
    let count = bytes.get(80..FACETS).and_then(|bytes| bytes.first_chunk::<4>());
    match (header, count) {
        (Some(header), Some(count)) => Ok((*header, u32::from_le_bytes(*count))),
        _ => {
            let message = format!("{} bytes are too few for the header and the count", bytes.len());
            Err(Issue::new(&codes::TOO_SHORT, "header", message).at(Span::new(0, bytes.len())))
        }
    }
}

/// Compares the count with what is there.
fn report_count(found: u64, count: u32, left_over: u64, issues: &mut Issues) {
    if found < u64::from(count) {
        let message = format!("the count is {count}, but only {found} facets follow");
        issues.push(Issue::new(&codes::COUNT_PAST_END, "count", message).at(Span::new(80, FACETS)));
        let missing = usize::try_from(u64::from(count) - found).unwrap_or(usize::MAX);
        issues.give_up(Aspect::Topology, "triangles", "facets", (missing, count as usize));
    }
    if left_over > 0 {
        let start = FACETS as u64 + found * FACET as u64;
        let message = format!("{left_over} bytes follow the last facet");
        if found >= u64::from(count) {
            issues.leave_out(Aspect::Extras, "bytes after the last facet are left out", "trailing", 1);
        }
        let span = Span { start, end: start + left_over };
        issues.push(Issue::new(&codes::TRAILING_BYTES, "trailing", message).at(span));
    }
}

/// Makes a Scene of a file that is not in memory.
pub(super) fn stream(
    source: &mut dyn Read,
    length: Option<u64>,
    options: &ReadOptions<'_>,
) -> Result<Streamed, Issue> {
    let mut issues = Issues::new(options.limits.issues_per_code);
    let mut blocks = Blocks::new(source, options).counted(&options.limits);
    let start = blocks.peek(1024)?.to_vec();
    if assumed_form(&start, length) == Form::Ascii {
        let solids = text::read(&mut blocks, &mut issues)?;
        let triangles = solids.iter().map(|solid| solid.corners.len() / 3).sum();
        let summary = summary_ascii(solids.len(), triangles);
        return Ok(Streamed {
            scene: super::lift::of_solids(solids),
            summary,
            issues,
            bytes: blocks.offset(),
        });
    }
    let (header, count) = header(&start)?;
    blocks.next_bytes(FACETS)?;
    let known = length.map_or(0, |length| length.saturating_sub(FACETS as u64) / FACET as u64);
    let mut builder = Builder::new(known.min(u64::from(count)) as usize);
    let mut found: u64 = 0;
    while found < u64::from(count) {
        let wanted = (u64::from(count) - found).min(FACETS_AT_ONCE as u64) as usize;
        let Block { bytes, offset: _ } = blocks.next_bytes(wanted * FACET)?;
        let (facets, _) =
            <[Facet]>::ref_from_prefix_with_elems(&bytes, bytes.len() / FACET).unwrap_or((&[], &[]));
        check::facets(facets, found as usize, &header, &mut issues);
        builder.add(facets);
        found += facets.len() as u64;
        if facets.len() < wanted {
            let left_over = (bytes.len() % FACET) as u64;
            report_count(found, count, left_over, &mut issues);
            return finish(builder, &header, found, issues, blocks.offset());
        }
    }
    let mut left_over = 0;
    loop {
        let block = blocks.next_bytes(FACETS_AT_ONCE)?;
        left_over += block.bytes.len() as u64;
        if block.bytes.is_empty() {
            break;
        }
    }
    report_count(found, count, left_over, &mut issues);
    finish(builder, &header, found, issues, blocks.offset())
}

fn finish(
    builder: Builder,
    header: &[u8; 80],
    found: u64,
    issues: Issues,
    bytes: u64,
) -> Result<Streamed, Issue> {
    let summary = summary_binary(found as usize);
    Ok(Streamed { scene: builder.finish(header), summary, issues, bytes })
}
