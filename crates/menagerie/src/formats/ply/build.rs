//! Rows of a file, as they come, to what a Scene holds.

use std::collections::HashMap;

use glam::Vec3;

use super::codes;
use super::columns::{Column, Vertices};
use super::header::{Header, Scalar};
use crate::bytes::{Span, extend_tight, push_tight};
use crate::diag::{Aspect, Code, Issue, Issues, NOT_FINITE};
use crate::ops::triangulate;

/// What is in a file, as far as a Scene can hold it, in the file's own axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Contents {
    pub(super) vertices: Vertices,
    /// Triangles, three vertices each.
    pub(super) triangles: Vec<u32>,
    /// Lines, two vertices each.
    pub(super) lines: Vec<u32>,
    /// Triangles that the faces of the file make, before any is left out.
    pub(super) stated_triangles: usize,
    /// Rows of each element that were found.
    pub(super) rows: Vec<usize>,
}

/// A row of an element, for whoever has to look it up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    pub(super) index: usize,
    pub(super) span: Span,
}

/// Gathers the contents as the rows come.
pub(super) struct Builder<'a> {
    pub(super) issues: &'a mut Issues,
    pub(super) contents: Contents,
    /// The rows of `vertex` that there will be; faces may come before them.
    vertex_count: u64,
    /// Faces of more than three corners, which need their vertices to be cut: so many numbers, then these.
    waiting: Vec<u32>,
    polygons: usize,
    first_polygon: Option<Row>,
    /// Faces that name a vertex that does not exist.
    lost_faces: usize,
    /// Vertices that have got texture coordinates from a face, and those that had to be split for others.
    wedges: Wedges,
}

#[derive(Default)]
struct Wedges {
    has: Vec<bool>,
    split: HashMap<(u32, [u32; 2]), u32>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(header: &Header, issues: &'a mut Issues) -> Self {
        let vertex = header.elements.iter().find(|element| element.name == "vertex");
        Self {
            issues,
            contents: Contents::default(),
            vertex_count: vertex.map_or(0, |vertex| vertex.count),
            waiting: Vec::new(),
            polygons: 0,
            first_polygon: None,
            lost_faces: 0,
            wedges: Wedges::default(),
        }
    }

    pub(super) fn report(
        &mut self,
        code: &'static Code,
        element: &str,
        row: Row,
        message: impl FnOnce() -> String,
    ) {
        self.issues.push_with(code, || {
            Issue::new(code, format!("{element}[{}]", row.index), message()).at(row.span)
        });
    }

    /// Looks at vertices that are all there: what is not finite becomes zero.
    pub(super) fn check_vertices(&mut self, from: usize, span_of: impl Fn(usize) -> Span) {
        let Vertices { positions, normals, uvs, colors, custom } = &mut self.contents.vertices;
        let mut broken: Vec<usize> = Vec::new();
        fn mend<const N: usize>(list: &mut [[f32; N]], from: usize, default: f32, broken: &mut Vec<usize>) {
            for (i, row) in list.get_mut(from..).unwrap_or_default().iter_mut().enumerate() {
                if row.iter().any(|x| !x.is_finite()) {
                    row.iter_mut().filter(|x| !x.is_finite()).for_each(|x| *x = default);
                    broken.push(from + i);
                }
            }
        }
        mend(positions, from, 0.0, &mut broken);
        mend(normals, from, 0.0, &mut broken);
        mend(uvs, from, 0.0, &mut broken);
        mend(colors, from, 1.0, &mut broken);
        for (_, values) in custom {
            for (i, value) in values.get_mut(from..).unwrap_or_default().iter_mut().enumerate() {
                if !value.is_finite() {
                    *value = 0.0;
                    broken.push(from + i);
                }
            }
        }
        let pointless = |normal: &[f32; 3]| normal.iter().all(|x| *x == 0.0);
        let zeros = normals
            .get(from..)
            .unwrap_or_default()
            .iter()
            .enumerate()
            .filter(|(_, normal)| pointless(normal));
        let zeros: Vec<usize> = zeros.map(|(i, _)| from + i).collect();
        for index in zeros {
            let row = Row { index, span: span_of(index) };
            self.report(&codes::NORMAL_LENGTH, "vertex", row, || "its normal has no length".to_owned());
        }
        broken.sort_unstable();
        broken.dedup();
        let rows = self.contents.vertices.positions.len().saturating_sub(from);
        self.issues.give_up(Aspect::Positions, "finite vertices", "vertex", (broken.len(), rows));
        for index in broken {
            let row = Row { index, span: span_of(index) };
            self.report(&NOT_FINITE, "vertex", row, || {
                "a value is not finite; zero is taken in its place".to_owned()
            });
        }
    }

