//! Normals by angles between triangles.

use glam::{DVec3, Vec3};

use super::normals::forget_custom;
use super::sets::Sets;
use super::{Welder, select, weld_primitive};
use crate::math;
use crate::scene::{MorphTarget, Primitive, Scene, unit_vector};

/// Which triangles share their normals across an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Smoothing<'a> {
    /// Those that meet at an angle of at most so many degrees: 0 makes every face flat, 180 everything smooth.
    Angle(f32),
    /// Those that have a smoothing group in common: one word for each triangle, one bit for each group. A triangle
    /// without a group is flat.
    Groups(&'a [u32]),
}

/// What making normals did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MadeNormals {
    /// Primitives that have new normals.
    pub primitives: usize,
    /// The vertices before.
    pub vertices_before: usize,
    /// The vertices after: creases need more than one vertex at a place.
    pub vertices_after: usize,
    /// Corners of triangles without area, which took the normal of a neighbour or none at all.
    pub without_direction: usize,
    /// Custom attributes that are gone, because they told more about what is new now.
    pub forgotten: usize,
}

/// Makes new normals for every primitive of triangles, in place of those that it has: smooth across edges where two
/// faces meet at no more than `degrees`, with a crease where they meet at more.
///
/// Faces are neighbours where their edges have the same positions, whatever else their vertices differ in. Around a
/// vertex, faces without a crease between them share one normal, to which each adds its own by the angle that it has
/// there. Vertices are doubled along creases and welded where none is needed any more. Tangents are turned to be
/// orthogonal to the new normals, and the normals of morph targets are made anew where there were any.
pub fn make_normals(scene: &mut Scene, degrees: f32) -> MadeNormals {
    let mut report = MadeNormals::default();
    for primitive in scene.meshes.values_mut().flat_map(|mesh| &mut mesh.primitives) {
        let made = make_primitive_normals(primitive, Smoothing::Angle(degrees));
        report.primitives += made.primitives;
        report.vertices_before += made.vertices_before;
        report.vertices_after += made.vertices_after;
        report.without_direction += made.without_direction;
        report.forgotten += made.forgotten;
    }
    report
}

/// The same for one primitive, by angle or by smoothing groups.
pub fn make_primitive_normals(primitive: &mut Primitive, smoothing: Smoothing<'_>) -> MadeNormals {
    let before = primitive.vertex_count();
    if primitive.triangles().is_empty() {
        return MadeNormals { vertices_before: before, vertices_after: before, ..MadeNormals::default() };
    }
    let forgotten = forget_custom(primitive, "NORMAL");
    let mut fans = fans(primitive, smoothing);
    let groups: Vec<u32> = (0..primitive.indices.len() as u32).map(|corner| fans.find(corner)).collect();
    let normals = group_normals(&primitive.positions, &primitive.indices, &groups);
    let (corner_of, without_direction) = divide(primitive, &groups, &normals);
    let made = |normals: &[DVec3], corner: &Option<u32>| {
        let group = corner.and_then(|corner| groups.get(corner as usize).copied());
        group.and_then(|group| normals.get(group as usize).copied()).filter(|normal| *normal != DVec3::ZERO)
    };
    let old = std::mem::take(&mut primitive.normals);
    let kept = |vertex: usize| old.get(vertex).copied().unwrap_or([0.0, 1.0, 0.0]);
    primitive.normals = corner_of
        .iter()
        .enumerate()
        .map(|(vertex, corner)| {
            made(&normals, corner).map_or_else(|| kept(vertex), |normal| normal.as_vec3().to_array())
        })
        .collect();
    turn_tangents(primitive);
    let targets: Vec<MorphTarget> = primitive.targets.clone();
    for (target, new) in targets.iter().zip(&mut primitive.targets).filter(|(t, _)| !t.normals.is_empty()) {
        let bent: Vec<[f32; 3]> = match target.positions.is_empty() {
            true => primitive.positions.clone(),
            false => primitive.positions.iter().zip(&target.positions).map(|(p, d)| add(*p, *d)).collect(),
        };
        let bent = group_normals(&bent, &primitive.indices, &groups);
        let normals = primitive.normals.iter().zip(&corner_of);
        new.normals = normals
            .map(|(normal, corner)| {
                let normal = Vec3::from_array(*normal);
                made(&bent, corner).map_or(Vec3::ZERO, |bent| bent.as_vec3() - normal).to_array()
            })
            .collect();
    }
    let welded = weld_primitive(primitive);
    MadeNormals {
        primitives: 1,
        vertices_before: before,
        vertices_after: welded.after,
        without_direction,
        forgotten,
    }
}

fn add(a: [f32; 3], b: [f32; 3]) -> [f32; 3] {
    (Vec3::from_array(a) + Vec3::from_array(b)).to_array()
}

