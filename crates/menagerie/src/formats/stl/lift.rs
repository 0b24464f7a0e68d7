//! File model to Scene.

use super::FORMAT;
use super::build::{Builder, primitive};
use super::model::{Facet, Model, Solid};
use super::notes::{ASCII, FileNote, NodeNote, Note as _};
use crate::bytes::decode_text;
use crate::formats::flat::show_all;
use crate::formats::{Elements, Lifted, PrimitiveOrigin, Provenance, ReadOptions, Recorder};
use crate::scene::{Mesh, Node, Scene};

/// The Scene of a file. Triangles share no vertices, as in the file, and have no normals: those of the file say only
/// what the corners say.
pub(super) fn lift(model: &Model, options: &ReadOptions<'_>) -> Lifted {
    let scene = match model {
        Model::Binary(binary) => {
            let mut builder = Builder::new(binary.facets.len());
            builder.add(&binary.facets);
            builder.finish(&binary.header)
        }
        Model::Ascii(ascii) => of_solids(ascii.solids.clone()),
    };
    let provenance = options.provenance.then(|| origins(model, &scene)).flatten();
    Lifted { scene, provenance, ..Lifted::default() }
}

/// Where the triangles are: facets of a binary file, lines of a text.
fn origins(model: &Model, scene: &Scene) -> Option<Provenance> {
    let mut origins = Recorder::new(true);
    match model {
        Model::Binary(binary) => {
            let finite = |facet: &Facet| facet.corners.as_flattened().iter().all(|x| x.get().is_finite());
            let shown = (0..).zip(&binary.facets).filter(|(_, facet)| finite(facet));
            let numbers: Vec<u32> = shown.map(|(number, _)| number).collect();
            let of_vertices = numbers.iter().flat_map(|number| [*number; 3]).collect();
            origins.primitive(0, 0, || PrimitiveOrigin {
                path: "facets".to_owned(),
                vertices: Elements::list("facets").ordered(of_vertices),
                triangles: Elements::list("facets").ordered(numbers),
            });
        }
        Model::Ascii(ascii) => {
            let lines = (0..).zip(ascii.text.split_inclusive(|byte| *byte == b'\n'));
            let is_corner = |line: &[u8]| {
                line.trim_ascii_start().get(..6).is_some_and(|w| w.eq_ignore_ascii_case(b"vertex"))
            };
            let lines: Vec<u32> =
                lines.filter(|(_, line)| is_corner(line)).map(|(number, _)| number).collect();
            let corners = scene.meshes.values().flat_map(|mesh| &mesh.primitives);
            if lines.len() != corners.map(|primitive| primitive.positions.len()).sum::<usize>() {
                // Several on a line, or some that are not shown: which is whose nobody took down.
                return origins.finish(scene);
            }
            let mut lines = lines.into_iter();
            for (mesh, shown) in scene.meshes.values().enumerate() {
                let count = shown.primitives.first().map_or(0, |primitive| primitive.positions.len());
                let of_vertices: Vec<u32> = lines.by_ref().take(count).collect();
                let of_triangles = of_vertices.iter().step_by(3).copied().collect();
                origins.primitive(mesh, 0, || PrimitiveOrigin {
                    path: String::new(),
                    vertices: Elements::list("lines").ordered(of_vertices),
                    triangles: Elements::list("lines").ordered(of_triangles),
                });
            }
        }
    }
    origins.finish(scene)
}

/// The Scene of the solids of a text file, each a node.
pub(super) fn of_solids(solids: Vec<Solid>) -> Scene {
    let mut scene = Scene::default();
    FileNote { form: Some(ASCII.to_owned()), header: None }.keep(&mut scene.extras);
    let turn = FORMAT.axes.turn;
    // A solid without triangles is nothing that a Scene could show.
    for solid in solids.into_iter().filter(|solid| !solid.corners.is_empty()) {
        let (name, utf8) = decode_text(&solid.name);
        let mut positions = solid.corners;
        positions.iter_mut().for_each(|position| *position = turn.vector(*position));
        let mut node = Node { name, ..Node::default() };
        if !utf8 {
            NodeNote { name_bytes: Some(solid.name) }.keep(&mut node.extras);
        }
        let mesh = Mesh { primitives: vec![primitive(positions)], ..Mesh::default() };
        node.mesh = Some(scene.meshes.push(mesh));
        scene.nodes.push(node);
    }
    show_all(&mut scene);
    scene
}
