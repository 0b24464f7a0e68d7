//! The one common model between all formats.
//!
//! A [`Scene`] holds what a person means by a model, whichever file it came from. `lift` turns a file model into a
//! Scene, `lower` turns a Scene into a file model, and only these two know both sides.
//!
//! # Conventions
//!
//! They are the same whatever the file has:
//!
//! - right-handed, +Y up, cameras and lights look along their −Z, counter-clockwise triangles face the viewer;
//! - column vectors; a node's transform maps its own space to its parent's; quaternions are unit, x y z w;
//! - texture coordinates have their origin at the top left of the picture, v down;
//! - colours are linear; times are seconds; lengths are the file's own units, one to one;
//! - a skinned vertex is at Σ weight · world(joint) · inverse_bind · position, whatever its node's transform;
//! - rotations are interpolated along the shorter arc of the sphere, other values linearly; before its first and after
//!   its last key a channel holds;
//! - every float is finite, every normal and tangent has unit length, every vertex's weights sum to one (or are all
//!   zero: then it does not move), every index is in range. [`check`] proves it, and the proof ([`CheckedScene`]) is
//!   what writers and renderers take.
//!
//! # Shape
//!
//! Flat lists of elements that refer to each other by typed ids; vertex attributes are streams, one list each.
//! [`Node`]s form trees: each has at most one parent. A [`SceneRoot`] names the roots of one scene. A node's `lods` are
//! nodes that stand in for it at a distance: they hang in the same place (under the same parent), and are in no tree
//! of their own. [`Skin`] joints are nodes.
//!
//! # Extras
//!
//! What only one format knows is kept in the `extras` of the element it belongs to, under that format's id, as JSON.
//! `lower` to that format uses it again; `lower` to glTF writes it into glTF `extras`; `lift` from glTF restores it, so
//! that a round trip through GLB loses nothing. Data that one format alone has *per vertex* is a custom attribute
//! ([`Primitive::custom`]), named `_<FORMAT>_<WHAT>` as glTF wants it. Raw names that are not UTF-8 are kept as
//! `name_bytes`. Every field that a format keeps is in its `notes` module, as a struct for each kind of element; the table
//! below only says where to look.
//!
//! # Where every feature of every format lives
//!
//! | format | feature | place |
//! |---|---|---|
//! | BO3D | entity tree; local position, scale, rotation | [`Node`] with [`Transform::Trs`] |
//! | | mesh entity | the node's [`Mesh`] with one [`Primitive`] |
//! | | vertices: u v, normal, position | `uvs[0]`, `normals` (length in custom `_BO3D_NORMAL_LENGTH` where it is not one), `positions` |
//! | | vertex colours | `colors[0]`, sRGB bytes made linear |
//! | | texture name | [`Image::uri`] of the material's base colour texture |
//! | | entity colour, alpha, FX flags | the material's base colour, alpha mode, `unlit`, `double_sided`; raw in `extras.bo3d` of the material |
//! | | bones (ranges of vertices) | [`Skin`] with one joint a vertex; bones without vertices are joints too; vertices of no bone hang on the mesh's own node as the last joint |
//! | | keyframes | [`Animation`] channels at frame / fps seconds; fps in `extras.bo3d` of the animation |
//! | | animation length | `extras.bo3d.anim_length` of the node |
//! | | vfloat width, version | `extras.bo3d` of the Scene |
//! | BOGLE | instances and scene tree; matrix | [`Node`] with [`Transform::Matrix`]; the tree's text in `extras.bogle` of the Scene |
//! | | geometry: position, uv, normal, tangent, binormal | the streams of the same names; the binormal is the sign of the tangent, custom `_BOGLE_BINORMAL` where it is not ±(n×t) |
//! | | bone indices and weights | `joints[0]`, `weights[0]` normalised; custom `_BOGLE_WEIGHT_SUM` for the raw sum; index encoding in `extras.bogle` of the mesh |
//! | | materials | [`Shading::Phong`]; reflectance, refraction, ior, scales, colour alphas and raw bytes in `extras.bogle` |
//! | | eight texture slots | [`Phong`] textures, [`Material::emissive_texture`], [`Material::normal_texture`] |
//! | | ambient light | [`Scene::ambient`] |
//! | | lights | [`Light`] with [`Light::attenuation`]; raw intensity and angle in `extras.bogle` |
//! | | cameras | [`Camera`]; type byte, screen size, horizontal field of view, main flag in `extras.bogle` |
//! | | animation collections | [`Skin`] and its joint nodes, [`Animation`]s; skeleton transform, bone order and names of collections in `extras.bogle` |
//! | BMD | meshes with a material name | [`Primitive`]s of a [`Mesh`]; vertex and primitive kinds, flags in `extras.bmd` of the primitive |
//! | | `#RRGGBB`, shade bytes | base colour of the [`Material`], `colors[0]`; raw shade in custom `_BMD_SHADE` |
//! | | quads | two triangles each; which ones in `extras.bmd` of the primitive |
//! | | bones, base transforms, solids | joint [`Node`]s of a [`Skin`]; raw base transform and solid in `extras.bmd` of the node |
//! | | pseudo-bones | up to four joints and weights a vertex; the table in `extras.bmd` of the skin |
//! | | LOD table | [`Node::lods`] with [`Lod::distance`]; the codes in `extras.bmd` |
//! | | meshes without material, bone solids | nodes that are not [`Node::visible`] |
//! | | animations: frames, rate, loop | [`Animation`]; frame count, rate code and raw keys in `extras.bmd` |
//! | DGL2 | trimeshes | [`Mesh`] with one primitive per material; chunk ids in `extras.dgl2` |
//! | | uv1, uv2 | `uvs[0]`, `uvs[1]` when it differs |
//! | | entities | [`Node`]; type, ids and DML properties in `extras.dgl2` |
//! | | lights (type 1) | [`Light`] with [`LightKind::Point`] |
//! | | `visible` | [`Node::visible`] |
//! | | materials' DML | [`Shading::Phong`], textures 0, 1, 2 as colour, normal and emissive; all pairs in order in `extras.dgl2` |
//! | | header data, unknown chunks, dialect | `extras.dgl2` of the Scene |
//! | das2 | buffers, meshes | [`Primitive`] streams; eight UV slots by texture type, which slots in `extras.das2` of the primitive |
//! | | mesh groups | [`Mesh`] |
//! | | colour multipliers, joint sets | `colors[0]`, `joints[0..8]`, `weights[0..8]` |
//! | | morph targets | [`Primitive::targets`] |
//! | | LODs | [`Node::lods`] without distance |
//! | | nodes: custom matrix and TRS | [`Transform`]; both parts in `extras.das2` when both are used |
//! | | scenes, default scene | [`Scene::scenes`], [`Scene::default_scene`] |
//! | | joints, skeletons | joint [`Node`]s, [`Skin`]; root joint and names in `extras.das2` |
//! | | animations, channels, cubic splines | [`Animation`], [`Channel`], [`Interpolation`] |
//! | | Phong, PBR materials | [`Shading::Phong`], [`Shading::MetallicRoughness`]; fourth components and separate maps in `extras.das2` |
//! | | author, comment, level, profile | `extras.das2` of the Scene |
//! | glTF | orthographic cameras, samplers, texture transforms, specular-glossiness | [`Projection`], [`Sampler`], [`TextureRef`], [`Shading::SpecularGlossiness`] |
//! | | unknown extensions, other extras | `extras.gltf` as `{"extensions": …, "extras": …}` |

