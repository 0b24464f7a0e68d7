//! The manifest of a batch: one line of JSON for each file as soon as it is done, so that a run that was stopped can go
//! on where it was, and so that many machines can each do a part and put their lists together.
//!
//! The first line says which options made it; manifests of several parts may simply follow each other in one file.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// A list of what is done.
pub(crate) struct Manifest {
    path: PathBuf,
    file: File,
}

/// What earlier runs did. Of a list that may be very long only the places of its lines are kept.
#[derive(Default)]
pub(crate) struct Earlier {
    file: Option<Mutex<BufReader<File>>>,
    hasher: RandomState,
    /// Where the last line about an input begins, by the hash of its name.
    lines: HashMap<u64, u64>,
}

/// What is known of a file that is done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    stamp: Stamp,
    /// What was written, and how large it is.
    outputs: Vec<(PathBuf, u64)>,
    pub(crate) exit: u64,
    pub(crate) lossy: bool,
    pub(crate) damaged: bool,
    pub(crate) error: Option<String>,
}

/// By what a source is known again: its size, and when it was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stamp {
    bytes: u64,
    nanoseconds: u64,
}

impl Stamp {
    /// That of a file, if it is there.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Self { bytes: metadata.len(), nanoseconds: u64::try_from(changed.as_nanos()).ok()? })
    }

    pub(crate) fn to_json(self) -> Value {
        json!({ "bytes": self.bytes, "changed": self.nanoseconds })
    }
}

impl Manifest {
    /// Begins a manifest, or goes on with one that was made with the same options.
    pub(crate) fn open(path: &Path, options: &str, resume: bool) -> Result<(Self, Earlier)> {
        let options = hash(options.as_bytes());
        let earlier = match resume {
            true => Earlier::read(path, &options)?,
            false => Earlier::default(),
        };
        let cannot = || format!("cannot write the manifest {}", path.display());
        let mut file = OpenOptions::new()
            .create(true)
            .append(resume)
            .write(true)
            .truncate(!resume)
            .open(path)
            .with_context(cannot)?;
        // A line that was cut short by a crash is ended, so that the next one stands alone.
        let header = json!({ "menagerie": env!("CARGO_PKG_VERSION"), "options": options });
        let fresh = file.metadata().with_context(cannot)?.len() == 0;
        let line = if fresh { format!("{header}\n") } else { "\n".to_owned() };
        file.write_all(line.as_bytes()).with_context(cannot)?;
        Ok((Self { path: path.to_owned(), file }, earlier))
    }

    /// Adds a line.
    pub(crate) fn add(&mut self, row: &Value) -> Result<()> {
        let line = format!("{row}\n");
        self.file
            .write_all(line.as_bytes())
            .with_context(|| format!("cannot write the manifest {}", self.path.display()))
    }
}

impl Earlier {
    /// The lines of a manifest; none where there is no such file. Later ones of a file count.
    fn read(path: &Path, options: &str) -> Result<Self> {
        let mut earlier = Self::default();
        let file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(earlier),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot read the manifest {}", path.display()));
            }
        };
        let (mut file, mut line, mut at) = (BufReader::new(file), Vec::new(), 0);
        loop {
            line.clear();
            let length = file.read_until(b'\n', &mut line)?;
            if length == 0 {
                break;
            }
            // What a crash cut short is not JSON, and was not finished.
            let row: Value = serde_json::from_slice(&line).unwrap_or_default();
            if row.get("options").is_some_and(|other| other != options) {
                bail!(
                    "{} was made with other options or another version; without --resume all is done anew",
                    path.display()
                );
            }
            if let Some((name, _)) = entry(&row) {
                earlier.lines.insert(earlier.hasher.hash_one(name), at);
            }
            at += length as u64;
        }
        earlier.file = Some(Mutex::new(file));
        Ok(earlier)
    }

    /// What an earlier run made of an input, if that still holds: the source is the same, and the results are there.
    pub(crate) fn done(&self, name: &str, source: Option<&Path>) -> Option<Entry> {
        let entry = self.entry(name)?;
        let same = source.and_then(Stamp::of) == Some(entry.stamp);
        let there =
            |(path, bytes): &(PathBuf, u64)| fs::metadata(path).is_ok_and(|file| file.len() == *bytes);
        (same && entry.outputs.iter().all(there)).then_some(entry)
    }

    fn entry(&self, name: &str) -> Option<Entry> {
        let at = *self.lines.get(&self.hasher.hash_one(name))?;
        let mut line = Vec::new();
        let mut file = self.file.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(at)).ok()?;
        file.read_until(b'\n', &mut line).ok()?;
        let row = serde_json::from_slice(&line).ok()?;
        entry(&row).filter(|(of, _)| of == name).map(|(_, entry)| entry)
    }
}

