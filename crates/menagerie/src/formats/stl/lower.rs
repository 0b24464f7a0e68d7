//! Scene to STL: all triangles, where they are in the world.

use glam::Vec3;
use zerocopy::little_endian::F32;

use super::FORMAT;
use super::build::{ATTRIBUTE, material};
use super::colour::Convention;
use super::model::{Ascii, Binary, Facet, Model, Solid};
use super::notes::{ASCII, FileNote, NodeNote, Note as _};
use crate::diag::loss::ErrorStats;
use crate::diag::{Aspect, Loss, LossKind, LossReport};
use crate::formats::flat::{FlatMesh, flatten, kept_name, report_joined, report_names, report_other_names};
use crate::formats::{WriteOptions, report_unheld};
use crate::scene::{CheckedScene, Material, Node, Primitive, Scene, Topology, unit_vector};

/// What the header of a file says that had none.
const HEADER: &[u8] = b"binary STL by menagerie";

/// Makes a file model of a Scene, and reports what that cost.
pub fn lower(scene: CheckedScene<'_>, options: &WriteOptions, losses: &mut LossReport) -> Model {
    report_unheld(&scene, &FORMAT, losses);
    let scene = scene.scene();
    let kept = FileNote::of(&scene.extras);
    let ascii = options.settings.get("stl-form").or(kept.form.as_deref()) == Some(ASCII);
    let flat = flatten(scene, &FORMAT, losses);
    report_other_names(scene, &FORMAT, losses);
    report_names(scene.materials.values().map(|x| &x.name), "materials", &FORMAT, losses);
    let draws = |flat: &FlatMesh| flat.primitives.iter().any(|primitive| !primitive.triangles().is_empty());
    let (flat, empty): (Vec<FlatMesh>, Vec<FlatMesh>) = flat.into_iter().partition(draws);
    if !empty.is_empty() {
        let message = "nodes without triangles have no place in STL";
        losses.push(Loss::new(Aspect::Hierarchy, LossKind::Dropped, "nodes", message).count(empty.len()));
        report_others(&empty, losses);
    }
    let header = header(scene, kept.header);
    report_others(&flat, losses);
    report_surface(scene, &flat, !ascii && matches!(Convention::of(&header), Convention::Magics(_)), losses);
    if ascii { text(scene, &flat, losses) } else { binary(scene, &flat, header, losses) }
}

/// The header: that of the file that the Scene came from, if what it says about colours still holds.
fn header(scene: &Scene, kept: Option<Vec<u8>>) -> [u8; 80] {
    let mut fresh = [b' '; 80];
    fresh.iter_mut().zip(HEADER).for_each(|(to, from)| *to = *from);
    let Some(kept) = kept.and_then(|bytes| <[u8; 80]>::try_from(bytes).ok()) else { return fresh };
    let Convention::Magics(rgba) = Convention::of(&kept) else { return kept };
    let colored =
        scene.meshes.values().flat_map(|mesh| &mesh.primitives).any(|primitive| !primitive.colors.is_empty());
    let described = material(&kept, rgba);
    let same = |material: &Material| material.shading == described.shading;
    if colored || scene.materials.values().all(same) { kept } else { fresh }
}

/// Elements that are no triangles.
fn report_others(flat: &[FlatMesh], losses: &mut LossReport) {
    let primitives = flat.iter().flat_map(|flat| &flat.primitives);
    let is_other = |primitive: &&Primitive| primitive.topology != Topology::Triangles;
    let others = primitives.filter(is_other).filter(|primitive| !primitive.indices.is_empty()).count();
    if others > 0 {
        let message = "lines and points have no place in STL";
        losses.push(Loss::new(Aspect::Topology, LossKind::Dropped, "meshes", message).count(others));
    }
}

/// Normals and materials.
fn report_surface(scene: &Scene, flat: &[FlatMesh], described: bool, losses: &mut LossReport) {
    let primitives = || flat.iter().flat_map(|flat| &flat.primitives);
    let mut dropped = |aspect, path: &str, message: &str, count: usize| {
        if count > 0 {
            losses.push(Loss::new(aspect, LossKind::Dropped, path, message).count(count));
        }
    };
    let normals = primitives().filter(|primitive| !primitive.normals.is_empty()).count();
    dropped(Aspect::Normals, "meshes", "STL has the normals of triangles, not of vertices", normals);
    let pictures = scene.materials.values().flat_map(|material| material.textures()).count();
    dropped(Aspect::Textures, "textures", "textures have no place in STL", pictures);
    let default = Material::default();
    let plain = |material: &Material| {
        Material { name: String::new(), extras: Default::default(), ..material.clone() } == default
    };
    let materials = scene.materials.values().filter(|material| !plain(material)).count();
    if !described {
        dropped(Aspect::Materials, "materials", "materials have no place in STL", materials);
    }
    let sets: usize = primitives().map(|primitive| primitive.colors.len().saturating_sub(1)).sum();
    dropped(Aspect::Colors, "meshes", "STL has one colour a triangle", sets);
}

