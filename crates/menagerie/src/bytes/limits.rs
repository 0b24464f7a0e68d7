//! What a job may cost.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// What a job may cost: reading a file, making its Scene, changing, comparing, drawing and writing it. Beyond that it is
/// refused with the code `file/limit`.
///
/// Clones are of the same job: what one of them takes the others lack. [`Limits::renewed`] begins another job.
///
/// ```
/// use menagerie::bytes::Limits;
///
/// let mut limits = Limits::default();
/// limits.memory_bytes = 1000;
/// limits.memory_ratio = 0;
/// let reading = limits.clone();
/// assert!(reading.take(900).is_ok());
/// let refused = limits.take(900).unwrap_err();
/// assert_eq!(refused.to_string(), "1800 bytes of memory are more than the limit of 1000 (--max-memory)");
/// assert!(limits.renewed().take(900).is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The largest file that is read, in bytes.
    pub file_bytes: u64,
    /// What all steps of a job together may ask for in memory, in bytes, however small its files are.
    pub memory_bytes: u64,
    /// How many times the bytes of its files a job may ask for beyond `memory_bytes`.
    pub memory_ratio: u64,
    /// What a job may write, in bytes, however small its files are.
    pub output_bytes: u64,
    /// How many times the bytes of its files a job may write beyond `output_bytes`.
    pub output_ratio: u64,
    /// The largest size that compressed data may inflate to, in bytes, if the memory is there.
    pub inflated_bytes: u64,
    /// How many times larger than the compressed data the inflated data may be.
    pub inflate_ratio: u64,
    /// Vertices, and triangles, that a Scene may draw when every instance of a mesh is written out, as formats without
    /// instances need it.
    pub drawn: u64,
    /// Keys that all channels of all animations together may be resampled to.
    pub keys: u64,
    /// How many parts of a model are kept apart that only names tell apart: objects, groups and materials of OBJ. What
    /// comes after is put together.
    pub parts: usize,
    /// How many times the bytes of a file may be used by its lists, where lists may share them: those of BMD.
    pub sharing: usize,
    /// Steps that may be spent on what grows faster than a file: pairs of triangles that may cross each other, joints at all
    /// moments of an animation.
    pub steps: usize,
    /// The most texels along a side of a picture.
    pub picture_side: usize,
    /// The most texels of a picture.
    pub picture_texels: usize,
    /// The longest line of text, in bytes.
    pub line_bytes: usize,
    /// The longest header in words, in bytes: that of PLY.
    pub header_bytes: usize,
    /// The longest row of a table whose rows differ in length, in bytes: those of PLY.
    pub row_bytes: usize,
    /// How deep a tree may be.
    pub depth: usize,
    /// How many issues of one code are kept; further ones are counted.
    pub issues_per_code: usize,
    /// What the job has used so far.
    pub used: Used,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 16 << 30,
            memory_bytes: 256 << 20,
            memory_ratio: 64,
            output_bytes: 256 << 20,
            output_ratio: 64,
            inflated_bytes: 4 << 30,
            inflate_ratio: 1100,
            drawn: 40_000_000,
            keys: 4_000_000,
            parts: 1 << 16,
            sharing: 8,
            steps: 1 << 22,
            picture_side: 16384,
            picture_texels: 1 << 26,
            line_bytes: 16 << 20,
            header_bytes: 1 << 20,
            row_bytes: 64 << 20,
            depth: 1024,
            issues_per_code: 100,
            used: Used::default(),
        }
    }
}

/// What a job has used of its [`Limits`]; clones count together. All are equal: limits are the same whatever was used.
#[derive(Clone, Debug, Default)]
pub struct Used(Arc<Counters>);

#[derive(Debug, Default)]
struct Counters {
    input: AtomicU64,
    memory: AtomicU64,
    output: AtomicU64,
    stopped: AtomicBool,
    /// The length of the file that was read last.
    file: AtomicU64,
}

impl PartialEq for Used {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Used {}

impl Used {
    /// Bytes of the files that were read. A small file counts as 64 kB, so that limits that many small ones share are
    /// as good as limits of their own.
    pub fn input(&self) -> u64 {
        self.0.input.load(Relaxed)
    }

    /// Bytes of memory that were asked for. What was given back is not taken off: it is what all steps took together.
    pub fn memory(&self) -> u64 {
        self.0.memory.load(Relaxed)
    }

    /// Bytes that were written.
    pub fn output(&self) -> u64 {
        self.0.output.load(Relaxed)
    }

    /// Stops the job: from now on all that it asks for is refused. For programs that wait only so long.
    pub fn stop(&self) {
        self.0.stopped.store(true, Relaxed);
    }
}

/// What there was too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Memory,
    Output,
    Time,
}

/// A job asked for more than its [`Limits`] allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OverLimit {
    kind: Kind,
    asked: u64,
    allowed: u64,
    /// The length of the file that asks for too much.
    pub(crate) file: u64,
}

