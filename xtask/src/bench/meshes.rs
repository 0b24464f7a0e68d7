//! OBJ, STL and PLY: the program against trimesh and assimp, the library against tobj and stl_io.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::hills::hills;
use super::{Bench, Peer, Row, cargo_bench, fastest, python_with};

/// Squares along a side of the model: a million triangles.
const SIDE: u32 = 708;

/// Every file is read by `info` and by trimesh, and made into GLB by `convert` and by assimp.
pub(super) fn compare(bench: &Bench) -> Result<Vec<Row>> {
    cargo_bench(&bench.root, "meshes")?;
    let glb = bench.folder.join("hills.glb");
    std::fs::write(&glb, hills(SIDE, 1024)).with_context(|| format!("cannot write {}", glb.display()))?;
    let trimesh = python_with("trimesh", &bench.folder);
    let mut rows = Vec::new();
    for extension in ["obj", "stl", "ply"] {
        let model = bench.folder.join(format!("hills.{extension}"));
        let made = Command::new(&bench.menagerie).arg("convert").arg(&glb).arg(&model).output()?;
        if !made.status.success() {
            bail!("{} cannot be made: {}", model.display(), String::from_utf8_lossy(&made.stderr).trim());
        }
        let megabytes = std::fs::metadata(&model)?.len() / 1_000_000;
        let info = fastest(|| {
            let mut command = Command::new(&bench.menagerie);
            command.arg("info").arg(&model);
            command
        })?;
        let peer = trimesh.as_ref().map_err(Clone::clone).and_then(|python| by_trimesh(python, &model));
        rows.push(Row {
            work: format!("read {megabytes} MB of {extension}"),
            ours: info,
            peer: took("trimesh", peer),
        });
        let out = bench.folder.join("out.glb");
        let convert = fastest(|| {
            let mut command = Command::new(&bench.menagerie);
            command.arg("convert").arg(&model).arg(&out);
            command
        })?;
        let peer = by_assimp(&model, &bench.folder.join("assimp.glb"));
        rows.push(Row {
            work: format!("{megabytes} MB of {extension} to GLB"),
            ours: convert,
            peer: took("assimp", peer),
        });
    }
    Ok(rows)
}

fn took(name: &str, seconds: Result<f64, String>) -> Peer {
    match seconds {
        Ok(seconds) => Peer::Took { name: name.to_owned(), seconds },
        Err(reason) => Peer::Skipped { name: name.to_owned(), reason },
    }
}

fn by_trimesh(python: &Path, model: &Path) -> Result<f64, String> {
    const SCRIPT: &str = "import sys, trimesh; trimesh.load(sys.argv[1], process=False)";
    let run = fastest(|| {
        let mut command = Command::new(python);
        command.args(["-c", SCRIPT]).arg(model);
        command
    });
    run.map_err(|error| format!("{error:#}").lines().last().unwrap_or_default().to_owned())
}

fn by_assimp(model: &Path, out: &Path) -> Result<f64, String> {
    if Command::new("assimp").arg("version").output().is_err() {
        return Err("there is no program assimp; Debian has it in assimp-utils".to_owned());
    }
    let run = fastest(|| {
        let mut command = Command::new("assimp");
        command.arg("export").arg(model).arg(out);
        command
    });
    run.map_err(|error| format!("{error:#}").lines().last().unwrap_or_default().to_owned())
}
