//! Tangents as bakers and engines expect them (MikkTSpace).

use glam::{DVec2, DVec3};

use super::normals::forget_custom;
use super::{Welder, select, weld_primitive};
use crate::scene::{Primitive, Scene, Topology};

/// What making tangents did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MadeTangents {
    /// Primitives that have new tangents.
    pub primitives: usize,
    /// Primitives of triangles that have none, because they lack normals or texture coordinates.
    pub without: usize,
    /// The vertices before.
    pub vertices_before: usize,
    /// The vertices after: where the picture is mirrored or turned, a place needs several.
    pub vertices_after: usize,
    /// Corners whose texture coordinates have no direction; they have any tangent that is orthogonal to the normal.
    pub without_direction: usize,
    /// Custom attributes that are gone, because they told more about what is new now.
    pub forgotten: usize,
}

/// Makes new tangents, in place of those that there are, as MikkTSpace does: what bakers of normal maps and most
/// programs use, so that a baked map looks as it should.
///
/// The first set of texture coordinates counts. Primitives without it or without normals stay as they are. Vertices are
/// doubled where their triangles need different tangents, and welded where not. Of morph targets, what they add to
/// tangents stays as it is.
pub fn make_tangents(scene: &mut Scene) -> MadeTangents {
    let mut report = MadeTangents::default();
    for primitive in scene.meshes.values_mut().flat_map(|mesh| &mut mesh.primitives) {
        let before = primitive.vertex_count();
        report.vertices_before += before;
        if primitive.topology == Topology::Triangles && !primitive.indices.is_empty() {
            if !primitive.normals.is_empty() && !primitive.uvs.is_empty() {
                report.forgotten += forget_custom(primitive, "BINORMAL");
            }
            match make_primitive_tangents(primitive) {
                Some(without_direction) => {
                    report.primitives += 1;
                    report.without_direction += without_direction;
                }
                None => report.without += 1,
            }
        }
        report.vertices_after += primitive.vertex_count();
    }
    report
}

/// The same for one primitive: how many corners have no direction, or `None` when it cannot have tangents.
pub fn make_primitive_tangents(primitive: &mut Primitive) -> Option<usize> {
    let corners = corner_tangents(primitive)?;
    let without_direction = corners.iter().filter(|tangent| tangent.is_none()).count();
    let unused = unused_vertices(primitive);
    // Every corner a vertex of its own, welding then leaves the different ones.
    let vertices: Vec<u32> = primitive.indices.iter().chain(&unused).copied().collect();
    let indices = (0..primitive.indices.len() as u32).collect();
    primitive.tangents = Vec::new();
    let mut soup = select(primitive, &vertices, indices);
    let made = corners.into_iter().chain(unused.iter().map(|_| None));
    soup.tangents = made
        .zip(&soup.normals)
        .map(|(tangent, normal)| {
            let any = || glam::Vec3::from_array(*normal).any_orthonormal_vector().extend(1.0).to_array();
            tangent.unwrap_or_else(any)
        })
        .collect();
    weld_primitive(&mut soup);
    *primitive = soup;
    Some(without_direction)
}

fn unused_vertices(primitive: &Primitive) -> Vec<u32> {
    let mut used = vec![false; primitive.vertex_count()];
    primitive.indices.iter().for_each(|index| used[*index as usize] = true);
    (0u32..).zip(used).filter(|(_, used)| !used).map(|(vertex, _)| vertex).collect()
}

/// A triangle and where its picture goes.
struct Face {
    /// Its corners, by place, normal and texture coordinates: equal ones have equal numbers.
    corners: [u32; 3],
    /// Where u grows, of unit length; zero where the picture has no extent.
    along_u: DVec3,
    /// Whether the picture is not mirrored.
    upright: bool,
    /// Whether the picture has no extent: then it goes with any neighbour.
    flexible: bool,
    /// Two corners are at the same place: it takes its tangents from others.
    degenerate: bool,
    /// The faces across its sides, the first from corner 0 to 1.
    neighbours: [Option<u32>; 3],
    /// The group that each corner is in.
    groups: [Option<u32>; 3],
}

/// Corners around one vertex that share a tangent.
struct Group {
    upright: bool,
    sum: DVec3,
}

