//! File model to bytes, with the byte map: the layout of every record stands here.

use super::model::{
    Channel, Framing, Header, Joint, Kind, Level, Mesh, Model, MorphTarget, Node, Pbr, Phong, Placement,
    Profile, Record, Ref, SLOTS, Text,
};
use super::{codes, frame};
use crate::bytes::{ByteMap, FieldType, Limits, MapNode, Span, Writer};
use crate::diag::{Issue, Issues};
use crate::formats::{FileModel, Format, Lifted, Output, ReadOptions, Summary};

/// The field names of a string (`x_length`, `x_hash`, `x`) or of a place in a buffer (`x_buffer`, `x_offset`).
macro_rules! names {
    ("index") => {
        ["index_buffer", "index_offset", "index"]
    };
    ("position") => {
        ["position_buffer", "position_offset", "position"]
    };
    ("normal") => {
        ["normal_buffer", "normal_offset", "normal"]
    };
    ("uv") => {
        ["uv_buffers", "uv_offsets", "uv"]
    };
    ("color") => {
        ["color_buffer", "color_offset", "color"]
    };
    ("joint_indices") => {
        ["joint_indices_buffers", "joint_indices_offsets", "joint_indices"]
    };
    ("joint_weights") => {
        ["joint_weights_buffers", "joint_weights_offsets", "joint_weights"]
    };
    ($name:literal) => {
        [concat!($name, "_length"), concat!($name, "_hash"), $name]
    };
}

