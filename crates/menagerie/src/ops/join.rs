//! Primitives and meshes that go together, made one.

use std::collections::{BTreeMap, BTreeSet};

use super::remove_nodes;
use crate::scene::{Mesh, MeshId, NodeId, Primitive, Scene, Slot, Stream, Topology, Transform};

/// What joining did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Joined {
    /// The primitives before.
    pub primitives_before: usize,
    /// The primitives after.
    pub primitives_after: usize,
    /// Nodes that only showed a further piece of their parent's mesh, which the parent shows now.
    pub nodes: usize,
}

/// Makes one primitive of those of a mesh that have the same material, topology, streams and extras, so that a renderer
/// draws them at once. What is drawn stays the same.
///
/// A node that is no more than a further piece of its parent's mesh (a mesh in the same place, of the same skin, and
/// nothing else) gives it to the parent first, where both meshes are shown only once.
pub fn join(scene: &mut Scene) -> Joined {
    let count = |scene: &Scene| scene.meshes.values().map(|mesh| mesh.primitives.len()).sum();
    let primitives_before = count(scene);
    let nodes = join_pieces(scene);
    scene.meshes.values_mut().for_each(join_primitives);
    Joined { primitives_before, primitives_after: count(scene), nodes }
}

/// Primitives of one kind that a further one is compared with.
const LOOKED_AT: usize = 16;

fn join_primitives(mesh: &mut Mesh) {
    let mut joined: Vec<Primitive> = Vec::with_capacity(mesh.primitives.len());
    // Only the latest few of a kind are looked at, or many different ones would take for ever.
    let mut places: BTreeMap<(Option<usize>, Topology, usize), Vec<usize>> = BTreeMap::new();
    for primitive in std::mem::take(&mut mesh.primitives) {
        let key =
            (primitive.material.map(|material| material.index()), primitive.topology, streams(&primitive));
        let alike = places.entry(key).or_default();
        let place =
            alike.iter().rev().take(LOOKED_AT).copied().find(|place| fits(&joined[*place], &primitive));
        match place {
            Some(place) => append(&mut joined[place], &primitive),
            None => {
                alike.push(joined.len());
                joined.push(primitive);
            }
        }
    }
    mesh.primitives = joined;
}

/// A number of streams that primitives must share to be joined.
fn streams(p: &Primitive) -> usize {
    p.uvs.len() + p.colors.len() * 16 + p.joints.len() * 256 + p.targets.len() * 4096 + p.custom.len() * 65536
}

fn fits(a: &Primitive, b: &Primitive) -> bool {
    let list = matches!(a.topology, Topology::Triangles | Topology::Lines | Topology::Points);
    let enough = u32::try_from(a.vertex_count() + b.vertex_count()).is_ok();
    // An empty stream of an empty primitive says nothing about the other's.
    let solid = a.vertex_count() > 0 && b.vertex_count() > 0;
    let extras = |p: &Primitive| p.targets.iter().map(|target| target.extras.clone()).collect::<Vec<_>>();
    list && enough
        && solid
        && (a.topology, a.material) == (b.topology, b.material)
        && a.custom.keys().eq(b.custom.keys())
        && layout(a) == layout(b)
        && a.extras == b.extras
        && extras(a) == extras(b)
}

/// Which streams a primitive has, and how wide they are.
fn layout(primitive: &Primitive) -> Vec<(Slot, bool, usize)> {
    let width = |stream: &Stream<'_>| if let Stream::Floats(width, _) = stream { *width } else { 0 };
    primitive.streams().iter().map(|(slot, stream)| (*slot, stream.is_empty(), width(stream))).collect()
}

fn append(to: &mut Primitive, from: &Primitive) {
    let start = to.vertex_count() as u32;
    to.indices.extend(from.indices.iter().map(|index| index + start));
    for ((_, mut to), (_, from)) in to.streams_mut().into_iter().zip(from.streams()) {
        to.append(&from);
    }
}

