//! Operations on Scenes: on random ones, on odd ones, and against the libraries that do the same.

use crate::support::scenes::random_scene;
use glam::Vec3;
use menagerie::diff::{DiffOptions, diff};
use menagerie::ops::{
    self, KeyTolerance, Moment, Op, PieceLimit, SceneSize, SimplifyGoal, WeldTolerance, WhichAnimation,
};
use menagerie::scene::{
    Id, Mesh, MorphTarget, Node, Primitive, Scene, SceneRoot, Skin, Topology, Turn, assert_scene,
};

/// Whether doing it twice is as good as once.
#[derive(Clone, Copy, PartialEq)]
enum Twice {
    Same,
    MayDiffer,
}

/// Whether what is drawn stays the same for whoever looks at it.
#[derive(Clone, Copy, PartialEq)]
enum Looks {
    Same,
    MayDiffer,
}

/// Every operation, with what it promises.
fn all() -> Vec<(Op, Looks, Twice)> {
    let moment = Moment { animation: WhichAnimation::Number(0), seconds: 0.3 };
    vec![
        (Op::Weld, Looks::Same, Twice::Same),
        (Op::WeldNear(WeldTolerance { position: 2.0, other: 0.7 }), Looks::MayDiffer, Twice::Same),
        (Op::Lines, Looks::Same, Twice::Same),
        (Op::Clean, Looks::MayDiffer, Twice::Same),
        (Op::Join, Looks::Same, Twice::Same),
        (Op::Order, Looks::Same, Twice::MayDiffer),
        (Op::Split(PieceLimit::Vertices(4)), Looks::Same, Twice::Same),
        (Op::Split(PieceLimit::Joints(1)), Looks::Same, Twice::Same),
        (Op::Keys(KeyTolerance::uniform(0.0)), Looks::Same, Twice::Same),
        (Op::Keys(KeyTolerance::uniform(0.5)), Looks::MayDiffer, Twice::MayDiffer),
        (Op::Resample { fps: 12.0 }, Looks::MayDiffer, Twice::MayDiffer),
        (Op::Normals { degrees: 40.0 }, Looks::MayDiffer, Twice::Same),
        (Op::Tangents, Looks::MayDiffer, Twice::Same),
        (Op::Weights(1), Looks::MayDiffer, Twice::Same),
        (Op::Weights(4), Looks::Same, Twice::Same),
        (Op::BakePose(Moment::default()), Looks::MayDiffer, Twice::Same),
        (Op::BakePose(moment), Looks::MayDiffer, Twice::MayDiffer),
        (Op::Scale(0.5), Looks::MayDiffer, Twice::MayDiffer),
        (Op::Turn(Turn::ZUpToYUp), Looks::MayDiffer, Twice::MayDiffer),
        (Op::Simplify(SimplifyGoal::Part(0.5)), Looks::MayDiffer, Twice::MayDiffer),
        (Op::Simplify(SimplifyGoal::Error(0.5)), Looks::MayDiffer, Twice::MayDiffer),
        (Op::Levels(vec![0.5, 0.25]), Looks::MayDiffer, Twice::MayDiffer),
    ]
}

#[track_caller]
fn assert_looks_same(before: &Scene, after: &Scene, what: &str) {
    let report = diff(assert_scene(before), assert_scene(after), &DiffOptions::default());
    assert!(report.is_equal(), "{what}: {:#?}", report.differences);
}

/// The same with a vertex of its own for every corner.
fn soup(scene: &Scene) -> Scene {
    let mut scene = scene.clone();
    for primitive in scene.meshes.values_mut().flat_map(|mesh| &mut mesh.primitives) {
        let indices = (0..primitive.indices.len() as u32).collect();
        *primitive = ops::select(primitive, &primitive.indices, indices);
    }
    scene
}

