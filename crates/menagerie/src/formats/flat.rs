//! What formats without a tree write: every mesh where it is in the world.

use std::collections::BTreeSet;

use glam::{Mat3, Mat4, Vec3};

use super::{Format, kept_nodes};
use crate::bytes::utf8_or_windows_1252;
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind, LossReport};
use crate::ops::{bake_morphs, smooth_normals};
use crate::scene::{
    MeshId, NodeId, Pose, Primitive, Scene, Slot, StreamKind, Topology, parents, skin_matrix, unit_vector,
};

/// What a node draws, in the world and in the format's own axes: morphed and bound to its joints at rest, without joints,
/// morph targets and tangents.
pub(super) struct FlatMesh {
    pub(super) node: NodeId,
    pub(super) primitives: Vec<Primitive>,
}

/// All that the shown scene draws, node by node, the most detailed level; and a report of what the flat list lacks.
pub(super) fn flatten(scene: &Scene, format: &Format, losses: &mut LossReport) -> Vec<FlatMesh> {
    let nodes = kept_nodes(scene);
    let hidden = hidden(scene, &nodes);
    let rest = Pose::rest(scene);
    let mut flat = Vec::new();
    let mut flattening = Flattening { scene, format, rest, turned: 0, broken: 0, remade: 0 };
    for id in nodes.iter().filter(|id| !hidden.contains(id)) {
        let Some(node) = scene.nodes.get(*id) else { continue };
        let Some(mesh) = node.mesh.and_then(|id| scene.meshes.get(id)) else { continue };
        let primitives =
            mesh.primitives.iter().map(|primitive| flattening.primitive(*id, primitive)).collect();
        flat.push(FlatMesh { node: *id, primitives });
    }
    flattening.report(losses);
    report_tree(scene, format, &nodes, &hidden, losses);
    flat
}

/// The nodes that are hidden themselves or by one above them.
fn hidden(scene: &Scene, nodes: &[NodeId]) -> BTreeSet<NodeId> {
    let mut hidden = BTreeSet::new();
    // Parents come first.
    for id in nodes {
        let Some(node) = scene.nodes.get(*id) else { continue };
        if !node.visible || hidden.contains(id) {
            hidden.insert(*id);
            hidden.extend(&node.children);
        }
    }
    hidden
}

struct Flattening<'a> {
    scene: &'a Scene,
    format: &'a Format,
    rest: Pose,
    /// Primitives whose normals were turned with their node.
    turned: usize,
    /// Vertices that the transforms put past the end of all numbers.
    broken: usize,
    /// Normals that a transform left without a length.
    remade: usize,
}

