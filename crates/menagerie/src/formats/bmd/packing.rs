//! How finely a file's vertices are packed.

use super::model::{Mesh, Model};
use super::vertex::{StReading, Vertex, VertexKind};
use crate::bytes::f8a_to_f32;
use crate::diag::loss::ErrorStats;
use crate::formats::Packing;
use crate::math;

/// What evenly spread values are off on average, as a part of the most that they can be off, in a cell of three
/// directions and of two.
const MEAN_OF_3: f64 = 0.5546;
const MEAN_OF_2: f64 = 0.5410;

impl Model {
    /// How finely each mesh is packed.
    pub fn packing(&self) -> Vec<Packing> {
        let with_vertices = self.meshes.iter().enumerate().filter(|(_, mesh)| !mesh.vertices.is_empty());
        with_vertices.map(|(i, mesh)| packing_of(i, mesh, self.is_flat(mesh))).collect()
    }
}

fn packing_of(index: usize, mesh: &Mesh, flat: bool) -> Packing {
    let mut packing = Packing { path: format!("meshes[{index}]"), ..Packing::default() };
    let mut kinds: Vec<VertexKind> = mesh.vertices.iter().map(Vertex::kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    packing.bits = kinds.iter().map(|kind| kind.bytes() * 8).collect();
    for vertex in &mesh.vertices {
        let steps = position_steps(vertex);
        packing.step = steps.iter().copied().fold(packing.step, f32::max);
        add(&mut packing.position, half_diagonal(&steps), MEAN_OF_3);
        if let Some(codes) = vertex.normal_codes(flat) {
            let length = codes.map(f8a_to_f32).iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
            let off = half_diagonal(&codes.map(f8a_step));
            if length > off {
                add(&mut packing.normal, math::asin_64(off / length).to_degrees(), MEAN_OF_3);
            }
        }
        if vertex.st(flat, StReading::Spec).is_some() {
            add(&mut packing.uv, half_diagonal(&[st_step(vertex); 2]), MEAN_OF_2);
        }
    }
    packing
}

/// Adds a vertex that is off by at most `most`.
fn add(stats: &mut ErrorStats, most: f64, mean: f64) {
    stats.add(most * mean);
    stats.max = stats.max.max(most);
}

/// Half the way across a cell with these sides.
fn half_diagonal(steps: &[f32]) -> f64 {
    steps.iter().map(|step| f64::from(*step).powi(2)).sum::<f64>().sqrt() / 2.0
}

/// The distance between neighbouring values of each coordinate of a position.
fn position_steps(vertex: &Vertex) -> [f32; 3] {
    match vertex.packed_position() {
        Some(packed) => [packed.step(); 3],
        // Half floats have ten bits after the first; below 2^-14 they are evenly spaced.
        None => vertex.position().map(|x| {
            let exponent = x.abs().max(6.103_515_6e-5).to_bits() >> 23;
            f32::from_bits(exponent.saturating_sub(10) << 23)
        }),
    }
}

/// The distance from an 8-bit float to the next larger.
fn f8a_step(code: u8) -> f32 {
    let magnitude = code & 0x7F;
    match magnitude {
        0 => f8a_to_f32(1),
        0x7F => f8a_to_f32(0x7F) - f8a_to_f32(0x7E),
        _ => f8a_to_f32(magnitude + 1) - f8a_to_f32(magnitude),
    }
}

fn st_step(vertex: &Vertex) -> f32 {
    let [_, second, third, _] = vertex.words;
    match (vertex.kind(), vertex.tag()) {
        (VertexKind::Bits96, tag) if tag & 1 == 0 => 1.0 / 2048.0,
        (VertexKind::Bits128, _) => (1u32 << (third >> 28)) as f32 / 4096.0,
        _ => (1u32 << (2 * (second >> 22 & 3))) as f32 / 1024.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::bmd::vertex::{Form, Unpacked};

    #[test]
    fn steps_are_those_of_the_forms() {
        let unpacked = Unpacked { position: [100.0, 1.0, 0.0], normal: [0x70, 0, 0], ..Unpacked::default() };
        for (form, bits, step, uv) in [
            (Form::Textured64, 64, 0.5, 1.0 / 1024.0),
            (Form::Bits96(0xF8), 96, 0.5, 1.0 / 2048.0),
            (Form::Bits128, 128, 0.0625, 1.0 / 4096.0),
        ] {
            let mesh = Mesh { vertices: vec![form.pack(&unpacked)], ..Mesh::default() };
            let packing = packing_of(0, &mesh, false);
            assert_eq!((packing.bits.as_slice(), packing.step), (&[bits][..], step), "{form:?}");
            assert!((packing.uv.max - uv * 0.5f64.sqrt()).abs() < 1e-9, "{form:?}");
            assert!(packing.position.max >= f64::from(step) / 2.0 && packing.position.mean() > 0.0);
        }
    }
}