#[test]
fn operations_keep_their_promises_on_random_scenes() {
    for seed in 0..300 {
        let scene = random_scene(seed, (seed % 5) as usize);
        assert_scene(&scene);
        for (op, looks, twice) in all() {
            let what = format!("{op:?} on seed {seed}");
            if op.problem(&scene).is_some() {
                continue;
            }
            let mut changed = scene.clone();
            let report = op.apply(&mut changed);
            assert_scene(&changed);
            if looks == Looks::Same {
                assert_looks_same(&scene, &changed, &what);
                assert!(report.losses.is_empty(), "{what}: {:?}", report.losses);
            }
            if twice == Twice::Same {
                let once = changed.clone();
                op.apply(&mut changed);
                assert!(changed == once, "{what} twice is not as good as once");
            }
        }
    }
}

#[test]
fn soup_is_welded_to_what_it_was() {
    for seed in 0..300 {
        let scene = random_scene(seed, (seed % 5) as usize);
        let mut welded = soup(&scene);
        let before = SceneSize::of(&welded).vertices;
        ops::weld(&mut welded);
        assert_looks_same(&scene, &welded, &format!("seed {seed}"));
        let (once, twice) = (SceneSize::of(&welded).vertices, SceneSize::of(&scene).vertices);
        assert!(once <= twice && once <= before, "seed {seed}: {once} of {twice}");
    }
}

/// Scenes that a careless operation stumbles over.
fn odd_scenes() -> Vec<(&'static str, Scene)> {
    let tiny = f32::MIN_POSITIVE;
    let square = |size: f32| {
        vec![[0.0; 3], [size, 0.0, 0.0], [size, size, 0.0], [0.0, size, 0.0], [-size, -size, -size]]
    };
    let indices = vec![0, 1, 2, 0, 2, 3, 0, 0, 0, 1, 1, 2, 2, 1, 0, 4, 1, 2];
    let list = [
        ("no vertices", vec![], vec![]),
        ("one vertex", vec![[1.0; 3]], vec![]),
        ("one vertex, thrice", vec![[1.0; 3]], vec![0, 0, 0]),
        ("no triangles", square(1.0), vec![]),
        ("all at one place", vec![[3.0; 3]; 5], indices.clone()),
        ("on a line", (0..5).map(|i| [i as f32; 3]).collect(), indices.clone()),
        ("huge", square(f32::MAX), indices.clone()),
        ("large", square(1e19), indices.clone()),
        ("tiny", square(tiny), indices.clone()),
        ("below tiny", square(tiny / 1024.0), indices.clone()),
        ("far away", square(1.0).iter().map(|p| p.map(|x| x + 1e9)).collect(), indices.clone()),
        ("usual", square(1.0), indices),
    ];
    let mut scenes = vec![("nothing", Scene::default())];
    for (name, positions, indices) in list {
        for streams in [false, true] {
            let count = positions.len();
            let mut primitive =
                Primitive { positions: positions.clone(), indices: indices.clone(), ..Primitive::default() };
            if streams {
                primitive.normals = vec![[0.0, 0.0, 1.0]; count];
                primitive.tangents = vec![[1.0, 0.0, 0.0, -1.0]; count];
                primitive.uvs = vec![vec![[0.5; 2]; count]];
                primitive.joints = vec![vec![[0; 4]; count]];
                primitive.weights = vec![vec![[1.0, 0.0, 0.0, 0.0]; count]];
                primitive.targets = vec![MorphTarget {
                    positions: positions.clone(),
                    normals: vec![[0.0, 0.0, -1.0]; count],
                    ..MorphTarget::default()
                }];
            }
            let mut strip = primitive.clone();
            strip.topology = Topology::LineStrip;
            let mut scene = Scene::default();
            let primitives = vec![primitive, strip];
            let mesh = scene.meshes.push(Mesh { primitives, ..Mesh::default() });
            let joint = scene.nodes.push(Node::default());
            let skin = streams.then(|| scene.skins.push(Skin { joints: vec![joint], ..Skin::default() }));
            let weights = if streams { vec![1.0] } else { Vec::new() };
            let shows = scene.nodes.push(Node { mesh: Some(mesh), skin, weights, ..Node::default() });
            scene.scenes.push(SceneRoot { roots: vec![joint, shows], ..SceneRoot::default() });
            assert_scene(&scene);
            scenes.push((name, scene));
        }
    }
    scenes
}

