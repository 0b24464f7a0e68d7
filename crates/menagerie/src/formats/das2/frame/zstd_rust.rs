//! zstd by Rust alone, for the browser. It reads what the C library reads; what it writes is a valid frame of other bytes,
//! at one strength only.

use std::io::{Error, Read, Result};

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

/// The largest window in bytes, as for the C library.
const WINDOW: u64 = 1 << 24;

/// Frames that follow each other.
struct Frames<'a> {
    /// What follows the open frame.
    rest: &'a [u8],
    open: Option<StreamingDecoder<&'a [u8], FrameDecoder>>,
}

impl Frames<'_> {
    /// Opens the next frame with content; false at the end.
    fn next(&mut self) -> Result<bool> {
        while !self.rest.is_empty() {
            match StreamingDecoder::new_with_max_window_size(self.rest, WINDOW) {
                Ok(frame) => {
                    self.open = Some(frame);
                    return Ok(true);
                }
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                    length,
                    ..
                })) => {
                    let after = self.rest.get(8..).and_then(|rest| rest.get(length as usize..));
                    self.rest = after.ok_or_else(|| Error::other("a frame to skip is cut off"))?;
                }
                Err(error) => return Err(Error::other(error.to_string())),
            }
        }
        Ok(false)
    }
}

impl Read for Frames<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        loop {
            let Some(frame) = &mut self.open else {
                match self.next()? {
                    true => continue,
                    false => return Ok(0),
                }
            };
            match frame.read(buffer)? {
                0 => self.rest = self.open.take().map(StreamingDecoder::into_inner).unwrap_or_default(),
                read => return Ok(read),
            }
        }
    }
}

/// The content of all frames in `bytes`, joined.
#[expect(clippy::unnecessary_wraps, reason = "the C library can fail here")]
pub(super) fn decoder(bytes: &[u8]) -> Result<impl Read> {
    Ok(Frames { rest: bytes, open: None })
}

/// One frame; the strength is always the lowest.
#[expect(clippy::unnecessary_wraps, reason = "the C library can fail here")]
pub(super) fn pack(bytes: &[u8], _strength: i32) -> Result<Vec<u8>> {
    Ok(compress_to_vec(bytes, CompressionLevel::Fastest))
}

#[cfg(test)]
mod tests {
    use super::super::zstd as c;
    use super::*;

    fn read_all(mut source: impl Read) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        source.read_to_end(&mut bytes).map(|_| bytes)
    }

    /// Bytes that repeat a little, as meshes do.
    fn body(length: usize) -> Vec<u8> {
        (0..length as u32).flat_map(|i| [(i / 7) as u8, (i.wrapping_mul(i) >> 5) as u8]).collect()
    }

    #[test]
    fn each_reads_what_the_other_writes() {
        for length in [0, 1, 2, 1000, 70_000, 400_000] {
            let body = body(length);
            for strength in [1, 3, 19] {
                assert_eq!(read_all(decoder(&c::pack(&body, strength).unwrap()).unwrap()).unwrap(), body);
            }
            assert_eq!(read_all(c::decoder(&pack(&body, 1).unwrap()).unwrap()).unwrap(), body, "{length}");
        }
    }

    #[test]
    fn frames_are_joined_and_skippable_ones_skipped() {
        let (a, b) = (body(3000), body(50));
        let mut file = c::pack(&a, 3).unwrap();
        file.extend([0x50, 0x2A, 0x4D, 0x18, 3, 0, 0, 0, 1, 2, 3]);
        file.extend(c::pack(&b, 3).unwrap());
        let joined = [a, b].concat();
        assert_eq!(read_all(decoder(&file).unwrap()).unwrap(), joined);
        assert_eq!(read_all(c::decoder(&file).unwrap()).unwrap(), joined);
    }

    #[test]
    fn broken_frames_are_errors_and_no_more() {
        let good = c::pack(&body(5000), 3).unwrap();
        for cut in 0..good.len() {
            let _ = read_all(decoder(good.get(..cut).unwrap()).unwrap());
        }
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x55;
            let _ = read_all(decoder(&bad).unwrap());
        }
        assert!(read_all(decoder(good.get(..good.len() / 2).unwrap()).unwrap()).is_err());
    }

    #[test]
    fn a_huge_window_is_refused() {
        // A window descriptor of 2^31 bytes.
        let file = [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0xA8, 0x01, 0x00, 0x00];
        assert!(read_all(decoder(&file).unwrap()).is_err());
    }
}
