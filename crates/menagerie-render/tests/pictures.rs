//! Pictures are as they are kept in `tests/pictures`, byte for byte.
//!
//! After a change that is meant to change them: `cargo xtask pictures`, and look at every one that changed.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on says so by a panic")]

mod support;

use glam::Vec3;
use menagerie::scene::{Scene, assert_scene};
use menagerie_render::{
    CameraChoice, Lights, Shot, Side, Stage, Wireframe, animated_png, cameras, contact_sheet, png,
};
use support::{is_as_kept, made, scenes};

/// A small picture.
fn small() -> Shot {
    Shot { width: 144, height: 144, ..Shot::default() }
}

fn from(name: &str) -> CameraChoice {
    let (_, side) = Side::NAMED.iter().find(|(known, _)| *known == name).unwrap();
    CameraChoice::Framing(*side)
}

#[track_caller]
fn check(name: &str, scene: &Scene, shot: &Shot) {
    let stage = Stage::new(assert_scene(scene));
    is_as_kept(name, &stage.take(shot).unwrap().picture);
}

#[test]
fn materials_of_all_kinds_side_by_side() {
    check(
        "materials",
        &scenes::materials(),
        &Shot { width: 192, height: 192, camera: from("front"), ..small() },
    );
}

#[test]
fn textures() {
    let scene = scenes::textured();
    check("textured", &scene, &Shot { width: 192, ..small() });
    check("textured-ambient", &scene, &Shot { lights: Lights::Ambient, shadow: false, ..small() });
}

#[test]
fn transparency_cut_outs_and_two_sides() {
    let scene = scenes::transparent();
    check("transparent", &scene, &Shot { camera: from("front"), ..small() });
    let shot = Shot { camera: CameraChoice::Framing(Side { azimuth: 50.0, elevation: 15.0 }), ..small() };
    check("transparent-no-background", &scene, &Shot { background: [0; 4], ..shot });
}

#[test]
fn inside_a_room_with_its_own_camera_and_lights() {
    let scene = scenes::room();
    let (camera, name) = cameras(&scene).remove(0);
    assert_eq!(name, "middle");
    let shot = Shot { camera: CameraChoice::Model(camera), ..small() };
    check("room", &scene, &shot);
    check("room-studio", &scene, &Shot { lights: Lights::Studio, ..shot });
}

#[test]
fn files_of_the_corpus() {
    let minus_z = Shot { front: Vec3::NEG_Z, ..small() };
    for (name, file, shot) in [
        ("bo3d-scene", "bo3d/scene.bo3d", minus_z.clone()),
        (
            "bo3d-skinned",
            "bo3d/skinned16.bo3d",
            Shot { moment: Some((0, 0.5)), double_sided: true, ..minus_z.clone() },
        ),
        (
            "bmd-skeleton",
            "bmd/m09_skeleton_anims.bmd",
            Shot { moment: Some((0, 0.3)), bones: true, ..minus_z.clone() },
        ),
        ("bmd-mixed", "bmd/m05_mixed_variable.bmd", minus_z),
        ("dgl2-references", "dgl2/references.dgl2", Shot { double_sided: true, ..small() }),
        ("das2-morph", "das2/06_morph_targets_weights.das2", small()),
        ("das2-everything", "das2/15_everything_level9.das2", small()),
        ("das2-materials", "das2/08_materials_phong_pbr.das2", small()),
        ("gltf-skinned", "gltf/skinned.glb", small()),
    ] {
        check(name, &made(file), &shot);
    }
}

#[test]
fn lines_that_explain() {
    let scene = scenes::textured();
    check("wireframe-over", &scene, &Shot { wireframe: Wireframe::Over, ..small() });
    check("wireframe-only", &scene, &Shot { wireframe: Wireframe::Only, bounds: true, ..small() });
    check("axes-from-above", &scene, &Shot { camera: from("top"), parallel: true, axes: true, ..small() });
}

#[test]
fn sheets_and_turntables() {
    let scene = scenes::materials();
    let stage = Stage::new(assert_scene(&scene));
    let shot = Shot { width: 72, height: 56, ..small() };
    let views = stage.turntable(&shot, 4).unwrap();
    assert_eq!(views.len(), 4);
    let pictures: Vec<_> = views
        .into_iter()
        .map(|view| stage.take(&Shot { camera: CameraChoice::View(view), ..shot.clone() }).unwrap().picture)
        .collect();
    let cells: Vec<_> = pictures
        .iter()
        .zip(["0 degrees", "90 degrees", "180 degrees", "a name much too long.glb"])
        .map(|(picture, label)| menagerie_render::Cell { picture: picture.clone(), label: label.to_owned() })
        .collect();
    is_as_kept("sheet", &contact_sheet(&cells, 0, [255; 4]).unwrap());
    let animated = animated_png(&pictures, 1, 10).unwrap();
    assert!(animated.windows(4).filter(|chunk| chunk == b"fcTL").count() == 4);
    assert!(png(&pictures[0]).unwrap().len() < animated.len());
}

/// The number of threads, and doing it again, change nothing.
#[test]
fn the_same_bytes_with_one_and_two_threads() {
    for scene in [scenes::textured(), scenes::transparent(), made("bmd/m07e_40000_vertices.bmd")] {
        let shot = Shot { width: 200, height: 130, wireframe: Wireframe::Over, ..small() };
        let take = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| png(&Stage::new(assert_scene(&scene)).take(&shot).unwrap().picture).unwrap())
        };
        let one = take(1);
        assert!(one == take(2) && one == take(3) && one == take(2));
    }
}
