//! Scales that move (E6): the engine counts the scale of a parent twice for the places of its children.
//!
//! A scale that stays the same goes into vertices and children ([`Model::scale_into`]). One that moves goes into the keys
//! of the children, and into an entity of its own, the holder, which has the mesh and the bones of the scaled one. The
//! scaled one itself has scale 1 from then on. What entities were before is noted, and taken back on reading.

use std::collections::BTreeMap;

use glam::Vec3;
use serde::{Deserialize, Serialize};

use super::added::times;
use super::model::{Entity, Key, Model};
use super::placement::{Placement, nlerp};

/// Of a product of two straight lines, how much it may be off from the straight line between its keys, as a part of it.
const BEND: f32 = 1e-4;
/// How far a file's keys may be from what its note makes of them, as a part of them.
const NOTE_TOLERANCE: f32 = 1e-3;

/// What an entity was before scales that move were taken out of it or of its parent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Before {
    position: [f32; 3],
    scale: [f32; 3],
    /// Its keys: frame, position, scale. The rotations are those of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    keys: Vec<(i32, [f32; 3], [f32; 3])>,
    /// The entity that has its mesh, and stands for it among the bones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    holder: Option<usize>,
}

impl Before {
    fn of(entity: &Entity) -> Self {
        let keys = entity.keys.iter().map(|key| (key.frame.get(), key.position(), key.scale())).collect();
        Self { position: entity.position, scale: entity.scale, keys, holder: None }
    }

    /// The entity as it was; `None` where the file does not have its keys.
    fn restored(&self, entity: &Entity) -> Option<Entity> {
        let rotations: BTreeMap<i32, _> =
            entity.keys.iter().map(|key| (key.frame.get(), key.rotation)).collect();
        let mut restored = entity.clone();
        (restored.position, restored.scale) = (self.position, self.scale);
        let key = |(frame, position, scale): &(i32, [f32; 3], [f32; 3])| {
            let (position, scale) = (position.map(Into::into), scale.map(Into::into));
            Some(Key { frame: (*frame).into(), position, scale, rotation: *rotations.get(frame)? })
        };
        restored.keys = self.keys.iter().map(key).collect::<Option<_>>()?;
        Some(restored)
    }
}

/// Where an entity is in its parent at a frame: straight between its keys, else at rest.
struct Track<'a> {
    rest: Placement,
    keys: &'a [Key],
}

impl<'a> Track<'a> {
    fn of(entity: &'a Entity) -> Self {
        let rest = Placement::from_fields(entity.position, entity.scale, entity.rotation);
        Self { rest, keys: &entity.keys }
    }

    fn frames(&self) -> impl Iterator<Item = i32> {
        self.keys.iter().map(|key| key.frame.get())
    }

    fn at(&self, frame: i32) -> Placement {
        let place =
            |key: &Key| Placement::from_fields(key.position(), key.scale(), key.rotation.map(|x| x.get()));
        let after = self.keys.partition_point(|key| key.frame.get() < frame);
        let (before, next) = (after.checked_sub(1).and_then(|i| self.keys.get(i)), self.keys.get(after));
        match (before, next) {
            (_, Some(key)) if key.frame.get() == frame => place(key),
            (Some(a), Some(b)) => {
                let frames = i64::from(b.frame.get()) - i64::from(a.frame.get());
                let t = (i64::from(frame) - i64::from(a.frame.get())) as f32 / frames as f32;
                let (a, b) = (place(a), place(b));
                Placement {
                    position: a.position.lerp(b.position, t),
                    rotation: nlerp(a.rotation, b.rotation, t),
                    scale: a.scale.lerp(b.scale, t),
                }
            }
            (Some(key), None) | (None, Some(key)) => place(key),
            (None, None) => self.rest,
        }
    }
}

