//! File model to Scene: entities to nodes, ranges of vertices to skins, frames to seconds.

use std::collections::BTreeMap;

use glam::{Mat4, Quat, Vec3};

use super::added::Added;
use super::engine::Shown;
use super::model::{Entity, Fx, Key, MeshData, Model};
use super::notes::{
    AnimationNote, ChannelNote, ImageNote, LocalNote, MaterialNote, NodeNote, Note, SceneNote,
};
use super::placement::{Placement, nlerp, nlerp_error};
use super::{DEFAULT_FPS, TURN, codes};
use crate::bytes::decode_text;
use crate::diag::{Issue, Issues};
use crate::formats::{Elements, Lifted, PrimitiveOrigin, ReadOptions, Recorder};
use crate::ops::set_raw_normals;
use crate::scene::{
    AlphaMode, Animation, Blend, Channel, Extras, Id, Image, Interpolation, Material, MaterialId, Mesh,
    MetallicRoughness, Node, NodeId, Pose, Primitive, Property, Scene, SceneRoot, Shading, Skin, SkinId,
    Texture, TextureId, TextureRef, Transform, float_from_json, float_to_json, srgb_byte_to_linear,
    transform_distance,
};

/// The custom attribute with the length of a stored normal, where it is not one.
pub(super) const NORMAL_LENGTH: &str = "_BO3D_NORMAL_LENGTH";

/// How far in radians a rotation may be from where the engine has it.
const MAX_ARC_ERROR: f32 = 1e-4;

/// The Scene that a model means, without what was added to it for the engine.
pub fn lift(model: &Model, options: &ReadOptions<'_>) -> Lifted {
    lift_without(model, options, Model::added)
}

/// The same with the entities that hold what others show, for those are the engine's.
pub(super) fn lift_with_holders(model: &Model, options: &ReadOptions<'_>) -> Lifted {
    let without_moving = |added: Added| Added { moving: BTreeMap::new(), ..added };
    lift_without(model, options, |model| model.added().map(without_moving))
}

fn lift_without(model: &Model, options: &ReadOptions<'_>, added: impl Fn(&Model) -> Option<Added>) -> Lifted {
    let whole = model.with_salvaged();
    let model = whole.as_ref().unwrap_or(model);
    let added = added(model);
    // Without the root that was added, each entity without parent is one.
    let several_roots = added.as_ref().is_some_and(|added| added.root);
    let folded = added.map(|added| model.folded(added));
    let own = folded.as_ref().unwrap_or(model);
    let mut lifter = Lifter::new(own, Vec::new(), options);
    lifter.several_roots = several_roots;
    lifter.skipped = usize::from(several_roots);
    lifter.worlds = lifter.bind_worlds();
    lifter.nodes();
    lifter.meshes();
    lifter.animation(options.fps);
    let note = SceneNote {
        vfloat_bits: Some(model.vfloat.bits()),
        version: (model.version != super::VERSION).then_some(model.version),
        for_engine: folded.is_some().then_some(true),
    };
    note.keep(&mut lifter.scene.extras);
    let provenance = lifter.origins.finish(&lifter.scene);
    Lifted { scene: lifter.scene, issues: lifter.issues, provenance }
}

/// The Scene that the engine shows: nodes beside each other, where it has them.
pub(super) fn lift_shown(model: &Model, options: &ReadOptions<'_>, shown: &Shown) -> Lifted {
    let mut lifter = Lifter::new(model, shown.bind.clone(), options);
    lifter.flat_nodes();
    lifter.meshes();
    let rate = options.fps.filter(|fps| fps.is_finite() && *fps > 0.0).unwrap_or(DEFAULT_FPS);
    // Frames may be nearer to each other than floats can say.
    let mut frames: Vec<(f32, &[Placement])> =
        shown.frames.iter().map(|(frame, places)| (frame / rate, places.as_slice())).collect();
    frames.dedup_by(|next, before| next.0 <= before.0);
    let times: Vec<f32> = frames.iter().map(|(time, _)| *time).collect();
    let mut animation = Animation::default();
    for index in 0..model.entities.len() {
        for (property, pick) in PARTS {
            let places = frames.iter().filter_map(|(_, places)| places.get(index));
            let values = places.flat_map(pick).collect();
            let (node, interpolation) = (Id::new(index), Interpolation::Linear);
            let extras = Extras::default();
            animation.channels.push(Channel {
                node,
                property,
                interpolation,
                times: times.clone(),
                values,
                extras,
            });
        }
    }
    if !times.is_empty() {
        lifter.scene.animations.push(animation);
    }
    Lifted { scene: lifter.scene, issues: lifter.issues, provenance: None }
}

