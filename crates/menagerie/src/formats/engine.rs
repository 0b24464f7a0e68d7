//! What the original engines do otherwise than their formats' documents say, measured.
//!
//! The file `engine.rs` of each format has the engine's own formulas and gives the Scene that the engine shows
//! ([`FileModel::lift_as_engine`](super::FileModel::lift_as_engine)). Here that Scene is compared with the one that the
//! document describes, vertex by vertex.

use std::collections::BTreeMap;

use glam::{Mat4, Vec3};

use crate::diag::{Aspect, Loss, LossKind, LossReport};
use crate::ops::unmirror;
use crate::scene::{Hidden, MeshId, MorphTarget, NodeId, Pose, Primitive, Scene, Topology};

/// The Scene with its mirrors in the meshes instead of the nodes, for engines that cull back faces and never look
/// whether a transform mirrors; `None` where nothing is mirrored. What that changed is reported as added.
pub fn without_mirrors(scene: &Scene, losses: &mut LossReport) -> Option<Scene> {
    let mirrors = |matrix: Mat4| matrix.determinant() < 0.0;
    let of_nodes = scene.nodes.values().any(|node| mirrors(node.transform.matrix()));
    let of_skins = scene.skins.values().flat_map(|skin| &skin.inverse_binds).any(|matrix| mirrors(*matrix));
    if !of_nodes && !of_skins {
        return None;
    }
    let mut turned = scene.clone();
    let done = unmirror(&mut turned);
    let message =
        "mirrored nodes: the mirror went into their meshes, whose faces the engine would show inside out";
    let changed = scene.nodes.values().zip(turned.nodes.values());
    let changed = changed.filter(|(before, after)| before.transform != after.transform).count();
    let moved = usize::from(scene.animations != turned.animations);
    for (aspect, count) in
        [(Aspect::Transforms, changed), (Aspect::Normals, done.nodes), (Aspect::Animations, moved)]
    {
        if count > 0 {
            losses.push(Loss::new(aspect, LossKind::Added, "nodes", message).count(count));
        }
    }
    if done.added_meshes > 0 {
        let message =
            format!("{} meshes that are shown mirrored and unmirrored were copied", done.added_meshes);
        losses.push(
            Loss::new(Aspect::Topology, LossKind::Added, "meshes", message).count(done.added_triangles),
        );
    }
    Some(turned)
}

/// Turns the faces of mirrored nodes over, as an engine shows them that culls back faces and never looks whether a
/// transform mirrors: these nodes get a mesh of their own, after all others.
pub fn turn_mirrored_faces(scene: &mut Scene) {
    let worlds = Pose::rest(scene).worlds;
    let mirrored = |id: NodeId| worlds.get(id.index()).is_some_and(|world| world.determinant() < 0.0);
    let shown = scene.nodes.iter().filter(|(id, node)| mirrored(*id) && node.skin.is_none());
    let shown: Vec<(NodeId, MeshId)> = shown.filter_map(|(id, node)| Some((id, node.mesh?))).collect();
    let mut turned = BTreeMap::new();
    for (id, mesh) in shown {
        let copy = *turned.entry(mesh).or_insert_with(|| {
            let mut copy = scene.meshes.get(mesh).cloned().unwrap_or_default();
            for primitive in copy.primitives.iter_mut().filter(|p| p.topology == Topology::Triangles) {
                primitive
                    .indices
                    .as_chunks_mut::<3>()
                    .0
                    .iter_mut()
                    .for_each(|[_, b, c]| std::mem::swap(b, c));
            }
            scene.meshes.push(copy)
        });
        if let Some(node) = scene.nodes.get_mut(id) {
            node.mesh = Some(copy);
        }
    }
}

/// How far the engine's pose of a model is from the document's at one moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoseError {
    /// Which animation; `None` for the model at rest.
    pub animation: Option<usize>,
    /// The moment, in seconds.
    pub seconds: f32,
    /// The largest distance of a vertex from where the document puts it, as a part of the model's diagonal.
    pub error: f32,
    /// The node that shows this vertex.
    pub node: usize,
}

/// Moments of each animation at which poses are compared, its first and last included.
pub const MOMENTS: usize = 10;

/// Vertices of one primitive that are compared; of more, as many evenly spread ones.
const VERTICES: usize = 512;

/// Animations that are compared.
const ANIMATIONS: usize = 64;

