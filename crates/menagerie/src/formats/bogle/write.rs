//! File model to bytes, with the byte map: the layout stands here.

use super::geometry::{BoneEncoding, Geometry, INDEX, VERTEX_F32, VERTEX_U32};
use super::model::{Animation, BONE, Camera, Collection, Instance, Light, Material, Model, ROTATION, Slot};
use crate::bytes::{ByteMap, Limits, MapNode, Span, Writer};
use crate::diag::{Issue, Issues};
use crate::formats::{FileModel, Format, Lifted, Output, ReadOptions, Summary};

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
        let mut writer = Writer::with_map();
        self.write_to(&mut writer);
        let nothing = || ByteMap { root: MapNode::group("", Span::new(0, 0), Vec::new()) };
        writer.finish().1.unwrap_or_else(nothing)
    }

    /// The byte at which the text of the scene tree begins.
    pub(super) fn tree_offset(&self) -> usize {
        let geometry = |g: &Geometry| 13 + g.name.len() + 80 * g.vertices.len() + 4 * g.indices.len();
        let material = |m: &Material| 135 + m.name.len() + m.textures.iter().map(Vec::len).sum::<usize>();
        let collection = |c: &Collection| {
            let key = 16 + 16 * c.bones.len();
            let animation = |a: &Animation| 8 + a.name.len() + key * a.keys.len();
            77 + c.name.len() + 32 * c.bones.len() + c.animations.iter().map(animation).sum::<usize>()
        };
        46 + self.cameras.iter().map(|camera| 26 + camera.name.len()).sum::<usize>()
            + self.geometries.iter().map(geometry).sum::<usize>()
            + self.materials.iter().map(material).sum::<usize>()
            + self.lights.iter().map(|light| 41 + light.name.len()).sum::<usize>()
            + self.collections.iter().map(collection).sum::<usize>()
            + self.instances.iter().map(|instance| 88 + instance.name.len()).sum::<usize>()
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
        w.u32("width", self.width);
        w.u32("height", self.height);
        w.f32("near", self.near);
        w.f32("far", self.far);
        w.f32("fov", self.fov);
        w.u8("main", self.main);
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
        w.floats("ambient", &self.ambient);
        w.floats("emissive", &self.emissive);
        w.floats("diffuse", &self.diffuse);
        w.floats("specular", &self.specular);
        w.f32("opacity", self.opacity);
        w.f32("specular_power", self.specular_power);
        w.f32("reflectance", self.reflectance);
        w.f32("refraction", self.refraction);
        w.f32("index_of_refraction", self.index_of_refraction);
        w.f32("bump_intensity", self.bump_intensity);
        w.f32("specular_scale", self.specular_scale);
        w.f32("alpha_threshold", self.alpha_threshold);
        w.u8("alpha_blend", self.alpha_blend);
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
        w.floats("color", &self.color);
        w.f32("constant", self.constant);
        w.f32("linear", self.linear);
        w.f32("quadratic", self.quadratic);
        w.f32("intensity", self.intensity);
        w.f32("angle", self.angle);
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
            w.f32("time", key.time);
            w.floats("root_offset", &key.root_offset);
            w.table("rotations", &ROTATION, &key.rotations);
        });
    }
}

impl Instance {
    fn write_to(&self, w: &mut Writer) {
        text(w, "name_length", "name", &self.name);
        w.u32("camera", self.camera);
        w.u32("geometry", self.geometry);
        w.u32("material", self.material);
        w.u32("light", self.light);
        w.u32("animation_collection", self.collection);
        w.floats("matrix", &self.matrix);
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

    fn check_engine(&self, limits: &Limits, issues: &mut Issues) {
        super::check_engine(self, limits, issues);
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
