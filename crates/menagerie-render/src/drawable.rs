//! What is drawn: the meshes of the shown nodes, in the world, at one moment.

use std::borrow::Cow;

use glam::{Vec3, Vec4};
use menagerie::diag::{Issue, Issues};
use menagerie::ops;
use menagerie::scene::{Bounds, NodeId, Pose, Primitive, Scene};

use crate::codes;
use crate::material::{Materials, Surface};

/// Farther away nothing is drawn: the squares of larger numbers are infinite.
const FARTHEST: f32 = 1e18;

/// A primitive where a node shows it.
pub(crate) struct Drawable<'a> {
    pub(crate) primitive: &'a Primitive,
    pub(crate) triangles: &'a [[u32; 3]],
    pub(crate) positions: Vec<Vec3>,
    /// Unit normals; none for flat triangles.
    pub(crate) normals: Vec<Vec3>,
    /// Unit tangents with the sign of the bitangent; none where the surface has no normal map.
    pub(crate) tangents: Vec<Vec4>,
    /// The sets of texture coordinates that the surface uses, in its order.
    pub(crate) uvs: Vec<Cow<'a, [[f32; 2]]>>,
    pub(crate) colors: Option<Cow<'a, [[f32; 4]]>>,
    pub(crate) surface: usize,
    /// Whether the transform turns the triangles inside out.
    pub(crate) mirrored: bool,
    pub(crate) double_sided: bool,
}

/// Which nodes are shown: those of the default scene, at a level of detail.
pub(crate) fn shown_nodes(scene: &Scene, level: usize, hidden: bool) -> Vec<NodeId> {
    let roots = scene.shown().map(|root| root.roots.as_slice()).unwrap_or_default();
    let mut open: Vec<NodeId> = roots.iter().rev().copied().collect();
    let mut seen = vec![false; scene.nodes.len()];
    let mut shown = Vec::new();
    while let Some(id) = open.pop() {
        let Some(node) = scene.nodes.get(id).filter(|node| node.visible || hidden) else { continue };
        let id = match level.min(node.lods.len()).checked_sub(1).and_then(|lod| node.lods.get(lod)) {
            Some(lod) => lod.node,
            None => id,
        };
        let (Some(node), Some(seen)) = (scene.nodes.get(id), seen.get_mut(id.index())) else { continue };
        if !std::mem::replace(seen, true) {
            shown.push(id);
            open.extend(node.children.iter().rev());
        }
    }
    shown
}

/// How many levels of detail there are, the most detailed one included.
pub fn levels(scene: &Scene) -> usize {
    let roots = scene.shown().map(|root| root.roots.as_slice()).unwrap_or_default();
    let lods = scene.walk(roots).into_iter().filter_map(|id| Some(scene.nodes.get(id)?.lods.len()));
    lods.max().unwrap_or(0) + 1
}

/// Puts the meshes of the shown nodes into the world.
pub(crate) fn collect<'a>(
    scene: &'a Scene,
    pose: &Pose,
    nodes: &[NodeId],
    materials: &Materials,
    issues: &mut Issues,
) -> Vec<Drawable<'a>> {
    let mut drawables = Vec::new();
    for &id in nodes {
        let Some(mesh) = scene.nodes.get(id).and_then(|node| scene.meshes.get(node.mesh?)) else { continue };
        for (index, primitive) in mesh.primitives.iter().enumerate() {
            let drawable = place(scene, pose, id, primitive, materials);
            let lost = drawable.positions.iter().filter(|position| !is_drawable(**position)).count();
            if lost > 0 {
                let message = format!("{lost} vertices of primitive {index} have no place that can be drawn");
                issues.push(Issue::new(&codes::NOT_FINITE, format!("nodes[{}]", id.index()), message));
            }
            drawables.push(drawable);
        }
    }
    drawables
}

/// Whether a position can be drawn.
pub(crate) fn is_drawable(position: Vec3) -> bool {
    // Also false for what is not a number.
    position.abs().max_element() < FARTHEST && position.is_finite()
}

