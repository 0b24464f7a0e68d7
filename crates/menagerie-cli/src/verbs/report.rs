//! `report`: one page about a whole collection.

pub(super) mod page;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use clap::Args;
use menagerie::diag::Severity;
use menagerie_render::{Picture, png};
use serde_json::{Value, json};

use super::info::{self, Wanted};
use crate::exit::Exit;
use crate::inputs;
use crate::options::Finding;
use crate::output::{self, folder_of};
use crate::terminal_use::is_quiet;
use crate::unfinished::Unfinished;
use crate::{batch, names};

/// Make one page about a whole collection: a picture of every model, counts, issues, missing textures, failures
///
/// The page is a single file that needs nothing else: it can be opened, printed, kept and sent.
#[derive(Args)]
pub(crate) struct ReportArgs {
    /// Folders, files and patterns; folders are searched with all that is below
    #[arg(required = true, value_name = "DIR")]
    files: Vec<PathBuf>,
    /// The HTML page to write
    #[arg(short, long, value_name = "HTML")]
    output: Option<PathBuf>,
    /// Also write a table with a row for each file
    #[arg(long, value_name = "CSV")]
    csv: Option<PathBuf>,
    /// Print JSON: an array with one object per file
    #[arg(long)]
    json: bool,
    /// The title of the page
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Views around each model that are shown while the pointer is on its picture; 1 for none
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=36))]
    turntable: u8,
    /// Frames a second, for formats that store frames without a rate
    #[arg(long, value_name = "N", value_parser = crate::options::positive)]
    fps: Option<f32>,
    #[command(flatten)]
    finding: Finding,
}

/// The size of a picture on the page.
pub(super) const PICTURE: (u32, u32) = (288, 216);

/// What a page says about one file.
pub(super) struct Entry {
    /// The name without the folders that all files are in.
    pub(super) label: String,
    pub(super) info: info::Report,
    /// The pictures side by side, as a PNG file.
    pub(super) sprite: Option<Vec<u8>>,
    pub(super) views: usize,
    /// The first file with the same content.
    pub(super) same_as: Option<String>,
}

pub(crate) fn run(args: &ReportArgs) -> Result<Exit> {
    if args.output.is_none() && args.csv.is_none() && !args.json {
        bail!("say where to write: -o report.html, --csv table.csv or --json");
    }
    let (tally, rows) = make(args)?;
    if args.json {
        output::print_json(&Value::from(rows))?;
    } else if !is_quiet() {
        let written = args.output.iter().chain(&args.csv).map(|path| path.display().to_string());
        output::print(&format!("{}\n{}\n", tally.words(), written.collect::<Vec<_>>().join("\n")))?;
    }
    Ok(tally.exit)
}

/// Makes the page about some files that another verb worked on.
pub(super) fn about(
    files: Vec<PathBuf>,
    page: &std::path::Path,
    title: Option<String>,
    finding: &Finding,
    fps: Option<f32>,
) -> Result<()> {
    let output = Some(page.to_owned());
    let finding = finding.clone();
    make(&ReportArgs { files, output, csv: None, json: false, title, turntable: 1, fps, finding }).map(drop)
}

/// Looks at all files, and writes the page and the table; the rows of the JSON where that is asked for.
fn make(args: &ReportArgs) -> Result<(page::Tally, Vec<Value>)> {
    let inputs = inputs::expand(&args.files, true);
    let labels = names::labels(inputs.iter().map(|input| input.name.as_str()));
    let mut written = Written::begin(args, inputs.len())?;
    let views = if args.output.is_some() { usize::from(args.turntable) } else { 0 };
    let wanted = Wanted {
        finding: &args.finding,
        fps: args.fps,
        pictures: (views > 0).then_some((PICTURE, views)),
        hash: true,
        surface: 0,
    };
    let mut trouble = None;
    let jobs: Vec<_> = inputs.iter().zip(labels).collect();
    batch::run_then(
        &jobs,
        |(input, label)| {
            let mut info = info::report(input, &wanted);
            let pictures = std::mem::take(&mut info.pictures);
            let sprite = sprite(&pictures);
            Entry { label: label.clone(), info, sprite, views: pictures.len(), same_as: None }
        },
        |_, entry, _| trouble = trouble.take().or(written.add(entry).err()),
    );
    match trouble {
        Some(error) => Err(error.into()),
        None => written.finish(),
    }
}

/// What is written while files are looked at.
struct Written<'a> {
    args: &'a ReportArgs,
    page: Option<(Unfinished, &'a PathBuf)>,
    table: Vec<u8>,
    rows: Vec<Value>,
    tally: page::Tally,
    /// The first file of each hash.
    seen: BTreeMap<String, String>,
}

impl<'a> Written<'a> {
    fn begin(args: &'a ReportArgs, files: usize) -> Result<Self> {
        let mut page = match &args.output {
            Some(path) => Some((Unfinished::new(folder_of(path)).with_context(|| cannot(path))?, path)),
            None => None,
        };
        if let Some((file, _)) = &mut page {
            let title = args.title.clone().unwrap_or_else(|| title(&args.files));
            file.write_all(page::head(&title, files).as_bytes())?;
        }
        let (table, rows, seen) = (Vec::new(), Vec::new(), BTreeMap::new());
        Ok(Self { args, page, table, rows, tally: page::Tally::default(), seen })
    }

