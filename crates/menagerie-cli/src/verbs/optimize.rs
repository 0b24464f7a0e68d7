//! `optimize`: make a model smaller or faster to draw, and say what that cost.

use anyhow::{Result, bail};
use clap::Args;
use menagerie::ops::{KeyTolerance, Moment, Op, PieceLimit, SimplifyGoal, WeldTolerance, WhichAnimation};
use menagerie::scene::Turn;

use super::convert::{Job, SharedArgs, part, run_job};
use crate::exit::Exit;
use crate::options::{not_negative, positive};

/// Make models smaller or faster to draw, with a table of before and after
///
/// Does what is asked for, in this order whatever that of the options: turn, bake-pose, lines, weld, clean, normals,
/// tangents, weights, join, simplify, lod, resample, keys, split, order. Textures, targets, --verify and the report of
/// losses are those of convert; OUT may be in the same format as IN, and takes its place only if it is the same file.
#[derive(Args)]
pub(crate) struct OptimizeArgs {
    #[command(flatten)]
    shared: SharedArgs,
    #[command(flatten)]
    steps: Steps,
}

#[derive(Args)]
#[command(next_help_heading = "Steps")]
struct Steps {
    /// Turn the axes of a model whose author had another one up than its format
    #[arg(long, value_enum, value_name = "TURN")]
    turn: Option<TurnArg>,
    /// Make a still model: at rest, or with =NAME@SECONDS at a moment of an animation (a number counts from 0)
    #[arg(long, value_name = "ANIMATION@SECONDS", num_args = 0..=1, require_equals = true,
        default_missing_value = "", value_parser = moment)]
    bake_pose: Option<Moment>,
    /// Make separate lines of strips and loops of lines
    #[arg(long)]
    lines: bool,
    /// Make one vertex of those that are the same, or with =LENGTH of those that are no farther apart
    #[arg(long, value_name = "LENGTH", num_args = 0..=1, require_equals = true,
        default_missing_value = "0", value_parser = not_negative)]
    weld: Option<f32>,
    /// Remove triangles without area, triangles that are there twice, and vertices that nothing uses
    #[arg(long)]
    clean: bool,
    /// Make new normals, with a crease where faces meet at more than 30 degrees, or another angle with =DEGREES
    #[arg(long, value_name = "DEGREES", num_args = 0..=1, require_equals = true,
        default_missing_value = "30", value_parser = not_negative)]
    normals: Option<f32>,
    /// Make new tangents as MikkTSpace does, where there are normals and texture coordinates
    #[arg(long)]
    tangents: bool,
    /// Let each vertex hang on its N heaviest joints; 1 binds rigidly
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    weights: Option<u8>,
    /// Make one primitive of those with the same material and streams
    #[arg(long)]
    join: bool,
    /// Leave this part of the triangles of every mesh
    #[arg(long, value_name = "PART", value_parser = part, conflicts_with = "simplify_error")]
    simplify: Option<f32>,
    /// Leave as few triangles as keep the error within this length
    #[arg(long, value_name = "LENGTH", value_parser = not_negative)]
    simplify_error: Option<f32>,
    /// Make levels of detail with these parts of the triangles, in place of those that there are
    #[arg(long, value_name = "PARTS", value_delimiter = ',', value_parser = part)]
    lod: Vec<f32>,
    /// Give animations so many straight keys a second, splines too
    #[arg(long, value_name = "FPS", value_parser = positive)]
    resample: Option<f32>,
    /// Leave out keys as far as nothing that is one unit from its node moves by more than this
    #[arg(long, value_name = "ERROR", value_parser = not_negative)]
    keys: Option<f32>,
    /// Cut primitives into pieces of at most N vertices
    #[arg(long, value_name = "N")]
    max_vertices: Option<usize>,
    /// Cut primitives into pieces that hang on at most N joints
    #[arg(long, value_name = "N")]
    max_joints: Option<usize>,
    /// Put triangles and vertices into the order that graphics cards like
    #[arg(long)]
    order: bool,
}