impl Flattening<'_> {
    fn primitive(&mut self, node: NodeId, primitive: &Primitive) -> Primitive {
        let weights = self.rest.weights.get(node.index()).map(Vec::as_slice).unwrap_or_default();
        let mut flat = match primitive.targets.is_empty() {
            true => without_places(primitive),
            false => primitive.clone(),
        };
        bake_morphs(&mut flat, weights);
        let positions = self.rest.positions(self.scene, node, primitive);
        let axes = self.format.axes.turn.inverse();
        flat.positions = positions.into_iter().map(|p| axes.vector(self.finite(p))).collect();
        let world = self.rest.worlds.get(node.index()).copied().unwrap_or_default();
        if world.determinant() < 0.0 {
            // They go round the other way, so that they face where they did.
            if flat.topology == Topology::Triangles {
                flat.indices.as_chunks_mut::<3>().0.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
            }
        }
        self.normals(node, primitive, &mut flat, world);
        flat.joints.clear();
        flat.weights.clear();
        let tangents = |slot: &Slot| slot.kind == StreamKind::Tangent;
        flat.streams_mut().iter_mut().filter(|(slot, _)| tangents(slot)).for_each(|(_, list)| list.clear());
        flat
    }

    fn finite(&mut self, point: Vec3) -> [f32; 3] {
        if point.is_finite() {
            return point.to_array();
        }
        self.broken += 1;
        point.to_array().map(|x| if x.is_finite() { x } else { 0.0 })
    }

    /// Turns the normals with their node, or with the joints that their vertices hang on.
    fn normals(&mut self, node: NodeId, primitive: &Primitive, flat: &mut Primitive, world: Mat4) {
        if flat.normals.is_empty() {
            return;
        }
        let palette = self.rest.palette(self.scene, node).filter(|_| !primitive.joints.is_empty());
        let is_still = palette.is_none() && Mat3::from_mat4(world) == Mat3::IDENTITY;
        self.turned += usize::from(!is_still);
        let axes = self.format.axes.turn.inverse();
        let own = normal_matrix(world);
        let mut lost = Vec::new();
        for (vertex, normal) in flat.normals.iter_mut().enumerate() {
            let turned = match &palette {
                _ if is_still => Some(Vec3::from_array(*normal)),
                None => unit_vector(own * Vec3::from_array(*normal)),
                Some(palette) => {
                    let matrix = skin_matrix(palette, primitive, vertex).map_or(own, normal_matrix);
                    unit_vector(matrix * Vec3::from_array(*normal))
                }
            };
            match turned {
                Some(turned) => *normal = axes.vector(turned.to_array()),
                None => lost.push(vertex),
            }
        }
        if !lost.is_empty() {
            self.remade += lost.len();
            let made = smooth_normals(flat);
            for vertex in lost {
                if let (Some(normal), Some(made)) = (flat.normals.get_mut(vertex), made.get(vertex)) {
                    *normal = *made;
                }
            }
        }
    }

    fn report(&self, losses: &mut LossReport) {
        let mut report = |aspect, kind, message: &str, count: usize| {
            if count > 0 {
                losses.push(Loss::new(aspect, kind, "meshes", message).count(count));
            }
        };
        let approximated = LossKind::Approximated;
        // They point where they did, but no node turns them any more.
        let message = "normals are turned as the nodes did that are gone";
        report(Aspect::Normals, LossKind::Added, message, self.turned);
        report(
            Aspect::Normals,
            LossKind::Added,
            "normals that a scale of zero left were made anew",
            self.remade,
        );
        let message = "vertices farther away than numbers go were put at zero";
        report(Aspect::Positions, approximated, message, self.broken);
    }
}

/// The primitive without what is made anew or has no place in a flat list.
fn without_places(primitive: &Primitive) -> Primitive {
    Primitive {
        topology: primitive.topology,
        indices: primitive.indices.clone(),
        normals: primitive.normals.clone(),
        uvs: primitive.uvs.clone(),
        colors: primitive.colors.clone(),
        custom: primitive.custom.clone(),
        material: primitive.material,
        extras: primitive.extras.clone(),
        ..Primitive::default()
    }
}

/// What turns normals when a matrix moves points.
fn normal_matrix(matrix: Mat4) -> Mat3 {
    let linear = Mat3::from_mat4(matrix);
    let inverse = linear.inverse().transpose();
    if inverse.is_finite() { inverse } else { linear }
}

/// What it costs that there is no tree.
fn report_tree(
    scene: &Scene,
    format: &Format,
    nodes: &[NodeId],
    hidden: &BTreeSet<NodeId>,
    losses: &mut LossReport,
) {
    let name = format.name;
    let mut dropped = |aspect, message: String, count: usize| {
        if count > 0 {
            losses.push(Loss::new(aspect, LossKind::Dropped, "nodes", message).count(count));
        }
    };
    let draws = |id: &&NodeId| scene.nodes.get(**id).is_some_and(|node| node.mesh.is_some());
    dropped(Aspect::Topology, format!("what is hidden is not written to {name}"), {
        hidden.iter().filter(draws).count()
    });
    let empty = nodes.iter().filter(|id| !draws(id) || hidden.contains(id)).count();
    dropped(Aspect::Hierarchy, format!("nodes that draw nothing have no place in {name}"), empty);
    let parents = parents(scene);
    let below = nodes.iter().filter(|id| parents.get(id.index()).is_some_and(Option::is_some)).count();
    dropped(Aspect::Hierarchy, format!("{name} has no tree: nodes are no longer below others"), below);
    let mut moved = ErrorStats::default();
    for id in nodes {
        let local = scene.nodes.get(*id).map(|node| node.transform.matrix()).unwrap_or_default();
        if local != Mat4::IDENTITY {
            moved.add(0.0);
        }
    }
    let message = format!("{name} has no places of nodes: vertices are where they are in the world");
    dropped(Aspect::Transforms, message, moved.count);
    let mut shown = BTreeSet::new();
    let again =
        nodes.iter().filter_map(|id| scene.nodes.get(*id)?.mesh).filter(|mesh| !shown.insert(*mesh)).count();
    if again > 0 {
        let message = "a mesh that several nodes show is written for each";
        losses.push(Loss::new(Aspect::Topology, LossKind::Added, "nodes", message).count(again));
    }
}

