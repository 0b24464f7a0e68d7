//! What `diff` finds when exactly one thing was changed, and what it does not mind.

use crate::support::scenes::random_scene;
use crate::support::{own, real};
use glam::{Mat4, Vec3};
use menagerie::bytes::Limits;
use menagerie::diff::{DiffOptions, DiffReport, Difference, diff, diff_within};
use menagerie::formats::{ALL, bo3d};
use menagerie::ops::select;
use menagerie::scene::{
    Channel, Extras, Id, Interpolation, Mesh, Node, Primitive, Property, Scene, SceneRoot, Topology,
    Transform, assert_scene,
};

fn compare(a: &Scene, b: &Scene) -> DiffReport {
    diff(assert_scene(a), assert_scene(b), &DiffOptions::default())
}

/// A skinned, textured, animated model: ours, and the ninja where it is.
fn models() -> Vec<Scene> {
    let skinned = own("made", &bo3d::FORMAT).into_iter().filter(|file| file.stem() == "skinned16");
    skinned
        .chain(real(&bo3d::FORMAT))
        .map(|file| {
            let model = file.read(&bo3d::FORMAT).model.expect("a model");
            model.lift(&Default::default()).expect("a Scene").scene
        })
        .collect()
}

fn first_primitive(scene: &mut Scene) -> &mut Primitive {
    &mut scene.meshes[Id::new(0)].primitives[0]
}

#[test]
fn every_file_is_equal_to_itself_the_damaged_ones_too() {
    let mut scenes = models();
    for scene in &mut scenes {
        // As in a file whose picture is out of its range.
        scene.images.values_mut().for_each(|image| image.uri = None);
    }
    for format in ALL {
        for file in own("made", format).into_iter().chain(own("bad", format)).chain(real(format)) {
            let model = file.read(format).model;
            scenes.extend(model.and_then(|model| Some(model.lift(&Default::default()).ok()?.scene)));
        }
    }
    for scene in scenes {
        let report = compare(&scene, &scene);
        assert!(report.is_equal(), "{:#?}", report.differences);
    }
}

#[test]
fn one_change_is_one_difference() {
    type Change = fn(&mut Scene);
    let changes: [(&str, usize, Change); 9] = [
        ("diff/positions", 1, |scene| first_primitive(scene).positions[3][1] += 0.125),
        ("diff/animations", 1, |scene| scene.animations.clear()),
        ("diff/textures", 1, |scene| scene.images[Id::new(0)].uri = Some("other.png".to_owned())),
        ("diff/topology", 1, |scene| first_primitive(scene).indices.swap(0, 1)),
        ("diff/skins", 1, |scene| {
            let primitive = first_primitive(scene);
            primitive.joints[0][2][1] = primitive.joints[0][2][0] + 1;
            primitive.weights[0][2] = [0.5, 0.5, 0.0, 0.0];
        }),
        ("diff/uvs", 1, |scene| first_primitive(scene).uvs[0][5][0] += 0.25),
        ("diff/materials", 1, |scene| scene.materials[Id::new(0)].double_sided = true),
        ("diff/topology", 1, |scene| {
            first_primitive(scene).indices.truncate(3 * 9);
        }),
        ("diff/names", 1, |scene| scene.nodes[Id::new(1)].name.push('x')),
    ];
    for (i, (code, count, change)) in changes.into_iter().enumerate() {
        for scene in models() {
            let mut changed = scene.clone();
            change(&mut changed);
            let report = compare(&scene, &changed);
            let found: Vec<String> = report.differences.iter().map(|d| format!("{} {d}", d.code())).collect();
            // A vertex that hangs half on another joint is where it was at rest, and elsewhere when that moves.
            let moved = |d: &&Difference| code == "diff/skins" && d.code().id == "diff/animations";
            let others: Vec<&Difference> = report.differences.iter().filter(|d| !moved(d)).collect();
            let only = others.iter().all(|d| d.code().id == code);
            assert!(only && others.len() == count, "change {i}, {code}: {found:#?}");
        }
    }
}

#[test]
fn a_moved_vertex_is_measured() {
    for scene in models() {
        let mut changed = scene.clone();
        first_primitive(&mut changed).positions[3][1] += 0.125;
        let report = compare(&scene, &changed);
        let (stats, unit) = report.differences[0].error.expect("measured");
        assert!((stats.max - 0.125).abs() < 1e-4 && unit == "scene units" && stats.count == 1, "{stats:?}");
    }
}

#[test]
fn order_and_welding_do_not_matter() {
    for mut scene in models() {
        let original = scene.clone();
        let primitive = first_primitive(&mut scene);
        // Every corner its own vertex, triangles from the last to the first, each begun at another corner.
        let corners: Vec<u32> = primitive.triangles().iter().rev().flat_map(|&[a, b, c]| [b, c, a]).collect();
        let indices = (0..corners.len() as u32).collect();
        *primitive = select(primitive, &corners, indices);
        let report = compare(&original, &scene);
        assert!(report.is_equal(), "{:#?}", report.differences);
    }
}

