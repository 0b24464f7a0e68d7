//! Where nodes are at a time, and what box a Scene fills.

use glam::{Mat3, Mat4, Quat, Vec3};

use super::{Animation, Channel, Interpolation, NodeId, Primitive, Property, Scene, Transform, unit_vector};

/// The parent of every node. A LOD stand-in has the parent of the node that it stands in for.
pub fn parents(scene: &Scene) -> Vec<Option<NodeId>> {
    let mut parents = vec![None; scene.nodes.len()];
    for (id, node) in scene.nodes.iter() {
        for child in &node.children {
            if let Some(parent) = parents.get_mut(child.index()) {
                *parent = Some(id);
            }
        }
    }
    for (id, node) in scene.nodes.iter() {
        for lod in &node.lods {
            let of_node = parents.get(id.index()).copied().flatten();
            if let Some(parent) = parents.get_mut(lod.node.index()) {
                *parent = parent.or(of_node);
            }
        }
    }
    parents
}

/// The transform of every node to the world, from the local ones.
pub fn world_transforms(scene: &Scene, locals: &[Mat4]) -> Vec<Mat4> {
    let parents = parents(scene);
    let mut worlds: Vec<Option<Mat4>> = vec![None; scene.nodes.len()];
    let mut chain = Vec::new();
    for start in 0..worlds.len() {
        // Up to the first ancestor that is known, then down again. A chain longer than there are nodes is a cycle,
        // which a checked Scene does not have.
        let mut at = Some(start);
        while let Some(index) = at.filter(|&i| worlds[i].is_none() && chain.len() <= worlds.len()) {
            chain.push(index);
            at = parents[index].map(super::Id::index).filter(|&i| i < worlds.len());
        }
        let mut above = at.and_then(|index| worlds[index]).unwrap_or(Mat4::IDENTITY);
        while let Some(index) = chain.pop() {
            above *= locals.get(index).copied().unwrap_or(Mat4::IDENTITY);
            worlds[index] = Some(above);
        }
    }
    worlds.into_iter().map(Option::unwrap_or_default).collect()
}

/// How far apart two transforms are: the largest distance between where they put the origin and the tips of the axes,
/// these taken as directions.
pub fn transform_distance(a: &Mat4, b: &Mat4) -> f32 {
    let columns = a.to_cols_array_2d().into_iter().zip(b.to_cols_array_2d());
    let apart = |(x, y): ([f32; 4], [f32; 4])| x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum::<f32>();
    columns.map(apart).fold(0.0, f32::max).sqrt()
}

/// A box around points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The smallest coordinates.
    pub min: Vec3,
    /// The largest coordinates.
    pub max: Vec3,
}

impl Bounds {
    /// The box around some points; `None` for no point.
    pub fn of(points: impl IntoIterator<Item = Vec3>) -> Option<Self> {
        points.into_iter().fold(None, |bounds: Option<Self>, p| match bounds {
            None => Some(Self { min: p, max: p }),
            Some(b) => Some(Self { min: b.min.min(p), max: b.max.max(p) }),
        })
    }

    /// The box around two boxes.
    pub fn union(a: Option<Self>, b: Option<Self>) -> Option<Self> {
        match (a, b) {
            (Some(a), Some(b)) => Some(Self { min: a.min.min(b.min), max: a.max.max(b.max) }),
            (a, b) => a.or(b),
        }
    }

    /// The diagonal, or the largest coordinate if that is more: what the digits of positions are spent on.
    pub fn reach(&self) -> f32 {
        self.diagonal().max(self.min.abs().max(self.max.abs()).max_element())
    }

    /// The length of the diagonal.
    pub fn diagonal(&self) -> f32 {
        (self.max - self.min).length()
    }

