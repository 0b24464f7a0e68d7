//! The pages of a demo: an index of the samples, and for each sample what every format makes of it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use menagerie::diag::{Loss, LossReport};

use super::Row;
use crate::output;
use crate::verbs::convert::grouped;
use crate::verbs::report::page::{document, escaped, readable};

/// Writes the pages; gives the path of the index.
pub(super) fn write(rows: &[Row], dir: &Path) -> Result<PathBuf> {
    let mut samples: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        samples.entry(row.written.name).or_default().push(row);
    }
    for (name, rows) in &samples {
        output::write_file(&dir.join(format!("{name}.html")), sample(name, rows).as_bytes())?;
    }
    let path = dir.join("index.html");
    output::write_file(&path, index(&samples).as_bytes())?;
    Ok(path)
}

/// The picture of a row, or of the first that has one.
fn picture(rows: &[&Row], of: &str) -> String {
    let own = rows.iter().find_map(|row| fs::read(row.picture.as_ref().ok()?).ok());
    match own {
        Some(png) => {
            let (url, of) = (STANDARD.encode(png), escaped(of));
            format!(
                "<img alt=\"picture of {of}\" height=\"216\" width=\"216\" src=\"data:image/png;base64,{url}\">"
            )
        }
        None => "no picture".to_owned(),
    }
}

/// The row that has all of a sample: that of GLB, or else the first.
fn fullest<'a>(rows: &[&'a Row]) -> Vec<&'a Row> {
    let glb = rows.iter().find(|row| row.written.format.id == "gltf").or(rows.first());
    glb.into_iter().copied().collect()
}

fn index(samples: &BTreeMap<&str, Vec<&Row>>) -> String {
    let mut text = document("menagerie: the samples in every format", false);
    let files: usize = samples.values().map(Vec::len).sum();
    let _ = writeln!(
        text,
        "<header><h1>The samples in every format</h1><p>{} were written as {}, checked, converted to GLB and drawn. \
         Each has a page with what every format keeps of it and what it cannot hold.</p></header>\n<main>",
        output::count(samples.len(), "model", "models"),
        output::count(files, "file", "files"),
    );
    for (name, rows) in samples {
        let lossless = rows.iter().filter(|row| row.written.losses.is_lossless()).count();
        let valid = rows.iter().filter(|row| row.valid).count();
        let link = escaped(name);
        let _ = writeln!(
            text,
            "<article><a href=\"{link}.html\"><div class=\"picture\">{}</div></a>\n<h2><a href=\"{link}.html\">{link}</a></h2>\n\
             <p>{} of {} files are valid; {} all of it</p></article>",
            picture(&fullest(rows), name),
            valid,
            rows.len(),
            output::count(lossless, "format holds", "formats hold"),
        );
    }
    text + "</main>\n<footer><p>Open a .glb in any viewer, or look into a file with <code>menagerie inspect</code>; \
            <code>menagerie report</code> makes such a page of your own models.</p></footer>\n</body></html>\n"
}

fn sample(name: &str, rows: &[&Row]) -> String {
    let mut text = document(&format!("{name} in every format"), false);
    let link = escaped(name);
    let _ = writeln!(
        text,
        "<header><p><a href=\"index.html\">all samples</a></p><h1>{link}</h1></header>\n<main>"
    );
    for row in rows {
        let written = &row.written;
        let file = written.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let state = if row.valid { ("good", "valid") } else { ("bad", "not valid") };
        let _ = writeln!(
            text,
            "<article><div class=\"picture\">{}</div>\n<h2>{}</h2>\n<p><a href=\"{}\">{}</a>, {}, <span class=\"{}\">{}</span></p>",
            picture(&[row], &file),
            escaped(written.format.name),
            escaped(&file),
            escaped(&file),
            readable(written.bytes),
            state.0,
            state.1,
        );
        let lost = grouped(written.losses.losses()).len();
        let words = if lost == 0 { "nothing lost".to_owned() } else { output::count(lost, "loss", "losses") };
        let _ = writeln!(
            text,
            "<p>{words}</p>{}{}</article>",
            table("lost", written.losses.losses()),
            added(&written.losses)
        );
    }
    text + "</main>\n</body></html>\n"
}

fn added(losses: &LossReport) -> String {
    let rows = table("added", losses.additions());
    if rows.is_empty() { rows } else { format!("<details><summary>what was added</summary>{rows}</details>") }
}

fn table<'a>(title: &str, losses: impl Iterator<Item = &'a Loss>) -> String {
    let mut rows = String::new();
    for loss in grouped(losses) {
        let error = loss.error.map(|(stats, unit)| format!("{:.2e} {unit}", stats.max)).unwrap_or_default();
        let _ = write!(
            rows,
            "<tr><td>{}: {}</td><td class=\"number\">{}</td><td>{}</td></tr>",
            escaped(&loss.kind.to_string()),
            escaped(&loss.message),
            loss.count,
            escaped(&error)
        );
    }
    match rows.is_empty() {
        true => rows,
        false => {
            format!("<table><tr><th>{title}</th><th>count</th><th>largest error</th></tr>{rows}</table>")
        }
    }
}