/// The local place of an entity, in the Scene's axes.
fn placement(entity: &Entity) -> Placement {
    Placement::from_fields(entity.position, entity.scale, entity.rotation).turned()
}

struct Lifter<'a> {
    model: &'a Model,
    /// Where every entity is at bind pose.
    worlds: Vec<Placement>,
    /// Whether entities without parent are roots, and not below the first.
    several_roots: bool,
    scene: Scene,
    issues: Issues,
    /// Entities that look the same share a material: by texture, colour, alpha and FX.
    materials: BTreeMap<(Vec<u8>, [u8; 4], u32, u32), MaterialId>,
    textures: BTreeMap<Vec<u8>, TextureId>,
    /// Where things come from, if that was asked for.
    origins: Recorder,
    /// Entities of the file before the first of the model: a root that was added.
    skipped: usize,
    shape_only: bool,
}

impl<'a> Lifter<'a> {
    fn new(model: &'a Model, worlds: Vec<Placement>, options: &ReadOptions<'_>) -> Self {
        Self {
            model,
            worlds,
            several_roots: false,
            scene: Scene::default(),
            issues: Issues::new(options.limits.issues_per_code),
            materials: BTreeMap::new(),
            textures: BTreeMap::new(),
            origins: Recorder::new(options.provenance),
            skipped: 0,
            shape_only: options.shape_only,
        }
    }

    /// One node for each entity, none below another.
    fn flat_nodes(&mut self) {
        for place in &self.worlds {
            let transform =
                Transform::Trs { translation: place.position, rotation: place.rotation, scale: place.scale };
            self.scene.nodes.push(Node { transform, ..Node::default() });
        }
        let roots = self.scene.nodes.ids().collect();
        self.scene.scenes.push(SceneRoot { roots, ..SceneRoot::default() });
        self.scene.default_scene = Some(0);
    }

    /// Where every entity is at bind pose, in the Scene's axes.
    fn bind_worlds(&self) -> Vec<Placement> {
        let mut worlds: Vec<Placement> = Vec::with_capacity(self.model.entities.len());
        for (index, entity) in self.model.entities.iter().enumerate() {
            let local = placement(entity);
            let parent = self.parent(index).and_then(|parent| worlds.get(parent));
            worlds.push(parent.map_or(local, |parent| parent.child(&local)));
        }
        worlds
    }

    /// The parent of an entity, in a model whose only root may have been taken away.
    fn parent(&self, index: usize) -> Option<usize> {
        let stated = self.model.entities.get(index).map_or(-1, |entity| entity.parent);
        self.model.effective_parent(index).filter(|_| !(self.several_roots && stated < 0))
    }

    /// One node for each entity, with the same index.
    fn nodes(&mut self) {
        let animated = self.model.entities.iter().any(|entity| !entity.keys.is_empty());
        for (index, entity) in self.model.entities.iter().enumerate() {
            let parent = self.parent(index);
            let (name, utf8) = decode_text(&entity.name);
            let mut node = Node { name, transform: self.transform(index, entity, parent), ..Node::default() };
            let is_matrix = matches!(node.transform, Transform::Matrix(_));
            // The root's length is kept even when it is zero, so that the way back does not make one up.
            let has_length = entity.anim_length != 0 || (index == 0 && animated);
            let note = NodeNote {
                anim_length: has_length.then_some(entity.anim_length),
                name_bytes: (!utf8).then(|| entity.name.clone()),
                local: is_matrix.then(|| LocalNote::of(&placement(entity).turned())),
            };
            note.keep(&mut node.extras);
            let id = self.scene.nodes.push(node);
            self.origins.node(id.index(), || format!("entities[{}]", index + self.skipped));
            if let Some(parent) = parent.and_then(|parent| self.scene.nodes.get_mut(Id::new(parent))) {
                parent.children.push(id);
            }
        }
        let roots = self.scene.nodes.ids().filter(|id| self.parent(id.index()).is_none()).collect();
        self.scene.scenes.push(SceneRoot { roots, ..SceneRoot::default() });
        self.scene.default_scene = Some(0);
    }

