//! What fuzzing starts from: the files of the test corpus with the bytes before them that a target reads.

use std::io;
use std::path::{Path, PathBuf};

use menagerie::convert::{ConvertOptions, convert};
use menagerie::formats::{ALL, Format};

/// Longer files are mutated too slowly to find anything.
const LONGEST: usize = 16 << 10;

/// Writes the files of the corpus and of the shared folder to a folder, and says how many.
pub fn write(target: &Path) -> io::Result<usize> {
    std::fs::create_dir_all(target)?;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folders = vec![root.join("crates/menagerie/tests/corpus"), root.join("../shared/corpus")];
    let mut seeds = 0;
    for path in files(folders) {
        let Some(format) = Format::by_extension(&path.to_string_lossy()) else { continue };
        let bytes = std::fs::read(&path)?;
        if bytes.len() > LONGEST {
            continue;
        }
        for (format, bytes) in as_gltf(format, &bytes).into_iter().chain([(format, bytes)]) {
            let Some(number) = ALL.iter().position(|known| *known == format) else { continue };
            // What a target chooses by is another for each file, so that from the start all of it is tried.
            let mut seed = vec![number as u8, seeds as u8, (seeds / 7) as u8, (seeds / 3) as u8];
            seed.extend(bytes);
            std::fs::write(target.join(format!("{seeds:04}")), seed)?;
            seeds += 1;
        }
    }
    Ok(seeds)
}

/// A file as glTF, whose extras hold what only its own format knows.
fn as_gltf(format: &'static Format, bytes: &[u8]) -> Option<(&'static Format, Vec<u8>)> {
    let gltf = Format::by_id("gltf").filter(|gltf| *gltf != format)?;
    let mut options = ConvertOptions::default();
    options.from = Some(format);
    let done = convert(bytes, None, gltf, &options).ok()?;
    Some((gltf, done.output.bytes)).filter(|(_, bytes)| bytes.len() <= LONGEST)
}

/// All files in and below these folders, in the order of their paths.
fn files(mut open: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            if path.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}