/// Nodes and vertices that are posed for that, all moments together: of models with very many of them fewer animations
/// are compared, at least one.
const POSED: usize = 16_000_000;

/// Compares two Scenes of one file: at rest and at [`MOMENTS`] of every animation, the largest error of each. Nodes and
/// meshes are paired by their places in the lists, so both Scenes must have the same ones in the same order; what has
/// no partner is left out.
pub fn pose_errors(document: &Scene, engine: &Scene) -> Vec<PoseError> {
    let pairs = pairs(document, engine);
    let rest = (Pose::rest(document), Pose::rest(engine));
    let size = rest.0.bounds_with(document, Hidden::Counts).map_or(0.0, |bounds| bounds.diagonal());
    if size <= 0.0 || !size.is_finite() {
        return Vec::new();
    }
    let measure = |animation, seconds, poses: &(Pose, Pose)| {
        let (error, node) = largest(document, engine, &pairs, poses);
        PoseError { animation, seconds, error: error / size, node }
    };
    let mut errors = vec![measure(None, 0.0, &rest)];
    let vertices: usize = pairs.iter().map(|pair| pair.document.vertex_count()).sum();
    let posed = MOMENTS * (document.nodes.len() + engine.nodes.len() + 2 * vertices);
    let animations = (POSED / posed.max(1)).clamp(1, ANIMATIONS);
    let both = document.animations.iter().zip(&engine.animations).take(animations);
    for (index, (of_document, of_engine)) in both.enumerate() {
        let last = of_document.seconds();
        let moments = (0..MOMENTS).map(|i| last * i as f32 / (MOMENTS - 1) as f32).map(|seconds| {
            let poses = (Pose::at(document, of_document, seconds), Pose::at(engine, of_engine, seconds));
            measure(Some(index), seconds, &poses)
        });
        errors.extend(moments.max_by(|a, b| a.error.total_cmp(&b.error)));
    }
    errors
}

/// The largest error of all moments.
pub fn largest_pose_error(document: &Scene, engine: &Scene) -> Option<PoseError> {
    pose_errors(document, engine).into_iter().max_by(|a, b| a.error.total_cmp(&b.error))
}

/// A primitive that a node shows in both Scenes, thinned out.
struct Pair {
    node: NodeId,
    document: Primitive,
    engine: Primitive,
}

fn pairs(document: &Scene, engine: &Scene) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for ((node, in_document), in_engine) in document.nodes.iter().zip(engine.nodes.values()) {
        let meshes = in_document.mesh.and_then(|m| document.meshes.get(m)).zip(in_engine.mesh);
        let Some((a, b)) = meshes.and_then(|(a, b)| Some((a, engine.meshes.get(b)?))) else { continue };
        for (a, b) in a.primitives.iter().zip(&b.primitives) {
            if a.vertex_count() == b.vertex_count() {
                let step = a.vertex_count().div_ceil(VERTICES).max(1);
                pairs.push(Pair { node, document: thinned(a, step), engine: thinned(b, step) });
            }
        }
    }
    pairs
}

/// What decides where every `step`th vertex is.
fn thinned(primitive: &Primitive, step: usize) -> Primitive {
    fn each<T: Copy>(list: &[T], step: usize) -> Vec<T> {
        list.iter().step_by(step).copied().collect()
    }
    let target = |target: &MorphTarget| MorphTarget {
        positions: each(&target.positions, step),
        ..MorphTarget::default()
    };
    Primitive {
        positions: each(&primitive.positions, step),
        joints: primitive.joints.iter().map(|set| each(set, step)).collect(),
        weights: primitive.weights.iter().map(|set| each(set, step)).collect(),
        targets: primitive.targets.iter().map(target).collect(),
        ..Primitive::default()
    }
}

fn largest(document: &Scene, engine: &Scene, pairs: &[Pair], (a, b): &(Pose, Pose)) -> (f32, usize) {
    let mut largest = (0.0f32, 0);
    for pair in pairs {
        let was = a.positions(document, pair.node, &pair.document);
        let is = b.positions(engine, pair.node, &pair.engine);
        let far = was.iter().zip(&is).map(|(a, b): (&Vec3, &Vec3)| (*a - *b).length()).fold(0.0, f32::max);
        if far > largest.0 {
            largest = (far, pair.node.index());
        }
    }
    largest
}
