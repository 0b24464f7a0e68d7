//! File model to bytes, with the byte map: the layout stands here.

use super::geometry::{BoneEncoding, Geometry, INDEX, VERTEX_F32, VERTEX_U32};
use super::model::{
    Animation, BONE, CAMERA, Camera, Collection, INSTANCE, Instance, KEY, LIGHT, Light, MATERIAL, Material,
    Model, ROTATION, Slot,
};
use super::read::least;
use crate::bytes::{ByteMap, Writer};

/// The bytes of the header: the magic number, the version and six counts.
const HEADER: usize = 5 + 1 + 6 * 4;

impl Model {
    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer =
            Writer::with_capacity(self.tree_offset() + self.tree.len() + 1 + self.trailing.len());
        self.write_to(&mut writer);
        writer.finish().0
    }

    /// What each byte of the file is.
    pub fn byte_map(&self) -> ByteMap {
        Writer::map_of(|w| self.write_to(w))
    }

    /// The byte at which the text of the scene tree begins.
    pub(super) fn tree_offset(&self) -> usize {
        let geometry = |g: &Geometry| {
            let lists = VERTEX_F32.size * g.vertices.len() + INDEX.size * g.indices.len();
            least::GEOMETRY + g.name.len() + lists
        };
        let textures = |m: &Material| m.textures.iter().map(Vec::len).sum::<usize>();
        let collection = |c: &Collection| {
            let key = least::KEY + least::ROTATION * c.bones.len();
            let animation = |a: &Animation| least::ANIMATION + a.name.len() + key * a.keys.len();
            let animations = c.animations.iter().map(animation).sum::<usize>();
            least::COLLECTION + c.name.len() + BONE.size * c.bones.len() + animations
        };
        let ambient = 16;
        HEADER
            + ambient
            + self.cameras.iter().map(|c| least::CAMERA + c.name.len()).sum::<usize>()
            + self.geometries.iter().map(geometry).sum::<usize>()
            + self.materials.iter().map(|m| least::MATERIAL + m.name.len() + textures(m)).sum::<usize>()
            + self.lights.iter().map(|l| least::LIGHT + l.name.len()).sum::<usize>()
            + self.collections.iter().map(collection).sum::<usize>()
            + self.instances.iter().map(|i| least::INSTANCE + i.name.len()).sum::<usize>()
    }

    /// The counts of the header; those of a file that is cut off are what it had.
    fn counts(&self) -> [u32; 6] {
        let own = [
            self.cameras.len(),
            self.geometries.len(),
            self.materials.len(),
            self.lights.len(),
            self.collections.len(),
            self.instances.len(),
        ];
        self.cut.as_ref().map_or(own.map(count), |cut| cut.counts)
    }

    fn write_to(&self, w: &mut Writer) {
        let [cameras, geometries, materials, lights, collections, instances] = self.counts();
        w.group("header", |w| {
            w.text("magic", &super::MAGIC);
            w.u8("version", self.version);
            w.u32("camera_count", cameras);
            w.u32("geometry_count", geometries);
            w.u32("material_count", materials);
            w.u32("light_count", lights);
            w.u32("animation_collection_count", collections);
            w.u32("instance_count", instances);
        });
        w.floats("ambient", &self.ambient);
        list(w, "cameras", &self.cameras, Camera::write_to);
        list(w, "geometries", &self.geometries, Geometry::write_to);
        list(w, "materials", &self.materials, Material::write_to);
        list(w, "lights", &self.lights, Light::write_to);
        list(w, "animation_collections", &self.collections, Collection::write_to);
        list(w, "instances", &self.instances, Instance::write_to);
        if let Some(cut) = &self.cut {
            return w.unused("cut", &cut.rest);
        }
        w.text("tree", &self.tree);
        w.u8("terminator", 0);
        w.unused("trailing", &self.trailing);
    }
}

fn list<T>(w: &mut Writer, name: &'static str, records: &[T], write: impl Fn(&T, &mut Writer)) {
    for (index, record) in records.iter().enumerate() {
        w.item(name, index, |w| write(record, w));
    }
}

/// A length as the number that the format has for it.
fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn text(w: &mut Writer, length_name: &'static str, name: &'static str, bytes: &[u8]) {
    w.u32(length_name, count(bytes.len()));
    w.text(name, bytes);
}

impl Camera {
    fn write_to(&self, w: &mut Writer) {
        w.u8("type", self.kind);
        text(w, "name_length", "name", &self.name);
        CAMERA.write(self, w);
    }
}

impl Geometry {
    fn write_to(&self, w: &mut Writer) {
        w.u8("type", self.kind);
        text(w, "name_length", "name", &self.name);
        w.u32("vertex_count", count(self.vertices.len()));
        w.u32("index_count", count(self.indices.len()));
        let record = match self.bone_encoding() {
            Some(BoneEncoding::Integer) => &VERTEX_U32,
            _ => &VERTEX_F32,
        };
        w.table("vertices", record, &self.vertices);
        w.table("indices", &INDEX, &self.indices);
    }
}

impl Material {
    fn write_to(&self, w: &mut Writer) {
        w.u8("type", self.kind);
        w.u8("shader", self.shader);
        text(w, "name_length", "name", &self.name);
        MATERIAL.write(self, w);
        w.group("textures", |w| {
            for (name, slot) in self.textures.iter().zip(Slot::ALL) {
                text(w, slot.length_name(), slot.name(), name);
            }
        });
    }
}

impl Light {
    fn write_to(&self, w: &mut Writer) {
        w.u8("type", self.kind);
        text(w, "name_length", "name", &self.name);
        LIGHT.write(self, w);
    }
}

impl Collection {
    fn write_to(&self, w: &mut Writer) {
        w.u8("type", self.kind);
        text(w, "name_length", "name", &self.name);
        w.u32("animation_count", count(self.animations.len()));
        w.floats("transform", &self.transform);
        w.u32("bone_count", count(self.bones.len()));
        w.table("bones", &BONE, &self.bones);
        list(w, "animations", &self.animations, Animation::write_to);
    }
}

impl Animation {
    fn write_to(&self, w: &mut Writer) {
        text(w, "name_length", "name", &self.name);
        w.u32("key_count", count(self.keys.len()));
        list(w, "keys", &self.keys, |key, w| {
            KEY.write(key, w);
            w.table("rotations", &ROTATION, &key.rotations);
        });
    }
}

impl Instance {
    fn write_to(&self, w: &mut Writer) {
        text(w, "name_length", "name", &self.name);
        INSTANCE.write(self, w);
    }
}