impl fmt::Display for OverLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { asked, allowed, .. } = self;
        match self.kind {
            Kind::Memory => {
                write!(f, "{asked} bytes of memory are more than the limit of {allowed} (--max-memory)")
            }
            Kind::Output => {
                write!(f, "{asked} bytes to write are more than the limit of {allowed} (--max-output)")
            }
            Kind::Time => f.write_str("it took longer than the limit (--max-time)"),
        }
    }
}

impl std::error::Error for OverLimit {}

/// What even the smallest file counts as.
const LEAST_INPUT: u64 = 64 << 10;

impl Limits {
    /// The same limits for another job, which has used nothing yet.
    #[must_use]
    pub fn renewed(&self) -> Self {
        Self { used: Used::default(), ..self.clone() }
    }

    /// Counts a file that the job reads.
    pub fn reads(&self, bytes: usize) {
        self.used.0.input.fetch_add((bytes as u64).max(LEAST_INPUT), Relaxed);
        self.used.0.file.store(bytes as u64, Relaxed);
    }

    /// Counts bytes that belong to a file that was counted: more of it, or one that it names.
    pub fn reads_more(&self, bytes: usize) {
        self.used.0.input.fetch_add(bytes as u64, Relaxed);
    }

    /// The memory that the job may ask for in all.
    pub fn memory(&self) -> u64 {
        self.memory_bytes.saturating_add(self.memory_ratio.saturating_mul(self.used.input()))
    }

    /// The memory that the job may still ask for.
    pub fn memory_left(&self) -> u64 {
        self.memory().saturating_sub(self.used.memory())
    }

    /// Takes memory, before it is asked for; takes nothing where that would be too much.
    pub fn take(&self, bytes: u64) -> Result<(), OverLimit> {
        self.count(&self.used.0.memory, bytes, self.memory(), Kind::Memory)?;
        self.go_on()
    }

    /// Fails where [`Limits::take`] would, and takes nothing: for what is given back before the next step.
    pub fn affords(&self, bytes: u64) -> Result<(), OverLimit> {
        let (used, allowed) = (self.used.memory(), self.memory());
        match used.saturating_add(bytes) {
            asked if asked > allowed => Err(self.over(Kind::Memory, asked, allowed)),
            _ => self.go_on(),
        }
    }

    /// Takes memory for so many things of so many bytes.
    pub fn take_many(&self, things: usize, bytes: usize) -> Result<(), OverLimit> {
        self.take((things as u64).saturating_mul(bytes as u64))
    }

    /// Counts bytes that are to be written.
    pub fn writes(&self, bytes: u64) -> Result<(), OverLimit> {
        let allowed = self.output_bytes.saturating_add(self.output_ratio.saturating_mul(self.used.input()));
        self.count(&self.used.0.output, bytes, allowed, Kind::Output)?;
        self.go_on()
    }

    /// Fails when the job was stopped. For steps that take long and little memory.
    pub fn go_on(&self) -> Result<(), OverLimit> {
        match self.used.0.stopped.load(Relaxed) {
            true => Err(self.over(Kind::Time, 0, 0)),
            false => Ok(()),
        }
    }

    fn count(&self, used: &AtomicU64, bytes: u64, allowed: u64, kind: Kind) -> Result<(), OverLimit> {
        let more = |used: u64| Some(used.saturating_add(bytes)).filter(|used| *used <= allowed);
        match used.fetch_update(Relaxed, Relaxed, more) {
            Ok(_) => Ok(()),
            Err(used) => Err(self.over(kind, used.saturating_add(bytes), allowed)),
        }
    }

    fn over(&self, kind: Kind, asked: u64, allowed: u64) -> OverLimit {
        OverLimit { kind, asked, allowed, file: self.used.0.file.load(Relaxed) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_steps_of_a_job_take_from_one_budget() {
        let limits = Limits { memory_bytes: 100, memory_ratio: 2, ..Limits::default() };
        let step = limits.clone();
        step.take(100).unwrap();
        assert!(limits.take(1).is_err(), "the other step took all");
        limits.reads_more(10);
        limits.take(20).unwrap();
        assert_eq!((limits.memory(), limits.memory_left(), step.used.memory()), (120, 0, 120));
        assert!(limits.take(u64::MAX).is_err());
        assert_eq!(limits.renewed().memory_left(), 100);
    }

    #[test]
    fn many_small_files_do_not_use_up_what_they_share() {
        let limits = Limits::default();
        for _ in 0..10_000 {
            limits.reads(100);
            limits.take(1 << 20).unwrap();
        }
    }

    #[test]
    fn a_job_that_was_stopped_gets_nothing_more() {
        let limits = Limits::default();
        let other = limits.clone();
        limits.take(1).unwrap();
        other.used.stop();
        assert_eq!(limits.take(1).unwrap_err().to_string(), "it took longer than the limit (--max-time)");
        assert!(limits.writes(1).is_err() && limits.go_on().is_err());
    }
}
