//! Why something could not be done, and who is to blame.

use std::fmt;

use crate::convert::{Blame, Failed};
#[cfg(feature = "fs")]
use std::path::PathBuf;

/// Why something could not be done, split by who is to blame.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The file is broken; the issues say where.
    File(Box<Failed>),
    /// It would cost more than the limits allow.
    Limit(Box<Failed>),
    /// The file is in no known format, or needs what is not understood.
    Unsupported(Box<Failed>),
    /// What was asked for cannot be done to this model.
    Parameter(Box<Failed>),
    /// The result would have broken a rule; a fault of this library.
    Internal(Box<Failed>),
    /// A file could not be read or written.
    #[cfg(feature = "fs")]
    Io(PathBuf, std::io::Error),
}

impl Error {
    /// What was found, where a model was looked at.
    pub fn failed(&self) -> Option<&Failed> {
        match self {
            Self::File(failed)
            | Self::Limit(failed)
            | Self::Unsupported(failed)
            | Self::Parameter(failed)
            | Self::Internal(failed) => Some(failed),
            #[cfg(feature = "fs")]
            Self::Io(..) => None,
        }
    }
}

impl From<Failed> for Error {
    fn from(failed: Failed) -> Self {
        let blame = failed.blame();
        let failed = Box::new(failed);
        match blame {
            Blame::File => Self::File(failed),
            Blame::Limit => Self::Limit(failed),
            Blame::Unsupported => Self::Unsupported(failed),
            Blame::Parameter => Self::Parameter(failed),
            Blame::Internal => Self::Internal(failed),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            #[cfg(feature = "fs")]
            Self::Io(path, error) => write!(f, "{}: {error}", path.display()),
            _ => self.failed().map_or(Ok(()), |failed| failed.fmt(f)),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            #[cfg(feature = "fs")]
            Self::Io(_, error) => Some(error),
            _ => self.failed().map(|failed| failed as _),
        }
    }
}
