//! Stretched nodes that would shear what is turned below them.

use glam::{DMat3, DQuat, DVec3, Mat3, Mat4, Vec3};

use crate::scene::{
    Channel, Interpolation, MeshId, NodeId, Primitive, Property, Scene, StreamKind, Transform, parents,
};

/// How far a scale may be from another, or a matrix from a scale, to be taken for the same.
const SAME: f64 = 1e-5;

/// Takes the stretch of nodes that shear what is turned below them, and puts it into meshes, inverse binds and the places
/// below: at rest everything is where it was, and no node is sheared. For formats whose engines multiply scales without
/// shear. Returns how many nodes changed.
///
/// While animations play, what was sheared moves as nearly as something that keeps its shape can. There must be no
/// mirrors ([`super::unmirror()`]).
pub fn unshear(scene: &mut Scene) -> usize {
    let parents = parents(scene);
    let order = parents_first(&parents);
    let turned_below = turned_below(scene, &parents, &order);
    let mut changes: Vec<Option<Change>> = Vec::new();
    changes.resize_with(scene.nodes.len(), || None);
    let mut changed = 0;
    for id in order {
        let parent = parents.get(id.index()).copied().flatten();
        let above = parent.and_then(|parent| changes.get(parent.index())?.as_ref()).map(|change| change.own);
        let below = turned_below.get(id.index()).copied().unwrap_or(false);
        let Some(node) = scene.nodes.get(id) else { continue };
        let change = Change::of(&node.transform, above.unwrap_or(DMat3::IDENTITY), below);
        if let Some(change) = &change {
            change.node(scene, id);
            changed += 1;
        }
        if let Some(slot) = changes.get_mut(id.index()) {
            *slot = change;
        }
    }
    let change_of = |id: NodeId| changes.get(id.index()).and_then(Option::as_ref);
    for skin in scene.skins.values_mut() {
        if !skin.joints.iter().any(|joint| change_of(*joint).is_some()) {
            continue;
        }
        skin.inverse_binds.resize(skin.joints.len(), Mat4::IDENTITY);
        for (bind, change) in skin.inverse_binds.iter_mut().zip(skin.joints.iter().map(|id| change_of(*id))) {
            *bind = change.map_or(*bind, |change| Mat4::from_mat3(change.taken().as_mat3()) * *bind);
        }
    }
    for channel in scene.animations.iter_mut().flat_map(|animation| &mut animation.channels) {
        if let Some(change) = change_of(channel.node) {
            change.channel(channel);
        }
    }
    changed
}

/// All nodes, parents before children.
fn parents_first(parents: &[Option<NodeId>]) -> Vec<NodeId> {
    let mut children: Vec<Vec<NodeId>> = vec![Vec::new(); parents.len()];
    let mut order = Vec::with_capacity(parents.len());
    for (id, parent) in parents.iter().enumerate().map(|(i, parent)| (NodeId::new(i), parent)) {
        match parent.and_then(|parent| children.get_mut(parent.index())) {
            Some(list) => list.push(id),
            None => order.push(id),
        }
    }
    let mut at = 0;
    while let Some(id) = order.get(at).copied() {
        order.extend(children.get_mut(id.index()).map(std::mem::take).unwrap_or_default());
        at += 1;
    }
    order
}

/// For each node whether something below it is turned at rest.
fn turned_below(scene: &Scene, parents: &[Option<NodeId>], order: &[NodeId]) -> Vec<bool> {
    let is_turned = |id: NodeId| match scene.nodes.get(id).map(|node| node.transform) {
        Some(Transform::Trs { rotation, .. }) => rotation.xyz().abs().max_element() > 1e-6,
        Some(Transform::Matrix(_)) => true,
        None => false,
    };
    let mut below = vec![false; parents.len()];
    for id in order.iter().rev() {
        let turned = is_turned(*id) || below.get(id.index()).copied().unwrap_or(false);
        let parent = parents.get(id.index()).copied().flatten();
        if let Some(slot) = parent.and_then(|parent| below.get_mut(parent.index())) {
            *slot |= turned;
        }
    }
    below
}

/// How the transform of a node changes.
struct Change {
    /// What was taken from the parent: its space is stretched by this no more.
    above: DMat3,
    /// What is taken from the node.
    own: DMat3,
    /// The scale that stays.
    kept: DVec3,
    transform: Transform,
    rest_scale: DVec3,
}

