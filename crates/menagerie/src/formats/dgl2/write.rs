//! File model to bytes, with the byte map: the layout stands here.

use super::model::{Chunk, ChunkData, ENTITY, HEAD, Head, MaterialData, Model, Properties, TRIANGLE};
use crate::bytes::{ByteMap, Writer};

impl Model {
    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let triangles = self.meshes().map(|(_, _, triangles)| triangles.len()).sum::<usize>();
        let mut writer = Writer::with_capacity(triangles * TRIANGLE.size + self.chunks.len() * 256);
        self.write_to(&mut writer);
        writer.finish().0
    }

    /// What each byte of the file is.
    pub fn byte_map(&self) -> ByteMap {
        Writer::map_of(|w| self.write_to(w))
    }

    fn write_to(&self, w: &mut Writer) {
        for (i, chunk) in self.chunks.iter().enumerate() {
            w.item("chunks", i, |w| chunk.write_to(w));
        }
        w.unused("trailing", &self.trailing);
    }
}

impl Chunk {
    fn write_to(&self, w: &mut Writer) {
        let name = u16::try_from(self.name.len()).unwrap_or(u16::MAX);
        HEAD.write(&Head { kind: self.kind, id: self.id, name, data: 0 }, w);
        // The size of the data is the last of the head.
        let size_at = w.position().saturating_sub(4);
        w.text("name", self.name.get(..usize::from(name)).unwrap_or_default());
        let start = w.position();
        match &self.data {
            ChunkData::Trimesh(triangles, rest) => {
                w.table("triangles", &TRIANGLE, triangles);
                w.unused("rest", rest);
            }
            ChunkData::Material(MaterialData::Sized(properties)) => properties.write_to(w),
            ChunkData::Material(MaterialData::Bare(text)) => w.text("dml", text),
            ChunkData::Entity(entity) => {
                ENTITY.write(entity, w);
                entity.properties.write_to(w);
            }
            ChunkData::Raw(bytes) => w.raw("data", bytes),
        }
        let size = w.position().saturating_sub(start);
        w.patch_u32(size_at, u32::try_from(size).unwrap_or(u32::MAX));
    }
}

impl Properties {
    fn write_to(&self, w: &mut Writer) {
        let size = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        w.u32("dml_size", self.stated_size.unwrap_or(size));
        w.text("dml", &self.text);
        w.unused("after", &self.after);
    }
}
