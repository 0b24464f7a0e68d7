//! DirectDraw surfaces: the largest picture of a file, plain or in the blocks of DXT1, DXT3 and DXT5.

use super::texels::{Texels, Unusable, within};
use crate::bytes::Limits;

/// How blocks of four by four texels are packed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    /// Colours, and perhaps holes.
    Dxt1,
    /// Four bits of alpha a texel, then colours.
    Dxt3,
    /// Alpha between two values, then colours.
    Dxt5,
}

pub(super) fn decode(data: &[u8], limits: &Limits) -> Result<Texels, Unusable> {
    let broken = |why: &str| Unusable::Broken(format!("it is no DDS: {why}"));
    let word = |at: usize| {
        let bytes = data.get(at..).and_then(|bytes| bytes.first_chunk());
        bytes.map(|bytes| u32::from_le_bytes(*bytes)).ok_or_else(|| broken("it is cut off"))
    };
    let (height, width) = (word(12)? as usize, word(16)? as usize);
    within(width, height, limits)?;
    let (flags, code) = (word(80)?, word(84)?.to_le_bytes());
    let (block, start) = match &code {
        _ if flags & 4 == 0 => (None, 128),
        b"DXT1" => (Some(Block::Dxt1), 128),
        b"DXT2" | b"DXT3" => (Some(Block::Dxt3), 128),
        b"DXT4" | b"DXT5" => (Some(Block::Dxt5), 128),
        b"DX10" => match word(128)? {
            71 | 72 => (Some(Block::Dxt1), 148),
            74 | 75 => (Some(Block::Dxt3), 148),
            77 | 78 => (Some(Block::Dxt5), 148),
            _ => return Err(broken("its way of packing is not known")),
        },
        _ => return Err(broken("its way of packing is not known")),
    };
    let body = data.get(start..).unwrap_or_default();
    match block {
        Some(block) => blocks(body, width, height, block).ok_or_else(|| broken("it is cut off")),
        None => plain(body, width, height, word(88)?, [word(92)?, word(96)?, word(100)?, word(104)?])
            .ok_or_else(|| broken("its texels have no form that is known, or it is cut off")),
    }
    .and_then(|list| Texels::new(width, height, list))
}

/// Texels of so many bits with a mask for each channel.
fn plain(body: &[u8], width: usize, height: usize, bits: u32, masks: [u32; 4]) -> Option<Vec<[u8; 4]>> {
    let size = (bits as usize).div_ceil(8);
    let bytes = body.get(..width.checked_mul(height)?.checked_mul(size)?)?;
    if !(1..=4).contains(&size) {
        return None;
    }
    let [r, g, b, a] = masks;
    let (g, b) = if g == 0 && b == 0 { (r, r) } else { (g, b) };
    let channel = |value: u32, mask: u32, default: u8| match mask {
        0 => default,
        _ => {
            let largest = u64::from(mask >> mask.trailing_zeros());
            (u64::from((value & mask) >> mask.trailing_zeros()) * 255 / largest.max(1)) as u8
        }
    };
    let texel = |bytes: &[u8]| {
        let value = bytes.iter().rev().fold(0u32, |value, byte| value << 8 | u32::from(*byte));
        [channel(value, r, 0), channel(value, g, 0), channel(value, b, 0), channel(value, a, 255)]
    };
    Some(bytes.chunks_exact(size).map(texel).collect())
}

fn blocks(body: &[u8], width: usize, height: usize, block: Block) -> Option<Vec<[u8; 4]>> {
    let (across, down) = (width.div_ceil(4), height.div_ceil(4));
    let size = if block == Block::Dxt1 { 8 } else { 16 };
    let bytes = body.get(..across.checked_mul(down)?.checked_mul(size)?)?;
    let mut list = vec![[0; 4]; width * height];
    for (i, bytes) in bytes.chunks_exact(size).enumerate() {
        let (column, row) = (i % across * 4, i / across * 4);
        for (k, texel) in unpack(bytes, block)?.into_iter().enumerate() {
            let (x, y) = (column + k % 4, row + k / 4);
            if x < width && y < height {
                *list.get_mut(y * width + x)? = texel;
            }
        }
    }
    Some(list)
}

/// The sixteen texels of a block.
fn unpack(bytes: &[u8], block: Block) -> Option<[[u8; 4]; 16]> {
    let colors = colors(bytes.last_chunk()?, block == Block::Dxt1);
    let mut texels = colors;
    match block {
        Block::Dxt1 => {}
        Block::Dxt3 => {
            let alphas = u64::from_le_bytes(*bytes.first_chunk()?);
            for (i, texel) in texels.iter_mut().enumerate() {
                texel[3] = (alphas >> (4 * i) & 15) as u8 * 17;
            }
        }
        Block::Dxt5 => {
            let word = u64::from_le_bytes(*bytes.first_chunk()?);
            let [a, b] = [word as u8, (word >> 8) as u8].map(u32::from);
            let between = |i: u32| match i {
                0 => a,
                1 => b,
                _ if a > b => ((8 - i) * a + (i - 1) * b) / 7,
                6 => 0,
                7 => 255,
                _ => ((6 - i) * a + (i - 1) * b) / 5,
            };
            for (i, texel) in texels.iter_mut().enumerate() {
                texel[3] = between((word >> (16 + 3 * i) & 7) as u32) as u8;
            }
        }
    }
    Some(texels)
}

fn colors(bytes: &[u8; 8], holes: bool) -> [[u8; 4]; 16] {
    let word = u64::from_le_bytes(*bytes);
    let [first, second] = [word as u16, (word >> 16) as u16];
    let wide = |color: u16| {
        let [r, g, b] = [color >> 11 & 31, color >> 5 & 63, color & 31].map(u32::from);
        [r * 255 / 31, g * 255 / 63, b * 255 / 31]
    };
    let (a, b) = (wide(first), wide(second));
    let mix = |x: u32, y: u32, of: u32| {
        std::array::from_fn(|i| match i {
            3 => 255,
            _ => {
                let (a, b) = (a.get(i).copied().unwrap_or(0), b.get(i).copied().unwrap_or(0));
                ((a * x + b * y) / of) as u8
            }
        })
    };
    let four = first > second || !holes;
    let palette: [[u8; 4]; 4] = [
        mix(1, 0, 1),
        mix(0, 1, 1),
        if four { mix(2, 1, 3) } else { mix(1, 1, 2) },
        if four { mix(1, 2, 3) } else { [0; 4] },
    ];
    std::array::from_fn(|i| {
        let index = (word >> (32 + 2 * i) & 3) as usize;
        palette.get(index).copied().unwrap_or_default()
    })
}
