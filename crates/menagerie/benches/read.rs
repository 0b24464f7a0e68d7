//! How fast the bytes of a large model become a file model and a Scene, in every format, beside copying the same bytes and,
//! for glTF, beside the gltf crate. `cargo xtask bench read` makes the models, runs it and keeps what it prints.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use menagerie::bytes::SharedBytes;
use menagerie::formats::{Format, ReadOptions};
use serde_json::{Value, json};

/// Runs of each; the fastest counts, because everything else on the machine only makes it slower.
const RUNS: usize = 9;

fn main() {
    let Some(folder) = std::env::var_os("MENAGERIE_MODELS") else {
        return println!("MENAGERIE_MODELS names no folder with models");
    };
    let extensions = ["glb", "bgl", "bmd", "bo3d", "das2", "dgl2", "ply", "stl", "obj"];
    let rows: Vec<Value> = extensions.iter().map(|extension| row(Path::new(&folder), extension)).collect();
    println!("{}", Value::from(rows));
}

/// Seconds of the fastest run.
fn fastest<T>(work: impl Fn() -> T) -> f64 {
    let once = || {
        let start = Instant::now();
        black_box(work());
        start.elapsed().as_secs_f64()
    };
    (0..RUNS).map(|_| once()).fold(f64::INFINITY, f64::min)
}

fn row(folder: &Path, extension: &str) -> Value {
    let path = folder.join(format!("hills.{extension}"));
    let bytes = SharedBytes::new(std::fs::read(&path).expect("the model is there"));
    let format = Format::by_extension(extension).expect("its format is registered");
    // Of one job all runs would take from one budget.
    let open =
        |options: &ReadOptions<'_>| format.open_shared(black_box(&bytes), options).model.expect("read");
    let scene = || {
        let options = ReadOptions::default();
        open(&options).lift(&options).expect("lifted").scene
    };
    json!({
        "format": format.name,
        "bytes": bytes.len(),
        "copied": fastest(|| black_box(&*bytes).to_vec()),
        "model": fastest(|| open(&ReadOptions::default())),
        "scene": fastest(scene),
        "gltf_crate": (extension == "glb").then(|| fastest(|| by_gltf(&bytes))),
    })
}

/// With every vertex and index taken up, as it is done by whoever draws the model.
fn by_gltf(bytes: &[u8]) -> usize {
    let file = gltf::Gltf::from_slice(black_box(bytes)).expect("read");
    let blob = file.blob.as_deref().expect("a GLB has its bytes");
    let primitives = file.meshes().flat_map(|mesh| mesh.primitives().collect::<Vec<_>>());
    let taken = primitives.map(|primitive| {
        let reader = primitive.reader(|_| Some(blob));
        let positions: Vec<_> = reader.read_positions().into_iter().flatten().collect();
        let normals: Vec<_> = reader.read_normals().into_iter().flatten().collect();
        let uvs: Vec<_> = reader.read_tex_coords(0).into_iter().flat_map(|uvs| uvs.into_f32()).collect();
        let indices: Vec<_> = reader.read_indices().into_iter().flat_map(|list| list.into_u32()).collect();
        black_box((positions, normals, uvs, indices)).0.len()
    });
    taken.sum()
}
