//! Exit codes.

use std::process::ExitCode;

/// How it went, as the shell sees it. Of several files the worst counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Done, and nothing is wrong.
    #[default]
    Fine,
    /// Done, and something is wrong with the files: invalid, different, lossy where that was not wanted.
    Wrong,
    /// It could not be done: wrong usage, a missing file, a format that cannot be read.
    CouldNot,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        ExitCode::from(exit as u8)
    }
}

impl FromIterator<Exit> for Exit {
    fn from_iter<T: IntoIterator<Item = Exit>>(exits: T) -> Self {
        exits.into_iter().max().unwrap_or_default()
    }
}
