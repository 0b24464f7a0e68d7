//! The fuzz targets in one program, so that the library is built and linked once: `FUZZ_TARGET` says which one runs.
//! `cargo xtask fuzz` builds it with the stable compiler and runs it.

#![no_main]
#![allow(dead_code, reason = "the tests use the rest of what they share")]

#[path = "../../crates/menagerie/tests/library/support"]
mod support {
    pub mod damage;
    pub mod operations;
    pub mod promises;
    pub mod scenes;
    pub mod targets;
}
mod render;
mod seeds;

use std::path::Path;
use std::sync::OnceLock;

use libfuzzer_sys::{Corpus, fuzz_target};

use support::targets::{TARGETS, Target};

static TARGET: OnceLock<Target> = OnceLock::new();

/// What hash tables take for chance: always the same here, so that a run does what the last one did.
///
/// # Safety
/// As the function of the system: `length` bytes from `buffer` on can be written.
#[unsafe(no_mangle)]
unsafe extern "C" fn getrandom(buffer: *mut u8, length: usize, _flags: u32) -> isize {
    // SAFETY: the caller promises it.
    unsafe { std::ptr::write_bytes(buffer, 16, length) };
    length as isize
}

fuzz_target!(
    init: {
        // One thread is quickest for small files.
        let _ = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global();
        if let Some(folder) = std::env::var_os("FUZZ_SEEDS") {
            let number = seeds::write(Path::new(&folder)).expect("the seeds are written");
            println!("{number} seeds");
            std::process::exit(0);
        }
        let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
        let known = TARGETS.iter().copied().chain([("render", render::render as Target)]);
        let chosen = known.clone().find(|(known, _)| *known == name);
        let Some((_, target)) = chosen else {
            let names: Vec<&str> = known.map(|(name, _)| name).collect();
            panic!("FUZZ_TARGET must be one of {names:?}");
        };
        TARGET.set(target).expect("it is set once");
    },
    |data: &[u8]| -> Corpus {
        match TARGET.get().expect("it was chosen")(data) {
            true => Corpus::Keep,
            false => Corpus::Reject,
        }
    }
);
