//! Operations take from the budget of their job, and no more memory than they took from it.

use std::sync::atomic::Ordering::Relaxed;

use menagerie::bytes::Limits;
use menagerie::diff::{DiffOptions, diff_within};
use menagerie::ops::Op;
use menagerie::scene::{Scene, check};

use super::counting::{NOW, PEAK};
use super::support::bombs;
use super::support::operations::{Amounts, every_operation};
use super::{attacks, read_options};

/// Every operation, as it asks for most.
fn ops() -> Vec<Op> {
    every_operation(Amounts { degrees: 0.0, most: (1, 3, 1), fps: 1e6, ..Amounts::default() })
}

/// What is not worth counting: reports, and what is the same for every Scene.
const FLOOR: u64 = 4 << 20;

// With the attack files too, and every row: BOMBS=1 cargo test -p menagerie-cli --test budget operations -- --nocapture
#[test]
fn no_operation_takes_more_than_it_took_from_the_budget() {
    let _alone = super::ALONE.lock();
    let said = std::env::var_os("BOMBS").is_some();
    let (mut over, mut tried, mut refused) = (Vec::new(), 0, 0);
    let attacks = if said { attacks() } else { Vec::new() };
    for bomb in bombs::bombs(1).into_iter().chain(attacks) {
        let options = read_options(&Limits::default());
        let Some(scene) = bomb.format.open(&bomb.bytes, &options).lift(&options) else { continue };
        for op in ops().iter().filter(|op| op.problem(&scene).is_none()) {
            let limits = Limits::default();
            limits.reads(bomb.bytes.len());
            let mut changed = scene.clone();
            let before = NOW.load(Relaxed);
            PEAK.store(before, Relaxed);
            let done = op.apply_within(&mut changed, &limits).is_ok();
            let peak = PEAK.load(Relaxed).saturating_sub(before) as u64;
            let taken = limits.used.memory();
            tried += 1;
            refused += usize::from(!done);
            let title = format!("{}/{}: {}", bomb.format.id, bomb.name, op.name());
            if said {
                println!("{title:50} peak {peak:10} taken {taken:10} {done}");
            }
            if peak > taken + FLOOR {
                over.push(format!("{title} takes {peak} bytes and took {taken} from the budget"));
            }
        }
    }
    println!("{tried} operations, {refused} refused");
    assert!(over.is_empty(), "{}", over.join("\n"));
    assert!(refused > 0, "nothing asked for much");
}

#[test]
fn a_job_that_was_stopped_compares_and_changes_nothing() {
    let mut scene = Scene::default();
    let limits = Limits::default();
    let compared = |limits: &Limits| {
        let scene = check(&scene).expect("an empty Scene keeps the rules");
        diff_within(scene, scene, &DiffOptions::default(), limits).is_ok()
    };
    assert!(compared(&limits));
    limits.used.stop();
    assert!(!compared(&limits));
    for op in ops() {
        assert!(op.apply_within(&mut scene, &limits).is_err(), "{}", op.name());
    }
}
