//! A walk over all that the library hands out, every list read to its end: what Miri watches. No C compiler and no other
//! program is needed, so it runs under
//! `MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test -p menagerie-c --test border`.

use std::ffi::{CStr, c_char};
use std::ptr::{null, null_mut};

use menagerie_c::*;

/// A file with a skin, bones and keyframes.
const MODEL: &[u8] = include_bytes!("../../menagerie/tests/corpus/made/bo3d/skinned16.bo3d");

fn text(pointer: *const c_char) -> String {
    assert!(!pointer.is_null());
    // SAFETY: what the library gives ends with a zero.
    unsafe { CStr::from_ptr(pointer) }.to_str().expect("UTF-8").to_owned()
}

/// The sum of a list, so that every element is looked at; none for null.
fn sum<T: Copy + Into<f64>>(pointer: *const T, count: usize) -> Option<f64> {
    // SAFETY: a list that is not null has as many elements as the header says.
    let list = (!pointer.is_null()).then(|| unsafe { std::slice::from_raw_parts(pointer, count) })?;
    Some(list.iter().map(|x| (*x).into()).sum())
}

fn opened() -> *mut MenagerieModel {
    let mut model = null_mut();
    // SAFETY: the bytes are as many as is said, and null is allowed.
    let status = unsafe {
        menagerie_open(MODEL.as_ptr(), MODEL.len(), c"model.bo3d".as_ptr(), null(), &raw mut model)
    };
    assert_eq!(status, MenagerieStatus::Ok);
    model
}

#[test]
fn everything_that_is_lent_can_be_read_to_its_end() {
    let model = opened();
    let mut scene = null_mut();
    // SAFETY: all handles are live, and every place that is written to is ours.
    unsafe {
        assert_eq!(text(menagerie_format(model)), "bo3d");
        for i in 0..menagerie_issue_count(model) {
            let mut issue = std::mem::zeroed::<MenagerieIssue>();
            assert_eq!(menagerie_issue(model, i, &raw mut issue), MenagerieStatus::Ok);
            assert!(!text(issue.code).is_empty() && !text(issue.message).is_empty());
        }
        assert_eq!(menagerie_scene(model, &raw mut scene), MenagerieStatus::Ok);
        // The scene does not need the model any more.
        menagerie_model_free(model);
        assert!(menagerie_skin_count(scene) > 0 && menagerie_animation_count(scene) > 0);
        for i in 0..menagerie_node_count(scene) {
            let mut node = std::mem::zeroed::<MenagerieNode>();
            assert_eq!(menagerie_node(scene, i, &raw mut node), MenagerieStatus::Ok);
            text(node.name);
        }
        for i in 0..menagerie_skin_count(scene) {
            let mut skin = std::mem::zeroed::<MenagerieSkin>();
            assert_eq!(menagerie_skin(scene, i, &raw mut skin), MenagerieStatus::Ok);
            assert!(sum(skin.joints, skin.joint_count).is_some());
            assert!(sum(skin.inverse_binds, skin.joint_count * 16).is_some());
        }
        for mesh in 0..menagerie_mesh_count(scene) {
            for part in 0..menagerie_primitive_count(scene, mesh) {
                let mut vertices = std::mem::zeroed::<MenagerieVertices>();
                assert_eq!(menagerie_vertices(scene, mesh, part, &raw mut vertices), MenagerieStatus::Ok);
                let count = vertices.vertex_count;
                assert!(sum(vertices.positions, count * 3).is_some());
                for (list, width) in [(vertices.normals, 3), (vertices.uvs, 2), (vertices.colors, 4)] {
                    sum(list, count * width);
                }
                assert_eq!(
                    sum(vertices.weights, count * 4).is_some(),
                    sum(vertices.joints, count * 4).is_some()
                );
                assert!(sum(vertices.indices, vertices.index_count).is_some());
            }
        }
        poses(scene);
        menagerie_scene_free(scene);
        menagerie_scene_free(scene);
        assert_eq!(menagerie_node_count(scene), 0);
    }
}

fn poses(scene: *const MenagerieScene) {
    let mut pose = null_mut();
    // SAFETY: as above; there is room for as many vertices as is said.
    unsafe {
        assert_eq!(menagerie_pose(scene, 0, 0.1, &raw mut pose), MenagerieStatus::Ok);
        for i in 0..menagerie_node_count(scene) {
            let mut matrix = [0.0; 16];
            assert_eq!(menagerie_pose_node(pose, i, &raw mut matrix), MenagerieStatus::Ok);
            let mut node = std::mem::zeroed::<MenagerieNode>();
            menagerie_node(scene, i, &raw mut node);
            let Ok(mesh) = usize::try_from(node.mesh) else { continue };
            let mut vertices = std::mem::zeroed::<MenagerieVertices>();
            menagerie_vertices(scene, mesh, 0, &raw mut vertices);
            let mut places = vec![0.0; vertices.vertex_count * 3];
            let short = vertices.vertex_count - 1;
            assert_eq!(
                menagerie_pose_positions(pose, i, 0, places.as_mut_ptr(), short),
                MenagerieStatus::Parameter
            );
            assert_eq!(
                menagerie_pose_positions(pose, i, 0, places.as_mut_ptr(), vertices.vertex_count),
                MenagerieStatus::Ok
            );
            assert!(places.iter().all(|x: &f32| x.is_finite()));
        }
        menagerie_pose_free(pose);
    }
}

#[test]
fn results_and_errors_last_as_long_as_is_said() {
    let model = opened();
    let mut result = null_mut();
    // SAFETY: as above.
    unsafe {
        assert_eq!(menagerie_convert(model, c"glb".as_ptr(), &raw mut result), MenagerieStatus::Ok);
        menagerie_model_free(model);
        let mut length = 0;
        let bytes = menagerie_result_bytes(result, &raw mut length);
        assert!(length > 0 && sum(bytes, length).is_some());
        for i in 0..menagerie_loss_count(result) {
            let mut loss = std::mem::zeroed::<MenagerieLoss>();
            assert_eq!(menagerie_loss(result, i, &raw mut loss), MenagerieStatus::Ok);
            assert!(!text(loss.code).is_empty());
        }
        assert_eq!(menagerie_convert(model, c"glb".as_ptr(), null_mut()), MenagerieStatus::Parameter);
        assert!(text(menagerie_last_error()).contains("freed"));
        menagerie_result_free(result);
        assert!(menagerie_result_bytes(result, null_mut()).is_null());
    }
}
