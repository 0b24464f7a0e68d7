//! The `menagerie` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    menagerie_cli::run(std::env::args_os()).into()
}
