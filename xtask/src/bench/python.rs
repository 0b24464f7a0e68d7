//! Opening a large model from Python and reading its positions, against trimesh.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::programs::machine;
use super::{Bench, Peer, Row, page};
use crate::python::{Environment, Interpreter, Profile, build_environment};

const PACKAGES: [&str; 2] = ["numpy>=1.26,<3", "trimesh>=4,<6"];

/// What menagerie is to be, at least, beside trimesh.
const GOAL: f64 = 5.0;

pub(super) fn compare(bench: &Bench) -> Result<Vec<Row>> {
    let environment = match Environment::ready(&bench.root, "bench", Interpreter::Any, &PACKAGES)? {
        Ok(environment) => environment,
        Err(reason) => {
            let peer = Peer::Skipped { name: "trimesh".to_owned(), reason };
            return Ok(vec![Row { work: "positions from Python".to_owned(), ours: 0.0, peer }]);
        }
    };
    environment.install(&build_environment(&bench.root)?.wheel(&bench.root, Profile::Release)?)?;
    let mut measure = environment.python();
    measure.arg(bench.root.join("python/bench/positions.py")).arg(&bench.folder);
    let output = measure.current_dir(&bench.folder).output().context("cannot run the measurement")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let found: Vec<(String, f64, f64)> = serde_json::from_slice::<Value>(&output.stdout)
        .and_then(serde_json::from_value)
        .context("the measurement printed no JSON")?;
    let rows: Vec<Value> = found
        .iter()
        .map(|(format, ours, theirs)| json!({ "format": format, "menagerie": ours, "trimesh": theirs }))
        .collect();
    page::keep(&bench.root, "python", &json!({ "machine": machine(), "goal": GOAL, "rows": rows }))?;
    for (format, ours, theirs) in &found {
        if theirs / ours < GOAL {
            bail!("{format}: {:.1} times as fast as trimesh; the goal is {GOAL}", theirs / ours);
        }
    }
    let row = |(format, ours, seconds): (String, f64, f64)| Row {
        work: format!("1 M triangles of {format} to positions in Python"),
        ours,
        peer: Peer::Took { name: "trimesh".to_owned(), seconds },
    };
    Ok(found.into_iter().map(row).collect())
}
