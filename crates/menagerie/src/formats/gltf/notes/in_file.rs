//! What a Scene has and glTF has no place for, as it stands in a file's `extras` under `menagerie`. Fields are written in
//! the order in which they stand here.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::super::missing::Missing;
use super::lights::{KeptLight, KeptProjection};
use super::materials::{KeptPhong, KeptSpecularGlossiness};
use super::{Float, all_finite, exactly, note, present};
use crate::scene::{Blend, Channel, Interpolation, NodeId, Property, Topology, Transform};

note! {
    /// Of the file.
    FileNote {
        /// The ambient light.
        ambient: [Float; 4],
        /// Animations without a channel that glTF can hold.
        animations: Vec<EmptyAnimation>,
        /// Pictures that are not there, and what would refer to them.
        missing_pictures: Missing,
        /// The format that the Scene came from, where it is glTF.
        origin: String,
    }
}

note! {
    /// Of a mesh.
    MeshNote {
        /// That its only primitive stands in for none.
        no_primitives: bool,
        /// The names of morph targets, where the user's extras have no place for them.
        target_names: Vec<String>,
    }
}

note! {
    /// Of a primitive.
    PrimitiveNote {
        /// The topology of one without vertices, for which a triangle stands in.
        empty: String,
        /// The material that it may not have in glTF.
        material: usize,
        /// That normals or tangents were only made for a normal map.
        no_normals: bool,
        no_tangents: bool,
        /// How many sets of texture coordinates it has; the others were only made for textures.
        uv_sets: usize,
        /// The ranges of vertices that have no weights.
        still: Vec<(usize, usize)>,
        /// Morph targets that change nothing.
        empty_targets: Vec<usize>,
        /// The extras of morph targets; null where there are none.
        target_extras: Vec<Value>,
        /// How many indices it has, where they are too few for glTF.
        index_count: usize,
    }
}

note! {
    /// Of a material.
    MaterialNote {
        /// Shadings of another kind than the one that is written.
        phong: KeptPhong,
        specular_glossiness: KeptSpecularGlossiness,
        /// Factors that are not between zero and one.
        base_color: Vec<Float>,
        metallic: Vec<Float>,
        roughness: Vec<Float>,
        diffuse: Vec<Float>,
        specular: Vec<Float>,
        glossiness: Vec<Float>,
        /// An emission that is negative, or above one where nothing can say so.
        emissive: [Float; 3],
        /// That the Scene's emission was not split into factor and strength.
        no_emissive_strength: bool,
        occlusion_strength: Vec<Float>,
        /// A negative one.
        alpha_cutoff: Float,
        /// How it blends, where it is not as glTF does.
        blend: String,
    }
}

note! {
    /// Of an image.
    ImageNote {
        /// The name of its file, where the file does not say it, or says one that it does not have.
        #[serde(deserialize_with = "present")]
        uri: Option<String>,
        /// The same of its media type.
        #[serde(deserialize_with = "present")]
        mime: Option<String>,
    }
}

note! {
    /// Of a camera.
    CameraNote {
        /// The projection, where glTF does not allow it.
        projection: KeptProjection,
    }
}

note! {
    /// Of a light.
    LightNote {
        /// What glTF does not allow of it.
        light: KeptLight,
        attenuation: [Float; 3],
    }
}

note! {
    /// Of a node.
    NodeNote {
        /// The skin of a mesh that has no joints.
        skin: usize,
        /// The node whose mesh and skin this one has.
        skin_of: usize,
        /// Where it hung, if it was made a root because its mesh is skinned.
        place: Place,
        /// A matrix with shear.
        matrix: [Float; 16],
        /// The distances of its levels of detail.
        lod_distances: Vec<Option<Float>>,
        /// That it is only hidden because one was that it hung below.
        shown: bool,
        /// That it is only there to be a joint.
        helper: bool,
        /// That it only joins the roots of scenes: what these were.
        joins: Vec<Vec<usize>>,
    }
}

note! {
    /// Of a skin.
    SkinNote {
        /// That its last joint is only there for vertices without weights, or because a skin must have one.
        still_joint: bool,
        no_joints: bool,
        /// The skeleton's root, where it is not above all joints.
        skeleton: usize,
    }
}

note! {
    /// Of an animation.
    AnimationNote {
        /// By how many seconds it begins later, because times are not negative.
        time_shift: Float,
        /// Channels without keys or values.
        empty_channels: Vec<EmptyChannel>,
    }
}

note! {
    /// Of a channel.
    ChannelNote {
        /// The times, where taking back the shift does not give them.
        times: Vec<Float>,
        /// The interpolation and the tangents of a spline that has only one key.
        interpolation: String,
        tangents: Vec<Float>,
        /// The values of a spline whose rotations are not unit.
        values: Vec<Float>,
    }
}

note! {
    /// Where a node hung.
    Place {
        /// The parent, and which of its children it was.
        parent: usize,
        at: usize,
        /// Its transform, where it has one.
        transform: KeptTransform,
    }
}