fn entry(row: &Value) -> Option<(String, Entry)> {
    let source = row.get("source")?;
    let stamp =
        Stamp { bytes: source.get("bytes")?.as_u64()?, nanoseconds: source.get("changed")?.as_u64()? };
    let outputs =
        row.get("outputs")?.as_array()?.iter().map(|output| {
            Some((PathBuf::from(output.get("file")?.as_str()?), output.get("bytes")?.as_u64()?))
        });
    let entry = Entry {
        stamp,
        outputs: outputs.collect::<Option<_>>()?,
        exit: row.get("exit")?.as_u64()?,
        lossy: row.get("losses")?.as_object().is_some_and(|losses| !losses.is_empty()),
        damaged: row.get("damaged")?.as_bool()?,
        error: row.get("error")?.as_str().map(str::to_owned),
    };
    Some((row.get("file")?.as_str()?.to_owned(), entry))
}

/// The SHA-256 of bytes, in hexadecimal.
pub(crate) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A part of a batch: the third of eight, say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shard {
    index: u64,
    of: u64,
}

impl Shard {
    /// `3/8`, from 1 to 8.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text} is no part such as 3/8");
        let (index, of) = text.split_once('/').ok_or_else(wrong)?;
        let (index, of): (u64, u64) = (index.parse().map_err(|_| wrong())?, of.parse().map_err(|_| wrong())?);
        if (1..=of).contains(&index) { Ok(Self { index, of }) } else { Err(wrong()) }
    }

    /// Whether a file belongs to this part. That depends on its name alone, and not on which other files there are.
    pub(crate) fn has(self, name: &str) -> bool {
        let digest = Sha256::digest(name.as_bytes());
        let number = digest.iter().take(8).fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        number % self.of == self.index - 1
    }

    /// What tells the manifests of parts apart.
    pub(crate) fn suffix(self) -> String {
        format!("{}-of-{}.", self.index, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, source: &Path, output: &Path) -> Value {
        json!({ "file": name, "source": Stamp::of(source).unwrap().to_json(), "exit": 1, "losses": {}, "damaged": true,
            "outputs": [{ "file": output.display().to_string(), "bytes": fs::metadata(output).unwrap().len() }], "error": null })
    }

    #[test]
    fn what_is_done_is_known_again_unless_something_changed() {
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        for name in ["a", "a.out", "b", "b.out"] {
            fs::write(at(name), name).unwrap();
        }
        let path = at("list.jsonl");
        let (mut manifest, _) = Manifest::open(&path, "options", false).unwrap();
        manifest.add(&row("a", &at("a"), &at("a.out"))).unwrap();
        manifest.add(&row("b", &at("b"), &at("b.out"))).unwrap();
        // The last line was cut short by a crash.
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 5]).unwrap();
        assert!(Manifest::open(&path, "others", true).is_err());
        let (mut again, earlier) = Manifest::open(&path, "options", true).unwrap();
        assert_eq!(
            earlier.done("a", Some(&at("a"))).map(|entry| (entry.exit, entry.damaged)),
            Some((1, true))
        );
        assert_eq!(earlier.done("b", Some(&at("b"))), None);
        again.add(&row("b", &at("b"), &at("b.out"))).unwrap();
        let (_, third) = Manifest::open(&path, "options", true).unwrap();
        assert!(third.done("b", Some(&at("b"))).is_some());
        fs::write(at("a"), "changed").unwrap();
        fs::remove_file(at("b.out")).unwrap();
        assert_eq!(third.done("a", Some(&at("a"))), None);
        assert_eq!(third.done("b", Some(&at("b"))), None);
    }

    #[test]
    fn every_file_belongs_to_one_part() {
        for wrong in ["", "1", "0/2", "3/2", "a/b", "1/0", "-1/2"] {
            assert!(Shard::parse(wrong).is_err(), "{wrong}");
        }
        let parts: Vec<Shard> = (1..=3).map(|i| Shard::parse(&format!("{i}/3")).unwrap()).collect();
        let mut sizes = [0; 3];
        for name in (0..300).map(|i| format!("models/{i}.bmd")) {
            let owners: Vec<usize> = (0..3).filter(|i| parts[*i].has(&name)).collect();
            assert_eq!(owners.len(), 1);
            sizes[owners[0]] += 1;
        }
        assert!(sizes.iter().all(|size| (60..140).contains(size)), "{sizes:?}");
    }
}
