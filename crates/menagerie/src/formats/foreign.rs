//! What files of no format of ours probably are, so that a folder of unknown files says more than "unknown".

use std::borrow::Cow;

/// Where the marks of well-known files stand, what they are, and what such a file is.
const MARKS: &[(usize, &[u8], &str)] = &[
    (0, b"\x89PNG\r\n\x1a\n", "PNG picture"),
    (0, b"\xff\xd8\xff", "JPEG picture"),
    (0, b"GIF8", "GIF picture"),
    (0, b"DDS ", "DDS picture"),
    (0, b"\xabKTX 11", "KTX picture"),
    (0, b"\xabKTX 20", "KTX2 picture"),
    (0, b"8BPS", "Photoshop picture"),
    (0, b"II*\0", "TIFF picture"),
    (0, b"MM\0*", "TIFF picture"),
    (8, b"WEBP", "WebP picture"),
    (0, b"v/1\x01", "OpenEXR picture"),
    (0, b"#?RADIANCE", "HDR picture"),
    (0, b"gimp xcf", "GIMP picture"),
    (0, b"Kaydara FBX Binary", "FBX model"),
    (0, b"; FBX", "FBX model"),
    (0, b"BLENDER", "Blender file"),
    (0, b"IDP2", "Quake II model (MD2)"),
    (0, b"IDP3", "Quake III model (MD3)"),
    (0, b"IDPO", "Quake model (MDL)"),
    (0, b"IDST", "Half-Life model (MDL)"),
    (0, b"IDSQ", "Half-Life model (MDL)"),
    (0, b"MD5Version", "Doom 3 model (MD5)"),
    (0, b"INTERQUAKEMODEL", "IQM model"),
    (0, b"xof 0", "DirectX model (X)"),
    (0, b"MS3D000000", "MilkShape model"),
    (0, b"BB3D", "Blitz3D model (B3D)"),
    (0, b"MDLX", "Warcraft III model (MDX)"),
    (0, b"OFF\n", "OFF model"),
    (0, b"#VRML", "VRML model"),
    (8, b"LWO2", "LightWave model"),
    (8, b"LWOB", "LightWave model"),
    (0, b"PSK", "Unreal model (PSK)"),
    (0, b"ACTRHEAD", "Unreal model (PSK)"),
    (0, b"VBSP", "Source engine level (BSP)"),
    (0, b"IBSP", "Quake level (BSP)"),
    (0, b"PACK", "Quake archive (PAK)"),
    (0, b"PK\x03\x04", "ZIP archive"),
    (0, b"\x1f\x8b", "gzip archive"),
    (0, b"7z\xbc\xaf\x27\x1c", "7-Zip archive"),
    (0, b"Rar!", "RAR archive"),
    (0, b"\xfd7zXZ\0", "xz archive"),
    (0, b"\x28\xb5\x2f\xfd", "Zstandard archive"),
    (257, b"ustar", "tar archive"),
    (8, b"WAVE", "WAV sound"),
    (0, b"OggS", "Ogg sound"),
    (0, b"fLaC", "FLAC sound"),
    (0, b"ID3", "MP3 sound"),
    (0, b"%PDF", "PDF document"),
    (0, b"\x7fELF", "program"),
    (0, b"MZ", "program"),
    (0, b"SQLite format 3\0", "SQLite database"),
    (0, b"version https://git-lfs", "Git LFS pointer, not the file itself"),
];

/// Files that are told by their names, because their bytes do not tell.
const NAMES: &[(&str, &str)] = &[
    ("tga", "TGA picture"),
    ("bmp", "BMP picture"),
    ("3ds", "3D Studio model"),
    ("max", "3ds Max file"),
    ("dae", "Collada model"),
    ("x3d", "X3D model"),
    ("usd", "USD model"),
    ("usda", "USD model"),
    ("usdz", "USD model"),
    ("mtl", "materials of an OBJ"),
    ("bin", "buffer of a glTF or data"),
    ("bdef", "bones of a BMD as text"),
];

/// What a file of no known format probably is, by its first bytes and its name: `PNG picture`, `text (.ini)`.
pub fn foreign_kind(start: &[u8], name: &str) -> Cow<'static, str> {
    let marked = MARKS.iter().find(|(at, mark, _)| start.get(*at..at + mark.len()) == Some(mark));
    if let Some((_, _, kind)) = marked {
        return Cow::Borrowed(kind);
    }
    let extension = super::extension(name).map(str::to_ascii_lowercase).unwrap_or_default();
    if let Some((_, kind)) = NAMES.iter().find(|(known, _)| *known == extension) {
        return Cow::Borrowed(kind);
    }
    let kind = match start {
        [] => return Cow::Borrowed("empty file"),
        _ if is_text(start) => "text",
        _ => "unknown",
    };
    let short = (1..=8).contains(&extension.len()) && extension.chars().all(char::is_alphanumeric);
    if short { Cow::Owned(format!("{kind} (.{extension})")) } else { Cow::Borrowed(kind) }
}

/// Whether bytes look like text: UTF-8, cut anywhere, without control characters.
fn is_text(start: &[u8]) -> bool {
    let valid = match std::str::from_utf8(start) {
        Ok(text) => text,
        // A letter may be cut at the end.
        Err(error) if error.error_len().is_none() => start
            .get(..error.valid_up_to())
            .and_then(|whole| std::str::from_utf8(whole).ok())
            .unwrap_or_default(),
        Err(_) => return false,
    };
    !valid.is_empty() && !valid.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\x0c'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_files_are_named() {
        for (start, name, kind) in [
            (&b"\x89PNG\r\n\x1a\n...."[..], "a.bin", "PNG picture"),
            (b"IDP2rest", "tris.md2", "Quake II model (MD2)"),
            (b"a = 1\n", "settings.ini", "text (.ini)"),
            ("Gr\u{fc}\u{df}e".as_bytes(), "readme", "text"),
            (b"\0\x01\x02", "x.dat", "unknown (.dat)"),
            (b"\0\x01\x02", "x", "unknown"),
            (b"\0\x01\x02", "skin.TGA", "TGA picture"),
            (b"", "x.dat", "empty file"),
            ("caf\u{e9}".as_bytes().split_last().unwrap().1, "cut.txt", "text (.txt)"),
        ] {
            assert_eq!(foreign_kind(start, name), kind, "{name}");
        }
    }
}
