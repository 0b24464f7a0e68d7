//! Meshes: accessors to streams of vertices, repaired where they break rules of the Scene.

use serde_json::{Map, Value};

use super::super::accessor::{Component, List, element_span};
use super::super::extras::Lifting;
use super::super::json::{self, Attributes};
use super::super::notes::in_file::{MeshNote, PrimitiveNote, topology};
use super::super::notes::in_scene::PrimitiveKept;
use super::super::notes::{Encodings, JOINTS, TANGENTS, WEIGHTS};
use super::super::repair::{self, Repaired};
use super::super::{codes, strips};
use super::{Lifter, plain_extras};
use crate::diag::{Aspect, Code, Issue};
use crate::ops;
use crate::scene::{CustomAttribute, Id, MaterialId, Mesh, MorphTarget, Primitive, Topology};

/// Attributes of which there can be several sets.
pub(in super::super) const UNDERSTOOD_SETS: [&str; 4] = ["TEXCOORD", "COLOR", "JOINTS", "WEIGHTS"];

/// How many sets of texture coordinates a Scene holds.
const MAX_UV_SETS: usize = 8;

impl<'a> Lifter<'a> {
    pub(super) fn meshes(&mut self) {
        for (index, mesh) in self.model.document.meshes.iter().enumerate() {
            let mesh = self.mesh(mesh, &format!("/meshes/{index}"));
            self.scene.meshes.push(mesh);
        }
    }

    fn mesh(&mut self, mesh: &json::Mesh, at: &str) -> Mesh {
        let mut users = mesh.extras.clone();
        let targets = mesh.primitives.first().map_or(0, |primitive| primitive.targets.len());
        let target_names = take_target_names(&mut users, targets);
        let mut lifting = Lifting::new(users.as_ref(), &mesh.extensions, &[]);
        let note: MeshNote = lifting.take();
        let noted = note.target_names.filter(|names| names.len() == targets && targets > 0);
        let target_names = noted.unwrap_or(target_names);
        let mut primitives = Vec::new();
        if note.no_primitives.is_none() {
            for (i, primitive) in mesh.primitives.iter().enumerate() {
                let at = format!("{at}/primitives/{i}");
                let mut primitive = self.primitive(primitive, &at);
                if primitive.targets.len() != targets {
                    let message = format!(
                        "{} morph targets, the first primitive has {targets}",
                        primitive.targets.len()
                    );
                    self.report(&codes::MORPH, format!("{at}/targets"), message);
                    primitive.targets.resize(targets, MorphTarget::default());
                }
                primitives.push(primitive);
            }
        }
        let weights = self.morph_weights(&mesh.weights, targets, at);
        Mesh { name: mesh.name.clone(), primitives, weights, target_names, extras: lifting.finish() }
    }

    /// The weights of morph targets, as many as there are targets, or none.
    pub(super) fn morph_weights(&mut self, weights: &[f32], targets: usize, at: &str) -> Vec<f32> {
        let mut weights = weights.to_vec();
        repair::finite(&mut weights);
        if !weights.is_empty() && weights.len() != targets {
            let message = format!("{} weights for {targets} morph targets", weights.len());
            self.report(&codes::MORPH, format!("{at}/weights"), message);
            weights.clear();
        }
        weights
    }