mod animation;
mod arena;
mod axes;
mod check;
mod extras;
mod geometry;
mod material;
mod node;
mod pose;
mod streams;
mod unit;

pub use animation::{Animation, Channel, Interpolation, Property};
pub use arena::{Arena, Id};
pub use axes::{Axes, Turn};
pub use check::{Broken, CheckedScene, assert_scene, check};
pub use extras::{Extras, float_from_json, float_to_json};
pub use geometry::{CustomAttribute, Mesh, MorphTarget, Primitive, Topology};
pub use material::{
    AlphaMode, Blend, Filter, Image, Material, MetallicRoughness, Phong, Sampler, Shading,
    SpecularGlossiness, Texture, TextureRef, UvTransform, Wrap, linear_to_srgb, linear_to_srgb_byte,
    srgb_byte_to_linear, srgb_to_linear,
};
pub use node::{Camera, Light, LightKind, Lod, Node, Projection, SceneRoot, Skin, Transform};
pub use pose::{
    Bounds, Hidden, Pose, drawn_nodes, parents, skin_matrix, transform_distance, world_transforms,
};
pub(crate) use streams::change;
pub use streams::{Slot, Stream, StreamKind, StreamMut};
pub use unit::unit_vector;

/// Id of a [`Node`].
pub type NodeId = Id<Node>;
/// Id of a [`Mesh`].
pub type MeshId = Id<Mesh>;
/// Id of a [`Material`].
pub type MaterialId = Id<Material>;
/// Id of a [`Texture`].
pub type TextureId = Id<Texture>;
/// Id of an [`Image`].
pub type ImageId = Id<Image>;
/// Id of a [`Camera`].
pub type CameraId = Id<Camera>;
/// Id of a [`Light`].
pub type LightId = Id<Light>;
/// Id of a [`Skin`].
pub type SkinId = Id<Skin>;

