//! `optimize`: what is changed, what is said about it, and what is left alone.

use std::fs;
use std::path::Path;

use crate::support::{menagerie, samples};
use serde_json::Value;

/// Runs `optimize` on the creature and gives its one JSON object.
fn optimize(home: &Path, out: &str, steps: &[&str]) -> Value {
    let at = |name: &str| home.join(name).display().to_string();
    let arguments = ["optimize", &at("creature.bo3d"), &at(out), "--json"].map(str::to_owned);
    let all = arguments.into_iter().chain(steps.iter().map(|step| (*step).to_owned()));
    menagerie(all).exits(0).json()[0].clone()
}

#[test]
fn each_step_does_what_it_says() {
    let home = samples();
    let count = |size: &Value, name: &str| size[name].as_u64().unwrap();
    type Check = fn(u64, u64) -> bool;
    let fewer: Check = |before, after| after < before;
    let same: Check = |before, after| after == before;
    for (steps, step, counted, expected) in [
        (&["--weld"][..], "weld", "triangles", same),
        (&["--weld=0.5"], "weld", "vertices", |before, after| after <= before),
        (&["--clean"], "clean", "triangles", |before, after| after <= before),
        (&["--normals"], "normals", "triangles", same),
        (&["--normals=180"], "normals", "triangles", same),
        (&["--tangents"], "tangents", "triangles", same),
        (&["--weights", "1"], "weights", "vertices", same),
        (&["--join"], "join", "triangles", same),
        (&["--simplify", "0.5"], "simplify", "triangles", fewer),
        (&["--simplify-error", "0.1"], "simplify", "triangles", fewer),
        (&["--lod", "0.5,0.25"], "lod", "meshes", |before, after| after == 3 * before),
        (&["--keys", "0.01"], "keys", "keys", |before, after| after <= before),
        (&["--resample", "30"], "resample", "keys", |before, after| after > before),
        (&["--bake-pose"], "bake-pose", "keys", fewer),
        (&["--bake-pose=@0.5"], "bake-pose", "keys", fewer),
        (&["--max-vertices", "16"], "split", "primitives", |before, after| after > before),
        (&["--turn", "z-up-to-y-up"], "turn", "triangles", same),
        (&["--order"], "order", "triangles", same),
    ] {
        let value = optimize(home.path(), "out.glb", steps);
        assert_eq!(value["steps"][0]["step"], step, "{value:#}");
        let (before, after) = (count(&value["before"], counted), count(&value["after"], counted));
        assert!(expected(before, after), "{steps:?}: {before} {counted} became {after}");
        menagerie(["validate".to_owned(), home.path().join("out.glb").display().to_string()]).exits(0);
    }
}

#[test]
fn steps_come_in_the_same_order_whatever_that_of_the_options() {
    let home = samples();
    let one = optimize(home.path(), "one.glb", &["--order", "--simplify", "0.5", "--weld", "--clean"]);
    let other = optimize(home.path(), "other.glb", &["--clean", "--weld", "--simplify", "0.5", "--order"]);
    let names: Vec<&str> =
        one["steps"].as_array().unwrap().iter().map(|step| step["step"].as_str().unwrap()).collect();
    assert_eq!(names, ["weld", "clean", "simplify", "order"]);
    assert_eq!(one["steps"], other["steps"]);
    let bytes = |name: &str| fs::read(home.path().join(name)).unwrap();
    assert_eq!(bytes("one.glb"), bytes("other.glb"));
    // What the steps changed was asked for, and is listed as that with what was measured.
    let simplified = &one["steps"][2]["losses"][0];
    assert!(simplified["max_error"].as_f64() > Some(0.0), "{simplified:#}");
    assert!(one["requested"].as_array().unwrap().contains(simplified));
    assert!(!one["losses"].as_array().unwrap().contains(simplified));
}

#[test]
fn the_same_format_is_possible_and_the_input_is_left_alone() {
    let home = samples();
    let source = home.path().join("creature.bo3d");
    let before = fs::read(&source).unwrap();
    optimize(home.path(), "small.bo3d", &["--simplify", "0.5"]);
    assert!(fs::read(&source).unwrap() == before);
    let small = fs::read(home.path().join("small.bo3d")).unwrap();
    assert!(small.len() < before.len());
    // Only OUT can say that the input goes.
    optimize(home.path(), "creature.bo3d", &["--simplify", "0.5"]);
    assert!(fs::read(&source).unwrap() == small);
}

#[test]
fn exit_codes_are_those_of_the_contract() {
    let home = samples();
    let at = |name: &str| home.path().join(name).display().to_string();
    let (file, out) = (at("creature.bo3d"), at("out.glb"));
    fs::write(at("broken.bo3d"), b"BO3D").unwrap();
    for (arguments, code) in [
        (vec!["optimize", &file, &out, "--weld"], 0),
        (vec!["optimize", &file, &out, "--simplify", "0.5", "--fail-on-loss"], 0),
        (vec!["optimize", &file, &out, "--weld", "--verify"], 0),
        (vec!["optimize", &file, &out], 2),
        (vec!["optimize", &file, &out, "--simplify", "2"], 2),
        (vec!["optimize", &file, &out, "--keys", "NaN"], 2),
        (vec!["optimize", &file, &out, "--weld=-1"], 2),
        (vec!["optimize", &file, &out, "--bake-pose=swim@1"], 2),
        (vec!["optimize", &at("gone.bo3d"), &out, "--weld"], 2),
        (vec!["optimize", &at("broken.bo3d"), &out, "--weld"], 2),
        (vec!["optimize", &file, &at("out.xyz"), "--weld"], 2),
    ] {
        let ran = menagerie(&arguments);
        assert_eq!(ran.code, Some(code), "{arguments:?}: {} {}", ran.text(), ran.err);
    }
    let text = menagerie(["optimize", &file, &out, "--weld", "--order"]).exits(0).text();
    for word in ["before", "after", "vertices", "bytes of the file", "weld", "order"] {
        assert!(text.contains(word), "{text}");
    }
}