impl Model {
    /// Takes the scales that move out of entities with children away from them, where that needs no more keys than
    /// `most`. Gives what the entities were before, `None` where there would be too many keys.
    pub(super) fn push_moving_scales(&mut self, most: usize) -> Option<BTreeMap<usize, Before>> {
        let mut before: BTreeMap<usize, Before> = BTreeMap::new();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.entities.len()];
        for (i, entity) in self.entities.iter().enumerate() {
            let parent = usize::try_from(entity.parent).ok().filter(|parent| *parent < i);
            parent.and_then(|parent| children.get_mut(parent)).into_iter().for_each(|list| list.push(i));
        }
        let mut left = most;
        // Parents come first, so that what a child takes over is taken out of it in its turn.
        for (i, children) in children.iter().enumerate() {
            let Some(entity) = self.entities.get(i).filter(|entity| has_moving_scale(entity)) else {
                continue;
            };
            let scaled = entity.clone();
            if !children.iter().filter_map(|child| self.entities.get(*child)).any(is_away) {
                continue;
            }
            for child in children {
                let Some(child_entity) = self.entities.get_mut(*child) else { continue };
                before.entry(*child).or_insert_with(|| Before::of(child_entity));
                let keys = scaled_keys(child_entity, &scaled, left)?;
                left = left.checked_sub(keys.len())?;
                child_entity.position = times(child_entity.position, scaled.scale);
                child_entity.scale = times(child_entity.scale, scaled.scale);
                child_entity.keys = keys;
            }
            before.entry(i).or_insert_with(|| Before::of(&scaled)).holder = self.hold(i, &scaled);
        }
        Some(before)
    }

    /// Gives what an entity shows to one below it that has its scale, where it shows something; gives that one.
    fn hold(&mut self, index: usize, scaled: &Entity) -> Option<usize> {
        let entity = self.entities.get_mut(index)?;
        entity.scale = [1.0; 3];
        entity.keys.iter_mut().for_each(|key| key.scale = [1.0.into(); 3]);
        let mesh = entity.mesh.take();
        let bones =
            || self.entities.iter().filter_map(|e| e.mesh.as_ref()).chain(&mesh).flat_map(|mesh| &mesh.bones);
        let own = i32::try_from(index).ok()?;
        if mesh.is_none() && !bones().any(|bone| bone.entity.get() == own) {
            return None;
        }
        let plain = |key: &Key| {
            let rotation = [1.0, 0.0, 0.0, 0.0].map(Into::into);
            Key { frame: key.frame, position: [0.0.into(); 3], scale: key.scale, rotation }
        };
        let keys = scaled.keys.iter().map(plain).collect();
        let holder = self.entities.len();
        let name = scaled.name.clone();
        self.entities.push(Entity {
            parent: own,
            scale: scaled.scale,
            keys,
            name,
            mesh,
            ..Entity::default()
        });
        self.rebind(own, i32::try_from(holder).ok()?);
        Some(holder)
    }

    /// Binds to one entity what was bound to another.
    fn rebind(&mut self, from: i32, to: i32) {
        let meshes = self.entities.iter_mut().filter_map(|entity| entity.mesh.as_mut());
        for bone in meshes.flat_map(|mesh| &mut mesh.bones).filter(|bone| bone.entity.get() == from) {
            bone.entity = to.into();
        }
    }

    /// The model before scales that move were taken out of it; `None` where that does not give this one.
    pub(super) fn with_moving_scales(&self, before: &BTreeMap<usize, Before>) -> Option<Self> {
        let mut model = self.clone();
        for (index, before) in before {
            let entity = model.entities.get_mut(*index)?;
            *entity = before.restored(entity)?;
        }
        let holders: BTreeMap<usize, usize> =
            before.iter().filter_map(|(index, before)| Some((before.holder?, *index))).collect();
        let first = self.entities.len().checked_sub(holders.len())?;
        // They are the last entities, one for each.
        if holders.keys().copied().ne(first..self.entities.len())
            || holders.values().any(|index| *index >= first)
        {
            return None;
        }
        for (holder, index) in &holders {
            let mesh = model.entities.get_mut(*holder)?.mesh.take();
            let entity = model.entities.get_mut(*index)?;
            if entity.mesh.is_some() {
                return None;
            }
            entity.mesh = mesh;
            model.rebind(i32::try_from(*holder).ok()?, i32::try_from(*index).ok()?);
        }
        model.entities.truncate(first);
        let mut again = model.clone();
        let keys = self.entities.iter().map(|entity| entity.keys.len()).sum();
        again.push_moving_scales(keys)?;
        let alike = again.entities.len() == self.entities.len()
            && again.entities.iter().zip(&self.entities).all(|(a, b)| is_alike(a, b));
        alike.then_some(model)
    }
}