/// Corners that share a normal: those at one place of faces that are smooth neighbours.
fn fans(primitive: &Primitive, smoothing: Smoothing<'_>) -> Sets {
    let mut places = Welder::<3>::new();
    // Adding zero makes one of the two zeros.
    let positions: Vec<u32> =
        primitive.positions.iter().map(|p| places.add(p.map(|x| (x + 0.0).to_bits()))).collect();
    let place = |index: u32| positions.get(index as usize).copied().unwrap_or(0);
    let triangles = primitive.triangles();
    let directions: Vec<DVec3> = match smoothing {
        Smoothing::Angle(_) => triangles.iter().map(|t| direction(&primitive.positions, *t)).collect(),
        Smoothing::Groups(_) => Vec::new(),
    };
    let cosine = match smoothing {
        // A little slack, so that equal directions are smooth at zero, and the angle itself is.
        Smoothing::Angle(degrees) => math::cos_64(f64::from(degrees).clamp(0.0, 180.0).to_radians()) - 1e-6,
        Smoothing::Groups(_) => 0.0,
    };
    let is_smooth = |a: usize, b: usize| match smoothing {
        Smoothing::Angle(_) => match (directions.get(a), directions.get(b)) {
            (Some(a), Some(b)) if *a != DVec3::ZERO && *b != DVec3::ZERO => a.dot(*b) >= cosine,
            _ => false,
        },
        Smoothing::Groups(groups) => {
            let group = |face: usize| groups.get(face).copied().unwrap_or(0);
            group(a) & group(b) != 0
        }
    };
    // Each edge with the corners at its ends, the end with the smaller number first.
    let mut edges: Vec<(u32, u32, u32, u32)> = Vec::with_capacity(primitive.indices.len());
    for (face, triangle) in triangles.iter().enumerate() {
        for side in 0..3 {
            let (from, to) = (side, (side + 1) % 3);
            let corner = |i: usize| (face * 3 + i) as u32;
            let (a, b) = (place(triangle[from]), place(triangle[to]));
            match a.cmp(&b) {
                std::cmp::Ordering::Less => edges.push((a, b, corner(from), corner(to))),
                std::cmp::Ordering::Greater => edges.push((b, a, corner(to), corner(from))),
                std::cmp::Ordering::Equal => {}
            }
        }
    }
    edges.sort_unstable();
    let mut fans = Sets::new(primitive.indices.len());
    for pair in edges.windows(2) {
        let [(a, b, a_corner, b_corner), (c, d, c_corner, d_corner)] = pair else { continue };
        if (a, b) == (c, d) && is_smooth(*a_corner as usize / 3, *c_corner as usize / 3) {
            fans.join(*a_corner, *c_corner);
            fans.join(*b_corner, *d_corner);
        }
    }
    fans
}

/// The unit normal of a face; zero where it has no area. Computed with doubles: nothing that a float holds overflows.
fn direction(positions: &[[f32; 3]], triangle: [u32; 3]) -> DVec3 {
    let [a, b, c] = triangle.map(|i| point(positions, i));
    (b - a).cross(c - a).normalize_or_zero()
}

fn point(positions: &[[f32; 3]], index: u32) -> DVec3 {
    positions.get(index as usize).map_or(DVec3::ZERO, |p| DVec3::from_array(p.map(f64::from)))
}

/// For each group of corners its unit normal, at the place of the group's number.
fn group_normals(positions: &[[f32; 3]], indices: &[u32], groups: &[u32]) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; indices.len()];
    for (face, triangle) in indices.as_chunks::<3>().0.iter().enumerate() {
        let normal = direction(positions, *triangle);
        let corners = triangle.map(|i| point(positions, i));
        for i in 0..3 {
            let (u, v) = (corners[(i + 1) % 3] - corners[i], corners[(i + 2) % 3] - corners[i]);
            let angle = math::atan2_64(u.cross(v).length(), u.dot(v));
            let group = groups.get(face * 3 + i).and_then(|group| sums.get_mut(*group as usize));
            if let (Some(sum), true) = (group, angle.is_finite()) {
                *sum += normal * angle;
            }
        }
    }
    sums.iter_mut().for_each(|sum| *sum = sum.normalize_or_zero());
    sums
}

/// Gives every vertex one copy for each group that its corners are in. Corners of faces without area go with another
/// group of the same vertex. Returns for each new vertex one of its corners, `None` for vertices that no face uses, and
/// the number of corners that have no normal of their own.
fn divide(primitive: &mut Primitive, groups: &[u32], normals: &[DVec3]) -> (Vec<Option<u32>>, usize) {
    let has_normal = |group: u32| normals.get(group as usize).is_some_and(|normal| *normal != DVec3::ZERO);
    let mut pairs: Vec<(u32, u32)> =
        primitive.indices.iter().zip(groups).map(|(vertex, group)| (*vertex, *group)).collect();
    let without = pairs.iter().filter(|(_, group)| !has_normal(*group)).count();
    let mut good: Vec<Option<u32>> = vec![None; primitive.vertex_count()];
    for (vertex, group) in pairs.iter().filter(|(_, group)| has_normal(*group)) {
        if let Some(place) = good.get_mut(*vertex as usize) {
            *place = Some(place.map_or(*group, |other| other.min(*group)));
        }
    }
    for (vertex, group) in pairs.iter_mut().filter(|(_, group)| !has_normal(*group)) {
        *group = good.get(*vertex as usize).copied().flatten().unwrap_or(u32::MAX);
    }
    let mut copies = pairs.clone();
    copies.sort_unstable();
    copies.dedup();
    let used: Vec<bool> = {
        let mut used = vec![false; primitive.vertex_count()];
        copies.iter().for_each(|(vertex, _)| used[*vertex as usize] = true);
        used
    };
    let unused = (0u32..).zip(&used).filter(|(_, used)| !**used).map(|(vertex, _)| (vertex, u32::MAX));
    copies.extend(unused);
    copies.sort_unstable();
    let indices = pairs.iter().map(|pair| copies.partition_point(|copy| copy < pair) as u32).collect();
    let vertices: Vec<u32> = copies.iter().map(|(vertex, _)| *vertex).collect();
    *primitive = select(primitive, &vertices, indices);
    (copies.into_iter().map(|(_, group)| (group != u32::MAX).then_some(group)).collect(), without)
}

