//! Which files the arguments mean: names, patterns, folders, and `-` for standard input.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use menagerie::bytes::SharedBytes;
use menagerie::formats::{self, Format, Probe};
use walkdir::WalkDir;

use crate::captured::{self, Given};
use crate::load;

/// So many bytes are enough for every magic number.
const PEEK: u64 = 64;

/// One input, or the reason why there is none.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// The name to show, as the user gave it.
    pub(crate) name: String,
    pub(crate) source: Source,
    /// Its folder below the one that was given; empty for files that were given themselves.
    pub(crate) below: PathBuf,
}

/// An input of a list that may be very long, in as few bytes as it takes to name it.
pub(crate) enum Listed {
    /// A file that was found in a folder; its neighbours share where that is.
    Found {
        folder: Arc<Path>,
        below: Arc<Path>,
        file: Box<OsStr>,
    },
    Alone(Box<Input>),
}

impl Listed {
    pub(crate) fn input(&self) -> Input {
        match self {
            Self::Found { folder, below, file } => {
                Input { below: below.to_path_buf(), ..Input::file(folder.join(&**file)) }
            }
            Self::Alone(input) => input.as_ref().clone(),
        }
    }
}

/// What the arguments mean.
pub(crate) struct Expanded {
    /// The models, in the order of the arguments.
    pub(crate) inputs: Vec<Listed>,
    /// Files in folders that are no models.
    pub(crate) others: Vec<PathBuf>,
}

#[derive(Clone, Debug)]
pub(crate) enum Source {
    File(PathBuf),
    Stdin,
    /// Bytes that the caller gave in place of standard input.
    Given(Given),
    /// What was asked for is not there, and why.
    Missing(String),
}

impl Input {
    fn file(path: PathBuf) -> Self {
        Self { name: path.display().to_string(), source: Source::File(path), below: PathBuf::new() }
    }

    fn missing(name: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { name: name.into(), source: Source::Missing(reason.into()), below: PathBuf::new() }
    }

    /// Its bytes, or a sentence that says why not.
    pub(crate) fn load(&self) -> Result<SharedBytes, String> {
        let bytes = match &self.source {
            Source::Given(given) => return Ok(given.bytes.clone()),
            Source::File(path) => load::file(path).map_err(|error| format!("cannot be read: {error}")),
            Source::Stdin => load::stdin().map_err(|error| format!("standard input cannot be read: {error}")),
            Source::Missing(reason) => Err(reason.clone()),
        };
        bytes.map(SharedBytes::new)
    }

    /// How many bytes it has; of standard input, how many it may have.
    pub(crate) fn size(&self) -> usize {
        match &self.source {
            Source::Given(given) => given.bytes.len(),
            Source::File(path) => std::fs::metadata(path)
                .ok()
                .and_then(|data| usize::try_from(data.len()).ok())
                .unwrap_or_default(),
            Source::Stdin => 1 << 30,
            Source::Missing(_) => 0,
        }
    }

    /// The name that may tell the format; standard input has none.
    pub(crate) fn hint(&self) -> Option<&str> {
        self.path().is_some().then_some(self.name.as_str())
    }

    /// The folder where the files that belong to it are.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.path().map(crate::output::folder_of)
    }

    /// The file that it is, or that its bytes came from.
    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.source {
            Source::File(path) => Some(path),
            Source::Given(given) => given.path.as_deref(),
            Source::Stdin | Source::Missing(_) => None,
        }
    }
}

/// All inputs that the arguments mean, in their order. What is missing takes its place in the list, so that the rest
/// is still done.
pub(crate) fn expand(arguments: &[PathBuf], recursive: bool) -> Vec<Input> {
    expand_with_others(arguments, recursive).inputs.iter().map(Listed::input).collect()
}

/// The same, with the files in folders that are passed over.
pub(crate) fn expand_with_others(arguments: &[PathBuf], recursive: bool) -> Expanded {
    let mut found = Expanded { inputs: Vec::new(), others: Vec::new() };
    for argument in arguments {
        if argument.as_os_str() == "-" {
            let stdin = stdin(&found.inputs);
            found.push(stdin);
        } else if argument.is_dir() {
            folder(argument, recursive, &mut found);
        } else if argument.exists() {
            found.push(Input::file(argument.clone()));
        } else {
            pattern(argument, recursive, &mut found);
        }
    }
    found
}

impl Expanded {
    fn push(&mut self, input: Input) {
        self.inputs.push(Listed::Alone(Box::new(input)));
    }

    /// Adds a file that was found below a folder that was given.
    fn push_found(&mut self, given: &Path, path: &Path) {
        let Some((folder, file)) = path.parent().zip(path.file_name()) else {
            return self.push(Input::file(path.to_owned()));
        };
        let shared = match self.inputs.last() {
            Some(Listed::Found { folder: known, below, .. })
                if **known == *folder && given.join(below) == folder =>
            {
                Some((Arc::clone(known), Arc::clone(below)))
            }
            _ => None,
        };
        let (folder, below) = shared
            .unwrap_or_else(|| (folder.into(), folder.strip_prefix(given).unwrap_or(Path::new("")).into()));
        self.inputs.push(Listed::Found { folder, below, file: file.into() });
    }
}

