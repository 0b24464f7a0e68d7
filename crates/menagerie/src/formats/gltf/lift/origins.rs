//! Where in a glTF file things come from. Elements of its lists keep their numbers, so that nothing has to be remembered
//! on the way.

use super::super::accessor::{Component, Shape};
use super::super::model::{BufferBytes, Container, JSON_CHUNK};
use super::super::{json, strips};
use super::Lifter;
use crate::formats::{Elements, PrimitiveOrigin, Strided};

impl Lifter<'_> {
    /// Takes down where everything comes from, if that was asked for.
    pub(super) fn record(&mut self) {
        if !self.origins.is_on() {
            return;
        }
        let json = self.json_path();
        let document = &self.model.document;
        for index in 0..document.nodes.len().min(self.scene.nodes.len()) {
            self.origins.node(index, || format!("{json}nodes[{index}]"));
        }
        for index in 0..document.materials.len().min(self.scene.materials.len()) {
            self.origins.material(index, || format!("{json}materials[{index}]"));
        }
        for index in 0..document.cameras.len().min(self.scene.cameras.len()) {
            self.origins.camera(index, || format!("{json}cameras[{index}]"));
        }
        for index in 0..document.animations.len().min(self.scene.animations.len()) {
            self.origins.animation(index, || format!("{json}animations[{index}]"));
        }
        for (index, mesh) in document.meshes.iter().enumerate() {
            for (number, primitive) in mesh.primitives.iter().enumerate() {
                let origin = PrimitiveOrigin {
                    path: format!("{json}meshes[{index}]"),
                    vertices: primitive
                        .attributes
                        .get("POSITION")
                        .map(|a| self.elements(a, 1))
                        .unwrap_or_default(),
                    triangles: self.triangles(primitive),
                };
                self.origins.primitive(index, number, || origin);
            }
        }
    }

    /// What the byte map has before the lists of the JSON.
    fn json_path(&self) -> String {
        match &self.model.container {
            Container::Glb { chunks } => {
                let index = chunks.iter().position(|chunk| chunk.kind == JSON_CHUNK).unwrap_or(0);
                format!("chunks[{index}].json.")
            }
            Container::Text => String::new(),
        }
    }

    /// The triangles of a primitive. Those of a fan lie nowhere together.
    fn triangles(&self, primitive: &json::Primitive) -> Elements {
        let accessor = primitive.indices.or_else(|| primitive.attributes.get("POSITION"));
        match (accessor, primitive.mode.unwrap_or(4)) {
            (Some(accessor), 4) => self.elements(accessor, 3),
            (Some(accessor), strips::STRIP) => {
                let mut elements = self.elements(accessor, 1);
                if let Some(bytes) = &mut elements.bytes {
                    bytes.size += 2 * bytes.stride;
                    bytes.count = bytes.count.saturating_sub(2);
                }
                elements
            }
            _ => Elements::default(),
        }
    }

    /// Each so many elements of an accessor whose bytes are in the file itself and neither packed nor sparse.
    fn elements(&self, accessor: u32, each: u64) -> Elements {
        let found = || {
            let accessor =
                self.model.document.accessors.get(accessor as usize).filter(|a| a.sparse.is_none())?;
            let size =
                Shape::named(&accessor.r#type)?.bytes(Component::from_gl(accessor.component_type)?) as u64;
            let view = self.model.document.buffer_views.get(accessor.buffer_view? as usize)?;
            let Container::Glb { chunks } = &self.model.container else { return None };
            let Some(BufferBytes::Inside(range)) = self.model.buffers.get(view.buffer as usize) else {
                return None;
            };
            let chunk = chunks.iter().position(|chunk| chunk.data == *range)?;
            if !view.extensions.is_empty() {
                return None;
            }
            let stride = view.byte_stride.unwrap_or(size);
            let start = view.byte_offset.unwrap_or(0).checked_add(accessor.byte_offset.unwrap_or(0))?;
            let bytes = Strided {
                start,
                stride: stride.checked_mul(each)?,
                size: stride.checked_mul(each - 1)?.checked_add(size)?,
                count: accessor.count / each,
            };
            Some(Elements::list(format!("chunks[{chunk}].bin")).at(bytes))
        };
        found().unwrap_or_default()
    }
}
