//! What is wrong in a file that could be read.

use zerocopy::little_endian::F32;

use super::geometry::{BoneEncoding, Geometry, Vertex};
use super::model::{
    Animation, CAMERA, Collection, Instance, KEY, LIGHT, MATERIAL, Material, Model, Slot, is_affine, named,
};
use super::read::tree_issue;
use super::{ENGINE_BONES, ENGINE_LIGHTS, codes};
use crate::bytes::decode_text;
use crate::diag::{Code, Issues, NOT_FINITE};

/// How far the length of a rotation may be from one.
const UNIT_TOLERANCE: f32 = 1e-3;

/// Finds what is wrong in a model.
pub fn check(model: &Model, issues: &mut Issues) {
    finite(issues, || "ambient".to_owned(), &model.ambient);
    cameras(model, issues);
    for (i, geometry) in model.geometries.iter().enumerate() {
        let at = Place { list: "geometries", index: i };
        at.name(&geometry.name, issues);
        at.indices(geometry, issues);
        at.vertices(geometry, issues);
    }
    for (i, material) in model.materials.iter().enumerate() {
        Place { list: "materials", index: i }.material(material, issues);
    }
    for (i, light) in model.lights.iter().enumerate() {
        let at = Place { list: "lights", index: i };
        at.name(&light.name, issues);
        LIGHT.floats(light, |field, values| finite(issues, || at.path(field), values));
    }
    for (i, collection) in model.collections.iter().enumerate() {
        let at = Place { list: "animation_collections", index: i };
        at.name(&collection.name, issues);
        at.skeleton(collection, issues);
        for (j, animation) in collection.animations.iter().enumerate() {
            at.animation(j, animation, issues);
        }
    }
    for (i, instance) in model.instances.iter().enumerate() {
        Place { list: "instances", index: i }.instance(instance, model, issues);
    }
    bone_ranges(model, issues);
    unused(model, issues);
    if model.cut.is_none() {
        scene_tree(model, issues);
    }
    if !model.trailing.is_empty() {
        issues.report(&codes::TRAILING_BYTES, || {
            ("trailing".to_owned(), format!("{} bytes follow the scene tree", model.trailing.len()))
        });
    }
}

/// Reports every name that is not ASCII.
pub(super) fn ascii(model: &Model, issues: &mut Issues) {
    let mut look = |path: &dyn Fn() -> String, name: &[u8]| {
        if !name.is_ascii() {
            issues.report(&codes::NAME_NOT_ASCII, || {
                (path(), format!("{:?} has characters that are not ASCII", decode_text(name).0))
            });
        }
    };
    for (i, camera) in model.cameras.iter().enumerate() {
        look(&|| format!("cameras[{i}].name"), &camera.name);
    }
    for (i, geometry) in model.geometries.iter().enumerate() {
        look(&|| format!("geometries[{i}].name"), &geometry.name);
    }
    for (i, material) in model.materials.iter().enumerate() {
        look(&|| format!("materials[{i}].name"), &material.name);
        for slot in Slot::ALL {
            look(&|| format!("materials[{i}].textures.{}", slot.name()), material.texture(slot));
        }
    }
    for (i, light) in model.lights.iter().enumerate() {
        look(&|| format!("lights[{i}].name"), &light.name);
    }
    for (i, collection) in model.collections.iter().enumerate() {
        look(&|| format!("animation_collections[{i}].name"), &collection.name);
        for (j, animation) in collection.animations.iter().enumerate() {
            look(&|| format!("animation_collections[{i}].animations[{j}].name"), &animation.name);
        }
    }
    for (i, instance) in model.instances.iter().enumerate() {
        look(&|| format!("instances[{i}].name"), &instance.name);
    }
}

fn cameras(model: &Model, issues: &mut Issues) {
    for (i, camera) in model.cameras.iter().enumerate() {
        let at = Place { list: "cameras", index: i };
        at.name(&camera.name, issues);
        CAMERA.floats(camera, |field, values| finite(issues, || at.path(field), values));
        if camera.kind == 1 {
            issues.report(&codes::CAMERA_TYPE, || (at.path("type"), "the camera is of type 1".to_owned()));
        }
    }
    let mains: Vec<usize> =
        model.cameras.iter().enumerate().filter(|(_, camera)| camera.main != 0).map(|(i, _)| i).collect();
    match mains.as_slice() {
        [_] => {}
        [] if model.cameras.is_empty() => {}
        [] => issues.report(&codes::MAIN_CAMERA, || {
            ("cameras[0].main".to_owned(), "no camera is the main camera".to_owned())
        }),
        [_, second, ..] => issues.report(&codes::MAIN_CAMERA, || {
            (format!("cameras[{second}].main"), format!("{} cameras are the main camera", mains.len()))
        }),
    }
}

