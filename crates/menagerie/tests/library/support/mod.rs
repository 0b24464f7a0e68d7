//! Where the test files are, and how they are read.

#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]
#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "it serves tests"
)]

pub mod bombs;
pub mod damage;
pub mod operations;
pub mod prefixes;
pub mod promises;
pub mod scenes;
pub mod targets;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use menagerie::diag::LossReport;
use menagerie::formats::{Files, Format, NotFound, ReadOptions, Reading, WriteOptions};
use menagerie::scene::{Scene, assert_scene};

/// A file of the test corpus.
pub struct TestFile {
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

impl TestFile {
    pub fn load(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let bytes = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self { path, bytes }
    }

    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The file's name without its extension.
    pub fn stem(&self) -> String {
        self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// The values beside the file that a reader must find.
    pub fn expected(&self) -> Option<serde_json::Value> {
        let text = std::fs::read_to_string(self.path.with_extension("json")).ok()?;
        Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", self.path.display())))
    }

    pub fn read(&self, format: &Format) -> Reading {
        format.open(&self.bytes, &ReadOptions::default())
    }
}

/// The project's own corpus: `made` or `bad`.
pub fn own(kind: &str, format: &Format) -> Vec<TestFile> {
    files_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus").join(kind).join(format.id), format)
}

/// Files that the formats' own tools wrote. They belong to their authors and lie outside the project, so they may be
/// missing: then this says so, and with `CI=true` it fails.
pub fn real(format: &Format) -> Vec<TestFile> {
    match shared() {
        Some(shared) => files_in(&shared.join("corpus/real").join(format.id), format),
        None => Vec::new(),
    }
}

/// The folder with the shared test files, where it is.
pub fn shared() -> Option<PathBuf> {
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    if place.join("corpus/real").is_dir() {
        return Some(place);
    }
    assert!(std::env::var_os("CI").is_none(), "with CI set nothing may be skipped, and ../shared is missing");
    println!("SKIPPED real files: ../shared/corpus/real is not there");
    None
}

/// All files below `folder` whose extension is the format's, in the order of their paths.
pub fn files_in(folder: &Path, format: &Format) -> Vec<TestFile> {
    let mut open = vec![folder.to_owned()];
    let mut paths = Vec::new();
    while let Some(folder) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let extension = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                open.push(path);
            } else if format.extensions.contains(&extension.as_str()) {
                paths.push(path);
            }
        }
    }
    paths.sort();
    paths.into_iter().map(TestFile::load).collect()
}

/// Lowers to a format, writes, reads and lifts.
pub fn through(format: &str, scene: &Scene) -> (Scene, LossReport) {
    let format = Format::by_id(format).unwrap();
    let mut losses = LossReport::new();
    let model = (format.lower)(assert_scene(scene), &WriteOptions::default(), &mut losses).unwrap();
    menagerie::convert::settle(assert_scene(scene), model.as_ref(), Default::default(), &mut losses);
    let bytes = model.write().unwrap().bytes;
    let model = format.open(&bytes, &ReadOptions::default()).model.unwrap();
    let scene = model.lift(&ReadOptions::default()).unwrap().scene;
    assert_scene(&scene);
    (scene, losses)
}

/// The files of a folder, by their names alone.
pub struct Folder(pub PathBuf);

impl Files for Folder {
    fn open(&self, name: &str) -> Result<Arc<[u8]>, NotFound> {
        std::fs::read(self.0.join(name)).map(Arc::from).map_err(|_| NotFound::default())
    }
}
