//! What every call of the border goes through: no panic crosses it, and what the caller gave is looked at before it is used.

use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use menagerie::Error;
use menagerie::convert::Failed;

use crate::handles::{self, LAST_ERROR, text};

/// How a call went.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MenagerieStatus {
    /// It was done.
    Ok = 0,
    /// The file is to blame: it is broken, or no model.
    File = 1,
    /// It would cost more than the limits allow.
    Limit = 2,
    /// The format or the model cannot be written so.
    Unsupported = 3,
    /// The caller is to blame: null, or a number out of range.
    Parameter = 4,
    /// A file could not be opened or read.
    Io = 5,
    /// A fault of the library itself; please report it.
    Internal = 6,
}

/// Why a call could not be done.
pub(crate) struct Trouble(pub(crate) MenagerieStatus, pub(crate) String);

impl Trouble {
    pub(crate) fn parameter(what: impl Into<String>) -> Self {
        Self(MenagerieStatus::Parameter, what.into())
    }
}

impl From<Error> for Trouble {
    fn from(error: Error) -> Self {
        let status = match &error {
            Error::File(_) => MenagerieStatus::File,
            Error::Limit(_) => MenagerieStatus::Limit,
            Error::Unsupported(_) => MenagerieStatus::Unsupported,
            Error::Parameter(_) => MenagerieStatus::Parameter,
            Error::Io(..) => MenagerieStatus::Io,
            _ => MenagerieStatus::Internal,
        };
        Self(status, error.to_string())
    }
}

impl From<Failed> for Trouble {
    fn from(failed: Failed) -> Self {
        Error::from(failed).into()
    }
}

/// Runs what may fail; nothing that goes wrong leaves this function as a panic.
pub(crate) fn guarded(work: impl FnOnce() -> Result<(), Trouble>) -> MenagerieStatus {
    let done = catch_unwind(AssertUnwindSafe(work));
    let trouble = match done {
        Ok(Ok(())) => return MenagerieStatus::Ok,
        Ok(Err(trouble)) => trouble,
        Err(_) => Trouble(MenagerieStatus::Internal, "menagerie failed inside; please report it".to_owned()),
    };
    LAST_ERROR.with_borrow_mut(|last| *last = text(&trouble.1));
    trouble.0
}

/// What a handle stands for; `None` for null, and for one that was freed or never given. Another thread must not free it
/// meanwhile, as the header says.
pub(crate) fn lent<'a, T: 'static>(handle: *const T) -> Option<&'a T> {
    // SAFETY: a handle that is live points to what `hand_out` put there, and nothing else frees or changes it.
    handles::is_live(handle).then(|| unsafe { &*handle })
}

/// The same; an error that says what is wrong with it.
pub(crate) fn given<'a, T: 'static>(handle: *const T, what: &str) -> Result<&'a T, Trouble> {
    let wrong = if handle.is_null() { "is null" } else { "was freed, or is none" };
    lent(handle).ok_or_else(|| Trouble::parameter(format!("{what} {wrong}")))
}

pub(crate) fn free<T: 'static>(handle: *mut T) {
    if handles::take_back(handle) {
        // A destructor that fails must not unwind into C.
        // SAFETY: it was live until now, so `hand_out` made it of a box, and nobody else has it back.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(unsafe { Box::from_raw(handle) })));
    }
}

/// Gives a new thing to the caller.
///
/// # Safety
/// The pointer is null, or can be written through.
pub(crate) unsafe fn give<T: 'static>(out: *mut *mut T, thing: T) -> Result<(), Trouble> {
    if out.is_null() {
        return Err(Trouble::parameter("the place for the result is null"));
    }
    // SAFETY: the caller's promise.
    unsafe { put(out, handles::hand_out(thing)) }
}

/// Puts a value where the caller wants it.
///
/// # Safety
/// The pointer is null, or can be written through.
pub(crate) unsafe fn put<T>(out: *mut T, value: T) -> Result<(), Trouble> {
    if out.is_null() {
        return Err(Trouble::parameter("the place for the result is null"));
    }
    // SAFETY: it is not null, and the caller promises that it can be written.
    unsafe { out.write(value) };
    Ok(())
}

/// A string of the caller; `None` for null.
///
/// # Safety
/// The pointer is null, or points to text that ends with a zero.
pub(crate) unsafe fn string<'a>(pointer: *const c_char, what: &str) -> Result<Option<&'a str>, Trouble> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map(Some).map_err(|_| Trouble::parameter(format!("{what} is not UTF-8")))
}

pub(crate) fn number(index: usize, count: usize, what: &str) -> Result<usize, Trouble> {
    if index < count {
        Ok(index)
    } else {
        Err(Trouble::parameter(format!("there is no {what} {index}; there are {count}")))
    }
}

pub(crate) fn id(index: Option<usize>) -> i32 {
    index.and_then(|index| i32::try_from(index).ok()).unwrap_or(-1)
}

/// Where a list begins; null for an empty one.
pub(crate) fn first<T>(list: &[T]) -> *const T {
    if list.is_empty() { std::ptr::null() } else { list.as_ptr() }
}

/// Why the last call of this thread that failed did. The string is there until the next call of this thread fails.
#[unsafe(no_mangle)]
pub extern "C" fn menagerie_last_error() -> *const c_char {
    LAST_ERROR.with_borrow(|last| last.as_ptr())
}
