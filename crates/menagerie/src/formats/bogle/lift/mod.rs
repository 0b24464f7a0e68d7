//! BOGLE to Scene.
//!
//! Cameras, lights and materials become those of the Scene, with the same indices. A geometry becomes a mesh; one that
//! is shown with several materials becomes one mesh for each, because there the mesh holds the material. An instance
//! becomes a node wherever the scene tree has it. An animation collection becomes an armature node with one node for
//! each bone below every instance that uses it.

mod geometry;
mod look;
mod moving;
mod skeleton;

use std::collections::BTreeMap;

use glam::Mat4;

use super::frame::Frame;
use super::joints::{self, Joints};
use super::model::{Instance, Model, is_affine, named};
use super::notes::{NodeNote, Note as _, SceneNote, floats, read_name};
use super::tree::Tree;
use super::{added, salvage};
use crate::bytes::Limits;
use crate::diag::Issues;
use crate::formats::{Lifted, ReadOptions, Recorder};
use crate::scene::{Id, MeshId, Node, NodeId, Scene, SceneRoot, TextureId, Transform};
use geometry::Variant;
pub(super) use geometry::{BINORMAL, WEIGHT_SUM};
pub(super) use look::{Surface, vertical_fov};
pub(super) use skeleton::{REPEATED_AFTER, Skeleton, rising};

/// The Scene that a model means.
pub fn lift(model: &Model, options: &ReadOptions<'_>) -> Lifted {
    lifted(model, options, true).scene
}

/// The Scene that a model means with all of its skeletons, those too that only say how a node moves.
pub(super) fn lift_with_skeletons(model: &Model, options: &ReadOptions<'_>) -> Skeletons {
    lifted(model, options, false)
}

/// A Scene, and what of it skeletons became.
pub(super) struct Skeletons {
    pub(super) scene: Lifted,
    /// The copies of collections.
    pub(super) skeletons: Vec<Skeleton>,
    /// For each animation of the Scene those of collections that it is: the collection and its animation.
    pub(super) clips: Vec<Vec<(usize, usize)>>,
}

fn lifted(stored: &Model, options: &ReadOptions<'_>, folds: bool) -> Skeletons {
    let mut issues = Issues::new(options.limits.issues_per_code);
    let model = &*salvage::shown(stored, &mut issues);
    let mut lifter = Lifter {
        model,
        scene: Scene::default(),
        issues,
        textures: BTreeMap::new(),
        meshes: BTreeMap::new(),
        highest_bones: highest_bones(model),
        joints: joints::of_collections(model),
        has_children: false,
        added_camera: model.parsed_tree().ok().and_then(|tree| added::camera(model, &tree)),
        folds,
        moving: Vec::new(),
        clips: Vec::new(),
        skeletons: Vec::new(),
        copies: vec![Vec::new(); model.collections.len()],
        limits: options.limits.clone(),
        origins: Recorder::new(options.provenance),
        shape_only: options.shape_only,
    };
    lifter.looks();
    lifter.geometries();
    lifter.instances();
    lifter.unused_collections();
    lifter.animations();
    if lifter.moving_nodes().is_err() {
        return lifted(stored, options, false);
    }
    let provenance = lifter.origins.finish(&lifter.scene);
    let Lifter { scene, issues, skeletons, clips, .. } = lifter;
    Skeletons { scene: Lifted { scene, issues, provenance }, skeletons, clips }
}

