//! Where in its file each part of a Scene came from.
//!
//! `lift` is the only one who knows, and records it when asked ([`ReadOptions::provenance`](super::ReadOptions)). The
//! byte map turns the paths into bytes, so that a vertex can be found in the file, and a byte on the screen.

use crate::bytes::{ByteMap, Span};
use crate::scene::{MeshId, Scene};

/// Where the parts of a Scene came from: paths in the byte map, by the index of the element. An empty path, or none at
/// all, where the file has nothing that is this part alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// Of nodes.
    pub nodes: Vec<String>,
    /// Of the primitives of meshes.
    pub meshes: Vec<Vec<PrimitiveOrigin>>,
    /// Of materials.
    pub materials: Vec<String>,
    /// Of cameras.
    pub cameras: Vec<String>,
    /// Of lights.
    pub lights: Vec<String>,
    /// Of animations.
    pub animations: Vec<String>,
}

/// Where the parts of a primitive came from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PrimitiveOrigin {
    /// What the file has for the primitive.
    pub path: String,
    /// Its vertices.
    pub vertices: Elements,
    /// Its triangles.
    pub triangles: Elements,
}

/// Where the elements of a list came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elements {
    /// The list in the file; empty where it is not known.
    pub path: String,
    /// For each element its number in the file's list; `None` where it is the same.
    pub order: Option<Vec<u32>>,
    /// How many records of the file's list one element is made of.
    pub records: usize,
    /// Where in the bytes at the path they are, for lists that the byte map does not spell out.
    pub bytes: Option<Strided>,
}

/// Elements at equal distances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strided {
    /// The first byte of the first, counted from the beginning of the path's bytes.
    pub start: u64,
    /// From the first byte of one to that of the next.
    pub stride: u64,
    /// Bytes of one.
    pub size: u64,
    /// How many there are.
    pub count: u64,
}

impl Default for Elements {
    fn default() -> Self {
        Self { path: String::new(), order: None, records: 1, bytes: None }
    }
}

impl Elements {
    /// A list whose elements have the same numbers in the file.
    pub fn list(path: impl Into<String>) -> Self {
        Self { path: path.into(), ..Self::default() }
    }

    /// The same in another order, if there is one.
    #[must_use]
    pub fn ordered_by(self, order: Option<Vec<u32>>) -> Self {
        Self { order, ..self }
    }

    /// The same where each element is made of several records that follow each other.
    #[must_use]
    pub fn of_records(self, records: usize) -> Self {
        Self { records, ..self }
    }

    /// The same at these bytes, which the byte map does not spell out.
    #[must_use]
    pub fn at(self, bytes: Strided) -> Self {
        Self { bytes: Some(bytes), ..self }
    }

    /// The same in another order: for each element its number in the file.
    #[must_use]
    pub fn ordered(self, order: Vec<u32>) -> Self {
        Self { order: Some(order), ..self }
    }

    /// The number in the file's list of an element.
    pub fn number(&self, element: usize) -> Option<usize> {
        match &self.order {
            Some(order) => order.get(element).map(|number| *number as usize),
            None => Some(element),
        }
    }

    /// The path of an element.
    pub fn path_of(&self, element: usize) -> Option<String> {
        let number = self.number(element).filter(|_| !self.path.is_empty())?;
        if self.bytes.is_some() {
            return Some(self.path.clone());
        }
        Some(format!("{}[{}]", self.path, number.checked_mul(self.records)?))
    }

    /// The bytes of an element.
    pub fn span_of(&self, element: usize, map: &ByteMap) -> Option<Span> {
        let Some(Strided { start, stride, size, count }) = self.bytes else {
            let first = map.find(&self.path_of(element)?)?;
            let size = (first.end - first.start).checked_mul(self.records as u64)?;
            return Some(Span { start: first.start, end: first.start.checked_add(size)? });
        };
        let number = self.number(element)? as u64;
        let start = start.checked_add(map.find(&self.path)?.start)?;
        let start = start.checked_add(number.checked_mul(stride)?).filter(|_| number < count)?;
        Some(Span { start, end: start.checked_add(size)? })
    }

    /// The elements that have this number in the file's list, of `length` elements in all.
    pub fn with_number(&self, number: usize, length: usize) -> Vec<usize> {
        match &self.order {
            Some(order) => (0..order.len().min(length)).filter(|i| self.number(*i) == Some(number)).collect(),
            None => {
                if number < length {
                    vec![number]
                } else {
                    Vec::new()
                }
            }
        }
    }
}

impl Provenance {
    /// Where a primitive came from.
    pub fn primitive(&self, mesh: MeshId, primitive: usize) -> Option<&PrimitiveOrigin> {
        self.meshes.get(mesh.index())?.get(primitive)
    }
}

/// Takes down where things come from, or does nothing at no cost.
#[cfg_attr(not(feature = "formats"), allow(dead_code, reason = "a build without formats records nothing"))]
#[derive(Debug, Default)]
pub(crate) struct Recorder {
    record: Option<Provenance>,
}

/// Puts an element at its index, whatever came before it.
#[cfg_attr(not(feature = "formats"), allow(dead_code, reason = "a build without formats records nothing"))]
fn put<T: Default>(list: &mut Vec<T>, index: usize, element: T) {
    if list.len() <= index {
        list.resize_with(index + 1, T::default);
    }
    if let Some(place) = list.get_mut(index) {
        *place = element;
    }
}

macro_rules! record {
    ($($(#[$doc:meta])* $name:ident: $list:ident),* $(,)?) => {
        $($(#[$doc])*
        pub(crate) fn $name(&mut self, index: usize, path: impl FnOnce() -> String) {
            if let Some(record) = &mut self.record {
                put(&mut record.$list, index, path());
            }
        })*
    };
}

#[cfg_attr(not(feature = "formats"), allow(dead_code, reason = "each format records what it has"))]
impl Recorder {
    /// Records if that was asked for.
    pub(crate) fn new(asked: bool) -> Self {
        Self { record: asked.then(Provenance::default) }
    }

    /// Whether something is recorded.
    pub(crate) fn is_on(&self) -> bool {
        self.record.is_some()
    }

    record! {
        /// The node of this index came from there.
        node: nodes,
        /// The material of this index came from there.
        material: materials,
        /// The camera of this index came from there.
        camera: cameras,
        /// The light of this index came from there.
        light: lights,
        /// The animation of this index came from there.
        animation: animations,
    }

    /// A primitive of the mesh of this index came from there.
    pub(crate) fn primitive(&mut self, mesh: usize, index: usize, origin: impl FnOnce() -> PrimitiveOrigin) {
        if let Some(record) = &mut self.record {
            let origin = origin();
            if record.meshes.len() <= mesh {
                record.meshes.resize_with(mesh + 1, Vec::new);
            }
            if let Some(mesh) = record.meshes.get_mut(mesh) {
                put(mesh, index, origin);
            }
        }
    }

    /// What was recorded, with a place for every element of the Scene.
    pub(crate) fn finish(self, scene: &Scene) -> Option<Provenance> {
        let mut record = self.record?;
        record.nodes.resize(scene.nodes.len(), String::new());
        record.materials.resize(scene.materials.len(), String::new());
        record.cameras.resize(scene.cameras.len(), String::new());
        record.lights.resize(scene.lights.len(), String::new());
        record.animations.resize(scene.animations.len(), String::new());
        record.meshes.resize(scene.meshes.len(), Vec::new());
        for (origins, mesh) in record.meshes.iter_mut().zip(scene.meshes.values()) {
            origins.resize(mesh.primitives.len(), PrimitiveOrigin::default());
        }
        Some(record)
    }
}
