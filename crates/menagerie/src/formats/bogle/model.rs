//! A BOGLE file as it is.

use zerocopy::little_endian::{F32, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout};

use super::geometry::Geometry;
use super::tree::{Fault, Tree};
use crate::bytes::{Layout, Record, layout, record};
use crate::formats::Summary;

/// A BOGLE file as it is.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// `Version number`, 0.
    pub version: u8,
    /// `Color to add as global ambient light`, RGBA.
    pub ambient: [f32; 4],
    /// The cameras.
    pub cameras: Vec<Camera>,
    /// The geometries.
    pub geometries: Vec<Geometry>,
    /// The materials.
    pub materials: Vec<Material>,
    /// The lights.
    pub lights: Vec<Light>,
    /// The animation collections.
    pub collections: Vec<Collection>,
    /// The instances.
    pub instances: Vec<Instance>,
    /// The text of the scene tree as it was written, without the zero that ends it.
    pub tree: Vec<u8>,
    /// Bytes after the zero.
    pub trailing: Vec<u8>,
    /// What a file that is cut off had besides its whole records; `None` for a whole file.
    pub cut: Option<Box<Cut>>,
}

/// What a file has that ends too early, or cannot be read from some byte on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cut {
    /// The counts of the header: cameras, geometries, materials, lights, animation collections, instances.
    pub counts: [u32; 6],
    /// The bytes from the first record on that is not whole. They are written again as they are.
    pub rest: Vec<u8>,
    /// What is whole of the geometry that is cut off.
    pub geometry: Option<Geometry>,
    /// What is whole of the animation collection that is cut off.
    pub collection: Option<Collection>,
}

impl Default for Model {
    fn default() -> Self {
        Self {
            version: super::VERSION,
            ambient: [0.0, 0.0, 0.0, 1.0],
            cameras: Vec::new(),
            geometries: Vec::new(),
            materials: Vec::new(),
            lights: Vec::new(),
            collections: Vec::new(),
            instances: Vec::new(),
            tree: Vec::new(),
            trailing: Vec::new(),
            cut: None,
        }
    }
}

/// A camera.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Camera {
    /// `Camera type`: 0, or 1 from older exporters. Both mean the same.
    pub kind: u8,
    /// The name's bytes.
    pub name: Vec<u8>,
    /// `Screen width`.
    pub width: u32,
    /// `Screen height`.
    pub height: u32,
    /// `Near clip`.
    pub near: f32,
    /// `Far clip`.
    pub far: f32,
    /// `Field of View` in radians, along the longer side of the picture.
    pub fov: f32,
    /// `Main camera flag`: not zero for the active camera.
    pub main: u8,
}

/// The eight textures of a material, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the document's")]
pub enum Slot {
    Ambient,
    Emissive,
    Diffuse,
    Specular,
    SpecularPower,
    Normal,
    Bump,
    Opacity,
}

impl Slot {
    /// All of them, in the order of the file.
    pub const ALL: [Self; 8] = [
        Self::Ambient,
        Self::Emissive,
        Self::Diffuse,
        Self::Specular,
        Self::SpecularPower,
        Self::Normal,
        Self::Bump,
        Self::Opacity,
    ];

    /// The name in paths.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ambient => "ambient",
            Self::Emissive => "emissive",
            Self::Diffuse => "diffuse",
            Self::Specular => "specular",
            Self::SpecularPower => "specular_power",
            Self::Normal => "normal",
            Self::Bump => "bump",
            Self::Opacity => "opacity",
        }
    }

    /// The name of the field with the length of the texture's name.
    pub(super) fn length_name(self) -> &'static str {
        match self {
            Self::Ambient => "ambient_length",
            Self::Emissive => "emissive_length",
            Self::Diffuse => "diffuse_length",
            Self::Specular => "specular_length",
            Self::SpecularPower => "specular_power_length",
            Self::Normal => "normal_length",
            Self::Bump => "bump_length",
            Self::Opacity => "opacity_length",
        }
    }
}

/// A material.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// `Material type`, 0.
    pub kind: u8,
    /// `Shader type`, 0.
    pub shader: u8,
    /// The name's bytes.
    pub name: Vec<u8>,
    /// `Ambient color`, RGBA.
    pub ambient: [f32; 4],
    /// `Emissive color`, RGBA.
    pub emissive: [f32; 4],
    /// `Diffuse color`, RGBA.
    pub diffuse: [f32; 4],
    /// `Specular color`, RGBA.
    pub specular: [f32; 4],
    /// `Opacity` of the whole object.
    pub opacity: f32,
    /// `Specular power`: the exponent of the highlight.
    pub specular_power: f32,
    /// `Reflectance`.
    pub reflectance: f32,
    /// `Refraction`.
    pub refraction: f32,
    /// `Index of refraction`: that of where light comes from by that of this material.
    pub index_of_refraction: f32,
    /// `Bump intensity`.
    pub bump_intensity: f32,
    /// `Specular scale`: multiplies what the specular power texture holds.
    pub specular_scale: f32,
    /// `Alpha threshold`: pixels below it are not drawn.
    pub alpha_threshold: f32,
    /// `Alpha blending mode`: not zero for a transparent material.
    pub alpha_blend: u8,
    /// The names of the textures without `.png`, in the order of [`Slot::ALL`]; empty for none.
    pub textures: [Vec<u8>; 8],
}

