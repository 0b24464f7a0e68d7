//! How the tests run the program.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use menagerie::diag::Issues;
use menagerie::formats::bo3d;
use serde_json::Value;

/// What a run of the program gave.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: Vec<u8>,
    pub err: String,
}

impl Ran {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.out).into_owned()
    }

    /// Standard output as the one JSON value that it must be.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.out).unwrap_or_else(|error| panic!("{error} in {}", self.text()))
    }

    /// Fails with everything that was printed unless the exit code is the expected one.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "out: {}\nerr: {}", self.text(), self.err);
        self
    }
}

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_menagerie");

pub fn menagerie<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Ran {
    run(Command::new(PROGRAM).args(arguments), b"")
}

pub fn run(command: &mut Command, input: &[u8]) -> Ran {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // The program may be done before it has read all.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    Ran {
        code: output.status.code(),
        out: output.stdout,
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The library's test files: `made/bo3d/tri32.bo3d`.
pub fn corpus(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../menagerie/tests/corpus").join(path)
}

/// A folder of its own with the samples in it.
pub fn samples() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    menagerie([OsStr::new("sample"), home.path().as_os_str()]).exits(0);
    home
}

/// The sample of a crate with another name for its texture.
pub fn crate_with_texture(texture: &str) -> Vec<u8> {
    let home = samples();
    let bytes = std::fs::read(home.path().join("crate.bo3d")).unwrap();
    let mut model = bo3d::read(&bytes, &mut Issues::default()).unwrap();
    for mesh in model.entities.iter_mut().filter_map(|entity| entity.mesh.as_mut()) {
        mesh.texture = texture.as_bytes().to_vec();
        mesh.texture_padding = None;
    }
    model.to_bytes()
}