/// A change of axes.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum TurnArg {
    /// What is Z becomes Y
    ZUpToYUp,
    /// What is Y becomes Z
    YUpToZUp,
}

pub(crate) fn run(args: &OptimizeArgs) -> Result<Exit> {
    let ops = args.steps.ops();
    if ops.is_empty() {
        bail!(
            "nothing to do: say which steps, such as --weld --clean --order (see menagerie optimize --help)"
        );
    }
    run_job(&Job { args: &args.shared, ops, rebuild: true, shows_changes: true })
}

impl Steps {
    /// The steps that were asked for, in the order in which each finds what it needs: positions first, then what is
    /// made of them, and what puts things into an order last.
    fn ops(&self) -> Vec<Op> {
        let turn = self.turn.map(|turn| match turn {
            TurnArg::ZUpToYUp => Turn::ZUpToYUp,
            TurnArg::YUpToZUp => Turn::YUpToZUp,
        });
        let weld = self.weld.map(|length| match length {
            0.0 => Op::Weld,
            length => Op::WeldNear(WeldTolerance::of_positions(length)),
        });
        let goal = self.simplify.map(SimplifyGoal::Part);
        let goal = goal.or(self.simplify_error.map(SimplifyGoal::Error));
        let steps = [
            turn.map(Op::Turn),
            self.bake_pose.clone().map(Op::BakePose),
            self.lines.then_some(Op::Lines),
            weld,
            self.clean.then_some(Op::Clean),
            self.normals.map(|degrees| Op::Normals { degrees }),
            self.tangents.then_some(Op::Tangents),
            self.weights.map(|count| Op::Weights(usize::from(count))),
            self.join.then_some(Op::Join),
            goal.map(Op::Simplify),
            (!self.lod.is_empty()).then(|| Op::Levels(self.lod.clone())),
            self.resample.map(|fps| Op::Resample { fps }),
            self.keys.map(|error| Op::Keys(KeyTolerance::uniform(error))),
            self.max_joints.map(|limit| Op::Split(PieceLimit::Joints(limit))),
            self.max_vertices.map(|limit| Op::Split(PieceLimit::Vertices(limit))),
            self.order.then_some(Op::Order),
        ];
        steps.into_iter().flatten().collect()
    }
}

/// `walk@1.5`, `walk`, `@1.5`, `0@1.5`, or nothing for the pose at rest.
fn moment(text: &str) -> Result<Moment, String> {
    if text.is_empty() {
        return Ok(Moment::default());
    }
    let (name, seconds) = match text.rsplit_once('@') {
        None => (text, 0.0),
        Some((name, seconds)) => {
            (name, seconds.parse().map_err(|_| format!("{seconds} is no number of seconds"))?)
        }
    };
    if !f32::is_finite(seconds) {
        return Err(format!("{seconds} is no number of seconds"));
    }
    let animation = match name.parse() {
        _ if name.is_empty() => WhichAnimation::Number(0),
        Ok(number) => WhichAnimation::Number(number),
        Err(_) => WhichAnimation::Name(name.to_owned()),
    };
    Ok(Moment { animation, seconds })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_understood() {
        let number = |number| WhichAnimation::Number(number);
        let name = |name: &str| WhichAnimation::Name(name.to_owned());
        for (text, expected) in [
            ("", Some((WhichAnimation::Rest, 0.0))),
            ("walk", Some((name("walk"), 0.0))),
            ("walk@1.5", Some((name("walk"), 1.5))),
            ("a@b@2", Some((name("a@b"), 2.0))),
            ("@0.25", Some((number(0), 0.25))),
            ("3@1", Some((number(3), 1.0))),
            ("walk@soon", None),
            ("walk@inf", None),
        ] {
            let expected = expected.map(|(animation, seconds)| Moment { animation, seconds });
            assert_eq!(moment(text).ok(), expected, "{text}");
        }
    }
}