#[test]
fn nothing_differs_from_itself() {
    for seed in 0..300 {
        let scene = random_scene(seed, (seed % 5) as usize);
        let report = compare(&scene, &scene.clone());
        assert!(report.is_equal(), "seed {seed}: {:#?}", report.differences);
    }
}

#[test]
fn a_tolerance_forgives() {
    for scene in models() {
        let mut changed = scene.clone();
        first_primitive(&mut changed).positions[3][1] += 0.01;
        let mut options = DiffOptions::default();
        options.tolerance = Some(0.02);
        assert!(diff(assert_scene(&scene), assert_scene(&changed), &options).is_equal());
        options.tolerance = Some(0.005);
        assert!(!diff(assert_scene(&scene), assert_scene(&changed), &options).is_equal());
    }
}

#[test]
fn lines_and_points_are_compared_too() {
    for topology in [Topology::Lines, Topology::LineStrip, Topology::LineLoop, Topology::Points] {
        let scene = models().remove(0);
        let mut lines = scene.clone();
        let primitive = first_primitive(&mut lines);
        primitive.topology = topology;
        primitive.indices = vec![0, 1, 2, 3];
        assert!(compare(&lines, &lines.clone()).is_equal());
        let report = compare(&scene, &lines);
        assert!(report.differences.iter().any(|d| d.code().id == "diff/topology"));
    }
}

/// Formats put nodes above others. Joints that kept their names are the same joints, wherever they hang now.
#[test]
fn a_node_above_the_joints_does_not_make_them_others() {
    for model in models() {
        let mut changed = model.clone();
        let roots = std::mem::take(&mut changed.scenes[0].roots);
        let above = changed.nodes.push(Node { name: "above".to_owned(), children: roots, ..Node::default() });
        changed.scenes[0].roots.push(above);
        let found: Vec<&str> = compare(&model, &changed).differences.iter().map(|d| d.code().id).collect();
        assert!(found.iter().all(|code| *code == "diff/hierarchy"), "{found:?}");
    }
}

/// A joint that shows nothing and is elsewhere while an animation plays is told, but is no measure of the model.
#[test]
fn nodes_that_show_nothing_are_no_measure() {
    for model in models().into_iter().filter(|model| !model.animations.is_empty()) {
        let mut changed = model.clone();
        // A node of its own, so that nothing hangs on it.
        let lone = |scene: &mut Scene, far: f32| {
            let node = scene.nodes.push(Node { name: "lone".to_owned(), ..Node::default() });
            scene.scenes[0].roots.push(node);
            let channel = Channel {
                node,
                property: Property::Translation,
                interpolation: Interpolation::Linear,
                times: vec![0.0, 1.0],
                values: vec![0.0, 0.0, 0.0, far, 0.0, 0.0],
                extras: Extras::default(),
            };
            scene.animations[0].channels.push(channel);
        };
        let mut first = model.clone();
        lone(&mut first, 5.0);
        lone(&mut changed, 7.0);
        let report = compare(&first, &changed);
        let [difference] = report.differences.as_slice() else { panic!("{report:?}") };
        assert!(difference.error.is_none() && difference.message.contains("by up to 2.0"), "{difference}");
    }
}

/// Nodes in many places that all draw one mesh of many triangles.
fn instances(nodes: usize, triangles: u32) -> Scene {
    let mut scene = Scene::default();
    let at = |i: u32| [(i % 97) as f32, (i % 89) as f32, (i % 83) as f32];
    let primitive = Primitive {
        positions: (0..triangles + 2).map(at).collect(),
        indices: (0..triangles).flat_map(|i| [i, i + 1, i + 2]).collect(),
        ..Primitive::default()
    };
    let mesh = scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
    let roots = (0..nodes).map(|i| {
        let place = Vec3::new(i as f32, 0.0, 0.0);
        let transform = Transform::Matrix(Mat4::from_translation(place));
        scene.nodes.push(Node { mesh: Some(mesh), transform, ..Node::default() })
    });
    let roots = roots.collect();
    scene.scenes.push(SceneRoot { roots, ..SceneRoot::default() });
    scene
}

/// A hundred million triangles are drawn: looked at one by one it would take minutes.
#[test]
fn a_mesh_of_many_nodes_is_compared_once() {
    let (one, mut other) = (instances(10_000, 10_000), instances(10_000, 10_000));
    assert!(compare(&one, &other).is_equal());
    first_primitive(&mut other).normals = vec![[0.0, 0.0, 1.0]; 10_002];
    let report = compare(&one, &other);
    let found: Vec<_> = report.differences.iter().map(|found| (found.code().id, found.count)).collect();
    assert_eq!(found, [("diff/normals", 10_000 * 10_002)]);
}

/// Where it has to be looked at for every node, that is counted before.
#[test]
fn what_has_to_be_looked_at_for_every_node_is_counted() {
    let (one, mut other) = (instances(10_000, 10_000), instances(10_000, 10_000));
    first_primitive(&mut other).positions.iter_mut().for_each(|place| place[1] *= -3.0);
    let (one, other) = (assert_scene(&one), assert_scene(&other));
    let refused = diff_within(one, other, &DiffOptions::default(), &Limits::default()).unwrap_err();
    assert!(refused.to_string().ends_with("(--max-memory)"), "{refused}");
}
