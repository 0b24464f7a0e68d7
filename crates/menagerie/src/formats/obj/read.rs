use std::io::Read;

use super::build;
use super::codes;
use super::gather::{Gathered, Gatherer};
use super::materials;
use super::model::{Library, Model, summary};
use super::mtl::{self, Entry};
use super::parse::{Piece, Place, parse};
use crate::bytes::{Span, tokens, utf8_or_windows_1252};
use crate::diag::{Issue, Issues};
use crate::formats::ReadOptions;
use crate::formats::stream::{Block, Blocks, Streamed};
use crate::scene::Scene;

/// Blocks that are read before they are looked at, on all cores.
const BATCH: usize = 8;

/// Reads a file and its material libraries. What can be forgiven goes to `issues`; what cannot is the error.
pub fn read(bytes: &[u8], options: &ReadOptions<'_>, issues: &mut Issues) -> Result<Model, Issue> {
    let mut source = bytes;
    let gathered = gather(&mut Blocks::new(&mut source, options), options, issues)?;
    let (libraries, entries) = libraries(&gathered, options, issues);
    Ok(Model { text: bytes.to_vec(), gathered, libraries, entries })
}

/// Makes a Scene of a file that is not in memory.
pub(super) fn stream(
    source: &mut dyn Read,
    _: Option<u64>,
    options: &ReadOptions<'_>,
) -> Result<Streamed, Issue> {
    let mut issues = Issues::new(options.limits.issues_per_code);
    let mut blocks = Blocks::new(source, options);
    let gathered = gather(&mut blocks, options, &mut issues)?;
    let (_, entries) = libraries(&gathered, options, &mut issues);
    let summary = summary(&gathered);
    Ok(Streamed { scene: scene(gathered, &entries), summary, issues, bytes: blocks.offset() })
}

/// The Scene of what was gathered.
pub(super) fn scene(gathered: Gathered, entries: &[Entry]) -> Scene {
    let mut scene = Scene::default();
    let ids = materials::add(&gathered.materials, entries, &mut scene);
    build::add(gathered, &ids, &mut scene);
    scene
}

/// Blocks with the number of lines before each.
type Batch = Vec<(Block, usize)>;

fn gather(
    blocks: &mut Blocks<'_>,
    options: &ReadOptions<'_>,
    issues: &mut Issues,
) -> Result<Gathered, Issue> {
    let per_code = options.limits.issues_per_code;
    let mut gatherer = Gatherer::new(per_code);
    let mut lines = 0;
    let mut batch = next_batch(blocks, &mut lines)?;
    let mut pieces = parse_all(&batch, per_code);
    while !batch.is_empty() {
        let next = next_batch(blocks, &mut lines)?;
        // While one batch is put together, the next is read.
        let ((), parsed) = both(
            || {
                for ((block, _), piece) in batch.iter().zip(std::mem::take(&mut pieces)) {
                    add(&mut gatherer, piece, block, per_code);
                }
            },
            || parse_all(&next, per_code),
        );
        pieces = parsed;
        batch = next;
    }
    let (gathered, found) = gatherer.finish(blocks.offset());
    issues.append(found);
    if gathered.statements == 0 && issues.iter().any(|issue| issue.code.id == codes::UNKNOWN.id) {
        let message = "no line of it is one of an OBJ file";
        return Err(Issue::new(&codes::NOT_A_MODEL, "", message).at(Span { start: 0, end: blocks.offset() }));
    }
    Ok(gathered)
}

fn add(gatherer: &mut Gatherer, piece: Piece, block: &Block, per_code: usize) {
    let piece = match piece.needs_counts {
        false => piece,
        true => {
            let place = Place {
                offset: block.offset,
                lines: gatherer.lines(),
                counts: Some(gatherer.counts()),
                issues_per_code: per_code,
            };
            parse(&block.bytes, place)
        }
    };
    gatherer.add(piece, &block.bytes, block.offset);
}

fn next_batch(blocks: &mut Blocks<'_>, lines: &mut usize) -> Result<Batch, Issue> {
    let mut batch = Vec::new();
    while batch.len() < BATCH
        && let Some(block) = blocks.next_lines()?
    {
        let ends = block.bytes.iter().filter(|byte| **byte == b'\n').count();
        batch.push((block, *lines));
        *lines += ends;
    }
    Ok(batch)
}

fn parse_one((block, lines): &(Block, usize), issues_per_code: usize) -> Piece {
    parse(&block.bytes, Place { offset: block.offset, lines: *lines, counts: None, issues_per_code })
}

#[cfg(feature = "parallel")]
fn parse_all(batch: &Batch, per_code: usize) -> Vec<Piece> {
    use rayon::prelude::*;
    batch.par_iter().map(|block| parse_one(block, per_code)).collect()
}

#[cfg(not(feature = "parallel"))]
fn parse_all(batch: &Batch, per_code: usize) -> Vec<Piece> {
    batch.iter().map(|block| parse_one(block, per_code)).collect()
}

#[cfg(feature = "parallel")]
fn both<A: Send, B: Send>(a: impl FnOnce() -> A + Send, b: impl FnOnce() -> B + Send) -> (A, B) {
    rayon::join(a, b)
}

#[cfg(not(feature = "parallel"))]
fn both<A, B>(a: impl FnOnce() -> A, b: impl FnOnce() -> B) -> (A, B) {
    (a(), b())
}

/// The libraries that the file names. A name may have blanks, or be several names: first the whole is looked for.
fn libraries(
    gathered: &Gathered,
    options: &ReadOptions<'_>,
    issues: &mut Issues,
) -> (Vec<Library>, Vec<Entry>) {
    let mut found: Vec<Library> = Vec::new();
    let mut entries = Vec::new();
    for (line, span) in &gathered.libraries {
        let whole = utf8_or_windows_1252(line);
        let names = match options.files.open(&whole) {
            Ok(_) => vec![whole],
            Err(_) => tokens(line).map(utf8_or_windows_1252).collect(),
        };
        for name in names {
            if found.iter().any(|library| library.name == name) {
                continue;
            }
            match options.files.open(&name) {
                Ok(text) => {
                    mtl::read(&text, &name, *span, &mut entries, issues);
                    found.push(Library { name, text });
                }
                Err(missing) => {
                    let why = if missing.reason.is_empty() { "it is not there" } else { &missing.reason };
                    let message = format!("{name} was not found: {why}");
                    issues.push(Issue::new(&codes::MTL_NOT_FOUND, "mtllib", message).at(*span));
                }
            }
        }
    }
    if !found.is_empty() {
        for name in &gathered.materials {
            let name = utf8_or_windows_1252(name);
            if let (false, Some((_, span))) =
                (entries.iter().any(|entry| entry.name == name), gathered.libraries.first())
            {
                let message = format!("{name} is in no library that was found");
                issues.push(Issue::new(&codes::MATERIAL_MISSING, "mtllib", message).at(*span));
            }
        }
    }
    (found, entries)
}
