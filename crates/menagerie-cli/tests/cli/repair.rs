//! Broken files are mended as far as they can be, and what is said to have changed has.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{corpus, menagerie, samples};

/// All broken files of the five formats.
fn broken() -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in fs::read_dir(corpus("bad")).unwrap() {
        let folder = folder.unwrap().path();
        // Those that came with formats of their own; text and bridge formats have other tests.
        let own = ["bmd", "bo3d", "bogle", "das2", "dgl2"].iter().any(|format| folder.ends_with(format));
        if !own {
            continue;
        }
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        files.extend(entries.filter(|path| path.extension().is_some_and(|e| e != "json" && e != "md")));
    }
    files.sort();
    files
}

fn bytes_of(hex: &Value) -> Vec<u8> {
    let digits = hex.as_str().unwrap();
    (0..digits.len()).step_by(2).map(|i| u8::from_str_radix(&digits[i..i + 2], 16).unwrap()).collect()
}

/// Whether a piece of a change is what the file has there.
fn is_there(piece: &Value, file: &[u8]) -> bool {
    if piece.is_null() || piece["packed"] == true {
        return true;
    }
    let start = piece["offset"].as_u64().unwrap() as usize;
    let bytes = bytes_of(&piece["hex"]);
    start + piece["length"].as_u64().unwrap() as usize <= file.len() && file[start..].starts_with(&bytes)
}

/// Mends a file and checks all that is said about it. False when it cannot be mended.
fn mends(file: &Path, home: &Path) -> bool {
    let out = home.join(format!("mended.{}", file.extension().unwrap().display()));
    let _ = fs::remove_file(&out);
    let (file_name, out_name) = (file.display().to_string(), out.display().to_string());
    let before = fs::read(file).unwrap();
    let ran = menagerie(["repair", &file_name, &out_name, "--json"]);
    assert!(fs::read(file).unwrap() == before, "{file_name}: the broken file was touched");
    if ran.code == Some(2) {
        assert!(!out.exists() && ran.err.contains("cannot be mended: "), "{file_name}: {}", ran.err);
        return false;
    }
    let report = ran.json();
    let after = fs::read(&out).unwrap();
    menagerie(["validate", &out_name]).exits(0);
    for change in report["changes"].as_array().unwrap() {
        assert!(is_there(&change["before"], &before), "{file_name}: {change:#}");
        assert!(is_there(&change["after"], &after), "{file_name}: {change:#}");
        // Of long ones only the first bytes are told.
        let long = change["before"]["length"].as_u64().unwrap_or(0) > 64;
        assert!(long || change["before"] != change["after"], "{file_name}: {change:#}");
    }
    let gone = |list: &str| !report[list].as_array().unwrap().is_empty();
    let losses = report["losses"].as_array().unwrap().iter().any(|loss| loss["kind"] != "added");
    assert_eq!(ran.code, Some(i32::from(gone("missing") || losses)), "{file_name}: {report:#}");
    assert_eq!(before == after, !gone("changes"), "{file_name}");
    true
}

/// What no rule can mend: nothing is left, it is something else, or the document itself forbids it.
const HOPELESS: &[&str] = &[
    "author_overruns_file.das2",
    "big_endian_magic.das2",
    "deep_chain_257.bgl",
    "empty_file.bo3d",
    "not_dgl2_png.dgl2",
    "truncated_name.dgl2",
    "zlib_not_a_stream.das2",
];

#[test]
fn what_can_be_mended_is_valid_and_every_change_is_true() {
    let home = tempfile::tempdir().unwrap();
    let mut hopeless = Vec::new();
    for file in broken() {
        if !mends(&file, home.path()) {
            hopeless.push(file.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    hopeless.sort();
    assert_eq!(hopeless, HOPELESS);
}

/// Files of the formats that everybody writes are mended or refused, and what is said is true there too.
#[test]
fn bridge_formats_are_mended_or_refused() {
    let home = tempfile::tempdir().unwrap();
    let mut mended = 0;
    for format in ["gltf", "obj", "ply", "stl"] {
        for entry in fs::read_dir(corpus("bad").join(format)).unwrap() {
            let path = entry.unwrap().path();
            let known = path
                .extension()
                .is_some_and(|e| ["glb", "gltf", "obj", "ply", "stl"].iter().any(|x| e == *x));
            mended += usize::from(known && mends(&path, home.path()));
        }
    }
    assert!(mended > 10, "{mended}");
}

#[test]
fn what_is_left_of_cut_files_is_mended() {
    let home = samples();
    for name in [
        "creature.bmd",
        "creature.bo3d",
        "creature.bgl",
        "creature.das2",
        "lantern.dgl2",
        "crate.ply",
        "crate.stl",
    ] {
        let whole = fs::read(home.path().join(name)).unwrap();
        let mut mended = 0;
        for part in [8, 20, 32, 50, 63] {
            let cut = home.path().join(format!("cut-{name}"));
            fs::write(&cut, &whole[..whole.len() * part / 64]).unwrap();
            mended += usize::from(mends(&cut, home.path()));
        }
        assert!(mended >= 1, "{name}: {mended}");
    }
}

#[test]
fn sound_files_stay_and_the_input_is_never_written_over() {
    let home = samples();
    let at = |name: &str| home.path().join(name).display().to_string();
    let ran = menagerie(["repair", &at("crate.bo3d"), &at("same.bo3d")]).exits(0);
    assert!(ran.text().contains("nothing to mend"), "{}", ran.text());
    assert!(fs::read(at("crate.bo3d")).unwrap() == fs::read(at("same.bo3d")).unwrap());
    let ran = menagerie(["repair", &at("crate.bo3d"), &at("crate.bo3d")]).exits(2);
    assert!(ran.err.contains("is the broken file itself"), "{}", ran.err);
    let broken = corpus("bad/bo3d/vfloat_64.bo3d").display().to_string();
    let ran = menagerie(["repair", &broken, &at("dry.bo3d"), "--dry-run"]).exits(0);
    assert!(!home.path().join("dry.bo3d").exists());
    assert!(ran.text().contains("16..17 40 → 16..17 20 [bo3d/vfloat-width]"), "{}", ran.text());
}
