//! What `--json` prints keeps to the published schemas, and is one value.

use std::fs;
use std::path::Path;

use crate::support::{corpus, menagerie, samples};
use serde_json::Value;

#[track_caller]
fn keeps_to(schema: &str, value: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/schema/{schema}.json"));
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let broken: Vec<String> =
        validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(broken.is_empty(), "{broken:#?} in {value:#}");
}

/// All kinds of files: good, bad, empty, unknown, missing.
fn all_kinds() -> (tempfile::TempDir, Vec<String>) {
    let home = samples();
    fs::write(home.path().join("notes.txt"), "no model at all").unwrap();
    let mut files: Vec<String> = Vec::new();
    for folder in ["made/bo3d", "bad/bo3d"] {
        files.push(corpus(folder).join("*.bo3d").display().to_string());
    }
    for name in ["crate.bo3d", "creature.bo3d", "notes.txt", "gone.bo3d"] {
        files.push(home.path().join(name).display().to_string());
    }
    (home, files)
}

#[test]
fn info_keeps_to_its_schema() {
    let (_home, files) = all_kinds();
    let arguments = ["info".to_owned(), "--json".to_owned()].into_iter().chain(files);
    let value = menagerie(arguments).exits(2).json();
    keeps_to("info", &value);
    let of = |name: &str| {
        value.as_array().unwrap().iter().find(|v| v["file"].as_str().unwrap().ends_with(name)).unwrap()
    };
    let textured = of("crate.bo3d");
    assert_eq!(textured["contents"]["meshes"], 1);
    assert_eq!(textured["geometry"]["triangles"], 12);
    assert_eq!(textured["bounds"]["max"], serde_json::json!([0.5, 1.0, 0.5]));
    assert_eq!(textured["textures"], serde_json::json!([{ "name": "planks.png", "found": true }]));
    let animated = &of("creature.bo3d")["animations"][0];
    assert!(animated["seconds"].as_f64().unwrap() > 5.0, "all clips one after the other: {animated}");
    assert!(of("gone.bo3d")["error"].is_string());
}

#[test]
fn identify_keeps_to_its_schema() {
    let (_home, files) = all_kinds();
    let arguments = ["identify".to_owned(), "--json".to_owned()].into_iter().chain(files);
    let value = menagerie(arguments).exits(2).json();
    keeps_to("identify", &value);
    let found = value.as_array().unwrap();
    let of = |name: &str| found.iter().find(|v| v["file"].as_str().unwrap().ends_with(name)).unwrap();
    assert_eq!(of("crate.bo3d")["confidence"], "certain");
    assert_eq!(of("crate.bo3d")["dialect"], "version 100, 32-bit vertex floats");
    assert_eq!(of("notes.txt")["confidence"], "none");
    assert!(of("gone.bo3d")["error"].is_string());
}

#[test]
fn validate_keeps_to_its_schema_and_is_also_sarif() {
    let (_home, files) = all_kinds();
    let arguments = |kind: &str| ["validate".to_owned(), kind.to_owned()].into_iter().chain(files.clone());
    let value = menagerie(arguments("--json")).exits(2).json();
    keeps_to("validate", &value);
    for file in value.as_array().unwrap() {
        let issues = file["issues"].as_array().unwrap();
        for (severity, count) in file["counts"].as_object().unwrap() {
            let listed = issues.iter().filter(|issue| issue["severity"] == severity.as_str()).count();
            assert_eq!(*count, listed, "{file:#}");
        }
        let invalid = file["counts"]["error"] != 0 || file.get("error").is_some();
        assert_eq!(file["valid"], !invalid, "{file:#}");
    }
    let log = menagerie(arguments("--sarif")).exits(2).json();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let results = run["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        let line = &result["locations"][0]["physicalLocation"]["region"]["startLine"];
        assert!(line.as_u64().is_some_and(|line| line >= 1), "code hosts need a line: {result:#}");
    }
    let failed = &run["invocations"][0]["toolExecutionNotifications"];
    assert!(failed.to_string().contains("gone.bo3d"), "{failed:#}");
    let lines = menagerie(arguments("--json-lines")).exits(2).text();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(Value::Array(lines), value, "the same, an object a line");
}

