//! Text to what is in it, in blocks on all cores; also from a stream.

use std::collections::BTreeSet;
use std::io::Read;

use super::codes;
use super::gather::{Gathered, Gatherer};
use super::lift::{self, materials};
use super::model::{Library, Model, summary};
use super::parse::mtl::{self, Entry};
use super::parse::{Piece, Place, parse};
use crate::bytes::{Span, tokens, utf8_or_windows_1252};
use crate::diag::{Aspect, Issue, Issues};
use crate::formats::ReadOptions;
use crate::formats::stream::{Block, Blocks, Streamed};
use crate::scene::Scene;

/// How much of a file is parsed at once: what is made of it stays in the cache of one core.
const BLOCK: usize = 256 << 10;
/// Blocks that are read before they are looked at, on all cores.
const BATCH: usize = 16;

/// Reads a file and its material libraries. What can be forgiven goes to `issues`; what cannot is the error.
pub fn read(bytes: &[u8], options: &ReadOptions<'_>, issues: &mut Issues) -> Result<Model, Issue> {
    let mut source = bytes;
    let gathered = gather(&mut Blocks::of(BLOCK, &mut source, options), options, issues)?;
    let (libraries, entries) = libraries(&gathered, options, issues);
    Ok(Model { text: options.keep(bytes), gathered: gathered.into(), libraries, entries })
}

/// What is in text that is known to be good.
pub(super) fn gathered_again(text: &[u8]) -> Gathered {
    let options = ReadOptions::default();
    let mut source = text;
    let mut blocks = Blocks::of(BLOCK, &mut source, &options);
    gather(&mut blocks, &options, &mut Issues::default()).unwrap_or_default()
}

/// Makes a Scene of a file that is not in memory.
pub(super) fn stream(
    source: &mut dyn Read,
    _: Option<u64>,
    options: &ReadOptions<'_>,
) -> Result<Streamed, Issue> {
    let mut issues = Issues::new(options.limits.issues_per_code);
    let mut blocks = Blocks::of(BLOCK, source, options).counted(&options.limits);
    let gathered = gather(&mut blocks, options, &mut issues)?;
    let (_, entries) = libraries(&gathered, options, &mut issues);
    let summary = summary(&gathered);
    let scene = scene(gathered, &entries, &mut issues);
    Ok(Streamed { scene, summary, issues, bytes: blocks.offset() })
}

/// The Scene of what was gathered; what it had to give up is counted.
pub(super) fn scene(gathered: Gathered, entries: &[Entry], issues: &mut Issues) -> Scene {
    let mut scene = Scene::default();
    let ids = materials::add(&gathered.materials, entries, &mut scene);
    lift::add(gathered, &ids, &mut scene, issues);
    scene
}

fn gather(
    blocks: &mut Blocks<'_>,
    options: &ReadOptions<'_>,
    issues: &mut Issues,
) -> Result<Gathered, Issue> {
    let per_code = options.limits.issues_per_code;
    let mut gatherer = Gatherer::new(&options.limits);
    let start = blocks.peek(BLOCK)?;
    let utf16 = start.starts_with(&[0xFF, 0xFE]) || start.starts_with(&[0xFE, 0xFF]);
    // Old Macintosh programs end lines so.
    if start.contains(&b'\r') && !start.contains(&b'\n') {
        blocks.end_lines_at_returns();
    }
    let mut parsed = Parsed::default();
    let mut batch = next_batch(blocks)?;
    while !(batch.is_empty() && parsed.batch.is_empty()) {
        let lines = gatherer.lines() + parsed.pieces.iter().map(|piece| piece.lines).sum::<usize>();
        // While one batch is put together, the next is parsed, and the one after it is read.
        let (pieces, coming) = all_at_once(
            || parsed.add_to(&mut gatherer, per_code),
            || parse_all(&batch, lines, per_code),
            || next_batch(blocks),
        );
        parsed = Parsed { batch: std::mem::replace(&mut batch, coming?), pieces };
    }
    let (gathered, found) = gatherer.finish(blocks.offset());
    issues.append(found);
    if gathered.statements == 0 && issues.iter().any(|issue| issue.code.id == codes::UNKNOWN.id) {
        let message = match utf16 {
            true => "it is text in UTF-16; save it as UTF-8",
            false => "no line of it is one of an OBJ file",
        };
        return Err(Issue::new(&codes::NOT_A_MODEL, "", message).at(Span { start: 0, end: blocks.offset() }));
    }
    Ok(gathered)
}

/// Blocks and what is in them.
#[derive(Default)]
struct Parsed {
    batch: Vec<Block>,
    pieces: Vec<Piece>,
}