impl Change {
    /// `None` where a node stays as it is.
    fn of(transform: &Transform, above: DMat3, turned_below: bool) -> Option<Self> {
        let matrix = transform.matrix().as_dmat4();
        let linear = above * DMat3::from_mat4(matrix);
        let rotation = nearest_rotation(&linear)?;
        let own = rotation.transpose() * linear;
        let scale = DVec3::new(own.x_axis.x, own.y_axis.y, own.z_axis.z);
        let size = scale.abs().max_element();
        let straight =
            (own - DMat3::from_diagonal(scale)).to_cols_array().iter().all(|x| x.abs() <= SAME * size);
        let even = scale.max_element() - scale.min_element() <= SAME * size;
        if above == DMat3::IDENTITY && straight && (even || !turned_below) {
            return None;
        }
        let keeps = straight && (even || !turned_below);
        let (kept, own) = if keeps { (scale, DMat3::IDENTITY) } else { (DVec3::ONE, own) };
        let (_, _, rest_scale, _) = transform.to_trs();
        let transform = Transform::Trs {
            translation: (above * matrix.w_axis.truncate()).as_vec3(),
            rotation: DQuat::from_mat3(&rotation).normalize().as_quat(),
            scale: kept.as_vec3(),
        };
        Some(Self { above, own, kept, transform, rest_scale: rest_scale.as_dvec3() })
    }

    fn node(&self, scene: &mut Scene, id: NodeId) {
        let Some(node) = scene.nodes.get_mut(id) else { return };
        node.transform = self.transform;
        let (mesh, skin) = (node.mesh, node.skin);
        // Skinned vertices are where their joints are, whatever node shows them.
        if let Some(mesh) = mesh.filter(|_| skin.is_none() && self.own != DMat3::IDENTITY) {
            let stretched = self.mesh(scene, mesh);
            if let Some(node) = scene.nodes.get_mut(id) {
                node.mesh = Some(stretched);
            }
        }
    }

    /// What a place in the node's space as it was is multiplied by, to be in the space as it is.
    fn taken(&self) -> DMat3 {
        let kept = DMat3::from_diagonal(self.kept);
        if self.own == DMat3::IDENTITY { DMat3::IDENTITY } else { kept.inverse() * self.own }
    }

    /// A mesh with the stretch in its vertices.
    fn mesh(&self, scene: &mut Scene, mesh: MeshId) -> MeshId {
        let mut copy = scene.meshes.get(mesh).cloned().unwrap_or_default();
        copy.primitives.iter_mut().for_each(|primitive| stretch(primitive, self.own.as_mat3()));
        scene.meshes.push(copy)
    }

    fn channel(&self, channel: &mut Channel) {
        let cubic = channel.interpolation == Interpolation::Cubic;
        match channel.property {
            Property::Translation => each(&mut channel.values, |v| (self.above * DVec3::from(v)).into()),
            Property::Scale => {
                each(&mut channel.values, |v| (DVec3::from(v) / self.rest_scale * self.kept).into());
            }
            Property::Rotation if cubic => self.curve(&mut channel.values),
            Property::Rotation => {
                each(&mut channel.values, |q| self.rotation(DQuat::from_array(q)).to_array())
            }
            Property::Weights => {}
        }
    }

    /// The rotation that is nearest to what a rotation of the node is between the spaces as they are now.
    fn rotation(&self, q: DQuat) -> DQuat {
        let kept = DMat3::from_diagonal(self.kept) * self.taken();
        let turned = self.above * DMat3::from_quat(q.normalize()) * DMat3::from_diagonal(self.rest_scale);
        let found = nearest_rotation(&(turned * kept.inverse())).map(|m| DQuat::from_mat3(&m).normalize());
        let found = found.filter(|found| found.is_finite()).unwrap_or(q);
        if found.dot(q) < 0.0 { -found } else { found }
    }

    /// Keys of a curve: what leads into a key and out of it changes as the rotation does nearby.
    fn curve(&self, values: &mut [f32]) {
        const STEP: f64 = 1e-3;
        let quat = |q: [f32; 4]| DQuat::from_array(q.map(f64::from));
        for [into, at, out] in values.as_chunks_mut::<4>().0.as_chunks_mut::<3>().0 {
            let (here, turned) = (quat(*at), self.rotation(quat(*at)));
            for tangent in [into, out] {
                let there = self.rotation(here + quat(*tangent) * STEP);
                *tangent = ((there - turned) * (1.0 / STEP)).to_array().map(|x| x as f32);
            }
            *at = turned.to_array().map(|x| x as f32);
        }
    }
}

fn each<const N: usize>(values: &mut [f32], change: impl Fn([f64; N]) -> [f64; N]) {
    for value in values.as_chunks_mut::<N>().0 {
        *value = change(value.map(f64::from)).map(|x| x as f32);
    }
}

