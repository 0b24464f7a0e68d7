//! Which pictures the options ask for.

use menagerie::diag::Issue;
use menagerie::formats::frames_per_second;
use menagerie::scene::{Animation, CameraId, Scene};
use menagerie_render::{CameraChoice, Shot, Side, Stage, cameras, codes, levels};

use super::args::{self, RenderArgs};
use super::model::Model;
use crate::names;

/// Frames a second of an animated PNG of a turntable.
const TURNTABLE_FPS: f32 = 15.0;

/// The pictures of one model.
pub(super) struct Plan {
    /// Each with a label for a sheet.
    pub(super) shots: Vec<(Shot, String)>,
    /// Pictures a second, when they are played.
    pub(super) fps: f32,
}

pub(super) fn plan(stage: &Stage<'_>, model: &Model, args: &RenderArgs) -> Result<Plan, Issue> {
    let first = shot(model, args)?;
    if let Some(count) = args.turntable {
        let views = stage.turntable(&first, usize::from(count))?;
        let step = 360.0 / f32::from(count);
        let shots = views.into_iter().enumerate().map(|(i, view)| {
            let camera = CameraChoice::View(view);
            (Shot { camera, ..first.clone() }, format!("{:.0} degrees", i as f32 * step))
        });
        return Ok(Plan { shots: shots.collect(), fps: args.fps.unwrap_or(TURNTABLE_FPS) });
    }
    if let Some(count) = args.frames {
        return frames(stage, &first, usize::from(count), args);
    }
    if args.lod_sheet {
        let shots = (0..levels(stage.scene())).map(|level| {
            let shot = Shot { level, ..first.clone() };
            (shot, format!("level {level}"))
        });
        return Ok(Plan { shots: shots.collect(), fps: 1.0 });
    }
    Ok(Plan { shots: vec![(first, String::new())], fps: 1.0 })
}

/// Moments spread over the animation, all from the same camera.
fn frames(stage: &Stage<'_>, first: &Shot, count: usize, args: &RenderArgs) -> Result<Plan, Issue> {
    let scene = stage.scene();
    let index = first.moment.map_or(0, |(index, _)| index);
    let Some(animation) = scene.animations.get(index) else {
        return Err(no_such_animation("the model has no animation", scene));
    };
    let seconds = animation.seconds();
    let moment = |i: usize| seconds * i as f32 / count as f32;
    let mut shots: Vec<Shot> =
        (0..count).map(|i| Shot { moment: Some((index, moment(i))), ..first.clone() }).collect();
    if let Some(view) = stage.common_view(&shots)? {
        shots.iter_mut().for_each(|shot| shot.camera = CameraChoice::View(view));
    }
    let label = |shot: &Shot| shot.moment.map(|(_, seconds)| format!("{seconds:.2} s")).unwrap_or_default();
    let natural = if seconds > 0.0 { count as f32 / seconds } else { 1.0 };
    let shots = shots.into_iter().map(|shot| {
        let label = label(&shot);
        (shot, label)
    });
    Ok(Plan { shots: shots.collect(), fps: args.fps.filter(|_| args.apng).unwrap_or(natural) })
}

/// The one picture that the options describe.
fn shot(model: &Model, args: &RenderArgs) -> Result<Shot, Issue> {
    let mut shot = Shot::default();
    (shot.width, shot.height) = args.picture_size();
    shot.camera = camera(&model.scene, &args.camera)?;
    shot.parallel = args.orthographic;
    shot.moment = moment(&model.scene, args)?;
    shot.level = args.lod;
    shot.lights = args.lights.0;
    shot.shadow = !args.no_shadow;
    shot.wireframe = args.wireframe.map(Into::into).unwrap_or_default();
    shot.bones = args.bones;
    shot.bounds = args.bounds;
    shot.axes = args.axes;
    shot.hidden = args.hidden;
    shot.double_sided = args.double_sided;
    shot.background = args.background.unwrap_or(shot.background);
    Ok(shot)
}

/// A side by name or angles, or else a camera of the model by name or number.
fn camera(scene: &Scene, text: &str) -> Result<CameraChoice, Issue> {
    if let Some(side) = args::side(text) {
        return Ok(CameraChoice::Framing(side));
    }
    let known = cameras(scene);
    let by_name = known.iter().find(|(_, name)| name == text);
    let by_number = || text.parse::<usize>().ok().and_then(|number| known.get(number));
    if let Some((id, _)) = by_name.or_else(by_number) {
        return Ok(CameraChoice::Model(*id));
    }
    let views: Vec<&str> = Side::NAMED.iter().map(|(name, _)| *name).collect();
    let near = names::did_you_mean(text, views.iter().copied());
    let own = match known.as_slice() {
        [] => "the model has no cameras".to_owned(),
        known => format!("the model has the cameras {}", listed(known)),
    };
    let message = format!(
        "there is no view {text:?}{near}: there are {}, angles such as -30,20, and {own}",
        views.join(", ")
    );
    Err(Issue::new(&codes::NO_SUCH_CAMERA, "", message))
}

fn listed(cameras: &[(CameraId, String)]) -> String {
    let names: Vec<String> =
        cameras.iter().enumerate().map(|(number, (_, name))| format!("{number} {name:?}")).collect();
    names.join(", ")
}

/// The animation and the moment of it.
fn moment(scene: &Scene, args: &RenderArgs) -> Result<Option<(usize, f32)>, Issue> {
    if args.animation.is_none() && args.time.is_none() && args.frame.is_none() {
        return Ok(None);
    }
    let (index, animation) = animation(scene, args.animation.as_deref())?;
    let seconds = match (args.time, args.frame) {
        (Some(seconds), _) => seconds,
        (None, Some(frame)) => match args.fps.or_else(|| frames_per_second(animation)) {
            Some(fps) => frame / fps,
            None => {
                let message =
                    "the format has no frames; say with --fps how many there are in a second, or use --time";
                return Err(Issue::new(&codes::NO_SUCH_ANIMATION, format!("animations[{index}]"), message));
            }
        },
        (None, None) => 0.0,
    };
    Ok(Some((index, seconds)))
}

fn animation<'a>(scene: &'a Scene, wanted: Option<&str>) -> Result<(usize, &'a Animation), Issue> {
    let mut all = scene.animations.iter().enumerate();
    let Some(wanted) = wanted else {
        return all.next().ok_or_else(|| no_such_animation("the model has no animation", scene));
    };
    let by_number = || wanted.parse::<usize>().ok().and_then(|n| Some((n, scene.animations.get(n)?)));
    all.find(|(_, animation)| animation.name == wanted)
        .or_else(by_number)
        .ok_or_else(|| no_such_animation(&format!("there is no animation {wanted:?}"), scene))
}

fn no_such_animation(what: &str, scene: &Scene) -> Issue {
    let names: Vec<String> =
        scene.animations.iter().enumerate().map(|(number, a)| format!("{number} {:?}", a.name)).collect();
    let message = match names.as_slice() {
        [] => what.to_owned(),
        names => format!("{what}; the model has {}", names.join(", ")),
    };
    Issue::new(&codes::NO_SUCH_ANIMATION, "", message)
}