/// Whether an entity has not the same scale all the time.
fn has_moving_scale(entity: &Entity) -> bool {
    let sound = |scale: [f32; 3]| scale.iter().all(|s| s.abs() < 1e6);
    let scales = || entity.keys.iter().map(Key::scale);
    scales().any(|scale| scale != entity.scale) && scales().chain([entity.scale]).all(sound)
}

/// Whether an entity is ever elsewhere than its parent.
fn is_away(entity: &Entity) -> bool {
    entity.position != [0.0; 3] || entity.keys.iter().any(|key| key.position() != [0.0; 3])
}

/// The keys of an entity below one whose scale it takes over; `None` for more than there may be.
fn scaled_keys(entity: &Entity, parent: &Entity, most: usize) -> Option<Vec<Key>> {
    let (own, above) = (Track::of(entity), Track::of(parent));
    let mut ends: Vec<i32> = own.frames().chain(above.frames()).collect();
    ends.sort_unstable();
    ends.dedup();
    // As many as any entity gets, see `lower`.
    let span = ends.first().zip(ends.last()).map_or(0, |(first, last)| i64::from(*last) - i64::from(*first));
    let room = super::lower::MAX_KEYS.saturating_sub(ends.len() as i64);
    let step = usize::try_from(span / room.max(1) + 1).unwrap_or(usize::MAX);
    let mut frames = Vec::new();
    for (i, end) in ends.iter().enumerate() {
        frames.push(*end);
        let Some(next) = ends.get(i + 1) else { break };
        if room > 0 && is_bent((&own.at(*end), &own.at(*next)), (above.at(*end).scale, above.at(*next).scale))
        {
            frames.extend((end.saturating_add(1)..*next).step_by(step));
        }
        if frames.len() > most {
            return None;
        }
    }
    let key = |frame: i32| {
        let (own, scale) = (own.at(frame), above.at(frame).scale);
        Key {
            frame: frame.into(),
            position: (own.position * scale).to_array().map(Into::into),
            scale: (own.scale * scale).to_array().map(Into::into),
            rotation: super::lower::wxyz(own.rotation).map(Into::into),
        }
    };
    Some(frames.into_iter().map(key).collect())
}

/// Whether the product of what moves and a factor that moves is not straight.
fn is_bent((a, b): (&Placement, &Placement), (from, to): (Vec3, Vec3)) -> bool {
    let bend = |a: Vec3, b: Vec3| {
        let off = ((b - a) * (to - from)).abs().max_element() / 4.0;
        off > BEND * (a * from).abs().max_element().max((b * to).abs().max_element())
    };
    bend(a.position, b.position) || bend(a.scale, b.scale)
}

/// Whether two entities are in one place all the time, but for rounding.
fn is_alike(a: &Entity, b: &Entity) -> bool {
    let near = |a: [f32; 3], b: [f32; 3]| {
        let (a, b) = (Vec3::from_array(a), Vec3::from_array(b));
        (a - b).abs().max_element() <= NOTE_TOLERANCE * a.abs().max_element().max(b.abs().max_element())
    };
    let keys = || a.keys.iter().zip(&b.keys);
    let alike = |(a, b): (&Key, &Key)| {
        a.frame == b.frame && near(a.position(), b.position()) && near(a.scale(), b.scale())
    };
    let placed = a.parent == b.parent && near(a.position, b.position) && near(a.scale, b.scale);
    placed && a.keys.len() == b.keys.len() && keys().all(alike)
}