    /// The box around the corners of this one, placed elsewhere.
    fn placed(&self, world: &Mat4) -> Self {
        let corner = |i: usize| {
            let side = |bit: usize, low: f32, high: f32| if i & bit == 0 { low } else { high };
            let (low, high) = (self.min, self.max);
            Vec3::new(side(1, low.x, high.x), side(2, low.y, high.y), side(4, low.z, high.z))
        };
        let first = world.transform_point3(corner(0));
        (1..8)
            .map(|i| world.transform_point3(corner(i)))
            .fold(Self { min: first, max: first }, |b, p| Self { min: b.min.min(p), max: b.max.max(p) })
    }

    /// Whether another box is inside by more than what rounding could be.
    fn holds(&self, other: &Self) -> bool {
        let rounding = Vec3::splat(other.reach() * 1e-5);
        (other.min - rounding).cmpge(self.min).all() && (other.max + rounding).cmple(self.max).all()
    }
}

/// Where everything is at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Pose {
    /// For each node, from its space to the world.
    pub worlds: Vec<Mat4>,
    /// For each node, the weights of its mesh's morph targets.
    pub weights: Vec<Vec<f32>>,
}

impl Pose {
    /// The pose of a Scene that nothing animates.
    pub fn rest(scene: &Scene) -> Self {
        let locals: Vec<Mat4> = scene.nodes.values().map(|node| node.transform.matrix()).collect();
        Self { worlds: world_transforms(scene, &locals), weights: rest_weights(scene) }
    }

    /// The pose at a time of an animation.
    pub fn at(scene: &Scene, animation: &Animation, seconds: f32) -> Self {
        Self::at_with_locals(scene, animation, seconds).1
    }

    /// The pose at a time of an animation, and the transform that each node has in its parent then.
    pub fn at_with_locals(scene: &Scene, animation: &Animation, seconds: f32) -> (Vec<Transform>, Self) {
        let mut locals: Vec<Transform> = scene.nodes.values().map(|node| node.transform).collect();
        let mut weights = rest_weights(scene);
        for channel in &animation.channels {
            let Some(value) = channel.sample(seconds) else { continue };
            let index = channel.node.index();
            if channel.property == Property::Weights {
                if let Some(weights) = weights.get_mut(index) {
                    *weights = value;
                }
            } else if let Some(local) = locals.get_mut(index) {
                *local = replaced(local, channel.property, &value);
            }
        }
        let matrices: Vec<Mat4> = locals.iter().map(Transform::matrix).collect();
        (locals, Self { worlds: world_transforms(scene, &matrices), weights })
    }

