//! The bytes of a file.
//!
//! Files are read and never mapped: when somebody shortens a file that is mapped, touching the lost part ends the program.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// What is read of something without a length: standard input, a pipe, a device. Some of them never end.
const WITHOUT_LENGTH: u64 = 1 << 30;

/// Reads a file.
pub(crate) fn file(path: &Path) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    if metadata.is_file() {
        return fs::read(path);
    }
    up_to(&mut File::open(path)?, WITHOUT_LENGTH)
}

/// Reads standard input to its end.
pub(crate) fn stdin() -> io::Result<Vec<u8>> {
    up_to(&mut io::stdin().lock(), WITHOUT_LENGTH)
}

/// Reads to the end, which must come within `most` bytes.
fn up_to(source: &mut impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            format!("it has no end within {most} bytes, the limit for what has no length"),
        )),
        false => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_never_ends_is_refused() {
        assert_eq!(up_to(&mut io::repeat(7).take(100), 100).unwrap().len(), 100);
        let refused = up_to(&mut io::repeat(7), 100).unwrap_err();
        assert_eq!(refused.to_string(), "it has no end within 100 bytes, the limit for what has no length");
    }

    #[test]
    fn an_empty_file_is_no_bytes_and_a_folder_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("empty");
        fs::write(&path, b"").unwrap();
        assert!(file(&path).unwrap().is_empty());
        assert!(file(folder.path()).is_err());
    }
}
