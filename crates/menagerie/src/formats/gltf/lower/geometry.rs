//! Meshes into accessors; what glTF demands and a Scene lacks is made, and noted.

use std::borrow::Cow;
use std::ops::Range;

use super::super::accessor::{Component, Shape};
use super::super::extras::Lowering;
use super::super::json::{self, Attributes};
use super::super::notes::in_file::{MeshNote, PrimitiveNote, topology_word};
use super::super::notes::in_scene::PrimitiveKept;
use super::super::notes::{Encoding, Encodings, JOINTS, Note as _, TANGENTS, WEIGHTS};
use super::super::strips;
use super::Lowerer;
use super::buffers::{Encoded, Use, number_bytes};
use super::encode::vertex_use;
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind};
use crate::ops::{normalize_weights, smooth_normals, tangents};
use crate::scene::{Material, Mesh, MeshId, MorphTarget, Primitive, Shading, Topology};

const SCALAR: Shape = Shape { rows: 1, columns: 1 };
const VEC2: Shape = Shape { rows: 2, columns: 1 };
const VEC3: Shape = Shape { rows: 3, columns: 1 };
const VEC4: Shape = Shape { rows: 4, columns: 1 };

impl<'a> Lowerer<'a> {
    pub(super) fn meshes(&mut self) {
        for (id, mesh) in self.scene.meshes.iter() {
            let mesh = self.mesh(id, mesh);
            self.document.meshes.push(mesh);
        }
    }

    fn mesh(&mut self, id: MeshId, mesh: &'a Mesh) -> json::Mesh {
        let mut lowering = Lowering::new(&mesh.extras);
        let mut note = MeshNote::default();
        let path = format!("meshes[{}]", id.index());
        let mut primitives: Vec<json::Primitive> = Vec::with_capacity(mesh.primitives.len());
        for (i, primitive) in mesh.primitives.iter().enumerate() {
            let primitive = self.primitive(id, primitive, &format!("{path}.primitives[{i}]"));
            primitives.push(primitive);
        }
        if primitives.is_empty() {
            note.no_primitives = Some(true);
            let message = "a mesh without primitives got one that draws nothing";
            self.losses.added(Aspect::Topology, path, message);
            primitives.push(json::Primitive { attributes: self.nothing(0).0, ..json::Primitive::default() });
        }
        if !mesh.target_names.is_empty() && !lowering.user("targetNames", mesh.target_names.clone()) {
            note.target_names = Some(mesh.target_names.clone());
        }
        lowering.put(&note);
        let (extras, extensions) = lowering.finish();
        json::Mesh {
            name: mesh.name.clone(),
            primitives,
            weights: mesh.weights.clone(),
            extras,
            extensions,
            ..json::Mesh::default()
        }
    }

    /// A triangle of three vertices in one place, with morph targets that do nothing.
    fn nothing(&mut self, targets: usize) -> (Attributes, Vec<Attributes>) {
        let zeros = self.zeros(3, VEC3, true);
        let attributes = Attributes(vec![("POSITION".to_owned(), zeros)]);
        (attributes.clone(), vec![attributes; targets])
    }

    /// A list of zeros, which takes no bytes.
    fn zeros(&mut self, count: usize, shape: Shape, bounds: bool) -> u32 {
        let zero = || vec![json::Number::Float(0.0); shape.width()];
        let list = Encoded {
            component: Component::F32,
            shape,
            normalized: false,
            count,
            bytes: Cow::Borrowed(&[]),
            bounds: bounds.then(|| (zero(), zero())),
        };
        self.packer.add(Use::Vertices(shape.bytes(Component::F32)), list)
    }

