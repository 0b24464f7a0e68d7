//! A Scene on its way to Python and back: its structure as JSON, its long lists as a list of arrays beside it, which the
//! structure refers to by their number.

mod geometry;
mod look;
mod tree;

use menagerie::scene::{Extras, Id, Scene};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::arrays::{Array, Number};

/// What a list of numbers becomes: its place among the arrays.
type Stream = usize;
/// The extras of an element, one key for each format.
type Notes = Map<String, Value>;

/// The structure of a Scene.
#[derive(Serialize, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
struct WireScene {
    scenes: Vec<tree::WireRoot>,
    default_scene: Option<usize>,
    nodes: Vec<tree::WireNode>,
    meshes: Vec<geometry::WireMesh>,
    materials: Vec<look::WireMaterial>,
    textures: Vec<look::WireTexture>,
    images: Vec<look::WireImage>,
    cameras: Vec<tree::WireCamera>,
    lights: Vec<tree::WireLight>,
    skins: Vec<tree::WireSkin>,
    animations: Vec<tree::WireAnimation>,
    ambient: Option<[f32; 4]>,
    extras: Notes,
}

/// A long list on its way to Python.
enum Leaving {
    Numbers(Array),
    Bytes(std::sync::Arc<[u8]>),
}

/// The long lists on their way to Python.
#[derive(Default)]
pub(crate) struct Out(Vec<Leaving>);

impl Out {
    fn array(&mut self, array: Array) -> Stream {
        self.0.push(Leaving::Numbers(array));
        self.0.len() - 1
    }

    /// A stream that is there only when it has elements.
    fn rows<T: Number, const N: usize>(&mut self, rows: Vec<[T; N]>) -> Option<Stream> {
        (!rows.is_empty()).then(|| self.array(Array::rows(rows)))
    }

    fn sets<T: Number, const N: usize>(&mut self, sets: Vec<Vec<[T; N]>>) -> Vec<Stream> {
        sets.into_iter().map(|rows| self.array(Array::rows(rows))).collect()
    }

    fn bytes(&mut self, bytes: std::sync::Arc<[u8]>) -> Stream {
        self.0.push(Leaving::Bytes(bytes));
        self.0.len() - 1
    }

    /// As Python objects. Numbers are moved, not copied; pictures are copied into Python's own bytes.
    pub(crate) fn into_python(self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        let object = |list| match list {
            Leaving::Numbers(array) => Ok(Py::new(py, array)?.into_any()),
            Leaving::Bytes(bytes) => Ok(PyBytes::new(py, &bytes).into_any().unbind()),
        };
        self.0.into_iter().map(object).collect()
    }
}

/// The long lists on their way back.
pub(crate) struct In(pub(crate) Vec<PyBackedBytes>);

/// Why a structure is no Scene, in a sentence.
type Wrong = String;

impl In {
    fn bytes(&self, stream: Stream) -> Result<&[u8], Wrong> {
        Ok(self.0.get(stream).ok_or_else(|| format!("there is no array {stream}"))?)
    }

    fn flat(&self, stream: Stream) -> Result<Vec<f32>, Wrong> {
        Ok(self.bytes(stream)?.as_chunks().0.iter().copied().map(f32::from_ne_bytes).collect())
    }

    fn whole(&self, stream: Stream) -> Result<Vec<u32>, Wrong> {
        Ok(self.bytes(stream)?.as_chunks().0.iter().copied().map(u32::from_ne_bytes).collect())
    }

    fn rows<const N: usize>(&self, stream: Option<Stream>) -> Result<Vec<[f32; N]>, Wrong> {
        let Some(stream) = stream else { return Ok(Vec::new()) };
        Ok(self.flat(stream)?.as_chunks().0.to_vec())
    }

    fn sets<const N: usize>(&self, streams: Vec<Stream>) -> Result<Vec<Vec<[f32; N]>>, Wrong> {
        streams.into_iter().map(|stream| self.rows(Some(stream))).collect()
    }

