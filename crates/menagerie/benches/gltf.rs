//! How fast a GLB of two million triangles becomes a Scene, beside the gltf crate, which people use for it, and beside
//! copying the bytes.
//!
//! The numbers of one run can be compared with each other, not with those of another machine.

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use menagerie::bytes::SharedBytes;
use menagerie::convert::{ConvertOptions, convert};
use menagerie::formats::{Format, ReadOptions};
use menagerie::scene::{Mesh, Node, Primitive, Scene, SceneRoot, check};

fn main() {
    divan::main();
}

/// Squares along a side of the sheet: two million triangles.
const SIDE: usize = 1000;

/// A sheet with positions, normals and texture coordinates.
fn sheet() -> Scene {
    let vertex = |i: usize| (i % (SIDE + 1), i / (SIDE + 1));
    let vertices = (SIDE + 1) * (SIDE + 1);
    let place = |(x, y): (usize, usize)| [x as f32 * 0.1, (x * y % 97) as f32 * 0.013, y as f32 * 0.1];
    let uv = |(x, y): (usize, usize)| [x as f32 / SIDE as f32, y as f32 / SIDE as f32];
    let square = |i: usize| {
        let at = (i / SIDE * (SIDE + 1) + i % SIDE) as u32;
        let side = SIDE as u32;
        [at, at + side + 1, at + side + 2, at, at + side + 2, at + 1]
    };
    let primitive = Primitive {
        indices: (0..SIDE * SIDE).flat_map(square).collect(),
        positions: (0..vertices).map(vertex).map(place).collect(),
        normals: vec![[0.0, 0.8, 0.6]; vertices],
        uvs: vec![(0..vertices).map(vertex).map(uv).collect()],
        ..Primitive::default()
    };
    let mut scene = Scene::default();
    let mesh = scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
    let root = scene.nodes.push(Node { mesh: Some(mesh), ..Node::default() });
    scene.scenes.push(SceneRoot { roots: vec![root], ..SceneRoot::default() });
    scene
}

/// The sheet as another program would write it: without the extras that menagerie notes.
fn glb() -> Vec<u8> {
    let format = Format::by_id("gltf").expect("glTF is registered");
    let scene = sheet();
    let checked = check(&scene).expect("a sound sheet");
    let mut losses = menagerie::diag::LossReport::new();
    let model = (format.lower)(checked, &Default::default(), &mut losses).expect("lowered");
    model.write().expect("written").bytes
}

#[divan::bench]
fn copied(bencher: Bencher<'_, '_>) {
    let bytes = glb();
    bencher.counter(BytesCount::new(bytes.len())).bench_local(|| black_box(bytes.as_slice()).to_vec());
}

#[divan::bench]
fn read_by_menagerie(bencher: Bencher<'_, '_>) {
    let bytes = SharedBytes::new(glb());
    let format = Format::by_id("gltf").expect("glTF is registered");
    bencher.counter(BytesCount::new(bytes.len())).bench_local(|| {
        let options = ReadOptions::default();
        let reading = format.open_shared(black_box(&bytes), &options);
        assert!(reading.issues.is_empty());
        reading.model.expect("read").lift(&options).expect("lifted").scene
    });
}

/// The same with bytes that cannot be shared, so that the model keeps a copy of them.
#[divan::bench]
fn read_by_menagerie_with_a_copy(bencher: Bencher<'_, '_>) {
    let bytes = glb();
    let format = Format::by_id("gltf").expect("glTF is registered");
    bencher.counter(BytesCount::new(bytes.len())).bench_local(|| {
        let options = ReadOptions::default();
        let reading = format.open(black_box(&bytes), &options);
        reading.model.expect("read").lift(&options).expect("lifted").scene
    });
}

/// With every vertex and index taken up, as it is done by whoever draws the model.
#[divan::bench]
fn read_by_gltf(bencher: Bencher<'_, '_>) {
    let bytes = glb();
    bencher.counter(BytesCount::new(bytes.len())).bench_local(|| {
        let file = gltf::Gltf::from_slice(black_box(&bytes)).expect("read");
        let blob = file.blob.as_deref().expect("a GLB has its bytes");
        let mut taken = Vec::new();
        for primitive in file.meshes().flat_map(|mesh| mesh.primitives()) {
            let reader = primitive.reader(|_| Some(blob));
            let positions: Vec<_> = reader.read_positions().expect("positions").collect();
            let normals: Vec<_> = reader.read_normals().expect("normals").collect();
            let uvs: Vec<_> = reader.read_tex_coords(0).expect("uvs").into_f32().collect();
            let indices: Vec<_> = reader.read_indices().expect("indices").into_u32().collect();
            taken.push((positions, normals, uvs, indices));
        }
        taken
    });
}

/// What `menagerie convert` does with it before anything is written.
#[divan::bench]
fn checked(bencher: Bencher<'_, '_>) {
    let scene = sheet();
    let bytes = glb().len();
    bencher.counter(BytesCount::new(bytes)).bench_local(|| check(black_box(&scene)).is_ok());
}

#[divan::bench]
fn rewritten(bencher: Bencher<'_, '_>) {
    let bytes = glb();
    let format = Format::by_id("gltf").expect("glTF is registered");
    bencher.counter(BytesCount::new(bytes.len())).bench_local(|| {
        let mut options = ConvertOptions::default();
        options.rebuild = true;
        convert(black_box(&bytes), None, format, &options).expect("converted").output
    });
}
