//! Morph targets put into a shape.

use glam::Vec3;

use crate::scene::{Primitive, Slot, StreamKind, change, unit_vector};

/// Puts the shape that some morph weights give into a primitive's own vertices; the targets are gone then.
pub fn bake_morphs(primitive: &mut Primitive, weights: &[f32]) {
    let targets = std::mem::take(&mut primitive.targets);
    // The streams of a primitive that has nothing but its targets are theirs.
    let deltas = Primitive { targets, ..Primitive::default() };
    let weight = |slot: &Slot| slot.target.and_then(|target| weights.get(target)).copied().unwrap_or(0.0);
    let deltas = deltas.streams().into_iter().filter(|(slot, _)| weight(slot) != 0.0);
    let deltas: Vec<_> = deltas.collect();
    for (slot, mut own) in primitive.streams_mut() {
        let (width, values) = own.floats_mut();
        let same = |other: &Slot| (other.kind, other.set) == (slot.kind, slot.set);
        for (other, added) in deltas.iter().filter(|(other, _)| same(other)) {
            let weight = weight(other);
            for (vertex, row) in values.chunks_exact_mut(width.max(1)).enumerate() {
                row.iter_mut().zip(added.row(vertex)).for_each(|(value, delta)| *value += delta * weight);
            }
        }
        let default = match slot.kind {
            StreamKind::Normal => Vec3::Y,
            StreamKind::Tangent => Vec3::X,
            _ => continue,
        };
        own.vectors_mut().for_each(|(vector, _)| change(vector, |v| unit_vector(v).unwrap_or(default)));
    }
}
