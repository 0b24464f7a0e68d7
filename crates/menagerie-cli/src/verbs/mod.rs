//! The verbs, one file each.

mod convert;
mod demo;
mod diff;
mod explain;
mod formats;
mod identify;
mod info;
mod inspect;
mod optimize;
mod render;
mod repair;
mod report;
mod sample;
mod shell;
mod validate;
mod view;

use std::sync::LazyLock;

use anyhow::Result;
use clap::{Parser, Subcommand};

use crate::exit::Exit;
use crate::terminal_use::TerminalArgs;

/// Reads, checks, explains, converts and draws 3D models of game engines.
///
/// Exit codes: 0 done, nothing wrong; 1 done, and something is wrong with the files; 2 could not do it.
#[derive(Parser)]
#[command(name = "menagerie", version, long_version = LONG_VERSION.as_str(), max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) terminal: TerminalArgs,
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

/// What `--version` says: the release, and what this build can do.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let formats: Vec<&str> = menagerie::formats::ALL.iter().map(|format| format.id).collect();
    let page = if view::has_page() { "built in" } else { "not built in (cargo xtask viewer makes it)" };
    format!(
        "{}\nformats: {}\nsimplifying: meshoptimizer\npictures: PNG, JPEG, TGA, DDS\nviewer: {page}",
        env!("CARGO_PKG_VERSION"),
        formats.join(", ")
    )
});

#[derive(Subcommand)]
pub(crate) enum Verb {
    Info(info::InfoArgs),
    Identify(identify::IdentifyArgs),
    Inspect(inspect::InspectArgs),
    Validate(validate::ValidateArgs),
    Explain(explain::ExplainArgs),
    Convert(convert::ConvertArgs),
    Optimize(optimize::OptimizeArgs),
    Diff(diff::DiffArgs),
    Render(render::RenderArgs),
    Repair(repair::RepairArgs),
    View(view::ViewArgs),
    Report(report::ReportArgs),
    Formats(formats::FormatsArgs),
    Sample(sample::SampleArgs),
    Demo(demo::DemoArgs),
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
}

impl Verb {
    pub(crate) fn run(self) -> Result<Exit> {
        match self {
            Self::Info(args) => info::run(&args),
            Self::Identify(args) => identify::run(&args),
            Self::Inspect(args) => inspect::run(&args),
            Self::Validate(args) => validate::run(&args),
            Self::Explain(args) => explain::run(&args),
            Self::Convert(args) => convert::run(&args),
            Self::Optimize(args) => optimize::run(&args),
            Self::Diff(args) => diff::run(&args),
            Self::Render(args) => render::run(&args),
            Self::Repair(args) => repair::run(&args),
            Self::View(args) => view::run(&args),
            Self::Report(args) => report::run(&args),
            Self::Formats(args) => formats::run(&args),
            Self::Sample(args) => sample::run(&args),
            Self::Demo(args) => demo::run(&args),
            Self::Completions(args) => shell::completions(&args),
            Self::Man(args) => shell::man(&args),
        }
    }
}
