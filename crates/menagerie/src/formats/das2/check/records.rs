//! What is wrong in single records: indices, numbers, levels of detail, weights.

use std::collections::BTreeMap;

use super::{Checker, codes, finite, report};
use crate::diag::Issues;
use crate::formats::das2::NONE;
use crate::formats::das2::fields::Fields;
use crate::formats::das2::forest::{Fault, Forest};
use crate::formats::das2::geometry::{self, Attribute, Geometry, Problem};
use crate::formats::das2::model::{
    Channel, Interpolation, Kind, Level, PLACEMENT, Placement, Profile, Target, material_type,
};

/// How deep levels of detail may be nested before it is worth a warning.
const LOD_DEPTH: usize = 16;
/// How far a sum of weights may be from one.
const WEIGHT_TOLERANCE: f32 = 1e-3;

impl Checker<'_> {
    pub(super) fn buffers(&self, issues: &mut Issues) {
        if self.model.profile == Profile::Libdas2 && self.lists.buffers.len() > 1 {
            let message = format!("there are {} buffers", self.lists.buffers.len());
            report(issues, &codes::BUFFERS, "buffers[1]", message);
        }
    }

    pub(super) fn meshes(&self, issues: &mut Issues) {
        let geometry = Geometry::new(self.model.profile, &self.lists);
        let limits = self.joint_limits();
        for (index, mesh) in self.lists.meshes.iter().enumerate() {
            // How many levels are still to come in each level that is open.
            let mut open: Vec<u32> = Vec::new();
            for (i, level) in mesh.levels.iter().enumerate() {
                let path = match i.checked_sub(1) {
                    None => format!("meshes[{index}]"),
                    Some(below) => format!("meshes[{index}].lods[{below}]"),
                };
                while open.last() == Some(&0) {
                    open.pop();
                }
                if let Some(left) = open.last_mut() {
                    *left -= 1;
                }
                open.push(level.lods);
                if open.len() == LOD_DEPTH + 2 {
                    let message = format!("it is nested {} levels deep", open.len() - 1);
                    report(issues, &codes::LOD_DEPTH, &path, message);
                }
                self.level(&path, level, &geometry, limits.get(&index).copied(), issues);
            }
        }
    }

    /// For each mesh that a node binds to a skeleton, the number of joints that it may use.
    fn joint_limits(&self) -> BTreeMap<usize, usize> {
        let mut limits = BTreeMap::new();
        for node in &self.lists.nodes {
            let group = self.lists.mesh_groups.get(node.mesh_group as usize);
            let skeleton = self.lists.skeletons.get(node.skeleton as usize);
            let Some((group, skeleton)) = group.zip(skeleton) else { continue };
            for mesh in &group.meshes {
                let limit = limits.entry(*mesh as usize).or_insert(usize::MAX);
                *limit = skeleton.joints.len().min(*limit);
            }
        }
        limits
    }

    fn level(
        &self,
        path: &str,
        level: &Level,
        geometry: &Geometry<'_>,
        joints: Option<usize>,
        issues: &mut Issues,
    ) {
        self.material_of(path, level, issues);
        if !level.draw_count.is_multiple_of(3) {
            let message = format!("{} corners are no whole number of triangles", level.draw_count);
            report(issues, &codes::DRAW_COUNT, &format!("{path}.draw_count"), message);
        }
        let vertices = match geometry.vertex_count(level) {
            Ok(vertices) => vertices,
            Err(problem) => return self.unreadable(&format!("{path}.index"), "", problem, issues),
        };
        match geometry.positions(level, vertices) {
            None => {
                let message = "it has no position buffer".to_owned();
                report(issues, &codes::NO_POSITIONS, &format!("{path}.position_buffer"), message);
            }
            Some(Err(problem)) => self.unreadable(&format!("{path}.position"), "", problem, issues),
            Some(Ok(bytes)) => floats(&format!("{path}.position_offset"), bytes, issues),
        }
        let morphs = level.morphs.iter().enumerate();
        let morphs = morphs.map(|(i, morph)| {
            let inside = format!("{path}.morphs[{i}]");
            (inside, Some(morph.position), morph.normal, morph.color, &morph.uv)
        });
        let own = (path.to_owned(), None, level.normal, level.color, &level.uv);
        for (path, position, normal, color, uv) in std::iter::once(own).chain(morphs) {
            let place = |name: &str| format!("{path}.{name}");
            let of = |place, bytes| geometry.attribute(place, vertices, bytes);
            if let Some(position) = position {
                self.attribute(&place("position"), "", of(position, 12), issues);
            }
            self.attribute(&place("normal"), "", of(normal, 12), issues);
            self.attribute(&place("color"), "", of(color, 16), issues);
            for (slot, uv) in uv.iter().enumerate() {
                self.attribute(&place("uv"), &format!("[{slot}]"), of(*uv, 8), issues);
            }
        }
        self.joint_sets(path, level, geometry, vertices, joints, issues);
    }

    /// The material that a level names.
    fn material_of(&self, path: &str, level: &Level, issues: &mut Issues) {
        let kind = match level.material_type {
            material_type::NONE => return,
            material_type::PHONG => Kind::Phong,
            material_type::PBR => Kind::Pbr,
            other => {
                let message = format!("there is no material type {other}");
                return report(issues, &codes::MATERIAL_TYPE, &format!("{path}.material_type"), message);
            }
        };
        self.optional(|| format!("{path}.material"), level.material, kind, issues);
    }

    /// Floats for each vertex at a place of a buffer, or at one of several, which `slot` names.
    fn attribute(&self, path: &str, slot: &str, attribute: Attribute<'_>, issues: &mut Issues) {
        match attribute {
            Some(Err(problem)) => self.unreadable(path, slot, problem, issues),
            Some(Ok(bytes)) => {
                let plural = if slot.is_empty() { "" } else { "s" };
                floats(&format!("{path}_offset{plural}"), bytes, issues);
            }
            None => {}
        }
    }

    fn joint_sets(
        &self,
        path: &str,
        level: &Level,
        geometry: &Geometry<'_>,
        vertices: usize,
        limit: Option<usize>,
        issues: &mut Issues,
    ) {
        let mut sums = Vec::new();
        let places = level.joint_indices.iter().zip(&level.joint_weights).enumerate();
        for (slot, (indices, weights)) in places {
            let (indices, weights) =
                (geometry.attribute(*indices, vertices, 8), geometry.attribute(*weights, vertices, 16));
            if indices.is_some() != weights.is_some() {
                let (has, lacks) =
                    if indices.is_some() { ("indices", "weights") } else { ("weights", "indices") };
                let message = format!("slot {slot} has {has} and no {lacks}");
                report(issues, &codes::JOINT_SET, &format!("{path}.joint_{has}_offsets[{slot}]"), message);
            }
            for (name, problem) in [("joint_indices", &indices), ("joint_weights", &weights)] {
                if let Some(Err(problem)) = problem {
                    self.unreadable(&format!("{path}.{name}"), &format!("[{slot}]"), *problem, issues);
                }
            }
            let (Some(Ok(indices)), Some(Ok(weights))) = (indices, weights) else { continue };
            let weights = geometry::vectors::<4>(weights);
            sums.resize(vertices, 0.0);
            for (sum, weights) in sums.iter_mut().zip(&weights) {
                *sum += weights.iter().sum::<f32>();
            }
            let Some(limit) = limit else { continue };
            let beyond = geometry::joints(indices).into_iter().zip(&weights).enumerate().find_map(
                |(vertex, (joints, weights))| {
                    let used = joints.into_iter().zip(weights).filter(|(_, weight)| **weight != 0.0);
                    used.map(|(joint, _)| joint)
                        .find(|joint| usize::from(*joint) >= limit)
                        .map(|joint| (vertex, joint))
                },
            );
            if let Some((vertex, joint)) = beyond {
                let message = format!("vertex {vertex} hangs on joint {joint} of {limit}");
                report(
                    issues,
                    &codes::JOINT_INDEX,
                    &format!("{path}.joint_indices_offsets[{slot}]"),
                    message,
                );
            }
        }
        let off = |sum: &f32| !((sum - 1.0).abs() <= WEIGHT_TOLERANCE || *sum == 0.0);
        if let Some(vertex) = sums.iter().position(off) {
            let message = format!(
                "the weights of vertex {vertex} sum to {}",
                sums.get(vertex).copied().unwrap_or_default()
            );
            report(issues, &codes::WEIGHT_SUM, &format!("{path}.joint_weights_offsets"), message);
        }
    }

    /// An attribute that cannot be read: the id of the buffer is to blame, or the offset.
    fn unreadable(&self, path: &str, slot: &str, problem: Problem, issues: &mut Issues) {
        let plural = if slot.is_empty() { "" } else { "s" };
        let field = match (problem, self.model.profile) {
            (Problem::Buffer(_), Profile::Spec) => "buffer",
            _ => "offset",
        };
        let path = format!("{path}_{field}{plural}{slot}");
        let code = if problem == Problem::Overused { &codes::OVERUSED } else { &codes::ATTRIBUTE_RANGE };
        report(issues, code, &path, problem.describe());
    }

    pub(super) fn mesh_groups(&self, issues: &mut Issues) {
        for (index, group) in self.lists.mesh_groups.iter().enumerate() {
            self.text(&format!("mesh_groups[{index}].name"), &group.name, issues);
            for (i, mesh) in group.meshes.iter().enumerate() {
                self.reference(|| format!("mesh_groups[{index}].meshes[{i}]"), *mesh, Kind::Mesh, issues);
            }
        }
    }

    pub(super) fn nodes(&self, issues: &mut Issues) {
        for (index, node) in self.lists.nodes.iter().enumerate() {
            let path = format!("nodes[{index}]");
            self.text(&format!("{path}.name"), &node.name, issues);
            for (i, child) in node.children.iter().enumerate() {
                self.reference(|| format!("{path}.children[{i}]"), *child, Kind::Node, issues);
            }
            self.optional(|| format!("{path}.mesh_group"), node.mesh_group, Kind::MeshGroup, issues);
            self.optional(|| format!("{path}.skeleton"), node.skeleton, Kind::Skeleton, issues);
            matrix(&format!("{path}.custom"), &node.custom, issues);
            self.placement(&path, &node.placement, issues);
        }
        let forest = Forest::new(self.lists.nodes.iter().map(|node| node.children.as_slice()));
        faults("nodes", &forest, issues);
    }

    pub(super) fn joints(&self, issues: &mut Issues) {
        for (index, joint) in self.lists.joints.iter().enumerate() {
            let path = format!("joints[{index}]");
            self.text(&format!("{path}.name"), &joint.name, issues);
            for (i, child) in joint.children.iter().enumerate() {
                self.reference(|| format!("{path}.children[{i}]"), *child, Kind::Joint, issues);
            }
            finite(|| format!("{path}.inverse_bind"), &joint.inverse_bind, issues);
            self.placement(&path, &joint.placement, issues);
        }
        let forest = Forest::new(self.lists.joints.iter().map(|joint| joint.children.as_slice()));
        faults("joints", &forest, issues);
    }

    fn placement(&self, path: &str, placement: &Placement, issues: &mut Issues) {
        PLACEMENT.floats(placement, |field, values| finite(|| format!("{path}.{field}"), values, issues));
        // The library's nodes have a rotation of zeros unless somebody sets another.
        if placement.rotation == [0.0; 4] && self.model.profile == Profile::Spec {
            let message = "the quaternion is zero".to_owned();
            report(issues, &codes::ROTATION, &format!("{path}.rotation"), message);
        }
    }

    pub(super) fn scenes(&self, issues: &mut Issues) {
        let forest = Forest::new(self.lists.nodes.iter().map(|node| node.children.as_slice()));
        for (index, scene) in self.lists.scenes.iter().enumerate() {
            self.text(&format!("scenes[{index}].name"), &scene.name, issues);
            let mut seen = std::collections::BTreeSet::new();
            for (i, root) in scene.roots.iter().enumerate() {
                let path = || format!("scenes[{index}].roots[{i}]");
                self.reference(path, *root, Kind::Node, issues);
                if !seen.insert(root) {
                    report(issues, &codes::ROOT, &path(), format!("node {root} is listed twice"));
                } else if let Some(parent) = forest.parent(*root as usize) {
                    let message = format!("node {root} hangs below node {parent}");
                    report(issues, &codes::ROOT, &path(), message);
                }
            }
        }
    }

    pub(super) fn skeletons(&self, issues: &mut Issues) {
        for (index, skeleton) in self.lists.skeletons.iter().enumerate() {
            let path = format!("skeletons[{index}]");
            self.text(&format!("{path}.name"), &skeleton.name, issues);
            self.optional(|| format!("{path}.parent"), skeleton.parent, Kind::Joint, issues);
            for (i, joint) in skeleton.joints.iter().enumerate() {
                self.reference(|| format!("{path}.joints[{i}]"), *joint, Kind::Joint, issues);
            }
        }
    }

    pub(super) fn animations(&self, issues: &mut Issues) {
        let mut used = vec![false; self.lists.channels.len()];
        for (index, animation) in self.lists.animations.iter().enumerate() {
            if self.model.profile == Profile::Libdas2 {
                self.text(&format!("animations[{index}].name"), &animation.name, issues);
            }
            for (i, channel) in animation.channels.iter().enumerate() {
                self.reference(
                    || format!("animations[{index}].channels[{i}]"),
                    *channel,
                    Kind::Channel,
                    issues,
                );
                if let Some(used) = used.get_mut(*channel as usize) {
                    *used = true;
                }
            }
        }
        // Where an animation names channels that are not there, which are unused is anybody's guess.
        for index in (0..used.len()).filter(|index| used.get(*index) == Some(&false)) {
            report(
                issues,
                &codes::UNUSED_CHANNEL,
                &format!("channels[{index}]"),
                "no animation plays it".to_owned(),
            );
        }
    }

    pub(super) fn channels(&self, issues: &mut Issues) {
        for (index, channel) in self.lists.channels.iter().enumerate() {
            let path = format!("channels[{index}]");
            self.optional(|| format!("{path}.node"), channel.node, Kind::Node, issues);
            self.optional(|| format!("{path}.joint"), channel.joint, Kind::Joint, issues);
            if (channel.node == NONE) == (channel.joint == NONE) {
                let which =
                    if channel.node == NONE { "neither a node nor a joint" } else { "a node and a joint" };
                report(
                    issues,
                    &codes::CHANNEL_OWNER,
                    &format!("{path}.node"),
                    format!("it animates {which}"),
                );
            }
            if channel.target == Target::Unknown || channel.interpolation == Interpolation::Unknown {
                let field = if channel.target == Target::Unknown { "target" } else { "interpolation" };
                report(
                    issues,
                    &codes::CHANNEL_UNKNOWN,
                    &format!("{path}.{field}"),
                    format!("the {field} is unknown"),
                );
            }
            if let Some(at) = channel.times.windows(2).position(|pair| matches!(pair, [a, b] if a >= b)) {
                let message = format!("key {} is not later than the one before it", at + 1);
                report(issues, &codes::KEY_ORDER, &format!("{path}.times"), message);
            }
            for (field, values) in
                [("times", &channel.times), ("tangents", &channel.tangents), ("values", &channel.values)]
            {
                finite(|| format!("{path}.{field}"), values, issues);
            }
            self.weights(&path, channel, issues);
        }
    }

    /// Whether a channel of weights has one for each morph target of its node.
    fn weights(&self, path: &str, channel: &Channel, issues: &mut Issues) {
        if channel.target != Target::Weights {
            return;
        }
        let Some(node) = self.lists.nodes.get(channel.node as usize) else { return };
        let group = self.lists.mesh_groups.get(node.mesh_group as usize);
        let meshes = group.map(|group| group.meshes.as_slice()).unwrap_or_default();
        let targets = |mesh: &u32| {
            let level = self.lists.meshes.get(*mesh as usize).and_then(|mesh| mesh.levels.first());
            level.map_or(0, |level| level.morphs.len())
        };
        let most = meshes.iter().map(targets).max().unwrap_or(0);
        if most == 0 {
            let message = format!("node {} has no morph targets", channel.node);
            report(issues, &codes::WEIGHTS_OWNER, &format!("{path}.node"), message);
        } else if most != channel.weight_count as usize {
            let message = format!("{} weights for {most} morph targets", channel.weight_count);
            report(issues, &codes::WEIGHT_COUNT, &format!("{path}.weight_count"), message);
        }
    }

    pub(super) fn materials(&self, issues: &mut Issues) {
        for (index, material) in self.lists.phong_materials.iter().enumerate() {
            self.material(&format!("phong_materials[{index}]"), *material, issues);
        }
        for (index, material) in self.lists.pbr_materials.iter().enumerate() {
            self.material(&format!("pbr_materials[{index}]"), *material, issues);
        }
    }

    fn material(&self, path: &str, material: &dyn Fields, issues: &mut Issues) {
        material.texts(self.model.profile, &mut |field, text| {
            self.text(&format!("{path}.{field}"), text, issues);
        });
        material.floats(&mut |field, values| finite(|| format!("{path}.{field}"), values, issues));
    }
}

