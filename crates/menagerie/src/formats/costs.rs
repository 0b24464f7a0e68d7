//! What steps of a job take in memory, foretold from what there is, so that a job that would take too much is refused
//! before it begins. How near that is to the truth is a test of the program: `tests/budget.rs`.

#![allow(dead_code, reason = "builds with few formats use a part of it")]

use super::{Format, Summary};
use crate::bytes::{Limits, OverLimit};
use crate::diag::{Issue, LIMIT};
use crate::scene::{Extras, Scene};
use serde_json::Value;

/// A part of a model with a name and notes of its own: a node, a mesh, a material.
pub(crate) const ELEMENT: u64 = 2048;
/// The same in the model of another format, and as text.
const LOWERED: u64 = 4096;
/// A byte of a name there, and of what is kept as JSON.
const NAMED: u64 = 4;
const NOTED: u64 = 2;
/// What an object of JSON takes beside its members.
const OBJECT: u64 = 320;
/// What is there by the thousand and has neither: a key of an animation.
const KEY: u64 = 96;
/// The same of a channel that keeps what its keys were in a file, as JSON.
const NOTED_KEY: u64 = 512;
/// What the numbers of vertices and triangles count already, and is kept beside.
const LIGHT: u64 = 32;
const LIGHT_LISTS: &[&str] = &[
    "vertices",
    "texture_coordinates",
    "normals",
    "faces",
    "lines",
    "points",
    "triangles",
    "other_elements",
    "pivots",
    "vertex",
    "face",
    "tristrips",
    "edge",
];
/// A vertex with all that it can have, and a triangle.
const VERTEX: u64 = 64;
const TRIANGLE: u64 = 12;
/// The same in the model of another format and in its file, which may be text.
const WRITTEN_VERTEX: u64 = 128;
const WRITTEN_TRIANGLE: u64 = 112;
/// A triangle whose corners are its own, in a model and in its file.
const OWN_CORNERS: u64 = 256;
/// A key by frame, in a list that is ordered, then in the model, and read back.
const RESAMPLED_KEY: u64 = 336;

/// Takes what a Scene of a model with such contents needs.
pub(crate) fn of_lifting(summary: &Summary, limits: &Limits) -> Result<(), OverLimit> {
    let geometry = geometry(summary.vertices as u64, summary.triangles as u64);
    limits.take(elements(summary).saturating_add(geometry))
}

/// What the names and places of all fields of a model with such contents need, which `inspect` shows and issues are
/// found by. Tables are described and not listed, so vertices and triangles cost nothing there.
pub(crate) fn of_mapping(summary: &Summary) -> u64 {
    elements(summary)
}

/// What the parts of a model need that are more than a row of a table.
fn elements(summary: &Summary) -> u64 {
    let one = |(list, count): &(&'static str, usize)| {
        let each = match *list {
            "keyframes" => KEY,
            list if LIGHT_LISTS.contains(&list) => LIGHT,
            _ => ELEMENT,
        };
        each.saturating_mul(*count as u64)
    };
    summary.contents.iter().map(one).fold(0, u64::saturating_add)
}

/// Takes what a file model of a Scene needs in a format that may have to write out every instance, beside what the
/// format takes itself where it makes more of less.
pub(crate) fn of_lowering(scene: &Scene, to: &Format, limits: &Limits) -> Result<(), OverLimit> {
    let (vertices, triangles) =
        if to.capabilities.instances { stored(scene) } else { crate::ops::drawn(scene) };
    let channels = || scene.animations.iter().flat_map(|animation| &animation.channels);
    let elements = scene.nodes.len()
        + scene.meshes.values().map(|mesh| 1 + mesh.primitives.len()).sum::<usize>()
        + scene.materials.len()
        + scene.textures.len()
        + scene.images.len()
        + scene.skins.len()
        + scene.animations.len()
        + channels().count();
    let keys = channels().map(|channel| {
        let each = if channel.extras.is_empty() { KEY } else { KEY + NOTED_KEY };
        each.saturating_mul(channel.times.len() as u64)
    });
    let keys = keys.fold(0, u64::saturating_add);
    // Vertices once more for each morph target.
    let primitives = scene.meshes.values().flat_map(|mesh| &mesh.primitives);
    let morphed =
        primitives.map(|primitive| primitive.targets.len() as u64 * primitive.vertex_count() as u64);
    let vertices = morphed.fold(vertices, u64::saturating_add);
    let total = LOWERED
        .saturating_mul(elements as u64)
        .saturating_add(NAMED.saturating_mul(named(scene)))
        .saturating_add(NOTED.saturating_mul(noted(scene)))
        .saturating_add(keys)
        .saturating_add(vertices.saturating_mul(WRITTEN_VERTEX))
        .saturating_add(triangles.saturating_mul(WRITTEN_TRIANGLE));
    limits.take(total)
}