    fn primitive(&mut self, primitive: &json::Primitive, at: &str) -> Primitive {
        let mut lifting = Lifting::new(primitive.extras.as_ref(), &primitive.extensions, &[]);
        let mut result = Primitive {
            material: primitive
                .material
                .filter(|&material| (material as usize) < self.model.document.materials.len())
                .map(|material| Id::new(material as usize)),
            ..Primitive::default()
        };
        let mode = primitive.mode.unwrap_or(4);
        result.topology = match mode {
            0 => Topology::Points,
            1 => Topology::Lines,
            2 => Topology::LineLoop,
            3 => Topology::LineStrip,
            _ => Topology::Triangles,
        };
        let note: PrimitiveNote = lifting.take();
        if let Some(word) = &note.empty {
            // A stand-in for a primitive without vertices, which glTF cannot have.
            result.topology = topology(word);
            result.targets = vec![MorphTarget::default(); primitive.targets.len()];
            result.material = self.noted_material(&note);
            result.extras = lifting.finish();
            return result;
        }
        let mut encodings = Encodings::default();
        if let Some(accessor) = primitive.attributes.get("POSITION") {
            result.positions = self.positions(accessor, at, &mut encodings);
        }
        self.attributes(primitive, at, &mut result, &mut encodings);
        for (i, target) in primitive.targets.iter().enumerate() {
            let stated = primitive.attributes.get("POSITION").map_or(0, |positions| self.stated(positions));
            let vertices = (result.positions.len(), stated);
            let target = self.target(target, vertices, &format!("{at}/targets/{i}"));
            result.targets.push(target);
        }
        self.indices(primitive, at, mode, &mut result);
        lifting.keep(&PrimitiveKept {
            encodings: Some(encodings).filter(|encodings| !encodings.is_empty()),
            mode: Some(mode).filter(|mode| matches!(*mode, strips::STRIP | strips::FAN)),
        });
        self.unit_normals(primitive, &mut result);
        undo_stand_ins(&mut result, &note);
        if let Some(material) = self.noted_material(&note) {
            result.material = Some(material);
        }
        result.extras = lifting.finish();
        if self.shape_only {
            result.keep_shape();
        }
        result
    }

    /// The positions of a primitive; what is missing is counted.
    fn positions(&mut self, accessor: u32, at: &str, encodings: &mut Encodings) -> Vec<[f32; 3]> {
        let list = self.list(accessor, &["VEC3"]);
        let stated = self.stated(accessor);
        let missing = stated.saturating_sub(list.as_ref().map_or(0, |list| list.count));
        self.issues.give_up(Aspect::Positions, "vertices", format!("{at}/attributes"), (missing, stated));
        let Some(list) = list else { return Vec::new() };
        let mut positions = list.vectors(0.0);
        remember(encodings, "POSITION", &list, &["VEC3"]);
        self.finite(accessor, positions.as_flattened_mut(), 3);
        positions
    }

    /// The material of a primitive that could not have it in glTF.
    fn noted_material(&self, note: &PrimitiveNote) -> Option<MaterialId> {
        note.material.filter(|&material| material < self.model.document.materials.len()).map(Id::new)
    }

    fn attributes(
        &mut self,
        primitive: &json::Primitive,
        at: &str,
        result: &mut Primitive,
        encodings: &mut Encodings,
    ) {
        let vertices = result.positions.len();
        for (semantic, accessor) in &primitive.attributes.0 {
            let (name, set) = name_and_set(semantic);
            if name == "POSITION" {
                continue;
            }
            let shapes = shapes(name, set);
            let pointer = format!("{at}/attributes/{semantic}");
            let stated = primitive.attributes.get("POSITION").map_or(0, |positions| self.stated(positions));
            let Some(list) = self.attribute(*accessor, shapes, (vertices, stated), pointer) else { continue };
            remember(encodings, semantic, &list, shapes);
            let quantised = list.component != Component::F32;
            let list = list.first(vertices);
            match name {
                "NORMAL" => {
                    let mut normals = self.vectors(*accessor, &list, 0.0);
                    if self.shape_only {
                        self.unit_vectors(*accessor, &mut normals);
                    } else {
                        result.normals = normals;
                    }
                }
                "TANGENT" => {
                    let mut tangents = self.vectors(*accessor, &list, 0.0);
                    let repaired = repair::unit_tangents(&mut tangents, quantised);
                    result.tangents = if self.shape_only { Vec::new() } else { tangents };
                    self.repaired(
                        &codes::UNIT_LENGTH,
                        *accessor,
                        &repaired,
                        "tangents are not of unit length, or their sign is not 1 or -1",
                    );
                }
                "JOINTS" => put_set(&mut result.joints, set, list.joints()),
                "TEXCOORD" => put_set(&mut result.uvs, set, self.looked_at(*accessor, &list, 0.0)),
                "COLOR" => put_set(&mut result.colors, set, self.looked_at(*accessor, &list, 1.0)),
                "WEIGHTS" => put_set(&mut result.weights, set, self.vectors(*accessor, &list, 0.0)),
                custom => {
                    let mut values = list.flat();
                    self.finite(*accessor, &mut values, list.shape.width());
                    let attribute = CustomAttribute { width: list.shape.width(), values };
                    if !self.shape_only {
                        result.custom.insert(custom.to_owned(), attribute);
                    }
                }
            }
        }
        self.contiguous_sets(at, result);
        self.weights(primitive, result);
    }

