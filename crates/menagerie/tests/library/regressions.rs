//! What fuzzing found once, kept for ever: every file of `tests/regressions/<target>` goes through its target again.

use std::path::Path;

use crate::support::targets::TARGETS;

#[test]
fn what_was_found_once_is_not_found_again() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/regressions");
    let reasons = std::fs::read_to_string(folder.join("README.md")).expect("the list of reasons");
    let mut tried = 0;
    for (name, target) in TARGETS {
        let Ok(entries) = std::fs::read_dir(folder.join(name)) else { continue };
        for path in entries.map(|entry| entry.expect("an entry").path()) {
            let file = format!("{name}/{}", path.file_name().unwrap_or_default().to_string_lossy());
            assert!(reasons.contains(&format!("| `{file}` |")), "README.md does not say what {file} shows");
            println!("{file}");
            target(&std::fs::read(&path).expect("it can be read"));
            tried += 1;
        }
    }
    assert_eq!(
        tried,
        reasons.lines().filter(|line| line.starts_with("| `")).count(),
        "a file of the list is missing"
    );
}