/// A model with everything that belongs to it. See the [module](self) for what its parts mean.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The scenes: which nodes are shown together.
    pub scenes: Vec<SceneRoot>,
    /// Which of `scenes` to show when nobody asks for another.
    pub default_scene: Option<usize>,
    /// All nodes of all scenes.
    pub nodes: Arena<Node>,
    /// Meshes; several nodes may show the same one.
    pub meshes: Arena<Mesh>,
    /// Materials.
    pub materials: Arena<Material>,
    /// Textures: a picture and how it is sampled.
    pub textures: Arena<Texture>,
    /// Pictures.
    pub images: Arena<Image>,
    /// Cameras.
    pub cameras: Arena<Camera>,
    /// Lights.
    pub lights: Arena<Light>,
    /// Skins.
    pub skins: Arena<Skin>,
    /// Animations.
    pub animations: Vec<Animation>,
    /// Light that comes from everywhere, linear RGBA.
    pub ambient: Option<[f32; 4]>,
    /// What only one format knows about the whole model.
    pub extras: Extras,
}

impl Scene {
    /// The scene to show: the default one, or else the first.
    pub fn shown(&self) -> Option<&SceneRoot> {
        self.scenes.get(self.default_scene.unwrap_or(0)).or_else(|| self.scenes.first())
    }

    /// Whether a node shows a mesh whose vertices hang on joints of its skin.
    pub fn is_bound(&self, node: &Node) -> bool {
        let mesh = node.mesh.filter(|_| node.skin.is_some()).and_then(|mesh| self.meshes.get(mesh));
        let hangs =
            |primitive: &Primitive| primitive.weights.iter().flatten().flatten().any(|weight| *weight > 0.0);
        mesh.is_some_and(|mesh| mesh.primitives.iter().any(hangs))
    }

    /// The extras of every element.
    pub fn all_extras(&self) -> impl Iterator<Item = &Extras> {
        let primitives = self.meshes.values().flat_map(|mesh| &mesh.primitives);
        let channels = self.animations.iter().flat_map(|animation| &animation.channels);
        std::iter::once(&self.extras)
            .chain(self.scenes.iter().map(|x| &x.extras))
            .chain(self.nodes.values().map(|x| &x.extras))
            .chain(self.meshes.values().map(|x| &x.extras))
            .chain(primitives.clone().map(|x| &x.extras))
            .chain(primitives.flat_map(|x| &x.targets).map(|x| &x.extras))
            .chain(self.materials.values().map(|x| &x.extras))
            .chain(self.materials.values().flat_map(|x| x.textures()).map(|x| &x.extras))
            .chain(self.textures.values().map(|x| &x.extras))
            .chain(self.textures.values().filter_map(|x| x.sampler.as_ref()).map(|x| &x.extras))
            .chain(self.images.values().map(|x| &x.extras))
            .chain(self.cameras.values().map(|x| &x.extras))
            .chain(self.lights.values().map(|x| &x.extras))
            .chain(self.skins.values().map(|x| &x.extras))
            .chain(self.animations.iter().map(|x| &x.extras))
            .chain(channels.map(|x| &x.extras))
    }

    /// The nodes of a list of roots and all below them, parents first, in tree order. LOD stand-ins are not visited.
    pub fn walk(&self, roots: &[NodeId]) -> Vec<NodeId> {
        let mut order = Vec::new();
        let mut seen = vec![false; self.nodes.len()];
        let mut open: Vec<NodeId> = roots.iter().rev().copied().collect();
        while let Some(id) = open.pop() {
            let (Some(node), Some(seen)) = (self.nodes.get(id), seen.get_mut(id.index())) else { continue };
            if !std::mem::replace(seen, true) {
                order.push(id);
                open.extend(node.children.iter().rev());
            }
        }
        order
    }
}
