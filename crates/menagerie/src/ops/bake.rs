//! A moment of an animation as the model at rest.

use std::collections::{BTreeMap, BTreeSet};

use glam::{Mat3, Mat4, Quat, Vec3};

use super::bake_morphs;
use super::normals::forget_custom;
use crate::scene::{
    Animation, Arena, Mesh, MeshId, NodeId, Pose, Primitive, Scene, StreamKind, Transform, change,
    unit_vector,
};

/// An animation of a Scene that may not have it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum WhichAnimation {
    /// None: the pose at rest.
    #[default]
    Rest,
    /// The one with this place in the list.
    Number(usize),
    /// The first with this name.
    Name(String),
}

impl WhichAnimation {
    /// The animation, `None` for the pose at rest; fails with a sentence when the Scene does not have it.
    pub fn find<'a>(&self, scene: &'a Scene) -> Result<Option<&'a Animation>, String> {
        let count = scene.animations.len();
        match self {
            Self::Rest => Ok(None),
            Self::Number(number) => match scene.animations.get(*number) {
                Some(animation) => Ok(Some(animation)),
                None => Err(format!("there is no animation {number}: the model has {count}")),
            },
            Self::Name(name) => match scene.animations.iter().find(|animation| animation.name == *name) {
                Some(animation) => Ok(Some(animation)),
                None => Err(format!("none of the {count} animations is called {name:?}")),
            },
        }
    }
}

/// A moment to bake.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// Which animation.
    pub animation: WhichAnimation,
    /// When, in seconds.
    pub seconds: f32,
}

/// What baking did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Baked {
    /// Nodes whose mesh was bound to joints and now is not.
    pub unskinned: usize,
    /// Nodes whose mesh had morph targets and now has the shape that they gave.
    pub morphed: usize,
    /// Animations that are gone.
    pub animations: usize,
    /// Nodes whose mesh is still bound, because their own place has no inverse: there nothing else would look the same.
    pub still_skinned: usize,
}

/// Makes a still model of a moving one: nodes are where the animation has them at that moment, vertices where joints
/// and morph targets put them. Skins, morph targets and animations are gone then. An animation that the Scene does not
/// have counts as the pose at rest; [`WhichAnimation::find`] tells.
pub fn bake_pose(scene: &mut Scene, moment: &Moment) -> Baked {
    let (locals, pose) = match moment.animation.find(scene).ok().flatten() {
        Some(animation) => Pose::at_with_locals(scene, animation, moment.seconds),
        None => (scene.nodes.values().map(|node| node.transform).collect(), Pose::rest(scene)),
    };
    let mut report = Baked { animations: scene.animations.len(), ..Baked::default() };
    let mut baker = Baker { scene, pose: &pose, made: BTreeMap::new(), meshes: Arena::default() };
    let nodes: Vec<NodeId> = baker.scene.nodes.ids().collect();
    let shows: Vec<Option<(MeshId, bool)>> = nodes.iter().map(|id| baker.node(*id, &mut report)).collect();
    // Meshes that no node shows stay, in their shape at rest.
    let shown: BTreeSet<MeshId> = baker.scene.nodes.values().filter_map(|node| node.mesh).collect();
    for (_, mesh) in baker.scene.meshes.iter().filter(|(id, _)| !shown.contains(id)) {
        baker.meshes.push(baked(mesh, &mesh.weights, drop_joints));
    }
    let meshes = baker.meshes;
    scene.meshes = meshes;
    for ((node, shows), local) in scene.nodes.values_mut().zip(shows).zip(locals) {
        node.transform = usable(local, node.transform);
        node.weights.clear();
        if let Some((mesh, unskinned)) = shows {
            node.mesh = Some(mesh);
            node.skin = node.skin.filter(|_| !unskinned);
        }
    }
    if scene.nodes.values().all(|node| node.skin.is_none()) {
        scene.skins = Arena::default();
    }
    scene.animations.clear();
    report
}

/// A spline of rotations can pass through zero, where there is no direction, and a spline of anything leave all bounds.
fn usable(local: Transform, rest: Transform) -> Transform {
    match local {
        Transform::Trs { translation, rotation, scale } => {
            let unit = (rotation.length() - 1.0).abs() <= 1e-3;
            let rotation = if unit { rotation } else { Quat::IDENTITY };
            Transform::Trs { translation: finite(translation), rotation, scale: finite(scale) }
        }
        Transform::Matrix(_) => rest,
    }
}

