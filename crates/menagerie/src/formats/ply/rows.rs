//! The rows of a binary file, one after the other, of elements whose rows differ in length.

use super::header::{Element, Form, PropertyKind};
use crate::bytes::{Limits, Span};
use crate::diag::{Issue, TRUNCATED};
use crate::formats::stream::{BLOCK, Blocks};

/// Bytes that were read and not yet used.
pub(super) struct Rows<'a, 'b> {
    pub(super) blocks: &'a mut Blocks<'b>,
    buffer: Vec<u8>,
    used: usize,
    /// The longest row.
    longest: usize,
}

impl<'a, 'b> Rows<'a, 'b> {
    pub(super) fn new(blocks: &'a mut Blocks<'b>, limits: &Limits) -> Self {
        Self { blocks, buffer: Vec::new(), used: 0, longest: limits.row_bytes }
    }

    /// Where in the file the next byte is.
    pub(super) fn position(&self) -> u64 {
        self.blocks.offset() - (self.buffer.len() - self.used) as u64
    }

    /// What was read and not yet used.
    pub(super) fn left(&self) -> &[u8] {
        self.buffer.get(self.used..).unwrap_or_default()
    }

    /// Goes on by some bytes.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.used = (self.used + bytes).min(self.buffer.len());
    }

    /// Reads until at least `n` bytes are there; false at the end of the file.
    pub(super) fn fill(&mut self, n: usize) -> Result<bool, Issue> {
        while self.left().len() < n {
            self.buffer.drain(..self.used.min(self.buffer.len()));
            self.used = 0;
            let block = self.blocks.next_bytes(BLOCK.max(n - self.buffer.len()))?;
            if block.bytes.is_empty() {
                return Ok(false);
            }
            if self.buffer.is_empty() {
                self.buffer = block.bytes;
            } else {
                self.buffer.extend_from_slice(&block.bytes);
            }
        }
        Ok(true)
    }

    /// The length of the next row, all of which is in [`Rows::left`] then; `None` when the file ends before it does.
    pub(super) fn row(&mut self, element: &Element, form: Form) -> Result<Option<usize>, Issue> {
        let mut bytes = 0usize;
        for property in &element.properties {
            match property.kind {
                PropertyKind::Scalar(scalar) => bytes += scalar.size(),
                PropertyKind::List { count, item } => {
                    if !self.fill(bytes + count.size())? {
                        return Ok(None);
                    }
                    let length =
                        self.left().get(bytes..).and_then(|left| count.read(left, form)).unwrap_or(0.0);
                    let items = (length.max(0.0) as usize).saturating_mul(item.size());
                    bytes = bytes.saturating_add(count.size()).saturating_add(items);
                }
            }
            if bytes > self.longest {
                let start = self.position();
                let message =
                    format!("a list of {bytes} bytes is longer than the file, or than any sensible one");
                let span = Span { start, end: start + self.left().len().min(16) as u64 };
                return Err(Issue::new(&super::codes::LIST_LENGTH, element.name.clone(), message).at(span));
            }
        }
        Ok(self.fill(bytes)?.then_some(bytes))
    }

    /// That the file ends before all rows were there.
    pub(super) fn truncated(&self, element: &Element, found: u64) -> Issue {
        let start = self.position();
        let end = start + self.left().len() as u64;
        let message = format!("the file ends after {found} of {} rows of {}", element.count, element.name);
        Issue::new(&TRUNCATED, format!("{}[{found}]", element.name), message).at(Span { start, end })
    }
}
