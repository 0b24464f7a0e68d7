//! What BOGLE keeps in the extras of a Scene: all that only a BOGLE file knows, so that a file comes back as it was.
//!
//! `lift` writes these notes and `lower` reads them; nobody else does. Extras travel in glTF files and can be edited there,
//! so nothing in them is believed: a note that is not exactly of its shape is none, and `lower` uses what a note says only
//! where it still means what the Scene says.

use serde::{Deserialize, Serialize};

use super::FORMAT;
use super::model::{Camera, Light, Material};
use crate::bytes::{decode_text, utf8_or_windows_1252};
use crate::formats::Format;
pub(super) use crate::formats::notes::{Float, Note};
use crate::scene::Extras;

/// Several floats, bit by bit.
pub(super) fn floats<const N: usize>(values: &[f32; N]) -> [Float; N] {
    values.map(Float)
}

/// What [`floats`] kept.
pub(super) fn numbers<const N: usize>(values: [Float; N]) -> [f32; N] {
    values.map(|value| value.0)
}

/// The bytes of a name, where they are not UTF-8.
pub(super) type NameBytes = Option<Vec<u8>>;

/// The text of a name, and its bytes where they are not UTF-8.
pub(super) fn read_name(bytes: &[u8]) -> (String, NameBytes) {
    let (text, utf8) = decode_text(bytes);
    (text, (!utf8).then(|| bytes.to_vec()))
}

/// The bytes of a name: those that the file had, if they still mean the same.
pub(super) fn write_name(name: &str, kept: NameBytes) -> Vec<u8> {
    kept.filter(|bytes| utf8_or_windows_1252(bytes) == name).unwrap_or_else(|| name.as_bytes().to_vec())
}

/// Of the whole Scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SceneNote {
    /// The ambient light, alpha included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ambient: Option<[Float; 4]>,
    /// The text of the tree, where the exporter would have written it in another way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tree: Option<String>,
    /// Whether the file had a camera that was added for the engine.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) added_camera: bool,
}

/// Of a node: an instance, a part of one, an armature or a bone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct NodeNote {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(with = "crate::formats::notes::hex::optional")]
    pub(super) name_bytes: NameBytes,
    /// The number of the instance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) instance: Option<usize>,
    /// The matrix of a camera or light whose scale is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) matrix: Option<[Float; 16]>,
    /// Whether it is the camera or light of the instance above it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) part: bool,
    /// The number of the animation collection whose bones are below.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) collection: Option<usize>,
    /// Whether its joints were two bones each.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) doubled: bool,
    /// Animations of the collection that move nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) still_animations: Vec<StillNote>,
    /// The number of the bone, or of the joint where they were doubled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bone: Option<usize>,
    /// Whether it stands for bones that vertices name and the skeleton does not have.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) missing_bone: bool,
}

/// An animation that moves nothing: the Scene has no place for it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StillNote {
    /// Its place among the collection's animations.
    pub(super) index: usize,
    #[serde(with = "crate::formats::notes::hex")]
    pub(super) name_bytes: Vec<u8>,
    pub(super) times: Vec<Float>,
    /// Three for each time.
    pub(super) offsets: Vec<Float>,
}

/// Of a mesh.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct MeshNote {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(with = "crate::formats::notes::hex::optional")]
    pub(super) name_bytes: NameBytes,
    /// The number of the geometry.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) geometry: Option<usize>,
    /// How its bone indices are stored, where that is not as floats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) bone_index: Option<String>,
}

/// Of a primitive.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct PrimitiveNote {
    /// Whether all normals of the file are zero.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) no_normals: bool,
    /// Whether all tangents of the file are zero.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) no_tangents: bool,
}

/// Of an animation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct AnimationNote {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(with = "crate::formats::notes::hex::optional")]
    pub(super) name_bytes: NameBytes,
    /// The number of its collection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) collection: Option<usize>,
    /// Its place among the collection's animations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) animation: Option<usize>,
    /// Whether its single key was there twice, for the engine.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) repeated_key: bool,
}

/// Of an image.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ImageNote {
    /// The name of the texture, where it is not UTF-8.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(with = "crate::formats::notes::hex::optional")]
    pub(super) stem_bytes: NameBytes,
}

/// Of a camera: its fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CameraNote {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(with = "crate::formats::notes::hex::optional")]
    pub(super) name_bytes: NameBytes,
    #[serde(rename = "type")]
    pub(super) kind: u8,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) near: Float,
    pub(super) far: Float,
    pub(super) fov: Float,
    pub(super) main: u8,
}

/// Of a light: its fields.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LightNote {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(with = "crate::formats::notes::hex::optional")]
    pub(super) name_bytes: NameBytes,
    pub(super) color: [Float; 4],
    /// Constant, linear, quadratic.
    pub(super) attenuation: [Float; 3],
    pub(super) intensity: Float,
    pub(super) angle: Float,
}

