//! All operations behind one type, with what each costs.

use super::{KeyTolerance, Moment, PieceLimit, WeldTolerance};
use crate::bytes::{Limits, OverLimit};
use crate::diag::LossKind::{self, Added, Approximated, Dropped};
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossReport};
use crate::scene::{Scene, Turn};

/// An operation on a whole Scene.
///
/// ```
/// use menagerie::ops::Op;
/// use menagerie::scene::{Scene, assert_scene};
///
/// let mut scene = Scene::default();
/// for op in [Op::Weld, Op::Clean, Op::Normals { degrees: 30.0 }] {
///     let report = op.apply(&mut scene);
///     println!("{}: {}", op.name(), report.summary);
/// }
/// assert_scene(&scene);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Op {
    /// [`super::scale`].
    Scale(f32),
    /// [`super::turn_axes`].
    Turn(Turn),
    /// [`super::bake_pose`].
    BakePose(Moment),
    /// [`super::weld`].
    Weld,
    /// [`super::weld_near`].
    WeldNear(WeldTolerance),
    /// [`super::clean`].
    Clean,
    /// [`super::lines_of_strips`].
    Lines,
    /// [`super::make_normals`].
    Normals {
        /// The angle from which on an edge is a crease.
        degrees: f32,
    },
    /// [`super::make_tangents`].
    Tangents,
    /// [`super::limit_weights`]; 1 binds rigidly.
    Weights(usize),
    /// [`super::join`].
    Join,
    /// [`super::split`].
    Split(PieceLimit),
    /// [`super::resample`].
    Resample {
        /// Keys a second.
        fps: f32,
    },
    /// [`super::reduce_keys`].
    Keys(KeyTolerance),
    /// [`super::simplify_meshes`].
    #[cfg(feature = "simplify")]
    Simplify(super::SimplifyGoal),
    /// [`super::make_levels`], each with this part of the triangles.
    #[cfg(feature = "simplify")]
    Levels(Vec<f32>),
    /// [`super::order`].
    #[cfg(feature = "simplify")]
    Order,
}

/// What an operation did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpReport {
    /// What happened, in a sentence.
    pub summary: String,
    /// What that cost, as in a conversion: what was removed, approximated (with the error that was measured) or made.
    /// Nothing when the model is the same for whoever looks at it.
    pub losses: LossReport,
}

