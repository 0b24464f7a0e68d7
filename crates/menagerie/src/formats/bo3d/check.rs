//! What is wrong in a file that could be read.

use std::collections::BTreeMap;

use zerocopy::little_endian::F32;

use super::codes;
use super::model::{ENTITY, Entity, Fx, MESH, MeshData, Model, VERSION, Vertices};
use crate::bytes::decode_text;
use crate::diag::{Aspect, Issues, NOT_FINITE};

/// Finds what is wrong in a model.
pub fn check(model: &Model, issues: &mut Issues) {
    if model.version < VERSION {
        issues.report(&codes::VERSION_OLDER, || {
            ("header.version".to_owned(), format!("version {} is older than {VERSION}", model.version))
        });
    }
    // Of a damaged file reading has said what is wrong.
    if !model.trailing.is_empty() && model.stated_count.is_none() {
        issues.report(&codes::TRAILING_BYTES, || {
            ("trailing".to_owned(), format!("{} bytes follow the last entity", model.trailing.len()))
        });
    }
    let mut names: BTreeMap<&[u8], usize> = BTreeMap::new();
    for (index, entity) in model.entities.iter().enumerate() {
        let at = Place { index };
        at.header(entity, model.entities.len(), issues);
        at.padding(entity, issues);
        at.keys(entity, issues);
        if let Some(mesh) = &entity.mesh {
            at.mesh(mesh, model.entities.len(), issues);
        }
        let first = *names.entry(&entity.name).or_insert(index);
        if first != index && !entity.name.is_empty() {
            issues.report(&codes::DUPLICATE_NAME, || {
                (at.path("name"), format!("entity {first} is called {:?} too", entity.name_text()))
            });
        }
    }
}

/// An entity's place in paths.
struct Place {
    index: usize,
}

impl Place {
    fn path(&self, field: &str) -> String {
        format!("entities[{}].{field}", self.index)
    }

    fn header(&self, entity: &Entity, entities: usize, issues: &mut Issues) {
        if self.index == 0 {
            if entity.parent != -1 {
                issues.report(&codes::ROOT_PARENT, || {
                    (self.path("parent"), format!("the root has the parent {}", entity.parent))
                });
            }
        } else if entity.parent != -1
            && usize::try_from(entity.parent).map_or(true, |parent| parent >= self.index)
        {
            issues.report(&codes::PARENT, || {
                let parent = entity.parent;
                let message =
                    format!("{parent} is no entity before this one (of {entities}); it hangs on entity 0");
                (self.path("parent"), message)
            });
        }
        ENTITY.floats(entity, |field, values| self.finite(field, values, issues));
        if entity.rotation == [0.0; 4] {
            issues.report(&codes::ROTATION, || (self.path("rotation"), "the quaternion is zero".to_owned()));
        }
        if entity.anim_length < 0 {
            issues.report(&codes::ANIMATION_LENGTH, || {
                (self.path("anim_length"), format!("a length of {} frames", entity.anim_length))
            });
        }
        if !entity.name.is_empty() && !decode_text(&entity.name).1 {
            issues.report(&codes::NAME_NOT_UTF8, || {
                (self.path("name"), format!("the name is read as {:?}", entity.name_text()))
            });
        }
    }

    fn padding(&self, entity: &Entity, issues: &mut Issues) {
        // What menagerie notes there is no surprise.
        let noted = self.index == 0 && entity.has_note();
        if !entity.surplus.is_empty() && !noted {
            issues.report(&codes::SURPLUS_BYTES, || {
                (self.path("surplus"), format!("{} bytes follow the last list", entity.surplus.len()))
            });
        }
        let mesh = entity.mesh.as_ref();
        let fills = [
            ("name_padding", entity.name_padding.as_deref()),
            ("colours_padding", mesh.and_then(|mesh| mesh.colours_padding.as_deref())),
            ("triangles_padding", mesh.and_then(|mesh| mesh.triangles_padding.as_deref())),
            ("texture_padding", mesh.and_then(|mesh| mesh.texture_padding.as_deref())),
        ];
        for (name, bytes) in fills {
            let Some(bytes) = bytes else { continue };
            if bytes.iter().any(|byte| *byte != 0) {
                issues.report(&codes::PADDING_NOT_ZERO, || {
                    (self.path(name), format!("the padding is {}", bytes.escape_ascii()))
                });
            } else {
                // Padding that is shorter than it should be: the definition ends inside it.
                issues.report(&codes::UNALIGNED_SIZE, || {
                    (self.path("size"), "the size leaves out the padding of the last list".to_owned())
                });
            }
        }
    }

    fn keys(&self, entity: &Entity, issues: &mut Issues) {
        for (i, key) in entity.keys.iter().enumerate() {
            let field = |name: &str| format!("keys[{i}].{name}");
            let before = i.checked_sub(1).and_then(|before| entity.keys.get(before));
            if let Some(before) = before.filter(|before| before.frame.get() >= key.frame.get()) {
                issues.report(&codes::KEY_ORDER, || {
                    let message = format!("frame {} follows frame {}", key.frame, before.frame);
                    (self.path(&field("frame")), message)
                });
            }
            let values = |list: &[F32]| list.iter().map(|x| x.get()).collect::<Vec<_>>();
            for (name, list) in
                [("position", &key.position[..]), ("scale", &key.scale), ("rotation", &key.rotation)]
            {
                if list.iter().any(|x| !x.get().is_finite()) {
                    self.finite(&field(name), &values(list), issues);
                }
            }
            if key.rotation.iter().all(|x| x.get() == 0.0) {
                issues.report(&codes::ROTATION, || {
                    (self.path(&field("rotation")), "the quaternion is zero".to_owned())
                });
            }
        }
    }

