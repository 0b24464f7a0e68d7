//! The header is that of the library, and a C program that uses it gets what the library has.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use menagerie::scene::{Pose, Scene};
use menagerie::{Format, Model};

fn here(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// With MENAGERIE_WRITE_HEADER in the environment it is written anew.
#[test]
fn the_header_is_that_of_the_library() {
    let config = cbindgen::Config::from_file(here("cbindgen.toml")).expect("the configuration");
    let made =
        cbindgen::Builder::new().with_crate(here("")).with_config(config).generate().expect("a header");
    let mut text = Vec::new();
    made.write(&mut text);
    let path = here("include/menagerie.h");
    if std::env::var_os("MENAGERIE_WRITE_HEADER").is_some() {
        fs::write(&path, &text).expect("the header can be written");
    }
    let there = fs::read(&path).unwrap_or_default();
    assert!(
        there == text,
        "include/menagerie.h is stale: MENAGERIE_WRITE_HEADER=1 cargo test -p menagerie-c writes it"
    );
}

/// Whether a program is there; one that is not is named.
fn has(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok();
    if !there {
        println!("SKIPPED the C library with {program}: it is not installed");
    }
    there
}

fn run(command: &mut Command) -> Output {
    let output = command.output().expect("it can be started");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {}\n{err}", output.status);
    output
}

/// Where the library is that this test was built with: beside it.
fn built() -> PathBuf {
    let test = std::env::current_exe().expect("this program");
    test.parent().expect("the folder of this build").to_owned()
}

/// A model in which bones bend a mesh: those of the corpus that the project may keep.
fn models() -> Vec<(PathBuf, &'static str, f32)> {
    let corpus = here("../menagerie/tests/corpus/made");
    vec![
        (corpus.join("bmd/m09_skeleton_anims.bmd"), "walk", 0.1),
        (corpus.join("bo3d/skinned16.bo3d"), "", 0.25),
        (corpus.join("das2/05_skinned_two_joint_sets.das2"), "", 0.0),
    ]
}

/// Positions of all vertices in the order of nodes and primitives.
fn positions(scene: &Scene, animation: &str, seconds: f32) -> Vec<[f32; 3]> {
    let animation = scene.animations.iter().find(|known| known.name == animation);
    let pose = animation.map_or_else(|| Pose::rest(scene), |animation| Pose::at(scene, animation, seconds));
    let mut all = Vec::new();
    for (id, node) in scene.nodes.iter() {
        for primitive in node.mesh.iter().flat_map(|mesh| &scene.meshes[*mesh].primitives) {
            all.extend(pose.positions(scene, id, primitive).iter().map(|at| at.to_array()));
        }
    }
    all
}

#[test]
fn a_program_in_c_sees_what_the_library_has() {
    let folder = built();
    let scratch = tempfile::tempdir().expect("a folder");
    for compiler in ["gcc", "g++"] {
        if !has(compiler) {
            continue;
        }
        let program = scratch.path().join(format!("load-{compiler}"));
        let mut build = Command::new(compiler);
        build.args(["-Wall", "-Wextra", "-Werror", "-O1", "-g", "-I"]).arg(here("include"));
        if compiler == "g++" {
            build.args(["-x", "c++"]);
        } else {
            build.args(["-std=c99"]);
        }
        build.arg(here("examples/load.c")).arg("-o").arg(&program).args(["-x", "none"]);
        build.arg(folder.join("libmenagerie_c.so")).arg(format!("-Wl,-rpath,{}", folder.display()));
        run(&mut build);
        for (model, animation, seconds) in models() {
            let mut command = Command::new(&program);
            let output = run(command.arg(&model).arg(animation).arg(seconds.to_string()));
            compare(&model, animation, seconds, &String::from_utf8_lossy(&output.stdout));
        }
        if compiler == "gcc" && has("valgrind") {
            let (model, animation, seconds) = &models()[0];
            let mut command = Command::new("valgrind");
            command.args([
                "--quiet",
                "--error-exitcode=9",
                "--leak-check=full",
                "--errors-for-leak-kinds=definite",
            ]);
            run(command.arg(&program).arg(model).arg(animation).arg(seconds.to_string()));
        }
    }
}

/// What the program printed is what the model is as a GLB at that time.
fn compare(model: &Path, animation: &str, seconds: f32, printed: &str) {
    let vertex = |line: &str| {
        let numbers: Vec<f32> = line.split(' ').map(|number| number.parse().expect("a number")).collect();
        [numbers[0], numbers[1], numbers[2]]
    };
    let of_c: Vec<[f32; 3]> =
        printed.lines().filter_map(|line| line.strip_prefix("v ")).map(vertex).collect();
    let read = |bytes: Vec<u8>| -> Model { menagerie::from_bytes(bytes).expect("a model") };
    let glb = read(fs::read(model).expect("a file")).convert(Format::GLTF).expect("a GLB").output.bytes;
    let of_glb = positions(&read(glb).scene().expect("a Scene"), animation, seconds);
    assert_eq!(of_c.len(), of_glb.len(), "{}", model.display());
    assert!(!of_c.is_empty(), "{}", model.display());
    for (c, glb) in of_c.iter().zip(&of_glb) {
        let apart = c.iter().zip(glb).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(apart <= 1e-5, "{}: {c:?} and {glb:?}", model.display());
    }
}

/// Null, numbers out of range and broken bytes are errors with words.
#[test]
fn misuse_is_an_error_and_no_crash() {
    use menagerie_c::*;
    use std::ffi::CStr;
    use std::ptr::{null, null_mut};
    let said = || {
        // SAFETY: the library gives text that ends with a zero.
        unsafe { CStr::from_ptr(menagerie_last_error()) }.to_string_lossy().into_owned()
    };
    let mut model = null_mut();
    // SAFETY: null is allowed everywhere, and the bytes are as many as is said.
    unsafe {
        assert_eq!(menagerie_open(null(), 4, null(), null(), &raw mut model), MenagerieStatus::Parameter);
        let junk = b"junk";
        assert_eq!(
            menagerie_open(junk.as_ptr(), 4, null(), null(), &raw mut model),
            MenagerieStatus::Unsupported
        );
        assert!(said().contains("format"), "{}", said());
        let bytes = fs::read(&models()[0].0).expect("a file");
        assert_eq!(
            menagerie_open(bytes.as_ptr(), bytes.len(), null(), null(), null_mut()),
            MenagerieStatus::Parameter
        );
        assert_eq!(
            menagerie_open(bytes.as_ptr(), bytes.len(), null(), null(), &raw mut model),
            MenagerieStatus::Ok
        );
        assert_eq!(CStr::from_ptr(menagerie_format(model)).to_str(), Ok("bmd"));
        let mut scene = null_mut();
        assert_eq!(menagerie_scene(null(), &raw mut scene), MenagerieStatus::Parameter);
        assert_eq!(menagerie_scene(model, &raw mut scene), MenagerieStatus::Ok);
        let mut pose = null_mut();
        assert_eq!(menagerie_pose(scene, 99, 0.0, &raw mut pose), MenagerieStatus::Parameter);
        assert!(said().contains("there is no animation 99"), "{}", said());
        assert_eq!(menagerie_pose(scene, -1, f32::NAN, &raw mut pose), MenagerieStatus::Parameter);
        assert_eq!(menagerie_pose(scene, -1, 0.0, &raw mut pose), MenagerieStatus::Ok);
        assert_eq!(menagerie_pose_positions(pose, 0, 9, null_mut(), 0), MenagerieStatus::Parameter);
        let mut result = null_mut();
        assert_eq!(menagerie_convert(model, c"fbx".as_ptr(), &raw mut result), MenagerieStatus::Parameter);
        assert_eq!(menagerie_convert(model, c"glb".as_ptr(), &raw mut result), MenagerieStatus::Ok);
        let mut length = 0;
        let glb = menagerie_result_bytes(result, &raw mut length);
        assert_eq!(std::slice::from_raw_parts(glb, length).get(..4), Some(&b"glTF"[..]));
        let mut picture = vec![0u8; 4 * 16 * 16];
        assert_eq!(menagerie_render(scene, 16, 16, picture.as_mut_ptr()), MenagerieStatus::Ok);
        assert_eq!(menagerie_render(scene, 0, 16, picture.as_mut_ptr()), MenagerieStatus::Parameter);
        assert!(!menagerie_explain(c"bmd/magic".as_ptr()).is_null());
        assert!(menagerie_explain(c"no/code".as_ptr()).is_null());
        menagerie_result_free(result);
        menagerie_pose_free(pose);
        menagerie_scene_free(scene);
        menagerie_model_free(model);
        menagerie_model_free(null_mut());
        // What was freed is known to be so, and freeing it again does nothing.
        assert_eq!(menagerie_scene(model, &raw mut scene), MenagerieStatus::Parameter);
        assert!(said().contains("was freed"), "{}", said());
        assert_eq!(menagerie_issue_count(model), 0);
        menagerie_model_free(model);
    }
}
