//! Lines that explain a model: its wires, bones, box and axes, and the lines and points that it has itself.

use glam::Vec3;
use menagerie::scene::{Bounds, NodeId, Pose, Scene, Topology, parents};

use crate::drawable::Drawable;
use crate::lines::{Line, Over};
use crate::material::Materials;

const WIRE: [f32; 4] = [0.01, 0.012, 0.015, 0.85];
const BONE: [f32; 4] = [1.0, 0.55, 0.05, 1.0];
const JOINT: [f32; 4] = [1.0, 0.9, 0.6, 1.0];
const BOX: [f32; 4] = [0.9, 0.7, 0.05, 1.0];
const AXES: [[f32; 4]; 3] = [[0.85, 0.05, 0.05, 1.0], [0.1, 0.6, 0.05, 1.0], [0.05, 0.2, 0.9, 1.0]];

/// The lines and points that the model has itself.
pub(crate) fn own(drawables: &[Drawable<'_>], materials: &Materials, lines: &mut Vec<Line>) {
    for drawable in drawables {
        let surface = materials.at(drawable.surface);
        let mut add = |from: u32, to: u32| {
            let at = |i: u32| drawable.positions.get(i as usize).copied().unwrap_or_default();
            let color = drawable.colors.as_ref().and_then(|colors| colors.get(from as usize)).copied();
            let color = color.unwrap_or([1.0; 4]);
            lines.push(Line {
                from: at(from),
                to: at(to),
                color: std::array::from_fn(|i| (surface.base[i] * color[i]).clamp(0.0, 1.0)),
                width: if from == to { 3.0 } else { 1.5 },
                over: Over::Nothing,
            });
        };
        let indices = &drawable.primitive.indices;
        match drawable.primitive.topology {
            Topology::Triangles => {}
            Topology::Points => indices.iter().for_each(|i| add(*i, *i)),
            Topology::Lines => indices.as_chunks().0.iter().for_each(|[a, b]| add(*a, *b)),
            Topology::LineStrip => indices.windows(2).for_each(|pair| add(pair[0], pair[1])),
            Topology::LineLoop => {
                indices.windows(2).for_each(|pair| add(pair[0], pair[1]));
                if let (Some(first), Some(last)) = (indices.first(), indices.last()) {
                    add(*last, *first);
                }
            }
        }
    }
}

/// Every edge of every triangle, once.
pub(crate) fn wires(drawables: &[Drawable<'_>], lines: &mut Vec<Line>) {
    for drawable in drawables {
        let mut edges: Vec<(u32, u32)> = Vec::with_capacity(drawable.triangles.len() * 3);
        for [a, b, c] in drawable.triangles {
            edges.extend([(a, b), (b, c), (c, a)].map(|(p, q)| (*p.min(q), *p.max(q))));
        }
        edges.sort_unstable();
        edges.dedup();
        lines.extend(edges.into_iter().filter_map(|(a, b)| {
            let (from, to) = (*drawable.positions.get(a as usize)?, *drawable.positions.get(b as usize)?);
            Some(Line { from, to, color: WIRE, width: 1.0, over: Over::Surfaces })
        }));
    }
}

/// From every joint to those below it, over everything.
pub(crate) fn bones(scene: &Scene, pose: &Pose, lines: &mut Vec<Line>) {
    let mut is_joint = vec![false; scene.nodes.len()];
    for joint in scene.skins.values().flat_map(|skin| &skin.joints) {
        if let Some(is_joint) = is_joint.get_mut(joint.index()) {
            *is_joint = true;
        }
    }
    let place = |id: NodeId| pose.worlds.get(id.index()).map(|world| world.w_axis.truncate());
    let parents = parents(scene);
    let mut dots = Vec::new();
    for id in scene.nodes.ids().filter(|id| is_joint.get(id.index()) == Some(&true)) {
        let Some(here) = place(id) else { continue };
        let parent = parents.get(id.index()).copied().flatten();
        if let Some(from) =
            parent.filter(|parent| is_joint.get(parent.index()) == Some(&true)).and_then(place)
        {
            lines.push(Line { from, to: here, color: BONE, width: 2.5, over: Over::Everything });
        }
        dots.push(Line { from: here, to: here, color: JOINT, width: 5.0, over: Over::Everything });
    }
    lines.extend(dots);
}

/// The joints' places, which a picture of bones has to show.
pub(crate) fn joints(scene: &Scene, pose: &Pose) -> Vec<Vec3> {
    let joints = scene.skins.values().flat_map(|skin| &skin.joints);
    joints.filter_map(|joint| Some(pose.worlds.get(joint.index())?.w_axis.truncate())).collect()
}

/// The twelve edges of a box.
pub(crate) fn bounding_box(bounds: Bounds, lines: &mut Vec<Line>) {
    let corner = |i: usize| {
        let pick = |axis: usize| if i >> axis & 1 == 1 { bounds.max[axis] } else { bounds.min[axis] };
        Vec3::new(pick(0), pick(1), pick(2))
    };
    for from in 0..8usize {
        for axis in (0..3).filter(|axis| from >> axis & 1 == 0) {
            let to = corner(from | 1 << axis);
            lines.push(Line { from: corner(from), to, color: BOX, width: 1.5, over: Over::Surfaces });
        }
    }
}

/// The axes of the Scene from its origin: x red, y green, z blue.
pub(crate) fn axes(bounds: Bounds, lines: &mut Vec<Line>) {
    let length = (bounds.diagonal() * 0.35).max(f32::MIN_POSITIVE);
    for (axis, color) in Vec3::AXES.into_iter().zip(AXES) {
        lines.push(Line { from: Vec3::ZERO, to: axis * length, color, width: 3.0, over: Over::Everything });
    }
}
