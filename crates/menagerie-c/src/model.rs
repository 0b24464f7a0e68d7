//! A model from memory, what is wrong with it, and what that means.

use std::ffi::c_char;
use std::path::Path;
use std::sync::Arc;

use menagerie::Model;
use menagerie::bytes::SharedBytes;
use menagerie::diag::Severity;
use menagerie::formats::{Files, NoFiles};
use menagerie::open::Folders;

use crate::border::{MenagerieStatus, Trouble, free, give, given, guarded, lent, number, put, string};
use crate::handles::{self, MenagerieModel};

/// How bad an issue is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MenagerieSeverity {
    /// The file breaks a rule of its format.
    Error = 0,
    /// Something is worth a look.
    Warning = 1,
    /// Something was decided in reading.
    Info = 2,
}

/// A problem of a file. The strings belong to the model.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MenagerieIssue {
    /// Its code: "bmd/index-out-of-range".
    pub code: *const c_char,
    /// What is wrong, in a sentence.
    pub message: *const c_char,
    /// Where in the structure of the file: `meshes[3].triangles[17].v1`.
    pub path: *const c_char,
    /// How bad it is.
    pub severity: MenagerieSeverity,
    /// Whether bytes are to blame; then offset and length say which.
    pub has_bytes: bool,
    /// The first byte.
    pub offset: u64,
    /// How many bytes.
    pub length: u64,
}

/// Reads a model from memory, whatever its format. The bytes are copied. The name may be null; it tells formats apart
/// whose bytes do not. The folder may be null; pictures that the model names are looked up in it.
///
/// # Safety
/// bytes points to length bytes; name and folder are null or end with a zero; out can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_open(
    bytes: *const u8,
    length: usize,
    name: *const c_char,
    folder: *const c_char,
    out: *mut *mut MenagerieModel,
) -> MenagerieStatus {
    guarded(|| {
        if bytes.is_null() || isize::try_from(length).is_err() {
            return Err(Trouble::parameter("the bytes are null, or more than there can be"));
        }
        // SAFETY: not null, no longer than memory can be, and the caller promises that the bytes are there.
        let bytes = unsafe { std::slice::from_raw_parts(bytes, length) };
        // SAFETY: the caller's promise for both.
        let (name, folder) = unsafe { (string(name, "the name")?, string(folder, "the folder")?) };
        let files: Arc<dyn Files + Send + Sync> = match folder {
            Some(folder) => Arc::new(Folders::new(Some(Path::new(folder)), &[], &[])),
            None => Arc::new(NoFiles),
        };
        let model = Model::read(SharedBytes::from(bytes.to_vec()), name.map(str::to_owned), files)?;
        // SAFETY: the caller's promise.
        unsafe { give(out, MenagerieModel::new(model)) }
    })
}

/// Frees a model; null is nothing to free. Its scenes, poses and results live on.
///
/// # Safety
/// The model is null, or was given by menagerie_open and is not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_model_free(model: *mut MenagerieModel) {
    free(model);
}

/// The format of a model: "bmd". Null for null. The string is always there.
///
/// # Safety
/// The model is null or was given by menagerie_open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_format(model: *const MenagerieModel) -> *const c_char {
    lent(model).map_or(std::ptr::null(), |model| model.format.as_ptr())
}

/// How many issues a model has; none for null.
///
/// # Safety
/// The model is null or was given by menagerie_open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_issue_count(model: *const MenagerieModel) -> usize {
    lent(model).map_or(0, |model| model.issues.len())
}

/// One issue of a model.
///
/// # Safety
/// The model is null or was given by menagerie_open; out is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_issue(
    model: *const MenagerieModel,
    index: usize,
    out: *mut MenagerieIssue,
) -> MenagerieStatus {
    guarded(|| {
        let model = given(model, "the model")?;
        let issue = &model.issues[number(index, model.issues.len(), "issue")?];
        let value = MenagerieIssue {
            code: issue.code.as_ptr(),
            message: issue.message.as_ptr(),
            path: issue.path.as_ptr(),
            severity: match issue.severity {
                Severity::Error => MenagerieSeverity::Error,
                Severity::Warning => MenagerieSeverity::Warning,
                Severity::Info => MenagerieSeverity::Info,
            },
            has_bytes: issue.span.is_some(),
            offset: issue.span.map_or(0, |span| span.start),
            length: issue.span.map_or(0, |span| span.len()),
        };
        // SAFETY: the caller's promise.
        unsafe { put(out, value) }
    })
}

/// The text of a code as `menagerie explain` gives it, into an array; null for a code that is not there. The string is
/// there until the program ends.
///
/// # Safety
/// The code is null or ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_explain(code: *const c_char) -> *const c_char {
    // SAFETY: the caller's promise.
    let code = unsafe { string(code, "the code") }.ok().flatten();
    code.and_then(handles::explanation).map_or(std::ptr::null(), |text| text.as_ptr())
}
