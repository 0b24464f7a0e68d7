//! What must hold for every file of every format: one walk over the corpus, whatever formats there are.

use std::time::{Duration, Instant};

use crate::support::promises::{covers, same_when_inflated, survive};
use crate::support::{TestFile, own, real};
use menagerie::diag::Severity;
use menagerie::formats::{ALL, Format, ReadOptions};
use menagerie::scene::assert_scene;

/// Files that can be read: ours and the original tools'.
fn readable(format: &Format) -> Vec<TestFile> {
    let mut files = own("made", format);
    files.extend(real(format));
    files
}

#[test]
fn made_files_are_valid() {
    for format in ALL {
        for file in own("made", format) {
            let reading = file.read(format);
            let errors: Vec<_> =
                reading.issues.iter().filter(|issue| issue.severity == Severity::Error).collect();
            assert!(reading.model.is_some() && errors.is_empty(), "{}: {errors:#?}", file.name());
        }
    }
}

#[test]
fn rewriting_gives_the_same_bytes() {
    for format in ALL {
        for file in readable(format) {
            let model = file.read(format).model.unwrap_or_else(|| panic!("{} is not read", file.name()));
            let written = model.write().unwrap_or_else(|issue| panic!("{}: {issue}", file.name()));
            if same_when_inflated(format, &model.layout(), &file.bytes, &written.bytes) {
                continue;
            }
            if let Some(at) = (0..file.bytes.len()).find(|&i| written.bytes.get(i) != file.bytes.get(i)) {
                panic!("{} differs from byte {at} on", file.name());
            }
            assert_eq!(written.bytes.len(), file.bytes.len(), "{}", file.name());
        }
    }
}

#[test]
fn every_byte_has_a_name() {
    for format in ALL {
        for file in readable(format) {
            let model = file.read(format).model.unwrap_or_else(|| panic!("{} is not read", file.name()));
            covers(&model.layout(), file.bytes.len() as u64)
                .unwrap_or_else(|gap| panic!("{}: {gap}", file.name()));
        }
    }
}

#[test]
fn every_leaf_is_found_by_its_path() {
    for format in ALL {
        for file in readable(format).into_iter().filter(|file| file.bytes.len() < 20_000) {
            let map = file.read(format).model.unwrap_or_else(|| panic!("{}", file.name())).layout();
            for (path, span, _) in map.leaves() {
                assert_eq!(map.find(&path), Some(span), "{}: {path}", file.name());
            }
        }
    }
}

#[test]
fn bad_files_are_reported_with_a_place() {
    for format in ALL {
        for file in own("bad", format) {
            let start = Instant::now();
            let mut reading = file.read(format);
            let _ = reading.examine(&ReadOptions::default());
            let took = start.elapsed();
            assert!(took < Duration::from_secs(2), "{} took {took:?}", file.name());
            let serious = |severity| severity != Severity::Info;
            let located = reading.issues.iter().filter(|issue| serious(issue.severity)).any(|issue| {
                issue.span.is_some_and(|span| span.end <= file.bytes.len() as u64) || file.bytes.is_empty()
            });
            let all: Vec<_> = reading.issues.iter().collect();
            assert!(located, "{}: no issue with a place: {all:#?}", file.name());
        }
    }
}

#[test]
fn no_prefix_panics() {
    for format in ALL {
        let mut files = readable(format);
        files.extend(own("bad", format));
        for file in files.into_iter().filter(|file| file.bytes.len() < 5_000) {
            for end in 0..file.bytes.len() {
                let survived = survive(format, &file.bytes[..end]);
                survived.unwrap_or_else(|broken| panic!("{} cut at {end}: {broken}", file.name()));
            }
        }
    }
}

#[test]
fn no_changed_byte_panics() {
    for format in ALL {
        let mut files = readable(format);
        files.extend(own("bad", format));
        for file in files.into_iter().filter(|file| file.bytes.len() < 2_000) {
            let mut bytes = file.bytes.clone();
            for at in 0..bytes.len() {
                for value in [0x00, 0x7F, 0x80, 0xFF] {
                    let kept = std::mem::replace(&mut bytes[at], value);
                    let survived = survive(format, &bytes);
                    survived.unwrap_or_else(|broken| panic!("{} at {at}: {broken}", file.name()));
                    bytes[at] = kept;
                }
            }
        }
    }
}

#[test]
fn lifted_scenes_keep_the_rules() {
    for format in ALL {
        for file in readable(format) {
            let model = file.read(format).model.unwrap_or_else(|| panic!("{} is not read", file.name()));
            let lifted = model
                .lift(&ReadOptions::default())
                .unwrap_or_else(|issue| panic!("{}: {issue}", file.name()));
            assert_scene(&lifted.scene);
        }
    }
}

#[test]
fn every_code_that_a_file_gives_is_explained() {
    let known: Vec<&str> = menagerie::codes().map(|code| code.id).collect();
    for format in ALL {
        let mut files = readable(format);
        files.extend(own("bad", format));
        for file in files {
            for issue in file.read(format).issues.iter() {
                assert!(known.contains(&issue.code.id), "{} is not explained", issue.code);
            }
        }
    }
}

#[test]
fn magic_decides_before_the_extension() {
    for format in ALL {
        for file in readable(format) {
            let (found, _) =
                Format::detect(&file.bytes, Some("model.unknown")).expect("recognised by its bytes");
            assert_eq!(found, *format, "{}", file.name());
        }
    }
}
