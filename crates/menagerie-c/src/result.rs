//! A model as another file, the files beside it, and what was lost.

use std::ffi::c_char;

use menagerie::formats::Format;

use crate::border::{MenagerieStatus, Trouble, first, free, give, given, guarded, lent, number, put, string};
use crate::handles::{MenagerieModel, MenagerieResult};

/// What a conversion could not hold. The strings belong to the result.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MenagerieLoss {
    /// Its code: "loss/skins".
    pub code: *const c_char,
    /// "dropped", "approximated", "damaged" or "added".
    pub kind: *const c_char,
    /// What happened, in a sentence.
    pub message: *const c_char,
    /// How many things it happened to.
    pub count: usize,
    /// The largest error, in unit; not a number where nothing was measured.
    pub max_error: f64,
    /// The unit of the error; empty where nothing was measured.
    pub unit: *const c_char,
}

/// Writes a model in another format, by its name or extension: "glb". The result says what was lost.
///
/// # Safety
/// The model is null or was given by menagerie_open; to is null or ends with a zero; out is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_convert(
    model: *const MenagerieModel,
    to: *const c_char,
    out: *mut *mut MenagerieResult,
) -> MenagerieStatus {
    guarded(|| {
        let model = given(model, "the model")?;
        // SAFETY: the caller's promise.
        let to = unsafe { string(to, "the format") }?;
        let to = to.ok_or_else(|| Trouble::parameter("the format is null"))?;
        let format = Format::by_id(to).or_else(|| Format::by_extension(to));
        let format = format.ok_or_else(|| Trouble::parameter(format!("there is no format {to}")))?;
        let conversion = model.model.convert(format)?;
        // SAFETY: the caller's promise.
        unsafe { give(out, MenagerieResult::new(conversion)) }
    })
}

/// Frees a result; null is nothing to free.
///
/// # Safety
/// The result is null, or was given by menagerie_convert and is not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_result_free(result: *mut MenagerieResult) {
    free(result);
}

/// The bytes of a result, and how many there are; null for null. They belong to the result.
///
/// # Safety
/// The result is null or was given by menagerie_convert; length is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_result_bytes(
    result: *const MenagerieResult,
    length: *mut usize,
) -> *const u8 {
    let bytes = lent(result).map_or(&[][..], |result| result.bytes.as_slice());
    if !length.is_null() {
        // SAFETY: not null, and the caller promises that it can be written.
        unsafe { length.write(bytes.len()) };
    }
    first(bytes)
}

/// How many files belong beside a result: pictures, buffers; none for null.
///
/// # Safety
/// The result is null or was given by menagerie_convert.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_result_file_count(result: *const MenagerieResult) -> usize {
    lent(result).map_or(0, |result| result.beside.len())
}

/// A file that belongs beside a result. Its name and bytes belong to the result. The name comes from the model: use only
/// its last part.
///
/// # Safety
/// The result is null or was given by menagerie_convert; name, bytes and length are null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_result_file(
    result: *const MenagerieResult,
    index: usize,
    name: *mut *const c_char,
    bytes: *mut *const u8,
    length: *mut usize,
) -> MenagerieStatus {
    guarded(|| {
        let result = given(result, "the result")?;
        let (own_name, own_bytes) = &result.beside[number(index, result.beside.len(), "file")?];
        // SAFETY: the caller's promise for all three.
        unsafe {
            put(name, own_name.as_ptr())?;
            put(bytes, first(own_bytes))?;
            put(length, own_bytes.len())
        }
    })
}

/// How many losses and additions a result names; none for null.
///
/// # Safety
/// The result is null or was given by menagerie_convert.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_loss_count(result: *const MenagerieResult) -> usize {
    lent(result).map_or(0, |result| result.losses.len())
}

/// One loss of a result.
///
/// # Safety
/// The result is null or was given by menagerie_convert; out is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_loss(
    result: *const MenagerieResult,
    index: usize,
    out: *mut MenagerieLoss,
) -> MenagerieStatus {
    guarded(|| {
        let result = given(result, "the result")?;
        let loss = &result.losses[number(index, result.losses.len(), "loss")?];
        let value = MenagerieLoss {
            code: loss.code.as_ptr(),
            kind: loss.kind.as_ptr(),
            message: loss.message.as_ptr(),
            count: loss.count,
            max_error: loss.max_error,
            unit: loss.unit.as_ptr(),
        };
        // SAFETY: the caller's promise.
        unsafe { put(out, value) }
    })
}