impl Parsed {
    fn add_to(&mut self, gatherer: &mut Gatherer, per_code: usize) {
        for (block, mut piece) in self.batch.drain(..).zip(self.pieces.drain(..)) {
            if piece.needs_counts {
                let place = Place {
                    offset: block.offset,
                    lines: gatherer.lines(),
                    earlier: &[],
                    counts: Some(gatherer.counts()),
                    issues_per_code: per_code,
                };
                piece = parse(&block.bytes, place);
            }
            gatherer.add(piece, &block.bytes, block.offset);
        }
    }
}

fn next_batch(blocks: &mut Blocks<'_>) -> Result<Vec<Block>, Issue> {
    let mut batch = Vec::new();
    while batch.len() < BATCH
        && let Some(block) = blocks.next_lines()?
    {
        batch.push(block);
    }
    Ok(batch)
}

/// One of the blocks of a batch, which has so many lines before it.
fn parse_one(batch: &[Block], i: usize, lines: usize, issues_per_code: usize) -> Piece {
    let (earlier, rest) = batch.split_at_checked(i).unwrap_or_default();
    let Some(block) = rest.first() else { return Piece::default() };
    parse(&block.bytes, Place { offset: block.offset, lines, earlier, counts: None, issues_per_code })
}

#[cfg(feature = "parallel")]
fn parse_all(batch: &[Block], lines: usize, per_code: usize) -> Vec<Piece> {
    use rayon::prelude::*;
    (0..batch.len()).into_par_iter().with_max_len(1).map(|i| parse_one(batch, i, lines, per_code)).collect()
}

#[cfg(not(feature = "parallel"))]
fn parse_all(batch: &[Block], lines: usize, per_code: usize) -> Vec<Piece> {
    (0..batch.len()).map(|i| parse_one(batch, i, lines, per_code)).collect()
}

/// Does three things, the third on this thread.
#[cfg(feature = "parallel")]
fn all_at_once<B: Default + Send, C>(
    first: impl FnOnce() + Send,
    second: impl FnOnce() -> B + Send,
    third: impl FnOnce() -> C,
) -> (B, C) {
    let mut found = B::default();
    let here = rayon::in_place_scope(|scope| {
        scope.spawn(|_| found = second());
        scope.spawn(|_| first());
        third()
    });
    (found, here)
}

#[cfg(not(feature = "parallel"))]
fn all_at_once<B, C>(first: impl FnOnce(), second: impl FnOnce() -> B, third: impl FnOnce() -> C) -> (B, C) {
    first();
    (second(), third())
}

/// The libraries that the file names. A name may have blanks, or be several names: first the whole is looked for.
fn libraries(
    gathered: &Gathered,
    options: &ReadOptions<'_>,
    issues: &mut Issues,
) -> (Vec<Library>, Vec<Entry>) {
    let mut found: Vec<Library> = Vec::new();
    let mut entries = Vec::new();
    let mut named = BTreeSet::new();
    for (line, span) in &gathered.libraries {
        let whole = utf8_or_windows_1252(line);
        if named.contains(&whole) {
            continue;
        }
        let names = match options.files.open(&whole) {
            Ok(_) => vec![whole],
            Err(_) => tokens(line).map(utf8_or_windows_1252).collect(),
        };
        for name in names {
            let number = named.len();
            if !named.insert(name.clone()) {
                continue;
            }
            match options.files.open(&name) {
                Ok(text) => {
                    let source = mtl::Source { name: &name, number, named_at: *span };
                    mtl::read(&text, source, &mut entries, issues);
                    found.push(Library { name, text });
                }
                Err(missing) => {
                    let why = if missing.reason.is_empty() { "it is not there" } else { &missing.reason };
                    let message = format!("{name} was not found: {why}");
                    issues.push(Issue::new(&codes::MTL_NOT_FOUND, "mtllib", message).at(*span));
                    issues.give_up(Aspect::Materials, "material libraries", "mtllib", (1, 1));
                }
            }
        }
    }
    if let (false, Some((_, span))) = (found.is_empty(), gathered.libraries.first()) {
        let described: BTreeSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
        for name in &gathered.materials {
            let name = utf8_or_windows_1252(name);
            if !described.contains(name.as_str()) {
                let message = format!("{name} is in no library that was found");
                issues.push(Issue::new(&codes::MATERIAL_MISSING, "mtllib", message).at(*span));
                issues.give_up(Aspect::Materials, "materials", "mtllib", (1, 1));
            }
        }
    }
    (found, entries)
}
