//! What the bOGL engine does with a file, written from what was observed of its loader and animation module (the numbers
//! E1 to E15 are those of `docs/formats/bo3d.md`, "In the engine").

use std::collections::{BTreeMap, BTreeSet};

use glam::{Quat, Vec3};

use super::codes;
use super::lift;
use super::model::{Entity, Model};
use super::placement::Placement;
use crate::bytes::{Limits, OverLimit};
use crate::diag::{Code, Issues};
use crate::formats::engine::pose_errors;
use crate::formats::{Lifted, ReadOptions};

/// From which part of the model's size on a pose is another one.
const POSE_TOLERANCE: f32 = 0.005;

/// Finds what the engine does otherwise than the document says.
pub(super) fn check(model: &Model, limits: &Limits, issues: &mut Issues) {
    // What is damaged is refused by the engine.
    if !model.salvaged.is_empty() {
        return;
    }
    let mut check = Check { model, issues };
    check.names();
    check.length();
    check.keys();
    check.scales();
    check.poses(limits);
}

struct Check<'a> {
    model: &'a Model,
    issues: &'a mut Issues,
}

impl Check<'_> {
    fn report(&mut self, code: &'static Code, index: usize, field: &str, message: String) {
        self.issues.report(code, || (format!("entities[{index}].{field}"), message));
    }

    /// E2, E3: which entity gets the keys of each.
    fn names(&mut self) {
        let found = targets(self.model);
        for (i, target) in found {
            if i == 0 && target != Some(0) {
                let message = "the keys of the first entity reach no object".to_owned();
                self.report(&codes::ENGINE_ROOT_KEYS, i, "keys", message);
            } else if target != Some(i) {
                let name = self.model.entities.get(i).map(Entity::name_text).unwrap_or_default();
                let message = match target {
                    Some(other) => {
                        format!("the first entity called {name:?} is entity {other}, which gets the keys")
                    }
                    None => format!("no entity below the first is called {name:?}"),
                };
                self.report(&codes::ENGINE_KEY_NAME, i, "name", message);
            }
        }
    }

    /// E4: room for the keys, and the frames that are played.
    fn length(&mut self) {
        let length = self.model.length();
        let with_keys = self.model.entities.iter().enumerate().filter(|(_, entity)| !entity.keys.is_empty());
        let most = with_keys.clone().max_by_key(|(_, entity)| entity.keys.len());
        let last = |entity: &Entity| entity.keys.iter().map(|key| key.frame.get()).max().unwrap_or(0);
        let latest = with_keys.max_by_key(|(_, entity)| last(entity));
        if let Some((i, entity)) = most.filter(|(_, entity)| entity.keys.len() as i64 + 1 > i64::from(length))
        {
            let keys = entity.keys.len();
            let message = format!("a length of {length} has no room for {keys} keys and the bind pose");
            self.report(&codes::ENGINE_LENGTH, i, "keys", message);
        } else if let Some((i, entity)) = latest.filter(|(_, entity)| last(entity) >= length) {
            let message = format!("frame {} is never reached with a length of {length}", last(entity));
            self.report(&codes::ENGINE_LENGTH, i, "keys", message);
        }
    }

    /// E5, E7: the keys of each entity.
    fn keys(&mut self) {
        for (i, entity) in self.model.entities.iter().enumerate() {
            let Some(first) = entity.keys.first() else { continue };
            if first.frame.get() > 0 {
                let message = format!("the first key is at frame {}", first.frame);
                self.report(&codes::ENGINE_FIRST_KEY, i, "keys[0].frame", message);
            }
            let mut before = raw(entity.rotation);
            for (k, key) in entity.keys.iter().enumerate() {
                let rotation = raw(key.rotation.map(|x| x.get()));
                if rotation.dot(before) < -1e-6 {
                    let message = "the rotation has the other sign than the one before".to_owned();
                    self.report(&codes::ENGINE_SIGNS, i, &format!("keys[{k}].rotation"), message);
                }
                before = rotation;
            }
        }
    }

    /// E6, E14: scales.
    fn scales(&mut self) {
        let bind = worlds(self.model, None);
        let away = |(_, entity): &(usize, &Entity)| entity.position != [0.0; 3];
        let children = self.model.entities.iter().enumerate().filter(away);
        let has_child_away: BTreeSet<usize> =
            children.filter_map(|(child, _)| self.model.effective_parent(child)).collect();
        for (i, entity) in self.model.entities.iter().enumerate() {
            let scaled = Vec3::from_array(entity.scale).distance(Vec3::ONE) > 1e-5;
            if scaled && has_child_away.contains(&i) {
                let message = format!("the scale {:?} counts twice for the places below it", entity.scale);
                self.report(&codes::ENGINE_PARENT_SCALE, i, "scale", message);
            }
            let mirrored =
                bind.get(i).is_some_and(|world| world.scale.x * world.scale.y * world.scale.z < 0.0);
            let culled = entity.mesh.as_ref().is_some_and(|mesh| mesh.fx & super::Fx::TWO_SIDED == 0);
            if mirrored && culled {
                let message = "its scales mirror it, and it is seen from inside".to_owned();
                self.report(&codes::ENGINE_FACING, i, "scale", message);
            }
        }
    }

    /// The poses themselves.
    fn poses(&mut self, limits: &Limits) {
        let options = ReadOptions {
            limits: limits.clone(),
            fps: Some(super::DEFAULT_FPS),
            shape_only: true,
            ..ReadOptions::default()
        };
        // What there is no room for is not compared.
        if afford(self.model, limits).is_err() {
            return;
        }
        let document = lift::lift_with_holders(self.model, &options).scene;
        let engine = lifted(self.model, &options).scene;
        for found in pose_errors(&document, &engine) {
            if found.error <= POSE_TOLERANCE {
                continue;
            }
            let percent = found.error * 100.0;
            let message = match found.animation {
                Some(_) => {
                    let frame = found.seconds * super::DEFAULT_FPS;
                    format!("vertices are off by {percent:.1} % of the model's size at frame {frame:.0}")
                }
                None => format!("vertices are off by {percent:.1} % of the model's size at rest"),
            };
            let root = usize::from(self.model.added().is_some_and(|added| added.root));
            self.report(&codes::ENGINE_POSE, found.node + root, "position", message);
        }
    }
}