note! {
    /// A transform: a matrix, or the three others.
    KeptTransform {
        matrix: [Float; 16],
        translation: [Float; 3],
        rotation: [Float; 4],
        scale: [Float; 3],
    }
}

impl KeptTransform {
    pub(in super::super) fn of(transform: &Transform) -> Self {
        match transform {
            Transform::Trs { translation, rotation, scale } => Self {
                translation: Some(exactly(translation.to_array())),
                rotation: Some(exactly(rotation.to_array())),
                scale: Some(exactly(scale.to_array())),
                ..Self::default()
            },
            Transform::Matrix(matrix) => {
                Self { matrix: Some(exactly(matrix.to_cols_array())), ..Self::default() }
            }
        }
    }

    /// The transform; `None` where a Scene may not have it.
    pub(in super::super) fn transform(&self) -> Option<Transform> {
        if let Some(matrix) = self.matrix {
            let matrix = glam::Mat4::from_cols_array(&all_finite(matrix)?);
            return (matrix.row(3) == glam::Vec4::W).then_some(Transform::Matrix(matrix));
        }
        let rotation = glam::Quat::from_array(all_finite(self.rotation?)?);
        (rotation.length_squared() - 1.0).abs().le(&1e-3).then_some(())?;
        Some(Transform::Trs {
            translation: all_finite(self.translation?)?.into(),
            rotation,
            scale: all_finite(self.scale?)?.into(),
        })
    }
}

/// An animation without a channel that glTF can hold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in super::super) struct EmptyAnimation {
    /// Its place in the list of animations.
    pub(in super::super) at: usize,
    pub(in super::super) name: String,
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub(in super::super) extras: Option<Value>,
}

/// A channel without keys or values.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(in super::super) struct EmptyChannel {
    /// Its place in the list of channels.
    pub(in super::super) at: usize,
    node: usize,
    property: String,
    interpolation: String,
    times: Vec<Float>,
    #[serde(deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub(in super::super) extras: Option<Value>,
}

/// What a Scene's words are called in notes.
const INTERPOLATIONS: [(Interpolation, &str); 3] =
    [(Interpolation::Step, "step"), (Interpolation::Linear, "linear"), (Interpolation::Cubic, CUBIC)];
pub(in super::super) const CUBIC: &str = "cubic";
const TOPOLOGIES: [(Topology, &str); 5] = [
    (Topology::Triangles, "triangles"),
    (Topology::Lines, "lines"),
    (Topology::LineStrip, "line_strip"),
    (Topology::LineLoop, "line_loop"),
    (Topology::Points, "points"),
];
const BLENDS: [(Blend, &str); 2] = [(Blend::Additive, "additive"), (Blend::Multiply, "multiply")];

fn word<T: PartialEq>(words: &[(T, &'static str)], meaning: &T) -> Option<String> {
    words.iter().find(|(known, _)| known == meaning).map(|(_, word)| (*word).to_owned())
}

fn meaning<T: Copy>(words: &[(T, &'static str)], word: &str) -> Option<T> {
    words.iter().find(|(_, known)| *known == word).map(|(meaning, _)| *meaning)
}

/// The word for a topology.
pub(in super::super) fn topology_word(topology: Topology) -> Option<String> {
    word(&TOPOLOGIES, &topology)
}

/// The topology of a word; triangles for any other.
pub(in super::super) fn topology(word: &str) -> Topology {
    meaning(&TOPOLOGIES, word).unwrap_or(Topology::Triangles)
}

/// The word for blending in another way than glTF does.
pub(in super::super) fn blend_word(blend: Blend) -> Option<String> {
    word(&BLENDS, &blend)
}

/// How a material blends.
pub(in super::super) fn blend(word: Option<&str>) -> Blend {
    word.and_then(|word| meaning(&BLENDS, word)).unwrap_or(Blend::Alpha)
}

impl EmptyChannel {
    pub(in super::super) fn of(at: usize, channel: &Channel, extras: Option<Value>) -> Self {
        Self {
            at,
            node: channel.node.index(),
            property: channel.property.name().to_owned(),
            interpolation: word(&INTERPOLATIONS, &channel.interpolation).unwrap_or_default(),
            times: super::exact(&channel.times),
            extras,
        }
    }

    /// The channel without its extras; `None` where it would break a Scene of so many nodes.
    pub(in super::super) fn channel(&self, nodes: usize) -> Option<Channel> {
        let times = super::finite(&self.times);
        let property = match self.property.as_str() {
            "translation" => Property::Translation,
            "rotation" => Property::Rotation,
            "scale" => Property::Scale,
            _ => Property::Weights,
        };
        // Only channels without values are kept this way.
        let whole = self.node < nodes && (times.is_empty() || property == Property::Weights);
        whole.then(|| Channel {
            node: NodeId::new(self.node),
            property,
            interpolation: meaning(&INTERPOLATIONS, &self.interpolation).unwrap_or(Interpolation::Linear),
            times,
            values: Vec::new(),
            extras: Default::default(),
        })
    }
}
