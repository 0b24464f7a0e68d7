//! Levels of detail made and removed.

use std::collections::{BTreeMap, BTreeSet};

use super::distance::SurfaceDistance;
use super::remove::remove_unshown;
use super::remove_nodes;
use super::simplify::{SimplifyGoal, simplified_mesh, triangles};
use crate::scene::{Channel, Lod, MeshId, Node, NodeId, Scene};

/// A level of detail that was made.
#[derive(Clone, Debug, PartialEq)]
pub struct MadeLevel {
    /// The mesh that it stands in for.
    pub mesh: MeshId,
    /// Which level: 1 for the first.
    pub level: usize,
    /// The part of the triangles that was asked for.
    pub ratio: f32,
    /// The triangles of the mesh.
    pub triangles_before: usize,
    /// The triangles of the level.
    pub triangles: usize,
    /// The largest error that the simplifier reckons with, in scene units.
    pub error: f32,
    /// How far the level's surface is from that of the mesh, at rest.
    pub distance: SurfaceDistance,
}

/// Gives every node that shows a mesh levels of detail with parts of its triangles, in place of those that it has.
///
/// Vertices are never moved, only left out, so whatever hangs on them stays valid: joints and their weights, morph
/// targets, every other stream.
pub fn make_levels(scene: &mut Scene, ratios: &[f32]) -> Vec<MadeLevel> {
    remove_levels(scene);
    let shown: BTreeSet<MeshId> = scene.nodes.values().filter_map(|node| node.mesh).collect();
    let mut made = Vec::new();
    let mut levels: BTreeMap<MeshId, Vec<MeshId>> = BTreeMap::new();
    for id in shown {
        let Some(mesh) = scene.meshes.get(id).filter(|mesh| triangles(mesh) > 0).cloned() else { continue };
        for (i, ratio) in ratios.iter().enumerate() {
            let (mut level, report) = simplified_mesh(&mesh, id, SimplifyGoal::Part(*ratio));
            // A stand-in has no name and nothing that only one format knows.
            (level.name, level.target_names, level.extras) = Default::default();
            made.push(MadeLevel {
                mesh: id,
                level: i + 1,
                ratio: *ratio,
                triangles_before: report.triangles_before,
                triangles: report.triangles,
                error: report.error,
                distance: report.distance,
            });
            levels.entry(id).or_default().push(scene.meshes.push(level));
        }
    }
    let users: Vec<NodeId> = scene.nodes.ids().collect();
    let mut stand_ins = Vec::new();
    for id in users {
        let Some(mesh) = scene.nodes.get(id).and_then(|node| node.mesh) else { continue };
        for mesh in levels.get(&mesh).cloned().unwrap_or_default() {
            let Some(node) = scene.nodes.get(id) else { continue };
            let stand_in = Node {
                transform: node.transform,
                mesh: Some(mesh),
                skin: node.skin,
                weights: node.weights.clone(),
                visible: node.visible,
                ..Node::default()
            };
            let stand_in = scene.nodes.push(stand_in);
            stand_ins.push((id, stand_in));
            if let Some(node) = scene.nodes.get_mut(id) {
                node.lods.push(Lod { node: stand_in, distance: None });
            }
        }
    }
    move_along(scene, &stand_ins);
    made
}

/// Removes the levels of detail that there are.
fn remove_levels(scene: &mut Scene) {
    let joints: BTreeSet<NodeId> =
        scene.skins.values().flat_map(|skin| skin.joints.iter().chain(&skin.skeleton).copied()).collect();
    let tops: Vec<NodeId> =
        scene.nodes.values().flat_map(|node| node.lods.iter().map(|lod| lod.node)).collect();
    let mut gone = BTreeSet::new();
    let mut open = tops;
    while let Some(id) = open.pop() {
        if let Some(node) = scene.nodes.get(id).filter(|_| gone.insert(id)) {
            open.extend(node.children.iter().copied().chain(node.lods.iter().map(|lod| lod.node)));
        }
    }
    scene.nodes.values_mut().for_each(|node| node.lods.clear());
    // A joint stays where it is, though nothing stands in for anything there any more.
    if gone.is_disjoint(&joints) {
        let meshes: BTreeSet<MeshId> =
            gone.iter().filter_map(|id| scene.nodes.get(*id)).filter_map(|node| node.mesh).collect();
        remove_nodes(scene, &gone);
        remove_unshown(scene, meshes);
    }
}

/// Lets stand-ins move as the nodes do that they stand in for.
fn move_along(scene: &mut Scene, stand_ins: &[(NodeId, NodeId)]) {
    for animation in &mut scene.animations {
        let mut of_node: BTreeMap<NodeId, Vec<usize>> = BTreeMap::new();
        for (i, channel) in animation.channels.iter().enumerate() {
            of_node.entry(channel.node).or_default().push(i);
        }
        for (node, stand_in) in stand_ins {
            for i in of_node.get(node).into_iter().flatten() {
                let copy =
                    animation.channels.get(*i).map(|channel| Channel { node: *stand_in, ..channel.clone() });
                animation.channels.extend(copy);
            }
        }
    }
}
