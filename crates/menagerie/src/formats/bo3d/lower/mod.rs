//! Scene to BO3D.
//!
//! Nodes become entities, parents first. An entity holds one mesh with one material and at most 65,536 vertices: the
//! first part of a node's mesh goes to the node's own entity, further parts to entities below it. The entities'
//! transforms are the bind pose, so skinned vertices are stored where they are at rest.

mod animation;
mod geometry;
mod material;

pub(super) use animation::MAX_KEYS;

use std::collections::BTreeSet;

use glam::{Mat4, Vec3};

use super::added::Added;
use super::model::{Entity, Model, VFloat};
use super::notes::{NodeNote, Note, SceneNote, name_bytes};
use super::placement::Placement;
use super::{DEFAULT_FPS, FORMAT, TURN};
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Issue, Loss, LossKind, LossReport};
use crate::diff::length_tolerance;
use crate::formats::{Purpose, WriteOptions, kept_nodes, of_resampling, report_unheld};
use crate::ops::{unmirror, unshear};
use crate::scene::{
    CheckedScene, Extras, ImageId, Material, MaterialId, Mesh, MeshId, NodeId, Pose, Property, Scene, SkinId,
    Transform, check, transform_distance,
};

/// Takes what the keys of a Scene need that are made for frames.
pub(super) fn afford(scene: &Scene, options: &WriteOptions) -> Result<(), Issue> {
    of_resampling(animation::most_keys(scene, rate(scene, options.fps)), &options.limits)
}

/// Makes a file model of a Scene, and reports what that cost.
pub fn lower(scene: CheckedScene<'_>, options: &WriteOptions, losses: &mut LossReport) -> Model {
    report_unheld(&scene, &FORMAT, losses);
    report_names(&scene, losses);
    lowered(scene.scene(), options, losses)
}

fn lowered(scene: &Scene, options: &WriteOptions, losses: &mut LossReport) -> Model {
    // E14: the engine never switches the winding, so nothing may be mirrored.
    let unmirrored = if mends(scene, options) { without_mirrors(scene, losses) } else { None };
    let scene = unmirrored.as_ref().unwrap_or(scene);
    let unsheared = if mends(scene, options) { without_shear(scene, losses) } else { None };
    let scene = unsheared.as_ref().unwrap_or(scene);
    let mut lowering = Lowering::new(scene, options, losses);
    lowering.entities();
    lowering.meshes();
    lowering.animations();
    lowering.report_unbound();
    lowering.report_shear();
    lowering.finished()
}

/// Whether what the engine needs is written: where the file is made anew, where it was in the file that was read, or
/// where that is asked for.
fn mends(scene: &Scene, options: &WriteOptions) -> bool {
    let as_read = scene.extras.of(FORMAT.id).is_some();
    let had_it = SceneNote::of(&scene.extras).for_engine == Some(true);
    match options.purpose {
        Purpose::Both => !as_read || had_it,
        Purpose::Engine => true,
        Purpose::Document => false,
    }
}

/// The Scene with its mirrors put into meshes; `None` where nothing is mirrored.
fn without_mirrors(scene: &Scene, losses: &mut LossReport) -> Option<Scene> {
    let rest = Pose::rest(scene);
    let mirrored = |matrix: &Mat4| glam::Mat3::from_mat4(*matrix).determinant() < 0.0;
    if !rest.worlds.iter().any(mirrored) {
        return None;
    }
    let mut turned = scene.clone();
    let done = unmirror(&mut turned);
    let mut off = ErrorStats::default();
    for (before, after) in scene.nodes.values().zip(turned.nodes.values()) {
        let apart = transform_distance(&before.transform.matrix(), &after.transform.matrix());
        off.add(if apart > 1e-6 { f64::from(apart) } else { 0.0 });
    }
    let message =
        "mirrors were taken out of nodes and put into vertices, because the engine shows their inner side";
    losses.measured(Aspect::Transforms, "nodes", message, off, "scene units");
    if off.is_off() && !scene.animations.is_empty() {
        losses.approximated(Aspect::Animations, "animations", "mirrored nodes turn the other way round");
    }
    if done.added_meshes > 0 {
        let message = "meshes were added that are shown mirrored and plain";
        losses.push(Loss::new(Aspect::Topology, LossKind::Added, "meshes", message).count(done.added_meshes));
    }
    check(&turned).is_ok().then_some(turned)
}

