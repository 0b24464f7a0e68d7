//! Reading a file piece by piece, so that it need not be in memory.
//!
//! The formats of large meshes (OBJ, STL, PLY) make a Scene from pieces of the file as they come. The way through the
//! file model uses the same code with the bytes that it has, so both give the same Scene.

use std::io::Read;

use super::{ReadOptions, Summary};
use crate::bytes::{Limits, Span};
use crate::diag::{self, Issue, Issues};
use crate::scene::Scene;

/// Makes a Scene from a file that is read from its beginning. The length is that of the file, where it is known.
pub type StreamFn = fn(&mut dyn Read, Option<u64>, &ReadOptions<'_>) -> Result<Streamed, Issue>;

/// A Scene that was read piece by piece.
#[derive(Debug, Default)]
pub struct Streamed {
    /// The Scene; it keeps the rules of [`crate::scene`].
    pub scene: Scene,
    /// What is in the file.
    pub summary: Summary,
    /// What is wrong with the file, and what was decided in reading it.
    pub issues: Issues,
    /// How many bytes were read.
    pub bytes: u64,
}

/// How much of a file is read at once.
pub(super) const BLOCK: usize = 1 << 20;
/// Room for a file that is not large.
const SMALL: u64 = 4 << 10;

/// A piece of a file.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// Its bytes.
    pub(super) bytes: Vec<u8>,
    /// Where in the file they begin.
    pub(super) offset: u64,
}

/// Cuts a file into pieces.
pub(super) struct Blocks<'a> {
    source: &'a mut dyn Read,
    /// What was read and not yet given out.
    rest: Vec<u8>,
    /// Where in the file `rest` begins.
    offset: u64,
    limit: u64,
    /// The longest line of text.
    longest_line: usize,
    /// About how many bytes [`Self::next_lines`] gives.
    block: usize,
    /// Whether lines end with a carriage return alone.
    returns: bool,
    done: bool,
    /// Where what is read counts as input of the job; of bytes in memory it was counted before.
    job: Option<Limits>,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(source: &'a mut dyn Read, options: &ReadOptions<'_>) -> Self {
        Self::of(BLOCK, source, options)
    }

    /// Like [`Self::new`], with blocks of about so many bytes.
    pub(super) fn of(block: usize, source: &'a mut dyn Read, options: &ReadOptions<'_>) -> Self {
        let (limit, longest_line) = (options.limits.file_bytes, options.limits.line_bytes);
        let (rest, job) = (Vec::new(), None);
        Self { source, rest, offset: 0, limit, longest_line, block, returns: false, done: false, job }
    }

    /// Counts what is read as input of the job, by which its budget grows: for files that are not in memory.
    pub(super) fn counted(self, limits: &Limits) -> Self {
        limits.reads(0);
        Self { job: Some(limits.clone()), ..self }
    }

    /// From here on gives line feeds in place of carriage returns.
    pub(super) fn end_lines_at_returns(&mut self) {
        self.returns = true;
        returns_to_feeds(&mut self.rest);
    }

    /// Where the next piece begins: how many bytes were given out.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// The first bytes of what comes next, as many as `n` if there are so many; they come again.
    pub(super) fn peek(&mut self, n: usize) -> Result<&[u8], Issue> {
        let mut buffer = std::mem::take(&mut self.rest);
        let filled = self.fill(&mut buffer, n);
        self.rest = buffer;
        filled?;
        Ok(self.rest.get(..n.min(self.rest.len())).unwrap_or_default())
    }

    /// The next `n` bytes, fewer at the end of the file.
    pub(super) fn next_bytes(&mut self, n: usize) -> Result<Block, Issue> {
        let mut bytes = std::mem::take(&mut self.rest);
        self.fill(&mut bytes, n)?;
        if bytes.len() > n {
            self.rest = bytes.split_off(n);
        }
        let offset = self.offset;
        self.offset += bytes.len() as u64;
        Ok(Block { bytes, offset })
    }

    /// The next bytes up to and with the end of a line, about as many as a block has; `None` at the end of the file. A line
    /// that ends with a backslash goes on in the next.
    pub(super) fn next_lines(&mut self) -> Result<Option<Block>, Issue> {
        let mut bytes = std::mem::take(&mut self.rest);
        let mut wanted = self.block;
        let end = loop {
            self.fill(&mut bytes, wanted)?;
            if bytes.len() < wanted {
                break bytes.len();
            }
            match last_line_end(&bytes) {
                Some(end) => break end,
                None if bytes.len() >= self.longest_line => {
                    let message = format!("no line ends within {} bytes", self.longest_line);
                    let span = Span { start: self.offset, end: self.offset + bytes.len() as u64 };
                    return Err(Issue::new(&diag::LINE_TOO_LONG, "", message).at(span));
                }
                None => wanted *= 2,
            }
        };
        if bytes.is_empty() {
            return Ok(None);
        }
        self.rest = bytes.split_off(end);
        let offset = self.offset;
        self.offset += bytes.len() as u64;
        Ok(Some(Block { bytes, offset }))
    }

    /// Reads until the buffer holds `n` bytes, or to the end of the file.
    fn fill(&mut self, buffer: &mut Vec<u8>, n: usize) -> Result<(), Issue> {
        let missing = n.saturating_sub(buffer.len()) as u64;
        if self.done || missing == 0 {
            return Ok(());
        }
        // Most files are small; only of a large one whole blocks are worth making room for.
        let room = if self.offset == 0 { missing.min(SMALL) } else { missing };
        buffer.reserve_exact(room as usize);
        let before = buffer.len();
        let mut limited = (&mut *self.source).take(missing);
        let read = limited.read_to_end(buffer).map_err(|error| {
            let at = self.offset + buffer.len() as u64;
            let message = format!("it could not be read further than byte {at}: {error}");
            Issue::new(&diag::UNREADABLE, "", message).at(Span { start: at, end: at })
        })?;
        if self.returns {
            returns_to_feeds(buffer.get_mut(before..).unwrap_or_default());
        }
        if let Some(job) = &self.job {
            job.reads_more(read);
        }
        self.done = (read as u64) < missing;
        let so_far = self.offset + buffer.len() as u64;
        if so_far > self.limit {
            let message = format!("{so_far} bytes are more than the limit of {}", self.limit);
            return Err(Issue::new(&diag::LIMIT, "", message).at(Span { start: 0, end: so_far }));
        }
        Ok(())
    }
}

