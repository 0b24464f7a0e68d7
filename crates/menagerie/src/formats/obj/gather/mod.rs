//! Puts the pieces of a file together.

pub(super) mod indices;
pub(super) mod weld;

use std::collections::BTreeMap;

use glam::Vec3;

use crate::bytes::{Limits, Span, extend_tight, resize_tight};
use crate::diag::{Aspect, Issue, Issues};
use crate::formats::obj::codes;
use crate::formats::obj::gather::indices::Indices;
use crate::formats::obj::gather::weld::{Table, Vertices, Weld};
use crate::formats::obj::parse::{Change, Corner, Counts, Element, Kind, Piece};
use crate::ops::{cut_quad, triangulate};
use crate::scene::Topology;

/// Places that are remembered of numbers that are too large as yet.
const MOST_SUSPECTS: usize = 4096;
/// What stands for the normal of a corner that has none, in the smoothing group of the lower bits.
pub(super) const SMOOTHED: u32 = 1 << 31;

/// What is in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Gathered {
    pub(super) positions: Vec<[f32; 3]>,
    pub(super) colors: Vec<[f32; 4]>,
    pub(super) uvs: Vec<[f32; 2]>,
    pub(super) normals: Vec<[f32; 3]>,
    /// What the vertices that the parts use are made of.
    pub(super) vertices: Vertices,
    /// The largest numbers that corners have.
    pub(super) largest: Corner,
    pub(super) parts: Vec<Part>,
    /// Whether the file has smoothing groups: then faces in none are flat.
    pub(super) smooths: bool,
    /// Names of objects, each as often as it is begun.
    pub(super) objects: Vec<Vec<u8>>,
    pub(super) groups: Vec<Vec<u8>>,
    pub(super) materials: Vec<Vec<u8>>,
    /// The libraries, and the lines that name them.
    pub(super) libraries: Vec<(Vec<u8>, Span)>,
    pub(super) faces: usize,
    pub(super) lines: usize,
    pub(super) points: usize,
    pub(super) triangles: usize,
    pub(super) statements: usize,
}

/// Elements of one kind with the same object, group and material.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) key: Key,
    pub(super) indices: Indices,
}

/// What a part belongs to, as places in the lists of names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) object: Option<usize>,
    pub(super) group: Option<usize>,
    pub(super) material: Option<usize>,
    pub(super) topology: Topology,
}

/// A corner whose numbers are larger than what was known then.
struct Suspect {
    corner: Corner,
    span: Span,
    line: usize,
}

/// Gathers pieces in their order.
#[derive(Default)]
pub(super) struct Gatherer {
    gathered: Gathered,
    weld: Weld,
    issues: Issues,
    lines: usize,
    names: BTreeMap<(u8, Vec<u8>), usize>,
    parts: BTreeMap<Key, usize>,
    object: Name,
    group: Name,
    material: Name,
    /// The part of each topology that elements go to, until something changes.
    current: [Option<usize>; 3],
    smoothing: u32,
    first_smoothing: Option<Span>,
    empty: usize,
    first_empty: Option<Span>,
    suspects: Vec<Suspect>,
    /// The last line, when it has no end.
    open_line: Option<Span>,
    /// Faces, lines and points that had to be given up.
    lost: usize,
    /// Parts that are kept apart.
    most_parts: usize,
}

/// A name that takes effect with the next element.
#[derive(Default)]
struct Name {
    waiting: Option<(Vec<u8>, Span)>,
    known: Option<usize>,
}

/// What a name is of.
enum Of {
    Object,
    Group,
}

impl Gatherer {
    /// Nothing yet.
    pub(super) fn new(limits: &Limits) -> Self {
        Self { issues: Issues::new(limits.issues_per_code), most_parts: limits.parts, ..Self::default() }
    }

    /// What is known so far.
    pub(super) fn counts(&self) -> Counts {
        let gathered = &self.gathered;
        Counts {
            positions: gathered.positions.len(),
            uvs: gathered.uvs.len(),
            normals: gathered.normals.len(),
        }
    }

    /// Lines so far.
    pub(super) fn lines(&self) -> usize {
        self.lines
    }

