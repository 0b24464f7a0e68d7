//! File model to bytes, with the byte map: the fields of records are in `fields`.

use super::fields::Fields;
use super::model::{Channel, Framing, Kind, Level, Mesh, Model, MorphTarget, Profile, Record};
use super::{codes, frame};
use crate::bytes::{ByteMap, Writer};
use crate::diag::Issue;

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
        self.pack(&self.body())
    }

    /// The bytes of the file, with what they are made of let go of on the way.
    pub(super) fn into_bytes(mut self) -> Result<Vec<u8>, Issue> {
        if self.damaged.is_some() || self.framing == Framing::Raw {
            return self.to_bytes();
        }
        self.check_sizes()?;
        let body = self.body();
        self.records = Vec::new();
        let packed = self.pack(&body)?;
        drop(body);
        let mut w = Writer::with_capacity(packed.len() + self.trailing.len() + 256);
        self.write_header(&mut w);
        w.raw("body", &packed);
        w.unused("trailing", &self.trailing);
        Ok(w.finish().0)
    }

    /// A body as the framing has it.
    fn pack(&self, body: &[u8]) -> Result<Vec<u8>, Issue> {
        let (stored, zstd) = match &self.framing {
            Framing::Raw => (None, false),
            Framing::Zlib { stored } => (stored.as_ref(), false),
            Framing::Zstd { stored } => (stored.as_ref(), true),
        };
        match stored.filter(|stored| frame::says(stored, body, zstd)) {
            Some(stored) => Ok(stored.to_vec()),
            None if zstd => frame::deflate_zstd(body, self.header.level),
            None => frame::deflate_zlib(body, self.header.level),
        }
    }

    /// Fails for strings and buffers whose length the file has no number for.
    fn check_sizes(&self) -> Result<(), Issue> {
        let mut long = false;
        let of_records = self.records.iter().filter_map(Record::fields);
        for fields in std::iter::once(&self.header as &dyn Fields).chain(of_records) {
            fields.texts(self.profile, &mut |_, text| long |= u16::try_from(text.bytes.len()).is_err());
        }
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
        self.map_of(None)
    }

    /// The same of a file that was written, of which the length is known.
    pub(super) fn map_of(&self, length: Option<usize>) -> ByteMap {
        Writer::map_of(|w| {
            self.write_header(w);
            let known = length.and_then(|length| length.checked_sub(w.position() + self.trailing.len()));
            match &self.framing {
                Framing::Raw => self.write_raw(w),
                Framing::Zlib { stored } | Framing::Zstd { stored } => {
                    let damaged = self.damaged.as_deref().or(stored.as_deref()).map(<[u8]>::len);
                    let packed = || self.packed().ok().map(|packed| packed.len());
                    let stored = known.or(damaged).or_else(packed).unwrap_or_default();
                    w.encoded("body", stored, |w| self.write_records(w));
                }
            }
            w.unused("trailing", &self.trailing);
        })
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
        w.group("header", |w| {
            w.text("magic", &super::MAGIC);
            self.header.write(w, self.profile);
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
            Record::Channel(channel) => self.channel(w, channel),
            _ => {
                if let Some(fields) = record.fields() {
                    fields.write(w, self.profile);
                }
            }
        }
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
        level.write(w, self.profile);
        w.u32("morph_count", count(level.morphs.len()));
        for (index, morph) in level.morphs.iter().enumerate() {
            w.item("morphs", index, |w| self.morph(w, morph));
        }
        w.u32("lod_count", level.lods);
    }

    fn morph(&self, w: &mut Writer, morph: &MorphTarget) {
        w.u8("identifier", super::MORPH_TARGET);
        morph.write(w, self.profile);
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
}

fn floats(w: &mut Writer, name: &'static str, values: &[f32]) {
    if !values.is_empty() {
        w.floats(name, values);
    }
}

/// A length as the number that the format has for it.
fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
