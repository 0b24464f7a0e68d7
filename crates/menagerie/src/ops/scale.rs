//! Another size for a whole Scene.

use glam::{Mat4, Vec3};

use crate::scene::{Projection, Property, Scene, Transform};

/// Multiplies all lengths of a Scene by `factor`. Node scales stay as they are; positions and translations grow. What
/// would be more than a float holds is as large as a float can be.
pub fn scale(scene: &mut Scene, factor: f32) {
    let grow = |length: &mut f32| *length = (*length * factor).clamp(f32::MIN, f32::MAX);
    for node in scene.nodes.values_mut() {
        match &mut node.transform {
            Transform::Trs { translation, .. } => translation.as_mut().iter_mut().for_each(grow),
            Transform::Matrix(matrix) => *matrix = scaled(*matrix, factor),
        }
        node.lods.iter_mut().filter_map(|lod| lod.distance.as_mut()).for_each(grow);
    }
    for primitive in scene.meshes.values_mut().flat_map(|mesh| &mut mesh.primitives) {
        let targets = primitive.targets.iter_mut().flat_map(|target| &mut target.positions);
        primitive.positions.iter_mut().chain(targets).flatten().for_each(grow);
    }
    for matrix in scene.skins.values_mut().flat_map(|skin| &mut skin.inverse_binds) {
        *matrix = scaled(*matrix, factor);
    }
    for camera in scene.cameras.values_mut() {
        match &mut camera.projection {
            Projection::Perspective { near, far, .. } => {
                grow(near);
                far.iter_mut().for_each(grow);
            }
            Projection::Orthographic { xmag, ymag, near, far } => {
                [xmag, ymag, near, far].into_iter().for_each(grow);
            }
        }
    }
    for light in scene.lights.values_mut() {
        light.range.iter_mut().for_each(grow);
    }
    for channel in scene.animations.iter_mut().flat_map(|animation| &mut animation.channels) {
        if channel.property == Property::Translation {
            channel.values.iter_mut().for_each(grow);
        }
    }
}

/// The same transform between spaces whose units are `factor` times smaller.
fn scaled(matrix: Mat4, factor: f32) -> Mat4 {
    let mut matrix = matrix;
    let moved: Vec3 = (matrix.w_axis.truncate() * factor).clamp(Vec3::MIN, Vec3::MAX);
    matrix.w_axis = moved.extend(matrix.w_axis.w);
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Mesh, Node, Pose, Primitive, SceneRoot};

    #[test]
    fn the_whole_model_grows() {
        let mut scene = Scene::default();
        let primitive = Primitive { positions: vec![[1.0, 2.0, 3.0]], ..Primitive::default() };
        let mesh = scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
        let matrix = Mat4::from_rotation_x(0.5) * Mat4::from_translation(Vec3::new(4.0, 5.0, 6.0));
        let root = scene.nodes.push(Node {
            mesh: Some(mesh),
            transform: Transform::Matrix(matrix),
            ..Node::default()
        });
        scene.scenes.push(SceneRoot { roots: vec![root], ..SceneRoot::default() });
        let before = Pose::rest(&scene).bounds(&scene).unwrap();
        scale(&mut scene, 2.0);
        let after = Pose::rest(&scene).bounds(&scene).unwrap();
        assert!((after.min - before.min * 2.0).length() < 1e-5);
    }

    #[test]
    fn nothing_grows_beyond_floats() {
        let mut scene = Scene::default();
        let primitive = Primitive { positions: vec![[3e38, -3e38, 1.0]], ..Primitive::default() };
        scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
        let translation = Vec3::splat(-3e38);
        scene.nodes.push(Node { transform: Transform::IDENTITY, ..Node::default() });
        let matrix = Mat4::from_translation(translation);
        scene.nodes.push(Node { transform: Transform::Matrix(matrix), ..Node::default() });
        scale(&mut scene, 1e6);
        crate::scene::assert_scene(&scene);
    }
}
