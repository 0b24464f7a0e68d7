//! What is wrong in a file that could be read.

use super::model::{
    ANIMATION, Animation, BONE, HEADER, LOD, MESH, Mesh, Model, Table, VERTEX_128, flat_colour,
};
use super::solid::{crossing, open_edges, same_places};
use super::vertex::{Vertex, VertexKind};
use super::{codes, lift};
use crate::bytes::{Limits, Span, f8a_to_f32};
use crate::diag::{Code, Issue, Issues};

/// Finds what is wrong in a model that could be read.
pub fn check(model: &Model, limits: &Limits, issues: &mut Issues) {
    let mut check = Check { model, length: model.length(), issues, pairs: limits.steps };
    check.header();
    check.strings();
    for (i, mesh) in model.meshes.iter().enumerate() {
        check.mesh(i, mesh);
    }
    check.lods();
    check.bones();
    for (i, animation) in model.animations.iter().enumerate() {
        check.animation(i, animation);
    }
    if let Some(issue) = lift::st_hint(model) {
        check.issues.push(issue);
    }
}

struct Check<'a> {
    model: &'a Model,
    /// Bytes of the file.
    length: usize,
    issues: &'a mut Issues,
    /// Pairs of triangles of all solids that may still be looked at for crossing each other.
    pairs: usize,
}

