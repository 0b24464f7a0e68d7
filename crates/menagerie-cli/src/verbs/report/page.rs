//! The page: its head, a tile for each file, and its foot. Names and messages come from files and are escaped.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use menagerie::diag::{Issue, Severity, plain};

use super::{Entry, PICTURE};
use crate::exit::Exit;
use crate::output;

const STYLE: &str = include_str!("../../../assets/report.css");
const SCRIPT: &str = include_str!("../../../assets/report.js");

/// Text for a page.
pub(in crate::verbs) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// What all files come to.
#[derive(Default)]
pub(super) struct Tally {
    files: usize,
    bytes: u64,
    triangles: usize,
    states: BTreeMap<&'static str, usize>,
    formats: BTreeMap<&'static str, usize>,
    same: usize,
    missing: usize,
    pub(super) exit: Exit,
}

impl Tally {
    pub(super) fn add(&mut self, entry: &Entry) {
        self.files += 1;
        self.bytes += entry.info.bytes.unwrap_or_default() as u64;
        self.triangles += entry.info.summary.as_ref().map_or(0, |summary| summary.triangles);
        *self.states.entry(entry.state()).or_default() += 1;
        if let Some(format) = entry.info.format {
            *self.formats.entry(format.name).or_default() += 1;
        }
        self.same += usize::from(entry.same_as.is_some());
        self.missing += entry.missing_textures().count();
        self.exit = self.exit.max(entry.info.exit());
    }

    /// What all files come to, in a sentence.
    pub(super) fn words(&self) -> String {
        let state = |name: &str| self.states.get(name).copied().unwrap_or_default();
        let formats: Vec<String> = self.formats.iter().map(|(name, n)| format!("{name} × {n}")).collect();
        format!(
            "{}, {} bytes, {} triangles: {} whole, {} with missing textures ({}), {} damaged, {} failed; {} the same as another ({})",
            output::count(self.files, "file", "files"),
            self.bytes,
            self.triangles,
            state("whole"),
            state("incomplete"),
            self.missing,
            state("damaged"),
            state("failed"),
            self.same,
            formats.join(", ")
        )
    }
}

/// The beginning of a page of its own.
pub(in crate::verbs) fn document(title: &str, script: bool) -> String {
    let title = escaped(title);
    let policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
    let script = if script { format!("<script>{SCRIPT}</script>") } else { String::new() };
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n<style>{STYLE}</style>{script}</head>\n<body>\n"
    )
}

pub(super) fn head(title: &str, files: usize) -> String {
    let mut text = document(title, true);
    let _ = write!(
        text,
        "<header><h1>{}</h1><p id=\"words\">{}</p>\n<form id=\"tools\" hidden role=\"search\">\
         <label>Find <input id=\"find\" type=\"search\" placeholder=\"name, code, texture\"></label>\
         <label>Format <select id=\"format\"><option value=\"\">all</option></select></label>\
         <label>State <select id=\"state\"><option value=\"\">all</option></select></label>\
         <label>Order by <select id=\"order\"><option value=\"name\">name</option><option value=\"bytes\">size</option>\
         <option value=\"triangles\">triangles</option><option value=\"issues\">issues</option>\
         <option value=\"format\">format</option><option value=\"state\">state</option></select></label>\
         <output id=\"shown\"></output></form></header>\n<main id=\"tiles\">\n",
        escaped(title),
        output::count(files, "file", "files")
    );
    text
}

