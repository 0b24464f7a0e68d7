//! What becomes of each node: an instance, a bone, a camera, or nothing.

use std::collections::BTreeSet;

use glam::Mat4;

use super::{Draft, Lowering, Spot};
use crate::diag::{Aspect, Loss, LossKind};
use crate::formats::bogle::MAX_DEPTH;
use crate::formats::bogle::frame::Frame;
use crate::formats::bogle::lift::without_scale;
use crate::formats::bogle::model::Instance;
use crate::formats::bogle::notes::{MeshNote, NodeNote, Note as _, numbers, write_name};
use crate::formats::bogle::tree::Place;
use crate::scene::{Mesh, Node, NodeId, Scene, Topology};

/// What becomes of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// An instance in the tree.
    Instance,
    /// The camera or the light of the instance above it.
    Part,
    /// A bone, what holds bones, or something empty below one.
    Skeleton,
    /// Nothing: it is not in the shown scene.
    Outside,
    /// An instance that the file's tree did not have.
    Unplaced,
    /// A skeleton that the file's instances did not use.
    UnusedSkeleton,
}

/// What becomes of each node.
pub(super) fn roles(scene: &Scene, shown: &[NodeId], parents: &[Option<NodeId>]) -> Vec<Role> {
    let mut roles = vec![Role::Outside; scene.nodes.len()];
    let bones = boneish(scene, shown);
    let full = with_content(scene, shown, parents);
    let get = |list: &[bool], id: NodeId| list.get(id.index()).copied().unwrap_or(false);
    for id in shown {
        let role = match get(&bones, *id) && !get(&full, *id) {
            true => Role::Skeleton,
            false if is_part(scene, *id, parents) => Role::Part,
            false => Role::Instance,
        };
        if let Some(slot) = roles.get_mut(id.index()) {
            *slot = role;
        }
    }
    for (id, node) in scene.nodes.iter() {
        let hangs = parents.get(id.index()).copied().flatten().is_some();
        if roles.get(id.index()) != Some(&Role::Outside) || hangs {
            continue;
        }
        let note = NodeNote::of(&node.extras);
        let (role, below) = match () {
            () if note.instance.is_some() => (Role::Unplaced, Role::Skeleton),
            () if note.collection.is_some() => (Role::UnusedSkeleton, Role::Skeleton),
            () => continue,
        };
        for inner in scene.walk(&[id]) {
            let role = match inner == id {
                true => role,
                false if is_part(scene, inner, parents) => Role::Part,
                false => below,
            };
            if let Some(slot) = roles.get_mut(inner.index()) {
                *slot = role;
            }
        }
    }
    roles
}

/// Joints of skins that are in use, what a BOGLE file's skeletons became, and everything below these.
fn boneish(scene: &Scene, shown: &[NodeId]) -> Vec<bool> {
    let mut bones = vec![false; scene.nodes.len()];
    let mut mark = |id: NodeId| {
        if let Some(bone) = bones.get_mut(id.index()) {
            *bone = true;
        }
    };
    for id in shown {
        let Some(node) = scene.nodes.get(*id) else { continue };
        if let Some(skin) = skin_in_use(scene, node) {
            skin.joints.iter().for_each(|joint| mark(*joint));
        }
        let note = NodeNote::of(&node.extras);
        if note.collection.is_some() || note.bone.is_some() || note.missing_bone {
            mark(*id);
        }
    }
    // Parents come first, so one pass reaches everything below.
    for id in shown {
        if bones.get(id.index()) == Some(&true) {
            for child in scene.nodes.get(*id).into_iter().flat_map(|node| &node.children) {
                if let Some(bone) = bones.get_mut(child.index()) {
                    *bone = true;
                }
            }
        }
    }
    bones
}

