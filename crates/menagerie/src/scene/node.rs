//! Nodes and what hangs on them: transforms, levels of detail, skins, cameras, lights.

use glam::{Mat4, Quat, Vec3};

use super::{CameraId, Extras, LightId, MeshId, NodeId, SkinId};

/// One scene: the roots that are shown together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneRoot {
    /// Its name; may be empty.
    pub name: String,
    /// Nodes without a parent.
    pub roots: Vec<NodeId>,
    /// What only one format knows.
    pub extras: Extras,
}

/// A place in the tree, and what is there.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its name; may be empty.
    pub name: String,
    /// Its children.
    pub children: Vec<NodeId>,
    /// From its own space to its parent's.
    pub transform: Transform,
    /// What is drawn here.
    pub mesh: Option<MeshId>,
    /// What the mesh is bound to.
    pub skin: Option<SkinId>,
    /// The camera that is here.
    pub camera: Option<CameraId>,
    /// The light that is here.
    pub light: Option<LightId>,
    /// The weights of the mesh's morph targets here; empty for the mesh's own.
    pub weights: Vec<f32>,
    /// Whether it and everything below it is shown.
    pub visible: bool,
    /// What stands in for it at a distance, from near to far.
    pub lods: Vec<Lod>,
    /// What only one format knows.
    pub extras: Extras,
}

impl Default for Node {
    fn default() -> Self {
        Self {
            name: String::new(),
            children: Vec::new(),
            transform: Transform::default(),
            mesh: None,
            skin: None,
            camera: None,
            light: None,
            weights: Vec::new(),
            visible: true,
            lods: Vec::new(),
            extras: Extras::default(),
        }
    }
}

/// A level of detail.
#[derive(Clone, Debug, PartialEq)]
pub struct Lod {
    /// The node that stands in, in the same place of the tree.
    pub node: NodeId,
    /// From which distance on; `None` when the file does not say.
    pub distance: Option<f32>,
}

/// Where a node is in its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Transform {
    /// First scaled, then rotated, then moved.
    Trs {
        /// Moved by this.
        translation: Vec3,
        /// Rotated by this unit quaternion.
        rotation: Quat,
        /// Scaled by this.
        scale: Vec3,
    },
    /// Any affine matrix.
    Matrix(Mat4),
}

impl Default for Transform {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Transform {
    /// Nowhere else.
    pub const IDENTITY: Self =
        Self::Trs { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// As a matrix.
    pub fn matrix(&self) -> Mat4 {
        match *self {
            Self::Trs { translation, rotation, scale } => {
                Mat4::from_scale_rotation_translation(scale, rotation, translation)
            }
            Self::Matrix(matrix) => matrix,
        }
    }

    /// As translation, rotation and scale, and how far the nearest such transform is from this one: the largest
    /// difference of an element of their matrices, zero for [`Transform::Trs`].
    pub fn to_trs(&self) -> (Vec3, Quat, Vec3, f32) {
        match *self {
            Self::Trs { translation, rotation, scale } => (translation, rotation, scale, 0.0),
            Self::Matrix(matrix) => {
                let (scale, rotation, translation) = matrix.to_scale_rotation_translation();
                // The length of a long column may be more than a float can say.
                let scale = scale.clamp(Vec3::splat(-f32::MAX), Vec3::splat(f32::MAX));
                let scale = Vec3::select(scale.is_nan_mask(), Vec3::ONE, scale);
                let usable = rotation.is_finite() && rotation.length_squared() > 0.5;
                let rotation = if usable { rotation.normalize() } else { Quat::IDENTITY };
                let near = Mat4::from_scale_rotation_translation(scale, rotation, translation);
                let off = (near - matrix).to_cols_array().into_iter().fold(0.0f32, |m, x| m.max(x.abs()));
                (translation, rotation, scale, off.min(f32::MAX))
            }
        }
    }
}

/// What binds meshes to nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Skin {
    /// Its name; may be empty.
    pub name: String,
    /// The nodes that vertices hang on.
    pub joints: Vec<NodeId>,
    /// For each joint, from the mesh's space to the joint's at the time of binding; empty when all are the identity.
    pub inverse_binds: Vec<Mat4>,
    /// The root of the skeleton, where the file names one.
    pub skeleton: Option<NodeId>,
    /// What only one format knows.
    pub extras: Extras,
}

impl Skin {
    /// The inverse bind matrix of the `index`th joint.
    pub fn inverse_bind(&self, index: usize) -> Mat4 {
        self.inverse_binds.get(index).copied().unwrap_or(Mat4::IDENTITY)
    }
}

/// A point of view.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// Its name; may be empty.
    pub name: String,
    /// How it shows the world.
    pub projection: Projection,
    /// What only one format knows.
    pub extras: Extras,
}

/// How a camera shows the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Projection {
    /// Far things are smaller.
    Perspective {
        /// The vertical field of view in radians.
        yfov: f32,
        /// Width by height; `None` for that of the window.
        aspect: Option<f32>,
        /// Nothing nearer is shown.
        near: f32,
        /// Nothing farther is shown; `None` for no end.
        far: Option<f32>,
    },
    /// Far things are as large as near ones.
    Orthographic {
        /// Half the width.
        xmag: f32,
        /// Half the height.
        ymag: f32,
        /// Nothing nearer is shown.
        near: f32,
        /// Nothing farther is shown.
        far: f32,
    },
}

/// A source of light.
#[derive(Clone, Debug, PartialEq)]
pub struct Light {
    /// Its name; may be empty.
    pub name: String,
    /// Where it shines.
    pub kind: LightKind,
    /// Linear RGB.
    pub color: [f32; 3],
    /// Candela for points and spots, lux for directional lights, where the file means such a thing.
    pub intensity: f32,
    /// How far it reaches; `None` for no end.
    pub range: Option<f32>,
    /// Constant, linear and quadratic attenuation, where the file has them: intensity / (c + l·d + q·d²).
    pub attenuation: Option<[f32; 3]>,
    /// What only one format knows.
    pub extras: Extras,
}

/// Where a light shines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightKind {
    /// From a point to all sides.
    Point,
    /// From a point in a cone along −Z.
    Spot {
        /// Half the angle up to which it is at full strength, in radians.
        inner: f32,
        /// Half the angle from which on it is dark.
        outer: f32,
    },
    /// From far away along −Z.
    Directional,
}