/// A record's place in paths.
struct Place {
    list: &'static str,
    index: usize,
}

impl Place {
    fn path(&self, field: &str) -> String {
        format!("{}[{}].{field}", self.list, self.index)
    }

    fn name(&self, name: &[u8], issues: &mut Issues) {
        text(issues, || self.path("name"), name);
    }

    fn indices(&self, geometry: &Geometry, issues: &mut Issues) {
        if !geometry.indices.len().is_multiple_of(3) {
            issues.report(&codes::INDEX_COUNT, || {
                (self.path("index_count"), format!("{} indices are no triangles", geometry.indices.len()))
            });
        }
        let vertices = geometry.vertices.len();
        let outside = |index: &zerocopy::little_endian::U32| index.get() as usize >= vertices;
        if !geometry.indices.iter().any(outside) {
            return;
        }
        for (i, index) in geometry.indices.iter().enumerate().filter(|(_, index)| outside(index)) {
            issues.report(&codes::INDEX_RANGE, || {
                let message = format!("there is no vertex {index}: the geometry has {vertices}");
                (self.path(&format!("indices[{i}].vertex")), message)
            });
        }
    }

    fn vertices(&self, geometry: &Geometry, issues: &mut Issues) {
        let encoding = geometry.bone_encoding();
        for (i, vertex) in geometry.vertices.iter().enumerate() {
            if !all_finite(vertex) {
                self.not_finite(i, vertex, issues);
            }
            if vertex.weights.iter().any(|weight| weight.get() < 0.0) {
                issues.report(&codes::NEGATIVE_WEIGHT, || {
                    (self.path(&format!("vertices[{i}].weights")), "a weight is below zero".to_owned())
                });
            }
            if let Some(encoding) = encoding {
                self.bones(i, vertex, encoding, issues);
            }
        }
    }

    fn bones(&self, i: usize, vertex: &Vertex, encoding: BoneEncoding, issues: &mut Issues) {
        for word in vertex.bones {
            let word = word.get();
            let path = || self.path(&format!("vertices[{i}].bones"));
            if BoneEncoding::of_word(word).is_some_and(|of_word| of_word != encoding) {
                issues.report(&codes::BONE_ENCODING, || {
                    let message =
                        format!("the bits {word:#010x} are no {}, as those before are", encoding.name());
                    (path(), message)
                });
            } else if encoding.decode(word).is_none() {
                issues.report(&codes::BONE_INDEX, || {
                    (path(), format!("{:?} is not the index of a bone", f32::from_bits(word)))
                });
            }
        }
    }

    fn not_finite(&self, i: usize, vertex: &Vertex, issues: &mut Issues) {
        for (field, values) in fields(vertex) {
            if values.iter().any(|x| !x.get().is_finite()) {
                let message = "a vertex is infinite or not a number".to_owned();
                issues.report(&NOT_FINITE, || (self.path(&format!("vertices[{i}].{field}")), message));
            }
        }
    }

    fn material(&self, material: &Material, issues: &mut Issues) {
        self.name(&material.name, issues);
        if material.shader != 0 {
            issues.report(&codes::SHADER, || {
                (self.path("shader"), format!("the shader is {}", material.shader))
            });
        }
        MATERIAL.floats(material, |field, values| finite(issues, || self.path(field), values));
        for slot in Slot::ALL {
            text(issues, || self.path(&format!("textures.{}", slot.name())), material.texture(slot));
        }
        if !material.texture(Slot::Normal).is_empty() && !material.texture(Slot::Bump).is_empty() {
            issues.report(&codes::NORMAL_AND_BUMP, || {
                (self.path("textures.bump"), "there is a normal texture as well".to_owned())
            });
        }
    }

