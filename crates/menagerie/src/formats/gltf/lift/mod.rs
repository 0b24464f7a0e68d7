//! From a glTF file to a Scene. Whatever breaks a rule of the Scene is repaired or left out, with an issue for each.

mod animations;
mod fold;
mod geometry;
mod instancing;
mod lights;
mod materials;
mod nodes;
mod origins;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Value;

use super::accessor::{List, Shape};
use super::extras::{GLTF, Lifting, refers};
use super::json::Object;
use super::model::Model;
use super::notes;
use super::notes::in_file::{FileNote, NodeNote};
use super::notes::in_scene::{AssetKept, FileKept};
use super::views::{COMPRESSION, Decoded, Views};
use super::{check, codes, extension, missing};
use crate::bytes::{Limits, Span};
use crate::diag::{Aspect, Code, Issue, Issues, LIMIT};
use crate::formats::{Lifted, Provenance, ReadOptions, Recorder};
use crate::scene::{self, Extras, NodeId, Scene, float_from_json};

/// The Scene that a model means, and what had to be forgiven. Fails when the model needs an extension that is not
/// understood.
pub fn lift(model: &Model, options: &ReadOptions<'_>) -> Result<Lifted, Issue> {
    if let Some(issue) = check::required_extensions(model).into_iter().next() {
        return Err(issue);
    }
    let (scene, issues, provenance) = make(model, options);
    Ok(Lifted { scene, issues, provenance })
}

/// The Scene of a model, and everything that had to be forgiven.
///
/// What glTF has no place for is noted in `extras`, and anybody can write there: notes that would break the Scene are
/// believed no longer, all of them.
fn make(model: &Model, options: &ReadOptions<'_>) -> (Scene, Issues, Option<Provenance>) {
    let whole = missing::put_back(model);
    let noted = notes::are_in(model);
    // Whether notes fit shows only in a whole Scene.
    let how = ReadOptions { shape_only: options.shape_only && !noted, ..options.clone() };
    let (mut scene, issues, provenance) = make_believing(whole.as_ref().unwrap_or(model), &how);
    if !noted || scene::check(&scene).is_ok() {
        if options.shape_only && noted {
            let primitives = scene.meshes.values_mut().flat_map(|mesh| &mut mesh.primitives);
            primitives.for_each(scene::Primitive::keep_shape);
        }
        return (scene, issues, provenance);
    }
    drop(scene);
    let (scene, mut issues, provenance) = make_believing(&notes::without(model), options);
    let message = "what menagerie noted in the extras does not fit the rest and is left out";
    let span = Span::new(model.json.start, model.json.end);
    issues.push(Issue::new(&codes::NOTES, "", message).at(span));
    issues.leave_out(Aspect::Extras, message, "", 1);
    (scene, issues, provenance)
}

fn make_believing(model: &Model, options: &ReadOptions<'_>) -> (Scene, Issues, Option<Provenance>) {
    let limits = &options.limits;
    let decoded = Decoded::of(model, limits);
    let mut lifter = Lifter {
        model,
        views: Views::new(model, &decoded, limits),
        issues: Issues::new(limits.issues_per_code),
        limits: limits.clone(),
        over_budget: false,
        shared_pictures: BTreeMap::new(),
        scene: Scene::default(),
        notes: Vec::new(),
        stands_in: Vec::new(),
        origins: Recorder::new(options.provenance),
        shape_only: options.shape_only,
    };
    lifter.scene();
    lifter.record();
    let provenance = lifter.origins.finish(&lifter.scene);
    (lifter.scene, lifter.issues, provenance)
}

/// A model on its way to a Scene.
struct Lifter<'a> {
    model: &'a Model,
    views: Views<'a>,
    issues: Issues,
    /// What may still be taken.
    limits: Limits,
    /// Whether that was too little for something, which is said once.
    over_budget: bool,
    /// The pictures of buffer views: several images may be one.
    shared_pictures: BTreeMap<u32, Arc<[u8]>>,
    scene: Scene,
    /// What was noted of nodes, of those that have notes; it is looked at when everything is there.
    notes: Vec<(NodeId, NodeNote)>,
    /// Of each skin, whether its last joint only stands in.
    stands_in: Vec<bool>,
    /// Where things come from, if that was asked for.
    origins: Recorder,
    shape_only: bool,
}

impl<'a> Lifter<'a> {
    fn scene(&mut self) {
        for (index, view) in self.model.document.buffer_views.iter().enumerate() {
            if let Some(name) = COMPRESSION.iter().find(|name| view.extensions.contains_key(**name)) {
                let pointer = format!("/bufferViews/{index}/extensions/{name}");
                self.report(&codes::DECOMPRESSED, pointer, "the view was unpacked");
            }
        }
        self.images();
        self.textures();
        self.materials();
        self.meshes();
        self.cameras();
        self.lights();
        self.nodes();
        self.instances();
        self.skins();
        self.animations();
        self.fit_skins();
        self.fold_back();
        self.root();
    }

