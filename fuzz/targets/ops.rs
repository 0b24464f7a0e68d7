//! Each operation on the Scene of any file: it keeps the rules.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use menagerie::ops::{KeyTolerance, Moment, Op, PieceLimit, SimplifyGoal, WeldTolerance, WhichAnimation};
use menagerie::scene::{Turn, assert_scene, check};
use menagerie_fuzz::Input;

fuzz_target!(|data: &[u8]| -> Corpus {
    let Some(input) = Input::new(data) else { return Corpus::Reject };
    let Some(mut scene) = input.scene() else { return Corpus::Reject };
    assert_scene(&scene);
    let op = op(&input);
    if op.problem(&scene).is_some() {
        return Corpus::Reject;
    }
    let report = op.apply(&mut scene);
    assert!(!report.summary.is_empty(), "{} says nothing", op.name());
    if let Err(broken) = check(&scene) {
        panic!("{}: {broken}", op.name());
    }
    Corpus::Keep
});

/// The operation that the first choice names, with what the others say.
fn op(input: &Input<'_>) -> Op {
    let some = usize::from(input.choice(1));
    let number = input.one_of(&[0.0, 1e-6, 0.01, 0.25, 0.5, 0.9, 1.0, 3.0, 30.0, 90.0, 180.0, 1e6], 1);
    let small = input.one_of(&[0.0, 1e-6, 1e-3, 0.1, 1.0, 100.0], 2);
    let animation =
        if input.choice(2) == 0 { WhichAnimation::Rest } else { WhichAnimation::Number(some % 4) };
    let ops = [
        Op::Scale(number),
        Op::Turn(input.one_of(&[Turn::None, Turn::ZUpToYUp, Turn::YUpToZUp], 1)),
        Op::BakePose(Moment { animation, seconds: number }),
        Op::Weld,
        Op::WeldNear(WeldTolerance { position: number, other: small }),
        Op::Clean,
        Op::Lines,
        Op::Normals { degrees: number },
        Op::Tangents,
        Op::Weights(some),
        Op::Join,
        Op::Split(PieceLimit::Vertices(some)),
        Op::Split(PieceLimit::Joints(some)),
        Op::Resample { fps: number },
        Op::Keys(KeyTolerance::uniform(small)),
        Op::Simplify(SimplifyGoal::Part(number)),
        Op::Simplify(SimplifyGoal::Error(small)),
        Op::Levels(vec![number, small]),
        Op::Order,
    ];
    ops[usize::from(input.choice(0)) % ops.len()].clone()
}
