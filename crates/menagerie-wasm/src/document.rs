//! One model that somebody opened.

use std::cell::OnceCell;
use std::sync::Arc;

use menagerie::bytes::{ByteMap, SharedBytes};
use menagerie::convert::{TextureStatus, resolve_textures};
use menagerie::diag::{Issue, Issues, Severity, render};
use menagerie::formats::{FileModel, Format, Provenance, ReadOptions};
use menagerie::open::Given;
use menagerie::ops::drawn;
use menagerie::scene::{Bounds, Hidden, Pose, Scene, check};
use menagerie_render::{CameraChoice, Shot, Side, Stage, png};
use serde_json::{Map, Value, json};
use wasm_bindgen::prelude::wasm_bindgen;

/// The files that were given with a model: pictures, buffers, material libraries.
#[wasm_bindgen]
#[derive(Clone, Default)]
pub struct Beside {
    pub(crate) files: Vec<(String, Arc<[u8]>)>,
}

#[wasm_bindgen]
impl Beside {
    /// None yet.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One more.
    pub fn add(&mut self, path: &str, bytes: Vec<u8>) {
        self.files.push((path.to_owned(), bytes.into()));
    }
}

/// A model with all that the page wants to know of it.
#[wasm_bindgen]
pub struct Document {
    pub(crate) name: String,
    pub(crate) bytes: SharedBytes,
    pub(crate) given: Given,
    pub(crate) fps: Option<f32>,
    pub(crate) format: Option<&'static Format>,
    pub(crate) model: Option<Box<dyn FileModel>>,
    pub(crate) scene: Option<Scene>,
    pub(crate) provenance: Provenance,
    issues: Vec<Issue>,
    damage: Vec<String>,
    textures: Vec<TextureStatus>,
    pub(crate) map: OnceCell<ByteMap>,
}

#[wasm_bindgen]
impl Document {
    /// Reads a model. `fps` is the rate for formats that store frames without one; zero for the format's own.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(bytes: Vec<u8>, name: &str, beside: &Beside, fps: f32) -> Self {
        let mut given = Given::beside(name);
        for (path, bytes) in &beside.files {
            given.add(path, bytes.clone());
        }
        let mut document = Self {
            name: name.to_owned(),
            bytes: bytes.into(),
            given,
            fps: (fps > 0.0).then_some(fps),
            format: None,
            model: None,
            scene: None,
            provenance: Provenance::default(),
            issues: Vec::new(),
            damage: Vec::new(),
            textures: Vec::new(),
            map: OnceCell::new(),
        };
        document.read();
        document
    }

    fn read(&mut self) {
        let (format, warning) = match Format::detect(&self.bytes, Some(&self.name)) {
            Ok(found) => found,
            Err(issue) => {
                self.issues = vec![issue];
                return;
            }
        };
        let mut options = ReadOptions::default();
        options.files = &self.given;
        options.fps = self.fps;
        options.provenance = true;
        let mut reading = format.open_shared(&self.bytes, &options);
        reading.issues.extend(warning);
        let mut issues = reading.issues;
        if let Some(model) = &reading.model {
            match model.lift(&options) {
                Ok(lifted) => {
                    issues.append_new(lifted.issues);
                    self.scene = Some(lifted.scene);
                    self.provenance = lifted.provenance.unwrap_or_default();
                }
                // What reading has said already is not said again.
                Err(issue) => {
                    if !issues.iter().any(|known| known.code == issue.code && known.path == issue.path) {
                        issues.push(issue);
                    }
                }
            }
            model.check_engine(&options.limits, &mut issues);
        }
        if let Some(scene) = &mut self.scene {
            self.textures = resolve_textures(scene, &self.given);
        }
        self.format = Some(format);
        self.model = reading.model;
        self.keep(issues);
    }

    /// Everything that `menagerie info` and `validate` say of the file, as JSON.
    #[must_use]
    pub fn info(&self) -> String {
        let summary = self.model.as_ref().map(|model| model.summary());
        let contents: Map<String, Value> = match &summary {
            Some(summary) => {
                summary.contents.iter().map(|(name, n)| ((*name).to_owned(), json!(n))).collect()
            }
            None => Map::new(),
        };
        let count = |severity| self.issues.iter().filter(|issue| issue.severity == severity).count();
        let drawn = self.scene.as_ref().map(drawn);
        json!({
            "file": self.name,
            "format": self.format.map(|format| format.id),
            "format_name": self.format.map(|format| format.name),
            "profile": summary.as_ref().and_then(|summary| summary.profile),
            "bytes": self.bytes.len(),
            "readable": self.model.is_some(),
            "contents": contents,
            "geometry": summary.as_ref().map(|s| json!({ "vertices": s.vertices, "triangles": s.triangles })),
            "drawn": drawn.map(|(vertices, triangles)| json!({ "vertices": vertices, "triangles": triangles })),
            "bounds": self.own_bounds().map(|b| json!({ "min": b.min.to_array(), "max": b.max.to_array() })),
            "axes": self.format.map(|format| {
                let axes = &format.axes;
                json!({ "up": axes.up, "front": axes.front, "handedness": axes.handedness })
            }),
            "unit": self.format.map(|format| format.unit),
            "metres": self.format.and_then(|format| format.metres),
            "counts": { "error": count(Severity::Error), "warning": count(Severity::Warning), "info": count(Severity::Info) },
            "issues": self.issues.iter().map(issue_json).collect::<Vec<_>>(),
            "damage": self.damage,
            "textures": self.textures.iter().map(texture_json).collect::<Vec<_>>(),
        })
        .to_string()
    }

    /// A picture of the model, of `size` by `size` pixels, as a PNG file; empty when there is nothing to see.
    #[must_use]
    pub fn picture(&self, size: u32, azimuth: f32, elevation: f32) -> Vec<u8> {
        let Some(scene) = self.scene.as_ref().and_then(|scene| check(scene).ok()) else { return Vec::new() };
        let camera = CameraChoice::Framing(Side { azimuth, elevation });
        let shot =
            Shot { width: size, height: size, background: [0; 4], shadow: false, camera, ..Shot::default() };
        let taken = Stage::new(scene).take(&shot);
        taken.ok().and_then(|taken| png(&taken.picture).ok()).unwrap_or_default()
    }
}

impl Document {
    fn keep(&mut self, mut issues: Issues) {
        if let Some(model) = self.model.as_ref().filter(|_| issues.needs_locating()) {
            issues.locate(self.map.get_or_init(|| model.layout()));
        }
        self.damage = issues.damage().map(ToString::to_string).collect();
        self.issues = issues.into_sorted();
    }

    /// What each byte of the file is.
    pub(crate) fn byte_map(&self) -> Option<&ByteMap> {
        let model = self.model.as_ref()?;
        Some(self.map.get_or_init(|| model.layout()))
    }

    /// The box around the model at rest, in the file's own axes.
    fn own_bounds(&self) -> Option<Bounds> {
        let (scene, format) = (self.scene.as_ref()?, self.format?);
        let hidden: Hidden = format.hidden;
        let Bounds { min, max } = Pose::rest(scene).bounds_with(scene, hidden)?;
        let turn = format.axes.turn.inverse();
        let (a, b) = (turn.vec3(min), turn.vec3(max));
        Some(Bounds { min: a.min(b), max: a.max(b) })
    }
}

pub(crate) fn issue_json(issue: &Issue) -> Value {
    render::json(issue)
}

fn texture_json(texture: &TextureStatus) -> Value {
    json!({ "name": texture.name, "found": texture.found, "reason": texture.reason })
}
