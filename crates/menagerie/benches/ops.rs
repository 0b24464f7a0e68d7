//! How fast operations are, each beside what it should be compared with.
//!
//! `weld` against copying the same bytes and against sorting the same corners; `simplify` and `order` against calling
//! meshoptimizer directly. The numbers of one run can be compared with each other, not with those of another machine.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use menagerie::ops::{self, SimplifyGoal, Welder};
use menagerie::scene::Primitive;

fn main() {
    divan::main();
}

/// Squares along a side of the sheet: half a million triangles.
const SIDE: u32 = 500;

/// A sheet with waves, each vertex once.
fn sheet(side: u32) -> Primitive {
    let grid = || (0..=side).flat_map(move |y| (0..=side).map(move |x| (x as f32, y as f32)));
    let positions: Vec<[f32; 3]> =
        grid().map(|(x, y)| [x, (x * 0.1).sin() * (y * 0.07).cos() * 4.0, y]).collect();
    let corner = |x: u32, y: u32| y * (side + 1) + x;
    let squares = (0..side).flat_map(|y| (0..side).map(move |x| (x, y)));
    let indices = squares.flat_map(|(x, y)| {
        let [a, b, c, d] = [corner(x, y), corner(x, y + 1), corner(x + 1, y + 1), corner(x + 1, y)];
        [a, b, c, a, c, d]
    });
    let uvs = vec![grid().map(|(x, y)| [x / side as f32, y / side as f32]).collect()];
    let mut sheet = Primitive { indices: indices.collect(), positions, uvs, ..Primitive::default() };
    sheet.normals = ops::smooth_normals(&sheet);
    sheet
}

/// The same with a vertex of its own for every corner.
fn soup(side: u32) -> Primitive {
    let sheet = sheet(side);
    ops::select(&sheet, &sheet.indices, (0..sheet.indices.len() as u32).collect())
}

/// The corners of the soup as rows of bits: position, normal, texture coordinates.
fn rows(side: u32) -> Vec<[u32; 8]> {
    let soup = soup(side);
    let corners = soup.positions.iter().zip(&soup.normals).zip(&soup.uvs[0]);
    corners
        .map(|(([x, y, z], [nx, ny, nz]), [u, v])| [x, y, z, nx, ny, nz, u, v].map(|x| x.to_bits()))
        .collect()
}

/// Welding half a million and five million triangles: the rate should be nearly the same.
#[divan::bench(args = [SIDE, 1582], sample_count = 5)]
fn weld_rows(bencher: Bencher<'_, '_>, side: u32) {
    let rows = rows(side);
    bencher.counter(ItemsCount::new(rows.len())).bench(|| {
        let mut welder = Welder::new();
        rows.iter().map(|row| welder.add(*row)).collect::<Vec<u32>>()
    });
}

#[divan::bench(sample_count = 5)]
fn weld_primitive(bencher: Bencher<'_, '_>) {
    let soup = soup(SIDE);
    let corners = ItemsCount::new(soup.vertex_count());
    bencher.counter(corners).with_inputs(|| soup.clone()).bench_values(|mut soup| {
        ops::weld_primitive(&mut soup);
        soup
    });
}

#[divan::bench(sample_count = 5)]
fn weld_by_copying_only(bencher: Bencher<'_, '_>) {
    let rows = rows(SIDE);
    bencher.counter(ItemsCount::new(rows.len())).bench(|| black_box(&rows).clone());
}

#[divan::bench(sample_count = 5)]
fn weld_by_sorting(bencher: Bencher<'_, '_>) {
    let rows = rows(SIDE);
    bencher.counter(ItemsCount::new(rows.len())).bench(|| {
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        order.sort_unstable_by_key(|i| rows[*i as usize]);
        order
    });
}

#[divan::bench(sample_count = 3)]
fn simplify_to_half(bencher: Bencher<'_, '_>) {
    let sheet = sheet(SIDE);
    let triangles = ItemsCount::new(sheet.triangles().len());
    bencher.counter(triangles).bench(|| ops::simplify(&sheet, SimplifyGoal::Part(0.5)));
}

#[divan::bench(sample_count = 3)]
fn simplify_to_half_by_meshoptimizer(bencher: Bencher<'_, '_>) {
    let sheet = sheet(SIDE);
    let normals: Vec<f32> = sheet
        .normals
        .iter()
        .zip(&sheet.uvs[0])
        .flat_map(|(n, uv)| [*n, [uv[0], uv[1], 0.0]])
        .flatten()
        .collect();
    let weights = [0.5, 0.5, 0.5, 1.0, 1.0, 0.0];
    let free = vec![false; sheet.vertex_count()];
    bencher.counter(ItemsCount::new(sheet.triangles().len())).bench(|| {
        meshopt::simplify_with_attributes_and_locks_decoder(
            &sheet.indices,
            &sheet.positions,
            &normals,
            &weights,
            weights.len() * size_of::<f32>(),
            &free,
            sheet.indices.len() / 2,
            f32::MAX,
            meshopt::SimplifyOptions::None,
            None,
        )
    });
}

#[divan::bench(sample_count = 3)]
fn normals_by_angle(bencher: Bencher<'_, '_>) {
    let sheet = sheet(SIDE);
    let triangles = ItemsCount::new(sheet.triangles().len());
    bencher.counter(triangles).with_inputs(|| sheet.clone()).bench_values(|mut sheet| {
        ops::make_primitive_normals(&mut sheet, ops::Smoothing::Angle(30.0));
        sheet
    });
}

#[divan::bench(sample_count = 3)]
fn tangents(bencher: Bencher<'_, '_>) {
    let sheet = sheet(SIDE);
    let triangles = ItemsCount::new(sheet.triangles().len());
    bencher.counter(triangles).with_inputs(|| sheet.clone()).bench_values(|mut sheet| {
        ops::make_primitive_tangents(&mut sheet);
        sheet
    });
}
