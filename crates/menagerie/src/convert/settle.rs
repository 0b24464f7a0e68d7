//! The report of a conversion against what reading the result back finds.
//!
//! A format's `lower` foretells what a conversion costs. For the formats that bake, pack and resample, what really
//! happened is measured: the result is read back and compared with the Scene that it was made of. What was foretold and
//! did not happen leaves the report, what was not foretold comes in, and sizes are as large as they are, in the engine
//! too.

use crate::bytes::Limits;
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind, LossReport};
use crate::diff::{DiffOptions, DiffReport, Difference, MOVE_ELSEWHERE, diff};
use crate::formats::{FileModel, Format, Holds, Lifted, Purpose, ReadOptions, has_notes};
use crate::ops::drawn;
use crate::scene::{CheckedScene, check};

/// Vertices and triangles up to which a result is read back; what larger models cost is what was foretold, unless
/// `--verify` asks.
const MOST: u64 = 1 << 18;

/// Makes a report as true as comparing a Scene with what became of it can.
pub fn settle(source: CheckedScene<'_>, model: &dyn FileModel, purpose: Purpose, losses: &mut LossReport) {
    settle_within(source, model, (purpose, &Limits::default()), losses);
}

/// The same as a step of a job.
pub(super) fn settle_within(
    source: CheckedScene<'_>,
    model: &dyn FileModel,
    (purpose, limits): (Purpose, &Limits),
    losses: &mut LossReport,
) {
    let (vertices, triangles) = drawn(source.scene());
    let exact = !is_inexact(model.format());
    if (exact && !has_notes(source.scene(), model.format())) || vertices.max(triangles) > MOST {
        return;
    }
    let options = ReadOptions { limits: limits.clone(), ..ReadOptions::default() };
    let Some(found) = model.lift(&options).ok().and_then(|lifted| compare(source, &lifted)) else { return };
    if exact {
        // What such a format makes of a model is as foretold; notes may come from anywhere, and say what it never wrote.
        let silent = found.unannounced(losses).filter(|difference| difference.aspect == Aspect::Extras);
        let silent: Vec<Difference> = silent.cloned().collect();
        return silent.into_iter().for_each(|difference| announce(difference, losses));
    }
    let unseen: Vec<Loss> = found.unseen(losses).cloned().collect();
    // What a comparison could overlook stays, once it is said to be gone; names it does not overlook.
    let stays = |loss: &Loss| loss.kind == LossKind::Dropped && loss.aspect != Aspect::Names;
    losses.retain(|loss| stays(loss) || !unseen.contains(loss));
    let silent: Vec<Difference> = found.unannounced(losses).cloned().collect();
    silent.into_iter().for_each(|difference| announce(difference, losses));
    // The largest first, so that what gets a size gets the largest of its kind.
    let mut by_size: Vec<&Difference> = found.differences.iter().collect();
    by_size.sort_by(|a, b| largest(b).total_cmp(&largest(a)));
    for difference in by_size {
        raise(difference, losses);
        give_size(difference, losses);
    }
    if let Some(others) = model.lift_as_others(&options).and_then(|lifted| compare(source, &lifted)) {
        say_what_others_see(&others, losses);
    }
    if !source.animations.is_empty() && purpose.serves_engine() {
        let engine = model.lift_as_engine(&options).ok().flatten();
        if let Some(engine) = engine.and_then(|lifted| compare(source, &lifted)) {
            say_what_players_see(&engine, losses);
        }
    }
}

/// Whether what a format makes of a model is not exactly what it was, and depends on the model.
fn is_inexact(format: &Format) -> bool {
    let aspects = [Aspect::Positions, Aspect::Transforms, Aspect::Skins, Aspect::Animations];
    aspects.into_iter().any(|aspect| format.capabilities.holds(aspect).0 == Holds::Partly)
}

fn compare(source: CheckedScene<'_>, result: &Lifted) -> Option<DiffReport> {
    Some(diff(source, check(&result.scene).ok()?, &DiffOptions::default()))
}

fn largest(difference: &Difference) -> f64 {
    difference.error.map_or(0.0, |(stats, _)| stats.max)
}

