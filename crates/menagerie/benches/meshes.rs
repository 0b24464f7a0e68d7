//! How fast OBJ, STL and PLY are read, each beside the crate that people use for it and beside copying the bytes.
//!
//! The numbers of one run can be compared with each other, not with those of another machine.

use std::fmt::Write as _;
use std::io::Cursor;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use menagerie::formats::{Format, ReadOptions};

fn main() {
    divan::main();
}

/// Squares along a side of the sheet: a quarter of a million triangles.
const SIDE: usize = 354;

/// The corners of a square of the sheet.
fn square(i: usize) -> [usize; 4] {
    let at = i / SIDE * (SIDE + 1) + i % SIDE;
    [at, at + SIDE + 1, at + SIDE + 2, at + 1]
}

fn place(vertex: usize) -> [f32; 3] {
    let (x, y) = (vertex % (SIDE + 1), vertex / (SIDE + 1));
    [x as f32 * 0.1, (x * y % 97) as f32 * 0.013, y as f32 * 0.1]
}

const VERTICES: usize = (SIDE + 1) * (SIDE + 1);

/// Positions, texture coordinates and normals have the same numbers.
fn obj() -> Vec<u8> {
    numbered_obj(|i| [i; 3])
}

/// Each has its own, nowhere near the others.
fn obj_numbered_apart() -> Vec<u8> {
    numbered_obj(|i| [i, i * 1_000_003 % VERTICES, i * 1_000_033 % VERTICES])
}

/// The numbers of a vertex's position, texture coordinate and normal, from zero.
fn numbered_obj(numbers: impl Fn(usize) -> [usize; 3]) -> Vec<u8> {
    let mut text = String::new();
    for vertex in 0..VERTICES {
        let [x, y, z] = place(vertex);
        let _ = writeln!(text, "v {x:.6} {y:.6} {z:.6}\nvt {:.6} {:.6}\nvn 0.0 1.0 0.0", x / 40.0, z / 40.0);
    }
    for i in 0..SIDE * SIDE {
        let [a, b, c, d] = square(i).map(|i| {
            let [v, t, n] = numbers(i);
            format!("{}/{}/{}", v + 1, t + 1, n + 1)
        });
        let _ = writeln!(text, "f {a} {b} {c}\nf {a} {c} {d}");
    }
    text.into_bytes()
}

fn stl() -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend((SIDE as u32 * SIDE as u32 * 2).to_le_bytes());
    for i in 0..SIDE * SIDE {
        let [a, b, c, d] = square(i).map(place);
        for triangle in [[a, b, c], [a, c, d]] {
            bytes.extend([0; 12]);
            bytes.extend(triangle.iter().flatten().flat_map(|x| x.to_le_bytes()));
            bytes.extend([0; 2]);
        }
    }
    bytes
}

fn ply() -> Vec<u8> {
    let faces = SIDE * SIDE * 2;
    let mut bytes = format!(
        "ply\nformat binary_little_endian 1.0\nelement vertex {VERTICES}\nproperty float x\nproperty float y\n\
         property float z\nelement face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
    )
    .into_bytes();
    bytes.extend((0..VERTICES).flat_map(place).flat_map(f32::to_le_bytes));
    for i in 0..SIDE * SIDE {
        let [a, b, c, d] = square(i).map(|i| i as u32);
        for triangle in [[a, b, c], [a, c, d]] {
            bytes.push(3);
            bytes.extend(triangle.iter().flat_map(|i| i.to_le_bytes()));
        }
    }
    bytes
}

/// Reads a file into a Scene as `convert` does with large ones.
fn read(bencher: Bencher<'_, '_>, format: &str, bytes: &[u8]) {
    let stream = Format::by_id(format).and_then(|format| format.stream).expect("is read piece by piece");
    bencher.counter(BytesCount::new(bytes.len())).bench(|| {
        let length = Some(bytes.len() as u64);
        stream(&mut black_box(bytes), length, &ReadOptions::default()).expect("is sound")
    });
}

#[divan::bench(sample_count = 5)]
fn obj_by_menagerie(bencher: Bencher<'_, '_>) {
    read(bencher, "obj", &obj());
}

#[divan::bench(sample_count = 5)]
fn obj_numbered_apart_by_menagerie(bencher: Bencher<'_, '_>) {
    read(bencher, "obj", &obj_numbered_apart());
}

#[divan::bench(sample_count = 5)]
fn obj_by_tobj(bencher: Bencher<'_, '_>) {
    by_tobj(bencher, &obj());
}

#[divan::bench(sample_count = 5)]
fn obj_numbered_apart_by_tobj(bencher: Bencher<'_, '_>) {
    by_tobj(bencher, &obj_numbered_apart());
}

fn by_tobj(bencher: Bencher<'_, '_>, bytes: &[u8]) {
    let load = tobj::LoadOptions { triangulate: true, single_index: true, ..Default::default() };
    bencher.counter(BytesCount::new(bytes.len())).bench(|| {
        tobj::load_obj_buf(&mut black_box(bytes), &load, |_| Ok(Default::default())).expect("is sound")
    });
}

#[divan::bench(sample_count = 5)]
fn obj_by_copying_only(bencher: Bencher<'_, '_>) {
    let bytes = obj();
    bencher.counter(BytesCount::new(bytes.len())).bench(|| black_box(&bytes).clone());
}

#[divan::bench(sample_count = 5)]
fn stl_by_menagerie(bencher: Bencher<'_, '_>) {
    read(bencher, "stl", &stl());
}

#[divan::bench(sample_count = 5)]
fn stl_by_stl_io(bencher: Bencher<'_, '_>) {
    let bytes = stl();
    bencher
        .counter(BytesCount::new(bytes.len()))
        .bench(|| stl_io::read_stl(&mut Cursor::new(black_box(&bytes))).expect("is sound"));
}

#[divan::bench(sample_count = 5)]
fn ply_by_menagerie(bencher: Bencher<'_, '_>) {
    read(bencher, "ply", &ply());
}

#[divan::bench(sample_count = 5)]
fn ply_by_copying_only(bencher: Bencher<'_, '_>) {
    let bytes = ply();
    bencher.counter(BytesCount::new(bytes.len())).bench(|| black_box(&bytes).clone());
}