    fn primitive(&mut self, mesh: MeshId, primitive: &'a Primitive, path: &str) -> json::Primitive {
        let mut lowering = Lowering::new(&primitive.extras);
        let mut note = PrimitiveNote::default();
        let kept = PrimitiveKept::of(&primitive.extras);
        let encodings = kept.encodings.unwrap_or_default();
        let mut result = json::Primitive {
            material: primitive.material.map(|material| material.index() as u32),
            ..json::Primitive::default()
        };
        if primitive.positions.is_empty() {
            note.empty = topology_word(primitive.topology);
            (result.attributes, result.targets) = self.nothing(primitive.targets.len());
            // Textures would ask for coordinates that nothing has.
            result.material = None;
            note.material = primitive.material.map(|material| material.index());
            let message = "a primitive without vertices got a triangle that draws nothing";
            self.losses.added(Aspect::Topology, path, message);
            lowering.put(&note);
            (result.extras, result.extensions) = lowering.finish();
            return result;
        }
        self.points_without_map(primitive, &mut result, &mut note, path);
        result.attributes = self.attributes(mesh, primitive, &encodings, &mut note, path);
        result.targets = self.targets(primitive, &mut note, path);
        self.indices(primitive, kept.mode, &mut result, &mut note, path);
        lowering.put(&note);
        (result.extras, result.extensions) = lowering.finish();
        result
    }

    /// Points cannot have a normal map: they get no material, and theirs is kept in extras.
    fn points_without_map(
        &mut self,
        primitive: &Primitive,
        result: &mut json::Primitive,
        note: &mut PrimitiveNote,
        path: &str,
    ) {
        let material = primitive.material.and_then(|material| self.scene.materials.get(material));
        let mapped = material.is_some_and(|material| material.normal_texture.is_some());
        if mapped && primitive.topology == Topology::Points && !self.from_gltf {
            note.material = result.material.take().map(|material| material as usize);
            let message = "points cannot have a material with a normal map; it is kept in extras";
            self.losses.noted(Aspect::Materials, path, message);
        }
    }

    /// Adds a vertex attribute: as it was stored in the source where that is exact, else as floats.
    fn attribute(
        &mut self,
        remembered: Option<Encoding>,
        semantic: &str,
        values: Cow<'a, [f32]>,
        shape: Shape,
        path: &str,
    ) -> u32 {
        let short = remembered.is_some();
        let list = remembered.and_then(|encoding| encoding.encode(semantic, &values, shape.width()));
        if short && list.is_none() {
            let message = format!("{semantic} was stored in short numbers, which cannot hold what it is now");
            self.losses.approximated(Aspect::Extras, path, message);
        }
        let list = list.unwrap_or_else(|| {
            let floats = Encoded::floats(values.clone(), shape);
            if semantic == "POSITION" { floats.bounded(&values) } else { floats }
        });
        self.packer.add(vertex_use(&list), list)
    }

