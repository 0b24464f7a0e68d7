//! The one target that needs more than the library.

use menagerie::scene::{Id, assert_scene};
use menagerie_render::{CameraChoice, Lights, Shot, Side, Stage, Wireframe, png};

use crate::support::targets::{Input, limits};

/// A small picture of any file.
pub fn render(data: &[u8]) -> bool {
    let Some(input) = Input::new(data) else { return false };
    let Some(scene) = input.scene() else { return false };
    let stage = Stage::within(assert_scene(&scene), &limits());
    let bit = |number: usize| input.choice(0) >> number & 1 == 1;
    let mut shot = Shot::default();
    (shot.width, shot.height) = (24, 24);
    shot.parallel = bit(0);
    shot.bones = bit(1);
    shot.bounds = bit(2);
    shot.axes = bit(3);
    shot.hidden = bit(4);
    shot.double_sided = bit(5);
    shot.shadow = bit(6);
    shot.wireframe = input.one_of(&[Wireframe::None, Wireframe::Over, Wireframe::Only], 1);
    shot.lights = input.one_of(&[Lights::Auto, Lights::Studio, Lights::Model, Lights::Ambient], 1);
    shot.level = usize::from(input.choice(2) & 3);
    let around = f32::from(input.choice(1));
    shot.camera = match scene.cameras.len() {
        0 => CameraChoice::Framing(Side { azimuth: around, elevation: 20.0 }),
        cameras => CameraChoice::Model(Id::new(usize::from(input.choice(1)) % cameras)),
    };
    if bit(7) && !scene.animations.is_empty() {
        let animation = usize::from(input.choice(2)) % scene.animations.len();
        shot.moment = Some((animation, around / 16.0));
    }
    if let Ok(taken) = stage.take(&shot) {
        assert!(png(&taken.picture).is_ok_and(|file| !file.is_empty()), "a picture is a file");
    }
    true
}
