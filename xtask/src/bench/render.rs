//! A picture of a textured model at 1024², from file to PNG, against F3D.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::hills::hills;
use super::{Bench, Peer, Row, fastest, python_with};

pub(super) fn compare(bench: &Bench) -> Result<Vec<Row>> {
    let f3d = python_with("f3d", &bench.folder);
    let mut rows = Vec::new();
    for (name, side) in [("100 k", 224u32), ("1 M", 708)] {
        let model = bench.folder.join(format!("hills-{side}.glb"));
        std::fs::write(&model, hills(side, 1024))
            .with_context(|| format!("cannot write {}", model.display()))?;
        let out = bench.folder.join("menagerie.png");
        let ours = fastest(|| {
            let mut command = Command::new(&bench.menagerie);
            command.arg("render").arg(&model).arg("-o").arg(&out).args(["--size", "1024"]);
            command
        })?;
        let peer = match &f3d {
            Ok(python) => measure(python, &model, &bench.folder),
            Err(reason) => Err(reason.clone()),
        };
        rows.push(Row {
            work: format!("picture at 1024² of {name} textured triangles"),
            ours,
            peer: match peer {
                Ok(seconds) => Peer::Took { name: "f3d".to_owned(), seconds },
                Err(reason) => Peer::Skipped { name: "f3d".to_owned(), reason },
            },
        });
    }
    Ok(rows)
}

/// What F3D is asked to do: open the model and save a picture of it, without a window.
const SCRIPT: &str = "import sys, f3d\n\
    engine = f3d.Engine.create(True)\n\
    engine.window.size = 1024, 1024\n\
    engine.scene.add(sys.argv[1])\n\
    engine.window.render_to_image().save(sys.argv[2])\n";

fn measure(python: &Path, model: &Path, folder: &Path) -> Result<f64, String> {
    let script = folder.join("f3d_picture.py");
    std::fs::write(&script, SCRIPT).map_err(|error| error.to_string())?;
    let make = || {
        let mut command = Command::new(python);
        command.arg(&script).arg(model).arg(folder.join("f3d.png"));
        command
    };
    fastest(make).map_err(|error| format!("{error:#}").lines().last().unwrap_or_default().to_owned())
}
