//! The two compressions of a body: zlib in the document's profile, zstd in the library's.

mod pieces;
#[cfg_attr(target_family = "wasm", path = "zstd_rust.rs")]
#[cfg_attr(not(target_family = "wasm"), path = "zstd_c.rs")]
mod zstd;
#[cfg(all(test, not(target_family = "wasm")))]
mod zstd_rust;

use std::io::{Read, Write as _};

use super::codes;
use crate::bytes::{Limits, Span, extend_tight};
use crate::diag::{self, Code, Issue};

/// The first bytes of a zstd frame.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];
/// Small bodies may inflate to this, whatever the ratio is.
const ALWAYS_ALLOWED: u64 = 1 << 20;
/// How much is inflated at a time.
const CHUNK: usize = 1 << 16;

/// Whether bytes begin like a zlib stream: deflate, and a header whose check is right.
pub(super) fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [cmf, flg, ..] if cmf & 0x0F == 8 && (u16::from(*cmf) * 256 + u16::from(*flg)).is_multiple_of(31))
}

/// Whether bytes begin like a zstd frame.
pub(super) fn is_zstd(bytes: &[u8]) -> bool {
    bytes.starts_with(&ZSTD_MAGIC)
}

/// The inflated bytes of the zlib stream that `bytes` begins with, and how long the stream is. `at` is where it is.
pub(super) fn inflate_zlib(bytes: &[u8], at: usize, limits: &Limits) -> Result<(Vec<u8>, usize), Issue> {
    let mut decoder = flate2::bufread::ZlibDecoder::new(bytes);
    let inflated = read_all(&mut decoder, bytes.len(), at, limits, &codes::ZLIB, "the zlib stream")?;
    let used = usize::try_from(decoder.total_in()).unwrap_or(bytes.len());
    Ok((inflated, used))
}

/// The inflated bytes of all zstd frames in `bytes`, joined.
pub(super) fn inflate_zstd(bytes: &[u8], at: usize, limits: &Limits) -> Result<Vec<u8>, Issue> {
    let broken = |error: std::io::Error| {
        Issue::new(&codes::ZSTD, "body", format!("the zstd frames are broken: {error}")).at(span(bytes, at))
    };
    let mut decoder = zstd::decoder(bytes).map_err(broken)?;
    read_all(&mut decoder, bytes.len(), at, limits, &codes::ZSTD, "the zstd frames")
}

/// What can be inflated of a zlib stream that is broken; `None` for nothing.
pub(super) fn inflate_some_zlib(bytes: &[u8], limits: &Limits) -> Option<Vec<u8>> {
    some(&mut flate2::bufread::ZlibDecoder::new(bytes), bytes.len(), limits)
}

/// What can be inflated of zstd frames that are broken; `None` for nothing.
pub(super) fn inflate_some_zstd(bytes: &[u8], limits: &Limits) -> Option<Vec<u8>> {
    some(&mut zstd::decoder(bytes).ok()?, bytes.len(), limits)
}

fn some(decoder: &mut impl Read, compressed: usize, limits: &Limits) -> Option<Vec<u8>> {
    let by_ratio = (compressed as u64).saturating_mul(limits.inflate_ratio).max(ALWAYS_ALLOWED);
    let allowed = by_ratio.min(limits.inflated_bytes);
    let mut inflated = Vec::new();
    // Small pieces, for what a failing read has inflated before it fails is lost.
    let mut chunk = vec![0; 256];
    while let Ok(read) = decoder.read(&mut chunk) {
        let too_much = (inflated.len() as u64).saturating_add(read as u64) > allowed;
        if read == 0 || too_much || limits.take((read + read / 8) as u64).is_err() {
            break;
        }
        extend_tight(&mut inflated, chunk.get(..read).unwrap_or_default());
    }
    (!inflated.is_empty()).then_some(inflated)
}

/// Whether a packed stream inflates to `body` and nothing else.
pub(super) fn says(packed: &[u8], body: &[u8], zstd: bool) -> bool {
    let limits = Limits {
        inflated_bytes: (body.len() as u64).saturating_add(1),
        inflate_ratio: u64::MAX,
        memory_bytes: u64::MAX,
        ..Limits::default()
    };
    let inflated = match zstd {
        true => inflate_zstd(packed, 0, &limits).ok(),
        false => inflate_zlib(packed, 0, &limits).ok().map(|(inflated, _)| inflated),
    };
    inflated.as_deref() == Some(body)
}

fn span(bytes: &[u8], at: usize) -> Span {
    Span::new(at, at.saturating_add(bytes.len()))
}

/// Inflates piece by piece, so that no more memory is used than the limits allow, whatever the file claims.
fn read_all(
    decoder: &mut impl Read,
    compressed: usize,
    at: usize,
    limits: &Limits,
    code: &'static Code,
    what: &str,
) -> Result<Vec<u8>, Issue> {
    let place = Span::new(at, at.saturating_add(compressed));
    let by_ratio = (compressed as u64).saturating_mul(limits.inflate_ratio).max(ALWAYS_ALLOWED);
    let allowed = by_ratio.min(limits.inflated_bytes);
    let mut inflated = Vec::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = match decoder.read(&mut chunk) {
            Ok(0) => return Ok(inflated),
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let message = format!("{what} is broken after {} inflated bytes: {error}", inflated.len());
                return Err(Issue::new(code, "body", message).at(place));
            }
        };
        if (inflated.len() as u64).saturating_add(read as u64) > allowed {
            let reason = if by_ratio < limits.inflated_bytes {
                format!("{} times the {compressed} bytes that it has in the file", limits.inflate_ratio)
            } else {
                "inflated bytes".to_owned()
            };
            let message = format!("{what} inflates to more than the limit of {allowed} bytes ({reason})");
            return Err(Issue::new(&diag::LIMIT, "body", message).at(place));
        }
        // The list grows by an eighth.
        if let Err(over) = limits.take((read + read / 8) as u64) {
            let message = format!("{what} inflates to more than {} bytes, and {over}", inflated.len());
            return Err(Issue::new(&diag::LIMIT, "body", message).at(place));
        }
        extend_tight(&mut inflated, chunk.get(..read).unwrap_or_default());
    }
}

/// A zlib stream of `bytes`.
pub(super) fn deflate_zlib(bytes: &[u8], level: u8) -> Result<Vec<u8>, Issue> {
    let level = flate2::Compression::new(u32::from(level.min(9)));
    let (first, rest) = if bytes.len() < pieces::LARGE { (bytes, None) } else { (&[][..], Some(bytes)) };
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), level);
    let mut stream = encoder.write_all(first).and_then(|()| encoder.finish()).map_err(not_packed)?;
    if let Some(bytes) = rest {
        // What a stream of nothing begins with is what every stream begins with.
        stream.truncate(2);
        stream.extend(pieces::deflate(bytes, level).map_err(not_packed)?);
    }
    Ok(stream)
}

/// A zstd frame of `bytes`, without size and checksum, at the strength that the library chooses by the header's level.
pub(super) fn deflate_zstd(bytes: &[u8], level: u8) -> Result<Vec<u8>, Issue> {
    let strength = match level {
        9 => 19,
        255 => 1,
        _ => 3,
    };
    zstd::pack(bytes, strength).map_err(not_packed)
}

fn not_packed(error: std::io::Error) -> Issue {
    Issue::new(&codes::PACK, "body", format!("the body could not be compressed: {error}"))
}
