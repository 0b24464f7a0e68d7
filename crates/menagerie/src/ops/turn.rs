//! Another up and front for a whole Scene.

use glam::{Quat, Vec3};

use crate::scene::{Channel, Interpolation, LightKind, Node, NodeId, Property, Scene, Transform, Turn};

/// What turning the axes did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turned {
    /// Nodes that were added below others, for cameras and lights that look somewhere.
    pub added_nodes: usize,
}

/// Turns the axes of a whole Scene: positions, normals, tangents, nodes, inverse binds, morph targets and animations
/// together. For a model whose author had another axis up than the file's format.
///
/// All of it is a change of places and signs: turning there and back gives the same bits. Only cameras and lights that
/// look along their own −Z are no part of that; their nodes are rotated so that they look where they did, or they get a
/// node of their own where something else hangs on theirs.
pub fn turn_axes(scene: &mut Scene, turn: Turn) -> Turned {
    if turn == Turn::None {
        return Turned::default();
    }
    for primitive in scene.meshes.values_mut().flat_map(|mesh| &mut mesh.primitives) {
        for (slot, mut stream) in primitive.streams_mut() {
            if slot.kind.is_spatial() {
                stream.vectors_mut().for_each(|(vector, _)| *vector = turn.vector(*vector));
            }
        }
    }
    for node in scene.nodes.values_mut() {
        node.transform = turned(node.transform, turn);
    }
    for matrix in scene.skins.values_mut().flat_map(|skin| &mut skin.inverse_binds) {
        *matrix = turn.matrix(*matrix);
    }
    for channel in scene.animations.iter_mut().flat_map(|animation| &mut animation.channels) {
        turn_channel(channel, turn);
    }
    Turned { added_nodes: look_again(scene, turn) }
}

fn turned(transform: Transform, turn: Turn) -> Transform {
    match transform {
        Transform::Trs { translation, rotation, scale } => Transform::Trs {
            translation: turn.vec3(translation),
            rotation: turn.quat(rotation),
            scale: turn.scale(scale),
        },
        Transform::Matrix(matrix) => Transform::Matrix(turn.matrix(matrix)),
    }
}

/// Turns the values of a channel; the tangents of splines turn as the values do.
fn turn_channel(channel: &mut Channel, turn: Turn) {
    match channel.property {
        Property::Translation => {
            channel.values.as_chunks_mut::<3>().0.iter_mut().for_each(|v| *v = turn.vector(*v));
        }
        Property::Scale => {
            let scaled = |v: [f32; 3]| turn.scale(Vec3::from_array(v)).to_array();
            channel.values.as_chunks_mut::<3>().0.iter_mut().for_each(|v| *v = scaled(*v));
        }
        Property::Rotation => {
            let rotated = |q: [f32; 4]| turn.quat(Quat::from_array(q)).to_array();
            channel.values.as_chunks_mut::<4>().0.iter_mut().for_each(|q| *q = rotated(*q));
        }
        Property::Weights => {}
    }
}

