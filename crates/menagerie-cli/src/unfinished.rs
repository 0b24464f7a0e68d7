//! Files that are not whole yet: they have another name until they are, and are gone when the program ends, also by a
//! signal. What a crash or a power cut left behind is swept away by the next run that writes to the folder.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempfile::NamedTempFile;

const PREFIX: &str = ".menagerie-";
const SUFFIX: &str = ".tmp";

/// All unfinished files of this program.
static ALL: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// Folders that were swept.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn all() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    ALL.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes unfinished files when a signal ends the program: Ctrl-C, or a polite request to stop.
pub(crate) fn remove_on_signals() {
    // Without a handler signals end the program as they always do.
    let _ = ctrlc::set_handler(|| {
        // Nobody else gets the lock any more, so nothing is begun or renamed while the program ends.
        let unfinished = all();
        unfinished.iter().for_each(|path| drop(fs::remove_file(path)));
        std::process::exit(130);
    });
}

/// A file that takes its place when it is whole.
pub(crate) struct Unfinished(Option<NamedTempFile>);

impl Unfinished {
    /// Begins a file in the folder in which it will be.
    pub(crate) fn new(folder: &Path) -> io::Result<Self> {
        sweep(folder);
        let mut builder = tempfile::Builder::new();
        let prefix = format!("{PREFIX}{}-", std::process::id());
        builder.prefix(&prefix).suffix(SUFFIX);
        // The permissions that a new file gets; the usual ones of temporary files shut out everybody but their owner.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let mut all = all();
        let file = builder.tempfile_in(folder)?;
        all.insert(file.path().to_owned());
        Ok(Self(Some(file)))
    }

    fn file(&self) -> io::Result<&NamedTempFile> {
        self.0.as_ref().ok_or_else(|| io::Error::other("the file has its place already"))
    }

    pub(crate) fn as_file(&self) -> io::Result<&File> {
        self.file().map(NamedTempFile::as_file)
    }

    /// Gives the file its name.
    pub(crate) fn persist(mut self, target: &Path) -> io::Result<()> {
        let Some(file) = self.0.take() else { return Ok(()) };
        let mut all = all();
        all.remove(file.path());
        file.persist(target).map(drop).map_err(|failed| failed.error)
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file()?.as_file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file()?.as_file().flush()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(file) = self.0.take() {
            all().remove(file.path());
        }
    }
}

/// Removes what programs that are no more left in a folder; once for each folder.
fn sweep(folder: &Path) {
    if !SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(process_of);
        if process.is_some_and(|process| !is_running(process)) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The process whose unfinished file has such a name.
fn process_of(name: &str) -> Option<u32> {
    let (process, _) = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?.split_once('-')?;
    process.parse().ok()
}

/// Whether a process is there; where nobody can tell, it is.
fn is_running(process: u32) -> bool {
    let processes = Path::new("/proc");
    !processes.join("self").exists() || processes.join(process.to_string()).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dead_program_left_is_swept_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let dead = format!("{PREFIX}4294967294-abc{SUFFIX}");
        let alive = format!("{PREFIX}{}-abc{SUFFIX}", std::process::id());
        for name in [dead.as_str(), alive.as_str(), "model.tmp", ".menagerie-notes.tmp"] {
            fs::write(folder.path().join(name), b"x").unwrap();
        }
        let file = Unfinished::new(folder.path()).unwrap();
        assert_eq!(all().iter().filter(|path| path.starts_with(folder.path())).count(), 1);
        drop(file);
        assert!(all().iter().all(|path| !path.starts_with(folder.path())));
        let mut left: Vec<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        left.sort();
        assert_eq!(left, [alive.as_str(), ".menagerie-notes.tmp", "model.tmp"]);
    }
}