    fn add(&mut self, mut entry: Entry) -> std::io::Result<()> {
        if let Some(hash) = &entry.info.hash {
            entry.same_as = self.seen.get(hash).cloned();
            self.seen.entry(hash.clone()).or_insert_with(|| entry.label.clone());
        }
        self.tally.add(&entry);
        if self.args.csv.is_some() {
            self.table.extend(csv_row(&entry).into_bytes());
        }
        if self.args.json {
            self.rows.push(entry.to_json());
        }
        match &mut self.page {
            Some((file, _)) => file.write_all(page::tile(&entry).as_bytes()),
            None => Ok(()),
        }
    }

    fn finish(self) -> Result<(page::Tally, Vec<Value>)> {
        if let Some((mut file, path)) = self.page {
            file.write_all(page::foot(&self.tally).as_bytes()).with_context(|| cannot(path))?;
            file.persist(path).with_context(|| cannot(path))?;
        }
        if let Some(path) = &self.args.csv {
            output::write_file(path, &[CSV_HEAD.as_bytes(), &self.table].concat())?;
        }
        Ok((self.tally, self.rows))
    }
}

fn cannot(path: &std::path::Path) -> String {
    format!("cannot write {}", path.display())
}

/// The name of the only folder, or a plain one.
pub(super) fn title(files: &[PathBuf]) -> String {
    let name = match files {
        [only] => std::fs::canonicalize(only)
            .ok()
            .and_then(|path| path.file_name().map(|n| n.to_string_lossy().into_owned())),
        _ => None,
    };
    name.unwrap_or_else(|| "Models".to_owned())
}

/// Pictures side by side as one PNG file.
fn sprite(pictures: &[Picture]) -> Option<Vec<u8>> {
    // Where nothing is drawn there is no picture.
    if pictures.iter().all(|picture| picture.pixels().iter().all(|pixel| pixel[3] == 0)) {
        return None;
    }
    let (width, height) = PICTURE;
    let mut sheet =
        Picture::new(width.checked_mul(u32::try_from(pictures.len()).ok()?)?, height, [0; 4]).ok()?;
    for (i, picture) in (0..).zip(pictures) {
        sheet.place(picture, i * width, 0);
    }
    png(&sheet).ok()
}

impl Entry {
    pub(super) fn count(&self, severity: Severity) -> usize {
        self.info.issues.iter().filter(|issue| issue.severity == severity).count()
    }

    pub(super) fn missing_textures(&self) -> impl Iterator<Item = &str> {
        self.info.textures.iter().filter(|texture| !texture.found).map(|texture| texture.name.as_str())
    }

    pub(super) fn state(&self) -> &'static str {
        match &self.info {
            info if info.error.is_some() => "failed",
            info if info.damaged => "damaged",
            _ if self.missing_textures().next().is_some() => "incomplete",
            _ => "whole",
        }
    }

    fn to_json(&self) -> Value {
        let mut value = self.info.to_json();
        if let Some(fields) = value.as_object_mut() {
            fields.insert("state".to_owned(), json!(self.state()));
            fields.insert("sha256".to_owned(), json!(self.info.hash));
            fields.insert("same_as".to_owned(), json!(self.same_as));
        }
        value
    }
}

const CSV_HEAD: &str = "file,state,format,profile,bytes,vertices,triangles,animations,width,height,depth,textures,missing textures,errors,warnings,notes,damage,same as,sha256,reason\n";

fn csv_row(entry: &Entry) -> String {
    let info = &entry.info;
    let summary = info.summary.as_ref();
    let size = info.bounds.map(|bounds| (bounds.max - bounds.min).to_array());
    let side = |i: usize| size.map(|size| size[i].to_string()).unwrap_or_default();
    let number = |n: Option<usize>| n.map(|n| n.to_string()).unwrap_or_default();
    let fields = [
        info.name.clone(),
        entry.state().to_owned(),
        info.format.map(|format| format.id).unwrap_or_default().to_owned(),
        summary.and_then(|summary| summary.profile).unwrap_or_default().to_owned(),
        number(info.bytes),
        number(summary.map(|summary| summary.vertices)),
        number(summary.map(|summary| summary.triangles)),
        info.animations.len().to_string(),
        side(0),
        side(1),
        side(2),
        info.textures.len().to_string(),
        entry.missing_textures().collect::<Vec<_>>().join("; "),
        entry.count(Severity::Error).to_string(),
        entry.count(Severity::Warning).to_string(),
        entry.count(Severity::Info).to_string(),
        info.damage.join("; "),
        entry.same_as.clone().unwrap_or_default(),
        info.hash.clone().unwrap_or_default(),
        info.error.clone().unwrap_or_default(),
    ];
    fields.map(|field| csv_field(&field)).join(",") + "\n"
}

/// A field of a table: quoted where that is needed, and without what a spreadsheet would take for a formula.
fn csv_field(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && text.parse::<f64>().is_err();
    let text = if formula { format!("'{text}") } else { text.to_owned() };
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::csv_field;

    #[test]
    fn fields_are_quoted_and_never_formulas() {
        for (text, field) in [
            ("plain.bmd", "plain.bmd"),
            ("a,b \"c\"", "\"a,b \"\"c\"\"\""),
            ("=cmd()", "'=cmd()"),
            ("-1.5", "-1.5"),
            ("two\nlines", "\"two\nlines\""),
        ] {
            assert_eq!(csv_field(text), field);
        }
    }
}
