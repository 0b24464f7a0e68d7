//! Pictures decoded, and written as PNG.

use png::{BitDepth, ColorType, Decoder, DeflateCompression, Encoder, Filter, Transformations};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::{Kind, dds, tga};
use crate::bytes::Limits;

/// Why a picture cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unusable {
    /// It has more texels than are decoded: so many wide and high.
    TooLarge(usize, usize),
    /// Decoding it would take more memory than the job may have.
    OverLimit(String),
    /// It is damaged, or of a kind that is not known.
    Broken(String),
}

impl std::fmt::Display for Unusable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::TooLarge(width, height) => write!(f, "{width} by {height} texels are too many"),
            Self::Broken(why) | Self::OverLimit(why) => f.write_str(why),
        }
    }
}

/// The texels of a picture, row by row from the top, as sRGB and alpha.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Texels {
    width: usize,
    height: usize,
    list: Vec<[u8; 4]>,
}

impl Texels {
    /// A picture of these texels; as many as the sizes say.
    pub fn new(width: usize, height: usize, list: Vec<[u8; 4]>) -> Result<Self, Unusable> {
        if width == 0 || height == 0 || Some(list.len()) != width.checked_mul(height) {
            return Err(Unusable::Broken(format!("{} texels for {width} by {height}", list.len())));
        }
        Ok(Self { width, height, list })
    }

    /// Decodes a picture; its name tells the kind where its bytes do not.
    pub fn decode(data: &[u8], name: &str) -> Result<Self, Unusable> {
        let limits = Limits::default();
        limits.reads(data.len());
        Self::decode_within(data, name, &limits)
    }

    /// The same as a step of a job, whose files this picture was counted to.
    pub fn decode_within(data: &[u8], name: &str, limits: &Limits) -> Result<Self, Unusable> {
        match Kind::of(data, name) {
            Some(Kind::Png) => png(data, limits),
            Some(Kind::Jpeg) => jpeg(data, limits),
            Some(Kind::Tga) => tga::decode(data, limits),
            Some(Kind::Dds) => dds::decode(data, limits),
            _ => Err(Unusable::Broken("it is neither PNG, JPEG, TGA nor DDS".to_owned())),
        }
    }

    /// How wide and high a picture is, from its first bytes: nothing is decoded.
    pub fn size_of(data: &[u8], name: &str) -> Option<(usize, usize)> {
        match Kind::of(data, name)? {
            Kind::Png => {
                let word = |at: usize| {
                    data.get(at..)?.first_chunk().map(|bytes| u32::from_be_bytes(*bytes) as usize)
                };
                Some((word(16)?, word(20)?))
            }
            Kind::Jpeg => {
                let mut decoder = JpegDecoder::new_with_options(ZCursor::new(data), jpeg_options());
                decoder.decode_headers().ok()?;
                decoder.dimensions()
            }
            Kind::Tga => {
                let word = |at: usize| {
                    data.get(at..)?.first_chunk().map(|bytes| usize::from(u16::from_le_bytes(*bytes)))
                };
                Some((word(12)?, word(14)?))
            }
            Kind::Dds => {
                let word = |at: usize| {
                    data.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes) as usize)
                };
                Some((word(16)?, word(12)?))
            }
            _ => None,
        }
    }

    /// How wide it is.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How high it is.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The texels.
    pub fn list(&self) -> &[[u8; 4]] {
        &self.list
    }

    /// The texels, to be changed.
    pub fn list_mut(&mut self) -> &mut [[u8; 4]] {
        &mut self.list
    }

    /// The texels alone.
    pub fn into_list(self) -> Vec<[u8; 4]> {
        self.list
    }

    /// A PNG file; without transparent texels it has no alpha channel. The same texels give the same bytes everywhere.
    pub fn to_png(&self) -> Result<Vec<u8>, Unusable> {
        let broken = |error: png::EncodingError| Unusable::Broken(error.to_string());
        let opaque = self.list.iter().all(|texel| texel[3] == 255);
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        encoder.set_color(if opaque { ColorType::Rgb } else { ColorType::Rgba });
        encoder.set_depth(BitDepth::Eight);
        encoder.set_deflate_compression(DeflateCompression::FdeflateUltraFast);
        encoder.set_filter(Filter::Adaptive);
        let mut writer = encoder.write_header().map_err(broken)?;
        let data = match opaque {
            true => self.list.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect(),
            false => self.list.as_flattened().to_vec(),
        };
        writer.write_image_data(&data).map_err(broken)?;
        writer.finish().map_err(broken)?;
        Ok(bytes)
    }
}

