//! The fields of every record, listed once: reading, writing, the byte map and the checks of texts and floats follow.

use super::model::{
    Animation, Header, Joint, Level, MeshGroup, MorphTarget, Node, PLACEMENT, Pbr, Phong, Placement, Profile,
    Record, Ref, SLOTS, Scene, Skeleton, Text,
};
use crate::bytes::{FieldType, ReadError, Reader, Stored, Writer};

/// The names of a field and of what it is made of.
pub(super) struct Names {
    /// Its own.
    name: &'static str,
    /// How many elements it has.
    count: &'static str,
    /// Of a text.
    length: &'static str,
    hash: &'static str,
    /// Of a place in a buffer, and of several.
    buffer: [&'static str; 2],
    offset: [&'static str; 2],
}

/// What a field can be. Errors of reading have the field's own name, whatever part of it is missing.
pub(super) trait Part: Sized {
    fn read(r: &mut Reader<'_>, names: &Names, profile: Profile) -> Result<Self, ReadError>;
    fn write(&self, w: &mut Writer, names: &Names, profile: Profile);
    fn text(&self) -> Option<&Text> {
        None
    }
    fn floats(&self) -> Option<&[f32]> {
        None
    }
}

/// The fields of a record in their order.
pub(super) trait Fields {
    fn read(&mut self, r: &mut Reader<'_>, profile: Profile) -> Result<(), ReadError>;
    fn write(&self, w: &mut Writer, profile: Profile);
    /// Shows the texts.
    fn texts<'a>(&'a self, profile: Profile, show: &mut dyn FnMut(&'static str, &'a Text));
    /// Shows the fields that hold floats.
    fn floats(&self, show: &mut dyn FnMut(&'static str, &[f32]));
}

/// `fields!(node: Node { "name" => node.name, … })`. A list of ids has the name of its count after a slash, and a field
/// that only one profile has that profile.
macro_rules! fields {
    ($of:ident: $type:ty {
        $($name:literal $(/ $count:literal)? $(in $profile:ident)? => $($place:ident).+),* $(,)?
    }) => {
        impl Fields for $type {
            fn read(&mut self, r: &mut Reader<'_>, profile: Profile) -> Result<(), ReadError> {
                let $of = self;
                $(if true $(&& profile == Profile::$profile)? {
                    $($place).+ = Part::read(r, &names!($name $(/ $count)?), profile)?;
                })*
                Ok(())
            }
            fn write(&self, w: &mut Writer, profile: Profile) {
                let $of = self;
                $(if true $(&& profile == Profile::$profile)? {
                    Part::write(&$($place).+, w, &names!($name $(/ $count)?), profile);
                })*
            }
            fn texts<'a>(&'a self, profile: Profile, show: &mut dyn FnMut(&'static str, &'a Text)) {
                let ($of, _) = (self, profile);
                $(if let Some(text) = Part::text(&$($place).+) $(&& profile == Profile::$profile)? {
                    show($name, text);
                })*
            }
            fn floats(&self, show: &mut dyn FnMut(&'static str, &[f32])) {
                let $of = self;
                $(if let Some(floats) = Part::floats(&$($place).+) {
                    show($name, floats);
                })*
            }
        }
    };
}

macro_rules! names {
    ($name:literal) => {
        names!($name / "")
    };
    ($name:literal / $count:literal) => {
        Names {
            name: $name,
            count: $count,
            length: concat!($name, "_length"),
            hash: concat!($name, "_hash"),
            buffer: [concat!($name, "_buffer"), concat!($name, "_buffers")],
            offset: [concat!($name, "_offset"), concat!($name, "_offsets")],
        }
    };
}

fields!(header: Header {
    "author" => header.author,
    "comment" => header.comment,
    "vertices_count" => header.vertices_count,
    "mesh_count" => header.mesh_count,
    "animation_count" => header.animation_count,
    "default_scene" => header.default_scene,
    "level" => header.level,
});

// A level up to the number of its morph targets.
fields!(level: Level {
    "index" => level.index,
    "draw_count" => level.draw_count,
    "position" => level.position,
    "normal" => level.normal,
    "uv" => level.uv,
    "color" => level.color,
    "joint_indices" => level.joint_indices,
    "joint_weights" => level.joint_weights,
    "material_type" => level.material_type,
    "material" => level.material,
});

fields!(morph: MorphTarget {
    "index" => morph.index,
    "position" => morph.position,
    "normal" => morph.normal,
    "uv" => morph.uv,
    "color" => morph.color,
});

fields!(group: MeshGroup { "name" => group.name, "meshes" / "mesh_count" => group.meshes });

fields!(node: Node {
    "name" => node.name,
    "children" / "child_count" => node.children,
    "mesh_group" => node.mesh_group,
    "skeleton" => node.skeleton,
    "custom" => node.custom,
    "placement" => node.placement,
});

fields!(scene: Scene { "name" => scene.name, "roots" / "root_count" => scene.roots });

fields!(joint: Joint {
    "name" => joint.name,
    "children" / "child_count" => joint.children,
    "inverse_bind" => joint.inverse_bind,
    "placement" => joint.placement,
});

fields!(skeleton: Skeleton {
    "name" => skeleton.name,
    "parent" => skeleton.parent,
    "joints" / "joint_count" => skeleton.joints,
});

fields!(animation: Animation {
    "name" in Libdas2 => animation.name,
    "channels" / "channel_count" => animation.channels,
});

fields!(material: Phong {
    "name" => material.name,
    "diffuse" => material.diffuse,
    "specular" => material.specular,
    "emission" => material.emission,
    "diffuse_map" => material.diffuse_map,
    "specular_map" => material.specular_map,
    "emission_map" => material.emission_map,
});

fields!(material: Pbr {
    "name" => material.name,
    "albedo" => material.albedo,
    "emissive" => material.emissive,
    "roughness" => material.roughness,
    "metallic" => material.metallic,
    "ambient_occlusion" => material.ambient_occlusion,
    "albedo_map" => material.albedo_map,
    "emission_map" => material.emission_map,
    "roughness_map" in Spec => material.roughness_map,
    "metallic_map" => material.metallic_map,
    "ambient_occlusion_map" => material.ambient_occlusion_map,
});

impl Record {
    /// Its fields, where these are all that it has.
    pub(super) fn fields(&self) -> Option<&dyn Fields> {
        Some(match self {
            Self::Buffer(_) | Self::Mesh(_) | Self::Channel(_) => return None,
            Self::MeshGroup(record) => record,
            Self::Node(record) => record,
            Self::Scene(record) => record,
            Self::Joint(record) => record,
            Self::Skeleton(record) => record,
            Self::Animation(record) => record,
            Self::Phong(record) => record,
            Self::Pbr(record) => record,
        })
    }
}

macro_rules! plain {
    ($($type:ty),*) => {
        $(impl Part for $type {
            fn read(r: &mut Reader<'_>, names: &Names, _: Profile) -> Result<Self, ReadError> {
                Stored::read(r, names.name)
            }
            fn write(&self, w: &mut Writer, names: &Names, _: Profile) {
                w.stored(names.name, Self::KIND, self);
            }
            fn floats(&self) -> Option<&[f32]> {
                Stored::floats(self)
            }
        })*
    };
}

plain!(u8, u32, f32, [f32; 4], [f32; 16]);

impl Part for Placement {
    fn read(r: &mut Reader<'_>, _: &Names, _: Profile) -> Result<Self, ReadError> {
        PLACEMENT.read(r)
    }
    fn write(&self, w: &mut Writer, _: &Names, _: Profile) {
        PLACEMENT.write(self, w);
    }
}

/// A length, in the library's profile a hash, and the bytes.
impl Part for Text {
    fn read(r: &mut Reader<'_>, names: &Names, profile: Profile) -> Result<Self, ReadError> {
        let length = r.u16(names.name)?;
        let hash = if profile == Profile::Libdas2 { Some(r.u64(names.name)?) } else { None };
        let bytes = r.bytes(names.name, usize::from(length))?.to_vec();
        Ok(match hash {
            Some(hash) => Self { bytes, hash },
            None => Self::new(bytes),
        })
    }
    fn write(&self, w: &mut Writer, names: &Names, profile: Profile) {
        w.u16(names.length, u16::try_from(self.bytes.len()).unwrap_or(u16::MAX));
        if profile == Profile::Libdas2 {
            w.u64(names.hash, self.hash);
        }
        w.text(names.name, &self.bytes);
    }
    fn text(&self) -> Option<&Text> {
        Some(self)
    }
}

/// In the document's profile the id of a buffer; then an offset.
impl Part for Ref {
    fn read(r: &mut Reader<'_>, names: &Names, profile: Profile) -> Result<Self, ReadError> {
        let buffer = if profile == Profile::Spec { r.u32(names.name)? } else { 0 };
        Ok(Self { buffer, offset: r.u32(names.name)? })
    }
    fn write(&self, w: &mut Writer, names: &Names, profile: Profile) {
        if profile == Profile::Spec {
            w.u32(names.buffer[0], self.buffer);
        }
        w.u32(names.offset[0], self.offset);
    }
}

/// All ids come before all offsets.
impl Part for [Ref; SLOTS] {
    fn read(r: &mut Reader<'_>, names: &Names, profile: Profile) -> Result<Self, ReadError> {
        let mut places = [Ref { buffer: 0, offset: 0 }; SLOTS];
        if profile == Profile::Spec {
            for place in &mut places {
                place.buffer = r.u32(names.name)?;
            }
        }
        for place in &mut places {
            place.offset = r.u32(names.name)?;
        }
        Ok(places)
    }
    fn write(&self, w: &mut Writer, names: &Names, profile: Profile) {
        let bytes = |of: fn(&Ref) -> u32| self.map(|place| of(&place).to_le_bytes());
        if profile == Profile::Spec {
            w.field(names.buffer[1], FieldType::U32, bytes(|place| place.buffer).as_flattened());
        }
        w.field(names.offset[1], FieldType::U32, bytes(|place| place.offset).as_flattened());
    }
}

/// Ids after their number.
impl Part for Vec<u32> {
    fn read(r: &mut Reader<'_>, names: &Names, _: Profile) -> Result<Self, ReadError> {
        let count = r.u32(names.name)? as usize;
        Ok(r.table(names.name, count)?.into_iter().map(u32::from_le_bytes).collect())
    }
    fn write(&self, w: &mut Writer, names: &Names, _: Profile) {
        w.u32(names.count, u32::try_from(self.len()).unwrap_or(u32::MAX));
        if !self.is_empty() {
            let bytes: Vec<u8> = self.iter().flat_map(|id| id.to_le_bytes()).collect();
            w.field(names.name, FieldType::U32, &bytes);
        }
    }
}
