//! What is added to a file so that the engine can show it, and how it is known again.
//!
//! None of it changes what the document says about the model, and reading leaves it out, so that a model that went
//! through a BOGLE file comes back as it was:
//!
//! - a **camera** (engines.md BOGLE E14), the last camera, of the last instance, at the end of the tree; both are called
//!   [`CAMERA`], and the picture is a square of [`SIDE`] pixels, so that its field of view is the same along both sides;
//! - **ambient light** (E15) where the source says nothing about it: its alpha is zero, where exporters write one;
//! - the second bone of every joint (E5), see [`super::joints`];
//! - a second key of an animation that is one pose (E8), see `lift`;
//! - a skeleton of one joint for a node that moves, called [`MOVING_NODE`], see `lower`.

use super::model::{Camera, Instance, Model, named};
use super::tree::Tree;

/// The name of an added camera and of its instance.
pub(super) const CAMERA: &str = "menagerie camera";
/// The name of a skeleton that only says how a node moves.
pub(super) const MOVING_NODE: &str = "menagerie moving node";
/// The width and the height of an added camera's picture.
pub(super) const SIDE: u32 = 1024;
/// Red, green and blue of the light that is added where there is none.
const AMBIENT: f32 = 0.8;

/// The ambient light of a Scene that has none: light from everywhere where nothing else shines, else black.
pub(super) fn ambient(shines: bool) -> [f32; 4] {
    let gray = if shines { 0.0 } else { AMBIENT };
    [gray, gray, gray, 0.0]
}

/// Whether ambient light was added.
pub(super) fn is_ambient(color: [f32; 4]) -> bool {
    color == ambient(true) || color == ambient(false)
}

/// The number of the instance that was added for its camera; its camera is the last one.
pub(super) fn camera(model: &Model, tree: &Tree) -> Option<usize> {
    let last = model.instances.len().checked_sub(1)?;
    let is_camera =
        |camera: &Camera| camera.name == CAMERA.as_bytes() && (camera.width, camera.height) == (SIDE, SIDE);
    let only_a_camera = |instance: &Instance| {
        let Instance { name, camera, geometry, material, light, collection, .. } = instance;
        name == CAMERA.as_bytes()
            && *camera as usize == model.cameras.len()
            && (*geometry, *material, *light, *collection) == (0, 0, 0, 0)
            && named(&model.cameras, *camera).is_some_and(is_camera)
    };
    let (own, others) = model.instances.split_last()?;
    let place = tree.places.last()?;
    let placed_once = tree.places.iter().filter(|place| place.instance == last).count() == 1;
    let fits = only_a_camera(own)
        && others.iter().all(|instance| instance.camera != own.camera)
        && (place.instance, place.parent) == (last, None)
        && placed_once;
    fits.then_some(last)
}