    /// Whether all vertices were read.
    fn has_vertices(&self) -> bool {
        self.contents.vertices.positions.len() as u64 >= self.vertex_count
    }

    /// A triangle: the common face.
    #[inline]
    pub(super) fn triangle(&mut self, corners: [u32; 3], row: Row) {
        self.contents.stated_triangles += 1;
        let vertices = self.vertex_count;
        if corners.iter().any(|corner| u64::from(*corner) >= vertices) {
            self.out_of_range(&corners, row);
            return;
        }
        extend_tight(&mut self.contents.triangles, &corners);
        let positions = &self.contents.vertices.positions;
        let place = |i: u32| positions.get(i as usize).copied().map(Vec3::from_array);
        let [a, b, c] = corners.map(place);
        let same = corners[0] == corners[1] || corners[1] == corners[2] || corners[2] == corners[0];
        let flat = match (a, b, c) {
            (Some(a), Some(b), Some(c)) => (b - a).cross(c - a) == Vec3::ZERO,
            _ => false,
        };
        if same || flat {
            self.report(&codes::DEGENERATE, "face", row, || {
                "its corners lie on a line, or in one place".to_owned()
            });
        }
    }

    #[cold]
    fn out_of_range(&mut self, corners: &[u32], row: Row) {
        let count = self.vertex_count;
        let wrong = corners.iter().find(|corner| u64::from(**corner) >= count).copied().unwrap_or_default();
        self.lost_faces += 1;
        self.report(&codes::INDEX, "face", row, || {
            format!("vertex {} is past the last of {count}; the face is left out", wrong as i32)
        });
    }

    /// A face of any number of corners.
    pub(super) fn face(&mut self, corners: &[u32], row: Row) {
        match *corners {
            [a, b, c] => self.triangle([a, b, c], row),
            [] | [_] | [_, _] => {
                let left = "faces with fewer than three corners are left out";
                self.issues.leave_out(Aspect::Topology, left, "face", 1);
                self.report(&codes::CORNER_COUNT, "face", row, || format!("it has {} corners", corners.len()))
            }
            _ => {
                self.polygons += 1;
                self.first_polygon.get_or_insert(row);
                if corners.iter().any(|corner| u64::from(*corner) >= self.vertex_count) {
                    self.contents.stated_triangles += corners.len() - 2;
                    self.out_of_range(corners, row);
                } else if self.has_vertices() {
                    self.polygon(corners, row);
                } else {
                    self.contents.stated_triangles += corners.len() - 2;
                    push_tight(&mut self.waiting, corners.len() as u32);
                    extend_tight(&mut self.waiting, corners);
                }
            }
        }
    }

    fn polygon(&mut self, corners: &[u32], row: Row) {
        let positions = &self.contents.vertices.positions;
        let places: Vec<[f32; 3]> =
            corners.iter().map(|i| positions.get(*i as usize).copied().unwrap_or_default()).collect();
        for triangle in triangulate(&places) {
            self.triangle(triangle.map(|i| corners.get(i as usize).copied().unwrap_or_default()), row);
        }
    }

    /// A face whose corners have texture coordinates of their own; vertices that have others already are split.
    pub(super) fn face_with_uvs(&mut self, corners: &[u32], uvs: &[f32], row: Row) {
        let pairs = uvs.as_chunks::<2>().0;
        let whole =
            corners.iter().all(|corner| u64::from(*corner) < self.vertex_count) && self.has_vertices();
        if pairs.len() != corners.len() || !whole {
            return self.face(corners, row);
        }
        let split: Vec<u32> =
            corners.iter().zip(pairs).map(|(corner, uv)| self.wedge(*corner, *uv)).collect();
        // Splitting made more vertices, all of which are there.
        self.vertex_count = self.vertex_count.max(self.contents.vertices.positions.len() as u64);
        self.face(&split, row);
    }

