//! `explain`: what a code means.

use std::fmt::Write as _;

use anyhow::{Result, bail};
use clap::Args;
use menagerie::diag::Code;
use menagerie::formats::document;
use serde_json::{Value, json};

use crate::exit::Exit;
use crate::{names, output};

/// Explain a code of an issue, a loss or a difference; without one, list them all
#[derive(Args)]
pub(crate) struct ExplainArgs {
    /// Such as bo3d/magic
    code: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &ExplainArgs) -> Result<Exit> {
    match &args.code {
        Some(id) => one(find(id)?, args.json)?,
        None => all(args.json)?,
    }
    Ok(Exit::Fine)
}

/// Every code that there is: the library's and those of pictures.
fn codes() -> impl Iterator<Item = &'static Code> {
    menagerie::codes().chain(menagerie_render::CODES.iter().copied())
}

fn find(id: &str) -> Result<&'static Code> {
    match codes().find(|code| code.id.eq_ignore_ascii_case(id)) {
        Some(code) => Ok(code),
        None => {
            let near = names::did_you_mean(id, codes().map(|code| code.id));
            bail!("there is no code {id}{near}; `menagerie explain` lists them all")
        }
    }
}

fn one(code: &Code, json: bool) -> Result<()> {
    if json {
        return output::print_json(&to_json(code));
    }
    output::print(&format!(
        "{} ({})\n{}\n\nWhat the document says\n  {}\n\nWhy it matters\n  {}\n\nWhat to do\n  {}\n",
        code.id,
        code.severity,
        code.title,
        document(code),
        code.why,
        code.fix
    ))
}

fn all(json: bool) -> Result<()> {
    if json {
        return output::print_json(&codes().map(to_json).collect());
    }
    let width = codes().map(|code| code.id.len()).max().unwrap_or_default();
    let mut text = String::new();
    for code in codes() {
        let _ = writeln!(text, "{:width$}  {:7}  {}", code.id, code.severity.name(), code.title);
    }
    output::print(&text)
}

fn to_json(code: &Code) -> Value {
    json!({
        "code": code.id,
        "severity": code.severity.name(),
        "title": code.title,
        "document": document(code),
        "why": code.why,
        "fix": code.fix,
    })
}