    /// The local transform, as a matrix where only that gives the place that the engine means.
    fn transform(&mut self, index: usize, entity: &Entity, parent: Option<usize>) -> Transform {
        let local = placement(entity);
        let parent_scale = parent.and_then(|p| self.worlds.get(p)).map_or(Vec3::ONE, |p| p.scale);
        match local.matrix_below(parent_scale) {
            Some(matrix) if entity.keys.is_empty() => return Transform::Matrix(matrix),
            Some(_) => self.issues.push(Issue::new(
                &codes::SHEAR,
                format!("entities[{index}].rotation"),
                "it turns below a stretched parent, which shears it a little in a tree of matrices",
            )),
            None => {}
        }
        Transform::Trs { translation: local.position, rotation: local.rotation, scale: local.scale }
    }

    fn meshes(&mut self) {
        let nodes = Pose::rest(&self.scene).worlds;
        for (index, data) in self.model.meshes() {
            let mut primitive = geometry(data);
            primitive.material = Some(self.material(data));
            let node: NodeId = Id::new(index);
            let skin = (!data.bones.is_empty()).then(|| self.skin(index, data, &nodes, &mut primitive));
            if self.shape_only {
                primitive.keep_shape();
            }
            let mesh = self.scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
            let entity = index + self.skipped;
            self.origins.primitive(mesh.index(), 0, || PrimitiveOrigin {
                path: format!("entities[{entity}]"),
                vertices: Elements::list(format!("entities[{entity}].vertices")),
                triangles: Elements::list(format!("entities[{entity}].triangles"))
                    .ordered_by(drawn_triangles(data)),
            });
            if let Some(node) = self.scene.nodes.get_mut(node) {
                node.mesh = Some(mesh);
                node.skin = skin;
            }
        }
    }

    fn material(&mut self, data: &MeshData) -> MaterialId {
        let key = (data.texture.clone(), data.colour, data.alpha.to_bits(), data.fx);
        if let Some(&material) = self.materials.get(&key) {
            return material;
        }
        let texture = (!data.texture.is_empty()).then(|| TextureRef::new(self.texture(&data.texture)));
        let [blue, green, red, _] = data.colour.map(srgb_byte_to_linear);
        let alpha = if data.alpha.is_finite() { data.alpha } else { 1.0 };
        let has = |flag: u32| data.fx & flag != 0;
        let mut material = Material {
            shading: Shading::MetallicRoughness(MetallicRoughness {
                base_color: [red, green, blue, alpha],
                base_color_texture: texture,
                metallic: 0.0,
                roughness: 1.0,
                metallic_roughness_texture: None,
            }),
            alpha: if has(Fx::ADDITIVE) {
                AlphaMode::Blend(Blend::Additive)
            } else if has(Fx::MULTIPLY) {
                AlphaMode::Blend(Blend::Multiply)
            } else if alpha < 1.0 {
                AlphaMode::Blend(Blend::Alpha)
            } else {
                AlphaMode::Opaque
            },
            unlit: has(Fx::FULL_BRIGHT),
            double_sided: has(Fx::TWO_SIDED),
            ..Material::default()
        };
        MaterialNote { colour: Some(data.colour), fx: Some(data.fx) }.keep(&mut material.extras);
        let material = self.scene.materials.push(material);
        self.materials.insert(key, material);
        material
    }

    fn texture(&mut self, name: &[u8]) -> TextureId {
        if let Some(&texture) = self.textures.get(name) {
            return texture;
        }
        let (uri, utf8) = decode_text(name);
        let mut image = Image { uri: Some(uri), ..Image::default() };
        ImageNote { name_bytes: (!utf8).then(|| name.to_vec()) }.keep(&mut image.extras);
        let image = Some(self.scene.images.push(image));
        let texture = self.scene.textures.push(Texture { image, ..Texture::default() });
        self.textures.insert(name.to_vec(), texture);
        texture
    }

