//! Any file to any format: what is written is valid, and what it lost was said.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use menagerie::convert::{ConvertOptions, convert};
use menagerie::diff::{DiffOptions, diff};
use menagerie::formats::ALL;
use menagerie::scene::assert_scene;
use menagerie_fuzz::promises::says_what_was_lost;
use menagerie_fuzz::{Input, is_sure, limits};

fuzz_target!(|data: &[u8]| -> Corpus {
    let Some(input) = Input::new(data) else { return Corpus::Reject };
    let to = input.one_of(ALL, 0);
    let way = format!("{} to {}", input.format.name, to.name);
    let mut options = ConvertOptions::default();
    options.from = Some(input.format);
    options.rebuild = true;
    options.read.limits = limits();
    let done = match convert(input.file, None, to, &options) {
        Ok(done) => done,
        Err(failed) => {
            let broken = failed.issues.iter().find(|issue| matches!(issue.code.id, "convert/scene-rule" | "convert/invalid-result"));
            assert!(broken.is_none(), "{way}: {broken:?}");
            return Corpus::Keep;
        }
    };
    let scene = done.scene.as_ref().expect("it was made anew");
    let same = diff(assert_scene(scene), assert_scene(scene), &DiffOptions::default());
    assert!(same.is_equal(), "{way}: a Scene differs from itself: {:#?}", same.differences);
    match says_what_was_lost(scene, to, &done.output, &done.losses) {
        Err(error) if is_sure(&error, scene) => panic!("{way}: {error}"),
        _ => {}
    }
    Corpus::Keep
});
