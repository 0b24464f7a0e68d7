//! Every prefix of small files, every change of one of their bytes, and many changes of larger files: nothing panics, nothing
//! takes more memory than the limits say, and what is written is valid.
//!
//! Every run takes a sample. `CHANGES=255 cargo test --release -p menagerie-cli --test budget changes:: -- --nocapture` takes
//! all: each byte gets its 255 other values (fewer with a smaller number), and 100,000 changes are made of larger files. That
//! takes hours; `CHANGES_PART=1/2` takes every second file, `CHANGES_FROM=name` goes on behind the small file of that name, and
//! each line says what was tried. `CHANGES_KEEP=folder` keeps the broken ones of larger files.

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering::Relaxed;

use menagerie::bytes::Limits;
use menagerie::convert::{ConvertOptions, convert};
use menagerie::diag::Severity;
use menagerie::formats::{ALL, Format, ReadOptions};

use super::counting::{NOW, PEAK};
use super::support::damage::damage;
use super::support::promises::survive_within;
use super::support::scenes::Random;

/// Files up to this size are tried byte by byte.
const SMALL: usize = 4 << 10;
/// Larger ones than this are tried in the long run only.
const LARGE: usize = 64 << 10;

/// How much is tried.
struct Effort {
    /// One in so many prefixes, and one in so many bytes.
    step: usize,
    /// The other values that each byte gets.
    values: usize,
    /// Changes of all larger files together.
    changes: usize,
    largest: usize,
    /// One in so many changes of a byte is converted too.
    convert: usize,
    /// Which files, of how many parts.
    part: (usize, usize),
}

fn effort() -> Effort {
    let part = std::env::var("CHANGES_PART").ok();
    let part = part.as_deref().and_then(|part| part.split_once('/'));
    let part = part.and_then(|(part, of)| Some((part.parse().ok()?, of.parse().ok()?))).unwrap_or((1, 1));
    match std::env::var("CHANGES").ok().and_then(|values| values.parse().ok()) {
        Some(values) => Effort { step: 1, values, changes: 100_000, largest: 1 << 20, convert: 32, part },
        None => Effort { step: 61, values: 2, changes: 300, largest: LARGE, convert: 2, part },
    }
}

impl Effort {
    fn takes(&self, number: usize) -> bool {
        number % self.part.1 == self.part.0 - 1
    }

    /// Whether all is tried.
    fn is_long(&self) -> bool {
        self.step == 1
    }
}

/// What small files may take: far less than by default, so that what is not counted shows.
fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.memory_bytes = 48 << 20;
    limits.drawn = 100_000;
    limits.keys = 20_000;
    limits
}

struct File {
    name: String,
    format: &'static Format,
    bytes: Vec<u8>,
}

/// All model files of the project's corpus, of its vectors, and of the shared folder where that is there.
fn files() -> Vec<File> {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = ["../menagerie/tests/corpus", "../../vectors/codes", "../../../shared/corpus"];
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| manifest.join(folder)).collect();
    let mut paths = Vec::new();
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() { open.push(path) } else { paths.push(path) }
        }
    }
    paths.sort();
    let file = |path: &PathBuf| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let format = Format::by_extension(&name)?;
        Some(File { name, format, bytes: std::fs::read(path).ok()? })
    };
    let mut files: Vec<File> = paths.iter().filter_map(file).collect();
    // The same file lies in several folders.
    let mut seen = std::collections::HashSet::new();
    files.retain(|file| seen.insert((file.format.id, file.bytes.clone())));
    files
}

/// What became of the tries.
#[derive(Default)]
struct Tally {
    read: usize,
    written: usize,
    refused: usize,
    most: usize,
    broken: Vec<String>,
}

impl Tally {
    /// Reads, maps, writes back and lifts a file, and converts it where that is asked for.
    fn try_out(
        &mut self,
        what: &dyn Fn() -> String,
        format: &'static Format,
        bytes: &[u8],
        to: Option<&'static Format>,
    ) {
        let limits = limits();
        let before = NOW.load(Relaxed);
        PEAK.store(before, Relaxed);
        let mut options = ReadOptions::default();
        options.limits = limits.clone();
        self.read += 1;
        if let Err(broken) = survive_within(format, bytes, &options) {
            self.broken.push(format!("{}: {broken}", what()));
        }
        self.remember(what, before, &limits);
        let Some(to) = to else { return };
        let limits = limits.renewed();
        PEAK.store(before, Relaxed);
        let mut options = ConvertOptions::default();
        options.from = Some(format);
        options.rebuild = true;
        options.read.limits = limits.clone();
        match convert(bytes, None, to, &options) {
            Ok(done) => {
                self.written += 1;
                let reading = to.open(&done.output.bytes, &ReadOptions::default());
                let error = reading.issues.iter().find(|issue| issue.severity == Severity::Error);
                if let Some(error) = error.filter(|_| done.output.beside.is_empty()) {
                    self.broken.push(format!("{} to {}: {error}", what(), to.id));
                }
            }
            Err(failed) => {
                self.refused += 1;
                let ours = |id: &str| matches!(id, "convert/scene-rule" | "convert/invalid-result");
                let fault = failed.issues.iter().find(|issue| ours(issue.code.id));
                self.broken.extend(fault.map(|issue| format!("{} to {}: {issue}", what(), to.id)));
            }
        }
        self.remember(what, before, &limits);
    }