/// A tile for one file.
pub(super) fn tile(entry: &Entry) -> String {
    let info = &entry.info;
    let summary = info.summary.as_ref();
    let (vertices, triangles) = summary.map_or((0, 0), |summary| (summary.vertices, summary.triangles));
    let format = info.format.map_or("unknown", |format| format.name);
    let state = entry.state();
    let mut text = String::new();
    let _ = write!(
        text,
        "<article class=\"{state}\" data-name=\"{}\" data-format=\"{}\" data-state=\"{state}\" data-bytes=\"{}\" \
         data-triangles=\"{triangles}\" data-issues=\"{}\">\n{}<h2 title=\"{}\">{}</h2>\n",
        escaped(&entry.label),
        escaped(format),
        info.bytes.unwrap_or_default(),
        info.issues.len(),
        picture(entry),
        escaped(&info.name),
        escaped(&entry.label),
    );
    let profile = summary.and_then(|summary| summary.profile).map(|p| format!(" ({p})")).unwrap_or_default();
    let bytes = info.bytes.map(readable).unwrap_or_default();
    let _ = write!(text, "<p><b>{}{}</b> {bytes}", escaped(format), escaped(&profile));
    if summary.is_some() {
        let _ = write!(text, " · {vertices} vertices · {triangles} triangles");
    }
    text.push_str("</p>\n");
    let mut line = |class: &str, words: String| {
        let _ = writeln!(text, "<p class=\"{class}\">{}</p>", escaped(&words));
    };
    if let Some(error) = &info.error {
        line("bad", error.clone());
    }
    if !info.damage.is_empty() {
        line("bad", format!("damaged: {}", info.damage.join(", ")));
    }
    if let Some(bounds) = info.bounds {
        line("", format!("size {:.3}", bounds.max - bounds.min));
    }
    if !info.animations.is_empty() {
        let named = info.animations.iter().map(|(name, seconds, _)| {
            let name = if name.is_empty() { "(no name)" } else { name };
            format!("{name} {seconds:.2} s")
        });
        line("", format!("animations: {}", named.collect::<Vec<_>>().join(", ")));
    }
    let missing: Vec<&str> = entry.missing_textures().collect();
    if !missing.is_empty() {
        line("warn", format!("missing: {}", missing.join(", ")));
    }
    if let Some(other) = &entry.same_as {
        line("", format!("the same bytes as {other}"));
    }
    text + &issues(&info.issues) + "</article>\n"
}

fn picture(entry: &Entry) -> String {
    let (width, height) = PICTURE;
    match &entry.sprite {
        Some(png) => {
            let url = STANDARD.encode(png);
            let label = escaped(&entry.label);
            let turning = if entry.views > 1 { " turning" } else { "" };
            format!(
                "<div class=\"picture{turning}\" style=\"--views:{}\"><img alt=\"picture of {label}\" loading=\"lazy\" \
                 height=\"{height}\" width=\"{}\" src=\"data:image/png;base64,{url}\"></div>\n",
                entry.views,
                width as usize * entry.views
            )
        }
        None => "<div class=\"picture none\">nothing to draw</div>\n".to_owned(),
    }
}

/// The issues by code, with the first of each in full.
fn issues(issues: &[Issue]) -> String {
    if issues.is_empty() {
        return String::new();
    }
    let mut codes: BTreeMap<(Severity, &str), (usize, &Issue)> = BTreeMap::new();
    for issue in issues {
        codes.entry((issue.severity, issue.code.id)).or_insert((0, issue)).0 += 1;
    }
    let words = output::count(issues.len(), "issue", "issues");
    let mut text = format!("<details><summary>{words}</summary><ul>\n");
    for ((severity, code), (count, first)) in codes {
        let times = if count > 1 { format!(" × {count}") } else { String::new() };
        let _ = writeln!(
            text,
            "<li class=\"{severity}\"><code>{}</code>{times} {}</li>",
            escaped(code),
            escaped(&first.to_string()),
        );
    }
    text + "</ul></details>\n"
}

pub(super) fn foot(tally: &Tally) -> String {
    let words = escaped(&tally.words());
    format!(
        "</main>\n<footer><p id=\"sum\">{words}</p><p>made by menagerie {}</p></footer>\n</body></html>\n",
        env!("CARGO_PKG_VERSION")
    )
}

/// A size for people.
pub(in crate::verbs) fn readable(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn names_cannot_become_markup() {
        assert_eq!(escaped("<script>\"x\" & 'y'"), "&lt;script&gt;&quot;x&quot; &amp; &#39;y&#39;");
        assert!(!escaped("a\u{202e}b\n").contains(['\u{202e}', '\n']));
    }
}
