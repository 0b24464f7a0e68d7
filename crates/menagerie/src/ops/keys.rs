//! Fewer keys, and keys at even times.

use glam::Quat;

use crate::diag::loss::ErrorStats;
use crate::math;
use crate::scene::{Channel, Interpolation, Property, Scene};

/// How far channels may be from what they were.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyTolerance {
    /// Of translations, in scene units.
    pub translation: f32,
    /// Of rotations, in degrees.
    pub rotation: f32,
    /// Of scale factors.
    pub scale: f32,
    /// Of morph weights.
    pub weights: f32,
}

impl KeyTolerance {
    /// The tolerances by which a point that is one unit from its node moves at most by `error`: for rotations as many
    /// radians, for the rest the same number.
    pub fn uniform(error: f32) -> Self {
        Self { translation: error, rotation: error.to_degrees(), scale: error, weights: error }
    }

    fn of(&self, property: Property) -> f32 {
        match property {
            Property::Translation => self.translation,
            Property::Rotation => self.rotation,
            Property::Scale => self.scale,
            Property::Weights => self.weights,
        }
    }
}

/// What changing keys did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ChangedKeys {
    /// Keys of all channels before.
    pub before: usize,
    /// Keys of all channels after.
    pub after: usize,
    /// The errors of translations, in scene units.
    pub translation: ErrorStats,
    /// The errors of rotations, in degrees.
    pub rotation: ErrorStats,
    /// The errors of scale factors.
    pub scale: ErrorStats,
    /// The errors of morph weights.
    pub weights: ErrorStats,
}

impl ChangedKeys {
    fn add(&mut self, before: &Channel, after: &Channel) {
        self.before += before.times.len();
        self.after += after.times.len();
        let stats = match before.property {
            Property::Translation => &mut self.translation,
            Property::Rotation => &mut self.rotation,
            Property::Scale => &mut self.scale,
            Property::Weights => &mut self.weights,
        };
        add_errors(before, after, stats);
    }
}

/// Leaves out keys that the others imply within a tolerance. The first and the last key of every channel stay, so that
/// movements begin and end when they did.
///
/// Between linear keys the way is straight, for rotations along the shorter arc; the result is measured against the
/// channel at all its old keys and halfway between them. Of step keys those go that repeat the one before. Cubic
/// channels stay as they are; [`resample`] makes linear ones of them.
pub fn reduce_keys(scene: &mut Scene, tolerance: KeyTolerance) -> ChangedKeys {
    change(scene, |channel| {
        let allowed = tolerance.of(channel.property).max(0.0);
        let count = channel.times.len();
        let kept = match channel.interpolation {
            Interpolation::Cubic => return channel.clone(),
            Interpolation::Step => {
                let repeats = |i: usize| i > 0 && i + 1 < count && channel.key(i) == channel.key(i - 1);
                (0..count).filter(|i| !repeats(*i)).collect()
            }
            Interpolation::Linear => sparse_keys(count, |from, to| is_straight(channel, from, to, allowed)),
        };
        let times = kept.iter().map(|key| channel.times[*key]).collect();
        let values = kept.iter().flat_map(|key| channel.key(*key)).copied().collect();
        Channel { times, values, ..channel.clone() }
    })
}

/// Gives all channels linear keys, so many a second, from their first key to their last. Step channels stay as they
/// are: no number of straight lines is a step.
///
/// Between the new keys the way is straight; the report says how far that is from what it was.
pub fn resample(scene: &mut Scene, fps: f32) -> ChangedKeys {
    let most = most_frames(scene);
    change(scene, |channel| {
        let (Some(first), Some(last)) = (channel.times.first(), channel.times.last()) else {
            return channel.clone();
        };
        let Some(frames) = frames_of(channel, fps, most) else { return channel.clone() };
        // The old keys' ends stay exactly where they are, whatever the rate.
        let (start, step) = (f64::from(*first), 1.0 / f64::from(fps));
        let mut times: Vec<f32> = (0..frames).map(|frame| (start + frame as f64 * step) as f32).collect();
        times.push(*last);
        times.dedup();
        while let [.., a, b] = times.as_slice()
            && a >= b
        {
            times.remove(times.len() - 2);
        }
        let values = times.iter().filter_map(|time| channel.sample(*time));
        let values = values.flat_map(|value| usable(channel.property, value)).collect();
        Channel { interpolation: Interpolation::Linear, times, values, ..channel.clone() }
    })
}

/// Keys that a channel can become at most.
const MAX_FRAMES: f64 = (1 << 20) as f64;
/// Keys that all channels together can become at most: a small file may have many that last for ages.
const MAX_KEYS: f64 = (1 << 24) as f64;

/// The frames that a channel can become at most, where there are so many.
fn most_frames(scene: &Scene) -> f64 {
    let channels: usize = scene.animations.iter().map(|animation| animation.channels.len()).sum();
    (MAX_KEYS / channels.max(1) as f64).min(MAX_FRAMES)
}