    fn skeleton(&self, collection: &Collection, issues: &mut Issues) {
        matrix(issues, || self.path("transform"), &collection.transform);
        let count = collection.bones.len();
        if count > ENGINE_BONES {
            issues.report(&codes::BONE_LIMIT, || {
                (self.path("bone_count"), format!("{count} bones, the engine draws {ENGINE_BONES}"))
            });
        }
        let effective = collection.parents();
        for (i, (bone, parent)) in collection.bones.iter().zip(effective).enumerate() {
            let path = |field: &str| self.path(&format!("bones[{i}].{field}"));
            let stated = bone.parent.get() as usize;
            if stated > count {
                issues.report(&codes::BONE_PARENT, || {
                    (path("parent"), format!("there is no bone {stated}: the skeleton has {count}"))
                });
            } else if stated != 0 && parent.is_none() {
                issues.report(&codes::BONE_CYCLE, || {
                    (path("parent"), format!("bone {} is below itself; it becomes a root", i + 1))
                });
            }
            finite(issues, || path("position"), &bone.position.map(F32::get));
            rotation(issues, || path("rotation"), bone.rotation.map(F32::get));
        }
    }

    fn animation(&self, j: usize, animation: &Animation, issues: &mut Issues) {
        text(issues, || self.path(&format!("animations[{j}].name")), &animation.name);
        let mut before = f32::NEG_INFINITY;
        for (k, key) in animation.keys.iter().enumerate() {
            let path = |field: &str| self.path(&format!("animations[{j}].keys[{k}].{field}"));
            KEY.floats(key, |field, values| finite(issues, || path(field), values));
            if key.time < before {
                issues.report(&codes::KEY_ORDER, || {
                    (path("time"), format!("{} s follows {before} s", key.time))
                });
            } else if key.time == before {
                issues.report(&codes::KEY_EQUAL, || (path("time"), format!("another key is at {before} s")));
            }
            before = if key.time.is_finite() { key.time } else { before };
            for (b, turn) in key.rotations.iter().enumerate() {
                rotation(issues, || path(&format!("rotations[{b}].xyzw")), turn.map(F32::get));
            }
        }
    }

    fn instance(&self, instance: &Instance, model: &Model, issues: &mut Issues) {
        self.name(&instance.name, issues);
        matrix(issues, || self.path("matrix"), &instance.matrix);
        for (field, index, count) in [
            ("camera", instance.camera, model.cameras.len()),
            ("geometry", instance.geometry, model.geometries.len()),
            ("material", instance.material, model.materials.len()),
            ("light", instance.light, model.lights.len()),
            ("animation_collection", instance.collection, model.collections.len()),
        ] {
            if index as usize > count {
                issues.report(&codes::COMPONENT, || {
                    (self.path(field), format!("{index} is past the {count} that the file has"))
                });
            }
        }
        if instance.geometry != 0 && instance.material == 0 {
            issues.report(&codes::NO_MATERIAL, || {
                (self.path("material"), "an object with a geometry needs a material".to_owned())
            });
        }
    }
}

