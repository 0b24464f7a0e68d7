//! Pictures as PNG files, still or moving.
//!
//! The same pixels give the same bytes on every machine: the filter is chosen by integers, and the compressor is one
//! that has no paths for single processors.

use menagerie::diag::Issue;
use png::{BitDepth, ColorType, DeflateCompression, Encoder, EncodingError, Filter};

use crate::{Picture, codes};

/// A PNG file with one picture. Without transparent pixels it has no alpha channel.
pub fn png(picture: &Picture) -> Result<Vec<u8>, Issue> {
    animated_png(std::slice::from_ref(picture), 1, 1)
}

/// A PNG file that plays pictures of the same size for ever, each for `delay.0 / delay.1` seconds.
pub fn animated_png(pictures: &[Picture], numerator: u16, denominator: u16) -> Result<Vec<u8>, Issue> {
    let mut bytes = Vec::new();
    write(&mut bytes, pictures, numerator, denominator).map_err(|error| {
        Issue::new(&codes::TOO_LARGE, "", format!("it cannot be written as PNG: {error}"))
    })?;
    Ok(bytes)
}

fn write(
    bytes: &mut Vec<u8>,
    pictures: &[Picture],
    numerator: u16,
    denominator: u16,
) -> Result<(), EncodingError> {
    let Some(first) = pictures.first() else { return Ok(()) };
    let opaque = pictures.iter().all(Picture::is_opaque);
    let mut encoder = Encoder::new(bytes, first.width(), first.height());
    encoder.set_color(if opaque { ColorType::Rgb } else { ColorType::Rgba });
    encoder.set_depth(BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.set_deflate_compression(DeflateCompression::FdeflateUltraFast);
    encoder.set_filter(Filter::Adaptive);
    if pictures.len() > 1 {
        encoder.set_animated(u32::try_from(pictures.len()).unwrap_or(u32::MAX), 0)?;
        encoder.set_frame_delay(numerator, denominator)?;
    }
    let mut writer = encoder.write_header()?;
    for picture in pictures {
        let data = if opaque {
            picture.pixels().iter().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect()
        } else {
            picture.pixels().as_flattened().to_vec()
        };
        writer.write_image_data(&data)?;
    }
    writer.finish()
}