#[test]
fn odd_scenes_do_no_harm() {
    for (name, scene) in odd_scenes() {
        for (op, _, _) in all() {
            if op.problem(&scene).is_some() {
                continue;
            }
            let mut changed = scene.clone();
            op.apply(&mut changed);
            if let Err(broken) = menagerie::scene::check(&changed) {
                // Twice the largest number is no number: only what multiplies lengths may say so.
                panic!("{op:?} on {name}: {broken}");
            }
        }
    }
}

/// A ball with bumps, of four-sided rings.
fn ball(rings: u32, sides: u32) -> Primitive {
    let point = |ring: u32, side: u32| {
        let (a, b) =
            (ring as f32 / rings as f32 * 3.0 + 0.07, side as f32 / sides as f32 * std::f32::consts::TAU);
        let bump = 1.0 + 0.1 * (a * 5.0).sin() * (b * 4.0).cos();
        Vec3::new(a.sin() * b.cos(), a.cos(), a.sin() * b.sin()) * bump
    };
    let vertices = (0..=rings).flat_map(|ring| (0..sides).map(move |side| (ring, side)));
    let corner = |ring: u32, side: u32| ring * sides + side % sides;
    let faces = (0..rings).flat_map(|ring| (0..sides).map(move |side| (ring, side)));
    let indices = faces.flat_map(|(r, s)| {
        let [a, b, c, d] = [corner(r, s), corner(r, s + 1), corner(r + 1, s + 1), corner(r + 1, s)];
        [a, b, c, a, c, d]
    });
    Primitive {
        positions: vertices.map(|(ring, side)| point(ring, side).to_array()).collect(),
        indices: indices.collect(),
        ..Primitive::default()
    }
}

/// Thousands of triangles that meet in one vertex would keep the simplifier busy for hours.
#[test]
fn crowded_vertices_are_no_trap() {
    const TRIANGLES: u32 = 100_000;
    let around = |i: u32| {
        let (y, x) = (i as f32 / TRIANGLES as f32 * std::f32::consts::TAU).sin_cos();
        [x, y, 0.0]
    };
    let fan = Primitive {
        positions: std::iter::once([0.0, 0.0, 1.0]).chain((0..=TRIANGLES).map(around)).collect(),
        indices: (1..=TRIANGLES).flat_map(|i| [0, i, i + 1]).collect(),
        ..Primitive::default()
    };
    let again = Primitive {
        positions: (0..3).map(|i| around(i * TRIANGLES / 3)).collect(),
        indices: [0, 1, 2].repeat(TRIANGLES as usize),
        ..Primitive::default()
    };
    for primitive in [fan, again] {
        for goal in [SimplifyGoal::Part(0.5), SimplifyGoal::Error(0.1)] {
            let (simpler, error) = ops::simplify(&primitive, goal);
            assert!(simpler.indices.len() <= primitive.indices.len() && error.is_finite(), "{goal:?}");
        }
    }
}