/// Frames a second: what was asked for, what the source had, or what everybody assumes.
fn rate(scene: &Scene, asked: Option<f32>) -> f32 {
    let sound = |fps: &f32| fps.is_finite() && *fps > 0.0;
    let kept = scene.animations.iter().find_map(crate::formats::bo3d::frames_per_second);
    asked.filter(sound).or(kept.filter(sound)).unwrap_or(DEFAULT_FPS)
}

/// The Scene with the stretch of what would be sheared put into vertices; `None` where nothing is. The engine multiplies
/// scales without shear, and so does the document.
fn without_shear(scene: &Scene, losses: &mut LossReport) -> Option<Scene> {
    let mut straight = scene.clone();
    let count = unshear(&mut straight);
    if count == 0 || check(&straight).is_err() {
        return None;
    }
    let mut off = ErrorStats::default();
    for (before, after) in scene.nodes.values().zip(straight.nodes.values()) {
        off.add(f64::from(transform_distance(&before.transform.matrix(), &after.transform.matrix())));
    }
    let message = "BO3D has no shear: stretches went into the vertices of what is turned below them";
    losses.measured(Aspect::Transforms, "nodes", message, off, "scene units");
    if !scene.animations.is_empty() {
        let message = "what is sheared while it moves keeps its shape";
        losses.approximated(Aspect::Animations, "animations", message);
    }
    Some(straight)
}

struct Lowering<'a> {
    scene: &'a Scene,
    /// Whether what the engine needs is written.
    mends: bool,
    /// What is added for that.
    added: Added,
    rest: Pose,
    losses: &'a mut LossReport,
    rate: f32,
    vfloat: VFloat,
    model: Model,
    /// The kept nodes, parents first.
    nodes: Vec<NodeId>,
    /// For each node of the Scene, its entity.
    entity_of: Vec<Option<usize>>,
    /// For each entity, where it is at bind pose, in the Scene's axes.
    worlds: Vec<Placement>,
    /// How far apart positions may be that nobody tells apart.
    tolerance: f32,
    /// The last frame with a key.
    last_frame: i32,
}

impl<'a> Lowering<'a> {
    fn new(scene: &'a Scene, options: &WriteOptions, losses: &'a mut LossReport) -> Self {
        let kept = SceneNote::of(&scene.extras);
        let bits = options.settings.get("bo3d-float").and_then(|bits| bits.parse().ok());
        let vfloat = match bits.or(kept.vfloat_bits) {
            Some(16) => VFloat::Bits16,
            _ => VFloat::Bits32,
        };
        let version = kept.version.filter(|version| *version <= super::VERSION).unwrap_or(super::VERSION);
        let rest = Pose::rest(scene);
        Self {
            scene,
            tolerance: length_tolerance(scene, &rest),
            mends: mends(scene, options),
            added: Added::default(),
            rest,
            losses,
            rate: rate(scene, options.fps),
            vfloat,
            model: Model { version, vfloat, ..Model::default() },
            nodes: kept_nodes(scene),
            entity_of: vec![None; scene.nodes.len()],
            worlds: Vec::new(),
            last_frame: 0,
        }
    }

    /// An entity for each node, and a root above them when there are several.
    fn entities(&mut self) {
        let roots = self.scene.shown().map(|shown| shown.roots.clone()).unwrap_or_default();
        let channels = || self.scene.animations.iter().flat_map(|animation| &animation.channels);
        // E3: the engine does not animate the first entity.
        let keyed =
            self.mends && channels().any(|c| roots.contains(&c.node) && c.property != Property::Weights);
        let above = (roots.len() > 1 || keyed).then_some(0);
        if above.is_some() {
            let used = |name: &str| self.scene.nodes.values().any(|node| node.name == name);
            let name = ["root", "root#0"].into_iter().find(|name| !used(name)).unwrap_or("root##0");
            self.push(Entity { name: name.into(), ..Entity::default() }, None);
            self.added.root = self.mends;
            let message = match roots.len() {
                0 | 1 => "a root entity was added, because the engine does not animate the first",
                _ => "a root entity was put above the roots, for BO3D has only one",
            };
            self.losses.added(Aspect::Hierarchy, "scenes", message);
        }
        let parents = crate::scene::parents(self.scene);
        for id in self.nodes.clone() {
            let Some(node) = self.scene.nodes.get(id) else { continue };
            let parent = parents.get(id.index()).copied().flatten();
            let parent = parent.and_then(|parent| self.entity_of.get(parent.index()).copied().flatten());
            let parent = parent.or(above);
            let local = self.local(&node.transform, &node.extras, parent);
            let note = NodeNote::of(&node.extras);
            let entity = Entity {
                name: name_bytes(note.name_bytes, &node.name),
                anim_length: note.anim_length.unwrap_or(0),
                position: local.position.to_array(),
                scale: local.scale.to_array(),
                rotation: wxyz(local.rotation),
                ..Entity::default()
            };
            let index = self.push(entity, parent);
            if let Some(place) = self.entity_of.get_mut(id.index()) {
                *place = Some(index);
            }
        }
    }