struct Lifter<'a> {
    model: &'a Model,
    scene: Scene,
    issues: Issues,
    textures: BTreeMap<Vec<u8>, TextureId>,
    /// The meshes that the geometries became.
    meshes: BTreeMap<Variant, MeshId>,
    /// For each geometry the highest bone that a vertex hangs on.
    highest_bones: Vec<Option<u32>>,
    /// For each collection which bones its joints are.
    joints: Vec<Joints>,
    /// Whether something hangs on the instance that is looked at.
    has_children: bool,
    /// The instance that was added for the engine to have a camera.
    added_camera: Option<usize>,
    /// Whether skeletons that only say how a node moves are left out.
    folds: bool,
    /// The nodes whose skeletons were.
    moving: Vec<moving::Moving>,
    /// For each animation of the Scene those of collections that it is.
    clips: Vec<Vec<(usize, usize)>>,
    /// The copies of collections, each with its bones.
    skeletons: Vec<Skeleton>,
    /// For each collection its copies.
    copies: Vec<Vec<usize>>,
    /// Bytes that copies may still take.
    limits: Limits,
    /// Where things come from, if that was asked for.
    origins: Recorder,
    shape_only: bool,
}

impl Lifter<'_> {
    /// A node for each place of the tree; instances without a place become nodes outside the scene.
    fn instances(&mut self) {
        let tree = self.model.parsed_tree().unwrap_or_default();
        let mut nodes: Vec<Option<(NodeId, Frame)>> = Vec::with_capacity(tree.places.len());
        let mut roots = Vec::new();
        let parents: std::collections::BTreeSet<usize> =
            tree.places.iter().filter_map(|place| place.parent).collect();
        for (number, place) in tree.places.iter().enumerate() {
            self.has_children = parents.contains(&number);
            let parent = place.parent.and_then(|parent| nodes.get(parent).copied().flatten());
            let node = self.instance(place.instance, parent.map_or(Frame::Turned, |(_, frame)| frame));
            if let Some((id, _)) = node {
                match parent.and_then(|(parent, _)| self.scene.nodes.get_mut(parent)) {
                    Some(parent) => parent.children.push(id),
                    None => roots.push(id),
                }
            }
            nodes.push(node);
        }
        for (index, placed) in tree.placed(self.model.instances.len()).into_iter().enumerate() {
            if !placed {
                self.instance(index, Frame::Turned);
            }
        }
        self.scene.scenes.push(SceneRoot { roots, ..SceneRoot::default() });
        self.scene.default_scene = Some(0);
        self.keep_tree(&tree);
    }

    /// The tree's text, where the exporter would have written it in another way.
    fn keep_tree(&mut self, tree: &Tree) {
        if Tree::to_text(&tree.places) != self.model.tree
            && let Ok(text) = std::str::from_utf8(&self.model.tree)
        {
            let mut note = SceneNote::of(&self.scene.extras);
            note.tree = Some(text.to_owned());
            note.keep(&mut self.scene.extras);
        }
    }

    fn instance(&mut self, index: usize, parent: Frame) -> Option<(NodeId, Frame)> {
        if self.added_camera == Some(index) {
            return None;
        }
        let instance = self.model.instances.get(index)?;
        let has_camera = named(&self.model.cameras, instance.camera).is_some();
        let has_light = named(&self.model.lights, instance.light).is_some();
        let has_geometry = named(&self.model.geometries, instance.geometry).is_some();
        let looks = has_camera || has_light;
        let frame = if looks && !has_geometry { Frame::Look } else { Frame::Turned };
        let camera = has_camera.then(|| Id::new(instance.camera as usize - 1));
        let light = has_light.then(|| Id::new(instance.light as usize - 1));
        let (name, name_bytes) = read_name(&instance.name);
        let mut note = NodeNote { name_bytes, instance: Some(index), ..NodeNote::default() };
        let mut node = Node {
            name,
            transform: placed(frame.to_scene(parent, affine(&instance.matrix))),
            ..Node::default()
        };
        if frame == Frame::Look {
            (node.camera, node.light) = (camera, light);
            self.ignore_scale(&mut node, &mut note, instance, parent);
        } else if looks {
            // Geometry is turned, cameras and lights are not: they get a node of their own.
            let mut part = Node { name: node.name.clone(), camera, light, ..Node::default() };
            part.transform = Transform::Matrix(Frame::Look.to_scene(Frame::Turned, Mat4::IDENTITY));
            NodeNote { part: true, ..NodeNote::default() }.keep(&mut part.extras);
            let part = self.scene.nodes.push(part);
            self.origins.node(part.index(), || format!("instances[{index}]"));
            node.children.push(part);
        }
        note.keep(&mut node.extras);
        let id = self.scene.nodes.push(node);
        self.origins.node(id.index(), || format!("instances[{index}]"));
        self.skinned(id, frame, instance);
        Some((id, frame))
    }

    /// The scale of cameras and lights is ignored, says the document. What hangs on them is scaled all the same.
    fn ignore_scale(&self, node: &mut Node, note: &mut NodeNote, instance: &Instance, parent: Frame) {
        let matrix = affine(&instance.matrix);
        let unscaled = without_scale(matrix);
        if !self.has_children && unscaled != matrix {
            node.transform = placed(Frame::Look.to_scene(parent, unscaled));
            note.matrix = Some(floats(&instance.matrix));
        }
    }

    /// The geometry of an instance, and the skeleton that moves it.
    fn skinned(&mut self, id: NodeId, frame: Frame, instance: &Instance) {
        let variant = self.variant_of(instance);
        let mesh = variant.and_then(|variant| self.meshes.get(&variant).copied());
        let (mesh, fits) = match (mesh, variant) {
            (Some(mesh), _) => (Some(mesh), true),
            (None, Some(variant)) => self.substitute(variant),
            (None, None) => (None, false),
        };
        if self.moves_alone(id, frame, instance) {
            if let Some(node) = self.scene.nodes.get_mut(id) {
                node.mesh = mesh;
            }
            return;
        }
        let skeleton = self.skeleton_of(id, frame, instance);
        let has_joints = mesh
            .and_then(|mesh| self.scene.meshes.get(mesh))
            .is_some_and(|mesh| mesh.primitives.iter().any(|primitive| !primitive.joints.is_empty()));
        let skin = skeleton
            .filter(|_| has_joints && fits)
            .and_then(|skeleton| self.skin(id, skeleton, variant.and_then(|variant| variant.bones)));
        if let Some(node) = self.scene.nodes.get_mut(id) {
            (node.mesh, node.skin) = (mesh, skin);
        }
    }
}