    /// The positions of a primitive's vertices in the mesh's own space, morphed, where `node` shows it.
    pub fn morphed(&self, node: NodeId, primitive: &Primitive) -> Vec<Vec3> {
        let mut points: Vec<Vec3> = primitive.positions.iter().copied().map(Vec3::from_array).collect();
        let weights = self.weights.get(node.index()).map(Vec::as_slice).unwrap_or_default();
        for (target, &weight) in primitive.targets.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
            for (point, delta) in points.iter_mut().zip(&target.positions) {
                *point += Vec3::from_array(*delta) * weight;
            }
        }
        points
    }

    /// The positions of a primitive's vertices in the world, morphed and skinned, where `node` shows it.
    pub fn positions(&self, scene: &Scene, node: NodeId, primitive: &Primitive) -> Vec<Vec3> {
        let points = self.morphed(node, primitive);
        let own = self.worlds.get(node.index()).copied().unwrap_or_default();
        let Some(palette) = self.palette(scene, node).filter(|_| !primitive.joints.is_empty()) else {
            return points.into_iter().map(|p| own.transform_point3(p)).collect();
        };
        points
            .into_iter()
            .enumerate()
            .map(|(vertex, point)| match skin_matrix(&palette, primitive, vertex) {
                Some(matrix) => matrix.transform_point3(point),
                None => own.transform_point3(point),
            })
            .collect()
    }

    /// The unit normals of a primitive's vertices in the world, morphed and skinned, where `node` shows it; none when
    /// the primitive has none.
    pub fn normals(&self, scene: &Scene, node: NodeId, primitive: &Primitive) -> Vec<Vec3> {
        let mut normals: Vec<Vec3> = primitive.normals.iter().copied().map(Vec3::from_array).collect();
        let weights = self.weights.get(node.index()).map(Vec::as_slice).unwrap_or_default();
        for (target, &weight) in primitive.targets.iter().zip(weights).filter(|(_, w)| **w != 0.0) {
            for (normal, delta) in normals.iter_mut().zip(&target.normals) {
                *normal += Vec3::from_array(*delta) * weight;
            }
        }
        self.turned(scene, node, primitive, &normals, across)
    }

    /// Directions along the surface at a primitive's vertices, such as tangents, in the world where `node` shows it, as
    /// unit vectors.
    pub fn along(
        &self,
        scene: &Scene,
        node: NodeId,
        primitive: &Primitive,
        directions: &[Vec3],
    ) -> Vec<Vec3> {
        self.turned(scene, node, primitive, directions, |matrix, direction| {
            matrix.transform_vector3(direction)
        })
    }

    fn turned(
        &self,
        scene: &Scene,
        node: NodeId,
        primitive: &Primitive,
        directions: &[Vec3],
        turn: fn(&Mat4, Vec3) -> Vec3,
    ) -> Vec<Vec3> {
        let own = self.worlds.get(node.index()).copied().unwrap_or_default();
        let palette = self.palette(scene, node).filter(|_| !primitive.joints.is_empty());
        let turn = |(vertex, direction): (usize, &Vec3)| {
            let skinned = palette.as_ref().and_then(|palette| skin_matrix(palette, primitive, vertex));
            unit_vector(turn(&skinned.unwrap_or(own), *direction)).unwrap_or(*direction)
        };
        directions.iter().enumerate().map(turn).collect()
    }

    /// For each joint of the skin of `node`, world(joint) · inverse_bind; `None` when it has no skin.
    pub fn palette(&self, scene: &Scene, node: NodeId) -> Option<Vec<Mat4>> {
        let skin = scene.skins.get(scene.nodes.get(node)?.skin?)?;
        let matrix = |(i, joint): (usize, &NodeId)| {
            self.worlds.get(joint.index()).copied().unwrap_or_default() * skin.inverse_bind(i)
        };
        Some(skin.joints.iter().enumerate().map(matrix).collect())
    }

    /// Whether a node shows its mesh mirrored: its transform, or that of its skin's first joint, has a negative determinant.
    pub fn is_mirrored(&self, scene: &Scene, node: NodeId) -> bool {
        let own = || self.worlds.get(node.index()).copied().unwrap_or_default();
        let skin = scene.nodes.get(node).and_then(|node| scene.skins.get(node.skin?));
        let first = skin.and_then(|skin| Some((skin, skin.joints.first()?)));
        let matrix = first.map(|(skin, joint)| {
            self.worlds.get(joint.index()).copied().unwrap_or_default() * skin.inverse_bind(0)
        });
        Mat3::from_mat4(matrix.unwrap_or_else(own)).determinant() < 0.0
    }

    /// The box around all that the shown scene draws: visible nodes, the most detailed level.
    pub fn bounds(&self, scene: &Scene) -> Option<Bounds> {
        self.bounds_with(scene, Hidden::LeftOut)
    }

    /// The same, with what is hidden or without.
    pub fn bounds_with(&self, scene: &Scene, hidden: Hidden) -> Option<Bounds> {
        self.bounds_of(scene, drawn_nodes(scene, hidden))
    }

    /// The box around what some nodes draw, each where it shows its mesh.
    pub(crate) fn bounds_of(&self, scene: &Scene, nodes: impl IntoIterator<Item = NodeId>) -> Option<Bounds> {
        let mut around =
            Around { pose: self, scene, own: vec![None; scene.meshes.len()], bounds: None, looked_at: 0 };
        nodes.into_iter().for_each(|node| around.add(node));
        around.bounds
    }
}

/// Vertices that are looked at one by one for the box around a Scene, however many nodes show the same ones.
const LOOKED_AT: usize = 20_000_000;