    /// The model in its own axes. Up to here the headers of entities are in the Scene's; keys and vertices were turned as
    /// they were copied.
    fn finished(mut self) -> Model {
        for entity in &mut self.model.entities {
            entity.position = turned(entity.position);
            let [w, x, y, z] = entity.rotation;
            let [x, y, z] = turned([x, y, z]);
            entity.rotation = [w, x, y, z];
        }
        if self.mends {
            self.push_moving_scales();
        }
        self.write_length();
        if self.mends {
            self.push_scales();
            self.make_names();
        }
        let mut model = self.model;
        if let Some(first) = model.entities.first_mut() {
            first.surplus = self.added.to_bytes();
        }
        model
    }

    /// E6: the engine counts the scale of a parent twice for the places of its children, so one that moves goes into the
    /// keys of these, and into an entity that holds what the parent shows.
    fn push_moving_scales(&mut self) {
        let keys = |model: &Model| model.entities.iter().map(|entity| entity.keys.len()).sum::<usize>();
        let (entities, had) = (self.model.entities.len(), keys(&self.model));
        // What that needs was taken from the limits before anything was made, see `most_keys`.
        let before = self.model.push_moving_scales(usize::MAX).unwrap_or_default();
        if before.is_empty() {
            return;
        }
        let (added, keys) = (self.model.entities.len() - entities, keys(&self.model).saturating_sub(had));
        let message = format!(
            "scales that move were put into {keys} keys of children and into entities that hold the meshes, because the \
             engine counts them twice"
        );
        self.losses
            .push(Loss::new(Aspect::Transforms, LossKind::Added, "nodes", message).count(added.max(1)));
        self.added.moving = before;
    }

    /// E6: a scale that stays the same goes into vertices and children.
    fn push_scales(&mut self) {
        for i in 0..self.model.entities.len() {
            let Some(entity) = self.model.entities.get(i) else { continue };
            let scale = entity.scale;
            let still = entity.keys.iter().all(|key| key.scale() == scale);
            let sound = scale.iter().all(|s| s.is_normal() && (1e-6..1e6).contains(&s.abs()));
            let own = i32::try_from(i).ok();
            let away = |child: &Entity| {
                let moved = child.keys.iter().any(|key| key.position() != [0.0; 3]);
                Some(child.parent) == own && (moved || child.position != [0.0; 3])
            };
            if scale == [1.0; 3] || !still || !sound || !self.model.entities.iter().any(away) {
                continue;
            }
            self.model.scale_into(i, scale);
            if let Some(entity) = self.model.entities.get_mut(i) {
                entity.scale = [1.0; 3];
                entity.keys.iter_mut().for_each(|key| key.scale = [1.0.into(); 3]);
            }
            self.added.scales.insert(i, scale);
        }
        if !self.added.scales.is_empty() {
            let message =
                "scales of parents were put into vertices and children, because the engine counts them twice";
            let count = self.added.scales.len();
            self.losses.push(Loss::new(Aspect::Transforms, LossKind::Added, "nodes", message).count(count));
        }
    }

    /// E2: the engine finds what keys belong to by name, so animated entities have one, and no two the same.
    fn make_names(&mut self) {
        let mut used: BTreeSet<Vec<u8>> =
            self.model.entities.iter().map(|entity| entity.name.clone()).collect();
        let mut met: BTreeSet<Vec<u8>> = BTreeSet::new();
        for (i, entity) in self.model.entities.iter_mut().enumerate() {
            let nameless = entity.name.is_empty();
            let own = if nameless { entity.keys.is_empty() } else { met.insert(entity.name.clone()) };
            if own {
                continue;
            }
            let mut name = entity.name.clone();
            while name.is_empty() || used.contains(&name) {
                name.extend(format!("#{i}").into_bytes());
            }
            used.insert(name.clone());
            self.added.names.insert(i, entity.name_text());
            entity.name = name;
        }
        if !self.added.names.is_empty() {
            let message = "entities got names of their own, by which the engine finds them";
            let count = self.added.names.len();
            self.losses.push(Loss::new(Aspect::Names, LossKind::Added, "nodes", message).count(count));
        }
    }

