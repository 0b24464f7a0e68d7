//! The semantic difference of two Scenes, whatever formats they came from.
//!
//! Two models are the same when a person who uses them finds the same: it does not matter in which order vertices and
//! nodes are stored, whether vertices are welded, or whether a mesh is cut into pieces. So nodes are matched by name
//! and place, triangles by where they are, materials by what they look like, and animations by the poses that they
//! give over time. What then differs beyond the tolerance is a [`Difference`], with how much.
//!
//! Differences speak of the same [`Aspect`]s as the loss report of a conversion: whatever a round trip changes, a loss
//! must have announced.

mod animations;
mod announced;
pub mod codes;
mod elements;
mod geometry;
mod inventory;
mod lookers;
mod materials;
mod motion;
mod nodes;
mod repeats;

pub use announced::{Blind, CANNOT_SEE, CannotSee};
pub use codes::CODES;
pub(crate) use motion::MOVE_ELSEWHERE;

use std::collections::HashMap;
use std::fmt;

use crate::bytes::{Limits, OverLimit};
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Code, plain};
use crate::scene::{CheckedScene, Extras, Node, Pose, Primitive, Scene};

/// How closely to look.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DiffOptions {
    /// How far apart two positions may be in scene units; `None` for two millionths of the model's size, or of
    /// its distance from the origin, which is what the rounding of floats leaves.
    pub tolerance: Option<f32>,
    /// Whether data that only one format knows is compared.
    pub extras: bool,
    /// Whether names are compared.
    pub names: bool,
}

impl Default for DiffOptions {
    fn default() -> Self {
        Self { tolerance: None, extras: true, names: true }
    }
}

/// What differs between two Scenes in one respect.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What it is about.
    pub aspect: Aspect,
    /// Where, in the first Scene.
    pub path: String,
    /// What differs, in a sentence.
    pub message: String,
    /// How many things differ so.
    pub count: usize,
    /// The largest and mean difference with their unit, where it can be measured.
    pub error: Option<(ErrorStats, &'static str)>,
}

impl Difference {
    /// The code: `diff/` and the aspect.
    pub fn code(&self) -> &'static Code {
        codes::of(self.aspect)
    }

    /// As the JSON object that `diff --json` prints.
    pub fn to_json(&self) -> serde_json::Value {
        serde_json::json!({
            "code": self.code().id,
            "path": self.path,
            "message": self.message,
            "count": self.count,
            "max_error": self.error.map(|(stats, _)| stats.max),
            "mean_error": self.error.map(|(stats, _)| stats.mean()),
            "unit": self.error.map(|(_, unit)| unit),
        })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)?;
        if let Some((stats, unit)) = self.error {
            write!(f, " (largest {:.6}, mean {:.6} {unit})", stats.max, stats.mean())?;
        }
        Ok(())
    }
}

/// All differences of two Scenes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiffReport {
    /// The differences, in the order in which they were found.
    pub differences: Vec<Difference>,
    /// Triangles, lines and points that are in one model only, or moved farther than they are large, so that nobody can
    /// tell which is which: what hangs on them is compared with nothing.
    pub unpaired: usize,
}

impl DiffReport {
    /// The first difference of an aspect.
    pub fn first(&self, aspect: Aspect) -> Option<&Difference> {
        self.differences.iter().find(|difference| difference.aspect == aspect)
    }

    /// Whether nothing differs.
    pub fn is_equal(&self) -> bool {
        self.differences.is_empty()
    }

    /// As the JSON object of the command line's contract.
    pub fn to_json(&self) -> serde_json::Value {
        let differences: Vec<_> = self.differences.iter().map(Difference::to_json).collect();
        serde_json::json!({ "equal": self.is_equal(), "differences": differences })
    }

    fn push(&mut self, aspect: Aspect, path: impl Into<String>, message: impl Into<String>) {
        self.counted(aspect, path, message, 1);
    }

