//! The table of how much models look alike after a conversion: `docs/pictures.md`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use menagerie::convert::{ConvertOptions, convert, resolve_textures};
use menagerie::formats::{ALL, Files, Format, NotFound, Output, ReadOptions};
use menagerie::scene::{Scene, check};
use menagerie_render::{Stage, compare, mean};

/// The size of the pictures.
const SIDE: u32 = 256;

/// How far pictures may be apart where a format can hold what is seen.
const GOALS: [(&str, f64); 7] = [
    ("das2", 3.0),
    ("obj", 3.0),
    ("bogle", 10.0),
    ("dgl2", 10.0),
    ("bmd", 15.0),
    ("bo3d", 15.0),
    ("ply", 15.0),
];

const HEAD: &str = "# How much models look alike after a conversion

Made by `cargo xtask pictures-table` from sample models of Khronos, which are not part of the project. Each model is converted
with default options, read back, and drawn from four sides beside the original, in the same light and with the same cameras
(`menagerie diff A B --picture`). The numbers are the mean difference of the pixels from 0, the same, to 255; the background
counts too. **Bold** ones are above the goal of their format: ";

/// The files that lie in a folder.
struct Folder(PathBuf);

impl Files for Folder {
    fn open(&self, name: &str) -> Result<Arc<[u8]>, NotFound> {
        std::fs::read(self.0.join(name)).map(Arc::from).map_err(|_| NotFound::default())
    }
}

/// The files that were written beside a model, by their names with or without what they end with.
struct Beside<'a>(&'a Output);

impl Files for Beside<'_> {
    fn open(&self, name: &str) -> Result<Arc<[u8]>, NotFound> {
        let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let stem = |name: &str| name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned();
        let exact = self.0.beside.iter().find(|(known, _)| known == base);
        let found = exact.or_else(|| self.0.beside.iter().find(|(known, _)| stem(known) == stem(base)));
        found.map(|(_, bytes)| Arc::from(bytes.as_slice())).ok_or_else(NotFound::default)
    }
}

/// Writes the page anew.
pub(crate) fn write(root: &Path) -> Result<()> {
    let shared = root.join("../shared/corpus");
    let mut files = Vec::new();
    for folder in ["real/gltf", "attack"] {
        let entries =
            std::fs::read_dir(shared.join(folder)).map_err(|_| anyhow!("the sample models are not there"))?;
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        files.extend(paths.filter(|path| is_sample(path)));
    }
    files.sort_by_key(|path| path.file_name().map(|name| name.to_ascii_lowercase()));
    if files.is_empty() {
        bail!("there are no sample models");
    }
    let goals: Vec<String> = GOALS.iter().map(|(id, goal)| format!("{} {goal}", name_of(id))).collect();
    let mut page = format!("{HEAD}{}.\n\n| model |", goals.join(", "));
    for format in ALL {
        let _ = write!(page, " {} |", format.name);
    }
    page.push_str("\n|---|");
    ALL.iter().for_each(|_| page.push_str("--:|"));
    page.push('\n');
    for path in &files {
        let row = row(path)?;
        eprintln!("{row}");
        page.push_str(&row);
        page.push('\n');
    }
    page.push('\n');
    page.push_str(REASONS);
    std::fs::write(root.join("docs/pictures.md"), page)?;
    Ok(())
}

/// Why some are above the goal.
const REASONS: &str = include_str!("looks_reasons.md");

fn name_of(id: &str) -> &'static str {
    Format::by_id(id).map_or("", |format| format.name)
}

/// Sample models of Khronos; the others in the folder are made to do harm.
fn is_sample(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let of_gltf = path.extension().is_some_and(|end| end == "glb" || end == "gltf");
    of_gltf && name.starts_with(char::is_uppercase)
}

fn row(path: &Path) -> Result<String> {
    let bytes = std::fs::read(path)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let folder = Folder(path.parent().unwrap_or(path).to_owned());
    let gltf = Format::by_id("gltf").ok_or_else(|| anyhow!("glTF is not there"))?;
    let before = scene(gltf, &bytes, &folder)?;
    let stage = Stage::new(check(&before).map_err(|broken| anyhow!("{broken}"))?);
    let mut row = format!("| {} |", name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem));
    for format in ALL {
        let mut options = ConvertOptions::default();
        options.read.files = &folder;
        options.rebuild = true;
        let cell = match convert(&bytes, Some(&name), format, &options) {
            Ok(done) => {
                let after = scene(format, &done.output.bytes, &Beside(&done.output))?;
                let other = Stage::new(check(&after).map_err(|broken| anyhow!("{broken}"))?);
                let apart = mean(&compare(&stage, &other, SIDE)?);
                let above = GOALS.iter().any(|(id, goal)| *id == format.id && apart > *goal);
                if above { format!("**{apart:.1}**") } else { format!("{apart:.1}") }
            }
            Err(failed) => {
                eprintln!("{name} to {}: {:?}", format.id, failed.issues.iter().last());
                "–".to_owned()
            }
        };
        let _ = write!(row, " {cell} |");
    }
    Ok(row)
}

fn scene(format: &Format, bytes: &[u8], files: &dyn Files) -> Result<Scene> {
    let mut options = ReadOptions::default();
    options.files = files;
    let model = format.open(bytes, &options).model.ok_or_else(|| anyhow!("it cannot be read"))?;
    let mut scene = model.lift(&options)?.scene;
    resolve_textures(&mut scene, files);
    Ok(scene)
}
