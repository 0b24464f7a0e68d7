//! `demo`: the main job from end to end on the samples.

mod pages;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use menagerie::convert::{ConvertOptions, convert, resolve_textures};
use menagerie::formats::{FileModel, Format, ReadOptions};
use menagerie_render::png;
use serde_json::{Value, json};

use super::render::thumbnail;
use super::sample::{self, Written};
use crate::exit::Exit;
use crate::output;
use menagerie::open::Folders;

/// Write the samples in every format, validate each, convert each to GLB, draw each, and make a page of what happened
#[derive(Args)]
pub(crate) struct DemoArgs {
    /// The folder to write to; made if it is not there
    #[arg(default_value = "menagerie-demo")]
    dir: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The size of the pictures.
const PICTURE: (u32, u32) = (512, 512);

/// What became of one sample.
struct Row {
    written: Written,
    issues: usize,
    valid: bool,
    /// The file, its size, and how many losses there were; or why there is none.
    glb: Option<Result<(PathBuf, usize, usize), String>>,
    /// The picture, or why there is none.
    picture: Result<PathBuf, String>,
}

pub(crate) fn run(args: &DemoArgs) -> Result<Exit> {
    let glb = Format::by_id("gltf");
    let mut rows = Vec::new();
    let (samples, exit) = sample::write_all(&args.dir)?;
    for written in samples {
        rows.push(try_out(written, glb, &args.dir)?);
    }
    let page = pages::write(&rows, &args.dir)?;
    if args.json {
        output::print_json(&rows.iter().map(Row::to_json).collect::<Value>())?;
    } else {
        let shown = text(&rows, &args.dir, glb.is_some());
        output::print(&format!("{shown}look at them: {}\n", page.display()))?;
    }
    Ok(rows.iter().map(Row::exit).chain([exit]).collect())
}

/// Validates one sample, converts it to GLB and draws it.
fn try_out(written: Written, glb: Option<&'static Format>, dir: &Path) -> Result<Row> {
    let bytes = fs::read(&written.path).with_context(|| format!("cannot read {}", written.path.display()))?;
    let folders = Folders::new(Some(dir), &[], &[]);
    let mut options = ReadOptions::default();
    options.files = &folders;
    let mut reading = written.format.open(&bytes, &options);
    reading.lift(&options);
    let valid = reading.model.is_some() && !reading.issues.has_errors();
    let issues = reading.issues.iter().count();
    let picture = match reading.model {
        Some(model) => draw(&written, model.as_ref(), &options, dir)?,
        None => Err("it cannot be read".to_owned()),
    };
    let glb = match glb {
        Some(glb) => Some(to_glb(&written, &bytes, glb, options, dir)?),
        None => None,
    };
    Ok(Row { written, issues, valid, glb, picture })
}

/// Draws a sample into the folder `pictures`.
fn draw(
    written: &Written,
    model: &dyn FileModel,
    options: &ReadOptions<'_>,
    dir: &Path,
) -> Result<Result<PathBuf, String>> {
    let drawn = model.lift(options).and_then(|mut lifted| {
        resolve_textures(&mut lifted.scene, options.files);
        png(&thumbnail(&lifted.scene, PICTURE)?)
    });
    let bytes = match drawn {
        Ok(bytes) => bytes,
        Err(issue) => return Ok(Err(issue.to_string())),
    };
    let folder = dir.join("pictures");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let path = folder.join(format!("{}-from-{}.png", written.name, written.format.id));
    output::write_file(&path, &bytes)?;
    Ok(Ok(path))
}

fn to_glb(
    written: &Written,
    bytes: &[u8],
    glb: &'static Format,
    read: ReadOptions<'_>,
    dir: &Path,
) -> Result<Result<(PathBuf, usize, usize), String>> {
    let stem = format!("{}-from-{}", written.name, written.format.id);
    let mut options = ConvertOptions::default();
    options.read = read;
    options.write.stem = stem.clone();
    options.write.extension = "glb".to_owned();
    options.rebuild = true;
    let name = written.path.display().to_string();
    let conversion = match convert(bytes, Some(&name), glb, &options) {
        Ok(conversion) => conversion,
        Err(failed) => {
            return Ok(Err(failed.issues.iter().last().map(ToString::to_string).unwrap_or_default()));
        }
    };
    let folder = dir.join("glb");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let path = folder.join(format!("{stem}.glb"));
    output::write_file(&path, &conversion.output.bytes)?;
    Ok(Ok((path, conversion.output.bytes.len(), conversion.losses.len())))
}

fn text(rows: &[Row], dir: &Path, has_glb: bool) -> String {
    let mut table = output::table([
        "sample",
        "bytes",
        "lost in writing",
        "valid",
        "GLB bytes",
        "lost in converting",
        "picture",
    ]);
    for row in rows {
        let (glb, lost) = match &row.glb {
            Some(Ok((_, bytes, losses))) => (bytes.to_string(), losses.to_string()),
            Some(Err(error)) => (error.clone(), String::new()),
            None => (String::new(), String::new()),
        };
        let picture = match &row.picture {
            Ok(path) => path.strip_prefix(dir).unwrap_or(path).display().to_string(),
            Err(error) => error.clone(),
        };
        let valid = if row.valid { format!("yes, {} remarks", row.issues) } else { "no".to_owned() };
        let name = row.written.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        table.add_row([
            name,
            row.written.bytes.to_string(),
            row.written.losses.len().to_string(),
            valid,
            glb,
            lost,
            picture,
        ]);
    }
    let more = if has_glb { "" } else { "; this build has no glTF, so nothing was converted to it" };
    let files = output::count(rows.len(), "sample", "samples");
    format!("{table}\n{files} in {}{more}\n", dir.display())
}

impl Row {
    fn exit(&self) -> Exit {
        match &self.glb {
            Some(Err(_)) => Exit::CouldNot,
            _ if self.picture.is_err() => Exit::CouldNot,
            _ if self.valid => Exit::Fine,
            _ => Exit::Wrong,
        }
    }

    fn to_json(&self) -> Value {
        let glb = self.glb.as_ref().map(|glb| match glb {
            Ok((path, bytes, losses)) => {
                json!({ "file": path.display().to_string(), "bytes": bytes, "losses": losses })
            }
            Err(error) => json!({ "error": error }),
        });
        json!({
            "file": self.written.path.display().to_string(),
            "format": self.written.format.id,
            "bytes": self.written.bytes,
            "losses": self.written.losses.len(),
            "valid": self.valid,
            "glb": glb,
            "picture": self.picture.as_ref().ok().map(|path| path.display().to_string()),
        })
    }
}
