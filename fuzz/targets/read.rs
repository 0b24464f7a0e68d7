//! Any bytes as a file of any format: read, and written back as they were.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use menagerie_fuzz::promises::same_when_inflated;
use menagerie_fuzz::{Input, read_options};

fuzz_target!(|data: &[u8]| -> Corpus {
    let Some(input) = Input::new(data) else { return Corpus::Reject };
    let reading = input.format.open(input.file, &read_options());
    for issue in reading.issues.iter() {
        assert!(issue.span.is_none_or(|span| span.end <= input.file.len() as u64), "past the end: {issue}");
    }
    if let Some(model) = reading.model
        && let Ok(output) = model.write()
        && output.bytes != input.file
    {
        let same = same_when_inflated(input.format, &model.layout(), input.file, &output.bytes);
        assert!(same, "{}: what can be read is not written back", input.format.name);
    }
    Corpus::Keep
});