fn finite(v: Vec3) -> Vec3 {
    let bounded = v.to_array().map(|x| if x.is_nan() { 0.0 } else { x.clamp(f32::MIN, f32::MAX) });
    Vec3::from_array(bounded)
}

/// A mesh in the shape of some morph weights.
type Shape = (MeshId, Vec<u32>);

struct Baker<'a> {
    scene: &'a Scene,
    pose: &'a Pose,
    /// Meshes that are the same wherever they are shown, by what they were made of.
    made: BTreeMap<Shape, MeshId>,
    meshes: Arena<Mesh>,
}

impl Baker<'_> {
    /// The mesh that a node shows now, and whether it is free of its skin.
    fn node(&mut self, id: NodeId, report: &mut Baked) -> Option<(MeshId, bool)> {
        let node = self.scene.nodes.get(id)?;
        let mesh_id = node.mesh?;
        let mesh = self.scene.meshes.get(mesh_id)?;
        let weights = self.pose.weights.get(id.index()).cloned().unwrap_or_default();
        report.morphed += usize::from(mesh.target_count() > 0);
        let own = self.pose.worlds.get(id.index()).copied().unwrap_or_default();
        let inverse = own.inverse();
        let bound = self.pose.palette(self.scene, id);
        let Some(palette) = bound.filter(|_| mesh.primitives.iter().any(|p| !p.joints.is_empty())) else {
            let shape = (mesh_id, weights.iter().map(|weight| weight.to_bits()).collect());
            if let Some(made) = self.made.get(&shape) {
                return Some((*made, true));
            }
            let made = self.meshes.push(baked(mesh, &weights, drop_joints));
            self.made.insert(shape, made);
            return Some((made, true));
        };
        if !inverse.is_finite() {
            report.still_skinned += 1;
            return Some((self.meshes.push(baked(mesh, &weights, |_| {})), false));
        }
        report.unskinned += 1;
        let palette: Vec<Mat4> = palette.into_iter().map(|matrix| inverse * matrix).collect();
        let made = baked(mesh, &weights, |primitive| {
            move_vertices(primitive, &palette);
            drop_joints(primitive);
        });
        Some((self.meshes.push(made), true))
    }
}

/// A mesh in the shape that morph weights give, with its primitives changed.
fn baked(mesh: &Mesh, weights: &[f32], change: impl Fn(&mut Primitive)) -> Mesh {
    let mut mesh = mesh.clone();
    mesh.weights.clear();
    mesh.target_names.clear();
    for primitive in &mut mesh.primitives {
        if !primitive.targets.is_empty() || !primitive.joints.is_empty() {
            // What was kept about normals belongs to those at rest.
            forget_custom(primitive, "NORMAL");
        }
        if !primitive.targets.is_empty() {
            bake_morphs(primitive, weights);
        }
        change(primitive);
        for position in &mut primitive.positions {
            *position = finite(Vec3::from_array(*position)).to_array();
        }
    }
    mesh
}

fn drop_joints(primitive: &mut Primitive) {
    primitive.joints.clear();
    primitive.weights.clear();
}

