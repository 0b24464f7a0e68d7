//! What was read, as a Scene.

use glam::Vec3;

use super::FORMAT;
use super::build::Contents;
use super::header::Header;
use super::notes::{HeaderNote, Note as _};
use crate::formats::flat::show_all;
use crate::ops::{select, smooth_normals};
use crate::scene::{
    CustomAttribute, Image, Material, Mesh, MetallicRoughness, Node, Primitive, Scene, Shading, Texture,
    TextureRef, Topology, unit_vector,
};

/// The comment with which programs name the picture of a model.
pub(super) const TEXTURE_FILE: &str = "TextureFile ";

/// The Scene of a file: one node, with triangles, lines, or points when there is nothing else.
pub(super) fn scene(header: &Header, contents: Contents) -> Scene {
    let mut scene = Scene::default();
    keep_header(header, &mut scene);
    let turn = FORMAT.axes.turn;
    let Contents { vertices, triangles, lines, .. } = contents;
    let mut whole =
        Primitive { positions: vertices.positions, normals: vertices.normals, ..Primitive::default() };
    whole.positions.iter_mut().for_each(|position| *position = turn.vector(*position));
    for (name, values) in vertices.custom {
        if values.len() == whole.positions.len() {
            whole.custom.insert(name, CustomAttribute { width: 1, values });
        }
    }
    if !vertices.uvs.is_empty() {
        let mut uvs = vertices.uvs;
        uvs.resize(whole.positions.len(), [0.0; 2]);
        uvs.iter_mut().for_each(|uv| uv[1] = 1.0 - uv[1]);
        whole.uvs.push(uvs);
    }
    if !vertices.colors.is_empty() {
        whole.colors.push(vertices.colors);
    }
    whole.material = material(header, &mut scene);
    whole.indices = triangles;
    normals(&mut whole);
    if whole.positions.is_empty() {
        show_all(&mut scene);
        return scene;
    }
    let mut primitives = Vec::new();
    if !lines.is_empty() {
        primitives.push(of_lines(&whole, &lines));
    }
    if !whole.indices.is_empty() {
        primitives.insert(0, whole);
    } else if primitives.is_empty() {
        whole.topology = Topology::Points;
        whole.indices = (0..u32::try_from(whole.positions.len()).unwrap_or(u32::MAX)).collect();
        primitives.push(whole);
    }
    let mesh = scene.meshes.push(Mesh { primitives, ..Mesh::default() });
    scene.nodes.push(Node { mesh: Some(mesh), ..Node::default() });
    show_all(&mut scene);
    scene
}

/// Turns the normals and makes them unit; those without a length come from the triangles.
fn normals(primitive: &mut Primitive) {
    let turn = FORMAT.axes.turn;
    let mut lost = false;
    for normal in &mut primitive.normals {
        let vector = Vec3::from_array(*normal);
        let length = vector.length_squared();
        let unit = if (length - 1.0).abs() <= 1e-4 { Some(vector) } else { unit_vector(vector) };
        lost |= unit.is_none();
        *normal = turn.vector(unit.unwrap_or(Vec3::ZERO).to_array());
    }
    if lost {
        let made = smooth_normals(primitive);
        for (normal, made) in
            primitive.normals.iter_mut().zip(made).filter(|(normal, _)| **normal == [0.0; 3])
        {
            *normal = made;
        }
    }
}

/// The lines with only the vertices that they use.
fn of_lines(whole: &Primitive, lines: &[u32]) -> Primitive {
    let mut used: Vec<u32> = lines.to_vec();
    used.sort_unstable();
    used.dedup();
    let place = |end: &u32| used.binary_search(end).unwrap_or(0) as u32;
    let indices = lines.iter().map(place).collect();
    Primitive { topology: Topology::Lines, ..select(whole, &used, indices) }
}

fn keep_header(header: &Header, scene: &mut Scene) {
    let comments = header.comments.iter().filter(|comment| !comment.starts_with(TEXTURE_FILE));
    let lines = |lines: Vec<String>| Some(lines).filter(|lines| !lines.is_empty());
    let note =
        HeaderNote { comments: lines(comments.cloned().collect()), obj_info: lines(header.obj_info.clone()) };
    note.keep(&mut scene.extras);
}

/// The material with the picture that a comment names.
fn material(header: &Header, scene: &mut Scene) -> Option<crate::scene::MaterialId> {
    let name = header.comments.iter().find_map(|comment| comment.strip_prefix(TEXTURE_FILE))?.trim();
    if name.is_empty() {
        return None;
    }
    let image = scene.images.push(Image { uri: Some(name.to_owned()), ..Image::default() });
    let texture = scene.textures.push(Texture { image: Some(image), ..Texture::default() });
    Some(scene.materials.push(Material {
        shading: Shading::MetallicRoughness(MetallicRoughness {
            base_color_texture: Some(TextureRef::new(texture)),
            metallic: 0.0,
            ..MetallicRoughness::default()
        }),
        ..Material::default()
    }))
}
