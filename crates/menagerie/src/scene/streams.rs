//! The streams of a primitive, one after the other, whatever they are called.
//!
//! What is done to vertices (choosing, joining, welding, turning, checking) is done to every stream by what its numbers
//! *are*, so a new attribute is a new line here and nowhere in the operations.

use glam::Vec3;

use super::{CustomAttribute, MorphTarget, Primitive};
use crate::diag::Aspect;

/// What the numbers of a stream are. It decides what becomes of them when a vertex moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StreamKind {
    /// Where vertices are.
    Place,
    /// Directions across the surface.
    Normal,
    /// Directions along the surface; in a primitive, not in its targets, a sign is the fourth number.
    Tangent,
    /// Texture coordinates.
    Uv,
    /// Colours.
    Color,
    /// Joints, by their number.
    Joints,
    /// Weights of joints.
    Weights,
    /// What only an application knows.
    Custom,
    /// The same, but a direction: raw normals and binormals that a format keeps.
    CustomDirection,
}

impl StreamKind {
    /// Whether its first three numbers are a place or direction, which turns with the axes.
    #[must_use]
    pub fn is_spatial(self) -> bool {
        matches!(self, Self::Place | Self::Normal | Self::Tangent | Self::CustomDirection)
    }
}

/// Which stream of a primitive it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// The morph target that it belongs to; `None` for the primitive's own.
    pub target: Option<usize>,
    /// What its numbers are.
    pub kind: StreamKind,
    /// Which of several sets.
    pub set: usize,
}

impl Slot {
    /// What a report calls it.
    #[must_use]
    pub fn aspect(&self) -> Aspect {
        match self.kind {
            _ if self.target.is_some() => Aspect::Morphs,
            StreamKind::Place => Aspect::Positions,
            StreamKind::Normal => Aspect::Normals,
            StreamKind::Tangent => Aspect::Tangents,
            StreamKind::Uv => Aspect::Uvs,
            StreamKind::Color => Aspect::Colors,
            StreamKind::Joints | StreamKind::Weights => Aspect::Skins,
            StreamKind::Custom | StreamKind::CustomDirection => Aspect::CustomAttributes,
        }
    }

    /// Whether its numbers are differences that are added, and not what is there.
    #[must_use]
    pub fn is_delta(&self) -> bool {
        self.target.is_some()
    }

    /// Whether the stream may be left out; sets and custom attributes that are there have all vertices.
    fn is_optional(&self) -> bool {
        self.is_delta() || matches!(self.kind, StreamKind::Normal | StreamKind::Tangent)
    }
}

/// The values of a stream: a row for each vertex, or nothing at all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stream<'a> {
    /// Floats, so many a vertex.
    Floats(usize, &'a [f32]),
    /// Numbers of joints.
    Joints(&'a [[u16; 4]]),
}

impl<'a> Stream<'a> {
    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Floats(_, values) => values.is_empty(),
            Self::Joints(values) => values.is_empty(),
        }
    }

    /// Whether there is a row for each of so many vertices.
    #[must_use]
    pub fn has_rows(&self, vertices: usize) -> bool {
        match self {
            Self::Floats(width, values) => Some(values.len()) == width.checked_mul(vertices),
            Self::Joints(values) => values.len() == vertices,
        }
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        match self {
            Self::Floats(width, values) => values.len() / (*width).max(1),
            Self::Joints(values) => values.len(),
        }
    }

    /// All floats; none of joints.
    #[must_use]
    pub fn floats(&self) -> &'a [f32] {
        match self {
            Self::Floats(_, values) => values,
            Self::Joints(_) => &[],
        }
    }

    /// The floats of one vertex; none where there is none, and of joints.
    #[must_use]
    pub fn row(&self, vertex: usize) -> &'a [f32] {
        match *self {
            Self::Floats(width, values) => {
                let start = vertex.saturating_mul(width);
                values.get(start..start.saturating_add(width)).unwrap_or_default()
            }
            Self::Joints(_) => &[],
        }
    }
}

