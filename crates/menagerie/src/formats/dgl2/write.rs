//! File model to bytes, with the byte map: the layout stands here.

use super::model::{Chunk, ChunkData, EntityData, MaterialData, Model, Properties, TRIANGLE};
use crate::bytes::{ByteMap, Limits, MapNode, Span, Writer};
use crate::diag::{Issue, Issues};
use crate::formats::{FileModel, Format, Lifted, Output, ReadOptions, Summary};

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
        let mut writer = Writer::with_map();
        self.write_to(&mut writer);
        let empty = || ByteMap { root: MapNode::group("", Span::new(0, 0), Vec::new()) };
        writer.finish().1.unwrap_or_else(empty)
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
        w.u16("type", self.kind);
        w.i32("id", self.id);
        w.u16("name_size", u16::try_from(self.name.len()).unwrap_or(u16::MAX));
        let size_at = w.position();
        w.u32("data_size", 0);
        w.text("name", self.name.get(..self.name.len().min(usize::from(u16::MAX))).unwrap_or_default());
        let start = w.position();
        match &self.data {
            ChunkData::Trimesh(triangles, rest) => {
                w.table("triangles", &TRIANGLE, triangles);
                w.unused("rest", rest);
            }
            ChunkData::Material(MaterialData::Sized(properties)) => properties.write_to(w),
            ChunkData::Material(MaterialData::Bare(text)) => w.text("dml", text),
            ChunkData::Entity(entity) => entity.write_to(w),
            ChunkData::Raw(bytes) => w.raw("data", bytes),
        }
        let size = w.position().saturating_sub(start);
        w.patch_u32(size_at, u32::try_from(size).unwrap_or(u32::MAX));
    }
}

impl EntityData {
    fn write_to(&self, w: &mut Writer) {
        w.u32("entity_type", self.kind);
        w.i32("material", self.material);
        w.i32("mesh", self.mesh);
        w.floats("position", &self.position);
        w.floats("rotation", &self.rotation);
        w.floats("scaling", &self.scaling);
        self.properties.write_to(w);
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

impl FileModel for Model {
    fn format(&self) -> &'static Format {
        &super::FORMAT
    }

    fn summary(&self) -> Summary {
        Model::summary(self)
    }

    fn dialect(&self) -> Option<String> {
        Model::dialect(self)
    }

    fn check(&self, _: &Limits, issues: &mut Issues) {
        super::check(self, issues);
    }

    fn check_engine(&self, _: &Limits, issues: &mut Issues) {
        super::check_engine(self, issues);
    }

    fn layout(&self) -> ByteMap {
        self.byte_map()
    }

    fn write(&self) -> Result<Output, Issue> {
        Ok(self.to_bytes().into())
    }

    fn lift(&self, options: &ReadOptions<'_>) -> Result<Lifted, Issue> {
        crate::formats::of_lifting(&self.summary(), &options.limits)?;
        Ok(super::lift(self, options))
    }

    fn lift_as_engine(&self, options: &ReadOptions<'_>) -> Result<Option<Lifted>, Issue> {
        Ok(Some(super::lift_as_engine(self, options)))
    }
}