    fn joints(&self, stream: Stream) -> Result<Vec<[u16; 4]>, Wrong> {
        let numbers: Vec<u16> =
            self.bytes(stream)?.as_chunks().0.iter().copied().map(u16::from_ne_bytes).collect();
        Ok(numbers.as_chunks().0.to_vec())
    }
}

fn notes(extras: &Extras) -> Notes {
    extras.iter().map(|(format, value)| (format.to_owned(), value.clone())).collect()
}

fn extras(notes: Notes) -> Extras {
    let mut extras = Extras::default();
    notes.into_iter().for_each(|(format, value)| extras.set_all(&format, value));
    extras
}

fn ids<T>(list: Vec<usize>) -> Vec<Id<T>> {
    list.into_iter().map(Id::new).collect()
}

fn index<T>(id: Id<T>) -> usize {
    id.index()
}

/// The structure of a Scene as JSON; its lists go to `out`.
pub(crate) fn leave(scene: Scene, out: &mut Out) -> serde_json::Result<String> {
    let wire = WireScene {
        scenes: scene.scenes.into_iter().map(tree::WireRoot::of).collect(),
        default_scene: scene.default_scene,
        nodes: scene.nodes.into_vec().into_iter().map(tree::WireNode::of).collect(),
        meshes: scene.meshes.into_vec().into_iter().map(|mesh| geometry::WireMesh::of(mesh, out)).collect(),
        materials: scene.materials.into_vec().into_iter().map(look::WireMaterial::of).collect(),
        textures: scene.textures.into_vec().into_iter().map(look::WireTexture::of).collect(),
        images: scene.images.into_vec().into_iter().map(|image| look::WireImage::of(image, out)).collect(),
        cameras: scene.cameras.into_vec().into_iter().map(tree::WireCamera::of).collect(),
        lights: scene.lights.into_vec().into_iter().map(tree::WireLight::of).collect(),
        skins: scene.skins.into_vec().into_iter().map(|skin| tree::WireSkin::of(skin, out)).collect(),
        animations: scene.animations.into_iter().map(|a| tree::WireAnimation::of(a, out)).collect(),
        ambient: scene.ambient,
        extras: notes(&scene.extras),
    };
    serde_json::to_string(&wire)
}

/// The Scene that a structure and its lists mean; it is not checked yet.
pub(crate) fn enter(structure: &str, lists: &In) -> Result<Scene, Wrong> {
    let wire: WireScene = serde_json::from_str(structure).map_err(|error| error.to_string())?;
    let meshes = each("meshes", wire.meshes, |mesh| mesh.make(lists))?;
    let images = each("images", wire.images, |image| image.make(lists))?;
    let skins = each("skins", wire.skins, |skin| skin.make(lists))?;
    Ok(Scene {
        scenes: wire.scenes.into_iter().map(tree::WireRoot::make).collect(),
        default_scene: wire.default_scene,
        nodes: wire.nodes.into_iter().map(tree::WireNode::make).collect::<Vec<_>>().into(),
        meshes: meshes.into(),
        materials: wire.materials.into_iter().map(look::WireMaterial::make).collect::<Vec<_>>().into(),
        textures: wire.textures.into_iter().map(look::WireTexture::make).collect::<Vec<_>>().into(),
        images: images.into(),
        cameras: wire.cameras.into_iter().map(tree::WireCamera::make).collect::<Vec<_>>().into(),
        lights: wire.lights.into_iter().map(tree::WireLight::make).collect::<Vec<_>>().into(),
        skins: skins.into(),
        animations: each("animations", wire.animations, |animation| animation.make(lists))?,
        ambient: wire.ambient,
        extras: extras(wire.extras),
    })
}

/// Makes all elements of a list; what is wrong says with which.
fn each<W, T>(list: &str, all: Vec<W>, make: impl Fn(W) -> Result<T, Wrong>) -> Result<Vec<T>, Wrong> {
    let make = |(i, wire)| make(wire).map_err(|wrong| format!("{list}[{i}]: {wrong}"));
    all.into_iter().enumerate().map(make).collect()
}