/// Gives the meshes of nodes that are only pieces to their parents; how many there were.
fn join_pieces(scene: &mut Scene) -> usize {
    let mut shown: BTreeMap<MeshId, usize> = BTreeMap::new();
    scene.nodes.values().filter_map(|node| node.mesh).for_each(|mesh| *shown.entry(mesh).or_default() += 1);
    let mut needed: BTreeSet<NodeId> =
        scene.skins.values().flat_map(|skin| skin.joints.iter().chain(&skin.skeleton).copied()).collect();
    let channels = scene.animations.iter().flat_map(|animation| &animation.channels);
    needed.extend(channels.map(|channel| channel.node));
    let mut pieces: Vec<(MeshId, NodeId, MeshId)> = Vec::new();
    for parent in scene.nodes.values().filter(|parent| parent.lods.is_empty()) {
        let Some(own) = parent.mesh.filter(|mesh| shown.get(mesh) == Some(&1)) else { continue };
        let mesh = &scene.meshes[own];
        for child in parent.children.iter().copied() {
            let Some(node) = scene.nodes.get(child) else { continue };
            let Some(piece) = node.mesh.filter(|mesh| shown.get(mesh) == Some(&1)) else { continue };
            let bare = node.children.is_empty() && node.lods.is_empty() && node.weights.is_empty();
            let only_mesh = node.camera.is_none() && node.light.is_none() && node.extras.is_empty();
            let named = [&parent.name, &mesh.name].contains(&&node.name) || node.name.is_empty();
            let other = &scene.meshes[piece];
            let no_morphs = mesh.target_count() == 0 && other.target_count() == 0;
            if bare
                && only_mesh
                && named
                && no_morphs
                && other.extras.is_empty()
                && node.visible
                && node.skin == parent.skin
                && node.transform == Transform::IDENTITY
                && !needed.contains(&child)
            {
                pieces.push((own, child, piece));
            }
        }
    }
    let gone: BTreeSet<NodeId> = pieces.iter().map(|(_, node, _)| *node).collect();
    for (own, _, piece) in &pieces {
        let primitives = std::mem::take(&mut scene.meshes[*piece].primitives);
        scene.meshes[*own].primitives.extend(primitives);
    }
    if !gone.is_empty() {
        remove_nodes(scene, &gone);
        let empty = pieces.iter().map(|(_, _, piece)| *piece).collect();
        super::remove::remove_unshown(scene, empty);
    }
    gone.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Node, SceneRoot, assert_scene};

    fn triangle(at: f32) -> Primitive {
        Primitive {
            positions: vec![[at, 0.0, 0.0], [at + 1.0, 0.0, 0.0], [at, 1.0, 0.0]],
            indices: vec![0, 1, 2],
            uvs: vec![vec![[0.0; 2]; 3]],
            ..Primitive::default()
        }
    }

    #[test]
    fn alike_primitives_become_one() {
        let mut other = triangle(2.0);
        other.normals = vec![[0.0, 0.0, 1.0]; 3];
        let mut strip = triangle(4.0);
        strip.topology = Topology::LineStrip;
        let primitives = vec![triangle(0.0), other, triangle(1.0), strip.clone(), strip, triangle(3.0)];
        let mut scene = Scene::default();
        let mesh = scene.meshes.push(Mesh { primitives, ..Mesh::default() });
        let report = join(&mut scene);
        assert_eq!(report, Joined { primitives_before: 6, primitives_after: 4, nodes: 0 });
        let joined = &assert_scene(&scene).meshes[mesh].primitives[0];
        assert_eq!(joined.indices, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(joined.positions[6], [3.0, 0.0, 0.0]);
        assert_eq!(joined.uvs[0].len(), 9);
    }

    #[test]
    fn pieces_go_to_their_parent() {
        let mut scene = Scene::default();
        let mesh = |x: f32| Mesh { primitives: vec![triangle(x)], ..Mesh::default() };
        let [own, piece, moved] = [0.0, 1.0, 2.0].map(|x| scene.meshes.push(mesh(x)));
        let piece = scene.nodes.push(Node { mesh: Some(piece), ..Node::default() });
        let transform = Transform::Matrix(glam::Mat4::from_translation(glam::Vec3::X));
        let moved = scene.nodes.push(Node { mesh: Some(moved), transform, ..Node::default() });
        let children = vec![piece, moved];
        let root = scene.nodes.push(Node { mesh: Some(own), children, ..Node::default() });
        scene.scenes.push(SceneRoot { roots: vec![root], ..SceneRoot::default() });
        let report = join(&mut scene);
        assert_eq!(report, Joined { primitives_before: 3, primitives_after: 2, nodes: 1 });
        assert_eq!((assert_scene(&scene).nodes.len(), scene.meshes.len()), (2, 2));
    }
}
