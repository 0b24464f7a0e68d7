//! No silent loss: whatever a round trip through a format changes, the loss report has named.

use std::collections::BTreeMap;

use crate::support::promises::nothing_is_lost_silently;
use crate::support::scenes::random_scene;
use menagerie::formats::ALL;
use menagerie::scene::assert_scene;

fn check_seed(seed: u64, size: usize) -> Result<(), String> {
    let scene = random_scene(seed, size);
    assert_scene(&scene);
    let wrong = ALL.iter().filter_map(|format| nothing_is_lost_silently(&scene, format).err());
    let wrong: Vec<String> = wrong.collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// The same seeds every time, so that what passes here passes everywhere. `LOSS_SEEDS=from..to` looks further.
#[test]
fn every_loss_is_named() {
    let seeds = std::env::var("LOSS_SEEDS").ok().and_then(|seeds| {
        let (from, to) = seeds.split_once("..")?;
        Some(from.parse().ok()?..to.parse().ok()?)
    });
    let mut failures = Vec::new();
    for seed in seeds.unwrap_or(0u64..1500) {
        if let Err(error) = check_seed(seed, (seed % 5) as usize) {
            let named = error.lines().map(|line| format!("{line} (seed {seed}, size {})\n", seed % 5));
            failures.push(named.collect::<String>());
        }
    }
    // What fails alike is told once.
    let mut kinds: BTreeMap<String, (usize, &str)> = BTreeMap::new();
    for line in failures.iter().flat_map(|failure| failure.lines()) {
        let kind: String = line.chars().filter(|c| !c.is_ascii_digit()).take(90).collect();
        kinds.entry(kind).or_insert((0, line)).0 += 1;
    }
    let kinds: Vec<String> = kinds.values().map(|(count, line)| format!("× {count}: {line}")).collect();
    assert!(failures.is_empty(), "{} seeds fail:\n{}", failures.len(), kinds.join("\n"));
}

/// Seeds that once found something, kept for ever.
#[test]
fn seeds_that_found_something() {
    for (seed, size) in [
        (1, 1),
        (2, 2),
        (3099966852353342733, 2),
        (11231000766304564340, 1),
        (5971582829702908006, 4),
        (8230852581926964607, 4),
        (10918383838565875903, 1),
        (13, 3),
        (98, 3),
        (129, 4),
        (144, 4),
        (377, 2),
        (856, 1),
        (1243, 3),
        (11004, 4),
        (49526, 1),
        (53368, 3),
        (7099671070754525850, 4),
    ] {
        check_seed(seed, size).unwrap_or_else(|error| panic!("seed {seed}, size {size}: {error}"));
    }
}