    fn wedge(&mut self, vertex: u32, uv: [f32; 2]) -> u32 {
        let uv = uv.map(|x| if x.is_finite() { x } else { 0.0 });
        let vertices = &mut self.contents.vertices;
        let count = vertices.positions.len();
        vertices.uvs.resize(count, [0.0; 2]);
        self.wedges.has.resize(count, false);
        let at = vertex as usize;
        if let (Some(has), Some(place)) = (self.wedges.has.get_mut(at), vertices.uvs.get_mut(at)) {
            if !*has {
                *has = true;
                *place = uv;
            }
            if *place == uv {
                return vertex;
            }
        }
        let key = (vertex, uv.map(f32::to_bits));
        if let Some(known) = self.wedges.split.get(&key) {
            return *known;
        }
        fn again<T: Copy>(list: &mut Vec<T>, at: usize) {
            if let Some(value) = list.get(at).copied() {
                push_tight(list, value);
            }
        }
        again(&mut vertices.positions, at);
        again(&mut vertices.normals, at);
        again(&mut vertices.colors, at);
        vertices.custom.iter_mut().for_each(|(_, values)| again(values, at));
        push_tight(&mut vertices.uvs, uv);
        self.wedges.has.push(true);
        let new = u32::try_from(count).unwrap_or(u32::MAX);
        self.wedges.split.insert(key, new);
        new
    }

    /// A strip of triangles; minus one begins a new one.
    pub(super) fn strip(&mut self, corners: &[u32], row: Row) {
        for piece in corners.split(|corner| *corner == u32::MAX) {
            for (i, triangle) in piece.windows(3).enumerate() {
                let [a, b, c] = *triangle else { continue };
                // A repeated corner only turns the strip round.
                if a != b && b != c && c != a {
                    self.triangle(if i % 2 == 0 { [a, b, c] } else { [b, a, c] }, row);
                }
            }
        }
    }

    /// A line.
    pub(super) fn edge(&mut self, ends: [u32; 2], row: Row) {
        if ends.iter().any(|end| u64::from(*end) >= self.vertex_count) {
            let count = self.vertex_count;
            self.issues.give_up(Aspect::Topology, "lines", "edge", (1, 1));
            self.report(&codes::INDEX, "edge", row, || {
                format!("an end is past the last of {count} vertices")
            });
            return;
        }
        extend_tight(&mut self.contents.lines, &ends);
    }

    /// One value of a vertex.
    pub(super) fn vertex_value(&mut self, row: usize, column: Column, scalar: Scalar, value: f64) {
        self.contents.vertices.set(row, column, scalar, value);
    }

    /// Everything, when the last row was read: faces that came before their vertices are cut now.
    pub(super) fn finish(mut self, end: u64) -> Contents {
        let mut waiting = std::mem::take(&mut self.waiting).into_iter();
        let row = Row { index: 0, span: Span { start: end, end } };
        while let Some(count) = waiting.next() {
            let corners: Vec<u32> = waiting.by_ref().take(count as usize).collect();
            self.contents.stated_triangles -= corners.len().saturating_sub(2);
            self.polygon(&corners, row);
        }
        if let Some(first) = self.first_polygon {
            let polygons = self.polygons;
            self.report(&codes::POLYGONS, "face", first, || {
                format!("{polygons} faces have more than three corners; this is the first")
            });
        }
        // What was promised and never came, nothing may refer to.
        let found = self.contents.vertices.positions.len() as u32;
        if u64::from(found) < self.vertex_count {
            let (triangles, lines) = (self.contents.triangles.len() / 3, self.contents.lines.len() / 2);
            drop_past(&mut self.contents.triangles, 3, found);
            drop_past(&mut self.contents.lines, 2, found);
            let lost = triangles - self.contents.triangles.len() / 3;
            self.issues.give_up(Aspect::Topology, "triangles", "face", (lost, triangles));
            let lost = lines - self.contents.lines.len() / 2;
            self.issues.give_up(Aspect::Topology, "lines", "edge", (lost, lines));
        }
        let faces = self.lost_faces + self.contents.triangles.len() / 3;
        self.issues.give_up(Aspect::Topology, "faces", "face", (self.lost_faces, faces));
        let Contents { vertices, triangles, lines, .. } = &mut self.contents;
        triangles.shrink_to_fit();
        lines.shrink_to_fit();
        vertices.positions.shrink_to_fit();
        vertices.normals.shrink_to_fit();
        vertices.uvs.shrink_to_fit();
        vertices.colors.shrink_to_fit();
        self.contents
    }
}

/// Leaves out groups of indices of which one is past the vertices that there are.
fn drop_past(indices: &mut Vec<u32>, group: usize, vertices: u32) {
    let kept: Vec<u32> = indices
        .chunks(group)
        .filter(|group| group.iter().all(|i| *i < vertices))
        .flatten()
        .copied()
        .collect();
    *indices = kept;
}