    /// Binds each vertex to the bone that holds it, or to the mesh's own node when none does. `nodes` is where the
    /// Scene has the entities, so that at rest the vertices are where the engine has them.
    fn skin(&mut self, index: usize, data: &MeshData, nodes: &[Mat4], primitive: &mut Primitive) -> SkinId {
        let mesh_world = self.worlds.get(index).map_or(Mat4::IDENTITY, Placement::matrix);
        let mut skin = Skin::default();
        let mut joint_of: Vec<Option<u16>> = vec![None; data.vertices.len()];
        for (i, bone) in data.bones.iter().enumerate() {
            let entity = usize::try_from(bone.entity.get()).ok();
            let Some((entity, world)) = entity.and_then(|e| Some((e, nodes.get(e)?))) else { continue };
            let inverse_bind = world.inverse() * mesh_world;
            if !inverse_bind.is_finite() {
                self.issues.push(Issue::new(
                    &codes::SINGULAR_BONE,
                    format!("entities[{index}].bones[{i}].entity"),
                    format!("entity {entity} has a scale of zero; its vertices stay with the mesh"),
                ));
                continue;
            }
            let joint = joint(&mut skin, Id::new(entity), inverse_bind);
            for vertex in joint_of.get_mut(bone.range(data.vertices.len())).unwrap_or_default() {
                *vertex = joint;
            }
        }
        if joint_of.contains(&None) {
            let node = nodes.get(index).copied().unwrap_or(mesh_world);
            let inverse_bind = if transform_distance(&node, &mesh_world) > 1e-5 {
                node.inverse() * mesh_world
            } else {
                Mat4::IDENTITY
            };
            let inverse_bind = if inverse_bind.is_finite() { inverse_bind } else { Mat4::IDENTITY };
            let own = joint(&mut skin, Id::new(index), inverse_bind);
            joint_of.iter_mut().filter(|joint| joint.is_none()).for_each(|joint| *joint = own);
        }
        primitive.joints = vec![joint_of.iter().map(|joint| [joint.unwrap_or(0), 0, 0, 0]).collect()];
        primitive.weights = vec![vec![[1.0, 0.0, 0.0, 0.0]; joint_of.len()]];
        self.scene.skins.push(skin)
    }

    /// All keys of all entities as one animation.
    fn animation(&mut self, fps: Option<f32>) {
        if self.model.entities.iter().all(|entity| entity.keys.is_empty()) {
            return;
        }
        let rate = fps.filter(|fps| fps.is_finite() && *fps > 0.0).unwrap_or(DEFAULT_FPS);
        if fps.is_none() {
            let with_keys =
                self.model.entities.iter().position(|entity| !entity.keys.is_empty()).unwrap_or(0);
            self.issues.push(Issue::new(
                &codes::FRAME_RATE,
                format!("entities[{with_keys}].keys"),
                format!("the file has no frame rate; {rate} frames a second were assumed"),
            ));
        }
        let mut animation = Animation::default();
        AnimationNote { fps: Some(float_to_json(rate)) }.keep(&mut animation.extras);
        for (index, entity) in self.model.entities.iter().enumerate() {
            let rest = placement(entity);
            let (by_frame, too_near) = by_frame(&entity.keys, rate);
            if let Some(frame) = too_near {
                let message = format!(
                    "frame {frame} and the next are at the same time, as far as seconds can tell; the last counts"
                );
                self.issues.push(Issue::new(&codes::KEY_ORDER, format!("entities[{index}].keys"), message));
            }
            animation.channels.extend(channels(Id::new(index), &by_frame, &rest, rate));
        }
        let length = self.model.entities.iter().map(|entity| entity.anim_length).max().unwrap_or(0);
        hold_until(&mut animation, length as f32 / rate);
        self.scene.animations.push(animation);
    }
}

/// Frames a second of an animation that this format kept.
pub(in crate::formats) fn frames_per_second(animation: &Animation) -> Option<f32> {
    AnimationNote::of(&animation.extras).fps.as_ref().and_then(float_from_json)
}

