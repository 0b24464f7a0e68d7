//! A file that was cut short is refused, or what it lacks is counted: never "nothing lost".

use crate::support::{TestFile, own, real};
use menagerie::convert::{Conversion, ConvertOptions, convert};
use menagerie::diag::LossKind;
use menagerie::diff::{DiffOptions, diff};
use menagerie::formats::{ALL, Format};
use menagerie::scene::assert_scene;

/// Lengths of each file that are tried.
const LENGTHS: usize = 64;

/// The beginning of a text may be a whole text: nothing says what came after it.
fn is_text(bytes: &[u8]) -> bool {
    !bytes.iter().take(512).any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace())
}

/// Whether a beginning means the same as the whole file: then it lacks nothing but spare bytes.
fn is_whole(part: &Conversion, whole: &Conversion) -> bool {
    part.output == whole.output
        || part.scene.as_ref().zip(whole.scene.as_ref()).is_some_and(|(part, whole)| {
            diff(assert_scene(whole), assert_scene(part), &DiffOptions::default()).is_equal()
        })
}

#[test]
fn no_prefix_converts_to_nothing_lost() {
    let glb = Format::by_id("gltf").expect("glTF");
    let mut silent = Vec::new();
    let (mut refused, mut counted) = (0, 0);
    for format in ALL {
        let files: Vec<TestFile> = real(format).into_iter().chain(own("made", format)).collect();
        for file in files.into_iter().filter(|file| !is_text(&file.bytes)) {
            let mut options = ConvertOptions::default();
            options.from = Some(format);
            options.rebuild = true;
            let Ok(whole) = convert(&file.bytes, Some(&file.name()), glb, &options) else { continue };
            for i in 0..LENGTHS {
                let prefix = &file.bytes[..file.bytes.len() * i / LENGTHS];
                match convert(prefix, Some(&file.name()), glb, &options) {
                    Err(_) => refused += 1,
                    Ok(done) if done.losses.losses().any(|loss| loss.kind == LossKind::Damaged) => {
                        counted += 1
                    }
                    Ok(done) if is_whole(&done, &whole) => {}
                    Ok(_) => silent.push(format!("{} cut at {}", file.name(), prefix.len())),
                }
            }
        }
    }
    println!("{refused} prefixes refused, {counted} with their damage counted");
    assert!(
        silent.is_empty(),
        "{} prefixes lose in silence: {:#?}",
        silent.len(),
        &silent[..silent.len().min(20)]
    );
}