#[test]
fn simplifying_agrees_with_meshoptimizer() {
    let ball = ball(100, 100);
    let count = ball.indices.len();
    for part in [0.5, 0.2, 0.05] {
        let target = (count as f32 / 3.0 * part).round() as usize * 3;
        let mut error = 0.0;
        let theirs = meshopt::simplify_decoder(
            &ball.indices,
            &ball.positions,
            target,
            f32::MAX,
            meshopt::SimplifyOptions::ErrorAbsolute,
            Some(&mut error),
        );
        let (ours, reckoned) = ops::simplify(&ball, SimplifyGoal::Part(part));
        assert!(ours.indices.len().abs_diff(target) * 50 <= target, "{} of {target}", ours.indices.len());
        assert_eq!(ours.indices.len(), theirs.len());
        assert!((reckoned - error).abs() <= 1e-6 * error, "{reckoned} and {error} at {part}");
        // What is measured is of the size that the simplifier reckons with.
        let mut scene = Scene::default();
        scene.meshes.push(Mesh { primitives: vec![ball.clone()], ..Mesh::default() });
        let report = ops::simplify_meshes(&mut scene, SimplifyGoal::Part(part));
        let measured = report[0].distance;
        assert!(measured.mean <= f64::from(error), "{measured:?} and {error} at {part}");
        assert!(measured.max <= 6.0 * f64::from(error), "{measured:?} and {error} at {part}");
        assert!(measured.max > 0.0);
        assert_scene(&scene);
        // The other way round: that error allows about as few triangles.
        let (by_error, reckoned) = ops::simplify(&ball, SimplifyGoal::Error(error));
        assert!(reckoned <= error, "{reckoned} and {error}");
        let (more, fewer) =
            (by_error.indices.len().max(theirs.len()), by_error.indices.len().min(theirs.len()));
        assert!(more as f32 <= fewer as f32 * 1.1, "{more} and {fewer} at {part}");
    }
}

/// The ball with all that can hang on vertices, shown by a node.
fn dressed_ball() -> Scene {
    let mut ball = ball(40, 40);
    let count = ball.vertex_count();
    ball.normals = ops::smooth_normals(&ball);
    ball.uvs = vec![ball.positions.iter().map(|[x, y, _]| [*x, *y]).collect()];
    let share = |i: usize| (i % 40) as f32 / 39.0;
    ball.joints = vec![(0..count).map(|i| [(i / 400) as u16, (i / 400 + 1) as u16, 0, 0]).collect()];
    ball.weights = vec![(0..count).map(|i| [share(i), 1.0 - share(i), 0.0, 0.0]).collect()];
    let delta = |p: &[f32; 3]| [p[0] * 0.5, 0.0, p[2] * 0.25];
    let target =
        MorphTarget { positions: ball.positions.iter().map(delta).collect(), ..MorphTarget::default() };
    ball.targets = vec![target.clone(), target];
    let mut scene = Scene::default();
    let mesh = scene.meshes.push(Mesh { primitives: vec![ball], ..Mesh::default() });
    let joints: Vec<_> = (0..6).map(|_| scene.nodes.push(Node::default())).collect();
    let skin = Some(scene.skins.push(Skin { joints: joints.clone(), ..Skin::default() }));
    let shows = scene.nodes.push(Node { mesh: Some(mesh), skin, ..Node::default() });
    scene.scenes.push(SceneRoot { roots: [joints, vec![shows]].concat(), ..SceneRoot::default() });
    scene
}

#[test]
fn levels_keep_weights_and_morph_targets() {
    for part in [0.5, 0.2, 0.05] {
        let mut scene = dressed_ball();
        let made = ops::make_levels(&mut scene, &[part]);
        assert_scene(&scene);
        let wanted = made[0].triangles_before as f32 * part;
        assert!((made[0].triangles as f32 - wanted).abs() <= wanted * 0.1 + 2.0, "{:?}", made[0]);
        let level = &scene.meshes.values().last().unwrap().primitives[0];
        assert!(level.vertex_count() < scene.meshes[Id::new(0)].primitives[0].vertex_count());
        for weights in &level.weights[0] {
            assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{weights:?}");
        }
        assert_eq!(level.targets.len(), 2);
        for (position, delta) in level.positions.iter().zip(&level.targets[1].positions) {
            assert_eq!(*delta, [position[0] * 0.5, 0.0, position[2] * 0.25], "each vertex has its own");
        }
        assert_eq!(level.targets[0].positions.len(), level.vertex_count());
    }
}

#[test]
fn a_pose_that_is_not_there_is_a_problem() {
    let scene = dressed_ball();
    for (animation, good) in [
        (WhichAnimation::Rest, true),
        (WhichAnimation::Number(0), false),
        (WhichAnimation::Name("walk".to_owned()), false),
    ] {
        let op = Op::BakePose(Moment { animation, seconds: 0.0 });
        assert_eq!(op.problem(&scene).is_none(), good, "{op:?}");
    }
}