/// Takes what triangles with corners of their own need beside what [`of_lowering`] took: in the model and in the file.
pub(crate) fn of_own_corners(scene: &Scene, limits: &Limits) -> Result<(), OverLimit> {
    limits.take(stored(scene).1.saturating_mul(OWN_CORNERS))
}

/// Takes what keys need that a format without times between frames has to make.
pub(crate) fn of_resampling(keys: u64, limits: &Limits) -> Result<(), Issue> {
    if keys > limits.keys {
        let message = format!(
            "{keys} keys of all animations together are more than the limit of {} (keys)",
            limits.keys
        );
        return Err(Issue::new(&LIMIT, "animations", message));
    }
    Ok(limits.take(keys.saturating_mul(RESAMPLED_KEY))?)
}

/// The bytes of names as often as something refers to what they name: many formats write them there, or keep them there.
fn named(scene: &Scene) -> u64 {
    let text = |bytes: usize| bytes as u64;
    let image = |id: crate::scene::TextureId| {
        let image = scene.textures.get(id).and_then(|texture| scene.images.get(texture.image?));
        image.map_or(0, |image| text(image.name.len()) + image.uri.as_ref().map_or(0, |uri| text(uri.len())))
    };
    let material = |material: &crate::scene::Material| {
        text(material.name.len()) + material.textures().map(|used| image(used.texture)).sum::<u64>()
    };
    let materials: Vec<u64> = scene.materials.values().map(material).collect();
    let of_material = |id: Option<crate::scene::MaterialId>| {
        id.and_then(|id| materials.get(id.index())).copied().unwrap_or_default()
    };
    let mesh = |mesh: &crate::scene::Mesh| {
        let parts = mesh.primitives.iter().map(|primitive| of_material(primitive.material));
        text(mesh.name.len()) + parts.sum::<u64>()
    };
    let meshes: Vec<u64> = scene.meshes.values().map(mesh).collect();
    let node = |node: &crate::scene::Node| {
        let mesh = node.mesh.and_then(|id| meshes.get(id.index())).copied().unwrap_or_default();
        let skin = node.skin.and_then(|id| scene.skins.get(id)).map_or(0, |skin| skin.name.len());
        let camera = node.camera.and_then(|id| scene.cameras.get(id)).map_or(0, |camera| camera.name.len());
        let light = node.light.and_then(|id| scene.lights.get(id)).map_or(0, |light| light.name.len());
        mesh + text(node.name.len()) + text(skin) + text(camera) + text(light)
    };
    let all = [materials.iter().sum(), meshes.iter().sum(), scene.nodes.values().map(node).sum()];
    all.into_iter().fold(0, u64::saturating_add)
}

/// What formats and applications keep in a Scene, as JSON.
fn noted(scene: &Scene) -> u64 {
    let mut open: Vec<&Value> = scene.all_extras().flat_map(Extras::iter).map(|(_, value)| value).collect();
    let mut bytes = 0;
    while let Some(value) = open.pop() {
        bytes += size_of::<Value>() as u64;
        match value {
            Value::Array(list) => open.extend(list),
            Value::Object(members) => {
                bytes += OBJECT;
                open.extend(members.values());
            }
            Value::String(text) => bytes += text.len() as u64,
            _ => {}
        }
    }
    bytes
}

fn geometry(vertices: u64, triangles: u64) -> u64 {
    vertices.saturating_mul(VERTEX).saturating_add(triangles.saturating_mul(TRIANGLE))
}

/// The vertices and triangles of all meshes, each once.
fn stored(scene: &Scene) -> (u64, u64) {
    let primitives = scene.meshes.values().flat_map(|mesh| &mesh.primitives);
    primitives.fold((0, 0), |(vertices, triangles), primitive| {
        (vertices + primitive.vertex_count() as u64, triangles + primitive.triangles().len() as u64)
    })
}
