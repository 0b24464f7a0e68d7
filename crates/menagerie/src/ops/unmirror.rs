//! Mirrors taken out of nodes and put into meshes.

use std::collections::BTreeMap;

use glam::{Mat3, Mat4, Quat, Vec3};

use crate::scene::{
    Channel, Mesh, MeshId, NodeId, Pose, Primitive, Property, Scene, SkinId, Topology, Transform, parents,
};

/// What folding mirrors into meshes did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unmirrored {
    /// Nodes that showed a mesh mirrored.
    pub nodes: usize,
    /// Meshes that were made because the mesh as it was is shown too.
    pub added_meshes: usize,
    /// Triangles of those.
    pub added_triangles: usize,
}

impl Unmirrored {
    /// Whether anything was mirrored.
    pub fn any(&self) -> bool {
        self.nodes > 0
    }
}

/// Takes mirrors (scales with a negative product) out of all nodes and puts them into the meshes: what is shown stays
/// where it is and keeps its faces outward, and no node's transform has a negative determinant any more. For formats
/// whose engines cull back faces and never look at the sign of a transform.
///
/// A mirrored node's space is mirrored along its X, which is a change of signs: exact for vertices, bones, inverse binds
/// and keys. Where the mesh is shown unmirrored too, the mirrored nodes get a copy.
pub fn unmirror(scene: &mut Scene) -> Unmirrored {
    let rest = Pose::rest(scene);
    let mirrored: Vec<bool> = rest.worlds.iter().map(is_mirrored).collect();
    let shows = |(id, mesh): (NodeId, MeshId)| (id, mesh, rest.is_mirrored(scene, id));
    let shown: Vec<(NodeId, MeshId, bool)> =
        scene.nodes.iter().filter_map(|(id, node)| Some(shows((id, node.mesh?)))).collect();
    if !mirrored.contains(&true) && shown.iter().all(|(_, _, mirrored)| !mirrored) {
        return Unmirrored::default();
    }
    let mut done = Unmirrored::default();
    let mut plain: Vec<bool> = vec![false; scene.meshes.len()];
    for (_, mesh, mirrored) in &shown {
        if let Some(plain) = plain.get_mut(mesh.index()) {
            *plain |= !mirrored;
        }
    }
    turn_nodes(scene, &mirrored);
    turn_joints(scene, &mirrored);
    let mut copies: BTreeMap<MeshId, MeshId> = BTreeMap::new();
    let mut skins: BTreeMap<SkinId, SkinId> = BTreeMap::new();
    for (id, mesh, _) in shown.into_iter().filter(|(_, _, mirrored)| *mirrored) {
        done.nodes += 1;
        let copy = *copies.entry(mesh).or_insert_with(|| match plain.get(mesh.index()) {
            Some(false) => {
                if let Some(mesh) = scene.meshes.get_mut(mesh) {
                    mirror_mesh(mesh);
                }
                mesh
            }
            _ => {
                let mut copy = scene.meshes.get(mesh).cloned().unwrap_or_default();
                mirror_mesh(&mut copy);
                done.added_meshes += 1;
                done.added_triangles += copy.primitives.iter().map(|p| p.triangles().len()).sum::<usize>();
                scene.meshes.push(copy)
            }
        });
        let skin = scene.nodes.get(id).and_then(|node| node.skin);
        let skin = skin.map(|skin| *skins.entry(skin).or_insert_with(|| mirrored_skin(scene, skin)));
        if let Some(node) = scene.nodes.get_mut(id) {
            node.mesh = Some(copy);
            node.skin = skin;
        }
    }
    done
}

fn is_mirrored(world: &Mat4) -> bool {
    Mat3::from_mat4(*world).determinant() < 0.0
}

/// A mirror along X.
const MIRROR: Vec3 = Vec3::new(-1.0, 1.0, 1.0);

/// How the transform of a node changes: M(parent) · L · M(node), with M the mirror where it applies.
#[derive(Clone, Copy)]
struct Change {
    /// Whether the parent's space is mirrored now.
    above: bool,
    /// What the scale is multiplied by: the mirror on one side only, and signs that a half turn takes up.
    signs: Vec3,
    /// The half turn that takes up two signs.
    half_turn: Quat,
}

impl Change {
    fn of(transform: &Transform, above: bool, own: bool) -> Self {
        let mirror = if above == own { Vec3::ONE } else { MIRROR };
        let (half_turn, signs) = match transform {
            Transform::Trs { scale, .. } => half_turn(*scale * mirror),
            Transform::Matrix(_) => (Quat::IDENTITY, Vec3::ONE),
        };
        Self { above, signs: mirror * signs, half_turn }
    }

