//! The tree of a file: every byte once, and the values that are there.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by a panic")]

mod support;

use serde_json::Value;
use support::{corpus, menagerie};

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
    for file in ["made/bo3d/scene.bo3d", "made/bo3d/skinned16.bo3d", "made/bo3d/trailing.bo3d"] {
        let tree: Value = serde_json::from_str(&inspect(file, &["--json", "--all"])).unwrap();
        let mut found = Vec::new();
        leaves(&tree, &mut found);
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
