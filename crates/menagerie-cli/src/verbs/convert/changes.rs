//! What operations did: before and after.

use menagerie::convert::Changes;
use menagerie::ops::SceneSize;
use serde_json::{Map, Value, json};

use crate::output;

/// The sizes of the files before and after.
type Bytes = (usize, usize);

/// Two tables: how much there was and is, and what each step did.
pub(super) fn text(changes: &Changes, (bytes_before, bytes_after): Bytes) -> String {
    let (before, after) = (&changes.before, &changes.after);
    let mut sizes = output::table(["", "before", "after"]);
    for (name, of) in COUNTS {
        sizes.add_row([name.to_owned(), of(before).to_string(), of(after).to_string()]);
    }
    let misses = |size: &SceneSize| size.misses.map_or("-".to_owned(), |misses| format!("{misses:.3}"));
    sizes.add_row(["vertices computed for a triangle".to_owned(), misses(before), misses(after)]);
    sizes.add_row(["bytes of the file".to_owned(), bytes_before.to_string(), bytes_after.to_string()]);
    let mut steps = output::table(["step", "what it did", "largest error"]);
    for (op, report) in &changes.steps {
        let errors = report.losses.iter().filter_map(|loss| loss.error);
        let errors: Vec<String> =
            errors.map(|(stats, unit)| format!("{:.3e} {unit}", stats.max)).take(MOST_ERRORS).collect();
        steps.add_row([op.name().to_owned(), report.summary.clone(), errors.join(", ")]);
    }
    format!("{sizes}\n{steps}")
}

/// Errors of one step that the table shows; the losses below have them all.
const MOST_ERRORS: usize = 4;

type Count = fn(&SceneSize) -> usize;

const COUNTS: [(&str, Count); 6] = [
    ("vertices", |size| size.vertices),
    ("triangles", |size| size.triangles),
    ("meshes", |size| size.meshes),
    ("primitives", |size| size.primitives),
    ("nodes", |size| size.nodes),
    ("keys", |size| size.keys),
];

/// The same as fields of a JSON object: `before`, `after` and `steps`.
pub(super) fn to_json(changes: Option<&Changes>, (before, after): Bytes) -> Map<String, Value> {
    let size = |size: &SceneSize, bytes: usize| {
        let counts = COUNTS.iter().map(|(name, of)| ((*name).to_owned(), json!(of(size))));
        let mut fields: Map<String, Value> = counts.collect();
        fields.insert("vertices_per_triangle".to_owned(), json!(size.misses));
        fields.insert("bytes".to_owned(), json!(bytes));
        Value::Object(fields)
    };
    let steps = changes.iter().flat_map(|changes| &changes.steps).map(|(op, report)| {
        let losses: Vec<Value> = report.losses.iter().map(|loss| loss.to_json()).collect();
        json!({ "step": op.name(), "summary": report.summary, "losses": losses })
    });
    [
        ("before", changes.map_or(Value::Null, |changes| size(&changes.before, before))),
        ("after", changes.map_or(Value::Null, |changes| size(&changes.after, after))),
        ("steps", steps.collect()),
    ]
    .into_iter()
    .map(|(name, value)| (name.to_owned(), value))
    .collect()
}