/// The joint for a node; bones of the same entity share one. `None` beyond what an index can say.
fn joint(skin: &mut Skin, node: NodeId, inverse_bind: Mat4) -> Option<u16> {
    let known = skin.joints.iter().position(|joint| *joint == node);
    let index = known.unwrap_or(skin.joints.len());
    let joint = u16::try_from(index).ok()?;
    if known.is_none() {
        skin.joints.push(node);
        skin.inverse_binds.push(inverse_bind);
    }
    Some(joint)
}

/// The numbers of the triangles whose vertices exist; `None` for all.
fn drawn_triangles(data: &MeshData) -> Option<Vec<u32>> {
    let exists = |triangle: &super::model::Triangle| {
        triangle.0.iter().all(|index| usize::from(index.get()) < data.vertices.len())
    };
    if data.triangles.iter().all(exists) {
        return None;
    }
    Some(
        (0..)
            .zip(&data.triangles)
            .filter(|(_, triangle)| exists(triangle))
            .map(|(number, _)| number)
            .collect(),
    )
}

fn geometry(data: &MeshData) -> Primitive {
    let vertices = data.vertices.to_floats();
    let clean = |x: f32| if x.is_finite() { x } else { 0.0 };
    let mut primitive = Primitive::default();
    let mut normals = Vec::with_capacity(vertices.len());
    let mut uvs = Vec::with_capacity(vertices.len());
    primitive.positions.reserve_exact(vertices.len());
    for [u, v, nx, ny, nz, x, y, z] in vertices {
        uvs.push([clean(u), clean(v)]);
        normals.push(TURN.vector([clean(nx), clean(ny), clean(nz)]));
        primitive.positions.push(TURN.vector([clean(x), clean(y), clean(z)]));
    }
    let vertex_count = primitive.positions.len();
    let in_range = |triangle: &[u32; 3]| triangle.iter().all(|index| (*index as usize) < vertex_count);
    let triangles = data.triangles.iter().map(|triangle| triangle.0.map(|index| u32::from(index.get())));
    primitive.indices.reserve_exact(3 * data.triangles.len());
    primitive.indices.extend(triangles.filter(in_range).flatten());
    // A file without texture coordinates has zeros.
    if uvs.iter().any(|uv| *uv != [0.0; 2]) {
        primitive.uvs.push(uvs);
    }
    if data.colours.len() == vertex_count && vertex_count > 0 {
        let linear = |rgb: [u8; 3]| {
            let [r, g, b] = rgb.map(srgb_byte_to_linear);
            [r, g, b, 1.0]
        };
        primitive.colors.push(data.colours.iter().map(|colour| linear(colour.0)).collect());
    }
    set_raw_normals(&mut primitive, &normals, NORMAL_LENGTH);
    primitive
}

/// One of the three parts of a place.
type Part = fn(&Placement) -> Vec<f32>;

/// The three parts.
const PARTS: [(Property, Part); 3] = [
    (Property::Translation, |place| place.position.to_array().to_vec()),
    (Property::Rotation, |place| place.rotation.to_array().to_vec()),
    (Property::Scale, |place| place.scale.to_array().to_vec()),
];

/// The keys sorted by frame; of several keys of one frame the last counts. So it is with frames that are so far from the first
/// that floats have one time for several: then the second value is one that was left out.
fn by_frame(keys: &[Key], rate: f32) -> (BTreeMap<i32, Placement>, Option<i32>) {
    let mut by_frame: BTreeMap<i32, Placement> =
        keys.iter().map(|key| (key.frame.get(), key_place(key))).collect();
    let mut too_near = None;
    let mut next = f32::INFINITY;
    // From the last to the first.
    let kept: Vec<i32> = by_frame
        .keys()
        .rev()
        .copied()
        .filter(|frame| {
            let time = *frame as f32 / rate;
            let rises = time < next;
            match rises {
                true => next = time,
                false => too_near = Some(*frame),
            }
            rises
        })
        .collect();
    if too_near.is_some() {
        by_frame = kept.into_iter().filter_map(|frame| Some((frame, *by_frame.get(&frame)?))).collect();
    }
    (by_frame, too_near)
}