    fn attributes(
        &mut self,
        mesh: MeshId,
        primitive: &'a Primitive,
        encodings: &Encodings,
        note: &mut PrimitiveNote,
        path: &str,
    ) -> Attributes {
        let mut attributes = Vec::new();
        let mut put = |this: &mut Self, semantic: String, values: Cow<'a, [f32]>, shape: Shape| {
            let encoding = encodings.get(&semantic);
            let accessor = this.attribute(encoding, &semantic, values, shape, path);
            attributes.push((semantic, accessor));
        };
        put(self, "POSITION".to_owned(), primitive.positions.as_flattened().into(), VEC3);
        if !primitive.normals.is_empty() {
            put(self, "NORMAL".to_owned(), primitive.normals.as_flattened().into(), VEC3);
        }
        if let Some(normals) = self.needed_normals(primitive, note, path) {
            put(self, "NORMAL".to_owned(), normals.into_flattened().into(), VEC3);
        }
        if !primitive.tangents.is_empty() {
            // Tangents mean nothing to glTF without normals, or for points.
            let usable = !primitive.normals.is_empty() && primitive.topology != Topology::Points;
            let semantic = if usable { "TANGENT" } else { TANGENTS };
            put(self, semantic.to_owned(), primitive.tangents.as_flattened().into(), VEC4);
        }
        if let Some(tangents) = self.needed_tangents(primitive, note, path) {
            put(self, "TANGENT".to_owned(), tangents.into_flattened().into(), VEC4);
        }
        for (i, set) in primitive.uvs.iter().enumerate() {
            put(self, format!("TEXCOORD_{i}"), set.as_flattened().into(), VEC2);
        }
        for (i, set) in primitive.colors.iter().enumerate() {
            put(self, format!("COLOR_{i}"), set.as_flattened().into(), VEC4);
        }
        for (name, custom) in &primitive.custom {
            let shape = match custom.width {
                1 => SCALAR,
                2 => VEC2,
                3 => VEC3,
                4 => VEC4,
                9 => Shape { rows: 3, columns: 3 },
                _ => Shape { rows: 4, columns: 4 },
            };
            put(self, name.clone(), custom.values.as_slice().into(), shape);
        }
        let uvs = self.missing_uvs(primitive, note, path);
        attributes.extend(uvs);
        attributes.extend(self.skinning(mesh, primitive, encodings, note, path));
        Attributes(attributes)
    }

    /// Normals for a normal map, where a mesh that did not come from glTF has none.
    fn needed_normals(
        &mut self,
        primitive: &Primitive,
        note: &mut PrimitiveNote,
        path: &str,
    ) -> Option<Vec<[f32; 3]>> {
        let material = self.scene.materials.get(primitive.material?)?;
        material.normal_texture.as_ref()?;
        let without = primitive.normals.is_empty() && primitive.tangents.is_empty();
        if self.from_gltf || !without || primitive.topology == Topology::Points {
            return None;
        }
        note.no_normals = Some(true);
        self.losses.added(Aspect::Normals, path, "normals were made for the normal map");
        Some(smooth_normals(primitive))
    }

    /// Tangents for a normal map, where a mesh that did not come from glTF has none: programs would make their own,
    /// each in its way.
    fn needed_tangents(
        &mut self,
        primitive: &Primitive,
        note: &mut PrimitiveNote,
        path: &str,
    ) -> Option<Vec<[f32; 4]>> {
        let material = self.scene.materials.get(primitive.material?)?;
        let (map, _) = material.normal_texture.as_ref()?;
        if self.from_gltf || !primitive.tangents.is_empty() || primitive.topology == Topology::Points {
            return None;
        }
        note.no_tangents = Some(true);
        self.losses.added(Aspect::Tangents, path, "tangents were made for the normal map");
        let set = map.transform.and_then(|transform| transform.uv_set).unwrap_or(map.uv_set);
        let set = set as usize;
        if !primitive.normals.is_empty() {
            return Some(tangents(primitive, &primitive.normals, set));
        }
        // Made-up normals go with them: see `needed_normals`.
        Some(tangents(primitive, &smooth_normals(primitive), set))
    }

    /// Texture coordinates of zero, where a texture of the material asks for a set that is not there.
    fn missing_uvs(
        &mut self,
        primitive: &Primitive,
        note: &mut PrimitiveNote,
        path: &str,
    ) -> Vec<(String, u32)> {
        let material = primitive.material.and_then(|material| self.scene.materials.get(material));
        let needed = material.map_or(0, uv_sets_needed);
        let there = primitive.uvs.len();
        if needed <= there {
            return Vec::new();
        }
        note.uv_sets = Some(there);
        let message = "the material has a texture and the mesh no coordinates for it; they are all zero";
        self.losses.added(Aspect::Uvs, path, message);
        let zeros = self.zeros(primitive.positions.len(), VEC2, false);
        (there..needed).map(|set| (format!("TEXCOORD_{set}"), zeros)).collect()
    }

    fn skinning(
        &mut self,
        mesh: MeshId,
        primitive: &'a Primitive,
        encodings: &Encodings,
        note: &mut PrimitiveNote,
        path: &str,
    ) -> Vec<(String, u32)> {
        if primitive.joints.is_empty() {
            return Vec::new();
        }
        let (mut joints, mut weights) = (primitive.joints.clone(), primitive.weights.clone());
        let repair = normalize_weights(&mut joints, &mut weights);
        let mut stats = ErrorStats::default();
        if repair.largest > 1e-6 {
            stats.add(repair.largest.into());
        }
        self.losses.measured(Aspect::Skins, path, "weights were made to sum to one", stats, "weight");
        let mut attributes = Vec::new();
        if !self.from_gltf && self.shown_without_skin(mesh) {
            // glTF has no joints without a skin.
            for (i, (joints, weights)) in primitive.joints.iter().zip(&primitive.weights).enumerate() {
                let joints: Vec<f32> = joints.as_flattened().iter().map(|&joint| f32::from(joint)).collect();
                let weights = Cow::Borrowed(weights.as_flattened());
                for (name, values) in [(JOINTS, Cow::Owned(joints)), (WEIGHTS, weights)] {
                    let list = Encoded::floats(values, VEC4);
                    attributes.push((format!("{name}{i}"), self.packer.add(Use::Vertices(16), list)));
                }
            }
            return attributes;
        }
        if let Some(still) = self.still_joint(mesh) {
            let ranges = hang_still(still, &mut joints, &mut weights);
            let ranges: Vec<_> = ranges.into_iter().map(|range| (range.start, range.end)).collect();
            note.still = Some(ranges).filter(|ranges| !ranges.is_empty());
        }
        for (i, set) in joints.iter().enumerate() {
            let list = joint_list(set.as_flattened());
            attributes.push((format!("JOINTS_{i}"), self.packer.add(vertex_use(&list), list)));
        }
        for (i, set) in weights.into_iter().enumerate() {
            let semantic = format!("WEIGHTS_{i}");
            let encoding = encodings.get(&semantic);
            let accessor = self.attribute(encoding, &semantic, set.into_flattened().into(), VEC4, path);
            attributes.push((semantic, accessor));
        }
        attributes
    }

    fn shown_without_skin(&self, mesh: MeshId) -> bool {
        let mut users = self.scene.nodes.values().filter(|node| node.mesh == Some(mesh)).peekable();
        users.peek().is_none() || users.any(|node| node.skin.is_none())
    }

    fn targets(&mut self, primitive: &'a Primitive, note: &mut PrimitiveNote, path: &str) -> Vec<Attributes> {
        let mut empty = Vec::new();
        let mut result = Vec::with_capacity(primitive.targets.len());
        for (i, target) in primitive.targets.iter().enumerate() {
            let mut attributes = self.target(primitive, target, &format!("{path}.targets[{i}]"));
            if attributes.is_empty() {
                empty.push(i);
                let zeros = self.zeros(primitive.positions.len(), VEC3, true);
                attributes.push(("POSITION".to_owned(), zeros));
            }
            result.push(Attributes(attributes));
        }
        note.empty_targets = Some(empty).filter(|empty| !empty.is_empty());
        if primitive.targets.iter().any(|target| !target.extras.is_empty()) {
            let extras = primitive.targets.iter().map(|target| Lowering::new(&target.extras).finish().0);
            note.target_extras = Some(extras.map(Option::unwrap_or_default).collect());
        }
        result
    }

    fn target(&mut self, primitive: &Primitive, target: &'a MorphTarget, path: &str) -> Vec<(String, u32)> {
        let mut lists: Vec<(String, &'a [f32], Shape, bool)> = vec![
            ("POSITION".to_owned(), target.positions.as_flattened(), VEC3, true),
            ("NORMAL".to_owned(), target.normals.as_flattened(), VEC3, !primitive.normals.is_empty()),
            (
                "TANGENT".to_owned(),
                target.tangents.as_flattened(),
                VEC3,
                !primitive.tangents.is_empty() && !primitive.normals.is_empty(),
            ),
        ];
        for (i, set) in target.uvs.iter().enumerate() {
            lists.push((format!("TEXCOORD_{i}"), set.as_flattened(), VEC2, i < primitive.uvs.len()));
        }
        for (i, set) in target.colors.iter().enumerate() {
            lists.push((format!("COLOR_{i}"), set.as_flattened(), VEC4, i < primitive.colors.len()));
        }
        let mut attributes = Vec::new();
        for (semantic, values, shape, has_base) in
            lists.into_iter().filter(|(_, values, ..)| !values.is_empty())
        {
            if !has_base {
                let message = format!("the target changes {semantic}, which the mesh does not have");
                // It moves nothing, so that no comparison sees that it is gone.
                let loss = Loss::new(Aspect::Morphs, LossKind::Dropped, path, message);
                self.losses.push(Loss { unread: true, ..loss });
                continue;
            }
            let list = Encoded::floats(values, shape);
            let list = if semantic == "POSITION" { list.bounded(values) } else { list };
            attributes.push((semantic, self.packer.add(vertex_use(&list), list)));
        }
        attributes
    }

    fn indices(
        &mut self,
        primitive: &'a Primitive,
        remembered: Option<u32>,
        result: &mut json::Primitive,
        note: &mut PrimitiveNote,
        path: &str,
    ) {
        let (mode, least) = match primitive.topology {
            Topology::Points => (0, 1),
            Topology::Lines => (1, 2),
            Topology::LineLoop => (2, 2),
            Topology::LineStrip => (3, 2),
            Topology::Triangles => (4, 3),
        };
        let strip = remembered
            .filter(|&mode| {
                matches!(mode, strips::STRIP | strips::FAN) && primitive.topology == Topology::Triangles
            })
            .and_then(|mode| Some((mode, strips::from_triangles(mode, &primitive.indices)?)));
        let (mode, mut indices) = match strip {
            Some((mode, indices)) => (mode, Cow::Owned(indices)),
            None => (mode, Cow::Borrowed(primitive.indices.as_slice())),
        };
        result.mode = Some(mode).filter(|&mode| mode != 4);
        if indices.len() < least {
            note.index_count = Some(indices.len());
            indices.to_mut().resize(least, primitive.indices.last().copied().unwrap_or(0));
            let message = "vertices that nothing draws got something that cannot be seen";
            self.losses.added(Aspect::Topology, path, message);
        }
        let vertices = primitive.positions.len();
        let plain =
            indices.len() == vertices && indices.iter().enumerate().all(|(i, &index)| index as usize == i);
        if !plain {
            let list = index_list(indices);
            result.indices = Some(self.packer.add(Use::Indices, list));
        }
    }
}