/// The float fields of a vertex.
fn fields(vertex: &Vertex) -> [(&'static str, &[F32]); 6] {
    [
        ("position", &vertex.position[..]),
        ("uv", &vertex.uv),
        ("normal", &vertex.normal),
        ("tangent", &vertex.tangent),
        ("binormal", &vertex.binormal),
        ("weights", &vertex.weights),
    ]
}

/// Whether all floats of a vertex are finite: their exponents are not all ones.
fn all_finite(vertex: &Vertex) -> bool {
    const EXPONENT: u32 = 0x7F80_0000;
    let good = |x: &F32| x.get().to_bits() & EXPONENT != EXPONENT;
    vertex.position.iter().all(good)
        & vertex.uv.iter().all(good)
        & vertex.normal.iter().all(good)
        & vertex.tangent.iter().all(good)
        & vertex.binormal.iter().all(good)
        & vertex.weights.iter().all(good)
}

/// Bones that vertices use and the skeleton of an instance does not have. Each pair of a geometry and a collection is
/// looked at once.
fn bone_ranges(model: &Model, issues: &mut Issues) {
    let mut pairs: Vec<(u32, u32)> =
        model.instances.iter().map(|instance| (instance.geometry, instance.collection)).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let mut highest: Option<(u32, Option<(u32, usize)>)> = None;
    for (g, c) in pairs {
        let (Some(geometry), Some(collection)) = (named(&model.geometries, g), named(&model.collections, c))
        else {
            continue;
        };
        let known = highest.filter(|(of, _)| *of == g);
        let most = known.map_or_else(|| geometry.highest_bone(), |(_, most)| most);
        highest = Some((g, most));
        if let Some((bone, vertex)) = most.filter(|(bone, _)| *bone as usize >= collection.bones.len()) {
            issues.report(&codes::BONE_RANGE, || {
                let bones = collection.bones.len();
                let message =
                    format!("there is no bone {bone} in the animation collection {c}, which has {bones}");
                (format!("geometries[{}].vertices[{vertex}].bones", g - 1), message)
            });
        }
    }
}

/// Geometries, materials and lights that no instance uses.
fn unused(model: &Model, issues: &mut Issues) {
    if model.cut.is_some() {
        return;
    }
    let of = |index: fn(&Instance) -> u32| -> std::collections::BTreeSet<u32> {
        model.instances.iter().map(index).collect()
    };
    for (list, count, used) in [
        ("geometries", model.geometries.len(), of(|instance| instance.geometry)),
        ("materials", model.materials.len(), of(|instance| instance.material)),
        ("lights", model.lights.len(), of(|instance| instance.light)),
    ] {
        for index in (0..count).filter(|index| !u32::try_from(index + 1).is_ok_and(|i| used.contains(&i))) {
            issues.report(&codes::UNUSED, || (format!("{list}[{index}]"), "no instance uses it".to_owned()));
        }
    }
}

fn scene_tree(model: &Model, issues: &mut Issues) {
    let start = model.tree_offset();
    let tree = match model.parsed_tree() {
        Ok(tree) => tree,
        Err(fault) => {
            issues.push(tree_issue(&fault, start));
            return;
        }
    };
    issues.extend(tree.faults.iter().map(|fault| tree_issue(fault, start)));
    for (i, placed) in tree.placed(model.instances.len()).into_iter().enumerate() {
        if !placed {
            issues.report(&codes::TREE_MISSING, || {
                (format!("instances[{i}]"), format!("instance {i} is not in the tree and is not shown"))
            });
        }
    }
    let lit = |place: &&super::Place| model.instances.get(place.instance).is_some_and(|i| i.light != 0);
    let lights: Vec<_> = tree.places.iter().filter(lit).take(ENGINE_LIGHTS + 1).collect();
    if let Some(place) = lights.get(ENGINE_LIGHTS) {
        issues.report(&codes::LIGHT_LIMIT, || {
            let message = format!("the engine draws only the first {ENGINE_LIGHTS} lights");
            (format!("instances[{}].light", place.instance), message)
        });
    }
}

fn text(issues: &mut Issues, path: impl Fn() -> String, bytes: &[u8]) {
    let mut report = |code: &'static Code, message: &str| {
        issues.report(code, || (path(), format!("the name {:?} {message}", decode_text(bytes).0)));
    };
    if bytes.contains(&0) {
        report(&codes::NAME_NUL, "contains a zero byte");
    }
    if std::str::from_utf8(bytes).is_err() {
        report(&codes::NAME_NOT_UTF8, "is read as Windows-1252");
    }
}

fn finite(issues: &mut Issues, path: impl FnOnce() -> String, values: &[f32]) {
    if let Some(value) = values.iter().find(|value| !value.is_finite()) {
        issues.report(&NOT_FINITE, || (path(), format!("holds {value}")));
    }
}

fn matrix(issues: &mut Issues, path: impl Fn() -> String, values: &[f32; 16]) {
    finite(issues, &path, values);
    if values.iter().all(|value| value.is_finite()) && !is_affine(values) {
        issues.report(&codes::MATRIX, || (path(), "the last row is not 0 0 0 1".to_owned()));
    }
}

fn rotation(issues: &mut Issues, path: impl Fn() -> String, values: [f32; 4]) {
    finite(issues, &path, &values);
    let length = values.iter().map(|x| x * x).sum::<f32>().sqrt();
    if length == 0.0 {
        issues.report(&codes::ROTATION, || (path(), "the quaternion is zero".to_owned()));
    } else if (length - 1.0).abs() > UNIT_TOLERANCE {
        issues
            .report(&codes::ROTATION_LENGTH, || (path(), format!("the quaternion has the length {length}")));
    }
}
