//! Textures: decoded within limits, made smaller by halves, and sampled between texels and between sizes.

use menagerie::pictures::Texels;
pub(crate) use menagerie::pictures::Unusable;
use menagerie::scene::Wrap;

use crate::color;

/// What the bytes of a picture mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Meaning {
    /// Colours, as sRGB.
    Color,
    /// Directions or factors, as they are.
    Data,
}

/// A picture with all its smaller versions, each half as wide and high as the one before.
#[derive(Debug)]
pub(crate) struct Mips {
    levels: Vec<Level>,
    /// Whether some texel is not opaque.
    pub(crate) has_alpha: bool,
}

#[derive(Debug)]
struct Level {
    width: usize,
    height: usize,
    texels: Vec<[u8; 4]>,
}

/// How a picture goes on beyond its edges, and whether its texels are shown as squares.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sampling {
    pub(crate) wrap: [Wrap; 2],
    pub(crate) nearest: bool,
}

impl Mips {
    /// Decodes a picture; its name tells the kind where its bytes do not.
    pub(crate) fn decode(data: &[u8], name: &str, meaning: Meaning) -> Result<Self, Unusable> {
        let top = Texels::decode(data, name)?;
        let top = Level::new(top.width(), top.height(), top.into_list())?;
        let has_alpha = top.texels.iter().any(|texel| texel[3] < 255);
        let mut levels = vec![top];
        while let Some(smaller) = levels.last().and_then(|level| level.halved(meaning)) {
            levels.push(smaller);
        }
        Ok(Self { levels, has_alpha })
    }

    /// The sizes of the picture itself.
    pub(crate) fn size(&self) -> (f32, f32) {
        self.levels.first().map_or((1.0, 1.0), |level| (level.width as f32, level.height as f32))
    }

    /// The colour at a place, at a size: 0 for the picture itself, 1 for half as wide, and so on.
    pub(crate) fn sample(&self, uv: [f32; 2], size: f32, sampling: Sampling, table: &[f32; 256]) -> [f32; 4] {
        let last = self.levels.len() - 1;
        let size = size.clamp(0.0, last as f32);
        let (below, part) = (size as usize, size - (size as usize) as f32);
        let near = self.levels[below].sample(uv, sampling, sampling.nearest && size < 0.5, table);
        if part == 0.0 || below == last {
            return near;
        }
        let far = self.levels[below + 1].sample(uv, sampling, false, table);
        std::array::from_fn(|i| near[i] + (far[i] - near[i]) * part)
    }
}

/// Two neighbouring texels along one direction, and how much of the second.
struct Between {
    first: usize,
    second: usize,
    part: f32,
}

/// Where a coordinate falls among `count` texels.
fn between(coordinate: f32, count: usize, wrap: Wrap) -> Between {
    let coordinate = if coordinate.is_finite() { coordinate } else { 0.0 };
    let inside = match wrap {
        Wrap::Repeat => coordinate - coordinate.floor(),
        Wrap::Clamp => coordinate.clamp(0.0, 1.0),
        Wrap::Mirror => {
            let in_two = coordinate - (coordinate * 0.5).floor() * 2.0;
            if in_two > 1.0 { 2.0 - in_two } else { in_two }
        }
    };
    let texel = inside * count as f32 - 0.5;
    let floor = texel.floor();
    let last = count - 1;
    let (first, second) = if floor < 0.0 {
        (if wrap == Wrap::Repeat { last } else { 0 }, 0)
    } else {
        let first = (floor as usize).min(last);
        let beyond = if wrap == Wrap::Repeat { 0 } else { last };
        (first, if first == last { beyond } else { first + 1 })
    };
    Between { first, second, part: texel - floor }
}

impl Level {
    /// The texels of a decoded picture; the caller has checked the size.
    fn new(width: usize, height: usize, texels: Vec<[u8; 4]>) -> Result<Self, Unusable> {
        if width == 0 || height == 0 || texels.len() != width * height {
            return Err(Unusable::Broken(format!("{} texels for {width} by {height}", texels.len())));
        }
        Ok(Self { width, height, texels })
    }

    #[inline]
    fn sample(&self, uv: [f32; 2], sampling: Sampling, nearest: bool, table: &[f32; 256]) -> [f32; 4] {
        let x = between(uv[0], self.width, sampling.wrap[0]);
        let y = between(uv[1], self.height, sampling.wrap[1]);
        let texel = |x: usize, y: usize| {
            let [r, g, b, a] = self.texels[y * self.width + x];
            [
                table[usize::from(r)],
                table[usize::from(g)],
                table[usize::from(b)],
                f32::from(a) * (1.0 / 255.0),
            ]
        };
        if nearest {
            let pick = |between: &Between| if between.part < 0.5 { between.first } else { between.second };
            return texel(pick(&x), pick(&y));
        }
        let (a, b) = (texel(x.first, y.first), texel(x.second, y.first));
        let (c, d) = (texel(x.first, y.second), texel(x.second, y.second));
        std::array::from_fn(|i| {
            let upper = a[i] + (b[i] - a[i]) * x.part;
            let lower = c[i] + (d[i] - c[i]) * x.part;
            upper + (lower - upper) * y.part
        })
    }

