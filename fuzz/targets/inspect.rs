//! The byte map of any file names every byte of it, and every code that is used is explained.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use menagerie_fuzz::promises::covers;
use menagerie_fuzz::{Input, read_options};

fuzz_target!(|data: &[u8]| -> Corpus {
    let Some(input) = Input::new(data) else { return Corpus::Reject };
    let reading = input.format.open(input.file, &read_options());
    for issue in reading.issues.iter() {
        assert!(menagerie::codes().any(|code| code.id == issue.code.id), "{} is not explained", issue.code);
    }
    if let Some(model) = reading.model
        && let Err(gap) = covers(&model.layout(), input.file.len() as u64)
        && model.write().is_ok()
    {
        panic!("{}: {gap}", input.format.name);
    }
    Corpus::Keep
});
