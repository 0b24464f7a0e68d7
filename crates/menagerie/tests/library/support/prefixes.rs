//! Files that end too early.

use menagerie::formats::{FileModel, Format, ReadOptions};
use menagerie::scene::assert_scene;

use super::TestFile;

/// How many beginnings of a file are tried.
const PREFIXES: usize = 64;

/// Every beginning of a file is refused, or read with a count of what is missing; it is written back as it is, and what
/// is left of it is a Scene that keeps the rules. `there` says how many things of a kind a model has, and how many of
/// them a whole file has: what is there and what is missing must be all.
pub fn counted(
    format: &Format,
    file: &TestFile,
    there: impl Fn(&dyn FileModel) -> Vec<(&'static str, usize)>,
) {
    let options = ReadOptions::default();
    let whole = file.read(format);
    let Some(model) = &whole.model else { return };
    let all = there(model.as_ref());
    let all_of_it = model.lift(&options).unwrap_or_else(|issue| panic!("{}: {issue}", file.name())).scene;
    for part in 0..PREFIXES {
        let length = file.bytes.len() * part / PREFIXES;
        let place = format!("{} cut to {length} of {} bytes", file.name(), file.bytes.len());
        let reading = format.open(&file.bytes[..length], &options);
        let Some(model) = reading.model else {
            assert!(reading.issues.has_errors(), "{place} is refused without a word");
            continue;
        };
        let lifted = model.lift(&options).unwrap_or_else(|issue| panic!("{place}: {issue}"));
        assert_scene(&lifted.scene);
        let mut issues = reading.issues;
        issues.append(lifted.issues);
        // What ends with nothing (an empty zstd frame, say) can lose that.
        let lost = lifted.scene != all_of_it;
        assert!(issues.is_damaged() || !lost, "{place}: nothing is said to be missing");
        assert_eq!(model.write().unwrap().bytes, &file.bytes[..length], "{place} is written back otherwise");
        for ((what, all), (_, left)) in all.iter().zip(there(model.as_ref())) {
            let missing =
                issues.damage().find(|damage| damage.what == *what).map_or(0, |damage| damage.count);
            assert_eq!(left + missing, *all, "{place}: {what} that are there, and that are missing");
        }
    }
}
