use glam::{Mat4, Vec3};

use crate::scene::{Projection, Property, Scene, Transform};

/// Multiplies all lengths of a Scene by `factor`. Node scales stay as they are; positions and translations grow.
pub fn scale(scene: &mut Scene, factor: f32) {
    for node in scene.nodes.values_mut() {
        match &mut node.transform {
            Transform::Trs { translation, .. } => *translation *= factor,
            Transform::Matrix(matrix) => *matrix = scaled(*matrix, factor),
        }
        node.lods.iter_mut().filter_map(|lod| lod.distance.as_mut()).for_each(|distance| *distance *= factor);
    }
    for primitive in scene.meshes.values_mut().flat_map(|mesh| &mut mesh.primitives) {
        let targets = primitive.targets.iter_mut().flat_map(|target| &mut target.positions);
        primitive.positions.iter_mut().chain(targets).flatten().for_each(|x| *x *= factor);
    }
    for matrix in scene.skins.values_mut().flat_map(|skin| &mut skin.inverse_binds) {
        *matrix = scaled(*matrix, factor);
    }
    for camera in scene.cameras.values_mut() {
        match &mut camera.projection {
            Projection::Perspective { near, far, .. } => {
                *near *= factor;
                far.iter_mut().for_each(|far| *far *= factor);
            }
            Projection::Orthographic { xmag, ymag, near, far } => {
                [xmag, ymag, near, far].into_iter().for_each(|length| *length *= factor);
            }
        }
    }
    for light in scene.lights.values_mut() {
        light.range.iter_mut().for_each(|range| *range *= factor);
    }
    for channel in scene.animations.iter_mut().flat_map(|animation| &mut animation.channels) {
        if channel.property == Property::Translation {
            channel.values.iter_mut().for_each(|x| *x *= factor);
        }
    }
}

/// The same transform between spaces whose units are `factor` times smaller.
fn scaled(matrix: Mat4, factor: f32) -> Mat4 {
    let mut matrix = matrix;
    let moved: Vec3 = matrix.w_axis.truncate() * factor;
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
}
