//! The Scene of any file keeps the rules, in the engine's eyes too.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use menagerie::scene::check;
use menagerie_fuzz::{Input, read_options};

fuzz_target!(|data: &[u8]| -> Corpus {
    let Some(input) = Input::new(data) else { return Corpus::Reject };
    let options = read_options();
    let Some(model) = input.format.open(input.file, &options).model else { return Corpus::Keep };
    let lifted = match input.choice(0) & 3 {
        0 => model.lift_as_engine(&options).ok().flatten(),
        _ => model.lift(&options).ok(),
    };
    if let Some(lifted) = lifted
        && let Err(broken) = check(&lifted.scene)
    {
        panic!("{}: {broken}", input.format.name);
    }
    Corpus::Keep
});
