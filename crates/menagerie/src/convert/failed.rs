//! Conversions that could not be done.

use std::fmt;

use super::{INVALID_RESULT, NO_STREAM, OPERATION, SCENE_RULE};
use crate::diag::{Issue, Issues, LIMIT, UNKNOWN_FORMAT};
use crate::formats::Format;

/// A conversion that could not be done: all issues, the last one says why.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The source's format, where it is known.
    pub from: Option<&'static Format>,
    /// What was found.
    pub issues: Issues,
}

/// Who is to blame for a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Blame {
    /// The file is broken.
    File,
    /// It would cost more than the limits allow.
    Limit,
    /// It is in no known format, or needs what is not understood.
    Unsupported,
    /// What was asked for cannot be done to this model.
    Parameter,
    /// The result would have broken a rule: a fault of this library.
    Internal,
}

impl Failed {
    /// A failure for one reason.
    pub fn of(from: Option<&'static Format>, issue: Issue) -> Self {
        let mut issues = Issues::default();
        issues.push(issue);
        Self { from, issues }
    }

    /// The issue that says why.
    pub fn reason(&self) -> Option<&Issue> {
        self.issues.iter().last()
    }

    /// Who is to blame.
    pub fn blame(&self) -> Blame {
        let Some(reason) = self.reason() else { return Blame::File };
        match reason.code {
            code if *code == LIMIT => Blame::Limit,
            code if *code == UNKNOWN_FORMAT || code.id.ends_with("/required-extension") => Blame::Unsupported,
            code if *code == OPERATION || *code == NO_STREAM => Blame::Parameter,
            code if *code == SCENE_RULE || *code == INVALID_RESULT => Blame::Internal,
            _ => Blame::File,
        }
    }
}

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason() {
            Some(issue) => write!(f, "{issue} [{}]", issue.code),
            None => f.write_str("it could not be done"),
        }
    }
}

impl std::error::Error for Failed {}
