//! Conversions: what is written, where, and what is left alone.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{PROGRAM, corpus, crate_with_texture, menagerie, run, samples};

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn the_same_format_gives_the_same_bytes() {
    let home = tempfile::tempdir().unwrap();
    let made = corpus("made/bo3d");
    let pattern = made.join("*.bo3d").display().to_string();
    menagerie(["convert", &pattern, &home.path().display().to_string(), "--to", "bo3d"]).exits(0);
    let written = names(home.path());
    assert!(written.len() > 5);
    for name in written {
        let same = fs::read(home.path().join(&name)).unwrap() == fs::read(made.join(&name)).unwrap();
        assert!(same, "{name}");
    }
}

#[test]
fn a_failed_write_leaves_the_old_file_whole() {
    let home = samples();
    let at = |name: &str| home.path().join(name).display().to_string();
    fs::write(at("old.bo3d"), "the old file").unwrap();
    // No file may grow beyond one block: what a full disk does, for everybody, root included.
    let script = format!(
        "trap '' XFSZ; ulimit -f 1; exec '{PROGRAM}' convert '{}' '{}' --rebuild",
        at("creature.bo3d"),
        at("old.bo3d")
    );
    let before = names(home.path());
    let ran = run(Command::new("sh").args(["-c", &script]), b"").exits(2);
    assert!(ran.err.contains("cannot write"), "{}", ran.err);
    assert_eq!(fs::read_to_string(at("old.bo3d")).unwrap(), "the old file");
    assert_eq!(names(home.path()), before, "no temporary file stays behind");
    // A source that cannot be read does not touch the target either.
    fs::write(at("broken.bo3d"), b"BO3D").unwrap();
    menagerie(["convert", &at("broken.bo3d"), &at("old.bo3d")]).exits(2);
    assert_eq!(fs::read_to_string(at("old.bo3d")).unwrap(), "the old file");
}

#[test]
#[cfg(target_os = "linux")]
fn targets_that_cannot_be_written_are_errors() {
    let file = corpus("made/bo3d/scene.bo3d").display().to_string();
    for target in ["/dev/full", "/proc/menagerie.bo3d"] {
        let ran = menagerie(["convert", &file, target, "--to", "bo3d"]).exits(2);
        assert!(ran.err.contains("cannot write"), "{}", ran.err);
    }
}

#[test]
fn a_file_can_take_its_own_place() {
    let home = samples();
    let file = home.path().join("crate.bo3d").display().to_string();
    let before = fs::read(&file).unwrap();
    menagerie(["convert", &file, &file, "--scale", "2"]).exits(0);
    let doubled = fs::read(&file).unwrap();
    assert!(doubled != before);
    menagerie(["convert", &file, &file, "--scale", "0.5"]).exits(0);
    assert!(fs::read(&file).unwrap() == before);
}

#[test]
#[cfg(unix)]
fn new_files_have_the_usual_permissions_and_old_ones_keep_theirs() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let target = home.path().join("out.bo3d");
    let file = corpus("made/bo3d/scene.bo3d");
    let mode = || fs::metadata(&target).unwrap().permissions().mode() & 0o777;
    let script = format!("umask 022; exec '{PROGRAM}' convert '{}' '{}'", file.display(), target.display());
    run(Command::new("sh").args(["-c", &script]), b"").exits(0);
    assert_eq!(mode(), 0o644);
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    run(Command::new("sh").args(["-c", &script]), b"").exits(0);
    assert_eq!(mode(), 0o640);
}

#[test]
fn units_and_scale_change_lengths() {
    let home = samples();
    let at = |name: &str| home.path().join(name).display().to_string();
    for (options, top) in [
        (&["--scale", "3"][..], 3.0),
        (&["--unit", "cm"], 0.01),
        (&["--unit", "ft", "--scale", "2"], 0.6096),
        (&["--unit", "m"], 1.0),
    ] {
        menagerie(["convert", &at("crate.bo3d"), &at("out.bo3d")].iter().chain(options)).exits(0);
        let info = menagerie(["info", "--json", &at("out.bo3d")]).exits(0).json();
        let found = info[0]["bounds"]["max"][1].as_f64().unwrap();
        assert!((found - top).abs() < 1e-6, "{options:?}: {found} is not {top}");
    }
}

