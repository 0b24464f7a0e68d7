//! The `menagerie` program: one file per verb, and nothing here that the library could do.

mod batch;
mod exit;
mod inputs;
mod json;
mod load;
mod manifest;
mod names;
mod opened;
mod options;
mod output;
mod samples;
mod selector;
mod streamed;
mod terminal;
mod terminal_use;
mod unfinished;
mod verbs;

use std::process::ExitCode;

use clap::Parser;

use exit::Exit;
use verbs::Cli;

fn main() -> ExitCode {
    unfinished::remove_on_signals();
    let cli = Cli::parse();
    cli.terminal.apply();
    match cli.verb.run() {
        Ok(exit) => exit.into(),
        // Whoever reads our output has seen enough: `menagerie inspect big.bo3d | head`.
        Err(error) if output::is_broken_pipe(&error) => Exit::Fine.into(),
        Err(error) => {
            output::message(format_args!("error: {error:#}"));
            Exit::CouldNot.into()
        }
    }
}
