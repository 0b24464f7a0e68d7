//! The axes of formats, and exact turns between them.

use glam::{Mat4, Quat, Vec3, Vec4};

/// The directions of a format's own space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axes {
    /// Up: `+Y` or `+Z`.
    pub up: &'static str,
    /// Where the front of a model looks.
    pub front: &'static str,
    /// `right` or `left`.
    pub handedness: &'static str,
    /// From the format's space to the Scene's.
    pub turn: Turn,
}

impl Axes {
    /// Y up, models look along −Z, as BO3D has them.
    pub const Y_UP_FRONT_MINUS_Z: Self =
        Self { up: "+Y", front: "-Z", handedness: "right", turn: Turn::Around };
    /// The Scene's own, with models that look along +Z, as glTF has them.
    pub const Y_UP_FRONT_PLUS_Z: Self = Self { up: "+Y", front: "+Z", handedness: "right", turn: Turn::None };
    /// Z up, models look along −Y, as Blender has it.
    pub const Z_UP_FRONT_MINUS_Y: Self =
        Self { up: "+Z", front: "-Y", handedness: "right", turn: Turn::ZUpToYUp };
    /// Z up, models look along +Y.
    pub const Z_UP_FRONT_PLUS_Y: Self =
        Self { up: "+Z", front: "+Y", handedness: "right", turn: Turn::ZUpAround };
}

/// An exact change of axes: a signed permutation, so that going there and back gives the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// Nothing changes.
    None,
    /// (x, y, z) becomes (x, z, −y).
    ZUpToYUp,
    /// (x, y, z) becomes (x, −z, y).
    YUpToZUp,
    /// (x, y, z) becomes (−x, y, −z): half a turn about the upward axis, its own way back.
    Around,
    /// (x, y, z) becomes (−x, z, y): Z up to Y up with half a turn about it, its own way back.
    ZUpAround,
}

impl Turn {
    /// The way back.
    pub fn inverse(self) -> Self {
        match self {
            Self::None => Self::None,
            Self::ZUpToYUp => Self::YUpToZUp,
            Self::YUpToZUp => Self::ZUpToYUp,
            Self::Around => Self::Around,
            Self::ZUpAround => Self::ZUpAround,
        }
    }

    /// A position or direction.
    pub fn vector(self, v: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = v;
        match self {
            Self::None => v,
            Self::ZUpToYUp => [x, z, -y],
            Self::YUpToZUp => [x, -z, y],
            Self::Around => [-x, y, -z],
            Self::ZUpAround => [-x, z, y],
        }
    }

    /// The same for glam's type.
    pub fn vec3(self, v: Vec3) -> Vec3 {
        Vec3::from_array(self.vector(v.to_array()))
    }

    /// Scale factors along the axes: no signs.
    pub fn scale(self, v: Vec3) -> Vec3 {
        match self {
            Self::None | Self::Around => v,
            Self::ZUpToYUp | Self::YUpToZUp | Self::ZUpAround => Vec3::new(v.x, v.z, v.y),
        }
    }

    /// A rotation: its axis turns.
    pub fn quat(self, q: Quat) -> Quat {
        let [x, y, z] = self.vector([q.x, q.y, q.z]);
        Quat::from_xyzw(x, y, z, q.w)
    }

    /// A transform between two spaces that both turn: P · M · P⁻¹.
    pub fn matrix(self, m: Mat4) -> Mat4 {
        let column = |v: Vec4| self.vec3(v.truncate()).extend(v.w);
        match self {
            Self::None => m,
            // P⁻¹ on the right takes the columns along P's rows.
            Self::ZUpToYUp => {
                Mat4::from_cols(column(m.x_axis), column(m.z_axis), -column(m.y_axis), column(m.w_axis))
            }
            Self::YUpToZUp => {
                Mat4::from_cols(column(m.x_axis), -column(m.z_axis), column(m.y_axis), column(m.w_axis))
            }
            Self::Around => {
                Mat4::from_cols(-column(m.x_axis), column(m.y_axis), -column(m.z_axis), column(m.w_axis))
            }
            Self::ZUpAround => {
                Mat4::from_cols(-column(m.x_axis), column(m.z_axis), column(m.y_axis), column(m.w_axis))
            }
        }
    }

    /// The turn itself as a matrix.
    pub fn to_matrix(self) -> Mat4 {
        let axis = |x, y, z| self.vec3(Vec3::new(x, y, z)).extend(0.0);
        Mat4::from_cols(axis(1.0, 0.0, 0.0), axis(0.0, 1.0, 0.0), axis(0.0, 0.0, 1.0), Vec4::W)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_there_and_back_gives_the_same_bits() {
        let m = Mat4::from_cols_array(&std::array::from_fn(|i| (i as f32 + 1.0) * 0.3));
        let q = Quat::from_xyzw(0.1, 0.2, 0.3, 0.4);
        for turn in [Turn::None, Turn::ZUpToYUp, Turn::YUpToZUp, Turn::Around, Turn::ZUpAround] {
            let back = turn.inverse();
            assert_eq!(back.matrix(turn.matrix(m)), m);
            assert_eq!(back.quat(turn.quat(q)), q);
            assert_eq!(turn.matrix(m), turn.to_matrix() * m * back.to_matrix());
            let rotated = turn.quat(q.normalize()) * turn.vec3(Vec3::new(1.0, 2.0, 3.0));
            let expected = turn.vec3(q.normalize() * Vec3::new(1.0, 2.0, 3.0));
            assert!((rotated - expected).length() < 1e-5);
        }
    }

    #[test]
    fn every_formats_up_and_front_become_those_of_the_scene() {
        let axis = |name: &str| {
            let one = if name.starts_with('-') { -1.0 } else { 1.0 };
            Vec3::from_array(["X", "Y", "Z"].map(|axis| if name.ends_with(axis) { one } else { 0.0 }))
        };
        for axes in [
            Axes::Y_UP_FRONT_MINUS_Z,
            Axes::Y_UP_FRONT_PLUS_Z,
            Axes::Z_UP_FRONT_MINUS_Y,
            Axes::Z_UP_FRONT_PLUS_Y,
        ] {
            assert_eq!(axes.turn.vec3(axis(axes.up)), Vec3::Y, "{axes:?}");
            assert_eq!(axes.turn.vec3(axis(axes.front)), Vec3::Z, "{axes:?}");
            assert_eq!(axes.turn.to_matrix().determinant(), 1.0, "{axes:?}");
        }
    }
}
