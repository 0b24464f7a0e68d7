//! What goes wrong outside of the files: full disks, folders that may not be written, signals, pipes, devices.

#![cfg(unix)]

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{PROGRAM, Ran, menagerie, run, samples};

/// Runs a line of the shell in which `$M` is the program.
fn shell(home: &Path, line: &str) -> Ran {
    run(Command::new("sh").arg("-c").arg(line).env("M", PROGRAM).current_dir(home), b"")
}

/// What the program did not clear away.
fn unfinished(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    names
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| name.starts_with(".menagerie-"))
        .collect()
}

#[test]
fn a_full_disk_is_an_error_wherever_it_shows() {
    let home = samples();
    for line in [
        "exec $M convert crate.bo3d /dev/full --to gltf",
        "exec $M convert crate.bo3d - --to gltf > /dev/full",
        "exec $M info crate.bo3d > /dev/full",
        "exec $M validate --json crate.bo3d > /dev/full",
    ] {
        let ran = shell(home.path(), line).exits(2);
        assert!(ran.err.contains("No space left on device"), "{line}: {}", ran.err);
    }
}

#[test]
fn a_folder_that_may_not_be_written_is_an_error() {
    let home = samples();
    // The one file system in which even root may not write. Elsewhere a folder without write permission does.
    let folder = if Path::new("/proc/self").exists() { "/proc/self" } else { "/" };
    let ran = shell(home.path(), &format!("exec $M convert crate.bo3d {folder}/crate.glb")).exits(2);
    assert!(ran.err.contains("cannot write"), "{}", ran.err);
}

#[test]
fn devices_and_pipes_are_read_to_their_end_if_they_have_one() {
    let home = samples();
    let ran = shell(home.path(), "exec $M info /dev/null").exits(2);
    assert!(ran.err.contains("file/empty"), "{}", ran.err);
    shell(home.path(), "mkfifo pipe && (cat crate.bo3d > pipe &) && exec $M info pipe").exits(0);
    shell(home.path(), "cat crate.bo3d | $M info -").exits(0);
    if cfg!(not(debug_assertions)) {
        let ran = shell(home.path(), "exec $M info /dev/zero").exits(2);
        assert!(ran.err.contains("no end within"), "{}", ran.err);
    }
}

#[test]
fn too_few_open_files_fail_single_files_and_leave_nothing_behind() {
    let home = samples();
    let ran = shell(home.path(), "ulimit -n 9; exec $M convert -r --jobs 2 . -o out --to gltf");
    assert!(matches!(ran.code, Some(0 | 2)), "{:?} {}", ran.code, ran.err);
    let out = home.path().join("out");
    if out.exists() {
        assert!(unfinished(&out).is_empty(), "{:?}", unfinished(&out));
    }
}

#[test]
fn signals_leave_nothing_half_written_behind() {
    let home = samples();
    for i in 0..60 {
        fs::copy(home.path().join("creature.bmd"), home.path().join(format!("copy{i}.bmd"))).unwrap();
    }
    for signal in ["TERM", "INT"] {
        let out = home.path().join(signal);
        let mut command = Command::new(PROGRAM);
        command.args(["convert", "-r", "--jobs", "2", ".", "-o", signal, "--to", "gltf"]);
        command.current_dir(home.path()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        let mut child = command.spawn().unwrap();
        let start = Instant::now();
        while !out.exists() && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(2));
        }
        let kill = Command::new("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap();
        let status = child.wait().unwrap();
        // It may have been done before.
        assert!(!kill.success() || matches!(status.code(), Some(0 | 1 | 2 | 130)), "{signal}: {status}");
        assert!(unfinished(&out).is_empty(), "{signal}: {:?}", unfinished(&out));
    }
}

#[test]
fn what_a_crash_left_behind_is_swept_by_the_next_run() {
    let home = samples();
    // The number of a process that is surely not there.
    let left = home.path().join(".menagerie-4194304-abc.tmp");
    fs::write(&left, b"half").unwrap();
    let other = home.path().join(".menagerie-notes.tmp.txt");
    fs::write(&other, b"mine").unwrap();
    shell(home.path(), "exec $M convert crate.bo3d crate2.glb").exits(0);
    assert!(!left.exists() && other.exists());
}

#[test]
fn limits_can_be_set_and_are_named_when_they_are_met() {
    let home = samples();
    let at = |name: &str| home.path().join(name).to_string_lossy().into_owned();
    let ran = menagerie(["convert", &at("creature.glb"), &at("x.obj"), "--max-memory", "100k"]).exits(2);
    assert!(ran.err.contains("(--max-memory)") && ran.err.contains("[file/limit]"), "{}", ran.err);
    let ran = menagerie(["convert", &at("creature.glb"), &at("x.obj"), "--max-output", "1k"]).exits(2);
    assert!(ran.err.contains("(--max-output)") && ran.err.contains("[file/limit]"), "{}", ran.err);
    assert!(!home.path().join("x.obj").exists());
    menagerie(["convert", &at("creature.glb"), &at("x.obj"), "--max-memory", "1G", "--max-time", "60"])
        .exits(0);
    for verb in ["info", "validate", "inspect"] {
        let ran = menagerie([verb, &at("creature.glb"), "--max-memory", "1k"]);
        assert!(matches!(ran.code, Some(1 | 2)), "{verb}: {:?}", ran.code);
        assert!((ran.text() + &ran.err).contains("file/limit"), "{verb}: {} {}", ran.text(), ran.err);
    }
    assert!(
        menagerie(["info", "--max-memory", "much", &at("crate.bo3d")]).exits(2).err.contains("a size is")
    );
}
