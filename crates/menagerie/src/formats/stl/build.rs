//! Facets of a binary file, as they come, to what a Scene holds.

use super::FORMAT;
use super::colour::{Convention, linear};
use super::model::Facet;
use super::notes::{BINARY, FileNote, Note as _};
use crate::bytes::{extend_tight, push_tight};
use crate::formats::flat::show_all;
use crate::scene::{
    CustomAttribute, Material, Mesh, MetallicRoughness, Node, Phong, Primitive, Scene, Shading,
    srgb_byte_to_linear,
};

/// The custom attribute for the two bytes of a facet that are no colour.
pub(super) const ATTRIBUTE: &str = "_STL_ATTRIBUTE";

/// Makes a Scene of the facets of a binary file, as they come.
#[derive(Default)]
pub(super) struct Builder {
    positions: Vec<[f32; 3]>,
    /// The two bytes of each facet that is in `positions`, once some are not zero.
    attributes: Vec<u16>,
}

impl Builder {
    /// A builder for about so many facets.
    pub(super) fn new(facets: usize) -> Self {
        Self { positions: Vec::with_capacity(facets.saturating_mul(3)), attributes: Vec::new() }
    }

    /// Adds facets; those that are not finite are left out.
    pub(super) fn add(&mut self, facets: &[Facet]) {
        let turn = FORMAT.axes.turn;
        for facet in facets {
            let corners = facet.corners.map(|corner| turn.vector(corner.map(|x| x.get())));
            if !corners.as_flattened().iter().all(|x| x.is_finite()) {
                continue;
            }
            let attribute = facet.attribute.get();
            if attribute != 0 || !self.attributes.is_empty() {
                self.attributes.resize(self.positions.len() / 3, 0);
                push_tight(&mut self.attributes, attribute);
            }
            extend_tight(&mut self.positions, &corners);
        }
    }

    /// The Scene: one node, whose triangles share no vertices.
    pub(super) fn finish(self, header: &[u8; 80]) -> Scene {
        let mut scene = Scene::default();
        let mut positions = self.positions;
        positions.shrink_to_fit();
        let mut primitive = primitive(positions);
        paint(&mut primitive, &self.attributes, Convention::of(header));
        if let (Convention::Magics(rgba), true) = (Convention::of(header), primitive.colors.is_empty()) {
            primitive.material = Some(scene.materials.push(material(header, rgba)));
        }
        let note = FileNote { form: Some(BINARY.to_owned()), header: Some(header.to_vec()) };
        note.keep(&mut scene.extras);
        if !primitive.positions.is_empty() {
            let mesh = scene.meshes.push(Mesh { primitives: vec![primitive], ..Mesh::default() });
            scene.nodes.push(Node { mesh: Some(mesh), ..Node::default() });
        }
        show_all(&mut scene);
        scene
    }
}

/// Triangles that share no vertices.
pub(super) fn primitive(positions: Vec<[f32; 3]>) -> Primitive {
    let whole = positions.len() - positions.len() % 3;
    let indices = (0..u32::try_from(whole).unwrap_or(u32::MAX)).collect();
    Primitive { positions, indices, ..Primitive::default() }
}

/// Colours of facets, or what else their two bytes are.
fn paint(primitive: &mut Primitive, attributes: &[u16], convention: Convention) {
    if attributes.iter().all(|attribute| *attribute == 0) {
        return;
    }
    let vertices = primitive.positions.len();
    let colored = attributes.iter().any(|attribute| convention.color(*attribute).is_some());
    if colored {
        let mut colors = Vec::with_capacity(vertices);
        for attribute in attributes {
            colors.extend([convention.color(*attribute).unwrap_or([1.0; 4]); 3]);
        }
        colors.resize(vertices, [1.0; 4]);
        primitive.colors.push(colors);
    }
    if attributes.iter().any(|attribute| convention.is_unknown(*attribute)) {
        let unknown =
            |attribute: &u16| if convention.is_unknown(*attribute) { f32::from(*attribute) } else { 0.0 };
        let mut values: Vec<f32> = attributes.iter().flat_map(|attribute| [unknown(attribute); 3]).collect();
        values.resize(vertices, 0.0);
        primitive.custom.insert(ATTRIBUTE.to_owned(), CustomAttribute { width: 1, values });
    }
}

/// The material that Materialise Magics describes in the header: a colour, and perhaps how it shines.
pub(super) fn material(header: &[u8; 80], rgba: [u8; 4]) -> Material {
    let shining = header.windows(21).find(|window| window.starts_with(b"MATERIAL="));
    let shading = match shining.and_then(|window| window.last_chunk::<12>()) {
        None => Shading::MetallicRoughness(MetallicRoughness {
            base_color: linear(rgba),
            metallic: 0.0,
            ..MetallicRoughness::default()
        }),
        Some(&[dr, dg, db, da, sr, sg, sb, _, ar, ag, ab, _]) => Shading::Phong(Box::new(Phong {
            diffuse: linear([dr, dg, db, da]),
            specular: [sr, sg, sb].map(srgb_byte_to_linear),
            ambient: [ar, ag, ab].map(srgb_byte_to_linear),
            ..Phong::default()
        })),
    };
    Material { shading, ..Material::default() }
}
