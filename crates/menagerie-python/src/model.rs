//! Models that were read.

use std::path::PathBuf;
use std::sync::Arc;

use menagerie::bytes::SharedBytes;
use menagerie::convert::{Conversion, Failed, convert, resolve_textures};
use menagerie::diag::{Issue, Issues, Loss, render};
use menagerie::formats::{FileModel, Format, locate};
use menagerie::scene::Scene;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::options::{self, Options};
use crate::wire::{self, Out};
use crate::work::without_python;

/// A model that was read, with its bytes.
#[pyclass(frozen, module = "menagerie._native")]
pub(crate) struct Model {
    inner: Arc<Inner>,
}

struct Inner {
    bytes: SharedBytes,
    path: Option<PathBuf>,
    file: Box<dyn FileModel>,
    issues: Vec<Issue>,
    damaged: bool,
}

/// A Scene as Python gets it: structure, lists, and what was found in making it.
type Scenery = (String, Vec<Py<PyAny>>, String);
/// A result as Python gets it: the file, the files beside it, and what is to be said about it.
pub(crate) type Outcome<'py> = (Bound<'py, PyBytes>, Vec<(String, Bound<'py, PyBytes>)>, String);

#[pymethods]
impl Model {
    /// Reads a model from a file, or from bytes with the name that they had.
    #[new]
    fn open(
        py: Python<'_>,
        bytes: Option<PyBackedBytes>,
        path: Option<PathBuf>,
        options: &str,
    ) -> PyResult<Self> {
        // A missing file is the system's own exception.
        let bytes = match (bytes, &path) {
            (Some(bytes), _) => SharedBytes::new(bytes),
            (None, Some(path)) => py.detach(|| std::fs::read(path))?.into(),
            (None, None) => return Err(Failure::parameter("neither bytes nor a path").into_exception(py)),
        };
        let inner = without_python(py, move || Inner::read(bytes, path, &Options::parse(options)?))?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// The id of its format.
    #[getter]
    fn format(&self) -> &'static str {
        self.inner.file.format().id
    }

    /// The length of its file.
    #[getter]
    fn size(&self) -> usize {
        self.inner.bytes.len()
    }

    /// The bytes of its file.
    #[getter]
    fn bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.bytes)
    }

    /// Whether reading had to give something up.
    #[getter]
    fn damaged(&self) -> bool {
        self.inner.damaged
    }

    /// What is in it, as JSON.
    fn summary(&self, py: Python<'_>) -> PyResult<String> {
        let inner = &self.inner;
        without_python(py, || {
            let summary = inner.file.summary();
            let contents: serde_json::Map<String, Value> =
                summary.contents.iter().map(|(name, n)| ((*name).to_owned(), json!(n))).collect();
            let (vertices, triangles) = (summary.vertices, summary.triangles);
            let geometry = json!({ "vertices": vertices, "triangles": triangles });
            let profile = summary.profile;
            Ok(json!({ "profile": profile, "contents": contents, "geometry": geometry }).to_string())
        })
    }

    /// What is wrong with it, as JSON.
    fn issues(&self) -> String {
        issues(&self.inner.issues).to_string()
    }

    /// Its Scene, by its document or as its engine shows it.
    fn scene(&self, py: Python<'_>, options: &str, as_engine: bool) -> PyResult<Scenery> {
        let inner = &self.inner;
        let (structure, lists, found) = without_python(py, move || {
            let (scene, found) = inner.scene(&Options::parse(options)?, as_engine)?;
            let mut out = Out::default();
            let structure = wire::leave(scene, &mut out)
                .map_err(|error| Failure::parameter(format!("the Scene has no JSON: {error}")))?;
            Ok((structure, out, issues(&found).to_string()))
        })?;
        Ok((structure, lists.into_python(py)?, found))
    }

    /// The model in another format.
    fn convert<'py>(&self, py: Python<'py>, to: &str, options: &str) -> PyResult<Outcome<'py>> {
        let inner = &self.inner;
        let conversion = without_python(py, || inner.convert(to, &Options::parse(options)?))?;
        let details = details(&conversion);
        outcome(py, &conversion.output.bytes, &conversion.output.beside, &details)
    }

    /// Runs a verb of the program on the bytes of this model: exit code, standard output, standard error.
    fn program<'py>(
        &self,
        py: Python<'py>,
        arguments: Vec<String>,
    ) -> PyResult<(u8, Bound<'py, PyBytes>, String)> {
        let given = menagerie_cli::Given { bytes: self.inner.bytes.clone(), path: self.inner.path.clone() };
        crate::program(py, arguments, Some(given))
    }
}

