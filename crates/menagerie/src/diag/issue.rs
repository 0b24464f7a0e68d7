//! Problems of files, and lists of them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use super::code::{self, Code, Severity};
use super::loss::Aspect;
use super::plain;
use crate::bytes::{ByteMap, OverLimit, ReadError, ReadErrorKind, Span};

/// One problem of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct Issue {
    /// The kind of problem.
    pub code: &'static Code,
    /// How bad it is here; the code's own severity unless somebody changed it.
    pub severity: Severity,
    /// The bytes to blame; `None` only where no byte is (an empty file, say).
    pub span: Option<Span>,
    /// Where in the file's structure: `entities[3].bones[2].first`.
    pub path: String,
    /// What is wrong, in a sentence for the person who has the file.
    pub message: String,
}

/// Errors of what a file only says about itself, and nothing is read from: the model is whole.
const SAYINGS: &[&str] = &["gltf/accessor-bounds"];

/// The same text, harmless.
pub(super) fn made_plain(text: String) -> String {
    match plain(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(plain) => plain,
    }
}

impl Issue {
    /// A problem of the field at `path`; its bytes are looked up later by [`Issues::locate`].
    pub fn new(code: &'static Code, path: impl Into<String>, message: impl Into<String>) -> Self {
        let (path, message) = (made_plain(path.into()), made_plain(message.into()));
        Self { code, severity: code.severity, span: None, path, message }
    }

    /// Whether it is an error by which something of the model may be lost.
    pub fn is_damage(&self) -> bool {
        self.severity == Severity::Error && !SAYINGS.contains(&self.code.id)
    }

    /// The same with its bytes.
    #[must_use]
    pub fn at(self, span: Span) -> Self {
        Self { span: Some(span), ..self }
    }
}

impl std::error::Error for Issue {}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        f.write_str(&self.message)?;
        if let Some(span) = self.span {
            write!(f, ", at byte {span}")?;
        }
        Ok(())
    }
}

impl From<OverLimit> for Issue {
    fn from(over: OverLimit) -> Self {
        let issue = Self::new(&code::LIMIT, "", over.to_string());
        // All of the file is to blame.
        Self { span: (over.file > 0).then_some(Span { start: 0, end: over.file }), ..issue }
    }
}

impl From<ReadError> for Issue {
    fn from(error: ReadError) -> Self {
        let code = match error.kind {
            ReadErrorKind::Truncated { .. } => &code::TRUNCATED,
            ReadErrorKind::Count { .. } => &code::COUNT_TOO_LARGE,
            ReadErrorKind::Negative { .. } => &code::NEGATIVE_COUNT,
            ReadErrorKind::Limit { .. } => &code::LIMIT,
        };
        Self::new(code, error.path, error.kind.to_string()).at(error.span)
    }
}

/// What reading had to give up: so many things of a kind that the file speaks of and does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// What it is about.
    pub aspect: Aspect,
    /// What is missing, in the plural and in the user's words: `triangles`, `entities`.
    pub what: &'static str,
    /// Where in the file's structure; of several places the first.
    pub path: String,
    /// How many are missing.
    pub count: usize,
    /// Of how many that the damaged lists speak of.
    pub of: usize,
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} {} missing", self.count, self.of, self.what)
    }
}

/// What reading left out of a Scene although nothing is wrong with it: a Scene has no place for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// What it is about.
    pub aspect: Aspect,
    /// Where in the file's structure; of several places the first.
    pub path: String,
    /// What is left out, in a sentence.
    pub message: String,
    /// How many there are.
    pub count: usize,
}

/// A list of issues that keeps at most so many of one code and counts the rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Issues {
    list: Vec<Issue>,
    /// For each code that came up, how often.
    tally: BTreeMap<&'static str, usize>,
    per_code: usize,
    /// What was given up, one entry for each aspect and kind of thing.
    damage: Vec<Damage>,
    /// What was left out, one entry for each sentence.
    left_out: Vec<LeftOut>,
}

impl Default for Issues {
    fn default() -> Self {
        Self::new(crate::bytes::Limits::default().issues_per_code)
    }
}

impl Issues {
    /// An empty list that keeps `per_code` issues of one code.
    pub fn new(per_code: usize) -> Self {
        Self { list: Vec::new(), tally: BTreeMap::new(), per_code, damage: Vec::new(), left_out: Vec::new() }
    }

    /// Counts things that had to be given up: `count` of `of` at `path`. Call it once for each damaged list, beside the
    /// issues that say what is wrong: however many of those are kept, the count is true.
    pub fn give_up(
        &mut self,
        aspect: Aspect,
        what: &'static str,
        path: impl Into<String>,
        (count, of): (usize, usize),
    ) {
        if count > 0 {
            self.add_damage(Damage { aspect, what, path: path.into(), count, of: of.max(count) });
        }
    }

    fn add_damage(&mut self, more: Damage) {
        match self.damage.iter_mut().find(|known| (known.aspect, known.what) == (more.aspect, more.what)) {
            Some(known) => {
                known.count = known.count.saturating_add(more.count);
                known.of = known.of.saturating_add(more.of);
            }
            None => self.damage.push(more),
        }
    }

    /// Counts things that are sound and that a Scene has no place for: a conversion loses them, rewriting does not. The
    /// sentence is the same for all of a kind.
    pub fn leave_out(&mut self, aspect: Aspect, message: &str, path: impl Into<String>, count: usize) {
        if count > 0 {
            let (path, message) = (path.into(), message.to_owned());
            self.add_left_out(LeftOut { aspect, path, message, count });
        }
    }

