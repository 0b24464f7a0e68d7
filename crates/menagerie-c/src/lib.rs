//! The library for C and C++: `include/menagerie.h` is made of this file, so what is said here is said there.
//!
//! The border is thin: handles that own what the library gives, plain structs that point into them, and no panic that
//! crosses. This is the only crate with `unsafe`; what each use relies on is what the header asks of the caller.

mod handles;

use std::ffi::{CStr, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use menagerie::bytes::SharedBytes;
use menagerie::convert::Failed;
use menagerie::diag::Severity;
use menagerie::formats::{Files, Format, NoFiles};
use menagerie::open::Folders;
use menagerie::scene::{MeshId, NodeId, Pose, check};
use menagerie::{Error, Model};
use menagerie_render::{Shot, Stage};

use handles::{LAST_ERROR, text};
pub use handles::{MenagerieModel, MenageriePose, MenagerieResult, MenagerieScene};

/// The version of this interface. It changes when a program that was built with an older header would break.
pub const MENAGERIE_ABI_VERSION: u32 = 1;

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

/// A node of a scene. Numbers of other things are -1 where there is none. The strings belong to the scene.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MenagerieNode {
    /// Its name; may be empty.
    pub name: *const c_char,
    /// The node that it hangs on.
    pub parent: i32,
    /// The mesh that it shows.
    pub mesh: i32,
    /// The skin that bends its mesh.
    pub skin: i32,
    /// Whether it is shown.
    pub visible: bool,
    /// Where it is in its parent at rest: a matrix, column by column.
    pub local: [f32; 16],
}

/// The vertices and triangles of a primitive. Arrays that a model does not have are null; the others have vertex_count
/// elements, and indices index_count. They belong to the scene.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MenagerieVertices {
    /// How many vertices there are.
    pub vertex_count: usize,
    /// How many indices there are: three a triangle.
    pub index_count: usize,
    /// Three floats a vertex.
    pub positions: *const f32,
    /// Three floats a vertex, of unit length.
    pub normals: *const f32,
    /// Two floats a vertex, of the first set; v goes down.
    pub uvs: *const f32,
    /// Four floats a vertex, of the first set, linear.
    pub colors: *const f32,
    /// Four numbers a vertex, places in the skin's list of joints.
    pub joints: *const u16,
    /// Four floats a vertex.
    pub weights: *const f32,
    /// The corners of triangles, counter-clockwise from outside.
    pub indices: *const u32,
    /// The material, or -1.
    pub material: i32,
}

/// A skin. The arrays belong to the scene.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MenagerieSkin {
    /// How many joints there are.
    pub joint_count: usize,
    /// The nodes that are joints.
    pub joints: *const u32,
    /// Sixteen floats a joint, column by column: from the mesh at rest to the joint.
    pub inverse_binds: *const f32,
}

/// An animation. The string belongs to the scene.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MenagerieAnimation {
    /// Its name; may be empty.
    pub name: *const c_char,
    /// How long it is.
    pub seconds: f32,
}

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

/// Why a call could not be done.
struct Trouble(MenagerieStatus, String);