fn highest_bones(model: &Model) -> Vec<Option<u32>> {
    model.geometries.iter().map(|geometry| Some(geometry.highest_bone()?.0)).collect()
}

/// A matrix of the file, with zero for what is not finite and the last row that belongs there.
fn affine(values: &[f32; 16]) -> Mat4 {
    if is_affine(values) {
        return Mat4::from_cols_array(values);
    }
    let mut matrix = Mat4::from_cols_array(&values.map(finite));
    matrix.x_axis.w = 0.0;
    matrix.y_axis.w = 0.0;
    matrix.z_axis.w = 0.0;
    matrix.w_axis.w = 1.0;
    matrix
}

/// A matrix whose axes have unit length, where they are off by more than rounding.
pub(super) fn without_scale(matrix: Mat4) -> Mat4 {
    let unit = |axis: glam::Vec4| {
        let length = axis.truncate().length();
        let scaled = length.is_finite() && length > 1e-12 && (length - 1.0).abs() > 1e-4;
        if scaled { (axis.truncate() / length).extend(0.0) } else { axis }
    };
    Mat4::from_cols(unit(matrix.x_axis), unit(matrix.y_axis), unit(matrix.z_axis), matrix.w_axis)
}

/// The transform of a matrix. That of an object that was never moved is worth to be known as such.
fn placed(matrix: Mat4) -> Transform {
    if matrix == Mat4::IDENTITY { Transform::IDENTITY } else { Transform::Matrix(matrix) }
}

/// Zero for what is infinite or not a number.
fn finite(value: f32) -> f32 {
    if value.is_finite() { value } else { 0.0 }
}
