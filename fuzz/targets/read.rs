//! Any bytes as a file of any format: read, checked, mapped, written back and lifted.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use menagerie::formats::ReadOptions;
use menagerie_fuzz::Input;
use menagerie_fuzz::promises::{covers, survive};

fuzz_target!(|data: &[u8]| -> Corpus {
    let Some(input) = Input::new(data) else { return Corpus::Reject };
    if let Err(broken) = survive(input.format, input.file) {
        panic!("{}: {broken}", input.format.name);
    }
    let reading = input.format.open(input.file, &ReadOptions::default());
    for issue in reading.issues.iter() {
        assert!(menagerie::codes().any(|code| code.id == issue.code.id), "{} is not explained", issue.code);
    }
    if let Some(model) = reading.model
        && model.write().is_ok()
        && let Err(gap) = covers(&model.layout(), input.file.len() as u64)
    {
        panic!("{}: {gap}", input.format.name);
    }
    Corpus::Keep
});
