//! The library for Python: the native part of the package `menagerie`, whose Python part is in `python/menagerie`.
//!
//! What is here is what Python cannot do: reading, writing, posing, and lists of numbers without a copy. Structures cross as
//! JSON; everything that a user of the package sees is written in Python, with its types.

mod arrays;
mod built;
mod failure;
mod model;
mod options;
mod wire;
mod work;

use std::ffi::OsString;

use menagerie::pictures::Texels;
use menagerie_cli::{Given, run_captured};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use arrays::Array;
use failure::Failure;
use work::without_python;

/// Runs the program: exit code, standard output, standard error.
fn program<'py>(
    py: Python<'py>,
    arguments: Vec<String>,
    given: Option<Given>,
) -> PyResult<(u8, Bound<'py, PyBytes>, String)> {
    let arguments = std::iter::once("menagerie".to_owned()).chain(arguments).map(OsString::from);
    let arguments: Vec<OsString> = arguments.collect();
    let captured = without_python(py, || Ok(run_captured(arguments, given)))?;
    let said = String::from_utf8_lossy(&captured.stderr).into_owned();
    Ok((captured.code, PyBytes::new(py, &captured.stdout), said))
}

/// Runs a verb of the program; what it would print is handed back.
#[pyfunction]
fn run_program<'py>(py: Python<'py>, arguments: Vec<String>) -> PyResult<(u8, Bound<'py, PyBytes>, String)> {
    program(py, arguments, None)
}

/// The program itself, with the arguments of the command line.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> PyResult<u8> {
    without_python(py, || Ok(menagerie_cli::run(arguments)))
}

/// The pixels of a picture file: rows, columns, red green blue alpha.
#[pyfunction]
fn pixels(py: Python<'_>, file: PyBackedBytes) -> PyResult<Array> {
    without_python(py, || {
        let texels = Texels::decode(&file, "").map_err(|wrong| Failure::parameter(wrong.to_string()))?;
        let shape = vec![texels.height(), texels.width(), 4];
        Ok(Array::rows(texels.into_list()).shaped(shape))
    })
}

/// The native part of `menagerie`.
#[pymodule]
mod _native {
    #[pymodule_export]
    use super::arrays::Array;
    #[pymodule_export]
    use super::built::{check_scene, diff_scenes, pose_scene, write_scene};
    #[pymodule_export]
    use super::model::Model;
    #[pymodule_export]
    use super::{main, pixels, run_program};
}