    fn translation(&self, v: Vec3) -> Vec3 {
        if self.above { v * MIRROR } else { v }
    }

    fn rotation(&self, q: Quat) -> Quat {
        // M · R · M turns about the mirrored axis the other way round.
        let q = if self.above { Quat::from_xyzw(q.x, -q.y, -q.z, q.w) } else { q };
        if self.half_turn == Quat::IDENTITY { q } else { q * self.half_turn }
    }

    fn transform(&self, transform: Transform, own: bool) -> Transform {
        match transform {
            Transform::Trs { translation, rotation, scale } => Transform::Trs {
                translation: self.translation(translation),
                rotation: self.rotation(rotation),
                scale: scale * self.signs,
            },
            Transform::Matrix(matrix) => {
                let side = |mirrored: bool| Mat4::from_scale(if mirrored { MIRROR } else { Vec3::ONE });
                Transform::Matrix(side(self.above) * matrix * side(own))
            }
        }
    }

    fn channel(&self, channel: &mut Channel) {
        match channel.property {
            Property::Translation => each3(&mut channel.values, |v| self.translation(v)),
            Property::Scale => each3(&mut channel.values, |v| v * self.signs),
            Property::Rotation => {
                for q in channel.values.as_chunks_mut::<4>().0 {
                    *q = self.rotation(Quat::from_array(*q)).to_array();
                }
            }
            Property::Weights => {}
        }
    }
}

/// Two negative factors are half a turn about the third axis.
fn half_turn(scale: Vec3) -> (Quat, Vec3) {
    let signs = scale.signum();
    match [signs.x < 0.0, signs.y < 0.0, signs.z < 0.0] {
        [true, true, false] => (Quat::from_xyzw(0.0, 0.0, 1.0, 0.0), Vec3::new(-1.0, -1.0, 1.0)),
        [true, false, true] => (Quat::from_xyzw(0.0, 1.0, 0.0, 0.0), Vec3::new(-1.0, 1.0, -1.0)),
        [false, true, true] => (Quat::from_xyzw(1.0, 0.0, 0.0, 0.0), Vec3::new(1.0, -1.0, -1.0)),
        _ => (Quat::IDENTITY, Vec3::ONE),
    }
}

fn each3(values: &mut [f32], change: impl Fn(Vec3) -> Vec3) {
    for v in values.as_chunks_mut::<3>().0 {
        *v = change(Vec3::from_array(*v)).to_array();
    }
}

fn turn_nodes(scene: &mut Scene, mirrored: &[bool]) {
    let at = |id: NodeId| mirrored.get(id.index()).copied().unwrap_or(false);
    let above: Vec<bool> = parents(scene).into_iter().map(|parent| parent.is_some_and(at)).collect();
    let mut changes: Vec<Option<Change>> = vec![None; scene.nodes.len()];
    for (((node, above), own), slot) in
        scene.nodes.values_mut().zip(above).zip(mirrored.iter().copied()).zip(&mut changes)
    {
        if above || own {
            let change = Change::of(&node.transform, above, own);
            node.transform = change.transform(node.transform, own);
            *slot = Some(change);
        }
    }
    for channel in scene.animations.iter_mut().flat_map(|animation| &mut animation.channels) {
        if let Some(change) = changes.get(channel.node.index()).copied().flatten() {
            change.channel(channel);
        }
    }
}

/// Inverse binds lead into the mirrored spaces of joints.
fn turn_joints(scene: &mut Scene, mirrored: &[bool]) {
    for skin in scene.skins.values_mut() {
        if !skin.joints.iter().any(|joint| mirrored.get(joint.index()) == Some(&true)) {
            continue;
        }
        skin.inverse_binds.resize(skin.joints.len(), Mat4::IDENTITY);
        for (matrix, joint) in skin.inverse_binds.iter_mut().zip(&skin.joints) {
            if mirrored.get(joint.index()) == Some(&true) {
                *matrix = Mat4::from_scale(MIRROR) * *matrix;
            }
        }
    }
}

/// A skin for a mesh that is mirrored itself.
fn mirrored_skin(scene: &mut Scene, skin: SkinId) -> SkinId {
    let mut copy = scene.skins.get(skin).cloned().unwrap_or_default();
    copy.inverse_binds.resize(copy.joints.len(), Mat4::IDENTITY);
    copy.inverse_binds.iter_mut().for_each(|matrix| *matrix *= Mat4::from_scale(MIRROR));
    scene.skins.push(copy)
}

