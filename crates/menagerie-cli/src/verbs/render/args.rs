//! The options of `render`.

use std::path::PathBuf;

use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use menagerie_render::{Lights, Side, Wireframe};

use crate::options::{Finding, not_negative, positive};

/// Draw pictures of models as PNG files, without a GPU
///
/// The same model and options give the same bytes on every machine. What cannot be drawn (a texture that is missing,
/// say) is named, and the rest is drawn.
#[derive(Args)]
pub(crate) struct RenderArgs {
    /// Files, patterns, folders (with -r), or - for standard input
    #[arg(required = true, value_name = "FILE")]
    pub(super) files: Vec<PathBuf>,
    /// The PNG file to write, a folder for several files, or - for standard output
    #[arg(short, long, value_name = "PNG")]
    pub(super) output: PathBuf,
    /// Take the models in folders and below
    #[arg(short, long)]
    pub(super) recursive: bool,
    /// Pixels: WIDTHxHEIGHT, or one number for a square; of one picture where a sheet has many
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub(super) size: Option<(u32, u32)>,
    /// three-quarter, front, back, left, right (the model's own), top, bottom, angles such as 30,15 (around to its left, up), or the
    /// name or number of a camera of the model
    #[arg(long, value_name = "VIEW", default_value = "three-quarter", allow_hyphen_values = true)]
    pub(super) camera: String,
    /// Show far things as large as near ones
    #[arg(long)]
    pub(super) orthographic: bool,
    /// An animation of the model, by its name or number from 0
    #[arg(long, value_name = "NAME")]
    pub(super) animation: Option<String>,
    /// The moment of the animation, in seconds
    #[arg(long, value_name = "S", value_parser = not_negative)]
    pub(super) time: Option<f32>,
    /// The moment of the animation, as a frame; --fps says how many a second where the model does not
    #[arg(long, value_name = "N", value_parser = not_negative, conflicts_with = "time")]
    pub(super) frame: Option<f32>,
    /// This many moments spread over the animation: numbered files, or one with --apng or --contact-sheet
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000), conflicts_with_all = ["time", "frame"])]
    pub(super) frames: Option<u16>,
    /// This many views all around the model: numbered files, or one with --apng or --contact-sheet
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000), conflicts_with = "frames")]
    pub(super) turntable: Option<u16>,
    /// Write the pictures of --turntable or --frames as one animated PNG
    #[arg(long)]
    pub(super) apng: bool,
    /// Put all pictures of all files on one sheet
    #[arg(long, conflicts_with = "apng")]
    pub(super) contact_sheet: bool,
    /// Put all levels of detail on one sheet
    #[arg(long, conflicts_with_all = ["apng", "turntable", "frames", "lod"])]
    pub(super) lod_sheet: bool,
    /// Pictures in a row of a sheet
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(super) columns: Option<u16>,
    /// The level of detail; 0 is the most detailed
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) lod: usize,
    /// What lights the model
    #[arg(long, value_enum, default_value_t = LightsArg(Lights::Auto))]
    pub(super) lights: LightsArg,
    /// Leave out the shadow on the ground
    #[arg(long)]
    pub(super) no_shadow: bool,
    /// Draw the edges of triangles, over the surfaces or alone
    #[arg(long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true, default_missing_value = "over")]
    pub(super) wireframe: Option<WireframeArg>,
    /// Draw the bones
    #[arg(long)]
    pub(super) bones: bool,
    /// Draw the box around the model
    #[arg(long)]
    pub(super) bounds: bool,
    /// Draw the axes at the origin: x red, y green, z blue (after the turn to y up)
    #[arg(long)]
    pub(super) axes: bool,
    /// Draw hidden parts too
    #[arg(long)]
    pub(super) hidden: bool,
    /// Draw the back of all triangles
    #[arg(long)]
    pub(super) double_sided: bool,
    /// A colour such as #20242a, white, black, or transparent
    #[arg(long, value_name = "COLOR", value_parser = color)]
    pub(super) background: Option<[u8; 4]>,
    /// Draw and pose as the format's document says, or as its original engine does
    #[arg(long = "as", value_enum, value_name = "WHOSE", default_value_t = WhoseArg::Document)]
    pub(super) whose: WhoseArg,
    /// Turn texture coordinates upside down
    #[arg(long)]
    pub(super) flip_v: bool,
    /// Frames a second, for formats that store frames without a rate, and for --frame and --apng
    #[arg(long, value_name = "N", value_parser = positive)]
    pub(super) fps: Option<f32>,
    /// Print JSON: an array with one object per input
    #[arg(long)]
    pub(super) json: bool,
    #[command(flatten)]
    pub(super) finding: Finding,
}

impl RenderArgs {
    /// Whether all pictures go on one sheet.
    pub(super) fn is_sheet(&self) -> bool {
        self.contact_sheet || self.lod_sheet
    }