/// Makes tangents orthogonal to the normals again.
fn turn_tangents(primitive: &mut Primitive) {
    for ([x, y, z, _], normal) in primitive.tangents.iter_mut().zip(&primitive.normals) {
        let (normal, tangent) = (Vec3::from_array(*normal), Vec3::new(*x, *y, *z));
        let along = normal.dot(tangent);
        // What is only rounded stays as it is.
        if along.abs() < 1e-5 {
            continue;
        }
        let flat = unit_vector(tangent - normal * along);
        [*x, *y, *z] = flat.unwrap_or_else(|| normal.any_orthonormal_vector()).to_array();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Mesh, assert_scene};

    /// A cube of welded corners.
    fn cube() -> Primitive {
        let positions =
            (0..8u8).map(|i| [i & 1, i >> 1 & 1, i >> 2].map(|bit| f32::from(bit) * 2.0 - 1.0)).collect();
        let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let indices = quads.iter().flat_map(|[a, b, c, d]| [*a, *b, *c, *a, *c, *d]).collect();
        Primitive { positions, indices, ..Primitive::default() }
    }

    #[test]
    fn a_cube_has_creases_from_ninety_degrees_down() {
        for (degrees, vertices) in [(0.0, 24), (30.0, 24), (89.0, 24), (90.0, 8), (180.0, 8)] {
            let mut scene = Scene::default();
            scene.meshes.push(Mesh { primitives: vec![cube()], ..Mesh::default() });
            let report = make_normals(&mut scene, degrees);
            assert_eq!((report.vertices_after, report.without_direction), (vertices, 0), "at {degrees}");
            let cube = &assert_scene(&scene).meshes[crate::scene::Id::new(0)].primitives[0];
            for (position, normal) in cube.positions.iter().zip(&cube.normals) {
                // Smooth ones point to the corners, whichever way the quads are cut.
                let (position, normal) = (Vec3::from_array(*position), Vec3::from_array(*normal));
                let along = normal.dot(position);
                let expected = if vertices == 8 { position.length() } else { 1.0 };
                assert!((along - expected).abs() < 1e-5, "{normal} at {position}");
            }
            let once = scene.clone();
            make_normals(&mut scene, degrees);
            assert_eq!(scene, once, "twice is as good as once");
        }
    }

    #[test]
    fn smoothing_groups_decide() {
        // Front and right side in group 1, the rest flat.
        let groups = [0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1];
        let mut primitive = cube();
        make_primitive_normals(&mut primitive, Smoothing::Groups(&groups));
        let smooth = primitive.normals.iter().filter(|n| n.iter().all(|x| x.abs() < 0.9)).count();
        // The two corners of the edge that the two sides share.
        assert_eq!(smooth, 2);
        // A face of several groups is a neighbour of each; one without any is flat, and so are its two triangles.
        let mut primitive = cube();
        make_primitive_normals(&mut primitive, Smoothing::Groups(&[0b11; 12]));
        assert_eq!(primitive.vertex_count(), 8);
        let mut primitive = cube();
        let flat = make_primitive_normals(&mut primitive, Smoothing::Groups(&[]));
        assert_eq!(flat.vertices_after, 24);
    }

    #[test]
    fn faces_without_area_do_no_harm() {
        let mut primitive = cube();
        primitive.indices.extend([0, 0, 1, 0, 1, 1, 2, 2, 2]);
        primitive.positions.push([1e38; 3]);
        let lengths = crate::scene::CustomAttribute { width: 1, values: vec![2.0; 9] };
        for name in ["_BO3D_NORMAL_LENGTH", "_HEAT"] {
            primitive.custom.insert(name.to_owned(), lengths.clone());
        }
        let report = make_primitive_normals(&mut primitive, Smoothing::Angle(30.0));
        assert_eq!((report.without_direction, report.forgotten), (9, 1));
        assert_eq!(primitive.custom.keys().collect::<Vec<_>>(), ["_HEAT"]);
        // The vertex that nothing uses is still there.
        assert_eq!(report.vertices_after, 25);
        let mut scene = Scene::default();
        scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
        assert_scene(&scene);
    }
}