    /// The list of an attribute that may have one of these shapes; one that may have none is not known.
    fn attribute(
        &mut self,
        accessor: u32,
        shapes: &[&str],
        (vertices, stated): (usize, usize),
        pointer: String,
    ) -> Option<List<'a>> {
        if shapes.is_empty() {
            let message = "vertex attributes that are not known are left out";
            self.issues.leave_out(Aspect::CustomAttributes, message, pointer.clone(), 1);
            self.report(&codes::UNKNOWN_PROPERTY, pointer, "the attribute is not known and left out");
            return None;
        }
        let own = self.stated(accessor);
        let list = self.list(accessor, shapes);
        if own != stated {
            let message = format!("{own} elements for {stated} vertices");
            self.report(&codes::PRIMITIVE, pointer.clone(), message);
        }
        let (aspect, what) = aspect_of(pointer.rsplit('/').next().unwrap_or_default());
        match list.filter(|list| own == stated && list.count >= vertices) {
            Some(list) => Some(list),
            None => {
                self.issues.give_up(aspect, what, pointer, (own, own));
                None
            }
        }
    }

    /// The vectors of a list; what is not finite is repaired and reported.
    pub(super) fn vectors<const N: usize>(
        &mut self,
        accessor: u32,
        list: &List<'_>,
        default: f32,
    ) -> Vec<[f32; N]> {
        let mut vectors = list.vectors(default);
        self.finite(accessor, vectors.as_flattened_mut(), N);
        vectors
    }

    /// The same, or where only the shape is wanted as much of them as says that they are there.
    fn looked_at<const N: usize>(&mut self, accessor: u32, list: &List<'_>, default: f32) -> Vec<[f32; N]> {
        let mut vectors = self.vectors(accessor, list, default);
        if self.shape_only {
            vectors.truncate(1);
            vectors.shrink_to_fit();
        }
        vectors
    }

    /// Sets are numbered without gap, and joints come with weights.
    fn contiguous_sets(&mut self, at: &str, result: &mut Primitive) {
        let joints =
            result.joints.iter().zip(&result.weights).take_while(|(j, w)| !j.is_empty() && !w.is_empty());
        let pairs = joints.count();
        let gap = truncate(&mut result.uvs, MAX_UV_SETS)
            | truncate(&mut result.colors, usize::MAX)
            | truncate(&mut result.joints, pairs)
            | truncate(&mut result.weights, pairs);
        if gap && !result.positions.is_empty() {
            let message = "sets after a gap, without their partner or beyond the eighth are left out";
            self.issues.leave_out(Aspect::Uvs, message, format!("{at}/attributes"), 1);
            self.report(&codes::UV_SETS, format!("{at}/attributes"), message);
        }
    }

    /// Weights are not negative and sum to one; joints without weight are zero; no joint is there twice.
    fn weights(&mut self, primitive: &json::Primitive, result: &mut Primitive) {
        let repaired = ops::normalize_weights(&mut result.joints, &mut result.weights);
        let accessor = primitive.attributes.get("WEIGHTS_0");
        if let (Some(accessor), Some(first)) = (accessor, repaired.first_wrong) {
            let found = Repaired { count: repaired.wrong, first };
            self.repaired(
                &codes::WEIGHTS,
                accessor,
                &found,
                "vertices have negative weights, weights that do not sum to one, or a joint twice",
            );
        }
    }

    fn target(&mut self, target: &Attributes, vertices: (usize, usize), at: &str) -> MorphTarget {
        let mut result = MorphTarget::default();
        for (semantic, accessor) in &target.0 {
            let (name, set) = name_and_set(semantic);
            let shapes: &[&str] = match name {
                "POSITION" | "NORMAL" | "TANGENT" => &["VEC3"],
                "TEXCOORD" if set.is_some() => &["VEC2"],
                "COLOR" if set.is_some() => &["VEC4", "VEC3"],
                _ => &[],
            };
            let pointer = format!("{at}/{semantic}");
            let Some(list) = self.attribute(*accessor, shapes, vertices, pointer) else { continue };
            let list = list.first(vertices.0);
            match name {
                "TEXCOORD" => put_set(&mut result.uvs, set, self.vectors(*accessor, &list, 0.0)),
                "COLOR" => put_set(&mut result.colors, set, self.vectors(*accessor, &list, 0.0)),
                _ => {
                    let vectors = self.vectors(*accessor, &list, 0.0);
                    match name {
                        "POSITION" => result.positions = vectors,
                        "NORMAL" => result.normals = vectors,
                        _ => result.tangents = vectors,
                    }
                }
            }
        }
        truncate(&mut result.uvs, usize::MAX);
        truncate(&mut result.colors, usize::MAX);
        result
    }

    fn indices(&mut self, primitive: &json::Primitive, at: &str, mode: u32, result: &mut Primitive) {
        let vertices = result.positions.len();
        let list = primitive.indices.map(|accessor| (accessor, self.list(accessor, &["SCALAR"])));
        let mut indices: Vec<u32> = match list {
            None if !self.affords(vertices.saturating_mul(size_of::<u32>()), || at.to_owned()) => Vec::new(),
            None => (0..u32::try_from(vertices).unwrap_or(u32::MAX)).collect(),
            Some((accessor, list)) => {
                let list =
                    list.filter(|l| matches!(l.component, Component::U8 | Component::U16 | Component::U32));
                let indices = list.map(|list| list.integers()).unwrap_or_default();
                self.index_range(accessor, indices, result.topology, mode, vertices)
            }
        };
        let stated = primitive.indices.or_else(|| primitive.attributes.get("POSITION"));
        let stated = stated.map_or(0, |accessor| self.stated(accessor));
        let (what, corners) = match (result.topology, mode) {
            (_, strips::STRIP | strips::FAN) => ("corners of strips", 1),
            (Topology::Triangles, _) => ("triangles", 3),
            (Topology::Lines, _) => ("lines", 2),
            (Topology::Points, _) => ("points", 1),
            (Topology::LineStrip | Topology::LineLoop, _) => ("ends of lines", 1),
        };
        let (whole, left) = (stated / corners, indices.len() / corners);
        self.issues.give_up(Aspect::Topology, what, at, (whole.saturating_sub(left), whole));
        if mode == strips::STRIP || mode == strips::FAN {
            indices = strips::to_triangles(mode, &indices);
        }
        let per = match result.topology {
            Topology::Triangles => 3,
            Topology::Lines => 2,
            _ => 1,
        };
        let odd = indices.len() % per;
        if odd != 0 {
            let message = format!("{} indices are no multiple of {per}", indices.len());
            // Those of a list that is cut off are missing, and counted as such.
            if !stated.is_multiple_of(per) {
                self.issues.give_up(Aspect::Topology, "left-over indices", at, (odd, indices.len()));
            }
            self.report(&codes::INDEX_COUNT, at, message);
            indices.truncate(indices.len() - odd);
        }
        result.indices = indices;
    }

    /// Leaves out what is drawn with a vertex that does not exist.
    fn index_range(
        &mut self,
        accessor: u32,
        mut indices: Vec<u32>,
        topology: Topology,
        mode: u32,
        vertices: usize,
    ) -> Vec<u32> {
        let largest = indices.iter().copied().max();
        if largest.is_none_or(|largest| (largest as usize) < vertices) {
            return indices;
        }
        let mut repaired = Repaired::default();
        for (i, _) in indices.iter().enumerate().filter(|(_, index)| **index as usize >= vertices) {
            repaired.note(i);
        }
        if vertices > 0 {
            let message = format!("indices are not below the number of vertices, {vertices}");
            self.repaired(&codes::INDEX_RANGE, accessor, &repaired, &message);
        }
        let inside = |index: &u32| (*index as usize) < vertices;
        match topology {
            Topology::Triangles if mode == 4 => indices
                .as_chunks::<3>()
                .0
                .iter()
                .filter(|t| t.iter().all(inside))
                .flatten()
                .copied()
                .collect(),
            Topology::Lines => indices
                .as_chunks::<2>()
                .0
                .iter()
                .filter(|l| l.iter().all(inside))
                .flatten()
                .copied()
                .collect(),
            _ => {
                indices.retain(inside);
                indices
            }
        }
    }

    /// Normals of unit length; those without a direction are made from the triangles.
    fn unit_normals(&mut self, primitive: &json::Primitive, result: &mut Primitive) {
        let Some(accessor) = primitive.attributes.get("NORMAL") else { return };
        let zeros = self.unit_vectors(accessor, &mut result.normals);
        if zeros.is_empty() {
            return;
        }
        let smooth = ops::smooth_normals(result);
        for vertex in zeros {
            if let (Some(normal), Some(smooth)) = (result.normals.get_mut(vertex), smooth.get(vertex)) {
                *normal = *smooth;
            }
        }
    }

    /// Makes normals of unit length where they have a direction; gives the numbers of those without.
    fn unit_vectors(&mut self, accessor: u32, normals: &mut [[f32; 3]]) -> Vec<usize> {
        let component = self.model.document.accessors.get(accessor as usize).map(|a| a.component_type);
        let quantised = component != Some(Component::F32.to_gl());
        let (repaired, zeros) = repair::unit_vectors(normals, quantised);
        self.repaired(&codes::UNIT_LENGTH, accessor, &repaired, "normals are not of unit length");
        zeros
    }

    /// Replaces what is not finite by zero, and says so.
    pub(super) fn finite(&mut self, accessor: u32, values: &mut [f32], width: usize) {
        let repaired = repair::finite(values);
        let found = Repaired { count: repaired.count, first: repaired.first / width.max(1) };
        self.repaired(&codes::NOT_FINITE, accessor, &found, "values are infinite or not a number");
    }

    /// Says that elements of an accessor had to be repaired, at the bytes of the first.
    pub(super) fn repaired(&mut self, code: &'static Code, accessor: u32, repaired: &Repaired, what: &str) {
        if repaired.count == 0 {
            return;
        }
        let model = self.model;
        self.issues.push_with(code, || {
            let span = element_span(model, accessor, repaired.first);
            let message = format!("{} {what}; the first is element {}", repaired.count, repaired.first);
            Issue::new(code, format!("/accessors/{accessor}"), message).at(span)
        });
    }
}