fn returns_to_feeds(text: &mut [u8]) {
    text.iter_mut().filter(|byte| **byte == b'\r').for_each(|byte| *byte = b'\n');
}

/// One past the last end of a line that does not go on in the next.
fn last_line_end(bytes: &[u8]) -> Option<usize> {
    let mut before = bytes;
    loop {
        let end = before.iter().rposition(|byte| *byte == b'\n')?;
        before = before.get(..end)?;
        let line = before.strip_suffix(b"\r").unwrap_or(before);
        if line.last() != Some(&b'\\') {
            return Some(end + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_end_with_lines_and_give_every_byte_once() {
        let mut text = Vec::new();
        for i in 0..200_000 {
            text.extend_from_slice(format!("line {i}{}\n", if i % 7 == 0 { " \\" } else { "" }).as_bytes());
        }
        let mut source = &text[..];
        let options = ReadOptions::default();
        let mut blocks = Blocks::new(&mut source, &options);
        let mut all = blocks.peek(6).unwrap().to_vec();
        assert_eq!(all, b"line 0");
        all.clear();
        while let Some(block) = blocks.next_lines().unwrap() {
            assert_eq!(block.offset, all.len() as u64);
            all.extend_from_slice(&block.bytes);
            assert!(all.ends_with(b"\n") && !all.ends_with(b"\\\n") || all.len() == text.len());
        }
        assert!(all == text);
    }

    #[test]
    fn a_line_without_end_is_refused() {
        let text = vec![b'x'; ReadOptions::default().limits.line_bytes * 2 + 5];
        let mut source = &text[..];
        let issue = Blocks::new(&mut source, &ReadOptions::default()).next_lines().unwrap_err();
        assert_eq!(issue.code.id, "file/line-too-long");
    }
}