    /// The size of one picture.
    pub(super) fn picture_size(&self) -> (u32, u32) {
        self.size.unwrap_or(if self.is_sheet() { (320, 320) } else { (1024, 1024) })
    }
}

/// [`Lights`] as an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LightsArg(pub(super) Lights);

impl ValueEnum for LightsArg {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self(Lights::Auto), Self(Lights::Studio), Self(Lights::Model), Self(Lights::Ambient)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self.0 {
            Lights::Auto => PossibleValue::new("auto")
                .help("the model's in pictures of its own cameras, else the studio's"),
            Lights::Studio => PossibleValue::new("studio").help("a studio that moves with the camera"),
            Lights::Model => PossibleValue::new("model").help("the model's own, if it has any"),
            Lights::Ambient => PossibleValue::new("ambient").help("even light from all sides"),
        })
    }
}

/// Whose reading of a file is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum WhoseArg {
    /// The document's
    Document,
    /// The original engine's
    Engine,
}

/// [`Wireframe`] as an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum WireframeArg {
    /// On the surfaces
    Over,
    /// Without surfaces
    Only,
}

impl From<WireframeArg> for Wireframe {
    fn from(arg: WireframeArg) -> Self {
        match arg {
            WireframeArg::Over => Self::Over,
            WireframeArg::Only => Self::Only,
        }
    }
}

/// `640x480`, or `256` for a square.
pub(super) fn size(text: &str) -> Result<(u32, u32), String> {
    let (width, height) = text.split_once(['x', 'X', '×']).unwrap_or((text, text));
    let side = |text: &str| match text.trim().parse::<u32>() {
        Ok(side) if (1..=menagerie_render::MAX_SIDE).contains(&side) => Ok(side),
        Ok(side) => Err(format!("{side} is not between 1 and {}", menagerie_render::MAX_SIDE)),
        Err(_) => Err("write it as WIDTHxHEIGHT, such as 640x480".to_owned()),
    };
    Ok((side(width)?, side(height)?))
}

/// `#rgb`, `#rrggbb`, `#rrggbbaa`, or one of a few names.
pub(super) fn color(text: &str) -> Result<[u8; 4], String> {
    match text.to_ascii_lowercase().as_str() {
        "transparent" | "none" => return Ok([0; 4]),
        "white" => return Ok([255; 4]),
        "black" => return Ok([0, 0, 0, 255]),
        "grey" | "gray" => return Ok([128, 128, 128, 255]),
        _ => {}
    }
    let wrong = || "write it as #rrggbb or #rrggbbaa, or as white, black, grey or transparent".to_owned();
    let digits = text.strip_prefix('#').unwrap_or(text);
    let digits: Option<Vec<u8>> =
        digits.chars().map(|digit| digit.to_digit(16).and_then(|value| u8::try_from(value).ok())).collect();
    match digits.ok_or_else(wrong)?.as_slice() {
        [r, g, b] => Ok([r * 17, g * 17, b * 17, 255]),
        [r, s, g, h, b, c] => Ok([r * 16 + s, g * 16 + h, b * 16 + c, 255]),
        [r, s, g, h, b, c, a, d] => Ok([r * 16 + s, g * 16 + h, b * 16 + c, a * 16 + d]),
        _ => Err(wrong()),
    }
}

/// A side of the model by its name or by two angles; `None` for anything else, which may be a camera's name.
pub(super) fn side(text: &str) -> Option<Side> {
    if let Some((_, side)) = Side::NAMED.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        return Some(*side);
    }
    let (azimuth, elevation) = text.split_once(',')?;
    let angle = |text: &str| text.trim().parse::<f32>().ok().filter(|angle| angle.abs() <= 360.0);
    Some(Side { azimuth: angle(azimuth)?, elevation: angle(elevation)?.clamp(-90.0, 90.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_colours_and_sides_are_understood() {
        assert_eq!(size("640x480"), Ok((640, 480)));
        assert_eq!(size("256"), Ok((256, 256)));
        for wrong in ["", "x", "0", "640x", "9000", "1x99999999999", "-3x4", "axb"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(color("#20242A"), Ok([0x20, 0x24, 0x2A, 255]));
        assert_eq!(color("fff"), Ok([255; 4]));
        assert_eq!(color("#00000080"), Ok([0, 0, 0, 0x80]));
        assert_eq!(color("transparent"), Ok([0; 4]));
        for wrong in ["", "#12", "#12345", "blau", "#gggggg"] {
            assert!(color(wrong).is_err(), "{wrong}");
        }
        assert_eq!(side("Front"), Some(Side { azimuth: 0.0, elevation: 0.0 }));
        assert_eq!(side("30, -15"), Some(Side { azimuth: 30.0, elevation: -15.0 }));
        for other in ["camera", "1", "1,2,3", "nan,0", "inf,0"] {
            assert_eq!(side(other), None, "{other}");
        }
    }
}