/// The channels of one entity. A property that never leaves its rest value needs none, unless all three do not.
fn channels(node: NodeId, by_frame: &BTreeMap<i32, Placement>, rest: &Placement, rate: f32) -> Vec<Channel> {
    if by_frame.is_empty() {
        return Vec::new();
    }
    let properties = PARTS;
    let still = |pick: Part| by_frame.values().all(|place| pick(place) == pick(rest));
    let all_still = properties.iter().all(|(_, pick)| still(*pick));
    let moving = |(property, pick): &(Property, Part)| {
        !still(*pick) || (all_still && *property == Property::Translation)
    };
    let channel = |(property, pick): (Property, Part)| {
        if property == Property::Rotation {
            return rotation_channel(node, by_frame, rate);
        }
        Channel {
            node,
            property,
            interpolation: Interpolation::Linear,
            times: by_frame.keys().map(|frame| *frame as f32 / rate).collect(),
            values: by_frame.values().flat_map(pick).collect(),
            extras: Extras::default(),
        }
    };
    properties.into_iter().filter(moving).map(channel).collect()
}

/// The rotations. The engine goes straight from key to key, a Scene along the arc: where that would show, keys are
/// put between, and the frames of the file's own are noted.
fn rotation_channel(node: NodeId, by_frame: &BTreeMap<i32, Placement>, rate: f32) -> Channel {
    let mut times = Vec::new();
    let mut values = Vec::new();
    let mut before: Option<(i32, Quat)> = None;
    for (&frame, place) in by_frame {
        if let Some((from, start)) = before {
            let pieces = pieces(start, place.rotation);
            for piece in 1..pieces {
                let t = piece as f32 / pieces as f32;
                let time = (from as f32 + (frame as f32 - from as f32) * t) / rate;
                // Between frames that are far from the first there may be no room.
                if times.last().is_none_or(|before| *before < time) && time < frame as f32 / rate {
                    times.push(time);
                    values.extend(nlerp(start, place.rotation, t).to_array());
                }
            }
        }
        times.push(frame as f32 / rate);
        values.extend(place.rotation.to_array());
        before = Some((frame, place.rotation));
    }
    let mut extras = Extras::default();
    if times.len() > by_frame.len() {
        ChannelNote { frames: Some(by_frame.keys().copied().collect()), ..ChannelNote::default() }
            .keep(&mut extras);
    }
    let (property, interpolation) = (Property::Rotation, Interpolation::Linear);
    Channel { node, property, interpolation, times, values, extras }
}

/// Into how many pieces the way between two rotations is cut so that no one sees the difference.
fn pieces(a: Quat, b: Quat) -> usize {
    let good = |pieces: &usize| {
        let at = |piece: usize| nlerp(a, b, piece as f32 / *pieces as f32);
        (0..*pieces).all(|piece| nlerp_error(at(piece), at(piece + 1)) <= MAX_ARC_ERROR)
    };
    [1, 2, 4, 8, 16, 32].into_iter().find(good).unwrap_or(32)
}

fn key_place(key: &Key) -> Placement {
    Placement::from_fields(
        key.position.map(|x| x.get()),
        key.scale.map(|x| x.get()),
        key.rotation.map(|x| x.get()),
    )
    .turned()
}

/// A clip that is longer than its last key holds until its end: one channel gets a last key there, marked as made up.
fn hold_until(animation: &mut Animation, end: f32) {
    let Some(channel) = animation.channels.first_mut().filter(|_| end > 0.0) else { return };
    let last = channel.times.last().copied().unwrap_or(end);
    let others_end = animation.channels.iter().filter_map(|c| c.times.last()).fold(last, |a, b| a.max(*b));
    if others_end < end
        && let Some(channel) = animation.channels.first_mut()
    {
        let value = channel.key(channel.times.len().saturating_sub(1)).to_vec();
        channel.times.push(end);
        channel.values.extend(value);
        ChannelNote { clip_end: Some(true), ..ChannelNote::of(&channel.extras) }.keep(&mut channel.extras);
    }
}