/// A stream that can be changed, in length too.
#[derive(Debug)]
pub enum StreamMut<'a> {
    /// Two floats a vertex.
    Two(&'a mut Vec<[f32; 2]>),
    /// Three floats a vertex.
    Three(&'a mut Vec<[f32; 3]>),
    /// Four floats a vertex.
    Four(&'a mut Vec<[f32; 4]>),
    /// So many floats a vertex.
    Wide(usize, &'a mut Vec<f32>),
    /// Numbers of joints.
    Joints(&'a mut Vec<[u16; 4]>),
}

impl StreamMut<'_> {
    /// Appends the rows of some vertices of another stream of the same slot; those that it lacks are passed over.
    pub fn pick(&mut self, from: &Stream<'_>, vertices: &[u32]) {
        fn rows<const N: usize, T: Copy>(to: &mut Vec<[T; N]>, from: &[[T; N]], vertices: &[u32]) {
            if !from.is_empty() {
                to.reserve_exact(vertices.len());
                to.extend(vertices.iter().filter_map(|vertex| from.get(*vertex as usize)));
            }
        }
        match (self, from) {
            (Self::Two(to), Stream::Floats(2, from)) => rows(to, from.as_chunks().0, vertices),
            (Self::Three(to), Stream::Floats(3, from)) => rows(to, from.as_chunks().0, vertices),
            (Self::Four(to), Stream::Floats(4, from)) => rows(to, from.as_chunks().0, vertices),
            (Self::Joints(to), Stream::Joints(from)) => rows(to, from, vertices),
            (Self::Wide(width, to), Stream::Floats(other, _)) if width == other => {
                to.reserve_exact(vertices.len().saturating_mul(*width));
                to.extend(vertices.iter().flat_map(|vertex| from.row(*vertex as usize)));
            }
            _ => {}
        }
    }

    /// Appends all rows of another stream of the same slot.
    pub fn append(&mut self, from: &Stream<'_>) {
        match (self, from) {
            (Self::Two(to), Stream::Floats(2, from)) => to.extend(from.as_chunks().0),
            (Self::Three(to), Stream::Floats(3, from)) => to.extend(from.as_chunks().0),
            (Self::Four(to), Stream::Floats(4, from)) => to.extend(from.as_chunks().0),
            (Self::Joints(to), Stream::Joints(from)) => to.extend(*from),
            (Self::Wide(width, to), Stream::Floats(other, from)) if width == other => to.extend(*from),
            _ => {}
        }
    }

    /// Takes all rows away.
    pub fn clear(&mut self) {
        match self {
            Self::Two(list) => list.clear(),
            Self::Three(list) => list.clear(),
            Self::Four(list) => list.clear(),
            Self::Wide(_, list) => list.clear(),
            Self::Joints(list) => list.clear(),
        }
    }

    /// All floats, and how many a vertex has; none of joints.
    pub fn floats_mut(&mut self) -> (usize, &mut [f32]) {
        match self {
            Self::Two(list) => (2, list.as_flattened_mut()),
            Self::Three(list) => (3, list.as_flattened_mut()),
            Self::Four(list) => (4, list.as_flattened_mut()),
            Self::Wide(width, list) => (*width, list),
            Self::Joints(_) => (0, &mut []),
        }
    }

    /// The rows as directions or places: the first three numbers of each, and the sign behind them if there is one.
    pub fn vectors_mut(&mut self) -> impl Iterator<Item = (&mut [f32; 3], Option<&mut f32>)> {
        let (width, floats) = self.floats_mut();
        floats.chunks_exact_mut(width.max(1)).filter_map(|row| {
            let (vector, rest) = row.split_first_chunk_mut::<3>()?;
            Some((vector, rest.first_mut()))
        })
    }
}

/// Changes a vector in place by a function of vectors.
pub(crate) fn change(vector: &mut [f32; 3], with: impl FnOnce(Vec3) -> Vec3) {
    *vector = with(Vec3::from_array(*vector)).to_array();
}

/// The one list of what vertices have, for reading and for changing. Sets and targets come in order, and the order of
/// slots is the same for all primitives of one layout.
macro_rules! list_streams {
    ($primitive:ident as [$($borrow:tt)+], $wrap:ident) => {{
        use StreamKind::{Color, Joints, Normal, Place, Tangent, Uv, Weights};
        let own = |kind: StreamKind, set: usize| Slot { target: None, kind, set };
        let mut list = Vec::with_capacity(8);
        list.push((own(Place, 0), $wrap::three($($borrow)+ $primitive.positions)));
        list.push((own(Normal, 0), $wrap::three($($borrow)+ $primitive.normals)));
        list.push((own(Tangent, 0), $wrap::four($($borrow)+ $primitive.tangents)));
        let uvs = ($($borrow)+ $primitive.uvs).into_iter().enumerate();
        list.extend(uvs.map(|(set, values)| (own(Uv, set), $wrap::two(values))));
        let colors = ($($borrow)+ $primitive.colors).into_iter().enumerate();
        list.extend(colors.map(|(set, values)| (own(Color, set), $wrap::four(values))));
        let joints = ($($borrow)+ $primitive.joints).into_iter().enumerate();
        list.extend(joints.map(|(set, values)| (own(Joints, set), $wrap::Joints(values))));
        let weights = ($($borrow)+ $primitive.weights).into_iter().enumerate();
        list.extend(weights.map(|(set, values)| (own(Weights, set), $wrap::four(values))));
        for (number, target) in ($($borrow)+ $primitive.targets).into_iter().enumerate() {
            let of = |kind: StreamKind, set: usize| Slot { target: Some(number), kind, set };
            list.push((of(Place, 0), $wrap::three($($borrow)+ target.positions)));
            list.push((of(Normal, 0), $wrap::three($($borrow)+ target.normals)));
            list.push((of(Tangent, 0), $wrap::three($($borrow)+ target.tangents)));
            let uvs = ($($borrow)+ target.uvs).into_iter().enumerate();
            list.extend(uvs.map(|(set, values)| (of(Uv, set), $wrap::two(values))));
            let colors = ($($borrow)+ target.colors).into_iter().enumerate();
            list.extend(colors.map(|(set, values)| (of(Color, set), $wrap::four(values))));
        }
        for (number, (name, custom)) in ($($borrow)+ $primitive.custom).into_iter().enumerate() {
            let slot = own(custom_kind(name, custom.width), number);
            list.push((slot, $wrap::wide(custom.width, $($borrow)+ custom.values)));
        }
        list
    }};
}

impl<'a> Stream<'a> {
    fn two(list: &'a [[f32; 2]]) -> Self {
        Self::Floats(2, list.as_flattened())
    }

    fn three(list: &'a [[f32; 3]]) -> Self {
        Self::Floats(3, list.as_flattened())
    }

    fn four(list: &'a [[f32; 4]]) -> Self {
        Self::Floats(4, list.as_flattened())
    }

    fn wide(width: usize, list: &'a [f32]) -> Self {
        Self::Floats(width, list)
    }
}

impl<'a> StreamMut<'a> {
    fn two(list: &'a mut Vec<[f32; 2]>) -> Self {
        Self::Two(list)
    }

    fn three(list: &'a mut Vec<[f32; 3]>) -> Self {
        Self::Three(list)
    }

    fn four(list: &'a mut Vec<[f32; 4]>) -> Self {
        Self::Four(list)
    }

    fn wide(width: usize, list: &'a mut Vec<f32>) -> Self {
        Self::Wide(width, list)
    }
}

/// Raw normals and binormals that a format kept are directions too.
fn custom_kind(name: &str, width: usize) -> StreamKind {
    if width == 3 && name.contains("NORMAL") { StreamKind::CustomDirection } else { StreamKind::Custom }
}

impl Primitive {
    /// All streams, those that are empty included.
    #[must_use]
    pub fn streams(&self) -> Vec<(Slot, Stream<'_>)> {
        list_streams!(self as [&], Stream)
    }

    /// The same, to be changed.
    pub fn streams_mut(&mut self) -> Vec<(Slot, StreamMut<'_>)> {
        list_streams!(self as [&mut], StreamMut)
    }

    /// Its own streams of a kind, not those of its targets; those that are empty included.
    pub fn own_streams(&self, kind: StreamKind) -> impl Iterator<Item = Stream<'_>> {
        let is_own = move |slot: &Slot| slot.kind == kind && slot.target.is_none();
        self.streams().into_iter().filter(move |(slot, _)| is_own(slot)).map(|(_, stream)| stream)
    }

    /// The same primitive without any vertex or index: as many sets, targets and attributes, all of them empty.
    #[must_use]
    pub fn without_vertices(&self) -> Self {
        fn sets<T>(like: &[Vec<T>]) -> Vec<Vec<T>> {
            like.iter().map(|_| Vec::new()).collect()
        }
        let targets = self.targets.iter().map(|target| MorphTarget {
            uvs: sets(&target.uvs),
            colors: sets(&target.colors),
            extras: target.extras.clone(),
            ..MorphTarget::default()
        });
        let custom = self.custom.iter().map(|(name, custom)| {
            (name.clone(), CustomAttribute { width: custom.width, values: Vec::new() })
        });
        Self {
            topology: self.topology,
            uvs: sets(&self.uvs),
            colors: sets(&self.colors),
            joints: sets(&self.joints),
            weights: sets(&self.weights),
            targets: targets.collect(),
            custom: custom.collect(),
            material: self.material,
            extras: self.extras.clone(),
            ..Self::default()
        }
    }

    /// Lets go of all that does not say where vertices are and how they move.
    pub fn keep_shape(&mut self) {
        let targets = std::mem::take(&mut self.targets).into_iter();
        *self = Self {
            topology: self.topology,
            indices: std::mem::take(&mut self.indices),
            positions: std::mem::take(&mut self.positions),
            joints: std::mem::take(&mut self.joints),
            weights: std::mem::take(&mut self.weights),
            targets: targets
                .map(|target| MorphTarget {
                    positions: target.positions,
                    extras: target.extras,
                    ..MorphTarget::default()
                })
                .collect(),
            material: self.material,
            extras: std::mem::take(&mut self.extras),
            ..Self::default()
        };
    }

    /// The first stream that has not one row for each vertex, where it should: its slot and how many rows it has.
    pub(super) fn uneven_stream(&self) -> Option<(Slot, usize)> {
        let vertices = self.vertex_count();
        let right = |slot: &Slot, stream: &Stream<'_>| {
            stream.has_rows(vertices) || slot.is_optional() && stream.is_empty()
        };
        let wrong = |(slot, stream): &(Slot, Stream<'_>)| !right(slot, stream);
        self.streams().into_iter().find(wrong).map(|(slot, stream)| (slot, stream.rows()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full() -> Primitive {
        let target = MorphTarget {
            positions: vec![[1.0; 3]; 2],
            uvs: vec![vec![[2.0; 2]; 2]],
            ..MorphTarget::default()
        };
        let custom = [("_A", 1), ("_RAW_NORMAL", 3)]
            .map(|(name, width)| (name.to_owned(), CustomAttribute { width, values: vec![0.5; width * 2] }));
        Primitive {
            positions: vec![[0.0; 3], [1.0, 2.0, 3.0]],
            tangents: vec![[1.0, 0.0, 0.0, -1.0]; 2],
            joints: vec![vec![[1, 2, 3, 4]; 2]],
            weights: vec![vec![[1.0, 0.0, 0.0, 0.0]; 2]],
            targets: vec![target],
            custom: custom.into_iter().collect(),
            ..Primitive::default()
        }
    }

    #[test]
    fn reading_and_changing_see_the_same_slots() {
        let mut primitive = full();
        let read: Vec<Slot> = primitive.streams().into_iter().map(|(slot, _)| slot).collect();
        let changed: Vec<Slot> = primitive.streams_mut().into_iter().map(|(slot, _)| slot).collect();
        assert_eq!(read, changed);
        assert_eq!(
            read,
            primitive.without_vertices().streams().iter().map(|(slot, _)| *slot).collect::<Vec<_>>()
        );
        assert!(read.iter().any(|slot| slot.kind == StreamKind::CustomDirection));
    }

    #[test]
    fn all_rows_of_all_streams_make_the_same_primitive() {
        let primitive = full();
        for pick in [true, false] {
            let mut copy = primitive.without_vertices();
            for ((_, from), (_, mut to)) in primitive.streams().iter().zip(copy.streams_mut()) {
                if pick { to.pick(from, &[0, 1]) } else { to.append(from) }
            }
            assert_eq!(copy, primitive);
        }
    }

    #[test]
    fn streams_without_rows_are_those_of_a_primitive_without_vertices() {
        let mut primitive = full();
        let tangents: Vec<Stream<'_>> = primitive.own_streams(StreamKind::Tangent).collect();
        assert_eq!(tangents, [Stream::four(&primitive.tangents)]);
        primitive.streams_mut().iter_mut().for_each(|(_, stream)| stream.clear());
        assert_eq!(primitive, full().without_vertices());
    }

    #[test]
    fn streams_of_another_length_are_found() {
        let mut primitive = full();
        assert_eq!(primitive.uneven_stream(), None);
        primitive.targets[0].uvs[0].pop();
        let (slot, rows) = primitive.uneven_stream().unwrap();
        assert_eq!((slot.target, slot.kind, rows), (Some(0), StreamKind::Uv, 1));
    }
}
