//! `completions` and `man`: what a shell and `man` want to know.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::Cli;
use crate::exit::Exit;
use crate::output;

/// Print completions for a shell
#[derive(Args)]
pub(crate) struct CompletionsArgs {
    /// Which shell
    shell: Shell,
}

/// Write manual pages
#[derive(Args)]
pub(crate) struct ManArgs {
    /// The folder to write them to; made if it is not there
    dir: PathBuf,
}

pub(crate) fn completions(args: &CompletionsArgs) -> Result<Exit> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "menagerie", &mut text);
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Fine)
}

pub(crate) fn man(args: &ManArgs) -> Result<Exit> {
    fs::create_dir_all(&args.dir).with_context(|| format!("cannot make {}", args.dir.display()))?;
    let mut command = Cli::command();
    command.build();
    page(args, &command, "menagerie")?;
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help") {
        page(args, verb, &format!("menagerie-{}", verb.get_name()))?;
    }
    Ok(Exit::Fine)
}

fn page(args: &ManArgs, command: &clap::Command, name: &str) -> Result<()> {
    let mut text = Vec::new();
    clap_mangen::Man::new(command.clone()).title(name.to_uppercase()).render(&mut text)?;
    output::write_file(&args.dir.join(format!("{name}.1")), &text)
}