fn move_vertices(primitive: &mut Primitive, palette: &[Mat4]) {
    let matrix = |vertex| crate::scene::skin_matrix(palette, primitive, vertex);
    let matrices: Vec<Option<Mat4>> = (0..primitive.vertex_count()).map(matrix).collect();
    for (slot, mut stream) in primitive.streams_mut() {
        if slot.is_delta() {
            continue;
        }
        for ((vector, sign), matrix) in stream.vectors_mut().zip(&matrices) {
            let Some(matrix) = matrix else { continue };
            let linear = Mat3::from_mat4(*matrix);
            match slot.kind {
                StreamKind::Place => change(vector, |place| matrix.transform_point3(place)),
                StreamKind::Normal => {
                    let turn = linear.inverse().transpose();
                    let turn = if turn.is_finite() { turn } else { linear };
                    change(vector, |normal| unit_vector(turn * normal).unwrap_or(normal));
                }
                StreamKind::Tangent => {
                    change(vector, |tangent| unit_vector(linear * tangent).unwrap_or(tangent));
                    // A mirror turns the bitangent round.
                    let mirrored = linear.determinant() < 0.0;
                    sign.into_iter().filter(|_| mirrored).for_each(|sign| *sign = -*sign);
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{
        Channel, Extras, Interpolation, MorphTarget, Node, Property, SceneRoot, Skin, assert_scene,
    };

    /// A triangle that hangs on two joints and can be morphed, below a node that is elsewhere.
    fn moving() -> Scene {
        let mut scene = Scene::default();
        let primitive = Primitive {
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            normals: vec![[0.0, 0.0, 1.0]; 3],
            indices: vec![0, 1, 2],
            joints: vec![vec![[0, 1, 0, 0], [1, 0, 0, 0], [0; 4]]],
            weights: vec![vec![[0.5, 0.5, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0], [0.0; 4]]],
            targets: vec![MorphTarget { positions: vec![[0.0, 0.0, 2.0]; 3], ..MorphTarget::default() }],
            ..Primitive::default()
        };
        let mesh = scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
        let far = |x: f32| Transform::Trs {
            translation: Vec3::new(x, 0.0, 0.0),
            rotation: Quat::IDENTITY,
            scale: Vec3::splat(2.0),
        };
        let joints: Vec<NodeId> =
            (0..2).map(|i| scene.nodes.push(Node { transform: far(i as f32), ..Node::default() })).collect();
        let skin = scene.skins.push(Skin { joints: joints.clone(), ..Skin::default() });
        let transform = far(30.0);
        let shows =
            scene.nodes.push(Node { mesh: Some(mesh), skin: Some(skin), transform, ..Node::default() });
        let roots = [joints.clone(), vec![shows]].concat();
        scene.scenes.push(SceneRoot { roots, ..SceneRoot::default() });
        let channel = |node, property, values: &[f32]| Channel {
            node,
            property,
            interpolation: Interpolation::Linear,
            times: vec![0.0, 2.0],
            values: values.to_vec(),
            extras: Extras::default(),
        };
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let channels = vec![
            channel(joints[1], Property::Rotation, &[0.0, 0.0, 0.0, 1.0, half, 0.0, 0.0, half]),
            channel(joints[0], Property::Translation, &[0.0, 0.0, 0.0, 0.0, 5.0, 0.0]),
            channel(shows, Property::Weights, &[0.0, 1.0]),
        ];
        scene.animations.push(Animation { channels, ..Animation::default() });
        scene
    }

    fn positions(scene: &Scene, pose: &Pose) -> Vec<Vec3> {
        let shows = scene.nodes.ids().last().unwrap();
        let mesh = scene.nodes[shows].mesh.unwrap();
        pose.positions(scene, shows, &scene.meshes[mesh].primitives[0])
    }

    #[test]
    fn everything_is_where_it_was() {
        for moment in [(None, 0.0), (Some(0), 0.0), (Some(0), 1.3), (Some(0), 9.0), (Some(7), 1.0)] {
            let mut scene = moving();
            let (animation, seconds) = moment;
            let which = animation.map_or(WhichAnimation::Rest, WhichAnimation::Number);
            let pose = match animation.and_then(|animation: usize| scene.animations.get(animation)) {
                Some(animation) => Pose::at(&scene, animation, seconds),
                None => Pose::rest(&scene),
            };
            let expected = positions(&scene, &pose);
            let report = bake_pose(&mut scene, &Moment { animation: which, seconds });
            assert_eq!((report.unskinned, report.morphed, report.animations), (1, 1, 1));
            assert_scene(&scene);
            assert!(scene.skins.is_empty() && scene.animations.is_empty());
            let found = positions(&scene, &Pose::rest(&scene));
            for (found, expected) in found.iter().zip(&expected) {
                assert!(found.distance(*expected) < 1e-4, "{found} is not {expected} at {moment:?}");
            }
            let once = scene.clone();
            bake_pose(&mut scene, &Moment::default());
            assert_eq!(scene, once, "twice is as good as once");
        }
    }

    #[test]
    fn a_node_without_inverse_keeps_its_skin() {
        let mut scene = moving();
        let shows = scene.nodes.ids().last().unwrap();
        scene.nodes[shows].transform = Transform::Trs {
            translation: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            scale: Vec3::new(1.0, 0.0, 1.0),
        };
        let expected = positions(&scene, &Pose::at(&scene, &scene.animations[0], 1.0));
        let animation = WhichAnimation::Number(0);
        let report = bake_pose(&mut scene, &Moment { animation, seconds: 1.0 });
        assert_eq!((report.unskinned, report.still_skinned), (0, 1));
        assert_scene(&scene);
        assert_eq!(positions(&scene, &Pose::rest(&scene)), expected);
    }
}