/// Of a material: its numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct MaterialNote {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(with = "crate::formats::notes::hex::optional")]
    pub(super) name_bytes: NameBytes,
    ambient: [Float; 4],
    emissive: [Float; 4],
    diffuse: [Float; 4],
    specular: [Float; 4],
    opacity: Float,
    specular_power: Float,
    reflectance: Float,
    refraction: Float,
    index_of_refraction: Float,
    bump_intensity: Float,
    specular_scale: Float,
    alpha_threshold: Float,
    alpha_blend: u8,
    shader: u8,
}

impl Default for MaterialNote {
    fn default() -> Self {
        Self::new(&Material::default(), None)
    }
}

impl MaterialNote {
    /// The numbers of a material.
    pub(super) fn new(material: &Material, name_bytes: NameBytes) -> Self {
        Self {
            name_bytes,
            ambient: floats(&material.ambient),
            emissive: floats(&material.emissive),
            diffuse: floats(&material.diffuse),
            specular: floats(&material.specular),
            opacity: Float(material.opacity),
            specular_power: Float(material.specular_power),
            reflectance: Float(material.reflectance),
            refraction: Float(material.refraction),
            index_of_refraction: Float(material.index_of_refraction),
            bump_intensity: Float(material.bump_intensity),
            specular_scale: Float(material.specular_scale),
            alpha_threshold: Float(material.alpha_threshold),
            alpha_blend: material.alpha_blend,
            shader: material.shader,
        }
    }

    /// A material with these numbers, without name and textures.
    pub(super) fn material(&self) -> Material {
        Material {
            shader: self.shader,
            ambient: numbers(self.ambient),
            emissive: numbers(self.emissive),
            diffuse: numbers(self.diffuse),
            specular: numbers(self.specular),
            opacity: self.opacity.0,
            specular_power: self.specular_power.0,
            reflectance: self.reflectance.0,
            refraction: self.refraction.0,
            index_of_refraction: self.index_of_refraction.0,
            bump_intensity: self.bump_intensity.0,
            specular_scale: self.specular_scale.0,
            alpha_threshold: self.alpha_threshold.0,
            alpha_blend: self.alpha_blend,
            ..Material::default()
        }
    }
}

impl CameraNote {
    /// The fields of a camera.
    pub(super) fn new(camera: &Camera, name_bytes: NameBytes) -> Self {
        Self {
            name_bytes,
            kind: camera.kind,
            width: camera.width,
            height: camera.height,
            near: Float(camera.near),
            far: Float(camera.far),
            fov: Float(camera.fov),
            main: camera.main,
        }
    }
}

impl LightNote {
    /// The fields of a light.
    pub(super) fn new(light: &Light, name_bytes: NameBytes) -> Self {
        Self {
            name_bytes,
            color: floats(&light.color),
            attenuation: floats(&[light.constant, light.linear, light.quadratic]),
            intensity: Float(light.intensity),
            angle: Float(light.angle),
        }
    }
}

/// The note of an element, if it has one of this shape.
pub(super) fn some<N: Note>(extras: &Extras) -> Option<N> {
    extras.of(FORMAT.id).and_then(|value| N::deserialize(value).ok())
}

impl Note for SceneNote {
    const FORMAT: &'static Format = &FORMAT;
}
impl Note for NodeNote {
    const FORMAT: &'static Format = &FORMAT;
}
impl Note for MeshNote {
    const FORMAT: &'static Format = &FORMAT;
}
impl Note for PrimitiveNote {
    const FORMAT: &'static Format = &FORMAT;
}
impl Note for AnimationNote {
    const FORMAT: &'static Format = &FORMAT;
}
impl Note for ImageNote {
    const FORMAT: &'static Format = &FORMAT;
}
impl Note for CameraNote {
    const FORMAT: &'static Format = &FORMAT;
}
impl Note for LightNote {
    const FORMAT: &'static Format = &FORMAT;
}
impl Note for MaterialNote {
    const FORMAT: &'static Format = &FORMAT;
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn notes_come_back_and_others_are_none() {
        let note = NodeNote { instance: Some(3), matrix: Some([Float(f32::NAN); 16]), ..NodeNote::default() };
        let mut extras = Extras::default();
        note.keep(&mut extras);
        let back = NodeNote::of(&extras);
        assert_eq!(back.instance, Some(3));
        assert!(back.matrix.is_some_and(|matrix| matrix.iter().all(|x| x.0.is_nan())));
        for wrong in [
            serde_json::json!({ "instance": -1 }),
            serde_json::json!({ "instance": 1, "more": 2 }),
            Value::Null,
        ] {
            extras.set_all(FORMAT.id, wrong);
            assert_eq!(NodeNote::of(&extras), NodeNote::default());
        }
        NodeNote::default().keep(&mut extras);
        assert_eq!(extras.of(FORMAT.id), Some(&Value::Null), "an empty note is not kept");
    }
}