/// Reports what cannot be written of lists of elements that a format has no names for.
pub(super) fn report_names<'a>(
    names: impl Iterator<Item = &'a String>,
    what: &str,
    format: &Format,
    losses: &mut LossReport,
) {
    let count = names.filter(|name| !name.is_empty()).count();
    if count > 0 {
        let message = format!("{what} have no names in {}", format.name);
        losses.push(Loss::new(Aspect::Names, LossKind::Dropped, "names", message).count(count));
    }
}

/// What it costs that a file is one mesh without a name.
pub(super) fn report_joined(flat: &[FlatMesh], format: &Format, losses: &mut LossReport) {
    let name = format.name;
    match flat.len() {
        0 => {}
        // The same by another name, and where the world begins.
        1 => losses.added(Aspect::Hierarchy, "nodes", format!("the one mesh of {name} is a node of its own")),
        count => {
            let message = format!("{name} is one mesh: the nodes were joined");
            let loss = Loss::new(Aspect::Hierarchy, LossKind::Approximated, "nodes", message);
            losses.push(loss.count(count));
        }
    }
}

/// Reports the names of everything but nodes and materials.
pub(super) fn report_other_names(scene: &Scene, format: &Format, losses: &mut LossReport) {
    let shown: BTreeSet<MeshId> =
        kept_nodes(scene).iter().filter_map(|id| scene.nodes.get(*id)?.mesh).collect();
    let names = scene.meshes.iter().map(|(id, mesh)| (shown.contains(&id), &mesh.name));
    let (seen, unseen): (Vec<_>, Vec<_>) = names.partition(|(is_shown, _)| *is_shown);
    let seen = seen.into_iter().map(|(_, name)| name);
    report_names(seen.chain(other_names(scene)), "scenes, meshes and pictures", format, losses);
    // They are gone with the meshes.
    let unseen = unseen.iter().filter(|(_, name)| !name.is_empty()).count();
    if unseen > 0 {
        let message = format!("meshes that nothing shows have no names in {}", format.name);
        let loss = Loss::new(Aspect::Names, LossKind::Dropped, "meshes", message).count(unseen);
        losses.push(Loss { unread: true, ..loss });
    }
}

fn other_names(scene: &Scene) -> impl Iterator<Item = &String> {
    (scene.scenes.iter().map(|x| &x.name))
        .chain(scene.textures.values().map(|x| &x.name))
        .chain(scene.textures.values().filter_map(|x| x.sampler.as_ref()).map(|x| &x.name))
        .chain(scene.images.values().map(|x| &x.name))
}

/// A Scene of one node for each mesh, all shown.
pub(super) fn show_all(scene: &mut Scene) {
    let roots = scene.nodes.ids().collect();
    scene.scenes.push(crate::scene::SceneRoot { roots, ..crate::scene::SceneRoot::default() });
    scene.default_scene = Some(0);
}

/// The bytes that a name had in a file of this format, if they still mean the same and fit into a line.
pub(super) fn kept_name(kept: Option<Vec<u8>>, name: &str) -> Option<Vec<u8>> {
    kept.filter(|bytes| utf8_or_windows_1252(bytes) == name && !bytes.iter().any(u8::is_ascii_control))
}
