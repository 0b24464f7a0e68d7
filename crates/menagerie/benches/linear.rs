//! Work on models of one size and of twice that size, counted by callgrind: `cargo xtask linear` runs this, and makes
//! `docs/linear.md` of it. What callgrind counts is explained in `tests/instructions.rs`.
//!
//! Each line that is printed is the work, what there is more of, and how many.

#[path = "../tests/library/support/operations.rs"]
#[allow(unreachable_pub, reason = "tests share it")]
mod operations;

use std::hint::black_box;

use menagerie::diff::{DiffOptions, diff};
use menagerie::formats::{ALL, Files as _, Format, ReadOptions, WriteOptions};
use menagerie::open::{Folders, Listings};
use menagerie::ops::Op;
use menagerie::scene::{
    Animation, Channel, Extras, Interpolation, Material, MaterialId, Mesh, Node, NodeId, Primitive, Property,
    Scene, SceneRoot, Skin, check,
};
use operations::{Amounts, every_operation};

/// How many there are of what there are many of.
const PARTS: usize = 150;

fn main() {
    // One thread, and that is this one: callgrind counts what it does.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    if let Err(error) = pool.build_global() {
        eprintln!("error: {error}");
        std::process::exit(2);
    }
    for (what, scene) in SERIES {
        for parts in [PARTS, 2 * PARTS] {
            work_on(what, parts, &scene(parts));
        }
    }
    for parts in [PARTS, 2 * PARTS] {
        look_up(parts);
    }
}

/// All readers, writers, byte maps, comparing, checking and operations.
fn work_on(what: &str, parts: usize, scene: &Scene) {
    let count = |work: &str, job: &mut dyn FnMut()| {
        counted(job);
        println!("{work}|{what}|{parts}");
    };
    let options = ReadOptions::default();
    for format in ALL {
        let mut file = Vec::new();
        count(&format!("write {}", format.id), &mut || file = written(scene, format));
        let mut model = None;
        count(&format!("read {}", format.id), &mut || {
            model = format.open(&file, &options).model;
            black_box(model.as_ref().and_then(|model| model.lift(&options).ok()));
        });
        count(&format!("inspect {}", format.id), &mut || {
            drop(black_box(model.as_ref().map(|model| model.layout())))
        });
    }
    count("check", &mut || {
        black_box(check(scene).is_ok());
    });
    count("diff", &mut || {
        if let Ok(scene) = check(scene) {
            black_box(diff(scene, scene, &DiffOptions::default()));
        }
    });
    for op in ops() {
        let mut changed = scene.clone();
        if op.problem(scene).is_none() {
            count(op.name(), &mut || drop(black_box(op.apply(&mut changed))));
        }
    }
}

fn ops() -> Vec<Op> {
    let mut ops = every_operation(Amounts::default());
    // One of each name.
    ops.dedup_by_key(|op| op.name());
    ops
}

/// As many models in one folder as there are files in it, each with a picture that is not there.
fn look_up(parts: usize) {
    let Ok(folder) = tempfile::tempdir() else { return };
    for i in 0..parts {
        let _ = std::fs::write(folder.path().join(format!("model{i}.png")), b"");
    }
    counted(&mut || {
        let listings = Listings::default();
        for i in 0..parts {
            let folders = Folders::new(Some(folder.path()), &[], &[]).sharing(&listings);
            let _ = black_box(folders.open(&format!("missing{i}.png")));
        }
    });
    println!("look up|files|{parts}");
}

/// What callgrind watches.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) {
    work();
}

/// A file as `convert` writes it, with all that belongs to that; empty where the format cannot have it.
fn written(scene: &Scene, format: &'static Format) -> Vec<u8> {
    let mut options = WriteOptions::default();
    options.extension = format.extensions.first().copied().unwrap_or_default().to_owned();
    let written = menagerie::convert::lower(scene.clone(), format, &options);
    written.map(|(output, _)| output.bytes).unwrap_or_default()
}

