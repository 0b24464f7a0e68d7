//! Long work: other Python threads run meanwhile, and whatever goes wrong becomes a Python exception.

use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;

use crate::failure::Failure;

/// Does work that touches no Python object while other threads may run Python.
pub(crate) fn without_python<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Failure> + Send,
) -> PyResult<T> {
    // A panic would be a fault of the library; it must not end the program of whoever opens a file.
    let caught = py.detach(|| catch_unwind(AssertUnwindSafe(work)));
    let result = caught.unwrap_or_else(|payload| Err(Failure::panicked(payload.as_ref())));
    result.map_err(|failure| failure.into_exception(py))
}
