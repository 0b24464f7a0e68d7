//! The descriptions of `docs/kaitai`: compiled, run over every valid file, compared with the byte map.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::steps::{Outcome, program_of_tests, run_command, without_node};

/// The formats and their extensions.
const FORMATS: [(&str, &str); 5] =
    [("bogle", "bgl"), ("bmd", "bmd"), ("dgl2", "dgl2"), ("bo3d", "bo3d"), ("das2", "das2")];

/// Compares what Kaitai reads with what menagerie says that the bytes are, field by field.
pub(crate) fn test(root: &Path) -> Result<Outcome> {
    if let Some(missing) = without_node() {
        return Ok(missing);
    }
    let folder = root.join("target/kaitai");
    std::fs::create_dir_all(&folder).context("cannot make target/kaitai")?;
    std::fs::copy(root.join("xtask/kaitai/package.json"), folder.join("package.json"))?;
    if !folder.join("node_modules/kaitai-struct-compiler").is_dir() {
        let mut install = Command::new("npm");
        install.args(["install", "--no-audit", "--no-fund", "--no-package-lock"]).current_dir(&folder);
        if let Outcome::Failed(status) = run_command(&mut install)? {
            return Ok(Outcome::Failed(format!("npm install in target/kaitai: {status}")));
        }
    }
    let program = program_of_tests(root)?;
    let files = valid_files(root)?;
    let mut compare = Command::new("node");
    compare.arg(root.join("xtask/kaitai/compare.js")).arg(&folder).arg(root.join("docs/kaitai"));
    run_command(compare.arg(program).args(files).current_dir(root))
}

/// Our own files, and those of the original tools where they are.
fn valid_files(root: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for (format, extension) in FORMATS {
        let corpora = ["crates/menagerie/tests/corpus/made", "../shared/corpus/real"];
        let mut open: Vec<PathBuf> = corpora.iter().map(|corpus| root.join(corpus).join(format)).collect();
        while let Some(folder) = open.pop() {
            let Ok(entries) = std::fs::read_dir(folder) else { continue };
            for entry in entries {
                let path = entry?.path();
                if path.is_dir() {
                    open.push(path);
                } else if path.extension().is_some_and(|e| e == extension) {
                    files.push(path);
                }
            }
        }
    }
    if files.len() < 40 {
        bail!("only {} files of the corpus were found", files.len());
    }
    files.sort();
    Ok(files)
}
