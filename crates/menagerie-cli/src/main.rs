//! The `menagerie` program.

mod huge_pages;

use std::process::ExitCode;

fn main() -> ExitCode {
    huge_pages::ask();
    menagerie_cli::run(std::env::args_os()).into()
}