    fn add_left_out(&mut self, more: LeftOut) {
        let alike = |known: &&mut LeftOut| known.aspect == more.aspect && known.message == more.message;
        match self.left_out.iter_mut().find(alike) {
            Some(known) => known.count = known.count.saturating_add(more.count),
            None => self.left_out.push(more),
        }
    }

    /// What was left out because a Scene has no place for it.
    pub fn left_out(&self) -> impl Iterator<Item = &LeftOut> {
        self.left_out.iter()
    }

    /// What had to be given up.
    pub fn damage(&self) -> impl Iterator<Item = &Damage> {
        self.damage.iter()
    }

    /// Whether something of the model could not be had: things were given up, or the file has errors.
    pub fn is_damaged(&self) -> bool {
        !self.damage.is_empty() || self.list.iter().any(Issue::is_damage)
    }

    /// The first error of each code by which something may be lost, and how many there are of it.
    pub fn errors_by_code(&self) -> impl Iterator<Item = (&Issue, usize)> {
        let mut seen = std::collections::BTreeSet::new();
        let errors = self.list.iter().filter(|issue| issue.is_damage());
        let first = errors.filter(move |issue| seen.insert(issue.code.id));
        first.map(|issue| (issue, self.tally.get(issue.code.id).copied().unwrap_or(1)))
    }

    /// Adds an issue.
    pub fn push(&mut self, issue: Issue) {
        let seen = self.tally.entry(issue.code.id).or_default();
        *seen += 1;
        if *seen <= self.per_code {
            self.list.push(issue);
        }
    }

    /// Adds an issue whose sentence is only made when it is kept.
    pub fn report(&mut self, code: &'static Code, describe: impl FnOnce() -> (String, String)) {
        if self.tally.get(code.id).is_some_and(|&seen| seen >= self.per_code) {
            *self.tally.entry(code.id).or_default() += 1;
        } else {
            let (path, message) = describe();
            self.push(Issue::new(code, path, message));
        }
    }

    /// Adds an issue that is only made when it is kept.
    pub fn push_with(&mut self, code: &'static Code, make: impl FnOnce() -> Issue) {
        if self.tally.get(code.id).is_some_and(|&seen| seen >= self.per_code) {
            *self.tally.entry(code.id).or_default() += 1;
        } else {
            self.push(make());
        }
    }

    /// Adds all issues of another list.
    pub fn append(&mut self, other: Issues) {
        other.damage.into_iter().for_each(|damage| self.add_damage(damage));
        other.left_out.into_iter().for_each(|left_out| self.add_left_out(left_out));
        let mut uncounted = other.tally;
        for issue in other.list {
            if let Some(count) = uncounted.get_mut(issue.code.id) {
                *count -= 1;
            }
            self.push(issue);
        }
        for (code, count) in uncounted {
            *self.tally.entry(code).or_default() += count;
        }
    }

    /// Adds the issues of another list that are not here yet: the same place of the same code is one issue, whoever
    /// found it.
    pub fn append_new(&mut self, other: Issues) {
        let known: std::collections::BTreeSet<(&str, String)> =
            self.list.iter().map(|issue| (issue.code.id, issue.path.clone())).collect();
        let mut new = Issues::new(other.per_code);
        for issue in
            other.list.into_iter().filter(|issue| !known.contains(&(issue.code.id, issue.path.clone())))
        {
            new.push(issue);
        }
        new.damage = other.damage;
        new.left_out = other.left_out;
        self.append(new);
    }

    /// Fills in the byte range of the issues that have only a path.
    pub fn locate(&mut self, map: &ByteMap) {
        for issue in self.list.iter_mut().filter(|issue| issue.span.is_none() && !issue.path.is_empty()) {
            issue.span = map.find(&issue.path);
        }
    }

    /// Whether some issue has a path and no bytes yet.
    pub fn needs_locating(&self) -> bool {
        self.list.iter().any(|issue| issue.span.is_none() && !issue.path.is_empty())
    }

    /// The kept issues in the order of their bytes, and a line for each code of which some were only counted.
    pub fn into_sorted(mut self) -> Vec<Issue> {
        self.list.sort_by_key(|issue| (issue.span.is_none(), issue.span));
        for (&id, &seen) in &self.tally {
            if seen > self.per_code {
                let more = seen - self.per_code;
                self.list.push(Issue::new(
                    &code::MORE_OF_THE_SAME,
                    "",
                    format!("{more} more issues of the code {id}, {seen} in all"),
                ));
            }
        }
        self.list
    }

    /// The kept issues.
    pub fn iter(&self) -> impl Iterator<Item = &Issue> {
        self.list.iter()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether one is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|issue| issue.severity == Severity::Error)
    }
}

impl Extend<Issue> for Issues {
    fn extend<T: IntoIterator<Item = Issue>>(&mut self, issues: T) {
        issues.into_iter().for_each(|issue| self.push(issue));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn further_issues_of_a_code_are_counted() {
        let mut issues = Issues::new(2);
        for i in 0..5 {
            issues.report(&code::NOT_FINITE, || (format!("x[{i}]"), "is NaN".to_owned()));
        }
        let mut all = Issues::new(2);
        all.append(issues);
        let list = all.into_sorted();
        assert_eq!(list.len(), 3);
        assert_eq!(list[2].message, "3 more issues of the code file/not-finite, 5 in all");
    }
}