impl Trouble {
    fn parameter(what: impl Into<String>) -> Self {
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
fn guarded(work: impl FnOnce() -> Result<(), Trouble>) -> MenagerieStatus {
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
fn lent<'a, T: 'static>(handle: *const T) -> Option<&'a T> {
    // SAFETY: a handle that is live points to what `hand_out` put there, and nothing else frees or changes it.
    handles::is_live(handle).then(|| unsafe { &*handle })
}

/// The same; an error that says what is wrong with it.
fn given<'a, T: 'static>(handle: *const T, what: &str) -> Result<&'a T, Trouble> {
    let wrong = if handle.is_null() { "is null" } else { "was freed, or is none" };
    lent(handle).ok_or_else(|| Trouble::parameter(format!("{what} {wrong}")))
}

/// Gives a new thing to the caller.
///
/// # Safety
/// The pointer is null, or can be written through.
unsafe fn give<T: 'static>(out: *mut *mut T, thing: T) -> Result<(), Trouble> {
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
unsafe fn put<T>(out: *mut T, value: T) -> Result<(), Trouble> {
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
unsafe fn string<'a>(pointer: *const c_char, what: &str) -> Result<Option<&'a str>, Trouble> {
    if pointer.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller's promise.
    let text = unsafe { CStr::from_ptr(pointer) };
    text.to_str().map(Some).map_err(|_| Trouble::parameter(format!("{what} is not UTF-8")))
}

fn number(index: usize, count: usize, what: &str) -> Result<usize, Trouble> {
    if index < count {
        Ok(index)
    } else {
        Err(Trouble::parameter(format!("there is no {what} {index}; there are {count}")))
    }
}

fn id(index: Option<usize>) -> i32 {
    index.and_then(|index| i32::try_from(index).ok()).unwrap_or(-1)
}

/// The version of the interface of the library that is loaded; compare it with MENAGERIE_ABI_VERSION.
#[unsafe(no_mangle)]
pub extern "C" fn menagerie_abi_version() -> u32 {
    MENAGERIE_ABI_VERSION
}

/// Why the last call of this thread that failed did. The string is there until the next call of this thread fails.
#[unsafe(no_mangle)]
pub extern "C" fn menagerie_last_error() -> *const c_char {
    LAST_ERROR.with_borrow(|last| last.as_ptr())
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

/// Frees a scene; null is nothing to free. Its poses must be freed first.
///
/// # Safety
/// The scene is null, or was given by menagerie_scene and is not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_scene_free(scene: *mut MenagerieScene) {
    free(scene);
}

/// Frees a pose; null is nothing to free.
///
/// # Safety
/// The pose is null, or was given by menagerie_pose and is not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_pose_free(pose: *mut MenageriePose) {
    free(pose);
}

/// Frees a result; null is nothing to free.
///
/// # Safety
/// The result is null, or was given by menagerie_convert and is not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_result_free(result: *mut MenagerieResult) {
    free(result);
}

fn free<T: 'static>(handle: *mut T) {
    if handles::take_back(handle) {
        // A destructor that fails must not unwind into C.
        // SAFETY: it was live until now, so `hand_out` made it of a box, and nobody else has it back.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(unsafe { Box::from_raw(handle) })));
    }
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

/// The scene that a model means, turned so that +Y is up and the model looks along +Z.
///
/// # Safety
/// The model is null or was given by menagerie_open; out is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_scene(
    model: *const MenagerieModel,
    out: *mut *mut MenagerieScene,
) -> MenagerieStatus {
    guarded(|| {
        let model = given(model, "the model")?;
        let scene = model.model.scene()?;
        check(&scene).map_err(|broken| Trouble(MenagerieStatus::File, broken.to_string()))?;
        // SAFETY: the caller's promise.
        unsafe { give(out, MenagerieScene::new(scene)) }
    })
}

/// How many nodes a scene has; none for null.
///
/// # Safety
/// The scene is null or was given by menagerie_scene.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_node_count(scene: *const MenagerieScene) -> usize {
    lent(scene).map_or(0, |scene| scene.scene.nodes.len())
}

/// How many meshes a scene has; none for null.
///
/// # Safety
/// The scene is null or was given by menagerie_scene.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_mesh_count(scene: *const MenagerieScene) -> usize {
    lent(scene).map_or(0, |scene| scene.scene.meshes.len())
}

/// How many skins a scene has; none for null.
///
/// # Safety
/// The scene is null or was given by menagerie_scene.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_skin_count(scene: *const MenagerieScene) -> usize {
    lent(scene).map_or(0, |scene| scene.scene.skins.len())
}

/// How many animations a scene has; none for null.
///
/// # Safety
/// The scene is null or was given by menagerie_scene.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_animation_count(scene: *const MenagerieScene) -> usize {
    lent(scene).map_or(0, |scene| scene.scene.animations.len())
}