/// Multiplies all that lies in space; directions across surfaces stay across them.
fn stretch(primitive: &mut Primitive, own: Mat3) {
    let across = own.inverse().transpose();
    for (slot, mut stream) in primitive.streams_mut() {
        if !slot.kind.is_spatial() {
            continue;
        }
        for (vector, _) in stream.vectors_mut() {
            let v = Vec3::from_array(*vector);
            *vector = match (slot.kind, slot.target) {
                (StreamKind::Normal, None) => (across * v).normalize_or(v).to_array(),
                (StreamKind::Normal, Some(_)) => (across * v).to_array(),
                (StreamKind::Tangent, None) => (own * v).normalize_or(v).to_array(),
                _ => (own * v).to_array(),
            };
        }
    }
}

/// The rotation of the polar decomposition; `None` where there is none.
fn nearest_rotation(matrix: &DMat3) -> Option<DMat3> {
    let size = matrix.to_cols_array().iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let mut found = *matrix * (1.0 / size);
    if !found.is_finite() || found.determinant() < 1e-9 {
        return None;
    }
    for _ in 0..40 {
        let next = (found + found.inverse().transpose()) * 0.5;
        let step = (next - found).to_cols_array().iter().fold(0.0f64, |most, x| most.max(x.abs()));
        found = next;
        if step < 1e-14 {
            break;
        }
    }
    found.is_finite().then_some(found)
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::scene::{Animation, Extras, Mesh, Node, Pose, SceneRoot, assert_scene};

    /// A stretched node, below it a turned one, and below that one that is turned and stretched again.
    fn scene() -> Scene {
        let mut scene = Scene::default();
        let positions = vec![[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];
        let triangle = Primitive { positions, indices: vec![0, 1, 2], ..Primitive::default() };
        let mesh = scene.meshes.push(Mesh { primitives: vec![triangle], ..Mesh::default() });
        let node = |turn: f32, scale: [f32; 3], children| Node {
            transform: Transform::Trs {
                translation: Vec3::new(1.0, -2.0, 3.0),
                rotation: Quat::from_rotation_z(turn) * Quat::from_rotation_x(turn / 2.0),
                scale: scale.into(),
            },
            mesh: Some(mesh),
            children,
            ..Node::default()
        };
        let third = scene.nodes.push(node(0.7, [1.0, 2.0, 1.0], vec![]));
        let second = scene.nodes.push(node(0.5, [1.0; 3], vec![third]));
        let first = scene.nodes.push(node(0.0, [1.0, 2.0, 0.5], vec![second]));
        scene.scenes.push(SceneRoot { roots: vec![first], ..SceneRoot::default() });
        let times = vec![0.0, 1.0];
        let values = [Quat::from_rotation_z(0.5) * Quat::from_rotation_x(0.25), Quat::from_rotation_y(1.0)];
        let channel = Channel {
            node: second,
            property: Property::Rotation,
            interpolation: Interpolation::Linear,
            times,
            values: values.iter().flat_map(|q| q.to_array()).collect(),
            extras: Extras::default(),
        };
        scene.animations.push(Animation { channels: vec![channel], ..Animation::default() });
        scene
    }

    fn places(scene: &Scene, pose: &Pose) -> Vec<Vec3> {
        let drawn = scene.nodes.iter().flat_map(|(id, node)| {
            let primitives =
                node.mesh.map(|mesh| scene.meshes[mesh].primitives.as_slice()).unwrap_or_default();
            primitives.iter().flat_map(move |primitive| pose.positions(scene, id, primitive))
        });
        drawn.collect()
    }

    #[test]
    fn at_rest_everything_stays_and_nothing_is_sheared() {
        let before = scene();
        let mut after = before.clone();
        assert_eq!(unshear(&mut after), 3);
        assert_scene(&after);
        for (a, b) in places(&before, &Pose::rest(&before)).iter().zip(places(&after, &Pose::rest(&after))) {
            assert!(a.distance(b) < 1e-5, "{a} {b}");
        }
        for world in Pose::rest(&after).worlds {
            let linear = Mat3::from_mat4(world);
            assert!(linear.x_axis.dot(linear.y_axis).abs() < 1e-5, "{world}");
        }
        // The first key is the rest pose.
        let start = Pose::at(&after, &after.animations[0], 0.0);
        for (a, b) in places(&before, &Pose::rest(&before)).iter().zip(places(&after, &start)) {
            assert!(a.distance(b) < 1e-5, "{a} {b}");
        }
    }

    #[test]
    fn what_is_not_sheared_stays_as_it_is() {
        let mut scene = scene();
        for node in scene.nodes.values_mut() {
            if let Transform::Trs { rotation, .. } = &mut node.transform {
                *rotation = Quat::IDENTITY;
            }
        }
        let before = scene.clone();
        assert_eq!(unshear(&mut scene), 0);
        assert_eq!(scene, before);
    }
}
