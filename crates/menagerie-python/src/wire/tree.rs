//! Nodes and what hangs on them, and how they move.

use menagerie::glam::{Mat4, Quat, Vec3};
use menagerie::scene::{
    Animation, Camera, Channel, Id, Interpolation, Light, LightKind, Lod, Node, Projection, Property,
    SceneRoot, Skin, Transform,
};
use serde::{Deserialize, Serialize};

use super::{In, Notes, Out, Stream, Wrong, each, extras, ids, index, notes};
use crate::arrays::Array;

#[derive(Serialize, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub(super) struct WireRoot {
    name: String,
    roots: Vec<usize>,
    extras: Notes,
}

impl WireRoot {
    pub(super) fn of(root: SceneRoot) -> Self {
        let roots = root.roots.into_iter().map(index).collect();
        Self { name: root.name, roots, extras: notes(&root.extras) }
    }

    pub(super) fn make(self) -> SceneRoot {
        SceneRoot { name: self.name, roots: ids(self.roots), extras: extras(self.extras) }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireLod {
    node: usize,
    distance: Option<f32>,
}

#[derive(Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct WireNode {
    name: String,
    children: Vec<usize>,
    translation: [f32; 3],
    rotation: [f32; 4],
    scale: [f32; 3],
    /// By columns; in place of the three above.
    matrix: Option<[f32; 16]>,
    mesh: Option<usize>,
    skin: Option<usize>,
    camera: Option<usize>,
    light: Option<usize>,
    weights: Vec<f32>,
    visible: bool,
    lods: Vec<WireLod>,
    extras: Notes,
}

impl Default for WireNode {
    fn default() -> Self {
        Self::of(Node::default())
    }
}

impl WireNode {
    pub(super) fn of(node: Node) -> Self {
        // The nearest to a matrix that flattens may be no number at all.
        let near = node.transform.to_trs();
        let usable = near.0.is_finite() && near.1.is_finite() && near.2.is_finite();
        let (translation, rotation, scale, _) = if usable { near } else { Transform::IDENTITY.to_trs() };
        let matrix = match node.transform {
            Transform::Trs { .. } => None,
            Transform::Matrix(matrix) => Some(matrix.to_cols_array()),
        };
        let lod = |lod: Lod| WireLod { node: index(lod.node), distance: lod.distance };
        Self {
            name: node.name,
            children: node.children.into_iter().map(index).collect(),
            translation: translation.to_array(),
            rotation: rotation.to_array(),
            scale: scale.to_array(),
            matrix,
            mesh: node.mesh.map(index),
            skin: node.skin.map(index),
            camera: node.camera.map(index),
            light: node.light.map(index),
            weights: node.weights,
            visible: node.visible,
            lods: node.lods.into_iter().map(lod).collect(),
            extras: notes(&node.extras),
        }
    }

    pub(super) fn make(self) -> Node {
        let transform = match self.matrix {
            Some(matrix) => Transform::Matrix(Mat4::from_cols_array(&matrix)),
            None => Transform::Trs {
                translation: Vec3::from_array(self.translation),
                rotation: Quat::from_array(self.rotation),
                scale: Vec3::from_array(self.scale),
            },
        };
        let lod = |lod: WireLod| Lod { node: Id::new(lod.node), distance: lod.distance };
        Node {
            name: self.name,
            children: ids(self.children),
            transform,
            mesh: self.mesh.map(Id::new),
            skin: self.skin.map(Id::new),
            camera: self.camera.map(Id::new),
            light: self.light.map(Id::new),
            weights: self.weights,
            visible: self.visible,
            lods: self.lods.into_iter().map(lod).collect(),
            extras: extras(self.extras),
        }
    }
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub(super) struct WireSkin {
    name: String,
    joints: Vec<usize>,
    inverse_binds: Option<Stream>,
    skeleton: Option<usize>,
    extras: Notes,
}

impl WireSkin {
    pub(super) fn of(skin: Skin, out: &mut Out) -> Self {
        let binds: Vec<[f32; 16]> = skin.inverse_binds.iter().map(Mat4::to_cols_array).collect();
        let shape = vec![binds.len(), 4, 4];
        Self {
            name: skin.name,
            joints: skin.joints.into_iter().map(index).collect(),
            inverse_binds: (!binds.is_empty()).then(|| out.array(Array::rows(binds).shaped(shape))),
            skeleton: skin.skeleton.map(index),
            extras: notes(&skin.extras),
        }
    }

