//! What the handles own: the library's own things, and the strings and arrays that C sees of them.

use std::any::TypeId;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ffi::CString;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use menagerie::bytes::Span;
use menagerie::diag::{Loss, Severity};
use menagerie::scene::{NodeId, Pose, Scene, parents};
use menagerie::{Conversion, Model};

thread_local! {
    /// Why the last call of this thread that failed did.
    pub(crate) static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Text for C: a zero inside would end it, so it becomes a space.
pub(crate) fn text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

/// The handles that C holds: what is not among them (freed, never given, of another kind) is not looked at.
static LIVE: Mutex<Option<HashMap<usize, TypeId>>> = Mutex::new(None);

fn live<R>(with: impl FnOnce(&mut HashMap<usize, TypeId>) -> R) -> R {
    let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    with(live.get_or_insert_default())
}

/// Gives something to C.
pub(crate) fn hand_out<T: 'static>(thing: T) -> *mut T {
    let pointer = Box::into_raw(Box::new(thing));
    live(|live| live.insert(pointer as usize, TypeId::of::<T>()));
    pointer
}

/// Whether a pointer is a handle of this kind that was given and not freed.
pub(crate) fn is_live<T: 'static>(pointer: *const T) -> bool {
    live(|live| live.get(&(pointer as usize)) == Some(&TypeId::of::<T>()))
}

/// Takes a handle back; `false` for what is none, or was freed already.
pub(crate) fn take_back<T: 'static>(pointer: *mut T) -> bool {
    live(|live| match live.get(&(pointer as usize)) == Some(&TypeId::of::<T>()) {
        true => live.remove(&(pointer as usize)).is_some(),
        false => false,
    })
}

/// A model that was read.
pub struct MenagerieModel {
    pub(crate) model: Model,
    pub(crate) format: CString,
    pub(crate) issues: Vec<OwnIssue>,
}

pub(crate) struct OwnIssue {
    pub(crate) code: CString,
    pub(crate) message: CString,
    pub(crate) path: CString,
    pub(crate) severity: Severity,
    pub(crate) span: Option<Span>,
}

impl MenagerieModel {
    pub(crate) fn new(model: Model) -> Self {
        let issues = model.issues().clone().into_sorted();
        let issues = issues.into_iter().map(|issue| OwnIssue {
            code: text(issue.code.id),
            message: text(&issue.message),
            path: text(&issue.path),
            severity: issue.severity,
            span: issue.span,
        });
        Self { format: text(model.format().id), issues: issues.collect(), model }
    }
}

/// A scene: nodes, meshes, skins, animations.
pub struct MenagerieScene {
    /// Shared with the poses.
    pub(crate) scene: Arc<Scene>,
    pub(crate) node_names: Vec<CString>,
    pub(crate) parents: Vec<Option<NodeId>>,
    pub(crate) animation_names: Vec<CString>,
    pub(crate) skins: Vec<(Vec<u32>, Vec<[f32; 16]>)>,
}

impl MenagerieScene {
    pub(crate) fn new(scene: Scene) -> Self {
        let skins = scene.skins.values().map(|skin| {
            let joints = skin.joints.iter().map(|joint| joint.index() as u32).collect();
            (joints, skin.inverse_binds.iter().map(|bind| bind.to_cols_array()).collect())
        });
        Self {
            node_names: scene.nodes.values().map(|node| text(&node.name)).collect(),
            parents: parents(&scene),
            animation_names: scene.animations.iter().map(|animation| text(&animation.name)).collect(),
            skins: skins.collect(),
            scene: Arc::new(scene),
        }
    }
}

/// Where everything is at a moment.
pub struct MenageriePose {
    pub(crate) pose: Pose,
    pub(crate) scene: Arc<Scene>,
}

/// A file that was written, and what that cost.
pub struct MenagerieResult {
    pub(crate) bytes: Vec<u8>,
    pub(crate) beside: Vec<(CString, Vec<u8>)>,
    pub(crate) losses: Vec<OwnLoss>,
}

pub(crate) struct OwnLoss {
    pub(crate) code: CString,
    pub(crate) kind: CString,
    pub(crate) message: CString,
    pub(crate) count: usize,
    pub(crate) max_error: f64,
    pub(crate) unit: CString,
}

impl MenagerieResult {
    pub(crate) fn new(conversion: Conversion) -> Self {
        let own = |loss: &Loss| OwnLoss {
            code: text(loss.code().id),
            kind: text(&loss.kind.to_string()),
            message: text(&loss.message),
            count: loss.count,
            max_error: loss.error.map_or(f64::NAN, |(stats, _)| stats.max),
            unit: text(loss.error.map(|(_, unit)| unit).unwrap_or_default()),
        };
        let beside = conversion.output.beside.into_iter().map(|(name, bytes)| (text(&name), bytes));
        Self {
            losses: conversion.losses.iter().map(own).collect(),
            beside: beside.collect(),
            bytes: conversion.output.bytes,
        }
    }
}

/// What a code means.
pub(crate) fn explanation(code: &str) -> Option<&'static CString> {
    static ALL: OnceLock<BTreeMap<&'static str, CString>> = OnceLock::new();
    let all = ALL.get_or_init(|| {
        let of = |code: &menagerie::diag::Code| {
            let document = menagerie::formats::document(code);
            text(&format!("{}\n{}\n{}\n{}", code.title, document, code.why, code.fix))
        };
        menagerie::codes().map(|code| (code.id, of(code))).collect()
    });
    all.get(code)
}