fn binary(scene: &Scene, flat: &[FlatMesh], header: [u8; 80], losses: &mut LossReport) -> Model {
    let names = flat.iter().filter_map(|flat| scene.nodes.get(flat.node)).map(|node| &node.name);
    report_names(names, "the parts of a binary file", &FORMAT, losses);
    report_joined(flat, &FORMAT, losses);
    let convention = Convention::of(&header);
    let painted = flat.iter().flat_map(|flat| &flat.primitives).any(|primitive| !primitive.colors.is_empty());
    let triangles =
        flat.iter().flat_map(|flat| &flat.primitives).map(|primitive| primitive.triangles().len());
    let mut facets = Vec::with_capacity(triangles.sum());
    let mut errors = ErrorStats::default();
    let mut uncoloured = 0;
    for primitive in flat.iter().flat_map(|flat| &flat.primitives) {
        uncoloured +=
            usize::from(painted && primitive.colors.is_empty() && !primitive.triangles().is_empty());
        for triangle in primitive.triangles() {
            let mut facet = facet(primitive, triangle);
            facet.attribute = attribute(primitive, triangle, painted, convention, &mut errors).into();
            facets.push(facet);
        }
    }
    let message = "STL has one colour of five bits a channel for a triangle";
    losses.measured(Aspect::Colors, "meshes", message, errors, "linear colour");
    if uncoloured > 0 && matches!(convention, Convention::VisCam) {
        let message = "parts without vertex colours are white among those that have some";
        losses.push(Loss::new(Aspect::Colors, LossKind::Added, "meshes", message).count(uncoloured));
    }
    Model::Binary(Binary { header, stated_count: None, facets, trailing: Vec::new() })
}

fn corners(primitive: &Primitive, triangle: &[u32; 3]) -> [[f32; 3]; 3] {
    triangle.map(|i| primitive.positions.get(i as usize).copied().unwrap_or_default())
}

fn normal(corners: [[f32; 3]; 3]) -> [f32; 3] {
    let [a, b, c] = corners.map(Vec3::from_array);
    unit_vector((b - a).cross(c - a)).unwrap_or(Vec3::ZERO).to_array()
}

fn facet(primitive: &Primitive, triangle: &[u32; 3]) -> Facet {
    let corners = corners(primitive, triangle);
    Facet {
        normal: normal(corners).map(F32::new),
        corners: corners.map(|corner| corner.map(F32::new)),
        attribute: 0.into(),
    }
}

/// The two bytes of a facet: the colour of its corners, or what the source had there.
fn attribute(
    primitive: &Primitive,
    triangle: &[u32; 3],
    painted: bool,
    convention: Convention,
    errors: &mut ErrorStats,
) -> u16 {
    let custom = primitive.custom.get(ATTRIBUTE).filter(|custom| custom.width == 1);
    let kept =
        custom.and_then(|custom| custom.values.get(triangle[0] as usize)).map_or(0, |value| *value as u16);
    if kept != 0 {
        return kept;
    }
    let Some(colors) = primitive.colors.first() else {
        return if painted { convention.attribute([1.0; 4]).0 } else { 0 };
    };
    let corners = triangle.map(|i| colors.get(i as usize).copied().unwrap_or([1.0; 4]));
    let mean: [f32; 4] =
        std::array::from_fn(|i| corners.iter().filter_map(|corner| corner.get(i)).sum::<f32>() / 3.0);
    let (attribute, stored) = convention.attribute(mean);
    for corner in corners {
        let off = corner.iter().zip(stored).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>().sqrt();
        errors.add(if off > 1e-6 { off } else { 0.0 });
    }
    attribute
}

fn text(scene: &Scene, flat: &[FlatMesh], losses: &mut LossReport) -> Model {
    let colored = flat.iter().flat_map(|flat| &flat.primitives).filter(|p| !p.colors.is_empty()).count();
    if colored > 0 {
        let message = "colours have no place in the text form of STL";
        losses.push(Loss::new(Aspect::Colors, LossKind::Dropped, "meshes", message).count(colored));
    }
    let marked =
        flat.iter().flat_map(|flat| &flat.primitives).filter(|p| p.custom.contains_key(ATTRIBUTE)).count();
    if marked > 0 {
        let message = "the attributes of facets have no place in the text form of STL";
        losses.push(Loss::new(Aspect::CustomAttributes, LossKind::Dropped, "meshes", message).count(marked));
    }
    let mut ascii = Ascii::default();
    for flat in flat {
        let mut solid = Solid::default();
        if let Some(node) = scene.nodes.get(flat.node) {
            solid.name = name(node, losses);
        }
        for primitive in &flat.primitives {
            solid
                .corners
                .extend(primitive.triangles().iter().flat_map(|triangle| corners(primitive, triangle)));
        }
        solid.write_to(&mut ascii.text);
        ascii.solids.push(solid);
    }
    if ascii.solids.is_empty() {
        ascii.text.extend_from_slice(b"solid\nendsolid\n");
        ascii.solids.push(Solid::default());
    }
    Model::Ascii(ascii)
}

/// A name that a line can hold.
fn name(node: &Node, losses: &mut LossReport) -> Vec<u8> {
    if let Some(kept) = kept_name(NodeNote::of(&node.extras).name_bytes, &node.name) {
        return kept;
    }
    let clean: String = node.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let clean = clean.trim_matches(|c: char| c.is_ascii_whitespace());
    if clean != node.name {
        let message = format!("the name {:?} was written as {clean:?}", node.name);
        losses.approximated(Aspect::Names, "nodes", message);
    }
    clean.as_bytes().to_vec()
}

impl Solid {
    fn write_to(&self, text: &mut Vec<u8>) {
        let mut line = |words: &[&[u8]]| {
            words.iter().for_each(|word| text.extend_from_slice(word));
            text.push(b'\n');
        };
        let numbers = |values: [f32; 3]| values.map(|x| format!(" {x}")).concat().into_bytes();
        let separator: &[u8] = if self.name.is_empty() { b"" } else { b" " };
        line(&[b"solid", separator, &self.name]);
        for triangle in self.corners.as_chunks::<3>().0 {
            line(&[b"  facet normal", &numbers(normal(*triangle))]);
            line(&[b"    outer loop"]);
            for corner in triangle {
                line(&[b"      vertex", &numbers(*corner)]);
            }
            line(&[b"    endloop"]);
            line(&[b"  endfacet"]);
        }
        line(&[b"endsolid", separator, &self.name]);
    }
}
