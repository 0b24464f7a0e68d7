//! Whole folders: the tree is kept, what is there is respected, and a run that was stopped goes on.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{PROGRAM, corpus, menagerie, samples};

/// All files below a folder, by their path in it.
fn tree(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => drop(
                    files.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(&path).unwrap()),
                ),
            }
        }
    }
    files
}

fn names(folder: &Path) -> Vec<String> {
    tree(folder).keys().map(|path| path.display().to_string().replace('\\', "/")).collect()
}

/// A folder as people have them: nested, some files broken, some with the wrong extension, two of the same name, and
/// other things lying about.
fn old_folder() -> tempfile::TempDir {
    let home = samples();
    let at = |name: &str| home.path().join("in").join(name);
    fs::create_dir_all(at("levels/deep")).unwrap();
    fs::create_dir_all(at("broken")).unwrap();
    for (from, to) in [
        ("crate.bo3d", "crate.bo3d"),
        ("crate.bo3d", "levels/crate.bo3d"),
        ("creature.bmd", "levels/deep/creature.bmd"),
        ("creature.das2", "levels/deep/creature.das2"),
        ("lantern.bgl", "levels/lantern.dgl2"),
        ("planks.png", "planks.png"),
    ] {
        fs::copy(home.path().join(from), at(to)).unwrap();
    }
    let whole = fs::read(home.path().join("creature.bmd")).unwrap();
    fs::write(at("broken/half.bmd"), &whole[..whole.len() / 2]).unwrap();
    fs::write(at("broken/not.bo3d"), b"this is no model").unwrap();
    fs::write(at("readme.txt"), b"old things\n").unwrap();
    fs::copy(corpus("bad/bo3d/bone_vertex_range.bo3d"), at("broken/range.bo3d")).unwrap();
    home
}

fn convert(home: &Path, more: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.current_dir(home).args(["convert", "-r", "in", "out", "--to", "glb"]).args(more);
    command
}

fn ran(command: &mut Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_tree_is_kept_and_every_file_has_a_line() {
    let home = old_folder();
    let (code, out, err) = ran(&mut convert(home.path(), &[]));
    assert_eq!(code, 2, "{out}{err}");
    let expected = [
        "broken/half.glb",
        "broken/range.glb",
        "crate.glb",
        "levels/crate.glb",
        "levels/deep/creature.bmd.glb",
        "levels/deep/creature.das2.glb",
        "levels/lantern.glb",
    ];
    assert_eq!(names(&home.path().join("out")), expected);
    for line in [
        "converted  in/crate.bo3d → out/crate.glb: nothing lost (",
        "damaged    in/broken/half.bmd → out/broken/half.glb: damaged: ",
        "7 files converted (",
        "2 damaged), 1 failed, in ",
        "failed:\n  in/broken/not.bo3d: cannot be converted: ",
        "passed over 2 other files: PNG picture × 1, text (.txt) × 1",
        "file/wrong-extension",
    ] {
        assert!(out.contains(line), "{line}\n{out}");
    }
    assert!(err.contains("error: in/broken/not.bo3d"), "{err}");
    let (_, quiet, _) = ran(&mut convert(home.path(), &["--quiet"]));
    assert_eq!(quiet, "");
    let (_, again, _) = ran(&mut convert(home.path(), &[]));
    assert!(again.contains("replaced   in/crate.bo3d") && again.contains("7 replaced"), "{again}");
    let (_, all, _) = ran(&mut convert(home.path(), &["--verbose"]));
    assert!(all.contains("in/crate.bo3d → out/crate.glb: BO3D to glTF"), "{all}");
}

#[test]
fn what_is_there_is_respected() {
    let home = old_folder();
    let out = home.path().join("out");
    let (_, text, _) = ran(&mut convert(home.path(), &["--dry-run"]));
    assert!(!out.exists() && !home.path().join("out.manifest.jsonl").exists());
    assert!(text.contains("would be   in/crate.bo3d → out/crate.glb"), "{text}");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("crate.glb"), "mine").unwrap();
    let (code, text, _) = ran(&mut convert(home.path(), &["--skip-existing"]));
    assert_eq!((code, fs::read(out.join("crate.glb")).unwrap()), (2, b"mine".to_vec()));
    assert!(text.contains("skipped    in/crate.bo3d: out/crate.glb is there already"), "{text}");
    assert!(text.contains("1 skipped because"), "{text}");
    let (code, _, err) = ran(&mut convert(home.path(), &["--no-clobber"]));
    assert_eq!((code, fs::read(out.join("crate.glb")).unwrap()), (2, b"mine".to_vec()));
    assert!(err.contains("out/crate.glb is there already, and --no-clobber keeps it"), "{err}");
    // A single file says that it replaced one.
    let at = |name: &str| home.path().join(name).display().to_string();
    let ran = menagerie(["convert", &at("in/crate.bo3d"), &at("out/crate.glb")]).exits(0);
    assert!(ran.text().contains("bytes, replaced, "), "{}", ran.text());
}