#[test]
fn textures_go_along_and_nothing_foreign_is_overwritten() {
    let home = samples();
    let at = |name: &str| home.path().join(name).display().to_string();
    let planks = fs::read(at("planks.png")).unwrap();
    let convert =
        || menagerie(["convert", &at("crate.bo3d"), &at("out/"), "--to", "bo3d", "--rebuild", "--json"]);
    convert().exits(0);
    assert_eq!(fs::read(at("out/planks.png")).unwrap(), planks);
    fs::write(at("out/planks.png"), "somebody's picture").unwrap();
    let value = convert().exits(0).json();
    assert_eq!(fs::read_to_string(at("out/planks.png")).unwrap(), "somebody's picture");
    assert!(value.to_string().contains("this one is called planks_2.png"), "{value:#}");
    assert_eq!(fs::read(at("out/planks_2.png")).unwrap(), planks);
}

#[test]
fn textures_outside_the_folder_are_never_taken() {
    let home = tempfile::tempdir().unwrap();
    let inner = home.path().join("a/b");
    fs::create_dir_all(&inner).unwrap();
    fs::write(home.path().join("secret.png"), "secret").unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(home.path().join("secret.png"), inner.join("link.png")).unwrap();
    let absolute = home.path().join("secret.png").display().to_string();
    for name in ["../../secret.png", r"..\..\secret.png", &absolute, "link.png"] {
        let model = inner.join("model.bo3d");
        fs::write(&model, crate_with_texture(name)).unwrap();
        let info = menagerie(["info", "--json", &model.display().to_string()]).exits(0).json();
        let texture = &info[0]["textures"][0];
        assert_eq!(texture["name"].as_str().unwrap().replace('\\', "/"), name.replace('\\', "/"));
        assert_eq!(texture["found"], false, "{texture:#}");
        assert!(texture["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
        let out = home.path().join("out");
        let arguments =
            ["convert", &model.display().to_string(), &format!("{}/", out.display()), "--to", "bo3d"];
        menagerie(arguments.into_iter().chain(["--rebuild"])).exits(0);
        assert_eq!(names(&out), ["model.bo3d"], "{name}");
    }
}

#[test]
fn a_name_that_is_only_kept_is_no_warning() {
    let home = samples();
    let at = |name: &str| home.path().join(name).display().to_string();
    let model = crate_with_texture("gone.png");
    fs::write(at("model.bo3d"), &model).unwrap();
    menagerie(["convert", &at("model.bo3d"), &at("model.glb")]).exits(0);
    let issues = |name: &str| {
        let validated = menagerie(["validate", "--json", &at(name)]).exits(0).json();
        let issues = validated[0]["issues"].as_array().unwrap().clone();
        issues.into_iter().map(|issue| (issue["code"].as_str().unwrap().to_owned(), issue))
    };
    let pictures = |name: &str| -> Vec<_> {
        issues(name).filter(|(code, _)| code.starts_with("file/picture")).collect()
    };
    let [(code, missing)] = &pictures("model.bo3d")[..] else { panic!("one picture is missing") };
    assert_eq!((code.as_str(), &missing["severity"]), ("file/picture-missing", &"warning".into()));
    let start = missing["offset"].as_u64().unwrap() as usize;
    assert!(model[start..].starts_with(b"gone.png"), "{missing:#}");
    let [(code, noted)] = &pictures("model.glb")[..] else { panic!("one picture is noted") };
    assert_eq!((code.as_str(), &noted["severity"]), ("file/picture-noted", &"info".into()));
}

#[test]
fn textures_are_found_by_the_options() {
    let home = samples();
    let at = |name: &str| home.path().join(name).display().to_string();
    fs::create_dir(at("art")).unwrap();
    fs::copy(at("planks.png"), at("art/Boards.PNG")).unwrap();
    fs::create_dir(at("model")).unwrap();
    fs::write(at("model/crate.bo3d"), crate_with_texture(r"C:\art\boards.png")).unwrap();
    for (options, found) in [
        (vec![], false),
        (vec!["--texture-dir".to_owned(), at("art")], true),
        (vec!["--texture".to_owned(), "boards.png=planks.png".to_owned()], false),
        (vec!["--texture".into(), "boards.png=planks.png".into(), "--texture-dir".into(), at("")], true),
    ] {
        let arguments = ["info".to_owned(), "--json".to_owned(), at("model/crate.bo3d")];
        let info = menagerie(arguments.into_iter().chain(options.clone())).exits(0).json();
        assert_eq!(info[0]["textures"][0]["found"], found, "{options:?}: {info:#}");
    }
}

#[test]
fn two_inputs_never_become_one_output() {
    let home = samples();
    let at = |name: &str| home.path().join(name).display().to_string();
    fs::create_dir(at("other")).unwrap();
    fs::copy(at("lantern.bo3d"), at("other/crate.bo3d")).unwrap();
    let ran = menagerie(["convert", &at("crate.bo3d"), &at("other/crate.bo3d"), &at("out/"), "--to", "bo3d"])
        .exits(2);
    assert!(ran.err.contains("crate.bo3d already becomes"), "{}", ran.err);
    assert!(fs::read(at("out/crate.bo3d")).unwrap() == fs::read(at("crate.bo3d")).unwrap());
}

#[test]
fn no_result_takes_the_place_of_another_input() {
    let home = samples();
    let at = |name: &str| home.path().join(name).display().to_string();
    fs::create_dir(at("other")).unwrap();
    fs::copy(at("lantern.bo3d"), at("other/crate.bo3d")).unwrap();
    let before = fs::read(at("crate.bo3d")).unwrap();
    let ran =
        menagerie(["convert", &at("other/crate.bo3d"), &at("crate.bo3d"), &at(""), "--to", "bo3d"]).exits(2);
    assert!(ran.err.contains("another input"), "{}", ran.err);
    assert!(fs::read(at("crate.bo3d")).unwrap() == before);
}

#[test]
fn names_in_files_give_no_orders_to_the_terminal() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name).display().to_string();
    fs::write(at("evil.bo3d"), crate_with_texture("\x1b[2Jgone.png")).unwrap();
    for arguments in [
        vec!["info", &at("evil.bo3d")],
        vec!["inspect", &at("evil.bo3d")],
        vec!["validate", &at("evil.bo3d")],
        vec!["convert", &at("evil.bo3d"), &at("out.bo3d"), "--rebuild"],
    ] {
        let ran = menagerie(&arguments).exits(0);
        assert!(!ran.out.contains(&0x1b) && !ran.err.contains('\x1b'), "{arguments:?}");
    }
}