/// Hangs the vertices that have no weights on a joint; which ones, as ranges.
fn hang_still(joint: u16, joints: &mut [Vec<[u16; 4]>], weights: &mut [Vec<[f32; 4]>]) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for vertex in 0..weights.first().map_or(0, Vec::len) {
        let mut all = weights.iter().filter_map(|set| set.get(vertex)).flatten();
        if all.any(|&weight| weight != 0.0) {
            continue;
        }
        let first = (joints.first_mut(), weights.first_mut());
        if let (Some([to, ..]), Some([weight, ..])) =
            (first.0.and_then(|set| set.get_mut(vertex)), first.1.and_then(|set| set.get_mut(vertex)))
        {
            (*to, *weight) = (joint, 1.0);
        }
        match ranges.last_mut() {
            Some(last) if last.end == vertex => last.end += 1,
            _ => ranges.push(vertex..vertex + 1),
        }
    }
    ranges
}

/// Indices in the smallest type that can say them; the largest value of each type means something else.
fn index_list(indices: Cow<'_, [u32]>) -> Encoded<'_> {
    let largest = indices.iter().copied().max().unwrap_or(0);
    let count = indices.len();
    let (component, bytes) = match largest {
        0..0xFF => (Component::U8, indices.iter().map(|&index| index as u8).collect()),
        0xFF..0xFFFF => {
            (Component::U16, indices.iter().flat_map(|&index| (index as u16).to_le_bytes()).collect())
        }
        _ => (Component::U32, number_bytes(indices)),
    };
    Encoded { component, shape: SCALAR, normalized: false, count, bytes, bounds: None }
}

fn joint_list(joints: &[u16]) -> Encoded<'static> {
    let small = joints.iter().all(|&joint| joint <= 0xFF);
    let (component, bytes) = if small {
        (Component::U8, joints.iter().map(|&joint| joint as u8).collect())
    } else {
        (Component::U16, joints.iter().flat_map(|joint| joint.to_le_bytes()).collect())
    };
    Encoded { component, shape: VEC4, normalized: false, count: joints.len() / 4, bytes, bounds: None }
}

/// How many sets of texture coordinates the textures need that are written for a material.
fn uv_sets_needed(material: &Material) -> usize {
    let common = [
        material.emissive_texture.as_ref(),
        material.normal_texture.as_ref().map(|(texture, _)| texture),
        material.occlusion_texture.as_ref().map(|(texture, _)| texture),
    ];
    let second = match &material.shading {
        Shading::MetallicRoughness(m) => m.metallic_roughness_texture.as_ref(),
        Shading::Phong(_) => None,
        Shading::SpecularGlossiness(s) => s.specular_glossiness_texture.as_ref(),
    };
    let all = common.into_iter().chain([material.base_color_texture(), second]).flatten();
    all.map(|texture| {
        let moved = texture.transform.and_then(|transform| transform.uv_set).unwrap_or(0);
        texture.uv_set.max(moved) as usize + 1
    })
    .max()
    .unwrap_or(0)
}
