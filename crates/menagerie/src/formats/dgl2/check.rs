//! What is wrong in a file that could be read.

use std::collections::{BTreeMap, BTreeSet};

use super::codes;
use super::dml::{Dml, Value as _};
use super::lift::{LIGHT, is_plain_end};
use super::model::{Chunk, ChunkData, ENTITY, EntityData, MaterialData, Model, Properties, Triangle, kind};
use super::read::within;
use super::surface::{Surface, TEXTURES, color, get};
use crate::bytes::{ByteMap, decode_text};
use crate::diag::{Issue, Issues, NOT_FINITE};

/// Finds what is wrong in a model.
pub fn check(model: &Model, issues: &mut Issues) {
    frame(model, issues);
    let ids = Ids::of(model);
    for (index, chunk) in model.chunks.iter().enumerate() {
        let at = Place { index };
        if !decode_text(&chunk.name).1 {
            issues.report(&codes::NAME_NOT_UTF8, || {
                (at.path("name"), format!("the name is read as {:?}", chunk.name_text()))
            });
        }
        match &chunk.data {
            ChunkData::Trimesh(triangles, rest) => at.trimesh(triangles, rest, &ids, issues),
            ChunkData::Entity(entity) => at.entity(entity, &ids, issues),
            ChunkData::Material(MaterialData::Sized(properties)) => at.properties(properties, issues),
            ChunkData::Material(MaterialData::Bare(_)) => {}
            ChunkData::Raw(bytes) => at.raw(chunk, bytes.len(), issues),
        }
        at.values(&chunk.data, issues);
    }
    duplicates(model, issues);
    property_texts(model, issues);
}

/// How the file begins and ends.
fn frame(model: &Model, issues: &mut Issues) {
    if model.chunks.first().is_some_and(|chunk| chunk.kind != kind::HEADER) {
        issues.report(&codes::NO_HEADER, || {
            ("chunks[0].type".to_owned(), "the first chunk is no HEADER".to_owned())
        });
    }
    for (index, chunk) in model.of_kind(kind::HEADER).filter(|(_, chunk)| chunk.id != -1) {
        issues.report(&codes::HEADER_ID, || {
            (format!("chunks[{index}].id"), format!("the id of the HEADER is {}", chunk.id))
        });
    }
    for (index, _) in model.of_kind(kind::END).filter(|(_, chunk)| !is_plain_end(chunk)) {
        issues.report(&codes::END_CHUNK, || {
            (format!("chunks[{index}]"), "the END chunk has an id, a name or data".to_owned())
        });
    }
    for (index, _) in model.of_kind(kind::HEADER).skip(1) {
        issues.report(&codes::MORE_HEADERS, || {
            (format!("chunks[{index}].type"), "this is a further HEADER".to_owned())
        });
    }
    let ended = model.chunks.last().is_some_and(|chunk| chunk.kind == kind::END);
    let cut = issues.iter().any(|issue| issue.code == &codes::CHUNK_CUT);
    if !ended && !cut {
        let last = model.chunks.len().saturating_sub(1);
        issues.report(&codes::NO_END, || {
            (format!("chunks[{last}]"), "this is the last chunk, and no END".to_owned())
        });
    }
    if !model.trailing.is_empty() && !cut {
        issues.report(&codes::TRAILING_BYTES, || {
            ("trailing".to_owned(), format!("{} bytes follow the END chunk", model.trailing.len()))
        });
    }
}

/// The ids that can be referred to.
struct Ids {
    meshes: BTreeSet<i32>,
    materials: BTreeSet<i32>,
}

impl Ids {
    fn of(model: &Model) -> Self {
        let ids = |kind| model.of_kind(kind).map(|(_, chunk)| chunk.id).collect();
        Self { meshes: ids(kind::TRIMESH), materials: ids(kind::MATERIAL) }
    }
}

/// A chunk's place in paths.
struct Place {
    index: usize,
}

impl Place {
    fn path(&self, field: &str) -> String {
        format!("chunks[{}].{field}", self.index)
    }

    fn raw(&self, chunk: &Chunk, bytes: usize, issues: &mut Issues) {
        if chunk.kind > kind::ENTITY {
            issues.report(&codes::UNKNOWN_CHUNK, || {
                (self.path("type"), format!("type {} is reserved", chunk.kind))
            });
        } else if chunk.kind == kind::ENTITY {
            issues.report(&codes::ENTITY_SIZE, || {
                (self.path("data_size"), format!("{bytes} bytes are fewer than the 56 of an entity"))
            });
        }
    }

    fn trimesh(&self, triangles: &[Triangle], rest: &[u8], ids: &Ids, issues: &mut Issues) {
        if !rest.is_empty() {
            issues.report(&codes::TRIMESH_SIZE, || {
                let message = format!("{} bytes are left after {} triangles", rest.len(), triangles.len());
                (self.path("data_size"), message)
            });
        }
        for (i, triangle) in triangles.iter().enumerate() {
            let material = triangle.material.get();
            if material != -1 && !ids.materials.contains(&material) {
                issues.report(&codes::MISSING_MATERIAL, || {
                    (
                        self.path(&format!("triangles[{i}].material")),
                        format!("there is no material {material}"),
                    )
                });
            }
            let flat = [
                triangle.positions.as_flattened(),
                triangle.normals.as_flattened(),
                triangle.uv1.as_flattened(),
                triangle.uv2.as_flattened(),
            ];
            for (list, name) in flat.iter().zip(["positions", "normals", "uv1", "uv2"]) {
                if let Some(value) = list.iter().find(|x| !x.get().is_finite()) {
                    issues.report(&NOT_FINITE, || {
                        (self.path(&format!("triangles[{i}].{name}")), format!("holds {value}"))
                    });
                }
            }
        }
    }

