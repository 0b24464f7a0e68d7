//! The bytes of a file.

use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;

/// Files from this size on are mapped instead of read.
///
/// Below it a copy costs little, and a copy cannot change under our feet: when somebody shortens a file that is
/// mapped, touching the lost part ends the program.
const MAP_FROM: u64 = 256 << 20;

/// The bytes of a file, in memory or mapped.
pub(crate) enum Bytes {
    Read(Vec<u8>),
    Mapped(memmap2::Mmap),
}

impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Self::Read(bytes) => bytes,
            Self::Mapped(map) => map,
        }
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

/// Reads a file.
pub(crate) fn file(path: &Path) -> io::Result<Bytes> {
    file_mapped_from(path, MAP_FROM)
}

/// Reads standard input to its end, or up to one byte more than `limit`: the reader then refuses it.
pub(crate) fn stdin(limit: u64) -> io::Result<Bytes> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(Bytes::Read(bytes))
}

fn file_mapped_from(path: &Path, map_from: u64) -> io::Result<Bytes> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if metadata.is_file() && metadata.len() >= map_from {
        // A file system that cannot map files still can read them.
        if let Ok(map) = map(&File::open(path)?) {
            return Ok(Bytes::Mapped(map));
        }
    }
    fs::read(path).map(Bytes::Read)
}

#[expect(unsafe_code, reason = "the system cannot promise that nobody changes a mapped file")]
fn map(file: &File) -> io::Result<memmap2::Mmap> {
    // SAFETY: the map is only read, as plain bytes, and every value in it is checked before it is used. Another
    // program that changes the file meanwhile makes the result wrong, and one that shortens it ends this program;
    // SECURITY.md says so. Only files of 256 MB and more are mapped, because reading them would double their cost.
    unsafe { memmap2::Mmap::map(file) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mapped_and_read_bytes_are_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        fs::write(&path, b"BO3D and more").unwrap();
        let mapped = file_mapped_from(&path, 1).unwrap();
        assert!(matches!(mapped, Bytes::Mapped(_)));
        assert_eq!(&*mapped, &*file(&path).unwrap());
    }

    #[test]
    fn an_empty_file_is_no_bytes_and_a_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("empty");
        fs::write(&path, b"").unwrap();
        assert!(file_mapped_from(&path, 0).unwrap().is_empty());
        assert!(file(folder.path()).is_err());
    }
}