    fn counted(&mut self, aspect: Aspect, path: impl Into<String>, message: impl Into<String>, count: usize) {
        if count > 0 {
            let (path, message) = (plain(&path.into()).into_owned(), plain(&message.into()).into_owned());
            self.differences.push(Difference { aspect, path, message, count, error: None });
        }
    }

    /// Errors that were all found too large; nothing when there are none.
    fn measured(
        &mut self,
        aspect: Aspect,
        path: impl Into<String>,
        message: impl Into<String>,
        stats: ErrorStats,
        unit: &'static str,
    ) {
        if stats.count > 0 {
            let (path, message) = (plain(&path.into()).into_owned(), plain(&message.into()).into_owned());
            let error = Some((stats, unit));
            self.differences.push(Difference { aspect, path, message, count: stats.count, error });
        }
    }
}

/// Finds what differs between two Scenes.
///
/// ```
/// use menagerie::diff::{DiffOptions, diff};
/// use menagerie::scene::{Node, Scene, SceneRoot, check};
///
/// let mut a = Scene::default();
/// let root = a.nodes.push(Node { name: "crate".to_owned(), ..Node::default() });
/// a.scenes.push(SceneRoot { roots: vec![root], ..SceneRoot::default() });
/// let mut b = a.clone();
/// assert!(diff(check(&a)?, check(&b)?, &DiffOptions::default()).is_equal());
///
/// b.nodes[root].visible = false;
/// let report = diff(check(&a)?, check(&b)?, &DiffOptions::default());
/// assert_eq!(report.differences[0].code().id, "diff/visibility");
/// # Ok::<(), menagerie::scene::Broken>(())
/// ```
pub fn diff(a: CheckedScene<'_>, b: CheckedScene<'_>, options: &DiffOptions) -> DiffReport {
    Comparison::new(a.scene(), b.scene(), options, None).all().0
}

/// The same within limits: comparing keeps places, directions and neighbours of every vertex and triangle of both, and
/// what is known of every node.
///
/// # Errors
/// When that is more memory than the limits have left, or the job was stopped meanwhile.
pub fn diff_within(
    a: CheckedScene<'_>,
    b: CheckedScene<'_>,
    options: &DiffOptions,
    limits: &Limits,
) -> Result<DiffReport, OverLimit> {
    limits.take(cost(a.scene()).saturating_add(cost(b.scene())))?;
    let (report, over) = Comparison::new(a.scene(), b.scene(), options, Some(limits)).all();
    limits.go_on()?;
    over.map_or(Ok(report), Err)
}

/// What comparing a Scene takes in memory, in bytes: as found by measuring, and a little more.
fn cost(scene: &Scene) -> u64 {
    const EACH: u64 = 64;
    const NODE: u64 = 512;
    let primitives = scene.meshes.values().flat_map(|mesh| &mesh.primitives);
    let of = |primitive: &Primitive| {
        let elements = (primitive.vertex_count() + primitive.indices.len() / 3) as u64;
        let morphed = (primitive.targets.len() * primitive.vertex_count()) as u64;
        elements.saturating_mul(EACH).saturating_add(morphed.saturating_mul(24))
    };
    let channels = scene.animations.iter().flat_map(|animation| &animation.channels);
    let keys = channels.map(|channel| channel.values.len() as u64).sum::<u64>();
    let nodes = (scene.nodes.len() as u64).saturating_mul(NODE).saturating_add(keys.saturating_mul(4));
    primitives.map(of).fold(nodes, u64::saturating_add)
}

/// Finds what differs between the trees of two Scenes: nodes, where they are, and what is gone altogether. For formats
/// that have no tree of their own, so that they can tell what became of it.
pub fn diff_trees(a: CheckedScene<'_>, b: CheckedScene<'_>) -> DiffReport {
    let options = DiffOptions { extras: false, ..DiffOptions::default() };
    let mut comparison = Comparison::new(a.scene(), b.scene(), &options, None);
    comparison.nodes();
    comparison.inventory();
    comparison.report
}

/// How far apart positions of a Scene may be that count as the same.
pub fn length_tolerance(scene: &Scene, rest: &Pose) -> f32 {
    tolerance_of(reach(scene, rest))
}