    /// Adds the next piece, which is at `offset` and was made of `text`.
    pub(super) fn add(&mut self, piece: Piece, text: &[u8], offset: u64) {
        let gathered = &mut self.gathered;
        if !piece.colors.is_empty() || !gathered.colors.is_empty() {
            resize_tight(&mut gathered.colors, gathered.positions.len(), [1.0; 4]);
            extend_tight(&mut gathered.colors, &piece.colors);
        }
        extend_tight(&mut gathered.positions, &piece.positions);
        if !gathered.colors.is_empty() {
            resize_tight(&mut gathered.colors, gathered.positions.len(), [1.0; 4]);
        }
        extend_tight(&mut gathered.uvs, &piece.uvs);
        extend_tight(&mut gathered.normals, &piece.normals);
        gathered.statements += piece.statements;
        for (largest, number) in gathered.largest.iter_mut().zip(piece.largest) {
            *largest = number.max(*largest);
        }
        let known = self.counts();
        let suspicious = is_past(piece.largest, known);
        let mut corners = &piece.corners[..];
        for element in &piece.elements {
            if element.kind == Kind::Change {
                let span = line_span(text, element.at, offset);
                if let Some(change) = piece.changes.get(element.count as usize) {
                    self.change(change, span);
                }
                continue;
            }
            let (own, rest) = corners.split_at_checked(element.count as usize).unwrap_or((corners, &[]));
            corners = rest;
            if suspicious && own.iter().any(|corner| is_past(*corner, known)) {
                self.suspect(own, known, element, text, offset);
            }
            self.element(element, own, text, offset);
        }
        self.open_line = open_line(text, offset);
        self.lines += piece.lines;
        self.lost += piece.lost;
        self.issues.append(piece.issues);
    }

    fn change(&mut self, change: &Change, span: Span) {
        match change {
            Change::Smoothing(group) => {
                self.smoothing = *group;
                if *group > 0 {
                    self.gathered.smooths = true;
                    self.first_smoothing.get_or_insert(span);
                }
                return;
            }
            Change::Library(name) => {
                self.gathered.libraries.push((name.clone(), span));
                return;
            }
            Change::Object(name) => {
                // A group does not reach into the next object.
                self.note_empty(Of::Group);
                self.group = Name::default();
                self.note_empty(Of::Object);
                self.object.waiting = Some((name.clone(), span));
            }
            Change::Group(name) => {
                self.note_empty(Of::Group);
                self.group.waiting = Some((name.clone(), span));
            }
            Change::Material(name) => self.material.waiting = Some((name.clone(), span)),
        }
        self.current = [None; 3];
    }

    /// Counts a name that is replaced before anything used it.
    fn note_empty(&mut self, of: Of) {
        let name = match of {
            Of::Object => &mut self.object,
            Of::Group => &mut self.group,
        };
        if let Some((_, span)) = name.waiting.take() {
            self.empty += 1;
            self.first_empty.get_or_insert(span);
        }
    }

    /// Where elements of a topology go now.
    fn part(&mut self, topology: Topology) -> usize {
        let slot = match topology {
            Topology::Triangles => 0,
            Topology::Points => 2,
            _ => 1,
        };
        if let Some(part) = self.current.get(slot).copied().flatten() {
            return part;
        }
        let part = self.find_part(topology);
        if let Some(current) = self.current.get_mut(slot) {
            *current = Some(part);
        }
        part
    }

    fn find_part(&mut self, topology: Topology) -> usize {
        let full = self.gathered.parts.len() >= self.most_parts;
        if let Some((name, span)) = self.object.waiting.take()
            && !self.is_full(full, span)
        {
            self.object.known = Some(self.gathered.objects.len());
            self.gathered.objects.push(name);
        }
        if let Some((name, span)) = self.group.waiting.take()
            && !self.is_full(full, span)
        {
            // A line with no name ends the group.
            self.group.known = match name.is_empty() {
                true => None,
                false => Some(intern(&mut self.names, &mut self.gathered.groups, 1, name)),
            };
        }
        if let Some((name, span)) = self.material.waiting.take() {
            let known = self.names.contains_key(&(2, name.clone()));
            if known || !self.is_full(full, span) {
                self.material.known = match name.is_empty() {
                    true => None,
                    false => Some(intern(&mut self.names, &mut self.gathered.materials, 2, name)),
                };
            }
        }
        let key = Key {
            object: self.object.known,
            group: self.group.known,
            material: self.material.known,
            topology,
        };
        *self.parts.entry(key).or_insert_with(|| {
            self.gathered.parts.push(Part { key, indices: Indices::default() });
            self.gathered.parts.len() - 1
        })
    }