    fn mesh(&self, mesh: &MeshData, entities: usize, issues: &mut Issues) {
        let vertices = mesh.vertices.len();
        if !mesh.colours.is_empty() && mesh.colours.len() != vertices {
            issues.report(&codes::COLOUR_COUNT, || {
                let message = format!("{} colours for {vertices} vertices", mesh.colours.len());
                (self.path("colour_count"), message)
            });
        }
        if mesh.triangles.is_empty() {
            issues.report(&codes::NO_TRIANGLES, || {
                (self.path("triangle_count"), format!("{vertices} vertices and no triangle"))
            });
        }
        let mut broken = 0;
        for (i, triangle) in mesh.triangles.iter().enumerate() {
            if let Some(index) = triangle.0.iter().find(|index| usize::from(index.get()) >= vertices) {
                broken += 1;
                issues.report(&codes::TRIANGLE_INDEX, || {
                    let message = format!("{index} is past the last vertex ({})", vertices.saturating_sub(1));
                    (self.path(&format!("triangles[{i}].vertices")), message)
                });
            }
        }
        let path = || self.path("triangles");
        issues.give_up(Aspect::Topology, "triangles", path(), (broken, mesh.triangles.len()));
        MESH.floats(mesh, |field, values| self.finite(field, values, issues));
        if mesh.fx & !Fx::KNOWN != 0 {
            issues.report(&codes::UNKNOWN_FX, || {
                (self.path("fx"), format!("the flags {:#x} are unknown", mesh.fx & !Fx::KNOWN))
            });
        }
        self.vertices(&mesh.vertices, issues);
        self.bones(mesh, entities, issues);
    }

    fn vertices(&self, vertices: &Vertices, issues: &mut Issues) {
        let mut off = |i: usize, at: usize| {
            issues.report(&NOT_FINITE, || {
                let field = match at {
                    0 => "u",
                    1 => "v",
                    2..=4 => "normal",
                    _ => "position",
                };
                (
                    self.path(&format!("vertices[{i}].{field}")),
                    "a vertex is infinite or not a number".to_owned(),
                )
            });
        };
        match vertices {
            Vertices::Half(list) => {
                for (i, vertex) in list.iter().enumerate() {
                    let not_finite = |bits: &zerocopy::little_endian::U16| bits.get() & 0x7C00 == 0x7C00;
                    if let Some(at) = vertex.0.iter().position(not_finite) {
                        off(i, at);
                    }
                }
            }
            Vertices::Full(list) => {
                for (i, vertex) in list.iter().enumerate() {
                    if let Some(at) = vertex.0.iter().position(|x| !x.get().is_finite()) {
                        off(i, at);
                    }
                }
            }
        }
    }

    fn bones(&self, mesh: &MeshData, entities: usize, issues: &mut Issues) {
        let vertices = mesh.vertices.len();
        let mut ranges = Vec::new();
        let mut broken = 0;
        for (i, bone) in mesh.bones.iter().enumerate() {
            let field = |name: &str| self.path(&format!("bones[{i}].{name}"));
            if usize::try_from(bone.entity.get()).map_or(true, |entity| entity >= entities) {
                broken += 1;
                issues.report(&codes::BONE_ENTITY_RANGE, || {
                    let last = entities.saturating_sub(1);
                    (field("entity"), format!("{} is no entity (0 to {last})", bone.entity))
                });
            }
            let (first, last) = (i64::from(bone.first.get()), i64::from(bone.last.get()));
            if first > last {
                continue;
            }
            let past = vertices as i64 - 1;
            broken += usize::from(first < 0 || last > past);
            if first < 0 || first > past {
                issues.report(&codes::BONE_VERTEX_RANGE, || {
                    (field("first"), format!("{first} is past the last vertex ({past})"))
                });
            } else if last > past {
                issues.report(&codes::BONE_VERTEX_RANGE, || {
                    (field("last"), format!("{last} is past the last vertex ({past})"))
                });
            }
            let range = bone.range(vertices);
            if !range.is_empty() {
                ranges.push((range.start, range.end, i));
            }
        }
        issues.give_up(Aspect::Skins, "bones", self.path("bones"), (broken, mesh.bones.len()));
        ranges.sort_unstable();
        for pair in ranges.windows(2) {
            if let [(_, end, one), (start, _, other)] = pair
                && start < end
            {
                issues.report(&codes::BONE_OVERLAP, || {
                    let path = self.path(&format!("bones[{other}].first"));
                    (path, format!("vertex {start} hangs on bone {one} too"))
                });
            }
        }
    }

    fn finite(&self, field: &str, values: &[f32], issues: &mut Issues) {
        if let Some(value) = values.iter().find(|value| !value.is_finite()) {
            issues.report(&NOT_FINITE, || (self.path(field), format!("holds {value}")));
        }
    }
}