/// One node of a scene.
///
/// # Safety
/// The scene is null or was given by menagerie_scene; out is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_node(
    scene: *const MenagerieScene,
    index: usize,
    out: *mut MenagerieNode,
) -> MenagerieStatus {
    guarded(|| {
        let scene = given(scene, "the scene")?;
        let index = number(index, scene.scene.nodes.len(), "node")?;
        let node = &scene.scene.nodes[NodeId::new(index)];
        let value = MenagerieNode {
            name: scene.node_names[index].as_ptr(),
            parent: id(scene.parents[index].map(|parent| parent.index())),
            mesh: id(node.mesh.map(|mesh| mesh.index())),
            skin: id(node.skin.map(|skin| skin.index())),
            visible: node.visible,
            local: node.transform.matrix().to_cols_array(),
        };
        // SAFETY: the caller's promise.
        unsafe { put(out, value) }
    })
}

/// How many primitives a mesh has; none for null and for a mesh that is not there.
///
/// # Safety
/// The scene is null or was given by menagerie_scene.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_primitive_count(scene: *const MenagerieScene, mesh: usize) -> usize {
    let scene = lent(scene);
    scene.and_then(|scene| scene.scene.meshes.get(MeshId::new(mesh))).map_or(0, |mesh| mesh.primitives.len())
}

/// The vertices and triangles of a primitive of a mesh.
///
/// # Safety
/// The scene is null or was given by menagerie_scene; out is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_vertices(
    scene: *const MenagerieScene,
    mesh: usize,
    primitive: usize,
    out: *mut MenagerieVertices,
) -> MenagerieStatus {
    guarded(|| {
        let scene = given(scene, "the scene")?;
        let mesh = number(mesh, scene.scene.meshes.len(), "mesh")?;
        let primitives = &scene.scene.meshes[MeshId::new(mesh)].primitives;
        let part = &primitives[number(primitive, primitives.len(), "primitive")?];
        let value = MenagerieVertices {
            vertex_count: part.positions.len(),
            index_count: part.triangles().len() * 3,
            positions: first(&part.positions).cast(),
            normals: first(&part.normals).cast(),
            uvs: part.uvs.first().map_or(std::ptr::null(), |set| first(set)).cast(),
            colors: part.colors.first().map_or(std::ptr::null(), |set| first(set)).cast(),
            joints: part.joints.first().map_or(std::ptr::null(), |set| first(set)).cast(),
            weights: part.weights.first().map_or(std::ptr::null(), |set| first(set)).cast(),
            indices: first(part.triangles()).cast(),
            material: id(part.material.map(|material| material.index())),
        };
        // SAFETY: the caller's promise.
        unsafe { put(out, value) }
    })
}

/// Where a list begins; null for an empty one.
fn first<T>(list: &[T]) -> *const T {
    if list.is_empty() { std::ptr::null() } else { list.as_ptr() }
}

/// One skin of a scene.
///
/// # Safety
/// The scene is null or was given by menagerie_scene; out is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_skin(
    scene: *const MenagerieScene,
    index: usize,
    out: *mut MenagerieSkin,
) -> MenagerieStatus {
    guarded(|| {
        let scene = given(scene, "the scene")?;
        let (joints, binds) = &scene.skins[number(index, scene.skins.len(), "skin")?];
        let value = MenagerieSkin {
            joint_count: joints.len(),
            joints: first(joints),
            inverse_binds: first(binds).cast(),
        };
        // SAFETY: the caller's promise.
        unsafe { put(out, value) }
    })
}

/// One animation of a scene.
///
/// # Safety
/// The scene is null or was given by menagerie_scene; out is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_animation(
    scene: *const MenagerieScene,
    index: usize,
    out: *mut MenagerieAnimation,
) -> MenagerieStatus {
    guarded(|| {
        let scene = given(scene, "the scene")?;
        let index = number(index, scene.scene.animations.len(), "animation")?;
        let seconds = scene.scene.animations[index].seconds();
        let value = MenagerieAnimation { name: scene.animation_names[index].as_ptr(), seconds };
        // SAFETY: the caller's promise.
        unsafe { put(out, value) }
    })
}