    fn is_full(&mut self, full: bool, span: Span) -> bool {
        if full {
            let most = self.most_parts;
            let left = "objects, groups and materials beyond the limit are put together";
            self.issues.leave_out(Aspect::Hierarchy, left, "lines", 1);
            self.issues.push_with(&codes::MANY_GROUPS, || {
                let message = format!("only the first {most} parts are kept apart");
                Issue::new(&codes::MANY_GROUPS, "", message).at(span)
            });
        }
        full
    }

    fn element(&mut self, element: &Element, corners: &[Corner], text: &[u8], offset: u64) {
        match element.kind {
            Kind::Face => self.face(corners, element, text, offset),
            Kind::Line => {
                self.gathered.lines += 1;
                let part = self.part(Topology::Lines);
                for corner in corners.windows(2).flatten() {
                    self.push(part, *corner);
                }
            }
            Kind::Point => {
                self.gathered.points += 1;
                let part = self.part(Topology::Points);
                for corner in corners {
                    self.push(part, *corner);
                }
            }
            Kind::Change => {}
        }
    }

    #[inline]
    fn face(&mut self, corners: &[Corner], element: &Element, text: &[u8], offset: u64) {
        self.gathered.faces += 1;
        let part = self.part(Topology::Triangles);
        let place =
            |gathered: &Gathered, corner: &Corner| gathered.positions.get(corner[0] as usize - 1).copied();
        let of = |triangle: [u32; 3]| triangle.map(|i| corners.get(i as usize).copied().unwrap_or([1, 0, 0]));
        match corners {
            [a, b, c] => {
                self.gathered.triangles += 1;
                let places = [a, b, c].map(|corner| place(&self.gathered, corner).map(Vec3::from_array));
                if let [Some(p), Some(q), Some(r)] = places
                    && (q - p).cross(r - p) == Vec3::ZERO
                {
                    self.degenerate(element, text, offset);
                }
                self.triangle(part, [*a, *b, *c]);
            }
            [a, b, c, d] => {
                self.gathered.triangles += 2;
                let places = [a, b, c, d].map(|corner| place(&self.gathered, corner).unwrap_or_default());
                let cut = cut_quad(places);
                for triangle in cut {
                    self.triangle(part, of(triangle));
                }
            }
            _ => {
                self.gathered.triangles += corners.len().saturating_sub(2);
                let places: Vec<[f32; 3]> =
                    corners.iter().map(|corner| place(&self.gathered, corner).unwrap_or_default()).collect();
                for triangle in triangulate(&places) {
                    self.triangle(part, of(triangle));
                }
            }
        }
    }

    #[cold]
    fn degenerate(&mut self, element: &Element, text: &[u8], offset: u64) {
        let lines = self.lines;
        self.issues.push_with(&codes::DEGENERATE, || {
            let line = lines + line_number(text, element.at);
            let message = format!("line {line}: its corners lie on a line, or in one place");
            Issue::new(&codes::DEGENERATE, format!("lines[{}]", line - 1), message)
                .at(line_span(text, element.at, offset))
        });
    }

    #[inline]
    fn triangle(&mut self, part: usize, corners: [Corner; 3]) {
        let group = self.smoothing;
        for [v, t, n] in corners {
            self.push(part, [v, t, if n == 0 && group > 0 { SMOOTHED | group } else { n }]);
        }
    }

    #[inline]
    fn push(&mut self, part: usize, corner: Corner) {
        let known = self.gathered.positions.len();
        let vertex = match self.weld.vertex(corner, known) {
            Some(vertex) => vertex,
            None => {
                self.make_table(known);
                self.weld.vertex(corner, known).unwrap_or_default()
            }
        };
        if let Some(part) = self.gathered.parts.get_mut(part) {
            part.indices.push(vertex);
        }
    }

    /// Makes a table of the vertices so far.
    #[cold]
    fn make_table(&mut self, known: usize) {
        let mut table = Table::default();
        if let Weld::Alike { uvs, normals } = self.weld {
            for part in &mut self.gathered.parts {
                part.indices.map(|index| {
                    let v = index + 1;
                    table.vertex([v, if uvs { v } else { 0 }, if normals { v } else { 0 }], known)
                });
            }
        }
        self.weld = Weld::Table(table);
    }

    /// Remembers numbers that are too large as yet: perhaps what they name comes later.
    #[cold]
    fn suspect(&mut self, corners: &[Corner], known: Counts, element: &Element, text: &[u8], offset: u64) {
        if self.suspects.len() < MOST_SUSPECTS
            && let Some(corner) = corners.iter().find(|corner| is_past(**corner, known))
        {
            let line = self.lines + line_number(text, element.at);
            self.suspects.push(Suspect { corner: *corner, span: line_span(text, element.at, offset), line });
        }
    }