/// What is missing when an attribute is.
fn aspect_of(semantic: &str) -> (Aspect, &'static str) {
    match name_and_set(semantic).0 {
        "NORMAL" => (Aspect::Normals, "normals"),
        "TANGENT" => (Aspect::Tangents, "tangents"),
        "TEXCOORD" => (Aspect::Uvs, "texture coordinates"),
        "COLOR" => (Aspect::Colors, "vertex colours"),
        "JOINTS" | "WEIGHTS" => (Aspect::Skins, "joints and weights"),
        "POSITION" => (Aspect::Morphs, "morphed positions"),
        _ => (Aspect::CustomAttributes, "values of attributes"),
    }
}

/// Remembers how an attribute is stored when it is not plain floats, so that it can be stored so again.
fn remember(encodings: &mut Encodings, semantic: &str, list: &List<'_>, shapes: &[&str]) {
    let usual = shapes.first().copied().unwrap_or_default();
    let is_set = UNDERSTOOD_SETS.contains(&semantic.rsplit_once('_').map_or("", |(name, _)| name));
    let plain = list.component == Component::F32
        && (!is_set || super::super::accessor::Shape::named(usual) == Some(list.shape));
    // Whole numbers of 32 bits are not allowed for vertices, only tolerated.
    if semantic.starts_with("JOINTS_") || list.component == Component::U32 || plain {
        return;
    }
    encodings.insert(semantic, list.encoding());
}

