//! What is wrong with a file, and what a conversion cost.
//!
//! - A [`Code`] is a kind of problem. Codes are data, kept in tables beside what they are about: those of this module
//!   ([`CODES`], [`loss::CODES`]) and one table per format. `menagerie explain` and `docs/codes.md` are made from them.
//! - An [`Issue`] is one problem of one file: code, severity, byte range, path and a sentence.
//! - [`Issues`] collects them, at most so many of a code, so that a hostile file cannot fill the memory with them.
//! - A [`Loss`] is one thing that a conversion dropped, approximated or added; a [`LossReport`] collects them.
//! - [`render`] turns issues into text for a terminal, JSON or SARIF.

mod code;
mod issue;
pub mod loss;
mod plain;
pub mod render;

pub use code::{
    CODES, COUNT_TOO_LARGE, Code, EMPTY, LIMIT, LINE_TOO_LONG, MORE_OF_THE_SAME, NEGATIVE_COUNT, NOT_FINITE,
    Severity, TRUNCATED, UNKNOWN_FORMAT, UNREADABLE, WRONG_EXTENSION, code,
};
pub use issue::{Damage, Issue, Issues, LeftOut};
pub use loss::{Aspect, Loss, LossKind, LossReport};
pub use plain::plain;
