//! What samples are made of.

use std::sync::Arc;

use glam::{Quat, Vec2, Vec3};
use menagerie::scene::{
    Image, Material, MaterialId, Mesh, MetallicRoughness, Node, NodeId, Primitive, Scene, SceneRoot, Shading,
    Texture, TextureRef, Transform,
};

pub(super) fn plain(name: &str, base_color: [f32; 4]) -> Material {
    let shading = MetallicRoughness { base_color, metallic: 0.0, ..MetallicRoughness::default() };
    Material { name: name.to_owned(), shading: Shading::MetallicRoughness(shading), ..Material::default() }
}

pub(super) fn moved(translation: Vec3) -> Transform {
    Transform::Trs { translation, rotation: Quat::IDENTITY, scale: Vec3::ONE }
}

pub(super) fn mesh_node(scene: &mut Scene, name: &str, primitive: Primitive) -> NodeId {
    let mesh =
        scene.meshes.push(Mesh { name: name.to_owned(), primitives: vec![primitive], ..Mesh::default() });
    scene.nodes.push(Node { name: name.to_owned(), mesh: Some(mesh), ..Node::default() })
}

pub(super) fn show(scene: &mut Scene, roots: Vec<NodeId>) {
    scene.scenes.push(SceneRoot { roots, ..SceneRoot::default() });
    scene.default_scene = Some(0);
}

/// A box with flat sides: four vertices a side, each side with the whole picture.
pub(super) fn cuboid(centre: Vec3, half: Vec3) -> Primitive {
    let mut primitive = Primitive::default();
    let mut uvs = Vec::new();
    for axis in 0..3 {
        for sign in [1.0, -1.0] {
            let normal = sign * Vec3::AXES[axis];
            let across = Vec3::AXES[(axis + 1) % 3];
            // Chosen so that across × up is the normal: counter-clockwise from outside.
            let up = normal.cross(across);
            let first = primitive.positions.len() as u32;
            for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                primitive.positions.push((centre + (normal + across * x + up * y) * half).to_array());
                primitive.normals.push(normal.to_array());
                uvs.push([(x + 1.0) / 2.0, (1.0 - y) / 2.0]);
            }
            primitive.indices.extend([0, 1, 2, 0, 2, 3].map(|corner| first + corner));
        }
    }
    primitive.uvs = vec![uvs];
    primitive
}

/// A material with a picture on it.
pub(super) fn painted(scene: &mut Scene, name: &str, picture: &str, data: Arc<[u8]>) -> MaterialId {
    let image = scene.images.push(Image {
        name: picture.to_owned(),
        uri: Some(format!("{picture}.png")),
        data: Some(data),
        mime: Some("image/png".to_owned()),
        ..Image::default()
    });
    let texture = scene.textures.push(Texture { image: Some(image), ..Texture::default() });
    let shading = MetallicRoughness {
        base_color_texture: Some(TextureRef::new(texture)),
        metallic: 0.0,
        ..MetallicRoughness::default()
    };
    let shading = Shading::MetallicRoughness(shading);
    scene.materials.push(Material { name: name.to_owned(), shading, ..Material::default() })
}

/// A point of the unit circle, the same bits on every machine.
pub(super) fn on_circle(angle: f32) -> Vec2 {
    Vec2::from_angle(angle)
}

/// Adds the triangles of another primitive.
pub(super) fn append(primitive: &mut Primitive, other: Primitive) {
    let first = primitive.positions.len() as u32;
    primitive.positions.extend(other.positions);
    primitive.normals.extend(other.normals);
    primitive.indices.extend(other.indices.iter().map(|index| first + index));
    extend_sets(&mut primitive.uvs, other.uvs);
    extend_sets(&mut primitive.joints, other.joints);
    extend_sets(&mut primitive.weights, other.weights);
}

/// Adds to each set what another has of it.
fn extend_sets<T: Clone>(sets: &mut Vec<Vec<T>>, more: Vec<Vec<T>>) {
    sets.resize(sets.len().max(more.len()), Vec::new());
    sets.iter_mut().zip(more).for_each(|(set, more)| set.extend(more));
}

/// A ring of a tube: its middle, its half axes, and how far along the tube it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ring {
    pub(super) middle: Vec3,
    pub(super) across: Vec3,
    pub(super) up: Vec3,
    pub(super) along: f32,
}

/// A smooth skin over rings with so many sides, closed at both ends. The normals follow the skin.
pub(super) fn tube(rings: &[Ring], sides: u32) -> Primitive {
    let mut primitive = Primitive::default();
    let mut uvs = Vec::new();
    for ring in rings {
        for side in 0..=sides {
            // The last point stands where the first does, and has the other end of the picture.
            let at = on_circle((side % sides) as f32 / sides as f32 * std::f32::consts::TAU);
            primitive.positions.push((ring.middle + ring.across * at.x + ring.up * at.y).to_array());
            uvs.push([side as f32 / sides as f32, ring.along]);
        }
    }
    let row = sides + 1;
    for (ring, side) in (1..rings.len() as u32).flat_map(|ring| (0..sides).map(move |side| (ring, side))) {
        let (below, above) = ((ring - 1) * row + side, ring * row + side);
        primitive.indices.extend([below, below + 1, above + 1, below, above + 1, above]);
    }
    drop_flat(&mut primitive);
    primitive.normals = smooth_normals(&primitive);
    primitive.uvs = vec![uvs];
    primitive
}

/// Leaves out triangles without a surface, which the ends of tubes have.
fn drop_flat(primitive: &mut Primitive) {
    let at = |index: u32| Vec3::from_array(primitive.positions[index as usize]);
    let whole = |t: &&[u32; 3]| (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])).length_squared() > 1e-14;
    primitive.indices = primitive.triangles().iter().filter(whole).flatten().copied().collect();
}

/// A normal for each vertex: those of its triangles, and of the triangles of vertices in the same place, by their sizes.
fn smooth_normals(primitive: &Primitive) -> Vec<[f32; 3]> {
    let key = |index: u32| primitive.positions[index as usize].map(f32::to_bits);
    let mut sums = std::collections::BTreeMap::new();
    for triangle in primitive.triangles() {
        let [a, b, c] = triangle.map(|index| Vec3::from_array(primitive.positions[index as usize]));
        for corner in triangle {
            *sums.entry(key(*corner)).or_insert(Vec3::ZERO) += (b - a).cross(c - a);
        }
    }
    let normal = |index: u32| sums.get(&key(index)).map_or(Vec3::Y, |sum| sum.normalize_or(Vec3::Y));
    (0..primitive.positions.len() as u32).map(|index| normal(index).to_array()).collect()
}

/// A ball that is stretched along three axes.
pub(super) fn ball(middle: Vec3, half: Vec3, sides: u32) -> Primitive {
    let rows = sides / 2;
    let rings: Vec<Ring> = (0..=rows)
        .map(|row| {
            let at = on_circle((row as f32 / rows as f32 - 0.5) * std::f32::consts::PI);
            // Exactly zero at the poles, so that all points there are one.
            let width = if row == 0 || row == rows { 0.0 } else { at.x };
            Ring {
                middle: middle + Vec3::Z * half.z * at.y,
                across: Vec3::X * half.x * width,
                up: Vec3::Y * half.y * width,
                along: row as f32 / rows as f32,
            }
        })
        .collect();
    tube(&rings, sides)
}
