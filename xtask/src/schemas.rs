//! JSON Schemas of what the program prints.

use menagerie::formats::ALL;
use serde_json::{Value, json};

/// Every schema with its name.
pub(crate) fn all() -> Vec<(&'static str, Value)> {
    let mut schemas = vec![
        ("info", array(info())),
        ("identify", array(identify())),
        ("validate", array(validate())),
        ("loss-report", loss_report()),
        ("diff", diff()),
        ("convert", array(convert())),
        ("optimize", array(optimize())),
        ("render", array(render())),
    ];
    for (name, schema) in &mut schemas {
        if let Some(fields) = schema.as_object_mut() {
            fields.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
            fields.insert("title".to_owned(), json!(title(name)));
        }
    }
    schemas
}

fn title(name: &str) -> &'static str {
    match name {
        "info" => "menagerie info --json",
        "identify" => "menagerie identify --json",
        "validate" => "menagerie validate --json",
        "loss-report" => "menagerie convert --loss-report: one input; several give an array of these",
        "diff" => "menagerie diff --json",
        "optimize" => "menagerie optimize --json",
        "render" => "menagerie render --json",
        _ => "menagerie convert --json",
    }
}

fn info() -> Value {
    let corner = json!({ "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3 });
    object(
        json!({
            "file": text("the file as it was given"),
            "format": format(),
            "profile": json!({ "type": ["string", "null"], "description": "which dialect of the format" }),
            "bytes": nullable("integer"),
            "contents": { "type": "object", "additionalProperties": count(), "description": "the file's own lists" },
            "geometry": nullable_object(json!({ "vertices": count(), "triangles": count() })),
            "bounds": nullable_object(json!({ "min": corner, "max": corner })),
            "surface": nullable_object(json!({
                "welded_vertices": count(), "watertight": { "type": "boolean" }, "open_edges": count(),
                "area": { "type": "number", "minimum": 0 }, "volume": { "type": "number" }
            })),
            "axes": nullable_object(json!({
                "up": direction(), "front": direction(), "handedness": { "enum": ["right", "left"] }
            })),
            "animations": array(object(json!({
                "name": { "type": "string" }, "seconds": { "type": "number", "minimum": 0 }, "channels": count()
            }), &[])),
            "textures": array(texture()),
            "issues": array(issue()),
            "packing": array(packing()),
            "error": text("why the file could not be read; only there when it could not"),
        }),
        &["packing", "error"],
    )
}

fn identify() -> Value {
    object(
        json!({
            "file": text("the file as it was given"),
            "format": format(),
            "dialect": { "type": ["string", "null"], "description": "which of the forms that files of the format have" },
            "mime": { "type": ["string", "null"], "description": "the media type" },
            "confidence": { "enum": ["certain", "likely", "name", "none"] },
            "why": { "type": "array", "items": { "type": "string" }, "description": "what speaks for it and against it" },
            "error": text("why the file could not be looked at; only there when it could not"),
        }),
        &["error"],
    )
}

/// How finely a mesh is packed; only there for formats that pack.
fn packing() -> Value {
    let number = || json!({ "type": "number", "minimum": 0 });
    let error = || nullable_object(json!({ "max": number(), "mean": number() }));
    object(
        json!({
            "path": text("the mesh"),
            "bits": array(count()),
            "step": number(),
            "position_error": error(),
            "normal_error": error(),
            "uv_error": error(),
        }),
        &[],
    )
}

fn validate() -> Value {
    let counts = json!({ "error": count(), "warning": count(), "info": count() });
    object(
        json!({
            "file": text("the file as it was given"),
            "format": format(),
            "valid": { "type": "boolean" },
            "counts": object(counts, &[]),
            "issues": array(issue()),
            "error": text("why there is nothing to say about the file; only there when there is nothing"),
        }),
        &["error"],
    )
}

fn loss_report() -> Value {
    object(
        json!({
            "from": { "type": "string" },
            "to": { "type": "string" },
            "losses": array(loss()),
            "requested": array(loss()),
            "file": text("which input; only there when there are several"),
        }),
        &["file"],
    )
}

fn diff() -> Value {
    let part = json!({ "type": "number", "minimum": 0, "maximum": 255 });
    let view = object(json!({ "view": { "type": "string" }, "difference": part }), &[]);
    let picture = object(json!({ "difference": part, "views": array(view) }), &[]);
    let fields = json!({
        "equal": { "type": "boolean" }, "differences": array(difference()), "picture": picture
    });
    object(fields, &["picture"])
}

fn difference() -> Value {
    object(measured(json!({})), &[])
}

fn convert() -> Value {
    object(converted(), &[])
}

/// What `convert` says of one input, and what the steps did to it.
fn optimize() -> Value {
    let size = || {
        nullable_object(json!({
            "vertices": count(),
            "triangles": count(),
            "meshes": count(),
            "primitives": count(),
            "nodes": count(),
            "keys": count(),
            "vertices_per_triangle": nullable("number"),
            "bytes": count(),
        }))
    };
    let step = json!({
        "step": text("the step's name"),
        "summary": text("what it did"),
        "losses": array(loss()),
    });
    let mut fields = converted();
    if let (Some(fields), Value::Object(more)) = (
        fields.as_object_mut(),
        json!({ "before": size(), "after": size(), "steps": array(object(step, &[])) }),
    ) {
        fields.extend(more);
    }
    object(fields, &[])
}

fn converted() -> Value {
    json!({
        "file": text("the file as it was given"),
        "output": json!({ "type": ["string", "null"], "description": "the file that was written" }),
        "from": format(),
        "to": { "type": "string" },
        "bytes": count(),
        "beside": array(text("a file that was written beside the output")),
        "losses": array(loss()),
        "requested": array(loss()),
        "textures": array(texture()),
        "issues": array(issue()),
        "engine": array(issue()),
        "verify": nullable_object(json!({
            "equal": { "type": "boolean" }, "differences": array(difference()), "unreported": count()
        })),
        "error": json!({ "type": ["string", "null"], "description": "why it could not be converted" }),
        "replaced": { "type": "boolean", "description": "whether the result took the place of another file" },
        "skipped": { "type": "boolean", "description": "whether the result was there already and was left as it is" },
    })
}

fn render() -> Value {
    object(
        json!({
            "file": text("the file as it was given"),
            "format": format(),
            "outputs": array(text("a file that was written; the same for all inputs of a sheet")),
            "pictures": count(),
            "width": nullable("integer"),
            "height": nullable("integer"),
            "issues": array(issue()),
            "error": json!({ "type": ["string", "null"], "description": "why it could not be drawn" }),
        }),
        &[],
    )
}

fn issue() -> Value {
    object(
        json!({
            "code": code(),
            "severity": { "enum": ["error", "warning", "info"] },
            "message": { "type": "string" },
            "offset": nullable("integer"),
            "length": nullable("integer"),
            "path": { "type": "string" },
        }),
        &[],
    )
}

fn loss() -> Value {
    object(measured(json!({ "kind": { "enum": ["dropped", "approximated", "damaged", "added"] } })), &[])
}

/// What losses and differences have in common, with `more`.
fn measured(more: Value) -> Value {
    let mut fields = json!({
        "code": code(),
        "path": { "type": "string" },
        "message": { "type": "string" },
        "count": count(),
        "max_error": nullable("number"),
        "mean_error": nullable("number"),
        "unit": nullable("string"),
    });
    if let (Some(fields), Value::Object(more)) = (fields.as_object_mut(), more) {
        fields.extend(more);
    }
    fields
}

fn texture() -> Value {
    object(
        json!({
            "name": text("the name that the file has"),
            "found": { "type": "boolean" },
            "tried": array(text("a place where it is not")),
            "reason": text("why it was not found"),
        }),
        &["tried", "reason"],
    )
}

/// An object whose fields are all there but for the optional ones, and no others.
fn object(fields: Value, optional: &[&str]) -> Value {
    let names = fields.as_object().into_iter().flat_map(|fields| fields.keys());
    let required: Vec<&String> = names.filter(|name| !optional.contains(&name.as_str())).collect();
    json!({ "type": "object", "required": required, "properties": fields, "additionalProperties": false })
}

fn nullable_object(fields: Value) -> Value {
    json!({ "anyOf": [object(fields, &[]), { "type": "null" }] })
}

fn array(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn nullable(kind: &str) -> Value {
    json!({ "type": [kind, "null"] })
}

fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn text(description: &str) -> Value {
    json!({ "type": "string", "description": description })
}

fn direction() -> Value {
    json!({ "enum": ["+X", "-X", "+Y", "-Y", "+Z", "-Z"] })
}

fn code() -> Value {
    json!({ "type": "string", "pattern": "^[a-z0-9-]+/[a-z0-9-]+$" })
}

/// A format's name, or null where it is not known.
fn format() -> Value {
    let ids = ALL.iter().map(|format| Value::from(format.id));
    json!({ "enum": ids.chain([Value::Null]).collect::<Vec<_>>() })
}