impl Model {
    /// The bytes of the file. A compressed body is the one that was read, as long as it says the same; else it is
    /// compressed anew.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Issue> {
        self.check_sizes()?;
        let mut w = Writer::with_capacity(self.body_capacity() + 256);
        self.write_header(&mut w);
        match (&self.damaged, &self.framing) {
            (Some(body), _) => w.raw("body", body),
            (None, Framing::Raw) => self.write_records(&mut w),
            (None, _) => w.raw("body", &self.packed()?),
        }
        w.unused("trailing", &self.trailing);
        Ok(w.finish().0)
    }

    /// The body compressed.
    fn packed(&self) -> Result<Vec<u8>, Issue> {
        let body = self.body();
        let (stored, zstd) = match &self.framing {
            Framing::Raw => (None, false),
            Framing::Zlib { stored } => (stored.as_ref(), false),
            Framing::Zstd { stored } => (stored.as_ref(), true),
        };
        match stored.filter(|stored| frame::says(stored, &body, zstd)) {
            Some(stored) => Ok(stored.to_vec()),
            None if zstd => frame::deflate_zstd(&body, self.header.level),
            None => frame::deflate_zlib(&body, self.header.level),
        }
    }

    /// Fails for strings and buffers whose length the file has no number for.
    fn check_sizes(&self) -> Result<(), Issue> {
        let header = [&self.header.author, &self.header.comment];
        let of_records = self.records.iter().flat_map(texts);
        let long = header.into_iter().chain(of_records).any(|text| u16::try_from(text.bytes.len()).is_err());
        let large =
            |record: &Record| matches!(record, Record::Buffer(b) if u32::try_from(b.data.len()).is_err());
        if long || self.records.iter().any(large) {
            let message = "a string is longer than 65535 bytes, or a buffer larger than 4 GB";
            return Err(Issue::new(&codes::TOO_LARGE, "", message));
        }
        Ok(())
    }

    /// The records as they are before compression.
    pub fn body(&self) -> Vec<u8> {
        let mut w = Writer::with_capacity(self.body_capacity());
        self.write_records(&mut w);
        w.finish().0
    }

    /// What each byte of the file is. For a compressed body, what each inflated byte is.
    pub fn byte_map(&self) -> ByteMap {
        let mut w = Writer::with_map();
        self.write_header(&mut w);
        let stored = match &self.framing {
            Framing::Raw => None,
            Framing::Zlib { stored } | Framing::Zstd { stored } => {
                let damaged = self.damaged.as_ref().or(stored.as_ref()).map(|stored| stored.len());
                Some(damaged.or_else(|| self.packed().ok().map(|packed| packed.len())))
            }
        };
        match stored {
            None => self.write_raw(&mut w),
            Some(stored) => {
                let mut body = Writer::with_map();
                self.write_records(&mut body);
                let (bytes, map) = body.finish();
                w.encoded("body", stored.unwrap_or_default(), bytes, map.unwrap_or_else(no_map));
            }
        }
        w.unused("trailing", &self.trailing);
        w.finish().1.unwrap_or_else(no_map)
    }

    /// The records, and in a damaged file the bytes after the last whole one.
    fn write_raw(&self, w: &mut Writer) {
        self.write_records(w);
        let whole = self.body().len();
        if let Some(cut) = self.damaged.as_ref().and_then(|body| body.get(whole..)) {
            w.unused("cut", cut);
        }
    }

    /// The bytes that the body will have at least.
    fn body_capacity(&self) -> usize {
        let of = |record: &Record| match record {
            Record::Buffer(buffer) => buffer.data.len() + 5,
            Record::Mesh(mesh) => mesh.levels.len() * 242,
            _ => 160,
        };
        self.records.iter().map(of).sum()
    }

    fn write_header(&self, w: &mut Writer) {
        let Header { author, comment, vertices_count, mesh_count, animation_count, default_scene, level } =
            &self.header;
        w.group("header", |w| {
            w.text("magic", &super::MAGIC);
            self.text(w, names!("author"), author);
            self.text(w, names!("comment"), comment);
            w.u32("vertices_count", *vertices_count);
            w.u32("mesh_count", *mesh_count);
            w.u32("animation_count", *animation_count);
            w.u32("default_scene", *default_scene);
            w.u8("level", *level);
        });
    }

    fn write_records(&self, w: &mut Writer) {
        let mut counts = [0usize; Kind::ALL.len()];
        for record in &self.records {
            let kind = record.kind();
            let count = counts.get_mut(kind as usize);
            let index = count.map_or(0, |count| std::mem::replace(count, *count + 1));
            w.item(kind.list(), index, |w| {
                w.u8("identifier", kind.identifier(self.numbering));
                self.write_record(w, record);
            });
        }
    }

    fn write_record(&self, w: &mut Writer, record: &Record) {
        match record {
            Record::Buffer(buffer) => {
                w.u32("length", count(buffer.data.len()));
                w.raw("data", &buffer.data);
            }
            Record::Mesh(mesh) => self.mesh(w, mesh),
            Record::MeshGroup(group) => {
                self.text(w, names!("name"), &group.name);
                ids(w, "mesh_count", "meshes", &group.meshes);
            }
            Record::Node(node) => self.node(w, node),
            Record::Scene(scene) => {
                self.text(w, names!("name"), &scene.name);
                ids(w, "root_count", "roots", &scene.roots);
            }
            Record::Joint(joint) => self.joint(w, joint),
            Record::Skeleton(skeleton) => {
                self.text(w, names!("name"), &skeleton.name);
                w.u32("parent", skeleton.parent);
                ids(w, "joint_count", "joints", &skeleton.joints);
            }
            Record::Animation(animation) => {
                if self.profile == Profile::Libdas2 {
                    self.text(w, names!("name"), &animation.name);
                }
                ids(w, "channel_count", "channels", &animation.channels);
            }
            Record::Channel(channel) => self.channel(w, channel),
            Record::Phong(material) => self.phong(w, material),
            Record::Pbr(material) => self.pbr(w, material),
        }
    }

    fn text(&self, w: &mut Writer, [length, hash, name]: [&'static str; 3], text: &Text) {
        w.u16(length, u16::try_from(text.bytes.len()).unwrap_or(u16::MAX));
        if self.profile == Profile::Libdas2 {
            w.u64(hash, text.hash);
        }
        w.text(name, &text.bytes);
    }

    fn mesh(&self, w: &mut Writer, mesh: &Mesh) {
        for (index, level) in mesh.levels.iter().enumerate() {
            match index.checked_sub(1) {
                None => self.level(w, level),
                Some(below) => w.item("lods", below, |w| {
                    w.u8("identifier", Kind::Mesh.identifier(self.numbering));
                    self.level(w, level);
                }),
            }
        }
    }

    fn level(&self, w: &mut Writer, level: &Level) {
        self.place(w, names!("index"), level.index);
        w.u32("draw_count", level.draw_count);
        self.place(w, names!("position"), level.position);
        self.place(w, names!("normal"), level.normal);
        self.places(w, names!("uv"), &level.uv);
        self.place(w, names!("color"), level.color);
        self.places(w, names!("joint_indices"), &level.joint_indices);
        self.places(w, names!("joint_weights"), &level.joint_weights);
        w.u8("material_type", level.material_type);
        w.u32("material", level.material);
        w.u32("morph_count", count(level.morphs.len()));
        for (index, morph) in level.morphs.iter().enumerate() {
            w.item("morphs", index, |w| self.morph(w, morph));
        }
        w.u32("lod_count", level.lods);
    }

    fn morph(&self, w: &mut Writer, morph: &MorphTarget) {
        w.u8("identifier", super::MORPH_TARGET);
        self.place(w, names!("index"), morph.index);
        self.place(w, names!("position"), morph.position);
        self.place(w, names!("normal"), morph.normal);
        self.places(w, names!("uv"), &morph.uv);
        self.place(w, names!("color"), morph.color);
    }

    fn place(&self, w: &mut Writer, [buffer, offset, _]: [&'static str; 3], place: Ref) {
        if self.profile == Profile::Spec {
            w.u32(buffer, place.buffer);
        }
        w.u32(offset, place.offset);
    }

    fn places(&self, w: &mut Writer, [buffer, offset, _]: [&'static str; 3], places: &[Ref; SLOTS]) {
        let bytes = |of: fn(&Ref) -> u32| -> Vec<u8> {
            places.iter().flat_map(|place| of(place).to_le_bytes()).collect()
        };
        if self.profile == Profile::Spec {
            w.field(buffer, FieldType::U32, &bytes(|place| place.buffer));
        }
        w.field(offset, FieldType::U32, &bytes(|place| place.offset));
    }

    fn node(&self, w: &mut Writer, node: &Node) {
        self.text(w, names!("name"), &node.name);
        ids(w, "child_count", "children", &node.children);
        w.u32("mesh_group", node.mesh_group);
        w.u32("skeleton", node.skeleton);
        w.floats("custom", &node.custom);
        placement(w, &node.placement);
    }

    fn joint(&self, w: &mut Writer, joint: &Joint) {
        self.text(w, names!("name"), &joint.name);
        ids(w, "child_count", "children", &joint.children);
        w.floats("inverse_bind", &joint.inverse_bind);
        placement(w, &joint.placement);
    }

    fn channel(&self, w: &mut Writer, channel: &Channel) {
        w.u32("node", channel.node);
        w.u32("joint", channel.joint);
        w.u8("target", channel.target.byte());
        w.u8("interpolation", channel.interpolation.byte());
        match self.profile {
            Profile::Spec => {
                w.u32("keyframe_count", count(channel.times.len()));
                w.u32("weight_count", channel.weight_count);
            }
            Profile::Libdas2 => {
                w.u32("weight_count", channel.weight_count);
                w.u32("keyframe_count", count(channel.times.len()));
            }
        }
        floats(w, "times", &channel.times);
        floats(w, "tangents", &channel.tangents);
        floats(w, "values", &channel.values);
    }

    fn phong(&self, w: &mut Writer, material: &Phong) {
        self.text(w, names!("name"), &material.name);
        w.floats("diffuse", &material.diffuse);
        w.floats("specular", &material.specular);
        w.floats("emission", &material.emission);
        self.text(w, names!("diffuse_map"), &material.diffuse_map);
        self.text(w, names!("specular_map"), &material.specular_map);
        self.text(w, names!("emission_map"), &material.emission_map);
    }

    fn pbr(&self, w: &mut Writer, material: &Pbr) {
        self.text(w, names!("name"), &material.name);
        w.floats("albedo", &material.albedo);
        w.floats("emissive", &material.emissive);
        w.f32("roughness", material.roughness);
        w.f32("metallic", material.metallic);
        w.f32("ambient_occlusion", material.ambient_occlusion);
        self.text(w, names!("albedo_map"), &material.albedo_map);
        self.text(w, names!("emission_map"), &material.emission_map);
        if self.profile == Profile::Spec {
            self.text(w, names!("roughness_map"), &material.roughness_map);
        }
        self.text(w, names!("metallic_map"), &material.metallic_map);
        self.text(w, names!("ambient_occlusion_map"), &material.ambient_occlusion_map);
    }
}

/// The strings of a record.
fn texts(record: &Record) -> Vec<&Text> {
    match record {
        Record::Buffer(_) | Record::Mesh(_) | Record::Channel(_) => Vec::new(),
        Record::MeshGroup(x) => vec![&x.name],
        Record::Node(x) => vec![&x.name],
        Record::Scene(x) => vec![&x.name],
        Record::Joint(x) => vec![&x.name],
        Record::Skeleton(x) => vec![&x.name],
        Record::Animation(x) => vec![&x.name],
        Record::Phong(x) => vec![&x.name, &x.diffuse_map, &x.specular_map, &x.emission_map],
        Record::Pbr(x) => vec![
            &x.name,
            &x.albedo_map,
            &x.emission_map,
            &x.roughness_map,
            &x.metallic_map,
            &x.ambient_occlusion_map,
        ],
    }
}

fn no_map() -> ByteMap {
    ByteMap { root: MapNode::group("", Span::new(0, 0), Vec::new()) }
}

/// A list of ids after its length.
fn ids(w: &mut Writer, length: &'static str, name: &'static str, ids: &[u32]) {
    w.u32(length, count(ids.len()));
    if !ids.is_empty() {
        let bytes: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
        w.field(name, FieldType::U32, &bytes);
    }
}

fn floats(w: &mut Writer, name: &'static str, values: &[f32]) {
    if !values.is_empty() {
        w.floats(name, values);
    }
}

fn placement(w: &mut Writer, placement: &Placement) {
    w.floats("rotation", &placement.rotation);
    w.floats("translation", &placement.translation);
    w.f32("scale", placement.scale);
}

/// A length as the number that the format has for it.
fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
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
        Ok(self.to_bytes()?.into())
    }

    fn lift(&self, options: &ReadOptions<'_>) -> Result<Lifted, Issue> {
        crate::formats::of_lifting(&self.summary(), &options.limits)?;
        Ok(super::lift(self, options))
    }

    fn lift_as_engine(&self, options: &ReadOptions<'_>) -> Result<Option<Lifted>, Issue> {
        Ok(super::lift_as_engine(self, options))
    }

    fn lift_as_others(&self, options: &ReadOptions<'_>) -> Option<Lifted> {
        super::lift::lift_as_others(self, options)
    }
}