    /// Half as wide and high: the mean of each two by two, in linear light for colours. `None` for a single texel.
    fn halved(&self, meaning: Meaning) -> Option<Self> {
        if self.width == 1 && self.height == 1 {
            return None;
        }
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let (table, encoding) = (color::srgb_table(), color::encoding());
        let mut texels = Vec::with_capacity(width * height);
        for y in 0..height {
            let upper = &self.texels[(y * 2).min(self.height - 1) * self.width..][..self.width];
            let lower = &self.texels[(y * 2 + 1).min(self.height - 1) * self.width..][..self.width];
            for x in 0..width {
                let (left, right) = ((x * 2).min(self.width - 1), (x * 2 + 1).min(self.width - 1));
                let four = [upper[left], upper[right], lower[left], lower[right]];
                if four[0] == four[1] && four[0] == four[2] && four[0] == four[3] {
                    texels.push(four[0]);
                    continue;
                }
                let mean = |i: usize| {
                    let sum: u32 = four.iter().map(|texel| u32::from(texel[i])).sum();
                    ((sum + 2) / 4) as u8
                };
                let light = |i: usize| {
                    let sum = four.iter().fold(0.0, |sum, texel| sum + table[usize::from(texel[i])]);
                    encoding.byte(sum * 0.25)
                };
                texels.push(match meaning {
                    Meaning::Color => [light(0), light(1), light(2), mean(3)],
                    Meaning::Data => std::array::from_fn(mean),
                });
            }
        }
        Some(Self { width, height, texels })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_fall_between_the_right_texels() {
        for (coordinate, wrap, expected) in [
            (0.0, Wrap::Repeat, (3, 0, 0.5)),
            (0.125, Wrap::Repeat, (0, 1, 0.0)),
            (-0.125, Wrap::Repeat, (3, 0, 0.0)),
            (1.0, Wrap::Clamp, (3, 3, 0.5)),
            (9.0, Wrap::Clamp, (3, 3, 0.5)),
            (1.125, Wrap::Mirror, (3, 3, 0.0)),
            (-0.375, Wrap::Mirror, (1, 2, 0.0)),
            (f32::NAN, Wrap::Repeat, (3, 0, 0.5)),
            (1e30, Wrap::Repeat, (3, 0, 0.5)),
        ] {
            let found = between(coordinate, 4, wrap);
            assert_eq!((found.first, found.second, found.part), expected, "{coordinate} {wrap:?}");
        }
    }

    #[test]
    fn smaller_versions_go_down_to_one_texel_and_keep_the_mean() {
        let texels =
            (0..15).map(|i| if i % 2 == 0 { [0, 0, 0, 255] } else { [255, 255, 255, 255] }).collect();
        let mut level = Level::new(5, 3, texels).unwrap();
        let mut sizes = Vec::new();
        while let Some(smaller) = level.halved(Meaning::Color) {
            sizes.push((smaller.width, smaller.height));
            level = smaller;
        }
        assert_eq!(sizes, [(2, 1), (1, 1)]);
        // Half the light is the sRGB byte 188.
        assert_eq!(level.texels, [[188, 188, 188, 255]]);
    }

    #[test]
    fn pictures_that_are_too_large_or_broken_are_refused() {
        let mut header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
        header.extend(100_000u32.to_be_bytes());
        header.extend(1u32.to_be_bytes());
        header.extend([8, 6, 0, 0, 0]);
        let crc = crc(&header[12..]);
        header.extend(crc.to_be_bytes());
        header.extend(b"\0\0\0\0IDAT\x35\xAF\x06\x1E");
        let large = Mips::decode(&header, "wide.png", Meaning::Color).unwrap_err();
        assert!(matches!(large, Unusable::TooLarge(100_000, 1)), "{large:?}");
        for bytes in [&b""[..], b"\x89PNG\r\n\x1a\n", b"\xFF\xD8\xFF\xE0", b"DDS ", b"no picture"] {
            for name in ["a.png", "a.tga", ""] {
                let error = Mips::decode(bytes, name, Meaning::Data).unwrap_err();
                assert!(matches!(error, Unusable::Broken(_)), "{error:?}");
            }
        }
    }

    fn crc(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(!0u32, |crc, byte| {
            (0..8)
                .fold(crc ^ u32::from(*byte), |c, _| if c & 1 == 1 { (c >> 1) ^ 0xEDB8_8320 } else { c >> 1 })
        })
    }
}