/// For each entity with keys, the one that the engine gives them to: the first below the root with its name, in a walk
/// that looks at each child and then below it (E2). Of several lists for one entity the last wins.
fn targets(model: &Model) -> BTreeMap<usize, Option<usize>> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); model.entities.len()];
    for i in 1..model.entities.len() {
        if let Some(list) = model.effective_parent(i).and_then(|parent| children.get_mut(parent)) {
            list.push(i);
        }
    }
    let mut first: BTreeMap<&[u8], usize> = BTreeMap::new();
    let mut open: Vec<usize> = children.first().into_iter().flatten().rev().copied().collect();
    while let Some(i) = open.pop() {
        if let Some(entity) = model.entities.get(i) {
            first.entry(&entity.name).or_insert(i);
        }
        open.extend(children.get(i).into_iter().flatten().rev());
    }
    let keyed = model.entities.iter().enumerate().filter(|(_, entity)| !entity.keys.is_empty());
    keyed.map(|(i, entity)| (i, first.get(entity.name.as_slice()).copied())).collect()
}

/// Ten numbers of an entity or key, as they are stored.
#[derive(Clone, Copy)]
struct Raw {
    position: Vec3,
    scale: Vec3,
    rotation: Quat,
}

fn raw([w, x, y, z]: [f32; 4]) -> Quat {
    Quat::from_xyzw(x, y, z, w)
}

impl Raw {
    fn bind(entity: &Entity) -> Self {
        Self { position: entity.position.into(), scale: entity.scale.into(), rotation: raw(entity.rotation) }
    }
}

/// Key lists by the entities that they move.
type Played = BTreeMap<usize, Vec<(i32, Raw)>>;

/// The key lists that the engine plays, with the bind pose before them (E4), by the entities that they move.
fn played(model: &Model) -> Played {
    let mut played = BTreeMap::new();
    for (from, target) in targets(model) {
        let Some((entity, target)) = model.entities.get(from).zip(target) else { continue };
        let mut keys: Vec<(i32, Raw)> =
            model.entities.get(target).map(|e| (-1, Raw::bind(e))).into_iter().collect();
        keys.extend(entity.keys.iter().map(|key| {
            let rotation = raw(key.rotation.map(|x| x.get()));
            (key.frame.get(), Raw { position: key.position().into(), scale: key.scale().into(), rotation })
        }));
        played.insert(target, keys);
    }
    played
}

/// A place between keys: all ten numbers straight, the rotation then made unit, with no look at signs (E5).
fn between(keys: &[(i32, Raw)], frame: f32) -> Option<Raw> {
    // Keys must rise, and that is not checked (E9).
    let after = keys.partition_point(|key| key.0 as f32 <= frame.floor());
    let a = after.checked_sub(1).and_then(|i| keys.get(i)).or(keys.first())?;
    let b = keys.get(keys.partition_point(|key| (key.0 as f32) < frame.ceil())).or(keys.last())?;
    let t = if b.0 > a.0 {
        ((frame - a.0 as f32) / (i64::from(b.0) - i64::from(a.0)) as f32).clamp(0.0, 1.0)
    } else {
        0.0
    };
    let (a, b) = (a.1, b.1);
    Some(Raw {
        position: a.position.lerp(b.position, t),
        scale: a.scale.lerp(b.scale, t),
        rotation: a.rotation * (1.0 - t) + b.rotation * t,
    })
}

