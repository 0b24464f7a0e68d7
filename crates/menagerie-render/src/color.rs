//! Colours: sRGB bytes to linear light and back, by tables that are computed in software.

use std::sync::LazyLock;

/// Steps of the table from linear light to sRGB.
const STEPS: usize = 4096;

static TO_LINEAR: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| linear(byte as f64 / 255.0)));
static BYTES: LazyLock<[f32; 256]> = LazyLock::new(|| std::array::from_fn(|byte| byte as f32 / 255.0));
static FROM_LINEAR: LazyLock<Encoding> = LazyLock::new(Encoding::new);

/// The linear value of every sRGB byte.
pub(crate) fn srgb_table() -> &'static [f32; 256] {
    &TO_LINEAR
}

/// Every byte as a part of 255, for pictures that hold data and not colours.
pub(crate) fn data_table() -> &'static [f32; 256] {
    &BYTES
}

/// The table that turns linear light into sRGB bytes.
pub(crate) fn encoding() -> &'static Encoding {
    &FROM_LINEAR
}

fn linear(srgb: f64) -> f32 {
    (if srgb <= 0.04045 { srgb / 12.92 } else { libm::pow((srgb + 0.055) / 1.055, 2.4) }) as f32
}

/// From linear light to the nearest sRGB byte: a guess by a table, set right by the borders between the bytes.
pub(crate) struct Encoding {
    guesses: [u8; STEPS],
    /// From `borders[n]` on the byte is at least n.
    borders: [f32; 257],
}

impl Encoding {
    fn new() -> Self {
        let mut borders: [f32; 257] = std::array::from_fn(|byte| linear((byte as f64 - 0.5) / 255.0));
        borders[0] = 0.0;
        borders[256] = f32::INFINITY;
        let guesses = std::array::from_fn(|step| {
            let value = step as f32 / STEPS as f32;
            borders[1..256].partition_point(|border| *border <= value) as u8
        });
        Self { guesses, borders }
    }

    /// The byte of a value from 0 to 1; values outside are clamped.
    #[inline]
    pub(crate) fn byte(&self, value: f32) -> u8 {
        let value = value.clamp(0.0, 1.0);
        let mut byte = self.guesses[((value * STEPS as f32) as usize).min(STEPS - 1)];
        while value >= self.borders[usize::from(byte) + 1] {
            byte += 1;
        }
        byte
    }
}

/// An sRGB colour with alpha made linear, its alpha multiplied in.
pub(crate) fn premultiplied([r, g, b, a]: [u8; 4]) -> [f32; 4] {
    let table = srgb_table();
    let alpha = f32::from(a) / 255.0;
    [r, g, b].map(|byte| table[usize::from(byte)] * alpha).into_iter().chain([alpha]).enumerate().fold(
        [0.0; 4],
        |mut color, (i, value)| {
            color[i] = value;
            color
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back_and_values_between_go_to_the_nearest() {
        for byte in 0..=255u8 {
            assert_eq!(encoding().byte(srgb_table()[usize::from(byte)]), byte);
        }
        for step in 0..=100_000 {
            let value = step as f32 / 100_000.0;
            let expected = menagerie::scene::linear_to_srgb_byte(value);
            assert!(encoding().byte(value).abs_diff(expected) <= 1, "{value}");
        }
        assert_eq!([encoding().byte(-1.0), encoding().byte(7.0), encoding().byte(f32::NAN)], [0, 255, 0]);
    }
}
