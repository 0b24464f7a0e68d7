//! Operations on Scenes: welding beside a copy and a sort, simplifying beside meshoptimizer itself.

use anyhow::Result;

use super::{Bench, Row, cargo_bench};

/// Runs the library's own benchmarks; their rates of one run are meant to be compared with each other.
pub(super) fn compare(bench: &Bench) -> Result<Vec<Row>> {
    cargo_bench(&bench.root, "ops")?;
    Ok(Vec::new())
}