/// Where the engine has every entity in the world, at bind pose or at a frame of what it plays, in the file's axes. The
/// place of a child is multiplied by the scale of its parent twice (E6).
fn worlds(model: &Model, at: Option<(&Played, f32)>) -> Vec<Placement> {
    let mut worlds: Vec<Placement> = Vec::with_capacity(model.entities.len());
    let mut own_scales: Vec<Vec3> = Vec::with_capacity(model.entities.len());
    for (i, entity) in model.entities.iter().enumerate() {
        let moved = at.and_then(|(played, frame)| between(played.get(&i)?, frame));
        let own = moved.unwrap_or(Raw::bind(entity));
        let local = Placement::from_fields(own.position.to_array(), own.scale.to_array(), {
            let q = own.rotation;
            [q.w, q.x, q.y, q.z]
        });
        let parent = model.effective_parent(i);
        let above = parent.and_then(|parent| Some((worlds.get(parent)?, own_scales.get(parent)?)));
        let world = above.map_or(local, |(world, own)| {
            world.child(&Placement { position: local.position * *own, ..local })
        });
        worlds.push(world);
        own_scales.push(local.scale);
    }
    worlds
}

/// Moments that are sampled at most.
const MAX_FRAMES: usize = 4096;
/// What it takes to work out one place, in steps.
const PLACE: usize = 4;

/// What the engine shows: where its entities are, at bind pose and at frames of the animation, in the Scene's axes.
pub(super) struct Shown {
    pub(super) bind: Vec<Placement>,
    pub(super) frames: Vec<(f32, Vec<Placement>)>,
}

impl Shown {
    /// The model's own, or without the entity that was added as root.
    fn of(model: &Model, skip: usize, limits: &Limits) -> Self {
        let turned = |worlds: Vec<Placement>| worlds.iter().skip(skip).map(Placement::turned).collect();
        let played = played(model);
        let at = |frame: f32| (frame, turned(worlds(model, Some((&played, frame)))));
        Self { bind: turned(worlds(model, None)), frames: sampled_frames(model, limits).map(at).collect() }
    }
}

/// The frames at which the engine's places are looked at; none where nothing moves.
fn sampled_frames(model: &Model, limits: &Limits) -> impl ExactSizeIterator<Item = f32> {
    let keys = || model.entities.iter().flat_map(|entity| &entity.keys).map(|key| key.frame.get());
    let (first, last) = (keys().min().unwrap_or(0).min(0), keys().max().unwrap_or(0));
    // Four times a frame, for the engine's way between rotations is not the Scene's.
    let count = usize::try_from((i64::from(last) - i64::from(first)) * 4).unwrap_or(0);
    let most = (limits.steps / PLACE / model.entities.len().max(1)).clamp(1, MAX_FRAMES);
    let step = count.div_ceil(most).max(1);
    let quarters = if keys().next().is_some() { count / step + 1 } else { 0 };
    (0..quarters).map(move |i| first as f32 + (i * step) as f32 / 4.0)
}

/// Takes what [`lifted`] needs: places, and the same as values of channels.
pub(super) fn afford(model: &Model, limits: &Limits) -> Result<(), OverLimit> {
    let places = (1 + sampled_frames(model, limits).len()) * model.entities.len();
    limits.take_many(places, 2 * size_of::<Placement>())
}

/// The Scene that the engine shows: all nodes beside each other where the engine has them, the flat colour white (E8),
/// mirrored entities seen from inside (E14).
pub(super) fn lifted(model: &Model, options: &ReadOptions<'_>) -> Lifted {
    let whole = model.with_salvaged();
    let model = whole.as_ref().unwrap_or(model);
    let skip = usize::from(model.added().is_some_and(|added| added.root));
    let shown = Shown::of(model, skip, &options.limits);
    let mut own = if skip == 1 { model.clone().without_root() } else { model.clone() };
    for (entity, world) in own.entities.iter_mut().zip(&shown.bind) {
        let Some(mesh) = &mut entity.mesh else { continue };
        mesh.colour = [255; 4];
        if mesh.colours.len() == mesh.vertices.len() {
            mesh.alpha = 1.0;
        }
        if world.scale.x * world.scale.y * world.scale.z < 0.0 {
            mesh.triangles.iter_mut().for_each(|triangle| triangle.0.swap(1, 2));
        }
    }
    lift::lift_shown(&own, options, &shown)
}