    /// Adds an entity below another, and notes where it is.
    fn push(&mut self, mut entity: Entity, parent: Option<usize>) -> usize {
        let local = Placement::from_fields(entity.position, entity.scale, entity.rotation);
        let world =
            parent.and_then(|parent| self.worlds.get(parent)).map_or(local, |parent| parent.child(&local));
        entity.parent = parent.and_then(|parent| i32::try_from(parent).ok()).unwrap_or(-1);
        self.worlds.push(world);
        self.model.entities.push(entity);
        self.model.entities.len() - 1
    }

    /// The local place of a node. A matrix that was made of a place is turned back into it.
    fn local(&self, transform: &Transform, extras: &Extras, parent: Option<usize>) -> Placement {
        let (position, rotation, scale, _) = transform.to_trs();
        let plain = Placement { position, rotation, scale };
        let Transform::Matrix(matrix) = transform else { return plain };
        let parent_scale = parent.and_then(|p| self.worlds.get(p)).map_or(Vec3::ONE, |p| p.scale);
        let made_of = |local: &Placement| {
            local.matrix_below(parent_scale).is_some_and(|made| transform_distance(&made, matrix) < 1e-5)
        };
        let kept = NodeNote::of(extras).local.and_then(|local| local.place());
        kept.map(|local| local.turned()).filter(made_of).unwrap_or(plain)
    }

    /// Skins of which nothing is left.
    fn report_unbound(&mut self) {
        let kept = self.nodes.iter().filter_map(|id| self.scene.nodes.get(*id));
        let skins = kept.filter(|node| self.scene.is_bound(node)).count();
        if skins > 0 && self.model.meshes().all(|(_, mesh)| mesh.bones.is_empty()) {
            let message = "no vertex hangs on a joint that is an entity";
            self.losses.push(Loss::new(Aspect::Skins, LossKind::Dropped, "skins", message).count(skins));
        }
    }

    /// How far entities are from where the Scene has them, because BO3D multiplies scales without shear.
    fn report_shear(&mut self) {
        let mut stats = ErrorStats::default();
        let mut in_world = ErrorStats::default();
        let mut vertices = ErrorStats::default();
        for id in &self.nodes {
            let entity = self.entity_of.get(id.index()).copied().flatten();
            let found =
                entity.and_then(|index| Some((self.model.entities.get(index)?, self.worlds.get(index)?)));
            let Some(((entity, world), node)) = found.zip(self.scene.nodes.get(*id)) else { continue };
            let parent = usize::try_from(entity.parent).ok().and_then(|parent| self.worlds.get(parent));
            let local = Placement::from_fields(entity.position, entity.scale, entity.rotation);
            // Keys are no matrices, so reading leaves what is animated as it is.
            let parent = parent.filter(|_| entity.keys.is_empty());
            let below = parent.and_then(|parent| local.matrix_below(parent.scale)).unwrap_or(local.matrix());
            let meant = self.rest.worlds.get(id.index()).copied().unwrap_or_default();
            let off_world = off(&world.matrix(), &meant, self.tolerance);
            stats.add(off(&below, &node.transform.matrix(), self.tolerance));
            in_world.add(off_world);
            if let Some(mesh) =
                node.mesh.and_then(|mesh| self.scene.meshes.get(mesh)).filter(|_| off_world > 0.0)
            {
                let apart = world.matrix() - meant;
                for position in mesh.primitives.iter().flat_map(|primitive| self.rest.morphed(*id, primitive))
                {
                    vertices.add(f64::from((apart * position.extend(1.0)).truncate().length()));
                }
            }
        }
        if vertices.is_off() {
            let message = "vertices of sheared nodes are elsewhere in the world";
            let loss = Loss::new(Aspect::Positions, LossKind::Approximated, "nodes", message);
            // Seen only where nodes are not compared each in its own space.
            self.losses.push(Loss { unread: true, ..loss.measured(vertices, "scene units") });
        }
        let message = "stretched parents shear what is turned below them; BO3D has no shear";
        // In its parent a node may be where it was, with the parent itself elsewhere.
        for (stats, unread) in [(stats, false), (in_world, true)] {
            if stats.is_off() {
                let loss = Loss::new(Aspect::Transforms, LossKind::Approximated, "nodes", message);
                self.losses.push(Loss { unread, ..loss.measured(stats, "scene units") });
            }
        }
        if in_world.is_off() && !self.scene.animations.is_empty() {
            let message = "the animated nodes are off as well where parents are stretched";
            let loss = Loss::new(Aspect::Animations, LossKind::Approximated, "animations", message);
            // Nodes that are elsewhere at rest already are a matter of transforms, unless they move much more.
            self.losses.push(Loss { unread: true, ..loss });
        }
    }
}

