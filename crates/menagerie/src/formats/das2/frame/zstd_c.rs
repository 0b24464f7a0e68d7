//! zstd by its own library.

use std::io::{Read, Result, Write as _};

/// The largest window, as a power of two: the format's library's highest level needs 23.
const WINDOW: u32 = 24;

/// The content of all frames in `bytes`, joined.
pub(super) fn decoder(bytes: &[u8]) -> Result<impl Read> {
    let mut decoder = ::zstd::stream::read::Decoder::with_buffer(bytes)?;
    decoder.window_log_max(WINDOW)?;
    Ok(decoder)
}

/// One frame, without size and checksum.
pub(super) fn pack(bytes: &[u8], strength: i32) -> Result<Vec<u8>> {
    let mut encoder = ::zstd::stream::write::Encoder::new(Vec::new(), strength)?;
    encoder.include_contentsize(false)?;
    encoder.include_checksum(false)?;
    // Small bodies get small tables, which are quickly set up.
    encoder.set_pledged_src_size(Some(bytes.len() as u64))?;
    encoder.write_all(bytes)?;
    encoder.finish()
}
