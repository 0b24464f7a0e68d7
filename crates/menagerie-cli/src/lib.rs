//! The `menagerie` program as a library: what starts it from another language runs exactly the program. One file per verb,
//! and nothing here that the `menagerie` crate could do.

mod batch;
mod captured;
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

use std::ffi::OsString;

use clap::Parser;

pub use captured::{Captured, Given, run_captured};

use exit::Exit;
use verbs::Cli;

/// Runs the program with its arguments, the first of which is its own name, and gives its exit code.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    unfinished::remove_on_signals();
    execute(arguments)
}

/// Runs one command line and says on standard output and standard error what came of it.
fn execute(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let exit = match Cli::try_parse_from(arguments) {
        Ok(cli) => {
            cli.terminal.apply();
            cli.verb.run()
        }
        Err(usage) => return output::usage(&usage),
    };
    let exit = match exit {
        Ok(exit) => exit,
        // Whoever reads our output has seen enough: `menagerie inspect big.bo3d | head`.
        Err(error) if output::is_broken_pipe(&error) => Exit::Fine,
        Err(error) => {
            output::message(format_args!("error: {error:#}"));
            Exit::CouldNot
        }
    };
    exit as u8
}