/// A vector in the file's axes; none at all has no signs, whatever it came through.
fn turned(vector: [f32; 3]) -> [f32; 3] {
    if vector == [0.0; 3] { [0.0; 3] } else { TURN.vector(vector) }
}

/// How far apart two transforms are beyond the rounding of floats, where positions have a tolerance.
fn off(a: &Mat4, b: &Mat4, tolerance: f32) -> f64 {
    let size = b.to_cols_array().into_iter().fold(1.0f32, |m, x| m.max(x.abs()));
    let distance = transform_distance(a, b);
    if distance > (4e-6 * size).max(tolerance) { f64::from(distance) } else { 0.0 }
}

/// Names of things that BO3D has no names for.
fn report_names(scene: &Scene, losses: &mut LossReport) {
    let kept = kept_nodes(scene);
    let shown = kept.iter().filter_map(|id| scene.meshes.get(scene.nodes.get(*id)?.mesh?));
    let used: BTreeSet<_> = shown
        .flat_map(|mesh| &mesh.primitives)
        .filter(|p| !p.positions.is_empty())
        .filter_map(|p| p.material)
        .collect();
    let unused = scene.materials.ids().filter(|id| !used.contains(id)).count();
    if unused > 0 {
        let message = "materials that nothing uses have no place in BO3D";
        losses.push(Loss::new(Aspect::Materials, LossKind::Dropped, "materials", message).count(unused));
    }
    let count = lost_names(scene, &kept).count();
    if count > 0 {
        let message = "only entities have names in BO3D";
        losses.push(Loss::new(Aspect::Names, LossKind::Dropped, "names", message).count(count));
    }
}

/// The names of what is shown that no entity has.
fn lost_names<'a>(scene: &'a Scene, kept: &'a [NodeId]) -> impl Iterator<Item = &'a String> {
    let draws = |mesh: &&Mesh| mesh.primitives.iter().any(|p| !p.triangles().is_empty());
    let nodes = || kept.iter().filter_map(|id| scene.nodes.get(*id));
    let drawing =
        move || nodes().filter_map(move |node| Some((node, scene.meshes.get(node.mesh?).filter(draws)?)));
    let primitives = drawing().flat_map(|(_, mesh)| &mesh.primitives).filter(|p| !p.triangles().is_empty());
    let materials: BTreeSet<MaterialId> = primitives.filter_map(|p| p.material).collect();
    let materials: Vec<&Material> = materials.into_iter().filter_map(|id| scene.materials.get(id)).collect();
    let textures = materials.iter().filter_map(|m| scene.textures.get(m.base_color_texture()?.texture));
    let images: BTreeSet<ImageId> = textures.filter_map(|texture| texture.image).collect();
    let images = images.into_iter().filter_map(|id| scene.images.get(id));
    let skins: BTreeSet<SkinId> =
        drawing().filter(|(node, _)| scene.is_bound(node)).filter_map(|(node, _)| node.skin).collect();
    let meshes: BTreeSet<MeshId> = drawing().filter_map(|(node, _)| node.mesh).collect();
    let names = scene.shown().into_iter().map(|x| &x.name);
    let names = names.chain(meshes.into_iter().filter_map(|id| scene.meshes.get(id)).map(|x| &x.name));
    let names = names.chain(materials.into_iter().map(|x| &x.name)).chain(images.map(|x| &x.name));
    let names = names.chain(skins.into_iter().filter_map(|id| scene.skins.get(id)).map(|x| &x.name));
    let names = names.chain(scene.animations.iter().filter(|x| moves(x)).map(|x| &x.name));
    names.filter(|name| !name.is_empty())
}

/// Whether an animation moves nodes.
fn moves(animation: &crate::scene::Animation) -> bool {
    animation.channels.iter().any(|channel| channel.property != Property::Weights)
}

/// A quaternion in the order of the file.
pub(super) fn wxyz(rotation: glam::Quat) -> [f32; 4] {
    [rotation.w, rotation.x, rotation.y, rotation.z]
}