/// Names a difference: a loss of its kind gets its size, or it becomes one.
fn announce(found: Difference, losses: &mut LossReport) {
    let unit = found.error.map(|(_, unit)| unit);
    let smaller = |loss: &Loss| {
        loss.aspect == found.aspect
            && loss.kind == LossKind::Approximated
            && unit.is_some()
            && loss.error.map(|(_, unit)| unit) == unit
    };
    // One that was foretold without a size is the cause, rather than one that was measured and is smaller.
    let unsized_one = |loss: &Loss| {
        loss.aspect == found.aspect
            && loss.kind == LossKind::Approximated
            && loss.error.is_none()
            && unit.is_some()
            && !loss.unread
    };
    let cause = losses.iter().position(unsized_one).or_else(|| losses.iter().position(smaller));
    if let Some(loss) = cause.and_then(|cause| losses.iter_mut().nth(cause)) {
        loss.error = found.error;
        loss.count = found.count;
        return;
    }
    let loss = Loss::new(found.aspect, LossKind::Approximated, found.path, found.message);
    losses.push(Loss { error: found.error, ..loss.count(found.count) });
}

/// Makes the size of a loss at one place as large as what was found there.
fn raise(found: &Difference, losses: &mut LossReport) {
    let Some((stats, unit)) = found.error else { return };
    let size_of = |loss: &Loss| loss.error.filter(|(_, known)| *known == unit).map(|(known, _)| known.max);
    let told =
        |loss: &Loss| loss.aspect == found.aspect && size_of(loss).is_some_and(|size| size >= stats.max);
    if losses.losses().any(told) {
        return;
    }
    let smaller = |loss: &&mut Loss| {
        let same = loss.aspect == found.aspect && loss.path == found.path;
        same && loss.kind == LossKind::Approximated && size_of(loss).is_some_and(|size| size < stats.max)
    };
    if let Some(loss) = losses.iter_mut().find(smaller) {
        loss.error = found.error;
    }
}

/// Gives a loss the size of what it speaks of, where nothing of its kind has one yet.
fn give_size(found: &Difference, losses: &mut LossReport) {
    let Some((_, unit)) = found.error else { return };
    let alike = |loss: &Loss| loss.aspect == found.aspect && loss.kind.is_loss() && !loss.unread;
    if losses.iter().any(|loss| alike(loss) && loss.error.is_some_and(|(_, known)| known == unit)) {
        return;
    }
    let unsized_ones = losses.iter_mut().filter(|loss| alike(loss) && loss.error.is_none());
    if let Some(loss) = unsized_ones.min_by_key(|loss| loss.kind == LossKind::Dropped) {
        loss.error = found.error;
    }
}

/// Names how far vertices are in the engine while animations play, where that is farther than in the file.
fn say_what_players_see(engine: &DiffReport, losses: &mut LossReport) {
    let moves = |difference: &&Difference| difference.message == MOVE_ELSEWHERE;
    let message = "in the engine vertices move elsewhere; menagerie reads what was meant";
    say_how_far(engine.differences.iter().filter(moves), Aspect::Animations, message, losses);
}

/// Names how far vertices are, at rest and while animations play, for those who do not read menagerie's notes.
fn say_what_others_see(others: &DiffReport, losses: &mut LossReport) {
    for aspect in [Aspect::Positions, Aspect::Animations] {
        let seen = |difference: &&Difference| {
            difference.aspect == aspect
                && (aspect == Aspect::Positions || difference.message == MOVE_ELSEWHERE)
        };
        let message = "other readers see vertices elsewhere; menagerie reads what was meant";
        say_how_far(others.differences.iter().filter(seen), aspect, message, losses);
    }
}

/// Names the farthest of some differences, if no loss of this aspect says that much.
fn say_how_far<'a>(
    found: impl Iterator<Item = &'a Difference>,
    aspect: Aspect,
    message: &str,
    losses: &mut LossReport,
) {
    let moved =
        |loss: &Loss| loss.error.filter(|(_, unit)| *unit == "scene units").map(|(stats, _)| stats.max);
    let named = losses.losses().filter(|loss| loss.aspect == aspect).filter_map(moved);
    let named = named.fold(0.0, f64::max);
    let farthest = found.filter_map(|difference| Some((difference, difference.error?)));
    let farthest = farthest.filter(|(_, (stats, unit))| *unit == "scene units" && stats.max > named * 1.05);
    let farthest = farthest.max_by(|(_, (a, _)), (_, (b, _))| a.max.total_cmp(&b.max));
    if let Some((difference, (stats, unit))) = farthest {
        let loss = Loss::new(difference.aspect, LossKind::Approximated, difference.path.clone(), message);
        let stats = ErrorStats::new(difference.count, stats.max, stats.mean());
        losses.push(Loss { noted: true, ..loss.measured(stats, unit) });
    }
}
