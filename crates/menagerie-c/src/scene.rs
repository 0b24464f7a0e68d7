//! The scene that a model means: nodes, meshes, skins, animations, and a picture of it.

use std::ffi::c_char;

use menagerie::scene::{MeshId, NodeId, check};
use menagerie_render::{Shot, Stage};

use crate::border::{MenagerieStatus, Trouble, first, free, give, given, guarded, id, lent, number, put};
use crate::handles::{MenagerieModel, MenagerieScene};

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

/// Frees a scene; null is nothing to free. Its poses must be freed first.
///
/// # Safety
/// The scene is null, or was given by menagerie_scene and is not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_scene_free(scene: *mut MenagerieScene) {
    free(scene);
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