#[test]
fn the_same_bytes_whatever_the_number_of_threads() {
    let pattern = corpus("made/bo3d/*.bo3d").display().to_string();
    let samples = samples();
    let own = samples.path().join("*.bo3d").display().to_string();
    let mut results = Vec::new();
    for threads in ["1", "2", "1", "2"] {
        let home = tempfile::tempdir().unwrap();
        let mut command = Command::new(PROGRAM);
        command.env("RAYON_NUM_THREADS", threads).current_dir(home.path());
        command.args([
            "convert",
            &pattern,
            &own,
            "out/",
            "--to",
            "bo3d",
            "--rebuild",
            "--loss-report",
            "l.json",
        ]);
        let ran = run(&mut command, b"").exits(0);
        let out = home.path().join("out");
        let files: Vec<(String, Vec<u8>)> =
            names(&out).into_iter().map(|name| (name.clone(), fs::read(out.join(name)).unwrap())).collect();
        results.push((
            without_times(&ran.text()),
            ran.err,
            files,
            fs::read(home.path().join("l.json")).unwrap(),
        ));
    }
    assert!(results[0].2.len() > 10);
    assert!(results.iter().all(|result| *result == results[0]));
}

/// What a batch says, without how long it took.
fn without_times(text: &str) -> Vec<String> {
    let until = |line: &str| line.rsplit_once([',', '(']).map_or(line, |(before, _)| before).to_owned();
    text.lines()
        .map(|line| if line.ends_with("s)") || line.ends_with(" s") { until(line) } else { line.to_owned() })
        .collect()
}

/// Levels of detail that were made are named, whatever the format makes of them, also where it is the source's own.
#[test]
fn levels_of_detail_are_reported_in_full() {
    let home = samples();
    for name in
        ["creature.bmd", "lantern.bmd", "creature.das2", "creature.glb", "creature.bgl", "creature.bo3d"]
    {
        let out = home.path().join(format!("levels-{name}"));
        let ran = menagerie([
            "convert",
            &home.path().join(name).display().to_string(),
            &out.display().to_string(),
            "--lod",
            "0.5",
            "--verify",
        ]);
        let ran = ran.exits(0);
        assert!(!ran.text().contains("NOT verified"), "{name}: {}", ran.text());
    }
}
