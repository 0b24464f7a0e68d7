//! Lists of numbers as numpy sees them, without a copy.
//!
//! An [`Array`] describes its memory by numpy's array interface. The array that numpy makes of it keeps the `Array`, and
//! with it the memory, alive. Nothing here changes the memory any more, and numpy is told not to, so that the same numbers
//! can be shared by any number of arrays and threads.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A list that nobody changes any more.
trait Held: Send + Sync {
    /// Where it is.
    fn address(&self) -> usize;
}

impl<T: Send + Sync> Held for Vec<T> {
    fn address(&self) -> usize {
        self.as_ptr().addr()
    }
}

/// A number as numpy names it.
pub(crate) trait Number: Copy + Send + Sync + 'static {
    /// Its kind and size, without the order of its bytes.
    const KIND: &'static str;
}

impl Number for f32 {
    const KIND: &'static str = "f4";
}

impl Number for u32 {
    const KIND: &'static str = "u4";
}

impl Number for u16 {
    const KIND: &'static str = "u2";
}

impl Number for u8 {
    const KIND: &'static str = "u1";
}

/// Numbers in rows and columns.
#[pyclass(frozen, module = "menagerie._native")]
pub(crate) struct Array {
    held: Box<dyn Held>,
    shape: Vec<usize>,
    kind: &'static str,
}

impl Array {
    /// A list of rows of `N` numbers.
    pub(crate) fn rows<T: Number, const N: usize>(rows: Vec<[T; N]>) -> Self {
        Self { shape: vec![rows.len(), N], kind: T::KIND, held: Box::new(rows) }
    }

    /// A list of numbers.
    pub(crate) fn flat<T: Number>(list: Vec<T>) -> Self {
        Self { shape: vec![list.len()], kind: T::KIND, held: Box::new(list) }
    }

    /// The same in another shape of as many numbers.
    pub(crate) fn shaped(self, shape: Vec<usize>) -> Self {
        let count = |shape: &[usize]| shape.iter().product::<usize>();
        if count(&shape) == count(&self.shape) { Self { shape, ..self } } else { self }
    }
}

#[pymethods]
impl Array {
    #[getter(__array_interface__)]
    fn array_interface<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let order = if cfg!(target_endian = "little") { '<' } else { '>' };
        let interface = PyDict::new(py);
        interface.set_item("version", 3)?;
        interface.set_item("shape", pyo3::types::PyTuple::new(py, &self.shape)?)?;
        interface.set_item("typestr", format!("{order}{}", self.kind))?;
        interface.set_item("data", (self.held.address(), true))?;
        Ok(interface)
    }
}
