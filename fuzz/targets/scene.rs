//! Scenes that use every feature, made of the fuzzer's bytes: none differs from itself, and no format loses anything
//! of it silently.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use menagerie::diff::{DiffOptions, diff};
use menagerie::formats::ALL;
use menagerie::scene::assert_scene;
use menagerie_fuzz::is_sure;
use menagerie_fuzz::promises::nothing_is_lost_silently;
use menagerie_fuzz::scenes::{Random, scene_of};

fuzz_target!(|data: &[u8]| -> Corpus {
    let [format, size, seed, choices @ ..] = data else { return Corpus::Reject };
    let scene = scene_of(&mut Random::chosen(choices, u64::from(*seed)), usize::from(size % 5));
    let checked = assert_scene(&scene);
    let same = diff(checked, checked, &DiffOptions::default());
    assert!(same.is_equal(), "a Scene differs from itself: {:#?}", same.differences);
    let format = ALL[usize::from(*format) % ALL.len()];
    match nothing_is_lost_silently(&scene, format) {
        Err(error) if is_sure(&error, &scene) => panic!("{error}"),
        _ => {}
    }
    Corpus::Keep
});
