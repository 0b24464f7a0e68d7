//! Large files that are read piece by piece.

use std::fs::File;
use std::io::Read;

use menagerie::diag::Issue;
use menagerie::formats::Format;

use crate::inputs::{Input, Source};
use crate::options::Finding;

/// Files from this size on are read piece by piece where their format can.
const STREAM_FROM: u64 = 4 << 20;
/// So many bytes tell the format.
const START: u64 = 128 << 10;

/// A large file that can be read piece by piece.
pub(crate) struct Large {
    pub(crate) file: File,
    pub(crate) length: u64,
    pub(crate) format: &'static Format,
    /// That the name says something else than the bytes.
    pub(crate) warning: Option<Issue>,
}

/// The input, if it is a large file of a format that is read piece by piece.
pub(crate) fn open(input: &Input, finding: &Finding) -> Option<Large> {
    let Source::File(path) = &input.source else { return None };
    let length = std::fs::metadata(path).ok().filter(|data| data.is_file()).map(|data| data.len())?;
    if length < threshold() {
        return None;
    }
    let mut start = Vec::new();
    File::open(path).ok()?.take(START).read_to_end(&mut start).ok()?;
    let (format, warning) = match finding.from {
        Some(format) => (format, None),
        None => Format::detect(&start, input.hint()).ok()?,
    };
    format.stream?;
    Some(Large { file: File::open(path).ok()?, length, format, warning })
}

/// A test may ask for pieces of small files.
fn threshold() -> u64 {
    let asked = std::env::var("MENAGERIE_STREAM_FROM").ok().and_then(|bytes| bytes.parse().ok());
    asked.unwrap_or(STREAM_FROM)
}
