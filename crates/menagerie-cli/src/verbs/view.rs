//! `view`: the browser page with these files inside.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use anyhow::{Context, Result, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::Args;
use flate2::bufread::DeflateDecoder;
use flate2::write::DeflateEncoder;
use menagerie::convert::resolve_textures;
use menagerie::formats::{Files, NotFound, ReadOptions};
use menagerie::open::Folders;

use crate::exit::Exit;
use crate::inputs::{self, Input};
use crate::opened;
use crate::options::Finding;
use crate::output;

/// Show models in the browser: one page with the files inside, which works offline and can be sent to somebody
#[derive(Args)]
pub(crate) struct ViewArgs {
    /// Files, patterns, folders (with -r), or - for standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Take the models in folders and below
    #[arg(short, long)]
    recursive: bool,
    /// Only write the page to this file, or - for standard output
    #[arg(short, long, value_name = "PAGE.html")]
    output: Option<PathBuf>,
    #[command(flatten)]
    finding: Finding,
}

/// The page without files, packed, where it was there when the program was built.
#[cfg(has_page)]
const PAGE: Option<&[u8]> = Some(include_bytes!(concat!(env!("OUT_DIR"), "/menagerie.html.deflate")));
#[cfg(not(has_page))]
const PAGE: Option<&[u8]> = None;

/// Whether this program has the page inside.
pub(super) fn has_page() -> bool {
    PAGE.is_some()
}

/// Where in the page files go.
const PLACE: &str = "<!-- files -->";

pub(crate) fn run(args: &ViewArgs) -> Result<Exit> {
    let Some(packed) = PAGE else {
        bail!(
            "this program was built without the viewer's page; `cargo xtask viewer` makes it, and the next build of the \
             program has it"
        );
    };
    let mut page = String::new();
    DeflateDecoder::new(packed)
        .read_to_string(&mut page)
        .context("the page inside this program is broken")?;
    let inputs = inputs::expand(&args.files, args.recursive);
    let mut blocks = String::new();
    let mut exit = Exit::Fine;
    for (number, input) in inputs.iter().enumerate() {
        // Files of the same name beside different models are kept apart.
        let folder = if inputs.len() > 1 { format!("{}/", number + 1) } else { String::new() };
        if let Err(error) = embed(input, &args.finding, &folder, &mut blocks) {
            output::message(format_args!("error: {}: {error}", input.name));
            exit = Exit::CouldNot;
        }
    }
    if blocks.is_empty() {
        return Ok(Exit::CouldNot);
    }
    let page = page.replacen(PLACE, &blocks, 1);
    match &args.output {
        Some(path) if path.as_os_str() == "-" => output::print_bytes(page.as_bytes())?,
        Some(path) => output::write_file(path, page.as_bytes())?,
        None => show(&page)?,
    }
    Ok(exit)
}

/// Files that a model asked for, as it called them.
struct Recorded<'a> {
    folders: &'a Folders,
    opened: Mutex<BTreeMap<String, Arc<[u8]>>>,
}

impl Files for Recorded<'_> {
    fn open(&self, name: &str) -> Result<Arc<[u8]>, NotFound> {
        let bytes = self.folders.open(name)?;
        if let Ok(mut opened) = self.opened.lock() {
            opened.insert(name.to_owned(), bytes.clone());
        }
        Ok(bytes)
    }
}

/// Puts a model and the files that belong to it into the page. One that cannot be read is shown with what is wrong.
fn embed(input: &Input, finding: &Finding, folder: &str, blocks: &mut String) -> Result<(), String> {
    let folders = opened::folders(input, finding);
    let recorded = Recorded { folders: &folders, opened: Mutex::default() };
    let mut options: ReadOptions<'_> = opened::read_options(&folders, finding);
    options.files = &recorded;
    let opened = opened::open(input, finding, &options)?;
    if let Some(mut lifted) = opened.model.as_ref().and_then(|model| model.lift(&options).ok()) {
        resolve_textures(&mut lifted.scene, &recorded);
    }
    let name = if input.hint().is_some() { base_name(&input.name) } else { "model" };
    block(blocks, &format!("{folder}{name}"), &opened.bytes).map_err(|error| error.to_string())?;
    let beside = recorded.opened.into_inner().unwrap_or_default();
    for (name, bytes) in beside {
        block(blocks, &format!("{folder}{}", inside(&name)), &bytes).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// A file as an element of the page, packed.
fn block(blocks: &mut String, path: &str, bytes: &[u8]) -> Result<()> {
    let mut packer = DeflateEncoder::new(Vec::new(), flate2::Compression::new(6));
    packer.write_all(bytes)?;
    let data = STANDARD.encode(packer.finish()?);
    let path = path.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
    writeln!(blocks, "<script type=\"application/x-menagerie\" data-path=\"{path}\">{data}</script>")?;
    Ok(())
}

fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// The name as the model has it where it stays in its folder, else its base name.
fn inside(name: &str) -> String {
    let plain = name.replace('\\', "/");
    let leaves = plain.starts_with('/') || plain.contains(':') || plain.split('/').any(|part| part == "..");
    if leaves { base_name(&plain).to_owned() } else { plain.trim_start_matches("./").to_owned() }
}

/// Writes the page to a folder of its own and opens the browser.
fn show(page: &str) -> Result<()> {
    let folder = tempfile::Builder::new()
        .prefix("menagerie-")
        .tempdir()
        .context("cannot make a folder for the page")?;
    // The browser reads it after this program has ended.
    let path = folder.keep().join("menagerie.html");
    std::fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    output::message(format_args!("{}", path.display()));
    if !open_browser(&path) {
        output::message(format_args!("no browser could be opened; open that file in one"));
    }
    Ok(())
}

fn open_browser(path: &Path) -> bool {
    let ways: &[&[&str]] = match std::env::consts::OS {
        "macos" => &[&["open"]],
        "windows" => &[&["cmd", "/C", "start", ""]],
        _ => &[&["xdg-open"], &["gio", "open"]],
    };
    ways.iter().any(|way| {
        let [program, arguments @ ..] = way else { return false };
        let mut command = Command::new(program);
        command.args(arguments).arg(path).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_stay_in_their_folder() {
        for (name, place) in [
            ("skin.png", "skin.png"),
            ("textures\\skin.png", "textures/skin.png"),
            ("C:\\art\\skin.png", "skin.png"),
            ("../../skin.png", "skin.png"),
            ("/etc/skin.png", "skin.png"),
        ] {
            assert_eq!(inside(name), place);
        }
    }

    #[test]
    fn a_path_cannot_leave_its_attribute() {
        let mut blocks = String::new();
        block(&mut blocks, "a\"><script>b</script>.bmd", b"x").unwrap();
        assert_eq!(blocks.matches("<script").count(), 1);
        assert_eq!(blocks.matches('"').count(), 4);
    }
}