/// For each corner of each triangle its tangent and sign; `None` where there is no direction. Nothing without normals
/// and texture coordinates.
fn corner_tangents(primitive: &Primitive) -> Option<Vec<Option<[f32; 4]>>> {
    let uvs = primitive.uvs.first()?;
    if primitive.normals.is_empty() {
        return None;
    }
    let numbers = vertex_numbers(primitive, uvs);
    let mut faces: Vec<Face> =
        primitive.triangles().iter().map(|triangle| face(primitive, uvs, &numbers, *triangle)).collect();
    find_neighbours(&mut faces);
    let groups = find_groups(primitive, &mut faces);
    let tangent = |group: &Group| {
        let direction = group.sum.normalize_or_zero();
        let sign = if group.upright { 1.0 } else { -1.0 };
        (direction != DVec3::ZERO).then(|| direction.as_vec3().extend(sign).to_array())
    };
    let tangents: Vec<Option<[f32; 4]>> = groups.iter().map(tangent).collect();
    // Corners without a group take the tangent of the first other corner that is the same vertex.
    let mut first: Vec<Option<[f32; 4]>> = vec![None; primitive.vertex_count()];
    for face in &faces {
        for (corner, group) in face.corners.iter().zip(face.groups) {
            let found = group.and_then(|group| tangents.get(group as usize).copied().flatten());
            if let Some(place) = first.get_mut(*corner as usize) {
                *place = place.or(found);
            }
        }
    }
    let corners = faces.iter().flat_map(|face| face.corners.into_iter().zip(face.groups));
    let of = |(corner, group): (u32, Option<u32>)| match group {
        Some(group) => tangents.get(group as usize).copied().flatten(),
        None => first.get(corner as usize).copied().flatten(),
    };
    Some(corners.map(of).collect())
}

/// For each vertex a number that vertices of the same place, normal and texture coordinates share.
fn vertex_numbers(primitive: &Primitive, uvs: &[[f32; 2]]) -> Vec<u32> {
    let mut welder = Welder::<8>::new();
    let vertices = primitive.positions.iter().zip(&primitive.normals).zip(uvs);
    vertices
        .map(|(([x, y, z], [nx, ny, nz]), [u, v])| {
            welder.add([x, y, z, nx, ny, nz, u, v].map(|x| (x + 0.0).to_bits()))
        })
        .collect()
}

fn face(primitive: &Primitive, uvs: &[[f32; 2]], numbers: &[u32], triangle: [u32; 3]) -> Face {
    let [a, b, c] = triangle.map(|i| position(primitive, i));
    // v grows downwards here, and upwards in MikkTSpace.
    let [s, t, r] = triangle.map(|i| {
        let [u, v] = uvs.get(i as usize).copied().unwrap_or_default();
        DVec2::new(f64::from(u), -f64::from(v))
    });
    let (ab, ac, uv_ab, uv_ac) = (b - a, c - a, t - s, r - s);
    let area = uv_ab.perp_dot(uv_ac);
    let upright = area > 0.0;
    let has_area = area.abs() > f64::from(f32::MIN_POSITIVE);
    let sign = if upright { 1.0 } else { -1.0 };
    let along_u = (ab * uv_ac.y - ac * uv_ab.y).normalize_or_zero() * sign;
    let along_v = (ac * uv_ab.x - ab * uv_ac.x).normalize_or_zero();
    let directed = has_area && along_u != DVec3::ZERO && along_v != DVec3::ZERO;
    Face {
        corners: triangle.map(|i| numbers.get(i as usize).copied().unwrap_or(0)),
        along_u: if has_area { along_u } else { DVec3::ZERO },
        upright,
        flexible: !directed,
        degenerate: a == b || b == c || c == a,
        neighbours: [None; 3],
        groups: [None; 3],
    }
}

fn position(primitive: &Primitive, index: u32) -> DVec3 {
    let position = primitive.positions.get(index as usize).copied().unwrap_or_default();
    DVec3::from_array(position.map(f64::from))
}

/// Finds for each side the face on the other one: the side has the same two vertices there and goes the other way.
/// Where more than two faces meet, they are paired in their order.
fn find_neighbours(faces: &mut [Face]) {
    let mut sides: Vec<(u32, u32, bool, u32, u8)> = Vec::with_capacity(faces.len() * 3);
    for (number, face) in (0u32..).zip(faces.iter()).filter(|(_, face)| !face.degenerate) {
        for side in 0..3u8 {
            let (from, to) = (face.corners[usize::from(side)], face.corners[usize::from(side + 1) % 3]);
            sides.push((from.min(to), from.max(to), from > to, number, side));
        }
    }
    sides.sort_unstable();
    for same in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let (there, back) = same.split_at(same.partition_point(|side| !side.2));
        for ((_, _, _, a, side_a), (_, _, _, b, side_b)) in there.iter().zip(back) {
            faces[*a as usize].neighbours[usize::from(*side_a)] = Some(*b);
            faces[*b as usize].neighbours[usize::from(*side_b)] = Some(*a);
        }
    }
}

