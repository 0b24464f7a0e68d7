//! Names of pictures as hostile models have them: nothing outside of the given files is ever found.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use menagerie::formats::Files as _;
use menagerie::open::Given;

fuzz_target!(|data: &[u8]| -> Corpus {
    let Ok(text) = std::str::from_utf8(data) else { return Corpus::Reject };
    let (model, name) = text.split_once('\n').unwrap_or(("models/robot.bmd", text));
    let mut given = Given::beside(model);
    for (path, byte) in [("models/skin.png", 1u8), ("models/textures/Skin.TGA", 2), ("secret/key.png", 3), ("../up.png", 4)] {
        given.add(path, vec![byte]);
    }
    if let Some(found) = given.find(name) {
        assert!(given.paths().any(|path| path == found), "{found} was not given");
    }
    if let Ok(bytes) = given.open(name) {
        assert_eq!(bytes.len(), 1);
    }
    Corpus::Keep
});
