//! Truevision TGA: with a colour table, in colour or grey, plain or in runs.

use super::texels::{Texels, Unusable, within};
use crate::bytes::Limits;

/// How a texel is stored.
#[derive(Clone, Copy)]
enum Stored {
    Table,
    Color,
    Grey,
}

pub(super) fn decode(data: &[u8], limits: &Limits) -> Result<Texels, Unusable> {
    let broken = |why: &str| Unusable::Broken(format!("it is no TGA: {why}"));
    let header: &[u8; 18] = data.first_chunk().ok_or_else(|| broken("it is too short"))?;
    let [id, _, kind, _, _, table_low, table_high, table_bits, _, _, _, _, w0, w1, h0, h1, bits, flags] =
        *header;
    let (width, height) =
        (usize::from(u16::from_le_bytes([w0, w1])), usize::from(u16::from_le_bytes([h0, h1])));
    within(width, height, limits)?;
    let stored = match kind & 7 {
        1 => Stored::Table,
        2 => Stored::Color,
        3 => Stored::Grey,
        _ => return Err(broken("its type is not known")),
    };
    let runs = kind & 8 != 0;
    let table_bytes = usize::from(table_bits).div_ceil(8);
    let table_length = usize::from(u16::from_le_bytes([table_low, table_high])) * table_bytes;
    let rest = data.get(18 + usize::from(id)..).ok_or_else(|| broken("it is too short"))?;
    let (table, mut rest) = rest.split_at_checked(table_length).ok_or_else(|| broken("it is too short"))?;
    let size = usize::from(bits).div_ceil(8);
    if !(1..=4).contains(&size) {
        return Err(broken("its texels have no size that is known"));
    }
    let texel = |bytes: &[u8]| match stored {
        Stored::Grey => bytes.first().map(|g| [*g, *g, *g, bytes.get(1).copied().unwrap_or(255)]),
        Stored::Color => color(bytes),
        Stored::Table => {
            let index = bytes.iter().rev().fold(0usize, |index, byte| index << 8 | usize::from(*byte));
            color(table.get(index.checked_mul(table_bytes)?..)?.get(..table_bytes)?)
        }
    };
    // Only as much as the file can have: a run of 128 texels takes a byte and a texel.
    let most = rest.len().saturating_mul(128);
    let count = width * height;
    if count > most {
        return Err(broken("it is cut off"));
    }
    let mut list = Vec::with_capacity(count);
    while list.len() < count {
        let cut = || broken("it is cut off");
        let (length, same) = if runs {
            let (head, after) = rest.split_first().ok_or_else(cut)?;
            rest = after;
            (usize::from(head & 0x7F) + 1, head & 0x80 != 0)
        } else {
            (count, false)
        };
        for i in 0..length.min(count - list.len()) {
            let bytes = rest.get(..size).ok_or_else(cut)?;
            list.push(texel(bytes).ok_or_else(cut)?);
            if !same || i + 1 == length {
                rest = rest.get(size..).unwrap_or_default();
            }
        }
    }
    upright(&mut list, width, flags);
    Texels::new(width, height, list)
}

/// Blue, green, red and perhaps alpha; or five bits of each.
fn color(bytes: &[u8]) -> Option<[u8; 4]> {
    Some(match *bytes {
        [b, g, r, a] => [r, g, b, a],
        [b, g, r] => [r, g, b, 255],
        [low, high] => {
            let word = u16::from_le_bytes([low, high]);
            let part = |shift: u16| ((u32::from(word >> shift & 31) * 255 + 15) / 31) as u8;
            [part(10), part(5), part(0), 255]
        }
        _ => return None,
    })
}

/// Rows from the top and columns from the left.
fn upright(list: &mut [[u8; 4]], width: usize, flags: u8) {
    if flags & 0x20 == 0 {
        list.reverse();
        list.chunks_mut(width.max(1)).for_each(<[_]>::reverse);
    }
    if flags & 0x10 != 0 {
        list.chunks_mut(width.max(1)).for_each(<[_]>::reverse);
    }
}
