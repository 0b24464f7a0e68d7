//! What the renderer keeps away from: files, clocks, and functions that machines compute differently.

use std::fs;
use std::path::Path;

/// Each with the reason.
const FORBIDDEN: &[(&str, &str)] = &[
    ("std::fs", "the library opens no file"),
    ("std::env", "nothing but the Scene and the shot decides"),
    ("std::time", "the library asks no clock"),
    ("HashMap", "its order changes from run to run"),
    ("mul_add", "it rounds otherwise where the processor has no such instruction"),
    (".powf(", "the system's function differs from machine to machine"),
    (".powi(", "the order of its products is not defined"),
    (".sin(", "the system's function differs from machine to machine"),
    (".cos(", "the system's function differs from machine to machine"),
    (".sin_cos(", "the system's function differs from machine to machine"),
    (".tan(", "the system's function differs from machine to machine"),
    (".exp(", "the system's function differs from machine to machine"),
    (".exp2(", "the system's function differs from machine to machine"),
    (".ln(", "the system's function differs from machine to machine"),
    (".log2(", "the system's function differs from machine to machine"),
];

#[test]
fn nothing_depends_on_the_machine() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        files += 1;
        let own = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
        for (number, line) in own.enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            for (word, reason) in FORBIDDEN {
                assert!(!code.contains(word), "{}:{}: {word}: {reason}", path.display(), number + 1);
            }
        }
    }
    assert!(files > 15, "the sources were not found");
}