impl Op {
    /// The word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Scale(_) => "scale",
            Self::Turn(_) => "turn",
            Self::BakePose(_) => "bake-pose",
            Self::Weld | Self::WeldNear(_) => "weld",
            Self::Clean => "clean",
            Self::Lines => "lines",
            Self::Normals { .. } => "normals",
            Self::Tangents => "tangents",
            Self::Weights(_) => "weights",
            Self::Join => "join",
            Self::Split(_) => "split",
            Self::Resample { .. } => "resample",
            Self::Keys(_) => "keys",
            #[cfg(feature = "simplify")]
            Self::Simplify(_) => "simplify",
            #[cfg(feature = "simplify")]
            Self::Levels(_) => "lod",
            #[cfg(feature = "simplify")]
            Self::Order => "order",
        }
    }

    /// Why it cannot be done to a Scene, in a sentence; `None` when it can.
    pub fn problem(&self, scene: &Scene) -> Option<String> {
        match self {
            Self::BakePose(moment) => moment.animation.find(scene).err(),
            _ => None,
        }
    }

    /// The same as a step of a job: it takes what it needs before it begins.
    ///
    /// # Errors
    /// When that is more memory than the limits have left; then the Scene is as it was.
    pub fn apply_within(&self, scene: &mut Scene, limits: &Limits) -> Result<OpReport, OverLimit> {
        limits.take(super::costs::of(self, scene))?;
        Ok(self.apply(scene))
    }

    /// Changes a Scene, and says what that did and what it cost.
    pub fn apply(&self, scene: &mut Scene) -> OpReport {
        let mut losses = LossReport::new();
        let summary = self.apply_to(scene, &mut losses);
        OpReport { summary, losses }
    }

    fn apply_to(&self, scene: &mut Scene, losses: &mut LossReport) -> String {
        match self {
            Self::Scale(factor) => {
                super::scale(scene, *factor);
                format!("all lengths were multiplied by {factor}")
            }
            Self::Turn(turn) => {
                let added = super::turn_axes(scene, *turn).added_nodes;
                count(losses, Aspect::Hierarchy, Added, "nodes for cameras and lights were added", added);
                format!("the axes were turned; {added} nodes were added")
            }
            Self::BakePose(moment) => bake(scene, moment, losses),
            Self::Weld => weld(super::weld(scene), losses),
            Self::WeldNear(tolerance) => weld(super::weld_near(scene, *tolerance), losses),
            Self::Clean => clean(scene, losses),
            Self::Lines => {
                format!("{} strips and loops became separate lines", super::lines_of_strips(scene))
            }
            Self::Normals { degrees } => {
                let made = super::make_normals(scene, *degrees);
                let message = "normals were made anew";
                count(losses, Aspect::Normals, Approximated, message, made.primitives);
                forgotten(losses, made.forgotten);
                let (before, after) = (made.vertices_before, made.vertices_after);
                format!("{} primitives have new normals; {before} vertices became {after}", made.primitives)
            }
            Self::Tangents => tangents(scene, losses),
            Self::Weights(most) => weights(scene, *most, losses),
            Self::Join => {
                let joined = super::join(scene);
                let (before, after) = (joined.primitives_before, joined.primitives_after);
                let message = "nodes that only showed a piece of their parent's mesh were joined with it";
                count(losses, Aspect::Hierarchy, Approximated, message, joined.nodes);
                format!("{before} primitives became {after}; {} nodes were joined", joined.nodes)
            }
            Self::Split(limit) => {
                let split = super::split(scene, *limit);
                let (cut, pieces, over) = (split.cut, split.pieces, split.over);
                format!("{cut} primitives were cut into {pieces}; {over} are still over the limit")
            }
            Self::Resample { fps } => {
                let message = format!("keys were resampled to {fps} a second");
                keys(super::resample(scene, *fps), &message, losses)
            }
            Self::Keys(tolerance) => {
                let message = "keys were left out that others imply";
                keys(super::reduce_keys(scene, *tolerance), message, losses)
            }
            #[cfg(feature = "simplify")]
            Self::Simplify(goal) => simplify(scene, *goal, losses),
            #[cfg(feature = "simplify")]
            Self::Levels(parts) => levels(scene, parts, losses),
            #[cfg(feature = "simplify")]
            Self::Order => {
                let ordered = super::order(scene);
                let (before, after) = (ordered.misses_before, ordered.misses_after);
                format!("{before:.3} vertices computed for a triangle became {after:.3}")
            }
        }
    }
}

/// Reports what happened to some things, if it happened to any.
fn count(losses: &mut LossReport, aspect: Aspect, kind: LossKind, message: &str, count: usize) {
    if count > 0 {
        losses.push(Loss::new(aspect, kind, "", message).count(count));
    }
}

fn forgotten(losses: &mut LossReport, attributes: usize) {
    let message = "what a format kept about the old normals and binormals is gone";
    count(losses, Aspect::CustomAttributes, Dropped, message, attributes);
}

/// Reports an error that was measured, if anything is off.
fn measured(losses: &mut LossReport, aspect: Aspect, message: &str, stats: ErrorStats, unit: &'static str) {
    if stats.is_off() {
        losses.push(Loss::new(aspect, Approximated, "", message).measured(stats, unit));
    }
}

fn bake(scene: &mut Scene, moment: &Moment, losses: &mut LossReport) -> String {
    let baked = super::bake_pose(scene, moment);
    for (aspect, message, number) in [
        (Aspect::Animations, "animations are gone, because a pose was baked", baked.animations),
        (Aspect::Skins, "meshes are no longer bound to joints, because a pose was baked", baked.unskinned),
        (Aspect::Morphs, "morph targets are gone, because a pose was baked", baked.morphed),
    ] {
        count(losses, aspect, Dropped, message, number);
    }
    format!(
        "{} skinned and {} morphed nodes are still now, {} animations are gone, {} nodes keep their skin",
        baked.unskinned, baked.morphed, baked.animations, baked.still_skinned
    )
}

