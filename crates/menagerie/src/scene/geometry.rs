//! Meshes, primitives and morph targets.

use std::collections::BTreeMap;

use super::{Extras, MaterialId};

/// Something that can be drawn: one or more primitives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Its name; may be empty.
    pub name: String,
    /// Its parts, each with one material.
    pub primitives: Vec<Primitive>,
    /// The weights of the morph targets when nobody says otherwise: none, or one for each target.
    pub weights: Vec<f32>,
    /// The names of the morph targets: none, or one for each target.
    pub target_names: Vec<String>,
    /// What only one format knows.
    pub extras: Extras,
}

impl Mesh {
    /// How many morph targets each primitive has.
    pub fn target_count(&self) -> usize {
        self.primitives.first().map_or(0, |primitive| primitive.targets.len())
    }
}

/// What the indices of a primitive draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Topology {
    /// Three indices a triangle.
    #[default]
    Triangles,
    /// Two indices a line.
    Lines,
    /// A line from each vertex to the next.
    LineStrip,
    /// A line strip that returns to its start.
    LineLoop,
    /// One index a point.
    Points,
}

/// Geometry with one material. All streams that are there have as many elements as `positions`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Primitive {
    /// What is drawn.
    pub topology: Topology,
    /// Which vertices are drawn, in order.
    pub indices: Vec<u32>,
    /// Where the vertices are.
    pub positions: Vec<[f32; 3]>,
    /// Unit normals; empty when there are none.
    pub normals: Vec<[f32; 3]>,
    /// Unit tangents, and the sign of the bitangent (sign · normal × tangent) as fourth; empty when there are none.
    pub tangents: Vec<[f32; 4]>,
    /// Sets of texture coordinates, at most eight.
    pub uvs: Vec<Vec<[f32; 2]>>,
    /// Sets of linear RGBA colours that multiply the base colour.
    pub colors: Vec<Vec<[f32; 4]>>,
    /// Sets of four joints, as positions in the skin's list.
    pub joints: Vec<Vec<[u16; 4]>>,
    /// The weights of `joints`; as many sets.
    pub weights: Vec<Vec<[f32; 4]>>,
    /// Displacements that are added with the morph weights.
    pub targets: Vec<MorphTarget>,
    /// Vertex attributes of an application's own, by name; the names begin with `_`.
    pub custom: BTreeMap<String, CustomAttribute>,
    /// The material; `None` for the default one.
    pub material: Option<MaterialId>,
    /// What only one format knows.
    pub extras: Extras,
}

impl Primitive {
    /// The triangles, three indices each; none for lines and points.
    pub fn triangles(&self) -> &[[u32; 3]] {
        match self.topology {
            Topology::Triangles => self.indices.as_chunks().0,
            _ => &[],
        }
    }

    /// For each vertex, whether a triangle draws it: what is lost of the others nobody sees.
    pub fn drawn(&self) -> Vec<bool> {
        let mut drawn = vec![false; self.positions.len()];
        for corner in self.triangles().iter().flatten() {
            if let Some(drawn) = drawn.get_mut(*corner as usize) {
                *drawn = true;
            }
        }
        drawn
    }

    /// The number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }
}

/// Displacements of the vertices of a primitive. Each stream is empty or as long as the primitive's positions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MorphTarget {
    /// Added to the positions.
    pub positions: Vec<[f32; 3]>,
    /// Added to the normals.
    pub normals: Vec<[f32; 3]>,
    /// Added to the tangents, not to their sign.
    pub tangents: Vec<[f32; 3]>,
    /// Added to the texture coordinates, set by set.
    pub uvs: Vec<Vec<[f32; 2]>>,
    /// Added to the colours, set by set.
    pub colors: Vec<Vec<[f32; 4]>>,
    /// What only one format knows.
    pub extras: Extras,
}

/// A vertex attribute that only an application knows.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomAttribute {
    /// Floats of one vertex: 1 to 4, or 9 or 16 for a matrix.
    pub width: usize,
    /// The values of all vertices.
    pub values: Vec<f32>,
}