/// The box around all drawn vertices.
pub(crate) fn bounds(drawables: &[Drawable<'_>]) -> Option<Bounds> {
    Bounds::of(points(drawables))
}

/// The vertices that triangles, lines and points use.
pub(crate) fn points<'a>(drawables: &'a [Drawable<'_>]) -> impl Iterator<Item = Vec3> + Clone + 'a {
    drawables.iter().flat_map(|drawable| {
        let indices = drawable.primitive.indices.iter();
        indices.filter_map(|i| drawable.positions.get(*i as usize).copied()).filter(|p| is_drawable(*p))
    })
}

fn place<'a>(
    scene: &'a Scene,
    pose: &Pose,
    node: NodeId,
    primitive: &'a Primitive,
    materials: &Materials,
) -> Drawable<'a> {
    let (index, surface) = materials.surface(primitive.material);
    let world = pose.worlds.get(node.index()).copied().unwrap_or_default();
    let skinned =
        !primitive.joints.is_empty() && scene.nodes.get(node).is_some_and(|node| node.skin.is_some());
    let weights = pose.weights.get(node.index()).map(Vec::as_slice).unwrap_or_default();
    Drawable {
        primitive,
        triangles: primitive.triangles(),
        positions: pose.positions(scene, node, primitive),
        normals: pose.normals(scene, node, primitive),
        tangents: tangents(scene, pose, node, primitive, surface),
        uvs: surface.uv_sets.iter().map(|set| texture_coordinates(primitive, *set, weights)).collect(),
        colors: colors(primitive, weights),
        surface: index,
        mirrored: !skinned && world.determinant() < 0.0,
        double_sided: surface.double_sided,
    }
}

fn tangents(scene: &Scene, pose: &Pose, node: NodeId, primitive: &Primitive, surface: &Surface) -> Vec<Vec4> {
    let Some(set) = surface.tangent_set() else { return Vec::new() };
    if primitive.normals.is_empty() || primitive.uvs.get(set).is_none() {
        return Vec::new();
    }
    let made;
    let tangents = match primitive.tangents.is_empty() {
        false => &primitive.tangents,
        true => {
            made = ops::tangents(primitive, &primitive.normals, set);
            &made
        }
    };
    let directions: Vec<Vec3> = tangents.iter().map(|[x, y, z, _]| Vec3::new(*x, *y, *z)).collect();
    let along = pose.along(scene, node, primitive, &directions);
    along.into_iter().zip(tangents).map(|(direction, tangent)| direction.extend(tangent[3])).collect()
}

fn texture_coordinates<'a>(primitive: &'a Primitive, set: usize, weights: &[f32]) -> Cow<'a, [[f32; 2]]> {
    let Some(own) = primitive.uvs.get(set) else { return Cow::Borrowed(&[]) };
    morphed(own, primitive.targets.iter().map(|target| target.uvs.get(set)), weights)
}

fn colors<'a>(primitive: &'a Primitive, weights: &[f32]) -> Option<Cow<'a, [[f32; 4]]>> {
    let own = primitive.colors.first()?;
    Some(morphed(own, primitive.targets.iter().map(|target| target.colors.first()), weights))
}

/// A stream with the displacements of morph targets.
fn morphed<'a, 't, const N: usize>(
    own: &'a [[f32; N]],
    targets: impl Iterator<Item = Option<&'t Vec<[f32; N]>>>,
    weights: &[f32],
) -> Cow<'a, [[f32; N]]> {
    let mut stream = Cow::Borrowed(own);
    for (target, weight) in targets.zip(weights) {
        let Some(target) = target.filter(|target| *weight != 0.0 && !target.is_empty()) else { continue };
        for (value, delta) in stream.to_mut().iter_mut().zip(target) {
            for (value, delta) in value.iter_mut().zip(delta) {
                *value += delta * weight;
            }
        }
    }
    stream
}
