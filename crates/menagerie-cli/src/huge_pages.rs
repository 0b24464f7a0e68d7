//! Large pages for large models.
//!
//! Most of the time that a large model takes is the kernel's, which hands out memory in pages of 4 kB. Where it gives
//! pages of 2 MB only to those who ask (`madvise`, as most distributions have it), the C library asks for them if its
//! environment says so when the program starts; later it cannot be told. So with a large file to read the program starts
//! once more in the same process, which costs about a millisecond and halves the time of reading and writing.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn ask() {
    use std::os::unix::process::CommandExt as _;

    /// Where the C library reads what it is told.
    const TUNABLES: &str = "GLIBC_TUNABLES";
    /// Pages of 2 MB, and lists from 1 MB on go back to the system as soon as they are let go of: else the C library
    /// keeps those of up to 32 MB for the next, and a model takes a third more memory than it has.
    const HOW: &str = "glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=1048576";
    /// Bytes of a file from which on it is worth it.
    const LARGE: u64 = 8 << 20;

    let is_large = |argument: std::ffi::OsString| {
        std::fs::metadata(argument).is_ok_and(|file| file.is_file() && file.len() >= LARGE)
    };
    // Whoever set anything knows better.
    if std::env::var_os(TUNABLES).is_some() || !std::env::args_os().skip(1).any(is_large) {
        return;
    }
    let how = std::fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").unwrap_or_default();
    let (true, Ok(program)) = (how.contains("[madvise]"), std::env::current_exe()) else { return };
    let mut arguments = std::env::args_os();
    let mut again = std::process::Command::new(program);
    again.arg0(arguments.next().unwrap_or_default()).args(arguments);
    // It only returns when it failed; then the model is read with small pages.
    let _ = again.env(TUNABLES, HOW).exec();
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn ask() {}