/// What a texel takes while it is decoded, in bytes: as it is stored, and as it is kept.
const TEXEL: usize = 8;

/// Refuses what is too large, before any memory is asked for, and takes that memory.
pub(super) fn within(width: usize, height: usize, limits: &Limits) -> Result<(), Unusable> {
    let Limits { picture_side, picture_texels, .. } = *limits;
    if width.max(height) > picture_side || width.saturating_mul(height) > picture_texels {
        return Err(Unusable::TooLarge(width, height));
    }
    limits
        .take_many(width.saturating_mul(height), TEXEL)
        .map_err(|over| Unusable::OverLimit(over.to_string()))
}

fn png(data: &[u8], limits: &Limits) -> Result<Texels, Unusable> {
    let broken = |error: png::DecodingError| Unusable::Broken(error.to_string());
    let mut decoder = Decoder::new_with_limits(
        std::io::Cursor::new(data),
        png::Limits { bytes: limits.picture_texels.saturating_mul(TEXEL) },
    );
    // Neither profiles of colours nor texts are looked at, and both may be packed a thousand times.
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_ignore_text_chunk(true);
    let header = decoder.read_header_info().map_err(broken)?;
    let (width, height) = (header.width as usize, header.height as usize);
    within(width, height, limits)?;
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(broken)?;
    let size = reader.output_buffer_size().unwrap_or(0);
    let mut bytes = vec![0; size];
    let frame = reader.next_frame(&mut bytes).map_err(broken)?;
    bytes.truncate(frame.buffer_size());
    let list = match frame.color_type {
        ColorType::Grayscale => bytes.iter().map(|g| [*g, *g, *g, 255]).collect(),
        ColorType::GrayscaleAlpha => bytes.as_chunks::<2>().0.iter().map(|[g, a]| [*g, *g, *g, *a]).collect(),
        ColorType::Rgba => bytes.as_chunks::<4>().0.to_vec(),
        ColorType::Rgb | ColorType::Indexed => {
            bytes.as_chunks::<3>().0.iter().map(|[r, g, b]| [*r, *g, *b, 255]).collect()
        }
    };
    Texels::new(width, height, list)
}

fn jpeg_options() -> DecoderOptions {
    DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::RGB)
        .set_max_width(usize::from(u16::MAX))
        .set_max_height(usize::from(u16::MAX))
}

fn jpeg(data: &[u8], limits: &Limits) -> Result<Texels, Unusable> {
    let broken = |error: zune_jpeg::errors::DecodeErrors| Unusable::Broken(error.to_string());
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(data), jpeg_options());
    decoder.decode_headers().map_err(broken)?;
    let (width, height) = decoder.dimensions().unwrap_or_default();
    within(width, height, limits)?;
    let bytes = decoder.decode().map_err(broken)?;
    let list = bytes.as_chunks::<3>().0.iter().map(|[r, g, b]| [*r, *g, *b, 255]).collect();
    Texels::new(width, height, list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texels_come_back_from_png() {
        for alpha in [255, 7] {
            let list: Vec<[u8; 4]> = (0..35).map(|i| [i, 2 * i, 255 - i, alpha]).collect();
            let texels = Texels::new(7, 5, list).unwrap();
            assert_eq!(Texels::decode(&texels.to_png().unwrap(), "").unwrap(), texels);
        }
    }

    #[test]
    fn tga_and_dds_are_decoded() {
        // Two texels, bottom row first, blue green red; then the same as runs.
        let mut tga = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 24, 0];
        tga.extend([1, 2, 3, 4, 5, 6]);
        let expected = vec![[6, 5, 4, 255], [3, 2, 1, 255]];
        assert_eq!(Texels::decode(&tga, "a.tga").unwrap().into_list(), expected);
        tga[2] = 10;
        tga.splice(18.., [0x80, 1, 2, 3, 0x80, 4, 5, 6]);
        assert_eq!(Texels::decode(&tga, "a.tga").unwrap().into_list(), expected);
        // One block of DXT1: red everywhere.
        let mut dds = b"DDS ".to_vec();
        dds.resize(128, 0);
        dds[12] = 4;
        dds[16] = 4;
        dds[80] = 4;
        dds[84..88].copy_from_slice(b"DXT1");
        dds.extend([0x00, 0xF8, 0x00, 0x00, 0, 0, 0, 0]);
        let texels = Texels::decode(&dds, "").unwrap();
        assert_eq!((texels.width(), texels.height()), (4, 4));
        assert!(texels.list().iter().all(|texel| *texel == [255, 0, 0, 255]));
        for cut in 0..dds.len() - 1 {
            assert!(Texels::decode(&dds[..cut], "").is_err());
        }
    }
}