/// Puts corners that share a tangent into groups: those around one vertex of faces that are neighbours and whose
/// pictures are mirrored alike.
fn find_groups(primitive: &Primitive, faces: &mut [Face]) -> Vec<Group> {
    let mut groups = Vec::new();
    let mut open: Vec<u32> = Vec::new();
    for start in 0..faces.len() {
        for corner in 0..3 {
            let face = &faces[start];
            if face.degenerate || face.flexible || face.groups[corner].is_some() {
                continue;
            }
            let number = groups.len() as u32;
            let (vertex, upright) = (face.corners[corner], face.upright);
            let mut group = Group { upright, sum: DVec3::ZERO };
            open.push(start as u32);
            while let Some(next) = open.pop() {
                let face = &mut faces[next as usize];
                let Some(i) = face.corners.iter().position(|corner| *corner == vertex) else { continue };
                if face.groups[i].is_some() {
                    continue;
                }
                if face.flexible && face.groups == [None; 3] {
                    // Whoever comes first decides.
                    face.upright = upright;
                }
                if face.upright != upright {
                    continue;
                }
                face.groups[i] = Some(number);
                let [right, left] = [i, (i + 2) % 3].map(|side| face.neighbours[side]);
                open.extend(right.into_iter().chain(left));
                if !face.flexible {
                    group.sum += share(primitive, next, i, face.along_u);
                }
            }
            groups.push(group);
        }
    }
    groups
}