/// What there is more and more of, and the Scene with so many.
type Series = (&'static str, fn(usize) -> Scene);

const SERIES: [Series; 7] = [
    ("parts", parts),
    ("instances", instances),
    ("triangles", |count| shown(vec![strip(20 * count, 0.0)], 1)),
    ("moving nodes", moving_nodes),
    ("keys", keys),
    ("bones", bones),
    ("skins", skins),
];

/// So many meshes with materials of their own.
fn parts(count: usize) -> Scene {
    let mut scene = shown((0..count).map(|i| strip(2, i as f32)).collect(), count);
    for (i, mesh) in scene.meshes.values_mut().enumerate() {
        mesh.name = format!("mesh {i}");
        let material = Material { name: format!("material {i}"), ..Material::default() };
        let material: MaterialId = scene.materials.push(material);
        mesh.primitives.iter_mut().for_each(|primitive| primitive.material = Some(material));
    }
    scene
}

fn instances(count: usize) -> Scene {
    shown(vec![strip(2, 0.0)], count)
}

fn moving_nodes(count: usize) -> Scene {
    let mut scene = instances(count);
    let channels = scene.nodes.ids().map(|node| channel(node, 3)).collect();
    scene.animations.push(Animation { channels, ..Animation::default() });
    scene
}

fn keys(count: usize) -> Scene {
    let mut scene = instances(1);
    let channels = scene.nodes.ids().map(|node| channel(node, count)).collect();
    scene.animations.push(Animation { channels, ..Animation::default() });
    scene
}

/// A mesh that so many bones hold, each a few triangles.
fn bones(count: usize) -> Scene {
    let mut strip = strip(2 * count, 0.0);
    let joint = |vertex: usize| (vertex * count / strip.positions.len()).min(count - 1) as u16;
    strip.joints = vec![(0..strip.positions.len()).map(|vertex| [joint(vertex), 0, 0, 0]).collect()];
    strip.weights = vec![vec![[1.0, 0.0, 0.0, 0.0]; strip.positions.len()]];
    let mut scene = shown(vec![strip], 1);
    let joints: Vec<NodeId> =
        (0..count).map(|i| scene.nodes.push(Node { name: format!("bone {i}"), ..Node::default() })).collect();
    scene.scenes[0].roots.extend(&joints);
    let inverse_binds = vec![glam::Mat4::IDENTITY; count];
    let skin = scene.skins.push(Skin { joints, inverse_binds, ..Skin::default() });
    scene.nodes.values_mut().take(1).for_each(|node| node.skin = Some(skin));
    scene
}

/// So many meshes on a bone of their own, each with a skin.
fn skins(count: usize) -> Scene {
    let mut bound = strip(2, 0.0);
    bound.joints = vec![vec![[0; 4]; bound.positions.len()]];
    bound.weights = vec![vec![[1.0, 0.0, 0.0, 0.0]; bound.positions.len()]];
    let mut scene = shown(vec![bound], count);
    let nodes: Vec<NodeId> = scene.nodes.ids().collect();
    for (i, node) in nodes.into_iter().enumerate() {
        let joint = scene.nodes.push(Node { name: format!("bone {i}"), ..Node::default() });
        scene.scenes[0].roots.push(joint);
        let inverse_binds = vec![glam::Mat4::from_translation(glam::Vec3::splat(i as f32))];
        let skin = scene.skins.push(Skin { joints: vec![joint], inverse_binds, ..Skin::default() });
        scene.nodes[node].skin = Some(skin);
    }
    scene
}

fn channel(node: NodeId, keys: usize) -> Channel {
    Channel {
        node,
        property: Property::Translation,
        interpolation: Interpolation::Linear,
        times: (0..keys).map(|key| key as f32).collect(),
        values: (0..keys).flat_map(|key| [(key * key % 7) as f32, 0.0, 1.0]).collect(),
        extras: Extras::default(),
    }
}

/// Nodes that show these meshes, one after the other.
fn shown(primitives: Vec<Primitive>, nodes: usize) -> Scene {
    let mut scene = Scene::default();
    let meshes: Vec<_> = primitives
        .into_iter()
        .map(|primitive| scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() }))
        .collect();
    let roots = (0..nodes)
        .map(|i| {
            let mesh = meshes.get(i % meshes.len()).copied();
            scene.nodes.push(Node { name: format!("node {i}"), mesh, ..Node::default() })
        })
        .collect();
    scene.scenes.push(SceneRoot { roots, ..SceneRoot::default() });
    scene
}

/// A strip of so many triangles, with texture coordinates.
fn strip(triangles: usize, height: f32) -> Primitive {
    let vertices = triangles + 2;
    let place = |i: usize| [(i / 2) as f32, height, (i % 2) as f32];
    let corners = |i: usize| {
        let at = i as u32;
        if i.is_multiple_of(2) { [at, at + 1, at + 2] } else { [at + 1, at, at + 2] }
    };
    let mut strip = Primitive {
        positions: (0..vertices).map(place).collect(),
        indices: (0..triangles).flat_map(corners).collect(),
        uvs: vec![(0..vertices).map(|i| [i as f32 / vertices as f32, (i % 2) as f32]).collect()],
        ..Primitive::default()
    };
    strip.normals = menagerie::ops::smooth_normals(&strip);
    strip
}
