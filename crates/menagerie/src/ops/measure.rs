//! Area, volume and edges of a surface.

use glam::{DVec3, Vec3};

use super::Welder;
use crate::scene::{Pose, Scene};

/// What the surface of a model measures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Measure {
    /// Different places of corners: the vertices when equal ones are welded.
    pub welded_vertices: usize,
    /// Triangles, without those whose corners are not three places.
    pub triangles: usize,
    /// Triangles whose corners are not three places.
    pub degenerate: usize,
    /// In square units.
    pub area: f64,
    /// In cubic units, above zero when the front of the triangles looks outward. It means something for a watertight
    /// surface only.
    pub volume: f64,
    /// Edges that only one triangle has: holes.
    pub open_edges: usize,
    /// Edges that more than two triangles have.
    pub crowded_edges: usize,
    /// Edges that two triangles go along in the same direction: one of them shows its back.
    pub turned_edges: usize,
}

impl Measure {
    /// Whether the surface has an inside and an outside: every edge has exactly two triangles.
    pub fn is_watertight(&self) -> bool {
        self.triangles > 0 && self.open_edges == 0 && self.crowded_edges == 0
    }
}

/// Measures all triangles that the shown scene draws, where they are at rest. Corners in exactly the same place count as
/// one vertex, whatever the mesh says. It takes time in proportion to the number of triangles.
pub fn measure(scene: &Scene) -> Measure {
    let mut surface = Surface::default();
    let pose = Pose::rest(scene);
    if let Some(root) = scene.shown() {
        let hidden = hidden_nodes(scene);
        for id in scene.walk(&root.roots) {
            let Some(node) = scene.nodes.get(id).filter(|_| !hidden.get(id.index()).copied().unwrap_or(true))
            else {
                continue;
            };
            let mesh = node.mesh.and_then(|mesh| scene.meshes.get(mesh));
            for primitive in mesh.iter().flat_map(|mesh| &mesh.primitives) {
                surface.add(&pose.positions(scene, id, primitive), primitive.triangles());
            }
        }
    }
    surface.finish()
}

/// For each node, whether it or one above it is hidden.
fn hidden_nodes(scene: &Scene) -> Vec<bool> {
    let mut hidden = vec![false; scene.nodes.len()];
    if let Some(root) = scene.shown() {
        for id in scene.walk(&root.roots) {
            let Some(node) = scene.nodes.get(id) else { continue };
            let own = !node.visible || hidden.get(id.index()).copied().unwrap_or_default();
            for place in std::iter::once(&id).chain(&node.children) {
                if let Some(place) = hidden.get_mut(place.index()) {
                    *place |= own;
                }
            }
        }
    }
    hidden
}

#[derive(Default)]
struct Surface {
    places: Welder<3>,
    /// The triangles by the numbers of their places.
    triangles: Vec<[u32; 3]>,
    origin: Option<DVec3>,
    measure: Measure,
}

impl Surface {
    fn add(&mut self, positions: &[Vec3], triangles: &[[u32; 3]]) {
        let mut numbers: Vec<u32> = vec![u32::MAX; positions.len()];
        for triangle in triangles {
            let mut corners = [(0u32, DVec3::ZERO); 3];
            for (corner, index) in corners.iter_mut().zip(triangle) {
                let (Some(position), Some(number)) =
                    (positions.get(*index as usize), numbers.get_mut(*index as usize))
                else {
                    continue;
                };
                if *number == u32::MAX {
                    // Adding zero makes one of both zeros.
                    *number = self.places.add(position.to_array().map(|x| (x + 0.0).to_bits()));
                }
                *corner = (*number, position.as_dvec3());
            }
            self.triangle(corners);
        }
    }

