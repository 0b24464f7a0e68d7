//! A file that was cut short is refused, or what it lacks is counted: never "nothing lost".

mod support;

use menagerie::convert::{ConvertOptions, convert};
use menagerie::diag::LossKind;
use menagerie::formats::{ALL, Format};
use support::{TestFile, own, real};

/// Lengths of each file that are tried.
const LENGTHS: usize = 64;

/// Text that ends with a whole line says nothing about what came after it.
fn cannot_tell(format: &Format, prefix: &[u8]) -> bool {
    format.id == "obj" && prefix.ends_with(b"\n")
}

#[test]
fn no_prefix_converts_to_nothing_lost() {
    let glb = Format::by_id("gltf").expect("glTF");
    let mut silent = Vec::new();
    let (mut refused, mut counted) = (0, 0);
    for format in ALL {
        let files: Vec<TestFile> = real(format).into_iter().chain(own("made", format)).collect();
        for file in files {
            for i in 0..LENGTHS {
                let prefix = &file.bytes[..file.bytes.len() * i / LENGTHS];
                if cannot_tell(format, prefix) {
                    continue;
                }
                let mut options = ConvertOptions::default();
                options.from = Some(format);
                options.rebuild = true;
                match convert(prefix, Some(&file.name()), glb, &options) {
                    Err(_) => refused += 1,
                    Ok(done) if done.losses.losses().any(|loss| loss.kind == LossKind::Damaged) => {
                        counted += 1
                    }
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
