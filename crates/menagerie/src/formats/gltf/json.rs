//! The JSON of a glTF file as types. Every element keeps its `extras`, its unknown extensions and, in `other`, the
//! properties that the format does not define.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A JSON object.
pub type Object = Map<String, Value>;

/// A structure of the JSON with what every structure has: `extensions`, `extras` and unknown properties.
macro_rules! element {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase")]
        pub struct $name {
            $($(#[$field_doc])* pub $field: $type,)*
            /// Extensions, by name.
            #[serde(default, skip_serializing_if = "Map::is_empty")]
            pub extensions: Object,
            /// Whatever an application wants.
            #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "present")]
            pub extras: Option<Value>,
            /// Properties that the format does not define.
            #[serde(flatten)]
            pub other: Object,
        }
    };
}

/// What is there, even if it is null, as `extras` may be.
pub(super) fn present<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

element! {
    /// The whole file.
    Document {
        /// About the file.
        asset: Asset,
        /// Names of all extensions that are used.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        extensions_used: Vec<String>,
        /// Names of those that a reader must understand.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        extensions_required: Vec<String>,
        /// The scene to show.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scene: Option<u32>,
        /// Scenes.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        scenes: Vec<Scene>,
        /// Nodes.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        nodes: Vec<Node>,
        /// Meshes.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        meshes: Vec<Mesh>,
        /// Materials.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        materials: Vec<Material>,
        /// Textures.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        textures: Vec<Texture>,
        /// Pictures.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        images: Vec<Image>,
        /// Samplers of textures.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        samplers: Vec<Sampler>,
        /// Cameras.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        cameras: Vec<Camera>,
        /// Skins.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        skins: Vec<Skin>,
        /// Animations.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        animations: Vec<Animation>,
        /// Typed lists in buffer views.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        accessors: Vec<Accessor>,
        /// Parts of buffers.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        buffer_views: Vec<BufferView>,
        /// Bytes.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        buffers: Vec<Buffer>,
    }
}

element! {
    /// About the file.
    Asset {
        /// The version of the format.
        version: String,
        /// The oldest version that a reader must know.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min_version: Option<String>,
        /// What wrote the file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        generator: Option<String>,
        /// Whose it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        copyright: Option<String>,
    }
}

element! {
    /// A scene.
    Scene {
        /// Its name.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// Its roots.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        nodes: Vec<u32>,
    }
}

element! {
    /// A node.
    Node {
        /// Its name.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// Its children.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        children: Vec<u32>,
        /// Its mesh.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mesh: Option<u32>,
        /// Its skin.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        skin: Option<u32>,
        /// Its camera.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        camera: Option<u32>,
        /// Its transform as a matrix, column by column.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        matrix: Option<[f32; 16]>,
        /// Its translation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        translation: Option<[f32; 3]>,
        /// Its rotation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rotation: Option<[f32; 4]>,
        /// Its scale.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scale: Option<[f32; 3]>,
        /// Morph weights.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        weights: Vec<f32>,
    }
}

element! {
    /// A mesh.
    Mesh {
        /// Its name.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// Its parts.
        primitives: Vec<Primitive>,
        /// Morph weights.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        weights: Vec<f32>,
    }
}

pub use indexed::Attributes;

mod indexed {
    use serde::de::{MapAccess, Visitor};
    use serde::ser::SerializeMap;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Accessors by the meaning of what they hold, in the order of the file.
    #[derive(Clone, Debug, Default, PartialEq)]
    pub struct Attributes(pub Vec<(String, u32)>);

    impl Attributes {
        /// The accessor of `semantic`.
        pub fn get(&self, semantic: &str) -> Option<u32> {
            self.0.iter().find(|(name, _)| name == semantic).map(|(_, accessor)| *accessor)
        }
    }

    impl Serialize for Attributes {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let mut map = serializer.serialize_map(Some(self.0.len()))?;
            for (name, accessor) in &self.0 {
                map.serialize_entry(name, accessor)?;
            }
            map.end()
        }
    }

    impl<'de> Deserialize<'de> for Attributes {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Pairs;
            impl<'de> Visitor<'de> for Pairs {
                type Value = Attributes;
                fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    f.write_str("an object of accessor indices")
                }
                fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Attributes, A::Error> {
                    let mut pairs = Vec::new();
                    while let Some(pair) = map.next_entry()? {
                        pairs.push(pair);
                    }
                    Ok(Attributes(pairs))
                }
            }
            deserializer.deserialize_map(Pairs)
        }
    }
}

element! {
    /// A part of a mesh.
    Primitive {
        /// Vertex attributes.
        attributes: Attributes,
        /// Which vertices are drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        indices: Option<u32>,
        /// Its material.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        material: Option<u32>,
        /// What is drawn: 0 points, 1 lines, 2 line loop, 3 line strip, 4 triangles, 5 triangle strip, 6 triangle fan.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mode: Option<u32>,
        /// Morph targets.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        targets: Vec<Attributes>,
    }
}

element! {
    /// A material.
    Material {
        /// Its name.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// Metallic-roughness shading.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pbr_metallic_roughness: Option<PbrMetallicRoughness>,
        /// The normal map.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        normal_texture: Option<TextureInfo>,
        /// The occlusion map.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        occlusion_texture: Option<TextureInfo>,
        /// The emissive map.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        emissive_texture: Option<TextureInfo>,
        /// Emitted light.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        emissive_factor: Option<[f32; 3]>,
        /// OPAQUE, MASK or BLEND.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        alpha_mode: Option<String>,
        /// For MASK.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        alpha_cutoff: Option<f32>,
        /// Whether back faces are drawn.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        double_sided: Option<bool>,
    }
}