    /// Reports a problem of the JSON element at a pointer.
    fn report(&mut self, code: &'static Code, pointer: impl Into<String>, message: impl Into<String>) {
        self.model.report(&mut self.issues, code, || pointer.into(), || message.into());
    }

    /// How many elements an accessor is said to have.
    fn stated(&self, accessor: u32) -> usize {
        let accessor = self.model.document.accessors.get(accessor as usize);
        accessor.map_or(0, |accessor| usize::try_from(accessor.count).unwrap_or(usize::MAX))
    }

    /// The list of an accessor, if it can be read, has one of `shapes`, and there is still memory for it. Of one that is
    /// cut off the elements that are there.
    fn list(&mut self, accessor: u32, shapes: &[&str]) -> Option<List<'a>> {
        // One that cannot be read was named by the check of all accessors.
        let list = List::of(&self.views, accessor).ok().or_else(|| List::beginning(&self.views, accessor))?;
        if !shapes.iter().any(|shape| Shape::named(shape) == Some(list.shape)) {
            let message = format!("elements of the type {} are expected here", shapes.join(" or "));
            self.report(&codes::ACCESSOR_TYPE, format!("/accessors/{accessor}/type"), message);
            return None;
        }
        self.affords(list.cost(), || format!("/accessors/{accessor}")).then_some(list)
    }

    /// Whether there is memory for so many bytes, which are taken; says so once when there is not.
    fn affords(&mut self, bytes: usize, pointer: impl FnOnce() -> String) -> bool {
        match self.limits.take(bytes as u64) {
            Ok(()) => true,
            Err(over) => {
                if !std::mem::replace(&mut self.over_budget, true) {
                    self.report(&LIMIT, pointer(), over.to_string());
                }
                false
            }
        }
    }

    /// What belongs to the file as a whole.
    fn root(&mut self) {
        let document = &self.model.document;
        let mut lifting = Lifting::new(document.extras.as_ref(), &document.extensions, &[extension::LIGHTS]);
        if let Some(Value::Object(lights)) = document.extensions.get(extension::LIGHTS) {
            lifting.keep_extension(extension::LIGHTS, without(lights, &["lights"]));
        }
        let note: FileNote = lifting.take();
        self.scene.ambient = note.ambient.map(|ambient| ambient.map(|x| x.0));
        self.empty_animations(note.animations.unwrap_or_default());
        let ours = document.asset.generator.as_deref().is_some_and(|g| g.starts_with("menagerie "));
        let from_gltf = note.origin.is_some_and(|origin| origin == GLTF);
        if !ours || from_gltf {
            // Not those that are gone: data is written unpacked, and references to it are not carried.
            let gone = |name: &str| {
                COMPRESSION.contains(&name) || (name != extension::INSTANCING && refers(name, &Value::Null))
            };
            let kept = |names: &[String]| {
                let kept: Vec<String> = names.iter().filter(|name| !gone(name)).cloned().collect();
                Some(kept).filter(|kept| !kept.is_empty())
            };
            lifting.keep(&FileKept {
                asset: Some(self.asset()),
                extensions_used: kept(&document.extensions_used),
                extensions_required: kept(&document.extensions_required),
            });
        }
        self.scene.extras = lifting.finish();
        let count = document.scenes.len();
        self.scene.default_scene = document.scene.map(|scene| scene as usize).filter(|&scene| scene < count);
    }

    /// What the file says about itself, apart from what wrote it.
    fn asset(&self) -> AssetKept {
        let asset = &self.model.document.asset;
        AssetKept {
            copyright: asset.copyright.clone(),
            min_version: asset.min_version.clone(),
            extras: asset.extras.clone(),
            extensions: Some(asset.extensions.clone()).filter(|extensions| !extensions.is_empty()),
        }
    }
}

/// The extras of an element that has nothing else to be taken out of them.
fn plain_extras(extras: Option<&Value>, extensions: &Object) -> Extras {
    Lifting::new(extras, extensions, &[]).finish()
}

/// An object without some of its members.
fn without(object: &Object, names: &[&str]) -> Object {
    let rest = object.iter().filter(|(name, _)| !names.contains(&name.as_str()));
    rest.map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// A list of exactly `N` floats.
fn floats<const N: usize>(value: &Value) -> Option<[f32; N]> {
    let list: Option<Vec<f32>> = value.as_array()?.iter().map(float_from_json).collect();
    list?.try_into().ok()
}
