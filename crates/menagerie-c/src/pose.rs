//! Where nodes and vertices are at a moment of an animation.

use std::sync::Arc;

use menagerie::scene::{NodeId, Pose};

use crate::border::{MenagerieStatus, Trouble, free, give, given, guarded, number, put};
use crate::handles::{MenageriePose, MenagerieScene};

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

/// Frees a pose; null is nothing to free.
///
/// # Safety
/// The pose is null, or was given by menagerie_pose and is not freed yet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn menagerie_pose_free(pose: *mut MenageriePose) {
    free(pose);
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
