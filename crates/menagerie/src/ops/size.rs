//! What a Scene costs to draw.

use crate::scene::{Hidden, Primitive, Scene, Topology, drawn_nodes};

/// How much there is of what costs time and memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SceneSize {
    /// Nodes.
    pub nodes: usize,
    /// Meshes.
    pub meshes: usize,
    /// Primitives of all meshes.
    pub primitives: usize,
    /// Vertices of all primitives.
    pub vertices: usize,
    /// Triangles of all primitives.
    pub triangles: usize,
    /// Keys of all channels of all animations.
    pub keys: usize,
    /// Vertices that a graphics card computes for a triangle, see [`cache_misses`]; `None` without triangles.
    pub misses: Option<f64>,
}

impl SceneSize {
    /// Counts a Scene.
    pub fn of(scene: &Scene) -> Self {
        let primitives = || scene.meshes.values().flat_map(|mesh| &mesh.primitives);
        let triangles = primitives().map(|primitive| primitive.triangles().len()).sum();
        let misses: usize = primitives().map(cache_misses).sum();
        let channels = scene.animations.iter().flat_map(|animation| &animation.channels);
        Self {
            nodes: scene.nodes.len(),
            meshes: scene.meshes.len(),
            primitives: primitives().count(),
            vertices: primitives().map(Primitive::vertex_count).sum(),
            triangles,
            keys: channels.map(|channel| channel.times.len()).sum(),
            misses: (triangles > 0).then(|| misses as f64 / triangles as f64),
        }
    }
}

/// Vertices that a graphics card keeps at hand.
const CACHE: usize = 16;

/// How many vertices a graphics card computes to draw the triangles in their order, if it keeps the last 16 of them
/// at hand. Real ones differ, but what is good for this is good for them.
pub fn cache_misses(primitive: &Primitive) -> usize {
    if primitive.topology != Topology::Triangles {
        return 0;
    }
    // For each vertex, how many had been computed when it was last computed.
    let mut computed = vec![0usize; primitive.vertex_count()];
    let mut misses = 0;
    for index in &primitive.indices {
        let Some(last) = computed.get_mut(*index as usize) else { continue };
        if *last == 0 || misses >= *last + CACHE {
            misses += 1;
            *last = misses;
        }
    }
    misses
}

/// Vertices and triangles that are drawn when every node shows its mesh, hidden ones too: a mesh that many nodes show
/// counts as often. What a target without instances has to hold.
pub fn drawn(scene: &Scene) -> (u64, u64) {
    let mut of_mesh: Vec<Option<(u64, u64)>> = vec![None; scene.meshes.len()];
    let (mut vertices, mut triangles) = (0u64, 0u64);
    for node in drawn_nodes(scene, Hidden::Counts) {
        let Some(id) = scene.nodes.get(node).and_then(|node| node.mesh) else { continue };
        let (Some(mesh), Some(known)) = (scene.meshes.get(id), of_mesh.get_mut(id.index())) else { continue };
        let (v, t) = *known.get_or_insert_with(|| {
            let sum = |count: fn(&Primitive) -> usize| {
                mesh.primitives.iter().map(|primitive| count(primitive) as u64).sum()
            };
            (sum(|p| p.vertex_count()), sum(|p| p.triangles().len()))
        });
        vertices = vertices.saturating_add(v);
        triangles = triangles.saturating_add(t);
    }
    (vertices, triangles)
}