fn mirror_mesh(mesh: &mut Mesh) {
    mesh.primitives.iter_mut().for_each(mirror_primitive);
}

fn mirror_primitive(primitive: &mut Primitive) {
    for (slot, mut stream) in primitive.streams_mut() {
        if slot.kind.is_spatial() {
            for (vector, sign) in stream.vectors_mut() {
                vector[0] = -vector[0];
                // A mirror turns the bitangent round.
                sign.into_iter().for_each(|sign| *sign = -*sign);
            }
        }
    }
    if primitive.topology == Topology::Triangles {
        primitive.indices.as_chunks_mut::<3>().0.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Animation, Extras, Interpolation, Node, SceneRoot, assert_scene};

    fn triangle() -> Primitive {
        let positions = vec![[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]];
        let normals = vec![[0.0, 0.0, 1.0]; 3];
        Primitive { positions, normals, indices: vec![0, 1, 2], ..Primitive::default() }
    }

    /// A mirrored node below a mirrored parent (so not mirrored), and one below that is.
    fn scene() -> Scene {
        let mut scene = Scene::default();
        let mesh = scene.meshes.push(Mesh { primitives: vec![triangle()], ..Mesh::default() });
        let transform = |scale: [f32; 3]| Transform::Trs {
            translation: Vec3::new(1.0, -2.0, 3.0),
            rotation: Quat::from_xyzw(0.5, 0.1, -0.3, 0.8).normalize(),
            scale: scale.into(),
        };
        let node = |scale, children| Node {
            transform: transform(scale),
            mesh: Some(mesh),
            children,
            ..Node::default()
        };
        let third = scene.nodes.push(node([1.0, 2.0, 1.0], vec![]));
        let second = scene.nodes.push(node([1.0, -1.0, 1.0], vec![]));
        let first = scene.nodes.push(node([-1.0, 1.0, 1.0], vec![second, third]));
        scene.scenes.push(SceneRoot { roots: vec![first], ..SceneRoot::default() });
        let keys = |node, property, values: &[f32]| Channel {
            node,
            property,
            interpolation: Interpolation::Linear,
            times: vec![0.0, 1.0],
            values: values.to_vec(),
            extras: Extras::default(),
        };
        let turned = Quat::from_xyzw(0.1, 0.7, 0.2, 0.6).normalize().to_array();
        let mut rotations = vec![0.0, 0.0, 0.0, 1.0];
        rotations.extend(turned);
        let channels = vec![
            keys(first, Property::Rotation, &rotations),
            keys(second, Property::Rotation, &rotations),
            keys(second, Property::Scale, &[1.0, -1.0, 1.0, 2.0, -1.0, 1.0]),
            keys(third, Property::Translation, &[0.0, 0.0, 0.0, 4.0, 5.0, 6.0]),
        ];
        scene.animations.push(Animation { channels, ..Animation::default() });
        scene
    }

    fn corners(scene: &Scene, pose: &Pose) -> Vec<Vec<Vec3>> {
        let of = |(id, node): (NodeId, &Node)| {
            let mesh = &scene.meshes[node.mesh.unwrap()];
            let mut corners = pose.positions(scene, id, &mesh.primitives[0]);
            corners.sort_by(|a, b| a.to_array().partial_cmp(&b.to_array()).unwrap());
            corners
        };
        scene.nodes.iter().map(of).collect()
    }

    #[test]
    fn everything_stays_where_it_is_and_faces_outward() {
        let before = scene();
        let mut after = before.clone();
        let done = unmirror(&mut after);
        assert_scene(&after);
        assert_eq!(done, Unmirrored { nodes: 2, added_meshes: 1, added_triangles: 1 });
        for seconds in [0.0, 0.3, 1.0] {
            let pose = |scene: &Scene| Pose::at(scene, &scene.animations[0], seconds);
            let (was, is) = (corners(&before, &pose(&before)), corners(&after, &pose(&after)));
            let far = was.iter().flatten().zip(is.iter().flatten()).map(|(a, b)| (*a - *b).length());
            assert!(far.fold(0.0, f32::max) < 1e-5, "at {seconds}: {was:?} {is:?}");
        }
        let pose = Pose::rest(&after);
        assert!(pose.worlds.iter().all(|world| !is_mirrored(world)));
        assert_eq!(unmirror(&mut after), Unmirrored::default(), "there is nothing left to do");
    }
}
