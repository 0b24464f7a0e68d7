//! Every operation once, for tests that try them all.

use menagerie::ops::{KeyTolerance, Moment, Op, PieceLimit, SimplifyGoal, WeldTolerance, WhichAnimation};
use menagerie::scene::Turn;

/// What the operations are told.
pub struct Amounts {
    pub factor: f32,
    pub turn: Turn,
    pub moment: Moment,
    /// How far positions may move, and how much anything may change.
    pub near: (f32, f32),
    pub degrees: f32,
    /// Weights of a vertex, vertices of a piece, joints of a piece.
    pub most: (usize, usize, usize),
    pub fps: f32,
    /// The part of the triangles that stays.
    pub part: f32,
    pub levels: Vec<f32>,
}

impl Default for Amounts {
    fn default() -> Self {
        Self {
            factor: 2.0,
            turn: Turn::ZUpToYUp,
            moment: Moment { animation: WhichAnimation::Rest, seconds: 0.0 },
            near: (1e-4, 1e-3),
            degrees: 30.0,
            most: (1, 30, 1),
            fps: 5.0,
            part: 0.5,
            levels: vec![0.5, 0.25],
        }
    }
}

/// All of them, in the order of their list.
pub fn every_operation(amounts: Amounts) -> Vec<Op> {
    let Amounts { factor, turn, moment, near: (position, other), degrees, most, fps, part, levels } = amounts;
    let (weights, vertices, joints) = most;
    vec![
        Op::Scale(factor),
        Op::Turn(turn),
        Op::BakePose(moment),
        Op::Weld,
        Op::WeldNear(WeldTolerance { position, other }),
        Op::Clean,
        Op::Lines,
        Op::Normals { degrees },
        Op::Tangents,
        Op::Weights(weights),
        Op::Join,
        Op::Split(PieceLimit::Vertices(vertices)),
        Op::Split(PieceLimit::Joints(joints)),
        Op::Resample { fps },
        Op::Keys(KeyTolerance::uniform(other)),
        Op::Simplify(SimplifyGoal::Part(part)),
        Op::Simplify(SimplifyGoal::Error(other)),
        Op::Levels(levels),
        Op::Order,
    ]
}
