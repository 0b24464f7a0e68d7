//! What operations take in memory, foretold from what a Scene has, so that one that would take too much is refused before
//! it begins. How near that is to the truth is a test of the program: `tests/budget.rs`.

use super::Op;
use super::keys::resampled_keys;
use crate::scene::{Channel, Primitive, Scene, Stream};

/// A node with its name and notes, and what is known of it while it is worked on.
const NODE: u64 = 1024;
/// What is known of a node while meshes are worked on: its matrices, who shows what.
const KNOWN: u64 = 320;
/// A mesh with its name and notes, and a primitive of it.
const MESH: u64 = 1536;
/// What is kept for a vertex beside its streams: a key, its place in a table, whom it is equal to.
const VERTEX: u64 = 96;
/// What is kept for an index: the new one, its edge, its triangle.
const INDEX: u64 = 48;
/// The same while triangles are merged: quadrics, edges that collapse, which way they may, how far surfaces are apart.
#[cfg(feature = "simplify")]
const SIMPLIFIED_INDEX: u64 = 160;

/// What an operation takes beyond the Scene, in bytes: as found by measuring, and a little more.
pub(super) fn of(op: &Op, scene: &Scene) -> u64 {
    let (meshes, nodes) = (Sizes::of(scene), scene.nodes.len() as u64);
    let own = match op {
        Op::Scale(_) => 0,
        Op::Turn(_) => NODE.saturating_mul(nodes),
        Op::BakePose(_) => meshes.shown(scene, Size::baked),
        Op::Lines => meshes.stored(|size| size.indices * 8),
        Op::Weld | Op::WeldNear(_) | Op::Clean | Op::Weights(_) | Op::Join => meshes.stored(Size::copied),
        // At worst every corner gets a vertex of its own.
        Op::Normals { .. } | Op::Tangents | Op::Split(_) => meshes.stored(Size::with_own_corners),
        Op::Resample { fps } => {
            let keys = resampled_keys(scene, *fps);
            keys.map(|(channel, keys)| of_keys(channel, keys)).fold(0, u64::saturating_add)
        }
        Op::Keys(_) => {
            let channels = scene.animations.iter().flat_map(|animation| &animation.channels);
            channels.map(|channel| of_keys(channel, channel.times.len())).fold(0, u64::saturating_add)
        }
        #[cfg(feature = "simplify")]
        Op::Simplify(_) => meshes.stored(Size::simplified),
        #[cfg(feature = "simplify")]
        Op::Order => meshes.stored(Size::copied),
        #[cfg(feature = "simplify")]
        Op::Levels(ratios) => {
            let one = meshes.stored(Size::simplified).saturating_add(of_stand_ins(scene));
            one.saturating_mul(ratios.len().max(1) as u64)
        }
    };
    let sizes = size_of::<Size>() as u64 * scene.meshes.len() as u64;
    own.saturating_add(KNOWN.saturating_mul(nodes)).saturating_add(sizes)
}

/// What so many keys take in place of a channel's own: themselves, their times, and those between that are measured.
fn of_keys(channel: &Channel, keys: usize) -> u64 {
    let width = (channel.width() as u64).saturating_mul(4).saturating_add(48);
    width.saturating_mul(keys as u64)
}

/// What a stand-in for every node that shows something takes: it moves as the node does.
#[cfg(feature = "simplify")]
fn of_stand_ins(scene: &Scene) -> u64 {
    let nodes = scene.nodes.values().filter(|node| node.mesh.is_some()).count() as u64;
    let shows = |channel: &&Channel| scene.nodes.get(channel.node).is_some_and(|node| node.mesh.is_some());
    let moving = scene.animations.iter().flat_map(|animation| &animation.channels).filter(shows);
    let bytes = |channel: &Channel| 4 * (channel.times.len() + channel.values.len()) as u64 + NODE;
    moving.map(bytes).fold(nodes.saturating_mul(NODE), u64::saturating_add)
}

/// How large a mesh is.
#[derive(Clone, Copy, Default)]
struct Size {
    vertices: u64,
    indices: u64,
    /// The bytes of all streams.
    streams: u64,
}

impl Size {
    fn add(&mut self, primitive: &Primitive) {
        let bytes = |stream: &Stream<'_>| match stream {
            Stream::Joints(joints) => size_of_val(*joints) as u64,
            stream => size_of_val(stream.floats()) as u64,
        };
        self.vertices += primitive.vertex_count() as u64;
        self.indices += primitive.indices.len() as u64;
        self.streams += primitive.streams().iter().map(|(_, stream)| bytes(stream)).sum::<u64>();
    }

    fn baked(&self) -> u64 {
        MESH + self.streams * 2 + self.vertices * VERTEX + self.indices * 4
    }

    fn copied(&self) -> u64 {
        self.streams * 2 + self.vertices * VERTEX + self.indices * INDEX
    }

    fn with_own_corners(&self) -> u64 {
        let vertex = self.streams.checked_div(self.vertices).unwrap_or(0) + VERTEX;
        self.copied().saturating_add(vertex.saturating_mul(self.indices))
    }

    #[cfg(feature = "simplify")]
    fn simplified(&self) -> u64 {
        MESH + self.copied() + self.indices * SIMPLIFIED_INDEX
    }
}

/// How large all meshes are.
struct Sizes(Vec<Size>);

impl Sizes {
    fn of(scene: &Scene) -> Self {
        let size = |primitives: &[Primitive]| {
            let mut size = Size::default();
            primitives.iter().for_each(|primitive| size.add(primitive));
            size
        };
        Self(scene.meshes.values().map(|mesh| size(&mesh.primitives)).collect())
    }

    /// What all meshes take, each once.
    fn stored(&self, cost: impl Fn(&Size) -> u64) -> u64 {
        self.0.iter().map(cost).fold(0, u64::saturating_add)
    }

    /// What all meshes take, each as often as a node shows it, and once where none does.
    fn shown(&self, scene: &Scene, cost: impl Fn(&Size) -> u64) -> u64 {
        let shown = scene.nodes.values().filter_map(|node| self.0.get(node.mesh?.index()));
        shown.map(&cost).fold(self.stored(&cost), u64::saturating_add)
    }
}