impl Inner {
    fn read(bytes: SharedBytes, path: Option<PathBuf>, options: &Options) -> Result<Self, Failure> {
        let folders = options.folders(path.as_deref())?;
        let read = options.read(&folders)?;
        let name = path.as_ref().map(|path| path.display().to_string());
        let (format, warning) = match options.source()? {
            Some(format) => (format, None),
            None => Format::detect(&bytes, name.as_deref()).map_err(|issue| Failed::of(None, issue))?,
        };
        let mut reading = format.open_shared(&bytes, &read);
        reading.issues.extend(warning);
        match reading.model {
            Some(file) => {
                let damaged = reading.issues.is_damaged();
                Ok(Self { bytes, path, file, issues: reading.issues.into_sorted(), damaged })
            }
            None => Err(Failed { from: Some(format), issues: reading.issues }.into()),
        }
    }

    fn scene(&self, options: &Options, as_engine: bool) -> Result<(Scene, Vec<Issue>), Failure> {
        let folders = options.folders(self.path.as_deref())?;
        let read = options.read(&folders)?;
        let format = self.file.format();
        let failed = |issue| Failed::of(Some(format), issue);
        let engine = if as_engine { self.file.lift_as_engine(&read).map_err(failed)? } else { None };
        let mut lifted = match engine {
            Some(lifted) => lifted,
            None if as_engine => {
                let message = format!("no engine of {} is known", format.name);
                return Err(Failure::parameter(message));
            }
            None => self.file.lift(&read).map_err(failed)?,
        };
        locate(self.file.as_ref(), &read.limits, &mut lifted.issues);
        resolve_textures(&mut lifted.scene, &folders);
        Ok((lifted.scene, lifted.issues.into_sorted()))
    }

    fn convert(&self, to: &str, options: &Options) -> Result<Conversion, Failure> {
        let target = options::format(to)?;
        let folders = options.folders(self.path.as_deref())?;
        let mut how = options.convert(self.file.format(), (target, to), &folders)?;
        how.read.shared = Some(self.bytes.clone());
        how.from = how.from.or(self.path.is_none().then(|| self.file.format()));
        let name = self.path.as_ref().map(|path| path.display().to_string());
        Ok(convert(&self.bytes, name.as_deref(), target, &how)?)
    }
}

/// A list of issues as JSON.
pub(crate) fn issues(issues: &[Issue]) -> Value {
    issues.iter().map(render::json).collect()
}

/// A result for Python.
pub(crate) fn outcome<'py>(
    py: Python<'py>,
    bytes: &[u8],
    beside: &[(String, Vec<u8>)],
    details: &Value,
) -> PyResult<Outcome<'py>> {
    let beside = beside.iter().map(|(name, bytes)| (name.clone(), PyBytes::new(py, bytes))).collect();
    Ok((PyBytes::new(py, bytes), beside, details.to_string()))
}

/// What is to be said about a conversion, by the names of `convert --json`.
fn details(conversion: &Conversion) -> Value {
    let sorted = |issues: &Issues| self::issues(&issues.clone().into_sorted());
    let textures: Value = conversion
        .textures
        .iter()
        .map(|texture| {
            json!({
                "name": texture.name,
                "found": texture.found,
                "tried": texture.tried,
                "reason": texture.reason,
            })
        })
        .collect();
    json!({
        "from": conversion.from.id,
        "to": conversion.to.id,
        "losses": conversion.losses.iter().map(Loss::to_json).collect::<Value>(),
        "requested": conversion.losses.requested().map(Loss::to_json).collect::<Value>(),
        "textures": textures,
        "issues": sorted(&conversion.issues),
        "engine": sorted(&conversion.engine),
    })
}