/// How many frames before its last key a channel gets; `None` for one that stays as it is.
fn frames_of(channel: &Channel, fps: f32, most: f64) -> Option<usize> {
    let (first, last) = (channel.times.first()?, channel.times.last()?);
    let stays = channel.interpolation == Interpolation::Step || !(fps.is_finite() && fps > 0.0);
    let frames =
        || ((f64::from(*last) - f64::from(*first)) / (1.0 / f64::from(fps))).ceil().clamp(0.0, most) as usize;
    (!stays).then(frames)
}

/// All channels, each with the keys that [`resample`] gives it, or that it has where it stays as it is.
pub(super) fn resampled_keys(scene: &Scene, fps: f32) -> impl Iterator<Item = (&Channel, usize)> {
    let most = most_frames(scene);
    let channels = scene.animations.iter().flat_map(|animation| &animation.channels);
    channels.map(move |channel| {
        let keys = frames_of(channel, fps, most).map_or(channel.times.len(), |frames| frames + 1);
        (channel, keys)
    })
}

/// A spline of rotations can pass through zero, where there is no direction.
fn usable(property: Property, value: Vec<f32>) -> Vec<f32> {
    let length = value.iter().map(|x| x * x).sum::<f32>().sqrt();
    match property {
        Property::Rotation if (length - 1.0).abs() > 1e-3 => Quat::IDENTITY.to_array().to_vec(),
        _ => value.into_iter().map(|x| x.clamp(f32::MIN, f32::MAX)).collect(),
    }
}

fn change(scene: &mut Scene, with: impl Fn(&Channel) -> Channel) -> ChangedKeys {
    let mut report = ChangedKeys::default();
    for channel in scene.animations.iter_mut().flat_map(|animation| &mut animation.channels) {
        let changed = with(channel);
        report.add(channel, &changed);
        *channel = changed;
    }
    report
}

/// The keys to keep of `count`, the first and the last among them. `straight` says whether all that lies between two
/// keys can be left out. Each kept key is followed by one as far away as can be found in few tries, so the time is
/// that of about twenty looks at every key.
pub fn sparse_keys(count: usize, straight: impl Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut kept = Vec::new();
    let Some(last) = count.checked_sub(1) else { return kept };
    let mut from = 0;
    kept.push(0);
    while from < last {
        // Twice as far as long as that goes well, then halving what is between.
        let (mut good, mut step) = (from + 1, 2);
        let mut bad = loop {
            let to = (from + step).min(last);
            if to <= good {
                break last + 1;
            }
            if !straight(from, to) {
                break to;
            }
            good = to;
            step *= 2;
        };
        while good + 1 < bad {
            let middle = good + (bad - good) / 2;
            if straight(from, middle) {
                good = middle;
            } else {
                bad = middle;
            }
        }
        kept.push(good);
        from = good;
    }
    kept
}

/// Whether the keys between two, and the ways between these, are near enough to the straight way.
fn is_straight(channel: &Channel, from: usize, to: usize, allowed: f32) -> bool {
    let (start, end) = (channel.times[from], channel.times[to]);
    let at = |time: f32| if end > start { (time - start) / (end - start) } else { 0.0 };
    let near = |time: f32, value: &[f32]| {
        let straight = mixed(channel.property, channel.key(from), channel.key(to), at(time));
        apart(channel.property, &straight, value) <= allowed
    };
    let keys = (from + 1..to).all(|key| near(channel.times[key], channel.key(key)));
    // Vectors on straight ways are farthest apart at keys; rotations can be so between them.
    let halfway = |key: usize| {
        let time = channel.times[key] + (channel.times[key + 1] - channel.times[key]) * 0.5;
        near(time, &mixed(channel.property, channel.key(key), channel.key(key + 1), 0.5))
    };
    keys && (channel.property != Property::Rotation || (from..to).all(halfway))
}

/// A value between two, on the straight way.
fn mixed(property: Property, a: &[f32], b: &[f32], t: f32) -> Vec<f32> {
    match (property, a, b) {
        (Property::Rotation, &[ax, ay, az, aw], &[bx, by, bz, bw]) => {
            let (a, b) = (Quat::from_xyzw(ax, ay, az, aw), Quat::from_xyzw(bx, by, bz, bw));
            a.slerp(b, t).normalize().to_array().to_vec()
        }
        _ => a.iter().zip(b).map(|(a, b)| a + (b - a) * t).collect(),
    }
}

/// How far apart two values are: degrees for rotations, the distance for translations, and for scales and weights the
/// largest difference.
fn apart(property: Property, a: &[f32], b: &[f32]) -> f32 {
    let differences = a.iter().zip(b).map(|(a, b)| (a - b).abs());
    match (property, a, b) {
        (Property::Rotation, &[ax, ay, az, aw], &[bx, by, bz, bw]) => {
            let (a, b) = (Quat::from_xyzw(ax, ay, az, aw), Quat::from_xyzw(bx, by, bz, bw));
            // The chord, because the arc cosine has no digits for small angles.
            let chord = (a - b).length().min((a + b).length());
            (4.0 * math::asin((chord * 0.5).clamp(0.0, 1.0))).to_degrees()
        }
        (Property::Translation, ..) => differences.map(|x| f64::from(x).powi(2)).sum::<f64>().sqrt() as f32,
        _ => differences.fold(0.0, f32::max),
    }
}

