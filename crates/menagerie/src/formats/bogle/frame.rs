//! How spaces of a Scene are turned against those of a file.

use glam::Mat4;

use crate::scene::Turn;

/// How a node's own space in a Scene is turned against that of its BOGLE instance.
///
/// The world is turned, and so is the space of everything that holds geometry. A camera or a light looks along its own
/// −Z with +Y up in both worlds, so an instance that is nothing else keeps its space as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// Z up became Y up.
    Turned,
    /// As it was.
    Look,
}

impl Frame {
    /// The Scene's matrix of a node in a parent, from the file's.
    pub(super) fn to_scene(self, parent: Self, matrix: Mat4) -> Mat4 {
        let turn = Turn::ZUpToYUp;
        match (parent, self) {
            (Self::Turned, Self::Turned) => turn.matrix(matrix),
            (Self::Turned, Self::Look) => turn.to_matrix() * matrix,
            (Self::Look, Self::Turned) => matrix * turn.inverse().to_matrix(),
            (Self::Look, Self::Look) => matrix,
        }
    }

    /// The file's matrix of a node in a parent, from the Scene's.
    pub(super) fn to_file(self, parent: Self, matrix: Mat4) -> Mat4 {
        let turn = Turn::YUpToZUp;
        match (parent, self) {
            (Self::Turned, Self::Turned) => turn.matrix(matrix),
            (Self::Turned, Self::Look) => turn.to_matrix() * matrix,
            (Self::Look, Self::Turned) => matrix * turn.inverse().to_matrix(),
            (Self::Look, Self::Look) => matrix,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::{Vec3, Vec4};

    #[test]
    fn going_there_and_back_gives_the_same_numbers() {
        let matrix = Mat4::from_cols_array(&std::array::from_fn(|i| (i as f32 - 7.3) * 0.3));
        for parent in [Frame::Turned, Frame::Look] {
            for own in [Frame::Turned, Frame::Look] {
                assert_eq!(own.to_file(parent, own.to_scene(parent, matrix)), matrix);
            }
        }
    }

    #[test]
    fn a_camera_that_looks_north_in_blender_looks_along_minus_z() {
        // Blender's north is +Y: a camera turned by 90 degrees about X looks there.
        let camera = Mat4::from_rotation_x(std::f32::consts::FRAC_PI_2);
        let scene = Frame::Look.to_scene(Frame::Turned, camera);
        let looks = scene.transform_vector3(Vec3::NEG_Z);
        let up = scene.transform_vector3(Vec3::Y);
        assert!((looks - Vec3::NEG_Z).length() < 1e-6 && (up - Vec3::Y).length() < 1e-6);
        assert_eq!(scene.row(3), Vec4::W);
    }
}