impl Default for Material {
    fn default() -> Self {
        Self {
            kind: 0,
            shader: 0,
            name: Vec::new(),
            ambient: [0.0, 0.0, 0.0, 1.0],
            emissive: [0.0, 0.0, 0.0, 1.0],
            diffuse: [1.0; 4],
            specular: [0.0, 0.0, 0.0, 1.0],
            opacity: 1.0,
            specular_power: 32.0,
            reflectance: 0.0,
            refraction: 0.0,
            index_of_refraction: 1.0,
            bump_intensity: 1.0,
            specular_scale: 1.0,
            alpha_threshold: 0.0,
            alpha_blend: 0,
            textures: Default::default(),
        }
    }
}

impl Material {
    /// The name of a texture; empty for none.
    pub fn texture(&self, slot: Slot) -> &[u8] {
        self.textures.get(slot as usize).map(Vec::as_slice).unwrap_or_default()
    }
}

/// A light.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Light {
    /// `Type of light`: [`Light::SPOT`], [`Light::DIRECTIONAL`] or [`Light::POINT`].
    pub kind: u8,
    /// The name's bytes.
    pub name: Vec<u8>,
    /// `Color of the light`, RGBA.
    pub color: [f32; 4],
    /// `Constant attenuation`.
    pub constant: f32,
    /// `Linear attenuation`; the exporter writes negative values too.
    pub linear: f32,
    /// `Quadratic attenuation`.
    pub quadratic: f32,
    /// `Intensity`: a number of the exporter's own, see `docs/formats/bogle.md`.
    pub intensity: f32,
    /// `Angle` of the whole cone in radians, for spots.
    pub angle: f32,
}

impl Light {
    /// Shines in a cone.
    pub const SPOT: u8 = 0;
    /// Shines from far away.
    pub const DIRECTIONAL: u8 = 1;
    /// Shines to all sides.
    pub const POINT: u8 = 2;
}

/// A skeleton and the animations that move it.
#[derive(Clone, Debug, PartialEq)]
pub struct Collection {
    /// `Type of animation collection`, 0.
    pub kind: u8,
    /// The name's bytes.
    pub name: Vec<u8>,
    /// `Transform of the skeleton`: from the skeleton's space to the mesh's.
    pub transform: [f32; 16],
    /// The bones, in any order.
    pub bones: Vec<Bone>,
    /// The animations.
    pub animations: Vec<Animation>,
}

/// A bone at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C)]
pub struct Bone {
    /// `Bone's position`; that of a child is measured in its own turned frame.
    pub position: [F32; 3],
    /// `Bone's rotation`: x, y, z, w.
    pub rotation: [F32; 4],
    /// `Parent index`, from one on; zero for a root.
    pub parent: U32,
}

/// One animation of a collection.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Animation {
    /// The name's bytes.
    pub name: Vec<u8>,
    /// The keyframes.
    pub keys: Vec<Key>,
}

/// All bones at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Key {
    /// `Timestamp` in seconds.
    pub time: f32,
    /// `Offset of the root bone`, in its own frame at rest.
    pub root_offset: [f32; 3],
    /// For each bone `Bone's rotation`, x, y, z, w: what it turns by from its rest.
    pub rotations: Vec<[F32; 4]>,
}

/// An object of the scene.
#[derive(Clone, Debug, PartialEq)]
pub struct Instance {
    /// The name's bytes.
    pub name: Vec<u8>,
    /// `Camera index`, from one on; zero for none.
    pub camera: u32,
    /// `Geometry index`, from one on; zero for none.
    pub geometry: u32,
    /// `Material index`, from one on; zero for none.
    pub material: u32,
    /// `Light index`, from one on; zero for none.
    pub light: u32,
    /// `Animation collection index`, from one on; zero for none.
    pub collection: u32,
    /// `Transformation matrix` to the parent, column by column.
    pub matrix: [f32; 16],
}