fn weld(welded: super::Welded, losses: &mut LossReport) -> String {
    for (aspect, stats) in &welded.errors {
        let unit = match aspect {
            Aspect::Positions | Aspect::Morphs => "scene units",
            Aspect::Uvs => "uv",
            Aspect::Colors => "linear colour",
            Aspect::Skins => "weight",
            _ => "of one",
        };
        measured(losses, *aspect, "vertices that are nearly the same became one", *stats, unit);
    }
    format!("{} vertices became {}", welded.before, welded.after)
}

fn clean(scene: &mut Scene, losses: &mut LossReport) -> String {
    let cleaned = super::clean(scene);
    let (degenerate, duplicates) = (cleaned.degenerate, cleaned.duplicates);
    let message = "triangles without area and lines without length were removed";
    count(losses, Aspect::Topology, Dropped, message, degenerate);
    let message = "triangles and lines that were there already were removed";
    count(losses, Aspect::Topology, Dropped, message, duplicates);
    let unused = cleaned.unused_vertices;
    format!("{degenerate} without extent, {duplicates} duplicates and {unused} unused vertices were removed")
}

fn tangents(scene: &mut Scene, losses: &mut LossReport) -> String {
    let made = super::make_tangents(scene);
    count(losses, Aspect::Tangents, Approximated, "tangents were made anew", made.primitives);
    forgotten(losses, made.forgotten);
    let (before, after) = (made.vertices_before, made.vertices_after);
    format!(
        "{} primitives have new tangents, {} lack normals or texture coordinates; {before} vertices became {after}",
        made.primitives, made.without
    )
}

fn weights(scene: &mut Scene, most: usize, losses: &mut LossReport) -> String {
    let limited = super::limit_weights(scene, most);
    let message =
        format!("the {most} heaviest joints of each vertex were kept; the error is the weight lost");
    measured(losses, Aspect::Skins, &message, limited.lost, "weight");
    let (changed, vertices) = (limited.changed, limited.vertices);
    format!("{changed} of {vertices} bound vertices hung on more than {most} joints")
}

fn keys(changed: super::ChangedKeys, message: &str, losses: &mut LossReport) -> String {
    let (before, after) = (changed.before, changed.after);
    for (stats, unit) in [
        (changed.translation, "scene units"),
        (changed.rotation, "degrees"),
        (changed.scale, "scale factor"),
        (changed.weights, "weight"),
    ] {
        measured(losses, Aspect::Animations, message, stats, unit);
    }
    format!("{before} keys became {after}")
}

#[cfg(feature = "simplify")]
fn simplify(scene: &mut Scene, goal: super::SimplifyGoal, losses: &mut LossReport) -> String {
    let meshes = super::simplify_meshes(scene, goal);
    let before: usize = meshes.iter().map(|mesh| mesh.triangles_before).sum();
    let after: usize = meshes.iter().map(|mesh| mesh.triangles).sum();
    let error = meshes.iter().map(|mesh| mesh.error).fold(0.0, f32::max);
    for mesh in meshes.iter().filter(|mesh| mesh.triangles < mesh.triangles_before) {
        let (made, from) = (mesh.triangles, mesh.triangles_before);
        let message = format!("simplified to {made} of {from} triangles");
        let path = format!("meshes[{}]", mesh.mesh.index());
        let loss = Loss::new(Aspect::Topology, Approximated, path, message);
        losses.push(loss.measured(distance(&mesh.distance), "scene units").count(from - made));
    }
    format!(
        "{before} triangles became {after}; the simplifier reckons with an error of {error:.3e} scene units"
    )
}

#[cfg(feature = "simplify")]
fn levels(scene: &mut Scene, parts: &[f32], losses: &mut LossReport) -> String {
    let made = super::make_levels(scene, parts);
    for level in &made {
        let (made, before) = (level.triangles, level.triangles_before);
        let message = format!("level of detail {} with {made} of {before} triangles was made", level.level);
        let path = format!("meshes[{}]", level.mesh.index());
        let loss = Loss::new(Aspect::Lods, Added, path, message);
        losses.push(loss.measured(distance(&level.distance), "scene units").count(1));
    }
    let triangles: usize = made.iter().map(|level| level.triangles).sum();
    format!("{} levels with {triangles} triangles were made", made.len())
}

#[cfg(feature = "simplify")]
fn distance(distance: &super::SurfaceDistance) -> ErrorStats {
    ErrorStats::new(distance.points, distance.max, distance.mean)
}