fn tolerance_of(size: f32) -> f32 {
    (size * 2e-6).max(1e-6)
}

/// How large the numbers are that positions of a Scene have, hidden nodes included.
fn reach(scene: &Scene, pose: &Pose) -> f32 {
    pose.bounds_of(scene, scene.nodes.ids()).map_or(1.0, |bounds| bounds.reach())
}

/// How far apart values may be that still count as the same.
struct Tolerance {
    /// In scene units.
    length: f32,
    /// In degrees.
    angle: f32,
    /// Texture coordinates.
    uv: f32,
    /// Colours, weights, factors.
    factor: f32,
}

impl Tolerance {
    fn new(length: f32) -> Self {
        Self { length, angle: 0.05, uv: 1e-5, factor: 1e-4 }
    }

    /// Whether two numbers are the same, relative to their size.
    fn same(&self, a: f32, b: f32) -> bool {
        (a - b).abs() <= self.factor * a.abs().max(b.abs()).max(1.0)
    }

    fn all_same(&self, a: &[f32], b: &[f32]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same(*a, *b))
    }
}

struct Comparison<'a> {
    a: &'a Scene,
    b: &'a Scene,
    options: &'a DiffOptions,
    tolerance: Tolerance,
    matched: nodes::Matched,
    rest_a: Pose,
    rest_b: Pose,
    /// How large the numbers of positions are.
    size: f32,
    /// Whether the first Scene has no mesh, camera or light that a node shows.
    draws_nothing: bool,
    /// Vertices that are looked at while animations play.
    watched: motion::Watched,
    report: DiffReport,
    /// Those of the job that this is a step of.
    limits: Option<&'a Limits>,
    /// What there was too much of.
    over: Option<OverLimit>,
    /// Extras of both Scenes that were compared, by where they are, and the formats whose part of them differs.
    known_extras: HashMap<(usize, usize), Vec<String>>,
    /// The same of the bytes of pictures: whether they are the same.
    known_pictures: HashMap<(usize, usize), bool>,
}

impl<'a> Comparison<'a> {
    fn new(a: &'a Scene, b: &'a Scene, options: &'a DiffOptions, limits: Option<&'a Limits>) -> Self {
        let (rest_a, rest_b) = (Pose::rest(a), Pose::rest(b));
        let size = reach(a, &rest_a).max(reach(b, &rest_b));
        let tolerance = Tolerance::new(options.tolerance.unwrap_or(tolerance_of(size)));
        let matched = nodes::match_nodes((a, &rest_a), (b, &rest_b), tolerance.length);
        let shows = |node: &Node| node.mesh.is_some() || node.camera.is_some() || node.light.is_some();
        let draws_nothing = !a.nodes.values().any(shows);
        let (watched, report) = Default::default();
        Self {
            a,
            b,
            options,
            matched,
            tolerance,
            rest_a,
            rest_b,
            size,
            draws_nothing,
            watched,
            report,
            limits,
            over: None,
            known_extras: HashMap::new(),
            known_pictures: HashMap::new(),
        }
    }

    /// Compares all that there is, or as much as the limits allow.
    fn all(mut self) -> (DiffReport, Option<OverLimit>) {
        for part in [Self::scenes, Self::nodes, Self::geometry, Self::animations, Self::inventory] {
            if !self.is_stopped() {
                part(&mut self);
            }
        }
        (self.report, self.over)
    }

    /// Whether the job was stopped, so that nobody waits for the rest.
    fn is_stopped(&self) -> bool {
        self.over.is_some() || self.limits.is_some_and(|limits| limits.go_on().is_err())
    }

    /// Takes memory for what is looked at once more, so that a small file cannot ask for work without end.
    fn take(&mut self, bytes: usize) {
        let refused = self.limits.and_then(|limits| limits.take(bytes as u64).err());
        self.over = self.over.take().or(refused);
    }

