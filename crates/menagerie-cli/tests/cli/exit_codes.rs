//! 0: done, nothing wrong; 1: done, and something is wrong with the files; 2: could not do it.

use std::fs;
use std::process::Command;

use crate::support::{PROGRAM, corpus, menagerie, run, samples};

const GOOD: &str = "{made}/scene.bo3d";
/// Cut short: what is whole is still read.
const BAD: &str = "{bad}/truncated.bo3d";
const UNREADABLE: &str = "{bad}/magic.bo3d";
const EMPTY: &str = "{bad}/empty_file.bo3d";
const GONE: &str = "{home}/gone.bo3d";

#[test]
fn verbs_exit_as_the_contract_says() {
    let home = samples();
    fs::write(home.path().join("notes.txt"), "no model at all").unwrap();
    fs::write(home.path().join("empty.txt"), "").unwrap();
    fs::create_dir(home.path().join("nothing")).unwrap();
    let fill = |argument: &str| {
        argument
            .replace("{made}", &corpus("made/bo3d").display().to_string())
            .replace("{bad}", &corpus("bad/bo3d").display().to_string())
            .replace("{home}", &home.path().display().to_string())
    };
    // Arguments, exit code, what standard output has, what standard error has.
    let table: &[(&[&str], i32, &str, &str)] = &[
        (&["--version"], 0, "menagerie", ""),
        (&["--help"], 0, "validate", ""),
        (&[], 2, "", "Usage"),
        (&["frobnicate"], 2, "", "unrecognized"),
        (&["info", GOOD], 0, "vertices", ""),
        (&["info", GONE], 2, "", "there is no such file"),
        (&["info", UNREADABLE], 2, "", "cannot be read"),
        (&["info", BAD], 1, "damaged", ""),
        (&["info", GOOD, GONE, GOOD], 2, "3 files", "gone.bo3d"),
        (&["info", "{home}/notes.txt"], 2, "", "file/unknown-format"),
        (&["info", "{home}/notes.txt", "--from", "bo3d"], 2, "", "BO3D"),
        (&["info", "{home}/notes.txt", "--from", "bo4d"], 2, "", "did you mean bo3d"),
        (&["info", "{home}"], 2, "", "-r"),
        (&["info", "-r", "{home}/nothing"], 2, "", "has no file in a format that is known"),
        (&["info", "-r", "{home}"], 0, "crate.bo3d", ""),
        (&["info", "{home}/cr*.bo3d"], 0, "creature.bo3d", ""),
        (&["info", "{home}/*.xyz"], 2, "", "no file fits"),
        (&["info", "{home}/creature.bo3d", "--fps", "0"], 2, "", "above zero"),
        (&["validate", GOOD], 0, "1 file: 1 valid", ""),
        (&["validate", BAD], 1, "error[bo3d/size-past-end]", ""),
        (&["validate", EMPTY], 1, "error[file/empty]", ""),
        (&["validate", "{home}/empty.txt"], 1, "error[file/empty]", ""),
        (&["validate", "{home}/notes.txt"], 2, "error[file/unknown-format]", ""),
        (&["validate", GOOD, BAD], 1, "2 files: 1 valid, 1 not", ""),
        (&["validate", GOOD, BAD, GONE], 2, "1 valid, 2 not", "gone.bo3d"),
        (&["validate", "{made}/version_99.bo3d"], 0, "warning[bo3d/version-older]", ""),
        (
            &["validate", "{made}/version_99.bo3d", "--deny", "bo3d/version-older"],
            1,
            "error[bo3d/version-older]",
            "",
        ),
        (&["validate", "{made}/version_99.bo3d", "--deny", "bo3d/*"], 1, "error[bo3d/version-older]", ""),
        (&["validate", "{made}/version_99.bo3d", "--deny", "warning"], 1, "error[bo3d/version-older]", ""),
        (
            &["validate", "{made}/version_99.bo3d", "--deny", "warning", "--allow", "bo3d/version-older"],
            0,
            "0 errors, 0 warnings",
            "",
        ),
        (
            &["validate", "{bad}/bone_vertex_range.bo3d", "--allow", "bo3d/bone-vertex-range"],
            0,
            "1 valid",
            "",
        ),
        (&["validate", BAD, "--allow", "bo3d/size-past-end"], 0, "1 valid", ""),
        (&["validate", BAD, "--allow", "bo3d/size-past-end", "--deny", "file/*"], 1, "0 valid", ""),
        (&["validate", GOOD, "--deny", "bo3d/magik"], 2, "", "did you mean bo3d/magic"),
        (&["validate", GOOD, "--json", "--sarif"], 2, "", "cannot be used with"),
        (&["explain"], 0, "bo3d/magic", ""),
        (&["explain", "bo3d/magic"], 0, "What to do", ""),
        (&["explain", "loss/skins"], 0, "What to do", ""),
        (&["explain", "magik"], 2, "", "did you mean bmd/magic, bo3d/magic"),
        (&["formats"], 0, "bo3d", ""),
        (&["inspect", GOOD], 0, "header", ""),
        (&["inspect", GOOD, "--path", "nonsense"], 2, "", "has no part nonsense"),
        (&["inspect", UNREADABLE], 2, "", "bo3d/magic"),
        (&["inspect", GONE], 2, "", "there is no such file"),
        (&["convert", GOOD], 2, "", ""),
        (&["convert", GOOD, "{home}/out.bo3d"], 0, "nothing lost", ""),
        (&["convert", GOOD, "{home}/out.xyz"], 2, "", "belongs to no format"),
        (&["convert", GOOD, "{home}/out.xyz", "--to", "bo3d"], 0, "nothing lost", ""),
        (&["convert", GOOD, "{home}"], 2, "", "--to"),
        (&["convert", GOOD, "-"], 2, "", "--to"),
        (&["convert", GOOD, GOOD, "{home}/out.bo3d"], 2, "", "need a folder"),
        (&["convert", GOOD, "{home}/no/such/folder/out.bo3d"], 2, "", "cannot write"),
        (&["convert", UNREADABLE, "{home}/bad.bo3d"], 2, "", "cannot be converted"),
        (&["convert", BAD, "{home}/damaged.glb"], 1, "damaged: ", ""),
        (&["convert", BAD, "{home}/bad.bo3d", "--strict"], 2, "", "damaged"),
        (&["convert", GONE, "{home}/bad.bo3d"], 2, "", "there is no such file"),
        (&["convert", GOOD, UNREADABLE, "{home}/many/", "--to", "bo3d"], 2, "1 file converted", "magic"),
        (&["convert", GOOD, "{home}/o.bo3d", "--scale", "nan"], 2, "", "above zero"),
        (&["convert", GOOD, "{home}/o.bo3d", "--scale", "0"], 2, "", "above zero"),
        (&["convert", GOOD, "{home}/o.bo3d", "--scale=-1"], 2, "", "above zero"),
        (&["convert", GOOD, "{home}/o.bo3d", "--bo3d-float", "24"], 2, "", "16, 32"),
        (&["convert", GOOD, "-", "--to", "bo3d", "--json"], 2, "", "only one of"),
        (
            &["convert", "{home}/creature.bo3d", "{home}/v.bo3d", "--rebuild", "--verify"],
            0,
            "equal to the source",
            "",
        ),
        (
            &["convert", "{home}/creature.bo3d", "{home}/v.bo3d", "--bo3d-float", "16", "--verify"],
            0,
            "all of them reported above",
            "",
        ),
        (&["diff", GOOD, GOOD], 0, "are equal", ""),
        (&["diff", GOOD, "{home}/crate.bo3d"], 1, "diff/", ""),
        (&["diff", GOOD, GONE], 2, "", "there is no such file"),
        (&["diff", GOOD, UNREADABLE], 2, "", "cannot be read"),
        (&["diff", GOOD], 2, "", "required"),
        (&["diff", "{home}/creature.bo3d", "{home}/v.bo3d"], 1, "diff/positions", ""),
        (&["diff", GOOD, GOOD, "--tolerance", "nan"], 2, "", "must not be below zero"),
        (&["completions", "bash"], 0, "bo3d-float", ""),
        (&["man", "{home}/man"], 0, "", ""),
        (&["demo", "{home}/demo"], 0, "crate.bo3d", ""),
    ];
    for (arguments, code, out, err) in table {
        let ran = menagerie(arguments.iter().map(|argument| fill(argument)));
        let told = format!("{arguments:?}\nout: {}\nerr: {}", ran.text(), ran.err);
        assert_eq!(ran.code, Some(*code), "{told}");
        assert!(ran.text().contains(out), "standard output lacks {out:?}: {told}");
        assert!(ran.err.contains(err), "standard error lacks {err:?}: {told}");
        assert!(!ran.text().contains('\x1b'), "colours in a pipe: {told}");
    }
    assert!(!home.path().join("bad.bo3d").exists(), "a failed conversion leaves nothing behind");
    let page = fs::read_to_string(home.path().join("man/menagerie-convert.1")).unwrap();
    assert!(page.contains("loss"), "{page}");
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let file = corpus("made/bo3d/max_vertices.bo3d");
    let script = format!("'{PROGRAM}' inspect --all '{}' | head -n 1", file.display());
    let ran = run(Command::new("sh").args(["-c", &script]), b"");
    assert_eq!(ran.text().lines().count(), 1);
    assert!(!ran.err.contains("panic"), "{}", ran.err);
}

#[test]
fn standard_input_is_read_and_standard_output_written() {
    let bytes = fs::read(corpus("made/bo3d/scene.bo3d")).unwrap();
    let info = run(Command::new(PROGRAM).args(["info", "--json", "-"]), &bytes).exits(0);
    assert_eq!(info.json()[0]["format"], "bo3d");
    let same = run(Command::new(PROGRAM).args(["convert", "-", "-", "--to", "bo3d"]), &bytes).exits(0);
    assert!(same.out == bytes);
    run(Command::new(PROGRAM).args(["validate", "-"]), b"").exits(1);
}
