//! How much is said, and in which colours: the options that every verb has.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicU8, Ordering};

use clap::{Args, ValueEnum};
use menagerie::diag::render::Color;

/// Options that every verb has.
#[derive(Args, Debug, Default)]
pub(crate) struct TerminalArgs {
    /// Say only what went wrong
    #[arg(short, long, global = true, conflicts_with = "verbose", help_heading = "Options of all verbs")]
    quiet: bool,
    /// Say all about each of several files, as about a single one
    #[arg(short, long, global = true, help_heading = "Options of all verbs")]
    verbose: bool,
    /// Work on so many files at a time, with so many threads; all cores without it
    #[arg(short, long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024), help_heading = "Options of all verbs")]
    jobs: Option<u16>,
    /// Whether to use colours
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Options of all verbs"
    )]
    color: When,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum When {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Also in a pipe
    Always,
    /// Not at all
    Never,
}

const QUIET: u8 = 1;
const VERBOSE: u8 = 2;
const ALWAYS: u8 = 4;
const NEVER: u8 = 8;

static ASKED: AtomicU8 = AtomicU8::new(0);

impl TerminalArgs {
    /// Makes the options hold for the rest of the program.
    pub(crate) fn apply(&self) {
        let mut asked = 0;
        for (wanted, flag) in [
            (self.quiet, QUIET),
            (self.verbose, VERBOSE),
            (self.color == When::Always, ALWAYS),
            (self.color == When::Never, NEVER),
        ] {
            asked |= if wanted { flag } else { 0 };
        }
        ASKED.store(asked, Ordering::Relaxed);
        if let Some(jobs) = self.jobs {
            // The first who asks decides; there is only one pool.
            let _ = rayon::ThreadPoolBuilder::new().num_threads(jobs.into()).build_global();
        }
    }
}

fn asked(flag: u8) -> bool {
    ASKED.load(Ordering::Relaxed) & flag != 0
}

/// Whether only what went wrong is said.
pub(crate) fn is_quiet() -> bool {
    asked(QUIET)
}

/// Whether all is said about each of several files.
pub(crate) fn is_verbose() -> bool {
    asked(VERBOSE)
}

/// Colours only on a terminal, and only if the user has nothing against them (`NO_COLOR`), unless `--color` decides.
pub(crate) fn color() -> Color {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
        || std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let wanted = asked(ALWAYS) || (!asked(NEVER) && io::stdout().is_terminal() && !refused);
    if wanted { Color::Ansi } else { Color::None }
}
