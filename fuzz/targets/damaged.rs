//! Files that are right in most things: a Scene is written, a few of its bytes are changed, and it is read again. So
//! what lies behind headers, counts and checksums is reached too.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use menagerie::diag::LossReport;
use menagerie::formats::{ALL, WriteOptions};
use menagerie::scene::{assert_scene, check};
use menagerie_fuzz::damage::damage;
use menagerie_fuzz::scenes::{Random, scene_of};
use menagerie_fuzz::{Input, read_options};

fuzz_target!(|data: &[u8]| -> Corpus {
    // The header, how often, and for each change its kind, place and value; the rest decides about the Scene.
    let Some(input) = Input::new(data) else { return Corpus::Reject };
    let [seed, count, rest @ ..] = input.file else { return Corpus::Reject };
    let count = usize::from(count % 6);
    let Some((changes, choices)) = rest.split_at_checked(count * 5) else { return Corpus::Reject };
    let scene = scene_of(&mut Random::chosen(choices, u64::from(*seed)), usize::from(input.choice(1) % 3));
    let mut options = WriteOptions::default();
    match (input.format.id, input.choice(2) % 3) {
        ("das2", 1) => options.settings.set("das2-profile", "libdas2"),
        ("das2", 2) => options.settings.set("das2-level", "0"),
        ("bmd", 1) => options.settings.set("bmd-vertex", "64"),
        ("bo3d", 1) => options.settings.set("bo3d-float", "16"),
        ("gltf", 1) => options.extension = "gltf".to_owned(),
        _ => {}
    }
    let Ok(model) = (input.format.lower)(assert_scene(&scene), &options, &mut LossReport::new()) else {
        return Corpus::Keep;
    };
    let Ok(output) = model.write() else { return Corpus::Keep };
    let mut file = output.bytes;
    for change in changes.as_chunks::<5>().0 {
        damage(&mut file, *change);
    }
    let format = ALL[usize::from(data[0]) % ALL.len()];
    let read = read_options();
    let Some(model) = format.open(&file, &read).model else { return Corpus::Keep };
    if let Ok(lifted) = model.lift(&read)
        && let Err(broken) = check(&lifted.scene)
    {
        panic!("{}: {broken}", format.name);
    }
    Corpus::Keep
});
