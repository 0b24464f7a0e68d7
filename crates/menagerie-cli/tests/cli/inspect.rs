//! The tree of a file: every byte once, and the values that are there.

use crate::support::{corpus, menagerie};
use menagerie::formats::{Format, ReadOptions};
use serde_json::Value;

fn inspect(file: &str, options: &[&str]) -> String {
    let file = corpus(file).display().to_string();
    menagerie(["inspect", &file].iter().chain(options)).exits(0).text()
}

/// Offset and end of every leaf, in the order in which they are printed.
fn leaves(value: &Value, found: &mut Vec<(u64, u64)>) {
    let parts = value["parts"].as_array().map(Vec::as_slice).unwrap_or_default();
    parts.iter().for_each(|part| leaves(part, found));
    if let (true, Some(offset)) = (value.get("parts").is_none(), value["offset"].as_u64()) {
        found.push((offset, offset + value["length"].as_u64().unwrap()));
    }
}

#[test]
fn leaves_cover_the_file_without_gap_or_overlap() {
    let animated = "made/bmd/m09_skeleton_anims.bmd";
    for file in ["made/bo3d/scene.bo3d", "made/bo3d/skinned16.bo3d", "made/bo3d/trailing.bo3d", animated] {
        let tree: Value = serde_json::from_str(&inspect(file, &["--json", "--all"])).unwrap();
        let mut found = Vec::new();
        leaves(&tree, &mut found);
        // Lists in lists, as frames of BMD have them, are spelt out too.
        let bytes = std::fs::read(corpus(file)).unwrap();
        let (format, _) = Format::detect(&bytes, Some(file)).unwrap();
        let model = format.open(&bytes, &ReadOptions::default()).model.unwrap();
        let known = model.layout().leaves().into_iter().map(|(_, span, _)| (span.start, span.end));
        assert_eq!(found, known.collect::<Vec<_>>(), "{file}");
        let mut at = 0;
        for (start, end) in found {
            assert_eq!(start, at, "{file}");
            at = end;
        }
        assert_eq!(at, tree["bytes"].as_u64().unwrap(), "{file}");
    }
}

#[test]
fn a_part_can_be_picked() {
    let file = "made/bo3d/tri32.bo3d";
    for (options, has, has_not) in [
        (&["--depth", "1"][..], "entities[0]", "magic"),
        (&["--path", "header"], "vfloat_bits  i32 32", "entities"),
        (&["--path", "header.version"], "i32 100", "magic"),
        (&["--path", "header.magic", "--hex"], "42 4f 33 44", "version"),
        (&["--path", "entities"], "entities[0]", "header"),
        (&["--path", "entities[0].vertices[1].position"], "f32 (", "normal"),
        (&["--path", "entities[0].vertices[1]"], "position", "triangles"),
    ] {
        let text = inspect(file, options);
        assert!(text.contains(has), "{options:?} lacks {has}: {text}");
        assert!(!text.contains(has_not), "{options:?} has {has_not}: {text}");
    }
}

#[test]
fn long_tables_are_cut_short_unless_asked_for() {
    let file = "made/bo3d/max_vertices.bo3d";
    let short = inspect(file, &[]);
    assert!(short.lines().count() < 200, "{} lines", short.lines().count());
    assert!(short.contains("… 65528 more; --all, or --path 'entities[0].vertices[N]'"), "{short}");
    let table = inspect(file, &["--path", "entities[0].vertices", "--depth", "2"]);
    assert_eq!(table.lines().count(), 65536 + 2);
}

#[test]
fn bytes_and_names_are_found() {
    let file = "made/bo3d/tri32.bo3d";
    for (options, has, has_not) in [
        (&["--at", "0"][..], "header.magic", "version"),
        (&["--at", "4"], "header.version", "magic"),
        (&["--at", "0x0..0x8"], "header.version", "entities"),
        (&["--find", "VERSION"], "header.version", "magic"),
        (&["--find", "bo3d"], "header.magic", "entities"),
        (&["--find", "hex:42 4f 33"], "header.magic", "entities"),
        (&["--raw"], "text \"BO3Dd\"", "header"),
    ] {
        let text = inspect(file, options);
        assert!(text.contains(has), "{options:?} lacks {has}: {text}");
        assert!(!text.contains(has_not), "{options:?} has {has_not}: {text}");
    }
    let file = corpus(file).display().to_string();
    for (options, error) in [
        (["--at", "999999"], "there is no byte 999999"),
        (["--at", "x"], "is no byte"),
        (["--find", "nowhere"], "is nowhere in it"),
    ] {
        let ran = menagerie(["inspect", &file].iter().chain(&options)).exits(2);
        assert!(ran.err.contains(error), "{}", ran.err);
    }
}

/// Every prefix of a file can be looked into, and what is shown is all of it.
#[test]
fn what_is_left_of_a_broken_file_is_shown() {
    let home = crate::support::samples();
    for name in [
        "creature.bmd",
        "creature.bo3d",
        "creature.bgl",
        "creature.das2",
        "lantern.dgl2",
        "crate.glb",
        "crate.obj",
    ] {
        let whole = std::fs::read(home.path().join(name)).unwrap();
        for part in [1, 3, 9, 20, 45, 63] {
            let cut = home.path().join(format!("cut-{part}-{name}"));
            let length = whole.len() * part / 64;
            std::fs::write(&cut, &whole[..length]).unwrap();
            let ran = menagerie(["inspect", &cut.display().to_string(), "--json", "--all"]);
            assert!(matches!(ran.code, Some(0..=2)), "{name} {part}: {}", ran.err);
            let tree = ran.json();
            let mut found = Vec::new();
            leaves(&tree, &mut found);
            found.sort_unstable();
            // Bytes inside of what is compressed have places of their own.
            if name != "creature.das2" {
                let end = found
                    .iter()
                    .fold(0, |end, (start, stop)| if *start <= end { end.max(*stop) } else { end });
                assert_eq!(end, length as u64, "{name} {part}");
            }
        }
    }
    let unknown = home.path().join("unknown.xyz");
    std::fs::write(&unknown, b"\x01\x02 some words \x00\x00").unwrap();
    let unknown = unknown.display().to_string();
    assert!(menagerie(["inspect", &unknown]).exits(2).text().contains("text \" some words \""));
    menagerie(["inspect", &unknown, "--raw"]).exits(0);
}