    /// Everything, when the last piece was added.
    pub(super) fn finish(mut self, bytes: u64) -> (Gathered, Issues) {
        self.note_empty(Of::Object);
        self.note_empty(Of::Group);
        if let Some(span) = self.first_empty {
            let message = format!("{} objects or groups have nothing in them; this is the first", self.empty);
            self.issues.push(Issue::new(&codes::EMPTY_GROUPS, "", message).at(span));
            let left = "objects and groups with nothing in them are left out";
            self.issues.leave_out(Aspect::Hierarchy, left, "lines", self.empty);
        }
        if let Some(span) = self.open_line {
            let line = self.lines;
            let message = format!("line {line}: the last line has no end; the file may be cut off");
            let path = format!("lines[{}]", line.saturating_sub(1));
            self.issues.push(Issue::new(&codes::LAST_LINE, path, message).at(span));
        }
        let all = self.gathered.faces + self.gathered.lines + self.gathered.points + self.lost;
        self.issues.give_up(Aspect::Topology, "faces, lines and points", "lines", (self.lost, all));
        let known = self.counts();
        let mut reported = false;
        for suspect in std::mem::take(&mut self.suspects).into_iter().filter(|s| is_past(s.corner, known)) {
            reported = true;
            let [v, t, n] = suspect.corner;
            self.issues.push_with(&codes::INDEX, || {
                let what = if v as usize > known.positions {
                    format!("vertex {v} of {}; the face is left out", known.positions)
                } else if t as usize > known.uvs {
                    format!("texture coordinate {t} of {}", known.uvs)
                } else {
                    format!("normal {n} of {}", known.normals)
                };
                let message = format!("line {}: there is no {what}", suspect.line);
                Issue::new(&codes::INDEX, format!("lines[{}]", suspect.line - 1), message).at(suspect.span)
            });
        }
        if is_past(self.gathered.largest, known) && !reported {
            let message = "some faces name what does not exist, far into the file";
            self.issues.push(Issue::new(&codes::INDEX, "", message).at(Span { start: 0, end: bytes }));
        }
        if let Some(span) = self.first_smoothing {
            let message = "normals of smoothing groups are made where the file has none; this is the first";
            self.issues.push(Issue::new(&codes::SMOOTHING, "", message).at(span));
        }
        self.gathered.vertices = self.weld.finish();
        let gathered = &mut self.gathered;
        gathered.positions.shrink_to_fit();
        gathered.uvs.shrink_to_fit();
        gathered.normals.shrink_to_fit();
        gathered.colors.shrink_to_fit();
        (self.gathered, self.issues)
    }
}

fn intern(
    names: &mut BTreeMap<(u8, Vec<u8>), usize>,
    list: &mut Vec<Vec<u8>>,
    kind: u8,
    name: Vec<u8>,
) -> usize {
    *names.entry((kind, name)).or_insert_with_key(|(_, name)| {
        list.push(name.clone());
        list.len() - 1
    })
}

pub(super) fn is_past(corner: Corner, known: Counts) -> bool {
    let [v, t, n] = corner;
    v as usize > known.positions
        || t as usize > known.uvs
        || (n & SMOOTHED == 0 && n as usize > known.normals)
}

/// The last line of a piece that says something and has no end.
fn open_line(text: &[u8], offset: u64) -> Option<Span> {
    let start = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let line = text.get(start..).unwrap_or_default();
    let says = !line.trim_ascii().is_empty() && !line.trim_ascii().starts_with(b"#");
    says.then(|| Span { start: offset + start as u64, end: offset + text.len() as u64 })
}

/// The number of the line that begins at `at`, from one, in a piece.
fn line_number(text: &[u8], at: u32) -> usize {
    text.iter().take(at as usize).filter(|byte| **byte == b'\n').count() + 1
}

/// The line that begins at `at`, without its end.
fn line_span(text: &[u8], at: u32, offset: u64) -> Span {
    let line = text.get(at as usize..).unwrap_or_default();
    let length = line.iter().position(|byte| *byte == b'\n').unwrap_or(line.len());
    let length = line.get(..length).unwrap_or_default().trim_ascii_end().len();
    let start = offset + u64::from(at);
    Span { start, end: start + length as u64 }
}
