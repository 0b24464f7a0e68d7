//! The library alone: bytes to file model and to Scene, beside copying the same bytes and the gltf crate.

use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::hills::hills;
use super::programs::{machine, make};
use super::{Bench, Peer, Row, page};

/// Squares along a side of the model: a million triangles.
const SIDE: u32 = 708;

pub(super) fn compare(bench: &Bench) -> Result<Vec<Row>> {
    let glb = bench.folder.join("hills.glb");
    std::fs::write(&glb, hills(SIDE, 1024)).with_context(|| format!("cannot write {}", glb.display()))?;
    for extension in ["bgl", "bmd", "bo3d", "das2", "dgl2", "ply", "stl", "obj"] {
        make(bench, &glb, &bench.folder.join(format!("hills.{extension}")))?;
    }
    let output = Command::new(crate::steps::cargo_program())
        .args(["bench", "--quiet", "--package", "menagerie", "--bench", "read"])
        .env("MENAGERIE_MODELS", &bench.folder)
        .current_dir(&bench.root)
        .output()
        .context("cannot run cargo bench")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let found: Value = serde_json::from_slice(&output.stdout).context("the measurement printed no JSON")?;
    page::keep(&bench.root, "read", &json!({ "machine": machine(), "rows": found }))?;
    Ok(found.as_array().into_iter().flatten().map(row).collect())
}

fn row(found: &Value) -> Row {
    let seconds = |name: &str| found[name].as_f64();
    let peer = match seconds("gltf_crate") {
        Some(seconds) => Peer::Took { name: "the gltf crate".to_owned(), seconds },
        None => Peer::Took { name: "copying".to_owned(), seconds: seconds("copied").unwrap_or(f64::NAN) },
    };
    let format = found["format"].as_str().unwrap_or_default();
    Row { work: format!("{format} to a Scene"), ours: seconds("scene").unwrap_or(f64::NAN), peer }
}