#[test]
fn conversions_report_what_was_lost() {
    let home = samples();
    let at = |name: &str| home.path().join(name).display().to_string();
    // Half floats cannot hold the creature exactly.
    let lossy = ["--bo3d-float", "16"];
    let one = ["convert", &at("creature.bo3d"), &at("one.bo3d"), "--loss-report", &at("one.json")];
    menagerie(one.iter().chain(&lossy)).exits(0);
    let report: Value = serde_json::from_str(&fs::read_to_string(at("one.json")).unwrap()).unwrap();
    keeps_to("loss-report", &report);
    assert_eq!((&report["from"], &report["to"]), (&"bo3d".into(), &"bo3d".into()));
    let losses = report["losses"].as_array().unwrap();
    assert!(losses.iter().any(|loss| loss["max_error"].as_f64() > Some(0.0)), "{report:#}");

    let fails = ["convert", &at("creature.bo3d"), &at("two.bo3d"), "--fail-on-loss", "--json"];
    let value = menagerie(fails.iter().chain(&lossy)).exits(1).json();
    keeps_to("convert", &value);
    assert!(Path::new(&at("two.bo3d")).exists(), "it is done, and something is wrong with it");

    let many =
        ["convert", &at("crate.bo3d"), &at("gone.bo3d"), &at("creature.bo3d"), &at("out/"), "--to", "bo3d"];
    let reports = at("many.json");
    let value = menagerie(many.into_iter().chain(["--json", "--loss-report", &reports])).exits(2).json();
    keeps_to("convert", &value);
    let reports: Value = serde_json::from_str(&fs::read_to_string(reports).unwrap()).unwrap();
    assert_eq!(reports.as_array().map(Vec::len), Some(2));
    reports.as_array().unwrap().iter().for_each(|report| keeps_to("loss-report", report));
}

#[test]
fn optimize_keeps_to_its_schema() {
    let home = samples();
    let at = |name: &str| home.path().join(name).display().to_string();
    let steps = ["--weld", "--clean", "--simplify", "0.5", "--keys", "0.1", "--order", "--json"];
    let files =
        ["optimize", &at("crate.bo3d"), &at("creature.bo3d"), &at("gone.bo3d"), &at("out/"), "--to", "glb"];
    let value = menagerie(files.into_iter().chain(steps)).exits(2).json();
    keeps_to("optimize", &value);
    assert_eq!(value[1]["steps"].as_array().map(Vec::len), Some(5));
    assert!(value[1]["after"]["triangles"].as_u64() < value[1]["before"]["triangles"].as_u64());
    assert_eq!(value[2]["before"], Value::Null);
}

#[test]
fn diff_keeps_to_its_schema() {
    let home = samples();
    let at = |name: &str| home.path().join(name).display().to_string();
    menagerie(["convert", &at("crate.bo3d"), &at("moved.bo3d"), "--scale", "1.5"]).exits(0);
    for (other, code, equal) in [("crate.bo3d", 0, true), ("moved.bo3d", 1, false)] {
        let value = menagerie(["diff", "--json", &at("crate.bo3d"), &at(other)]).exits(code).json();
        keeps_to("diff", &value);
        assert_eq!(value["equal"], equal);
        assert_eq!(value["differences"].as_array().unwrap().is_empty(), equal, "{value:#}");
    }
    let verified = ["convert", &at("crate.bo3d"), &at("again.bo3d"), "--rebuild", "--verify", "--json"];
    let value = menagerie(verified).exits(0).json();
    keeps_to("convert", &value);
    assert_eq!(value[0]["verify"]["equal"], true, "{value:#}");
}

#[test]
fn other_verbs_print_one_value_too() {
    let home = samples();
    let at = |name: &str| home.path().join(name).display().to_string();
    for (arguments, pointer) in [
        (vec!["explain", "--json"], "/0/code"),
        (vec!["explain", "--json", "file/empty"], "/fix"),
        (vec!["formats", "--json"], "/0/holds/positions/holds"),
        (vec!["inspect", "--json", &at("crate.bo3d")], "/parts/0/parts/0/value"),
        (vec!["sample", "--json", &at("s")], "/0/bytes"),
        (vec!["demo", "--json", &at("d")], "/0/valid"),
    ] {
        let value = menagerie(&arguments).exits(0).json();
        assert!(value.pointer(pointer).is_some(), "{arguments:?} lacks {pointer}: {value:#}");
    }
}