/// Takes the names of morph targets out of the user's extras, where many programs keep them.
fn take_target_names(extras: &mut Option<Value>, targets: usize) -> Vec<String> {
    let Some(Value::Object(object)) = extras else { return Vec::new() };
    let names = object.get("targetNames").and_then(Value::as_array);
    let names: Option<Vec<String>> = names
        .filter(|names| names.len() == targets && targets > 0)
        .and_then(|names| names.iter().map(|name| name.as_str().map(str::to_owned)).collect());
    match names {
        Some(names) => {
            object.shift_remove("targetNames");
            if object.is_empty() {
                *extras = None;
            }
            names
        }
        None => Vec::new(),
    }
}

/// The shapes that an attribute may have; none for one that is not known.
fn shapes(name: &str, set: Option<usize>) -> &'static [&'static str] {
    match name {
        "NORMAL" => &["VEC3"],
        "TANGENT" => &["VEC4"],
        "TEXCOORD" if set.is_some() => &["VEC2"],
        "COLOR" if set.is_some() => &["VEC4", "VEC3"],
        "JOINTS" | "WEIGHTS" if set.is_some() => &["VEC4"],
        custom if custom.starts_with('_') => &["SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4"],
        _ => &[],
    }
}

/// The name of an attribute, and the number of the set that it is where there are several.
fn name_and_set(semantic: &str) -> (&str, Option<usize>) {
    match semantic.rsplit_once('_') {
        Some((name, set)) if UNDERSTOOD_SETS.contains(&name) => (name, set.parse().ok()),
        _ => (semantic, None),
    }
}