impl Check<'_> {
    fn report(&mut self, code: &'static Code, path: String, span: Span, message: String) {
        self.issues.push_with(code, || Issue::new(code, path, message).at(span));
    }

    fn header(&mut self) {
        if self.model.reserved != [0; 3] {
            let message = format!("the reserved words are {:?}", self.model.reserved);
            let span = HEADER.record.spans(4, "reserved1", "reserved3");
            self.report(&codes::RESERVED, "header.reserved1".to_owned(), span, message);
        }
        let tables = [
            ("meshes", self.model.mesh_table, MESH.size()),
            ("lods", self.model.lod_table, LOD.size()),
            ("bones", self.model.bone_table, BONE.size()),
            ("anims", self.model.animation_table, ANIMATION.size()),
        ];
        for (name, Table { offset, size }, record) in tables {
            let end = offset as usize + size as usize;
            let (of_offset, of_size) = (format!("ofs_{name}"), format!("sz_{name}"));
            // Of a model without bones or animations both fields must be zero.
            if size == 0 && offset != 0 && ["bones", "anims"].contains(&name) {
                let message = format!("the table is at byte {offset} and has no bytes");
                let span = HEADER.record.span(4, &of_offset);
                self.report(&codes::RESERVED, format!("header.{of_offset}"), span, message);
            }
            if size > 0 && end > self.length {
                let message = format!(
                    "the table is at bytes {offset} to {end}, and the file has {} bytes",
                    self.length
                );
                let span = HEADER.record.spans(4, &of_offset, &of_size);
                self.report(&codes::TABLE_OUTSIDE, format!("header.{of_offset}"), span, message);
            } else if !(size as usize).is_multiple_of(record) {
                let message = format!("{size} bytes are no multiple of the {record} bytes of a record");
                let span = HEADER.record.span(4, &of_size);
                self.report(&codes::TABLE_SIZE, format!("header.{of_size}"), span, message);
            }
        }
    }

    /// What is wrong with a field of the record of a mesh.
    fn report_mesh(&mut self, code: &'static Code, i: usize, field: &str, message: String) {
        let span = self.model.mesh_table.field(&MESH, i, field);
        self.report(code, format!("meshes[{i}].record.{field}"), span, message);
    }

    fn strings(&mut self) {
        let model = self.model;
        let of_meshes = model.meshes.iter().enumerate().map(|(i, mesh)| {
            let span = model.mesh_table.field(&MESH, i, "ofs_mat");
            (mesh.material_at, format!("meshes[{i}].record.ofs_mat"), span)
        });
        let of_bones = model.bones.iter().enumerate().map(|(i, bone)| {
            let span = model.bone_table.field(&BONE, i, "ofs_name");
            (bone.name_at, format!("bones[{i}].ofs_name"), span)
        });
        let of_animations = model.animations.iter().enumerate().map(|(i, animation)| {
            let span = model.animation_table.field(&ANIMATION, i, "ofs_name");
            (animation.name_at, format!("animations[{i}].record.ofs_name"), span)
        });
        let broken: Vec<_> = of_meshes
            .chain(of_bones)
            .chain(of_animations)
            .filter(|(at, ..)| *at != 0 && !model.strings.contains_key(at))
            .collect();
        for (at, path, span) in broken {
            let message = format!("no text that ends in the file is at byte {at}");
            self.report(&codes::STRING, path, span, message);
        }
        for (at, text) in &model.strings {
            let span = Span::new(*at as usize, *at as usize + text.len());
            if text.len() > 255 {
                let message = format!("a name has {} bytes", text.len());
                self.report(&codes::STRING_LONG, format!("strings[{at}].text"), span, message);
            }
            if std::str::from_utf8(text).is_err() {
                let message = "it was read as Windows-1252".to_owned();
                self.report(&codes::NAME_NOT_UTF8, format!("strings[{at}].text"), span, message);
            }
        }
    }

    fn mesh(&mut self, i: usize, mesh: &Mesh) {
        self.mesh_lists(i, mesh);
        if mesh.reserved != 0 {
            let message = format!("the reserved word is {}", mesh.reserved);
            self.report_mesh(&codes::RESERVED, i, "reserved", message);
        }
        if let Some(name) = self.model.material(mesh)
            && name.first() == Some(&b'#')
            && flat_colour(name).is_none()
        {
            let message = format!("the material {} is drawn white", name.escape_ascii());
            let at = mesh.material_at as usize;
            let span = Span::new(at, at + name.len());
            self.report(&codes::MATERIAL_COLOUR, format!("strings[{at}].text"), span, message);
        }
        self.vertices(i, mesh);
        self.faces(i, mesh);
        self.flags(i, mesh);
    }

    /// Whether the lists are where the record says, and as long.
    fn mesh_lists(&mut self, i: usize, mesh: &Mesh) {
        let lists = [
            ("ofs_vtx", "sz_vtx", mesh.vertices_at, mesh.vertex_bytes, mesh.stored_vertex_bytes()),
            ("ofs_tris", "sz_tris", mesh.faces_at, mesh.face_bytes, mesh.stored_face_bytes()),
        ];
        for (of_offset, of_size, at, size, used) in lists {
            let end = at as usize + size as usize;
            let missing = (size as usize).saturating_sub(used);
            if size > 0 && end > self.length {
                let message =
                    format!("the list is at bytes {at} to {end}, and the file has {} bytes", self.length);
                self.report_mesh(&codes::LIST_OUTSIDE, i, of_offset, message);
            } else if of_size == "sz_vtx" && mesh.vertices.len() < usize::from(mesh.vertex_count) {
                let message = format!(
                    "{size} bytes hold {} of the {} vertices",
                    mesh.vertices.len(),
                    mesh.vertex_count
                );
                self.report_mesh(&codes::VERTEX_LIST_SHORT, i, of_size, message);
            } else if of_size == "sz_tris" && missing > 0 {
                let start = at as usize + used;
                let message = format!("the last {missing} bytes of the list are no whole element");
                let span = Span::new(start, start + missing);
                self.report(
                    &codes::FACE_CUT,
                    format!("meshes[{i}].faces[{}]", mesh.faces.len()),
                    span,
                    message,
                );
            } else if missing > 0 {
                let message = format!("{missing} bytes follow the last element");
                self.report_mesh(&codes::LIST_SURPLUS, i, of_size, message);
            }
        }
    }

    fn vertices(&mut self, i: usize, mesh: &Mesh) {
        let bones = self.model.bones.len();
        let mut at = mesh.vertices_at as usize;
        let (mut wasted, mut saturated) = (0usize, 0usize);
        for (v, vertex) in mesh.vertices.iter().enumerate() {
            let span = Span::new(at, at + vertex.kind().bytes());
            // Where the tag and the position are in all vertices that have such.
            let field = |name: &str| VERTEX_128.span(span.start as usize, name);
            at += vertex.kind().bytes();
            let path = |field: &str| format!("meshes[{i}].vertices[{v}].{field}");
            match vertex.tag() {
                tag @ 0xF0..=0xF7 => {
                    let message = format!("the tag {tag:02X} is read as {:02X}", 0xF8 | tag & 3);
                    self.report(&codes::VERTEX_TAG_ALIAS, path("tag"), field("tag"), message);
                }
                tag @ (0xFC | 0xFE | 0xFF) => {
                    let message = format!("the tag {tag:02X} is read as FD");
                    self.report(&codes::VERTEX_TAG, path("tag"), field("tag"), message);
                }
                _ => {}
            }
            let bone = usize::from(vertex.bone());
            if bone > 0 && bone >= bones {
                let message = format!("bone {bone} of {bones}");
                self.report(&codes::BONE_RANGE, path("bone"), span, message);
            }
            if vertex.position().iter().any(|x| !x.is_finite()) {
                let message = format!("the position is {:?}", vertex.position());
                self.report(&codes::NOT_FINITE, path("position"), field("position"), message);
            }
            if let Some(packed) = vertex.packed_position() {
                wasted += usize::from(packed.wastes_range());
                saturated += usize::from(packed.is_saturated());
            }
        }
        let span = Span::new(mesh.vertices_at as usize, at);
        let of = mesh.vertices.len();
        if wasted > 0 {
            let message = format!("{wasted} of {of} vertices could have a smaller exponent");
            self.report(&codes::WASTED_RANGE, format!("meshes[{i}].vertices"), span, message);
        }
        if saturated > 0 {
            let message = format!("{saturated} of {of} vertices are at the end of the range");
            self.report(&codes::SATURATED, format!("meshes[{i}].vertices"), span, message);
        }
    }

    fn faces(&mut self, i: usize, mesh: &Mesh) {
        let mut at = mesh.faces_at as usize;
        for (f, face) in mesh.faces.iter().enumerate() {
            let span = Span::new(at, at + face.kind().bytes());
            at += face.kind().bytes();
            let path = || format!("meshes[{i}].faces[{f}]");
            if let Some(corner) = face.corners().iter().find(|c| **c as usize >= mesh.vertices.len()) {
                let message = format!("vertex {corner} of {}", mesh.vertices.len());
                self.report(&codes::INDEX_RANGE, path(), span, message);
            }
            if face.spare_bits() != 0 {
                self.report(&codes::SPARE_BITS, path(), span, "the highest two bits are not zero".to_owned());
            }
        }
        let (elements, triangles) = (mesh.faces.len(), mesh.triangles());
        let stated = usize::from(mesh.triangle_count);
        let whole = mesh.stored_face_bytes() == mesh.face_bytes as usize;
        if whole && stated != elements && stated != triangles {
            let message = format!(
                "{stated} triangles are stated, and the list has {elements} elements of {triangles} triangles"
            );
            self.report_mesh(&codes::TRIANGLE_COUNT, i, "n_tris", message);
        }
    }

    fn flags(&mut self, i: usize, mesh: &Mesh) {
        let is = |kind: VertexKind| move |vertex: &Vertex| vertex.kind() == kind;
        let vertices = match mesh.flags & 3 {
            0 => mesh.vertices.iter().all(is(VertexKind::Bits64)),
            2 => mesh.vertices.iter().all(is(VertexKind::Bits128)),
            3 => mesh.vertices.iter().all(is(VertexKind::Bits96)),
            _ => true,
        };
        let faces = mesh.faces.iter().all(|face| match mesh.flags >> 2 & 3 {
            0 => face.kind().letter() == 't',
            2 => face.kind().letter() == 'T',
            3 => face.kind().bytes() == 8,
            _ => true,
        });
        if !vertices || !faces {
            let what = if vertices { "triangles or quads" } else { "vertices" };
            let message = format!("the flags {:X} exclude some of the {what}", mesh.flags);
            self.report_mesh(&codes::FLAGS, i, "flags", message);
        }
        if mesh.flags >> 4 != 0 {
            let message = format!("the flags {:X} have bits that mean nothing", mesh.flags);
            self.report_mesh(&codes::RESERVED, i, "flags", message);
        }
    }

    fn lods(&mut self) {
        for (i, lod) in self.model.lods.iter().enumerate() {
            let span = self.model.lod_table.field(&LOD, i, "");
            let (first, count) = (usize::from(lod.first), usize::from(lod.count));
            if first + count > self.model.meshes.len() {
                let message = format!("meshes {first} to {} of {}", first + count, self.model.meshes.len());
                self.report(&codes::LOD_RANGE, format!("lods[{i}]"), span, message);
            }
            let meshes = self.model.meshes.iter().skip(first).take(count);
            let undrawn = meshes.filter(|mesh| mesh.material_at == 0).count();
            if undrawn > 0 {
                let message = format!("{undrawn} of its {count} meshes have no material");
                self.report(&codes::LOD_UNDRAWN, format!("lods[{i}]"), span, message);
            }
            let scale = f8a_to_f32(lod.scale);
            if !(0.0..=1.0).contains(&scale) {
                let message = format!("the scale is {scale}");
                self.report(&codes::LOD_SCALE, format!("lods[{i}].ld_sc"), span, message);
            }
            if lod.reserved != 0 {
                let message = format!("the reserved byte is {}", lod.reserved);
                self.report(&codes::RESERVED, format!("lods[{i}].reserved"), span, message);
            }
        }
    }

    fn bones(&mut self) {
        let mut pseudo_before = false;
        for (i, bone) in self.model.bones.iter().enumerate() {
            let start = self.model.bone_table.record(&BONE, i);
            let field = |name: &str| BONE.record.span(start, name);
            let xform = BONE.record.spans(start, "translation", "rotation");
            if i == 256 {
                let message = format!("there are {} bones", self.model.bones.len());
                self.report(&codes::BONE_COUNT, format!("bones[{i}]"), xform, message);
            }
            if bone.is_pseudo() && i > 0 {
                pseudo_before = true;
                self.pseudo_bone(i, xform);
            } else if i == 0 {
                let turned = ![0, u32::MAX, 0x7000_0000].contains(&bone.rotation);
                if bone.parent != 0 || turned || crate::bytes::Se32(bone.translation).values() != [0.0; 3] {
                    let message = "bone 0 is the model itself and cannot be elsewhere".to_owned();
                    self.report(&codes::ROOT_BONE, "bones[0]".to_owned(), xform, message);
                }
            } else {
                let below_blend = bone.parent != 0
                    && self.model.bones.get(usize::from(bone.parent)).is_some_and(super::Bone::is_pseudo);
                if usize::from(bone.parent) >= i || below_blend {
                    let message = format!("bone {i} hangs on bone {}", bone.parent);
                    self.report(&codes::PARENT, format!("bones[{i}].id_parent"), field("id_parent"), message);
                }
                if pseudo_before {
                    let message = "animations hold entries for the pseudo-bone before it".to_owned();
                    self.report(&codes::PSEUDO_ORDER, format!("bones[{i}]"), xform, message);
                }
            }
            if bone.solid != 0 && usize::from(bone.solid) >= self.model.meshes.len() {
                let message = format!("mesh {} of {}", bone.solid, self.model.meshes.len());
                self.report(&codes::SOLID_RANGE, format!("bones[{i}].id_solid"), field("id_solid"), message);
            } else if bone.solid != 0 {
                self.solid(i, usize::from(bone.solid));
            }
            if bone.reserved != [0; 2] {
                let message = format!("the reserved bytes are {:?}", bone.reserved);
                self.report(&codes::RESERVED, format!("bones[{i}].reserved"), field("reserved"), message);
            }
        }
    }

    /// What the document asks of the mesh of a solid.
    fn solid(&mut self, bone: usize, index: usize) {
        let Some(mesh) = self.model.meshes.get(index) else { return };
        let within = |start: u32, bytes: usize| {
            let start = (start as usize).min(self.length);
            Span::new(start, start.saturating_add(bytes).min(self.length))
        };
        let span = within(mesh.vertices_at, mesh.stored_vertex_bytes());
        let of_faces = within(mesh.faces_at, mesh.stored_face_bytes());
        let (path, faces) = (format!("meshes[{index}].vertices"), format!("meshes[{index}].faces"));
        let elsewhere = |vertex: &&Vertex| ![0, bone].contains(&usize::from(vertex.bone()));
        let elsewhere = mesh.vertices.iter().filter(elsewhere).count();
        if elsewhere > 0 {
            let message = format!("{elsewhere} vertices of the solid of bone {bone} hang on other bones");
            self.report(&codes::SOLID_BONES, path.clone(), span, message);
        }
        let twice = same_places(mesh);
        if twice > 0 {
            let message = format!("{twice} vertices are where others are");
            self.report(&codes::SOLID_VERTICES, path, span, message);
        }
        let open = open_edges(mesh);
        if open > 0 || mesh.faces.is_empty() {
            let message = format!("{open} edges of the solid of bone {bone} do not belong to two triangles");
            self.report(&codes::SOLID_OPEN, faces.clone(), of_faces, message);
        }
        if let Some((a, b)) = crossing(mesh, &mut self.pairs) {
            let message =
                format!("triangles {a} and {b} of the solid of bone {bone} pass through each other");
            self.report(&codes::SOLID_CROSSING, faces, of_faces, message);
        }
    }

    fn pseudo_bone(&mut self, i: usize, span: Span) {
        let Some(bone) = self.model.bones.get(i) else { return };
        for (id, _) in bone.blended() {
            let blended = self.model.bones.get(usize::from(id));
            if blended.is_none_or(|other| other.is_pseudo() && id != 0) {
                let message = format!("it blends bone {id}, which is no ordinary bone");
                self.report(&codes::PSEUDO_BONE, format!("bones[{i}].bones"), span, message);
            }
        }
        let below = bone.blended().any(|(_, weight)| weight < 0.0);
        if below || bone.blended().next().is_none() {
            let weights: Vec<f32> = bone.blended().map(|(_, weight)| weight).collect();
            let message = format!("the weights are {weights:?}");
            self.report(&codes::PSEUDO_WEIGHTS, format!("bones[{i}].weights"), span, message);
        }
    }

    fn animation(&mut self, i: usize, animation: &Animation) {
        let record = self.model.animation_table.record(&ANIMATION, i);
        let field = |name: &str| ANIMATION.record.span(record, name);
        let frames = ANIMATION.record.spans(record, "ofs_frames", "sz_frames");
        if animation.reserved != [0; 2] {
            let message = format!("the reserved bytes are {:?}", animation.reserved);
            self.report(
                &codes::RESERVED,
                format!("animations[{i}].record.reserved"),
                field("reserved"),
                message,
            );
        }
        let (start, size) = (animation.frames_at as usize, animation.frame_bytes as usize);
        if size > 0 && start + size > self.length {
            let message = format!(
                "the frames are at bytes {start} to {}, and the file has {} bytes",
                start + size,
                self.length
            );
            self.report(&codes::LIST_OUTSIDE, format!("animations[{i}].record.ofs_frames"), frames, message);
        }
        if self.model.bones.is_empty() {
            let message = "there is no bone that it could move".to_owned();
            return self.report(&codes::NO_BONES, format!("animations[{i}].record"), field(""), message);
        }
        if animation.rate & 0x7F == 0 {
            let message = "10 frames a second were assumed".to_owned();
            self.report(&codes::RATE, format!("animations[{i}].record.fl_hz"), field("fl_hz"), message);
        }
        self.frames(i, animation, frames);
    }

    /// The entries, where the fields that say where they are have the range `stated`.
    fn frames(&mut self, i: usize, animation: &Animation, stated: Span) {
        let (start, size) = (animation.frames_at as usize, animation.frame_bytes as usize);
        let path = format!("animations[{i}].frames");
        let used = animation.stored_frame_bytes();
        let closed = animation.tracks.iter().filter(|track| track.closed).count();
        let bones = self.model.animated_bones();
        let end = (start + size).min(self.length);
        if closed < bones {
            let message = format!("{size} bytes hold the entries of {closed} of {bones} bones");
            let span = match size {
                0 => stated,
                _ => Span::new(start.min(end), end),
            };
            self.report(&codes::FRAMES_OPEN, path.clone(), span, message);
        } else if used < size && start + size <= self.length {
            let message = format!("{} bytes follow the entries of the last bone", size - used);
            self.report(&codes::FRAMES_SURPLUS, path.clone(), Span::new(start + used, end), message);
        }
        let mut at = start;
        for (b, track) in animation.tracks.iter().enumerate() {
            for (e, (frame, entry)) in track.frames().enumerate() {
                let span = Span::new(at, at + entry.bytes());
                at += entry.bytes();
                let path = || format!("{path}.bones[{b}].entries[{e}]");
                if frame >= usize::from(animation.frame_count) && entry.words().next().is_some() {
                    let message = format!("frame {frame} of {}", animation.frame_count);
                    self.report(&codes::FRAME_RANGE, path(), span, message);
                }
                if entry.words().any(|word| word == u32::MAX) {
                    let message = "the word FFFFFFFF was read as no key".to_owned();
                    self.report(&codes::KEY_NONE, path(), span, message);
                }
            }
            at += usize::from(track.closed);
        }
    }
}
