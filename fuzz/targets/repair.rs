//! Any file mended: what comes out has no errors, and every change is said.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use menagerie::convert::ConvertOptions;
use menagerie::diag::Severity;
use menagerie::repair::repair;
use menagerie_fuzz::{Input, limits, read_options};

fuzz_target!(|data: &[u8]| -> Corpus {
    let Some(input) = Input::new(data) else { return Corpus::Reject };
    let mut options = ConvertOptions::default();
    options.read.limits = limits();
    options.from = Some(input.format);
    let Ok(repaired) = repair(input.file, None, &options) else { return Corpus::Keep };
    let again = input.format.open(&repaired.output.bytes, &read_options());
    let wrong = again.issues.iter().find(|issue| issue.severity == Severity::Error);
    assert!(wrong.is_none(), "{}: mended, and still {wrong:?}", input.format.name);
    let changed = repaired.output.bytes != input.file;
    assert!(!changed || !repaired.changes.is_empty(), "{}: changed without a word", input.format.name);
    Corpus::Keep
});