    fn entity(&self, entity: &EntityData, ids: &Ids, issues: &mut Issues) {
        if entity.mesh != -1 && !ids.meshes.contains(&entity.mesh) {
            issues.report(&codes::MISSING_MESH, || {
                (self.path("mesh"), format!("there is no mesh {}", entity.mesh))
            });
        }
        if entity.material != -1 && !ids.materials.contains(&entity.material) {
            issues.report(&codes::MISSING_MATERIAL, || {
                (self.path("material"), format!("there is no material {}", entity.material))
            });
        }
        ENTITY.floats(entity, |name, list| {
            if let Some(value) = list.iter().find(|x| !x.is_finite()) {
                issues.report(&NOT_FINITE, || (self.path(name), format!("holds {value}")));
            }
        });
        if entity.rotation == [0.0; 4] {
            issues.report(&codes::ROTATION, || (self.path("rotation"), "the quaternion is zero".to_owned()));
        }
        self.properties(&entity.properties, issues);
    }

    /// Values that cannot be what they should.
    fn values(&self, data: &ChunkData, issues: &mut Issues) {
        let path = || self.path("dml");
        let mut odd = |name: &str, value: &str| {
            issues.report(&codes::DML_VALUE, || {
                let message =
                    format!("the value {value:?} of {name} is not what it should be; the default was taken");
                (path(), message)
            });
        };
        let pairs = match data {
            ChunkData::Material(material) => {
                let pairs = Dml::parse(material.text()).to_pairs();
                Surface::read(&pairs, odd);
                pairs
            }
            ChunkData::Entity(entity) => {
                let pairs = entity.properties.parse().to_pairs();
                for flag in ["visible", "transparent"] {
                    if let Some(value) = get(&pairs, flag).filter(|value| value.as_bool().is_none()) {
                        odd(flag, value);
                    }
                }
                let light = get(&pairs, "color");
                if let Some(value) = light.filter(|value| entity.kind == LIGHT && color(value).is_none()) {
                    odd("color", value);
                }
                pairs
            }
            _ => return,
        };
        for (name, value) in &pairs {
            let is_color = ["diffuseColor", "specularColor", "color"].contains(&name.as_str());
            let outside = |numbers: [f32; 4]| numbers.iter().any(|x| !(0.0..=1.0).contains(x));
            if is_color && color(value).is_some_and(outside) {
                issues.report(&codes::COLOR_RANGE, || (path(), format!("{name} is {value}")));
            }
            let slot = name.strip_prefix("texture").and_then(|slot| slot.parse::<usize>().ok());
            if matches!(data, ChunkData::Material(_)) && slot.is_some_and(|slot| slot >= TEXTURES) {
                issues.report(&codes::TEXTURE_SLOT, || (path(), format!("there is no slot for {name}")));
            }
        }
    }

    fn properties(&self, properties: &Properties, issues: &mut Issues) {
        if let Some(stated) = properties.stated_size {
            issues.report(&codes::PROPERTIES_SIZE, || {
                let message =
                    format!("{stated} bytes of text are stated, {} are there", properties.text.len());
                (self.path("dml_size"), message)
            });
        }
        if !properties.after.is_empty() {
            issues.report(&codes::DATA_AFTER_PROPERTIES, || {
                (self.path("after"), format!("{} bytes follow the text", properties.after.len()))
            });
        }
    }
}

/// Ids and names that two chunks of one kind have.
fn duplicates(model: &Model, issues: &mut Issues) {
    let mut ids: BTreeMap<(u16, i32), usize> = BTreeMap::new();
    let mut names: BTreeMap<(u16, &[u8]), usize> = BTreeMap::new();
    for (index, chunk) in model.chunks.iter().enumerate() {
        if !(kind::TRIMESH..=kind::ENTITY).contains(&chunk.kind) {
            continue;
        }
        if let Some(first) = ids.insert((chunk.kind, chunk.id), index) {
            issues.report(&codes::DUPLICATE_ID, || {
                (format!("chunks[{index}].id"), format!("chunk {first} has the id {} too", chunk.id))
            });
        }
        if chunk.name.is_empty() {
            issues.report(&codes::NO_NAME, || {
                (format!("chunks[{index}].name_size"), "the name has no bytes".to_owned())
            });
            continue;
        }
        if let Some(first) = names.insert((chunk.kind, &chunk.name), index) {
            issues.report(&codes::DUPLICATE_NAME, || {
                (
                    format!("chunks[{index}].name"),
                    format!("chunk {first} is called {:?} too", chunk.name_text()),
                )
            });
        }
    }
}

/// Problems inside the property texts, each with its place in the text.
fn property_texts(model: &Model, issues: &mut Issues) {
    // Drawn only when a text has a fault: the place of a fault is inside a field of the map.
    let mut map: Option<ByteMap> = None;
    for (index, chunk) in model.chunks.iter().enumerate() {
        let text = match &chunk.data {
            ChunkData::Material(material) => material.text(),
            ChunkData::Entity(entity) => &entity.properties.text,
            _ => continue,
        };
        for fault in super::dml::Dml::parse(text).faults {
            let path = format!("chunks[{index}].dml");
            let map = map.get_or_insert_with(|| model.byte_map());
            let issue = Issue::new(fault.code, path.clone(), fault.message);
            issues.push(match map.find(&path) {
                Some(span) => issue.at(within(span, &fault.span)),
                None => issue,
            });
        }
    }
}
