//! Models on the disk.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Error, Folders, Model};
use crate::convert::{Failed, OPERATION};
use crate::diag::{Issue, LossReport};
use crate::formats::{Format, WriteOptions};
use crate::scene::Scene;

/// Reads a model from a file, whatever its format. Pictures and buffers that it names are looked up in its own folder and
/// nowhere else.
///
/// ```no_run
/// let model = menagerie::open("robot.bmd")?;
/// println!("{}: {:?}", model.format().name, model.summary());
/// # Ok::<(), menagerie::Error>(())
/// ```
pub fn open(path: impl AsRef<Path>) -> Result<Model, Error> {
    let path = path.as_ref();
    let bytes = fs::read(path).map_err(|error| Error::Io(path.to_owned(), error))?;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    let folder = folder_of(path);
    Model::read(bytes.into(), name, Arc::new(Folders::new(Some(&folder), &[], &[])))
}

/// Writes a Scene to a file in the format of its extension.
pub(super) fn save(scene: &Scene, path: &Path) -> Result<LossReport, Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let Some(format) = Format::by_extension(&name).filter(|_| path.extension().is_some()) else {
        let message = format!("no format has the extension of {name}");
        return Err(Failed::of(None, Issue::new(&OPERATION, "", message)).into());
    };
    let text = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let options = WriteOptions {
        stem: text(path.file_stem()),
        extension: text(path.extension()),
        ..WriteOptions::default()
    };
    let written = scene.write_with(format, &options)?;
    let folder = folder_of(path);
    for (beside, bytes) in &written.output.beside {
        // Such names come from a model: only their last part counts, so nothing leaves the folder.
        let base = beside.rsplit(['/', '\\']).next().unwrap_or_default();
        if !matches!(base, "" | "." | "..") {
            replace(&folder.join(base), bytes)?;
        }
    }
    replace(path, &written.output.bytes)?;
    Ok(written.losses)
}

/// Puts a file in its place when it is whole.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let io = |error| Error::Io(path.to_owned(), error);
    let mut name = std::ffi::OsString::from(".menagerie-");
    name.push(path.file_name().unwrap_or_default());
    name.push(".tmp");
    let unfinished = folder_of(path).join(name);
    fs::write(&unfinished, bytes).and_then(|()| fs::rename(&unfinished, path)).map_err(|error| {
        let _ = fs::remove_file(&unfinished);
        io(error)
    })
}

fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}
