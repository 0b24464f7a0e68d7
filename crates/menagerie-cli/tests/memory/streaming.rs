//! Reading a large file piece by piece takes little more memory than the Scene that it becomes.

use std::io::Read;
use std::sync::atomic::Ordering::Relaxed;

use menagerie::formats::{Format, ReadOptions};
use menagerie::scene::{Scene, assert_scene};

use crate::ALONE;
use crate::counting::{NOW, PEAK};

/// A grid of so many squares a side, made as it is read.
struct Made<F: FnMut(usize, &mut Vec<u8>) -> bool> {
    ready: Vec<u8>,
    used: usize,
    line: usize,
    make: F,
}

impl<F: FnMut(usize, &mut Vec<u8>) -> bool> Read for Made<F> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.used == self.ready.len() {
            self.ready.clear();
            self.used = 0;
            while self.ready.len() < 64 << 10 && (self.make)(self.line, &mut self.ready) {
                self.line += 1;
            }
        }
        let n = buffer.len().min(self.ready.len() - self.used);
        buffer[..n].copy_from_slice(&self.ready[self.used..self.used + n]);
        self.used += n;
        Ok(n)
    }
}

const SIDE: usize = 1200;

fn corners(square: usize) -> [usize; 4] {
    let (x, y) = (square % SIDE, square / SIDE);
    let at = |x: usize, y: usize| y * (SIDE + 1) + x;
    [at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)]
}

fn height(vertex: usize) -> [f32; 3] {
    let (x, y) = (vertex % (SIDE + 1), vertex / (SIDE + 1));
    [x as f32 * 0.1, (x * y % 97) as f32 * 0.013, y as f32 * 0.1]
}

const VERTICES: usize = (SIDE + 1) * (SIDE + 1);
const SQUARES: usize = SIDE * SIDE;

fn obj_line(line: usize, out: &mut Vec<u8>) -> bool {
    let text = if line < VERTICES {
        let [x, y, z] = height(line);
        format!("v {x} {y} {z}\nvt {} {}\nvn 0 1 0\n", x / 50.0, z / 50.0)
    } else if line < VERTICES + SQUARES {
        let [a, b, c, d] = corners(line - VERTICES).map(|i| i + 1);
        format!("f {a}/{a}/{a} {b}/{b}/{b} {c}/{c}/{c} {d}/{d}/{d}\n")
    } else {
        return false;
    };
    out.extend_from_slice(text.as_bytes());
    true
}

/// A number for each vertex, all different and nowhere near each other.
fn shuffled(vertex: usize, salt: usize) -> usize {
    vertex * (1_000_003 + salt) % VERTICES
}

/// Texture coordinates and normals are numbered each in their own way.
fn shuffled_obj_line(line: usize, out: &mut Vec<u8>) -> bool {
    let text = if line < VERTICES {
        return obj_line(line, out);
    } else if line < VERTICES + SQUARES {
        let corner = |i: usize| format!("{}/{}/{}", i + 1, shuffled(i, 0) + 1, shuffled(i, 30) + 1);
        let [a, b, c, d] = corners(line - VERTICES).map(corner);
        format!("f {a} {b} {c}\nf {a} {c} {d}\n")
    } else {
        return false;
    };
    out.extend_from_slice(text.as_bytes());
    true
}

/// The same with materials that change all the time.
fn obj_line_of_parts(line: usize, out: &mut Vec<u8>) -> bool {
    if line >= VERTICES && line.is_multiple_of(100) {
        out.extend_from_slice(format!("usemtl m{}\n", line / 100 % 7).as_bytes());
    }
    shuffled_obj_line(line, out)
}

/// Every square has a normal of its own, so that its corners are no others'.
fn faceted_obj_line(line: usize, out: &mut Vec<u8>) -> bool {
    let text = if line < VERTICES {
        let [x, y, z] = height(line);
        format!("v {x} {y} {z}\n")
    } else if line < VERTICES + SQUARES {
        let square = line - VERTICES;
        let [a, b, c, d] = corners(square).map(|i| format!("{}//{}", i + 1, square + 1));
        format!("vn 0 1 0\nf {a} {b} {c} {d}\n")
    } else {
        return false;
    };
    out.extend_from_slice(text.as_bytes());
    true
}