/// A box that grows by what nodes draw. A mesh that thousands of nodes show is looked at only where its own box says that
/// it may reach farther than what is there already.
struct Around<'a> {
    pose: &'a Pose,
    scene: &'a Scene,
    /// The boxes of the meshes in their own spaces, as far as they are known.
    own: Vec<Option<Bounds>>,
    bounds: Option<Bounds>,
    looked_at: usize,
}

impl Around<'_> {
    fn add(&mut self, node: NodeId) {
        let Some(id) = self.scene.nodes[node].mesh else { return };
        let Some(mesh) = self.scene.meshes.get(id) else { return };
        let Some(world) = self.pose.worlds.get(node.index()) else { return };
        let weights = self.pose.weights.get(node.index()).map(Vec::as_slice).unwrap_or_default();
        let morphs = weights.iter().filter(|weight| **weight != 0.0).count();
        let still = self.scene.nodes[node].skin.is_none() && morphs == 0;
        let known = self.own.get(id.index()).copied().flatten();
        let placed = known.map(|own| own.placed(world));
        if still && placed.zip(self.bounds).is_some_and(|(placed, bounds)| bounds.holds(&placed)) {
            return;
        }
        let vertices: usize = mesh.primitives.iter().map(Primitive::vertex_count).sum();
        let joints = self.scene.nodes[node].skin.and_then(|skin| self.scene.skins.get(skin));
        let joints = joints.map_or(0, |skin| skin.joints.len() * mesh.primitives.len());
        self.looked_at = self.looked_at.saturating_add(vertices * (1 + morphs) + joints);
        if let Some(placed) = placed.filter(|_| self.looked_at > LOOKED_AT) {
            self.bounds = Bounds::union(self.bounds, Some(placed));
            return;
        }
        let mut own = None;
        for primitive in &mesh.primitives {
            let points = primitive.positions.iter().copied().map(Vec3::from_array);
            own = Bounds::union(own, known.or_else(|| Bounds::of(points.clone())));
            let of_node = match still {
                true => Bounds::of(points.map(|point| world.transform_point3(point))),
                false => Bounds::of(self.pose.positions(self.scene, node, primitive)),
            };
            self.bounds = Bounds::union(self.bounds, of_node);
        }
        if let Some(place) = self.own.get_mut(id.index()) {
            *place = own;
        }
    }
}

/// Whether hidden nodes count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// They do: they could be shown.
    Counts,
    /// They do not, nor what is below them.
    LeftOut,
}

/// The nodes of the shown scene, with those that are hidden or without.
pub fn drawn_nodes(scene: &Scene, hidden: Hidden) -> Vec<NodeId> {
    let mut open: Vec<NodeId> =
        scene.shown().map(|root| root.roots.iter().rev().copied().collect()).unwrap_or_default();
    let mut seen = vec![false; scene.nodes.len()];
    let mut visible = Vec::new();
    while let Some(id) = open.pop() {
        let (Some(node), Some(seen)) = (scene.nodes.get(id), seen.get_mut(id.index())) else { continue };
        if (node.visible || hidden == Hidden::Counts) && !std::mem::replace(seen, true) {
            visible.push(id);
            open.extend(node.children.iter().rev());
        }
    }
    visible
}

fn rest_weights(scene: &Scene) -> Vec<Vec<f32>> {
    let of_mesh = |mesh| scene.meshes.get(mesh).map(|mesh| mesh.weights.clone());
    scene
        .nodes
        .values()
        .map(|node| match node.weights.is_empty() {
            true => node.mesh.and_then(of_mesh).unwrap_or_default(),
            false => node.weights.clone(),
        })
        .collect()
}

/// A normal behind a transform: by its cofactors, so that it stays across the surface whatever the scale, and on the
/// same side of it where the transform mirrors.
fn across(matrix: &Mat4, normal: Vec3) -> Vec3 {
    let [x, y, z] = [matrix.x_axis, matrix.y_axis, matrix.z_axis].map(glam::Vec4::truncate);
    let turned = y.cross(z) * normal.x + z.cross(x) * normal.y + x.cross(y) * normal.z;
    if x.dot(y.cross(z)) < 0.0 { -turned } else { turned }
}