/// Reports floats of an attribute that are infinite or none.
fn floats(path: &str, bytes: &[u8], issues: &mut Issues) {
    let odd = bytes.as_chunks().0.iter().map(|float| f32::from_le_bytes(*float)).position(|x| !x.is_finite());
    if let Some(at) = odd {
        report(issues, &crate::diag::NOT_FINITE, path, format!("float {at} of the attribute is not finite"));
    }
}

fn matrix(path: &str, matrix: &[f32; 16], issues: &mut Issues) {
    finite(|| path.to_owned(), matrix, issues);
    let [.., a, b, c, d] = *matrix;
    if [a, b, c, d].iter().all(|x| x.is_finite()) && [a, b, c, d] != [0.0, 0.0, 0.0, 1.0] {
        let message = format!("the last row is {a}, {b}, {c}, {d}");
        report(issues, &codes::PERSPECTIVE, path, message);
    }
}

fn faults(list: &str, forest: &Forest, issues: &mut Issues) {
    for fault in &forest.faults {
        let (above, place, message) = match fault {
            Fault::SecondParent { above, place, child, parent } => {
                (above, place, format!("{child} hangs below {parent} already"))
            }
            Fault::Cycle { above, place, child } => {
                (above, place, format!("{child} is above this one, so it cannot be below it"))
            }
        };
        report(issues, &codes::FOREST, &format!("{list}[{above}].children[{place}]"), message);
    }
}