fn stdin(so_far: &[Listed]) -> Input {
    if let Some(given) = captured::given() {
        let name = given.path.as_ref().map_or("-".to_owned(), |path| path.display().to_string());
        return Input { name, source: Source::Given(given), below: PathBuf::new() };
    }
    let is_stdin =
        |listed: &Listed| matches!(listed, Listed::Alone(input) if matches!(input.source, Source::Stdin));
    if so_far.iter().any(is_stdin) {
        return Input::missing("-", "standard input can only be read once");
    }
    Input { name: "-".to_owned(), source: Source::Stdin, below: PathBuf::new() }
}

/// The model files in a folder and below it, in the order of their names. Links to folders are not followed.
fn folder(folder: &Path, recursive: bool, found: &mut Expanded) {
    if !recursive {
        let reason = "is a folder; -r takes the models in it";
        found.push(Input::missing(folder.display().to_string(), reason));
        return;
    }
    let before = found.inputs.len();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        match entry {
            Ok(entry) if entry.file_type().is_dir() => {}
            Ok(entry) if is_model(entry.path()) => found.push_found(folder, entry.path()),
            Ok(entry) => found.others.push(entry.into_path()),
            Err(error) => {
                let place = error.path().unwrap_or(folder).display().to_string();
                found.push(Input::missing(place, format!("cannot be searched: {error}")));
            }
        }
    }
    if found.inputs.len() == before {
        let reason = "has no file in a format that is known";
        found.push(Input::missing(folder.display().to_string(), reason));
    }
}

/// Whether a file found in a folder is a model: by its extension, or else by its first bytes.
fn is_model(path: &Path) -> bool {
    if !path.is_file() {
        return false;
    }
    if Format::by_extension(&path.to_string_lossy()).is_some() {
        return true;
    }
    let mut start = Vec::new();
    let read = File::open(path).and_then(|file| file.take(PEEK).read_to_end(&mut start));
    read.is_ok() && formats::ALL.iter().any(|format| (format.probe)(&start) == Probe::Magic)
}

/// Expands a pattern for shells that do not. A bracket or star that stands for itself is written as `[[]` or `[*]`.
fn pattern(argument: &Path, recursive: bool, found: &mut Expanded) {
    let name = argument.display().to_string();
    let paths = match argument.to_str().filter(|text| text.contains(['*', '?', '['])).map(glob::glob) {
        None => return found.push(Input::missing(name, "there is no such file")),
        Some(Err(error)) => {
            return found.push(Input::missing(name, format!("is not a pattern: {error}")));
        }
        Some(Ok(paths)) => paths,
    };
    let before = found.inputs.len();
    for path in paths {
        match path {
            // A pattern for files passes over the folders that it happens to fit.
            Ok(path) if path.is_dir() && !recursive => {}
            Ok(path) if path.is_dir() => folder(&path, recursive, found),
            Ok(path) => found.push(Input::file(path)),
            Err(error) => {
                found.push(Input::missing(error.path().display().to_string(), error.to_string()));
            }
        }
    }
    if found.inputs.len() == before {
        let reason = "no file fits this pattern; [[] and [*] stand for a bracket and a star";
        found.push(Input::missing(name, reason));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn arguments_become_files_in_a_fixed_order() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        fs::create_dir(at("sub")).unwrap();
        for (name, bytes) in [
            ("b.bo3d", &b"x"[..]),
            ("a.bo3d", b"x"),
            ("notes.txt", b"hello"),
            ("sub/nameless", b"BO3Dd\0\0\0"),
        ] {
            fs::write(at(name), bytes).unwrap();
        }
        let names = |arguments: &[PathBuf], recursive| -> Vec<String> {
            let place = format!("{}/", home.path().display());
            expand(arguments, recursive)
                .into_iter()
                .map(|input| match input.source {
                    Source::Missing(reason) => reason,
                    _ => input.name.replace(&place, ""),
                })
                .collect()
        };
        assert_eq!(names(&[at("*.bo3d")], false), ["a.bo3d", "b.bo3d"]);
        assert_eq!(names(&[home.path().to_owned()], true), ["a.bo3d", "b.bo3d", "sub/nameless"]);
        assert_eq!(names(&[at("sub")], false), ["is a folder; -r takes the models in it"]);
        assert_eq!(names(&[at("gone.bo3d"), at("b.bo3d")], false), ["there is no such file", "b.bo3d"]);
        assert_eq!(
            names(&[at("*.xyz")], false),
            ["no file fits this pattern; [[] and [*] stand for a bracket and a star"]
        );
        assert_eq!(names(&["-".into(), "-".into()], false), ["-", "standard input can only be read once"]);
    }
}