/// Measures how far a channel is from what it was, at the old keys, the new ones and halfway between each.
fn add_errors(before: &Channel, after: &Channel, stats: &mut ErrorStats) {
    if before == after {
        return;
    }
    let halfway = |times: &[f32]| -> Vec<f32> {
        times.windows(2).map(|pair| pair[0] + (pair[1] - pair[0]) * 0.5).collect()
    };
    let times = [&before.times[..], &after.times, &halfway(&before.times), &halfway(&after.times)];
    for time in times.into_iter().flatten() {
        if let (Some(a), Some(b)) = (before.sample(*time), after.sample(*time)) {
            let error = f64::from(apart(before.property, &usable(before.property, a), &b));
            stats.add(if error.is_finite() { error } else { 0.0 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Animation, Extras, Node, assert_scene};

    fn scene(property: Property, interpolation: Interpolation, keys: &[(f32, Vec<f32>)]) -> Scene {
        let mut scene = Scene::default();
        let node = scene.nodes.push(Node::default());
        let channel = Channel {
            node,
            property,
            interpolation,
            times: keys.iter().map(|(time, _)| *time).collect(),
            values: keys.iter().flat_map(|(_, value)| value.clone()).collect(),
            extras: Extras::default(),
        };
        scene.animations.push(Animation { channels: vec![channel], ..Animation::default() });
        assert_scene(&scene);
        scene
    }

    fn turn(degrees: f32) -> Vec<f32> {
        Quat::from_rotation_z(degrees.to_radians()).to_array().to_vec()
    }

    #[test]
    fn keys_go_within_the_tolerance_and_no_farther() {
        use Interpolation::{Linear, Step};
        let line: Vec<(f32, Vec<f32>)> = (0..1000).map(|i| (i as f32, vec![i as f32, 0.0, 1.0])).collect();
        let wave: Vec<(f32, Vec<f32>)> =
            (0..1000).map(|i| (i as f32, vec![(i as f32 * 0.02).sin(), 0.0, 0.0])).collect();
        // A third of the way round at a steady pace, and then back.
        let there: Vec<(f32, Vec<f32>)> =
            (0..=60).map(|i| (i as f32, turn(2.0 * (30 - i32::abs(i - 30)) as f32))).collect();
        let steps: Vec<(f32, Vec<f32>)> =
            (0..100).map(|i| (i as f32, vec![(i / 25) as f32, 1.0, 1.0])).collect();
        for (name, property, interpolation, keys, error, most) in [
            ("line", Property::Translation, Linear, &line, 1e-3, 2),
            ("wave, loose", Property::Translation, Linear, &wave, 0.01, 120),
            ("wave, tight", Property::Translation, Linear, &wave, 1e-3, 300),
            ("there and back", Property::Rotation, Linear, &there, 1e-4, 3),
            ("steps", Property::Scale, Step, &steps, 0.0, 5),
        ] {
            let mut scene = scene(property, interpolation, keys);
            let report = reduce_keys(&mut scene, KeyTolerance::uniform(error));
            assert_scene(&scene);
            assert!(report.after >= 2 && report.after <= most, "{name}: {report:?}");
            let largest = [report.translation.max, report.rotation.max.to_radians(), report.scale.max];
            let within = |max: f64| max <= f64::from(error) * 1.01 + 1e-6;
            assert!(largest.into_iter().all(within), "{name}: {report:?}");
            let ends = [&keys[0].0, &keys[keys.len() - 1].0];
            let times = &scene.animations[0].channels[0].times;
            assert_eq!([&times[0], &times[times.len() - 1]], ends, "{name} begins and ends when it did");
        }
    }

    #[test]
    fn many_equal_keys_are_no_trap() {
        let keys: Vec<(f32, Vec<f32>)> = (0..200_000).map(|i| (i as f32, vec![1.0; 3])).collect();
        let mut scene = scene(Property::Translation, Interpolation::Linear, &keys);
        assert_eq!(reduce_keys(&mut scene, KeyTolerance::uniform(0.0)).after, 2);
    }

    #[test]
    fn splines_are_resampled_and_measured() {
        let spline = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0];
        let end = [3.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        let keys = [(0.25, spline.to_vec()), (1.25, end.to_vec())];
        let mut last = f64::INFINITY;
        for (fps, count) in [(4.0, 5), (10.0, 11), (60.0, 61)] {
            let mut scene = scene(Property::Translation, Interpolation::Cubic, &keys);
            let report = resample(&mut scene, fps);
            assert_scene(&scene);
            assert_eq!((report.before, report.after), (2, count));
            let largest = report.translation.max;
            assert!(largest < last && largest > 0.0, "{report:?}");
            last = largest;
        }
        for (before, fps) in [(1.0, 1e-9), (1e-6, 1e9), (1.0, f32::NAN), (0.1, 0.3)] {
            let keys = [(0.0, vec![0.0; 3]), (before, vec![1.0; 3])];
            let mut scene = scene(Property::Translation, Interpolation::Linear, &keys);
            resample(&mut scene, fps);
            assert_scene(&scene);
        }
    }
}