    pub(super) fn make(self, lists: &In) -> Result<Skin, Wrong> {
        let binds = lists.rows(self.inverse_binds)?;
        Ok(Skin {
            name: self.name,
            joints: ids(self.joints),
            inverse_binds: binds.iter().map(Mat4::from_cols_array).collect(),
            skeleton: self.skeleton.map(Id::new),
            extras: extras(self.extras),
        })
    }
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum WireProjection {
    Perspective { yfov: f32, aspect: Option<f32>, near: f32, far: Option<f32> },
    Orthographic { xmag: f32, ymag: f32, near: f32, far: f32 },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireCamera {
    name: String,
    projection: WireProjection,
    extras: Notes,
}

impl WireCamera {
    pub(super) fn of(camera: Camera) -> Self {
        let projection = match camera.projection {
            Projection::Perspective { yfov, aspect, near, far } => {
                WireProjection::Perspective { yfov, aspect, near, far }
            }
            Projection::Orthographic { xmag, ymag, near, far } => {
                WireProjection::Orthographic { xmag, ymag, near, far }
            }
        };
        Self { name: camera.name, projection, extras: notes(&camera.extras) }
    }

    pub(super) fn make(self) -> Camera {
        let projection = match self.projection {
            WireProjection::Perspective { yfov, aspect, near, far } => {
                Projection::Perspective { yfov, aspect, near, far }
            }
            WireProjection::Orthographic { xmag, ymag, near, far } => {
                Projection::Orthographic { xmag, ymag, near, far }
            }
        };
        Camera { name: self.name, projection, extras: extras(self.extras) }
    }
}

#[derive(Serialize, Deserialize, Clone, Copy, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum WireLightKind {
    Point,
    Spot,
    Directional,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireLight {
    name: String,
    kind: WireLightKind,
    inner: f32,
    outer: f32,
    color: [f32; 3],
    intensity: f32,
    range: Option<f32>,
    attenuation: Option<[f32; 3]>,
    extras: Notes,
}

impl WireLight {
    pub(super) fn of(light: Light) -> Self {
        let (kind, inner, outer) = match light.kind {
            LightKind::Point => (WireLightKind::Point, 0.0, 0.0),
            LightKind::Spot { inner, outer } => (WireLightKind::Spot, inner, outer),
            LightKind::Directional => (WireLightKind::Directional, 0.0, 0.0),
        };
        Self {
            name: light.name,
            kind,
            inner,
            outer,
            color: light.color,
            intensity: light.intensity,
            range: light.range,
            attenuation: light.attenuation,
            extras: notes(&light.extras),
        }
    }

    pub(super) fn make(self) -> Light {
        let kind = match self.kind {
            WireLightKind::Point => LightKind::Point,
            WireLightKind::Spot => LightKind::Spot { inner: self.inner, outer: self.outer },
            WireLightKind::Directional => LightKind::Directional,
        };
        Light {
            name: self.name,
            kind,
            color: self.color,
            intensity: self.intensity,
            range: self.range,
            attenuation: self.attenuation,
            extras: extras(self.extras),
        }
    }
}

#[derive(Serialize, Deserialize, Default)]
#[serde(default, deny_unknown_fields)]
pub(super) struct WireAnimation {
    name: String,
    channels: Vec<WireChannel>,
    extras: Notes,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireChannel {
    node: usize,
    property: WireProperty,
    interpolation: WireInterpolation,
    times: Stream,
    values: Stream,
    extras: Notes,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum WireProperty {
    Translation,
    Rotation,
    Scale,
    Weights,
}

#[derive(Serialize, Deserialize, Clone, Copy)]
#[serde(rename_all = "kebab-case")]
enum WireInterpolation {
    Step,
    Linear,
    Cubic,
}

impl WireAnimation {
    pub(super) fn of(animation: Animation, out: &mut Out) -> Self {
        Self {
            name: animation.name,
            channels: animation.channels.into_iter().map(|channel| WireChannel::of(channel, out)).collect(),
            extras: notes(&animation.extras),
        }
    }

    pub(super) fn make(self, lists: &In) -> Result<Animation, Wrong> {
        let channels = each("channels", self.channels, |channel| channel.make(lists))?;
        Ok(Animation { name: self.name, channels, extras: extras(self.extras) })
    }
}

impl WireChannel {
    fn of(channel: Channel, out: &mut Out) -> Self {
        let (keys, width) = (channel.times.len(), channel.width());
        let (interpolation, shape) = match channel.interpolation {
            Interpolation::Step => (WireInterpolation::Step, vec![keys, width]),
            Interpolation::Linear => (WireInterpolation::Linear, vec![keys, width]),
            Interpolation::Cubic => (WireInterpolation::Cubic, vec![keys, 3, width]),
        };
        Self {
            node: index(channel.node),
            property: match channel.property {
                Property::Translation => WireProperty::Translation,
                Property::Rotation => WireProperty::Rotation,
                Property::Scale => WireProperty::Scale,
                Property::Weights => WireProperty::Weights,
            },
            interpolation,
            times: out.array(Array::flat(channel.times)),
            values: out.array(Array::flat(channel.values).shaped(shape)),
            extras: notes(&channel.extras),
        }
    }

    fn make(self, lists: &In) -> Result<Channel, Wrong> {
        Ok(Channel {
            node: Id::new(self.node),
            property: match self.property {
                WireProperty::Translation => Property::Translation,
                WireProperty::Rotation => Property::Rotation,
                WireProperty::Scale => Property::Scale,
                WireProperty::Weights => Property::Weights,
            },
            interpolation: match self.interpolation {
                WireInterpolation::Step => Interpolation::Step,
                WireInterpolation::Linear => Interpolation::Linear,
                WireInterpolation::Cubic => Interpolation::Cubic,
            },
            times: lists.flat(self.times)?,
            values: lists.flat(self.values)?,
            extras: extras(self.extras),
        })
    }
}