    fn scenes(&mut self) {
        let (a, b) = (&self.a.scenes, &self.b.scenes);
        if a.len() != b.len() {
            let message = format!("{} scenes and {}", a.len(), b.len());
            self.report.counted(Aspect::Scenes, "scenes", message, a.len().abs_diff(b.len()));
        } else if a.len() > 1 && self.a.default_scene.unwrap_or(0) != self.b.default_scene.unwrap_or(0) {
            self.report.push(Aspect::Scenes, "default_scene", "another scene is the default one");
        }
        let pairs: Vec<_> = match self.a.scenes.len() == self.b.scenes.len() {
            true => self.a.scenes.iter().zip(&self.b.scenes).collect(),
            // A format of one scene keeps the one that is shown.
            false => self.a.shown().into_iter().zip(self.b.shown()).collect(),
        };
        for (i, (a, b)) in pairs.into_iter().enumerate() {
            self.name(&format!("scenes[{i}]"), &a.name, &b.name);
            self.extras(&format!("scenes[{i}]"), &a.extras, &b.extras);
        }
        if self.a.ambient != self.b.ambient {
            let same = match (self.a.ambient, self.b.ambient) {
                (Some(a), Some(b)) => self.tolerance.all_same(&a, &b),
                _ => false,
            };
            if !same {
                self.report.push(Aspect::Lights, "ambient", "the ambient light differs");
            }
        }
        self.extras("", &self.a.extras, &self.b.extras);
    }

    fn name(&mut self, path: &str, a: &str, b: &str) {
        if self.options.names && a != b {
            self.report.push(Aspect::Names, path, format!("is called {a:?} and {b:?}"));
        }
    }

    /// Data that only one format knows: what the first model has must be in the second. What only the second has came
    /// with its format and is nobody's loss; what menagerie notes for its own bookkeeping does not count.
    fn extras(&mut self, path: &str, a: &Extras, b: &Extras) {
        if !self.options.extras {
            return;
        }
        // What many nodes share, such as a skin, is looked at once. Both lie in their Scenes as long as this lasts.
        let both = (std::ptr::from_ref(a).addr(), std::ptr::from_ref(b).addr());
        if let Some(differing) = self.known_extras.get(&both) {
            for key in differing.clone() {
                self.extras_differ(path, &key);
            }
            return;
        }
        let keys = a.iter().map(|(key, _)| key).filter(|key| *key != "menagerie");
        let differing: Vec<String> =
            keys.filter(|key| !is_in_json(a.of(key), b.of(key))).map(str::to_owned).collect();
        differing.iter().for_each(|key| self.extras_differ(path, key));
        if !a.is_empty() && !b.is_empty() {
            self.known_extras.insert(both, differing);
        }
    }

    fn extras_differ(&mut self, path: &str, key: &str) {
        let path = if path.is_empty() { "extras".to_owned() } else { format!("{path}.extras") };
        self.report.push(Aspect::Extras, path, format!("what {key} keeps here differs"));
    }
}

/// Whether all of the first JSON value is in the second; numbers may differ by the rounding of a float.
fn is_in_json(a: Option<&serde_json::Value>, b: Option<&serde_json::Value>) -> bool {
    use serde_json::Value;
    let mut open = vec![(a, b)];
    while let Some((a, b)) = open.pop() {
        match (a, b) {
            (Some(Value::Object(a)), Some(Value::Object(b))) => {
                open.extend(a.iter().map(|(key, value)| (Some(value), b.get(key))));
            }
            (Some(Value::Array(a)), Some(Value::Array(b))) if a.len() == b.len() => {
                open.extend(a.iter().map(Some).zip(b.iter().map(Some)));
            }
            (Some(Value::Number(a)), Some(Value::Number(b))) => {
                let (Some(a), Some(b)) = (a.as_f64(), b.as_f64()) else { return false };
                if (a - b).abs() > 1e-6 * a.abs().max(b.abs()).max(1e-6) {
                    return false;
                }
            }
            _ if a == b => {}
            _ => return false,
        }
    }
    true
}
