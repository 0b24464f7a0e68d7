//! A large zlib stream in pieces that are packed side by side.
//!
//! The pieces and what each may refer to depend on the bytes alone, so the stream is the same on any number of cores. Each
//! piece knows the window before it, so that it is packed as well as in one go but for a few bytes at its end.

use std::io;

use flate2::{Compress, Compression, FlushCompress, Status};

use crate::parallel;

/// Bytes of a piece.
const PIECE: usize = 1 << 20;
/// Fewer bytes than this are packed in one go.
pub(super) const LARGE: usize = 4 * PIECE;
/// How far deflate can refer back.
const WINDOW: usize = 1 << 15;

/// A zlib stream of `bytes` without its header.
pub(super) fn deflate(bytes: &[u8], level: Compression) -> io::Result<Vec<u8>> {
    let starts: Vec<usize> = (0..bytes.len()).step_by(PIECE).collect();
    let packed = parallel::map_few(&starts, |start| {
        let end = (start + PIECE).min(bytes.len());
        let window = bytes.get(start.saturating_sub(WINDOW)..*start).unwrap_or_default();
        let piece = bytes.get(*start..end).unwrap_or_default();
        let packed = pack(piece, window, end == bytes.len(), level);
        packed.map(|packed| (packed, Adler::of(piece)))
    });
    let bytes = packed.iter().flatten().map(|(packed, _)| packed.len()).sum::<usize>();
    let mut stream = Vec::with_capacity(bytes + size_of::<u32>());
    let mut adler = Adler::default();
    for piece in packed {
        let (packed, of_piece) = piece?;
        stream.extend_from_slice(&packed);
        adler = adler.then(of_piece);
    }
    stream.extend(adler.value().to_be_bytes());
    Ok(stream)
}

/// One piece: the end of the stream, or blocks that end at a whole byte.
fn pack(piece: &[u8], window: &[u8], last: bool, level: Compression) -> io::Result<Vec<u8>> {
    let mut compress = Compress::new(level, false);
    if !window.is_empty() {
        compress.set_dictionary(window)?;
    }
    let flush = if last { FlushCompress::Finish } else { FlushCompress::Sync };
    let mut packed = Vec::with_capacity(piece.len() + piece.len() / 512 + 256);
    loop {
        let done = usize::try_from(compress.total_in()).unwrap_or(usize::MAX);
        let status = compress.compress_vec(piece.get(done..).unwrap_or_default(), &mut packed, flush)?;
        // Room that is left says that nothing waits for it.
        let all = compress.total_in() == piece.len() as u64 && packed.len() < packed.capacity();
        if status == Status::StreamEnd || (all && !last) {
            packed.shrink_to_fit();
            return Ok(packed);
        }
        packed.reserve(WINDOW);
    }
}

/// The checksum of a zlib stream, which can be put together from those of its pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Adler {
    a: u32,
    b: u32,
    bytes: usize,
}

const MODULUS: u32 = 65_521;

impl Default for Adler {
    fn default() -> Self {
        Self { a: 1, b: 0, bytes: 0 }
    }
}

impl Adler {
    fn of(bytes: &[u8]) -> Self {
        let (mut a, mut b) = (1u32, 0u32);
        // So many bytes cannot overflow.
        for part in bytes.chunks(5552) {
            for byte in part {
                a += u32::from(*byte);
                b += a;
            }
            a %= MODULUS;
            b %= MODULUS;
        }
        Self { a, b, bytes: bytes.len() }
    }

    /// The checksum of what has this one, followed by what has another.
    fn then(self, next: Self) -> Self {
        let modulus = u64::from(MODULUS);
        let (a, b) = (u64::from(self.a), u64::from(self.b));
        let length = next.bytes as u64 % modulus;
        let sum = (a + u64::from(next.a) + modulus - 1) % modulus;
        let sums = (b + u64::from(next.b) + length * (a + modulus - 1)) % modulus;
        Self { a: sum as u32, b: sums as u32, bytes: self.bytes + next.bytes }
    }

    fn value(self) -> u32 {
        self.b << 16 | self.a
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;

    #[test]
    fn pieces_are_one_stream() {
        let noise = |i: usize| (i.wrapping_mul(2_654_435_761) >> 11) as u8;
        let bytes: Vec<u8> =
            (0..5 * PIECE + 12_345).map(|i| if i % 7 < 4 { (i / 900) as u8 } else { noise(i) }).collect();
        for level in [0, 1, 6, 9].map(Compression::new) {
            let mut whole = flate2::write::ZlibEncoder::new(Vec::new(), level);
            whole.write_all(&bytes).unwrap();
            let whole = whole.finish().unwrap();
            let stream = [&whole[..2], &deflate(&bytes, level).unwrap()].concat();
            let mut back = Vec::new();
            flate2::bufread::ZlibDecoder::new(stream.as_slice()).read_to_end(&mut back).unwrap();
            assert!(back == bytes, "{level:?}");
            assert!(
                stream.len() < whole.len() + whole.len() / 100 + 1000,
                "{} and {}",
                stream.len(),
                whole.len()
            );
        }
        let cut = bytes.split_at(1_000_003);
        assert_eq!(Adler::of(cut.0).then(Adler::of(cut.1)), Adler::of(&bytes));
    }
}