    fn remember(&mut self, what: &dyn Fn() -> String, before: usize, limits: &Limits) {
        let peak = PEAK.load(Relaxed).saturating_sub(before);
        self.most = self.most.max(peak);
        if peak as u64 > limits.memory() {
            self.broken.push(format!("{} takes {peak} bytes, {} are allowed", what(), limits.memory()));
        }
    }

    #[track_caller]
    fn is_good(&self) {
        let Self { read, written, refused, most, broken } = self;
        println!("{read} read, {written} converted, {refused} refused, at most {:.1} MB", *most as f64 / 1e6);
        let first = broken.iter().take(20).cloned().collect::<Vec<_>>().join("\n");
        assert!(broken.is_empty(), "{} broken:\n{first}", broken.len());
        assert!(*written > 0 && *refused > 0, "nothing was tried");
    }
}

#[test]
fn every_prefix_and_every_byte_of_small_files() {
    let _alone = super::ALONE.lock();
    let effort = effort();
    let Effort { step, values, convert, .. } = effort;
    let mut tally = Tally::default();
    let files = files();
    let mut small: Vec<&File> = files.iter().filter(|file| file.bytes.len() <= SMALL).collect();
    if let Ok(from) = std::env::var("CHANGES_FROM") {
        let done = small.iter().position(|file| file.name == from).unwrap();
        small.drain(..=done);
    }
    let small = small.into_iter().enumerate();
    for (_, file) in small.filter(|(number, _)| effort.takes(*number)) {
        let File { name, format, bytes } = file;
        let broken = tally.broken.len();
        for end in (tally.read % step..bytes.len()).step_by(step) {
            let to = ALL[(end + tally.refused) % ALL.len()];
            tally.try_out(&|| format!("{name} cut at {end}"), format, &bytes[..end], Some(to));
        }
        let mut changed = bytes.clone();
        for at in (tally.read % step..bytes.len()).step_by(step) {
            for n in 0..values {
                // The first is the sign or the largest part of a number, the last its smallest.
                changed[at] = bytes[at] ^ (n as u8 + 1).reverse_bits();
                let to = ((n + at) % convert == 0).then(|| ALL[(at + tally.written) % ALL.len()]);
                tally.try_out(&|| format!("{name} byte {at} {:#04x}", changed[at]), format, &changed, to);
            }
            changed[at] = bytes[at];
        }
        if effort.is_long() {
            println!("{name}: {} tried so far", tally.read);
            tally.broken.iter().skip(broken).for_each(|broken| println!("  {broken}"));
        }
    }
    tally.is_good();
}

#[test]
fn many_changes_of_larger_files() {
    let _alone = super::ALONE.lock();
    let effort = effort();
    let Effort { changes, largest, .. } = effort;
    let files = files();
    let larger: Vec<&File> =
        files.iter().filter(|file| (SMALL + 1..=largest).contains(&file.bytes.len())).collect();
    let mut tally = Tally::default();
    let mut random = Random::new(16);
    for change in 0..changes {
        let file = larger[change % larger.len()];
        let mut bytes = file.bytes.clone();
        for _ in 0..=change % 3 {
            damage(&mut bytes, std::array::from_fn(|_| random.below(256) as u8));
        }
        if !effort.takes(change / larger.len()) {
            continue;
        }
        let to = (change % 8 == 0).then(|| ALL[(change / 8) % ALL.len()]);
        let broken = tally.broken.len();
        tally.try_out(&|| format!("{} change {change}", file.name), file.format, &bytes, to);
        if let Some(folder) = std::env::var_os("CHANGES_KEEP").filter(|_| tally.broken.len() > broken) {
            std::fs::write(Path::new(&folder).join(format!("{change}-{}", file.name)), &bytes).unwrap();
        }
    }
    tally.is_good();
}
