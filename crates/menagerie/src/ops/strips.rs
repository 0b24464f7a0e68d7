//! Strips and fans as lists.

use crate::scene::{Scene, Topology};

/// The triangles of a strip: each corner from the third on makes one with the two before, every other one turned round
/// so that all face the same way.
pub fn triangles_of_strip(strip: &[u32]) -> Vec<[u32; 3]> {
    let corners = strip.windows(3).enumerate();
    let triangle = |(i, corners): (usize, &[u32])| match *corners {
        [a, b, c] if i % 2 == 0 => [a, b, c],
        [a, b, c] => [a, c, b],
        _ => [0; 3],
    };
    corners.map(triangle).collect()
}

/// The triangles of a fan, each ending at the corner that all share.
pub fn triangles_of_fan(fan: &[u32]) -> Vec<[u32; 3]> {
    let Some((centre, rim)) = fan.split_first() else { return Vec::new() };
    let pairs = rim.iter().zip(rim.iter().skip(1));
    pairs.map(|(a, b)| [*a, *b, *centre]).collect()
}

/// Makes separate lines of all strips and loops of lines; how many primitives changed.
pub fn lines_of_strips(scene: &mut Scene) -> usize {
    let mut changed = 0;
    for primitive in scene.meshes.values_mut().flat_map(|mesh| &mut mesh.primitives) {
        let closed = primitive.topology == Topology::LineLoop;
        if !closed && primitive.topology != Topology::LineStrip {
            continue;
        }
        let strip = std::mem::take(&mut primitive.indices);
        let closing = strip.first().filter(|_| closed && strip.len() > 2);
        let ends = strip.iter().skip(1).chain(closing);
        primitive.indices = strip.iter().zip(ends).flat_map(|(a, b)| [*a, *b]).collect();
        primitive.topology = Topology::Lines;
        changed += 1;
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Mesh, Primitive, assert_scene};

    #[test]
    fn strips_and_fans_are_triangles() {
        assert_eq!(triangles_of_strip(&[0, 1, 2, 3, 4]), [[0, 1, 2], [1, 3, 2], [2, 3, 4]]);
        assert_eq!(triangles_of_fan(&[9, 1, 2, 3]), [[1, 2, 9], [2, 3, 9]]);
        for short in [&[][..], &[1], &[1, 2]] {
            assert!(triangles_of_strip(short).is_empty() && triangles_of_fan(short).is_empty());
        }
    }

    #[test]
    fn strips_and_loops_are_lines() {
        for (topology, indices, expected) in [
            (Topology::LineStrip, &[0, 1, 2][..], &[0, 1, 1, 2][..]),
            (Topology::LineLoop, &[0, 1, 2], &[0, 1, 1, 2, 2, 0]),
            (Topology::LineLoop, &[0, 1], &[0, 1]),
            (Topology::LineLoop, &[0], &[]),
            (Topology::LineStrip, &[], &[]),
        ] {
            let mut scene = Scene::default();
            let primitive = Primitive {
                topology,
                indices: indices.to_vec(),
                positions: vec![[0.0; 3]; 3],
                ..Primitive::default()
            };
            let mesh = scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
            assert_eq!(lines_of_strips(&mut scene), 1);
            assert_eq!(assert_scene(&scene).meshes[mesh].primitives[0].indices, expected);
        }
    }
}