/// The matrix that changes nothing.
pub(super) const IDENTITY: [f32; 16] =
    [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

impl Default for Instance {
    fn default() -> Self {
        Self {
            name: Vec::new(),
            camera: 0,
            geometry: 0,
            material: 0,
            light: 0,
            collection: 0,
            matrix: IDENTITY,
        }
    }
}

impl Default for Collection {
    fn default() -> Self {
        Self { kind: 0, name: Vec::new(), transform: IDENTITY, bones: Vec::new(), animations: Vec::new() }
    }
}

/// The element that a one-based index names; `None` for zero and for an index past the end.
pub(super) fn named<T>(list: &[T], index: u32) -> Option<&T> {
    list.get((index as usize).checked_sub(1)?)
}

/// Whether sixteen floats, column by column, are finite and end with the row 0 0 0 1.
pub(super) fn is_affine(matrix: &[f32; 16]) -> bool {
    let [.., a, _, _, _, b, _, _, _, c, _, _, _, d] = *matrix;
    matrix.iter().all(|x| x.is_finite()) && (a, b, c, d) == (0.0, 0.0, 0.0, 1.0)
}

impl Collection {
    /// For each bone the position of its parent; `None` for roots. A parent that does not exist, and the first bone
    /// of a circle of parents, count as roots.
    pub fn parents(&self) -> Vec<Option<usize>> {
        let count = self.bones.len();
        let stated = |bone: &Bone| (bone.parent.get() as usize).checked_sub(1).filter(|p| *p < count);
        let mut parents: Vec<Option<usize>> = self.bones.iter().map(stated).collect();
        // Each bone is walked over once: `walk` is the number of the walk that first met it.
        let mut walks = vec![0usize; count];
        for start in 0..count {
            let walk = start + 1;
            let mut at = Some(start);
            while let Some(bone) = at {
                let Some(met) = walks.get_mut(bone) else { break };
                if *met == walk {
                    if let Some(parent) = parents.get_mut(bone) {
                        *parent = None;
                    }
                    break;
                }
                if *met != 0 {
                    break;
                }
                *met = walk;
                at = parents.get(bone).copied().flatten();
            }
        }
        parents
    }

    /// The bones with parents before children, in the order of the file otherwise.
    pub fn parents_first(&self) -> Vec<usize> {
        let parents = self.parents();
        let mut children = vec![Vec::new(); parents.len()];
        let mut open = Vec::new();
        for (bone, parent) in parents.iter().enumerate().rev() {
            match parent.and_then(|parent| children.get_mut(parent)) {
                Some(list) => list.push(bone),
                None => open.push(bone),
            }
        }
        let mut order = Vec::with_capacity(parents.len());
        while let Some(bone) = open.pop() {
            order.push(bone);
            open.extend(children.get(bone).into_iter().flatten());
        }
        order
    }
}

impl Model {
    /// What the text of the scene tree says. Of a file that is cut off only the whole numbers of the text are left.
    pub fn parsed_tree(&self) -> Result<Tree, Fault> {
        Tree::parse(&self.tree, self.instances.len())
    }

    /// The camera that the engine looks through: that of the last instance in the tree whose camera has the flag.
    pub fn main_camera(&self) -> Option<usize> {
        let tree = self.parsed_tree().ok()?;
        tree.places.iter().rev().find_map(|place| {
            let instance = self.instances.get(place.instance)?;
            named(&self.cameras, instance.camera).filter(|camera| camera.main != 0)?;
            Some(instance.camera as usize - 1)
        })
    }

    /// What is in it.
    pub fn summary(&self) -> Summary {
        Summary {
            profile: None,
            contents: vec![
                ("cameras", self.cameras.len()),
                ("geometries", self.geometries.len()),
                ("materials", self.materials.len()),
                ("lights", self.lights.len()),
                ("animation_collections", self.collections.len()),
                ("instances", self.instances.len()),
                ("bones", self.collections.iter().map(|collection| collection.bones.len()).sum()),
                ("animations", self.collections.iter().map(|collection| collection.animations.len()).sum()),
            ],
            vertices: self.geometries.iter().map(|geometry| geometry.vertices.len()).sum(),
            triangles: self.geometries.iter().map(|geometry| geometry.triangles().len()).sum(),
        }
    }
}

/// A camera after its type and name.
pub(super) static CAMERA: Layout<Camera> = layout!(camera: Camera {
    "width" => camera.width,
    "height" => camera.height,
    "near" => camera.near,
    "far" => camera.far,
    "fov" => camera.fov,
    "main" => camera.main,
});

/// A material between its name and its textures.
pub(super) static MATERIAL: Layout<Material> = layout!(material: Material {
    "ambient" => material.ambient,
    "emissive" => material.emissive,
    "diffuse" => material.diffuse,
    "specular" => material.specular,
    "opacity" => material.opacity,
    "specular_power" => material.specular_power,
    "reflectance" => material.reflectance,
    "refraction" => material.refraction,
    "index_of_refraction" => material.index_of_refraction,
    "bump_intensity" => material.bump_intensity,
    "specular_scale" => material.specular_scale,
    "alpha_threshold" => material.alpha_threshold,
    "alpha_blend" => material.alpha_blend,
});

/// A light after its type and name.
pub(super) static LIGHT: Layout<Light> = layout!(light: Light {
    "color" => light.color,
    "constant" => light.constant,
    "linear" => light.linear,
    "quadratic" => light.quadratic,
    "intensity" => light.intensity,
    "angle" => light.angle,
});

/// An instance after its name.
pub(super) static INSTANCE: Layout<Instance> = layout!(instance: Instance {
    "camera" => instance.camera,
    "geometry" => instance.geometry,
    "material" => instance.material,
    "light" => instance.light,
    "animation_collection" => instance.collection,
    "matrix" => instance.matrix,
});

/// A key before its rotations.
pub(super) static KEY: Layout<Key> = layout!(key: Key {
    "time" => key.time,
    "root_offset" => key.root_offset,
});

pub(super) static BONE: Record = record!("position": F32 * 3, "rotation": F32 * 4, "parent": U32);

pub(super) static ROTATION: Record = record!("xyzw": F32 * 4);