/// The skin of a node whose mesh hangs on it.
pub(super) fn skin_in_use<'a>(scene: &'a Scene, node: &Node) -> Option<&'a crate::scene::Skin> {
    let mesh = scene.meshes.get(node.mesh?)?;
    let hangs = |p: &crate::scene::Primitive| p.topology == Topology::Triangles && !p.joints.is_empty();
    let skinned = mesh.primitives.iter().any(hangs);
    scene.skins.get(node.skin?).filter(|_| skinned)
}

/// Nodes that show something, and all above them.
fn with_content(scene: &Scene, shown: &[NodeId], parents: &[Option<NodeId>]) -> Vec<bool> {
    let mut full = vec![false; scene.nodes.len()];
    for id in shown.iter().rev() {
        let Some(node) = scene.nodes.get(*id) else { continue };
        let own = node.mesh.is_some() || node.camera.is_some() || node.light.is_some();
        if own && let Some(slot) = full.get_mut(id.index()) {
            *slot = true;
        }
        let parent = parents.get(id.index()).copied().flatten();
        if full.get(id.index()) == Some(&true)
            && let Some(slot) = parent.and_then(|parent| full.get_mut(parent.index()))
        {
            *slot = true;
        }
    }
    full
}

/// Whether a node is the camera or light of the instance above it, as `lift` puts them apart.
fn is_part(scene: &Scene, id: NodeId, parents: &[Option<NodeId>]) -> bool {
    let Some(node) = scene.nodes.get(id) else { return false };
    let parent = parents.get(id.index()).copied().flatten().and_then(|parent| scene.nodes.get(parent));
    let place = Frame::Look.to_scene(Frame::Turned, Mat4::IDENTITY);
    NodeNote::of(&node.extras).part
        && node.children.is_empty()
        && node.mesh.is_none()
        && node.transform.matrix().abs_diff_eq(place, 1e-6)
        && parent
            .is_some_and(|parent| parent.mesh.is_some() && parent.camera.is_none() && parent.light.is_none())
}

