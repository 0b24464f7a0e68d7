//! The work whose instructions are counted: `cargo xtask instructions` runs this under callgrind, which counts what
//! happens inside of [`counted`] and dumps the count after each call. The names are printed in the order of the calls.
//!
//! Instructions are the same on a busy machine as on a quiet one, so a few thousand triangles are enough.

use std::hint::black_box;

use menagerie::bytes::SharedBytes;
use menagerie::diag::LossReport;
use menagerie::diff::{DiffOptions, diff};
use menagerie::formats::{ALL, Format, ReadOptions, WriteOptions};
use menagerie::ops::{self, SimplifyGoal};
use menagerie::scene::{Mesh, MeshId, Node, Primitive, Scene, SceneRoot, check};

/// Squares along a side of the model.
const SIDE: u32 = 48;

fn main() {
    // One thread, and that is this one: callgrind counts what it does.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).use_current_thread();
    if let Err(error) = pool.build_global() {
        eprintln!("error: {error}");
        std::process::exit(2);
    }
    let scene = hills(SIDE);
    for format in ALL {
        let file = written(&scene, format);
        let shared = SharedBytes::from(file.clone());
        count(&format!("read {}", format.id), || read(format, &file, None));
        count(&format!("read {}, shared", format.id), || read(format, &file, Some(&shared)));
        count(&format!("write {}", format.id), || written(&scene, format));
    }
    count("check a Scene", || check(&scene).is_ok());
    let other =
        read(&menagerie::formats::bo3d::FORMAT, &written(&scene, &menagerie::formats::bo3d::FORMAT), None);
    count("diff", || {
        let (one, other) = (check(&scene).ok()?, check(&other).ok()?);
        Some(diff(one, other, &DiffOptions::default()).differences.len())
    });
    let sheet = scene.meshes[MeshId::new(0)].primitives[0].clone();
    let mut soup = ops::select(&sheet, &sheet.indices, (0..sheet.indices.len() as u32).collect());
    count("weld", || ops::weld_primitive(&mut soup).after);
    count("simplify", || ops::simplify(&sheet, SimplifyGoal::Part(0.5)).1);
    count("smooth normals", || ops::smooth_normals(&sheet).len());
    count("measure", || ops::measure(&scene).triangles);
}

/// Does something with its instructions counted, and says what.
fn count<R>(name: &str, work: impl FnOnce() -> R) {
    let mut work = Some(work);
    counted(&mut || drop(black_box(work.take().map(|work| work()))));
    println!("{name}");
}

/// What callgrind watches.
#[inline(never)]
fn counted(work: &mut dyn FnMut()) {
    work();
}

fn read(format: &'static Format, file: &[u8], shared: Option<&SharedBytes>) -> Scene {
    let options = ReadOptions::default();
    let reading = match shared {
        Some(shared) => format.open_shared(shared, &options),
        None => format.open(file, &options),
    };
    let lifted = reading.model.and_then(|model| model.lift(&options).ok());
    lifted.map(|lifted| lifted.scene).unwrap_or_default()
}

fn written(scene: &Scene, format: &'static Format) -> Vec<u8> {
    let mut options = WriteOptions::default();
    options.extension = format.extensions.first().copied().unwrap_or_default().to_owned();
    let checked = check(scene).ok();
    let lowered = checked.and_then(|scene| (format.lower)(scene, &options, &mut LossReport::new()).ok());
    lowered.and_then(|model| model.into_output().ok()).map(|output| output.bytes).unwrap_or_default()
}

/// Hills of twice `side` · `side` triangles.
fn hills(side: u32) -> Scene {
    let mut hills = Primitive::default();
    let mut uvs = Vec::new();
    for (x, z) in (0..=side).flat_map(|z| (0..=side).map(move |x| (x, z))) {
        let (u, v) = (x as f32 / side as f32, z as f32 / side as f32);
        hills.positions.push([u * 10.0, (u * 25.0).sin() + (v * 31.0).cos(), v * 10.0]);
        uvs.push([u, v]);
    }
    for (x, z) in (0..side).flat_map(|z| (0..side).map(move |x| (x, z))) {
        let at = z * (side + 1) + x;
        let below = at + side + 1;
        hills.indices.extend([at, below, at + 1, at + 1, below, below + 1]);
    }
    hills.uvs = vec![uvs];
    hills.normals = ops::smooth_normals(&hills);
    let mut scene = Scene::default();
    let mesh = scene.meshes.push(Mesh { primitives: vec![hills], ..Mesh::default() });
    let node = scene.nodes.push(Node { mesh: Some(mesh), ..Node::default() });
    scene.scenes.push(SceneRoot { roots: vec![node], ..SceneRoot::default() });
    scene
}
