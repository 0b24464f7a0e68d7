//! What the README shows of the program is what the program prints.

use std::ffi::OsStr;
use std::fs;
use std::process::Command;

use crate::support::{PROGRAM, corpus, menagerie, run};

const README: &str = include_str!("../../../../README.md");

/// A command of the README and what it is said to print.
struct Shown<'a> {
    command: &'a str,
    printed: Vec<&'a str>,
}

fn shown() -> Vec<Shown<'static>> {
    let blocks = README.split("```console\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap());
    blocks
        .map(|block| {
            let mut lines = block.lines();
            let command = lines.next().unwrap().strip_prefix("$ menagerie ").unwrap();
            Shown { command, printed: lines.collect() }
        })
        .collect()
}

/// The words of a command; quotes keep what the shell would take apart.
fn words(command: &str) -> Vec<String> {
    command.split_whitespace().map(|word| word.trim_matches('\'').to_owned()).collect()
}

#[test]
fn the_readme_shows_what_is_printed() {
    let home = tempfile::tempdir().unwrap();
    menagerie([OsStr::new("sample"), home.path().join("samples").as_os_str()]).exits(0);
    let broken = corpus("bad/bo3d/bone_vertex_range.bo3d");
    fs::copy(broken, home.path().join("broken.bo3d")).unwrap();
    let commands = shown();
    assert!(commands.len() >= 8, "only {} commands were found", commands.len());
    for Shown { command, printed } in commands {
        let ran = run(Command::new(PROGRAM).args(words(command)).current_dir(home.path()), b"");
        let out = ran.text() + &ran.err;
        let mut lines = out.trim_end().lines().map(str::trim_end);
        // After the three dots there is more, which the README leaves out.
        let all = printed.last() != Some(&"…");
        for expected in printed.into_iter().filter(|line| *line != "…") {
            assert_eq!(lines.next(), Some(expected), "menagerie {command} prints:\n{out}");
        }
        assert!(!all || lines.next().is_none(), "menagerie {command} prints more:\n{out}");
    }
}

/// Every command of the cookbook can be run as it stands, one after the other.
#[test]
#[cfg(unix)]
fn the_cookbook_works() {
    const COOKBOOK: &str = include_str!("../../../../docs/cookbook.md");
    let home = tempfile::tempdir().unwrap();
    menagerie([OsStr::new("sample"), home.path().join("samples").as_os_str()]).exits(0);
    let programs = std::path::Path::new(PROGRAM).parent().unwrap().display().to_string();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
    let blocks = COOKBOOK.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap());
    let mut ran = 0;
    for command in blocks.flat_map(str::lines).filter(|line| !line.is_empty()) {
        let output =
            Command::new("sh").args(["-c", command]).env("PATH", &path).current_dir(home.path()).output();
        let output = output.unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        // Some say that something is wrong with a file; none says that it could not be done.
        assert!(matches!(output.status.code(), Some(0 | 1)), "{command}: {}\n{err}", output.status);
        ran += 1;
    }
    assert!(ran > 20, "{ran}");
}

/// The figures are those of the last measurement, not ones that somebody remembers.
#[test]
fn figures_are_those_of_the_page() {
    const PAGE: &str = include_str!("../../../../docs/bench.md");
    let (_, rest) =
        README.split_once("<!-- speed: made by `cargo xtask bench` -->\n").expect("the README has figures");
    let (figures, _) = rest.split_once("<!-- end of speed -->").expect("its figures end");
    assert!(figures.lines().count() > 5, "the README has no figures");
    assert!(
        PAGE.contains(figures),
        "the README's figures are not in docs/bench.md; `cargo xtask bench page` writes both"
    );
}
