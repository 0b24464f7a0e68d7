//! File model to bytes, with the byte map: the layout stands here.

use super::model::{
    BONE, COLOUR, ENTITY, Entity, KEY, MESH, MeshData, Model, TRIANGLE, VERTEX16, VERTEX32, Vertices,
};
use crate::bytes::{ByteMap, Writer, align};

const ZEROS: [u8; 3] = [0; 3];

impl Model {
    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::with_capacity(self.estimated_bytes());
        self.write_to(&mut writer);
        writer.finish().0
    }

    /// What each byte of the file is.
    pub fn byte_map(&self) -> ByteMap {
        Writer::map_of(|w| self.write_to(w))
    }

    fn estimated_bytes(&self) -> usize {
        let vertex = |mesh: &MeshData| mesh.vertices.len() * 32 + mesh.triangles.len() * 6;
        let lists = |entity: &Entity| entity.keys.len() * 44 + entity.mesh.as_ref().map_or(0, vertex);
        self.entities.iter().map(|entity| 128 + lists(entity)).sum()
    }

    fn write_to(&self, w: &mut Writer) {
        w.group("header", |w| {
            w.text("magic", &super::MAGIC);
            w.i32("version", self.version);
            w.i32("entity_count", self.stated_count.unwrap_or(count(self.entities.len())));
            w.i32("entity_list_bytes", self.stated_list_bytes.unwrap_or_default());
            w.i32("vfloat_bits", self.vfloat.bits());
        });
        for (i, entity) in self.entities.iter().enumerate() {
            w.item("entities", i, |w| {
                entity.write_to(w);
            });
        }
        if self.stated_list_bytes.is_none() {
            w.patch_u32(12, w.position().saturating_sub(20) as u32);
        }
        w.unused("trailing", &self.trailing);
    }
}

impl Entity {
    fn write_to(&self, w: &mut Writer) {
        let start = w.position();
        w.i32("size", 0);
        ENTITY.write(self, w);
        w.i32("keyframe_count", count(self.keys.len()));
        w.i32("name_length", count(self.name.len()));
        w.i32("vertex_count", count(self.mesh.as_ref().map_or(0, |mesh| mesh.vertices.len())));
        if let Some(mesh) = &self.mesh {
            mesh.write_header(w);
        }
        w.table("keys", &KEY, &self.keys);
        w.text("name", &self.name);
        padding(w, "name_padding", self.name.len(), self.name_padding.as_deref());
        if let Some(mesh) = &self.mesh {
            mesh.write_lists(w);
        }
        w.unused("surplus", &self.surplus);
        let size = w.position().saturating_sub(start);
        w.patch_u32(start, size as u32);
        padding(w, "gap", size, self.gap.as_deref());
    }
}

impl MeshData {
    fn write_header(&self, w: &mut Writer) {
        w.i32("colour_count", count(self.colours.len()));
        w.i32("triangle_count", count(self.triangles.len()));
        w.i32("texture_length", count(self.texture.len()));
        MESH.write(self, w);
        w.i32("bone_count", count(self.bones.len()));
    }

    fn write_lists(&self, w: &mut Writer) {
        match &self.vertices {
            Vertices::Half(vertices) => w.table("vertices", &VERTEX16, vertices),
            Vertices::Full(vertices) => w.table("vertices", &VERTEX32, vertices),
        }
        w.table("colours", &COLOUR, &self.colours);
        padding(w, "colours_padding", self.colours.len() * 3, self.colours_padding.as_deref());
        w.table("triangles", &TRIANGLE, &self.triangles);
        padding(w, "triangles_padding", self.triangles.len() * 6, self.triangles_padding.as_deref());
        w.text("texture", &self.texture);
        padding(w, "texture_padding", self.texture.len(), self.texture_padding.as_deref());
        w.table("bones", &BONE, &self.bones);
    }
}

/// Fills a list of `length` bytes up to four: with the file's own bytes, or with zeros.
fn padding(w: &mut Writer, name: &'static str, length: usize, own: Option<&[u8]>) {
    let needed = align(length, 4).unwrap_or(length) - length;
    w.padding(name, own.unwrap_or_else(|| ZEROS.get(..needed).unwrap_or_default()));
}

/// A length as the signed number that the format has for it.
fn count(length: usize) -> i32 {
    i32::try_from(length).unwrap_or(i32::MAX)
}