element! {
    /// Metallic-roughness shading.
    PbrMetallicRoughness {
        /// The colour.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base_color_factor: Option<[f32; 4]>,
        /// Its map.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        base_color_texture: Option<TextureInfo>,
        /// Metal or not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        metallic_factor: Option<f32>,
        /// Mirror or chalk.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        roughness_factor: Option<f32>,
        /// The map of both.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        metallic_roughness_texture: Option<TextureInfo>,
    }
}

element! {
    /// A use of a texture.
    TextureInfo {
        /// Which.
        index: u32,
        /// Which set of coordinates.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tex_coord: Option<u32>,
        /// Of normal maps.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scale: Option<f32>,
        /// Of occlusion maps.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        strength: Option<f32>,
    }
}

element! {
    /// A texture.
    Texture {
        /// Its name.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// How it is sampled.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sampler: Option<u32>,
        /// The picture.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<u32>,
    }
}

element! {
    /// A picture.
    Image {
        /// Its name.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// Where it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        uri: Option<String>,
        /// What it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mime_type: Option<String>,
        /// Its bytes, when they are in a buffer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        buffer_view: Option<u32>,
    }
}

element! {
    /// How a texture is sampled.
    Sampler {
        /// Its name.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// OpenGL's number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mag_filter: Option<u32>,
        /// OpenGL's number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min_filter: Option<u32>,
        /// OpenGL's number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wrap_s: Option<u32>,
        /// OpenGL's number.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        wrap_t: Option<u32>,
    }
}

element! {
    /// A camera.
    Camera {
        /// Its name.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// Which of both.
        r#type: String,
        /// Far things are smaller.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        perspective: Option<Perspective>,
        /// Far things are not.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        orthographic: Option<Orthographic>,
    }
}

element! {
    /// A perspective projection.
    Perspective {
        /// Width by height.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        aspect_ratio: Option<f32>,
        /// Vertical field of view.
        yfov: f32,
        /// The far end.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        zfar: Option<f32>,
        /// The near end.
        znear: f32,
    }
}

element! {
    /// An orthographic projection.
    Orthographic {
        /// Half the width.
        xmag: f32,
        /// Half the height.
        ymag: f32,
        /// The far end.
        zfar: f32,
        /// The near end.
        znear: f32,
    }
}

element! {
    /// A skin.
    Skin {
        /// Its name.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// The accessor of the matrices.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        inverse_bind_matrices: Option<u32>,
        /// The root of the skeleton.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        skeleton: Option<u32>,
        /// The joints' nodes.
        joints: Vec<u32>,
    }
}

element! {
    /// An animation.
    Animation {
        /// Its name.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// What moves.
        channels: Vec<Channel>,
        /// How.
        samplers: Vec<AnimationSampler>,
    }
}

element! {
    /// What moves, and by which sampler.
    Channel {
        /// Which sampler of the animation.
        sampler: u32,
        /// What.
        target: Target,
    }
}

element! {
    /// A property of a node.
    Target {
        /// The node.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        node: Option<u32>,
        /// The property.
        path: String,
    }
}

element! {
    /// Keys.
    AnimationSampler {
        /// The accessor of the times.
        input: u32,
        /// LINEAR, STEP or CUBICSPLINE.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        interpolation: Option<String>,
        /// The accessor of the values.
        output: u32,
    }
}

element! {
    /// A typed list.
    Accessor {
        /// Its name.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// Where; zeros without it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        buffer_view: Option<u32>,
        /// Where in it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        byte_offset: Option<u64>,
        /// OpenGL's number of the type of a component.
        component_type: u32,
        /// Whether integers stand for 0 to 1 or -1 to 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        normalized: Option<bool>,
        /// How many elements.
        count: u64,
        /// SCALAR, VEC2 and so on.
        r#type: String,
        /// Largest components.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<Vec<Number>>,
        /// Smallest components.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<Vec<Number>>,
        /// Elements that are different.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sparse: Option<Sparse>,
    }
}

/// A number that is written as short as an `f32` can be, and read with the precision that the file has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// As read.
    Read(f64),
    /// To be written.
    Float(f32),
    /// To be written without a fraction.
    Integer(i64),
}

impl Number {
    /// Its value.
    pub fn value(self) -> f64 {
        match self {
            Self::Read(value) => value,
            Self::Float(value) => value.into(),
            Self::Integer(value) => value as f64,
        }
    }
}

impl Serialize for Number {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Read(value) => serializer.serialize_f64(value),
            Self::Float(value) => serializer.serialize_f32(value),
            Self::Integer(value) => serializer.serialize_i64(value),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self::Read)
    }
}

element! {
    /// Elements that are different.
    Sparse {
        /// How many.
        count: u64,
        /// Which.
        indices: SparseIndices,
        /// Their values.
        values: SparseValues,
    }
}

element! {
    /// Which elements are different.
    SparseIndices {
        /// Where.
        buffer_view: u32,
        /// Where in it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        byte_offset: Option<u64>,
        /// OpenGL's number of the type.
        component_type: u32,
    }
}

element! {
    /// The values of different elements.
    SparseValues {
        /// Where.
        buffer_view: u32,
        /// Where in it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        byte_offset: Option<u64>,
    }
}

element! {
    /// A part of a buffer.
    BufferView {
        /// Its name.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// Which buffer.
        buffer: u32,
        /// Where in it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        byte_offset: Option<u64>,
        /// How long.
        byte_length: u64,
        /// From one element to the next.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        byte_stride: Option<u64>,
        /// OpenGL's number of the kind of buffer.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<u32>,
    }
}

element! {
    /// Bytes.
    Buffer {
        /// Its name.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        name: String,
        /// Where they are; in the GLB itself without it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        uri: Option<String>,
        /// How many.
        byte_length: u64,
    }
}