/// The blended matrix of a vertex; `None` when it has no weight.
pub fn skin_matrix(palette: &[Mat4], primitive: &Primitive, vertex: usize) -> Option<Mat4> {
    let mut blended = Mat4::ZERO;
    let mut sum = 0.0;
    for (joints, weights) in primitive.joints.iter().zip(&primitive.weights) {
        let (Some(joints), Some(weights)) = (joints.get(vertex), weights.get(vertex)) else { continue };
        for (&joint, &weight) in joints.iter().zip(weights) {
            if weight != 0.0 {
                blended += palette.get(usize::from(joint)).copied().unwrap_or(Mat4::IDENTITY) * weight;
                sum += weight;
            }
        }
    }
    (sum > 0.0).then_some(blended)
}

/// A transform with one of its parts replaced.
fn replaced(transform: &Transform, property: Property, value: &[f32]) -> Transform {
    let (mut translation, mut rotation, mut scale, _) = transform.to_trs();
    match (property, value) {
        (Property::Translation, &[x, y, z]) => translation = Vec3::new(x, y, z),
        (Property::Scale, &[x, y, z]) => scale = Vec3::new(x, y, z),
        (Property::Rotation, &[x, y, z, w]) => rotation = turned(Quat::from_xyzw(x, y, z, w)),
        _ => {}
    }
    Transform::Trs { translation, rotation, scale }
}

/// A rotation that turns and does not stretch: files round their keys, and a pose must not show it.
fn turned(rotation: Quat) -> Quat {
    let is_unit = (rotation.length_squared() - 1.0).abs() <= 2e-6;
    if is_unit { rotation } else { rotation.normalize() }
}

impl Channel {
    /// The value at a time; `None` when there are no keys.
    pub fn sample(&self, seconds: f32) -> Option<Vec<f32>> {
        let last = self.times.len().checked_sub(1)?;
        let after = self.times.partition_point(|&t| t <= seconds);
        if after == 0 || after > last {
            return Some(self.key(if after == 0 { 0 } else { last }).to_vec());
        }
        let before = after - 1;
        // On a key its own bits count, without a rounding of the interpolation.
        if self.times[before] == seconds {
            return Some(self.key(before).to_vec());
        }
        let span = self.times[after] - self.times[before];
        let t = if span > 0.0 { (seconds - self.times[before]) / span } else { 0.0 };
        Some(match (self.interpolation, self.property) {
            (Interpolation::Step, _) => self.key(before).to_vec(),
            (Interpolation::Linear, Property::Rotation) => slerp(self.key(before), self.key(after), t),
            (Interpolation::Linear, _) => {
                self.key(before).iter().zip(self.key(after)).map(|(a, b)| a + (b - a) * t).collect()
            }
            (Interpolation::Cubic, _) => self.hermite(before, t, span),
        })
    }

    fn hermite(&self, before: usize, t: f32, span: f32) -> Vec<f32> {
        let (t2, t3) = (t * t, t * t * t);
        let (_, leaving) = self.tangents(before);
        let (arriving, _) = self.tangents(before + 1);
        let (from, to) = (self.key(before), self.key(before + 1));
        let mut value: Vec<f32> = (0..from.len())
            .map(|i| {
                (2.0 * t3 - 3.0 * t2 + 1.0) * from[i]
                    + span * (t3 - 2.0 * t2 + t) * leaving[i]
                    + (3.0 * t2 - 2.0 * t3) * to[i]
                    + span * (t3 - t2) * arriving[i]
            })
            .collect();
        if self.property == Property::Rotation {
            let length = value.iter().map(|x| x * x).sum::<f32>().sqrt();
            if length > 0.0 {
                value.iter_mut().for_each(|x| *x /= length);
            }
        }
        value
    }
}