fn ply_line(line: usize, out: &mut Vec<u8>) -> bool {
    match line {
        0 => out.extend_from_slice(
            format!(
                "ply\nformat binary_little_endian 1.0\nelement vertex {VERTICES}\nproperty float x\nproperty float y\n\
                 property float z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
                SQUARES * 2
            )
            .as_bytes(),
        ),
        line if line <= VERTICES => out.extend(height(line - 1).iter().flat_map(|x| x.to_le_bytes())),
        line if line <= VERTICES + SQUARES => {
            let [a, b, c, d] = corners(line - 1 - VERTICES).map(|i| i as u32);
            for triangle in [[a, b, c], [a, c, d]] {
                out.push(3);
                out.extend(triangle.iter().flat_map(|i| i.to_le_bytes()));
            }
        }
        _ => return false,
    }
    true
}

fn stl_line(line: usize, out: &mut Vec<u8>) -> bool {
    match line {
        0 => {
            out.extend_from_slice(&[b' '; 80]);
            out.extend((SQUARES as u32 * 2).to_le_bytes());
        }
        line if line <= SQUARES => {
            let [a, b, c, d] = corners(line - 1).map(height);
            for triangle in [[a, b, c], [a, c, d]] {
                out.extend([0u8; 12]);
                out.extend(triangle.iter().flatten().flat_map(|x| x.to_le_bytes()));
                out.extend([0u8; 2]);
            }
        }
        _ => return false,
    }
    true
}

fn scene_bytes(scene: &Scene) -> usize {
    let primitives = scene.meshes.values().flat_map(|mesh| &mesh.primitives);
    primitives
        .map(|p| {
            p.positions.len() * 12
                + p.normals.len() * 12
                + p.uvs.iter().map(|set| set.len() * 8).sum::<usize>()
                + p.colors.iter().map(|set| set.len() * 16).sum::<usize>()
                + p.indices.len() * 4
        })
        .sum()
}

/// What reading may take beside the Scene: blocks that are read and being looked at. The Scenes are more than four times that.
const FIXED: usize = 12 << 20;

#[test]
fn reading_pieces_takes_little_more_than_the_scene() {
    let _alone = ALONE.lock();
    type Line = fn(usize, &mut Vec<u8>) -> bool;
    let kinds: [(&str, Line, u64); 6] = [
        ("obj", obj_line, 0),
        ("obj", shuffled_obj_line, 0),
        ("obj", obj_line_of_parts, 0),
        ("obj", faceted_obj_line, 0),
        ("ply", ply_line, (VERTICES * 12 + SQUARES * 26 + 300) as u64),
        ("stl", stl_line, (84 + SQUARES * 100) as u64),
    ];
    for (id, make, length) in kinds {
        let format = Format::by_id(id).unwrap();
        let mut source = Made { ready: Vec::new(), used: 0, line: 0, make };
        let before = NOW.load(Relaxed);
        PEAK.store(before, Relaxed);
        let length = (length > 0).then_some(length);
        let streamed = (format.stream.unwrap())(&mut source, length, &ReadOptions::default()).unwrap();
        let peak = PEAK.load(Relaxed) - before;
        assert_scene(&streamed.scene);
        let scene = scene_bytes(&streamed.scene);
        let triangles: usize =
            streamed.scene.meshes.values().flat_map(|m| &m.primitives).map(|p| p.indices.len() / 3).sum();
        assert_eq!(triangles, SQUARES * 2, "{id}");
        println!("{id}: {} bytes read, scene {scene}, peak {peak}", streamed.bytes);
        assert!(scene > 4 * FIXED, "{id}: a Scene of {scene} bytes hides behind the fixed amount");
        assert!(peak <= scene * 12 / 10 + FIXED, "{id}: {peak} bytes for a Scene of {scene}");
    }
}
