//! `render`: what is written where, exit codes, and what is said about what cannot be drawn.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{PROGRAM, corpus, crate_with_texture, menagerie, run, samples};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Width and height of a PNG file.
fn size(file: &[u8]) -> (u32, u32) {
    assert!(file.starts_with(PNG));
    let number = |at: usize| u32::from_be_bytes(file[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

fn chunks(file: &[u8], name: &[u8; 4]) -> usize {
    file.windows(4).filter(|four| four == name).count()
}

#[test]
fn options_and_exit_codes() {
    let home = samples();
    fs::write(home.path().join("notes.txt"), "no model at all").unwrap();
    let fill = |argument: &str| {
        argument
            .replace("{bad}", &corpus("bad/bo3d").display().to_string())
            .replace("{made}", &corpus("made").display().to_string())
            .replace("{home}", &home.path().display().to_string())
    };
    let out = ["-o", "{home}/out.png", "--size", "40x30"];
    // Arguments, exit code, what standard output has, what standard error has.
    let table: &[(&[&str], i32, &str, &str)] = &[
        (&["{home}/crate.bo3d"], 0, "out.png: 40×30", ""),
        (&["{home}/crate.bo3d", "--camera", "left", "--orthographic", "--bounds", "--axes"], 0, "40×30", ""),
        (&["{home}/crate.bo3d", "--camera", "30,-15", "--wireframe", "--no-shadow"], 0, "40×30", ""),
        (&["{home}/crate.bo3d", "--wireframe=only", "--background", "transparent"], 0, "40×30", ""),
        (&["{home}/creature.bo3d", "--time", "0.5", "--bones", "--lights", "ambient"], 0, "40×30", ""),
        (&["{home}/creature.bo3d", "--frame", "6"], 0, "40×30", ""),
        (&["{home}/creature.glb", "--animation", "walk", "--frame", "6", "--fps", "12"], 0, "40×30", ""),
        (&["{home}/creature.glb", "--frame", "6"], 2, "", "--fps"),
        (&["{home}/creature.glb", "--animation", "dance"], 2, "", "\"walk\""),
        (&["{home}/crate.glb", "--time", "1"], 2, "", "has no animation"),
        (&["{home}/lantern.glb", "--camera", "viewer"], 0, "40×30", ""),
        (&["{home}/lantern.glb", "--camera", "0", "--lights", "model"], 0, "40×30", ""),
        (&["{home}/lantern.glb", "--camera", "nobody"], 2, "", "0 \"viewer\""),
        (&["{home}/crate.bo3d", "--camera", "nobody"], 2, "", "the model has no cameras"),
        (
            &["{home}/crate.bo3d", "--flip-v", "--texture", "planks.png=gone.png"],
            0,
            "render/texture-missing",
            "",
        ),
        (&["{made}/bmd/m11_minimal_header_only.bmd"], 0, "render/nothing-to-draw", ""),
        (&["{home}/crate.bo3d", "--apng"], 2, "", "--turntable"),
        (&["{home}/crate.bo3d", "--size", "0"], 2, "", "between 1 and 8192"),
        (&["{home}/crate.bo3d", "--background", "octarine"], 2, "", "#rrggbb"),
        (&["{home}/crate.bo3d", "--turntable", "0"], 2, "", "--turntable"),
        (&["{home}/crate.bo3d", "{home}/lantern.bo3d"], 2, "", "--contact-sheet"),
        (&["{home}/gone.bo3d"], 2, "", "there is no such file"),
        (&["{home}/notes.txt"], 2, "", "file/unknown-format"),
        (&["{bad}/magic.bo3d"], 2, "", "cannot be read"),
        (&["{bad}/truncated.bo3d"], 1, "bo3d/size-past-end", ""),
    ];
    for (arguments, code, stdout, stderr) in table {
        let _ = fs::remove_file(home.path().join("out.png"));
        // A later --size takes the place of the earlier one only in a new list.
        let sized = arguments.contains(&"--size");
        let all = ["render"].iter().chain(&out[..if sized { 2 } else { 4 }]).chain(arguments.iter());
        let ran = menagerie(all.map(|argument| fill(argument)));
        let told = format!("{arguments:?}\nout: {}\nerr: {}", ran.text(), ran.err);
        assert_eq!(ran.code, Some(*code), "{told}");
        assert!(ran.text().contains(stdout), "standard output lacks {stdout:?}: {told}");
        assert!(ran.err.contains(stderr), "standard error lacks {stderr:?}: {told}");
        // What can be had of a damaged file is drawn.
        assert_eq!(home.path().join("out.png").exists(), *code < 2, "{told}");
    }
    let explained = menagerie(["explain", "render/texture-missing"]).exits(0);
    assert!(explained.text().contains("--texture-dir"));
}

#[test]
fn several_files_go_to_a_folder_or_on_a_sheet() {
    let home = samples();
    let at = |name: &str| home.path().join(name).display().to_string();
    let files = [at("crate.bo3d"), at("crate.glb"), at("gone.bo3d"), at("lantern.glb")];
    let with = |more: &[&str]| {
        let verb = ["render".to_owned(), "--size".to_owned(), "60x40".to_owned()];
        let more = more.iter().map(|argument| (*argument).to_owned());
        menagerie(verb.into_iter().chain(files.iter().cloned()).chain(more))
    };
    let folder = at("pictures/");
    let ran = with(&["-o", &folder]).exits(2);
    assert!(ran.text().contains("3 files drawn, 1 failed") && ran.err.contains("gone.bo3d"), "{ran:?}");
    for name in ["crate.bo3d.png", "crate.glb.png", "lantern.png"] {
        assert_eq!(size(&fs::read(home.path().join("pictures").join(name)).unwrap()), (60, 40));
    }
    let sheet = at("sheet.png");
    let value = with(&["-o", &sheet, "--contact-sheet", "--columns", "2", "--json"]).exits(2).json();
    assert_eq!(size(&fs::read(&sheet).unwrap()), (2 * 64 + 4, 2 * (40 + 11 + 4) + 4));
    assert_eq!(value[0]["outputs"][0], sheet.as_str());
    assert!(value[2]["error"].is_string());
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/render.json");
    let schema = serde_json::from_str(&fs::read_to_string(schema).unwrap()).unwrap();
    let broken: Vec<String> = jsonschema::validator_for(&schema)
        .unwrap()
        .iter_errors(&value)
        .map(|error| error.to_string())
        .collect();
    assert!(broken.is_empty(), "{broken:?} in {value:#}");
}

#[test]
fn sequences_are_numbered_animated_or_on_a_sheet() {
    let home = samples();
    let at = |name: &str| home.path().join(name).display().to_string();
    let draw = |more: &[&str]| {
        let file = at("creature.bo3d");
        menagerie(["render", &file, "--size", "48", "-o"].into_iter().chain(more.iter().copied())).exits(0)
    };
    draw(&[&at("turn.png"), "--turntable", "3"]);
    let turned: Vec<Vec<u8>> =
        (1..=3).map(|i| fs::read(home.path().join(format!("turn-0{i}.png"))).unwrap()).collect();
    assert!(turned[0] != turned[1] && turned[1] != turned[2] && !Path::new(&at("turn.png")).exists());
    draw(&[&at("turn.png"), "--turntable", "3", "--apng"]);
    let animated = fs::read(at("turn.png")).unwrap();
    assert_eq!((size(&animated), chunks(&animated, b"fcTL")), ((48, 48), 3));
    draw(&[&at("walk.png"), "--frames", "4", "--contact-sheet"]);
    assert_eq!(size(&fs::read(at("walk.png")).unwrap()).0, 2 * 52 + 4);
    let levels = corpus("made/das2/07_multiple_lods.das2").display().to_string();
    let sheet = at("levels.png");
    menagerie(["render", &levels, "--lod-sheet", "--size", "32", "-o", &sheet]).exits(0);
    assert!(size(&fs::read(&sheet).unwrap()).0 > 64);
}

/// The whole program: the bytes do not depend on the number of threads.
#[test]
fn the_same_bytes_whatever_the_threads_and_through_pipes() {
    let home = samples();
    let file = home.path().join("crate.glb");
    let draw = |threads: &str| {
        let mut command = Command::new(PROGRAM);
        command.env("RAYON_NUM_THREADS", threads).args(["render", "-o", "-", "--size", "100x90"]).arg(&file);
        run(&mut command, b"").exits(0).out
    };
    let one = draw("1");
    assert_eq!(size(&one), (100, 90));
    assert!(one == draw("2"));
    let bytes = fs::read(&file).unwrap();
    let piped =
        run(Command::new(PROGRAM).args(["render", "-", "-o", "-", "--size", "100x90"]), &bytes).exits(0);
    assert!(piped.out == one);
}

#[test]
fn demo_draws_every_sample_and_info_shows_no_picture_in_a_pipe() {
    let home = tempfile::tempdir().unwrap();
    let rows = menagerie(["demo", "--json", &home.path().display().to_string()]).exits(0).json();
    for row in rows.as_array().unwrap() {
        let picture = fs::read(row["picture"].as_str().unwrap()).unwrap();
        assert_eq!(size(&picture), (512, 512));
    }
    let file = home.path().join("crate.bo3d").display().to_string();
    let plain = menagerie(["info", &file]).exits(0);
    assert_eq!(menagerie(["info", "--picture", &file]).exits(0).out, plain.out);
}

#[test]
fn a_texture_outside_the_folder_is_not_drawn() {
    let home = tempfile::tempdir().unwrap();
    let model = home.path().join("inner/crate.bo3d");
    fs::create_dir(home.path().join("inner")).unwrap();
    fs::write(&model, crate_with_texture("../secret.png")).unwrap();
    fs::write(home.path().join("secret.png"), "secret").unwrap();
    let out = home.path().join("out.png").display().to_string();
    let ran = menagerie(["render", &model.display().to_string(), "-o", &out, "--size", "16"]).exits(0);
    assert!(ran.text().contains("render/texture-missing"), "{ran:?}");
}

/// The files for desktops name the media types and extensions that the formats have.
#[test]
fn the_thumbnailer_knows_the_five_formats() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packaging/thumbnailer");
    let entry = fs::read_to_string(folder.join("menagerie.thumbnailer")).unwrap();
    let types = fs::read_to_string(folder.join("menagerie.xml")).unwrap();
    for id in ["bogle", "bmd", "dgl2", "bo3d", "das2"] {
        let format = menagerie::formats::Format::by_id(id).unwrap();
        assert!(entry.contains(&format!("{};", format.mime)), "{id}");
        assert!(types.contains(&format!("<mime-type type=\"{}\">", format.mime)), "{id}");
        for extension in format.extensions {
            assert!(types.contains(&format!("<glob pattern=\"*.{extension}\"/>")), "{id}");
        }
    }
    // What the desktop fills in: input, output, size.
    let command = entry.lines().find_map(|line| line.strip_prefix("Exec=menagerie ")).unwrap();
    let home = samples();
    let out = home.path().join("thumb.png");
    let arguments = command.split(' ').map(|argument| match argument {
        "%i" => home.path().join("crate.bo3d").display().to_string(),
        "%o" => out.display().to_string(),
        "%s" => "128".to_owned(),
        other => other.to_owned(),
    });
    menagerie(arguments).exits(0);
    assert_eq!(size(&fs::read(&out).unwrap()), (128, 128));
}
