//! Scenes to draw, and the comparison with the pictures that are kept.

#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]
#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used, reason = "it serves tests")]

pub mod scenes;

use std::path::{Path, PathBuf};

use menagerie::convert::resolve_textures;
use menagerie::formats::{Format, ReadOptions};
use menagerie::scene::Scene;
use menagerie_render::{Picture, png};

/// Set to write the kept pictures anew; `cargo xtask pictures` does it.
pub const WRITE: &str = "MENAGERIE_WRITE_PICTURES";

/// The Scene of a file of the project's own corpus: `bo3d/scene.bo3d`.
pub fn made(path: &str) -> Scene {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../menagerie/tests/corpus/made").join(path);
    let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let options = ReadOptions::default();
    let (format, _) = Format::detect(&bytes, path.to_str()).unwrap();
    let model = format.open(&bytes, &options).model.unwrap();
    let mut scene = model.lift(&options).unwrap().scene;
    resolve_textures(&mut scene, options.files);
    scene
}

/// Compares a picture with the one that is kept under its name. Every byte of the file counts. When they differ, the
/// new picture and the difference are written below `target/tmp`.
#[track_caller]
pub fn is_as_kept(name: &str, picture: &Picture) {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/pictures").join(format!("{name}.png"));
    let bytes = png(picture).unwrap();
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&kept, &bytes).unwrap();
        return;
    }
    let expected = std::fs::read(&kept).unwrap_or_default();
    if expected == bytes {
        return;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures");
    std::fs::create_dir_all(&folder).unwrap();
    let write = |suffix: &str, bytes: &[u8]| -> PathBuf {
        let path = folder.join(format!("{name}{suffix}.png"));
        std::fs::write(&path, bytes).unwrap();
        path
    };
    let new = write("", &bytes);
    let Some((difference, pixels)) = difference(&expected, picture) else {
        panic!("{} is missing or has another size; the new picture is {}", kept.display(), new.display());
    };
    let shown = write("-difference", &png(&difference).unwrap());
    panic!(
        "{name}: {pixels} pixels differ from {}; the new picture is {}, the difference {}",
        kept.display(),
        new.display(),
        shown.display()
    );
}

/// What differs between a kept file and a picture, made visible, and in how many pixels; `None` without a kept file of
/// the same size.
fn difference(kept: &[u8], picture: &Picture) -> Option<(Picture, usize)> {
    let kept = menagerie::pictures::Texels::decode(kept, "").ok()?;
    if (kept.width(), kept.height()) != (picture.width() as usize, picture.height() as usize) {
        return None;
    }
    let mut shown = picture.clone();
    let mut pixels = 0;
    for (pixel, kept) in shown.pixels_mut().iter_mut().zip(kept.list()) {
        let apart = (0..4).map(|i| pixel[i].abs_diff(kept[i])).max().unwrap_or(0);
        pixels += usize::from(apart > 0);
        let visible = if apart == 0 { 0 } else { apart.saturating_mul(8).max(64) };
        *pixel = [visible, visible, visible, 255];
    }
    Some((shown, pixels))
}