/// Lets cameras and lights look where they did, now that the space of their node is turned; how many nodes that took.
fn look_again(scene: &mut Scene, turn: Turn) -> usize {
    let joints: Vec<NodeId> = scene.skins.values().flat_map(|skin| skin.joints.iter().copied()).collect();
    let (_, turning, _) = turn.to_matrix().to_scale_rotation_translation();
    let looks = |scene: &Scene, node: &Node| {
        let light = node.light.and_then(|light| scene.lights.get(light));
        node.camera.is_some() || light.is_some_and(|light| light.kind != LightKind::Point)
    };
    let lookers: Vec<NodeId> =
        scene.nodes.iter().filter(|(_, node)| looks(scene, node)).map(|(id, _)| id).collect();
    let mut added = 0;
    for id in lookers {
        let Some(node) = scene.nodes.get_mut(id) else { continue };
        let alone = node.mesh.is_none() && node.children.is_empty() && node.lods.is_empty();
        let animated = scene.animations.iter().flat_map(|animation| &animation.channels);
        let spline = animated
            .filter(|channel| channel.node == id)
            .any(|channel| channel.interpolation == Interpolation::Cubic);
        let scale = node.transform.to_trs().2;
        let even = scale.x == scale.y && scale.y == scale.z;
        if alone && !joints.contains(&id) && !spline && even {
            rotate_first(&mut node.transform, turning);
            let channels = scene.animations.iter_mut().flat_map(|animation| &mut animation.channels);
            for channel in channels.filter(|c| c.node == id && c.property == Property::Rotation) {
                for q in channel.values.as_chunks_mut::<4>().0 {
                    *q = (Quat::from_array(*q) * turning).normalize().to_array();
                }
            }
        } else {
            let transform = Transform::Trs { translation: Vec3::ZERO, rotation: turning, scale: Vec3::ONE };
            let looker =
                Node { transform, camera: node.camera.take(), light: node.light.take(), ..Node::default() };
            let looker = scene.nodes.push(looker);
            if let Some(node) = scene.nodes.get_mut(id) {
                node.children.push(looker);
            }
            added += 1;
        }
    }
    added
}

/// Rotates what is in a node before its own transform does.
fn rotate_first(transform: &mut Transform, by: Quat) {
    match transform {
        Transform::Trs { rotation, .. } => *rotation = (*rotation * by).normalize(),
        Transform::Matrix(matrix) => *matrix *= glam::Mat4::from_quat(by),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Camera, Extras, Mesh, Pose, Primitive, Projection, SceneRoot, assert_scene};

    #[test]
    fn everything_turns_together() {
        let mut scene = Scene::default();
        let positions = vec![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 10.0]];
        let primitive = Primitive { positions, indices: vec![0, 1, 2], ..Primitive::default() };
        let mesh = scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
        let projection = Projection::Orthographic { xmag: 1.0, ymag: 1.0, near: 0.1, far: 2.0 };
        let camera = Camera { name: String::new(), projection, extras: Extras::default() };
        let camera = Some(scene.cameras.push(camera));
        let transform = Transform::Trs {
            translation: Vec3::new(1.0, -2.0, 3.0),
            rotation: Quat::from_xyzw(0.5, 0.1, -0.3, 0.8).normalize(),
            scale: Vec3::splat(2.0),
        };
        let child = scene.nodes.push(Node { transform, camera, ..Node::default() });
        let root = scene.nodes.push(Node {
            transform,
            mesh: Some(mesh),
            camera,
            children: vec![child],
            ..Node::default()
        });
        scene.scenes.push(SceneRoot { roots: vec![root], ..SceneRoot::default() });
        for turn in [Turn::ZUpToYUp, Turn::YUpToZUp] {
            let before = Pose::rest(&scene);
            let mut after = scene.clone();
            assert_eq!(turn_axes(&mut after, turn).added_nodes, 1);
            assert_scene(&after);
            let pose = Pose::rest(&after);
            let points =
                |scene: &Scene, pose: &Pose| pose.positions(scene, root, &scene.meshes[mesh].primitives[0]);
            for (a, b) in points(&scene, &before).iter().zip(points(&after, &pose)) {
                assert!(turn.vec3(*a).distance(b) < 1e-4);
            }
            let view = |pose: &Pose, node: NodeId| pose.worlds[node.index()].transform_vector3(Vec3::NEG_Z);
            assert!(view(&pose, child).distance(turn.vec3(view(&before, child))) < 1e-5);
            let looker = *after.nodes[root].children.last().unwrap();
            assert!(view(&pose, looker).distance(turn.vec3(view(&before, root))) < 1e-5);
        }
        let mut there = scene.clone();
        there.nodes.values_mut().for_each(|node| node.camera = None);
        let start = there.clone();
        turn_axes(&mut there, Turn::ZUpToYUp);
        turn_axes(&mut there, Turn::YUpToZUp);
        assert_eq!(there, start, "there and back gives the same bits");
    }
}