fn slerp(a: &[f32], b: &[f32], t: f32) -> Vec<f32> {
    match (a, b) {
        (&[ax, ay, az, aw], &[bx, by, bz, bw]) => {
            let (a, b) = (Quat::from_xyzw(ax, ay, az, aw), Quat::from_xyzw(bx, by, bz, bw));
            a.slerp(b, t).normalize().to_array().to_vec()
        }
        _ => a.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Extras, Id, Node};

    fn channel(property: Property, interpolation: Interpolation, values: &[f32]) -> Channel {
        let (node, times) = (Id::new(0), vec![1.0, 3.0]);
        Channel { node, property, interpolation, times, values: values.to_vec(), extras: Extras::default() }
    }

    #[test]
    fn channels_hold_outside_and_interpolate_inside() {
        use Interpolation::{Cubic, Linear, Step};
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let quarter = [0.0, 0.0, (std::f32::consts::PI / 8.0).sin(), (std::f32::consts::PI / 8.0).cos()];
        for (channel, at, expected) in [
            (channel(Property::Translation, Linear, &[0., 0., 0., 2., 4., 6.]), 0.0, &[0., 0., 0.][..]),
            (channel(Property::Translation, Linear, &[0., 0., 0., 2., 4., 6.]), 2.0, &[1., 2., 3.]),
            (channel(Property::Translation, Linear, &[0., 0., 0., 2., 4., 6.]), 9.0, &[2., 4., 6.]),
            (channel(Property::Scale, Step, &[1., 1., 1., 2., 2., 2.]), 2.9, &[1., 1., 1.]),
            (channel(Property::Rotation, Linear, &[0., 0., 0., 1., 0., 0., half, half]), 2.0, &quarter),
            // The other sign of the same rotation: still the shorter arc.
            (channel(Property::Rotation, Linear, &[0., 0., 0., 1., 0., 0., -half, -half]), 2.0, &quarter),
            (channel(Property::Weights, Cubic, &[0., 0., 1., 0., 1., 0.]), 2.0, &[0.75]),
        ] {
            let value = channel.sample(at).unwrap();
            let off = value.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(value.len() == expected.len() && off < 1e-6, "{value:?} is not {expected:?}");
        }
    }

    #[test]
    fn normals_stay_across_and_tangents_along_whatever_the_scale() {
        let mut scene = Scene::default();
        let scale = Vec3::new(4.0, 1.0, -2.0);
        let transform = Transform::Trs { translation: Vec3::ONE, rotation: Quat::IDENTITY, scale };
        let node = scene.nodes.push(Node { transform, ..Node::default() });
        let slope = Vec3::new(1.0, 1.0, 0.5).normalize();
        let primitive =
            Primitive { positions: vec![[0.0; 3]], normals: vec![slope.to_array()], ..Primitive::default() };
        let pose = Pose::rest(&scene);
        for tangent in [slope.any_orthonormal_vector(), slope.cross(slope.any_orthonormal_vector())] {
            let along = pose.along(&scene, node, &primitive, &[tangent])[0];
            let normal = pose.normals(&scene, node, &primitive)[0];
            assert!(normal.dot(along).abs() < 1e-6 && (normal.length() - 1.0).abs() < 1e-6);
            // Outward stays outward.
            assert!(normal.dot(slope * scale) > 0.0);
        }
    }

    #[test]
    fn worlds_multiply_down_the_tree_whatever_the_order() {
        let mut scene = Scene::default();
        let move_x = |x| Transform::Trs {
            translation: Vec3::new(x, 0.0, 0.0),
            rotation: Quat::IDENTITY,
            scale: Vec3::splat(2.0),
        };
        let leaf = scene.nodes.push(Node { transform: move_x(1.0), ..Node::default() });
        scene.nodes.push(Node { transform: move_x(10.0), children: vec![leaf], ..Node::default() });
        let pose = Pose::rest(&scene);
        assert_eq!(pose.worlds[0].transform_point3(Vec3::ZERO), Vec3::new(12.0, 0.0, 0.0));
        assert_eq!(pose.worlds[0].transform_vector3(Vec3::X), Vec3::new(4.0, 0.0, 0.0));
    }
}
