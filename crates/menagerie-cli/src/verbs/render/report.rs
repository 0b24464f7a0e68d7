//! What became of each input.

use anyhow::Result;
use menagerie::diag::{Issue, Severity};
use menagerie::formats::Format;
use serde_json::{Value, json};

use super::Drawn;
use super::args::RenderArgs;
use super::model::Unreadable;
use super::target::{Place, Target};
use crate::exit::Exit;
use crate::{json, output};

/// What became of one input.
pub(super) struct Report {
    name: String,
    format: Option<&'static Format>,
    outputs: Vec<String>,
    size: Option<(u32, u32)>,
    pictures: usize,
    issues: Vec<Issue>,
    error: Option<String>,
}

impl Report {
    pub(super) fn failed(name: &str, failure: Unreadable) -> Self {
        Self {
            name: name.to_owned(),
            format: failure.format,
            outputs: Vec::new(),
            size: None,
            pictures: 0,
            issues: failure.issues,
            error: Some(failure.error),
        }
    }

    pub(super) fn done(name: &str, drawn: Drawn, files: &[(Place, Vec<u8>)]) -> Self {
        Self {
            name: name.to_owned(),
            format: Some(drawn.format),
            outputs: files.iter().map(|(place, _)| place.name()).collect(),
            size: drawn.pictures.first().map(|(picture, _)| (picture.width(), picture.height())),
            pictures: drawn.pictures.len(),
            issues: drawn.issues,
            error: None,
        }
    }

    pub(super) fn exit(&self) -> Exit {
        let broken = self.issues.iter().any(Issue::is_damage);
        match self.error {
            Some(_) => Exit::CouldNot,
            // What could be had is drawn, and something is wrong with the file.
            None if broken => Exit::Wrong,
            None => Exit::Fine,
        }
    }

    fn to_json(&self) -> Value {
        json!({
            "file": self.name,
            "format": self.format.map(|format| format.id),
            "outputs": self.outputs,
            "pictures": self.pictures,
            "width": self.size.map(|(width, _)| width),
            "height": self.size.map(|(_, height)| height),
            "issues": json::issues(&self.issues),
            "error": self.error,
        })
    }
}

/// Says what happened: on standard output, or on standard error where a picture goes there.
pub(super) fn print(reports: &[Report], args: &RenderArgs, target: &Target) -> Result<()> {
    if args.json {
        output::print_json(&reports.iter().map(Report::to_json).collect())?;
    } else {
        let text = text(reports, args.is_sheet());
        if target.is_stdout() {
            output::message(format_args!("{}", text.trim_end()));
        } else {
            output::print(&text)?;
        }
    }
    for (name, error) in reports.iter().filter_map(|r| Some((&r.name, r.error.as_ref()?))) {
        output::message(format_args!("error: {name}: {error}"));
    }
    Ok(())
}

/// Errors of the file, and what could not be drawn; the rest of what reading found is for `validate`.
fn concerns_the_picture(issue: &Issue) -> bool {
    let of_pictures = menagerie_render::CODES.contains(&issue.code);
    issue.severity == Severity::Error || (of_pictures && issue.severity == Severity::Warning)
}

fn text(reports: &[Report], sheet: bool) -> String {
    let mut lines = Vec::new();
    for report in reports.iter().filter(|report| report.error.is_none()) {
        let out = match report.outputs.as_slice() {
            [] => "nothing".to_owned(),
            [only] => only.clone(),
            [first, .., last] => format!("{first} … {last}"),
        };
        let (width, height) = report.size.unwrap_or_default();
        let pictures = match report.pictures {
            1 => format!("{width}×{height}"),
            n => format!("{n} pictures, {width}×{height}"),
        };
        lines.push(format!("{} → {out}: {pictures}", report.name));
        for issue in report.issues.iter().filter(|issue| concerns_the_picture(issue)) {
            lines.push(format!("  {}: {issue} [{}]", issue.severity, issue.code));
        }
    }
    if reports.len() > 1 {
        let failed = reports.iter().filter(|report| report.error.is_some()).count();
        let files = output::count(reports.len() - failed, "file", "files");
        let place = if sheet { " on one sheet" } else { "" };
        lines.push(format!("{files} drawn{place}, {failed} failed"));
    }
    lines.into_iter().map(|line| line + "\n").collect()
}