/// What a face adds to the tangent of one of its corners: its direction in the plane of the normal, by the angle that
/// it has there.
fn share(primitive: &Primitive, face: u32, corner: usize, along_u: DVec3) -> DVec3 {
    let Some(triangle) = primitive.triangles().get(face as usize) else { return DVec3::ZERO };
    let [at, next, before] = [0, 1, 2].map(|i| triangle[(corner + i) % 3]);
    let normal = primitive.normals.get(at as usize).copied().unwrap_or_default();
    let normal = DVec3::from_array(normal.map(f64::from));
    let flat = |v: DVec3| (v - normal * normal.dot(v)).normalize_or_zero();
    let here = position(primitive, at);
    let (u, v) = (flat(position(primitive, next) - here), flat(position(primitive, before) - here));
    flat(along_u) * crate::math::acos_64(u.dot(v).clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Mesh, assert_scene};
    use glam::Vec3;

    /// MikkTSpace itself, as another program has it.
    struct Oracle<'a>(&'a Primitive, Vec<[f32; 4]>);

    impl bevy_mikktspace::Geometry for Oracle<'_> {
        fn num_faces(&self) -> usize {
            self.0.triangles().len()
        }
        fn num_vertices_of_face(&self, _: usize) -> usize {
            3
        }
        fn position(&self, face: usize, corner: usize) -> [f32; 3] {
            self.0.positions[self.0.indices[face * 3 + corner] as usize]
        }
        fn normal(&self, face: usize, corner: usize) -> [f32; 3] {
            self.0.normals[self.0.indices[face * 3 + corner] as usize]
        }
        fn tex_coord(&self, face: usize, corner: usize) -> [f32; 2] {
            let [u, v] = self.0.uvs[0][self.0.indices[face * 3 + corner] as usize];
            [u, 1.0 - v]
        }
        fn set_tangent(&mut self, space: Option<bevy_mikktspace::TangentSpace>, face: usize, corner: usize) {
            self.1[face * 3 + corner] = space.unwrap_or_default().tangent_encoded();
        }
    }

    /// A sheet of squares that `bend` puts somewhere, with texture coordinates by `map`.
    fn sheet(bend: impl Fn(f32, f32) -> Vec3, map: impl Fn(f32, f32) -> [f32; 2]) -> Primitive {
        const SIDE: u32 = 12;
        let grid = (0..=SIDE).flat_map(|y| (0..=SIDE).map(move |x| (x, y)));
        let at = |(x, y): (u32, u32)| (x as f32 / SIDE as f32, y as f32 / SIDE as f32);
        let vertices: Vec<(f32, f32)> = grid.map(at).collect();
        let corner = |x: u32, y: u32| y * (SIDE + 1) + x;
        let squares = (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y)));
        let indices = squares.flat_map(|(x, y)| {
            let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1)];
            [a, b, c, a, c, d]
        });
        let mut primitive = Primitive {
            positions: vertices.iter().map(|(x, y)| bend(*x, *y).to_array()).collect(),
            uvs: vec![vertices.iter().map(|(x, y)| map(*x, *y)).collect()],
            indices: indices.collect(),
            ..Primitive::default()
        };
        primitive.normals = crate::ops::smooth_normals(&primitive);
        primitive
    }

    #[test]
    fn tangents_are_those_of_mikktspace() {
        use std::f32::consts::TAU;
        let flat = |x: f32, y: f32| Vec3::new(x, y, 0.0);
        let wave = |x: f32, y: f32| Vec3::new(x, y, (x * 9.0).sin() * (y * 7.0).cos() * 0.2);
        let ball = |x: f32, y: f32| {
            // Without the poles: of the slivers there nobody knows the direction.
            let (a, b) = (x * TAU, (y - 0.5) * TAU * 0.45);
            Vec3::new(a.cos() * b.cos(), b.sin(), a.sin() * b.cos())
        };
        let plain = |x: f32, y: f32| [x, 1.0 - y];
        let mirrored = |x: f32, y: f32| [(x - 0.5).abs(), 1.0 - y];
        let turned = |x: f32, y: f32| [y * 3.0 + x, x * 2.0 - y * 0.3];
        let swirl = |x: f32, y: f32| [x + (y * 5.0).sin() * 0.2, y + (x * 4.0).cos() * 0.3];
        // The middle of the picture is one line.
        let crushed = |x: f32, y: f32| [if x > 0.4 && x < 0.7 { 0.5 } else { x }, 1.0 - y];
        for (name, primitive) in [
            ("flat", sheet(flat, plain)),
            ("wave", sheet(wave, plain)),
            ("mirrored", sheet(wave, mirrored)),
            ("turned", sheet(wave, turned)),
            ("swirl on a ball", sheet(ball, swirl)),
            ("ball", sheet(ball, plain)),
            ("crushed", sheet(wave, crushed)),
        ] {
            let corners = corner_tangents(&primitive).unwrap();
            let mut oracle = Oracle(&primitive, vec![[0.0; 4]; primitive.indices.len()]);
            bevy_mikktspace::generate_tangents(&mut oracle).unwrap();
            let mut compared = 0;
            for (i, (mine, theirs)) in corners.iter().zip(&oracle.1).enumerate() {
                let Some([x, y, z, sign]) = mine else { continue };
                compared += 1;
                let off = Vec3::new(*x, *y, *z).distance(Vec3::from_slice(theirs));
                assert!(off < 1e-3 && *sign == theirs[3], "{name}, corner {i}: {mine:?} and {theirs:?}");
            }
            assert!(compared * 10 >= corners.len() * 8, "{name}: only {compared} of {}", corners.len());
            let mut scene = Scene::default();
            scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
            let report = make_tangents(&mut scene);
            assert_eq!(report.primitives, 1);
            if name == "mirrored" {
                assert!(report.vertices_after > report.vertices_before, "{report:?}");
            }
            assert_scene(&scene);
            let once = scene.clone();
            make_tangents(&mut scene);
            assert_eq!(scene, once, "{name}: twice is as good as once");
        }
    }

    /// Recursion around a vertex, or comparing each of its triangles with all others, would not survive this.
    #[test]
    fn a_fan_of_many_triangles_is_no_trap() {
        let count = 200_000u32;
        let angle = |i: u32| i as f32 / count as f32 * std::f32::consts::TAU;
        let rim = (0..=count).map(|i| [angle(i).cos(), angle(i).sin(), 0.0]);
        let positions: Vec<[f32; 3]> = std::iter::once([0.0; 3]).chain(rim).collect();
        let mut fan = Primitive {
            uvs: vec![positions.iter().map(|[x, y, _]| [*x, -*y]).collect()],
            normals: vec![[0.0, 0.0, 1.0]; positions.len()],
            indices: (1..=count).flat_map(|i| [0, i, i + 1]).collect(),
            positions,
            ..Primitive::default()
        };
        make_primitive_tangents(&mut fan);
        assert!(fan.tangents.iter().all(|[x, _, _, sign]| *x > 0.999 && *sign == 1.0));
    }
}