/// Where everything is at a moment of an animation; -1 for the pose at rest. The scene must outlive the pose.
///
/// # Safety
/// The scene is null or was given by menagerie_scene; out is null or can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_pose(
    scene: *const MenagerieScene,
    animation: i32,
    seconds: f32,
    out: *mut *mut MenageriePose,
) -> MenagerieStatus {
    guarded(|| {
        let scene = given(scene, "the scene")?;
        if !seconds.is_finite() {
            return Err(Trouble::parameter("the time is no number"));
        }
        let pose = match usize::try_from(animation) {
            Err(_) => Pose::rest(&scene.scene),
            Ok(index) => {
                let index = number(index, scene.scene.animations.len(), "animation")?;
                Pose::at(&scene.scene, &scene.scene.animations[index], seconds)
            }
        };
        let pose = MenageriePose { pose, scene: Arc::clone(&scene.scene) };
        // SAFETY: the caller's promise.
        unsafe { give(out, pose) }
    })
}

/// Where a node is in the world in a pose: sixteen floats, column by column.
///
/// # Safety
/// The pose is null or was given by menagerie_pose; out is null or has room for sixteen floats.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_pose_node(
    pose: *const MenageriePose,
    node: usize,
    out: *mut [f32; 16],
) -> MenagerieStatus {
    guarded(|| {
        let pose = given(pose, "the pose")?;
        let node = number(node, pose.pose.worlds.len(), "node")?;
        // SAFETY: the caller's promise.
        unsafe { put(out, pose.pose.worlds[node].to_cols_array()) }
    })
}

/// Where the vertices of a primitive of a node's mesh are in the world in a pose, bent by skin and morphs: three floats
/// each. The room is in vertices; it must be enough for all of them.
///
/// # Safety
/// The pose is null or was given by menagerie_pose; out is null or has room for three times room floats.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_pose_positions(
    pose: *const MenageriePose,
    node: usize,
    primitive: usize,
    out: *mut f32,
    room: usize,
) -> MenagerieStatus {
    guarded(|| {
        let pose = given(pose, "the pose")?;
        let node = NodeId::new(number(node, pose.scene.nodes.len(), "node")?);
        let mesh = pose.scene.nodes[node].mesh.ok_or_else(|| Trouble::parameter("the node shows no mesh"))?;
        let primitives = &pose.scene.meshes[mesh].primitives;
        let part = &primitives[number(primitive, primitives.len(), "primitive")?];
        if out.is_null() || room < part.positions.len() {
            let needed = part.positions.len();
            return Err(Trouble::parameter(format!(
                "there is room for {room} vertices, and {needed} are needed"
            )));
        }
        let positions = pose.pose.positions(&pose.scene, node, part);
        for (i, position) in positions.iter().take(room).enumerate() {
            let [x, y, z] = position.to_array();
            for (k, value) in [x, y, z].into_iter().enumerate() {
                // SAFETY: i is below room, and the caller promises room for three floats for each.
                unsafe { out.add(3 * i + k).write(value) };
            }
        }
        Ok(())
    })
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

/// Draws a scene into an array of red, green, blue and alpha bytes, row by row from the top: 4 × width × height of them.
///
/// # Safety
/// The scene is null or was given by menagerie_scene; out is null or has room for that many bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_render(
    scene: *const MenagerieScene,
    width: u32,
    height: u32,
    out: *mut u8,
) -> MenagerieStatus {
    guarded(|| {
        let scene = given(scene, "the scene")?;
        if out.is_null() {
            return Err(Trouble::parameter("the place for the picture is null"));
        }
        let checked =
            check(&scene.scene).map_err(|broken| Trouble(MenagerieStatus::File, broken.to_string()))?;
        let shot = Shot { width, height, ..Shot::default() };
        let taken = Stage::new(checked).take(&shot);
        let picture = taken.map_err(|issue| Trouble::parameter(issue.to_string()))?.picture;
        let pixels = picture.pixels().as_flattened();
        // SAFETY: the picture has four bytes for each of width × height pixels, for which the caller promises room; it
        // was made here, so it does not overlap.
        unsafe { std::ptr::copy_nonoverlapping(pixels.as_ptr(), out, pixels.len()) };
        Ok(())
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
