//! Welding: one vertex for all that are the same, exactly or nearly.

mod near;
mod parts;
mod rows;
mod table;

pub use near::{WeldTolerance, weld_near};
#[cfg(feature = "dgl2")]
pub(crate) use parts::Keys;
pub(crate) use parts::{Numbered, number};
#[cfg(feature = "dgl2")]
pub(crate) use table::Mixer;
pub use table::Welder;

use std::collections::BTreeMap;

use super::select;
use crate::diag::Aspect;
use crate::diag::loss::ErrorStats;
use crate::scene::{Primitive, Scene};
use rows::Rows;

/// What welding did.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Welded {
    /// The vertices before.
    pub before: usize,
    /// The vertices after.
    pub after: usize,
    /// How far the vertices that became another one were from it: in scene units for positions and morph targets, for
    /// other aspects the largest difference of a number. Empty for exact welding.
    pub errors: BTreeMap<Aspect, ErrorStats>,
}

impl Welded {
    fn add(&mut self, other: Self) {
        self.before += other.before;
        self.after += other.after;
        for (aspect, stats) in other.errors {
            self.errors.entry(aspect).or_default().merge(stats);
        }
    }
}

/// Makes one vertex of all vertices of a primitive that have the same bits in every stream: positions, normals, morph
/// targets, joints, custom attributes, all of them. What is drawn stays exactly the same.
///
/// The vertices that stay keep their order. Takes time in proportion to the number of vertices, whatever they hold.
///
/// ```
/// use menagerie::ops::weld;
/// use menagerie::scene::{Mesh, Primitive, Scene};
///
/// let mut scene = Scene::default();
/// let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]];
/// let soup = Primitive { positions, indices: vec![0, 1, 2, 2, 3, 0], ..Primitive::default() };
/// scene.meshes.push(Mesh { primitives: vec![soup], ..Mesh::default() });
/// let report = weld(&mut scene);
/// assert_eq!((report.before, report.after), (4, 3));
/// ```
pub fn weld(scene: &mut Scene) -> Welded {
    each_primitive(scene, weld_primitive)
}

/// The same for one primitive.
pub fn weld_primitive(primitive: &mut Primitive) -> Welded {
    let before = primitive.vertex_count();
    let Numbered { numbers, firsts } = number(&Rows::of(primitive));
    keep(primitive, &numbers, &firsts);
    Welded { before, after: firsts.len(), ..Welded::default() }
}

/// For each vertex, the first one that is the same in every stream: itself for most.
pub fn first_equal(primitive: &Primitive) -> Vec<u32> {
    let Numbered { mut numbers, firsts } = number(&Rows::of(primitive));
    numbers.iter_mut().for_each(|place| *place = firsts.get(*place as usize).copied().unwrap_or(*place));
    numbers
}

fn each_primitive(scene: &mut Scene, mut weld: impl FnMut(&mut Primitive) -> Welded) -> Welded {
    let mut report = Welded::default();
    for primitive in scene.meshes.values_mut().flat_map(|mesh| &mut mesh.primitives) {
        report.add(weld(primitive));
    }
    report
}

/// Keeps some vertices of a primitive; `places` says for each old vertex which of them it becomes.
fn keep(primitive: &mut Primitive, places: &[u32], kept: &[u32]) {
    if kept.len() < primitive.vertex_count() {
        let place = |index: &u32| places.get(*index as usize).copied().unwrap_or(0);
        let indices = primitive.indices.iter().map(place).collect();
        *primitive = select(primitive, kept, indices);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{CustomAttribute, Mesh, MorphTarget, assert_scene};

    /// Two vertices that differ in nothing but what `change` does to the second.
    fn pair(change: impl Fn(&mut Primitive)) -> Primitive {
        let target = MorphTarget {
            positions: vec![[0.5; 3]; 2],
            normals: vec![[0.25; 3]; 2],
            tangents: vec![[0.125; 3]; 2],
            uvs: vec![vec![[1.0; 2]; 2]],
            colors: vec![vec![[0.5; 4]; 2]],
            ..MorphTarget::default()
        };
        let heat = CustomAttribute { width: 2, values: vec![1.0, 2.0, 1.0, 2.0] };
        let mut primitive = Primitive {
            indices: vec![0, 1, 0],
            positions: vec![[1.0, 2.0, 3.0]; 2],
            normals: vec![[0.0, 0.0, 1.0]; 2],
            tangents: vec![[1.0, 0.0, 0.0, 1.0]; 2],
            uvs: vec![vec![[0.5, 0.25]; 2]; 2],
            colors: vec![vec![[1.0; 4]; 2]],
            joints: vec![vec![[0, 1, 0, 0]; 2]],
            weights: vec![vec![[0.5, 0.5, 0.0, 0.0]; 2]],
            targets: vec![target],
            custom: [("_HEAT".to_owned(), heat)].into(),
            ..Primitive::default()
        };
        change(&mut primitive);
        primitive
    }

    #[test]
    fn every_stream_counts() {
        type Change = fn(&mut Primitive);
        let changes: [(&str, Change, usize); 14] = [
            ("nothing", |_| {}, 1),
            ("position", |p| p.positions[1][2] = 3.000_000_2, 2),
            ("sign of zero", |p| p.normals[1][0] = -0.0, 2),
            ("tangent", |p| p.tangents[1][3] = -1.0, 2),
            ("second uv", |p| p.uvs[1][1][0] = 0.75, 2),
            ("color", |p| p.colors[0][1][3] = 0.5, 2),
            ("joint", |p| p.joints[0][1][3] = 1, 2),
            ("weight", |p| p.weights[0][1] = [0.25, 0.75, 0.0, 0.0], 2),
            ("target position", |p| p.targets[0].positions[1][0] = 0.0, 2),
            ("target normal", |p| p.targets[0].normals[1][0] = 0.0, 2),
            ("target tangent", |p| p.targets[0].tangents[1][0] = 0.0, 2),
            ("target uv", |p| p.targets[0].uvs[0][1][0] = 0.0, 2),
            ("target color", |p| p.targets[0].colors[0][1][0] = 0.0, 2),
            ("custom", |p| p.custom.values_mut().for_each(|custom| custom.values[3] = 0.0), 2),
        ];
        for (what, change, expected) in changes {
            let mut scene = Scene::default();
            scene.meshes.push(Mesh { primitives: vec![pair(change)], ..Mesh::default() });
            assert_eq!(weld(&mut scene).after, expected, "{what}");
            assert_scene(&scene);
        }
    }

    #[test]
    fn first_equal_names_the_first() {
        let positions = [3.0, 1.0, 3.0, 1.0, 2.0].map(|x: f32| [x, 0.0, 0.0]).to_vec();
        assert_eq!(first_equal(&Primitive { positions, ..Primitive::default() }), [0, 1, 0, 1, 4]);
    }
}
