//! Pictures: which kind one is, and, with the feature `pictures`, their texels and PNG files made of these.
//!
//! Formats differ in the kinds that they can use ([`Usable`]). A picture of another kind is converted to PNG on the way.

#![deny(clippy::indexing_slicing)]

#[cfg(feature = "pictures")]
mod dds;
#[cfg(feature = "pictures")]
mod texels;
#[cfg(feature = "pictures")]
mod tga;

#[cfg(feature = "pictures")]
pub use texels::{Texels, Unusable};

/// A kind of picture file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Kind {
    Png,
    Jpeg,
    Tga,
    Dds,
    Bmp,
    Webp,
    Ktx2,
    Avif,
}

impl Kind {
    /// The kind that the first bytes tell; TGA has no magic bytes, so that its name has to tell it.
    pub fn of(data: &[u8], name: &str) -> Option<Self> {
        let magic: [(&[u8], Self); 5] = [
            (b"\x89PNG\r\n\x1a\n", Self::Png),
            (b"\xFF\xD8\xFF", Self::Jpeg),
            (b"DDS ", Self::Dds),
            (b"BM", Self::Bmp),
            (b"\xABKTX 20\xBB", Self::Ktx2),
        ];
        let by_magic = magic.iter().find(|(magic, _)| data.starts_with(magic)).map(|(_, kind)| *kind);
        let boxed = match (data.get(..4), data.get(4..8), data.get(8..12)) {
            (Some(b"RIFF"), _, Some(b"WEBP")) => Some(Self::Webp),
            (_, Some(b"ftyp"), Some(b"avif")) => Some(Self::Avif),
            _ => None,
        };
        let is_tga = || Self::named(name) == Some(Self::Tga);
        by_magic.or(boxed).or_else(|| is_tga().then_some(Self::Tga))
    }

    /// The kind that a file's name tells.
    pub fn named(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        let kinds =
            [Self::Png, Self::Jpeg, Self::Tga, Self::Dds, Self::Bmp, Self::Webp, Self::Ktx2, Self::Avif];
        let extension = extension.to_ascii_lowercase();
        kinds
            .into_iter()
            .find(|kind| extension == kind.extension() || (extension == "jpeg" && *kind == Self::Jpeg))
    }

    /// What its files end with, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpg",
            Self::Tga => "tga",
            Self::Dds => "dds",
            Self::Bmp => "bmp",
            Self::Webp => "webp",
            Self::Ktx2 => "ktx2",
            Self::Avif => "avif",
        }
    }

    /// Its media type.
    pub fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Tga => "image/x-tga",
            Self::Dds => "image/vnd-ms.dds",
            Self::Bmp => "image/bmp",
            Self::Webp => "image/webp",
            Self::Ktx2 => "image/ktx2",
            Self::Avif => "image/avif",
        }
    }
}

/// Which pictures a format's files, and its original engine, can use.
#[derive(Clone, Copy, Debug)]
pub struct Usable {
    /// The kinds; `None` for all that there are, empty for a format without pictures.
    pub kinds: Option<&'static [Kind]>,
    /// Whether a picture of grey and alpha, without colour, can be used.
    pub grey_with_alpha: bool,
}

impl Usable {
    /// Whatever there is.
    pub const ANY: Self = Self { kinds: None, grey_with_alpha: true };
    /// None at all.
    pub const NONE: Self = Self { kinds: Some(&[]), grey_with_alpha: true };
    /// PNG and JPEG, as modern tools read them.
    pub const PNG_AND_JPEG: Self = Self { kinds: Some(&[Kind::Png, Kind::Jpeg]), grey_with_alpha: true };
    /// PNG alone.
    pub const PNG: Self = Self { kinds: Some(&[Kind::Png]), grey_with_alpha: true };
    /// PNG alone, and that in grey, in colour, or in colour with alpha.
    pub const PNG_WITHOUT_GREY_ALPHA: Self = Self { kinds: Some(&[Kind::Png]), grey_with_alpha: false };

    /// Whether a picture can be used as it is.
    pub fn takes(&self, kind: Kind, data: &[u8]) -> bool {
        let known = self.kinds.is_none_or(|kinds| kinds.contains(&kind));
        // The colour type of a PNG is the tenth byte of its header's data.
        let grey_alpha = kind == Kind::Png && data.get(25) == Some(&4);
        known && (self.grey_with_alpha || !grey_alpha)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_by_their_bytes_and_tga_by_its_name() {
        for (data, name, kind) in [
            (&b"\x89PNG\r\n\x1a\n"[..], "a.jpg", Some(Kind::Png)),
            (b"\xFF\xD8\xFF\xE0", "", Some(Kind::Jpeg)),
            (b"RIFF\0\0\0\0WEBPVP8 ", "", Some(Kind::Webp)),
            (b"\0\0\x02\0", "Skin.TGA", Some(Kind::Tga)),
            (b"\0\0\x02\0", "skin", None),
            (b"", "", None),
        ] {
            assert_eq!(Kind::of(data, name), kind, "{name}");
        }
        assert_eq!(Kind::named("x.JPEG"), Some(Kind::Jpeg));
        assert!(!Usable::PNG.takes(Kind::Jpeg, b""));
        assert!(Usable::ANY.takes(Kind::Dds, b""));
    }
}