impl Lowering<'_> {
    /// An instance for each node that is one.
    pub(super) fn instances(&mut self) {
        let mut too_deep = 0;
        for id in self.nodes.clone() {
            if self.role(id) == Role::Instance {
                too_deep += usize::from(self.instance(id));
            }
        }
        // After everything else, so that they come last among their siblings.
        for (id, draft, place, frame) in std::mem::take(&mut self.split) {
            self.further_instances(id, draft, place, frame);
        }
        if too_deep > 0 {
            let message =
                format!("BOGLE's tree has {MAX_DEPTH} levels; deeper nodes hang on the last of them");
            let loss = Loss::new(Aspect::Hierarchy, LossKind::Approximated, "nodes", message);
            self.losses.push(loss.count(too_deep));
        }
        let bones: usize = self.rigs.iter().filter(|rig| !rig.from_file).map(|rig| rig.bones.len()).sum();
        if bones > 0 {
            let message =
                "joints became bones of animation collections and are no nodes of the tree any more";
            for aspect in [Aspect::Hierarchy, Aspect::Transforms] {
                self.losses.push(Loss::new(aspect, LossKind::Approximated, "nodes", message).count(bones));
            }
        }
    }

    /// What a BOGLE file had and its tree did not use.
    pub(super) fn unused(&mut self) {
        let mut unplaced = 0;
        for id in self.scene.nodes.ids() {
            match self.role(id) {
                // An instance that is not in the tree is against the rules, and nobody sees it.
                Role::Unplaced => unplaced += 1,
                Role::UnusedSkeleton => self.unused_skeleton(id),
                _ => {}
            }
        }
        if unplaced > 0 {
            let message = "objects that the tree does not have were left out: nobody sees them";
            let loss = Loss::new(Aspect::Hierarchy, LossKind::Dropped, "nodes", message);
            self.losses.push(loss.count(unplaced));
        }
        let kept = self.scene.nodes.iter().filter(|(id, _)| self.role(*id) != Role::Outside);
        let shown: BTreeSet<_> = kept.filter_map(|(_, node)| node.mesh).collect();
        let unused = self.scene.meshes.iter().filter(|(id, mesh)| is_from_file(mesh) && !shown.contains(id));
        for (id, mesh) in unused {
            for part in 0..mesh.primitives.len() {
                self.plain_geometry(id, part, None, &mesh.weights);
            }
        }
    }

    /// Puts a node into the tree. Says whether it was too deep for its place.
    fn instance(&mut self, id: NodeId) -> bool {
        let parent = self.parents.get(id.index()).copied().flatten();
        let parent = parent.and_then(|parent| self.spots.get(parent.index()).copied().flatten());
        let parent_frame = parent.map_or(Frame::Turned, |spot| spot.frame);
        let (draft, frame) = self.draft(id, parent_frame);
        let mut matrix =
            self.drafts.get(draft).map_or(Mat4::IDENTITY, |d| Mat4::from_cols_array(&d.instance.matrix));
        let above = parent.and_then(|spot| Some((spot, self.places.get(spot.place)?)));
        let (hangs_on, depth, too_deep) = match above {
            None => (None, 0, false),
            Some((spot, place)) if place.depth + 1 < MAX_DEPTH => (Some(spot.place), place.depth + 1, false),
            Some((spot, place)) => {
                matrix = spot.matrix * matrix;
                (place.parent, place.depth, true)
            }
        };
        if let Some(draft) = self.drafts.get_mut(draft) {
            draft.instance.matrix = matrix.to_cols_array();
        }
        let place = self.place(draft, hangs_on, depth);
        if let Some(spot) = self.spots.get_mut(id.index()) {
            *spot = Some(Spot { place, frame, matrix });
        }
        self.split.push((id, draft, place, frame));
        too_deep
    }

    fn place(&mut self, instance: usize, parent: Option<usize>, depth: usize) -> usize {
        self.places.push(Place { instance, parent, depth });
        self.places.len() - 1
    }

    /// The instance of a node, with the first part of its mesh.
    fn draft(&mut self, id: NodeId, parent: Frame) -> (usize, Frame) {
        let Some(node) = self.scene.nodes.get(id) else { return (0, Frame::Turned) };
        let looks = node.camera.is_some() || node.light.is_some();
        let frame = if looks && node.mesh.is_none() { Frame::Look } else { Frame::Turned };
        let note = NodeNote::of(&node.extras);
        let mut instance = Instance {
            name: write_name(&node.name, note.name_bytes),
            matrix: frame.to_file(parent, node.transform.matrix()).to_cols_array(),
            ..Instance::default()
        };
        // The scale that a file had and the document ignores.
        if let Some(kept) = note.matrix.map(numbers)
            && frame == Frame::Look
            && without_scale(Mat4::from_cols_array(&kept))
                .abs_diff_eq(Mat4::from_cols_array(&instance.matrix), 1e-6)
        {
            instance.matrix = kept;
        }
        let below = node.children.iter().any(|child| self.role(*child) == Role::Instance);
        let scaled = Mat4::from_cols_array(&instance.matrix);
        if frame == Frame::Look && note.instance.is_none() && !below && without_scale(scaled) != scaled {
            let message = "the scale of cameras and lights is ignored in BOGLE";
            self.losses.approximated(Aspect::Transforms, format!("nodes[{}]", id.index()), message);
        }
        let part = node.children.iter().copied().find(|child| self.role(*child) == Role::Part);
        let eyes =
            if frame == Frame::Look { Some(node) } else { part.and_then(|part| self.scene.nodes.get(part)) };
        instance.camera = eyes.and_then(|node| node.camera).map_or(0, |camera| self.camera(camera));
        instance.light = eyes.and_then(|node| node.light).map_or(0, |light| self.light(light));
        let rig = self.rig_of(id);
        let parts = self.parts(id);
        let geometry = parts.first().and_then(|part| self.geometry(id, *part, rig));
        if let Some(part) = parts.first().filter(|_| geometry.is_some()) {
            instance.material = self.material_of(node, *part);
        }
        let wanted = note.instance;
        self.drafts.push(Draft { instance, wanted, rig, geometry });
        (self.drafts.len() - 1, frame)
    }

    /// The parts of a node's mesh that are triangles.
    fn parts(&self, id: NodeId) -> Vec<usize> {
        let mesh = self.scene.nodes.get(id).and_then(|node| self.scene.meshes.get(node.mesh?));
        let parts = mesh.into_iter().flat_map(|mesh| mesh.primitives.iter().enumerate());
        parts.filter(|(_, p)| p.topology == Topology::Triangles).map(|(part, _)| part).collect()
    }

    /// Instances below that of a node: for further parts of its mesh, and for a camera or light beside a mesh.
    fn further_instances(&mut self, id: NodeId, draft: usize, place: usize, frame: Frame) {
        let Some(node) = self.scene.nodes.get(id) else { return };
        let depth = self.places.get(place).map_or(0, |place| place.depth + 1);
        // At the deepest level they stand beside the node instead.
        let (parent, depth, matrix) = match depth < MAX_DEPTH {
            true => (Some(place), depth, Mat4::IDENTITY),
            false => {
                let own = self
                    .drafts
                    .get(draft)
                    .map_or(Mat4::IDENTITY, |d| Mat4::from_cols_array(&d.instance.matrix));
                (self.places.get(place).and_then(|place| place.parent), depth - 1, own)
            }
        };
        let rig = self.drafts.get(draft).and_then(|draft| draft.rig);
        let parts = self.parts(id);
        let name_of = |what: &str| {
            let mut name = write_name(&node.name, NodeNote::of(&node.extras).name_bytes);
            name.extend_from_slice(what.as_bytes());
            name
        };
        for (i, part) in parts.iter().enumerate().skip(1) {
            let geometry = self.geometry(id, *part, rig);
            let material = self.material_of(node, *part);
            let name = name_of(&format!(" part {}", i + 1));
            let instance = Instance { name, material, matrix: matrix.to_cols_array(), ..Instance::default() };
            self.drafts.push(Draft { instance, wanted: None, rig, geometry });
            self.place(self.drafts.len() - 1, parent, depth);
        }
        if parts.len() > 1 {
            let message = "an instance holds one geometry; further parts of the mesh went to instances below";
            let loss =
                Loss::new(Aspect::Hierarchy, LossKind::Added, format!("nodes[{}]", id.index()), message);
            self.losses.push(loss.count(parts.len() - 1));
        }
        if frame == Frame::Turned && (node.camera.is_some() || node.light.is_some()) {
            let matrix = matrix * Frame::Look.to_file(Frame::Turned, Mat4::IDENTITY);
            let instance = Instance {
                name: name_of(if node.camera.is_some() { " camera" } else { " light" }),
                camera: node.camera.map_or(0, |camera| self.camera(camera)),
                light: node.light.map_or(0, |light| self.light(light)),
                matrix: matrix.to_cols_array(),
                ..Instance::default()
            };
            self.drafts.push(Draft { instance, wanted: None, rig: None, geometry: None });
            self.place(self.drafts.len() - 1, parent, depth);
            let message = "the camera or light of a node with a mesh went to an instance below";
            let path = format!("nodes[{}]", id.index());
            self.losses.added(Aspect::Hierarchy, path.clone(), message);
            if node.camera.is_some() {
                self.losses.added(Aspect::Cameras, path.clone(), message);
            }
            if node.light.is_some() {
                self.losses.added(Aspect::Lights, path, message);
            }
        }
    }
}

/// Whether a mesh was a geometry of a BOGLE file.
fn is_from_file(mesh: &Mesh) -> bool {
    MeshNote::of(&mesh.extras).geometry.is_some()
}
