//! What must hold for every file of every format: one walk over the corpus, whatever formats there are.

mod support;

use std::time::{Duration, Instant};

use menagerie::bytes::{ByteMap, MapKind};
use menagerie::diag::Severity;
use menagerie::formats::{ALL, Format, ReadOptions};
use menagerie::scene::assert_scene;
use support::{TestFile, own, real};

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

/// Compressed data may be compressed anew when a file is rewritten: then all bytes outside of it are the same, and so
/// are those that it inflates to. `map` is that of `bytes`; false where nothing is compressed.
fn same_when_inflated(format: &Format, map: &ByteMap, bytes: &[u8], written: &[u8]) -> bool {
    type Inflated = Vec<(std::ops::Range<usize>, Vec<u8>)>;
    let inflated = |map: &ByteMap| -> Inflated {
        let mut open = vec![&map.root];
        let mut found = Vec::new();
        while let Some(node) = open.pop() {
            match &node.kind {
                MapKind::Group(parts) => open.extend(parts),
                MapKind::Encoded { bytes, .. } => {
                    found.push((node.span.range().expect("it is in memory"), bytes.clone()));
                }
                _ => {}
            }
        }
        found.sort_by_key(|(range, _)| range.start);
        found
    };
    let outside = |bytes: &[u8], inflated: &Inflated| -> Vec<u8> {
        let inside = |at: usize| inflated.iter().any(|(range, _)| range.contains(&at));
        (0..bytes.len()).filter(|at| !inside(*at)).map(|at| bytes[at]).collect()
    };
    let before = inflated(map);
    if before.is_empty() {
        return false;
    }
    let Some(model) = format.open(written, &ReadOptions::default()).model else { return false };
    let after = inflated(&model.layout());
    let data = |inflated: &Inflated| inflated.iter().map(|(_, data)| data.clone()).collect::<Vec<_>>();
    data(&before) == data(&after) && outside(bytes, &before) == outside(written, &after)
}

#[test]
fn every_byte_has_a_name() {
    for format in ALL {
        for file in readable(format) {
            let model = file.read(format).model.unwrap_or_else(|| panic!("{} is not read", file.name()));
            covers(&model.layout(), file.bytes.len() as u64, &file.name());
        }
    }
}

/// The leaves follow each other from the first byte to the last, inside encoded data too.
fn covers(map: &ByteMap, bytes: u64, name: &str) {
    let mut at = 0;
    for (path, span, _) in map.leaves() {
        assert_eq!(span.start, at, "{name}: {path} begins at {} and not at {at}", span.start);
        at = span.end;
    }
    assert_eq!(at, bytes, "{name}: the map ends at {at}");
    let mut open = vec![&map.root];
    while let Some(node) = open.pop() {
        match &node.kind {
            MapKind::Group(parts) => open.extend(parts),
            MapKind::Encoded { bytes, map } => covers(map, bytes.len() as u64, name),
            _ => {}
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
            let reading = file.read(format);
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
                survive(format, &file.bytes[..end]);
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
                    survive(format, &bytes);
                    bytes[at] = kept;
                }
            }
        }
    }
}

/// Whatever the bytes are: reading, mapping, writing and lifting come back, and what is lifted keeps the rules.
fn survive(format: &Format, bytes: &[u8]) {
    let options = ReadOptions::default();
    let Some(model) = format.open(bytes, &options).model else { return };
    let map = model.layout();
    let _ = model.summary();
    if let Ok(output) = model.write() {
        let same = output.bytes == bytes || same_when_inflated(format, &map, bytes, &output.bytes);
        assert!(same, "what can be read is written back");
    }
    if let Ok(lifted) = model.lift(&options) {
        assert_scene(&lifted.scene);
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
