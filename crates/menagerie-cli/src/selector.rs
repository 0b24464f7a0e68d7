//! `--deny CODE` and `--allow CODE`, for issues and losses alike.

use menagerie::diag::{Code, Severity};

use crate::names;

/// Which issues or losses `--deny` and `--allow` are about, from vague to exact: the more exact one wins.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Selector {
    Severity(Severity),
    Beginning(String),
    Code(&'static str),
}

impl Selector {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let severities = [Severity::Error, Severity::Warning, Severity::Info];
        if let Some(severity) = severities.into_iter().find(|severity| severity.name() == text) {
            return Ok(Self::Severity(severity));
        }
        if let Some(beginning) = text.strip_suffix('*') {
            let known = menagerie::codes().any(|code| code.id.starts_with(beginning));
            return match known {
                true => Ok(Self::Beginning(beginning.to_owned())),
                false => Err(format!("no code begins with {beginning}")),
            };
        }
        match menagerie::codes().find(|code| code.id == text) {
            Some(code) => Ok(Self::Code(code.id)),
            None => {
                let near = names::did_you_mean(text, menagerie::codes().map(|code| code.id));
                Err(format!("there is no code {text}{near}"))
            }
        }
    }

    fn fits(&self, code: &Code) -> bool {
        match self {
            Self::Severity(severity) => code.severity == *severity,
            Self::Beginning(beginning) => code.id.starts_with(beginning.as_str()),
            Self::Code(id) => code.id == *id,
        }
    }
}

/// What `--deny` and `--allow` make of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// Neither is about it.
    Plain,
    Denied,
    Allowed,
}

/// Which of the options is about a code; of both the more exact one, and of equally exact ones the allowing one.
pub(crate) fn weigh(code: &Code, deny: &[Selector], allow: &[Selector]) -> Weight {
    let exactest =
        |selectors: &[Selector]| selectors.iter().filter(|selector| selector.fits(code)).max().cloned();
    let (deny, allow) = (exactest(deny), exactest(allow));
    match (deny.is_some(), allow.is_some()) {
        (_, true) if allow >= deny => Weight::Allowed,
        (true, _) => Weight::Denied,
        _ => Weight::Plain,
    }
}
