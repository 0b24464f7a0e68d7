//! What a file is, how sure that is, and why: for people who sort files, where reading them is the next step.

use super::{Format, Probe, ReadOptions, foreign_kind};
use crate::diag::{Issue, Severity};

/// How sure it is what a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Confidence {
    /// Nothing says that it is a model.
    None,
    /// Only its name says so.
    Name,
    /// Its bytes say so, and something in it is wrong.
    Likely,
    /// Its bytes say so, and it reads to its end without an error.
    Certain,
}

impl Confidence {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Name => "name",
            Self::Likely => "likely",
            Self::Certain => "certain",
        }
    }
}

/// What a file is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Identified {
    /// Its format; none where no format is known for it.
    pub format: Option<&'static Format>,
    /// Which of the forms that files of the format have.
    pub dialect: Option<String>,
    /// How sure that is.
    pub confidence: Confidence,
    /// What speaks for it and against it, a sentence each.
    pub why: Vec<String>,
}

/// What a file is, by its bytes and then by its name. It is read as far as its format's reader goes.
///
/// ```
/// use menagerie::formats::{Confidence, ReadOptions, identify};
///
/// let found = identify(b"\x89PNG\r\n\x1a\n", Some("robot.bmd"), &ReadOptions::default());
/// assert_eq!(found.confidence, Confidence::Name);
/// ```
pub fn identify(bytes: &[u8], name: Option<&str>, options: &ReadOptions<'_>) -> Identified {
    let Ok((format, wrong_name)) = Format::detect(bytes, name) else {
        let kind = foreign_kind(bytes, name.unwrap_or_default());
        let why = vec![format!("no format that is known fits its bytes or its name; probably: {kind}")];
        return Identified { format: None, dialect: None, confidence: Confidence::None, why };
    };
    let mut why = Vec::new();
    let probe = (format.probe)(bytes);
    why.push(match probe {
        Probe::Magic => format!("it begins with the bytes that {} files begin with", format.name),
        Probe::Shape => {
            format!("it has the shape of {}, which has no bytes that all files begin with", format.name)
        }
        Probe::No => {
            let kind = foreign_kind(bytes, name.unwrap_or_default());
            format!("only its name says that it is {}; its bytes do not ({kind})", format.name)
        }
    });
    why.extend(wrong_name.map(|issue| issue.message));
    let reading = format.open(bytes, options);
    let is_error = |issue: &&Issue| issue.severity == Severity::Error;
    let errors: Vec<&Issue> = reading.issues.iter().filter(is_error).collect();
    why.push(match errors.first() {
        None => "it reads to its end without an error".to_owned(),
        Some(issue) => {
            let how = if reading.model.is_some() { "it reads with" } else { "it cannot be read:" };
            let (count, noun) = (errors.len(), if errors.len() == 1 { "error" } else { "errors" });
            format!("{how} {count} {noun}, the first {}: {}", issue.code, issue.message)
        }
    });
    let confidence = match probe {
        Probe::No => Confidence::Name,
        _ if !errors.is_empty() => Confidence::Likely,
        _ => Confidence::Certain,
    };
    let dialect = reading.model.filter(|_| probe != Probe::No).and_then(|model| model.dialect());
    Identified { format: Some(format), dialect, confidence, why }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_decide_and_names_are_the_last_resort() {
        let of = |bytes: &[u8], name| identify(bytes, name, &ReadOptions::default());
        let nothing = of(b"hello", Some("notes.txt"));
        assert_eq!((nothing.format, nothing.confidence), (None, Confidence::None));
        assert!(nothing.why[0].contains("text (.txt)"), "{:?}", nothing.why);
        #[cfg(feature = "bmd")]
        {
            let mut header = b"BMD1".to_vec();
            header.resize(48, 0);
            let whole = of(&header, Some("robot.obj"));
            assert_eq!((whole.format.map(|f| f.id), whole.confidence), (Some("bmd"), Confidence::Certain));
            #[cfg(feature = "obj")]
            assert!(whole.why.iter().any(|why| why.contains("the extension .obj")), "{:?}", whole.why);
            assert_eq!(of(&header[..20], None).confidence, Confidence::Likely);
            assert_eq!(of(b"no model", Some("robot.bmd")).confidence, Confidence::Name);
        }
    }
}