#[test]
fn places_can_be_described() {
    let home = old_folder();
    let mut command = Command::new(PROGRAM);
    command.current_dir(home.path()).args([
        "convert",
        "-r",
        "in/levels",
        "--to",
        "ply",
        "-o",
        "flat/{stem}-{name}.{ext}",
    ]);
    let (code, out, err) = ran(&mut command);
    assert_eq!(code, 0, "{out}{err}");
    let expected = [
        "crate-crate.bo3d.ply",
        "creature-creature.bmd.ply",
        "creature-creature.das2.ply",
        "lantern-lantern.dgl2.ply",
    ];
    let written: Vec<String> =
        names(&home.path().join("flat")).into_iter().filter(|n| n.ends_with("ply")).collect();
    assert_eq!(written, expected);
    let (code, _, err) = ran(&mut convert(home.path(), &["--flat"]));
    assert_eq!(code, 2);
    assert!(err.contains("already becomes out/crate.glb"), "{err}");
}

#[test]
fn a_run_that_was_killed_goes_on_to_the_same_tree() {
    let home = old_folder();
    let at = |name: &str| home.path().join(name);
    for i in 0..40 {
        fs::copy(at("in/levels/deep/creature.bmd"), at(&format!("in/levels/deep/copy{i}.bmd"))).unwrap();
    }
    ran(&mut convert(home.path(), &[]));
    let whole = tree(&at("out"));
    let all = fs::read_to_string(at("out.manifest.jsonl")).unwrap().lines().count();
    for moment in 0..10 {
        fs::remove_dir_all(at("out")).unwrap();
        fs::remove_file(at("out.manifest.jsonl")).unwrap();
        let mut child =
            convert(home.path(), &[]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(3 + 9 * moment));
        child.kill().unwrap();
        child.wait().unwrap();
        let before = fs::read_to_string(at("out.manifest.jsonl")).unwrap_or_default();
        let (code, out, err) = ran(&mut convert(home.path(), &["--resume"]));
        assert_eq!(code, 2, "{out}{err}");
        assert_eq!(tree(&at("out")), whole);
        let after = fs::read_to_string(at("out.manifest.jsonl")).unwrap();
        assert!(after.starts_with(&before));
        // Nothing was done twice: a file has one line.
        let rows = after.lines().filter(|line| line.starts_with("{\"file\"")).count();
        assert_eq!(rows, all - 1, "{after}");
    }
    let (_, _, err) = ran(&mut convert(home.path(), &["--resume", "--scale", "2"]));
    assert!(err.contains("was made with other options"), "{err}");
    // What was changed is done again.
    fs::copy(at("lantern.bo3d"), at("in/crate.bo3d")).unwrap();
    let (_, out, _) = ran(&mut convert(home.path(), &["--resume"]));
    assert!(out.contains("replaced   in/crate.bo3d") && !out.contains("copy3"), "{out}");
}

#[test]
fn parts_of_a_batch_make_the_whole() {
    let home = old_folder();
    ran(&mut convert(home.path(), &[]));
    let whole = tree(&home.path().join("out"));
    fs::remove_dir_all(home.path().join("out")).unwrap();
    for part in ["1/3", "2/3", "3/3"] {
        ran(&mut convert(home.path(), &["--shard", part]));
    }
    assert_eq!(tree(&home.path().join("out")), whole);
    let rows = |name: &str| -> Vec<String> {
        let text = fs::read_to_string(home.path().join(name)).unwrap();
        let rows = text.lines().filter(|line| line.starts_with("{\"file\""));
        let until = |row: &str| row.split(",\"seconds\"").next().unwrap().to_owned();
        let mut rows: Vec<String> = rows.map(until).collect();
        rows.sort();
        rows
    };
    let parts = (1..=3).flat_map(|i| rows(&format!("out.{i}-of-3.manifest.jsonl")));
    let mut parts: Vec<String> = parts.collect();
    parts.sort();
    let same = |rows: &[String]| -> Vec<String> {
        rows.iter().map(|row| row.split("\"outputs\"").next().unwrap().to_owned()).collect()
    };
    assert_eq!(same(&parts), same(&rows("out.manifest.jsonl")));
    let (code, _, err) = ran(&mut convert(home.path(), &["--shard", "4/3"]));
    assert!(code == 2 && err.contains("no part such as 3/8"), "{err}");
}

/// Pictures of the same name with other content get other names, in the order of the inputs and not of the threads.
#[test]
fn pictures_beside_results_depend_on_the_order_alone() {
    let home = samples();
    let at = |name: &str| home.path().join(name).display().to_string();
    for i in 0..6 {
        let picture = home.path().join(format!("p{i}.png"));
        menagerie([
            "render",
            &at("crate.bo3d"),
            "-o",
            &picture.display().to_string(),
            "--size",
            &(8 + i).to_string(),
        ])
        .exits(0);
        fs::copy(&picture, at("planks.png")).unwrap();
        menagerie(["convert", &at("crate.bo3d"), &at(&format!("in{i}.glb"))]).exits(0);
    }
    let results: Vec<_> = ["1", "2", "7"]
        .iter()
        .map(|jobs| {
            let out = at(&format!("out{jobs}"));
            menagerie(["convert", &at("in*.glb"), &out, "--to", "obj", "--jobs", jobs]).exits(0);
            tree(Path::new(&out))
        })
        .collect();
    assert_eq!(results[0].keys().filter(|path| path.extension().is_some_and(|e| e == "png")).count(), 6);
    assert!(results.iter().all(|result| *result == results[0]));
}
