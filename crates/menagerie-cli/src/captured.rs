//! One command line run inside another program: what it would print is handed back, and what it would read from standard
//! input is given to it.

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use menagerie::bytes::SharedBytes;

/// What a command line said and did.
#[derive(Debug, Default)]
pub struct Captured {
    /// The exit code.
    pub code: u8,
    /// What went to standard output.
    pub stdout: Vec<u8>,
    /// What went to standard error.
    pub stderr: Vec<u8>,
}

/// What takes the place of standard input.
#[derive(Clone, Debug)]
pub struct Given {
    /// The bytes.
    pub bytes: SharedBytes,
    /// The file that they came from, where there is one: its name tells the format, its folder has the pictures.
    pub path: Option<PathBuf>,
}

thread_local! {
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

/// A command line that is being run.
struct Running {
    given: Option<Given>,
    captured: Captured,
}

/// Runs one command line; the first argument is the program's name. Nothing is read from standard input, nothing is printed.
pub fn run_captured(arguments: impl IntoIterator<Item = OsString>, given: Option<Given>) -> Captured {
    let before = RUNNING.replace(Some(Running { given, captured: Captured::default() }));
    let code = crate::execute(arguments);
    let captured = RUNNING.replace(before).map(|running| running.captured);
    Captured { code, ..captured.unwrap_or_default() }
}

/// What takes the place of standard input; nothing while the program runs on its own.
pub(crate) fn given() -> Option<Given> {
    RUNNING.with_borrow(|running| running.as_ref()?.given.clone())
}

/// Where output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Out,
    Error,
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let kept = RUNNING.with_borrow_mut(|running| {
            let captured = &mut running.as_mut()?.captured;
            match self {
                Self::Out => captured.stdout.extend_from_slice(bytes),
                Self::Error => captured.stderr.extend_from_slice(bytes),
            }
            Some(bytes.len())
        });
        match (kept, self) {
            (Some(length), _) => Ok(length),
            (None, Self::Out) => io::stdout().write(bytes),
            (None, Self::Error) => io::stderr().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Out => io::stdout().flush(),
            Self::Error => io::stderr().flush(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(words: &[&str]) -> Vec<OsString> {
        std::iter::once("menagerie").chain(words.iter().copied()).map(OsString::from).collect()
    }

    #[test]
    fn output_is_handed_back_and_input_is_given() {
        let bytes = menagerie::formats::bo3d::Model::default().to_bytes();
        let given = Given { bytes: bytes.into(), path: Some("robots/empty.bo3d".into()) };
        let info = run_captured(arguments(&["info", "--json", "-"]), Some(given));
        let json: serde_json::Value = serde_json::from_slice(&info.stdout).unwrap();
        assert_eq!((info.code, &json[0]["format"]), (0, &"bo3d".into()));
        assert_eq!(json[0]["file"], "robots/empty.bo3d");
        let wrong = run_captured(arguments(&["info"]), None);
        assert_eq!((wrong.code, wrong.stdout.len()), (2, 0));
        assert!(String::from_utf8_lossy(&wrong.stderr).contains("Usage"));
        assert!(given_is_gone());
    }

    fn given_is_gone() -> bool {
        given().is_none()
    }
}
