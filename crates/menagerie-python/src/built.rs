//! Scenes that come from Python: checked, posed, compared, written.

use menagerie::convert::lower;
use menagerie::diag::Loss;
use menagerie::diff::{DiffOptions, diff};
use menagerie::glam::{Mat4, Vec3};
use menagerie::scene::{NodeId, Pose, Scene, check};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use serde_json::{Value, json};

use crate::arrays::Array;
use crate::failure::Failure;
use crate::model::{Outcome, outcome};
use crate::options::{self, Options};
use crate::wire::{self, In};
use crate::work::without_python;

/// A Scene from Python that keeps all rules.
fn scene(structure: &str, lists: Vec<PyBackedBytes>) -> Result<Scene, Failure> {
    let scene = wire::enter(structure, &In(lists)).map_err(Failure::parameter)?;
    check(&scene)?;
    Ok(scene)
}

/// Whether a Scene keeps all rules; an exception says which it breaks.
#[pyfunction]
pub(crate) fn check_scene(py: Python<'_>, structure: &str, lists: Vec<PyBackedBytes>) -> PyResult<()> {
    without_python(py, || scene(structure, lists).map(drop))
}

/// Writes a Scene in a format.
#[pyfunction]
pub(crate) fn write_scene<'py>(
    py: Python<'py>,
    structure: &str,
    lists: Vec<PyBackedBytes>,
    to: &str,
    options: &str,
) -> PyResult<Outcome<'py>> {
    let (output, details) = without_python(py, || {
        let (options, format) = (Options::parse(options)?, options::format(to)?);
        let write = options.write(format, to)?;
        let (output, losses) = lower(scene(structure, lists)?, format, &write)?;
        let details = json!({
            "from": Value::Null,
            "to": format.id,
            "losses": losses.iter().map(Loss::to_json).collect::<Value>(),
            "requested": losses.requested().map(Loss::to_json).collect::<Value>(),
            "textures": [],
            "issues": [],
            "engine": [],
        });
        Ok((output, details))
    })?;
    outcome(py, &output.bytes, &output.beside, &details)
}

/// What differs between two Scenes, as the JSON of `diff --json`.
#[pyfunction]
pub(crate) fn diff_scenes(
    py: Python<'_>,
    a: (String, Vec<PyBackedBytes>),
    b: (String, Vec<PyBackedBytes>),
    tolerance: Option<f32>,
) -> PyResult<String> {
    without_python(py, || {
        let (a, b) = (scene(&a.0, a.1)?, scene(&b.0, b.1)?);
        let mut options = DiffOptions::default();
        options.tolerance = tolerance;
        Ok(diff(check(&a)?, check(&b)?, &options).to_json().to_string())
    })
}

/// Everything at one moment.
struct Moment {
    worlds: Vec<[f32; 16]>,
    weights: Vec<Vec<f32>>,
    nodes: Vec<Shown>,
}

/// A node that shows a mesh: its primitives' positions and normals in the world.
struct Shown {
    node: usize,
    positions: Vec<Vec<[f32; 3]>>,
    normals: Vec<Vec<[f32; 3]>>,
}

/// A moment for Python: world transforms by columns, morph weights, and for each node with a mesh its number, positions
/// and normals by primitive.
type Posed = (Array, Vec<Vec<f32>>, Vec<(usize, Vec<Array>, Vec<Array>)>);

/// The poses of a Scene at some times of an animation; without one the pose that it rests in.
#[pyfunction]
pub(crate) fn pose_scene(
    py: Python<'_>,
    structure: &str,
    lists: Vec<PyBackedBytes>,
    animation: Option<usize>,
    times: Vec<f32>,
) -> PyResult<Vec<Posed>> {
    let moments = without_python(py, || {
        let scene = scene(structure, lists)?;
        let animation = match animation {
            None => None,
            Some(index) => Some(
                scene
                    .animations
                    .get(index)
                    .ok_or_else(|| Failure::parameter(format!("there is no animation {index}")))?,
            ),
        };
        Ok(times
            .iter()
            .map(|&seconds| match animation {
                Some(animation) => Moment::of(&scene, Pose::at(&scene, animation, seconds)),
                None => Moment::of(&scene, Pose::rest(&scene)),
            })
            .collect::<Vec<_>>())
    })?;
    Ok(moments.into_iter().map(Moment::into_python).collect())
}

impl Moment {
    fn of(scene: &Scene, pose: Pose) -> Self {
        let flat = |list: Vec<Vec3>| list.iter().map(Vec3::to_array).collect::<Vec<_>>();
        let shown = |id: NodeId, mesh: &menagerie::scene::Mesh| Shown {
            node: id.index(),
            positions: mesh.primitives.iter().map(|p| flat(pose.positions(scene, id, p))).collect(),
            normals: mesh.primitives.iter().map(|p| flat(pose.normals(scene, id, p))).collect(),
        };
        let meshes = scene.nodes.iter().filter_map(|(id, node)| Some((id, scene.meshes.get(node.mesh?)?)));
        let nodes = meshes.map(|(id, mesh)| shown(id, mesh)).collect();
        let worlds = pose.worlds.iter().map(Mat4::to_cols_array).collect();
        Self { worlds, nodes, weights: pose.weights }
    }

    fn into_python(self) -> Posed {
        let shape = vec![self.worlds.len(), 4, 4];
        let arrays = |lists: Vec<Vec<[f32; 3]>>| lists.into_iter().map(Array::rows).collect();
        let nodes = self.nodes.into_iter().map(|s| (s.node, arrays(s.positions), arrays(s.normals)));
        (Array::rows(self.worlds).shaped(shape), self.weights, nodes.collect())
    }
}
