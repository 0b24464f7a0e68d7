//! What the original engine does with a file, from what was found by running it (engines.md, DGL2 E1 to E11).

use super::codes;
use super::dml::{Dml, Value as _};
use super::lift::lift;
use super::model::{ChunkData, MaterialData, Model, kind};
use super::notes::{MeshNote, Note as _};
use super::surface::TEXTURES;
use crate::diag::Issues;
use crate::formats::engine::turn_mirrored_faces;
use crate::formats::{Lifted, ReadOptions};
use crate::scene::{MeshId, Scene};

/// Finds what the engine does with a file that the document does not say.
pub fn check_engine(model: &Model, issues: &mut Issues) {
    for (index, chunk) in model.chunks.iter().enumerate() {
        let (text, of_material) = match &chunk.data {
            ChunkData::Material(MaterialData::Sized(properties)) => (&properties.text, true),
            ChunkData::Material(MaterialData::Bare(text)) => (text, true),
            ChunkData::Entity(entity) => (&entity.properties.text, false),
            _ => continue,
        };
        let path = format!("chunks[{index}].dml");
        text_of(&path, text, issues);
        values(&path, &Dml::parse(text), of_material, issues);
    }
    entities(model, issues);
}

/// Texts that the parser of 2016 does not survive (E1, E2).
fn text_of(path: &str, text: &[u8], issues: &mut Issues) {
    let dml = Dml::parse(text);
    let mut report = |code, message: &str| issues.report(code, || (path.to_owned(), message.to_owned()));
    if dml.braced {
        report(&codes::ENGINE_TEXT, "the text is in braces, as engines of 2015 want it: those of 2016 crash");
    } else if dml.faults.iter().any(|fault| fault.code != &codes::DML_DUPLICATE) {
        report(&codes::ENGINE_TEXT, "the engine crashes where a quote or a semicolon is missing");
    } else if outside_values(text, &dml).contains(&b'#') {
        report(&codes::ENGINE_TEXT, "the engine knows no comments");
    }
    if dml.pairs.is_empty() {
        report(
            &codes::ENGINE_NO_TEXT,
            "there is no property: the engine looks into a list that is not there",
        );
    }
}

/// The bytes of a text that are in no value.
fn outside_values(text: &[u8], dml: &Dml) -> Vec<u8> {
    let mut outside = text.to_vec();
    for byte in dml.pairs.iter().flat_map(|pair| pair.span.clone()) {
        if let Some(byte) = outside.get_mut(byte) {
            *byte = b' ';
        }
    }
    outside
}

/// Values that the engine throws at (E4, E5).
fn values(path: &str, dml: &Dml, of_material: bool, issues: &mut Issues) {
    for pair in &dml.pairs {
        let good = match (of_material, pair.name.as_str()) {
            (false, "visible" | "transparent")
            | (true, "shadeless" | "doubleSided" | "emission" | "shininess") => {
                pair.value.as_float().is_some()
            }
            (true, "texturesNum") => {
                whole(&pair.value).is_some_and(|count| (0..=TEXTURES as i64).contains(&count))
            }
            (true, "blendMode") => whole(&pair.value).is_some(),
            (true, "diffuseColor" | "specularColor") | (false, "color") => is_color(&pair.value),
            (true, name) => match name.strip_prefix("texture").and_then(|slot| slot.parse::<usize>().ok()) {
                Some(slot) => is_texture(&pair.value) && slot < TEXTURES,
                None => true,
            },
            _ => true,
        };
        if !good {
            issues.report(&codes::ENGINE_VALUE, || {
                (path.to_owned(), format!("the engine stops at the value {:?} of {}", pair.value, pair.name))
            });
        }
    }
}

/// A whole number without a point.
fn whole(value: &str) -> Option<i64> {
    value.trim().parse().ok()
}

fn is_color(value: &str) -> bool {
    let bracketed = value.trim().starts_with('[') && value.trim().ends_with(']');
    bracketed && value.as_vector().is_some_and(|numbers| numbers.len() == 4)
}

/// A name without a comma and a whole number, in brackets.
fn is_texture(value: &str) -> bool {
    let inner = value.trim().strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inner.and_then(|inner| inner.split_once(',')).is_some_and(|(_, blend)| whole(blend).is_some())
}

/// Mirrored entities (E7), and entities whose material counts only by the document (E10).
fn entities(model: &Model, issues: &mut Issues) {
    let without: std::collections::BTreeSet<i32> = model
        .meshes()
        .filter(|(_, _, triangles)| triangles.iter().any(|triangle| triangle.material.get() == -1))
        .map(|(_, chunk, _)| chunk.id)
        .collect();
    let filled: std::collections::BTreeSet<i32> = model
        .meshes()
        .filter(|(_, _, triangles)| !triangles.is_empty())
        .map(|(_, chunk, _)| chunk.id)
        .collect();
    let materials: std::collections::BTreeSet<i32> =
        model.of_kind(kind::MATERIAL).map(|(_, chunk)| chunk.id).collect();
    for (index, _, entity) in model.entities() {
        let [x, y, z] = entity.scaling;
        if x * y * z < 0.0 && filled.contains(&entity.mesh) {
            issues.report(&codes::ENGINE_MIRRORED, || {
                let message = "the scale mirrors: the engine draws the inside of the faces";
                (format!("chunks[{index}].scaling"), message.to_owned())
            });
        }
        if materials.contains(&entity.material) && without.contains(&entity.mesh) {
            issues.report(&codes::ENGINE_MATERIAL, || {
                let message =
                    "triangles of its mesh have no material, and the engine does not give them this one";
                (format!("chunks[{index}].material"), message.to_owned())
            });
        }
    }
}

/// The Scene that the engine shows: mirrored entities inside out (E7), triangles without a material without one (E10).
pub fn lift_as_engine(model: &Model, options: &ReadOptions<'_>) -> Lifted {
    let mut lifted = lift(model, options);
    own_materials(model, &mut lifted.scene);
    turn_mirrored_faces(&mut lifted.scene);
    lifted
}

/// Entities show the mesh as it is, not the copy with their own material. Both are in the Scene.
fn own_materials(model: &Model, scene: &mut Scene) {
    let mut plain = std::collections::BTreeMap::new();
    for ((_, chunk, _), mesh) in model.meshes().zip(scene.meshes.ids()) {
        plain.insert(chunk.id, mesh);
    }
    let is_copy = |scene: &Scene, mesh: MeshId| {
        let note = MeshNote::of(&scene.meshes.get(mesh)?.extras);
        note.with_material.and(note.id)
    };
    for id in scene.nodes.ids() {
        let shown = scene.nodes.get(id).and_then(|node| node.mesh);
        let mesh = shown.and_then(|mesh| is_copy(scene, mesh)).and_then(|id| plain.get(&id).copied());
        if let Some((node, mesh)) = scene.nodes.get_mut(id).zip(mesh) {
            node.mesh = Some(mesh);
        }
    }
}
