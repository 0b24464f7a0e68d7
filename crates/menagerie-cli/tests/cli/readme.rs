//! What the README shows of the program is what the program prints, and every command of every page can be run.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
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

/// All pages of the project, by their path from its root.
fn pages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut open: Vec<PathBuf> =
        ["docs", "packaging", "python", "vectors"].map(|folder| root.join(folder)).into();
    let mut files: Vec<PathBuf> =
        ["README.md", "CONTRIBUTING.md", "SECURITY.md"].map(|file| root.join(file)).into();
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let is_page = path.extension().is_some_and(|extension| extension == "md");
            match (path.is_symlink(), path.is_dir()) {
                (false, true) => open.push(path),
                (false, false) if is_page => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    let named = |path: PathBuf| {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        (name, fs::read_to_string(path).unwrap())
    };
    files.into_iter().map(named).collect()
}

/// The commands of a page's blocks for the shell.
fn commands(page: &str) -> impl Iterator<Item = &str> {
    let blocks = page.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap());
    blocks.flat_map(str::lines).filter(|line| !line.is_empty())
}

/// What else a page may ask the shell for; that is run by the test command itself, or belongs to somebody's system.
const OTHERS: [&str; 7] = [
    "cargo ",
    "cd fuzz",
    "FUZZ_TARGET=",
    "python3 vectors/",
    "UPDATE=1 cargo ",
    "install -Dm644 ",
    "update-mime-",
];

/// A folder with the names that pages use for a model of the reader's own: a robot is the creature of the samples.
#[cfg(unix)]
fn home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    menagerie([OsStr::new("sample"), at("samples").as_os_str()]).exits(0);
    for extension in ["bmd", "bo3d", "das2", "glb"] {
        fs::copy(at(&format!("samples/creature.{extension}")), at(&format!("robot.{extension}"))).unwrap();
    }
    fs::create_dir(at("models")).unwrap();
    for name in ["crate.bo3d", "creature.bmd", "planks.png"] {
        fs::copy(at("samples").join(name), at("models").join(name)).unwrap();
    }
    for folder in [".local/share/bash-completion/completions", ".local/share/man/man1"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    home
}

/// Every command of every page can be run as it stands, one after the other.
#[test]
#[cfg(unix)]
fn the_commands_of_all_pages_work() {
    let programs = Path::new(PROGRAM).parent().unwrap().display().to_string();
    let path = format!("{programs}:{}", std::env::var("PATH").unwrap_or_default());
    let mut ran = 0;
    for (page, text) in pages() {
        let home = home();
        for command in commands(&text) {
            // The page in the browser is tried in one.
            if !command.starts_with("menagerie ") || command.starts_with("menagerie view") {
                let known = OTHERS.iter().any(|other| command.starts_with(other));
                assert!(known || command.starts_with("menagerie view"), "{page}: who runs {command}?");
                continue;
            }
            let mut shell = Command::new("sh");
            shell.args(["-c", command]).env("PATH", &path).env("HOME", home.path()).current_dir(home.path());
            let output = shell.output().unwrap();
            let err = String::from_utf8_lossy(&output.stderr);
            // Some say that something is wrong with a file; none says that it could not be done.
            assert!(
                matches!(output.status.code(), Some(0 | 1)),
                "{page}: {command}: {}\n{err}",
                output.status
            );
            ran += 1;
        }
    }
    assert!(ran > 30, "{ran}");
}

/// What pages say of the program in passing (`menagerie validate --engine`) is there: the verb and its options.
#[test]
fn verbs_and_options_in_the_text_are_there() {
    let mut known: std::collections::BTreeMap<String, String> = Default::default();
    let mut looked_at = 0;
    for (page, text) in pages() {
        // Blocks are run by the test above, or show what another program prints.
        let prose: String = text.split("```").step_by(2).collect();
        let spans = prose.split('`').skip(1).step_by(2).filter_map(|span| span.strip_prefix("menagerie "));
        for span in spans {
            let Some(verb) = span.split_whitespace().next().filter(|word| !word.starts_with('-')) else {
                continue;
            };
            let help = known.entry(verb.to_owned()).or_insert_with(|| {
                let asked = menagerie(["help", verb]);
                asked.text() + &asked.err
            });
            assert!(help.contains("Usage: menagerie"), "{page}: `menagerie {span}`: {help}");
            for option in span.split_whitespace().filter(|word| word.starts_with("--")) {
                let option = option.split('=').next().unwrap();
                assert!(help.contains(option), "{page}: `menagerie {span}` has no {option}");
            }
            looked_at += 1;
        }
    }
    assert!(looked_at > 15, "{looked_at}");
}
