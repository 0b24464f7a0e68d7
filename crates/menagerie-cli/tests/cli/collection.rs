//! A folder as a preserver has it: forty files of five engines, nested, some broken, some with the wrong name, their
//! pictures elsewhere. One command makes GLBs of it, a page about it, and a list of what failed and why.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{corpus, menagerie, samples};

const ENGINES: [&str; 5] = ["bgl", "bmd", "dgl2", "bo3d", "das2"];
const MODELS: [&str; 5] = ["crate", "creature", "lantern", "chair", "room"];

/// Files of the corpus that are odd, and whole.
const ODD: [&str; 10] = [
    "bogle/everything.bgl",
    "bogle/tree_nobrace.bgl",
    "bmd/m09_skeleton_anims.bmd",
    "bmd/m07e_40000_vertices.bmd",
    "dgl2/extra_data.dgl2",
    "dgl2/braced.dgl2",
    "bo3d/scene.bo3d",
    "bo3d/skinned16.bo3d",
    "das2/15_everything_level9.das2",
    "das2/06_morph_targets_weights.das2",
];

/// Makes the folder; its forty models by their paths in it.
fn forty_files(home: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut put = |name: String, bytes: &[u8]| {
        let path = home.join("old").join(&name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        names.push(name);
    };
    let sample = |name: &str| fs::read(home.join(name)).unwrap();
    for (engine, model) in ENGINES.iter().flat_map(|engine| MODELS.map(|model| (engine, model))) {
        put(format!("{engine}/{model}s/{model}.{engine}"), &sample(&format!("{model}.{engine}")));
    }
    for name in ODD {
        put(format!("odd/{name}"), &fs::read(corpus("made").join(name)).unwrap());
    }
    for name in ["creature.bmd", "room.dgl2", "chair.bo3d"] {
        let whole = sample(name);
        put(format!("broken/{name}"), &whole[..whole.len() / 2]);
    }
    put("misnamed/lantern.bmd".to_owned(), &sample("lantern.bgl"));
    put("misnamed/no model at all.das2".to_owned(), b"a note that somebody saved under the wrong name\n");
    let pictures = home.join("old/textures/from the disc");
    fs::create_dir_all(&pictures).unwrap();
    for picture in ["planks.png", "fur.png", "tiles.png"] {
        fs::rename(home.join(picture), pictures.join(picture)).unwrap();
    }
    fs::write(home.join("old/readme.txt"), "the models of five games\n").unwrap();
    names
}

#[test]
fn forty_old_files_become_a_tree_a_page_and_a_list() {
    let home = samples();
    let at = |name: &str| home.path().join(name).display().to_string();
    let files = forty_files(home.path());
    assert_eq!(files.len(), 40);
    let command = ["convert", "-r", &at("old"), &at("new"), "--to", "glb"];
    let textures = ["--texture-dir", &at("old/textures"), "--report", &at("report.html")];
    let ran = menagerie(command.into_iter().chain(textures)).exits(2);
    let said = ran.text();
    let failed = said.split("failed:\n").nth(1).expect("a list of what failed");
    assert!(
        failed.starts_with(&format!("  {}: cannot be", at("old/misnamed/no model at all.das2"))),
        "{said}"
    );
    assert!(said.contains("39 files converted (") && said.contains("3 damaged), 1 failed"), "{said}");

    let glb = |name: &String| PathBuf::from(at("new")).join(name).with_extension("glb");
    for name in files.iter().filter(|name| !name.contains("no model")) {
        let (file, own) = (glb(name), at(&format!("old/{name}")));
        let own = menagerie(["info", "--json", "--texture-dir", &at("old/textures"), &own]).json();
        let info = menagerie(["info", "--json", &file.display().to_string()]).exits(0).json();
        let found = |info: &serde_json::Value| {
            let textures = info[0]["textures"].as_array().unwrap();
            textures.iter().filter(|texture| texture["found"] == true).count()
        };
        assert_eq!(found(&info), found(&own), "{name}: the pictures that were found are inside");
        let sample = MODELS.iter().any(|model| name.contains(&format!("/{model}s/")));
        let missing = info[0]["textures"].as_array().unwrap().len() - found(&info);
        assert!(!sample || missing == 0, "{name}: the pictures of samples are in a folder below");
        menagerie(["validate", &file.display().to_string()]).exits(0);
    }

    let page = fs::read_to_string(at("report.html")).unwrap();
    let tiles: Vec<&str> = page.split("<article class=\"").skip(1).collect();
    assert_eq!(tiles.len(), 40);
    for name in &files {
        let tile = tiles.iter().find(|tile| tile.contains(&format!("data-name=\"{name}\"")));
        let tile = tile.unwrap_or_else(|| panic!("{name} has a tile"));
        let state = match name.as_str() {
            name if name.starts_with("broken/") => "damaged",
            name if name.contains("no model") => "failed",
            _ => "",
        };
        assert!(tile.starts_with(state), "{name}: {}", &tile[..60]);
        let draws = !tile.contains("data-triangles=\"0\"");
        assert_eq!(draws, tile.contains("data:image/png;base64,"), "{name} has a picture of what it draws");
    }
    assert!(!page.contains("src=\"http") && !page.contains("href=\"http"), "the page needs nothing else");
}