/// Keeps set number `set`; sets in between are empty until they come.
fn put_set<T: Clone>(sets: &mut Vec<Vec<T>>, set: Option<usize>, values: Vec<T>) {
    /// No file has more sets than this; a higher number is a gap anyway.
    const MOST: usize = 64;
    if let Some(set) = set.filter(|&set| set < MOST) {
        if sets.len() <= set {
            sets.resize(set + 1, Vec::new());
        }
        if let Some(place) = sets.get_mut(set) {
            *place = values;
        }
    }
}

/// Cuts the list of sets at the first gap and after `most`; says whether something went.
fn truncate<T>(sets: &mut Vec<Vec<T>>, most: usize) -> bool {
    let before = sets.len();
    let whole = sets.iter().position(Vec::is_empty).unwrap_or(before);
    sets.truncate(whole.min(most));
    sets.len() != before
}

/// Takes back what was only written because glTF demands it.
fn undo_stand_ins(result: &mut Primitive, note: &PrimitiveNote) {
    if let Some(count) = note.index_count {
        result.indices.truncate(count);
    }
    if let Some(sets) = note.uv_sets {
        result.uvs.truncate(sets);
    }
    for &(start, end) in note.still.iter().flatten() {
        let joints = result.joints.iter_mut().filter_map(|set| set.get_mut(start..end)).flatten();
        joints.for_each(|joints| *joints = [0; 4]);
        let weights = result.weights.iter_mut().filter_map(|set| set.get_mut(start..end)).flatten();
        weights.for_each(|weights| *weights = [0.0; 4]);
    }
    for &index in note.empty_targets.iter().flatten() {
        if let Some(target) = result.targets.get_mut(index) {
            *target = MorphTarget::default();
        }
    }
    for (target, extras) in result.targets.iter_mut().zip(note.target_extras.iter().flatten()) {
        target.extras = plain_extras(Some(extras).filter(|e| !e.is_null()), &Map::new());
    }
    if note.no_tangents.is_some() {
        result.tangents.clear();
    }
    if note.no_normals.is_some() {
        result.normals.clear();
    }
    if let Some(tangents) = result.custom.remove(TANGENTS) {
        result.tangents = tangents.values.as_chunks::<4>().0.to_vec();
    }
    let sets = result.custom.keys().filter_map(|name| name.strip_prefix(JOINTS)).map(str::to_owned);
    for set in sets.collect::<Vec<_>>() {
        let weights = result.custom.remove(&format!("{WEIGHTS}{set}"));
        if let (Some(joints), Some(weights)) = (result.custom.remove(&format!("{JOINTS}{set}")), weights) {
            let joints = joints.values.as_chunks::<4>().0.iter().map(|j| j.map(|x| x as u16));
            result.joints.push(joints.collect());
            result.weights.push(weights.values.as_chunks::<4>().0.to_vec());
        }
    }
}