    fn triangle(&mut self, corners: [(u32, DVec3); 3]) {
        let [(i, a), (j, b), (k, c)] = corners;
        if i == j || j == k || k == i {
            self.measure.degenerate += 1;
            return;
        }
        let origin = *self.origin.get_or_insert(a);
        let (a, b, c) = (a - origin, b - origin, c - origin);
        self.measure.triangles += 1;
        self.measure.area += (b - a).cross(c - a).length() / 2.0;
        self.measure.volume += a.dot(b.cross(c)) / 6.0;
        self.triangles.push([i, j, k]);
    }

    fn finish(mut self) -> Measure {
        let places = self.places.into_keys().len();
        self.measure.welded_vertices = places;
        let mut count = |uses: &[u64]| match (uses.iter().filter(|way| **way & 1 == 0).count(), uses.len()) {
            (1, 2) => {}
            (_, 2) => self.measure.turned_edges += 1,
            (_, 1) => self.measure.open_edges += 1,
            _ => self.measure.crowded_edges += 1,
        };
        // Edges are put in order of their lower place, with as many steps as there are edges.
        let edges = || self.triangles.iter().flat_map(|&[i, j, k]| [[i, j], [j, k], [k, i]]);
        let lower = |[from, to]: [u32; 2]| from.min(to) as usize;
        let mut ends = vec![0usize; places];
        edges().for_each(|edge| ends[lower(edge)] += 1);
        let mut sum = 0;
        for end in &mut ends {
            (*end, sum) = (sum, sum + *end);
        }
        // Of each its upper place, and in the lowest bit whether it goes down.
        let mut uses = vec![0u64; sum];
        for edge @ [from, to] in edges() {
            let end = &mut ends[lower(edge)];
            uses[*end] = u64::from(from.max(to)) << 1 | u64::from(from > to);
            *end += 1;
        }
        let mut start = 0;
        for end in ends {
            let around = &mut uses[start..end];
            around.sort_unstable();
            around.chunk_by(|a, b| a >> 1 == b >> 1).for_each(&mut count);
            start = end;
        }
        self.measure
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Mesh, Node, Primitive, SceneRoot};

    /// A box of 2 by 3 by 4 whose corners are not shared.
    fn cuboid(leave_out: usize) -> Scene {
        let corner = |i: u32| [(i & 1) as f32 * 2.0, (i >> 1 & 1) as f32 * 3.0, (i >> 2 & 1) as f32 * 4.0];
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]);
        let positions: Vec<[f32; 3]> = triangles.skip(leave_out).flatten().map(corner).collect();
        let indices = (0..positions.len() as u32).collect();
        let mut scene = Scene::default();
        let primitive = Primitive { positions, indices, ..Primitive::default() };
        let mesh = scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
        let root = scene.nodes.push(Node { mesh: Some(mesh), ..Node::default() });
        scene.scenes.push(SceneRoot { roots: vec![root], ..SceneRoot::default() });
        scene
    }

    #[test]
    fn a_box_measures_what_a_box_measures() {
        let measure = measure(&cuboid(0));
        assert_eq!((measure.welded_vertices, measure.triangles), (8, 12));
        assert!(measure.is_watertight() && measure.turned_edges == 0);
        assert!((measure.area - 52.0).abs() < 1e-9 && (measure.volume - 24.0).abs() < 1e-9, "{measure:?}");
    }

    #[test]
    fn a_box_with_a_hole_leaks() {
        let measure = measure(&cuboid(1));
        assert!(!measure.is_watertight());
        assert_eq!(measure.open_edges, 3);
    }

    #[test]
    fn a_triangle_that_shows_its_back_and_one_too_many_are_found() {
        let indices = |scene: &mut Scene, change: fn(&mut Vec<u32>)| {
            scene.meshes.values_mut().for_each(|mesh| change(&mut mesh.primitives[0].indices));
        };
        let mut turned = cuboid(0);
        indices(&mut turned, |indices| indices.swap(0, 1));
        assert_eq!(measure(&turned).turned_edges, 3);
        let mut crowded = cuboid(0);
        indices(&mut crowded, |indices| indices.extend_from_within(..3));
        assert_eq!((measure(&crowded).crowded_edges, measure(&crowded).is_watertight()), (3, false));
    }
}
