//! The colour that some programs put into the two bytes after a facet.
//!
//! | | VisCAM, SolidView | Materialise Magics |
//! |---|---|---|
//! | known by | the highest bit of some facet | `COLOR=` in the header |
//! | highest bit set | the facet has this colour | the facet has the colour of the header |
//! | bits 0 to 4 | blue | red |
//! | bits 5 to 9 | green | green |
//! | bits 10 to 14 | red | blue |

use crate::scene::{linear_to_srgb, srgb_byte_to_linear, srgb_to_linear};

/// Which of both ways to store colours a file has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Convention {
    VisCam,
    /// With the colour of facets that have none of their own, sRGB and alpha.
    Magics([u8; 4]),
}

const VALID: u16 = 0x8000;

impl Convention {
    pub(super) fn of(header: &[u8; 80]) -> Self {
        let found = header.windows(10).find(|window| window.starts_with(b"COLOR="));
        match found.and_then(|window| window.last_chunk::<4>()) {
            Some(rgba) => Self::Magics(*rgba),
            None => Self::VisCam,
        }
    }

    /// The linear colour of a facet; `None` when the bytes are no colour.
    pub(super) fn color(self, attribute: u16) -> Option<[f32; 4]> {
        let part = |shift: u16| srgb_to_linear(f32::from(attribute >> shift & 31) / 31.0);
        match self {
            Self::VisCam => (attribute & VALID != 0).then(|| [part(10), part(5), part(0), 1.0]),
            Self::Magics(rgba) if attribute & VALID != 0 => Some(linear(rgba)),
            Self::Magics(_) => Some([part(0), part(5), part(10), 1.0]),
        }
    }

    /// Whether the bytes hold something that is no colour.
    pub(super) fn is_unknown(self, attribute: u16) -> bool {
        self == Self::VisCam && attribute != 0 && attribute & VALID == 0
    }

    /// The bytes for a linear colour, and the colour that they say.
    pub(super) fn attribute(self, color: [f32; 4]) -> (u16, [f32; 4]) {
        let [r, g, b, _] = color.map(|x| (linear_to_srgb(x.clamp(0.0, 1.0)) * 31.0).round() as u16 & 31);
        let attribute = match self {
            Self::VisCam => VALID | r << 10 | g << 5 | b,
            Self::Magics(rgba) if near(linear(rgba), color) => VALID,
            Self::Magics(_) => b << 10 | g << 5 | r,
        };
        (attribute, self.color(attribute).unwrap_or([1.0; 4]))
    }
}

fn near(a: [f32; 4], b: [f32; 4]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4)
}

/// An sRGB colour with alpha made linear.
pub(super) fn linear([r, g, b, a]: [u8; 4]) -> [f32; 4] {
    let [r, g, b] = [r, g, b].map(srgb_byte_to_linear);
    [r, g, b, f32::from(a) / 255.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_conventions_say_red_in_their_own_way() {
        let mut header = [0; 80];
        assert_eq!(Convention::of(&header).color(0x8000 | 31 << 10), Some([1.0, 0.0, 0.0, 1.0]));
        assert_eq!(Convention::of(&header).color(31), None);
        header[10..20].copy_from_slice(b"COLOR=\x00\xFF\x00\xFF");
        let magics = Convention::of(&header);
        assert_eq!(magics.color(31), Some([1.0, 0.0, 0.0, 1.0]));
        assert_eq!(magics.color(0x8000), Some([0.0, 1.0, 0.0, 1.0]));
    }

    #[test]
    fn every_colour_of_five_bits_comes_back() {
        for convention in [Convention::VisCam, Convention::Magics([1, 2, 3, 255])] {
            for attribute in 0..0x8000u16 {
                let attribute = if convention == Convention::VisCam { attribute | VALID } else { attribute };
                let color = convention.color(attribute).unwrap();
                assert_eq!(convention.attribute(color), (attribute, color));
            }
        }
    }
}
