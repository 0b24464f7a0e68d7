//! What goes wrong, as Python exceptions with code, bytes and path.

use std::any::Any;

use menagerie::Error;
use menagerie::convert::Failed;
use menagerie::diag::{Issue, render};
use menagerie::scene::Broken;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// Why something could not be done.
pub(crate) struct Failure {
    /// Who is to blame; the name of an exception of `menagerie`.
    class: &'static str,
    message: String,
    issues: Vec<Issue>,
    format: Option<&'static str>,
}

impl Failure {
    /// Something was asked for that cannot be.
    pub(crate) fn parameter(message: impl Into<String>) -> Self {
        Self { class: "ParameterError", message: message.into(), issues: Vec::new(), format: None }
    }

    /// A fault of the library.
    pub(crate) fn panicked(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let message =
            format!("a fault of menagerie, please report it: {}", text.unwrap_or("no reason given"));
        Self { class: "InternalError", message, issues: Vec::new(), format: None }
    }

    /// The exception for it.
    pub(crate) fn into_exception(self, py: Python<'_>) -> PyErr {
        let details = json!({
            "class": self.class,
            "message": self.message,
            "format": self.format,
            "issues": self.issues.iter().map(render::json).collect::<Value>(),
        });
        let made = py
            .import("menagerie._errors")
            .and_then(|errors| errors.getattr("make"))
            .and_then(|make| make.call1((details.to_string(),)));
        made.map_or_else(|_| PyRuntimeError::new_err(self.message), PyErr::from_value)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let class = match &error {
            Error::File(_) => "FileError",
            Error::Limit(_) => "LimitError",
            Error::Unsupported(_) => "UnsupportedError",
            Error::Parameter(_) => "ParameterError",
            _ => "InternalError",
        };
        let failed = error.failed();
        let issues = failed.map(|failed| failed.issues.clone().into_sorted()).unwrap_or_default();
        let reason = failed.and_then(Failed::reason).cloned();
        // The reason is first, where the exception looks for its code and place.
        let rest = issues.into_iter().filter(|issue| Some(issue) != reason.as_ref());
        let issues = reason.clone().into_iter().chain(rest).collect();
        let format = failed.and_then(|failed| failed.from).map(|format| format.id);
        Self { class, message: error.to_string(), issues, format }
    }
}

impl From<Failed> for Failure {
    fn from(failed: Failed) -> Self {
        Error::from(failed).into()
    }
}

impl From<Issue> for Failure {
    fn from(issue: Issue) -> Self {
        Failed::of(None, issue).into()
    }
}

/// A Scene that somebody built breaks a rule.
impl From<Broken> for Failure {
    fn from(broken: Broken) -> Self {
        let message = broken.to_string();
        let issue = Issue::new(&menagerie::convert::SCENE_RULE, broken.path, broken.message);
        Self { class: "ParameterError", message, issues: vec![issue], format: None }
    }
}
