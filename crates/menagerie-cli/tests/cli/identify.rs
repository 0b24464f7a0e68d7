//! What files are: by `identify`, by file(1) and by the signatures of archives; and the bytes that the pages show.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::{PROGRAM, corpus, menagerie, run};
use menagerie::formats::Format;

const FIVE: [&str; 5] = ["bogle", "bmd", "dgl2", "bo3d", "das2"];

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// The valid files of a format.
fn made(format: &Format) -> Vec<PathBuf> {
    let entries = fs::read_dir(corpus("made").join(format.id)).unwrap();
    let of_format =
        |path: &PathBuf| path.extension().is_some_and(|e| format.extensions.contains(&e.to_str().unwrap()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).filter(of_format).collect();
    files.sort();
    assert!(files.len() >= 3, "{}", format.id);
    files
}

/// Whether a file has neither the first nor the last chunk that mark DGL2.
fn is_unmarked(path: &Path) -> bool {
    path.ends_with("no_header.dgl2")
}

#[test]
fn identify_says_what_files_are() {
    for format in FIVE.into_iter().filter_map(Format::by_id) {
        let mut arguments = vec!["identify".to_owned(), "--json".to_owned()];
        arguments.extend(made(format).iter().map(|path| path.display().to_string()));
        for file in menagerie(arguments).exits(0).json().as_array().unwrap() {
            assert_eq!(
                (&file["format"], &file["confidence"]),
                (&format.id.into(), &"certain".into()),
                "{file:#}"
            );
            assert_eq!(file["mime"], format.mime);
        }
    }
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name).display().to_string();
    fs::write(at("picture.bmd"), b"\x89PNG\r\n\x1a\n").unwrap();
    fs::copy(corpus("made/bo3d/tri32.bo3d"), at("robot.bgl")).unwrap();
    let said = menagerie(["identify", &at("picture.bmd"), &at("robot.bgl")]).exits(1).text();
    assert!(said.contains("BMD, by its name only") && said.contains("PNG picture"), "{said}");
    assert!(said.contains("BO3D (version 100, 32-bit vertex floats), certain"), "{said}");
    assert!(said.contains("the extension .bgl is that of BOGLE"), "{said}");
    let legacy = corpus("made/dgl2/braced.dgl2").display().to_string();
    assert!(menagerie(["identify", &legacy]).exits(0).text().contains("of exporters of 2015"));
}

#[test]
fn file_knows_the_five_formats() {
    let there = Command::new("file").arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        assert!(
            std::env::var_os("CI").is_none(),
            "with CI set nothing may be skipped, and file(1) is missing"
        );
        println!("SKIPPED the magic file: the program file is not there");
        return;
    }
    let magic = root("packaging/identify/menagerie.magic");
    for format in FIVE.into_iter().filter_map(Format::by_id) {
        for path in made(format).iter().filter(|path| !is_unmarked(path)) {
            let mut command = Command::new("file");
            let said =
                run(command.args(["--brief", "--mime-type", "-m"]).arg(&magic).arg(path), b"").exits(0);
            assert_eq!((said.text().trim(), said.err.as_str()), (format.mime, ""), "{}", path.display());
        }
    }
}

/// Bytes with which a file begins or ends.
struct Mark {
    is_first: bool,
    bytes: Vec<u8>,
}

impl Mark {
    fn fits(&self, file: &[u8]) -> bool {
        if self.is_first { file.starts_with(&self.bytes) } else { file.ends_with(&self.bytes) }
    }
}

/// The text between two others.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let text = text.split_once(before)?.1;
    Some(text.split_once(after)?.0)
}

fn bytes_of(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

#[test]
fn signatures_of_archives_fit_their_formats_alone() {
    let xml = fs::read_to_string(root("packaging/identify/menagerie-signatures.xml")).unwrap();
    let signature = |id: &str| -> Vec<Mark> {
        let all = between(&xml, &format!("<InternalSignature ID=\"{id}\""), "</InternalSignature>").unwrap();
        let read = |one: &str| Mark {
            is_first: one.contains("BOFoffset"),
            bytes: bytes_of(between(one, "<Sequence>", "<").unwrap()),
        };
        all.split("<ByteSequence").skip(1).map(read).collect()
    };
    let formats: Vec<(&str, Vec<Mark>)> = xml
        .split("<FileFormat ")
        .skip(1)
        .map(|format| {
            let id = between(format, "<InternalSignatureID>", "<").unwrap();
            (between(format, "MIMEType=\"", "\"").unwrap(), signature(id))
        })
        .collect();
    assert_eq!(formats.len(), FIVE.len());
    for format in FIVE.into_iter().filter_map(Format::by_id) {
        for path in made(format) {
            let bytes = fs::read(&path).unwrap();
            let fits = |(_, marks): &&(&str, Vec<Mark>)| marks.iter().all(|mark| mark.fits(&bytes));
            let found: Vec<&str> = formats.iter().filter(fits).map(|(mime, _)| *mime).collect();
            // Bytes after END hide the mark at the end.
            let hidden = is_unmarked(&path) || path.ends_with("trailing.dgl2");
            assert_eq!(found, if hidden { vec![] } else { vec![format.mime] }, "{}", path.display());
        }
    }
}

#[test]
fn the_pages_show_the_bytes_that_inspect_prints() {
    for id in FIVE {
        let page = fs::read_to_string(root(&format!("docs/formats/{id}.md"))).unwrap();
        let file =
            between(&page, "<!-- inspect --hex ", " -->").unwrap_or_else(|| panic!("{id} shows no file"));
        let shown = between(&page, &format!("<!-- inspect --hex {file} -->\n```text\n"), "\n```").unwrap();
        let mut command = Command::new(PROGRAM);
        let printed =
            run(command.args(["inspect", "--hex", file]).current_dir(root("")), b"").exits(0).text();
        for (shown, printed) in shown.lines().zip(printed.lines()) {
            assert_eq!(shown, printed.trim_end(), "docs/formats/{id}.md is stale");
        }
        assert_eq!(
            shown.lines().count(),
            printed.trim_end().lines().count(),
            "docs/formats/{id}.md is stale"
        );
    }
}

/// One list of issues, whoever asks: what only lifting and the engines' rules notice is in `validate`, and can be denied.
#[test]
fn validate_tells_the_code_of_every_vector() {
    let folder = root("vectors/codes");
    let value = menagerie(["validate", "--json", "-r", folder.to_str().unwrap()]).exits(1).json();
    let mut checked = 0;
    for file in value.as_array().unwrap() {
        let path = Path::new(file["file"].as_str().unwrap());
        let of = |part: Option<&std::ffi::OsStr>| part.unwrap().to_str().unwrap().to_owned();
        let code = format!("{}/{}", of(path.parent().unwrap().file_name()), of(path.file_stem()));
        // It needs an option.
        if code == "bogle/name-not-ascii" {
            continue;
        }
        let found = file["issues"].as_array().unwrap().iter().any(|issue| issue["code"] == code.as_str());
        assert!(found, "{code} is not told: {file:#}");
        checked += 1;
    }
    assert!(checked > 200, "{checked}");
    for (format, code) in
        [("bo3d", "bo3d/frame-rate"), ("dgl2", "dgl2/v-direction"), ("das2", "das2/separate-maps")]
    {
        let short = code.split_once('/').unwrap().1;
        let file = folder.join(format).join(format!("{short}.{format}")).display().to_string();
        menagerie(["validate", &file]).exits(0);
        menagerie(["validate", "--deny", code, &file]).exits(1);
    }
}
